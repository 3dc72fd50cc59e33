/* interp-kernel-flows.c: starting, running and ending a kernel
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <glib/gi18n.h>

#include "base/interp-clock.h"
#include "base/interp-environment.h"
#include "base/interp-fiber.h"
#include "kernel/interp-kernel-private.h"
#include "kernel/interp-kernel-spec-private.h"
#include "kernel/interp-pty-private.h"
#include "kernel/interp-run-private.h"

/* How long the harness may take to say that it is ready. */
#define READY_MSEC 30000

/* How long an idle interpreter may take to end by itself. */
#define SHUTDOWN_MSEC 500

/* Flows that must not overlap queue, in the order in which they were asked for: one flow's data. */
typedef struct
{
  InterpKernel *self;
  DexFuture *previous; /* resolves when it is this flow's turn */
  DexPromise *mine;    /* resolved when the turn is over */
  guint epoch;         /* of the kernel when it was asked for */

  /* Running code */
  char *code;
  gint64 asked; /* monotonic */
  DexPromise *begun;

  /* Ending */
  gboolean start; /* and starting again */
} Flow;

static Flow *
flow_new (InterpKernel *self)
{
  Flow *flow = g_new0 (Flow, 1);

  flow->self = g_object_ref (self);
  flow->previous = self->turn ? g_steal_pointer (&self->turn) : dex_future_new_true ();
  flow->mine = dex_promise_new ();
  flow->epoch = self->epoch;
  self->turn = dex_ref (DEX_FUTURE (flow->mine));
  return flow;
}

static void
flow_free (gpointer data)
{
  Flow *flow = data;

  g_object_unref (flow->self);
  dex_clear (&flow->previous);
  dex_clear (&flow->mine);
  dex_clear (&flow->begun);
  g_free (flow->code);
  g_free (flow);
}

/* ---- starting ---- */

static gboolean
interp_kernel_choose_interpreter (InterpKernel *self, const char *const *env, GError **error)
{
  g_autofree char *hint = NULL;

  if (!self->interpreter_is_chosen)
    {
      g_free (self->interpreter);
      self->interpreter = interp_kernel_spec_find_interpreter (self->spec, env);
      g_object_notify (G_OBJECT (self), "interpreter");
    }
  if (self->interpreter && g_file_test (self->interpreter, G_FILE_TEST_IS_EXECUTABLE))
    return TRUE;
  hint = interp_kernel_spec_get_install_hint (self->spec);
  if (self->interpreter)
    g_set_error (error, INTERP_KERNEL_ERROR, INTERP_KERNEL_ERROR_MISSING,
                 /* Translators: the path of a program */
                 _ ("%s is not there or cannot be run."), self->interpreter);
  else
    g_set_error (error, INTERP_KERNEL_ERROR, INTERP_KERNEL_ERROR_MISSING,
                 /* Translators: a language; a command that installs it */
                 _ ("%s is not installed. To install it: %s"), interp_kernel_spec_get_title (self->spec), hint);
  return FALSE;
}

static InterpLaunch *
interp_kernel_make_launch (InterpKernel *self)
{
  InterpLaunch *launch = interp_launch_new ();

  for (guint i = 0; i < self->layers->len; i++)
    {
      const InterpKernelLayer *layer = g_ptr_array_index (self->layers, i);

      interp_launch_push (launch, layer->layer, layer->user_data, NULL);
    }
  return launch;
}

static void
interp_kernel_add_last_words (InterpKernel *self, GError **error)
{
  g_autofree char *text = interp_terminal_text_reduce (self->words->str, self->words->len);
  GError *longer;

  g_strstrip (text);
  if (!*text)
    return;
  longer = g_error_new ((*error)->domain, (*error)->code, "%s\n%s", (*error)->message, text);
  g_clear_error (error);
  *error = longer;
}

static DexFuture *
too_slow_cb (DexFuture *future, gpointer user_data)
{
  InterpKernel *self = user_data;

  return dex_future_new_reject (INTERP_KERNEL_ERROR, INTERP_KERNEL_ERROR_START,
                                /* Translators: a language */
                                _ ("%s did not become ready in %d seconds."), interp_kernel_spec_get_title (self->spec),
                                READY_MSEC / 1000);
}

static gboolean
interp_kernel_await_ready (InterpKernel *self, GError **error)
{
  DexFuture *too_slow;

  if (!interp_await (interp_kernel_instance_start (self->instance), error))
    return FALSE;
  if (!self->instance)
    return TRUE; /* closed meanwhile: the promise tells */
  interp_kernel_watch_end (self);
  too_slow = dex_future_then (interp_timeout (READY_MSEC), too_slow_cb, g_object_ref (self), g_object_unref);
  return interp_await (dex_future_first (dex_ref (DEX_FUTURE (self->ready)), too_slow, NULL), error);
}

