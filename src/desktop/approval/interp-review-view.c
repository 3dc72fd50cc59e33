/* interp-review-view.c
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "approval/interp-review-view.h"
#include "base/interp-text.h"

struct _InterpReviewView
{
  GtkSourceView parent_instance;

  char *code; /* as set; what runs unless edited */
  gboolean editing;
  gboolean setting;

  int seen_until; /* characters of the buffer seen without a gap from its start */
  gboolean seen;
  guint check;
  GtkAdjustment *adjustment;
};

G_DEFINE_FINAL_TYPE (InterpReviewView, interp_review_view, GTK_SOURCE_TYPE_VIEW)

enum
{
  PROP_0,
  PROP_SEEN,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

static GtkTextBuffer *
get_buffer (InterpReviewView *self)
{
  return gtk_text_view_get_buffer (GTK_TEXT_VIEW (self));
}

static void
set_seen (InterpReviewView *self, gboolean seen)
{
  if (self->seen == seen)
    return;
  self->seen = seen;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SEEN]);
}

/* ---- what is on screen ---- */

/* Characters from *start to *end are wholly on screen. */
static gboolean
get_visible_range (InterpReviewView *self, int *start, int *end)
{
  GtkTextView *view = GTK_TEXT_VIEW (self);
  GtkTextBuffer *buffer = get_buffer (self);
  GdkRectangle visible, line;
  GtkTextIter first, last;

  gtk_text_view_get_visible_rect (view, &visible);
  if (!gtk_widget_get_mapped (GTK_WIDGET (self)) || visible.height <= 1 || visible.width <= 1)
    return FALSE;

  gtk_text_view_get_iter_at_location (view, &first, visible.x, visible.y);
  gtk_text_view_backward_display_line_start (view, &first);
  gtk_text_view_get_iter_location (view, &first, &line);
  if (line.y < visible.y) /* the top row is cut */
    gtk_text_view_forward_display_line (view, &first);

  gtk_text_view_get_iter_at_location (view, &last, visible.x, visible.y + visible.height - 1);
  gtk_text_view_backward_display_line_start (view, &last);
  gtk_text_view_get_iter_location (view, &last, &line);
  if (line.y + line.height <= visible.y + visible.height + 1)
    {
      /* The bottom row is whole: its end counts. */
      if (!gtk_text_view_forward_display_line (view, &last))
        gtk_text_buffer_get_end_iter (buffer, &last);
    }

  *start = gtk_text_iter_get_offset (&first);
  *end = gtk_text_iter_get_offset (&last);
  return *end > *start || gtk_text_buffer_get_char_count (buffer) == 0;
}

static gboolean
check_seen (GtkWidget *widget, GdkFrameClock *clock, gpointer user_data)
{
  InterpReviewView *self = INTERP_REVIEW_VIEW (widget);
  int start, end;

  self->check = 0;
  if (get_visible_range (self, &start, &end) && start <= self->seen_until)
    self->seen_until = MAX (self->seen_until, end);
  set_seen (self, gtk_widget_get_mapped (widget)
                      && self->seen_until >= gtk_text_buffer_get_char_count (get_buffer (self)));
  return G_SOURCE_REMOVE;
}

/* Rows have their places only after the layout of the next frame. */
static void
queue_check (InterpReviewView *self)
{
  if (self->check == 0)
    self->check = gtk_widget_add_tick_callback (GTK_WIDGET (self), check_seen, NULL, NULL);
}

static void
on_adjustment_changed (InterpReviewView *self)
{
  queue_check (self);
}

static void
on_adjustment_replaced (InterpReviewView *self)
{
  if (self->adjustment != NULL)
    g_signal_handlers_disconnect_by_func (self->adjustment, on_adjustment_changed, self);
  g_set_object (&self->adjustment, gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (self)));
  if (self->adjustment != NULL)
    {
      g_signal_connect_object (self->adjustment, "value-changed", G_CALLBACK (on_adjustment_changed), self,
                               G_CONNECT_SWAPPED);
      g_signal_connect_object (self->adjustment, "changed", G_CALLBACK (on_adjustment_changed), self, G_CONNECT_SWAPPED);
    }
  queue_check (self);
}

static void
on_insert_text (InterpReviewView *self, GtkTextIter *location, const char *text, int length)
{
  if (self->setting)
    return;
  /* What is inserted is new: it counts when it is on screen. */
  self->seen_until = MIN (self->seen_until, gtk_text_iter_get_offset (location));
}

