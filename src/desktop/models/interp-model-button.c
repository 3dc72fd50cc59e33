/* interp-model-button.c
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <glib/gi18n.h>

#include "base/interp-fiber.h"
#include "models/interp-model-button.h"
#include "models/interp-model-change.h"

struct _InterpModelButton
{
  AdwBin parent_instance;

  GtkMenuButton *button;
  GtkLabel *title;
  GtkLabel *place;
  GtkPopover *popover;
  GtkSearchEntry *search_entry;
  GtkListBox *list;
  GtkLabel *notice;
  GtkWidget *manage_button;

  InterpEngine *engine;
  InterpSession *session;
  GListModel *findings;
};

G_DEFINE_FINAL_TYPE (InterpModelButton, interp_model_button, ADW_TYPE_BIN)

enum
{
  PROP_0,
  PROP_ENGINE,
  PROP_SESSION,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

static void
update_label (InterpModelButton *self)
{
  InterpModel *model = self->session ? interp_session_get_model (self->session) : NULL;

  if (model == NULL)
    {
      gtk_label_set_label (self->title, _ ("Choose a Model"));
      gtk_label_set_label (self->place, "");
      gtk_accessible_update_property (GTK_ACCESSIBLE (self->button), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                      _ ("None chosen"), -1);
      return;
    }

  g_autofree char *place = interp_provider_describe_place (interp_model_get_provider (model));
  g_autofree char *description = g_strdup_printf ("%s, %s", interp_model_get_title (model), place);

  gtk_label_set_label (self->title, interp_model_get_title (model));
  gtk_label_set_label (self->place, place);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->button), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, description, -1);
}

static void
show_notice (InterpModelButton *self, const char *text)
{
  gtk_label_set_label (self->notice, text ? text : "");
  gtk_widget_set_visible (GTK_WIDGET (self->notice), text != NULL);
}

static void
choose (InterpModelButton *self, InterpModel *model)
{
  gtk_popover_popdown (self->popover);
  if (self->session != NULL && self->engine != NULL)
    interp_model_change (GTK_WIDGET (self), self->engine, self->session, model, NULL);
}

/* ---- a typed name ---- */

typedef struct
{
  InterpModelButton *button;
  char *name;
} Typed;

static void
typed_free (Typed *typed)
{
  g_clear_object (&typed->button);
  g_free (typed->name);
  g_free (typed);
}

static DexFuture *
resolve_fiber (gpointer user_data)
{
  Typed *typed = user_data;
  InterpModelButton *self = typed->button;
  g_autoptr (GError) error = NULL;
  g_autoptr (InterpModel) model
      = dex_await_object (interp_models_resolve (interp_engine_get_models (self->engine), typed->name, NULL, NULL),
                          &error);

  if (self->notice == NULL)
    return dex_future_new_true ();
  show_notice (self, error ? error->message : NULL);
  if (model != NULL)
    choose (self, model);
  return dex_future_new_true ();
}

static void
on_row_activated (InterpModelButton *self, GtkListBoxRow *row)
{
  g_assert (INTERP_IS_MODEL_BUTTON (self));

  InterpModel *model = g_object_get_data (G_OBJECT (row), "model");
  const char *name = g_object_get_data (G_OBJECT (row), "name");

  if (model != NULL)
    choose (self, model);
  else if (name != NULL && self->engine != NULL)
    {
      Typed *typed = g_new0 (Typed, 1);

      typed->button = g_object_ref (self);
      typed->name = g_strdup (name);
      interp_fiber_run ("resolve a model", resolve_fiber, typed, (GDestroyNotify) typed_free);
    }
}

static GtkWidget *
add_row (InterpModelButton *self, const char *title, const char *subtitle)
{
  GtkWidget *row = adw_action_row_new ();

  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), subtitle);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), TRUE);
  gtk_list_box_append (self->list, row);
  return row;
}

static gboolean
matches (InterpModel *model, const char *words)
{
  g_autofree char *name = interp_model_dup_name (model);
  g_autofree char *folded = g_utf8_casefold (name, -1);

  return strstr (folded, words) != NULL;
}

