/* interp-kernel-spec.h: a language, described by data
 *
 * data/kernels/NAME/NAME.kernel (key file) beside its harness. Adding a language is adding a folder.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define INTERP_TYPE_KERNEL_SPEC (interp_kernel_spec_get_type ())
G_DECLARE_FINAL_TYPE (InterpKernelSpec, interp_kernel_spec, INTERP, KERNEL_SPEC, GObject)

const char *interp_kernel_spec_get_id (InterpKernelSpec *self);        /* "python", "shell", "javascript", "r" */
const char *interp_kernel_spec_get_title (InterpKernelSpec *self);     /* "Python" */
const char *interp_kernel_spec_get_icon_name (InterpKernelSpec *self); /* symbolic */
const char *interp_kernel_spec_get_highlight (InterpKernelSpec *self); /* GtkSourceView language id */
const char *interp_kernel_spec_get_extension (InterpKernelSpec *self); /* ".py" */
const char *const *interp_kernel_spec_get_aliases (InterpKernelSpec *self);
/* What to install when its interpreter is missing, for this distribution: "apt install r-base-core". */
char *interp_kernel_spec_get_install_hint (InterpKernelSpec *self);
/* The interpreter that would run, absolute, or NULL when missing. @env is searched. */
char *interp_kernel_spec_find_interpreter (InterpKernelSpec *self, const char *const *env);

/* All specs (loaded once): GListModel of InterpKernelSpec. */
GListModel *interp_kernel_specs_get (void);
/* By id or alias, case-insensitive ("py", "bash", "js"…); NULL when unknown. Borrowed. */
InterpKernelSpec *interp_kernel_specs_lookup (const char *language);

G_END_DECLS
