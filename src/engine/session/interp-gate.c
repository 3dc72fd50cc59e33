/* interp-gate.c: one fiber inside at a time, in order of arrival
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "session/interp-gate.h"

struct _InterpGate
{
  GQueue waiting; /* DexPromise */
  gboolean taken;
};

static void
gate_clear (gpointer data)
{
  InterpGate *self = data;

  g_queue_clear_full (&self->waiting, dex_unref);
}

InterpGate *
interp_gate_new (void)
{
  InterpGate *self = g_rc_box_new0 (InterpGate);

  g_queue_init (&self->waiting);

  return self;
}

InterpGate *
interp_gate_ref (InterpGate *self)
{
  return g_rc_box_acquire (self);
}

void
interp_gate_unref (InterpGate *self)
{
  g_rc_box_release_full (self, gate_clear);
}

gboolean
interp_gate_enter (InterpGate *self, DexFuture *stop)
{
  g_autoptr (DexPromise) turn = NULL;
  GList *link;

  if (!self->taken)
    {
      self->taken = TRUE;
      return TRUE;
    }

  turn = dex_promise_new ();
  g_queue_push_tail (&self->waiting, dex_ref (turn));
  interp_wait_any (DEX_FUTURE (turn), stop, NULL);
  if (!dex_future_is_pending (DEX_FUTURE (turn)))
    return TRUE;

  link = g_queue_find (&self->waiting, turn);
  if (link != NULL)
    {
      dex_unref (link->data);
      g_queue_delete_link (&self->waiting, link);
    }

  return FALSE;
}

void
interp_gate_leave (InterpGate *self)
{
  g_autoptr (DexPromise) next = g_queue_pop_head (&self->waiting);

  g_return_if_fail (self->taken);

  /* Handed over directly: nobody slips in between. */
  if (next != NULL)
    dex_promise_resolve_boolean (next, TRUE);
  else
    self->taken = FALSE;
}

gboolean
interp_gate_is_taken (InterpGate *self)
{
  return self->taken;
}

static DexFuture *
on_shielded (DexFuture *future, gpointer data)
{
  interp_promise_settle (data);

  return dex_future_new_true ();
}

DexFuture *
interp_shield (DexFuture *future)
{
  DexPromise *promise = dex_promise_new ();

  dex_future_disown (dex_future_finally (future, on_shielded, dex_ref (promise), dex_unref));

  return DEX_FUTURE (promise);
}

void
interp_wait_any (DexFuture *a, DexFuture *b, DexFuture *c)
{
  DexFuture *futures[3];
  guint n = 0;

  for (guint i = 0; i < 3; i++)
    {
      DexFuture *future = i == 0 ? a : i == 1 ? b : c;

      if (future == NULL)
        continue;
      if (!dex_future_is_pending (future))
        return;
      futures[n++] = future;
    }
  g_return_if_fail (n > 0);

  /* firstv () takes references of its own. */
  dex_await (dex_future_firstv (futures, n), NULL);
}

void
interp_promise_settle (DexPromise *promise)
{
  if (dex_future_is_pending (DEX_FUTURE (promise)))
    dex_promise_resolve_boolean (promise, TRUE);
}
