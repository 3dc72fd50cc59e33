/* interp-chat-row-view.h: a chat in the sidebar
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <adwaita.h>

#include "session/interp-engine.h"

G_BEGIN_DECLS

#define INTERP_TYPE_CHAT_ROW_VIEW (interp_chat_row_view_get_type ())
G_DECLARE_FINAL_TYPE (InterpChatRowView, interp_chat_row_view, INTERP, CHAT_ROW_VIEW, AdwBin)

GtkWidget *interp_chat_row_view_new (void);
void interp_chat_row_view_set_chat (InterpChatRowView *self, InterpChat *chat);

G_END_DECLS
