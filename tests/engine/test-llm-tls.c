/* test-llm-tls.c: servers whose certificate nobody vouches for
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "interp-test-await.h"
#include "llm-fixture.h"
#include "llm/interp-provider-private.h"

#include <string.h>

#define KEY "sk-marked-4711"

/* A server that speaks TLS; counts what is said to it once that is agreed upon. */
typedef struct
{
  GSocketService *service;
  GTlsCertificate *certificate;
  guint16 port;
  gint n_heard; /* atomic */
} TlsServer;

static gboolean
on_run (GThreadedSocketService *service, GSocketConnection *connection, GObject *source, gpointer data)
{
  TlsServer *self = data;
  g_autoptr (GIOStream) tls = g_tls_server_connection_new (G_IO_STREAM (connection), self->certificate, NULL);
  char buffer[16];

  if (g_tls_connection_handshake (G_TLS_CONNECTION (tls), NULL, NULL)
      && g_input_stream_read (g_io_stream_get_input_stream (tls), buffer, sizeof buffer, NULL, NULL) > 0)
    g_atomic_int_inc (&self->n_heard);
  g_io_stream_close (tls, NULL, NULL);

  return TRUE;
}

static void
start (TlsServer *self)
{
  g_autoptr (GInetAddress) loopback = g_inet_address_new_loopback (G_SOCKET_FAMILY_IPV4);
  g_autoptr (GSocketAddress) any = g_inet_socket_address_new (loopback, 0);
  g_autoptr (GSocketAddress) effective = NULL;
  g_autoptr (GError) error = NULL;

  self->service = g_threaded_socket_service_new (8);
  g_socket_listener_add_address (G_SOCKET_LISTENER (self->service), any, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP,
                                 NULL, &effective, &error);
  g_assert_no_error (error);
  self->port = g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (effective));
  g_signal_connect (self->service, "run", G_CALLBACK (on_run), self);
  g_socket_service_start (self->service);
}

/* What openssl says of it. Transfer full. */
static char *
run_openssl (const char *const *arguments)
{
  g_autofree char *output = NULL;
  g_autoptr (GError) error = NULL;
  int status;

  g_spawn_sync (NULL, (char **) arguments, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &output,
                NULL, &status, &error);
  g_assert_no_error (error);
  g_assert_true (g_spawn_check_wait_status (status, NULL));

  return g_steal_pointer (&output);
}

/* Nothing is sent, the key least of all; the error tells the certificate as openssl does. */
static void
test_unknown (void)
{
  g_autofree char *program = g_find_program_in_path ("openssl");
  g_autofree char *key = g_build_filename (g_get_user_cache_dir (), "key.pem", NULL);
  g_autofree char *certificate = g_build_filename (g_get_user_cache_dir (), "certificate.pem", NULL);
  const char *make[]
      = { "openssl", "req",   "-x509", "-newkey",   "ec",       "-pkeyopt", "ec_paramgen_curve:P-256",
          "-nodes",  "-days", "2",     "-subj",     "/CN=test", "-addext",  "subjectAltName=IP:127.0.0.1",
          "-keyout", key,     "-out",  certificate, NULL };
  const char *show[] = { "openssl", "x509", "-in", certificate, "-noout", "-fingerprint", "-sha256", NULL };
  g_autofree char *made = NULL;
  g_autofree char *shown = NULL;
  g_autofree char *address = NULL;
  g_autoptr (InterpModels) models = NULL;
  g_autoptr (InterpProvider) provider = NULL;
  g_autoptr (LlmAnswer) answer = NULL;
  g_autoptr (InterpRequest) request = llm_test_request ("m", FALSE);
  g_autoptr (GError) error = NULL;
  TlsServer server = { 0 };
  const char *fingerprint;

  if (program == NULL)
    {
      g_test_skip ("openssl is not installed");
      return;
    }

  g_assert_cmpint (g_mkdir_with_parents (g_get_user_cache_dir (), 0700), ==, 0);
  made = run_openssl (make);
  shown = g_strchomp (run_openssl (show));
  fingerprint = strchr (shown, '=') + 1;
  server.certificate = g_tls_certificate_new_from_files (certificate, key, &error);
  g_assert_no_error (error);
  start (&server);

  models = interp_models_new ();
  address = g_strdup_printf ("https://127.0.0.1:%u/v1", server.port);
  provider = interp_models_prepare_address (models, address, &error);
  g_assert_no_error (error);
  g_assert_false (interp_test_await (interp_models_enter_key (models, provider, KEY, NULL), NULL, &error));
  g_assert_error (error, INTERP_LLM_ERROR, INTERP_LLM_ERROR_UNREACHABLE);
  g_assert_nonnull (strstr (error->message, fingerprint));
  g_assert_null (interp_models_get_provider (models, interp_provider_get_id (provider)));

  interp_provider_set_key (provider, KEY, INTERP_KEY_SESSION);
  answer = llm_test_ask (provider, request);
  g_assert_error (answer->error, INTERP_LLM_ERROR, INTERP_LLM_ERROR_UNREACHABLE);
  g_assert_nonnull (strstr (answer->error->message, fingerprint));
  g_assert_cmpint (g_atomic_int_get (&server.n_heard), ==, 0);

  g_socket_service_stop (server.service);
  g_socket_listener_close (G_SOCKET_LISTENER (server.service));
  g_object_unref (server.service);
  g_object_unref (server.certificate);
  interp_provider_release (provider);
}

int
main (int argc, char **argv)
{
  g_setenv ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent", TRUE);
  llm_test_init (&argc, &argv);

  g_test_add_func ("/llm/tls/unknown", test_unknown);

  return g_test_run ();
}
