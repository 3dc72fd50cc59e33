/* interp-kernel.c: one running interpreter with its terminal
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "kernel/interp-kernel.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include <glib/gi18n.h>

#include "base/interp-clock.h"
#include "base/interp-environment.h"
#include "base/interp-fiber.h"
#include "base/interp-json.h"
#include "base/interp-text.h"
#include "kernel/interp-artifacts.h"
#include "kernel/interp-execution.h"
#include "kernel/interp-kernel-instance.h"
#include "kernel/interp-kernel-spec-private.h"
#include "kernel/interp-pty-private.h"
#include "kernel/interp-run-private.h"

/* How long the harness may take to say that it is ready. */
#define READY_MSEC 30000

/* How long each step of an interruption is given before the next. */
#define STEP_MSEC 2000

/* How long an idle interpreter may take to end by itself. */
#define SHUTDOWN_MSEC 500

/* How long an interpreter whose harness fell silent may take to end before it is ended. */
#define SILENT_MSEC 500

#define MAX_BACKGROUND (16 * 1024)
#define MAX_WORDS 4096

typedef struct
{
  InterpLaunchLayer layer;
  gpointer user_data;
  GDestroyNotify destroy;
} Layer;

struct _InterpKernel
{
  GObject parent_instance;

  InterpKernelSpec *spec;
  char *start_folder;
  char *folder;
  GStrv env; /* nullable */
  char *log_dir;
  GPtrArray *layers; /* of Layer */
  InterpPty *pty;
  gboolean dark;

  InterpKernelState state;
  InterpWaiting waiting;
  guint generation;
  guint64 last_id;
  guint epoch; /* counts what makes queued executions void */
  char *interpreter;
  gboolean interpreter_is_chosen;
  char *version;

  InterpKernelInstance *instance; /* NULL when it does not run */
  DexFuture *ended;               /* the end of the one before, to be waited for */
  DexPromise *ready;              /* while starting */
  InterpExecution *execution;
  InterpArtifacts *artifacts; /* the pictures in the folder after the last run */
  struct termios modes;       /* as the harness keeps the terminal */
  gboolean has_modes;
  int configured_columns;
  gboolean configured_dark;

  GString *words; /* what it said while starting */
  GString *background;
  gboolean has_new_background;
  guint silent;

  DexFuture *turn; /* the last in the queue */
};

enum
{
  PROP_STATE = 1,
  PROP_WAITING,
  PROP_INTERPRETER,
  PROP_RUN,
  N_PROPERTIES
};

enum
{
  SIGNAL_LOST,
  SIGNAL_BACKGROUND_OUTPUT,
  N_SIGNALS
};

static GParamSpec *properties[N_PROPERTIES];
static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (InterpKernel, interp_kernel, G_TYPE_OBJECT)
G_DEFINE_QUARK (interp-kernel-error-quark, interp_kernel_error)

G_DEFINE_ENUM_TYPE (InterpKernelState, interp_kernel_state,
                    G_DEFINE_ENUM_VALUE (INTERP_KERNEL_OFF, "off"),
                    G_DEFINE_ENUM_VALUE (INTERP_KERNEL_STARTING, "starting"),
                    G_DEFINE_ENUM_VALUE (INTERP_KERNEL_IDLE, "idle"),
                    G_DEFINE_ENUM_VALUE (INTERP_KERNEL_BUSY, "busy"),
                    G_DEFINE_ENUM_VALUE (INTERP_KERNEL_INTERRUPTING, "interrupting"),
                    G_DEFINE_ENUM_VALUE (INTERP_KERNEL_LOST, "lost"))

/* ---- state ---- */

static void
interp_kernel_set_state (InterpKernel *self, InterpKernelState state)
{
  if (self->state == state)
    return;
  self->state = state;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_STATE]);
}

static void
interp_kernel_set_waiting (InterpKernel *self, InterpWaiting waiting)
{
  if (self->waiting == waiting)
    return;
  self->waiting = waiting;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_WAITING]);
}

