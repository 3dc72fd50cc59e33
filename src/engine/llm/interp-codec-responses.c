/* interp-codec-responses.c: OpenAI's Responses
 *
 * Source: the OpenAI API reference ("Responses", "Streaming events", "Reasoning") and the types of its SDK. Nothing is
 * stored at the server: all of the conversation is sent each time, with the thinking in the encrypted form in which it
 * came.
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

#define MAX_ITEMS 1024

/* ---- sending ---- */

static JsonNode *
make_part (const char *type, const char *member, const char *text)
{
  return interp_json_object ("type", INTERP_JSON_STRING (type), member, INTERP_JSON_STRING (text), NULL);
}

/* Words alone are a string. */
static JsonNode *
build_content (const char *text, GPtrArray *pictures)
{
  JsonNode *parts;

  if (pictures == NULL || pictures->len == 0)
    return json_node_init_string (json_node_alloc (), text != NULL ? text : "");

  parts = interp_json_array (INTERP_JSON_END);
  if (text != NULL && *text != '\0')
    interp_json_append (parts, make_part ("input_text", "text", text));
  for (guint i = 0; i < pictures->len; i++)
    {
      g_autofree char *url = interp_codec_make_picture_url (g_ptr_array_index (pictures, i));

      interp_json_append (parts, make_part ("input_image", "image_url", url));
    }

  return parts;
}

static void
append_turn (InterpCodecContext *context, JsonNode *input, InterpMessage *message)
{
  gboolean exact;
  g_autoptr (GPtrArray) plan = interp_replay_plan (context, message, &exact);

  for (guint i = 0; i < plan->len; i++)
    {
      InterpReplayStep *step = g_ptr_array_index (plan, i);
      /* What was thought belongs to the item behind it, by its id: all of it goes back, or nothing. */
      const char *id = exact ? interp_json_get_string (step->entry, "id") : NULL;
      JsonNode *item;

      if (step->call != NULL)
        {
          g_autofree char *call_id = interp_codec_make_call_id (step->call->id);
          g_autoptr (JsonNode) node = interp_history_get_arguments (step->call);
          g_autofree char *arguments = interp_json_to_string (node);

          item = interp_json_object ("type", INTERP_JSON_STRING ("function_call"), "id", INTERP_JSON_STRING (id),
                                     "call_id", INTERP_JSON_STRING (call_id), "name",
                                     INTERP_JSON_STRING (step->call->name), "arguments", INTERP_JSON_STRING (arguments),
                                     NULL);
        }
      else if (step->text != NULL)
        {
          const char *phase = exact ? interp_json_get_string (step->entry, "phase") : NULL;
          JsonNode *parts
              = interp_json_array (INTERP_JSON_NODE (make_part ("output_text", "text", step->text)), INTERP_JSON_END);

          item = interp_json_object ("type", INTERP_JSON_STRING ("message"), "id", INTERP_JSON_STRING (id), "role",
                                     INTERP_JSON_STRING ("assistant"), "phase", INTERP_JSON_STRING (phase), "content",
                                     INTERP_JSON_NODE (parts), NULL);
        }
      else if (exact)
        {
          item = json_node_copy (interp_json_get (step->entry, "own"));
        }
      else
        {
          continue;
        }

      interp_json_append (input, item);
    }
}

static JsonNode *
build_input (InterpCodecContext *context, InterpRequest *request)
{
  g_autoptr (GPtrArray) history = interp_history_prepare (request);
  JsonNode *input = interp_json_array (INTERP_JSON_END);

  for (guint i = 0; i < history->len; i++)
    {
      InterpMessage *message = g_ptr_array_index (history, i);
      JsonNode *content;

      if (message->role == INTERP_ROLE_ASSISTANT)
        {
          append_turn (context, input, message);
          continue;
        }

      content = build_content (message->text, message->pictures);
      if (message->role == INTERP_ROLE_TOOL)
        {
          g_autofree char *call_id = interp_codec_make_call_id (message->call_id);

          interp_json_append (input, interp_json_object ("type", INTERP_JSON_STRING ("function_call_output"), "call_id",
                                                         INTERP_JSON_STRING (call_id), "output",
                                                         INTERP_JSON_NODE (content), NULL));
        }
      else
        {
          interp_json_append (input, interp_json_object ("role", INTERP_JSON_STRING ("user"), "content",
                                                         INTERP_JSON_NODE (content), NULL));
        }
    }

  return input;
}

