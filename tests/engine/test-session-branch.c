/* test-session-branch.c: messages that wait, other branches, going back
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "base/interp-json.h"
#include "session-fixture.h"

#include <string.h>

static void
exchange (SessionFixture *self, const char *prompt, const char *answer)
{
  wire_say (self->wire, self->server, answer);
  session_fixture_send (self, prompt);
  session_fixture_await_end (self);
}

static void
check_shown (SessionFixture *self, const char *expected)
{
  g_autofree char *all = session_fixture_describe (self);

  g_assert_cmpstr (all, ==, expected);
}

static void
check_sent (SessionFixture *self, guint n, const char *expected)
{
  g_autoptr (JsonNode) request = session_fixture_get_request (self, n);
  g_autofree char *conversation = session_test_get_conversation (request);

  g_assert_cmpstr (conversation, ==, expected);
}

/* ---- the queue ---- */

/* Written while code runs: it comes behind the result, and before what else the model wanted. */
static void
test_queue (SessionFixture *self, gconstpointer data)
{
  InterpTestReply *reply = wire_begin (self->wire, self->server);
  g_autoptr (JsonNode) second = NULL;
  g_autofree char *conversation = NULL;
  g_autofree char *file = NULL;
  InterpItem *first;
  InterpItem *removed;

  interp_session_set_mode (self->session, INTERP_MODE_AUTO);
  wire_call (self->wire, reply, 0, "call_a", "shell", SESSION_TEST_WAIT);
  wire_call (self->wire, reply, 1, "call_b", "python", "open('made', 'w')");
  wire_end (self->wire, reply, "tool_calls");
  wire_say (self->wire, self->server, "All right.");
  session_fixture_send (self, "Go");
  session_fixture_await_text (self, INTERP_ITEM_CELL, 0, "begun");

  session_fixture_send (self, "Not so loud");
  session_fixture_send (self, "Forget it");
  session_fixture_send (self, "And in blue");
  first = session_fixture_get_item (self, INTERP_ITEM_USER, 1);
  g_assert_cmpint (interp_item_get_state (first), ==, INTERP_ITEM_QUEUED);
  g_assert_cmpuint (session_fixture_count (self, INTERP_ITEM_USER), ==, 4);
  interp_session_edit_queued (self->session, first, "Not so loud, please");
  removed = session_fixture_get_item (self, INTERP_ITEM_USER, 2);
  interp_session_remove_queued (self->session, removed);
  g_assert_cmpuint (session_fixture_count (self, INTERP_ITEM_USER), ==, 3);
  g_assert_cmpuint (session_fixture_get_n_requests (self), ==, 1);

  session_fixture_go_on (self);
  session_fixture_await_end (self);
  second = session_fixture_get_request (self, 1);
  session_test_check_calls (second);
  session_test_assert_contains (session_test_get_result (second, "call_a"), "begun\nended");
  session_test_assert_contains (session_test_get_result (second, "call_b"), "Not run");
  conversation = session_test_get_conversation (second);
  g_assert_true (g_str_has_suffix (conversation, "user: Not so loud, please\n\nAnd in blue\n"));
  session_test_assert_lacks (conversation, "Forget it");
  file = session_fixture_read_file (self, "made");
  g_assert_null (file);
  g_assert_cmpint (interp_item_get_state (session_fixture_get_item (self, INTERP_ITEM_USER, 1)), ==,
                   INTERP_ITEM_COMPLETE);
}

/* Written while the answer comes: it follows at once. */
static void
test_queue_in_answer (SessionFixture *self, gconstpointer data)
{
  InterpTestReply *reply = wire_begin (self->wire, self->server);

  wire_text (self->wire, reply, "First");
  interp_test_reply_wait (reply, "rest");
  wire_text (self->wire, reply, " answer");
  wire_end (self->wire, reply, "stop");
  wire_say (self->wire, self->server, "Second answer");
  session_fixture_send (self, "One");
  session_fixture_await_text (self, INTERP_ITEM_ASSISTANT, 0, "First");
  session_fixture_send (self, "Two");
  interp_test_server_release (self->server, "rest");
  session_fixture_await_text (self, INTERP_ITEM_ASSISTANT, 1, "Second answer");
  session_fixture_await_end (self);
  check_shown (self, "user (complete): One\nassistant (complete): First answer\n"
                     "user (complete): Two\nassistant (complete): Second answer\n");
  check_sent (self, 1, "user: One\nassistant: First answer\nuser: Two\n");
}

