/* test-llm-keys.c: keys that are typed, checked, kept and removed; addresses of one's own; proxies
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "base/interp-environment.h"
#include "base/interp-json.h"
#include "base/interp-paths.h"
#include "interp-test-await.h"
#include "llm-fixture.h"
#include "llm/interp-http.h"
#include "llm/interp-models-private.h"

#include <glib/gstdio.h>
#include <string.h>

#define LIST "/v1/models"
#define TWO_MODELS "{\"object\":\"list\",\"data\":[{\"id\":\"a\"},{\"id\":\"b\"}]}"

typedef struct
{
  InterpTestServer *server;
  InterpModels *models;
  InterpProvider *provider; /* at the server's address, not known yet */
} Fixture;

static InterpProvider *
prepare (Fixture *self)
{
  g_autofree char *url = interp_test_server_dup_url (self->server, "");
  g_autoptr (GError) error = NULL;
  InterpProvider *provider = interp_models_prepare_address (self->models, url, &error);

  g_assert_no_error (error);

  return provider;
}

static void
set_up (Fixture *self, gconstpointer data)
{
  self->server = interp_test_server_new ();
  self->models = interp_models_new ();
  self->provider = prepare (self);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  interp_provider_release (self->provider);
  g_object_unref (self->provider);
  g_object_unref (self->models);
  g_clear_pointer (&self->server, interp_test_server_free);
}

static char *
enter (Fixture *self, const char *key, GError **error)
{
  g_auto (GValue) value = G_VALUE_INIT;

  return interp_test_await (interp_models_enter_key (self->models, self->provider, key, NULL), &value, error)
             ? g_value_dup_string (&value)
             : NULL;
}

static gboolean
is_known (Fixture *self)
{
  return interp_models_get_provider (self->models, interp_provider_get_id (self->provider)) != NULL;
}

static char *
profile_path (Fixture *self)
{
  g_autofree char *name = g_strconcat (interp_provider_get_id (self->provider), ".provider", NULL);

  return g_build_filename (interp_paths_config (), "providers", name, NULL);
}

static void
assert_sent_key (Fixture *self, const char *path, guint n, const char *key)
{
  const InterpTestRequest *request = interp_test_server_await_request (self->server, path, n);
  g_autofree char *authorization = interp_test_request_dup_header (request, "authorization");
  g_autofree char *expected = key != NULL ? g_strconcat ("Bearer ", key, NULL) : NULL;

  g_assert_cmpstr (authorization, ==, expected);
}

