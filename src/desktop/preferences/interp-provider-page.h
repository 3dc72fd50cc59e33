/* interp-provider-page.h: a provider's key in the preferences
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <adwaita.h>

#include "llm/interp-models.h"

G_BEGIN_DECLS

#define INTERP_TYPE_PROVIDER_PAGE (interp_provider_page_get_type ())
G_DECLARE_FINAL_TYPE (InterpProviderPage, interp_provider_page, INTERP, PROVIDER_PAGE, AdwNavigationPage)

/* @provider: NULL for an address that is typed there. Signal "changed" (no arguments): the key is another. */
AdwNavigationPage *interp_provider_page_new (InterpModels *models, InterpProvider *provider);

/* Where a provider's key is: "Key in the keyring". */
char *interp_provider_page_describe_key (InterpProvider *provider);

G_END_DECLS
