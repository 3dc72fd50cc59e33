/* interp-rules.c
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <string.h>

#include <glib/gi18n.h>

#include "base/interp-paths.h"
#include "policy/interp-rules.h"
#include "policy/interp-shell-words.h"

G_DEFINE_QUARK (interp - rules - error - quark, interp_rules_error)

#define HEAD "rules"
#define MAX_FILE (1024 * 1024)
#define EXAMPLE_DEPTH 4

struct _InterpRules
{
  GObject parent_instance;

  GPtrArray *rules;
  char *problem;
};

G_DEFINE_FINAL_TYPE (InterpRules, interp_rules, G_TYPE_OBJECT)

const char *
interp_verdict_to_string (InterpVerdict verdict)
{
  switch (verdict)
    {
    case INTERP_VERDICT_ALLOW:
      return "allow";
    case INTERP_VERDICT_DENY:
      return "deny";
    case INTERP_VERDICT_ASK:
    default:
      return "ask";
    }
}

static gboolean
verdict_from_string (const char *text, InterpVerdict *verdict)
{
  for (InterpVerdict i = INTERP_VERDICT_ALLOW; i <= INTERP_VERDICT_DENY; i++)
    if (g_strcmp0 (text, interp_verdict_to_string (i)) == 0)
      {
        *verdict = i;
        return TRUE;
      }
  return FALSE;
}

static void
rule_free (gpointer data)
{
  InterpRule *self = data;

  g_free (self->id);
  g_strfreev (self->languages);
  g_strfreev (self->command);
  g_free (self->tool);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpRule, rule_free)

/* ---- matching ---- */

static gboolean
is_of_language (const InterpRule *rule, const char *language)
{
  return rule->languages == NULL || g_strv_contains ((const char *const *) rule->languages, language);
}

static gboolean
begins_with (const char *const *words, GStrv command)
{
  guint i;

  for (i = 0; command[i] != NULL && words[i] != NULL; i++)
    if (!g_str_equal (command[i], words[i]))
      return FALSE;
  return command[i] == NULL;
}

static gboolean
names_tool (const InterpRule *rule, const char *name)
{
  return g_str_has_suffix (rule->tool, "/") ? g_str_has_prefix (name, rule->tool) : g_str_equal (name, rule->tool);
}

static const InterpRule *
stronger (const InterpRule *a, const InterpRule *b)
{
  return a != NULL && a->verdict >= b->verdict ? a : b;
}

const InterpRule *
interp_rules_match_command (InterpRules *self, const char *language, const char *const *words)
{
  const InterpRule *found = NULL;

  g_return_val_if_fail (INTERP_IS_RULES (self) && language != NULL && words != NULL, NULL);

  for (guint i = 0; i < self->rules->len; i++)
    {
      const InterpRule *rule = g_ptr_array_index (self->rules, i);

      if (rule->command != NULL && is_of_language (rule, language) && begins_with (words, rule->command))
        found = stronger (found, rule);
    }
  return found;
}

const InterpRule *
interp_rules_match_tool (InterpRules *self, const char *server, const char *tool)
{
  g_autofree char *name = g_strconcat (server, "/", tool, NULL);
  const InterpRule *found = NULL;

  g_return_val_if_fail (INTERP_IS_RULES (self) && server != NULL && tool != NULL, NULL);

  for (guint i = 0; i < self->rules->len; i++)
    {
      const InterpRule *rule = g_ptr_array_index (self->rules, i);

      if (rule->tool != NULL && names_tool (rule, name))
        found = stronger (found, rule);
    }
  return found;
}

const InterpRule *
interp_rules_match_language (InterpRules *self, const char *language)
{
  const InterpRule *found = NULL;

  g_return_val_if_fail (INTERP_IS_RULES (self) && language != NULL, NULL);

  for (guint i = 0; i < self->rules->len; i++)
    {
      const InterpRule *rule = g_ptr_array_index (self->rules, i);

      if (rule->command == NULL && rule->tool == NULL && is_of_language (rule, language))
        found = stronger (found, rule);
    }
  return found;
}

/* ---- reading ---- */

static gboolean
example_matches (const InterpRule *rule, const char *example)
{
  g_autoptr (GPtrArray) commands = NULL;
  gboolean found = FALSE;

  if (rule->tool != NULL)
    return names_tool (rule, example);
  commands = interp_shell_words_split (example, EXAMPLE_DEPTH);
  for (guint i = 0; i < commands->len && !found; i++)
    {
      InterpShellCommand *command = g_ptr_array_index (commands, i);

      g_ptr_array_add (command->words, NULL);
      found = begins_with ((const char *const *) command->words->pdata, rule->command);
    }
  return found;
}

