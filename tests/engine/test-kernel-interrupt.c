/* test-kernel-interrupt.c: stopping code in whatever state it is
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "kernel-fixture.h"

typedef struct
{
  const char *path;
  const char *language;
  const char *code;  /* prints "ready" before it does what is to be stopped */
  const char *after; /* prints "ok" in the same kernel */
  gboolean goes_on;  /* only what the code waits for is stopped, by the language's own rules */
} Case;

static const Case cases[] = {
  { "python/sleep", "python", "import time\nprint('ready')\ntime.sleep(600)", "print('ok')" },
  { "python/busy", "python", "print('ready')\nwhile True: pass", "print('ok')" },
  { "python/flood", "python", "print('ready')\nwhile True: print('spam' * 20)", "print('ok')" },
  { "python/child", "python", "import subprocess\nprint('ready')\nsubprocess.run(['sleep', '600'])", "print('ok')" },
  { "python/system", "python", "import os\nos.system('echo ready; exec sleep 600')", "print('ok')", TRUE },
  { "python/input", "python", "input('ready')", "print('ok')" },
  { "python/await", "python", "import asyncio\nprint('ready')\nawait asyncio.sleep(600)", "print('ok')" },
  { "python/raw", "python", "import tty, time\ntty.setraw(0)\nprint('ready')\ntime.sleep(600)", "print('ok')" },
  { "python/pool", "python",
    "import multiprocessing, time\nprint('ready')\n"
    "with multiprocessing.get_context('fork').Pool(2) as pool: pool.map(time.sleep, [600, 600])",
    "print('ok')" },
  { "python/deaf-child", "python",
    "import subprocess\nsubprocess.run(['sh', '-c', 'trap \"\" INT; echo ready; sleep 600; sleep 600'])",
    "print('ok')" },
  { "shell/sleep", "shell", "echo ready; sleep 600", "echo ok" },
  { "shell/busy", "shell", "echo ready; while :; do :; done", "echo ok" },
  { "shell/flood", "shell", "echo ready; yes", "echo ok" },
  { "shell/read", "shell", "echo ready; read -r line", "echo ok" },
  /* What comes through the pipe tells that both ends run: stopped between the two, bash still starts the second. */
  { "shell/pipeline", "shell", "{ echo ready; sleep 600; } | cat", "echo ok" },
  { "shell/function", "shell", "f () { sleep 600; }; echo ready; f; echo never", "echo ok" },
  { "shell/deaf-job", "shell", "bash -c 'trap \"\" INT; echo ready; while :; do sleep 1; done'", "echo ok" },
  { "javascript/busy", "javascript", "console.log('ready'); while (true) {}", "console.log('ok')" },
  { "javascript/await", "javascript", "console.log('ready'); await new Promise (() => setTimeout (() => 0, 1e6))",
    "console.log('ok')" },
  { "javascript/child", "javascript",
    "console.log('ready'); require('child_process').execSync('sleep 600', {stdio: 'inherit'})", "console.log('ok')" },
  { "r/sleep", "r", "cat('ready\\n'); Sys.sleep(600)", "cat('ok\\n')" },
  { "r/busy", "r", "cat('ready\\n'); while (TRUE) {}", "cat('ok\\n')" },
  { "r/system", "r", "invisible(system('echo ready; exec sleep 600'))", "cat('ok\\n')", TRUE },
};

static void
test_interrupt (gconstpointer data)
{
  const Case *test = data;
  KernelFixture fixture;
  g_autoptr (InterpRun) run = NULL;
  guint generation;

  if (!kernel_fixture_set_up (&fixture, test->language))
    return;
  run = kernel_fixture_begin (&fixture, test->code);
  kernel_test_await_text (run, "ready");
  generation = interp_kernel_get_generation (fixture.kernel);
  g_assert_true (kernel_test_await (interp_kernel_interrupt (fixture.kernel), NULL));
  g_assert_cmpint (interp_run_get_status (run), ==, test->goes_on ? INTERP_RUN_DONE : INTERP_RUN_INTERRUPTED);
  g_assert_cmpint (interp_kernel_get_state (fixture.kernel), ==, INTERP_KERNEL_IDLE);
  kernel_fixture_check (&fixture, test->after, INTERP_RUN_DONE, "ok\n");
  /* Its variables were kept. */
  g_assert_cmpuint (interp_kernel_get_generation (fixture.kernel), ==, generation);
  kernel_fixture_tear_down (&fixture);
}

/* What nothing but killing stops. */
static void
test_stubborn (void)
{
  KernelFixture fixture;
  g_autoptr (InterpRun) run = NULL;

  if (!kernel_fixture_set_up (&fixture, "python"))
    return;
  run = kernel_fixture_begin (&fixture, "import signal, time\n"
                                        "for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):\n"
                                        "  signal.signal(n, signal.SIG_IGN)\n"
                                        "print('ready')\n"
                                        "while True: time.sleep(600)");
  kernel_test_await_text (run, "ready");
  g_assert_true (kernel_test_await (interp_kernel_interrupt (fixture.kernel), NULL));
  g_assert_cmpint (interp_run_get_status (run), ==, INTERP_RUN_INTERRUPTED);
  g_assert_cmpint (interp_kernel_get_state (fixture.kernel), ==, INTERP_KERNEL_LOST);
  kernel_fixture_check (&fixture, "print('ok')", INTERP_RUN_DONE, "ok\n");
  g_assert_cmpuint (interp_kernel_get_generation (fixture.kernel), ==, 2);
  kernel_fixture_tear_down (&fixture);
}

