/* interp-approval-panel.h: the question itself: what would run, where, why it is asked, and the answers
 *
 * Stands in the dialog and in the waiting cell.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <adwaita.h>

#include "session/interp-session.h"

G_BEGIN_DECLS

#define INTERP_TYPE_APPROVAL_PANEL (interp_approval_panel_get_type ())
G_DECLARE_FINAL_TYPE (InterpApprovalPanel, interp_approval_panel, INTERP, APPROVAL_PANEL, AdwBreakpointBin)

/* Signal "answered": the cell waits no more (answered here or elsewhere). */
InterpApprovalPanel *interp_approval_panel_new (InterpSession *session, InterpCell *cell);
/* Neutral: on the code, where Enter runs nothing. */
void interp_approval_panel_focus_code (InterpApprovalPanel *self);

G_END_DECLS
