/* interp-editor.h: a block changed in the user's own editor
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <libdex.h>

G_BEGIN_DECLS

/* Runs $VISUAL, $EDITOR or what there is on a private copy of @text, whose name ends in @extension, with the
 * terminal as its own. Resolves to the text as saved (string). */
DexFuture *interp_editor_edit (const char *text, const char *extension);

G_END_DECLS
