/* test-codec-requests.c: a conversation on its way back to a server, in every wire format
 *
 * In the tables ' stands for ".
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm-decode.h"

#include "base/interp-json.h"

#include <string.h>

typedef struct
{
  const char *codec;
  const char *result;    /* what stands in every result */
  const char *result_id; /* the member that says which call it answers */
} Format;

static const Format formats[] = {
  { "chat", "'role':'tool'", "tool_call_id" },
  { "messages", "'type':'tool_result'", "tool_use_id" },
  { "ollama", "'role':'tool'", "tool_call_id" },
  { "responses", "'type':'function_call_output'", "call_id" },
};

static InterpCodecContext *
make_context (const char *codec, const char *id, const char *quirks, const char *model)
{
  g_autofree char *text
      = g_strdup_printf ("[Provider]\nId=%s\nTitle=X\nCodec=%s\nBaseUrl=http://127.0.0.1:1\nQuirks=%s\n", id, codec,
                         quirks);
  g_autoptr (GError) error = NULL;
  g_autoptr (InterpProfile) profile = interp_profile_new_from_data (text, -1, &error);

  g_assert_no_error (error);

  return interp_codec_context_new (profile, "http://127.0.0.1:1", NULL, interp_profile_get_quirks (profile, model),
                                   model);
}

static char *
build (InterpCodecContext *context, const char *codec, InterpRequest *request)
{
  g_autoptr (InterpHttpRequest) http = interp_codec_find (codec)->build (context, request);
  gsize length;
  const char *body = g_bytes_get_data (http->body, &length);
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) node = interp_json_parse (body, length, INTERP_JSON_PARSE_NONE, &error);

  g_assert_no_error (error);
  g_assert_true (interp_json_is_object (node));

  return g_strndup (body, length);
}

static InterpMessage *
add_message (InterpRequest *request, InterpRole role, const char *text)
{
  InterpMessage *message = interp_message_new (role, text);

  g_ptr_array_add (request->messages, message);

  return message;
}

static void
add_call (InterpMessage *message, const char *id, const char *arguments)
{
  g_autoptr (InterpCall) call = interp_call_new (INTERP_CALL_TOOL, id, "run_code", arguments);

  interp_message_add_call (message, call);
}

static void
add_result (InterpRequest *request, const char *id, const char *text)
{
  InterpMessage *message = add_message (request, INTERP_ROLE_TOOL, text);

  message->call_id = g_strdup (id);
  message->call_name = g_strdup ("run_code");
}

/* How often @part stands in @text. */
static guint
count (const char *text, const char *part)
{
  g_autofree char *quoted = quote (part);
  guint n = 0;

  for (const char *at = strstr (text, quoted); at != NULL; at = strstr (at + 1, quoted))
    n++;

  return n;
}

static void
assert_has (const char *text, const char *part)
{
  if (count (text, part) == 0)
    g_error ("\"%s\" is not in %s", part, text);
}

static void
assert_has_not (const char *text, const char *part)
{
  if (count (text, part) != 0)
    g_error ("\"%s\" is in %s", part, text);
}

/* ---- every call has one result, right behind it and in order ---- */

#define GOOD "{\"language\":\"python\",\"code\":\"1\"}"

typedef enum
{
  RESULTS_ALL,
  RESULTS_FIRST,
  RESULTS_NONE, /* the application was killed while they ran */
  RESULTS_TURNED,
  RESULTS_TWICE,
  RESULTS_STRANGE,
  N_RESULTS,
} Results;

