/* interp-descendants.c: the processes below one, as /proc tells
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "launch/interp-descendants.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "base/interp-fiber.h"

/* proc_pid_stat(5): "PID (NAME) STATE PARENT GROUP …", the start as 22nd field. */
static gboolean
read_stat (int pid, InterpDescendant *process)
{
  char path[64], text[1024];
  g_autofd int fd = -1;
  unsigned long long started;
  const char *after;
  ssize_t got;

  g_snprintf (path, sizeof path, "/proc/%d/stat", pid);
  fd = open (path, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || (got = read (fd, text, sizeof text - 1)) <= 0)
    return FALSE;
  text[got] = '\0';
  after = strrchr (text, ')');
  if (!after
      || sscanf (after + 1, " %c %d %d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
                 &process->state, &process->parent, &process->group, &started)
             != 4)
    return FALSE;
  process->pid = pid;
  process->started = started;
  return TRUE;
}

static GArray *
list_all (void)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (InterpDescendant));
  g_autoptr (GDir) proc = g_dir_open ("/proc", 0, NULL);
  const char *name;

  while (proc && (name = g_dir_read_name (proc)))
    {
      InterpDescendant process;
      guint64 pid;

      if (g_ascii_string_to_unsigned (name, 10, 1, G_MAXINT, &pid, NULL) && read_stat ((int) pid, &process))
        g_array_append_val (all, process);
    }
  return all;
}

GArray *
interp_descendants_list (int root)
{
  g_autoptr (GArray) all = list_all ();
  g_autoptr (GHashTable) below = g_hash_table_new (NULL, NULL);
  GArray *list = g_array_new (FALSE, FALSE, sizeof (InterpDescendant));
  gboolean found;

  do
    {
      found = FALSE;
      for (guint i = 0; i < all->len; i++)
        {
          const InterpDescendant *process = &g_array_index (all, InterpDescendant, i);

          if (process->pid != root && !g_hash_table_contains (below, GINT_TO_POINTER (process->parent)))
            continue;
          if (!g_hash_table_add (below, GINT_TO_POINTER (process->pid)))
            continue;
          g_array_append_vals (list, process, 1);
          found = TRUE;
        }
    }
  while (found);
  return list;
}

guint64
interp_descendants_now (void)
{
  struct timespec now;
  guint64 ticks = (guint64) sysconf (_SC_CLK_TCK);

  clock_gettime (CLOCK_BOOTTIME, &now);
  return (guint64) now.tv_sec * ticks + (guint64) now.tv_nsec * ticks / 1000000000;
}

typedef struct
{
  int root;
  guint64 since;
  guint64 until;
  int signal_number;
} Signalling;

static DexFuture *
signal_worker (gpointer data)
{
  const Signalling *signalling = data;
  g_autoptr (GArray) list = interp_descendants_list (signalling->root);
  int n_signalled = 0;

  for (guint i = 0; i < list->len; i++)
    {
      const InterpDescendant *process = &g_array_index (list, InterpDescendant, i);

      if (process->pid != signalling->root && process->started >= signalling->since
          && process->started < signalling->until && process->state != 'Z'
          && kill (process->pid, signalling->signal_number) == 0)
        n_signalled++;
    }
  return dex_future_new_for_int (n_signalled);
}

DexFuture *
interp_descendants_signal (int root, guint64 since, guint64 until, int signal_number)
{
  Signalling *signalling;

  g_return_val_if_fail (root > 0, NULL);

  signalling = g_new0 (Signalling, 1);
  signalling->root = root;
  signalling->since = since;
  signalling->until = until;
  signalling->signal_number = signal_number;
  return interp_worker_run ("signal-descendants", signal_worker, signalling, g_free);
}
