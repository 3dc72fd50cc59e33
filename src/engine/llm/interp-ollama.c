/* interp-ollama.c: the models that an Ollama server keeps: getting, deleting, what is in memory
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm/interp-ollama.h"

#include "base/interp-fiber.h"
#include "base/interp-json.h"
#include "base/interp-splitter.h"
#include "base/interp-text.h"
#include "llm/interp-http.h"
#include "llm/interp-provider-private.h"

#include <glib/gi18n.h>
#include <string.h>

#define MAX_NAME 512
#define MAX_LINE (64 * 1024)
#define MAX_LAYERS 256
#define MAX_DIGEST 160
#define MAX_STATUS 80 /* characters */
#define MAX_ERROR_BODY (64 * 1024)
#define MAX_LOADED 1000
#define MAX_LOADED_BODY (4 * 1024 * 1024)

/* Milliseconds. Checking a large model on a slow disk says nothing for minutes. */
#define SILENCE_LIMIT (30 * 60 * 1000)
#define DELETE_LIMIT (60 * 1000)
#define LOADED_LIMIT (5 * 1000)

gboolean
interp_ollama_is_spoken_by (InterpProvider *provider)
{
  g_return_val_if_fail (INTERP_IS_PROVIDER (provider), FALSE);

  return interp_provider_get_codec (provider) == &interp_codec_ollama;
}

char *
interp_ollama_parse_name (const char *typed, GError **error)
{
  static const char *const prefixes[] = { "ollama pull ", "ollama run ", "ollama/" };
  g_autofree char *name = NULL;

  g_return_val_if_fail (typed != NULL, NULL);

  name = g_strstrip (g_strdup (typed));
  for (guint i = 0; i < G_N_ELEMENTS (prefixes); i++)
    if (g_str_has_prefix (name, prefixes[i]))
      {
        char *rest = g_strstrip (g_strdup (name + strlen (prefixes[i])));

        g_free (name);
        name = rest;
      }

  if (*name == '\0')
    {
      g_set_error (error, INTERP_LLM_ERROR, INTERP_LLM_ERROR_NO_MODEL, _ ("Type the name of a model, such as %s."),
                   "qwen3:8b");
      return NULL;
    }

  if (strlen (name) > MAX_NAME || strpbrk (name, " \t\r\n\"'\\<>|;&$`") != NULL || *name == '-'
      || !g_utf8_validate (name, -1, NULL) || interp_text_has_invisible (name))
    {
      g_autofree char *shown = interp_text_summary (name, 60);

      g_set_error (error, INTERP_LLM_ERROR, INTERP_LLM_ERROR_NO_MODEL, _ ("“%s” is not the name of a model."), shown);
      return NULL;
    }

  return g_steal_pointer (&name);
}

/* ---- asking ---- */

static InterpHttpRequest *
make_request (InterpProvider *provider, const char *method, const char *path, JsonNode *body)
{
  g_autoptr (InterpCodecContext) context = interp_provider_make_context (provider, NULL);
  InterpHttpRequest *request = interp_http_request_new (method, g_strconcat (context->base_url, path, NULL), body);

  interp_codec_authorize (context, request);

  return request;
}

static GError *
check (InterpProvider *provider)
{
  GError *error = interp_provider_check (provider);

  if (error == NULL && !interp_ollama_is_spoken_by (provider))
    error = g_error_new (INTERP_LLM_ERROR, INTERP_LLM_ERROR_REQUEST, _ ("%s keeps no models that can be managed."),
                         interp_provider_get_title (provider));

  return error;
}

/* @sentence: what could not be done. */
static GError *
describe_refusal (InterpRefusal *refusal, const char *sentence)
{
  InterpLlmError code = interp_refusal_classify (refusal);

  if (*refusal->message != '\0')
    return g_error_new (INTERP_LLM_ERROR, code, _ ("%s It said: %s"), sentence, refusal->message);
  if (refusal->status != 0)
    return g_error_new (INTERP_LLM_ERROR, code, _ ("%s It gave status %u."), sentence, refusal->status);

  return g_error_new (INTERP_LLM_ERROR, code, _ ("%s It gave no reason."), sentence);
}

