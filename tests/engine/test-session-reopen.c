/* test-session-reopen.c: Interpreter is killed, or there are two of it
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "base/interp-json.h"
#include "session-fixture.h"

#include <string.h>

/* ---- the other process ---- */

typedef struct
{
  GSubprocess *process;
  GDataInputStream *lines;
  gint64 chat;
  char *text; /* what it has shown last of each */
  char *code;
  char *output;
  char *state;
} Host;

static void
host_start (Host *self, SessionFixture *fixture, const char *mode, const char *prompt)
{
  g_autofree char *program = g_build_filename (g_getenv ("INTERP_TEST_BUILD_ROOT"), "tests/engine/session-host", NULL);
  g_autoptr (GError) error = NULL;

  memset (self, 0, sizeof *self);
  /* It ends with its standard input, whatever becomes of us. */
  self->process = g_subprocess_new (G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE, &error, program,
                                    fixture->data_folder, fixture->folder, fixture->options->api_base,
                                    fixture->options->model, mode, prompt, NULL);
  g_assert_no_error (error);
  self->lines = g_data_input_stream_new (g_subprocess_get_stdout_pipe (self->process));
}

static void
host_take_line (Host *self, const char *line)
{
  g_autoptr (JsonNode) node = interp_json_parse (line, -1, INTERP_JSON_PARSE_NONE, NULL);
  char **places[] = { &self->text, &self->code, &self->output, &self->state };
  const char *names[] = { "text", "code", "output", "state" };

  g_assert_nonnull (node);
  if (interp_json_get_string (node, "chat") != NULL)
    self->chat = g_ascii_strtoll (interp_json_get_string (node, "chat"), NULL, 10);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (interp_json_get_string (node, names[i]) != NULL)
      g_set_str (places[i], interp_json_get_string (node, names[i]));
}

static void
on_line (GObject *object, GAsyncResult *result, gpointer data)
{
  char **line = data;
  g_autoptr (GError) error = NULL;

  *line = g_data_input_stream_read_line_finish (G_DATA_INPUT_STREAM (object), result, NULL, &error);
  g_assert_no_error (error);
  if (*line == NULL)
    g_error ("The other process has ended by itself");
}

static gboolean
has_line (gpointer user_data)
{
  return *(char **) user_data != NULL;
}

static void
host_read_line (Host *self)
{
  g_autofree char *line = NULL;

  g_data_input_stream_read_line_async (self->lines, G_PRIORITY_DEFAULT, NULL, on_line, &line);
  kernel_test_until (has_line, &line);
  host_take_line (self, line);
}

/* Until it has shown @text there (a member of Host). */
static void
host_await (Host *self, char **place, const char *text)
{
  while (*place == NULL || strstr (*place, text) == NULL)
    host_read_line (self);
}

/* SIGKILL; and what it has written by then. */
static void
host_kill (Host *self)
{
  g_autoptr (GError) error = NULL;

  g_subprocess_force_exit (self->process);
  g_subprocess_wait (self->process, NULL, &error);
  g_assert_no_error (error);
  for (;;)
    {
      g_autofree char *line = g_data_input_stream_read_line (self->lines, NULL, NULL, NULL);

      /* The last one may be cut. */
      if (line == NULL || !g_str_has_suffix (line, "}"))
        break;
      host_take_line (self, line);
    }
}

static void
host_clear (Host *self)
{
  g_clear_object (&self->lines);
  g_clear_object (&self->process);
  g_free (self->text);
  g_free (self->code);
  g_free (self->output);
  g_free (self->state);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Host, host_clear)

/* The next prompt is answered. What was sent with it; transfer full. */
static JsonNode *
go_on (SessionFixture *self)
{
  guint n = session_fixture_get_n_requests (self);
  JsonNode *request;

  wire_say (self->wire, self->server, "Fine.");
  session_fixture_send (self, "And now?");
  session_fixture_await_end (self);
  request = session_fixture_get_request (self, n);
  session_test_check_calls (request);

  return request;
}

