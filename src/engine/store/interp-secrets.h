/* interp-secrets.h: API keys in the Secret Service
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <libdex.h>

G_BEGIN_DECLS

/* Resolves to the key (string) or NULL when there is none; rejects when there is no service or it is locked
 * and may not be unlocked without a prompt (@allow_prompt). @account: provider id, or base URL of an own
 * address. */
DexFuture *interp_secrets_lookup (const char *account, gboolean allow_prompt);
/* Resolves to TRUE; rejects where it cannot be kept. */
DexFuture *interp_secrets_store (const char *account, const char *label, const char *secret);
DexFuture *interp_secrets_clear (const char *account);

/* Why the keyring could not be used: a sentence. */
const char *interp_secrets_describe_failure (const GError *error);

G_END_DECLS
