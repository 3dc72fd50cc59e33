/* interp-greeting.c
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <glib/gi18n.h>

#include "base/interp-fiber.h"
#include "base/interp-text.h"
#include "models/interp-greeting.h"
#include "models/interp-local-advice.h"
#include "models/interp-pull-list.h"

/* While nothing is found, it is looked for again this often: seconds. */
#define LOOK_AGAIN_SECONDS 5

struct _InterpGreeting
{
  AdwBin parent_instance;

  AdwPreferencesGroup *found_group;
  AdwPreferencesGroup *local_group;
  GtkWidget *searching_row;
  AdwActionRow *local_row;
  GtkWidget *get_button;
  AdwEntryRow *address_row;
  GtkEditable *key_row;
  GtkLabel *notice;

  InterpEngine *engine;
  GListModel *findings;
  GPtrArray *rows; /* the rows shown for findings */
  InterpLocalAdvice *advice;
  guint look_again;
  gboolean looking;
};

G_DEFINE_FINAL_TYPE (InterpGreeting, interp_greeting, ADW_TYPE_BIN)

enum
{
  MODEL_CHOSEN,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

static void
show_notice (InterpGreeting *self, const char *text)
{
  gtk_label_set_label (self->notice, text ? text : "");
  gtk_widget_set_visible (GTK_WIDGET (self->notice), text != NULL);
  if (text != NULL)
    gtk_accessible_announce (GTK_ACCESSIBLE (self), text, GTK_ACCESSIBLE_ANNOUNCEMENT_PRIORITY_MEDIUM);
}

static void
on_row_activated (AdwActionRow *row, InterpGreeting *self)
{
  InterpModel *model = g_object_get_data (G_OBJECT (row), "model");

  g_signal_emit (self, signals[MODEL_CHOSEN], 0, model);
}

static void
add_model_row (InterpGreeting *self, AdwExpanderRow *parent, InterpModel *model)
{
  GtkWidget *row = adw_action_row_new ();
  gint64 window = interp_model_get_context_window (model);
  guint64 size = interp_model_get_size (model);
  g_autoptr (GString) subtitle = g_string_new (NULL);

  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), interp_model_get_title (model));
  if (size > 0)
    {
      g_autofree char *text = interp_text_format_size (size);
      g_string_append (subtitle, text);
    }
  if (window > 0)
    /* Translators: how long a conversation the model can follow */
    g_string_append_printf (subtitle, ngettext ("%s%'lld token", "%s%'lld tokens", (gulong) window),
                            subtitle->len > 0 ? " · " : "", (long long) window);
  if (subtitle->len > 0)
    adw_action_row_set_subtitle (ADW_ACTION_ROW (row), subtitle->str);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), TRUE);
  g_object_set_data_full (G_OBJECT (row), "model", g_object_ref (model), g_object_unref);
  g_signal_connect_object (row, "activated", G_CALLBACK (on_row_activated), self, G_CONNECT_DEFAULT);
  adw_expander_row_add_row (parent, row);
}

static char *
describe_finding (InterpFinding *finding)
{
  InterpProvider *provider = interp_finding_get_provider (finding);
  guint n = interp_finding_get_n_models (finding);
  g_autofree char *place = interp_provider_describe_place (provider);

  if (interp_finding_get_error (finding) != NULL)
    return g_strdup (interp_finding_get_error (finding));
  if (interp_provider_is_local (provider))
    return g_strdup_printf (ngettext ("On this computer, %u model", "On this computer, %u models", n), n);
  if (interp_provider_get_key_source (provider) == INTERP_KEY_ENVIRONMENT)
    /* Translators: the first %s is an environment variable, the second a host */
    return g_strdup_printf (_ ("Key from %s; sends to %s"), interp_provider_get_key_variable (provider), place);
  if (interp_provider_get_key_source (provider) == INTERP_KEY_KEYRING)
    return g_strdup_printf (_ ("Key from the keyring; sends to %s"), place);
  return g_strdup_printf (_ ("Sends to %s"), place);
}

