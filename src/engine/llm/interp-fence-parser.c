/* interp-fence-parser.c: fenced blocks as calls
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm/interp-fence-parser.h"

#include "llm/interp-code-open.h"
#include "llm/interp-console-text.h"

#include <glib/gi18n.h>
#include <string.h>

#define MAX_INDENT 16
#define MAX_BLOCKS 64
#define MAX_CHECKS 64 /* of fences within one block */

/* Long code is not copied for every letter that comes: it must have grown by this part. */
#define PROGRESS_PART 128

typedef enum
{
  STATE_TEXT,
  STATE_CODE,  /* in a block that is a call */
  STATE_SHOWN, /* in a block that is text */
} State;

struct _InterpFenceParser
{
  InterpOffer *offer;
  InterpEventSink sink;
  gpointer sink_data;

  State state;
  GString *line;    /* what has come of the current line and is held */
  gboolean in_line; /* the beginning of this line was given out as text already */
  GString *text;    /* to be given out together */

  char mark; /* of the open fence */
  gsize run;
  gsize indent;
  guint depth; /* STATE_SHOWN: fences within */
  gboolean nests;

  char *language;    /* STATE_CODE */
  gboolean console;  /* with prompts */
  gboolean may_name; /* the first line may be the language */
  char *id;
  GString *code;         /* with a final line break */
  gsize progress_length; /* of the code when it was last given out */
  guint n_checks;
  /* The first fence that did not count because a string was open: the block's end if the string is never closed. */
  gboolean has_candidate;
  gsize candidate; /* length of the code before it */
  GString *behind; /* the raw lines behind it */

  guint n_blocks;
  guint n_calls;
};

InterpFenceParser *
interp_fence_parser_new (InterpOffer *offer, InterpEventSink sink, gpointer sink_data)
{
  InterpFenceParser *self;

  g_return_val_if_fail (offer != NULL, NULL);
  g_return_val_if_fail (sink != NULL, NULL);

  self = g_new0 (InterpFenceParser, 1);
  self->offer = interp_offer_ref (offer);
  self->sink = sink;
  self->sink_data = sink_data;
  self->line = g_string_new (NULL);
  self->text = g_string_new (NULL);
  self->code = g_string_new (NULL);
  self->behind = g_string_new (NULL);

  return self;
}

void
interp_fence_parser_free (InterpFenceParser *self)
{
  interp_offer_unref (self->offer);
  g_string_free (self->line, TRUE);
  g_string_free (self->text, TRUE);
  g_string_free (self->code, TRUE);
  g_string_free (self->behind, TRUE);
  g_free (self->language);
  g_free (self->id);
  g_free (self);
}

/* ---- giving out ---- */

static void
flush_text (InterpFenceParser *self)
{
  if (self->text->len == 0)
    return;

  self->sink (interp_event_new_text (INTERP_EVENT_TEXT, self->text->str), self->sink_data);
  g_string_truncate (self->text, 0);
}

static void
give_call (InterpFenceParser *self, InterpEventKind kind, const char *code, gsize length, const char *fault)
{
  InterpEvent *event = interp_event_new (kind);

  event->index = self->n_blocks;
  event->call = interp_call_new (INTERP_CALL_FENCE, self->id, INTERP_RUN_CODE, NULL);
  event->call->language = g_strdup (self->language);

  if (code != NULL)
    {
      g_autofree char *raw = g_strndup (code, length);

      event->call->code = self->console ? interp_console_text_strip (raw) : g_steal_pointer (&raw);
    }

  if (kind == INTERP_EVENT_CALL_END)
    event->call->fault = g_strdup (fault);

  self->sink (event, self->sink_data);
}

