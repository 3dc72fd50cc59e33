/* interp-models.c: every provider we know and which of them answer
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm/interp-models-private.h"

#include "base/interp-environment.h"
#include "base/interp-fiber.h"
#include "base/interp-paths.h"
#include "llm/interp-address.h"
#include "llm/interp-finding.h"
#include "llm/interp-http.h"
#include "llm/interp-provider-private.h"
#include "store/interp-secrets.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <string.h>

#define PROBE_MSEC 1500
#define KEYRING_MSEC 1500

struct _InterpModels
{
  GObject parent_instance;
  GListStore *providers;
  GListStore *findings;
  GListStore *pulls;
  gboolean offline;
  DexFuture *discovery; /* under way or done */
  char *keyring_fault;
};

G_DEFINE_FINAL_TYPE (InterpModels, interp_models, G_TYPE_OBJECT)

static void
interp_models_dispose (GObject *object)
{
  InterpModels *self = INTERP_MODELS (object);

  for (guint i = 0; self->providers != NULL && i < g_list_model_get_n_items (G_LIST_MODEL (self->providers)); i++)
    {
      g_autoptr (InterpProvider) provider = g_list_model_get_item (G_LIST_MODEL (self->providers), i);

      interp_provider_release (provider);
    }

  for (guint i = 0; self->pulls != NULL && i < g_list_model_get_n_items (G_LIST_MODEL (self->pulls)); i++)
    {
      g_autoptr (InterpOllamaPull) pull = g_list_model_get_item (G_LIST_MODEL (self->pulls), i);

      interp_ollama_pull_cancel (pull);
    }

  g_clear_object (&self->pulls);
  g_clear_object (&self->findings);
  g_clear_object (&self->providers);
  dex_clear (&self->discovery);

  G_OBJECT_CLASS (interp_models_parent_class)->dispose (object);
}

static void
interp_models_finalize (GObject *object)
{
  g_free (INTERP_MODELS (object)->keyring_fault);

  G_OBJECT_CLASS (interp_models_parent_class)->finalize (object);
}

static void
interp_models_class_init (InterpModelsClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = interp_models_dispose;
  G_OBJECT_CLASS (klass)->finalize = interp_models_finalize;
}

static void
interp_models_init (InterpModels *self)
{
  g_autoptr (GPtrArray) profiles = interp_profile_load_all ();

  self->providers = g_list_store_new (INTERP_TYPE_PROVIDER);
  self->findings = g_list_store_new (INTERP_TYPE_FINDING);
  self->pulls = g_list_store_new (INTERP_TYPE_OLLAMA_PULL);

  for (guint i = 0; i < profiles->len; i++)
    {
      InterpProfile *profile = g_ptr_array_index (profiles, i);
      const char *codec = interp_profile_get_codec (profile);
      g_autoptr (InterpProvider) provider = NULL;

      /* A profile for a wire format of a later version. */
      if (interp_codec_find (codec) == NULL && !g_str_equal (codec, "tour"))
        continue;

      provider = interp_provider_new (profile);
      g_list_store_append (self->providers, provider);
    }
}

InterpModels *
interp_models_new (void)
{
  return g_object_new (INTERP_TYPE_MODELS, NULL);
}

GListModel *
interp_models_get_providers (InterpModels *self)
{
  g_return_val_if_fail (INTERP_IS_MODELS (self), NULL);

  return G_LIST_MODEL (self->providers);
}

GListModel *
interp_models_get_findings (InterpModels *self)
{
  g_return_val_if_fail (INTERP_IS_MODELS (self), NULL);

  return G_LIST_MODEL (self->findings);
}

static guint
n_providers (InterpModels *self)
{
  return g_list_model_get_n_items (G_LIST_MODEL (self->providers));
}

/* Borrowed: the list holds it. */
static InterpProvider *
nth_provider (InterpModels *self, guint i)
{
  g_autoptr (InterpProvider) provider = g_list_model_get_item (G_LIST_MODEL (self->providers), i);

  return provider;
}

static InterpProvider *
find_provider (InterpModels *self, const char *name)
{
  for (guint i = 0; i < n_providers (self); i++)
    if (interp_profile_has_name (interp_provider_get_profile (nth_provider (self, i)), name))
      return nth_provider (self, i);

  return NULL;
}

