/* interp-terminal-chat.h: the conversation in a terminal
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "interp-command-line.h"
#include "session/interp-engine.h"

G_BEGIN_DECLS

/* Chats on standard input and output until the user leaves. @engine has started. @session: a kept
 * conversation to go on with, nullable. Runs a main loop; the exit status. */
int interp_terminal_chat_run (InterpEngine *engine, const InterpCommandLine *command_line, InterpSession *session);

G_END_DECLS
