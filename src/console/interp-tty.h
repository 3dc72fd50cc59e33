/* interp-tty.h: the user's terminal
 *
 * Its modes, its size, and writing to it. Text from models, servers and files must be made visible
 * (base/interp-text.h) before it comes here; only what running code prints is passed on as it is.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <glib.h>
#include <stdio.h>

G_BEGIN_DECLS

typedef enum
{
  INTERP_TTY_NORMAL,  /* as it was found: line editing by the kernel, or by readline */
  INTERP_TTY_QUIET,   /* what is typed waits and is not shown; Ctrl+C is a signal */
  INTERP_TTY_FORWARD, /* what is typed can be read at once, byte by byte; Ctrl+C is a signal */
} InterpTtyMode;

typedef struct _InterpTty InterpTty;

/* @output: stdout or stderr. @plain: no colours, no tricks, even on a terminal. */
InterpTty *interp_tty_new (FILE *output, gboolean plain);
InterpTty *interp_tty_ref (InterpTty *self);
/* The last one gives the terminal back as it was found. */
void interp_tty_unref (InterpTty *self);

/* Input and output are a terminal: somebody can be asked. */
gboolean interp_tty_is_interactive (InterpTty *self);
FILE *interp_tty_get_output (InterpTty *self);
/* Styles and cursor movement may be used. */
gboolean interp_tty_is_styled (InterpTty *self);
void interp_tty_get_size (InterpTty *self, int *columns, int *rows);
void interp_tty_set_mode (InterpTty *self, InterpTtyMode mode);
/* What was typed and not read is forgotten: it was meant for something else than what comes now. */
void interp_tty_forget_input (InterpTty *self);

void interp_tty_write (InterpTty *self, const char *bytes, gssize length);
void interp_tty_print (InterpTty *self, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* Made visible, between the codes of a style ("1", "2;3"; Select Graphic Rendition of ECMA-48) where styles
 * are used. */
void interp_tty_print_styled (InterpTty *self, const char *style, const char *text);
/* The cursor goes to the start of a line, if it is not there. */
void interp_tty_start_line (InterpTty *self);
/* A passing line ("Loading the model, 0:12"), replaced by the next and erased by whatever is written; NULL
 * erases it. */
void interp_tty_set_passing (InterpTty *self, const char *text);
/* Undoes what running code may have done to the terminal: an unfinished sequence, the other screen, margins,
 * colours, palette, mouse. */
void interp_tty_reset (InterpTty *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpTty, interp_tty_unref)

G_END_DECLS
