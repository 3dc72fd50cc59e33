/* interp-safe-button.h: safe mode in the header: whether, with which folders, with the network or not
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <adwaita.h>

#include "session/interp-session.h"

G_BEGIN_DECLS

#define INTERP_TYPE_SAFE_BUTTON (interp_safe_button_get_type ())
G_DECLARE_FINAL_TYPE (InterpSafeButton, interp_safe_button, INTERP, SAFE_BUTTON, AdwBin)

void interp_safe_button_set_session (InterpSafeButton *self, InterpSession *session);
/* Its word is left away. */
void interp_safe_button_set_narrow (InterpSafeButton *self, gboolean narrow);

G_END_DECLS
