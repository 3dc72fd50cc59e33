/* test-llm-faults.c: what goes wrong between us and a server, in every wire format
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "base/interp-json.h"
#include "base/interp-paths.h"
#include "base/interp-splitter.h"
#include "interp-test-await.h"
#include "llm-fixture.h"
#include "llm/interp-learnt.h"
#include "llm/interp-provider-private.h"
#include "wire.h"

#include <string.h>

#define CODE "print('it is a longer piece of code')\n"

static void
set_up (LlmFixture *self, gconstpointer data)
{
  llm_fixture_set_up (self, data, NULL);
}

static LlmAnswer *
ask (LlmFixture *self)
{
  return llm_test_ask (self->provider, self->request);
}

/* ---- no faults: what the rest is measured against ---- */

/* Everything at once; sent by @send it must come out the same. */
static void
check_whole_answer (LlmAnswer *answer)
{
  InterpCall *call;

  g_assert_no_error (answer->error);
  g_assert_cmpstr (answer->reasoning->str, ==, "Hmm, ä");
  g_assert_cmpstr (answer->text->str, ==, "Look: 漢字 🦊");
  g_assert_cmpuint (answer->calls->len, ==, 1);
  call = g_ptr_array_index (answer->calls, 0);
  g_assert_cmpint (call->origin, ==, INTERP_CALL_TOOL);
  g_assert_cmpstr (call->id, ==, "call_1");
  g_assert_cmpstr (call->name, ==, "run_code");
  g_assert_cmpstr (call->language, ==, "python");
  g_assert_cmpstr (call->code, ==, CODE);
  g_assert_null (call->fault);
  g_assert_cmpint (answer->finish, ==, INTERP_FINISH_CALLS);
  g_assert_cmpint (answer->usage.input_tokens, ==, 11);
  g_assert_cmpint (answer->usage.output_tokens, ==, 7);
  g_assert_cmpuint (answer->warnings->len, ==, 0);

  /* What is shown meanwhile is the beginning of what comes in the end. */
  for (guint i = 0; i < answer->progress->len; i++)
    g_assert_true (g_str_has_prefix (CODE, g_ptr_array_index (answer->progress, i)));
}

static void
script_whole_answer (LlmFixture *self, InterpTestReply *reply)
{
  wire_reasoning (self->wire, reply, "Hmm, ");
  wire_reasoning (self->wire, reply, "ä");
  wire_text (self->wire, reply, "Look: 漢");
  wire_text (self->wire, reply, "字 🦊");
  wire_call (self->wire, reply, 0, "call_1", "python", CODE);
  wire_end (self->wire, reply, "tool_calls");
}

static void
test_whole (LlmFixture *self, gconstpointer data)
{
  g_autoptr (LlmAnswer) answer = NULL;

  script_whole_answer (self, wire_begin (self->wire, self->server));
  answer = ask (self);
  check_whole_answer (answer);
}

static void
test_bytewise (LlmFixture *self, gconstpointer data)
{
  InterpTestReply *reply = wire_begin (self->wire, self->server);
  g_autoptr (LlmAnswer) answer = NULL;

  interp_test_reply_set_bytewise (reply);
  script_whole_answer (self, reply);
  answer = ask (self);
  check_whole_answer (answer);
}

static void
test_parallel (LlmFixture *self, gconstpointer data)
{
  static const char *codes[] = { "1", "ls", "2" };
  static const char *ids[] = { "call_1", "call_2", "call_3" };
  InterpTestReply *reply = wire_begin (self->wire, self->server);
  g_autoptr (LlmAnswer) answer = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (ids); i++)
    wire_call (self->wire, reply, i, ids[i], i == 1 ? "shell" : "python", codes[i]);
  wire_end (self->wire, reply, "tool_calls");

  answer = ask (self);
  g_assert_no_error (answer->error);
  g_assert_cmpuint (answer->calls->len, ==, G_N_ELEMENTS (ids));
  for (guint i = 0; i < G_N_ELEMENTS (ids); i++)
    {
      InterpCall *call = g_ptr_array_index (answer->calls, i);

      g_assert_cmpstr (call->id, ==, ids[i]);
      g_assert_cmpstr (call->language, ==, i == 1 ? "shell" : "python");
      g_assert_cmpstr (call->code, ==, codes[i]);
      g_assert_null (call->fault);
    }
}

