/* interp-markdown-view.h: an answer as widgets, one a block
 *
 * While text arrives only the last block's widget changes; those of settled blocks are never touched again.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define INTERP_TYPE_MARKDOWN_VIEW (interp_markdown_view_get_type ())
G_DECLARE_FINAL_TYPE (InterpMarkdownView, interp_markdown_view, INTERP, MARKDOWN_VIEW, AdwBin)

GtkWidget *interp_markdown_view_new (void);
/* Where relative paths of pictures begin; nullable. */
void interp_markdown_view_set_folder (InterpMarkdownView *self, const char *folder);
/* A line end in the source is one on the screen, as people write; before the first text. */
void interp_markdown_view_set_line_breaks (InterpMarkdownView *self, gboolean line_breaks);
/* All of the source so far. */
void interp_markdown_view_set_text (InterpMarkdownView *self, const char *text, gboolean complete);
/* The same without marks. */
char *interp_markdown_view_dup_plain_text (InterpMarkdownView *self);

G_END_DECLS
