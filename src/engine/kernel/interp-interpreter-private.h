/* interp-interpreter-private.h: a program that can be a kernel's interpreter
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "kernel/interp-kernel.h"

G_BEGIN_DECLS

InterpInterpreter *interp_interpreter_new (const char *path, const char *title, gboolean is_own);

/* The environment that we may make for Python after consent: its interpreter. */
char *interp_interpreter_get_own_path (void);

/* For tests: the interpreters of @spec for @folder, with @home and @env instead of the user's. On any thread. */
GListModel *interp_interpreters_find (InterpKernelSpec *spec, const char *folder, const char *home,
                                      const char *const *env);

G_END_DECLS
