/* test-store-processes.c: killed in the middle, and two processes on one store
 *
 * The child processes are this program again, told what to do by its arguments.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <gio/gio.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "store-test-util.h"

typedef struct
{
  char *folder;
} Fixture;

static char *program;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->folder = test_folder_new ();
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  test_folder_free (fixture->folder);
}

/* ---- the child ---- */

static void
say (const char *format, ...)
{
  va_list values;

  va_start (values, format);
  vprintf (format, values);
  va_end (values);
  fflush (stdout);
}

/* Streams for ever; says each piece after it is committed. */
static int
child_stream (const char *folder)
{
  InterpStore *store = test_open (folder);
  gint64 chat = test_add_chat (store, "streamed");
  gint64 done = test_add_item (store, chat, 0, "the question");
  InterpItemRow row
      = { .chat = chat, .parent = done, .kind = (char *) "assistant", .state = (char *) "open", .text = (char *) "" };
  gint64 id = test_int (interp_store_add_item (store, &row, TRUE));

  say ("chat %" G_GINT64_FORMAT "\n", chat);
  for (int i = 0;; i++)
    {
      g_autofree char *text = g_strdup_printf ("[%d]", i);

      test_true (interp_store_append (store, id, text));
      say ("piece %d\n", i);
    }
  return 0;
}

/* Obeys lines: "lock ID", "unlock ID", "add TITLE", "append ID TEXT", "close". */
static int
child_obey (const char *folder)
{
  InterpStore *store = test_open (folder);
  char line[256];

  say ("open\n");
  while (fgets (line, sizeof line, stdin) != NULL)
    {
      g_auto (GStrv) words = g_strsplit (g_strchomp (line), " ", 3);

      if (g_str_equal (words[0], "lock"))
        say ("%s\n", interp_store_lock_chat (store, g_ascii_strtoll (words[1], NULL, 10)) ? "locked" : "taken");
      else if (g_str_equal (words[0], "unlock"))
        {
          interp_store_unlock_chat (store, g_ascii_strtoll (words[1], NULL, 10));
          say ("unlocked\n");
        }
      else if (g_str_equal (words[0], "add"))
        say ("%" G_GINT64_FORMAT "\n", test_add_chat (store, words[1]));
      else if (g_str_equal (words[0], "append"))
        {
          test_true (interp_store_append (store, g_ascii_strtoll (words[1], NULL, 10), words[2]));
          say ("appended\n");
        }
      else if (g_str_equal (words[0], "many"))
        {
          for (int i = 0; i < 200; i++)
            test_add_item (store, g_ascii_strtoll (words[1], NULL, 10), 0, "theirs");
          say ("done\n");
        }
    }
  test_close (store);
  return 0;
}

/* ---- the parent ---- */

typedef struct
{
  GSubprocess *process;
  GDataInputStream *output;
  GOutputStream *input;
} Child;

static Child *
child_new (const char *what, const char *folder)
{
  g_autoptr (GError) error = NULL;
  Child *child = g_new0 (Child, 1);

  child->process = g_subprocess_new (G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE, &error, program,
                                     what, folder, NULL);
  g_assert_no_error (error);
  child->output = g_data_input_stream_new (g_subprocess_get_stdout_pipe (child->process));
  child->input = g_subprocess_get_stdin_pipe (child->process);
  return child;
}

static char *
child_read (Child *child)
{
  g_autoptr (GError) error = NULL;
  char *line = g_data_input_stream_read_line (child->output, NULL, NULL, &error);

  g_assert_no_error (error);
  g_assert_nonnull (line);
  return line;
}

static char *
child_ask (Child *child, const char *format, ...)
{
  g_autofree char *line = NULL;
  g_autoptr (GError) error = NULL;
  va_list values;

  va_start (values, format);
  line = g_strdup_vprintf (format, values);
  va_end (values);
  g_output_stream_printf (child->input, NULL, NULL, &error, "%s\n", line);
  g_assert_no_error (error);
  return child_read (child);
}

static void
child_end (Child *child)
{
  g_autoptr (GError) error = NULL;

  g_output_stream_close (child->input, NULL, NULL);
  g_subprocess_wait (child->process, NULL, &error);
  g_assert_no_error (error);
  g_object_unref (child->output);
  g_object_unref (child->process);
  g_free (child);
}

static void
test_killed (Fixture *fixture, gconstpointer data)
{
  int pieces = GPOINTER_TO_INT (data);
  Child *child = child_new ("stream", fixture->folder);
  g_autofree char *chat_line = child_read (child);
  gint64 chat = g_ascii_strtoll (chat_line + strlen ("chat "), NULL, 10);
  g_autoptr (GPtrArray) rows = NULL;
  g_autoptr (GString) shown = g_string_new (NULL);
  InterpStore *store;

  for (int i = 0; i < pieces; i++)
    {
      g_autofree char *line = child_read (child);
      g_autofree char *expected = g_strdup_printf ("piece %d", i);

      g_assert_cmpstr (line, ==, expected);
      g_string_append_printf (shown, "[%d]", i);
    }
  g_subprocess_send_signal (child->process, SIGKILL);
  child_end (child);

  store = test_open (fixture->folder);
  g_assert_null (interp_store_get_notice (store));
  g_assert_true (interp_store_lock_chat (store, chat));
  rows = test_array (interp_store_load_branch (store, chat, 0, 0));
  g_assert_cmpuint (rows->len, ==, 2);
  g_assert_cmpstr (((InterpItemRow *) g_ptr_array_index (rows, 0))->text, ==, "the question");
  g_assert_cmpstr (((InterpItemRow *) g_ptr_array_index (rows, 1))->state, ==, "open");
  g_assert_true (g_str_has_prefix (((InterpItemRow *) g_ptr_array_index (rows, 1))->text, shown->str));
  test_close (store);
}

