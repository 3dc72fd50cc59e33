/* test-kernel-terminal.c: what running code and who watches see of the terminal
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "kernel-fixture.h"

#include <string.h>

/* ---- waiting ---- */

typedef struct
{
  InterpKernel *kernel;
  InterpWaiting waiting;
} Expected;

static gboolean
waits_for (gpointer user_data)
{
  const Expected *expected = user_data;

  return interp_kernel_get_waiting (expected->kernel) == expected->waiting;
}

static void
await_waiting (KernelFixture *fixture, InterpWaiting waiting)
{
  Expected expected = { fixture->kernel, waiting };

  kernel_test_until (waits_for, &expected);
}

typedef struct
{
  const char *path;
  const char *language;
  const char *code;
  InterpWaiting waiting;
  const char *typed;
  const char *text; /* what is printed in all */
} Case;

static const Case cases[] = {
  { "python/input", "python", "print('<' + input('name? ') + '>')", INTERP_WAITING_INPUT, "Ada\n",
    "name? Ada\n<Ada>\n" },
  { "python/getpass", "python", "import getpass\nprint(len(getpass.getpass('word: ')))", INTERP_WAITING_PASSWORD,
    "secret\n", "word: \n6\n" },
  { "python/child", "python", "import subprocess\n_ = subprocess.run(['sh', '-c', 'read x; echo \"<$x>\"'])",
    INTERP_WAITING_INPUT, "Ada\n", "Ada\n<Ada>\n" },
  { "python/full-screen", "python", "print('\\x1b[?1049h', end='', flush=True)\ninput()\nprint('\\x1b[?1049l', end='')",
    INTERP_WAITING_FULL_SCREEN, "\n", NULL },
  { "shell/read", "shell", "read -r x; echo \"<$x>\"", INTERP_WAITING_INPUT, "Ada\n", "Ada\n<Ada>\n" },
  { "shell/read-silent", "shell", "read -rs x; echo ${#x}", INTERP_WAITING_PASSWORD, "secret\n", "6\n" },
  { "shell/read-key", "shell", "read -rsn1 x; echo \"<$x>\"", INTERP_WAITING_INPUT, "k", "<k>\n" },
  { "shell/cat", "shell", "cat", INTERP_WAITING_INPUT, "Ada\n\004", "Ada\nAda\n" },
  { "shell/pipeline", "shell", "cat | tr a-z A-Z", INTERP_WAITING_INPUT, "Ada\n\004", "Ada\nADA\n" },
  { "javascript/question", "javascript",
    "const rl = require('readline/promises').createInterface({input: process.stdin, output: process.stdout});\n"
    "const name = await rl.question('name? '); rl.close(); console.log('<' + name + '>')",
    INTERP_WAITING_INPUT, "Ada\r", NULL },
  { "r/readline", "r", "x <- readline('name? '); cat('<', x, '>\\n', sep = '')", INTERP_WAITING_INPUT, "Ada\n",
    "name? Ada\n<Ada>\n" },
};

typedef struct
{
  InterpRun *run;
  const char *text; /* what is printed in all; nullable */
} Prompt;

static gboolean
has_prompt (gpointer data)
{
  const Prompt *prompt = data;
  g_autofree char *shown = NULL;
  const char *end = prompt->text != NULL ? strstr (prompt->text, "? ") : NULL;

  if (end == NULL)
    return TRUE;
  shown = kernel_test_text (prompt->run);
  return strncmp (shown, prompt->text, end + 2 - prompt->text) == 0;
}

static void
test_waiting (gconstpointer data)
{
  const Case *test = data;
  KernelFixture fixture;
  g_autoptr (InterpRun) run = NULL;
  g_autofree char *text = NULL, *log = NULL;
  InterpWaiting waiting;

  if (!kernel_fixture_set_up (&fixture, test->language))
    return;
  run = kernel_fixture_begin (&fixture, test->code);
  await_waiting (&fixture, test->waiting);
  g_object_get (run, "waiting", &waiting, NULL);
  g_assert_cmpint (waiting, ==, test->waiting);
  /* The request may be told before its prompt is read from the terminal. */
  kernel_test_until (has_prompt, &(Prompt) { run, test->text });
  kernel_fixture_type (&fixture, test->typed);
  g_assert_cmpint (kernel_test_await_int (interp_run_wait (run)), ==, INTERP_RUN_DONE);
  g_assert_cmpint (interp_kernel_get_waiting (fixture.kernel), ==, INTERP_WAITING_NO);
  text = kernel_test_text (run);
  if (test->text)
    g_assert_cmpstr (text, ==, test->text);
  if (test->waiting == INTERP_WAITING_PASSWORD)
    {
      g_assert_true (g_file_get_contents (interp_run_get_log_path (run), &log, NULL, NULL));
      g_assert_null (strstr (log, "secret"));
    }
  kernel_fixture_tear_down (&fixture);
}

