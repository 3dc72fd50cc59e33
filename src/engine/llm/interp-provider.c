/* interp-provider.c: one place that answers prompts
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm/interp-provider-private.h"

#include "base/interp-clock.h"
#include "base/interp-json.h"
#include "llm/interp-address.h"
#include "llm/interp-http.h"
#include "llm/interp-stream-private.h"

#include <glib/gi18n.h>
#include <string.h>

#define LIST_LIMIT_MSEC (20 * 1000)
#define INSPECT_LIMIT_MSEC (10 * 1000)
#define MAX_LIST (16 * 1024 * 1024)
/* Of one list. */
#define MAX_PAGES 64
#define MAX_MODELS 20000
/* Shorter ones are no secrets, and may be words: "test", "ollama". */
#define MIN_REDACTED 8

struct _InterpProvider
{
  GObject parent_instance;
  InterpProfile *profile;
  const InterpCodec *codec;
  char *base_url;
  char *key;
  InterpKeySource key_source;
  const char *key_variable; /* the profile's; NULL unless the key came from it */
  gboolean offline;
  gboolean own_address;  /* the user's, not to be replaced by a variable's */
  gboolean base_works;   /* something was found there */
  gboolean base_toggled; /* with or without /v1, other than typed */
  gboolean listed;
  GHashTable *known;  /* wire name → InterpModel: what was learnt of a model is kept as long as we are */
  GListStore *models; /* as listed */
};

