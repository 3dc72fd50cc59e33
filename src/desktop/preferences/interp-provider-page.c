/* interp-provider-page.c
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <glib/gi18n.h>

#include "base/interp-fiber.h"
#include "preferences/interp-provider-page.h"

struct _InterpProviderPage
{
  AdwNavigationPage parent_instance;

  AdwActionRow *place_row;
  GtkEditable *own_address_row;
  GtkEditable *address_row;
  AdwActionRow *source_row;
  GtkEditable *key_row;
  GtkWidget *check_row;
  GtkWidget *checking_row;
  GtkWidget *cancel_button;
  GtkWidget *result_group;
  GtkLabel *result;
  GtkWidget *remove_group;
  GtkWidget *remove_row;
  GtkWidget *forget_group;
  GtkWidget *forget_row;

  InterpModels *models;
  InterpProvider *provider;  /* NULL until an address has answered */
  GCancellable *cancellable; /* of what is under way */
};

G_DEFINE_FINAL_TYPE (InterpProviderPage, interp_provider_page, ADW_TYPE_NAVIGATION_PAGE)

enum
{
  CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

char *
interp_provider_page_describe_key (InterpProvider *provider)
{
  switch (interp_provider_get_key_source (provider))
    {
    case INTERP_KEY_ENVIRONMENT:
      /* Translators: %s is an environment variable */
      return g_strdup_printf (_ ("Key from %s in the environment"), interp_provider_get_key_variable (provider));
    case INTERP_KEY_KEYRING:
      return g_strdup (_ ("Key in the keyring"));
    case INTERP_KEY_SESSION:
      return g_strdup (_ ("Key for this run only"));
    case INTERP_KEY_NONE:
    default:
      return g_strdup (_ ("No key"));
    }
}

static void
show_result (InterpProviderPage *self, const char *text, gboolean good)
{
  gtk_label_set_label (self->result, text != NULL ? text : "");
  gtk_widget_set_visible (self->result_group, text != NULL);
  if (good)
    gtk_widget_remove_css_class (GTK_WIDGET (self->result), "error");
  else
    gtk_widget_add_css_class (GTK_WIDGET (self->result), "error");
  if (text != NULL)
    gtk_accessible_announce (GTK_ACCESSIBLE (self), text, GTK_ACCESSIBLE_ANNOUNCEMENT_PRIORITY_MEDIUM);
}

static void
update_check_row (InterpProviderPage *self)
{
  g_assert (INTERP_IS_PROVIDER_PAGE (self));

  /* Without a key that is typed, the server is asked with the one it has, or none. */
  gtk_widget_set_sensitive (self->check_row,
                            self->provider != NULL || *gtk_editable_get_text (self->address_row) != '\0');
}

/* As it is, in place of what was typed. */
static void
show_address (InterpProviderPage *self)
{
  AdwEntryRow *row = ADW_ENTRY_ROW (self->own_address_row);

  adw_entry_row_set_show_apply_button (row, FALSE);
  gtk_editable_set_text (self->own_address_row, interp_provider_get_base_url (self->provider));
  adw_entry_row_set_show_apply_button (row, TRUE);
}

static void
update (InterpProviderPage *self)
{
  gboolean known = self->provider != NULL;
  gboolean busy = self->cancellable != NULL;
  InterpKeySource source = known ? interp_provider_get_key_source (self->provider) : INTERP_KEY_NONE;

  adw_navigation_page_set_title (ADW_NAVIGATION_PAGE (self),
                                 known ? interp_provider_get_title (self->provider) : _ ("Other Address"));
  gtk_widget_set_visible (GTK_WIDGET (self->place_row), known && interp_provider_is_address (self->provider));
  gtk_widget_set_visible (GTK_WIDGET (self->own_address_row), known && !interp_provider_is_address (self->provider));
  gtk_widget_set_visible (GTK_WIDGET (self->address_row), !known);
  gtk_widget_set_visible (GTK_WIDGET (self->source_row), known);
  if (known)
    {
      g_autofree char *key = interp_provider_page_describe_key (self->provider);

      adw_action_row_set_subtitle (self->place_row, interp_provider_get_base_url (self->provider));
      adw_action_row_set_subtitle (self->source_row, key);
      if (!busy)
        show_address (self);
    }

  gtk_widget_set_sensitive (GTK_WIDGET (self->address_row), !busy);
  gtk_widget_set_sensitive (GTK_WIDGET (self->own_address_row), !busy);
  gtk_widget_set_sensitive (GTK_WIDGET (self->key_row), !busy);
  gtk_widget_set_visible (self->check_row, !busy);
  gtk_widget_set_visible (self->checking_row, busy);
  /* What the environment says is not ours to remove. */
  gtk_widget_set_visible (self->remove_group, !busy && (source == INTERP_KEY_KEYRING || source == INTERP_KEY_SESSION));
  gtk_widget_set_visible (self->forget_group, known && !busy && interp_provider_is_address (self->provider));
  update_check_row (self);
}

/* ---- checking ---- */

static void
begin (InterpProviderPage *self)
{
  self->cancellable = g_cancellable_new ();
  show_result (self, NULL, TRUE);
  update (self);
}

static void
end (InterpProviderPage *self, const char *text, const GError *error)
{
  /* The page may be gone. */
  if (self->check_row == NULL)
    return;

  g_clear_object (&self->cancellable);
  if (error == NULL)
    gtk_editable_set_text (self->key_row, "");
  update (self);
  gtk_widget_grab_focus (GTK_WIDGET (self->key_row));
  if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    show_result (self, error != NULL ? error->message : text, error == NULL);
  g_signal_emit (self, signals[CHANGED], 0);
}

static DexFuture *
check_fiber (gpointer user_data)
{
  InterpProviderPage *self = user_data;
  g_autofree char *key = g_strdup (gtk_editable_get_text (self->key_row));
  g_autoptr (InterpProvider) provider = self->provider != NULL ? g_object_ref (self->provider) : NULL;
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;

  if (provider == NULL)
    {
      g_autofree char *address = g_strdup (gtk_editable_get_text (self->address_row));

      provider = interp_models_prepare_address (self->models, address, &error);
    }
  if (provider != NULL)
    text = dex_await_string (interp_models_enter_key (self->models, provider, key, self->cancellable), &error);
  if (text != NULL)
    g_set_object (&self->provider, provider);
  end (self, text, error);

  return dex_future_new_true ();
}

static void
on_check (InterpProviderPage *self)
{
  g_assert (INTERP_IS_PROVIDER_PAGE (self));

  if (self->cancellable != NULL || !gtk_widget_is_sensitive (self->check_row))
    return;

  begin (self);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self->checking_row), _ ("Checking…"));
  gtk_widget_set_visible (self->cancel_button, TRUE);
  gtk_widget_grab_focus (self->cancel_button);
  interp_fiber_run ("check a key", check_fiber, g_object_ref (self), g_object_unref);
}

