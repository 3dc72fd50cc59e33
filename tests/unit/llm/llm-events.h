/* llm-events.h: events as text to compare
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "llm/interp-message.h"

/* Text and reasoning as they are, joined; calls as "⟨language|code|fault⟩" where they end; the rest by name. */
typedef struct
{
  GString *log;
  gboolean in_reasoning;
  GHashTable *open; /* index → id */
  GHashTable *progress;
} Events;

static inline Events *
events_new (void)
{
  Events *self = g_new0 (Events, 1);

  self->log = g_string_new (NULL);
  self->open = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  self->progress = g_hash_table_new_full (NULL, NULL, NULL, g_free);

  return self;
}

static inline void
events_set_reasoning (Events *self, gboolean in_reasoning)
{
  if (self->in_reasoning != in_reasoning)
    g_string_append (self->log, in_reasoning ? "«" : "»");
  self->in_reasoning = in_reasoning;
}

/* An InterpEventSink, strict about the order of events. */
static inline void
events_take (InterpEvent *event, gpointer data)
{
  static const char *finishes[] = { "end", "calls", "length", "stop", "refused", "paused" };
  Events *self = data;
  gpointer index = GUINT_TO_POINTER (event->index);

  events_set_reasoning (self, event->kind == INTERP_EVENT_REASONING);

  switch (event->kind)
    {
    case INTERP_EVENT_TEXT:
    case INTERP_EVENT_REASONING:
      g_assert_cmpstr (event->text, !=, "");
      g_string_append (self->log, event->text);
      break;

    case INTERP_EVENT_CALL_BEGIN:
      g_assert_false (g_hash_table_contains (self->open, index));
      g_assert_nonnull (event->call->id);
      g_hash_table_insert (self->open, index, g_strdup (event->call->id));
      break;

    case INTERP_EVENT_CALL_PROGRESS:
      g_assert_cmpstr (g_hash_table_lookup (self->open, index), ==, event->call->id);
      if (event->call->code != NULL)
        g_hash_table_insert (self->progress, index, g_strdup (event->call->code));
      break;

    case INTERP_EVENT_CALL_END:
      g_assert_cmpstr (g_hash_table_lookup (self->open, index), ==, event->call->id);
      g_string_append (self->log, "⟨");
      if (g_strcmp0 (event->call->name, "run_code") != 0)
        g_string_append_printf (self->log, "%s %s", event->call->name, event->call->arguments);
      else
        g_string_append_printf (self->log, "%s|%s", event->call->language != NULL ? event->call->language : "?",
                                event->call->code != NULL ? event->call->code : "?");
      if (event->call->origin == INTERP_CALL_RECOVERED)
        g_string_append (self->log, "|recovered");
      if (event->call->fault != NULL)
        g_string_append (self->log, "|fault");
      g_string_append (self->log, "⟩");
      g_hash_table_remove (self->open, index);
      break;

    case INTERP_EVENT_FINISH:
      g_assert_cmpuint (g_hash_table_size (self->open), ==, 0);
      g_string_append_printf (self->log, "#%s", finishes[event->finish]);
      break;

    case INTERP_EVENT_USAGE:
      g_string_append_printf (self->log, "#%" G_GINT64_FORMAT "/%" G_GINT64_FORMAT, event->usage.input_tokens,
                              event->usage.output_tokens);
      break;

    case INTERP_EVENT_OPAQUE:
      g_string_append_printf (self->log, "#opaque:%.*s", (int) g_bytes_get_size (event->opaque),
                              (const char *) g_bytes_get_data (event->opaque, NULL));
      break;

    case INTERP_EVENT_WARNING:
      g_string_append (self->log, "#warning");
      break;

    case INTERP_EVENT_RETHINK:
      g_string_append (self->log, "#rethink");
      break;

    case INTERP_EVENT_PROGRESS:
    default:
      g_string_append (self->log, "#progress");
      break;
    }

  interp_event_unref (event);
}

static inline char *
events_free (Events *self)
{
  char *log;

  events_set_reasoning (self, FALSE);
  log = g_string_free_and_steal (self->log);
  g_hash_table_unref (self->open);
  g_hash_table_unref (self->progress);
  g_free (self);

  return log;
}

/* A request that offers run_code in python, shell, javascript and r. */
static inline InterpRequest *
events_request (gboolean text_mode)
{
  static const char *languages[] = { "python", "py", "python3", "shell", "bash", "sh", "javascript", "js", "r", "R" };
  InterpRequest *request = interp_request_new ("m");

  request->text_mode = text_mode;
  for (gsize i = 0; i < G_N_ELEMENTS (languages); i++)
    g_ptr_array_add (request->languages, g_strdup (languages[i]));
  if (!text_mode)
    {
      g_ptr_array_add (request->tools, interp_tool_new ("run_code", "Runs code.", NULL));
      g_ptr_array_add (request->tools, interp_tool_new ("look_up", "Looks up.", NULL));
    }

  return request;
}