/* ---- killed ---- */

static void
test_killed_in_answer (SessionFixture *self, gconstpointer data)
{
  g_auto (Host) host = { 0 };
  InterpTestReply *reply = wire_begin (self->wire, self->server);
  g_autoptr (JsonNode) next = NULL;
  g_autofree char *conversation = NULL;
  InterpItem *item;

  wire_text (self->wire, reply, "So far ");
  wire_text (self->wire, reply, "it ");
  wire_text (self->wire, reply, "went 🦊");
  interp_test_reply_await_close (reply);
  host_start (&host, self, "ask", "Begin");
  host_await (&host, &host.text, "went 🦊");
  host_kill (&host);

  session_fixture_open (self, host.chat);
  g_assert_false (interp_session_is_read_only (self->session));
  item = session_fixture_get_item (self, INTERP_ITEM_ASSISTANT, 0);
  g_assert_cmpstr (interp_item_get_text (item), ==, "So far it went 🦊");
  g_assert_cmpint (interp_item_get_state (item), ==, INTERP_ITEM_INTERRUPTED);
  g_assert_true (interp_item_get_offers (item) & INTERP_OFFER_CONTINUE);
  g_assert_cmpint (interp_session_get_state (self->session), ==, INTERP_SESSION_IDLE);
  next = go_on (self);
  conversation = session_test_get_conversation (next);
  session_test_assert_contains (conversation, "user: Begin\nassistant: So far it went 🦊\nuser: ");
}

/* Again and again at whatever point it just is: what had been shown is there. */
static void
test_killed_while_streaming (SessionFixture *self, gconstpointer data)
{
  for (guint round = 0; round < 5; round++)
    {
      g_auto (Host) host = { 0 };
      InterpTestReply *reply = wire_begin (self->wire, self->server);
      g_autofree char *mark = g_strdup_printf ("piece %u.", 30 + round * 37);
      InterpItem *item;

      for (guint i = 0; i < 400; i++)
        {
          g_autofree char *piece = g_strdup_printf ("This is piece %u. ", i);

          wire_text (self->wire, reply, piece);
        }
      interp_test_reply_await_close (reply);
      host_start (&host, self, "ask", "Begin");
      host_await (&host, &host.text, mark);
      host_kill (&host);

      session_fixture_open (self, host.chat);
      item = session_fixture_get_item (self, INTERP_ITEM_ASSISTANT, 0);
      if (!g_str_has_prefix (interp_item_get_text (item), host.text))
        g_error ("Shown was \"%s\", kept is \"%s\"", host.text, interp_item_get_text (item));
      g_assert_cmpint (interp_item_get_state (item), ==, INTERP_ITEM_INTERRUPTED);
    }
}

static void
test_killed_in_call (SessionFixture *self, gconstpointer data)
{
  g_auto (Host) host = { 0 };
  InterpTestReply *reply = wire_begin (self->wire, self->server);
  g_autoptr (JsonNode) next = NULL;
  g_autofree char *conversation = NULL;
  g_autofree char *file = NULL;
  InterpCell *cell;

  wire_text (self->wire, reply, "Now:");
  wire_cut_call (self->wire, reply, "shell", "touch made\necho 'a longer piece of code'");
  interp_test_reply_await_close (reply);
  host_start (&host, self, "auto", "Begin");
  host_await (&host, &host.code, "piece");
  host_kill (&host);

  session_fixture_open (self, host.chat);
  cell = session_fixture_get_cell (self, 0);
  g_assert_cmpint (interp_cell_get_cell_state (cell), ==, INTERP_CELL_INTERRUPTED);
  g_assert_true (g_str_has_prefix (interp_cell_get_code (cell), host.code));
  g_assert_false (interp_cell_is_runnable (cell));
  next = go_on (self);
  conversation = session_test_get_conversation (next);
  session_test_assert_contains (conversation, "never run");
  file = session_fixture_read_file (self, "made");
  g_assert_null (file);
}

