/* bench-session.c: what lies between an approval and the first byte of output
 *
 * bench-session FOLDER URL: talks to the scripted model at URL until it calls for nothing more, and approves each
 * block at once. Printed for each, in ms: "output", from the approval to the first byte that the kernel's terminal
 * gives, the kernel's own time in it; "request", the part of it from the kernel's execute () to the first byte
 * written to the kernel.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "bench-util.h"
#include "session/interp-engine.h"

typedef struct
{
  InterpSession *session;
  InterpPtyView *view;
  gint64 approved; /* 0: no output is waited for */
  gboolean finished;
} Bench;

static void
on_feed (const char *bytes, gsize length, gboolean replay, gpointer user_data)
{
  Bench *self = user_data;

  interp_pty_view_acknowledge (self->view);
  if (replay || self->approved == 0)
    return;
  bench_print ("output", (g_get_monotonic_time () - self->approved) / 1000.0);
  self->approved = 0;
}

static void
on_run (InterpKernel *kernel, GParamSpec *pspec, gpointer user_data)
{
  InterpRun *run = interp_kernel_get_run (kernel);

  if (run != NULL)
    bench_print ("request", interp_run_get_first_byte_usec (run) / 1000.0);
}

static void
on_kernel (Bench *self, InterpKernel *kernel)
{
  self->view = interp_pty_attach (interp_kernel_get_pty (kernel), on_feed, self);
  g_signal_connect (kernel, "notify::run", G_CALLBACK (on_run), NULL);
}

static gboolean
approve (gpointer user_data)
{
  Bench *self = user_data;
  InterpCell *cell = interp_session_get_question (self->session);

  if (cell != NULL)
    {
      self->approved = g_get_monotonic_time ();
      interp_session_approve (self->session, cell, interp_cell_get_code (cell));
    }
  return G_SOURCE_REMOVE;
}

/* From the main loop, as a press of a button comes. */
static void
on_question (Bench *self)
{
  if (interp_session_get_question (self->session) != NULL)
    g_idle_add (approve, self);
}

static void
on_finished (Bench *self, gboolean failed)
{
  if (failed)
    g_error ("The turn failed");
  self->finished = TRUE;
}

static gboolean
is_finished (gpointer user_data)
{
  return ((Bench *) user_data)->finished;
}

int
main (int argc, char **argv)
{
  g_autoptr (InterpOptions) options = interp_options_new ();
  g_autoptr (InterpEngine) engine = NULL;
  g_autoptr (InterpModel) model = NULL;
  Bench bench = { 0 };

  if (argc != 3)
    return EXIT_FAILURE;
  dex_init ();
  options->data_folder = g_strdup (argv[1]);
  options->folder = g_strdup (argv[1]);
  options->model = g_strdup ("openai/scripted");
  options->api_base = g_strdup (argv[2]);
  options->api_key = g_strdup ("bench");
  engine = interp_engine_new (options);
  bench_await (interp_engine_start (engine));
  model = bench_await_object (interp_engine_choose_model (engine));
  bench.session = interp_engine_new_session (engine, options);
  interp_session_set_model (bench.session, model);
  interp_session_set_mode (bench.session, INTERP_MODE_ASK);
  g_signal_connect_swapped (bench.session, "kernel-added", G_CALLBACK (on_kernel), &bench);
  g_signal_connect_swapped (bench.session, "notify::question", G_CALLBACK (on_question), &bench);
  g_signal_connect_swapped (bench.session, "finished", G_CALLBACK (on_finished), &bench);
  interp_session_send (bench.session, "Begin.", NULL);
  bench_until (is_finished, &bench);
  g_clear_object (&bench.session);
  bench_await (interp_engine_stop (engine));
  return EXIT_SUCCESS;
}
