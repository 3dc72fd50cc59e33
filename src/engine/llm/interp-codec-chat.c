/* interp-codec-chat.c: OpenAI Chat Completions, and the many servers that speak it
 *
 * Source: the OpenAI API reference ("Chat Completions", "Streaming"), the vendors' pages on their own deviations,
 * recorded answers. What is sent and how an answer is read; what differs by server is asked of the quirks.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm/interp-codec.h"

#include "base/interp-json.h"
#include "base/interp-text.h"
#include "llm/interp-address.h"
#include "llm/interp-answer-reader.h"
#include "llm/interp-history.h"
#include "llm/interp-replay.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* ---- sending ---- */

static char *
make_call_id (InterpCodecContext *context, const char *id)
{
  g_autofree char *sum = NULL;
  gsize length = strlen (id);
  gboolean fits = length == 9;

  if (!(context->quirks & INTERP_QUIRK_SHORT_CALL_IDS))
    return g_strdup (id);

  for (gsize i = 0; fits && i < length; i++)
    fits = g_ascii_isalnum (id[i]);
  if (fits)
    return g_strdup (id);

  sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, id, -1);

  return g_strndup (sum, 9);
}

static JsonNode *
build_picture (InterpCodecContext *context, InterpPicture *picture)
{
  g_autofree char *url = interp_codec_make_picture_url (picture);

  if (context->quirks & INTERP_QUIRK_PLAIN_PICTURES)
    return interp_json_object ("type", INTERP_JSON_STRING ("image_url"), "image_url", INTERP_JSON_STRING (url), NULL);

  return interp_json_object ("type", INTERP_JSON_STRING ("image_url"), "image_url",
                             INTERP_JSON_NODE (interp_json_object ("url", INTERP_JSON_STRING (url), NULL)), NULL);
}

static JsonNode *
build_user (InterpCodecContext *context, const char *text, GPtrArray *pictures)
{
  JsonNode *parts;

  /* Templates of text models fail on lists of parts: plain text stays a string. */
  if (pictures == NULL || pictures->len == 0)
    return interp_json_object ("role", INTERP_JSON_STRING ("user"), "content",
                               INTERP_JSON_STRING (text != NULL ? text : ""), NULL);

  parts = interp_json_array (INTERP_JSON_END);
  if (text != NULL && *text != '\0')
    interp_json_append (parts, interp_json_object ("type", INTERP_JSON_STRING ("text"), "text",
                                                   INTERP_JSON_STRING (text), NULL));
  for (guint i = 0; i < pictures->len; i++)
    interp_json_append (parts, build_picture (context, g_ptr_array_index (pictures, i)));

  return interp_json_object ("role", INTERP_JSON_STRING ("user"), "content", INTERP_JSON_NODE (parts), NULL);
}

static JsonNode *
build_assistant (InterpCodecContext *context, InterpMessage *message)
{
  gboolean has_calls = message->calls != NULL && message->calls->len > 0;
  gboolean has_text = message->text != NULL && *message->text != '\0';
  g_autoptr (JsonNode) opaque = interp_replay_parse (context, message);
  JsonNode *details = interp_json_get (opaque, "reasoning_details");
  JsonNode *extras = interp_json_get (opaque, "extra");
  JsonNode *object = interp_json_object ("role", INTERP_JSON_STRING ("assistant"), NULL);
  JsonNode *calls;

  if (has_text || !has_calls || (context->quirks & INTERP_QUIRK_EMPTY_CONTENT))
    interp_json_set (object, "content", json_node_init_string (json_node_alloc (), has_text ? message->text : ""));
  else
    interp_json_set (object, "content", json_node_new (JSON_NODE_NULL));

  if (context->quirks & INTERP_QUIRK_ECHO_REASONING)
    {
      const char *reasoning = interp_json_get_string (opaque, "reasoning_content");

      if (has_calls || reasoning != NULL)
        interp_json_set (object, "reasoning_content",
                         json_node_init_string (json_node_alloc (), reasoning != NULL ? reasoning : ""));
    }

  if (details != NULL)
    interp_json_set (object, "reasoning_details", json_node_copy (details));

  if (!has_calls)
    return object;

  calls = interp_json_array (INTERP_JSON_END);
  for (guint i = 0; i < message->calls->len; i++)
    {
      InterpCall *call = g_ptr_array_index (message->calls, i);
      g_autoptr (JsonNode) node = interp_history_get_arguments (call);
      g_autofree char *arguments = interp_json_to_string (node);
      g_autofree char *id = make_call_id (context, call->id);
      JsonNode *entry
          = interp_json_object ("id", INTERP_JSON_STRING (id), "type", INTERP_JSON_STRING ("function"), "function",
                                INTERP_JSON_NODE (interp_json_object ("name", INTERP_JSON_STRING (call->name),
                                                                      "arguments", INTERP_JSON_STRING (arguments),
                                                                      NULL)),
                                NULL);

      if (extras != NULL && interp_json_is_object (extras)
          && json_object_has_member (json_node_get_object (extras), call->id))
        interp_json_set (entry, "extra_content",
                         json_node_copy (json_object_get_member (json_node_get_object (extras), call->id)));

      interp_json_append (calls, entry);
    }
  interp_json_set (object, "tool_calls", calls);

  return object;
}

