/* interp-text.c: UTF-8 helpers
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "base/interp-text.h"

#include <glib/gi18n.h>
#include <string.h>

char *
interp_text_make_valid (const char *text, gssize length)
{
  g_return_val_if_fail (text != NULL || length == 0, NULL);

  return text != NULL ? g_utf8_make_valid (text, length) : g_strdup ("");
}

gsize
interp_text_complete_prefix (const char *bytes, gsize length)
{
  g_return_val_if_fail (bytes != NULL || length == 0, 0);

  for (gsize back = 1; back <= 3 && back <= length; back++)
    {
      guchar c = bytes[length - back];
      gsize need = c >= 0xf0 && c <= 0xf4 ? 4 : c >= 0xe0 && c <= 0xef ? 3 : c >= 0xc2 && c <= 0xdf ? 2 : 1;

      if (need > back)
        {
          /* g_utf8_get_char_validated () tells a beginning from what can never become a character. */
          gunichar start = g_utf8_get_char_validated (bytes + length - back, back);

          return start == (gunichar) -2 ? length - back : length;
        }
      if ((c & 0xc0) != 0x80)
        return length;
    }
  return length;
}

/* Characters that joiners and variation selectors have a proper use between: scripts that join, and emoji. */
static gboolean
takes_joiner (gunichar c)
{
  return (c >= 0x600 && c <= 0x1fff) || (c >= 0x2190 && c <= 0x2bff) || c == 0xfe0f || (c >= 0x1f000 && c <= 0x1faff);
}

static gboolean
takes_variation (gunichar c)
{
  return g_ascii_isdigit (c) || c == '#' || c == '*' || c == 0xa9 || c == 0xae || (c >= 0x2010 && c <= 0x3299)
         || (c >= 0x1f000 && c <= 0x1faff) || (c >= 0x3400 && c <= 0x9fff);
}

static gboolean
is_control (gunichar c)
{
  return (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7f && c <= 0x9f);
}

static gboolean
is_invisible (gunichar c, gunichar previous, gunichar next)
{
  if (c < 0x7f)
    return is_control (c);
  if (c == 0x200c || c == 0x200d)
    return !takes_joiner (previous) || !takes_joiner (next);
  if (c == 0xfe0e || c == 0xfe0f)
    return !takes_variation (previous);
  return is_control (c) || c == 0xad || c == 0x34f || c == 0x61c || c == 0x115f || c == 0x1160 || c == 0x17b4
         || c == 0x17b5 || (c >= 0x180b && c <= 0x180f) || c == 0x200b || c == 0x200e || c == 0x200f
         || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0x2800 || c == 0x3164
         || (c >= 0xfe00 && c <= 0xfe0d) || c == 0xfeff || c == 0xffa0 || (c >= 0xfff0 && c <= 0xfffb)
         || (c >= 0x1d173 && c <= 0x1d17a) || (c >= 0xe0000 && c <= 0xe0fff) || (c >= 0xe000 && c <= 0xf8ff)
         || c >= 0xf0000;
}

char *
interp_text_make_visible (const char *text)
{
  g_autofree char *valid = NULL;
  GString *result;
  gunichar previous = 0;

  g_return_val_if_fail (text != NULL, NULL);

  valid = g_utf8_make_valid (text, -1);
  result = g_string_sized_new (strlen (valid));
  for (const char *at = valid; *at != '\0'; at = g_utf8_next_char (at))
    {
      gunichar c = g_utf8_get_char (at);
      gunichar next = g_utf8_get_char (g_utf8_next_char (at));

      if (!is_invisible (c, previous, next))
        g_string_append_unichar (result, c);
      else if (c < 0x20)
        g_string_append_unichar (result, 0x2400 + c);
      else if (c == 0x7f)
        g_string_append_unichar (result, 0x2421);
      else
        g_string_append_printf (result, "⟨U+%04X⟩", c);
      previous = c;
    }
  return g_string_free (result, FALSE);
}

gboolean
interp_text_has_invisible (const char *text)
{
  gunichar previous = 0;

  g_return_val_if_fail (text != NULL, FALSE);

  if (!g_utf8_validate (text, -1, NULL))
    return TRUE;
  for (const char *at = text; *at != '\0'; at = g_utf8_next_char (at))
    {
      gunichar c = g_utf8_get_char (at);

      if (is_invisible (c, previous, g_utf8_get_char (g_utf8_next_char (at))))
        return TRUE;
      previous = c;
    }
  return FALSE;
}

