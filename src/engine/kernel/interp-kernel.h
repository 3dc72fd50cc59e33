/* interp-kernel.h: one running interpreter with its terminal
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <libdex.h>

#include "base/interp-terminal-text.h"
#include "kernel/interp-display.h"
#include "kernel/interp-kernel-spec.h"
#include "kernel/interp-pty.h"
#include "launch/interp-launch.h"

G_BEGIN_DECLS

#define INTERP_KERNEL_ERROR (interp_kernel_error_quark ())
typedef enum
{
  INTERP_KERNEL_ERROR_MISSING, /* its interpreter is not installed; the message says what to install */
  INTERP_KERNEL_ERROR_START,   /* it did not come up; the message has its last words */
  INTERP_KERNEL_ERROR_LOST,    /* it ended while running */
  INTERP_KERNEL_ERROR_FOLDER,  /* the working folder cannot be entered */
} InterpKernelError;
GQuark interp_kernel_error_quark (void);

typedef enum
{
  INTERP_KERNEL_OFF, /* not started, closed or ended */
  INTERP_KERNEL_STARTING,
  INTERP_KERNEL_IDLE,
  INTERP_KERNEL_BUSY,
  INTERP_KERNEL_INTERRUPTING,
  INTERP_KERNEL_LOST, /* ended by itself; execute () starts a fresh one */
} InterpKernelState;
#define INTERP_TYPE_KERNEL_STATE (interp_kernel_state_get_type ())
GType interp_kernel_state_get_type (void);

/* What running code waits for, seen from the terminal's modes and the harness. */
typedef enum
{
  INTERP_WAITING_NO,
  INTERP_WAITING_INPUT,
  INTERP_WAITING_PASSWORD,    /* echo off, canonical: what is typed is neither logged nor given to the model */
  INTERP_WAITING_FULL_SCREEN, /* alternate screen */
} InterpWaiting;
#define INTERP_TYPE_WAITING (interp_waiting_get_type ())
GType interp_waiting_get_type (void);

typedef enum
{
  INTERP_RUN_RUNNING,
  INTERP_RUN_DONE,
  INTERP_RUN_FAILED,      /* an error, or an exit status other than 0 */
  INTERP_RUN_INTERRUPTED, /* by the user */
  INTERP_RUN_LOST,        /* the kernel ended */
} InterpRunStatus;
#define INTERP_TYPE_RUN_STATUS (interp_run_status_get_type ())
GType interp_run_status_get_type (void);

/* ---- one execution ---- */

#define INTERP_TYPE_RUN (interp_run_get_type ())
G_DECLARE_FINAL_TYPE (InterpRun, interp_run, INTERP, RUN, GObject)

/* Signals: "output" (new bytes are in the text; at most once a frame), "display" (InterpDisplay), "line" (int),
 * "finished". Properties: status, line, waiting, progress (double, −1 none). */
InterpRunStatus interp_run_get_status (InterpRun *self);
const char *interp_run_get_code (InterpRun *self);
InterpTerminalText *interp_run_get_text (InterpRun *self);
GListModel *interp_run_get_displays (InterpRun *self);   /* InterpDisplay, in order */
int interp_run_get_line (InterpRun *self);               /* running line, 1-based; 0 unknown */
int interp_run_get_exit_code (InterpRun *self);          /* shell status, exit (), or signal + 128 */
const char *interp_run_get_error_name (InterpRun *self); /* "NameError", nullable */
const char *interp_run_get_error_message (InterpRun *self);
const char *interp_run_get_traceback (InterpRun *self);
int interp_run_get_error_line (InterpRun *self);         /* in the code, 1-based; 0 unknown */
gint64 interp_run_get_duration (InterpRun *self);        /* ms, so far or whole */
gint64 interp_run_get_first_byte_usec (InterpRun *self); /* µs from execute () to the first byte written to the kernel's
                                                            request channel; for the bench */
const char *interp_run_get_log_path (InterpRun *self);   /* all raw output of this run; nullable when nothing came */
guint64 interp_run_get_unlogged_bytes (InterpRun *self); /* output beyond the log's 200 MB, or that could not be kept */
char *
interp_run_dup_missing_module (InterpRun *self); /* "pandas" when the error says that it is not installed; nullable */
DexFuture *interp_run_wait (InterpRun *self);    /* resolves to its InterpRunStatus (int) when it ended */

/* ---- kernel ---- */

