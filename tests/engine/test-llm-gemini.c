/* test-llm-gemini.c: what is particular to Google's Gemini API
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

#define MODEL "gemini-3.8-flash"

/* Its address has the name of the model in it. */
static Wire wire;
static char *path;

static void
set_model (LlmFixture *self, const char *model)
{
  g_free (path);
  path = g_strdup_printf ("/v1beta/models/%s:streamGenerateContent", model);
  wire = wire_gemini;
  wire.path = path;
  g_set_str (&self->request->model, model);
}

static void
set_up (LlmFixture *self, gconstpointer data)
{
  const char *model = data != NULL ? data : MODEL;

  llm_fixture_set_up (self, &wire_gemini, model);
  set_model (self, model);
  self->wire = &wire;
}

/* The answer to messages that are written out. */
static LlmAnswer *
hear (LlmFixture *self, ...)
{
  InterpTestReply *reply = wire_begin (&wire, self->server);
  const char *message;
  va_list messages;

  va_start (messages, self);
  while ((message = va_arg (messages, const char *)) != NULL)
    interp_test_reply_printf (reply, "data: %s\r\n\r\n", message);
  va_end (messages);

  return llm_test_ask (self->provider, self->request);
}

#define PARTS(parts) "{\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[" parts "]},\"index\":0}]}"
#define STOP(reason)                                                                                           \
  "{\"candidates\":[{\"content\":{\"parts\":[]},\"finishReason\":\"" reason "\"}],\"usageMetadata\":{"         \
  "\"promptTokenCount\":9,\"cachedContentTokenCount\":4,\"candidatesTokenCount\":5,\"thoughtsTokenCount\":20," \
  "\"totalTokenCount\":34}}"
#define CALL(head, code, tail) \
  "{\"functionCall\":{" head "\"name\":\"run_code\",\"args\":{\"language\":\"python\",\"code\":\"" code "\"}}" tail "}"

static void
add_call (InterpMessage *message, const char *id, const char *code)
{
  g_autofree char *arguments = g_strdup_printf ("{\"language\":\"python\",\"code\":\"%s\"}", code);
  g_autoptr (InterpCall) call = interp_call_new (INTERP_CALL_TOOL, id, "run_code", arguments);

  interp_message_add_call (message, call);
}

/* As it is kept with a chat. */
static InterpMessage *
add_answer (LlmFixture *self, LlmAnswer *answer)
{
  InterpMessage *message
      = llm_fixture_add_message (self, INTERP_ROLE_ASSISTANT, answer->text->len > 0 ? answer->text->str : NULL);

  for (guint i = 0; i < answer->calls->len; i++)
    interp_message_add_call (message, g_ptr_array_index (answer->calls, i));
  if (answer->opaque != NULL)
    {
      message->opaque = g_bytes_new (answer->opaque, strlen (answer->opaque));
      message->opaque_provider = g_strdup (answer->opaque_tag);
    }
  for (guint i = 0; i < answer->calls->len; i++)
    llm_fixture_add_result (self, ((InterpCall *) g_ptr_array_index (answer->calls, i))->id, "done");

  return message;
}

/* ---- requests ---- */

static void
test_request (LlmFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) sent = NULL;
  g_autofree char *key = NULL;
  const InterpTestRequest *request;

  interp_provider_set_key (self->provider, "of-the-test", INTERP_KEY_SESSION);
  self->request->temperature = 0.5;
  self->request->max_tokens = 1000;
  sent = llm_fixture_ask (self);
  g_assert_cmpstr (interp_json_get_string (sent, "systemInstruction.parts.0.text"), ==, "You run code.");
  g_assert_cmpuint (interp_json_get_length (sent, "contents"), ==, 1);
  g_assert_cmpstr (interp_json_get_string (sent, "contents.0.role"), ==, "user");
  g_assert_cmpstr (interp_json_get_string (sent, "contents.0.parts.0.text"), ==, "Say something");
  g_assert_cmpstr (interp_json_get_string (sent, "tools.0.functionDeclarations.0.name"), ==, "run_code");
  g_assert_cmpstr (interp_json_get_string (sent, "tools.0.functionDeclarations.0.parameters.type"), ==, "object");
  g_assert_cmpstr (interp_json_get_string (sent,
                                           "tools.0.functionDeclarations.0.parameters.properties.language.enum.1"),
                   ==, "shell");
  g_assert_cmpuint (interp_json_get_length (sent, "tools.0.functionDeclarations.0.parameters.required"), ==, 2);
  g_assert_cmpfloat (interp_json_get_double (sent, "generationConfig.temperature", 0), ==, 0.5);
  g_assert_cmpint (interp_json_get_int (sent, "generationConfig.maxOutputTokens", 0), ==, 1000);
  g_assert_true (interp_json_get_bool (sent, "generationConfig.thinkingConfig.includeThoughts", FALSE));
  /* What is not known is refused. */
  g_assert_null (interp_json_get (sent, "model"));
  g_assert_null (interp_json_get (sent, "stream"));

  /* Events are asked for; the key is not in the address. */
  request = interp_test_server_await_request (self->server, path, 0);
  g_assert_true (g_str_has_suffix (request->path, ":streamGenerateContent?alt=sse"));
  key = interp_test_request_dup_header (request, "x-goog-api-key");
  g_assert_cmpstr (key, ==, "of-the-test");
}

