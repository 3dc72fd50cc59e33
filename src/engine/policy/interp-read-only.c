/* interp-read-only.c
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <string.h>

#include <gio/gio.h>
#include <glib/gi18n.h>

#include "base/interp-paths.h"
#include "base/interp-text.h"
#include "policy/interp-read-only.h"

#define MAX_SHOWN 120

typedef enum
{
  STYLE_GNU,     /* options and operands in any order */
  STYLE_POSIX,   /* the first operand ends the options */
  STYLE_PRIMARY, /* find's and test's: each word with a "-" is one option */
  STYLE_ANY,     /* every word is text */
} Style;

typedef enum
{
  TAKES_NOTHING,
  TAKES_VALUE,
  MAY_TAKE_VALUE, /* in the same word only */
} Takes;

typedef struct
{
  Style style;
  GHashTable *options; /* "-a" or "--all" → Takes */
  GStrv needs;         /* nullable: one of these must be there */
  guint minimum, maximum;
  GRegex *first, *operand, *never;
  gboolean globs;  /* whatever file names come of a pattern are harmless, those with a "-" too */
  gboolean digits; /* -5 */
  gboolean texts;  /* its words are not the names of files */
} Schema;

static GRegex *never_read;

static GRegex *
read_pattern (GKeyFile *file, const char *group, const char *key, gboolean *faulty)
{
  g_autofree char *pattern = g_key_file_get_string (file, group, key, NULL);
  g_autoptr (GError) error = NULL;
  GRegex *regex;

  if (pattern == NULL)
    return NULL;
  regex = g_regex_new (pattern, G_REGEX_DOLLAR_ENDONLY | G_REGEX_OPTIMIZE, 0, &error);
  if (regex == NULL)
    {
      g_warning ("In the list of commands that only read, %s is faulty: %s", group, error->message);
      *faulty = TRUE;
    }
  return regex;
}

static void
schema_free (gpointer data)
{
  Schema *self = data;

  g_hash_table_unref (self->options);
  g_strfreev (self->needs);
  g_clear_pointer (&self->first, g_regex_unref);
  g_clear_pointer (&self->operand, g_regex_unref);
  g_clear_pointer (&self->never, g_regex_unref);
  g_free (self);
}

static void
read_options (Schema *self, GKeyFile *file, const char *group)
{
  g_auto (GStrv) options = g_key_file_get_string_list (file, group, "Options", NULL, NULL);

  for (guint i = 0; options != NULL && options[i] != NULL; i++)
    {
      char *equals = strchr (options[i], '=');
      Takes takes = equals == NULL ? TAKES_NOTHING : equals[1] == '?' ? MAY_TAKE_VALUE : TAKES_VALUE;

      if (equals != NULL)
        *equals = '\0';
      g_hash_table_insert (self->options, g_strdup (options[i]), GINT_TO_POINTER (takes));
    }
}

static Schema *
read_schema (GKeyFile *file, const char *group)
{
  static const char *const styles[] = { "gnu", "posix", "primary", "any" };
  g_autofree char *style = g_key_file_get_string (file, group, "Style", NULL);
  Schema *self = g_new0 (Schema, 1);
  gboolean faulty = FALSE;

  self->options = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; style != NULL && i < G_N_ELEMENTS (styles); i++)
    if (g_str_equal (style, styles[i]))
      self->style = i;
  faulty = style != NULL && !g_str_equal (style, styles[self->style]);
  read_options (self, file, group);
  self->needs = g_key_file_get_string_list (file, group, "Needs", NULL, NULL);
  self->minimum = g_key_file_get_integer (file, group, "Minimum", NULL);
  self->maximum = g_key_file_has_key (file, group, "Maximum", NULL)
                      ? (guint) MAX (0, g_key_file_get_integer (file, group, "Maximum", NULL))
                      : G_MAXUINT;
  self->first = read_pattern (file, group, "First", &faulty);
  self->operand = read_pattern (file, group, "Operand", &faulty);
  self->never = read_pattern (file, group, "Never", &faulty);
  self->globs = g_key_file_get_boolean (file, group, "Globs", NULL);
  self->digits = g_key_file_get_boolean (file, group, "Digits", NULL);
  self->texts = g_key_file_get_boolean (file, group, "Texts", NULL);
  if (faulty)
    g_clear_pointer (&self, schema_free);
  return self;
}

