/* interp-facts.c
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <string.h>

#include <gio/gio.h>
#include <glib/gi18n.h>

#include "base/interp-paths.h"
#include "policy/interp-facts.h"
#include "policy/interp-shell-words.h"

#define MAX_CODE (256 * 1024)
#define MAX_DEPTH 4

static const struct
{
  const char *id;
  const char *icon_name;
  const char *text;
  gboolean dangerous;
} facts[INTERP_N_FACTS] = {
  [INTERP_FACT_ADMINISTRATOR]
  = { "administrator", "dialog-password-symbolic", N_ ("Asks for administrator rights"), TRUE },
  [INTERP_FACT_DEVICE] = { "device", "drive-harddisk-symbolic", N_ ("Writes to a disk device"), TRUE },
  [INTERP_FACT_DELETES_OUTSIDE]
  = { "deletes-outside", "user-trash-symbolic", N_ ("May delete files outside the folder"), TRUE },
  [INTERP_FACT_DELETES] = { "deletes", "user-trash-symbolic", N_ ("Deletes files"), FALSE },
  [INTERP_FACT_REMOTE_CODE] = { "remote-code", "dialog-warning-symbolic", N_ ("Runs code from the network"), TRUE },
  [INTERP_FACT_BOMB] = { "bomb", "dialog-warning-symbolic", N_ ("Starts processes without end"), TRUE },
  [INTERP_FACT_FORCE_PUSH]
  = { "force-push", "dialog-warning-symbolic", N_ ("Overwrites history in a remote repository"), TRUE },
  [INTERP_FACT_OUTSIDE] = { "outside", "folder-symbolic", N_ ("Writes outside the folder"), FALSE },
  [INTERP_FACT_PACKAGES]
  = { "packages", "system-software-install-symbolic", N_ ("Installs or removes packages"), FALSE },
  [INTERP_FACT_NETWORK] = { "network", "network-transmit-receive-symbolic", N_ ("Uses the network"), FALSE },
  [INTERP_FACT_PROGRAMS] = { "programs", "system-run-symbolic", N_ ("Starts other programs"), FALSE },
};

typedef struct
{
  GStrv languages;
  GRegex *words;
  GRegex *code;
  guint facts;
} Rule;

static void
rule_free (gpointer data)
{
  Rule *rule = data;

  g_strfreev (rule->languages);
  g_clear_pointer (&rule->words, g_regex_unref);
  g_clear_pointer (&rule->code, g_regex_unref);
  g_free (rule);
}

static GRegex *
read_pattern (GKeyFile *file, const char *group, const char *key)
{
  g_autofree char *pattern = g_key_file_get_string (file, group, key, NULL);
  g_autoptr (GError) error = NULL;
  GRegex *regex;

  if (pattern == NULL)
    return NULL;
  regex = g_regex_new (pattern, G_REGEX_MULTILINE | G_REGEX_OPTIMIZE, 0, &error);
  if (regex == NULL)
    g_warning ("The rule %s has a faulty pattern: %s", group, error->message);
  return regex;
}

static guint
read_facts (GKeyFile *file, const char *group)
{
  g_auto (GStrv) names = g_key_file_get_string_list (file, group, "Facts", NULL, NULL);
  guint found = 0;

  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    for (guint j = 0; j < INTERP_N_FACTS; j++)
      if (g_str_equal (names[i], facts[j].id))
        found |= 1u << j;
  return found;
}

static GPtrArray *
load_rules (void)
{
  GPtrArray *rules = g_ptr_array_new_with_free_func (rule_free);
  g_autofree char *path = interp_paths_find_data ("policy/facts.rules");
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_auto (GStrv) groups = NULL;

  if (path == NULL || !g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, NULL))
    {
      g_warning ("The rules that name what code does are missing.");
      return rules;
    }
  groups = g_key_file_get_groups (file, NULL);
  for (guint i = 0; groups[i] != NULL; i++)
    {
      Rule *rule = g_new0 (Rule, 1);

      rule->languages = g_key_file_get_string_list (file, groups[i], "Languages", NULL, NULL);
      rule->words = read_pattern (file, groups[i], "Words");
      rule->code = read_pattern (file, groups[i], "Code");
      rule->facts = read_facts (file, groups[i]);
      if (rule->languages == NULL || (rule->words == NULL && rule->code == NULL))
        rule_free (rule);
      else
        g_ptr_array_add (rules, rule);
    }
  return rules;
}

static GPtrArray *
get_rules (void)
{
  static gsize once = 0;

  if (g_once_init_enter (&once))
    g_once_init_leave (&once, (gsize) load_rules ());
  return (GPtrArray *) once;
}

/* Does @path, as the shell would see it, surely lie inside @folder (and is not the folder itself)? */
static gboolean
is_inside (const char *path, const char *folder)
{
  g_autofree char *canonical = NULL;
  gsize length;

  if (*path == '\0' || *path == '~' || strpbrk (path, "$`") != NULL || folder == NULL)
    return FALSE;
  canonical = g_canonicalize_filename (path, folder);
  length = strlen (folder);
  while (length > 1 && folder[length - 1] == '/')
    length--;
  return strncmp (canonical, folder, length) == 0 && (canonical[length] == '/' || length == 1);
}

