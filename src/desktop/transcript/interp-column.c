/* interp-column.c: the scrolling column of a transcript
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "transcript/interp-column.h"

#include <math.h>

#define SPACING 12
#define MARGIN 12

struct _InterpColumn
{
  GtkWidget parent_instance;

  GtkAdjustment *hadjustment;
  GtkAdjustment *vadjustment;
  int max_width;

  gboolean following;
  gboolean configuring; /* the adjustment is being set by us */
  gboolean scrolled;    /* the user moved it: the anchor is to be chosen anew */
  double last_value;
  double last_upper;

  GtkWidget *anchor;    /* weak: what stands at the top of the view */
  double anchor_offset; /* its top, relative to the view's */
  GtkWidget *stop;      /* weak */
  GtkWidget *reveal;    /* weak: to be shown after the next layout */
  GtkWidget *current;   /* weak: the child that Tab comes back to */
};

enum
{
  PROP_0,
  PROP_FOLLOWING,
  N_PROPS,
  PROP_HADJUSTMENT = N_PROPS,
  PROP_VADJUSTMENT,
  PROP_HSCROLL_POLICY,
  PROP_VSCROLL_POLICY,
};

enum
{
  NEAR_TOP,
  N_SIGNALS,
};

static GParamSpec *properties[N_PROPS];
static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE_WITH_CODE (InterpColumn, interp_column, GTK_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (GTK_TYPE_SCROLLABLE, NULL))

/* ---- what is being read ---- */

static gboolean
top_of (InterpColumn *self, GtkWidget *widget, double *top, double *height)
{
  graphene_rect_t bounds;

  if (!gtk_widget_compute_bounds (widget, GTK_WIDGET (self), &bounds))
    return FALSE;
  *top = bounds.origin.y;
  *height = bounds.size.height;
  return TRUE;
}

static void
set_anchor (InterpColumn *self, GtkWidget *widget, double offset)
{
  g_set_weak_pointer (&self->anchor, widget);
  self->anchor_offset = offset;
}

/* The smallest piece whose lower end is in view at the top: a paragraph of an answer rather than the
 * answer. */
static void
choose_anchor (InterpColumn *self)
{
  GtkWidget *parent = GTK_WIDGET (self);
  GtkWidget *found = NULL;
  double found_top = 0;

  for (;;)
    {
      GtkWidget *inner = NULL;
      double inner_top = 0;

      for (GtkWidget *child = gtk_widget_get_first_child (parent); child; child = gtk_widget_get_next_sibling (child))
        {
          double top, height;

          if (!gtk_widget_get_child_visible (child) || !gtk_widget_get_visible (child)
              || !top_of (self, child, &top, &height))
            continue;
          if (height > 0 && top + height > 0 && (!inner || top < inner_top))
            {
              inner = child;
              inner_top = top;
            }
        }
      if (!inner)
        break;
      found = inner;
      found_top = inner_top;
      /* Texts are one piece: their inner parts are not widgets of the layout. */
      if (inner_top >= 0 || GTK_IS_TEXT_VIEW (inner) || GTK_IS_LABEL (inner) || GTK_IS_SCROLLED_WINDOW (inner))
        break;
      parent = inner;
    }
  set_anchor (self, found, found_top);
}

static void
set_following (InterpColumn *self, gboolean following)
{
  if (self->following == following)
    return;
  self->following = following;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_FOLLOWING]);
}

/* ---- layout ---- */

static int
child_width (InterpColumn *self, int width)
{
  int available = MAX (width - 2 * MARGIN, 1);

  return self->max_width > 0 ? MIN (available, self->max_width) : available;
}

static void
measure_child (GtkWidget *child, int column, int *width, int *height)
{
  gtk_widget_measure (child, GTK_ORIENTATION_HORIZONTAL, -1, width, NULL, NULL, NULL);
  *width = MAX (*width, column);
  gtk_widget_measure (child, GTK_ORIENTATION_VERTICAL, *width, NULL, height, NULL, NULL);
}

static void
allocate_children (InterpColumn *self, int width, double value)
{
  int column = child_width (self, width);
  double y = MARGIN - value;

  for (GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (self)); child;
       child = gtk_widget_get_next_sibling (child))
    {
      int taken, height;

      if (!gtk_widget_should_layout (child))
        continue;
      measure_child (child, column, &taken, &height);
      gtk_widget_size_allocate (child, &(GtkAllocation) { (width - column) / 2, (int) round (y), taken, height }, -1);
      y += height + SPACING;
    }
}

