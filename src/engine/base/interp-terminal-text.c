/* interp-terminal-text.c: the parser of control sequences (ECMA-48, xterm) over the screen
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <string.h>

#include <glib/gi18n.h>

#include "base/interp-terminal-screen.h"
#include "base/interp-terminal-text.h"

#define MAX_PARAMETERS 32
#define MAX_PARAMETER 100000

typedef enum
{
  STATE_GROUND,
  STATE_ESCAPE,
  STATE_ESCAPE_SKIP, /* one more byte: a charset */
  STATE_CSI,
  STATE_STRING, /* OSC, DCS, APC, PM, SOS: up to BEL or ST */
  STATE_STRING_ESCAPE,
} State;

struct _InterpTerminalText
{
  GObject parent_instance;

  InterpTerminalScreen *screen;
  InterpTerminalScreen *alternate; /* while a full-screen program runs: drawn on, then dropped */
  InterpTerminalLines *head;
  InterpTerminalLines *tail; /* two halves, so that forgetting is cheap */
  InterpTerminalLines *older_tail;
  InterpTerminalLines *fresh;
  guint head_lines;
  guint tail_lines;
  guint64 n_finished;
  guint64 n_bytes;

  State state;
  int parameters[MAX_PARAMETERS];
  guint n_parameters;
  char prefix; /* '?' and the like, 0 none */
  char intermediate;
  char utf8[4];
  guint utf8_length;
  guint utf8_wanted;
};

G_DEFINE_FINAL_TYPE (InterpTerminalText, interp_terminal_text, G_TYPE_OBJECT)

static InterpTerminalScreen *
get_screen (InterpTerminalText *self)
{
  return self->alternate != NULL ? self->alternate : self->screen;
}

/* ---- finished lines ---- */

static void
copy_lines (InterpTerminalLines *from, guint first, guint n, InterpTerminalLines *to)
{
  for (guint i = first; i < first + n; i++)
    {
      gsize start = g_array_index (from->starts, gsize, i);
      gsize end = i + 1 < from->starts->len ? g_array_index (from->starts, gsize, i + 1) : from->text->len;
      gsize base = to->text->len;

      g_array_append_val (to->starts, base);
      g_string_append_len (to->text, from->text->str + start, end - start);
    }
}

static void
copy_spans (InterpTerminalLines *from, guint first, guint n, InterpTerminalLines *to, gsize to_base)
{
  gsize start = g_array_index (from->starts, gsize, first);
  gsize end = first + n < from->starts->len ? g_array_index (from->starts, gsize, first + n) : from->text->len;

  for (guint i = 0; i < from->spans->len; i++)
    {
      InterpTextSpan span = g_array_index (from->spans, InterpTextSpan, i);

      if (span.start < start || span.start >= end)
        continue;
      span.start = span.start - start + to_base;
      span.end = span.end - start + to_base;
      g_array_append_val (to->spans, span);
    }
}

static void
move_lines (InterpTerminalLines *from, guint first, guint n, InterpTerminalLines *to)
{
  gsize base = to->text->len;

  if (n == 0)
    return;
  copy_lines (from, first, n, to);
  copy_spans (from, first, n, to, base);
}

static void
take_finished (InterpTerminalText *self)
{
  guint n = interp_terminal_screen_take_finished (self->screen, self->fresh);
  guint first = 0;

  if (n == 0)
    return;
  self->n_finished += n;
  if (self->head_lines == 0 || self->head->starts->len < self->head_lines)
    {
      guint piece = self->head_lines == 0 ? n : MIN (n, self->head_lines - self->head->starts->len);

      move_lines (self->fresh, 0, piece, self->head);
      first = piece;
    }
  if (first < n)
    {
      move_lines (self->fresh, first, n - first, self->tail);
      if (self->tail->starts->len >= self->tail_lines)
        {
          InterpTerminalLines *empty = self->older_tail;

          interp_terminal_lines_clear (empty);
          self->older_tail = self->tail;
          self->tail = empty;
        }
    }
  interp_terminal_lines_clear (self->fresh);
}

/* ---- control sequences ---- */

static int
parameter (InterpTerminalText *self, guint index, int fallback)
{
  return index < self->n_parameters && self->parameters[index] > 0 ? self->parameters[index] : fallback;
}

static void
set_flag (InterpTerminalStyle *style, InterpTextStyleFlags flag, gboolean on)
{
  style->flags = on ? style->flags | flag : style->flags & ~flag;
}