static void
update_local_row (InterpGreeting *self)
{
  gboolean has_local = FALSE;
  gboolean has_ollama = FALSE;
  guint n = self->findings ? g_list_model_get_n_items (self->findings) : 0;

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (InterpFinding) finding = g_list_model_get_item (self->findings, i);
      InterpProvider *provider = interp_finding_get_provider (finding);

      if (!interp_provider_is_local (provider) || !interp_finding_answers (finding))
        continue;
      if (g_str_equal (interp_provider_get_id (provider), "tour"))
        continue;
      if (g_str_equal (interp_provider_get_id (provider), "ollama"))
        has_ollama = TRUE;
      has_local = has_local || interp_finding_get_n_models (finding) > 0;
    }

  g_clear_pointer (&self->advice, interp_local_advice_free);
  self->advice = interp_local_advice_new (has_ollama);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self->local_row), self->advice->command);
  adw_action_row_set_subtitle (self->local_row, self->advice->explanation);
  gtk_widget_set_visible (self->get_button, self->advice->model != NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->local_group), !has_local);
}

static void
update_findings (InterpGreeting *self)
{
  guint n = g_list_model_get_n_items (self->findings);
  guint shown = 0;

  for (guint i = 0; i < self->rows->len; i++)
    adw_preferences_group_remove (self->found_group, g_ptr_array_index (self->rows, i));
  g_ptr_array_set_size (self->rows, 0);

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (InterpFinding) finding = g_list_model_get_item (self->findings, i);
      InterpProvider *provider = interp_finding_get_provider (finding);
      GListModel *models = interp_finding_get_models (finding);
      g_autofree char *subtitle = NULL;
      GtkWidget *row;

      if (g_str_equal (interp_provider_get_id (provider), "tour"))
        continue;
      subtitle = describe_finding (finding);
      row = adw_expander_row_new ();
      adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
      adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), interp_provider_get_title (provider));
      adw_expander_row_set_subtitle (ADW_EXPANDER_ROW (row), subtitle);
      for (guint j = 0; j < g_list_model_get_n_items (models); j++)
        {
          g_autoptr (InterpModel) model = g_list_model_get_item (models, j);
          add_model_row (self, ADW_EXPANDER_ROW (row), model);
        }
      adw_expander_row_set_enable_expansion (ADW_EXPANDER_ROW (row), g_list_model_get_n_items (models) > 0);
      adw_expander_row_set_expanded (ADW_EXPANDER_ROW (row), shown == 0 && g_list_model_get_n_items (models) > 0);
      adw_preferences_group_add (self->found_group, row);
      g_ptr_array_add (self->rows, row);
      shown++;
    }

  update_local_row (self);
  adw_preferences_group_set_description (self->found_group,
                                         shown == 0 && !self->looking
                                             ? _ ("No model answers on this computer, and no key was found.")
                                             : NULL);
}

/* ---- looking ---- */

static void look (InterpGreeting *self);

static gboolean
on_look_again (gpointer user_data)
{
  InterpGreeting *self = user_data;

  self->look_again = 0;
  look (self);
  return G_SOURCE_REMOVE;
}

static gboolean
found_nothing (InterpGreeting *self)
{
  for (guint i = 0; i < g_list_model_get_n_items (self->findings); i++)
    {
      g_autoptr (InterpFinding) finding = g_list_model_get_item (self->findings, i);

      if (interp_finding_get_n_models (finding) > 0
          && !g_str_equal (interp_provider_get_id (interp_finding_get_provider (finding)), "tour"))
        return FALSE;
    }
  return TRUE;
}

