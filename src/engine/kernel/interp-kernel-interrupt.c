/* interp-kernel-interrupt.c: stopping what a kernel runs
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <signal.h>

#include "base/interp-fiber.h"
#include "kernel/interp-kernel-private.h"
#include "kernel/interp-kernel-spec-private.h"
#include "kernel/interp-pty-private.h"
#include "kernel/interp-run-private.h"
#include "launch/interp-descendants.h"

/* How long each step is given before the next, stronger one. */
#define STEP_MSEC 2000

typedef enum
{
  STEP_ASK,
  STEP_ASK_AGAIN,
  STEP_END_PROGRAMS,
  STEP_KILL_PROGRAMS,
  STEP_END,
  STEP_KILL,
} Step;

static void
interp_kernel_signal_foreground (InterpKernel *self, int signal_number)
{
  InterpProcess *process = interp_kernel_instance_get_process (self->instance);
  GPid pid = interp_process_get_pid (process);
  int foreground = interp_pty_get_foreground (self->pty);

  if (foreground > 0 && kill (-foreground, signal_number) == 0)
    return;
  /* Its foreground group is gone, or another user's. */
  interp_process_take_foreground (process);
  if (pid > 0)
    kill (pid, signal_number);
}

static void
interp_kernel_ask_to_stop (InterpKernel *self, gboolean again)
{
  InterpKernelInterrupt how = interp_kernel_spec_get_interrupt (self->spec);
  guint64 id = interp_run_get_id (interp_execution_get_run (self->execution));

  if (how & INTERP_KERNEL_INTERRUPT_MESSAGE)
    interp_kernel_instance_send (self->instance, "interrupt", id);
  if (!(how & INTERP_KERNEL_INTERRUPT_SIGNAL))
    return;
  /* The terminal drops what was not read yet when it makes the signal. */
  interp_pty_drain (self->pty);
  if (!self->instance || !self->execution)
    return;
  if (!interp_pty_interrupt (self->pty) || again)
    interp_kernel_signal_foreground (self, SIGINT);
}

/* Ends the programs that the code has started, but not the interpreter: its variables are worth more. FALSE when there
 * are none. In a fiber. */
static gboolean
interp_kernel_end_programs (InterpKernel *self, int signal_number)
{
  GPid pid = interp_process_get_pid (interp_kernel_instance_get_process (self->instance));

  return pid > 0
         && dex_await_int (interp_descendants_signal (pid, interp_execution_get_ticks (self->execution), G_MAXUINT64,
                                                      signal_number),
                           NULL)
                > 0;
}

/* Takes step @step of asking ever more strongly; returns the next. In a fiber. */
static Step
interp_kernel_escalate (InterpKernel *self, Step step)
{
  switch (step)
    {
    case STEP_ASK:
      interp_kernel_ask_to_stop (self, FALSE);
      return STEP_ASK_AGAIN;
    case STEP_ASK_AGAIN:
      interp_kernel_ask_to_stop (self, TRUE);
      return STEP_END_PROGRAMS;
    case STEP_END_PROGRAMS:
      if (interp_kernel_end_programs (self, SIGTERM))
        return STEP_KILL_PROGRAMS;
      break;
    case STEP_KILL_PROGRAMS:
      if (interp_kernel_end_programs (self, SIGKILL))
        return STEP_END;
      break;
    case STEP_END:
      break;
    case STEP_KILL:
    default:
      dex_future_disown (interp_kernel_instance_close (self->instance));
      return STEP_KILL;
    }
  if (self->instance && self->execution)
    interp_kernel_signal_foreground (self, SIGTERM);
  return STEP_KILL;
}

typedef struct
{
  InterpKernelInstance *instance;
  guint64 since;
  guint64 until;
} Leftovers;

static void
leftovers_free (gpointer data)
{
  Leftovers *leftovers = data;

  g_object_unref (leftovers->instance);
  g_free (leftovers);
}

static DexFuture *
leftovers_fiber (gpointer data)
{
  const Leftovers *leftovers = data;
  static const int signals[] = { SIGTERM, SIGKILL };

  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    {
      GPid pid = interp_process_get_pid (interp_kernel_instance_get_process (leftovers->instance));

      if (pid <= 0
          || dex_await_int (interp_descendants_signal (pid, leftovers->since, leftovers->until, signals[i]), NULL) <= 0)
        break;
      interp_await (interp_timeout (STEP_MSEC), NULL);
    }
  return dex_future_new_true ();
}

/* What stopped code had put into the background ends with it. What code before it had started stays, and nobody has to
 * wait: what code after it starts is not meant. */
static void
interp_kernel_end_leftovers (InterpKernel *self, InterpExecution *execution)
{
  Leftovers *leftovers;

  if (!self->instance)
    return;
  leftovers = g_new0 (Leftovers, 1);
  leftovers->instance = g_object_ref (self->instance);
  leftovers->since = interp_execution_get_ticks (execution);
  leftovers->until = interp_descendants_now ();
  interp_fiber_run ("Ending what stopped code has left", leftovers_fiber, leftovers, leftovers_free);
}

static DexFuture *
interrupt_fiber (gpointer data)
{
  InterpKernel *self = data;
  g_autoptr (InterpExecution) execution = NULL;
  g_autoptr (InterpRun) run = NULL;
  Step step = STEP_ASK;

  if (!self->execution || !self->instance)
    return dex_future_new_true ();
  execution = g_object_ref (self->execution);
  run = g_object_ref (interp_execution_get_run (execution));
  if (self->state == INTERP_KERNEL_BUSY && !interp_execution_is_complete (execution))
    {
      interp_kernel_set_state (self, INTERP_KERNEL_INTERRUPTING);
      interp_execution_set_stopping (execution);
      /* A signal that comes before the harness has begun is lost. */
      interp_await (dex_future_first (interp_execution_wait_started (execution), interp_timeout (STEP_MSEC), NULL),
                    NULL);
      while (self->instance && self->execution == execution && !interp_execution_is_complete (execution))
        {
          step = interp_kernel_escalate (self, step);
          interp_await (dex_future_first (interp_execution_wait_complete (execution), interp_timeout (STEP_MSEC), NULL),
                        NULL);
        }
      interp_kernel_end_leftovers (self, execution);
    }
  interp_await (interp_run_wait (run), NULL);
  return dex_future_new_true ();
}

DexFuture *
interp_kernel_interrupt (InterpKernel *self)
{
  g_return_val_if_fail (INTERP_IS_KERNEL (self), NULL);

  return interp_fiber_spawn (interrupt_fiber, g_object_ref (self), g_object_unref);
}
