/* interp-kernel.c: one running interpreter with its terminal
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "kernel/interp-kernel-private.h"

#include <string.h>

#include <glib/gi18n.h>

#include "base/interp-json.h"
#include "base/interp-text.h"
#include "kernel/interp-kernel-spec-private.h"
#include "kernel/interp-pty-private.h"
#include "kernel/interp-run-private.h"

/* How long an interpreter whose harness fell silent may take to end before it is ended. */
#define SILENT_MSEC 500

#define MAX_BACKGROUND (16 * 1024)
#define MAX_WORDS 4096

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
G_DEFINE_QUARK (interp - kernel - error - quark, interp_kernel_error)

G_DEFINE_ENUM_TYPE (InterpKernelState, interp_kernel_state, G_DEFINE_ENUM_VALUE (INTERP_KERNEL_OFF, "off"),
                    G_DEFINE_ENUM_VALUE (INTERP_KERNEL_STARTING, "starting"),
                    G_DEFINE_ENUM_VALUE (INTERP_KERNEL_IDLE, "idle"), G_DEFINE_ENUM_VALUE (INTERP_KERNEL_BUSY, "busy"),
                    G_DEFINE_ENUM_VALUE (INTERP_KERNEL_INTERRUPTING, "interrupting"),
                    G_DEFINE_ENUM_VALUE (INTERP_KERNEL_LOST, "lost"))

/* ---- state ---- */

void
interp_kernel_set_state (InterpKernel *self, InterpKernelState state)
{
  if (self->state == state)
    return;
  self->state = state;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_STATE]);
}

void
interp_kernel_set_waiting (InterpKernel *self, InterpWaiting waiting)
{
  if (self->waiting == waiting)
    return;
  self->waiting = waiting;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_WAITING]);
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

void
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

void
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

void
interp_kernel_handle_event (JsonNode *event, gpointer user_data)
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

void
interp_kernel_watch_end (InterpKernel *self)
{
  Watch *watch = g_new0 (Watch, 1);

  g_weak_ref_init (&watch->kernel, self);
  watch->instance = g_object_ref (self->instance);
  dex_future_disown (dex_future_finally (interp_kernel_instance_wait (self->instance), ended_cb, watch, watch_free));
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

  properties[PROP_STATE] = g_param_spec_enum ("state", NULL, NULL, INTERP_TYPE_KERNEL_STATE, INTERP_KERNEL_OFF, flags);
  properties[PROP_WAITING] = g_param_spec_enum ("waiting", NULL, NULL, INTERP_TYPE_WAITING, INTERP_WAITING_NO, flags);
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
  InterpKernelLayer *layer = data;

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
  InterpKernelLayer *added;

  g_return_if_fail (INTERP_IS_KERNEL (self));
  g_return_if_fail (layer != NULL);

  added = g_new0 (InterpKernelLayer, 1);
  added->layer = layer;
  added->user_data = user_data;
  added->destroy = destroy;
  g_ptr_array_add (self->layers, added);
}

void
interp_kernel_set_memory_max (InterpKernel *self, guint64 bytes)
{
  g_return_if_fail (INTERP_IS_KERNEL (self));

  self->memory_max = bytes;
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

void
interp_kernel_set_log_folder (InterpKernel *self, const char *log_dir)
{
  g_return_if_fail (INTERP_IS_KERNEL (self));

  g_set_str (&self->log_dir, log_dir);
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
