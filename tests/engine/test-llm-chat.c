/* test-llm-chat.c: what is sent to servers of Chat Completions, and how we get along with each
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "base/interp-json.h"
#include "interp-test-await.h"
#include "llm-fixture.h"
#include "llm/interp-provider-private.h"
#include "wire.h"

#include <string.h>

#define PATH "/v1/chat/completions"

static void
set_up (LlmFixture *self, gconstpointer data)
{
  self->wire = &wire_chat;
  self->server = interp_test_server_new ();
  if (data == NULL || strchr (data, '/') == NULL)
    self->provider = llm_test_provider (self->server, data != NULL ? data : "llamacpp");
  else
    {
      /* An address that somebody typed. */
      g_autofree char *url = interp_test_server_dup_url (self->server, g_str_equal (data, "/") ? "" : data);
      g_autoptr (InterpProfile) profile = interp_profile_new_for_address (url);

      self->provider = interp_provider_new (profile);
    }
  self->request = llm_test_request ("m", FALSE);
}

static void
test_request (LlmFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) sent = NULL;
  g_autofree char *accept = NULL;
  g_autofree char *encoding = NULL;
  g_autofree char *type = NULL;
  const InterpTestRequest *request;

  self->request->temperature = 0.5;
  self->request->max_tokens = 100;
  sent = llm_fixture_ask (self);
  g_assert_cmpstr (interp_json_get_string (sent, "model"), ==, "m");
  g_assert_true (interp_json_get_bool (sent, "stream", FALSE));
  g_assert_true (interp_json_get_bool (sent, "stream_options.include_usage", FALSE));
  g_assert_cmpfloat (interp_json_get_double (sent, "temperature", 0), ==, 0.5);
  g_assert_cmpint (interp_json_get_int (sent, "max_tokens", 0), ==, 100);
  g_assert_cmpuint (interp_json_get_length (sent, "messages"), ==, 2);
  g_assert_cmpstr (interp_json_get_string (sent, "messages.0.role"), ==, "system");
  g_assert_cmpstr (interp_json_get_string (sent, "messages.0.content"), ==, "You run code.");
  g_assert_cmpstr (interp_json_get_string (sent, "messages.1.role"), ==, "user");
  g_assert_cmpstr (interp_json_get_string (sent, "messages.1.content"), ==, "Say something");
  g_assert_cmpuint (interp_json_get_length (sent, "tools"), ==, 1);
  g_assert_cmpstr (interp_json_get_string (sent, "tools.0.type"), ==, "function");
  g_assert_cmpstr (interp_json_get_string (sent, "tools.0.function.name"), ==, "run_code");
  g_assert_cmpstr (interp_json_get_string (sent, "tools.0.function.parameters.required.1"), ==, "code");

  request = interp_test_server_await_request (self->server, PATH, 0);
  accept = interp_test_request_dup_header (request, "accept");
  g_assert_nonnull (strstr (accept, "text/event-stream"));
  type = interp_test_request_dup_header (request, "content-type");
  g_assert_true (g_str_has_prefix (type, "application/json"));
  /* Proxies gather streams that they pack. */
  encoding = interp_test_request_dup_header (request, "accept-encoding");
  g_assert_cmpstr (encoding, ==, "identity");
}

static void
test_unsaid (LlmFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) sent = llm_fixture_ask (self);

  g_assert_null (interp_json_get (sent, "temperature"));
  g_assert_null (interp_json_get (sent, "max_tokens"));
  g_assert_null (interp_json_get (sent, "max_completion_tokens"));
}

static void
add_call (InterpMessage *message, const char *id, const char *arguments)
{
  g_autoptr (InterpCall) call = interp_call_new (INTERP_CALL_TOOL, id, "run_code", arguments);

  interp_message_add_call (message, call);
}

