/* interp-table.h: a table that code gave, as rows of text
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <gio/gio.h>
#include <libdex.h>

G_BEGIN_DECLS

#define INTERP_TYPE_TABLE_ROW (interp_table_row_get_type ())
G_DECLARE_FINAL_TYPE (InterpTableRow, interp_table_row, INTERP, TABLE_ROW, GObject)

/* The cell's text, "" where the row is shorter. NULL: a missing value. */
const char *interp_table_row_get_text (InterpTableRow *self, guint column);

#define INTERP_TYPE_TABLE (interp_table_get_type ())
G_DECLARE_FINAL_TYPE (InterpTable, interp_table, INTERP, TABLE, GObject)

/* Reads INTERP_DISPLAY_TABLE (kernel/interp-display.h) from @bytes, or the file @path when NULL, on a worker;
 * resolves to an InterpTable. At most 1000 rows and 100 columns. */
DexFuture *interp_table_load (GBytes *bytes, const char *path);

guint interp_table_get_n_columns (InterpTable *self);
const char *interp_table_get_title (InterpTable *self, guint column);
gboolean interp_table_is_numeric (InterpTable *self, guint column);
GListModel *interp_table_get_rows (InterpTable *self);   /* InterpTableRow */
guint64 interp_table_get_total_rows (InterpTable *self); /* of the whole; the model may hold fewer */
/* Order of two rows by @column: numbers by value, missing values last. */
int interp_table_compare (InterpTable *self, InterpTableRow *a, InterpTableRow *b, guint column);
/* RFC 4180, with a header line. @rows: in the order to write (InterpTableRow). */
char *interp_table_to_csv (InterpTable *self, GListModel *rows);

G_END_DECLS
