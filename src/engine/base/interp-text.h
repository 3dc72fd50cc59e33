/* interp-text.h: UTF-8 helpers
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* @text as valid UTF-8 without NUL, faults replaced by U+FFFD. @length in bytes, -1 for NUL-terminated. */
char *interp_text_make_valid (const char *text, gssize length);

/* The length in bytes of the longest prefix of @bytes that does not end inside a UTF-8 character. */
gsize interp_text_complete_prefix (const char *bytes, gsize length);

/* What a terminal must not be sent: controls but \n and \t, C1 controls, bidirectional overrides and other invisible
 * characters become visible (\x1b → "␛", U+202E → "⟨U+202E⟩"). */
char *interp_text_make_visible (const char *text);
gboolean interp_text_has_invisible (const char *text);

/* Cuts to head and tail on line borders when @text is longer than @max_bytes, with a line between that says exactly how
 * many lines and bytes were left out; the middle's lines that look like errors are kept when they fit. */
char *interp_text_shorten (const char *text, gsize max_bytes);

/* The first line of @text, without Markdown marks, at most @max_chars characters, ending in … when cut. */
char *interp_text_summary (const char *text, guint max_chars);

/* The last line that says something, in the same way. */
char *interp_text_last_line (const char *text, guint max_chars);

/* "1.2 MB", "340 kB"; "0.4 s", "2 min 5 s": translated. */
char *interp_text_format_size (guint64 bytes);
char *interp_text_format_duration (gint64 msec);

G_END_DECLS
