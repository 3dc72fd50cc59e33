/* interp-resolve.c: a model by the name that people give it
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm/interp-models-private.h"

#include "base/interp-environment.h"
#include "llm/interp-address.h"
#include "llm/interp-http.h"

#include <glib/gi18n.h>
#include <string.h>

#define LIST_MSEC 5000
#define MAX_NAMED 8

typedef struct
{
  InterpModels *models;
  char *name;
  char *api_base;
  char *api_key;
  gboolean exact; /* the name is one of ours and says what is spoken at api_base */
} Resolve;

static void
resolve_free (gpointer data)
{
  Resolve *self = data;

  g_object_unref (self->models);
  g_free (self->name);
  g_free (self->api_base);
  g_free (self->api_key);
  g_free (self);
}

/* ---- names ---- */

/* "Gemma-3_27B" and "gemma3:27b" are one to people. */
static char *
fold (const char *name)
{
  g_autoptr (GString) folded = g_string_new (NULL);

  for (const char *p = name; *p != '\0'; p++)
    if (*p != '-' && *p != '_' && *p != ':' && *p != '.' && *p != ' ')
      g_string_append_c (folded, g_ascii_tolower (*p));

  return g_string_free_and_steal (g_steal_pointer (&folded));
}

int
interp_models_match (const char *candidate, const char *wanted)
{
  const char *slash = strrchr (candidate, '/');
  const char *colon;
  g_autofree char *base = NULL;
  g_autofree char *folded_candidate = NULL;
  g_autofree char *folded_base = NULL;
  g_autofree char *folded_wanted = NULL;

  if (g_str_equal (candidate, wanted))
    return 100;

  if (g_str_has_suffix (candidate, ":latest") && strlen (candidate) - strlen (":latest") == strlen (wanted)
      && g_str_has_prefix (candidate, wanted))
    return 95;

  if (g_ascii_strcasecmp (candidate, wanted) == 0)
    return 90;

  base = g_strdup (slash != NULL ? slash + 1 : candidate);
  if (g_ascii_strcasecmp (base, wanted) == 0)
    return 85;

  colon = strchr (base, ':');
  if (colon != NULL && (gsize) (colon - base) == strlen (wanted)
      && g_ascii_strncasecmp (base, wanted, strlen (wanted)) == 0)
    return 80;

  folded_candidate = fold (candidate);
  folded_base = fold (base);
  folded_wanted = fold (wanted);
  if (*folded_wanted == '\0')
    return 0;

  if (g_str_equal (folded_base, folded_wanted) || g_str_equal (folded_candidate, folded_wanted))
    return 70;
  if (g_str_has_prefix (folded_candidate, folded_wanted))
    return 60;
  if (g_str_has_prefix (folded_base, folded_wanted))
    return 50;
  if (strlen (folded_wanted) >= 3 && strstr (folded_candidate, folded_wanted) != NULL)
    return 30;

  return 0;
}

/* The model of @provider's list that @wanted means best, and how well. */
static InterpModel *
match_list (InterpProvider *provider, const char *wanted, int *score)
{
  GListModel *list = interp_provider_get_models (provider);
  g_autoptr (InterpModel) best = NULL;

  *score = 0;

  for (guint i = 0; i < g_list_model_get_n_items (list); i++)
    {
      g_autoptr (InterpModel) model = g_list_model_get_item (list, i);
      int s = interp_models_match (interp_model_get_wire_name (model), wanted);

      if (s > *score)
        {
          *score = s;
          g_set_object (&best, model);
        }
    }

  return g_steal_pointer (&best);
}

static char *
name_models (GListModel *list)
{
  g_autoptr (GString) names = g_string_new (NULL);
  guint n = g_list_model_get_n_items (list);

  for (guint i = 0; i < n && i < MAX_NAMED; i++)
    {
      g_autoptr (InterpModel) model = g_list_model_get_item (list, i);

      g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", interp_model_get_wire_name (model));
    }
  if (n > MAX_NAMED)
    g_string_append (names, ", …");

  return g_string_free_and_steal (g_steal_pointer (&names));
}

