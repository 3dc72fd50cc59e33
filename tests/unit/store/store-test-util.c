/* store-test-util.c: a store in a folder of its own, asked without fibers
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "store-test-util.h"

#include "base/interp-clock.h"

#include <ftw.h>
#include <stdio.h>

char *
test_folder_new (void)
{
  g_autoptr (GError) error = NULL;
  char *folder = g_dir_make_tmp ("interpreter-store-XXXXXX", &error);

  g_assert_no_error (error);
  return folder;
}

static int
remove_entry (const char *path, const struct stat *status, int flag, struct FTW *ftw)
{
  return remove (path);
}

void
test_folder_free (char *folder)
{
  nftw (folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
  g_free (folder);
}

DexFuture *
test_wait (DexFuture *future)
{
  while (dex_future_is_pending (future))
    g_main_context_iteration (NULL, TRUE);
  return future;
}

static const GValue *
value_of (DexFuture *future)
{
  g_autoptr (GError) error = NULL;
  const GValue *value = dex_future_get_value (test_wait (future), &error);

  g_assert_no_error (error);
  g_assert_nonnull (value);
  return value;
}

gint64
test_int (DexFuture *future)
{
  g_autoptr (DexFuture) owned = future;

  return g_value_get_int64 (value_of (owned));
}

void
test_true (DexFuture *future)
{
  g_autoptr (DexFuture) owned = future;

  g_assert_true (g_value_get_boolean (value_of (owned)));
}

gpointer
test_boxed (DexFuture *future)
{
  g_autoptr (DexFuture) owned = future;

  return g_value_dup_boxed (value_of (owned));
}

GPtrArray *
test_array (DexFuture *future)
{
  return test_boxed (future);
}

char *
test_string (DexFuture *future)
{
  g_autoptr (DexFuture) owned = future;

  return g_value_dup_string (value_of (owned));
}

char *
test_error (DexFuture *future, int code)
{
  g_autoptr (DexFuture) owned = future;
  g_autoptr (GError) error = NULL;

  g_assert_null (dex_future_get_value (test_wait (owned), &error));
  g_assert_error (error, INTERP_STORE_ERROR, code);
  return g_strdup (error->message);
}

InterpStore *
test_open (const char *folder)
{
  g_autoptr (DexFuture) future = interp_store_open (folder);

  return g_value_dup_object (value_of (future));
}

void
test_close (InterpStore *store)
{
  test_true (interp_store_close (store));
  g_object_unref (store);
}

gint64
test_add_chat (InterpStore *store, const char *title)
{
  InterpChatRow row
      = { .title = (char *) title, .folder = (char *) "/tmp", .model = (char *) "tour", .mode = (char *) "ask" };

  return test_int (interp_store_add_chat (store, &row));
}

gint64
test_add_item (InterpStore *store, gint64 chat, gint64 parent, const char *text)
{
  InterpItemRow row = {
    .chat = chat, .parent = parent, .kind = (char *) "user", .state = (char *) "complete", .text = (char *) text
  };

  return test_int (interp_store_add_item (store, &row, TRUE));
}

void
test_store_set_up (TestStore *self, gconstpointer data)
{
  self->folder = test_folder_new ();
  self->store = test_open (self->folder);
}

void
test_store_tear_down (TestStore *self, gconstpointer data)
{
  interp_clock_set_real ();
  if (self->store != NULL)
    test_close (self->store);
  test_folder_free (self->folder);
}
