/* test-session-faults.c: answers that fail, and what the user can do then
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "base/interp-json.h"
#include "session-fixture.h"

#include <string.h>

static guint
count_in (const char *text, const char *part)
{
  guint n = 0;

  for (const char *p = strstr (text, part); p != NULL; p = strstr (p + strlen (part), part))
    n++;

  return n;
}

/* The error that ended the turn; what had arrived is said to be kept once, if anything had. */
static InterpItem *
check_error (SessionFixture *self, const char *words, gboolean kept, InterpOffers offers)
{
  InterpItem *error = session_fixture_get_item (self, INTERP_ITEM_ERROR, 0);

  g_assert_nonnull (error);
  session_test_assert_contains (interp_item_get_text (error), words);
  g_assert_cmpuint (count_in (interp_item_get_text (error), "is kept"), ==, kept ? 1 : 0);
  g_assert_cmpint (interp_item_get_offers (error), ==, offers);

  return error;
}

static void
try_again (SessionFixture *self, InterpItem *item)
{
  interp_session_try_again (self->session, item, NULL);
  session_fixture_await_end (self);
}

static void
test_cut_text (SessionFixture *self, gconstpointer data)
{
  InterpTestReply *reply = wire_begin (self->wire, self->server);
  g_autoptr (JsonNode) again = NULL;
  g_autofree char *conversation = NULL;
  g_autofree char *all = NULL;
  InterpItem *item;
  InterpItem *error;

  wire_reasoning (self->wire, reply, "Hmm");
  wire_text (self->wire, reply, "Half of ");
  wire_text (self->wire, reply, "the answer");
  session_fixture_send (self, "Go");
  session_fixture_await_end (self);
  item = session_fixture_get_item (self, INTERP_ITEM_ASSISTANT, 0);
  g_assert_cmpstr (interp_item_get_text (item), ==, "Half of the answer");
  g_assert_cmpint (interp_item_get_state (item), ==, INTERP_ITEM_INCOMPLETE);
  error = check_error (self, "stopped in the middle", TRUE, INTERP_OFFER_CONTINUE | INTERP_OFFER_TRY_AGAIN);

  wire_say (self->wire, self->server, "The whole answer");
  try_again (self, error);
  again = session_fixture_get_request (self, 1);
  conversation = session_test_get_conversation (again);
  g_assert_cmpstr (conversation, ==, "user: Go\n");
  /* Not beside what is there, but instead of it. */
  all = session_fixture_describe (self);
  g_assert_cmpstr (all, ==, "user (complete): Go\nassistant (complete): The whole answer\n");
}

static void
test_cut_text_continue (SessionFixture *self, gconstpointer data)
{
  InterpTestReply *reply = wire_begin (self->wire, self->server);
  g_autoptr (JsonNode) more = NULL;
  g_autofree char *conversation = NULL;

  wire_text (self->wire, reply, "Half of ");
  session_fixture_send (self, "Go");
  session_fixture_await_end (self);
  wire_say (self->wire, self->server, "the answer");
  interp_session_continue (self->session);
  session_fixture_await_end (self);
  more = session_fixture_get_request (self, 1);
  conversation = session_test_get_conversation (more);
  g_assert_true (g_str_has_prefix (conversation, "user: Go\nassistant: Half of"));
  session_test_assert_contains (conversation, "user: Go on");
  g_assert_cmpuint (session_fixture_count (self, INTERP_ITEM_ASSISTANT), ==, 2);
}

/* Nothing asks any more in this mode, and still nothing runs. */
static void
test_cut_call (SessionFixture *self, gconstpointer data)
{
  InterpTestReply *reply = wire_begin (self->wire, self->server);
  g_autoptr (JsonNode) again = NULL;
  g_autofree char *conversation = NULL;
  g_autofree char *file = NULL;
  g_autofree char *all = NULL;
  InterpItem *error;

  interp_session_set_mode (self->session, INTERP_MODE_AUTO);
  wire_text (self->wire, reply, "Now:");
  wire_cut_call (self->wire, reply, "shell", "touch made\ntouch made-too");
  session_fixture_send (self, "Go");
  session_fixture_await_end (self);
  error = check_error (self, "stopped in the middle", TRUE, INTERP_OFFER_CONTINUE | INTERP_OFFER_TRY_AGAIN);
  file = session_fixture_read_file (self, "made");
  g_assert_null (file);
  if (self->wire == &wire_chat)
    {
      InterpCell *cell = session_fixture_get_cell (self, 0);

      g_assert_cmpint (interp_cell_get_cell_state (cell), ==, INTERP_CELL_NOT_RUN);
      g_assert_false (interp_cell_is_runnable (cell));
      session_test_assert_contains (interp_cell_get_note (cell), "broke off");
    }
  else
    g_assert_cmpuint (session_fixture_count (self, INTERP_ITEM_CELL), ==, 0);
  g_assert_cmpuint (session_fixture_get_n_requests (self), ==, 1);

  wire_say (self->wire, self->server, "Rather not.");
  try_again (self, error);
  again = session_fixture_get_request (self, 1);
  session_test_check_calls (again);
  conversation = session_test_get_conversation (again);
  g_assert_cmpstr (conversation, ==, "user: Go\n");
  all = session_fixture_describe (self);
  g_assert_cmpstr (all, ==, "user (complete): Go\nassistant (complete): Rather not.\n");
}

