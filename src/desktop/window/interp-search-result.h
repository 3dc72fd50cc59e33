/* interp-search-result.h: a place in a chat that holds the words searched for
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <gtk/gtk.h>

#include "store/interp-store.h"

G_BEGIN_DECLS

#define INTERP_TYPE_SEARCH_RESULT (interp_search_result_get_type ())
G_DECLARE_FINAL_TYPE (InterpSearchResult, interp_search_result, INTERP, SEARCH_RESULT, GObject)

InterpSearchResult *interp_search_result_new (const InterpSearchHit *hit);
gint64 interp_search_result_get_chat (InterpSearchResult *self);
gint64 interp_search_result_get_item (InterpSearchResult *self);
const char *interp_search_result_get_title (InterpSearchResult *self);

GtkWidget *interp_search_result_make_row (void);
void interp_search_result_bind_row (InterpSearchResult *self, GtkWidget *row);

G_END_DECLS
