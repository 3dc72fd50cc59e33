/* interp-approval-dialog.c
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <glib/gi18n.h>

#include "approval/interp-approval-dialog.h"
#include "approval/interp-approval-panel.h"

struct _InterpApprovalDialog
{
  AdwDialog parent_instance;

  InterpCell *cell;
};

G_DEFINE_FINAL_TYPE (InterpApprovalDialog, interp_approval_dialog, ADW_TYPE_DIALOG)

enum
{
  SHOW_IN_CHAT,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

InterpCell *
interp_approval_dialog_get_cell (InterpApprovalDialog *self)
{
  g_return_val_if_fail (INTERP_IS_APPROVAL_DIALOG (self), NULL);

  return self->cell;
}

static void
on_answered (InterpApprovalDialog *self)
{
  g_assert (INTERP_IS_APPROVAL_DIALOG (self));

  adw_dialog_force_close (ADW_DIALOG (self));
}

static void
on_show_in_chat (InterpApprovalDialog *self)
{
  g_assert (INTERP_IS_APPROVAL_DIALOG (self));

  g_signal_emit (self, signals[SHOW_IN_CHAT], 0);
  adw_dialog_force_close (ADW_DIALOG (self));
}

static void
interp_approval_dialog_dispose (GObject *object)
{
  g_clear_object (&INTERP_APPROVAL_DIALOG (object)->cell);
  G_OBJECT_CLASS (interp_approval_dialog_parent_class)->dispose (object);
}

static void
interp_approval_dialog_class_init (InterpApprovalDialogClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = interp_approval_dialog_dispose;
  signals[SHOW_IN_CHAT] = g_signal_new ("show-in-chat", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                        NULL, G_TYPE_NONE, 0);
}

static void
interp_approval_dialog_init (InterpApprovalDialog *self)
{
  adw_dialog_set_content_width (ADW_DIALOG (self), 720);
  adw_dialog_set_content_height (ADW_DIALOG (self), 600);
}

AdwDialog *
interp_approval_dialog_new (InterpSession *session, InterpCell *cell)
{
  InterpApprovalDialog *self = g_object_new (INTERP_TYPE_APPROVAL_DIALOG, NULL);
  InterpApprovalPanel *panel = interp_approval_panel_new (session, cell);
  GtkWidget *view = adw_toolbar_view_new ();
  GtkWidget *header = adw_header_bar_new ();
  GtkWidget *in_chat = gtk_button_new_with_mnemonic (_ ("Show in _Chat"));
  /* Translators: %s is a language, "Python" */
  g_autofree char *title = g_strdup_printf (_ ("Run %s Code?"), interp_cell_get_language (cell));

  self->cell = g_object_ref (cell);
  adw_dialog_set_title (ADW_DIALOG (self), title);

  gtk_widget_add_css_class (in_chat, "flat");
  g_signal_connect_object (in_chat, "clicked", G_CALLBACK (on_show_in_chat), self, G_CONNECT_SWAPPED);
  adw_header_bar_pack_start (ADW_HEADER_BAR (header), in_chat);
  adw_toolbar_view_add_top_bar (ADW_TOOLBAR_VIEW (view), header);
  gtk_widget_set_margin_start (GTK_WIDGET (panel), 12);
  gtk_widget_set_margin_end (GTK_WIDGET (panel), 12);
  gtk_widget_set_margin_bottom (GTK_WIDGET (panel), 12);
  adw_toolbar_view_set_content (ADW_TOOLBAR_VIEW (view), GTK_WIDGET (panel));
  adw_dialog_set_child (ADW_DIALOG (self), view);

  g_signal_connect_object (panel, "answered", G_CALLBACK (on_answered), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self, "map", G_CALLBACK (interp_approval_panel_focus_code), panel,
                           G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  return ADW_DIALOG (self);
}
