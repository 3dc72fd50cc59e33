/* interp-pty.c: the engine's end of a kernel's terminal
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "kernel/interp-pty-private.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <gio/gio.h>
#include <glib-unix.h>
#include <glib/gstdio.h>

#include "base/interp-clock.h"
#include "base/interp-write-queue.h"
#include "kernel/interp-replay.h"
#include "kernel/interp-terminal-scanner.h"

#define DEFAULT_COLUMNS 100
#define DEFAULT_ROWS 30
#define MIN_COLUMNS 10
#define MAX_SIDE 4096

/* What a view may have been fed and not acknowledged, bytes. */
#define VISIBLE_BUDGET (1024 * 1024)
#define HIDDEN_BUDGET (4 * 1024 * 1024)
/* VTE says nothing after parsing what changes no text: then the budget is taken as free again. */
#define ACKNOWLEDGE_MSEC 150

/* One read's buffer, and what one turn of the main loop may read: bytes, microseconds. */
#define READ_SIZE (64 * 1024)
#define TURN_BYTES (512 * 1024)
#define TURN_USEC 4000
#define DRAIN_BYTES (1024 * 1024)

/* What may wait to be written: a large paste. */
#define MAX_QUEUE (16 * 1024 * 1024)

struct _InterpPtyView
{
  InterpPty *pty; /* NULL when the terminal is gone */
  InterpPtyFeedFunc feed;
  gpointer user_data;
  gsize unparsed;
  gboolean hidden;
  gboolean detached;
  int columns, rows; /* 0 before it claimed */
};

struct _InterpPty
{
  GObject parent_instance;

  int master;
  int slave; /* ours: for modes and flushing; hung up when the session's leader ends */
  GSource *read_source;
  InterpWriteQueue *queue;
  char *buffer;
  gint64 last_read;
  gboolean open;
  gboolean in_turn;

  const InterpPtySink *sink;
  gpointer sink_data;

  InterpMarkerFilter *filter;
  InterpTerminalScanner *scanner;
  InterpReplay *replay;

  GPtrArray *views; /* of InterpPtyView; who claimed last is last */
  guint acknowledge_timeout;
  guint feeding;
  int columns, rows;
};

G_DEFINE_FINAL_TYPE (InterpPty, interp_pty, G_TYPE_OBJECT)

static void interp_pty_update_reading (InterpPty *self);

/* ---- views ---- */

static gboolean
view_is_full (const InterpPtyView *view)
{
  return view->unparsed >= (view->hidden ? HIDDEN_BUDGET : VISIBLE_BUDGET);
}

static gboolean
interp_pty_is_full (InterpPty *self)
{
  for (guint i = 0; i < self->views->len; i++)
    if (view_is_full (g_ptr_array_index (self->views, i)))
      return TRUE;
  return FALSE;
}

static gboolean
acknowledge_cb (gpointer user_data)
{
  InterpPty *self = user_data;

  self->acknowledge_timeout = 0;
  for (guint i = 0; i < self->views->len; i++)
    {
      InterpPtyView *view = g_ptr_array_index (self->views, i);

      view->unparsed = 0;
    }
  interp_pty_update_reading (self);
  return G_SOURCE_REMOVE;
}

static void
interp_pty_sweep_views (InterpPty *self)
{
  if (self->feeding > 0)
    return;
  for (guint i = self->views->len; i > 0; i--)
    {
      InterpPtyView *view = g_ptr_array_index (self->views, i - 1);

      if (!view->detached)
        continue;
      g_ptr_array_remove_index (self->views, i - 1);
      g_free (view);
    }
  interp_terminal_scanner_set_answering (self->scanner, self->views->len == 0);
}

static void
interp_pty_feed_views (InterpPty *self, const char *bytes, gsize length)
{
  self->feeding++;
  for (guint i = 0; i < self->views->len; i++)
    {
      InterpPtyView *view = g_ptr_array_index (self->views, i);

      if (view->detached)
        continue;
      view->unparsed += length;
      view->feed (bytes, length, FALSE, view->user_data);
    }
  self->feeding--;
  interp_pty_sweep_views (self);
}

