/* fuzz-splitter.c: lines and server-sent events
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "base/interp-splitter.h"
#include "fuzz.h"

#include <string.h>

typedef struct
{
  InterpLineSplitter *lines;
  InterpSseParser *events;
  GString *log;
} Reading;

static void
log_line (Reading *self, char *line, gsize length)
{
  g_autofree char *escaped = NULL;

  /* No line has an end within, nor less than its length says. */
  g_assert_null (memchr (line, '\n', length));
  g_assert_null (memchr (line, '\r', length));
  g_assert_cmpint (line[length], ==, '\0');
  escaped = g_strescape (line, NULL);
  g_string_append_printf (self->log, "%" G_GSIZE_FORMAT " %s\n", length, escaped);
  g_free (line);
}

static void
push_lines (const char *piece, gsize length, gpointer data)
{
  Reading *self = data;
  char *line;
  gsize size;

  interp_line_splitter_push (self->lines, piece, length);
  while ((line = interp_line_splitter_next (self->lines, &size)) != NULL)
    log_line (self, line, size);
}

static char *
split (const char *bytes, gsize length, FuzzCut cut, gpointer data)
{
  const gsize *limit = data;
  g_autoptr (InterpLineSplitter) lines = interp_line_splitter_new (*limit);
  Reading reading = { .lines = lines, .log = g_string_new (NULL) };
  char *line;
  gsize size;

  fuzz_cut_bytes (bytes, length, cut, push_lines, &reading);
  while ((line = interp_line_splitter_finish (lines, &size)) != NULL)
    log_line (&reading, line, size);
  g_string_append (reading.log, interp_line_splitter_overflowed (lines) ? "too long" : "");
  if (*limit > length)
    g_assert_false (interp_line_splitter_overflowed (lines));

  return g_string_free_and_steal (reading.log);
}

static void
drain (Reading *self, gboolean at_end)
{
  InterpSseEvent *event;

  while ((event = interp_sse_parser_next (self->events, at_end)) != NULL)
    {
      g_assert_nonnull (event->data);
      fuzz_check_text (event->data);
      if (event->event != NULL)
        fuzz_check_text (event->event);
      g_string_append_printf (self->log, "%s|%s\n", event->event != NULL ? event->event : "?", event->data);
      interp_sse_event_free (event);
    }
}

static void
push_events (const char *piece, gsize length, gpointer data)
{
  Reading *self = data;

  interp_sse_parser_push (self->events, piece, length);
  drain (self, FALSE);
}

static char *
parse (const char *bytes, gsize length, FuzzCut cut, gpointer data)
{
  g_autoptr (InterpSseParser) events = interp_sse_parser_new ();
  Reading reading = { .events = events, .log = g_string_new (NULL) };

  fuzz_cut_bytes (bytes, length, cut, push_events, &reading);
  drain (&reading, TRUE);
  g_assert_false (interp_sse_parser_overflowed (events));

  return g_string_free_and_steal (reading.log);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  const gsize limits[] = { INTERP_SPLITTER_MAX, 16 };

  for (gsize i = 0; i < G_N_ELEMENTS (limits); i++)
    fuzz_check_cuts ((const char *) data, size, split, (gpointer) &limits[i]);
  fuzz_check_cuts ((const char *) data, size, parse, NULL);

  return 0;
}
