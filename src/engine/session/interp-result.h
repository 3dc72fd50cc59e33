/* interp-result.h: what the model is told about a cell
 *
 * In English whatever the user's language: the model reads it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "session/interp-item.h"

G_BEGIN_DECLS

/* Bytes of a run's output given to the model unless the user says otherwise. */
#define INTERP_RESULT_DEFAULT_MAX 16000

/* Of a cell that ran, whatever became of it. @notes: sentences to begin with, nullable. @max_output: bytes. */
char *interp_result_for_run (InterpCell *cell, const char *notes, gsize max_output);
/* Of a cell that the user refused. */
char *interp_result_for_refusal (InterpCell *cell);
/* Of a call that names a language or tool we lack. @available: titles joined by commas. */
char *interp_result_for_unknown (const char *what, const char *available);

/* A block in Markdown; the fence is longer than any in @code. */
char *interp_result_fence (const char *language, const char *code);

G_END_DECLS
