/* interp-http.c: libsoup, as the providers need it
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm/interp-http.h"

#include "base/interp-fiber.h"
#include "llm/interp-address.h"

#include <glib/gi18n.h>

#define MAX_CONNECTIONS 128
#define READ_SIZE (64 * 1024)

static SoupSession *
get_session (InterpHttpUse use, gboolean loopback)
{
  static SoupSession *sessions[2][2];
  SoupSession **session = &sessions[use][loopback];

  if (*session == NULL)
    {
      *session = soup_session_new_with_options ("max-conns", MAX_CONNECTIONS, "max-conns-per-host", MAX_CONNECTIONS,
                                                "timeout", 0, "user-agent", "interpreter/" PACKAGE_VERSION, NULL);
      soup_session_remove_feature_by_type (*session, SOUP_TYPE_AUTH_MANAGER);
      if (loopback)
        soup_session_set_proxy_resolver (*session, NULL);
    }

  return *session;
}

/* Never accepted; what it was is told in the error. */
static gboolean
on_certificate (SoupMessage *message, GTlsCertificate *certificate, GTlsCertificateFlags faults, gpointer data)
{
  g_object_set_data_full (G_OBJECT (message), "refused-certificate", g_object_ref (certificate), g_object_unref);

  return FALSE;
}

/* SHA-256 of the whole certificate, "AB:CD:…", as browsers and openssl show it. */
static char *
make_fingerprint (GTlsCertificate *certificate)
{
  g_autoptr (GByteArray) bytes = NULL;
  g_autofree char *sum = NULL;
  g_autoptr (GString) text = g_string_new (NULL);

  g_object_get (certificate, "certificate", &bytes, NULL);
  sum = g_compute_checksum_for_data (G_CHECKSUM_SHA256, bytes->data, bytes->len);
  for (const char *p = sum; *p != '\0'; p += 2)
    g_string_append_printf (text, "%s%c%c", p > sum ? ":" : "", g_ascii_toupper (p[0]), g_ascii_toupper (p[1]));

  return g_string_free_and_steal (g_steal_pointer (&text));
}

static GError *
describe_certificate (SoupMessage *message, GError *error)
{
  GTlsCertificate *certificate = g_object_get_data (G_OBJECT (message), "refused-certificate");
  g_autofree char *fingerprint = NULL;

  if (certificate == NULL || !g_error_matches (error, G_TLS_ERROR, G_TLS_ERROR_BAD_CERTIFICATE))
    return error;

  fingerprint = make_fingerprint (certificate);
  g_error_free (error);

  return g_error_new (G_TLS_ERROR, G_TLS_ERROR_BAD_CERTIFICATE,
                      /* Translators: %s are hexadecimal digits */
                      _ ("Its certificate is not known to this computer. Nothing was sent. SHA-256 fingerprint: %s"),
                      fingerprint);
}

SoupMessage *
interp_http_make_message (InterpHttpRequest *request, GError **error)
{
  g_autoptr (SoupMessage) message = soup_message_new (request->method, request->url);
  SoupMessageHeaders *headers;

  if (message == NULL)
    {
      g_set_error (error, INTERP_LLM_ERROR, INTERP_LLM_ERROR_UNREACHABLE, _ ("“%s” is not an address."), request->url);
      return NULL;
    }

  soup_message_add_flags (message, SOUP_MESSAGE_NO_REDIRECT);
  g_signal_connect (message, "accept-certificate", G_CALLBACK (on_certificate), NULL);
  soup_message_set_force_http1 (message, TRUE);

  /* A proxy that compresses also collects, and an answer would come in one piece. */
  headers = soup_message_get_request_headers (message);
  soup_message_headers_replace (headers, "Accept-Encoding", "identity");
  for (guint i = 0; i + 1 < request->headers->len; i += 2)
    soup_message_headers_replace (headers, g_ptr_array_index (request->headers, i),
                                  g_ptr_array_index (request->headers, i + 1));

  if (request->body != NULL)
    soup_message_set_request_body_from_bytes (message, "application/json", request->body);

  return g_steal_pointer (&message);
}

