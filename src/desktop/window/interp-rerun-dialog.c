/* interp-rerun-dialog.c: run earlier cells again, after reading them
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "window/interp-rerun-dialog.h"

#include <glib/gi18n.h>

#include "transcript/interp-code-view.h"

typedef struct
{
  InterpSession *session;
  GPtrArray *cells;  /* InterpCell */
  GPtrArray *checks; /* GtkCheckButton, borrowed */
} Rerun;

static void
rerun_free (gpointer data)
{
  Rerun *rerun = data;

  g_object_unref (rerun->session);
  g_ptr_array_unref (rerun->cells);
  g_ptr_array_unref (rerun->checks);
  g_free (rerun);
}

static void
on_run (GtkButton *button, AdwDialog *dialog)
{
  Rerun *rerun = g_object_get_data (G_OBJECT (dialog), "interp-rerun");
  g_autoptr (GPtrArray) chosen = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < rerun->cells->len; i++)
    if (gtk_check_button_get_active (g_ptr_array_index (rerun->checks, i)))
      g_ptr_array_add (chosen, g_object_ref (g_ptr_array_index (rerun->cells, i)));
  if (chosen->len > 0)
    interp_session_rerun_cells (rerun->session, chosen);
  adw_dialog_close (dialog);
}

static GtkWidget *
make_row (InterpCell *cell, GtkWidget **out_check)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *check = gtk_check_button_new_with_label (interp_cell_get_language (cell));
  GtkWidget *scroller = gtk_scrolled_window_new ();
  GtkWidget *view = interp_code_view_new ();
  InterpKernelSpec *spec = interp_cell_get_spec (cell);

  gtk_check_button_set_active (GTK_CHECK_BUTTON (check), TRUE);
  gtk_widget_add_css_class (check, "cell-row");
  interp_code_view_set_language (INTERP_CODE_VIEW (view), spec ? interp_kernel_spec_get_highlight (spec) : NULL);
  interp_code_view_set_wrap (INTERP_CODE_VIEW (view), TRUE);
  interp_code_view_set_code (INTERP_CODE_VIEW (view), interp_cell_get_code (cell));
  gtk_accessible_update_property (GTK_ACCESSIBLE (view), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Code"), -1);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (scroller), TRUE);
  gtk_scrolled_window_set_max_content_height (GTK_SCROLLED_WINDOW (scroller), 240);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), view);
  gtk_box_append (GTK_BOX (box), check);
  gtk_box_append (GTK_BOX (box), scroller);
  gtk_widget_add_css_class (box, "card");
  gtk_widget_set_overflow (box, GTK_OVERFLOW_HIDDEN);
  *out_check = check;
  return box;
}

AdwDialog *
interp_rerun_dialog_new (InterpSession *session)
{
  AdwDialog *dialog = adw_dialog_new ();
  GtkWidget *toolbar = adw_toolbar_view_new ();
  GtkWidget *header = adw_header_bar_new ();
  GtkWidget *scroller = gtk_scrolled_window_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12);
  GtkWidget *explanation
      = gtk_label_new (_ ("These cells ran in kernels that are gone. Those that stay checked run again, in this "
                          "order, as they stand here."));
  GtkWidget *run = gtk_button_new_with_mnemonic (_ ("_Run Again"));
  Rerun *rerun;

  g_return_val_if_fail (INTERP_IS_SESSION (session), NULL);

  rerun = g_new0 (Rerun, 1);
  rerun->session = g_object_ref (session);
  rerun->cells = interp_session_get_lost_cells (session);
  rerun->checks = g_ptr_array_new ();
  g_object_set_data_full (G_OBJECT (dialog), "interp-rerun", rerun, rerun_free);

  gtk_label_set_wrap (GTK_LABEL (explanation), TRUE);
  gtk_label_set_xalign (GTK_LABEL (explanation), 0);
  gtk_box_append (GTK_BOX (box), explanation);
  for (guint i = 0; i < rerun->cells->len; i++)
    {
      GtkWidget *check;

      gtk_box_append (GTK_BOX (box), make_row (g_ptr_array_index (rerun->cells, i), &check));
      g_ptr_array_add (rerun->checks, check);
    }
  gtk_widget_set_margin_top (box, 12);
  gtk_widget_set_margin_bottom (box, 12);
  gtk_widget_set_margin_start (box, 12);
  gtk_widget_set_margin_end (box, 12);

  gtk_widget_add_css_class (run, "suggested-action");
  gtk_widget_set_sensitive (run, rerun->cells->len > 0);
  g_signal_connect_object (run, "clicked", G_CALLBACK (on_run), dialog, 0);
  adw_header_bar_pack_end (ADW_HEADER_BAR (header), run);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), box);
  adw_toolbar_view_add_top_bar (ADW_TOOLBAR_VIEW (toolbar), header);
  adw_toolbar_view_set_content (ADW_TOOLBAR_VIEW (toolbar), scroller);
  adw_dialog_set_title (dialog, _ ("Run Earlier Cells Again"));
  adw_dialog_set_child (dialog, toolbar);
  adw_dialog_set_content_width (dialog, 640);
  adw_dialog_set_content_height (dialog, 560);
  return dialog;
}
