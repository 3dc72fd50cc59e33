/* interp-answer-view.h: what the model wrote
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "transcript/interp-item-view.h"

G_BEGIN_DECLS

#define INTERP_TYPE_ANSWER_VIEW (interp_answer_view_get_type ())
G_DECLARE_FINAL_TYPE (InterpAnswerView, interp_answer_view, INTERP, ANSWER_VIEW, InterpItemView)

G_END_DECLS
