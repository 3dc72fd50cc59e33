/* interp-gate.h: one fiber inside at a time, in order of arrival
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <libdex.h>

G_BEGIN_DECLS

typedef struct _InterpGate InterpGate;

InterpGate *interp_gate_new (void);
InterpGate *interp_gate_ref (InterpGate *self);
void interp_gate_unref (InterpGate *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpGate, interp_gate_unref)

/* In a fiber: waits for its turn. FALSE (not inside) when @stop, nullable and borrowed, is settled first. */
gboolean interp_gate_enter (InterpGate *self, DexFuture *stop);
void interp_gate_leave (InterpGate *self);
gboolean interp_gate_is_taken (InterpGate *self);

/* @future (taken) for those who only want to know when it is settled. A fiber whose future loses a race is cancelled
 * and can await nothing more; this may lose. Resolves to TRUE, either way. */
DexFuture *interp_shield (DexFuture *future);
/* In a fiber: waits until one of these (borrowed, nullable) is settled, either way. Fibers are shielded first. */
void interp_wait_any (DexFuture *a, DexFuture *b, DexFuture *c);
/* A promise resolves once; later calls do nothing. */
void interp_promise_settle (DexPromise *promise);

G_END_DECLS
