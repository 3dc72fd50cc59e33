/* test-llm-ollama.c: what is sent to Ollama
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "base/interp-clock.h"
#include "base/interp-json.h"
#include "interp-test-await.h"
#include "llm-fixture.h"
#include "llm/interp-provider-private.h"
#include "wire.h"

#include <string.h>

#define PATH "/api/chat"

static void
set_up (LlmFixture *self, gconstpointer data)
{
  llm_fixture_set_up (self, &wire_ollama, NULL);
}

/* Whatever is known or not: Ollama's own default would drop the beginning of the conversation silently. */
static void
test_window (LlmFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) unknown = llm_fixture_ask (self);
  g_autoptr (JsonNode) known = NULL;
  g_autoptr (JsonNode) text_mode = NULL;

  g_assert_cmpint (interp_json_get_int (unknown, "options.num_ctx", 0), >=, 8000);
  g_assert_false (interp_json_get_bool (unknown, "truncate", TRUE));
  g_assert_false (interp_json_get_bool (unknown, "shift", TRUE));
  g_assert_null (interp_json_get (unknown, "options.num_predict"));
  g_assert_null (interp_json_get (unknown, "options.temperature"));

  self->request->context_window = 12345;
  self->request->max_tokens = 100;
  self->request->temperature = 0.5;
  known = llm_fixture_ask (self);
  g_assert_cmpint (interp_json_get_int (known, "options.num_ctx", 0), ==, 12345);
  g_assert_cmpint (interp_json_get_int (known, "options.num_predict", 0), ==, 100);
  g_assert_cmpfloat (interp_json_get_double (known, "options.temperature", 0), ==, 0.5);

  interp_request_unref (self->request);
  self->request = llm_test_request ("m", TRUE);
  text_mode = llm_fixture_ask (self);
  g_assert_cmpint (interp_json_get_int (text_mode, "options.num_ctx", 0), >=, 8000);
  g_assert_null (interp_json_get (text_mode, "tools"));
}

static void
test_request (LlmFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) sent = llm_fixture_ask (self);

  g_assert_cmpstr (interp_json_get_string (sent, "model"), ==, "m");
  g_assert_true (interp_json_get_bool (sent, "stream", FALSE));
  g_assert_cmpuint (interp_json_get_length (sent, "messages"), ==, 2);
  g_assert_cmpstr (interp_json_get_string (sent, "messages.0.role"), ==, "system");
  g_assert_cmpstr (interp_json_get_string (sent, "messages.1.content"), ==, "Say something");
  g_assert_cmpstr (interp_json_get_string (sent, "tools.0.function.name"), ==, "run_code");
}

static void
test_history (LlmFixture *self, gconstpointer data)
{
  g_autoptr (InterpCall) call
      = interp_call_new (INTERP_CALL_TOOL, "call_a", "run_code", "{\"language\":\"python\",\"code\":\"print('ä')\"}");
  g_autoptr (GBytes) bytes = g_bytes_new_static ("PNG", 3);
  static const char own[] = "{\"thinking\":\"Hmm\"}";
  g_autoptr (JsonNode) sent = NULL;
  InterpMessage *message = llm_fixture_add_message (self, INTERP_ROLE_ASSISTANT, NULL);

  message->opaque_provider = g_strdup ("ollama/m");
  message->opaque = g_bytes_new_static (own, strlen (own));
  interp_message_add_call (message, call);
  message = llm_fixture_add_message (self, INTERP_ROLE_TOOL, "ä");
  message->call_id = g_strdup ("call_a");
  message->call_name = g_strdup ("run_code");
  interp_message_add_picture (message, "image/png", bytes);
  llm_fixture_add_message (self, INTERP_ROLE_USER, "And now?");

  sent = llm_fixture_ask (self);
  g_assert_cmpuint (interp_json_get_length (sent, "messages"), ==, 5);
  g_assert_cmpstr (interp_json_get_string (sent, "messages.2.thinking"), ==, "Hmm");
  g_assert_cmpstr (interp_json_get_string (sent, "messages.2.tool_calls.0.id"), ==, "call_a");
  /* An object, not text. */
  g_assert_cmpstr (interp_json_get_string (sent, "messages.2.tool_calls.0.function.arguments.code"), ==, "print('ä')");
  g_assert_cmpstr (interp_json_get_string (sent, "messages.3.role"), ==, "tool");
  g_assert_cmpstr (interp_json_get_string (sent, "messages.3.tool_name"), ==, "run_code");
  g_assert_cmpstr (interp_json_get_string (sent, "messages.3.tool_call_id"), ==, "call_a");
  g_assert_cmpstr (interp_json_get_string (sent, "messages.3.content"), ==, "ä");
  /* Base64 alone. */
  g_assert_cmpstr (interp_json_get_string (sent, "messages.3.images.0"), ==, "UE5H");
}

