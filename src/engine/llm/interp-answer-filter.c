/* interp-answer-filter.c: from what a codec read to what the session sees
 *
 * Text goes through four stages: marks of templates, thinking, printed calls, fenced blocks.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm/interp-answer-filter.h"

#include "llm/interp-call-recovery.h"
#include "llm/interp-fence-parser.h"
#include "llm/interp-template-marks.h"
#include "llm/interp-think-parser.h"

#include <glib/gi18n.h>

struct _InterpAnswerFilter
{
  InterpEventSink sink;
  gpointer sink_data;
  InterpOffer *offer;
  InterpTemplateMarks *marks;
  InterpThinkParser *thinking;
  InterpCallRecovery *recovery;
  InterpFenceParser *fences; /* NULL but in text mode */

  GString *text;    /* of this push, given out together */
  GString *leading; /* space before the first word */
  GHashTable *tool_indices;
  GHashTable *fence_indices;
  guint next_index;
  guint n_calls; /* ended ones that the session must answer */
  gboolean any_text;
};

static void on_unmarked (const char *text, gpointer data);
static void on_think (InterpThinkKind kind, const char *text, gpointer data);
static void on_recovery (const char *text, GPtrArray *calls, gpointer data);
static void on_fence (InterpEvent *event, gpointer data);

InterpAnswerFilter *
interp_answer_filter_new (InterpRequest *request, gboolean think_open, InterpEventSink sink, gpointer sink_data)
{
  InterpAnswerFilter *self;

  g_return_val_if_fail (request != NULL, NULL);
  g_return_val_if_fail (sink != NULL, NULL);

  self = g_new0 (InterpAnswerFilter, 1);
  self->sink = sink;
  self->sink_data = sink_data;
  self->offer = interp_offer_new (request);
  self->marks = interp_template_marks_new (on_unmarked, self);
  self->thinking = interp_think_parser_new (think_open, on_think, self);
  self->recovery = interp_call_recovery_new (self->offer, on_recovery, self);
  if (request->text_mode)
    self->fences = interp_fence_parser_new (self->offer, on_fence, self);
  self->text = g_string_new (NULL);
  self->leading = g_string_new (NULL);
  self->tool_indices = g_hash_table_new (NULL, NULL);
  self->fence_indices = g_hash_table_new (NULL, NULL);

  return self;
}

void
interp_answer_filter_free (InterpAnswerFilter *self)
{
  interp_template_marks_free (self->marks);
  interp_think_parser_free (self->thinking);
  interp_call_recovery_free (self->recovery);
  g_clear_pointer (&self->fences, interp_fence_parser_free);
  interp_offer_unref (self->offer);
  g_string_free (self->text, TRUE);
  g_string_free (self->leading, TRUE);
  g_hash_table_unref (self->tool_indices);
  g_hash_table_unref (self->fence_indices);
  g_free (self);
}

/* ---- giving out ---- */

static void
flush_text (InterpAnswerFilter *self)
{
  if (self->text->len == 0)
    return;

  self->sink (interp_event_new_text (INTERP_EVENT_TEXT, self->text->str), self->sink_data);
  g_string_truncate (self->text, 0);
}

static void
give (InterpAnswerFilter *self, InterpEvent *event)
{
  flush_text (self);
  self->sink (event, self->sink_data);
}

/* Blank lines before the first word are nothing that was said. */
static void
add_text (InterpAnswerFilter *self, const char *text)
{
  const char *line = text;

  for (const char *p = text; *p != '\0' && !self->any_text; p++)
    {
      if (*p == '\n')
        {
          g_string_truncate (self->leading, 0);
          line = p + 1;
        }
      self->any_text = !g_ascii_isspace (*p);
    }

  if (!self->any_text)
    {
      g_string_append (self->leading, line);
      return;
    }

  g_string_append (self->text, self->leading->str);
  g_string_truncate (self->leading, 0);
  g_string_append (self->text, line);
}

/* Calls of all kinds are counted in one row. */
static void
give_call (InterpAnswerFilter *self, GHashTable *indices, InterpEvent *event)
{
  gpointer key = GUINT_TO_POINTER (event->index);
  gpointer value;

  if (!g_hash_table_lookup_extended (indices, key, NULL, &value))
    {
      value = GUINT_TO_POINTER (self->next_index++);
      g_hash_table_insert (indices, key, value);
    }

  event->index = GPOINTER_TO_UINT (value);
  if (event->kind == INTERP_EVENT_CALL_END
      && (event->call->origin != INTERP_CALL_FENCE || event->call->language != NULL))
    self->n_calls++;

  give (self, event);
}

static void
give_recovered (InterpAnswerFilter *self, GPtrArray *calls)
{
  for (guint i = 0; i < calls->len; i++)
    {
      InterpCall *call = g_ptr_array_index (calls, i);
      InterpEvent *begin = interp_event_new (INTERP_EVENT_CALL_BEGIN);
      InterpEvent *end = interp_event_new (INTERP_EVENT_CALL_END);

      begin->index = end->index = self->next_index++;
      begin->call = interp_call_new (INTERP_CALL_RECOVERED, call->id, call->name, "");
      end->call = interp_call_ref (call);
      self->n_calls++;
      give (self, begin);
      give (self, end);
    }
}