static gboolean
check_examples (const InterpRule *rule, GKeyFile *file, const char *key, gboolean expected, GError **error)
{
  g_auto (GStrv) examples = g_key_file_get_string_list (file, rule->id, key, NULL, NULL);

  for (guint i = 0; examples != NULL && examples[i] != NULL; i++)
    {
      if ((rule->command != NULL || rule->tool != NULL) && example_matches (rule, examples[i]) == expected)
        continue;
      g_set_error (error, INTERP_RULES_ERROR, INTERP_RULES_ERROR_EXAMPLE,
                   expected ? _ ("The rule “%s” does not match its example “%s”.")
                            : _ ("The rule “%s” matches “%s”, which it must not."),
                   rule->id, examples[i]);
      return FALSE;
    }
  return TRUE;
}

static gboolean
is_list_of_words (char **list)
{
  for (guint i = 0; list[i] != NULL; i++)
    if (*list[i] == '\0')
      return FALSE;
  return list[0] != NULL;
}

static InterpRule *
read_rule (GKeyFile *file, const char *group, GError **error)
{
  static const char *const known[] = { "Verdict", "Languages", "Command", "Tool", "Matches", "MatchesNot", NULL };
  g_autoptr (InterpRule) self = g_new0 (InterpRule, 1);
  g_autofree char *verdict = g_key_file_get_string (file, group, "Verdict", NULL);
  g_auto (GStrv) keys = g_key_file_get_keys (file, group, NULL, NULL);
  gboolean fine;

  self->id = g_strdup (group);
  self->languages = g_key_file_get_string_list (file, group, "Languages", NULL, NULL);
  self->command = g_key_file_get_string_list (file, group, "Command", NULL, NULL);
  self->tool = g_key_file_get_string (file, group, "Tool", NULL);
  fine = verdict_from_string (verdict, &self->verdict);
  fine = fine && (self->languages == NULL || is_list_of_words (self->languages));
  fine = fine && (self->command == NULL || (self->tool == NULL && is_list_of_words (self->command)));
  fine = fine && (self->tool == NULL || (self->languages == NULL && strchr (self->tool, '/') != NULL));
  fine = fine && (self->command != NULL || self->tool != NULL || self->languages != NULL);
  /* A key written wrong would make the rule wider than was meant; a value that cannot be read, too. */
  for (guint i = 0; fine && keys[i] != NULL; i++)
    {
      gboolean single = g_str_equal (keys[i], "Verdict") || g_str_equal (keys[i], "Tool");
      g_autofree char *value = single ? g_key_file_get_string (file, group, keys[i], NULL) : NULL;
      g_auto (GStrv) list = single ? NULL : g_key_file_get_string_list (file, group, keys[i], NULL, NULL);

      fine = (value != NULL || list != NULL) && g_strv_contains (known, keys[i]);
    }
  if (!fine)
    {
      g_set_error (error, INTERP_RULES_ERROR, INTERP_RULES_ERROR_RULE, _ ("The rule “%s” is not understood."), group);
      return NULL;
    }
  if (!check_examples (self, file, "Matches", TRUE, error) || !check_examples (self, file, "MatchesNot", FALSE, error))
    return NULL;
  return g_steal_pointer (&self);
}

static GKeyFile *
read_key_file (const char *path, GError **error)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *text = NULL;
  g_autoptr (GError) local_error = NULL;
  gsize length = 0;

  if (!g_file_get_contents (path, &text, &length, &local_error)
      || (length <= MAX_FILE
          && !g_key_file_load_from_data (file, text, length, G_KEY_FILE_KEEP_COMMENTS, &local_error)))
    {
      g_set_error_literal (error, INTERP_RULES_ERROR, INTERP_RULES_ERROR_FILE, local_error->message);
      return NULL;
    }
  if (length > MAX_FILE || g_key_file_get_integer (file, HEAD, "Version", NULL) != INTERP_RULES_VERSION)
    {
      g_set_error_literal (error, INTERP_RULES_ERROR, INTERP_RULES_ERROR_FILE,
                           _ ("It is not a file of rules of this version."));
      return NULL;
    }
  return g_steal_pointer (&file);
}

static GPtrArray *
read_rules (GKeyFile *file, GError **error)
{
  g_autoptr (GPtrArray) rules = g_ptr_array_new_with_free_func (rule_free);
  g_auto (GStrv) groups = g_key_file_get_groups (file, NULL);

  for (guint i = 0; groups[i] != NULL; i++)
    {
      InterpRule *rule;

      if (g_str_equal (groups[i], HEAD))
        continue;
      rule = read_rule (file, groups[i], error);
      if (rule == NULL)
        return NULL;
      g_ptr_array_add (rules, rule);
    }
  return g_steal_pointer (&rules);
}

static void
note_problem (InterpRules *self, const char *path, const char *message)
{
  g_autofree char *shown = interp_paths_display (path);

  if (self->problem == NULL)
    self->problem = g_strdup_printf (_ ("The rules in %s are not understood: %s"), shown, message);
}

