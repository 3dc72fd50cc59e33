/* interp-store-schema.c: tables, and how older ones become newer ones
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "store/interp-store-schema.h"

/* Step i brings a database of version i to version i + 1. A step that has been released never changes; each
 * version has a fixture in tests/unit/store/schemas.
 *
 * Ids are never used again (AUTOINCREMENT): log folders and lock files are named by them. A parent always has
 * a smaller id than its children. "version" counts changes over all chats, so that other processes see which
 * have moved; "list_version" is its value when something that the list of chats shows moved.
 *
 * The search tables hold no text of their own: the triggers give them exactly the text that the rows have,
 * which they must be told again when it goes. */
static const char *const steps[] = {
  "CREATE TABLE chat ("
  "  id INTEGER PRIMARY KEY AUTOINCREMENT,"
  "  title TEXT NOT NULL, folder TEXT NOT NULL, model TEXT NOT NULL, mode TEXT NOT NULL, draft TEXT NOT "
  "NULL, data TEXT NOT NULL,"
  "  created INTEGER NOT NULL, updated INTEGER NOT NULL, pinned INTEGER NOT NULL DEFAULT 0, deleted INTEGER "
  "NOT NULL DEFAULT 0,"
  "  head INTEGER NOT NULL DEFAULT 0, version INTEGER NOT NULL DEFAULT 0, list_version INTEGER NOT NULL "
  "DEFAULT 0);"
  "CREATE INDEX chat_version ON chat (version);"
  "CREATE TABLE item ("
  "  id INTEGER PRIMARY KEY AUTOINCREMENT,"
  "  chat INTEGER NOT NULL REFERENCES chat (id) ON DELETE CASCADE,"
  "  parent INTEGER NOT NULL, kind TEXT NOT NULL, state TEXT NOT NULL, text TEXT NOT NULL, data TEXT NOT "
  "NULL,"
  "  created INTEGER NOT NULL);"
  "CREATE INDEX item_place ON item (chat, parent);"
  "CREATE TABLE delta ("
  "  item INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE, place INTEGER NOT NULL, text TEXT NOT "
  "NULL,"
  "  PRIMARY KEY (item, place)) WITHOUT ROWID;"
  "CREATE VIRTUAL TABLE title_search USING fts5 (title, content = 'chat', content_rowid = 'id', tokenize = "
  "'interp', prefix = '1 2 3');"
  "CREATE VIRTUAL TABLE text_search USING fts5 (text, content = 'item', content_rowid = 'id', tokenize = "
  "'interp', prefix = '1 2 3');"
  "CREATE TRIGGER chat_added AFTER INSERT ON chat WHEN new.title <> '' BEGIN"
  "  INSERT INTO title_search (rowid, title) VALUES (new.id, new.title); END;"
  "CREATE TRIGGER chat_removed AFTER DELETE ON chat WHEN old.title <> '' BEGIN"
  "  INSERT INTO title_search (title_search, rowid, title) VALUES ('delete', old.id, old.title); END;"
  "CREATE TRIGGER chat_changed AFTER UPDATE OF title ON chat WHEN old.title <> new.title BEGIN"
  "  INSERT INTO title_search (title_search, rowid, title) SELECT 'delete', old.id, old.title WHERE "
  "old.title <> '';"
  "  INSERT INTO title_search (rowid, title) SELECT new.id, new.title WHERE new.title <> ''; END;"
  "CREATE TRIGGER item_added AFTER INSERT ON item WHEN new.text <> '' BEGIN"
  "  INSERT INTO text_search (rowid, text) VALUES (new.id, new.text); END;"
  "CREATE TRIGGER item_removed AFTER DELETE ON item WHEN old.text <> '' BEGIN"
  "  INSERT INTO text_search (text_search, rowid, text) VALUES ('delete', old.id, old.text); END;"
  "CREATE TRIGGER item_changed AFTER UPDATE OF text ON item WHEN old.text <> new.text BEGIN"
  "  INSERT INTO text_search (text_search, rowid, text) SELECT 'delete', old.id, old.text WHERE old.text <> "
  "'';"
  "  INSERT INTO text_search (rowid, text) SELECT new.id, new.text WHERE new.text <> ''; END;",
};

int
interp_store_schema_version (void)
{
  return G_N_ELEMENTS (steps);
}

gboolean
interp_store_schema_migrate (InterpDatabase *database, int from, GError **error)
{
  for (int i = MAX (from, 0); i < (int) G_N_ELEMENTS (steps); i++)
    {
      g_autofree char *script
          = g_strdup_printf ("BEGIN IMMEDIATE; %s PRAGMA user_version = %d; COMMIT;", steps[i], i + 1);

      if (!interp_database_script (database, script, error))
        {
          sqlite3_exec (interp_database_get_handle (database), "ROLLBACK", NULL, NULL, NULL);
          return FALSE;
        }
    }
  return TRUE;
}
