/* bench-terminal.c: a file's output in a terminal that is shown
 *
 *   bench-terminal kernel FILE FOLDER     in the terminal of a Shell kernel, with its log in FOLDER
 *   bench-terminal vte FILE FOLDER        in a VteTerminal that has its own PTY
 *
 * Printed are "seconds", "frame", the ms between one frame and the next while it lasts, and "memory", the MB that the
 * process had at its most beyond what it had before.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <adwaita.h>
#include <stdlib.h>
#include <string.h>

#include "bench-turns.h"
#include "bench-util.h"
#include "kernel/interp-kernel.h"
#include "terminal/interp-terminal-view.h"

static gint64 last_frame; /* 0: frames are not measured */
static gboolean ended;

static void
on_after_paint (void)
{
  gint64 now = g_get_monotonic_time ();

  if (last_frame > 0)
    {
      bench_print ("frame", (now - last_frame) / 1000.0);
      last_frame = now;
    }
}

static double
memory (const char *key)
{
  g_autofree char *status = NULL;
  const char *line;

  if (!g_file_get_contents ("/proc/self/status", &status, NULL, NULL) || (line = strstr (status, key)) == NULL)
    g_error ("/proc/self/status has no %s", key);
  return g_ascii_strtoll (line + strlen (key), NULL, 10) / 1024.0;
}

static gboolean
is_true (gpointer user_data)
{
  return *(gboolean *) user_data;
}

static gboolean
is_mapped (gpointer user_data)
{
  return gtk_widget_get_mapped (user_data) && vte_terminal_get_column_count (user_data) > 0;
}

static GtkWidget *
show (GtkWidget *terminal)
{
  GtkWidget *window = adw_window_new ();

  gtk_window_set_default_size (GTK_WINDOW (window), 900, 600);
  adw_window_set_content (ADW_WINDOW (window), terminal);
  gtk_window_present (GTK_WINDOW (window));
  bench_until (is_mapped, terminal);
  g_signal_connect (gtk_widget_get_frame_clock (terminal), "after-paint", G_CALLBACK (on_after_paint), NULL);
  bench_settle ();
  return window;
}

static double
in_kernel (const char *file, const char *folder)
{
  g_autoptr (InterpKernel) kernel = interp_kernel_new (interp_kernel_specs_lookup ("shell"), folder, NULL, folder);
  g_autofree char *quoted = g_shell_quote (file);
  g_autofree char *code = g_strdup_printf ("cat %s", quoted);
  InterpTerminalView *view = interp_terminal_view_new (interp_kernel_get_pty (kernel), NULL);
  g_autoptr (InterpRun) run = NULL;
  GtkWidget *window;
  double before, seconds;

  bench_await (interp_kernel_start (kernel));
  window = show (GTK_WIDGET (view));
  interp_terminal_view_claim (view);
  before = memory ("VmRSS:");
  last_frame = g_get_monotonic_time ();
  seconds = -last_frame;
  run = bench_await_object (interp_kernel_execute (kernel, code));
  bench_await (interp_run_wait (run));
  seconds += g_get_monotonic_time ();
  last_frame = 0;
  bench_print ("memory", memory ("VmHWM:") - before);
  if (interp_run_get_status (run) != INTERP_RUN_DONE)
    g_error ("The file could not be shown");
  gtk_window_destroy (GTK_WINDOW (window));
  bench_await (interp_kernel_close (kernel));
  return seconds / G_USEC_PER_SEC;
}

static void
on_child_exited (VteTerminal *terminal, int status)
{
  if (status != 0)
    g_error ("The file could not be shown");
  ended = TRUE;
}

static double
in_vte (const char *file)
{
  const char *argv[] = { "/bin/cat", file, NULL };
  GtkWidget *terminal = vte_terminal_new ();
  const char *name = adw_style_manager_get_monospace_font_name (adw_style_manager_get_default ());
  g_autoptr (PangoFontDescription) font = pango_font_description_from_string (name);
  GtkWidget *window;
  double before, seconds;

  /* As the kernel's view has them. */
  vte_terminal_set_font (VTE_TERMINAL (terminal), font);
  vte_terminal_set_scrollback_lines (VTE_TERMINAL (terminal), 10000);
  g_signal_connect (terminal, "child-exited", G_CALLBACK (on_child_exited), NULL);
  window = show (terminal);
  before = memory ("VmRSS:");
  last_frame = g_get_monotonic_time ();
  seconds = -last_frame;
  vte_terminal_spawn_async (VTE_TERMINAL (terminal), VTE_PTY_DEFAULT, NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL,
                            NULL, NULL, -1, NULL, NULL, NULL);
  bench_until (is_true, &ended);
  seconds += g_get_monotonic_time ();
  last_frame = 0;
  bench_print ("memory", memory ("VmHWM:") - before);
  gtk_window_destroy (GTK_WINDOW (window));
  return seconds / G_USEC_PER_SEC;
}

int
main (int argc, char **argv)
{
  if (argc != 4)
    return EXIT_FAILURE;
  dex_init ();
  adw_init ();
  bench_turns_install ();
  bench_print ("seconds", g_str_equal (argv[1], "kernel") ? in_kernel (argv[2], argv[3]) : in_vte (argv[2]));
  return EXIT_SUCCESS;
}
