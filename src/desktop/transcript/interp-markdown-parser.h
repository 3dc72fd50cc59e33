/* interp-markdown-parser.h: md4c's callbacks to blocks
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "transcript/interp-block.h"

G_BEGIN_DECLS

/* GPtrArray of InterpBlock. @length −1: NUL-terminated. @line_breaks: soft line breaks count as hard ones. */
GPtrArray *interp_markdown_parser_run (const char *text, gssize length, gboolean line_breaks);

G_END_DECLS
