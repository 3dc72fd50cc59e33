/* interp-tagged.c: processes found by a variable in their environment
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "launch/interp-tagged.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "base/interp-fiber.h"

/* How much of an environment is looked at, bytes. */
#define MAX_ENVIRONMENT (256 * 1024)

/* How often everything is looked through. */
#define MAX_ROUNDS 50

static gboolean
has_tag (int pid, const char *tag, char *buffer)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/environ", pid);
  g_autofd int fd = open (path, O_RDONLY | O_CLOEXEC);
  gsize length = 0, tag_length = strlen (tag);

  if (fd < 0)
    return FALSE;
  while (length < MAX_ENVIRONMENT)
    {
      ssize_t got = read (fd, buffer + length, MAX_ENVIRONMENT - length);

      if (got < 0 && errno == EINTR)
        continue;
      if (got <= 0)
        break;
      length += (gsize) got;
    }
  for (const char *variable = buffer, *end = buffer + length; variable < end;)
    {
      const char *next = memchr (variable, '\0', (gsize) (end - variable));
      gsize size = (gsize) ((next ? next : end) - variable);

      if (size == tag_length && memcmp (variable, tag, size) == 0)
        return TRUE;
      variable += size + 1;
    }
  return FALSE;
}

static guint
kill_round (const char *tag, char *buffer)
{
  g_autoptr (GDir) proc = g_dir_open ("/proc", 0, NULL);
  const char *name;
  guint n_found = 0;

  while (proc && (name = g_dir_read_name (proc)))
    {
      guint64 pid;

      if (!g_ascii_string_to_unsigned (name, 10, 2, G_MAXINT, &pid, NULL) || pid == (guint64) getpid ())
        continue;
      if (has_tag ((int) pid, tag, buffer) && kill ((pid_t) pid, SIGKILL) == 0)
        n_found++;
    }
  return n_found;
}

static DexFuture *
kill_worker (gpointer data)
{
  const char *tag = data;
  g_autofree char *buffer = g_malloc (MAX_ENVIRONMENT);
  guint n_killed = 0;

  for (guint round = 0; round < MAX_ROUNDS; round++)
    {
      guint n_found = kill_round (tag, buffer);

      n_killed = MAX (n_killed, n_found);
      if (n_found == 0)
        break;
      /* The killed need a moment to be gone. */
      g_usleep (10 * 1000);
    }
  return dex_future_new_for_int ((int) n_killed);
}

DexFuture *
interp_tagged_kill (const char *tag)
{
  g_return_val_if_fail (tag != NULL && strchr (tag, '='), NULL);

  return interp_worker_run ("kill-tagged", kill_worker, g_strdup (tag), g_free);
}
