/* test-llm-messages.c: what is particular to Anthropic's Messages
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

#define PATH "/v1/messages"
#define MODEL "claude-sonnet-5"

static void
set_up (LlmFixture *self, gconstpointer data)
{
  llm_fixture_set_up (self, &wire_messages, data != NULL ? data : MODEL);
}

/* The answer to events that are written out. */
static LlmAnswer *
hear (LlmFixture *self, ...)
{
  InterpTestReply *reply = wire_begin (&wire_messages, self->server);
  const char *event;
  va_list events;

  va_start (events, self);
  while ((event = va_arg (events, const char *)) != NULL)
    interp_test_reply_printf (reply, "data: %s\n\n", event);
  va_end (events);

  return llm_test_ask (self->provider, self->request);
}

#define START                                                                                                   \
  "{\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"role\":\"assistant\",\"content\":[],\"usage\":{" \
  "\"input_tokens\":3,\"output_tokens\":1}}}"
#define STOP(reason) \
  "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"" reason "\"},\"usage\":{\"output_tokens\":9}}"
#define END "{\"type\":\"message_stop\"}"
#define BLOCK(index, block) "{\"type\":\"content_block_start\",\"index\":" index ",\"content_block\":" block "}"
#define DELTA(index, delta) "{\"type\":\"content_block_delta\",\"index\":" index ",\"delta\":" delta "}"
#define JSON_DELTA(index, json) DELTA (index, "{\"type\":\"input_json_delta\",\"partial_json\":\"" json "\"}")
#define CLOSE(index) "{\"type\":\"content_block_stop\",\"index\":" index "}"

static void
test_request (LlmFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) sent = NULL;
  g_autofree char *version = NULL;

  self->request->temperature = 0.5;
  sent = llm_fixture_ask (self);
  g_assert_cmpstr (interp_json_get_string (sent, "model"), ==, MODEL);
  g_assert_true (interp_json_get_bool (sent, "stream", FALSE));
  /* The limit is not optional. */
  g_assert_cmpint (interp_json_get_int (sent, "max_tokens", 0), >=, 4096);
  /* Models of this kind refuse it. */
  g_assert_null (interp_json_get (sent, "temperature"));
  g_assert_cmpstr (interp_json_get_string (sent, "thinking.type"), ==, "adaptive");
  g_assert_cmpstr (interp_json_get_string (sent, "system.0.text"), ==, "You run code.");
  g_assert_cmpstr (interp_json_get_string (sent, "system.0.cache_control.type"), ==, "ephemeral");
  g_assert_cmpuint (interp_json_get_length (sent, "messages"), ==, 1);
  g_assert_cmpstr (interp_json_get_string (sent, "messages.0.role"), ==, "user");
  g_assert_cmpstr (interp_json_get_string (sent, "messages.0.content.0.text"), ==, "Say something");
  g_assert_cmpstr (interp_json_get_string (sent, "messages.0.content.0.cache_control.type"), ==, "ephemeral");
  g_assert_cmpstr (interp_json_get_string (sent, "tools.0.name"), ==, "run_code");
  g_assert_cmpstr (interp_json_get_string (sent, "tools.0.input_schema.type"), ==, "object");

  version
      = interp_test_request_dup_header (interp_test_server_await_request (self->server, PATH, 0), "anthropic-version");
  g_assert_cmpstr (version, ==, "2023-06-01");
}

/* An older model: it takes what newer ones refuse, and less at once. */
static void
test_older_model (LlmFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) sent = NULL;

  self->request->temperature = 1.5;
  sent = llm_fixture_ask (self);
  g_assert_cmpfloat (interp_json_get_double (sent, "temperature", 0), ==, 1);
  g_assert_null (interp_json_get (sent, "thinking"));
  g_assert_cmpint (interp_json_get_int (sent, "max_tokens", 0), ==, 4096);
}

