/* interp-reasoning-view.c: what the model thought, folded
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "transcript/interp-reasoning-view.h"

#include <glib/gi18n.h>

#include "base/interp-text.h"

struct _InterpReasoningView
{
  InterpItemView parent_instance;

  GtkExpander *expander;
  GtkLabel *text;
};

G_DEFINE_FINAL_TYPE (InterpReasoningView, interp_reasoning_view, INTERP_TYPE_ITEM_VIEW)

static void
interp_reasoning_view_update (InterpItemView *view)
{
  InterpReasoningView *self = INTERP_REASONING_VIEW (view);
  InterpItem *item = interp_item_view_get_item (view);

  if (interp_item_get_state (item) == INTERP_ITEM_OPEN)
    gtk_expander_set_label (self->expander, _ ("Thinking…"));
  else
    {
      g_autofree char *duration = interp_text_format_duration (interp_item_get_duration (item));
      /* Translators: "Thought for 12 s" */
      g_autofree char *label = g_strdup_printf (_ ("Thought for %s"), duration);

      gtk_expander_set_label (self->expander, label);
    }
  if (gtk_expander_get_expanded (self->expander))
    gtk_label_set_label (self->text, interp_item_get_text (item));
}

static void
interp_reasoning_view_dispose (GObject *object)
{
  /* The template's disposal would unparent it behind the bin's back. */
  adw_bin_set_child (ADW_BIN (object), NULL);
  gtk_widget_dispose_template (GTK_WIDGET (object), INTERP_TYPE_REASONING_VIEW);
  G_OBJECT_CLASS (interp_reasoning_view_parent_class)->dispose (object);
}

static void
interp_reasoning_view_class_init (InterpReasoningViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = interp_reasoning_view_dispose;
  INTERP_ITEM_VIEW_CLASS (klass)->update = interp_reasoning_view_update;

  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/interpreter_app/Interpreter/ui/"
                                                             "interp-reasoning-view.ui");
  gtk_widget_class_bind_template_child (widget_class, InterpReasoningView, expander);
  gtk_widget_class_bind_template_child (widget_class, InterpReasoningView, text);
  gtk_widget_class_bind_template_callback (widget_class, interp_item_view_queue_update);
}

static void
interp_reasoning_view_init (InterpReasoningView *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Thinking"), -1);
}
