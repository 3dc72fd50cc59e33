/* interp-session-private.h: what the session's parts share
 *
 * interp-session.c         the object, its properties and its list of items
 * interp-session-keep.c    items and the chat as rows: adding, streaming, loading
 * interp-session-repair.c  opening: the lock, what an ended process left, following another process
 * interp-session-turn.c    the run loop: one turn
 * interp-session-answer.c  one answer of the model
 * interp-session-ask.c     judging, asking, the user's answers
 * interp-session-kernels.c kernels and runs
 * interp-session-safe.c    the sandbox they are in
 * interp-session-branch.c  other branches
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "base/interp-settings.h"
#include "llm/interp-models.h"
#include "session/interp-cell-private.h"
#include "session/interp-context.h"
#include "session/interp-gate.h"
#include "session/interp-item-private.h"
#include "session/interp-options.h"
#include "session/interp-session.h"
#include "store/interp-store.h"

G_BEGIN_DECLS

/* Items shown at once. */
#define INTERP_SESSION_PAGE 200
/* Most items that are read for the sake of a request. */
#define INTERP_SESSION_CONTEXT_ITEMS 2000

typedef struct _InterpKernelSlot InterpKernelSlot;

struct _InterpSession
{
  GObject parent_instance;

  InterpStore *store;
  InterpModels *models;
  InterpSettings *settings;
  InterpOptions *options;

  /* the chat as rows */
  InterpChatRow *row; /* id 0: not written yet */
  JsonNode *data;     /* row->data, read */
  InterpGate *adding; /* one item after the other: each needs the id of the one before */
  gboolean chat_dirty;
  gboolean draft_writing;
  gboolean draft_dirty;
  gboolean read_only;
  gboolean locked;
  gboolean repaired;
  gboolean reloading;
  gboolean reload_again;
  guint lock_source;
  gboolean keeping_failed; /* said once */
  gulong changed_handler;

  /* items */
  GPtrArray *branch; /* InterpItem: the branch as far as it is loaded, oldest first */
  guint n_unshown;   /* of these, at the front: loaded for requests only */
  GListStore *items; /* shown: the rest of the branch, then the queue */
  guint n_queued;    /* at the end of items */
  gint64 answer;     /* number of the newest answer */

  /* the turn */
  gboolean turn; /* one goes on */
  gboolean mid_turn;
  gboolean continuing;  /* without a message of the user */
  gboolean rearranging; /* it ends so that the branch can be changed */
  gboolean closing;
  DexPromise *stop; /* settles when the user wants this turn to end */
  DexPromise *turn_end;
  InterpSessionState turn_state;
  InterpSessionState shown_state;
  char *status;
  gboolean counting_down; /* what it says tells the time itself */
  char *waiting_for;      /* what the server is doing, for the status */
  gint64 asked_at;        /* monotonic µs */
  guint status_source;
  double token_scale;
  gint64 last_tokens; /* estimate for the newest request */

  /* approval */
  InterpMode mode;
  guint n_approved;     /* by the user, since the chat was opened */
  GPtrArray *questions; /* InterpCell waiting, oldest first */

  /* safe mode */
  char *safe_problem;    /* nullable */
  gboolean safe_checked; /* the sandbox as it is now has been tried and can be made */
  guint safe_version;    /* counts its changes */

  /* the model */
  InterpModel *model;
  gboolean model_chosen; /* by somebody, not from the row */
  char *num_ctx_model;
  gint64 num_ctx;
  char *warned_model; /* its server's warning was shown */

  /* kernels */
  GListStore *kernels;
  GPtrArray *slots; /* InterpKernelSlot */
  GPtrArray *runs;  /* InterpCell starting or running */
  guint n_own_runs; /* the user's, begun or about to */
  gboolean held;    /* we hold ourselves while kernels live */
};

/* ---- interp-session.c ---- */

/* @row: NULL for a new chat, taken. */
InterpSession *interp_session_new (InterpStore *store, InterpModels *models, InterpSettings *settings,
                                   const InterpOptions *options, InterpChatRow *row);
