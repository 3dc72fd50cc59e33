/* interp-process.h: a supervised process and all that it starts
 *
 * Runs under interpreter-launch (src/launcher), which holds the other end of a lifeline: when we close it or die, all
 * that the process ever started is ended.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <libdex.h>

#include "launch/interp-launch.h"

G_BEGIN_DECLS

#define INTERP_PROCESS_ERROR (interp_process_error_quark ())
typedef enum
{
  INTERP_PROCESS_ERROR_FOLDER,     /* the folder cannot be entered */
  INTERP_PROCESS_ERROR_PROGRAM,    /* the program cannot be run */
  INTERP_PROCESS_ERROR_SUPERVISOR, /* our own helper failed or was ended */
  INTERP_PROCESS_ERROR_LEFT,       /* processes of another user could not be ended */
} InterpProcessError;
GQuark interp_process_error_quark (void);

#define INTERP_TYPE_PROCESS (interp_process_get_type ())
G_DECLARE_FINAL_TYPE (InterpProcess, interp_process, INTERP, PROCESS, GObject)

/* Resolves @launch and starts its supervisor; nothing of it runs before interp_process_go (). Descriptors 0 (which must
 * be a terminal) to 4 of @launch are passed on, and no others. The descriptors are taken even when it fails.
 * @tag (nullable): "NAME=VALUE" from its environment, by which its processes are found should the supervisor die. */
InterpProcess *interp_process_spawn (InterpLaunch *launch, const char *tag, GError **error);

/* Of the supervisor; valid until it was closed. */
GPid interp_process_get_supervisor (InterpProcess *self);

/* Runs the program. Resolves to its process number (int), or rejects with INTERP_PROCESS_ERROR. */
DexFuture *interp_process_go (InterpProcess *self);
/* 0 before it runs and after it ended. */
GPid interp_process_get_pid (InterpProcess *self);

/* Resolves to its exit status (int), or 128 + the signal that ended it. What it started may still run. */
DexFuture *interp_process_wait (InterpProcess *self);
gboolean interp_process_has_ended (InterpProcess *self);
/* The signal that ended it, 0 when none did. */
int interp_process_get_signal (InterpProcess *self);

/* Makes the program's group the terminal's foreground group again. */
void interp_process_take_foreground (InterpProcess *self);

/* Ends the process and all that it started. Resolves to TRUE when none is left; rejects with INTERP_PROCESS_ERROR_LEFT.
 * Dropping the last reference does the same, unseen. */
DexFuture *interp_process_close (InterpProcess *self);

G_END_DECLS
