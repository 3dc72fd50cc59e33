/* interp-model-dialog.h: one answer once more, by another model
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <adwaita.h>

#include "session/interp-engine.h"

G_BEGIN_DECLS

/* The models that can answer now; the chosen one tries @item again. */
AdwDialog *interp_model_dialog_new (InterpEngine *engine, InterpSession *session, InterpItem *item);

G_END_DECLS