static void
test_killed_in_question (SessionFixture *self, gconstpointer data)
{
  g_auto (Host) host = { 0 };
  g_autoptr (JsonNode) next = NULL;
  g_autofree char *file = NULL;
  InterpCell *cell;

  wire_do (self->wire, self->server, "call_1", "shell", "touch made");
  host_start (&host, self, "ask", "Begin");
  host_await (&host, &host.state, "waiting");
  host_kill (&host);

  session_fixture_open (self, host.chat);
  g_assert_null (interp_session_get_question (self->session));
  cell = session_fixture_get_cell (self, 0);
  g_assert_cmpint (interp_cell_get_cell_state (cell), ==, INTERP_CELL_INTERRUPTED);
  g_assert_cmpstr (interp_cell_get_code (cell), ==, "touch made");
  next = go_on (self);
  session_test_assert_contains (session_test_get_result (next, "call_1"), "never run");
  file = session_fixture_read_file (self, "made");
  g_assert_null (file);
  /* The code is whole: who wants it can run it. */
  g_assert_true (interp_cell_is_runnable (cell));
}

static gboolean
is_process_gone (gpointer user_data)
{
  return kernel_test_count_processes (user_data) == 0;
}

static void
test_killed_in_run (SessionFixture *self, gconstpointer data)
{
  g_auto (Host) host = { 0 };
  g_autofree char *name = kernel_test_make_name ();
  g_autofree char *code
      = g_strdup_printf ("for i in {1..2000}; do echo line $i; done; bash -c 'sleep 1000; :' %s", name);
  g_autoptr (JsonNode) next = NULL;
  g_autofree char *output = NULL;
  const char *result;
  InterpCell *cell;

  wire_do (self->wire, self->server, "call_1", "shell", code);
  host_start (&host, self, "auto", "Begin");
  host_await (&host, &host.output, "line 2000");
  host_kill (&host);
  /* What it had started ends with it. */
  kernel_test_until (is_process_gone, name);

  session_fixture_open (self, host.chat);
  cell = session_fixture_get_cell (self, 0);
  g_assert_cmpint (interp_cell_get_cell_state (cell), ==, INTERP_CELL_LOST);
  g_assert_nonnull (interp_cell_get_note (cell));
  output = interp_cell_dup_output (cell, NULL);
  session_test_assert_contains (output, "line 1\n");
  session_test_assert_contains (output, "line 2000");
  next = go_on (self);
  result = session_test_get_result (next, "call_1");
  session_test_assert_contains (result, "Interpreter was ended while this ran");
  session_test_assert_contains (result, "line 2000");

  /* And it goes on, with a kernel of its own. */
  interp_session_set_mode (self->session, INTERP_MODE_AUTO);
  wire_do (self->wire, self->server, "call_2", "shell", "echo here");
  wire_say (self->wire, self->server, "Done.");
  session_fixture_send (self, "Once more");
  session_fixture_await_end (self);
  {
    g_autoptr (JsonNode) last = session_fixture_get_request (self, session_fixture_get_n_requests (self) - 1);

    session_test_check_calls (last);
    session_test_assert_contains (session_test_get_result (last, "call_2"), "Output:\nhere");
  }
}

/* The turn that was cut off is taken up again. */
static void
test_killed_then_continue (SessionFixture *self, gconstpointer data)
{
  g_auto (Host) host = { 0 };
  InterpTestReply *reply = interp_test_server_reply (self->server, self->wire->path);
  g_autoptr (JsonNode) request = NULL;
  g_autoptr (JsonNode) next = NULL;
  g_autofree char *conversation = NULL;
  g_autofree char *all = NULL;

  interp_test_reply_await_close (reply);
  host_start (&host, self, "ask", "Begin");
  request = session_fixture_get_request (self, 0);
  while (host.chat == 0)
    host_read_line (&host);
  host_kill (&host);

  session_fixture_open (self, host.chat);
  all = session_fixture_describe (self);
  g_assert_cmpstr (all, ==, "user (complete): Begin\n");
  g_assert_true (interp_item_get_offers (session_fixture_get_item (self, INTERP_ITEM_USER, 0)) & INTERP_OFFER_CONTINUE);
  wire_say (self->wire, self->server, "At last.");
  interp_session_continue (self->session);
  session_fixture_await_end (self);
  next = session_fixture_get_request (self, 1);
  conversation = session_test_get_conversation (next);
  g_assert_cmpstr (conversation, ==, "user: Begin\n");
}

