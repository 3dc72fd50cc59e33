/* interp-model-button.c
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <glib/gi18n.h>
#include <string.h>

#include "base/interp-fiber.h"
#include "models/interp-model-button.h"
#include "models/interp-model-change.h"
#include "models/interp-model-row.h"

/* Rows made for one list; more would take longer to make than to type a letter. */
#define MAX_ROWS 100
#define MAX_INSPECTED 64

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
  GtkWidget *spinner;

  InterpEngine *engine;
  InterpSession *session;
  GListModel *findings;
  gboolean looking;
  guint update_id;
  guint focus_id;
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

  InterpModel *model = INTERP_IS_MODEL_ROW (row) ? interp_model_row_get_model (INTERP_MODEL_ROW (row)) : NULL;
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

/* ---- the list ---- */

typedef enum
{
  GROUP_FAVOURITES,
  GROUP_LOCAL,
  GROUP_REMOTE,
} Group;

typedef struct
{
  InterpModel *model;
  Group group;
  guint recent; /* 0: used last */
  guint order;  /* as found */
} Entry;

static void
entry_free (gpointer data)
{
  Entry *entry = data;

  g_object_unref (entry->model);
  g_free (entry);
}

static int
compare_entries (gconstpointer a, gconstpointer b)
{
  const Entry *first = *(const Entry *const *) a;
  const Entry *second = *(const Entry *const *) b;

  if (first->group != second->group)
    return first->group < second->group ? -1 : 1;
  if (first->recent != second->recent)
    return first->recent < second->recent ? -1 : 1;
  return first->order < second->order ? -1 : 1;
}

/* Every word stands somewhere in what the row says. */
static gboolean
matches (InterpModel *model, const char *const *words)
{
  g_autofree char *name = interp_model_dup_name (model);
  g_autofree char *all = g_strjoin (" ", name, interp_model_get_title (model),
                                    interp_provider_get_title (interp_model_get_provider (model)), NULL);
  g_autofree char *folded = g_utf8_casefold (all, -1);

  for (guint i = 0; words[i] != NULL; i++)
    if (strstr (folded, words[i]) == NULL)
      return FALSE;
  return TRUE;
}

static guint
find_name (char **names, const char *name)
{
  guint i = 0;

  for (; names != NULL && names[i] != NULL; i++)
    if (g_str_equal (names[i], name))
      return i;
  return G_MAXUINT;
}

static GPtrArray *
collect (InterpModelButton *self, const char *const *words)
{
  InterpSettings *settings = interp_engine_get_settings (self->engine);
  g_auto (GStrv) favourites = interp_settings_get_strv (settings, "favourite-models");
  g_auto (GStrv) recent = interp_settings_get_strv (settings, "recent-models");
  GPtrArray *entries = g_ptr_array_new_with_free_func (entry_free);

  for (guint i = 0; i < g_list_model_get_n_items (self->findings); i++)
    {
      g_autoptr (InterpFinding) finding = g_list_model_get_item (self->findings, i);
      GListModel *models = interp_finding_get_models (finding);

      for (guint j = 0; j < g_list_model_get_n_items (models); j++)
        {
          g_autoptr (InterpModel) model = g_list_model_get_item (models, j);
          g_autofree char *name = NULL;
          Entry *entry;

          if (!matches (model, words))
            continue;
          name = interp_model_dup_name (model);
          entry = g_new0 (Entry, 1);
          entry->recent = find_name (recent, name);
          entry->order = entries->len;
          entry->group = find_name (favourites, name) != G_MAXUINT                          ? GROUP_FAVOURITES
                         : interp_provider_is_local (interp_finding_get_provider (finding)) ? GROUP_LOCAL
                                                                                            : GROUP_REMOTE;
          entry->model = g_steal_pointer (&model);
          g_ptr_array_add (entries, entry);
        }
    }

  g_ptr_array_sort (entries, compare_entries);
  return entries;
}

static GtkWidget *
make_heading (const char *text)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_add_css_class (label, "heading");
  gtk_widget_add_css_class (label, "model-heading");
  return label;
}

static void
update_header (GtkListBoxRow *row, GtkListBoxRow *before, gpointer user_data)
{
  const char *group = g_object_get_data (G_OBJECT (row), "group");
  const char *last = before != NULL ? g_object_get_data (G_OBJECT (before), "group") : NULL;

  gtk_list_box_row_set_header (row, group != NULL && group != last ? make_heading (group) : NULL);
}

/* The model whose row has the focus, NULL when none has. Transfer full. */
static InterpModel *
dup_focused (InterpModelButton *self)
{
  GtkWidget *focus = gtk_widget_get_focus_child (GTK_WIDGET (self->list));

  return INTERP_IS_MODEL_ROW (focus) ? g_object_ref (interp_model_row_get_model (INTERP_MODEL_ROW (focus))) : NULL;
}

