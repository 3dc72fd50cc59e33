/* test-store-damage.c: damaged, foreign, newer, older, unwritable
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/interp-clock.h"
#include "store-test-util.h"
#include "store/interp-store-schema.h"

#define NOW G_GINT64_CONSTANT (1760000000000) /* 2025-10-09 08:53:20 UTC */
#define N_CHATS 40
#define N_ITEMS 25

typedef struct
{
  char *folder;
  char *path;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->folder = test_folder_new ();
  fixture->path = g_build_filename (fixture->folder, "conversations.db", NULL);
  interp_clock_set_fake (NOW);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  interp_clock_set_real ();
  g_free (fixture->path);
  test_folder_free (fixture->folder);
}

/* A store large enough that its tables have inner pages. */
static void
fill (Fixture *fixture)
{
  InterpStore *store = test_open (fixture->folder);
  g_autofree char *filler = g_strnfill (900, 'x');

  for (int i = 0; i < N_CHATS; i++)
    {
      g_autofree char *title = g_strdup_printf ("chat %d", i);
      gint64 chat = test_add_chat (store, title);
      gint64 parent = 0;

      for (int j = 0; j < N_ITEMS; j++)
        {
          g_autofree char *text = g_strdup_printf ("text %d.%d %s", i, j, filler);

          parent = test_add_item (store, chat, parent, text);
        }
    }
  test_close (store);
}

static void
overwrite (const char *path, goffset offset, const void *bytes, gsize length)
{
  int fd = open (path, O_WRONLY | O_CLOEXEC);

  g_assert_cmpint (fd, >=, 0);
  g_assert_cmpint (pwrite (fd, bytes, length, offset), ==, length);
  close (fd);
}

static void
sql (const char *path, const char *statements)
{
  sqlite3 *handle = NULL;

  g_assert_cmpint (sqlite3_open (path, &handle), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (handle, statements, NULL, NULL, NULL), ==, SQLITE_OK);
  sqlite3_close (handle);
}

static guint
count_chats (InterpStore *store)
{
  g_autoptr (GPtrArray) rows = test_array (interp_store_list_chats (store));

  return rows->len;
}

static void
assert_set_aside (Fixture *fixture, InterpStore *store)
{
  g_autofree char *aside = g_build_filename (fixture->folder, "conversations.damaged-20251009-085320.db", NULL);

  g_assert_true (g_file_test (aside, G_FILE_TEST_EXISTS));
  g_assert_nonnull (interp_store_get_notice (store));
  g_assert_nonnull (strstr (interp_store_get_notice (store), "conversations.damaged-20251009-085320.db"));
  g_assert_false (interp_store_is_read_only (store));
}

/* It works as if nothing had been, and the next start has nothing to say. */
static void
assert_usable (Fixture *fixture, InterpStore *store)
{
  gint64 chat = test_add_chat (store, "after");
  guint n_chats = count_chats (store);

  test_add_item (store, chat, 0, "after the damage");
  test_close (store);
  store = test_open (fixture->folder);
  g_assert_null (interp_store_get_notice (store));
  g_assert_cmpuint (count_chats (store), ==, n_chats);
  test_close (store);
}

static void
test_garbage_header (Fixture *fixture, gconstpointer data)
{
  InterpStore *store;

  fill (fixture);
  overwrite (fixture->path, 0, "this is no database at all, is it?", 34);
  store = test_open (fixture->folder);
  assert_set_aside (fixture, store);
  g_assert_cmpuint (count_chats (store), ==, 0);
  assert_usable (fixture, store);
}

static void
test_text_file (Fixture *fixture, gconstpointer data)
{
  InterpStore *store;

  g_assert_true (g_file_set_contents (fixture->path, "hello\n", -1, NULL));
  store = test_open (fixture->folder);
  assert_set_aside (fixture, store);
  assert_usable (fixture, store);
}

static void
test_foreign_database (Fixture *fixture, gconstpointer data)
{
  InterpStore *store;

  sql (fixture->path, "CREATE TABLE chat (something TEXT); INSERT INTO chat VALUES ('else');");
  store = test_open (fixture->folder);
  assert_set_aside (fixture, store);
  assert_usable (fixture, store);
}

static void
test_empty_file (Fixture *fixture, gconstpointer data)
{
  InterpStore *store;

  g_assert_true (g_file_set_contents (fixture->path, "", 0, NULL));
  store = test_open (fixture->folder);
  g_assert_null (interp_store_get_notice (store));
  assert_usable (fixture, store);
}

