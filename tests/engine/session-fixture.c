/* session-fixture.c: conversations with a scripted server and real kernels
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "session-fixture.h"

#include "base/interp-json.h"
#include "llm/interp-exchange.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static SessionFixture *current; /* tells what hangs */

static char *
describe_current (void)
{
  return current != NULL && current->session != NULL ? session_fixture_describe (current) : NULL;
}

void
session_test_init (int *argc, char ***argv)
{
  kernel_test_init (argc, argv);
  kernel_test_set_describer (describe_current);
  interp_exchange_set_tick (5);
}

/* ---- set-up ---- */

static void
on_finished (SessionFixture *self)
{
  self->n_finished++;
}

static void
start_engine (SessionFixture *self)
{
  g_autoptr (GError) error = NULL;

  self->engine = interp_engine_new (self->options);
  kernel_test_await (interp_engine_start (self->engine), &error);
  g_assert_no_error (error);
  g_assert_null (interp_engine_get_notice (self->engine));
}

static void
watch_session (SessionFixture *self)
{
  self->n_finished = 0;
  self->n_awaited = 0;
  g_signal_connect_swapped (self->session, "finished", G_CALLBACK (on_finished), self);
}

static void
set_up (SessionFixture *self, const Wire *wire, gboolean tools)
{
  memset (self, 0, sizeof *self);
  self->wire = wire != NULL ? wire : &wire_chat;
  self->server = interp_test_server_new ();
  wire_serve_model (self->server, SESSION_TEST_MODEL, 32768, tools);
  self->data_folder = g_dir_make_tmp ("session-data-XXXXXX", NULL);
  self->folder = g_dir_make_tmp ("session-folder-XXXXXX", NULL);
  self->options = interp_options_new ();
  self->options->data_folder = g_strdup (self->data_folder);
  self->options->folder = g_strdup (self->folder);
  self->options->api_base = interp_test_server_dup_url (self->server, self->wire->base);
  self->options->model
      = self->wire == &wire_ollama ? g_strdup ("ollama/" SESSION_TEST_MODEL) : g_strdup (SESSION_TEST_MODEL);
  current = self;
  start_engine (self);
  self->session = interp_engine_new_session (self->engine, NULL);
  watch_session (self);
}

void
session_fixture_set_up (SessionFixture *self, gconstpointer data)
{
  set_up (self, data, TRUE);
}

void
session_fixture_set_up_text_mode (SessionFixture *self, gconstpointer data)
{
  set_up (self, data, FALSE);
}

static gboolean
is_gone (gpointer user_data)
{
  g_autoptr (GObject) object = g_weak_ref_get (user_data);

  return object == NULL;
}

void
session_fixture_close (SessionFixture *self)
{
  g_autoptr (GError) error = NULL;
  GWeakRef gone;

  if (self->engine == NULL)
    return;
  kernel_test_await (interp_engine_stop (self->engine), &error);
  g_assert_no_error (error);
  g_signal_handlers_disconnect_by_data (self->session, self);
  /* Whatever still holds them lets go: nothing keeps a chat alive for ever. */
  g_weak_ref_init (&gone, self->session);
  g_clear_object (&self->session);
  kernel_test_until (is_gone, &gone);
  g_weak_ref_clear (&gone);
  g_weak_ref_init (&gone, self->engine);
  g_clear_object (&self->engine);
  kernel_test_until (is_gone, &gone);
  g_weak_ref_clear (&gone);
}

void
session_fixture_open (SessionFixture *self, gint64 chat)
{
  g_autoptr (GError) error = NULL;

  if (self->engine == NULL)
    start_engine (self);
  if (self->session != NULL)
    g_signal_handlers_disconnect_by_data (self->session, self);
  g_clear_object (&self->session);
  self->session = kernel_test_await_object (interp_engine_open_session (self->engine, chat), &error);
  g_assert_no_error (error);
  watch_session (self);
}

void
session_fixture_restart (SessionFixture *self)
{
  gint64 chat = interp_session_get_id (self->session);

  g_assert_cmpint (chat, !=, 0);
  session_fixture_close (self);
  session_fixture_open (self, chat);
}

void
session_fixture_tear_down (SessionFixture *self, gconstpointer data)
{
  session_fixture_close (self);
  current = NULL;
  interp_test_server_free (self->server);
  interp_options_free (self->options);
  kernel_test_remove_all (self->data_folder);
  kernel_test_remove_all (self->folder);
  g_free (self->data_folder);
  g_free (self->folder);
}

/* ---- what happens ---- */

void
session_fixture_send (SessionFixture *self, const char *text)
{
  interp_session_send (self->session, text, NULL);
}

static gboolean
has_ended (gpointer user_data)
{
  SessionFixture *self = user_data;

  return self->n_finished > self->n_awaited;
}

void
session_fixture_await_end (SessionFixture *self)
{
  kernel_test_until (has_ended, self);
  self->n_awaited++;
  g_assert_cmpint (interp_session_get_state (self->session), ==, INTERP_SESSION_IDLE);
  g_assert_null (interp_session_get_question (self->session));
}

