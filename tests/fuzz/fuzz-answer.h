/* fuzz-answer.h: an answer's events, checked and brought to one form
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "llm/interp-message.h"

G_BEGIN_DECLS

typedef struct _FuzzAnswer FuzzAnswer;

FuzzAnswer *fuzz_answer_new (void);

/* An InterpEventSink. Aborts when the event is not valid, or not at its place. */
void fuzz_answer_take (InterpEvent *event, gpointer answer);

guint fuzz_answer_get_n_finished (FuzzAnswer *self);
guint fuzz_answer_get_n_open (FuzzAnswer *self); /* calls that have begun and not ended */
/* Bytes of text and code. */
gsize fuzz_answer_get_size (FuzzAnswer *self);

/* The answer as the session would keep it; frees it. */
char *fuzz_answer_free (FuzzAnswer *self);

/* A request that offers run_code in a few languages; in text mode as fences. */
InterpRequest *fuzz_answer_make_request (gboolean text_mode);

G_END_DECLS
