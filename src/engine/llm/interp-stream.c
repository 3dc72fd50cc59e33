/* interp-stream.c: the events of one answer, in order
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm/interp-stream-private.h"

/* Events that may wait for the reader before no more is read from the network. */
#define MAX_WAITING 256

struct _InterpStreamCore
{
  gatomicrefcount ref_count;
  GQueue events;      /* InterpEvent */
  DexPromise *waiter; /* of interp_stream_next () */
  DexPromise *closed;
  DexPromise *room; /* of the writer */
  GCancellable *cancellable;
  GError *error;
  gboolean ended;
};

struct _InterpStream
{
  GObject parent_instance;
  InterpStreamCore *core;
};

G_DEFINE_FINAL_TYPE (InterpStream, interp_stream, G_TYPE_OBJECT)

/* ---- core ---- */

InterpStreamCore *
interp_stream_core_ref (InterpStreamCore *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
interp_stream_core_unref (InterpStreamCore *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_queue_clear_full (&self->events, (GDestroyNotify) interp_event_unref);
  dex_clear (&self->waiter);
  dex_clear (&self->closed);
  dex_clear (&self->room);
  g_clear_object (&self->cancellable);
  g_clear_error (&self->error);
  g_free (self);
}

static InterpStreamCore *
core_new (void)
{
  InterpStreamCore *self = g_new0 (InterpStreamCore, 1);

  g_atomic_ref_count_init (&self->ref_count);
  g_queue_init (&self->events);
  self->closed = dex_promise_new ();
  self->cancellable = g_cancellable_new ();

  return self;
}

/* A reader that raced next () against something and lost interest must not swallow an event. */
static DexPromise *
steal_waiter (InterpStreamCore *self)
{
  g_autoptr (DexPromise) waiter = g_steal_pointer (&self->waiter);

  if (waiter == NULL || g_cancellable_is_cancelled (dex_promise_get_cancellable (waiter)))
    return NULL;

  return g_steal_pointer (&waiter);
}

static GError *
cancelled_error (void)
{
  return g_error_new_literal (G_IO_ERROR, G_IO_ERROR_CANCELLED, "The stream was closed");
}

void
interp_stream_core_push (InterpStreamCore *self, InterpEvent *event)
{
  g_autoptr (DexPromise) waiter = NULL;

  if (self->ended || g_cancellable_is_cancelled (self->cancellable))
    {
      interp_event_unref (event);
      return;
    }

  waiter = steal_waiter (self);
  if (waiter != NULL)
    dex_promise_resolve_boxed (waiter, INTERP_TYPE_EVENT, event);
  else
    g_queue_push_tail (&self->events, event);
}

void
interp_stream_core_end (InterpStreamCore *self)
{
  g_autoptr (DexPromise) waiter = NULL;

  if (self->ended)
    return;

  self->ended = TRUE;
  waiter = steal_waiter (self);
  if (waiter != NULL)
    dex_promise_resolve_boxed (waiter, INTERP_TYPE_EVENT, NULL);
}

void
interp_stream_core_fail (InterpStreamCore *self, GError *error)
{
  g_autoptr (DexPromise) waiter = NULL;

  if (self->ended)
    {
      g_error_free (error);
      return;
    }

  self->ended = TRUE;
  self->error = error;
  waiter = steal_waiter (self);
  if (waiter != NULL)
    dex_promise_reject (waiter, g_error_copy (error));
}

gboolean
interp_stream_core_is_closed (InterpStreamCore *self)
{
  return g_cancellable_is_cancelled (self->cancellable);
}

DexFuture *
interp_stream_core_dup_closed (InterpStreamCore *self)
{
  return DEX_FUTURE (dex_ref (self->closed));
}

GCancellable *
interp_stream_core_get_cancellable (InterpStreamCore *self)
{
  return self->cancellable;
}

DexFuture *
interp_stream_core_wait_room (InterpStreamCore *self)
{
  if (self->events.length < MAX_WAITING || interp_stream_core_is_closed (self))
    return dex_future_new_true ();

  if (self->room == NULL)
    self->room = dex_promise_new ();

  return DEX_FUTURE (dex_ref (self->room));
}

static void
release_writer (InterpStreamCore *self)
{
  g_autoptr (DexPromise) room = g_steal_pointer (&self->room);

  if (room != NULL)
    dex_promise_resolve_boolean (room, TRUE);
}

static void
core_close (InterpStreamCore *self)
{
  g_autoptr (DexPromise) waiter = NULL;

  if (interp_stream_core_is_closed (self))
    return;

  g_cancellable_cancel (self->cancellable);
  g_queue_clear_full (&self->events, (GDestroyNotify) interp_event_unref);
  dex_promise_resolve_boolean (self->closed, TRUE);
  release_writer (self);

  waiter = steal_waiter (self);
  if (waiter != NULL)
    dex_promise_reject (waiter, cancelled_error ());
}

/* ---- stream ---- */

static void
interp_stream_dispose (GObject *object)
{
  InterpStream *self = INTERP_STREAM (object);

  if (self->core != NULL)
    core_close (self->core);
  g_clear_pointer (&self->core, interp_stream_core_unref);

  G_OBJECT_CLASS (interp_stream_parent_class)->dispose (object);
}

static void
interp_stream_class_init (InterpStreamClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = interp_stream_dispose;
}

static void
interp_stream_init (InterpStream *self)
{
  self->core = core_new ();
}

InterpStream *
interp_stream_new (InterpStreamCore **core)
{
  InterpStream *self = g_object_new (INTERP_TYPE_STREAM, NULL);

  g_return_val_if_fail (core != NULL, self);

  *core = interp_stream_core_ref (self->core);

  return self;
}

InterpStream *
interp_stream_new_failed (GError *error)
{
  InterpStream *self = g_object_new (INTERP_TYPE_STREAM, NULL);

  interp_stream_core_fail (self->core, error);

  return self;
}

DexFuture *
interp_stream_next (InterpStream *self)
{
  InterpStreamCore *core;

  g_return_val_if_fail (INTERP_IS_STREAM (self), NULL);

  core = self->core;

  if (interp_stream_core_is_closed (core))
    return dex_future_new_for_error (cancelled_error ());

  if (core->events.length > 0)
    {
      InterpEvent *event = g_queue_pop_head (&core->events);

      if (core->events.length < MAX_WAITING / 2)
        release_writer (core);

      return dex_future_new_take_boxed (INTERP_TYPE_EVENT, event);
    }

  if (core->error != NULL)
    return dex_future_new_for_error (g_error_copy (core->error));

  if (core->ended)
    return dex_future_new_take_boxed (INTERP_TYPE_EVENT, NULL);

  if (core->waiter != NULL && g_cancellable_is_cancelled (dex_promise_get_cancellable (core->waiter)))
    dex_clear (&core->waiter);
  if (core->waiter == NULL)
    core->waiter = dex_promise_new_cancellable ();

  return DEX_FUTURE (dex_ref (core->waiter));
}

void
interp_stream_close (InterpStream *self)
{
  g_return_if_fail (INTERP_IS_STREAM (self));

  core_close (self->core);
}