static gboolean
is_temporary (const char *name)
{
  g_autofree char *path = g_path_is_absolute (name) ? g_canonicalize_filename (name, NULL) : NULL;

  if (path == NULL)
    return FALSE;
  return g_str_has_prefix (path, "/tmp/") || g_str_has_prefix (path, "/var/tmp/")
         || g_str_has_prefix (path, "/dev/null") || g_str_has_prefix (path, "/dev/std")
         || g_str_has_prefix (path, "/dev/fd/");
}

static guint
judge_paths (InterpShellCommand *command, guint found, const char *folder, gboolean moved)
{
  for (guint i = 0; i < command->writes->len; i++)
    {
      const char *target = g_ptr_array_index (command->writes, i);

      if (!is_temporary (target) && (moved || !is_inside (target, folder)))
        found |= 1u << INTERP_FACT_OUTSIDE;
    }

  if ((found & (1u << INTERP_FACT_DELETES)) == 0)
    return found;
  for (guint i = 1; i < command->words->len; i++)
    {
      const char *word = g_ptr_array_index (command->words, i);

      if (word[0] == '-')
        continue;
      /* After a cd, relative names may be anywhere. */
      if (!(is_inside (word, folder) && !(moved && word[0] != '/')) && !is_temporary (word))
        found |= 1u << INTERP_FACT_DELETES_OUTSIDE;
    }
  return found;
}

/* ---- code within a script ---- */

static const struct
{
  const char *program; /* with or without a version behind it */
  const char *language;
} interpreters[] = {
  { "python", "python" },
  { "pypy", "python" },
  { "node", "javascript" },
  { "nodejs", "javascript" },
  { "deno", "javascript" },
  { "bun", "javascript" },
  { "perl", "perl" },
  { "ruby", "ruby" },
  { "php", "php" },
  { "Rscript", "r" },
  { "R", "r" },
  { "sh", "shell" },
  { "bash", "shell" },
  { "dash", "shell" },
  { "zsh", "shell" },
  { "ksh", "shell" },
};

static const char *
find_language (InterpShellCommand *command)
{
  const char *program = command->words->len > 0 ? g_ptr_array_index (command->words, 0) : "";

  for (guint i = 0; i < G_N_ELEMENTS (interpreters); i++)
    {
      gsize length = strlen (interpreters[i].program);

      if (g_str_has_prefix (program, interpreters[i].program)
          && program[length + strspn (program + length, "0123456789.")] == '\0')
        return interpreters[i].language;
    }
  return NULL;
}

/* Does it take code from its words, as python -c, perl -ne or deno eval do? */
static gboolean
has_inline_code (InterpShellCommand *command)
{
  for (guint i = 1; i < command->words->len; i++)
    {
      const char *word = g_ptr_array_index (command->words, i);

      if (g_str_equal (word, "eval") || g_str_equal (word, "--eval") || g_str_equal (word, "--print"))
        return TRUE;
      if (word[0] == '-' && word[1] != '-' && strpbrk (word, "cerEp") != NULL)
        return TRUE;
    }
  return FALSE;
}

/* Without a file to run it runs what it reads. */
static gboolean
reads_its_code (InterpShellCommand *command)
{
  for (guint i = 1; i < command->words->len; i++)
    if (*(const char *) g_ptr_array_index (command->words, i) != '-')
      return FALSE;
  return TRUE;
}

static char *
join_words (InterpShellCommand *command, guint first)
{
  g_autoptr (GString) joined = g_string_new (NULL);

  for (guint i = first; i < command->words->len; i++)
    g_string_append_printf (joined, "%s%s", i > first ? " " : "", (char *) g_ptr_array_index (command->words, i));
  return g_string_free_and_steal (g_steal_pointer (&joined));
}

static guint
find_in_text (GPtrArray *rules, const char *language, const char *text)
{
  guint found = 0;

  for (guint i = 0; i < rules->len; i++)
    {
      Rule *rule = g_ptr_array_index (rules, i);

      if (rule->code != NULL && g_strv_contains ((const char *const *) rule->languages, language)
          && g_regex_match (rule->code, text, 0, NULL))
        found |= rule->facts;
    }
  return found;
}

