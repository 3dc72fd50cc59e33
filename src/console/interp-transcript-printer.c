/* interp-transcript-printer.c: a conversation printed as it grows, item after item
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "interp-transcript-printer.h"

#include <glib/gi18n.h>
#include <string.h>

#include "base/interp-text.h"
#include "interp-cell-view.h"
#include "interp-markdown-printer.h"

struct _InterpTranscriptPrinter
{
  InterpTty *tty;
  InterpSession *session;
  GListModel *items;
  gboolean mark_line;
  gboolean show_user;
  gboolean verbose;
  gboolean hold_answer;
  void (*changed) (gpointer data);
  gpointer data;

  guint position; /* of the item being printed */
  InterpItem *item;
  gsize n_printed; /* bytes of its text */
  InterpMarkdownPrinter *markdown;
  InterpCellView *cell_view;
  gboolean updating;
  gboolean again;
};

static void
on_item_changed (InterpTranscriptPrinter *self)
{
  interp_transcript_printer_update (self);
}

static void
leave_item (InterpTranscriptPrinter *self)
{
  if (self->item == NULL)
    return;
  g_signal_handlers_disconnect_by_data (self->item, self);
  g_clear_object (&self->item);
  g_clear_pointer (&self->markdown, interp_markdown_printer_free);
  g_clear_pointer (&self->cell_view, interp_cell_view_free);
}

static guint
cell_number (InterpTranscriptPrinter *self)
{
  guint number = 1;

  for (guint i = 0; i < self->position; i++)
    {
      g_autoptr (InterpItem) item = g_list_model_get_item (self->items, i);

      if (INTERP_IS_CELL (item))
        number++;
    }
  return number;
}

static void
enter_item (InterpTranscriptPrinter *self, InterpItem *item)
{
  self->item = g_object_ref (item);
  self->n_printed = 0;
  if (INTERP_IS_CELL (item))
    self->cell_view
        = interp_cell_view_new (self->tty, self->session, INTERP_CELL (item), cell_number (self), self->mark_line);
  else if (interp_item_get_kind (item) == INTERP_ITEM_ASSISTANT)
    self->markdown = interp_markdown_printer_new (interp_tty_is_styled (self->tty));
  g_signal_connect_swapped (item, "notify", G_CALLBACK (on_item_changed), self);
  g_signal_connect_swapped (item, "appended", G_CALLBACK (on_item_changed), self);
}

/* ---- kinds ---- */

static gboolean
is_open (InterpItem *item)
{
  return interp_item_get_state (item) == INTERP_ITEM_OPEN;
}

static void
print_assistant (InterpTranscriptPrinter *self)
{
  const char *text = interp_item_get_text (self->item);
  gsize length = text != NULL ? strlen (text) : 0;
  g_autofree char *styled = NULL;

  if (length < self->n_printed)
    self->n_printed = length; /* it was replaced; what stands on the screen stands */
  if (length == self->n_printed)
    return;
  if (self->n_printed == 0)
    {
      interp_tty_set_passing (self->tty, NULL);
      interp_tty_start_line (self->tty);
      interp_tty_write (self->tty, "\n", 1);
      if (interp_item_is_premature (self->item))
        interp_tty_print_styled (self->tty, "2", _ ("Written before the result:\n"));
    }
  styled = interp_markdown_printer_push (self->markdown, text + self->n_printed);
  interp_tty_write (self->tty, styled, -1);
  self->n_printed = length;
}

static void
end_assistant (InterpTranscriptPrinter *self)
{
  g_autofree char *rest = interp_markdown_printer_finish (self->markdown);

  interp_tty_write (self->tty, rest, -1);
  if (self->n_printed > 0)
    interp_tty_write (self->tty, "\n", 1);
  if (interp_item_get_state (self->item) == INTERP_ITEM_INTERRUPTED)
    interp_tty_print_styled (self->tty, "33", _ ("(stopped)\n"));
}

static void
print_reasoning (InterpTranscriptPrinter *self)
{
  const char *text = interp_item_get_text (self->item);
  gsize length = text != NULL ? strlen (text) : 0;

  if (!self->verbose)
    {
      if (is_open (self->item))
        interp_tty_set_passing (self->tty, _ ("Thinking"));
      return;
    }
  if (length <= self->n_printed)
    return;
  if (self->n_printed == 0)
    interp_tty_start_line (self->tty);
  interp_tty_print_styled (self->tty, "2", text + self->n_printed);
  self->n_printed = length;
}

static void
end_reasoning (InterpTranscriptPrinter *self)
{
  gint64 duration = interp_item_get_duration (self->item);
  g_autofree char *time = interp_text_format_duration (duration);
  g_autofree char *line = g_strdup_printf (_ ("Thought for %s\n"), time);

  if (self->verbose)
    interp_tty_start_line (self->tty);
  else if (duration >= 1000)
    interp_tty_print_styled (self->tty, "2", line);
}

static void
print_line (InterpTranscriptPrinter *self, const char *style, const char *prefix)
{
  g_autofree char *line = g_strconcat (prefix, interp_item_get_text (self->item), "\n", NULL);

  interp_tty_set_passing (self->tty, NULL);
  interp_tty_start_line (self->tty);
  interp_tty_print_styled (self->tty, style, line);
}

