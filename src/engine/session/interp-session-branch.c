/* interp-session-branch.c: other branches: editing, trying again, going back
 *
 * Nothing is removed: what is left behind stays a branch of its own. A place where branches part is noted in the chat's
 * data before the second one comes to be.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "base/interp-fiber.h"
#include "base/interp-json.h"
#include "session/interp-session-private.h"

typedef enum
{
  WORK_RESEND,
  WORK_TRY_AGAIN,
  WORK_SHOW,
  WORK_UNDO,
  WORK_RESET,
} WorkKind;

typedef struct
{
  InterpSession *session;
  WorkKind kind;
  InterpItem *item;
  char *text;
  InterpModel *model;
  guint branch;
} Work;

static void
work_free (gpointer data)
{
  Work *work = data;

  g_object_unref (work->session);
  g_clear_object (&work->item);
  g_free (work->text);
  g_clear_object (&work->model);
  g_free (work);
}

/* Leaves the first @n_kept items of the branch; what comes next parts from what followed them. */
static void
part_after (InterpSession *self, guint n_kept)
{
  gint64 head = 0;
  g_autofree char *name = NULL;
  JsonNode *forks = interp_json_get (self->data, "forks");

  for (guint i = n_kept; i > 0 && head == 0; i--)
    head = interp_item_get_id (g_ptr_array_index (self->branch, i - 1));
  if (n_kept == 0 && self->branch->len > 0)
    head = interp_item_get_parent (g_ptr_array_index (self->branch, 0));

  if (!interp_json_is_object (forks))
    {
      interp_json_set (self->data, "forks", interp_json_object (NULL, NULL));
      forks = interp_json_get (self->data, "forks");
    }
  name = g_strdup_printf ("%" G_GINT64_FORMAT, head);
  json_object_set_boolean_member (json_node_get_object (forks), name, TRUE);
  interp_session_truncate (self, n_kept);
  interp_session_set_head (self, head);
  interp_session_save_chat (self);
}

/* Where the turn that @position lies in begins: the user's message. */
static gboolean
find_prompt (InterpSession *self, guint position, guint *prompt)
{
  for (guint i = position + 1; i > 0; i--)
    {
      InterpItem *item = g_ptr_array_index (self->branch, i - 1);

      if (interp_item_get_kind (item) == INTERP_ITEM_USER && !interp_item_is_mid_turn (item))
        {
          *prompt = i - 1;
          return TRUE;
        }
    }

  return FALSE;
}

static void
resend (InterpSession *self, InterpItem *item, const char *text)
{
  guint position;

  if (!interp_session_find (self, item, &position))
    return;
  part_after (self, position);
  interp_session_send_first (self, text, interp_item_get_attachments (item));
}

/* Of an error only the step that failed, with what has been done so far; of an answer the whole turn. */
static void
try_again (InterpSession *self, InterpItem *item, InterpModel *model)
{
  gint64 answer = interp_item_get_answer (item);
  guint position;

  if (!interp_session_find (self, item, &position))
    return;
  if (interp_item_get_kind (item) == INTERP_ITEM_ERROR || interp_item_get_kind (item) == INTERP_ITEM_NOTICE)
    {
      while (answer != 0 && position > 0
             && interp_item_get_answer (g_ptr_array_index (self->branch, position - 1)) == answer)
        position--;
    }
  else if (find_prompt (self, position, &position))
    position++;
  else
    return;
  if (model != NULL)
    interp_session_set_model (self, model);
  part_after (self, position);
  if (!self->turn)
    interp_session_start_turn (self);
}

static void
show_branch (InterpSession *self, InterpItem *item, guint branch)
{
  g_autoptr (GPtrArray) rows = NULL;
  g_autoptr (GError) error = NULL;
  gint64 leaf;

  rows = interp_session_load_alternatives (self, interp_item_get_parent (item));
  if (rows == NULL || branch >= rows->len)
    return;
  leaf
      = dex_await_int64 (interp_store_find_leaf (self->store, ((InterpItemRow *) g_ptr_array_index (rows, branch))->id),
                         &error);
  if (error == NULL && !self->turn)
    {
      interp_session_set_head (self, leaf);
      interp_session_load (self, &error);
    }
  if (error != NULL)
    g_warning ("The other branch cannot be shown: %s", error->message);
}