static void
update_list (InterpModelButton *self)
{
  g_autofree char *typed = g_strstrip (g_strdup (gtk_editable_get_text (GTK_EDITABLE (self->search_entry))));
  g_autofree char *words = g_utf8_casefold (typed, -1);
  InterpModel *current = self->session ? interp_session_get_model (self->session) : NULL;
  guint shown = 0;

  gtk_list_box_remove_all (self->list);
  show_notice (self, NULL);
  for (guint i = 0; self->findings != NULL && i < g_list_model_get_n_items (self->findings); i++)
    {
      g_autoptr (InterpFinding) finding = g_list_model_get_item (self->findings, i);
      g_autofree char *place = interp_provider_describe_place (interp_finding_get_provider (finding));
      g_autofree char *subtitle
          = g_strdup_printf ("%s · %s", interp_provider_get_title (interp_finding_get_provider (finding)), place);
      GListModel *models = interp_finding_get_models (finding);

      for (guint j = 0; j < g_list_model_get_n_items (models); j++)
        {
          g_autoptr (InterpModel) model = g_list_model_get_item (models, j);
          GtkWidget *row;

          if (!matches (model, words))
            continue;
          row = add_row (self, interp_model_get_title (model), subtitle);
          if (model == current)
            adw_action_row_add_suffix (ADW_ACTION_ROW (row), gtk_image_new_from_icon_name ("object-select-symbolic"));
          g_object_set_data_full (G_OBJECT (row), "model", g_object_ref (model), g_object_unref);
          shown++;
        }
    }

  if (*typed != '\0')
    {
      /* Translators: %s is what was typed */
      g_autofree char *title = g_strdup_printf (_ ("Use “%s”"), typed);
      GtkWidget *row = add_row (self, title, _ ("A model that is not in the list"));

      g_object_set_data_full (G_OBJECT (row), "name", g_strdup (typed), g_free);
    }
  else if (shown == 0)
    {
      GtkWidget *row = add_row (self, _ ("No models found"), _ ("Type a name, such as ollama/qwen3"));

      gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), FALSE);
    }
}

static DexFuture *
discover_fiber (gpointer user_data)
{
  return interp_models_discover (interp_engine_get_models (user_data));
}

static void
on_popover_shown (InterpModelButton *self)
{
  g_assert (INTERP_IS_MODEL_BUTTON (self));

  gtk_editable_set_text (GTK_EDITABLE (self->search_entry), "");
  update_list (self);
  gtk_widget_grab_focus (GTK_WIDGET (self->search_entry));
  if (self->engine != NULL)
    interp_fiber_run ("look for models", discover_fiber, g_object_ref (self->engine), g_object_unref);
}

static void
on_search_activated (InterpModelButton *self)
{
  g_assert (INTERP_IS_MODEL_BUTTON (self));

  GtkListBoxRow *row = gtk_list_box_get_row_at_index (self->list, 0);
  if (row != NULL && gtk_list_box_row_get_activatable (row))
    on_row_activated (self, row);
}

static void
on_manage (InterpModelButton *self)
{
  gtk_popover_popdown (self->popover);
  gtk_widget_activate_action (GTK_WIDGET (self), "chat.manage-models", NULL);
}

static void
on_findings_changed (InterpModelButton *self)
{
  g_assert (INTERP_IS_MODEL_BUTTON (self));

  if (gtk_widget_get_mapped (GTK_WIDGET (self->popover)))
    update_list (self);
}

static void
set_engine (InterpModelButton *self, InterpEngine *engine)
{
  if (!g_set_object (&self->engine, engine))
    return;
  if (self->findings != NULL)
    g_signal_handlers_disconnect_by_func (self->findings, on_findings_changed, self);
  g_clear_object (&self->findings);
  if (engine != NULL)
    {
      self->findings = g_object_ref (interp_models_get_findings (interp_engine_get_models (engine)));
      g_signal_connect_object (self->findings, "items-changed", G_CALLBACK (on_findings_changed), self,
                               G_CONNECT_SWAPPED);
    }
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ENGINE]);
}

