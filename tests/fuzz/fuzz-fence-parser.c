/* fuzz-fence-parser.c: text with fenced blocks
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "base/interp-text.h"
#include "fuzz-answer.h"
#include "fuzz.h"
#include "llm/interp-fence-parser.h"

#include <string.h>

typedef struct
{
  InterpOffer *offer;
  const char *fault;
} Setup;

static void
push_piece (const char *piece, gsize length, gpointer parser)
{
  interp_fence_parser_push (parser, piece);
}

static char *
parse (const char *text, gsize length, FuzzCut cut, gpointer data)
{
  const Setup *setup = data;
  FuzzAnswer *answer = fuzz_answer_new ();
  g_autoptr (InterpFenceParser) parser = interp_fence_parser_new (setup->offer, fuzz_answer_take, answer);
  g_autofree char *log = NULL;

  fuzz_cut_text (text, cut, push_piece, parser);
  interp_fence_parser_finish (parser, setup->fault);
  g_assert_cmpuint (fuzz_answer_get_n_open (answer), ==, 0);
  g_assert_cmpuint (fuzz_answer_get_n_finished (answer), ==, 0);
  g_assert_cmpuint (fuzz_answer_get_size (answer), <=, length); /* nothing is made up */
  log = fuzz_answer_free (answer);

  return g_strdup_printf ("%s\n%u", log, interp_fence_parser_get_n_calls (parser));
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autofree char *text = interp_text_make_valid ((const char *) data, size);
  g_autoptr (InterpRequest) request = fuzz_answer_make_request (TRUE);
  g_autoptr (InterpOffer) offer = interp_offer_new (request);
  const char *faults[] = { NULL, "It was cut." };

  for (gsize i = 0; i < G_N_ELEMENTS (faults); i++)
    {
      Setup setup = { offer, faults[i] };

      fuzz_check_cuts (text, strlen (text), parse, &setup);
    }

  return 0;
}
