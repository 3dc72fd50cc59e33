/* test-store-blobs.c: files beside the rows
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/interp-clock.h"
#include "store-test-util.h"

#define DAY (24 * 60 * 60 * G_GINT64_CONSTANT (1000))

static char *
put (TestStore *fixture, const char *text, const char *extension)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));

  return test_string (interp_store_put_blob (fixture->store, bytes, extension));
}

static void
test_put (TestStore *fixture, gconstpointer data)
{
  g_autofree char *first = put (fixture, "abc", "png");
  g_autofree char *same = put (fixture, "abc", ".PNG");
  g_autofree char *other = put (fixture, "abd", NULL);
  g_autofree char *hostile = put (fixture, "abe", "../../etc/x");
  g_autofree char *contents = NULL;
  GStatBuf status;

  g_assert_true (
      g_str_has_suffix (first, "/blobs/ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad.png"));
  g_assert_cmpstr (first, ==, same);
  g_assert_true (g_file_get_contents (first, &contents, NULL, NULL));
  g_assert_cmpstr (contents, ==, "abc");
  g_assert_cmpint (g_stat (first, &status), ==, 0);
  g_assert_cmpint (status.st_mode & 0777, ==, 0600);
  g_assert_null (strchr (strrchr (other, '/'), '.'));
  g_assert_true (g_str_has_suffix (hostile, ".etcx"));
}

static void
test_put_file (TestStore *fixture, gconstpointer data)
{
  g_autofree char *source = g_build_filename (fixture->folder, "chart.png", NULL);
  g_autofree char *big = g_strnfill (1000000, 'y');
  g_autofree char *path = NULL;
  g_autofree char *missing = NULL;
  g_autofree char *pipe = g_build_filename (fixture->folder, "pipe", NULL);
  g_autofree char *contents = NULL;
  gsize length;

  g_assert_true (g_file_set_contents (source, big, -1, NULL));
  path = test_string (interp_store_put_file (fixture->store, source, "png"));
  g_unlink (source);
  g_assert_true (g_file_get_contents (path, &contents, &length, NULL));
  g_assert_cmpuint (length, ==, 1000000);
  g_assert_cmpstr (contents, ==, big);

  missing = test_error (interp_store_put_file (fixture->store, source, "png"), INTERP_STORE_ERROR_FAILED);
  g_assert_nonnull (strstr (missing, source));
  g_assert_cmpint (mkfifo (pipe, 0600), ==, 0);
  g_free (test_error (interp_store_put_file (fixture->store, pipe, "png"), INTERP_STORE_ERROR_FAILED));
  g_free (test_error (interp_store_put_file (fixture->store, fixture->folder, "png"), INTERP_STORE_ERROR_FAILED));
}

static void
test_collect (TestStore *fixture, gconstpointer data)
{
  g_autofree char *used = put (fixture, "used", "png");
  g_autofree char *used_by_chat = put (fixture, "used by a chat", NULL);
  g_autofree char *unused = put (fixture, "unused", "png");
  g_autofree char *left = g_build_filename (fixture->folder, "blobs", ".new-AAAAAA", NULL);
  g_autofree char *own = g_build_filename (fixture->folder, "blobs", "README", NULL);
  g_autofree char *item_data = g_strdup_printf ("{\"displays\":[{\"path\":\"%s\"}]}", used);
  g_autofree char *chat_data = g_strdup_printf ("{\"picture\":\"%s\"}", used_by_chat);
  InterpChatRow chat = { .title = (char *) "", .data = chat_data };
  InterpItemRow item = { .kind = (char *) "cell", .data = item_data };

  item.chat = test_int (interp_store_add_chat (fixture->store, &chat));
  test_int (interp_store_add_item (fixture->store, &item, TRUE));
  g_assert_true (g_file_set_contents (left, "half", -1, NULL));
  g_assert_true (g_file_set_contents (own, "not ours", -1, NULL));

  /* Not yet: what was put today may be named by a row that is still to come. */
  test_true (interp_store_tidy (fixture->store));
  g_assert_true (g_file_test (unused, G_FILE_TEST_EXISTS));

  interp_clock_set_fake (g_get_real_time () / 1000 + 3 * DAY);
  test_true (interp_store_tidy (fixture->store));
  g_assert_false (g_file_test (unused, G_FILE_TEST_EXISTS));
  g_assert_false (g_file_test (left, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_test (used, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_test (used_by_chat, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_test (own, G_FILE_TEST_EXISTS));
}

static void
test_logs (TestStore *fixture, gconstpointer data)
{
  gint64 chat = test_add_chat (fixture->store, "logs");
  g_autofree char *first = interp_store_get_log_folder (fixture->store, chat);
  g_autofree char *second = interp_store_get_log_folder (fixture->store, chat);
  g_autofree char *file = g_build_filename (first, "1.log", NULL);
  g_autofree char *gone = interp_store_get_log_folder (fixture->store, chat + 1);
  g_autofree char *outside = g_build_filename (fixture->folder, "outside", NULL);
  g_autofree char *link = g_build_filename (gone, "link", NULL);
  GStatBuf status;

  g_assert_cmpstr (first, !=, second);
  g_assert_cmpint (g_stat (first, &status), ==, 0);
  g_assert_cmpint (status.st_mode & 0777, ==, 0700);
  g_assert_true (g_file_set_contents (file, "out", -1, NULL));
  g_assert_cmpint (g_mkdir (outside, 0700), ==, 0);
  g_assert_cmpint (symlink (outside, link), ==, 0);

  test_true (interp_store_tidy (fixture->store));
  g_assert_true (g_file_test (file, G_FILE_TEST_EXISTS));
  g_assert_false (g_file_test (gone, G_FILE_TEST_EXISTS)); /* no such chat */
  g_assert_true (g_file_test (outside, G_FILE_TEST_EXISTS));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  dex_init ();
#define ADD(name, func) \
  g_test_add ("/store-blobs/" name, TestStore, NULL, test_store_set_up, func, test_store_tear_down)
  ADD ("put", test_put);
  ADD ("put-file", test_put_file);
  ADD ("collect", test_collect);
  ADD ("logs", test_logs);
  return g_test_run ();
}
