/* interp-pull-row.h: one model that is being got: in all and by layer
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <adwaita.h>

#include "llm/interp-models.h"

G_BEGIN_DECLS

#define INTERP_TYPE_PULL_ROW (interp_pull_row_get_type ())
G_DECLARE_FINAL_TYPE (InterpPullRow, interp_pull_row, INTERP, PULL_ROW, AdwPreferencesRow)

GtkWidget *interp_pull_row_new (InterpModels *models, InterpOllamaPull *pull);

G_END_DECLS
