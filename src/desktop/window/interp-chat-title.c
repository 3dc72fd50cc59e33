/* interp-chat-title.c: the chat's title, editable in place, over its working folder
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "window/interp-chat-title.h"

#include <glib/gi18n.h>

#include "base/interp-paths.h"

struct _InterpChatTitle
{
  AdwBin parent_instance;

  GtkStack *stack;
  GtkLabel *title;
  GtkEntry *entry;
  GtkMenuButton *folder_button;
  GtkLabel *folder_label;

  InterpSettings *settings;
  InterpSession *session;
};

G_DEFINE_FINAL_TYPE (InterpChatTitle, interp_chat_title, ADW_TYPE_BIN)

static void
update_menu (InterpChatTitle *self)
{
  g_autoptr (GMenu) menu = g_menu_new ();
  g_autoptr (GMenu) recent = g_menu_new ();
  g_autoptr (GMenu) choose = g_menu_new ();
  g_auto (GStrv) folders = self->settings ? interp_settings_get_strv (self->settings, "recent-folders") : NULL;
  const char *present = self->session ? interp_session_get_folder (self->session) : NULL;

  for (guint i = 0; folders && folders[i]; i++)
    {
      g_autofree char *name = interp_paths_display (folders[i]);
      g_autoptr (GMenuItem) item = NULL;
      g_auto (GStrv) parts = NULL;
      g_autofree char *label = NULL;

      if (g_strcmp0 (folders[i], present) == 0)
        continue;
      /* An underscore in a name is no mnemonic. */
      parts = g_strsplit (name, "_", -1);
      label = g_strjoinv ("__", parts);
      item = g_menu_item_new (label, NULL);
      g_menu_item_set_action_and_target (item, "chat.set-folder", "s", folders[i]);
      g_menu_append_item (recent, item);
    }
  g_menu_append (choose, _ ("_Choose Folder…"), "chat.choose-folder");
  g_menu_append (choose, _ ("_Open in Files"), "chat.open-folder");
  g_menu_append_section (menu, _ ("Recent Folders"), G_MENU_MODEL (recent));
  g_menu_append_section (menu, NULL, G_MENU_MODEL (choose));
  gtk_menu_button_set_menu_model (self->folder_button, G_MENU_MODEL (menu));
}

static void
update (InterpChatTitle *self)
{
  const char *title = self->session ? interp_session_get_title (self->session) : NULL;
  const char *folder = self->session ? interp_session_get_folder (self->session) : NULL;
  g_autofree char *shown = folder ? interp_paths_display (folder) : NULL;

  gtk_label_set_label (self->title, title && *title ? title : _ ("New Chat"));
  gtk_label_set_label (self->folder_label, shown ? shown : _ ("No Folder"));
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->folder_button), folder ? folder : _ ("Working Folder"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->folder_button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Working Folder"), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, folder ? folder : "", -1);
  update_menu (self);
}

void
interp_chat_title_set_session (InterpChatTitle *self, InterpSession *session)
{
  g_return_if_fail (INTERP_IS_CHAT_TITLE (self));
  g_return_if_fail (session == NULL || INTERP_IS_SESSION (session));

  if (self->session == session)
    return;
  if (self->session)
    g_signal_handlers_disconnect_by_data (self->session, self);
  g_set_object (&self->session, session);
  gtk_stack_set_visible_child_name (self->stack, "title");
  if (session)
    {
      g_signal_connect_object (session, "notify::title", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
      g_signal_connect_object (session, "notify::folder", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
    }
  update (self);
}

void
interp_chat_title_set_settings (InterpChatTitle *self, InterpSettings *settings)
{
  g_return_if_fail (INTERP_IS_CHAT_TITLE (self));

  if (g_set_object (&self->settings, settings) && settings)
    g_signal_connect_object (settings, "changed::recent-folders", G_CALLBACK (update_menu), self, G_CONNECT_SWAPPED);
  update (self);
}

void
interp_chat_title_edit (InterpChatTitle *self)
{
  g_return_if_fail (INTERP_IS_CHAT_TITLE (self));

  if (!self->session)
    return;
  gtk_editable_set_text (GTK_EDITABLE (self->entry), gtk_label_get_label (self->title));
  gtk_stack_set_visible_child_name (self->stack, "entry");
  gtk_widget_grab_focus (GTK_WIDGET (self->entry));
}

static void
edit (GtkWidget *widget, const char *action, GVariant *parameter)
{
  interp_chat_title_edit (INTERP_CHAT_TITLE (widget));
}

static void
end_edit (InterpChatTitle *self, gboolean keep)
{
  g_autofree char *title = g_strstrip (g_strdup (gtk_editable_get_text (GTK_EDITABLE (self->entry))));

  if (!g_str_equal (gtk_stack_get_visible_child_name (self->stack), "entry"))
    return;
  gtk_stack_set_visible_child_name (self->stack, "title");
  if (keep && *title && self->session && g_strcmp0 (title, interp_session_get_title (self->session)) != 0)
    interp_session_set_title (self->session, title);
}

static void
on_activate (InterpChatTitle *self)
{
  end_edit (self, TRUE);
  gtk_widget_activate_action (GTK_WIDGET (self), "view.composer", NULL);
}

static void
on_leave (InterpChatTitle *self)
{
  end_edit (self, TRUE);
}

static gboolean
on_key (InterpChatTitle *self, guint keyval)
{
  if (keyval != GDK_KEY_Escape)
    return GDK_EVENT_PROPAGATE;
  end_edit (self, FALSE);
  gtk_widget_activate_action (GTK_WIDGET (self), "view.composer", NULL);
  return GDK_EVENT_STOP;
}

static void
interp_chat_title_dispose (GObject *object)
{
  InterpChatTitle *self = INTERP_CHAT_TITLE (object);

  if (self->session)
    g_signal_handlers_disconnect_by_data (self->session, self);
  g_clear_object (&self->session);
  g_clear_object (&self->settings);
  gtk_widget_dispose_template (GTK_WIDGET (object), INTERP_TYPE_CHAT_TITLE);
  G_OBJECT_CLASS (interp_chat_title_parent_class)->dispose (object);
}

static void
interp_chat_title_class_init (InterpChatTitleClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = interp_chat_title_dispose;
  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/interpreter_app/Interpreter/ui/"
                                                             "interp-chat-title.ui");
  gtk_widget_class_bind_template_child (widget_class, InterpChatTitle, stack);
  gtk_widget_class_bind_template_child (widget_class, InterpChatTitle, title);
  gtk_widget_class_bind_template_child (widget_class, InterpChatTitle, entry);
  gtk_widget_class_bind_template_child (widget_class, InterpChatTitle, folder_button);
  gtk_widget_class_bind_template_child (widget_class, InterpChatTitle, folder_label);
  gtk_widget_class_bind_template_callback (widget_class, on_activate);
  gtk_widget_class_bind_template_callback (widget_class, on_leave);
  gtk_widget_class_bind_template_callback (widget_class, on_key);
  gtk_widget_class_install_action (widget_class, "title.edit", NULL, edit);
}

static void
interp_chat_title_init (InterpChatTitle *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
