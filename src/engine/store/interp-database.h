/* interp-database.h: one SQLite connection, used by one thread at a time
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <glib.h>
#include <sqlite3.h>

G_BEGIN_DECLS

typedef struct _InterpDatabase InterpDatabase;

typedef enum
{
  INTERP_DATABASE_WRITE,     /* makes the file when missing */
  INTERP_DATABASE_READ,      /* others may write */
  INTERP_DATABASE_IMMUTABLE, /* nobody can write: a folder without write permission */
} InterpDatabaseMode;

/* Errors of all functions: INTERP_STORE_ERROR, messages are sentences. */
InterpDatabase *interp_database_open (const char *path, InterpDatabaseMode mode, GError **error);
void interp_database_close (InterpDatabase *self);
sqlite3 *interp_database_get_handle (InterpDatabase *self);

/* What the owner of the connection keeps with it. */
void interp_database_set_user_data (InterpDatabase *self, gpointer data);
gpointer interp_database_get_user_data (InterpDatabase *self);

/* Several statements without values. */
gboolean interp_database_script (InterpDatabase *self, const char *sql, GError **error);

/* A statement with its values bound. @format has a letter a value: i (gint64), s (const char *, nullable).
 * The statement is kept for the next use of the same @sql, so it must not be in use twice at once. Step it
 * until it ends, or call interp_database_reset (). */
sqlite3_stmt *interp_database_query (InterpDatabase *self, GError **error, const char *sql, const char *format, ...);
/* TRUE: a row. FALSE: the end, or @error is set; the statement is reset. */
gboolean interp_database_step (InterpDatabase *self, sqlite3_stmt *statement, GError **error);
void interp_database_reset (sqlite3_stmt *statement);
/* Runs a statement that gives no rows. */
gboolean interp_database_run (InterpDatabase *self, GError **error, const char *sql, const char *format, ...);
/* The first column of the first row; *@value keeps its value when there is no row. FALSE with @error. */
gboolean interp_database_get_int (InterpDatabase *self, gint64 *value, GError **error, const char *sql,
                                  const char *format, ...);

/* A column as valid UTF-8, never NULL. Transfer full. */
char *interp_database_dup_text (sqlite3_stmt *statement, int column);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpDatabase, interp_database_close)

G_END_DECLS