/* What waits was written after the message that is sent again, so it stays behind it. */
static void
test_resend_before_queue (SessionFixture *self, gconstpointer data)
{
  InterpTestReply *reply = wire_begin (self->wire, self->server);

  wire_text (self->wire, reply, "First");
  interp_test_reply_await_close (reply);
  wire_say (self->wire, self->server, "Second");
  session_fixture_send (self, "One");
  session_fixture_await_text (self, INTERP_ITEM_ASSISTANT, 0, "First");
  session_fixture_send (self, "Two");
  interp_session_edit_and_resend (self->session, session_fixture_get_item (self, INTERP_ITEM_USER, 0), "Other");
  session_fixture_await_text (self, INTERP_ITEM_ASSISTANT, 0, "Second");
  session_fixture_await_state (self, INTERP_SESSION_IDLE);
  check_shown (self, "user (complete): Other\nuser (complete): Two\nassistant (complete): Second\n");
}

/* ---- branches ---- */

#define OLD "user (complete): One\nassistant (complete): First\nuser (complete): Two\nassistant (complete): Second\n"
#define NEW "user (complete): Other\nassistant (complete): Third\n"

static void
test_edit_and_resend (SessionFixture *self, gconstpointer data)
{
  InterpItem *prompt;

  exchange (self, "One", "First");
  exchange (self, "Two", "Second");
  check_shown (self, OLD);
  g_assert_cmpuint (interp_item_get_n_branches (session_fixture_get_item (self, INTERP_ITEM_USER, 0)), ==, 1);

  wire_say (self->wire, self->server, "Third");
  interp_session_edit_and_resend (self->session, session_fixture_get_item (self, INTERP_ITEM_USER, 0), "Other");
  session_fixture_await_end (self);
  check_shown (self, NEW);
  check_sent (self, 2, "user: Other\n");

  /* Both are there, now and later. */
  for (guint round = 0; round < 2; round++)
    {
      prompt = session_fixture_get_item (self, INTERP_ITEM_USER, 0);
      g_assert_cmpuint (interp_item_get_n_branches (prompt), ==, 2);
      g_assert_cmpuint (interp_item_get_branch (prompt), ==, 1);
      interp_session_show_branch (self->session, prompt, 0);
      session_fixture_await_text (self, INTERP_ITEM_ASSISTANT, 1, "Second");
      check_shown (self, OLD);
      prompt = session_fixture_get_item (self, INTERP_ITEM_USER, 0);
      g_assert_cmpuint (interp_item_get_n_branches (prompt), ==, 2);
      g_assert_cmpuint (interp_item_get_branch (prompt), ==, 0);
      interp_session_show_branch (self->session, prompt, 1);
      session_fixture_await_text (self, INTERP_ITEM_ASSISTANT, 0, "Third");
      check_shown (self, NEW);
      if (round == 0)
        session_fixture_restart (self);
    }

  /* It goes on where one is. */
  interp_session_show_branch (self->session, session_fixture_get_item (self, INTERP_ITEM_USER, 0), 0);
  session_fixture_await_text (self, INTERP_ITEM_ASSISTANT, 1, "Second");
  exchange (self, "Three", "Fourth");
  check_sent (self, 3, "user: One\nassistant: First\nuser: Two\nassistant: Second\nuser: Three\n");
}

static void
test_try_again (SessionFixture *self, gconstpointer data)
{
  InterpItem *answer;

  exchange (self, "One", "First");
  exchange (self, "Two", "Second");
  wire_say (self->wire, self->server, "Better");
  interp_session_try_again (self->session, session_fixture_get_item (self, INTERP_ITEM_ASSISTANT, 1), NULL);
  session_fixture_await_end (self);
  check_shown (self, "user (complete): One\nassistant (complete): First\n"
                     "user (complete): Two\nassistant (complete): Better\n");
  check_sent (self, 2, "user: One\nassistant: First\nuser: Two\n");
  answer = session_fixture_get_item (self, INTERP_ITEM_ASSISTANT, 1);
  g_assert_cmpuint (interp_item_get_n_branches (answer), ==, 2);
  g_assert_cmpuint (interp_item_get_branch (answer), ==, 1);
  interp_session_show_branch (self->session, answer, 0);
  session_fixture_await_text (self, INTERP_ITEM_ASSISTANT, 1, "Second");
  check_shown (self, OLD);
}

