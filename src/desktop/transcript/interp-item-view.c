/* interp-item-view.c: one item of the transcript
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "transcript/interp-item-view.h"

#include <glib/gi18n.h>

#include "transcript/interp-answer-view.h"
#include "transcript/interp-cell-view.h"
#include "transcript/interp-notice-view.h"
#include "transcript/interp-reasoning-view.h"
#include "transcript/interp-user-view.h"

typedef struct
{
  InterpItem *item;
  InterpSession *session;
  guint tick;
  guint idle; /* the same, while there are no frames to wait for */
} InterpItemViewPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (InterpItemView, interp_item_view, ADW_TYPE_BIN)

enum
{
  PROP_0,
  PROP_ITEM,
  PROP_SESSION,
  N_PROPS,
};

static GParamSpec *properties[N_PROPS];

InterpItem *
interp_item_view_get_item (InterpItemView *self)
{
  InterpItemViewPrivate *priv = interp_item_view_get_instance_private (self);

  g_return_val_if_fail (INTERP_IS_ITEM_VIEW (self), NULL);

  return priv->item;
}

InterpSession *
interp_item_view_get_session (InterpItemView *self)
{
  InterpItemViewPrivate *priv = interp_item_view_get_instance_private (self);

  g_return_val_if_fail (INTERP_IS_ITEM_VIEW (self), NULL);

  return priv->session;
}

/* ---- once a frame ---- */

static gboolean
on_tick (GtkWidget *widget, GdkFrameClock *clock, gpointer user_data)
{
  InterpItemView *self = INTERP_ITEM_VIEW (widget);
  InterpItemViewPrivate *priv = interp_item_view_get_instance_private (self);

  priv->tick = 0;
  INTERP_ITEM_VIEW_GET_CLASS (self)->update (self);
  return G_SOURCE_REMOVE;
}

static gboolean
on_idle (gpointer user_data)
{
  InterpItemView *self = user_data;
  InterpItemViewPrivate *priv = interp_item_view_get_instance_private (self);

  priv->idle = 0;
  INTERP_ITEM_VIEW_GET_CLASS (self)->update (self);
  return G_SOURCE_REMOVE;
}

void
interp_item_view_queue_update (InterpItemView *self)
{
  InterpItemViewPrivate *priv = interp_item_view_get_instance_private (self);

  g_return_if_fail (INTERP_IS_ITEM_VIEW (self));

  if (priv->tick != 0 || priv->idle != 0)
    return;
  if (gtk_widget_get_mapped (GTK_WIDGET (self)))
    priv->tick = gtk_widget_add_tick_callback (GTK_WIDGET (self), on_tick, NULL, NULL);
  else
    priv->idle = g_idle_add (on_idle, self);
}

/* Hidden before its frame came: it would wait for ever. */
static void
interp_item_view_unmap (GtkWidget *widget)
{
  InterpItemView *self = INTERP_ITEM_VIEW (widget);
  InterpItemViewPrivate *priv = interp_item_view_get_instance_private (self);

  GTK_WIDGET_CLASS (interp_item_view_parent_class)->unmap (widget);
  if (priv->tick != 0)
    {
      gtk_widget_remove_tick_callback (widget, priv->tick);
      priv->tick = 0;
      interp_item_view_queue_update (self);
    }
}

/* ---- the keyboard ---- */

/* Controls in reading order: text that only shows is left out, labels with links are not. */
static void
collect_controls (GtkWidget *widget, GPtrArray *controls)
{
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child; child = gtk_widget_get_next_sibling (child))
    {
      gboolean takes_focus = gtk_widget_get_focusable (child) && gtk_widget_get_can_focus (child);

      if (!gtk_widget_get_mapped (child) || !gtk_widget_is_sensitive (child))
        continue;
      if (takes_focus && (!GTK_IS_LABEL (child) || gtk_widget_has_css_class (child, "with-links"))
          && !GTK_IS_SCROLLED_WINDOW (child))
        g_ptr_array_add (controls, child);
      else
        collect_controls (child, controls);
    }
}

