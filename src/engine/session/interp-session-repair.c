/* interp-session-repair.c: opening: the lock, what an ended process left, following another process
 *
 * Only who holds a chat's lock runs it. Everybody else shows it and follows; when the lock becomes free, they take it
 * and mark what nobody writes or runs any more.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <glib/gi18n.h>

#include "base/interp-clock.h"
#include "base/interp-fiber.h"
#include "base/interp-json.h"
#include "base/interp-terminal-text.h"
#include "session/interp-result.h"
#include "session/interp-session-private.h"

/* How much of a log is read from each end, in bytes; how many lines of that are kept from each end. */
#define LOG_PART (32 * 1024)
#define LOG_LINES 500

/* ---- logs ---- */

typedef struct
{
  char *text;
  guint64 n_lines;
  guint64 n_dropped;
} LogText;

static gpointer
log_text_copy (gpointer data)
{
  LogText *log = g_memdup2 (data, sizeof (LogText));

  log->text = g_strdup (log->text);

  return log;
}

static void
log_text_free (gpointer data)
{
  g_free (((LogText *) data)->text);
  g_free (data);
}

static GType log_text_get_type (void);

G_DEFINE_BOXED_TYPE (LogText, log_text, log_text_copy, log_text_free)

static gboolean
feed_part (InterpTerminalText *text, GInputStream *stream, goffset offset, GError **error)
{
  g_autofree char *bytes = g_malloc (LOG_PART);
  gsize n_read;

  if (!g_seekable_seek (G_SEEKABLE (stream), offset, G_SEEK_SET, NULL, error)
      || !g_input_stream_read_all (stream, bytes, LOG_PART, &n_read, NULL, error))
    return FALSE;
  interp_terminal_text_feed (text, bytes, n_read);

  return TRUE;
}

/* On a worker. */
static DexFuture *
read_log (gpointer data)
{
  const char *path = data;
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GFileInfo) info = NULL;
  g_autoptr (GFileInputStream) stream = NULL;
  g_autoptr (InterpTerminalText) text = interp_terminal_text_new (LOG_LINES, LOG_LINES);
  g_autoptr (GError) error = NULL;
  LogText *log;
  goffset size;

  info = g_file_query_info (file, G_FILE_ATTRIBUTE_STANDARD_SIZE "," G_FILE_ATTRIBUTE_STANDARD_TYPE,
                            G_FILE_QUERY_INFO_NONE, NULL, &error);
  if (info == NULL)
    return dex_future_new_for_error (g_steal_pointer (&error));
  if (g_file_info_get_file_type (info) != G_FILE_TYPE_REGULAR)
    return dex_future_new_reject (G_IO_ERROR, G_IO_ERROR_NOT_REGULAR_FILE, "Not a file");
  size = g_file_info_get_size (info);
  stream = g_file_read (file, NULL, &error);
  if (stream == NULL || !feed_part (text, G_INPUT_STREAM (stream), 0, &error))
    return dex_future_new_for_error (g_steal_pointer (&error));
  if (size > 2 * LOG_PART)
    interp_terminal_text_feed (text, "\r\n…\r\n", -1 + sizeof "\r\n…\r\n");
  if (size > LOG_PART && !feed_part (text, G_INPUT_STREAM (stream), MAX (LOG_PART, size - LOG_PART), &error))
    return dex_future_new_for_error (g_steal_pointer (&error));

  log = g_new0 (LogText, 1);
  log->text = interp_terminal_text_to_string (text, NULL);
  log->n_lines = interp_terminal_text_get_n_lines (text);
  log->n_dropped = interp_terminal_text_get_n_dropped (text);

  return dex_future_new_take_boxed (log_text_get_type (), log);
}

/* ---- what an ended process left ---- */

