/* interp-notifier.h: tells what happened while nobody looked
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "session/interp-engine.h"

G_BEGIN_DECLS

#define INTERP_TYPE_NOTIFIER (interp_notifier_get_type ())
G_DECLARE_FINAL_TYPE (InterpNotifier, interp_notifier, INTERP, NOTIFIER, GObject)

/* Watches all sessions: asks, finished, failed, waits for input; nothing while the chat is in view. A hidden
 * application ends when the last run has. */
InterpNotifier *interp_notifier_new (GApplication *application, InterpEngine *engine);

G_END_DECLS
