/* interp-model-dialog.c: one answer once more, by another model
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "window/interp-model-dialog.h"

#include <glib/gi18n.h>

#include "models/interp-model-change.h"

typedef struct
{
  InterpEngine *engine;
  InterpSession *session;
  InterpItem *item;
} Choice;

static void
choice_free (gpointer data)
{
  Choice *choice = data;

  g_object_unref (choice->engine);
  g_object_unref (choice->session);
  g_object_unref (choice->item);
  g_free (choice);
}

static void
on_row_activated (AdwActionRow *row, AdwDialog *dialog)
{
  Choice *choice = g_object_get_data (G_OBJECT (dialog), "interp-choice");
  InterpModel *model = g_object_get_data (G_OBJECT (row), "interp-model");

  interp_model_change (GTK_WIDGET (gtk_widget_get_root (GTK_WIDGET (dialog))), choice->engine, choice->session, model,
                       choice->item);
  adw_dialog_close (dialog);
}

static GtkWidget *
make_row (InterpModel *model, AdwDialog *dialog)
{
  GtkWidget *row = adw_action_row_new ();

  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), interp_model_get_title (model));
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), TRUE);
  g_object_set_data_full (G_OBJECT (row), "interp-model", g_object_ref (model), g_object_unref);
  g_signal_connect_object (row, "activated", G_CALLBACK (on_row_activated), dialog, 0);
  return row;
}

AdwDialog *
interp_model_dialog_new (InterpEngine *engine, InterpSession *session, InterpItem *item)
{
  AdwDialog *dialog = adw_dialog_new ();
  GtkWidget *toolbar = adw_toolbar_view_new ();
  GtkWidget *page = adw_preferences_page_new ();
  GListModel *findings;
  Choice *choice;
  guint n_models = 0;

  g_return_val_if_fail (INTERP_IS_ENGINE (engine), NULL);
  g_return_val_if_fail (INTERP_IS_SESSION (session), NULL);
  g_return_val_if_fail (INTERP_IS_ITEM (item), NULL);

  choice = g_new0 (Choice, 1);
  choice->engine = g_object_ref (engine);
  choice->session = g_object_ref (session);
  choice->item = g_object_ref (item);
  g_object_set_data_full (G_OBJECT (dialog), "interp-choice", choice, choice_free);

  findings = interp_models_get_findings (interp_engine_get_models (engine));
  for (guint i = 0; i < g_list_model_get_n_items (findings); i++)
    {
      g_autoptr (InterpFinding) finding = g_list_model_get_item (findings, i);
      InterpProvider *provider = interp_finding_get_provider (finding);
      GListModel *models = interp_finding_get_models (finding);
      guint n = g_list_model_get_n_items (models);
      g_autofree char *place = interp_provider_describe_place (provider);
      GtkWidget *group;

      if (n == 0)
        continue;
      group = adw_preferences_group_new ();
      adw_preferences_group_set_title (ADW_PREFERENCES_GROUP (group), interp_provider_get_title (provider));
      adw_preferences_group_set_description (ADW_PREFERENCES_GROUP (group), place);
      for (guint j = 0; j < n; j++)
        {
          g_autoptr (InterpModel) model = g_list_model_get_item (models, j);

          adw_preferences_group_add (ADW_PREFERENCES_GROUP (group), make_row (model, dialog));
          n_models++;
        }
      adw_preferences_page_add (ADW_PREFERENCES_PAGE (page), ADW_PREFERENCES_GROUP (group));
    }
  if (n_models == 0)
    {
      g_object_ref_sink (page);
      g_object_unref (page);
      page = adw_status_page_new ();
      adw_status_page_set_title (ADW_STATUS_PAGE (page), _ ("No Other Model Found"));
      adw_status_page_set_description (ADW_STATUS_PAGE (page),
                                       _ ("Start a model server, or enter a key in the preferences."));
    }

  adw_toolbar_view_add_top_bar (ADW_TOOLBAR_VIEW (toolbar), adw_header_bar_new ());
  adw_toolbar_view_set_content (ADW_TOOLBAR_VIEW (toolbar), page);
  adw_dialog_set_title (dialog, _ ("With Another Model"));
  adw_dialog_set_child (dialog, toolbar);
  adw_dialog_set_content_width (dialog, 460);
  adw_dialog_set_content_height (dialog, 520);
  return dialog;
}