/* A model that does not think is not asked to. */
static void
test_older_model (LlmFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) sent = llm_fixture_ask (self);

  g_assert_null (interp_json_get (sent, "generationConfig"));
}

static void
test_schema (LlmFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) sent = NULL;
  g_autofree char *tools = NULL;
  g_autoptr (GError) error = NULL;
  JsonNode *schema
      = interp_json_parse ("{\"$schema\":\"https://json-schema.org/draft/2020-12/"
                           "schema\",\"type\":\"object\",\"additionalProperties\":false,"
                           "\"properties\":{"
                           "\"a\":{\"type\":[\"string\",\"null\"],\"format\":\"uri\",\"default\":\"x\",\"minLength\":1}"
                           ","
                           "\"b\":{\"const\":\"only\"},"
                           "\"c\":{\"oneOf\":[{\"type\":\"integer\",\"enum\":[1,2]},{\"type\":\"null\"}]},"
                           "\"d\":{\"type\":\"array\"},"
                           "\"e\":{\"type\":\"object\",\"properties\":{},\"description\":\"More\"},"
                           "\"f\":{\"$ref\":\"#/$defs/f\"},"
                           "\"g\":{\"type\":\"string\",\"format\":\"date-time\",\"enum\":[\"p\",\"\",null]},"
                           "\"h\":{\"type\":[\"string\",\"number\"]}},"
                           "\"required\":[\"a\",\"not-there\"]}",
                           -1, INTERP_JSON_PARSE_NONE, &error);

  g_assert_no_error (error);
  g_ptr_array_add (self->request->tools, interp_tool_new ("all_kinds", "Takes all kinds.", schema));
  g_ptr_array_add (self->request->tools, interp_tool_new ("nothing", "Takes nothing.", NULL));
  sent = llm_fixture_ask (self);
  tools = interp_json_to_string (interp_json_get (sent, "tools.0.functionDeclarations.1.parameters"));
  g_assert_cmpstr (tools, ==,
                   "{\"type\":\"object\",\"properties\":{"
                   "\"a\":{\"minLength\":1,\"nullable\":true,\"type\":\"string\"},"
                   "\"b\":{\"type\":\"string\",\"enum\":[\"only\"]},"
                   "\"c\":{\"nullable\":true,\"anyOf\":[{\"type\":\"integer\"}]},"
                   "\"d\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
                   "\"e\":{\"description\":\"More\",\"type\":\"object\"},"
                   "\"f\":{\"type\":\"object\"},"
                   "\"g\":{\"format\":\"date-time\",\"type\":\"string\",\"nullable\":true,\"enum\":[\"p\"]},"
                   "\"h\":{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"number\"}]}},"
                   "\"required\":[\"a\"]}");
  g_assert_cmpstr (interp_json_get_string (sent, "tools.0.functionDeclarations.2.name"), ==, "nothing");
  g_assert_null (interp_json_get (sent, "tools.0.functionDeclarations.2.parameters"));
}

