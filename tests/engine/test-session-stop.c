/* test-session-stop.c: Stop, at every point of a turn
 *
 * Each leaves a chat that goes on, one result for each call, and a note that the model gets with the next prompt.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "base/interp-json.h"
#include "session-fixture.h"

#include <string.h>

/* Stops and sees the turn end with nothing more said or run. */
static void
stop (SessionFixture *self)
{
  guint n = session_fixture_get_n_requests (self);

  interp_session_stop (self->session);
  interp_session_stop (self->session);
  session_fixture_await_end (self);
  g_assert_cmpuint (session_fixture_get_n_requests (self), ==, n);
  g_assert_cmpuint (session_fixture_count (self, INTERP_ITEM_ERROR), ==, 0);
  g_assert_false (interp_session_has_running (self->session));
}

/* The next prompt is answered. What was sent with it; transfer full. */
static JsonNode *
go_on (SessionFixture *self)
{
  guint n = session_fixture_get_n_requests (self);
  guint n_answers = session_fixture_count (self, INTERP_ITEM_ASSISTANT);
  JsonNode *request;
  g_autofree char *conversation = NULL;

  wire_say (self->wire, self->server, "Fine.");
  session_fixture_send (self, "And now?");
  session_fixture_await_end (self);
  g_assert_cmpstr (interp_item_get_text (session_fixture_get_item (self, INTERP_ITEM_ASSISTANT, n_answers)), ==,
                   "Fine.");
  request = session_fixture_get_request (self, n);
  session_test_check_calls (request);
  conversation = session_test_get_conversation (request);
  session_test_assert_contains (conversation, "Begin");
  session_test_assert_contains (conversation, "And now?");

  return request;
}

static void
test_idle (SessionFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) request = NULL;

  interp_session_stop (self->session);
  wire_say (self->wire, self->server, "Yes?");
  session_fixture_send (self, "Begin");
  session_fixture_await_end (self);
  interp_session_stop (self->session);
  request = go_on (self);
}

static void
test_before_answer (SessionFixture *self, gconstpointer data)
{
  InterpTestReply *reply = interp_test_server_reply (self->server, self->wire->path);
  g_autoptr (JsonNode) request = NULL;
  g_autoptr (JsonNode) next = NULL;

  interp_test_reply_await_close (reply);
  session_fixture_send (self, "Begin");
  request = session_fixture_get_request (self, 0);
  g_assert_cmpint (interp_session_get_state (self->session), ==, INTERP_SESSION_ASKING);
  stop (self);
  interp_test_server_await_closed (self->server, 1);
  next = go_on (self);
}

static void
test_between_tries (SessionFixture *self, gconstpointer data)
{
  InterpTestReply *reply = interp_test_server_reply (self->server, self->wire->path);
  g_autoptr (JsonNode) request = NULL;
  g_autoptr (JsonNode) next = NULL;

  interp_test_reply_head (reply, 429, "application/json", "Retry-After: 500\r\n");
  interp_test_reply_send (reply, "{\"error\":\"slow down\"}", -1);
  session_fixture_send (self, "Begin");
  request = session_fixture_get_request (self, 0);
  stop (self);
  next = go_on (self);
}

static void
test_in_answer (SessionFixture *self, gconstpointer data)
{
  InterpTestReply *reply = wire_begin (self->wire, self->server);
  g_autoptr (JsonNode) next = NULL;
  g_autofree char *conversation = NULL;
  InterpItem *item;

  wire_text (self->wire, reply, "So far ");
  wire_text (self->wire, reply, "it went");
  interp_test_reply_await_close (reply);
  session_fixture_send (self, "Begin");
  item = session_fixture_await_text (self, INTERP_ITEM_ASSISTANT, 0, "it went");
  g_assert_cmpint (interp_session_get_state (self->session), ==, INTERP_SESSION_ANSWERING);
  g_assert_cmpint (interp_item_get_state (item), ==, INTERP_ITEM_OPEN);
  stop (self);
  g_assert_cmpint (interp_item_get_state (item), ==, INTERP_ITEM_INTERRUPTED);
  g_assert_cmpstr (interp_item_get_text (item), ==, "So far it went");
  /* The server stops working. */
  interp_test_server_await_closed (self->server, 1);

  next = go_on (self);
  conversation = session_test_get_conversation (next);
  session_test_assert_contains (conversation, "assistant: So far it went\n");
  session_test_assert_contains (conversation, "The user stopped your last answer before its end.");
}

