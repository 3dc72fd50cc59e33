/* interp-local-models.c: the models that Ollama keeps: get one, see what is in memory, delete one
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "models/interp-local-models.h"

#include <glib/gi18n.h>

#include "base/interp-fiber.h"
#include "base/interp-text.h"
#include "models/interp-pull-list.h"

struct _InterpLocalModels
{
  AdwDialog parent_instance;

  GtkStack *stack;
  AdwPreferencesGroup *get_group;
  AdwEntryRow *name_row;
  AdwPreferencesGroup *kept_group;
  GtkListBox *kept;
  GtkLabel *notice;
  GtkWidget *refresh;

  InterpEngine *engine;
  GListModel *findings;
  GPtrArray *loaded; /* InterpOllamaLoaded, nullable */
  gboolean looking;
};

G_DEFINE_FINAL_TYPE (InterpLocalModels, interp_local_models, ADW_TYPE_DIALOG)

static InterpModels *
get_models (InterpLocalModels *self)
{
  return interp_engine_get_models (self->engine);
}

static void
show_notice (InterpLocalModels *self, const char *text)
{
  gtk_label_set_label (self->notice, text ? text : "");
  gtk_widget_set_visible (GTK_WIDGET (self->notice), text != NULL);
  if (text != NULL)
    gtk_accessible_announce (GTK_ACCESSIBLE (self), text, GTK_ACCESSIBLE_ANNOUNCEMENT_PRIORITY_MEDIUM);
}

/* ---- deleting ---- */

typedef struct
{
  InterpLocalModels *dialog;
  InterpModel *model;
} Deletion;

static void
deletion_free (gpointer data)
{
  Deletion *deletion = data;

  g_object_unref (deletion->dialog);
  g_object_unref (deletion->model);
  g_free (deletion);
}

static DexFuture *
delete_fiber (gpointer data)
{
  Deletion *deletion = data;
  InterpLocalModels *self = deletion->dialog;
  g_autoptr (GError) error = NULL;

  dex_await (interp_models_delete (get_models (self), deletion->model), &error);
  if (self->notice == NULL)
    return dex_future_new_true ();
  show_notice (self, error ? error->message : NULL);
  /* The button that had the focus is gone. */
  if (error == NULL && gtk_widget_get_mapped (GTK_WIDGET (self)))
    gtk_widget_grab_focus (GTK_WIDGET (self->name_row));
  return dex_future_new_true ();
}

static void
on_delete_response (AdwAlertDialog *alert, const char *response, InterpLocalModels *self)
{
  Deletion *deletion;

  if (!g_str_equal (response, "delete"))
    return;

  deletion = g_new0 (Deletion, 1);
  deletion->dialog = g_object_ref (self);
  deletion->model = g_object_ref (g_object_get_data (G_OBJECT (alert), "interp-model"));
  interp_fiber_run ("delete a model", delete_fiber, deletion, deletion_free);
}

static void
on_delete (GtkButton *button, InterpLocalModels *self)
{
  InterpModel *model = g_object_get_data (G_OBJECT (button), "interp-model");
  g_autofree char *title = g_strdup_printf (_ ("Delete %s?"), interp_model_get_wire_name (model));
  g_autofree char *size = interp_text_format_size (interp_model_get_size (model));
  /* Translators: %s is a size, "5 GB" */
  g_autofree char *body
      = g_strdup_printf (_ ("This frees up to %s of the disk. Other programs that use it lose it too; it can be "
                            "downloaded again."),
                         size);
  AdwAlertDialog *alert = ADW_ALERT_DIALOG (adw_alert_dialog_new (title, body));

  adw_alert_dialog_add_responses (alert, "cancel", _ ("_Cancel"), "delete", _ ("_Delete"), NULL);
  adw_alert_dialog_set_default_response (alert, "cancel");
  adw_alert_dialog_set_close_response (alert, "cancel");
  adw_alert_dialog_set_response_appearance (alert, "delete", ADW_RESPONSE_DESTRUCTIVE);
  g_object_set_data_full (G_OBJECT (alert), "interp-model", g_object_ref (model), g_object_unref);
  g_signal_connect_object (alert, "response", G_CALLBACK (on_delete_response), self, 0);
  adw_dialog_present (ADW_DIALOG (alert), GTK_WIDGET (self));
}