/* In a fiber that has its turn. */
static gboolean
interp_kernel_start_now (InterpKernel *self, GError **error)
{
  g_autoptr (InterpLaunch) launch = NULL;
  g_auto (GStrv) env = NULL;
  g_autoptr (GError) problem = NULL;

  if (self->silent)
    interp_kernel_lose_silent (self);
  if (self->instance)
    return TRUE;
  interp_kernel_set_state (self, INTERP_KERNEL_STARTING);
  if (self->ended)
    interp_await (g_steal_pointer (&self->ended), NULL);
  env = self->env ? g_strdupv (self->env) : interp_environment_for_kernels (interp_environment_get ());
  if (!interp_kernel_choose_interpreter (self, (const char *const *) env, error))
    {
      interp_kernel_set_state (self, INTERP_KERNEL_OFF);
      return FALSE;
    }
  if (self->generation++ > 0)
    {
      g_autofree char *line = g_strdup_printf (
          /* Translators: a language; a line in its terminal */
          _ ("%s starts afresh"), interp_kernel_spec_get_title (self->spec));
      g_autofree char *shown = g_strdup_printf ("\r\n\033[2m── %s ──\033[0m\r\n", line);

      interp_pty_show (self->pty, shown);
    }
  g_set_str (&self->folder, self->start_folder);
  g_string_truncate (self->words, 0);
  self->configured_columns = 0;
  launch = interp_kernel_make_launch (self);
  self->ready = dex_promise_new ();
  self->instance
      = interp_kernel_instance_new (self->spec, self->interpreter, self->start_folder, (const char *const *) env,
                                    launch, self->pty, interp_kernel_handle_event, self);
  interp_kernel_instance_set_memory_max (self->instance, self->memory_max);
  g_clear_pointer (&self->artifacts, interp_artifacts_unref);
  interp_kernel_await_ready (self, &problem);
  if (!problem && !self->instance)
    problem = g_error_new (INTERP_KERNEL_ERROR, INTERP_KERNEL_ERROR_START, _ ("%s was closed while it started."),
                           interp_kernel_spec_get_title (self->spec));
  dex_clear (&self->ready);
  if (problem)
    {
      interp_kernel_release (self);
      if (g_error_matches (problem, INTERP_KERNEL_ERROR, INTERP_KERNEL_ERROR_START))
        {
          interp_pty_drain (self->pty);
          interp_kernel_add_last_words (self, &problem);
        }
      interp_kernel_set_state (self, INTERP_KERNEL_OFF);
      g_propagate_error (error, g_steal_pointer (&problem));
      return FALSE;
    }
  self->artifacts = dex_await_boxed (interp_artifacts_scan (self->folder), NULL);
  if (!self->instance)
    {
      interp_kernel_set_state (self, INTERP_KERNEL_OFF);
      g_set_error (error, INTERP_KERNEL_ERROR, INTERP_KERNEL_ERROR_START, _ ("%s ended as soon as it had started."),
                   interp_kernel_spec_get_title (self->spec));
      return FALSE;
    }
  self->has_modes = interp_pty_get_modes (self->pty, &self->modes);
  interp_kernel_set_state (self, INTERP_KERNEL_IDLE);
  return TRUE;
}

static DexFuture *
start_fiber (gpointer data)
{
  Flow *flow = data;
  InterpKernel *self = flow->self;
  g_autoptr (GError) error = NULL;

  interp_await (g_steal_pointer (&flow->previous), NULL);
  if (flow->epoch != self->epoch)
    error = g_error_new (INTERP_KERNEL_ERROR, INTERP_KERNEL_ERROR_START, _ ("%s was closed while it started."),
                         interp_kernel_spec_get_title (self->spec));
  else
    interp_kernel_start_now (self, &error);
  dex_promise_resolve_boolean (flow->mine, TRUE);
  return error ? dex_future_new_for_error (g_steal_pointer (&error)) : dex_future_new_true ();
}

DexFuture *
interp_kernel_start (InterpKernel *self)
{
  g_return_val_if_fail (INTERP_IS_KERNEL (self), NULL);

  return interp_fiber_spawn (start_fiber, flow_new (self), flow_free);
}

/* ---- running code ---- */

static void
waiting_cb (InterpWaiting waiting, gpointer user_data)
{
  InterpKernel *self = user_data;

  if (self->execution)
    interp_run_set_waiting (interp_execution_get_run (self->execution), waiting);
  interp_kernel_set_waiting (self, waiting);
}

static char *
interp_kernel_make_log_path (InterpKernel *self, guint64 id)
{
  g_autofree char *name = NULL;

  if (!self->log_dir)
    return NULL;
  name = g_strdup_printf ("%s-%" G_GINT64_FORMAT "-%" G_GUINT64_FORMAT ".log", interp_kernel_spec_get_id (self->spec),
                          g_get_real_time (), id);
  return g_build_filename (self->log_dir, name, NULL);
}

