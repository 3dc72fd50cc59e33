/* interp-store-queries.c: the jobs of the store's threads
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "store/interp-store-queries.h"

#include <glib/gi18n.h>

#include "store/interp-store-changes.h"

#define CHAT_COLUMNS "id, title, folder, model, mode, draft, data, created, updated, pinned, deleted, head"
/* An item's text is what its row has and what was streamed since. */
#define ITEM_COLUMNS                                                                                     \
  "item.id, item.chat, item.parent, item.kind, item.state, item.text || coalesce ((SELECT group_concat " \
  "(delta.text, '' ORDER BY "                                                                            \
  "delta.place) FROM delta WHERE delta.item = item.id), ''), item.data, item.created"

void
interp_store_request_free (InterpStoreRequest *self)
{
  g_clear_pointer (&self->chat_row, interp_chat_row_free);
  g_clear_pointer (&self->item_row, interp_item_row_free);
  g_free (self->text);
  g_free (self);
}

static const char *
or_empty (const char *text)
{
  return text != NULL ? text : "";
}

static const char *
or_object (const char *json)
{
  return json != NULL && *json != '\0' ? json : "{}";
}

static void
give_int (GValue *result, gint64 value)
{
  g_value_init (result, G_TYPE_INT64);
  g_value_set_int64 (result, value);
}

static void
give_true (GValue *result)
{
  g_value_init (result, G_TYPE_BOOLEAN);
  g_value_set_boolean (result, TRUE);
}

static void
give_array (GValue *result, GPtrArray *array)
{
  g_value_init (result, G_TYPE_PTR_ARRAY);
  g_value_take_boxed (result, array);
}

static gboolean
not_found (GError **error)
{
  g_set_error_literal (error, INTERP_STORE_ERROR, INTERP_STORE_ERROR_NOT_FOUND,
                       _ ("This conversation does not exist any more."));
  return FALSE;
}

/* The row that the last statement changed exists. */
static gboolean
require_change (InterpDatabase *database, GError **error)
{
  return sqlite3_changes (interp_database_get_handle (database)) > 0 || not_found (error);
}

static void
touch (InterpDatabase *database, gint64 chat, gboolean list)
{
  interp_store_changes_touch (interp_database_get_user_data (database), chat, list);
}

/* ---- chats ---- */

static InterpChatRow *
read_chat (sqlite3_stmt *statement)
{
  InterpChatRow *row = interp_chat_row_new ();

  row->id = sqlite3_column_int64 (statement, 0);
  row->title = interp_database_dup_text (statement, 1);
  row->folder = interp_database_dup_text (statement, 2);
  row->model = interp_database_dup_text (statement, 3);
  row->mode = interp_database_dup_text (statement, 4);
  row->draft = interp_database_dup_text (statement, 5);
  row->data = interp_database_dup_text (statement, 6);
  row->created = sqlite3_column_int64 (statement, 7);
  row->updated = sqlite3_column_int64 (statement, 8);
  row->pinned = sqlite3_column_int64 (statement, 9) != 0;
  row->deleted = sqlite3_column_int64 (statement, 10);
  row->head = sqlite3_column_int64 (statement, 11);
  return row;
}

gboolean
interp_store_query_add_chat (InterpDatabase *database, gpointer data, GValue *result, GError **error)
{
  InterpStoreRequest *request = data;
  const InterpChatRow *row = request->chat_row;
  gint64 id;

  if (!interp_database_run (database, error,
                            "INSERT INTO chat (title, folder, model, mode, draft, data, created, updated, "
                            "pinned, deleted, head)"
                            "  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
                            "ssssssiiiii", or_empty (row->title), or_empty (row->folder), or_empty (row->model),
                            or_empty (row->mode), or_empty (row->draft), or_object (row->data), row->created,
                            row->updated, (gint64) row->pinned, row->deleted, row->head))
    return FALSE;
  id = sqlite3_last_insert_rowid (interp_database_get_handle (database));
  touch (database, id, TRUE);
  give_int (result, id);
  return TRUE;
}

