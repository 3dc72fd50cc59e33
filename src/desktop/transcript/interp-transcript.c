/* interp-transcript.c: what was said and done in a chat
 *
 * Of a long chat only a window of items has widgets: the newest, and more as the view nears their top. What fills the
 * view is made at once, the rest in steps between frames.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "transcript/interp-transcript.h"

#include <glib/gi18n.h>

#include "base/interp-clock.h"
#include "base/interp-fiber.h"
#include "base/interp-text.h"
#include "transcript/interp-column.h"
#include "transcript/interp-item-view.h"
#include "transcript/interp-transcript-search.h"

#define FIRST_ITEMS 60   /* shown when a chat is opened */
#define MORE_ITEMS 20    /* added when the view nears the top */
#define TRIM_ABOVE 160   /* so many widgets, and the bottom followed: the oldest go … */
#define TRIM_TO 100      /* … down to this */
#define COLUMN_WIDTH 860 /* sp */
#define USUAL_HEIGHT 800 /* of a window that has no size yet */
#define JUST_NOW 10000   /* ms */
#define STEP_TIME 4000   /* µs; layout and drawing take as much again */

struct _InterpTranscript
{
  AdwBin parent_instance;

  InterpColumn *column;
  GtkRevealer *jump_revealer;
  GtkButton *jump_button;
  InterpTranscriptSearch *search;
  GtkWidget *status_row; /* the column's last child */
  GtkLabel *status_label;

  InterpSettings *settings;
  InterpSession *session;
  GListModel *items;
  guint first; /* index of the first item with a widget */
  guint n_new; /* items since the bottom is not followed */
  guint more_source;
  guint n_pending; /* items before the first that are to have widgets too */
  guint fill_source;
  guint fill_tick;
  gboolean loading_earlier;
  gint64 wanted_item; /* to be shown once loaded */
};

enum
{
  PROP_0,
  PROP_SESSION,
  N_PROPS,
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (InterpTranscript, interp_transcript, ADW_TYPE_BIN)

/* ---- views of items ---- */

static guint
count_views (InterpTranscript *self)
{
  return self->items ? g_list_model_get_n_items (self->items) - self->first : 0;
}

static GtkWidget *
view_at (InterpTranscript *self, guint index)
{
  GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (self->column));

  for (guint i = self->first; child && i < index; i++)
    child = gtk_widget_get_next_sibling (child);
  return child;
}

static void
announce (InterpTranscript *self, const char *text, gboolean urgent)
{
  if (gtk_widget_get_mapped (GTK_WIDGET (self)))
    gtk_accessible_announce (GTK_ACCESSIBLE (self), text,
                             urgent ? GTK_ACCESSIBLE_ANNOUNCEMENT_PRIORITY_HIGH
                                    : GTK_ACCESSIBLE_ANNOUNCEMENT_PRIORITY_MEDIUM);
}

/* Said once, when it is whole: never token by token. */
static void
on_item_state (InterpTranscript *self, GParamSpec *pspec, InterpItem *item)
{
  if (interp_item_get_state (item) == INTERP_ITEM_OPEN || interp_item_get_state (item) == INTERP_ITEM_QUEUED)
    return;
  g_signal_handlers_disconnect_by_func (item, on_item_state, self);
  if (interp_item_get_kind (item) == INTERP_ITEM_ASSISTANT && interp_item_get_text (item))
    {
      g_autofree char *summary = interp_text_summary (interp_item_get_text (item), 300);

      announce (self, summary, FALSE);
    }
  else if (interp_item_get_kind (item) == INTERP_ITEM_USER)
    interp_transcript_jump_to_latest (self);
}

static void
on_cell_state (InterpTranscript *self, GParamSpec *pspec, InterpCell *cell)
{
  if (interp_cell_get_cell_state (cell) == INTERP_CELL_WAITING)
    {
      /* Translators: %s is a language, "Python" */
      g_autofree char *text = g_strdup_printf (_ ("Interpreter asks: run %s code?"), interp_cell_get_language (cell));

      announce (self, text, TRUE);
    }
}