static void
interp_kernel_configure (InterpKernel *self)
{
  int columns;

  interp_pty_get_size (self->pty, &columns, NULL);
  if (columns == self->configured_columns && self->dark == self->configured_dark)
    return;
  self->configured_columns = columns;
  self->configured_dark = self->dark;
  interp_kernel_instance_configure (self->instance, columns, self->dark);
}

static gboolean
interp_kernel_begin (InterpKernel *self, const Flow *flow, GError **error)
{
  guint64 id = ++self->last_id;
  g_autofree char *log_path = interp_kernel_make_log_path (self, id);
  g_autoptr (InterpRun) run = interp_run_new (self->spec, id, flow->code, log_path);
  g_autoptr (InterpTerminalWatch) watch = NULL;
  GPid pid = interp_process_get_pid (interp_kernel_instance_get_process (self->instance));

  interp_kernel_configure (self);
  interp_pty_flush_input (self->pty);
  self->execution
      = interp_execution_new (run, self->pty, interp_kernel_instance_get_spool (self->instance), self->log_dir);
  if (!interp_kernel_instance_execute (self->instance, id, flow->code, error))
    {
      g_clear_object (&self->execution);
      return FALSE;
    }
  interp_run_set_first_byte (run, interp_clock_monotonic () - flow->asked);
  watch = interp_terminal_watch_new (self->pty, pid, waiting_cb, self);
  interp_execution_set_watch (self->execution, watch);
  interp_kernel_set_state (self, INTERP_KERNEL_BUSY);
  g_object_notify (G_OBJECT (self), "run");
  return TRUE;
}

static char *
dup_real_path (const char *path)
{
  char *real = realpath (path, NULL);
  char *copy = g_strdup (real);

  free (real);
  return copy;
}

/* The terminal is left as it was found, whatever the code did to it. */
static void
interp_kernel_tidy_terminal (InterpKernel *self)
{
  GPid pid;
  int foreground;

  if (self->has_modes)
    interp_pty_restore (self->pty, &self->modes);
  if (!self->instance)
    return;
  pid = interp_process_get_pid (interp_kernel_instance_get_process (self->instance));
  foreground = interp_pty_get_foreground (self->pty);
  if (pid > 0 && foreground > 0 && foreground != pid && kill (-foreground, 0) < 0 && errno == ESRCH)
    interp_process_take_foreground (interp_kernel_instance_get_process (self->instance));
}

/* Where the code is now, as its harness says. Behind a layer that may be a place that is another one here, or that the
 * code cannot reach: we would look for pictures there in its stead. */
static void
interp_kernel_take_folder (InterpKernel *self, const char *folder)
{
  g_autofree char *start = NULL;
  g_autofree char *real = NULL;
  gsize length;

  if (!folder)
    return;
  if (self->layers->len > 0)
    {
      start = dup_real_path (self->start_folder);
      real = dup_real_path (folder);
      length = start ? strlen (start) : 0;
      if (!start || !real || strncmp (real, start, length) != 0 || (real[length] != '\0' && real[length] != '/'))
        folder = self->start_folder;
    }
  g_set_str (&self->folder, folder);
}

/* In a fiber that has its turn, when the code has begun. */
static void
interp_kernel_await_end (InterpKernel *self)
{
  g_autoptr (InterpExecution) execution = g_object_ref (self->execution);
  g_autofree char *folder = g_strdup (self->folder);
  gboolean was_interrupted;

  interp_await (interp_execution_wait_complete (execution), NULL);
  was_interrupted = self->state == INTERP_KERNEL_INTERRUPTING;
  if (self->instance && interp_execution_is_deaf (execution))
    interp_kernel_lose_silent (self);
  interp_kernel_tidy_terminal (self);
  interp_kernel_take_folder (self, interp_execution_get_folder (execution));
  /* An interrupt that came too late may have cost a reader its next line: let it be one without meaning. */
  if (self->instance && was_interrupted)
    interp_kernel_instance_send (self->instance, "nop", 0);
  interp_await (interp_execution_settle (execution, self->artifacts, folder), NULL);
  g_clear_pointer (&self->artifacts, interp_artifacts_unref);
  self->artifacts = interp_execution_steal_artifacts (execution);
  g_clear_object (&self->execution);
  interp_kernel_set_waiting (self, INTERP_WAITING_NO);
  if (self->instance)
    interp_kernel_set_state (self, INTERP_KERNEL_IDLE);
  g_object_notify (G_OBJECT (self), "run");
  interp_execution_finish (execution);
}

