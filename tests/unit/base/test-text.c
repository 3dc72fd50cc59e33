/* test-text.c: text for people and models
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "base/interp-text.h"

#include <string.h>

typedef struct
{
  const char *text;
  guint max_chars;
  const char *first;
  const char *last;
} Lines;

static void
test_lines (void)
{
  static const Lines cases[] = {
    { "", 80, "", "" },
    { " \n\t\n", 80, "", "" },
    { "One line", 80, "One line", "One line" },
    { "First\nSecond\n\n", 80, "First", "Second" },
    { "First\r\nSecond\r\n", 80, "First", "Second" },
    { "\n\n## A *heading*\n\nThe **end** of `it`:\n", 80, "A heading", "The end of it:" },
    { "- An item\n- Another [link](https://example.org)\n", 80, "An item", "Another link" },
    /* Fences say nothing. */
    { "Look:\n```python\n```\n", 80, "Look:", "Look:" },
    /* Characters are counted, not bytes, and none is cut in two. */
    { "äöüß 漢字", 7, "äöüß 漢字", "äöüß 漢字" },
    { "äöüß 漢字", 6, "äöüß…", "äöüß…" },
    { "🦊🦊🦊\nab", 2, "🦊…", "ab" },
    { "one\n2 * 3 * 4 = 24", 80, "one", "2 * 3 * 4 = 24" },
    { "a\xff"
      "b",
      80,
      "a\xef\xbf\xbd"
      "b",
      "a\xef\xbf\xbd"
      "b" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *first = interp_text_summary (cases[i].text, cases[i].max_chars);
      g_autofree char *last = interp_text_last_line (cases[i].text, cases[i].max_chars);

      g_assert_cmpstr (first, ==, cases[i].first);
      g_assert_cmpstr (last, ==, cases[i].last);
      g_assert_cmpint (g_utf8_strlen (last, -1), <=, cases[i].max_chars);
    }
}

/* Whatever is left out, head and tail are the text's own, and what is said of the rest is true. */
static void
test_shorten (void)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *same = interp_text_shorten ("short", 5);

  g_assert_cmpstr (same, ==, "short");
  for (guint i = 0; i < 1000; i++)
    g_string_append_printf (text, i == 500 ? "Error: number %u failed ä\n" : "line number %u ä\n", i);

  for (gsize max = 400; max < text->len; max += 611)
    {
      g_autofree char *cut = interp_text_shorten (text->str, max);

      g_assert_cmpuint (strlen (cut), <=, max);
      g_assert_true (g_utf8_validate (cut, -1, NULL));
      g_assert_true (g_str_has_prefix (cut, "line number 0 ä\n"));
      g_assert_true (g_str_has_suffix (cut, "line number 999 ä\n"));
    }
  {
    g_autofree char *cut = interp_text_shorten (text->str, 4000);

    g_assert_nonnull (strstr (cut, "Error: number 500 failed"));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/base/text/lines", test_lines);
  g_test_add_func ("/base/text/shorten", test_shorten);

  return g_test_run ();
}