typedef struct
{
  SessionFixture *fixture;
  InterpSessionState state;
} WantedState;

static gboolean
is_in_state (gpointer user_data)
{
  const WantedState *wanted = user_data;

  return interp_session_get_state (wanted->fixture->session) == wanted->state;
}

void
session_fixture_await_state (SessionFixture *self, InterpSessionState state)
{
  WantedState wanted = { self, state };

  kernel_test_until (is_in_state, &wanted);
}

static gboolean
has_question (gpointer user_data)
{
  SessionFixture *self = user_data;

  if (self->n_finished > self->n_awaited)
    {
      g_autofree char *all = session_fixture_describe (self);

      g_error ("The turn ended without a question:\n%s", all);
    }

  return interp_session_get_question (self->session) != NULL;
}

InterpCell *
session_fixture_await_question (SessionFixture *self)
{
  InterpCell *cell;

  kernel_test_until (has_question, self);
  cell = interp_session_get_question (self->session);
  g_assert_cmpint (interp_cell_get_cell_state (cell), ==, INTERP_CELL_WAITING);

  return cell;
}

void
session_fixture_approve (SessionFixture *self)
{
  InterpCell *cell = session_fixture_await_question (self);
  g_autofree char *code = g_strdup (interp_cell_get_code (cell));

  g_assert_true (interp_session_approve (self->session, cell, code));
}

typedef struct
{
  SessionFixture *fixture;
  guint n;
  InterpCellState state;
} WantedCell;

static gboolean
has_cell (gpointer user_data)
{
  const WantedCell *wanted = user_data;
  InterpItem *item = session_fixture_get_item (wanted->fixture, INTERP_ITEM_CELL, wanted->n);

  return item != NULL && interp_cell_get_cell_state (INTERP_CELL (item)) == wanted->state;
}

InterpCell *
session_fixture_await_cell (SessionFixture *self, guint n, InterpCellState state)
{
  WantedCell wanted = { self, n, state };

  kernel_test_until (has_cell, &wanted);

  return session_fixture_get_cell (self, n);
}

typedef struct
{
  SessionFixture *fixture;
  InterpItemKind kind;
  guint n;
  const char *text;
} WantedText;

static gboolean
has_text (gpointer user_data)
{
  const WantedText *wanted = user_data;
  InterpItem *item = session_fixture_get_item (wanted->fixture, wanted->kind, wanted->n);
  g_autofree char *output = NULL;

  if (item == NULL)
    return FALSE;
  if (!INTERP_IS_CELL (item))
    return strstr (interp_item_get_text (item), wanted->text) != NULL;
  output = interp_cell_dup_output (INTERP_CELL (item), NULL);

  return strstr (output, wanted->text) != NULL;
}

InterpItem *
session_fixture_await_text (SessionFixture *self, InterpItemKind kind, guint n, const char *text)
{
  WantedText wanted = { self, kind, n, text };

  kernel_test_until (has_text, &wanted);

  return session_fixture_get_item (self, kind, n);
}

/* ---- what is shown ---- */

InterpItem *
session_fixture_get_item (SessionFixture *self, InterpItemKind kind, guint n)
{
  GListModel *items = interp_session_get_items (self->session);

  for (guint i = 0; i < g_list_model_get_n_items (items); i++)
    {
      g_autoptr (InterpItem) item = g_list_model_get_item (items, i);

      if (interp_item_get_kind (item) == kind && n-- == 0)
        return item;
    }

  return NULL;
}

InterpCell *
session_fixture_get_cell (SessionFixture *self, guint n)
{
  InterpItem *item = session_fixture_get_item (self, INTERP_ITEM_CELL, n);

  g_assert_nonnull (item);

  return INTERP_CELL (item);
}

guint
session_fixture_count (SessionFixture *self, InterpItemKind kind)
{
  guint n = 0;

  while (session_fixture_get_item (self, kind, n) != NULL)
    n++;

  return n;
}

static const char *
get_nick (GType type, int value)
{
  g_autoptr (GEnumClass) klass = g_type_class_ref (type);

  return g_enum_get_value (klass, value)->value_nick;
}

char *
session_fixture_describe (SessionFixture *self)
{
  GListModel *items = interp_session_get_items (self->session);
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < g_list_model_get_n_items (items); i++)
    {
      g_autoptr (InterpItem) item = g_list_model_get_item (items, i);

      g_string_append_printf (text, "%s (%s%s): ", get_nick (INTERP_TYPE_ITEM_KIND, interp_item_get_kind (item)),
                              get_nick (INTERP_TYPE_ITEM_STATE, interp_item_get_state (item)),
                              interp_item_is_premature (item) ? ", premature" : "");
      if (INTERP_IS_CELL (item))
        {
          InterpCell *cell = INTERP_CELL (item);
          g_autofree char *output = interp_cell_dup_output (cell, NULL);
          const char *note = interp_cell_get_note (cell);

          g_string_append_printf (text, "%s %s%s%s\n%s\n→ %s",
                                  get_nick (INTERP_TYPE_CELL_STATE, interp_cell_get_cell_state (cell)),
                                  interp_cell_get_language (cell), note != NULL ? ", " : "", note != NULL ? note : "",
                                  interp_cell_get_code (cell), output);
          g_string_append_printf (text, "\n→ %u displays", g_list_model_get_n_items (interp_cell_get_displays (cell)));
        }
      else
        g_string_append (text, interp_item_get_text (item));
      g_string_append_c (text, '\n');
    }

  return g_string_free_and_steal (g_steal_pointer (&text));
}