static void
add_call (InterpMessage *message, const char *id, const char *code)
{
  g_autofree char *arguments = g_strdup_printf ("{\"language\":\"python\",\"code\":\"%s\"}", code);
  g_autoptr (InterpCall) call = interp_call_new (INTERP_CALL_TOOL, id, "run_code", arguments);

  interp_message_add_call (message, call);
}

static void
test_history (LlmFixture *self, gconstpointer data)
{
  InterpMessage *message = llm_fixture_add_message (self, INTERP_ROLE_ASSISTANT, "Two things:");
  g_autoptr (GBytes) bytes = g_bytes_new_static ("PNG", 3);
  g_autoptr (JsonNode) sent = NULL;
  g_autofree char *body = NULL;
  const char *id;

  add_call (message, "call_a", "1");
  add_call (message, "functions.run:1", "2");
  interp_message_add_picture (llm_fixture_add_result (self, "call_a", "one"), "image/png", bytes);
  llm_fixture_add_result (self, "functions.run:1", "two")->is_error = TRUE;
  llm_fixture_add_message (self, INTERP_ROLE_USER, "And now?");

  sent = llm_fixture_ask (self);
  /* Sides alternate: results and what is said then are one message. */
  g_assert_cmpuint (interp_json_get_length (sent, "messages"), ==, 3);
  g_assert_cmpstr (interp_json_get_string (sent, "messages.1.role"), ==, "assistant");
  g_assert_cmpstr (interp_json_get_string (sent, "messages.1.content.0.text"), ==, "Two things:");
  g_assert_cmpstr (interp_json_get_string (sent, "messages.1.content.1.type"), ==, "tool_use");
  g_assert_cmpstr (interp_json_get_string (sent, "messages.1.content.1.id"), ==, "call_a");
  /* An object, not text. */
  g_assert_cmpstr (interp_json_get_string (sent, "messages.1.content.1.input.code"), ==, "1");
  /* Ids of other providers have letters that are refused here. */
  id = interp_json_get_string (sent, "messages.1.content.2.id");
  g_assert_null (strpbrk (id, ".:"));
  g_assert_cmpstr (interp_json_get_string (sent, "messages.2.content.1.tool_use_id"), ==, id);
  g_assert_true (interp_json_get_bool (sent, "messages.2.content.1.is_error", FALSE));
  g_assert_cmpstr (interp_json_get_string (sent, "messages.2.role"), ==, "user");
  g_assert_cmpstr (interp_json_get_string (sent, "messages.2.content.0.type"), ==, "tool_result");
  g_assert_cmpstr (interp_json_get_string (sent, "messages.2.content.0.tool_use_id"), ==, "call_a");
  g_assert_null (interp_json_get (sent, "messages.2.content.0.is_error"));
  g_assert_cmpstr (interp_json_get_string (sent, "messages.2.content.0.content.0.text"), ==, "one");
  g_assert_cmpstr (interp_json_get_string (sent, "messages.2.content.0.content.1.source.data"), ==, "UE5H");
  g_assert_cmpstr (interp_json_get_string (sent, "messages.2.content.0.content.1.source.media_type"), ==, "image/png");
  g_assert_cmpstr (interp_json_get_string (sent, "messages.2.content.2.text"), ==, "And now?");

  /* What the server may keep ends where this request and the one before end; more than four marks are refused. */
  g_assert_nonnull (interp_json_get (sent, "messages.0.content.0.cache_control"));
  g_assert_nonnull (interp_json_get (sent, "messages.2.content.2.cache_control"));
  body = interp_json_to_string (sent);
  {
    g_auto (GStrv) parts = g_strsplit (body, "\"cache_control\"", -1);

    g_assert_cmpuint (g_strv_length (parts), <=, 5);
  }
}

/* A call that was never answered gets a result. */
static void
test_unanswered (LlmFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) sent = NULL;

  add_call (llm_fixture_add_message (self, INTERP_ROLE_ASSISTANT, NULL), "call_a", "1");
  llm_fixture_add_message (self, INTERP_ROLE_USER, "And now?");
  sent = llm_fixture_ask (self);
  g_assert_cmpstr (interp_json_get_string (sent, "messages.2.content.0.tool_use_id"), ==, "call_a");
  g_assert_true (interp_json_get_bool (sent, "messages.2.content.0.is_error", FALSE));
}

