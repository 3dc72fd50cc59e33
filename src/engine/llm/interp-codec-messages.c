/* interp-codec-messages.c: Anthropic's Messages, and the servers that speak it
 *
 * Source: Anthropic's API reference ("Messages", "Streaming", "Extended thinking", "Prompt caching", "Errors") and the
 * types of its SDK.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm/interp-codec.h"

#include "base/interp-json.h"
#include "llm/interp-answer-reader.h"
#include "llm/interp-history.h"
#include "llm/interp-replay.h"

#include <math.h>
#include <string.h>

#define VERSION "/v1"
#define API_VERSION "2023-06-01"

/* The limit must be told. What is not known of takes this much. */
#define DEFAULT_OUTPUT 8192
/* What every model takes. */
#define LEAST_OUTPUT 4096

/* ---- sending ---- */

static JsonNode *
make_block (const char *type, const char *member, const char *text)
{
  return interp_json_object ("type", INTERP_JSON_STRING (type), member, INTERP_JSON_STRING (text), NULL);
}

/* What is up to here, the server may keep for the next request. */
static void
mark_for_cache (JsonNode *block)
{
  interp_json_set (block, "cache_control", interp_json_object ("type", INTERP_JSON_STRING ("ephemeral"), NULL));
}

static void
append_text (JsonNode *content, const char *text)
{
  /* Empty blocks are refused. */
  for (const char *p = text; p != NULL && *p != '\0'; p++)
    if (!g_ascii_isspace (*p))
      {
        interp_json_append (content, make_block ("text", "text", text));
        return;
      }
}

static void
append_pictures (JsonNode *content, GPtrArray *pictures)
{
  for (guint i = 0; pictures != NULL && i < pictures->len; i++)
    {
      InterpPicture *picture = g_ptr_array_index (pictures, i);
      g_autofree char *data = interp_codec_encode_picture (picture);
      JsonNode *source
          = interp_json_object ("type", INTERP_JSON_STRING ("base64"), "media_type", INTERP_JSON_STRING (picture->mime),
                                "data", INTERP_JSON_STRING (data), NULL);

      interp_json_append (content, interp_json_object ("type", INTERP_JSON_STRING ("image"), "source",
                                                       INTERP_JSON_NODE (source), NULL));
    }
}

static void
append_result (JsonNode *content, InterpMessage *message)
{
  g_autofree char *id = interp_codec_make_call_id (message->call_id);
  JsonNode *block = make_block ("tool_result", "tool_use_id", id);
  JsonNode *parts = interp_json_array (INTERP_JSON_END);

  append_text (parts, message->text);
  append_pictures (parts, message->pictures);
  interp_json_set (block, "content", parts);
  if (message->is_error)
    interp_json_set (block, "is_error", json_node_init_boolean (json_node_alloc (), TRUE));
  interp_json_append (content, block);
}

static void
append_turn (InterpCodecContext *context, JsonNode *content, InterpMessage *message)
{
  g_autoptr (GPtrArray) plan = interp_replay_plan (context, message, NULL);

  for (guint i = 0; i < plan->len; i++)
    {
      InterpReplayStep *step = g_ptr_array_index (plan, i);

      if (step->call != NULL)
        {
          g_autofree char *id = interp_codec_make_call_id (step->call->id);
          JsonNode *block = make_block ("tool_use", "id", id);

          interp_json_set (block, "name", json_node_init_string (json_node_alloc (), step->call->name));
          interp_json_set (block, "input", interp_history_get_arguments (step->call));
          interp_json_append (content, block);
        }
      else if (step->text != NULL)
        {
          append_text (content, step->text);
        }
      else
        {
          interp_json_append (content, json_node_copy (interp_json_get (step->entry, "own")));
        }
    }
}

