/* test-store.c: rows written and read back
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <glib/gstdio.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include "base/interp-clock.h"
#include "store-test-util.h"

#define NOW G_GINT64_CONSTANT (1760000000000)
#define DAY (24 * 60 * 60 * G_GINT64_CONSTANT (1000))

static void
reopen (TestStore *fixture)
{
  test_close (g_steal_pointer (&fixture->store));
  fixture->store = test_open (fixture->folder);
}

/* ---- chats ---- */

static void
test_chat (TestStore *fixture, gconstpointer data)
{
  g_autoptr (InterpChatRow) row = interp_chat_row_new ();
  g_autoptr (InterpChatRow) read = NULL;
  g_autofree char *message = NULL;
  gint64 id;

  row->title = g_strdup ("Plot “sales” 日本");
  row->folder = g_strdup ("/home/a");
  row->model = g_strdup ("ollama/x");
  row->mode = g_strdup ("ask");
  row->draft = g_strdup ("half a sen");
  row->data = g_strdup ("{\"a\":1}");
  row->created = NOW;
  row->updated = NOW + 1;
  id = test_int (interp_store_add_chat (fixture->store, row));
  g_assert_cmpint (id, >, 0);

  row->id = id;
  g_set_str (&row->title, "Renamed");
  row->pinned = TRUE;
  row->updated = NOW + 2;
  test_true (interp_store_update_chat (fixture->store, row));
  test_true (interp_store_set_draft (fixture->store, id, "new draft"));
  reopen (fixture);

  read = test_boxed (interp_store_get_chat (fixture->store, id));
  g_assert_cmpstr (read->title, ==, "Renamed");
  g_assert_cmpstr (read->folder, ==, "/home/a");
  g_assert_cmpstr (read->model, ==, "ollama/x");
  g_assert_cmpstr (read->mode, ==, "ask");
  g_assert_cmpstr (read->draft, ==, "new draft");
  g_assert_cmpstr (read->data, ==, "{\"a\":1}");
  g_assert_cmpint (read->created, ==, NOW);
  g_assert_cmpint (read->updated, ==, NOW + 2);
  g_assert_true (read->pinned);

  message = test_error (interp_store_get_chat (fixture->store, id + 1), INTERP_STORE_ERROR_NOT_FOUND);
  g_clear_pointer (&message, g_free);
  message = test_error (interp_store_set_draft (fixture->store, id + 1, "x"), INTERP_STORE_ERROR_NOT_FOUND);
}

static void
test_list (TestStore *fixture, gconstpointer data)
{
  static const char *const expected[] = { "pinned", "newest", "middle", "oldest" };
  g_autoptr (GPtrArray) rows = NULL;
  gint64 gone = 0;

  for (int i = 0; i < 5; i++)
    {
      static const char *const titles[] = { "pinned", "oldest", "newest", "gone", "middle" };
      static const gint64 times[] = { 1, 2, 9, 8, 5 };
      InterpChatRow row = { .title = (char *) titles[i], .created = NOW, .updated = NOW + times[i], .pinned = i == 0 };
      gint64 id = test_int (interp_store_add_chat (fixture->store, &row));

      if (i == 3)
        gone = id;
    }
  test_true (interp_store_set_deleted (fixture->store, gone, TRUE));
  rows = test_array (interp_store_list_chats (fixture->store));
  g_assert_cmpuint (rows->len, ==, 4);
  for (guint i = 0; i < rows->len; i++)
    g_assert_cmpstr (((InterpChatRow *) g_ptr_array_index (rows, i))->title, ==, expected[i]);

  test_true (interp_store_set_deleted (fixture->store, gone, FALSE));
  g_clear_pointer (&rows, g_ptr_array_unref);
  rows = test_array (interp_store_list_chats (fixture->store));
  g_assert_cmpuint (rows->len, ==, 5);
}

