/* kernel-host.c: a program with a kernel, to be killed by a test
 *
 * kernel-host LANGUAGE CODE: runs CODE, prints "begun" when it has begun, and waits for ever.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/interp-fiber.h"
#include "kernel/interp-kernel.h"

static InterpRun *run;

static DexFuture *
main_fiber (gpointer data)
{
  char **argv = data;
  InterpKernelSpec *spec = interp_kernel_specs_lookup (argv[1]);
  InterpKernel *kernel = interp_kernel_new (spec, "/", NULL, NULL);
  g_autoptr (GError) error = NULL;

  run = dex_await_object (interp_kernel_execute (kernel, argv[2]), &error);
  if (!run)
    g_error ("%s", error->message);
  puts ("begun");
  fflush (stdout);
  return dex_future_new_true ();
}

int
main (int argc, char **argv)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);

  if (argc != 3)
    return EXIT_FAILURE;
  dex_init ();
  interp_fiber_run ("main", main_fiber, argv, NULL);
  g_main_loop_run (loop);
  return EXIT_SUCCESS;
}
