/* interp-codec-ollama.c: Ollama's own API
 *
 * Its OpenAI-compatible door takes no num_ctx and swallows errors in mid-answer, so the native one is used. Source:
 * Ollama's API documentation and server (routes, api/types).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm/interp-codec.h"
#include "llm/interp-event-text.h"

#include "base/interp-json.h"
#include "base/interp-splitter.h"
#include "llm/interp-address.h"
#include "llm/interp-call-assembler.h"
#include "llm/interp-answer-reader.h"
#include "llm/interp-history.h"
#include "llm/interp-replay.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* Sent when nothing is known. Ollama's own default may be 4096, which drops the beginning of a conversation
 * silently. */
#define DEFAULT_WINDOW 8192

/* Bytes a token, at the very least, in text of any kind that is mostly words or code. */
#define BYTES_PER_TOKEN 4

/* ---- sending ---- */

static void
add_pictures (JsonNode *object, GPtrArray *pictures)
{
  JsonNode *images;

  if (pictures == NULL || pictures->len == 0)
    return;

  images = interp_json_array (INTERP_JSON_END);
  for (guint i = 0; i < pictures->len; i++)
    {
      InterpPicture *picture = g_ptr_array_index (pictures, i);
      g_autofree char *base64 = interp_codec_encode_picture (picture);

      interp_json_append (images, json_node_init_string (json_node_alloc (), base64));
    }
  interp_json_set (object, "images", images);
}

static JsonNode *
build_message (InterpCodecContext *context, InterpMessage *message)
{
  static const char *roles[] = { "user", "assistant", "tool" };
  gboolean has_calls = message->calls != NULL && message->calls->len > 0;
  JsonNode *object = interp_json_object ("role", INTERP_JSON_STRING (roles[message->role]), "content",
                                         INTERP_JSON_STRING (message->text != NULL ? message->text : ""), NULL);

  add_pictures (object, message->pictures);

  if (message->role == INTERP_ROLE_TOOL)
    {
      interp_json_set (object, "tool_name", json_node_init_string (json_node_alloc (), message->call_name));
      interp_json_set (object, "tool_call_id", json_node_init_string (json_node_alloc (), message->call_id));
    }

  if (has_calls)
    {
      JsonNode *calls = interp_json_array (INTERP_JSON_END);

      /* Thinking models want what they thought before a call: they themselves, not others. */
      g_autoptr (JsonNode) own = interp_replay_parse (context, message);
      const char *thinking = interp_json_get_string (own, "thinking");

      if (thinking != NULL)
        interp_json_set (object, "thinking", json_node_init_string (json_node_alloc (), thinking));

      for (guint i = 0; i < message->calls->len; i++)
        {
          InterpCall *call = g_ptr_array_index (message->calls, i);

          interp_json_append (calls,
                              interp_json_object ("id", INTERP_JSON_STRING (call->id), "function",
                                                  INTERP_JSON_NODE (
                                                      interp_json_object ("index", INTERP_JSON_INT (i), "name",
                                                                          INTERP_JSON_STRING (call->name), "arguments",
                                                                          INTERP_JSON_NODE (
                                                                              interp_history_get_arguments (call)),
                                                                          NULL)),
                                                  NULL));
        }
      interp_json_set (object, "tool_calls", calls);
    }

  return object;
}

static gint64
get_window (InterpRequest *request)
{
  return request->context_window > 0 ? request->context_window : DEFAULT_WINDOW;
}

