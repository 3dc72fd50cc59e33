/* interp-input-probe.c: whether a process waits for the keyboard
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "kernel/interp-input-probe.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "base/interp-fiber.h"
#include "launch/interp-descendants.h"

/* The kernel's function in which a read of a terminal sleeps. */
#define TERMINAL_WAIT "n_tty_read"

/* The number of read (2); /proc/PID/syscall begins with it. */
#if defined(__x86_64__)
#define SYSCALL_READ 0
#elif defined(__aarch64__) || defined(__riscv)
#define SYSCALL_READ 63
#else
#define SYSCALL_READ 3
#endif

/* Major device numbers of the slave ends of pseudoterminals (Linux, devices.txt). */
#define PTS_MAJOR_FIRST 136
#define PTS_MAJOR_LAST 143

typedef struct
{
  int root;
  int foreground;
  gboolean any_sleep;
} Probe;

static gboolean
read_proc (int pid, const char *name, char *buffer, gsize size)
{
  char path[64];
  g_autofd int fd = -1;
  ssize_t got;

  g_snprintf (path, sizeof path, "/proc/%d/%s", pid, name);
  fd = open (path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return FALSE;
  got = read (fd, buffer, size - 1);
  buffer[MAX (got, 0)] = '\0';
  return got > 0;
}

static gboolean
is_terminal (int pid, int fd)
{
  char path[64];
  struct stat status;

  g_snprintf (path, sizeof path, "/proc/%d/fd/%d", pid, fd);
  return stat (path, &status) == 0 && S_ISCHR (status.st_mode)
         && ((major (status.st_rdev) >= PTS_MAJOR_FIRST && major (status.st_rdev) <= PTS_MAJOR_LAST)
             || major (status.st_rdev) == 5);
}

static gboolean
reads_terminal (int pid)
{
  char text[256];
  long number;
  unsigned long fd;

  if (read_proc (pid, "wchan", text, sizeof text) && strcmp (text, TERMINAL_WAIT) == 0)
    return TRUE;
  return read_proc (pid, "syscall", text, sizeof text) && sscanf (text, "%ld %lx", &number, &fd) == 2
         && number == SYSCALL_READ && fd < G_MAXINT && is_terminal (pid, (int) fd);
}

static DexFuture *
probe_worker (gpointer data)
{
  const Probe *probe = data;
  g_autoptr (GArray) list = interp_descendants_list (probe->root);
  guint n_asleep = 0;

  for (guint i = 0; i < list->len; i++)
    {
      const InterpDescendant *process = &g_array_index (list, InterpDescendant, i);

      if (process->group != probe->foreground || process->state == 'Z')
        continue;
      if (process->state != 'S')
        {
          if (probe->any_sleep)
            return dex_future_new_false ();
          continue;
        }
      n_asleep++;
      if (!probe->any_sleep && reads_terminal (process->pid))
        return dex_future_new_true ();
    }
  return dex_future_new_for_boolean (probe->any_sleep && n_asleep > 0);
}

DexFuture *
interp_input_probe (int root, int foreground, gboolean any_sleep)
{
  Probe *probe = g_new0 (Probe, 1);

  probe->root = root;
  probe->foreground = foreground;
  probe->any_sleep = any_sleep;
  return interp_worker_run ("input-probe", probe_worker, probe, g_free);
}
