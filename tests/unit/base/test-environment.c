/* test-environment.c: what the login shell adds, and what it does not
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <glib/gstdio.h>

#include "base/interp-environment.h"
#include "interp-test-await.h"

/* Started as "-l -i -c COMMAND". */
static const char shell[] = "#!/bin/sh\n"
                            "PATH=/shell/bin:/usr/bin:/bin TERM=shell OWN=shell SHELLS=shell\n"
                            "export PATH TERM OWN SHELLS\n"
                            "echo 'a greeting'\n"
                            "eval \"$4\"\n";

static void
set_up (void)
{
  g_autofree char *folder = g_dir_make_tmp ("interpreter-environment-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "shell", NULL);

  g_assert_true (g_file_set_contents (path, shell, -1, NULL));
  g_assert_cmpint (g_chmod (path, 0700), ==, 0);
  g_setenv ("SHELL", path, TRUE);
  g_setenv ("PATH", "/activated/bin:/bin:/usr/bin", TRUE);
  g_setenv ("TERM", "own", TRUE);
  g_setenv ("OWN", "own", TRUE);
  g_unsetenv ("SHELLS");
}

static void
tear_down (void)
{
  g_autofree char *folder = g_path_get_dirname (g_getenv ("SHELL"));

  g_assert_cmpint (g_remove (g_getenv ("SHELL")), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

/* It is read once a process. */
static void
run_apart (void)
{
  g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
  g_test_trap_assert_passed ();
}

static void
test_login_shell (void)
{
  g_auto (GStrv) env = NULL;

  if (!g_test_subprocess ())
    {
      run_apart ();
      return;
    }
  set_up ();
  env = interp_test_await_boxed (interp_environment_load (), NULL);
  g_assert_cmpstr (g_environ_getenv (env, "PATH"), ==, "/activated/bin:/shell/bin:/usr/bin:/bin");
  g_assert_cmpstr (g_environ_getenv (env, "TERM"), ==, "own");
  g_assert_cmpstr (g_environ_getenv (env, "OWN"), ==, "own");
  g_assert_cmpstr (g_environ_getenv (env, "SHELLS"), ==, "shell");
  tear_down ();
}

static void
test_own (void)
{
  g_auto (GStrv) env = NULL;
  g_auto (GStrv) now = NULL;

  if (!g_test_subprocess ())
    {
      run_apart ();
      return;
    }
  set_up ();
  interp_environment_use_own ();
  env = interp_test_await_boxed (interp_environment_load (), NULL);
  now = interp_environment_get ();
  g_assert_cmpstr (g_environ_getenv (env, "PATH"), ==, "/activated/bin:/bin:/usr/bin");
  g_assert_null (g_environ_getenv (env, "SHELLS"));
  g_assert_cmpstr (g_environ_getenv (now, "PATH"), ==, "/activated/bin:/bin:/usr/bin");
  tear_down ();
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  dex_init ();

  g_test_add_func ("/base/environment/login-shell", test_login_shell);
  g_test_add_func ("/base/environment/own", test_own);

  return g_test_run ();
}