static void
test_in_thinking (SessionFixture *self, gconstpointer data)
{
  InterpTestReply *reply = wire_begin (self->wire, self->server);
  g_autoptr (JsonNode) next = NULL;
  InterpItem *item;

  wire_reasoning (self->wire, reply, "Hmm, so");
  interp_test_reply_await_close (reply);
  session_fixture_send (self, "Begin");
  item = session_fixture_await_text (self, INTERP_ITEM_REASONING, 0, "Hmm, so");
  stop (self);
  g_assert_cmpint (interp_item_get_state (item), ==, INTERP_ITEM_INTERRUPTED);
  next = go_on (self);
}

/* The code is still being written. */
static void
test_in_call (SessionFixture *self, gconstpointer data)
{
  InterpTestReply *reply = wire_begin (self->wire, self->server);
  g_autoptr (JsonNode) next = NULL;
  InterpCell *cell;
  g_autofree char *shown = NULL;
  g_autofree char *kept = NULL;

  wire_text (self->wire, reply, "Now:");
  wire_cut_call (self->wire, reply, "shell", "touch made; echo 'a longer piece of code'");
  interp_test_reply_await_close (reply);
  session_fixture_send (self, "Begin");
  cell = session_fixture_await_cell (self, 0, INTERP_CELL_WRITING);
  stop (self);
  g_assert_cmpint (interp_cell_get_cell_state (cell), ==, INTERP_CELL_INTERRUPTED);
  g_assert_false (interp_cell_is_runnable (cell));
  next = go_on (self);
  session_test_assert_contains (session_test_get_result (next, "call_cut"), "never run");
  /* What is kept of it is what is shown. */
  shown = session_fixture_describe (self);
  session_fixture_restart (self);
  kept = session_fixture_describe (self);
  g_assert_cmpstr (kept, ==, shown);
}

static void
script_two_calls (SessionFixture *self, const char *first, const char *second)
{
  InterpTestReply *reply = wire_begin (self->wire, self->server);

  wire_call (self->wire, reply, 0, "call_a", "shell", first);
  wire_call (self->wire, reply, 1, "call_b", "python", second);
  wire_end (self->wire, reply, "tool_calls");
}

static void
test_in_question (SessionFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) next = NULL;
  InterpCell *cell;
  g_autofree char *file = NULL;

  script_two_calls (self, "touch made", "open('made', 'w')");
  session_fixture_send (self, "Begin");
  cell = session_fixture_await_question (self);
  session_fixture_await_cell (self, 1, INTERP_CELL_WAITING);
  stop (self);
  for (guint i = 0; i < 2; i++)
    g_assert_cmpint (interp_cell_get_cell_state (session_fixture_get_cell (self, i)), ==, INTERP_CELL_INTERRUPTED);
  /* Too late. */
  g_assert_false (interp_session_approve (self->session, cell, "touch made"));

  next = go_on (self);
  session_test_assert_contains (session_test_get_result (next, "call_a"), "The user stopped");
  session_test_assert_contains (session_test_get_result (next, "call_b"), "The user stopped");
  file = session_fixture_read_file (self, "made");
  g_assert_null (file);
}

/* In the same breath as the approval: the kernel has not even begun to start. */
static void
test_at_start (SessionFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) next = NULL;
  g_autofree char *file = NULL;

  script_two_calls (self, "touch made", "open('made', 'w')");
  session_fixture_send (self, "Begin");
  session_fixture_approve (self);
  stop (self);
  g_assert_cmpint (interp_cell_get_cell_state (session_fixture_get_cell (self, 0)), ==, INTERP_CELL_INTERRUPTED);
  next = go_on (self);
  session_test_assert_contains (session_test_get_result (next, "call_a"), "stopped");
  session_test_assert_contains (session_test_get_result (next, "call_b"), "stopped");
  file = session_fixture_read_file (self, "made");
  g_assert_null (file);
}

