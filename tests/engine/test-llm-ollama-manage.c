/* test-llm-ollama-manage.c: getting and deleting the models of Ollama, and what is in memory
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "base/interp-json.h"
#include "interp-test-await.h"
#include "llm-fixture.h"
#include "llm/interp-models-private.h"
#include "llm/interp-ollama.h"

#include <string.h>

#define PULL "/api/pull"
#define LAYER_A "sha256:aaaaaaaaaaaaaaaa"
#define LAYER_B "sha256:bbbbbbbbbbbbbbbb"

static void
set_up (LlmFixture *self, gconstpointer data)
{
  llm_fixture_set_up (self, &wire_ollama, NULL);
}

static InterpTestReply *
begin (LlmFixture *self)
{
  InterpTestReply *reply = interp_test_server_reply (self->server, PULL);

  interp_test_reply_head (reply, 200, "application/x-ndjson", NULL);

  return reply;
}

static void
say (InterpTestReply *reply, const char *status)
{
  interp_test_reply_printf (reply, "{\"status\":\"%s\"}\n", status);
}

static void
say_layer (InterpTestReply *reply, const char *digest, const char *total, const char *completed)
{
  interp_test_reply_printf (reply, "{\"status\":\"pulling x\",\"digest\":\"%s\",\"total\":%s,\"completed\":%s}\n",
                            digest, total, completed);
}

static void
await_layers (InterpOllamaPull *pull, guint n)
{
  while (interp_ollama_pull_get_n_layers (pull) < n)
    g_main_context_iteration (NULL, TRUE);
}

static void
assert_layer (InterpOllamaPull *pull, guint i, const char *digest, guint64 completed, guint64 total)
{
  const char *its_digest;
  guint64 its_completed, its_total;

  interp_ollama_pull_get_layer (pull, i, &its_digest, &its_completed, &its_total);
  g_assert_cmpstr (its_digest, ==, digest);
  g_assert_cmpuint (its_completed, ==, completed);
  g_assert_cmpuint (its_total, ==, total);
}

static void
assert_sum (InterpOllamaPull *pull, guint64 completed, guint64 total)
{
  guint64 its_completed, its_total;

  interp_ollama_pull_get_sum (pull, &its_completed, &its_total);
  g_assert_cmpuint (its_completed, ==, completed);
  g_assert_cmpuint (its_total, ==, total);
}

/* The pull fails with a sentence that holds @words. */
static void
assert_fails (LlmFixture *self, InterpLlmError code, const char *words)
{
  g_autoptr (InterpOllamaPull) pull = interp_ollama_pull_new (self->provider, "m");
  g_autoptr (GError) error = NULL;

  g_assert_false (interp_test_await (interp_ollama_pull_await (pull), NULL, &error));
  g_assert_error (error, INTERP_LLM_ERROR, (int) code);
  g_assert_nonnull (strstr (error->message, words));
  g_assert_cmpint (interp_ollama_pull_get_state (pull), ==, INTERP_PULL_FAILED);
  g_assert_cmpstr (interp_ollama_pull_get_error (pull), ==, error->message);
}

/* ---- getting ---- */

static void
count (InterpOllamaPull *pull, guint *n)
{
  (*n)++;
}

