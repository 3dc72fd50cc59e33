/* interp-chat-row-view.c: a chat in the sidebar
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "window/interp-chat-row-view.h"

#include <glib/gi18n.h>

struct _InterpChatRowView
{
  AdwBin parent_instance;

  GtkLabel *title;
  GtkImage *dot;
  GtkMenuButton *menu_button;
  GtkPopoverMenu *context_menu;

  InterpChat *chat;
};

G_DEFINE_FINAL_TYPE (InterpChatRowView, interp_chat_row_view, ADW_TYPE_BIN)

static GMenuModel *
make_menu (InterpChat *chat)
{
  gint64 id = interp_chat_get_id (chat);
  GMenu *menu = g_menu_new ();
  g_autoptr (GMenuItem) pin = NULL;
  g_autoptr (GMenuItem) rename = g_menu_item_new (_ ("_Rename…"), NULL);
  g_autoptr (GMenuItem) delete = g_menu_item_new (_ ("_Delete"), NULL);

  pin = g_menu_item_new (interp_chat_get_pinned (chat) ? _ ("_Unpin") : _ ("_Pin"), NULL);
  g_menu_item_set_action_and_target (pin, "chats.pin", "(xb)", id, !interp_chat_get_pinned (chat));
  g_menu_item_set_action_and_target (rename, "chats.rename", "x", id);
  g_menu_item_set_action_and_target (delete, "chats.delete", "x", id);
  g_menu_append_item (menu, pin);
  g_menu_append_item (menu, rename);
  g_menu_append_item (menu, delete);
  return G_MENU_MODEL (menu);
}

static void
on_chat_changed (InterpChatRowView *self)
{
  const char *state = interp_chat_get_state (self->chat);
  const char *title = interp_chat_get_title (self->chat);
  gboolean waiting = g_strcmp0 (state, "waiting") == 0;
  gboolean running = g_strcmp0 (state, "running") == 0;
  g_autoptr (GMenuModel) menu = make_menu (self->chat);

  gtk_label_set_label (self->title, title);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->title), title);
  gtk_widget_set_visible (GTK_WIDGET (self->dot), waiting || running);
  gtk_image_set_from_icon_name (self->dot, waiting ? "interpreter-ask-symbolic" : "media-record-symbolic");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->dot), waiting ? _ ("Waits for you") : _ ("Running"));
  gtk_widget_remove_css_class (GTK_WIDGET (self->dot), waiting ? "accent" : "warning");
  gtk_widget_add_css_class (GTK_WIDGET (self->dot), waiting ? "warning" : "accent");
  gtk_menu_button_set_menu_model (self->menu_button, menu);
  gtk_popover_menu_set_menu_model (self->context_menu, menu);
}

void
interp_chat_row_view_set_chat (InterpChatRowView *self, InterpChat *chat)
{
  g_return_if_fail (INTERP_IS_CHAT_ROW_VIEW (self));
  g_return_if_fail (chat == NULL || INTERP_IS_CHAT (chat));

  if (self->chat)
    g_signal_handlers_disconnect_by_data (self->chat, self);
  g_set_object (&self->chat, chat);
  if (chat)
    {
      g_signal_connect_object (chat, "notify", G_CALLBACK (on_chat_changed), self, G_CONNECT_SWAPPED);
      on_chat_changed (self);
    }
}

static void
popup (InterpChatRowView *self, double x, double y)
{
  gtk_popover_set_pointing_to (GTK_POPOVER (self->context_menu), &(GdkRectangle) { (int) x, (int) y, 1, 1 });
  gtk_popover_popup (GTK_POPOVER (self->context_menu));
}

static void
on_secondary_click (InterpChatRowView *self, int n_press, double x, double y, GtkGestureClick *gesture)
{
  gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
  popup (self, x, y);
}

static void
on_long_press (InterpChatRowView *self, double x, double y, GtkGesture *gesture)
{
  popup (self, x, y);
}

static void
show_menu (GtkWidget *widget, const char *action, GVariant *parameter)
{
  popup (INTERP_CHAT_ROW_VIEW (widget), gtk_widget_get_width (widget) / 2.0, gtk_widget_get_height (widget));
}

GtkWidget *
interp_chat_row_view_new (void)
{
  return g_object_new (INTERP_TYPE_CHAT_ROW_VIEW, NULL);
}

static void
interp_chat_row_view_dispose (GObject *object)
{
  InterpChatRowView *self = INTERP_CHAT_ROW_VIEW (object);

  if (self->chat)
    g_signal_handlers_disconnect_by_data (self->chat, self);
  g_clear_object (&self->chat);
  if (self->context_menu)
    {
      gtk_widget_unparent (GTK_WIDGET (self->context_menu));
      self->context_menu = NULL;
    }
  gtk_widget_dispose_template (GTK_WIDGET (object), INTERP_TYPE_CHAT_ROW_VIEW);
  G_OBJECT_CLASS (interp_chat_row_view_parent_class)->dispose (object);
}

static void
interp_chat_row_view_class_init (InterpChatRowViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = interp_chat_row_view_dispose;
  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/interpreter_app/Interpreter/ui/"
                                                             "interp-chat-row-view.ui");
  gtk_widget_class_bind_template_child (widget_class, InterpChatRowView, title);
  gtk_widget_class_bind_template_child (widget_class, InterpChatRowView, dot);
  gtk_widget_class_bind_template_child (widget_class, InterpChatRowView, menu_button);
  gtk_widget_class_bind_template_callback (widget_class, on_secondary_click);
  gtk_widget_class_bind_template_callback (widget_class, on_long_press);
  gtk_widget_class_install_action (widget_class, "row.menu", NULL, show_menu);
  gtk_widget_class_set_css_name (widget_class, "chatrow");
}

static void
interp_chat_row_view_init (InterpChatRowView *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->context_menu = GTK_POPOVER_MENU (gtk_popover_menu_new_from_model (NULL));
  gtk_popover_set_has_arrow (GTK_POPOVER (self->context_menu), FALSE);
  gtk_widget_set_halign (GTK_WIDGET (self->context_menu), GTK_ALIGN_START);
  gtk_widget_set_parent (GTK_WIDGET (self->context_menu), GTK_WIDGET (self));
}
