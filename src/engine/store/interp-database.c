/* interp-database.c: one SQLite connection, used by one thread at a time
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "store/interp-database.h"

#include <errno.h>
#include <glib/gi18n.h>

#include "store/interp-search-tokenizer.h"
#include "store/interp-store.h"

/* How long one process waits for another's transaction. */
#define BUSY_TIMEOUT_MSEC 5000

struct _InterpDatabase
{
  sqlite3 *handle;
  GHashTable *statements; /* SQL → sqlite3_stmt */
  gpointer user_data;
};

static void
set_error (InterpDatabase *self, int code, GError **error)
{
  int system_errno = self->handle != NULL ? sqlite3_system_errno (self->handle) : 0;

  switch (code & 0xff)
    {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      g_set_error_literal (error, INTERP_STORE_ERROR, INTERP_STORE_ERROR_DAMAGED,
                           _ ("The file of the conversations is damaged."));
      return;
    case SQLITE_READONLY:
      g_set_error_literal (error, INTERP_STORE_ERROR, INTERP_STORE_ERROR_READ_ONLY,
                           _ ("The conversations cannot be written: their folder is read-only."));
      return;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      g_set_error_literal (error, INTERP_STORE_ERROR, INTERP_STORE_ERROR_BUSY,
                           _ ("Another program keeps the conversations locked."));
      return;
    case SQLITE_FULL:
      break;
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
      /* SQLite tells only ENOSPC apart. */
      if (system_errno == ENOSPC || system_errno == EDQUOT || system_errno == EFBIG)
        break;
      if (system_errno == EACCES || system_errno == EROFS || system_errno == EPERM)
        {
          g_set_error (error, INTERP_STORE_ERROR, INTERP_STORE_ERROR_READ_ONLY,
                       _ ("The conversations cannot be opened: %s."), g_strerror (system_errno));
          return;
        }
      if (system_errno != 0)
        {
          g_set_error (error, INTERP_STORE_ERROR, INTERP_STORE_ERROR_FAILED,
                       _ ("The conversations cannot be read or written: %s."), g_strerror (system_errno));
          return;
        }
      G_GNUC_FALLTHROUGH;
    default:
      g_set_error (error, INTERP_STORE_ERROR, INTERP_STORE_ERROR_FAILED,
                   _ ("The conversations cannot be read or written (%s)."),
                   self->handle != NULL ? sqlite3_errmsg (self->handle) : sqlite3_errstr (code));
      return;
    }

  g_set_error_literal (error, INTERP_STORE_ERROR, INTERP_STORE_ERROR_FULL,
                       _ ("The disk is full: the conversation cannot be saved."));
}

static void
finalize_statement (gpointer statement)
{
  sqlite3_finalize (statement);
}

InterpDatabase *
interp_database_open (const char *path, InterpDatabaseMode mode, GError **error)
{
  g_autoptr (InterpDatabase) self = g_new0 (InterpDatabase, 1);
  g_autofree char *escaped = g_uri_escape_string (path, "/", FALSE);
  g_autofree char *uri
      = g_strconcat ("file:", escaped, mode == INTERP_DATABASE_IMMUTABLE ? "?immutable=1" : NULL, NULL);
  int flags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
  int code;

  g_return_val_if_fail (path != NULL, NULL);

  flags |= mode == INTERP_DATABASE_WRITE ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
  self->statements = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, finalize_statement);
  code = sqlite3_open_v2 (uri, &self->handle, flags, NULL);
  if (code != SQLITE_OK)
    {
      set_error (self, code, error);
      return NULL;
    }
  sqlite3_extended_result_codes (self->handle, 1);
  sqlite3_busy_timeout (self->handle, BUSY_TIMEOUT_MSEC);
  /* The file comes from a folder others may have written to: no SQL of its schema may have side effects. */
  sqlite3_db_config (self->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  sqlite3_db_config (self->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  if (!interp_search_tokenizer_register (self->handle))
    {
      set_error (self, sqlite3_errcode (self->handle), error);
      return NULL;
    }
  return g_steal_pointer (&self);
}

void
interp_database_close (InterpDatabase *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->statements, g_hash_table_unref);
  sqlite3_close_v2 (self->handle);
  g_free (self);
}