static void
test_purge (TestStore *fixture, gconstpointer data)
{
  g_autofree char *log = NULL;
  g_autofree char *message = NULL;
  g_autoptr (InterpChatRow) kept = NULL;
  gint64 old, recent, locked;

  interp_clock_set_fake (NOW);
  old = test_add_chat (fixture->store, "old");
  test_add_item (fixture->store, old, 0, "findable");
  log = interp_store_get_log_folder (fixture->store, old);
  g_assert_true (g_file_test (log, G_FILE_TEST_IS_DIR));
  recent = test_add_chat (fixture->store, "recent");
  locked = test_add_chat (fixture->store, "locked");
  test_true (interp_store_set_deleted (fixture->store, old, TRUE));
  test_true (interp_store_set_deleted (fixture->store, locked, TRUE));
  g_assert_true (interp_store_lock_chat (fixture->store, locked));
  interp_clock_advance (2 * DAY);
  test_true (interp_store_set_deleted (fixture->store, recent, TRUE));
  interp_clock_advance (29 * DAY);

  test_true (interp_store_tidy (fixture->store));
  message = test_error (interp_store_get_chat (fixture->store, old), INTERP_STORE_ERROR_NOT_FOUND);
  g_assert_false (g_file_test (log, G_FILE_TEST_EXISTS));
  kept = test_boxed (interp_store_get_chat (fixture->store, recent));
  interp_chat_row_free (test_boxed (interp_store_get_chat (fixture->store, locked)));
}

/* ---- items ---- */

static void
test_branches (TestStore *fixture, gconstpointer data)
{
  gint64 chat = test_add_chat (fixture->store, "branches");
  gint64 other = test_add_chat (fixture->store, "other");
  gint64 a = test_add_item (fixture->store, chat, 0, "a");
  gint64 b = test_add_item (fixture->store, chat, a, "b");
  gint64 c = test_add_item (fixture->store, chat, b, "c");
  gint64 b2 = test_add_item (fixture->store, chat, a, "b2");
  gint64 d = test_add_item (fixture->store, chat, c, "d");
  gint64 foreign = test_add_item (fixture->store, other, 0, "foreign");
  InterpItemRow wrong = { .chat = other, .parent = a };
  struct
  {
    gint64 head;
    guint limit;
    const char *expected;
  } cases[] = {
    { 0, 0, "abcd" }, { 0, 2, "cd" },     { b2, 0, "ab2" }, { c, 2, "bc" },
    { b, 1, "b" },    { foreign, 0, "" }, { 99999, 0, "" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GPtrArray) rows
          = test_array (interp_store_load_branch (fixture->store, chat, cases[i].head, cases[i].limit));
      g_autoptr (GString) texts = g_string_new (NULL);

      for (guint j = 0; j < rows->len; j++)
        g_string_append (texts, ((InterpItemRow *) g_ptr_array_index (rows, j))->text);
      g_assert_cmpstr (texts->str, ==, cases[i].expected);
    }

  {
    g_autoptr (GPtrArray) rows = test_array (interp_store_load_children (fixture->store, chat, a));

    g_assert_cmpuint (rows->len, ==, 2);
    g_assert_cmpint (((InterpItemRow *) g_ptr_array_index (rows, 0))->id, ==, b);
    g_assert_cmpint (((InterpItemRow *) g_ptr_array_index (rows, 1))->id, ==, b2);
    g_assert_cmpint (((InterpItemRow *) g_ptr_array_index (rows, 1))->parent, ==, a);
  }
  g_assert_cmpint (test_int (interp_store_find_leaf (fixture->store, a)), ==, d);
  g_assert_cmpint (test_int (interp_store_find_leaf (fixture->store, b2)), ==, b2);
  g_free (test_error (interp_store_find_leaf (fixture->store, 99999), INTERP_STORE_ERROR_NOT_FOUND));

  test_true (interp_store_set_head (fixture->store, chat, b2));
  {
    g_autoptr (GPtrArray) rows = test_array (interp_store_load_branch (fixture->store, chat, 0, 1));

    g_assert_cmpint (((InterpItemRow *) g_ptr_array_index (rows, 0))->id, ==, b2);
  }
  test_true (interp_store_set_head (fixture->store, chat, 0));
  g_free (test_error (interp_store_set_head (fixture->store, chat, foreign), INTERP_STORE_ERROR_NOT_FOUND));
  g_free (test_error (interp_store_add_item (fixture->store, &wrong, FALSE), INTERP_STORE_ERROR_NOT_FOUND));
  wrong = (InterpItemRow) { .chat = 99999 };
  g_free (test_error (interp_store_add_item (fixture->store, &wrong, FALSE), INTERP_STORE_ERROR_NOT_FOUND));
}