static void
append_bridge (InterpCodecContext *context, JsonNode *messages)
{
  if (context->quirks & INTERP_QUIRK_BRIDGE_USER)
    interp_json_append (messages, interp_json_object ("role", INTERP_JSON_STRING ("assistant"), "content",
                                                      INTERP_JSON_STRING ("I have the result."), NULL));
}

static JsonNode *
build_messages (InterpCodecContext *context, InterpRequest *request)
{
  g_autoptr (GPtrArray) history = interp_history_prepare (request);
  g_autoptr (GPtrArray) held = g_ptr_array_new (); /* tool results whose pictures wait */
  JsonNode *messages = interp_json_array (INTERP_JSON_END);
  gboolean after_tool = FALSE;

  if (request->system != NULL && *request->system != '\0')
    interp_json_append (messages,
                        interp_json_object ("role",
                                            INTERP_JSON_STRING (
                                                context->quirks & INTERP_QUIRK_DEVELOPER_ROLE ? "developer" : "system"),
                                            "content", INTERP_JSON_STRING (request->system), NULL));

  for (guint i = 0; i <= history->len; i++)
    {
      InterpMessage *message = i < history->len ? g_ptr_array_index (history, i) : NULL;

      if (message != NULL && message->role == INTERP_ROLE_TOOL)
        {
          g_autofree char *id = make_call_id (context, message->call_id);
          g_autofree char *text = NULL;

          if (message->pictures != NULL && message->pictures->len > 0)
            {
              text = g_strdup_printf ("%s\n(The pictures follow below.)", message->text);
              g_ptr_array_add (held, message);
            }

          interp_json_append (messages,
                              interp_json_object ("role", INTERP_JSON_STRING ("tool"), "tool_call_id",
                                                  INTERP_JSON_STRING (id), "content",
                                                  INTERP_JSON_STRING (text != NULL ? text : message->text), NULL));
          after_tool = TRUE;
          continue;
        }

      /* A tool result holds text only: its pictures come in a message of their own behind all results. */
      for (guint k = 0; k < held->len; k++)
        {
          InterpMessage *result = g_ptr_array_index (held, k);

          if (after_tool)
            append_bridge (context, messages);
          after_tool = FALSE;
          interp_json_append (messages, build_user (context, "Pictures that the code made:", result->pictures));
        }
      g_ptr_array_set_size (held, 0);

      if (message == NULL)
        break;

      if (message->role == INTERP_ROLE_USER)
        {
          if (after_tool)
            append_bridge (context, messages);
          interp_json_append (messages, build_user (context, message->text, message->pictures));
        }
      else
        {
          interp_json_append (messages, build_assistant (context, message));
        }
      after_tool = FALSE;
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
      JsonNode *schema = interp_codec_copy_schema (tool);

      interp_json_append (tools,
                          interp_json_object ("type", INTERP_JSON_STRING ("function"), "function",
                                              INTERP_JSON_NODE (
                                                  interp_json_object ("name", INTERP_JSON_STRING (tool->name),
                                                                      "description",
                                                                      INTERP_JSON_STRING (tool->description),
                                                                      "parameters", INTERP_JSON_NODE (schema), NULL)),
                                              NULL));
    }

  return tools;
}

