/* interp-blocked-row.c: what the sandbox has kept from a cell, and what to do about it
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <glib/gi18n.h>

#include "approval/interp-blocked-row.h"
#include "approval/interp-safe-change.h"
#include "base/interp-paths.h"
#include "base/interp-text.h"

struct _InterpBlockedRow
{
  AdwBin parent_instance;

  GtkLabel *label;
  GtkWidget *network_button;
  GtkWidget *folder_button;

  InterpSession *session;
  InterpCell *cell;
};

G_DEFINE_FINAL_TYPE (InterpBlockedRow, interp_blocked_row, ADW_TYPE_BIN)

static void
on_network (InterpBlockedRow *self)
{
  interp_session_run_in_place (self->session, self->cell, INTERP_RUN_PLACE_NETWORK);
}

static void
on_outside (InterpBlockedRow *self)
{
  interp_session_run_in_place (self->session, self->cell, INTERP_RUN_PLACE_OUTSIDE);
}

typedef struct
{
  InterpSession *session;
  InterpCell *cell;
  char *folder;
} Given;

static void
given_free (gpointer data, GClosure *closure)
{
  Given *given = data;

  g_object_unref (given->session);
  g_object_unref (given->cell);
  g_free (given->folder);
  g_free (given);
}

static void
on_folder_response (AdwAlertDialog *dialog, const char *response, gpointer user_data)
{
  const Given *given = user_data;

  if (!g_str_equal (response, "allow") || !interp_session_add_folder (given->session, given->folder, NULL))
    return;
  interp_session_run_again (given->session, given->cell, interp_cell_get_code (given->cell));
}

static void
on_folder (InterpBlockedRow *self)
{
  const char *folder = interp_cell_get_blocked_folder (self->cell);
  g_autofree char *shown = folder ? interp_paths_display (folder) : NULL;
  AdwDialog *dialog;
  Given *given;

  if (!folder)
    return;
  dialog = adw_alert_dialog_new (NULL, NULL);
  /* Translators: %s is a folder */
  adw_alert_dialog_format_heading (ADW_ALERT_DIALOG (dialog), _ ("Give %s to Code?"), shown);
  adw_alert_dialog_set_body (ADW_ALERT_DIALOG (dialog),
                             _ ("Code of this chat can then read, change and delete what is in it. The kernels start "
                                "anew: their variables are lost. This code runs again."));
  adw_alert_dialog_add_responses (ADW_ALERT_DIALOG (dialog), "cancel", _ ("_Cancel"), "allow", _ ("_Allow"), NULL);
  adw_alert_dialog_set_default_response (ADW_ALERT_DIALOG (dialog), "cancel");
  adw_alert_dialog_set_close_response (ADW_ALERT_DIALOG (dialog), "cancel");
  given = g_new0 (Given, 1);
  given->session = g_object_ref (self->session);
  given->cell = g_object_ref (self->cell);
  given->folder = g_strdup (folder);
  g_signal_connect_data (dialog, "response", G_CALLBACK (on_folder_response), given, given_free, 0);
  adw_dialog_present (dialog, GTK_WIDGET (self));
}

void
interp_blocked_row_update (InterpBlockedRow *self, InterpSession *session, InterpCell *cell)
{
  const char *folder;
  gboolean network;
  gboolean over;
  g_autofree char *shown = NULL;
  g_autofree char *text = NULL;

  g_return_if_fail (INTERP_IS_BLOCKED_ROW (self));
  g_return_if_fail (INTERP_IS_CELL (cell));

  g_set_object (&self->session, session);
  g_set_object (&self->cell, cell);
  folder = interp_cell_get_blocked_folder (cell);
  network = interp_cell_is_network_blocked (cell);
  over = interp_item_get_state (INTERP_ITEM (cell)) != INTERP_ITEM_OPEN;
  gtk_widget_set_visible (GTK_WIDGET (self), over && session && interp_session_is_safe (session)
                                                 && !interp_session_is_read_only (session) && (folder || network));
  if (folder)
    {
      g_autofree char *path = interp_paths_display (folder);

      shown = interp_text_make_visible (path);
    }
  if (folder && network)
    /* Translators: %s is a folder */
    text = g_strdup_printf (_ ("The sandbox has no network and does not have %s."), shown);
  else if (folder)
    /* Translators: %s is a folder */
    text = g_strdup_printf (_ ("The sandbox does not have %s."), shown);
  else
    text = g_strdup (_ ("The sandbox has no network."));
  gtk_label_set_label (self->label, text);
  gtk_widget_set_visible (self->network_button, network);
  gtk_widget_set_visible (self->folder_button, folder != NULL);
}

static void
interp_blocked_row_dispose (GObject *object)
{
  InterpBlockedRow *self = INTERP_BLOCKED_ROW (object);

  g_clear_object (&self->session);
  g_clear_object (&self->cell);
  G_OBJECT_CLASS (interp_blocked_row_parent_class)->dispose (object);
}

static void
interp_blocked_row_class_init (InterpBlockedRowClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = interp_blocked_row_dispose;
}

static GtkWidget *
add_button (InterpBlockedRow *self, AdwWrapBox *box, const char *label, const char *tooltip, GCallback clicked)
{
  GtkWidget *button = gtk_button_new_with_label (label);

  gtk_widget_set_tooltip_text (button, tooltip);
  g_signal_connect_swapped (button, "clicked", clicked, self);
  adw_wrap_box_append (box, button);
  return button;
}

static void
interp_blocked_row_init (InterpBlockedRow *self)
{
  GtkWidget *column = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  GtkWidget *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 9);
  GtkWidget *icon = gtk_image_new_from_icon_name ("security-high-symbolic");
  AdwWrapBox *buttons = ADW_WRAP_BOX (adw_wrap_box_new ());

  self->label = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_wrap (self->label, TRUE);
  gtk_label_set_wrap_mode (self->label, PANGO_WRAP_WORD_CHAR);
  gtk_label_set_xalign (self->label, 0);
  gtk_widget_set_valign (icon, GTK_ALIGN_START);
  gtk_box_append (GTK_BOX (line), icon);
  gtk_box_append (GTK_BOX (line), GTK_WIDGET (self->label));
  gtk_box_append (GTK_BOX (column), line);

  adw_wrap_box_set_child_spacing (buttons, 6);
  adw_wrap_box_set_line_spacing (buttons, 6);
  self->network_button
      = add_button (self, buttons, _ ("Allow Network Once"),
                    _ ("Runs this again with the network, in a kernel of its own"), G_CALLBACK (on_network));
  self->folder_button = add_button (self, buttons, _ ("Allow This Folder…"), NULL, G_CALLBACK (on_folder));
  add_button (self, buttons, _ ("Run Outside…"),
              _ ("Asks again, and runs this in a kernel of its own outside the sandbox"), G_CALLBACK (on_outside));
  gtk_box_append (GTK_BOX (column), GTK_WIDGET (buttons));
  gtk_widget_add_css_class (column, "cell-row");
  adw_bin_set_child (ADW_BIN (self), column);
}