/* ---- answers ---- */

static DexFuture *
found (InterpProvider *provider, InterpModel *model)
{
  /* What cannot be learnt now is learnt by asking. */
  dex_await (interp_provider_inspect (provider, model), NULL);

  return dex_future_new_for_object (model);
}

static DexFuture *
not_there (InterpProvider *provider, const char *wanted)
{
  GListModel *list = interp_provider_get_models (provider);
  const char *title = interp_provider_get_title (provider);
  gboolean ollama = interp_provider_get_codec (provider) == &interp_codec_ollama;
  g_autofree char *names = NULL;

  if (g_list_model_get_n_items (list) == 0)
    {
      if (ollama)
        return dex_future_new_reject (INTERP_LLM_ERROR, INTERP_LLM_ERROR_NO_MODEL,
                                      _ ("Ollama has no models yet. “ollama pull %s” gets this one."), wanted);

      return dex_future_new_reject (INTERP_LLM_ERROR, INTERP_LLM_ERROR_NO_MODEL, _ ("%s has no models."), title);
    }

  names = name_models (list);
  if (ollama)
    return dex_future_new_reject (INTERP_LLM_ERROR, INTERP_LLM_ERROR_NO_MODEL,
                                  _ ("Ollama has no model “%s”; “ollama pull %s” gets it. It has: %s."), wanted, wanted,
                                  names);

  return dex_future_new_reject (INTERP_LLM_ERROR, INTERP_LLM_ERROR_NO_MODEL, _ ("%s has no model “%s”. It has: %s."),
                                title, wanted, names);
}

static DexFuture *
resolve_at (Resolve *self, InterpProvider *provider, const char *wanted)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InterpModel) model = NULL;
  gboolean empty = wanted == NULL || *wanted == '\0';
  int score;

  if (self->api_key != NULL)
    interp_provider_set_key (provider, self->api_key, INTERP_KEY_SESSION);
  else if (interp_provider_get_key (provider) == NULL)
    dex_await (interp_models_load_key (self->models, provider), NULL);

  error = interp_provider_check (provider);
  if (error != NULL)
    return dex_future_new_for_error (g_steal_pointer (&error));

  /* Elsewhere a name is taken as it is: lists are long, and not all that works is in them. */
  if (!empty && !interp_provider_is_local (provider))
    {
      model = interp_provider_get_model (provider, wanted);
      return found (provider, model);
    }

  dex_await (interp_provider_list_models_within (provider, LIST_MSEC), &error);
  if (error != NULL)
    {
      /* Servers without a list exist; the name given may be all there is to know. */
      if (!empty && g_error_matches (error, INTERP_LLM_ERROR, INTERP_LLM_ERROR_PROTOCOL))
        {
          model = interp_provider_get_model (provider, wanted);
          return dex_future_new_for_object (model);
        }

      return dex_future_new_for_error (g_steal_pointer (&error));
    }

  if (empty)
    {
      model = g_list_model_get_item (interp_provider_get_models (provider), 0);
      if (model == NULL)
        return dex_future_new_reject (INTERP_LLM_ERROR, INTERP_LLM_ERROR_NO_MODEL, _ ("%s has no models."),
                                      interp_provider_get_title (provider));
      return found (provider, model);
    }

  model = match_list (provider, wanted, &score);
  if (model == NULL)
    return not_there (provider, wanted);

  return found (provider, model);
}

/* Where Google speaks Chat Completions ("…/v1beta/openai") and nothing else. */
static gboolean
is_compatible_address (const char *address)
{
  gsize length = strlen (address);

  while (length > 0 && address[length - 1] == '/')
    length--;

  return length > strlen ("/openai")
         && strncmp (address + length - strlen ("/openai"), "/openai", strlen ("/openai")) == 0;
}