static double
measure_children (InterpColumn *self, int width)
{
  int column = child_width (self, width);
  double total = 2 * MARGIN;
  guint n = 0;

  for (GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (self)); child;
       child = gtk_widget_get_next_sibling (child))
    {
      int unused, height;

      if (!gtk_widget_should_layout (child))
        continue;
      measure_child (child, column, &unused, &height);
      total += height;
      n++;
    }
  return total + (n > 1 ? (n - 1) * SPACING : 0);
}

static void
configure (InterpColumn *self, double value, double upper, int height)
{
  self->configuring = TRUE;
  gtk_adjustment_configure (self->vadjustment, value, 0, upper, MAX (height * 0.1, 24), MAX (height * 0.9, 24), height);
  self->configuring = FALSE;
  self->last_value = value;
  self->last_upper = upper;
}

static void
interp_column_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  InterpColumn *self = INTERP_COLUMN (widget);
  double upper = MAX (measure_children (self, width), height);
  double limit = upper - height;
  double value = self->vadjustment ? gtk_adjustment_get_value (self->vadjustment) : 0;
  double top, unused;

  if (!self->vadjustment)
    return;
  if (self->hadjustment)
    gtk_adjustment_configure (self->hadjustment, 0, 0, width, width * 0.1, width * 0.9, width);

  if (self->following)
    value = limit;
  value = CLAMP (value, 0, limit);
  allocate_children (self, width, value);

  if (!self->following && !self->scrolled && self->anchor && gtk_widget_is_ancestor (self->anchor, widget)
      && top_of (self, self->anchor, &top, &unused))
    {
      double wanted = CLAMP (round (value + top - self->anchor_offset), 0, limit);

      if (wanted != value)
        {
          value = wanted;
          allocate_children (self, width, value);
        }
    }
  if (self->following && self->stop && gtk_widget_is_ancestor (self->stop, widget)
      && top_of (self, self->stop, &top, &unused) && top < MARGIN)
    {
      /* The question has reached the top: the answer is read from its beginning. */
      value = CLAMP (value + top - MARGIN, 0, limit);
      allocate_children (self, width, value);
      g_clear_weak_pointer (&self->stop);
      set_following (self, FALSE);
    }
  if (self->reveal && gtk_widget_is_ancestor (self->reveal, widget))
    {
      double size;

      if (top_of (self, self->reveal, &top, &size))
        {
          double moved = value;

          if (top < MARGIN || size > height)
            moved = value + top - MARGIN;
          else if (top + size > height - MARGIN)
            moved = value + top + size - (height - MARGIN);
          moved = CLAMP (round (moved), 0, limit);
          if (moved != value)
            {
              if (moved < value)
                set_following (self, FALSE);
              value = moved;
              allocate_children (self, width, value);
            }
        }
      self->scrolled = TRUE;
    }
  g_clear_weak_pointer (&self->reveal);

  if (self->scrolled || self->following || !self->anchor)
    choose_anchor (self);
  else if (top_of (self, self->anchor, &top, &unused))
    self->anchor_offset = top;
  self->scrolled = FALSE;
  configure (self, value, upper, height);
  if (value < height)
    g_signal_emit (self, signals[NEAR_TOP], 0);
}

/* What is out of sight costs nothing. */
static void
interp_column_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  int height = gtk_widget_get_height (widget);

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child; child = gtk_widget_get_next_sibling (child))
    {
      graphene_rect_t bounds;

      if (gtk_widget_get_mapped (child) && gtk_widget_compute_bounds (child, widget, &bounds)
          && bounds.origin.y + bounds.size.height > -MARGIN && bounds.origin.y < height + MARGIN)
        gtk_widget_snapshot_child (widget, child, snapshot);
    }
}

static void
interp_column_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural,
                       int *minimum_baseline, int *natural_baseline)
{
  InterpColumn *self = INTERP_COLUMN (widget);

  /* Never wider than its place: what is too wide scrolls on its own. */
  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? 120 : 48;
  *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? MAX (self->max_width, 120) : 400;
}

static GtkSizeRequestMode
interp_column_get_request_mode (GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_CONSTANT_SIZE;
}

/* ---- scrolling ---- */

static void
on_value_changed (InterpColumn *self)
{
  double value = gtk_adjustment_get_value (self->vadjustment);
  double limit = gtk_adjustment_get_upper (self->vadjustment) - gtk_adjustment_get_page_size (self->vadjustment);

  if (self->configuring)
    return;
  if (value >= limit - 1)
    set_following (self, TRUE);
  else if (value < self->last_value)
    {
      g_clear_weak_pointer (&self->stop);
      set_following (self, FALSE);
    }
  else
    set_following (self, FALSE);
  self->last_value = value;
  self->scrolled = TRUE;
  gtk_widget_queue_allocate (GTK_WIDGET (self));
}

