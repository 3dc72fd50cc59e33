/* test-terminal-text.c: bytes of a terminal reduced to the text it would leave
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <string.h>

#include "base/interp-terminal-text.h"

static const struct
{
  const char *name;
  const char *bytes;
  const char *text;
} cases[] = {
  { "plain", "one\ntwo\n", "one\ntwo\n" },
  { "open line", "one\ntwo", "one\ntwo" },
  { "crlf", "one\r\ntwo\r\n", "one\ntwo\n" },
  { "progress", " 10%\r 50%\r100%\n", "100%\n" },
  { "shorter over longer", "abcdef\rxy\n", "xycdef\n" },
  { "erase to the end", "abcdef\rxy\033[K\n", "xy\n" },
  { "erase line", "abc\033[2K\rdone\n", "done\n" },
  { "backspace", "pasw\bs\bsword\n", "password\n" },
  { "tab", "a\tb\n", "a       b\n" },
  { "tqdm with two bars", "A 1\nB 1\033[A\rA 2\n\rB 2\n", "A 2\nB 2\n" },
  { "cursor up and rewrite", "x\ny\n\033[2A\033[Kz\n\n", "z\ny\n" },
  { "colours", "\033[31mred\033[0m \033[1;38;5;200mpink\033[m\n", "red pink\n" },
  { "title dropped", "\033]0;a title\007text\n", "text\n" },
  { "title ended by ST", "\033]2;a title\033\\text\n", "text\n" },
  { "device control dropped", "\033P1$r0m\033\\text\n", "text\n" },
  { "alternate screen", "before\n\033[?1049hfull screen\033[10;10Hmore\033[?1049lafter\n", "before\nafter\n" },
  { "clear screen", "old\n\033[2J\033[Hnew\n", "new\n" },
  { "wide", "\344\270\255\346\226\207 a\n", "\344\270\255\346\226\207 a\n" },
  { "half of a wide character", "\344\270\255x\r\033[Ca\n", " ax\n" },
  { "combining", "e\314\201\n", "e\314\201\n" },
  { "invalid bytes", "a\377\376b\n", "a\357\277\275\357\277\275b\n" },
  { "cut character", "a\344\270b\n", "a\357\277\275b\n" },
  { "bell and NUL", "a\007b\n", "ab\n" },
  { "hyperlink", "\033]8;;http://example.org\033\\link\033]8;;\033\\\n", "link\n" },
  { "insert and delete", "abc\r\033[2@xy\033[P\n", "xybc\n" },
  { "unknown sequences", "\033[>4;2m\033[?2004h\033(Btext\033[6n\n", "text\n" },
  { "huge numbers", "\033[99999999999999999999Cx\r\n", NULL },
  { "region", "\033[2;3r1\n2\n3\n4\n", NULL },
};

static char *
reduce (const char *bytes, gsize length, gsize cut, gsize piece)
{
  g_autoptr (InterpTerminalText) text = interp_terminal_text_new (0, 0);

  if (cut > 0)
    {
      interp_terminal_text_feed (text, bytes, cut);
      interp_terminal_text_feed (text, bytes + cut, length - cut);
    }
  else
    for (gsize i = 0; i < length; i += piece)
      interp_terminal_text_feed (text, bytes + i, MIN (piece, length - i));
  return interp_terminal_text_to_string (text, NULL);
}

static void
test_cases (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      gsize length = strlen (cases[i].bytes);
      g_autofree char *whole = reduce (cases[i].bytes, length, 0, length);
      g_autofree char *single = reduce (cases[i].bytes, length, 0, 1);

      g_test_message ("%s", cases[i].name);
      g_assert_true (g_utf8_validate (whole, -1, NULL));
      if (cases[i].text != NULL)
        g_assert_cmpstr (whole, ==, cases[i].text);
      g_assert_cmpstr (single, ==, whole);
      for (gsize cut = 1; cut < length; cut++)
        {
          g_autofree char *split = reduce (cases[i].bytes, length, cut, 0);
          g_assert_cmpstr (split, ==, whole);
        }
    }
}

static void
test_spans (void)
{
  g_autoptr (InterpTerminalText) text = interp_terminal_text_new (0, 0);
  g_autoptr (GArray) spans = NULL;
  g_autofree char *string = NULL;
  const char *bytes = "a \033[1;31mred\033[0m \033[38;2;1;2;3mrgb\033[39m \033[48;5;7mback\033[m\n";

  interp_terminal_text_feed (text, bytes, strlen (bytes));
  string = interp_terminal_text_to_string (text, &spans);
  g_assert_cmpstr (string, ==, "a red rgb back\n");
  g_assert_cmpuint (spans->len, ==, 3);
  InterpTextSpan *red = &g_array_index (spans, InterpTextSpan, 0);
  InterpTextSpan *rgb = &g_array_index (spans, InterpTextSpan, 1);
  InterpTextSpan *back = &g_array_index (spans, InterpTextSpan, 2);
  g_assert_cmpuint (red->start, ==, 2);
  g_assert_cmpuint (red->end, ==, 5);
  g_assert_cmpint (red->foreground, ==, 1);
  g_assert_cmpint (red->flags, ==, INTERP_TEXT_STYLE_BOLD);
  g_assert_cmpint (red->background, ==, -1);
  g_assert_cmpint (rgb->foreground, ==, 0x1010203);
  g_assert_cmpint (back->background, ==, 7);
  g_assert_cmpint (back->foreground, ==, -1);
}

/* Lines in several styles that are changed after they were printed. */
static void
test_styled_edits (void)
{
  static const struct
  {
    const char *bytes;
    const char *text;
    const char *spans; /* start-end:foreground/background */
  } edits[] = {
    { "\033[31mred\033[0m\rb\n", "bed\n", "1-3:1/-1 " },
    { "ab\033[31mcd\033[32mef\033[3D\033[K\n", "abc\n", "2-3:1/-1 " },
    { "ab\033[31mcd\033[2D\033[K\033[32me\n", "abe\n", "2-3:2/-1 " },
    { "\033[31mab\033[m\033[31mcd\n", "abcd\n", "0-4:1/-1 " },
    { "\033[31mab\033[3Cc\n", "ab   c\n", "0-2:1/-1 5-6:1/-1 " },
    { "\033[44m  \033[0m  x\b\033[K\n", "  \n", "0-2:-1/4 " },
    { "\033[31mabcd\r\033[0m\033[2P\n", "cd\n", "0-2:1/-1 " },
    { "\033[31mabcd\r\033[C\033[2X\n", "a  d\n", "0-1:1/-1 3-4:1/-1 " },
    { "\033[31mab\r\033[2@\n", "  ab\n", "2-4:1/-1 " },
    { "\033[31mab\033[32m\303\251c\033[m\n", "ab\303\251c\n", "0-2:1/-1 2-5:2/-1 " },
    { "plain\r\033[31mred\n", "redin\n", "0-3:1/-1 " },
  };

  for (guint i = 0; i < G_N_ELEMENTS (edits); i++)
    for (guint piece = 1; piece < 40; piece++)
      {
        g_autoptr (InterpTerminalText) text = interp_terminal_text_new (0, 0);
        g_autoptr (GArray) spans = NULL;
        g_autoptr (GString) found = g_string_new (NULL);
        g_autofree char *string = NULL;
        gsize length = strlen (edits[i].bytes);

        for (gsize at = 0; at < length; at += piece)
          interp_terminal_text_feed (text, edits[i].bytes + at, MIN (piece, length - at));
        string = interp_terminal_text_to_string (text, &spans);
        for (guint j = 0; j < spans->len; j++)
          {
            InterpTextSpan *span = &g_array_index (spans, InterpTextSpan, j);

            g_string_append_printf (found, "%" G_GSIZE_FORMAT "-%" G_GSIZE_FORMAT ":%d/%d ", span->start, span->end,
                                    span->foreground, span->background);
          }
        g_assert_cmpstr (string, ==, edits[i].text);
        g_assert_cmpstr (found->str, ==, edits[i].spans);
      }
}