/* The server read half of its window and says nothing: we do. */
static void
test_cut_prompt (LlmFixture *self, gconstpointer data)
{
  g_autofree char *long_text = g_strnfill (60000, 'x');
  InterpTestReply *reply;
  g_autoptr (LlmAnswer) answer = NULL;

  self->request->context_window = 4096;
  llm_fixture_add_message (self, INTERP_ROLE_USER, long_text);
  reply = wire_begin (&wire_ollama, self->server);
  wire_text (&wire_ollama, reply, "Hello");
  interp_test_reply_send (reply,
                          "{\"message\":{\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\","
                          "\"prompt_eval_count\":2050,\"eval_count\":3}\n",
                          -1);
  answer = llm_test_ask (self->provider, self->request);
  g_assert_no_error (answer->error);
  g_assert_cmpuint (answer->warnings->len, ==, 1);
  g_assert_nonnull (strstr (g_ptr_array_index (answer->warnings, 0), "2050"));
}

static void
test_text_mode (LlmFixture *self, gconstpointer data)
{
  InterpTestReply *reply = wire_begin (&wire_ollama, self->server);
  g_autoptr (LlmAnswer) answer = NULL;
  InterpCall *call;

  interp_request_unref (self->request);
  self->request = llm_test_request ("m", TRUE);
  wire_text (&wire_ollama, reply, "```bash\nls\n```\n");
  wire_text (&wire_ollama, reply, "```json\n{}\n```\n");
  wire_end (&wire_ollama, reply, "stop");
  answer = llm_test_ask (self->provider, self->request);
  g_assert_no_error (answer->error);
  g_assert_cmpuint (answer->calls->len, ==, 1);
  call = g_ptr_array_index (answer->calls, 0);
  g_assert_cmpint (call->origin, ==, INTERP_CALL_FENCE);
  g_assert_cmpstr (call->code, ==, "ls");
  /* What cannot run stays as it was written. */
  g_assert_nonnull (strstr (answer->text->str, "```json\n{}\n```"));
}

/* The limit in the middle of a block: it is no call that could run. */
static void
test_text_mode_length (LlmFixture *self, gconstpointer data)
{
  InterpTestReply *reply = wire_begin (&wire_ollama, self->server);
  g_autoptr (LlmAnswer) answer = NULL;
  InterpCall *call;

  interp_request_unref (self->request);
  self->request = llm_test_request ("m", TRUE);
  wire_text (&wire_ollama, reply, "```bash\nrm -r build");
  wire_end (&wire_ollama, reply, "length");
  answer = llm_test_ask (self->provider, self->request);
  g_assert_no_error (answer->error);
  g_assert_cmpint (answer->finish, ==, INTERP_FINISH_LENGTH);
  g_assert_cmpuint (answer->calls->len, ==, 1);
  call = g_ptr_array_index (answer->calls, 0);
  g_assert_nonnull (call->fault);
}

static void
test_models (LlmFixture *self, gconstpointer data)
{
  g_autoptr (GListModel) list = NULL;
  g_autoptr (InterpModel) model = NULL;
  g_autoptr (GError) error = NULL;

  wire_serve_model (self->server, "m:latest", 131072, FALSE);
  list = interp_test_await_object (interp_provider_list_models (self->provider), &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_list_model_get_n_items (list), ==, 1);
  model = g_list_model_get_item (list, 0);
  g_assert_cmpstr (interp_model_get_wire_name (model), ==, "m:latest");
  interp_test_await (interp_provider_inspect (self->provider, model), NULL, &error);
  g_assert_no_error (error);
  /* Memory is reserved for all of it: not as much as the model could do. */
  g_assert_cmpint (interp_model_get_context_window (model), ==, 16384);
  g_assert_cmpint (interp_model_get_tools (model), ==, INTERP_SUPPORT_NO);
}