static void
watch_new_item (InterpTranscript *self, InterpItem *item, GtkWidget *view)
{
  InterpItemKind kind = interp_item_get_kind (item);
  InterpItemState state = interp_item_get_state (item);

  if (kind == INTERP_ITEM_CELL)
    {
      g_signal_connect_object (item, "notify::cell-state", G_CALLBACK (on_cell_state), self, G_CONNECT_SWAPPED);
      on_cell_state (self, NULL, INTERP_CELL (item));
    }
  else if (kind == INTERP_ITEM_NOTICE || kind == INTERP_ITEM_ERROR)
    announce (self, interp_item_get_text (item), FALSE);
  else if (state == INTERP_ITEM_OPEN || state == INTERP_ITEM_QUEUED)
    g_signal_connect_object (item, "notify::state", G_CALLBACK (on_item_state), self, G_CONNECT_SWAPPED);

  if (kind == INTERP_ITEM_USER && state != INTERP_ITEM_QUEUED
      && interp_clock_now () - interp_item_get_created (item) < JUST_NOW)
    {
      /* One's own message is always shown; one that another branch brought back moves nothing. */
      interp_column_follow (self->column, TRUE);
      if (self->settings && !interp_settings_get_boolean (self->settings, "follow-answers"))
        interp_column_set_stop (self->column, view);
    }
  else if (!interp_column_is_following (self->column))
    self->n_new++;
}

static GtkWidget *
add_view (InterpTranscript *self, guint index, GtkWidget *before)
{
  g_autoptr (InterpItem) item = g_list_model_get_item (self->items, index);
  GtkWidget *view = interp_item_view_new (self->session, item);

  interp_column_insert (self->column, view, before);
  return view;
}

static GtkWidget *
add_view_above (InterpTranscript *self)
{
  self->first--;
  if (self->n_pending > 0)
    self->n_pending--;
  return add_view (self, self->first, gtk_widget_get_first_child (GTK_WIDGET (self->column)));
}

static void
show_more (InterpTranscript *self, guint n)
{
  for (n = MIN (n, self->first); n > 0; n--)
    add_view_above (self);
}

static void queue_fill (InterpTranscript *self);

static gboolean
on_fill_tick (GtkWidget *widget, GdkFrameClock *clock, gpointer user_data)
{
  InterpTranscript *self = user_data;

  self->fill_tick = 0;
  queue_fill (self);
  return G_SOURCE_REMOVE;
}

static gboolean
on_fill (gpointer user_data)
{
  InterpTranscript *self = user_data;
  gint64 end = g_get_monotonic_time () + STEP_TIME;

  self->fill_source = 0;
  while (self->n_pending > 0)
    {
      add_view_above (self);
      if (g_get_monotonic_time () >= end)
        break;
    }
  /* The next step waits for the frame that lays this one out, or that frame would have all steps to lay out. */
  if (self->n_pending > 0 && gtk_widget_get_mapped (GTK_WIDGET (self)))
    self->fill_tick = gtk_widget_add_tick_callback (GTK_WIDGET (self), on_fill_tick, self, NULL);
  else
    queue_fill (self);
  return G_SOURCE_REMOVE;
}

static void
queue_fill (InterpTranscript *self)
{
  if (self->n_pending > 0 && self->fill_source == 0 && self->fill_tick == 0)
    self->fill_source = g_idle_add (on_fill, self);
}

static void
stop_filling (InterpTranscript *self)
{
  self->n_pending = 0;
  g_clear_handle_id (&self->fill_source, g_source_remove);
  if (self->fill_tick != 0)
    gtk_widget_remove_tick_callback (GTK_WIDGET (self), self->fill_tick);
  self->fill_tick = 0;
}

/* The newest items of a transcript that shows none yet: what the window has room for at once. */
static void
show_newest (InterpTranscript *self)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  int room = root ? gtk_widget_get_height (GTK_WIDGET (root)) : 0;

  if (room == 0)
    room = USUAL_HEIGHT;
  self->first = g_list_model_get_n_items (self->items);
  self->n_pending = MIN (self->first, FIRST_ITEMS);
  for (int taken = 0; self->n_pending > 0 && taken < room;)
    taken += interp_column_measure_child (self->column, add_view_above (self));
  queue_fill (self);
}

static void
trim (InterpTranscript *self)
{
  guint n = count_views (self);

  if (n <= TRIM_ABOVE || !interp_column_is_following (self->column))
    return;
  stop_filling (self);
  for (; n > TRIM_TO; n--)
    {
      interp_column_remove (self->column, gtk_widget_get_first_child (GTK_WIDGET (self->column)));
      self->first++;
    }
}

static void update_jump (InterpTranscript *self);

