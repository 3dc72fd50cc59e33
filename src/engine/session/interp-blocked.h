/* interp-blocked.h: what a sandbox has kept from a run
 *
 * Nothing reports it: it is read from what the run said and from the paths that it names. So it is a hint for offers,
 * never a ground for giving anything.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "launch/interp-sandbox.h"

G_BEGIN_DECLS

typedef struct
{
  gboolean network; /* it wanted the network */
  char *folder;     /* it wanted files in this folder, which can be given to it; nullable */
} InterpBlocked;

/* @code as it ran and what it said, from a run inside @sandbox. */
void interp_blocked_find (InterpBlocked *self, InterpSandbox *sandbox, const char *code, const char *said);
void interp_blocked_clear (InterpBlocked *self);

/* Folders outside @sandbox that @text names by absolute paths or ~/ and that can be given: GPtrArray of char *
 * (container and paths are the caller's). */
GPtrArray *interp_blocked_find_folders (InterpSandbox *sandbox, const char *text);

G_END_DECLS