/* What is said while kernels end waits for the empty conversation. */
static void
reset (InterpSession *self)
{
  self->rearranging = TRUE;
  while (self->n_queued > 0)
    {
      guint n = g_list_model_get_n_items (G_LIST_MODEL (self->items));
      g_autoptr (InterpItem) queued = g_list_model_get_item (G_LIST_MODEL (self->items), n - 1);

      interp_session_remove_queued (self, queued);
    }
  dex_await (interp_session_close_all (self), NULL);
  while (interp_session_has_earlier (self))
    if (!dex_await (interp_session_load_earlier (self), NULL))
      break;
  if (self->branch->len > 0)
    part_after (self, 0);
  self->rearranging = FALSE;
  if (self->n_queued > 0 && !self->turn && !self->closing)
    interp_session_start_turn (self);
}

static DexFuture *
work_fiber (gpointer data)
{
  Work *work = data;
  InterpSession *self = work->session;
  guint prompt;

  interp_session_await_idle (self);
  switch (work->kind)
    {
    case WORK_RESEND:
      resend (self, work->item, work->text);
      break;
    case WORK_TRY_AGAIN:
      try_again (self, work->item, work->model);
      break;
    case WORK_SHOW:
      show_branch (self, work->item, work->branch);
      break;
    case WORK_UNDO:
      if (self->branch->len > 0 && find_prompt (self, self->branch->len - 1, &prompt))
        part_after (self, prompt);
      break;
    case WORK_RESET:
      reset (self);
      break;
    default:
      g_assert_not_reached ();
    }

  return dex_future_new_true ();
}

static Work *
begin_work (InterpSession *self, WorkKind kind, InterpItem *item)
{
  Work *work;

  if (self->read_only && !interp_session_take_lock (self))
    return NULL;
  work = g_new0 (Work, 1);
  work->session = g_object_ref (self);
  work->kind = kind;
  work->item = item != NULL ? g_object_ref (item) : NULL;

  return work;
}

static void
spawn_work (Work *work)
{
  interp_fiber_run ("Changing the branch", work_fiber, work, work_free);
}

void
interp_session_edit_and_resend (InterpSession *self, InterpItem *item, const char *text)
{
  Work *work;

  g_return_if_fail (INTERP_IS_SESSION (self));
  g_return_if_fail (INTERP_IS_ITEM (item));
  g_return_if_fail (text != NULL);

  work = interp_item_get_kind (item) == INTERP_ITEM_USER ? begin_work (self, WORK_RESEND, item) : NULL;
  if (work == NULL)
    return;
  work->text = g_strdup (text);
  spawn_work (work);
}

void
interp_session_try_again (InterpSession *self, InterpItem *item, InterpModel *other_model)
{
  Work *work;

  g_return_if_fail (INTERP_IS_SESSION (self));
  g_return_if_fail (INTERP_IS_ITEM (item));

  work = begin_work (self, WORK_TRY_AGAIN, item);
  if (work == NULL)
    return;
  work->model = other_model != NULL ? g_object_ref (other_model) : NULL;
  spawn_work (work);
}

void
interp_session_show_branch (InterpSession *self, InterpItem *item, guint branch)
{
  Work *work;

  g_return_if_fail (INTERP_IS_SESSION (self));
  g_return_if_fail (INTERP_IS_ITEM (item));

  work = branch != interp_item_get_branch (item) ? begin_work (self, WORK_SHOW, item) : NULL;
  if (work == NULL)
    return;
  work->branch = branch;
  spawn_work (work);
}

void
interp_session_undo (InterpSession *self)
{
  Work *work;

  g_return_if_fail (INTERP_IS_SESSION (self));

  work = begin_work (self, WORK_UNDO, NULL);
  if (work != NULL)
    spawn_work (work);
}

void
interp_session_reset (InterpSession *self)
{
  Work *work;

  g_return_if_fail (INTERP_IS_SESSION (self));

  work = begin_work (self, WORK_RESET, NULL);
  if (work != NULL)
    spawn_work (work);
}