/* While the kernel starts. */
static void
test_in_start (SessionFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) next = NULL;
  InterpCell *cell;

  script_two_calls (self, "echo never", "print('never')");
  session_fixture_send (self, "Begin");
  session_fixture_approve (self);
  /* The list of kernels is the first sign of it. */
  while (g_list_model_get_n_items (interp_session_get_kernels (self->session)) == 0)
    g_main_context_iteration (NULL, TRUE);
  cell = session_fixture_get_cell (self, 0);
  g_assert_cmpint (interp_cell_get_cell_state (cell), ==, INTERP_CELL_STARTING);
  stop (self);
  g_assert_cmpint (interp_cell_get_cell_state (cell), ==, INTERP_CELL_INTERRUPTED);
  next = go_on (self);
  session_test_assert_contains (session_test_get_result (next, "call_a"), "stopped");
}

typedef struct
{
  const char *language;
  const char *before; /* sets a variable */
  const char *code;   /* prints "begun" and never ends */
  const char *after;  /* prints it */
} Endless;

static const Endless endless[] = {
  { "shell", "x=7", SESSION_TEST_WAIT, "echo \"still $x\"" },
  { "python", "x = 7", "import time\nprint('begun', flush=True)\ntime.sleep(1000)\n", "print('still', x)" },
};

static void
test_in_run (SessionFixture *self, gconstpointer data)
{
  const Endless *code = &endless[self->wire == &wire_ollama];
  g_autoptr (JsonNode) next = NULL;
  g_autoptr (JsonNode) last = NULL;
  InterpTestReply *reply;
  InterpCell *cell;
  const char *result;
  g_autofree char *file = NULL;
  g_autofree char *output = NULL;

  interp_session_set_mode (self->session, INTERP_MODE_AUTO);
  wire_do (self->wire, self->server, "call_x", code->language, code->before);
  reply = wire_begin (self->wire, self->server);
  wire_call (self->wire, reply, 0, "call_a", code->language, code->code);
  wire_call (self->wire, reply, 1, "call_b", "shell", "touch made");
  wire_end (self->wire, reply, "tool_calls");
  session_fixture_send (self, "Begin");
  session_fixture_await_text (self, INTERP_ITEM_CELL, 1, "begun");
  g_assert_cmpint (interp_session_get_state (self->session), ==, INTERP_SESSION_RUNNING);
  stop (self);

  cell = session_fixture_get_cell (self, 1);
  g_assert_cmpint (interp_cell_get_cell_state (cell), ==, INTERP_CELL_INTERRUPTED);
  output = interp_cell_dup_output (cell, NULL);
  session_test_assert_contains (output, "begun");
  g_assert_cmpint (interp_cell_get_cell_state (session_fixture_get_cell (self, 2)), ==, INTERP_CELL_INTERRUPTED);
  file = session_fixture_read_file (self, "made");
  g_assert_null (file);

  next = go_on (self);
  result = session_test_get_result (next, "call_a");
  session_test_assert_contains (result, "begun");
  session_test_assert_contains (result, "The user interrupted this code while it ran");
  session_test_assert_contains (session_test_get_result (next, "call_b"), "never run");

  /* The same kernel goes on. */
  wire_do (self->wire, self->server, "call_c", code->language, code->after);
  wire_say (self->wire, self->server, "Done.");
  session_fixture_send (self, "Once more");
  session_fixture_await_end (self);
  last = session_fixture_get_request (self, session_fixture_get_n_requests (self) - 1);
  g_assert_cmpstr (session_test_get_result (last, "call_c"), ==, "Output:\nstill 7");
}