/* The end of the last line that ends within the first @limit bytes of @text; without one, of the last character. */
static gsize
head_end (const char *text, gsize limit)
{
  const char *newline = memrchr (text, '\n', limit);

  return newline != NULL ? (gsize) (newline + 1 - text) : interp_text_complete_prefix (text, limit);
}

/* The start of the first line that begins within the last @limit bytes of @text; without one, of the first
 * character. */
static gsize
tail_start (const char *text, gsize length, gsize limit)
{
  gsize start = length - limit;
  const char *newline = memchr (text + start, '\n', limit);

  if (newline != NULL && newline + 1 < text + length)
    return newline + 1 - text;
  while (start < length && ((guchar) text[start] & 0xc0) == 0x80)
    start++;
  return start;
}

static guint64
count_lines (const char *text, gsize length)
{
  guint64 count = 0;
  const char *end = text + length;

  while (text < end && (text = memchr (text, '\n', end - text)) != NULL)
    {
      count++;
      text++;
    }
  return count;
}

static gboolean
looks_like_error (const char *line, gsize length)
{
  static const char *const words[]
      = { "error", "exception", "traceback", "failed", "failure", "fatal", "panic", "denied", "cannot", "not found" };
  g_autofree char *lower = g_ascii_strdown (line, MIN (length, 400));

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (strstr (lower, words[i]) != NULL)
      return TRUE;
  return FALSE;
}

char *
interp_text_shorten (const char *text, gsize max_bytes)
{
  /* What the lines between take at most. */
  const gsize reserve = 200;
  gsize length, head, tail, middle_length, error_budget;
  guint64 n_lines, n_errors = 0;
  g_autoptr (GString) errors = g_string_new (NULL);
  GString *result;

  g_return_val_if_fail (text != NULL, NULL);

  length = strlen (text);
  if (length <= max_bytes)
    return g_strdup (text);
  if (max_bytes < 2 * reserve)
    return g_strndup (text, interp_text_complete_prefix (text, max_bytes));

  head = head_end (text, (max_bytes - reserve) * 2 / 5);
  tail = tail_start (text, length, (max_bytes - reserve) * 2 / 5);
  error_budget = (max_bytes - reserve) / 5;
  middle_length = tail - head;
  n_lines = count_lines (text + head, middle_length);

  for (const char *line = text + head; n_lines > 0 && line < text + tail;)
    {
      const char *newline = memchr (line, '\n', text + tail - line);
      gsize line_length = (newline != NULL ? newline + 1 : text + tail) - line;

      if (newline != NULL && errors->len + line_length <= error_budget && looks_like_error (line, line_length))
        {
          g_string_append_len (errors, line, line_length);
          n_errors++;
        }
      line += line_length;
    }
  n_lines -= n_errors;
  middle_length -= errors->len;

  result = g_string_new_len (text, head);
  if (head > 0 && text[head - 1] != '\n')
    g_string_append_c (result, '\n');
  /* The model reads this line: it is not translated. */
  if (n_lines > 0)
    g_string_append_printf (result, "[… %" G_GUINT64_FORMAT " lines, %" G_GSIZE_FORMAT " bytes left out", n_lines,
                            middle_length);
  else
    g_string_append_printf (result, "[… %" G_GSIZE_FORMAT " bytes left out", middle_length);
  if (n_errors > 0)
    g_string_append_printf (result, "; %" G_GUINT64_FORMAT " of the lines there look like errors:]\n%s[…]\n", n_errors,
                            errors->str);
  else
    g_string_append (result, "]\n");
  g_string_append (result, text + tail);
  return g_string_free (result, FALSE);
}

static gboolean
is_fence (const char *line)
{
  return g_str_has_prefix (line, "```") || g_str_has_prefix (line, "~~~");
}

/* Behind the marks that begin a line: headings, quotes, lists. */
static const char *
skip_line_marks (const char *line)
{
  for (;;)
    {
      const char *at = line;

      while (*at == ' ' || *at == '\t')
        at++;
      if (*at == '#')
        while (*at == '#')
          at++;
      else if (*at == '>' || *at == '-' || *at == '*' || *at == '+')
        at++;
      else
        {
          const char *digits = at;

          while (g_ascii_isdigit (*at))
            at++;
          if (at == digits || (*at != '.' && *at != ')'))
            return digits;
          at++;
        }
      if (*at != ' ' && *at != '\0')
        {
          while (*line == ' ' || *line == '\t')
            line++;
          return line;
        }
      line = at;
    }
}