/* Nothing on this bus: there is no keyring. */
static void
test_kept_for_this_run (Fixture *self, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = profile_path (self);
  g_autofree char *text = NULL;
  g_autofree char *file = NULL;

  interp_test_reply_json (interp_test_server_reply (self->server, LIST), 200, TWO_MODELS);
  text = enter (self, " sk-marked\n", &error);
  g_assert_no_error (error);
  g_assert_cmpstr (text, ==, "Works: 2 models. There is no keyring. The key is kept until you quit.");
  assert_sent_key (self, LIST, 0, "sk-marked");

  g_assert_cmpint (interp_provider_get_key_source (self->provider), ==, INTERP_KEY_SESSION);
  g_assert_cmpstr (interp_models_get_keyring_fault (self->models), ==, "There is no keyring.");
  g_assert_true (is_known (self));

  /* The address is remembered, the key is not. */
  g_file_get_contents (path, &file, NULL, &error);
  g_assert_no_error (error);
  g_assert_nonnull (strstr (file, "BaseUrl="));
  g_assert_null (strstr (file, "sk-marked"));

  g_assert_true (interp_test_await (interp_models_remove_key (self->models, self->provider), NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpint (interp_provider_get_key_source (self->provider), ==, INTERP_KEY_NONE);
  g_assert_null (interp_provider_get_key (self->provider));

  /* What is listed now is listed without it. */
  interp_test_reply_json (interp_test_server_reply (self->server, LIST), 200, TWO_MODELS);
  g_free (g_steal_pointer (&text));
  text = enter (self, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (text, ==, "Works: 2 models.");
  assert_sent_key (self, LIST, 1, NULL);
}

static void
test_refused (Fixture *self, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = profile_path (self);

  interp_provider_set_key (self->provider, "the old one", INTERP_KEY_SESSION);
  interp_test_reply_json (interp_test_server_reply (self->server, LIST), 401,
                          "{\"error\":{\"message\":\"No such key here\"}}");
  g_assert_null (enter (self, "sk-wrong", &error));
  g_assert_error (error, INTERP_LLM_ERROR, INTERP_LLM_ERROR_KEY);
  g_assert_nonnull (strstr (error->message, "No such key here"));
  assert_sent_key (self, LIST, 0, "sk-wrong");

  g_assert_cmpstr (interp_provider_get_key (self->provider), ==, "the old one");
  g_assert_false (is_known (self));
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
}

/* What was said of the key names it: it is shown and logged without it. */
static void
test_echoed (Fixture *self, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  interp_test_reply_json (interp_test_server_reply (self->server, LIST), 401,
                          "{\"error\":{\"message\":\"Wrong key sk-marked-12345 given\"}}");
  g_assert_null (enter (self, "sk-marked-12345", &error));
  g_assert_error (error, INTERP_LLM_ERROR, INTERP_LLM_ERROR_KEY);
  g_assert_nonnull (strstr (error->message, "Wrong key … given"));
}

static void
test_gone (Fixture *self, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  g_clear_pointer (&self->server, interp_test_server_free);
  g_assert_null (enter (self, "sk-marked", &error));
  g_assert_error (error, INTERP_LLM_ERROR, INTERP_LLM_ERROR_UNREACHABLE);
  g_assert_null (interp_provider_get_key (self->provider));
  g_assert_false (is_known (self));
}

/* It answers and does not refuse the key, so that is kept; but nothing more is claimed. */
static void
test_unlisted (Fixture *self, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = enter (self, "sk-marked", &error);

  g_assert_no_error (error);
  g_assert_true (g_str_has_prefix (text, "It could not be checked."));
  g_assert_cmpstr (interp_provider_get_key (self->provider), ==, "sk-marked");
}

static void
test_cancelled (Fixture *self, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  DexFuture *entered;

  interp_test_reply_await_close (interp_test_server_reply (self->server, LIST));
  entered = interp_models_enter_key (self->models, self->provider, "sk-marked", cancellable);
  interp_test_server_await_request (self->server, LIST, 0);
  g_cancellable_cancel (cancellable);
  g_assert_false (interp_test_await (entered, NULL, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  interp_test_server_await_closed (self->server, 1);
  g_assert_null (interp_provider_get_key (self->provider));
  g_assert_false (is_known (self));
}

static void
test_no_key (Fixture *self, gconstpointer data)
{
  static const char *keys[] = { "two\nlines", "schlüssel" };

  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (enter (self, keys[i], &error));
      g_assert_error (error, INTERP_LLM_ERROR, INTERP_LLM_ERROR_KEY);
    }
  g_assert_cmpuint (interp_test_server_get_n_requests (self->server, NULL), ==, 0);
}

/* Where everybody may see the list, the list says nothing of the key. */
static void
test_open_list (Fixture *self, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  g_object_unref (self->provider);
  self->provider = llm_test_provider (self->server, "openrouter");
  interp_test_reply_json (interp_test_server_reply_always (self->server, LIST), 200, TWO_MODELS);
  interp_test_reply_json (interp_test_server_reply (self->server, "/v1/key"), 401,
                          "{\"error\":{\"message\":\"User not found.\"}}");
  g_assert_null (enter (self, "sk-wrong", &error));
  g_assert_error (error, INTERP_LLM_ERROR, INTERP_LLM_ERROR_KEY);
  assert_sent_key (self, "/v1/key", 0, "sk-wrong");
  g_assert_null (interp_provider_get_key (self->provider));
}

static void
test_variable (Fixture *self, gconstpointer data)
{
  static const char *environment[] = { "GOOGLE_API_KEY=from-outside", NULL };
  InterpProvider *provider = interp_models_get_provider (self->models, "gemini");

  g_assert_cmpstr (interp_provider_get_key_variable (provider), ==, "GEMINI_API_KEY");
  interp_models_read_environment (self->models, environment);
  g_assert_cmpint (interp_provider_get_key_source (provider), ==, INTERP_KEY_ENVIRONMENT);
  g_assert_cmpstr (interp_provider_get_key_variable (provider), ==, "GOOGLE_API_KEY");
}

/* The address of a known provider: remembered, before what a variable says, and taken back. */
static void
test_own_address (Fixture *self, gconstpointer data)
{
  static const char *environment[] = { "OPENAI_BASE_URL=http://localhost:9/v1", NULL };
  InterpProvider *provider = interp_models_get_provider (self->models, "openai");
  g_autofree char *own = g_strdup (interp_provider_get_base_url (provider));
  g_autofree char *typed = interp_test_server_dup_url (self->server, "");
  g_autofree char *expected = interp_test_server_dup_url (self->server, "/v1");
  g_autoptr (InterpModels) again = NULL;
  g_autoptr (InterpModels) last = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_false (interp_test_await (interp_models_set_address (self->models, provider, "ftp://x"), NULL, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  g_assert_cmpstr (interp_provider_get_base_url (provider), ==, own);

  g_assert_true (interp_test_await (interp_models_set_address (self->models, provider, typed), NULL, &error));
  g_assert_no_error (error);
  interp_models_read_environment (self->models, environment);
  g_assert_cmpstr (interp_provider_get_base_url (provider), ==, expected);
  /* There it is what speaks like OpenAI. */
  g_assert_true (interp_provider_get_codec (provider) == &interp_codec_chat);

  again = interp_models_new ();
  provider = interp_models_get_provider (again, "openai");
  interp_models_read_environment (again, environment);
  g_assert_cmpstr (interp_provider_get_base_url (provider), ==, expected);
  g_assert_true (interp_provider_get_codec (provider) == &interp_codec_chat);
  /* The rest of the profile is as it was. */
  g_assert_cmpstr (interp_provider_get_title (provider), ==, "OpenAI");
  g_assert_cmpstr (interp_provider_get_key_variable (provider), ==, "OPENAI_API_KEY");

  g_assert_true (interp_test_await (interp_models_set_address (again, provider, ""), NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpstr (interp_provider_get_base_url (provider), ==, own);
  last = interp_models_new ();
  g_assert_cmpstr (interp_provider_get_base_url (interp_models_get_provider (last, "openai")), ==, own);
}

/* Everyone has an address of their own there, and the key goes in a header of its own. */
static void
test_azure (Fixture *self, gconstpointer data)
{
  static const char *environment[]
      = { "AZURE_OPENAI_API_KEY=az-marked", "AZURE_OPENAI_ENDPOINT=https://me.example/", NULL };
  InterpProvider *provider = interp_models_get_provider (self->models, "azure");
  g_autofree char *typed = interp_test_server_dup_url (self->server, "/");
  g_autofree char *expected = interp_test_server_dup_url (self->server, "/openai/v1");
  g_autoptr (InterpRequest) request = llm_test_request ("my-deployment", FALSE);
  g_autoptr (LlmAnswer) answer = NULL;
  g_autoptr (JsonNode) sent = NULL;
  g_autofree char *key = NULL;
  g_autofree char *bearer = NULL;
  g_autofree char *said = NULL;
  g_autoptr (GError) error = NULL;

  /* A key alone is not enough. */
  interp_provider_set_key (provider, "az-marked", INTERP_KEY_SESSION);
  g_assert_false (interp_test_await (interp_provider_list_models (provider), NULL, &error));
  g_assert_error (error, INTERP_LLM_ERROR, INTERP_LLM_ERROR_KEY);
  g_assert_nonnull (strstr (error->message, "AZURE_OPENAI_ENDPOINT"));
  g_clear_error (&error);

  interp_models_read_environment (self->models, environment);
  g_assert_cmpstr (interp_provider_get_base_url (provider), ==, "https://me.example/openai/v1");

  g_assert_true (interp_test_await (interp_models_set_address (self->models, provider, typed), NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpstr (interp_provider_get_base_url (provider), ==, expected);
  said = g_strdup ("data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"Hello\"}\n\n"
                   "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}\n\n");
  {
    InterpTestReply *reply = interp_test_server_reply (self->server, "/openai/v1/responses");

    interp_test_reply_head (reply, 200, "text/event-stream", NULL);
    interp_test_reply_send (reply, said, -1);
  }
  answer = llm_test_ask (provider, request);
  g_assert_no_error (answer->error);
  g_assert_cmpstr (answer->text->str, ==, "Hello");
  sent = llm_test_sent (self->server, "/openai/v1/responses", 0);
  g_assert_cmpstr (interp_json_get_string (sent, "model"), ==, "my-deployment");
  key = interp_test_request_dup_header (interp_test_server_await_request (self->server, "/openai/v1/responses", 0),
                                        "api-key");
  g_assert_cmpstr (key, ==, "az-marked");
  bearer = interp_test_request_dup_header (interp_test_server_await_request (self->server, "/openai/v1/responses", 0),
                                           "authorization");
  g_assert_null (bearer);
}

/* An added address is forgotten with its file and its key, now and at the next start. */
static void
test_forget (Fixture *self, gconstpointer data)
{
  g_autoptr (InterpModels) again = NULL;
  g_autofree char *path = profile_path (self);
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;

  interp_test_reply_json (interp_test_server_reply_always (self->server, LIST), 200, TWO_MODELS);
  text = enter (self, "sk-marked", &error);
  g_assert_no_error (error);
  g_assert_true (is_known (self));
  g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
  g_assert_cmpuint (g_list_model_get_n_items (interp_models_get_findings (self->models)), ==, 1);

  g_assert_true (interp_test_await (interp_models_forget_address (self->models, self->provider), NULL, &error));
  g_assert_no_error (error);
  g_assert_false (is_known (self));
  g_assert_null (interp_provider_get_key (self->provider));
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  g_assert_cmpuint (g_list_model_get_n_items (interp_models_get_findings (self->models)), ==, 0);

  again = interp_models_new ();
  g_assert_null (interp_models_get_provider (again, interp_provider_get_id (self->provider)));
}

/* A keyring: libsecret's own file, in a process of its own since that is chosen once. */
static void
test_keyring (void)
{
  if (g_test_subprocess ())
    {
      g_autofree char *folder = g_dir_make_tmp ("interpreter-keys-XXXXXX", NULL);
      g_autofree char *path = g_build_filename (folder, "keyring", NULL);
      g_autoptr (GError) error = NULL;
      g_autofree char *text = NULL;
      Fixture fixture;
      Fixture again;

      g_setenv ("SECRET_BACKEND", "file", TRUE);
      g_setenv ("SECRET_FILE_TEST_PATH", path, TRUE);
      g_setenv ("SECRET_FILE_TEST_PASSWORD", "test", TRUE);

      /* Typed without /v1, which is found out to be right: it is kept under what was typed all the same. */
      set_up (&fixture, NULL);
      interp_test_reply_json (interp_test_server_reply_always (fixture.server, "/models"), 200, TWO_MODELS);
      text = enter (&fixture, "sk-marked", &error);
      g_assert_no_error (error);
      g_assert_cmpstr (text, ==, "Works: 2 models. The key is kept in the keyring.");
      g_assert_cmpint (interp_provider_get_key_source (fixture.provider), ==, INTERP_KEY_KEYRING);
      g_assert_null (interp_models_get_keyring_fault (fixture.models));

      /* The next start. */
      again = (Fixture) { .server = fixture.server, .models = interp_models_new () };
      again.provider = prepare (&again);
      g_assert_true (interp_test_await (interp_models_load_key (again.models, again.provider), NULL, &error));
      g_assert_cmpint (interp_provider_get_key_source (again.provider), ==, INTERP_KEY_KEYRING);
      g_assert_cmpstr (interp_provider_get_key (again.provider), ==, "sk-marked");

      g_assert_true (interp_test_await (interp_models_remove_key (again.models, again.provider), NULL, &error));
      g_assert_no_error (error);
      g_assert_null (interp_provider_get_key (again.provider));
      g_assert_true (interp_test_await (interp_models_load_key (again.models, again.provider), NULL, &error));
      g_assert_null (interp_provider_get_key (again.provider));

      again.server = NULL;
      tear_down (&again, NULL);
      tear_down (&fixture, NULL);
      g_unlink (path);
      g_rmdir (folder);
      return;
    }
  g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
  g_test_trap_assert_passed ();
}

/* ---- proxies ---- */

/* Set in the environment, which is read once. */
static void
test_proxy (void)
{
  if (g_test_subprocess ())
    {
      g_autoptr (InterpTestServer) proxy = interp_test_server_new ();
      g_autofree char *url = interp_test_server_dup_url (proxy, "");
      g_autoptr (GError) error = NULL;
      g_autofree char *text = NULL;
      g_autoptr (InterpProvider) far = NULL;
      const InterpTestRequest *request;
      Fixture fixture;

      g_setenv ("http_proxy", url, TRUE);
      g_unsetenv ("no_proxy");
      /* Not the desktop's settings, which this process has none of. */
      g_setenv ("GIO_USE_PROXY_RESOLVER", "libproxy", TRUE);
      g_unsetenv ("XDG_CURRENT_DESKTOP");
      set_up (&fixture, NULL);

      /* Through the proxy… */
      interp_test_reply_json (interp_test_server_reply_always (proxy, NULL), 200, TWO_MODELS);
      far = interp_models_prepare_address (fixture.models, "http://models.invalid/v1", &error);
      g_assert_no_error (error);
      g_assert_true (interp_test_await (interp_models_enter_key (fixture.models, far, "sk-far", NULL), NULL, &error));
      g_assert_no_error (error);
      g_assert_cmpuint (interp_test_server_get_n_requests (proxy, NULL), ==, 1);
      request = interp_test_server_await_request (proxy, NULL, 0);
      g_assert_cmpstr (request->path, ==, "http://models.invalid/v1/models");

      /* … and past it. */
      interp_test_reply_json (interp_test_server_reply (fixture.server, LIST), 200, TWO_MODELS);
      text = enter (&fixture, "sk-near", &error);
      g_assert_no_error (error);
      assert_sent_key (&fixture, LIST, 0, "sk-near");
      g_assert_cmpuint (interp_test_server_get_n_requests (proxy, NULL), ==, 1);

      tear_down (&fixture, NULL);
      return;
    }
  g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
  g_test_trap_assert_passed ();
}

/* ---- this computer only ---- */

static void
assert_offline (DexFuture *future)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (interp_test_await (future, NULL, &error));
  g_assert_error (error, INTERP_LLM_ERROR, INTERP_LLM_ERROR_OFFLINE);
}

static DexFuture *
fetch (const char *url)
{
  return interp_http_fetch (interp_http_request_new ("GET", g_strdup (url), NULL), 60 * 1000, 1024, NULL);
}

/* All that would leave this computer would go through the proxy: nothing does. */
static void
test_offline (void)
{
  if (g_test_subprocess ())
    {
      static const char *const far[]
          = { "http://models.invalid/v1", "http://203.0.113.1:8080/v1", "http://[2001:db8::1]" };
      g_autoptr (InterpTestServer) proxy = interp_test_server_new ();
      g_autofree char *url = interp_test_server_dup_url (proxy, "");
      g_autofree char *near = NULL;
      g_autoptr (GError) error = NULL;
      Fixture fixture;

      g_setenv ("http_proxy", url, TRUE);
      g_setenv ("https_proxy", url, TRUE);
      g_unsetenv ("no_proxy");
      g_setenv ("GIO_USE_PROXY_RESOLVER", "libproxy", TRUE);
      g_unsetenv ("XDG_CURRENT_DESKTOP");
      set_up (&fixture, NULL);
      interp_test_reply_json (interp_test_server_reply_always (proxy, NULL), 200, TWO_MODELS);
      interp_test_reply_json (interp_test_server_reply_always (fixture.server, LIST), 200, TWO_MODELS);

      /* Without the switch it goes there. */
      g_assert_true (interp_test_await (fetch (far[0]), NULL, &error));
      g_assert_no_error (error);
      g_assert_cmpuint (interp_test_server_get_n_requests (proxy, NULL), ==, 1);

      interp_models_set_offline (fixture.models, TRUE);
      for (gsize i = 0; i < G_N_ELEMENTS (far); i++)
        {
          g_autoptr (InterpProvider) provider = interp_models_prepare_address (fixture.models, far[i], &error);

          g_assert_no_error (error);
          assert_offline (fetch (far[i]));
          assert_offline (interp_models_resolve (fixture.models, "openai/m", far[i], "sk-marked"));
          assert_offline (interp_models_resolve (fixture.models, "ollama/m", far[i], NULL));
          assert_offline (interp_models_enter_key (fixture.models, provider, "sk-marked", NULL));
          assert_offline (interp_provider_list_models (provider));
        }

      /* Every provider that we know of, with a key. */
      for (guint i = 0; i < g_list_model_get_n_items (interp_models_get_providers (fixture.models)); i++)
        {
          g_autoptr (InterpProvider) provider = g_list_model_get_item (interp_models_get_providers (fixture.models), i);
          g_autoptr (InterpRequest) request = llm_test_request ("m", FALSE);
          g_autoptr (InterpModel) model = NULL;
          g_autoptr (LlmAnswer) answer = NULL;

          if (interp_provider_is_local (provider))
            continue;

          interp_provider_set_key (provider, "sk-marked", INTERP_KEY_SESSION);
          model = interp_provider_get_model (provider, "m");
          assert_offline (interp_provider_list_models (provider));
          assert_offline (interp_provider_inspect (provider, model));
          answer = llm_test_ask (provider, request);
          g_assert_error (answer->error, INTERP_LLM_ERROR, INTERP_LLM_ERROR_OFFLINE);
        }

      /* Getting a model from a server elsewhere, too. */
      {
        InterpProvider *ollama = interp_models_get_provider (fixture.models, "ollama");
        g_autoptr (InterpOllamaPull) pull = NULL;

        g_assert_true (interp_test_await (interp_models_set_address (fixture.models, ollama, far[1]), NULL, &error));
        pull = interp_models_pull (fixture.models, ollama, "gemma", &error);
        g_assert_no_error (error);
        g_assert_false (interp_test_await (interp_ollama_pull_await (pull), NULL, NULL));
        g_assert_cmpint (interp_ollama_pull_get_state (pull), ==, INTERP_PULL_FAILED);
      }
      g_assert_cmpuint (interp_test_server_get_n_requests (proxy, NULL), ==, 1);

      /* This computer is still there. */
      near = enter (&fixture, "sk-near", &error);
      g_assert_no_error (error);
      g_assert_cmpuint (interp_test_server_get_n_requests (proxy, NULL), ==, 1);

      tear_down (&fixture, NULL);
      return;
    }
  g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
  g_test_trap_assert_passed ();
}

int
main (int argc, char **argv)
{
  g_setenv ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent", TRUE);
  llm_test_init (&argc, &argv);
  interp_environment_use_own ();

#define ADD(name, func) g_test_add ("/llm/keys/" name, Fixture, NULL, set_up, func, tear_down)
  ADD ("kept-for-this-run", test_kept_for_this_run);
  ADD ("refused", test_refused);
  ADD ("echoed", test_echoed);
  ADD ("gone", test_gone);
  ADD ("unlisted", test_unlisted);
  ADD ("cancelled", test_cancelled);
  ADD ("no-key", test_no_key);
  ADD ("open-list", test_open_list);
  ADD ("variable", test_variable);
  ADD ("own-address", test_own_address);
  ADD ("azure", test_azure);
  ADD ("forget", test_forget);
  g_test_add_func ("/llm/keys/offline", test_offline);
  g_test_add_func ("/llm/keys/keyring", test_keyring);
  g_test_add_func ("/llm/keys/proxy", test_proxy);

  return g_test_run ();
}