static DexFuture *
resolve_at_address (Resolve *self)
{
  const char *slash = self->name != NULL ? strchr (self->name, '/') : NULL;
  g_autofree char *prefix = slash != NULL ? g_strndup (self->name, slash - self->name) : g_strdup (self->name);
  InterpProvider *named = prefix != NULL ? interp_models_get_provider (self->models, prefix) : NULL;
  const char *wanted = self->name;
  const InterpCodec *codec = NULL;
  InterpProvider *provider;
  g_autoptr (GError) error = NULL;
  gboolean compatible;

  if (named != NULL)
    codec = interp_codec_find (interp_profile_get_codec (interp_provider_get_profile (named)));
  compatible = codec == &interp_codec_gemini && is_compatible_address (self->api_base);

  /* "ollama/x" at another address is Ollama there; "openai/x", by habit, a server of Chat Completions. */
  if (codec != NULL && codec != &interp_codec_chat && !compatible && (self->exact || !g_str_equal (prefix, "openai")))
    {
      g_autofree char *base_url = codec == &interp_codec_responses
                                      ? interp_address_normalize_compatible (self->api_base, &error)
                                      : interp_address_normalize (self->api_base, &error);
      g_autoptr (InterpProfile) profile = NULL;
      g_autofree char *id = NULL;

      if (base_url == NULL)
        return dex_future_new_for_error (g_steal_pointer (&error));

      if (codec != &interp_codec_responses && g_str_has_suffix (base_url, "/v1"))
        base_url[strlen (base_url) - strlen ("/v1")] = '\0';

      id = g_strdup_printf ("%s-%x", interp_provider_get_id (named), g_str_hash (base_url));
      provider = interp_models_get_provider (self->models, id);
      if (provider == NULL)
        {
          profile = interp_profile_with_address (interp_provider_get_profile (named), id, base_url);
          provider = interp_models_add_profile (self->models, profile);
        }

      return resolve_at (self, provider, slash != NULL ? slash + 1 : NULL);
    }

  provider = interp_models_add_address (self->models, self->api_base, self->api_key, &error);
  if (provider == NULL)
    return dex_future_new_for_error (g_steal_pointer (&error));

  /* By habit "openai/x" stands for "x, spoken to as to OpenAI". */
  if (slash != NULL
      && (named == provider || compatible || g_str_equal (prefix, "openai")
          || g_str_equal (prefix, INTERP_PROFILE_CUSTOM) || g_str_equal (prefix, "openai-compatible")))
    wanted = slash + 1;

  return resolve_at (self, provider, wanted);
}

/* "http://localhost:8080/v1#name", "ollama+http://…#name": as interp_model_dup_name () gives them. */
static void
take_address_from_name (Resolve *self)
{
  g_autofree char *given = g_steal_pointer (&self->name);
  g_autofree char *origin = NULL;
  const char *address, *hash;

  self->api_base = interp_model_name_dup_address (given);
  address = strstr (given, self->api_base);
  self->exact = address > given;
  hash = strchr (address, '#');
  origin = self->exact ? g_strndup (given, address - given - 1) : g_strdup (INTERP_PROFILE_CUSTOM);
  if (hash != NULL && hash[1] != '\0')
    self->name = g_strconcat (origin, "/", hash + 1, NULL);
}