static DexFuture *
execute_fiber (gpointer data)
{
  Flow *flow = data;
  InterpKernel *self = flow->self;
  g_autoptr (GError) error = NULL;

  interp_await (g_steal_pointer (&flow->previous), NULL);
  if (flow->epoch != self->epoch)
    error = g_error_new (INTERP_KERNEL_ERROR, INTERP_KERNEL_ERROR_LOST,
                         /* Translators: a language */
                         _ ("%s was closed before the code began."), interp_kernel_spec_get_title (self->spec));
  else if (interp_kernel_start_now (self, &error) && interp_kernel_begin (self, flow, &error))
    {
      dex_promise_resolve_object (flow->begun, g_object_ref (interp_execution_get_run (self->execution)));
      interp_kernel_await_end (self);
    }
  if (error)
    dex_promise_reject (flow->begun, g_steal_pointer (&error));
  dex_promise_resolve_boolean (flow->mine, TRUE);
  return dex_future_new_true ();
}

DexFuture *
interp_kernel_execute (InterpKernel *self, const char *code)
{
  Flow *flow;
  DexFuture *begun;

  g_return_val_if_fail (INTERP_IS_KERNEL (self), NULL);
  g_return_val_if_fail (code != NULL, NULL);

  if (!g_utf8_validate (code, -1, NULL))
    return dex_future_new_reject (G_IO_ERROR, G_IO_ERROR_INVALID_DATA, _ ("The code is not valid text."));
  flow = flow_new (self);
  flow->code = g_strdup (code);
  flow->asked = interp_clock_monotonic ();
  flow->begun = dex_promise_new ();
  begun = dex_ref (DEX_FUTURE (flow->begun));
  interp_fiber_run ("execute", execute_fiber, flow, flow_free);
  return begun;
}

/* ---- ending ---- */

/* Ends what runs, without waiting for a turn. */
static void
interp_kernel_end (InterpKernel *self, GError **error)
{
  g_autoptr (InterpExecution) execution = NULL;
  InterpKernelInstance *instance;

  if (self->instance && self->execution)
    {
      execution = g_object_ref (self->execution);
      interp_execution_set_stopping (execution);
      /* Also reaches what runs as another user. */
      interp_pty_interrupt (self->pty);
      interp_kernel_release (self);
      interp_execution_lose (execution, 128 + SIGKILL);
    }
  else if (self->instance && self->state == INTERP_KERNEL_IDLE)
    {
      instance = g_steal_pointer (&self->instance);
      /* It may have something to do at its end. */
      interp_kernel_instance_disconnect (instance);
      interp_kernel_instance_send (instance, "shutdown", 0);
      interp_await (dex_future_first (interp_kernel_instance_wait (instance), interp_timeout (SHUTDOWN_MSEC), NULL),
                    NULL);
      self->instance = instance;
      interp_kernel_release (self);
    }
  else if (self->instance)
    {
      interp_kernel_release (self);
      if (self->ready && dex_future_is_pending (DEX_FUTURE (self->ready)))
        dex_promise_reject (self->ready, g_error_new (INTERP_KERNEL_ERROR, INTERP_KERNEL_ERROR_START,
                                                      _ ("%s was closed while it started."),
                                                      interp_kernel_spec_get_title (self->spec)));
    }
  if (self->ended)
    dex_await (dex_ref (self->ended), error);
}

static DexFuture *
end_fiber (gpointer data)
{
  Flow *flow = data;
  InterpKernel *self = flow->self;
  g_autoptr (GError) error = NULL;

  interp_kernel_end (self, &error);
  interp_await (g_steal_pointer (&flow->previous), NULL);
  /* What had its turn before us may have started it again. */
  if (!error)
    interp_kernel_end (self, &error);
  interp_kernel_set_state (self, INTERP_KERNEL_OFF);
  if (flow->start)
    {
      g_clear_error (&error);
      interp_kernel_start_now (self, &error);
    }
  dex_promise_resolve_boolean (flow->mine, TRUE);
  return error ? dex_future_new_for_error (g_steal_pointer (&error)) : dex_future_new_true ();
}

static DexFuture *
interp_kernel_queue_end (InterpKernel *self, gboolean start)
{
  Flow *flow = flow_new (self);

  self->epoch++;
  flow->start = start;
  return interp_fiber_spawn (end_fiber, flow, flow_free);
}

DexFuture *
interp_kernel_restart (InterpKernel *self)
{
  g_return_val_if_fail (INTERP_IS_KERNEL (self), NULL);

  return interp_kernel_queue_end (self, TRUE);
}

DexFuture *
interp_kernel_close (InterpKernel *self)
{
  g_return_val_if_fail (INTERP_IS_KERNEL (self), NULL);

  return interp_kernel_queue_end (self, FALSE);
}