static JsonNode *
build_tools (InterpRequest *request)
{
  JsonNode *tools = interp_json_array (INTERP_JSON_END);

  for (guint i = 0; i < request->tools->len; i++)
    {
      InterpTool *tool = g_ptr_array_index (request->tools, i);

      /* Unsaid, it would be strict, which takes only some schemas. */
      interp_json_append (tools, interp_json_object ("type", INTERP_JSON_STRING ("function"), "name",
                                                     INTERP_JSON_STRING (tool->name), "description",
                                                     INTERP_JSON_STRING (tool->description), "parameters",
                                                     INTERP_JSON_NODE (interp_codec_copy_schema (tool)), "strict",
                                                     INTERP_JSON_BOOL (FALSE), NULL));
    }

  return tools;
}

/* The same for all requests of a chat, which begin alike: they go where that beginning is still known. Source: OpenAI's
 * API reference, prompt caching. */
static JsonNode *
make_cache_key (InterpRequest *request)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  InterpMessage *first = request->messages->len > 0 ? g_ptr_array_index (request->messages, 0) : NULL;
  g_autofree char *key = NULL;

  if (request->system != NULL)
    g_checksum_update (sum, (const guchar *) request->system, -1);
  if (first != NULL && first->text != NULL)
    g_checksum_update (sum, (const guchar *) first->text, -1);
  key = g_strndup (g_checksum_get_string (sum), 32);

  return json_node_init_string (json_node_alloc (), key);
}

static InterpHttpRequest *
responses_build (InterpCodecContext *context, InterpRequest *request)
{
  gboolean has_tools = request->tools->len > 0 && !request->text_mode;
  gboolean thinks = (context->quirks & INTERP_QUIRK_THINKS) && !(context->quirks & INTERP_QUIRK_NO_THINKING);
  gboolean has_system = request->system != NULL && *request->system != '\0';
  JsonNode *body = interp_json_object ("model", INTERP_JSON_STRING (request->model), "instructions",
                                       INTERP_JSON_STRING (has_system ? request->system : NULL), "input",
                                       INTERP_JSON_NODE (build_input (context, request)), "stream",
                                       INTERP_JSON_BOOL (TRUE), "store", INTERP_JSON_BOOL (FALSE), NULL);
  InterpHttpRequest *http;

  if (has_tools)
    interp_json_set (body, "tools", build_tools (request));

  if (thinks)
    {
      interp_json_set (body, "include",
                       interp_json_array (INTERP_JSON_STRING ("reasoning.encrypted_content"), INTERP_JSON_END));
      if (!(context->quirks & INTERP_QUIRK_NO_SUMMARY))
        interp_json_set (body, "reasoning", interp_json_object ("summary", INTERP_JSON_STRING ("auto"), NULL));
    }

  if (!isnan (request->temperature) && !(context->quirks & INTERP_QUIRK_NO_TEMPERATURE))
    interp_json_set (body, "temperature", json_node_init_double (json_node_alloc (), request->temperature));

  if (request->max_tokens > 0 && !(context->quirks & INTERP_QUIRK_NO_MAX_TOKENS))
    interp_json_set (body, "max_output_tokens", json_node_init_int (json_node_alloc (), request->max_tokens));

  if (context->quirks & INTERP_QUIRK_CACHE_KEY)
    interp_json_set (body, "prompt_cache_key", make_cache_key (request));

  http = interp_http_request_new ("POST", g_strconcat (context->base_url, "/responses", NULL), body);
  interp_http_request_add_header (http, "Accept", "text/event-stream, application/json");
  interp_codec_authorize (context, http);

  return http;
}