enum
{
  MODELS_CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (InterpProvider, interp_provider, G_TYPE_OBJECT)

static void
interp_provider_finalize (GObject *object)
{
  InterpProvider *self = INTERP_PROVIDER (object);

  g_hash_table_unref (self->known);
  g_clear_object (&self->models);
  g_clear_pointer (&self->profile, interp_profile_unref);
  g_free (self->base_url);
  g_free (self->key);

  G_OBJECT_CLASS (interp_provider_parent_class)->finalize (object);
}

static void
interp_provider_class_init (InterpProviderClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = interp_provider_finalize;

  signals[MODELS_CHANGED]
      = g_signal_new ("models-changed", INTERP_TYPE_PROVIDER, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
interp_provider_init (InterpProvider *self)
{
  self->known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_object_unref);
  self->models = g_list_store_new (INTERP_TYPE_MODEL);
}

InterpProvider *
interp_provider_new (InterpProfile *profile)
{
  InterpProvider *self = g_object_new (INTERP_TYPE_PROVIDER, NULL);

  self->profile = interp_profile_ref (profile);
  self->codec = interp_codec_find (interp_profile_get_codec (profile));
  self->base_url = g_strdup (interp_profile_get_base_url (profile));
  if (interp_profile_get_own_address (profile) != NULL)
    {
      interp_provider_set_base_url (self, interp_profile_get_own_address (profile));
      self->own_address = TRUE;
    }

  return self;
}

void
interp_provider_release (InterpProvider *self)
{
  g_return_if_fail (INTERP_IS_PROVIDER (self));

  g_list_store_remove_all (self->models);
  g_hash_table_remove_all (self->known);
}

InterpProfile *
interp_provider_get_profile (InterpProvider *self)
{
  return self->profile;
}

const InterpCodec *
interp_provider_get_codec (InterpProvider *self)
{
  return self->codec;
}

void
interp_provider_set_base_url (InterpProvider *self, const char *base_url)
{
  g_set_str (&self->base_url, base_url);
  self->codec = interp_codec_find (interp_profile_get_codec_at (self->profile, base_url));
  self->base_works = FALSE;
  self->base_toggled = FALSE;
}

gboolean
interp_provider_has_own_address (InterpProvider *self)
{
  return self->own_address;
}

void
interp_provider_set_own_address (InterpProvider *self, const char *base_url)
{
  self->own_address = base_url != NULL;
  interp_provider_set_base_url (self, base_url != NULL ? base_url : interp_profile_get_base_url (self->profile));
  interp_provider_forget_list (self);
}

gboolean
interp_provider_lacks_address (InterpProvider *self)
{
  return interp_profile_get_address_needed (self->profile)
         && g_strcmp0 (self->base_url, interp_profile_get_base_url (self->profile)) == 0;
}

gboolean
interp_provider_is_address (InterpProvider *self)
{
  g_return_val_if_fail (INTERP_IS_PROVIDER (self), FALSE);

  return g_str_has_prefix (interp_provider_get_id (self), "at-");
}

const char *
interp_provider_get_key (InterpProvider *self)
{
  return self->key;
}

void
interp_provider_set_offline (InterpProvider *self, gboolean offline)
{
  self->offline = offline;
}

const char *
interp_provider_get_id (InterpProvider *self)
{
  g_return_val_if_fail (INTERP_IS_PROVIDER (self), NULL);

  return interp_profile_get_id (self->profile);
}

const char *
interp_provider_get_title (InterpProvider *self)
{
  g_return_val_if_fail (INTERP_IS_PROVIDER (self), NULL);

  return interp_profile_get_title (self->profile);
}

const char *
interp_provider_get_base_url (InterpProvider *self)
{
  g_return_val_if_fail (INTERP_IS_PROVIDER (self), NULL);

  return self->base_url;
}

gboolean
interp_provider_is_local (InterpProvider *self)
{
  g_return_val_if_fail (INTERP_IS_PROVIDER (self), FALSE);

  return self->base_url == NULL || interp_address_is_loopback (self->base_url);
}

static gboolean
is_tour (InterpProvider *self)
{
  return g_str_equal (interp_profile_get_codec (self->profile), "tour");
}

char *
interp_provider_describe_place (InterpProvider *self)
{
  g_autoptr (GUri) uri = NULL;

  g_return_val_if_fail (INTERP_IS_PROVIDER (self), NULL);

  if (is_tour (self))
    return g_strdup (_ ("A script, not a model"));
  if (interp_provider_is_local (self))
    return g_strdup (_ ("On this computer"));

  uri = g_uri_parse (self->base_url, G_URI_FLAGS_ENCODED, NULL);

  return g_strdup (uri != NULL ? g_uri_get_host (uri) : self->base_url);
}

gboolean
interp_provider_needs_key (InterpProvider *self)
{
  g_return_val_if_fail (INTERP_IS_PROVIDER (self), FALSE);

  return interp_profile_get_key_required (self->profile) && !interp_provider_is_local (self);
}

InterpKeySource
interp_provider_get_key_source (InterpProvider *self)
{
  g_return_val_if_fail (INTERP_IS_PROVIDER (self), INTERP_KEY_NONE);

  return self->key_source;
}

const char *
interp_provider_get_key_variable (InterpProvider *self)
{
  g_return_val_if_fail (INTERP_IS_PROVIDER (self), NULL);

  return self->key_variable != NULL ? self->key_variable : interp_profile_get_key_variables (self->profile)[0];
}

void
interp_provider_set_key (InterpProvider *self, const char *key, InterpKeySource source)
{
  g_autofree char *stripped = NULL;

  g_return_if_fail (INTERP_IS_PROVIDER (self));

  stripped = key != NULL ? g_strstrip (g_strdup (key)) : NULL;

  /* A line break in a header would be a second header. */
  if (stripped != NULL && (*stripped == '\0' || strpbrk (stripped, "\r\n") != NULL))
    g_clear_pointer (&stripped, g_free);

  g_set_str (&self->key, stripped);
  self->key_source = stripped != NULL ? source : INTERP_KEY_NONE;
  self->key_variable = NULL;
}

void
interp_provider_set_key_from_variable (InterpProvider *self, const char *key, const char *variable)
{
  interp_provider_set_key (self, key, INTERP_KEY_ENVIRONMENT);
  if (self->key != NULL)
    self->key_variable = variable;
}

/* ---- asking ---- */

static GError *
check_with (InterpProvider *self, const char *key)
{
  const char *title = interp_provider_get_title (self);

  if (self->base_url == NULL || self->codec == NULL)
    return g_error_new (INTERP_LLM_ERROR, INTERP_LLM_ERROR_REQUEST, _ ("%s cannot be used by this version."), title);

  if (self->offline && !interp_provider_is_local (self))
    {
      g_autofree char *place = interp_provider_describe_place (self);

      return g_error_new (INTERP_LLM_ERROR, INTERP_LLM_ERROR_OFFLINE,
                          _ ("%s is at %s, and only models on this computer may be used."), title, place);
    }

  if (interp_provider_lacks_address (self))
    {
      const char *variable = interp_profile_get_address_variables (self->profile)[0];

      if (variable != NULL)
        return g_error_new (INTERP_LLM_ERROR, INTERP_LLM_ERROR_KEY,
                            _ ("%s needs your own address. Type it in Preferences, or set %s."), title, variable);

      return g_error_new (INTERP_LLM_ERROR, INTERP_LLM_ERROR_KEY,
                          _ ("%s needs your own address. Type it in Preferences."), title);
    }

  if (interp_provider_needs_key (self) && key == NULL)
    {
      const char *variable = interp_provider_get_key_variable (self);

      if (variable != NULL)
        return g_error_new (INTERP_LLM_ERROR, INTERP_LLM_ERROR_KEY,
                            _ ("%s needs a key. Type it in Preferences, or set %s."), title, variable);

      return g_error_new (INTERP_LLM_ERROR, INTERP_LLM_ERROR_KEY, _ ("%s needs a key. Type it in Preferences."), title);
    }

  return NULL;
}

GError *
interp_provider_check (InterpProvider *self)
{
  return check_with (self, self->key);
}

static InterpCodecContext *
make_context_with (InterpProvider *self, InterpModel *model, const char *key)
{
  const char *name = model != NULL ? interp_model_get_wire_name (model) : NULL;
  InterpQuirks quirks = interp_profile_get_quirks (self->profile, name);

  if (model != NULL)
    quirks |= interp_model_get_quirks (model);

  return interp_codec_context_new (self->profile, self->base_url, key, quirks, name);
}

InterpCodecContext *
interp_provider_make_context (InterpProvider *self, InterpModel *model)
{
  return make_context_with (self, model, self->key);
}

gboolean
interp_provider_try_other_base (InterpProvider *self)
{
  g_autofree char *other = NULL;

  if (self->base_works || self->codec != &interp_codec_chat || !g_str_has_prefix (interp_provider_get_id (self), "at-"))
    return FALSE;

  other = interp_address_toggle_v1 (self->base_url);
  g_set_str (&self->base_url, other);
  self->base_toggled = !self->base_toggled;

  /* When there is nothing either way, it stays as it was typed. */
  return self->base_toggled;
}

void
interp_provider_confirm_base (InterpProvider *self)
{
  self->base_works = TRUE;
}

GError *
interp_provider_describe_failure (InterpProvider *self, const GError *error)
{
  const char *title = interp_provider_get_title (self);

  if (g_error_matches (error, INTERP_LLM_ERROR, INTERP_LLM_ERROR_OFFLINE))
    return g_error_copy (error);

  if (interp_provider_is_local (self) && interp_http_error_is_refused (error))
    {
      const char *start = interp_profile_get_start (self->profile);

      if (start != NULL)
        return g_error_new (INTERP_LLM_ERROR, INTERP_LLM_ERROR_UNREACHABLE,
                            _ ("%s does not answer at %s. Start it (%s) and try again."), title, self->base_url, start);

      return g_error_new (INTERP_LLM_ERROR, INTERP_LLM_ERROR_UNREACHABLE,
                          _ ("Nothing answers at %s. Start the server and try again."), self->base_url);
    }

  return g_error_new (INTERP_LLM_ERROR, INTERP_LLM_ERROR_UNREACHABLE, _ ("%s cannot be reached at %s: %s"), title,
                      self->base_url, error->message);
}

/* ---- models ---- */

InterpModel *
interp_provider_get_model (InterpProvider *self, const char *wire_name)
{
  InterpModel *model;

  g_return_val_if_fail (INTERP_IS_PROVIDER (self), NULL);
  g_return_val_if_fail (wire_name != NULL, NULL);

  model = g_hash_table_lookup (self->known, wire_name);
  if (model != NULL)
    return g_object_ref (model);

  model = interp_model_new (self, wire_name);
  g_hash_table_insert (self->known, g_strdup (wire_name), g_object_ref (model));

  return model;
}

GListModel *
interp_provider_get_models (InterpProvider *self)
{
  return G_LIST_MODEL (self->models);
}

gboolean
interp_provider_is_listed (InterpProvider *self)
{
  return self->listed;
}

void
interp_provider_forget_list (InterpProvider *self)
{
  self->listed = FALSE;
  g_list_store_remove_all (self->models);
}

static void
take_list (InterpProvider *self, GPtrArray *all)
{
  g_autoptr (GPtrArray) models = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GHashTable) taken = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < all->len; i++)
    {
      InterpModelFacts *facts = g_ptr_array_index (all, i);
      g_autoptr (InterpModel) model = interp_provider_get_model (self, facts->name);

      interp_model_apply (model, facts);
      /* Pages may overlap. */
      if (g_hash_table_add (taken, model) && interp_model_is_for_chat (model))
        g_ptr_array_add (models, g_steal_pointer (&model));
    }

