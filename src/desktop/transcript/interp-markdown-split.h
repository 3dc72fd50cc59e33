/* interp-markdown-split.h: where a growing Markdown text is settled
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  gsize boundary;      /* everything before is settled */
  gboolean in_fence;   /* at the end of the text */
  gboolean references; /* a link definition was seen: earlier blocks may use it */
  gboolean in_table;   /* the last, unfinished line belongs to a table */
  gsize last_line;
} InterpMarkdownSplit;

/* Finds the last place in @text where everything before is settled, whatever follows: after a blank line
 * outside of fences and lists, around a heading, before and after a fence. Where it is not sure it does not
 * split, which is always right. */
InterpMarkdownSplit interp_markdown_split (const char *text, gsize length);
/* How many of @mark stand at the beginning of @line. */
gsize interp_markdown_count_marks (const char *line, gsize length, char mark);

G_END_DECLS
