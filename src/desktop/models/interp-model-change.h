/* interp-model-change.h: another model for a chat
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <adwaita.h>

#include "session/interp-engine.h"

G_BEGIN_DECLS

/* Gives @session @model, and has @again (nullable) answered by it. A chat that has stayed on this computer is first
 * asked about, once, in a dialog over @parent. */
void interp_model_change (GtkWidget *parent, InterpEngine *engine, InterpSession *session, InterpModel *model,
                          InterpItem *again);

G_END_DECLS
