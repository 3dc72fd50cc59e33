/* interp-mode-button.h: what code may do without asking
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <adwaita.h>

#include "session/interp-session.h"

G_BEGIN_DECLS

#define INTERP_TYPE_MODE_BUTTON (interp_mode_button_get_type ())
G_DECLARE_FINAL_TYPE (InterpModeButton, interp_mode_button, INTERP, MODE_BUTTON, AdwBin)

void interp_mode_button_set_session (InterpModeButton *self, InterpSession *session);
/* Shows its icon only. */
void interp_mode_button_set_narrow (InterpModeButton *self, gboolean narrow);
/* Asks first when @mode lets code run unasked. */
void interp_mode_button_choose (InterpModeButton *self, InterpMode mode);

G_END_DECLS