static void
set_session (InterpModelButton *self, InterpSession *session)
{
  if (self->session == session)
    return;
  if (self->session != NULL)
    g_signal_handlers_disconnect_by_func (self->session, update_label, self);
  g_set_object (&self->session, session);
  if (session != NULL)
    g_signal_connect_object (session, "notify::model", G_CALLBACK (update_label), self, G_CONNECT_SWAPPED);
  update_label (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SESSION]);
}

void
interp_model_button_popup (InterpModelButton *self)
{
  g_return_if_fail (INTERP_IS_MODEL_BUTTON (self));

  gtk_menu_button_popup (self->button);
}

static void
interp_model_button_get_property (GObject *object, guint prop_id, GValue *value, GParamSpec *pspec)
{
  InterpModelButton *self = INTERP_MODEL_BUTTON (object);

  switch (prop_id)
    {
    case PROP_ENGINE:
      g_value_set_object (value, self->engine);
      break;
    case PROP_SESSION:
      g_value_set_object (value, self->session);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
interp_model_button_set_property (GObject *object, guint prop_id, const GValue *value, GParamSpec *pspec)
{
  InterpModelButton *self = INTERP_MODEL_BUTTON (object);

  switch (prop_id)
    {
    case PROP_ENGINE:
      set_engine (self, g_value_get_object (value));
      break;
    case PROP_SESSION:
      set_session (self, g_value_get_object (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
interp_model_button_dispose (GObject *object)
{
  InterpModelButton *self = INTERP_MODEL_BUTTON (object);

  /* The template's disposal would unparent it behind the bin's back. */
  adw_bin_set_child (ADW_BIN (object), NULL);
  gtk_widget_dispose_template (GTK_WIDGET (self), INTERP_TYPE_MODEL_BUTTON);
  if (self->findings != NULL)
    g_signal_handlers_disconnect_by_func (self->findings, on_findings_changed, self);
  g_clear_object (&self->findings);
  if (self->session != NULL)
    g_signal_handlers_disconnect_by_func (self->session, update_label, self);
  g_clear_object (&self->session);
  g_clear_object (&self->engine);

  G_OBJECT_CLASS (interp_model_button_parent_class)->dispose (object);
}

static void
interp_model_button_class_init (InterpModelButtonClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = interp_model_button_dispose;
  object_class->get_property = interp_model_button_get_property;
  object_class->set_property = interp_model_button_set_property;

  properties[PROP_ENGINE] = g_param_spec_object ("engine", NULL, NULL, INTERP_TYPE_ENGINE,
                                                 G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  properties[PROP_SESSION] = g_param_spec_object ("session", NULL, NULL, INTERP_TYPE_SESSION,
                                                  G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/interpreter_app/Interpreter/ui/interp-model-button.ui");
  gtk_widget_class_bind_template_child (widget_class, InterpModelButton, button);
  gtk_widget_class_bind_template_child (widget_class, InterpModelButton, title);
  gtk_widget_class_bind_template_child (widget_class, InterpModelButton, place);
  gtk_widget_class_bind_template_child (widget_class, InterpModelButton, popover);
  gtk_widget_class_bind_template_child (widget_class, InterpModelButton, search_entry);
  gtk_widget_class_bind_template_child (widget_class, InterpModelButton, list);
  gtk_widget_class_bind_template_child (widget_class, InterpModelButton, notice);
  gtk_widget_class_bind_template_child (widget_class, InterpModelButton, manage_button);
}

static void
interp_model_button_init (InterpModelButton *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  g_signal_connect_object (self->popover, "show", G_CALLBACK (on_popover_shown), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->search_entry, "search-changed", G_CALLBACK (update_list), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->search_entry, "activate", G_CALLBACK (on_search_activated), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->list, "row-activated", G_CALLBACK (on_row_activated), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->manage_button, "clicked", G_CALLBACK (on_manage), self, G_CONNECT_SWAPPED);
  update_label (self);
}

GtkWidget *
interp_model_button_new (void)
{
  return g_object_new (INTERP_TYPE_MODEL_BUTTON, NULL);
}
