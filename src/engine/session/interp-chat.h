/* interp-chat.h: an entry of the list of chats
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "store/interp-store.h"

G_BEGIN_DECLS

#define INTERP_TYPE_CHAT (interp_chat_get_type ())
G_DECLARE_FINAL_TYPE (InterpChat, interp_chat, INTERP, CHAT, GObject)

/* Properties (notify): id, title, updated, pinned, state ("", "running", "waiting"), folder. */
gint64 interp_chat_get_id (InterpChat *self);
const char *interp_chat_get_title (InterpChat *self); /* never empty: "New Chat" */
gint64 interp_chat_get_updated (InterpChat *self);    /* UTC ms */
gboolean interp_chat_get_pinned (InterpChat *self);
const char *interp_chat_get_state (InterpChat *self);
const char *interp_chat_get_folder (InterpChat *self);

/* For the engine. */
InterpChat *interp_chat_new (gint64 id);
void interp_chat_set_title (InterpChat *self, const char *title);
void interp_chat_set_updated (InterpChat *self, gint64 updated);
void interp_chat_set_pinned (InterpChat *self, gboolean pinned);
void interp_chat_set_state (InterpChat *self, const char *state);
void interp_chat_set_folder (InterpChat *self, const char *folder);
/* Pinned first, then the newest. */
int interp_chat_compare (gconstpointer a, gconstpointer b, gpointer unused);

G_END_DECLS
