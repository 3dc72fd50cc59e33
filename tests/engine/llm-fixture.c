/* llm-fixture.c: answers of scripted servers, collected
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm-fixture.h"

#include "base/interp-clock.h"
#include "base/interp-json.h"
#include "interp-test-await.h"
#include "llm/interp-exchange.h"
#include "llm/interp-provider-private.h"

#include <string.h>

void
llm_test_init (int *argc, char ***argv)
{
  g_test_init (argc, argv, G_TEST_OPTION_ISOLATE_DIRS, NULL);
  dex_init ();
  interp_exchange_set_tick (5);
}

InterpProvider *
llm_test_provider (InterpTestServer *server, const char *id)
{
  g_autofree char *path = g_build_filename (g_getenv ("INTERP_TEST_SOURCE_ROOT"), "data", "providers", NULL);
  g_autofree char *name = g_strconcat (id, ".provider", NULL);
  g_autofree char *file = g_build_filename (path, name, NULL);
  gboolean bare = g_str_equal (id, "ollama") || g_str_equal (id, "gemini");
  g_autofree char *url = interp_test_server_dup_url (server, bare ? "" : "/v1");
  g_autoptr (GError) error = NULL;
  g_autoptr (InterpProfile) profile = interp_profile_new_from_file (file, &error);
  g_autoptr (InterpProfile) copy = NULL;
  InterpProvider *provider;

  g_assert_no_error (error);
  /* What is spoken at its own address. */
  copy = interp_profile_with_address (profile, id, url);
  provider = interp_provider_new (copy);

  return provider;
}

InterpRequest *
llm_test_request (const char *model, gboolean text_mode)
{
  static const char *languages[] = { "python", "py", "python3", "shell", "bash", "sh", "javascript", "js", "r" };
  InterpRequest *request = interp_request_new (model);

  request->system = g_strdup ("You run code.");
  request->text_mode = text_mode;
  g_ptr_array_add (request->messages, interp_message_new (INTERP_ROLE_USER, "Say something"));

  for (gsize i = 0; i < G_N_ELEMENTS (languages); i++)
    g_ptr_array_add (request->languages, g_strdup (languages[i]));

  if (!text_mode)
    {
      JsonNode *schema
          = interp_json_parse ("{\"type\":\"object\",\"properties\":{\"language\":{\"type\":\"string\",\"enum\":"
                               "[\"python\",\"shell\",\"javascript\",\"r\"]},\"code\":{\"type\":\"string\"}},"
                               "\"required\":[\"language\",\"code\"]}",
                               -1, INTERP_JSON_PARSE_NONE, NULL);

      g_ptr_array_add (request->tools, interp_tool_new ("run_code", "Runs code.", schema));
    }

  return request;
}

static void
add_once (GPtrArray *array, const char *text)
{
  if (array->len == 0 || !g_str_equal (g_ptr_array_index (array, array->len - 1), text))
    g_ptr_array_add (array, g_strdup (text));
}

LlmAnswer *
llm_test_collect (InterpStream *stream)
{
  LlmAnswer *answer = g_new0 (LlmAnswer, 1);

  answer->text = g_string_new (NULL);
  answer->reasoning = g_string_new (NULL);
  answer->calls = g_ptr_array_new_with_free_func ((GDestroyNotify) interp_call_unref);
  answer->progress = g_ptr_array_new_with_free_func (g_free);
  answer->waits = g_ptr_array_new_with_free_func (g_free);
  answer->warnings = g_ptr_array_new_with_free_func (g_free);
  answer->usage = (InterpUsage) { -1, -1, -1, -1 };

  for (;;)
    {
      g_autoptr (InterpEvent) event = interp_test_await_boxed (interp_stream_next (stream), &answer->error);

      if (event == NULL)
        break;

      /* FINISH is the last event of a whole answer. */
      g_assert_cmpuint (answer->n_finish, ==, 0);

      switch (event->kind)
        {
        case INTERP_EVENT_TEXT:
          g_assert_true (g_utf8_validate (event->text, -1, NULL));
          g_string_append (answer->text, event->text);
          break;
        case INTERP_EVENT_REASONING:
          g_string_append (answer->reasoning, event->text);
          break;
        case INTERP_EVENT_CALL_BEGIN:
          g_assert_nonnull (event->call);
          g_assert_nonnull (event->call->id);
          break;
        case INTERP_EVENT_CALL_PROGRESS:
          if (event->call->code != NULL)
            g_ptr_array_add (answer->progress, g_strdup (event->call->code));
          break;
        case INTERP_EVENT_CALL_END:
          g_ptr_array_add (answer->calls, interp_call_ref (event->call));
          break;
        case INTERP_EVENT_OPAQUE:
          answer->opaque_tag = g_strdup (event->text);
          answer->opaque = g_strndup (g_bytes_get_data (event->opaque, NULL), g_bytes_get_size (event->opaque));
          break;
        case INTERP_EVENT_USAGE:
          answer->usage = event->usage;
          break;
        case INTERP_EVENT_PROGRESS:
          add_once (answer->waits, event->text);
          answer->longest_wait = MAX (answer->longest_wait, event->retry_in);
          break;
        case INTERP_EVENT_WARNING:
          g_ptr_array_add (answer->warnings, g_strdup (event->text));
          break;
        case INTERP_EVENT_FINISH:
          answer->finish = event->finish;
          answer->n_finish++;
          break;
        case INTERP_EVENT_RETHINK:
          answer->n_rethink++;
          break;
        default:
          g_assert_not_reached ();
        }
    }

  /* Either whole or with an error, never both, never neither. */
  g_assert_cmpint (answer->error != NULL, !=, answer->n_finish == 1);
  g_object_unref (stream);

  return answer;
}