  self->listed = TRUE;
  g_list_store_splice (self->models, 0, g_list_model_get_n_items (G_LIST_MODEL (self->models)), models->pdata,
                       models->len);
  g_signal_emit (self, signals[MODELS_CHANGED], 0);
}

typedef struct
{
  InterpProvider *provider;
  InterpModel *model;
  guint msec;
  gboolean other_key; /* asked with @key, not with the provider's */
  char *key;
  GCancellable *cancellable;
} Question;

static Question *
question_new (InterpProvider *provider, InterpModel *model, guint msec)
{
  Question *question = g_new0 (Question, 1);

  question->provider = g_object_ref (provider);
  g_set_object (&question->model, model);
  question->msec = msec;

  return question;
}

static void
question_free (gpointer data)
{
  Question *question = data;

  g_clear_object (&question->model);
  g_object_unref (question->provider);
  g_free (question->key);
  g_clear_object (&question->cancellable);
  g_free (question);
}

static JsonNode *
parse_body (InterpHttpReply *reply)
{
  gsize length;
  const char *body = g_bytes_get_data (reply->body, &length);

  return length > 0 ? interp_json_parse (body, length, INTERP_JSON_PARSE_NONE, NULL) : NULL;
}

void
interp_provider_redact (GError *error, const char *key)
{
  g_autoptr (GString) text = NULL;

  if (key == NULL || strlen (key) < MIN_REDACTED || strstr (error->message, key) == NULL)
    return;

  text = g_string_new (error->message);
  g_string_replace (text, key, "…", 0);
  g_set_str (&error->message, text->str);
}

