/* interp-approval-bar.h: the question inside the waiting cell
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <adwaita.h>

#include "session/interp-session.h"

G_BEGIN_DECLS

/* The panel, to stand in place of the cell's code while the cell waits. */
GtkWidget *interp_approval_bar_new (InterpSession *session, InterpCell *cell);

G_END_DECLS
