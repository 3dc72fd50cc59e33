/* test-markdown-printer.c: Markdown as it streams
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <string.h>

#include "interp-markdown-printer.h"

/* Styles as marks that can be read: "\033[1m" becomes "{1}". */
static char *
readable (const char *text)
{
  GString *result = g_string_new (NULL);

  for (const char *p = text; *p != '\0'; p++)
    {
      if (g_str_has_prefix (p, "\033["))
        {
          const char *end = strchr (p, 'm');

          g_string_append_printf (result, "{%.*s}", (int) (end - p - 2), p + 2);
          p = end;
        }
      else
        g_string_append_c (result, *p);
    }
  return g_string_free_and_steal (result);
}

static char *
print (const char *text, gsize first, gboolean single, gboolean styled)
{
  g_autoptr (InterpMarkdownPrinter) printer = interp_markdown_printer_new (styled);
  g_autoptr (GString) out = g_string_new (NULL);
  g_autofree char *rest = NULL;
  const char *p = text;

  while (*p != '\0')
    {
      const char *end = single ? g_utf8_next_char (p) : p == text && first > 0 ? text + first : p + strlen (p);
      g_autofree char *piece = g_strndup (p, end - p);
      g_autofree char *printed = interp_markdown_printer_push (printer, piece);

      g_string_append (out, printed);
      p = end;
    }
  rest = interp_markdown_printer_finish (printer);
  g_string_append (out, rest);
  return readable (out->str);
}

/* Pieces of fenced lines are styled one by one: what is seen is the same. */
static char *
without_styles (const char *text)
{
  g_autoptr (GRegex) regex = g_regex_new ("\\{[0-9;]*\\}", 0, 0, NULL);

  return g_regex_replace_literal (regex, text, -1, 0, "", 0, NULL);
}

static const struct
{
  const char *text;
  const char *styled;
} cases[] = {
  { "plain words", "plain words{0}" },
  { "a **bold** word", "a {0;1}bold{0} word{0}" },
  { "an *italic* word", "an {0;3}italic{0} word{0}" },
  { "___both___ x", "{0;1;3}both{0} x{0}" },
  { "snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4{0}" },
  { "use `ls -l *` now", "use {0;33}ls -l *{0} now{0}" },
  { "``a ` b``", "{0;33}a ` b{0}{0}" },
  { "# Title\ntext", "{0;1;36}Title{0}\ntext{0}" },
  { "####### seven", "####### seven{0}" },
  { "#hashtag", "#hashtag{0}" },
  { "- one\n- two", "{36}•{0} one\n{36}•{0} two{0}" },
  { "  * in", "  {36}•{0} in{0}" },
  { "- [ ] do\n- [x] done", "{36}☐{0} do\n{36}☑{0} done{0}" },
  { "-5 degrees", "-5 degrees{0}" },
  { "> said", "{36}│{0} said{0}" },
  { "---\nx", "{36}────────────────────{0}\nx{0}" },
  { "***bold-italic***", "{0;1;3}bold-italic{0}{0}" },
  { "1. first", "1. first{0}" },
  { "\\*not\\* italic", "*not* italic{0}" },
  { "**open\n\nclosed", "{0;1}open\n{0}\nclosed{0}" },
  { "```python\nx = '**a**'\n```\nend", "{2}```python{0}\n{33}x = '**a**'{0}\n{2}```{0}\nend{0}" },
  { "~~~\n```\n~~~\nend", "{2}~~~{0}\n{33}```{0}\n{2}~~~{0}\nend{0}" },
  { "```ls``` to list", "{0;33}ls{0} to list{0}" },
  { "日本 **語**", "日本 {0;1}語{0}{0}" },
  { "", "{0}" },
  { "x ****", "x ****{0}" },
  { "a *", "a *{0}" },
};

static void
test_styles (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *whole = print (cases[i].text, 0, FALSE, TRUE);

      g_assert_cmpstr (whole, ==, cases[i].styled);
    }
}

static void
test_pieces (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *singles = print (cases[i].text, 0, TRUE, TRUE);
      g_autofree char *singles_seen = without_styles (singles);
      g_autofree char *expected_seen = without_styles (cases[i].styled);

      g_assert_cmpstr (singles_seen, ==, expected_seen);
      for (const char *p = cases[i].text; *p != '\0'; p = g_utf8_next_char (p))
        {
          g_autofree char *cut = print (cases[i].text, p - cases[i].text, FALSE, TRUE);
          g_autofree char *cut_seen = without_styles (cut);

          g_assert_cmpstr (cut_seen, ==, expected_seen);
          if (strstr (cases[i].text, "```p") == NULL && strstr (cases[i].text, "~~~") == NULL)
            g_assert_cmpstr (cut, ==, cases[i].styled);
        }
    }
}

/* Text goes out as it comes: only marks that are not whole are held back. */
static void
test_at_once (void)
{
  g_autoptr (InterpMarkdownPrinter) printer = interp_markdown_printer_new (TRUE);
  g_autofree char *first = interp_markdown_printer_push (printer, "Hello wor");
  g_autofree char *second = interp_markdown_printer_push (printer, "ld **");
  g_autofree char *third = interp_markdown_printer_push (printer, "b");

  g_assert_cmpstr (first, ==, "Hello wor");
  g_assert_cmpstr (second, ==, "ld ");
  g_assert_cmpstr (third, ==, "\033[0;1mb");
}

static void
test_plain (void)
{
  static const char text[] = "# Title\n**bold** \x1b[31mred\n```\ncode\n";
  g_autofree char *plain = print (text, 0, FALSE, FALSE);

  g_assert_cmpstr (plain, ==, "# Title\n**bold** ␛[31mred\n```\ncode\n");
}

/* Whatever is said: no control of its own reaches the terminal, and it ends. */
static void
test_hostile (void)
{
  static const char alphabet[] = "*_`#>-~\\ \na[]|1.\x1b\x07";

  for (int round = 0; round < 2000; round++)
    {
      char text[64];
      g_autofree char *printed = NULL;
      int length = g_test_rand_int_range (0, sizeof text - 1);

      for (int i = 0; i < length; i++)
        text[i] = alphabet[g_test_rand_int_range (0, sizeof alphabet - 1)];
      text[length] = '\0';
      printed = print (text, 0, round % 2 == 0, TRUE);
      g_assert_null (strchr (printed, '\033'));
      g_assert_null (strchr (printed, '\007'));
      g_assert_true (g_str_has_suffix (printed, "{0}"));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/markdown-printer/styles", test_styles);
  g_test_add_func ("/markdown-printer/pieces", test_pieces);
  g_test_add_func ("/markdown-printer/at-once", test_at_once);
  g_test_add_func ("/markdown-printer/plain", test_plain);
  g_test_add_func ("/markdown-printer/hostile", test_hostile);
  return g_test_run ();
}