static void
update_list (InterpModelButton *self)
{
  const char *const groups[] = { _ ("Favourites"), _ ("On This Computer"), _ ("Over the Network") };
  g_autofree char *typed = g_strstrip (g_strdup (gtk_editable_get_text (GTK_EDITABLE (self->search_entry))));
  g_autofree char *folded = g_utf8_casefold (typed, -1);
  g_auto (GStrv) words = g_strsplit_set (folded, " \t", 16);
  InterpModel *current = self->session ? interp_session_get_model (self->session) : NULL;
  g_autoptr (InterpModel) focused = dup_focused (self);
  g_autoptr (GPtrArray) entries = NULL;

  if (self->engine == NULL)
    return;

  entries = collect (self, (const char *const *) words);
  gtk_list_box_remove_all (self->list);
  show_notice (self, NULL);
  for (guint i = 0; i < MIN (entries->len, MAX_ROWS); i++)
    {
      Entry *entry = g_ptr_array_index (entries, i);
      GtkWidget *row
          = interp_model_row_new (entry->model, interp_engine_get_settings (self->engine), entry->model == current);

      g_object_set_data (G_OBJECT (row), "group", (gpointer) groups[entry->group]);
      gtk_list_box_append (self->list, row);
      if (entry->model == focused)
        gtk_widget_grab_focus (row);
    }

  if (entries->len > MAX_ROWS)
    {
      guint n = entries->len - MAX_ROWS;
      g_autofree char *more = g_strdup_printf (ngettext ("%u more model", "%u more models", n), n);
      GtkWidget *row = add_row (self, more, _ ("Type a part of the name"));

      gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), FALSE);
    }

  if (*typed != '\0')
    {
      /* Translators: %s is what was typed */
      g_autofree char *title = g_strdup_printf (_ ("Use “%s”"), typed);
      GtkWidget *row = add_row (self, title, _ ("A model that is not in the list"));

      g_object_set_data_full (G_OBJECT (row), "name", g_strdup (typed), g_free);
    }
  else if (entries->len == 0)
    {
      GtkWidget *row = add_row (self, _ ("No models found"), _ ("Type a name, such as ollama/qwen3"));

      gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), FALSE);
    }
}

static gboolean
on_update (gpointer user_data)
{
  InterpModelButton *self = user_data;

  self->update_id = 0;
  update_list (self);
  return G_SOURCE_REMOVE;
}

/* Findings come several at once. */
static void
queue_update (InterpModelButton *self)
{
  if (self->popover != NULL && self->update_id == 0 && gtk_widget_get_mapped (GTK_WIDGET (self->popover)))
    self->update_id = g_idle_add (on_update, self);
}

/* ---- looking ---- */

typedef struct
{
  InterpModelButton *button;
  InterpFinding *finding;
} Listing;

static void
listing_free (gpointer data)
{
  Listing *listing = data;

  g_object_unref (listing->button);
  g_object_unref (listing->finding);
  g_free (listing);
}

/* Somewhere else: what it offers, once it is known where someone looks. One that does not answer has no models here.
 * On this computer: not every list says what its models can do, and asking for that costs nothing. */
static DexFuture *
list_fiber (gpointer data)
{
  Listing *listing = data;
  InterpProvider *provider = interp_finding_get_provider (listing->finding);
  GListModel *models = interp_finding_get_models (listing->finding);

  if (g_list_model_get_n_items (models) == 0)
    dex_await (interp_provider_list_models (provider), NULL);

  for (guint i = 0; interp_provider_is_local (provider) && i < MIN (g_list_model_get_n_items (models), MAX_INSPECTED);
       i++)
    {
      g_autoptr (InterpModel) model = g_list_model_get_item (models, i);

      dex_await (interp_provider_inspect (provider, model), NULL);
    }
  queue_update (listing->button);
  return dex_future_new_true ();
}

static DexFuture *
look_fiber (gpointer user_data)
{
  InterpModelButton *self = user_data;
  g_autoptr (GListModel) findings = self->findings != NULL ? g_object_ref (self->findings) : NULL;
  g_autoptr (GPtrArray) waits = g_ptr_array_new_with_free_func (dex_unref);

  if (self->engine != NULL)
    dex_await (interp_models_discover (interp_engine_get_models (self->engine)), NULL);

  for (guint i = 0; findings != NULL && i < g_list_model_get_n_items (findings); i++)
    {
      g_autoptr (InterpFinding) finding = g_list_model_get_item (findings, i);
      Listing *listing;

      if (interp_finding_get_error (finding) != NULL)
        continue;
      listing = g_new0 (Listing, 1);
      listing->button = g_object_ref (self);
      listing->finding = g_object_ref (finding);
      g_ptr_array_add (waits, interp_fiber_spawn (list_fiber, listing, listing_free));
    }
  if (waits->len > 0)
    dex_await (dex_future_allv ((DexFuture *const *) waits->pdata, waits->len), NULL);

  self->looking = FALSE;
  if (self->spinner != NULL)
    gtk_widget_set_visible (self->spinner, FALSE);
  return dex_future_new_true ();
}

