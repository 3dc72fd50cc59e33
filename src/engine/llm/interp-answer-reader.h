/* interp-answer-reader.h: answers that come as server-sent events, or as one document all the same
 *
 * What the decoders of such formats share: which of both it is, empty and broken answers, their end, and the events
 * that are given out. A decoder has the reader as its first member.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "base/interp-splitter.h"
#include "llm/interp-call-assembler.h"
#include "llm/interp-event-text.h"

G_BEGIN_DECLS

/* Most that is kept of an answer besides what is given out. */
#define INTERP_ANSWER_MAX (32 * 1024 * 1024)

typedef struct _InterpAnswerReader InterpAnswerReader;

typedef struct
{
  /* One message, or the whole answer. @event: its name, nullable. DONE at the end mark; once MORE is not expected any
   * more, reader.ending is set. */
  InterpDecodeResult (*read) (InterpAnswerReader *reader, const char *event, JsonNode *message,
                              InterpRefusal **refusal);
  /* How the answer ended; END for calls as well. */
  InterpFinish (*get_finish) (InterpAnswerReader *reader);
  /* What is to go back to this provider, nullable; transfer full. All calls have ids by now. */
  JsonNode *(*make_opaque) (InterpAnswerReader *reader);
} InterpAnswerReaderFuncs;

struct _InterpAnswerReader
{
  const InterpAnswerReaderFuncs *funcs;
  InterpCodecContext *context;
  InterpEventSink sink;
  gpointer sink_data;
  char *content_type;

  int mode;
  InterpSseParser *events;
  GString *document;

  InterpCallAssembler *calls;
  InterpEventText pending; /* of this read */
  gboolean any_content;
  gboolean ending; /* all has come but usage or an end mark */
  gboolean finished;
  gboolean has_usage;
  InterpUsage usage;
};

void interp_answer_reader_init (InterpAnswerReader *self, const InterpAnswerReaderFuncs *funcs,
                                InterpCodecContext *context, InterpRequest *request, const char *content_type,
                                InterpEventSink sink, gpointer sink_data);
void interp_answer_reader_clear (InterpAnswerReader *self);

/* @text: nullable. */
void interp_answer_reader_add_text (InterpAnswerReader *self, InterpEventKind kind, const char *text);
/* See interp_call_assembler_push (). */
int interp_answer_reader_add_call (InterpAnswerReader *self, gint64 index, const char *id, const char *name,
                                   JsonNode *arguments);
/* An error that the server reports; @found is taken. Behind a finished answer it is about nothing that would be
 * missed. */
InterpDecodeResult interp_answer_reader_refuse (InterpAnswerReader *self, InterpRefusal *found,
                                                InterpRefusal **refusal);
InterpDecodeResult interp_answer_reader_finish (InterpAnswerReader *self);

/* InterpCodec.decode and .decode_end */
InterpDecodeResult interp_answer_reader_decode (gpointer decoder, const char *bytes, gsize length, guint *n_payloads,
                                                InterpRefusal **refusal);
InterpDecodeResult interp_answer_reader_decode_end (gpointer decoder, InterpRefusal **refusal);

G_END_DECLS