static void
test_deltas (TestStore *fixture, gconstpointer data)
{
  gint64 chat = test_add_chat (fixture->store, "deltas");
  InterpItemRow row
      = { .chat = chat, .kind = (char *) "assistant", .state = (char *) "open", .text = (char *) "begin " };
  g_autoptr (GPtrArray) futures = g_ptr_array_new_with_free_func (dex_unref);
  g_autoptr (GString) expected = g_string_new ("begin ");
  gint64 id = test_int (interp_store_add_item (fixture->store, &row, TRUE));
  gint64 n_deltas = -1;

  for (int i = 0; i < 1500; i++)
    {
      g_autofree char *text = g_strdup_printf ("%d. ", i);

      g_string_append (expected, text);
      g_ptr_array_add (futures, interp_store_append (fixture->store, id, text));
    }
  /* A read sees what was asked for before it, though nobody has waited for that. */
  {
    g_autoptr (GPtrArray) rows = test_array (interp_store_load_branch (fixture->store, chat, 0, 0));

    g_assert_cmpuint (rows->len, ==, 1);
    g_assert_cmpstr (((InterpItemRow *) g_ptr_array_index (rows, 0))->text, ==, expected->str);
    g_assert_cmpstr (((InterpItemRow *) g_ptr_array_index (rows, 0))->state, ==, "open");
  }
  for (guint i = 0; i < futures->len; i++)
    test_true (dex_ref (g_ptr_array_index (futures, i)));

  row.id = id;
  row.state = (char *) "complete";
  row.text = expected->str;
  row.data = (char *) "{\"done\":true}";
  test_true (interp_store_update_item (fixture->store, &row));
  reopen (fixture);
  {
    g_autoptr (GPtrArray) rows = test_array (interp_store_load_branch (fixture->store, chat, 0, 0));
    InterpItemRow *read = g_ptr_array_index (rows, 0);

    g_assert_cmpstr (read->text, ==, expected->str);
    g_assert_cmpstr (read->state, ==, "complete");
    g_assert_cmpstr (read->data, ==, "{\"done\":true}");
  }
  {
    g_autofree char *path = g_build_filename (fixture->folder, "conversations.db", NULL);
    sqlite3 *handle = NULL;
    sqlite3_stmt *statement = NULL;

    g_assert_cmpint (sqlite3_open (path, &handle), ==, SQLITE_OK);
    g_assert_cmpint (sqlite3_prepare_v2 (handle, "SELECT count (*) FROM delta", -1, &statement, NULL), ==, SQLITE_OK);
    g_assert_cmpint (sqlite3_step (statement), ==, SQLITE_ROW);
    n_deltas = sqlite3_column_int64 (statement, 0);
    sqlite3_finalize (statement);
    sqlite3_close (handle);
  }
  g_assert_cmpint (n_deltas, ==, 0);
  g_free (test_error (interp_store_append (fixture->store, id + 1, "x"), INTERP_STORE_ERROR_NOT_FOUND));
}

/* One that fails takes nothing of what shares its transaction with it. */
static void
test_mixed_batch (TestStore *fixture, gconstpointer data)
{
  gint64 chat = test_add_chat (fixture->store, "batch");
  gint64 id = test_add_item (fixture->store, chat, 0, "");
  DexFuture *first = interp_store_append (fixture->store, id, "one ");
  DexFuture *wrong = interp_store_append (fixture->store, id + 100, "lost");
  DexFuture *second = interp_store_append (fixture->store, id, "two");
  g_autoptr (GPtrArray) rows = NULL;

  test_true (first);
  g_free (test_error (wrong, INTERP_STORE_ERROR_NOT_FOUND));
  test_true (second);
  rows = test_array (interp_store_load_branch (fixture->store, chat, 0, 0));
  g_assert_cmpstr (((InterpItemRow *) g_ptr_array_index (rows, 0))->text, ==, "one two");
}

static void
test_long_chat (TestStore *fixture, gconstpointer data)
{
  enum
  {
    N = 10000
  };
  gint64 chat = test_add_chat (fixture->store, "long");
  DexFuture *last = NULL;
  gint64 parent = 0;
  gint64 first = test_add_item (fixture->store, chat, 0, "first");

  /* Ids are given in order: the parent of the next is known without waiting. */
  parent = first;
  for (int i = 1; i < N; i++)
    {
      g_autofree char *text = g_strdup_printf ("item %d", i);
      InterpItemRow row
          = { .chat = chat, .parent = parent++, .kind = (char *) "user", .state = (char *) "complete", .text = text };

      dex_clear (&last);
      last = interp_store_add_item (fixture->store, &row, TRUE);
    }
  g_assert_cmpint (test_int (last), ==, first + N - 1);
  {
    g_autoptr (GPtrArray) rows = test_array (interp_store_load_branch (fixture->store, chat, 0, 200));

    g_assert_cmpuint (rows->len, ==, 200);
    g_assert_cmpstr (((InterpItemRow *) g_ptr_array_index (rows, 199))->text, ==, "item 9999");
    g_assert_cmpstr (((InterpItemRow *) g_ptr_array_index (rows, 0))->text, ==, "item 9800");
  }
  {
    g_autoptr (GPtrArray) rows = test_array (interp_store_load_branch (fixture->store, chat, 0, 0));

    g_assert_cmpuint (rows->len, ==, N);
  }
  g_assert_cmpint (test_int (interp_store_find_leaf (fixture->store, first)), ==, first + N - 1);
}

