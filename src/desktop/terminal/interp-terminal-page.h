/* interp-terminal-page.h: one kernel's terminal with its banners, search and entry
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <adwaita.h>

#include "base/interp-settings.h"
#include "session/interp-session.h"

G_BEGIN_DECLS

#define INTERP_TYPE_TERMINAL_PAGE (interp_terminal_page_get_type ())
G_DECLARE_FINAL_TYPE (InterpTerminalPage, interp_terminal_page, INTERP, TERMINAL_PAGE, AdwBin)

InterpTerminalPage *interp_terminal_page_new (InterpSession *session, InterpKernel *kernel, InterpSettings *settings);
InterpKernel *interp_terminal_page_get_kernel (InterpTerminalPage *self);
/* To the terminal while code runs, else to the entry. */
void interp_terminal_page_focus (InterpTerminalPage *self);
void interp_terminal_page_begin_search (InterpTerminalPage *self);
/* Activates the terminal's action of that name: "terminals.clear" → "terminal.clear". */
void interp_terminal_page_activate (InterpTerminalPage *self, const char *action);
/* Writes what the terminal shows and remembers, as text. */
void interp_terminal_page_save (InterpTerminalPage *self, GFile *file);
/* The terminal comes into view: it takes the size. */
void interp_terminal_page_shown (InterpTerminalPage *self);

G_END_DECLS
