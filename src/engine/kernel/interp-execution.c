/* interp-execution.c: follows one run from its request to its end
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "kernel/interp-execution.h"

#include <string.h>

#include "base/interp-fiber.h"
#include "base/interp-json.h"
#include "base/interp-text.h"
#include "kernel/interp-kernel-files.h"
#include "kernel/interp-pty-private.h"
#include "kernel/interp-run-private.h"
#include "launch/interp-descendants.h"

/* How long the end mark may come after "finished"; a multiple while there is still something to read. */
#define MARK_MSEC 250
#define MAX_WAITS 20

/* A picture that the code wrote itself is shown up to this size, bytes; so many of them in one run. */
#define MAX_ARTIFACT (32 * 1024 * 1024)
#define MAX_ARTIFACTS 20

#define MAX_DISPLAY_TEXT (16 * 1024)
#define MAX_NAME 256

struct _InterpExecution
{
  GObject parent_instance;

  InterpRun *run;
  InterpPty *pty;
  char *spool;
  char *display_folder;
  InterpTerminalWatch *watch;
  gint64 began;  /* µs since 1970 */
  guint64 ticks; /* the same, as processes' starts are counted */

  gboolean in_cell; /* between the marks */
  gboolean has_end_mark;
  gboolean has_finished;
  gboolean deaf;
  gboolean stopping;
  InterpRunStatus status;
  int code;
  char *folder;

  guint mark_timeout;
  guint n_waits;
  DexPromise *started;
  DexPromise *complete;
  DexFuture *displays; /* the last that is being taken */
  guint n_displays;
  InterpArtifacts *artifacts;
};

G_DEFINE_FINAL_TYPE (InterpExecution, interp_execution, G_TYPE_OBJECT)

static void
interp_execution_finalize (GObject *object)
{
  InterpExecution *self = INTERP_EXECUTION (object);

  g_clear_handle_id (&self->mark_timeout, g_source_remove);
  if (self->watch)
    interp_terminal_watch_stop (self->watch);
  g_clear_object (&self->watch);
  g_clear_object (&self->run);
  g_clear_object (&self->pty);
  g_free (self->spool);
  g_free (self->display_folder);
  g_free (self->folder);
  dex_clear (&self->started);
  dex_clear (&self->complete);
  dex_clear (&self->displays);
  g_clear_pointer (&self->artifacts, interp_artifacts_unref);
  G_OBJECT_CLASS (interp_execution_parent_class)->finalize (object);
}

static void
interp_execution_class_init (InterpExecutionClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = interp_execution_finalize;
}

static void
interp_execution_init (InterpExecution *self)
{
  self->started = dex_promise_new ();
  self->complete = dex_promise_new ();
  self->began = g_get_real_time ();
  self->ticks = interp_descendants_now ();
}

InterpExecution *
interp_execution_new (InterpRun *run, InterpPty *pty, const char *spool, const char *display_folder)
{
  InterpExecution *self = g_object_new (INTERP_TYPE_EXECUTION, NULL);

  self->run = g_object_ref (run);
  self->pty = g_object_ref (pty);
  self->spool = g_strdup (spool);
  self->display_folder = g_strdup (display_folder);
  return self;
}

InterpRun *
interp_execution_get_run (InterpExecution *self)
{
  g_return_val_if_fail (INTERP_IS_EXECUTION (self), NULL);

  return self->run;
}

guint64
interp_execution_get_ticks (InterpExecution *self)
{
  g_return_val_if_fail (INTERP_IS_EXECUTION (self), 0);

  return self->ticks;
}

void
interp_execution_set_watch (InterpExecution *self, InterpTerminalWatch *watch)
{
  g_return_if_fail (INTERP_IS_EXECUTION (self));

  g_set_object (&self->watch, watch);
}

/* ---- completion ---- */

static void
interp_execution_complete (InterpExecution *self)
{
  g_clear_handle_id (&self->mark_timeout, g_source_remove);
  if (!dex_future_is_pending (DEX_FUTURE (self->complete)))
    return;
  if (self->watch)
    interp_terminal_watch_stop (self->watch);
  self->in_cell = FALSE;
  if (dex_future_is_pending (DEX_FUTURE (self->started)))
    dex_promise_resolve_boolean (self->started, TRUE);
  dex_promise_resolve_boolean (self->complete, TRUE);
}

static gboolean
mark_timeout_cb (gpointer user_data)
{
  InterpExecution *self = user_data;

  if (++self->n_waits < MAX_WAITS && interp_pty_is_readable (self->pty))
    return G_SOURCE_CONTINUE;
  self->mark_timeout = 0;
  interp_execution_complete (self);
  return G_SOURCE_REMOVE;
}

