/* interp-task.h: one prompt, answered without a conversation
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "interp-command-line.h"
#include "session/interp-engine.h"

G_BEGIN_DECLS

/* Exit statuses of the command. */
#define INTERP_EXIT_DONE 0
#define INTERP_EXIT_FAILED 1
#define INTERP_EXIT_USAGE 2
#define INTERP_EXIT_REFUSED 3
#define INTERP_EXIT_INTERRUPTED 130

/* Does what @prompt says: progress goes to standard error, the answer to standard output (or, with --json,
 * every event as a line). Code is approved by --auto_run or by somebody at the terminal, else it is not run.
 * @engine has started. Runs a main loop; the exit status. */
int interp_task_run (InterpEngine *engine, const InterpCommandLine *command_line, const char *prompt);

G_END_DECLS
