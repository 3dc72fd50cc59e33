/* test-process.c: a supervised process, its descriptors and its end
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "launch/interp-process.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib-unix.h>
#include <glib/gstdio.h>

typedef struct
{
  InterpProcess *process;
  int master;
  int output; /* what it wrote to descriptor 4 */
} Fixture;

static gboolean
await (DexFuture *future, GError **error)
{
  g_autoptr (DexFuture) owned = future;

  while (dex_future_is_pending (owned))
    g_main_context_iteration (NULL, TRUE);
  return dex_future_get_value (owned, error) != NULL;
}

static int
await_int (DexFuture *future)
{
  g_autoptr (DexFuture) owned = future;
  g_autoptr (GError) error = NULL;
  const GValue *value;

  while (dex_future_is_pending (owned))
    g_main_context_iteration (NULL, TRUE);
  value = dex_future_get_value (owned, &error);
  g_assert_no_error (error);
  return g_value_get_int (value);
}

/* Numbers that the supervisor uses, free since main () began. */
static GArray *low;

/* @input: the number of its terminal here, -1 for any. */
static void
set_up_at (Fixture *fixture, int input, const char *program, const char *script, const char *folder)
{
  g_autoptr (InterpLaunch) launch = interp_launch_new ();
  g_autoptr (GError) error = NULL;
  int fds[2], slave;

  fixture->master = posix_openpt (O_RDWR | O_NOCTTY | O_CLOEXEC);
  g_assert_cmpint (fixture->master, >=, 0);
  grantpt (fixture->master);
  unlockpt (fixture->master);
  slave = open (ptsname (fixture->master), O_RDWR | O_NOCTTY | O_CLOEXEC);
  for (int target = 0; target < 3; target++)
    interp_launch_take_fd (launch,
                           target == 0 && input >= 0 ? dup3 (slave, input, O_CLOEXEC)
                                                     : fcntl (slave, F_DUPFD_CLOEXEC, 3),
                           target);
  close (slave);
  g_assert_true (g_unix_open_pipe (fds, O_CLOEXEC, NULL));
  fixture->output = fds[0];
  interp_launch_take_fd (launch, fds[1], 4);
  interp_launch_append (launch, program);
  interp_launch_append (launch, "-c");
  interp_launch_append (launch, script);
  interp_launch_set_folder (launch, folder);
  fixture->process = interp_process_spawn (launch, NULL, &error);
  g_assert_no_error (error);
}

static void
set_up (Fixture *fixture, const char *program, const char *script, const char *folder)
{
  set_up_at (fixture, -1, program, script, folder);
}

static void
tear_down (Fixture *fixture)
{
  g_assert_true (await (interp_process_close (fixture->process), NULL));
  g_assert_finalize_object (fixture->process);
  close (fixture->master);
  close (fixture->output);
}

static char *
read_all (int fd)
{
  g_autoptr (GString) text = g_string_new (NULL);
  char bytes[4096];
  gssize got;

  while ((got = read (fd, bytes, sizeof bytes)) > 0)
    g_string_append_len (text, bytes, got);
  return g_string_free_and_steal (g_steal_pointer (&text));
}

static void
test_status (void)
{
  Fixture fixture;
  int pid;

  set_up (&fixture, "sh", "exit 7", NULL);
  pid = await_int (interp_process_go (fixture.process));
  g_assert_cmpint (pid, >, 0);
  g_assert_cmpint (await_int (interp_process_wait (fixture.process)), ==, 7);
  g_assert_true (interp_process_has_ended (fixture.process));
  g_assert_cmpint (interp_process_get_signal (fixture.process), ==, 0);
  tear_down (&fixture);
}

/* Whatever number a descriptor has here, each arrives under its own there. */
static void
test_low_numbers (void)
{
  g_assert_cmpuint (low->len, >, 0);
  for (guint i = 0; i < low->len; i++)
    {
      Fixture fixture;
      g_autofree char *text = NULL;

      set_up_at (&fixture, g_array_index (low, int, i), "sh", "test -t 0 && echo there >&4; exit 7", NULL);
      g_assert_cmpint (await_int (interp_process_go (fixture.process)), >, 0);
      g_assert_cmpint (await_int (interp_process_wait (fixture.process)), ==, 7);
      text = read_all (fixture.output);
      g_assert_cmpstr (text, ==, "there\n");
      tear_down (&fixture);
    }
}

static void
test_signal (void)
{
  Fixture fixture;

  set_up (&fixture, "sh", "kill -SEGV $$", NULL);
  await_int (interp_process_go (fixture.process));
  g_assert_cmpint (await_int (interp_process_wait (fixture.process)), ==, 128 + SIGSEGV);
  g_assert_cmpint (interp_process_get_signal (fixture.process), ==, SIGSEGV);
  tear_down (&fixture);
}

