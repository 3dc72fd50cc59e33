/* interp-terminal-scanner.h: what a terminal's bytes ask of the terminal
 *
 * Follows control sequences (ECMA-48; xterm's "ctlseqs") far enough to know which modes the code left behind, whether
 * it uses the alternate screen, what progress it reports (OSC 9;4) and which questions it asks. Bytes may come in any
 * pieces; memory is bounded.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef void (*InterpTerminalAnswerFunc) (const char *bytes, gsize length, gpointer user_data);

typedef struct _InterpTerminalScanner InterpTerminalScanner;

/* @answer: what a terminal would send back, where nobody else does. */
InterpTerminalScanner *interp_terminal_scanner_new (InterpTerminalAnswerFunc answer, gpointer user_data);
void interp_terminal_scanner_free (InterpTerminalScanner *self);
void interp_terminal_scanner_set_answering (InterpTerminalScanner *self, gboolean answering);
void interp_terminal_scanner_set_size (InterpTerminalScanner *self, int columns, int rows);
void interp_terminal_scanner_set_dark (InterpTerminalScanner *self, gboolean dark);
void interp_terminal_scanner_feed (InterpTerminalScanner *self, const char *bytes, gsize length);

gboolean interp_terminal_scanner_is_full_screen (InterpTerminalScanner *self);
/* 0 to 1; below 0 when none is reported. */
double interp_terminal_scanner_get_progress (InterpTerminalScanner *self);
/* The sequences that bring the terminal back to how a new one is, or NULL when nothing was changed; and takes them as
 * sent. */
const char *interp_terminal_scanner_take_reset (InterpTerminalScanner *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpTerminalScanner, interp_terminal_scanner_free)

G_END_DECLS
