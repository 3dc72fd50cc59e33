/* interp-history.h: a conversation made fit to be sent
 *
 * What holds for every codec: each call has exactly one result, in order, right after it; nothing empty; arguments are
 * a JSON object; where no tools are offered, calls are fenced blocks and results are the user's words.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "llm/interp-message.h"

G_BEGIN_DECLS

/* GPtrArray of InterpMessage. Does not change @request. */
GPtrArray *interp_history_prepare (InterpRequest *request);

/* The arguments of @call as a JSON object; transfer full. */
JsonNode *interp_history_get_arguments (InterpCall *call);

G_END_DECLS
