/* interp-environment.h: the login shell's environment
 *
 * A program started from the menu lacks what the user's shell sets. It is read once, in the background, with a limit of
 * two seconds; the values are never logged.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <libdex.h>

G_BEGIN_DECLS

/* Resolves to a boxed GStrv (G_TYPE_STRV): our environment with the login shell's added where we lack a variable, and
 * the shell's PATH behind what only our own has. The shell is asked once; later calls share the answer. Failing or slow
 * shells give our own environment. */
DexFuture *interp_environment_load (void);

/* For a program that is started from a shell, a script or a timer, which gave it the environment it shall have: no
 * login shell is asked. Before anything is loaded. */
void interp_environment_use_own (void);

/* What is known now: the merged environment once loaded, else our own. Transfer full. */
GStrv interp_environment_get (void);

/* Without what must not reach code: provider keys (names ending in _API_KEY, _TOKEN, _SECRET and those the profiles
 * name).
 * @env is taken. */
GStrv interp_environment_for_kernels (GStrv env);

/* Looks @program up in @env's PATH. */
char *interp_environment_find_program (const char *const *env, const char *program);

G_END_DECLS
