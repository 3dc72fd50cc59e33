/* llm-decode.h: an answer's bytes to its events as text
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "llm-events.h"

#include "llm/interp-answer-filter.h"
#include "llm/interp-codec.h"

typedef struct
{
  const InterpCodec *codec;
  const char *profile;
  gboolean text_mode;
} DecodeSetup;

static inline void
on_decoded (InterpEvent *event, gpointer data)
{
  interp_answer_filter_push (data, event);
}

/* As the exchange reads an answer. The end is told behind the events: "!done", or "!broken" and "!refused" with what
 * was said. */
static inline char *
decode (const char *const *pieces, const gsize *lengths, guint n, gpointer data)
{
  const DecodeSetup *setup = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (InterpProfile) profile = interp_profile_new_from_data (setup->profile, -1, &error);
  g_autoptr (InterpCodecContext) context = NULL;
  g_autoptr (InterpRequest) request = events_request (setup->text_mode);
  g_autoptr (InterpAnswerFilter) filter = NULL;
  g_autoptr (InterpRefusal) refusal = NULL;
  Events *events = events_new ();
  InterpDecodeResult result = INTERP_DECODE_MORE;
  guint n_payloads = 0;
  gpointer decoder;

  g_assert_no_error (error);
  context
      = interp_codec_context_new (profile, "http://127.0.0.1:1", NULL, interp_profile_get_quirks (profile, "m"), "m");
  filter = interp_answer_filter_new (request, FALSE, events_take, events);
  decoder = setup->codec->decoder_new (context, request, NULL, on_decoded, filter);
  for (guint i = 0; i < n && (result == INTERP_DECODE_MORE || result == INTERP_DECODE_ENDING); i++)
    result = setup->codec->decode (decoder, pieces[i], lengths[i], &n_payloads, &refusal);
  if (result == INTERP_DECODE_MORE || result == INTERP_DECODE_ENDING)
    result = setup->codec->decode_end (decoder, &refusal);
  setup->codec->decoder_free (decoder);

  if (result != INTERP_DECODE_DONE)
    interp_answer_filter_flush (filter);
  events_set_reasoning (events, FALSE);
  if (result == INTERP_DECODE_DONE)
    {
      g_assert_null (refusal);
      g_string_append (events->log, "!done");
    }
  else
    {
      g_assert_nonnull (refusal);
      if (result == INTERP_DECODE_BROKEN)
        g_string_append_printf (events->log, "!broken %s", refusal->message);
      else
        g_string_append_printf (events->log, "!refused %u %s", refusal->status, refusal->message);
    }

  return events_free (events);
}

/* In tables ' stands for ". */
static inline char *
quote (const char *text)
{
  return g_strdelimit (g_strdup (text), "'", '"');
}