static GError *
refusal_of (InterpProvider *self, InterpHttpReply *reply, const char *url, const char *model, const char *key)
{
  GError *error;
  gsize length;
  const char *body = g_bytes_get_data (reply->body, &length);
  g_autoptr (InterpRefusal) refusal
      = interp_refusal_from_response (reply->status, reply->reason, reply->headers, body, length);

  error = interp_refusal_to_error (refusal, interp_provider_get_title (self), url, model != NULL ? model : "");
  interp_provider_redact (error, key);

  return error;
}

/* What the user cancelled is no failure of the server. */
static DexFuture *
reject_failure (InterpProvider *self, GError *error)
{
  g_autoptr (GError) owned = error;

  return dex_future_new_for_error (g_error_matches (owned, G_IO_ERROR, G_IO_ERROR_CANCELLED)
                                       ? g_steal_pointer (&owned)
                                       : interp_provider_describe_failure (self, owned));
}

/* NULL when @key is good as far as can be known. */
static DexFuture *
check_key_flow (Question *question, InterpCodecContext *context)
{
  InterpProvider *self = question->provider;
  const char *path = interp_profile_get_key_check (self->profile);
  g_autoptr (InterpHttpReply) reply = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *url = NULL;
  InterpHttpRequest *request;

  if (path == NULL || question->key == NULL)
    return NULL;

  url = g_strconcat (self->base_url, path, NULL);
  request = interp_http_request_new ("GET", g_strdup (url), NULL);
  interp_codec_authorize (context, request);
  reply = dex_await_boxed (interp_http_fetch (request, question->msec, MAX_LIST, question->cancellable), &error);
  if (reply == NULL)
    return reject_failure (self, g_steal_pointer (&error));
  if (reply->status == 401 || reply->status == 403)
    return dex_future_new_for_error (refusal_of (self, reply, url, NULL, question->key));

  return NULL;
}

