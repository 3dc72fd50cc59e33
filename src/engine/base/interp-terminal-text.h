/* interp-terminal-text.h: bytes of a terminal reduced to the text it would leave
 *
 * Carriage returns, backspaces, tabs, cursor movement within the last lines, erase sequences and colours are
 * resolved; everything else (titles, links' targets, unknown sequences) is dropped. Invalid UTF-8 becomes U+FFFD.
 * Bytes may arrive in any pieces. Memory is bounded: whole lines beyond the limit are dropped from the middle, and
 * counted.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

#define INTERP_TYPE_TERMINAL_TEXT (interp_terminal_text_get_type ())
G_DECLARE_FINAL_TYPE (InterpTerminalText, interp_terminal_text, INTERP, TERMINAL_TEXT, GObject)

typedef enum
{
  INTERP_TEXT_STYLE_BOLD = 1 << 0,
  INTERP_TEXT_STYLE_DIM = 1 << 1,
  INTERP_TEXT_STYLE_ITALIC = 1 << 2,
  INTERP_TEXT_STYLE_UNDERLINE = 1 << 3,
  INTERP_TEXT_STYLE_REVERSE = 1 << 4,
  INTERP_TEXT_STYLE_STRIKE = 1 << 5,
} InterpTextStyleFlags;

/* A run of equal style. Offsets are bytes into the text. Colours: -1 default, 0–255 palette index,
 * 0x1000000 | 0xRRGGBB direct. */
typedef struct
{
  gsize start;
  gsize end;
  InterpTextStyleFlags flags;
  int foreground;
  int background;
} InterpTextSpan;

/* @head_lines and @tail_lines: how many finished lines are kept from each end; 0 keeps all. */
InterpTerminalText *interp_terminal_text_new (guint head_lines, guint tail_lines);
void interp_terminal_text_feed (InterpTerminalText *self, const char *bytes, gsize length);

/* The size of the terminal that the bytes were written for (100 columns by 30 rows unless told): absolute cursor
 * positions and scroll regions depend on it. Lines are never wrapped at the width. */
void interp_terminal_text_set_size (InterpTerminalText *self, guint columns, guint rows);

/* The text so far, valid UTF-8, lines ended by \n (the last without, if it was left so). Where lines were left out
 * stands one line that says how many. What a full-screen program drew on the alternate screen is not part of it.
 * @spans (nullable, out, transfer full): GArray of InterpTextSpan. */
char *interp_terminal_text_to_string (InterpTerminalText *self, GArray **spans);

guint64 interp_terminal_text_get_n_lines (InterpTerminalText *self); /* all lines, left out or not, plus an open one */
guint64 interp_terminal_text_get_n_dropped (InterpTerminalText *self); /* lines left out of the middle */
guint64 interp_terminal_text_get_n_bytes (InterpTerminalText *self);   /* raw bytes fed */

/* One-shot: the plain text that @bytes would leave. */
char *interp_terminal_text_reduce (const char *bytes, gsize length);

G_END_DECLS
