/* test-pty.c: a terminal with the test at its other end
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "kernel/interp-pty-private.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <glib/gstdio.h>

#define TOKEN "0123456789abcdef"

typedef struct
{
  InterpPty *pty;
  int slave;
  GString *bytes;
  guint n_marks;
} Fixture;

static void
bytes_cb (const char *bytes, gsize length, gpointer user_data)
{
  g_string_append_len (((Fixture *) user_data)->bytes, bytes, (gssize) length);
}

static void
mark_cb (InterpMark mark, guint64 id, gpointer user_data)
{
  ((Fixture *) user_data)->n_marks++;
}

static void
read_cb (gpointer user_data)
{
}

static const InterpPtySink sink = { bytes_cb, mark_cb, read_cb };

static void
set_up (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;

  memset (fixture, 0, sizeof *fixture);
  fixture->pty = interp_pty_new ();
  fixture->bytes = g_string_new (NULL);
  interp_pty_set_sink (fixture->pty, &sink, fixture);
  fixture->slave = interp_pty_open (fixture->pty, TOKEN, &error);
  g_assert_no_error (error);
}

static void
tear_down (Fixture *fixture)
{
  g_clear_fd (&fixture->slave, NULL);
  g_assert_finalize_object (fixture->pty);
  g_string_free (fixture->bytes, TRUE);
}

static void
print (Fixture *fixture, const char *text)
{
  g_assert_cmpint (write (fixture->slave, text, strlen (text)), ==, (gssize) strlen (text));
}

static void
await_text (Fixture *fixture, const char *text)
{
  while (!strstr (fixture->bytes->str, text))
    g_main_context_iteration (NULL, TRUE);
}

static void
test_reading (void)
{
  Fixture fixture;
  struct winsize size;

  set_up (&fixture);
  g_assert_true (isatty (fixture.slave));
  g_assert_cmpint (ioctl (fixture.slave, TIOCGWINSZ, &size), ==, 0);
  g_assert_cmpint (size.ws_col, ==, 100);
  g_assert_cmpint (size.ws_row, ==, 30);
  print (&fixture, "one\n\033]7770;" TOKEN ";start;1\atwo\n");
  await_text (&fixture, "two");
  g_assert_cmpstr (fixture.bytes->str, ==, "one\r\ntwo\r\n");
  g_assert_cmpuint (fixture.n_marks, ==, 1);
  tear_down (&fixture);
}

static void
test_drain (void)
{
  Fixture fixture;

  set_up (&fixture);
  g_assert_false (interp_pty_is_readable (fixture.pty));
  print (&fixture, "waiting\n");
  g_assert_true (interp_pty_is_readable (fixture.pty));
  interp_pty_drain (fixture.pty);
  g_assert_cmpstr (fixture.bytes->str, ==, "waiting\r\n");
  g_assert_false (interp_pty_is_readable (fixture.pty));
  tear_down (&fixture);
}

/* The same terminal for another session. */
static void
test_reopen (void)
{
  Fixture fixture;
  g_autoptr (GError) error = NULL;
  struct termios modes;

  set_up (&fixture);
  print (&fixture, "first\n");
  await_text (&fixture, "first");
  g_assert_cmpint (tcgetattr (fixture.slave, &modes), ==, 0);
  cfmakeraw (&modes);
  tcsetattr (fixture.slave, TCSANOW, &modes);
  g_clear_fd (&fixture.slave, NULL);
  fixture.slave = interp_pty_open (fixture.pty, TOKEN, &error);
  g_assert_no_error (error);
  g_assert_true (interp_pty_get_modes (fixture.pty, &modes));
  g_assert_true (modes.c_lflag & ICANON);
  print (&fixture, "second\n");
  await_text (&fixture, "second");
  tear_down (&fixture);
}

static void
test_restore (void)
{
  Fixture fixture;
  struct termios login, modes;

  set_up (&fixture);
  g_assert_true (interp_pty_get_modes (fixture.pty, &login));
  modes = login;
  cfmakeraw (&modes);
  tcsetattr (fixture.slave, TCSANOW, &modes);
  interp_pty_restore (fixture.pty, &login);
  g_assert_cmpint (tcgetattr (fixture.slave, &modes), ==, 0);
  g_assert_cmpuint (modes.c_lflag, ==, login.c_lflag);
  g_assert_cmpuint (modes.c_oflag, ==, login.c_oflag);
  tear_down (&fixture);
}