InterpProvider *
interp_models_get_provider (InterpModels *self, const char *id)
{
  g_return_val_if_fail (INTERP_IS_MODELS (self), NULL);
  g_return_val_if_fail (id != NULL, NULL);

  return find_provider (self, id);
}

void
interp_models_set_offline (InterpModels *self, gboolean offline)
{
  g_return_if_fail (INTERP_IS_MODELS (self));

  self->offline = !!offline;
  interp_http_set_offline (self->offline);
  for (guint i = 0; i < n_providers (self); i++)
    interp_provider_set_offline (nth_provider (self, i), self->offline);
}

gboolean
interp_models_get_offline (InterpModels *self)
{
  g_return_val_if_fail (INTERP_IS_MODELS (self), FALSE);

  return self->offline;
}

/* ---- addresses ---- */

InterpProvider *
interp_models_add_profile (InterpModels *self, InterpProfile *profile)
{
  g_autoptr (InterpProvider) provider = interp_provider_new (profile);

  interp_provider_set_offline (provider, self->offline);
  g_list_store_append (self->providers, provider);

  return provider;
}

typedef struct
{
  char *path;
  char *text; /* NULL: the file is removed */
} Save;

/* @text is taken. */
static Save *
save_new (const char *id, const char *what, char *text)
{
  Save *save = g_new0 (Save, 1);
  g_autofree char *name = g_strconcat (id, what, ".provider", NULL);

  save->path = g_build_filename (interp_paths_config (), "providers", name, NULL);
  save->text = text;

  return save;
}

static void
save_free (gpointer data)
{
  Save *save = data;

  g_free (save->path);
  g_free (save->text);
  g_free (save);
}

static DexFuture *
save_worker (gpointer data)
{
  Save *save = data;
  g_autofree char *folder = g_path_get_dirname (save->path);
  g_autoptr (GError) error = NULL;

  if (save->text == NULL)
    return g_unlink (save->path) == 0 || errno == ENOENT ? dex_future_new_true () : dex_future_new_for_errno (errno);

  if (g_mkdir_with_parents (folder, 0700) < 0)
    return dex_future_new_for_errno (errno);

  if (!interp_paths_write_atomically (save->path, save->text, -1, &error))
    return dex_future_new_for_error (g_steal_pointer (&error));

  return dex_future_new_true ();
}

static DexFuture *
on_save_failed (DexFuture *future, gpointer data)
{
  g_autoptr (GError) error = NULL;

  dex_future_get_value (future, &error);
  g_warning ("The provider could not be saved: %s", error->message);

  return dex_future_new_false ();
}

static DexFuture *
remember_profile (InterpProfile *profile)
{
  Save *save = save_new (interp_profile_get_id (profile), "", interp_profile_to_data (profile));

  return dex_future_catch (interp_worker_run ("save a provider", save_worker, save, save_free), on_save_failed, NULL,
                           NULL);
}

InterpProvider *
interp_models_prepare_address (InterpModels *self, const char *address, GError **error)
{
  g_autofree char *base_url = NULL;
  g_autoptr (InterpProfile) profile = NULL;
  InterpProvider *provider;

  g_return_val_if_fail (INTERP_IS_MODELS (self), NULL);
  g_return_val_if_fail (address != NULL, NULL);

  base_url = interp_address_normalize_compatible (address, error);
  if (base_url == NULL)
    return NULL;

  profile = interp_profile_new_for_address (base_url);
  provider = find_provider (self, interp_profile_get_id (profile));
  if (provider != NULL)
    return g_object_ref (provider);

  provider = interp_provider_new (profile);
  interp_provider_set_offline (provider, self->offline);

  return provider;
}

static gboolean
is_known (InterpModels *self, InterpProvider *provider)
{
  return g_list_store_find (self->providers, provider, NULL);
}

InterpProvider *
interp_models_add_address (InterpModels *self, const char *address, const char *api_key, GError **error)
{
  g_autoptr (InterpProvider) provider = interp_models_prepare_address (self, address, error);

  if (provider == NULL)
    return NULL;

  if (!is_known (self, provider))
    g_list_store_append (self->providers, provider);
  if (api_key != NULL && *api_key != '\0')
    interp_provider_set_key (provider, api_key, INTERP_KEY_SESSION);

  return provider;
}

