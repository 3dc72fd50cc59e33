/* interp-shell-words.c
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <string.h>

#include "policy/interp-shell-words.h"

static InterpShellCommand *
command_new (void)
{
  InterpShellCommand *self = g_new0 (InterpShellCommand, 1);

  self->words = g_ptr_array_new_with_free_func (g_free);
  self->writes = g_ptr_array_new_with_free_func (g_free);
  self->reads = g_ptr_array_new_with_free_func (g_free);
  return self;
}

static void
command_free (gpointer data)
{
  InterpShellCommand *self = data;

  g_ptr_array_unref (self->words);
  g_ptr_array_unref (self->writes);
  g_ptr_array_unref (self->reads);
  g_free (self);
}

static const char *
get_word (InterpShellCommand *self, guint index)
{
  return index < self->words->len ? g_ptr_array_index (self->words, index) : NULL;
}

/* "rm" of "/bin/rm" and "\rm". */
static void
normalise_program (InterpShellCommand *self)
{
  const char *program = get_word (self, 0);
  const char *slash = program ? strrchr (program, '/') : NULL;

  if (slash != NULL && slash[1] != '\0')
    {
      char *base = g_strdup (slash + 1);

      g_free (g_ptr_array_index (self->words, 0));
      g_ptr_array_index (self->words, 0) = base;
    }
}

static gboolean
is_assignment (const char *word)
{
  const char *equals = strchr (word, '=');

  if (equals == NULL || equals == word)
    return FALSE;
  for (const char *p = word; p < equals; p++)
    if (!g_ascii_isalnum (*p) && *p != '_')
      return FALSE;
  return TRUE;
}

static gboolean
is_one_of (const char *word, const char *const *list)
{
  return word != NULL && g_strv_contains (list, word);
}

/* Takes wrappers off until the program itself stands first. */
static void
unwrap (InterpShellCommand *self)
{
  static const char *const keywords[]
      = { "then", "do", "else", "elif", "if", "while", "until", "!", "{", "(", "time", NULL };
  static const char *const raising[] = { "sudo", "doas", "pkexec", "run0", NULL };
  static const char *const wrappers[]
      = { "env",  "nohup", "nice",    "ionice", "stdbuf",  "setsid",   "command", "builtin",
          "exec", "xargs", "timeout", "chrt",   "busybox", "unbuffer", "strace",  NULL };

  for (guint guard = 0; guard < 16 && self->words->len > 0; guard++)
    {
      const char *program;

      normalise_program (self);
      program = get_word (self, 0);
      if (is_one_of (program, keywords) || is_assignment (program))
        {
          g_ptr_array_remove_index (self->words, 0);
          continue;
        }
      if (!is_one_of (program, raising) && !is_one_of (program, wrappers))
        return;
      if (is_one_of (program, raising))
        self->administrator = TRUE;
      if (self->words->len == 1)
        return;
      {
        gboolean takes_number = g_str_equal (program, "timeout");

        g_ptr_array_remove_index (self->words, 0);
        while (self->words->len > 0)
          {
            const char *word = get_word (self, 0);
            gboolean with_value = g_str_equal (word, "-u") || g_str_equal (word, "-g") || g_str_equal (word, "-n")
                                  || g_str_equal (word, "-I") || g_str_equal (word, "-P") || g_str_equal (word, "-L")
                                  || g_str_equal (word, "-s") || g_str_equal (word, "-k");

            if (word[0] == '-' || is_assignment (word))
              {
                g_ptr_array_remove_index (self->words, 0);
                if (with_value && self->words->len > 1)
                  g_ptr_array_remove_index (self->words, 0);
              }
            else if (takes_number && g_ascii_isdigit (word[0]))
              {
                g_ptr_array_remove_index (self->words, 0);
                takes_number = FALSE;
              }
            else
              break;
          }
      }
    }
}

static void split_into (GPtrArray *commands, const char *script, guint depth);

static void
finish_command (GPtrArray *commands, InterpShellCommand **command, guint depth)
{
  InterpShellCommand *self = g_steal_pointer (command);
  static const char *const shells[] = { "sh", "bash", "dash", "zsh", "ksh", "fish", NULL };

  *command = command_new ();
  unwrap (self);
  if (self->words->len == 0 && self->writes->len == 0)
    {
      command_free (self);
      return;
    }
  g_ptr_array_add (commands, self);

  if (depth == 0)
    return;
  if (is_one_of (get_word (self, 0), shells))
    {
      for (guint i = 1; i + 1 < self->words->len; i++)
        {
          const char *word = get_word (self, i);

          if (word[0] == '-' && strchr (word, 'c') != NULL)
            {
              split_into (commands, get_word (self, i + 1), depth - 1);
              break;
            }
        }
    }
  else if (g_strcmp0 (get_word (self, 0), "eval") == 0)
    {
      g_autoptr (GString) joined = g_string_new (NULL);

      for (guint i = 1; i < self->words->len; i++)
        g_string_append_printf (joined, "%s ", get_word (self, i));
      split_into (commands, joined->str, depth - 1);
    }
}