static char *
strip_marks (const char *line)
{
  GString *result = g_string_new (NULL);

  for (const char *at = line; *at != '\0';)
    {
      gboolean opens = at == line || g_ascii_isspace (at[-1]) || g_ascii_ispunct (at[-1]);
      gboolean closes = at[0] != '\0' && (at[1] == '\0' || g_ascii_isspace (at[1]) || g_ascii_ispunct (at[1]));
      const char *label = *at == '[' ? strstr (at, "](") : NULL;
      const char *target = label != NULL ? strchr (label, ')') : NULL;

      if (target != NULL)
        {
          g_string_append_len (result, at + 1, label - at - 1);
          at = target + 1;
        }
      else if (*at == '`' || (at[0] == '*' && at[1] == '*')
               || (at[0] == '_' && at[1] == '_' && (opens || at[2] == ' ' || at[2] == '\0')))
        at += *at == '`' ? 1 : 2;
      else if (*at == '*' && opens != closes)
        at++;
      else if (g_ascii_isspace (*at) || g_ascii_iscntrl (*at))
        {
          if (result->len > 0 && result->str[result->len - 1] != ' ')
            g_string_append_c (result, ' ');
          at++;
        }
      else
        {
          const char *next = g_utf8_next_char (at);

          g_string_append_len (result, at, next - at);
          at = next;
        }
    }
  return g_strchomp (g_string_free (result, FALSE));
}

/* The first or last line that says something. */
static char *
find_line (const char *text, guint max_chars, gboolean last)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  g_autofree char *found = NULL;
  g_autofree char *cut = NULL;

  for (char *line = valid; line != NULL && (last || found == NULL);)
    {
      char *newline = strpbrk (line, "\r\n");
      g_autofree char *plain = NULL;

      if (newline != NULL)
        *newline = '\0';
      plain = is_fence (line) ? g_strdup ("") : strip_marks (skip_line_marks (line));
      if (*plain != '\0')
        {
          g_free (found);
          found = g_steal_pointer (&plain);
        }
      line = newline != NULL ? newline + 1 : NULL;
    }

  if (found == NULL)
    return g_strdup ("");
  if (g_utf8_strlen (found, -1) <= max_chars)
    return g_steal_pointer (&found);
  cut = g_utf8_substring (found, 0, max_chars - 1);

  return g_strconcat (g_strchomp (cut), "…", NULL);
}

char *
interp_text_summary (const char *text, guint max_chars)
{
  g_return_val_if_fail (text != NULL, NULL);
  g_return_val_if_fail (max_chars > 0, NULL);

  return find_line (text, max_chars, FALSE);
}

char *
interp_text_last_line (const char *text, guint max_chars)
{
  g_return_val_if_fail (text != NULL, NULL);
  g_return_val_if_fail (max_chars > 0, NULL);

  return find_line (text, max_chars, TRUE);
}

char *
interp_text_format_size (guint64 bytes)
{
  static const char *const units[] = { N_ ("kB"), N_ ("MB"), N_ ("GB"), N_ ("TB"), N_ ("PB"), N_ ("EB") };
  double value = bytes / 1000.0;
  guint unit = 0;

  if (bytes < 1000)
    return g_strdup_printf (ngettext ("%u byte", "%u bytes", (guint) bytes), (guint) bytes);
  /* 999.6 kB would be written as 1000 kB. */
  while (value >= 999.5 && unit + 1 < G_N_ELEMENTS (units))
    {
      value /= 1000.0;
      unit++;
    }
  return g_strdup_printf ("%.*f %s", value < 9.95 ? 1 : 0, value, _ (units[unit]));
}

char *
interp_text_format_duration (gint64 msec)
{
  gint64 seconds;

  msec = MAX (msec, 0);
  if (msec < 9950)
    return g_strdup_printf (_ ("%.1f s"), msec / 1000.0);

  seconds = (msec + 500) / 1000;
  if (seconds < 60)
    return g_strdup_printf (_ ("%d s"), (int) seconds);
  if (seconds < 3600)
    return g_strdup_printf (_ ("%d min %d s"), (int) (seconds / 60), (int) (seconds % 60));
  return g_strdup_printf (_ ("%d h %d min"), (int) (seconds / 3600), (int) (seconds / 60 % 60));
}
