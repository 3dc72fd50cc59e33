/* interp-http.h: libsoup, as the providers need it
 *
 * Streams and short questions have sessions of their own, so that running answers never hold up a list of models;
 * addresses of this computer are reached without a proxy. Redirects are not followed: a key goes only where it was
 * meant for.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "llm/interp-codec.h"

#include <libdex.h>

G_BEGIN_DECLS

typedef enum
{
  INTERP_HTTP_STREAM,
  INTERP_HTTP_CONTROL,
} InterpHttpUse;

/* NULL with an error when the address is no address. */
SoupMessage *interp_http_make_message (InterpHttpRequest *request, GError **error);

/* "Local Models Only": while it is set, whatever is asked of another computer than this one is refused here with
 * INTERP_LLM_ERROR_OFFLINE, before a name is looked up. Everything that is sent goes through here. */
void interp_http_set_offline (gboolean offline);

/* Resolves to a GInputStream once the headers have come, whatever the status. */
DexFuture *interp_http_send (InterpHttpUse use, SoupMessage *message, GCancellable *cancellable);

/* Resolves to GBytes (G_TYPE_BYTES), empty at the end. */
DexFuture *interp_http_read (GInputStream *stream, GCancellable *cancellable);

/* Closes without waiting; the connection is not used again unless the answer was read to its end. */
void interp_http_close (GInputStream *stream);

#define INTERP_TYPE_HTTP_REPLY (interp_http_reply_get_type ())
typedef struct
{
  gatomicrefcount ref_count;
  guint status;
  char *reason;
  SoupMessageHeaders *headers;
  GBytes *body;
} InterpHttpReply;

GType interp_http_reply_get_type (void);
InterpHttpReply *interp_http_reply_ref (InterpHttpReply *self);
void interp_http_reply_unref (InterpHttpReply *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpHttpReply, interp_http_reply_unref)

/* A short question: resolves to an InterpHttpReply whatever its status; rejects when there was no connection, the
 * answer was longer than @max_bytes or took longer than @msec (G_IO_ERROR_TIMED_OUT), or @cancellable (nullable) was
 * cancelled (G_IO_ERROR_CANCELLED). @request is taken. */
DexFuture *interp_http_fetch (InterpHttpRequest *request, guint msec, gsize max_bytes, GCancellable *cancellable);

/* A fiber that goes on when nobody waits for its future any more. */
DexFuture *interp_http_spawn (DexFiberFunc func, gpointer data, GDestroyNotify destroy);

/* Nothing answers there, as opposed to other failures of the connection. */
gboolean interp_http_error_is_refused (const GError *error);

G_END_DECLS
