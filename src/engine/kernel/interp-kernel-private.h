/* interp-kernel-private.h: a kernel's inside, for the files that make it up
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <termios.h>

#include <json-glib/json-glib.h>

#include "kernel/interp-artifacts.h"
#include "kernel/interp-execution.h"
#include "kernel/interp-kernel-instance.h"
#include "kernel/interp-kernel.h"

G_BEGIN_DECLS

typedef struct
{
  InterpLaunchLayer layer;
  gpointer user_data;
  GDestroyNotify destroy;
} InterpKernelLayer;

struct _InterpKernel
{
  GObject parent_instance;

  InterpKernelSpec *spec;
  char *start_folder;
  char *folder;
  GStrv env; /* nullable */
  char *log_dir;
  GPtrArray *layers; /* of InterpKernelLayer */
  guint64 memory_max;
  InterpPty *pty;
  gboolean dark;

  InterpKernelState state;
  InterpWaiting waiting;
  guint generation;
  guint64 last_id;
  guint epoch; /* counts what makes queued executions void */
  char *interpreter;
  gboolean interpreter_is_chosen;
  char *version;

  InterpKernelInstance *instance; /* NULL when it does not run */
  DexFuture *ended;               /* the end of the one before, to be waited for */
  DexPromise *ready;              /* while starting */
  InterpExecution *execution;
  InterpArtifacts *artifacts; /* the pictures in the folder after the last run */
  struct termios modes;       /* as the harness keeps the terminal */
  gboolean has_modes;
  int configured_columns;
  gboolean configured_dark;

  GString *words; /* what it said while starting */
  GString *background;
  gboolean has_new_background;
  guint silent;

  DexFuture *turn; /* the last in the queue */
};

/* interp-kernel.c */
void interp_kernel_set_state (InterpKernel *self, InterpKernelState state);
void interp_kernel_set_waiting (InterpKernel *self, InterpWaiting waiting);
/* What the harness says: InterpKernelEventFunc. */
void interp_kernel_handle_event (JsonNode *event, gpointer user_data);
/* Lets go of what runs: nothing of it is listened to, all of it is ended. */
void interp_kernel_release (InterpKernel *self);
/* Its process lives, but its harness does not: the code closed its channels, or became another program. */
void interp_kernel_lose_silent (InterpKernel *self);
/* Notices when the interpreter that now runs ends. */
void interp_kernel_watch_end (InterpKernel *self);

G_END_DECLS