/* In the middle of a turn: it ends first, and all of it stays where it was. */
static void
test_edit_in_run (SessionFixture *self, gconstpointer data)
{
  InterpItem *prompt;
  InterpCell *cell;

  interp_session_set_mode (self->session, INTERP_MODE_AUTO);
  wire_do (self->wire, self->server, "call_a", "shell", SESSION_TEST_WAIT);
  session_fixture_send (self, "Go");
  session_fixture_await_text (self, INTERP_ITEM_CELL, 0, "begun");
  wire_say (self->wire, self->server, "Third");
  interp_session_edit_and_resend (self->session, session_fixture_get_item (self, INTERP_ITEM_USER, 0), "Other");
  session_fixture_await_text (self, INTERP_ITEM_ASSISTANT, 0, "Third");
  session_fixture_await_state (self, INTERP_SESSION_IDLE);
  check_shown (self, NEW);
  check_sent (self, 1, "user: Other\n");

  prompt = session_fixture_get_item (self, INTERP_ITEM_USER, 0);
  interp_session_show_branch (self->session, prompt, 0);
  session_fixture_await_text (self, INTERP_ITEM_CELL, 0, "begun");
  cell = session_fixture_get_cell (self, 0);
  g_assert_cmpint (interp_cell_get_cell_state (cell), ==, INTERP_CELL_INTERRUPTED);
}

static gboolean
is_empty (gpointer user_data)
{
  SessionFixture *self = user_data;

  return g_list_model_get_n_items (interp_session_get_items (self->session)) == 0;
}

static void
test_undo (SessionFixture *self, gconstpointer data)
{
  exchange (self, "One", "First");
  exchange (self, "Two", "Second");
  interp_session_undo (self->session);
  interp_session_undo (self->session);
  kernel_test_until (is_empty, self);
  exchange (self, "Three", "Third");
  check_sent (self, 2, "user: Three\n");
  g_assert_cmpuint (interp_item_get_n_branches (session_fixture_get_item (self, INTERP_ITEM_USER, 0)), ==, 2);
}

static void
test_reset (SessionFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) last = NULL;

  interp_session_set_mode (self->session, INTERP_MODE_AUTO);
  wire_do (self->wire, self->server, "call_a", "shell", "x=7");
  exchange (self, "One", "First");
  interp_session_reset (self->session);
  kernel_test_until (is_empty, self);
  wire_do (self->wire, self->server, "call_b", "shell", "echo \"${x:-gone}\"");
  exchange (self, "Two", "Second");
  last = session_fixture_get_request (self, 3);
  session_test_check_calls (last);
  g_assert_null (session_test_get_result (last, "call_a"));
  session_test_assert_contains (session_test_get_result (last, "call_b"), "gone");
}

/* More than is shown at once. */
static void
test_long_chat (SessionFixture *self, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *all = NULL;
  g_autofree char *again = NULL;

  for (guint i = 0; i < 110; i++)
    {
      g_autofree char *prompt = g_strdup_printf ("Prompt %u", i);

      exchange (self, prompt, "Yes");
    }
  all = session_fixture_describe (self);
  session_fixture_restart (self);
  g_assert_cmpuint (g_list_model_get_n_items (interp_session_get_items (self->session)), ==, 200);
  g_assert_true (interp_session_has_earlier (self->session));
  /* The model still gets all of it. */
  exchange (self, "The last", "Yes");
  {
    g_autoptr (JsonNode) last = session_fixture_get_request (self, 110);
    g_autofree char *conversation = session_test_get_conversation (last);

    g_assert_true (g_str_has_prefix (conversation, "user: Prompt 0\nassistant: Yes\n"));
  }
  while (interp_session_has_earlier (self->session))
    {
      kernel_test_await (interp_session_load_earlier (self->session), &error);
      g_assert_no_error (error);
    }
  again = session_fixture_describe (self);
  g_assert_true (g_str_has_prefix (again, all));
}

int
main (int argc, char **argv)
{
  session_test_init (&argc, &argv);

  session_test_add ("/session/branch/queue", NULL, test_queue);
  session_test_add ("/session/branch/queue-in-answer", NULL, test_queue_in_answer);
  session_test_add ("/session/branch/resend-before-queue", NULL, test_resend_before_queue);
  session_test_add ("/session/branch/edit-and-resend", NULL, test_edit_and_resend);
  session_test_add ("/session/branch/try-again", NULL, test_try_again);
  session_test_add ("/session/branch/edit-in-run", NULL, test_edit_in_run);
  session_test_add ("/session/branch/undo", NULL, test_undo);
  session_test_add ("/session/branch/reset", NULL, test_reset);
  session_test_add ("/session/branch/long-chat", NULL, test_long_chat);

  return g_test_run ();
}