static JsonNode *
build_messages (InterpCodecContext *context, InterpRequest *request)
{
  g_autoptr (GPtrArray) history = interp_history_prepare (request);
  g_autoptr (GPtrArray) user_contents = g_ptr_array_new ();
  JsonNode *messages = interp_json_array (INTERP_JSON_END);
  JsonNode *content = NULL;
  gboolean of_assistant = FALSE;

  for (guint i = 0; i < history->len; i++)
    {
      InterpMessage *message = g_ptr_array_index (history, i);
      gboolean assistant = message->role == INTERP_ROLE_ASSISTANT;

      /* Sides alternate: all results of a turn, and what the user said then, are one message. */
      if (content == NULL || assistant != of_assistant)
        {
          content = interp_json_array (INTERP_JSON_END);
          of_assistant = assistant;
          interp_json_append (messages,
                              interp_json_object ("role", INTERP_JSON_STRING (assistant ? "assistant" : "user"),
                                                  "content", INTERP_JSON_NODE (content), NULL));
          if (!assistant)
            g_ptr_array_add (user_contents, content);
        }

      if (assistant)
        append_turn (context, content, message);
      else if (message->role == INTERP_ROLE_TOOL)
        append_result (content, message);
      else
        {
          append_text (content, message->text);
          append_pictures (content, message->pictures);
        }
    }

  /* The end of this request is where the next one goes on; the one before is where this one does. */
  for (guint i = user_contents->len; i > 0 && i + 2 > user_contents->len; i--)
    {
      JsonNode *blocks = g_ptr_array_index (user_contents, i - 1);
      guint n = interp_json_get_length (blocks, NULL);
      g_autofree char *last = g_strdup_printf ("%u", n - 1);

      if (n > 0)
        mark_for_cache (interp_json_get (blocks, last));
    }

  return messages;
}

static JsonNode *
build_tools (InterpRequest *request)
{
  JsonNode *tools = interp_json_array (INTERP_JSON_END);

  for (guint i = 0; i < request->tools->len; i++)
    {
      InterpTool *tool = g_ptr_array_index (request->tools, i);

      interp_json_append (tools, interp_json_object ("name", INTERP_JSON_STRING (tool->name), "description",
                                                     INTERP_JSON_STRING (tool->description), "input_schema",
                                                     INTERP_JSON_NODE (interp_codec_copy_schema (tool)), NULL));
    }

  return tools;
}

static gint64
choose_limit (InterpCodecContext *context, InterpRequest *request)
{
  gint64 limit = interp_profile_get_output_limit (context->profile, request->model);

  /* It was refused before: see interp_refusal_suggest (). */
  if (context->quirks & (INTERP_QUIRK_COMPLETION_TOKENS | INTERP_QUIRK_NO_MAX_TOKENS))
    return LEAST_OUTPUT;
  if (request->max_tokens > 0)
    return request->max_tokens;

  return limit > 0 ? limit : DEFAULT_OUTPUT;
}

static void
add_headers (InterpCodecContext *context, InterpHttpRequest *http)
{
  interp_http_request_add_header (http, "anthropic-version", API_VERSION);
  if (context->key != NULL && *context->key != '\0')
    interp_http_request_add_header (http, "x-api-key", context->key);
}

static InterpHttpRequest *
messages_build (InterpCodecContext *context, InterpRequest *request)
{
  gboolean has_tools = request->tools->len > 0 && !request->text_mode;
  gboolean thinks = (context->quirks & INTERP_QUIRK_THINKS) && !(context->quirks & INTERP_QUIRK_NO_THINKING);
  JsonNode *body
      = interp_json_object ("model", INTERP_JSON_STRING (request->model), "max_tokens",
                            INTERP_JSON_INT (choose_limit (context, request)), "stream", INTERP_JSON_BOOL (TRUE), NULL);
  InterpHttpRequest *http;

  /* Tools come before the system text in what is kept: one mark is for both. */
  if (has_tools)
    interp_json_set (body, "tools", build_tools (request));

  if (request->system != NULL && *request->system != '\0')
    {
      JsonNode *block = make_block ("text", "text", request->system);

      mark_for_cache (block);
      interp_json_set (body, "system", interp_json_array (INTERP_JSON_NODE (block), INTERP_JSON_END));
    }

  interp_json_set (body, "messages", build_messages (context, request));

  if (thinks)
    interp_json_set (body, "thinking",
                     interp_json_object ("type", INTERP_JSON_STRING ("adaptive"), "display",
                                         INTERP_JSON_STRING ("summarized"), NULL));

  /* It goes from 0 to 1, and does not go with thinking. */
  if (!isnan (request->temperature) && !thinks && !(context->quirks & INTERP_QUIRK_NO_TEMPERATURE))
    interp_json_set (body, "temperature",
                     json_node_init_double (json_node_alloc (), CLAMP (request->temperature, 0, 1)));

  http = interp_http_request_new ("POST", interp_codec_make_url (context, VERSION, "/messages"), body);
  interp_http_request_add_header (http, "Accept", "text/event-stream, application/json");
  add_headers (context, http);

  return http;
}

/* ---- receiving ---- */

/* A block may begin before the one before it has ended. */
typedef struct
{
  gint64 index;
  char *type;
  GString *text; /* of text and thinking */
  GString *signature;
  char *data; /* of redacted thinking */
  int number; /* of a call */
  char *input;
  gboolean has_deltas;
} Block;

