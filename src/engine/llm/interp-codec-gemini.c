/* interp-codec-gemini.c: Google's Gemini API
 *
 * Source: the Gemini API reference ("Generating content", "Function calling", "Thinking", "Thought signatures",
 * "Models") and the types of Google's SDKs.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm/interp-codec.h"

#include "base/interp-json.h"
#include "llm/interp-answer-reader.h"
#include "llm/interp-history.h"
#include "llm/interp-replay.h"
#include "llm/interp-schema.h"

#include <math.h>
#include <string.h>

#define VERSION "/v1beta"

/* Stands for the signature of a call that has none, as when another model made it. */
#define NO_SIGNATURE "skip_thought_signature_validator"

/* Deeper schemas are cut. */
#define MAX_SCHEMA_DEPTH 16

/* What a part costs besides its text. */
#define PART_COST 64

/* ---- sending ---- */

/* "gemini-3.8-flash" is of the third generation, "gemini-flash-latest" of the newest, "gemma-4" of none. */
static gint64
get_generation (const char *model)
{
  if (g_str_has_prefix (model, "models/"))
    model += strlen ("models/");

  if (!g_str_has_prefix (model, "gemini-"))
    return 0;

  model += strlen ("gemini-");

  return g_ascii_isdigit (*model) ? g_ascii_strtoll (model, NULL, 10) : G_MAXINT64;
}

static void
set_string (JsonNode *object, const char *member, const char *text)
{
  if (text != NULL)
    interp_json_set (object, member, json_node_init_string (json_node_alloc (), text));
}

static JsonNode *
make_text (const char *text)
{
  return interp_json_object ("text", INTERP_JSON_STRING (text), NULL);
}

static JsonNode *
make_picture (InterpPicture *picture)
{
  g_autofree char *data = interp_codec_encode_picture (picture);
  JsonNode *own
      = interp_json_object ("mimeType", INTERP_JSON_STRING (picture->mime), "data", INTERP_JSON_STRING (data), NULL);

  return interp_json_object ("inlineData", INTERP_JSON_NODE (own), NULL);
}

static void
append_text (JsonNode *parts, const char *text)
{
  if (text != NULL && *text != '\0')
    interp_json_append (parts, make_text (text));
}

static void
append_pictures (JsonNode *parts, GPtrArray *pictures)
{
  for (guint i = 0; pictures != NULL && i < pictures->len; i++)
    interp_json_append (parts, make_picture (g_ptr_array_index (pictures, i)));
}

typedef struct
{
  InterpCodecContext *context;
  gint64 generation;
  JsonNode *contents;
  JsonNode *parts; /* of the content that is being made; NULL: none */
  const char *role;
  GHashTable *named; /* ids of the last turn's calls that the server gave */
  GPtrArray *seen;   /* InterpMessage: results whose pictures come behind all results */
} Builder;

static void
end_results (Builder *self)
{
  for (guint i = 0; i < self->seen->len; i++)
    {
      InterpMessage *message = g_ptr_array_index (self->seen, i);
      g_autofree char *text = g_strdup_printf ("Pictures that %s gave:", message->call_name);

      append_text (self->parts, text);
      append_pictures (self->parts, message->pictures);
    }
  g_ptr_array_set_size (self->seen, 0);
}

static void
end_content (Builder *self)
{
  JsonNode *parts = g_steal_pointer (&self->parts);

  if (interp_json_get_length (parts, NULL) > 0)
    interp_json_append (self->contents, interp_json_object ("role", INTERP_JSON_STRING (self->role), "parts",
                                                            INTERP_JSON_NODE (g_steal_pointer (&parts)), NULL));
  g_clear_pointer (&parts, json_node_unref);
}

/* Sides alternate: all results of a turn, and what the user said then, are one content. */
static void
begin_content (Builder *self, const char *role)
{
  if (self->parts != NULL && g_str_equal (self->role, role))
    return;

  if (self->parts != NULL)
    end_content (self);
  self->parts = interp_json_array (INTERP_JSON_END);
  self->role = role;
}