/* "38;5;n" and "38;2;r;g;b"; moves *index to the last parameter used. */
static int
extended_color (InterpTerminalText *self, guint *index)
{
  guint i = *index;

  if (i + 2 < self->n_parameters && self->parameters[i + 1] == 5)
    {
      *index = i + 2;
      return CLAMP (self->parameters[i + 2], 0, 255) + 1;
    }
  if (i + 4 < self->n_parameters && self->parameters[i + 1] == 2)
    {
      *index = i + 4;
      return (0x1000000 | (self->parameters[i + 2] & 0xff) << 16 | (self->parameters[i + 3] & 0xff) << 8
              | (self->parameters[i + 4] & 0xff))
             + 1;
    }
  *index = self->n_parameters;
  return 0;
}

static void
set_rendition (InterpTerminalText *self)
{
  InterpTerminalStyle *style = interp_terminal_screen_style (get_screen (self));

  if (self->n_parameters == 0)
    *style = (InterpTerminalStyle) { 0 };
  for (guint i = 0; i < self->n_parameters; i++)
    {
      int p = MAX (self->parameters[i], 0);

      if (p == 0)
        *style = (InterpTerminalStyle) { 0 };
      else if (p == 1)
        set_flag (style, INTERP_TEXT_STYLE_BOLD, TRUE);
      else if (p == 2)
        set_flag (style, INTERP_TEXT_STYLE_DIM, TRUE);
      else if (p == 3)
        set_flag (style, INTERP_TEXT_STYLE_ITALIC, TRUE);
      else if (p == 4 || p == 21)
        set_flag (style, INTERP_TEXT_STYLE_UNDERLINE, TRUE);
      else if (p == 7)
        set_flag (style, INTERP_TEXT_STYLE_REVERSE, TRUE);
      else if (p == 9)
        set_flag (style, INTERP_TEXT_STYLE_STRIKE, TRUE);
      else if (p == 22)
        set_flag (style, INTERP_TEXT_STYLE_BOLD | INTERP_TEXT_STYLE_DIM, FALSE);
      else if (p == 23)
        set_flag (style, INTERP_TEXT_STYLE_ITALIC, FALSE);
      else if (p == 24)
        set_flag (style, INTERP_TEXT_STYLE_UNDERLINE, FALSE);
      else if (p == 27)
        set_flag (style, INTERP_TEXT_STYLE_REVERSE, FALSE);
      else if (p == 29)
        set_flag (style, INTERP_TEXT_STYLE_STRIKE, FALSE);
      else if (p >= 30 && p <= 37)
        style->foreground = p - 30 + 1;
      else if (p >= 90 && p <= 97)
        style->foreground = p - 90 + 8 + 1;
      else if (p == 38)
        style->foreground = extended_color (self, &i);
      else if (p == 39)
        style->foreground = 0;
      else if (p >= 40 && p <= 47)
        style->background = p - 40 + 1;
      else if (p >= 100 && p <= 107)
        style->background = p - 100 + 8 + 1;
      else if (p == 48)
        style->background = extended_color (self, &i);
      else if (p == 49)
        style->background = 0;
    }
}

static void
set_mode (InterpTerminalText *self, gboolean on)
{
  if (self->prefix != '?')
    return;
  for (guint i = 0; i < self->n_parameters; i++)
    if (self->parameters[i] == 47 || self->parameters[i] == 1047 || self->parameters[i] == 1049)
      {
        if (on && self->alternate == NULL)
          self->alternate = interp_terminal_screen_new ();
        else if (!on)
          g_clear_pointer (&self->alternate, interp_terminal_screen_free);
      }
}

