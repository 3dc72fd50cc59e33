/* test-code-printer.c: numbered and coloured code
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <string.h>

#include "interp-code-printer.h"

static char *
print (const char *language, const char *code, gboolean styled)
{
  g_autoptr (InterpCodePrinter) printer = interp_code_printer_new (language, styled);

  return interp_code_printer_update (printer, code, TRUE);
}

static char *
without_styles (const char *text)
{
  g_autoptr (GRegex) regex = g_regex_new ("\033\\[[0-9;]*m", 0, 0, NULL);

  return g_regex_replace_literal (regex, text, -1, 0, "", 0, NULL);
}

static void
test_numbers (void)
{
  g_autofree char *text = print ("python", "a = 1\n\nprint(a)", FALSE);
  g_autofree char *ended = print (NULL, "a = 1\n", FALSE);
  g_autofree char *nothing = print (NULL, "", FALSE);

  g_assert_cmpstr (text, ==, "   1 │ a = 1\n   2 │ \n   3 │ print(a)\n");
  g_assert_cmpstr (ended, ==, "   1 │ a = 1\n");
  g_assert_cmpstr (nothing, ==, "");
}

static void
test_colours (void)
{
  static const struct
  {
    const char *language;
    const char *code;
    const char *expected; /* must be there */
  } cases[] = {
    { "python", "if x: pass", "\033[1;34mif\033[0m x: \033[1;34mpass\033[0m" },
    { "python", "notify = 'a # b' # c", "notify = \033[32m'a # b'\033[0m \033[2;3m# c\033[0m" },
    { "python", "'a\\'b' + x", "\033[32m'a\\'b'\033[0m + x" },
    { "python", "n = 42", "n = \033[35m42\033[0m" },
    { "shell", "echo a#b # c", "echo a#b \033[2;3m# c\033[0m" },
    { "shell", "for f in *; do", "\033[1;34mfor\033[0m f \033[1;34min\033[0m *; \033[1;34mdo\033[0m" },
    { "javascript", "const a = `x ${b}`; // c",
      "\033[1;34mconst\033[0m a = \033[32m`x ${b}`\033[0m; \033[2;3m// c\033[0m" },
    { "r", "f <- function(x) TRUE", "f <- \033[1;34mfunction\033[0m(x) \033[1;34mTRUE\033[0m" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = print (cases[i].language, cases[i].code, TRUE);

      if (strstr (text, cases[i].expected) == NULL)
        g_error ("%s: %s", cases[i].code, text);
    }
}

static void
test_regions (void)
{
  g_autofree char *python = print ("python", "a = \"\"\"one\nif two\n\"\"\" if x else y", TRUE);
  g_autofree char *javascript = print ("javascript", "/* if\n * of */ if (x)", TRUE);

  g_assert_nonnull (strstr (python, "\033[32mif two\033[0m\n"));
  g_assert_nonnull (strstr (python, "\033[32m\"\"\"\033[0m \033[1;34mif\033[0m x"));
  g_assert_nonnull (strstr (javascript, "\033[2;3m * of */\033[0m \033[1;34mif\033[0m (x)"));
}

/* Streamed in any pieces it is the same as at once. */
static void
test_pieces (void)
{
  static const char code[] = "def f(x):\n    \"\"\"Doc\n    more\"\"\"\n    return x  # 値\n\nprint(f(3))";
  g_autofree char *whole = print ("python", code, TRUE);

  for (const char *cut = code; *cut != '\0'; cut = g_utf8_next_char (cut))
    {
      g_autoptr (InterpCodePrinter) printer = interp_code_printer_new ("python", TRUE);
      g_autofree char *part = g_strndup (code, cut - code);
      g_autofree char *first = interp_code_printer_update (printer, part, FALSE);
      g_autofree char *rest = interp_code_printer_update (printer, code, TRUE);
      g_autofree char *both = g_strconcat (first, rest, NULL);

      g_assert_cmpstr (both, ==, whole);
    }
}

static void
test_outdated (void)
{
  g_autoptr (InterpCodePrinter) printer = interp_code_printer_new ("python", FALSE);
  g_autofree char *first = interp_code_printer_update (printer, "a\nb", FALSE);

  g_assert_cmpstr (first, ==, "   1 │ a\n");
  g_assert_false (interp_code_printer_is_outdated (printer, "a\nc\n"));
  g_assert_true (interp_code_printer_is_outdated (printer, "x\nb\n"));
}

/* What cannot be seen is shown, and nothing of the code reaches the terminal as a control. */
static void
test_hostile (void)
{
  g_autofree char *hidden = print ("shell", "ls # \x1b[2K\rrm -rf ~\n\xe2\x80\xae", FALSE);
  static const char alphabet[] = "\"'`#/*\\\n \x1b\x9b$ifor0_";

  g_assert_cmpstr (hidden, ==, "   1 │ ls # ␛[2K␍rm -rf ~\n   2 │ ⟨U+202E⟩\n");
  for (int round = 0; round < 2000; round++)
    {
      static const char *const ids[] = { "python", "shell", "javascript", "r", "other" };
      char code[48];
      g_autofree char *text = NULL;
      g_autofree char *seen = NULL;
      int length = g_test_rand_int_range (0, sizeof code - 1);

      for (int i = 0; i < length; i++)
        code[i] = alphabet[g_test_rand_int_range (0, sizeof alphabet - 1)];
      code[length] = '\0';
      text = print (ids[round % G_N_ELEMENTS (ids)], code, TRUE);
      seen = without_styles (text);
      g_assert_null (strchr (seen, '\033'));
      g_assert_true (g_utf8_validate (seen, -1, NULL));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/code-printer/numbers", test_numbers);
  g_test_add_func ("/code-printer/colours", test_colours);
  g_test_add_func ("/code-printer/regions", test_regions);
  g_test_add_func ("/code-printer/pieces", test_pieces);
  g_test_add_func ("/code-printer/outdated", test_outdated);
  g_test_add_func ("/code-printer/hostile", test_hostile);
  return g_test_run ();
}