static void
append_turn (Builder *self, InterpMessage *message)
{
  g_autoptr (GPtrArray) plan = interp_replay_plan (self->context, message, NULL);
  gboolean first_call = TRUE;

  g_hash_table_remove_all (self->named);

  for (guint i = 0; i < plan->len; i++)
    {
      InterpReplayStep *step = g_ptr_array_index (plan, i);
      const char *signature = interp_json_get_string (step->entry, "signature");
      JsonNode *part;

      if (step->call != NULL)
        {
          const char *id = interp_json_get_string (step->entry, "id");
          JsonNode *call
              = interp_json_object ("id", INTERP_JSON_STRING (id), "name", INTERP_JSON_STRING (step->call->name),
                                    "args", INTERP_JSON_NODE (interp_history_get_arguments (step->call)), NULL);

          if (id != NULL)
            g_hash_table_add (self->named, step->call->id);
          /* The first call of a turn must be signed; those beside it are not. */
          if (signature == NULL && first_call && self->generation >= 3)
            signature = NO_SIGNATURE;
          first_call = FALSE;
          part = interp_json_object ("functionCall", INTERP_JSON_NODE (call), NULL);
        }
      else if (step->text != NULL)
        {
          if (*step->text == '\0')
            continue;
          part = make_text (step->text);
        }
      else
        {
          part = json_node_copy (interp_json_get (step->entry, "own"));
        }

      set_string (part, "thoughtSignature", signature);
      interp_json_append (self->parts, part);
    }
}

/* Calls without an id have their results by order: there must be as many, in the same. */
static void
append_result (Builder *self, InterpMessage *message)
{
  gboolean named = g_hash_table_contains (self->named, message->call_id);
  JsonNode *response = interp_json_object (message->is_error ? "error" : "result",
                                           INTERP_JSON_STRING (message->text != NULL ? message->text : ""), NULL);
  JsonNode *own
      = interp_json_object ("id", INTERP_JSON_STRING (named ? message->call_id : NULL), "name",
                            INTERP_JSON_STRING (message->call_name), "response", INTERP_JSON_NODE (response), NULL);

  if (message->pictures != NULL && message->pictures->len > 0)
    {
      if (self->generation >= 3)
        {
          JsonNode *parts = interp_json_array (INTERP_JSON_END);

          append_pictures (parts, message->pictures);
          interp_json_set (own, "parts", parts);
        }
      else
        {
          g_ptr_array_add (self->seen, message);
        }
    }

  interp_json_append (self->parts, interp_json_object ("functionResponse", INTERP_JSON_NODE (own), NULL));
}

static JsonNode *
build_contents (InterpCodecContext *context, InterpRequest *request)
{
  g_autoptr (GPtrArray) history = interp_history_prepare (request);
  g_autoptr (GHashTable) named = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) seen = g_ptr_array_new ();
  Builder self = { .context = context,
                   .generation = get_generation (request->model),
                   .contents = interp_json_array (INTERP_JSON_END),
                   .named = named,
                   .seen = seen };

  for (guint i = 0; i < history->len; i++)
    {
      InterpMessage *message = g_ptr_array_index (history, i);

      if (message->role != INTERP_ROLE_TOOL)
        end_results (&self);
      begin_content (&self, message->role == INTERP_ROLE_ASSISTANT ? "model" : "user");

      if (message->role == INTERP_ROLE_ASSISTANT)
        append_turn (&self, message);
      else if (message->role == INTERP_ROLE_TOOL)
        append_result (&self, message);
      else
        {
          append_text (self.parts, message->text);
          append_pictures (self.parts, message->pictures);
        }
    }

  end_results (&self);
  if (self.parts != NULL)
    end_content (&self);

  return self.contents;
}

/* ---- schemas: what is not in this subset of them is refused ---- */

static JsonNode *adapt_schema (JsonNode *schema, guint depth);

static gboolean
is_listed (const char *word, const char *const *list)
{
  return word != NULL && g_strv_contains (list, word);
}

static JsonNode *
nth (JsonNode *array, guint n)
{
  return json_array_get_element (json_node_get_array (array), n);
}

static void
set_type (JsonNode *into, const char *type)
{
  g_autofree char *lower = g_ascii_strdown (type, -1);

  set_string (into, "type", lower);
}

static void
set_nullable (JsonNode *into)
{
  interp_json_set (into, "nullable", json_node_init_boolean (json_node_alloc (), TRUE));
}

