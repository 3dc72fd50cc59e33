/* interp-terminal-view.h: VTE as a view on a kernel's terminal
 *
 * The engine owns the PTY; this widget only shows what it is fed and sends back what is typed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <vte/vte.h>

#include "base/interp-settings.h"
#include "kernel/interp-pty.h"

G_BEGIN_DECLS

#define INTERP_TYPE_TERMINAL_VIEW (interp_terminal_view_get_type ())
G_DECLARE_FINAL_TYPE (InterpTerminalView, interp_terminal_view, INTERP, TERMINAL_VIEW, VteTerminal)

/* Signal "typed-while-idle" (const char *): text typed while input is off. */

/* @settings (nullable) keeps the zoom ("terminal-scale"). */
InterpTerminalView *interp_terminal_view_new (InterpPty *pty, InterpSettings *settings);

/* Does running code read what is typed? While FALSE, printable keys are given to "typed-while-idle". */
void interp_terminal_view_set_live (InterpTerminalView *self, gboolean live);

/* Takes size and input: when its page is shown. */
void interp_terminal_view_claim (InterpTerminalView *self);

/* Selects the previous (or next) place where @text stands; FALSE when there is none. Empty text ends the search. */
gboolean interp_terminal_view_search (InterpTerminalView *self, const char *text, gboolean backwards);

/* Writes screen and scrollback as text to @file; a failure is told in a dialog. */
void interp_terminal_view_save (InterpTerminalView *self, GFile *file);

G_END_DECLS