static void
set_adjustment (InterpColumn *self, GtkAdjustment **place, GtkAdjustment *adjustment)
{
  if (*place == adjustment && adjustment)
    return;
  if (*place)
    {
      g_signal_handlers_disconnect_by_data (*place, self);
      g_clear_object (place);
    }
  if (!adjustment)
    adjustment = gtk_adjustment_new (0, 0, 0, 0, 0, 0);
  *place = g_object_ref_sink (adjustment);
  if (place == &self->vadjustment)
    g_signal_connect_object (adjustment, "value-changed", G_CALLBACK (on_value_changed), self, G_CONNECT_SWAPPED);
  gtk_widget_queue_allocate (GTK_WIDGET (self));
}

/* ---- focus: one Tab stop ---- */

static GtkWidget *
child_with (InterpColumn *self, GtkWidget *widget)
{
  while (widget && gtk_widget_get_parent (widget) != GTK_WIDGET (self))
    widget = gtk_widget_get_parent (widget);
  return widget;
}

static gboolean
take_focus (InterpColumn *self)
{
  GtkWidget *target = self->current;

  if (!target || !gtk_widget_get_mapped (target) || !gtk_widget_get_focusable (target))
    for (target = gtk_widget_get_last_child (GTK_WIDGET (self)); target; target = gtk_widget_get_prev_sibling (target))
      if (gtk_widget_get_mapped (target) && gtk_widget_get_focusable (target))
        break;
  if (!target || !gtk_widget_grab_focus (target))
    return FALSE;
  interp_column_reveal (self, target);
  return TRUE;
}

static gboolean
interp_column_focus (GtkWidget *widget, GtkDirectionType direction)
{
  InterpColumn *self = INTERP_COLUMN (widget);
  GtkRoot *root = gtk_widget_get_root (widget);
  GtkWidget *focus = root ? gtk_root_get_focus (root) : NULL;
  GtkWidget *child;

  if (direction != GTK_DIR_TAB_FORWARD && direction != GTK_DIR_TAB_BACKWARD)
    return FALSE;
  child = focus && gtk_widget_is_ancestor (focus, widget) ? child_with (self, focus) : NULL;
  if (!child)
    return take_focus (self);
  if (focus == child)
    return FALSE;
  /* Inside an item Tab goes through its controls, and then out. */
  if (gtk_widget_child_focus (child, direction))
    return TRUE;
  return direction == GTK_DIR_TAB_BACKWARD && gtk_widget_grab_focus (child);
}

static gboolean
interp_column_grab_focus (GtkWidget *widget)
{
  return take_focus (INTERP_COLUMN (widget));
}

static void
interp_column_set_focus_child (GtkWidget *widget, GtkWidget *child)
{
  InterpColumn *self = INTERP_COLUMN (widget);

  GTK_WIDGET_CLASS (interp_column_parent_class)->set_focus_child (widget, child);
  if (child)
    g_set_weak_pointer (&self->current, child);
}

/* ---- public ---- */

GtkWidget *
interp_column_get_current (InterpColumn *self)
{
  g_return_val_if_fail (INTERP_IS_COLUMN (self), NULL);

  return self->current;
}

void
interp_column_set_current (InterpColumn *self, GtkWidget *child)
{
  g_return_if_fail (INTERP_IS_COLUMN (self));

  g_set_weak_pointer (&self->current, child);
}

gboolean
interp_column_is_following (InterpColumn *self)
{
  g_return_val_if_fail (INTERP_IS_COLUMN (self), FALSE);

  return self->following;
}

void
interp_column_follow (InterpColumn *self, gboolean follow)
{
  g_return_if_fail (INTERP_IS_COLUMN (self));

  g_clear_weak_pointer (&self->stop);
  set_following (self, follow);
  gtk_widget_queue_allocate (GTK_WIDGET (self));
}

void
interp_column_set_stop (InterpColumn *self, GtkWidget *child)
{
  g_return_if_fail (INTERP_IS_COLUMN (self));

  g_set_weak_pointer (&self->stop, child);
}

void
interp_column_reveal (InterpColumn *self, GtkWidget *widget)
{
  g_return_if_fail (INTERP_IS_COLUMN (self));
  g_return_if_fail (GTK_IS_WIDGET (widget));

  g_set_weak_pointer (&self->reveal, widget);
  gtk_widget_queue_allocate (GTK_WIDGET (self));
}

