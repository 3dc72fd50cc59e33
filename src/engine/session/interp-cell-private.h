/* interp-cell-private.h: what the session does to cells
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <json-glib/json-glib.h>

#include "llm/interp-message.h"
#include "launch/interp-sandbox.h"
#include "session/interp-item.h"

G_BEGIN_DECLS

/* What is kept of a run's output in its row, in bytes. */
#define INTERP_CELL_OUTPUT_MAX (64 * 1024)

/* A cell that the model began to write, or (@by_user) that the user runs. */
InterpCell *interp_cell_new (const char *language, const char *code, gboolean by_user);

/* To and from the row's data. */
void interp_cell_save (InterpCell *self, JsonNode *data);
void interp_cell_load (InterpCell *self, const char *state, JsonNode *data);
const char *interp_cell_state_to_string (InterpCellState state);

void interp_cell_set_cell_state (InterpCell *self, InterpCellState state);
void interp_cell_set_language (InterpCell *self, const char *language);
/* The name the model knows it by: the spec's id, or what it wrote. */
const char *interp_cell_get_language_name (InterpCell *self);
void interp_cell_set_folder (InterpCell *self, const char *folder);
void interp_cell_set_note (InterpCell *self, const char *note);
void interp_cell_set_refusal (InterpCell *self, const char *refusal);
void interp_cell_set_approved_by (InterpCell *self, const char *approved_by);
/* The user runs other text than the model wrote. */
void interp_cell_edit_code (InterpCell *self, const char *code);

/* The call this cell answers; NULL for the user's own. */
InterpCall *interp_cell_get_call (InterpCell *self);
void interp_cell_set_call (InterpCell *self, InterpCall *call);
/* The code did not arrive whole: it is not offered to be run. */
gboolean interp_cell_is_cut (InterpCell *self);
void interp_cell_set_cut (InterpCell *self, gboolean cut);

void interp_cell_set_judgement (InterpCell *self, InterpJudgement *judgement);
void interp_cell_set_question (InterpCell *self, const char *preceding_text, const char *previous_attempt);

/* Where its flow stands, for the session: promises that somebody settles. */
typedef struct
{
  DexPromise *answered; /* while it waits: the user has answered */
  gboolean approved;
  gboolean ends_turn; /* refuse and stop */
  DexPromise *cancel; /* while it starts or runs: stop it */
  DexPromise *left;   /* while it runs: go on without it */
} InterpCellFlow;
InterpCellFlow *interp_cell_get_flow (InterpCell *self);

/* What the model is told, once it is known; of code that went on in the background, also how it ended. */
const char *interp_cell_get_result (InterpCell *self);
gboolean interp_cell_result_is_error (InterpCell *self);
void interp_cell_set_result (InterpCell *self, const char *result, gboolean is_error);
const char *interp_cell_get_late_result (InterpCell *self);
void interp_cell_set_late_result (InterpCell *self, const char *result);
gint64 interp_cell_get_ended (InterpCell *self); /* UTC ms, 0: not yet */
void interp_cell_set_ended (InterpCell *self, gint64 ended);
gboolean interp_cell_is_background (InterpCell *self);
void interp_cell_set_background (InterpCell *self, gboolean background);

/* In which life of which kernel it ran ("" when it never did): variables are gone when the kernel's is another by
 * now. */
const char *interp_cell_get_kernel_life (InterpCell *self);
void interp_cell_set_kernel_life (InterpCell *self, const char *life);

/* Follows @run until interp_cell_finish_run (), which takes its outcome over. Displays are added by the session, once
 * they are kept. */
void interp_cell_begin_run (InterpCell *self, InterpRun *run);
void interp_cell_finish_run (InterpCell *self);
/* Looks for what @sandbox has kept from the run that has finished. */
void interp_cell_find_blocked (InterpCell *self, InterpSandbox *sandbox);
void interp_cell_set_place (InterpCell *self, InterpRunPlace place);
InterpRun *interp_cell_get_run (InterpCell *self);
void interp_cell_add_display (InterpCell *self, InterpDisplay *display);
void interp_cell_set_log_path (InterpCell *self, const char *path);
void interp_cell_output_changed (InterpCell *self);
/* Output of a run that nobody finished, from its log. */
void interp_cell_set_output (InterpCell *self, const char *text, guint64 n_lines, guint64 n_dropped);

G_END_DECLS
