/* interp-cell-outcome.h: what a run left, as it is kept
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "base/interp-json.h"
#include "kernel/interp-kernel.h"
#include "session/interp-blocked.h"

G_BEGIN_DECLS

typedef struct
{
  char *output;  /* text as the terminal left it, head and tail, at most INTERP_CELL_OUTPUT_MAX bytes */
  GArray *spans; /* InterpTextSpan, nullable */
  guint64 n_lines;
  guint64 n_dropped;
  int exit_code;
  char *error_name;
  char *error_message;
  char *traceback;
  int error_line;
  char *log_path;
  char *missing_module;
  InterpBlocked blocked;
} InterpCellOutcome;

InterpCellOutcome *interp_cell_outcome_new (void);
void interp_cell_outcome_free (InterpCellOutcome *self);
void interp_cell_outcome_take_run (InterpCellOutcome *self, InterpRun *run);
/* Cuts @text to what is kept; @spans (taken, nullable) of what was cut go. */
void interp_cell_outcome_set_output (InterpCellOutcome *self, const char *text, GArray *spans, guint64 n_lines,
                                     guint64 n_dropped);
GArray *interp_cell_outcome_copy_spans (InterpCellOutcome *self);
void interp_cell_outcome_save (InterpCellOutcome *self, JsonNode *data);
void interp_cell_outcome_load (InterpCellOutcome *self, JsonNode *data);

JsonNode *interp_displays_to_json (GListModel *displays);
/* Replaces what is in @displays, if it differs. */
void interp_displays_from_json (GListStore *displays, JsonNode *array);

G_END_DECLS