InterpPtyView *
interp_pty_attach (InterpPty *self, InterpPtyFeedFunc feed, gpointer user_data)
{
  InterpPtyView *view;
  g_autoptr (GBytes) history = NULL;
  gsize length;
  const char *bytes;

  g_return_val_if_fail (INTERP_IS_PTY (self), NULL);
  g_return_val_if_fail (feed != NULL, NULL);

  view = g_new0 (InterpPtyView, 1);
  view->pty = self;
  view->feed = feed;
  view->user_data = user_data;
  /* First: the last is who claimed. */
  g_ptr_array_insert (self->views, 0, view);
  interp_terminal_scanner_set_answering (self->scanner, FALSE);

  history = interp_replay_get (self->replay);
  bytes = g_bytes_get_data (history, &length);
  view->unparsed = length;
  if (length > 0)
    feed (bytes, length, TRUE, user_data);
  interp_pty_update_reading (self);
  return view;
}

void
interp_pty_view_acknowledge (InterpPtyView *view)
{
  g_return_if_fail (view != NULL);

  view->unparsed = 0;
  if (view->pty)
    interp_pty_update_reading (view->pty);
}

void
interp_pty_view_set_hidden (InterpPtyView *view, gboolean hidden)
{
  g_return_if_fail (view != NULL);

  view->hidden = hidden;
  if (view->pty)
    interp_pty_update_reading (view->pty);
}

static void
interp_pty_apply_size (InterpPty *self)
{
  struct winsize size = { .ws_row = (unsigned short) self->rows, .ws_col = (unsigned short) self->columns };

  interp_terminal_scanner_set_size (self->scanner, self->columns, self->rows);
  if (self->master >= 0 && ioctl (self->master, TIOCSWINSZ, &size) < 0)
    g_debug ("A terminal's size cannot be set: %s", g_strerror (errno));
}

static void
interp_pty_resize (InterpPty *self, int columns, int rows)
{
  if (columns == self->columns && rows == self->rows)
    return;
  self->columns = columns;
  self->rows = rows;
  interp_pty_apply_size (self);
}

void
interp_pty_view_claim (InterpPtyView *view, int columns, int rows)
{
  InterpPty *self;

  g_return_if_fail (view != NULL);

  self = view->pty;
  if (!self || view->detached || columns < MIN_COLUMNS || rows < 1 || columns > MAX_SIDE || rows > MAX_SIDE)
    return;
  view->columns = columns;
  view->rows = rows;
  if (self->feeding == 0)
    {
      g_ptr_array_remove (self->views, view);
      g_ptr_array_add (self->views, view);
    }
  interp_pty_resize (self, columns, rows);
}

void
interp_pty_view_detach (InterpPtyView *view)
{
  InterpPty *self;

  g_return_if_fail (view != NULL);

  self = view->pty;
  view->detached = TRUE;
  if (!self)
    {
      g_free (view);
      return;
    }
  interp_pty_sweep_views (self);
  for (guint i = self->views->len; i > 0; i--)
    {
      InterpPtyView *other = g_ptr_array_index (self->views, i - 1);

      if (!other->detached && other->columns > 0)
        {
          interp_pty_resize (self, other->columns, other->rows);
          break;
        }
    }
  interp_pty_update_reading (self);
}

/* ---- reading ---- */

static void
filter_bytes_cb (const char *bytes, gsize length, gpointer user_data)
{
  InterpPty *self = user_data;

  if (self->sink)
    self->sink->bytes (bytes, length, self->sink_data);
  interp_replay_push (self->replay, bytes, length);
  interp_pty_feed_views (self, bytes, length);
  interp_terminal_scanner_feed (self->scanner, bytes, length);
}

static void
filter_mark_cb (InterpMark mark, guint64 id, gpointer user_data)
{
  InterpPty *self = user_data;

  if (self->sink)
    self->sink->mark (mark, id, self->sink_data);
}

/* What could be read into the buffer: 0 when there is nothing now. The kernel gives a terminal in pieces of at most 4
 * KB. */
static gsize
interp_pty_fill (InterpPty *self)
{
  gsize length = 0;

  while (self->open && READ_SIZE - length >= 4096)
    {
      ssize_t got = read (self->master, self->buffer + length, READ_SIZE - length);

      if (got < 0 && errno == EINTR)
        continue;
      if (got < 0 && errno == EAGAIN)
        break;
      if (got <= 0)
        {
          /* EIO: the session's leader is gone. Whether the kernel has ended its supervisor tells. */
          self->open = FALSE;
          break;
        }
      length += (gsize) got;
    }
  return length;
}

