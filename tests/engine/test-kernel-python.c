/* test-kernel-python.c: Python cells, from the request to the result
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "kernel-fixture.h"

#include <string.h>

static void
test_state_is_kept (void)
{
  KernelFixture fixture;
  g_autofree char *line = NULL;

  if (!kernel_fixture_set_up (&fixture, "py"))
    return;
  kernel_fixture_check (&fixture, "x = 20", INTERP_RUN_DONE, "");
  kernel_fixture_check (&fixture, "print('é', x + 1)\nx * 2", INTERP_RUN_DONE, "é 21\n40\n");
  line = g_strdup_printf ("%s\n", fixture.folder);
  kernel_fixture_check (&fixture, "import os; print(os.getcwd())", INTERP_RUN_DONE, line);
  kernel_fixture_check (&fixture, "import os; print([os.isatty(n) for n in (0, 1, 2)], os.environ['TERM'])",
                        INTERP_RUN_DONE, "[True, True, True] xterm-256color\n");
  g_assert_nonnull (interp_kernel_get_version (fixture.kernel));
  g_assert_cmpuint (interp_kernel_get_generation (fixture.kernel), ==, 1);
  g_assert_cmpint (interp_kernel_get_state (fixture.kernel), ==, INTERP_KERNEL_IDLE);
  kernel_fixture_tear_down (&fixture);
}

static void
test_error (void)
{
  KernelFixture fixture;
  g_autoptr (InterpRun) run = NULL;
  g_autoptr (InterpRun) other = NULL;
  g_autofree char *module = NULL;

  if (!kernel_fixture_set_up (&fixture, "python"))
    return;
  run = kernel_fixture_run (&fixture, "def f():\n  return 1 / 0\n\nf()");
  g_assert_cmpint (interp_run_get_status (run), ==, INTERP_RUN_FAILED);
  g_assert_cmpstr (interp_run_get_error_name (run), ==, "ZeroDivisionError");
  g_assert_nonnull (interp_run_get_error_message (run));
  g_assert_nonnull (interp_run_get_traceback (run));
  g_assert_cmpint (interp_run_get_error_line (run), ==, 2);
  other = kernel_fixture_run (&fixture, "import there_is_no_such_module");
  module = interp_run_dup_missing_module (other);
  g_assert_cmpstr (module, ==, "there_is_no_such_module");
  kernel_fixture_tear_down (&fixture);
}

static void
test_queue (void)
{
  KernelFixture fixture;
  DexFuture *begun[3];

  if (!kernel_fixture_set_up (&fixture, "python"))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (begun); i++)
    begun[i]
        = interp_kernel_execute (fixture.kernel, i == 0 ? "order = [0]" : "order.append(len(order)); print(order)");
  for (guint i = 0; i < G_N_ELEMENTS (begun); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (InterpRun) run = kernel_test_await_object (begun[i], &error);
      g_autofree char *text = NULL;

      g_assert_no_error (error);
      g_assert_cmpint (kernel_test_await_int (interp_run_wait (run)), ==, INTERP_RUN_DONE);
      text = kernel_test_text (run);
      g_assert_cmpstr (text, ==, i == 0 ? "" : i == 1 ? "[0, 1]\n" : "[0, 1, 2]\n");
    }
  kernel_fixture_tear_down (&fixture);
}

static void
test_log (void)
{
  KernelFixture fixture;
  g_autoptr (InterpRun) run = NULL;
  g_autoptr (InterpRun) silent = NULL;
  g_autofree char *log = NULL;

  if (!kernel_fixture_set_up (&fixture, "python"))
    return;
  run = kernel_fixture_run (&fixture, "print('\\x1b[31mred\\x1b[0m')");
  g_assert_true (g_file_get_contents (interp_run_get_log_path (run), &log, NULL, NULL));
  g_assert_cmpstr (log, ==, "\033[31mred\033[0m\r\n");
  g_assert_cmpuint (interp_run_get_unlogged_bytes (run), ==, 0);
  silent = kernel_fixture_run (&fixture, "y = 1");
  g_assert_null (interp_run_get_log_path (silent));
  kernel_fixture_tear_down (&fixture);
}

static void
test_displays (void)
{
  KernelFixture fixture;
  g_autoptr (InterpRun) run = NULL;
  g_autoptr (InterpDisplay) first = NULL;
  g_autofree char *contents = NULL;
  GListModel *displays;

  if (!kernel_fixture_set_up (&fixture, "python"))
    return;
  run = kernel_fixture_run (&fixture, "class Page:\n  def _repr_html_(self): return '<b>bold</b>'\nPage()");
  displays = interp_run_get_displays (run);
  g_assert_cmpuint (g_list_model_get_n_items (displays), ==, 1);
  first = g_list_model_get_item (displays, 0);
  g_assert_cmpstr (interp_display_get_mime (first), ==, "text/html");
  g_assert_true (g_str_has_prefix (interp_display_get_path (first), fixture.log_dir));
  g_assert_true (g_file_get_contents (interp_display_get_path (first), &contents, NULL, NULL));
  g_assert_cmpstr (contents, ==, "<b>bold</b>");
  kernel_fixture_tear_down (&fixture);
}

static void
test_written_picture (void)
{
  KernelFixture fixture;
  g_autoptr (InterpRun) run = NULL;
  g_autoptr (InterpRun) again = NULL;
  g_autoptr (InterpRun) none = NULL;
  g_autoptr (InterpDisplay) display = NULL;
  g_autofree char *source = NULL;

  if (!kernel_fixture_set_up (&fixture, "python"))
    return;
  run = kernel_fixture_run (&fixture, "open('chart.svg', 'w').write('<svg/>'); None");
  g_assert_cmpuint (g_list_model_get_n_items (interp_run_get_displays (run)), ==, 1);
  display = g_list_model_get_item (interp_run_get_displays (run), 0);
  source = g_build_filename (fixture.folder, "chart.svg", NULL);
  g_assert_cmpstr (interp_display_get_source (display), ==, source);
  g_assert_cmpstr (interp_display_get_mime (display), ==, "image/svg+xml");
  g_assert_cmpstr (interp_display_get_path (display), !=, source);
  none = kernel_fixture_run (&fixture, "1");
  g_assert_cmpuint (g_list_model_get_n_items (interp_run_get_displays (none)), ==, 0);
  again = kernel_fixture_run (&fixture, "open('chart.svg', 'w').write('<svg></svg>'); None");
  g_assert_cmpuint (g_list_model_get_n_items (interp_run_get_displays (again)), ==, 1);
  kernel_fixture_tear_down (&fixture);
}

static void
test_restart (void)
{
  KernelFixture fixture;
  InterpPty *pty;

  if (!kernel_fixture_set_up (&fixture, "python"))
    return;
  kernel_fixture_check (&fixture, "kept = 1", INTERP_RUN_DONE, NULL);
  pty = interp_kernel_get_pty (fixture.kernel);
  g_assert_true (kernel_test_await (interp_kernel_restart (fixture.kernel), NULL));
  g_assert_true (pty == interp_kernel_get_pty (fixture.kernel));
  g_assert_cmpuint (interp_kernel_get_generation (fixture.kernel), ==, 2);
  kernel_fixture_check (&fixture, "kept", INTERP_RUN_FAILED, NULL);
  g_assert_true (kernel_test_await (interp_kernel_close (fixture.kernel), NULL));
  kernel_fixture_check (&fixture, "print('again')", INTERP_RUN_DONE, "again\n");
  kernel_fixture_tear_down (&fixture);
}

int
main (int argc, char **argv)
{
  kernel_test_init (&argc, &argv);
  g_test_add_func ("/kernel/python/state", test_state_is_kept);
  g_test_add_func ("/kernel/python/error", test_error);
  g_test_add_func ("/kernel/python/queue", test_queue);
  g_test_add_func ("/kernel/python/log", test_log);
  g_test_add_func ("/kernel/python/displays", test_displays);
  g_test_add_func ("/kernel/python/written-picture", test_written_picture);
  g_test_add_func ("/kernel/python/restart", test_restart);
  return g_test_run ();
}
