/* interp-markdown-printer.c: Markdown as it streams, lightly styled for a terminal
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "interp-markdown-printer.h"

#include <string.h>

#include "base/interp-text.h"

#define STYLE_HEADING "1;36"
#define STYLE_FENCE "2"
#define STYLE_CODE "33"
#define STYLE_MARK "36"
/* Marks at the start of a line are short; a longer one is text. */
#define MARK_MAX 16

struct _InterpMarkdownPrinter
{
  gboolean styled;
  GString *pending; /* not decided yet */
  GString *out;

  gboolean line_begun; /* what the line is has been decided */
  gboolean heading;
  gboolean in_fence;
  char fence_char;
  guint fence_length;
  gunichar previous; /* last character of the line, for what may open or close */

  gboolean bold;
  gboolean italic;
  guint code; /* length of the run of ` that opened a span, 0 none */
};

InterpMarkdownPrinter *
interp_markdown_printer_new (gboolean styled)
{
  InterpMarkdownPrinter *self = g_new0 (InterpMarkdownPrinter, 1);

  self->styled = styled;
  self->pending = g_string_new (NULL);
  self->out = g_string_new (NULL);
  return self;
}

void
interp_markdown_printer_free (InterpMarkdownPrinter *self)
{
  if (self == NULL)
    return;
  g_string_free (self->pending, TRUE);
  g_string_free (self->out, TRUE);
  g_free (self);
}

static void
apply_style (InterpMarkdownPrinter *self)
{
  g_string_append (self->out, "\033[0");
  if (self->heading)
    g_string_append (self->out, ";" STYLE_HEADING);
  if (self->bold)
    g_string_append (self->out, ";1");
  if (self->italic)
    g_string_append (self->out, ";3");
  if (self->code > 0)
    g_string_append (self->out, ";" STYLE_CODE);
  g_string_append_c (self->out, 'm');
}

static void
print_styled (InterpMarkdownPrinter *self, const char *style, const char *text, gsize length)
{
  g_string_append_printf (self->out, "\033[%sm", style);
  g_string_append_len (self->out, text, length);
  g_string_append (self->out, "\033[0m");
}

static void
end_spans (InterpMarkdownPrinter *self)
{
  if (!self->bold && !self->italic && self->code == 0)
    return;
  self->bold = self->italic = FALSE;
  self->code = 0;
  apply_style (self);
}

/* ---- the start of a line ---- */

typedef enum
{
  UNDECIDED,
  DECIDED,
} Decision;

static gsize
count_run (const char *text, char c)
{
  gsize n = 0;

  while (text[n] == c)
    n++;
  return n;
}

/* A line whose kind shows only in the whole of it: a fence, a rule. NULL: it has not ended yet. */
static const char *
find_line_end (InterpMarkdownPrinter *self, gboolean at_end)
{
  const char *end = strchr (self->pending->str, '\n');

  return end == NULL && at_end ? self->pending->str + self->pending->len : end;
}

static void
consume (InterpMarkdownPrinter *self, gsize length)
{
  g_string_erase (self->pending, 0, length);
}

static gboolean
is_rule (const char *line, gsize length)
{
  guint n_marks = 0;

  for (gsize i = 0; i < length; i++)
    {
      if (line[i] == *line)
        n_marks++;
      else if (line[i] != ' ')
        return FALSE;
    }
  return n_marks >= 3;
}

static Decision
begin_fence_line (InterpMarkdownPrinter *self, gsize indent, gsize run, char c, gboolean at_end)
{
  const char *line = self->pending->str;
  const char *end = find_line_end (self, at_end);
  gsize length;

  if (end == NULL)
    return UNDECIDED;
  length = end - line;
  if (!self->in_fence)
    {
      /* "```ls``` to list" is a code span. */
      if (c == '`' && memchr (line + indent + run, '`', length - indent - run) != NULL)
        {
          self->line_begun = TRUE;
          return DECIDED;
        }
      end_spans (self);
      self->in_fence = TRUE;
      self->fence_char = c;
      self->fence_length = run;
    }
  else
    self->in_fence = FALSE;
  print_styled (self, STYLE_FENCE, line, length);
  consume (self, length);
  self->line_begun = TRUE;
  return DECIDED;
}