/* Two calls and their results, with a picture; a call whose arguments do not parse; one without a result. */
static void
add_history (LlmFixture *self)
{
  InterpMessage *message = llm_fixture_add_message (self, INTERP_ROLE_ASSISTANT, "Two things:");
  g_autoptr (GBytes) bytes = g_bytes_new_static ("PNG", 3);

  add_call (message, "call_a", "{\"language\":\"python\",\"code\":\"print('ä')\"}");
  add_call (message, "call_b", "{\"language\":\"shell\",\"co");
  interp_message_add_picture (llm_fixture_add_result (self, "call_a", "ä"), "image/png", bytes);
  llm_fixture_add_result (self, "call_b", "");
  message = llm_fixture_add_message (self, INTERP_ROLE_ASSISTANT, NULL);
  add_call (message, "call_c", "{\"language\":\"shell\",\"code\":\"ls\"}");
  llm_fixture_add_message (self, INTERP_ROLE_USER, "And now?");
}

static void
test_history (LlmFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) sent = NULL;

  add_history (self);
  sent = llm_fixture_ask (self);
  /* system, user, assistant, two results, the picture, assistant, its result, user */
  g_assert_cmpuint (interp_json_get_length (sent, "messages"), ==, 9);
  g_assert_cmpstr (interp_json_get_string (sent, "messages.2.role"), ==, "assistant");
  g_assert_cmpstr (interp_json_get_string (sent, "messages.2.content"), ==, "Two things:");
  g_assert_cmpstr (interp_json_get_string (sent, "messages.2.tool_calls.0.id"), ==, "call_a");
  g_assert_cmpstr (interp_json_get_string (sent, "messages.2.tool_calls.0.type"), ==, "function");
  g_assert_cmpstr (interp_json_get_string (sent, "messages.2.tool_calls.0.function.arguments"), ==,
                   "{\"language\":\"python\",\"code\":\"print('ä')\"}");
  /* Servers refuse a history with arguments that do not parse. */
  g_assert_cmpstr (interp_json_get_string (sent, "messages.2.tool_calls.1.function.arguments"), ==, "{}");
  g_assert_cmpstr (interp_json_get_string (sent, "messages.3.role"), ==, "tool");
  g_assert_cmpstr (interp_json_get_string (sent, "messages.3.tool_call_id"), ==, "call_a");
  g_assert_true (g_str_has_prefix (interp_json_get_string (sent, "messages.3.content"), "ä"));
  g_assert_cmpstr (interp_json_get_string (sent, "messages.4.tool_call_id"), ==, "call_b");
  g_assert_cmpstr (interp_json_get_string (sent, "messages.4.content"), ==, "(no output)");
  /* Results hold no pictures: behind all of them. */
  g_assert_cmpstr (interp_json_get_string (sent, "messages.5.role"), ==, "user");
  g_assert_cmpstr (interp_json_get_string (sent, "messages.5.content.1.image_url.url"), ==,
                   "data:image/png;base64,UE5H");
  g_assert_cmpstr (interp_json_get_string (sent, "messages.6.tool_calls.0.id"), ==, "call_c");
  g_assert_cmpstr (interp_json_get_string (sent, "messages.7.tool_call_id"), ==, "call_c");
  g_assert_cmpstr (interp_json_get_string (sent, "messages.8.content"), ==, "And now?");
}