/* Many lines, of which head and tail stay: counts are exact, spans fit the text. */
static void
test_limits (void)
{
  g_autoptr (InterpTerminalText) text = interp_terminal_text_new (100, 200);
  const guint n = 50000;
  g_autoptr (GArray) spans = NULL;
  g_autofree char *string = NULL;
  g_auto (GStrv) lines = NULL;

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *line = g_strdup_printf ("\033[32mline\033[0m %u\r\n", i);
      interp_terminal_text_feed (text, line, strlen (line));
    }
  string = interp_terminal_text_to_string (text, &spans);
  lines = g_strsplit (string, "\n", -1);
  g_assert_cmpuint (interp_terminal_text_get_n_lines (text), ==, n);
  g_assert_cmpstr (lines[0], ==, "line 0");
  g_assert_cmpstr (lines[99], ==, "line 99");
  g_assert_nonnull (strstr (lines[100], "left out"));
  guint64 dropped = interp_terminal_text_get_n_dropped (text);
  g_autofree char *next = g_strdup_printf ("line %u", (guint) (100 + dropped));
  g_assert_cmpstr (lines[101], ==, next);
  g_assert_cmpuint (g_strv_length (lines) - 2, ==, n - dropped);
  g_assert_cmpuint (dropped, >, n - 2000);
  for (guint i = 0; i < spans->len; i++)
    {
      InterpTextSpan *span = &g_array_index (spans, InterpTextSpan, i);
      g_assert_cmpint (strncmp (string + span->start, "line", span->end - span->start), ==, 0);
    }
}

/* A hostile stream never grows without bound and stays valid. */
static void
test_random (void)
{
  GRand *random = g_rand_new_with_seed (7);
  static const char *pieces[] = { "\033[", ";",    "5",      "999",    "A",
                                  "B",     "C",    "H",      "J",      "K",
                                  "L",     "M",    "P",      "@",      "r",
                                  "m",     "X",    "x",      "\n",     "\r",
                                  "\b",    "\t",   "\033",   "\377",   "\344\270\255",
                                  "]",     "\007", "?1049h", "?1049l", "b" };

  for (guint round = 0; round < 200; round++)
    {
      g_autoptr (InterpTerminalText) text = interp_terminal_text_new (20, 20);
      g_autofree char *string = NULL;

      for (guint i = 0; i < 500; i++)
        {
          const char *piece = pieces[g_rand_int_range (random, 0, G_N_ELEMENTS (pieces))];
          interp_terminal_text_feed (text, piece, strlen (piece));
        }
      string = interp_terminal_text_to_string (text, NULL);
      g_assert_true (g_utf8_validate (string, -1, NULL));
      g_assert_cmpuint (strlen (string), <, 4 * 1024 * 1024);
    }
  g_rand_free (random);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/terminal-text/cases", test_cases);
  g_test_add_func ("/terminal-text/spans", test_spans);
  g_test_add_func ("/terminal-text/styled-edits", test_styled_edits);
  g_test_add_func ("/terminal-text/limits", test_limits);
  g_test_add_func ("/terminal-text/random", test_random);
  return g_test_run ();
}