void interp_session_notify (InterpSession *self, const char *property);
void interp_session_update_state (InterpSession *self);
void interp_session_emit_finished (InterpSession *self, gboolean failed);
void interp_session_emit_kernel_added (InterpSession *self, InterpKernel *kernel);
void interp_session_set_status (InterpSession *self, const char *status);
void interp_session_show_folder_error (InterpSession *self, GError *error);
/* The list: @item is on the branch now, after the others and before the queue. */
void interp_session_show_item (InterpSession *self, InterpItem *item);
void interp_session_prepend_items (InterpSession *self, GPtrArray *items, gboolean show);
/* Takes what follows the first @n_kept of the branch off it. */
void interp_session_truncate (InterpSession *self, guint n_kept);
gboolean interp_session_find (InterpSession *self, InterpItem *item, guint *position);
/* @model is to be given the conversation: if it is on another computer, that is so from now on. */
void interp_session_note_leaving (InterpSession *self, InterpModel *model);
InterpItem *interp_session_peek_last (InterpSession *self);
/* Before what waits in the queue: it takes the place of a message that was given before those were written. */
void interp_session_send_first (InterpSession *self, const char *text, const char *const *attachments);
void interp_session_forget_if_empty (InterpSession *self);
void interp_session_set_pinned (InterpSession *self, gboolean pinned);
/* Ends everything: the turn, kernels. Resolves to TRUE when no process of it is left. */
DexFuture *interp_session_end_work (InterpSession *self);
/* The same, for good. */
DexFuture *interp_session_shut_down (InterpSession *self);
gboolean interp_session_is_turn (InterpSession *self);

/* ---- interp-session-keep.c ---- */

/* In a fiber: writes the chat if it is not written yet. FALSE when it cannot be kept or is another process's. */
gboolean interp_session_ensure_chat (InterpSession *self);
/* In a fiber: commits @item at the end of the branch, then shows it. */
void interp_session_add_item (InterpSession *self, InterpItem *item);
/* In a fiber: commits it as it is now. */
void interp_session_save_item (InterpSession *self, InterpItem *item);
/* The same, and nobody waits. */
void interp_session_save_item_later (InterpSession *self, InterpItem *item);
/* Text that arrived: committed and shown in batches, one a frame. */
void interp_session_append_text (InterpSession *self, InterpItem *item, const char *text);
/* In a fiber: commits all of it with its final state, then shows it. */
void interp_session_finish_item (InterpSession *self, InterpItem *item, InterpItemState state);
void interp_session_add_notice (InterpSession *self, InterpItemKind kind, const char *text, InterpOffers offers,
                                gint64 answer);
void interp_session_save_chat (InterpSession *self);
void interp_session_touch (InterpSession *self);
/* In a fiber. */
gboolean interp_session_load (InterpSession *self, GError **error);
void interp_session_load_for_context (InterpSession *self, gint64 budget);
GPtrArray *interp_session_items_from_rows (GPtrArray *rows);
/* In a fiber: tells those of @items that stand where branches part which of how many they are. */
void interp_session_find_branches (InterpSession *self, GPtrArray *items);
/* In a fiber: rows of the items to choose between after @parent, oldest first: GPtrArray of InterpItemRow, NULL when
 * they cannot be read. */
GPtrArray *interp_session_load_alternatives (InterpSession *self, gint64 parent);
void interp_session_set_head (InterpSession *self, gint64 head);
gint64 interp_session_get_flag (InterpSession *self, const char *name);
void interp_session_set_flag (InterpSession *self, const char *name, gint64 value);

/* ---- interp-session-repair.c ---- */

/* In a fiber: loads a chat that is kept, takes its lock if it is free and repairs what an ended process left. */
gboolean interp_session_open (InterpSession *self, GError **error);
/* Takes the lock if it is free by now; the next turn repairs first. */
gboolean interp_session_take_lock (InterpSession *self);
/* In a fiber: marks what nobody writes or runs any more. Does nothing the second time. */
void interp_session_repair (InterpSession *self);

