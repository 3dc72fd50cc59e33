/* interp-status-row.c: the last row of the terminal, kept free while code runs
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "interp-status-row.h"

#include <string.h>

#include "base/interp-text.h"

/* On fewer rows every one is needed. */
#define MIN_ROWS 8
#define STYLE "7"

/* Where in a sequence the bytes so far end (ECMA-48). */
typedef enum
{
  GROUND,
  ESCAPE,  /* ESC and intermediates */
  CONTROL, /* CSI … */
  STRING,  /* OSC, DCS, SOS, PM, APC … up to BEL or ST */
  STRING_ESCAPE,
} State;

struct _InterpStatusRow
{
  InterpTty *tty;
  gboolean enabled;
  int columns;
  int rows;
  char *text;
  char *drawn;

  State state;
  GString *parameters; /* of a control sequence */
  guint continuation;  /* bytes missing of a UTF-8 character */
  gboolean full_screen;
  gboolean back; /* from a full screen: the margins may be gone */
};

static gboolean
is_kept_free (InterpStatusRow *self)
{
  return self->enabled && self->rows >= MIN_ROWS;
}

/* Setting margins moves the cursor, so its place is kept over it. Below the cursor there is at most an older
 * row of ours; going down a line and up again makes room for the new one when the cursor is at the bottom. */
static void
keep_free (InterpStatusRow *self)
{
  interp_tty_get_size (self->tty, &self->columns, &self->rows);
  g_clear_pointer (&self->drawn, g_free);
  if (is_kept_free (self))
    interp_tty_print (self->tty, "\0337\033[r\0338\033[J\033D\033[A\0337\033[1;%dr\0338", self->rows - 1);
}

InterpStatusRow *
interp_status_row_new (InterpTty *tty, gboolean enabled)
{
  InterpStatusRow *self = g_new0 (InterpStatusRow, 1);

  self->tty = tty;
  self->enabled = enabled && interp_tty_is_styled (tty);
  self->parameters = g_string_new (NULL);
  interp_tty_set_passing (tty, NULL);
  interp_tty_start_line (tty);
  keep_free (self);
  return self;
}

static void
give_back (InterpStatusRow *self)
{
  if (is_kept_free (self))
    interp_tty_print (self->tty, "\0337\033[r\033[%d;1H\033[2K\0338", self->rows);
  g_clear_pointer (&self->drawn, g_free);
}

void
interp_status_row_free (InterpStatusRow *self)
{
  if (self == NULL)
    return;
  if (self->state != GROUND)
    interp_tty_write (self->tty, "\030", 1); /* the sequence will not be finished */
  give_back (self);
  g_string_free (self->parameters, TRUE);
  g_free (self->text);
  g_free (self);
}

static void
draw (InterpStatusRow *self)
{
  g_autofree char *shown = NULL;

  if (!is_kept_free (self) || self->text == NULL || self->full_screen || self->state != GROUND || self->continuation > 0
      || g_strcmp0 (self->text, self->drawn) == 0)
    return;
  shown = interp_text_make_visible (self->text);
  g_strdelimit (shown, "\n\t", ' ');
  if (g_utf8_strlen (shown, -1) > self->columns - 1)
    *g_utf8_offset_to_pointer (shown, self->columns - 1) = '\0';
  interp_tty_print (self->tty, "\0337\033[%d;1H\033[2K\033[0;" STYLE "m%s\033[0m\0338", self->rows, shown);
  g_set_str (&self->drawn, self->text);
}

void
interp_status_row_set_text (InterpStatusRow *self, const char *text)
{
  g_set_str (&self->text, text);
  draw (self);
}

/* "?1049h" and its kin: a full screen of its own. */
static void
on_control (InterpStatusRow *self, guchar final)
{
  const char *p = self->parameters->str;

  if ((final != 'h' && final != 'l') || *p != '?')
    return;
  for (; p != NULL; p = strchr (p + 1, ';'))
    {
      guint64 number = g_ascii_strtoull (p + 1, NULL, 10);

      if (number == 47 || number == 1047 || number == 1049)
        {
          self->back = self->full_screen && final == 'l';
          self->full_screen = final == 'h';
        }
    }
}

static void
scan (InterpStatusRow *self, guchar c)
{
  if (c == 0x18 || c == 0x1a)
    {
      self->state = GROUND;
      return;
    }
  switch (self->state)
    {
    case GROUND:
      if (self->continuation > 0 && (c & 0xc0) == 0x80)
        self->continuation--;
      else
        self->continuation = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc2 ? 1 : 0;
      if (c == 0x1b)
        self->state = ESCAPE;
      break;
    case ESCAPE:
      if (c == '[')
        {
          self->state = CONTROL;
          g_string_truncate (self->parameters, 0);
        }
      else if (memchr ("]PX^_", c, 5) != NULL)
        self->state = STRING;
      else if (c >= 0x30 && c != 0x1b)
        self->state = GROUND;
      break;
    case CONTROL:
      if (c == 0x1b)
        self->state = ESCAPE;
      else if (c >= 0x40 && c <= 0x7e)
        {
          on_control (self, c);
          self->state = GROUND;
        }
      else if (self->parameters->len < 64)
        g_string_append_c (self->parameters, c);
      break;
    case STRING:
      if (c == 0x07)
        self->state = GROUND;
      else if (c == 0x1b)
        self->state = STRING_ESCAPE;
      break;
    case STRING_ESCAPE:
      self->state = c == '\\' ? GROUND : c == 0x1b ? STRING_ESCAPE : STRING;
      break;
    default:
      g_assert_not_reached ();
    }
}

void
interp_status_row_feed (InterpStatusRow *self, const char *bytes, gsize length)
{
  for (gsize i = 0; i < length; i++)
    scan (self, bytes[i]);
  interp_tty_write (self->tty, bytes, length);
  if (self->back && self->state == GROUND)
    {
      self->back = FALSE;
      keep_free (self);
    }
  draw (self);
}

void
interp_status_row_get_size (InterpStatusRow *self, int *columns, int *rows)
{
  *columns = self->columns;
  *rows = self->rows - (is_kept_free (self) ? 1 : 0);
}

void
interp_status_row_resize (InterpStatusRow *self)
{
  if (self->full_screen)
    interp_tty_get_size (self->tty, &self->columns, &self->rows);
  else
    {
      keep_free (self);
      draw (self);
    }
}