static void
test_truncated (Fixture *fixture, gconstpointer data)
{
  GStatBuf status;
  InterpStore *store;
  guint n_chats;

  fill (fixture);
  g_assert_cmpint (g_stat (fixture->path, &status), ==, 0);
  g_assert_cmpint (truncate (fixture->path, status.st_size / 2 / 4096 * 4096), ==, 0);
  store = test_open (fixture->folder);
  assert_set_aside (fixture, store);
  n_chats = count_chats (store);
  g_assert_cmpuint (n_chats, >, 0); /* what could be read */
  g_assert_cmpuint (n_chats, <=, N_CHATS);
  assert_usable (fixture, store);
}

/* A page in the middle: met while reading, mended at the next start. */
static void
test_damaged_page (Fixture *fixture, gconstpointer data)
{
  g_autofree char *contents = NULL;
  g_autofree char *noise = g_strnfill (4096, '\xa5');
  g_autofree char *mark = g_build_filename (fixture->folder, "conversations.check", NULL);
  char *found;
  gsize length;
  InterpStore *store;
  gint64 broken = 0;
  gboolean alive = TRUE;

  fill (fixture);
  g_assert_true (g_file_get_contents (fixture->path, &contents, &length, NULL));
  found = memmem (contents, length, "text 20.12 ", strlen ("text 20.12 "));
  g_assert_nonnull (found);
  overwrite (fixture->path, (found - contents) / 4096 * 4096, noise, 4096);

  store = test_open (fixture->folder);
  g_assert_null (interp_store_get_notice (store));
  g_assert_cmpuint (count_chats (store), ==, N_CHATS);
  for (gint64 chat = 1; chat <= N_CHATS && alive; chat++)
    {
      g_autoptr (DexFuture) future = test_wait (interp_store_load_branch (store, chat, 0, 0));
      g_autoptr (GError) error = NULL;

      if (dex_future_get_value (future, &error) == NULL)
        {
          g_assert_error (error, INTERP_STORE_ERROR, INTERP_STORE_ERROR_DAMAGED);
          broken = chat;
          alive = FALSE;
        }
    }
  g_assert_cmpint (broken, ==, 21);
  g_assert_true (g_file_test (mark, G_FILE_TEST_EXISTS));
  test_close (store);

  store = test_open (fixture->folder);
  assert_set_aside (fixture, store);
  g_assert_false (g_file_test (mark, G_FILE_TEST_EXISTS));
  g_assert_cmpuint (count_chats (store), ==, N_CHATS);
  for (gint64 chat = 1; chat <= N_CHATS; chat++)
    {
      g_autoptr (GPtrArray) rows = test_array (interp_store_load_branch (store, chat, 0, 0));

      /* The damage touches items of at most the neighbours. */
      if (ABS (chat - broken) > 1)
        g_assert_cmpuint (rows->len, ==, N_ITEMS);
      else
        g_assert_cmpuint (rows->len, >, 0);
    }
  assert_usable (fixture, store);
}

/* Only the search index: made anew, nothing set aside. */
static void
test_damaged_index (Fixture *fixture, gconstpointer data)
{
  g_autofree char *mark = g_build_filename (fixture->folder, "conversations.check", NULL);
  g_autoptr (GPtrArray) hits = NULL;
  InterpStore *store;

  fill (fixture);
  sql (fixture->path, "DELETE FROM text_search_data WHERE id > 1000; UPDATE text_search_data SET block = "
                      "x'00ff00ff' WHERE id > 10;");
  g_assert_true (g_file_set_contents (mark, "", 0, NULL));
  store = test_open (fixture->folder);
  g_assert_null (interp_store_get_notice (store));
  hits = test_array (interp_store_search (store, "20.12", 10));
  g_assert_cmpuint (hits->len, ==, 1);
  assert_usable (fixture, store);
}

/* Bytes of the file overwritten anywhere: it always opens, or says why, and never ends the program. */
static void
test_any_damage (Fixture *fixture, gconstpointer data)
{
  g_autofree char *whole = NULL;
  gsize length;

  fill (fixture);
  g_assert_true (g_file_get_contents (fixture->path, &whole, &length, NULL));
  for (int round = 0; round < 40; round++)
    {
      g_autofree char *bytes = g_memdup2 (whole, length);
      g_autoptr (DexFuture) opened = NULL;
      g_autoptr (GError) error = NULL;
      g_autoptr (GPtrArray) rows = NULL;
      const GValue *value;

      for (int i = 0; i < 20; i++)
        bytes[g_test_rand_int_range (0, round % 2 == 0 ? 8192 : length)] = g_test_rand_int_range (0, 256);
      g_assert_true (g_file_set_contents (fixture->path, bytes, length, NULL));
      opened = test_wait (interp_store_open (fixture->folder));
      value = dex_future_get_value (opened, &error);
      if (value != NULL)
        {
          InterpStore *store = g_value_dup_object (value);

          for (gint64 chat = 1; chat <= N_CHATS; chat++)
            dex_unref (test_wait (interp_store_load_branch (store, chat, 0, 0)));
          dex_unref (test_wait (interp_store_search (store, "text", 10)));
          dex_unref (test_wait (interp_store_list_chats (store)));
          dex_clear (&opened);
          test_close (store);
        }
      else
        g_assert_true (error->domain == INTERP_STORE_ERROR);
      interp_clock_advance (1000);
    }
}

