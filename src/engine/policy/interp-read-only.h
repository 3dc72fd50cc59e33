/* interp-read-only.h: which commands are known to do nothing but read
 *
 * The list is data (policy/read-only.rules). Whatever is not on it, an option that is not named there included, is not
 * known to. It holds for a clean shell whose PATH has the system's programs only; elsewhere "ls" may be anything.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "policy/interp-shell-tree.h"

G_BEGIN_DECLS

/* @reason (nullable): why it is not known to, a translated sentence, to be freed. */
gboolean interp_read_only_check (InterpSimpleCommand *command, char **reason);

G_END_DECLS