/* ---- keys ---- */

/* Under what the Secret Service keeps a provider's key: an own address by its URL, which says more than our name for
 * it. As it was typed: with or without /v1 is found out anew in every run. */
static const char *
get_account (InterpProvider *provider)
{
  const char *id = interp_provider_get_id (provider);

  return g_str_has_prefix (id, "at-") ? interp_profile_get_base_url (interp_provider_get_profile (provider)) : id;
}

typedef struct
{
  InterpModels *models;
  InterpProvider *provider;
  char *key;
  GCancellable *cancellable;
} KeyFlow;

static void
key_flow_free (gpointer data)
{
  KeyFlow *flow = data;

  g_clear_object (&flow->models);
  g_clear_object (&flow->provider);
  g_free (flow->key);
  g_clear_object (&flow->cancellable);
  g_free (flow);
}

static KeyFlow *
flow_for (InterpModels *self, InterpProvider *provider)
{
  KeyFlow *flow = g_new0 (KeyFlow, 1);

  flow->models = g_object_ref (self);
  flow->provider = g_object_ref (provider);

  return flow;
}

const char *
interp_models_get_keyring_fault (InterpModels *self)
{
  g_return_val_if_fail (INTERP_IS_MODELS (self), NULL);

  return self->keyring_fault;
}

static void
note_keyring (InterpModels *self, const GError *error)
{
  if (error == NULL)
    g_clear_pointer (&self->keyring_fault, g_free);
  else
    {
      g_debug ("the keyring cannot be used: %s", error->message);
      g_set_str (&self->keyring_fault, interp_secrets_describe_failure (error));
    }
}

/* Keeps the key of @flow for its provider. */
static void
keep_key (KeyFlow *flow)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *label = g_strdup_printf (_ ("Key for %s (Interpreter)"), interp_provider_get_title (flow->provider));

  interp_await (interp_secrets_store (get_account (flow->provider), label, flow->key), &error);
  note_keyring (flow->models, error);
  interp_provider_set_key (flow->provider, flow->key, error == NULL ? INTERP_KEY_KEYRING : INTERP_KEY_SESSION);
}

/* Did the server answer, and not refuse the key? */
static gboolean
tells_against_key (const GError *error)
{
  return error->domain != INTERP_LLM_ERROR || error->code == INTERP_LLM_ERROR_KEY
         || error->code == INTERP_LLM_ERROR_UNREACHABLE || error->code == INTERP_LLM_ERROR_OFFLINE;
}

static char *
describe_check (KeyFlow *flow, guint n_models, const GError *error)
{
  g_autofree char *works
      = error == NULL ? g_strdup_printf (ngettext ("Works: %u model.", "Works: %u models.", n_models), n_models)
                      /* Translators: %s is a sentence of why */
                      : g_strdup_printf (_ ("It could not be checked. %s"), error->message);

  switch (flow->key != NULL ? interp_provider_get_key_source (flow->provider) : INTERP_KEY_NONE)
    {
    case INTERP_KEY_KEYRING:
      /* Translators: %s is a sentence like “Works: 3 models.” */
      return g_strdup_printf (_ ("%s The key is kept in the keyring."), works);

    case INTERP_KEY_SESSION:
      /* Translators: sentences: “Works: 3 models.”, “There is no keyring.” */
      return g_strdup_printf (_ ("%s %s The key is kept until you quit."), works, flow->models->keyring_fault);

    case INTERP_KEY_NONE:
    case INTERP_KEY_ENVIRONMENT:
    default:
      return g_steal_pointer (&works);
    }
}

