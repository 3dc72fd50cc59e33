/* interp-composer.h: where the user writes
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <adwaita.h>

#include "session/interp-engine.h"

G_BEGIN_DECLS

#define INTERP_TYPE_COMPOSER (interp_composer_get_type ())
G_DECLARE_FINAL_TYPE (InterpComposer, interp_composer, INTERP, COMPOSER, AdwBin)

/* Signal "command" (InterpSlash as int, const char *argument or NULL). */
GtkWidget *interp_composer_new (void);
void interp_composer_set_engine (InterpComposer *self, InterpEngine *engine);
void interp_composer_set_session (InterpComposer *self, InterpSession *session);

/* Little room: what an icon can say is not said in words too. */
void interp_composer_set_narrow (InterpComposer *self, gboolean narrow);

/* Puts @text in place of what is written and the focus at its end. */
void interp_composer_set_text (InterpComposer *self, const char *text);
void interp_composer_popup_model (InterpComposer *self);
/* @paths: NULL-terminated. */
void interp_composer_attach (InterpComposer *self, const char *const *paths);

G_END_DECLS
