/* interp-model-button.h: which model answers, and where it is
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <adwaita.h>

#include "session/interp-engine.h"

G_BEGIN_DECLS

#define INTERP_TYPE_MODEL_BUTTON (interp_model_button_get_type ())
G_DECLARE_FINAL_TYPE (InterpModelButton, interp_model_button, INTERP, MODEL_BUTTON, AdwBin)

/* Properties "engine" (InterpEngine) and "session" (InterpSession), both nullable. */
GtkWidget *interp_model_button_new (void);
/* Opens the list. */
void interp_model_button_popup (InterpModelButton *self);

G_END_DECLS