static void
on_cancel (InterpProviderPage *self)
{
  g_assert (INTERP_IS_PROVIDER_PAGE (self));

  g_cancellable_cancel (self->cancellable);
}

static DexFuture *
remove_fiber (gpointer user_data)
{
  InterpProviderPage *self = user_data;
  g_autoptr (GError) error = NULL;

  interp_await (interp_models_remove_key (self->models, self->provider), &error);
  end (self, _ ("The key is removed."), error);

  return dex_future_new_true ();
}

static void
on_remove (InterpProviderPage *self)
{
  g_assert (INTERP_IS_PROVIDER_PAGE (self));

  if (self->cancellable != NULL)
    return;

  begin (self);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self->checking_row), _ ("Removing…"));
  gtk_widget_set_visible (self->cancel_button, FALSE);
  interp_fiber_run ("remove a key", remove_fiber, g_object_ref (self), g_object_unref);
}

static DexFuture *
forget_fiber (gpointer user_data)
{
  InterpProviderPage *self = user_data;
  g_autoptr (GError) error = NULL;

  if (interp_await (interp_models_forget_address (self->models, self->provider), &error))
    {
      GtkWidget *view = gtk_widget_get_ancestor (GTK_WIDGET (self), ADW_TYPE_PREFERENCES_DIALOG);

      /* There is nothing left to show. */
      g_clear_object (&self->cancellable);
      g_signal_emit (self, signals[CHANGED], 0);
      if (view != NULL)
        adw_preferences_dialog_pop_subpage (ADW_PREFERENCES_DIALOG (view));
    }
  else
    end (self, NULL, error);

  return dex_future_new_true ();
}

static void
on_forget (InterpProviderPage *self)
{
  g_assert (INTERP_IS_PROVIDER_PAGE (self));

  if (self->cancellable != NULL)
    return;

  begin (self);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self->checking_row), _ ("Removing…"));
  gtk_widget_set_visible (self->cancel_button, FALSE);
  interp_fiber_run ("forget an address", forget_fiber, g_object_ref (self), g_object_unref);
}

