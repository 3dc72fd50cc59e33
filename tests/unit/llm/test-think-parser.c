/* test-think-parser.c
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm/interp-think-parser.h"

#include "llm-split.h"

typedef struct
{
  GString *text;
  GString *reasoning;
  guint n_rethink;
} Seen;

static void
on_think (InterpThinkKind kind, const char *text, gpointer data)
{
  Seen *seen = data;

  switch (kind)
    {
    case INTERP_THINK_TEXT:
      g_assert_cmpstr (text, !=, "");
      g_string_append (seen->text, text);
      break;
    case INTERP_THINK_REASONING:
      g_assert_cmpstr (text, !=, "");
      g_string_append (seen->reasoning, text);
      break;
    case INTERP_THINK_RETHINK:
      g_string_append (seen->reasoning, seen->text->str);
      g_string_truncate (seen->text, 0);
      seen->n_rethink++;
      break;
    default:
      g_assert_not_reached ();
    }
}

typedef struct
{
  gboolean open;
  gboolean whole;
} Mode;

static char *
parse (const char *const *pieces, const gsize *lengths, guint n, gpointer data)
{
  const Mode *mode = data;
  Seen seen = { g_string_new (NULL), g_string_new (NULL), 0 };
  g_autoptr (InterpThinkParser) parser = interp_think_parser_new (mode->open, on_think, &seen);
  char *result;

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *piece = g_strndup (pieces[i], lengths[i]);

      interp_think_parser_push (parser, piece);
    }
  interp_think_parser_finish (parser, mode->whole);

  result = g_strdup_printf ("[%s]%s%s", seen.reasoning->str, seen.text->str, seen.n_rethink > 0 ? "!" : "");
  g_string_free (seen.text, TRUE);
  g_string_free (seen.reasoning, TRUE);

  return result;
}

static void
check (const char *text, const char *expected)
{
  Mode mode = { FALSE, TRUE };

  check_text_splits (text, expected, parse, &mode);
}

static void
test_tags (void)
{
  check ("<think>so</think>Yes", "[so]Yes");
  check ("  \n<think>\n so it is \n</think>\n\n Yes\n", "[so it is]Yes\n");
  check ("<thinking>a</thinking>b", "[a]b");
  check ("<reasoning>a</reasoning>b", "[a]b");
  check ("[THINK]a[/THINK]b", "[a]b");
  check ("<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b", "[a]b");
  check ("<|channel|>final<|message|>b", "[]b");
  check ("<|channel>thought\na<channel|>b", "[a]b");
  check ("<think></think>b", "[]b");
  check ("<think>schön 日本</think>é", "[schön 日本]é");
}

static void
test_plain (void)
{
  check ("", "[]");
  check ("Hello", "[]Hello");
  check ("  Hello ", "[]  Hello ");
  check ("<thin", "[]<thin");
  check ("<thick>x", "[]<thick>x");
  check ("a <think>b</think>", "[]a <think>b</think>");
  /* Only the first pair. */
  check ("<think>a</think>b<think>c</think>d", "[a]b<think>c</think>d");
  check ("<think>a</think>b\n</think>\nc", "[a]b\n</think>\nc");
  check ("x < y and [T] and </th", "[]x < y and [T] and </th");
}

static void
test_open_at_end (void)
{
  check ("<think>so it", "[so it]");
  check ("<think>so it</thi", "[so it</thi]");
}

static void
test_without_opener (void)
{
  check ("first I look\n</think>\n\nYes", "[first I look\n]Yes!");
  check ("first I look.</think>\nYes", "[first I look.]Yes!");
  check ("first I look.</think>", "[first I look.]!");
  /* An example of a tag is not one. */
  check ("write `</think>` at the end", "[]write `</think>` at the end");
  check ("write </think> there", "[]write </think> there");
  check ("```\n</think>\n```\nb", "[]```\n</think>\n```\nb");
  check ("Use ```ls``` so\n</think>\nb", "[Use ```ls``` so\n]b!");
}

static void
test_assumed (void)
{
  Mode open = { TRUE, TRUE };
  Mode cut = { TRUE, FALSE };

  check_text_splits ("so it is\n</think>\nYes", "[so it is]Yes", parse, &open);
  check_text_splits ("<think>so</think>Yes", "[so]Yes", parse, &open);
  /* It was the answer after all. */
  check_text_splits ("Yes", "[Yes]Yes", parse, &open);
  check_text_splits ("Yes", "[Yes]", parse, &cut);
}

static void
test_learns (void)
{
  Seen seen = { g_string_new (NULL), g_string_new (NULL), 0 };
  g_autoptr (InterpThinkParser) parser = interp_think_parser_new (FALSE, on_think, &seen);

  interp_think_parser_push (parser, "a\n</think>\nb");
  interp_think_parser_finish (parser, TRUE);
  g_assert_true (interp_think_parser_lacks_opener (parser));
  g_string_free (seen.text, TRUE);
  g_string_free (seen.reasoning, TRUE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/llm/think/tags", test_tags);
  g_test_add_func ("/llm/think/plain", test_plain);
  g_test_add_func ("/llm/think/open-at-end", test_open_at_end);
  g_test_add_func ("/llm/think/without-opener", test_without_opener);
  g_test_add_func ("/llm/think/assumed", test_assumed);
  g_test_add_func ("/llm/think/learns", test_learns);

  return g_test_run ();
}