/* ---- what is kept ---- */

static InterpOllamaLoaded *
find_loaded (InterpLocalModels *self, const char *name)
{
  for (guint i = 0; self->loaded != NULL && i < self->loaded->len; i++)
    {
      InterpOllamaLoaded *loaded = g_ptr_array_index (self->loaded, i);

      if (g_str_equal (loaded->name, name))
        return loaded;
    }
  return NULL;
}

static char *
describe (InterpLocalModels *self, InterpModel *model)
{
  InterpOllamaLoaded *loaded = find_loaded (self, interp_model_get_wire_name (model));
  g_autofree char *size = interp_text_format_size (interp_model_get_size (model));
  g_autofree char *memory = NULL;
  g_autofree char *video = NULL;

  if (loaded == NULL)
    return g_steal_pointer (&size);

  memory = interp_text_format_size (loaded->memory);
  if (loaded->video_memory == 0)
    /* Translators: sizes, on disk and in memory */
    return g_strdup_printf (_ ("%s · loaded, takes %s of memory"), size, memory);

  video = interp_text_format_size (loaded->video_memory);
  /* Translators: sizes, on disk, in memory and how much of that is the graphics card's memory */
  return g_strdup_printf (_ ("%s · loaded, takes %s of memory, %s of it on the graphics card"), size, memory, video);
}

static void
add_row (InterpLocalModels *self, InterpModel *model)
{
  GtkWidget *row = adw_action_row_new ();
  GtkWidget *button = gtk_button_new_from_icon_name ("user-trash-symbolic");
  g_autofree char *subtitle = describe (self, model);
  g_autofree char *label = g_strdup_printf (_ ("Delete %s"), interp_model_get_wire_name (model));

  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), interp_model_get_wire_name (model));
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), subtitle);
  gtk_widget_set_tooltip_text (button, _ ("Delete"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (button, "flat");
  g_object_set_data_full (G_OBJECT (button), "interp-model", g_object_ref (model), g_object_unref);
  g_signal_connect_object (button, "clicked", G_CALLBACK (on_delete), self, 0);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), button);
  gtk_list_box_append (self->kept, row);
}

static GListModel *
get_kept (InterpLocalModels *self, InterpProvider *keeper)
{
  for (guint i = 0; i < g_list_model_get_n_items (self->findings); i++)
    {
      g_autoptr (InterpFinding) finding = g_list_model_get_item (self->findings, i);

      if (interp_finding_get_provider (finding) == keeper)
        return interp_finding_get_models (finding);
    }
  return NULL;
}

static void
update (InterpLocalModels *self)
{
  InterpProvider *keeper = interp_models_get_keeper (get_models (self));
  GListModel *kept = keeper != NULL ? get_kept (self, keeper) : NULL;
  guint n = kept != NULL ? g_list_model_get_n_items (kept) : 0;
  g_autofree char *place = NULL;

  gtk_stack_set_visible_child_name (self->stack, keeper != NULL ? "models" : self->looking ? "looking" : "nobody");
  if (keeper == NULL)
    return;

  place
      = interp_provider_is_local (keeper) ? g_strdup (_ ("On This Computer")) : interp_provider_describe_place (keeper);
  adw_preferences_group_set_title (self->kept_group, place);
  gtk_list_box_remove_all (self->kept);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (InterpModel) model = g_list_model_get_item (kept, i);

      add_row (self, model);
    }
}

static DexFuture *
look_fiber (gpointer user_data)
{
  InterpLocalModels *self = user_data;
  InterpProvider *keeper;
  g_autoptr (GPtrArray) loaded = NULL;

  dex_await (interp_models_discover (get_models (self)), NULL);
  keeper = interp_models_get_keeper (get_models (self));
  if (keeper != NULL)
    loaded = dex_await_boxed (interp_ollama_list_loaded (keeper), NULL);

  self->looking = FALSE;
  if (self->stack == NULL)
    return dex_future_new_true ();
  g_clear_pointer (&self->loaded, g_ptr_array_unref);
  self->loaded = g_steal_pointer (&loaded);
  gtk_widget_set_sensitive (self->refresh, TRUE);
  update (self);
  return dex_future_new_true ();
}

