/* interp-learnt.h: what models refused, from one run to the next
 *
 * A file in the cache folder: one group for a model at an address, with the quirks that being refused has taught. What
 * was learnt is believed for thirty days, since servers change. Main thread only.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "llm/interp-profile.h"

G_BEGIN_DECLS

InterpQuirks interp_learnt_lookup (const char *base_url, const char *model);
/* Adds @quirks and writes them down, in its own time; that this may fail harms nobody. */
void interp_learnt_add (const char *base_url, const char *model, InterpQuirks quirks);

/* For tests: reads the file again, as another run would. */
void interp_learnt_reload (void);

G_END_DECLS