static DexFuture *
resolve_bare (Resolve *self)
{
  GListModel *findings = interp_models_get_findings (self->models);
  GListModel *providers = interp_models_get_providers (self->models);
  g_autoptr (InterpModel) best = NULL;
  g_autoptr (GString) places = g_string_new (NULL);
  int best_score = 0;

  dex_await (interp_models_discover (self->models), NULL);

  for (guint i = 0; i < g_list_model_get_n_items (findings); i++)
    {
      g_autoptr (InterpFinding) finding = g_list_model_get_item (findings, i);
      g_autoptr (InterpModel) model = NULL;
      int score;

      if (self->name == NULL || *self->name == '\0')
        {
          best = g_list_model_get_item (interp_finding_get_models (finding), 0);
          if (best != NULL)
            break;
          continue;
        }

      model = match_list (interp_finding_get_provider (finding), self->name, &score);
      if (score > best_score)
        {
          best_score = score;
          g_set_object (&best, model);
        }
    }

  /* "gpt-…" is OpenAI's, whatever vaguely similar is here. */
  if (best_score < 60 && self->name != NULL && *self->name != '\0')
    {
      for (guint i = 0; i < g_list_model_get_n_items (providers); i++)
        {
          g_autoptr (InterpProvider) provider = g_list_model_get_item (providers, i);

          if (interp_profile_claims (interp_provider_get_profile (provider), self->name))
            return resolve_at (self, provider, self->name);
        }
    }

  if (best != NULL)
    return found (interp_model_get_provider (best), best);

  for (guint i = 0; i < g_list_model_get_n_items (findings); i++)
    {
      g_autoptr (InterpFinding) finding = g_list_model_get_item (findings, i);

      g_string_append_printf (places, "%s%s", places->len > 0 ? ", " : "",
                              interp_provider_get_title (interp_finding_get_provider (finding)));
    }

  if (self->name == NULL || *self->name == '\0')
    return dex_future_new_reject (INTERP_LLM_ERROR, INTERP_LLM_ERROR_NO_MODEL,
                                  _ ("No model was found. Start Ollama or another server on this computer, give a key, "
                                     "or take "
                                     "the Tour (--model tour)."));

  if (places->len == 0)
    return dex_future_new_reject (INTERP_LLM_ERROR, INTERP_LLM_ERROR_NO_MODEL,
                                  _ ("The model “%s” was not found: no server answers on this computer and no key is "
                                     "known."),
                                  self->name);

  return dex_future_new_reject (INTERP_LLM_ERROR, INTERP_LLM_ERROR_NO_MODEL,
                                _ ("The model “%s” was not found among what is here (%s). “provider/name” says where "
                                   "it is."),
                                self->name, places->str);
}

static DexFuture *
resolve_fiber (gpointer data)
{
  Resolve *self = data;
  g_auto (GStrv) environment = interp_environment_get ();
  const char *slash;
  g_autofree char *prefix = NULL;
  InterpProvider *provider;

  if (self->name != NULL && (g_str_equal (self->name, "tour") || g_str_has_prefix (self->name, "tour/")))
    {
      g_autoptr (InterpModel) model = NULL;

      provider = interp_models_get_provider (self->models, "tour");
      if (provider == NULL)
        return dex_future_new_reject (INTERP_LLM_ERROR, INTERP_LLM_ERROR_NO_MODEL,
                                      _ ("The Tour is not installed. Installing Interpreter again brings it back."));

      model = interp_provider_get_model (provider, "tour");
      return dex_future_new_for_object (model);
    }

  interp_models_read_environment (self->models, (const char *const *) environment);
  if (self->name != NULL && self->api_base == NULL && strstr (self->name, "://") != NULL)
    take_address_from_name (self);

  if (self->api_base != NULL)
    return resolve_at_address (self);

  slash = self->name != NULL ? strchr (self->name, '/') : NULL;
  prefix = slash != NULL ? g_strndup (self->name, slash - self->name) : g_strdup (self->name);
  provider = prefix != NULL ? interp_models_get_provider (self->models, prefix) : NULL;
  if (provider != NULL)
    return resolve_at (self, provider, slash != NULL ? slash + 1 : NULL);

  return resolve_bare (self);
}

DexFuture *
interp_models_resolve (InterpModels *self, const char *name, const char *api_base, const char *api_key)
{
  Resolve *resolve;

  g_return_val_if_fail (INTERP_IS_MODELS (self), NULL);

  resolve = g_new0 (Resolve, 1);
  resolve->models = g_object_ref (self);
  resolve->name = name != NULL ? g_strstrip (g_strdup (name)) : NULL;
  resolve->api_base = api_base != NULL && *api_base != '\0' ? g_strdup (api_base) : NULL;
  resolve->api_key = api_key != NULL && *api_key != '\0' ? g_strdup (api_key) : NULL;

  return interp_http_spawn (resolve_fiber, resolve, resolve_free);
}
