/* interp-list.h: models and conversations, listed
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "interp-command-line.h"
#include "session/interp-engine.h"

G_BEGIN_DECLS

/* Each runs a main loop; the exit status. @engine has started for the second. */
/* Of the address that the options name, or of all that is found. */
int interp_list_models (InterpModels *models, const InterpOptions *options);
/* On a terminal asks for one and goes on with it there; else prints number, date and title. */
int interp_list_conversations (InterpEngine *engine, const InterpCommandLine *command_line);

G_END_DECLS
