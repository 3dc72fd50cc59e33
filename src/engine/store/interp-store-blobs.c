/* interp-store-blobs.c: files that belong to rows
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "store/interp-store-blobs.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/interp-store.h"

#define BLOB_FOLDER "blobs"
#define BLOB_MAX (256 * 1024 * 1024)
#define BLOB_GRACE_MSEC (24 * 60 * 60 * G_GINT64_CONSTANT (1000))
#define HASH_LENGTH 64
#define PIECE (256 * 1024)
#define COLLECT_STAMP ".collected"
#define PUT_LOCK ".lock"

static gboolean
fail (GError **error, int code)
{
  if (code == ENOSPC || code == EDQUOT || code == EFBIG)
    g_set_error_literal (error, INTERP_STORE_ERROR, INTERP_STORE_ERROR_FULL,
                         _ ("The disk is full: the file cannot be saved."));
  else if (code == EACCES || code == EROFS || code == EPERM)
    g_set_error_literal (error, INTERP_STORE_ERROR, INTERP_STORE_ERROR_READ_ONLY,
                         _ ("The file cannot be saved: the folder is read-only."));
  else
    g_set_error (error, INTERP_STORE_ERROR, INTERP_STORE_ERROR_FAILED, _ ("The file cannot be saved: %s."),
                 g_strerror (code));
  return FALSE;
}

static gboolean
too_large (GError **error)
{
  g_set_error_literal (error, INTERP_STORE_ERROR, INTERP_STORE_ERROR_FAILED, _ ("The file is larger than 256 MB."));
  return FALSE;
}

static gboolean
write_all (int fd, const guint8 *bytes, gsize length, GError **error)
{
  while (length > 0)
    {
      gssize n = write (fd, bytes, length);

      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return fail (error, errno);
      bytes += n;
      length -= n;
    }
  return TRUE;
}

/* A suffix that names nothing but a kind of file. */
static char *
clean_extension (const char *extension)
{
  GString *clean = g_string_new (NULL);

  if (extension != NULL && *extension == '.')
    extension++;
  for (const char *p = extension; p != NULL && *p != '\0' && clean->len < 11; p++)
    if (g_ascii_isalnum (*p))
      {
        if (clean->len == 0)
          g_string_append_c (clean, '.');
        g_string_append_c (clean, g_ascii_tolower (*p));
      }
  return g_string_free_and_steal (clean);
}

/* Taken shared by who puts, exclusively by who removes: what was just put again is not removed. */
static int
lock_blobs (const char *blobs, int operation)
{
  g_autofree char *path = g_build_filename (blobs, PUT_LOCK, NULL);
  int fd = open (path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

  if (fd >= 0)
    while (flock (fd, operation) != 0 && errno == EINTR)
      ;
  return fd;
}

/* Either @bytes or what @source gives. */
static char *
put (const char *folder, GBytes *bytes, int source, const char *extension, GError **error)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autofree char *suffix = clean_extension (extension);
  g_autofree char *blobs = g_build_filename (folder, BLOB_FOLDER, NULL);
  g_autofree char *temporary = g_build_filename (blobs, ".new-XXXXXX", NULL);
  g_autofree char *name = NULL;
  g_autofree char *path = NULL;
  gboolean fine = TRUE;
  int lock;
  int fd;

  if (g_mkdir_with_parents (blobs, 0700) != 0)
    {
      fail (error, errno);
      return NULL;
    }
  fd = g_mkstemp_full (temporary, O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0)
    {
      fail (error, errno);
      return NULL;
    }

  if (bytes != NULL)
    {
      gsize length;
      const guint8 *content = g_bytes_get_data (bytes, &length);

      if (length > BLOB_MAX)
        fine = too_large (error);
      else
        {
          g_checksum_update (checksum, content, length);
          fine = write_all (fd, content, length, error);
        }
    }
  else
    {
      g_autofree guint8 *piece = g_malloc (PIECE);
      gsize total = 0;

      while (fine)
        {
          gssize n = read (source, piece, PIECE);

          if (n < 0 && errno == EINTR)
            continue;
          if (n == 0)
            break;
          total += MAX (n, 0);
          if (n < 0)
            fine = fail (error, errno);
          else if (total > BLOB_MAX)
            fine = too_large (error);
          else
            {
              g_checksum_update (checksum, piece, n);
              fine = write_all (fd, piece, n, error);
            }
        }
    }
  if (close (fd) != 0 && fine)
    fine = fail (error, errno);
  if (!fine)
    {
      g_unlink (temporary);
      return NULL;
    }

  name = g_strconcat (g_checksum_get_string (checksum), suffix, NULL);
  path = g_build_filename (blobs, name, NULL);
  /* Over an older copy too: the content is the same, and the time is fresh. */
  lock = lock_blobs (blobs, LOCK_SH);
  if (g_rename (temporary, path) != 0)
    {
      fail (error, errno);
      g_unlink (temporary);
      g_clear_pointer (&path, g_free);
    }
  if (lock >= 0)
    close (lock);
  return g_steal_pointer (&path);
}

