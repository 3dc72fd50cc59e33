/* interp-model.c: one model of a provider
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm/interp-provider-private.h"

#include "llm/interp-learnt.h"

#include <string.h>
#include <unistd.h>

struct _InterpModel
{
  GObject parent_instance;
  InterpProvider *provider;
  char *wire_name;
  char *title;
  gint64 context_window;
  gint64 train_window;
  guint64 size;
  InterpSupport tools;
  InterpSupport vision;
  InterpSupport thinking;
  InterpQuirks quirks;
  gboolean for_chat;
  gboolean inspected;
};

G_DEFINE_FINAL_TYPE (InterpModel, interp_model, G_TYPE_OBJECT)

static void
interp_model_finalize (GObject *object)
{
  InterpModel *self = INTERP_MODEL (object);

  g_clear_object (&self->provider);
  g_free (self->wire_name);
  g_free (self->title);

  G_OBJECT_CLASS (interp_model_parent_class)->finalize (object);
}

static void
interp_model_class_init (InterpModelClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = interp_model_finalize;
}

static void
interp_model_init (InterpModel *self)
{
  self->for_chat = TRUE;
}

/* "hf.co/unsloth/gemma-3-27b-it-GGUF:latest" → "gemma-3-27b-it-GGUF" */
static char *
make_title (const char *wire_name)
{
  const char *slash = strrchr (wire_name, '/');
  g_autofree char *title = g_strdup (slash != NULL && slash[1] != '\0' ? slash + 1 : wire_name);

  if (g_str_has_suffix (title, ":latest"))
    title[strlen (title) - strlen (":latest")] = '\0';

  if (g_str_has_suffix (title, ".gguf"))
    title[strlen (title) - strlen (".gguf")] = '\0';

  return g_steal_pointer (&title);
}

static InterpSupport
to_support (int tristate)
{
  return tristate < 0 ? INTERP_SUPPORT_UNKNOWN : tristate ? INTERP_SUPPORT_YES : INTERP_SUPPORT_NO;
}

InterpModel *
interp_model_new (InterpProvider *provider, const char *wire_name)
{
  InterpModel *self = g_object_new (INTERP_TYPE_MODEL, NULL);
  InterpProfile *profile = interp_provider_get_profile (provider);

  self->provider = g_object_ref (provider);
  self->wire_name = g_strdup (wire_name);
  /* A provider of one thing is that thing: the Tour. */
  self->title = g_str_equal (wire_name, interp_provider_get_id (provider))
                    ? g_strdup (interp_profile_get_title (profile))
                    : make_title (wire_name);
  self->context_window = interp_profile_get_context_window (profile, wire_name);
  self->tools = to_support (interp_profile_get_tools (profile, wire_name));
  self->vision = to_support (interp_profile_get_vision (profile, wire_name));
  if (interp_provider_get_base_url (provider) != NULL)
    self->quirks = interp_learnt_lookup (interp_provider_get_base_url (provider), wire_name);

  return self;
}

/* Room for a conversation with code, as far as this computer's memory lets a local server keep one. */
static gint64
choose_local_window (gint64 train_window)
{
  gint64 window = 8192;
  gint64 pages = sysconf (_SC_PHYS_PAGES);
  gint64 page = sysconf (_SC_PAGESIZE);

  if (pages > 0 && page > 0 && pages * page / (1024 * 1024) > 12 * 1024)
    window = 16384;

  return train_window > 0 ? MIN (window, train_window) : window;
}

void
interp_model_apply (InterpModel *self, InterpModelFacts *facts)
{
  g_return_if_fail (INTERP_IS_MODEL (self));

  if (facts->title != NULL)
    g_set_str (&self->title, facts->title);
  if (facts->train_window > 0)
    self->train_window = facts->train_window;
  if (facts->context_window > 0)
    self->context_window = facts->context_window;
  if (facts->size > 0)
    self->size = facts->size;
  if (facts->tools >= 0)
    self->tools = to_support (facts->tools);
  if (facts->vision >= 0)
    self->vision = to_support (facts->vision);
  if (facts->thinking >= 0)
    self->thinking = to_support (facts->thinking);
  if (facts->chat >= 0)
    self->for_chat = facts->chat;

  /* Ollama takes any window asked for: one is chosen once and kept. */
  if (self->context_window <= 0
      && g_strcmp0 (interp_profile_get_codec (interp_provider_get_profile (self->provider)), "ollama") == 0
      && self->train_window > 0)
    self->context_window = choose_local_window (self->train_window);
}