/* Code that computes, or sleeps, waits for nobody. */
static void
test_not_waiting (void)
{
  KernelFixture fixture;
  g_autoptr (InterpRun) run = NULL;
  guint n_changes = 0;

  if (!kernel_fixture_set_up (&fixture, "python"))
    return;
  run = kernel_fixture_begin (&fixture, "import time\ntime.sleep(1)");
  g_signal_connect_swapped (run, "notify::waiting", G_CALLBACK (g_atomic_int_inc), &n_changes);
  g_assert_cmpint (kernel_test_await_int (interp_run_wait (run)), ==, INTERP_RUN_DONE);
  g_assert_cmpuint (n_changes, ==, 0);
  kernel_fixture_tear_down (&fixture);
}

/* What was typed while nothing ran is not the next code's. */
static void
test_typed_ahead (void)
{
  KernelFixture fixture;
  g_autoptr (InterpRun) run = NULL;
  g_autofree char *text = NULL;

  if (!kernel_fixture_set_up (&fixture, "shell"))
    return;
  kernel_fixture_check (&fixture, "true", INTERP_RUN_DONE, NULL);
  kernel_fixture_type (&fixture, "too early\n");
  run = kernel_fixture_begin (&fixture, "read -r x; echo \"<$x>\"");
  await_waiting (&fixture, INTERP_WAITING_INPUT);
  kernel_fixture_type (&fixture, "in time\n");
  g_assert_cmpint (kernel_test_await_int (interp_run_wait (run)), ==, INTERP_RUN_DONE);
  text = kernel_test_text (run);
  g_assert_nonnull (strstr (text, "<in time>"));
  kernel_fixture_tear_down (&fixture);
}

/* ---- modes ---- */

static void
test_modes_are_restored (void)
{
  KernelFixture fixture;

  if (!kernel_fixture_set_up (&fixture, "shell"))
    return;
  kernel_fixture_check (&fixture, "stty raw -echo; printf '\\033[?1049h\\033[?25l\\033[31m'", INTERP_RUN_DONE, NULL);
  kernel_fixture_check (&fixture, "stty -a | tr ' ;' '\\n\\n' | grep -xE -- '-?(echo|icanon|isig|opost)' | sort",
                        INTERP_RUN_DONE, "echo\nicanon\nisig\nopost\n");
  kernel_fixture_tear_down (&fixture);
}

/* Nobody watches: questions are answered all the same. */
static void
test_questions (void)
{
  KernelFixture fixture;

  if (!kernel_fixture_set_up (&fixture, "python"))
    return;
  kernel_fixture_check (&fixture,
                        "import sys, tty, termios, os\n"
                        "old = termios.tcgetattr(0)\n"
                        "tty.setraw(0)\n"
                        "answers = []\n"
                        "for question, end in (('\\x1b[6n', 'R'), ('\\x1b[c', 'c'), ('\\x1b[5n', 'n')):\n"
                        "  sys.stdout.write(question); sys.stdout.flush()\n"
                        "  answer = ''\n"
                        "  while not answer.endswith(end): answer += os.read(0, 1).decode()\n"
                        "  answers.append(answer)\n"
                        "termios.tcsetattr(0, termios.TCSANOW, old)\n"
                        "print(len(answers))",
                        INTERP_RUN_DONE, "3\n");
  kernel_fixture_tear_down (&fixture);
}

static void
test_progress (void)
{
  KernelFixture fixture;
  g_autoptr (InterpRun) run = NULL;
  double progress;

  if (!kernel_fixture_set_up (&fixture, "shell"))
    return;
  run = kernel_fixture_begin (&fixture, "printf '\\033]9;4;1;40\\033\\\\'; echo shown; read -r x");
  kernel_test_await_text (run, "shown");
  g_object_get (run, "progress", &progress, NULL);
  g_assert_cmpfloat_with_epsilon (progress, .4, .001);
  kernel_fixture_type (&fixture, "\n");
  kernel_test_await_int (interp_run_wait (run));
  g_object_get (run, "progress", &progress, NULL);
  g_assert_cmpfloat (progress, <, 0);
  kernel_fixture_tear_down (&fixture);
}

/* ---- views ---- */

typedef struct
{
  GString *live;
  GString *replayed;
  InterpPtyView *view;
  gboolean acknowledges;
} View;

static void
feed_cb (const char *bytes, gsize length, gboolean replay, gpointer user_data)
{
  View *view = user_data;

  g_string_append_len (replay ? view->replayed : view->live, bytes, (gssize) length);
  if (view->acknowledges && view->view)
    interp_pty_view_acknowledge (view->view);
}