/* Without tools calls are blocks and results are words; no two messages of one side in a row. */
static void
test_text_mode (LlmFixture *self, gconstpointer data)
{
  InterpTestReply *reply = wire_begin (&wire_chat, self->server);
  g_autoptr (LlmAnswer) answer = NULL;
  g_autoptr (JsonNode) sent = NULL;
  InterpCall *call;
  guint n;

  interp_request_unref (self->request);
  self->request = llm_test_request ("m", TRUE);
  add_history (self);
  wire_text (&wire_chat, reply, "Look:\n``");
  wire_text (&wire_chat, reply, "`py\nprint('''\n```\n''')\n``");
  wire_text (&wire_chat, reply, "`\nIt prints three ticks.");
  wire_end (&wire_chat, reply, "stop");

  answer = llm_test_ask (self->provider, self->request);
  g_assert_no_error (answer->error);
  g_assert_cmpuint (answer->calls->len, ==, 1);
  call = g_ptr_array_index (answer->calls, 0);
  g_assert_cmpint (call->origin, ==, INTERP_CALL_FENCE);
  g_assert_cmpstr (call->language, ==, "py");
  g_assert_cmpstr (call->code, ==, "print('''\n```\n''')");
  g_assert_null (call->fault);
  g_assert_true (g_str_has_prefix (answer->text->str, "Look:\n"));
  g_assert_true (g_str_has_suffix (answer->text->str, "It prints three ticks."));

  sent = llm_test_sent (self->server, PATH, 0);
  g_assert_null (interp_json_get (sent, "tools"));
  n = interp_json_get_length (sent, "messages");
  for (guint i = 1; i < n; i++)
    {
      g_autofree char *path = g_strdup_printf ("messages.%u.role", i);
      g_autofree char *calls = g_strdup_printf ("messages.%u.tool_calls", i);

      g_assert_cmpstr (interp_json_get_string (sent, path), ==, i % 2 == 1 ? "user" : "assistant");
      g_assert_null (interp_json_get (sent, calls));
    }
  g_assert_nonnull (strstr (interp_json_get_string (sent, "messages.2.content"), "print('ä')"));
}

/* ---- how the address was typed ---- */

static void
test_base_without_v1 (LlmFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) first = NULL;
  g_autoptr (JsonNode) second = NULL;

  first = llm_fixture_ask (self);
  g_assert_cmpuint (interp_test_server_get_n_requests (self->server, "/chat/completions"), ==, 1);
  /* What was found out is remembered. */
  second = llm_fixture_ask (self);
  g_assert_cmpuint (interp_test_server_get_n_requests (self->server, "/chat/completions"), ==, 1);
}

static void
test_base_with_v1_too_much (LlmFixture *self, gconstpointer data)
{
  InterpTestReply *reply = interp_test_server_reply (self->server, "/chat/completions");
  g_autoptr (LlmAnswer) answer = NULL;

  interp_test_reply_head (reply, 200, "text/event-stream", NULL);
  wire_text (&wire_chat, reply, "Hello");
  wire_end (&wire_chat, reply, "stop");
  answer = llm_test_ask (self->provider, self->request);
  g_assert_no_error (answer->error);
  g_assert_cmpstr (answer->text->str, ==, "Hello");
  g_assert_cmpuint (interp_test_server_get_n_requests (self->server, PATH), ==, 1);
}

/* Neither way: both are tried, then it is said of what was typed; and when the server is right later, so is the
 * address. */
static void
test_base_of_nothing (LlmFixture *self, gconstpointer data)
{
  g_autofree char *typed = g_strdup (interp_provider_get_base_url (self->provider));
  g_autoptr (LlmAnswer) answer = llm_test_ask (self->provider, self->request);
  g_autoptr (JsonNode) sent = NULL;

  g_assert_error (answer->error, INTERP_LLM_ERROR, INTERP_LLM_ERROR_REQUEST);
  g_assert_nonnull (strstr (answer->error->message, "/chat/completions"));
  g_assert_cmpuint (interp_test_server_get_n_requests (self->server, NULL), ==, 2);
  g_assert_cmpstr (interp_provider_get_base_url (self->provider), ==, typed);
  sent = llm_fixture_ask (self);
  g_assert_cmpuint (interp_test_server_get_n_requests (self->server, NULL), ==, 3);
}

/* An address that has worked is not doubted because of one answer. */
static void
test_base_known (LlmFixture *self, gconstpointer data)
{
  g_autofree char *typed = g_strdup (interp_provider_get_base_url (self->provider));
  g_autoptr (JsonNode) sent = llm_fixture_ask (self);
  g_autoptr (LlmAnswer) answer = llm_test_ask (self->provider, self->request);

  g_assert_error (answer->error, INTERP_LLM_ERROR, INTERP_LLM_ERROR_REQUEST);
  g_assert_cmpuint (interp_test_server_get_n_requests (self->server, NULL), ==, 2);
  g_assert_cmpstr (interp_provider_get_base_url (self->provider), ==, typed);
}

