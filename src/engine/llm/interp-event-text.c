/* interp-event-text.c
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm/interp-event-text.h"

void
interp_event_text_init (InterpEventText *self, InterpEventSink sink, gpointer sink_data)
{
  self->sink = sink;
  self->sink_data = sink_data;
  self->text = g_string_new (NULL);
}

void
interp_event_text_clear (InterpEventText *self)
{
  g_string_free (self->text, TRUE);
}

void
interp_event_text_flush (InterpEventText *self)
{
  if (self->text->len == 0)
    return;

  self->sink (interp_event_new_text (self->kind, self->text->str), self->sink_data);
  g_string_truncate (self->text, 0);
}

gboolean
interp_event_text_add (InterpEventText *self, InterpEventKind kind, const char *text)
{
  if (text == NULL || *text == '\0')
    return FALSE;

  if (self->kind != kind)
    interp_event_text_flush (self);

  self->kind = kind;
  g_string_append (self->text, text);
  return TRUE;
}
