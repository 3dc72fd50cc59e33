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

typedef struct
{
  int pid;
  int parent;
  int group;
  char state;
  gboolean below;
} Process;

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

static GArray *
list_processes (void)
{
  GArray *list = g_array_new (FALSE, TRUE, sizeof (Process));
  g_autoptr (GDir) proc = g_dir_open ("/proc", 0, NULL);
  const char *name;

  while (proc && (name = g_dir_read_name (proc)))
    {
      Process process = { 0 };
      char text[512];
      const char *after;
      guint64 pid;

      if (!g_ascii_string_to_unsigned (name, 10, 1, G_MAXINT, &pid, NULL))
        continue;
      process.pid = (int) pid;
      /* "PID (NAME) STATE PARENT GROUP …" */
      if (!read_proc (process.pid, "stat", text, sizeof text) || !(after = strrchr (text, ')'))
          || sscanf (after + 1, " %c %d %d", &process.state, &process.parent, &process.group) != 3)
        continue;
      g_array_append_val (list, process);
    }
  return list;
}

static void
mark_below (GArray *list, int root)
{
  gboolean found;

  do
    {
      found = FALSE;
      for (guint i = 0; i < list->len; i++)
        {
          Process *process = &g_array_index (list, Process, i);
          gboolean below = process->pid == root;

          if (process->below)
            continue;
          for (guint j = 0; !below && j < list->len; j++)
            {
              const Process *other = &g_array_index (list, Process, j);

              below = other->below && other->pid == process->parent;
            }
          process->below = below;
          found |= below;
        }
    }
  while (found);
}

static DexFuture *
probe_worker (gpointer data)
{
  const Probe *probe = data;
  g_autoptr (GArray) list = list_processes ();
  guint n_asleep = 0;

  mark_below (list, probe->root);
  for (guint i = 0; i < list->len; i++)
    {
      const Process *process = &g_array_index (list, Process, i);

      if (!process->below || process->group != probe->foreground || process->state == 'Z')
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
