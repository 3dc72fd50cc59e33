/* interp-preferences.c
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <glib/gi18n.h>

#include "base/interp-fiber.h"
#include "preferences/interp-preferences.h"

struct _InterpPreferences
{
  AdwPreferencesDialog parent_instance;

  AdwSwitchRow *in_chat_row;
  AdwSwitchRow *follow_row;
  AdwSwitchRow *local_only_row;
  GtkTextView *instructions;
  AdwPreferencesGroup *providers_group;

  InterpEngine *engine;
};

G_DEFINE_FINAL_TYPE (InterpPreferences, interp_preferences, ADW_TYPE_PREFERENCES_DIALOG)

static void
on_switched (InterpPreferences *self, GParamSpec *pspec, AdwSwitchRow *row)
{
  g_assert (INTERP_IS_PREFERENCES (self));

  const char *key = g_object_get_data (G_OBJECT (row), "key");
  gboolean active = adw_switch_row_get_active (row);

  interp_settings_set_boolean (interp_engine_get_settings (self->engine), key, active);
  if (row == self->local_only_row)
    interp_models_set_offline (interp_engine_get_models (self->engine), active);
}

static void
bind_switch (InterpPreferences *self, AdwSwitchRow *row, const char *key)
{
  adw_switch_row_set_active (row, interp_settings_get_boolean (interp_engine_get_settings (self->engine), key));
  g_object_set_data_full (G_OBJECT (row), "key", g_strdup (key), g_free);
  g_signal_connect_object (row, "notify::active", G_CALLBACK (on_switched), self, G_CONNECT_SWAPPED);
}

static void
on_instructions_changed (InterpPreferences *self)
{
  g_assert (INTERP_IS_PREFERENCES (self));

  GtkTextBuffer *buffer = gtk_text_view_get_buffer (self->instructions);
  GtkTextIter start, end;

  gtk_text_buffer_get_bounds (buffer, &start, &end);
  g_autofree char *text = gtk_text_buffer_get_text (buffer, &start, &end, TRUE);
  interp_settings_set_string (interp_engine_get_settings (self->engine), "custom-instructions", text);
}

/* ---- keys ---- */

typedef struct
{
  InterpPreferences *preferences;
  InterpProvider *provider;
  char *key;
} KeyCheck;

static void
key_check_free (KeyCheck *check)
{
  g_clear_object (&check->preferences);
  g_clear_object (&check->provider);
  g_free (check->key);
  g_free (check);
}

static void
tell (InterpPreferences *self, const char *text)
{
  AdwToast *toast = adw_toast_new (text);

  adw_toast_set_use_markup (toast, FALSE);
  adw_preferences_dialog_add_toast (ADW_PREFERENCES_DIALOG (self), toast);
}

static DexFuture *
check_key (gpointer user_data)
{
  KeyCheck *check = user_data;
  InterpPreferences *self = check->preferences;
  g_autoptr (GError) error = NULL;
  int source
      = dex_await_int (interp_models_save_key (interp_engine_get_models (self->engine), check->provider, check->key),
                       &error);

  if (error == NULL)
    {
      g_autoptr (GListModel) models = dex_await_object (interp_provider_list_models (check->provider), &error);

      if (models != NULL)
        {
          guint n = g_list_model_get_n_items (models);
          g_autofree char *text
              = source == INTERP_KEY_KEYRING
                    ? g_strdup_printf (ngettext ("The key works: %u model. It is kept in the keyring.",
                                                 "The key works: %u models. It is kept in the keyring.", n),
                                       n)
                    : g_strdup_printf (
                          ngettext ("The key works: %u model. There is no keyring: it is kept until you quit.",
                                    "The key works: %u models. There is no keyring: it is kept until you quit.", n),
                          n);
          tell (self, text);
        }
    }
  if (error != NULL)
    tell (self, error->message);
  return dex_future_new_true ();
}