/* What a schema points to stands in its place; what points into itself ends somewhere. */
static void
test_references (LlmFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) sent = NULL;
  g_autofree char *parameters = NULL;
  g_autofree char *body = NULL;
  g_autoptr (GError) error = NULL;
  JsonNode *schema
      = interp_json_parse ("{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"#/$defs/"
                           "word\",\"description\":\"Mine\"},"
                           "\"b\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/definitions/a~1b\"}},"
                           "\"c\":{\"$ref\":\"https://example.org/other.json\"},\"d\":{\"$ref\":\"#/properties/b\"}},"
                           "\"$defs\":{\"word\":{\"type\":\"string\",\"description\":\"A word\",\"minLength\":1}},"
                           "\"definitions\":{\"a/b\":{\"type\":\"integer\"}}}",
                           -1, INTERP_JSON_PARSE_NONE, &error);
  JsonNode *endless = interp_json_parse (
      "{\"type\":\"object\",\"properties\":{\"t\":{\"$ref\":\"#/$defs/t\"}},\"$defs\":{\"t\":{\"type\":\"object\","
      "\"properties\":{\"a\":{\"$ref\":\"#/$defs/t\"},\"b\":{\"$ref\":\"#/$defs/t\"},\"c\":{\"$ref\":\"#/$defs/u\"}}},"
      "\"u\":{\"$ref\":\"#/$defs/u\"}}}",
      -1, INTERP_JSON_PARSE_NONE, &error);

  g_assert_no_error (error);
  g_ptr_array_add (self->request->tools, interp_tool_new ("points", "Points.", schema));
  g_ptr_array_add (self->request->tools, interp_tool_new ("endless", "Points at itself.", endless));
  sent = llm_fixture_ask (self);
  parameters = interp_json_to_string (interp_json_get (sent, "tools.0.functionDeclarations.1.parameters"));
  g_assert_cmpstr (parameters, ==,
                   "{\"type\":\"object\",\"properties\":{"
                   "\"a\":{\"description\":\"Mine\",\"minLength\":1,\"type\":\"string\"},"
                   "\"b\":{\"type\":\"array\",\"items\":{\"type\":\"integer\"}},"
                   "\"c\":{\"type\":\"object\"},"
                   "\"d\":{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}}}");
  body = interp_json_to_string (sent);
  g_assert_null (strstr (body, "$ref"));
  g_assert_cmpstr (interp_json_get_string (sent, "tools.0.functionDeclarations.2.parameters.properties.t.properties.a."
                                                 "properties.b.type"),
                   ==, "object");
  g_assert_cmpuint (strlen (body), <, 64 * 1024);
}

/* ---- history ---- */

static void
add_history (LlmFixture *self)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static ("PNG", 3);
  InterpMessage *message = llm_fixture_add_message (self, INTERP_ROLE_ASSISTANT, "Two things:");

  add_call (message, "call_a", "1");
  add_call (message, "call_b", "2");
  interp_message_add_picture (llm_fixture_add_result (self, "call_a", "one"), "image/png", bytes);
  llm_fixture_add_result (self, "call_b", "two")->is_error = TRUE;
  interp_message_add_picture (llm_fixture_add_message (self, INTERP_ROLE_USER, "And now?"), "image/jpeg", bytes);
}

/* Calls of another provider. */
static void
test_history (LlmFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) sent = NULL;

  add_history (self);
  sent = llm_fixture_ask (self);
  g_assert_cmpuint (interp_json_get_length (sent, "contents"), ==, 3);
  g_assert_cmpstr (interp_json_get_string (sent, "contents.1.role"), ==, "model");
  g_assert_cmpstr (interp_json_get_string (sent, "contents.1.parts.0.text"), ==, "Two things:");
  g_assert_null (interp_json_get (sent, "contents.1.parts.0.thoughtSignature"));
  g_assert_cmpstr (interp_json_get_string (sent, "contents.1.parts.1.functionCall.name"), ==, "run_code");
  g_assert_cmpstr (interp_json_get_string (sent, "contents.1.parts.1.functionCall.args.code"), ==, "1");
  g_assert_cmpstr (interp_json_get_string (sent, "contents.1.parts.2.functionCall.args.code"), ==, "2");
  /* Its ids are not the server's; the first call of a turn must have a signature. */
  g_assert_null (interp_json_get (sent, "contents.1.parts.1.functionCall.id"));
  g_assert_cmpstr (interp_json_get_string (sent, "contents.1.parts.1.thoughtSignature"), ==,
                   "skip_thought_signature_validator");
  g_assert_null (interp_json_get (sent, "contents.1.parts.2.thoughtSignature"));

  g_assert_cmpstr (interp_json_get_string (sent, "contents.2.role"), ==, "user");
  g_assert_cmpuint (interp_json_get_length (sent, "contents.2.parts"), ==, 4);
  g_assert_cmpstr (interp_json_get_string (sent, "contents.2.parts.0.functionResponse.name"), ==, "run_code");
  g_assert_null (interp_json_get (sent, "contents.2.parts.0.functionResponse.id"));
  g_assert_cmpstr (interp_json_get_string (sent, "contents.2.parts.0.functionResponse.response.result"), ==, "one");
  g_assert_cmpstr (interp_json_get_string (sent, "contents.2.parts.0.functionResponse.parts.0.inlineData.data"), ==,
                   "UE5H");
  g_assert_cmpstr (interp_json_get_string (sent, "contents.2.parts.0.functionResponse.parts.0.inlineData.mimeType"), ==,
                   "image/png");
  g_assert_cmpstr (interp_json_get_string (sent, "contents.2.parts.1.functionResponse.response.error"), ==, "two");
  g_assert_cmpstr (interp_json_get_string (sent, "contents.2.parts.2.text"), ==, "And now?");
  g_assert_cmpstr (interp_json_get_string (sent, "contents.2.parts.3.inlineData.mimeType"), ==, "image/jpeg");
}

