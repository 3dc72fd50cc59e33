/* interp-call-recovery.h: finds printed tool calls in streaming text
 *
 * Text that may be a call is held back until it can be told; what is none comes out as text, unchanged.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "llm/interp-text-calls.h"

G_BEGIN_DECLS

/* Either @text or @calls (GPtrArray of InterpCall). */
typedef void (*InterpRecoverySink) (const char *text, GPtrArray *calls, gpointer data);

typedef struct _InterpCallRecovery InterpCallRecovery;

InterpCallRecovery *interp_call_recovery_new (InterpOffer *offer, InterpRecoverySink sink, gpointer sink_data);
void interp_call_recovery_free (InterpCallRecovery *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpCallRecovery, interp_call_recovery_free)

void interp_call_recovery_push (InterpCallRecovery *self, const char *text);
/* @whole: the answer came to its own end; else what is held is never taken for a call. */
void interp_call_recovery_finish (InterpCallRecovery *self, gboolean whole);
/* All text so far was something else: the answer begins here. */
void interp_call_recovery_restart (InterpCallRecovery *self);

G_END_DECLS