typedef struct
{
  InterpAnswerReader reader;
  GPtrArray *blocks; /* Block, in order */
  gsize kept;
  char *stop_reason;
} Decoder;

static void
block_free (gpointer data)
{
  Block *block = data;

  g_free (block->type);
  g_string_free (block->text, TRUE);
  g_string_free (block->signature, TRUE);
  g_free (block->data);
  g_free (block->input);
  g_free (block);
}

static Block *
find_block (Decoder *self, gint64 index)
{
  /* The newest: gateways begin counting again. */
  for (guint i = self->blocks->len; i > 0; i--)
    {
      Block *block = g_ptr_array_index (self->blocks, i - 1);

      if (block->index == index)
        return block;
    }

  return NULL;
}

static void
keep (Decoder *self, GString *string, const char *text)
{
  if (text == NULL)
    return;

  self->kept += strlen (text);
  if (self->kept <= INTERP_ANSWER_MAX)
    g_string_append (string, text);
}

static void
add_text (Decoder *self, Block *block, InterpEventKind kind, const char *text)
{
  keep (self, block->text, text);
  interp_answer_reader_add_text (&self->reader, kind, text);
}

static void
begin_block (Decoder *self, gint64 index, JsonNode *content)
{
  Block *block = g_new0 (Block, 1);
  const char *type = interp_json_get_string (content, "type");
  JsonNode *input = interp_json_get (content, "input");

  block->index = index;
  block->type = g_strdup (type != NULL ? type : "");
  block->text = g_string_new (NULL);
  block->signature = g_string_new (NULL);
  block->number = -1;
  g_ptr_array_add (self->blocks, block);

  if (g_str_equal (block->type, "text"))
    {
      add_text (self, block, INTERP_EVENT_TEXT, interp_json_get_string (content, "text"));
    }
  else if (g_str_equal (block->type, "thinking"))
    {
      add_text (self, block, INTERP_EVENT_REASONING, interp_json_get_string (content, "thinking"));
      keep (self, block->signature, interp_json_get_string (content, "signature"));
    }
  else if (g_str_equal (block->type, "redacted_thinking"))
    {
      block->data = g_strdup (interp_json_get_string (content, "data"));
    }
  else if (g_str_equal (block->type, "tool_use"))
    {
      block->number = interp_answer_reader_add_call (&self->reader, index, interp_json_get_string (content, "id"),
                                                     interp_json_get_string (content, "name"), NULL);
      /* {} stands for what follows in pieces. */
      if (input != NULL && interp_json_is_object (input) && json_object_get_size (json_node_get_object (input)) > 0)
        block->input = interp_json_to_string (input);
    }
}

static void
read_delta (Decoder *self, gint64 index, JsonNode *delta)
{
  Block *block = find_block (self, index);
  const char *type = interp_json_get_string (delta, "type");
  JsonNode *json = interp_json_get (delta, "partial_json");

  if (block == NULL)
    return;

  if (g_strcmp0 (type, "text_delta") == 0)
    add_text (self, block, INTERP_EVENT_TEXT, interp_json_get_string (delta, "text"));
  else if (g_strcmp0 (type, "thinking_delta") == 0)
    add_text (self, block, INTERP_EVENT_REASONING, interp_json_get_string (delta, "thinking"));
  else if (g_strcmp0 (type, "signature_delta") == 0)
    keep (self, block->signature, interp_json_get_string (delta, "signature"));
  else if (g_strcmp0 (type, "input_json_delta") == 0 && g_str_equal (block->type, "tool_use"))
    {
      if (interp_json_get_string (json, NULL) != NULL && *interp_json_get_string (json, NULL) != '\0')
        block->has_deltas = TRUE;
      interp_answer_reader_add_call (&self->reader, index, NULL, NULL, json);
    }
}

/* Cumulative: the last one is right. What was read from a cache or written to it is not in input_tokens. */
static void
read_usage (Decoder *self, JsonNode *usage)
{
  InterpUsage *into = &self->reader.usage;
  gint64 input = interp_json_get_int (usage, "input_tokens", -1);
  gint64 cached = MAX (0, interp_json_get_int (usage, "cache_read_input_tokens", 0));
  gint64 written = MAX (0, interp_json_get_int (usage, "cache_creation_input_tokens", 0));

  if (!interp_json_is_object (usage))
    return;

  self->reader.has_usage = TRUE;
  if (input >= 0 && input + cached + written > 0)
    {
      into->input_tokens = input + cached + written;
      into->cached_tokens = cached;
    }
  into->output_tokens = interp_json_get_int (usage, "output_tokens", into->output_tokens);
}

