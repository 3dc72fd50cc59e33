/* test-launch.c: layers rewrite the command inside them
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "launch/interp-launch.h"

#include <fcntl.h>
#include <unistd.h>

#include <gio/gio.h>
#include <glib-unix.h>

static char *
describe (InterpLaunch *launch)
{
  return g_strjoinv (" ", (GStrv) interp_launch_get_argv (launch));
}

/* As a sandbox does: its own program and options before the command, the folder as an option. */
static gboolean
box_layer (InterpLaunch *launch, const char *const *argv, const char *const *env, const char *folder,
           gpointer user_data, GError **error)
{
  interp_launch_append (launch, user_data);
  if (folder)
    {
      interp_launch_append (launch, "--chdir");
      interp_launch_append (launch, folder);
    }
  interp_launch_append (launch, "--");
  interp_launch_append_all (launch, argv);
  if (env)
    interp_launch_set_environment (launch, env);
  return TRUE;
}

/* As ssh does: one word. */
static gboolean
word_layer (InterpLaunch *launch, const char *const *argv, const char *const *env, const char *folder,
            gpointer user_data, GError **error)
{
  g_autoptr (GString) word = g_string_new (NULL);

  for (guint i = 0; argv[i]; i++)
    {
      g_autofree char *quoted = g_shell_quote (argv[i]);

      g_string_append_printf (word, "%s%s", i ? " " : "", quoted);
    }
  interp_launch_append (launch, "ssh");
  interp_launch_append (launch, word->str);
  return TRUE;
}

static gboolean
broken_layer (InterpLaunch *launch, const char *const *argv, const char *const *env, const char *folder,
              gpointer user_data, GError **error)
{
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED, "no sandbox here");
  return FALSE;
}

static void
test_host (void)
{
  g_autoptr (InterpLaunch) launch = interp_launch_new ();
  g_autofree char *command = NULL;
  const char *const env[] = { "A=1", NULL };

  interp_launch_append (launch, "python3");
  interp_launch_append (launch, "-q");
  interp_launch_set_folder (launch, "/tmp");
  interp_launch_set_environment (launch, env);
  interp_launch_set_variable (launch, "B", "2");
  g_assert_true (interp_launch_resolve (launch, NULL));
  command = describe (launch);
  g_assert_cmpstr (command, ==, "python3 -q");
  g_assert_cmpstr (interp_launch_get_folder (launch), ==, "/tmp");
  g_assert_cmpstr (g_environ_getenv ((GStrv) interp_launch_get_environment (launch), "A"), ==, "1");
  g_assert_cmpstr (g_environ_getenv ((GStrv) interp_launch_get_environment (launch), "B"), ==, "2");
  g_assert_cmpuint (g_strv_length ((GStrv) interp_launch_get_environment (launch)), ==, 2);
}

static void
test_layers (void)
{
  g_autoptr (InterpLaunch) launch = interp_launch_new ();
  g_autofree char *command = NULL;

  interp_launch_push (launch, word_layer, NULL, NULL);
  interp_launch_push (launch, box_layer, g_strdup ("bwrap"), g_free);
  interp_launch_append (launch, "python3");
  interp_launch_append (launch, "it's");
  interp_launch_set_folder (launch, "/work");
  g_assert_true (interp_launch_resolve (launch, NULL));
  command = describe (launch);
  g_assert_cmpstr (command, ==, "ssh 'bwrap' '--chdir' '/work' '--' 'python3' 'it'\\''s'");
  g_assert_null (interp_launch_get_folder (launch));
  /* Once more changes nothing. */
  g_assert_true (interp_launch_resolve (launch, NULL));
}

static void
test_broken (void)
{
  g_autoptr (InterpLaunch) launch = interp_launch_new ();
  g_autoptr (GError) error = NULL;

  interp_launch_push (launch, broken_layer, NULL, NULL);
  interp_launch_append (launch, "python3");
  g_assert_false (interp_launch_resolve (launch, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED);
}

static void
test_descriptors (void)
{
  InterpLaunch *launch = interp_launch_new ();
  int fds[2], target;
  char byte;

  g_assert_true (g_unix_open_pipe (fds, O_CLOEXEC, NULL));
  interp_launch_take_fd (launch, fds[1], 4);
  g_assert_cmpuint (interp_launch_get_n_fds (launch), ==, 1);
  g_assert_cmpint (interp_launch_get_fd (launch, 0, &target), ==, fds[1]);
  g_assert_cmpint (target, ==, 4);
  g_assert_finalize_object (launch);
  g_assert_cmpint (read (fds[0], &byte, 1), ==, 0);
  close (fds[0]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/launch/launch/host", test_host);
  g_test_add_func ("/launch/launch/layers", test_layers);
  g_test_add_func ("/launch/launch/broken", test_broken);
  g_test_add_func ("/launch/launch/descriptors", test_descriptors);
  return g_test_run ();
}
