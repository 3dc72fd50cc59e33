/* interp-text-mode.h: what a model without tool calling is told
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The part of the system text that says how code is run from fenced blocks. @languages: names that can be written
 * behind a fence, char *. In English, for the model. Transfer full. */
char *interp_text_mode_instructions (GPtrArray *languages);

G_END_DECLS
