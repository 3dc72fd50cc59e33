/* interp-greeting.h: the first page: what was found that can answer
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <adwaita.h>

#include "session/interp-engine.h"

G_BEGIN_DECLS

#define INTERP_TYPE_GREETING (interp_greeting_get_type ())
G_DECLARE_FINAL_TYPE (InterpGreeting, interp_greeting, INTERP, GREETING, AdwBin)

/* Signal "model-chosen" (InterpModel). Looks for models when it is first shown, and again every few seconds while it is
 * shown and nothing was found. */
GtkWidget *interp_greeting_new (InterpEngine *engine);

G_END_DECLS
