/* interp-item-private.h: what the session does to items
 *
 * An item is a row of the store (kind, state, text; the rest as a JSON object). Its text may be ahead of what is shown:
 * streamed pieces are committed first.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "llm/interp-message.h"
#include "session/interp-item.h"
#include "store/interp-store.h"

G_BEGIN_DECLS

InterpItem *interp_item_new (InterpItemKind kind, const char *text);
InterpItem *interp_item_new_from_row (const InterpItemRow *row);
/* The row as it should be now: text with everything that has arrived. */
InterpItemRow *interp_item_to_row (InterpItem *self, gint64 chat);
/* Takes over what another process wrote into the same row. */
void interp_item_update_from_row (InterpItem *self, const InterpItemRow *row);

void interp_item_set_place (InterpItem *self, gint64 id, gint64 parent);
gint64 interp_item_get_parent (InterpItem *self);
void interp_item_set_created (InterpItem *self, gint64 created);
void interp_item_set_kind (InterpItem *self, InterpItemKind kind);
void interp_item_set_state (InterpItem *self, InterpItemState state);
void interp_item_set_offers (InterpItem *self, InterpOffers offers);
void interp_item_set_duration (InterpItem *self, gint64 duration);
void interp_item_set_premature (InterpItem *self, gboolean premature);
void interp_item_set_branches (InterpItem *self, guint branch, guint n_branches);
void interp_item_set_model (InterpItem *self, const char *model);
void interp_item_set_attachments (InterpItem *self, const char *const *attachments);

/* Replaces the text shown (and what was pending). */
void interp_item_set_text (InterpItem *self, const char *text);

/* Streaming: push () collects; take_pending () gives what is to be committed now (NULL: nothing) and where it ends;
 * show_to () shows what has been committed up to there. get_full_text () is all that was pushed. */
void interp_item_push_text (InterpItem *self, const char *text);
char *interp_item_take_pending (InterpItem *self, gsize *end);
void interp_item_show_to (InterpItem *self, gsize end);
const char *interp_item_get_full_text (InterpItem *self);
/* Shows all that was pushed. */
void interp_item_show_all (InterpItem *self);
guint *interp_item_get_flush_source (InterpItem *self);

/* User: given while a turn went on, not its beginning. */
gboolean interp_item_is_mid_turn (InterpItem *self);
void interp_item_set_mid_turn (InterpItem *self, gboolean mid_turn);

/* Items of one answer of a model share its number (from 1; 0: none). */
gint64 interp_item_get_answer (InterpItem *self);
void interp_item_set_answer (InterpItem *self, gint64 answer);

/* First item of an answer: the words from us that it answers, when no user message stands before it; what the provider
 * wants back; what it cost. */
const char *interp_item_get_nudge (InterpItem *self);
void interp_item_set_nudge (InterpItem *self, const char *nudge);
GBytes *interp_item_get_opaque (InterpItem *self, const char **provider);
void interp_item_set_opaque (InterpItem *self, const char *provider, GBytes *opaque);
const InterpUsage *interp_item_get_usage (InterpItem *self); /* nullable */
void interp_item_set_usage (InterpItem *self, const InterpUsage *usage);

/* Pictures of a user's attachments, once read: GPtrArray of InterpPicture, nullable. */
GPtrArray *interp_item_get_pictures (InterpItem *self);
void interp_item_set_pictures (InterpItem *self, GPtrArray *pictures);

const char *interp_item_kind_to_string (InterpItemKind kind);
gboolean interp_item_kind_from_string (const char *text, InterpItemKind *kind);
const char *interp_item_state_to_string (InterpItemState state);
InterpItemState interp_item_state_from_string (const char *text);

G_END_DECLS
