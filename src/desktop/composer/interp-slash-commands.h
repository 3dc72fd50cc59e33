/* interp-slash-commands.h: what may be typed after "/" in the composer
 *
 * The same words as the terminal chat's % commands.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  INTERP_SLASH_HELP,
  INTERP_SLASH_RESET,
  INTERP_SLASH_UNDO,
  INTERP_SLASH_TOKENS,
  INTERP_SLASH_INFO,
  INTERP_SLASH_MARKDOWN,
  INTERP_SLASH_JUPYTER,
  INTERP_SLASH_SAVE_MESSAGE,
  INTERP_SLASH_LOAD_MESSAGE,
  INTERP_SLASH_AUTO_RUN,
  INTERP_SLASH_VERBOSE,
} InterpSlash;

typedef struct
{
  InterpSlash command;
  const char *name;        /* without the slash */
  const char *arguments;   /* "[path]"; nullable; untranslated */
  const char *description; /* to be translated */
} InterpSlashCommand;

const InterpSlashCommand *interp_slash_commands_get (guint *n);
/* The command that @text ("/markdown notes.md") names, and its argument (transfer full, nullable); NULL when
 * it names none. */
const InterpSlashCommand *interp_slash_commands_parse (const char *text, char **argument);

G_END_DECLS