static void
test_writing (void)
{
  Fixture fixture;
  struct termios modes;
  g_autofree char *text = g_strnfill (300000, 'x');
  gsize total = 0;

  set_up (&fixture);
  g_assert_true (interp_pty_get_modes (fixture.pty, &modes));
  cfmakeraw (&modes);
  tcsetattr (fixture.slave, TCSANOW, &modes);
  interp_pty_write (fixture.pty, text, strlen (text));
  while (total < strlen (text))
    {
      char bytes[4096];
      gssize got;

      while (g_main_context_iteration (NULL, FALSE))
        ;
      got = read (fixture.slave, bytes, sizeof bytes);
      g_assert_cmpint (got, >, 0);
      total += (gsize) got;
    }
  g_assert_cmpuint (total, ==, strlen (text));
  tear_down (&fixture);
}

static void
test_flush_input (void)
{
  Fixture fixture;
  int n_waiting = -1;

  set_up (&fixture);
  interp_pty_write (fixture.pty, "typed\n", 6);
  interp_pty_flush_input (fixture.pty);
  g_assert_cmpint (ioctl (fixture.slave, FIONREAD, &n_waiting), ==, 0);
  g_assert_cmpint (n_waiting, ==, 0);
  tear_down (&fixture);
}

/* ---- views ---- */

typedef struct
{
  InterpPty *pty;
  InterpPtyView *view;
  InterpPtyView *other; /* detached when fed */
  gsize live;
  gsize replayed;
} View;

static void
feed_cb (const char *bytes, gsize length, gboolean replay, gpointer user_data)
{
  View *view = user_data;

  if (replay)
    view->replayed += length;
  else
    view->live += length;
  g_clear_pointer (&view->other, interp_pty_view_detach);
}

static void
test_detach_while_fed (void)
{
  Fixture fixture;
  View one = { 0 }, other = { 0 };

  set_up (&fixture);
  one.view = interp_pty_attach (fixture.pty, feed_cb, &one);
  other.view = interp_pty_attach (fixture.pty, feed_cb, &other);
  one.other = other.view;
  print (&fixture, "text\n");
  await_text (&fixture, "text");
  g_assert_null (one.other);
  print (&fixture, "more\n");
  await_text (&fixture, "more");
  g_assert_cmpuint (one.live, ==, 12);
  g_assert_cmpuint (other.live, <=, 6);
  interp_pty_view_detach (one.view);
  tear_down (&fixture);
}

/* The view outlives the terminal. */
static void
test_terminal_goes_first (void)
{
  Fixture fixture;
  View view = { 0 };

  set_up (&fixture);
  view.view = interp_pty_attach (fixture.pty, feed_cb, &view);
  tear_down (&fixture);
  interp_pty_view_acknowledge (view.view);
  interp_pty_view_claim (view.view, 80, 24);
  interp_pty_view_detach (view.view);
}

static void
test_replay (void)
{
  Fixture fixture;
  View view = { 0 };

  set_up (&fixture);
  print (&fixture, "before\n");
  await_text (&fixture, "before");
  interp_pty_show (fixture.pty, "shown");
  view.view = interp_pty_attach (fixture.pty, feed_cb, &view);
  g_assert_cmpuint (view.replayed, ==, 13);
  g_assert_cmpuint (view.live, ==, 0);
  /* What we show is in no log. */
  g_assert_cmpstr (fixture.bytes->str, ==, "before\r\n");
  interp_pty_view_detach (view.view);
  tear_down (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernel/pty/reading", test_reading);
  g_test_add_func ("/kernel/pty/drain", test_drain);
  g_test_add_func ("/kernel/pty/reopen", test_reopen);
  g_test_add_func ("/kernel/pty/restore", test_restore);
  g_test_add_func ("/kernel/pty/writing", test_writing);
  g_test_add_func ("/kernel/pty/flush-input", test_flush_input);
  g_test_add_func ("/kernel/pty/detach-while-fed", test_detach_while_fed);
  g_test_add_func ("/kernel/pty/terminal-goes-first", test_terminal_goes_first);
  g_test_add_func ("/kernel/pty/replay", test_replay);
  return g_test_run ();
}