/* The second generation has pictures only beside results, and no signatures that must be. */
static void
test_history_of_older_model (LlmFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) sent = NULL;

  add_history (self);
  sent = llm_fixture_ask (self);
  g_assert_null (interp_json_get (sent, "contents.1.parts.1.thoughtSignature"));
  g_assert_cmpuint (interp_json_get_length (sent, "contents.2.parts"), ==, 6);
  g_assert_null (interp_json_get (sent, "contents.2.parts.0.functionResponse.parts"));
  g_assert_nonnull (interp_json_get (sent, "contents.2.parts.1.functionResponse"));
  g_assert_nonnull (strstr (interp_json_get_string (sent, "contents.2.parts.2.text"), "run_code"));
  g_assert_cmpstr (interp_json_get_string (sent, "contents.2.parts.3.inlineData.mimeType"), ==, "image/png");
  g_assert_cmpstr (interp_json_get_string (sent, "contents.2.parts.4.text"), ==, "And now?");
}

/* There are as many results as calls, always. */
static void
test_unanswered (LlmFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) sent = NULL;
  InterpMessage *message = llm_fixture_add_message (self, INTERP_ROLE_ASSISTANT, NULL);

  add_call (message, "call_a", "1");
  add_call (message, "call_b", "2");
  llm_fixture_add_result (self, "call_b", "two");
  sent = llm_fixture_ask (self);
  g_assert_cmpuint (interp_json_get_length (sent, "contents.2.parts"), ==, 2);
  g_assert_nonnull (interp_json_get_string (sent, "contents.2.parts.0.functionResponse.response.error"));
  g_assert_cmpstr (interp_json_get_string (sent, "contents.2.parts.1.functionResponse.response.result"), ==, "two");
}

/* ---- signatures go back as they came ---- */

#define SIGNATURE "CpcBAdHtim9+/x8Kw=="

static LlmAnswer *
think (LlmFixture *self)
{
  LlmAnswer *answer = hear (self, PARTS ("{\"text\":\"Hmm\",\"thought\":true}"),
                            PARTS ("{\"text\":\", 漢\\u00e4\",\"thought\":true}"), PARTS ("{\"text\":\"Look\"}"),
                            PARTS ("{\"text\":\": \",\"thoughtSignature\":\"of+the/text\"}"),
                            PARTS (CALL ("\"id\":\"fc/1.a\",", "1",
                                         ",\"thoughtSignature\":\"" SIGNATURE "\"") "," CALL ("", "2", "")),
                            PARTS ("{\"text\":\"\",\"thoughtSignature\":\"of+the/end\"}"), STOP ("STOP"), NULL);

  g_assert_no_error (answer->error);
  g_assert_cmpstr (answer->reasoning->str, ==, "Hmm, 漢ä");
  g_assert_cmpstr (answer->text->str, ==, "Look: ");
  g_assert_cmpint (answer->finish, ==, INTERP_FINISH_CALLS);
  g_assert_cmpuint (answer->calls->len, ==, 2);
  g_assert_nonnull (answer->opaque);
  g_assert_cmpint (answer->usage.input_tokens, ==, 9);
  g_assert_cmpint (answer->usage.cached_tokens, ==, 4);
  g_assert_cmpint (answer->usage.output_tokens, ==, 25);
  g_assert_cmpint (answer->usage.reasoning_tokens, ==, 20);

  return answer;
}

static void
test_signatures (LlmFixture *self, gconstpointer data)
{
  g_autoptr (LlmAnswer) answer = think (self);
  g_autoptr (JsonNode) sent = NULL;

  add_answer (self, answer);
  sent = llm_fixture_ask (self);
  g_assert_cmpuint (interp_json_get_length (sent, "contents.1.parts"), ==, 5);
  g_assert_cmpstr (interp_json_get_string (sent, "contents.1.parts.0.text"), ==, "Look");
  g_assert_null (interp_json_get (sent, "contents.1.parts.0.thoughtSignature"));
  g_assert_cmpstr (interp_json_get_string (sent, "contents.1.parts.1.text"), ==, ": ");
  g_assert_cmpstr (interp_json_get_string (sent, "contents.1.parts.1.thoughtSignature"), ==, "of+the/text");
  g_assert_cmpstr (interp_json_get_string (sent, "contents.1.parts.2.functionCall.id"), ==, "fc/1.a");
  g_assert_cmpstr (interp_json_get_string (sent, "contents.1.parts.2.thoughtSignature"), ==, SIGNATURE);
  g_assert_cmpstr (interp_json_get_string (sent, "contents.1.parts.3.functionCall.args.code"), ==, "2");
  g_assert_null (interp_json_get (sent, "contents.1.parts.3.functionCall.id"));
  g_assert_null (interp_json_get (sent, "contents.1.parts.3.thoughtSignature"));
  g_assert_cmpstr (interp_json_get_string (sent, "contents.1.parts.4.text"), ==, "");
  g_assert_cmpstr (interp_json_get_string (sent, "contents.1.parts.4.thoughtSignature"), ==, "of+the/end");
  /* A result has an id where its call has one. */
  g_assert_cmpstr (interp_json_get_string (sent, "contents.2.parts.0.functionResponse.id"), ==, "fc/1.a");
  g_assert_null (interp_json_get (sent, "contents.2.parts.1.functionResponse.id"));
}

