/* fuzz-think-parser.c: text with thinking between tags
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "base/interp-text.h"
#include "fuzz.h"
#include "llm/interp-think-parser.h"

#include <string.h>

typedef struct
{
  gboolean open;
  gboolean whole;
} Setup;

typedef struct
{
  GString *text;
  GString *reasoning;
  guint n_rethought;
} Seen;

static void
on_think (InterpThinkKind kind, const char *text, gpointer data)
{
  Seen *seen = data;

  if (kind == INTERP_THINK_RETHINK)
    {
      g_assert_null (text);
      g_string_append (seen->reasoning, seen->text->str);
      g_string_truncate (seen->text, 0);
      seen->n_rethought++;
      return;
    }

  g_assert_cmpstr (text, !=, "");
  fuzz_check_text (text);
  g_string_append (kind == INTERP_THINK_TEXT ? seen->text : seen->reasoning, text);
}

static void
push_piece (const char *piece, gsize length, gpointer parser)
{
  interp_think_parser_push (parser, piece);
}

static char *
parse (const char *text, gsize length, FuzzCut cut, gpointer data)
{
  const Setup *setup = data;
  Seen seen = { g_string_new (NULL), g_string_new (NULL), 0 };
  g_autoptr (InterpThinkParser) parser = interp_think_parser_new (setup->open, on_think, &seen);
  char *log;

  fuzz_cut_text (text, cut, push_piece, parser);
  interp_think_parser_finish (parser, setup->whole);

  g_assert_cmpuint (seen.n_rethought, <=, 1);
  /* Nothing is made up; what was only assumed to be thinking is said once more as the answer. */
  g_assert_cmpuint (seen.text->len, <=, length);
  g_assert_cmpuint (seen.reasoning->len, <=, length);
  if (!setup->open && strpbrk (text, "<[") == NULL)
    g_assert_cmpstr (seen.text->str, ==, text);

  log = g_strdup_printf ("%s\n----\n%s\n%u %d", seen.reasoning->str, seen.text->str, seen.n_rethought,
                         interp_think_parser_lacks_opener (parser));
  g_string_free (seen.text, TRUE);
  g_string_free (seen.reasoning, TRUE);

  return log;
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autofree char *text = interp_text_make_valid ((const char *) data, size);

  for (int open = 0; open < 2; open++)
    for (int whole = 0; whole < 2; whole++)
      {
        Setup setup = { open, whole };

        fuzz_check_cuts (text, strlen (text), parse, &setup);
      }

  return 0;
}