static DexFuture *
list_fiber (gpointer data)
{
  Question *question = data;
  InterpProvider *self = question->provider;
  gint64 until = interp_clock_monotonic () / 1000 + question->msec;
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func ((GDestroyNotify) interp_model_facts_free);
  g_autofree char *page = NULL;

  for (guint n_pages = 1;; n_pages++)
    {
      const char *key = question->other_key ? question->key : self->key;
      g_autoptr (GError) error = check_with (self, key);
      DexFuture *refused;
      g_autoptr (InterpCodecContext) context = NULL;
      g_autoptr (InterpHttpReply) reply = NULL;
      g_autoptr (JsonNode) body = NULL;
      g_autoptr (GPtrArray) some = NULL;
      g_autofree char *url = NULL;
      g_autofree char *next = NULL;
      const InterpCodec *codec = self->codec;
      InterpHttpRequest *request;
      gint64 left = until - interp_clock_monotonic () / 1000;

      if (error != NULL)
        return dex_future_new_for_error (g_steal_pointer (&error));

      context = make_context_with (self, NULL, key);
      refused = page == NULL ? check_key_flow (question, context) : NULL;
      if (refused != NULL)
        return refused;

      request = codec->build_list (context, page);
      url = g_strdup (request->url);

      reply = dex_await_boxed (interp_http_fetch (request, MAX (left, 1), MAX_LIST, question->cancellable), &error);
      if (reply == NULL)
        return reject_failure (self, g_steal_pointer (&error));

      if (reply->status < 200 || reply->status > 299)
        {
          if (reply->status == 404 && interp_provider_try_other_base (self))
            continue;

          return dex_future_new_for_error (refusal_of (self, reply, url, NULL, key));
        }

      body = parse_body (reply);
      some = body != NULL ? codec->parse_list (body) : NULL;
      if (some == NULL)
        {
          if (interp_provider_try_other_base (self))
            continue;

          return dex_future_new_reject (INTERP_LLM_ERROR, INTERP_LLM_ERROR_PROTOCOL,
                                        _ ("What answers at %s does not list models."), url);
        }

      interp_provider_confirm_base (self);
      g_ptr_array_extend_and_steal (all, g_steal_pointer (&some));

      /* A server that does not know of pages gives the same one again. */
      next = codec->get_next_page != NULL ? codec->get_next_page (body) : NULL;
      if (next == NULL || *next == '\0' || g_strcmp0 (next, page) == 0 || n_pages >= MAX_PAGES
          || all->len >= MAX_MODELS)
        break;

      g_set_str (&page, next);
    }

  take_list (self, all);

  return dex_future_new_for_object (self->models);
}

