/* test-llm-responses.c: what is particular to OpenAI's Responses
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

#define PATH "/v1/responses"
#define MODEL "gpt-5.6-sol"

static void
set_up (LlmFixture *self, gconstpointer data)
{
  llm_fixture_set_up (self, &wire_responses, data != NULL ? data : MODEL);
}

static void
test_request (LlmFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) sent = NULL;
  g_autoptr (JsonNode) next = NULL;
  g_autoptr (JsonNode) other = NULL;
  g_autofree char *first = NULL;

  self->request->temperature = 0.5;
  self->request->max_tokens = 100;
  sent = llm_fixture_ask (self);
  g_assert_cmpstr (interp_json_get_string (sent, "model"), ==, MODEL);
  g_assert_cmpstr (interp_json_get_string (sent, "instructions"), ==, "You run code.");
  g_assert_cmpuint (interp_json_get_length (sent, "input"), ==, 1);
  g_assert_cmpstr (interp_json_get_string (sent, "input.0.content"), ==, "Say something");
  g_assert_false (interp_json_get_bool (sent, "store", TRUE));
  g_assert_cmpstr (interp_json_get_string (sent, "include.0"), ==, "reasoning.encrypted_content");
  g_assert_cmpstr (interp_json_get_string (sent, "reasoning.summary"), ==, "auto");
  g_assert_cmpint (interp_json_get_int (sent, "max_output_tokens", 0), ==, 100);
  g_assert_null (interp_json_get (sent, "temperature"));
  g_assert_cmpstr (interp_json_get_string (sent, "tools.0.name"), ==, "run_code");
  g_assert_false (interp_json_get_bool (sent, "tools.0.strict", TRUE));
  g_assert_cmpstr (interp_json_get_string (sent, "tools.0.parameters.type"), ==, "object");

  /* The next request of the chat goes where its beginning is known; that of another chat does not. */
  first = g_strdup (interp_json_get_string (sent, "prompt_cache_key"));
  g_assert_nonnull (first);
  llm_fixture_add_message (self, INTERP_ROLE_ASSISTANT, "Hello");
  llm_fixture_add_message (self, INTERP_ROLE_USER, "Go on");
  next = llm_fixture_ask (self);
  g_assert_cmpstr (interp_json_get_string (next, "prompt_cache_key"), ==, first);
  g_ptr_array_remove_index (self->request->messages, 0);
  other = llm_fixture_ask (self);
  g_assert_cmpstr (interp_json_get_string (other, "prompt_cache_key"), !=, first);
}

static void
test_older_model (LlmFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) sent = NULL;

  self->request->temperature = 0.5;
  sent = llm_fixture_ask (self);
  g_assert_cmpfloat (interp_json_get_double (sent, "temperature", 0), ==, 0.5);
  g_assert_null (interp_json_get (sent, "include"));
  g_assert_null (interp_json_get (sent, "reasoning"));
}

/* What an account or a model may not have is left out, the rest stays. */
static void
test_adapts (LlmFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) sent = NULL;

  interp_test_reply_json (interp_test_server_reply (self->server, PATH), 400,
                          "{\"error\":{\"message\":\"Your organization must be verified to generate reasoning "
                          "summaries.\",\"type\":\"invalid_request_error\",\"param\":\"reasoning.summary\",\"code\":"
                          "\"unsupported_value\"}}");
  sent = llm_fixture_ask (self);
  g_assert_null (interp_json_get (sent, "reasoning"));
  g_assert_cmpuint (interp_json_get_length (sent, "include"), ==, 1);

  interp_test_reply_json (interp_test_server_reply (self->server, PATH), 400,
                          "{\"error\":{\"message\":\"Encrypted content is not supported with this model.\",\"type\":"
                          "\"invalid_request_error\",\"param\":\"include\",\"code\":null}}");
  g_clear_pointer (&sent, json_node_unref);
  sent = llm_fixture_ask (self);
  g_assert_null (interp_json_get (sent, "include"));
  g_assert_cmpuint (interp_test_server_get_n_requests (self->server, PATH), ==, 4);
}

#define EVENT(type, more) "data: {\"type\":\"" type "\"," more "}\n\n"
#define ADDED(index, item) EVENT ("response.output_item.added", "\"output_index\":" index ",\"item\":" item)
#define ENDED(index, item) EVENT ("response.output_item.done", "\"output_index\":" index ",\"item\":" item)

