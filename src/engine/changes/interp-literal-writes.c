/* interp-literal-writes.c
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gi18n.h>

#include "changes/interp-literal-writes.h"

#define MAX_WRITES 20
#define MAX_CODE (1024 * 1024)

static void
write_free (gpointer data)
{
  InterpLiteralWrite *write = data;

  g_free (write->path);
  g_free (write->content);
  g_free (write);
}

static void
add_write (GPtrArray *writes, const char *path, char *content /* taken */, gboolean append)
{
  InterpLiteralWrite *write;

  if (writes->len >= MAX_WRITES || *path == '\0' || g_str_has_prefix (path, "/dev/"))
    {
      g_free (content);
      return;
    }
  write = g_new0 (InterpLiteralWrite, 1);
  write->path = g_strdup (path);
  write->content = content;
  write->append = append;
  g_ptr_array_add (writes, write);
}

/* ---- shell ---- */

/* A word that the shell would take as it stands; its quotes are taken off. NULL when it would expand. */
static char *
literal_word (const char *word, gsize length)
{
  g_autoptr (GString) text = g_string_new (NULL);
  char quote = 0;

  for (gsize i = 0; i < length; i++)
    {
      char c = word[i];

      if (quote == '\'')
        {
          if (c == '\'')
            quote = 0;
          else
            g_string_append_c (text, c);
        }
      else if (c == '$' || c == '`')
        return NULL;
      else if (c == '\\')
        {
          if (++i >= length)
            return NULL;
          if (quote == '"' && strchr ("\"\\$`", word[i]) == NULL)
            g_string_append_c (text, '\\');
          g_string_append_c (text, word[i]);
        }
      else if (quote == '"')
        {
          if (c == '"')
            quote = 0;
          else
            g_string_append_c (text, c);
        }
      else if (c == '\'' || c == '"')
        quote = c;
      else if (strchr ("*?[~{", c) != NULL)
        return NULL;
      else
        g_string_append_c (text, c);
    }
  return quote == 0 ? g_string_free_and_steal (g_steal_pointer (&text)) : NULL;
}

/* The end of the word that begins at @p. */
static const char *
word_end (const char *p, const char *end)
{
  char quote = 0;

  for (; p < end; p++)
    {
      if (quote == 0 && (g_ascii_isspace (*p) || strchr (";|&<>()", *p) != NULL))
        break;
      if (*p == '\\' && quote != '\'' && p + 1 < end)
        p++;
      else if (quote == 0 && (*p == '\'' || *p == '"'))
        quote = *p;
      else if (*p == quote)
        quote = 0;
    }
  return p;
}

/* The target of the first ">" or ">>" of a line, outside quotes; NULL without or when it is not literal. */
static char *
find_target (const char *line, const char *end, gboolean *append, const char **at)
{
  char quote = 0;

  for (const char *p = line; p < end; p++)
    {
      if (*p == '\\' && quote != '\'')
        p++;
      else if (quote == 0 && (*p == '\'' || *p == '"'))
        quote = *p;
      else if (*p == quote)
        quote = 0;
      else if (quote == 0 && *p == '>' && (p == line || (p[-1] != '&' && !g_ascii_isdigit (p[-1]))))
        {
          const char *start = p + 1;

          *at = p;
          *append = start < end && *start == '>';
          if (*append)
            start++;
          if (start < end && (*start == '&' || *start == '('))
            return NULL;
          while (start < end && (*start == ' ' || *start == '\t'))
            start++;
          return literal_word (start, word_end (start, end) - start);
        }
    }
  return NULL;
}

