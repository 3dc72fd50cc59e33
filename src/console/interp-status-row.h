/* interp-status-row.h: the last row of the terminal, kept free while code runs
 *
 * Says which line runs. What the code prints is passed to the rows above it as it is; the row is drawn only
 * between whole escape sequences and characters, and not while the code shows a full screen of its own.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "interp-tty.h"

G_BEGIN_DECLS

typedef struct _InterpStatusRow InterpStatusRow;

/* @enabled FALSE: bytes are passed, nothing is kept free. */
InterpStatusRow *interp_status_row_new (InterpTty *tty, gboolean enabled);
/* Gives the row back. */
void interp_status_row_free (InterpStatusRow *self);
void interp_status_row_set_text (InterpStatusRow *self, const char *text);
/* What running code printed. */
void interp_status_row_feed (InterpStatusRow *self, const char *bytes, gsize length);
/* The size running code is told. */
void interp_status_row_get_size (InterpStatusRow *self, int *columns, int *rows);
/* The window's size changed. */
void interp_status_row_resize (InterpStatusRow *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpStatusRow, interp_status_row_free)

G_END_DECLS