gboolean
interp_store_query_update_chat (InterpDatabase *database, gpointer data, GValue *result, GError **error)
{
  InterpStoreRequest *request = data;
  const InterpChatRow *row = request->chat_row;

  if (!interp_database_run (database, error,
                            "UPDATE chat SET title = ?2, folder = ?3, model = ?4, mode = ?5, draft = ?6, "
                            "data = ?7, updated = ?8,"
                            "  pinned = ?9, deleted = ?10, head = ?11 WHERE id = ?1",
                            "issssssiiii", row->id, or_empty (row->title), or_empty (row->folder),
                            or_empty (row->model), or_empty (row->mode), or_empty (row->draft), or_object (row->data),
                            row->updated, (gint64) row->pinned, row->deleted, row->head)
      || !require_change (database, error))
    return FALSE;
  touch (database, row->id, TRUE);
  give_true (result);
  return TRUE;
}

gboolean
interp_store_query_list_chats (InterpDatabase *database, gpointer data, GValue *result, GError **error)
{
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func ((GDestroyNotify) interp_chat_row_free);
  g_autoptr (GError) local_error = NULL;
  sqlite3_stmt *statement
      = interp_database_query (database, error,
                               "SELECT " CHAT_COLUMNS " FROM chat WHERE deleted = 0 ORDER BY pinned <> 0 "
                               "DESC, updated DESC, id DESC",
                               "");

  if (statement == NULL)
    return FALSE;
  while (interp_database_step (database, statement, &local_error))
    g_ptr_array_add (rows, read_chat (statement));
  if (local_error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&local_error));
      return FALSE;
    }
  give_array (result, g_steal_pointer (&rows));
  return TRUE;
}

gboolean
interp_store_query_get_chat (InterpDatabase *database, gpointer data, GValue *result, GError **error)
{
  InterpStoreRequest *request = data;
  g_autoptr (GError) local_error = NULL;
  sqlite3_stmt *statement
      = interp_database_query (database, error, "SELECT " CHAT_COLUMNS " FROM chat WHERE id = ?1", "i", request->chat);

  if (statement == NULL)
    return FALSE;
  if (!interp_database_step (database, statement, &local_error))
    {
      if (local_error == NULL)
        return not_found (error);
      g_propagate_error (error, g_steal_pointer (&local_error));
      return FALSE;
    }
  g_value_init (result, INTERP_TYPE_CHAT_ROW);
  g_value_take_boxed (result, read_chat (statement));
  interp_database_reset (statement);
  return TRUE;
}

/* After a statement that changes one column of one chat. */
static gboolean
chat_changed (InterpDatabase *database, gint64 chat, gboolean in_list, GValue *result, GError **error)
{
  if (!require_change (database, error))
    return FALSE;
  touch (database, chat, in_list);
  give_true (result);
  return TRUE;
}

gboolean
interp_store_query_set_deleted (InterpDatabase *database, gpointer data, GValue *result, GError **error)
{
  InterpStoreRequest *request = data;

  return interp_database_run (database, error, "UPDATE chat SET deleted = ?2 WHERE id = ?1", "ii", request->chat,
                              request->number)
         && chat_changed (database, request->chat, TRUE, result, error);
}

gboolean
interp_store_query_set_draft (InterpDatabase *database, gpointer data, GValue *result, GError **error)
{
  InterpStoreRequest *request = data;

  return interp_database_run (database, error, "UPDATE chat SET draft = ?2 WHERE id = ?1", "is", request->chat,
                              request->text)
         && chat_changed (database, request->chat, FALSE, result, error);
}

gboolean
interp_store_query_set_title (InterpDatabase *database, gpointer data, GValue *result, GError **error)
{
  InterpStoreRequest *request = data;

  return interp_database_run (database, error, "UPDATE chat SET title = ?2 WHERE id = ?1", "is", request->chat,
                              request->text)
         && chat_changed (database, request->chat, TRUE, result, error);
}

gboolean
interp_store_query_set_pinned (InterpDatabase *database, gpointer data, GValue *result, GError **error)
{
  InterpStoreRequest *request = data;

  return interp_database_run (database, error, "UPDATE chat SET pinned = ?2 WHERE id = ?1", "ii", request->chat,
                              (gint64) request->flag)
         && chat_changed (database, request->chat, TRUE, result, error);
}