/* While no word comes, the user is told what the server does. */
static void
test_progress (LlmFixture *self, gconstpointer data)
{
  InterpTestReply *reply = interp_test_server_reply (self->server, PATH);
  g_autoptr (InterpEvent) event = NULL;
  g_autoptr (InterpEvent) next = NULL;
  g_autoptr (LlmAnswer) answer = NULL;
  InterpStream *stream;

  interp_test_reply_wait (reply, "loaded");
  interp_test_reply_head (reply, 200, wire_ollama.content_type, NULL);
  wire_text (&wire_ollama, reply, "Hello");
  wire_end (&wire_ollama, reply, "stop");
  interp_test_reply_json (interp_test_server_reply (self->server, "/api/ps"), 200, "{\"models\":[]}");
  interp_test_reply_json (interp_test_server_reply_always (self->server, "/api/ps"), 200,
                          "{\"models\":[{\"name\":\"m\",\"model\":\"m\"}]}");

  llm_test_hurry (100);
  stream = interp_provider_stream (self->provider, self->request);
  event = llm_test_until (stream, INTERP_EVENT_PROGRESS);
  g_assert_cmpstr (event->text, ==, "Loading the model");
  next = llm_test_until (stream, INTERP_EVENT_PROGRESS);
  g_assert_cmpstr (next->text, ==, "Reading the prompt");
  interp_test_server_release (self->server, "loaded");
  answer = llm_test_collect (stream);
  llm_test_stop_hurrying ();
  g_assert_no_error (answer->error);
  g_assert_cmpstr (answer->text->str, ==, "Hello");
}

/* A large model on a slow computer may read for many minutes before its first word; that is no fault. */
static void
test_slow_start (LlmFixture *self, gconstpointer data)
{
  InterpTestReply *reply = interp_test_server_reply (self->server, PATH);
  g_autoptr (InterpEvent) event = NULL;
  g_autoptr (LlmAnswer) answer = NULL;
  InterpStream *stream;
  gint64 start;

  interp_test_reply_wait (reply, "read");
  interp_test_reply_head (reply, 200, wire_ollama.content_type, NULL);
  wire_text (&wire_ollama, reply, "Hello");
  wire_end (&wire_ollama, reply, "stop");
  interp_test_reply_json (interp_test_server_reply_always (self->server, "/api/ps"), 200,
                          "{\"models\":[{\"name\":\"m\",\"model\":\"m\"}]}");

  llm_test_hurry (10000);
  stream = interp_provider_stream (self->provider, self->request);
  event = llm_test_until (stream, INTERP_EVENT_PROGRESS);
  start = interp_clock_now ();
  while (interp_clock_now () - start < 20 * 60 * 1000)
    g_main_context_iteration (NULL, TRUE);
  interp_test_server_release (self->server, "read");
  answer = llm_test_collect (stream);
  llm_test_stop_hurrying ();
  g_assert_no_error (answer->error);
  g_assert_cmpstr (answer->text->str, ==, "Hello");
  g_assert_cmpuint (interp_test_server_get_n_requests (self->server, PATH), ==, 1);
}

#define ADD(name, func) g_test_add ("/llm/ollama/" name, LlmFixture, NULL, set_up, func, llm_fixture_tear_down)

int
main (int argc, char **argv)
{
  llm_test_init (&argc, &argv);

  ADD ("window", test_window);
  ADD ("request", test_request);
  ADD ("history", test_history);
  ADD ("cut-prompt", test_cut_prompt);
  ADD ("text-mode", test_text_mode);
  ADD ("text-mode-length", test_text_mode_length);
  ADD ("models", test_models);
  ADD ("progress", test_progress);
  ADD ("slow-start", test_slow_start);

  return g_test_run ();
}
