/* interp-slash-commands.c: what may be typed after "/" in the composer
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "composer/interp-slash-commands.h"

#include <glib/gi18n.h>
#include <string.h>

static const InterpSlashCommand commands[] = {
  { INTERP_SLASH_HELP, "help", NULL, N_ ("List these commands") },
  { INTERP_SLASH_RESET, "reset", NULL, N_ ("End all kernels and begin an empty branch") },
  { INTERP_SLASH_UNDO, "undo", NULL, N_ ("Take back your last message and what followed") },
  { INTERP_SLASH_TOKENS, "tokens", NULL, N_ ("Say how large the next request would be") },
  { INTERP_SLASH_INFO, "info", NULL, N_ ("Show versions, model and folder") },
  { INTERP_SLASH_MARKDOWN, "markdown", "[path]", N_ ("Save the chat as Markdown") },
  { INTERP_SLASH_JUPYTER, "jupyter", "[path]", N_ ("Save the chat as a notebook") },
  { INTERP_SLASH_SAVE_MESSAGE, "save_message", "[path]", N_ ("Save the messages as JSON") },
  { INTERP_SLASH_LOAD_MESSAGE, "load_message", "[path]", N_ ("Open messages saved as JSON") },
  { INTERP_SLASH_AUTO_RUN, "auto_run", "[true|false]", N_ ("Run code without asking, or ask again") },
  { INTERP_SLASH_VERBOSE, "verbose", "[true|false]", N_ ("Show what the model is sent") },
};

const InterpSlashCommand *
interp_slash_commands_get (guint *n)
{
  g_return_val_if_fail (n != NULL, NULL);

  *n = G_N_ELEMENTS (commands);
  return commands;
}

const InterpSlashCommand *
interp_slash_commands_parse (const char *text, char **argument)
{
  gsize length;

  g_return_val_if_fail (text != NULL, NULL);
  g_return_val_if_fail (argument != NULL, NULL);

  *argument = NULL;
  if (text[0] != '/')
    return NULL;
  length = strcspn (text + 1, " \t\n");
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    if (strlen (commands[i].name) == length && strncmp (commands[i].name, text + 1, length) == 0)
      {
        g_autofree char *rest = g_strstrip (g_strdup (text + 1 + length));

        if (*rest)
          *argument = g_steal_pointer (&rest);
        return &commands[i];
      }
  return NULL;
}
