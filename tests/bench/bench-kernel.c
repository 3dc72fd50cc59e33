/* bench-kernel.c: how fast a Python kernel starts and runs
 *
 * bench-kernel FOLDER N [safe]: starts a kernel ("ready", ms), in a sandbox if wanted, then runs a tiny cell N times
 * ("cell", ms).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <stdlib.h>

#include "bench-util.h"
#include "kernel/interp-kernel.h"
#include "launch/interp-sandbox.h"

int
main (int argc, char **argv)
{
  InterpKernelSpec *spec;
  g_autoptr (InterpKernel) kernel = NULL;
  gint64 begin;
  int n;

  if (argc < 3 || argc > 4 || (argc == 4 && !g_str_equal (argv[3], "safe")))
    return EXIT_FAILURE;
  n = atoi (argv[2]);
  dex_init ();
  spec = interp_kernel_specs_lookup ("python");
  kernel = interp_kernel_new (spec, argv[1], NULL, argv[1]);
  begin = g_get_monotonic_time ();
  if (argc == 4)
    {
      InterpSandbox *sandbox = interp_sandbox_new ();

      /* What it costs to describe it counts. */
      if (!interp_sandbox_add_folder (sandbox, argv[1], INTERP_ACCESS_WRITE, NULL))
        return EXIT_FAILURE;
      interp_kernel_add_layer (kernel, interp_sandbox_layer, sandbox, g_object_unref);
    }
  bench_await (interp_kernel_start (kernel));
  bench_print ("ready", (g_get_monotonic_time () - begin) / 1000.0);

  for (int i = 0; i < n; i++)
    {
      g_autoptr (InterpRun) run = NULL;

      begin = g_get_monotonic_time ();
      run = bench_await_object (interp_kernel_execute (kernel, "1 + 1"));
      bench_await (interp_run_wait (run));
      bench_print ("cell", (g_get_monotonic_time () - begin) / 1000.0);
      if (interp_run_get_status (run) != INTERP_RUN_DONE)
        g_error ("The cell did not run");
    }
  bench_await (interp_kernel_close (kernel));
  return EXIT_SUCCESS;
}
