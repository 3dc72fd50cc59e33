/* interp-blocked.c: what a sandbox has kept from a run
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <string.h>

#include "session/interp-blocked.h"

/* So much of a text is looked through, and so many paths in it are looked up. */
#define MAX_TEXT (64 * 1024)
#define MAX_PATHS 64

/* What libraries and programs say when there is no network. */
static const char *const network_words[] = {
  "Network is unreachable",
  "network is unreachable",
  "Temporary failure in name resolution",
  "Could not resolve host",
  "Couldn't resolve host",
  "Could not resolve hostname",
  "Name or service not known",
  "No address associated with hostname",
  "Failed to establish a new connection",
  "unable to resolve host",
  "EAI_AGAIN",
  "ENETUNREACH",
};

void
interp_blocked_clear (InterpBlocked *self)
{
  g_return_if_fail (self != NULL);

  self->network = FALSE;
  g_clear_pointer (&self->folder, g_free);
}

/* The folder to be given for the sake of @path, or NULL: it is there already, it is nowhere, or it is never given. */
static char *
find_folder (InterpSandbox *sandbox, const char *path)
{
  g_autofree char *folder = NULL;

  if (!g_file_test (path, G_FILE_TEST_EXISTS) || interp_sandbox_get_access (sandbox, path) != INTERP_ACCESS_NONE)
    return NULL;
  folder = g_file_test (path, G_FILE_TEST_IS_DIR) ? g_strdup (path) : g_path_get_dirname (path);
  return interp_sandbox_add_folder (sandbox, folder, INTERP_ACCESS_NONE, NULL) ? g_steal_pointer (&folder) : NULL;
}

static gboolean
contains (GPtrArray *paths, const char *path)
{
  return g_ptr_array_find_with_equal_func (paths, path, g_str_equal, NULL);
}

GPtrArray *
interp_blocked_find_folders (InterpSandbox *sandbox, const char *text)
{
  GPtrArray *folders = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *start = NULL;
  g_auto (GStrv) words = NULL;
  guint n_paths = 0;

  g_return_val_if_fail (INTERP_IS_SANDBOX (sandbox), folders);
  g_return_val_if_fail (text != NULL, folders);

  start = g_strndup (text, MAX_TEXT);
  words = g_strsplit_set (start, " \t\r\n\"'`<>|;,()[]{}=*?“”„‘’", -1);
  for (guint i = 0; words[i] && n_paths < MAX_PATHS; i++)
    {
      g_autofree char *path = NULL;
      g_autofree char *folder = NULL;
      gsize length = strlen (words[i]);

      /* Of a sentence or a message. */
      while (length > 1 && strchr (".:!/", words[i][length - 1]))
        words[i][--length] = '\0';
      if (g_str_has_prefix (words[i], "~/"))
        path = g_build_filename (g_get_home_dir (), words[i] + 2, NULL);
      else if (words[i][0] == '/' && length > 1)
        path = g_strdup (words[i]);
      else
        continue;
      n_paths++;
      folder = find_folder (sandbox, path);
      if (folder && !contains (folders, folder))
        g_ptr_array_add (folders, g_steal_pointer (&folder));
    }
  return folders;
}

void
interp_blocked_find (InterpBlocked *self, InterpSandbox *sandbox, const char *code, const char *said)
{
  g_autoptr (GPtrArray) folders = NULL;

  g_return_if_fail (self != NULL);
  g_return_if_fail (INTERP_IS_SANDBOX (sandbox));
  g_return_if_fail (code != NULL && said != NULL);

  interp_blocked_clear (self);
  for (guint i = 0; !self->network && !interp_sandbox_get_network (sandbox) && i < G_N_ELEMENTS (network_words); i++)
    self->network = g_strstr_len (said, MAX_TEXT, network_words[i]) != NULL;
  folders = interp_blocked_find_folders (sandbox, code);
  if (folders->len == 0)
    {
      g_ptr_array_unref (folders);
      folders = interp_blocked_find_folders (sandbox, said);
    }
  if (folders->len > 0)
    self->folder = g_strdup (g_ptr_array_index (folders, 0));
}