static void
print_mark (InterpMarkdownPrinter *self, gsize indent, gsize length, const char *instead)
{
  g_string_append_len (self->out, self->pending->str, indent);
  print_styled (self, STYLE_MARK, instead, strlen (instead));
  consume (self, length);
  self->line_begun = TRUE;
}

static Decision
begin_line (InterpMarkdownPrinter *self, gboolean at_end)
{
  const char *text = self->pending->str;
  gsize indent = count_run (text, ' ');
  const char *mark = text + indent;
  gsize rest = self->pending->len - indent;
  gsize run;

  if (rest == 0)
    {
      self->line_begun = at_end || indent > MARK_MAX;
      return self->line_begun ? DECIDED : UNDECIDED;
    }

  run = count_run (mark, *mark);
  if (*mark == '`' || *mark == '~')
    {
      gboolean closes = self->in_fence && *mark == self->fence_char && run >= self->fence_length;

      if (run == rest && !at_end)
        return UNDECIDED;
      if (run >= 3 && self->in_fence && closes)
        {
          const char *end = find_line_end (self, at_end);

          if (end == NULL)
            return UNDECIDED;
          for (const char *p = mark + run; p < end; p++)
            closes = closes && (*p == ' ' || *p == '\r');
        }
      if (run >= 3 && (!self->in_fence || closes))
        return begin_fence_line (self, indent, run, *mark, at_end);
    }
  if (self->in_fence)
    {
      self->line_begun = TRUE;
      return DECIDED;
    }

  switch (*mark)
    {
    case '#':
      if (run == rest && run <= 6 && !at_end)
        return UNDECIDED;
      if (run <= 6 && (mark[run] == ' ' || mark[run] == '\n'))
        {
          consume (self, indent + run + (mark[run] == ' ' ? 1 : 0));
          self->heading = TRUE;
          apply_style (self);
        }
      break;
    case '>':
      print_mark (self, indent, indent + 1, "│");
      return DECIDED;
    case '-':
    case '*':
    case '+':
    case '_':
      if (run == rest && !at_end && rest < MARK_MAX)
        return UNDECIDED;
      if (run >= 3 && *mark != '+')
        {
          const char *end = find_line_end (self, at_end);

          if (end == NULL)
            return UNDECIDED;
          if (is_rule (mark, end - mark))
            {
              end_spans (self);
              print_mark (self, 0, end - text, "────────────────────");
              return DECIDED;
            }
        }
      if (run == 1 && mark[1] == ' ' && *mark != '_')
        {
          /* "- [x] " is a task */
          if (rest < 6 && strncmp (mark + 1, " [", MIN (rest - 1, 2)) == 0 && strchr (mark, '\n') == NULL && !at_end)
            return UNDECIDED;
          if (rest >= 6 && mark[2] == '[' && mark[4] == ']' && mark[5] == ' ' && strchr (" xX", mark[3]) != NULL)
            print_mark (self, indent, indent + 5, mark[3] == ' ' ? "☐" : "☑");
          else
            print_mark (self, indent, indent + 1, "•");
          return DECIDED;
        }
      break;
    default:
      break;
    }
  self->line_begun = TRUE;
  return DECIDED;
}

/* ---- within a line ---- */

static gboolean
is_word (gunichar c)
{
  return g_unichar_isalnum (c) || c == '_';
}

/* A run of * or _ toggles where it can open or close, else it is text. */
static void
toggle_emphasis (InterpMarkdownPrinter *self, char c, gsize run, gunichar next)
{
  gboolean opens = next != 0 && !g_unichar_isspace (next);
  gboolean closes = self->previous != 0 && !g_unichar_isspace (self->previous);
  gboolean wants_bold = run >= 2;
  gboolean wants_italic = run == 1 || run == 3;

  if (c == '_')
    {
      opens = opens && !is_word (self->previous);
      closes = closes && !is_word (next);
    }
  if (run > 3 || (wants_bold && !(self->bold ? closes : opens)) || (wants_italic && !(self->italic ? closes : opens)))
    {
      g_string_append_len (self->out, self->pending->str, run);
      self->previous = c;
      return;
    }
  if (wants_bold)
    self->bold = !self->bold;
  if (wants_italic)
    self->italic = !self->italic;
  apply_style (self);
}

