/* interp-code-open.c: is a string or here-document still open?
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm/interp-code-open.h"

#include <string.h>

/* ---- Python ---- */

static gboolean
python_is_open (const char *p)
{
  while (*p != '\0')
    {
      char quote = *p;

      if (quote == '#')
        {
          while (*p != '\0' && *p != '\n')
            p++;
          continue;
        }

      if (quote != '"' && quote != '\'')
        {
          p++;
          continue;
        }

      if (p[1] == quote && p[2] == quote)
        {
          for (p += 3; *p != '\0'; p++)
            {
              if (*p == '\\' && p[1] != '\0')
                p++;
              else if (p[0] == quote && p[1] == quote && p[2] == quote)
                break;
            }

          if (*p == '\0')
            return TRUE;
          p += 3;
          continue;
        }

      /* An ordinary string ends with its line at the latest. */
      for (p++; *p != '\0' && *p != '\n' && *p != quote; p++)
        if (*p == '\\' && p[1] != '\0')
          p++;
      if (*p == quote)
        p++;
    }

  return FALSE;
}

/* ---- JavaScript ---- */

#define MAX_NESTING 64

static gboolean
javascript_is_open (const char *code)
{
  const char *p = code;
  guint braces[MAX_NESTING]; /* open braces in each ${…} */
  guint depth = 0;           /* of ${…} */
  gboolean in_template = FALSE;
  char before = '\n'; /* last thing that was not space: tells a regular expression from a division */

  while (*p != '\0')
    {
      if (in_template)
        {
          if (*p == '\\' && p[1] != '\0')
            p += 2;
          else if (*p == '`')
            {
              in_template = FALSE;
              before = '`';
              p++;
            }
          else if (p[0] == '$' && p[1] == '{' && depth < MAX_NESTING)
            {
              braces[depth++] = 0;
              in_template = FALSE;
              before = '{';
              p += 2;
            }
          else
            p++;
          continue;
        }

      switch (*p)
        {
        case '`':
          in_template = TRUE;
          p++;
          break;

        case '"':
        case '\'':
          {
            char quote = *p;

            for (p++; *p != '\0' && *p != '\n' && *p != quote; p++)
              if (*p == '\\' && p[1] != '\0')
                p++;
            if (*p == quote)
              p++;
            before = quote;
          }
          break;

        case '/':
          if (p[1] == '/')
            {
              while (*p != '\0' && *p != '\n')
                p++;
            }
          else if (p[1] == '*')
            {
              const char *end = strstr (p + 2, "*/");

              if (end == NULL)
                return TRUE;
              p = end + 2;
            }
          else if (strchr ("(,=:[!&|?{};\n+-*%<>~^", before) != NULL)
            {
              gboolean in_class = FALSE;

              for (p++; *p != '\0' && *p != '\n' && (in_class || *p != '/'); p++)
                {
                  if (*p == '\\' && p[1] != '\0')
                    p++;
                  else if (*p == '[')
                    in_class = TRUE;
                  else if (*p == ']')
                    in_class = FALSE;
                }
              if (*p == '/')
                p++;
              before = '/';
            }
          else
            {
              before = '/';
              p++;
            }
          break;

        case '{':
          if (depth > 0)
            braces[depth - 1]++;
          before = *p++;
          break;

        case '}':
          if (depth > 0 && braces[depth - 1] == 0)
            {
              depth--;
              in_template = TRUE;
            }
          else if (depth > 0)
            {
              braces[depth - 1]--;
            }
          before = *p++;
          break;

        default:
          if (*p == '\n' || !g_ascii_isspace (*p))
            before = *p;
          p++;
          break;
        }
    }

  return in_template || depth > 0;
}

/* ---- shells, Ruby, Perl ---- */

/* The word of a here-document at @p (behind "<<"), or NULL. */
static char *
read_delimiter (const char **position, gboolean *indented)
{
  const char *p = *position;
  g_autoptr (GString) word = g_string_new (NULL);

  *indented = *p == '-' || *p == '~';
  if (*indented)
    p++;
  while (*p == ' ' || *p == '\t')
    p++;

  if (*p == '\'' || *p == '"')
    {
      char quote = *p++;

      while (*p != '\0' && *p != '\n' && *p != quote)
        g_string_append_c (word, *p++);
      if (*p != quote)
        return NULL;
      p++;
    }
  else
    {
      if (*p == '\\')
        p++;
      /* "1 << 2" is a shift. */
      if (!g_ascii_isalpha (*p) && *p != '_')
        return NULL;
      while (g_ascii_isalnum (*p) || *p == '_')
        g_string_append_c (word, *p++);
    }

  if (word->len == 0)
    return NULL;

  *position = p;

  return g_string_free_and_steal (g_steal_pointer (&word));
}