static void
run_csi (InterpTerminalText *self, char final)
{
  InterpTerminalScreen *screen = get_screen (self);
  int n = parameter (self, 0, 1);

  if (final == 'h' || final == 'l')
    {
      set_mode (self, final == 'h');
      return;
    }
  if (self->prefix != 0 || self->intermediate != 0)
    return;

  switch (final)
    {
    case 'A':
      interp_terminal_screen_move (screen, -n, 0);
      break;
    case 'B':
    case 'e':
      interp_terminal_screen_move (screen, n, 0);
      break;
    case 'C':
    case 'a':
      interp_terminal_screen_move (screen, 0, n);
      break;
    case 'D':
      interp_terminal_screen_move (screen, 0, -n);
      break;
    case 'E':
      interp_terminal_screen_move (screen, n, 0);
      interp_terminal_screen_move_to_column (screen, 0);
      break;
    case 'F':
      interp_terminal_screen_move (screen, -n, 0);
      interp_terminal_screen_move_to_column (screen, 0);
      break;
    case 'G':
    case '`':
      interp_terminal_screen_move_to_column (screen, n - 1);
      break;
    case 'H':
    case 'f':
      interp_terminal_screen_move_to_row (screen, n - 1);
      interp_terminal_screen_move_to_column (screen, parameter (self, 1, 1) - 1);
      break;
    case 'd':
      interp_terminal_screen_move_to_row (screen, n - 1);
      break;
    case 'I':
      interp_terminal_screen_tab (screen, n);
      break;
    case 'Z':
      interp_terminal_screen_tab (screen, -n);
      break;
    case 'J':
      if (parameter (self, 0, 0) == 3)
        interp_terminal_screen_forget_above (screen);
      else
        interp_terminal_screen_erase_display (screen, parameter (self, 0, 0));
      break;
    case 'K':
      interp_terminal_screen_erase_line (screen, parameter (self, 0, 0));
      break;
    case 'L':
      interp_terminal_screen_insert_lines (screen, n);
      break;
    case 'M':
      interp_terminal_screen_delete_lines (screen, n);
      break;
    case '@':
      interp_terminal_screen_insert_characters (screen, n);
      break;
    case 'P':
      interp_terminal_screen_delete_characters (screen, n);
      break;
    case 'X':
      interp_terminal_screen_erase_characters (screen, n);
      break;
    case 'b':
      interp_terminal_screen_repeat (screen, n);
      break;
    case 'm':
      set_rendition (self);
      break;
    case 'r':
      interp_terminal_screen_set_region (screen, n - 1, parameter (self, 1, 0) - 1);
      break;
    case 's':
      interp_terminal_screen_save (screen);
      break;
    case 'u':
      interp_terminal_screen_restore (screen);
      break;
    default:
      break;
    }
}

static void
begin_csi (InterpTerminalText *self)
{
  self->state = STATE_CSI;
  self->n_parameters = 0;
  self->prefix = 0;
  self->intermediate = 0;
}

static void
read_csi (InterpTerminalText *self, guint8 byte)
{
  if (byte >= '0' && byte <= '9')
    {
      if (self->n_parameters == 0)
        self->parameters[self->n_parameters++] = 0;
      if (self->parameters[self->n_parameters - 1] < 0)
        self->parameters[self->n_parameters - 1] = 0;
      self->parameters[self->n_parameters - 1]
          = MIN (self->parameters[self->n_parameters - 1] * 10 + (byte - '0'), MAX_PARAMETER);
    }
  else if (byte == ';' || byte == ':')
    {
      if (self->n_parameters == 0)
        self->parameters[self->n_parameters++] = -1;
      if (self->n_parameters < MAX_PARAMETERS)
        self->parameters[self->n_parameters++] = -1;
    }
  else if (byte >= 0x3c && byte <= 0x3f)
    self->prefix = byte;
  else if (byte >= 0x20 && byte <= 0x2f)
    self->intermediate = byte;
  else if (byte >= 0x40 && byte <= 0x7e)
    {
      self->state = STATE_GROUND;
      run_csi (self, byte);
    }
  else if (byte == 0x1b)
    self->state = STATE_ESCAPE;
  else if (byte == 0x18 || byte == 0x1a || byte >= 0x80)
    self->state = STATE_GROUND;
}

static void
read_escape (InterpTerminalText *self, guint8 byte)
{
  InterpTerminalScreen *screen = get_screen (self);

  self->state = STATE_GROUND;
  switch (byte)
    {
    case '[':
      begin_csi (self);
      break;
    case ']':
    case 'P':
    case '_':
    case '^':
    case 'X':
      self->state = STATE_STRING;
      break;
    case '(':
    case ')':
    case '*':
    case '+':
    case '#':
    case '%':
    case ' ':
      self->state = STATE_ESCAPE_SKIP;
      break;
    case '7':
      interp_terminal_screen_save (screen);
      break;
    case '8':
      interp_terminal_screen_restore (screen);
      break;
    case 'D':
      interp_terminal_screen_newline (screen);
      break;
    case 'E':
      interp_terminal_screen_newline (screen);
      interp_terminal_screen_move_to_column (screen, 0);
      break;
    case 'M':
      interp_terminal_screen_reverse_index (screen);
      break;
    case 'c': /* reset: what was printed stays read */
      *interp_terminal_screen_style (screen) = (InterpTerminalStyle) { 0 };
      g_clear_pointer (&self->alternate, interp_terminal_screen_free);
      break;
    case 0x1b:
      self->state = STATE_ESCAPE;
      break;
    default:
      break;
    }
}