/* ---- receiving ---- */

/* One item of the answer. */
typedef struct
{
  guint place;  /* in the answer, as far as we have seen */
  gint64 index; /* as the server counts, −1 */
  char *id;     /* nullable; some servers make up another for every event */
  char *type;
  GString *text;      /* of a message */
  gboolean has_delta; /* its pieces came, the whole says nothing new */
  gboolean done;
  int number; /* of a call */
  char *phase;
  JsonNode *reasoning; /* the whole item */
} Item;

typedef struct
{
  InterpAnswerReader reader;
  GPtrArray *items;
  gsize kept;
  gboolean cut;
  gboolean refused;
} Decoder;

static void
item_free (gpointer data)
{
  Item *item = data;

  g_free (item->id);
  g_free (item->type);
  g_string_free (item->text, TRUE);
  g_free (item->phase);
  g_clear_pointer (&item->reasoning, json_node_unref);
  g_free (item);
}

static Item *
add_item (Decoder *self, gint64 index, const char *id, const char *type)
{
  Item *item = g_new0 (Item, 1);

  item->place = self->items->len;
  item->index = index;
  item->id = g_strdup (id);
  item->type = g_strdup (type != NULL ? type : "");
  item->text = g_string_new (NULL);
  item->number = -1;
  g_ptr_array_add (self->items, item);

  return item;
}

/* By the server's count, else by id, else the last one of its kind that is open. */
static Item *
find_item (Decoder *self, gint64 index, const char *id, const char *type)
{
  for (guint i = self->items->len; i > 0; i--)
    {
      Item *item = g_ptr_array_index (self->items, i - 1);

      if (index >= 0 ? item->index == index : id != NULL ? g_strcmp0 (item->id, id) == 0 : FALSE)
        return item;
    }

  for (guint i = self->items->len; index < 0 && id == NULL && i > 0; i--)
    {
      Item *item = g_ptr_array_index (self->items, i - 1);

      if (!item->done && g_strcmp0 (item->type, type) == 0)
        return item;
    }

  return NULL;
}

static Item *
get_item (Decoder *self, JsonNode *event, const char *type)
{
  gint64 index = interp_json_get_int (event, "output_index", -1);
  const char *id = interp_json_get_first_string (event, "item_id", "item.id", NULL);
  Item *item = find_item (self, index, id, type);

  if (item == NULL && self->items->len < MAX_ITEMS)
    item = add_item (self, index, id, type);

  return item;
}

static void
add_text (Decoder *self, Item *item, const char *text)
{
  if (text == NULL || *text == '\0')
    return;

  item->has_delta = TRUE;
  self->kept += strlen (text);
  if (self->kept <= INTERP_ANSWER_MAX)
    g_string_append (item->text, text);
  interp_answer_reader_add_text (&self->reader, INTERP_EVENT_TEXT, text);
}

static void
add_reasoning (Decoder *self, Item *item, const char *text)
{
  if (text == NULL || *text == '\0')
    return;

  item->has_delta = TRUE;
  interp_answer_reader_add_text (&self->reader, INTERP_EVENT_REASONING, text);
}

static void
add_arguments (Decoder *self, Item *item, JsonNode *arguments)
{
  const char *text = interp_json_get_string (arguments, NULL);

  if (arguments == NULL || JSON_NODE_HOLDS_NULL (arguments) || (text != NULL && *text == '\0'))
    return;

  item->has_delta = TRUE;
  interp_answer_reader_add_call (&self->reader, item->place, NULL, NULL, arguments);
}

static void
begin_call (Decoder *self, Item *item, JsonNode *node)
{
  const char *id = interp_json_get_first_string (node, "call_id", "id", NULL);

  if (item->number < 0)
    item->number
        = interp_answer_reader_add_call (&self->reader, item->place, id, interp_json_get_string (node, "name"), NULL);
}