/* "tee [-a] FILE" reading the here-document. */
static char *
find_tee (const char *line, const char *end, gboolean *append)
{
  g_autofree char *text = g_strndup (line, end - line);
  g_autoptr (GRegex) regex = g_regex_new ("(?:^|[;&|\\s])tee\\s+(-a\\s+)?([^\\s<>|;&]+)", 0, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;

  if (!g_regex_match (regex, text, 0, &match))
    return NULL;
  g_autofree char *option = g_match_info_fetch (match, 1);
  g_autofree char *word = g_match_info_fetch (match, 2);
  *append = *option != '\0';
  return literal_word (word, strlen (word));
}

/* What echo or printf with literal words prints; NULL when that cannot be said. */
static char *
literal_output (const char *line, const char *end)
{
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);
  GString *text;
  gboolean newline = TRUE;
  guint first = 1;

  for (const char *p = line; p < end;)
    {
      const char *stop;
      char *word;

      while (p < end && (*p == ' ' || *p == '\t'))
        p++;
      if (p >= end)
        break;
      stop = word_end (p, end);
      if (stop == p)
        return NULL; /* an operator: more than one command */
      word = literal_word (p, stop - p);
      if (word == NULL)
        return NULL;
      g_ptr_array_add (words, word);
      p = stop;
    }
  if (words->len == 0)
    return NULL;

  if (g_str_equal (g_ptr_array_index (words, 0), "printf"))
    {
      /* Only a format without directives, or %s with one word. */
      const char *format = words->len > 1 ? g_ptr_array_index (words, 1) : NULL;
      const char *percent = format != NULL ? strchr (format, '%') : NULL;
      g_autofree char *expanded = NULL;

      if (format == NULL || words->len > 3 || (words->len == 2 && percent != NULL))
        return NULL;
      if (words->len == 3 && (percent == NULL || percent[1] != 's' || strchr (percent + 2, '%') != NULL))
        return NULL;
      expanded = g_strcompress (format);
      if (words->len == 2)
        return g_steal_pointer (&expanded);
      percent = strstr (expanded, "%s");
      text = g_string_new_len (expanded, percent - expanded);
      g_string_append (text, g_ptr_array_index (words, 2));
      g_string_append (text, percent + 2);
      return g_string_free_and_steal (text);
    }
  if (!g_str_equal (g_ptr_array_index (words, 0), "echo"))
    return NULL;
  if (words->len > 1 && g_str_equal (g_ptr_array_index (words, 1), "-n"))
    {
      newline = FALSE;
      first = 2;
    }
  else if (words->len > 1 && ((const char *) g_ptr_array_index (words, 1))[0] == '-')
    return NULL;
  text = g_string_new (NULL);
  for (guint i = first; i < words->len; i++)
    g_string_append_printf (text, "%s%s", i > first ? " " : "", (char *) g_ptr_array_index (words, i));
  if (newline)
    g_string_append_c (text, '\n');
  return g_string_free_and_steal (text);
}

static void
find_in_shell (GPtrArray *writes, const char *code)
{
  const char *line = code;

  while (*line != '\0')
    {
      const char *end = strchr (line, '\n');
      const char *here;
      const char *target_at = NULL;
      gboolean append = FALSE;
      g_autofree char *target = NULL;

      if (end == NULL)
        end = line + strlen (line);
      here = g_strstr_len (line, end - line, "<<");

      if (here != NULL && here[2] != '<')
        {
          gboolean strip_tabs = here[2] == '-';
          const char *word = here + (strip_tabs ? 3 : 2);
          gboolean quoted;
          g_autofree char *delimiter = NULL;
          g_autoptr (GString) body = g_string_new (NULL);
          gboolean closed = FALSE;

          while (*word == ' ' || *word == '\t')
            word++;
          quoted = *word == '\'' || *word == '"' || *word == '\\';
          delimiter = literal_word (word, word_end (word, end) - word);
          target = find_target (line, end, &append, &target_at);
          if (target == NULL)
            target = find_tee (line, end, &append);

          line = *end == '\n' ? end + 1 : end;
          while (*line != '\0' && delimiter != NULL)
            {
              const char *stop = strchr (line, '\n');
              gsize length = stop != NULL ? (gsize) (stop - line) : strlen (line);
              const char *start = line;

              if (strip_tabs)
                while (length > 0 && *start == '\t')
                  {
                    start++;
                    length--;
                  }
              line = stop != NULL ? stop + 1 : line + strlen (line);
              if (length == strlen (delimiter) && strncmp (start, delimiter, length) == 0)
                {
                  closed = TRUE;
                  break;
                }
              g_string_append_len (body, start, length);
              g_string_append_c (body, '\n');
            }
          /* An unquoted delimiter lets the shell expand the text. */
          if (closed && target != NULL && (quoted || strpbrk (body->str, "$`\\") == NULL))
            add_write (writes, target, g_string_free_and_steal (g_steal_pointer (&body)), append);
          continue;
        }

      target = find_target (line, end, &append, &target_at);
      if (target != NULL)
        {
          const char *rest = target_at + (append ? 2 : 1);
          char *output;

          while (rest < end && (*rest == ' ' || *rest == '\t'))
            rest++;
          rest = word_end (rest, end);
          while (rest < end && g_ascii_isspace (*rest))
            rest++;
          output = rest == end ? literal_output (line, target_at) : NULL;
          if (output != NULL)
            add_write (writes, target, output, append);
        }
      line = *end == '\n' ? end + 1 : end;
    }
}

