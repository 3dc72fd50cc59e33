/* interp-store-salvage.c: what can still be read from a damaged database
 *
 * Each table is read from its start until the damage, then from its end back to it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "store/interp-store-salvage.h"

typedef struct
{
  const char *forward;
  const char *backward;
  const char *insert;
} Table;

#define CHAT_COLUMNS "id, title, folder, model, mode, draft, data, created, updated, pinned, deleted, head"
#define ITEM_COLUMNS "id, chat, parent, kind, state, text, data, created"

static const Table tables[] = {
  { "SELECT " CHAT_COLUMNS " FROM chat NOT INDEXED ORDER BY id",
    "SELECT " CHAT_COLUMNS " FROM chat NOT INDEXED ORDER BY id DESC",
    "INSERT OR IGNORE INTO chat (" CHAT_COLUMNS ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)" },
  { "SELECT " ITEM_COLUMNS " FROM item NOT INDEXED ORDER BY id",
    "SELECT " ITEM_COLUMNS " FROM item NOT INDEXED ORDER BY id DESC",
    "INSERT OR IGNORE INTO item (" ITEM_COLUMNS ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)" },
  { "SELECT item, place, text FROM delta ORDER BY item, place",
    "SELECT item, place, text FROM delta ORDER BY item DESC, place DESC",
    "INSERT OR IGNORE INTO delta (item, place, text) VALUES (?1, ?2, ?3)" },
};

/* A chat whose row is lost, for items that are not. */
static const char *const completion
    = "INSERT INTO chat (id, title, folder, model, mode, draft, data, created, updated)"
      "  SELECT chat, '', '', '', 'ask', '', '{}', min (created), max (created) FROM item"
      "  WHERE chat NOT IN (SELECT id FROM chat) GROUP BY chat;"
      "UPDATE chat SET head = coalesce ((SELECT max (item.id) FROM item WHERE item.chat = chat.id), 0)"
      "  WHERE head NOT IN (SELECT item.id FROM item WHERE item.chat = chat.id);"
      "DELETE FROM delta WHERE item NOT IN (SELECT id FROM item);";

static void
copy_row (sqlite3_stmt *from, InterpDatabase *database, const char *insert)
{
  sqlite3_stmt *to = interp_database_query (database, NULL, insert, "");

  if (to == NULL)
    return;
  for (int i = 0; i < sqlite3_column_count (from); i++)
    sqlite3_bind_value (to, i + 1, sqlite3_column_value (from, i));
  /* A row that breaks a rule is part of the damage. */
  while (interp_database_step (database, to, NULL))
    ;
}

/* FALSE: damage was met. */
static gboolean
copy_rows (InterpDatabase *damaged, InterpDatabase *database, const char *select, const char *insert)
{
  sqlite3_stmt *from = interp_database_query (damaged, NULL, select, "");
  g_autoptr (GError) error = NULL;

  if (from == NULL)
    return FALSE;
  while (interp_database_step (damaged, from, &error))
    copy_row (from, database, insert);
  return error == NULL;
}

guint
interp_store_salvage (const char *path, InterpDatabase *database)
{
  g_autoptr (InterpDatabase) damaged = interp_database_open (path, INTERP_DATABASE_READ, NULL);
  gint64 n_chats = 0;

  if (damaged == NULL)
    return 0;
  /* A file shorter than its header says is read as far as it goes only with this; the connection cannot
   * write. */
  sqlite3_db_config (interp_database_get_handle (damaged), SQLITE_DBCONFIG_DEFENSIVE, 0, NULL);
  interp_database_script (damaged, "PRAGMA writable_schema = ON", NULL);
  if (!interp_database_script (database, "PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE;", NULL))
    return 0;
  for (guint i = 0; i < G_N_ELEMENTS (tables); i++)
    if (!copy_rows (damaged, database, tables[i].forward, tables[i].insert))
      copy_rows (damaged, database, tables[i].backward, tables[i].insert);
  interp_database_script (database, completion, NULL);
  interp_database_get_int (database, &n_chats, NULL, "SELECT count (*) FROM chat", "");
  if (!interp_database_script (database, "COMMIT;", NULL))
    {
      interp_database_script (database, "ROLLBACK;", NULL);
      n_chats = 0;
    }
  interp_database_script (database, "PRAGMA foreign_keys = ON;", NULL);
  return n_chats;
}
