/* interp-transcript-search.h: find in chat
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define INTERP_TYPE_TRANSCRIPT_SEARCH (interp_transcript_search_get_type ())
G_DECLARE_FINAL_TYPE (InterpTranscriptSearch, interp_transcript_search, INTERP, TRANSCRIPT_SEARCH, AdwBin)

/* Signal "found" (gint64): go to the item of that id. */
/* @items: InterpItem; nullable. */
void interp_transcript_search_set_items (InterpTranscriptSearch *self, GListModel *items);
void interp_transcript_search_invalidate (InterpTranscriptSearch *self);
void interp_transcript_search_open (InterpTranscriptSearch *self);

G_END_DECLS