static void
test_results (gconstpointer data)
{
  const Format *format = data;
  g_autoptr (InterpCodecContext) context = make_context (format->codec, "x", "", "m");

  for (Results results = 0; results < N_RESULTS; results++)
    {
      g_autoptr (InterpRequest) request = events_request (FALSE);
      g_autofree char *first = g_strdup_printf ("'%s':'call_a'", format->result_id);
      g_autofree char *second = g_strdup_printf ("'%s':'call_b'", format->result_id);
      g_autofree char *first_quoted = quote (first);
      g_autofree char *second_quoted = quote (second);
      g_autofree char *body = NULL;
      const char *mark;
      InterpMessage *message;

      add_message (request, INTERP_ROLE_USER, "Two things");
      message = add_message (request, INTERP_ROLE_ASSISTANT, NULL);
      add_call (message, "call_a", GOOD);
      add_call (message, "call_b", "{\"language\":\"shell\",\"broken");
      if (results == RESULTS_TURNED)
        add_result (request, "call_b", "two");
      if (results == RESULTS_STRANGE)
        add_result (request, "call_of_nobody", "lost");
      if (results != RESULTS_NONE)
        add_result (request, "call_a", "one");
      if (results == RESULTS_TWICE)
        add_result (request, "call_a", "once more");
      if (results == RESULTS_ALL || results == RESULTS_TWICE || results == RESULTS_STRANGE)
        add_result (request, "call_b", "two");
      add_message (request, INTERP_ROLE_USER, "And now?");

      body = build (context, format->codec, request);
      g_test_message ("%s, case %d", format->codec, results);
      g_assert_cmpuint (count (body, format->result), ==, 2);
      /* Both are there, the first before the second. */
      mark = g_strrstr (body, first_quoted);
      g_assert_nonnull (mark);
      g_assert_nonnull (strstr (mark, second_quoted));
      assert_has_not (body, "call_of_nobody");
      /* What does not parse is refused by servers, even in the past. */
      assert_has_not (body, "broken");
      assert_has (body, "And now?");
    }
}

/* ---- ids that others made up ---- */

static void
test_ids (gconstpointer data)
{
  const Format *format = data;
  static const char *quirks[] = { "", "short-call-ids" };

  for (gsize i = 0; i < G_N_ELEMENTS (quirks); i++)
    {
      g_autoptr (InterpCodecContext) context = make_context (format->codec, "x", quirks[i], "m");
      g_autoptr (InterpRequest) request = events_request (FALSE);
      g_autofree char *begin = g_strdup_printf ("\"%s\":\"", format->result_id);
      g_autofree char *body = NULL;
      g_autofree char *id = NULL;
      g_autofree char *quoted_id = NULL;
      const char *at;

      add_message (request, INTERP_ROLE_USER, "One thing");
      add_call (add_message (request, INTERP_ROLE_ASSISTANT, NULL), "functions.run_code:0", GOOD);
      add_result (request, "functions.run_code:0", "one");
      body = build (context, format->codec, request);

      /* The call and its result name each other. */
      at = g_strrstr (body, begin);
      g_assert_nonnull (at);
      at += strlen (begin);
      id = g_strndup (at, strcspn (at, "\""));
      quoted_id = g_strdup_printf ("\"%s\"", id);
      g_assert_cmpstr (id, !=, "");
      g_assert_cmpuint (count (body, quoted_id), ==, 2);
      if (g_str_equal (format->codec, "chat") && *quirks[i] != '\0')
        {
          g_assert_cmpuint (strlen (id), ==, 9);
          for (const char *p = id; *p != '\0'; p++)
            g_assert_true (g_ascii_isalnum (*p));
        }
    }
}

/* ---- what a provider wants back ---- */

typedef struct
{
  const char *name;
  const char *codec;
  const char *quirks;
  const char *answer;
  const char *kept; /* goes back, to itself alone */
} RoundTrip;

#define SSE(message) "data: " message "\n\n"
#define CHAT(delta) SSE ("{'choices':[{'index':0,'delta':" delta "}]}")
#define CHAT_CALL(more)                                                                                      \
  CHAT ("{'tool_calls':[{'index':0,'id':'call_a'," more "'function':{'name':'look_up','arguments':'{}'}}]}") \
  SSE ("{'choices':[{'index':0,'delta':{},'finish_reason':'tool_calls'}]}") SSE ("[DONE]")
#define BLOCK(index, block) SSE ("{'type':'content_block_start','index':" index ",'content_block':" block "}")
#define MESSAGES_CALL                                                          \
  BLOCK ("9", "{'type':'tool_use','id':'call_a','name':'look_up','input':{}}") \
  SSE ("{'type':'message_delta','delta':{'stop_reason':'tool_use'}}")
#define ITEM(index, item) SSE ("{'type':'response.output_item.done','output_index':" index ",'item':" item "}")
#define RESPONSES_CALL                                                                                  \
  ITEM ("9", "{'type':'function_call','id':'fc','call_id':'call_a','name':'look_up','arguments':'{}'}") \
  SSE ("{'type':'response.completed','response':{'status':'completed'}}")

