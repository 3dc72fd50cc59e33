/* interp-execution.h: follows one run from its request to its end
 *
 * Puts together what comes by the terminal and what comes by the event channel: a run is complete when both its
 * "finished" and its end mark have come, or a quarter of a second after the first.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <json-glib/json-glib.h>

#include "kernel/interp-artifacts.h"
#include "kernel/interp-kernel.h"
#include "kernel/interp-marker-filter.h"
#include "kernel/interp-terminal-watch.h"

G_BEGIN_DECLS

#define INTERP_TYPE_EXECUTION (interp_execution_get_type ())
G_DECLARE_FINAL_TYPE (InterpExecution, interp_execution, INTERP, EXECUTION, GObject)

/* @run is begun. @spool: where displays come from; @display_folder (nullable): where they are kept. */
InterpExecution *interp_execution_new (InterpRun *run, InterpPty *pty, const char *spool, const char *display_folder);
InterpRun *interp_execution_get_run (InterpExecution *self);
/* When it began, as processes' starts are counted. */
guint64 interp_execution_get_ticks (InterpExecution *self);
void interp_execution_set_watch (InterpExecution *self, InterpTerminalWatch *watch);

/* What is read from the terminal; FALSE when it is not this run's. */
gboolean interp_execution_feed (InterpExecution *self, const char *bytes, gsize length);
void interp_execution_mark (InterpExecution *self, InterpMark mark, guint64 id);
void interp_execution_note_read (InterpExecution *self);
void interp_execution_handle (InterpExecution *self, JsonNode *event);

/* The interpreter has ended with @status. */
void interp_execution_lose (InterpExecution *self, int status);
/* The harness cannot be heard any more: the end mark will do. */
void interp_execution_set_deaf (InterpExecution *self);
/* What ends it from now on is the user's wish. */
void interp_execution_set_stopping (InterpExecution *self);

/* The code runs: resolves to TRUE. */
DexFuture *interp_execution_wait_started (InterpExecution *self);
/* Nothing more will come: resolves to TRUE. */
DexFuture *interp_execution_wait_complete (InterpExecution *self);
gboolean interp_execution_is_complete (InterpExecution *self);
gboolean interp_execution_is_deaf (InterpExecution *self);
/* Where the code left the kernel; nullable. */
const char *interp_execution_get_folder (InterpExecution *self);

/* To be called once complete: collects what it has drawn and the pictures that it wrote since @before (nullable) was
 * taken. Resolves to TRUE. */
DexFuture *interp_execution_settle (InterpExecution *self, InterpArtifacts *before, const char *folder);
/* Then: ends the run as it ended. */
void interp_execution_finish (InterpExecution *self);
/* The pictures as they are now; nullable. Transfer full. */
InterpArtifacts *interp_execution_steal_artifacts (InterpExecution *self);

G_END_DECLS
