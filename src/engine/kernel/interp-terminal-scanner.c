/* interp-terminal-scanner.c: what a terminal's bytes ask of the terminal
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "kernel/interp-terminal-scanner.h"

#include <string.h>

/* Longer sequences mean nothing to us. */
#define MAX_SEQUENCE 128

#define LEAVE_ALTERNATE "\033[?1049l"
/* Cursor shown and steady, style, wrapping, keypad, mouse, focus and paste reports, margins, character set. */
#define SOFT_RESET                                                                                                  \
  "\033[?25h\033[0m\033[?7h\033[?1l\033>\033[?9l\033[?1000l\033[?1002l\033[?1003l\033[?1004l\033[?1005l\033[?1006l" \
  "\033[?1015l\033[?2004l\033[4l\033(B\017"

typedef enum
{
  GROUND,
  ESCAPE,
  CONTROL_SEQUENCE,
  COMMAND_STRING, /* OSC */
  DEVICE_STRING,  /* DCS */
  OTHER_STRING,   /* SOS, PM, APC */
} State;

struct _InterpTerminalScanner
{
  InterpTerminalAnswerFunc answer;
  gpointer user_data;

  State state;
  gboolean in_string_escape; /* an ESC inside a string: its end, if a \ follows */
  char text[MAX_SEQUENCE + 1];
  gsize length;
  gboolean too_long;

  int columns, rows;
  gboolean answering;
  gboolean dark;
  gboolean full_screen;
  gboolean changed;
  double progress;
};

InterpTerminalScanner *
interp_terminal_scanner_new (InterpTerminalAnswerFunc answer, gpointer user_data)
{
  InterpTerminalScanner *self = g_new0 (InterpTerminalScanner, 1);

  self->answer = answer;
  self->user_data = user_data;
  self->progress = -1;
  self->columns = 80;
  self->rows = 24;
  return self;
}

void
interp_terminal_scanner_free (InterpTerminalScanner *self)
{
  g_free (self);
}

void
interp_terminal_scanner_set_answering (InterpTerminalScanner *self, gboolean answering)
{
  g_return_if_fail (self != NULL);

  self->answering = answering;
}

void
interp_terminal_scanner_set_size (InterpTerminalScanner *self, int columns, int rows)
{
  g_return_if_fail (self != NULL);

  self->columns = columns;
  self->rows = rows;
}

void
interp_terminal_scanner_set_dark (InterpTerminalScanner *self, gboolean dark)
{
  g_return_if_fail (self != NULL);

  self->dark = dark;
}

static void G_GNUC_PRINTF (2, 3) interp_terminal_scanner_reply (InterpTerminalScanner *self, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  if (!self->answering || !self->answer)
    return;
  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  self->answer (text, strlen (text), self->user_data);
}

static void
interp_terminal_scanner_set_modes (InterpTerminalScanner *self, const char *parameters, gboolean on)
{
  g_auto (GStrv) modes = g_strsplit (parameters, ";", 16);

  for (guint i = 0; modes[i]; i++)
    if (g_str_equal (modes[i], "1049") || g_str_equal (modes[i], "1047") || g_str_equal (modes[i], "47"))
      self->full_screen = on;
}

static void
interp_terminal_scanner_control_sequence (InterpTerminalScanner *self, char final)
{
  const char *text = self->text;

  switch (final)
    {
    case 'h':
    case 'l':
      self->changed = TRUE;
      if (*text == '?')
        interp_terminal_scanner_set_modes (self, text + 1, final == 'h');
      break;
    case 'm':
      self->changed |= *text != '\0' && !g_str_equal (text, "0");
      break;
    case 'r':
      self->changed = TRUE;
      break;
    case 'n': /* device status */
      if (g_str_equal (text, "5"))
        interp_terminal_scanner_reply (self, "\033[0n");
      else if (g_str_equal (text, "6"))
        /* Nobody shows the text, so the cursor is nowhere. */
        interp_terminal_scanner_reply (self, "\033[1;1R");
      else if (g_str_equal (text, "?6"))
        interp_terminal_scanner_reply (self, "\033[?1;1R");
      break;
    case 'c': /* device attributes: a VT220 with colours */
      if (*text == '\0' || g_str_equal (text, "0"))
        interp_terminal_scanner_reply (self, "\033[?62;22c");
      else if (g_str_equal (text, ">") || g_str_equal (text, ">0"))
        interp_terminal_scanner_reply (self, "\033[>1;0;0c");
      break;
    case 't': /* window */
      if (g_str_equal (text, "18"))
        interp_terminal_scanner_reply (self, "\033[8;%d;%dt", self->rows, self->columns);
      break;
    case 'p': /* "request mode": not recognised */
      if (g_str_has_suffix (text, "$") && strlen (text) < 12)
        interp_terminal_scanner_reply (self, "\033[%.*s;0$y", (int) strlen (text) - 1, text);
      break;
    default:
      break;
    }
}

static void
interp_terminal_scanner_set_progress (InterpTerminalScanner *self, const char *text)
{
  /* "STATE;PERCENT": 0 removes, 1 normal, 2 error, 3 busy, 4 paused. */
  char state = *text;

  if (state == '0' || state == '3')
    self->progress = -1;
  else if ((state == '1' || state == '2' || state == '4') && text[1] == ';' && g_ascii_isdigit (text[2]))
    self->progress = CLAMP (g_ascii_strtoull (text + 2, NULL, 10) / 100.0, 0, 1);
}

