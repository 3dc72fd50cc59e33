/* interp-pty.h: the engine's end of a kernel's terminal
 *
 * Owns the PTY master. Bytes read go to the log first, then through the marker filter, then to head and tail and to
 * whoever watches. While a watcher has more than its budget unparsed, reading stops and the kernel blocks.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

#define INTERP_TYPE_PTY (interp_pty_get_type ())
G_DECLARE_FINAL_TYPE (InterpPty, interp_pty, INTERP, PTY, GObject)

typedef struct _InterpPtyView InterpPtyView;

/* @replay: history, to be fed with input disconnected (old queries must not be answered). */
typedef void (*InterpPtyFeedFunc) (const char *bytes, gsize length, gboolean replay, gpointer user_data);

/* Calls @feed at once with the last megabyte from a line start, then with everything new. */
InterpPtyView *interp_pty_attach (InterpPty *self, InterpPtyFeedFunc feed, gpointer user_data);
/* All that was fed has been parsed: reading may go on. */
void interp_pty_view_acknowledge (InterpPtyView *view);
/* The view is not mapped: its budget is larger (VTE parses at 10 Hz then). */
void interp_pty_view_set_hidden (InterpPtyView *view, gboolean hidden);
/* One view owns size and input: the last to claim. Sizes under 10 columns are ignored. */
void interp_pty_view_claim (InterpPtyView *view, int columns, int rows);
void interp_pty_view_detach (InterpPtyView *view);

/* What the user typed or pasted, or VTE's answers. Queued; never blocks. */
void interp_pty_write (InterpPty *self, const char *bytes, gsize length);
void interp_pty_get_size (InterpPty *self, int *columns, int *rows);

/* Without a view we answer questions for the terminal's colours ourselves: whether they are light on dark. */
void interp_pty_set_dark (InterpPty *self, gboolean dark);

G_END_DECLS
