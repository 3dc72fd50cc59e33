/* interp-pull-list.c: models that are being got, with how far each is
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "models/interp-pull-list.h"

#include <glib/gi18n.h>

#include "models/interp-pull-row.h"

static GtkWidget *
create_row (gpointer item, gpointer models)
{
  return interp_pull_row_new (models, item);
}

static void
update_visible (GtkWidget *list, guint position, guint removed, guint added, GListModel *pulls)
{
  gtk_widget_set_visible (list, g_list_model_get_n_items (pulls) > 0);
}

GtkWidget *
interp_pull_list_new (InterpModels *models)
{
  GtkWidget *list = gtk_list_box_new ();
  GListModel *pulls = interp_models_get_pulls (models);

  gtk_list_box_set_selection_mode (GTK_LIST_BOX (list), GTK_SELECTION_NONE);
  gtk_widget_add_css_class (list, "boxed-list");
  gtk_widget_set_margin_top (list, 12);
  gtk_accessible_update_property (GTK_ACCESSIBLE (list), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Downloads"), -1);
  gtk_list_box_bind_model (GTK_LIST_BOX (list), pulls, create_row, g_object_ref (models), g_object_unref);
  g_signal_connect_object (pulls, "items-changed", G_CALLBACK (update_visible), list, G_CONNECT_SWAPPED);
  update_visible (list, 0, 0, 0, pulls);
  return list;
}
