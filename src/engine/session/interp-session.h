/* interp-session.h: one conversation
 *
 * Exactly one object a chat and process; windows and terminal share it. All calls return at once; what happens is seen
 * in the items and properties.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "llm/interp-provider.h"
#include "session/interp-item.h"

G_BEGIN_DECLS

typedef enum
{
  INTERP_SESSION_IDLE,
  INTERP_SESSION_ASKING, /* request sent, nothing yet (see status) */
  INTERP_SESSION_ANSWERING,
  INTERP_SESSION_WAITING, /* for the user's answer to a cell */
  INTERP_SESSION_RUNNING,
} InterpSessionState;
#define INTERP_TYPE_SESSION_STATE (interp_session_state_get_type ())
GType interp_session_state_get_type (void);

#define INTERP_TYPE_SESSION (interp_session_get_type ())
G_DECLARE_FINAL_TYPE (InterpSession, interp_session, INTERP, SESSION, GObject)

/* Properties (all notify): id, title, state, status, mode, n-approved, safe, safe-problem, network, folders, folder,
 * model, question, read-only, n-running, draft, pinned, updated. Signals: "finished" (gboolean failed): a turn has
 * ended; "kernel-added" (InterpKernel);
 * "folder-named" (path): the message that was sent names a folder that the sandbox lacks. */

gint64 interp_session_get_id (InterpSession *self);
GListModel *interp_session_get_items (InterpSession *self); /* InterpItem, the shown branch, oldest first */
/* Loads the 200 items before the first; resolves to TRUE when there may be more. */
DexFuture *interp_session_load_earlier (InterpSession *self);
gboolean interp_session_has_earlier (InterpSession *self);
InterpSessionState interp_session_get_state (InterpSession *self);
const char *interp_session_get_status (InterpSession *self); /* "Loading the model, 0:12", nullable */
const char *interp_session_get_title (InterpSession *self);
void interp_session_set_title (InterpSession *self, const char *title);
gboolean interp_session_is_read_only (InterpSession *self); /* another process runs it, or the database is newer */
InterpMode interp_session_get_mode (InterpSession *self);
/* Auto in Sandbox turns safe mode on; in safe mode Auto is Auto in Sandbox. */
void interp_session_set_mode (InterpSession *self, InterpMode mode);
const char *interp_session_get_folder (InterpSession *self);
/* Kernels restart there (their variables go): ask first when some run. FALSE with a sentence when it cannot be read. */
gboolean interp_session_set_folder (InterpSession *self, const char *folder, GError **error);
InterpModel *interp_session_get_model (InterpSession *self); /* nullable: none chosen */
void interp_session_set_model (InterpSession *self, InterpModel *model);
/* So far the conversation has stayed on this computer, and @model is on another: ask the user before giving it to it.
 */
gboolean interp_session_would_leave (InterpSession *self, InterpModel *model);
const char *interp_session_get_draft (InterpSession *self);
void interp_session_set_draft (InterpSession *self, const char *text); /* kept from the first key press */

/* ---- safe mode ---- */

/* Whether the chat's code runs in a sandbox. Changing that, its network or its folders ends its kernels (their
 * variables go): ask first when some run. Leaving it turns the mode Auto in Sandbox into Ask. */
gboolean interp_session_is_safe (InterpSession *self);
void interp_session_set_safe (InterpSession *self, gboolean safe);
/* Why nothing can run in safe mode here, a sentence; NULL when it can, or nobody has tried yet. */
const char *interp_session_get_safe_problem (InterpSession *self);
/* Tries it. Resolves to TRUE, or rejects with that sentence (INTERP_SANDBOX_ERROR). */
DexFuture *interp_session_check_safe (InterpSession *self);
gboolean interp_session_has_network (InterpSession *self);
void interp_session_set_network (InterpSession *self, gboolean network);
/* Besides the working folder. Fails (INTERP_SANDBOX_ERROR_FOLDER) for folders that are never given. */
GStrv interp_session_dup_folders (InterpSession *self);
gboolean interp_session_can_add_folder (InterpSession *self, const char *folder, GError **error);
gboolean interp_session_add_folder (InterpSession *self, const char *folder, GError **error);
void interp_session_remove_folder (InterpSession *self, const char *folder);
/* Folders that the user's @text names and that the sandbox lacks: GPtrArray of char *, the caller's. */
GPtrArray *interp_session_find_named_folders (InterpSession *self, const char *text);
/* Runs the cell's code again, in @place; outside the sandbox it is a new question first. */
void interp_session_run_in_place (InterpSession *self, InterpCell *cell, InterpRunPlace place);