static InterpHttpRequest *
chat_build (InterpCodecContext *context, InterpRequest *request)
{
  gboolean has_tools = request->tools->len > 0 && !request->text_mode;
  JsonNode *body = interp_json_object ("model", INTERP_JSON_STRING (request->model), "messages",
                                       INTERP_JSON_NODE (build_messages (context, request)), "stream",
                                       INTERP_JSON_BOOL (TRUE), NULL);
  InterpHttpRequest *http;

  if (!(context->quirks & INTERP_QUIRK_NO_STREAM_OPTIONS))
    interp_json_set (body, "stream_options", interp_json_object ("include_usage", INTERP_JSON_BOOL (TRUE), NULL));

  if (has_tools)
    interp_json_set (body, "tools", build_tools (request));

  if (has_tools && (context->quirks & INTERP_QUIRK_EFFORT_NONE))
    interp_json_set (body, "reasoning_effort", json_node_init_string (json_node_alloc (), "none"));

  if (!isnan (request->temperature) && !(context->quirks & INTERP_QUIRK_NO_TEMPERATURE))
    interp_json_set (body, "temperature", json_node_init_double (json_node_alloc (), request->temperature));

  if (request->max_tokens > 0 && !(context->quirks & INTERP_QUIRK_NO_MAX_TOKENS))
    interp_json_set (body, context->quirks & INTERP_QUIRK_COMPLETION_TOKENS ? "max_completion_tokens" : "max_tokens",
                     json_node_init_int (json_node_alloc (), request->max_tokens));

  http = interp_http_request_new ("POST", g_strconcat (context->base_url, "/chat/completions", NULL), body);
  interp_http_request_add_header (http, "Accept", "text/event-stream, application/json");
  interp_codec_authorize (context, http);

  return http;
}

/* ---- receiving ---- */

typedef struct
{
  InterpAnswerReader reader;
  GString *reasoning; /* all of it, to be echoed */
  JsonNode *details;  /* reasoning_details merged by index */
  JsonNode *extras;   /* call id → extra_content */
  char *finish_reason;
  gboolean refused;
} Decoder;

static void
add_text (Decoder *self, InterpEventKind kind, const char *text)
{
  interp_answer_reader_add_text (&self->reader, kind, text);
}

static void
add_reasoning (Decoder *self, const char *text)
{
  if (text == NULL || *text == '\0')
    return;

  if (self->reasoning->len < INTERP_ANSWER_MAX)
    g_string_append (self->reasoning, text);
  add_text (self, INTERP_EVENT_REASONING, text);
}

/* Mistral: content as parts, thinking among them. */
static void
read_parts (Decoder *self, JsonNode *parts)
{
  guint n = interp_json_get_length (parts, NULL);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *path = g_strdup_printf ("%u", i);
      JsonNode *part = interp_json_get (parts, path);
      const char *type = interp_json_get_string (part, "type");
      JsonNode *thinking = interp_json_get (part, "thinking");

      if (g_strcmp0 (type, "thinking") == 0 && interp_json_is_array (thinking))
        {
          for (guint k = 0; k < interp_json_get_length (thinking, NULL); k++)
            {
              g_autofree char *text_path = g_strdup_printf ("%u.text", k);

              add_reasoning (self, interp_json_get_string (thinking, text_path));
            }
        }
      else if (g_strcmp0 (type, "thinking") == 0)
        {
          add_reasoning (self, interp_json_get_string (thinking, NULL));
        }
      else
        {
          add_text (self, INTERP_EVENT_TEXT, interp_json_get_string (part, "text"));
        }
    }
}

