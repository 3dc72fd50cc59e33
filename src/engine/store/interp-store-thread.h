/* interp-store-thread.h: a thread that owns one connection and does jobs in order
 *
 * The writer joins queued jobs into one transaction; a job that fails undoes only itself. Futures resolve on
 * the main thread, after the commit.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <libdex.h>

#include "store/interp-database.h"

G_BEGIN_DECLS

typedef struct _InterpStoreThread InterpStoreThread;

typedef enum
{
  INTERP_STORE_JOB_NONE = 0,
  INTERP_STORE_JOB_MAY_WAIT = 1 << 0, /* streamed text: at most one transaction a frame */
} InterpStoreJobFlags;

/* Runs on the thread; sets @result (initialised by it). */
typedef gboolean (*InterpStoreJobFunc) (InterpDatabase *database, gpointer data, GValue *result, GError **error);
/* Writer only: what else belongs into the transaction that is about to be committed. */
typedef gboolean (*InterpStoreCommitFunc) (InterpDatabase *database, gpointer data, GError **error);
/* Writer only, on the thread: every half second. */
typedef void (*InterpStorePollFunc) (InterpDatabase *database, gpointer data);
/* On the thread, when it ends. */
typedef void (*InterpStoreEndFunc) (gpointer data);

typedef struct
{
  InterpStoreCommitFunc commit;
  InterpStorePollFunc poll;
  gpointer data;
} InterpStoreWriterFuncs;

/* @database is taken. @writer NULL: this is the writer; else a reader, whose jobs wait for what @writer was
 * asked before them. */
InterpStoreThread *interp_store_thread_new (const char *name, InterpDatabase *database, InterpStoreThread *writer,
                                            const InterpStoreWriterFuncs *funcs);
/* On the main thread. @data is freed by @destroy on the store's thread. */
DexFuture *interp_store_thread_push (InterpStoreThread *self, InterpStoreJobFlags flags, InterpStoreJobFunc func,
                                     gpointer data, GDestroyNotify destroy);
/* Ends after what is queued, closes the connection and frees itself; @end is called last. Later pushes are
 * refused by the caller. */
void interp_store_thread_stop (InterpStoreThread *self, InterpStoreEndFunc end, gpointer data);

G_END_DECLS
