/* interp-pty-private.h: the terminal as its kernel sees it
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <termios.h>

#include "kernel/interp-marker-filter.h"
#include "kernel/interp-pty.h"

G_BEGIN_DECLS

/* Who gets what was read before any view does. */
typedef struct
{
  void (*bytes) (const char *bytes, gsize length, gpointer user_data);
  InterpMarkerMarkFunc mark;
  /* A piece has been read and given out. */
  void (*read) (gpointer user_data);
} InterpPtySink;

InterpPty *interp_pty_new (void);
/* NULL: nobody. */
void interp_pty_set_sink (InterpPty *self, const InterpPtySink *sink, gpointer user_data);

/* Makes the terminal fit for a new session: modes as a login has them, size, no input left from before. Marks are found
 * by
 * @token. Returns the other end, for the new session's leader; -1 with @error. */
int interp_pty_open (InterpPty *self, const char *token, GError **error);

/* Reads all that is there now, whatever the views' budgets; at most a megabyte. */
void interp_pty_drain (InterpPty *self);
/* Whether something can be read now, or is held back. */
gboolean interp_pty_is_readable (InterpPty *self);
/* Monotonic, microseconds; when bytes last came. */
gint64 interp_pty_get_last_read (InterpPty *self);

/* Shows @text of our own in the views; it is in no log. */
void interp_pty_show (InterpPty *self, const char *text);

gboolean interp_pty_get_modes (InterpPty *self, struct termios *modes);
/* Sets @modes if they differ, leaves full-screen and other terminal modes. */
void interp_pty_restore (InterpPty *self, const struct termios *modes);
/* Forgets what was typed and not read. */
void interp_pty_flush_input (InterpPty *self);
gboolean interp_pty_is_full_screen (InterpPty *self);
double interp_pty_get_progress (InterpPty *self);

/* As Ctrl+C typed: FALSE when the terminal does not make a signal of it now. */
gboolean interp_pty_interrupt (InterpPty *self);
/* The foreground process group; 0 when there is none. */
int interp_pty_get_foreground (InterpPty *self);

G_END_DECLS
