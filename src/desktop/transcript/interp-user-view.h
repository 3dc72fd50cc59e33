/* interp-user-view.h: what the user wrote, to be edited and sent again
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "transcript/interp-item-view.h"

G_BEGIN_DECLS

#define INTERP_TYPE_USER_VIEW (interp_user_view_get_type ())
G_DECLARE_FINAL_TYPE (InterpUserView, interp_user_view, INTERP, USER_VIEW, InterpItemView)

G_END_DECLS
