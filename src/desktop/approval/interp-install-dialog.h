/* interp-install-dialog.h: "Install pandas?"
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <adwaita.h>

#include "session/interp-session.h"

G_BEGIN_DECLS

/* Can Interpreter say how to install what @cell lacked? */
gboolean interp_install_dialog_is_possible (InterpSession *session, InterpCell *cell);

/* Shows the literal command; when the user agrees it runs in the chat's shell kernel as the user's own code. */
void interp_install_dialog_present (GtkWidget *parent, InterpSession *session, InterpCell *cell);

G_END_DECLS
