/* interp-question.h: may this run?, asked in the terminal
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <libdex.h>

#include "interp-tty.h"
#include "session/interp-session.h"

G_BEGIN_DECLS

/* The code of @cell stands on the screen. Shows what there is to know about it, asks, and gives the session
 * the answer. Resolves to TRUE when the cell does not wait any more. Ctrl+C (interp_prompt_cancel ()) stops
 * the turn. */
DexFuture *interp_question_ask (InterpTty *tty, InterpSession *session, InterpCell *cell);
/* An editor has the terminal: Ctrl+C is its. */
gboolean interp_question_is_editing (void);

G_END_DECLS
