/* interp-replay.h: an assistant's turn the way its provider wants it back
 *
 * Some APIs want what a model thought, and signatures of it, back in the place where it stood between text and calls.
 * Their decoders record an answer as entries in order:
 *
 *   {"text": …, more…}    text; more members are the codec's own
 *   {"call": id, more…}   a call
 *   {"own": …}            what is neither
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "llm/interp-codec.h"

G_BEGIN_DECLS

typedef struct
{
  JsonNode *entry; /* as recorded, nullable */
  char *text;      /* of a text */
  InterpCall *call;
} InterpReplayStep;

/* GPtrArray of InterpReplayStep: @message in order. Where it is not what was recorded any more, or nothing may go back
 * to @context, what is of its own comes first, then text, then calls. @exact (nullable): it is in the order recorded.
 */
GPtrArray *interp_replay_plan (InterpCodecContext *context, InterpMessage *message, gboolean *exact);

/* What to record of @entries, or NULL when there is nothing in it that the message does not say. Takes @entries
 * (nullable). */
JsonNode *interp_replay_record (JsonNode *entries);

/* What a message keeps for @context, or NULL. Transfer full. */
JsonNode *interp_replay_parse (InterpCodecContext *context, InterpMessage *message);

G_END_DECLS