/* Paragraphs of a summary, or of the thinking itself where a model gives it out. */
static void
add_whole_reasoning (Decoder *self, Item *item, JsonNode *node)
{
  const char *lists[] = { "summary", "content" };

  for (gsize k = 0; k < G_N_ELEMENTS (lists) && !item->has_delta; k++)
    {
      GString *text = g_string_new (NULL);

      for (guint i = 0; i < interp_json_get_length (node, lists[k]); i++)
        {
          g_autofree char *path = g_strdup_printf ("%s.%u.text", lists[k], i);
          const char *part = interp_json_get_string (node, path);

          if (part != NULL)
            g_string_append_printf (text, "%s%s", text->len > 0 ? "\n\n" : "", part);
        }

      add_reasoning (self, item, text->str);
      g_string_free (text, TRUE);
    }
}

static void
add_whole_message (Decoder *self, Item *item, JsonNode *node)
{
  guint n = item->has_delta ? 0 : interp_json_get_length (node, "content");

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *text_path = g_strdup_printf ("content.%u.text", i);
      g_autofree char *refusal_path = g_strdup_printf ("content.%u.refusal", i);
      const char *refusal = interp_json_get_string (node, refusal_path);

      add_text (self, item, interp_json_get_string (node, text_path));
      if (refusal != NULL)
        {
          self->refused = TRUE;
          add_text (self, item, refusal);
        }
    }
}

/* The item as it ended: what pieces did not say, it says. */
static void
end_item (Decoder *self, Item *item, JsonNode *node)
{
  item->done = TRUE;
  if (!interp_json_is_object (node))
    return;

  if (g_str_equal (item->type, "function_call"))
    {
      begin_call (self, item, node);
      if (!item->has_delta)
        add_arguments (self, item, interp_json_get (node, "arguments"));
    }
  else if (g_str_equal (item->type, "message"))
    {
      add_whole_message (self, item, node);
      g_set_str (&item->phase, interp_json_get_string (node, "phase"));
      g_set_str (&item->id, interp_json_get_string (node, "id"));
    }
  else if (g_str_equal (item->type, "reasoning"))
    {
      g_autofree char *text = interp_json_to_string (node);

      add_whole_reasoning (self, item, node);
      self->kept += strlen (text);
      g_clear_pointer (&item->reasoning, json_node_unref);
      if (self->kept <= INTERP_ANSWER_MAX)
        item->reasoning = interp_json_parse (text, -1, INTERP_JSON_PARSE_NONE, NULL);
    }

  /* The one it begins with may be another than the one it ends with. */
  if (g_str_equal (item->type, "function_call"))
    g_set_str (&item->id, interp_json_get_string (node, "id"));
}

static void
read_usage (Decoder *self, JsonNode *usage)
{
  InterpUsage *into = &self->reader.usage;

  if (!interp_json_is_object (usage))
    return;

  self->reader.has_usage = TRUE;
  into->input_tokens = interp_json_get_int (usage, "input_tokens", into->input_tokens);
  into->output_tokens = interp_json_get_int (usage, "output_tokens", into->output_tokens);
  into->cached_tokens = interp_json_get_int (usage, "input_tokens_details.cached_tokens", into->cached_tokens);
  into->reasoning_tokens
      = interp_json_get_int (usage, "output_tokens_details.reasoning_tokens", into->reasoning_tokens);
}

