/* interp-local-models.h: the models that Ollama keeps: get one, see what is in memory, delete one
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <adwaita.h>

#include "session/interp-engine.h"

G_BEGIN_DECLS

#define INTERP_TYPE_LOCAL_MODELS (interp_local_models_get_type ())
G_DECLARE_FINAL_TYPE (InterpLocalModels, interp_local_models, INTERP, LOCAL_MODELS, AdwDialog)

AdwDialog *interp_local_models_new (InterpEngine *engine);

G_END_DECLS
