/* interp-safe-lines.c: safe mode, said in a terminal
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "interp-safe-lines.h"

#include <glib/gi18n.h>

#include "base/interp-paths.h"

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
      g_autofree char *shown = interp_paths_display (folder);

      /* Translators: a folder, twice */
      g_string_append_printf (text, _ ("The sandbox does not have %s. %%add_dir %s gives it to the code.\n"), shown,
                              shown);
    }
  return text->len > 0 ? g_string_free_and_steal (g_steal_pointer (&text)) : NULL;
}
