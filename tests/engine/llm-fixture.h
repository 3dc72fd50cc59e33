/* llm-fixture.h: answers of scripted servers, collected
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "llm/interp-models.h"

#include "interp-test-server.h"
#include "wire.h"

G_BEGIN_DECLS

/* A whole answer. */
typedef struct
{
  GString *text;
  GString *reasoning;
  GPtrArray *calls;    /* InterpCall, as ended */
  GPtrArray *progress; /* code of each CALL_PROGRESS, char * */
  GPtrArray *waits;    /* PROGRESS texts, each once */
  GPtrArray *warnings;
  gint64 longest_wait; /* largest retry_in, ms */
  InterpUsage usage;
  InterpFinish finish;
  guint n_finish;
  guint n_rethink;
  char *opaque_tag;
  char *opaque;
  GError *error;
} LlmAnswer;

void llm_answer_free (LlmAnswer *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LlmAnswer, llm_answer_free)

/* Private folders, libdex, short ticks; before anything else. */
void llm_test_init (int *argc, char ***argv);

/* A provider of the shipped profile @id at the server. */
InterpProvider *llm_test_provider (InterpTestServer *server, const char *id);
/* "Say something" with the tool run_code, languages python, shell, javascript, r. */
InterpRequest *llm_test_request (const char *model, gboolean text_mode);

/* A server, a provider there, and what it is asked. */
typedef struct
{
  const Wire *wire;
  InterpTestServer *server;
  InterpProvider *provider;
  InterpRequest *request;
} LlmFixture;

/* Of the shipped profile of @wire; @model: "m" when NULL. */
void llm_fixture_set_up (LlmFixture *self, const Wire *wire, const char *model);
void llm_fixture_tear_down (LlmFixture *self, gconstpointer data);
/* Asks, expects "Hello" and gives back the last that was sent: refused ones may come before it. */
JsonNode *llm_fixture_ask (LlmFixture *self);
/* At the end of the request; borrowed. */
InterpMessage *llm_fixture_add_message (LlmFixture *self, InterpRole role, const char *text);
/* Of a call of run_code. */
InterpMessage *llm_fixture_add_result (LlmFixture *self, const char *id, const char *text);

/* Reads the stream to its end or error. @stream is taken. */
LlmAnswer *llm_test_collect (InterpStream *stream);
LlmAnswer *llm_test_ask (InterpProvider *provider, InterpRequest *request);

/* Reads until an event of this kind and returns it. */
InterpEvent *llm_test_until (InterpStream *stream, InterpEventKind kind);

/* Makes waiting quick: to what is tested, @step milliseconds pass in each of the main loop. */
void llm_test_hurry (guint step);
void llm_test_stop_hurrying (void);

/* The JSON that was sent. */
JsonNode *llm_test_sent (InterpTestServer *server, const char *path, guint n);

G_END_DECLS
