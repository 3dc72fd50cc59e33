/* test-kernel-lost.c: code that ends, replaces or cripples its own interpreter
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "kernel-fixture.h"

#include <signal.h>
#include <string.h>

typedef struct
{
  const char *path;
  const char *language;
  const char *code;
  int exit_code;    /* −1: any */
  const char *text; /* nullable: in what it printed */
} Case;

static const Case lost_cases[] = {
  { "python/exit", "python", "import os; print('last', flush=True); os._exit(7)", 7, "last" },
  { "python/crash", "python", "import ctypes; ctypes.string_at(0)", 128 + SIGSEGV, NULL },
  { "python/abort", "python", "import os; os.abort()", 128 + SIGABRT, NULL },
  { "python/kill", "python", "import os; os.kill(os.getpid(), 9)", 128 + SIGKILL, NULL },
  { "python/exec", "python", "import os; os.execvp('sh', ['sh', '-c', 'echo replaced; exit 3'])", 3, "replaced" },
  { "python/close-all", "python", "import os; os.closerange(3, 1024)", -1, NULL },
  { "python/kill-supervisor", "python", "import os, time; os.kill(os.getppid(), 9); time.sleep(600)", -1, NULL },
  { "shell/exec", "shell", "exec sh -c 'echo replaced; exit 4'", 4, "replaced" },
  { "shell/kill", "shell", "kill -9 $$", 128 + SIGKILL, NULL },
  { "javascript/kill", "javascript", "process.kill(process.pid, 'SIGKILL')", 128 + SIGKILL, NULL },
  { "javascript/abort", "javascript", "process.abort()", 128 + SIGABRT, NULL },
  { "r/kill", "r", "tools::pskill(Sys.getpid(), 9)", 128 + SIGKILL, NULL },
};

static void
lost_cb (InterpKernel *kernel, const char *sentence, gpointer user_data)
{
  char **said = user_data;

  g_set_str (said, sentence);
}

static const char *
get_greeting (const char *language)
{
  if (g_str_equal (language, "python"))
    return "print('ok')";
  if (g_str_equal (language, "javascript"))
    return "console.log('ok')";
  return g_str_equal (language, "r") ? "cat('ok\\n')" : "echo ok";
}

static void
test_lost (gconstpointer data)
{
  const Case *test = data;
  KernelFixture fixture;
  g_autoptr (InterpRun) run = NULL;
  g_autofree char *said = NULL, *text = NULL;

  if (!kernel_fixture_set_up (&fixture, test->language))
    return;
  g_signal_connect (fixture.kernel, "lost", G_CALLBACK (lost_cb), &said);
  run = kernel_fixture_run (&fixture, test->code);
  text = kernel_test_text (run);
  g_assert_cmpint (interp_run_get_status (run), ==, INTERP_RUN_LOST);
  if (test->exit_code >= 0)
    g_assert_cmpint (interp_run_get_exit_code (run), ==, test->exit_code);
  if (test->text && !strstr (text, test->text))
    g_error ("No \"%s\" in: %s", test->text, text);
  g_assert_nonnull (said);
  g_assert_nonnull (interp_run_get_error_message (run));
  g_assert_cmpint (interp_kernel_get_state (fixture.kernel), ==, INTERP_KERNEL_LOST);
  kernel_fixture_check (&fixture, get_greeting (test->language), INTERP_RUN_DONE, "ok\n");
  g_assert_cmpuint (interp_kernel_get_generation (fixture.kernel), ==, 2);
  kernel_fixture_tear_down (&fixture);
}

/* What harms nothing: the kernel is the same one afterwards. */
static const Case kept_cases[] = {
  { "python/exit", "python", "import sys; sys.exit(3)", 3, NULL },
  { "python/fork", "python",
    "import os\npid = os.fork()\nprint('child' if pid == 0 else 'parent', flush=True)\n"
    "_ = pid and os.waitpid(pid, 0)",
    0, "parent" },
  { "python/close-output", "python", "import os\nkept = os.dup(1)\nos.close(1)", 0, NULL },
  { "python/replace-output", "python", "import sys, io\nsys.stdout = io.StringIO()\nprint('hidden')", 0, NULL },
  { "python/recursion", "python", "def f(): return f()\nf()", 1, NULL },
  { "python/ignore-interrupt", "python", "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN); None", 0, NULL },
  { "python/raw", "python", "import tty\ntty.setraw(0)\nprint('raw')", 0, "raw" },
  { "python/setsid", "python", "import subprocess\n_ = subprocess.Popen(['sleep', '600'], start_new_session=True)", 0,
    NULL },
  { "python/steal-foreground", "python", "import subprocess\n_ = subprocess.run(['bash', '-ic', 'kill -9 $$'])", 0,
    NULL },
  { "python/stop", "python", "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)\nprint('on')", 0, "on" },
  { "python/stop-supervisor", "python", "import os, signal\nos.kill(os.getppid(), signal.SIGSTOP)", 0, NULL },
  { "shell/exit", "shell", "exit 4", 4, NULL },
  { "shell/errexit", "shell", "set -e; false; echo never", 1, NULL },
  { "shell/syntax", "shell", "if then", 2, NULL },
  { "javascript/exit", "javascript", "process.exit(3)", 3, NULL },
  { "javascript/really-exit", "javascript", "process.reallyExit(3)", 3, NULL },
  { "javascript/late-throw", "javascript", "setTimeout (() => { throw new Error ('late') }, 1); 0", 0, NULL },
};

