/* interp-answer-reader.c: answers that come as server-sent events, or as one document all the same
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm/interp-answer-reader.h"

#include "base/interp-json.h"

#include <glib/gi18n.h>
#include <string.h>

enum
{
  MODE_UNKNOWN,
  MODE_EVENTS,
  MODE_DOCUMENT,
};

void
interp_answer_reader_init (InterpAnswerReader *self, const InterpAnswerReaderFuncs *funcs, InterpCodecContext *context,
                           InterpRequest *request, const char *content_type, InterpEventSink sink, gpointer sink_data)
{
  g_autoptr (InterpOffer) offer = interp_offer_new (request);

  self->funcs = funcs;
  self->context = interp_codec_context_ref (context);
  self->sink = sink;
  self->sink_data = sink_data;
  self->content_type = g_strdup (content_type);
  self->mode = MODE_UNKNOWN;
  self->events = interp_sse_parser_new ();
  self->document = g_string_new (NULL);
  self->calls = interp_call_assembler_new (offer, sink, sink_data);
  interp_event_text_init (&self->pending, sink, sink_data);
  self->usage = (InterpUsage) { -1, -1, -1, -1 };
}

void
interp_answer_reader_clear (InterpAnswerReader *self)
{
  interp_codec_context_unref (self->context);
  g_free (self->content_type);
  interp_sse_parser_free (self->events);
  g_string_free (self->document, TRUE);
  interp_call_assembler_free (self->calls);
  interp_event_text_clear (&self->pending);
}

/* ---- what decoders find ---- */

void
interp_answer_reader_add_text (InterpAnswerReader *self, InterpEventKind kind, const char *text)
{
  if (text == NULL || *text == '\0')
    return;

  /* What was called before it begins before it, also when both came in one read. */
  interp_call_assembler_flush (self->calls);
  interp_event_text_add (&self->pending, kind, text);
  self->any_content = TRUE;
}

int
interp_answer_reader_add_call (InterpAnswerReader *self, gint64 index, const char *id, const char *name,
                               JsonNode *arguments)
{
  self->any_content = TRUE;
  interp_event_text_flush (&self->pending);

  return interp_call_assembler_push (self->calls, index, id, name, arguments);
}

InterpDecodeResult
interp_answer_reader_refuse (InterpAnswerReader *self, InterpRefusal *found, InterpRefusal **refusal)
{
  if (self->ending && self->any_content)
    {
      interp_refusal_free (found);
      return INTERP_DECODE_ENDING;
    }

  *refusal = found;

  return INTERP_DECODE_REFUSED;
}

static void
flush (InterpAnswerReader *self)
{
  interp_event_text_flush (&self->pending);
  interp_call_assembler_flush (self->calls);
}

static void
give_opaque (InterpAnswerReader *self)
{
  g_autoptr (JsonNode) opaque = self->funcs->make_opaque (self);
  g_autofree char *text = NULL;
  InterpEvent *event;

  if (opaque == NULL)
    return;

  text = interp_json_to_string (opaque);
  event = interp_event_new_text (INTERP_EVENT_OPAQUE, self->context->opaque_tag);
  event->opaque = g_bytes_new (text, strlen (text));
  self->sink (event, self->sink_data);
}

InterpDecodeResult
interp_answer_reader_finish (InterpAnswerReader *self)
{
  InterpFinish finish;
  InterpEvent *event;
  guint n_calls;

  if (self->finished)
    return INTERP_DECODE_DONE;

  self->finished = TRUE;
  finish = self->funcs->get_finish (self);
  interp_event_text_flush (&self->pending);
  n_calls = interp_call_assembler_finish (self->calls, finish == INTERP_FINISH_LENGTH);
  give_opaque (self);

  if (self->has_usage)
    {
      event = interp_event_new (INTERP_EVENT_USAGE);
      event->usage = self->usage;
      self->sink (event, self->sink_data);
    }

  event = interp_event_new (INTERP_EVENT_FINISH);
  event->finish = finish == INTERP_FINISH_END && n_calls > 0 ? INTERP_FINISH_CALLS : finish;
  self->sink (event, self->sink_data);

  return INTERP_DECODE_DONE;
}

/* ---- reading ---- */

static InterpDecodeResult
broken (InterpRefusal **refusal, const char *words)
{
  *refusal = interp_refusal_new (0, words);

  return INTERP_DECODE_BROKEN;
}

static gboolean
is_empty (InterpAnswerReader *self)
{
  return !self->any_content && !self->ending;
}

static InterpDecodeResult
read_event (InterpAnswerReader *self, InterpSseEvent *event, guint *n_payloads, InterpRefusal **refusal)
{
  g_autoptr (JsonNode) node = NULL;
  const char *data = event->data;

  while (g_ascii_isspace (*data))
    data++;

  if (*data == '\0')
    return INTERP_DECODE_MORE;

  if (g_str_has_prefix (data, "[DONE]"))
    {
      (*n_payloads)++;
      if (is_empty (self))
        return broken (refusal, _ ("The answer was empty."));

      return interp_answer_reader_finish (self);
    }

  node = interp_json_parse (data, -1, INTERP_JSON_PARSE_NONE, NULL);
  if (node == NULL || (!interp_json_is_object (node) && !interp_json_is_array (node)))
    return broken (refusal, _ ("It sent something that is not JSON."));

  (*n_payloads)++;

  return self->funcs->read (self, event->event, node, refusal);
}