static void
on_sent (GObject *object, GAsyncResult *result, gpointer data)
{
  g_autoptr (DexPromise) promise = data;
  SoupMessage *message = soup_session_get_async_result_message (SOUP_SESSION (object), result);
  g_autoptr (GError) error = NULL;
  GInputStream *stream = soup_session_send_finish (SOUP_SESSION (object), result, &error);

  if (stream != NULL)
    dex_promise_resolve_object (promise, stream);
  else
    dex_promise_reject (promise, describe_certificate (message, g_steal_pointer (&error)));
}

static gboolean only_here;

void
interp_http_set_offline (gboolean offline)
{
  only_here = offline;
}

DexFuture *
interp_http_send (InterpHttpUse use, SoupMessage *message, GCancellable *cancellable)
{
  g_autofree char *url = g_uri_to_string (soup_message_get_uri (message));
  gboolean here = interp_address_is_loopback (url);
  DexPromise *promise;

  if (only_here && !here)
    return dex_future_new_reject (INTERP_LLM_ERROR, INTERP_LLM_ERROR_OFFLINE,
                                  _ ("%s is not on this computer, and only models on this computer may be used."),
                                  g_uri_get_host (soup_message_get_uri (message)));

  promise = dex_promise_new ();
  soup_session_send_async (get_session (use, here), message, G_PRIORITY_DEFAULT, cancellable, on_sent,
                           dex_ref (promise));

  return DEX_FUTURE (promise);
}

static void
on_read (GObject *object, GAsyncResult *result, gpointer data)
{
  g_autoptr (DexPromise) promise = data;
  g_autoptr (GError) error = NULL;
  GBytes *bytes = g_input_stream_read_bytes_finish (G_INPUT_STREAM (object), result, &error);

  if (bytes != NULL)
    dex_promise_resolve_boxed (promise, G_TYPE_BYTES, bytes);
  else
    dex_promise_reject (promise, g_steal_pointer (&error));
}

DexFuture *
interp_http_read (GInputStream *stream, GCancellable *cancellable)
{
  DexPromise *promise = dex_promise_new ();

  g_input_stream_read_bytes_async (stream, READ_SIZE, G_PRIORITY_DEFAULT, cancellable, on_read, dex_ref (promise));

  return DEX_FUTURE (promise);
}

void
interp_http_close (GInputStream *stream)
{
  g_input_stream_close_async (stream, G_PRIORITY_DEFAULT, NULL, NULL, NULL);
}

/* ---- fibers nobody needs to hold ---- */

static DexFuture *
forward (DexFuture *future, gpointer data)
{
  DexPromise *promise = data;
  g_autoptr (GError) error = NULL;
  const GValue *value = dex_future_get_value (future, &error);

  if (value != NULL)
    dex_promise_resolve (promise, value);
  else
    dex_promise_reject (promise, g_steal_pointer (&error));

  return dex_future_new_true ();
}

DexFuture *
interp_http_spawn (DexFiberFunc func, gpointer data, GDestroyNotify destroy)
{
  DexPromise *promise = dex_promise_new ();

  dex_future_disown (
      dex_future_finally (interp_fiber_spawn (func, data, destroy), forward, dex_ref (promise), dex_unref));

  return DEX_FUTURE (promise);
}

/* ---- short questions ---- */

G_DEFINE_BOXED_TYPE (InterpHttpReply, interp_http_reply, interp_http_reply_ref, interp_http_reply_unref)