static gboolean
is_null_type (JsonNode *schema)
{
  return g_strcmp0 (interp_json_get_string (schema, "type"), "null") == 0;
}

/* ["string", "null"] */
static void
adapt_types (JsonNode *into, JsonNode *types)
{
  g_autoptr (JsonNode) choices = interp_json_array (INTERP_JSON_END);
  guint n = interp_json_get_length (types, NULL);

  for (guint i = 0; i < n; i++)
    {
      const char *type = interp_json_get_string (nth (types, i), NULL);

      if (g_strcmp0 (type, "null") == 0)
        set_nullable (into);
      else if (type != NULL)
        interp_json_append (choices, interp_json_object ("type", INTERP_JSON_STRING (type), NULL));
    }

  if (interp_json_get_length (choices, NULL) == 1)
    set_type (into, interp_json_get_string (choices, "0.type"));
  else if (interp_json_get_length (choices, NULL) > 1)
    interp_json_set (into, "anyOf", g_steal_pointer (&choices));
}

static void
adapt_choices (JsonNode *into, JsonNode *list, guint depth)
{
  g_autoptr (JsonNode) choices = interp_json_array (INTERP_JSON_END);
  guint n = interp_json_get_length (list, NULL);

  for (guint i = 0; i < n; i++)
    {
      if (is_null_type (nth (list, i)))
        set_nullable (into);
      else
        interp_json_append (choices, adapt_schema (nth (list, i), depth + 1));
    }

  if (interp_json_get_length (choices, NULL) > 0)
    interp_json_set (into, "anyOf", g_steal_pointer (&choices));
}

/* Only words can be listed. */
static void
adapt_enum (JsonNode *into, JsonNode *schema)
{
  g_autoptr (JsonNode) words = interp_json_array (INTERP_JSON_END);
  JsonNode *list = interp_json_get (schema, "enum");
  const char *only = interp_json_get_string (schema, "const");
  guint n = list != NULL && interp_json_is_array (list) ? interp_json_get_length (list, NULL) : 0;

  if (only != NULL)
    interp_json_append (words, json_node_init_string (json_node_alloc (), only));

  for (guint i = 0; i < n; i++)
    {
      const char *word = interp_json_get_string (nth (list, i), NULL);

      if (word != NULL && *word != '\0')
        interp_json_append (words, json_node_init_string (json_node_alloc (), word));
      else if (JSON_NODE_HOLDS_NULL (nth (list, i)))
        set_nullable (into);
    }

  if (interp_json_get_length (words, NULL) == 0)
    return;

  if (interp_json_get (into, "type") == NULL && interp_json_get (into, "anyOf") == NULL)
    set_type (into, "string");
  if (g_strcmp0 (interp_json_get_string (into, "type"), "string") == 0)
    interp_json_set (into, "enum", g_steal_pointer (&words));
}

static void
adapt_properties (JsonNode *into, JsonNode *schema, guint depth)
{
  JsonNode *properties = interp_json_get (schema, "properties");
  JsonNode *required = interp_json_get (schema, "required");
  g_auto (GStrv) names = interp_json_get_members (schema, "properties");
  guint n_required = required != NULL && interp_json_is_array (required) ? interp_json_get_length (required, NULL) : 0;
  JsonNode *adapted;

  /* Objects without any are refused when they say so. */
  if (names[0] == NULL)
    return;

  adapted = interp_json_object (NULL, NULL);
  for (gsize i = 0; names[i] != NULL; i++)
    interp_json_set (adapted, names[i],
                     adapt_schema (json_object_get_member (json_node_get_object (properties), names[i]), depth + 1));
  interp_json_set (into, "properties", adapted);

  adapted = interp_json_array (INTERP_JSON_END);
  for (guint i = 0; i < n_required; i++)
    {
      const char *name = interp_json_get_string (nth (required, i), NULL);

      if (is_listed (name, (const char *const *) names))
        interp_json_append (adapted, json_node_copy (nth (required, i)));
    }
  if (interp_json_get_length (adapted, NULL) > 0)
    interp_json_set (into, "required", adapted);
  else
    json_node_unref (adapted);
}

