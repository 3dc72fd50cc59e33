/* interp-safe-button.c: safe mode in the header: whether, with which folders, with the network or not
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "window/interp-safe-button.h"

#include <glib/gi18n.h>

#include "approval/interp-safe-change.h"
#include "base/interp-paths.h"
#include "base/interp-text.h"

struct _InterpSafeButton
{
  AdwBin parent_instance;

  GtkMenuButton *button;
  GtkImage *icon;
  GtkLabel *label;
  GtkLabel *problem;
  AdwSwitchRow *safe_row;
  AdwSwitchRow *network_row;
  GtkListBox *folders;
  GtkWidget *add_button;

  InterpSession *session;
  gboolean narrow;
  gboolean updating;
};

G_DEFINE_FINAL_TYPE (InterpSafeButton, interp_safe_button, ADW_TYPE_BIN)

static void
set_class (GtkWidget *widget, const char *name, gboolean set)
{
  if (set)
    gtk_widget_add_css_class (widget, name);
  else
    gtk_widget_remove_css_class (widget, name);
}

static void
remove_folder (InterpSession *session, const char *folder)
{
  interp_session_remove_folder (session, folder);
}

static void
on_remove (InterpSafeButton *self, GtkWidget *remove)
{
  gtk_menu_button_popdown (self->button);
  interp_safe_change_make (GTK_WIDGET (self), self->session, remove_folder,
                           g_object_get_data (G_OBJECT (remove), "interp-folder"));
}

static void
append_folder (InterpSafeButton *self, const char *folder, gboolean added)
{
  GtkWidget *row = adw_action_row_new ();
  g_autofree char *path = interp_paths_display (folder);
  g_autofree char *shown = interp_text_make_visible (path);

  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), shown);
  adw_action_row_add_prefix (ADW_ACTION_ROW (row), gtk_image_new_from_icon_name ("folder-symbolic"));
  if (added)
    {
      GtkWidget *remove = gtk_button_new_from_icon_name ("list-remove-symbolic");
      /* Translators: %s is a folder */
      g_autofree char *name = g_strdup_printf (_ ("Take %s Away"), shown);

      gtk_widget_set_tooltip_text (remove, name);
      gtk_widget_set_valign (remove, GTK_ALIGN_CENTER);
      gtk_widget_add_css_class (remove, "flat");
      g_object_set_data_full (G_OBJECT (remove), "interp-folder", g_strdup (folder), g_free);
      g_signal_connect_object (remove, "clicked", G_CALLBACK (on_remove), self, G_CONNECT_SWAPPED);
      adw_action_row_add_suffix (ADW_ACTION_ROW (row), remove);
    }
  gtk_list_box_append (self->folders, row);
}

static void
update (InterpSafeButton *self)
{
  gboolean usable = self->session && !interp_session_is_read_only (self->session);
  gboolean safe = self->session && interp_session_is_safe (self->session);
  const char *problem = safe ? interp_session_get_safe_problem (self->session) : NULL;
  g_auto (GStrv) folders = self->session ? interp_session_dup_folders (self->session) : NULL;
  const char *sentence = problem ? problem
                         : safe  ? _ ("Safe mode is on: code runs in a sandbox.")
                                 : _ ("Safe mode is off: approved code can do whatever you can do.");

  self->updating = TRUE;
  gtk_widget_set_sensitive (GTK_WIDGET (self->button), usable);
  gtk_image_set_from_icon_name (self->icon, problem ? "dialog-error-symbolic"
                                            : safe  ? "security-high-symbolic"
                                                    : "security-low-symbolic");
  gtk_widget_set_visible (GTK_WIDGET (self->label), safe && !self->narrow);
  set_class (GTK_WIDGET (self->button), "safe-mode", safe && !problem);
  set_class (GTK_WIDGET (self->button), "safe-problem", problem != NULL);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->button), sentence);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->button), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Safe Mode"),
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, sentence, -1);
  gtk_label_set_label (self->problem, problem ? problem : "");
  gtk_widget_set_visible (GTK_WIDGET (self->problem), problem != NULL);
  adw_switch_row_set_active (self->safe_row, safe);
  adw_switch_row_set_active (self->network_row, self->session && interp_session_has_network (self->session));
  gtk_widget_set_sensitive (GTK_WIDGET (self->network_row), safe);
  gtk_widget_set_visible (GTK_WIDGET (self->folders), safe);
  gtk_widget_set_visible (self->add_button, safe);
  gtk_list_box_remove_all (self->folders);
  if (safe)
    append_folder (self, interp_session_get_folder (self->session), FALSE);
  for (guint i = 0; safe && folders[i]; i++)
    append_folder (self, folders[i], TRUE);
  self->updating = FALSE;
}

static void
turn_on (InterpSession *session, const char *argument)
{
  interp_session_set_safe (session, TRUE);
}

static void
turn_off (InterpSession *session, const char *argument)
{
  interp_session_set_safe (session, FALSE);
}

static void
network_on (InterpSession *session, const char *argument)
{
  interp_session_set_network (session, TRUE);
}

static void
network_off (InterpSession *session, const char *argument)
{
  interp_session_set_network (session, FALSE);
}

