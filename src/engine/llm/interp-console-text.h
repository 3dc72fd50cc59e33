/* interp-console-text.h: code copied from a terminal, with its prompts
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Does the first line that is not blank begin with a prompt ("$ ", ">>> ")? */
gboolean interp_console_text_has_prompts (const char *text);

/* What was typed: lines behind prompts, and their continuations. Text without prompts stays as it is. */
char *interp_console_text_strip (const char *text);

G_END_DECLS