typedef struct
{
  GArray *chats;
} Seen;

static void
on_changed (InterpStore *store, gint64 chat, gpointer data)
{
  Seen *seen = data;

  g_array_append_val (seen->chats, chat);
}

static gboolean
saw (Seen *seen, gint64 chat)
{
  for (guint i = 0; i < seen->chats->len; i++)
    if (g_array_index (seen->chats, gint64, i) == chat)
      return TRUE;
  return FALSE;
}

static void
test_changed (Fixture *fixture, gconstpointer data)
{
  InterpStore *store = test_open (fixture->folder);
  Child *child = child_new ("obey", fixture->folder);
  g_autofree char *open = child_read (child);
  g_autofree char *added = NULL;
  g_autofree char *appended = NULL;
  Seen seen = { g_array_new (FALSE, FALSE, sizeof (gint64)) };
  gint64 own = test_add_chat (store, "own");
  gint64 item = test_add_item (store, own, 0, "");
  gint64 theirs;

  g_assert_cmpstr (open, ==, "open");
  g_signal_connect (store, "changed", G_CALLBACK (on_changed), &seen);
  added = child_ask (child, "add theirs");
  theirs = g_ascii_strtoll (added, NULL, 10);
  while (!saw (&seen, theirs))
    g_main_context_iteration (NULL, TRUE);
  g_assert_true (saw (&seen, 0));
  g_assert_false (saw (&seen, own)); /* what we do ourselves is no news */

  /* Streamed text is news of its chat, not of the list. */
  g_array_set_size (seen.chats, 0);
  test_true (interp_store_set_draft (store, theirs, "ours"));
  appended = child_ask (child, "append %" G_GINT64_FORMAT " more", item);
  while (!saw (&seen, own))
    g_main_context_iteration (NULL, TRUE);
  g_assert_false (saw (&seen, 0));
  g_assert_false (saw (&seen, theirs));

  child_end (child);
  g_array_unref (seen.chats);
  test_close (store);
}

static void
test_locks (Fixture *fixture, gconstpointer data)
{
  InterpStore *store = test_open (fixture->folder);
  Child *child = child_new ("obey", fixture->folder);
  g_autofree char *open = child_read (child);
  g_autofree char *first = NULL;
  g_autofree char *second = NULL;
  g_autofree char *third = NULL;

  g_assert_true (interp_store_lock_chat (store, 1));
  g_assert_true (interp_store_lock_chat (store, 1));
  first = child_ask (child, "lock 1");
  g_assert_cmpstr (first, ==, "taken");
  second = child_ask (child, "lock 2");
  g_assert_cmpstr (second, ==, "locked");
  g_assert_false (interp_store_lock_chat (store, 2));
  interp_store_unlock_chat (store, 1);
  third = child_ask (child, "lock 1");
  g_assert_cmpstr (third, ==, "locked");
  g_assert_false (interp_store_lock_chat (store, 1));

  /* A killed holder holds nothing. */
  g_subprocess_send_signal (child->process, SIGKILL);
  child_end (child);
  g_assert_true (interp_store_lock_chat (store, 1));
  g_assert_true (interp_store_lock_chat (store, 2));
  test_close (store);
}

static void
test_both_write (Fixture *fixture, gconstpointer data)
{
  InterpStore *store = test_open (fixture->folder);
  Child *child = child_new ("obey", fixture->folder);
  g_autofree char *open = child_read (child);
  gint64 chat = test_add_chat (store, "shared");
  g_autoptr (GPtrArray) rows = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *done = NULL;

  g_output_stream_printf (child->input, NULL, NULL, &error, "many %" G_GINT64_FORMAT "\n", chat);
  g_assert_no_error (error);
  for (int i = 0; i < 200; i++)
    test_add_item (store, chat, 0, "ours");
  done = child_read (child);
  g_assert_cmpstr (done, ==, "done");
  rows = test_array (interp_store_load_children (store, chat, 0));
  g_assert_cmpuint (rows->len, ==, 400);
  child_end (child);
  test_close (store);
}

int
main (int argc, char **argv)
{
  dex_init ();
  program = argv[0];
  if (argc == 3 && g_str_equal (argv[1], "stream"))
    return child_stream (argv[2]);
  if (argc == 3 && g_str_equal (argv[1], "obey"))
    return child_obey (argv[2]);

  g_test_init (&argc, &argv, NULL);
#define ADD(name, data, func) g_test_add ("/store-processes/" name, Fixture, data, set_up, func, tear_down)
  ADD ("killed/at-once", GINT_TO_POINTER (0), test_killed);
  ADD ("killed/early", GINT_TO_POINTER (3), test_killed);
  ADD ("killed/later", GINT_TO_POINTER (60), test_killed);
  ADD ("changed", NULL, test_changed);
  ADD ("locks", NULL, test_locks);
  ADD ("both-write", NULL, test_both_write);
  return g_test_run ();
}