/* Whatever is given, what is read is text. */
static void
test_hostile_text (TestStore *fixture, gconstpointer data)
{
  gint64 chat = test_add_chat (fixture->store, "Robert'); DROP TABLE chat;--\xff\xfe");
  gint64 id = test_add_item (fixture->store, chat, 0, "caf\xe9 \xed\xa0\x80 \x02\x03\x1b[31m");
  g_autoptr (GPtrArray) rows = NULL;
  g_autoptr (InterpChatRow) row = NULL;

  test_true (interp_store_append (fixture->store, id, "\xc3"));
  rows = test_array (interp_store_load_branch (fixture->store, chat, 0, 0));
  g_assert_true (g_utf8_validate (((InterpItemRow *) g_ptr_array_index (rows, 0))->text, -1, NULL));
  row = test_boxed (interp_store_get_chat (fixture->store, chat));
  g_assert_true (g_str_has_prefix (row->title, "Robert'); DROP TABLE chat;--"));
  g_assert_true (g_utf8_validate (row->title, -1, NULL));
}

/* ---- the whole ---- */

static void
test_closed (TestStore *fixture, gconstpointer data)
{
  DexFuture *last = NULL;
  gint64 chat = test_add_chat (fixture->store, "closing");
  gint64 id = test_add_item (fixture->store, chat, 0, "");
  g_autoptr (GPtrArray) rows = NULL;

  for (int i = 0; i < 100; i++)
    {
      dex_clear (&last);
      last = interp_store_append (fixture->store, id, "x");
    }
  test_true (interp_store_close (fixture->store));
  g_assert_false (dex_future_is_pending (last));
  test_true (last);
  g_free (test_error (interp_store_append (fixture->store, id, "x"), INTERP_STORE_ERROR_FAILED));
  g_free (test_error (interp_store_list_chats (fixture->store), INTERP_STORE_ERROR_FAILED));
  test_true (interp_store_close (fixture->store));
  g_clear_object (&fixture->store);

  fixture->store = test_open (fixture->folder);
  rows = test_array (interp_store_load_branch (fixture->store, chat, 0, 0));
  g_assert_cmpuint (strlen (((InterpItemRow *) g_ptr_array_index (rows, 0))->text), ==, 100);
}

/* Let go without being closed, it still writes what it was given. */
static void
test_dropped (TestStore *fixture, gconstpointer data)
{
  gint64 chat = test_add_chat (fixture->store, "dropped");
  DexFuture *future = interp_store_set_draft (fixture->store, chat, "kept");
  g_autoptr (InterpChatRow) row = NULL;

  g_clear_object (&fixture->store);
  test_true (future);
  fixture->store = test_open (fixture->folder);
  row = test_boxed (interp_store_get_chat (fixture->store, chat));
  g_assert_cmpstr (row->draft, ==, "kept");
}

static void
test_private_files (TestStore *fixture, gconstpointer data)
{
  static const char *const names[] = { "conversations.db", "conversations.db-wal", "conversations.lock" };

  test_add_chat (fixture->store, "private");
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (fixture->folder, names[i], NULL);
      GStatBuf status;

      g_assert_cmpint (g_stat (path, &status), ==, 0);
      g_assert_cmpint (status.st_mode & 0777, ==, 0600);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  dex_init ();
#define ADD(name, func) g_test_add ("/store/" name, TestStore, NULL, test_store_set_up, func, test_store_tear_down)
  ADD ("chat", test_chat);
  ADD ("list", test_list);
  ADD ("purge", test_purge);
  ADD ("branches", test_branches);
  ADD ("deltas", test_deltas);
  ADD ("mixed-batch", test_mixed_batch);
  ADD ("long-chat", test_long_chat);
  ADD ("hostile-text", test_hostile_text);
  ADD ("closed", test_closed);
  ADD ("dropped", test_dropped);
  ADD ("private-files", test_private_files);
  return g_test_run ();
}