/* ---- what was sent ---- */

typedef struct
{
  SessionFixture *fixture;
  guint n;
} WantedRequest;

static gboolean
has_request (gpointer user_data)
{
  const WantedRequest *wanted = user_data;

  return session_fixture_get_n_requests (wanted->fixture) > wanted->n;
}

JsonNode *
session_fixture_get_request (SessionFixture *self, guint n)
{
  WantedRequest wanted = { self, n };
  const InterpTestRequest *request;
  g_autoptr (GError) error = NULL;
  JsonNode *node;

  kernel_test_until (has_request, &wanted);
  request = interp_test_server_await_request (self->server, self->wire->path, n);
  node = interp_json_parse (request->body, request->length, INTERP_JSON_PARSE_NONE, &error);
  g_assert_no_error (error);

  return node;
}

guint
session_fixture_get_n_requests (SessionFixture *self)
{
  return interp_test_server_get_n_requests (self->server, self->wire->path);
}

static JsonNode *
get_message (JsonNode *request, guint i)
{
  g_autofree char *path = g_strdup_printf ("messages.%u", i);

  return interp_json_get (request, path);
}

const char *
session_test_get_result (JsonNode *request, const char *id)
{
  const char *result = NULL;

  for (guint i = 0; i < interp_json_get_length (request, "messages"); i++)
    {
      JsonNode *message = get_message (request, i);

      if (g_strcmp0 (interp_json_get_string (message, "tool_call_id"), id) != 0)
        continue;
      g_assert_null (result);
      result = interp_json_get_string (message, "content");
      g_assert_nonnull (result);
    }

  return result;
}

char *
session_test_get_conversation (JsonNode *request)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < interp_json_get_length (request, "messages"); i++)
    {
      JsonNode *message = get_message (request, i);
      const char *content = interp_json_get_string (message, "content");

      /* The system text is no part of it. */
      if (g_strcmp0 (interp_json_get_string (message, "role"), "system") != 0)
        g_string_append_printf (text, "%s: %s\n", interp_json_get_string (message, "role"),
                                content != NULL ? content : "");
    }

  return g_string_free_and_steal (g_steal_pointer (&text));
}

void
session_test_check_calls (JsonNode *request)
{
  guint n = interp_json_get_length (request, "messages");

  for (guint i = 0; i < n; i++)
    {
      JsonNode *message = get_message (request, i);
      guint n_calls = interp_json_get_length (message, "tool_calls");

      for (guint k = 0; k < n_calls; k++)
        {
          g_autofree char *path = g_strdup_printf ("tool_calls.%u.id", k);
          JsonNode *result = get_message (request, i + 1 + k);

          g_assert_cmpstr (interp_json_get_string (result, "role"), ==, "tool");
          g_assert_cmpstr (interp_json_get_string (result, "tool_call_id"), ==, interp_json_get_string (message, path));
        }
      i += n_calls;
      if (n_calls == 0)
        g_assert_cmpstr (interp_json_get_string (message, "role"), !=, "tool");
    }
}

/* ---- more ---- */

void
session_fixture_go_on (SessionFixture *self)
{
  g_autofree char *path = g_build_filename (self->folder, "go-on", NULL);
  int fd = open (path, O_WRONLY | O_CLOEXEC);

  g_assert_cmpint (fd, >=, 0);
  g_assert_cmpint (write (fd, "\n", 1), ==, 1);
  close (fd);
}

char *
session_fixture_read_file (SessionFixture *self, const char *name)
{
  g_autofree char *path = g_build_filename (self->folder, name, NULL);
  char *text = NULL;

  return g_file_get_contents (path, &text, NULL, NULL) ? text : NULL;
}

void
session_test_assert_contains (const char *text, const char *part)
{
  g_assert_nonnull (text);
  if (strstr (text, part) == NULL)
    g_error ("\"%s\" is missing in:\n%s", part, text);
}

void
session_test_assert_lacks (const char *text, const char *part)
{
  g_assert_nonnull (text);
  if (strstr (text, part) != NULL)
    g_error ("\"%s\" is in:\n%s", part, text);
}

void
session_test_add_table (const char *room, const SessionTest *tests, guint n_tests, gboolean text_mode)
{
  static const Wire *wires[] = { &wire_chat, &wire_ollama };

  for (guint w = 0; w < G_N_ELEMENTS (wires); w++)
    for (guint i = 0; i < n_tests; i++)
      {
        g_autofree char *path = g_strdup_printf ("/session/%s/%s/%s", room, wires[w]->provider, tests[i].name);

        if (text_mode)
          session_test_add_text_mode (path, wires[w], tests[i].func);
        else
          session_test_add (path, wires[w], tests[i].func);
      }
}
