/* interp-cell-words.h: a cell's state in words, icons and styles
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "session/interp-item.h"

G_BEGIN_DECLS

char *interp_cell_words_state (InterpCell *cell); /* "Done in 0.4 s" */
/* NULL: a spinner instead. */
const char *interp_cell_words_icon (InterpCellState state);
const char *interp_cell_words_style (InterpCellState state); /* a CSS class */
/* What running code waits for, as a sentence; nullable. */
char *interp_cell_words_waiting (InterpCell *cell);

G_END_DECLS