/* ---- refused parameters ---- */

static gboolean
last_names (LlmFixture *self, const char *word)
{
  guint n = interp_test_server_get_n_requests (self->server, self->wire->path);

  return strstr (interp_test_server_await_request (self->server, self->wire->path, n - 1)->body, word) != NULL;
}

/* Until what was learnt is in the file. */
static void
await_learnt (LlmFixture *self)
{
  g_autofree char *path = g_build_filename (interp_paths_cache (), "learnt-of-models", NULL);
  g_autofree char *place = interp_test_server_dup_url (self->server, "");
  gboolean there = FALSE;

  while (!there)
    {
      g_autofree char *text = NULL;

      g_main_context_iteration (NULL, FALSE);
      there = g_file_get_contents (path, &text, NULL, NULL) && strstr (text, place) != NULL;
    }
}

/* It is asked once more without it, and never again with it: in this run and in the next. */
static void
test_refused_parameter (LlmFixture *self, gconstpointer data)
{
  g_autoptr (JsonNode) sent = NULL;
  g_autoptr (JsonNode) again = NULL;

  self->request->temperature = 0.5;
  interp_test_reply_json (interp_test_server_reply (self->server, self->wire->path), 400,
                          "{\"error\":{\"message\":\"Unsupported parameter: 'temperature'\","
                          "\"type\":\"invalid_request_error\",\"param\":\"temperature\"}}");
  sent = llm_fixture_ask (self);
  g_assert_cmpuint (interp_test_server_get_n_requests (self->server, self->wire->path), ==, 2);
  g_assert_false (last_names (self, "temperature"));

  await_learnt (self);
  interp_learnt_reload ();
  interp_provider_release (self->provider);
  g_object_unref (self->provider);
  self->provider = llm_test_provider (self->server, self->wire->provider);
  again = llm_fixture_ask (self);
  g_assert_cmpuint (interp_test_server_get_n_requests (self->server, self->wire->path), ==, 3);
  g_assert_false (last_names (self, "temperature"));

  /* Another model of that server has refused nothing. */
  g_set_str (&self->request->model, "other");
  if (self->wire != &wire_gemini)
    {
      g_autoptr (JsonNode) other = llm_fixture_ask (self);

      g_assert_true (last_names (self, "temperature"));
    }
}

/* ---- cut ---- */

/* What has arrived stands, nothing counts as a call, and nobody asks again behind the user's back. */
static void
check_cut (LlmFixture *self, LlmAnswer *answer, const char *text)
{
  g_assert_error (answer->error, INTERP_LLM_ERROR, INTERP_LLM_ERROR_INCOMPLETE);
  g_assert_cmpstr (answer->text->str, ==, text);
  g_assert_cmpuint (answer->calls->len, ==, 0);
  g_assert_cmpuint (answer->n_finish, ==, 0);
  g_assert_cmpuint (interp_test_server_get_n_requests (self->server, self->wire->path), ==, 1);
}

static void
test_cut_text (LlmFixture *self, gconstpointer data)
{
  InterpTestReply *reply = wire_begin (self->wire, self->server);
  g_autoptr (LlmAnswer) answer = NULL;

  wire_text (self->wire, reply, "So ");
  wire_text (self->wire, reply, "far");
  answer = ask (self);
  check_cut (self, answer, "So far");
}

static void
test_cut_call (LlmFixture *self, gconstpointer data)
{
  InterpTestReply *reply = wire_begin (self->wire, self->server);
  g_autoptr (LlmAnswer) answer = NULL;

  wire_text (self->wire, reply, "Now:");
  wire_cut_call (self->wire, reply, "shell", "rm -r build");
  answer = ask (self);
  check_cut (self, answer, "Now:");
}

/* Complete as it looks: the server did not say that it is. */
static void
test_cut_behind_call (LlmFixture *self, gconstpointer data)
{
  InterpTestReply *reply = wire_begin (self->wire, self->server);
  g_autoptr (LlmAnswer) answer = NULL;

  wire_text (self->wire, reply, "Now:");
  wire_call (self->wire, reply, 0, "call_1", "shell", "rm -r build");
  answer = ask (self);
  check_cut (self, answer, "Now:");
}