static gsize
interp_pty_read (InterpPty *self)
{
  gsize length = interp_pty_fill (self);

  if (length > 0)
    {
      self->last_read = interp_clock_monotonic ();
      interp_marker_filter_push (self->filter, self->buffer, length);
    }
  if (!self->open)
    interp_marker_filter_flush (self->filter);
  return length;
}

static gboolean
read_cb (int fd, GIOCondition condition, gpointer user_data)
{
  g_autoptr (InterpPty) self = g_object_ref (user_data);
  gint64 start = g_get_monotonic_time ();
  gsize total = 0, length;

  if (self->in_turn)
    return G_SOURCE_CONTINUE;
  self->in_turn = TRUE;
  do
    {
      length = interp_pty_read (self);
      total += length;
      if (length > 0 && self->sink)
        self->sink->read (self->sink_data);
    }
  while (length >= READ_SIZE - 4096 && total < TURN_BYTES && !interp_pty_is_full (self)
         && g_get_monotonic_time () - start < TURN_USEC);
  self->in_turn = FALSE;
  interp_pty_update_reading (self);
  return G_SOURCE_CONTINUE;
}

/* Reads on, or stops, as the views' budgets say. A source without conditions would still wake for a hang-up, so there
 * is none while nothing is wanted. */
static void
interp_pty_update_reading (InterpPty *self)
{
  gboolean full = interp_pty_is_full (self);
  gboolean wanted = self->open && !full;

  if (full && self->acknowledge_timeout == 0)
    self->acknowledge_timeout = g_timeout_add (ACKNOWLEDGE_MSEC, acknowledge_cb, self);
  if (!full)
    g_clear_handle_id (&self->acknowledge_timeout, g_source_remove);
  if (self->in_turn || wanted == (self->read_source != NULL))
    return;
  if (!wanted)
    {
      g_source_destroy (self->read_source);
      g_clear_pointer (&self->read_source, g_source_unref);
      return;
    }
  self->read_source = g_unix_fd_source_new (self->master, G_IO_IN | G_IO_HUP | G_IO_ERR);
  /* After drawing and input: a flood must not make the window late. */
  g_source_set_priority (self->read_source, G_PRIORITY_DEFAULT_IDLE);
  g_source_set_static_name (self->read_source, "[interpreter] terminal");
  g_source_set_callback (self->read_source, G_SOURCE_FUNC (read_cb), self, NULL);
  g_source_attach (self->read_source, NULL);
}

void
interp_pty_drain (InterpPty *self)
{
  gsize total = 0, length;

  g_return_if_fail (INTERP_IS_PTY (self));

  /* Called from within a turn: the turn itself reads on. */
  if (self->in_turn)
    return;
  g_object_ref (self);
  self->in_turn = TRUE;
  do
    {
      length = interp_pty_read (self);
      total += length;
      if (length > 0 && self->sink)
        self->sink->read (self->sink_data);
    }
  while (length > 0 && total < DRAIN_BYTES);
  self->in_turn = FALSE;
  interp_pty_update_reading (self);
  g_object_unref (self);
}

gboolean
interp_pty_is_readable (InterpPty *self)
{
  struct pollfd poll_fd = { .events = POLLIN };

  g_return_val_if_fail (INTERP_IS_PTY (self), FALSE);

  if (!self->open)
    return FALSE;
  poll_fd.fd = self->master;
  return poll (&poll_fd, 1, 0) > 0 && (poll_fd.revents & POLLIN) != 0;
}

gint64
interp_pty_get_last_read (InterpPty *self)
{
  g_return_val_if_fail (INTERP_IS_PTY (self), 0);

  return self->last_read;
}

void
interp_pty_show (InterpPty *self, const char *text)
{
  gsize length;

  g_return_if_fail (INTERP_IS_PTY (self));
  g_return_if_fail (text != NULL);

  length = strlen (text);
  interp_replay_push (self->replay, text, length);
  interp_pty_feed_views (self, text, length);
}

/* ---- writing ---- */

void
interp_pty_write (InterpPty *self, const char *bytes, gsize length)
{
  g_return_if_fail (INTERP_IS_PTY (self));

  if (!self->open || length == 0 || interp_write_queue_get_length (self->queue) + length > MAX_QUEUE)
    return;
  interp_write_queue_push (self->queue, self->master, bytes, length);
}

