/* test-terminal-scanner.c: questions, modes and progress in a terminal's stream
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "kernel/interp-terminal-scanner.h"

#include <string.h>

static void
answer_cb (const char *bytes, gsize length, gpointer user_data)
{
  g_string_append_len (user_data, bytes, (gssize) length);
}

static const struct
{
  const char *question;
  const char *answer;
} questions[] = {
  { "\033[6n", "\033[1;1R" },
  { "\033[5n", "\033[0n" },
  { "\033[c", "\033[?62;22c" },
  { "\033[0c", "\033[?62;22c" },
  { "\033[>c", "\033[>1;0;0c" },
  { "\033[18t", "\033[8;30;100t" },
  { "\033[?2026$p", "\033[?2026;0$y" },
  { "\033]11;?\a", "\033]11;rgb:ffff/ffff/ffff\a" },
  { "\033]11;?\033\\", "\033]11;rgb:ffff/ffff/ffff\033\\" },
  { "\033]10;?\a", "\033]10;rgb:1e1e/1e1e/1e1e\a" },
  { "\033P$qm\033\\", "\033P0$r\033\\" },
  { "\033P+q544e\033\\", "\033P0+r\033\\" },
  /* No questions, or ones cut off. */
  { "6n \033[31m \033]0;6n\a \033[6", "" },
  { "\033]11;?\030", "" },
  { "\033[6\033[32m", "" },
  { "\033_\033[6n", "\033[1;1R" },
};

static void
feed_pieces (InterpTerminalScanner *scanner, const char *bytes, gsize piece)
{
  gsize length = strlen (bytes);

  for (gsize at = 0; at < length; at += piece)
    interp_terminal_scanner_feed (scanner, bytes + at, MIN (piece, length - at));
}

static void
test_questions (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (questions); i++)
    for (gsize piece = 1; piece < 12; piece++)
      {
        g_autoptr (GString) answers = g_string_new (NULL);
        g_autoptr (InterpTerminalScanner) scanner = interp_terminal_scanner_new (answer_cb, answers);

        interp_terminal_scanner_set_size (scanner, 100, 30);
        feed_pieces (scanner, questions[i].question, piece);
        g_assert_cmpstr (answers->str, ==, "");
        /* An end for what was cut off. */
        interp_terminal_scanner_feed (scanner, "\030", 1);
        interp_terminal_scanner_set_answering (scanner, TRUE);
        feed_pieces (scanner, questions[i].question, piece);
        g_assert_cmpstr (answers->str, ==, questions[i].answer);
      }
}

static void
test_dark (void)
{
  g_autoptr (GString) answers = g_string_new (NULL);
  g_autoptr (InterpTerminalScanner) scanner = interp_terminal_scanner_new (answer_cb, answers);

  interp_terminal_scanner_set_answering (scanner, TRUE);
  interp_terminal_scanner_set_dark (scanner, TRUE);
  feed_pieces (scanner, "\033]11;?\a\033]10;?\a", 100);
  g_assert_cmpstr (answers->str, ==, "\033]11;rgb:1e1e/1e1e/1e1e\a\033]10;rgb:ffff/ffff/ffff\a");
}

static void
test_modes (void)
{
  g_autoptr (InterpTerminalScanner) scanner = interp_terminal_scanner_new (NULL, NULL);
  const char *reset;

  g_assert_null (interp_terminal_scanner_take_reset (scanner));
  feed_pieces (scanner, "\033[31mred\033[0m\033[m text \033[2K\033[5;5H", 3);
  reset = interp_terminal_scanner_take_reset (scanner);
  g_assert_nonnull (strstr (reset, "\033[0m"));
  /* Leaving a screen that was not entered would move the cursor. */
  g_assert_null (strstr (reset, "1049"));
  g_assert_null (interp_terminal_scanner_take_reset (scanner));

  feed_pieces (scanner, "\033[?1;1049;2004h", 1);
  g_assert_true (interp_terminal_scanner_is_full_screen (scanner));
  g_assert_nonnull (strstr (interp_terminal_scanner_take_reset (scanner), "\033[?1049l"));
  g_assert_false (interp_terminal_scanner_is_full_screen (scanner));

  feed_pieces (scanner, "\033[?47h\033[?47l", 2);
  g_assert_false (interp_terminal_scanner_is_full_screen (scanner));
  feed_pieces (scanner, "\033]0;unfinished", 2);
  g_assert_nonnull (interp_terminal_scanner_take_reset (scanner));
}

static void
test_progress (void)
{
  g_autoptr (InterpTerminalScanner) scanner = interp_terminal_scanner_new (NULL, NULL);

  g_assert_cmpfloat (interp_terminal_scanner_get_progress (scanner), <, 0);
  feed_pieces (scanner, "\033]9;4;1;25\a", 1);
  g_assert_cmpfloat_with_epsilon (interp_terminal_scanner_get_progress (scanner), .25, .001);
  feed_pieces (scanner, "\033]9;4;1;99999999999999999999999\033\\", 4);
  g_assert_cmpfloat (interp_terminal_scanner_get_progress (scanner), ==, 1);
  feed_pieces (scanner, "\033]9;4;1\a\033]9;4;1;x\a\033]9;notice\a", 4);
  g_assert_cmpfloat (interp_terminal_scanner_get_progress (scanner), ==, 1);
  feed_pieces (scanner, "\033]9;4;0\a", 4);
  g_assert_cmpfloat (interp_terminal_scanner_get_progress (scanner), <, 0);
}

static void
test_garbage (void)
{
  g_autoptr (GString) answers = g_string_new (NULL);
  g_autoptr (InterpTerminalScanner) scanner = interp_terminal_scanner_new (answer_cb, answers);
  g_autoptr (GRand) rand = g_rand_new_with_seed (7770);

  interp_terminal_scanner_set_answering (scanner, TRUE);
  for (guint i = 0; i < 200000; i++)
    {
      static const char likely[] = "\033[]P?;0123456789$cnhlmp\a\\\030\x9b\xff";
      char byte = likely[g_rand_int_range (rand, 0, sizeof likely)];

      interp_terminal_scanner_feed (scanner, &byte, 1);
    }
  interp_terminal_scanner_take_reset (scanner);
  g_string_truncate (answers, 0);
  feed_pieces (scanner, "\033[5n", 1);
  g_assert_cmpstr (answers->str, ==, "\033[0n");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernel/terminal-scanner/questions", test_questions);
  g_test_add_func ("/kernel/terminal-scanner/dark", test_dark);
  g_test_add_func ("/kernel/terminal-scanner/modes", test_modes);
  g_test_add_func ("/kernel/terminal-scanner/progress", test_progress);
  g_test_add_func ("/kernel/terminal-scanner/garbage", test_garbage);
  return g_test_run ();
}
