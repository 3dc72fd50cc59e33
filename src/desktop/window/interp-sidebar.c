/* interp-sidebar.c: all chats, and a search over their text
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "window/interp-sidebar.h"

#include <glib/gi18n.h>

#include "base/interp-fiber.h"
#include "store/interp-store.h"
#include "window/interp-chat-row-view.h"
#include "window/interp-chat-sections.h"
#include "window/interp-search-result.h"

struct _InterpSidebar
{
  AdwBin parent_instance;

  GtkStack *stack;
  GtkListView *list;
  GtkListView *results;
  GtkSearchBar *search_bar;
  GtkSearchEntry *search_entry;
  GtkToggleButton *search_button;

  InterpEngine *engine;
  InterpChatSections *sections;
  GtkSingleSelection *selection;
  GListStore *hits;
  gint64 selected;
  gboolean selecting; /* the selection is being set by us */
  guint search_serial;
};

enum
{
  OPEN_CHAT,
  DELETED,
  N_SIGNALS,
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (InterpSidebar, interp_sidebar, ADW_TYPE_BIN)

/* ---- the list ---- */

static void
on_setup_row (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  gtk_list_item_set_child (item, interp_chat_row_view_new ());
}

static void
on_title_changed (GtkListItem *item, GParamSpec *pspec, InterpChat *chat)
{
  gtk_list_item_set_accessible_label (item, interp_chat_get_title (chat));
}

static void
on_bind_row (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  InterpChat *chat = gtk_list_item_get_item (item);

  interp_chat_row_view_set_chat (INTERP_CHAT_ROW_VIEW (gtk_list_item_get_child (item)), chat);
  g_signal_connect_object (chat, "notify::title", G_CALLBACK (on_title_changed), item, G_CONNECT_SWAPPED);
  on_title_changed (item, NULL, chat);
}

static void
on_unbind_row (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  g_signal_handlers_disconnect_by_func (gtk_list_item_get_item (item), on_title_changed, item);
  interp_chat_row_view_set_chat (INTERP_CHAT_ROW_VIEW (gtk_list_item_get_child (item)), NULL);
}

static void
on_setup_header (GtkSignalListItemFactory *factory, GtkListHeader *header)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (label, "heading");
  gtk_list_header_set_child (header, label);
}

static void
on_bind_header (GtkSignalListItemFactory *factory, GtkListHeader *header)
{
  gtk_label_set_label (GTK_LABEL (gtk_list_header_get_child (header)),
                       interp_chat_sections_get_title (gtk_list_header_get_item (header)));
}

static void
select_chat (InterpSidebar *self)
{
  guint n = self->sections ? g_list_model_get_n_items (G_LIST_MODEL (self->sections)) : 0;
  guint found = GTK_INVALID_LIST_POSITION;

  for (guint i = 0; i < n && self->selected != 0; i++)
    {
      g_autoptr (InterpChat) chat = g_list_model_get_item (G_LIST_MODEL (self->sections), i);

      if (interp_chat_get_id (chat) == self->selected)
        {
          found = i;
          break;
        }
    }
  if (!self->selection)
    return;
  self->selecting = TRUE;
  gtk_single_selection_set_selected (self->selection, found);
  self->selecting = FALSE;
}

static void
on_selected (InterpSidebar *self)
{
  InterpChat *chat = gtk_single_selection_get_selected_item (self->selection);

  if (self->selecting || !chat || interp_chat_get_id (chat) == self->selected)
    return;
  g_signal_emit (self, signals[OPEN_CHAT], 0, interp_chat_get_id (chat), (gint64) 0);
}

static void
on_activate (InterpSidebar *self, guint position)
{
  g_autoptr (InterpChat) chat = g_list_model_get_item (G_LIST_MODEL (self->sections), position);

  if (chat)
    g_signal_emit (self, signals[OPEN_CHAT], 0, interp_chat_get_id (chat), (gint64) 0);
}