/* ---- closed and opened ---- */

static void
test_all_is_kept (SessionFixture *self, gconstpointer data)
{
  InterpTestReply *reply;
  g_autofree char *shown = NULL;
  g_autofree char *kept = NULL;
  g_autofree char *said_before = NULL;
  gint64 tokens;
  InterpCell *cell;

  reply = wire_begin (self->wire, self->server);
  wire_reasoning (self->wire, reply, "Hmm");
  wire_text (self->wire, reply, "Look:");
  wire_call (self->wire, reply, 0, "call_1", "python", "print('\\x1b[31mred\\x1b[0m')\n1 / 0\n");
  wire_call (self->wire, reply, 1, "call_2", "shell", "echo model");
  wire_call (self->wire, reply, 2, "call_3", "cobol", "STOP RUN.");
  wire_end (self->wire, reply, "tool_calls");
  reply = wire_begin (self->wire, self->server);
  wire_text (self->wire, reply, "Half of");
  session_fixture_send (self, "Go");
  session_fixture_approve (self);
  cell = session_fixture_await_question (self);
  g_assert_true (interp_session_approve (self->session, cell, "echo user"));
  session_fixture_await_end (self);
  interp_session_set_title (self->session, "Kept");
  interp_session_set_draft (self->session, "Not sent ye");
  interp_session_set_draft (self->session, "Not sent yet");
  shown = session_fixture_describe (self);
  said_before = interp_session_describe_request (self->session, &tokens);

  session_fixture_restart (self);
  kept = session_fixture_describe (self);
  g_assert_cmpstr (kept, ==, shown);
  g_assert_cmpstr (interp_session_get_title (self->session), ==, "Kept");
  g_assert_cmpstr (interp_session_get_draft (self->session), ==, "Not sent yet");
  g_assert_cmpstr (interp_session_get_folder (self->session), ==, self->folder);
  cell = session_fixture_get_cell (self, 1);
  g_assert_cmpstr (interp_cell_get_original_code (cell), ==, "echo model");
  g_assert_cmpstr (interp_cell_get_error_name (session_fixture_get_cell (self, 0)), ==, "ZeroDivisionError");

  /* The model gets the same, word for word. */
  {
    g_autoptr (JsonNode) next = go_on (self);
    g_autofree char *said = interp_session_describe_request (self->session, &tokens);

    session_test_assert_contains (session_test_get_result (next, "call_2"), "Output:\nuser");
    g_assert_true (g_str_has_prefix (said, said_before));
  }
}

/* Written while something ran, and never given. */
static void
test_queue_is_kept (SessionFixture *self, gconstpointer data)
{
  InterpTestReply *reply = wire_begin (self->wire, self->server);
  g_autoptr (JsonNode) next = NULL;
  g_autofree char *conversation = NULL;
  InterpItem *item;

  wire_text (self->wire, reply, "So far");
  interp_test_reply_await_close (reply);
  session_fixture_send (self, "Go");
  session_fixture_await_text (self, INTERP_ITEM_ASSISTANT, 0, "So far");
  session_fixture_send (self, "And this");
  session_fixture_restart (self);
  item = session_fixture_get_item (self, INTERP_ITEM_USER, 1);
  g_assert_cmpstr (interp_item_get_text (item), ==, "And this");
  g_assert_cmpint (interp_item_get_state (item), ==, INTERP_ITEM_QUEUED);
  wire_say (self->wire, self->server, "Both.");
  interp_session_continue (self->session);
  session_fixture_await_end (self);
  next = session_fixture_get_request (self, 1);
  conversation = session_test_get_conversation (next);
  session_test_assert_contains (conversation, "And this");
  session_fixture_restart (self);
  g_assert_cmpuint (session_fixture_count (self, INTERP_ITEM_USER), ==, 2);
}

