/* interp-store-logs.c: raw output of code, a folder a chat
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/interp-store-blobs.h"

#define LOG_FOLDER "logs"
/* For all chats together; the oldest go first. What a cell shows is in its row and stays. */
#define LOGS_MAX (G_GINT64_CONSTANT (2) * 1024 * 1024 * 1024)
#define MAX_DEPTH 4

typedef struct
{
  char *path;
  goffset size;
  gint64 modified;
} Log;

static void
log_free (Log *log)
{
  g_free (log->path);
  g_free (log);
}

static int
compare_age (gconstpointer a, gconstpointer b)
{
  const Log *first = *(Log *const *) a;
  const Log *second = *(Log *const *) b;

  return first->modified < second->modified ? -1 : first->modified > second->modified;
}

/* Never through a link. */
static void
remove_tree (const char *path, guint depth)
{
  g_autoptr (GDir) dir = NULL;
  struct stat status;
  const char *name;

  if (lstat (path, &status) != 0)
    return;
  if (!S_ISDIR (status.st_mode))
    {
      g_unlink (path);
      return;
    }
  dir = depth < MAX_DEPTH ? g_dir_open (path, 0, NULL) : NULL;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);

      remove_tree (child, depth + 1);
    }
  g_rmdir (path);
}

static void
list_logs (const char *path, guint depth, GPtrArray *logs)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);
      struct stat status;

      if (lstat (child, &status) != 0)
        continue;
      if (S_ISDIR (status.st_mode) && depth < MAX_DEPTH)
        list_logs (child, depth + 1, logs);
      else if (S_ISREG (status.st_mode))
        {
          Log *log = g_new0 (Log, 1);

          log->path = g_steal_pointer (&child);
          log->size = status.st_size;
          log->modified = status.st_mtim.tv_sec;
          g_ptr_array_add (logs, log);
        }
    }
}

void
interp_store_logs_remove (const char *folder, gint64 chat)
{
  g_autofree char *name = g_strdup_printf ("%" G_GINT64_FORMAT, chat);
  g_autofree char *path = g_build_filename (folder, LOG_FOLDER, name, NULL);

  remove_tree (path, 0);
}

void
interp_store_logs_collect (const char *folder, InterpDatabase *database)
{
  g_autofree char *root = g_build_filename (folder, LOG_FOLDER, NULL);
  g_autoptr (GPtrArray) logs = g_ptr_array_new_with_free_func ((GDestroyNotify) log_free);
  g_autoptr (GDir) dir = g_dir_open (root, 0, NULL);
  const char *name;
  goffset total = 0;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      gint64 chat = g_ascii_strtoll (name, NULL, 10);
      gint64 known = 0;

      if (chat > 0 && interp_database_get_int (database, &known, NULL, "SELECT id FROM chat WHERE id = ?1", "i", chat)
          && known == 0)
        interp_store_logs_remove (folder, chat);
    }

  list_logs (root, 0, logs);
  g_ptr_array_sort (logs, compare_age);
  for (guint i = 0; i < logs->len; i++)
    total += ((Log *) g_ptr_array_index (logs, i))->size;
  for (guint i = 0; i < logs->len && total > LOGS_MAX; i++)
    {
      Log *log = g_ptr_array_index (logs, i);

      if (g_unlink (log->path) == 0)
        total -= log->size;
    }
}
