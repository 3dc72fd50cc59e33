/* interp-artifacts.h: pictures that code writes into its folder
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <libdex.h>

G_BEGIN_DECLS

/* The pictures in a folder, and in its out, plots and figures, at one moment: immutable. At most 2 000 entries are
 * looked at in each. */
typedef struct _InterpArtifacts InterpArtifacts;

#define INTERP_TYPE_ARTIFACTS (interp_artifacts_get_type ())
GType interp_artifacts_get_type (void);
InterpArtifacts *interp_artifacts_ref (InterpArtifacts *self);
void interp_artifacts_unref (InterpArtifacts *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpArtifacts, interp_artifacts_unref)

/* Looks at @folder on a worker. Resolves to InterpArtifacts (boxed). */
DexFuture *interp_artifacts_scan (const char *folder);

/* Absolute paths of what is new or changed in @after; empty when the folders differ or @before is NULL. At most
 * @max_paths, the oldest first. What was last changed before @since (µs since 1970; 2 s are allowed for clocks) is left
 * out: somebody else wrote it between two runs. */
GStrv interp_artifacts_compare (const InterpArtifacts *before, const InterpArtifacts *after, gint64 since,
                                guint max_paths);

/* The media type of a picture's file name, or NULL. */
const char *interp_artifacts_get_mime (const char *path);

G_END_DECLS
