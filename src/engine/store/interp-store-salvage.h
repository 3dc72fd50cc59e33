/* interp-store-salvage.h: what can still be read from a damaged database
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "store/interp-database.h"

G_BEGIN_DECLS

/* Copies rows from the file @path, which is only read, to @database, which is empty. How many chats were
 * found. */
guint interp_store_salvage (const char *path, InterpDatabase *database);

G_END_DECLS