/* ---- ground ---- */

static void
read_control (InterpTerminalText *self, guint8 byte)
{
  InterpTerminalScreen *screen = get_screen (self);

  switch (byte)
    {
    case '\n':
    case 0x0b:
    case 0x0c:
      /* A terminal's output has \r\n; a plain \n (a file, a pipe) means both. */
      interp_terminal_screen_newline (screen);
      interp_terminal_screen_move_to_column (screen, 0);
      if (screen == self->screen)
        take_finished (self);
      break;
    case '\r':
      interp_terminal_screen_move_to_column (screen, 0);
      break;
    case '\b':
      interp_terminal_screen_move (screen, 0, -1);
      break;
    case '\t':
      interp_terminal_screen_tab (screen, 1);
      break;
    case 0x1b:
      self->state = STATE_ESCAPE;
      break;
    default:
      break;
    }
}

static void
flush_utf8_fault (InterpTerminalText *self)
{
  if (self->utf8_length > 0)
    interp_terminal_screen_put (get_screen (self), 0xfffd);
  self->utf8_length = 0;
}

static void
read_utf8 (InterpTerminalText *self, guint8 byte)
{
  if (self->utf8_length > 0 && (byte & 0xc0) != 0x80)
    flush_utf8_fault (self);
  if (self->utf8_length == 0)
    {
      self->utf8_wanted = byte >= 0xf0 && byte <= 0xf4  ? 4
                          : byte >= 0xe0 && byte < 0xf0 ? 3
                          : byte >= 0xc2 && byte < 0xe0 ? 2
                                                        : 0;
      if (self->utf8_wanted == 0)
        {
          interp_terminal_screen_put (get_screen (self), 0xfffd);
          return;
        }
    }
  self->utf8[self->utf8_length++] = byte;
  if (self->utf8_length == self->utf8_wanted)
    {
      gunichar c = g_utf8_get_char_validated (self->utf8, self->utf8_length);

      self->utf8_length = 0;
      if (c == (gunichar) -1 || c == (gunichar) -2)
        c = 0xfffd;
      if (c >= 0x80 && c < 0xa0) /* C1 controls written as UTF-8 */
        return;
      interp_terminal_screen_put (get_screen (self), c);
    }
}

void
interp_terminal_text_feed (InterpTerminalText *self, const char *bytes, gsize length)
{
  g_return_if_fail (INTERP_IS_TERMINAL_TEXT (self));
  g_return_if_fail (bytes != NULL || length == 0);

  self->n_bytes += length;
  for (gsize i = 0; i < length; i++)
    {
      guint8 byte = bytes[i];

      switch (self->state)
        {
        case STATE_GROUND:
          if (byte >= 0x20 && byte < 0x7f)
            {
              gsize end = i + 1;

              flush_utf8_fault (self);
              while (end < length && (guint8) bytes[end] >= 0x20 && (guint8) bytes[end] < 0x7f)
                end++;
              interp_terminal_screen_put_ascii (get_screen (self), bytes + i, end - i);
              i = end - 1;
            }
          else if (byte >= 0x80)
            read_utf8 (self, byte);
          else
            {
              flush_utf8_fault (self);
              read_control (self, byte);
            }
          break;
        case STATE_ESCAPE:
          read_escape (self, byte);
          break;
        case STATE_ESCAPE_SKIP:
          self->state = STATE_GROUND;
          break;
        case STATE_CSI:
          if (byte < 0x20 && byte != 0x1b && byte != 0x18 && byte != 0x1a)
            read_control (self, byte); /* controls inside a sequence are carried out */
          else
            read_csi (self, byte);
          break;
        case STATE_STRING:
          if (byte == 0x07 || byte == 0x18 || byte == 0x1a)
            self->state = STATE_GROUND;
          else if (byte == 0x1b)
            self->state = STATE_STRING_ESCAPE;
          break;
        case STATE_STRING_ESCAPE:
          if (byte == '\\')
            self->state = STATE_GROUND;
          else
            read_escape (self, byte);
          break;
        default:
          g_assert_not_reached ();
        }
    }
  take_finished (self);
}

