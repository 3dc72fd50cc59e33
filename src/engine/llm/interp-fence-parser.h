/* interp-fence-parser.h: fenced blocks as calls
 *
 * For models without tool calling. Fences as in CommonMark 0.31, "Fenced code blocks", with what models do to them:
 * indented in lists, the language on the next line, blocks that quote fences. Lines only: three backticks within a line
 * are no fence.
 *
 * A block of a language that can run is a call; one without a language is a call whose language is NULL, for the user
 * to choose; all others are text and stay as they were written.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "llm/interp-codec.h"
#include "llm/interp-run-code.h"

G_BEGIN_DECLS

typedef struct _InterpFenceParser InterpFenceParser;

/* Gives out TEXT and CALL_… events; their index counts from 0. */
InterpFenceParser *interp_fence_parser_new (InterpOffer *offer, InterpEventSink sink, gpointer sink_data);
void interp_fence_parser_free (InterpFenceParser *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpFenceParser, interp_fence_parser_free)

/* Cut anywhere. */
void interp_fence_parser_push (InterpFenceParser *self, const char *text);

/* @fault: why a block that is still open must not run (nullable: it is taken to be closed). */
void interp_fence_parser_finish (InterpFenceParser *self, const char *fault);

/* How many calls were given out that name a language. */
guint interp_fence_parser_get_n_calls (InterpFenceParser *self);

G_END_DECLS
