/* test-session-run.c: what is approved runs, what ran is told
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "base/interp-json.h"
#include "session-fixture.h"

#include <string.h>

static void
test_approve (SessionFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) first = NULL;
  g_autoptr (JsonNode) second = NULL;
  InterpTestReply *reply = wire_begin (self->wire, self->server);
  InterpCell *cell;
  g_autofree char *output = NULL;
  g_autofree char *judged = NULL;

  wire_reasoning (self->wire, reply, "They want it printed.");
  wire_text (self->wire, reply, "I'll look.\n\nNow it is printed:");
  wire_call (self->wire, reply, 0, "call_1", "python", "x = 6\nprint('ä\\t🦊', x * 7)\n");
  wire_end (self->wire, reply, "tool_calls");
  wire_say (self->wire, self->server, "It is 42.");

  session_fixture_send (self, "Print it");
  cell = session_fixture_await_question (self);
  g_assert_cmpint (interp_session_get_state (self->session), ==, INTERP_SESSION_WAITING);
  g_assert_cmpstr (interp_cell_get_code (cell), ==, "x = 6\nprint('ä\\t🦊', x * 7)\n");
  g_assert_cmpstr (interp_cell_get_preceding_text (cell), ==, "Now it is printed:");
  g_assert_nonnull (interp_cell_get_judgement (cell));
  g_assert_null (interp_cell_get_previous_attempt (cell));
  session_fixture_approve (self);
  session_fixture_await_end (self);

  g_assert_cmpint (interp_cell_get_cell_state (cell), ==, INTERP_CELL_DONE);
  g_assert_cmpstr (interp_cell_get_approved_by (cell), ==, "user");
  g_assert_null (interp_cell_get_original_code (cell));
  g_assert_null (interp_cell_get_judgement (cell));
  output = interp_cell_dup_output (cell, NULL);
  session_test_assert_contains (output, "🦊 42");
  g_assert_cmpstr (interp_item_get_text (session_fixture_get_item (self, INTERP_ITEM_ASSISTANT, 1)), ==, "It is 42.");
  g_assert_cmpstr (interp_item_get_text (session_fixture_get_item (self, INTERP_ITEM_REASONING, 0)), ==,
                   "They want it printed.");
  g_assert_cmpstr (interp_session_get_title (self->session), ==, "Print it");

  first = session_fixture_get_request (self, 0);
  g_assert_null (session_test_get_result (first, "call_1"));
  second = session_fixture_get_request (self, 1);
  session_test_check_calls (second);
  /* What the terminal showed, byte for byte. */
  judged = g_strdup_printf ("Output:\n%s", g_strchomp (output));
  g_assert_cmpstr (session_test_get_result (second, "call_1"), ==, judged);
}

/* Bash and Python keep their variables from block to block. */
static void
test_kernels_stay (SessionFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) last = NULL;

  wire_do (self->wire, self->server, "call_1", "python", "x = 41");
  wire_do (self->wire, self->server, "call_2", "shell", "y=40; cd /");
  wire_do (self->wire, self->server, "call_3", "python", "print(x + 1)");
  wire_do (self->wire, self->server, "call_4", "shell", "echo $((y + 3)) \"$PWD\"");
  wire_say (self->wire, self->server, "Done.");
  session_fixture_send (self, "Go");
  for (guint i = 0; i < 4; i++)
    session_fixture_approve (self);
  session_fixture_await_end (self);

  last = session_fixture_get_request (self, 4);
  session_test_check_calls (last);
  g_assert_cmpstr (session_test_get_result (last, "call_1"), ==, "(no output)");
  g_assert_cmpstr (session_test_get_result (last, "call_2"), ==, "(no output)");
  g_assert_cmpstr (session_test_get_result (last, "call_3"), ==, "Output:\n42");
  g_assert_cmpstr (session_test_get_result (last, "call_4"), ==, "Output:\n43 /");
  g_assert_cmpuint (g_list_model_get_n_items (interp_session_get_kernels (self->session)), ==, 2);
}

