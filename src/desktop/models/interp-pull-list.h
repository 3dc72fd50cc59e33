/* interp-pull-list.h: models that are being got, with how far each is
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <adwaita.h>

#include "llm/interp-models.h"

G_BEGIN_DECLS

/* A list box that is seen while there is something in it. */
GtkWidget *interp_pull_list_new (InterpModels *models);

G_END_DECLS
