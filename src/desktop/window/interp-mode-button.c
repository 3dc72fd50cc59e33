/* interp-mode-button.c: what code may do without asking
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "window/interp-mode-button.h"

#include <glib/gi18n.h>

#include "approval/interp-safe-change.h"

struct _InterpModeButton
{
  AdwBin parent_instance;

  GtkMenuButton *button;
  GtkImage *icon;
  GtkLabel *label;
  GtkListBox *list;

  InterpSession *session;
};

G_DEFINE_FINAL_TYPE (InterpModeButton, interp_mode_button, ADW_TYPE_BIN)

static const struct
{
  InterpMode mode;
  const char *icon_name;
  const char *title;
  const char *sentence;
} modes[] = {
  { INTERP_MODE_ASK, "interpreter-ask-symbolic", N_ ("Ask"), N_ ("Every block of code waits for your answer.") },
  { INTERP_MODE_SANDBOX, "security-high-symbolic", N_ ("Auto in Sandbox"),
    N_ ("Code runs without asking where it reaches only this chat’s folders and no network. Only leaving that asks.") },
  { INTERP_MODE_AUTO, "media-skip-forward-symbolic", N_ ("Auto"),
    N_ ("Code runs without asking. Deleting outside the folder, disks and administrator rights still ask.") },
  { INTERP_MODE_LOOK, "view-reveal-symbolic", N_ ("Look"), N_ ("Nothing runs. Code is only shown.") },
};

static void
update (InterpModeButton *self)
{
  InterpMode mode = self->session ? interp_session_get_mode (self->session) : INTERP_MODE_ASK;

  gtk_widget_set_sensitive (GTK_WIDGET (self->button), self->session && !interp_session_is_read_only (self->session));
  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    {
      GtkListBoxRow *row = gtk_list_box_get_row_at_index (self->list, (int) i);
      GtkWidget *check = g_object_get_data (G_OBJECT (row), "interp-check");

      gtk_widget_set_opacity (check, modes[i].mode == mode ? 1 : 0);
      gtk_accessible_update_state (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_STATE_SELECTED, modes[i].mode == mode, -1);
      if (modes[i].mode != mode)
        continue;
      gtk_image_set_from_icon_name (self->icon, modes[i].icon_name);
      gtk_label_set_label (self->label, _ (modes[i].title));
      gtk_widget_set_tooltip_text (GTK_WIDGET (self->button), _ (modes[i].sentence));
      gtk_accessible_update_property (GTK_ACCESSIBLE (self->button), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Mode"),
                                      GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, _ (modes[i].title), -1);
    }
  if (mode == INTERP_MODE_AUTO)
    gtk_widget_add_css_class (GTK_WIDGET (self->button), "auto-mode");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self->button), "auto-mode");
  if (mode == INTERP_MODE_SANDBOX)
    gtk_widget_add_css_class (GTK_WIDGET (self->button), "sandbox-mode");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self->button), "sandbox-mode");
}

static void
on_auto_response (AdwAlertDialog *dialog, const char *response, InterpModeButton *self)
{
  InterpSession *session = g_object_get_data (G_OBJECT (dialog), "interp-session");

  if (!g_str_equal (response, "auto"))
    return;
  interp_session_set_safe (session, FALSE);
  interp_session_set_mode (session, INTERP_MODE_AUTO);
}

static void
enter_sandbox (InterpSession *session, const char *argument)
{
  interp_session_set_mode (session, INTERP_MODE_SANDBOX);
}

void
interp_mode_button_choose (InterpModeButton *self, InterpMode mode)
{
  AdwAlertDialog *dialog;

  g_return_if_fail (INTERP_IS_MODE_BUTTON (self));

  if (!self->session || interp_session_get_mode (self->session) == mode)
    return;
  if (mode == INTERP_MODE_SANDBOX && !interp_session_is_safe (self->session))
    {
      interp_safe_change_make (GTK_WIDGET (self), self->session, enter_sandbox, NULL);
      return;
    }
  if (mode != INTERP_MODE_AUTO)
    {
      interp_session_set_mode (self->session, mode);
      return;
    }
  dialog = ADW_ALERT_DIALOG (
      adw_alert_dialog_new (_ ("Run Code Without Asking?"),
                            _ ("In this chat, what the model writes will run at once and with all your "
                               "rights: it can change and delete your files and "
                               "use the network. You will see each block as it runs, and can stop it.")));
  adw_alert_dialog_add_responses (dialog, "cancel", _ ("_Cancel"), "auto", _ ("_Turn On Auto"), NULL);
  adw_alert_dialog_set_response_appearance (dialog, "auto", ADW_RESPONSE_DESTRUCTIVE);
  adw_alert_dialog_set_default_response (dialog, "cancel");
  adw_alert_dialog_set_close_response (dialog, "cancel");
  g_object_set_data_full (G_OBJECT (dialog), "interp-session", g_object_ref (self->session), g_object_unref);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_auto_response), self, 0);
  adw_dialog_present (ADW_DIALOG (dialog), GTK_WIDGET (self));
}

static void
on_row_activated (InterpModeButton *self, GtkListBoxRow *row)
{
  gtk_menu_button_popdown (self->button);
  interp_mode_button_choose (self, modes[gtk_list_box_row_get_index (row)].mode);
}

void
interp_mode_button_set_narrow (InterpModeButton *self, gboolean narrow)
{
  g_return_if_fail (INTERP_IS_MODE_BUTTON (self));

  gtk_widget_set_visible (GTK_WIDGET (self->label), !narrow);
  gtk_menu_button_set_always_show_arrow (self->button, !narrow);
}

void
interp_mode_button_set_session (InterpModeButton *self, InterpSession *session)
{
  g_return_if_fail (INTERP_IS_MODE_BUTTON (self));
  g_return_if_fail (session == NULL || INTERP_IS_SESSION (session));

  if (self->session == session)
    return;
  if (self->session)
    g_signal_handlers_disconnect_by_data (self->session, self);
  g_set_object (&self->session, session);
  if (session)
    {
      g_signal_connect_object (session, "notify::mode", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
      g_signal_connect_object (session, "notify::read-only", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
    }
  update (self);
}

static void
interp_mode_button_dispose (GObject *object)
{
  InterpModeButton *self = INTERP_MODE_BUTTON (object);

  if (self->session)
    g_signal_handlers_disconnect_by_data (self->session, self);
  g_clear_object (&self->session);
  /* The template's disposal would unparent it behind the bin's back. */
  adw_bin_set_child (ADW_BIN (object), NULL);
  gtk_widget_dispose_template (GTK_WIDGET (object), INTERP_TYPE_MODE_BUTTON);
  G_OBJECT_CLASS (interp_mode_button_parent_class)->dispose (object);
}