static DexFuture *
enter_key_fiber (gpointer data)
{
  KeyFlow *flow = data;
  InterpProfile *profile = interp_provider_get_profile (flow->provider);
  const char *key = flow->key != NULL ? flow->key : interp_provider_get_key (flow->provider);
  g_autoptr (GError) error = NULL;
  g_autoptr (GListModel) models
      = dex_await_object (interp_provider_list_models_with_key (flow->provider, key, flow->cancellable), &error);

  if (models == NULL && tells_against_key (error))
    return dex_future_new_for_error (g_steal_pointer (&error));

  if (!is_known (flow->models, flow->provider))
    g_list_store_append (flow->models->providers, flow->provider);
  if (g_strcmp0 (interp_profile_get_origin (profile), INTERP_PROFILE_CUSTOM) == 0)
    interp_await (remember_profile (profile), NULL);
  if (flow->key != NULL)
    keep_key (flow);
  interp_finding_update (flow->models, flow->provider);

  return dex_future_new_take_string (
      describe_check (flow, models != NULL ? g_list_model_get_n_items (models) : 0, error));
}

/* A line break in a header would be a second header; and what is no text is no key. */
static GError *
check_key_text (const char *key)
{
  for (const char *p = key; p != NULL && *p != '\0'; p++)
    if (g_ascii_iscntrl (*p) || (guchar) *p >= 0x80)
      return g_error_new_literal (INTERP_LLM_ERROR, INTERP_LLM_ERROR_KEY,
                                  _ ("This is not a key: keys are letters, digits and signs on one line."));

  return NULL;
}

DexFuture *
interp_models_enter_key (InterpModels *self, InterpProvider *provider, const char *key, GCancellable *cancellable)
{
  g_autofree char *stripped = NULL;
  GError *error;
  KeyFlow *flow;

  g_return_val_if_fail (INTERP_IS_MODELS (self), NULL);
  g_return_val_if_fail (INTERP_IS_PROVIDER (provider), NULL);
  g_return_val_if_fail (interp_provider_get_base_url (provider) != NULL, NULL);

  stripped = g_strstrip (g_strdup (key != NULL ? key : ""));
  error = check_key_text (stripped);
  if (error != NULL)
    return dex_future_new_for_error (error);

  flow = flow_for (self, provider);
  flow->key = *stripped != '\0' ? g_steal_pointer (&stripped) : NULL;
  g_set_object (&flow->cancellable, cancellable);

  return interp_http_spawn (enter_key_fiber, flow, key_flow_free);
}

static DexFuture *
remove_key_fiber (gpointer data)
{
  KeyFlow *flow = data;
  gboolean kept = interp_provider_get_key_source (flow->provider) == INTERP_KEY_KEYRING;
  g_auto (GStrv) environment = NULL;
  g_autoptr (GError) error = NULL;

  /* An older key may lie in the keyring beside one for this run only; but where there is no keyring there is none. */
  interp_await (interp_secrets_clear (get_account (flow->provider)), &error);
  note_keyring (flow->models, error);
  if (error != NULL && kept)
    return dex_future_new_reject (INTERP_LLM_ERROR, INTERP_LLM_ERROR_KEY, _ ("The key could not be removed. %s"),
                                  flow->models->keyring_fault);

  interp_provider_set_key (flow->provider, NULL, INTERP_KEY_NONE);
  environment = dex_await_boxed (interp_environment_load (), NULL);
  if (environment != NULL)
    interp_models_read_environment (flow->models, (const char *const *) environment);

  /* What was listed with it is no longer on offer. */
  if (interp_provider_needs_key (flow->provider) && interp_provider_get_key (flow->provider) == NULL)
    interp_provider_forget_list (flow->provider);
  interp_finding_update (flow->models, flow->provider);

  return dex_future_new_true ();
}

DexFuture *
interp_models_remove_key (InterpModels *self, InterpProvider *provider)
{
  g_return_val_if_fail (INTERP_IS_MODELS (self), NULL);
  g_return_val_if_fail (INTERP_IS_PROVIDER (provider), NULL);

  return interp_http_spawn (remove_key_fiber, flow_for (self, provider), key_flow_free);
}

/* ---- discovery ---- */

/* Its name, of @names, in @name (nullable). */
static const char *
first_variable (const char *const *environment, const char *const *names, const char **name)
{
  for (gsize i = 0; names[i] != NULL; i++)
    {
      const char *value = g_environ_getenv ((char **) environment, names[i]);

      if (value != NULL && *value != '\0')
        {
          if (name != NULL)
            *name = names[i];
          return value;
        }
    }

  return NULL;
}

/* ---- addresses of known providers ---- */

