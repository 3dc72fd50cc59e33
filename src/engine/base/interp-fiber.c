/* interp-fiber.c: how flows and heavy work are started
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "base/interp-fiber.h"

#include <gio/gio.h>

typedef struct
{
  const char *what; /* static or interned */
  InterpWorkerFunc func;
  gpointer data;
  GDestroyNotify destroy;
  DexFuture *result;
  DexPromise *promise;
} Work;

DexFuture *
interp_fiber_spawn (DexFiberFunc func, gpointer data, GDestroyNotify destroy)
{
  g_return_val_if_fail (func != NULL, NULL);

  return dex_scheduler_spawn (dex_scheduler_get_default (), INTERP_FIBER_STACK, func, data, destroy);
}

static DexFuture *
on_fiber_failed (DexFuture *future, gpointer data)
{
  g_autoptr (GError) error = NULL;

  if (dex_future_get_value (future, &error) == NULL && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)
      && !g_error_matches (error, DEX_ERROR, DEX_ERROR_FIBER_CANCELLED))
    g_warning ("%s: %s", (const char *) data, error->message);

  return dex_future_new_for_boolean (FALSE);
}

void
interp_fiber_run (const char *what, DexFiberFunc func, gpointer data, GDestroyNotify destroy)
{
  g_return_if_fail (what != NULL);
  g_return_if_fail (func != NULL);

  dex_future_disown (
      dex_future_catch (interp_fiber_spawn (func, data, destroy), on_fiber_failed, g_strdup (what), g_free));
}

static gboolean
hand_back_cb (gpointer data)
{
  Work *work = data;
  g_autoptr (GError) error = NULL;
  const GValue *value = NULL;

  if (work->result != NULL && !dex_future_is_pending (work->result))
    value = dex_future_get_value (work->result, &error);
  else
    error = g_error_new (G_IO_ERROR, G_IO_ERROR_FAILED, "%s: the worker left no result", work->what);

  if (value != NULL)
    dex_promise_resolve (work->promise, value);
  else
    dex_promise_reject (work->promise, g_steal_pointer (&error));

  dex_clear (&work->result);
  dex_unref (work->promise);
  g_free (work);
  return G_SOURCE_REMOVE;
}

/* Futures are touched by the main thread alone: the result goes back there, which also wakes who waits for it. */
static void
work_thread (gpointer data, gpointer user_data)
{
  Work *work = data;

  work->result = work->func (work->data);
  if (work->destroy != NULL)
    work->destroy (work->data);
  g_idle_add_full (G_PRIORITY_DEFAULT, hand_back_cb, work, NULL);
}

DexFuture *
interp_worker_run (const char *what, InterpWorkerFunc func, gpointer data, GDestroyNotify destroy)
{
  /* No upper bound: a worker may wait for a slow disk, and another must not wait for it. Idle threads are
   * shared with the other pools of the process and end by themselves. */
  static GThreadPool *pool;
  DexPromise *promise;
  Work *work;

  g_return_val_if_fail (what != NULL, NULL);
  g_return_val_if_fail (func != NULL, NULL);

  if (g_once_init_enter_pointer (&pool))
    g_once_init_leave_pointer (&pool, g_thread_pool_new (work_thread, NULL, -1, FALSE, NULL));

  promise = dex_promise_new ();
  work = g_new0 (Work, 1);
  work->what = g_intern_string (what);
  work->func = func;
  work->data = data;
  work->destroy = destroy;
  work->promise = dex_ref (promise);
  g_thread_pool_push (pool, work, NULL);

  return DEX_FUTURE (promise);
}

static gboolean
on_timeout (gpointer data)
{
  dex_promise_resolve_boolean (DEX_PROMISE (data), TRUE);
  return G_SOURCE_REMOVE;
}

static void
on_discarded (GCancellable *cancellable, gpointer data)
{
  g_source_destroy (data);
}

static void
unref_source (gpointer data, GClosure *closure)
{
  g_source_unref (data);
}

DexFuture *
interp_timeout (guint msec)
{
  DexPromise *promise = dex_promise_new_cancellable ();
  GSource *source = g_timeout_source_new (msec);

  g_source_set_static_name (source, "[interpreter] timeout");
  g_source_set_callback (source, on_timeout, dex_ref (promise), dex_unref);
  g_signal_connect_data (dex_promise_get_cancellable (promise), "cancelled", G_CALLBACK (on_discarded), source,
                         unref_source, 0);
  g_source_attach (source, NULL);

  return DEX_FUTURE (promise);
}

gboolean
interp_await (DexFuture *future, GError **error)
{
  g_return_val_if_fail (future != NULL, FALSE);

  return dex_await (future, error);
}