static void
read_stop (Decoder *self, JsonNode *node)
{
  const char *reason = interp_json_get_string (node, "stop_reason");
  const char *explanation = interp_json_get_string (node, "stop_details.explanation");

  if (reason == NULL || *reason == '\0')
    return;

  g_set_str (&self->stop_reason, reason);
  self->reader.ending = TRUE;

  /* It may come without a word. */
  if (g_str_equal (reason, "refusal") && !self->reader.any_content)
    interp_answer_reader_add_text (&self->reader, INTERP_EVENT_TEXT, explanation);
}

/* Inputs that came with the beginning of their block, and never in pieces. */
static void
settle_inputs (Decoder *self)
{
  for (guint i = 0; i < self->blocks->len; i++)
    {
      Block *block = g_ptr_array_index (self->blocks, i);
      g_autoptr (JsonNode) input = NULL;

      if (block->input == NULL || block->has_deltas || block->number < 0)
        continue;

      input = json_node_init_string (json_node_alloc (), block->input);
      interp_answer_reader_add_call (&self->reader, block->index,
                                     interp_call_assembler_get_id (self->reader.calls, block->number), NULL, input);
      block->has_deltas = TRUE;
    }
}

static void
read_whole (Decoder *self, JsonNode *message)
{
  guint n = interp_json_get_length (message, "content");

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *path = g_strdup_printf ("content.%u", i);

      begin_block (self, self->blocks->len, interp_json_get (message, path));
    }

  read_usage (self, interp_json_get (message, "usage"));
  read_stop (self, message);
}

static InterpDecodeResult
read_message (InterpAnswerReader *reader, const char *event, JsonNode *node, InterpRefusal **refusal)
{
  Decoder *self = (Decoder *) reader;
  const char *type = interp_json_get_string (node, "type");
  gint64 index = interp_json_get_int (node, "index", 0);
  InterpRefusal *found;

  if (type == NULL)
    type = event != NULL ? event : "";

  if (g_str_equal (type, "message_start"))
    {
      /* Empty, unless a gateway has gathered it. */
      read_whole (self, interp_json_get (node, "message"));
    }
  else if (g_str_equal (type, "message"))
    {
      read_whole (self, node);
    }
  else if (g_str_equal (type, "content_block_start"))
    {
      begin_block (self, index, interp_json_get (node, "content_block"));
    }
  else if (g_str_equal (type, "content_block_delta"))
    {
      read_delta (self, index, interp_json_get (node, "delta"));
    }
  else if (g_str_equal (type, "message_delta"))
    {
      read_usage (self, interp_json_get (node, "usage"));
      read_stop (self, interp_json_get (node, "delta"));
    }
  else if (g_str_equal (type, "message_stop"))
    {
      if (reader->any_content || reader->ending)
        return interp_answer_reader_finish (reader);
    }
  else if ((found = interp_refusal_from_node (node, g_str_equal (type, "error"))) != NULL)
    {
      return interp_answer_reader_refuse (reader, found, refusal);
    }

  return reader->ending ? INTERP_DECODE_ENDING : INTERP_DECODE_MORE;
}

static InterpFinish
get_finish (InterpAnswerReader *reader)
{
  Decoder *self = (Decoder *) reader;
  const char *reason = self->stop_reason != NULL ? self->stop_reason : "end_turn";

  settle_inputs (self);

  if (g_str_equal (reason, "max_tokens") || g_str_equal (reason, "model_context_window_exceeded"))
    return INTERP_FINISH_LENGTH;
  if (g_str_equal (reason, "refusal"))
    return INTERP_FINISH_REFUSED;
  if (g_str_equal (reason, "pause_turn"))
    return INTERP_FINISH_PAUSED;
  if (g_str_equal (reason, "stop_sequence"))
    return INTERP_FINISH_STOP_SEQUENCE;

  return INTERP_FINISH_END;
}

static JsonNode *
make_entry (Decoder *self, Block *block)
{
  JsonNode *own = NULL;

  if (g_str_equal (block->type, "text") && block->text->len > 0)
    return interp_json_object ("text", INTERP_JSON_STRING (block->text->str), NULL);

  if (block->number >= 0)
    return interp_json_object ("call",
                               INTERP_JSON_STRING (interp_call_assembler_get_id (self->reader.calls, block->number)),
                               NULL);

  /* Thinking that is not shown has no text, but a signature; without one it was not for us to give back. */
  if (g_str_equal (block->type, "thinking") && block->signature->len > 0)
    {
      own = make_block ("thinking", "thinking", block->text->str);
      interp_json_set (own, "signature", json_node_init_string (json_node_alloc (), block->signature->str));
    }
  else if (g_str_equal (block->type, "redacted_thinking") && block->data != NULL)
    {
      own = make_block ("redacted_thinking", "data", block->data);
    }

  return own != NULL ? interp_json_object ("own", INTERP_JSON_NODE (own), NULL) : NULL;
}