/* ---- stages ---- */

static void
on_unmarked (const char *text, gpointer data)
{
  InterpAnswerFilter *self = data;

  interp_think_parser_push (self->thinking, text);
}

static void
on_think (InterpThinkKind kind, const char *text, gpointer data)
{
  InterpAnswerFilter *self = data;

  switch (kind)
    {
    case INTERP_THINK_TEXT:
      interp_call_recovery_push (self->recovery, text);
      break;

    case INTERP_THINK_REASONING:
      give (self, interp_event_new_text (INTERP_EVENT_REASONING, text));
      break;

    case INTERP_THINK_RETHINK:
      interp_call_recovery_restart (self->recovery);
      if (self->fences != NULL)
        {
          /* A block left open there has no end of its own. */
          interp_fence_parser_finish (self->fences, _ ("This is part of the thinking."));
          interp_fence_parser_free (self->fences);
          self->fences = interp_fence_parser_new (self->offer, on_fence, self);
          g_hash_table_remove_all (self->fence_indices);
        }
      self->any_text = FALSE;
      self->n_calls = 0;
      give (self, interp_event_new (INTERP_EVENT_RETHINK));
      break;

    default:
      g_assert_not_reached ();
    }
}

static void
on_recovery (const char *text, GPtrArray *calls, gpointer data)
{
  InterpAnswerFilter *self = data;

  if (calls != NULL)
    give_recovered (self, calls);
  else if (self->fences != NULL)
    interp_fence_parser_push (self->fences, text);
  else
    add_text (self, text);
}

static void
on_fence (InterpEvent *event, gpointer data)
{
  InterpAnswerFilter *self = data;

  if (event->kind == INTERP_EVENT_TEXT)
    {
      add_text (self, event->text);
      interp_event_unref (event);
      return;
    }

  give_call (self, self->fence_indices, event);
}

static void
finish_stages (InterpAnswerFilter *self, gboolean whole, const char *fault)
{
  interp_template_marks_finish (self->marks);
  interp_think_parser_finish (self->thinking, whole);
  interp_call_recovery_finish (self->recovery, whole);
  if (self->fences != NULL)
    interp_fence_parser_finish (self->fences, fault);
  flush_text (self);
}

static void
finish (InterpAnswerFilter *self, InterpEvent *event)
{
  gboolean cut = event->finish == INTERP_FINISH_LENGTH;

  finish_stages (self, !cut, cut ? _ ("The code was cut off: the answer reached its length limit.") : NULL);

  if (event->finish == INTERP_FINISH_END && self->n_calls > 0)
    event->finish = INTERP_FINISH_CALLS;

  give (self, event);
}

void
interp_answer_filter_push (InterpAnswerFilter *self, InterpEvent *event)
{
  g_return_if_fail (self != NULL);
  g_return_if_fail (event != NULL);

  switch (event->kind)
    {
    case INTERP_EVENT_TEXT:
      interp_template_marks_push (self->marks, event->text);
      flush_text (self);
      interp_event_unref (event);
      break;

    case INTERP_EVENT_REASONING:
      /* What was said before comes before. */
      interp_template_marks_finish (self->marks);
      interp_call_recovery_finish (self->recovery, FALSE);
      give (self, event);
      break;

    case INTERP_EVENT_CALL_BEGIN:
      interp_template_marks_finish (self->marks);
      interp_call_recovery_finish (self->recovery, FALSE);
      give_call (self, self->tool_indices, event);
      break;

    case INTERP_EVENT_CALL_PROGRESS:
    case INTERP_EVENT_CALL_END:
      give_call (self, self->tool_indices, event);
      break;

    case INTERP_EVENT_FINISH:
      finish (self, event);
      break;

    case INTERP_EVENT_OPAQUE:
    case INTERP_EVENT_USAGE:
    case INTERP_EVENT_PROGRESS:
    case INTERP_EVENT_WARNING:
    case INTERP_EVENT_RETHINK:
    default:
      give (self, event);
      break;
    }
}

void
interp_answer_filter_flush (InterpAnswerFilter *self)
{
  g_return_if_fail (self != NULL);

  finish_stages (self, FALSE, _ ("The code was cut off: the answer stopped in the middle."));
}

gboolean
interp_answer_filter_salvage (InterpAnswerFilter *self, const char *text)
{
  g_autoptr (GPtrArray) calls = NULL;
  InterpEvent *event;

  g_return_val_if_fail (self != NULL, FALSE);
  g_return_val_if_fail (text != NULL, FALSE);

  calls = interp_text_calls_parse (text, self->offer);
  if (calls == NULL)
    return FALSE;

  give_recovered (self, calls);
  event = interp_event_new (INTERP_EVENT_FINISH);
  event->finish = INTERP_FINISH_CALLS;
  give (self, event);

  return TRUE;
}

gboolean
interp_answer_filter_lacks_opener (InterpAnswerFilter *self)
{
  return interp_think_parser_lacks_opener (self->thinking);
}
