/* interp-code-open.h: is a string or here-document still open?
 *
 * A fence line inside a string is part of the code. Whether the code before it ends inside one is judged by the
 * language's own quotes; where it cannot be judged the answer is no.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

gboolean interp_code_is_open (const char *language, const char *code);

G_END_DECLS