gboolean
interp_store_query_list_expired (InterpDatabase *database, gpointer data, GValue *result, GError **error)
{
  InterpStoreRequest *request = data;
  g_autoptr (GArray) chats = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GError) local_error = NULL;
  sqlite3_stmt *statement
      = interp_database_query (database, error, "SELECT id FROM chat WHERE deleted <> 0 AND deleted < ?1 LIMIT ?2",
                               "ii", request->number, (gint64) request->limit);

  if (statement == NULL)
    return FALSE;
  while (interp_database_step (database, statement, &local_error))
    {
      gint64 chat = sqlite3_column_int64 (statement, 0);

      g_array_append_val (chats, chat);
    }
  if (local_error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&local_error));
      return FALSE;
    }
  g_value_init (result, G_TYPE_ARRAY);
  g_value_take_boxed (result, g_steal_pointer (&chats));
  return TRUE;
}

gboolean
interp_store_query_purge_chat (InterpDatabase *database, gpointer data, GValue *result, GError **error)
{
  InterpStoreRequest *request = data;

  /* It may have been brought back since it was found. */
  if (!interp_database_run (database, error, "DELETE FROM chat WHERE id = ?1 AND deleted <> 0 AND deleted < ?2", "ii",
                            request->chat, request->number))
    return FALSE;
  give_int (result, sqlite3_changes (interp_database_get_handle (database)));
  return TRUE;
}

/* ---- items ---- */

static gboolean
read_items (InterpDatabase *database, sqlite3_stmt *statement, GValue *result, GError **error)
{
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func ((GDestroyNotify) interp_item_row_free);
  g_autoptr (GError) local_error = NULL;

  if (statement == NULL)
    return FALSE;
  while (interp_database_step (database, statement, &local_error))
    {
      InterpItemRow *row = interp_item_row_new ();

      row->id = sqlite3_column_int64 (statement, 0);
      row->chat = sqlite3_column_int64 (statement, 1);
      row->parent = sqlite3_column_int64 (statement, 2);
      row->kind = interp_database_dup_text (statement, 3);
      row->state = interp_database_dup_text (statement, 4);
      row->text = interp_database_dup_text (statement, 5);
      row->data = interp_database_dup_text (statement, 6);
      row->created = sqlite3_column_int64 (statement, 7);
      g_ptr_array_add (rows, row);
    }
  if (local_error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&local_error));
      return FALSE;
    }
  give_array (result, g_steal_pointer (&rows));
  return TRUE;
}

/* The chat of @item, 0 with @error when there is none. */
static gint64
find_chat (InterpDatabase *database, gint64 item, GError **error)
{
  gint64 chat = 0;

  if (!interp_database_get_int (database, &chat, error, "SELECT chat FROM item WHERE id = ?1", "i", item))
    return 0;
  if (chat == 0)
    not_found (error);
  return chat;
}

gboolean
interp_store_query_add_item (InterpDatabase *database, gpointer data, GValue *result, GError **error)
{
  InterpStoreRequest *request = data;
  const InterpItemRow *row = request->item_row;
  gint64 chat = 0;
  gint64 id;

  if (!interp_database_get_int (database, &chat, error, "SELECT id FROM chat WHERE id = ?1", "i", row->chat))
    return FALSE;
  if (chat == 0)
    return not_found (error);
  if (row->parent != 0 && (chat = find_chat (database, row->parent, error)) != row->chat)
    return chat == 0 ? FALSE : not_found (error);

  if (!interp_database_run (database, error,
                            "INSERT INTO item (chat, parent, kind, state, text, data, created) VALUES (?1, "
                            "?2, ?3, ?4, ?5, ?6, ?7)",
                            "iissssi", row->chat, row->parent, or_empty (row->kind), or_empty (row->state),
                            or_empty (row->text), or_object (row->data), row->created))
    return FALSE;
  id = sqlite3_last_insert_rowid (interp_database_get_handle (database));
  if (request->flag
      && !interp_database_run (database, error, "UPDATE chat SET head = ?2 WHERE id = ?1", "ii", row->chat, id))
    return FALSE;
  touch (database, row->chat, FALSE);
  give_int (result, id);
  return TRUE;
}

