/* interp-stream-private.h: the writing end of a stream
 *
 * The stream is what the reader holds; the core is shared by it and the flow that fills it. When the reader lets go,
 * the core is closed.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "llm/interp-provider.h"

G_BEGIN_DECLS

typedef struct _InterpStreamCore InterpStreamCore;

InterpStream *interp_stream_new (InterpStreamCore **core /* out, transfer full */);
/* A stream that only rejects. @error is taken. */
InterpStream *interp_stream_new_failed (GError *error);

InterpStreamCore *interp_stream_core_ref (InterpStreamCore *self);
void interp_stream_core_unref (InterpStreamCore *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpStreamCore, interp_stream_core_unref)

void interp_stream_core_push (InterpStreamCore *self, InterpEvent *event /* taken */);
/* Ends it: with FINISH as the last event, or with @error (taken) once what was pushed has been read. */
void interp_stream_core_end (InterpStreamCore *self);
void interp_stream_core_fail (InterpStreamCore *self, GError *error);

gboolean interp_stream_core_is_closed (InterpStreamCore *self);
/* Resolves when the reader closed the stream. */
DexFuture *interp_stream_core_dup_closed (InterpStreamCore *self);
GCancellable *interp_stream_core_get_cancellable (InterpStreamCore *self);
/* Resolves when the reader has taken enough for more to be read, or has closed. */
DexFuture *interp_stream_core_wait_room (InterpStreamCore *self);

G_END_DECLS
