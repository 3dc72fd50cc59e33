/* interp-session-keep.c: items and the chat as rows
 *
 * Everything is committed before it is shown. Items of a branch form a chain, so one is added after the other. The
 * chat's row holds the head of the shown branch; it is therefore not written while an item is being added, which moves
 * the head.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <glib/gi18n.h>

#include "base/interp-clock.h"
#include "base/interp-fiber.h"
#include "base/interp-json.h"
#include "base/interp-terminal-text.h"
#include "session/interp-session-private.h"

/* Streamed text is committed and shown at most this often, in milliseconds. */
#define FRAME 16

/* ---- failures ---- */

/* What cannot be kept is shown all the same, and this is said once. */
static void
keeping_failed (InterpSession *self, const GError *error)
{
  g_autofree char *text = NULL;
  g_autoptr (InterpItem) notice = NULL;

  g_info ("Chat %" G_GINT64_FORMAT ": %s", self->row->id, error->message);
  if (self->keeping_failed)
    return;
  self->keeping_failed = TRUE;
  text = g_strdup_printf (_ ("What follows cannot be kept: %s It will be gone when Interpreter is closed."),
                          error->message);
  notice = interp_item_new (INTERP_ITEM_ERROR, text);
  interp_session_show_item (self, notice);
}

typedef struct
{
  InterpSession *session;
  InterpItem *item;
  gsize end;
} Written;

static void
written_free (gpointer data)
{
  Written *written = data;

  g_clear_object (&written->session);
  g_clear_object (&written->item);
  g_free (written);
}

static Written *
written_new (InterpSession *self, InterpItem *item, gsize end)
{
  Written *written = g_new0 (Written, 1);

  written->session = g_object_ref (self);
  written->item = item != NULL ? g_object_ref (item) : NULL;
  written->end = end;

  return written;
}

static DexFuture *
on_written (DexFuture *future, gpointer data)
{
  Written *written = data;
  g_autoptr (GError) error = NULL;

  if (dex_future_get_value (future, &error) == NULL)
    keeping_failed (written->session, error);
  if (written->item != NULL && written->end > 0)
    interp_item_show_to (written->item, written->end);

  return dex_future_new_true ();
}

/* Nobody waits for @future; what goes wrong is said. With @end, the item's text is shown up to there afterwards. */
static void
disown_write (InterpSession *self, DexFuture *future, InterpItem *item, gsize end)
{
  dex_future_disown (dex_future_finally (future, on_written, written_new (self, item, end), written_free));
}

/* ---- the chat's row ---- */

static JsonNode *
queue_to_json (InterpSession *self)
{
  JsonNode *array = interp_json_array (INTERP_JSON_END);
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->items));

  for (guint i = n - self->n_queued; i < n; i++)
    {
      g_autoptr (InterpItem) item = g_list_model_get_item (G_LIST_MODEL (self->items), i);
      const char *const *attachments = interp_item_get_attachments (item);
      JsonNode *paths = interp_json_array (INTERP_JSON_END);

      for (gsize j = 0; attachments != NULL && attachments[j] != NULL; j++)
        interp_json_append (paths, json_node_init_string (json_node_alloc (), attachments[j]));
      interp_json_append (array, interp_json_object ("text", INTERP_JSON_STRING (interp_item_get_text (item)),
                                                     "created", INTERP_JSON_INT (interp_item_get_created (item)),
                                                     "attachments", INTERP_JSON_NODE (paths), NULL));
    }

  return array;
}

static void
write_chat (InterpSession *self)
{
  self->chat_dirty = FALSE;
  interp_json_set (self->data, "queue", queue_to_json (self));
  g_free (self->row->data);
  self->row->data = interp_json_to_string (self->data);
  disown_write (self, interp_store_update_chat (self->store, self->row), NULL, 0);
}

void
interp_session_save_chat (InterpSession *self)
{
  if (self->row->id == 0 || self->read_only)
    return;
  if (interp_gate_is_taken (self->adding))
    self->chat_dirty = TRUE;
  else
    write_chat (self);
}

static void
leave_adding (InterpSession *self)
{
  interp_gate_leave (self->adding);
  if (self->chat_dirty && !interp_gate_is_taken (self->adding))
    write_chat (self);
}

void
interp_session_touch (InterpSession *self)
{
  self->row->updated = interp_clock_now ();
  interp_session_notify (self, "updated");
  interp_session_save_chat (self);
}