typedef enum
{
  ROLE_WORD,
  ROLE_WRITE, /* behind > */
  ROLE_READ,  /* behind < */
} Role;

static void
finish_word (InterpShellCommand *command, GString *word, gboolean *has_word, Role *role)
{
  GPtrArray *list = *role == ROLE_WRITE ? command->writes : *role == ROLE_READ ? command->reads : command->words;

  if (!*has_word)
    return;
  g_ptr_array_add (list, g_strndup (word->str, word->len));
  g_string_truncate (word, 0);
  *has_word = FALSE;
  *role = ROLE_WORD;
}

/* Where the substitution that begins at @p ends: at its last character, or at the script's end. NULL: none begins. */
static const char *
find_substitution_end (const char *p)
{
  guint open = 0;

  if (*p == '`')
    {
      for (p++; *p != '\0' && *p != '`'; p++)
        if (*p == '\\' && p[1] != '\0')
          p++;
      return p;
    }
  if (*p != '$' || p[1] != '(')
    return NULL;
  for (p++; *p != '\0'; p++)
    {
      if (*p == '(')
        open++;
      else if (*p == ')' && --open == 0)
        return p;
      else if (*p == '\\' && p[1] != '\0')
        p++;
    }
  return p;
}

static void
split_into (GPtrArray *commands, const char *script, guint depth)
{
  InterpShellCommand *command = command_new ();
  g_autoptr (GString) word = g_string_new (NULL);
  gboolean has_word = FALSE;
  Role role = ROLE_WORD;

  for (const char *p = script; *p != '\0'; p++)
    {
      switch (*p)
        {
        case '\\':
          if (p[1] == '\n')
            p++;
          else if (p[1] != '\0')
            {
              g_string_append_c (word, *++p);
              has_word = TRUE;
            }
          break;
        case '\'':
          has_word = TRUE;
          for (p++; *p != '\0' && *p != '\''; p++)
            g_string_append_c (word, *p);
          if (*p == '\0')
            p--;
          break;
        case '"':
          has_word = TRUE;
          for (p++; *p != '\0' && *p != '"'; p++)
            {
              const char *end = find_substitution_end (p);

              /* A substitution's commands run here, too. */
              if (end != NULL)
                {
                  const char *inner = p + (*p == '$' ? 2 : 1);
                  g_autofree char *substituted = g_strndup (inner, end - inner);

                  if (depth > 0)
                    split_into (commands, substituted, depth - 1);
                  g_string_append_len (word, p, end - p);
                  p = end;
                  if (*p == '\0')
                    break;
                }
              else if (*p == '\\' && p[1] != '\0' && strchr ("\"\\$`", p[1]) != NULL)
                p++;
              g_string_append_c (word, *p);
            }
          if (*p == '\0')
            p--;
          break;
        case '#':
          if (has_word)
            g_string_append_c (word, *p);
          else
            while (p[1] != '\0' && p[1] != '\n')
              p++;
          break;
        case ' ':
        case '\t':
          finish_word (command, word, &has_word, &role);
          break;
        case '`':
        case '(':
        case ')':
          /* A substitution's or subshell's commands stand on their own. */
          if (*p == '(' && word->len > 0 && word->str[word->len - 1] == '$')
            g_string_truncate (word, word->len - 1);
          G_GNUC_FALLTHROUGH;
        case ';':
        case '&':
        case '|':
        case '\n':
        case '\r':
          if (*p == '&' && p[1] == '>')
            break;
          finish_word (command, word, &has_word, &role);
          finish_command (commands, &command, depth);
          role = ROLE_WORD;
          break;
        case '>':
          /* "2>" is no word. */
          if (has_word && word->len == 1 && g_ascii_isdigit (word->str[0]))
            {
              g_string_truncate (word, 0);
              has_word = FALSE;
            }
          finish_word (command, word, &has_word, &role);
          if (p[1] == '>' || p[1] == '|')
            p++;
          if (p[1] == '&')
            {
              p++;
              while (g_ascii_isdigit (p[1]) || p[1] == '-')
                p++;
              break;
            }
          role = ROLE_WRITE;
          break;
        case '<':
          finish_word (command, word, &has_word, &role);
          role = ROLE_READ;
          /* Of "<<-". */
          if (p[1] == '-')
            p++;
          break;
        default:
          g_string_append_c (word, *p);
          has_word = TRUE;
          break;
        }
    }
  finish_word (command, word, &has_word, &role);
  finish_command (commands, &command, depth);
  command_free (command);
}

GPtrArray *
interp_shell_words_split (const char *script, guint depth)
{
  GPtrArray *commands = g_ptr_array_new_with_free_func (command_free);

  g_return_val_if_fail (script != NULL, commands);

  split_into (commands, script, depth);
  return commands;
}