/* ---- Python, JavaScript, R ---- */

/* A string literal at @p without interpolation; *end behind it. NULL when it is none. */
static char *
literal_string (const char *p, const char **end, gboolean allow_template)
{
  gboolean raw = FALSE;
  gboolean triple;
  char quote;
  const char *start;
  g_autoptr (GString) text = g_string_new (NULL);

  while (*p == 'r' || *p == 'R' || *p == 'u')
    {
      raw = raw || *p != 'u';
      p++;
    }
  quote = *p;
  if (quote != '\'' && quote != '"' && !(allow_template && quote == '`'))
    return NULL;
  triple = quote != '`' && p[1] == quote && p[2] == quote && !allow_template;
  start = p += triple ? 3 : 1;
  for (; *p != '\0'; p++)
    {
      if (triple ? strncmp (p, (char[]) { quote, quote, quote, 0 }, 3) == 0 : *p == quote)
        {
          *end = p + (triple ? 3 : 1);
          if (raw)
            return g_strndup (start, p - start);
          return g_string_free_and_steal (g_steal_pointer (&text));
        }
      if (!triple && quote != '`' && *p == '\n')
        return NULL;
      if (quote == '`' && p[0] == '$' && p[1] == '{')
        return NULL;
      if (*p == '\\' && !raw)
        {
          p++;
          switch (*p)
            {
            case 'n':
              g_string_append_c (text, '\n');
              break;
            case 't':
              g_string_append_c (text, '\t');
              break;
            case 'r':
              g_string_append_c (text, '\r');
              break;
            case '\n':
              break;
            case '\\':
            case '\'':
            case '"':
            case '`':
            case '$':
              g_string_append_c (text, *p);
              break;
            default:
              return NULL; /* other escapes are not read here */
            }
        }
      else
        g_string_append_c (text, *p);
    }
  return NULL;
}

static const char *
skip_blanks (const char *p)
{
  while (g_ascii_isspace (*p))
    p++;
  return p;
}

static gboolean
read_argument (const char **p, char **value, gboolean allow_template)
{
  const char *end;

  *p = skip_blanks (*p);
  *value = literal_string (*p, &end, allow_template);
  if (*value == NULL)
    return FALSE;
  *p = skip_blanks (end);
  return TRUE;
}