/* Written while it ran: Stop means "hear me". */
static void
test_with_queue (SessionFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) request = NULL;
  g_autofree char *conversation = NULL;

  interp_session_set_mode (self->session, INTERP_MODE_AUTO);
  script_two_calls (self, endless[0].code, "print('never')");
  wire_say (self->wire, self->server, "I heard.");
  session_fixture_send (self, "Begin");
  session_fixture_await_text (self, INTERP_ITEM_CELL, 0, "begun");
  session_fixture_send (self, "No, something else");
  interp_session_stop (self->session);
  session_fixture_await_text (self, INTERP_ITEM_ASSISTANT, 0, "I heard.");
  session_fixture_await_state (self, INTERP_SESSION_IDLE);

  request = session_fixture_get_request (self, 1);
  session_test_check_calls (request);
  conversation = session_test_get_conversation (request);
  session_test_assert_contains (conversation, "interrupted this code");
  session_test_assert_contains (conversation, "No, something else");
}

/* In text mode it is asked while the answer still goes on. */
static void
test_text_mode (SessionFixture *self, gconstpointer data)
{
  InterpTestReply *reply = wire_begin (self->wire, self->server);
  g_autoptr (JsonNode) next = NULL;
  g_autofree char *conversation = NULL;
  InterpCell *cell;

  wire_text (self->wire, reply, "Now:\n```sh\ntouch made\n```\nIt is ");
  interp_test_reply_await_close (reply);
  session_fixture_send (self, "Begin");
  cell = session_fixture_await_question (self);
  stop (self);
  g_assert_cmpint (interp_cell_get_cell_state (cell), ==, INTERP_CELL_INTERRUPTED);
  interp_test_server_await_closed (self->server, 1);
  next = go_on (self);
  conversation = session_test_get_conversation (next);
  session_test_assert_contains (conversation, "touch made");
  session_test_assert_contains (conversation, "The user stopped");
  session_test_assert_lacks (conversation, "It is ");
}

/* Interpreter is closed in the middle of each of these: the same, and no process is left. */
static void
test_close_in_run (SessionFixture *self, gconstpointer data)
{
  g_autofree char *name = kernel_test_make_name ();
  g_autofree char *code = g_strdup_printf ("echo begun; bash -c 'sleep 1000; :' %s", name);

  interp_session_set_mode (self->session, INTERP_MODE_AUTO);
  script_two_calls (self, code, "print('never')");
  session_fixture_send (self, "Begin");
  session_fixture_await_text (self, INTERP_ITEM_CELL, 0, "begun");
  session_fixture_restart (self);
  g_assert_cmpuint (kernel_test_count_processes (name), ==, 0);
  g_assert_cmpint (interp_session_get_state (self->session), ==, INTERP_SESSION_IDLE);
  g_assert_cmpint (interp_cell_get_cell_state (session_fixture_get_cell (self, 0)), ==, INTERP_CELL_INTERRUPTED);
  g_assert_cmpint (interp_cell_get_cell_state (session_fixture_get_cell (self, 1)), ==, INTERP_CELL_INTERRUPTED);
  {
    g_autoptr (JsonNode) next = go_on (self);

    session_test_assert_contains (session_test_get_result (next, "call_a"), "begun");
  }
}

int
main (int argc, char **argv)
{
  static const SessionTest tests[] = {
    { "idle", test_idle },
    { "before-answer", test_before_answer },
    { "between-tries", test_between_tries },
    { "in-answer", test_in_answer },
    { "in-thinking", test_in_thinking },
    { "in-question", test_in_question },
    { "at-start", test_at_start },
    { "in-start", test_in_start },
    { "in-run", test_in_run },
    { "with-queue", test_with_queue },
    { "close-in-run", test_close_in_run },
  };

  session_test_init (&argc, &argv);

  session_test_add_table ("stop", tests, G_N_ELEMENTS (tests), FALSE);
  session_test_add_table ("stop", &(SessionTest) { "text-mode", test_text_mode }, 1, TRUE);
  /* Ollama gives calls out when they are whole. */
  session_test_add ("/session/stop/llamacpp/in-call", &wire_chat, test_in_call);

  return g_test_run ();
}