gboolean
interp_item_view_move_inside (InterpItemView *self, int step)
{
  g_autoptr (GPtrArray) controls = g_ptr_array_new ();
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkWidget *focus = root ? gtk_root_get_focus (root) : NULL;
  int at = -1;

  g_return_val_if_fail (INTERP_IS_ITEM_VIEW (self), FALSE);

  collect_controls (GTK_WIDGET (self), controls);
  for (guint i = 0; focus && i < controls->len; i++)
    {
      GtkWidget *control = g_ptr_array_index (controls, i);

      if (control == focus || gtk_widget_is_ancestor (focus, control))
        at = (int) i;
    }
  /* Links of one label are walked through before the next control. */
  if (at >= 0 && GTK_IS_LABEL (focus)
      && gtk_widget_child_focus (focus, step > 0 ? GTK_DIR_TAB_FORWARD : GTK_DIR_TAB_BACKWARD))
    return TRUE;
  at = at < 0 && step < 0 ? -2 : at + step;
  if (at == -1)
    return gtk_widget_grab_focus (GTK_WIDGET (self));
  if (at < 0 || at >= (int) controls->len)
    return FALSE;
  if (GTK_IS_LABEL (g_ptr_array_index (controls, at)))
    return gtk_widget_child_focus (g_ptr_array_index (controls, at),
                                   step > 0 ? GTK_DIR_TAB_FORWARD : GTK_DIR_TAB_BACKWARD);
  return gtk_widget_grab_focus (g_ptr_array_index (controls, at));
}

/* ---- branches ---- */

static void
show_branch (InterpItemView *self, int step)
{
  InterpItemViewPrivate *priv = interp_item_view_get_instance_private (self);
  int branch = (int) interp_item_get_branch (priv->item) + step;

  if (branch >= 0 && branch < (int) interp_item_get_n_branches (priv->item))
    interp_session_show_branch (priv->session, priv->item, (guint) branch);
}

static void
previous_branch (GtkWidget *widget, const char *action, GVariant *parameter)
{
  show_branch (INTERP_ITEM_VIEW (widget), -1);
}

static void
next_branch (GtkWidget *widget, const char *action, GVariant *parameter)
{
  show_branch (INTERP_ITEM_VIEW (widget), 1);
}

void
interp_item_view_update_branches (InterpItemView *self, GtkWidget *box)
{
  InterpItemViewPrivate *priv = interp_item_view_get_instance_private (self);
  guint n = interp_item_get_n_branches (priv->item);
  guint at = interp_item_get_branch (priv->item);

  g_return_if_fail (INTERP_IS_ITEM_VIEW (self));
  g_return_if_fail (GTK_IS_BOX (box));

  gtk_widget_set_visible (box, n > 1);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "item.previous-branch", n > 1 && at > 0);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "item.next-branch", n > 1 && at + 1 < n);
  if (n > 1)
    {
      /* Translators: which of several answers or questions is shown, "2 of 3" */
      g_autofree char *text = g_strdup_printf (_ ("%u of %u"), at + 1, n);

      if (!gtk_widget_get_first_child (box))
        {
          GtkWidget *previous = gtk_button_new_from_icon_name ("go-previous-symbolic");
          GtkWidget *label = gtk_label_new (NULL);
          GtkWidget *next = gtk_button_new_from_icon_name ("go-next-symbolic");

          gtk_actionable_set_action_name (GTK_ACTIONABLE (previous), "item.previous-branch");
          gtk_actionable_set_action_name (GTK_ACTIONABLE (next), "item.next-branch");
          gtk_widget_set_tooltip_text (previous, _ ("Previous Version"));
          gtk_widget_set_tooltip_text (next, _ ("Next Version"));
          gtk_widget_add_css_class (previous, "flat");
          gtk_widget_add_css_class (next, "flat");
          gtk_widget_add_css_class (previous, "small-button");
          gtk_widget_add_css_class (next, "small-button");
          gtk_widget_add_css_class (label, "caption");
          gtk_widget_add_css_class (label, "numeric");
          gtk_box_append (GTK_BOX (box), previous);
          gtk_box_append (GTK_BOX (box), label);
          gtk_box_append (GTK_BOX (box), next);
        }
      gtk_label_set_label (GTK_LABEL (gtk_widget_get_next_sibling (gtk_widget_get_first_child (box))), text);
    }
}