static View *
view_new (KernelFixture *fixture)
{
  View *view = g_new0 (View, 1);

  view->live = g_string_new (NULL);
  view->replayed = g_string_new (NULL);
  view->acknowledges = TRUE;
  view->view = interp_pty_attach (interp_kernel_get_pty (fixture->kernel), feed_cb, view);
  return view;
}

static void
view_free (View *view)
{
  interp_pty_view_detach (view->view);
  g_string_free (view->live, TRUE);
  g_string_free (view->replayed, TRUE);
  g_free (view);
}

static void
test_views (void)
{
  KernelFixture fixture;
  View *early, *late;

  if (!kernel_fixture_set_up (&fixture, "shell"))
    return;
  early = view_new (&fixture);
  kernel_fixture_check (&fixture, "printf 'one\\n'", INTERP_RUN_DONE, "one\n");
  g_assert_nonnull (strstr (early->live->str, "one\r\n"));
  /* The marks are nobody's business. */
  g_assert_null (strstr (early->live->str, "7770"));
  late = view_new (&fixture);
  g_assert_cmpstr (late->replayed->str, ==, early->live->str);
  kernel_fixture_check (&fixture, "printf 'two\\n'", INTERP_RUN_DONE, "two\n");
  g_assert_cmpstr (late->live->str, ==, "two\r\n");

  interp_pty_view_claim (early->view, 72, 20);
  kernel_fixture_check (&fixture, "stty size", INTERP_RUN_DONE, "20 72\n");
  interp_pty_view_claim (late->view, 9, 20);
  kernel_fixture_check (&fixture, "stty size", INTERP_RUN_DONE, "20 72\n");
  interp_pty_view_claim (late->view, 60, 15);
  kernel_fixture_check (&fixture, "stty size", INTERP_RUN_DONE, "15 60\n");
  view_free (late);
  kernel_fixture_check (&fixture, "stty size", INTERP_RUN_DONE, "20 72\n");
  g_assert_true (kernel_test_await (interp_kernel_restart (fixture.kernel), NULL));
  kernel_fixture_check (&fixture, "stty size", INTERP_RUN_DONE, "20 72\n");
  view_free (early);
  kernel_fixture_tear_down (&fixture);
}

/* A view that parses nothing holds the code up; when it does, all of it comes. */
static void
test_back_pressure (void)
{
  KernelFixture fixture;
  g_autoptr (InterpRun) run = NULL;
  View *view;

  if (!kernel_fixture_set_up (&fixture, "shell"))
    return;
  view = view_new (&fixture);
  view->acknowledges = FALSE;
  run = kernel_fixture_run (&fixture, "head -c 3000000 /dev/zero | tr '\\0' x; echo");
  g_assert_cmpint (interp_run_get_status (run), ==, INTERP_RUN_DONE);
  g_assert_cmpuint (interp_terminal_text_get_n_bytes (interp_run_get_text (run)), ==, 3000002);
  g_assert_cmpuint (view->live->len, >=, 3000002);
  view_free (view);
  kernel_fixture_tear_down (&fixture);
}

/* ---- more than anybody reads ---- */

static void
test_flood (void)
{
  KernelFixture fixture;
  g_autoptr (InterpRun) run = NULL;
  g_autofree char *text = NULL;
  const gsize size = 200 * 1024 * 1024;

  if (!kernel_fixture_set_up (&fixture, "shell"))
    return;
  run = kernel_fixture_run (&fixture, "echo first; yes 'all work and no play' | head -c 209715200; echo; echo last");
  g_assert_cmpint (interp_run_get_status (run), ==, INTERP_RUN_DONE);
  g_assert_cmpuint (interp_terminal_text_get_n_bytes (interp_run_get_text (run)), >, size);
  g_assert_cmpuint (interp_run_get_unlogged_bytes (run), >, 0);
  text = kernel_test_text (run);
  g_assert_true (g_str_has_prefix (text, "first\n"));
  g_assert_true (g_str_has_suffix (text, "last\n"));
  g_assert_cmpuint (strlen (text), <, 1024 * 1024);
  g_assert_cmpuint (interp_terminal_text_get_n_dropped (interp_run_get_text (run)), >, 0);
  kernel_fixture_tear_down (&fixture);
}