/* A gateway that passes ids on, but no signatures. */
static void
test_signature_lost (LlmFixture *self, gconstpointer data)
{
  g_autoptr (LlmAnswer) answer = hear (self, PARTS (CALL ("\"id\":\"x\",", "1", "")), STOP ("STOP"), NULL);
  g_autoptr (JsonNode) sent = NULL;

  g_assert_no_error (answer->error);
  add_answer (self, answer);
  sent = llm_fixture_ask (self);
  g_assert_cmpstr (interp_json_get_string (sent, "contents.1.parts.0.functionCall.id"), ==, "x");
  g_assert_cmpstr (interp_json_get_string (sent, "contents.1.parts.0.thoughtSignature"), ==,
                   "skip_thought_signature_validator");
  g_assert_cmpstr (interp_json_get_string (sent, "contents.2.parts.0.functionResponse.id"), ==, "x");
}

/* Another model gets what was said and done, and nothing else. */
static void
test_signatures_elsewhere (LlmFixture *self, gconstpointer data)
{
  g_autoptr (LlmAnswer) answer = think (self);
  g_autoptr (JsonNode) sent = NULL;
  g_autofree char *text = NULL;

  add_answer (self, answer);
  set_model (self, "gemini-3.8-pro");
  sent = llm_fixture_ask (self);
  text = interp_json_to_string (sent);
  g_assert_null (strstr (text, SIGNATURE));
  g_assert_null (strstr (text, "fc/1.a"));
  g_assert_cmpuint (interp_json_get_length (sent, "contents.1.parts"), ==, 3);
  g_assert_cmpstr (interp_json_get_string (sent, "contents.1.parts.0.text"), ==, "Look: ");
  g_assert_cmpstr (interp_json_get_string (sent, "contents.1.parts.1.thoughtSignature"), ==,
                   "skip_thought_signature_validator");
}

/* A turn that was changed since: the signature of the call stays with the call. */
static void
test_signatures_in_changed_turn (LlmFixture *self, gconstpointer data)
{
  g_autoptr (LlmAnswer) answer = think (self);
  g_autoptr (JsonNode) sent = NULL;
  InterpMessage *message = add_answer (self, answer);

  g_set_str (&message->text, "Something else");
  sent = llm_fixture_ask (self);
  g_assert_cmpuint (interp_json_get_length (sent, "contents.1.parts"), ==, 4);
  g_assert_cmpstr (interp_json_get_string (sent, "contents.1.parts.1.text"), ==, "Something else");
  g_assert_null (interp_json_get (sent, "contents.1.parts.1.thoughtSignature"));
  g_assert_cmpstr (interp_json_get_string (sent, "contents.1.parts.2.thoughtSignature"), ==, SIGNATURE);
  g_assert_cmpstr (interp_json_get_string (sent, "contents.1.parts.2.functionCall.id"), ==, "fc/1.a");
}

/* ---- ends ---- */

static void
check_finish (LlmFixture *self, const char *stop, InterpFinish finish)
{
  g_autoptr (LlmAnswer) answer = hear (self, PARTS ("{\"text\":\"Hel\"}"), "{\"modelVersion\":\"x\"}",
                                       PARTS ("{\"ofTheFuture\":{}},{\"text\":\"lo\"}"), stop, NULL);

  g_assert_no_error (answer->error);
  g_assert_cmpstr (answer->text->str, ==, "Hello");
  g_assert_cmpint (answer->finish, ==, finish);
}

static void
test_finish (LlmFixture *self, gconstpointer data)
{
  check_finish (self, STOP ("STOP"), INTERP_FINISH_END);
  check_finish (self, STOP ("MAX_TOKENS"), INTERP_FINISH_LENGTH);
  check_finish (self, STOP ("SAFETY"), INTERP_FINISH_REFUSED);
  check_finish (self, STOP ("RECITATION"), INTERP_FINISH_REFUSED);
  check_finish (self, STOP ("PROHIBITED_CONTENT"), INTERP_FINISH_REFUSED);
  check_finish (self, STOP ("REASON_OF_THE_FUTURE"), INTERP_FINISH_REFUSED);
}

