/* interp-terminal-pane.h: the terminals of the chat in view, one tab a kernel
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <adwaita.h>

#include "session/interp-session.h"

G_BEGIN_DECLS

#define INTERP_TYPE_TERMINAL_PANE (interp_terminal_pane_get_type ())
G_DECLARE_FINAL_TYPE (InterpTerminalPane, interp_terminal_pane, INTERP, TERMINAL_PANE, AdwBin)

/* Property "session" (InterpSession, nullable). */
GtkWidget *interp_terminal_pane_new (void);
void interp_terminal_pane_show_kernel (InterpTerminalPane *self, InterpKernel *kernel);
/* Shows terminal @number, from 0; FALSE when there is none. */
gboolean interp_terminal_pane_show_number (InterpTerminalPane *self, guint number);
void interp_terminal_pane_grab_focus (InterpTerminalPane *self);

G_END_DECLS
