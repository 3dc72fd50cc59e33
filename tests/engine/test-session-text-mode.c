/* test-session-text-mode.c: models without tool calling
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "base/interp-json.h"
#include "session-fixture.h"

#include <string.h>

#define TWO_BLOCKS \
  "First:\n\n```python\nprint('one')\n```\n\nIt printed 17, as expected. Next:\n\n```sh\ntouch made\n```\n\nAll done."

/* What the model said about a result that it did not have stays out of what it is given. */
static void
check_two_blocks (SessionFixture *self)
{
  g_autoptr (JsonNode) second = NULL;
  g_autofree char *conversation = NULL;
  g_autofree char *file = NULL;

  second = session_fixture_get_request (self, 1);
  conversation = session_test_get_conversation (second);
  session_test_assert_contains (conversation, "assistant: First:\n\n```python\nprint('one')\n```\nuser: ");
  session_test_assert_contains (conversation, "Output:\none");
  session_test_assert_lacks (conversation, "17");
  session_test_assert_lacks (conversation, "touch");
  session_test_assert_lacks (conversation, "All done.");
  file = session_fixture_read_file (self, "made");
  g_assert_null (file);
}

/* Approved once the whole answer is there. */
static void
test_two_blocks (SessionFixture *self, gconstpointer data)
{
  InterpCell *second;
  InterpItem *item;
  g_autofree char *file = NULL;

  wire_say (self->wire, self->server, TWO_BLOCKS);
  wire_say (self->wire, self->server, "Done.");
  session_fixture_send (self, "Go");
  session_fixture_await_question (self);
  session_fixture_await_text (self, INTERP_ITEM_ASSISTANT, 2, "All done.");
  second = session_fixture_await_cell (self, 1, INTERP_CELL_NOT_RUN);
  session_fixture_approve (self);
  session_fixture_await_end (self);
  check_two_blocks (self);

  g_assert_true (interp_item_is_premature (INTERP_ITEM (second)));
  g_assert_false (interp_item_is_premature (INTERP_ITEM (session_fixture_get_cell (self, 0))));
  item = session_fixture_get_item (self, INTERP_ITEM_ASSISTANT, 1);
  session_test_assert_contains (interp_item_get_text (item), "It printed 17");
  g_assert_true (interp_item_is_premature (item));
  /* It can be run by who wants it. */
  g_assert_true (interp_cell_is_runnable (second));
  interp_session_run_again (self->session, second, interp_cell_get_code (second));
  session_fixture_await_cell (self, 2, INTERP_CELL_DONE);
  session_fixture_await_state (self, INTERP_SESSION_IDLE);
  file = session_fixture_read_file (self, "made");
  g_assert_cmpstr (file, ==, "");
}

/* Approved in the middle: the rest is not waited for. */
static void
test_approve_early (SessionFixture *self, gconstpointer data)
{
  InterpTestReply *reply = wire_begin (self->wire, self->server);

  wire_text (self->wire, reply, "First:\n\n```python\nprint('one')\n```\n\nIt printed 17,");
  interp_test_reply_await_close (reply);
  wire_say (self->wire, self->server, "Done.");
  session_fixture_send (self, "Go");
  session_fixture_approve (self);
  session_fixture_await_end (self);
  interp_test_server_await_closed (self->server, 1);
  check_two_blocks (self);
}

/* The connection breaks behind a whole block, while it is asked: the block goes on. */
static void
test_cut_behind_block (SessionFixture *self, gconstpointer data)
{
  InterpTestReply *reply = wire_begin (self->wire, self->server);

  wire_text (self->wire, reply, "First:\n\n```python\nprint('one')\n```\n\nIt printed 17,");
  wire_say (self->wire, self->server, "Done.");
  session_fixture_send (self, "Go");
  session_fixture_await_question (self);
  session_fixture_await_text (self, INTERP_ITEM_ASSISTANT, 1, "17");
  session_fixture_approve (self);
  session_fixture_await_end (self);
  check_two_blocks (self);
  g_assert_cmpuint (session_fixture_count (self, INTERP_ITEM_ERROR), ==, 0);
}

