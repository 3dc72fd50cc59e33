/* interp-store-queries.h: the jobs of the store's threads
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <glib-object.h>

#include "store/interp-database.h"
#include "store/interp-store.h"

G_BEGIN_DECLS

/* What a job is asked; each uses its part. */
typedef struct
{
  InterpChatRow *chat_row;
  InterpItemRow *item_row;
  gint64 chat;
  gint64 item;
  gint64 number;
  guint limit;
  gboolean flag;
  char *text;
} InterpStoreRequest;

void interp_store_request_free (InterpStoreRequest *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpStoreRequest, interp_store_request_free)

/* InterpStoreJobFunc, @data is an InterpStoreRequest. The writer's connection has an InterpStoreChanges as
 * its user data. */
gboolean interp_store_query_add_chat (InterpDatabase *database, gpointer data, GValue *result, GError **error);
gboolean interp_store_query_update_chat (InterpDatabase *database, gpointer data, GValue *result, GError **error);
gboolean interp_store_query_list_chats (InterpDatabase *database, gpointer data, GValue *result, GError **error);
gboolean interp_store_query_get_chat (InterpDatabase *database, gpointer data, GValue *result, GError **error);
gboolean interp_store_query_set_deleted (InterpDatabase *database, gpointer data, GValue *result, GError **error);
gboolean interp_store_query_set_draft (InterpDatabase *database, gpointer data, GValue *result, GError **error);
gboolean interp_store_query_set_title (InterpDatabase *database, gpointer data, GValue *result, GError **error);
gboolean interp_store_query_set_pinned (InterpDatabase *database, gpointer data, GValue *result, GError **error);
gboolean interp_store_query_list_expired (InterpDatabase *database, gpointer data, GValue *result,
                                          GError **error); /* GArray of gint64 */
gboolean interp_store_query_purge_chat (InterpDatabase *database, gpointer data, GValue *result, GError **error);
gboolean interp_store_query_add_item (InterpDatabase *database, gpointer data, GValue *result, GError **error);
gboolean interp_store_query_update_item (InterpDatabase *database, gpointer data, GValue *result, GError **error);
gboolean interp_store_query_append (InterpDatabase *database, gpointer data, GValue *result, GError **error);
gboolean interp_store_query_set_head (InterpDatabase *database, gpointer data, GValue *result, GError **error);
gboolean interp_store_query_load_branch (InterpDatabase *database, gpointer data, GValue *result, GError **error);
gboolean interp_store_query_load_children (InterpDatabase *database, gpointer data, GValue *result, GError **error);
gboolean interp_store_query_find_leaf (InterpDatabase *database, gpointer data, GValue *result, GError **error);

/* interp-store-search.c */
gboolean interp_store_query_search (InterpDatabase *database, gpointer data, GValue *result, GError **error);
/* Plain words as an FTS5 expression, NULL when there are none. */
char *interp_store_search_expression (const char *words);

G_END_DECLS
