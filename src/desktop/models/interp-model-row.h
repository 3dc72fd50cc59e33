/* interp-model-row.h: one model to choose: what it can do, where it is, and its star
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <adwaita.h>

#include "base/interp-settings.h"
#include "llm/interp-provider.h"

G_BEGIN_DECLS

#define INTERP_TYPE_MODEL_ROW (interp_model_row_get_type ())
G_DECLARE_FINAL_TYPE (InterpModelRow, interp_model_row, INTERP, MODEL_ROW, AdwActionRow)

/* @chosen: it is the one that answers now. The star is kept in @settings. */
GtkWidget *interp_model_row_new (InterpModel *model, InterpSettings *settings, gboolean chosen);
InterpModel *interp_model_row_get_model (InterpModelRow *self);

G_END_DECLS