static void
test_refuse (SessionFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) second = NULL;
  g_autofree char *conversation = NULL;

  wire_say (self->wire, self->server, TWO_BLOCKS);
  wire_say (self->wire, self->server, "Then not.");
  session_fixture_send (self, "Go");
  g_assert_true (interp_session_refuse (self->session, session_fixture_await_question (self), "Too loud", FALSE));
  session_fixture_await_end (self);
  second = session_fixture_get_request (self, 1);
  conversation = session_test_get_conversation (second);
  session_test_assert_contains (conversation, "Their reason: Too loud");
  session_test_assert_lacks (conversation, "All done.");
}

/* Fences within strings belong to the code. */
static void
test_inner_fences (SessionFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) second = NULL;
  g_autofree char *conversation = NULL;
  InterpCell *cell;
  static const char code[] = "text = '''\n```sh\ntouch made\n```\n'''\nprint(text.count('`'))";

  wire_say (self->wire, self->server,
            "Here:\n\n```python\ntext = '''\n```sh\ntouch made\n```\n'''\nprint(text.count('`'))\n```\n");
  wire_say (self->wire, self->server, "Six.");
  session_fixture_send (self, "Go");
  cell = session_fixture_await_question (self);
  g_assert_cmpstr (interp_cell_get_code (cell), ==, code);
  session_fixture_approve (self);
  session_fixture_await_end (self);
  g_assert_cmpuint (session_fixture_count (self, INTERP_ITEM_CELL), ==, 1);
  second = session_fixture_get_request (self, 1);
  conversation = session_test_get_conversation (second);
  session_test_assert_contains (conversation, "Output:\n6");
  /* Given back in a fence that holds it. */
  session_test_assert_contains (conversation, "````python\n");
}

static void
test_four_ticks (SessionFixture *self, gconstpointer data)
{
  InterpCell *cell;

  wire_say (self->wire, self->server, "````sh\ncat <<'E'\n```\nE\n````\n");
  wire_say (self->wire, self->server, "Done.");
  session_fixture_send (self, "Go");
  cell = session_fixture_await_question (self);
  g_assert_cmpstr (interp_cell_get_code (cell), ==, "cat <<'E'\n```\nE");
  session_fixture_approve (self);
  session_fixture_await_end (self);
}

/* What is only shown is text. */
static void
test_shown_only (SessionFixture *self, gconstpointer data)
{
  static const char text[] = "Like so:\n\n```json\n{\"a\": 1}\n```\n\n```cobol\nSTOP RUN.\n```\n";

  wire_say (self->wire, self->server, text);
  session_fixture_send (self, "Go");
  session_fixture_await_end (self);
  g_assert_cmpuint (session_fixture_count (self, INTERP_ITEM_CELL), ==, 0);
  g_assert_cmpstr (interp_item_get_text (session_fixture_get_item (self, INTERP_ITEM_ASSISTANT, 0)), ==, text);
}

static void
test_thinking (SessionFixture *self, gconstpointer data)
{
  wire_say (self->wire, self->server, "<think>\n```sh\ntouch made\n```\n</think>\n\nI would not.");
  session_fixture_send (self, "Go");
  session_fixture_await_end (self);
  g_assert_cmpuint (session_fixture_count (self, INTERP_ITEM_CELL), ==, 0);
  g_assert_cmpstr (interp_item_get_text (session_fixture_get_item (self, INTERP_ITEM_ASSISTANT, 0)), ==,
                   "I would not.");
}

/* Left open at the model's own end it is whole; at the limit it is not. */
static void
test_unclosed (SessionFixture *self, gconstpointer data)
{
  wire_say (self->wire, self->server, "```sh\necho open");
  wire_say (self->wire, self->server, "Done.");
  session_fixture_send (self, "Go");
  session_fixture_approve (self);
  session_fixture_await_end (self);
  g_assert_cmpint (interp_cell_get_cell_state (session_fixture_get_cell (self, 0)), ==, INTERP_CELL_DONE);
}

