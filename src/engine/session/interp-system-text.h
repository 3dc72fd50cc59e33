/* interp-system-text.h: what a model is told before the conversation
 *
 * Kept short: small models read all of it before each first word. In English whatever the user's language.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "llm/interp-message.h"
#include "policy/interp-policy.h"

G_BEGIN_DECLS

/* The words with which a model ends the work in loop mode, each on a line of its own. */
#define INTERP_LOOP_DONE "WORK DONE"
#define INTERP_LOOP_IMPOSSIBLE "WORK IMPOSSIBLE"
#define INTERP_LOOP_QUESTION "QUESTION FOR THE USER"

typedef struct
{
  gboolean text_mode;
  gboolean loop;
  InterpMode mode;
  const char *folder;
  const char *sandbox;             /* what the code cannot reach; nullable */
  const char *const *env;          /* searched for interpreters */
  const char *system_message;      /* instead of ours; nullable */
  const char *custom_instructions; /* added; nullable */
} InterpSystemTextInput;

char *interp_system_text_build (const InterpSystemTextInput *input);
/* The one tool. Transfer full. */
InterpTool *interp_system_text_make_tool (void);
/* Titles of the languages that can run here, joined by commas. */
char *interp_system_text_list_languages (const char *const *env);
/* Does an answer end the work in loop mode? */
gboolean interp_system_text_ends_loop (const char *answer);

G_END_DECLS
