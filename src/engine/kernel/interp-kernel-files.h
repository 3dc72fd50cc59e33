/* interp-kernel-files.h: the folder that a kernel and we share
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <libdex.h>

G_BEGIN_DECLS

/* Makes a private folder for one start of a kernel, with "cells" in it. NULL with @error. */
char *interp_kernel_files_make_spool (GError **error);

/* Writes @code to a new file "cells/ID.EXTENSION", mode 0600, and returns its path. */
char *interp_kernel_files_write_cell (const char *spool, guint64 id, const char *extension, const char *code,
                                      GError **error);

/* Removes @spool and all in it, on a worker. */
void interp_kernel_files_remove_spool (const char *spool);

/* Copies the regular file at @path, at most @max_bytes long, to a new one in @to_folder, on a worker; links are not
 * followed.
 * @inside: the folder it must be in. @remove: it goes there. With @to_folder NULL the contents are read. Resolves to
 * the new path (string), or to the contents (boxed GBytes). */
DexFuture *interp_kernel_files_take (const char *path, const char *inside, gboolean remove, const char *to_folder,
                                     gsize max_bytes);

G_END_DECLS