/* Thinks, says something and calls; then is asked again with the result, which has a picture. */
static InterpMessage *
think (LlmFixture *self)
{
  InterpTestReply *reply = wire_begin (&wire_responses, self->server);
  g_autoptr (LlmAnswer) answer = NULL;
  g_autoptr (GBytes) bytes = g_bytes_new_static ("PNG", 3);
  InterpMessage *message;
  InterpMessage *result;

  interp_test_reply_send (
      reply,
      ADDED ("0", "{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[],\"encrypted_content\":\"part\"}")
          EVENT ("response.reasoning_summary_text.delta", "\"output_index\":0,\"delta\":\"Hmm\"")
              ENDED ("0", "{\"type\":\"reasoning\",\"id\":\"rs_1\",\"status\":null,\"summary\":[{\"type\":"
                          "\"summary_text\",\"text\":\"Hmm\"}],\"encrypted_content\":\"gAAA+/==\"}")
                  EVENT ("response.output_text.delta", "\"output_index\":1,\"delta\":\"Look:\"")
                      ENDED ("1", "{\"type\":\"message\",\"id\":\"msg_1\",\"phase\":\"commentary\",\"content\":[{"
                                  "\"type\":\"output_text\",\"text\":\"Look:\"}]}"),
      -1);
  wire_call (&wire_responses, reply, 0, "call_1", "python", "1");
  wire_end (&wire_responses, reply, "tool_calls");
  answer = llm_test_ask (self->provider, self->request);
  g_assert_no_error (answer->error);
  g_assert_cmpstr (answer->reasoning->str, ==, "Hmm");
  g_assert_cmpstr (answer->text->str, ==, "Look:");
  g_assert_cmpuint (answer->calls->len, ==, 1);
  g_assert_nonnull (answer->opaque);

  message = llm_fixture_add_message (self, INTERP_ROLE_ASSISTANT, answer->text->str);
  interp_message_add_call (message, g_ptr_array_index (answer->calls, 0));
  message->opaque = g_bytes_new (answer->opaque, strlen (answer->opaque));
  message->opaque_provider = g_strdup (answer->opaque_tag);
  result = llm_fixture_add_message (self, INTERP_ROLE_TOOL, "1");
  result->call_id = g_strdup ("call_1");
  result->call_name = g_strdup ("run_code");
  interp_message_add_picture (result, "image/png", bytes);

  return message;
}

static void
test_thinking (LlmFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) sent = NULL;

  think (self);
  sent = llm_fixture_ask (self);
  g_assert_cmpuint (interp_json_get_length (sent, "input"), ==, 5);
  g_assert_cmpstr (interp_json_get_string (sent, "input.1.id"), ==, "rs_1");
  /* Of the end of the item: its beginning has only a part. */
  g_assert_cmpstr (interp_json_get_string (sent, "input.1.encrypted_content"), ==, "gAAA+/==");
  g_assert_cmpstr (interp_json_get_string (sent, "input.1.summary.0.text"), ==, "Hmm");
  g_assert_cmpstr (interp_json_get_string (sent, "input.2.role"), ==, "assistant");
  g_assert_cmpstr (interp_json_get_string (sent, "input.2.phase"), ==, "commentary");
  g_assert_cmpstr (interp_json_get_string (sent, "input.2.content.0.text"), ==, "Look:");
  g_assert_cmpstr (interp_json_get_string (sent, "input.3.type"), ==, "function_call");
  g_assert_cmpstr (interp_json_get_string (sent, "input.3.id"), ==, "fc_1");
  g_assert_cmpstr (interp_json_get_string (sent, "input.3.call_id"), ==, "call_1");
  g_assert_cmpstr (interp_json_get_string (sent, "input.4.type"), ==, "function_call_output");
  g_assert_cmpstr (interp_json_get_string (sent, "input.4.call_id"), ==, "call_1");
  g_assert_cmpstr (interp_json_get_string (sent, "input.4.output.0.text"), ==, "1");
  g_assert_cmpstr (interp_json_get_string (sent, "input.4.output.1.image_url"), ==, "data:image/png;base64,UE5H");
}

/* To another model, or in a turn that was changed since: no thinking, and no ids that would ask for it. */
static void
test_thinking_left_out (LlmFixture *self, gconstpointer data)
{
  InterpMessage *message = think (self);
  g_autofree char *model = g_strdup (self->request->model);

  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (JsonNode) sent = NULL;

      g_set_str (&self->request->model, i == 0 ? "gpt-5.5" : model);
      if (i == 1)
        g_set_str (&message->text, "Something else");
      sent = llm_fixture_ask (self);
      g_assert_cmpuint (interp_json_get_length (sent, "input"), ==, 4);
      g_assert_cmpstr (interp_json_get_string (sent, "input.1.role"), ==, "assistant");
      g_assert_null (interp_json_get (sent, "input.1.id"));
      g_assert_cmpstr (interp_json_get_string (sent, "input.2.call_id"), ==, "call_1");
      g_assert_null (interp_json_get (sent, "input.2.id"));
    }
}

/* Elsewhere OpenAI's profile means servers that are like it, and they know Chat Completions. */
static void
test_other_address (LlmFixture *self, gconstpointer data)
{
  g_autofree char *path
      = g_build_filename (g_getenv ("INTERP_TEST_SOURCE_ROOT"), "data", "providers", "openai.provider", NULL);
  g_autofree char *url = interp_test_server_dup_url (self->server, "/v1");
  g_autoptr (GError) error = NULL;
  g_autoptr (InterpProfile) profile = interp_profile_new_from_file (path, &error);
  g_autoptr (InterpProvider) provider = NULL;

  g_assert_no_error (error);
  provider = interp_provider_new (profile);
  g_assert_true (interp_provider_get_codec (provider) == &interp_codec_responses);
  interp_provider_set_base_url (provider, url);
  g_assert_true (interp_provider_get_codec (provider) == &interp_codec_chat);
  interp_provider_release (provider);
}

#define ADD_FOR(name, model, func) \
  g_test_add ("/llm/responses/" name, LlmFixture, model, set_up, func, llm_fixture_tear_down)
#define ADD(name, func) ADD_FOR (name, NULL, func)

int
main (int argc, char **argv)
{
  llm_test_init (&argc, &argv);

  ADD ("request", test_request);
  ADD_FOR ("older-model", "gpt-4.1", test_older_model);
  ADD ("adapts", test_adapts);
  ADD ("thinking/same-model", test_thinking);
  ADD ("thinking/left-out", test_thinking_left_out);
  ADD ("other-address", test_other_address);

  return g_test_run ();
}