typedef struct
{
  InterpModels *models;
  InterpProvider *provider;
  char *base_url; /* NULL: its own */
} AddressFlow;

static void
address_flow_free (gpointer data)
{
  AddressFlow *flow = data;

  g_object_unref (flow->models);
  g_object_unref (flow->provider);
  g_free (flow->base_url);
  g_free (flow);
}

static DexFuture *
set_address_fiber (gpointer data)
{
  AddressFlow *flow = data;
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) environment = NULL;
  char *text = NULL;

  if (flow->base_url != NULL)
    {
      g_autoptr (GKeyFile) file = g_key_file_new ();

      g_key_file_set_string (file, "Provider", "Id", interp_provider_get_id (flow->provider));
      g_key_file_set_string (file, "Provider", "BaseUrl", flow->base_url);
      text = g_key_file_to_data (file, NULL, NULL);
    }

  /* A name of its own, so that a whole profile of the user's is left alone. */
  if (!interp_await (interp_worker_run ("save an address", save_worker,
                                        save_new (interp_provider_get_id (flow->provider), "-address", text),
                                        save_free),
                     &error))
    return dex_future_new_for_error (g_steal_pointer (&error));

  interp_provider_set_own_address (flow->provider, flow->base_url);
  environment = interp_environment_get ();
  interp_models_read_environment (flow->models, (const char *const *) environment);
  interp_finding_update (flow->models, flow->provider);

  return dex_future_new_true ();
}

/* OLLAMA_HOST may be a bare host or a port. */
static char *
complete_address (InterpProvider *provider, const char *value)
{
  const char *base = interp_profile_get_base_url (interp_provider_get_profile (provider));
  const char *path = interp_profile_get_path (interp_provider_get_profile (provider));
  g_autoptr (GUri) fallback = base != NULL ? g_uri_parse (base, G_URI_FLAGS_ENCODED, NULL) : NULL;
  g_autofree char *address = NULL;
  g_autofree char *normal = NULL;
  g_autoptr (GUri) uri = NULL;

  if (*value == ':')
    address = g_strconcat ("127.0.0.1", value, NULL);
  else
    address = g_strdup (value);

  if (path != NULL)
    {
      normal = interp_address_normalize (address, NULL);
      uri = normal != NULL ? g_uri_parse (normal, G_URI_FLAGS_ENCODED, NULL) : NULL;

      return uri != NULL && *g_uri_get_path (uri) == '\0' ? g_strconcat (normal, path, NULL)
                                                          : g_steal_pointer (&normal);
    }

  normal = interp_provider_get_codec (provider) == &interp_codec_chat
                   || interp_provider_get_codec (provider) == &interp_codec_responses
               ? interp_address_normalize_compatible (address, NULL)
               : interp_address_normalize (address, NULL);
  if (normal == NULL)
    return NULL;

  uri = g_uri_parse (normal, G_URI_FLAGS_ENCODED, NULL);
  if (uri != NULL && strstr (value, "://") == NULL && g_uri_get_port (uri) < 0 && fallback != NULL
      && g_uri_get_port (fallback) > 0 && interp_address_is_loopback (base))
    return g_uri_join (G_URI_FLAGS_ENCODED, g_uri_get_scheme (uri), NULL, g_uri_get_host (uri),
                       g_uri_get_port (fallback), g_uri_get_path (uri), NULL, NULL);

  return g_steal_pointer (&normal);
}

void
interp_models_read_environment (InterpModels *self, const char *const *environment)
{
  for (guint i = 0; i < n_providers (self); i++)
    {
      InterpProvider *provider = nth_provider (self, i);
      InterpProfile *profile = interp_provider_get_profile (provider);
      const char *variable = NULL;
      const char *key = first_variable (environment, interp_profile_get_key_variables (profile), &variable);
      const char *address = first_variable (environment, interp_profile_get_address_variables (profile), NULL);

      if (address != NULL && !interp_provider_has_own_address (provider))
        {
          g_autofree char *base_url = complete_address (provider, address);

          if (base_url != NULL)
            interp_provider_set_base_url (provider, base_url);
        }

      /* What the user typed here goes before what the environment says. */
      if (key != NULL && interp_provider_get_key_source (provider) != INTERP_KEY_SESSION
          && interp_provider_get_key_source (provider) != INTERP_KEY_KEYRING)
        interp_provider_set_key_from_variable (provider, key, variable);
    }
}

