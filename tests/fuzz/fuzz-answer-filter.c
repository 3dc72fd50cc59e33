/* fuzz-answer-filter.c: text that holds thinking, calls and fenced blocks
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "base/interp-text.h"
#include "fuzz-answer.h"
#include "fuzz.h"
#include "llm/interp-answer-filter.h"

#include <string.h>

typedef struct
{
  InterpRequest *request;
  gboolean think_open;
  gboolean broken; /* the answer broke off */
} Setup;

static void
push_piece (const char *piece, gsize length, gpointer filter)
{
  interp_answer_filter_push (filter, interp_event_new_text (INTERP_EVENT_TEXT, piece));
}

static char *
parse (const char *text, gsize length, FuzzCut cut, gpointer data)
{
  const Setup *setup = data;
  FuzzAnswer *answer = fuzz_answer_new ();
  g_autoptr (InterpAnswerFilter) filter
      = interp_answer_filter_new (setup->request, setup->think_open, fuzz_answer_take, answer);

  fuzz_cut_text (text, cut, push_piece, filter);
  if (setup->broken)
    interp_answer_filter_flush (filter);
  else
    {
      InterpEvent *event = interp_event_new (INTERP_EVENT_FINISH);

      event->finish = INTERP_FINISH_END;
      interp_answer_filter_push (filter, event);
    }
  g_assert_cmpuint (fuzz_answer_get_n_open (answer), ==, 0);
  g_assert_cmpuint (fuzz_answer_get_n_finished (answer), ==, setup->broken ? 0 : 1);

  return fuzz_answer_free (answer);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autofree char *text = interp_text_make_valid ((const char *) data, size);

  for (int text_mode = 0; text_mode < 2; text_mode++)
    {
      g_autoptr (InterpRequest) request = fuzz_answer_make_request (text_mode);

      /* One of the ways an input, to be quick; changes change the length. */
      Setup setup = { request, size & 1, size & 2 };

      fuzz_check_cuts (text, strlen (text), parse, &setup);
    }

  return 0;
}
