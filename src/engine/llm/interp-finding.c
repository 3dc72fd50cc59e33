/* interp-finding.c: one provider that can be used now
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm/interp-finding.h"

#include "llm/interp-provider-private.h"

#include <string.h>

struct _InterpFinding
{
  GObject parent_instance;
  InterpProvider *provider;
  char *error;
};

enum
{
  PROP_0,
  PROP_N_MODELS,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (InterpFinding, interp_finding, G_TYPE_OBJECT)

static void
interp_finding_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_N_MODELS)
    g_value_set_uint (value, interp_finding_get_n_models (INTERP_FINDING (object)));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
interp_finding_finalize (GObject *object)
{
  InterpFinding *self = INTERP_FINDING (object);

  g_clear_object (&self->provider);
  g_free (self->error);

  G_OBJECT_CLASS (interp_finding_parent_class)->finalize (object);
}

static void
interp_finding_class_init (InterpFindingClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->get_property = interp_finding_get_property;
  object_class->finalize = interp_finding_finalize;

  /* Notified whenever the finding's models, key or error changed. */
  properties[PROP_N_MODELS]
      = g_param_spec_uint ("n-models", NULL, NULL, 0, G_MAXUINT, 0, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
interp_finding_init (InterpFinding *self)
{
}

InterpProvider *
interp_finding_get_provider (InterpFinding *self)
{
  g_return_val_if_fail (INTERP_IS_FINDING (self), NULL);

  return self->provider;
}

gboolean
interp_finding_answers (InterpFinding *self)
{
  g_return_val_if_fail (INTERP_IS_FINDING (self), FALSE);

  return interp_provider_is_listed (self->provider) || interp_provider_get_key (self->provider) != NULL;
}

guint
interp_finding_get_n_models (InterpFinding *self)
{
  g_return_val_if_fail (INTERP_IS_FINDING (self), 0);

  return g_list_model_get_n_items (interp_provider_get_models (self->provider));
}

GListModel *
interp_finding_get_models (InterpFinding *self)
{
  g_return_val_if_fail (INTERP_IS_FINDING (self), NULL);

  return interp_provider_get_models (self->provider);
}

const char *
interp_finding_get_error (InterpFinding *self)
{
  g_return_val_if_fail (INTERP_IS_FINDING (self), NULL);

  return self->error;
}

static void
on_models_changed (InterpFinding *self)
{
  g_clear_pointer (&self->error, g_free);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_N_MODELS]);
}

/* Smaller is better: models here, then keys, then servers here without models, then what only gave an error. */
static int
rate (InterpFinding *self)
{
  gboolean local = interp_provider_is_local (self->provider);

  if (local && interp_finding_get_n_models (self) > 0)
    return 0;
  if (interp_provider_get_key (self->provider) != NULL && self->error == NULL)
    return 1;
  if (self->error == NULL)
    return 2;

  return 3;
}

static int
compare_findings (gconstpointer a, gconstpointer b, gpointer data)
{
  InterpFinding *first = INTERP_FINDING ((gpointer) a);
  InterpFinding *second = INTERP_FINDING ((gpointer) b);
  int difference = rate (first) - rate (second);

  if (difference != 0)
    return difference;

  difference = interp_profile_get_rank (interp_provider_get_profile (first->provider))
               - interp_profile_get_rank (interp_provider_get_profile (second->provider));

  return difference != 0 ? difference
                         : strcmp (interp_provider_get_id (first->provider), interp_provider_get_id (second->provider));
}

static void
update (InterpModels *models, InterpProvider *provider, const char *error)
{
  GListStore *store = G_LIST_STORE (interp_models_get_findings (models));
  gboolean usable = interp_provider_get_base_url (provider) != NULL && !interp_provider_lacks_address (provider)
                    && (interp_provider_is_listed (provider) || error != NULL
                        || (interp_provider_needs_key (provider) && interp_provider_get_key (provider) != NULL)
                        || (!interp_provider_needs_key (provider) && !interp_provider_is_local (provider)))
                    && !(interp_models_get_offline (models) && !interp_provider_is_local (provider));

  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (store)); i++)
    {
      g_autoptr (InterpFinding) finding = g_list_model_get_item (G_LIST_MODEL (store), i);

      if (finding->provider != provider)
        continue;

      g_list_store_remove (store, i);
      if (usable)
        {
          g_set_str (&finding->error, error);
          g_list_store_insert_sorted (store, finding, compare_findings, NULL);
          g_object_notify_by_pspec (G_OBJECT (finding), properties[PROP_N_MODELS]);
        }
      return;
    }

  if (usable)
    {
      g_autoptr (InterpFinding) finding = g_object_new (INTERP_TYPE_FINDING, NULL);

      finding->provider = g_object_ref (provider);
      finding->error = g_strdup (error);
      g_signal_connect_object (provider, "models-changed", G_CALLBACK (on_models_changed), finding, G_CONNECT_SWAPPED);
      g_list_store_insert_sorted (store, finding, compare_findings, NULL);
    }
}

void
interp_finding_update (InterpModels *models, InterpProvider *provider)
{
  update (models, provider, NULL);
}

void
interp_finding_update_with_error (InterpModels *models, InterpProvider *provider, const GError *error)
{
  update (models, provider, error->message);
}

void
interp_finding_remove (InterpModels *models, InterpProvider *provider)
{
  GListStore *store = G_LIST_STORE (interp_models_get_findings (models));

  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (store)); i++)
    {
      g_autoptr (InterpFinding) finding = g_list_model_get_item (G_LIST_MODEL (store), i);

      if (finding->provider == provider)
        {
          g_list_store_remove (store, i);
          return;
        }
    }
}
