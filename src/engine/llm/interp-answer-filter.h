/* interp-answer-filter.h: from what a codec read to what the session sees
 *
 * Stands between a codec's events and the stream. Text is taken apart: thinking between tags becomes REASONING, calls
 * that the model printed as text become calls of origin RECOVERED, and in text mode fenced blocks of a language that
 * can run become calls of origin FENCE. All else passes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "llm/interp-codec.h"

G_BEGIN_DECLS

typedef struct _InterpAnswerFilter InterpAnswerFilter;

/* @think_open: the answer begins inside a thinking block whose tag the model's template has written. */
InterpAnswerFilter *interp_answer_filter_new (InterpRequest *request, gboolean think_open, InterpEventSink sink,
                                              gpointer sink_data);
void interp_answer_filter_free (InterpAnswerFilter *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpAnswerFilter, interp_answer_filter_free)

/* @event is taken. With FINISH all that was held back is given out first. */
void interp_answer_filter_push (InterpAnswerFilter *self, InterpEvent *event);

/* The answer broke off: gives out what is held back as text; an open block gets a fault. */
void interp_answer_filter_flush (InterpAnswerFilter *self);

/* Reads @text, which the server itself could not read, as calls. TRUE: they were given out, and FINISH. */
gboolean interp_answer_filter_salvage (InterpAnswerFilter *self, const char *text);

/* A closing tag came without an opening one: this model's answers begin inside a thinking block. */
gboolean interp_answer_filter_lacks_opener (InterpAnswerFilter *self);

G_END_DECLS