static const RoundTrip round_trips[] = {
  { "thinking of DeepSeek", "chat", "echo-reasoning",
    CHAT ("{'reasoning_content':'H'}") CHAT ("{'reasoning_content':'m 漢'}") CHAT_CALL (""),
    "'reasoning_content':'Hm 漢'" },
  { "thinking with its signature through OpenRouter", "chat", "",
    CHAT ("{'reasoning_details':[{'type':'reasoning.text','text':'H','index':0}]}")
        CHAT ("{'reasoning_details':[{'type':'reasoning.text','signature':'s+/==','index':0}]}") CHAT_CALL (""),
    "'signature':'s+/=='" },
  { "a signature of Gemini beside a call", "chat", "",
    CHAT_CALL ("'extra_content':{'google':{'thought_signature':'c2ln/+=='}},"),
    "'extra_content':{'google':{'thought_signature':'c2ln/+=='}}" },
  { "signed thinking", "messages", "",
    BLOCK ("0", "{'type':'thinking','thinking':'Hm 漢','signature':'s+/=='}") MESSAGES_CALL,
    "{'type':'thinking','thinking':'Hm 漢','signature':'s+/=='}" },
  { "thinking that is not shown", "messages", "",
    BLOCK ("0", "{'type':'thinking','thinking':'','signature':'s+/=='}") MESSAGES_CALL,
    "{'type':'thinking','thinking':'','signature':'s+/=='}" },
  { "redacted thinking", "messages", "", BLOCK ("0", "{'type':'redacted_thinking','data':'AA+/=='}") MESSAGES_CALL,
    "{'type':'redacted_thinking','data':'AA+/=='}" },
  { "encrypted thinking", "responses", "",
    ITEM ("0", "{'type':'reasoning','id':'rs','summary':[],'encrypted_content':'gA+/=='}") RESPONSES_CALL,
    "'encrypted_content':'gA+/=='" },
  { "the phase of a message", "responses", "",
    ITEM ("0", "{'type':'message','id':'m','phase':'commentary','content':[{'type':'output_text','text':'Look'}]}")
        RESPONSES_CALL,
    "'phase':'commentary'" },
  { "thinking of Ollama", "ollama", "",
    "{'message':{'role':'assistant','thinking':'Hm '},'done':false}\n"
    "{'message':{'thinking':'漢','tool_calls':[{'id':'call_a','function':{'name':'look_up','arguments':{}}}]}}\n"
    "{'done':true,'done_reason':'stop'}\n",
    "'thinking':'Hm 漢'" },
};

/* Keeps an answer as the session does. */
static void
keep_event (InterpEvent *event, gpointer data)
{
  InterpMessage *message = data;

  if (event->kind == INTERP_EVENT_TEXT)
    {
      g_autofree char *before = g_steal_pointer (&message->text);

      message->text = g_strconcat (before != NULL ? before : "", event->text, NULL);
    }
  else if (event->kind == INTERP_EVENT_CALL_END)
    interp_message_add_call (message, event->call);
  else if (event->kind == INTERP_EVENT_OPAQUE)
    {
      g_set_str (&message->opaque_provider, event->text);
      g_clear_pointer (&message->opaque, g_bytes_unref);
      message->opaque = g_bytes_ref (event->opaque);
    }

  interp_event_unref (event);
}

static void
test_round_trip (gconstpointer data)
{
  const RoundTrip *trip = data;
  const InterpCodec *codec = interp_codec_find (trip->codec);
  g_autoptr (InterpCodecContext) context = make_context (trip->codec, "own", trip->quirks, "m");
  g_autoptr (InterpCodecContext) elsewhere = make_context (trip->codec, "another", trip->quirks, "m");
  g_autoptr (InterpRequest) request = events_request (FALSE);
  g_autoptr (InterpRefusal) refusal = NULL;
  g_autofree char *answer = quote (trip->answer);
  g_autofree char *sent = NULL;
  g_autofree char *sent_elsewhere = NULL;
  InterpMessage *message;
  gpointer decoder;
  guint n_payloads = 0;

  add_message (request, INTERP_ROLE_USER, "Look it up");
  message = add_message (request, INTERP_ROLE_ASSISTANT, NULL);
  decoder = codec->decoder_new (context, request, NULL, keep_event, message);
  if (codec->decode (decoder, answer, strlen (answer), &n_payloads, &refusal) != INTERP_DECODE_DONE)
    g_assert_cmpint (codec->decode_end (decoder, &refusal), ==, INTERP_DECODE_DONE);
  codec->decoder_free (decoder);
  add_result (request, "call_a", "found");

  sent = build (context, trip->codec, request);
  assert_has (sent, trip->kept);
  assert_has (sent, "found");
  sent_elsewhere = build (elsewhere, trip->codec, request);
  assert_has_not (sent_elsewhere, trip->kept);
  assert_has (sent_elsewhere, "found");
}

