/* interp-script-verdict.c
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <glib/gi18n.h>

#include "base/interp-fiber.h"
#include "base/interp-json.h"
#include "base/interp-text.h"
#include "policy/interp-read-only.h"
#include "policy/interp-script-verdict.h"
#include "policy/interp-shell-tree.h"
#include "policy/interp-shell-words.h"

/* How deep scripts within scripts (sh -c) are followed for what is denied. */
#define MAX_DEPTH 16

struct _InterpScriptVerdict
{
  GObject parent_instance;

  char *language;
  GBytes *script;
  InterpRules *rules;

  InterpVerdict verdict;
  GPtrArray *commands;
  GPtrArray *reasons;
};

G_DEFINE_FINAL_TYPE (InterpScriptVerdict, interp_script_verdict, G_TYPE_OBJECT)

static void
command_free (gpointer data)
{
  InterpCommandVerdict *self = data;

  g_free (self->text);
  g_free (self->rule);
  g_free (self->reason);
  g_free (self);
}

static void
add_reason (InterpScriptVerdict *self, InterpVerdict verdict, const char *reason)
{
  self->verdict = MAX (self->verdict, verdict);
  if (verdict != INTERP_VERDICT_ALLOW && !g_ptr_array_find_with_equal_func (self->reasons, reason, g_str_equal, NULL))
    g_ptr_array_add (self->reasons, g_strdup (reason));
}

static void
add_command (InterpScriptVerdict *self, const char *text, InterpVerdict verdict, const char *rule, const char *reason)
{
  InterpCommandVerdict *command = g_new0 (InterpCommandVerdict, 1);

  command->text = g_strdup (text);
  command->verdict = verdict;
  command->rule = g_strdup (rule);
  command->reason = g_strdup (reason);
  g_ptr_array_add (self->commands, command);
  self->verdict = MAX (self->verdict, verdict);
  if (reason != NULL)
    add_reason (self, verdict, reason);
}

static char *
describe_rule (const InterpRule *rule)
{
  switch (rule->verdict)
    {
    case INTERP_VERDICT_DENY:
      return g_strdup_printf (_ ("The rule “%s” denies it."), rule->id);
    case INTERP_VERDICT_ALLOW:
      return g_strdup_printf (_ ("The rule “%s” allows it."), rule->id);
    case INTERP_VERDICT_ASK:
    default:
      return g_strdup_printf (_ ("The rule “%s” asks about it."), rule->id);
    }
}

/* ---- what is in a script in any way ---- */

/* The strictest of the rules for what @script seems to run, taken out of what wraps it. @text: the words found. */
static const InterpRule *
find_strictest (InterpScriptVerdict *self, const char *script, char **text)
{
  g_autoptr (GPtrArray) commands = interp_shell_words_split (script, MAX_DEPTH);
  const InterpRule *found = NULL;

  for (guint i = 0; i < commands->len; i++)
    {
      InterpShellCommand *command = g_ptr_array_index (commands, i);
      const InterpRule *rule;

      g_ptr_array_add (command->words, NULL);
      rule = interp_rules_match_command (self->rules, self->language, (const char *const *) command->words->pdata);
      if (rule == NULL || rule->verdict == INTERP_VERDICT_ALLOW || (found != NULL && rule->verdict <= found->verdict))
        continue;
      found = rule;
      g_free (*text);
      *text = g_strjoinv (" ", (char **) command->words->pdata);
    }
  return found;
}

/* ---- a command that is understood ---- */

static char *
quote_words (InterpSimpleCommand *command)
{
  g_autoptr (GString) quoted = g_string_new (NULL);

  for (guint i = 0; i < command->words->len; i++)
    {
      g_autofree char *word = g_shell_quote (((InterpShellWord *) g_ptr_array_index (command->words, i))->text);

      g_string_append_printf (quoted, "%s%s", i > 0 ? " " : "", word);
    }
  return g_string_free_and_steal (g_steal_pointer (&quoted));
}

static const InterpRule *
match_literally (InterpScriptVerdict *self, InterpSimpleCommand *command)
{
  g_autoptr (GPtrArray) words = g_ptr_array_new ();

  /* What comes of a pattern is not known: nothing after it can be matched. */
  for (guint i = 0; i < command->words->len; i++)
    {
      InterpShellWord *word = g_ptr_array_index (command->words, i);

      if (word->glob >= 0)
        break;
      g_ptr_array_add (words, word->text);
    }
  g_ptr_array_add (words, NULL);
  return interp_rules_match_command (self->rules, self->language, (const char *const *) words->pdata);
}

static void
judge_command (InterpScriptVerdict *self, InterpSimpleCommand *command)
{
  g_autofree char *quoted = quote_words (command);
  g_autofree char *found = NULL;
  g_autofree char *reason = NULL;
  const InterpRule *rule = match_literally (self, command);
  const InterpRule *wrapped = find_strictest (self, quoted, &found);

  if (wrapped != NULL && (rule == NULL || wrapped->verdict > rule->verdict))
    rule = wrapped;
  if (rule != NULL)
    {
      reason = describe_rule (rule);
      add_command (self, command->text, rule->verdict, rule->id, reason);
    }
  else if (interp_read_only_check (command, &reason))
    add_command (self, command->text, INTERP_VERDICT_ALLOW, NULL, _ ("It does nothing but read."));
  else
    add_command (self, command->text, INTERP_VERDICT_ASK, NULL, reason);
}

/* ---- the whole ---- */

