/* interp-policy-check.h: "interpreter policy check": what the rules say of a script, without running it
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* @arguments: those behind "policy". Runs a main loop; the exit status: 0 when there is a verdict, whatever it is. */
int interp_policy_check_run (const char *const *arguments);

G_END_DECLS