static gboolean
update_cb (gpointer user_data)
{
  update (user_data);
  return G_SOURCE_REMOVE;
}

/* The switch shows what is, not what was asked for: until it is so it goes back. Later, for now the row and its switch
 * are telling each other. */
static void
on_switched (InterpSafeButton *self, GParamSpec *pspec, AdwSwitchRow *row)
{
  gboolean active = adw_switch_row_get_active (row);
  InterpSafeChange change = row == self->safe_row ? (active ? turn_on : turn_off) : (active ? network_on : network_off);

  if (self->updating || !self->session)
    return;
  if (interp_session_has_kernels (self->session))
    gtk_menu_button_popdown (self->button);
  interp_safe_change_make (GTK_WIDGET (self), self->session, change, NULL);
  g_idle_add_full (G_PRIORITY_DEFAULT, update_cb, g_object_ref (self), g_object_unref);
}

static void
add_folder (InterpSession *session, const char *folder)
{
  interp_session_add_folder (session, folder, NULL);
}

static void
on_chosen (GObject *dialog, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (InterpSafeButton) self = user_data;
  g_autoptr (GFile) folder = gtk_file_dialog_select_folder_finish (GTK_FILE_DIALOG (dialog), result, NULL);
  g_autoptr (GError) error = NULL;
  const char *path = folder ? g_file_peek_path (folder) : NULL;
  AdwDialog *refusal;

  if (!path || !self->session)
    return;
  if (interp_session_can_add_folder (self->session, path, &error))
    {
      interp_safe_change_make (GTK_WIDGET (self), self->session, add_folder, path);
      return;
    }
  refusal = adw_alert_dialog_new (_ ("Folder Not Added"), error->message);
  adw_alert_dialog_add_response (ADW_ALERT_DIALOG (refusal), "close", _ ("_Close"));
  adw_dialog_present (refusal, GTK_WIDGET (self));
}

static void
on_add (InterpSafeButton *self)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  g_autoptr (GtkFileDialog) dialog = gtk_file_dialog_new ();

  gtk_menu_button_popdown (self->button);
  gtk_file_dialog_set_title (dialog, _ ("Choose a Folder for Code"));
  gtk_file_dialog_select_folder (dialog, GTK_IS_WINDOW (root) ? GTK_WINDOW (root) : NULL, NULL, on_chosen,
                                 g_object_ref (self));
}

void
interp_safe_button_set_session (InterpSafeButton *self, InterpSession *session)
{
  static const char *const properties[] = { "notify::safe",   "notify::safe-problem", "notify::network",
                                            "notify::folder", "notify::folders",      "notify::read-only" };

  g_return_if_fail (INTERP_IS_SAFE_BUTTON (self));
  g_return_if_fail (session == NULL || INTERP_IS_SESSION (session));

  if (self->session == session)
    return;
  if (self->session)
    g_signal_handlers_disconnect_by_data (self->session, self);
  g_set_object (&self->session, session);
  for (guint i = 0; session && i < G_N_ELEMENTS (properties); i++)
    g_signal_connect_object (session, properties[i], G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  update (self);
}

void
interp_safe_button_set_narrow (InterpSafeButton *self, gboolean narrow)
{
  g_return_if_fail (INTERP_IS_SAFE_BUTTON (self));

  self->narrow = narrow;
  update (self);
}

static void
interp_safe_button_dispose (GObject *object)
{
  InterpSafeButton *self = INTERP_SAFE_BUTTON (object);

  if (self->session)
    g_signal_handlers_disconnect_by_data (self->session, self);
  g_clear_object (&self->session);
  /* The template's disposal would unparent it behind the bin's back. */
  adw_bin_set_child (ADW_BIN (object), NULL);
  gtk_widget_dispose_template (GTK_WIDGET (object), INTERP_TYPE_SAFE_BUTTON);
  G_OBJECT_CLASS (interp_safe_button_parent_class)->dispose (object);
}

static void
interp_safe_button_class_init (InterpSafeButtonClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = interp_safe_button_dispose;
  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/interpreter_app/Interpreter/ui/"
                                                             "interp-safe-button.ui");
  gtk_widget_class_bind_template_child (widget_class, InterpSafeButton, button);
  gtk_widget_class_bind_template_child (widget_class, InterpSafeButton, icon);
  gtk_widget_class_bind_template_child (widget_class, InterpSafeButton, label);
  gtk_widget_class_bind_template_child (widget_class, InterpSafeButton, problem);
  gtk_widget_class_bind_template_child (widget_class, InterpSafeButton, safe_row);
  gtk_widget_class_bind_template_child (widget_class, InterpSafeButton, network_row);
  gtk_widget_class_bind_template_child (widget_class, InterpSafeButton, folders);
  gtk_widget_class_bind_template_child (widget_class, InterpSafeButton, add_button);
  gtk_widget_class_bind_template_callback (widget_class, on_add);
}

static void
interp_safe_button_init (InterpSafeButton *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));

  g_signal_connect_object (self->safe_row, "notify::active", G_CALLBACK (on_switched), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->network_row, "notify::active", G_CALLBACK (on_switched), self, G_CONNECT_SWAPPED);
  update (self);
}