DexFuture *
interp_models_set_address (InterpModels *self, InterpProvider *provider, const char *address)
{
  AddressFlow *flow;
  g_autofree char *stripped = NULL;
  g_autofree char *base_url = NULL;
  g_autoptr (GError) error = NULL;

  g_return_val_if_fail (INTERP_IS_MODELS (self), NULL);
  g_return_val_if_fail (INTERP_IS_PROVIDER (provider), NULL);
  g_return_val_if_fail (!interp_provider_is_address (provider), NULL);

  stripped = g_strstrip (g_strdup (address != NULL ? address : ""));
  if (*stripped != '\0')
    {
      /* It must be one before it may be completed. */
      g_autofree char *normal = interp_address_normalize (stripped, &error);

      base_url = normal != NULL ? complete_address (provider, stripped) : NULL;
      if (base_url == NULL && error != NULL)
        return dex_future_new_for_error (g_steal_pointer (&error));
      /* The one it has anyway is none of the user's. */
      if (g_strcmp0 (base_url, interp_profile_get_base_url (interp_provider_get_profile (provider))) == 0)
        g_clear_pointer (&base_url, g_free);
    }

  flow = g_new0 (AddressFlow, 1);
  flow->models = g_object_ref (self);
  flow->provider = g_object_ref (provider);
  flow->base_url = g_steal_pointer (&base_url);

  return interp_http_spawn (set_address_fiber, flow, address_flow_free);
}

static DexFuture *
forget_fiber (gpointer data)
{
  KeyFlow *flow = data;
  const char *id = interp_provider_get_id (flow->provider);
  g_autoptr (GError) error = NULL;
  guint position;

  if (!interp_await (interp_models_remove_key (flow->models, flow->provider), &error)
      || !interp_await (interp_worker_run ("forget an address", save_worker, save_new (id, "", NULL), save_free),
                        &error))
    return dex_future_new_for_error (g_steal_pointer (&error));

  interp_provider_forget_list (flow->provider);
  interp_finding_remove (flow->models, flow->provider);
  if (g_list_store_find (flow->models->providers, flow->provider, &position))
    g_list_store_remove (flow->models->providers, position);

  return dex_future_new_true ();
}

DexFuture *
interp_models_forget_address (InterpModels *self, InterpProvider *provider)
{
  g_return_val_if_fail (INTERP_IS_MODELS (self), NULL);
  g_return_val_if_fail (INTERP_IS_PROVIDER (provider), NULL);
  g_return_val_if_fail (interp_provider_is_address (provider), NULL);

  return interp_http_spawn (forget_fiber, flow_for (self, provider), key_flow_free);
}

static DexFuture *
look_up_key_fiber (gpointer data)
{
  KeyFlow *flow = data;
  g_autoptr (GError) error = NULL;
  g_autofree char *key = dex_await_string (interp_secrets_lookup (get_account (flow->provider), FALSE), &error);

  note_keyring (flow->models, error);
  if (key != NULL && interp_provider_get_key_source (flow->provider) != INTERP_KEY_SESSION)
    interp_provider_set_key (flow->provider, key, INTERP_KEY_KEYRING);

  return dex_future_new_true ();
}

static DexFuture *
load_key_fiber (gpointer data)
{
  KeyFlow *flow = data;
  g_auto (GStrv) environment = dex_await_boxed (interp_environment_load (), NULL);

  if (environment != NULL)
    interp_models_read_environment (flow->models, (const char *const *) environment);

  if (interp_provider_get_key (flow->provider) != NULL)
    return dex_future_new_true ();

  return look_up_key_fiber (flow);
}

DexFuture *
interp_models_load_key (InterpModels *self, InterpProvider *provider)
{
  return interp_http_spawn (load_key_fiber, flow_for (self, provider), key_flow_free);
}

