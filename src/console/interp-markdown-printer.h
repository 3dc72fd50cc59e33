/* interp-markdown-printer.h: Markdown as it streams, lightly styled for a terminal
 *
 * Text comes in any pieces; what cannot be decided yet ("*" may become "**") is held back. Words stay as they
 * are: only marks become styles, and only where styles are used.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _InterpMarkdownPrinter InterpMarkdownPrinter;

/* @styled FALSE: text passes as it is, but made visible. */
InterpMarkdownPrinter *interp_markdown_printer_new (gboolean styled);
void interp_markdown_printer_free (InterpMarkdownPrinter *self);
/* What to print now. Transfer full. */
char *interp_markdown_printer_push (InterpMarkdownPrinter *self, const char *text);
/* The rest, styles ended. */
char *interp_markdown_printer_finish (InterpMarkdownPrinter *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpMarkdownPrinter, interp_markdown_printer_free)

G_END_DECLS
