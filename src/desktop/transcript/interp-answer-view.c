/* interp-answer-view.c: what the model wrote
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "transcript/interp-answer-view.h"

#include <glib/gi18n.h>

#include "transcript/interp-markdown-view.h"

struct _InterpAnswerView
{
  InterpItemView parent_instance;

  GtkWidget *premature;
  GtkRevealer *revealer;
  InterpMarkdownView *text;
  GtkWidget *actions;
  GtkWidget *branches;
  GtkLabel *model_label;
  GtkWidget *state_label;
};

G_DEFINE_FINAL_TYPE (InterpAnswerView, interp_answer_view, INTERP_TYPE_ITEM_VIEW)

static void
interp_answer_view_update (InterpItemView *view)
{
  InterpAnswerView *self = INTERP_ANSWER_VIEW (view);
  InterpItem *item = interp_item_view_get_item (view);
  InterpItemState state = interp_item_get_state (item);
  const char *text = interp_item_get_text (item);
  const char *model = interp_item_get_model (item);
  gboolean open = state == INTERP_ITEM_OPEN;
  gboolean premature = interp_item_is_premature (item);

  interp_markdown_view_set_folder (self->text, interp_session_get_folder (interp_item_view_get_session (view)));
  interp_markdown_view_set_text (self->text, text, !open);
  gtk_widget_set_visible (GTK_WIDGET (self), text && *text);
  gtk_widget_set_visible (self->premature, premature);
  if (!premature)
    gtk_revealer_set_reveal_child (self->revealer, TRUE);
  gtk_widget_set_visible (self->actions, !open);
  gtk_label_set_label (self->model_label, model ? interp_model_name_get_title (model) : "");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->model_label), model);
  gtk_widget_set_visible (self->state_label, state == INTERP_ITEM_INTERRUPTED || state == INTERP_ITEM_INCOMPLETE);
  gtk_label_set_label (GTK_LABEL (self->state_label),
                       state == INTERP_ITEM_INTERRUPTED ? _ ("Interrupted") : _ ("Incomplete"));
  interp_item_view_update_branches (view, self->branches);

  if (!open)
    {
      g_autofree char *plain = interp_markdown_view_dup_plain_text (self->text);

      gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, plain, -1);
    }
}

static void
copy (GtkWidget *widget, const char *action, GVariant *parameter)
{
  const char *text = interp_item_get_text (interp_item_view_get_item (INTERP_ITEM_VIEW (widget)));

  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), text ? text : "");
  gtk_accessible_announce (GTK_ACCESSIBLE (widget), _ ("Copied"), GTK_ACCESSIBLE_ANNOUNCEMENT_PRIORITY_LOW);
}

static void
try_again (GtkWidget *widget, const char *action, GVariant *parameter)
{
  InterpItemView *self = INTERP_ITEM_VIEW (widget);

  interp_session_try_again (interp_item_view_get_session (self), interp_item_view_get_item (self), NULL);
}

static void
another_model (GtkWidget *widget, const char *action, GVariant *parameter)
{
  gtk_widget_activate_action (widget, "chat.another-model", "x",
                              interp_item_get_id (interp_item_view_get_item (INTERP_ITEM_VIEW (widget))));
}

static void
interp_answer_view_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), INTERP_TYPE_ANSWER_VIEW);
  G_OBJECT_CLASS (interp_answer_view_parent_class)->dispose (object);
}

static void
interp_answer_view_class_init (InterpAnswerViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = interp_answer_view_dispose;
  INTERP_ITEM_VIEW_CLASS (klass)->update = interp_answer_view_update;

  g_type_ensure (INTERP_TYPE_MARKDOWN_VIEW);
  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/interpreter_app/Interpreter/ui/"
                                                             "interp-answer-view.ui");
  gtk_widget_class_bind_template_child (widget_class, InterpAnswerView, premature);
  gtk_widget_class_bind_template_child (widget_class, InterpAnswerView, revealer);
  gtk_widget_class_bind_template_child (widget_class, InterpAnswerView, text);
  gtk_widget_class_bind_template_child (widget_class, InterpAnswerView, actions);
  gtk_widget_class_bind_template_child (widget_class, InterpAnswerView, branches);
  gtk_widget_class_bind_template_child (widget_class, InterpAnswerView, model_label);
  gtk_widget_class_bind_template_child (widget_class, InterpAnswerView, state_label);
  gtk_widget_class_install_action (widget_class, "item.copy", NULL, copy);
  gtk_widget_class_install_action (widget_class, "item.try-again", NULL, try_again);
  gtk_widget_class_install_action (widget_class, "item.another-model", NULL, another_model);
}

static void
interp_answer_view_init (InterpAnswerView *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Answer"), -1);
}