static void
on_delete_range (InterpReviewView *self, GtkTextIter *start, GtkTextIter *end)
{
  int from = gtk_text_iter_get_offset (start);
  int to = gtk_text_iter_get_offset (end);

  if (self->setting)
    return;
  if (self->seen_until >= to)
    self->seen_until -= to - from;
  else
    self->seen_until = MIN (self->seen_until, from);
}

static void
on_buffer_changed (InterpReviewView *self)
{
  if (self->setting)
    return;
  set_seen (self, FALSE);
  queue_check (self);
}

void
interp_review_view_show_rest (InterpReviewView *self)
{
  g_return_if_fail (INTERP_IS_REVIEW_VIEW (self));

  GtkTextIter iter;
  GtkTextMark *mark;

  gtk_text_buffer_get_iter_at_offset (get_buffer (self), &iter, self->seen_until);
  gtk_text_view_backward_display_line_start (GTK_TEXT_VIEW (self), &iter);
  mark = gtk_text_buffer_create_mark (get_buffer (self), NULL, &iter, TRUE);
  gtk_text_view_scroll_to_mark (GTK_TEXT_VIEW (self), mark, 0, TRUE, 0, 0);
  gtk_text_buffer_delete_mark (get_buffer (self), mark);
  queue_check (self);
}

gboolean
interp_review_view_get_seen (InterpReviewView *self)
{
  g_return_val_if_fail (INTERP_IS_REVIEW_VIEW (self), FALSE);

  return self->seen;
}

/* ---- the text ---- */

static void
mark_invisible (InterpReviewView *self)
{
  GtkTextBuffer *buffer = get_buffer (self);
  GtkTextIter from, start, end;

  gtk_text_buffer_get_start_iter (buffer, &from);
  while (gtk_text_iter_forward_search (&from, "⟨U+", GTK_TEXT_SEARCH_TEXT_ONLY, &start, &end, NULL))
    {
      GtkTextIter close = end;

      if (gtk_text_iter_forward_search (&end, "⟩", GTK_TEXT_SEARCH_TEXT_ONLY, NULL, &close, NULL))
        gtk_text_buffer_apply_tag_by_name (buffer, "invisible", &start, &close);
      from = close;
    }
}

static void
set_text (InterpReviewView *self, const char *text)
{
  GtkTextBuffer *buffer = get_buffer (self);
  GtkTextIter start;

  self->setting = TRUE;
  gtk_text_buffer_begin_irreversible_action (buffer);
  gtk_text_buffer_set_text (buffer, text, -1);
  gtk_text_buffer_end_irreversible_action (buffer);
  gtk_text_buffer_get_start_iter (buffer, &start);
  gtk_text_buffer_place_cursor (buffer, &start);
  self->setting = FALSE;
}

void
interp_review_view_set_code (InterpReviewView *self, const char *code, const char *highlight)
{
  g_return_if_fail (INTERP_IS_REVIEW_VIEW (self));
  g_return_if_fail (code != NULL);

  GtkSourceLanguage *language
      = highlight ? gtk_source_language_manager_get_language (gtk_source_language_manager_get_default (), highlight) : NULL;
  g_autofree char *visible = interp_text_make_visible (code);

  g_set_str (&self->code, code);
  self->editing = FALSE;
  gtk_text_view_set_editable (GTK_TEXT_VIEW (self), FALSE);
  gtk_source_buffer_set_language (GTK_SOURCE_BUFFER (get_buffer (self)), language);
  set_text (self, visible);
  mark_invisible (self);
  self->seen_until = 0;
  set_seen (self, FALSE);
  queue_check (self);
}

char *
interp_review_view_dup_code (InterpReviewView *self)
{
  g_return_val_if_fail (INTERP_IS_REVIEW_VIEW (self), NULL);

  GtkTextIter start, end;

  if (!self->editing)
    return g_strdup (self->code);
  gtk_text_buffer_get_bounds (get_buffer (self), &start, &end);
  return gtk_text_buffer_get_slice (get_buffer (self), &start, &end, TRUE);
}

void
interp_review_view_begin_edit (InterpReviewView *self)
{
  g_return_if_fail (INTERP_IS_REVIEW_VIEW (self));

  if (self->editing)
    return;
  /* The editor holds the text itself; invisible characters are taken out of what the user now answers for. */
  if (interp_text_has_invisible (self->code))
    {
      self->seen_until = 0;
      set_seen (self, FALSE);
    }
  set_text (self, self->code);
  self->editing = TRUE;
  gtk_text_view_set_editable (GTK_TEXT_VIEW (self), TRUE);
  gtk_text_view_set_cursor_visible (GTK_TEXT_VIEW (self), TRUE);
  gtk_widget_grab_focus (GTK_WIDGET (self));
  queue_check (self);
}

