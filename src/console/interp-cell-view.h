/* interp-cell-view.h: one cell in the terminal: its code, what it prints, what became of it
 *
 * While it runs, what the kernel's terminal prints passes straight to the user's, and what the user types
 * goes to the kernel.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "interp-tty.h"
#include "session/interp-session.h"

G_BEGIN_DECLS

typedef struct _InterpCellView InterpCellView;

/* @mark_line: say which line runs. @number: of the cell in the conversation, from 1. */
InterpCellView *interp_cell_view_new (InterpTty *tty, InterpSession *session, InterpCell *cell, guint number,
                                      gboolean mark_line);
void interp_cell_view_free (InterpCellView *self);
/* Prints what is new. TRUE when the cell has ended and everything is printed. */
gboolean interp_cell_view_update (InterpCellView *self);
/* All code stands on the screen and it waits for an answer. */
gboolean interp_cell_view_is_waiting (InterpCellView *self);
void interp_cell_view_resize (InterpCellView *self);

/* Watches a kernel's terminal from its first byte on. Kernels that print while nothing runs print above the
 * prompt. */
typedef struct _InterpKernelTap InterpKernelTap;
InterpKernelTap *interp_kernel_tap_new (InterpTty *tty, InterpKernel *kernel);
void interp_kernel_tap_free (InterpKernelTap *self);

/* Code as it is shown everywhere: numbered, coloured. */
void interp_cell_view_print_code (InterpTty *tty, InterpKernelSpec *spec, const char *code);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpCellView, interp_cell_view_free)

G_END_DECLS