static InterpHttpRequest *
ollama_build (InterpCodecContext *context, InterpRequest *request)
{
  g_autoptr (GPtrArray) history = interp_history_prepare (request);
  JsonNode *messages = interp_json_array (INTERP_JSON_END);
  JsonNode *options = interp_json_object ("num_ctx", INTERP_JSON_INT (get_window (request)), NULL);
  JsonNode *body;
  InterpHttpRequest *http;

  if (request->system != NULL && *request->system != '\0')
    interp_json_append (messages, interp_json_object ("role", INTERP_JSON_STRING ("system"), "content",
                                                      INTERP_JSON_STRING (request->system), NULL));

  for (guint i = 0; i < history->len; i++)
    interp_json_append (messages, build_message (context, g_ptr_array_index (history, i)));

  if (request->max_tokens > 0)
    interp_json_set (options, "num_predict", json_node_init_int (json_node_alloc (), request->max_tokens));
  if (!isnan (request->temperature) && !(context->quirks & INTERP_QUIRK_NO_TEMPERATURE))
    interp_json_set (options, "temperature", json_node_init_double (json_node_alloc (), request->temperature));

  /* A prompt that does not fit is an error to be told, not to be cut silently; servers that do not know these ignore
   * them. */
  body = interp_json_object ("model", INTERP_JSON_STRING (request->model), "messages", INTERP_JSON_NODE (messages),
                             "stream", INTERP_JSON_BOOL (TRUE), "options", INTERP_JSON_NODE (options), "truncate",
                             INTERP_JSON_BOOL (FALSE), "shift", INTERP_JSON_BOOL (FALSE), NULL);

  if (request->tools->len > 0 && !request->text_mode)
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
                                                                          "parameters", INTERP_JSON_NODE (schema),
                                                                          NULL)),
                                                  NULL));
        }
      interp_json_set (body, "tools", tools);
    }

  http = interp_http_request_new ("POST", g_strconcat (context->base_url, "/api/chat", NULL), body);
  interp_http_request_add_header (http, "Accept", "application/x-ndjson");
  interp_codec_authorize (context, http);

  return http;
}

/* ---- receiving ---- */

typedef struct
{
  InterpEventSink sink;
  gpointer sink_data;
  InterpLineSplitter *lines;
  InterpCallAssembler *calls;
  InterpEventText pending; /* of this read */
  char *opaque_tag;
  GString *thoughts;
  GString *foreign; /* lines that are not JSON: an error page, or a document printed over many lines */
  gint64 window;
  gsize prompt_bytes;
  gint64 next_index;
  gboolean any_content;
  gboolean finished;
} Decoder;

static gsize
estimate_bytes (InterpRequest *request)
{
  gsize bytes = request->system != NULL ? strlen (request->system) : 0;

  for (guint i = 0; i < request->messages->len; i++)
    {
      InterpMessage *message = g_ptr_array_index (request->messages, i);

      bytes += message->text != NULL ? strlen (message->text) : 0;
      for (guint k = 0; message->calls != NULL && k < message->calls->len; k++)
        {
          InterpCall *call = g_ptr_array_index (message->calls, k);

          bytes += call->code != NULL ? strlen (call->code) : call->arguments != NULL ? strlen (call->arguments) : 0;
        }
    }

  return bytes;
}

static gpointer
ollama_decoder_new (InterpCodecContext *context, InterpRequest *request, const char *content_type, InterpEventSink sink,
                    gpointer sink_data)
{
  Decoder *self = g_new0 (Decoder, 1);
  g_autoptr (InterpOffer) offer = interp_offer_new (request);

  self->sink = sink;
  self->sink_data = sink_data;
  self->opaque_tag = g_strdup (context->opaque_tag);
  self->thoughts = g_string_new (NULL);
  self->lines = interp_line_splitter_new (INTERP_SPLITTER_MAX);
  self->calls = interp_call_assembler_new (offer, sink, sink_data);
  interp_event_text_init (&self->pending, sink, sink_data);
  self->foreign = g_string_new (NULL);
  self->window = get_window (request);
  self->prompt_bytes = estimate_bytes (request);

  return self;
}

static void
ollama_decoder_free (gpointer decoder)
{
  Decoder *self = decoder;

  interp_line_splitter_free (self->lines);
  interp_call_assembler_free (self->calls);
  interp_event_text_clear (&self->pending);
  g_string_free (self->foreign, TRUE);
  g_string_free (self->thoughts, TRUE);
  g_free (self->opaque_tag);
  g_free (self);
}

static void
add_text (Decoder *self, InterpEventKind kind, const char *text)
{
  if (text == NULL || *text == '\0')
    return;

  /* What was called before it begins before it, also when both came in one read. */
  interp_call_assembler_flush (self->calls);
  interp_event_text_add (&self->pending, kind, text);
  self->any_content = TRUE;
}

static void
read_calls (Decoder *self, JsonNode *calls)
{
  guint n = interp_json_get_length (calls, NULL);

  if (n > 0)
    {
      interp_event_text_flush (&self->pending);
      self->any_content = TRUE;
    }

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *path = g_strdup_printf ("%u", i);
      JsonNode *call = interp_json_get (calls, path);

      /* Calls come whole, and their index starts again in every line of some versions: each is a new one. */
      interp_call_assembler_push (self->calls, self->next_index++, interp_json_get_string (call, "id"),
                                  interp_json_get_string (call, "function.name"),
                                  interp_json_get (call, "function.arguments"));
    }
}

