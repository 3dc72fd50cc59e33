/* interp-context.h: which part of a conversation a model is given, and in what form
 *
 * Pure: items in, messages out. Calls and their results are never parted; the prompt of the present turn is always
 * there.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "llm/interp-message.h"
#include "session/interp-item.h"

G_BEGIN_DECLS

/* Windows, in tokens, where none is known. */
#define INTERP_CONTEXT_LOCAL_DEFAULT 8000
#define INTERP_CONTEXT_REMOTE_DEFAULT 100000

typedef struct
{
  gboolean blind;     /* it cannot see: pictures stay out, what is said of them remains */
  gboolean text_mode; /* calls are fenced blocks, results are the user's words */
  const char *model;  /* "provider/name": gets its own reasoning back; nullable */
  const char *system; /* counts; nullable */
  const char *nudge;  /* said when the conversation would end with the model's own words; nullable */
  gint64 budget;      /* tokens for all of it, without the answer */
  double token_scale; /* tokens per estimated token, from what the server counted; 1 unknown */
} InterpContextInput;

typedef struct
{
  GPtrArray *messages; /* InterpMessage */
  gint64 tokens;       /* estimate, system text included */
  guint n_left_out;    /* older exchanges that did not fit */
  gboolean shortened;  /* results of the last exchange were cut to fit */
  gboolean nudged;
} InterpContext;

void interp_context_free (InterpContext *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpContext, interp_context_free)

/* @items: InterpItem, oldest first. */
InterpContext *interp_context_build (GPtrArray *items, const InterpContextInput *input);

/* Four bytes a token. */
gint64 interp_context_estimate (const char *text);

/* For people and tests: the messages as text. */
char *interp_context_describe (GPtrArray *messages, const char *system);

G_END_DECLS