/* The response as it ended. */
static InterpDecodeResult
read_response (Decoder *self, JsonNode *response, const char *status, InterpRefusal **refusal)
{
  const char *reason = interp_json_get_string (response, "incomplete_details.reason");
  JsonNode *error = interp_json_get (response, "error");
  gboolean had_items = self->items->len > 0;

  if (interp_json_is_object (error) || g_str_equal (status, "failed"))
    {
      g_autoptr (JsonNode) wrapped
          = interp_json_object ("error",
                                INTERP_JSON_NODE (interp_json_is_object (error) ? json_node_copy (error) : NULL), NULL);
      InterpRefusal *found = interp_refusal_from_node (wrapped, TRUE);

      return interp_answer_reader_refuse (&self->reader, found != NULL ? found : interp_refusal_new (500, NULL),
                                          refusal);
    }

  /* Nothing came before it: it is all there is. */
  for (guint i = 0; !had_items && i < interp_json_get_length (response, "output") && i < MAX_ITEMS; i++)
    {
      g_autofree char *path = g_strdup_printf ("output.%u", i);
      JsonNode *node = interp_json_get (response, path);

      end_item (self, add_item (self, i, interp_json_get_string (node, "id"), interp_json_get_string (node, "type")),
                node);
    }

  read_usage (self, interp_json_get (response, "usage"));

  if (g_str_equal (status, "incomplete"))
    {
      self->refused = self->refused || g_strcmp0 (reason, "content_filter") == 0;
      self->cut = !self->refused;
    }

  if (!self->reader.any_content && !self->cut && !self->refused)
    return INTERP_DECODE_MORE;

  return interp_answer_reader_finish (&self->reader);
}

static void
read_piece (Decoder *self, const char *type, JsonNode *node)
{
  const char *delta = interp_json_get_string (node, "delta");
  Item *item;

  if (g_str_equal (type, "response.output_item.added"))
    {
      item = get_item (self, node, interp_json_get_string (node, "item.type"));
      if (item != NULL && g_str_equal (item->type, "function_call"))
        begin_call (self, item, interp_json_get (node, "item"));
    }
  else if (g_str_equal (type, "response.output_item.done"))
    {
      item = get_item (self, node, interp_json_get_string (node, "item.type"));
      if (item != NULL)
        end_item (self, item, interp_json_get (node, "item"));
    }
  else if (g_str_equal (type, "response.output_text.delta") || g_str_equal (type, "response.refusal.delta"))
    {
      item = get_item (self, node, "message");
      if (g_str_equal (type, "response.refusal.delta"))
        self->refused = TRUE;
      if (item != NULL)
        add_text (self, item, delta);
    }
  else if (g_str_equal (type, "response.reasoning_summary_text.delta")
           || g_str_equal (type, "response.reasoning_text.delta"))
    {
      item = get_item (self, node, "reasoning");
      if (item != NULL)
        add_reasoning (self, item, delta);
    }
  else if (g_str_equal (type, "response.reasoning_summary_part.added"))
    {
      item = get_item (self, node, "reasoning");
      if (item != NULL && item->has_delta)
        add_reasoning (self, item, "\n\n");
    }
  else if (g_str_equal (type, "response.function_call_arguments.delta"))
    {
      item = get_item (self, node, "function_call");
      if (item != NULL)
        add_arguments (self, item, interp_json_get (node, "delta"));
    }
  else if (g_str_equal (type, "response.function_call_arguments.done"))
    {
      item = get_item (self, node, "function_call");
      if (item != NULL && !item->has_delta)
        add_arguments (self, item, interp_json_get (node, "arguments"));
    }
}

static InterpDecodeResult
read_message (InterpAnswerReader *reader, const char *event, JsonNode *node, InterpRefusal **refusal)
{
  Decoder *self = (Decoder *) reader;
  const char *type = interp_json_get_string (node, "type");
  InterpRefusal *found;

  if (type == NULL)
    type = event != NULL ? event : "";

  if (g_strcmp0 (interp_json_get_string (node, "object"), "response") == 0)
    {
      const char *status = interp_json_get_string (node, "status");

      return read_response (self, node, status != NULL ? status : "completed", refusal);
    }

  if (g_str_equal (type, "response.completed") || g_str_equal (type, "response.incomplete")
      || g_str_equal (type, "response.failed"))
    return read_response (self, interp_json_get (node, "response"), type + strlen ("response."), refusal);

  if (g_str_has_prefix (type, "response."))
    {
      read_piece (self, type, node);
      return INTERP_DECODE_MORE;
    }

  found = interp_refusal_from_node (node, g_str_equal (type, "error"));
  if (found != NULL)
    return interp_answer_reader_refuse (reader, found, refusal);

  return INTERP_DECODE_MORE;
}