static JsonNode *
adapt_schema (JsonNode *schema, guint depth)
{
  static const char *const plain[]
      = { "title",         "description",   "nullable", "minItems", "maxItems", "minLength", "maxLength",
          "minProperties", "maxProperties", "pattern",  "minimum",  "maximum",  NULL };
  static const char *const formats[] = { "date-time", "enum", "float", "double", "int32", "int64", NULL };
  static const char *const choices[] = { "anyOf", "oneOf", NULL };
  JsonNode *into = interp_json_object (NULL, NULL);
  JsonNode *type = interp_json_get (schema, "type");
  const char *format = interp_json_get_string (schema, "format");
  JsonNode *items = interp_json_get (schema, "items");

  if (!interp_json_is_object (schema) || depth > MAX_SCHEMA_DEPTH)
    {
      set_type (into, "object");
      return into;
    }

  for (gsize i = 0; plain[i] != NULL; i++)
    if (interp_json_get (schema, plain[i]) != NULL)
      interp_json_set (into, plain[i], json_node_copy (interp_json_get (schema, plain[i])));

  if (is_listed (format, formats))
    set_string (into, "format", format);

  if (type != NULL && interp_json_is_array (type))
    adapt_types (into, type);
  else if (interp_json_get_string (type, NULL) != NULL)
    set_type (into, interp_json_get_string (type, NULL));

  for (gsize i = 0; choices[i] != NULL; i++)
    if (interp_json_get (schema, choices[i]) != NULL && interp_json_is_array (interp_json_get (schema, choices[i])))
      adapt_choices (into, interp_json_get (schema, choices[i]), depth);

  adapt_enum (into, schema);

  if (interp_json_get (into, "type") == NULL && interp_json_get (into, "anyOf") == NULL)
    set_type (into, items != NULL ? "array" : "object");

  if (g_strcmp0 (interp_json_get_string (into, "type"), "object") == 0)
    adapt_properties (into, schema, depth);
  else if (g_strcmp0 (interp_json_get_string (into, "type"), "array") == 0)
    /* It must be said of what. */
    interp_json_set (into, "items",
                     items != NULL ? adapt_schema (items, depth + 1)
                                   : interp_json_object ("type", INTERP_JSON_STRING ("string"), NULL));

  return into;
}

static JsonNode *
build_tools (InterpRequest *request)
{
  JsonNode *list = interp_json_array (INTERP_JSON_END);
  JsonNode *tool_set;

  for (guint i = 0; i < request->tools->len; i++)
    {
      InterpTool *tool = g_ptr_array_index (request->tools, i);
      g_autoptr (JsonNode) schema = interp_codec_copy_schema (tool);
      g_autoptr (JsonNode) whole = interp_schema_inline (schema);
      g_autoptr (JsonNode) adapted = adapt_schema (whole, 0);

      /* What takes nothing has no parameters. */
      interp_json_append (list, interp_json_object ("name", INTERP_JSON_STRING (tool->name), "description",
                                                    INTERP_JSON_STRING (tool->description), "parameters",
                                                    INTERP_JSON_NODE (interp_json_get (adapted, "properties") != NULL
                                                                          ? g_steal_pointer (&adapted)
                                                                          : NULL),
                                                    NULL));
    }

  tool_set = interp_json_object ("functionDeclarations", INTERP_JSON_NODE (list), NULL);

  return interp_json_array (INTERP_JSON_NODE (tool_set), INTERP_JSON_END);
}

static void
add_key (InterpCodecContext *context, InterpHttpRequest *http)
{
  /* Not in the address, which is shown and logged. */
  if (context->key != NULL && *context->key != '\0')
    interp_http_request_add_header (http, "x-goog-api-key", context->key);
}

/* "models/…" and "tunedModels/…" are whole names. @method: nullable. */
static char *
make_model_url (InterpCodecContext *context, const char *model, const char *method)
{
  const char *slash = strchr (model, '/');
  gboolean whole = g_str_has_prefix (model, "models/") || g_str_has_prefix (model, "tunedModels/");
  g_autofree char *collection = whole ? g_strndup (model, slash - model) : g_strdup ("models");
  g_autofree char *name = g_uri_escape_string (whole ? slash + 1 : model, NULL, FALSE);
  g_autofree char *path = g_strconcat ("/", collection, "/", name, method, NULL);

  return interp_codec_make_url (context, VERSION, path);
}