gboolean
interp_review_view_is_editing (InterpReviewView *self)
{
  g_return_val_if_fail (INTERP_IS_REVIEW_VIEW (self), FALSE);

  return self->editing;
}

static void
update_scheme (InterpReviewView *self)
{
  const char *name = adw_style_manager_get_dark (adw_style_manager_get_default ()) ? "Adwaita-dark" : "Adwaita";

  gtk_source_buffer_set_style_scheme (
      GTK_SOURCE_BUFFER (get_buffer (self)),
      gtk_source_style_scheme_manager_get_scheme (gtk_source_style_scheme_manager_get_default (), name));
}

static void
interp_review_view_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  GTK_WIDGET_CLASS (interp_review_view_parent_class)->size_allocate (widget, width, height, baseline);
  queue_check (INTERP_REVIEW_VIEW (widget));
}

static void
interp_review_view_map (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (interp_review_view_parent_class)->map (widget);
  queue_check (INTERP_REVIEW_VIEW (widget));
}

static void
interp_review_view_get_property (GObject *object, guint prop_id, GValue *value, GParamSpec *pspec)
{
  InterpReviewView *self = INTERP_REVIEW_VIEW (object);

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
interp_review_view_dispose (GObject *object)
{
  InterpReviewView *self = INTERP_REVIEW_VIEW (object);

  if (self->adjustment != NULL)
    g_signal_handlers_disconnect_by_func (self->adjustment, on_adjustment_changed, self);
  g_clear_object (&self->adjustment);

  G_OBJECT_CLASS (interp_review_view_parent_class)->dispose (object);
}

static void
interp_review_view_finalize (GObject *object)
{
  g_free (INTERP_REVIEW_VIEW (object)->code);
  G_OBJECT_CLASS (interp_review_view_parent_class)->finalize (object);
}

static void
interp_review_view_class_init (InterpReviewViewClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->get_property = interp_review_view_get_property;
  object_class->dispose = interp_review_view_dispose;
  object_class->finalize = interp_review_view_finalize;
  widget_class->size_allocate = interp_review_view_size_allocate;
  widget_class->map = interp_review_view_map;

  properties[PROP_SEEN]
      = g_param_spec_boolean ("seen", NULL, NULL, FALSE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
interp_review_view_init (InterpReviewView *self)
{
  GtkTextView *view = GTK_TEXT_VIEW (self);
  g_autoptr (GtkSourceBuffer) buffer = gtk_source_buffer_new (NULL);

  self->code = g_strdup ("");
  gtk_text_view_set_buffer (view, GTK_TEXT_BUFFER (buffer));
  gtk_text_view_set_monospace (view, TRUE);
  gtk_text_view_set_editable (view, FALSE);
  gtk_text_view_set_accepts_tab (view, FALSE);
  gtk_text_view_set_wrap_mode (view, GTK_WRAP_CHAR);
  gtk_text_view_set_top_margin (view, 6);
  gtk_text_view_set_bottom_margin (view, 6);
  gtk_text_view_set_left_margin (view, 6);
  gtk_text_view_set_right_margin (view, 6);
  gtk_source_view_set_show_line_numbers (GTK_SOURCE_VIEW (self), TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, _("Code"), -1);

  gtk_text_buffer_create_tag (GTK_TEXT_BUFFER (buffer), "invisible", "background", "#e5a50a", "foreground", "#000000",
                              "weight", PANGO_WEIGHT_BOLD, NULL);

  g_signal_connect_object (buffer, "insert-text", G_CALLBACK (on_insert_text), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (buffer, "delete-range", G_CALLBACK (on_delete_range), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (buffer, "changed", G_CALLBACK (on_buffer_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self, "notify::vadjustment", G_CALLBACK (on_adjustment_replaced), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (adw_style_manager_get_default (), "notify::dark", G_CALLBACK (update_scheme), self,
                           G_CONNECT_SWAPPED);
  update_scheme (self);
  on_adjustment_replaced (self);
}

GtkWidget *
interp_review_view_new (void)
{
  return g_object_new (INTERP_TYPE_REVIEW_VIEW, NULL);
}
