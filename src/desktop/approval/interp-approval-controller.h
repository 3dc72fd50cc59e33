/* interp-approval-controller.h: when the approval dialog opens
 *
 * For the chat in view, oldest question first, one at a time, once the user has not typed for a second. A dialog that
 * was closed without an answer does not come back by itself.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <adwaita.h>

#include "session/interp-session.h"

G_BEGIN_DECLS

#define INTERP_TYPE_APPROVAL_CONTROLLER (interp_approval_controller_get_type ())
G_DECLARE_FINAL_TYPE (InterpApprovalController, interp_approval_controller, INTERP, APPROVAL_CONTROLLER, GObject)

/* Property "session" (nullable). Signal "show-cell" (InterpCell): the question is answered in the transcript. @window
 * is not kept alive. */
InterpApprovalController *interp_approval_controller_new (GtkWidget *window);
/* The user asks for it (a notification, the banner): opens now even when it was closed before. */
void interp_approval_controller_open (InterpApprovalController *self);
/* Are questions of the chat in view answered in the transcript? */
gboolean interp_approval_controller_is_in_chat (InterpApprovalController *self);

G_END_DECLS
