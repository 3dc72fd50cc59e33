/* interp-kernel-instance.h: one start of a kernel
 *
 * Its processes, its request and event channels and its shared folder, from the start to the end of the interpreter. A
 * restart makes a new one on the same terminal.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "kernel/interp-kernel-channel.h"
#include "kernel/interp-kernel.h"
#include "launch/interp-launch.h"
#include "launch/interp-process.h"

G_BEGIN_DECLS

#define INTERP_TYPE_KERNEL_INSTANCE (interp_kernel_instance_get_type ())
G_DECLARE_FINAL_TYPE (InterpKernelInstance, interp_kernel_instance, INTERP, KERNEL_INSTANCE, GObject)

/* @env is cleaned. @launch: with the layers in which it runs, innermost last. @event gets what the harness says. */
InterpKernelInstance *interp_kernel_instance_new (InterpKernelSpec *spec, const char *interpreter, const char *folder,
                                                  const char *const *env, InterpLaunch *launch, InterpPty *pty,
                                                  InterpKernelEventFunc event, gpointer user_data);
/* Before it starts; bytes, 0: no limit. */
void interp_kernel_instance_set_memory_max (InterpKernelInstance *self, guint64 bytes);
/* No more events. */
void interp_kernel_instance_disconnect (InterpKernelInstance *self);

/* Resolves to TRUE when the interpreter runs (the harness says "ready" later); rejects with INTERP_KERNEL_ERROR. */
DexFuture *interp_kernel_instance_start (InterpKernelInstance *self);
/* Resolves to the exit status (int) when the interpreter has ended. */
DexFuture *interp_kernel_instance_wait (InterpKernelInstance *self);
/* Ends all that runs in it. Resolves to TRUE when nothing is left. */
DexFuture *interp_kernel_instance_close (InterpKernelInstance *self);

/* NULL before it was started. */
InterpProcess *interp_kernel_instance_get_process (InterpKernelInstance *self);
const char *interp_kernel_instance_get_spool (InterpKernelInstance *self);

/* Hands over the code; FALSE when it could not be written. */
gboolean interp_kernel_instance_execute (InterpKernelInstance *self, guint64 id, const char *code, GError **error);
void interp_kernel_instance_send (InterpKernelInstance *self, const char *request, guint64 id);
void interp_kernel_instance_configure (InterpKernelInstance *self, int columns, gboolean dark);
/* Handles the events that have come. */
void interp_kernel_instance_drain (InterpKernelInstance *self);

G_END_DECLS
