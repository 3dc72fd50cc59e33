/* interp-seen-tracker.c
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "approval/interp-seen-tracker.h"

struct _InterpSeenTracker
{
  GObject parent_instance;

  GtkTextView *view; /* weak */
  GtkTextBuffer *buffer;
  GtkAdjustment *adjustment;
  int seen_until; /* characters seen without a gap from the start */
  gboolean seen;
  guint tick;
};

G_DEFINE_FINAL_TYPE (InterpSeenTracker, interp_seen_tracker, G_TYPE_OBJECT)

enum
{
  PROP_0,
  PROP_SEEN,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

static void
set_seen (InterpSeenTracker *self, gboolean seen)
{
  if (self->seen == seen)
    return;
  self->seen = seen;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SEEN]);
}

/* Characters from *start to *end are wholly on screen. */
static gboolean
get_visible_range (InterpSeenTracker *self, int *start, int *end)
{
  GdkRectangle visible, row;
  GtkTextIter first, last;

  gtk_text_view_get_visible_rect (self->view, &visible);
  if (!gtk_widget_get_mapped (GTK_WIDGET (self->view)) || visible.height <= 1 || visible.width <= 1)
    return FALSE;

  gtk_text_view_get_iter_at_location (self->view, &first, visible.x, visible.y);
  gtk_text_view_backward_display_line_start (self->view, &first);
  gtk_text_view_get_iter_location (self->view, &first, &row);
  if (row.y < visible.y) /* the top row is cut */
    gtk_text_view_forward_display_line (self->view, &first);

  gtk_text_view_get_iter_at_location (self->view, &last, visible.x, visible.y + visible.height - 1);
  gtk_text_view_backward_display_line_start (self->view, &last);
  gtk_text_view_get_iter_location (self->view, &last, &row);
  /* When the bottom row is whole, its end counts. */
  if (row.y + row.height <= visible.y + visible.height + 1 && !gtk_text_view_forward_display_line (self->view, &last))
    gtk_text_buffer_get_end_iter (self->buffer, &last);

  *start = gtk_text_iter_get_offset (&first);
  *end = gtk_text_iter_get_offset (&last);
  return TRUE;
}

static gboolean
on_tick (GtkWidget *widget, GdkFrameClock *clock, gpointer user_data)
{
  InterpSeenTracker *self = user_data;
  int start, end;

  self->tick = 0;
  if (get_visible_range (self, &start, &end) && start <= self->seen_until)
    self->seen_until = MAX (self->seen_until, end);
  set_seen (self, gtk_widget_get_mapped (widget) && self->seen_until >= gtk_text_buffer_get_char_count (self->buffer));
  return G_SOURCE_REMOVE;
}

/* Rows have their places only after the layout of a frame: looked at in the next. */
static void
queue_look (InterpSeenTracker *self)
{
  if (self->tick == 0 && self->view != NULL)
    self->tick = gtk_widget_add_tick_callback (GTK_WIDGET (self->view), on_tick, self, NULL);
}

static void
on_adjustment_replaced (InterpSeenTracker *self)
{
  if (self->adjustment != NULL)
    g_signal_handlers_disconnect_by_func (self->adjustment, queue_look, self);
  g_set_object (&self->adjustment, gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (self->view)));
  if (self->adjustment != NULL)
    {
      g_signal_connect_object (self->adjustment, "value-changed", G_CALLBACK (queue_look), self, G_CONNECT_SWAPPED);
      g_signal_connect_object (self->adjustment, "changed", G_CALLBACK (queue_look), self, G_CONNECT_SWAPPED);
    }
  queue_look (self);
}

static void
on_insert_text (InterpSeenTracker *self, GtkTextIter *location, const char *text, int length)
{
  self->seen_until = MIN (self->seen_until, gtk_text_iter_get_offset (location));
}

static void
on_delete_range (InterpSeenTracker *self, GtkTextIter *start, GtkTextIter *end)
{
  int from = gtk_text_iter_get_offset (start);
  int to = gtk_text_iter_get_offset (end);

  if (self->seen_until >= to)
    self->seen_until -= to - from;
  else
    self->seen_until = MIN (self->seen_until, from);
}

static void
on_changed (InterpSeenTracker *self)
{
  set_seen (self, FALSE);
  queue_look (self);
}

void
interp_seen_tracker_show_rest (InterpSeenTracker *self)
{
  g_return_if_fail (INTERP_IS_SEEN_TRACKER (self));

  GtkTextIter iter;
  GtkTextMark *mark;

  gtk_text_buffer_get_iter_at_offset (self->buffer, &iter, self->seen_until);
  gtk_text_view_backward_display_line_start (self->view, &iter);
  mark = gtk_text_buffer_create_mark (self->buffer, NULL, &iter, TRUE);
  gtk_text_view_scroll_to_mark (self->view, mark, 0, TRUE, 0, 0);
  gtk_text_buffer_delete_mark (self->buffer, mark);
  queue_look (self);
}

gboolean
interp_seen_tracker_get_seen (InterpSeenTracker *self)
{
  g_return_val_if_fail (INTERP_IS_SEEN_TRACKER (self), FALSE);

  return self->seen;
}

static void
interp_seen_tracker_get_property (GObject *object, guint prop_id, GValue *value, GParamSpec *pspec)
{
  InterpSeenTracker *self = INTERP_SEEN_TRACKER (object);

  switch (prop_id)
    {
    case PROP_SEEN:
      g_value_set_boolean (value, self->seen);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
interp_seen_tracker_dispose (GObject *object)
{
  InterpSeenTracker *self = INTERP_SEEN_TRACKER (object);

  if (self->view != NULL && self->tick != 0)
    gtk_widget_remove_tick_callback (GTK_WIDGET (self->view), self->tick);
  self->tick = 0;
  g_clear_weak_pointer (&self->view);
  g_clear_object (&self->buffer);
  g_clear_object (&self->adjustment);

  G_OBJECT_CLASS (interp_seen_tracker_parent_class)->dispose (object);
}

static void
interp_seen_tracker_class_init (InterpSeenTrackerClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->get_property = interp_seen_tracker_get_property;
  object_class->dispose = interp_seen_tracker_dispose;

  properties[PROP_SEEN] = g_param_spec_boolean ("seen", NULL, NULL, FALSE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
interp_seen_tracker_init (InterpSeenTracker *self)
{
}

InterpSeenTracker *
interp_seen_tracker_new (GtkTextView *view)
{
  InterpSeenTracker *self = g_object_new (INTERP_TYPE_SEEN_TRACKER, NULL);

  g_set_weak_pointer (&self->view, view);
  self->buffer = g_object_ref (gtk_text_view_get_buffer (view));
  g_signal_connect_object (self->buffer, "insert-text", G_CALLBACK (on_insert_text), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->buffer, "delete-range", G_CALLBACK (on_delete_range), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->buffer, "changed", G_CALLBACK (on_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (view, "map", G_CALLBACK (queue_look), self, G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  g_signal_connect_object (view, "notify::vadjustment", G_CALLBACK (on_adjustment_replaced), self, G_CONNECT_SWAPPED);
  on_adjustment_replaced (self);
  return self;
}
