/* test-kernel-files.c: what is taken from a kernel's folder, and what is not
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "kernel/interp-kernel-files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

static char *keep_folder;

static DexFuture *
take (const char *path, const char *inside /* nullable: anywhere, and it stays */, const char *to_folder,
      gsize max_bytes)
{
  DexFuture *future = interp_kernel_files_take (path, inside ? inside : "/", inside != NULL, to_folder, max_bytes);

  while (dex_future_is_pending (future))
    g_main_context_iteration (NULL, TRUE);
  return future;
}

static gboolean
is_refused (const char *path, const char *inside, gsize max_bytes)
{
  g_autoptr (DexFuture) future = take (path, inside, keep_folder, max_bytes);

  return dex_future_is_rejected (future);
}

static void
test_cell (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *spool = interp_kernel_files_make_spool (&error);
  g_autofree char *path = NULL, *again = NULL, *text = NULL;
  GStatBuf status;

  g_assert_no_error (error);
  g_assert_cmpint (g_stat (spool, &status), ==, 0);
  g_assert_cmpint (status.st_mode & 0777, ==, 0700);
  path = interp_kernel_files_write_cell (spool, 7, ".py", "x = 'é'\n", &error);
  g_assert_no_error (error);
  g_assert_cmpint (g_stat (path, &status), ==, 0);
  g_assert_cmpint (status.st_mode & 0777, ==, 0600);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "x = 'é'\n");
  /* Nothing that is there already is written to. */
  again = interp_kernel_files_write_cell (spool, 7, ".py", "other", &error);
  g_assert_null (again);
  g_assert_nonnull (error);
  interp_kernel_files_remove_spool (spool);
  while (g_file_test (spool, G_FILE_TEST_EXISTS))
    g_usleep (1000);
}

static void
test_take (void)
{
  g_autofree char *spool = interp_kernel_files_make_spool (NULL);
  g_autofree char *good = g_build_filename (spool, "chart.png", NULL);
  g_autofree char *outside = g_build_filename (keep_folder, "outside.png", NULL);
  g_autofree char *link = g_build_filename (spool, "link.png", NULL);
  g_autofree char *folder_link = g_build_filename (spool, "folder", NULL);
  g_autofree char *through = g_build_filename (spool, "folder", "outside.png", NULL);
  g_autofree char *dots = g_build_filename (spool, "..", "x.png", NULL);
  g_autofree char *fifo = g_build_filename (spool, "fifo.png", NULL);
  g_autofree char *text = NULL;
  g_autoptr (DexFuture) taken = NULL;
  g_autoptr (DexFuture) read = NULL;
  const char *kept;

  g_file_set_contents (good, "picture", -1, NULL);
  g_file_set_contents (outside, "secret", -1, NULL);
  g_assert_cmpint (symlink (outside, link), ==, 0);
  g_assert_cmpint (symlink (keep_folder, folder_link), ==, 0);
  g_assert_cmpint (mkfifo (fifo, 0600), ==, 0);

  g_assert_true (is_refused (outside, spool, 100));
  g_assert_true (is_refused (link, spool, 100));
  g_assert_true (is_refused (through, spool, 100));
  g_assert_true (is_refused (dots, spool, 100));
  g_assert_true (is_refused (fifo, spool, 100));
  g_assert_true (is_refused (spool, NULL, 100));
  g_assert_true (is_refused ("relative.png", spool, 100));
  g_assert_true (is_refused ("/nonexistent.png", NULL, 100));
  g_assert_true (is_refused (outside, NULL, 3));
  g_assert_true (g_file_test (outside, G_FILE_TEST_EXISTS));

  taken = take (good, spool, keep_folder, 7);
  kept = g_value_get_string (dex_future_get_value (taken, NULL));
  g_assert_true (g_str_has_prefix (kept, keep_folder));
  g_assert_true (g_str_has_suffix (kept, ".png"));
  g_assert_true (g_file_get_contents (kept, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "picture");
  g_assert_false (g_file_test (good, G_FILE_TEST_EXISTS));

  read = take (outside, NULL, NULL, 100);
  g_assert_cmpuint (g_bytes_get_size (g_value_get_boxed (dex_future_get_value (read, NULL))), ==, 6);
  interp_kernel_files_remove_spool (spool);
  while (g_file_test (spool, G_FILE_TEST_EXISTS))
    g_usleep (1000);
  /* Links were removed, not what they lead to. */
  g_assert_true (g_file_test (outside, G_FILE_TEST_EXISTS));
}

int
main (int argc, char **argv)
{
  g_autofree char *home = g_dir_make_tmp ("files-test-XXXXXX", NULL);
  g_autofree char *command = g_strdup_printf ("rm -rf '%s'", home);
  int result;

  g_setenv ("HOME", home, TRUE);
  g_setenv ("XDG_CACHE_HOME", home, TRUE);
  g_setenv ("XDG_RUNTIME_DIR", home, TRUE);
  keep_folder = g_build_filename (home, "kept", NULL);
  g_mkdir (keep_folder, 0700);
  g_test_init (&argc, &argv, NULL);
  dex_init ();
  g_test_add_func ("/kernel/files/cell", test_cell);
  g_test_add_func ("/kernel/files/take", test_take);
  result = g_test_run ();
  g_spawn_command_line_sync (command, NULL, NULL, NULL, NULL);
  g_free (keep_folder);
  return result;
}
