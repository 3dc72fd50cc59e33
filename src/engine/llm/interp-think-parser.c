/* interp-think-parser.c: thinking written between tags
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm/interp-think-parser.h"

#include <string.h>

/* What is kept of assumed thinking, in case it was the answer. */
#define MAX_ASSUMED (4 * 1024 * 1024)

static const struct
{
  const char *open;
  const char *close;
} tags[] = {
  { "<think>", "</think>" },
  { "<thinking>", "</thinking>" },
  { "<reasoning>", "</reasoning>" },
  { "<thought>", "</thought>" },
  { "[THINK]", "[/THINK]" },
  { "<|channel|>analysis<|message|>", "<|end|>" },
  { "<|channel>thought", "<channel|>" },
};

/* Marks that stand before the answer proper and mean nothing to the user. */
static const char *prefaces[] = { "<|start|>assistant<|channel|>final<|message|>", "<|channel|>final<|message|>" };

typedef enum
{
  STATE_START,    /* only space so far */
  STATE_THINKING, /* up to tags[tag].close */
  STATE_AFTER,    /* behind it: space and prefaces are left out */
  STATE_TEXT,
} State;

struct _InterpThinkParser
{
  InterpThinkSink sink;
  gpointer sink_data;
  State state;
  gsize tag;
  gboolean assumed;     /* thinking without having seen a tag */
  gboolean any_thought; /* since leading space is left out */
  gboolean had_pair;
  gboolean had_opener; /* somewhere in the text: its closing tag is no stray */
  gboolean lacks_opener;
  GString *held;
  GString *thought; /* when assumed */

  /* The current line of text, for telling a tag from an example of one. */
  gboolean in_fence;
  guint n_backticks;
  gboolean line_blank;
  gboolean after_backtick;
  guint fence_run;
};

InterpThinkParser *
interp_think_parser_new (gboolean open, InterpThinkSink sink, gpointer sink_data)
{
  InterpThinkParser *self;

  g_return_val_if_fail (sink != NULL, NULL);

  self = g_new0 (InterpThinkParser, 1);
  self->sink = sink;
  self->sink_data = sink_data;
  self->held = g_string_new (NULL);
  self->thought = g_string_new (NULL);
  self->line_blank = TRUE;

  if (open)
    {
      self->state = STATE_START;
      self->assumed = TRUE;
    }

  return self;
}

void
interp_think_parser_free (InterpThinkParser *self)
{
  g_string_free (self->held, TRUE);
  g_string_free (self->thought, TRUE);
  g_free (self);
}

/* Follows fences and inline code, roughly: what stands in them is no tag. */
static void
follow (InterpThinkParser *self, const char *text, gsize length)
{
  for (gsize i = 0; i < length; i++)
    {
      char c = text[i];

      if (c == '\n')
        {
          /* Other backticks on the line make it inline code. */
          if (self->fence_run >= 3 && self->fence_run == self->n_backticks)
            self->in_fence = !self->in_fence;
          self->n_backticks = 0;
          self->line_blank = TRUE;
          self->fence_run = 0;
          self->after_backtick = FALSE;
          continue;
        }

      if (c == '`' && (self->line_blank || (self->after_backtick && self->fence_run == self->n_backticks)))
        self->fence_run++;
      self->after_backtick = c == '`';
      if (c == '`')
        self->n_backticks++;
      if (c != ' ' && c != '\t')
        self->line_blank = FALSE;
    }
}

static void
give (InterpThinkParser *self, InterpThinkKind kind, const char *text, gsize length)
{
  g_autofree char *piece = NULL;

  if (length == 0)
    return;

  piece = g_strndup (text, length);

  if (kind == INTERP_THINK_REASONING)
    {
      if (self->assumed && self->thought->len < MAX_ASSUMED)
        g_string_append (self->thought, piece);
    }
  else
    {
      follow (self, piece, length);
    }

  self->sink (kind, piece, self->sink_data);
}

