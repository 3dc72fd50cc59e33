/* interp-session-ask.c: judging, asking, the user's answers
 *
 * What the user answers takes effect at once; the turn's fiber only reads it. Nothing runs but the text of a cell that
 * was approved as it stands, or that policy allows at the moment when it is to run.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <glib/gi18n.h>

#include "base/interp-fiber.h"
#include "base/interp-text.h"
#include "session/interp-result.h"
#include "session/interp-session-private.h"

/* Of what the model said before a block, at most so much stands over its question. */
#define PRECEDING_CHARS 300

/* ---- questions ---- */

static void
question_changed (InterpSession *self)
{
  interp_session_notify (self, "question");
  interp_session_update_state (self);
}

static void
add_question (InterpSession *self, InterpCell *cell)
{
  InterpCellFlow *flow = interp_cell_get_flow (cell);

  dex_clear (&flow->answered);
  flow->answered = dex_promise_new ();
  flow->approved = FALSE;
  flow->ends_turn = FALSE;
  g_ptr_array_add (self->questions, g_object_ref (cell));
}

/* Settles the question of @cell, if there is one. */
static void
remove_question (InterpSession *self, InterpCell *cell)
{
  InterpCellFlow *flow = interp_cell_get_flow (cell);

  if (!g_ptr_array_remove (self->questions, cell))
    return;
  if (flow->answered != NULL)
    interp_promise_settle (flow->answered);
  question_changed (self);
}

DexFuture *
interp_session_get_answered (InterpSession *self, InterpCell *cell)
{
  if (!g_ptr_array_find (self->questions, cell, NULL))
    return NULL;

  return DEX_FUTURE (interp_cell_get_flow (cell)->answered);
}

static void
close_cell (InterpSession *self, InterpCell *cell, InterpCellState state, const char *note, const char *result)
{
  g_autoptr (InterpCell) hold = g_object_ref (cell);

  if (note != NULL)
    interp_cell_set_note (cell, note);
  if (result != NULL)
    interp_cell_set_result (cell, result, TRUE);
  interp_cell_set_cell_state (cell, state);
  remove_question (self, cell);
}

void
interp_session_end_cell (InterpSession *self, InterpCell *cell, InterpCellState state, const char *note,
                         const char *result)
{
  close_cell (self, cell, state, note, result);
  interp_session_save_item (self, INTERP_ITEM (cell));
}

void
interp_session_withdraw_questions (InterpSession *self)
{
  while (self->questions->len > 0)
    {
      g_autoptr (InterpCell) cell = g_object_ref (g_ptr_array_index (self->questions, 0));

      close_cell (self, cell, INTERP_CELL_NOT_RUN, _ ("Nothing runs in Look mode."),
                  "Nothing was run: the user has switched to a mode in which nothing runs. Do not send code until they "
                  "say so.");
      interp_session_save_item_later (self, INTERP_ITEM (cell));
    }
}

/* ---- judging ---- */

/* The model's last words before @cell. */
static char *
find_preceding_text (InterpSession *self, InterpCell *cell)
{
  guint position;

  if (!interp_session_find (self, INTERP_ITEM (cell), &position))
    position = self->branch->len;
  for (guint i = position; i > 0; i--)
    {
      InterpItem *item = g_ptr_array_index (self->branch, i - 1);

      if (interp_item_get_kind (item) == INTERP_ITEM_USER)
        break;
      if (interp_item_get_kind (item) == INTERP_ITEM_ASSISTANT
          && interp_item_get_answer (item) == interp_item_get_answer (INTERP_ITEM (cell)))
        return interp_text_last_line (interp_item_get_full_text (item), PRECEDING_CHARS);
    }

  return NULL;
}

/* The code that this is another attempt at: what last came to nothing in this language and turn. */
static const char *
find_previous_attempt (InterpSession *self, InterpCell *cell)
{
  guint position;

  if (!interp_session_find (self, INTERP_ITEM (cell), &position))
    position = self->branch->len;
  for (guint i = position; i > 0; i--)
    {
      InterpItem *item = g_ptr_array_index (self->branch, i - 1);
      InterpCell *other;

      if (interp_item_get_kind (item) == INTERP_ITEM_USER && !interp_item_is_mid_turn (item))
        break;
      if (!INTERP_IS_CELL (item) || interp_cell_is_by_user (INTERP_CELL (item)))
        continue;
      other = INTERP_CELL (item);
      if (interp_cell_get_spec (other) != interp_cell_get_spec (cell)
          || interp_item_get_answer (item) == interp_item_get_answer (INTERP_ITEM (cell)))
        continue;
      switch (interp_cell_get_cell_state (other))
        {
        case INTERP_CELL_FAILED:
        case INTERP_CELL_REFUSED:
        case INTERP_CELL_INTERRUPTED:
        case INTERP_CELL_LOST:
          return interp_cell_get_code (other);
        case INTERP_CELL_DONE:
          return NULL;
        case INTERP_CELL_WRITING:
        case INTERP_CELL_WAITING:
        case INTERP_CELL_STARTING:
        case INTERP_CELL_RUNNING:
        case INTERP_CELL_NOT_RUN:
        default:
          break;
        }
    }

  return NULL;
}