static void
test_kept (gconstpointer data)
{
  const Case *test = data;
  KernelFixture fixture;
  g_autoptr (InterpRun) run = NULL;
  g_autofree char *text = NULL;

  if (!kernel_fixture_set_up (&fixture, test->language))
    return;
  run = kernel_fixture_run (&fixture, test->code);
  text = kernel_test_text (run);
  g_assert_cmpint (interp_run_get_status (run), ==, test->exit_code == 0 ? INTERP_RUN_DONE : INTERP_RUN_FAILED);
  g_assert_cmpint (interp_run_get_exit_code (run), ==, test->exit_code);
  if (test->text && !strstr (text, test->text))
    g_error ("No \"%s\" in: %s", test->text, text);
  if (g_str_equal (test->path, "python/close-output"))
    kernel_fixture_check (&fixture, "_ = os.dup2(kept, 1)", INTERP_RUN_DONE, NULL);
  if (g_str_equal (test->path, "python/replace-output"))
    kernel_fixture_check (&fixture, "sys.stdout = sys.__stdout__", INTERP_RUN_DONE, NULL);
  kernel_fixture_check (&fixture, get_greeting (test->language), INTERP_RUN_DONE, "ok\n");
  g_assert_cmpuint (interp_kernel_get_generation (fixture.kernel), ==, 1);
  kernel_fixture_tear_down (&fixture);
}

static void
test_missing (void)
{
  KernelFixture fixture;
  g_autoptr (GError) error = NULL;

  if (!kernel_fixture_set_up (&fixture, "python"))
    return;
  interp_kernel_set_interpreter (fixture.kernel, "/nonexistent/python3");
  g_assert_false (kernel_test_await (interp_kernel_start (fixture.kernel), &error));
  g_assert_error (error, INTERP_KERNEL_ERROR, INTERP_KERNEL_ERROR_MISSING);
  g_assert_cmpint (interp_kernel_get_state (fixture.kernel), ==, INTERP_KERNEL_OFF);
  kernel_fixture_tear_down (&fixture);
}

static void
test_no_path (void)
{
  static const char *const env[] = { "PATH=/nonexistent", NULL };
  g_autoptr (InterpKernel) kernel = NULL;
  g_autoptr (GError) error = NULL;

  kernel = interp_kernel_new (interp_kernel_specs_lookup ("python"), "/", env, NULL);
  g_assert_false (kernel_test_await (interp_kernel_start (kernel), &error));
  g_assert_error (error, INTERP_KERNEL_ERROR, INTERP_KERNEL_ERROR_MISSING);
  g_assert_nonnull (strstr (error->message, "python3"));
}

/* It starts, says something, and is no Python. */
static void
test_not_an_interpreter (void)
{
  KernelFixture fixture;
  g_autofree char *program = NULL;
  g_autoptr (GError) error = NULL;

  if (!kernel_fixture_set_up (&fixture, "python"))
    return;
  program = g_build_filename (fixture.folder, "python3", NULL);
  g_file_set_contents_full (program, "#!/bin/sh\necho 'no such luck'\nexit 9\n", -1, G_FILE_SET_CONTENTS_NONE, 0755,
                            NULL);
  interp_kernel_set_interpreter (fixture.kernel, program);
  g_assert_false (kernel_test_await (interp_kernel_start (fixture.kernel), &error));
  g_assert_error (error, INTERP_KERNEL_ERROR, INTERP_KERNEL_ERROR_START);
  g_assert_nonnull (strstr (error->message, "no such luck"));
  g_assert_nonnull (strstr (error->message, "9"));
  kernel_fixture_tear_down (&fixture);
}

