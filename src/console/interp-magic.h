/* interp-magic.h: the commands that begin with %
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "interp-command-line.h"
#include "interp-tty.h"
#include "session/interp-engine.h"

G_BEGIN_DECLS

/* What the commands work on. */
typedef struct
{
  InterpEngine *engine;
  InterpSession *session;
  InterpTty *tty;
  gboolean verbose;
  char *loaded; /* of %load_message: to go with the next message, nullable */
} InterpMagicContext;

/* A line that begins with %. What there is to say is printed. */
void interp_magic_run (InterpMagicContext *context, const char *line);

/* The conversation as messages of Open Interpreter's kind ({role, type, format, content}), and such messages
 * as text for a model. Transfer full; NULL with @error when it is no such list. */
char *interp_magic_export_messages (InterpSession *session);
char *interp_magic_import_messages (const char *json, guint *n_messages, GError **error);

G_END_DECLS
