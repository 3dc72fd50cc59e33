/* interp-notice-view.h: a sentence from us, or an error, with what can be done
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "transcript/interp-item-view.h"

G_BEGIN_DECLS

#define INTERP_TYPE_NOTICE_VIEW (interp_notice_view_get_type ())
G_DECLARE_FINAL_TYPE (InterpNoticeView, interp_notice_view, INTERP, NOTICE_VIEW, InterpItemView)

G_END_DECLS
