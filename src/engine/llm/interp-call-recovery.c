/* interp-call-recovery.c: finds printed tool calls in streaming text
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm/interp-call-recovery.h"

#include <string.h>

#define MAX_HELD (1024 * 1024)

typedef enum
{
  STATE_LINE,    /* within a line of text */
  STATE_START,   /* at a line's start, or at a mark within one: held, not told yet */
  STATE_HOLDING, /* a call by its looks: up to closer, or to the end */
} State;

struct _InterpCallRecovery
{
  InterpOffer *offer;
  InterpRecoverySink sink;
  gpointer sink_data;
  State state;
  GString *held;
  const char *closer;
  gsize searched;    /* of what is held: the closer does not begin before */
  gboolean any_text; /* something but space was given out */
  gboolean any_call;
  /* Blocks of code are no place for calls. */
  char fence; /* '`' or '~' inside one */
  gsize fence_length;
  guint n_backticks; /* on this line */
};

InterpCallRecovery *
interp_call_recovery_new (InterpOffer *offer, InterpRecoverySink sink, gpointer sink_data)
{
  InterpCallRecovery *self;

  g_return_val_if_fail (offer != NULL, NULL);
  g_return_val_if_fail (sink != NULL, NULL);

  self = g_new0 (InterpCallRecovery, 1);
  self->offer = interp_offer_ref (offer);
  self->sink = sink;
  self->sink_data = sink_data;
  self->state = STATE_START;
  self->held = g_string_new (NULL);

  return self;
}

void
interp_call_recovery_free (InterpCallRecovery *self)
{
  interp_offer_unref (self->offer);
  g_string_free (self->held, TRUE);
  g_free (self);
}

static gboolean
is_blank (const char *text, gsize length)
{
  for (gsize i = 0; i < length; i++)
    if (!g_ascii_isspace (text[i]))
      return FALSE;

  return TRUE;
}

static void
give_text (InterpCallRecovery *self, const char *text, gsize length)
{
  g_autofree char *piece = NULL;

  if (length == 0)
    return;

  if (!is_blank (text, length))
    self->any_text = TRUE;

  piece = g_strndup (text, length);
  self->sink (piece, NULL, self->sink_data);
}

static void
take (InterpCallRecovery *self, gsize length)
{
  give_text (self, self->held->str, length);
  g_string_erase (self->held, 0, length);
}

/* The run of fence characters at the start of @line, 0 when it is no fence line. */
static gsize
fence_run (const char *line, char *mark)
{
  gsize indent = 0;
  gsize run = 0;

  while (line[indent] == ' ' && indent < 12)
    indent++;

  *mark = line[indent];
  if (*mark != '`' && *mark != '~')
    return 0;

  while (line[indent + run] == *mark)
    run++;

  return run;
}

static gboolean
may_be_fence (const char *line)
{
  const char *p = line;
  gsize run;

  while (*p == ' ')
    p++;
  run = strspn (p, "`");
  if (run == 0)
    run = strspn (p, "~");

  return *p == '\0' || (run > 0 && (run >= 3 || p[run] == '\0'));
}

/* A whole fence line, its line break included, at the start of what is held. */
static gboolean
follow_fence (InterpCallRecovery *self, gsize length)
{
  g_autofree char *line = g_strndup (self->held->str, length);
  char mark;
  gsize run = fence_run (line, &mark);
  const char *info;

  if (run < 3)
    return FALSE;

  info = strchr (line, mark) + run;

  if (self->fence == 0)
    {
      if (mark == '`' && strchr (info, '`') != NULL)
        return FALSE;
      self->fence = mark;
      self->fence_length = run;
    }
  else if (mark == self->fence && run >= self->fence_length && is_blank (info, strlen (info)))
    {
      self->fence = 0;
    }

  return TRUE;
}

static void
release (InterpCallRecovery *self)
{
  take (self, self->held->len);
  self->closer = NULL;
}

static void
try_calls (InterpCallRecovery *self, gsize length)
{
  g_autofree char *text = g_strndup (self->held->str, length);
  g_autoptr (GPtrArray) calls = interp_text_calls_parse (text, self->offer);

  if (calls != NULL)
    {
      g_string_erase (self->held, 0, length);
      self->any_call = TRUE;
      self->sink (NULL, calls, self->sink_data);
    }
  else
    {
      take (self, length);
    }

  self->closer = NULL;
}

static void
hold (InterpCallRecovery *self, const char *closer)
{
  self->closer = closer;
  self->searched = 0;
  self->state = STATE_HOLDING;
}