static void
interp_execution_check (InterpExecution *self)
{
  if (self->has_end_mark && (self->has_finished || self->deaf))
    interp_execution_complete (self);
  else if (self->has_finished && self->mark_timeout == 0)
    self->mark_timeout = g_timeout_add (MARK_MSEC, mark_timeout_cb, self);
}

void
interp_execution_lose (InterpExecution *self, int status)
{
  g_return_if_fail (INTERP_IS_EXECUTION (self));

  if (!dex_future_is_pending (DEX_FUTURE (self->complete)))
    return;
  /* What had finished before the interpreter ended has finished. */
  if (!self->has_finished)
    {
      self->code = status;
      self->status = self->stopping ? INTERP_RUN_INTERRUPTED : INTERP_RUN_LOST;
    }
  interp_execution_complete (self);
}

void
interp_execution_set_deaf (InterpExecution *self)
{
  g_return_if_fail (INTERP_IS_EXECUTION (self));

  self->deaf = TRUE;
  interp_execution_check (self);
}

void
interp_execution_set_stopping (InterpExecution *self)
{
  g_return_if_fail (INTERP_IS_EXECUTION (self));

  self->stopping = TRUE;
}

/* ---- the terminal ---- */

gboolean
interp_execution_feed (InterpExecution *self, const char *bytes, gsize length)
{
  g_return_val_if_fail (INTERP_IS_EXECUTION (self), FALSE);

  if (!self->in_cell)
    return FALSE;
  interp_run_feed (self->run, bytes, length);
  return TRUE;
}

void
interp_execution_mark (InterpExecution *self, InterpMark mark, guint64 id)
{
  g_return_if_fail (INTERP_IS_EXECUTION (self));

  if (id != interp_run_get_id (self->run) || self->has_end_mark)
    return;
  if (mark == INTERP_MARK_START)
    {
      self->in_cell = TRUE;
      return;
    }
  self->in_cell = FALSE;
  self->has_end_mark = TRUE;
  interp_execution_check (self);
}

void
interp_execution_note_read (InterpExecution *self)
{
  g_return_if_fail (INTERP_IS_EXECUTION (self));

  interp_run_set_progress (self->run, interp_pty_get_progress (self->pty));
  if (self->watch)
    interp_terminal_watch_note_output (self->watch);
}

/* ---- displays ---- */

typedef struct
{
  InterpExecution *self;
  DexFuture *previous;
  char *mime;
  char *path;
  char *inside; /* the folder that it must be in; NULL: the spool */
  char *text;
  char *display_id;
  char *source;
  GBytes *bytes;
  double scale;
  gsize max_bytes;
  gboolean is_ours; /* in the spool, and to be removed from it */
} Taking;

static void
taking_free (gpointer data)
{
  Taking *taking = data;

  g_object_unref (taking->self);
  dex_clear (&taking->previous);
  g_free (taking->mime);
  g_free (taking->path);
  g_free (taking->inside);
  g_free (taking->text);
  g_free (taking->display_id);
  g_free (taking->source);
  g_clear_pointer (&taking->bytes, g_bytes_unref);
  g_free (taking);
}

static DexFuture *
take_fiber (gpointer data)
{
  Taking *taking = data;
  InterpExecution *self = taking->self;
  g_autoptr (InterpDisplay) display = NULL;
  g_autofree char *kept = NULL;
  g_autoptr (GError) error = NULL;

  if (taking->previous)
    interp_await (g_steal_pointer (&taking->previous), NULL);
  if (!interp_run_may_display (self->run))
    return dex_future_new_false ();
  if (taking->path)
    {
      DexFuture *taken = interp_kernel_files_take (taking->path, taking->is_ours ? self->spool : taking->inside,
                                                   taking->is_ours, self->display_folder, taking->max_bytes);

      if (self->display_folder)
        kept = dex_await_string (taken, &error);
      else
        taking->bytes = dex_await_boxed (taken, &error);
      if (error)
        {
          g_debug ("A result is not shown: %s", error->message);
          return dex_future_new_false ();
        }
    }
  display = interp_display_new (taking->mime, taking->bytes, kept);
  interp_display_set_text (display, taking->text);
  interp_display_set_scale (display, taking->scale);
  interp_display_set_display_id (display, taking->display_id);
  interp_display_set_source (display, taking->source);
  interp_run_add_display (self->run, display);
  return dex_future_new_true ();
}

/* They appear in the order in which they came. */
static void
interp_execution_take (InterpExecution *self, Taking *taking)
{
  taking->self = g_object_ref (self);
  taking->previous = g_steal_pointer (&self->displays);
  self->n_displays++;
  self->displays = interp_fiber_spawn (take_fiber, taking, taking_free);
}