static JsonNode *
build_config (InterpCodecContext *context, InterpRequest *request)
{
  JsonNode *config = interp_json_object (NULL, NULL);

  if (!isnan (request->temperature) && !(context->quirks & INTERP_QUIRK_NO_TEMPERATURE))
    interp_json_set (config, "temperature",
                     json_node_init_double (json_node_alloc (), CLAMP (request->temperature, 0, 2)));

  if (request->max_tokens > 0 && !(context->quirks & INTERP_QUIRK_NO_MAX_TOKENS))
    interp_json_set (config, "maxOutputTokens", json_node_init_int (json_node_alloc (), request->max_tokens));

  if ((context->quirks & INTERP_QUIRK_THINKS) && !(context->quirks & INTERP_QUIRK_NO_THINKING))
    interp_json_set (config, "thinkingConfig", interp_json_object ("includeThoughts", INTERP_JSON_BOOL (TRUE), NULL));

  return config;
}

static InterpHttpRequest *
gemini_build (InterpCodecContext *context, InterpRequest *request)
{
  gboolean has_tools = request->tools->len > 0 && !request->text_mode;
  g_autoptr (JsonNode) config = build_config (context, request);
  JsonNode *body = interp_json_object (NULL, NULL);
  InterpHttpRequest *http;

  if (request->system != NULL && *request->system != '\0')
    {
      JsonNode *parts = interp_json_array (INTERP_JSON_NODE (make_text (request->system)), INTERP_JSON_END);

      interp_json_set (body, "systemInstruction", interp_json_object ("parts", INTERP_JSON_NODE (parts), NULL));
    }

  interp_json_set (body, "contents", build_contents (context, request));
  if (has_tools)
    interp_json_set (body, "tools", build_tools (request));
  if (json_object_get_size (json_node_get_object (config)) > 0)
    interp_json_set (body, "generationConfig", g_steal_pointer (&config));

  http = interp_http_request_new ("POST", make_model_url (context, request->model, ":streamGenerateContent?alt=sse"),
                                  body);
  interp_http_request_add_header (http, "Accept", "text/event-stream, application/json");
  add_key (context, http);

  return http;
}

/* ---- receiving ---- */

typedef enum
{
  PART_TEXT,
  PART_THOUGHT,
  PART_CALL,
  PART_OTHER,
} PartKind;

typedef struct
{
  PartKind kind;
  GString *text;
  char *signature; /* nullable */
  int number;      /* of a call */
  gboolean named;  /* the server gave its id */
  JsonNode *own;   /* of what we do not know */
} Part;

typedef struct
{
  InterpAnswerReader reader;
  GPtrArray *parts; /* Part */
  gsize kept;
  guint n_calls;
  gint64 n_candidate; /* tokens, −1 */
  gint64 n_thought;
  char *finish_reason;
} Decoder;

static void
part_free (gpointer data)
{
  Part *part = data;

  g_string_free (part->text, TRUE);
  g_free (part->signature);
  g_clear_pointer (&part->own, json_node_unref);
  g_free (part);
}

/* NULL once there is too much to be kept. */
static Part *
add_part (Decoder *self, PartKind kind, const char *text, const char *signature)
{
  Part *last = self->parts->len > 0 ? g_ptr_array_index (self->parts, self->parts->len - 1) : NULL;
  gsize length = (text != NULL ? strlen (text) : 0) + (signature != NULL ? strlen (signature) : 0);
  Part *part = NULL;

  /* A signature is of one part, as it came. */
  if (last != NULL && last->kind == kind && kind <= PART_THOUGHT && last->signature == NULL && signature == NULL)
    part = last;

  self->kept += length + (part == NULL ? PART_COST : 0);
  if (self->kept > INTERP_ANSWER_MAX)
    return NULL;

  if (part == NULL)
    {
      part = g_new0 (Part, 1);
      part->kind = kind;
      part->text = g_string_new (NULL);
      part->signature = g_strdup (signature);
      part->number = -1;
      g_ptr_array_add (self->parts, part);
    }

  if (text != NULL)
    g_string_append (part->text, text);

  return part;
}

