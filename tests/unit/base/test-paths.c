/* test-paths.c: where our files live
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <glib/gstdio.h>
#include <sys/stat.h>

#include "base/interp-paths.h"

static char *root;

static void
assert_private_folder (const char *path, const char *parent)
{
  struct stat info;
  g_autofree char *expected = g_build_filename (root, parent, "interpreter", NULL);

  g_assert_cmpstr (path, ==, expected);
  g_assert_cmpint (g_stat (path, &info), ==, 0);
  g_assert_true (S_ISDIR (info.st_mode));
  g_assert_cmpint (info.st_mode & 0777, ==, 0700);
}

static void
test_folders (void)
{
  assert_private_folder (interp_paths_data (), "data");
  assert_private_folder (interp_paths_config (), "config");
  assert_private_folder (interp_paths_cache (), "cache");
  assert_private_folder (interp_paths_runtime (), "runtime");
  g_assert_true (interp_paths_data () == interp_paths_data ());
}

static void
test_find_data (void)
{
  g_autofree char *mine = g_build_filename (root, "shipped", "kernels", "x.kernel", NULL);
  g_autofree char *datadir = g_build_filename (root, "shipped", NULL);
  g_autofree char *found = NULL;
  g_autofree char *built = NULL;
  g_autofree char *nowhere = NULL;
  g_autofree char *outside = NULL;
  g_autofree char *absolute = NULL;

  g_assert_true (interp_paths_write_atomically (mine, "x", -1, NULL));
  g_setenv ("INTERP_DATADIR", datadir, TRUE);
  found = interp_paths_find_data ("kernels/x.kernel");
  g_assert_cmpstr (found, ==, mine);

  /* What is not there comes from the source tree, since this test runs from the build. */
  g_assert_true (interp_paths_from_build ());
  built = interp_paths_find_data ("meson.build");
  g_assert_cmpstr (built, ==, SOURCEDIR "/data/meson.build");
  nowhere = interp_paths_find_data ("kernels/no-such.kernel");
  g_assert_null (nowhere);
  outside = interp_paths_find_data ("../shipped/kernels/x.kernel");
  g_assert_null (outside);
  absolute = interp_paths_find_data ("/etc/passwd");
  g_assert_null (absolute);
  g_unsetenv ("INTERP_DATADIR");
}

static void
test_find_program (void)
{
  g_assert_null (interp_paths_find_program ("no-such-program"));
  g_assert_null (interp_paths_find_program ("../../bin/sh"));
  g_assert_null (interp_paths_find_program ("/bin/sh"));
  g_assert_null (interp_paths_find_program (""));
}

static void
assert_display (const char *path, const char *expected)
{
  g_autofree char *shown = interp_paths_display (path);

  g_assert_cmpstr (shown, ==, expected);
}

static void
test_display (void)
{
  g_autofree char *inside = g_build_filename (root, "home", "a", "b", NULL);
  g_autofree char *home = g_build_filename (root, "home", NULL);
  g_autofree char *sibling = g_strconcat (home, "2/x", NULL);

  assert_display (inside, "~/a/b");
  assert_display (home, "~");
  assert_display (sibling, sibling);
  assert_display ("/", "/");
  assert_display ("", "");
}

static void
test_write (void)
{
  g_autofree char *path = g_build_filename (root, "new", "folder", "file", NULL);
  g_autofree char *below = g_build_filename (path, "impossible", NULL);
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  gsize length = 0;
  struct stat info;

  g_assert_true (interp_paths_write_atomically (path, "first, which is longer", -1, &error));
  g_assert_no_error (error);
  g_assert_true (interp_paths_write_atomically (path, "a\0b", 3, &error));
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (path, &text, &length, NULL));
  g_assert_cmpmem (text, length, "a\0b", 3);
  g_assert_cmpint (g_stat (path, &info), ==, 0);
  g_assert_cmpint (info.st_mode & 0777, ==, 0600);

  g_assert_false (interp_paths_write_atomically (below, "x", -1, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_NOTDIR);
}

int
main (int argc, char *argv[])
{
  static const char *const folders[][2] = { { "XDG_DATA_HOME", "data" },
                                            { "XDG_CONFIG_HOME", "config" },
                                            { "XDG_CACHE_HOME", "cache" },
                                            { "XDG_RUNTIME_DIR", "runtime" },
                                            { "HOME", "home" } };
  int result;

  root = g_dir_make_tmp ("interp-paths-XXXXXX", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (folders); i++)
    {
      g_autofree char *folder = g_build_filename (root, folders[i][1], NULL);

      g_mkdir (folder, 0755);
      g_setenv (folders[i][0], folder, TRUE);
    }

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/paths/folders", test_folders);
  g_test_add_func ("/base/paths/find-data", test_find_data);
  g_test_add_func ("/base/paths/find-program", test_find_program);
  g_test_add_func ("/base/paths/display", test_display);
  g_test_add_func ("/base/paths/write", test_write);
  result = g_test_run ();
  {
    g_autofree char *command = g_strdup_printf ("rm -rf '%s'", root);

    g_spawn_command_line_sync (command, NULL, NULL, NULL, NULL);
  }
  return result;
}
