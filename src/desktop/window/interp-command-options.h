/* interp-command-options.h: the window's command line
 *
 * `interpreter` hands its options on under their long names. They apply to the one new chat only.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <gio/gio.h>

#include "session/interp-engine.h"

G_BEGIN_DECLS

/* "--api_base" and "--api-base" are the same; changes @argv in place. */
void interp_command_options_normalise (int argc, char **argv);
void interp_command_options_add (GApplication *application);
/* NULL with a sentence when a value makes no sense. @models knows which variables of the caller's environment
 * hold keys. */
InterpOptions *interp_command_options_read (GApplicationCommandLine *command_line, InterpModels *models,
                                            GError **error);

G_END_DECLS