static void
update_page (InterpSidebar *self)
{
  const char *words = gtk_editable_get_text (GTK_EDITABLE (self->search_entry));
  gboolean searching = gtk_search_bar_get_search_mode (self->search_bar) && *words;

  if (searching)
    gtk_stack_set_visible_child_name (self->stack,
                                      g_list_model_get_n_items (G_LIST_MODEL (self->hits)) > 0 ? "results" : "nothing");
  else
    gtk_stack_set_visible_child_name (self->stack,
                                      self->sections && g_list_model_get_n_items (G_LIST_MODEL (self->sections)) > 0
                                          ? "chats"
                                          : "empty");
}

static void
on_chats_changed (InterpSidebar *self)
{
  update_page (self);
  select_chat (self);
}

/* ---- search ---- */

typedef struct
{
  InterpSidebar *self;
  char *words;
  guint serial;
} Search;

static void
search_free (gpointer data)
{
  Search *search = data;

  g_object_unref (search->self);
  g_free (search->words);
  g_free (search);
}

static DexFuture *
search_fiber (gpointer data)
{
  Search *search = data;
  InterpSidebar *self = search->self;
  g_autoptr (GPtrArray) hits = dex_await_boxed (interp_engine_search (self->engine, search->words), NULL);

  if (search->serial != self->search_serial || !self->stack)
    return dex_future_new_true ();
  g_list_store_remove_all (self->hits);
  for (guint i = 0; hits && i < hits->len; i++)
    {
      g_autoptr (InterpSearchResult) result = interp_search_result_new (g_ptr_array_index (hits, i));

      g_list_store_append (self->hits, result);
    }
  update_page (self);
  return dex_future_new_true ();
}

static void
on_search_changed (InterpSidebar *self)
{
  const char *words = gtk_editable_get_text (GTK_EDITABLE (self->search_entry));
  Search *search;

  self->search_serial++;
  if (!self->engine || !*words)
    {
      g_list_store_remove_all (self->hits);
      update_page (self);
      return;
    }
  search = g_new0 (Search, 1);
  search->self = g_object_ref (self);
  search->words = g_strdup (words);
  search->serial = self->search_serial;
  interp_fiber_run ("search chats", search_fiber, search, search_free);
}

static void
on_result_activate (InterpSidebar *self, guint position)
{
  g_autoptr (InterpSearchResult) result = g_list_model_get_item (G_LIST_MODEL (self->hits), position);

  if (result)
    g_signal_emit (self, signals[OPEN_CHAT], 0, interp_search_result_get_chat (result),
                   interp_search_result_get_item (result));
}

static void
on_search_activate (InterpSidebar *self)
{
  if (g_list_model_get_n_items (G_LIST_MODEL (self->hits)) > 0)
    on_result_activate (self, 0);
}

static void
on_setup_result (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  gtk_list_item_set_child (item, interp_search_result_make_row ());
}

static void
on_bind_result (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  InterpSearchResult *result = gtk_list_item_get_item (item);

  interp_search_result_bind_row (result, gtk_list_item_get_child (item));
  gtk_list_item_set_accessible_label (item, interp_search_result_get_title (result));
}

void
interp_sidebar_search (InterpSidebar *self)
{
  g_return_if_fail (INTERP_IS_SIDEBAR (self));

  gtk_search_bar_set_search_mode (self->search_bar, TRUE);
  gtk_widget_grab_focus (GTK_WIDGET (self->search_entry));
}

/* ---- what can be done with a chat ---- */

static InterpChat *
find_chat (InterpSidebar *self, gint64 id)
{
  GListModel *chats = self->engine ? interp_engine_get_chats (self->engine) : NULL;
  guint n = chats ? g_list_model_get_n_items (chats) : 0;

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (InterpChat) chat = g_list_model_get_item (chats, i);

      if (interp_chat_get_id (chat) == id)
        return g_steal_pointer (&chat);
    }
  return NULL;
}

