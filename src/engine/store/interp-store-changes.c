/* interp-store-changes.c: which chats this process changed, and which others did
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "store/interp-store-changes.h"

struct _InterpStoreChanges
{
  InterpStoreChangesFunc func;
  gpointer data;
  GHashTable *touched; /* chat (gint64) → whether the list shows it */
  GHashTable *own;     /* version (gint64) that we gave since the last poll → chat */
  gint64 seen;         /* versions up to here are known */
  gint64 data_version; /* SQLite's: moves when another connection commits */
};

InterpStoreChanges *
interp_store_changes_new (InterpDatabase *database, InterpStoreChangesFunc func, gpointer data)
{
  InterpStoreChanges *self = g_new0 (InterpStoreChanges, 1);

  self->func = func;
  self->data = data;
  self->touched = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  self->own = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  interp_database_get_int (database, &self->data_version, NULL, "PRAGMA data_version", "");
  interp_database_get_int (database, &self->seen, NULL, "SELECT max (version) FROM chat", "");
  return self;
}

void
interp_store_changes_free (InterpStoreChanges *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->touched);
  g_hash_table_unref (self->own);
  g_free (self);
}

void
interp_store_changes_touch (InterpStoreChanges *self, gint64 chat, gboolean list)
{
  if (list || !g_hash_table_contains (self->touched, &chat))
    g_hash_table_insert (self->touched, g_memdup2 (&chat, sizeof chat), GINT_TO_POINTER (list));
}

gboolean
interp_store_changes_commit (InterpStoreChanges *self, InterpDatabase *database, GError **error)
{
  gint64 version = 0;
  gboolean fine;
  GHashTableIter iter;
  gpointer key, value;

  if (g_hash_table_size (self->touched) == 0)
    return TRUE;
  fine = interp_database_get_int (database, &version, error, "SELECT max (version) FROM chat", "");
  g_hash_table_iter_init (&iter, self->touched);
  while (fine && g_hash_table_iter_next (&iter, &key, &value))
    {
      gint64 chat = *(gint64 *) key;

      version++;
      fine = interp_database_run (database, error,
                                  "UPDATE chat SET version = ?1, list_version = iif (?3, ?1, list_version) "
                                  "WHERE id = ?2",
                                  "iii", version, chat, (gint64) GPOINTER_TO_INT (value));
      g_hash_table_insert (self->own, g_memdup2 (&version, sizeof version), g_memdup2 (&chat, sizeof chat));
    }
  g_hash_table_remove_all (self->touched);
  return fine;
}

static gboolean
is_own (InterpStoreChanges *self, gint64 version, gint64 chat)
{
  gint64 *owner = g_hash_table_lookup (self->own, &version);

  return owner != NULL && *owner == chat;
}

void
interp_store_changes_poll (InterpStoreChanges *self, InterpDatabase *database)
{
  g_autoptr (GArray) chats = g_array_new (FALSE, FALSE, sizeof (gint64));
  gint64 data_version = self->data_version;
  gint64 seen = self->seen;
  gboolean list = FALSE;
  sqlite3_stmt *statement;

  if (!interp_database_get_int (database, &data_version, NULL, "PRAGMA data_version", ""))
    return;
  if (data_version != self->data_version)
    {
      statement = interp_database_query (database, NULL,
                                         "SELECT id, version, list_version FROM chat WHERE version > ?1", "i", seen);
      while (statement != NULL && interp_database_step (database, statement, NULL))
        {
          gint64 chat = sqlite3_column_int64 (statement, 0);
          gint64 version = sqlite3_column_int64 (statement, 1);
          gint64 list_version = sqlite3_column_int64 (statement, 2);

          if (!is_own (self, version, chat))
            g_array_append_val (chats, chat);
          if (list_version > seen && !is_own (self, list_version, chat))
            list = TRUE;
          self->seen = MAX (self->seen, version);
        }
      self->data_version = data_version;
    }
  else
    interp_database_get_int (database, &self->seen, NULL, "SELECT max (version) FROM chat", "");
  g_hash_table_remove_all (self->own);

  if (list)
    {
      gint64 zero = 0;

      g_array_prepend_val (chats, zero);
    }
  if (chats->len > 0)
    self->func (chats, self->data);
}