static void
test_reset_in_text (LlmFixture *self, gconstpointer data)
{
  InterpTestReply *reply = wire_begin (self->wire, self->server);
  g_autoptr (InterpEvent) first = NULL;
  g_autoptr (LlmAnswer) answer = NULL;
  InterpStream *stream;

  wire_text (self->wire, reply, "So far");
  interp_test_reply_wait (reply, "reset");
  interp_test_reply_reset (reply);

  /* A reset may overtake what was sent: first it must have come. */
  stream = interp_provider_stream (self->provider, self->request);
  first = llm_test_until (stream, INTERP_EVENT_TEXT);
  g_assert_cmpstr (first->text, ==, "So far");
  interp_test_server_release (self->server, "reset");
  answer = llm_test_collect (stream);
  check_cut (self, answer, "");
}

static void
test_reset_before_answer (LlmFixture *self, gconstpointer data)
{
  g_autoptr (LlmAnswer) answer = NULL;

  for (guint i = 0; i < 2; i++)
    interp_test_reply_reset (interp_test_server_reply (self->server, self->wire->path));
  script_whole_answer (self, wire_begin (self->wire, self->server));

  llm_test_hurry (100);
  answer = ask (self);
  llm_test_stop_hurrying ();
  check_whole_answer (answer);
  g_assert_cmpuint (interp_test_server_get_n_requests (self->server, self->wire->path), ==, 3);
}

/* The connection breaks behind the end of the answer: no harm done. */
static void
test_reset_behind_end (LlmFixture *self, gconstpointer data)
{
  InterpTestReply *reply = wire_begin (self->wire, self->server);
  g_autoptr (LlmAnswer) answer = NULL;

  script_whole_answer (self, reply);
  interp_test_reply_await_close (reply);
  interp_test_reply_reset (reply);
  answer = ask (self);
  check_whole_answer (answer);
}

static void
test_empty (LlmFixture *self, gconstpointer data)
{
  g_autoptr (LlmAnswer) answer = NULL;

  for (guint i = 0; i < 3; i++)
    wire_begin (self->wire, self->server);

  llm_test_hurry (100);
  answer = ask (self);
  llm_test_stop_hurrying ();
  g_assert_error (answer->error, INTERP_LLM_ERROR, INTERP_LLM_ERROR_PROTOCOL);
  g_assert_nonnull (strstr (answer->error->message, "empty"));
  g_assert_cmpuint (interp_test_server_get_n_requests (self->server, self->wire->path), ==, 3);
}

static void
test_empty_at_first (LlmFixture *self, gconstpointer data)
{
  g_autoptr (LlmAnswer) answer = NULL;

  wire_begin (self->wire, self->server);
  script_whole_answer (self, wire_begin (self->wire, self->server));

  llm_test_hurry (100);
  answer = ask (self);
  llm_test_stop_hurrying ();
  check_whole_answer (answer);
  g_assert_cmpuint (answer->waits->len, >=, 1);
}

/* ---- the limit ---- */

static void
test_length_in_text (LlmFixture *self, gconstpointer data)
{
  InterpTestReply *reply = wire_begin (self->wire, self->server);
  g_autoptr (LlmAnswer) answer = NULL;

  wire_text (self->wire, reply, "So far");
  wire_end (self->wire, reply, "length");
  answer = ask (self);
  g_assert_no_error (answer->error);
  g_assert_cmpstr (answer->text->str, ==, "So far");
  g_assert_cmpint (answer->finish, ==, INTERP_FINISH_LENGTH);
}

