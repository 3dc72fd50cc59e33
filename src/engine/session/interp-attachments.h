/* interp-attachments.h: files that the user gives along with a message
 *
 * A model is told their paths; pictures go along where it can see.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <libdex.h>

G_BEGIN_DECLS

/* Largest picture sent, in bytes. */
#define INTERP_ATTACHMENTS_PICTURE_MAX (5 * 1024 * 1024)

/* Reads the pictures among @paths on a worker; others, and those that cannot be read or are too large, are left out.
 * Resolves to a boxed GPtrArray of InterpPicture. */
DexFuture *interp_attachments_load_pictures (const char *const *paths);

G_END_DECLS
