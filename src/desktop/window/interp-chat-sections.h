/* interp-chat-sections.h: the list of chats, grouped by when they were last used
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "session/interp-engine.h"

G_BEGIN_DECLS

#define INTERP_TYPE_CHAT_SECTIONS (interp_chat_sections_get_type ())
G_DECLARE_FINAL_TYPE (InterpChatSections, interp_chat_sections, INTERP, CHAT_SECTIONS, GObject)

/* A GListModel and GtkSectionModel over @chats (InterpChat: pinned first, newest first). */
InterpChatSections *interp_chat_sections_new (GListModel *chats);
/* The day has changed: groups are formed anew. */
void interp_chat_sections_refresh (InterpChatSections *self);
/* "Today", "Last Week", …: of the group that @chat belongs to. */
const char *interp_chat_sections_get_title (InterpChat *chat);

G_END_DECLS