/* Where in the held line a mark may begin, or its length. */
static gsize
find_mark (InterpCallRecovery *self)
{
  for (gsize i = 0; i < self->held->len; i++)
    {
      char c = self->held->str[i];

      if (c == '`')
        self->n_backticks++;

      if (c == '\n')
        return i;

      if ((c == '<' || c == '[') && self->n_backticks % 2 == 0)
        return i;
    }

  return self->held->len;
}

/* TRUE: something changed, look again. */
static gboolean
step (InterpCallRecovery *self, gboolean at_end)
{
  InterpTextCallVerdict verdict;
  const char *closer = NULL;
  const char *p;
  char *newline;
  gsize length;

  if (self->held->len == 0)
    return FALSE;

  switch (self->state)
    {
    case STATE_LINE:
      if (self->fence != 0)
        {
          newline = strchr (self->held->str, '\n');
          take (self, newline != NULL ? (gsize) (newline + 1 - self->held->str) : self->held->len);
          if (newline == NULL)
            return FALSE;
          self->n_backticks = 0;
          self->state = STATE_START;
          return TRUE;
        }

      length = find_mark (self);
      take (self, length);
      if (self->held->len == 0)
        return FALSE;

      if (self->held->str[0] == '\n')
        {
          take (self, 1);
          self->n_backticks = 0;
          self->state = STATE_START;
          return TRUE;
        }

      verdict = interp_text_calls_look (self->held->str, FALSE, self->offer, &closer);
      if (verdict == INTERP_TEXT_CALL_MAYBE && !at_end)
        return FALSE;

      if (verdict == INTERP_TEXT_CALL_YES)
        {
          hold (self, closer);
          return TRUE;
        }

      take (self, 1);
      return self->held->len > 0;

    case STATE_START:
      /* Fence lines are told by their end. */
      if (may_be_fence (self->held->str))
        {
          gboolean whole_message = !self->any_text && !self->any_call && self->fence == 0;

          p = self->held->str + strspn (self->held->str, " ");
          if (whole_message && *p == '`')
            {
              verdict = interp_text_calls_look (p, TRUE, self->offer, &closer);
              if (verdict == INTERP_TEXT_CALL_MAYBE && !at_end)
                return FALSE;
              if (verdict == INTERP_TEXT_CALL_YES)
                {
                  hold (self, closer);
                  return TRUE;
                }
            }

          newline = strchr (self->held->str, '\n');
          if (newline == NULL && !at_end)
            return FALSE;

          length = newline != NULL ? (gsize) (newline + 1 - self->held->str) : self->held->len;
          if (follow_fence (self, length))
            {
              take (self, length);
              return self->held->len > 0;
            }
        }

      self->n_backticks = 0;
      if (self->fence != 0)
        {
          self->state = STATE_LINE;
          return TRUE;
        }

      p = self->held->str;
      while (g_ascii_isspace (*p) && *p != '\n')
        p++;

      if (*p == '\n')
        {
          take (self, p + 1 - self->held->str);
          return self->held->len > 0;
        }

      verdict = interp_text_calls_look (p, !self->any_text && !self->any_call, self->offer, &closer);
      if (verdict == INTERP_TEXT_CALL_MAYBE && !at_end)
        return FALSE;

      if (verdict == INTERP_TEXT_CALL_YES)
        {
          hold (self, closer);
          return TRUE;
        }

      self->state = STATE_LINE;
      return TRUE;

    case STATE_HOLDING:
      if (self->closer != NULL)
        {
          const char *found = strstr (self->held->str + MIN (self->searched, self->held->len), self->closer);

          self->searched = self->held->len - MIN (self->held->len, strlen (self->closer));
          if (found != NULL)
            {
              /* Behind a call the line goes on as text. */
              self->state = STATE_LINE;
              try_calls (self, found + strlen (self->closer) - self->held->str);
              return self->held->len > 0;
            }
        }

      if (self->held->len > MAX_HELD)
        {
          release (self);
          self->state = STATE_LINE;
        }
      return FALSE;

    default:
      g_assert_not_reached ();
    }
}

void
interp_call_recovery_push (InterpCallRecovery *self, const char *text)
{
  g_return_if_fail (self != NULL);
  g_return_if_fail (text != NULL);

  g_string_append (self->held, text);
  while (step (self, FALSE))
    ;
}

void
interp_call_recovery_finish (InterpCallRecovery *self, gboolean whole)
{
  g_return_if_fail (self != NULL);

  while (step (self, TRUE))
    ;

  if (self->state == STATE_HOLDING && whole)
    try_calls (self, self->held->len);
  else
    release (self);

  self->state = STATE_LINE;
}

void
interp_call_recovery_restart (InterpCallRecovery *self)
{
  g_return_if_fail (self != NULL);

  release (self);
  self->state = STATE_START;
  self->any_text = FALSE;
  self->any_call = FALSE;
  self->fence = 0;
  self->n_backticks = 0;
}
