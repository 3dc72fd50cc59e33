/* interp-safe-lines.c: safe mode, said in a terminal
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "interp-safe-lines.h"

#include <glib/gi18n.h>

#include "base/interp-paths.h"
#include "base/interp-text.h"

void
interp_safe_lines_print (InterpTty *tty, InterpSession *session)
{
  g_autoptr (GString) folders = g_string_new (NULL);
  g_auto (GStrv) added = NULL;
  g_autofree char *folder = NULL;
  g_autofree char *line = NULL;
  const char *problem;

  g_return_if_fail (INTERP_IS_SESSION (session));

  folder = interp_paths_display (interp_session_get_folder (session));
  g_string_append (folders, folder);
  added = interp_session_dup_folders (session);
  for (guint i = 0; added[i] != NULL; i++)
    {
      g_autofree char *shown = interp_paths_display (added[i]);

      g_string_append_printf (folders, ", %s", shown);
    }
  line = g_strdup_printf (interp_session_has_network (session)
                              /* Translators: folders */
                              ? _ ("Safe mode: code runs in a sandbox with %s and the network.\n")
                              /* Translators: folders */
                              : _ ("Safe mode: code runs in a sandbox with %s and no network.\n"),
                          folders->str);
  interp_tty_print_styled (tty, "32", line);
  problem = interp_session_get_safe_problem (session);
  if (problem != NULL)
    {
      g_autofree char *said = g_strconcat (problem, "\n", NULL);

      interp_tty_print_styled (tty, "31", said);
    }
}

static char *
describe_folder (const char *folder)
{
  g_autofree char *path = interp_paths_display (folder);
  g_autofree char *shown = interp_text_make_visible (path);

  /* Translators: a folder, twice */
  return g_strdup_printf (_ ("The sandbox does not have %s. %%add_dir %s gives it to the code.\n"), shown, shown);
}

void
interp_safe_lines_print_named (InterpTty *tty, InterpSession *session, const char *text)
{
  g_autoptr (GPtrArray) named = NULL;

  g_return_if_fail (INTERP_IS_SESSION (session));

  named = interp_session_find_named_folders (session, text);
  for (guint i = 0; i < named->len; i++)
    {
      g_autofree char *line = describe_folder (g_ptr_array_index (named, i));

      interp_tty_print_styled (tty, "33", line);
    }
}

char *
interp_safe_lines_describe_blocked (InterpCell *cell)
{
  g_autoptr (GString) text = g_string_new (NULL);
  const char *folder;

  g_return_val_if_fail (INTERP_IS_CELL (cell), NULL);

  if (interp_cell_is_network_blocked (cell))
    g_string_append_printf (text, "%s\n", _ ("The sandbox has no network. %network once runs this again with it."));
  folder = interp_cell_get_blocked_folder (cell);
  if (folder != NULL)
    {
      g_autofree char *line = describe_folder (folder);

      g_string_append (text, line);
    }
  return text->len > 0 ? g_string_free_and_steal (g_steal_pointer (&text)) : NULL;
}
