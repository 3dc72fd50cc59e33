/* interp-safe-change.h: changes that end a chat's kernels, after asking
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <adwaita.h>

#include "session/interp-session.h"

G_BEGIN_DECLS

/* @argument: what was given with it, nullable. */
typedef void (*InterpSafeChange) (InterpSession *session, const char *argument);

/* Makes @change, at once where no kernel of the chat lives, else when the user agrees that variables go. */
void interp_safe_change_make (GtkWidget *parent, InterpSession *session, InterpSafeChange change, const char *argument);

G_END_DECLS
