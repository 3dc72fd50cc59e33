/* interp-shell-words.h: a script cut into simple commands, for naming what it does
 *
 * Names, never permits: what it does not understand it leaves out. The analysis that may allow is another's.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  GPtrArray *words;       /* char*: quotes taken off; the program first, wrappers (sudo, env, xargs…) unwrapped */
  GPtrArray *writes;      /* char*: targets of > and >> */
  GPtrArray *reads;       /* char*: what stands behind <, << and <<< */
  gboolean administrator; /* was wrapped in sudo and the like */
} InterpShellCommand;

/* GPtrArray of InterpShellCommand; the scripts of sh -c and eval are cut too, at most @depth deep. */
GPtrArray *interp_shell_words_split (const char *script, guint depth);

G_END_DECLS
