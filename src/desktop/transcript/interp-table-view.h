/* interp-table-view.h: a table that code gave, sortable, to be copied as CSV
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <adwaita.h>

#include "kernel/interp-display.h"

G_BEGIN_DECLS

#define INTERP_TYPE_TABLE_VIEW (interp_table_view_get_type ())
G_DECLARE_FINAL_TYPE (InterpTableView, interp_table_view, INTERP, TABLE_VIEW, AdwBin)

GtkWidget *interp_table_view_new (InterpDisplay *display);

G_END_DECLS