static guint find_in_shell (GPtrArray *rules, const char *code, const char *folder, guint depth);

/* What the code does that the command at @index gives to an interpreter, in its words or on its input. */
static guint
find_in_inner_code (GPtrArray *rules, GPtrArray *commands, guint index, const char *script, const char *folder,
                    guint depth)
{
  InterpShellCommand *command = g_ptr_array_index (commands, index);
  const char *language = find_language (command);
  gboolean is_inline = has_inline_code (command);
  guint found = 0;

  if (language == NULL || depth == 0 || !(is_inline || reads_its_code (command)))
    return 0;
  if (!g_str_equal (language, "shell"))
    {
      g_autofree char *words = join_words (command, 1);

      return find_in_text (rules, language, is_inline ? words : script);
    }
  /* The words of sh -c are among the commands already; a here-document's lines are, too. */
  for (guint i = 0; i < command->reads->len; i++)
    found |= find_in_shell (rules, g_ptr_array_index (command->reads, i), folder, depth - 1);
  /* What is printed may be what it reads. */
  for (guint i = 0; i < index && !is_inline; i++)
    {
      InterpShellCommand *other = g_ptr_array_index (commands, i);
      const char *program = other->words->len > 0 ? g_ptr_array_index (other->words, 0) : "";
      g_autofree char *printed = join_words (other, 1);

      if (g_str_equal (program, "echo") || g_str_equal (program, "printf"))
        found |= find_in_shell (rules, printed, folder, depth - 1);
    }
  return found;
}

static guint
find_in_shell (GPtrArray *rules, const char *code, const char *folder, guint depth)
{
  g_autoptr (GPtrArray) commands = interp_shell_words_split (code, depth);
  gboolean moved = FALSE;
  guint found = 0;

  for (guint i = 0; i < commands->len; i++)
    {
      InterpShellCommand *command = g_ptr_array_index (commands, i);
      g_autofree char *joined = join_words (command, 0);
      guint here = command->administrator ? 1u << INTERP_FACT_ADMINISTRATOR : 0;

      for (guint j = 0; j < rules->len; j++)
        {
          Rule *rule = g_ptr_array_index (rules, j);

          if (rule->words != NULL && g_strv_contains ((const char *const *) rule->languages, "shell")
              && g_regex_match (rule->words, joined, 0, NULL))
            here |= rule->facts;
        }
      found |= judge_paths (command, here, folder, moved);
      found |= find_in_inner_code (rules, commands, i, code, folder, depth);
      if (command->words->len > 0
          && (g_str_equal (g_ptr_array_index (command->words, 0), "cd")
              || g_str_equal (g_ptr_array_index (command->words, 0), "pushd"))
          && !(command->words->len > 1 && is_inside (g_ptr_array_index (command->words, 1), folder)))
        moved = TRUE;
    }
  return found;
}

guint
interp_facts_find (const char *language, const char *code, const char *folder, gboolean *analysed)
{
  GPtrArray *rules = get_rules ();
  guint found = 0;
  gboolean known = FALSE;

  g_return_val_if_fail (language != NULL && code != NULL, 0);

  for (guint i = 0; i < rules->len; i++)
    {
      Rule *rule = g_ptr_array_index (rules, i);
      gboolean named = g_strv_contains ((const char *const *) rule->languages, language);

      known = known || named;
      if (strlen (code) > MAX_CODE)
        continue;
      if (rule->code != NULL && (named || g_strv_contains ((const char *const *) rule->languages, "*"))
          && g_regex_match (rule->code, code, 0, NULL))
        found |= rule->facts;
    }
  if (g_str_equal (language, "shell") && strlen (code) <= MAX_CODE)
    found |= find_in_shell (rules, code, folder, MAX_DEPTH);

  /* The stronger fact says the weaker. */
  if (found & (1u << INTERP_FACT_DELETES_OUTSIDE))
    found &= ~(1u << INTERP_FACT_DELETES);
  if (analysed != NULL)
    *analysed = known && strlen (code) <= MAX_CODE;
  return found;
}

gboolean
interp_facts_are_dangerous (guint found)
{
  for (guint i = 0; i < INTERP_N_FACTS; i++)
    if ((found & (1u << i)) != 0 && facts[i].dangerous)
      return TRUE;
  return FALSE;
}

const char *
interp_fact_get_icon_name (InterpFactId fact)
{
  g_return_val_if_fail (fact < INTERP_N_FACTS, NULL);

  return facts[fact].icon_name;
}

const char *
interp_fact_get_text (InterpFactId fact)
{
  g_return_val_if_fail (fact < INTERP_N_FACTS, NULL);

  return _ (facts[fact].text);
}