static void
on_items_changed (InterpTranscript *self, guint position, guint removed, guint added, GListModel *items)
{
  guint n = g_list_model_get_n_items (items);
  guint before = n - added + removed;
  guint n_views = before - self->first;
  guint shown; /* index of the first that has a widget or is to have one */
  GtkWidget *next;

  /* Removed: those without widgets first. */
  for (guint i = 0; i < removed; i++)
    {
      if (position < self->first)
        {
          if (position >= self->first - self->n_pending)
            self->n_pending--;
          self->first--;
        }
      else
        {
          GtkWidget *view = view_at (self, position);

          if (view)
            interp_column_remove (self->column, view);
          n_views--;
        }
    }

  shown = self->first - self->n_pending;
  if (added > 0
      && (position < shown || (position == shown && position == 0 && n_views + self->n_pending > 0 && removed == 0)))
    {
      /* Earlier items were loaded. */
      self->first += added;
    }
  else if (added > 0 && n_views + self->n_pending == 0)
    {
      show_newest (self);
      if (added == 1)
        {
          g_autoptr (InterpItem) item = g_list_model_get_item (items, position);

          show_more (self, self->n_pending);
          watch_new_item (self, item, view_at (self, position));
        }
    }
  else if (added > 0)
    {
      if (position < self->first)
        {
          self->first += added;
          self->n_pending += added;
          show_more (self, self->n_pending);
        }
      else
        {
          next = view_at (self, position);
          for (guint i = position; i < position + added; i++)
            add_view (self, i, next);
        }
      for (guint i = position; i < position + added; i++)
        {
          g_autoptr (InterpItem) item = g_list_model_get_item (items, i);

          watch_new_item (self, item, view_at (self, i));
        }
      trim (self);
    }
  update_jump (self);
  interp_transcript_search_invalidate (self->search);
}

/* ---- earlier items ---- */

static DexFuture *
load_earlier_fiber (gpointer data)
{
  InterpTranscript *self = data;
  g_autoptr (InterpSession) session = g_object_ref (self->session);

  dex_await (interp_session_load_earlier (session), NULL);
  self->loading_earlier = FALSE;
  if (self->wanted_item && self->session == session)
    interp_transcript_show_item (self, self->wanted_item);
  return dex_future_new_true ();
}

static void
load_earlier (InterpTranscript *self)
{
  if (self->loading_earlier || !self->session || !interp_session_has_earlier (self->session))
    return;
  self->loading_earlier = TRUE;
  interp_fiber_run ("load earlier items", load_earlier_fiber, g_object_ref (self), g_object_unref);
}

static gboolean
on_more (gpointer user_data)
{
  InterpTranscript *self = user_data;

  self->more_source = 0;
  if (!self->items || self->n_pending > 0)
    return G_SOURCE_REMOVE;
  self->n_pending = MIN (MORE_ITEMS, self->first);
  queue_fill (self);
  if (self->first == 0)
    load_earlier (self);
  return G_SOURCE_REMOVE;
}

static void
on_near_top (InterpTranscript *self)
{
  if (self->more_source == 0 && self->n_pending == 0 && self->items
      && (self->first > 0 || interp_session_has_earlier (self->session)))
    self->more_source = g_idle_add (on_more, self);
}

/* ---- places ---- */

/* Makes the view when its turn has not come yet. */
static GtkWidget *
previous_view (InterpTranscript *self, GtkWidget *view)
{
  if (!gtk_widget_get_prev_sibling (view) && self->n_pending > 0)
    add_view_above (self);
  return gtk_widget_get_prev_sibling (view);
}

static void
update_jump (InterpTranscript *self)
{
  gboolean following = interp_column_is_following (self->column);

  if (following)
    self->n_new = 0;
  gtk_revealer_set_reveal_child (self->jump_revealer, !following);
  if (self->n_new > 0)
    {
      g_autofree char *label
          = g_strdup_printf (ngettext ("Jump to latest (%u new)", "Jump to latest (%u new)", self->n_new), self->n_new);

      gtk_button_set_label (self->jump_button, label);
    }
  else
    gtk_button_set_label (self->jump_button, _ ("Jump to latest"));
}

static void
on_following (InterpTranscript *self)
{
  update_jump (self);
  trim (self);
}