char *
interp_store_blobs_put_bytes (const char *folder, GBytes *bytes, const char *extension, GError **error)
{
  return put (folder, bytes, -1, extension, error);
}

char *
interp_store_blobs_put_file (const char *folder, const char *path, const char *extension, GError **error)
{
  /* Not to hang on a pipe. */
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat status;
  char *result = NULL;

  if (fd < 0 || fstat (fd, &status) != 0 || !S_ISREG (status.st_mode))
    g_set_error (error, INTERP_STORE_ERROR, INTERP_STORE_ERROR_FAILED, _ ("“%s” cannot be read: %s."), path,
                 fd < 0 ? g_strerror (errno) : _ ("it is not a regular file"));
  else if (status.st_size > BLOB_MAX)
    too_large (error);
  else
    result = put (folder, NULL, fd, extension, error);
  if (fd >= 0)
    close (fd);
  return result;
}

/* ---- collecting ---- */

static gint64
modified (const char *path)
{
  struct stat status;

  return lstat (path, &status) == 0
             ? status.st_mtim.tv_sec * G_GINT64_CONSTANT (1000) + status.st_mtim.tv_nsec / 1000000
             : G_MAXINT64;
}

/* Takes every hash that stands in @text out of @candidates. */
static void
strike_out (GHashTable *candidates, const char *text)
{
  const char *start = text;

  for (const char *p = text;; p++)
    {
      if (g_ascii_isxdigit (*p))
        continue;
      if (p - start == HASH_LENGTH)
        {
          g_autofree char *hash = g_strndup (start, HASH_LENGTH);

          g_hash_table_remove (candidates, hash);
        }
      if (*p == '\0')
        break;
      start = p + 1;
    }
}

/* Hash → path of all blobs put before @before. */
static GHashTable *
find_old (const char *blobs, gint64 before)
{
  GHashTable *candidates = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GDir) dir = g_dir_open (blobs, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (blobs, name, NULL);

      if (modified (path) >= before)
        continue;
      if (g_str_has_prefix (name, ".new-"))
        g_unlink (path); /* left by a killed process */
      else if (strspn (name, "0123456789abcdef") == HASH_LENGTH)
        g_hash_table_insert (candidates, g_strndup (name, HASH_LENGTH), g_steal_pointer (&path));
    }
  return candidates;
}

static gboolean
strike_out_all (GHashTable *candidates, InterpDatabase *database, const char *sql)
{
  g_autoptr (GError) error = NULL;
  sqlite3_stmt *statement = interp_database_query (database, &error, sql, "");

  while (statement != NULL && interp_database_step (database, statement, &error))
    {
      const char *text = (const char *) sqlite3_column_text (statement, 0);

      if (text != NULL)
        strike_out (candidates, text);
    }
  return error == NULL;
}

void
interp_store_blobs_collect (const char *folder, InterpDatabase *database, gint64 now)
{
  g_autofree char *blobs = g_build_filename (folder, BLOB_FOLDER, NULL);
  g_autofree char *stamp = g_build_filename (blobs, COLLECT_STAMP, NULL);
  g_autoptr (GHashTable) candidates = NULL;
  gint64 last = modified (stamp);
  gint64 before = now - BLOB_GRACE_MSEC;
  GHashTableIter iter;
  gpointer path;
  int lock;

  if (!g_file_test (blobs, G_FILE_TEST_IS_DIR) || (last != G_MAXINT64 && last > before))
    return;
  candidates = find_old (blobs, before);
  /* One row that cannot be read may name any of them. */
  if (g_hash_table_size (candidates) > 0
      && (!strike_out_all (candidates, database, "SELECT data FROM item")
          || !strike_out_all (candidates, database, "SELECT data FROM chat")))
    return;
  lock = lock_blobs (blobs, LOCK_EX);
  if (lock < 0)
    return;
  g_hash_table_iter_init (&iter, candidates);
  while (g_hash_table_iter_next (&iter, NULL, &path))
    if (modified (path) < before)
      g_unlink (path);
  close (lock);
  g_file_set_contents_full (stamp, "", 0, G_FILE_SET_CONTENTS_NONE, 0600, NULL);
}