static void
read_part (Decoder *self, JsonNode *node)
{
  const char *signature = interp_json_get_string (node, "thoughtSignature");
  const char *text = interp_json_get_string (node, "text");
  JsonNode *call = interp_json_get (node, "functionCall");
  Part *part;

  if (signature != NULL && *signature == '\0')
    signature = NULL;

  if (interp_json_is_object (call))
    {
      const char *id = interp_json_get_string (call, "id");
      /* It comes whole, always. */
      int number
          = interp_answer_reader_add_call (&self->reader, self->n_calls++, id, interp_json_get_string (call, "name"),
                                           interp_json_get (call, "args"));

      part = add_part (self, PART_CALL, NULL, signature);
      if (part != NULL)
        {
          part->number = number;
          part->named = id != NULL && *id != '\0';
        }
    }
  else if (text != NULL)
    {
      gboolean thought = interp_json_get_bool (node, "thought", FALSE);

      if (*text != '\0' || signature != NULL)
        add_part (self, thought ? PART_THOUGHT : PART_TEXT, text, signature);
      interp_answer_reader_add_text (&self->reader, thought ? INTERP_EVENT_REASONING : INTERP_EVENT_TEXT, text);
    }
  else if (signature != NULL)
    {
      g_autofree char *json = interp_json_to_string (node);

      part = add_part (self, PART_OTHER, json, signature);
      if (part != NULL)
        part->own = json_node_copy (node);
    }
}

/* Cumulative, and not all in every message. */
static void
read_usage (Decoder *self, JsonNode *usage)
{
  InterpUsage *into = &self->reader.usage;

  if (!interp_json_is_object (usage))
    return;

  into->input_tokens = interp_json_get_int (usage, "promptTokenCount", into->input_tokens);
  into->cached_tokens = interp_json_get_int (usage, "cachedContentTokenCount", into->cached_tokens);
  self->n_candidate = interp_json_get_int (usage, "candidatesTokenCount", self->n_candidate);
  self->n_thought = interp_json_get_int (usage, "thoughtsTokenCount", self->n_thought);
  into->reasoning_tokens = self->n_thought;
  if (self->n_candidate >= 0 || self->n_thought >= 0)
    into->output_tokens = MAX (0, self->n_candidate) + MAX (0, self->n_thought);
  self->reader.has_usage = into->input_tokens >= 0 || into->output_tokens >= 0;
}

/* The model wrote a call that is none, or more than may be: nothing that could be gone on with. */
static gboolean
is_failure (const char *reason)
{
  return g_str_has_prefix (reason, "MALFORMED_") || g_str_has_prefix (reason, "MISSING_")
         || g_str_equal (reason, "UNEXPECTED_TOOL_CALL") || g_str_equal (reason, "TOO_MANY_TOOL_CALLS");
}

static gboolean
is_plain_end (const char *reason)
{
  return g_str_equal (reason, "STOP") || g_str_equal (reason, "FINISH_REASON_UNSPECIFIED");
}

static InterpDecodeResult
read_finish (Decoder *self, const char *reason, const char *message, InterpRefusal **refusal)
{
  if (reason == NULL || *reason == '\0')
    return INTERP_DECODE_MORE;

  if (is_failure (reason))
    {
      g_autoptr (JsonNode) error
          = interp_json_object ("error", INTERP_JSON_STRING (message != NULL ? message : reason), NULL);

      *refusal = interp_refusal_from_node (error, TRUE);
      return INTERP_DECODE_BROKEN;
    }

  g_set_str (&self->finish_reason, reason);

  /* Gateways say it ahead of the text. */
  if (is_plain_end (reason) && !self->reader.any_content)
    return INTERP_DECODE_MORE;

  self->reader.ending = TRUE;
  if (!is_plain_end (reason) && !self->reader.any_content)
    interp_answer_reader_add_text (&self->reader, INTERP_EVENT_TEXT, message);

  return INTERP_DECODE_ENDING;
}

