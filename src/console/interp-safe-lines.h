/* interp-safe-lines.h: safe mode, said in a terminal
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "interp-tty.h"
#include "session/interp-session.h"

G_BEGIN_DECLS

/* What the chat's code can reach, in a line; and why it cannot run, where that is known. */
void interp_safe_lines_print (InterpTty *tty, InterpSession *session);

/* How folders that @text names and the sandbox lacks are given. */
void interp_safe_lines_print_named (InterpTty *tty, InterpSession *session, const char *text);

/* What the sandbox has kept from @cell and how to allow it, lines with their ends; NULL when nothing. */
char *interp_safe_lines_describe_blocked (InterpCell *cell);

G_END_DECLS