InterpProvider *
interp_model_get_provider (InterpModel *self)
{
  g_return_val_if_fail (INTERP_IS_MODEL (self), NULL);

  return self->provider;
}

const char *
interp_model_get_wire_name (InterpModel *self)
{
  g_return_val_if_fail (INTERP_IS_MODEL (self), NULL);

  return self->wire_name;
}

char *
interp_model_dup_name (InterpModel *self)
{
  g_autofree char *spoken = NULL;
  const char *origin;

  g_return_val_if_fail (INTERP_IS_MODEL (self), NULL);

  origin = interp_profile_get_origin (interp_provider_get_profile (self->provider));
  if (origin != NULL)
    {
      spoken = g_str_equal (origin, INTERP_PROFILE_CUSTOM) ? g_strdup ("") : g_strconcat (origin, "+", NULL);
      return g_strconcat (spoken, interp_provider_get_base_url (self->provider), "#", self->wire_name, NULL);
    }

  if (g_str_equal (self->wire_name, interp_provider_get_id (self->provider)))
    return g_strdup (self->wire_name);

  return g_strconcat (interp_provider_get_id (self->provider), "/", self->wire_name, NULL);
}

char *
interp_model_name_dup_address (const char *name)
{
  const char *scheme, *plus;

  g_return_val_if_fail (name != NULL, NULL);

  scheme = strstr (name, "://");
  if (scheme == NULL)
    return NULL;
  plus = memchr (name, '+', (gsize) (scheme - name));
  name = plus != NULL ? plus + 1 : name;

  return g_strndup (name, strcspn (name, "#"));
}

const char *
interp_model_name_get_title (const char *name)
{
  const char *mark;

  g_return_val_if_fail (name != NULL, NULL);

  mark = strstr (name, "://") != NULL ? strchr (name, '#') : strchr (name, '/');

  return mark != NULL && mark[1] != '\0' ? mark + 1 : name;
}

const char *
interp_model_get_title (InterpModel *self)
{
  g_return_val_if_fail (INTERP_IS_MODEL (self), NULL);

  return self->title;
}

gint64
interp_model_get_context_window (InterpModel *self)
{
  g_return_val_if_fail (INTERP_IS_MODEL (self), 0);

  return self->context_window;
}

void
interp_model_set_context_window (InterpModel *self, gint64 tokens)
{
  g_return_if_fail (INTERP_IS_MODEL (self));

  self->context_window = MAX (0, tokens);
}

guint64
interp_model_get_size (InterpModel *self)
{
  g_return_val_if_fail (INTERP_IS_MODEL (self), 0);

  return self->size;
}

InterpSupport
interp_model_get_tools (InterpModel *self)
{
  g_return_val_if_fail (INTERP_IS_MODEL (self), INTERP_SUPPORT_UNKNOWN);

  return self->tools;
}

void
interp_model_set_tools (InterpModel *self, InterpSupport tools)
{
  g_return_if_fail (INTERP_IS_MODEL (self));

  self->tools = tools;
}

InterpSupport
interp_model_get_vision (InterpModel *self)
{
  g_return_val_if_fail (INTERP_IS_MODEL (self), INTERP_SUPPORT_UNKNOWN);

  return self->vision;
}

InterpSupport
interp_model_get_thinking (InterpModel *self)
{
  g_return_val_if_fail (INTERP_IS_MODEL (self), INTERP_SUPPORT_UNKNOWN);

  return self->thinking;
}

InterpQuirks
interp_model_get_quirks (InterpModel *self)
{
  return self->quirks;
}

void
interp_model_add_quirks (InterpModel *self, InterpQuirks quirks)
{
  if ((self->quirks | quirks) == self->quirks)
    return;

  self->quirks |= quirks;
  interp_learnt_add (interp_provider_get_base_url (self->provider), self->wire_name, quirks);
}

gboolean
interp_model_is_inspected (InterpModel *self)
{
  return self->inspected;
}

void
interp_model_set_inspected (InterpModel *self)
{
  self->inspected = TRUE;
}

gboolean
interp_model_is_for_chat (InterpModel *self)
{
  return self->for_chat;
}