static void
pin (GtkWidget *widget, const char *action, GVariant *parameter)
{
  gint64 id;
  gboolean pinned;

  g_variant_get (parameter, "(xb)", &id, &pinned);
  interp_engine_set_pinned (INTERP_SIDEBAR (widget)->engine, id, pinned);
}

static void
on_rename_response (AdwAlertDialog *dialog, const char *response, InterpSidebar *self)
{
  GtkEditable *entry = GTK_EDITABLE (adw_alert_dialog_get_extra_child (dialog));
  gint64 *id = g_object_get_data (G_OBJECT (dialog), "interp-chat");
  g_autofree char *title = g_strstrip (g_strdup (gtk_editable_get_text (entry)));

  if (g_str_equal (response, "rename") && *title)
    interp_engine_rename_chat (self->engine, *id, title);
}

static void
rename_chat (GtkWidget *widget, const char *action, GVariant *parameter)
{
  InterpSidebar *self = INTERP_SIDEBAR (widget);
  gint64 id = g_variant_get_int64 (parameter);
  g_autoptr (InterpChat) chat = find_chat (self, id);
  AdwAlertDialog *dialog;
  GtkWidget *entry;

  if (!chat)
    return;
  dialog = ADW_ALERT_DIALOG (adw_alert_dialog_new (_ ("Rename Chat"), NULL));
  entry = gtk_entry_new ();
  gtk_editable_set_text (GTK_EDITABLE (entry), interp_chat_get_title (chat));
  gtk_entry_set_activates_default (GTK_ENTRY (entry), TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Title"), -1);
  adw_alert_dialog_set_extra_child (dialog, entry);
  adw_alert_dialog_add_responses (dialog, "cancel", _ ("_Cancel"), "rename", _ ("_Rename"), NULL);
  adw_alert_dialog_set_default_response (dialog, "rename");
  adw_alert_dialog_set_response_appearance (dialog, "rename", ADW_RESPONSE_SUGGESTED);
  g_object_set_data_full (G_OBJECT (dialog), "interp-chat", g_memdup2 (&id, sizeof id), g_free);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_rename_response), self, 0);
  adw_dialog_present (ADW_DIALOG (dialog), widget);
}

static void
delete_chat (GtkWidget *widget, const char *action, GVariant *parameter)
{
  g_signal_emit (widget, signals[DELETED], 0, g_variant_get_int64 (parameter));
}

/* ---- life ---- */

void
interp_sidebar_set_selected (InterpSidebar *self, gint64 id)
{
  g_return_if_fail (INTERP_IS_SIDEBAR (self));

  self->selected = id;
  select_chat (self);
}

