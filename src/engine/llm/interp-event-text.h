/* interp-event-text.h: pieces of text or thinking, gathered and given out together
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "llm/interp-codec.h"

G_BEGIN_DECLS

typedef struct
{
  InterpEventSink sink;
  gpointer sink_data;
  GString *text;
  InterpEventKind kind; /* of @text */
} InterpEventText;

void interp_event_text_init (InterpEventText *self, InterpEventSink sink, gpointer sink_data);
void interp_event_text_clear (InterpEventText *self);

/* Adds @text (nullable) of @kind; what waits of the other kind goes out first. FALSE when there is nothing in it. */
gboolean interp_event_text_add (InterpEventText *self, InterpEventKind kind, const char *text);
void interp_event_text_flush (InterpEventText *self);

G_END_DECLS