static void
print_char (InterpMarkdownPrinter *self)
{
  gsize length = g_utf8_next_char (self->pending->str) - self->pending->str;

  self->previous = g_utf8_get_char (self->pending->str);
  g_string_append_len (self->out, self->pending->str, length);
  consume (self, length);
}

static void
end_line (InterpMarkdownPrinter *self)
{
  if (self->heading)
    {
      self->heading = FALSE;
      end_spans (self);
      apply_style (self);
    }
  /* A paragraph ends at an empty line, and with it what was left open. */
  if (self->previous == 0)
    end_spans (self);
  g_string_append_c (self->out, '\n');
  consume (self, 1);
  self->line_begun = FALSE;
  self->previous = 0;
}

/* FALSE: more text is needed. */
static gboolean
print_inline (InterpMarkdownPrinter *self, gboolean at_end)
{
  const char *text = self->pending->str;
  gsize run;

  switch (*text)
    {
    case '\n':
      end_line (self);
      return TRUE;
    case '`':
      run = count_run (text, '`');
      if (run == self->pending->len && !at_end)
        return FALSE;
      if (self->code == 0 || self->code == run)
        {
          self->code = self->code == 0 ? run : 0;
          apply_style (self);
        }
      else
        g_string_append_len (self->out, text, run);
      self->previous = '`';
      consume (self, run);
      return TRUE;
    case '*':
    case '_':
      if (self->code > 0)
        break;
      run = count_run (text, *text);
      if (run == self->pending->len && !at_end)
        return FALSE;
      toggle_emphasis (self, *text, run, g_utf8_get_char (text + run));
      consume (self, run);
      return TRUE;
    case '\\':
      if (self->code > 0)
        break;
      if (self->pending->len == 1 && !at_end)
        return FALSE;
      if (g_ascii_ispunct (text[1]))
        consume (self, 1);
      break;
    default:
      break;
    }
  print_char (self);
  return TRUE;
}

static void
print_pending (InterpMarkdownPrinter *self, gboolean at_end)
{
  while (self->pending->len > 0)
    {
      if (!self->line_begun)
        {
          if (begin_line (self, at_end) == UNDECIDED)
            return;
        }
      else if (self->in_fence)
        {
          const char *end = strchr (self->pending->str, '\n');
          gsize length = end != NULL ? (gsize) (end - self->pending->str) : self->pending->len;

          if (length > 0)
            {
              print_styled (self, STYLE_CODE, self->pending->str, length);
              consume (self, length);
            }
          if (end != NULL)
            {
              self->previous = 'x';
              end_line (self);
            }
        }
      else if (!print_inline (self, at_end))
        return;
    }
}

char *
interp_markdown_printer_push (InterpMarkdownPrinter *self, const char *text)
{
  g_autofree char *visible = interp_text_make_visible (text);
  char *out;

  if (!self->styled)
    return g_steal_pointer (&visible);
  g_string_append (self->pending, visible);
  print_pending (self, FALSE);
  out = g_strdup (self->out->str);
  g_string_truncate (self->out, 0);
  return out;
}

char *
interp_markdown_printer_finish (InterpMarkdownPrinter *self)
{
  char *out;

  if (!self->styled)
    return g_strdup ("");
  print_pending (self, TRUE);
  self->heading = FALSE;
  if (self->bold || self->italic || self->code > 0)
    end_spans (self);
  else
    g_string_append (self->out, "\033[0m");
  self->in_fence = FALSE;
  self->line_begun = FALSE;
  self->previous = 0;
  out = g_strdup (self->out->str);
  g_string_truncate (self->out, 0);
  return out;
}