static DexFuture *
look_fiber (gpointer user_data)
{
  InterpGreeting *self = user_data;

  interp_await (interp_models_discover (interp_engine_get_models (self->engine)), NULL);

  self->looking = FALSE;
  if (self->found_group == NULL)
    return dex_future_new_true ();
  /* A list whose only row is hidden still has its frame. */
  if (self->searching_row != NULL)
    adw_preferences_group_remove (self->found_group, g_steal_pointer (&self->searching_row));
  update_findings (self);
  if (found_nothing (self) && gtk_widget_get_mapped (GTK_WIDGET (self)) && self->look_again == 0)
    self->look_again = g_timeout_add_seconds (LOOK_AGAIN_SECONDS, on_look_again, self);
  return dex_future_new_true ();
}

static void
look (InterpGreeting *self)
{
  if (self->looking)
    return;
  self->looking = TRUE;
  interp_fiber_run ("look for models", look_fiber, g_object_ref (self), g_object_unref);
}

static void
interp_greeting_map (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (interp_greeting_parent_class)->map (widget);
  look (INTERP_GREETING (widget));
}

static void
interp_greeting_unmap (GtkWidget *widget)
{
  g_clear_handle_id (&INTERP_GREETING (widget)->look_again, g_source_remove);
  GTK_WIDGET_CLASS (interp_greeting_parent_class)->unmap (widget);
}

/* ---- actions ---- */

typedef struct
{
  InterpGreeting *greeting;
  char *name;
  char *address;
  char *key;
} Choice;

static void
choice_free (Choice *choice)
{
  g_clear_object (&choice->greeting);
  g_free (choice->name);
  g_free (choice->address);
  g_free (choice->key);
  g_free (choice);
}

static DexFuture *
choose_fiber (gpointer user_data)
{
  Choice *choice = user_data;
  InterpGreeting *self = choice->greeting;
  InterpModels *models = interp_engine_get_models (self->engine);
  g_autoptr (GError) error = NULL;
  g_autoptr (InterpModel) model = NULL;

  if (choice->address != NULL)
    {
      g_autoptr (InterpProvider) provider = interp_models_prepare_address (models, choice->address, &error);
      g_autoptr (GListModel) list = NULL;

      if (provider != NULL && interp_await (interp_models_enter_key (models, provider, choice->key, NULL), &error))
        list = dex_await_object (interp_provider_list_models (provider), &error);
      if (list != NULL && g_list_model_get_n_items (list) > 0)
        model = g_list_model_get_item (list, 0);
      else if (list != NULL)
        g_set_error (&error, INTERP_LLM_ERROR, INTERP_LLM_ERROR_NO_MODEL, _ ("%s answers, but offers no model."),
                     choice->address);
    }
  else
    model = dex_await_object (interp_models_resolve (models, choice->name, NULL, NULL), &error);

  if (self->notice == NULL)
    return dex_future_new_true ();
  show_notice (self, error ? error->message : NULL);
  if (model != NULL)
    g_signal_emit (self, signals[MODEL_CHOSEN], 0, model);
  return dex_future_new_true ();
}

static void
tour_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  Choice *choice = g_new0 (Choice, 1);

  choice->greeting = g_object_ref (INTERP_GREETING (widget));
  choice->name = g_strdup ("tour");
  interp_fiber_run ("start the tour", choose_fiber, choice, (GDestroyNotify) choice_free);
}

static void
on_address_applied (InterpGreeting *self)
{
  g_assert (INTERP_IS_GREETING (self));

  const char *key = gtk_editable_get_text (self->key_row);
  Choice *choice = g_new0 (Choice, 1);

  choice->greeting = g_object_ref (self);
  choice->address = g_strstrip (g_strdup (gtk_editable_get_text (GTK_EDITABLE (self->address_row))));
  choice->key = *key != '\0' ? g_strdup (key) : NULL;
  interp_fiber_run ("try an address", choose_fiber, choice, (GDestroyNotify) choice_free);
}