/* While another process uses it, a damaged file stays where it is. */
static void
test_damaged_in_use (Fixture *fixture, gconstpointer data)
{
  InterpStore *store;

  fill (fixture);
  store = test_open (fixture->folder);
  overwrite (fixture->path, 0, "this is no database at all, is it?", 34);
  g_free (test_error (interp_store_open (fixture->folder), INTERP_STORE_ERROR_DAMAGED));
  g_assert_true (g_file_test (fixture->path, G_FILE_TEST_EXISTS));
  dex_unref (test_wait (interp_store_close (store)));
  g_object_unref (store);
}

static void
test_newer (Fixture *fixture, gconstpointer data)
{
  g_autofree char *message = NULL;
  g_autoptr (GPtrArray) rows = NULL;
  InterpChatRow row = { .title = (char *) "new" };
  InterpStore *store;

  fill (fixture);
  sql (fixture->path, "PRAGMA user_version = 1000; ALTER TABLE chat ADD COLUMN hue TEXT");
  store = test_open (fixture->folder);
  g_assert_true (interp_store_is_read_only (store));
  g_assert_nonnull (interp_store_get_notice (store));
  g_assert_cmpuint (count_chats (store), ==, N_CHATS);
  rows = test_array (interp_store_load_branch (store, 1, 0, 0));
  g_assert_cmpuint (rows->len, ==, N_ITEMS);
  message = test_error (interp_store_add_chat (store, &row), INTERP_STORE_ERROR_NEWER);
  g_assert_false (interp_store_lock_chat (store, 1));
  test_true (interp_store_tidy (store));
  test_close (store);

  /* Nor one whose tables we do not know. */
  sql (fixture->path, "DROP TABLE chat");
  g_free (test_error (interp_store_open (fixture->folder), INTERP_STORE_ERROR_NEWER));
  g_assert_true (g_file_test (fixture->path, G_FILE_TEST_EXISTS));
}

/* Each past schema stands in a file; all of them become the present one with their rows. */
static void
test_older (Fixture *fixture, gconstpointer data)
{
  for (int version = 1; version <= interp_store_schema_version (); version++)
    {
      g_autofree char *name = g_strdup_printf ("version-%d.sql", version);
      g_autofree char *source = g_test_build_filename (G_TEST_DIST, "unit", "store", "schemas", name, NULL);
      g_autofree char *statements = NULL;
      g_autoptr (GError) error = NULL;
      g_autoptr (GPtrArray) rows = NULL;
      g_autoptr (GPtrArray) hits = NULL;
      InterpItemRow row = { .id = 2, .state = (char *) "complete", .text = (char *) "changed" };
      InterpDatabase *database;
      InterpStore *store;

      g_file_get_contents (source, &statements, NULL, &error);
      g_assert_no_error (error);
      g_unlink (fixture->path);
      /* Our connection knows the search tables' tokenizer. */
      database = interp_database_open (fixture->path, INTERP_DATABASE_WRITE, &error);
      g_assert_no_error (error);
      interp_database_script (database, statements, &error);
      g_assert_no_error (error);
      interp_database_close (database);

      store = test_open (fixture->folder);
      g_assert_null (interp_store_get_notice (store));
      rows = test_array (interp_store_load_branch (store, 1, 0, 0));
      g_assert_cmpuint (rows->len, ==, 2);
      g_assert_cmpstr (((InterpItemRow *) g_ptr_array_index (rows, 0))->text, ==, "question");
      g_assert_cmpstr (((InterpItemRow *) g_ptr_array_index (rows, 1))->text, ==, "answer in pieces");
      hits = test_array (interp_store_search (store, "question", 10));
      g_assert_cmpuint (hits->len, ==, 1);
      test_true (interp_store_update_item (store, &row));
      assert_usable (fixture, store);
    }
}

static void
test_negative_version (Fixture *fixture, gconstpointer data)
{
  InterpStore *store;

  fill (fixture);
  sql (fixture->path, "PRAGMA user_version = -5");
  store = test_open (fixture->folder);
  assert_set_aside (fixture, store);
  test_close (store);
}

/* ---- folders and disks ---- */

/* Root may write anywhere: these run as an ordinary user then. */
static gboolean
become_ordinary (const char *folder)
{
  if (geteuid () != 0)
    return TRUE;
  return chown (folder, 65534, 65534) == 0 && seteuid (65534) == 0;
}

static void
become_self (void)
{
  if (getuid () == 0)
    g_assert_cmpint (seteuid (0), ==, 0);
}

