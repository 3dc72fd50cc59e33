/* interp-prompt.h: a line typed by the user, with editing and history, beside the main loop
 *
 * One question at a time. Lines pasted at once are one answer (bracketed paste). readline is process-wide, so
 * there is one prompt.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <libdex.h>

#include "interp-tty.h"

G_BEGIN_DECLS

/* @history_path (nullable): a file that keeps what was typed at prompts that ask for it. */
void interp_prompt_begin (InterpTty *tty, const char *history_path);
/* Takes a question back and writes the history. Later questions are taken back at once. */
void interp_prompt_end (void);

/* Asks. Resolves to what was typed (string, valid UTF-8), NULL at the end of input (Ctrl+D on an empty line);
 * rejects with G_IO_ERROR_CANCELLED when it is taken back. @style: SGR codes of @prompt. @remember: answers
 * are kept in the history. */
DexFuture *interp_prompt_ask (const char *prompt, const char *style, gboolean remember);
gboolean interp_prompt_is_asking (void);
gboolean interp_prompt_is_empty (void);
/* Takes the question back. What was typed so far stays on the screen. */
void interp_prompt_cancel (void);
/* The window's size changed. */
void interp_prompt_resize (void);
/* Around something written while a question stands. */
void interp_prompt_hide (void);
void interp_prompt_show (void);

G_END_DECLS