gboolean
interp_rules_add_file (InterpRules *self, const char *path, GError **error)
{
  g_autoptr (GKeyFile) file = NULL;
  g_autoptr (GPtrArray) rules = NULL;
  g_autoptr (GError) local_error = NULL;

  g_return_val_if_fail (INTERP_IS_RULES (self) && path != NULL, FALSE);

  file = read_key_file (path, &local_error);
  if (file != NULL)
    rules = read_rules (file, &local_error);
  if (rules == NULL)
    {
      note_problem (self, path, local_error->message);
      g_propagate_error (error, g_steal_pointer (&local_error));
      return FALSE;
    }
  g_ptr_array_extend_and_steal (self->rules, g_steal_pointer (&rules));
  return TRUE;
}

void
interp_rules_add_folder (InterpRules *self, const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GDir) folder = NULL;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  g_return_if_fail (INTERP_IS_RULES (self) && path != NULL);

  folder = g_dir_open (path, 0, &error);
  if (folder == NULL)
    {
      if (!g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_NOENT))
        note_problem (self, path, error->message);
      return;
    }
  while ((name = g_dir_read_name (folder)) != NULL)
    if (g_str_has_suffix (name, ".rules"))
      g_ptr_array_add (names, g_build_filename (path, name, NULL));
  g_ptr_array_sort_values (names, (GCompareFunc) g_strcmp0);
  for (guint i = 0; i < names->len; i++)
    interp_rules_add_file (self, g_ptr_array_index (names, i), NULL);
}

const char *
interp_rules_get_problem (InterpRules *self)
{
  g_return_val_if_fail (INTERP_IS_RULES (self), NULL);

  return self->problem;
}

/* ---- writing ---- */

static gboolean
write_file (GKeyFile *file, const char *path, GError **error)
{
  g_autoptr (GPtrArray) rules = read_rules (file, error);
  g_autofree char *text = NULL;
  gsize length = 0;

  /* What could not be read again is not written. */
  if (rules == NULL)
    return FALSE;
  text = g_key_file_to_data (file, &length, NULL);
  return interp_paths_write_atomically (path, text, length, error);
}

gboolean
interp_rules_save (const char *path, const InterpRule *rule, GError **error)
{
  g_autoptr (GKeyFile) file = NULL;

  g_return_val_if_fail (path != NULL && rule != NULL && rule->id != NULL, FALSE);

  if (g_str_equal (rule->id, HEAD) || *rule->id == '\0' || strpbrk (rule->id, "[]\n\r") != NULL)
    {
      g_set_error (error, INTERP_RULES_ERROR, INTERP_RULES_ERROR_RULE, _ ("The rule “%s” is not understood."),
                   rule->id);
      return FALSE;
    }
  if (g_file_test (path, G_FILE_TEST_EXISTS))
    file = read_key_file (path, error);
  else
    {
      file = g_key_file_new ();
      g_key_file_set_integer (file, HEAD, "Version", INTERP_RULES_VERSION);
    }
  if (file == NULL)
    return FALSE;
  g_key_file_remove_group (file, rule->id, NULL);
  g_key_file_set_string (file, rule->id, "Verdict", interp_verdict_to_string (rule->verdict));
  if (rule->languages != NULL)
    g_key_file_set_string_list (file, rule->id, "Languages", (const char *const *) rule->languages,
                                g_strv_length (rule->languages));
  if (rule->command != NULL)
    g_key_file_set_string_list (file, rule->id, "Command", (const char *const *) rule->command,
                                g_strv_length (rule->command));
  if (rule->tool != NULL)
    g_key_file_set_string (file, rule->id, "Tool", rule->tool);
  return write_file (file, path, error);
}

gboolean
interp_rules_remove (const char *path, const char *id, GError **error)
{
  g_autoptr (GKeyFile) file = NULL;

  g_return_val_if_fail (path != NULL && id != NULL && !g_str_equal (id, HEAD), FALSE);

  file = read_key_file (path, error);
  return file != NULL && g_key_file_remove_group (file, id, error) && write_file (file, path, error);
}

InterpRules *
interp_rules_new (void)
{
  return g_object_new (INTERP_TYPE_RULES, NULL);
}

static void
interp_rules_finalize (GObject *object)
{
  InterpRules *self = INTERP_RULES (object);

  g_ptr_array_unref (self->rules);
  g_free (self->problem);

  G_OBJECT_CLASS (interp_rules_parent_class)->finalize (object);
}

static void
interp_rules_class_init (InterpRulesClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = interp_rules_finalize;
}

static void
interp_rules_init (InterpRules *self)
{
  self->rules = g_ptr_array_new_with_free_func (rule_free);
}