/* A key goes to the server for which it was given, and to no other. */
static void
test_keys (SessionFixture *self, gconstpointer data)
{
  g_autoptr (InterpTestServer) other = interp_test_server_new ();
  g_autofree char *first = NULL;
  g_autofree char *second = NULL;
  g_autofree char *own = g_strdup (self->options->api_base);
  g_autoptr (JsonNode) next = NULL;
  g_autoptr (JsonNode) last = NULL;
  gint64 chat;

  wire_say (self->wire, self->server, "Here.");
  session_fixture_send (self, "Go");
  session_fixture_await_end (self);
  chat = interp_session_get_id (self->session);
  session_fixture_close (self);

  g_free (self->options->api_base);
  self->options->api_base = interp_test_server_dup_url (other, "/v1");
  self->options->api_key = g_strdup ("sk-of-the-other");
  session_fixture_open (self, chat);
  next = go_on (self);
  first = interp_test_request_dup_header (interp_test_server_await_request (self->server, self->wire->path, 1),
                                          "authorization");
  g_assert_null (first);
  session_fixture_close (self);

  g_set_str (&self->options->api_base, own);
  session_fixture_open (self, chat);
  last = go_on (self);
  second = interp_test_request_dup_header (interp_test_server_await_request (self->server, self->wire->path, 2),
                                           "authorization");
  g_assert_cmpstr (second, ==, "Bearer sk-of-the-other");
}

/* ---- two at once ---- */

static gboolean
is_writable (gpointer user_data)
{
  SessionFixture *self = user_data;

  return !interp_session_is_read_only (self->session);
}

static gboolean
is_interrupted (gpointer user_data)
{
  return interp_item_get_state (user_data) == INTERP_ITEM_INTERRUPTED;
}

static void
test_two_processes (SessionFixture *self, gconstpointer data)
{
  g_auto (Host) host = { 0 };
  InterpTestReply *reply = wire_begin (self->wire, self->server);
  g_autoptr (JsonNode) next = NULL;
  InterpItem *item;

  wire_text (self->wire, reply, "First part");
  interp_test_reply_wait (reply, "rest");
  wire_text (self->wire, reply, ", second part");
  interp_test_reply_await_close (reply);
  host_start (&host, self, "ask", "Begin");
  host_await (&host, &host.text, "First part");

  /* It is the other's: shown, not touched, and not marked as interrupted. */
  session_fixture_open (self, host.chat);
  g_assert_true (interp_session_is_read_only (self->session));
  item = session_fixture_get_item (self, INTERP_ITEM_ASSISTANT, 0);
  g_assert_cmpstr (interp_item_get_text (item), ==, "First part");
  g_assert_cmpint (interp_item_get_state (item), ==, INTERP_ITEM_OPEN);
  session_fixture_send (self, "Not now");
  interp_session_run_code (self->session, "shell", "touch made");
  g_assert_cmpint (interp_session_get_state (self->session), ==, INTERP_SESSION_IDLE);
  g_assert_cmpuint (session_fixture_count (self, INTERP_ITEM_USER), ==, 1);

  /* What the other writes is seen. */
  interp_test_server_release (self->server, "rest");
  item = session_fixture_await_text (self, INTERP_ITEM_ASSISTANT, 0, ", second part");
  g_assert_true (interp_session_is_read_only (self->session));

  /* When it is gone the chat is ours. */
  host_kill (&host);
  kernel_test_until (is_writable, self);
  item = session_fixture_get_item (self, INTERP_ITEM_ASSISTANT, 0);
  kernel_test_until (is_interrupted, item);
  g_assert_cmpstr (interp_item_get_text (item), ==, "First part, second part");
  next = go_on (self);
}

