/* interp-sandbox-private.h: what the sandbox's parts share
 *
 * interp-sandbox.c             what is in it, and the command
 * interp-sandbox-environment.c its variables and the user's name for git
 * interp-sandbox-probe.c       whether it can be made here
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "launch/interp-sandbox.h"

G_BEGIN_DECLS

/* Bubblewrap's path; the system's own first: profiles that let it work are bound to that path. */
char *interp_sandbox_find_program (GError **error);

/* A git configuration with the user's name and address and nothing else of theirs; NULL where they have none. */
char *interp_sandbox_find_identity (void);

G_END_DECLS