static void
interp_mode_button_class_init (InterpModeButtonClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = interp_mode_button_dispose;
  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/interpreter_app/Interpreter/ui/"
                                                             "interp-mode-button.ui");
  gtk_widget_class_bind_template_child (widget_class, InterpModeButton, button);
  gtk_widget_class_bind_template_child (widget_class, InterpModeButton, icon);
  gtk_widget_class_bind_template_child (widget_class, InterpModeButton, label);
  gtk_widget_class_bind_template_child (widget_class, InterpModeButton, list);
  gtk_widget_class_bind_template_callback (widget_class, on_row_activated);
}

static void
interp_mode_button_init (InterpModeButton *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));

  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    {
      GtkWidget *row = adw_action_row_new ();
      GtkWidget *check = gtk_image_new_from_icon_name ("object-select-symbolic");

      adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), _ (modes[i].title));
      adw_action_row_set_subtitle (ADW_ACTION_ROW (row), _ (modes[i].sentence));
      adw_action_row_add_prefix (ADW_ACTION_ROW (row), gtk_image_new_from_icon_name (modes[i].icon_name));
      adw_action_row_add_suffix (ADW_ACTION_ROW (row), check);
      gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), TRUE);
      g_object_set_data (G_OBJECT (row), "interp-check", check);
      gtk_list_box_append (self->list, row);
    }
  update (self);
}
