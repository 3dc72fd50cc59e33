/* interp-splitter.h: bytes to lines and server-sent events
 *
 * Input may be cut at any byte. A line ends at LF, CRLF or a lone CR (CR at the end of a piece is remembered).
 * Server-sent events: WHATWG HTML, "9.2.6 Interpreting an event stream".
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Longest line or event accepted, in bytes (8 MiB; what is longer is an error of the peer). */
#define INTERP_SPLITTER_MAX (8 * 1024 * 1024)

typedef struct _InterpLineSplitter InterpLineSplitter;

InterpLineSplitter *interp_line_splitter_new (gsize max_bytes);
void interp_line_splitter_free (InterpLineSplitter *self);
void interp_line_splitter_push (InterpLineSplitter *self, const char *bytes, gsize length);
/* The next whole line without its end, or NULL. *@length (nullable) is its length: lines may hold NUL.
 * Transfer full. */
char *interp_line_splitter_next (InterpLineSplitter *self, gsize *length);
/* What is left at the end of the input, or NULL. */
char *interp_line_splitter_finish (InterpLineSplitter *self, gsize *length);
/* A line was longer than the limit; its rest was dropped. */
gboolean interp_line_splitter_overflowed (InterpLineSplitter *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpLineSplitter, interp_line_splitter_free)

typedef struct _InterpSseParser InterpSseParser;

typedef struct
{
  char *event; /* nullable */
  char *data;  /* lines joined by \n, valid UTF-8 */
} InterpSseEvent;

void interp_sse_event_free (InterpSseEvent *self);
InterpSseParser *interp_sse_parser_new (void);
void interp_sse_parser_free (InterpSseParser *self);
void interp_sse_parser_push (InterpSseParser *self, const char *bytes, gsize length);
/* The next event with data, or NULL. Comments and events without data are skipped.
 * With @at_end a pending event is dispatched as if a blank line followed. */
InterpSseEvent *interp_sse_parser_next (InterpSseParser *self, gboolean at_end);
gboolean interp_sse_parser_overflowed (InterpSseParser *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpSseParser, interp_sse_parser_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpSseEvent, interp_sse_event_free)

G_END_DECLS