/* What was asked is refused: there is no answer at all, and no second try would help. */
static void
test_blocked (LlmFixture *self, gconstpointer data)
{
  g_autoptr (LlmAnswer) answer
      = hear (self,
              "{\"promptFeedback\":{\"blockReason\":\"SAFETY\"},\"usageMetadata\":{\"promptTokenCount\":9},"
              "\"modelVersion\":\"x\"}",
              NULL);

  g_assert_no_error (answer->error);
  g_assert_cmpint (answer->finish, ==, INTERP_FINISH_REFUSED);
  g_assert_cmpint (answer->usage.input_tokens, ==, 9);
  g_assert_cmpuint (interp_test_server_get_n_requests (self->server, path), ==, 1);
}

/* The model meant to call and wrote something else: it is asked once more. */
static void
test_malformed_call (LlmFixture *self, gconstpointer data)
{
  g_autoptr (LlmAnswer) answer = NULL;
  InterpTestReply *reply = wire_begin (&wire, self->server);

  interp_test_reply_printf (reply, "data: %s\n\n",
                            "{\"candidates\":[{\"content\":{},\"finishReason\":\"MALFORMED_FUNCTION_CALL\","
                            "\"finishMessage\":\"Malformed function call: print(default_api\"}]}");
  wire_do (&wire, self->server, "a", "python", "1");
  llm_test_hurry (100);
  answer = llm_test_ask (self->provider, self->request);
  llm_test_stop_hurrying ();
  g_assert_no_error (answer->error);
  g_assert_cmpuint (answer->calls->len, ==, 1);
  g_assert_cmpuint (interp_test_server_get_n_requests (self->server, path), ==, 2);
}

static void
test_malformed_call_behind_text (LlmFixture *self, gconstpointer data)
{
  g_autoptr (LlmAnswer) answer = hear (self, PARTS ("{\"text\":\"Now:\"}"), STOP ("MALFORMED_FUNCTION_CALL"), NULL);

  g_assert_error (answer->error, INTERP_LLM_ERROR, INTERP_LLM_ERROR_INCOMPLETE);
  g_assert_cmpstr (answer->text->str, ==, "Now:");
  g_assert_nonnull (strstr (answer->error->message, "MALFORMED_FUNCTION_CALL"));
  g_assert_cmpuint (interp_test_server_get_n_requests (self->server, path), ==, 1);
}

/* ---- refusals ---- */

#define DETAILED(code, status, message, details) \
  "[{\"error\":{\"code\":" #code ",\"message\":\"" message "\",\"status\":\"" status "\",\"details\":[" details "]}}]"
#define RETRY "{\"@type\":\"type.googleapis.com/google.rpc.RetryInfo\",\"retryDelay\":\"34.4s\"}"
#define QUOTA(ids) "{\"@type\":\"type.googleapis.com/google.rpc.QuotaFailure\",\"violations\":[" ids "]}"

static LlmAnswer *
get_refused (LlmFixture *self, guint status, const char *body)
{
  LlmAnswer *answer;

  interp_test_reply_json (interp_test_server_reply (self->server, path), status, body);
  wire_say (&wire, self->server, "Hello");
  llm_test_hurry (1000);
  answer = llm_test_ask (self->provider, self->request);
  llm_test_stop_hurrying ();

  return answer;
}

/* The quota of a minute is worth waiting for. */
static void
test_quota_of_minute (LlmFixture *self, gconstpointer data)
{
  g_autoptr (LlmAnswer) answer
      = get_refused (self, 429,
                     DETAILED (429, "RESOURCE_EXHAUSTED", "You exceeded your current quota. Please retry in 34.4s.",
                               QUOTA ("{\"quotaId\":\"GenerateRequestsPerMinutePerProject-FreeTier\"}") "," RETRY));

  g_assert_no_error (answer->error);
  g_assert_cmpstr (answer->text->str, ==, "Hello");
  g_assert_cmpint (answer->longest_wait, >, 30000);
  g_assert_cmpint (answer->longest_wait, <=, 34400);
}

/* That of a day is not, wherever it stands. */
static void
test_quota_of_day (LlmFixture *self, gconstpointer data)
{
  g_autoptr (LlmAnswer) answer
      = get_refused (self, 429,
                     DETAILED (429, "RESOURCE_EXHAUSTED", "You exceeded your current quota.",
                               QUOTA ("{\"quotaId\":\"GenerateRequestsPerMinutePerProject-FreeTier\"},"
                                      "{\"quotaId\":\"GenerateRequestsPerDayPerProject-FreeTier\"}") "," RETRY));

  g_assert_error (answer->error, INTERP_LLM_ERROR, INTERP_LLM_ERROR_QUOTA);
  g_assert_cmpuint (interp_test_server_get_n_requests (self->server, path), ==, 1);
}