static void
test_folder (void)
{
  g_autofree char *language = g_strdup ("python");
  KernelFixture fixture;
  g_autoptr (InterpKernel) kernel = NULL;
  g_autofree char *folder = NULL;
  g_autoptr (GError) error = NULL;

  if (!kernel_fixture_set_up (&fixture, language))
    return;
  folder = g_build_filename (fixture.folder, "gone", NULL);
  kernel = interp_kernel_new (interp_kernel_specs_lookup (language), folder, NULL, NULL);
  g_assert_false (kernel_test_await (interp_kernel_start (kernel), &error));
  g_assert_error (error, INTERP_KERNEL_ERROR, INTERP_KERNEL_ERROR_FOLDER);
  g_assert_nonnull (strstr (error->message, "gone"));
  kernel_fixture_tear_down (&fixture);
}

/* While it starts, while it runs, and while others wait. */
static void
test_close_at_any_time (void)
{
  KernelFixture fixture;
  g_autoptr (DexFuture) starting = NULL;
  g_autoptr (DexFuture) waiting = NULL;
  g_autoptr (InterpRun) run = NULL;
  g_autoptr (GError) error = NULL;

  if (!kernel_fixture_set_up (&fixture, "python"))
    return;
  starting = interp_kernel_start (fixture.kernel);
  g_assert_true (kernel_test_await (interp_kernel_close (fixture.kernel), NULL));
  g_assert_false (kernel_test_await (g_steal_pointer (&starting), NULL));
  g_assert_cmpint (interp_kernel_get_state (fixture.kernel), ==, INTERP_KERNEL_OFF);

  run = kernel_fixture_begin (&fixture, "import time; time.sleep(600)");
  waiting = interp_kernel_execute (fixture.kernel, "print('never')");
  g_assert_true (kernel_test_await (interp_kernel_close (fixture.kernel), NULL));
  g_assert_cmpint (interp_run_get_status (run), ==, INTERP_RUN_INTERRUPTED);
  g_assert_false (kernel_test_await (g_steal_pointer (&waiting), &error));
  g_assert_error (error, INTERP_KERNEL_ERROR, INTERP_KERNEL_ERROR_LOST);

  kernel_fixture_check (&fixture, "print('ok')", INTERP_RUN_DONE, "ok\n");
  kernel_fixture_tear_down (&fixture);
}

/* Ended by others while nothing runs. */
static void
test_lost_when_idle (void)
{
  KernelFixture fixture;
  g_autofree char *said = NULL;

  if (!kernel_fixture_set_up (&fixture, "python"))
    return;
  g_signal_connect (fixture.kernel, "lost", G_CALLBACK (lost_cb), &said);
  kernel_fixture_check (&fixture,
                        "import threading, time, os\n"
                        "threading.Thread(target=lambda: (time.sleep(.05), os._exit(6))).start()",
                        INTERP_RUN_DONE, NULL);
  while (!said)
    g_main_context_iteration (NULL, TRUE);
  g_assert_nonnull (strstr (said, "6"));
  g_assert_cmpint (interp_kernel_get_state (fixture.kernel), ==, INTERP_KERNEL_LOST);
  kernel_fixture_check (&fixture, "print('ok')", INTERP_RUN_DONE, "ok\n");
  kernel_fixture_tear_down (&fixture);
}

int
main (int argc, char **argv)
{
  kernel_test_init (&argc, &argv);
  for (guint i = 0; i < G_N_ELEMENTS (lost_cases); i++)
    {
      g_autofree char *path = g_strconcat ("/kernel/lost/", lost_cases[i].path, NULL);

      g_test_add_data_func (path, &lost_cases[i], test_lost);
    }
  for (guint i = 0; i < G_N_ELEMENTS (kept_cases); i++)
    {
      g_autofree char *path = g_strconcat ("/kernel/kept/", kept_cases[i].path, NULL);

      g_test_add_data_func (path, &kept_cases[i], test_kept);
    }
  g_test_add_func ("/kernel/lost/missing", test_missing);
  g_test_add_func ("/kernel/lost/no-path", test_no_path);
  g_test_add_func ("/kernel/lost/not-an-interpreter", test_not_an_interpreter);
  g_test_add_func ("/kernel/lost/folder", test_folder);
  g_test_add_func ("/kernel/lost/close-at-any-time", test_close_at_any_time);
  g_test_add_func ("/kernel/lost/when-idle", test_lost_when_idle);
  return g_test_run ();
}
