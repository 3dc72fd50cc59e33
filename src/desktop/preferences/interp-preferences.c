/* interp-preferences.c
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <glib/gi18n.h>

#include "base/interp-fiber.h"
#include "preferences/interp-preferences.h"
#include "preferences/interp-provider-page.h"

struct _InterpPreferences
{
  AdwPreferencesDialog parent_instance;

  AdwSwitchRow *in_chat_row;
  AdwSwitchRow *safe_row;
  AdwSwitchRow *follow_row;
  AdwSwitchRow *local_only_row;
  GtkTextView *instructions;
  AdwPreferencesGroup *providers_group;
  AdwButtonRow *other_row;

  InterpEngine *engine;
  GPtrArray *rows; /* of the providers */
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

/* ---- providers ---- */

static void
update_row (InterpPreferences *self, AdwActionRow *row)
{
  InterpProvider *provider = g_object_get_data (G_OBJECT (row), "provider");
  g_autofree char *place = interp_provider_describe_place (provider);
  g_autofree char *key = interp_provider_page_describe_key (provider);
  /* Translators: the place of a provider (“On this computer”, a host) and where its key is (“Key in the keyring”) */
  g_autofree char *subtitle = g_strdup_printf (_ ("%s · %s"), place, key);

  adw_action_row_set_subtitle (row, subtitle);
}

static void
update_rows (InterpPreferences *self)
{
  g_assert (INTERP_IS_PREFERENCES (self));

  const char *fault = interp_models_get_keyring_fault (interp_engine_get_models (self->engine));
  g_autofree char *description = NULL;

  for (guint i = 0; i < self->rows->len; i++)
    update_row (self, g_ptr_array_index (self->rows, i));

  if (fault != NULL)
    /* Translators: %s is a sentence, “There is no keyring.” */
    description = g_strdup_printf (_ ("%s Keys that you type are kept until you quit."), fault);
  else
    description = g_strdup (_ ("Keys are kept in your keyring. Those from the environment are used, never stored."));
  adw_preferences_group_set_description (self->providers_group, description);
}

static void
open_page (InterpPreferences *self, InterpProvider *provider)
{
  AdwNavigationPage *page = interp_provider_page_new (interp_engine_get_models (self->engine), provider);

  g_signal_connect_object (page, "changed", G_CALLBACK (update_rows), self, G_CONNECT_SWAPPED);
  adw_preferences_dialog_push_subpage (ADW_PREFERENCES_DIALOG (self), page);
}

static void
on_row_activated (AdwActionRow *row, InterpPreferences *self)
{
  open_page (self, g_object_get_data (G_OBJECT (row), "provider"));
}

static void
on_other_address (InterpPreferences *self)
{
  g_assert (INTERP_IS_PREFERENCES (self));

  open_page (self, NULL);
}

static void
add_provider (InterpPreferences *self, InterpProvider *provider)
{
  GtkWidget *row = adw_action_row_new ();

  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), interp_provider_get_title (provider));
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), gtk_image_new_from_icon_name ("go-next-symbolic"));
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), TRUE);
  g_object_set_data_full (G_OBJECT (row), "provider", g_object_ref (provider), g_object_unref);
  g_signal_connect_object (row, "activated", G_CALLBACK (on_row_activated), self, G_CONNECT_DEFAULT);
  adw_preferences_group_add (self->providers_group, row);
  g_ptr_array_add (self->rows, row);
}

static void
fill_providers (InterpPreferences *self)
{
  g_assert (INTERP_IS_PREFERENCES (self));

  GListModel *providers = interp_models_get_providers (interp_engine_get_models (self->engine));

  for (guint i = 0; i < self->rows->len; i++)
    adw_preferences_group_remove (self->providers_group, g_ptr_array_index (self->rows, i));
  g_ptr_array_set_size (self->rows, 0);

  for (guint i = 0; i < g_list_model_get_n_items (providers); i++)
    {
      g_autoptr (InterpProvider) provider = g_list_model_get_item (providers, i);

      /* The tour is at no address. */
      if (interp_provider_get_base_url (provider) != NULL)
        add_provider (self, provider);
    }
  update_rows (self);
}