/* OpenRouter: pieces of one entry share an index; text grows, a signature comes last and alone. */
static void
merge_details (Decoder *self, JsonNode *pieces)
{
  guint n = interp_json_get_length (pieces, NULL);

  if (self->details == NULL && n > 0)
    self->details = interp_json_array (INTERP_JSON_END);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *path = g_strdup_printf ("%u", i);
      JsonNode *piece = interp_json_get (pieces, path);
      gint64 index = interp_json_get_int (piece, "index", -1);
      JsonNode *entry = NULL;
      g_auto (GStrv) members = NULL;

      if (!interp_json_is_object (piece))
        continue;

      for (guint k = 0; index >= 0 && k < interp_json_get_length (self->details, NULL) && entry == NULL; k++)
        {
          g_autofree char *entry_path = g_strdup_printf ("%u", k);
          JsonNode *candidate = interp_json_get (self->details, entry_path);

          if (interp_json_get_int (candidate, "index", -1) == index
              && g_strcmp0 (interp_json_get_string (candidate, "type"), interp_json_get_string (piece, "type")) == 0)
            entry = candidate;
        }

      if (entry == NULL)
        {
          g_autofree char *text = NULL;

          if (interp_json_get_length (self->details, NULL) >= 256)
            continue;

          /* A copy of our own: the piece dies with its message. */
          text = interp_json_to_string (piece);
          interp_json_append (self->details, interp_json_parse (text, -1, INTERP_JSON_PARSE_NONE, NULL));
          continue;
        }

      members = interp_json_get_members (piece, NULL);
      for (gsize m = 0; members[m] != NULL; m++)
        {
          gboolean grows = g_str_equal (members[m], "text") || g_str_equal (members[m], "summary")
                           || g_str_equal (members[m], "data");
          const char *old = interp_json_get_string (entry, members[m]);
          const char *more = interp_json_get_string (piece, members[m]);

          if (grows && old != NULL && more != NULL)
            {
              g_autofree char *joined = g_strconcat (old, more, NULL);

              interp_json_set (entry, members[m], json_node_init_string (json_node_alloc (), joined));
            }
          else if (more != NULL)
            {
              interp_json_set (entry, members[m], json_node_init_string (json_node_alloc (), more));
            }
        }
    }
}

static void
read_calls (Decoder *self, JsonNode *calls)
{
  guint n = interp_json_get_length (calls, NULL);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *path = g_strdup_printf ("%u", i);
      JsonNode *piece = interp_json_get (calls, path);
      JsonNode *extra = interp_json_get (piece, "extra_content");
      const char *name = interp_json_get_string (piece, "function.name");
      JsonNode *arguments = interp_json_get (piece, "function.arguments");
      int number;

      if (!interp_json_is_object (piece))
        continue;

      if (name == NULL)
        name = interp_json_get_string (piece, "name");
      if (arguments == NULL)
        arguments = interp_json_get (piece, "arguments");

      number = interp_answer_reader_add_call (&self->reader, interp_json_get_int (piece, "index", -1),
                                              interp_json_get_string (piece, "id"), name, arguments);

      if (extra != NULL && interp_json_is_object (extra) && number >= 0)
        {
          const char *id = interp_call_assembler_get_id (self->reader.calls, number);
          g_autofree char *text = interp_json_to_string (extra);

          if (self->extras == NULL)
            self->extras = interp_json_object (NULL, NULL);
          if (id != NULL)
            interp_json_set (self->extras, id, interp_json_parse (text, -1, INTERP_JSON_PARSE_NONE, NULL));
        }
    }
}

static void
read_usage (Decoder *self, JsonNode *usage)
{
  gint64 cached;

  if (!interp_json_is_object (usage))
    return;

  self->reader.has_usage = TRUE;
  self->reader.usage.input_tokens = interp_json_get_int (usage, "prompt_tokens", self->reader.usage.input_tokens);
  self->reader.usage.output_tokens = interp_json_get_int (usage, "completion_tokens", self->reader.usage.output_tokens);
  cached = interp_json_get_int (usage, "prompt_tokens_details.cached_tokens", -1);
  if (cached < 0)
    cached = interp_json_get_int (usage, "prompt_cache_hit_tokens", -1);
  if (cached >= 0)
    self->reader.usage.cached_tokens = cached;
  self->reader.usage.reasoning_tokens
      = interp_json_get_int (usage, "completion_tokens_details.reasoning_tokens", self->reader.usage.reasoning_tokens);
}

