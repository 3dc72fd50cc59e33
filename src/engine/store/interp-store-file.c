/* interp-store-file.c: the database's file: lock, opening, damage
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "store/interp-store-file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/interp-store-salvage.h"
#include "store/interp-store-schema.h"
#include "store/interp-store.h"

#define DATABASE_NAME "conversations.db"
#define LOCK_NAME "conversations.lock"
#define CHECK_NAME "conversations.check"
/* How long another process may take to make or migrate the database. */
#define LOCK_WAIT_MSEC 10000
#define LOCK_STEP_MSEC 10

void
interp_store_file_free (InterpStoreFile *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->reader, interp_database_close);
  g_clear_pointer (&self->database, interp_database_close);
  if (self->lock >= 0)
    close (self->lock);
  g_free (self->notice);
  g_free (self);
}

void
interp_store_mark_damaged (InterpDatabase *database)
{
  const char *path = sqlite3_db_filename (interp_database_get_handle (database), "main");
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *mark = g_build_filename (folder, CHECK_NAME, NULL);
  int fd = open (mark, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

  if (fd >= 0)
    close (fd);
}

static goffset
file_size (const char *path)
{
  struct stat status;

  return stat (path, &status) == 0 ? status.st_size : -1;
}

/* ---- looking at it ---- */

static gboolean
set_damaged (GError **error)
{
  g_set_error_literal (error, INTERP_STORE_ERROR, INTERP_STORE_ERROR_DAMAGED,
                       _ ("The file of the conversations is damaged."));
  return FALSE;
}

static gboolean
configure (InterpDatabase *database, GError **error)
{
  return interp_database_script (database,
                                 "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA "
                                 "foreign_keys = ON;"
                                 "PRAGMA journal_size_limit = 16777216;",
                                 error);
}

/* What costs nothing with a big store: the header, the length, the schema, the first and last pages of the
 * tables, and the list of chats, which is read at every start anyway. */
static gboolean
probe (InterpDatabase *database, const char *path, gboolean alone, GError **error)
{
  static const char *const queries[] = {
    "SELECT sum (length (title) + length (folder) + updated) FROM chat",
    "SELECT max (id) FROM item",
    "SELECT min (id) FROM item",
    "SELECT item FROM delta LIMIT 1",
  };
  gint64 pages = 0, page_size = 0, ignored = 0;

  if (alone
      && (!interp_database_run (database, error, "PRAGMA wal_checkpoint (PASSIVE)", "")
          || !interp_database_get_int (database, &pages, error, "PRAGMA page_count", "")
          || !interp_database_get_int (database, &page_size, error, "PRAGMA page_size", "")))
    return FALSE;
  if (pages * page_size > file_size (path))
    return set_damaged (error);
  for (guint i = 0; i < G_N_ELEMENTS (queries); i++)
    if (!interp_database_get_int (database, &ignored, error, queries[i], ""))
      return FALSE;
  return TRUE;
}

static gboolean
check_table (InterpDatabase *database, const char *sql, GError **error)
{
  sqlite3_stmt *statement = interp_database_query (database, error, sql, "");
  g_autoptr (GError) local_error = NULL;
  gboolean fine = FALSE;

  if (statement == NULL)
    return FALSE;
  if (interp_database_step (database, statement, &local_error))
    {
      fine = g_strcmp0 ((const char *) sqlite3_column_text (statement, 0), "ok") == 0;
      interp_database_reset (statement);
    }
  return fine || set_damaged (error);
}

/* Reads everything: only after damage was met. A search index alone is made anew. */
static gboolean
check_whole (InterpDatabase *database, GError **error)
{
  return check_table (database, "PRAGMA quick_check (chat)", error)
         && check_table (database, "PRAGMA quick_check (item)", error)
         && check_table (database, "PRAGMA quick_check (delta)", error)
         && interp_database_script (database,
                                    "INSERT INTO title_search (title_search) VALUES ('rebuild');"
                                    "INSERT INTO text_search (text_search) VALUES ('rebuild');",
                                    error);
}

/* ---- setting aside ---- */

static char *
name_aside (const char *folder, gint64 now)
{
  g_autoptr (GDateTime) utc = g_date_time_new_from_unix_utc (now / 1000);
  g_autofree char *date = utc != NULL ? g_date_time_format (utc, "%Y%m%d-%H%M%S") : g_strdup ("0");

  for (int i = 1;; i++)
    {
      g_autofree char *count = i > 1 ? g_strdup_printf ("-%d", i) : g_strdup ("");
      g_autofree char *name = g_strdup_printf ("conversations.damaged-%s%s.db", date, count);
      g_autofree char *path = g_build_filename (folder, name, NULL);

      if (!g_file_test (path, G_FILE_TEST_EXISTS))
        return g_steal_pointer (&path);
    }
}

/* The log first: should this be cut off here, a database without its log is merely damaged still, but a log
 * without its database would be taken for that of the fresh one. */
static gboolean
move_aside (const char *path, const char *aside, GError **error)
{
  static const char *const suffixes[] = { "-wal", "-shm", "" };

  for (guint i = 0; i < G_N_ELEMENTS (suffixes); i++)
    {
      g_autofree char *from = g_strconcat (path, suffixes[i], NULL);
      g_autofree char *to = g_strconcat (aside, suffixes[i], NULL);

      if (g_rename (from, to) != 0 && errno != ENOENT)
        {
          g_set_error (error, INTERP_STORE_ERROR, INTERP_STORE_ERROR_DAMAGED,
                       _ ("The file of the conversations is damaged and cannot be set aside: %s."), g_strerror (errno));
          return FALSE;
        }
    }
  return TRUE;
}

/* ---- opening ---- */

static InterpDatabase *
open_for_writing (const char *path, gboolean alone, gboolean check, gint64 *version, GError **error)
{
  g_autoptr (InterpDatabase) database = NULL;
  gint64 n_tables = 0;
  int fd;

  /* SQLite gives its log and index the file's mode. */
  fd = open (path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd >= 0)
    close (fd);
  database = interp_database_open (path, INTERP_DATABASE_WRITE, error);
  if (database == NULL || !interp_database_get_int (database, version, error, "PRAGMA user_version", ""))
    return NULL;
  if (*version > interp_store_schema_version ())
    return g_steal_pointer (&database);
  if (!configure (database, error)
      || !interp_database_get_int (database, &n_tables, error, "SELECT count (*) FROM sqlite_schema", ""))
    return NULL;
  if (*version < 0 || (*version == 0 && n_tables > 0) || (*version > 0 && n_tables == 0))
    {
      set_damaged (error);
      return NULL;
    }
  if (*version < interp_store_schema_version ())
    {
      if (!alone)
        {
          g_set_error_literal (error, INTERP_STORE_ERROR, INTERP_STORE_ERROR_BUSY,
                               _ ("An older version of Interpreter is running. Close it first."));
          return NULL;
        }
      if (!interp_store_schema_migrate (database, *version, error))
        return NULL;
    }
  if (!probe (database, path, alone, error) || (check && alone && !check_whole (database, error)))
    return NULL;
  return g_steal_pointer (&database);
}

static gboolean
open_read_only (InterpStoreFile *self, const char *path, GError **error)
{
  gint64 ignored = 0;
  g_autofree char *log = g_strconcat (path, "-wal", NULL);

  self->database = interp_database_open (path, INTERP_DATABASE_READ, NULL);
  if (self->database != NULL
      && interp_database_get_int (self->database, &ignored, NULL, "SELECT count (*) FROM chat", ""))
    {
      self->reader = interp_database_open (path, INTERP_DATABASE_READ, error);
      return self->reader != NULL;
    }
  /* Without the right to make the log's index SQLite can only read a file that nobody writes. */
  g_clear_pointer (&self->database, interp_database_close);
  if (file_size (log) > 0)
    {
      g_set_error (error, INTERP_STORE_ERROR, INTERP_STORE_ERROR_READ_ONLY,
                   _ ("The conversations in “%s” cannot be read: the folder is read-only."), path);
      return FALSE;
    }
  self->database = interp_database_open (path, INTERP_DATABASE_IMMUTABLE, error);
  if (self->database == NULL
      || !interp_database_get_int (self->database, &ignored, error, "SELECT count (*) FROM chat", ""))
    return FALSE;
  self->reader = interp_database_open (path, INTERP_DATABASE_IMMUTABLE, error);
  return self->reader != NULL;
}

static gboolean
open_newer (InterpStoreFile *self, const char *path, GError **error)
{
  self->refusal = INTERP_STORE_ERROR_NEWER;
  self->notice = g_strdup (_ ("The conversations were written by a newer version of Interpreter. They can be "
                              "read, but nothing new is "
                              "saved."));
  if (open_read_only (self, path, NULL))
    return TRUE;
  g_set_error_literal (error, INTERP_STORE_ERROR, INTERP_STORE_ERROR_NEWER,
                       _ ("The conversations were written by a newer version of Interpreter and cannot be "
                          "read by this one."));
  return FALSE;
}

/* Sets the damaged file aside and makes a fresh one of what can be read. */
static gboolean
start_afresh (InterpStoreFile *self, const char *folder, const char *path, gint64 now, GError **error)
{
  g_autofree char *aside = name_aside (folder, now);
  g_autofree char *aside_name = g_path_get_basename (aside);
  gint64 version = 0;
  guint n_chats;

  if (!move_aside (path, aside, error))
    return FALSE;
  self->database = open_for_writing (path, TRUE, FALSE, &version, error);
  if (self->database == NULL)
    return FALSE;
  n_chats = interp_store_salvage (aside, self->database);
  if (n_chats > 0)
    self->notice = g_strdup_printf (ngettext ("The file of the conversations was damaged. It was kept as "
                                              "“%s”. %u chat could be read from "
                                              "it; parts of it may be missing.",
                                              "The file of the conversations was damaged. It was kept as "
                                              "“%s”. %u chats could be read "
                                              "from it; parts of them may be missing.",
                                              n_chats),
                                    aside_name, n_chats);
  else
    self->notice = g_strdup_printf (_ ("The file of the conversations was damaged and could not be read. It "
                                       "was kept as “%s”."),
                                    aside_name);
  return TRUE;
}

static int
open_lock (const char *folder, gboolean *alone, GError **error)
{
  g_autofree char *path = g_build_filename (folder, LOCK_NAME, NULL);
  int fd = -1;

  /* Why there is no folder is worth more than that there is none. */
  if (g_mkdir_with_parents (folder, 0700) == 0)
    fd = open (path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0)
    {
      if (errno == EACCES || errno == EROFS || errno == EPERM)
        g_set_error (error, INTERP_STORE_ERROR, INTERP_STORE_ERROR_READ_ONLY,
                     _ ("The folder “%s” cannot be written: conversations cannot be saved."), folder);
      else if (errno == ENOSPC || errno == EDQUOT)
        g_set_error_literal (error, INTERP_STORE_ERROR, INTERP_STORE_ERROR_FULL,
                             _ ("The disk is full: the conversation cannot be saved."));
      else
        g_set_error (error, INTERP_STORE_ERROR, INTERP_STORE_ERROR_FAILED, _ ("The folder “%s” cannot be used: %s."),
                     folder, g_strerror (errno));
      return -1;
    }

  *alone = flock (fd, LOCK_EX | LOCK_NB) == 0;
  for (int waited = 0; !*alone && flock (fd, LOCK_SH | LOCK_NB) != 0; waited += LOCK_STEP_MSEC)
    {
      if (errno != EWOULDBLOCK && errno != EINTR)
        {
          /* A file system without locks: as alone as can be. */
          *alone = TRUE;
          break;
        }
      if (waited >= LOCK_WAIT_MSEC)
        {
          g_set_error_literal (error, INTERP_STORE_ERROR, INTERP_STORE_ERROR_BUSY,
                               _ ("Another program keeps the conversations locked."));
          close (fd);
          return -1;
        }
      g_usleep (LOCK_STEP_MSEC * G_TIME_SPAN_MILLISECOND);
    }
  return fd;
}

InterpStoreFile *
interp_store_file_open (const char *folder, gint64 now, GError **error)
{
  g_autoptr (InterpStoreFile) self = g_new0 (InterpStoreFile, 1);
  g_autofree char *path = g_build_filename (folder, DATABASE_NAME, NULL);
  g_autofree char *mark = g_build_filename (folder, CHECK_NAME, NULL);
  g_autoptr (GError) local_error = NULL;
  gboolean alone = FALSE;
  gboolean check;
  gint64 version = 0;

  self->lock = -1;
  self->refusal = -1;
  g_mkdir_with_parents (folder, 0700);
  self->lock = open_lock (folder, &alone, &local_error);
  if (self->lock < 0)
    {
      if (!g_error_matches (local_error, INTERP_STORE_ERROR, INTERP_STORE_ERROR_READ_ONLY) || file_size (path) <= 0)
        {
          g_propagate_error (error, g_steal_pointer (&local_error));
          return NULL;
        }
      self->refusal = INTERP_STORE_ERROR_READ_ONLY;
      self->notice
          = g_strdup_printf (_ ("The folder “%s” is read-only. Conversations can be read, but nothing new is saved."),
                             folder);
      return open_read_only (self, path, error) ? g_steal_pointer (&self) : NULL;
    }

  check = g_file_test (mark, G_FILE_TEST_EXISTS);
  self->database = open_for_writing (path, alone, check, &version, &local_error);
  if (self->database != NULL && version > interp_store_schema_version ())
    {
      g_clear_pointer (&self->database, interp_database_close);
      if (!open_newer (self, path, error))
        return NULL;
    }
  else if (g_error_matches (local_error, INTERP_STORE_ERROR, INTERP_STORE_ERROR_DAMAGED))
    {
      if (!alone)
        {
          g_set_error_literal (error, INTERP_STORE_ERROR, INTERP_STORE_ERROR_DAMAGED,
                               _ ("The file of the conversations is damaged. Close all windows of "
                                  "Interpreter and start it again to "
                                  "repair it."));
          return NULL;
        }
      if (!start_afresh (self, folder, path, now, error))
        return NULL;
    }
  else if (local_error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&local_error));
      return NULL;
    }

  if (alone)
    {
      if (check)
        g_unlink (mark);
      flock (self->lock, LOCK_SH);
    }
  if (self->reader == NULL)
    self->reader = interp_database_open (path, INTERP_DATABASE_READ, error);
  return self->reader != NULL ? g_steal_pointer (&self) : NULL;
}