/* Nothing but what was handed over is open, and signals are as they should be. */
static void
test_clean_start (void)
{
  Fixture fixture;
  g_autofree char *text = NULL;
  int leaked = open ("/dev/null", O_RDONLY); /* without CLOEXEC */
  sigset_t mask, before;

  signal (SIGINT, SIG_IGN);
  sigemptyset (&mask);
  sigaddset (&mask, SIGUSR1);
  sigprocmask (SIG_BLOCK, &mask, &before);
  set_up (&fixture, "bash",
          "for n in /proc/$$/fd/*; do [ -e $n ] && echo -n \"${n##*/} \" >&4; done; echo >&4;"
          "grep -E '^Sig(Blk|Ign)' /proc/self/status | tr '\\t' ' ' >&4; ulimit -c >&4;"
          "ps -o pgid=,tpgid=,sid= -p $$ | { read -r g t s; [ $g = $t ] && [ $g != $s ] && echo foreground >&4; }",
          NULL);
  await_int (interp_process_go (fixture.process));
  text = read_all (fixture.output);
  g_assert_cmpint (await_int (interp_process_wait (fixture.process)), ==, 0);
  signal (SIGINT, SIG_DFL);
  sigprocmask (SIG_SETMASK, &before, NULL);
  close (leaked);
  if (!g_str_has_prefix (text, "0 1 2 4 \n"))
    g_error ("Open: %s", text);
  g_assert_nonnull (strstr (text, "SigBlk: 0000000000000000"));
  g_assert_nonnull (strstr (text, "SigIgn: 0000000000000000"));
  g_assert_nonnull (strstr (text, "\n0\n"));
  g_assert_nonnull (strstr (text, "foreground"));
  tear_down (&fixture);
}

static void
test_folder (void)
{
  Fixture fixture;
  g_autofree char *text = NULL;

  set_up (&fixture, "sh", "pwd >&4", "/usr");
  await_int (interp_process_go (fixture.process));
  text = read_all (fixture.output);
  g_assert_cmpstr (text, ==, "/usr\n");
  tear_down (&fixture);
}

static void
test_failures (void)
{
  Fixture fixture;
  g_autoptr (GError) error = NULL;
  g_autoptr (GError) other = NULL;

  set_up (&fixture, "sh", ":", "/nonexistent");
  g_assert_false (await (interp_process_go (fixture.process), &error));
  g_assert_error (error, INTERP_PROCESS_ERROR, INTERP_PROCESS_ERROR_FOLDER);
  tear_down (&fixture);

  set_up (&fixture, "/nonexistent/program", ":", NULL);
  g_assert_false (await (interp_process_go (fixture.process), &other));
  g_assert_error (other, INTERP_PROCESS_ERROR, INTERP_PROCESS_ERROR_PROGRAM);
  tear_down (&fixture);
}

/* Closed before it was let go: it never runs. */
static void
test_never_let_go (void)
{
  Fixture fixture;
  g_autofree char *text = NULL;

  set_up (&fixture, "sh", "echo ran >&4", NULL);
  g_assert_true (await (interp_process_close (fixture.process), NULL));
  g_assert_false (await (interp_process_go (fixture.process), NULL));
  text = read_all (fixture.output);
  g_assert_cmpstr (text, ==, "");
  tear_down (&fixture);
}

/* What it started lives on after it, until we close. */
static void
test_orphans (void)
{
  Fixture fixture;
  g_autofree char *text = NULL;
  int pid;

  set_up (&fixture, "sh", "(setsid sh -c 'trap \"\" TERM HUP; echo $$ >&4; exec 4>&-; sleep 600' &) ", NULL);
  await_int (interp_process_go (fixture.process));
  text = read_all (fixture.output);
  pid = atoi (text);
  g_assert_cmpint (pid, >, 1);
  await_int (interp_process_wait (fixture.process));
  g_assert_cmpint (kill (pid, 0), ==, 0);
  g_assert_true (await (interp_process_close (fixture.process), NULL));
  g_assert_cmpint (kill (pid, 0), ==, -1);
  tear_down (&fixture);
}

static void
test_dropped (void)
{
  Fixture fixture;
  g_autofree char *text = NULL;

  set_up (&fixture, "sh", "sleep 600", NULL);
  await_int (interp_process_go (fixture.process));
  g_assert_finalize_object (fixture.process);
  /* Ends when nobody holds it open any more. */
  text = read_all (fixture.output);
  g_assert_cmpstr (text, ==, "");
  close (fixture.output);
  close (fixture.master);
}

int
main (int argc, char **argv)
{
  low = g_array_new (FALSE, FALSE, sizeof (int));
  for (int fd = 3; fd <= 6; fd++)
    if (fcntl (fd, F_GETFD) < 0 && dup3 (STDERR_FILENO, fd, O_CLOEXEC) == fd)
      g_array_append_val (low, fd);
  g_test_init (&argc, &argv, NULL);
  dex_init ();
  g_test_add_func ("/launch/process/status", test_status);
  g_test_add_func ("/launch/process/low-numbers", test_low_numbers);
  g_test_add_func ("/launch/process/signal", test_signal);
  g_test_add_func ("/launch/process/clean-start", test_clean_start);
  g_test_add_func ("/launch/process/folder", test_folder);
  g_test_add_func ("/launch/process/failures", test_failures);
  g_test_add_func ("/launch/process/never-let-go", test_never_let_go);
  g_test_add_func ("/launch/process/orphans", test_orphans);
  g_test_add_func ("/launch/process/dropped", test_dropped);
  return g_test_run ();
}