InterpHttpReply *
interp_http_reply_ref (InterpHttpReply *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
interp_http_reply_unref (InterpHttpReply *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_free (self->reason);
  g_clear_pointer (&self->headers, soup_message_headers_unref);
  g_clear_pointer (&self->body, g_bytes_unref);
  g_free (self);
}

typedef struct
{
  InterpHttpRequest *request;
  guint msec;
  gsize max_bytes;
  GCancellable *cancellable; /* the caller's, nullable */
} Fetch;

static void
fetch_free (gpointer data)
{
  Fetch *fetch = data;

  interp_http_request_free (fetch->request);
  g_clear_object (&fetch->cancellable);
  g_free (fetch);
}

static DexFuture *
timed_out (GCancellable *cancellable)
{
  g_cancellable_cancel (cancellable);

  return dex_future_new_reject (G_IO_ERROR, G_IO_ERROR_TIMED_OUT, "%s", _ ("There was no answer in time."));
}

static DexFuture *
fetch_fiber (gpointer data)
{
  Fetch *fetch = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (SoupMessage) message = interp_http_make_message (fetch->request, &error);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  gint64 deadline = g_get_monotonic_time () + (gint64) fetch->msec * 1000;
  g_autoptr (DexFuture) send = NULL;
  g_autoptr (GInputStream) stream = NULL;
  g_autoptr (GByteArray) body = g_byte_array_new ();
  InterpHttpReply *reply;

  if (message == NULL)
    return dex_future_new_for_error (g_steal_pointer (&error));

  /* A time limit must not cancel what is the caller's. */
  if (fetch->cancellable != NULL)
    g_signal_connect_object (fetch->cancellable, "cancelled", G_CALLBACK (g_cancellable_cancel), cancellable,
                             G_CONNECT_SWAPPED);
  if (g_cancellable_set_error_if_cancelled (fetch->cancellable, &error))
    return dex_future_new_for_error (g_steal_pointer (&error));

  send = interp_http_send (INTERP_HTTP_CONTROL, message, cancellable);

  dex_await (dex_future_first (dex_ref (send), interp_timeout (fetch->msec), NULL), NULL);
  if (dex_future_is_pending (send))
    return timed_out (cancellable);

  stream = dex_await_object (dex_ref (send), &error);
  if (stream == NULL)
    return dex_future_new_for_error (g_steal_pointer (&error));

  for (;;)
    {
      g_autoptr (DexFuture) read = interp_http_read (stream, cancellable);
      g_autoptr (GBytes) bytes = NULL;
      gsize length;
      const guchar *piece;

      gint64 left = MAX (0, deadline - g_get_monotonic_time ()) / 1000;

      dex_await (dex_future_first (dex_ref (read), interp_timeout (left), NULL), NULL);
      if (dex_future_is_pending (read))
        return timed_out (cancellable);

      bytes = dex_await_boxed (dex_ref (read), &error);
      if (bytes == NULL)
        return dex_future_new_for_error (g_steal_pointer (&error));

      piece = g_bytes_get_data (bytes, &length);
      if (length == 0)
        break;

      if (body->len + length > fetch->max_bytes)
        {
          interp_http_close (stream);
          return dex_future_new_reject (G_IO_ERROR, G_IO_ERROR_MESSAGE_TOO_LARGE, "%s", _ ("The answer is too long."));
        }

      g_byte_array_append (body, piece, length);
    }

  interp_http_close (stream);

  reply = g_new0 (InterpHttpReply, 1);
  g_atomic_ref_count_init (&reply->ref_count);
  reply->status = soup_message_get_status (message);
  reply->reason = g_strdup (soup_message_get_reason_phrase (message));
  reply->headers = soup_message_headers_ref (soup_message_get_response_headers (message));
  reply->body = g_byte_array_free_to_bytes (g_steal_pointer (&body));

  return dex_future_new_take_boxed (INTERP_TYPE_HTTP_REPLY, reply);
}

DexFuture *
interp_http_fetch (InterpHttpRequest *request, guint msec, gsize max_bytes, GCancellable *cancellable)
{
  Fetch *fetch = g_new0 (Fetch, 1);

  fetch->request = request;
  fetch->msec = msec;
  fetch->max_bytes = max_bytes;
  g_set_object (&fetch->cancellable, cancellable);

  return interp_http_spawn (fetch_fiber, fetch, fetch_free);
}

gboolean
interp_http_error_is_refused (const GError *error)
{
  return g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CONNECTION_REFUSED)
         || g_error_matches (error, G_IO_ERROR, G_IO_ERROR_HOST_UNREACHABLE)
         || g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NETWORK_UNREACHABLE)
         || g_error_matches (error, G_IO_ERROR, G_IO_ERROR_HOST_NOT_FOUND)
         || (error != NULL && error->domain == G_RESOLVER_ERROR);
}
