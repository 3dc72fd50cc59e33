/* interp-answer-filter.c: from what a codec read to what the session sees
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm/interp-answer-filter.h"

struct _InterpAnswerFilter
{
  InterpRequest *request;
  InterpEventSink sink;
  gpointer sink_data;
};

InterpAnswerFilter *
interp_answer_filter_new (InterpRequest *request, gboolean think_open, InterpEventSink sink, gpointer sink_data)
{
  InterpAnswerFilter *self = g_new0 (InterpAnswerFilter, 1);

  self->request = interp_request_ref (request);
  self->sink = sink;
  self->sink_data = sink_data;

  return self;
}

void
interp_answer_filter_free (InterpAnswerFilter *self)
{
  interp_request_unref (self->request);
  g_free (self);
}

void
interp_answer_filter_push (InterpAnswerFilter *self, InterpEvent *event)
{
  self->sink (event, self->sink_data);
}

void
interp_answer_filter_flush (InterpAnswerFilter *self)
{
}

gboolean
interp_answer_filter_salvage (InterpAnswerFilter *self, const char *text)
{
  return FALSE;
}

gboolean
interp_answer_filter_lacks_opener (InterpAnswerFilter *self)
{
  return FALSE;
}
