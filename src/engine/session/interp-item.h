/* interp-item.h: one entry of a conversation
 *
 * Front ends observe items ("notify"); only the session changes them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <gio/gio.h>

#include "base/interp-terminal-text.h"
#include "changes/interp-diff.h"
#include "kernel/interp-kernel.h"
#include "policy/interp-policy.h"

G_BEGIN_DECLS

typedef enum
{
  INTERP_ITEM_USER,
  INTERP_ITEM_ASSISTANT, /* text: Markdown */
  INTERP_ITEM_REASONING,
  INTERP_ITEM_CELL,   /* an InterpCell */
  INTERP_ITEM_NOTICE, /* a sentence from us */
  INTERP_ITEM_ERROR,  /* what happened, what was kept, what to do */
} InterpItemKind;
#define INTERP_TYPE_ITEM_KIND (interp_item_kind_get_type ())
GType interp_item_kind_get_type (void);

typedef enum
{
  INTERP_ITEM_OPEN, /* still growing */
  INTERP_ITEM_COMPLETE,
  INTERP_ITEM_INTERRUPTED, /* stopped by the user, or Interpreter was ended */
  INTERP_ITEM_INCOMPLETE,  /* the connection broke, or the limit was reached */
  INTERP_ITEM_QUEUED,      /* user: waits for the current cell */
} InterpItemState;
#define INTERP_TYPE_ITEM_STATE (interp_item_state_get_type ())
GType interp_item_state_get_type (void);

/* What an error or notice offers; front ends turn it into buttons. */
typedef enum
{
  INTERP_OFFER_NONE = 0,
  INTERP_OFFER_CONTINUE = 1 << 0,
  INTERP_OFFER_TRY_AGAIN = 1 << 1,
  INTERP_OFFER_CHOOSE_MODEL = 1 << 2,
  INTERP_OFFER_ENTER_KEY = 1 << 3,
  INTERP_OFFER_RERUN_CELLS = 1 << 4, /* "Run Earlier Cells Again" */
  INTERP_OFFER_CHOOSE_FOLDER = 1 << 5,
} InterpOffers;

#define INTERP_TYPE_ITEM (interp_item_get_type ())
G_DECLARE_DERIVABLE_TYPE (InterpItem, interp_item, INTERP, ITEM, GObject)

struct _InterpItemClass
{
  GObjectClass parent_class;
};

/* Properties: kind, state, text (notifies as it grows), duration. Signal "appended" (const char *): text grew by this.
 */
gint64 interp_item_get_id (InterpItem *self);
InterpItemKind interp_item_get_kind (InterpItem *self);
InterpItemState interp_item_get_state (InterpItem *self);
const char *interp_item_get_text (InterpItem *self);
gint64 interp_item_get_created (InterpItem *self);  /* UTC ms */
gint64 interp_item_get_duration (InterpItem *self); /* ms; reasoning: how long it thought */
InterpOffers interp_item_get_offers (InterpItem *self);
/* Assistant text and cells that the model wrote before it had the result ("Written before the result"). */
gboolean interp_item_is_premature (InterpItem *self);
/* How many alternatives stand at this place (branches, 1 when none) and which this is, from 0. */
guint interp_item_get_n_branches (InterpItem *self);
guint interp_item_get_branch (InterpItem *self);
/* Assistant: the model that wrote it ("ollama/…"), nullable. */
const char *interp_item_get_model (InterpItem *self);
/* User: attachments, paths; nullable. */
const char *const *interp_item_get_attachments (InterpItem *self);

/* ---- cells ---- */

/* Where code of a chat in safe mode runs; elsewhere there is only the usual place. */
typedef enum
{
  INTERP_RUN_PLACE_USUAL,   /* the chat's own kernels */
  INTERP_RUN_PLACE_NETWORK, /* a sandbox of its own, with the network, that ends with the run */
  INTERP_RUN_PLACE_OUTSIDE, /* outside the sandbox, in a kernel of its own that ends with the run */
} InterpRunPlace;