LlmAnswer *
llm_test_ask (InterpProvider *provider, InterpRequest *request)
{
  return llm_test_collect (interp_provider_stream (provider, request));
}

InterpEvent *
llm_test_until (InterpStream *stream, InterpEventKind kind)
{
  for (;;)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (InterpEvent) event = interp_test_await_boxed (interp_stream_next (stream), &error);

      g_assert_no_error (error);
      g_assert_nonnull (event);
      if (event->kind == kind)
        return g_steal_pointer (&event);
    }
}

static guint hurry_source;

static gboolean
on_hurry (gpointer data)
{
  interp_clock_advance (GPOINTER_TO_UINT (data));

  return G_SOURCE_CONTINUE;
}

void
llm_test_hurry (guint step)
{
  interp_clock_set_fake (g_get_real_time () / 1000);
  hurry_source = g_timeout_add (1, on_hurry, GUINT_TO_POINTER (step));
}

void
llm_test_stop_hurrying (void)
{
  g_clear_handle_id (&hurry_source, g_source_remove);
  interp_clock_set_real ();
}

JsonNode *
llm_test_sent (InterpTestServer *server, const char *path, guint n)
{
  const InterpTestRequest *request = interp_test_server_await_request (server, path, n);
  g_autoptr (GError) error = NULL;
  JsonNode *node = interp_json_parse (request->body, request->length, INTERP_JSON_PARSE_NONE, &error);

  g_assert_no_error (error);

  return node;
}

void
llm_answer_free (LlmAnswer *self)
{
  g_string_free (self->text, TRUE);
  g_string_free (self->reasoning, TRUE);
  g_ptr_array_unref (self->calls);
  g_ptr_array_unref (self->progress);
  g_ptr_array_unref (self->waits);
  g_ptr_array_unref (self->warnings);
  g_free (self->opaque_tag);
  g_free (self->opaque);
  g_clear_error (&self->error);
  g_free (self);
}

void
llm_fixture_set_up (LlmFixture *self, const Wire *wire, const char *model)
{
  self->wire = wire;
  self->server = interp_test_server_new ();
  self->provider = llm_test_provider (self->server, wire->provider);
  self->request = llm_test_request (model != NULL ? model : "m", FALSE);
}

void
llm_fixture_tear_down (LlmFixture *self, gconstpointer data)
{
  interp_request_unref (self->request);
  interp_provider_release (self->provider);
  g_object_unref (self->provider);
  interp_test_server_free (self->server);
}

InterpMessage *
llm_fixture_add_message (LlmFixture *self, InterpRole role, const char *text)
{
  InterpMessage *message = interp_message_new (role, text);

  g_ptr_array_add (self->request->messages, message);

  return message;
}

InterpMessage *
llm_fixture_add_result (LlmFixture *self, const char *id, const char *text)
{
  InterpMessage *message = llm_fixture_add_message (self, INTERP_ROLE_TOOL, text);

  message->call_id = g_strdup (id);
  message->call_name = g_strdup ("run_code");

  return message;
}

JsonNode *
llm_fixture_ask (LlmFixture *self)
{
  g_autoptr (LlmAnswer) answer = NULL;

  wire_say (self->wire, self->server, "Hello");
  answer = llm_test_ask (self->provider, self->request);
  g_assert_no_error (answer->error);
  g_assert_cmpstr (answer->text->str, ==, "Hello");
  g_assert_cmpint (answer->finish, ==, INTERP_FINISH_END);

  return llm_test_sent (self->server, self->wire->path,
                        interp_test_server_get_n_requests (self->server, self->wire->path) - 1);
}
