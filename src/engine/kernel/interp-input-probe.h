/* interp-input-probe.h: whether a process waits for the keyboard
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <libdex.h>

G_BEGIN_DECLS

/* Resolves to TRUE when @root or a process below it that belongs to the process group @foreground sleeps in a read of a
 * terminal, as /proc tells; to FALSE when none does or it cannot be known. With @any_sleep a process that sleeps at all
 * is enough (the terminal passes single keys: who waits for those does so in poll () or select ()), provided that every
 * one of the group sleeps. */
DexFuture *interp_input_probe (int root, int foreground, gboolean any_sleep);

G_END_DECLS