static GHashTable *
load (void)
{
  GHashTable *schemas = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, schema_free);
  g_autofree char *path = interp_paths_find_data ("policy/read-only.rules");
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_auto (GStrv) groups = NULL;
  gboolean faulty = FALSE;

  if (path == NULL || !g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, NULL))
    {
      g_warning ("The list of commands that only read is missing.");
      return schemas;
    }
  /* Without the files that are never read, nothing is known to be harmless. */
  never_read = read_pattern (file, "*", "Never", &faulty);
  if (never_read == NULL)
    return schemas;
  groups = g_key_file_get_groups (file, NULL);
  for (guint i = 0; groups[i] != NULL; i++)
    {
      g_autofree char *written = g_key_file_get_string (file, groups[i], "Names", NULL);
      g_auto (GStrv) names = g_strsplit (written != NULL ? written : groups[i], " ", -1);

      for (guint j = 0; names[j] != NULL && !g_str_equal (groups[i], "*"); j++)
        {
          Schema *schema = read_schema (file, groups[i]);

          if (schema != NULL)
            g_hash_table_insert (schemas, g_strdup (names[j]), schema);
        }
    }
  return schemas;
}

static GHashTable *
get_schemas (void)
{
  static gsize once = 0;

  if (g_once_init_enter (&once))
    g_once_init_leave (&once, (gsize) load ());
  return (GHashTable *) once;
}

/* ---- one command ---- */

typedef enum
{
  NOT_KNOWN,
  READS_SECRET,
} Refusal;

static gboolean
refuse (char **reason, Refusal refusal, const char *name, const char *word)
{
  g_autofree char *text = word != NULL ? g_strdup_printf ("%s %s", name, word) : g_strdup (name);
  g_autofree char *shown = g_utf8_substring (text, 0, MIN (g_utf8_strlen (text, -1), MAX_SHOWN));
  g_autofree char *visible = interp_text_make_visible (shown);

  if (reason != NULL && refusal == READS_SECRET)
    *reason = g_strdup_printf (_ ("Reads a device, a process or a secret: %s"), visible);
  else if (reason != NULL)
    *reason = g_strdup_printf (_ ("Not known to do nothing but read: %s"), visible);
  return FALSE;
}

/* Of "src/?x/…" what stands before the first part with a pattern: "src/". */
static gboolean
glob_is_tame (InterpShellWord *word)
{
  const char *end = word->text + word->glob;
  const char *part = end;

  while (part > word->text && part[-1] != '/')
    part--;
  /* Patterns for what is hidden, for what is at the root, and for what is above, may match what is never read. */
  for (const char *p = part; *p != '\0'; p++)
    if (*p == '.' && (p == part || p[-1] == '/'))
      return FALSE;
  if (strstr (word->text, "..") != NULL)
    return FALSE;
  for (const char *p = word->text; p < part; p++)
    if (*p != '/' && *p != '.')
      return TRUE;
  return *word->text != '/';
}

/* A pattern whose file names may begin with "-". */
static gboolean
may_become_option (InterpShellWord *word)
{
  return word->glob == 0;
}

static gboolean
is_never_read (const char *text)
{
  if (g_regex_match (never_read, text, 0, NULL))
    return TRUE;
  if (*text == '/')
    {
      g_autofree char *canonical = g_canonicalize_filename (text, NULL);

      return g_regex_match (never_read, canonical, 0, NULL);
    }
  return FALSE;
}

typedef struct
{
  const Schema *schema;
  const char *name;
  GPtrArray *words;
  guint next;
  guint n_operands;
  gboolean needed;        /* an option of "Needs" was there */
  gboolean only_operands; /* after "--" */
  char **reason;
} Check;

static gboolean
check_value (Check *self, const char *value)
{
  if (self->schema->never != NULL && g_regex_match (self->schema->never, value, 0, NULL))
    return refuse (self->reason, NOT_KNOWN, self->name, value);
  if (!self->schema->texts && is_never_read (value))
    return refuse (self->reason, READS_SECRET, self->name, value);
  return TRUE;
}

static gboolean
check_operand (Check *self, InterpShellWord *word)
{
  const Schema *schema = self->schema;
  GRegex *pattern = schema->first != NULL && self->n_operands == 0 ? schema->first : schema->operand;

  self->n_operands++;
  if (self->n_operands > schema->maximum || (pattern != NULL && !g_regex_match (pattern, word->text, 0, NULL)))
    return refuse (self->reason, NOT_KNOWN, self->name, word->text);
  /* One word becomes any number of them, and any file name. */
  if (word->glob >= 0
      && (!glob_is_tame (word) || schema->maximum != G_MAXUINT || pattern != NULL
          || (may_become_option (word) && !schema->globs && !self->only_operands)))
    return refuse (self->reason, NOT_KNOWN, self->name, word->text);
  return check_value (self, word->text);
}

