/* interp-queue-view.h: messages that wait for the current run
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <adwaita.h>

#include "session/interp-session.h"

G_BEGIN_DECLS

#define INTERP_TYPE_QUEUE_VIEW (interp_queue_view_get_type ())
G_DECLARE_FINAL_TYPE (InterpQueueView, interp_queue_view, INTERP, QUEUE_VIEW, AdwBin)

void interp_queue_view_set_session (InterpQueueView *self, InterpSession *session);

G_END_DECLS
