/* interp-paths.h: where our files live
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* $XDG_DATA_HOME/interpreter, $XDG_CONFIG_HOME/interpreter, $XDG_CACHE_HOME/interpreter, $XDG_RUNTIME_DIR/interpreter
 * (or a private folder in the cache): made with mode 0700 when first asked for. Owned by the module. */
const char *interp_paths_data (void);
const char *interp_paths_config (void);
const char *interp_paths_cache (void);
const char *interp_paths_runtime (void);

/* Whether the running program lies in the folder it was built in. */
gboolean interp_paths_from_build (void);

/* A data file that we ship ("kernels/python/harness.py"): from INTERP_DATADIR, the build's source tree when run from
 * there, else the installed place. NULL when it is nowhere. */
char *interp_paths_find_data (const char *name);

/* A program of ours ("interpreter-launch", "interpreter-window"): beside the running program's build or installed. */
char *interp_paths_find_program (const char *name);

/* $HOME → ~, for showing. */
char *interp_paths_display (const char *path);

/* Text or bytes to @path by a temporary file and rename, mode 0600. */
gboolean interp_paths_write_atomically (const char *path, const char *bytes, gssize length, GError **error);

G_END_DECLS