/* How many bytes at the end of @text may be the beginning of @word. */
static gsize
overlap (const char *text, gsize length, const char *word)
{
  gsize longest = MIN (length, strlen (word) - 1);

  for (gsize n = longest; n > 0; n--)
    if (memcmp (text + length - n, word, n) == 0)
      return n;

  return 0;
}

static gboolean
is_prefix_of (const char *text, const char *word)
{
  gsize length = strlen (text);

  return length < strlen (word) && strncmp (text, word, length) == 0;
}

static void
drop (GString *string, gsize length)
{
  g_string_erase (string, 0, length);
}

static gboolean
step_start (InterpThinkParser *self, gboolean at_end)
{
  const char *p = self->held->str;

  while (g_ascii_isspace (*p))
    p++;

  if (*p == '\0' && !at_end)
    return FALSE;

  for (gsize i = 0; i < G_N_ELEMENTS (tags); i++)
    {
      if (g_str_has_prefix (p, tags[i].open))
        {
          drop (self->held, p + strlen (tags[i].open) - self->held->str);
          self->tag = i;
          self->assumed = FALSE;
          self->state = STATE_THINKING;
          return TRUE;
        }

      if (!at_end && is_prefix_of (p, tags[i].open))
        return FALSE;
    }

  for (gsize i = 0; i < G_N_ELEMENTS (prefaces); i++)
    {
      if (g_str_has_prefix (p, prefaces[i]))
        {
          drop (self->held, p + strlen (prefaces[i]) - self->held->str);
          self->state = STATE_TEXT;
          self->had_pair = TRUE;
          return TRUE;
        }

      if (!at_end && is_prefix_of (p, prefaces[i]))
        return FALSE;
    }

  self->state = self->assumed ? STATE_THINKING : STATE_TEXT;

  return TRUE;
}

static gboolean
step_thinking (InterpThinkParser *self, gboolean at_end)
{
  const char *close = tags[self->tag].close;
  char *found;
  gsize length;

  if (!self->any_thought)
    {
      const char *p = self->held->str;

      while (g_ascii_isspace (*p))
        p++;
      drop (self->held, p - self->held->str);
    }

  found = strstr (self->held->str, close);
  if (found != NULL)
    {
      length = found - self->held->str;
      while (length > 0 && g_ascii_isspace (self->held->str[length - 1]))
        length--;

      give (self, INTERP_THINK_REASONING, self->held->str, length);
      drop (self->held, found + strlen (close) - self->held->str);
      if (self->assumed)
        self->lacks_opener = TRUE;
      self->assumed = FALSE;
      self->had_pair = TRUE;
      self->state = STATE_AFTER;
      return TRUE;
    }

  /* Space is held too: before the closing tag it belongs to nothing. */
  length = self->held->len;
  if (!at_end)
    length -= overlap (self->held->str, self->held->len, close);
  while (!at_end && length > 0 && g_ascii_isspace (self->held->str[length - 1]))
    length--;

  if (length > 0)
    self->any_thought = TRUE;
  give (self, INTERP_THINK_REASONING, self->held->str, length);
  drop (self->held, length);

  return FALSE;
}

static gboolean
step_after (InterpThinkParser *self, gboolean at_end)
{
  const char *p = self->held->str;

  while (g_ascii_isspace (*p))
    p++;
  drop (self->held, p - self->held->str);

  if (self->held->len == 0)
    return FALSE;

  for (gsize i = 0; i < G_N_ELEMENTS (prefaces); i++)
    {
      if (g_str_has_prefix (self->held->str, prefaces[i]))
        {
          drop (self->held, strlen (prefaces[i]));
          break;
        }

      if (!at_end && is_prefix_of (self->held->str, prefaces[i]))
        return FALSE;
    }

  self->state = STATE_TEXT;

  return TRUE;
}

