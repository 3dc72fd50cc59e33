/* interp-fiber.h: how flows and heavy work are started
 *
 * Engine objects live on the main thread's scheduler; what may take over a millisecond runs on a worker that
 * gets immutable input and returns a value.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <libdex.h>

G_BEGIN_DECLS

/* Fibers that touch JSON need more than libdex's default stack: bytes. */
#define INTERP_FIBER_STACK (1024 * 1024)

/* Runs @func as a fiber on the main thread. @data is freed by @destroy when the fiber ends. */
DexFuture *interp_fiber_spawn (DexFiberFunc func, gpointer data, GDestroyNotify destroy);

/* The same, and nobody waits: a failure other than cancellation is logged under @what. */
void interp_fiber_run (const char *what, DexFiberFunc func, gpointer data, GDestroyNotify destroy);

/* Runs on a worker thread. Returns a finished future: the value or the error. */
typedef DexFuture *(*InterpWorkerFunc) (gpointer data);

/* Runs @func on a worker thread; it must touch nothing but @data, which is freed by @destroy on that thread
 * before the future resolves, on the main thread. */
DexFuture *interp_worker_run (const char *what, InterpWorkerFunc func, gpointer data, GDestroyNotify destroy);

/* A future that resolves after @msec milliseconds, for use in dex_future_first (); unlike dex_timeout_new it
 * resolves instead of rejecting, and raises nothing when discarded. */
DexFuture *interp_timeout (guint msec);

/* Awaits @future (taken). TRUE when it resolved. Sugar for functions that only need success. */
gboolean interp_await (DexFuture *future, GError **error);

G_END_DECLS