/* The event channel, written by the code itself. */
static void
test_forged_events (void)
{
  KernelFixture fixture;
  g_autoptr (InterpRun) run = NULL;
  g_autofree char *text = NULL;

  if (!kernel_fixture_set_up (&fixture, "python"))
    return;
  run = kernel_fixture_run (
      &fixture, "import os, json, stat\n"
                "pipes = [n for n in range(3, 1024) if os.path.exists(f'/proc/self/fd/{n}')\n"
                "  and stat.S_ISFIFO(os.stat(f'/proc/self/fd/{n}').st_mode)\n"
                "  and os.get_blocking(n) is not None and "
                "open(f'/proc/self/fdinfo/{n}').read().split('flags:')[1].split()[0][-1] == '1']\n"
                "for n in pipes:\n"
                "  for line in (b'not json', b'[1]', b'{}', b'{\"t\":7}', b'{\"t\":\"finished\",\"id\":99999}',\n"
                "      b'{\"t\":\"display\",\"id\":1,\"mime\":\"image/png\",\"path\":\"/etc/passwd\"}',\n"
                "      b'{\"t\":\"display\",\"id\":1,\"mime\":\"../x\",\"data\":\"AAAA\"}',\n"
                "      b'{\"t\":\"line\",\"id\":1,\"line\":-5}', b'\\xff\\xfe\\x00', b'[' * 100000, b'x' * 2000000):\n"
                "    os.write(n, line + b'\\n')\n"
                "print(len(pipes))");
  text = kernel_test_text (run);
  g_assert_cmpstr (text, ==, "1\n");
  g_assert_cmpint (interp_run_get_status (run), ==, INTERP_RUN_DONE);
  g_assert_cmpuint (g_list_model_get_n_items (interp_run_get_displays (run)), ==, 0);
  g_assert_cmpint (interp_run_get_line (run), >=, 0);
  kernel_fixture_check (&fixture, "print('ok')", INTERP_RUN_DONE, "ok\n");
  kernel_fixture_tear_down (&fixture);
}

/* ---- after the end ---- */

typedef struct
{
  InterpKernel *kernel;
  guint n_signals;
  GString *text;
} Background;

/* Python writes a line and its end apart, so that either may come alone. */
static gboolean
has_background_line (gpointer user_data)
{
  Background *background = user_data;
  g_autofree char *text = interp_kernel_take_background_output (background->kernel);

  if (text != NULL)
    g_string_append (background->text, text);
  return g_str_has_suffix (background->text->str, "\n");
}

static void
test_background (void)
{
  KernelFixture fixture;
  g_autoptr (GString) text = g_string_new (NULL);
  Background background = { .text = text };

  if (!kernel_fixture_set_up (&fixture, "python"))
    return;
  background.kernel = fixture.kernel;
  g_signal_connect_swapped (fixture.kernel, "background-output", G_CALLBACK (g_atomic_int_inc), &background.n_signals);
  kernel_fixture_check (&fixture,
                        "import threading, time\n"
                        "def late(): time.sleep(.1); print('late')\n"
                        "threading.Thread(target=late).start()",
                        INTERP_RUN_DONE, "");
  kernel_test_until (has_background_line, &background);
  g_assert_cmpstr (text->str, ==, "late\n");
  g_assert_cmpuint (background.n_signals, >, 0);
  g_assert_null (interp_kernel_take_background_output (fixture.kernel));
  kernel_fixture_tear_down (&fixture);
}

/* ---- long code ---- */

static void
test_long_code (void)
{
  KernelFixture fixture;
  g_autoptr (GString) code = g_string_new ("x = '''");

  if (!kernel_fixture_set_up (&fixture, "python"))
    return;
  while (code->len < 1500000)
    g_string_append (code, "0123456789\n");
  g_string_append (code, "'''\nprint(len(x) > 1400000)");
  kernel_fixture_check (&fixture, code->str, INTERP_RUN_DONE, "True\n");
  kernel_fixture_tear_down (&fixture);
}

int
main (int argc, char **argv)
{
  kernel_test_init (&argc, &argv);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/kernel/waiting/", cases[i].path, NULL);

      g_test_add_data_func (path, &cases[i], test_waiting);
    }
  g_test_add_func ("/kernel/waiting/not", test_not_waiting);
  g_test_add_func ("/kernel/terminal/typed-ahead", test_typed_ahead);
  g_test_add_func ("/kernel/terminal/modes", test_modes_are_restored);
  g_test_add_func ("/kernel/terminal/questions", test_questions);
  g_test_add_func ("/kernel/terminal/progress", test_progress);
  g_test_add_func ("/kernel/terminal/views", test_views);
  g_test_add_func ("/kernel/terminal/back-pressure", test_back_pressure);
  g_test_add_func ("/kernel/terminal/flood", test_flood);
  g_test_add_func ("/kernel/terminal/forged-events", test_forged_events);
  g_test_add_func ("/kernel/terminal/background", test_background);
  g_test_add_func ("/kernel/terminal/long-code", test_long_code);
  return g_test_run ();
}
