/* test-template-marks.c
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm/interp-template-marks.h"

#include "llm-split.h"

static void
on_text (const char *text, gpointer data)
{
  g_assert_cmpstr (text, !=, "");
  g_string_append (data, text);
}

static char *
parse (const char *const *pieces, const gsize *lengths, guint n, gpointer data)
{
  GString *seen = g_string_new (NULL);
  g_autoptr (InterpTemplateMarks) marks = interp_template_marks_new (on_text, seen);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *piece = g_strndup (pieces[i], lengths[i]);

      interp_template_marks_push (marks, piece);
    }
  interp_template_marks_finish (marks);

  return g_string_free_and_steal (seen);
}

static void
check (const char *text, const char *expected)
{
  check_text_splits (text, expected, parse, NULL);
}

static void
test_ends (void)
{
  check ("Hello.<|im_end|>", "Hello.");
  check ("Hello.<|eot_id|>\n<|end_of_text|>\n", "Hello.");
  check ("Hello.<｜end▁of▁sentence｜>", "Hello.");
  check ("Hello.<end_of_turn>\n", "Hello.");
  check ("<|im_end|>", "");
}

static void
test_beginnings (void)
{
  check ("<|im_start|>assistant\nHello.", "\nHello.");
  check ("<|im_start|>Hello.", "Hello.");
  check ("\n<|begin_of_text|><|start_header_id|>assistant<|end_header_id|>\n\nHello.", "\n\nHello.");
  check ("<|im_start|>assistant\n<|im_end|>", "\n");
}

/* Between words, in prose, code and HTML they are what was said. */
static void
test_text (void)
{
  check ("", "");
  check (" \n", " \n");
  check ("a < b", "a < b");
  check ("a <", "a <");
  check ("<", "<");
  check ("Hello.<|im_en", "Hello.<|im_en");
  check ("It ends with `<|im_end|>`, then.", "It ends with `<|im_end|>`, then.");
  check ("a <|im_end|> b", "a <|im_end|> b");
  check ("say <|im_start|>assistant", "say <|im_start|>assistant");
  check ("<s>old</s>", "<s>old</s>");
  check ("<|im_end|> <b>x</b>", "<|im_end|> <b>x</b>");
  check ("<think>x</think>y", "<think>x</think>y");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/llm/template-marks/ends", test_ends);
  g_test_add_func ("/llm/template-marks/beginnings", test_beginnings);
  g_test_add_func ("/llm/template-marks/text", test_text);

  return g_test_run ();
}