gboolean
interp_store_query_update_item (InterpDatabase *database, gpointer data, GValue *result, GError **error)
{
  InterpStoreRequest *request = data;
  const InterpItemRow *row = request->item_row;
  gint64 chat = find_chat (database, row->id, error);

  if (chat == 0
      || !interp_database_run (database, error, "UPDATE item SET state = ?2, text = ?3, data = ?4 WHERE id = ?1",
                               "isss", row->id, or_empty (row->state), or_empty (row->text), or_object (row->data))
      || !interp_database_run (database, error, "DELETE FROM delta WHERE item = ?1", "i", row->id))
    return FALSE;
  touch (database, chat, FALSE);
  give_true (result);
  return TRUE;
}

gboolean
interp_store_query_append (InterpDatabase *database, gpointer data, GValue *result, GError **error)
{
  InterpStoreRequest *request = data;
  gint64 chat = find_chat (database, request->item, error);

  if (chat == 0
      || !interp_database_run (database, error,
                               "INSERT INTO delta (item, place, text)"
                               "  SELECT ?1, coalesce (max (place), 0) + 1, ?2 FROM delta WHERE item = ?1",
                               "is", request->item, request->text))
    return FALSE;
  touch (database, chat, FALSE);
  give_true (result);
  return TRUE;
}

gboolean
interp_store_query_set_head (InterpDatabase *database, gpointer data, GValue *result, GError **error)
{
  InterpStoreRequest *request = data;

  if (request->item != 0)
    {
      gint64 chat = find_chat (database, request->item, error);

      if (chat != request->chat)
        return chat == 0 ? FALSE : not_found (error);
    }
  if (!interp_database_run (database, error, "UPDATE chat SET head = ?2 WHERE id = ?1", "ii", request->chat,
                            request->item)
      || !require_change (database, error))
    return FALSE;
  touch (database, request->chat, FALSE);
  give_true (result);
  return TRUE;
}

gboolean
interp_store_query_load_branch (InterpDatabase *database, gpointer data, GValue *result, GError **error)
{
  InterpStoreRequest *request = data;

  /* A parent's id is smaller, so that a damaged row makes no endless walk. CROSS JOIN and + keep SQLite to
   * the items' ids: it would read the whole table for the order. */
  return read_items (database,
                     interp_database_query (
                         database, error,
                         "WITH RECURSIVE branch (id, parent, depth) AS ("
                         "  SELECT id, parent, 1 FROM item WHERE +chat = ?1"
                         "    AND id = iif (?2 <> 0, ?2, (SELECT head FROM chat WHERE id = ?1))"
                         "  UNION ALL SELECT item.id, item.parent, depth + 1 FROM branch CROSS JOIN item "
                         "ON item.id = branch.parent"
                         "    WHERE item.chat = ?1 AND item.id < branch.id AND (depth < ?3 OR ?3 = 0))"
                         "SELECT " ITEM_COLUMNS " FROM branch CROSS JOIN item ON item.id = branch.id ORDER BY item.id",
                         "iii", request->chat, request->item, (gint64) request->limit),
                     result, error);
}

gboolean
interp_store_query_load_children (InterpDatabase *database, gpointer data, GValue *result, GError **error)
{
  InterpStoreRequest *request = data;

  return read_items (database,
                     interp_database_query (database, error,
                                            "SELECT " ITEM_COLUMNS
                                            " FROM item WHERE chat = ?1 AND parent = ?2 ORDER BY id",
                                            "ii", request->chat, request->item),
                     result, error);
}

gboolean
interp_store_query_find_leaf (InterpDatabase *database, gpointer data, GValue *result, GError **error)
{
  InterpStoreRequest *request = data;
  gint64 leaf = 0;

  /* Children have greater ids, so the greatest of all below is a leaf, and the newest. */
  if (!interp_database_get_int (database, &leaf, error,
                                "WITH RECURSIVE below (id, chat) AS ("
                                "  SELECT id, chat FROM item WHERE id = ?1"
                                "  UNION ALL SELECT item.id, item.chat FROM below"
                                "    CROSS JOIN item ON item.chat = below.chat AND item.parent = below.id "
                                "AND item.id > below.id)"
                                "SELECT max (id) FROM below",
                                "i", request->item))
    return FALSE;
  if (leaf == 0)
    return not_found (error);
  give_int (result, leaf);
  return TRUE;
}
