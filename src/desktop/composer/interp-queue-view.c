/* interp-queue-view.c: messages that wait for the current run
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "composer/interp-queue-view.h"

#include <glib/gi18n.h>

struct _InterpQueueView
{
  AdwBin parent_instance;

  GtkWidget *box;
  InterpSession *session;
  GListModel *items;
};

G_DEFINE_FINAL_TYPE (InterpQueueView, interp_queue_view, ADW_TYPE_BIN)

static InterpItem *
row_item (GtkWidget *row)
{
  return g_object_get_data (G_OBJECT (row), "interp-item");
}

static void
commit (InterpQueueView *self, GtkWidget *row, GtkEditable *entry)
{
  InterpItem *item = row_item (row);
  const char *text = gtk_editable_get_text (entry);

  if (interp_item_get_state (item) == INTERP_ITEM_QUEUED && *text && g_strcmp0 (text, interp_item_get_text (item)) != 0)
    interp_session_edit_queued (self->session, item, text);
}

static void
on_activate (InterpQueueView *self, GtkEditable *entry)
{
  commit (self, gtk_widget_get_parent (GTK_WIDGET (entry)), entry);
}

static void
on_leave (InterpQueueView *self, GtkEventController *controller)
{
  GtkWidget *entry = gtk_event_controller_get_widget (controller);

  commit (self, gtk_widget_get_parent (entry), GTK_EDITABLE (entry));
}

static void
on_remove (InterpQueueView *self, GtkButton *button)
{
  g_autoptr (InterpItem) item = g_object_ref (row_item (gtk_widget_get_parent (GTK_WIDGET (button))));

  if (interp_item_get_state (item) == INTERP_ITEM_QUEUED)
    interp_session_remove_queued (self->session, item);
}

static GtkWidget *
make_row (InterpQueueView *self, InterpItem *item)
{
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *entry = gtk_entry_new ();
  GtkWidget *button = gtk_button_new_from_icon_name ("window-close-symbolic");
  GtkEventController *focus = gtk_event_controller_focus_new ();

  gtk_editable_set_text (GTK_EDITABLE (entry), interp_item_get_text (item) ? interp_item_get_text (item) : "");
  gtk_entry_set_icon_from_icon_name (GTK_ENTRY (entry), GTK_ENTRY_ICON_PRIMARY, "preferences-system-time-symbolic");
  gtk_entry_set_icon_activatable (GTK_ENTRY (entry), GTK_ENTRY_ICON_PRIMARY, FALSE);
  gtk_widget_set_tooltip_text (entry, _ ("Given after the current step"));
  gtk_widget_set_hexpand (entry, TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Waiting Message"), -1);
  gtk_widget_set_tooltip_text (button, _ ("Remove Message"));
  gtk_widget_add_css_class (button, "flat");
  g_signal_connect_object (entry, "activate", G_CALLBACK (on_activate), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (focus, "leave", G_CALLBACK (on_leave), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (button, "clicked", G_CALLBACK (on_remove), self, G_CONNECT_SWAPPED);
  gtk_widget_add_controller (entry, focus);
  gtk_box_append (GTK_BOX (row), entry);
  gtk_box_append (GTK_BOX (row), button);
  g_object_set_data_full (G_OBJECT (row), "interp-item", g_object_ref (item), g_object_unref);
  return row;
}

static void rebuild (InterpQueueView *self);

static void
on_state (InterpQueueView *self, GParamSpec *pspec, InterpItem *item)
{
  rebuild (self);
}

static void
rebuild (InterpQueueView *self)
{
  g_autoptr (GPtrArray) queued = g_ptr_array_new_with_free_func (g_object_unref);
  guint n = self->items ? g_list_model_get_n_items (self->items) : 0;
  GtkWidget *row = gtk_widget_get_first_child (self->box);

  /* They stand at the end. */
  for (guint i = n; i-- > 0;)
    {
      g_autoptr (InterpItem) item = g_list_model_get_item (self->items, i);

      if (interp_item_get_state (item) != INTERP_ITEM_QUEUED)
        break;
      g_ptr_array_insert (queued, 0, g_steal_pointer (&item));
    }

  for (guint i = 0; i < queued->len; i++)
    {
      InterpItem *item = g_ptr_array_index (queued, i);
      GtkWidget *next;

      while (row && row_item (row) != item)
        {
          next = gtk_widget_get_next_sibling (row);
          g_signal_handlers_disconnect_by_func (row_item (row), on_state, self);
          gtk_box_remove (GTK_BOX (self->box), row);
          row = next;
        }
      if (row)
        row = gtk_widget_get_next_sibling (row);
      else
        {
          gtk_box_append (GTK_BOX (self->box), make_row (self, item));
          g_signal_connect_object (item, "notify::state", G_CALLBACK (on_state), self, G_CONNECT_SWAPPED);
        }
    }
  while (row)
    {
      GtkWidget *next = gtk_widget_get_next_sibling (row);

      g_signal_handlers_disconnect_by_func (row_item (row), on_state, self);
      gtk_box_remove (GTK_BOX (self->box), row);
      row = next;
    }
  gtk_widget_set_visible (GTK_WIDGET (self), queued->len > 0);
}

void
interp_queue_view_set_session (InterpQueueView *self, InterpSession *session)
{
  g_return_if_fail (INTERP_IS_QUEUE_VIEW (self));

  if (self->session == session)
    return;
  if (self->items)
    g_signal_handlers_disconnect_by_data (self->items, self);
  g_clear_object (&self->items);
  rebuild (self);
  g_set_object (&self->session, session);
  if (session)
    {
      self->items = g_object_ref (interp_session_get_items (session));
      g_signal_connect_object (self->items, "items-changed", G_CALLBACK (rebuild), self, G_CONNECT_SWAPPED);
    }
  rebuild (self);
}

static void
interp_queue_view_dispose (GObject *object)
{
  InterpQueueView *self = INTERP_QUEUE_VIEW (object);

  g_clear_object (&self->items);
  g_clear_object (&self->session);
  G_OBJECT_CLASS (interp_queue_view_parent_class)->dispose (object);
}

static void
interp_queue_view_class_init (InterpQueueViewClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = interp_queue_view_dispose;
}

static void
interp_queue_view_init (InterpQueueView *self)
{
  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  gtk_widget_set_margin_bottom (self->box, 6);
  adw_bin_set_child (ADW_BIN (self), self->box);
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Waiting Messages"), -1);
}
