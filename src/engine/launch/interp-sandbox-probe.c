/* interp-sandbox-probe.c: whether the sandbox can be made here
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "launch/interp-sandbox-private.h"

#include <string.h>

#include <glib/gi18n.h>

#include "base/interp-fiber.h"

/* How long "true" may take inside. */
#define PROBE_MSEC 10000

/* Of what bubblewrap says, at most so much is shown. */
#define WORDS_MAX 300

char *
interp_sandbox_find_program (GError **error)
{
  char *path = g_file_test ("/usr/bin/bwrap", G_FILE_TEST_IS_EXECUTABLE) ? g_strdup ("/usr/bin/bwrap")
                                                                         : g_find_program_in_path ("bwrap");

  if (!path)
    g_set_error (error, INTERP_SANDBOX_ERROR, INTERP_SANDBOX_ERROR_MISSING,
                 /* Translators: the name of a package */
                 _ ("Safe mode needs bubblewrap, which is not installed. Install the package %s."), "bubblewrap");
  return path;
}

/* Whether the number in a file of /proc/sys is @value. */
static gboolean
is_set_to (const char *path, gint64 value)
{
  g_autofree char *text = NULL;

  return g_file_get_contents (path, &text, NULL, NULL) && g_ascii_isdigit (*text)
         && g_ascii_strtoll (text, NULL, 10) == value;
}

/* Why namespaces cannot be made, and what the administrator can do about it. */
static char *
explain (const char *words)
{
  if (is_set_to ("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", 1))
    /* Translators: the last words are commands for a shell */
    return g_strdup_printf (_ ("AppArmor does not let bubblewrap make a sandbox, as on Ubuntu 24.04. To let it: %s"),
                            "sudo apt install apparmor-profiles && sudo cp "
                            "/usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/ && sudo "
                            "apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict");
  if (is_set_to ("/proc/sys/kernel/unprivileged_userns_clone", 0))
    /* Translators: the last words are a command for a shell */
    return g_strdup_printf (_ ("This system does not let users make sandboxes. To let them: %s"),
                            "sudo sysctl -w kernel.unprivileged_userns_clone=1");
  if (is_set_to ("/proc/sys/user/max_user_namespaces", 0))
    /* Translators: the last words are a command for a shell */
    return g_strdup_printf (_ ("This system does not let users make sandboxes. To let them: %s"),
                            "sudo sysctl -w user.max_user_namespaces=10000");
  if (words && *words)
    /* Translators: what a program said */
    return g_strdup_printf (_ ("The sandbox cannot be made here: %s"), words);
  return g_strdup (_ ("The sandbox cannot be made here."));
}

static DexFuture *
probe_fiber (gpointer data)
{
  InterpSandbox *self = data;
  static const char *const probed[] = { "true", NULL };
  g_auto (GStrv) env = g_get_environ ();
  g_auto (GStrv) cleaned = interp_sandbox_clean_environment ((const char *const *) env);
  g_auto (GStrv) command = NULL;
  g_autoptr (GSubprocessLauncher) launcher = NULL;
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (DexFuture) said = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *words = NULL;
  g_autofree char *reason = NULL;

  command = interp_sandbox_dup_command (self, probed, NULL, NULL, &error);
  if (!command)
    return dex_future_new_for_error (g_steal_pointer (&error));
  launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_SILENCE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_subprocess_launcher_set_environ (launcher, cleaned);
  process = g_subprocess_launcher_spawnv (launcher, (const char *const *) command, &error);
  if (!process)
    {
      reason = explain (error->message);
      return dex_future_new_reject (INTERP_SANDBOX_ERROR, INTERP_SANDBOX_ERROR_BLOCKED, "%s", reason);
    }
  said = dex_subprocess_wait_check (process);
  interp_await (dex_future_first (dex_ref (said), interp_timeout (PROBE_MSEC), NULL), NULL);
  if (dex_future_is_pending (said))
    g_subprocess_force_exit (process);
  else if (dex_future_is_resolved (said))
    return dex_future_new_true ();
  else
    {
      GInputStream *stream = g_subprocess_get_stderr_pipe (process);
      g_autoptr (GBytes) bytes
          = dex_await_boxed (dex_input_stream_read_bytes (stream, WORDS_MAX, G_PRIORITY_DEFAULT), NULL);

      if (bytes)
        words = g_utf8_make_valid (g_bytes_get_data (bytes, NULL), (gssize) g_bytes_get_size (bytes));
    }
  if (words)
    g_strstrip (g_strdelimit (words, "\n", ' '));
  reason = explain (words);
  return dex_future_new_reject (INTERP_SANDBOX_ERROR, INTERP_SANDBOX_ERROR_BLOCKED, "%s", reason);
}

DexFuture *
interp_sandbox_probe (InterpSandbox *self)
{
  g_return_val_if_fail (INTERP_IS_SANDBOX (self), NULL);

  return interp_fiber_spawn (probe_fiber, g_object_ref (self), g_object_unref);
}
