/* interp-script-verdict.h: may a script run unasked: command by command, and as a whole
 *
 * The whole is as strict as its strictest command. Allowed is what the user's rules allow or what is known to do
 * nothing but read, in a shell script that is understood to its last word; it holds for a fresh clean shell, never for
 * one in which code has run. What is denied is looked for in scripts that are not understood, too, however long.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <json-glib/json-glib.h>
#include <libdex.h>

#include "policy/interp-rules.h"

G_BEGIN_DECLS

typedef struct
{
  char *text; /* valid text, not made visible */
  InterpVerdict verdict;
  char *rule;   /* the id of the rule that decided; nullable */
  char *reason; /* a translated sentence; nullable */
} InterpCommandVerdict;

#define INTERP_TYPE_SCRIPT_VERDICT (interp_script_verdict_get_type ())
G_DECLARE_FINAL_TYPE (InterpScriptVerdict, interp_script_verdict, INTERP, SCRIPT_VERDICT, GObject)

/* Resolves to an InterpScriptVerdict and never rejects. @script need not be valid text. For the main thread. */
DexFuture *interp_script_verdict_judge (const char *language, const char *script, gsize length, InterpRules *rules);

InterpVerdict interp_script_verdict_get_verdict (InterpScriptVerdict *self);
GPtrArray *interp_script_verdict_get_commands (InterpScriptVerdict *self); /* InterpCommandVerdict */
/* Why it is not allowed: translated sentences, those of its commands among them; empty when it is. */
GPtrArray *interp_script_verdict_get_reasons (InterpScriptVerdict *self);
/* {"verdict": …, "commands": [{"text", "verdict", "rule", "reason"}], "reasons": […]} */
JsonNode *interp_script_verdict_to_json (InterpScriptVerdict *self);

G_END_DECLS