/* The user goes on in words of their own instead: the call is there, with its result. */
static void
test_cut_call_then_prompt (SessionFixture *self, gconstpointer data)
{
  InterpTestReply *reply = wire_begin (self->wire, self->server);
  g_autoptr (JsonNode) next = NULL;

  wire_cut_call (self->wire, reply, "shell", "touch made\ntouch made-too");
  session_fixture_send (self, "Go");
  session_fixture_await_end (self);
  wire_say (self->wire, self->server, "Yes?");
  session_fixture_send (self, "Well?");
  session_fixture_await_end (self);
  next = session_fixture_get_request (self, 1);
  session_test_check_calls (next);
  session_test_assert_contains (session_test_get_result (next, "call_cut"), "never run");
}

/* An earlier step of the turn went well: it is not done again. */
static void
test_cut_after_run (SessionFixture *self, gconstpointer data)
{
  InterpTestReply *reply;
  g_autoptr (JsonNode) again = NULL;
  g_autofree char *file = NULL;

  interp_session_set_mode (self->session, INTERP_MODE_AUTO);
  wire_do (self->wire, self->server, "call_1", "shell", "echo x >> log; echo done");
  reply = wire_begin (self->wire, self->server);
  wire_text (self->wire, reply, "It is");
  session_fixture_send (self, "Go");
  session_fixture_await_end (self);
  wire_say (self->wire, self->server, "It is done.");
  try_again (self, session_fixture_get_item (self, INTERP_ITEM_ERROR, 0));
  again = session_fixture_get_request (self, 2);
  session_test_check_calls (again);
  g_assert_cmpstr (session_test_get_result (again, "call_1"), ==, "Output:\ndone");
  file = session_fixture_read_file (self, "log");
  g_assert_cmpstr (file, ==, "x\n");
  g_assert_cmpuint (session_fixture_count (self, INTERP_ITEM_CELL), ==, 1);
  g_assert_cmpuint (session_fixture_count (self, INTERP_ITEM_ASSISTANT), ==, 1);
  g_assert_cmpuint (session_fixture_count (self, INTERP_ITEM_ERROR), ==, 0);
}

static void
test_length_in_call (SessionFixture *self, gconstpointer data)
{
  InterpTestReply *reply = wire_begin (self->wire, self->server);
  g_autoptr (JsonNode) second = NULL;
  g_autofree char *file = NULL;
  InterpCell *cell;

  interp_session_set_mode (self->session, INTERP_MODE_AUTO);
  wire_cut_call (self->wire, reply, "shell", "touch made\ntouch made-too");
  wire_end (self->wire, reply, "length");
  wire_say (self->wire, self->server, "Shorter, then.");
  session_fixture_send (self, "Go");
  session_fixture_await_end (self);
  cell = session_fixture_get_cell (self, 0);
  g_assert_cmpint (interp_cell_get_cell_state (cell), ==, INTERP_CELL_NOT_RUN);
  g_assert_false (interp_cell_is_runnable (cell));
  file = session_fixture_read_file (self, "made");
  g_assert_null (file);
  second = session_fixture_get_request (self, 1);
  session_test_check_calls (second);
  session_test_assert_contains (session_test_get_result (second, "call_cut"), "Nothing was run");
  session_test_assert_contains (session_test_get_result (second, "call_cut"), "length limit");
}