/* ---- thinking goes back as it came ---- */

static InterpMessage *
add_answer (LlmFixture *self, LlmAnswer *answer)
{
  InterpMessage *message
      = llm_fixture_add_message (self, INTERP_ROLE_ASSISTANT, answer->text->len > 0 ? answer->text->str : NULL);

  for (guint i = 0; i < answer->calls->len; i++)
    interp_message_add_call (message, g_ptr_array_index (answer->calls, i));
  message->opaque = g_bytes_new (answer->opaque, strlen (answer->opaque));
  message->opaque_provider = g_strdup (answer->opaque_tag);
  for (guint i = 0; i < answer->calls->len; i++)
    llm_fixture_add_result (self, ((InterpCall *) g_ptr_array_index (answer->calls, i))->id, "done");

  return message;
}

static LlmAnswer *
think (LlmFixture *self)
{
  LlmAnswer *answer
      = hear (self, START, BLOCK ("0", "{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}"),
              DELTA ("0", "{\"type\":\"thinking_delta\",\"thinking\":\"Hmm\"}"),
              DELTA ("0", "{\"type\":\"thinking_delta\",\"thinking\":\", 漢\\u00e4\"}"),
              DELTA ("0", "{\"type\":\"signature_delta\",\"signature\":\"EqQB+/x==\"}"), CLOSE ("0"),
              BLOCK ("1", "{\"type\":\"redacted_thinking\",\"data\":\"opaque+/=\"}"), CLOSE ("1"),
              BLOCK ("2", "{\"type\":\"text\",\"text\":\"\"}"),
              DELTA ("2", "{\"type\":\"text_delta\",\"text\":\"Look: \"}"), CLOSE ("2"),
              BLOCK ("3", "{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}"),
              DELTA ("3", "{\"type\":\"signature_delta\",\"signature\":\"second\"}"), CLOSE ("3"),
              BLOCK ("4", "{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"run_code\",\"input\":{}}"),
              JSON_DELTA ("4", "{\\\"language\\\":\\\"python\\\",\\\"co"), JSON_DELTA ("4", "de\\\":\\\"1\\\"}"),
              CLOSE ("4"), STOP ("tool_use"), END, NULL);

  g_assert_no_error (answer->error);
  g_assert_cmpstr (answer->reasoning->str, ==, "Hmm, 漢ä");
  g_assert_cmpstr (answer->text->str, ==, "Look: ");
  g_assert_cmpuint (answer->calls->len, ==, 1);
  g_assert_nonnull (answer->opaque);
  g_assert_cmpint (answer->usage.input_tokens, ==, 3);
  g_assert_cmpint (answer->usage.output_tokens, ==, 9);

  return answer;
}

static void
test_thinking (LlmFixture *self, gconstpointer data)
{
  g_autoptr (LlmAnswer) answer = think (self);
  g_autoptr (JsonNode) sent = NULL;

  add_answer (self, answer);
  sent = llm_fixture_ask (self);
  g_assert_cmpuint (interp_json_get_length (sent, "messages.1.content"), ==, 5);
  g_assert_cmpstr (interp_json_get_string (sent, "messages.1.content.0.type"), ==, "thinking");
  g_assert_cmpstr (interp_json_get_string (sent, "messages.1.content.0.thinking"), ==, "Hmm, 漢ä");
  g_assert_cmpstr (interp_json_get_string (sent, "messages.1.content.0.signature"), ==, "EqQB+/x==");
  g_assert_cmpstr (interp_json_get_string (sent, "messages.1.content.1.data"), ==, "opaque+/=");
  g_assert_cmpstr (interp_json_get_string (sent, "messages.1.content.2.text"), ==, "Look: ");
  /* Not shown, but signed: it stays, and where it was. */
  g_assert_cmpstr (interp_json_get_string (sent, "messages.1.content.3.thinking"), ==, "");
  g_assert_cmpstr (interp_json_get_string (sent, "messages.1.content.3.signature"), ==, "second");
  g_assert_cmpstr (interp_json_get_string (sent, "messages.1.content.4.id"), ==, "toolu_1");
}