/* What the body is, from its first byte: headers say "text/event-stream" over JSON errors and the other way round. */
static void
choose_mode (InterpAnswerReader *self)
{
  const char *p = self->document->str;

  if (g_str_has_prefix (p, "\xef\xbb\xbf"))
    p += 3;

  while (g_ascii_isspace (*p))
    p++;

  if (*p == '\0' || (guchar) *p == 0xef)
    return;

  if (*p == '{' || *p == '[' || *p == '<')
    self->mode = MODE_DOCUMENT;
  else
    self->mode = MODE_EVENTS;
}

static InterpDecodeResult
drain_events (InterpAnswerReader *self, gboolean at_end, guint *n_payloads, InterpRefusal **refusal)
{
  for (;;)
    {
      g_autoptr (InterpSseEvent) event = interp_sse_parser_next (self->events, at_end);
      InterpDecodeResult step;

      if (event == NULL)
        break;

      step = read_event (self, event, n_payloads, refusal);
      if (step == INTERP_DECODE_DONE)
        return step;

      if (step == INTERP_DECODE_REFUSED || step == INTERP_DECODE_BROKEN)
        {
          flush (self);
          return step;
        }
    }

  flush (self);

  if (interp_sse_parser_overflowed (self->events))
    return broken (refusal, _ ("It sent a message that is too long."));

  return self->ending ? INTERP_DECODE_ENDING : INTERP_DECODE_MORE;
}

InterpDecodeResult
interp_answer_reader_decode (gpointer decoder, const char *bytes, gsize length, guint *n_payloads,
                             InterpRefusal **refusal)
{
  InterpAnswerReader *self = decoder;

  if (self->finished)
    return INTERP_DECODE_DONE;

  if (self->mode == MODE_UNKNOWN)
    {
      g_string_append_len (self->document, bytes, length);
      choose_mode (self);

      if (self->mode != MODE_EVENTS)
        return INTERP_DECODE_MORE;

      interp_sse_parser_push (self->events, self->document->str, self->document->len);
      g_string_truncate (self->document, 0);
    }
  else if (self->mode == MODE_DOCUMENT)
    {
      if (self->document->len + length > INTERP_ANSWER_MAX)
        return broken (refusal, _ ("It sent a message that is too long."));

      g_string_append_len (self->document, bytes, length);
      return INTERP_DECODE_MORE;
    }
  else
    {
      interp_sse_parser_push (self->events, bytes, length);
    }

  return drain_events (self, FALSE, n_payloads, refusal);
}

/* What a type says, unless it says that this is an answer. */
static const char *
name_foreign (const char *content_type)
{
  if (content_type == NULL || strstr (content_type, "json") != NULL || strstr (content_type, "event-stream") != NULL)
    return _ ("something else");
  if (strstr (content_type, "html") != NULL)
    return _ ("a web page");
  return content_type;
}

static InterpDecodeResult
read_document (InterpAnswerReader *self, InterpRefusal **refusal)
{
  const char *text = self->document->str;
  gsize length = self->document->len;
  g_autoptr (JsonNode) node = NULL;
  InterpDecodeResult result;

  if (g_str_has_prefix (text, "\xef\xbb\xbf"))
    {
      text += 3;
      length -= 3;
    }

  node = interp_json_parse (text, length, INTERP_JSON_PARSE_NONE, NULL);
  if (node == NULL)
    {
      g_autoptr (InterpRefusal) foreign = interp_refusal_from_response (0, NULL, NULL, text, length);
      g_autofree char *words = g_strdup_printf (_ ("This is not the answer of a model but %s: %s"),
                                                name_foreign (self->content_type), foreign->message);

      return broken (refusal, words);
    }

  result = self->funcs->read (self, NULL, node, refusal);
  if (result == INTERP_DECODE_REFUSED || result == INTERP_DECODE_BROKEN)
    {
      interp_event_text_flush (&self->pending);
      return result;
    }

  if (is_empty (self) && !self->finished)
    {
      *refusal = interp_refusal_from_node (node, TRUE);
      if (*refusal != NULL && *(*refusal)->message != '\0')
        return INTERP_DECODE_REFUSED;

      g_clear_pointer (refusal, interp_refusal_free);
      return broken (refusal, _ ("The answer was empty."));
    }

  return interp_answer_reader_finish (self);
}

InterpDecodeResult
interp_answer_reader_decode_end (gpointer decoder, InterpRefusal **refusal)
{
  InterpAnswerReader *self = decoder;
  InterpDecodeResult result;
  guint n_payloads = 0;

  if (self->finished)
    return INTERP_DECODE_DONE;

  if (self->mode == MODE_UNKNOWN)
    return broken (refusal, _ ("The answer was empty."));

  if (self->mode == MODE_DOCUMENT)
    return read_document (self, refusal);

  result = drain_events (self, TRUE, &n_payloads, refusal);
  if (result == INTERP_DECODE_ENDING)
    return interp_answer_reader_finish (self);

  if (result != INTERP_DECODE_MORE)
    return result;

  return broken (refusal, _ ("The connection ended before the answer did."));
}
