/* interp-environment.c
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <pwd.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gio/gio.h>

#include "base/interp-environment.h"
#include "base/interp-fiber.h"

#define TIME_LIMIT_MSEC 2000
#define MAX_OUTPUT (4 * 1024 * 1024)

/* What a login shell may not replace: it belongs to this session. */
static const char *const kept[] = { "DISPLAY",
                                    "WAYLAND_DISPLAY",
                                    "DBUS_SESSION_BUS_ADDRESS",
                                    "XDG_RUNTIME_DIR",
                                    "XDG_SESSION_ID",
                                    "PWD",
                                    "OLDPWD",
                                    "SHLVL",
                                    "_",
                                    "TERM",
                                    NULL };

static GStrv merged;
static DexFuture *loading;

static char *
dup_shell (void)
{
  const char *shell = g_getenv ("SHELL");
  struct passwd *entry;

  if (shell != NULL && g_path_is_absolute (shell) && g_file_test (shell, G_FILE_TEST_IS_EXECUTABLE))
    return g_strdup (shell);
  entry = getpwuid (getuid ());
  if (entry != NULL && entry->pw_shell != NULL && g_file_test (entry->pw_shell, G_FILE_TEST_IS_EXECUTABLE))
    return g_strdup (entry->pw_shell);
  return g_strdup ("/bin/sh");
}

/* A group of its own, so that all it starts can be ended, and no terminal that its job control could take. */
static void
begin_session (gpointer user_data)
{
  setsid ();
}

/* What stands in our own PATH and not in the shell's was put there for us, as by an activated environment: it leads. */
static char *
merge_path (const char *own, const char *shells)
{
  g_auto (GStrv) own_folders = g_strsplit (own != NULL ? own : "", ":", -1);
  g_auto (GStrv) shells_folders = g_strsplit (shells, ":", -1);
  g_autoptr (GString) path = g_string_new (NULL);

  for (guint i = 0; own_folders[i] != NULL; i++)
    if (*own_folders[i] != '\0' && !g_strv_contains ((const char *const *) shells_folders, own_folders[i]))
      g_string_append_printf (path, "%s:", own_folders[i]);
  g_string_append (path, shells);
  return g_string_free_and_steal (g_steal_pointer (&path));
}

static GStrv
merge (const char *text, gsize length)
{
  GStrv result = g_get_environ ();
  const char *end = text + length;

  for (const char *entry = text; entry < end;)
    {
      const char *stop = memchr (entry, '\0', end - entry);
      const char *equals;

      if (stop == NULL)
        break; /* cut off */
      equals = strchr (entry, '=');
      if (equals != NULL && equals > entry)
        {
          g_autofree char *name = g_strndup (entry, equals - entry);

          if (g_str_equal (name, "PATH"))
            {
              g_autofree char *path = merge_path (g_getenv ("PATH"), equals + 1);

              result = g_environ_setenv (result, name, path, TRUE);
            }
          else if (!g_strv_contains (kept, name) && g_environ_getenv (result, name) == NULL)
            result = g_environ_setenv (result, name, equals + 1, TRUE);
        }
      entry = stop + 1;
    }
  return result;
}

typedef struct
{
  GPid pid;
  int fd;
} Shell;

