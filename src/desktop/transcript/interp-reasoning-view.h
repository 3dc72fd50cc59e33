/* interp-reasoning-view.h: what the model thought, folded
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "transcript/interp-item-view.h"

G_BEGIN_DECLS

#define INTERP_TYPE_REASONING_VIEW (interp_reasoning_view_get_type ())
G_DECLARE_FINAL_TYPE (InterpReasoningView, interp_reasoning_view, INTERP, REASONING_VIEW, InterpItemView)

G_END_DECLS
