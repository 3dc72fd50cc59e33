/* interp-chat-title.h: the chat's title, editable in place, over its working folder
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <adwaita.h>

#include "base/interp-settings.h"
#include "session/interp-session.h"

G_BEGIN_DECLS

#define INTERP_TYPE_CHAT_TITLE (interp_chat_title_get_type ())
G_DECLARE_FINAL_TYPE (InterpChatTitle, interp_chat_title, INTERP, CHAT_TITLE, AdwBin)

void interp_chat_title_set_settings (InterpChatTitle *self, InterpSettings *settings);
void interp_chat_title_set_session (InterpChatTitle *self, InterpSession *session);
void interp_chat_title_edit (InterpChatTitle *self);

G_END_DECLS