void
interp_sidebar_set_engine (InterpSidebar *self, InterpEngine *engine)
{
  g_return_if_fail (INTERP_IS_SIDEBAR (self));

  if (!g_set_object (&self->engine, engine))
    return;
  self->sections = interp_chat_sections_new (interp_engine_get_chats (engine));
  self->selection = gtk_single_selection_new (NULL);
  gtk_single_selection_set_autoselect (self->selection, FALSE);
  gtk_single_selection_set_can_unselect (self->selection, TRUE);
  self->selecting = TRUE;
  gtk_single_selection_set_model (self->selection, G_LIST_MODEL (self->sections));
  gtk_single_selection_set_selected (self->selection, GTK_INVALID_LIST_POSITION);
  self->selecting = FALSE;
  g_signal_connect_object (self->selection, "notify::selected-item", G_CALLBACK (on_selected), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->sections, "items-changed", G_CALLBACK (on_chats_changed), self,
                           G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  gtk_list_view_set_model (self->list, GTK_SELECTION_MODEL (self->selection));
  on_chats_changed (self);
}

static void
on_map (InterpSidebar *self)
{
  if (self->sections)
    interp_chat_sections_refresh (self->sections);
}

static gboolean
interp_sidebar_grab_focus (GtkWidget *widget)
{
  InterpSidebar *self = INTERP_SIDEBAR (widget);
  const char *page = gtk_stack_get_visible_child_name (self->stack);

  if (g_strcmp0 (page, "results") == 0)
    return gtk_widget_grab_focus (GTK_WIDGET (self->results));
  if (g_strcmp0 (page, "chats") == 0)
    return gtk_widget_grab_focus (GTK_WIDGET (self->list));
  return gtk_widget_child_focus (widget, GTK_DIR_TAB_FORWARD);
}

static void
interp_sidebar_dispose (GObject *object)
{
  InterpSidebar *self = INTERP_SIDEBAR (object);

  gtk_widget_dispose_template (GTK_WIDGET (object), INTERP_TYPE_SIDEBAR);
  g_clear_object (&self->selection);
  g_clear_object (&self->sections);
  g_clear_object (&self->hits);
  g_clear_object (&self->engine);
  G_OBJECT_CLASS (interp_sidebar_parent_class)->dispose (object);
}

static void
interp_sidebar_class_init (InterpSidebarClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = interp_sidebar_dispose;
  widget_class->grab_focus = interp_sidebar_grab_focus;

  signals[OPEN_CHAT] = g_signal_new ("open-chat", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                     G_TYPE_NONE, 2, G_TYPE_INT64, G_TYPE_INT64);
  signals[DELETED] = g_signal_new ("deleted", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                   G_TYPE_NONE, 1, G_TYPE_INT64);

  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/interpreter_app/Interpreter/ui/interp-sidebar.ui");
  gtk_widget_class_bind_template_child (widget_class, InterpSidebar, stack);
  gtk_widget_class_bind_template_child (widget_class, InterpSidebar, list);
  gtk_widget_class_bind_template_child (widget_class, InterpSidebar, results);
  gtk_widget_class_bind_template_child (widget_class, InterpSidebar, search_bar);
  gtk_widget_class_bind_template_child (widget_class, InterpSidebar, search_entry);
  gtk_widget_class_bind_template_child (widget_class, InterpSidebar, search_button);
  gtk_widget_class_bind_template_callback (widget_class, on_setup_row);
  gtk_widget_class_bind_template_callback (widget_class, on_bind_row);
  gtk_widget_class_bind_template_callback (widget_class, on_unbind_row);
  gtk_widget_class_bind_template_callback (widget_class, on_setup_header);
  gtk_widget_class_bind_template_callback (widget_class, on_bind_header);
  gtk_widget_class_bind_template_callback (widget_class, on_setup_result);
  gtk_widget_class_bind_template_callback (widget_class, on_bind_result);
  gtk_widget_class_bind_template_callback (widget_class, on_activate);
  gtk_widget_class_bind_template_callback (widget_class, on_result_activate);
  gtk_widget_class_bind_template_callback (widget_class, on_search_changed);
  gtk_widget_class_bind_template_callback (widget_class, on_search_activate);
  gtk_widget_class_bind_template_callback (widget_class, update_page);
  gtk_widget_class_bind_template_callback (widget_class, on_map);
  gtk_widget_class_install_action (widget_class, "chats.pin", "(xb)", pin);
  gtk_widget_class_install_action (widget_class, "chats.rename", "x", rename_chat);
  gtk_widget_class_install_action (widget_class, "chats.delete", "x", delete_chat);
}

static void
interp_sidebar_init (InterpSidebar *self)
{
  g_autoptr (GtkNoSelection) selection = NULL;

  gtk_widget_init_template (GTK_WIDGET (self));
  self->hits = g_list_store_new (INTERP_TYPE_SEARCH_RESULT);
  selection = gtk_no_selection_new (g_object_ref (G_LIST_MODEL (self->hits)));
  gtk_list_view_set_model (self->results, GTK_SELECTION_MODEL (selection));
  gtk_search_bar_connect_entry (self->search_bar, GTK_EDITABLE (self->search_entry));
  update_page (self);
}