static DexFuture *
probe_fiber (gpointer data)
{
  KeyFlow *flow = data;
  g_autoptr (GError) error = NULL;

  dex_await (interp_provider_list_models_within (flow->provider, PROBE_MSEC), &error);
  if (error != NULL && !g_error_matches (error, INTERP_LLM_ERROR, INTERP_LLM_ERROR_UNREACHABLE))
    {
      /* Something is there: a server that wants a key, or still loads. */
      interp_finding_update_with_error (flow->models, flow->provider, error);
      return dex_future_new_true ();
    }

  if (error != NULL)
    interp_provider_forget_list (flow->provider);
  interp_finding_update (flow->models, flow->provider);

  return dex_future_new_true ();
}

static void
await_all (GPtrArray *futures)
{
  if (futures->len > 0)
    dex_await (dex_future_allv ((DexFuture *const *) futures->pdata, futures->len), NULL);
}

static gboolean
is_probed (InterpProvider *provider)
{
  return interp_profile_get_probe (interp_provider_get_profile (provider)) && interp_provider_is_local (provider);
}

static DexFuture *
discover_fiber (gpointer data)
{
  InterpModels *self = data;
  g_autoptr (GPtrArray) keys = g_ptr_array_new_with_free_func (dex_unref);
  g_autoptr (GPtrArray) probes = g_ptr_array_new_with_free_func (dex_unref);
  g_autoptr (GHashTable) probed = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_auto (GStrv) own = interp_environment_get ();
  g_auto (GStrv) environment = NULL;
  g_autoptr (DexFuture) loading = interp_environment_load ();

  /* Local servers are asked at once; the login shell's variables may add keys and other addresses later. */
  interp_models_read_environment (self, (const char *const *) own);

  for (guint i = 0; i < n_providers (self); i++)
    {
      InterpProvider *provider = nth_provider (self, i);

      if (is_probed (provider))
        {
          g_hash_table_add (probed, g_strdup (interp_provider_get_base_url (provider)));
          g_ptr_array_add (probes, interp_http_spawn (probe_fiber, flow_for (self, provider), key_flow_free));
        }

      if (interp_provider_get_base_url (provider) != NULL)
        g_ptr_array_add (keys, dex_future_first (interp_http_spawn (look_up_key_fiber, flow_for (self, provider),
                                                                    key_flow_free),
                                                 interp_timeout (KEYRING_MSEC), NULL));
    }

  environment = dex_await_boxed (g_steal_pointer (&loading), NULL);
  if (environment != NULL)
    interp_models_read_environment (self, (const char *const *) environment);

  await_all (keys);
  await_all (probes);
  g_ptr_array_set_size (probes, 0);

  for (guint i = 0; i < n_providers (self); i++)
    {
      InterpProvider *provider = nth_provider (self, i);

      /* A key or another address came meanwhile. */
      if (is_probed (provider)
          && (!g_hash_table_contains (probed, interp_provider_get_base_url (provider))
              || (interp_provider_get_key (provider) != NULL && !interp_provider_is_listed (provider))))
        g_ptr_array_add (probes, interp_http_spawn (probe_fiber, flow_for (self, provider), key_flow_free));
      else
        interp_finding_update (self, provider);
    }

  await_all (probes);

  return dex_future_new_true ();
}

DexFuture *
interp_models_discover (InterpModels *self)
{
  g_return_val_if_fail (INTERP_IS_MODELS (self), NULL);

  if (self->discovery == NULL || !dex_future_is_pending (self->discovery))
    {
      dex_clear (&self->discovery);
      self->discovery = interp_http_spawn (discover_fiber, g_object_ref (self), g_object_unref);
    }

  return dex_ref (self->discovery);
}

/* ---- models that a server keeps ---- */

InterpProvider *
interp_models_get_keeper (InterpModels *self)
{
  g_return_val_if_fail (INTERP_IS_MODELS (self), NULL);

  for (guint i = 0; i < n_providers (self); i++)
    if (interp_ollama_is_spoken_by (nth_provider (self, i)) && interp_provider_is_listed (nth_provider (self, i)))
      return nth_provider (self, i);

  return NULL;
}

GListModel *
interp_models_get_pulls (InterpModels *self)
{
  g_return_val_if_fail (INTERP_IS_MODELS (self), NULL);

  return G_LIST_MODEL (self->pulls);
}