static void
test_refusals (LlmFixture *self, gconstpointer data)
{
  static const struct
  {
    guint status;
    const char *body;
    InterpLlmError code;
  } refusals[] = {
    { 400, DETAILED (400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", ""),
      INTERP_LLM_ERROR_KEY },
    { 400, DETAILED (400, "INVALID_ARGUMENT", "API key expired. Please renew the API key.", ""), INTERP_LLM_ERROR_KEY },
    { 403, DETAILED (403, "PERMISSION_DENIED", "Method doesn't allow unregistered callers.", ""),
      INTERP_LLM_ERROR_KEY },
    { 404,
      DETAILED (404, "NOT_FOUND",
                "models/x is not found for API version v1beta, or is not supported for generateContent.", ""),
      INTERP_LLM_ERROR_NO_MODEL },
    { 400,
      DETAILED (400, "INVALID_ARGUMENT",
                "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", ""),
      INTERP_LLM_ERROR_CONTEXT },
    { 400, DETAILED (400, "INVALID_ARGUMENT", "Function calling is not enabled for models/x", ""),
      INTERP_LLM_ERROR_NO_TOOLS },
    { 400, DETAILED (400, "FAILED_PRECONDITION", "User location is not supported for the API use.", ""),
      INTERP_LLM_ERROR_REQUEST },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (refusals); i++)
    {
      g_autoptr (LlmAnswer) answer = NULL;

      interp_test_reply_json (interp_test_server_reply (self->server, path), refusals[i].status, refusals[i].body);
      answer = llm_test_ask (self->provider, self->request);
      g_test_message ("%s", refusals[i].body);
      g_assert_error (answer->error, INTERP_LLM_ERROR, (int) refusals[i].code);
    }
}

/* What a model does not take is left out from then on. */
static void
test_adapts (LlmFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) sent = NULL;

  self->request->max_tokens = 500000;
  interp_test_reply_json (interp_test_server_reply (self->server, path), 400,
                          DETAILED (400, "INVALID_ARGUMENT", "Thinking is not enabled for this model", ""));
  interp_test_reply_json (interp_test_server_reply (self->server, path), 400,
                          DETAILED (400, "INVALID_ARGUMENT",
                                    "Unable to submit request because it has a maxOutputTokens value of 500000 but "
                                    "the supported range is from 1 (inclusive) to 65537 (exclusive).",
                                    ""));
  sent = llm_fixture_ask (self);
  g_assert_null (interp_json_get (sent, "generationConfig"));
  g_assert_cmpuint (interp_test_server_get_n_requests (self->server, path), ==, 3);
}

/* ---- models ---- */

static void
test_models (LlmFixture *self, gconstpointer data)
{
  g_autoptr (GListModel) list = NULL;
  g_autoptr (InterpModel) model = NULL;
  g_autoptr (GError) error = NULL;

  interp_test_reply_json (interp_test_server_reply_always (self->server, "/v1beta/models"), 200,
                          "{\"models\":[{\"name\":\"models/" MODEL "\",\"displayName\":\"Gemini 3.8 Flash\","
                          "\"inputTokenLimit\":2000000,\"outputTokenLimit\":65536,\"supportedGenerationMethods\":["
                          "\"countTokens\",\"generateContent\"]},{\"name\":\"models/gemini-embedding-001\","
                          "\"inputTokenLimit\":2048,\"supportedGenerationMethods\":[\"embedContent\"]}]}");
  list = interp_test_await_object (interp_provider_list_models (self->provider), &error);
  g_assert_no_error (error);
  /* What makes vectors is not for conversations. */
  g_assert_cmpuint (g_list_model_get_n_items (list), ==, 1);
  model = g_list_model_get_item (list, 0);
  g_assert_cmpstr (interp_model_get_wire_name (model), ==, MODEL);
  g_assert_cmpstr (interp_model_get_title (model), ==, "Gemini 3.8 Flash");
  g_assert_cmpint (interp_model_get_context_window (model), ==, 2000000);
  g_assert_cmpint (interp_model_get_vision (model), ==, INTERP_SUPPORT_YES);
}

/* The list comes in pages; each is asked for by what the one before it says. */
static void
test_pages (LlmFixture *self, gconstpointer data)
{
  g_autoptr (GListModel) list = NULL;
  g_autoptr (InterpModel) last = NULL;
  g_autoptr (GError) error = NULL;

  interp_test_reply_json (interp_test_server_reply (self->server, "/v1beta/models"), 200,
                          "{\"models\":[{\"name\":\"models/a\"},{\"name\":\"models/b\"}],\"nextPageToken\":\"x+/&=\"}");
  interp_test_reply_json (interp_test_server_reply (self->server, "/v1beta/models"), 200,
                          "{\"models\":[{\"name\":\"models/b\"},{\"name\":\"models/c\"}]}");
  list = interp_test_await_object (interp_provider_list_models (self->provider), &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_list_model_get_n_items (list), ==, 3);
  last = g_list_model_get_item (list, 2);
  g_assert_cmpstr (interp_model_get_wire_name (last), ==, "c");
  g_assert_cmpstr (interp_test_server_await_request (self->server, "/v1beta/models", 0)->path, ==,
                   "/v1beta/models?pageSize=1000");
  g_assert_cmpstr (interp_test_server_await_request (self->server, "/v1beta/models", 1)->path, ==,
                   "/v1beta/models?pageSize=1000&pageToken=x%2B%2F%26%3D");
}