static void
waiting_cb (InterpWaiting waiting, gpointer user_data)
{
  InterpKernel *self = user_data;

  if (self->execution)
    interp_run_set_waiting (interp_execution_get_run (self->execution), waiting);
  interp_kernel_set_waiting (self, waiting);
}

/* Flows that must not overlap queue here, in the order in which they were asked for. Resolves when it is the caller's
 * turn, which lasts until it resolves @mine. */
static DexFuture *
interp_kernel_queue (InterpKernel *self, DexPromise **mine)
{
  DexFuture *previous = self->turn ? g_steal_pointer (&self->turn) : dex_future_new_true ();

  *mine = dex_promise_new ();
  self->turn = dex_ref (DEX_FUTURE (*mine));
  return previous;
}

/* ---- the terminal ---- */

static void
append_bounded (GString *string, const char *bytes, gsize length, gsize max_bytes)
{
  if (length >= max_bytes)
    {
      bytes += length - max_bytes;
      length = max_bytes;
    }
  if (string->len + length > max_bytes)
    g_string_erase (string, 0, (gssize) (string->len + length - max_bytes));
  g_string_append_len (string, bytes, (gssize) length);
}

static void
pty_bytes_cb (const char *bytes, gsize length, gpointer user_data)
{
  InterpKernel *self = user_data;

  if (self->state == INTERP_KERNEL_STARTING)
    append_bounded (self->words, bytes, length, MAX_WORDS);
  else if (!self->execution || !interp_execution_feed (self->execution, bytes, length))
    {
      append_bounded (self->background, bytes, length, MAX_BACKGROUND);
      self->has_new_background = TRUE;
    }
}

static void
pty_mark_cb (InterpMark mark, guint64 id, gpointer user_data)
{
  InterpKernel *self = user_data;

  if (self->execution)
    interp_execution_mark (self->execution, mark, id);
}

static void
pty_read_cb (gpointer user_data)
{
  InterpKernel *self = user_data;

  if (self->execution)
    interp_execution_note_read (self->execution);
  if (self->has_new_background)
    {
      self->has_new_background = FALSE;
      g_signal_emit (self, signals[SIGNAL_BACKGROUND_OUTPUT], 0);
    }
}

static const InterpPtySink pty_sink = { pty_bytes_cb, pty_mark_cb, pty_read_cb };

/* ---- the harness ---- */

/* Lets go of what runs: nothing of it is listened to, all of it is ended. */
static void
interp_kernel_release (InterpKernel *self)
{
  g_autoptr (InterpKernelInstance) instance = g_steal_pointer (&self->instance);
  DexFuture *closed;

  g_clear_handle_id (&self->silent, g_source_remove);
  if (!instance)
    return;
  interp_kernel_instance_disconnect (instance);
  closed = interp_kernel_instance_close (instance);
  dex_future_disown (dex_ref (closed));
  dex_clear (&self->ended);
  self->ended = closed;
}

static void
interp_kernel_lose (InterpKernel *self, const char *sentence)
{
  interp_kernel_release (self);
  interp_kernel_set_state (self, INTERP_KERNEL_LOST);
  g_signal_emit (self, signals[SIGNAL_LOST], 0, sentence);
}

/* Its process lives, but its harness does not: the code closed its channels, or became another program. */
static void
interp_kernel_lose_silent (InterpKernel *self)
{
  g_autofree char *sentence = g_strdup_printf (
      /* Translators: a language */
      _ ("%s could not be controlled any more and was ended."), interp_kernel_spec_get_title (self->spec));

  interp_kernel_lose (self, sentence);
}

static gboolean
silent_cb (gpointer user_data)
{
  InterpKernel *self = user_data;

  self->silent = 0;
  if (self->instance)
    interp_kernel_lose_silent (self);
  return G_SOURCE_REMOVE;
}