static InterpRefusal *
refusal_of_reply (InterpHttpReply *reply)
{
  gsize length;
  const char *body = g_bytes_get_data (reply->body, &length);

  return interp_refusal_from_response (reply->status, reply->reason, reply->headers, body, length);
}

/* ---- getting ---- */

typedef struct
{
  char *digest;
  guint64 completed;
  guint64 total;
} Layer;

static void
layer_free (gpointer data)
{
  Layer *layer = data;

  g_free (layer->digest);
  g_free (layer);
}

struct _InterpOllamaPull
{
  GObject parent_instance;
  InterpProvider *provider;
  char *name;
  InterpPullState state;
  char *status;
  char *error;
  GPtrArray *layers; /* Layer, as they came up */
  GCancellable *cancellable;
  DexPromise *end;
};

enum
{
  CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (InterpOllamaPull, interp_ollama_pull, G_TYPE_OBJECT)

static void
interp_ollama_pull_finalize (GObject *object)
{
  InterpOllamaPull *self = INTERP_OLLAMA_PULL (object);

  g_clear_object (&self->provider);
  g_clear_object (&self->cancellable);
  g_clear_pointer (&self->layers, g_ptr_array_unref);
  dex_clear (&self->end);
  g_free (self->name);
  g_free (self->status);
  g_free (self->error);

  G_OBJECT_CLASS (interp_ollama_pull_parent_class)->finalize (object);
}

static void
interp_ollama_pull_class_init (InterpOllamaPullClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = interp_ollama_pull_finalize;

  signals[CHANGED]
      = g_signal_new ("changed", INTERP_TYPE_OLLAMA_PULL, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
interp_ollama_pull_init (InterpOllamaPull *self)
{
  self->layers = g_ptr_array_new_with_free_func (layer_free);
  self->cancellable = g_cancellable_new ();
  self->end = dex_promise_new ();
  self->status = g_strdup (_ ("Looking it up"));
}

static GError *
cut_error (InterpOllamaPull *self)
{
  return g_error_new (INTERP_LLM_ERROR, INTERP_LLM_ERROR_INCOMPLETE,
                      _ ("The connection ended before “%s” was complete. Getting it again goes on where it stopped."),
                      self->name);
}

static GError *
protocol_error (InterpOllamaPull *self)
{
  return g_error_new (INTERP_LLM_ERROR, INTERP_LLM_ERROR_PROTOCOL, _ ("What answers at %s does not answer as %s does."),
                      interp_provider_get_base_url (self->provider), interp_provider_get_title (self->provider));
}

static GError *
refused_error (InterpOllamaPull *self, InterpRefusal *refusal)
{
  g_autofree char *sentence = NULL;

  /* Its words for a name that its library does not have. */
  if (strstr (refusal->message, "file does not exist") != NULL)
    return g_error_new (INTERP_LLM_ERROR, INTERP_LLM_ERROR_NO_MODEL,
                        _ ("There is no model “%s” to be got. Names are listed at %s."), self->name,
                        "https://ollama.com/library");

  sentence = g_strdup_printf (_ ("%s could not get “%s”."), interp_provider_get_title (self->provider), self->name);

  return describe_refusal (refusal, sentence);
}

static const char *
translate_status (const char *status)
{
  static const struct
  {
    const char *said;
    const char *shown;
  } known[] = {
    { "pulling manifest", N_ ("Looking it up") },
    { "verifying", N_ ("Checking what has come") },
    { "writing manifest", N_ ("Nearly done") },
    { "removing", N_ ("Nearly done") },
    { "success", N_ ("Done") },
  };

  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (g_str_has_prefix (status, known[i].said))
      return _ (known[i].shown);

  return NULL;
}

static void
set_status (InterpOllamaPull *self, const char *status)
{
  const char *known = translate_status (status);
  g_autofree char *visible = NULL;

  g_free (self->status);
  if (known != NULL)
    {
      self->status = g_strdup (known);
      return;
    }

  visible = interp_text_make_visible (status);
  self->status = interp_text_summary (visible, MAX_STATUS);
}

static gboolean
is_digest (const char *text)
{
  gsize length = strspn (text, "0123456789abcdefghijklmnopqrstuvwxyz:+.-_");

  return length > 0 && length <= MAX_DIGEST && text[length] == '\0';
}

static void
take_layer (InterpOllamaPull *self, const char *digest, JsonNode *line)
{
  Layer *layer = NULL;
  gint64 total = interp_json_get_int (line, "total", 0);
  gint64 completed = interp_json_get_int (line, "completed", 0);

  for (guint i = 0; i < self->layers->len && layer == NULL; i++)
    if (g_str_equal (((Layer *) g_ptr_array_index (self->layers, i))->digest, digest))
      layer = g_ptr_array_index (self->layers, i);

  if (layer == NULL)
    {
      if (self->layers->len == MAX_LAYERS)
        return;

      layer = g_new0 (Layer, 1);
      layer->digest = g_strdup (digest);
      g_ptr_array_add (self->layers, layer);
    }

  if (total > 0)
    layer->total = (guint64) total;
  layer->completed = MIN ((guint64) MAX (completed, 0), layer->total);
  g_set_str (&self->status, _ ("Downloading"));
}

/* FALSE with an error: it is over. */
static gboolean
read_line (InterpOllamaPull *self, const char *text, gsize length, gboolean *success, GError **error)
{
  g_autoptr (JsonNode) line = NULL;
  g_autoptr (InterpRefusal) refusal = NULL;
  const char *status, *digest;

  if (length == 0)
    return TRUE;

  line = interp_json_parse (text, (gssize) length, INTERP_JSON_PARSE_NONE, NULL);
  if (line == NULL || !interp_json_is_object (line))
    {
      g_propagate_error (error, protocol_error (self));
      return FALSE;
    }

  refusal = interp_refusal_from_node (line, FALSE);
  if (refusal != NULL)
    {
      g_propagate_error (error, refused_error (self, refusal));
      return FALSE;
    }

  status = interp_json_get_string (line, "status");
  digest = interp_json_get_string (line, "digest");
  if (digest != NULL && is_digest (digest))
    take_layer (self, digest, line);
  else if (status != NULL)
    set_status (self, status);

  *success = g_strcmp0 (status, "success") == 0;

  return TRUE;
}

/* The next bytes, empty at the end; NULL with an error. */
static GBytes *
read_piece (InterpOllamaPull *self, GInputStream *stream, GError **error)
{
  g_autoptr (DexFuture) read = interp_http_read (stream, self->cancellable);

  dex_await (dex_future_first (dex_ref (read), interp_timeout (SILENCE_LIMIT), NULL), NULL);
  if (dex_future_is_pending (read))
    {
      g_cancellable_cancel (self->cancellable);
      g_set_error (error, INTERP_LLM_ERROR, INTERP_LLM_ERROR_INCOMPLETE, _ ("Nothing came from %s for %d minutes."),
                   interp_provider_get_title (self->provider), SILENCE_LIMIT / 60000);
      return NULL;
    }

  return dex_await_boxed (g_steal_pointer (&read), error);
}

static gboolean
read_refusal (InterpOllamaPull *self, SoupMessage *message, GInputStream *stream, GError **error)
{
  g_autoptr (GByteArray) body = g_byte_array_new ();
  g_autoptr (InterpRefusal) refusal = NULL;

  while (body->len < MAX_ERROR_BODY)
    {
      g_autoptr (GBytes) bytes = read_piece (self, stream, NULL);
      gsize length = 0;
      const guchar *data = bytes != NULL ? g_bytes_get_data (bytes, &length) : NULL;

      if (length == 0)
        break;
      g_byte_array_append (body, data, (guint) MIN (length, MAX_ERROR_BODY - body->len));
    }

  refusal = interp_refusal_from_response (soup_message_get_status (message), soup_message_get_reason_phrase (message),
                                          soup_message_get_response_headers (message), (const char *) body->data,
                                          body->len);
  g_propagate_error (error, refused_error (self, refusal));

  return FALSE;
}

static gboolean
read_progress (InterpOllamaPull *self, GInputStream *stream, GError **error)
{
  g_autoptr (InterpLineSplitter) lines = interp_line_splitter_new (MAX_LINE);
  gboolean success = FALSE;

  for (;;)
    {
      g_autoptr (GError) broken = NULL;
      g_autoptr (GBytes) bytes = read_piece (self, stream, &broken);
      gsize length = 0;
      const char *data = bytes != NULL ? g_bytes_get_data (bytes, &length) : NULL;
      gsize line_length;
      char *line;

      if (length > 0)
        interp_line_splitter_push (lines, data, length);

      while (!success
             && (line = length > 0 ? interp_line_splitter_next (lines, &line_length)
                                   : interp_line_splitter_finish (lines, &line_length))
                    != NULL)
        {
          g_autofree char *owned = line;

          if (!read_line (self, owned, line_length, &success, error))
            return FALSE;
        }

      if (success)
        return TRUE;

      if (interp_line_splitter_overflowed (lines))
        {
          g_propagate_error (error, protocol_error (self));
          return FALSE;
        }

      if (length == 0)
        {
          g_propagate_error (error, g_error_matches (broken, INTERP_LLM_ERROR, INTERP_LLM_ERROR_INCOMPLETE)
                                        ? g_steal_pointer (&broken)
                                        : cut_error (self));
          return FALSE;
        }

      g_signal_emit (self, signals[CHANGED], 0);
    }
}

static gboolean
pull (InterpOllamaPull *self, GError **error)
{
  GError *forbidden = check (self->provider);
  g_autoptr (InterpHttpRequest) request = NULL;
  g_autoptr (SoupMessage) message = NULL;
  g_autoptr (GInputStream) stream = NULL;
  g_autoptr (GError) broken = NULL;
  guint status;
  gboolean done;

  if (forbidden != NULL)
    {
      g_propagate_error (error, forbidden);
      return FALSE;
    }

  request = make_request (self->provider, "POST", "/api/pull",
                          interp_json_object ("model", INTERP_JSON_STRING (self->name), "stream",
                                              INTERP_JSON_BOOL (TRUE), NULL));
  message = interp_http_make_message (request, error);
  if (message == NULL)
    return FALSE;

  stream = dex_await_object (interp_http_send (INTERP_HTTP_STREAM, message, self->cancellable), &broken);
  if (stream == NULL)
    {
      g_propagate_error (error, interp_provider_describe_failure (self->provider, broken));
      return FALSE;
    }

  status = soup_message_get_status (message);
  done = status >= 200 && status <= 299 ? read_progress (self, stream, error)
                                        : read_refusal (self, message, stream, error);

  /* The connection ends with it: what still comes is not waited for. */
  g_cancellable_cancel (self->cancellable);
  if (!g_input_stream_has_pending (stream))
    interp_http_close (stream);

  return done;
}

static DexFuture *
pull_fiber (gpointer data)
{
  InterpOllamaPull *self = data;
  g_autoptr (GError) error = NULL;
  gboolean done = !g_cancellable_is_cancelled (self->cancellable) && pull (self, &error);

  if (done)
    {
      self->state = INTERP_PULL_DONE;
      g_set_str (&self->status, _ ("Done"));
      dex_promise_resolve_boolean (self->end, TRUE);
    }
  else if (self->state == INTERP_PULL_CANCELLED)
    {
      dex_promise_reject (self->end, g_error_new (G_IO_ERROR, G_IO_ERROR_CANCELLED, "%s", _ ("It was cancelled.")));
    }
  else
    {
      self->state = INTERP_PULL_FAILED;
      g_set_str (&self->error, error->message);
      dex_promise_reject (self->end, g_steal_pointer (&error));
    }
  g_signal_emit (self, signals[CHANGED], 0);

  return dex_future_new_true ();
}

InterpOllamaPull *
interp_ollama_pull_new (InterpProvider *provider, const char *name)
{
  InterpOllamaPull *self;

  g_return_val_if_fail (INTERP_IS_PROVIDER (provider), NULL);
  g_return_val_if_fail (name != NULL && *name != '\0', NULL);

  self = g_object_new (INTERP_TYPE_OLLAMA_PULL, NULL);
  self->provider = g_object_ref (provider);
  self->name = g_strdup (name);
  interp_fiber_run ("get a model", pull_fiber, g_object_ref (self), g_object_unref);

  return self;
}

InterpProvider *
interp_ollama_pull_get_provider (InterpOllamaPull *self)
{
  g_return_val_if_fail (INTERP_IS_OLLAMA_PULL (self), NULL);

  return self->provider;
}

const char *
interp_ollama_pull_get_name (InterpOllamaPull *self)
{
  g_return_val_if_fail (INTERP_IS_OLLAMA_PULL (self), NULL);

  return self->name;
}

InterpPullState
interp_ollama_pull_get_state (InterpOllamaPull *self)
{
  g_return_val_if_fail (INTERP_IS_OLLAMA_PULL (self), INTERP_PULL_FAILED);

  return self->state;
}

const char *
interp_ollama_pull_get_status (InterpOllamaPull *self)
{
  g_return_val_if_fail (INTERP_IS_OLLAMA_PULL (self), NULL);

  return self->status;
}

const char *
interp_ollama_pull_get_error (InterpOllamaPull *self)
{
  g_return_val_if_fail (INTERP_IS_OLLAMA_PULL (self), NULL);

  return self->error;
}

guint
interp_ollama_pull_get_n_layers (InterpOllamaPull *self)
{
  g_return_val_if_fail (INTERP_IS_OLLAMA_PULL (self), 0);

  return self->layers->len;
}

void
interp_ollama_pull_get_layer (InterpOllamaPull *self, guint i, const char **digest, guint64 *completed, guint64 *total)
{
  Layer *layer;

  g_return_if_fail (INTERP_IS_OLLAMA_PULL (self));
  g_return_if_fail (i < self->layers->len);

  layer = g_ptr_array_index (self->layers, i);
  *digest = layer->digest;
  *completed = layer->completed;
  *total = layer->total;
}

static guint64
add_up (guint64 a, guint64 b)
{
  return a > G_MAXUINT64 - b ? G_MAXUINT64 : a + b;
}

void
interp_ollama_pull_get_sum (InterpOllamaPull *self, guint64 *completed, guint64 *total)
{
  g_return_if_fail (INTERP_IS_OLLAMA_PULL (self));

  *completed = 0;
  *total = 0;
  for (guint i = 0; i < self->layers->len; i++)
    {
      Layer *layer = g_ptr_array_index (self->layers, i);

      *completed = add_up (*completed, layer->completed);
      *total = add_up (*total, layer->total);
    }
}

DexFuture *
interp_ollama_pull_await (InterpOllamaPull *self)
{
  g_return_val_if_fail (INTERP_IS_OLLAMA_PULL (self), NULL);

  return dex_ref (DEX_FUTURE (self->end));
}

void
interp_ollama_pull_cancel (InterpOllamaPull *self)
{
  g_return_if_fail (INTERP_IS_OLLAMA_PULL (self));

  if (self->state != INTERP_PULL_RUNNING)
    return;

  self->state = INTERP_PULL_CANCELLED;
  g_cancellable_cancel (self->cancellable);
}

/* ---- short questions ---- */

typedef struct
{
  InterpProvider *provider;
  char *name;
} Question;

static void
question_free (gpointer data)
{
  Question *question = data;

  g_object_unref (question->provider);
  g_free (question->name);
  g_free (question);
}

static Question *
question_new (InterpProvider *provider, const char *name)
{
  Question *question = g_new0 (Question, 1);

  question->provider = g_object_ref (provider);
  question->name = g_strdup (name);

  return question;
}

static DexFuture *
delete_fiber (gpointer data)
{
  Question *question = data;
  InterpProvider *provider = question->provider;
  g_autoptr (GError) error = check (provider);
  g_autoptr (InterpHttpReply) reply = NULL;
  g_autoptr (InterpRefusal) refusal = NULL;
  g_autofree char *sentence = NULL;
  JsonNode *body;

  if (error != NULL)
    return dex_future_new_for_error (g_steal_pointer (&error));

  body = interp_json_object ("model", INTERP_JSON_STRING (question->name), NULL);
  reply = dex_await_boxed (interp_http_fetch (make_request (provider, "DELETE", "/api/delete", body), DELETE_LIMIT,
                                              MAX_ERROR_BODY, NULL),
                           &error);
  if (reply == NULL)
    return dex_future_new_for_error (interp_provider_describe_failure (provider, error));
  if (reply->status >= 200 && reply->status <= 299)
    return dex_future_new_true ();

  refusal = refusal_of_reply (reply);
  sentence = g_strdup_printf (_ ("%s could not delete “%s”."), interp_provider_get_title (provider), question->name);

  return dex_future_new_for_error (describe_refusal (refusal, sentence));
}

DexFuture *
interp_ollama_delete (InterpProvider *provider, const char *name)
{
  g_return_val_if_fail (INTERP_IS_PROVIDER (provider), NULL);
  g_return_val_if_fail (name != NULL, NULL);

  return interp_http_spawn (delete_fiber, question_new (provider, name), question_free);
}

static void
loaded_free (gpointer data)
{
  InterpOllamaLoaded *loaded = data;

  g_free (loaded->name);
  g_free (loaded);
}

static GPtrArray *
parse_loaded (JsonNode *body)
{
  GPtrArray *all = g_ptr_array_new_with_free_func (loaded_free);
  JsonNode *list = interp_json_get (body, "models");
  guint n = MIN (interp_json_get_length (list, NULL), MAX_LOADED);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *index = g_strdup_printf ("%u", i);
      JsonNode *entry = interp_json_get (list, index);
      const char *name = interp_json_get_first_string (entry, "name", "model", NULL);
      InterpOllamaLoaded *loaded;

      if (name == NULL || *name == '\0' || strlen (name) > MAX_NAME)
        continue;

      loaded = g_new0 (InterpOllamaLoaded, 1);
      loaded->name = g_strdup (name);
      loaded->memory = (guint64) MAX (0, interp_json_get_int (entry, "size", 0));
      loaded->video_memory = MIN (loaded->memory, (guint64) MAX (0, interp_json_get_int (entry, "size_vram", 0)));
      loaded->context_window = MAX (0, interp_json_get_int (entry, "context_length", 0));
      g_ptr_array_add (all, loaded);
    }

  return all;
}

static DexFuture *
loaded_fiber (gpointer data)
{
  Question *question = data;
  InterpProvider *provider = question->provider;
  g_autoptr (GError) error = check (provider);
  g_autoptr (InterpHttpReply) reply = NULL;
  g_autoptr (InterpRefusal) refusal = NULL;
  g_autoptr (JsonNode) body = NULL;
  InterpHttpRequest *request;
  g_autofree char *url = NULL;
  gsize length;
  const char *text;

  if (error != NULL)
    return dex_future_new_for_error (g_steal_pointer (&error));

  request = make_request (provider, "GET", "/api/ps", NULL);
  url = g_strdup (request->url);
  reply = dex_await_boxed (interp_http_fetch (request, LOADED_LIMIT, MAX_LOADED_BODY, NULL), &error);
  if (reply == NULL)
    return dex_future_new_for_error (interp_provider_describe_failure (provider, error));
  if (reply->status < 200 || reply->status > 299)
    {
      refusal = refusal_of_reply (reply);
      return dex_future_new_for_error (
          interp_refusal_to_error (refusal, interp_provider_get_title (provider), url, ""));
    }

  text = g_bytes_get_data (reply->body, &length);
  body = length > 0 ? interp_json_parse (text, (gssize) length, INTERP_JSON_PARSE_NONE, NULL) : NULL;
  if (!interp_json_is_object (body))
    return dex_future_new_reject (INTERP_LLM_ERROR, INTERP_LLM_ERROR_PROTOCOL,
                                  _ ("What answers at %s does not answer as %s does."), url,
                                  interp_provider_get_title (provider));

  return dex_future_new_take_boxed (G_TYPE_PTR_ARRAY, parse_loaded (body));
}

DexFuture *
interp_ollama_list_loaded (InterpProvider *provider)
{
  g_return_val_if_fail (INTERP_IS_PROVIDER (provider), NULL);

  return interp_http_spawn (loaded_fiber, question_new (provider, NULL), question_free);
}