static gboolean
note_option (Check *self, const char *option, Takes *takes)
{
  gpointer value;

  if (!g_hash_table_lookup_extended (self->schema->options, option, NULL, &value))
    return FALSE;
  if (self->schema->needs != NULL && g_strv_contains ((const char *const *) self->schema->needs, option))
    self->needed = TRUE;
  *takes = GPOINTER_TO_INT (value);
  return TRUE;
}

/* The value of an option, in a word of its own. One that looks like an option is not worth the doubt. */
static gboolean
take_value (Check *self, const char *option)
{
  InterpShellWord *value = self->next < self->words->len ? g_ptr_array_index (self->words, self->next) : NULL;

  self->next++;
  if (value == NULL || value->glob >= 0 || (value->text[0] == '-' && g_ascii_isalpha (value->text[1]))
      || g_str_has_prefix (value->text, "--"))
    return refuse (self->reason, NOT_KNOWN, self->name, option);
  return check_value (self, value->text);
}

static gboolean
check_long_option (Check *self, const char *text)
{
  const char *equals = strchr (text, '=');
  g_autofree char *option = equals != NULL ? g_strndup (text, equals - text) : g_strdup (text);
  Takes takes;

  /* Shortened names are not on the list. */
  if (!note_option (self, option, &takes) || (equals != NULL && takes == TAKES_NOTHING))
    return refuse (self->reason, NOT_KNOWN, self->name, text);
  if (equals != NULL)
    return check_value (self, equals + 1);
  return takes == TAKES_VALUE ? take_value (self, text) : TRUE;
}

static gboolean
check_short_options (Check *self, const char *text)
{
  for (const char *p = text + 1; *p != '\0'; p++)
    {
      char option[] = { '-', *p, '\0' };
      Takes takes;

      if (self->schema->digits && g_ascii_isdigit (*p))
        continue;
      if (!note_option (self, option, &takes))
        return refuse (self->reason, NOT_KNOWN, self->name, text);
      if (takes == TAKES_NOTHING)
        continue;
      if (p[1] != '\0')
        return check_value (self, p + 1);
      return takes == TAKES_VALUE ? take_value (self, text) : TRUE;
    }
  return TRUE;
}

static gboolean
check_word (Check *self)
{
  InterpShellWord *word = g_ptr_array_index (self->words, self->next++);
  const char *text = word->text;
  Takes takes;

  if (self->schema->style == STYLE_ANY || self->only_operands || text[0] != '-' || text[1] == '\0')
    {
      if (!check_operand (self, word))
        return FALSE;
      /* Only now: the first one, coming of a pattern, could be an option. */
      self->only_operands = self->only_operands || self->schema->style == STYLE_POSIX;
      return TRUE;
    }
  if (word->glob >= 0)
    return refuse (self->reason, NOT_KNOWN, self->name, text);
  if (self->schema->style == STYLE_PRIMARY)
    {
      if (!note_option (self, text, &takes))
        return refuse (self->reason, NOT_KNOWN, self->name, text);
      return takes == TAKES_VALUE ? take_value (self, text) : TRUE;
    }
  if (g_str_equal (text, "--"))
    {
      self->only_operands = TRUE;
      return TRUE;
    }
  return g_str_has_prefix (text, "--") ? check_long_option (self, text) : check_short_options (self, text);
}

gboolean
interp_read_only_check (InterpSimpleCommand *command, char **reason)
{
  GHashTable *schemas = get_schemas ();
  InterpShellWord *program;
  const char *name;
  Check check = { 0 };

  g_return_val_if_fail (command != NULL && command->words->len > 0, FALSE);

  program = g_ptr_array_index (command->words, 0);
  name = program->text;
  for (guint i = 0; i < 2; i++)
    {
      static const char *const folders[] = { "/bin/", "/usr/bin/" };

      if (g_str_has_prefix (program->text, folders[i]))
        name = program->text + strlen (folders[i]);
    }
  check.schema = program->glob < 0 ? g_hash_table_lookup (schemas, name) : NULL;
  if (check.schema == NULL)
    return refuse (reason, NOT_KNOWN, program->text, NULL);
  check.name = name;
  check.words = command->words;
  check.next = 1;
  check.reason = reason;
  while (check.next < command->words->len)
    if (!check_word (&check))
      return FALSE;
  if (check.n_operands < check.schema->minimum || (check.schema->needs != NULL && !check.needed))
    return refuse (reason, NOT_KNOWN, command->text, NULL);
  for (guint i = 0; i < command->reads->len; i++)
    {
      InterpShellWord *word = g_ptr_array_index (command->reads, i);

      if (is_never_read (word->text))
        return refuse (reason, READS_SECRET, name, word->text);
    }
  return TRUE;
}
