/* test-artifacts.c: pictures that appear in a folder
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "kernel/interp-artifacts.h"

#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

static InterpArtifacts *
scan (const char *folder)
{
  g_autoptr (DexFuture) future = interp_artifacts_scan (folder);

  while (dex_future_is_pending (future))
    g_main_context_iteration (NULL, TRUE);
  return g_value_dup_boxed (dex_future_get_value (future, NULL));
}

static void
put (const char *folder, const char *name, const char *contents)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *parent = g_path_get_dirname (path);

  g_mkdir_with_parents (parent, 0755);
  g_assert_true (g_file_set_contents (path, contents, -1, NULL));
}

static void
check (InterpArtifacts *before, InterpArtifacts *after, gint64 since, const char *const *names, const char *folder)
{
  g_auto (GStrv) found = interp_artifacts_compare (before, after, since, 10);

  g_assert_cmpuint (g_strv_length (found), ==, g_strv_length ((GStrv) names));
  for (guint i = 0; names[i]; i++)
    {
      g_autofree char *path = g_build_filename (folder, names[i], NULL);

      if (!g_strv_contains ((const char *const *) found, path))
        g_error ("%s was not found", path);
    }
}

static void
test_changes (void)
{
  g_autofree char *folder = g_dir_make_tmp ("artifacts-XXXXXX", NULL);
  g_autofree char *command = g_strdup_printf ("rm -rf '%s'", folder);
  gint64 now = g_get_real_time ();
  g_autoptr (InterpArtifacts) before = NULL;
  g_autoptr (InterpArtifacts) after = NULL;
  g_autofree char *link = g_build_filename (folder, "link.png", NULL);
  const char *const expected[] = { "new.PNG", "changed.svg", "plots/deep.webp", NULL };
  const char *const none[] = { NULL };

  put (folder, "old.png", "x");
  put (folder, "changed.svg", "x");
  put (folder, "text.txt", "x");
  before = scan (folder);
  put (folder, "new.PNG", "y");
  put (folder, "changed.svg", "longer");
  put (folder, "text.txt", "longer");
  put (folder, "plots/deep.webp", "y");
  put (folder, "elsewhere/not.png", "y");
  put (folder, ".hidden.png", "y");
  put (folder, "empty.png", "");
  g_assert_cmpint (symlink ("/etc/passwd", link), ==, 0);
  after = scan (folder);

  check (before, after, now, expected, folder);
  check (before, before, now, none, folder);
  check (NULL, after, now, none, folder);
  /* Written by somebody else, long before. */
  check (before, after, now + 60 * G_USEC_PER_SEC, none, folder);
  g_assert_true (g_spawn_command_line_sync (command, NULL, NULL, NULL, NULL));
}

static void
test_no_folder (void)
{
  g_autoptr (InterpArtifacts) before = scan ("/nonexistent");
  g_autoptr (InterpArtifacts) after = scan ("/nonexistent");
  const char *const none[] = { NULL };

  check (before, after, 0, none, "/");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  dex_init ();
  g_test_add_func ("/kernel/artifacts/changes", test_changes);
  g_test_add_func ("/kernel/artifacts/no-folder", test_no_folder);
  return g_test_run ();
}