static void
look (InterpModelButton *self)
{
  if (self->looking || self->engine == NULL)
    return;
  self->looking = TRUE;
  gtk_widget_set_visible (self->spinner, TRUE);
  interp_fiber_run ("look for models", look_fiber, g_object_ref (self), g_object_unref);
}

static void
on_popover_shown (InterpModelButton *self)
{
  g_assert (INTERP_IS_MODEL_BUTTON (self));

  gtk_editable_set_text (GTK_EDITABLE (self->search_entry), "");
  update_list (self);
  gtk_widget_grab_focus (GTK_WIDGET (self->search_entry));
  look (self);
}

static void
on_search_activated (InterpModelButton *self)
{
  g_assert (INTERP_IS_MODEL_BUTTON (self));

  GtkListBoxRow *row = gtk_list_box_get_row_at_index (self->list, 0);
  if (row != NULL && gtk_list_box_row_get_activatable (row))
    on_row_activated (self, row);
}

static gboolean
on_focus_lost (gpointer user_data)
{
  InterpModelButton *self = user_data;
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;

  self->focus_id = 0;
  if (gtk_widget_get_mapped (GTK_WIDGET (self->popover))
      && (focus == NULL || !gtk_widget_is_ancestor (focus, GTK_WIDGET (self->popover))))
    gtk_widget_grab_focus (GTK_WIDGET (self->search_entry));
  return G_SOURCE_REMOVE;
}

/* While it is open all keys come to it: when another widget takes the focus (a chat being opened does), none would
 * have an effect, Escape neither. */
static void
on_focus_left (InterpModelButton *self)
{
  if (self->focus_id == 0)
    self->focus_id = g_idle_add (on_focus_lost, self);
}

static gboolean
on_search_key (InterpModelButton *self, guint keyval, guint keycode, GdkModifierType state)
{
  GtkListBoxRow *row = gtk_list_box_get_row_at_index (self->list, 0);

  if ((keyval != GDK_KEY_Down && keyval != GDK_KEY_KP_Down) || row == NULL)
    return GDK_EVENT_PROPAGATE;
  gtk_widget_grab_focus (GTK_WIDGET (row));
  return GDK_EVENT_STOP;
}

/* Up from the first row leads back to the search. */
static gboolean
on_keynav_failed (InterpModelButton *self, GtkDirectionType direction)
{
  return direction == GTK_DIR_UP && gtk_widget_grab_focus (GTK_WIDGET (self->search_entry));
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

  queue_update (self);
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
  /* Taking the popover away moves the focus. */
  g_clear_handle_id (&self->update_id, g_source_remove);
  g_clear_handle_id (&self->focus_id, g_source_remove);
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
  gtk_widget_class_bind_template_child (widget_class, InterpModelButton, spinner);
}

static void
interp_model_button_init (InterpModelButton *self)
{
  GtkEventController *keys = gtk_event_controller_key_new ();
  GtkEventController *focus = gtk_event_controller_focus_new ();

  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect_object (keys, "key-pressed", G_CALLBACK (on_search_key), self, G_CONNECT_SWAPPED);
  gtk_widget_add_controller (GTK_WIDGET (self->search_entry), keys);
  g_signal_connect_object (focus, "leave", G_CALLBACK (on_focus_left), self, G_CONNECT_SWAPPED);
  gtk_widget_add_controller (GTK_WIDGET (self->popover), focus);
  g_signal_connect_object (self->list, "keynav-failed", G_CALLBACK (on_keynav_failed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->popover, "show", G_CALLBACK (on_popover_shown), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->search_entry, "search-changed", G_CALLBACK (update_list), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->search_entry, "activate", G_CALLBACK (on_search_activated), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->list, "row-activated", G_CALLBACK (on_row_activated), self, G_CONNECT_SWAPPED);
  gtk_list_box_set_header_func (self->list, update_header, NULL, NULL);
  gtk_search_entry_set_key_capture_widget (self->search_entry, GTK_WIDGET (self->popover));
  g_signal_connect_object (self->manage_button, "clicked", G_CALLBACK (on_manage), self, G_CONNECT_SWAPPED);
  update_label (self);
}

GtkWidget *
interp_model_button_new (void)
{
  return g_object_new (INTERP_TYPE_MODEL_BUTTON, NULL);
}