/* Nothing more can be asked of it. Running code goes on to its end, for it may be another program by now. */
static void
interp_kernel_fell_silent (InterpKernel *self)
{
  if (self->execution && !interp_execution_is_complete (self->execution))
    interp_execution_set_deaf (self->execution);
  else if (self->silent == 0)
    self->silent = g_timeout_add (SILENT_MSEC, silent_cb, self);
}

static void
event_cb (JsonNode *event, gpointer user_data)
{
  g_autoptr (InterpKernel) self = g_object_ref (user_data);
  const char *type, *version;

  if (!event)
    {
      interp_kernel_fell_silent (self);
      return;
    }
  type = interp_json_get_string (event, "t");
  if (g_strcmp0 (type, "ready") == 0)
    {
      version = interp_json_get_string (event, "version");
      g_free (self->version);
      self->version = version && *version ? interp_text_summary (version, 40) : NULL;
      if (self->ready && dex_future_is_pending (DEX_FUTURE (self->ready)))
        dex_promise_resolve_boolean (self->ready, TRUE);
    }
  else if (self->execution)
    interp_execution_handle (self->execution, event);
}

/* ---- the end of the interpreter ---- */

static char *
interp_kernel_describe_end (InterpKernel *self, int status, int signal_number)
{
  const char *title = interp_kernel_spec_get_title (self->spec);

  if (signal_number > 0)
    /* Translators: a language; the name of a signal as the system gives it, such as "Segmentation fault" */
    return g_strdup_printf (_ ("%s was ended: %s."), title, g_strsignal (signal_number));
  /* Translators: a language */
  return g_strdup_printf (_ ("%s ended with status %d."), title, status);
}

static void
interp_kernel_ended (InterpKernel *self, InterpKernelInstance *instance, int status)
{
  int signal_number = interp_process_get_signal (interp_kernel_instance_get_process (instance));
  g_autofree char *sentence = NULL;
  InterpRun *run;

  /* Its last words, by both ways. */
  interp_kernel_instance_drain (instance);
  interp_pty_drain (self->pty);
  if (self->instance != instance)
    return;
  if (self->ready && dex_future_is_pending (DEX_FUTURE (self->ready)))
    {
      sentence = interp_kernel_describe_end (self, status, signal_number);
      dex_promise_reject (self->ready, g_error_new_literal (INTERP_KERNEL_ERROR, INTERP_KERNEL_ERROR_START, sentence));
      return;
    }
  if (self->state == INTERP_KERNEL_STARTING)
    {
      interp_kernel_release (self);
      return;
    }
  sentence = interp_kernel_describe_end (self, status, signal_number);
  if (self->execution)
    {
      run = interp_execution_get_run (self->execution);
      if (!interp_execution_is_complete (self->execution) && !interp_run_get_error_message (run))
        interp_run_set_error (run, NULL, sentence, NULL, 0, NULL);
      interp_execution_lose (self->execution, status);
    }
  interp_kernel_lose (self, sentence);
}

typedef struct
{
  GWeakRef kernel;
  InterpKernelInstance *instance;
} Watch;

static void
watch_free (gpointer data)
{
  Watch *watch = data;

  g_weak_ref_clear (&watch->kernel);
  g_object_unref (watch->instance);
  g_free (watch);
}

static DexFuture *
ended_cb (DexFuture *future, gpointer user_data)
{
  Watch *watch = user_data;
  g_autoptr (InterpKernel) self = g_weak_ref_get (&watch->kernel);
  const GValue *value = dex_future_get_value (future, NULL);

  if (self)
    interp_kernel_ended (self, watch->instance, value ? g_value_get_int (value) : 0);
  return NULL;
}

