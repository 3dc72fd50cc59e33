/* interp-splitter.c: bytes to lines and server-sent events
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "base/interp-splitter.h"

#include <string.h>

#include "base/interp-text.h"

struct _InterpLineSplitter
{
  GQueue lines;     /* GString: whole lines not yet fetched */
  GString *partial; /* the line being received */
  gsize max_bytes;
  gboolean has_partial; /* an empty rest is no line */
  gboolean after_cr;    /* a following LF belongs to the CR that ended the line */
  gboolean overflowed;
};

struct _InterpSseParser
{
  InterpLineSplitter *lines;
  GString *data; /* NULL until the event has a data line */
  char *event;
  gboolean started; /* the first line, which may begin with a byte order mark, is over */
  gboolean overflowed;
};

static void
free_string (gpointer data)
{
  g_string_free (data, TRUE);
}

InterpLineSplitter *
interp_line_splitter_new (gsize max_bytes)
{
  InterpLineSplitter *self;

  g_return_val_if_fail (max_bytes > 0, NULL);

  self = g_new0 (InterpLineSplitter, 1);
  g_queue_init (&self->lines);
  self->partial = g_string_new (NULL);
  self->max_bytes = max_bytes;
  return self;
}

void
interp_line_splitter_free (InterpLineSplitter *self)
{
  if (self == NULL)
    return;
  g_queue_clear_full (&self->lines, free_string);
  g_string_free (self->partial, TRUE);
  g_free (self);
}

static void
append_partial (InterpLineSplitter *self, const char *bytes, gsize length)
{
  gsize room = self->max_bytes - self->partial->len;

  if (length == 0)
    return;
  self->has_partial = TRUE;
  if (length > room)
    {
      self->overflowed = TRUE;
      length = room;
    }
  g_string_append_len (self->partial, bytes, length);
}

static void
end_line (InterpLineSplitter *self)
{
  g_queue_push_tail (&self->lines, g_string_new_len (self->partial->str, self->partial->len));
  /* One long line must not keep its memory for all the short ones after it. */
  if (self->partial->allocated_len > 64 * 1024)
    {
      g_string_free (self->partial, TRUE);
      self->partial = g_string_new (NULL);
    }
  else
    g_string_truncate (self->partial, 0);
  self->has_partial = FALSE;
}

void
interp_line_splitter_push (InterpLineSplitter *self, const char *bytes, gsize length)
{
  gsize start = 0;

  g_return_if_fail (self != NULL);
  g_return_if_fail (bytes != NULL || length == 0);

  for (gsize i = 0; i < length; i++)
    {
      char c = bytes[i];

      if (c == '\n' && self->after_cr)
        start = i + 1;
      else if (c == '\n' || c == '\r')
        {
          append_partial (self, bytes + start, i - start);
          end_line (self);
          start = i + 1;
        }
      self->after_cr = c == '\r';
    }
  append_partial (self, bytes + start, length - start);
}

static char *
take_line (GString *line, gsize *length)
{
  if (length != NULL)
    *length = line->len;
  return g_string_free (line, FALSE);
}

char *
interp_line_splitter_next (InterpLineSplitter *self, gsize *length)
{
  GString *line;

  g_return_val_if_fail (self != NULL, NULL);

  line = g_queue_pop_head (&self->lines);
  return line != NULL ? take_line (line, length) : NULL;
}

char *
interp_line_splitter_finish (InterpLineSplitter *self, gsize *length)
{
  g_return_val_if_fail (self != NULL, NULL);

  if (self->has_partial)
    end_line (self);
  self->after_cr = FALSE;
  return interp_line_splitter_next (self, length);
}

gboolean
interp_line_splitter_overflowed (InterpLineSplitter *self)
{
  g_return_val_if_fail (self != NULL, FALSE);

  return self->overflowed;
}

void
interp_sse_event_free (InterpSseEvent *self)
{
  if (self == NULL)
    return;
  g_free (self->event);
  g_free (self->data);
  g_free (self);
}

InterpSseParser *
interp_sse_parser_new (void)
{
  InterpSseParser *self = g_new0 (InterpSseParser, 1);

  self->lines = interp_line_splitter_new (INTERP_SPLITTER_MAX);
  return self;
}

static void
clear_event (InterpSseParser *self)
{
  g_clear_pointer (&self->event, g_free);
  if (self->data != NULL)
    g_string_free (g_steal_pointer (&self->data), TRUE);
}

void
interp_sse_parser_free (InterpSseParser *self)
{
  if (self == NULL)
    return;
  clear_event (self);
  interp_line_splitter_free (self->lines);
  g_free (self);
}

void
interp_sse_parser_push (InterpSseParser *self, const char *bytes, gsize length)
{
  g_return_if_fail (self != NULL);

  interp_line_splitter_push (self->lines, bytes, length);
}

static void
append_data (InterpSseParser *self, const char *value, gsize length)
{
  gsize room;

  if (self->data == NULL)
    self->data = g_string_new (NULL);
  else if (self->data->len < INTERP_SPLITTER_MAX)
    g_string_append_c (self->data, '\n');
  else
    self->overflowed = TRUE;

  room = INTERP_SPLITTER_MAX - self->data->len;
  if (length > room)
    self->overflowed = TRUE;
  g_string_append_len (self->data, value, MIN (length, room));
}

static void
take_field (InterpSseParser *self, const char *line, gsize length)
{
  const char *colon = memchr (line, ':', length);
  gsize name_length = colon != NULL ? (gsize) (colon - line) : length;
  const char *value = colon != NULL ? colon + 1 : line + length;
  const char *end = line + length;

  if (value < end && *value == ' ')
    value++;

  if (name_length == strlen ("data") && memcmp (line, "data", name_length) == 0)
    append_data (self, value, end - value);
  else if (name_length == strlen ("event") && memcmp (line, "event", name_length) == 0)
    {
      g_free (self->event);
      self->event = interp_text_make_valid (value, end - value);
    }
  /* "id" and "retry" serve reconnection, which a model's answer has none of; other fields are ignored as the
   * standard says. */
}

static InterpSseEvent *
dispatch (InterpSseParser *self)
{
  InterpSseEvent *event = NULL;

  if (self->data != NULL && self->data->len > 0)
    {
      event = g_new0 (InterpSseEvent, 1);
      event->data = interp_text_make_valid (self->data->str, self->data->len);
      if (self->event != NULL && *self->event != '\0')
        event->event = g_steal_pointer (&self->event);
    }
  clear_event (self);
  return event;
}

InterpSseEvent *
interp_sse_parser_next (InterpSseParser *self, gboolean at_end)
{
  g_return_val_if_fail (self != NULL, NULL);

  for (;;)
    {
      gsize length = 0;
      g_autofree char *line = at_end ? interp_line_splitter_finish (self->lines, &length)
                                     : interp_line_splitter_next (self->lines, &length);
      const char *text = line;

      if (line == NULL)
        return at_end ? dispatch (self) : NULL;

      if (!self->started && length >= 3 && memcmp (text, "\xef\xbb\xbf", 3) == 0)
        {
          text += 3;
          length -= 3;
        }
      self->started = TRUE;

      if (length > 0)
        take_field (self, text, length);
      else
        {
          InterpSseEvent *event = dispatch (self);
          if (event != NULL)
            return event;
        }
    }
}

gboolean
interp_sse_parser_overflowed (InterpSseParser *self)
{
  g_return_val_if_fail (self != NULL, FALSE);

  return self->overflowed || interp_line_splitter_overflowed (self->lines);
}