/* A turn with calls has some thinking for DeepSeek, be it none. */
static void
test_no_thinking (void)
{
  g_autoptr (InterpCodecContext) context = make_context ("chat", "x", "echo-reasoning", "m");
  g_autoptr (InterpRequest) request = events_request (FALSE);
  g_autofree char *body = NULL;

  add_message (request, INTERP_ROLE_USER, "One thing");
  add_call (add_message (request, INTERP_ROLE_ASSISTANT, NULL), "call_a", GOOD);
  add_result (request, "call_a", "one");
  body = build (context, "chat", request);
  assert_has (body, "'reasoning_content':''");
}

/* Mistral refuses what the user says right behind a result. */
static void
test_bridge (void)
{
  static const char *quirks[] = { "", "bridge-user" };

  for (gsize i = 0; i < G_N_ELEMENTS (quirks); i++)
    {
      g_autoptr (InterpCodecContext) context = make_context ("chat", "x", quirks[i], "m");
      g_autoptr (InterpRequest) request = events_request (FALSE);
      g_autofree char *body = NULL;
      g_autoptr (JsonNode) node = NULL;

      add_message (request, INTERP_ROLE_USER, "One thing");
      add_call (add_message (request, INTERP_ROLE_ASSISTANT, NULL), "call_a", GOOD);
      add_result (request, "call_a", "one");
      add_message (request, INTERP_ROLE_USER, "And now?");
      body = build (context, "chat", request);
      node = interp_json_parse (body, -1, INTERP_JSON_PARSE_NONE, NULL);
      g_assert_cmpstr (interp_json_get_string (node, "messages.2.role"), ==, "tool");
      g_assert_cmpstr (interp_json_get_string (node, "messages.3.role"), ==, i == 0 ? "user" : "assistant");
      g_assert_cmpuint (interp_json_get_length (node, "messages"), ==, i == 0 ? 4 : 5);
    }
}

/* ---- what a model refuses is not sent ---- */

static void
test_temperature (gconstpointer data)
{
  const Format *format = data;
  static const char *quirks[] = { "", "no-temperature" };

  for (gsize i = 0; i < G_N_ELEMENTS (quirks); i++)
    {
      g_autoptr (InterpCodecContext) context = make_context (format->codec, "x", quirks[i], "m");
      g_autoptr (InterpRequest) request = events_request (FALSE);
      g_autofree char *body = NULL;

      add_message (request, INTERP_ROLE_USER, "Hello");
      request->temperature = 0.5;
      body = build (context, format->codec, request);
      g_assert_cmpuint (count (body, "'temperature':0.5"), ==, i == 0 ? 1 : 0);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      g_autofree char *results = g_strconcat ("/llm/codec-requests/", formats[i].codec, "/results", NULL);
      g_autofree char *ids = g_strconcat ("/llm/codec-requests/", formats[i].codec, "/ids", NULL);
      g_autofree char *temperature = g_strconcat ("/llm/codec-requests/", formats[i].codec, "/temperature", NULL);

      g_test_add_data_func (results, &formats[i], test_results);
      g_test_add_data_func (ids, &formats[i], test_ids);
      g_test_add_data_func (temperature, &formats[i], test_temperature);
    }

  for (gsize i = 0; i < G_N_ELEMENTS (round_trips); i++)
    {
      g_autofree char *path = g_strconcat ("/llm/codec-requests/round-trip/", round_trips[i].name, NULL);

      g_test_add_data_func (path, &round_trips[i], test_round_trip);
    }
  g_test_add_func ("/llm/codec-requests/no-thinking", test_no_thinking);
  g_test_add_func ("/llm/codec-requests/bridge", test_bridge);

  return g_test_run ();
}
