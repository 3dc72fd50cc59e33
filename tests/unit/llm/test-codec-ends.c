/* test-codec-ends.c: how answers end, and how servers say no in the middle of one, in every wire format
 *
 * In the tables ' stands for ".
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm-decode.h"
#include "llm-split.h"

/* What surrounds a message, and an answer of "He" up to its end. */
typedef struct
{
  const char *codec;
  const char *before;
  const char *behind;
  const char *beginning;
} Format;

#define SSE(message) "data: " message "\n\n"

static const Format formats[] = {
  { "chat", "data: ", "\n\n", SSE ("{'choices':[{'index':0,'delta':{'content':'He'}}]}") },
  { "messages", "data: ", "\n\n",
    SSE ("{'type':'message_start','message':{'content':[]}}")
        SSE ("{'type':'content_block_start','index':0,'content_block':{'type':'text','text':'He'}}") },
  { "ollama", "", "\n", "{'message':{'role':'assistant','content':'He'},'done':false}\n" },
  { "responses", "data: ", "\n\n", SSE ("{'type':'response.output_text.delta','output_index':0,'delta':'He'}") },
};

static void
check (const Format *format, const char *message, const char *text, const char *expected)
{
  g_autofree char *profile
      = g_strdup_printf ("[Provider]\nId=x\nTitle=X\nCodec=%s\nBaseUrl=http://127.0.0.1:1\n", format->codec);
  DecodeSetup setup = { interp_codec_find (format->codec), profile, FALSE };
  g_autofree char *body = quote (text);

  g_test_message ("%s: %s", format->codec, message);
  check_splits (body, -1, expected, decode, &setup);
}

/* ---- ends ---- */

typedef struct
{
  const char *codec;
  const char *message;
  const char *expected;
} End;

#define CHAT_END(reason) "{'choices':[{'index':0,'delta':{},'finish_reason':'" reason "'}]}"
#define MESSAGES_END(reason) "{'type':'message_delta','delta':{'stop_reason':'" reason "'}}"
#define OLLAMA_END(reason) "{'message':{'content':''},'done':true,'done_reason':'" reason "'}"
#define RESPONSES_END(type, more) "{'type':'response." type "','response':{'status':'" type "'" more "}}"

static const End ends[] = {
  { "chat", CHAT_END ("stop"), "He#end!done" },
  { "chat", CHAT_END ("length"), "He#length!done" },
  { "chat", CHAT_END ("max_tokens"), "He#length!done" },
  { "chat", CHAT_END ("model_length"), "He#length!done" },
  { "chat", CHAT_END ("content_filter"), "He#refused!done" },
  { "chat", CHAT_END ("refusal"), "He#refused!done" },
  /* A call decides, not the reason: there is none. */
  { "chat", CHAT_END ("tool_calls"), "He#end!done" },
  { "chat", CHAT_END ("function_call"), "He#end!done" },
  { "chat", CHAT_END ("of_the_future"), "He#end!done" },
  { "chat", CHAT_END ("error"), "He!refused 502 The model's host reported an error." },
  { "chat", CHAT_END ("insufficient_system_resource"),
    "He!refused 503 There are not enough resources to finish the answer." },
  { "chat", CHAT_END (""), "He!broken The connection ended before the answer did." },

  { "messages", MESSAGES_END ("end_turn"), "He#end!done" },
  { "messages", MESSAGES_END ("tool_use"), "He#end!done" },
  { "messages", MESSAGES_END ("max_tokens"), "He#length!done" },
  { "messages", MESSAGES_END ("model_context_window_exceeded"), "He#length!done" },
  { "messages", MESSAGES_END ("stop_sequence"), "He#stop!done" },
  { "messages", MESSAGES_END ("refusal"), "He#refused!done" },
  { "messages", MESSAGES_END ("pause_turn"), "He#paused!done" },
  { "messages", MESSAGES_END ("of_the_future"), "He#end!done" },

  { "ollama", OLLAMA_END ("stop"), "He#-1/-1#end!done" },
  { "ollama", OLLAMA_END ("length"), "He#-1/-1#length!done" },
  { "ollama", OLLAMA_END ("of_the_future"), "He#-1/-1#end!done" },
  { "ollama", "{'message':{'content':''},'done':true}", "He#-1/-1#end!done" },

  { "responses", RESPONSES_END ("completed", ""), "He#end!done" },
  { "responses", RESPONSES_END ("incomplete", ",'incomplete_details':{'reason':'max_output_tokens'}"),
    "He#length!done" },
  { "responses", RESPONSES_END ("incomplete", ",'incomplete_details':{'reason':'content_filter'}"), "He#refused!done" },
  /* Whatever it is that cut it, it is not whole. */
  { "responses", RESPONSES_END ("incomplete", ",'incomplete_details':null"), "He#length!done" },
  { "responses", RESPONSES_END ("failed", ",'error':{'code':'server_error','message':'No'}"), "He!refused 500 No" },
};

static void
test_ends (gconstpointer data)
{
  const Format *format = data;

  for (gsize i = 0; i < G_N_ELEMENTS (ends); i++)
    if (g_str_equal (ends[i].codec, format->codec))
      {
        g_autofree char *text = g_strconcat (format->beginning, format->before, ends[i].message, format->behind, NULL);

        check (format, ends[i].message, text, ends[i].expected);
      }
}

/* ---- errors: every shape anywhere, for what stands behind an address is not known ---- */

typedef struct
{
  const char *message;
  guint status;
} Shape;

static const Shape shapes[] = {
  { "{'error':{'message':'No','type':'server_error','param':null,'code':null}}", 500 },
  { "{'error':{'message':'No','type':'x','param':null,'code':529}}", 529 },
  { "{'error':{'message':'No','code':'429'}}", 429 },
  { "{'error':'No'}", 0 },
  { "{'object':'error','message':'No','type':'BadRequestError','code':400}", 400 },
  { "{'type':'error','error':{'type':'overloaded_error','message':'No'},'request_id':'r'}", 529 },
  { "{'type':'error','code':'rate_limit_exceeded','message':'No','param':null,'sequence_number':3}", 429 },
  { "{'type':'error','error':{'type':'insufficient_quota','code':'insufficient_quota','message':'No'}}", 429 },
  { "{'error':{'code':429,'status':'RESOURCE_EXHAUSTED','message':'No','details':[]}}", 429 },
  { "[{'error':{'code':503,'status':'UNAVAILABLE','message':'No'}}]", 503 },
};

static void
test_errors (gconstpointer data)
{
  const Format *format = data;

  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      const char *message = shapes[i].message;
      g_autofree char *first = g_strconcat (format->before, message, format->behind, NULL);
      g_autofree char *later = g_strconcat (format->beginning, first, NULL);
      g_autofree char *document = g_strconcat (message, "\n", NULL);
      g_autofree char *refused = g_strdup_printf ("!refused %u No", shapes[i].status);
      g_autofree char *refused_later = g_strconcat ("He", refused, NULL);

      check (format, message, first, refused);
      check (format, message, later, refused_later);
      check (format, message, document, refused);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      g_autofree char *ends_path = g_strconcat ("/llm/codec-ends/", formats[i].codec, "/ends", NULL);
      g_autofree char *errors_path = g_strconcat ("/llm/codec-ends/", formats[i].codec, "/errors", NULL);

      g_test_add_data_func (ends_path, &formats[i], test_ends);
      g_test_add_data_func (errors_path, &formats[i], test_errors);
    }

  return g_test_run ();
}