static void
interp_kernel_watch_end (InterpKernel *self)
{
  Watch *watch = g_new0 (Watch, 1);

  g_weak_ref_init (&watch->kernel, self);
  watch->instance = g_object_ref (self->instance);
  dex_future_disown (
      dex_future_finally (interp_kernel_instance_wait (self->instance), ended_cb, watch, watch_free));
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
      g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_INTERPRETER]);
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
      const Layer *layer = g_ptr_array_index (self->layers, i);

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
                                _ ("%s did not become ready in %d seconds."),
                                interp_kernel_spec_get_title (self->spec), READY_MSEC / 1000);
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
                                    launch, self->pty, event_cb, self);
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
  InterpKernel *self = data;
  g_autoptr (DexPromise) mine = NULL;
  g_autoptr (GError) error = NULL;
  guint epoch = self->epoch;

  interp_await (interp_kernel_queue (self, &mine), NULL);
  if (epoch != self->epoch)
    error = g_error_new (INTERP_KERNEL_ERROR, INTERP_KERNEL_ERROR_START, _ ("%s was closed."),
                         interp_kernel_spec_get_title (self->spec));
  else
    interp_kernel_start_now (self, &error);
  dex_promise_resolve_boolean (mine, TRUE);
  return error ? dex_future_new_for_error (g_steal_pointer (&error)) : dex_future_new_true ();
}

DexFuture *
interp_kernel_start (InterpKernel *self)
{
  g_return_val_if_fail (INTERP_IS_KERNEL (self), NULL);

  return interp_fiber_spawn (start_fiber, g_object_ref (self), g_object_unref);
}

/* ---- running code ---- */

typedef struct
{
  InterpKernel *self;
  char *code;
  gint64 asked; /* monotonic */
  guint epoch;
  DexPromise *begun;
  DexPromise *mine;
  DexFuture *previous;
} Request;

static void
request_free (gpointer data)
{
  Request *request = data;

  g_object_unref (request->self);
  g_free (request->code);
  dex_clear (&request->begun);
  dex_clear (&request->mine);
  dex_clear (&request->previous);
  g_free (request);
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
interp_kernel_begin (InterpKernel *self, const Request *request, GError **error)
{
  guint64 id = ++self->last_id;
  g_autofree char *log_path = interp_kernel_make_log_path (self, id);
  g_autoptr (InterpRun) run = interp_run_new (self->spec, id, request->code, log_path);
  g_autoptr (InterpTerminalWatch) watch = NULL;
  GPid pid = interp_process_get_pid (interp_kernel_instance_get_process (self->instance));

  interp_kernel_configure (self);
  interp_pty_flush_input (self->pty);
  self->execution = interp_execution_new (run, self->pty, interp_kernel_instance_get_spool (self->instance),
                                          self->log_dir);
  if (!interp_kernel_instance_execute (self->instance, id, request->code, error))
    {
      g_clear_object (&self->execution);
      return FALSE;
    }
  interp_run_set_first_byte (run, interp_clock_monotonic () - request->asked);
  watch = interp_terminal_watch_new (self->pty, pid, waiting_cb, self);
  interp_execution_set_watch (self->execution, watch);
  interp_kernel_set_state (self, INTERP_KERNEL_BUSY);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_RUN]);
  return TRUE;
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
  if (interp_execution_get_folder (execution))
    g_set_str (&self->folder, interp_execution_get_folder (execution));
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
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_RUN]);
  interp_execution_finish (execution);
}

static DexFuture *
execute_fiber (gpointer data)
{
  Request *request = data;
  InterpKernel *self = request->self;
  g_autoptr (GError) error = NULL;

  interp_await (g_steal_pointer (&request->previous), NULL);
  if (request->epoch != self->epoch)
    error = g_error_new (INTERP_KERNEL_ERROR, INTERP_KERNEL_ERROR_LOST,
                         /* Translators: a language */
                         _ ("%s was closed before the code began."), interp_kernel_spec_get_title (self->spec));
  else if (interp_kernel_start_now (self, &error) && interp_kernel_begin (self, request, &error))
    {
      dex_promise_resolve_object (request->begun, g_object_ref (interp_execution_get_run (self->execution)));
      interp_kernel_await_end (self);
    }
  if (error)
    dex_promise_reject (request->begun, g_steal_pointer (&error));
  dex_promise_resolve_boolean (request->mine, TRUE);
  return dex_future_new_true ();
}

