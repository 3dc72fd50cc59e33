/* interp-refusal.h: how a server says no
 *
 * All shapes in which servers put errors, into a status of their own or into a stream, brought to one. Sources: the
 * vendors' API references and recorded answers (OpenAI, Ollama, vLLM, Mistral, Gemini, OpenRouter, llama.cpp, FastAPI).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "llm/interp-message.h"
#include "llm/interp-profile.h"

#include <libsoup/soup.h>

G_BEGIN_DECLS

typedef struct
{
  guint status;            /* HTTP status, or what the error itself says it would have been; 0 unknown */
  char *message;           /* what the server said, one line, never NULL */
  char *type;              /* nullable */
  char *code;              /* nullable */
  char *param;             /* nullable: the parameter that is refused */
  char *failed_generation; /* nullable: what the model wrote that the server could not read */
  gint64 retry_after;      /* milliseconds, −1 when not said */
  int should_retry;        /* x-should-retry: 0 or 1, −1 when not said */
  gint64 n_prompt;         /* tokens asked for and there, 0 when not said */
  gint64 n_context;
} InterpRefusal;

void interp_refusal_free (InterpRefusal *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpRefusal, interp_refusal_free)

/* The error in @node, or NULL when it holds none. Only an "error" member or an object that says it is an error counts;
 * with @must_be_error (the status says so) any message does. */
InterpRefusal *interp_refusal_from_node (JsonNode *node, gboolean must_be_error);

/* The error of an answer with status @status, from its body whatever it is and its headers (nullable). */
InterpRefusal *interp_refusal_from_response (guint status, const char *reason, SoupMessageHeaders *headers,
                                             const char *body, gsize length);

InterpRefusal *interp_refusal_new (guint status, const char *message);

/* Which error of ours it is. */
InterpLlmError interp_refusal_classify (InterpRefusal *self);

/* Worth trying again without changing anything? */
gboolean interp_refusal_is_passing (InterpRefusal *self);
/* The server is there and loads its model. */
gboolean interp_refusal_is_loading (InterpRefusal *self);

/* What to do differently after this refusal, given what was sent under @quirks: quirks to add, 0 when nothing helps. */
InterpQuirks interp_refusal_suggest (InterpRefusal *self, InterpQuirks quirks);

/* A sentence for the user. @title: the provider's name; @place: URL. */
GError *interp_refusal_to_error (InterpRefusal *self, const char *title, const char *place, const char *model);

G_END_DECLS