/* The end of the here-document whose body begins at @p, or NULL when it is open. */
static const char *
skip_document (const char *p, const char *delimiter, gboolean indented)
{
  gsize length = strlen (delimiter);

  while (*p != '\0')
    {
      const char *line = p;
      const char *end = strchr (p, '\n');

      while (indented && (*line == '\t' || *line == ' '))
        line++;

      if (strncmp (line, delimiter, length) == 0
          && (line[length] == '\n' || line[length] == '\0' || line[length] == '\r'))
        return end != NULL ? end + 1 : line + length;

      if (end == NULL)
        return NULL;
      p = end + 1;
    }

  return NULL;
}

static gboolean
shell_is_open (const char *p)
{
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free); /* waiting for the end of the line */
  g_autoptr (GArray) indents = g_array_new (FALSE, FALSE, sizeof (gboolean));
  char before = '\n';

  while (*p != '\0')
    {
      if (*p == '\\' && p[1] != '\0')
        {
          before = 'x';
          p += 2;
        }
      else if (*p == '\'')
        {
          gboolean escapes = before == '$';

          for (p++; *p != '\0' && *p != '\''; p++)
            if (escapes && *p == '\\' && p[1] != '\0')
              p++;
          if (*p == '\0')
            return TRUE;
          before = *p++;
        }
      else if (*p == '"')
        {
          for (p++; *p != '\0' && *p != '"'; p++)
            if (*p == '\\' && p[1] != '\0')
              p++;
          if (*p == '\0')
            return TRUE;
          before = *p++;
        }
      else if (*p == '#' && (g_ascii_isspace (before) || before == ';'))
        {
          while (*p != '\0' && *p != '\n')
            p++;
        }
      else if (p[0] == '<' && p[1] == '<' && p[2] != '<' && before != '<')
        {
          gboolean indented = FALSE;
          char *word;

          p += 2;
          word = read_delimiter (&p, &indented);
          if (word != NULL)
            {
              g_ptr_array_add (words, word);
              g_array_append_val (indents, indented);
            }
          before = 'x';
        }
      else if (*p == '\n')
        {
          before = *p++;
          for (guint i = 0; i < words->len; i++)
            {
              p = skip_document (p, g_ptr_array_index (words, i), g_array_index (indents, gboolean, i));
              if (p == NULL)
                return TRUE;
            }
          g_ptr_array_set_size (words, 0);
          g_array_set_size (indents, 0);
        }
      else
        {
          before = *p++;
        }
    }

  return words->len > 0;
}

/* ---- R, SQL ---- */

static gboolean
quotes_are_open (const char *p, const char *quotes, gboolean escapes, gboolean hash_comments)
{
  while (*p != '\0')
    {
      if (hash_comments && *p == '#')
        {
          while (*p != '\0' && *p != '\n')
            p++;
        }
      else if (strchr (quotes, *p) != NULL)
        {
          char quote = *p;

          for (p++; *p != '\0' && *p != quote; p++)
            if (escapes && *p == '\\' && p[1] != '\0')
              p++;
          if (*p == '\0')
            return TRUE;
          p++;
        }
      else
        {
          p++;
        }
    }

  return FALSE;
}

gboolean
interp_code_is_open (const char *language, const char *code)
{
  g_autofree char *lower = NULL;

  g_return_val_if_fail (code != NULL, FALSE);

  if (language == NULL)
    return FALSE;

  lower = g_ascii_strdown (language, -1);

  if (g_str_has_prefix (lower, "py") || g_str_equal (lower, "ipython") || g_str_equal (lower, "jupyter"))
    return python_is_open (code);

  if (g_str_equal (lower, "js") || g_str_equal (lower, "javascript") || g_str_equal (lower, "node")
      || g_str_equal (lower, "nodejs") || g_str_equal (lower, "ts") || g_str_equal (lower, "typescript")
      || g_str_equal (lower, "mjs"))
    return javascript_is_open (code);

  if (g_str_has_suffix (lower, "sh") || g_str_equal (lower, "shell") || g_str_equal (lower, "ruby")
      || g_str_equal (lower, "perl"))
    return shell_is_open (code);

  if (g_str_equal (lower, "r"))
    return quotes_are_open (code, "'\"", TRUE, TRUE);

  if (g_str_equal (lower, "sql") || g_str_equal (lower, "sqlite"))
    return quotes_are_open (code, "'", FALSE, FALSE);

  return FALSE;
}
