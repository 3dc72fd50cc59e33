/* interp-markdown-split.c: where a growing Markdown text is settled
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "transcript/interp-markdown-split.h"

#include <string.h>

gsize
interp_markdown_count_marks (const char *line, gsize length, char mark)
{
  gsize n = 0;

  while (n < length && line[n] == mark)
    n++;
  return n;
}

static gboolean
is_list_marker (const char *line, gsize length)
{
  gsize digits = 0;

  if (length == 0)
    return FALSE;
  if (strchr ("-+*", line[0]) && line[0] != '\0')
    return length == 1 || line[1] == ' ' || line[1] == '\t';
  while (digits < length && digits < 9 && g_ascii_isdigit (line[digits]))
    digits++;
  return digits > 0 && (digits == length || line[digits] == '.' || line[digits] == ')');
}

static gboolean
is_heading (const char *line, gsize length)
{
  gsize n = interp_markdown_count_marks (line, length, '#');

  return n >= 1 && n <= 6 && (n == length || line[n] == ' ' || line[n] == '\t');
}

InterpMarkdownSplit
interp_markdown_split (const char *text, gsize length)
{
  InterpMarkdownSplit split = { 0 };
  gboolean in_list = FALSE;
  gboolean after_blank = FALSE;
  gboolean nested_fence = FALSE;
  char fence_mark = 0;
  gsize fence_length = 0;
  gsize begin = 0;

  while (begin < length)
    {
      const char *end = memchr (text + begin, '\n', length - begin);
      gboolean whole = end != NULL;
      gsize stop = end ? (gsize) (end - text) : length;
      gsize next = end ? stop + 1 : length;
      gsize indent = 0;
      gsize first = begin;
      const char *line;
      gsize n;

      while (first < stop && (text[first] == ' ' || text[first] == '\t'))
        {
          indent += text[first] == '\t' ? 4 : 1;
          first++;
        }
      if (stop > first && text[stop - 1] == '\r')
        stop--;
      line = text + first;
      n = stop - first;
      split.last_line = begin;
      split.in_table = FALSE;

      if (fence_mark)
        {
          gsize run = interp_markdown_count_marks (line, n, fence_mark);
          gboolean closes = run >= fence_length && (nested_fence || indent <= 3);

          for (gsize i = run; closes && i < n; i++)
            closes = line[i] == ' ' || line[i] == '\t';
          /* An unfinished line of marks may still go on as text. */
          if (closes && whole)
            {
              fence_mark = 0;
              if (!nested_fence)
                {
                  split.boundary = next;
                  in_list = FALSE;
                }
            }
          begin = next;
          after_blank = FALSE;
          continue;
        }

      if (n == 0)
        {
          if (whole)
            after_blank = TRUE;
          begin = next;
          continue;
        }

      /* A list goes on after a blank line with a marker or an indented line. */
      if (after_blank && indent == 0 && !(in_list && is_list_marker (line, n)))
        {
          split.boundary = begin;
          in_list = FALSE;
        }
      after_blank = FALSE;

      if (indent == 0 && whole && is_heading (line, n))
        {
          split.boundary = next;
          in_list = FALSE;
        }
      else if (line[0] == '`' || line[0] == '~')
        {
          gsize run = interp_markdown_count_marks (line, n, line[0]);

          if (run >= 3 && (line[0] == '~' || !memchr (line + run, '`', n - run)) && (in_list || indent <= 3))
            {
              /* Unfinished, "```ls" may still become inline code. */
              if (whole)
                {
                  nested_fence = in_list && indent > 0;
                  if (indent == 0)
                    {
                      split.boundary = begin;
                      in_list = FALSE;
                    }
                }
              else
                nested_fence = TRUE;
              fence_mark = line[0];
              fence_length = run;
            }
        }
      else if (is_list_marker (line, n))
        {
          gsize content = first + 1;

          in_list = TRUE;
          while (content < stop && (g_ascii_isdigit (text[content]) || strchr (".) \t-*+", text[content])))
            content++;
          if (stop - content >= 3 && (text[content] == '`' || text[content] == '~'))
            {
              gsize run = interp_markdown_count_marks (text + content, stop - content, text[content]);

              if (run >= 3 && !memchr (text + content + run, '`', stop - content - run))
                {
                  nested_fence = TRUE;
                  fence_mark = text[content];
                  fence_length = run;
                }
            }
        }
      else if (line[0] == '[' && indent <= 3)
        {
          const char *close = memchr (line, ']', n);

          if (close && close + 1 < line + n && close[1] == ':')
            split.references = TRUE;
        }
      if (!whole && line[0] == '|')
        split.in_table = TRUE;
      begin = next;
    }

  split.in_fence = fence_mark != 0;
  return split;
}