/* ---- what servers refuse ---- */

static void
refuse (LlmFixture *self, const char *param, const char *message)
{
  g_autofree char *json = g_strdup_printf ("{\"error\":{\"message\":\"%s\",\"type\":\"invalid_request_error\","
                                           "\"param\":\"%s\",\"code\":\"unsupported_parameter\"}}",
                                           message, param);

  interp_test_reply_json (interp_test_server_reply (self->server, PATH), 400, json);
}

static void
test_adapts (LlmFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) refused = NULL;
  g_autoptr (JsonNode) sent = NULL;
  g_autoptr (JsonNode) later = NULL;
  g_autoptr (LlmAnswer) answer = NULL;

  self->request->max_tokens = 100;
  self->request->temperature = 0.5;
  refuse (self, "max_tokens", "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.");
  refuse (self, "temperature", "Unsupported value: 'temperature' does not support 0.5 with this model.");
  wire_say (&wire_chat, self->server, "Hello");
  answer = llm_test_ask (self->provider, self->request);
  g_assert_no_error (answer->error);
  g_assert_cmpstr (answer->text->str, ==, "Hello");

  refused = llm_test_sent (self->server, PATH, 0);
  g_assert_cmpint (interp_json_get_int (refused, "max_tokens", 0), ==, 100);
  sent = llm_test_sent (self->server, PATH, 2);
  g_assert_null (interp_json_get (sent, "max_tokens"));
  g_assert_cmpint (interp_json_get_int (sent, "max_completion_tokens", 0), ==, 100);
  g_assert_null (interp_json_get (sent, "temperature"));

  later = llm_fixture_ask (self);
  g_assert_cmpuint (interp_test_server_get_n_requests (self->server, PATH), ==, 4);
  g_assert_null (interp_json_get (later, "max_tokens"));
  g_assert_null (interp_json_get (later, "temperature"));
}

/* One that refuses the same for ever is not asked for ever. */
static void
test_adapts_once (LlmFixture *self, gconstpointer data)
{
  g_autoptr (LlmAnswer) answer = NULL;

  for (guint i = 0; i < 5; i++)
    refuse (self, "stream_options", "stream_options is not allowed");
  answer = llm_test_ask (self->provider, self->request);
  g_assert_error (answer->error, INTERP_LLM_ERROR, INTERP_LLM_ERROR_REQUEST);
  g_assert_cmpuint (interp_test_server_get_n_requests (self->server, PATH), ==, 2);
}

static void
test_no_tools (LlmFixture *self, gconstpointer data)
{
  g_autoptr (InterpModel) model = interp_provider_get_model (self->provider, "m");
  g_autoptr (LlmAnswer) answer = NULL;

  g_assert_cmpint (interp_model_get_tools (model), !=, INTERP_SUPPORT_NO);
  interp_test_reply_json (interp_test_server_reply (self->server, PATH), 500,
                          "{\"error\":{\"code\":500,\"message\":\"tools param requires --jinja flag\",\"type\":"
                          "\"server_error\"}}");
  answer = llm_test_ask (self->provider, self->request);
  g_assert_error (answer->error, INTERP_LLM_ERROR, INTERP_LLM_ERROR_NO_TOOLS);
  g_assert_cmpint (interp_model_get_tools (model), ==, INTERP_SUPPORT_NO);
}

