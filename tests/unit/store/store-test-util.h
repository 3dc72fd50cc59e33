/* store-test-util.h: a store in a folder of its own, asked without fibers
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "store/interp-store.h"

G_BEGIN_DECLS

char *test_folder_new (void); /* transfer full: removed by test_folder_free () */
void test_folder_free (char *folder);

/* Runs the main loop until @future (taken) is done. */
DexFuture *test_wait (DexFuture *future);
gint64 test_int (DexFuture *future);
void test_true (DexFuture *future);
GPtrArray *test_array (DexFuture *future);
gpointer test_boxed (DexFuture *future);
char *test_string (DexFuture *future);
/* It rejects with this store error; the message. */
char *test_error (DexFuture *future, int code);

InterpStore *test_open (const char *folder);
void test_close (InterpStore *store); /* taken */

/* A store in a folder of its own: a GTest fixture. */
typedef struct
{
  char *folder;
  InterpStore *store; /* NULL: the test has closed it */
} TestStore;

void test_store_set_up (TestStore *self, gconstpointer data);
void test_store_tear_down (TestStore *self, gconstpointer data);

gint64 test_add_chat (InterpStore *store, const char *title);
gint64 test_add_item (InterpStore *store, gint64 chat, gint64 parent, const char *text);

G_END_DECLS