typedef enum
{
  INTERP_CELL_WRITING,  /* the model is still writing the code */
  INTERP_CELL_WAITING,  /* waits for the user's answer */
  INTERP_CELL_STARTING, /* approved; the kernel starts, or another cell runs */
  INTERP_CELL_RUNNING,
  INTERP_CELL_DONE,
  INTERP_CELL_FAILED,
  INTERP_CELL_REFUSED,
  INTERP_CELL_INTERRUPTED,
  INTERP_CELL_LOST,    /* the kernel ended, or Interpreter was killed while it ran */
  INTERP_CELL_NOT_RUN, /* shown only: later block of an answer, unknown language, cut off, Look mode */
} InterpCellState;
#define INTERP_TYPE_CELL_STATE (interp_cell_state_get_type ())
GType interp_cell_state_get_type (void);

#define INTERP_TYPE_CELL (interp_cell_get_type ())
G_DECLARE_FINAL_TYPE (InterpCell, interp_cell, INTERP, CELL, InterpItem)

/* Properties: cell-state, code, line, progress, waiting, output-version (uint: output changed).
 * Signal "display" (InterpDisplay). The code of a waiting cell does not change; only an answer with edited code does.
 */
InterpCellState interp_cell_get_cell_state (InterpCell *self);
InterpKernelSpec *interp_cell_get_spec (InterpCell *self); /* NULL: unknown language */
const char *interp_cell_get_language (InterpCell *self); /* for the label: the spec's title, or what the model wrote */
const char *interp_cell_get_code (InterpCell *self);
const char *interp_cell_get_original_code (InterpCell *self); /* the model's text when the user edited it, else NULL */
const char *interp_cell_get_folder (InterpCell *self);        /* where it runs / ran */
gboolean interp_cell_is_by_user (InterpCell *self);           /* typed under a terminal, not the model's */
gboolean interp_cell_is_runnable (InterpCell *self);          /* the user may run it now */
gboolean interp_cell_is_only_shown (InterpCell *self);        /* a block without a language: part of what was said */
const char *interp_cell_get_note (InterpCell *self);          /* why it is not run, what was refused…, nullable */
const char *interp_cell_get_refusal (InterpCell *self);       /* the user's sentence, nullable */
const char *interp_cell_get_approved_by (InterpCell *self);   /* "user", "auto", "rule"; nullable */

/* Output: for a running cell live, afterwards from the store. */
char *interp_cell_dup_output (InterpCell *self, GArray **spans); /* text as the terminal leaves it, head + tail */
guint64 interp_cell_get_n_lines (InterpCell *self);
guint64 interp_cell_get_n_dropped (InterpCell *self); /* lines that dup_output leaves out of the middle */
GListModel *interp_cell_get_displays (InterpCell *self);
int interp_cell_get_line (InterpCell *self);
InterpWaiting interp_cell_get_waiting (InterpCell *self);
double interp_cell_get_progress (InterpCell *self); /* −1 none */
int interp_cell_get_exit_code (InterpCell *self);
const char *interp_cell_get_error_name (InterpCell *self);
const char *interp_cell_get_error_message (InterpCell *self);
const char *interp_cell_get_traceback (InterpCell *self);
int interp_cell_get_error_line (InterpCell *self);
const char *interp_cell_get_log_path (InterpCell *self);
const char *interp_cell_get_missing_module (InterpCell *self);
InterpRunPlace interp_cell_get_place (InterpCell *self);
/* What the sandbox has kept from it, as far as can be told: the network; a folder that could be given (nullable). */
gboolean interp_cell_is_network_blocked (InterpCell *self);
const char *interp_cell_get_blocked_folder (InterpCell *self);

/* The question of a waiting cell (state WAITING), else NULL. */
InterpJudgement *interp_cell_get_judgement (InterpCell *self);
const char *interp_cell_get_preceding_text (InterpCell *self);   /* the model's last sentence, nullable */
const char *interp_cell_get_previous_attempt (InterpCell *self); /* code of the attempt that this retries, nullable */
/* Resolves to boxed GPtrArray of InterpDiff: for @code as it stands in the editor now. */
DexFuture *interp_cell_load_diffs (InterpCell *self, const char *code);

G_END_DECLS
