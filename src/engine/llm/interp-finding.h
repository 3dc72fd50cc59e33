/* interp-finding.h: keeping the list of what can be used
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "llm/interp-models.h"

G_BEGIN_DECLS

/* Adds, changes or removes the entry of @provider by what is known of it now. */
void interp_finding_update (InterpModels *models, InterpProvider *provider);
/* The same; it answered, and this is what it said. */
void interp_finding_update_with_error (InterpModels *models, InterpProvider *provider, const GError *error);
/* Removes the entry of @provider, if there is one. */
void interp_finding_remove (InterpModels *models, InterpProvider *provider);

G_END_DECLS