static void
test_unclosed_at_limit (SessionFixture *self, gconstpointer data)
{
  InterpTestReply *reply = wire_begin (self->wire, self->server);
  InterpCell *cell;

  interp_session_set_mode (self->session, INTERP_MODE_AUTO);
  wire_text (self->wire, reply, "```sh\ntouch made");
  wire_end (self->wire, reply, "length");
  wire_say (self->wire, self->server, "Shorter, then.");
  session_fixture_send (self, "Go");
  session_fixture_await_end (self);
  cell = session_fixture_get_cell (self, 0);
  g_assert_cmpint (interp_cell_get_cell_state (cell), ==, INTERP_CELL_NOT_RUN);
  g_assert_false (interp_cell_is_runnable (cell));
}

static void
test_unclosed_at_cut (SessionFixture *self, gconstpointer data)
{
  InterpTestReply *reply = wire_begin (self->wire, self->server);
  g_autofree char *file = NULL;
  g_autofree char *all = NULL;

  interp_session_set_mode (self->session, INTERP_MODE_AUTO);
  wire_text (self->wire, reply, "Now:\n```sh\ntouch made\n");
  session_fixture_send (self, "Go");
  session_fixture_await_end (self);
  g_assert_cmpuint (session_fixture_count (self, INTERP_ITEM_ERROR), ==, 1);
  g_assert_cmpint (interp_cell_get_cell_state (session_fixture_get_cell (self, 0)), ==, INTERP_CELL_NOT_RUN);
  g_assert_false (interp_cell_is_runnable (session_fixture_get_cell (self, 0)));
  file = session_fixture_read_file (self, "made");
  g_assert_null (file);

  wire_say (self->wire, self->server, "Rather not.");
  interp_session_try_again (self->session, session_fixture_get_item (self, INTERP_ITEM_ERROR, 0), NULL);
  session_fixture_await_end (self);
  all = session_fixture_describe (self);
  g_assert_cmpstr (all, ==, "user (complete): Go\nassistant (complete): Rather not.\n");
}

/* User and assistant take turns: templates insist on it. */
static void
test_roles (SessionFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) last = NULL;
  guint n;

  wire_say (self->wire, self->server, "```sh\necho one\n```");
  wire_say (self->wire, self->server, "```sh\necho two\n```");
  wire_say (self->wire, self->server, "Done.");
  wire_say (self->wire, self->server, "Yes.");
  session_fixture_send (self, "Go");
  session_fixture_approve (self);
  session_fixture_approve (self);
  session_fixture_await_end (self);
  session_fixture_send (self, "Really?");
  session_fixture_await_end (self);
  last = session_fixture_get_request (self, 3);
  g_assert_null (interp_json_get (last, "tools"));
  n = interp_json_get_length (last, "messages");
  g_assert_cmpuint (n, ==, 8);
  g_assert_cmpstr (interp_json_get_string (last, "messages.0.role"), ==, "system");
  for (guint i = 1; i < n; i++)
    {
      g_autofree char *path = g_strdup_printf ("messages.%u.role", i);

      g_assert_cmpstr (interp_json_get_string (last, path), ==, i % 2 == 1 ? "user" : "assistant");
    }
}

int
main (int argc, char **argv)
{
  static const SessionTest tests[] = {
    { "two-blocks", test_two_blocks },
    { "approve-early", test_approve_early },
    { "cut-behind-block", test_cut_behind_block },
    { "refuse", test_refuse },
    { "inner-fences", test_inner_fences },
    { "four-ticks", test_four_ticks },
    { "shown-only", test_shown_only },
    { "thinking", test_thinking },
    { "unclosed/whole", test_unclosed },
    { "unclosed/at-limit", test_unclosed_at_limit },
    { "unclosed/at-cut", test_unclosed_at_cut },
    { "roles", test_roles },
  };

  session_test_init (&argc, &argv);

  session_test_add_table ("text-mode", tests, G_N_ELEMENTS (tests), TRUE);

  return g_test_run ();
}