gint64
interp_session_get_flag (InterpSession *self, const char *name)
{
  return interp_json_get_int (self->data, name, 0);
}

void
interp_session_set_flag (InterpSession *self, const char *name, gint64 value)
{
  interp_json_set (self->data, name, json_node_init_int (json_node_alloc (), value));
  interp_session_save_chat (self);
}

/* Inside the gate. */
static gboolean
ensure_chat (InterpSession *self)
{
  g_autoptr (GError) error = NULL;
  gint64 id;

  if (self->row->id != 0)
    return !self->read_only;
  if (self->read_only)
    return FALSE;

  g_free (self->row->data);
  self->row->data = interp_json_to_string (self->data);
  id = dex_await_int64 (interp_store_add_chat (self->store, self->row), &error);
  if (error != NULL)
    {
      keeping_failed (self, error);
      return FALSE;
    }
  self->row->id = id;
  self->locked = interp_store_lock_chat (self->store, id);
  interp_session_notify (self, "id");

  return TRUE;
}

gboolean
interp_session_ensure_chat (InterpSession *self)
{
  gboolean kept;

  interp_gate_enter (self->adding, NULL);
  kept = ensure_chat (self);
  leave_adding (self);

  return kept;
}

static DexFuture *
write_draft_fiber (gpointer data)
{
  InterpSession *self = data;

  /* Always the newest; those in between may be skipped. */
  while (self->draft_dirty)
    {
      g_autoptr (GError) error = NULL;

      self->draft_dirty = FALSE;
      if (!interp_session_ensure_chat (self))
        break;
      if (!dex_await (interp_store_set_draft (self->store, self->row->id, interp_session_get_draft (self)), &error))
        keeping_failed (self, error);
    }
  self->draft_writing = FALSE;

  return dex_future_new_true ();
}

void
interp_session_set_draft (InterpSession *self, const char *text)
{
  g_return_if_fail (INTERP_IS_SESSION (self));

  if (g_strcmp0 (interp_session_get_draft (self), text != NULL ? text : "") == 0)
    return;
  g_set_str (&self->row->draft, text != NULL ? text : "");
  interp_session_notify (self, "draft");
  if (self->read_only)
    return;

  self->draft_dirty = TRUE;
  if (self->draft_writing)
    return;
  self->draft_writing = TRUE;
  interp_fiber_run ("Keeping a draft", write_draft_fiber, g_object_ref (self), g_object_unref);
}

/* ---- branches ---- */

/* Is this row something to choose between, where branches part? */
static gboolean
is_alternative (InterpItemRow *row)
{
  return g_strcmp0 (row->kind, "notice") != 0 && g_strcmp0 (row->kind, "error") != 0;
}

GPtrArray *
interp_session_load_alternatives (InterpSession *self, gint64 parent)
{
  GPtrArray *rows = dex_await_boxed (interp_store_load_children (self->store, self->row->id, parent), NULL);

  for (guint i = rows != NULL ? rows->len : 0; i > 0; i--)
    if (!is_alternative (g_ptr_array_index (rows, i - 1)))
      g_ptr_array_remove_index (rows, i - 1);

  return rows;
}

/* Places where branches part are noted in the chat before they come to be. */
static gboolean
is_fork (InterpSession *self, gint64 parent)
{
  JsonNode *forks = interp_json_get (self->data, "forks");
  g_autofree char *name = g_strdup_printf ("%" G_GINT64_FORMAT, parent);

  return interp_json_is_object (forks) && json_object_has_member (json_node_get_object (forks), name);
}

static void
find_branches_of (InterpSession *self, InterpItem *item)
{
  g_autoptr (GPtrArray) rows = NULL;

  if (!is_fork (self, interp_item_get_parent (item)))
    return;
  rows = interp_session_load_alternatives (self, interp_item_get_parent (item));
  for (guint i = 0; rows != NULL && i < rows->len; i++)
    if (((InterpItemRow *) g_ptr_array_index (rows, i))->id == interp_item_get_id (item))
      interp_item_set_branches (item, i, rows->len);
}

void
interp_session_find_branches (InterpSession *self, GPtrArray *items)
{
  for (guint i = 0; i < items->len; i++)
    find_branches_of (self, g_ptr_array_index (items, i));
}

/* ---- items ---- */

