-- Schema 1, as version 0.1 wrote it.
CREATE TABLE chat ( id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL, folder TEXT NOT NULL, model TEXT NOT NULL, mode TEXT NOT NULL, draft TEXT NOT NULL, data TEXT NOT NULL, created INTEGER NOT NULL, updated INTEGER NOT NULL, pinned INTEGER NOT NULL DEFAULT 0, deleted INTEGER NOT NULL DEFAULT 0, head INTEGER NOT NULL DEFAULT 0, version INTEGER NOT NULL DEFAULT 0, list_version INTEGER NOT NULL DEFAULT 0);
CREATE INDEX chat_version ON chat (version);
CREATE TABLE item ( id INTEGER PRIMARY KEY AUTOINCREMENT, chat INTEGER NOT NULL REFERENCES chat (id) ON DELETE CASCADE, parent INTEGER NOT NULL, kind TEXT NOT NULL, state TEXT NOT NULL, text TEXT NOT NULL, data TEXT NOT NULL, created INTEGER NOT NULL);
CREATE INDEX item_place ON item (chat, parent);
CREATE TABLE delta ( item INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE, place INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (item, place)) WITHOUT ROWID;
CREATE VIRTUAL TABLE title_search USING fts5 (title, content = 'chat', content_rowid = 'id', tokenize = 'interp', prefix = '1 2 3');
CREATE VIRTUAL TABLE text_search USING fts5 (text, content = 'item', content_rowid = 'id', tokenize = 'interp', prefix = '1 2 3');
CREATE TRIGGER chat_added AFTER INSERT ON chat WHEN new.title <> '' BEGIN INSERT INTO title_search (rowid, title) VALUES (new.id, new.title); END;
CREATE TRIGGER chat_removed AFTER DELETE ON chat WHEN old.title <> '' BEGIN INSERT INTO title_search (title_search, rowid, title) VALUES ('delete', old.id, old.title); END;
CREATE TRIGGER chat_changed AFTER UPDATE OF title ON chat WHEN old.title <> new.title BEGIN INSERT INTO title_search (title_search, rowid, title) SELECT 'delete', old.id, old.title WHERE old.title <> ''; INSERT INTO title_search (rowid, title) SELECT new.id, new.title WHERE new.title <> ''; END;
CREATE TRIGGER item_added AFTER INSERT ON item WHEN new.text <> '' BEGIN INSERT INTO text_search (rowid, text) VALUES (new.id, new.text); END;
CREATE TRIGGER item_removed AFTER DELETE ON item WHEN old.text <> '' BEGIN INSERT INTO text_search (text_search, rowid, text) VALUES ('delete', old.id, old.text); END;
CREATE TRIGGER item_changed AFTER UPDATE OF text ON item WHEN old.text <> new.text BEGIN INSERT INTO text_search (text_search, rowid, text) SELECT 'delete', old.id, old.text WHERE old.text <> ''; INSERT INTO text_search (rowid, text) SELECT new.id, new.text WHERE new.text <> ''; END;
INSERT INTO chat (id, title, folder, model, mode, draft, data, created, updated, head, version, list_version)
 VALUES (1, 'old chat', '/home/a', 'ollama/x', 'ask', 'half', '{}', 1760000000000, 1760000000001, 2, 4, 1);
INSERT INTO item (id, chat, parent, kind, state, text, data, created) VALUES
 (1, 1, 0, 'user', 'complete', 'question', '{}', 1760000000000),
 (2, 1, 1, 'assistant', 'open', 'answer ', '{}', 1760000000001);
INSERT INTO delta (item, place, text) VALUES (2, 1, 'in '), (2, 2, 'pieces');
PRAGMA user_version = 1;
