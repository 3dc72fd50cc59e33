/* interp-session-turn.c: the run loop: one turn
 *
 * One fiber from the user's message until the model has nothing more to do. It is never cancelled: stop settles a
 * promise that every wait races with, and the loop itself then winds up, so each call gets its one result.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <glib/gi18n.h>

#include "base/interp-fiber.h"
#include "base/interp-text.h"
#include "session/interp-session-private.h"
#include "session/interp-system-text.h"

/* Answers in one turn, after which the user is asked whether to go on. */
#define MAX_ANSWERS 200

/* Answers of which nothing came but "more follows". */
#define MAX_EMPTY 3

/* Rounds of loop mode unless the user says otherwise. */
#define LOOP_ROUNDS 25

#define GO_ON "Go on where you stopped."

/* Moves what the user wrote from the queue into the conversation. */
static gboolean
give_queued (InterpSession *self)
{
  gboolean any = FALSE;

  while (self->n_queued > 0)
    {
      guint position = g_list_model_get_n_items (G_LIST_MODEL (self->items)) - self->n_queued;
      g_autoptr (InterpItem) item = g_list_model_get_item (G_LIST_MODEL (self->items), position);

      self->n_queued--;
      g_list_store_remove (self->items, position);
      if (self->row->title == NULL || *self->row->title == '\0')
        interp_session_set_title (self, interp_item_get_text (item));
      interp_item_set_mid_turn (item, self->mid_turn);
      interp_item_set_state (item, INTERP_ITEM_COMPLETE);
      interp_session_add_item (self, item);
      self->mid_turn = TRUE;
      any = TRUE;
    }
  if (any)
    interp_session_touch (self);

  return any;
}

static const char *
get_loop_nudge (void)
{
  return "Go on with the work. When all of it is done, end with the line " INTERP_LOOP_DONE
         "; when it cannot be done, with the line " INTERP_LOOP_IMPOSSIBLE
         "; when you need to know something from the user, with the line " INTERP_LOOP_QUESTION ".";
}

/* The model has nothing more to run. TRUE when it shall be asked again, with @nudge. */
static gboolean
goes_on (InterpSession *self, const char *text, guint *rounds, const char **nudge)
{
  guint limit = self->options->loop_limit > 0 ? self->options->loop_limit : LOOP_ROUNDS;

  if (give_queued (self))
    return TRUE;
  if (!self->options->loop || self->mode == INTERP_MODE_LOOK || interp_system_text_ends_loop (text != NULL ? text : ""))
    return FALSE;
  if (++*rounds >= limit)
    {
      g_autofree char *said
          = g_strdup_printf (ngettext ("The loop ended after %u round without the model saying that the work is done.",
                                       "The loop ended after %u rounds without the model saying that the work is done.",
                                       *rounds),
                             *rounds);

      interp_session_add_notice (self, INTERP_ITEM_NOTICE, said, INTERP_OFFER_CONTINUE, 0);
      return FALSE;
    }
  *nudge = get_loop_nudge ();

  return TRUE;
}

static gboolean
run_turn (InterpSession *self)
{
  const char *nudge = self->continuing ? GO_ON : NULL;
  guint rounds = 0;
  guint n_empty = 0;

  for (guint n_answers = 0; !interp_session_is_stopped (self); n_answers++)
    {
      g_autoptr (GPtrArray) cells = g_ptr_array_new_with_free_func (g_object_unref);
      g_autofree char *text = NULL;

      if (n_answers == MAX_ANSWERS)
        {
          interp_session_add_notice (self, INTERP_ITEM_NOTICE,
                                     _ ("The model has gone on for very long without an end, so it was stopped here."),
                                     INTERP_OFFER_CONTINUE, 0);
          return FALSE;
        }
      switch (interp_session_answer (self, nudge, cells, &text))
        {
        case INTERP_STEP_DONE:
          nudge = NULL;
          if (!goes_on (self, text, &rounds, &nudge))
            return TRUE;
          n_empty = 0;
          break;

        case INTERP_STEP_CALLS:
          nudge = NULL;
          n_empty = 0;
          interp_session_prepare_cells (self, cells);
          if (!interp_session_run_cells (self, cells))
            return TRUE;
          give_queued (self);
          break;

        case INTERP_STEP_AGAIN:
          nudge = GO_ON;
          if (++n_empty > MAX_EMPTY)
            return FALSE;
          break;

        case INTERP_STEP_STOPPED:
          return TRUE;

        case INTERP_STEP_FAILED:
        default:
          return FALSE;
        }
    }

  return TRUE;
}

static DexFuture *
turn_fiber (gpointer data)
{
  InterpSession *self = data;
  g_autoptr (DexPromise) end = NULL;
  gboolean well;
  gboolean stopped;

  interp_session_repair (self);
  self->mid_turn = self->continuing;
  give_queued (self);
  well = run_turn (self);

  stopped = interp_session_is_stopped (self);
  self->turn = FALSE;
  self->continuing = FALSE;
  interp_session_set_status (self, NULL);
  interp_session_touch (self);
  interp_session_update_state (self);
  end = g_steal_pointer (&self->turn_end);
  interp_promise_settle (end);
  interp_session_emit_finished (self, !well);
  /* Stopped so that what they wrote since is heard. */
  if (stopped && self->n_queued > 0 && !self->turn && !self->closing && !self->rearranging)
    interp_session_start_turn (self);

  return dex_future_new_true ();
}

void
interp_session_start_turn (InterpSession *self)
{
  g_return_if_fail (!self->turn);

  self->turn = TRUE;
  self->turn_state = INTERP_SESSION_ASKING;
  dex_clear (&self->stop);
  self->stop = dex_promise_new ();
  dex_clear (&self->turn_end);
  self->turn_end = dex_promise_new ();
  interp_session_update_state (self);
  interp_fiber_run ("A turn", turn_fiber, g_object_ref (self), g_object_unref);
}

void
interp_session_continue (InterpSession *self)
{
  g_return_if_fail (INTERP_IS_SESSION (self));

  if (self->turn || (self->read_only && !interp_session_take_lock (self)))
    return;
  if (self->branch->len == 0 && self->n_queued == 0)
    return;
  self->continuing = self->n_queued == 0;
  interp_session_start_turn (self);
}

void
interp_session_await_idle (InterpSession *self)
{
  self->rearranging = TRUE;
  while (self->turn)
    {
      g_autoptr (DexPromise) end = dex_ref (self->turn_end);

      interp_session_stop (self);
      interp_wait_any (DEX_FUTURE (end), NULL, NULL);
    }
  self->rearranging = FALSE;
}