/* A closing tag at @found whose opening one never came: at the beginning or the end of a line, not in an example. */
static gboolean
is_stray (InterpThinkParser *self, const char *found, gsize tag_length, gboolean at_end, gboolean *undecided)
{
  const char *after = found + tag_length;
  gboolean line_start;

  *undecided = FALSE;

  /* What stands before it in the held text has not been followed yet. */
  give (self, INTERP_THINK_TEXT, self->held->str, found - self->held->str);
  drop (self->held, found - self->held->str);
  after = self->held->str + tag_length;

  line_start = self->line_blank;
  if (self->in_fence || self->n_backticks % 2 != 0)
    return FALSE;

  if (line_start)
    return TRUE;

  while (*after == ' ' || *after == '\r')
    after++;

  if (*after == '\n')
    return TRUE;

  if (*after == '\0' && !at_end)
    *undecided = TRUE;

  return *after == '\0';
}

static gboolean
step_text (InterpThinkParser *self, gboolean at_end)
{
  static const char *closers[] = { "</think>", "</thinking>", "[/THINK]" };
  static const char *openers[] = { "<think>", "<thinking>", "[THINK]" };
  char *first = NULL;
  gsize tag_length = 0;
  gsize length = self->held->len;
  gsize keep = 0;
  gboolean undecided;

  if (self->had_pair || self->had_opener)
    {
      give (self, INTERP_THINK_TEXT, self->held->str, self->held->len);
      g_string_truncate (self->held, 0);
      return FALSE;
    }

  for (gsize i = 0; i < G_N_ELEMENTS (closers); i++)
    {
      char *found = strstr (self->held->str, closers[i]);

      if (found != NULL && (first == NULL || found < first))
        {
          first = found;
          tag_length = strlen (closers[i]);
        }

      keep = MAX (keep, overlap (self->held->str, self->held->len, closers[i]));
      keep = MAX (keep, overlap (self->held->str, self->held->len, openers[i]));
    }

  for (gsize i = 0; i < G_N_ELEMENTS (openers) && !self->had_opener; i++)
    {
      char *found = strstr (self->held->str, openers[i]);

      self->had_opener = found != NULL && (first == NULL || found < first);
    }

  if (first != NULL && !self->had_opener)
    {
      if (is_stray (self, first, tag_length, at_end, &undecided))
        {
          if (undecided)
            return FALSE;

          self->sink (INTERP_THINK_RETHINK, NULL, self->sink_data);
          self->lacks_opener = TRUE;
          self->had_pair = TRUE;
          drop (self->held, tag_length);
          self->state = STATE_AFTER;
          return TRUE;
        }

      /* Text like any other. */
      give (self, INTERP_THINK_TEXT, self->held->str, tag_length);
      drop (self->held, tag_length);
      return self->held->len > 0;
    }

  if (!at_end)
    length -= keep;
  give (self, INTERP_THINK_TEXT, self->held->str, length);
  drop (self->held, length);

  return FALSE;
}

static void
run (InterpThinkParser *self, gboolean at_end)
{
  gboolean more = TRUE;

  while (more)
    {
      switch (self->state)
        {
        case STATE_START:
          more = step_start (self, at_end);
          break;
        case STATE_THINKING:
          more = step_thinking (self, at_end);
          break;
        case STATE_AFTER:
          more = step_after (self, at_end);
          break;
        case STATE_TEXT:
          more = step_text (self, at_end);
          break;
        default:
          g_assert_not_reached ();
        }
    }
}

void
interp_think_parser_push (InterpThinkParser *self, const char *text)
{
  g_return_if_fail (self != NULL);
  g_return_if_fail (text != NULL);

  g_string_append (self->held, text);
  run (self, FALSE);
}

void
interp_think_parser_finish (InterpThinkParser *self, gboolean whole)
{
  g_return_if_fail (self != NULL);

  run (self, TRUE);

  if (self->state == STATE_THINKING && self->assumed && whole && self->thought->len > 0)
    {
      g_autofree char *text = g_strdup (self->thought->str);

      self->assumed = FALSE;
      self->state = STATE_TEXT;
      self->had_pair = TRUE;
      give (self, INTERP_THINK_TEXT, text, strlen (text));
    }
}

gboolean
interp_think_parser_lacks_opener (InterpThinkParser *self)
{
  return self->lacks_opener;
}
