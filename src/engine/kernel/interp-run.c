/* interp-run.c: one execution
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "kernel/interp-run-private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "base/interp-clock.h"
#include "base/interp-text.h"
#include "kernel/interp-kernel-spec-private.h"

/* How many lines of the output are kept from each end. */
#define HEAD_LINES 2000
#define TAIL_LINES 8000

#define LOG_MAX (G_GUINT64_CONSTANT (200) * 1024 * 1024)

/* How much of an error is kept, bytes. */
#define ERROR_MAX (256 * 1024)

#define MAX_DISPLAYS 200

/* "output" is not said more often than a screen is drawn, microseconds. */
#define FRAME_USEC 16000

struct _InterpRun
{
  GObject parent_instance;

  InterpKernelSpec *spec;
  guint64 id;
  char *code;
  InterpRunStatus status;
  InterpWaiting waiting;
  int line;
  double progress;

  InterpTerminalText *text;
  GListStore *displays;
  char *log_path;
  int log;
  guint64 logged;
  guint64 unlogged;

  gint64 last_emission;
  guint emission;

  int exit_code;
  char *error_name;
  char *error_message;
  char *traceback;
  int error_line;
  char *module;

  gint64 started; /* monotonic */
  gint64 ended;
  gint64 first_byte;
  DexPromise *finished;
};

enum
{
  PROP_STATUS = 1,
  PROP_LINE,
  PROP_WAITING,
  PROP_PROGRESS,
  N_PROPERTIES
};

enum
{
  SIGNAL_OUTPUT,
  SIGNAL_DISPLAY,
  SIGNAL_LINE,
  SIGNAL_FINISHED,
  N_SIGNALS
};

static GParamSpec *properties[N_PROPERTIES];
static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (InterpRun, interp_run, G_TYPE_OBJECT)

G_DEFINE_ENUM_TYPE (InterpRunStatus, interp_run_status, G_DEFINE_ENUM_VALUE (INTERP_RUN_RUNNING, "running"),
                    G_DEFINE_ENUM_VALUE (INTERP_RUN_DONE, "done"), G_DEFINE_ENUM_VALUE (INTERP_RUN_FAILED, "failed"),
                    G_DEFINE_ENUM_VALUE (INTERP_RUN_INTERRUPTED, "interrupted"),
                    G_DEFINE_ENUM_VALUE (INTERP_RUN_LOST, "lost"))

G_DEFINE_ENUM_TYPE (InterpWaiting, interp_waiting, G_DEFINE_ENUM_VALUE (INTERP_WAITING_NO, "no"),
                    G_DEFINE_ENUM_VALUE (INTERP_WAITING_INPUT, "input"),
                    G_DEFINE_ENUM_VALUE (INTERP_WAITING_PASSWORD, "password"),
                    G_DEFINE_ENUM_VALUE (INTERP_WAITING_FULL_SCREEN, "full-screen"))