static void
repair_cell (InterpSession *self, InterpCell *cell)
{
  switch (interp_cell_get_cell_state (cell))
    {
    case INTERP_CELL_WRITING:
      if (interp_cell_get_call (cell) == NULL)
        interp_cell_set_cut (cell, TRUE);
      interp_cell_set_note (cell, _ ("Interpreter was ended while this was being written. It was never run."));
      interp_cell_set_result (cell, "Interpreter was ended before this call was complete. It was never run.", TRUE);
      interp_cell_set_cell_state (cell, INTERP_CELL_INTERRUPTED);
      break;

    case INTERP_CELL_WAITING:
    case INTERP_CELL_STARTING:
      interp_cell_set_note (cell, _ ("Interpreter was ended before this ran. It was never run."));
      interp_cell_set_result (cell, "Interpreter was ended before the user answered. This was never run.", TRUE);
      interp_cell_set_cell_state (cell, INTERP_CELL_INTERRUPTED);
      break;

    case INTERP_CELL_RUNNING:
      {
        const char *path = interp_cell_get_log_path (cell);
        g_autofree char *result = NULL;

        if (path != NULL)
          {
            LogText *log
                = dex_await_boxed (interp_worker_run ("Reading a log", read_log, g_strdup (path), g_free), NULL);

            if (log != NULL)
              {
                interp_cell_set_output (cell, log->text, log->n_lines, log->n_dropped);
                log_text_free (log);
              }
          }
        interp_cell_set_note (cell, _ ("Interpreter was ended while this ran."));
        interp_cell_set_cell_state (cell, INTERP_CELL_LOST);
        result = interp_result_for_run (cell, "Interpreter was ended while this ran.",
                                        interp_session_get_max_output (self));
        if (interp_cell_is_background (cell))
          interp_cell_set_late_result (cell, result);
        else
          interp_cell_set_result (cell, result, TRUE);
        interp_cell_set_ended (cell, interp_clock_now ());
      }
      break;

    case INTERP_CELL_DONE:
    case INTERP_CELL_FAILED:
    case INTERP_CELL_REFUSED:
    case INTERP_CELL_INTERRUPTED:
    case INTERP_CELL_LOST:
    case INTERP_CELL_NOT_RUN:
    default:
      break;
    }
}

void
interp_session_repair (InterpSession *self)
{
  g_autoptr (GPtrArray) items = NULL;
  InterpItem *last;

  if (!self->locked || self->repaired)
    return;
  self->repaired = TRUE;

  items = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < self->branch->len; i++)
    g_ptr_array_add (items, g_object_ref (g_ptr_array_index (self->branch, i)));
  for (guint i = 0; i < items->len; i++)
    {
      InterpItem *item = g_ptr_array_index (items, i);

      if (interp_item_get_state (item) != INTERP_ITEM_OPEN)
        continue;
      if (INTERP_IS_CELL (item))
        {
          repair_cell (self, INTERP_CELL (item));
          interp_session_save_item (self, item);
        }
      else
        interp_session_finish_item (self, item, INTERP_ITEM_INTERRUPTED);
    }

  /* A turn that was cut off can be taken up again. */
  last = interp_session_peek_last (self);
  if (last != NULL
      && (interp_item_get_state (last) == INTERP_ITEM_INTERRUPTED || interp_item_get_kind (last) == INTERP_ITEM_USER))
    interp_item_set_offers (last, interp_item_get_offers (last) | INTERP_OFFER_CONTINUE);
}

/* ---- the queue ---- */

static gboolean
has_been_given (InterpSession *self, const char *text, gint64 created)
{
  for (guint i = 0; i < self->branch->len; i++)
    {
      InterpItem *item = g_ptr_array_index (self->branch, i);

      if (interp_item_get_kind (item) == INTERP_ITEM_USER && interp_item_get_created (item) == created
          && g_str_equal (interp_item_get_text (item), text))
        return TRUE;
    }

  return FALSE;
}

static void
restore_queue (InterpSession *self)
{
  guint n = interp_json_get_length (self->data, "queue");

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *path = g_strdup_printf ("queue.%u", i);
      JsonNode *entry = interp_json_get (self->data, path);
      const char *text = interp_json_get_string (entry, "text");
      gint64 created = interp_json_get_int (entry, "created", 0);
      g_autoptr (GStrvBuilder) attachments = g_strv_builder_new ();
      g_auto (GStrv) paths = NULL;
      g_autoptr (InterpItem) item = NULL;
      guint n_attachments = interp_json_get_length (entry, "attachments");

      if (text == NULL || has_been_given (self, text, created))
        continue;
      for (guint j = 0; j < n_attachments; j++)
        {
          g_autofree char *member = g_strdup_printf ("attachments.%u", j);
          const char *attachment = interp_json_get_string (entry, member);

          if (attachment != NULL)
            g_strv_builder_add (attachments, attachment);
        }
      paths = g_strv_builder_end (attachments);
      item = interp_item_new (INTERP_ITEM_USER, text);
      interp_item_set_created (item, created);
      interp_item_set_attachments (item, (const char *const *) paths);
      interp_item_set_state (item, INTERP_ITEM_QUEUED);
      self->n_queued++;
      g_list_store_append (self->items, item);
    }
}

/* ---- following another process ---- */

