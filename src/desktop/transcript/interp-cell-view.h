/* interp-cell-view.h: a run as a card: code, state, what it gave
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "transcript/interp-item-view.h"

G_BEGIN_DECLS

#define INTERP_TYPE_CELL_VIEW (interp_cell_view_get_type ())
G_DECLARE_FINAL_TYPE (InterpCellView, interp_cell_view, INTERP, CELL_VIEW, InterpItemView)

G_END_DECLS
