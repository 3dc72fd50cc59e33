/* interp-run-private.h: one execution as its kernel sees it
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "kernel/interp-kernel.h"

G_BEGIN_DECLS

/* @log_path (nullable): made with the first byte. */
InterpRun *interp_run_new (InterpKernelSpec *spec, guint64 id, const char *code, const char *log_path);
guint64 interp_run_get_id (InterpRun *self);
void interp_run_set_first_byte (InterpRun *self, gint64 usec);

/* To the log, then to the text. */
void interp_run_feed (InterpRun *self, const char *bytes, gsize length);
void interp_run_set_line (InterpRun *self, int line);
void interp_run_set_waiting (InterpRun *self, InterpWaiting waiting);
void interp_run_set_progress (InterpRun *self, double progress);
/* Replaces one with the same id. */
void interp_run_add_display (InterpRun *self, InterpDisplay *display);
/* FALSE when it shows as much as it may. */
gboolean interp_run_may_display (InterpRun *self);
/* All nullable. */
void interp_run_set_error (InterpRun *self, const char *name, const char *message, const char *traceback, int line,
                           const char *module);
/* Ends it: emits what is outstanding, then "finished". Once only. */
void interp_run_finish (InterpRun *self, InterpRunStatus status, int exit_code);

G_END_DECLS