static void
interp_run_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  InterpRun *self = INTERP_RUN (object);

  switch (id)
    {
    case PROP_STATUS:
      g_value_set_enum (value, (int) self->status);
      break;
    case PROP_LINE:
      g_value_set_int (value, self->line);
      break;
    case PROP_WAITING:
      g_value_set_enum (value, (int) self->waiting);
      break;
    case PROP_PROGRESS:
      g_value_set_double (value, self->progress);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
interp_run_finalize (GObject *object)
{
  InterpRun *self = INTERP_RUN (object);

  g_clear_handle_id (&self->emission, g_source_remove);
  g_clear_fd (&self->log, NULL);
  g_clear_object (&self->spec);
  g_free (self->code);
  g_clear_object (&self->text);
  g_clear_object (&self->displays);
  g_free (self->log_path);
  g_free (self->error_name);
  g_free (self->error_message);
  g_free (self->traceback);
  g_free (self->module);
  dex_clear (&self->finished);
  G_OBJECT_CLASS (interp_run_parent_class)->finalize (object);
}

static void
interp_run_class_init (InterpRunClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  object_class->get_property = interp_run_get_property;
  object_class->finalize = interp_run_finalize;

  properties[PROP_STATUS] = g_param_spec_enum ("status", NULL, NULL, INTERP_TYPE_RUN_STATUS, INTERP_RUN_RUNNING, flags);
  properties[PROP_LINE] = g_param_spec_int ("line", NULL, NULL, 0, G_MAXINT, 0, flags);
  properties[PROP_WAITING] = g_param_spec_enum ("waiting", NULL, NULL, INTERP_TYPE_WAITING, INTERP_WAITING_NO, flags);
  properties[PROP_PROGRESS] = g_param_spec_double ("progress", NULL, NULL, -1, 1, -1, flags);
  g_object_class_install_properties (object_class, N_PROPERTIES, properties);

  signals[SIGNAL_OUTPUT]
      = g_signal_new ("output", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[SIGNAL_DISPLAY] = g_signal_new ("display", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                          G_TYPE_NONE, 1, INTERP_TYPE_DISPLAY);
  signals[SIGNAL_LINE] = g_signal_new ("line", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                       G_TYPE_NONE, 1, G_TYPE_INT);
  signals[SIGNAL_FINISHED]
      = g_signal_new ("finished", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
interp_run_init (InterpRun *self)
{
  self->log = -1;
  self->progress = -1;
  self->text = interp_terminal_text_new (HEAD_LINES, TAIL_LINES);
  self->displays = g_list_store_new (INTERP_TYPE_DISPLAY);
  self->finished = dex_promise_new ();
  self->started = interp_clock_monotonic ();
}

InterpRun *
interp_run_new (InterpKernelSpec *spec, guint64 id, const char *code, const char *log_path)
{
  InterpRun *self = g_object_new (INTERP_TYPE_RUN, NULL);

  self->spec = g_object_ref (spec);
  self->id = id;
  self->code = g_strdup (code);
  self->log_path = g_strdup (log_path);
  return self;
}

guint64
interp_run_get_id (InterpRun *self)
{
  g_return_val_if_fail (INTERP_IS_RUN (self), 0);

  return self->id;
}

void
interp_run_set_first_byte (InterpRun *self, gint64 usec)
{
  g_return_if_fail (INTERP_IS_RUN (self));

  self->first_byte = usec;
}

/* ---- output ---- */

static void
interp_run_log (InterpRun *self, const char *bytes, gsize length)
{
  if (!self->log_path || self->logged >= LOG_MAX || (self->log < 0 && self->logged > 0))
    {
      self->unlogged += length;
      return;
    }
  if (self->log < 0)
    self->log = open (self->log_path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (self->log < 0)
    {
      g_warning ("The output cannot be kept in %s: %s", self->log_path, g_strerror (errno));
      g_clear_pointer (&self->log_path, g_free);
      self->unlogged += length;
      return;
    }
  while (length > 0)
    {
      ssize_t written = write (self->log, bytes, length);

      if (written < 0 && errno == EINTR)
        continue;
      if (written <= 0)
        {
          g_warning ("The output cannot be kept in %s: %s", self->log_path, g_strerror (errno));
          self->unlogged += length;
          self->logged = LOG_MAX;
          g_clear_fd (&self->log, NULL);
          return;
        }
      bytes += written;
      length -= (gsize) written;
      self->logged += (guint64) written;
    }
}

static void
interp_run_emit_output (InterpRun *self)
{
  self->last_emission = g_get_monotonic_time ();
  g_signal_emit (self, signals[SIGNAL_OUTPUT], 0);
}

static gboolean
emission_cb (gpointer user_data)
{
  InterpRun *self = user_data;

  self->emission = 0;
  interp_run_emit_output (self);
  return G_SOURCE_REMOVE;
}

void
interp_run_feed (InterpRun *self, const char *bytes, gsize length)
{
  gint64 since;

  g_return_if_fail (INTERP_IS_RUN (self));

  if (self->status != INTERP_RUN_RUNNING || length == 0)
    return;
  interp_run_log (self, bytes, length);
  interp_terminal_text_feed (self->text, bytes, length);
  if (self->emission)
    return;
  since = g_get_monotonic_time () - self->last_emission;
  if (since >= FRAME_USEC)
    interp_run_emit_output (self);
  else
    self->emission = g_timeout_add ((guint) ((FRAME_USEC - since) / 1000 + 1), emission_cb, self);
}

/* ---- what happens ---- */

void
interp_run_set_line (InterpRun *self, int line)
{
  g_return_if_fail (INTERP_IS_RUN (self));

  if (line == self->line || line < 0)
    return;
  self->line = line;
  g_signal_emit (self, signals[SIGNAL_LINE], 0, line);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_LINE]);
}

void
interp_run_set_waiting (InterpRun *self, InterpWaiting waiting)
{
  g_return_if_fail (INTERP_IS_RUN (self));

  if (waiting == self->waiting)
    return;
  self->waiting = waiting;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_WAITING]);
}

void
interp_run_set_progress (InterpRun *self, double progress)
{
  g_return_if_fail (INTERP_IS_RUN (self));

  progress = progress < 0 ? -1 : MIN (progress, 1);
  if (progress == self->progress)
    return;
  self->progress = progress;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PROGRESS]);
}

