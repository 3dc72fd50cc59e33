/* interp-user-view.c: what the user wrote, to be edited and sent again
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "transcript/interp-user-view.h"

#include <glib/gi18n.h>

#include "transcript/interp-markdown-view.h"

struct _InterpUserView
{
  InterpItemView parent_instance;

  GtkStack *stack;
  InterpMarkdownView *text;
  GtkTextView *editor;
  GtkWidget *attachments;
  GtkWidget *branches;
  gboolean attachments_shown;
};

G_DEFINE_FINAL_TYPE (InterpUserView, interp_user_view, INTERP_TYPE_ITEM_VIEW)

static void
show_attachments (InterpUserView *self, const char *const *paths)
{
  for (guint i = 0; paths && paths[i]; i++)
    {
      g_autofree char *name = g_path_get_basename (paths[i]);
      GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
      GtkWidget *label = gtk_label_new (name);

      gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
      gtk_box_append (GTK_BOX (box), gtk_image_new_from_icon_name ("mail-attachment-symbolic"));
      gtk_box_append (GTK_BOX (box), label);
      gtk_widget_set_tooltip_text (box, paths[i]);
      gtk_widget_set_halign (box, GTK_ALIGN_END);
      gtk_widget_add_css_class (box, "caption");
      gtk_box_append (GTK_BOX (self->attachments), box);
    }
  gtk_widget_set_visible (self->attachments, paths && paths[0]);
}

static void
interp_user_view_update (InterpItemView *view)
{
  InterpUserView *self = INTERP_USER_VIEW (view);
  InterpItem *item = interp_item_view_get_item (view);
  const char *text = interp_item_get_text (item);

  /* Waiting messages are shown by the composer. */
  gtk_widget_set_visible (GTK_WIDGET (self), interp_item_get_state (item) != INTERP_ITEM_QUEUED);
  interp_markdown_view_set_text (self->text, text, TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Your message"),
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text ? text : "", -1);
  if (!self->attachments_shown)
    {
      self->attachments_shown = TRUE;
      show_attachments (self, interp_item_get_attachments (item));
    }
  interp_item_view_update_branches (view, self->branches);
}

/* ---- actions ---- */

static void
begin_edit (GtkWidget *widget, const char *action, GVariant *parameter)
{
  InterpUserView *self = INTERP_USER_VIEW (widget);
  const char *text = interp_item_get_text (interp_item_view_get_item (INTERP_ITEM_VIEW (self)));

  gtk_text_buffer_set_text (gtk_text_view_get_buffer (self->editor), text ? text : "", -1);
  gtk_stack_set_visible_child_name (self->stack, "editor");
  gtk_widget_grab_focus (GTK_WIDGET (self->editor));
}

static void
end_edit (InterpUserView *self)
{
  gtk_stack_set_visible_child_name (self->stack, "text");
  gtk_widget_grab_focus (GTK_WIDGET (self));
}

static void
cancel_edit (GtkWidget *widget, const char *action, GVariant *parameter)
{
  end_edit (INTERP_USER_VIEW (widget));
}

static void
resend (GtkWidget *widget, const char *action, GVariant *parameter)
{
  InterpUserView *self = INTERP_USER_VIEW (widget);
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (self->editor);
  g_autofree char *text = NULL;
  GtkTextIter begin, end;

  gtk_text_buffer_get_bounds (buffer, &begin, &end);
  text = g_strstrip (gtk_text_buffer_get_text (buffer, &begin, &end, FALSE));
  end_edit (self);
  if (*text)
    interp_session_edit_and_resend (interp_item_view_get_session (INTERP_ITEM_VIEW (self)),
                                    interp_item_view_get_item (INTERP_ITEM_VIEW (self)), text);
}

static void
copy (GtkWidget *widget, const char *action, GVariant *parameter)
{
  const char *text = interp_item_get_text (interp_item_view_get_item (INTERP_ITEM_VIEW (widget)));

  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), text ? text : "");
  gtk_accessible_announce (GTK_ACCESSIBLE (widget), _ ("Copied"), GTK_ACCESSIBLE_ANNOUNCEMENT_PRIORITY_LOW);
}

static gboolean
on_editor_key (InterpUserView *self, guint keyval, guint code, GdkModifierType state, GtkEventController *controller)
{
  if (gtk_text_view_im_context_filter_keypress (self->editor, gtk_event_controller_get_current_event (controller)))
    return GDK_EVENT_STOP;
  if (keyval == GDK_KEY_Escape)
    {
      end_edit (self);
      return GDK_EVENT_STOP;
    }
  if ((keyval == GDK_KEY_Return || keyval == GDK_KEY_KP_Enter) && !(state & GDK_SHIFT_MASK))
    {
      gtk_widget_activate_action (GTK_WIDGET (self), "item.resend", NULL);
      return GDK_EVENT_STOP;
    }
  return GDK_EVENT_PROPAGATE;
}

/* ---- life ---- */

static void
interp_user_view_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), INTERP_TYPE_USER_VIEW);
  G_OBJECT_CLASS (interp_user_view_parent_class)->dispose (object);
}

static void
interp_user_view_class_init (InterpUserViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = interp_user_view_dispose;
  INTERP_ITEM_VIEW_CLASS (klass)->update = interp_user_view_update;

  g_type_ensure (INTERP_TYPE_MARKDOWN_VIEW);
  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/interpreter_app/Interpreter/ui/"
                                                             "interp-user-view.ui");
  gtk_widget_class_bind_template_child (widget_class, InterpUserView, stack);
  gtk_widget_class_bind_template_child (widget_class, InterpUserView, text);
  gtk_widget_class_bind_template_child (widget_class, InterpUserView, editor);
  gtk_widget_class_bind_template_child (widget_class, InterpUserView, attachments);
  gtk_widget_class_bind_template_child (widget_class, InterpUserView, branches);
  gtk_widget_class_bind_template_callback (widget_class, on_editor_key);
  gtk_widget_class_install_action (widget_class, "item.edit", NULL, begin_edit);
  gtk_widget_class_install_action (widget_class, "item.cancel-edit", NULL, cancel_edit);
  gtk_widget_class_install_action (widget_class, "item.resend", NULL, resend);
  gtk_widget_class_install_action (widget_class, "item.copy", NULL, copy);
}

static void
interp_user_view_init (InterpUserView *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  interp_markdown_view_set_line_breaks (self->text, TRUE);
}