static void
adopt_row (InterpSession *self, InterpChatRow *row)
{
  if (g_set_str (&self->row->title, row->title))
    interp_session_notify (self, "title");
  if (g_set_str (&self->row->draft, row->draft))
    interp_session_notify (self, "draft");
  if (g_set_str (&self->row->folder, row->folder))
    interp_session_notify (self, "folder");
  if (self->row->pinned != row->pinned)
    {
      self->row->pinned = row->pinned;
      interp_session_notify (self, "pinned");
    }
  if (self->row->updated != row->updated)
    {
      self->row->updated = row->updated;
      interp_session_notify (self, "updated");
    }
  self->row->head = row->head;
  if (g_set_str (&self->row->data, row->data))
    {
      JsonNode *data = interp_json_parse (row->data != NULL ? row->data : "{}", -1, INTERP_JSON_PARSE_NONE, NULL);

      if (interp_json_is_object (data))
        {
          json_node_unref (self->data);
          self->data = data;
          interp_session_adopt_sandbox (self);
        }
      else
        g_clear_pointer (&data, json_node_unref);
    }
}

/* Changes what is shown into @rows, the newest of the branch, touching as little as it can. */
static void
merge_rows (InterpSession *self, GPtrArray *rows)
{
  g_autoptr (GPtrArray) added = NULL;
  gint64 first = rows->len > 0 ? ((InterpItemRow *) g_ptr_array_index (rows, 0))->id : 0;
  guint position = 0;
  guint i = 0;

  while (position < self->branch->len && interp_item_get_id (g_ptr_array_index (self->branch, position)) != first)
    position++;
  if (position == self->branch->len)
    position = 0;
  for (; i < rows->len && position < self->branch->len; i++, position++)
    {
      InterpItemRow *row = g_ptr_array_index (rows, i);
      InterpItem *item = g_ptr_array_index (self->branch, position);

      if (interp_item_get_id (item) != row->id)
        break;
      interp_item_update_from_row (item, row);
    }
  interp_session_truncate (self, position);
  if (i > 0)
    g_ptr_array_remove_range (rows, 0, i);
  added = interp_session_items_from_rows (rows);
  interp_session_find_branches (self, added);
  for (i = 0; i < added->len; i++)
    interp_session_show_item (self, g_ptr_array_index (added, i));
}

static DexFuture *
reload_fiber (gpointer data)
{
  InterpSession *self = data;

  while (self->reload_again)
    {
      g_autoptr (InterpChatRow) row = NULL;
      g_autoptr (GPtrArray) rows = NULL;

      self->reload_again = FALSE;
      row = dex_await_boxed (interp_store_get_chat (self->store, self->row->id), NULL);
      if (row == NULL || self->turn)
        break;
      rows = dex_await_boxed (interp_store_load_branch (self->store, self->row->id, row->head, INTERP_SESSION_PAGE),
                              NULL);
      if (rows == NULL || self->turn)
        break;
      adopt_row (self, row);
      if (row->head == 0)
        g_ptr_array_set_size (rows, 0);
      merge_rows (self, rows);
    }
  interp_session_repair (self);
  self->reloading = FALSE;

  return dex_future_new_true ();
}

static void
reload (InterpSession *self)
{
  self->reload_again = TRUE;
  if (self->reloading)
    return;
  self->reloading = TRUE;
  interp_fiber_run ("Following a chat", reload_fiber, g_object_ref (self), g_object_unref);
}

static void
on_store_changed (InterpSession *self, gint64 chat)
{
  if (self->read_only && chat != 0 && chat == self->row->id)
    reload (self);
}

gboolean
interp_session_take_lock (InterpSession *self)
{
  if (self->locked || interp_store_is_read_only (self->store) || self->row->id == 0)
    return self->locked;
  if (!interp_store_lock_chat (self->store, self->row->id))
    return FALSE;

  self->locked = TRUE;
  self->read_only = FALSE;
  g_clear_handle_id (&self->lock_source, g_source_remove);
  interp_session_notify (self, "read-only");

  return TRUE;
}

static gboolean
try_lock (gpointer data)
{
  InterpSession *self = data;

  if (!interp_session_take_lock (self))
    return G_SOURCE_CONTINUE;
  /* What the other wrote last, then what it left open. */
  reload (self);

  return G_SOURCE_REMOVE;
}

gboolean
interp_session_open (InterpSession *self, GError **error)
{
  if (!interp_store_is_read_only (self->store))
    {
      self->locked = interp_store_lock_chat (self->store, self->row->id);
      if (self->read_only == self->locked)
        {
          self->read_only = !self->locked;
          interp_session_notify (self, "read-only");
        }
    }
  if (!interp_session_load (self, error))
    return FALSE;

  if (self->locked)
    {
      restore_queue (self);
      interp_session_repair (self);
    }
  else
    {
      self->changed_handler
          = g_signal_connect_object (self->store, "changed", G_CALLBACK (on_store_changed), self, G_CONNECT_SWAPPED);
      if (!interp_store_is_read_only (self->store))
        self->lock_source = g_timeout_add_seconds (1, try_lock, self);
    }
  interp_session_look_for_model (self);

  return TRUE;
}