sqlite3 *
interp_database_get_handle (InterpDatabase *self)
{
  return self->handle;
}

void
interp_database_set_user_data (InterpDatabase *self, gpointer data)
{
  self->user_data = data;
}

gpointer
interp_database_get_user_data (InterpDatabase *self)
{
  return self->user_data;
}

gboolean
interp_database_script (InterpDatabase *self, const char *sql, GError **error)
{
  int code = sqlite3_exec (self->handle, sql, NULL, NULL, NULL);

  if (code == SQLITE_OK)
    return TRUE;
  set_error (self, code, error);
  return FALSE;
}

static sqlite3_stmt *
query_valist (InterpDatabase *self, GError **error, const char *sql, const char *format, va_list values)
{
  sqlite3_stmt *statement = g_hash_table_lookup (self->statements, sql);
  int code = SQLITE_OK;

  if (statement == NULL)
    {
      code = sqlite3_prepare_v3 (self->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL);
      if (code != SQLITE_OK)
        {
          set_error (self, code, error);
          return NULL;
        }
      g_hash_table_insert (self->statements, g_strdup (sql), statement);
    }

  g_assert (!sqlite3_stmt_busy (statement));
  for (int i = 0; code == SQLITE_OK && format[i] != '\0'; i++)
    {
      if (format[i] == 'i')
        code = sqlite3_bind_int64 (statement, i + 1, va_arg (values, gint64));
      else
        code = sqlite3_bind_text (statement, i + 1, va_arg (values, const char *), -1, SQLITE_TRANSIENT);
    }
  if (code != SQLITE_OK)
    {
      set_error (self, code, error);
      return NULL;
    }
  return statement;
}

sqlite3_stmt *
interp_database_query (InterpDatabase *self, GError **error, const char *sql, const char *format, ...)
{
  sqlite3_stmt *statement;
  va_list values;

  va_start (values, format);
  statement = query_valist (self, error, sql, format, values);
  va_end (values);
  return statement;
}

gboolean
interp_database_step (InterpDatabase *self, sqlite3_stmt *statement, GError **error)
{
  int code = sqlite3_step (statement);

  if (code == SQLITE_ROW)
    return TRUE;
  if (code != SQLITE_DONE)
    set_error (self, code, error);
  interp_database_reset (statement);
  return FALSE;
}

void
interp_database_reset (sqlite3_stmt *statement)
{
  sqlite3_reset (statement);
  sqlite3_clear_bindings (statement);
}

gboolean
interp_database_run (InterpDatabase *self, GError **error, const char *sql, const char *format, ...)
{
  g_autoptr (GError) local_error = NULL;
  sqlite3_stmt *statement;
  va_list values;

  va_start (values, format);
  statement = query_valist (self, error, sql, format, values);
  va_end (values);
  if (statement == NULL)
    return FALSE;
  while (interp_database_step (self, statement, &local_error))
    ;
  if (local_error == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&local_error));
  return FALSE;
}

gboolean
interp_database_get_int (InterpDatabase *self, gint64 *value, GError **error, const char *sql, const char *format, ...)
{
  g_autoptr (GError) local_error = NULL;
  sqlite3_stmt *statement;
  va_list values;

  va_start (values, format);
  statement = query_valist (self, error, sql, format, values);
  va_end (values);
  if (statement == NULL)
    return FALSE;
  if (interp_database_step (self, statement, &local_error))
    {
      *value = sqlite3_column_int64 (statement, 0);
      interp_database_reset (statement);
    }
  if (local_error == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&local_error));
  return FALSE;
}

char *
interp_database_dup_text (sqlite3_stmt *statement, int column)
{
  const char *text = (const char *) sqlite3_column_text (statement, column);

  if (text == NULL)
    return g_strdup ("");
  return g_utf8_make_valid (text, -1);
}