DexFuture *
interp_provider_list_models_within (InterpProvider *self, guint msec)
{
  /* The tour has one model, itself. */
  if (self->base_url == NULL)
    {
      if (g_list_model_get_n_items (G_LIST_MODEL (self->models)) == 0)
        {
          g_autoptr (InterpModel) model = interp_provider_get_model (self, interp_provider_get_id (self));

          g_list_store_append (self->models, model);
          self->listed = TRUE;
        }

      return dex_future_new_for_object (self->models);
    }

  return interp_http_spawn (list_fiber, question_new (self, NULL, msec), question_free);
}

DexFuture *
interp_provider_list_models (InterpProvider *self)
{
  g_return_val_if_fail (INTERP_IS_PROVIDER (self), NULL);

  return interp_provider_list_models_within (self, LIST_LIMIT_MSEC);
}

DexFuture *
interp_provider_list_models_with_key (InterpProvider *self, const char *key, GCancellable *cancellable)
{
  Question *question;

  /* The tour takes no key. */
  g_return_val_if_fail (self->base_url != NULL, NULL);

  question = question_new (self, NULL, LIST_LIMIT_MSEC);
  question->other_key = TRUE;
  question->key = g_strdup (key);
  g_set_object (&question->cancellable, cancellable);

  return interp_http_spawn (list_fiber, question, question_free);
}

static DexFuture *
inspect_fiber (gpointer data)
{
  Question *question = data;
  InterpProvider *self = question->provider;
  InterpModel *model = question->model;
  const char *name = interp_model_get_wire_name (model);
  g_autoptr (GError) error = interp_provider_check (self);
  g_autoptr (InterpCodecContext) context = NULL;
  g_autoptr (InterpHttpReply) reply = NULL;
  g_autoptr (JsonNode) body = NULL;
  g_autoptr (InterpModelFacts) facts = NULL;
  g_autofree char *url = NULL;
  InterpHttpRequest *request = NULL;

  if (error != NULL)
    return dex_future_new_for_error (g_steal_pointer (&error));

  /* The list says most; remote lists are asked for only when someone looks at them. */
  if (!self->listed && interp_provider_is_local (self))
    dex_await (interp_provider_list_models_within (self, question->msec), NULL);

  context = interp_provider_make_context (self, model);
  if (self->codec->build_inspect != NULL)
    request = self->codec->build_inspect (context, name);

  if (request != NULL)
    {
      url = g_strdup (request->url);
      reply = dex_await_boxed (interp_http_fetch (request, question->msec, MAX_LIST, NULL), &error);
      if (reply == NULL)
        return dex_future_new_for_error (interp_provider_describe_failure (self, error));

      if (reply->status >= 200 && reply->status <= 299 && (body = parse_body (reply)) != NULL)
        {
          facts = interp_model_facts_new (name);
          self->codec->parse_inspect (body, facts);
          interp_model_apply (model, facts);
        }
      else if (self->codec == &interp_codec_ollama && reply->status == 404)
        {
          return dex_future_new_for_error (refusal_of (self, reply, url, name, self->key));
        }
    }

  interp_model_set_inspected (model);

  return dex_future_new_true ();
}

DexFuture *
interp_provider_inspect (InterpProvider *self, InterpModel *model)
{
  g_return_val_if_fail (INTERP_IS_PROVIDER (self), NULL);
  g_return_val_if_fail (INTERP_IS_MODEL (model), NULL);

  if (interp_model_is_inspected (model) || self->base_url == NULL)
    return dex_future_new_true ();

  return interp_http_spawn (inspect_fiber, question_new (self, model, INSPECT_LIMIT_MSEC), question_free);
}

InterpStream *
interp_provider_stream (InterpProvider *self, InterpRequest *request)
{
  g_autoptr (InterpModel) model = NULL;
  GError *error;

  g_return_val_if_fail (INTERP_IS_PROVIDER (self), NULL);
  g_return_val_if_fail (request != NULL && request->model != NULL, NULL);

  if (is_tour (self))
    return interp_tour_start (request);

  error = interp_provider_check (self);
  if (error != NULL)
    return interp_stream_new_failed (error);

  model = interp_provider_get_model (self, request->model);

  return interp_exchange_start (self, model, request);
}