void
interp_models_forget_pull (InterpModels *self, InterpOllamaPull *pull)
{
  guint position;

  g_return_if_fail (INTERP_IS_MODELS (self));
  g_return_if_fail (INTERP_IS_OLLAMA_PULL (pull));

  interp_ollama_pull_cancel (pull);
  if (g_list_store_find (self->pulls, pull, &position))
    g_list_store_remove (self->pulls, position);
}

/* What the server keeps is another. */
static void
list_again (InterpModels *self, InterpProvider *provider)
{
  dex_await (interp_provider_list_models (provider), NULL);
  if (self->findings != NULL)
    interp_finding_update (self, provider);
}

typedef struct
{
  GWeakRef models; /* a pull keeps nobody alive */
  InterpProvider *keeper;
  InterpOllamaPull *pull;
} Watch;

static void
watch_free (gpointer data)
{
  Watch *watch = data;

  g_weak_ref_clear (&watch->models);
  g_object_unref (watch->keeper);
  g_object_unref (watch->pull);
  g_free (watch);
}

static DexFuture *
watch_fiber (gpointer data)
{
  Watch *watch = data;
  gboolean done = dex_await (interp_ollama_pull_await (watch->pull), NULL);
  g_autoptr (InterpModels) self = g_weak_ref_get (&watch->models);

  if (self == NULL)
    return dex_future_new_true ();

  if (done)
    list_again (self, watch->keeper);
  if (interp_ollama_pull_get_state (watch->pull) != INTERP_PULL_FAILED && self->pulls != NULL)
    interp_models_forget_pull (self, watch->pull);

  return dex_future_new_true ();
}

InterpOllamaPull *
interp_models_pull (InterpModels *self, InterpProvider *keeper, const char *typed, GError **error)
{
  g_autofree char *name = NULL;
  g_autoptr (InterpOllamaPull) pull = NULL;
  Watch *watch;

  g_return_val_if_fail (INTERP_IS_MODELS (self), NULL);
  g_return_val_if_fail (INTERP_IS_PROVIDER (keeper), NULL);
  g_return_val_if_fail (typed != NULL, NULL);

  name = interp_ollama_parse_name (typed, error);
  if (name == NULL)
    return NULL;

  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->pulls)); i++)
    {
      g_autoptr (InterpOllamaPull) present = g_list_model_get_item (G_LIST_MODEL (self->pulls), i);

      if (!g_str_equal (interp_ollama_pull_get_name (present), name))
        continue;
      if (interp_ollama_pull_get_state (present) == INTERP_PULL_RUNNING)
        return g_steal_pointer (&present);

      g_list_store_remove (self->pulls, i);
      break;
    }

  pull = interp_ollama_pull_new (keeper, name);
  watch = g_new0 (Watch, 1);
  g_weak_ref_init (&watch->models, self);
  watch->keeper = g_object_ref (keeper);
  watch->pull = g_object_ref (pull);
  interp_fiber_run ("watch a model being got", watch_fiber, watch, watch_free);
  g_list_store_append (self->pulls, pull);

  return g_steal_pointer (&pull);
}

typedef struct
{
  InterpModels *models;
  InterpModel *model;
} Deletion;

static void
deletion_free (gpointer data)
{
  Deletion *deletion = data;

  g_object_unref (deletion->models);
  g_object_unref (deletion->model);
  g_free (deletion);
}

static DexFuture *
delete_fiber (gpointer data)
{
  Deletion *deletion = data;
  InterpProvider *provider = interp_model_get_provider (deletion->model);
  g_autoptr (GError) error = NULL;

  if (!dex_await (interp_ollama_delete (provider, interp_model_get_wire_name (deletion->model)), &error))
    return dex_future_new_for_error (g_steal_pointer (&error));

  list_again (deletion->models, provider);

  return dex_future_new_true ();
}

DexFuture *
interp_models_delete (InterpModels *self, InterpModel *model)
{
  Deletion *deletion;

  g_return_val_if_fail (INTERP_IS_MODELS (self), NULL);
  g_return_val_if_fail (INTERP_IS_MODEL (model), NULL);

  deletion = g_new0 (Deletion, 1);
  deletion->models = g_object_ref (self);
  deletion->model = g_object_ref (model);

  return interp_http_spawn (delete_fiber, deletion, deletion_free);
}
