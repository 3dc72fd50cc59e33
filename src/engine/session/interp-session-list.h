/* interp-session-list.h: the sessions alive, without keeping them so
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define INTERP_TYPE_SESSION_LIST (interp_session_list_get_type ())
G_DECLARE_FINAL_TYPE (InterpSessionList, interp_session_list, INTERP, SESSION_LIST, GObject)

InterpSessionList *interp_session_list_new (void);
/* Gone from the list when it is gone. */
void interp_session_list_add (InterpSessionList *self, GObject *session);

G_END_DECLS