/* Another model gets what was said and done, and nothing else. */
static void
test_thinking_elsewhere (LlmFixture *self, gconstpointer data)
{
  g_autoptr (LlmAnswer) answer = think (self);
  g_autoptr (JsonNode) sent = NULL;

  add_answer (self, answer);
  g_set_str (&self->request->model, "claude-opus-5");
  sent = llm_fixture_ask (self);
  g_assert_cmpuint (interp_json_get_length (sent, "messages.1.content"), ==, 2);
  g_assert_cmpstr (interp_json_get_string (sent, "messages.1.content.0.type"), ==, "text");
  g_assert_cmpstr (interp_json_get_string (sent, "messages.1.content.1.type"), ==, "tool_use");
}

/* A turn that was changed since: thinking comes first, as it must. */
static void
test_thinking_in_changed_turn (LlmFixture *self, gconstpointer data)
{
  g_autoptr (LlmAnswer) answer = think (self);
  g_autoptr (JsonNode) sent = NULL;
  InterpMessage *message = add_answer (self, answer);

  g_set_str (&message->text, "Something else");
  sent = llm_fixture_ask (self);
  g_assert_cmpuint (interp_json_get_length (sent, "messages.1.content"), ==, 5);
  for (guint i = 0; i < 3; i++)
    {
      g_autofree char *path = g_strdup_printf ("messages.1.content.%u.type", i);

      g_assert_nonnull (strstr (interp_json_get_string (sent, path), "thinking"));
    }
  g_assert_cmpstr (interp_json_get_string (sent, "messages.1.content.3.text"), ==, "Something else");
  g_assert_cmpstr (interp_json_get_string (sent, "messages.1.content.4.id"), ==, "toolu_1");
}

static void
test_thinking_refused (LlmFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) sent = NULL;

  interp_test_reply_json (interp_test_server_reply (self->server, PATH), 400,
                          "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":"
                          "\"adaptive thinking is not supported on this model\"}}");
  wire_say (&wire_messages, self->server, "Hello");
  {
    g_autoptr (LlmAnswer) answer = llm_test_ask (self->provider, self->request);

    g_assert_no_error (answer->error);
  }
  sent = llm_fixture_ask (self);
  g_assert_null (interp_json_get (sent, "thinking"));
  g_assert_cmpuint (interp_test_server_get_n_requests (self->server, PATH), ==, 3);
}

/* ---- calls ---- */

static void
check_call (LlmAnswer *answer, guint n, const char *id, const char *code)
{
  InterpCall *call = g_ptr_array_index (answer->calls, n);

  g_assert_cmpstr (call->id, ==, id);
  g_assert_cmpstr (call->code, ==, code);
  g_assert_null (call->fault);
}

/* Blocks may begin before those before them end, and all end together. */
static void
test_overlapping (LlmFixture *self, gconstpointer data)
{
  g_autoptr (LlmAnswer) answer
      = hear (self, START, BLOCK ("0", "{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"run_code\"}"),
              JSON_DELTA ("0", "{\\\"language\\\":\\\"python\\\","),
              BLOCK ("1", "{\"type\":\"tool_use\",\"id\":\"b\",\"name\":\"run_code\"}"),
              JSON_DELTA ("1", "{\\\"language\\\":\\\"shell\\\","), JSON_DELTA ("0", "\\\"code\\\":\\\"1\\\"}"),
              JSON_DELTA ("1", "\\\"code\\\":\\\"ls\\\"}"), CLOSE ("0"), CLOSE ("1"), STOP ("tool_use"), END, NULL);

  g_assert_no_error (answer->error);
  g_assert_cmpuint (answer->calls->len, ==, 2);
  check_call (answer, 0, "a", "1");
  check_call (answer, 1, "b", "ls");
}