static void
give_progress (InterpFenceParser *self, const char *partial)
{
  gsize length = self->code->len;
  gsize reached = length + (partial != NULL ? strlen (partial) : 0);

  if (reached <= self->progress_length || reached - self->progress_length <= reached / PROGRESS_PART)
    return;

  self->progress_length = reached;

  if (partial != NULL && *partial != '\0')
    {
      g_autofree char *joined = g_strconcat (self->code->str, partial, NULL);

      give_call (self, INTERP_EVENT_CALL_PROGRESS, joined, strlen (joined), NULL);
      return;
    }

  if (length > 0 && self->code->str[length - 1] == '\n')
    length--;
  give_call (self, INTERP_EVENT_CALL_PROGRESS, self->code->str, length, NULL);
}

/* ---- languages ---- */

/* The word that names the language in an info string: "python", "{.python #id}", "language-python", "py:main.py". */
static char *
read_language (const char *info)
{
  static const char *prefixes[] = { "language-", "lang-" };
  const char *p = info;
  gsize length;

  while (g_ascii_isspace (*p) || *p == '{' || *p == '.')
    p++;

  for (gsize i = 0; i < G_N_ELEMENTS (prefixes); i++)
    if (g_ascii_strncasecmp (p, prefixes[i], strlen (prefixes[i])) == 0)
      p += strlen (prefixes[i]);

  length = strcspn (p, " \t\r{}:=,;(");
  if (length == 0)
    return NULL;

  return g_ascii_strdown (p, length);
}

/* Names that are not offered as such, and what they mean. */
static const struct
{
  const char *word;
  const char *meanings[3];
  gboolean console;
} other_words[] = {
  { "console", { "shell", "bash", "sh" }, TRUE },
  { "terminal", { "shell", "bash", "sh" }, TRUE },
  { "shell-session", { "shell", "bash", "sh" }, TRUE },
  { "shellsession", { "shell", "bash", "sh" }, TRUE },
  { "sh-session", { "shell", "bash", "sh" }, TRUE },
  { "bash-session", { "bash", "shell", "sh" }, TRUE },
  { "pycon", { "python" }, TRUE },
  { "python-repl", { "python" }, TRUE },
  { "ipython", { "python" }, FALSE },
  { "jupyter", { "python" }, FALSE },
  { "py", { "python" }, FALSE },
  { "python3", { "python" }, FALSE },
  { "sh", { "shell", "bash" }, FALSE },
  { "bash", { "shell" }, FALSE },
  { "zsh", { "shell", "bash" }, FALSE },
  { "shell", { "bash", "sh" }, FALSE },
  { "js", { "javascript" }, FALSE },
  { "node", { "javascript" }, FALSE },
  { "nodejs", { "javascript" }, FALSE },
  { "rscript", { "r" }, FALSE },
};

static const char *
find_language (InterpFenceParser *self, const char *word, gboolean *console)
{
  const char *found;

  *console = FALSE;

  for (gsize i = 0; i < G_N_ELEMENTS (other_words); i++)
    if (other_words[i].console && g_strcmp0 (word, other_words[i].word) == 0)
      *console = TRUE;

  found = interp_offer_find_language (self->offer, word);

  for (gsize i = 0; found == NULL && i < G_N_ELEMENTS (other_words); i++)
    {
      if (g_strcmp0 (word, other_words[i].word) != 0)
        continue;

      for (gsize k = 0; k < G_N_ELEMENTS (other_words[i].meanings) && found == NULL; k++)
        if (other_words[i].meanings[k] != NULL)
          found = interp_offer_find_language (self->offer, other_words[i].meanings[k]);
    }

  return found;
}

/* ---- lines ---- */

/* @line (without its break) as a fence: its mark, run, indent and info; FALSE when it is none. */
static gboolean
read_fence (const char *line, char *mark, gsize *run, gsize *indent, const char **info)
{
  const char *p = line;

  *indent = 0;
  while (*p == ' ' && *indent < MAX_INDENT)
    {
      p++;
      (*indent)++;
    }

  *mark = *p;
  if (*mark != '`' && *mark != '~')
    return FALSE;

  *run = 0;
  while (*p == *mark)
    {
      p++;
      (*run)++;
    }

  *info = p;

  return *run >= 3 && (*mark == '~' || strchr (p, '`') == NULL);
}

static gboolean
is_blank (const char *text)
{
  while (g_ascii_isspace (*text))
    text++;

  return *text == '\0';
}

