/* interp-preferences.h: the preferences dialog
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <adwaita.h>

#include "session/interp-engine.h"

G_BEGIN_DECLS

#define INTERP_TYPE_PREFERENCES (interp_preferences_get_type ())
G_DECLARE_FINAL_TYPE (InterpPreferences, interp_preferences, INTERP, PREFERENCES, AdwPreferencesDialog)

AdwDialog *interp_preferences_new (InterpEngine *engine);
/* Opens the page of @provider, where its key is typed. */
void interp_preferences_show_provider (InterpPreferences *self, InterpProvider *provider);

G_END_DECLS
