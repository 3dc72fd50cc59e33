/* interp-literal-writes.h: files that a block writes with text that stands in it
 *
 * Only what can be read off the code without running it is claimed: a here-document, a redirected echo or printf, an
 * open ().write () of a literal. What is computed is left out.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  char *path; /* as the code says it */
  char *content;
  gboolean append;
} InterpLiteralWrite;

/* GPtrArray of InterpLiteralWrite, at most 20, in the order of the code. @language: kernel spec id. */
GPtrArray *interp_literal_writes_find (const char *language, const char *code);

/* The text of the regular file at @path; *text is NULL when there is no such file. FALSE with a sentence (static) when
 * it is not a regular file, cannot be read, is no text or is larger than @max bytes. Never blocks on a FIFO or device.
 */
gboolean interp_literal_writes_read_file (const char *path, gsize max, char **text, const char **fault);

G_END_DECLS