/* ---- the address ---- */

static DexFuture *
address_fiber (gpointer user_data)
{
  InterpProviderPage *self = user_data;
  g_autofree char *address = g_strdup (gtk_editable_get_text (self->own_address_row));
  g_autoptr (GError) error = NULL;

  interp_await (interp_models_set_address (self->models, self->provider, address), &error);
  if (self->own_address_row == NULL)
    return dex_future_new_true ();

  if (error == NULL)
    update (self);
  show_result (self, error != NULL ? error->message : _ ("The address is saved."), error == NULL);
  g_signal_emit (self, signals[CHANGED], 0);

  return dex_future_new_true ();
}

static void
on_address_applied (InterpProviderPage *self)
{
  g_assert (INTERP_IS_PROVIDER_PAGE (self));

  interp_fiber_run ("set an address", address_fiber, g_object_ref (self), g_object_unref);
}

/* ---- life ---- */

static void
interp_provider_page_hidden (AdwNavigationPage *page)
{
  InterpProviderPage *self = INTERP_PROVIDER_PAGE (page);

  /* Nobody waits for the answer any more. */
  if (self->cancellable != NULL)
    g_cancellable_cancel (self->cancellable);
}

static void
interp_provider_page_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), INTERP_TYPE_PROVIDER_PAGE);

  G_OBJECT_CLASS (interp_provider_page_parent_class)->dispose (object);
}

static void
interp_provider_page_finalize (GObject *object)
{
  InterpProviderPage *self = INTERP_PROVIDER_PAGE (object);

  g_clear_object (&self->cancellable);
  g_clear_object (&self->provider);
  g_clear_object (&self->models);

  G_OBJECT_CLASS (interp_provider_page_parent_class)->finalize (object);
}

static void
interp_provider_page_class_init (InterpProviderPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = interp_provider_page_dispose;
  G_OBJECT_CLASS (klass)->finalize = interp_provider_page_finalize;
  ADW_NAVIGATION_PAGE_CLASS (klass)->hidden = interp_provider_page_hidden;

  signals[CHANGED]
      = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);

  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/interpreter_app/Interpreter/ui/interp-provider-page.ui");
  gtk_widget_class_bind_template_child (widget_class, InterpProviderPage, place_row);
  gtk_widget_class_bind_template_child (widget_class, InterpProviderPage, own_address_row);
  gtk_widget_class_bind_template_child (widget_class, InterpProviderPage, address_row);
  gtk_widget_class_bind_template_child (widget_class, InterpProviderPage, source_row);
  gtk_widget_class_bind_template_child (widget_class, InterpProviderPage, key_row);
  gtk_widget_class_bind_template_child (widget_class, InterpProviderPage, check_row);
  gtk_widget_class_bind_template_child (widget_class, InterpProviderPage, checking_row);
  gtk_widget_class_bind_template_child (widget_class, InterpProviderPage, cancel_button);
  gtk_widget_class_bind_template_child (widget_class, InterpProviderPage, result_group);
  gtk_widget_class_bind_template_child (widget_class, InterpProviderPage, result);
  gtk_widget_class_bind_template_child (widget_class, InterpProviderPage, remove_group);
  gtk_widget_class_bind_template_child (widget_class, InterpProviderPage, remove_row);
  gtk_widget_class_bind_template_child (widget_class, InterpProviderPage, forget_group);
  gtk_widget_class_bind_template_child (widget_class, InterpProviderPage, forget_row);
}

static void
interp_provider_page_init (InterpProviderPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));

  g_signal_connect_object (self->key_row, "changed", G_CALLBACK (update_check_row), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->address_row, "changed", G_CALLBACK (update_check_row), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->key_row, "entry-activated", G_CALLBACK (on_check), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->address_row, "entry-activated", G_CALLBACK (on_check), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->own_address_row, "apply", G_CALLBACK (on_address_applied), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->check_row, "activated", G_CALLBACK (on_check), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->cancel_button, "clicked", G_CALLBACK (on_cancel), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->remove_row, "activated", G_CALLBACK (on_remove), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->forget_row, "activated", G_CALLBACK (on_forget), self, G_CONNECT_SWAPPED);
}

AdwNavigationPage *
interp_provider_page_new (InterpModels *models, InterpProvider *provider)
{
  InterpProviderPage *self = g_object_new (INTERP_TYPE_PROVIDER_PAGE, NULL);

  self->models = g_object_ref (models);
  g_set_object (&self->provider, provider);
  update (self);

  return ADW_NAVIGATION_PAGE (self);
}