/* ---- interp-session-turn.c ---- */

void interp_session_start_turn (InterpSession *self);
gboolean interp_session_is_stopped (InterpSession *self);
/* In a fiber: ends the turn that goes on, if one does. */
void interp_session_await_idle (InterpSession *self);

/* ---- interp-session-answer.c ---- */

typedef enum
{
  INTERP_STEP_DONE,    /* the model has nothing more to do */
  INTERP_STEP_CALLS,   /* it called: cells to go through */
  INTERP_STEP_AGAIN,   /* ask again at once */
  INTERP_STEP_STOPPED, /* by the user */
  INTERP_STEP_FAILED,  /* said in an error item */
} InterpStep;

/* In a fiber: asks the model once. @cells gets the cells of its calls. @text: what it said, transfer full. */
InterpStep interp_session_answer (InterpSession *self, const char *nudge, GPtrArray *cells, char **text);
InterpRequest *interp_session_make_request (InterpSession *self, InterpModel *model, const char *nudge, gint64 budget,
                                            InterpContext **context);
/* Finds the model that the chat or its options name, to be shown before anything is asked. */
void interp_session_look_for_model (InterpSession *self);
gint64 interp_session_get_budget (InterpSession *self, InterpModel *model);

/* ---- interp-session-safe.c ---- */

/* In a fiber: whether the sandbox can be made; with @network, the one that has it. */
gboolean interp_session_check_sandbox (InterpSession *self, gboolean network, GError **error);
InterpSandbox *interp_session_make_sandbox (InterpSession *self, gboolean network, GError **error);
void interp_session_sandbox_changed (InterpSession *self);
/* Another process may have changed it. */
void interp_session_adopt_sandbox (InterpSession *self);
char *interp_session_describe_sandbox (InterpSession *self);
/* Puts a new @kernel where @place says. The sandbox, transfer full; NULL outside, or when the kernel will not start. */
InterpSandbox *interp_session_confine (InterpSession *self, InterpKernel *kernel, InterpRunPlace place);

/* ---- interp-session-ask.c ---- */

/* In a fiber: judges what the model wants run and asks where it must be asked. */
void interp_session_prepare_cells (InterpSession *self, GPtrArray *cells);
/* In a fiber: asks whether @cell may run outside the sandbox, and waits for the answer. */
gboolean interp_session_ask_to_leave (InterpSession *self, InterpCell *cell);
/* In a fiber: goes through them in order, each with one result. FALSE when the turn shall end. */
gboolean interp_session_run_cells (InterpSession *self, GPtrArray *cells);
/* Settles when the user has answered @cell; NULL when it does not wait. Borrowed. */
DexFuture *interp_session_get_answered (InterpSession *self, InterpCell *cell);
void interp_session_withdraw_questions (InterpSession *self);
/* In a fiber: a cell that will not run. @result for the model. */
void interp_session_end_cell (InterpSession *self, InterpCell *cell, InterpCellState state, const char *note,
                              const char *result);

/* ---- interp-session-kernels.c ---- */

/* Runs a cell as it stands; resolves to TRUE when it has ended (or never began) and is kept. */
DexFuture *interp_session_start_run (InterpSession *self, InterpCell *cell);
/* In a fiber: runs @cell and waits for its end, its move to the background, or the turn's stop. FALSE when stopped. */
gboolean interp_session_run_cell (InterpSession *self, InterpCell *cell);
/* Is there anything to run @spec's code with? */
gboolean interp_session_has_interpreter (InterpSession *self, InterpKernelSpec *spec);
void interp_session_close_kernels (InterpSession *self);
DexFuture *interp_session_close_all (InterpSession *self);
gsize interp_session_get_max_output (InterpSession *self);
char *interp_session_list_languages (InterpSession *self);

G_END_DECLS
