/* fuzz-codec.c: the answer's bytes, read by the codec that FUZZ_NAME names
 *
 * Whatever a server sends, and however the network cuts it: an answer ends with one FINISH, or with a refusal that says
 * something and no FINISH.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "base/interp-json.h"
#include "fuzz-answer.h"
#include "fuzz.h"
#include "llm/interp-answer-filter.h"
#include "llm/interp-codec.h"

typedef struct
{
  const InterpCodec *codec;
  InterpCodecContext *context;
  InterpRequest *request;
  const char *content_type;
} Setup;

typedef struct
{
  const InterpCodec *codec;
  gpointer decoder;
  InterpDecodeResult result;
  InterpRefusal *refusal;
} Reading;

static void
on_event (InterpEvent *event, gpointer filter)
{
  interp_answer_filter_push (filter, event);
}

static gboolean
goes_on (InterpDecodeResult result)
{
  return result == INTERP_DECODE_MORE || result == INTERP_DECODE_ENDING;
}

static void
read_piece (const char *piece, gsize length, gpointer data)
{
  Reading *self = data;
  guint n_payloads = 0;

  if (goes_on (self->result))
    self->result = self->codec->decode (self->decoder, piece, length, &n_payloads, &self->refusal);
}

static char *
read_answer (const char *bytes, gsize length, FuzzCut cut, gpointer data)
{
  const Setup *setup = data;
  FuzzAnswer *answer = fuzz_answer_new ();
  g_autoptr (InterpAnswerFilter) filter = interp_answer_filter_new (setup->request, FALSE, fuzz_answer_take, answer);
  Reading reading = { setup->codec, NULL, INTERP_DECODE_MORE, NULL };
  g_autofree char *log = NULL;
  g_autofree char *said = NULL;

  reading.decoder = setup->codec->decoder_new (setup->context, setup->request, setup->content_type, on_event, filter);
  fuzz_cut_bytes (bytes, length, cut, read_piece, &reading);
  if (goes_on (reading.result))
    reading.result = setup->codec->decode_end (reading.decoder, &reading.refusal);
  setup->codec->decoder_free (reading.decoder);
  g_assert_false (goes_on (reading.result));

  if (reading.result == INTERP_DECODE_DONE)
    {
      g_assert_null (reading.refusal);
      g_assert_cmpuint (fuzz_answer_get_n_finished (answer), ==, 1);
      g_assert_cmpuint (fuzz_answer_get_n_open (answer), ==, 0);
      said = g_strdup ("done");
    }
  else
    {
      g_assert_cmpuint (fuzz_answer_get_n_finished (answer), ==, 0);
      interp_answer_filter_flush (filter);
      g_assert_cmpuint (fuzz_answer_get_n_finished (answer), ==, 0);
      g_assert_nonnull (reading.refusal);
      fuzz_check_text (reading.refusal->message);
      g_assert_null (strpbrk (reading.refusal->message, "\r\n"));
      said = g_strdup_printf ("%s %u %s", reading.result == INTERP_DECODE_BROKEN ? "broken" : "refused",
                              reading.refusal->status, reading.refusal->message);
      interp_refusal_free (reading.refusal);
    }
  log = fuzz_answer_free (answer);

  return g_strconcat (log, "\n", said, NULL);
}

/* What else is asked of servers. */
static void
read_facts (const InterpCodec *codec, const char *bytes, gsize length)
{
  g_autoptr (JsonNode) node = interp_json_parse (bytes, length, INTERP_JSON_PARSE_NONE, NULL);
  g_autoptr (InterpModelFacts) facts = NULL;
  g_autoptr (GPtrArray) list = NULL;

  if (node == NULL)
    return;

  list = codec->parse_list (node);
  for (guint i = 0; list != NULL && i < list->len; i++)
    {
      InterpModelFacts *model = g_ptr_array_index (list, i);

      fuzz_check_text (model->name);
      g_assert_cmpint (model->context_window, >=, 0);
    }

  facts = interp_model_facts_new ("m");
  if (codec->parse_inspect != NULL)
    codec->parse_inspect (node, facts);
  g_assert_cmpint (facts->context_window, >=, 0);
  if (codec->parse_loaded != NULL)
    codec->parse_loaded (node, "m");
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const char profile_text[] = "[Provider]\nId=x\nTitle=X\nCodec=" FUZZ_NAME "\nBaseUrl=http://127.0.0.1:1\n";
  g_autoptr (GError) error = NULL;
  g_autoptr (InterpProfile) profile = interp_profile_new_from_data (profile_text, -1, &error);
  g_autoptr (InterpCodecContext) context = NULL;
  const InterpCodec *codec = interp_codec_find (FUZZ_NAME);
  const char *bytes = (const char *) data;

  g_assert_no_error (error);
  g_assert_nonnull (codec);
  context = interp_codec_context_new (profile, "http://127.0.0.1:1", NULL, 0, "m");

  for (int text_mode = 0; text_mode < 2; text_mode++)
    {
      g_autoptr (InterpRequest) request = fuzz_answer_make_request (text_mode);
      Setup setup = { codec, context, request, NULL };

      fuzz_check_cuts (bytes, size, read_answer, &setup);
    }
  read_facts (codec, bytes, size);

  return 0;
}
