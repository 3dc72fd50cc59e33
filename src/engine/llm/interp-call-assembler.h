/* interp-call-assembler.h: tool calls from their pieces
 *
 * Servers cut calls in many ways: whole or in deltas, with or without index and id, ids repeated, names repeated or
 * cut, arguments as text, as an object, before the name or sent twice. The assembler brings all of them to CALL_BEGIN,
 * CALL_PROGRESS and CALL_END events.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "llm/interp-codec.h"
#include "llm/interp-run-code.h"

G_BEGIN_DECLS

typedef struct _InterpCallAssembler InterpCallAssembler;

InterpCallAssembler *interp_call_assembler_new (InterpOffer *offer, InterpEventSink sink, gpointer sink_data);
void interp_call_assembler_free (InterpCallAssembler *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpCallAssembler, interp_call_assembler_free)

/* One piece. @index: −1 when the server gives none. @arguments: a JSON string or object node, nullable.
 * Returns the number of the call it belongs to, −1 when it was dropped. */
int interp_call_assembler_push (InterpCallAssembler *self, gint64 index, const char *id, const char *name,
                                JsonNode *arguments);

/* Gives out CALL_PROGRESS for what grew since the last time: once for each read is enough. */
void interp_call_assembler_flush (InterpCallAssembler *self);

guint interp_call_assembler_get_n_calls (InterpCallAssembler *self);
const char *interp_call_assembler_get_id (InterpCallAssembler *self, guint number);

/* Gives out CALL_END for every call. With @cut (the answer reached its limit) the last ones get a fault unless they are
 * whole. Returns how many there were. */
guint interp_call_assembler_finish (InterpCallAssembler *self, gboolean cut);

G_END_DECLS