static gint64
last_id (InterpSession *self)
{
  /* An item that could not be kept has no id: the chain goes on from the one before. */
  for (guint i = self->branch->len; i > 0; i--)
    {
      gint64 id = interp_item_get_id (g_ptr_array_index (self->branch, i - 1));

      if (id != 0)
        return id;
    }

  return 0;
}

/* Inside the gate. */
static void
commit_new_item (InterpSession *self, InterpItem *item)
{
  g_autoptr (InterpItemRow) row = NULL;
  g_autoptr (GError) error = NULL;
  gint64 parent;
  gint64 id;

  if (!ensure_chat (self))
    return;
  parent = last_id (self);
  interp_item_set_place (item, 0, parent);
  row = interp_item_to_row (item, self->row->id);
  id = dex_await_int64 (interp_store_add_item (self->store, row, TRUE), &error);
  if (error != NULL)
    {
      keeping_failed (self, error);
      return;
    }
  interp_item_set_place (item, id, parent);
  self->row->head = id;
}

void
interp_session_add_item (InterpSession *self, InterpItem *item)
{
  interp_gate_enter (self->adding, NULL);
  commit_new_item (self, item);
  find_branches_of (self, item);
  interp_session_show_item (self, item);
  leave_adding (self);
}

/* Sets @end to where the text ends that is to be shown once this is done, 0 when there is no more. */
static DexFuture *
update_item (InterpSession *self, InterpItem *item, gsize *end)
{
  g_autoptr (InterpItemRow) row = interp_item_to_row (item, self->row->id);

  /* The row has all of the text: nothing is pending any more. */
  *end = 0;
  g_free (interp_item_take_pending (item, end));

  return interp_store_update_item (self->store, row);
}

void
interp_session_save_item (InterpSession *self, InterpItem *item)
{
  g_autoptr (GError) error = NULL;
  gsize end;

  if (interp_item_get_id (item) == 0)
    return;
  if (!dex_await (update_item (self, item, &end), &error))
    keeping_failed (self, error);
  interp_item_show_to (item, end);
}

void
interp_session_save_item_later (InterpSession *self, InterpItem *item)
{
  DexFuture *written;
  gsize end;

  if (interp_item_get_id (item) == 0)
    return;
  written = update_item (self, item, &end);
  disown_write (self, written, item, end);
}

static gboolean
flush_text (gpointer data)
{
  Written *written = data;
  InterpSession *self = written->session;
  InterpItem *item = written->item;
  g_autofree char *pending = NULL;
  gsize end;

  *interp_item_get_flush_source (item) = 0;
  pending = interp_item_take_pending (item, &end);
  if (pending == NULL)
    return G_SOURCE_REMOVE;
  if (interp_item_get_id (item) == 0)
    interp_item_show_to (item, end);
  else
    disown_write (self, interp_store_append (self->store, interp_item_get_id (item), pending), item, end);

  return G_SOURCE_REMOVE;
}

void
interp_session_append_text (InterpSession *self, InterpItem *item, const char *text)
{
  guint *source = interp_item_get_flush_source (item);

  interp_item_push_text (item, text);
  if (*source == 0)
    *source = g_timeout_add_full (G_PRIORITY_DEFAULT, FRAME, flush_text, written_new (self, item, 0), written_free);
}

void
interp_session_finish_item (InterpSession *self, InterpItem *item, InterpItemState state)
{
  guint *source = interp_item_get_flush_source (item);
  g_autoptr (InterpItemRow) row = NULL;
  g_autoptr (GError) error = NULL;
  gsize end;

  g_clear_handle_id (source, g_source_remove);
  if (interp_item_get_id (item) != 0)
    {
      row = interp_item_to_row (item, self->row->id);
      if (!INTERP_IS_CELL (item))
        g_set_str (&row->state, interp_item_state_to_string (state));
      g_free (interp_item_take_pending (item, &end));
      if (!dex_await (interp_store_update_item (self->store, row), &error))
        keeping_failed (self, error);
    }
  interp_item_show_all (item);
  if (!INTERP_IS_CELL (item))
    interp_item_set_state (item, state);
}

void
interp_session_add_notice (InterpSession *self, InterpItemKind kind, const char *text, InterpOffers offers,
                           gint64 answer)
{
  g_autoptr (InterpItem) item = interp_item_new (kind, text);

  interp_item_set_offers (item, offers);
  interp_item_set_answer (item, answer);
  interp_session_add_item (self, item);
}