static void
test_length_in_call (LlmFixture *self, gconstpointer data)
{
  InterpTestReply *reply = wire_begin (self->wire, self->server);
  g_autoptr (LlmAnswer) answer = NULL;
  InterpCall *call;

  if (self->wire->whole_calls)
    {
      /* The beginning of one is not JSON. */
      wire_text (self->wire, reply, "Now:");
      wire_cut_call (self->wire, reply, "shell", "rm -r build");
      interp_test_reply_send (reply, "\n\n", -1);
      wire_end (self->wire, reply, "length");
      answer = ask (self);
      check_cut (self, answer, "Now:");
      return;
    }

  wire_cut_call (self->wire, reply, "shell", "rm -r build");
  wire_end (self->wire, reply, "length");
  answer = ask (self);
  g_assert_no_error (answer->error);
  g_assert_cmpint (answer->finish, ==, INTERP_FINISH_LENGTH);
  g_assert_cmpuint (answer->calls->len, ==, 1);
  call = g_ptr_array_index (answer->calls, 0);
  g_assert_nonnull (call->fault);
  g_assert_cmpstr (call->id, ==, "call_cut");
}

/* ---- refusals ---- */

typedef struct
{
  const char *name;
  guint status;
  const char *type;
  const char *headers;
  const char *body;
  InterpLlmError code;
  guint n_requests;  /* until it is given up */
  gint64 least_wait; /* ms, of the longest */
  gint64 most_wait;
  const char *said; /* in the message */
} Refusal;

#define JSON_TYPE "application/json"
#define OPENAI(type, message) \
  "{\"error\":{\"message\":\"" message "\",\"type\":\"" type "\",\"param\":null,\"code\":null}}"

static const Refusal refusals[] = {
  { "key", 401, JSON_TYPE, NULL, OPENAI ("authentication_error", "Incorrect API key provided"), INTERP_LLM_ERROR_KEY, 1,
    0, 0, "Incorrect API key provided" },
  { "key, as text", 401, JSON_TYPE, NULL, "{\"error\":\"unauthorized\"}", INTERP_LLM_ERROR_KEY, 1, 0, 0,
    "unauthorized" },
  { "key, as a page", 403, "text/html", NULL, "<!doctype html><title>Forbidden</title><p>Go away</p>",
    INTERP_LLM_ERROR_KEY, 1, 0, 0, "Go away" },
  { "model", 404, JSON_TYPE, NULL, "{\"error\":\"model 'm' not found\"}", INTERP_LLM_ERROR_NO_MODEL, 1, 0, 0, "“m”" },
  { "tools", 400, JSON_TYPE, NULL, "{\"error\":\"registry.ollama.ai/library/m does not support tools\"}",
    INTERP_LLM_ERROR_NO_TOOLS, 1, 0, 0, "tool calling" },
  { "request", 400, JSON_TYPE, NULL, OPENAI ("invalid_request_error", "messages is malformed"),
    INTERP_LLM_ERROR_REQUEST, 1, 0, 0, "messages is malformed" },
  { "too long", 400, JSON_TYPE, NULL,
    "{\"error\":{\"code\":400,\"message\":\"the request exceeds the available context size\",\"type\":"
    "\"exceed_context_size_error\",\"n_prompt_tokens\":9000,\"n_ctx\":4096}}",
    INTERP_LLM_ERROR_CONTEXT, 1, 0, 0, "9000" },
  { "too large", 413, "text/plain", NULL, "Payload Too Large", INTERP_LLM_ERROR_CONTEXT, 1, 0, 0, "Payload Too Large" },
  { "busy", 429, JSON_TYPE, NULL, OPENAI ("rate_limit_error", "Rate limit reached"), INTERP_LLM_ERROR_BUSY, 3, 300,
    8000, "Rate limit reached" },
  { "busy for three seconds", 429, JSON_TYPE, "Retry-After: 3\r\n", OPENAI ("rate_limit_error", "Rate limit reached"),
    INTERP_LLM_ERROR_BUSY, 3, 3000, 3000, "Rate limit reached" },
  { "busy for milliseconds", 429, JSON_TYPE, "Retry-After-Ms: 1200\r\nRetry-After: 60\r\n",
    OPENAI ("rate_limit_error", "Rate limit reached"), INTERP_LLM_ERROR_BUSY, 3, 1200, 1200, "Rate limit reached" },
  { "busy for a day", 429, JSON_TYPE, "Retry-After: 86400\r\n", OPENAI ("rate_limit_error", "Rate limit reached"),
    INTERP_LLM_ERROR_BUSY, 1, 0, 0, "Rate limit reached" },
  { "no money", 429, JSON_TYPE, NULL,
    "{\"error\":{\"message\":\"You exceeded your current quota\",\"type\":\"insufficient_quota\",\"code\":"
    "\"insufficient_quota\"}}",
    INTERP_LLM_ERROR_QUOTA, 1, 0, 0, "exceeded your current quota" },
  { "trouble", 500, JSON_TYPE, NULL, OPENAI ("server_error", "Something broke"), INTERP_LLM_ERROR_BUSY, 3, 300, 8000,
    "Something broke" },
  { "trouble not worth a second try", 500, JSON_TYPE, "X-Should-Retry: false\r\n",
    OPENAI ("server_error", "Something broke"), INTERP_LLM_ERROR_REQUEST, 1, 0, 0, "Something broke" },
  { "a proxy's page", 502, "text/html", NULL,
    "<html><head><title>502 Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>", INTERP_LLM_ERROR_BUSY,
    3, 300, 8000, "502 Bad Gateway" },
  { "full", 503, JSON_TYPE, NULL, "{\"error\":\"server busy, please try again\"}", INTERP_LLM_ERROR_BUSY, 3, 300, 8000,
    "server busy" },
  { "no words at all", 503, "text/plain", NULL, "", INTERP_LLM_ERROR_BUSY, 3, 300, 8000, NULL },
};