static void
test_read_only_folder (Fixture *fixture, gconstpointer data)
{
  InterpChatRow row = { .title = (char *) "new" };
  InterpStore *store;

  if (!become_ordinary (fixture->folder))
    {
      g_test_skip ("cannot run as an ordinary user here");
      return;
    }
  fill (fixture);
  g_assert_cmpint (chmod (fixture->folder, 0500), ==, 0);
  g_assert_cmpint (chmod (fixture->path, 0400), ==, 0);
  {
    g_autofree char *lock = g_build_filename (fixture->folder, "conversations.lock", NULL);

    g_assert_cmpint (chmod (lock, 0400), ==, 0);
  }
  store = test_open (fixture->folder);
  g_assert_true (interp_store_is_read_only (store));
  g_assert_nonnull (strstr (interp_store_get_notice (store), fixture->folder));
  g_assert_cmpuint (count_chats (store), ==, N_CHATS);
  g_free (test_error (interp_store_add_chat (store, &row), INTERP_STORE_ERROR_READ_ONLY));
  test_close (store);
  g_assert_cmpint (chmod (fixture->folder, 0700), ==, 0);
  become_self ();
}

static void
test_unwritable_folder (Fixture *fixture, gconstpointer data)
{
  g_autofree char *message = NULL;

  if (!become_ordinary (fixture->folder))
    {
      g_test_skip ("cannot run as an ordinary user here");
      return;
    }
  g_assert_cmpint (chmod (fixture->folder, 0500), ==, 0);
  message = test_error (interp_store_open (fixture->folder), INTERP_STORE_ERROR_READ_ONLY);
  g_assert_nonnull (strstr (message, fixture->folder));
  g_assert_cmpint (chmod (fixture->folder, 0700), ==, 0);
  become_self ();
}

static void
test_file_for_folder (Fixture *fixture, gconstpointer data)
{
  g_autofree char *file = g_build_filename (fixture->folder, "file", NULL);

  g_assert_true (g_file_set_contents (file, "x", 1, NULL));
  g_free (test_error (interp_store_open (file), INTERP_STORE_ERROR_FAILED));
}

/* Files may grow no further: as a full disk, but no file system is needed. */
static void
test_full_disk (Fixture *fixture, gconstpointer data)
{
  struct rlimit old, limit;
  g_autofree char *big = g_strnfill (4 * 1024 * 1024, 'x');
  g_autofree char *message = NULL;
  g_autofree char *blob_message = NULL;
  g_autoptr (GPtrArray) rows = NULL;
  g_autoptr (GBytes) bytes = g_bytes_new (big, 4 * 1024 * 1024);
  InterpStore *store = test_open (fixture->folder);
  gint64 chat = test_add_chat (store, "full");
  gint64 item = test_add_item (store, chat, 0, "before");
  DexFuture *fine, *too_much, *after;

  signal (SIGXFSZ, SIG_IGN);
  g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &old), ==, 0);
  limit = old;
  limit.rlim_cur = 1024 * 1024;
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);

  fine = interp_store_append (store, item, ", a little");
  test_true (fine);
  too_much = interp_store_append (store, item, big);
  message = test_error (too_much, INTERP_STORE_ERROR_FULL);
  blob_message = test_error (interp_store_put_blob (store, bytes, "bin"), INTERP_STORE_ERROR_FULL);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &old), ==, 0);

  after = interp_store_append (store, item, ", more");
  test_true (after);
  rows = test_array (interp_store_load_branch (store, chat, 0, 0));
  g_assert_cmpstr (((InterpItemRow *) g_ptr_array_index (rows, 0))->text, ==, "before, a little, more");
  test_close (store);
  {
    g_autofree char *blobs = g_build_filename (fixture->folder, "blobs", NULL);
    g_autoptr (GDir) dir = g_dir_open (blobs, 0, NULL);

    g_assert_cmpstr (g_dir_read_name (dir), ==, NULL);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  dex_init ();
#define ADD(name, func) g_test_add ("/store-damage/" name, Fixture, NULL, set_up, func, tear_down)
  ADD ("garbage-header", test_garbage_header);
  ADD ("text-file", test_text_file);
  ADD ("foreign-database", test_foreign_database);
  ADD ("empty-file", test_empty_file);
  ADD ("truncated", test_truncated);
  ADD ("damaged-page", test_damaged_page);
  ADD ("damaged-index", test_damaged_index);
  ADD ("any-damage", test_any_damage);
  ADD ("damaged-in-use", test_damaged_in_use);
  ADD ("newer", test_newer);
  ADD ("older", test_older);
  ADD ("negative-version", test_negative_version);
  ADD ("read-only-folder", test_read_only_folder);
  ADD ("unwritable-folder", test_unwritable_folder);
  ADD ("file-for-folder", test_file_for_folder);
  ADD ("full-disk", test_full_disk);
  return g_test_run ();
}