#define INTERP_TYPE_KERNEL (interp_kernel_get_type ())
G_DECLARE_FINAL_TYPE (InterpKernel, interp_kernel, INTERP, KERNEL, GObject)

/* Properties: state, waiting, interpreter, run. Signals: "lost" (sentence), "background-output".
 * @env (nullable): environment already cleaned for kernels. @log_dir (nullable: no logs): where raw output is written.
 */
InterpKernel *interp_kernel_new (InterpKernelSpec *spec, const char *folder, const char *const *env,
                                 const char *log_dir);
InterpKernelSpec *interp_kernel_get_spec (InterpKernel *self);
InterpKernelState interp_kernel_get_state (InterpKernel *self);
InterpWaiting interp_kernel_get_waiting (InterpKernel *self);
InterpPty *interp_kernel_get_pty (InterpKernel *self);          /* one for the kernel's life, restarts included */
InterpRun *interp_kernel_get_run (InterpKernel *self);          /* running now, nullable */
const char *interp_kernel_get_interpreter (InterpKernel *self); /* nullable before the first start */
const char *interp_kernel_get_version (InterpKernel *self);     /* "3.13.5", nullable */
const char *interp_kernel_get_folder (InterpKernel *self);      /* its present working folder */
guint interp_kernel_get_generation (InterpKernel *self); /* counts starts: variables of an older generation are gone */

/* From the next run on. */
void interp_kernel_set_log_folder (InterpKernel *self, const char *log_dir);
/* From the next start on it runs inside @layer, which is inside those added before. */
void interp_kernel_add_layer (InterpKernel *self, InterpLaunchLayer layer, gpointer user_data, GDestroyNotify destroy);
/* From the next start on all that it starts has together at most so much memory, in bytes, where systemd can see to it;
 * 0: no limit. */
void interp_kernel_set_memory_max (InterpKernel *self, guint64 bytes);
/* Whether charts and the terminal's colours are light on dark. */
void interp_kernel_set_dark (InterpKernel *self, gboolean dark);

/* Starts it if it is not running; resolves to TRUE when it is ready. */
DexFuture *interp_kernel_start (InterpKernel *self);
/* Runs exactly @code (bytes as given, NUL-terminated). Starts or restarts the kernel when needed; waits for a run
 * before it. Resolves to an InterpRun once it has begun, or rejects with INTERP_KERNEL_ERROR. */
DexFuture *interp_kernel_execute (InterpKernel *self, const char *code);
/* Stops the running code: interrupt, again, terminate, kill, as far as needed. Resolves to TRUE when the run has
 * ended. */
DexFuture *interp_kernel_interrupt (InterpKernel *self);
/* Ends everything it started and starts a fresh one. */
DexFuture *interp_kernel_restart (InterpKernel *self);
/* Ends everything it started; resolves to TRUE when no process is left. */
DexFuture *interp_kernel_close (InterpKernel *self);
/* What was printed since the last run ended, at most 16 KB, and forgets it; nullable. */
char *interp_kernel_take_background_output (InterpKernel *self);
/* Closes it first. */
void interp_kernel_set_interpreter (InterpKernel *self, const char *path);

/* Interpreters found for @spec: [{path, title}], e.g. ".venv (Python 3.13.5)", "System": GListModel of
 * InterpInterpreter */
#define INTERP_TYPE_INTERPRETER (interp_interpreter_get_type ())
G_DECLARE_FINAL_TYPE (InterpInterpreter, interp_interpreter, INTERP, INTERPRETER, GObject)
const char *interp_interpreter_get_path (InterpInterpreter *self);
const char *interp_interpreter_get_title (InterpInterpreter *self);
gboolean
interp_interpreter_is_own (InterpInterpreter *self); /* the venv we may make after consent; may not exist yet */
/* Resolves to a GListModel of InterpInterpreter; looks at the folder and PATH on a worker. */
DexFuture *interp_kernel_find_interpreters (InterpKernelSpec *spec, const char *folder);
/* The shell command that installs @module for @interpreter (pip of that environment; a system's Python is left alone:
 * the own venv, made first where it is not there yet, gets it), to be approved and run in the shell kernel like any
 * code; NULL when unknown. @module NULL: the command that makes the own venv; NULL when there is none to make. */
char *interp_kernel_install_command (InterpKernelSpec *spec, const char *interpreter, const char *module);
/* The interpreter that has the module after that command: @interpreter, or the own venv's. */
char *interp_kernel_install_target (InterpKernelSpec *spec, const char *interpreter);

G_END_DECLS