static void
read_delta (Decoder *self, JsonNode *delta)
{
  JsonNode *content = interp_json_get (delta, "content");
  const char *reasoning = interp_json_get_string (delta, "reasoning_content");
  const char *refusal = interp_json_get_string (delta, "refusal");
  JsonNode *details = interp_json_get (delta, "reasoning_details");
  JsonNode *old_call = interp_json_get (delta, "function_call");

  /* Two names for one thing; the other is null or says the same. */
  if (reasoning == NULL || *reasoning == '\0')
    reasoning = interp_json_get_string (delta, "reasoning");

  add_reasoning (self, reasoning);

  if (interp_json_is_array (details))
    merge_details (self, details);

  if (content != NULL && interp_json_is_array (content))
    read_parts (self, content);
  else
    add_text (self, INTERP_EVENT_TEXT, interp_json_get_string (content, NULL));

  if (refusal != NULL && *refusal != '\0')
    {
      self->refused = TRUE;
      add_text (self, INTERP_EVENT_TEXT, refusal);
    }

  read_calls (self, interp_json_get (delta, "tool_calls"));

  if (old_call != NULL && interp_json_is_object (old_call))
    interp_answer_reader_add_call (&self->reader, 0, NULL, interp_json_get_string (old_call, "name"),
                                   interp_json_get (old_call, "arguments"));
}

static InterpDecodeResult
read_message (InterpAnswerReader *reader, const char *name, JsonNode *node, InterpRefusal **refusal)
{
  Decoder *self = (Decoder *) reader;
  JsonNode *error = interp_json_get (node, "error");
  guint n = interp_json_get_length (node, "choices");
  InterpRefusal *found;

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *path = g_strdup_printf ("choices.%u", i);
      JsonNode *choice = interp_json_get (node, path);
      JsonNode *delta = interp_json_get (choice, "delta");
      const char *reason = interp_json_get_string (choice, "finish_reason");

      if (!interp_json_is_object (choice) || interp_json_get_int (choice, "index", 0) != 0)
        continue;

      if (delta == NULL || !interp_json_is_object (delta))
        delta = interp_json_get (choice, "message");

      read_delta (self, delta);
      read_usage (self, interp_json_get (choice, "usage"));

      if (reason != NULL && *reason != '\0')
        {
          g_free (self->finish_reason);
          self->finish_reason = g_strdup (reason);
          reader->ending = TRUE;
        }

      if (error == NULL)
        error = interp_json_get (choice, "error");
    }

  read_usage (self, interp_json_get (node, "usage"));
  read_usage (self, interp_json_get (node, "x_groq.usage"));

  found = interp_refusal_from_node (node, FALSE);
  if (found == NULL && n > 0 && interp_json_is_object (error))
    {
      g_autoptr (JsonNode) wrapped = interp_json_object ("error", INTERP_JSON_NODE (json_node_copy (error)), NULL);

      found = interp_refusal_from_node (wrapped, TRUE);
    }

  if (found != NULL)
    {
      /* Nothing else than what this error says has ended the answer. */
      if (g_strcmp0 (self->finish_reason, "error") == 0)
        reader->ending = FALSE;

      return interp_answer_reader_refuse (reader, found, refusal);
    }

  if (g_strcmp0 (self->finish_reason, "error") == 0)
    {
      *refusal = interp_refusal_new (502, _ ("The model's host reported an error."));
      return INTERP_DECODE_REFUSED;
    }

  if (g_strcmp0 (self->finish_reason, "insufficient_system_resource") == 0)
    {
      *refusal = interp_refusal_new (503, _ ("There are not enough resources to finish the answer."));
      return INTERP_DECODE_REFUSED;
    }

  return reader->ending ? INTERP_DECODE_ENDING : INTERP_DECODE_MORE;
}

static JsonNode *
make_opaque (InterpAnswerReader *reader)
{
  Decoder *self = (Decoder *) reader;
  g_autoptr (JsonNode) object = interp_json_object (NULL, NULL);

  if (self->reasoning->len > 0 && (reader->context->quirks & INTERP_QUIRK_ECHO_REASONING))
    interp_json_set (object, "reasoning_content", json_node_init_string (json_node_alloc (), self->reasoning->str));
  if (self->details != NULL)
    interp_json_set (object, "reasoning_details", json_node_copy (self->details));
  if (self->extras != NULL)
    interp_json_set (object, "extra", json_node_copy (self->extras));

  return json_object_get_size (json_node_get_object (object)) > 0 ? g_steal_pointer (&object) : NULL;
}