static void
test_failure (SessionFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) last = NULL;
  InterpCell *cell;
  const char *result;

  wire_do (self->wire, self->server, "call_1", "python", "print('before')\n1 / 0\n");
  wire_do (self->wire, self->server, "call_2", "shell", "echo out; (exit 3)");
  wire_do (self->wire, self->server, "call_3", "shell", "echo again");
  wire_say (self->wire, self->server, "Done.");
  session_fixture_send (self, "Go");
  session_fixture_approve (self);
  session_fixture_approve (self);
  cell = session_fixture_await_question (self);
  /* Another attempt at what failed: the difference can be shown. */
  g_assert_cmpstr (interp_cell_get_previous_attempt (cell), ==, "echo out; (exit 3)");
  session_fixture_approve (self);
  session_fixture_await_end (self);

  cell = session_fixture_get_cell (self, 0);
  g_assert_cmpint (interp_cell_get_cell_state (cell), ==, INTERP_CELL_FAILED);
  g_assert_cmpstr (interp_cell_get_error_name (cell), ==, "ZeroDivisionError");
  g_assert_cmpint (interp_cell_get_error_line (cell), ==, 2);
  last = session_fixture_get_request (self, 3);
  session_test_check_calls (last);
  result = session_test_get_result (last, "call_1");
  session_test_assert_contains (result, "Output:\nbefore");
  session_test_assert_contains (result, "ZeroDivisionError: division by zero");
  session_test_assert_contains (result, "line 2");
  session_test_assert_contains (session_test_get_result (last, "call_2"), "exit status 3");
}

static void
test_refuse (SessionFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) second = NULL;
  InterpCell *cell;
  g_autofree char *file = NULL;

  wire_do (self->wire, self->server, "call_1", "shell", "touch made");
  wire_say (self->wire, self->server, "Then not.");
  session_fixture_send (self, "Make it");
  cell = session_fixture_await_question (self);
  g_assert_true (interp_session_refuse (self->session, cell, "Use another name, bitte: größer", FALSE));
  /* It is decided. */
  g_assert_false (interp_session_refuse (self->session, cell, NULL, FALSE));
  g_assert_false (interp_session_approve (self->session, cell, "touch made"));
  session_fixture_await_end (self);

  g_assert_cmpint (interp_cell_get_cell_state (cell), ==, INTERP_CELL_REFUSED);
  g_assert_cmpstr (interp_cell_get_refusal (cell), ==, "Use another name, bitte: größer");
  second = session_fixture_get_request (self, 1);
  session_test_check_calls (second);
  session_test_assert_contains (session_test_get_result (second, "call_1"), "refused");
  session_test_assert_contains (session_test_get_result (second, "call_1"), "Use another name, bitte: größer");
  file = session_fixture_read_file (self, "made");
  g_assert_null (file);
}

static void
test_refuse_and_stop (SessionFixture *self, gconstpointer data)
{
  InterpTestReply *reply = wire_begin (self->wire, self->server);
  g_autoptr (JsonNode) second = NULL;

  wire_call (self->wire, reply, 0, "call_1", "shell", "touch one");
  wire_call (self->wire, reply, 1, "call_2", "python", "open('two', 'w')");
  wire_end (self->wire, reply, "tool_calls");
  session_fixture_send (self, "Make it");
  g_assert_true (interp_session_refuse (self->session, session_fixture_await_question (self), NULL, TRUE));
  session_fixture_await_end (self);
  g_assert_cmpuint (session_fixture_get_n_requests (self), ==, 1);
  g_assert_cmpint (interp_cell_get_cell_state (session_fixture_get_cell (self, 0)), ==, INTERP_CELL_REFUSED);
  g_assert_cmpint (interp_cell_get_cell_state (session_fixture_get_cell (self, 1)), ==, INTERP_CELL_NOT_RUN);

  wire_say (self->wire, self->server, "I see.");
  session_fixture_send (self, "Something else");
  session_fixture_await_end (self);
  second = session_fixture_get_request (self, 1);
  session_test_check_calls (second);
  session_test_assert_contains (session_test_get_result (second, "call_1"), "refused");
  session_test_assert_contains (session_test_get_result (second, "call_2"), "Not run");
}

