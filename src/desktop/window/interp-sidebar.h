/* interp-sidebar.h: all chats, and a search over their text
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <adwaita.h>

#include "session/interp-engine.h"

G_BEGIN_DECLS

#define INTERP_TYPE_SIDEBAR (interp_sidebar_get_type ())
G_DECLARE_FINAL_TYPE (InterpSidebar, interp_sidebar, INTERP, SIDEBAR, AdwBin)

/* Signals "open-chat" (gint64 id, gint64 item or 0), "deleted" (gint64 id). */
void interp_sidebar_set_engine (InterpSidebar *self, InterpEngine *engine);
/* Marks the chat in view; 0: none of the list. */
void interp_sidebar_set_selected (InterpSidebar *self, gint64 id);
void interp_sidebar_search (InterpSidebar *self);

G_END_DECLS