static void
copy_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  InterpGreeting *self = INTERP_GREETING (widget);

  if (self->advice != NULL)
    gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), self->advice->command);
}

static void
get_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  InterpGreeting *self = INTERP_GREETING (widget);
  InterpModels *models = interp_engine_get_models (self->engine);
  InterpProvider *keeper = interp_models_get_keeper (models);
  g_autoptr (InterpOllamaPull) pull = NULL;
  g_autoptr (GError) error = NULL;

  if (keeper == NULL || self->advice->model == NULL)
    return;
  pull = interp_models_pull (models, keeper, self->advice->model, &error);
  show_notice (self, error ? error->message : NULL);
}

static void
interp_greeting_dispose (GObject *object)
{
  InterpGreeting *self = INTERP_GREETING (object);

  g_clear_handle_id (&self->look_again, g_source_remove);
  gtk_widget_dispose_template (GTK_WIDGET (self), INTERP_TYPE_GREETING);
  g_clear_object (&self->findings);
  g_clear_object (&self->engine);

  G_OBJECT_CLASS (interp_greeting_parent_class)->dispose (object);
}

static void
interp_greeting_finalize (GObject *object)
{
  InterpGreeting *self = INTERP_GREETING (object);

  g_clear_pointer (&self->rows, g_ptr_array_unref);
  g_clear_pointer (&self->advice, interp_local_advice_free);

  G_OBJECT_CLASS (interp_greeting_parent_class)->finalize (object);
}

static void
interp_greeting_class_init (InterpGreetingClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = interp_greeting_dispose;
  object_class->finalize = interp_greeting_finalize;
  widget_class->map = interp_greeting_map;
  widget_class->unmap = interp_greeting_unmap;

  signals[MODEL_CHOSEN] = g_signal_new ("model-chosen", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                        NULL, G_TYPE_NONE, 1, INTERP_TYPE_MODEL);

  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/interpreter_app/Interpreter/ui/interp-greeting.ui");
  gtk_widget_class_bind_template_child (widget_class, InterpGreeting, found_group);
  gtk_widget_class_bind_template_child (widget_class, InterpGreeting, local_group);
  gtk_widget_class_bind_template_child (widget_class, InterpGreeting, searching_row);
  gtk_widget_class_bind_template_child (widget_class, InterpGreeting, local_row);
  gtk_widget_class_bind_template_child (widget_class, InterpGreeting, get_button);
  gtk_widget_class_bind_template_child (widget_class, InterpGreeting, address_row);
  gtk_widget_class_bind_template_child (widget_class, InterpGreeting, key_row);
  gtk_widget_class_bind_template_child (widget_class, InterpGreeting, notice);

  gtk_widget_class_install_action (widget_class, "greeting.tour", NULL, tour_action);
  gtk_widget_class_install_action (widget_class, "greeting.copy-command", NULL, copy_action);
  gtk_widget_class_install_action (widget_class, "greeting.get-model", NULL, get_action);
}

static void
interp_greeting_init (InterpGreeting *self)
{
  self->rows = g_ptr_array_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  g_signal_connect_object (self->address_row, "apply", G_CALLBACK (on_address_applied), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->key_row, "entry-activated", G_CALLBACK (on_address_applied), self, G_CONNECT_SWAPPED);
}

GtkWidget *
interp_greeting_new (InterpEngine *engine)
{
  InterpGreeting *self = g_object_new (INTERP_TYPE_GREETING, NULL);

  self->engine = g_object_ref (engine);
  self->findings = g_object_ref (interp_models_get_findings (interp_engine_get_models (engine)));
  g_signal_connect_object (self->findings, "items-changed", G_CALLBACK (update_findings), self, G_CONNECT_SWAPPED);
  adw_preferences_group_add (self->local_group, interp_pull_list_new (interp_engine_get_models (engine)));
  self->looking = TRUE;
  update_findings (self);
  self->looking = FALSE;
  return GTK_WIDGET (self);
}