/* What a server could not read itself may well be a call; it is marked as such. */
static void
test_failed_generation (LlmFixture *self, gconstpointer data)
{
  g_autoptr (LlmAnswer) answer = NULL;
  InterpCall *call;

  interp_test_reply_json (
      interp_test_server_reply (self->server, PATH), 400,
      "{\"error\":{\"message\":\"Failed to call a function\",\"type\":\"invalid_request_error\","
      "\"code\":\"tool_use_failed\",\"failed_generation\":\"<tool_call>{\\\"name\\\":\\\"run_code\\\","
      "\\\"arguments\\\":{\\\"language\\\":\\\"python\\\",\\\"code\\\":\\\"1\\\"}}</tool_call>\"}}");
  answer = llm_test_ask (self->provider, self->request);
  g_assert_no_error (answer->error);
  g_assert_cmpuint (answer->calls->len, ==, 1);
  call = g_ptr_array_index (answer->calls, 0);
  g_assert_cmpint (call->origin, ==, INTERP_CALL_RECOVERED);
  g_assert_cmpstr (call->code, ==, "1");
}

/* ---- servers that do not know when to end ---- */

static void
begin_unended (LlmFixture *self, InterpTestReply **reply)
{
  *reply = wire_begin (&wire_chat, self->server);
  wire_text (&wire_chat, *reply, "Hello");
  interp_test_reply_send (*reply, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
                          -1);
}

static void
check_unended (LlmFixture *self)
{
  g_autoptr (LlmAnswer) answer = NULL;

  llm_test_hurry (100);
  answer = llm_test_ask (self->provider, self->request);
  llm_test_stop_hurrying ();
  g_assert_no_error (answer->error);
  g_assert_cmpstr (answer->text->str, ==, "Hello");
  g_assert_cmpint (answer->finish, ==, INTERP_FINISH_END);
  interp_test_server_await_closed (self->server, 1);
}

static void
test_never_closes (LlmFixture *self, gconstpointer data)
{
  InterpTestReply *reply;

  begin_unended (self, &reply);
  interp_test_reply_await_close (reply);
  check_unended (self);
}

static void
test_pings_for_ever (LlmFixture *self, gconstpointer data)
{
  InterpTestReply *reply;

  begin_unended (self, &reply);
  interp_test_reply_ping_for_ever (reply);
  check_unended (self);
}

/* Pings are no sign of an answer: it is given up in the end. */
static void
test_pings_in_answer (LlmFixture *self, gconstpointer data)
{
  InterpTestReply *reply = wire_begin (&wire_chat, self->server);
  g_autoptr (LlmAnswer) answer = NULL;

  wire_text (&wire_chat, reply, "So far");
  interp_test_reply_ping_for_ever (reply);
  llm_test_hurry (5000);
  answer = llm_test_ask (self->provider, self->request);
  llm_test_stop_hurrying ();
  g_assert_error (answer->error, INTERP_LLM_ERROR, INTERP_LLM_ERROR_INCOMPLETE);
  g_assert_cmpstr (answer->text->str, ==, "So far");
  interp_test_server_await_closed (self->server, 1);
}

/* ---- what goes back to its own provider ---- */

static void
test_opaque (LlmFixture *self, gconstpointer data)
{
  InterpTestReply *reply = wire_begin (&wire_chat, self->server);
  g_autoptr (LlmAnswer) answer = NULL;
  g_autoptr (JsonNode) own = NULL;
  g_autoptr (JsonNode) foreign = NULL;
  InterpMessage *message;

  interp_test_reply_send (reply,
                          "data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning_details\":[{\"type\":"
                          "\"reasoning.encrypted\",\"data\":\"q+/=\",\"id\":\"rs_1\",\"index\":0}]}}]}\n\n",
                          -1);
  wire_call (&wire_chat, reply, 0, "call_1", "python", "1");
  wire_end (&wire_chat, reply, "tool_calls");
  answer = llm_test_ask (self->provider, self->request);
  g_assert_no_error (answer->error);
  g_assert_nonnull (answer->opaque);

  message = llm_fixture_add_message (self, INTERP_ROLE_ASSISTANT, NULL);
  interp_message_add_call (message, g_ptr_array_index (answer->calls, 0));
  message->opaque = g_bytes_new (answer->opaque, strlen (answer->opaque));
  message->opaque_provider = g_strdup (answer->opaque_tag);
  llm_fixture_add_result (self, "call_1", "1");
  own = llm_fixture_ask (self);
  g_assert_cmpstr (interp_json_get_string (own, "messages.2.reasoning_details.0.data"), ==, "q+/=");
  g_assert_cmpstr (interp_json_get_string (own, "messages.2.reasoning_details.0.id"), ==, "rs_1");

  g_set_str (&message->opaque_provider, "another/family");
  foreign = llm_fixture_ask (self);
  g_assert_null (interp_json_get (foreign, "messages.2.reasoning_details"));
}