void
interp_column_set_max_width (InterpColumn *self, int max_width)
{
  g_return_if_fail (INTERP_IS_COLUMN (self));

  if (self->max_width == max_width)
    return;
  self->max_width = max_width;
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

void
interp_column_insert (InterpColumn *self, GtkWidget *child, GtkWidget *before)
{
  g_return_if_fail (INTERP_IS_COLUMN (self));
  g_return_if_fail (GTK_IS_WIDGET (child));

  gtk_widget_insert_before (child, GTK_WIDGET (self), before);
}

int
interp_column_measure_child (InterpColumn *self, GtkWidget *child)
{
  int width, unused, height;

  g_return_val_if_fail (INTERP_IS_COLUMN (self), 0);
  g_return_val_if_fail (gtk_widget_get_parent (child) == GTK_WIDGET (self), 0);

  width = gtk_widget_get_width (GTK_WIDGET (self));
  measure_child (child, width > 0 ? child_width (self, width) : self->max_width, &unused, &height);
  return height + SPACING;
}

void
interp_column_remove (InterpColumn *self, GtkWidget *child)
{
  GtkWidget *heir = NULL;
  double top, unused;

  g_return_if_fail (INTERP_IS_COLUMN (self));
  g_return_if_fail (gtk_widget_get_parent (child) == GTK_WIDGET (self));

  /* What is being read goes: the next one takes its place. */
  if (self->anchor && (self->anchor == child || gtk_widget_is_ancestor (self->anchor, child)))
    {
      heir = gtk_widget_get_next_sibling (child);
      if (heir && top_of (self, heir, &top, &unused))
        set_anchor (self, heir, top);
      else
        set_anchor (self, NULL, 0);
    }
  gtk_widget_unparent (child);
}

void
interp_column_clear (InterpColumn *self)
{
  GtkWidget *child;

  g_return_if_fail (INTERP_IS_COLUMN (self));

  set_anchor (self, NULL, 0);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self))))
    gtk_widget_unparent (child);
}

GtkWidget *
interp_column_new (void)
{
  return g_object_new (INTERP_TYPE_COLUMN, NULL);
}

/* ---- life ---- */

static void
interp_column_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  InterpColumn *self = INTERP_COLUMN (object);

  switch (id)
    {
    case PROP_FOLLOWING:
      g_value_set_boolean (value, self->following);
      break;
    case PROP_HADJUSTMENT:
      g_value_set_object (value, self->hadjustment);
      break;
    case PROP_VADJUSTMENT:
      g_value_set_object (value, self->vadjustment);
      break;
    case PROP_HSCROLL_POLICY:
    case PROP_VSCROLL_POLICY:
      g_value_set_enum (value, GTK_SCROLL_NATURAL);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
interp_column_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  InterpColumn *self = INTERP_COLUMN (object);

  switch (id)
    {
    case PROP_HADJUSTMENT:
      set_adjustment (self, &self->hadjustment, g_value_get_object (value));
      break;
    case PROP_VADJUSTMENT:
      set_adjustment (self, &self->vadjustment, g_value_get_object (value));
      break;
    case PROP_HSCROLL_POLICY:
    case PROP_VSCROLL_POLICY:
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
interp_column_dispose (GObject *object)
{
  InterpColumn *self = INTERP_COLUMN (object);

  g_clear_weak_pointer (&self->stop);
  g_clear_weak_pointer (&self->reveal);
  g_clear_weak_pointer (&self->current);
  interp_column_clear (self);
  if (self->vadjustment)
    g_signal_handlers_disconnect_by_data (self->vadjustment, self);
  g_clear_object (&self->vadjustment);
  g_clear_object (&self->hadjustment);
  G_OBJECT_CLASS (interp_column_parent_class)->dispose (object);
}

static void
interp_column_class_init (InterpColumnClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->get_property = interp_column_get_property;
  object_class->set_property = interp_column_set_property;
  object_class->dispose = interp_column_dispose;
  widget_class->measure = interp_column_measure;
  widget_class->get_request_mode = interp_column_get_request_mode;
  widget_class->size_allocate = interp_column_size_allocate;
  widget_class->snapshot = interp_column_snapshot;
  widget_class->focus = interp_column_focus;
  widget_class->grab_focus = interp_column_grab_focus;
  widget_class->set_focus_child = interp_column_set_focus_child;

  properties[PROP_FOLLOWING]
      = g_param_spec_boolean ("following", NULL, NULL, TRUE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  g_object_class_override_property (object_class, PROP_HADJUSTMENT, "hadjustment");
  g_object_class_override_property (object_class, PROP_VADJUSTMENT, "vadjustment");
  g_object_class_override_property (object_class, PROP_HSCROLL_POLICY, "hscroll-policy");
  g_object_class_override_property (object_class, PROP_VSCROLL_POLICY, "vscroll-policy");

  signals[NEAR_TOP]
      = g_signal_new ("near-top", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);

  gtk_widget_class_set_css_name (widget_class, "column");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_LOG);
}

static void
interp_column_init (InterpColumn *self)
{
  self->following = TRUE;
  self->max_width = 860;
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
}