static JsonNode *
make_opaque (InterpAnswerReader *reader)
{
  Decoder *self = (Decoder *) reader;
  JsonNode *entries;

  if (self->kept > INTERP_ANSWER_MAX)
    return NULL;

  entries = interp_json_array (INTERP_JSON_END);
  for (guint i = 0; i < self->blocks->len; i++)
    {
      JsonNode *entry = make_entry (self, g_ptr_array_index (self->blocks, i));

      if (entry != NULL)
        interp_json_append (entries, entry);
    }

  return interp_replay_record (entries);
}

static gpointer
messages_decoder_new (InterpCodecContext *context, InterpRequest *request, const char *content_type,
                      InterpEventSink sink, gpointer sink_data)
{
  static const InterpAnswerReaderFuncs funcs
      = { .read = read_message, .get_finish = get_finish, .make_opaque = make_opaque };
  Decoder *self = g_new0 (Decoder, 1);

  interp_answer_reader_init (&self->reader, &funcs, context, request, content_type, sink, sink_data);
  self->blocks = g_ptr_array_new_with_free_func (block_free);

  return self;
}

static void
messages_decoder_free (gpointer decoder)
{
  Decoder *self = decoder;

  interp_answer_reader_clear (&self->reader);
  g_ptr_array_unref (self->blocks);
  g_free (self->stop_reason);
  g_free (self);
}

/* ---- models ---- */

static InterpHttpRequest *
messages_build_list (InterpCodecContext *context, const char *page)
{
  char *url = interp_codec_make_page_url (context, VERSION, "/models?limit=1000", "after_id", page);
  InterpHttpRequest *http = interp_http_request_new ("GET", url, NULL);

  add_headers (context, http);

  return http;
}

static char *
messages_get_next_page (JsonNode *body)
{
  return interp_json_get_bool (body, "has_more", FALSE) ? g_strdup (interp_json_get_string (body, "last_id")) : NULL;
}

static void
messages_parse_inspect (JsonNode *body, InterpModelFacts *facts)
{
  JsonNode *pictures = interp_json_get (body, "capabilities.image_input");

  g_set_str (&facts->title, interp_json_get_string (body, "display_name"));
  facts->context_window = MAX (0, interp_json_get_int (body, "max_input_tokens", 0));
  if (pictures != NULL)
    facts->vision = interp_json_is_object (pictures) ? interp_json_get_bool (pictures, "supported", TRUE)
                                                     : interp_json_get_bool (pictures, NULL, TRUE);
}

static GPtrArray *
messages_parse_list (JsonNode *body)
{
  JsonNode *list = interp_json_get (body, "data");
  g_autoptr (GPtrArray) all = NULL;

  if (list == NULL || !interp_json_is_array (list))
    return NULL;

  all = g_ptr_array_new_with_free_func ((GDestroyNotify) interp_model_facts_free);
  for (guint i = 0; i < interp_json_get_length (list, NULL) && i < 20000; i++)
    {
      g_autofree char *path = g_strdup_printf ("%u", i);
      JsonNode *entry = interp_json_get (list, path);
      const char *id = interp_json_get_string (entry, "id");
      InterpModelFacts *facts;

      if (id == NULL || *id == '\0' || strlen (id) > 512)
        continue;

      facts = interp_model_facts_new (id);
      messages_parse_inspect (entry, facts);
      g_ptr_array_add (all, facts);
    }

  return g_steal_pointer (&all);
}

static InterpHttpRequest *
messages_build_inspect (InterpCodecContext *context, const char *model)
{
  g_autofree char *escaped = g_uri_escape_string (model, NULL, FALSE);
  g_autofree char *path = g_strconcat ("/models/", escaped, NULL);
  InterpHttpRequest *http = interp_http_request_new ("GET", interp_codec_make_url (context, VERSION, path), NULL);

  add_headers (context, http);

  return http;
}

const InterpCodec interp_codec_messages = {
  .name = "messages",
  .build = messages_build,
  .decoder_new = messages_decoder_new,
  .decoder_free = messages_decoder_free,
  .decode = interp_answer_reader_decode,
  .decode_end = interp_answer_reader_decode_end,
  .build_list = messages_build_list,
  .parse_list = messages_parse_list,
  .get_next_page = messages_get_next_page,
  .build_inspect = messages_build_inspect,
  .parse_inspect = messages_parse_inspect,
};