void
interp_transcript_jump_to_latest (InterpTranscript *self)
{
  g_return_if_fail (INTERP_IS_TRANSCRIPT (self));

  interp_column_follow (self->column, TRUE);
}

static void
jump (GtkWidget *widget, const char *action, GVariant *parameter)
{
  interp_transcript_jump_to_latest (INTERP_TRANSCRIPT (widget));
}

static void
focus_view (InterpTranscript *self, GtkWidget *view)
{
  interp_column_set_current (self->column, view);
  gtk_widget_grab_focus (view);
  interp_column_reveal (self->column, view);
}

void
interp_transcript_show_item (InterpTranscript *self, gint64 id)
{
  guint n;

  g_return_if_fail (INTERP_IS_TRANSCRIPT (self));

  self->wanted_item = id;
  n = self->items ? g_list_model_get_n_items (self->items) : 0;
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (InterpItem) item = g_list_model_get_item (self->items, i);

      if (interp_item_get_id (item) != id)
        continue;
      self->wanted_item = 0;
      if (i < self->first)
        show_more (self, self->first - i);
      interp_column_follow (self->column, FALSE);
      focus_view (self, view_at (self, i));
      return;
    }
  if (self->session && interp_session_has_earlier (self->session))
    load_earlier (self);
  else
    self->wanted_item = 0;
}

void
interp_transcript_reveal_item (InterpTranscript *self, gint64 id)
{
  g_return_if_fail (INTERP_IS_TRANSCRIPT (self));

  for (GtkWidget *view = gtk_widget_get_last_child (GTK_WIDGET (self->column)); view; view = previous_view (self, view))
    if (INTERP_IS_ITEM_VIEW (view) && interp_item_get_id (interp_item_view_get_item (INTERP_ITEM_VIEW (view))) == id)
      {
        interp_column_reveal (self->column, view);
        return;
      }
}

static GtkWidget *
next_view (InterpTranscript *self, GtkWidget *from, int step)
{
  GtkWidget *view = from;

  do
    view = step > 0 ? gtk_widget_get_next_sibling (view) : previous_view (self, view);
  while (view && (!INTERP_IS_ITEM_VIEW (view) || !gtk_widget_get_mapped (view)));
  return view;
}

static gboolean
move_to_item (InterpTranscript *self, int step)
{
  GtkWidget *current = interp_column_get_current (self->column);
  GtkWidget *view = current ? next_view (self, current, step) : NULL;

  if (!view)
    return FALSE;
  focus_view (self, view);
  return TRUE;
}

gboolean
interp_transcript_move_to_cell (InterpTranscript *self, int step)
{
  GtkWidget *view;

  g_return_val_if_fail (INTERP_IS_TRANSCRIPT (self), FALSE);

  /* From outside one comes to the newest. */
  view = gtk_widget_get_focus_child (GTK_WIDGET (self->column));
  if (!view)
    view = self->status_row;
  do
    view = next_view (self, view, step);
  while (view && interp_item_get_kind (interp_item_view_get_item (INTERP_ITEM_VIEW (view))) != INTERP_ITEM_CELL);
  if (!view)
    return FALSE;
  focus_view (self, view);
  return TRUE;
}

/* A question is what Tab should come to first. */
static void
on_question (InterpTranscript *self)
{
  InterpCell *cell = interp_session_get_question (self->session);
  GtkWidget *focus = gtk_widget_get_focus_child (GTK_WIDGET (self->column));

  if (!cell || focus)
    return;
  for (GtkWidget *view = gtk_widget_get_last_child (GTK_WIDGET (self->column)); view; view = previous_view (self, view))
    if (INTERP_IS_ITEM_VIEW (view) && interp_item_view_get_item (INTERP_ITEM_VIEW (view)) == INTERP_ITEM (cell))
      {
        interp_column_set_current (self->column, view);
        return;
      }
}