static void
test_short_ids (LlmFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) sent = NULL;
  const char *id;

  interp_provider_set_key (self->provider, "k", INTERP_KEY_SESSION);
  add_history (self);
  sent = llm_fixture_ask (self);
  id = interp_json_get_string (sent, "messages.2.tool_calls.0.id");
  g_assert_cmpuint (strlen (id), ==, 9);
  g_assert_cmpstr (interp_json_get_string (sent, "messages.3.tool_call_id"), ==, id);
}

static void
test_list (LlmFixture *self, gconstpointer data)
{
  g_autoptr (GListModel) list = NULL;
  g_autoptr (InterpModel) model = NULL;
  g_autoptr (GError) error = NULL;

  interp_test_reply_json (interp_test_server_reply_always (self->server, "/v1/models"), 200,
                          "{\"object\":\"list\",\"data\":[{\"id\":\"text-embed\"},{\"id\":\"m\",\"meta\":{\"n_ctx\":"
                          "4096}},{\"object\":\"model\"}]}");
  interp_test_reply_json (interp_test_server_reply_always (self->server, "/props"), 200,
                          "{\"default_generation_settings\":{\"n_ctx\":2048},\"chat_template_caps\":{\"supports_"
                          "tools\":"
                          "false},\"modalities\":{\"vision\":true}}");
  list = interp_test_await_object (interp_provider_list_models (self->provider), &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_list_model_get_n_items (list), ==, 1);
  model = g_list_model_get_item (list, 0);
  g_assert_cmpstr (interp_model_get_wire_name (model), ==, "m");
  g_assert_cmpint (interp_model_get_context_window (model), ==, 4096);

  interp_test_await (interp_provider_inspect (self->provider, model), NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (interp_model_get_context_window (model), ==, 2048);
  g_assert_cmpint (interp_model_get_tools (model), ==, INTERP_SUPPORT_NO);
  g_assert_cmpint (interp_model_get_vision (model), ==, INTERP_SUPPORT_YES);
}

#define ADD_AT(name, at, func) g_test_add ("/llm/chat/" name, LlmFixture, at, set_up, func, llm_fixture_tear_down)
#define ADD(name, func) ADD_AT (name, NULL, func)

int
main (int argc, char **argv)
{
  llm_test_init (&argc, &argv);

  ADD ("request", test_request);
  ADD ("unsaid", test_unsaid);
  ADD ("history", test_history);
  ADD ("text-mode", test_text_mode);
  ADD_AT ("base/without-v1", "/", test_base_without_v1);
  ADD_AT ("base/v1-too-much", "/v1", test_base_with_v1_too_much);
  ADD_AT ("base/of-nothing", "/v1", test_base_of_nothing);
  ADD_AT ("base/known", "/v1", test_base_known);
  ADD ("adapts", test_adapts);
  ADD ("adapts-once", test_adapts_once);
  ADD ("no-tools", test_no_tools);
  ADD ("failed-generation", test_failed_generation);
  ADD ("never-closes", test_never_closes);
  ADD ("pings/for-ever", test_pings_for_ever);
  ADD ("pings/in-answer", test_pings_in_answer);
  ADD ("opaque", test_opaque);
  ADD_AT ("short-ids", "mistral", test_short_ids);
  ADD ("list", test_list);

  return g_test_run ();
}
