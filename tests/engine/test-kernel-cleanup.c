/* test-kernel-cleanup.c: no process is left
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "kernel-fixture.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gio/gio.h>

/* Starts children of every kind, each with %s among its arguments, and waits. */
static const char shell_children[] = "name=%s\n"
                                     "bash -c \"exec -a $name sleep 600\" &\n"
                                     "nohup bash -c \"exec -a $name sleep 600\" > /dev/null 2>&1 &\n"
                                     "disown -a\n"
                                     "setsid bash -c \"exec -a $name sleep 600\" &\n"
                                     "( ( setsid bash -c \"trap '' HUP TERM INT; exec -a $name sleep 600\" & ) & )\n"
                                     "env -i /bin/bash -c \"exec -a $name sleep 600\" &\n"
                                     "echo started\n";

static const char python_children[]
    = "import os, subprocess\n"
      "name = '%s'\n"
      "for new_session in (False, True):\n"
      "  subprocess.Popen(['bash', '-c', f'exec -a {name} sleep 600'], start_new_session=new_session)\n"
      "if os.fork() == 0:\n"
      "  os.setsid()\n"
      "  if os.fork() == 0:\n"
      "    os.execvp('bash', ['bash', '-c', f'trap \"\" HUP TERM; exec -a {name} sleep 600'])\n"
      "  os._exit(0)\n"
      "print('started')\n";

#define SHELL_CHILDREN 5
#define PYTHON_CHILDREN 3

typedef struct
{
  const char *name;
  guint n_processes;
} Expected;

static gboolean
are_running (gpointer user_data)
{
  const Expected *expected = user_data;

  return kernel_test_count_processes (expected->name) == expected->n_processes;
}

static void
check_close (const char *language, const char *format, guint n_children, gboolean restart)
{
  KernelFixture fixture;
  g_autofree char *name = kernel_test_make_name ();
  g_autofree char *code = NULL;
  Expected expected = { name, n_children };

  if (!kernel_fixture_set_up (&fixture, language))
    return;
  code = g_strdup_printf (format, name);
  kernel_fixture_check (&fixture, code, INTERP_RUN_DONE, NULL);
  /* The kernel itself does not have the name in its arguments: its code comes by a file. */
  kernel_test_until (are_running, &expected);
  if (restart)
    {
      g_assert_true (kernel_test_await (interp_kernel_restart (fixture.kernel), NULL));
      g_assert_cmpuint (kernel_test_count_processes (name), ==, 0);
    }
  else
    {
      g_assert_true (kernel_test_await (interp_kernel_close (fixture.kernel), NULL));
      g_assert_cmpuint (kernel_test_count_processes (name), ==, 0);
    }
  kernel_fixture_tear_down (&fixture);
}

static void
test_close_shell (void)
{
  check_close ("shell", shell_children, SHELL_CHILDREN, FALSE);
}

static void
test_close_python (void)
{
  check_close ("python", python_children, PYTHON_CHILDREN, FALSE);
}

static void
test_restart (void)
{
  check_close ("shell", shell_children, SHELL_CHILDREN, TRUE);
}

/* What is started faster than it is ended. */
static void
test_forking (void)
{
  KernelFixture fixture;
  g_autofree char *name = kernel_test_make_name ();
  g_autofree char *code = NULL;
  Expected expected = { name, 0 };

  if (!kernel_fixture_set_up (&fixture, "shell"))
    return;
  code = g_strdup_printf ("setsid bash -c 'trap \"\" HUP TERM; while :; do ( exec -a %s sleep 600 ) & sleep .02; done' "
                          "&\n"
                          "sleep .5",
                          name);
  kernel_fixture_check (&fixture, code, INTERP_RUN_DONE, NULL);
  g_assert_cmpuint (kernel_test_count_processes (name), >, 1);
  g_assert_true (kernel_test_await (interp_kernel_close (fixture.kernel), NULL));
  g_assert_true (are_running (&expected));
  kernel_fixture_tear_down (&fixture);
}

