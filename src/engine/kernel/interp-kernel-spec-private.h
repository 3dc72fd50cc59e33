/* interp-kernel-spec-private.h: how a language's kernel is started
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "kernel/interp-kernel-channel.h"
#include "kernel/interp-kernel-spec.h"

G_BEGIN_DECLS

typedef enum
{
  INTERP_KERNEL_INTERRUPT_SIGNAL = 1 << 0,
  INTERP_KERNEL_INTERRUPT_MESSAGE = 1 << 1,
} InterpKernelInterrupt;

/* From one description, "NAME.kernel". Its harness is a file beside it. */
InterpKernelSpec *interp_kernel_spec_new_from_file (const char *path, GError **error);

const char *interp_kernel_spec_get_harness_folder (InterpKernelSpec *self);
const char *const *interp_kernel_spec_get_interpreters (InterpKernelSpec *self);
InterpKernelRequests interp_kernel_spec_get_requests (InterpKernelSpec *self);
InterpKernelInterrupt interp_kernel_spec_get_interrupt (InterpKernelSpec *self);
/* What comes after the interpreter, %{…} filled in. */
GStrv interp_kernel_spec_dup_arguments (InterpKernelSpec *self);
/* @env (taken) with the description's variables. */
GStrv interp_kernel_spec_add_environment (InterpKernelSpec *self, GStrv env);

/* The module that @text says is missing: its import name, or NULL. */
char *interp_kernel_spec_match_missing_module (InterpKernelSpec *self, const char *text);
/* Whether @module can be one: letters, digits and . _ - / @ only. */
gboolean interp_kernel_spec_is_module (const char *module);
/* The package that holds @module. */
const char *interp_kernel_spec_get_package (InterpKernelSpec *self, const char *module);
/* The install command with both filled in and quoted for a shell; NULL when the language has none. */
char *interp_kernel_spec_format_install_command (InterpKernelSpec *self, const char *interpreter, const char *package);

G_END_DECLS