static InterpFinish
get_finish (InterpAnswerReader *reader)
{
  Decoder *self = (Decoder *) reader;

  if (self->cut)
    return INTERP_FINISH_LENGTH;

  return self->refused ? INTERP_FINISH_REFUSED : INTERP_FINISH_END;
}

static JsonNode *
make_entry (Decoder *self, Item *item)
{
  JsonNode *own;

  if (g_str_equal (item->type, "message") && item->text->len > 0)
    return interp_json_object ("text", INTERP_JSON_STRING (item->text->str), "id", INTERP_JSON_STRING (item->id),
                               "phase", INTERP_JSON_STRING (item->phase), NULL);

  if (item->number >= 0)
    return interp_json_object ("call",
                               INTERP_JSON_STRING (interp_call_assembler_get_id (self->reader.calls, item->number)),
                               "id", INTERP_JSON_STRING (item->id), NULL);

  if (item->reasoning == NULL)
    return NULL;

  own = json_node_copy (item->reasoning);
  json_object_remove_member (json_node_get_object (own), "status");

  return interp_json_object ("own", INTERP_JSON_NODE (own), NULL);
}

static JsonNode *
make_opaque (InterpAnswerReader *reader)
{
  Decoder *self = (Decoder *) reader;
  JsonNode *entries;
  gboolean worth = FALSE;

  for (guint i = 0; i < self->items->len; i++)
    {
      Item *item = g_ptr_array_index (self->items, i);
      gboolean sealed = interp_json_get_string (item->reasoning, "encrypted_content") != NULL;

      /* The server kept nothing: what is not in it cannot be found by its id. */
      if (g_str_equal (item->type, "reasoning") && !sealed)
        return NULL;

      worth = worth || sealed || item->phase != NULL;
    }

  if (!worth || self->kept > INTERP_ANSWER_MAX)
    return NULL;

  entries = interp_json_array (INTERP_JSON_END);
  for (guint i = 0; i < self->items->len; i++)
    {
      JsonNode *entry = make_entry (self, g_ptr_array_index (self->items, i));

      if (entry != NULL)
        interp_json_append (entries, entry);
    }

  return interp_replay_record (entries);
}

static gpointer
responses_decoder_new (InterpCodecContext *context, InterpRequest *request, const char *content_type,
                       InterpEventSink sink, gpointer sink_data)
{
  static const InterpAnswerReaderFuncs funcs
      = { .read = read_message, .get_finish = get_finish, .make_opaque = make_opaque };
  Decoder *self = g_new0 (Decoder, 1);

  interp_answer_reader_init (&self->reader, &funcs, context, request, content_type, sink, sink_data);
  self->items = g_ptr_array_new_with_free_func (item_free);

  return self;
}

static void
responses_decoder_free (gpointer decoder)
{
  Decoder *self = decoder;

  interp_answer_reader_clear (&self->reader);
  g_ptr_array_unref (self->items);
  g_free (self);
}

/* ---- models: the same list as in Chat Completions ---- */

static InterpHttpRequest *
responses_build_list (InterpCodecContext *context, const char *page)
{
  return interp_codec_chat.build_list (context, page);
}

static GPtrArray *
responses_parse_list (JsonNode *body)
{
  return interp_codec_chat.parse_list (body);
}

const InterpCodec interp_codec_responses = {
  .name = "responses",
  .build = responses_build,
  .decoder_new = responses_decoder_new,
  .decoder_free = responses_decoder_free,
  .decode = interp_answer_reader_decode,
  .decode_end = interp_answer_reader_decode_end,
  .build_list = responses_build_list,
  .parse_list = responses_parse_list,
};