/* On a worker: reads to the end marker, at most for the time limit, and ends what the shell started. */
static DexFuture *
read_environment (gpointer user_data)
{
  Shell *shell = user_data;
  g_autoptr (GByteArray) output = g_byte_array_new ();
  g_autofree char *marker = g_uuid_string_random ();
  gint64 deadline = g_get_monotonic_time () + TIME_LIMIT_MSEC * G_TIME_SPAN_MILLISECOND;
  g_autofree char *path = dup_shell ();
  g_autofree char *command = g_strdup_printf ("printf '%%s' %s; command env -0; printf '%%s' %s", marker, marker);
  const char *const arguments[] = { path, "-l", "-i", "-c", command, NULL };
  const char *begin;
  const char *finish = NULL;
  GStrv result = NULL;

  if (!g_spawn_async_with_pipes (NULL, (char **) arguments, NULL,
                                 G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDERR_TO_DEV_NULL, begin_session, NULL,
                                 &shell->pid, NULL, &shell->fd, NULL, NULL))
    return dex_future_new_take_boxed (G_TYPE_STRV, g_get_environ ());

  while (output->len < MAX_OUTPUT)
    {
      GPollFD poll = { shell->fd, G_IO_IN, 0 };
      gint64 left = (deadline - g_get_monotonic_time ()) / 1000;
      guint8 buffer[16384];
      gssize n;

      if (left <= 0 || g_poll (&poll, 1, left) <= 0)
        break;
      n = read (shell->fd, buffer, sizeof buffer);
      if (n <= 0)
        break;
      g_byte_array_append (output, buffer, n);
      begin = memmem (output->data, output->len, marker, strlen (marker));
      if (begin != NULL)
        {
          begin += strlen (marker);
          finish = memmem (begin, (const char *) output->data + output->len - begin, marker, strlen (marker));
          if (finish != NULL)
            {
              result = merge (begin, finish - begin);
              break;
            }
        }
    }
  close (shell->fd);
  kill (-shell->pid, SIGKILL);
  waitpid (shell->pid, NULL, 0);
  return dex_future_new_take_boxed (G_TYPE_STRV, result != NULL ? result : g_get_environ ());
}

static DexFuture *
load (gpointer user_data)
{
  Shell *shell = g_new0 (Shell, 1);
  g_autoptr (GError) error = NULL;
  GStrv environment = dex_await_boxed (interp_worker_run ("login shell", read_environment, shell, g_free), &error);

  g_strfreev (merged);
  merged = environment != NULL ? environment : g_get_environ ();
  return dex_future_new_take_boxed (G_TYPE_STRV, g_strdupv (merged));
}

DexFuture *
interp_environment_load (void)
{
  if (loading == NULL)
    loading = interp_fiber_spawn (load, NULL, NULL);
  return dex_ref (loading);
}

void
interp_environment_use_own (void)
{
  g_return_if_fail (loading == NULL);

  merged = g_get_environ ();
  loading = dex_future_new_take_boxed (G_TYPE_STRV, g_strdupv (merged));
}

GStrv
interp_environment_get (void)
{
  return merged != NULL ? g_strdupv (merged) : g_get_environ ();
}

static gboolean
is_secret (const char *name)
{
  static const char *const endings[]
      = { "_API_KEY", "_TOKEN", "_SECRET", "_API_SECRET", "_SECRET_KEY", "_ACCESS_KEY", "_APIKEY" };

  for (guint i = 0; i < G_N_ELEMENTS (endings); i++)
    if (g_str_has_suffix (name, endings[i]))
      return TRUE;
  return FALSE;
}

GStrv
interp_environment_for_kernels (GStrv env)
{
  g_auto (GStrv) names = NULL;

  g_return_val_if_fail (env != NULL, NULL);

  names = g_strdupv (env);
  for (guint i = 0; names[i] != NULL; i++)
    {
      char *equals = strchr (names[i], '=');

      if (equals == NULL)
        continue;
      *equals = '\0';
      if (is_secret (names[i]))
        env = g_environ_unsetenv (env, names[i]);
    }
  return env;
}

char *
interp_environment_find_program (const char *const *env, const char *program)
{
  const char *path;
  g_auto (GStrv) folders = NULL;

  g_return_val_if_fail (program != NULL, NULL);

  if (strchr (program, '/') != NULL)
    return g_file_test (program, G_FILE_TEST_IS_EXECUTABLE) ? g_strdup (program) : NULL;
  path = env != NULL ? g_environ_getenv ((char **) env, "PATH") : g_getenv ("PATH");
  folders = g_strsplit (path != NULL ? path : "/usr/local/bin:/usr/bin:/bin", ":", -1);
  for (guint i = 0; folders[i] != NULL; i++)
    {
      g_autofree char *candidate = g_build_filename (folders[i], program, NULL);

      /* An empty or relative entry would find what lies in the working folder. */
      if (g_path_is_absolute (folders[i]) && g_file_test (candidate, G_FILE_TEST_IS_EXECUTABLE)
          && !g_file_test (candidate, G_FILE_TEST_IS_DIR))
        return g_steal_pointer (&candidate);
    }
  return NULL;
}
