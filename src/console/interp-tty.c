/* interp-tty.c: the user's terminal
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "interp-tty.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/interp-text.h"

#define DEFAULT_COLUMNS 80
#define DEFAULT_ROWS 24

struct _InterpTty
{
  FILE *file;
  int fd;
  gboolean input;  /* is a terminal */
  gboolean output; /* is a terminal */
  gboolean styled;
  InterpTtyMode mode;
  struct termios found;
  char *passing;
  gboolean mid_line;
};

InterpTty *
interp_tty_new (FILE *output, gboolean plain)
{
  InterpTty *self = g_rc_box_new0 (InterpTty);
  const char *term = g_getenv ("TERM");

  self->file = output;
  self->fd = fileno (output);
  self->input = isatty (STDIN_FILENO) && tcgetattr (STDIN_FILENO, &self->found) == 0;
  self->output = isatty (self->fd);
  self->styled = self->output && !plain && term != NULL && !g_str_equal (term, "dumb") && g_getenv ("NO_COLOR") == NULL;
  return self;
}

InterpTty *
interp_tty_ref (InterpTty *self)
{
  return g_rc_box_acquire (self);
}

static void
clear (gpointer data)
{
  InterpTty *self = data;

  interp_tty_set_passing (self, NULL);
  interp_tty_set_mode (self, INTERP_TTY_NORMAL);
}

void
interp_tty_unref (InterpTty *self)
{
  if (self != NULL)
    g_rc_box_release_full (self, clear);
}

gboolean
interp_tty_is_interactive (InterpTty *self)
{
  return self->input && self->output;
}

FILE *
interp_tty_get_output (InterpTty *self)
{
  return self->file;
}

gboolean
interp_tty_is_styled (InterpTty *self)
{
  return self->styled;
}

void
interp_tty_get_size (InterpTty *self, int *columns, int *rows)
{
  struct winsize size = { 0 };

  if (self->output)
    ioctl (self->fd, TIOCGWINSZ, &size);
  *columns = size.ws_col > 0 ? size.ws_col : DEFAULT_COLUMNS;
  *rows = size.ws_row > 0 ? size.ws_row : DEFAULT_ROWS;
}

void
interp_tty_set_mode (InterpTty *self, InterpTtyMode mode)
{
  struct termios wanted = self->found;

  if (!self->input || self->mode == mode)
    return;
  self->mode = mode;
  if (mode != INTERP_TTY_NORMAL)
    wanted.c_lflag &= ~(tcflag_t) ECHO;
  if (mode == INTERP_TTY_FORWARD)
    {
      wanted.c_iflag &= ~(tcflag_t) (ICRNL | INLCR | IGNCR | ISTRIP | IXON);
      wanted.c_oflag &= ~(tcflag_t) OPOST; /* the code's own terminal has done that */
      wanted.c_lflag &= ~(tcflag_t) (ICANON | IEXTEN);
      wanted.c_lflag |= ISIG;
      wanted.c_cc[VMIN] = 1;
      wanted.c_cc[VTIME] = 0;
      /* Ctrl+\ and Ctrl+Z are the running code's; only Ctrl+C is ours. */
      wanted.c_cc[VQUIT] = _POSIX_VDISABLE;
      wanted.c_cc[VSUSP] = _POSIX_VDISABLE;
    }
  while (tcsetattr (STDIN_FILENO, TCSADRAIN, &wanted) != 0 && errno == EINTR)
    ;
}

void
interp_tty_forget_input (InterpTty *self)
{
  if (self->input)
    tcflush (STDIN_FILENO, TCIFLUSH);
}

static void
write_raw (InterpTty *self, const char *bytes, gsize length)
{
  while (length > 0)
    {
      gssize n = write (self->fd, bytes, length);

      if (n < 0 && errno == EAGAIN)
        {
          struct pollfd ready = { self->fd, POLLOUT, 0 };

          poll (&ready, 1, -1);
          continue;
        }
      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return; /* nobody reads any more: there is nobody to tell */
      bytes += n;
      length -= n;
    }
}

static void
erase_passing (InterpTty *self)
{
  if (self->passing == NULL)
    return;
  g_clear_pointer (&self->passing, g_free);
  write_raw (self, "\r\033[K", 4);
}

void
interp_tty_write (InterpTty *self, const char *bytes, gssize length)
{
  gsize n = length < 0 ? strlen (bytes) : (gsize) length;

  if (n == 0)
    return;
  fflush (self->file);
  erase_passing (self);
  write_raw (self, bytes, n);
  self->mid_line = bytes[n - 1] != '\n' && bytes[n - 1] != '\r';
}

void
interp_tty_print (InterpTty *self, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list values;

  va_start (values, format);
  text = g_strdup_vprintf (format, values);
  va_end (values);
  interp_tty_write (self, text, -1);
}

void
interp_tty_print_styled (InterpTty *self, const char *style, const char *text)
{
  g_autofree char *visible = interp_text_make_visible (text);
  gboolean ends_line = g_str_has_suffix (visible, "\n");

  if (ends_line)
    visible[strlen (visible) - 1] = '\0';
  if (self->styled && *visible != '\0')
    interp_tty_print (self, "\033[%sm%s\033[0m", style, visible);
  else
    interp_tty_write (self, visible, -1);
  if (ends_line)
    interp_tty_write (self, "\n", 1);
  else if (*visible != '\0')
    self->mid_line = TRUE;
}

void
interp_tty_start_line (InterpTty *self)
{
  if (self->mid_line)
    interp_tty_write (self, "\n", 1);
}

void
interp_tty_set_passing (InterpTty *self, const char *text)
{
  g_autofree char *visible = NULL;
  int columns, rows;

  if (!self->styled || self->mid_line)
    return;
  if (g_strcmp0 (text, self->passing) == 0)
    return;
  erase_passing (self);
  if (text == NULL)
    return;
  interp_tty_get_size (self, &columns, &rows);
  visible = interp_text_make_visible (text);
  g_strdelimit (visible, "\n\t", ' ');
  if (g_utf8_strlen (visible, -1) >= columns)
    *g_utf8_offset_to_pointer (visible, MAX (columns - 1, 0)) = '\0';
  write_raw (self, "\033[2m", 4);
  write_raw (self, visible, strlen (visible));
  write_raw (self, "\033[0m", 4);
  self->passing = g_strdup (text);
}

void
interp_tty_reset (InterpTty *self)
{
  static const char sequence[] = "\030"                           /* cancels an unfinished sequence */
                                 "\033\\"                         /* ends a string */
                                 "\033[?47l"                      /* the main screen, the cursor where it is */
                                 "\0337\033[r\0338"               /* no margins, the cursor where it is */
                                 "\033[!p"                        /* soft reset */
                                 "\033[0m\033(B\033[?25h\033[?7h" /* plain text, ASCII, cursor, wrapping */
                                 "\033[?1000l\033[?1002l\033[?1003l\033[?1006l\033[?1004l\033[?2004l"
                                 "\033]104\033\\\033]110\033\\\033]111\033\\"; /* palette, foreground, background */

  if (self->styled)
    {
      fflush (self->file);
      erase_passing (self);
      write_raw (self, sequence, sizeof sequence - 1);
    }
}