static gboolean
is_mime (const char *mime)
{
  gsize length = mime ? strlen (mime) : 0;
  const char *slash = length > 0 && length <= MAX_NAME ? strchr (mime, '/') : NULL;

  if (!slash || !g_ascii_isalpha (*mime) || !g_ascii_isalpha (slash[1]) || strchr (slash + 1, '/'))
    return FALSE;
  for (const char *c = mime; *c; c++)
    if (!g_ascii_isalnum (*c) && !strchr ("/.+-_;= ", *c))
      return FALSE;
  return TRUE;
}

static char *
cut (const char *text, gsize max_bytes)
{
  if (!text || !*text)
    return NULL;
  return strlen (text) > max_bytes ? interp_text_shorten (text, max_bytes) : g_strdup (text);
}

static void
interp_execution_display (InterpExecution *self, JsonNode *event)
{
  const char *mime = interp_json_get_string (event, "mime");
  const char *path = interp_json_get_string (event, "path");
  const char *data = interp_json_get_string (event, "data");
  const char *source = interp_json_get_string (event, "source");
  const char *display_id = interp_json_get_string (event, "display_id");
  Taking *taking;

  if (!is_mime (mime) || (!path && !data) || self->n_displays >= 2000)
    return;
  taking = g_new0 (Taking, 1);
  taking->mime = g_strdup (mime);
  if (path)
    taking->path = g_strdup (path);
  else
    {
      gsize length;
      guchar *bytes = g_base64_decode (data, &length);

      taking->bytes = g_bytes_new_take (bytes, length);
    }
  taking->text = cut (interp_json_get_string (event, "text"), MAX_DISPLAY_TEXT);
  taking->scale = interp_json_get_double (event, "scale", 1);
  if (display_id && *display_id && strlen (display_id) <= MAX_NAME)
    taking->display_id = g_strdup (display_id);
  if (source && g_path_is_absolute (source))
    taking->source = g_strdup (source);
  taking->max_bytes = INTERP_DISPLAY_MAX;
  taking->is_ours = TRUE;
  interp_execution_take (self, taking);
}

/* ---- events ---- */

static void
interp_execution_finished (InterpExecution *self, JsonNode *event)
{
  const char *status = interp_json_get_string (event, "status");
  const char *folder = interp_json_get_string (event, "cwd");

  if (self->has_finished)
    return;
  self->has_finished = TRUE;
  self->code = (int) CLAMP (interp_json_get_int (event, "code", 0), G_MININT, G_MAXINT);
  if (g_strcmp0 (status, "interrupted") == 0)
    self->status = INTERP_RUN_INTERRUPTED;
  else if (g_strcmp0 (status, "error") == 0 || self->code != 0)
    /* A program that the code waited for may have been ended by our second, stronger signal. */
    self->status = self->stopping ? INTERP_RUN_INTERRUPTED : INTERP_RUN_FAILED;
  else
    self->status = INTERP_RUN_DONE;
  if (folder && g_path_is_absolute (folder) && strlen (folder) < 4096)
    g_set_str (&self->folder, folder);
  interp_execution_check (self);
}

void
interp_execution_handle (InterpExecution *self, JsonNode *event)
{
  const char *type;

  g_return_if_fail (INTERP_IS_EXECUTION (self));

  type = interp_json_get_string (event, "t");
  if (!type || interp_json_get_int (event, "id", 0) != (gint64) interp_run_get_id (self->run)
      || !dex_future_is_pending (DEX_FUTURE (self->complete)))
    return;
  if (g_str_equal (type, "started"))
    {
      if (dex_future_is_pending (DEX_FUTURE (self->started)))
        dex_promise_resolve_boolean (self->started, TRUE);
    }
  else if (g_str_equal (type, "line"))
    interp_run_set_line (self->run, (int) CLAMP (interp_json_get_int (event, "line", 0), 0, G_MAXINT));
  else if (g_str_equal (type, "input_request") && self->watch)
    interp_terminal_watch_set_asked (self->watch, TRUE, interp_json_get_bool (event, "password", FALSE));
  else if (g_str_equal (type, "input_done") && self->watch)
    interp_terminal_watch_set_asked (self->watch, FALSE, FALSE);
  else if (g_str_equal (type, "display"))
    interp_execution_display (self, event);
  else if (g_str_equal (type, "error"))
    interp_run_set_error (self->run, interp_json_get_string (event, "name"), interp_json_get_string (event, "message"),
                          interp_json_get_string (event, "traceback"),
                          (int) CLAMP (interp_json_get_int (event, "line", 0), 0, G_MAXINT),
                          interp_json_get_string (event, "module"));
  else if (g_str_equal (type, "finished"))
    interp_execution_finished (self, event);
}

/* ---- facts ---- */