/* A notice may only repeat, with something to press, why the block before it did not run. */
static gboolean
repeats_cell (InterpTranscriptPrinter *self)
{
  g_autoptr (InterpItem) before = self->position > 0 ? g_list_model_get_item (self->items, self->position - 1) : NULL;

  return INTERP_IS_CELL (before)
         && g_strcmp0 (interp_cell_get_note (INTERP_CELL (before)), interp_item_get_text (self->item)) == 0;
}

/* Prints what is new of the item; TRUE when it is over. */
static gboolean
print_item (InterpTranscriptPrinter *self)
{
  switch (interp_item_get_kind (self->item))
    {
    case INTERP_ITEM_USER:
      if (self->show_user)
        print_line (self, "1", "\n> ");
      return TRUE;
    case INTERP_ITEM_ASSISTANT:
      if (self->hold_answer && self->position + 1 == g_list_model_get_n_items (self->items))
        return FALSE;
      print_assistant (self);
      if (is_open (self->item))
        return FALSE;
      end_assistant (self);
      return TRUE;
    case INTERP_ITEM_REASONING:
      print_reasoning (self);
      if (is_open (self->item))
        return FALSE;
      end_reasoning (self);
      return TRUE;
    case INTERP_ITEM_CELL:
      return interp_cell_view_update (self->cell_view);
    case INTERP_ITEM_NOTICE:
      print_line (self, "33", "");
      return TRUE;
    case INTERP_ITEM_ERROR:
    default:
      if (!repeats_cell (self))
        print_line (self, "31", "");
      return TRUE;
    }
}

void
interp_transcript_printer_update (InterpTranscriptPrinter *self)
{
  /* Printing may make the session change something; once more then, not within. */
  self->again = TRUE;
  if (self->updating)
    return;
  self->updating = TRUE;
  while (self->again)
    {
      g_autoptr (InterpItem) item = g_list_model_get_item (self->items, self->position);

      self->again = FALSE;
      if (item == NULL || interp_item_get_state (item) == INTERP_ITEM_QUEUED)
        break;
      if (item != self->item)
        {
          leave_item (self);
          enter_item (self, item);
        }
      if (print_item (self))
        {
          leave_item (self);
          self->position++;
          self->again = TRUE;
        }
    }
  self->updating = FALSE;
  self->changed (self->data);
}

static void
on_items_changed (GListModel *items, guint position, guint removed, guint added, InterpTranscriptPrinter *self)
{
  if (position + removed <= self->position && position < self->position)
    self->position += added - removed; /* before what is printed: earlier items were loaded */
  else if (position <= self->position && removed > 0)
    {
      g_autoptr (InterpItem) item = g_list_model_get_item (items, position);

      /* Taken away under our hands, unless the same item only moved in the list. */
      if (item == NULL || item != self->item)
        leave_item (self);
      self->position = position;
    }
  interp_transcript_printer_update (self);
}

InterpTranscriptPrinter *
interp_transcript_printer_new (InterpTty *tty, InterpSession *session, gboolean mark_line,
                               void (*changed) (gpointer data), gpointer data)
{
  InterpTranscriptPrinter *self = g_new0 (InterpTranscriptPrinter, 1);

  self->tty = tty;
  self->session = g_object_ref (session);
  self->items = g_object_ref (interp_session_get_items (session));
  self->mark_line = mark_line;
  self->changed = changed;
  self->data = data;
  g_signal_connect (self->items, "items-changed", G_CALLBACK (on_items_changed), self);
  return self;
}

void
interp_transcript_printer_free (InterpTranscriptPrinter *self)
{
  if (self == NULL)
    return;
  leave_item (self);
  g_signal_handlers_disconnect_by_data (self->items, self);
  g_object_unref (self->items);
  g_object_unref (self->session);
  g_free (self);
}

InterpCell *
interp_transcript_printer_get_waiting (InterpTranscriptPrinter *self)
{
  return self->cell_view != NULL && interp_cell_view_is_waiting (self->cell_view) ? INTERP_CELL (self->item) : NULL;
}

gboolean
interp_transcript_printer_is_done (InterpTranscriptPrinter *self)
{
  g_autoptr (InterpItem) item = g_list_model_get_item (self->items, self->position);

  return item == NULL || interp_item_get_state (item) == INTERP_ITEM_QUEUED;
}

void
interp_transcript_printer_set_show_user (InterpTranscriptPrinter *self, gboolean show_user)
{
  self->show_user = show_user;
}

void
interp_transcript_printer_set_verbose (InterpTranscriptPrinter *self, gboolean verbose)
{
  self->verbose = verbose;
}

void
interp_transcript_printer_set_hold_answer (InterpTranscriptPrinter *self, gboolean hold_answer)
{
  self->hold_answer = hold_answer;
}

void
interp_transcript_printer_resize (InterpTranscriptPrinter *self)
{
  if (self->cell_view != NULL)
    interp_cell_view_resize (self->cell_view);
}