static InterpDecodeResult
read_chunk (Decoder *self, const char *event, JsonNode *node, InterpRefusal **refusal)
{
  JsonNode *candidate = interp_json_get (node, "candidates.0");
  JsonNode *parts = interp_json_get (candidate, "content.parts");
  guint n = interp_json_is_array (parts) ? interp_json_get_length (parts, NULL) : 0;
  const char *blocked = interp_json_get_string (node, "promptFeedback.blockReason");
  InterpRefusal *found = NULL;
  InterpDecodeResult result;

  if (candidate == NULL)
    found = interp_refusal_from_node (node, g_strcmp0 (event, "error") == 0);
  if (found != NULL)
    return interp_answer_reader_refuse (&self->reader, found, refusal);

  for (guint i = 0; i < n; i++)
    read_part (self, nth (parts, i));

  read_usage (self, interp_json_get (node, "usageMetadata"));

  if (candidate == NULL && blocked != NULL)
    result = read_finish (self, "PROHIBITED_CONTENT",
                          interp_json_get_string (node, "promptFeedback.blockReasonMessage"), refusal);
  else
    result = read_finish (self, interp_json_get_string (candidate, "finishReason"),
                          interp_json_get_string (candidate, "finishMessage"), refusal);

  return result == INTERP_DECODE_MORE && self->reader.ending ? INTERP_DECODE_ENDING : result;
}

static InterpDecodeResult
read_message (InterpAnswerReader *reader, const char *event, JsonNode *node, InterpRefusal **refusal)
{
  Decoder *self = (Decoder *) reader;
  InterpDecodeResult result = INTERP_DECODE_MORE;

  if (!interp_json_is_array (node))
    return read_chunk (self, event, node, refusal);

  /* Where events are not asked for, or not passed on, all messages are one array. */
  for (guint i = 0; i < interp_json_get_length (node, NULL); i++)
    {
      result = read_chunk (self, event, nth (node, i), refusal);
      if (result == INTERP_DECODE_REFUSED || result == INTERP_DECODE_BROKEN)
        break;
    }

  return result;
}

static InterpDecodeResult
gemini_decode_end (gpointer decoder, InterpRefusal **refusal)
{
  Decoder *self = decoder;

  if (self->finish_reason != NULL && self->reader.any_content)
    self->reader.ending = TRUE;

  return interp_answer_reader_decode_end (decoder, refusal);
}

static InterpFinish
get_finish (InterpAnswerReader *reader)
{
  Decoder *self = (Decoder *) reader;

  if (self->finish_reason == NULL || is_plain_end (self->finish_reason))
    return INTERP_FINISH_END;

  return g_str_equal (self->finish_reason, "MAX_TOKENS") ? INTERP_FINISH_LENGTH : INTERP_FINISH_REFUSED;
}

static JsonNode *
make_entry (Decoder *self, Part *part)
{
  JsonNode *own = NULL;
  const char *id;

  switch (part->kind)
    {
    case PART_CALL:
      if (part->number < 0)
        return NULL;
      id = interp_call_assembler_get_id (self->reader.calls, part->number);
      return interp_json_object ("call", INTERP_JSON_STRING (id), "id", INTERP_JSON_STRING (part->named ? id : NULL),
                                 "signature", INTERP_JSON_STRING (part->signature), NULL);

    case PART_TEXT:
      if (part->text->len > 0)
        return interp_json_object ("text", INTERP_JSON_STRING (part->text->str), "signature",
                                   INTERP_JSON_STRING (part->signature), NULL);
      own = make_text ("");
      break;

    case PART_THOUGHT:
      /* What is not signed was for people. */
      if (part->signature == NULL)
        return NULL;
      own = make_text (part->text->str);
      interp_json_set (own, "thought", json_node_init_boolean (json_node_alloc (), TRUE));
      break;

    case PART_OTHER:
    default:
      own = json_node_copy (part->own);
      /* A signature alone is not taken back. */
      if (json_object_get_size (json_node_get_object (own)) == 1)
        set_string (own, "text", "");
      break;
    }

  set_string (own, "thoughtSignature", part->signature);

  return interp_json_object ("own", INTERP_JSON_NODE (own), NULL);
}