/* ---- life ---- */

GtkWidget *
interp_item_view_new (InterpSession *session, InterpItem *item)
{
  GType type;

  g_return_val_if_fail (INTERP_IS_SESSION (session), NULL);
  g_return_val_if_fail (INTERP_IS_ITEM (item), NULL);

  switch (interp_item_get_kind (item))
    {
    case INTERP_ITEM_USER:
      type = INTERP_TYPE_USER_VIEW;
      break;
    case INTERP_ITEM_ASSISTANT:
      type = INTERP_TYPE_ANSWER_VIEW;
      break;
    case INTERP_ITEM_REASONING:
      type = INTERP_TYPE_REASONING_VIEW;
      break;
    case INTERP_ITEM_CELL:
      type = INTERP_TYPE_CELL_VIEW;
      break;
    case INTERP_ITEM_NOTICE:
    case INTERP_ITEM_ERROR:
    default:
      type = INTERP_TYPE_NOTICE_VIEW;
      break;
    }
  return g_object_new (type, "session", session, "item", item, NULL);
}

static void
interp_item_view_constructed (GObject *object)
{
  InterpItemView *self = INTERP_ITEM_VIEW (object);
  InterpItemViewPrivate *priv = interp_item_view_get_instance_private (self);

  G_OBJECT_CLASS (interp_item_view_parent_class)->constructed (object);
  g_signal_connect_object (priv->item, "notify", G_CALLBACK (interp_item_view_queue_update), self, G_CONNECT_SWAPPED);
  INTERP_ITEM_VIEW_GET_CLASS (self)->update (self);
}

static void
interp_item_view_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  InterpItemViewPrivate *priv = interp_item_view_get_instance_private (INTERP_ITEM_VIEW (object));

  switch (id)
    {
    case PROP_ITEM:
      g_value_set_object (value, priv->item);
      break;
    case PROP_SESSION:
      g_value_set_object (value, priv->session);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
interp_item_view_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  InterpItemViewPrivate *priv = interp_item_view_get_instance_private (INTERP_ITEM_VIEW (object));

  switch (id)
    {
    case PROP_ITEM:
      priv->item = g_value_dup_object (value);
      break;
    case PROP_SESSION:
      priv->session = g_value_dup_object (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
interp_item_view_dispose (GObject *object)
{
  InterpItemViewPrivate *priv = interp_item_view_get_instance_private (INTERP_ITEM_VIEW (object));

  if (priv->item)
    g_signal_handlers_disconnect_by_data (priv->item, object);
  if (priv->tick)
    gtk_widget_remove_tick_callback (GTK_WIDGET (object), priv->tick);
  priv->tick = 0;
  g_clear_handle_id (&priv->idle, g_source_remove);
  G_OBJECT_CLASS (interp_item_view_parent_class)->dispose (object);
}

static void
interp_item_view_finalize (GObject *object)
{
  InterpItemViewPrivate *priv = interp_item_view_get_instance_private (INTERP_ITEM_VIEW (object));

  g_clear_object (&priv->item);
  g_clear_object (&priv->session);
  G_OBJECT_CLASS (interp_item_view_parent_class)->finalize (object);
}

static void
interp_item_view_class_init (InterpItemViewClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->constructed = interp_item_view_constructed;
  object_class->get_property = interp_item_view_get_property;
  object_class->set_property = interp_item_view_set_property;
  object_class->dispose = interp_item_view_dispose;
  object_class->finalize = interp_item_view_finalize;
  widget_class->unmap = interp_item_view_unmap;

  properties[PROP_ITEM] = g_param_spec_object ("item", NULL, NULL, INTERP_TYPE_ITEM,
                                               G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS);
  properties[PROP_SESSION] = g_param_spec_object ("session", NULL, NULL, INTERP_TYPE_SESSION,
                                                  G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  gtk_widget_class_install_action (widget_class, "item.previous-branch", NULL, previous_branch);
  gtk_widget_class_install_action (widget_class, "item.next-branch", NULL, next_branch);
  gtk_widget_class_set_css_name (widget_class, "item");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_ARTICLE);
}

static void
interp_item_view_init (InterpItemView *self)
{
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
}