/* ---- the user's side ---- */

/* Sends, or queues while something runs. @attachments: paths, nullable. */
void interp_session_send (InterpSession *self, const char *text, const char *const *attachments);
/* Queued messages are items of state QUEUED after the others. */
void interp_session_edit_queued (InterpSession *self, InterpItem *item, const char *text);
void interp_session_remove_queued (InterpSession *self, InterpItem *item);
/* First the code, then the answer. Safe at any time. */
void interp_session_stop (InterpSession *self);
/* A new branch from before @item. */
void interp_session_edit_and_resend (InterpSession *self, InterpItem *item, const char *text);
void interp_session_try_again (InterpSession *self, InterpItem *item, InterpModel *other_model /* nullable */);
void interp_session_show_branch (InterpSession *self, InterpItem *item, guint branch);
void interp_session_continue (InterpSession *self); /* after an incomplete answer, or "go on" without text */
/* Drops everything from the last prompt on (the branch stays in the store): %undo. */
void interp_session_undo (InterpSession *self);
/* Ends all kernels and shows an empty branch: %reset. */
void interp_session_reset (InterpSession *self);

/* ---- approval ---- */

/* The cell to be asked about first (oldest waiting), nullable. */
InterpCell *interp_session_get_question (InterpSession *self);
/* Runs @shown: the exact text that the user saw; differing from the cell's code it counts as edited. FALSE (nothing
 * runs) when the cell does not wait any more. */
gboolean interp_session_approve (InterpSession *self, InterpCell *cell, const char *shown);
/* @reason nullable: goes to the model. @stop: end the turn too. */
gboolean interp_session_refuse (InterpSession *self, InterpCell *cell, const char *reason, gboolean stop);

/* ---- kernels ---- */

GListModel *interp_session_get_kernels (InterpSession *self); /* InterpKernel, in order of first use */
/* Made on demand (not where the chat is read-only); NULL for an unknown language. Borrowed. */
InterpKernel *interp_session_get_kernel (InterpSession *self, const char *language);
/* The user's own code, in the same kernel; an item of its own, the model is told with the next prompt. */
void interp_session_run_code (InterpSession *self, const char *language, const char *code);
/* Runs the code of a shown cell (asks nothing: the user pressed it on this text), as the user's own: what the model was
 * told of the first run stays true. @code: as shown, may be edited. */
void interp_session_run_again (InterpSession *self, InterpCell *cell, const char *code);
/* The running cell goes on, the conversation does not wait for it: its result is "still running". */
void interp_session_continue_in_background (InterpSession *self, InterpCell *cell);
void interp_session_interrupt (InterpSession *self, InterpCell *cell);
gboolean interp_session_has_running (InterpSession *self);
/* Some live, and with them variables. */
gboolean interp_session_has_kernels (InterpSession *self);
/* Cells of this chat that ran in kernels now gone, oldest first: GPtrArray of InterpCell (container). */
GPtrArray *interp_session_get_lost_cells (InterpSession *self);
void interp_session_rerun_cells (InterpSession *self, GPtrArray *cells);

/* ---- out ---- */

/* The whole shown branch, as it is kept. Each resolves to a string. */
DexFuture *interp_session_export_markdown (InterpSession *self);
DexFuture *interp_session_export_notebook (InterpSession *self); /* .ipynb with outputs and pictures */
/* The exact request that the next prompt would send, for "What the Model Saw" and %tokens; estimate of tokens. */
char *interp_session_describe_request (InterpSession *self, gint64 *tokens);
/* How many tokens request and answer may have together: what the options say, what is asked of the server, or what the
 * model takes; 0 where nobody knows. */
gint64 interp_session_get_window (InterpSession *self);

G_END_DECLS