/* What was shown runs; and the model learns that it is not what it wrote. */
static void
test_edit (SessionFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) second = NULL;
  InterpCell *cell;
  const char *result;
  g_autofree char *written = NULL;
  g_autofree char *not_written = NULL;

  wire_do (self->wire, self->server, "call_1", "shell", "echo model > by-model; cat by-model");
  wire_say (self->wire, self->server, "Done.");
  session_fixture_send (self, "Go");
  cell = session_fixture_await_question (self);
  g_assert_false (interp_session_approve (self->session, cell, ""));
  g_assert_false (interp_session_approve (self->session, cell, "echo \xff"));
  g_assert_true (interp_session_approve (self->session, cell, "echo user > by-user; cat by-user"));
  session_fixture_await_end (self);

  g_assert_cmpstr (interp_cell_get_code (cell), ==, "echo user > by-user; cat by-user");
  g_assert_cmpstr (interp_cell_get_original_code (cell), ==, "echo model > by-model; cat by-model");
  written = session_fixture_read_file (self, "by-user");
  g_assert_cmpstr (written, ==, "user\n");
  not_written = session_fixture_read_file (self, "by-model");
  g_assert_null (not_written);

  second = session_fixture_get_request (self, 1);
  session_test_check_calls (second);
  result = session_test_get_result (second, "call_1");
  session_test_assert_contains (result, "edited");
  session_test_assert_contains (result, "echo user > by-user; cat by-user");
  session_test_assert_contains (result, "Output:\nuser");
}

static void
test_parallel (SessionFixture *self, gconstpointer data)
{
  InterpTestReply *reply = wire_begin (self->wire, self->server);
  g_autoptr (JsonNode) second = NULL;

  wire_call (self->wire, reply, 0, "call_a", "python", "print('first')");
  wire_call (self->wire, reply, 1, "call_b", "shell", "echo second");
  wire_end (self->wire, reply, "tool_calls");
  wire_say (self->wire, self->server, "Both.");
  session_fixture_send (self, "Both");
  session_fixture_await_cell (self, 1, INTERP_CELL_WAITING);
  g_assert_cmpuint (session_fixture_count (self, INTERP_ITEM_CELL), ==, 2);
  /* The second one is answered first. */
  g_assert_true (interp_session_approve (self->session, session_fixture_get_cell (self, 1), "echo second"));
  g_assert_true (interp_session_get_question (self->session) == session_fixture_get_cell (self, 0));
  session_fixture_approve (self);
  session_fixture_await_end (self);

  second = session_fixture_get_request (self, 1);
  session_test_check_calls (second);
  g_assert_cmpstr (session_test_get_result (second, "call_a"), ==, "Output:\nfirst");
  g_assert_cmpstr (session_test_get_result (second, "call_b"), ==, "Output:\nsecond");
}

static void
test_parallel_one_refused (SessionFixture *self, gconstpointer data)
{
  InterpTestReply *reply = wire_begin (self->wire, self->server);
  g_autoptr (JsonNode) second = NULL;

  wire_call (self->wire, reply, 0, "call_a", "shell", "echo first");
  wire_call (self->wire, reply, 1, "call_b", "shell", "echo second");
  wire_end (self->wire, reply, "tool_calls");
  wire_say (self->wire, self->server, "One.");
  session_fixture_send (self, "Both");
  session_fixture_await_question (self);
  g_assert_true (interp_session_refuse (self->session, session_fixture_get_cell (self, 0), "No", FALSE));
  session_fixture_approve (self);
  session_fixture_await_end (self);

  second = session_fixture_get_request (self, 1);
  session_test_check_calls (second);
  session_test_assert_contains (session_test_get_result (second, "call_a"), "refused");
  g_assert_cmpstr (session_test_get_result (second, "call_b"), ==, "Output:\nsecond");
}

static void
test_unknown_language (SessionFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) second = NULL;
  InterpCell *cell;

  wire_do (self->wire, self->server, "call_1", "cobol", "DISPLAY 'HELLO'.");
  wire_do (self->wire, self->server, "call_2", "python", "");
  wire_do (self->wire, self->server, "call_3", "python", "print('hello')");
  wire_say (self->wire, self->server, "Done.");
  session_fixture_send (self, "Go");
  session_fixture_approve (self);
  session_fixture_await_end (self);

  cell = session_fixture_get_cell (self, 0);
  g_assert_cmpint (interp_cell_get_cell_state (cell), ==, INTERP_CELL_NOT_RUN);
  g_assert_cmpstr (interp_cell_get_language (cell), ==, "cobol");
  session_test_assert_contains (interp_cell_get_note (cell), "cobol");
  second = session_fixture_get_request (self, 3);
  session_test_check_calls (second);
  session_test_assert_contains (session_test_get_result (second, "call_1"), "\"cobol\" cannot run here");
  session_test_assert_contains (session_test_get_result (second, "call_1"), "python");
  session_test_assert_contains (session_test_get_result (second, "call_2"), "Nothing was run");
  g_assert_cmpstr (session_test_get_result (second, "call_3"), ==, "Output:\nhello");
}

