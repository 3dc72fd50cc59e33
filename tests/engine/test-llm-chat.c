/* test-llm-chat.c: Chat Completions, against a server that does everything wrong that servers do
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "base/interp-clock.h"
#include "base/interp-json.h"
#include "interp-test-await.h"
#include "llm-fixture.h"
#include "llm/interp-provider-private.h"

#include <string.h>

#define PATH "/v1/chat/completions"
#define SSE "text/event-stream"

static void
add_text (InterpTestReply *reply, const char *text)
{
  interp_test_reply_printf (reply, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"%s\"}}]}\n\n", text);
}

static void
add_end (InterpTestReply *reply, const char *reason)
{
  interp_test_reply_printf (reply,
                            "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"%s\"}]}\n\n"
                            "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":11,\"completion_tokens\":7}}\n\n"
                            "data: [DONE]\n\n",
                            reason);
}

static void
test_text (void)
{
  g_autoptr (InterpTestServer) server = interp_test_server_new ();
  g_autoptr (InterpProvider) provider = llm_test_provider (server, "llamacpp");
  g_autoptr (InterpRequest) request = llm_test_request ("m", FALSE);
  InterpTestReply *reply = interp_test_server_reply (server, PATH);
  g_autoptr (LlmAnswer) answer = NULL;
  g_autoptr (JsonNode) sent = NULL;

  interp_test_reply_head (reply, 200, SSE, NULL);
  add_text (reply, "Hel");
  add_text (reply, "lo");
  add_end (reply, "stop");

  answer = llm_test_ask (provider, request);
  g_assert_no_error (answer->error);
  g_assert_cmpstr (answer->text->str, ==, "Hello");
  g_assert_cmpint (answer->finish, ==, INTERP_FINISH_END);
  g_assert_cmpint (answer->usage.input_tokens, ==, 11);
  g_assert_cmpint (answer->usage.output_tokens, ==, 7);

  sent = llm_test_sent (server, PATH, 0);
  g_assert_cmpstr (interp_json_get_string (sent, "model"), ==, "m");
  g_assert_true (interp_json_get_bool (sent, "stream", FALSE));
  g_assert_cmpstr (interp_json_get_string (sent, "messages.0.role"), ==, "system");
  g_assert_cmpstr (interp_json_get_string (sent, "messages.1.content"), ==, "Say something");
  g_assert_cmpstr (interp_json_get_string (sent, "tools.0.function.name"), ==, "run_code");
}

int
main (int argc, char **argv)
{
  llm_test_init (&argc, &argv);

  g_test_add_func ("/llm/chat/text", test_text);

  return g_test_run ();
}