/* Ollama drops the front of a prompt that does not fit, keeps about half the window, and says nothing. */
static void
warn_if_cut (Decoder *self, gint64 n_evaluated)
{
  gint64 estimate = self->prompt_bytes / BYTES_PER_TOKEN;
  gboolean half = ABS (n_evaluated - self->window / 2) <= 8;
  g_autofree char *text = NULL;

  if (n_evaluated <= 0)
    return;

  if (!(half && estimate > n_evaluated + n_evaluated / 4) && !(estimate > 512 && estimate > 2 * n_evaluated))
    return;

  text = g_strdup_printf (_ ("Ollama read only %lld tokens of about %lld: the beginning of the conversation was cut "
                             "off. "
                             "A larger context window helps."),
                          (long long) n_evaluated, (long long) estimate);
  self->sink (interp_event_new_text (INTERP_EVENT_WARNING, text), self->sink_data);
}

static void
keep_thoughts (Decoder *self)
{
  g_autoptr (JsonNode) node = interp_json_object ("thinking", INTERP_JSON_STRING (self->thoughts->str), NULL);
  char *text = interp_json_to_string (node);
  InterpEvent *event = interp_event_new_text (INTERP_EVENT_OPAQUE, self->opaque_tag);

  event->opaque = g_bytes_new_take (text, strlen (text));
  self->sink (event, self->sink_data);
}

static InterpDecodeResult
finish (Decoder *self, JsonNode *node)
{
  const char *reason = interp_json_get_string (node, "done_reason");
  gboolean cut = g_strcmp0 (reason, "length") == 0;
  gint64 n_prompt = interp_json_get_int (node, "prompt_eval_count", -1);
  InterpEvent *event;
  guint n_calls;

  self->finished = TRUE;
  interp_event_text_flush (&self->pending);
  /* A call is given out by the server once it is whole. */
  n_calls = interp_call_assembler_finish (self->calls, FALSE);

  warn_if_cut (self, n_prompt);
  if (n_calls > 0 && self->thoughts->len > 0)
    keep_thoughts (self);

  event = interp_event_new (INTERP_EVENT_USAGE);
  event->usage.input_tokens = n_prompt;
  event->usage.output_tokens = interp_json_get_int (node, "eval_count", -1);
  self->sink (event, self->sink_data);

  event = interp_event_new (INTERP_EVENT_FINISH);
  event->finish = cut ? INTERP_FINISH_LENGTH : n_calls > 0 ? INTERP_FINISH_CALLS : INTERP_FINISH_END;
  self->sink (event, self->sink_data);

  return INTERP_DECODE_DONE;
}

static void
keep_thought (Decoder *self, const char *text)
{
  if (text != NULL && self->thoughts->len < INTERP_ANSWER_MAX)
    g_string_append (self->thoughts, text);
}

static InterpDecodeResult
read_line (Decoder *self, const char *line, gsize length, guint *n_payloads, InterpRefusal **refusal)
{
  g_autoptr (JsonNode) node = NULL;
  InterpRefusal *found;

  while (length > 0 && (g_ascii_isspace (*line) || g_str_has_prefix (line, "\xef\xbb\xbf")))
    {
      gsize skip = g_ascii_isspace (*line) ? 1 : 3;

      line += skip;
      length -= MIN (skip, length);
    }

  if (length == 0)
    return INTERP_DECODE_MORE;

  node = interp_json_parse (line, length, INTERP_JSON_PARSE_NONE, NULL);
  found = interp_refusal_from_node (node, FALSE);
  if (found != NULL)
    {
      (*n_payloads)++;
      *refusal = found;
      return INTERP_DECODE_REFUSED;
    }

  if (node == NULL || !interp_json_is_object (node))
    {
      if (self->foreign->len < 65536)
        {
          g_string_append_len (self->foreign, line, length);
          g_string_append_c (self->foreign, '\n');
        }

      /* In the middle of an answer such a line is a fault; before it, it may be a page or a printed document. */
      if (!self->any_content)
        return INTERP_DECODE_MORE;

      *refusal = interp_refusal_new (0, _ ("It sent something that is not JSON."));
      return INTERP_DECODE_BROKEN;
    }

  (*n_payloads)++;
  keep_thought (self, interp_json_get_string (node, "message.thinking"));
  add_text (self, INTERP_EVENT_REASONING, interp_json_get_string (node, "message.thinking"));
  add_text (self, INTERP_EVENT_TEXT, interp_json_get_string (node, "message.content"));
  read_calls (self, interp_json_get (node, "message.tool_calls"));

  if (interp_json_get_bool (node, "done", FALSE))
    {
      /* "load": the model was loaded and nothing was asked. */
      return finish (self, node);
    }

  return INTERP_DECODE_MORE;
}