/* Nothing waits for an answer that nobody will give. */
static void
test_auto (SessionFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) second = NULL;

  interp_session_set_mode (self->session, INTERP_MODE_AUTO);
  wire_do (self->wire, self->server, "call_1", "python", "print('by itself')");
  wire_say (self->wire, self->server, "Done.");
  session_fixture_send (self, "Go");
  session_fixture_await_end (self);
  g_assert_cmpstr (interp_cell_get_approved_by (session_fixture_get_cell (self, 0)), ==, "auto");
  second = session_fixture_get_request (self, 1);
  g_assert_cmpstr (session_test_get_result (second, "call_1"), ==, "Output:\nby itself");
}

/* What came as text is asked about even where nothing else is. */
static void
test_auto_recovered (SessionFixture *self, gconstpointer data)
{
  interp_session_set_mode (self->session, INTERP_MODE_AUTO);
  wire_say (self->wire, self->server,
            "<tool_call>{\"name\":\"run_code\",\"arguments\":{\"language\":\"shell\",\"code\":\"touch made\"}}"
            "</tool_call>");
  wire_say (self->wire, self->server, "Done.");
  session_fixture_send (self, "Go");
  g_assert_true (interp_session_refuse (self->session, session_fixture_await_question (self), NULL, FALSE));
  session_fixture_await_end (self);
}

static void
test_look (SessionFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) second = NULL;

  interp_session_set_mode (self->session, INTERP_MODE_LOOK);
  wire_do (self->wire, self->server, "call_1", "shell", "touch made");
  wire_say (self->wire, self->server, "I see.");
  session_fixture_send (self, "Go");
  session_fixture_await_end (self);
  g_assert_cmpint (interp_cell_get_cell_state (session_fixture_get_cell (self, 0)), ==, INTERP_CELL_NOT_RUN);
  second = session_fixture_get_request (self, 1);
  session_test_check_calls (second);
  session_test_assert_contains (session_test_get_result (second, "call_1"), "Nothing was run");
}

/* The mode changes while it is asked, or between two calls. */
static void
test_mode_changes (SessionFixture *self, gconstpointer data)
{
  InterpTestReply *reply = wire_begin (self->wire, self->server);
  g_autoptr (JsonNode) second = NULL;
  g_autofree char *file = NULL;

  wire_call (self->wire, reply, 0, "call_a", "shell", "touch one");
  wire_call (self->wire, reply, 1, "call_b", "shell", "touch two");
  wire_end (self->wire, reply, "tool_calls");
  wire_say (self->wire, self->server, "I see.");
  session_fixture_send (self, "Go");
  session_fixture_await_question (self);
  interp_session_set_mode (self->session, INTERP_MODE_LOOK);
  session_fixture_await_end (self);
  second = session_fixture_get_request (self, 1);
  session_test_check_calls (second);
  session_test_assert_contains (session_test_get_result (second, "call_a"), "Nothing was run");
  session_test_assert_contains (session_test_get_result (second, "call_b"), "Nothing was run");
  file = session_fixture_read_file (self, "one");
  g_assert_null (file);
}

/* The user's own code: in the same kernel, and the model is told with the next prompt. */
static void
test_own_code (SessionFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) first = NULL;
  g_autofree char *conversation = NULL;
  InterpCell *cell;

  interp_session_run_code (self->session, "python", "mine = 5\nprint('own', mine)");
  session_fixture_await_text (self, INTERP_ITEM_CELL, 0, "own 5");
  session_fixture_await_state (self, INTERP_SESSION_IDLE);
  cell = session_fixture_get_cell (self, 0);
  g_assert_true (interp_cell_is_by_user (cell));

  wire_do (self->wire, self->server, "call_1", "python", "print(mine + 1)");
  wire_say (self->wire, self->server, "Six.");
  session_fixture_send (self, "What is one more?");
  session_fixture_approve (self);
  session_fixture_await_end (self);
  first = session_fixture_get_request (self, 1);
  session_test_check_calls (first);
  conversation = session_test_get_conversation (first);
  session_test_assert_contains (conversation, "The user ran this");
  session_test_assert_contains (conversation, "own 5");
  session_test_assert_contains (conversation, "What is one more?");
  g_assert_cmpstr (session_test_get_result (first, "call_1"), ==, "Output:\n6");
}

