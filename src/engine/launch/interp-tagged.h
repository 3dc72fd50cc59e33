/* interp-tagged.h: processes found by a variable in their environment
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <libdex.h>

G_BEGIN_DECLS

/* Kills every process of this user whose environment has @tag ("NAME=VALUE"), and what they start meanwhile.
 * Best effort: code can clear its environment. Resolves to how many there were (int). */
DexFuture *interp_tagged_kill (const char *tag);

G_END_DECLS