/* All of the input in the beginning of the block, as some gateways send it. */
static void
test_whole_input (LlmFixture *self, gconstpointer data)
{
  g_autoptr (LlmAnswer) answer
      = hear (self, START,
              BLOCK ("0", "{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"run_code\",\"input\":{\"language\":"
                          "\"python\",\"code\":\"1\"}}"),
              CLOSE ("0"), STOP ("tool_use"), END, NULL);

  g_assert_no_error (answer->error);
  g_assert_cmpuint (answer->calls->len, ==, 1);
  check_call (answer, 0, "a", "1");
}

/* Not a stream at all. */
static void
test_document (LlmFixture *self, gconstpointer data)
{
  g_autoptr (LlmAnswer) answer = NULL;

  interp_test_reply_json (interp_test_server_reply (self->server, PATH), 200,
                          "{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":"
                          "\"Look:\"},{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"run_code\",\"input\":{"
                          "\"language\":\"python\",\"code\":\"1\"}}],\"stop_reason\":\"tool_use\",\"usage\":{"
                          "\"input_tokens\":5,\"output_tokens\":6}}");
  answer = llm_test_ask (self->provider, self->request);
  g_assert_no_error (answer->error);
  g_assert_cmpstr (answer->text->str, ==, "Look:");
  g_assert_cmpuint (answer->calls->len, ==, 1);
  check_call (answer, 0, "a", "1");
  g_assert_cmpint (answer->finish, ==, INTERP_FINISH_CALLS);
  g_assert_cmpint (answer->usage.input_tokens, ==, 5);
}

/* ---- ends ---- */

static void
check_finish (LlmFixture *self, const char *stop, InterpFinish finish)
{
  g_autoptr (LlmAnswer) answer
      = hear (self, START, "{\"type\":\"ping\"}", "{\"type\":\"of_the_future\",\"a\":1}",
              BLOCK ("0", "{\"type\":\"text\",\"text\":\"Hel\"}"), BLOCK ("9", "{\"type\":\"of_the_future\"}"),
              DELTA ("9", "{\"type\":\"of_the_future\"}"), DELTA ("0", "{\"type\":\"text_delta\",\"text\":\"lo\"}"),
              stop, END, NULL);

  g_assert_no_error (answer->error);
  g_assert_cmpstr (answer->text->str, ==, "Hello");
  g_assert_cmpint (answer->finish, ==, finish);
}

static void
test_finish (LlmFixture *self, gconstpointer data)
{
  check_finish (self, STOP ("end_turn"), INTERP_FINISH_END);
  check_finish (self, STOP ("max_tokens"), INTERP_FINISH_LENGTH);
  check_finish (self, STOP ("model_context_window_exceeded"), INTERP_FINISH_LENGTH);
  check_finish (self, STOP ("stop_sequence"), INTERP_FINISH_STOP_SEQUENCE);
  check_finish (self, STOP ("pause_turn"), INTERP_FINISH_PAUSED);
  check_finish (self, STOP ("refusal"), INTERP_FINISH_REFUSED);
}

/* A refusal may come without a word; then the reason is what there is to show. */
static void
test_refusal (LlmFixture *self, gconstpointer data)
{
  g_autoptr (LlmAnswer) answer
      = hear (self, START,
              "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"refusal\",\"stop_details\":{\"category\":"
              "\"x\",\"explanation\":\"Not that.\"}},\"usage\":{\"output_tokens\":0}}",
              END, NULL);

  g_assert_no_error (answer->error);
  g_assert_cmpint (answer->finish, ==, INTERP_FINISH_REFUSED);
  g_assert_cmpstr (answer->text->str, ==, "Not that.");
}