gboolean
interp_run_may_display (InterpRun *self)
{
  g_return_val_if_fail (INTERP_IS_RUN (self), FALSE);

  return self->status == INTERP_RUN_RUNNING && g_list_model_get_n_items (G_LIST_MODEL (self->displays)) < MAX_DISPLAYS;
}

void
interp_run_add_display (InterpRun *self, InterpDisplay *display)
{
  const char *display_id;

  g_return_if_fail (INTERP_IS_RUN (self));
  g_return_if_fail (INTERP_IS_DISPLAY (display));

  if (self->status != INTERP_RUN_RUNNING)
    return;
  display_id = interp_display_get_display_id (display);
  for (guint i = 0; display_id && i < g_list_model_get_n_items (G_LIST_MODEL (self->displays)); i++)
    {
      g_autoptr (InterpDisplay) other = g_list_model_get_item (G_LIST_MODEL (self->displays), i);

      if (g_strcmp0 (interp_display_get_display_id (other), display_id) == 0)
        {
          g_list_store_splice (self->displays, i, 1, (gpointer *) &display, 1);
          g_signal_emit (self, signals[SIGNAL_DISPLAY], 0, display);
          return;
        }
    }
  if (!interp_run_may_display (self))
    return;
  g_list_store_append (self->displays, display);
  g_signal_emit (self, signals[SIGNAL_DISPLAY], 0, display);
}

static char *
bounded (const char *text)
{
  if (!text || !*text)
    return NULL;
  return strlen (text) > ERROR_MAX ? interp_text_shorten (text, ERROR_MAX) : g_strdup (text);
}

void
interp_run_set_error (InterpRun *self, const char *name, const char *message, const char *traceback, int line,
                      const char *module)
{
  g_return_if_fail (INTERP_IS_RUN (self));

  if (self->status != INTERP_RUN_RUNNING)
    return;
  g_free (self->error_name);
  self->error_name = bounded (name);
  g_free (self->error_message);
  self->error_message = bounded (message);
  g_free (self->traceback);
  self->traceback = bounded (traceback);
  self->error_line = MAX (line, 0);
  g_free (self->module);
  self->module = module && interp_kernel_spec_is_module (module) ? g_strdup (module) : NULL;
}