static gboolean
on_key (InterpTranscript *self, guint keyval, guint code, GdkModifierType state, GtkEventController *controller)
{
  GtkWidget *current = interp_column_get_current (self->column);
  gboolean rtl = gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL;

  if ((state & gtk_accelerator_get_default_mod_mask ()) != 0 || !current)
    return GDK_EVENT_PROPAGATE;
  switch (keyval)
    {
    case GDK_KEY_Up:
    case GDK_KEY_KP_Up:
      return move_to_item (self, -1);
    case GDK_KEY_Down:
    case GDK_KEY_KP_Down:
      return move_to_item (self, 1);
    case GDK_KEY_Right:
    case GDK_KEY_KP_Right:
      return INTERP_IS_ITEM_VIEW (current) && interp_item_view_move_inside (INTERP_ITEM_VIEW (current), rtl ? -1 : 1);
    case GDK_KEY_Left:
    case GDK_KEY_KP_Left:
      return INTERP_IS_ITEM_VIEW (current) && interp_item_view_move_inside (INTERP_ITEM_VIEW (current), rtl ? 1 : -1);
    case GDK_KEY_Home:
      {
        GtkWidget *first;

        show_more (self, self->n_pending);
        first = gtk_widget_get_first_child (GTK_WIDGET (self->column));
        if (first)
          focus_view (self, first);
        return GDK_EVENT_STOP;
      }
    case GDK_KEY_End:
      interp_transcript_jump_to_latest (self);
      if (next_view (self, self->status_row, -1))
        interp_column_set_current (self->column, next_view (self, self->status_row, -1));
      gtk_widget_grab_focus (GTK_WIDGET (self->column));
      return GDK_EVENT_STOP;
    default:
      return GDK_EVENT_PROPAGATE;
    }
}

/* ---- session ---- */

static void
update_status (InterpTranscript *self)
{
  InterpSessionState state = self->session ? interp_session_get_state (self->session) : INTERP_SESSION_IDLE;
  const char *status = self->session ? interp_session_get_status (self->session) : NULL;

  gtk_widget_set_visible (self->status_row,
                          state == INTERP_SESSION_ASKING || (status && *status && state != INTERP_SESSION_IDLE));
  gtk_label_set_label (self->status_label, status && *status ? status : _ ("Waiting for the answer"));
}

void
interp_transcript_set_session (InterpTranscript *self, InterpSession *session)
{
  GtkWidget *child;

  g_return_if_fail (INTERP_IS_TRANSCRIPT (self));
  g_return_if_fail (session == NULL || INTERP_IS_SESSION (session));

  if (self->session == session)
    return;
  if (self->session)
    {
      guint n = g_list_model_get_n_items (self->items);

      g_signal_handlers_disconnect_by_data (self->session, self);
      g_signal_handlers_disconnect_by_data (self->items, self);
      for (guint i = self->first - self->n_pending; i < n; i++)
        {
          g_autoptr (InterpItem) item = g_list_model_get_item (self->items, i);

          g_signal_handlers_disconnect_by_data (item, self);
        }
    }
  stop_filling (self);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->column))) && child != self->status_row)
    interp_column_remove (self->column, child);
  self->first = 0;
  self->n_new = 0;
  self->wanted_item = 0;
  self->loading_earlier = FALSE;
  g_set_object (&self->session, session);
  g_clear_object (&self->items);
  self->items = session ? g_object_ref (interp_session_get_items (session)) : NULL;

  if (session)
    {
      guint n = g_list_model_get_n_items (self->items);

      show_newest (self);
      for (guint i = self->first - self->n_pending; i < n; i++)
        {
          g_autoptr (InterpItem) item = g_list_model_get_item (self->items, i);

          if (interp_item_get_kind (item) == INTERP_ITEM_CELL)
            g_signal_connect_object (item, "notify::cell-state", G_CALLBACK (on_cell_state), self, G_CONNECT_SWAPPED);
          else if (interp_item_get_state (item) == INTERP_ITEM_OPEN
                   || interp_item_get_state (item) == INTERP_ITEM_QUEUED)
            g_signal_connect_object (item, "notify::state", G_CALLBACK (on_item_state), self, G_CONNECT_SWAPPED);
        }
      g_signal_connect_object (self->items, "items-changed", G_CALLBACK (on_items_changed), self, G_CONNECT_SWAPPED);
      g_signal_connect_object (session, "notify::state", G_CALLBACK (update_status), self, G_CONNECT_SWAPPED);
      g_signal_connect_object (session, "notify::status", G_CALLBACK (update_status), self, G_CONNECT_SWAPPED);
      g_signal_connect_object (session, "notify::question", G_CALLBACK (on_question), self, G_CONNECT_SWAPPED);
      on_question (self);
    }
  interp_transcript_search_set_items (self->search, self->items);
  interp_column_follow (self->column, TRUE);
  update_status (self);
  update_jump (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SESSION]);
}