/* At once: before the harness has begun, perhaps. */
static void
test_early (gconstpointer language)
{
  KernelFixture fixture;
  const char *sleep = g_str_equal (language, "shell")        ? "sleep 600"
                      : g_str_equal (language, "python")     ? "import time; time.sleep(600)"
                      : g_str_equal (language, "javascript") ? "await new Promise (() => setTimeout (() => 0, 1e6))"
                                                             : "Sys.sleep(600)";

  if (!kernel_fixture_set_up (&fixture, language))
    return;
  g_assert_true (kernel_test_await (interp_kernel_start (fixture.kernel), NULL));
  for (guint i = 0; i < 5; i++)
    {
      g_autoptr (InterpRun) run = kernel_fixture_begin (&fixture, sleep);

      g_assert_true (kernel_test_await (interp_kernel_interrupt (fixture.kernel), NULL));
      g_assert_cmpint (interp_run_get_status (run), ==, INTERP_RUN_INTERRUPTED);
    }
  g_assert_cmpuint (interp_kernel_get_generation (fixture.kernel), ==, 1);
  kernel_fixture_tear_down (&fixture);
}

/* When nothing runs, or it has just ended, nothing is interrupted, and nothing after it. */
static void
test_late (gconstpointer language)
{
  KernelFixture fixture;
  const char *quick = g_str_equal (language, "r")            ? "cat('ok\\n')"
                      : g_str_equal (language, "javascript") ? "console.log('ok')"
                      : g_str_equal (language, "shell")      ? "echo ok"
                                                             : "print('ok')";

  if (!kernel_fixture_set_up (&fixture, language))
    return;
  g_assert_true (kernel_test_await (interp_kernel_interrupt (fixture.kernel), NULL));
  for (guint i = 0; i < 10; i++)
    {
      g_autoptr (InterpRun) run = kernel_fixture_begin (&fixture, quick);
      InterpRunStatus status;

      g_assert_true (kernel_test_await (interp_kernel_interrupt (fixture.kernel), NULL));
      status = interp_run_get_status (run);
      g_assert_true (status == INTERP_RUN_DONE || status == INTERP_RUN_INTERRUPTED);
      kernel_fixture_check (&fixture, quick, INTERP_RUN_DONE, "ok\n");
    }
  g_assert_cmpuint (interp_kernel_get_generation (fixture.kernel), ==, 1);
  kernel_fixture_tear_down (&fixture);
}

/* What the code had put into the background ends with it; what code before it had put there stays. */
static void
test_leftovers (void)
{
  KernelFixture fixture;
  g_autoptr (InterpRun) before = NULL;
  g_autoptr (InterpRun) run = NULL;

  if (!kernel_fixture_set_up (&fixture, "shell"))
    return;
  /* Processes know when they began to a hundredth of a second only. */
  before = kernel_fixture_begin (&fixture, "sleep 600 & before=$!; sleep 0.05");
  g_assert_true (kernel_test_await (interp_run_wait (before), NULL));
  run = kernel_fixture_begin (&fixture, "sleep 600 & during=$!\nsleep 0.05\necho ready\nsleep 600");
  kernel_test_await_text (run, "ready");
  g_assert_true (kernel_test_await (interp_kernel_interrupt (fixture.kernel), NULL));
  g_assert_cmpint (interp_run_get_status (run), ==, INTERP_RUN_INTERRUPTED);
  {
    g_autoptr (InterpRun) after
        = kernel_fixture_begin (&fixture, "while kill -0 $during; do sleep 0.1; done 2>/dev/null\n"
                                          "kill -0 $before && echo still there");

    kernel_test_await_text (after, "still there");
  }
  kernel_fixture_tear_down (&fixture);
}

int
main (int argc, char **argv)
{
  static const char *const languages[] = { "python", "shell", "javascript", "r" };

  kernel_test_init (&argc, &argv);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/kernel/interrupt/", cases[i].path, NULL);

      g_test_add_data_func (path, &cases[i], test_interrupt);
    }
  g_test_add_func ("/kernel/interrupt/stubborn", test_stubborn);
  for (guint i = 0; i < G_N_ELEMENTS (languages); i++)
    {
      g_autofree char *early = g_strconcat ("/kernel/interrupt/early/", languages[i], NULL);
      g_autofree char *late = g_strconcat ("/kernel/interrupt/late/", languages[i], NULL);

      g_test_add_data_func (early, languages[i], test_early);
      g_test_add_data_func (late, languages[i], test_late);
    }
  g_test_add_func ("/kernel/interrupt/leftovers", test_leftovers);
  return g_test_run ();
}