/* Environment and keyring are asked, so that what is shown is how it is. */
static DexFuture *
look_fiber (gpointer user_data)
{
  InterpPreferences *self = user_data;

  interp_await (interp_models_discover (interp_engine_get_models (self->engine)), NULL);
  if (self->providers_group != NULL)
    update_rows (self);
  return dex_future_new_true ();
}

static void
interp_preferences_dispose (GObject *object)
{
  InterpPreferences *self = INTERP_PREFERENCES (object);

  gtk_widget_dispose_template (GTK_WIDGET (self), INTERP_TYPE_PREFERENCES);

  G_OBJECT_CLASS (interp_preferences_parent_class)->dispose (object);
}

static void
interp_preferences_finalize (GObject *object)
{
  InterpPreferences *self = INTERP_PREFERENCES (object);

  g_clear_object (&self->engine);
  g_ptr_array_unref (self->rows);

  G_OBJECT_CLASS (interp_preferences_parent_class)->finalize (object);
}

static void
interp_preferences_class_init (InterpPreferencesClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = interp_preferences_dispose;
  G_OBJECT_CLASS (klass)->finalize = interp_preferences_finalize;

  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/interpreter_app/Interpreter/ui/interp-preferences.ui");
  gtk_widget_class_bind_template_child (widget_class, InterpPreferences, in_chat_row);
  gtk_widget_class_bind_template_child (widget_class, InterpPreferences, safe_row);
  gtk_widget_class_bind_template_child (widget_class, InterpPreferences, follow_row);
  gtk_widget_class_bind_template_child (widget_class, InterpPreferences, local_only_row);
  gtk_widget_class_bind_template_child (widget_class, InterpPreferences, instructions);
  gtk_widget_class_bind_template_child (widget_class, InterpPreferences, providers_group);
  gtk_widget_class_bind_template_child (widget_class, InterpPreferences, other_row);
}

static void
interp_preferences_init (InterpPreferences *self)
{
  self->rows = g_ptr_array_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  g_signal_connect_object (self->other_row, "activated", G_CALLBACK (on_other_address), self, G_CONNECT_SWAPPED);
}

AdwDialog *
interp_preferences_new (InterpEngine *engine)
{
  InterpPreferences *self = g_object_new (INTERP_TYPE_PREFERENCES, NULL);
  InterpModels *models = interp_engine_get_models (engine);
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (self->instructions);
  g_autofree char *instructions = NULL;

  self->engine = g_object_ref (engine);
  bind_switch (self, self->in_chat_row, "approval-in-chat");
  bind_switch (self, self->safe_row, "safe-mode");
  bind_switch (self, self->follow_row, "follow-answers");
  bind_switch (self, self->local_only_row, "local-models-only");

  instructions = interp_settings_get_string (interp_engine_get_settings (engine), "custom-instructions");
  gtk_text_buffer_set_text (buffer, instructions, -1);
  g_signal_connect_object (buffer, "changed", G_CALLBACK (on_instructions_changed), self, G_CONNECT_SWAPPED);

  fill_providers (self);
  g_signal_connect_object (interp_models_get_providers (models), "items-changed", G_CALLBACK (fill_providers), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (interp_models_get_findings (models), "items-changed", G_CALLBACK (update_rows), self,
                           G_CONNECT_SWAPPED);
  interp_fiber_run ("look for keys", look_fiber, g_object_ref (self), g_object_unref);
  return ADW_DIALOG (self);
}

void
interp_preferences_show_provider (InterpPreferences *self, InterpProvider *provider)
{
  g_return_if_fail (INTERP_IS_PREFERENCES (self));
  g_return_if_fail (INTERP_IS_PROVIDER (provider));

  adw_preferences_dialog_set_visible_page_name (ADW_PREFERENCES_DIALOG (self), "models");
  open_page (self, provider);
}
