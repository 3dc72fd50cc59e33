/* interp-terminal-screen.h: the last lines of a terminal, still open to change; used by interp-terminal-text.c alone
 *
 * Rows are as wide as what is written to them: nothing wraps at the width of the terminal, so that text can be copied
 * and read as it was printed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "base/interp-terminal-text.h"

G_BEGIN_DECLS

typedef struct _InterpTerminalScreen InterpTerminalScreen;

/* Flags and colours of a character; all zero is plain. */
typedef struct
{
  guint8 flags;   /* InterpTextStyleFlags */
  int foreground; /* as in InterpTextSpan, plus one */
  int background;
} InterpTerminalStyle;

/* Finished lines: one text, each line ended by \n. */
typedef struct
{
  GString *text;
  GArray *starts; /* gsize: where each line begins */
  GArray *spans;  /* InterpTextSpan, in order */
} InterpTerminalLines;

InterpTerminalLines *interp_terminal_lines_new (void);
void interp_terminal_lines_free (InterpTerminalLines *self);
void interp_terminal_lines_clear (InterpTerminalLines *self);
/* Adds the lines of @self from the one numbered @first to @text and @spans. */
void interp_terminal_lines_append_to (InterpTerminalLines *self, guint first, GString *text, GArray *spans);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpTerminalLines, interp_terminal_lines_free)

InterpTerminalScreen *interp_terminal_screen_new (void);
void interp_terminal_screen_free (InterpTerminalScreen *self);
void interp_terminal_screen_set_rows (InterpTerminalScreen *self, guint rows);

/* Writing at the cursor. */
void interp_terminal_screen_put_ascii (InterpTerminalScreen *self, const char *bytes, gsize length);
void interp_terminal_screen_put (InterpTerminalScreen *self, gunichar c);
void interp_terminal_screen_repeat (InterpTerminalScreen *self, guint count);
void interp_terminal_screen_newline (InterpTerminalScreen *self);
void interp_terminal_screen_reverse_index (InterpTerminalScreen *self);
void interp_terminal_screen_tab (InterpTerminalScreen *self, int count);

/* The cursor: counts are relative, positions count from 0; both are brought within the screen. */
void interp_terminal_screen_move (InterpTerminalScreen *self, int rows, int columns);
void interp_terminal_screen_move_to_column (InterpTerminalScreen *self, int column);
void interp_terminal_screen_move_to_row (InterpTerminalScreen *self, int row);
void interp_terminal_screen_save (InterpTerminalScreen *self);
void interp_terminal_screen_restore (InterpTerminalScreen *self);
InterpTerminalStyle *interp_terminal_screen_style (InterpTerminalScreen *self);

/* Erasing, as ECMA-48 numbers it: 0 from the cursor, 1 up to the cursor, 2 all. */
void interp_terminal_screen_erase_line (InterpTerminalScreen *self, int what);
void interp_terminal_screen_erase_display (InterpTerminalScreen *self, int what);
void interp_terminal_screen_erase_characters (InterpTerminalScreen *self, guint count);
void interp_terminal_screen_forget_above (InterpTerminalScreen *self);
void interp_terminal_screen_insert_characters (InterpTerminalScreen *self, guint count);
void interp_terminal_screen_delete_characters (InterpTerminalScreen *self, guint count);
void interp_terminal_screen_insert_lines (InterpTerminalScreen *self, guint count);
void interp_terminal_screen_delete_lines (InterpTerminalScreen *self, guint count);
/* Rows from 0, both included. A region of less than two rows is the whole screen. */
void interp_terminal_screen_set_region (InterpTerminalScreen *self, int top, int bottom);

/* Moves the rows that are too far up to be reached to @lines; how many. */
guint interp_terminal_screen_take_finished (InterpTerminalScreen *self, InterpTerminalLines *lines);

/* Adds all rows to @text and @spans (nullable), without ending the last. */
void interp_terminal_screen_append_to (InterpTerminalScreen *self, GString *text, GArray *spans);
/* All rows, the last only when something is on it. */
guint interp_terminal_screen_get_n_lines (InterpTerminalScreen *self);

G_END_DECLS