static void
test_refusals (LlmFixture *self, gconstpointer data)
{
  guint n_before = 0;

  for (guint i = 0; i < G_N_ELEMENTS (refusals); i++)
    {
      const Refusal *refusal = &refusals[i];
      g_autoptr (LlmAnswer) answer = NULL;

      g_test_message ("%s", refusal->name);
      for (guint n = 0; n < refusal->n_requests; n++)
        {
          InterpTestReply *reply = interp_test_server_reply (self->server, self->wire->path);

          interp_test_reply_head (reply, refusal->status, refusal->type, refusal->headers);
          interp_test_reply_send (reply, refusal->body, -1);
        }

      llm_test_hurry (100);
      answer = ask (self);
      llm_test_stop_hurrying ();
      g_assert_error (answer->error, INTERP_LLM_ERROR, (int) refusal->code);
      if (refusal->said != NULL && strstr (answer->error->message, refusal->said) == NULL)
        g_error ("\"%s\" does not say \"%s\"", answer->error->message, refusal->said);
      g_assert_cmpint (answer->longest_wait, >=, refusal->least_wait);
      g_assert_cmpint (answer->longest_wait, <=, refusal->most_wait);
      g_assert_cmpstr (answer->text->str, ==, "");
      g_assert_cmpuint (interp_test_server_get_n_requests (self->server, self->wire->path), ==,
                        n_before + refusal->n_requests);
      n_before += refusal->n_requests;
    }
}

/* What was tried again is there once. */
static void
test_second_try (LlmFixture *self, gconstpointer data)
{
  InterpTestReply *reply = interp_test_server_reply (self->server, self->wire->path);
  g_autoptr (LlmAnswer) answer = NULL;

  interp_test_reply_head (reply, 429, JSON_TYPE, "Retry-After: 2\r\n");
  interp_test_reply_send (reply, "{\"error\":\"slow down\"}", -1);
  script_whole_answer (self, wire_begin (self->wire, self->server));

  llm_test_hurry (100);
  answer = ask (self);
  llm_test_stop_hurrying ();
  check_whole_answer (answer);
  g_assert_cmpint (answer->longest_wait, ==, 2000);
  g_assert_cmpuint (answer->waits->len, >=, 1);
}

/* A model may take as long as it likes to load. */
static void
test_loading (LlmFixture *self, gconstpointer data)
{
  g_autoptr (LlmAnswer) answer = NULL;

  for (guint i = 0; i < 20; i++)
    interp_test_reply_json (interp_test_server_reply (self->server, self->wire->path), 503,
                            "{\"error\":{\"message\":\"Loading model\",\"type\":\"unavailable_error\",\"code\":503}}");
  script_whole_answer (self, wire_begin (self->wire, self->server));

  answer = ask (self);
  check_whole_answer (answer);
  g_assert_cmpuint (answer->waits->len, ==, 1);
  g_assert_cmpuint (interp_test_server_get_n_requests (self->server, self->wire->path), ==, 21);
}

