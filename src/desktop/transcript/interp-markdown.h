/* interp-markdown.h: Markdown that is still arriving, as blocks
 *
 * CommonMark with tables, task lists, strikethrough and bare links (md4c); raw HTML is text. No GTK here. The
 * source is split where no later text can change what stands before: blocks up to there are settled and never
 * parsed again, so that the cost of a chunk does not grow with the answer.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "transcript/interp-block.h"

G_BEGIN_DECLS

/* http, https and mailto: nothing else becomes a link, "[i](x)" stays as it is written. */
gboolean interp_markdown_is_safe_address (const char *address);

typedef struct _InterpMarkdown InterpMarkdown;

InterpMarkdown *interp_markdown_new (void);
void interp_markdown_free (InterpMarkdown *self);
/* Soft line breaks count as hard ones; before the first text. */
void interp_markdown_set_line_breaks (InterpMarkdown *self, gboolean line_breaks);
/* @text: all of the source so far, valid UTF-8. @complete: no more will come. */
void interp_markdown_update (InterpMarkdown *self, const char *text, gboolean complete);
/* InterpBlock, in order. */
GPtrArray *interp_markdown_get_blocks (InterpMarkdown *self);
/* So many of them from the first are settled; falls only when the source was replaced. */
guint interp_markdown_get_n_settled (InterpMarkdown *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpMarkdown, interp_markdown_free)

/* Parses all of @text at once: GPtrArray of InterpBlock. */
GPtrArray *interp_markdown_parse (const char *text, gssize length);

G_END_DECLS
