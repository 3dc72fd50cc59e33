/* interp-template-marks.c: what a chat template puts around an answer
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm/interp-template-marks.h"

#include <string.h>

/* Longer ones first. Marks that HTML or prose may well end with, such as </s>, are not among them. */
static const char *const beginnings[] = { "<|im_start|>assistant",
                                          "<|im_start|>",
                                          "<|start_header_id|>assistant<|end_header_id|>",
                                          "<|begin_of_text|>",
                                          "<start_of_turn>model",
                                          "<|start|>assistant",
                                          "<|assistant|>",
                                          NULL };
static const char *const ends[] = { "<|im_end|>",
                                    "<|eot_id|>",
                                    "<|eom_id|>",
                                    "<|end_of_text|>",
                                    "<|endoftext|>",
                                    "<|end_of_turn|>",
                                    "<｜end▁of▁sentence｜>",
                                    "<|return|>",
                                    "<end_of_turn>",
                                    "<|EOT|>",
                                    "<|end|>",
                                    NULL };

struct _InterpTemplateMarks
{
  InterpTemplateMarksSink sink;
  gpointer sink_data;
  GString *held; /* may be marks */
  gboolean begun;
};

typedef enum
{
  MATCH_NO,
  MATCH_OPEN, /* more may make it one */
  MATCH_YES,
} Match;

InterpTemplateMarks *
interp_template_marks_new (InterpTemplateMarksSink sink, gpointer sink_data)
{
  InterpTemplateMarks *self;

  g_return_val_if_fail (sink != NULL, NULL);

  self = g_new0 (InterpTemplateMarks, 1);
  self->sink = sink;
  self->sink_data = sink_data;
  self->held = g_string_new (NULL);

  return self;
}

void
interp_template_marks_free (InterpTemplateMarks *self)
{
  g_string_free (self->held, TRUE);
  g_free (self);
}

/* Does a mark of @marks stand at the beginning of @text? @open: @text may go on. */
static Match
match_mark (const char *text, const char *const *marks, gboolean open, gsize *length)
{
  for (gsize i = 0; marks[i] != NULL; i++)
    {
      if (g_str_has_prefix (text, marks[i]))
        {
          *length = strlen (marks[i]);
          return MATCH_YES;
        }
      if (open && g_str_has_prefix (marks[i], text))
        return MATCH_OPEN;
    }

  return MATCH_NO;
}

/* Is all of @text, but for space, marks that end a message? */
static Match
match_ends (const char *text, gboolean open)
{
  while (*text != '\0')
    {
      gsize length = 1;

      if (!g_ascii_isspace (*text))
        {
          Match match = match_mark (text, ends, open, &length);

          if (match != MATCH_YES)
            return match;
        }
      text += length;
    }

  return MATCH_YES;
}

static void
give (InterpTemplateMarks *self, gsize length)
{
  g_autofree char *text = NULL;

  if (length == 0)
    return;
  text = g_strndup (self->held->str, length);
  g_string_erase (self->held, 0, length);
  self->sink (text, self->sink_data);
}

/* Takes what begins a message off; FALSE while more has to come to tell. */
static gboolean
begin (InterpTemplateMarks *self, gboolean open)
{
  while (!self->begun)
    {
      gsize space = strspn (self->held->str, " \t\r\n");
      gsize length = 0;

      switch (match_mark (self->held->str + space, beginnings, open, &length))
        {
        case MATCH_OPEN:
          return FALSE;
        case MATCH_YES:
          g_string_erase (self->held, 0, space + length);
          break;
        case MATCH_NO:
        default:
          self->begun = TRUE;
          break;
        }
    }

  return TRUE;
}

void
interp_template_marks_push (InterpTemplateMarks *self, const char *text)
{
  const char *first;

  g_return_if_fail (self != NULL);
  g_return_if_fail (text != NULL);

  g_string_append (self->held, text);
  if (!begin (self, TRUE))
    return;

  for (first = strchr (self->held->str, '<'); first != NULL; first = strchr (first + 1, '<'))
    if (match_ends (first, TRUE) != MATCH_NO)
      break;
  give (self, first != NULL ? (gsize) (first - self->held->str) : self->held->len);
}

void
interp_template_marks_finish (InterpTemplateMarks *self)
{
  g_return_if_fail (self != NULL);

  begin (self, FALSE);
  /* Space alone is no mark. */
  if (strchr (self->held->str, '<') != NULL && match_ends (self->held->str, FALSE) == MATCH_YES)
    g_string_truncate (self->held, 0);
  give (self, self->held->len);
}