/* The same within one process. */
static void
test_two_engines (SessionFixture *self, gconstpointer data)
{
  g_autoptr (InterpEngine) engine = interp_engine_new (self->options);
  g_autoptr (InterpSession) session = NULL;
  g_autoptr (InterpSession) again = NULL;
  g_autoptr (GError) error = NULL;
  gint64 chat;

  wire_say (self->wire, self->server, "Here.");
  session_fixture_send (self, "Go");
  session_fixture_await_end (self);
  chat = interp_session_get_id (self->session);
  /* One object a chat. */
  again = kernel_test_await_object (interp_engine_open_session (self->engine, chat), &error);
  g_assert_no_error (error);
  g_assert_true (again == self->session);

  kernel_test_await (interp_engine_start (engine), &error);
  g_assert_no_error (error);
  session = kernel_test_await_object (interp_engine_open_session (engine, chat), &error);
  g_assert_no_error (error);
  g_assert_true (interp_session_is_read_only (session));
  g_assert_false (interp_session_is_read_only (self->session));
  g_assert_cmpuint (g_list_model_get_n_items (interp_session_get_items (session)), ==, 2);
  interp_session_send (session, "Not now", NULL);
  g_assert_cmpint (interp_session_get_state (session), ==, INTERP_SESSION_IDLE);
  g_assert_cmpuint (session_fixture_get_n_requests (self), ==, 1);
  kernel_test_await (interp_engine_stop (engine), &error);
  g_assert_no_error (error);
}

/* Each its own chat, one database. */
static void
test_two_chats (SessionFixture *self, gconstpointer data)
{
  g_auto (Host) host = { 0 };
  InterpTestReply *reply;
  g_autofree char *all = NULL;

  wire_say (self->wire, self->server, "Here.");
  session_fixture_send (self, "Are you there?");
  session_fixture_await_end (self);

  reply = wire_begin (self->wire, self->server);
  wire_text (self->wire, reply, "Elsewhere");
  interp_test_reply_await_close (reply);
  host_start (&host, self, "ask", "And you?");
  host_await (&host, &host.text, "Elsewhere");
  g_assert_cmpint (host.chat, !=, interp_session_get_id (self->session));

  wire_say (self->wire, self->server, "Still here.");
  session_fixture_send (self, "Still?");
  session_fixture_await_end (self);
  all = session_fixture_describe (self);
  g_assert_cmpstr (all, ==,
                   "user (complete): Are you there?\nassistant (complete): Here.\n"
                   "user (complete): Still?\nassistant (complete): Still here.\n");
  /* The list has both. */
  while (g_list_model_get_n_items (interp_engine_get_chats (self->engine)) < 2)
    g_main_context_iteration (NULL, TRUE);
  host_kill (&host);
}

int
main (int argc, char **argv)
{
  static const SessionTest tests[] = {
    { "killed/in-answer", test_killed_in_answer },
    { "killed/while-streaming", test_killed_while_streaming },
    { "killed/in-question", test_killed_in_question },
    { "killed/in-run", test_killed_in_run },
    { "killed/then-continue", test_killed_then_continue },
    { "all-is-kept", test_all_is_kept },
    { "queue-is-kept", test_queue_is_kept },
    { "keys", test_keys },
    { "two/processes", test_two_processes },
    { "two/engines", test_two_engines },
    { "two/chats", test_two_chats },
  };

  session_test_init (&argc, &argv);

  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    {
      g_autofree char *path = g_strdup_printf ("/session/reopen/%s", tests[i].name);

      session_test_add (path, &wire_chat, tests[i].func);
    }
  session_test_add ("/session/reopen/ollama/killed/in-answer", &wire_ollama, test_killed_in_answer);
  session_test_add ("/session/reopen/killed/in-call", &wire_chat, test_killed_in_call);

  return g_test_run ();
}
