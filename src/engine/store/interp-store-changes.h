/* interp-store-changes.h: which chats this process changed, and which others did
 *
 * Lives on the writer's thread.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "store/interp-database.h"

G_BEGIN_DECLS

typedef struct _InterpStoreChanges InterpStoreChanges;

/* @chats: gint64, one entry a chat that another process changed; 0 first when the list moved. */
typedef void (*InterpStoreChangesFunc) (GArray *chats, gpointer data);

InterpStoreChanges *interp_store_changes_new (InterpDatabase *database, InterpStoreChangesFunc func, gpointer data);
void interp_store_changes_free (InterpStoreChanges *self);

/* The running transaction changes @chat; @list: in what the list of chats shows. */
void interp_store_changes_touch (InterpStoreChanges *self, gint64 chat, gboolean list);
/* Before the commit: gives the touched chats their new versions. */
gboolean interp_store_changes_commit (InterpStoreChanges *self, InterpDatabase *database, GError **error);
/* Reports what others changed since the last call. */
void interp_store_changes_poll (InterpStoreChanges *self, InterpDatabase *database);

G_END_DECLS