/* Layers come interleaved; whatever the pieces, each counts for itself. */
static void
pull_whole (LlmFixture *self, gboolean bytewise)
{
  InterpTestReply *reply = begin (self);
  g_autoptr (InterpOllamaPull) pull = NULL;
  g_autoptr (JsonNode) sent = NULL;
  g_autoptr (GError) error = NULL;
  guint n_changed = 0;

  if (bytewise)
    interp_test_reply_set_bytewise (reply);
  say (reply, "pulling manifest");
  say_layer (reply, LAYER_A, "1000", "0");
  say_layer (reply, LAYER_B, "50", "10");
  interp_test_reply_wait (reply, "half");
  say_layer (reply, LAYER_A, "1000", "400");
  say_layer (reply, LAYER_B, "50", "50");
  say_layer (reply, LAYER_A, "1000", "1000");
  say (reply, "verifying sha256 digest");
  say (reply, "writing manifest");
  say (reply, "success");

  pull = interp_ollama_pull_new (self->provider, "qwen3:8b");
  g_signal_connect (pull, "changed", G_CALLBACK (count), &n_changed);
  await_layers (pull, 2);
  g_assert_cmpint (interp_ollama_pull_get_state (pull), ==, INTERP_PULL_RUNNING);
  g_assert_cmpstr (interp_ollama_pull_get_status (pull), ==, "Downloading");
  assert_layer (pull, 0, LAYER_A, 0, 1000);
  assert_layer (pull, 1, LAYER_B, 10, 50);
  assert_sum (pull, 10, 1050);

  interp_test_server_release (self->server, "half");
  interp_test_await (interp_ollama_pull_await (pull), NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (interp_ollama_pull_get_state (pull), ==, INTERP_PULL_DONE);
  g_assert_null (interp_ollama_pull_get_error (pull));
  assert_sum (pull, 1050, 1050);
  g_assert_cmpuint (interp_ollama_pull_get_n_layers (pull), ==, 2);
  g_assert_cmpuint (n_changed, >=, 2);

  sent = llm_test_sent (self->server, PULL, 0);
  g_assert_cmpstr (interp_json_get_string (sent, "model"), ==, "qwen3:8b");
  g_assert_true (interp_json_get_bool (sent, "stream", FALSE));
}

static void
test_pull (LlmFixture *self, gconstpointer data)
{
  pull_whole (self, FALSE);
}

static void
test_pull_bytewise (LlmFixture *self, gconstpointer data)
{
  pull_whole (self, TRUE);
}

static void
test_cancel (LlmFixture *self, gconstpointer data)
{
  InterpTestReply *reply = begin (self);
  g_autoptr (InterpOllamaPull) pull = NULL;
  g_autoptr (GError) error = NULL;

  say_layer (reply, LAYER_A, "1000", "1");
  interp_test_reply_await_close (reply);

  pull = interp_ollama_pull_new (self->provider, "m");
  await_layers (pull, 1);
  interp_ollama_pull_cancel (pull);
  g_assert_false (interp_test_await (interp_ollama_pull_await (pull), NULL, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpint (interp_ollama_pull_get_state (pull), ==, INTERP_PULL_CANCELLED);
  g_assert_null (interp_ollama_pull_get_error (pull));
  interp_test_server_await_closed (self->server, 1);
}

static void
test_cancel_before_answer (LlmFixture *self, gconstpointer data)
{
  InterpTestReply *reply = interp_test_server_reply (self->server, PULL);
  g_autoptr (InterpOllamaPull) pull = interp_ollama_pull_new (self->provider, "m");
  g_autoptr (GError) error = NULL;

  interp_test_reply_await_close (reply);
  interp_test_server_await_request (self->server, PULL, 0);
  interp_ollama_pull_cancel (pull);
  g_assert_false (interp_test_await (interp_ollama_pull_await (pull), NULL, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  interp_test_server_await_closed (self->server, 1);
}

static void
test_error_line (LlmFixture *self, gconstpointer data)
{
  InterpTestReply *reply = begin (self);

  say_layer (reply, LAYER_A, "1000", "1");
  interp_test_reply_send (reply, "{\"error\":\"no space left on device\"}\n", -1);
  assert_fails (self, INTERP_LLM_ERROR_INCOMPLETE, "could not get “m”. It said: no space left on device");

  reply = begin (self);
  say (reply, "pulling manifest");
  interp_test_reply_send (reply, "{\"error\":\"pull model manifest: file does not exist\"}\n", -1);
  assert_fails (self, INTERP_LLM_ERROR_NO_MODEL, "There is no model “m” to be got.");
}

static void
test_status (LlmFixture *self, gconstpointer data)
{
  interp_test_reply_json (interp_test_server_reply (self->server, PULL), 500, "{\"error\":\"registry is away\"}");
  assert_fails (self, INTERP_LLM_ERROR_BUSY, "It said: registry is away");

  interp_test_reply_json (interp_test_server_reply (self->server, PULL), 400, "{\"error\":\"invalid model name\"}");
  assert_fails (self, INTERP_LLM_ERROR_NO_MODEL, "It said: invalid model name");
}

static void
test_cut (LlmFixture *self, gconstpointer data)
{
  InterpTestReply *reply = begin (self);

  say_layer (reply, LAYER_A, "1000", "999");
  assert_fails (self, INTERP_LLM_ERROR_INCOMPLETE, "The connection ended before “m” was complete.");

  /* In the middle of a line, and by a reset. */
  reply = begin (self);
  say_layer (reply, LAYER_A, "1000", "999");
  interp_test_reply_send (reply, "{\"status\":\"succ", -1);
  assert_fails (self, INTERP_LLM_ERROR_PROTOCOL, "does not answer as");

  reply = begin (self);
  say_layer (reply, LAYER_A, "1000", "999");
  interp_test_reply_reset (reply);
  assert_fails (self, INTERP_LLM_ERROR_INCOMPLETE, "The connection ended before “m” was complete.");
}

/* The last line needs no end. */
static void
test_no_last_newline (LlmFixture *self, gconstpointer data)
{
  g_autoptr (InterpOllamaPull) pull = NULL;
  g_autoptr (GError) error = NULL;

  interp_test_reply_send (begin (self), "\r\n{\"status\":\"success\"}", -1);
  pull = interp_ollama_pull_new (self->provider, "m");
  g_assert_true (interp_test_await (interp_ollama_pull_await (pull), NULL, &error));
  g_assert_no_error (error);
}

static void
test_garbage (LlmFixture *self, gconstpointer data)
{
  static const char *const bodies[]
      = { "<html>hello</html>\n", "[1,2]\n", "\"success\"\n", "{\"status\":\n", "\377\376\n" };

  for (guint i = 0; i < G_N_ELEMENTS (bodies); i++)
    {
      interp_test_reply_send (begin (self), bodies[i], -1);
      assert_fails (self, INTERP_LLM_ERROR_PROTOCOL, "does not answer as");
    }
}

static void
test_endless_line (LlmFixture *self, gconstpointer data)
{
  InterpTestReply *reply = begin (self);
  g_autofree char *much = g_strnfill (256 * 1024, 'x');

  interp_test_reply_send (reply, much, -1);
  interp_test_reply_await_close (reply);
  assert_fails (self, INTERP_LLM_ERROR_PROTOCOL, "does not answer as");
  interp_test_server_await_closed (self->server, 1);
}

/* Numbers that cannot be true do not add up to others that cannot. */
static void
test_totals (LlmFixture *self, gconstpointer data)
{
  InterpTestReply *reply = begin (self);
  g_autoptr (InterpOllamaPull) pull = NULL;

  say_layer (reply, LAYER_A, "9223372036854775807", "9223372036854775807");
  say_layer (reply, LAYER_B, "9223372036854775807", "9223372036854775807");
  say_layer (reply, "sha256:cc", "9223372036854775807", "-9223372036854775808");
  say_layer (reply, "sha256:dd", "-5", "7");
  say_layer (reply, "sha256:ee", "10", "9999999999999");
  say_layer (reply, "sha256:ff", "1e400", "\"many\"");
  interp_test_reply_await_close (reply);

  pull = interp_ollama_pull_new (self->provider, "m");
  await_layers (pull, 6);
  assert_layer (pull, 2, "sha256:cc", 0, G_MAXINT64);
  assert_layer (pull, 3, "sha256:dd", 0, 0);
  assert_layer (pull, 4, "sha256:ee", 10, 10);
  assert_sum (pull, G_MAXUINT64, G_MAXUINT64);
  interp_ollama_pull_cancel (pull);
  interp_test_await (interp_ollama_pull_await (pull), NULL, NULL);
}

static void
test_many_layers (LlmFixture *self, gconstpointer data)
{
  InterpTestReply *reply = begin (self);
  g_autoptr (InterpOllamaPull) pull = NULL;
  g_autofree char *long_digest = g_strnfill (5000, 'a');

  say_layer (reply, "../../\\u001b[31m", "10", "1");
  say_layer (reply, long_digest, "10", "1");
  for (guint i = 0; i < 2000; i++)
    {
      g_autofree char *digest = g_strdup_printf ("sha256:%u", i);

      say_layer (reply, digest, "10", "1");
    }
  say (reply, "a\\u001b[31mb");
  interp_test_reply_wait (reply, "end");
  say (reply, "success");

  pull = interp_ollama_pull_new (self->provider, "m");
  while (!g_str_has_prefix (interp_ollama_pull_get_status (pull), "a"))
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpuint (interp_ollama_pull_get_n_layers (pull), ==, 256);
  g_assert_null (strchr (interp_ollama_pull_get_status (pull), '\x1b'));
  interp_test_server_release (self->server, "end");
  g_assert_true (interp_test_await (interp_ollama_pull_await (pull), NULL, NULL));
}

static void
test_nobody_there (LlmFixture *self, gconstpointer data)
{
  g_autoptr (InterpTestServer) gone = interp_test_server_new ();
  g_autoptr (InterpProvider) provider = llm_test_provider (gone, "ollama");
  g_autoptr (InterpOllamaPull) pull = NULL;
  g_autoptr (GError) error = NULL;

  g_clear_pointer (&gone, interp_test_server_free);
  pull = interp_ollama_pull_new (provider, "m");
  g_assert_false (interp_test_await (interp_ollama_pull_await (pull), NULL, &error));
  g_assert_error (error, INTERP_LLM_ERROR, INTERP_LLM_ERROR_UNREACHABLE);
}

static void
test_names (LlmFixture *self, gconstpointer data)
{
  static const struct
  {
    const char *typed;
    const char *name; /* NULL: refused */
  } rows[] = {
    { " qwen3:8b ", "qwen3:8b" },
    { "ollama pull qwen3:8b", "qwen3:8b" },
    { "ollama run  qwen3", "qwen3" },
    { "ollama/hf.co/unsloth/gemma-3-4b-it-GGUF:Q4_K_M", "hf.co/unsloth/gemma-3-4b-it-GGUF:Q4_K_M" },
    { "", NULL },
    { "ollama pull ", NULL },
    { "two words", NULL },
    { "--insecure", NULL },
    { "a\nb", NULL },
    { "a\xe2\x80\xae"
      "b",
      NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *name = interp_ollama_parse_name (rows[i].typed, &error);

      g_assert_cmpstr (name, ==, rows[i].name);
      if (rows[i].name == NULL)
        g_assert_error (error, INTERP_LLM_ERROR, INTERP_LLM_ERROR_NO_MODEL);
    }
}

/* ---- deleting ---- */

static void
test_delete (LlmFixture *self, gconstpointer data)
{
  const InterpTestRequest *request;
  g_autoptr (JsonNode) sent = NULL;
  g_autoptr (GError) error = NULL;

  interp_test_reply_json (interp_test_server_reply (self->server, "/api/delete"), 200, "");
  g_assert_true (interp_test_await (interp_ollama_delete (self->provider, "m:latest"), NULL, &error));
  g_assert_no_error (error);
  request = interp_test_server_await_request (self->server, "/api/delete", 0);
  g_assert_cmpstr (request->method, ==, "DELETE");
  sent = llm_test_sent (self->server, "/api/delete", 0);
  g_assert_cmpstr (interp_json_get_string (sent, "model"), ==, "m:latest");

  interp_test_reply_json (interp_test_server_reply (self->server, "/api/delete"), 404,
                          "{\"error\":\"model 'm' not found\"}");
  g_assert_false (interp_test_await (interp_ollama_delete (self->provider, "m"), NULL, &error));
  g_assert_error (error, INTERP_LLM_ERROR, INTERP_LLM_ERROR_NO_MODEL);
  g_assert_nonnull (strstr (error->message, "could not delete “m”. It said: model 'm' not found"));
}

/* ---- in memory ---- */

static void
test_loaded (LlmFixture *self, gconstpointer data)
{
  g_autoptr (GPtrArray) loaded = NULL;
  g_autoptr (GError) error = NULL;
  InterpOllamaLoaded *first;

  interp_test_reply_json (interp_test_server_reply (self->server, "/api/ps"), 200,
                          "{\"models\":[{\"name\":\"a:1b\",\"size\":900,\"size_vram\":400,\"context_length\":8192},"
                          "{\"size\":1},7,{\"name\":\"b\",\"size\":-3,\"size_vram\":99}]}");
  loaded = interp_test_await_boxed (interp_ollama_list_loaded (self->provider), &error);
  g_assert_no_error (error);
  g_assert_cmpuint (loaded->len, ==, 2);
  first = g_ptr_array_index (loaded, 0);
  g_assert_cmpstr (first->name, ==, "a:1b");
  g_assert_cmpuint (first->memory, ==, 900);
  g_assert_cmpuint (first->video_memory, ==, 400);
  g_assert_cmpint (first->context_window, ==, 8192);
  g_assert_cmpuint (((InterpOllamaLoaded *) g_ptr_array_index (loaded, 1))->memory, ==, 0);
  g_assert_cmpuint (((InterpOllamaLoaded *) g_ptr_array_index (loaded, 1))->video_memory, ==, 0);

  interp_test_reply_json (interp_test_server_reply (self->server, "/api/ps"), 200, "hello");
  g_assert_null (interp_test_await_boxed (interp_ollama_list_loaded (self->provider), &error));
  g_assert_error (error, INTERP_LLM_ERROR, INTERP_LLM_ERROR_PROTOCOL);
}

/* ---- the catalogue ---- */

static InterpModels *
catalogue (LlmFixture *self, InterpProvider **keeper)
{
  g_autofree char *host = interp_test_server_dup_url (self->server, "");
  const char *environment[] = { NULL, NULL };
  g_autofree char *variable = g_strconcat ("OLLAMA_HOST=", host, NULL);
  InterpModels *models = interp_models_new ();

  environment[0] = variable;
  interp_models_read_environment (models, environment);
  *keeper = interp_models_get_provider (models, "ollama");

  return models;
}

static gboolean
is_listed (InterpModels *models, const char *name)
{
  GListModel *findings = interp_models_get_findings (models);

  for (guint i = 0; i < g_list_model_get_n_items (findings); i++)
    {
      g_autoptr (InterpFinding) finding = g_list_model_get_item (findings, i);
      GListModel *list = interp_finding_get_models (finding);

      for (guint j = 0; j < g_list_model_get_n_items (list); j++)
        {
          g_autoptr (InterpModel) model = g_list_model_get_item (list, j);

          if (g_str_equal (interp_model_get_wire_name (model), name))
            return TRUE;
        }
    }

  return FALSE;
}

/* What was got is listed, what was deleted is not; a pull is in the list of pulls as long as it says something. */
static void
test_catalogue (LlmFixture *self, gconstpointer data)
{
  InterpProvider *keeper = NULL;
  g_autoptr (InterpModels) models = catalogue (self, &keeper);
  GListModel *pulls = interp_models_get_pulls (models);
  g_autoptr (InterpOllamaPull) pull = NULL;
  g_autoptr (InterpOllamaPull) same = NULL;
  g_autoptr (InterpOllamaPull) failed = NULL;
  g_autoptr (InterpModel) model = NULL;
  g_autoptr (GError) error = NULL;
  InterpTestReply *reply;

  g_assert_null (interp_models_pull (models, keeper, "no name", &error));
  g_assert_error (error, INTERP_LLM_ERROR, INTERP_LLM_ERROR_NO_MODEL);
  g_clear_error (&error);

  reply = begin (self);
  interp_test_reply_wait (reply, "go");
  say (reply, "success");
  interp_test_reply_json (interp_test_server_reply (self->server, "/api/tags"), 200,
                          "{\"models\":[{\"name\":\"tiny:latest\",\"size\":5}]}");
  pull = interp_models_pull (models, keeper, "ollama pull tiny", &error);
  same = interp_models_pull (models, keeper, "tiny", &error);
  g_assert_true (pull == same);
  g_assert_cmpuint (g_list_model_get_n_items (pulls), ==, 1);
  interp_test_server_release (self->server, "go");
  while (g_list_model_get_n_items (pulls) > 0)
    g_main_context_iteration (NULL, TRUE);
  g_assert_true (is_listed (models, "tiny:latest"));
  g_assert_true (interp_models_get_keeper (models) == keeper);

  interp_test_reply_send (begin (self), "{\"error\":\"away\"}\n", -1);
  failed = interp_models_pull (models, keeper, "other", &error);
  interp_test_await (interp_ollama_pull_await (failed), NULL, NULL);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_cmpuint (g_list_model_get_n_items (pulls), ==, 1);
  interp_models_forget_pull (models, failed);
  g_assert_cmpuint (g_list_model_get_n_items (pulls), ==, 0);

  interp_test_reply_json (interp_test_server_reply (self->server, "/api/delete"), 200, "");
  interp_test_reply_json (interp_test_server_reply (self->server, "/api/tags"), 200, "{\"models\":[]}");
  model = interp_provider_get_model (keeper, "tiny:latest");
  g_assert_true (interp_test_await (interp_models_delete (models, model), NULL, &error));
  g_assert_no_error (error);
  g_assert_false (is_listed (models, "tiny:latest"));
}

/* Nobody is kept alive by a pull, and none goes on without its catalogue. */
static void
test_end (LlmFixture *self, gconstpointer data)
{
  InterpProvider *keeper = NULL;
  InterpModels *models = catalogue (self, &keeper);
  g_autoptr (InterpOllamaPull) pull = NULL;
  InterpTestReply *reply = begin (self);

  say_layer (reply, LAYER_A, "10", "1");
  interp_test_reply_await_close (reply);
  pull = interp_models_pull (models, keeper, "m", NULL);
  await_layers (pull, 1);
  g_assert_finalize_object (models);
  g_assert_false (interp_test_await (interp_ollama_pull_await (pull), NULL, NULL));
  g_assert_cmpint (interp_ollama_pull_get_state (pull), ==, INTERP_PULL_CANCELLED);
  interp_test_server_await_closed (self->server, 1);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *name;
    void (*func) (LlmFixture *self, gconstpointer data);
  } tests[] = {
    { "pull/whole", test_pull },
    { "pull/bytewise", test_pull_bytewise },
    { "pull/cancel", test_cancel },
    { "pull/cancel-before-answer", test_cancel_before_answer },
    { "pull/error-line", test_error_line },
    { "pull/status", test_status },
    { "pull/cut", test_cut },
    { "pull/no-last-newline", test_no_last_newline },
    { "pull/garbage", test_garbage },
    { "pull/endless-line", test_endless_line },
    { "pull/totals", test_totals },
    { "pull/many-layers", test_many_layers },
    { "pull/nobody-there", test_nobody_there },
    { "names", test_names },
    { "delete", test_delete },
    { "loaded", test_loaded },
    { "catalogue", test_catalogue },
    { "end", test_end },
  };

  llm_test_init (&argc, &argv);

  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    {
      g_autofree char *path = g_strdup_printf ("/llm/ollama-manage/%s", tests[i].name);

      g_test_add (path, LlmFixture, NULL, set_up, tests[i].func, llm_fixture_tear_down);
    }

  return g_test_run ();
}