DexFuture *
interp_kernel_execute (InterpKernel *self, const char *code)
{
  Request *request;
  DexFuture *begun;

  g_return_val_if_fail (INTERP_IS_KERNEL (self), NULL);
  g_return_val_if_fail (code != NULL, NULL);

  if (!g_utf8_validate (code, -1, NULL))
    return dex_future_new_reject (G_IO_ERROR, G_IO_ERROR_INVALID_DATA, _ ("The code is not valid text."));
  request = g_new0 (Request, 1);
  request->self = g_object_ref (self);
  request->code = g_strdup (code);
  request->asked = interp_clock_monotonic ();
  request->epoch = self->epoch;
  request->begun = dex_promise_new ();
  request->previous = interp_kernel_queue (self, &request->mine);
  begun = dex_ref (DEX_FUTURE (request->begun));
  interp_fiber_run ("execute", execute_fiber, request, request_free);
  return begun;
}

/* ---- interrupting ---- */

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

/* TRUE when there is nothing stronger. */
static gboolean
interp_kernel_escalate (InterpKernel *self, guint step)
{
  GPid pid = interp_process_get_pid (interp_kernel_instance_get_process (self->instance));
  int foreground = interp_pty_get_foreground (self->pty);
  gboolean is_job = foreground > 0 && foreground != pid;

  switch (step)
    {
    case 0:
    case 1:
      interp_kernel_ask_to_stop (self, step > 0);
      return FALSE;
    case 2:
      interp_kernel_signal_foreground (self, SIGTERM);
      return FALSE;
    case 3:
      if (is_job)
        {
          interp_kernel_signal_foreground (self, SIGKILL);
          return FALSE;
        }
      break;
    default:
      break;
    }
  dex_future_disown (interp_kernel_instance_close (self->instance));
  return TRUE;
}

static DexFuture *
interrupt_fiber (gpointer data)
{
  InterpKernel *self = data;
  g_autoptr (InterpExecution) execution = NULL;
  g_autoptr (InterpRun) run = NULL;
  gboolean last = FALSE;

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
      for (guint step = 0; !last && self->instance && !interp_execution_is_complete (execution); step++)
        {
          last = interp_kernel_escalate (self, step);
          interp_await (
              dex_future_first (interp_execution_wait_complete (execution), interp_timeout (STEP_MSEC), NULL), NULL);
        }
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
      interp_await (
          dex_future_first (interp_kernel_instance_wait (instance), interp_timeout (SHUTDOWN_MSEC), NULL), NULL);
      self->instance = instance;
      interp_kernel_release (self);
    }
  else if (self->instance)
    {
      interp_kernel_release (self);
      if (self->ready && dex_future_is_pending (DEX_FUTURE (self->ready)))
        dex_promise_reject (self->ready,
                            g_error_new (INTERP_KERNEL_ERROR, INTERP_KERNEL_ERROR_START,
                                         _ ("%s was closed while it started."),
                                         interp_kernel_spec_get_title (self->spec)));
    }
  if (self->ended)
    dex_await (dex_ref (self->ended), error);
}

typedef struct
{
  InterpKernel *self;
  DexPromise *mine;
  DexFuture *previous;
  gboolean start;
} Ending;

static void
ending_free (gpointer data)
{
  Ending *ending = data;

  g_object_unref (ending->self);
  dex_clear (&ending->mine);
  dex_clear (&ending->previous);
  g_free (ending);
}

static DexFuture *
end_fiber (gpointer data)
{
  Ending *ending = data;
  InterpKernel *self = ending->self;
  g_autoptr (GError) error = NULL;

  interp_kernel_end (self, &error);
  interp_await (g_steal_pointer (&ending->previous), NULL);
  /* What had its turn before us may have started it again. */
  if (!error)
    interp_kernel_end (self, &error);
  interp_kernel_set_state (self, INTERP_KERNEL_OFF);
  if (ending->start)
    {
      g_clear_error (&error);
      interp_kernel_start_now (self, &error);
    }
  dex_promise_resolve_boolean (ending->mine, TRUE);
  return error ? dex_future_new_for_error (g_steal_pointer (&error)) : dex_future_new_true ();
}