static InterpFinish
get_finish (InterpAnswerReader *reader)
{
  Decoder *self = (Decoder *) reader;
  const char *reason = self->finish_reason != NULL ? self->finish_reason : "stop";

  if (g_str_equal (reason, "length") || g_str_equal (reason, "model_length") || g_str_equal (reason, "max_tokens"))
    return INTERP_FINISH_LENGTH;
  if (self->refused || g_str_equal (reason, "content_filter") || g_str_equal (reason, "refusal"))
    return INTERP_FINISH_REFUSED;

  return INTERP_FINISH_END;
}

static gpointer
chat_decoder_new (InterpCodecContext *context, InterpRequest *request, const char *content_type, InterpEventSink sink,
                  gpointer sink_data)
{
  static const InterpAnswerReaderFuncs funcs
      = { .read = read_message, .get_finish = get_finish, .make_opaque = make_opaque };
  Decoder *self = g_new0 (Decoder, 1);

  interp_answer_reader_init (&self->reader, &funcs, context, request, content_type, sink, sink_data);
  self->reasoning = g_string_new (NULL);

  return self;
}

static void
chat_decoder_free (gpointer decoder)
{
  Decoder *self = decoder;

  interp_answer_reader_clear (&self->reader);
  g_string_free (self->reasoning, TRUE);
  g_clear_pointer (&self->details, json_node_unref);
  g_clear_pointer (&self->extras, json_node_unref);
  g_free (self->finish_reason);
  g_free (self);
}

/* ---- models ---- */

static InterpHttpRequest *
chat_build_list (InterpCodecContext *context, const char *page)
{
  InterpHttpRequest *http = interp_http_request_new ("GET", g_strconcat (context->base_url, "/models", NULL), NULL);

  interp_codec_authorize (context, http);

  return http;
}

static gboolean
list_contains (JsonNode *node, const char *path, const char *word)
{
  JsonNode *list = interp_json_get (node, path);
  guint n = interp_json_get_length (list, NULL);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *item = g_strdup_printf ("%u", i);

      if (g_strcmp0 (interp_json_get_string (list, item), word) == 0)
        return TRUE;
    }

  return FALSE;
}

static int
get_tristate (JsonNode *node, const char *path)
{
  JsonNode *value = interp_json_get (node, path);

  if (value == NULL || !JSON_NODE_HOLDS_VALUE (value))
    return -1;

  return interp_json_get_bool (node, path, FALSE);
}

/* By their names only: lists do not say what a model is for. */
static gboolean
is_for_chat (const char *id)
{
  static const char *others[]
      = { "embed",   "whisper", "-tts",      "tts-",     "dall-e", "moderation",    "rerank",  "transcribe",
          "-image-", "-image",  "gpt-image", "realtime", "sora",   "-audio",        "babbage", "davinci",
          "veo-",    "imagen",  "-guard",    "speech",   "bge-",   "search-preview" };
  g_autofree char *lower = g_ascii_strdown (id, -1);

  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    if (strstr (lower, others[i]) != NULL)
      return FALSE;

  return TRUE;
}