void
interp_run_finish (InterpRun *self, InterpRunStatus status, int exit_code)
{
  g_return_if_fail (INTERP_IS_RUN (self));
  g_return_if_fail (status != INTERP_RUN_RUNNING);

  if (self->status != INTERP_RUN_RUNNING)
    return;
  g_object_ref (self);
  if (self->emission)
    {
      g_clear_handle_id (&self->emission, g_source_remove);
      interp_run_emit_output (self);
    }
  interp_run_set_waiting (self, INTERP_WAITING_NO);
  interp_run_set_progress (self, -1);
  g_clear_fd (&self->log, NULL);
  self->ended = interp_clock_monotonic ();
  self->exit_code = exit_code;
  self->status = status;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_STATUS]);
  g_signal_emit (self, signals[SIGNAL_FINISHED], 0);
  dex_promise_resolve_int (self->finished, (int) status);
  g_object_unref (self);
}

/* ---- facts ---- */

InterpRunStatus
interp_run_get_status (InterpRun *self)
{
  g_return_val_if_fail (INTERP_IS_RUN (self), INTERP_RUN_LOST);

  return self->status;
}

const char *
interp_run_get_code (InterpRun *self)
{
  g_return_val_if_fail (INTERP_IS_RUN (self), NULL);

  return self->code;
}

InterpTerminalText *
interp_run_get_text (InterpRun *self)
{
  g_return_val_if_fail (INTERP_IS_RUN (self), NULL);

  return self->text;
}

GListModel *
interp_run_get_displays (InterpRun *self)
{
  g_return_val_if_fail (INTERP_IS_RUN (self), NULL);

  return G_LIST_MODEL (self->displays);
}

int
interp_run_get_line (InterpRun *self)
{
  g_return_val_if_fail (INTERP_IS_RUN (self), 0);

  return self->line;
}

int
interp_run_get_exit_code (InterpRun *self)
{
  g_return_val_if_fail (INTERP_IS_RUN (self), 0);

  return self->exit_code;
}

const char *
interp_run_get_error_name (InterpRun *self)
{
  g_return_val_if_fail (INTERP_IS_RUN (self), NULL);

  return self->error_name;
}

const char *
interp_run_get_error_message (InterpRun *self)
{
  g_return_val_if_fail (INTERP_IS_RUN (self), NULL);

  return self->error_message;
}

const char *
interp_run_get_traceback (InterpRun *self)
{
  g_return_val_if_fail (INTERP_IS_RUN (self), NULL);

  return self->traceback;
}

int
interp_run_get_error_line (InterpRun *self)
{
  g_return_val_if_fail (INTERP_IS_RUN (self), 0);

  return self->error_line;
}

gint64
interp_run_get_duration (InterpRun *self)
{
  g_return_val_if_fail (INTERP_IS_RUN (self), 0);

  return ((self->ended ? self->ended : interp_clock_monotonic ()) - self->started) / 1000;
}

gint64
interp_run_get_first_byte_usec (InterpRun *self)
{
  g_return_val_if_fail (INTERP_IS_RUN (self), 0);

  return self->first_byte;
}

const char *
interp_run_get_log_path (InterpRun *self)
{
  g_return_val_if_fail (INTERP_IS_RUN (self), NULL);

  return self->logged > 0 ? self->log_path : NULL;
}

guint64
interp_run_get_unlogged_bytes (InterpRun *self)
{
  g_return_val_if_fail (INTERP_IS_RUN (self), 0);

  return self->unlogged;
}

char *
interp_run_dup_missing_module (InterpRun *self)
{
  g_autofree char *text = NULL;

  g_return_val_if_fail (INTERP_IS_RUN (self), NULL);

  if (self->module)
    return g_strdup (self->module);
  if (self->status != INTERP_RUN_FAILED)
    return NULL;
  /* It may have been a program that the code started: then only the text tells. */
  text = interp_terminal_text_to_string (self->text, NULL);
  return interp_kernel_spec_match_missing_module (self->spec, text);
}

DexFuture *
interp_run_wait (InterpRun *self)
{
  g_return_val_if_fail (INTERP_IS_RUN (self), NULL);

  return dex_ref (DEX_FUTURE (self->finished));
}