static void
interp_terminal_scanner_command_string (InterpTerminalScanner *self, const char *end)
{
  static const struct
  {
    const char *question;
    const char *number;
    gboolean is_background;
  } colours[] = { { "10;?", "10", FALSE }, { "11;?", "11", TRUE }, { "12;?", "12", FALSE } };

  if (self->too_long)
    return;
  if (g_str_has_prefix (self->text, "9;4;"))
    interp_terminal_scanner_set_progress (self, self->text + 4);
  for (guint i = 0; i < G_N_ELEMENTS (colours); i++)
    if (g_str_equal (self->text, colours[i].question))
      interp_terminal_scanner_reply (self, "\033]%s;rgb:%s%s", colours[i].number,
                                     colours[i].is_background == self->dark ? "1e1e/1e1e/1e1e" : "ffff/ffff/ffff", end);
}

static void
interp_terminal_scanner_device_string (InterpTerminalScanner *self)
{
  /* Questions for settings and capabilities: invalid. */
  if (g_str_has_prefix (self->text, "$q"))
    interp_terminal_scanner_reply (self, "\033P0$r\033\\");
  else if (g_str_has_prefix (self->text, "+q"))
    interp_terminal_scanner_reply (self, "\033P0+r\033\\");
}

static void
interp_terminal_scanner_begin (InterpTerminalScanner *self, State state)
{
  self->state = state;
  self->length = 0;
  self->text[0] = '\0';
  self->too_long = FALSE;
  self->in_string_escape = FALSE;
}

static void
interp_terminal_scanner_append (InterpTerminalScanner *self, char byte)
{
  if (self->length == MAX_SEQUENCE || byte == '\0')
    {
      self->too_long = TRUE;
      return;
    }
  self->text[self->length++] = byte;
  self->text[self->length] = '\0';
}

static void
interp_terminal_scanner_escape (InterpTerminalScanner *self, char byte)
{
  switch (byte)
    {
    case '[':
      interp_terminal_scanner_begin (self, CONTROL_SEQUENCE);
      break;
    case ']':
      interp_terminal_scanner_begin (self, COMMAND_STRING);
      break;
    case 'P':
      interp_terminal_scanner_begin (self, DEVICE_STRING);
      break;
    case 'X':
    case '^':
    case '_':
      interp_terminal_scanner_begin (self, OTHER_STRING);
      break;
    case '\033':
      break;
    case 'Z':
      interp_terminal_scanner_reply (self, "\033[?62;22c");
      self->state = GROUND;
      break;
    case '=':
    case '(':
      self->changed = TRUE;
      self->state = GROUND;
      break;
    case 'c': /* full reset by the code itself */
      self->full_screen = self->changed = FALSE;
      self->progress = -1;
      self->state = GROUND;
      break;
    default:
      self->state = GROUND;
      break;
    }
}

static void
interp_terminal_scanner_string (InterpTerminalScanner *self, char byte)
{
  const char *end = byte == '\a' ? "\a" : "\033\\";

  if (self->in_string_escape && byte != '\\')
    {
      /* Cut off by another sequence. */
      interp_terminal_scanner_begin (self, ESCAPE);
      interp_terminal_scanner_escape (self, byte);
      return;
    }
  if (byte == '\033')
    {
      self->in_string_escape = TRUE;
      return;
    }
  if (byte == '\x18' || byte == '\x1a')
    {
      self->state = GROUND;
      return;
    }
  if (!self->in_string_escape && !(byte == '\a' && self->state == COMMAND_STRING))
    {
      interp_terminal_scanner_append (self, byte);
      return;
    }
  if (self->state == COMMAND_STRING)
    interp_terminal_scanner_command_string (self, end);
  else if (self->state == DEVICE_STRING)
    interp_terminal_scanner_device_string (self);
  self->state = GROUND;
}

void
interp_terminal_scanner_feed (InterpTerminalScanner *self, const char *bytes, gsize length)
{
  const char *end = bytes + length;

  g_return_if_fail (self != NULL);

  while (bytes < end)
    {
      char byte;

      if (self->state == GROUND)
        {
          bytes = memchr (bytes, '\033', (gsize) (end - bytes));
          if (!bytes)
            return;
          bytes++;
          interp_terminal_scanner_begin (self, ESCAPE);
          continue;
        }
      byte = *bytes++;
      if (self->state == ESCAPE)
        interp_terminal_scanner_escape (self, byte);
      else if (self->state != CONTROL_SEQUENCE)
        interp_terminal_scanner_string (self, byte);
      else if (byte == '\033')
        interp_terminal_scanner_begin (self, ESCAPE);
      else if (byte == '\x18' || byte == '\x1a' || (byte & 0x80))
        self->state = GROUND;
      else if (byte >= 0x40 && byte <= 0x7e)
        {
          self->state = GROUND;
          if (!self->too_long)
            interp_terminal_scanner_control_sequence (self, byte);
        }
      else if (byte >= 0x20)
        interp_terminal_scanner_append (self, byte);
    }
}

gboolean
interp_terminal_scanner_is_full_screen (InterpTerminalScanner *self)
{
  g_return_val_if_fail (self != NULL, FALSE);

  return self->full_screen;
}

double
interp_terminal_scanner_get_progress (InterpTerminalScanner *self)
{
  g_return_val_if_fail (self != NULL, -1);

  return self->progress;
}

const char *
interp_terminal_scanner_take_reset (InterpTerminalScanner *self)
{
  gboolean full_screen, changed, in_string;

  g_return_val_if_fail (self != NULL, NULL);

  full_screen = self->full_screen;
  changed = self->changed;
  in_string = self->state != GROUND;
  self->full_screen = self->changed = FALSE;
  self->progress = -1;
  self->state = GROUND;
  /* CAN ends a sequence that the code left unfinished; it does nothing otherwise. */
  if (full_screen)
    return "\x18" LEAVE_ALTERNATE SOFT_RESET;
  if (changed)
    return "\x18" SOFT_RESET;
  return in_string ? "\x18" : NULL;
}