/* Ends @cell when there is nothing in it that could run here. */
static gboolean
can_run (InterpSession *self, InterpCell *cell)
{
  InterpCall *call = interp_cell_get_call (cell);
  InterpKernelSpec *spec = interp_cell_get_spec (cell);
  g_autofree char *available = NULL;
  g_autofree char *what = NULL;
  g_autofree char *said = NULL;
  g_autofree char *result = NULL;

  if (call != NULL && call->fault != NULL)
    {
      g_autofree char *fault = g_strdup_printf ("Nothing was run: %s", call->fault);

      interp_session_end_cell (self, cell, INTERP_CELL_NOT_RUN, call->fault, fault);
      return FALSE;
    }
  if (spec != NULL && *interp_cell_get_code (cell) != '\0' && interp_session_has_interpreter (self, spec))
    return TRUE;

  if (spec == NULL)
    {
      const char *language = interp_cell_get_language (cell);

      if (*language != '\0')
        {
          what = g_strdup_printf ("the language \"%s\" cannot run here.", language);
          said = g_strdup_printf (_ ("The language “%s” cannot run here."), language);
        }
      else
        {
          what = g_strdup ("no language was given.");
          said = g_strdup (_ ("The model gave no language."));
        }
    }
  else if (*interp_cell_get_code (cell) == '\0')
    {
      what = g_strdup ("the code was empty.");
      said = g_strdup (_ ("The model sent no code."));
    }
  else
    {
      g_autofree char *hint = interp_kernel_spec_get_install_hint (spec);

      what = g_strdup_printf ("%s is not installed. To install it: %s.", interp_kernel_spec_get_title (spec), hint);
      said = g_strdup_printf (_ ("%s is not installed. To install it: %s"), interp_kernel_spec_get_title (spec), hint);
    }
  available = interp_session_list_languages (self);
  result = interp_result_for_unknown (what, available);
  interp_session_end_cell (self, cell, INTERP_CELL_NOT_RUN, said, result);

  return FALSE;
}

/* What the rules say about it in this mode, now. */
static InterpJudgement *
judge (InterpSession *self, InterpCell *cell)
{
  InterpCall *call = interp_cell_get_call (cell);
  gboolean recovered = call == NULL || call->origin == INTERP_CALL_RECOVERED;
  /* Unasked in the sandbox means never without it, whoever has turned it off. */
  InterpMode mode = self->mode == INTERP_MODE_SANDBOX && !interp_session_is_safe (self) ? INTERP_MODE_ASK : self->mode;

  return interp_policy_judge (interp_kernel_spec_get_id (interp_cell_get_spec (cell)), interp_cell_get_code (cell),
                              self->row->folder, mode, recovered);
}

/* Leaves @cell allowed, waiting or ended. */
static void
decide (InterpSession *self, InterpCell *cell)
{
  InterpCellFlow *flow = interp_cell_get_flow (cell);
  g_autoptr (InterpJudgement) judgement = NULL;
  g_autofree char *preceding = NULL;
  g_autofree char *result = NULL;

  flow->approved = FALSE;
  if (!can_run (self, cell))
    return;

  judgement = judge (self, cell);
  switch (interp_judgement_get_verdict (judgement))
    {
    case INTERP_VERDICT_ALLOW:
      flow->approved = TRUE;
      interp_cell_set_approved_by (cell, "auto");
      interp_cell_set_cell_state (cell, INTERP_CELL_STARTING);
      break;

    case INTERP_VERDICT_ASK:
      preceding = find_preceding_text (self, cell);
      interp_cell_set_judgement (cell, judgement);
      interp_cell_set_question (cell, preceding, find_previous_attempt (self, cell));
      interp_cell_set_approved_by (cell, NULL);
      interp_cell_set_folder (cell, self->row->folder);
      add_question (self, cell);
      interp_cell_set_cell_state (cell, INTERP_CELL_WAITING);
      interp_session_save_item (self, INTERP_ITEM (cell));
      question_changed (self);
      break;

    case INTERP_VERDICT_DENY:
    default:
      result = g_strdup_printf ("Nothing was run: %s", interp_judgement_get_reason (judgement));
      interp_session_end_cell (self, cell, INTERP_CELL_NOT_RUN, interp_judgement_get_reason (judgement), result);
      break;
    }
}

gboolean
interp_session_ask_to_leave (InterpSession *self, InterpCell *cell)
{
  g_autoptr (InterpJudgement) judgement
      = interp_policy_judge_leaving (interp_kernel_spec_get_id (interp_cell_get_spec (cell)),
                                     interp_cell_get_code (cell), self->row->folder);

  interp_cell_set_judgement (cell, judgement);
  interp_cell_set_approved_by (cell, NULL);
  add_question (self, cell);
  interp_cell_set_cell_state (cell, INTERP_CELL_WAITING);
  interp_session_save_item (self, INTERP_ITEM (cell));
  question_changed (self);
  interp_wait_any (DEX_FUTURE (interp_cell_get_flow (cell)->answered), NULL, NULL);
  return interp_cell_get_flow (cell)->approved;
}