static void
test_limit_refused (LlmFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) sent = NULL;

  self->request->max_tokens = 500000;
  interp_test_reply_json (interp_test_server_reply (self->server, PATH), 400,
                          "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":"
                          "\"max_tokens: 500000 > 64000, which is the maximum allowed number of output tokens\"}}");
  wire_say (&wire_messages, self->server, "Hello");
  {
    g_autoptr (LlmAnswer) answer = llm_test_ask (self->provider, self->request);

    g_assert_no_error (answer->error);
  }
  sent = llm_test_sent (self->server, PATH, 1);
  g_assert_cmpint (interp_json_get_int (sent, "max_tokens", 0), ==, 4096);
}

static void
test_models (LlmFixture *self, gconstpointer data)
{
  g_autoptr (GListModel) list = NULL;
  g_autoptr (InterpModel) model = NULL;
  g_autoptr (GError) error = NULL;

  interp_test_reply_json (interp_test_server_reply_always (self->server, "/v1/models"), 200,
                          "{\"data\":[{\"type\":\"model\",\"id\":\"" MODEL "\",\"display_name\":\"Claude Sonnet 5\","
                          "\"max_input_tokens\":1000000,\"capabilities\":{\"image_input\":{\"supported\":true}}}],"
                          "\"has_more\":false}");
  list = interp_test_await_object (interp_provider_list_models (self->provider), &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_list_model_get_n_items (list), ==, 1);
  model = g_list_model_get_item (list, 0);
  g_assert_cmpstr (interp_model_get_wire_name (model), ==, MODEL);
  g_assert_cmpstr (interp_model_get_title (model), ==, "Claude Sonnet 5");
  g_assert_cmpint (interp_model_get_context_window (model), ==, 1000000);
  g_assert_cmpint (interp_model_get_vision (model), ==, INTERP_SUPPORT_YES);
}

/* A long list comes in pages. */
static void
test_pages (LlmFixture *self, gconstpointer data)
{
  g_autoptr (GListModel) list = NULL;
  g_autoptr (GError) error = NULL;

  interp_test_reply_json (interp_test_server_reply (self->server, "/v1/models"), 200,
                          "{\"data\":[{\"id\":\"a\"},{\"id\":\"b\"}],\"has_more\":true,\"first_id\":\"a\",\"last_id\":"
                          "\"b\"}");
  interp_test_reply_json (interp_test_server_reply (self->server, "/v1/models"), 200,
                          "{\"data\":[{\"id\":\"c\"}],\"has_more\":false,\"first_id\":\"c\",\"last_id\":\"c\"}");
  list = interp_test_await_object (interp_provider_list_models (self->provider), &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_list_model_get_n_items (list), ==, 3);
  g_assert_cmpuint (interp_test_server_get_n_requests (self->server, "/v1/models"), ==, 2);
  g_assert_cmpstr (interp_test_server_await_request (self->server, "/v1/models", 1)->path, ==,
                   "/v1/models?limit=1000&after_id=b");
}

#define ADD_FOR(name, model, func) \
  g_test_add ("/llm/messages/" name, LlmFixture, model, set_up, func, llm_fixture_tear_down)
#define ADD(name, func) ADD_FOR (name, NULL, func)

int
main (int argc, char **argv)
{
  llm_test_init (&argc, &argv);

  ADD ("request", test_request);
  ADD_FOR ("older-model", "claude-3-haiku-20240307", test_older_model);
  ADD ("history", test_history);
  ADD ("unanswered", test_unanswered);
  ADD ("thinking/same-model", test_thinking);
  ADD ("thinking/another-model", test_thinking_elsewhere);
  ADD ("thinking/changed-turn", test_thinking_in_changed_turn);
  ADD ("thinking/refused", test_thinking_refused);
  ADD ("calls/overlapping", test_overlapping);
  ADD ("calls/whole-input", test_whole_input);
  ADD ("document", test_document);
  ADD ("finish", test_finish);
  ADD ("refusal", test_refusal);
  ADD ("limit-refused", test_limit_refused);
  ADD ("models/list", test_models);
  ADD ("models/pages", test_pages);

  return g_test_run ();
}
