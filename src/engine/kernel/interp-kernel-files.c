/* interp-kernel-files.c: the folder that a kernel and we share
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "kernel/interp-kernel-files.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/openat2.h>

#include <glib/gi18n.h>
#include <glib/gstdio.h>

#include "base/interp-fiber.h"
#include "base/interp-paths.h"

#define SPOOL_PREFIX "kernel-"

static void
set_errno_error (GError **error, int code, const char *path)
{
  g_set_error (error, G_IO_ERROR, (int) g_io_error_from_errno (code), "%s: %s", path, g_strerror (code));
}

/* ---- removing ---- */

static int
remove_cb (const char *path, const struct stat *status, int flag, struct FTW *place)
{
  if (remove (path) < 0)
    g_debug ("%s: %s", path, g_strerror (errno));
  return 0;
}

static DexFuture *
remove_worker (gpointer data)
{
  nftw (data, remove_cb, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
  return dex_future_new_true ();
}

void
interp_kernel_files_remove_spool (const char *spool)
{
  g_return_if_fail (spool != NULL);

  dex_future_disown (interp_worker_run ("remove-spool", remove_worker, g_strdup (spool), g_free));
}

/* What processes of ours that were killed have left. */
static DexFuture *
sweep_worker (gpointer data)
{
  const char *runtime = data;
  g_autoptr (GDir) folder = g_dir_open (runtime, 0, NULL);
  const char *name;

  while (folder && (name = g_dir_read_name (folder)))
    {
      g_autofree char *path = NULL;
      long long pid;

      if (!g_str_has_prefix (name, SPOOL_PREFIX))
        continue;
      pid = g_ascii_strtoll (name + strlen (SPOOL_PREFIX), NULL, 10);
      if (pid <= 0 || pid > G_MAXINT || kill ((pid_t) pid, 0) == 0 || errno != ESRCH)
        continue;
      path = g_build_filename (runtime, name, NULL);
      nftw (path, remove_cb, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
    }
  return dex_future_new_true ();
}

/* ---- making ---- */

char *
interp_kernel_files_make_spool (GError **error)
{
  static gboolean swept;
  g_autofree char *name = g_strdup_printf (SPOOL_PREFIX "%d-XXXXXX", (int) getpid ());
  g_autofree char *spool = g_build_filename (interp_paths_runtime (), name, NULL);
  g_autofree char *cells = NULL;

  if (!swept)
    {
      swept = TRUE;
      dex_future_disown (interp_worker_run ("sweep-spools", sweep_worker, g_strdup (interp_paths_runtime ()), g_free));
    }
  /* It may have been cleaned away while we ran. */
  if (g_mkdir_with_parents (interp_paths_runtime (), 0700) < 0 || !g_mkdtemp_full (spool, 0700))
    {
      set_errno_error (error, errno, spool);
      return NULL;
    }
  cells = g_build_filename (spool, "cells", NULL);
  if (g_mkdir (cells, 0700) < 0)
    {
      set_errno_error (error, errno, cells);
      return NULL;
    }
  return g_steal_pointer (&spool);
}

static gboolean
write_all (int fd, const char *bytes, gsize length)
{
  while (length > 0)
    {
      ssize_t written = write (fd, bytes, length);

      if (written < 0 && errno == EINTR)
        continue;
      if (written <= 0)
        return FALSE;
      bytes += written;
      length -= (gsize) written;
    }
  return TRUE;
}

char *
interp_kernel_files_write_cell (const char *spool, guint64 id, const char *extension, const char *code, GError **error)
{
  g_autofree char *path = NULL;
  g_autofd int fd = -1;

  g_return_val_if_fail (spool != NULL && extension != NULL && code != NULL, NULL);

  path = g_strdup_printf ("%s/cells/%" G_GUINT64_FORMAT "%s", spool, id, extension);
  fd = open (path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0 || !write_all (fd, code, strlen (code)))
    {
      set_errno_error (error, errno, path);
      return NULL;
    }
  return g_steal_pointer (&path);
}

/* ---- taking ---- */

typedef struct
{
  char *path;
  char *inside;
  gboolean remove;
  char *to_folder;
  gsize max_bytes;
} Take;

static void
take_free (gpointer data)
{
  Take *take = data;

  g_free (take->path);
  g_free (take->inside);
  g_free (take->to_folder);
  g_free (take);
}

/* Opens the folder of @path, which has to be @inside or in it. The code may exchange folders for links at any time:
 * what was found to be right is opened by its real path, on which there must be no link then. −1 where it is elsewhere.
 */
static int
open_parent (const char *path, const char *inside)
{
  g_autofree char *parent = g_path_get_dirname (path);
  char *real_parent = realpath (parent, NULL);
  char *real_inside = realpath (inside, NULL);
  gsize length = real_inside && !g_str_equal (real_inside, "/") ? strlen (real_inside) : 0;
  const struct open_how how
      = { .flags = O_PATH | O_DIRECTORY | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS };
  int fd = -1;

  if (real_parent && real_inside && strncmp (real_parent, real_inside, length) == 0
      && (real_parent[length] == '\0' || real_parent[length] == '/'))
    fd = (int) syscall (SYS_openat2, AT_FDCWD, real_parent, &how, sizeof how);
  free (real_parent);
  free (real_inside);
  return fd;
}

static char *
copy_to_folder (int from, const char *path, const char *folder, gsize max_bytes, GError **error)
{
  const char *dot = strrchr (path, '.');
  /* The name is the code's; only a plain ending is kept of it. */
  const char *extension = dot && strlen (dot) <= 8 && !strpbrk (dot, "/\\ \t\n") ? dot : "";
  g_autofree char *name = g_strdup_printf ("display-XXXXXX%s", extension);
  g_autofree char *to_path = g_build_filename (folder, name, NULL);
  g_autofd int to = g_mkstemp_full (to_path, O_WRONLY | O_CLOEXEC, 0600);
  gsize total = 0;

  if (to < 0)
    {
      set_errno_error (error, errno, to_path);
      return NULL;
    }
  for (;;)
    {
      char bytes[64 * 1024];
      ssize_t got = read (from, bytes, sizeof bytes);

      if (got < 0 && errno == EINTR)
        continue;
      if (got == 0)
        return g_steal_pointer (&to_path);
      total += (gsize) MAX (got, 0);
      if (got < 0 || total > max_bytes || !write_all (to, bytes, (gsize) got))
        {
          set_errno_error (error, total > max_bytes ? EFBIG : errno, to_path);
          g_unlink (to_path);
          return NULL;
        }
    }
}

static GBytes *
read_contents (int from, const char *path, gsize max_bytes, GError **error)
{
  g_autoptr (GByteArray) contents = g_byte_array_new ();

  for (;;)
    {
      guint8 bytes[64 * 1024];
      ssize_t got = read (from, bytes, sizeof bytes);

      if (got < 0 && errno == EINTR)
        continue;
      if (got == 0)
        return g_byte_array_free_to_bytes (g_steal_pointer (&contents));
      if (got < 0 || contents->len + (gsize) got > max_bytes)
        {
          set_errno_error (error, got < 0 ? errno : EFBIG, path);
          return NULL;
        }
      g_byte_array_append (contents, bytes, (guint) got);
    }
}

static DexFuture *
take_worker (gpointer data)
{
  const Take *take = data;
  g_autofd int parent = -1;
  g_autofd int from = -1;
  g_autofree char *name = g_path_get_basename (take->path);
  g_autofree char *copied = NULL;
  g_autoptr (GBytes) contents = NULL;
  g_autoptr (GError) error = NULL;
  struct stat status;

  parent = g_path_is_absolute (take->path) ? open_parent (take->path, take->inside) : -1;
  if (parent < 0)
    return dex_future_new_reject (G_IO_ERROR, G_IO_ERROR_PERMISSION_DENIED, "%s: %s", take->path,
                                  _ ("The file is in another folder"));
  /* Without blocking: it may be a FIFO. */
  from = openat (parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (from < 0 || fstat (from, &status) < 0)
    return dex_future_new_for_errno (errno);
  if (!S_ISREG (status.st_mode))
    return dex_future_new_reject (G_IO_ERROR, G_IO_ERROR_NOT_REGULAR_FILE, "%s: %s", take->path, _ ("Not a file"));
  if ((guint64) status.st_size > take->max_bytes)
    return dex_future_new_reject (G_IO_ERROR, G_IO_ERROR_NO_SPACE, "%s: %s", take->path,
                                  _ ("The file is too large to be shown"));
  if (take->to_folder)
    copied = copy_to_folder (from, take->path, take->to_folder, take->max_bytes, &error);
  else
    contents = read_contents (from, take->path, take->max_bytes, &error);
  if (take->remove)
    unlinkat (parent, name, 0);
  if (error)
    return dex_future_new_for_error (g_steal_pointer (&error));
  if (copied)
    return dex_future_new_take_string (g_steal_pointer (&copied));
  return dex_future_new_take_boxed (G_TYPE_BYTES, g_steal_pointer (&contents));
}

DexFuture *
interp_kernel_files_take (const char *path, const char *inside, gboolean remove, const char *to_folder, gsize max_bytes)
{
  Take *take;

  g_return_val_if_fail (path != NULL && inside != NULL, NULL);

  take = g_new0 (Take, 1);
  take->path = g_strdup (path);
  take->inside = g_strdup (inside);
  take->remove = remove;
  take->to_folder = g_strdup (to_folder);
  take->max_bytes = max_bytes;
  return interp_worker_run ("take-file", take_worker, take, take_free);
}