static void
test_length_in_text (SessionFixture *self, gconstpointer data)
{
  InterpTestReply *reply = wire_begin (self->wire, self->server);
  InterpItem *notice;

  wire_text (self->wire, reply, "Half");
  wire_end (self->wire, reply, "length");
  session_fixture_send (self, "Go");
  session_fixture_await_end (self);
  g_assert_cmpint (interp_item_get_state (session_fixture_get_item (self, INTERP_ITEM_ASSISTANT, 0)), ==,
                   INTERP_ITEM_INCOMPLETE);
  notice = session_fixture_get_item (self, INTERP_ITEM_NOTICE, 0);
  session_test_assert_contains (interp_item_get_text (notice), "length limit");
  g_assert_cmpint (interp_item_get_offers (notice), ==, INTERP_OFFER_CONTINUE);
}

/* It is said once, whatever ended it. */
static void
check_thinking_alone (SessionFixture *self, const char *reason, const char *words)
{
  InterpTestReply *reply = wire_begin (self->wire, self->server);
  InterpItem *notice;

  wire_reasoning (self->wire, reply, "Hmm");
  wire_end (self->wire, reply, reason);
  session_fixture_send (self, "Go");
  session_fixture_await_end (self);
  g_assert_cmpuint (session_fixture_count (self, INTERP_ITEM_NOTICE), ==, 1);
  notice = session_fixture_get_item (self, INTERP_ITEM_NOTICE, 0);
  session_test_assert_contains (interp_item_get_text (notice), words);
  g_assert_cmpint (interp_item_get_offers (notice), ==, INTERP_OFFER_TRY_AGAIN | INTERP_OFFER_CHOOSE_MODEL);
}

static void
test_length_in_thinking (SessionFixture *self, gconstpointer data)
{
  check_thinking_alone (self, "length", "used up the length limit with thinking");
}

static void
test_thinking_alone (SessionFixture *self, gconstpointer data)
{
  check_thinking_alone (self, "stop", "thought, but gave no answer");
}

static void
test_empty_answer (SessionFixture *self, gconstpointer data)
{
  g_autofree char *all = NULL;

  wire_end (self->wire, wire_begin (self->wire, self->server), "stop");
  session_fixture_send (self, "Go");
  session_fixture_await_end (self);
  g_assert_cmpuint (session_fixture_count (self, INTERP_ITEM_ASSISTANT), ==, 0);
  session_test_assert_contains (interp_item_get_text (session_fixture_get_item (self, INTERP_ITEM_NOTICE, 0)),
                                "empty answer");
  wire_say (self->wire, self->server, "Here.");
  try_again (self, session_fixture_get_item (self, INTERP_ITEM_NOTICE, 0));
  all = session_fixture_describe (self);
  g_assert_cmpstr (all, ==, "user (complete): Go\nassistant (complete): Here.\n");
}

static void
test_key (SessionFixture *self, gconstpointer data)
{
  g_autofree char *all = NULL;
  InterpItem *error;

  interp_test_reply_json (interp_test_server_reply (self->server, self->wire->path), 401,
                          "{\"error\":{\"message\":\"No key\",\"type\":\"authentication_error\"}}");
  session_fixture_send (self, "Go");
  session_fixture_await_end (self);
  error = check_error (self, "No key", FALSE,
                       INTERP_OFFER_ENTER_KEY | INTERP_OFFER_TRY_AGAIN | INTERP_OFFER_CHOOSE_MODEL);
  wire_say (self->wire, self->server, "Here.");
  try_again (self, error);
  all = session_fixture_describe (self);
  g_assert_cmpstr (all, ==, "user (complete): Go\nassistant (complete): Here.\n");
}

/* The server knows better than its list: from then on without tools. */
static void
test_no_tools (SessionFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) second = NULL;
  g_autoptr (JsonNode) third = NULL;
  g_autofree char *conversation = NULL;

  interp_test_reply_json (interp_test_server_reply (self->server, self->wire->path), 400,
                          "{\"error\":\"" SESSION_TEST_MODEL " does not support tools\"}");
  wire_say (self->wire, self->server, "```sh\necho by fence\n```\n");
  wire_say (self->wire, self->server, "Done.");
  session_fixture_send (self, "Go");
  session_fixture_approve (self);
  session_fixture_await_end (self);
  g_assert_cmpuint (session_fixture_count (self, INTERP_ITEM_ERROR), ==, 0);
  g_assert_cmpuint (session_fixture_count (self, INTERP_ITEM_NOTICE), ==, 0);
  second = session_fixture_get_request (self, 1);
  g_assert_null (interp_json_get (second, "tools"));
  third = session_fixture_get_request (self, 2);
  conversation = session_test_get_conversation (third);
  session_test_assert_contains (conversation, "Output:\nby fence");
}