static void
test_background (SessionFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) second = NULL;
  g_autoptr (JsonNode) third = NULL;
  g_autofree char *conversation = NULL;
  InterpCell *cell;

  wire_do (self->wire, self->server, "call_1", "shell", SESSION_TEST_WAIT);
  wire_say (self->wire, self->server, "It goes on.");
  session_fixture_send (self, "Go");
  session_fixture_approve (self);
  cell = INTERP_CELL (session_fixture_await_text (self, INTERP_ITEM_CELL, 0, "begun"));
  interp_session_continue_in_background (self->session, cell);
  second = session_fixture_get_request (self, 1);
  session_test_assert_contains (session_test_get_result (second, "call_1"), "still running");
  kernel_test_until ((KernelTestCondition) interp_session_has_running, self->session);
  session_fixture_await_text (self, INTERP_ITEM_ASSISTANT, 0, "It goes on.");

  g_assert_cmpint (interp_cell_get_cell_state (cell), ==, INTERP_CELL_RUNNING);
  /* The chat goes on beside it. */
  wire_say (self->wire, self->server, "Still here.");
  session_fixture_send (self, "Are you there?");
  session_fixture_await_text (self, INTERP_ITEM_ASSISTANT, 1, "Still here.");
  g_assert_cmpint (interp_cell_get_cell_state (cell), ==, INTERP_CELL_RUNNING);
  session_fixture_go_on (self);
  session_fixture_await_text (self, INTERP_ITEM_CELL, 0, "ended");
  session_fixture_await_state (self, INTERP_SESSION_IDLE);
  self->n_awaited = self->n_finished;

  wire_say (self->wire, self->server, "I know.");
  session_fixture_send (self, "And?");
  session_fixture_await_end (self);
  third = session_fixture_get_request (self, 3);
  session_test_check_calls (third);
  conversation = session_test_get_conversation (third);
  session_test_assert_contains (conversation, "in the background has ended");
  session_test_assert_contains (conversation, "ended");
}

static void
test_picture (SessionFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) second = NULL;
  g_autoptr (InterpDisplay) display = NULL;
  InterpCell *cell;

  wire_do (self->wire, self->server, "call_1", "python",
           "class Chart:\n"
           "    def _repr_png_(self):\n"
           "        import base64\n"
           "        return base64.b64decode('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M/wHwAEBgIA"
           "JPq5iQAAAABJRU5ErkJggg==')\n"
           "Chart()\n");
  wire_say (self->wire, self->server, "A chart.");
  session_fixture_send (self, "Draw");
  session_fixture_approve (self);
  session_fixture_await_end (self);
  cell = session_fixture_get_cell (self, 0);
  g_assert_cmpuint (g_list_model_get_n_items (interp_cell_get_displays (cell)), ==, 1);
  display = g_list_model_get_item (interp_cell_get_displays (cell), 0);
  g_assert_cmpstr (interp_display_get_mime (display), ==, "image/png");
  /* It is kept, whatever becomes of the kernel's own files. */
  g_assert_true (g_str_has_prefix (interp_display_get_path (display), self->data_folder));
  second = session_fixture_get_request (self, 1);
  session_test_assert_contains (session_test_get_result (second, "call_1"), "Chart shown to the user");
}

int
main (int argc, char **argv)
{
  static const SessionTest tests[] = {
    { "approve", test_approve },
    { "kernels-stay", test_kernels_stay },
    { "failure", test_failure },
    { "refuse", test_refuse },
    { "refuse-and-stop", test_refuse_and_stop },
    { "edit", test_edit },
    { "parallel", test_parallel },
    { "parallel-one-refused", test_parallel_one_refused },
    { "unknown-language", test_unknown_language },
  };

  session_test_init (&argc, &argv);

  session_test_add_table ("run", tests, G_N_ELEMENTS (tests), FALSE);
  session_test_add ("/session/run/auto", NULL, test_auto);
  session_test_add ("/session/run/auto-recovered", NULL, test_auto_recovered);
  session_test_add ("/session/run/look", NULL, test_look);
  session_test_add ("/session/run/mode-changes", NULL, test_mode_changes);
  session_test_add ("/session/run/own-code", NULL, test_own_code);
  session_test_add ("/session/run/background", NULL, test_background);
  session_test_add ("/session/run/picture", NULL, test_picture);

  return g_test_run ();
}