static void
judge_shell (InterpScriptVerdict *self, const char *text)
{
  g_autofree char *found = NULL;
  const InterpRule *rule = find_strictest (self, text, &found);
  gsize length;
  const char *script = g_bytes_get_data (self->script, &length);
  g_autoptr (InterpShellTree) tree
      = dex_await_object (interp_shell_tree_parse (script != NULL ? script : "", length), NULL);
  GPtrArray *commands;

  if (tree == NULL)
    {
      add_reason (self, INTERP_VERDICT_ASK, _ ("It could not be analysed."));
      return;
    }
  commands = interp_shell_tree_get_commands (tree);
  for (guint i = 0; i < commands->len; i++)
    judge_command (self, g_ptr_array_index (commands, i));
  /* Found only in a part that is not understood. */
  if (rule != NULL && rule->verdict > self->verdict)
    {
      g_autofree char *reason = describe_rule (rule);

      add_command (self, found, rule->verdict, rule->id, reason);
    }
  if (interp_shell_tree_get_problem (tree) != NULL)
    add_reason (self, INTERP_VERDICT_ASK, interp_shell_tree_get_problem (tree));
}

static DexFuture *
judge_fiber (gpointer data)
{
  InterpScriptVerdict *self = data;
  const InterpRule *rule = interp_rules_match_language (self->rules, self->language);
  gsize length;
  const char *bytes = g_bytes_get_data (self->script, &length);
  g_autofree char *text = interp_text_make_valid (bytes != NULL ? bytes : "", length);

  if (interp_rules_get_problem (self->rules) != NULL)
    add_reason (self, INTERP_VERDICT_ASK, interp_rules_get_problem (self->rules));
  if (rule != NULL && rule->verdict != INTERP_VERDICT_ALLOW)
    {
      g_autofree char *reason = describe_rule (rule);

      add_reason (self, rule->verdict, reason);
    }
  if (g_str_equal (self->language, "shell"))
    judge_shell (self, text);
  else
    add_reason (self, INTERP_VERDICT_ASK, _ ("Code in this language is never allowed for its text alone."));
  if (rule != NULL && rule->verdict == INTERP_VERDICT_ALLOW && self->verdict == INTERP_VERDICT_ASK)
    add_reason (self, INTERP_VERDICT_ASK, _ ("A rule that allows a whole language holds in a sandbox only."));
  return dex_future_new_for_object (self);
}

DexFuture *
interp_script_verdict_judge (const char *language, const char *script, gsize length, InterpRules *rules)
{
  InterpScriptVerdict *self;

  g_return_val_if_fail (language != NULL && script != NULL && INTERP_IS_RULES (rules), NULL);

  self = g_object_new (INTERP_TYPE_SCRIPT_VERDICT, NULL);
  self->language = g_strdup (language);
  self->script = g_bytes_new (script, length);
  self->rules = g_object_ref (rules);
  return interp_fiber_spawn (judge_fiber, self, g_object_unref);
}

InterpVerdict
interp_script_verdict_get_verdict (InterpScriptVerdict *self)
{
  g_return_val_if_fail (INTERP_IS_SCRIPT_VERDICT (self), INTERP_VERDICT_ASK);

  return self->verdict;
}

GPtrArray *
interp_script_verdict_get_commands (InterpScriptVerdict *self)
{
  g_return_val_if_fail (INTERP_IS_SCRIPT_VERDICT (self), NULL);

  return self->commands;
}

GPtrArray *
interp_script_verdict_get_reasons (InterpScriptVerdict *self)
{
  g_return_val_if_fail (INTERP_IS_SCRIPT_VERDICT (self), NULL);

  return self->reasons;
}

JsonNode *
interp_script_verdict_to_json (InterpScriptVerdict *self)
{
  JsonNode *commands, *reasons;

  g_return_val_if_fail (INTERP_IS_SCRIPT_VERDICT (self), NULL);

  commands = interp_json_array (INTERP_JSON_END);
  reasons = interp_json_array (INTERP_JSON_END);
  for (guint i = 0; i < self->commands->len; i++)
    {
      InterpCommandVerdict *command = g_ptr_array_index (self->commands, i);

      interp_json_append (commands,
                          interp_json_object ("text", INTERP_JSON_STRING (command->text), "verdict",
                                              INTERP_JSON_STRING (interp_verdict_to_string (command->verdict)), "rule",
                                              INTERP_JSON_STRING (command->rule), "reason",
                                              INTERP_JSON_STRING (command->reason), NULL));
    }
  for (guint i = 0; i < self->reasons->len; i++)
    {
      JsonNode *reason = json_node_new (JSON_NODE_VALUE);

      json_node_set_string (reason, g_ptr_array_index (self->reasons, i));
      interp_json_append (reasons, reason);
    }
  return interp_json_object ("verdict", INTERP_JSON_STRING (interp_verdict_to_string (self->verdict)), "commands",
                             INTERP_JSON_NODE (commands), "reasons", INTERP_JSON_NODE (reasons), NULL);
}

static void
interp_script_verdict_finalize (GObject *object)
{
  InterpScriptVerdict *self = INTERP_SCRIPT_VERDICT (object);

  g_free (self->language);
  g_clear_pointer (&self->script, g_bytes_unref);
  g_clear_object (&self->rules);
  g_ptr_array_unref (self->commands);
  g_ptr_array_unref (self->reasons);

  G_OBJECT_CLASS (interp_script_verdict_parent_class)->finalize (object);
}

static void
interp_script_verdict_class_init (InterpScriptVerdictClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = interp_script_verdict_finalize;
}

static void
interp_script_verdict_init (InterpScriptVerdict *self)
{
  self->verdict = INTERP_VERDICT_ALLOW;
  self->commands = g_ptr_array_new_with_free_func (command_free);
  self->reasons = g_ptr_array_new_with_free_func (g_free);
}
