/* interp-console-model.h: the model a conversation in the terminal begins with
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "session/interp-engine.h"

G_BEGIN_DECLS

/* In a fiber: the one that the options name, or the session's own, or the one last used. Transfer full; NULL
 * without @error: none was found. */
InterpModel *interp_console_choose_model (InterpEngine *engine, InterpSession *session, const InterpOptions *options,
                                          GError **error);

G_END_DECLS