static void
answer_cb (const char *bytes, gsize length, gpointer user_data)
{
  interp_pty_write (user_data, bytes, length);
}

/* ---- the device ---- */

static gboolean
interp_pty_make_master (InterpPty *self, GError **error)
{
  g_autofd int master = posix_openpt (O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);

  if (master < 0 || grantpt (master) < 0 || unlockpt (master) < 0)
    {
      int code = errno;

      g_set_error_literal (error, G_IO_ERROR, g_io_error_from_errno (code), g_strerror (code));
      return FALSE;
    }
  self->master = g_steal_fd (&master);
  return TRUE;
}

/* As a login sets a terminal up. */
static void
set_login_modes (int fd)
{
  struct termios modes;

  if (tcgetattr (fd, &modes) < 0)
    return;
  modes.c_iflag = ICRNL | IXON | IUTF8 | BRKINT;
  modes.c_oflag = OPOST | ONLCR;
  modes.c_cflag = (modes.c_cflag & ~(tcflag_t) (CSIZE | PARENB)) | CS8 | CREAD;
  modes.c_lflag = ISIG | ICANON | IEXTEN | ECHO | ECHOE | ECHOK | ECHOCTL | ECHOKE;
  modes.c_cc[VINTR] = 003;
  modes.c_cc[VQUIT] = 034;
  modes.c_cc[VERASE] = 0177;
  modes.c_cc[VKILL] = 025;
  modes.c_cc[VEOF] = 004;
  modes.c_cc[VSTART] = 021;
  modes.c_cc[VSTOP] = 023;
  modes.c_cc[VSUSP] = 032;
  modes.c_cc[VREPRINT] = 022;
  modes.c_cc[VWERASE] = 027;
  modes.c_cc[VLNEXT] = 026;
  modes.c_cc[VMIN] = 1;
  modes.c_cc[VTIME] = 0;
  tcsetattr (fd, TCSANOW, &modes);
}

