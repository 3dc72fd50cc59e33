/* interp-blocked-row.h: what the sandbox has kept from a cell, and what to do about it
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <adwaita.h>

#include "session/interp-session.h"

G_BEGIN_DECLS

#define INTERP_TYPE_BLOCKED_ROW (interp_blocked_row_get_type ())
G_DECLARE_FINAL_TYPE (InterpBlockedRow, interp_blocked_row, INTERP, BLOCKED_ROW, AdwBin)

/* Shows itself when something was kept from @cell. */
void interp_blocked_row_update (InterpBlockedRow *self, InterpSession *session, InterpCell *cell);

G_END_DECLS