static InterpDecodeResult
ollama_decode (gpointer decoder, const char *bytes, gsize length, guint *n_payloads, InterpRefusal **refusal)
{
  Decoder *self = decoder;
  InterpDecodeResult result = INTERP_DECODE_MORE;

  if (self->finished)
    return INTERP_DECODE_DONE;

  interp_line_splitter_push (self->lines, bytes, length);

  while (result == INTERP_DECODE_MORE)
    {
      gsize line_length = 0;
      g_autofree char *line = interp_line_splitter_next (self->lines, &line_length);

      if (line == NULL)
        break;

      result = read_line (self, line, line_length, n_payloads, refusal);
    }

  if (result == INTERP_DECODE_DONE)
    return result;

  interp_event_text_flush (&self->pending);
  interp_call_assembler_flush (self->calls);

  if (result == INTERP_DECODE_MORE && interp_line_splitter_overflowed (self->lines))
    {
      *refusal = interp_refusal_new (0, _ ("It sent a message that is too long."));
      return INTERP_DECODE_BROKEN;
    }

  return result;
}

static InterpDecodeResult
ollama_decode_end (gpointer decoder, InterpRefusal **refusal)
{
  Decoder *self = decoder;
  InterpDecodeResult result = INTERP_DECODE_MORE;
  g_autofree char *line = NULL;
  gsize length = 0;
  guint n_payloads = 0;

  if (self->finished)
    return INTERP_DECODE_DONE;

  line = interp_line_splitter_finish (self->lines, &length);
  if (line != NULL)
    result = read_line (self, line, length, &n_payloads, refusal);

  if (result != INTERP_DECODE_MORE)
    {
      interp_event_text_flush (&self->pending);
      return result;
    }

  interp_event_text_flush (&self->pending);

  if (self->foreign->len > 0)
    {
      g_autoptr (JsonNode) node = interp_json_parse (self->foreign->str, -1, INTERP_JSON_PARSE_NONE, NULL);

      if (node != NULL && (*refusal = interp_refusal_from_node (node, TRUE)) != NULL)
        return INTERP_DECODE_REFUSED;

      {
        g_autoptr (InterpRefusal) page
            = interp_refusal_from_response (0, NULL, NULL, self->foreign->str, self->foreign->len);
        g_autofree char *words = g_strdup_printf (_ ("This is not the answer of a model: %s"), page->message);

        *refusal = interp_refusal_new (0, words);
      }
      return INTERP_DECODE_BROKEN;
    }

  *refusal = interp_refusal_new (0, self->any_content ? _ ("The connection ended before the answer did.")
                                                      : _ ("The answer was empty."));
  return INTERP_DECODE_BROKEN;
}

/* ---- models ---- */

static InterpHttpRequest *
ollama_build_list (InterpCodecContext *context, const char *page)
{
  InterpHttpRequest *http = interp_http_request_new ("GET", g_strconcat (context->base_url, "/api/tags", NULL), NULL);

  interp_codec_authorize (context, http);

  return http;
}

static gboolean
has_capability (JsonNode *node, const char *word)
{
  guint n = interp_json_get_length (node, "capabilities");

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *path = g_strdup_printf ("capabilities.%u", i);

      if (g_strcmp0 (interp_json_get_string (node, path), word) == 0)
        return TRUE;
    }

  return FALSE;
}

static void
read_capabilities (JsonNode *node, InterpModelFacts *facts)
{
  if (interp_json_get_length (node, "capabilities") == 0)
    return;

  facts->tools = has_capability (node, "tools");
  facts->vision = has_capability (node, "vision");
  facts->thinking = has_capability (node, "thinking");
  facts->chat = has_capability (node, "completion");
}