/* ---- reading ---- */

static guint64
count_kept (InterpTerminalText *self)
{
  guint tail = self->tail->starts->len + self->older_tail->starts->len;

  return self->head->starts->len + (self->head_lines == 0 ? 0 : MIN (tail, self->tail_lines));
}

guint64
interp_terminal_text_get_n_dropped (InterpTerminalText *self)
{
  g_return_val_if_fail (INTERP_IS_TERMINAL_TEXT (self), 0);

  return self->n_finished - count_kept (self);
}

guint64
interp_terminal_text_get_n_lines (InterpTerminalText *self)
{
  g_return_val_if_fail (INTERP_IS_TERMINAL_TEXT (self), 0);

  return self->n_finished + interp_terminal_screen_get_n_lines (self->screen);
}

guint64
interp_terminal_text_get_n_bytes (InterpTerminalText *self)
{
  g_return_val_if_fail (INTERP_IS_TERMINAL_TEXT (self), 0);

  return self->n_bytes;
}

char *
interp_terminal_text_to_string (InterpTerminalText *self, GArray **spans)
{
  g_return_val_if_fail (INTERP_IS_TERMINAL_TEXT (self), NULL);

  GString *text = g_string_new (NULL);
  GArray *found = spans != NULL ? g_array_new (FALSE, FALSE, sizeof (InterpTextSpan)) : NULL;
  guint64 dropped = interp_terminal_text_get_n_dropped (self);

  interp_terminal_lines_append_to (self->head, 0, text, found);
  if (dropped > 0)
    {
      g_string_append_printf (text, ngettext ("… %llu line left out …", "… %llu lines left out …", dropped),
                              (unsigned long long) dropped);
      g_string_append_c (text, '\n');
    }
  if (self->head_lines > 0)
    {
      guint newer = self->tail->starts->len;
      guint older = self->older_tail->starts->len;
      guint wanted = newer >= self->tail_lines ? 0 : MIN (older, self->tail_lines - newer);

      interp_terminal_lines_append_to (self->older_tail, older - wanted, text, found);
      interp_terminal_lines_append_to (self->tail, newer > self->tail_lines ? newer - self->tail_lines : 0, text,
                                       found);
    }
  interp_terminal_screen_append_to (self->screen, text, found);

  if (spans != NULL)
    *spans = found;
  return g_string_free_and_steal (text);
}

char *
interp_terminal_text_reduce (const char *bytes, gsize length)
{
  g_autoptr (InterpTerminalText) self = interp_terminal_text_new (0, 0);

  interp_terminal_text_feed (self, bytes, length);
  return interp_terminal_text_to_string (self, NULL);
}

void
interp_terminal_text_set_size (InterpTerminalText *self, guint columns, guint rows)
{
  g_return_if_fail (INTERP_IS_TERMINAL_TEXT (self));

  interp_terminal_screen_set_rows (self->screen, rows);
}

static void
interp_terminal_text_finalize (GObject *object)
{
  InterpTerminalText *self = INTERP_TERMINAL_TEXT (object);

  interp_terminal_screen_free (self->screen);
  g_clear_pointer (&self->alternate, interp_terminal_screen_free);
  interp_terminal_lines_free (self->head);
  interp_terminal_lines_free (self->tail);
  interp_terminal_lines_free (self->older_tail);
  interp_terminal_lines_free (self->fresh);

  G_OBJECT_CLASS (interp_terminal_text_parent_class)->finalize (object);
}

static void
interp_terminal_text_class_init (InterpTerminalTextClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = interp_terminal_text_finalize;
}

static void
interp_terminal_text_init (InterpTerminalText *self)
{
  self->screen = interp_terminal_screen_new ();
  self->head = interp_terminal_lines_new ();
  self->tail = interp_terminal_lines_new ();
  self->older_tail = interp_terminal_lines_new ();
  self->fresh = interp_terminal_lines_new ();
}

InterpTerminalText *
interp_terminal_text_new (guint head_lines, guint tail_lines)
{
  InterpTerminalText *self = g_object_new (INTERP_TYPE_TERMINAL_TEXT, NULL);

  self->head_lines = head_lines;
  self->tail_lines = head_lines > 0 ? MAX (tail_lines, 1) : 0;
  return self;
}
