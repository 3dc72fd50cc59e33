/* interp-text-dialog.c: a dialog with a text to read and copy
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "window/interp-text-dialog.h"

#include <glib/gi18n.h>

#include "transcript/interp-code-view.h"

static void
on_copy (GtkButton *button, InterpCodeView *view)
{
  g_autofree char *text = interp_code_view_dup_code (view);

  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (button)), text);
}

AdwDialog *
interp_text_dialog_new (const char *title, const char *text, const char *language)
{
  AdwDialog *dialog = adw_dialog_new ();
  GtkWidget *toolbar = adw_toolbar_view_new ();
  GtkWidget *header = adw_header_bar_new ();
  GtkWidget *copy = gtk_button_new_from_icon_name ("edit-copy-symbolic");
  GtkWidget *scroller = gtk_scrolled_window_new ();
  GtkWidget *view = interp_code_view_new ();

  interp_code_view_set_language (INTERP_CODE_VIEW (view), language);
  interp_code_view_set_wrap (INTERP_CODE_VIEW (view), TRUE);
  interp_code_view_set_code (INTERP_CODE_VIEW (view), text);
  gtk_accessible_update_property (GTK_ACCESSIBLE (view), GTK_ACCESSIBLE_PROPERTY_LABEL, title, -1);
  gtk_widget_set_tooltip_text (copy, _ ("Copy"));
  g_signal_connect_object (copy, "clicked", G_CALLBACK (on_copy), view, 0);
  adw_header_bar_pack_start (ADW_HEADER_BAR (header), copy);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), view);
  adw_toolbar_view_add_top_bar (ADW_TOOLBAR_VIEW (toolbar), header);
  adw_toolbar_view_set_content (ADW_TOOLBAR_VIEW (toolbar), scroller);
  adw_dialog_set_title (dialog, title);
  adw_dialog_set_child (dialog, toolbar);
  adw_dialog_set_content_width (dialog, 720);
  adw_dialog_set_content_height (dialog, 560);
  adw_dialog_set_focus (dialog, view);
  return dialog;
}
