/* interp-terminal-watch.h: what running code waits for
 *
 * Looks at the terminal's modes, the screen in use, the harness's word and, when nothing has come for a while, at the
 * processes in the foreground. There is no notification for a change of modes, so it looks ten times a second, and only
 * while something runs.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "kernel/interp-kernel.h"

G_BEGIN_DECLS

typedef void (*InterpTerminalWatchFunc) (InterpWaiting waiting, gpointer user_data);

#define INTERP_TYPE_TERMINAL_WATCH (interp_terminal_watch_get_type ())
G_DECLARE_FINAL_TYPE (InterpTerminalWatch, interp_terminal_watch, INTERP, TERMINAL_WATCH, GObject)

/* @pid: the interpreter, whose processes are looked at. @changed is called from the main loop. */
InterpTerminalWatch *interp_terminal_watch_new (InterpPty *pty, int pid, InterpTerminalWatchFunc changed,
                                                gpointer user_data);
/* No more calls. */
void interp_terminal_watch_stop (InterpTerminalWatch *self);
/* Bytes came. */
void interp_terminal_watch_note_output (InterpTerminalWatch *self);
/* The harness says that the code asks for a line, or that it got it. */
void interp_terminal_watch_set_asked (InterpTerminalWatch *self, gboolean asked, gboolean password);

G_END_DECLS
