/* interp-store-blobs.h: files that belong to rows
 *
 * Pictures, tables and whatever is too large for a row: named by their content under "blobs" in the data
 * folder. Nothing here touches the main thread's objects; all functions may block and run on a worker.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <gio/gio.h>

#include "store/interp-database.h"

G_BEGIN_DECLS

/* Errors: INTERP_STORE_ERROR. The path, transfer full. */
char *interp_store_blobs_put_bytes (const char *folder, GBytes *bytes, const char *extension, GError **error);
char *interp_store_blobs_put_file (const char *folder, const char *path, const char *extension, GError **error);

/* Removes blobs that no row names and that were not put within a day before @now (UTC ms). At most once a
 * day; reads all rows' data on
 * @database, a connection of its own. */
void interp_store_blobs_collect (const char *folder, InterpDatabase *database, gint64 now);

/* Removes the oldest logs beyond the limit for all of them, and those of chats that are gone. */
void interp_store_logs_collect (const char *folder, InterpDatabase *database);
void interp_store_logs_remove (const char *folder, gint64 chat);

G_END_DECLS