void
interp_session_prepare_cells (InterpSession *self, GPtrArray *cells)
{
  for (guint i = 0; i < cells->len; i++)
    {
      InterpCell *cell = g_ptr_array_index (cells, i);

      /* In text mode it was asked about while the answer went on. */
      if (interp_cell_get_cell_state (cell) == INTERP_CELL_WRITING)
        decide (self, cell);
    }
}

/* ---- going through them ---- */

typedef enum
{
  CELL_WENT_ON, /* it has its result */
  CELL_ENDS_TURN,
} CellEnd;

static CellEnd
run_one (InterpSession *self, InterpCell *cell)
{
  InterpCellFlow *flow = interp_cell_get_flow (cell);

  /* The mode may be another by now. */
  if (flow->approved && g_strcmp0 (interp_cell_get_approved_by (cell), "user") != 0)
    decide (self, cell);
  while (interp_cell_get_cell_state (cell) == INTERP_CELL_WAITING && !interp_session_is_stopped (self))
    {
      DexFuture *answered = interp_session_get_answered (self, cell);

      if (answered == NULL)
        break;
      interp_wait_any (answered, DEX_FUTURE (self->stop), NULL);
    }
  if (interp_session_is_stopped (self))
    return CELL_ENDS_TURN;
  if (!flow->approved || interp_cell_get_cell_state (cell) != INTERP_CELL_STARTING)
    return flow->ends_turn ? CELL_ENDS_TURN : CELL_WENT_ON;

  self->turn_state = INTERP_SESSION_RUNNING;
  interp_session_update_state (self);

  return interp_session_run_cell (self, cell) ? CELL_WENT_ON : CELL_ENDS_TURN;
}

static gboolean
is_open (InterpCell *cell)
{
  return interp_item_get_state (INTERP_ITEM (cell)) == INTERP_ITEM_OPEN && !interp_cell_is_background (cell);
}

gboolean
interp_session_run_cells (InterpSession *self, GPtrArray *cells)
{
  gboolean stopped = FALSE;
  gboolean overtaken = FALSE;
  guint i;

  for (i = 0; i < cells->len && !stopped && !overtaken; i++)
    {
      InterpCell *cell = g_ptr_array_index (cells, i);

      /* It may have been refused before its turn came. */
      stopped = is_open (cell) ? run_one (self, cell) == CELL_ENDS_TURN : interp_cell_get_flow (cell)->ends_turn;
      /* A message is given after the current cell: what else the model wanted was wanted before it. */
      overtaken = self->n_queued > 0;
    }

  for (i = 0; i < cells->len && (stopped || overtaken); i++)
    {
      InterpCell *cell = g_ptr_array_index (cells, i);

      if (!is_open (cell))
        continue;
      if (overtaken && !stopped)
        interp_session_end_cell (self, cell, INTERP_CELL_NOT_RUN, _ ("Not run: your message came first."),
                                 "Not run: the user has written a message in the meantime. It follows.");
      else if (interp_session_is_stopped (self))
        interp_session_end_cell (self, cell, INTERP_CELL_INTERRUPTED, _ ("Stopped before it ran."),
                                 "The user stopped before this ran. It was never run.");
      else
        interp_session_end_cell (self, cell, INTERP_CELL_NOT_RUN, _ ("Not run: you ended the turn before."),
                                 "Not run: the user refused the block before and ended the turn.");
    }

  return !stopped;
}

/* ---- the user's answers ---- */

gboolean
interp_session_approve (InterpSession *self, InterpCell *cell, const char *shown)
{
  InterpCellFlow *flow;

  g_return_val_if_fail (INTERP_IS_SESSION (self), FALSE);
  g_return_val_if_fail (INTERP_IS_CELL (cell), FALSE);
  g_return_val_if_fail (shown != NULL, FALSE);

  if (!g_ptr_array_find (self->questions, cell, NULL) || *shown == '\0' || !g_utf8_validate (shown, -1, NULL))
    return FALSE;

  flow = interp_cell_get_flow (cell);
  interp_cell_edit_code (cell, shown);
  interp_cell_set_approved_by (cell, "user");
  flow->approved = TRUE;
  interp_cell_set_cell_state (cell, INTERP_CELL_STARTING);
  remove_question (self, cell);
  self->n_approved++;
  interp_session_notify (self, "n-approved");

  return TRUE;
}

gboolean
interp_session_refuse (InterpSession *self, InterpCell *cell, const char *reason, gboolean stop)
{
  g_autofree char *result = NULL;

  g_return_val_if_fail (INTERP_IS_SESSION (self), FALSE);
  g_return_val_if_fail (INTERP_IS_CELL (cell), FALSE);

  if (!g_ptr_array_find (self->questions, cell, NULL))
    return FALSE;

  interp_cell_get_flow (cell)->ends_turn = stop;
  interp_cell_set_refusal (cell, reason);
  result = interp_result_for_refusal (cell);
  close_cell (self, cell, INTERP_CELL_REFUSED, NULL, result);
  interp_session_save_item_later (self, INTERP_ITEM (cell));

  return TRUE;
}