static void
read_entry (JsonNode *entry, InterpModelFacts *facts)
{
  static const char *windows[] = { "loaded_context_length", "meta.n_ctx",         "context_length",  "context_window",
                                   "max_model_len",         "max_context_length", "meta.n_ctx_train" };

  for (gsize i = 0; i < G_N_ELEMENTS (windows) && facts->context_window <= 0; i++)
    facts->context_window = MAX (0, interp_json_get_int (entry, windows[i], 0));

  facts->train_window = MAX (0, interp_json_get_int (entry, "meta.n_ctx_train", 0));
  facts->size = MAX (0, interp_json_get_int (entry, "meta.size", 0));

  if (interp_json_is_array (interp_json_get (entry, "supported_parameters")))
    {
      facts->tools = list_contains (entry, "supported_parameters", "tools");
      facts->thinking = list_contains (entry, "supported_parameters", "reasoning");
    }
  else if (get_tristate (entry, "capabilities.function_calling") >= 0)
    facts->tools = get_tristate (entry, "capabilities.function_calling");
  else if (interp_json_is_array (interp_json_get (entry, "capabilities")))
    facts->tools = list_contains (entry, "capabilities", "tool_use") ? 1 : -1;

  if (interp_json_is_array (interp_json_get (entry, "architecture.input_modalities")))
    facts->vision = list_contains (entry, "architecture.input_modalities", "image");
  else if (get_tristate (entry, "capabilities.vision") >= 0)
    facts->vision = get_tristate (entry, "capabilities.vision");
  else if (g_strcmp0 (interp_json_get_string (entry, "type"), "vlm") == 0)
    facts->vision = 1;

  if (get_tristate (entry, "capabilities.completion_chat") >= 0)
    facts->chat = get_tristate (entry, "capabilities.completion_chat");
  else if (g_strcmp0 (interp_json_get_string (entry, "type"), "embeddings") == 0 || get_tristate (entry, "active") == 0)
    facts->chat = 0;
  else
    facts->chat = is_for_chat (facts->name);
}

static GPtrArray *
chat_parse_list (JsonNode *body)
{
  JsonNode *list = interp_json_is_array (body) ? body : interp_json_get (body, "data");
  g_autoptr (GPtrArray) all = NULL;
  guint n;

  if (list == NULL || !interp_json_is_array (list))
    list = interp_json_get (body, "models");

  if (list == NULL || !interp_json_is_array (list))
    return NULL;

  all = g_ptr_array_new_with_free_func ((GDestroyNotify) interp_model_facts_free);
  n = interp_json_get_length (list, NULL);

  for (guint i = 0; i < n && i < 20000; i++)
    {
      g_autofree char *path = g_strdup_printf ("%u", i);
      JsonNode *entry = interp_json_get (list, path);
      const char *id = interp_json_get_string (entry, "id");
      InterpModelFacts *facts;

      if (id == NULL)
        id = interp_json_get_string (entry, "name");
      if (id == NULL || *id == '\0' || strlen (id) > 512)
        continue;

      /* Gemini's compatible list. */
      if (g_str_has_prefix (id, "models/"))
        id += strlen ("models/");

      facts = interp_model_facts_new (id);
      read_entry (entry, facts);
      g_ptr_array_add (all, facts);
    }

  return g_steal_pointer (&all);
}

static InterpHttpRequest *
chat_build_inspect (InterpCodecContext *context, const char *model)
{
  const char *path = interp_profile_get_details (context->profile);
  InterpHttpRequest *http;

  if (path == NULL)
    return NULL;

  http = interp_http_request_new ("GET", interp_address_at_host (context->base_url, path), NULL);
  interp_codec_authorize (context, http);

  return http;
}

static void
chat_parse_inspect (JsonNode *body, InterpModelFacts *facts)
{
  gint64 slot = interp_json_get_int (body, "default_generation_settings.n_ctx", 0);
  guint n = interp_json_get_length (body, "data");

  /* llama.cpp's /props: one model, the window of one slot. */
  if (slot > 0)
    facts->context_window = slot;
  if (get_tristate (body, "chat_template_caps.supports_tools") >= 0)
    facts->tools = get_tristate (body, "chat_template_caps.supports_tools");
  if (get_tristate (body, "modalities.vision") >= 0)
    facts->vision = get_tristate (body, "modalities.vision");

  /* LM Studio's /api/v0/models. */
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *path = g_strdup_printf ("data.%u", i);
      JsonNode *entry = interp_json_get (body, path);

      if (g_strcmp0 (interp_json_get_string (entry, "id"), facts->name) == 0)
        read_entry (entry, facts);
    }
}

const InterpCodec interp_codec_chat = {
  .name = "chat",
  .build = chat_build,
  .decoder_new = chat_decoder_new,
  .decoder_free = chat_decoder_free,
  .decode = interp_answer_reader_decode,
  .decode_end = interp_answer_reader_decode_end,
  .build_list = chat_build_list,
  .parse_list = chat_parse_list,
  .build_inspect = chat_build_inspect,
  .parse_inspect = chat_parse_inspect,
};