/* May the beginning of a line be that of a fence? */
static gboolean
may_be_fence (const char *line)
{
  const char *p = line;
  gsize n;

  while (*p == ' ')
    p++;

  if (*p == '\0')
    return p - line <= MAX_INDENT;

  n = strspn (p, "`");
  if (n > 0)
    return n >= 3 ? strchr (p + n, '`') == NULL : p[n] == '\0';

  n = strspn (p, "~");

  return n >= 3 || (n > 0 && p[n] == '\0');
}

static gboolean
closes (InterpFenceParser *self, const char *line)
{
  const char *info;
  char mark;
  gsize run;
  gsize indent;

  return read_fence (line, &mark, &run, &indent, &info) && mark == self->mark && run >= self->run && is_blank (info);
}

static void
open_fence (InterpFenceParser *self, const char *line, const char *info)
{
  g_autofree char *word = read_language (info);
  const char *language = NULL;
  gboolean console = FALSE;

  if (word != NULL)
    language = find_language (self, word, &console);

  if ((word != NULL && language == NULL) || self->n_blocks >= MAX_BLOCKS)
    {
      /* Markdown quotes whole documents, fences and all. */
      self->state = STATE_SHOWN;
      self->depth = 1;
      self->nests = g_strcmp0 (word, "markdown") == 0 || g_strcmp0 (word, "md") == 0 || g_strcmp0 (word, "mdx") == 0;
      g_string_append (self->text, line);
      g_string_append_c (self->text, '\n');
      return;
    }

  flush_text (self);
  self->state = STATE_CODE;
  self->console = console;
  self->may_name = word == NULL;
  self->has_candidate = FALSE;
  self->progress_length = 0;
  self->n_checks = 0;
  g_set_str (&self->language, language);
  g_string_truncate (self->code, 0);
  g_string_truncate (self->behind, 0);
  g_free (self->id);
  self->id = interp_call_make_id ();
  give_call (self, INTERP_EVENT_CALL_BEGIN, NULL, 0, NULL);
}

static void
end_block (InterpFenceParser *self, gsize length, const char *fault)
{
  if (length > 0 && self->code->str[length - 1] == '\n')
    length--;

  /* Prompts show it is a session even where it is not called one. */
  if (!self->console && self->language != NULL)
    {
      g_autofree char *code = g_strndup (self->code->str, length);

      self->console = interp_console_text_has_prompts (code);
    }

  give_call (self, INTERP_EVENT_CALL_END, self->code->str, length, fault);
  if (self->language != NULL)
    self->n_calls++;
  self->n_blocks++;
  self->state = STATE_TEXT;
  self->has_candidate = FALSE;
}

static void
code_line (InterpFenceParser *self, const char *line)
{
  const char *p = line;

  for (gsize i = 0; i < self->indent && *p == ' '; i++)
    p++;

  /* "```" and then "python" on a line of its own. */
  if (self->may_name)
    {
      g_autofree char *word = g_strstrip (g_ascii_strdown (line, -1));
      gboolean console;
      const char *language = *word != '\0' && strchr (word, ' ') == NULL ? find_language (self, word, &console) : NULL;

      self->may_name = FALSE;
      if (language != NULL)
        {
          g_set_str (&self->language, language);
          self->console = console;
          return;
        }
    }

  g_string_append (self->code, p);
  g_string_append_c (self->code, '\n');
}

static void whole_line (InterpFenceParser *self, const char *line);

static void
take_line_of_code (InterpFenceParser *self, const char *line)
{
  if (closes (self, line))
    {
      if (++self->n_checks > MAX_CHECKS || !interp_code_is_open (self->language, self->code->str))
        {
          end_block (self, self->code->len, NULL);
          return;
        }

      if (!self->has_candidate)
        {
          self->has_candidate = TRUE;
          self->candidate = self->code->len;
          code_line (self, line);
          return;
        }
    }

  if (self->code->len + strlen (line) > INTERP_RUN_CODE_MAX)
    {
      end_block (self, self->code->len, _ ("The code is too long."));
      return;
    }

  if (self->has_candidate)
    {
      g_string_append (self->behind, line);
      g_string_append_c (self->behind, '\n');
    }
  code_line (self, line);
}