DexFuture *
interp_execution_wait_started (InterpExecution *self)
{
  g_return_val_if_fail (INTERP_IS_EXECUTION (self), NULL);

  return dex_ref (DEX_FUTURE (self->started));
}

DexFuture *
interp_execution_wait_complete (InterpExecution *self)
{
  g_return_val_if_fail (INTERP_IS_EXECUTION (self), NULL);

  return dex_ref (DEX_FUTURE (self->complete));
}

gboolean
interp_execution_is_complete (InterpExecution *self)
{
  g_return_val_if_fail (INTERP_IS_EXECUTION (self), TRUE);

  return !dex_future_is_pending (DEX_FUTURE (self->complete));
}

gboolean
interp_execution_is_deaf (InterpExecution *self)
{
  g_return_val_if_fail (INTERP_IS_EXECUTION (self), FALSE);

  return self->deaf;
}

const char *
interp_execution_get_folder (InterpExecution *self)
{
  g_return_val_if_fail (INTERP_IS_EXECUTION (self), NULL);

  return self->folder;
}

/* ---- settling ---- */

typedef struct
{
  InterpExecution *self;
  InterpArtifacts *before;
  char *folder;
} Settling;

static void
settling_free (gpointer data)
{
  Settling *settling = data;

  g_object_unref (settling->self);
  g_clear_pointer (&settling->before, interp_artifacts_unref);
  g_free (settling->folder);
  g_free (settling);
}

static gboolean
interp_execution_shows (InterpExecution *self, const char *path)
{
  GListModel *displays = interp_run_get_displays (self->run);

  for (guint i = 0; i < g_list_model_get_n_items (displays); i++)
    {
      g_autoptr (InterpDisplay) display = g_list_model_get_item (displays, i);

      if (g_strcmp0 (interp_display_get_source (display), path) == 0)
        return TRUE;
    }
  return FALSE;
}

static void
interp_execution_take_artifacts (InterpExecution *self, InterpArtifacts *before, InterpArtifacts *after,
                                 const char *folder)
{
  g_auto (GStrv) paths = interp_artifacts_compare (before, after, self->began, MAX_ARTIFACTS);

  for (guint i = 0; paths[i]; i++)
    {
      Taking *taking;

      if (interp_execution_shows (self, paths[i]))
        continue;
      taking = g_new0 (Taking, 1);
      taking->mime = g_strdup (interp_artifacts_get_mime (paths[i]));
      taking->path = g_strdup (paths[i]);
      taking->inside = g_strdup (folder);
      taking->source = g_strdup (paths[i]);
      taking->text = g_path_get_basename (paths[i]);
      taking->scale = 1;
      taking->max_bytes = MAX_ARTIFACT;
      interp_execution_take (self, taking);
    }
}

static DexFuture *
settle_fiber (gpointer data)
{
  Settling *settling = data;
  InterpExecution *self = settling->self;
  g_autoptr (InterpArtifacts) after = NULL;

  after = dex_await_boxed (interp_artifacts_scan (settling->folder), NULL);
  while (self->displays)
    interp_await (g_steal_pointer (&self->displays), NULL);
  if (after)
    interp_execution_take_artifacts (self, settling->before, after, settling->folder);
  while (self->displays)
    interp_await (g_steal_pointer (&self->displays), NULL);

  if (after && self->folder && !g_str_equal (self->folder, settling->folder))
    {
      g_clear_pointer (&after, interp_artifacts_unref);
      after = dex_await_boxed (interp_artifacts_scan (self->folder), NULL);
    }
  g_clear_pointer (&self->artifacts, interp_artifacts_unref);
  self->artifacts = g_steal_pointer (&after);
  return dex_future_new_true ();
}

DexFuture *
interp_execution_settle (InterpExecution *self, InterpArtifacts *before, const char *folder)
{
  Settling *settling;

  g_return_val_if_fail (INTERP_IS_EXECUTION (self), NULL);
  g_return_val_if_fail (folder != NULL, NULL);

  settling = g_new0 (Settling, 1);
  settling->self = g_object_ref (self);
  settling->before = before ? interp_artifacts_ref (before) : NULL;
  settling->folder = g_strdup (folder);
  return interp_fiber_spawn (settle_fiber, settling, settling_free);
}

void
interp_execution_finish (InterpExecution *self)
{
  g_return_if_fail (INTERP_IS_EXECUTION (self));

  interp_run_finish (self->run, self->status == INTERP_RUN_RUNNING ? INTERP_RUN_LOST : self->status, self->code);
}

InterpArtifacts *
interp_execution_steal_artifacts (InterpExecution *self)
{
  g_return_val_if_fail (INTERP_IS_EXECUTION (self), NULL);

  return g_steal_pointer (&self->artifacts);
}
