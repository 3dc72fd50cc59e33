/* interp-command-line.h: the options of the command
 *
 * Open Interpreter's names and short names (several letters: "-ci"), "_" and "-" alike, "--name value" and
 * "--name=value". GOption can do none of the three.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "session/interp-engine.h"

G_BEGIN_DECLS

#define INTERP_COMMAND_LINE_ERROR (interp_command_line_error_quark ())
typedef enum
{
  INTERP_COMMAND_LINE_ERROR_USAGE,
} InterpCommandLineError;
GQuark interp_command_line_error_quark (void);

typedef struct
{
  InterpOptions *options; /* what the engine takes */
  char *task;             /* --task */
  char *words;            /* trailing words, joined by blanks; nullable */
  char *profile;          /* --profile */
  GPtrArray *normalised;  /* char*: options as given, long names, for the window */
  gboolean terminal;
  gboolean json;
  gboolean plain;
  gboolean from_stdin; /* --stdin */
  gboolean multi_line;
  gboolean no_highlight_active_line;
  gboolean list_models;
  gboolean conversations;
  gboolean verbose;
  gboolean version;
  gboolean help;
} InterpCommandLine;

/* Parses @arguments (without the program's name). A word in the place of an option's value, an unknown option
 * or a bad number is a sentence that says what was meant to stand there. Values of --profile are read too;
 * the command line wins over them. */
InterpCommandLine *interp_command_line_parse (const char *const *arguments, GError **error);
void interp_command_line_free (InterpCommandLine *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpCommandLine, interp_command_line_free)

/* The help text: every option with its sentence. */
char *interp_command_line_help (void);

G_END_DECLS
