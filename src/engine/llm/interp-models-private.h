/* interp-models-private.h: what finding a model by name needs of the catalogue
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "llm/interp-models.h"
#include "llm/interp-provider-private.h"

G_BEGIN_DECLS

/* Keys and addresses from variables; @environment is only read. */
void interp_models_read_environment (InterpModels *self, const char *const *environment);
/* Resolves when environment and keyring have been asked for @provider's key. */
DexFuture *interp_models_load_key (InterpModels *self, InterpProvider *provider);
InterpProvider *interp_models_add_profile (InterpModels *self, InterpProfile *profile);

/* How well model name @candidate is meant by @wanted: 0 not at all, 100 exactly. */
int interp_models_match (const char *candidate, const char *wanted);

G_END_DECLS