static void
look (InterpLocalModels *self)
{
  if (self->looking)
    return;
  self->looking = TRUE;
  gtk_widget_set_sensitive (self->refresh, FALSE);
  interp_fiber_run ("look at the models kept", look_fiber, g_object_ref (self), g_object_unref);
}

/* ---- getting ---- */

static void
on_apply (InterpLocalModels *self)
{
  InterpProvider *keeper = interp_models_get_keeper (get_models (self));
  g_autoptr (GError) error = NULL;
  g_autoptr (InterpOllamaPull) pull = NULL;

  if (keeper == NULL)
    return;
  pull = interp_models_pull (get_models (self), keeper, gtk_editable_get_text (GTK_EDITABLE (self->name_row)), &error);
  show_notice (self, error ? error->message : NULL);
  if (pull != NULL)
    gtk_editable_set_text (GTK_EDITABLE (self->name_row), "");
}

static void
refresh_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  InterpLocalModels *self = INTERP_LOCAL_MODELS (widget);

  look (self);
  update (self);
}

static void
interp_local_models_dispose (GObject *object)
{
  InterpLocalModels *self = INTERP_LOCAL_MODELS (object);

  gtk_widget_dispose_template (GTK_WIDGET (self), INTERP_TYPE_LOCAL_MODELS);
  g_clear_pointer (&self->loaded, g_ptr_array_unref);
  g_clear_object (&self->findings);

  G_OBJECT_CLASS (interp_local_models_parent_class)->dispose (object);
}

static void
interp_local_models_finalize (GObject *object)
{
  /* Fibers may outlive the widgets, and ask for it. */
  g_clear_object (&INTERP_LOCAL_MODELS (object)->engine);

  G_OBJECT_CLASS (interp_local_models_parent_class)->finalize (object);
}

static void
interp_local_models_class_init (InterpLocalModelsClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = interp_local_models_dispose;
  G_OBJECT_CLASS (klass)->finalize = interp_local_models_finalize;

  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/interpreter_app/Interpreter/ui/interp-local-models.ui");
  gtk_widget_class_bind_template_child (widget_class, InterpLocalModels, stack);
  gtk_widget_class_bind_template_child (widget_class, InterpLocalModels, get_group);
  gtk_widget_class_bind_template_child (widget_class, InterpLocalModels, name_row);
  gtk_widget_class_bind_template_child (widget_class, InterpLocalModels, kept_group);
  gtk_widget_class_bind_template_child (widget_class, InterpLocalModels, kept);
  gtk_widget_class_bind_template_child (widget_class, InterpLocalModels, notice);
  gtk_widget_class_bind_template_child (widget_class, InterpLocalModels, refresh);
  gtk_widget_class_install_action (widget_class, "local-models.refresh", NULL, refresh_action);
}

static GtkWidget *
make_placeholder (void)
{
  GtkWidget *label = gtk_label_new (_ ("No models yet"));

  gtk_widget_add_css_class (label, "dimmed");
  gtk_widget_set_margin_top (label, 18);
  gtk_widget_set_margin_bottom (label, 18);
  return label;
}

static void
interp_local_models_init (InterpLocalModels *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_list_box_set_placeholder (self->kept, make_placeholder ());
  g_signal_connect_object (self->name_row, "apply", G_CALLBACK (on_apply), self, G_CONNECT_SWAPPED);
}

AdwDialog *
interp_local_models_new (InterpEngine *engine)
{
  InterpLocalModels *self;

  g_return_val_if_fail (INTERP_IS_ENGINE (engine), NULL);

  self = g_object_new (INTERP_TYPE_LOCAL_MODELS, NULL);
  self->engine = g_object_ref (engine);
  self->findings = g_object_ref (interp_models_get_findings (get_models (self)));
  g_signal_connect_object (self->findings, "items-changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  adw_preferences_group_add (self->get_group, interp_pull_list_new (get_models (self)));
  look (self);
  update (self);
  return ADW_DIALOG (self);
}
