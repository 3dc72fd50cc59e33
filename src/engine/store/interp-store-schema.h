/* interp-store-schema.h: tables, and how older ones become newer ones
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "store/interp-database.h"

G_BEGIN_DECLS

/* The schema version (SQLite's user_version) that this program writes. */
int interp_store_schema_version (void);

/* Brings the database to that version, each step in a transaction of its own. The caller holds the exclusive
 * lock. */
gboolean interp_store_schema_migrate (InterpDatabase *database, int from, GError **error);

G_END_DECLS