/* Longer than the server takes: asked again with less of it. */
static void
test_too_long (SessionFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) refused = NULL;
  g_autoptr (JsonNode) second = NULL;
  g_autofree char *long_conversation = NULL;
  g_autofree char *short_conversation = NULL;
  g_autofree char *all = NULL;

  for (guint i = 0; i < 4; i++)
    {
      g_autofree char *filler = g_strnfill (4000, 'x');
      g_autofree char *prompt = g_strdup_printf ("Prompt %u %s", i, filler);

      wire_say (self->wire, self->server, "I see.");
      session_fixture_send (self, prompt);
      session_fixture_await_end (self);
    }
  interp_test_reply_json (interp_test_server_reply (self->server, self->wire->path), 400,
                          "{\"error\":{\"code\":400,\"message\":\"the request exceeds the available context size\","
                          "\"type\":\"exceed_context_size_error\"}}");
  wire_say (self->wire, self->server, "At last.");
  session_fixture_send (self, "The last prompt");
  session_fixture_await_end (self);
  g_assert_cmpuint (session_fixture_count (self, INTERP_ITEM_ERROR), ==, 0);
  refused = session_fixture_get_request (self, 4);
  long_conversation = session_test_get_conversation (refused);
  session_test_assert_contains (long_conversation, "Prompt 0");
  second = session_fixture_get_request (self, 5);
  short_conversation = session_test_get_conversation (second);
  session_test_assert_lacks (short_conversation, "Prompt 0");
  session_test_assert_contains (short_conversation, "The last prompt");
  all = session_fixture_describe (self);
  g_assert_cmpuint (count_in (all, "longer than the model can read"), ==, 1);
}

static void
test_nobody_there (SessionFixture *self, gconstpointer data)
{
  InterpItem *error;

  wire_say (self->wire, self->server, "Yes?");
  session_fixture_send (self, "Hello");
  session_fixture_await_end (self);
  interp_test_server_free (self->server);
  self->server = interp_test_server_new ();
  session_fixture_send (self, "Are you there?");
  session_fixture_await_end (self);
  error = session_fixture_get_item (self, INTERP_ITEM_ERROR, 0);
  g_assert_nonnull (error);
  g_assert_true (interp_item_get_offers (error) & INTERP_OFFER_TRY_AGAIN);
  g_assert_true (interp_item_get_offers (error) & INTERP_OFFER_CHOOSE_MODEL);
}

/* The server cuts each request of a long conversation; its user is told once. */
static void
test_cut_context (SessionFixture *self, gconstpointer data)
{
  g_autofree char *much = g_strnfill (8000, 'x');

  wire_say (self->wire, self->server, "First");
  wire_say (self->wire, self->server, "Second");
  session_fixture_send (self, much);
  session_fixture_await_end (self);
  session_fixture_send (self, much);
  session_fixture_await_end (self);
  g_assert_cmpuint (session_fixture_count (self, INTERP_ITEM_ASSISTANT), ==, 2);
  g_assert_cmpuint (session_fixture_count (self, INTERP_ITEM_NOTICE), ==, 1);
  session_test_assert_contains (interp_item_get_text (session_fixture_get_item (self, INTERP_ITEM_NOTICE, 0)),
                                "read only 11 tokens");
}

int
main (int argc, char **argv)
{
  static const SessionTest tests[] = {
    { "cut/text", test_cut_text },
    { "cut/text-continue", test_cut_text_continue },
    { "cut/call", test_cut_call },
    { "cut/after-run", test_cut_after_run },
    { "length/in-text", test_length_in_text },
    { "length/in-thinking", test_length_in_thinking },
    { "thinking-alone", test_thinking_alone },
    { "empty-answer", test_empty_answer },
    { "key", test_key },
    { "no-tools", test_no_tools },
    { "too-long", test_too_long },
    { "nobody-there", test_nobody_there },
  };

  session_test_init (&argc, &argv);

  session_test_add_table ("faults", tests, G_N_ELEMENTS (tests), FALSE);
  /* Ollama gives calls out when they are whole. */
  session_test_add ("/session/faults/llamacpp/cut/call-then-prompt", &wire_chat, test_cut_call_then_prompt);
  session_test_add ("/session/faults/llamacpp/length/in-call", &wire_chat, test_length_in_call);

  session_test_add ("/session/faults/ollama/cut-context", &wire_ollama, test_cut_context);

  return g_test_run ();
}