int
interp_pty_open (InterpPty *self, const char *token, GError **error)
{
  g_autofd int slave = -1;

  g_return_val_if_fail (INTERP_IS_PTY (self), -1);

  if (self->master < 0 && !interp_pty_make_master (self, error))
    return -1;
  interp_pty_drain (self);
  g_clear_fd (&self->slave, NULL);
  /* By the master, not by name: the name may mean nothing in our mount namespace. */
  self->slave = ioctl (self->master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (self->slave >= 0)
    slave = fcntl (self->slave, F_DUPFD_CLOEXEC, 3);
  if (slave < 0)
    {
      int code = errno;

      g_set_error_literal (error, G_IO_ERROR, g_io_error_from_errno (code), g_strerror (code));
      return -1;
    }
  interp_write_queue_clear (self->queue);
  set_login_modes (self->slave);
  interp_pty_flush_input (self);
  self->open = TRUE;
  interp_marker_filter_set_token (self->filter, token);
  interp_pty_apply_size (self);
  interp_pty_update_reading (self);
  return g_steal_fd (&slave);
}

gboolean
interp_pty_get_modes (InterpPty *self, struct termios *modes)
{
  g_return_val_if_fail (INTERP_IS_PTY (self), FALSE);

  return self->master >= 0 && tcgetattr (self->master, modes) == 0;
}

static gboolean
modes_are_equal (const struct termios *a, const struct termios *b)
{
  return a->c_iflag == b->c_iflag && a->c_oflag == b->c_oflag && a->c_cflag == b->c_cflag && a->c_lflag == b->c_lflag
         && memcmp (a->c_cc, b->c_cc, sizeof a->c_cc) == 0;
}

void
interp_pty_restore (InterpPty *self, const struct termios *modes)
{
  struct termios now;
  const char *reset;

  g_return_if_fail (INTERP_IS_PTY (self));
  g_return_if_fail (modes != NULL);

  if (interp_pty_get_modes (self, &now) && !modes_are_equal (&now, modes))
    tcsetattr (self->master, TCSANOW, modes);
  reset = interp_terminal_scanner_take_reset (self->scanner);
  if (reset)
    interp_pty_show (self, reset);
}

void
interp_pty_flush_input (InterpPty *self)
{
  g_return_if_fail (INTERP_IS_PTY (self));

  interp_write_queue_clear (self->queue);
  if (self->slave >= 0)
    tcflush (self->slave, TCIFLUSH);
}

gboolean
interp_pty_is_full_screen (InterpPty *self)
{
  g_return_val_if_fail (INTERP_IS_PTY (self), FALSE);

  return interp_terminal_scanner_is_full_screen (self->scanner);
}

double
interp_pty_get_progress (InterpPty *self)
{
  g_return_val_if_fail (INTERP_IS_PTY (self), -1);

  return interp_terminal_scanner_get_progress (self->scanner);
}

gboolean
interp_pty_interrupt (InterpPty *self)
{
  struct termios modes;
  ssize_t written;

  g_return_val_if_fail (INTERP_IS_PTY (self), FALSE);

  if (!self->open || !interp_pty_get_modes (self, &modes) || !(modes.c_lflag & ISIG)
      || modes.c_cc[VINTR] == _POSIX_VDISABLE)
    return FALSE;
  /* What waits to be typed would hold it up. */
  interp_write_queue_clear (self->queue);
  do
    written = write (self->master, &modes.c_cc[VINTR], 1);
  while (written < 0 && errno == EINTR);
  return written == 1;
}

int
interp_pty_get_foreground (InterpPty *self)
{
  pid_t group;

  g_return_val_if_fail (INTERP_IS_PTY (self), 0);

  if (self->master < 0)
    return 0;
  group = tcgetpgrp (self->master);
  return group > 0 ? group : 0;
}

/* ---- the object ---- */

static void
interp_pty_finalize (GObject *object)
{
  InterpPty *self = INTERP_PTY (object);

  g_clear_handle_id (&self->acknowledge_timeout, g_source_remove);
  if (self->read_source)
    g_source_destroy (self->read_source);
  g_clear_pointer (&self->read_source, g_source_unref);
  interp_write_queue_clear (self->queue);
  interp_write_queue_free (self->queue);
  /* The views belong to who watches. */
  for (guint i = 0; i < self->views->len; i++)
    {
      InterpPtyView *view = g_ptr_array_index (self->views, i);

      view->pty = NULL;
      view->unparsed = 0;
    }
  g_ptr_array_unref (self->views);
  g_clear_fd (&self->slave, NULL);
  g_clear_fd (&self->master, NULL);
  g_free (self->buffer);
  interp_marker_filter_free (self->filter);
  interp_terminal_scanner_free (self->scanner);
  interp_replay_free (self->replay);
  G_OBJECT_CLASS (interp_pty_parent_class)->finalize (object);
}

static void
interp_pty_class_init (InterpPtyClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = interp_pty_finalize;
}

static void
interp_pty_init (InterpPty *self)
{
  self->master = self->slave = -1;
  self->columns = DEFAULT_COLUMNS;
  self->rows = DEFAULT_ROWS;
  self->buffer = g_malloc (READ_SIZE);
  self->queue = interp_write_queue_new ("[interpreter] typed");
  self->views = g_ptr_array_new ();
  self->filter = interp_marker_filter_new (filter_bytes_cb, filter_mark_cb, self);
  self->scanner = interp_terminal_scanner_new (answer_cb, self);
  self->replay = interp_replay_new (INTERP_REPLAY_MAX);
  interp_terminal_scanner_set_size (self->scanner, self->columns, self->rows);
  interp_terminal_scanner_set_answering (self->scanner, TRUE);
}

InterpPty *
interp_pty_new (void)
{
  return g_object_new (INTERP_TYPE_PTY, NULL);
}

void
interp_pty_set_sink (InterpPty *self, const InterpPtySink *sink, gpointer user_data)
{
  g_return_if_fail (INTERP_IS_PTY (self));

  self->sink = sink;
  self->sink_data = user_data;
}

void
interp_pty_get_size (InterpPty *self, int *columns, int *rows)
{
  g_return_if_fail (INTERP_IS_PTY (self));

  if (columns)
    *columns = self->columns;
  if (rows)
    *rows = self->rows;
}

void
interp_pty_set_dark (InterpPty *self, gboolean dark)
{
  g_return_if_fail (INTERP_IS_PTY (self));

  interp_terminal_scanner_set_dark (self->scanner, dark);
}