static void
test_error_in_answer (LlmFixture *self, gconstpointer data)
{
  InterpTestReply *reply = wire_begin (self->wire, self->server);
  g_autoptr (LlmAnswer) answer = NULL;

  wire_text (self->wire, reply, "So far");
  wire_error (self->wire, reply, "api_error", "the runner has stopped");
  answer = ask (self);
  check_cut (self, answer, "So far");
  g_assert_nonnull (strstr (answer->error->message, "the runner has stopped"));
}

/* A stream that begins with an error is a refusal. */
static void
test_error_instead_of_answer (LlmFixture *self, gconstpointer data)
{
  g_autoptr (LlmAnswer) answer = NULL;

  wire_error (self->wire, wire_begin (self->wire, self->server), "overloaded_error", "Overloaded");
  script_whole_answer (self, wire_begin (self->wire, self->server));

  llm_test_hurry (100);
  answer = ask (self);
  llm_test_stop_hurrying ();
  check_whole_answer (answer);
}

/* ---- what is no answer ---- */

static void
test_page (LlmFixture *self, gconstpointer data)
{
  g_autoptr (LlmAnswer) answer = NULL;

  for (guint i = 0; i < 3; i++)
    {
      InterpTestReply *reply = interp_test_server_reply (self->server, self->wire->path);

      interp_test_reply_head (reply, 200, "text/html; charset=utf-8", NULL);
      interp_test_reply_send (reply, "<!doctype html>\n<html><head><title>Log in to the hotel</title></head></html>",
                              -1);
    }

  llm_test_hurry (100);
  answer = ask (self);
  llm_test_stop_hurrying ();
  g_assert_error (answer->error, INTERP_LLM_ERROR, INTERP_LLM_ERROR_PROTOCOL);
  g_assert_nonnull (strstr (answer->error->message, "Log in to the hotel"));
  g_assert_null (strchr (answer->error->message, '<'));
}

static void
test_garbage (LlmFixture *self, gconstpointer data)
{
  InterpTestReply *reply = wire_begin (self->wire, self->server);
  g_autoptr (LlmAnswer) answer = NULL;

  wire_text (self->wire, reply, "So far");
  interp_test_reply_send (reply, "data: \xff\xfe\x80{\"a\":\n\n\x01\x02\n\n", -1);
  interp_test_reply_await_close (reply);
  answer = ask (self);
  check_cut (self, answer, "So far");
  interp_test_server_await_closed (self->server, 1);
}

/* No line is kept for ever: the server is left once it is too long. */
static void
test_endless_line (LlmFixture *self, gconstpointer data)
{
  g_autofree char *part = g_strnfill (1024 * 1024, 'a');
  InterpTestReply *reply = wire_begin (self->wire, self->server);
  g_autoptr (LlmAnswer) answer = NULL;

  wire_text (self->wire, reply, "So far");
  interp_test_reply_send (reply, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"", -1);
  for (guint i = 0; i <= INTERP_SPLITTER_MAX / (1024 * 1024); i++)
    interp_test_reply_send (reply, part, 1024 * 1024);
  interp_test_reply_await_close (reply);
  answer = ask (self);
  check_cut (self, answer, "So far");
  g_assert_nonnull (strstr (answer->error->message, "too long"));
  interp_test_server_await_closed (self->server, 1);
}

/* ---- our side ends it ---- */

static void
test_close (LlmFixture *self, gconstpointer data)
{
  InterpTestReply *reply = wire_begin (self->wire, self->server);
  g_autoptr (InterpStream) stream = NULL;
  g_autoptr (InterpEvent) event = NULL;
  g_autoptr (InterpEvent) after = NULL;
  g_autoptr (GError) error = NULL;

  wire_text (self->wire, reply, "So far");
  interp_test_reply_await_close (reply);
  stream = interp_provider_stream (self->provider, self->request);
  event = llm_test_until (stream, INTERP_EVENT_TEXT);
  interp_stream_close (stream);
  after = interp_test_await_boxed (interp_stream_next (stream), &error);
  g_assert_null (after);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  /* The server stops working, too. */
  interp_test_server_await_closed (self->server, 1);
}

