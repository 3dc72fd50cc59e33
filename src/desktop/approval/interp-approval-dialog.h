/* interp-approval-dialog.h: "Run Python Code?"
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <adwaita.h>

#include "session/interp-session.h"

G_BEGIN_DECLS

#define INTERP_TYPE_APPROVAL_DIALOG (interp_approval_dialog_get_type ())
G_DECLARE_FINAL_TYPE (InterpApprovalDialog, interp_approval_dialog, INTERP, APPROVAL_DIALOG, AdwDialog)

/* Closing it decides nothing. Signal "show-in-chat": the user wants to answer in the transcript from now on. */
AdwDialog *interp_approval_dialog_new (InterpSession *session, InterpCell *cell);
InterpCell *interp_approval_dialog_get_cell (InterpApprovalDialog *self);

G_END_DECLS
