/* interp-rules.h: what the user has said may run, must be asked about, or must not run
 *
 * A file of rules is a key file. [rules] has its Version (1). Each other group is a rule and has
 *
 *   Verdict      allow, ask or deny; of those that match, deny beats ask and ask beats allow
 *   Languages    kernel ids (shell, python…); absent: every one
 *   Command      the words that a shell command begins with: "git;status". Alone, with no words: absent
 *   Tool         server/tool, or server/ for all of a server's
 *   Matches, MatchesNot   examples: commands (or tools) that it must, and must not, match. Checked when it is read
 *
 * A rule with neither Command nor Tool is for whole blocks of its languages, which it must name.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <gio/gio.h>

#include "policy/interp-policy.h"

G_BEGIN_DECLS

#define INTERP_RULES_ERROR (interp_rules_error_quark ())
typedef enum
{
  INTERP_RULES_ERROR_FILE,    /* it cannot be read, is no key file or of another version */
  INTERP_RULES_ERROR_RULE,    /* a rule is not understood */
  INTERP_RULES_ERROR_EXAMPLE, /* an example shows another thing than the rule says */
} InterpRulesError;
GQuark interp_rules_error_quark (void);

#define INTERP_RULES_VERSION 1

typedef struct
{
  char *id;
  InterpVerdict verdict;
  GStrv languages; /* nullable */
  GStrv command;   /* nullable */
  char *tool;      /* nullable */
} InterpRule;

#define INTERP_TYPE_RULES (interp_rules_get_type ())
G_DECLARE_FINAL_TYPE (InterpRules, interp_rules, INTERP, RULES, GObject)

InterpRules *interp_rules_new (void);

/* Adds what @path says, or nothing. A file that is not understood makes these rules faulty. */
gboolean interp_rules_add_file (InterpRules *self, const char *path, GError **error);
/* Adds the files *.rules of a folder by their names' order. A folder that is not there has none. */
void interp_rules_add_folder (InterpRules *self, const char *path);

/* What is wrong with the files: a translated sentence, NULL when nothing is. Faulty rules allow nothing: they ask. */
const char *interp_rules_get_problem (InterpRules *self);

/* The strongest rule for a command's words, a tool, or a whole block in @language. NULL: none matches.
 * Whether @words are what the shell would run, or only what it may, is the caller's knowledge. */
const InterpRule *interp_rules_match_command (InterpRules *self, const char *language, const char *const *words);
const InterpRule *interp_rules_match_tool (InterpRules *self, const char *server, const char *tool);
const InterpRule *interp_rules_match_language (InterpRules *self, const char *language);

/* Puts a rule into the file at @path, which is made or, when it is understood, rewritten as a whole: a reader sees the
 * old one or the new one. A rule of the same id is replaced. */
gboolean interp_rules_save (const char *path, const InterpRule *rule, GError **error);
/* Takes the rule @id out of it. */
gboolean interp_rules_remove (const char *path, const char *id, GError **error);

/* "allow", "ask", "deny". */
const char *interp_verdict_to_string (InterpVerdict verdict);

G_END_DECLS