static void
test_close_while_waiting (LlmFixture *self, gconstpointer data)
{
  g_autoptr (InterpStream) stream = NULL;
  g_autoptr (InterpEvent) event = NULL;

  interp_test_reply_json (interp_test_server_reply (self->server, self->wire->path), 429, "{\"error\":\"busy\"}");
  stream = interp_provider_stream (self->provider, self->request);
  event = llm_test_until (stream, INTERP_EVENT_PROGRESS);
  g_assert_cmpint (event->retry_in, >, 0);
  interp_stream_close (stream);
  g_assert_cmpuint (interp_test_server_get_n_requests (self->server, self->wire->path), ==, 1);
}

static void
test_nobody_there (LlmFixture *self, gconstpointer data)
{
  g_autofree char *base = interp_test_server_dup_url (self->server, self->wire->base);
  g_autoptr (LlmAnswer) answer = NULL;

  /* Nobody listens at this port any more. */
  interp_test_server_free (self->server);
  self->server = interp_test_server_new ();
  interp_provider_set_base_url (self->provider, base);
  answer = ask (self);
  g_assert_error (answer->error, INTERP_LLM_ERROR, INTERP_LLM_ERROR_UNREACHABLE);
  /* What to start, or where it was looked for. */
  g_assert_nonnull (
      strstr (answer->error->message, interp_profile_get_start (interp_provider_get_profile (self->provider)) != NULL
                                          ? interp_provider_get_title (self->provider)
                                          : base));
}

static void
test_key (LlmFixture *self, gconstpointer data)
{
  g_autoptr (LlmAnswer) answer = NULL;
  g_autofree char *header = NULL;
  g_autofree char *expected = g_strconcat (self->wire->key_prefix, "sk-of-the-test", NULL);

  interp_provider_set_key (self->provider, "sk-of-the-test", INTERP_KEY_SESSION);
  interp_test_reply_json (interp_test_server_reply (self->server, self->wire->path), 401, "{\"error\":\"bad key\"}");
  answer = ask (self);
  g_assert_error (answer->error, INTERP_LLM_ERROR, INTERP_LLM_ERROR_KEY);
  g_assert_null (strstr (answer->error->message, "sk-of-the-test"));
  header = interp_test_request_dup_header (interp_test_server_await_request (self->server, self->wire->path, 0),
                                           self->wire->key_header);
  g_assert_cmpstr (header, ==, expected);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *name;
    void (*func) (LlmFixture *self, gconstpointer data);
  } tests[] = {
    { "whole", test_whole },
    { "bytewise", test_bytewise },
    { "parallel", test_parallel },
    { "refused-parameter", test_refused_parameter },
    { "cut/text", test_cut_text },
    { "cut/call", test_cut_call },
    { "cut/behind-call", test_cut_behind_call },
    { "reset/in-text", test_reset_in_text },
    { "reset/before-answer", test_reset_before_answer },
    { "reset/behind-end", test_reset_behind_end },
    { "empty/always", test_empty },
    { "empty/at-first", test_empty_at_first },
    { "length/in-text", test_length_in_text },
    { "length/in-call", test_length_in_call },
    { "refusals", test_refusals },
    { "second-try", test_second_try },
    { "loading", test_loading },
    { "error/in-answer", test_error_in_answer },
    { "error/instead-of-answer", test_error_instead_of_answer },
    { "page", test_page },
    { "garbage", test_garbage },
    { "endless-line", test_endless_line },
    { "close/in-answer", test_close },
    { "close/while-waiting", test_close_while_waiting },
    { "nobody-there", test_nobody_there },
    { "key", test_key },
  };
  static const Wire *wires[] = { &wire_chat, &wire_ollama, &wire_messages, &wire_responses, &wire_gemini };

  llm_test_init (&argc, &argv);

  for (guint w = 0; w < G_N_ELEMENTS (wires); w++)
    for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
      {
        g_autofree char *path = g_strdup_printf ("/llm/faults/%s/%s", wires[w]->name, tests[i].name);

        g_test_add (path, LlmFixture, wires[w], set_up, tests[i].func, llm_fixture_tear_down);
      }

  return g_test_run ();
}