/* A page that fails is no end: half a list would look like a whole one. */
static void
test_page_refused (LlmFixture *self, gconstpointer data)
{
  g_autoptr (GListModel) list = NULL;
  g_autoptr (GError) error = NULL;

  interp_test_reply_json (interp_test_server_reply (self->server, "/v1beta/models"), 200,
                          "{\"models\":[{\"name\":\"models/a\"}],\"nextPageToken\":\"x\"}");
  interp_test_reply_json (interp_test_server_reply (self->server, "/v1beta/models"), 403,
                          DETAILED (403, "PERMISSION_DENIED", "No more.", ""));
  list = interp_test_await_object (interp_provider_list_models (self->provider), &error);
  g_assert_null (list);
  g_assert_error (error, INTERP_LLM_ERROR, INTERP_LLM_ERROR_KEY);
}

/* Lists that never end: the same page again, and always another one. */
static void
test_endless_pages (LlmFixture *self, gconstpointer data)
{
  g_autoptr (GListModel) list = NULL;
  g_autoptr (GListModel) other = NULL;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < 2; i++)
    interp_test_reply_json (interp_test_server_reply (self->server, "/v1beta/models"), 200,
                            "{\"models\":[{\"name\":\"models/a\"}],\"nextPageToken\":\"x\"}");
  list = interp_test_await_object (interp_provider_list_models (self->provider), &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_list_model_get_n_items (list), ==, 1);
  g_assert_cmpuint (interp_test_server_get_n_requests (self->server, "/v1beta/models"), ==, 2);

  for (guint i = 0; i < 200; i++)
    {
      g_autofree char *body
          = g_strdup_printf ("{\"models\":[{\"name\":\"models/m%u\"}],\"nextPageToken\":\"x%u\"}", i, i);

      interp_test_reply_json (interp_test_server_reply (self->server, "/v1beta/models"), 200, body);
    }
  other = interp_test_await_object (interp_provider_list_models (self->provider), &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_list_model_get_n_items (other), ==, 64);
  g_assert_cmpuint (interp_test_server_get_n_requests (self->server, "/v1beta/models"), ==, 2 + 64);
}

static void
test_inspect (LlmFixture *self, gconstpointer data)
{
  g_autoptr (InterpModel) model = interp_provider_get_model (self->provider, MODEL);
  g_autoptr (GError) error = NULL;

  interp_test_reply_json (interp_test_server_reply_always (self->server, "/v1beta/models"), 200, "{\"models\":[]}");
  interp_test_reply_json (interp_test_server_reply (self->server, "/v1beta/models/" MODEL), 200,
                          "{\"name\":\"models/" MODEL "\",\"displayName\":\"Gemini\",\"inputTokenLimit\":77000}");
  interp_test_await (interp_provider_inspect (self->provider, model), NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (interp_model_get_context_window (model), ==, 77000);
}

#define ADD_FOR(name, model, func) \
  g_test_add ("/llm/gemini/" name, LlmFixture, model, set_up, func, llm_fixture_tear_down)
#define ADD(name, func) ADD_FOR (name, NULL, func)

int
main (int argc, char **argv)
{
  int status;

  llm_test_init (&argc, &argv);

  ADD ("request", test_request);
  ADD_FOR ("older-model", "gemini-2.0-flash", test_older_model);
  ADD ("schema", test_schema);
  ADD ("references", test_references);
  ADD ("history/newer-model", test_history);
  ADD_FOR ("history/older-model", "gemini-2.5-flash", test_history_of_older_model);
  ADD ("unanswered", test_unanswered);
  ADD ("signatures/same-model", test_signatures);
  ADD ("signatures/lost", test_signature_lost);
  ADD ("signatures/another-model", test_signatures_elsewhere);
  ADD ("signatures/changed-turn", test_signatures_in_changed_turn);
  ADD ("finish", test_finish);
  ADD ("blocked", test_blocked);
  ADD ("malformed-call/alone", test_malformed_call);
  ADD ("malformed-call/behind-text", test_malformed_call_behind_text);
  ADD ("quota/minute", test_quota_of_minute);
  ADD ("quota/day", test_quota_of_day);
  ADD ("refusals", test_refusals);
  ADD ("adapts", test_adapts);
  ADD ("models/list", test_models);
  ADD ("models/pages", test_pages);
  ADD ("models/page-refused", test_page_refused);
  ADD ("models/endless-pages", test_endless_pages);
  ADD ("models/inspect", test_inspect);

  status = g_test_run ();
  g_free (path);

  return status;
}
