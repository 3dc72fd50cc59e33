/* wire.h: what models say, in the wire formats of their servers
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "interp-test-server.h"

G_BEGIN_DECLS

typedef struct _Wire Wire;

struct _Wire
{
  const char *name;
  const char *provider; /* the shipped profile */
  const char *base;     /* path below which it lies */
  const char *path;     /* of requests for an answer */
  const char *content_type;
  const char *key_header;
  const char *key_prefix;
  gboolean whole_calls; /* calls are sent once they are whole */

  void (*text) (InterpTestReply *reply, const char *text);
  void (*reasoning) (InterpTestReply *reply, const char *text);
  /* @cut: without the last quote and bracket. */
  void (*call) (InterpTestReply *reply, guint index, const char *id, const char *language, const char *code,
                gboolean cut);
  void (*end) (InterpTestReply *reply, const char *reason);
  void (*error) (InterpTestReply *reply, const char *type, const char *message);
};

extern const Wire wire_chat;
extern const Wire wire_ollama;
extern const Wire wire_messages;
extern const Wire wire_responses;
extern const Wire wire_gemini;

/* The answer to the next request: its head. Owned by the server. */
InterpTestReply *wire_begin (const Wire *wire, InterpTestServer *server);
/* One piece each. */
void wire_text (const Wire *wire, InterpTestReply *reply, const char *text);
void wire_reasoning (const Wire *wire, InterpTestReply *reply, const char *text);
/* A whole call of run_code. */
void wire_call (const Wire *wire, InterpTestReply *reply, guint index, const char *id, const char *language,
                const char *code);
/* The beginning of one, cut in the middle of the code (where calls are sent whole: of the message). */
void wire_cut_call (const Wire *wire, InterpTestReply *reply, const char *language, const char *code);
/* @reason: "stop", "tool_calls", "length". With usage: 11 tokens in, 7 out. */
void wire_end (const Wire *wire, InterpTestReply *reply, const char *reason);

/* An error in the middle of the stream. */
void wire_error (const Wire *wire, InterpTestReply *reply, const char *type, const char *message);

/* A whole answer of text. */
void wire_say (const Wire *wire, InterpTestServer *server, const char *text);
/* A whole answer that is a call. */
void wire_do (const Wire *wire, InterpTestServer *server, const char *id, const char *language, const char *code);

/* Answers all questions for models: there is @model, its window is @window tokens; @tools: it can call. */
void wire_serve_model (InterpTestServer *server, const char *model, guint window, gboolean tools);

G_END_DECLS