static void
whole_line (InterpFenceParser *self, const char *line)
{
  const char *info;
  char mark;
  gsize run;
  gsize indent;

  switch (self->state)
    {
    case STATE_TEXT:
      if (!self->in_line && read_fence (line, &mark, &run, &indent, &info))
        {
          self->mark = mark;
          self->run = run;
          self->indent = indent;
          open_fence (self, line, info);
          return;
        }

      g_string_append (self->text, line);
      g_string_append_c (self->text, '\n');
      return;

    case STATE_SHOWN:
      if (!self->in_line && read_fence (line, &mark, &run, &indent, &info) && mark == self->mark && run >= self->run)
        {
          if (is_blank (info))
            self->depth--;
          else if (self->nests)
            self->depth++;
        }

      g_string_append (self->text, line);
      g_string_append_c (self->text, '\n');
      if (self->depth == 0)
        self->state = STATE_TEXT;
      return;

    case STATE_CODE:
      take_line_of_code (self, line);
      return;

    default:
      g_assert_not_reached ();
    }
}

static void
take (InterpFenceParser *self, const char *text)
{
  const char *p = text;

  while (*p != '\0')
    {
      const char *newline = strchr (p, '\n');
      gsize length = newline != NULL ? (gsize) (newline - p) : strlen (p);

      g_string_append_len (self->line, p, length);

      if (newline != NULL)
        {
          /* A line break of Windows belongs to the break. */
          if (self->state == STATE_CODE && self->line->len > 0 && self->line->str[self->line->len - 1] == '\r')
            g_string_truncate (self->line, self->line->len - 1);

          whole_line (self, self->line->str);
          g_string_truncate (self->line, 0);
          self->in_line = FALSE;
          p = newline + 1;
          continue;
        }

      if (self->state != STATE_CODE && (self->in_line || !may_be_fence (self->line->str)))
        {
          g_string_append_len (self->text, self->line->str, self->line->len);
          g_string_truncate (self->line, 0);
          self->in_line = TRUE;
        }
      break;
    }
}

void
interp_fence_parser_push (InterpFenceParser *self, const char *text)
{
  g_return_if_fail (self != NULL);
  g_return_if_fail (text != NULL);

  take (self, text);

  if (self->state == STATE_CODE)
    give_progress (self, self->may_name || may_be_fence (self->line->str) ? NULL : self->line->str);
  flush_text (self);
}

void
interp_fence_parser_finish (InterpFenceParser *self, const char *fault)
{
  g_return_if_fail (self != NULL);

  /* What the model wrote last may be a fence without a line break. */
  if (self->line->len > 0 && (self->state == STATE_CODE || (!self->in_line && may_be_fence (self->line->str))))
    {
      g_autofree char *line = g_strdup (self->line->str);

      g_string_truncate (self->line, 0);

      if (self->state == STATE_TEXT)
        {
          g_string_append (self->text, line);
        }
      else if (self->state == STATE_SHOWN)
        {
          g_string_append (self->text, line);
        }
      else
        {
          take_line_of_code (self, line);
        }
    }
  else
    {
      g_string_append_len (self->text, self->line->str, self->line->len);
      g_string_truncate (self->line, 0);
    }

  if (self->state == STATE_CODE)
    {
      if (self->has_candidate)
        {
          /* The string that seemed open never was one: the block ended at its first fence, and the rest is text. */
          g_autofree char *behind = g_strdup (self->behind->str);

          end_block (self, self->candidate, NULL);
          self->in_line = FALSE;
          take (self, behind);
          interp_fence_parser_finish (self, fault);
          return;
        }

      end_block (self, self->code->len, fault);
    }

  flush_text (self);
}

guint
interp_fence_parser_get_n_calls (InterpFenceParser *self)
{
  return self->n_calls;
}