static DexFuture *
interp_kernel_queue_end (InterpKernel *self, gboolean start)
{
  Ending *ending = g_new0 (Ending, 1);

  self->epoch++;
  ending->self = g_object_ref (self);
  ending->start = start;
  ending->previous = interp_kernel_queue (self, &ending->mine);
  return interp_fiber_spawn (end_fiber, ending, ending_free);
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

/* ---- the object ---- */

static void
interp_kernel_dispose (GObject *object)
{
  InterpKernel *self = INTERP_KERNEL (object);

  if (self->pty)
    interp_pty_set_sink (self->pty, NULL, NULL);
  interp_kernel_release (self);
  G_OBJECT_CLASS (interp_kernel_parent_class)->dispose (object);
}

static void
interp_kernel_finalize (GObject *object)
{
  InterpKernel *self = INTERP_KERNEL (object);

  g_clear_object (&self->spec);
  g_free (self->start_folder);
  g_free (self->folder);
  g_strfreev (self->env);
  g_free (self->log_dir);
  g_ptr_array_unref (self->layers);
  g_clear_object (&self->pty);
  g_free (self->interpreter);
  g_free (self->version);
  dex_clear (&self->ended);
  dex_clear (&self->ready);
  dex_clear (&self->turn);
  g_clear_object (&self->execution);
  g_clear_pointer (&self->artifacts, interp_artifacts_unref);
  g_string_free (self->words, TRUE);
  g_string_free (self->background, TRUE);
  G_OBJECT_CLASS (interp_kernel_parent_class)->finalize (object);
}

static void
interp_kernel_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  InterpKernel *self = INTERP_KERNEL (object);

  switch (id)
    {
    case PROP_STATE:
      g_value_set_enum (value, (int) self->state);
      break;
    case PROP_WAITING:
      g_value_set_enum (value, (int) self->waiting);
      break;
    case PROP_INTERPRETER:
      g_value_set_string (value, self->interpreter);
      break;
    case PROP_RUN:
      g_value_set_object (value, interp_kernel_get_run (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
interp_kernel_class_init (InterpKernelClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  object_class->dispose = interp_kernel_dispose;
  object_class->finalize = interp_kernel_finalize;
  object_class->get_property = interp_kernel_get_property;

  properties[PROP_STATE]
      = g_param_spec_enum ("state", NULL, NULL, INTERP_TYPE_KERNEL_STATE, INTERP_KERNEL_OFF, flags);
  properties[PROP_WAITING]
      = g_param_spec_enum ("waiting", NULL, NULL, INTERP_TYPE_WAITING, INTERP_WAITING_NO, flags);
  properties[PROP_INTERPRETER] = g_param_spec_string ("interpreter", NULL, NULL, NULL, flags);
  properties[PROP_RUN] = g_param_spec_object ("run", NULL, NULL, INTERP_TYPE_RUN, flags);
  g_object_class_install_properties (object_class, N_PROPERTIES, properties);

  signals[SIGNAL_LOST] = g_signal_new ("lost", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                       G_TYPE_NONE, 1, G_TYPE_STRING);
  signals[SIGNAL_BACKGROUND_OUTPUT] = g_signal_new ("background-output", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST,
                                                    0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
layer_free (gpointer data)
{
  Layer *layer = data;

  if (layer->destroy)
    layer->destroy (layer->user_data);
  g_free (layer);
}

static void
interp_kernel_init (InterpKernel *self)
{
  self->layers = g_ptr_array_new_with_free_func (layer_free);
  self->words = g_string_new (NULL);
  self->background = g_string_new (NULL);
  self->pty = interp_pty_new ();
  interp_pty_set_sink (self->pty, &pty_sink, self);
}

InterpKernel *
interp_kernel_new (InterpKernelSpec *spec, const char *folder, const char *const *env, const char *log_dir)
{
  InterpKernel *self;

  g_return_val_if_fail (INTERP_IS_KERNEL_SPEC (spec), NULL);
  g_return_val_if_fail (folder != NULL, NULL);

  self = g_object_new (INTERP_TYPE_KERNEL, NULL);
  self->spec = g_object_ref (spec);
  self->start_folder = g_strdup (folder);
  self->folder = g_strdup (folder);
  self->env = g_strdupv ((GStrv) env);
  self->log_dir = g_strdup (log_dir);
  return self;
}

void
interp_kernel_add_layer (InterpKernel *self, InterpLaunchLayer layer, gpointer user_data, GDestroyNotify destroy)
{
  Layer *added;

  g_return_if_fail (INTERP_IS_KERNEL (self));
  g_return_if_fail (layer != NULL);

  added = g_new0 (Layer, 1);
  added->layer = layer;
  added->user_data = user_data;
  added->destroy = destroy;
  g_ptr_array_add (self->layers, added);
}

void
interp_kernel_set_dark (InterpKernel *self, gboolean dark)
{
  g_return_if_fail (INTERP_IS_KERNEL (self));

  self->dark = dark;
  interp_pty_set_dark (self->pty, dark);
}

void
interp_kernel_set_interpreter (InterpKernel *self, const char *path)
{
  g_return_if_fail (INTERP_IS_KERNEL (self));
  g_return_if_fail (path != NULL);

  if (g_strcmp0 (path, self->interpreter) == 0)
    {
      self->interpreter_is_chosen = TRUE;
      return;
    }
  g_set_str (&self->interpreter, path);
  self->interpreter_is_chosen = TRUE;
  g_clear_pointer (&self->version, g_free);
  dex_future_disown (interp_kernel_close (self));
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_INTERPRETER]);
}

char *
interp_kernel_take_background_output (InterpKernel *self)
{
  g_autofree char *text = NULL;

  g_return_val_if_fail (INTERP_IS_KERNEL (self), NULL);

  if (self->background->len == 0)
    return NULL;
  text = interp_terminal_text_reduce (self->background->str, self->background->len);
  g_string_truncate (self->background, 0);
  return text && *text ? g_steal_pointer (&text) : NULL;
}

InterpKernelSpec *
interp_kernel_get_spec (InterpKernel *self)
{
  g_return_val_if_fail (INTERP_IS_KERNEL (self), NULL);

  return self->spec;
}

InterpKernelState
interp_kernel_get_state (InterpKernel *self)
{
  g_return_val_if_fail (INTERP_IS_KERNEL (self), INTERP_KERNEL_OFF);

  return self->state;
}

InterpWaiting
interp_kernel_get_waiting (InterpKernel *self)
{
  g_return_val_if_fail (INTERP_IS_KERNEL (self), INTERP_WAITING_NO);

  return self->waiting;
}

InterpPty *
interp_kernel_get_pty (InterpKernel *self)
{
  g_return_val_if_fail (INTERP_IS_KERNEL (self), NULL);

  return self->pty;
}

InterpRun *
interp_kernel_get_run (InterpKernel *self)
{
  g_return_val_if_fail (INTERP_IS_KERNEL (self), NULL);

  return self->execution ? interp_execution_get_run (self->execution) : NULL;
}

const char *
interp_kernel_get_interpreter (InterpKernel *self)
{
  g_return_val_if_fail (INTERP_IS_KERNEL (self), NULL);

  return self->interpreter;
}

const char *
interp_kernel_get_version (InterpKernel *self)
{
  g_return_val_if_fail (INTERP_IS_KERNEL (self), NULL);

  return self->version;
}

const char *
interp_kernel_get_folder (InterpKernel *self)
{
  g_return_val_if_fail (INTERP_IS_KERNEL (self), NULL);

  return self->folder;
}

guint
interp_kernel_get_generation (InterpKernel *self)
{
  g_return_val_if_fail (INTERP_IS_KERNEL (self), 0);

  return self->generation;
}