static JsonNode *
make_opaque (InterpAnswerReader *reader)
{
  Decoder *self = (Decoder *) reader;
  JsonNode *entries;

  if (self->kept > INTERP_ANSWER_MAX)
    return NULL;

  entries = interp_json_array (INTERP_JSON_END);
  for (guint i = 0; i < self->parts->len; i++)
    {
      JsonNode *entry = make_entry (self, g_ptr_array_index (self->parts, i));

      if (entry != NULL)
        interp_json_append (entries, entry);
    }

  return interp_replay_record (entries);
}

static gpointer
gemini_decoder_new (InterpCodecContext *context, InterpRequest *request, const char *content_type, InterpEventSink sink,
                    gpointer sink_data)
{
  static const InterpAnswerReaderFuncs funcs
      = { .read = read_message, .get_finish = get_finish, .make_opaque = make_opaque };
  Decoder *self = g_new0 (Decoder, 1);

  interp_answer_reader_init (&self->reader, &funcs, context, request, content_type, sink, sink_data);
  self->parts = g_ptr_array_new_with_free_func (part_free);
  self->n_candidate = -1;
  self->n_thought = -1;

  return self;
}

static void
gemini_decoder_free (gpointer decoder)
{
  Decoder *self = decoder;

  interp_answer_reader_clear (&self->reader);
  g_ptr_array_unref (self->parts);
  g_free (self->finish_reason);
  g_free (self);
}

/* ---- models ---- */

static InterpHttpRequest *
gemini_build_list (InterpCodecContext *context, const char *page)
{
  char *url = interp_codec_make_page_url (context, VERSION, "/models?pageSize=1000", "pageToken", page);
  InterpHttpRequest *http = interp_http_request_new ("GET", url, NULL);

  add_key (context, http);

  return http;
}

static char *
gemini_get_next_page (JsonNode *body)
{
  return g_strdup (interp_json_get_string (body, "nextPageToken"));
}

static void
gemini_parse_inspect (JsonNode *body, InterpModelFacts *facts)
{
  JsonNode *methods = interp_json_get (body, "supportedGenerationMethods");
  const char *title = interp_json_get_string (body, "displayName");
  guint n = interp_json_is_array (methods) ? interp_json_get_length (methods, NULL) : 0;

  if (title != NULL)
    g_set_str (&facts->title, title);
  facts->context_window = MAX (0, interp_json_get_int (body, "inputTokenLimit", 0));

  /* It makes vectors, pictures, … */
  if (n > 0)
    facts->chat = 0;
  for (guint i = 0; i < n && facts->chat == 0; i++)
    if (g_strcmp0 (interp_json_get_string (nth (methods, i), NULL), "generateContent") == 0)
      facts->chat = -1;
}

static GPtrArray *
gemini_parse_list (JsonNode *body)
{
  JsonNode *list = interp_json_get (body, "models");
  g_autoptr (GPtrArray) all = NULL;

  if (!interp_json_is_array (list))
    return NULL;

  all = g_ptr_array_new_with_free_func ((GDestroyNotify) interp_model_facts_free);
  for (guint i = 0; i < interp_json_get_length (list, NULL) && i < 20000; i++)
    {
      const char *name = interp_json_get_string (nth (list, i), "name");
      InterpModelFacts *facts;

      if (name != NULL && g_str_has_prefix (name, "models/"))
        name += strlen ("models/");
      if (name == NULL || *name == '\0' || strlen (name) > 512)
        continue;

      facts = interp_model_facts_new (name);
      gemini_parse_inspect (nth (list, i), facts);
      g_ptr_array_add (all, facts);
    }

  return g_steal_pointer (&all);
}

static InterpHttpRequest *
gemini_build_inspect (InterpCodecContext *context, const char *model)
{
  InterpHttpRequest *http = interp_http_request_new ("GET", make_model_url (context, model, NULL), NULL);

  add_key (context, http);

  return http;
}

const InterpCodec interp_codec_gemini = {
  .name = "gemini",
  .build = gemini_build,
  .decoder_new = gemini_decoder_new,
  .decoder_free = gemini_decoder_free,
  .decode = interp_answer_reader_decode,
  .decode_end = gemini_decode_end,
  .build_list = gemini_build_list,
  .parse_list = gemini_parse_list,
  .get_next_page = gemini_get_next_page,
  .build_inspect = gemini_build_inspect,
  .parse_inspect = gemini_parse_inspect,
};