void
interp_session_set_head (InterpSession *self, gint64 head)
{
  self->row->head = head;
  if (self->row->id != 0)
    disown_write (self, interp_store_set_head (self->store, self->row->id, head), NULL, 0);
}

/* ---- loading ---- */

GPtrArray *
interp_session_items_from_rows (GPtrArray *rows)
{
  GPtrArray *items = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < rows->len; i++)
    g_ptr_array_add (items, interp_item_new_from_row (g_ptr_array_index (rows, i)));

  return items;
}

static GPtrArray *
load_rows (InterpSession *self, gint64 head, guint limit, GError **error)
{
  return dex_await_boxed (interp_store_load_branch (self->store, self->row->id, head, limit), error);
}

gboolean
interp_session_load (InterpSession *self, GError **error)
{
  g_autoptr (GPtrArray) rows = NULL;
  g_autoptr (GPtrArray) items = NULL;

  interp_session_truncate (self, 0);
  self->n_unshown = 0;
  if (self->row->id == 0 || self->row->head == 0)
    return TRUE;
  rows = load_rows (self, self->row->head, INTERP_SESSION_PAGE, error);
  if (rows == NULL)
    return FALSE;
  items = interp_session_items_from_rows (rows);
  interp_session_find_branches (self, items);
  /* Somebody may have added to it in the meantime; it cannot be loaded twice. */
  if (self->branch->len == 0)
    interp_session_prepend_items (self, items, TRUE);

  return TRUE;
}

/* The items before the first one loaded; NULL when there are none. */
static GPtrArray *
load_before (InterpSession *self, GError **error)
{
  InterpItem *first = self->branch->len > 0 ? g_ptr_array_index (self->branch, 0) : NULL;
  g_autoptr (GPtrArray) rows = NULL;
  g_autoptr (GPtrArray) items = NULL;

  if (first == NULL || interp_item_get_parent (first) == 0)
    return NULL;
  rows = load_rows (self, interp_item_get_parent (first), INTERP_SESSION_PAGE, error);
  if (rows == NULL || rows->len == 0)
    return NULL;
  items = interp_session_items_from_rows (rows);
  interp_session_find_branches (self, items);
  if (self->branch->len == 0 || g_ptr_array_index (self->branch, 0) != first)
    return NULL;

  return g_steal_pointer (&items);
}

static DexFuture *
load_earlier_fiber (gpointer data)
{
  InterpSession *self = data;
  g_autoptr (GError) error = NULL;

  interp_gate_enter (self->adding, NULL);
  if (self->n_unshown > 0)
    {
      guint n = MIN (self->n_unshown, INTERP_SESSION_PAGE);

      self->n_unshown -= n;
      g_list_store_splice (self->items, 0, 0, self->branch->pdata + self->n_unshown, n);
    }
  else
    {
      g_autoptr (GPtrArray) items = load_before (self, &error);

      if (items != NULL)
        interp_session_prepend_items (self, items, TRUE);
    }
  leave_adding (self);
  if (error != NULL)
    return dex_future_new_for_error (g_steal_pointer (&error));

  return dex_future_new_for_boolean (interp_session_has_earlier (self));
}

DexFuture *
interp_session_load_earlier (InterpSession *self)
{
  g_return_val_if_fail (INTERP_IS_SESSION (self), NULL);

  return interp_fiber_spawn (load_earlier_fiber, g_object_ref (self), g_object_unref);
}

void
interp_session_load_for_context (InterpSession *self, gint64 budget)
{
  gint64 tokens = 0;

  for (guint i = 0; i < self->branch->len; i++)
    tokens += interp_context_estimate (interp_item_get_text (g_ptr_array_index (self->branch, i)));

  while (tokens < budget && self->branch->len < INTERP_SESSION_CONTEXT_ITEMS)
    {
      g_autoptr (GPtrArray) items = NULL;

      interp_gate_enter (self->adding, NULL);
      items = load_before (self, NULL);
      if (items != NULL)
        interp_session_prepend_items (self, items, FALSE);
      leave_adding (self);
      if (items == NULL)
        break;
      for (guint i = 0; i < items->len; i++)
        tokens += interp_context_estimate (interp_item_get_text (g_ptr_array_index (items, i)));
    }
}
