/* session-fixture.h: conversations with a scripted server and real kernels
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "kernel-fixture.h"
#include "session/interp-engine.h"
#include "wire.h"

G_BEGIN_DECLS

#define SESSION_TEST_MODEL "scripted"

typedef struct
{
  const Wire *wire;
  InterpTestServer *server;
  InterpOptions *options;
  char *data_folder;
  char *folder; /* the working folder */
  InterpEngine *engine;
  InterpSession *session; /* a new chat at first */
  guint n_finished;       /* turns that have ended */
  guint n_awaited;        /* of these, awaited */
} SessionFixture;

/* A private home, libdex; before anything else. */
void session_test_init (int *argc, char ***argv);

/* @data: a Wire; NULL is wire_chat. The model can call. */
void session_fixture_set_up (SessionFixture *self, gconstpointer data);
/* The same with a model that cannot. */
void session_fixture_set_up_text_mode (SessionFixture *self, gconstpointer data);
void session_fixture_tear_down (SessionFixture *self, gconstpointer data);
#define session_test_add(path, data, func) \
  g_test_add (path, SessionFixture, data, session_fixture_set_up, func, session_fixture_tear_down)
#define session_test_add_text_mode(path, data, func) \
  g_test_add (path, SessionFixture, data, session_fixture_set_up_text_mode, func, session_fixture_tear_down)

typedef struct
{
  const char *name;
  void (*func) (SessionFixture *self, gconstpointer data);
} SessionTest;

/* Adds each for both wire formats, as "/session/ROOM/PROVIDER/NAME". */
void session_test_add_table (const char *room, const SessionTest *tests, guint n_tests, gboolean text_mode);

/* Ends Interpreter and starts it anew, with the same chat. */
void session_fixture_restart (SessionFixture *self);
void session_fixture_close (SessionFixture *self);
void session_fixture_open (SessionFixture *self, gint64 chat);

void session_fixture_send (SessionFixture *self, const char *text);
/* Until the turn has ended; the session is idle then. */
void session_fixture_await_end (SessionFixture *self);
void session_fixture_await_state (SessionFixture *self, InterpSessionState state);
/* Until something is asked. Borrowed. */
InterpCell *session_fixture_await_question (SessionFixture *self);
/* Approves it as it stands. */
void session_fixture_approve (SessionFixture *self);
/* Until there is an @n-th cell and it is in @state. Borrowed. */
InterpCell *session_fixture_await_cell (SessionFixture *self, guint n, InterpCellState state);
/* Until the shown text or output of the @n-th item of @kind holds @text. */
InterpItem *session_fixture_await_text (SessionFixture *self, InterpItemKind kind, guint n, const char *text);

/* The @n-th shown item of @kind, NULL when there are not so many. Borrowed. */
InterpItem *session_fixture_get_item (SessionFixture *self, InterpItemKind kind, guint n);
InterpCell *session_fixture_get_cell (SessionFixture *self, guint n);
guint session_fixture_count (SessionFixture *self, InterpItemKind kind);
/* All that is shown, an item a line: to compare, and to be read when a test fails. */
char *session_fixture_describe (SessionFixture *self);

/* The @n-th request for an answer, once it has come. */
JsonNode *session_fixture_get_request (SessionFixture *self, guint n);
guint session_fixture_get_n_requests (SessionFixture *self);
/* What it says as the result of the call @id; NULL when it has none. Fails when there are two. */
const char *session_test_get_result (JsonNode *request, const char *id);
/* All text in its messages, "ROLE: text" a line. */
char *session_test_get_conversation (JsonNode *request);
/* Fails unless each call in it has exactly one result, right behind it. */
void session_test_check_calls (JsonNode *request);

/* Shell code that prints "begun", waits for session_fixture_go_on (), and prints "ended". */
#define SESSION_TEST_WAIT "mkfifo go-on; echo begun; read -r _ <go-on; echo ended"
void session_fixture_go_on (SessionFixture *self);

/* A file in the working folder: what it holds, NULL when there is none. */
char *session_fixture_read_file (SessionFixture *self, const char *name);

void session_test_assert_contains (const char *text, const char *part);
void session_test_assert_lacks (const char *text, const char *part);

G_END_DECLS