void
interp_transcript_set_settings (InterpTranscript *self, InterpSettings *settings)
{
  g_return_if_fail (INTERP_IS_TRANSCRIPT (self));

  g_set_object (&self->settings, settings);
}

void
interp_transcript_find (InterpTranscript *self)
{
  g_return_if_fail (INTERP_IS_TRANSCRIPT (self));

  interp_transcript_search_open (self->search);
}

static void
on_found (InterpTranscript *self, gint64 id)
{
  GtkWidget *focus = gtk_root_get_focus (gtk_widget_get_root (GTK_WIDGET (self)));

  interp_transcript_show_item (self, id);
  /* Searching goes on from the entry. */
  if (focus)
    gtk_widget_grab_focus (focus);
}

/* ---- life ---- */

static void
on_scale_changed (InterpTranscript *self)
{
  GtkSettings *settings = gtk_widget_get_settings (GTK_WIDGET (self));

  interp_column_set_max_width (self->column, (int) adw_length_unit_to_px (ADW_LENGTH_UNIT_SP, COLUMN_WIDTH, settings));
}

static gboolean
interp_transcript_grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (GTK_WIDGET (INTERP_TRANSCRIPT (widget)->column));
}

GtkWidget *
interp_transcript_new (void)
{
  return g_object_new (INTERP_TYPE_TRANSCRIPT, NULL);
}

static void
interp_transcript_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  switch (id)
    {
    case PROP_SESSION:
      g_value_set_object (value, INTERP_TRANSCRIPT (object)->session);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
interp_transcript_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  switch (id)
    {
    case PROP_SESSION:
      interp_transcript_set_session (INTERP_TRANSCRIPT (object), g_value_get_object (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
interp_transcript_dispose (GObject *object)
{
  InterpTranscript *self = INTERP_TRANSCRIPT (object);

  if (self->column)
    interp_transcript_set_session (self, NULL);
  g_clear_handle_id (&self->more_source, g_source_remove);
  gtk_widget_dispose_template (GTK_WIDGET (object), INTERP_TYPE_TRANSCRIPT);
  g_clear_object (&self->settings);
  G_OBJECT_CLASS (interp_transcript_parent_class)->dispose (object);
}

static void
interp_transcript_class_init (InterpTranscriptClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->get_property = interp_transcript_get_property;
  object_class->set_property = interp_transcript_set_property;
  object_class->dispose = interp_transcript_dispose;
  widget_class->grab_focus = interp_transcript_grab_focus;

  properties[PROP_SESSION] = g_param_spec_object ("session", NULL, NULL, INTERP_TYPE_SESSION,
                                                  G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  g_type_ensure (INTERP_TYPE_COLUMN);
  g_type_ensure (INTERP_TYPE_TRANSCRIPT_SEARCH);
  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/interpreter_app/Interpreter/ui/"
                                                             "interp-transcript.ui");
  gtk_widget_class_bind_template_child (widget_class, InterpTranscript, column);
  gtk_widget_class_bind_template_child (widget_class, InterpTranscript, jump_revealer);
  gtk_widget_class_bind_template_child (widget_class, InterpTranscript, jump_button);
  gtk_widget_class_bind_template_child (widget_class, InterpTranscript, search);
  gtk_widget_class_bind_template_callback (widget_class, on_near_top);
  gtk_widget_class_bind_template_callback (widget_class, on_following);
  gtk_widget_class_bind_template_callback (widget_class, on_key);
  gtk_widget_class_bind_template_callback (widget_class, on_found);
  gtk_widget_class_install_action (widget_class, "transcript.jump", NULL, jump);
}

static void
interp_transcript_init (InterpTranscript *self)
{
  GtkWidget *spinner;

  gtk_widget_init_template (GTK_WIDGET (self));

  self->status_row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 9);
  spinner = adw_spinner_new ();
  self->status_label = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_ellipsize (self->status_label, PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (GTK_WIDGET (self->status_label), "dimmed");
  gtk_box_append (GTK_BOX (self->status_row), spinner);
  gtk_box_append (GTK_BOX (self->status_row), GTK_WIDGET (self->status_label));
  interp_column_insert (self->column, self->status_row, NULL);
  update_status (self);

  g_signal_connect_object (gtk_settings_get_default (), "notify::gtk-xft-dpi", G_CALLBACK (on_scale_changed), self,
                           G_CONNECT_SWAPPED);
  on_scale_changed (self);
}