static GPtrArray *
ollama_parse_list (JsonNode *body)
{
  JsonNode *list = interp_json_get (body, "models");
  g_autoptr (GPtrArray) all = NULL;
  guint n;

  if (list == NULL || !(interp_json_is_array (list) || JSON_NODE_HOLDS_NULL (list)))
    return NULL;

  all = g_ptr_array_new_with_free_func ((GDestroyNotify) interp_model_facts_free);
  n = interp_json_get_length (list, NULL);

  for (guint i = 0; i < n && i < 20000; i++)
    {
      g_autofree char *path = g_strdup_printf ("%u", i);
      JsonNode *entry = interp_json_get (list, path);
      const char *name = interp_json_get_string (entry, "name");
      const char *family = interp_json_get_string (entry, "details.family");
      InterpModelFacts *facts;

      if (name == NULL)
        name = interp_json_get_string (entry, "model");
      if (name == NULL || *name == '\0' || strlen (name) > 512)
        continue;

      facts = interp_model_facts_new (name);
      facts->size = MAX (0, interp_json_get_int (entry, "size", 0));
      facts->train_window = MAX (0, interp_json_get_int (entry, "details.context_length", 0));
      read_capabilities (entry, facts);
      if (facts->chat < 0
          && (g_strcmp0 (family, "bert") == 0 || g_strcmp0 (family, "nomic-bert") == 0
              || strstr (name, "embed") != NULL))
        facts->chat = 0;
      g_ptr_array_add (all, facts);
    }

  return g_steal_pointer (&all);
}

static InterpHttpRequest *
ollama_build_inspect (InterpCodecContext *context, const char *model)
{
  InterpHttpRequest *http = interp_http_request_new ("POST", g_strconcat (context->base_url, "/api/show", NULL),
                                                     interp_json_object ("model", INTERP_JSON_STRING (model), NULL));

  interp_codec_authorize (context, http);

  return http;
}

/* "num_ctx                        8192" among the lines of the model file's parameters. */
static gint64
read_parameter (const char *parameters, const char *name)
{
  g_auto (GStrv) lines = g_strsplit (parameters != NULL ? parameters : "", "\n", 512);

  for (gsize i = 0; lines[i] != NULL; i++)
    {
      char *line = g_strstrip (lines[i]);

      if (g_str_has_prefix (line, name) && g_ascii_isspace (line[strlen (name)]))
        return g_ascii_strtoll (line + strlen (name), NULL, 10);
    }

  return 0;
}

static void
ollama_parse_inspect (JsonNode *body, InterpModelFacts *facts)
{
  JsonNode *info = interp_json_get (body, "model_info");
  gint64 window = read_parameter (interp_json_get_string (body, "parameters"), "num_ctx");

  read_capabilities (body, facts);

  /* The member names hold dots themselves. */
  if (info != NULL && interp_json_is_object (info))
    {
      JsonObject *object = json_node_get_object (info);
      JsonNode *architecture = json_object_get_member (object, "general.architecture");
      const char *name = interp_json_get_string (architecture, NULL);

      if (name != NULL)
        {
          g_autofree char *member = g_strdup_printf ("%s.context_length", name);
          JsonNode *length = json_object_get_member (object, member);

          facts->train_window = MAX (0, interp_json_get_int (length, NULL, 0));
        }
    }

  if (window > 0)
    facts->context_window = window;
}

static InterpHttpRequest *
ollama_build_loaded (InterpCodecContext *context)
{
  InterpHttpRequest *http = interp_http_request_new ("GET", g_strconcat (context->base_url, "/api/ps", NULL), NULL);

  interp_codec_authorize (context, http);

  return http;
}

static gboolean
ollama_parse_loaded (JsonNode *body, const char *model)
{
  guint n = interp_json_get_length (body, "models");

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name_path = g_strdup_printf ("models.%u.name", i);
      g_autofree char *model_path = g_strdup_printf ("models.%u.model", i);
      const char *name = interp_json_get_string (body, name_path);

      if (name == NULL)
        name = interp_json_get_string (body, model_path);
      if (name == NULL)
        continue;

      if (g_str_equal (name, model)
          || (g_str_has_suffix (name, ":latest") && strlen (model) == strlen (name) - strlen (":latest")
              && g_str_has_prefix (name, model)))
        return TRUE;
    }

  return FALSE;
}

const InterpCodec interp_codec_ollama = {
  .name = "ollama",
  .build = ollama_build,
  .decoder_new = ollama_decoder_new,
  .decoder_free = ollama_decoder_free,
  .decode = ollama_decode,
  .decode_end = ollama_decode_end,
  .build_list = ollama_build_list,
  .parse_list = ollama_parse_list,
  .build_inspect = ollama_build_inspect,
  .parse_inspect = ollama_parse_inspect,
  .build_loaded = ollama_build_loaded,
  .parse_loaded = ollama_parse_loaded,
};