static void
on_key_applied (AdwEntryRow *row, InterpPreferences *self)
{
  KeyCheck *check = g_new0 (KeyCheck, 1);

  check->preferences = g_object_ref (self);
  check->provider = g_object_ref (g_object_get_data (G_OBJECT (row), "provider"));
  check->key = g_strstrip (g_strdup (gtk_editable_get_text (GTK_EDITABLE (row))));
  gtk_editable_set_text (GTK_EDITABLE (row), "");
  if (*check->key == '\0')
    {
      key_check_free (check);
      return;
    }
  interp_fiber_run ("check a key", check_key, check, (GDestroyNotify) key_check_free);
}

static void
add_provider (InterpPreferences *self, InterpProvider *provider)
{
  GtkWidget *row;

  if (interp_provider_get_key_source (provider) == INTERP_KEY_ENVIRONMENT)
    {
      /* Translators: %s is an environment variable */
      g_autofree char *subtitle
          = g_strdup_printf (_ ("From %s in the environment"), interp_provider_get_key_variable (provider));

      row = adw_action_row_new ();
      adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
      adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), interp_provider_get_title (provider));
      adw_action_row_set_subtitle (ADW_ACTION_ROW (row), subtitle);
    }
  else
    {
      row = adw_password_entry_row_new ();
      adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
      adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), interp_provider_get_title (provider));
      adw_entry_row_set_show_apply_button (ADW_ENTRY_ROW (row), TRUE);
      g_object_set_data_full (G_OBJECT (row), "provider", g_object_ref (provider), g_object_unref);
      g_signal_connect_object (row, "apply", G_CALLBACK (on_key_applied), self, G_CONNECT_DEFAULT);
      if (interp_provider_get_key_source (provider) == INTERP_KEY_KEYRING
          || interp_provider_get_key_source (provider) == INTERP_KEY_SESSION)
        {
          GtkWidget *mark = gtk_image_new_from_icon_name ("object-select-symbolic");

          gtk_widget_set_tooltip_text (mark, _ ("A key is kept"));
          adw_entry_row_add_suffix (ADW_ENTRY_ROW (row), mark);
        }
    }
  adw_preferences_group_add (self->providers_group, row);
}

static void
interp_preferences_dispose (GObject *object)
{
  InterpPreferences *self = INTERP_PREFERENCES (object);

  gtk_widget_dispose_template (GTK_WIDGET (self), INTERP_TYPE_PREFERENCES);
  g_clear_object (&self->engine);

  G_OBJECT_CLASS (interp_preferences_parent_class)->dispose (object);
}

static void
interp_preferences_class_init (InterpPreferencesClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = interp_preferences_dispose;

  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/interpreter_app/Interpreter/ui/interp-preferences.ui");
  gtk_widget_class_bind_template_child (widget_class, InterpPreferences, in_chat_row);
  gtk_widget_class_bind_template_child (widget_class, InterpPreferences, follow_row);
  gtk_widget_class_bind_template_child (widget_class, InterpPreferences, local_only_row);
  gtk_widget_class_bind_template_child (widget_class, InterpPreferences, instructions);
  gtk_widget_class_bind_template_child (widget_class, InterpPreferences, providers_group);
}

static void
interp_preferences_init (InterpPreferences *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

AdwDialog *
interp_preferences_new (InterpEngine *engine)
{
  InterpPreferences *self = g_object_new (INTERP_TYPE_PREFERENCES, NULL);
  GListModel *providers = interp_models_get_providers (interp_engine_get_models (engine));
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (self->instructions);
  g_autofree char *instructions = NULL;

  self->engine = g_object_ref (engine);
  bind_switch (self, self->in_chat_row, "approval-in-chat");
  bind_switch (self, self->follow_row, "follow-answers");
  bind_switch (self, self->local_only_row, "local-models-only");

  instructions = interp_settings_get_string (interp_engine_get_settings (engine), "custom-instructions");
  gtk_text_buffer_set_text (buffer, instructions, -1);
  g_signal_connect_object (buffer, "changed", G_CALLBACK (on_instructions_changed), self, G_CONNECT_SWAPPED);

  for (guint i = 0; i < g_list_model_get_n_items (providers); i++)
    {
      g_autoptr (InterpProvider) provider = g_list_model_get_item (providers, i);

      if (interp_provider_needs_key (provider))
        add_provider (self, provider);
    }
  return ADW_DIALOG (self);
}