/* Dropped without a word. */
static void
test_unref (void)
{
  KernelFixture fixture;
  g_autofree char *name = kernel_test_make_name ();
  g_autofree char *code = NULL;
  Expected none = { name, 0 }, some = { name, 1 };

  if (!kernel_fixture_set_up (&fixture, "shell"))
    return;
  code = g_strdup_printf ("setsid bash -c 'exec -a %s sleep 600' & :", name);
  kernel_fixture_check (&fixture, code, INTERP_RUN_DONE, NULL);
  kernel_test_until (are_running, &some);
  g_assert_finalize_object (g_steal_pointer (&fixture.kernel));
  kernel_test_until (are_running, &none);
}

/* The supervisor is killed by the code: what it had adopted carries the kernel's tag. */
static void
test_supervisor_killed (void)
{
  KernelFixture fixture;
  g_autofree char *name = kernel_test_make_name ();
  g_autofree char *code = NULL;
  Expected none = { name, 0 };
  g_autoptr (InterpRun) run = NULL;

  if (!kernel_fixture_set_up (&fixture, "shell"))
    return;
  code = g_strdup_printf ("setsid bash -c 'exec -a %s sleep 600' &\nwhile ! pgrep -f %s > /dev/null; do :; done\n"
                          "kill -9 $PPID; sleep 600",
                          name, name);
  run = kernel_fixture_run (&fixture, code);
  g_assert_cmpint (interp_run_get_status (run), ==, INTERP_RUN_LOST);
  g_assert_true (kernel_test_await (interp_kernel_close (fixture.kernel), NULL));
  g_assert_true (are_running (&none));
  kernel_fixture_tear_down (&fixture);
}

static gboolean
read_line (int fd, const char *wanted)
{
  g_autoptr (GString) line = g_string_new (NULL);
  char byte;

  while (read (fd, &byte, 1) == 1)
    if (byte == '\n')
      return g_str_equal (line->str, wanted);
    else
      g_string_append_c (line, byte);
  return FALSE;
}

/* The engine is killed while its kernel runs. */
static void
test_host_killed (gconstpointer data)
{
  gboolean is_python = g_str_equal (data, "python");
  g_autofree char *program = NULL;
  g_autofree char *name = kernel_test_make_name ();
  g_autofree char *children = NULL;
  g_autofree char *code = NULL;
  char *argv[] = { NULL, (char *) data, NULL, NULL };
  g_autoptr (GError) error = NULL;
  Expected some = { name, (is_python ? PYTHON_CHILDREN : SHELL_CHILDREN) + 1 };
  Expected none = { name, 0 };
  GPid host;
  int output;

  children = g_strdup_printf (is_python ? python_children : shell_children, name);
  code = g_strconcat (children, is_python ? "import time\nwhile True: time.sleep(1)\n" : "while :; do :; done\n", NULL);
  program = g_test_build_filename (G_TEST_BUILT, "engine", "kernel-host", NULL);
  argv[0] = program;
  argv[2] = code;
  /* Its own argument has the name too. */
  g_assert_true (g_spawn_async_with_pipes (NULL, argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &host, NULL,
                                           &output, NULL, &error));
  g_assert_no_error (error);
  g_assert_true (read_line (output, "begun"));
  kernel_test_until (are_running, &some);
  g_assert_cmpint (kill (host, SIGKILL), ==, 0);
  g_assert_cmpint (waitpid (host, NULL, 0), ==, host);
  kernel_test_until (are_running, &none);
  close (output);
}

int
main (int argc, char **argv)
{
  kernel_test_init (&argc, &argv);
  g_test_add_func ("/kernel/cleanup/close-shell", test_close_shell);
  g_test_add_func ("/kernel/cleanup/close-python", test_close_python);
  g_test_add_func ("/kernel/cleanup/restart", test_restart);
  g_test_add_func ("/kernel/cleanup/forking", test_forking);
  g_test_add_func ("/kernel/cleanup/unref", test_unref);
  g_test_add_func ("/kernel/cleanup/supervisor-killed", test_supervisor_killed);
  g_test_add_data_func ("/kernel/cleanup/host-killed/shell", "shell", test_host_killed);
  g_test_add_data_func ("/kernel/cleanup/host-killed/python", "python", test_host_killed);
  return g_test_run ();
}
