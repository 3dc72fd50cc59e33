/* interp-empty-chat.h: what stands where nothing has been said yet
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define INTERP_TYPE_EMPTY_CHAT (interp_empty_chat_get_type ())
G_DECLARE_FINAL_TYPE (InterpEmptyChat, interp_empty_chat, INTERP, EMPTY_CHAT, AdwBin)

/* Signal "suggested" (const char *text). Suggestions fit what lies in @folder (nullable) and in the home
 * folder. */
void interp_empty_chat_set_folder (InterpEmptyChat *self, const char *folder);

G_END_DECLS