/* open("NAME", "w") and what is written to it: at once, or to the name that "with … as NAME:" gives. */
static void
find_python_open (GPtrArray *writes, const char *code)
{
  g_autoptr (GRegex) regex = g_regex_new ("\\bopen\\s*\\(", 0, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;

  g_regex_match (regex, code, 0, &match);
  for (; g_match_info_matches (match); g_match_info_next (match, NULL))
    {
      g_autofree char *path = NULL;
      g_autofree char *mode = NULL;
      g_autofree char *content = NULL;
      const char *p;
      int at;

      g_match_info_fetch_pos (match, 0, NULL, &at);
      p = code + at;
      if (!read_argument (&p, &path, FALSE) || *p++ != ',')
        continue;
      p = skip_blanks (p);
      if (g_str_has_prefix (p, "mode"))
        p = skip_blanks (p + 4), p += *p == '=' ? 1 : 0;
      if (!read_argument (&p, &mode, FALSE) || (mode[0] != 'w' && mode[0] != 'a' && mode[0] != 'x')
          || strchr (mode, 'b') != NULL)
        continue;
      while (*p != '\0' && *p != ')' && *p != '\n')
        p++;
      if (*p++ != ')')
        continue;

      if (g_str_has_prefix (p, ".write("))
        p += strlen (".write(");
      else
        {
          g_autoptr (GRegex) with = g_regex_new ("^\\s*as\\s+(\\w+)\\s*:\\s*\\1\\.write\\(", 0, 0, NULL);
          g_autoptr (GMatchInfo) named = NULL;
          int length;

          if (!g_regex_match (with, p, 0, &named))
            continue;
          g_match_info_fetch_pos (named, 0, NULL, &length);
          p += length;
        }
      if (read_argument (&p, &content, FALSE) && *p == ')')
        {
          /* A second write to the same file would make this one half of the story. */
          const char *next = skip_blanks (p + 1);
          const char *line_end = strchr (next, '\n');

          if (g_strstr_len (next, line_end ? line_end - next : -1, ".write(") == NULL)
            add_write (writes, path, g_steal_pointer (&content), mode[0] == 'a');
        }
    }
}

/* CALL ("NAME", "TEXT") with the arguments in either order. */
static void
find_calls (GPtrArray *writes, const char *code, const char *pattern, gboolean content_first, gboolean allow_template,
            const char *line_ending, gboolean append)
{
  g_autoptr (GRegex) regex = g_regex_new (pattern, 0, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;

  g_regex_match (regex, code, 0, &match);
  for (; g_match_info_matches (match); g_match_info_next (match, NULL))
    {
      g_autofree char *first = NULL;
      g_autofree char *second = NULL;
      const char *p;
      int at;

      g_match_info_fetch_pos (match, 0, NULL, &at);
      p = code + at;
      if (!read_argument (&p, &first, allow_template))
        continue;
      if (*p == ')' && p[1] == '.') /* Path ("NAME").write_text ("TEXT") */
        {
          if (!g_str_has_prefix (p, ").write_text("))
            continue;
          p += strlen (").write_text(");
        }
      else if (*p++ != ',')
        continue;
      p = skip_blanks (p);
      for (guint i = 0; i < 2; i++)
        {
          static const char *const names[] = { "con", "file" };

          if (g_str_has_prefix (p, names[i]))
            {
              const char *after = skip_blanks (p + strlen (names[i]));
              if (*after == '=')
                p = skip_blanks (after + 1);
            }
        }
      if (!read_argument (&p, &second, allow_template) || (*p != ')' && *p != ','))
        continue;
      if (content_first)
        add_write (writes, second, g_strconcat (first, line_ending, NULL), append);
      else
        add_write (writes, first, g_strconcat (second, line_ending, NULL), append);
    }
}

GPtrArray *
interp_literal_writes_find (const char *language, const char *code)
{
  GPtrArray *writes = g_ptr_array_new_with_free_func (write_free);

  g_return_val_if_fail (language != NULL && code != NULL, writes);

  if (strlen (code) > MAX_CODE)
    return writes;
  if (g_str_equal (language, "shell"))
    find_in_shell (writes, code);
  else if (g_str_equal (language, "python"))
    {
      find_python_open (writes, code);
      find_calls (writes, code, "\\bPath\\s*\\((?=[^()]*\\)\\.write_text\\()", FALSE, FALSE, "", FALSE);
    }
  else if (g_str_equal (language, "javascript"))
    {
      find_calls (writes, code, "\\bwriteFile(Sync)?\\s*\\(", FALSE, TRUE, "", FALSE);
      find_calls (writes, code, "\\bappendFile(Sync)?\\s*\\(", FALSE, TRUE, "", TRUE);
    }
  else if (g_str_equal (language, "r"))
    {
      find_calls (writes, code, "\\bwriteLines\\s*\\(", TRUE, FALSE, "\n", FALSE);
      find_calls (writes, code, "\\bcat\\s*\\((?=[^()]*file\\s*=)", TRUE, FALSE, "", FALSE);
    }
  return writes;
}

gboolean
interp_literal_writes_read_file (const char *path, gsize max, char **text, const char **fault)
{
  struct stat status;
  g_autofree char *buffer = NULL;
  gsize length = 0;
  int fd;

  g_return_val_if_fail (path != NULL && text != NULL && fault != NULL, FALSE);

  *text = NULL;
  fd = open (path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0)
    {
      if (errno == ENOENT)
        return TRUE;
      *fault = errno == EISDIR ? _ ("A folder stands in this place.") : _ ("The file on disk cannot be read.");
      return FALSE;
    }
  if (fstat (fd, &status) != 0 || !S_ISREG (status.st_mode))
    {
      close (fd);
      *fault = S_ISDIR (status.st_mode) ? _ ("A folder stands in this place.")
                                        : _ ("What stands in this place is not a file.");
      return FALSE;
    }
  if (status.st_size > (goffset) max)
    {
      close (fd);
      *fault = _ ("The file on disk is too large to compare.");
      return FALSE;
    }

  buffer = g_malloc (max + 1);
  while (length < max)
    {
      gssize n = read (fd, buffer + length, max - length);

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        break;
      length += n;
    }
  close (fd);
  buffer[length] = '\0';
  if (memchr (buffer, '\0', length) != NULL || !g_utf8_validate (buffer, length, NULL))
    {
      *fault = _ ("The file on disk is not text.");
      return FALSE;
    }
  *text = g_realloc (g_steal_pointer (&buffer), length + 1);
  return TRUE;
}
