/* test-splitter.c: bytes to lines and server-sent events
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <string.h>

#include "base/interp-splitter.h"

/* All lines of @bytes pushed in pieces of @piece bytes, the first of @first bytes; "|" between them. */
static char *
split (const char *bytes, gsize length, gsize first, gsize piece, gboolean drain)
{
  g_autoptr (InterpLineSplitter) splitter = interp_line_splitter_new (INTERP_SPLITTER_MAX);
  GString *result = g_string_new (NULL);
  char *line;

  for (gsize at = 0, size = first; at < length; at += size, size = piece)
    {
      size = MIN (size, length - at);
      interp_line_splitter_push (splitter, bytes + at, size);
      while (drain && (line = interp_line_splitter_next (splitter, NULL)) != NULL)
        {
          g_string_append_printf (result, "%s|", line);
          g_free (line);
        }
    }
  while ((line = interp_line_splitter_finish (splitter, NULL)) != NULL)
    {
      g_string_append_printf (result, "%s|", line);
      g_free (line);
    }
  return g_string_free (result, FALSE);
}

static void
assert_lines (const char *bytes, const char *expected)
{
  gsize length = strlen (bytes);

  for (gsize first = 0; first <= length; first++)
    for (gsize piece = 1; piece <= 3; piece++)
      for (int drain = 0; drain < 2; drain++)
        {
          g_autofree char *lines = split (bytes, length, first, piece, drain);

          g_assert_cmpstr (lines, ==, expected);
        }
}

static void
test_lines (void)
{
  assert_lines ("a\nb\n", "a|b|");
  assert_lines ("a\nb", "a|b|");
  assert_lines ("a\r\nb\r\n", "a|b|");
  assert_lines ("a\rb\r", "a|b|");
  assert_lines ("a\n\rb", "a||b|");
  assert_lines ("a\r\n\r\nb\n\n", "a||b||");
  assert_lines ("a\r\r\nb", "a||b|");
  assert_lines ("", "");
  assert_lines ("\n", "|");
  assert_lines ("\r\n", "|");
  assert_lines ("é😀\r\n€", "é😀|€|");
}

static void
test_lone_cr_is_at_once (void)
{
  g_autoptr (InterpLineSplitter) splitter = interp_line_splitter_new (100);
  g_autofree char *line = NULL;

  interp_line_splitter_push (splitter, "a\r", 2);
  line = interp_line_splitter_next (splitter, NULL);
  g_assert_cmpstr (line, ==, "a");
  interp_line_splitter_push (splitter, "\n", 1);
  g_assert_null (interp_line_splitter_next (splitter, NULL));
  g_assert_null (interp_line_splitter_finish (splitter, NULL));
}

static void
test_nul (void)
{
  g_autoptr (InterpLineSplitter) splitter = interp_line_splitter_new (100);
  g_autofree char *line = NULL;
  gsize length = 0;

  interp_line_splitter_push (splitter, "a\0b\n", 4);
  line = interp_line_splitter_next (splitter, &length);
  g_assert_cmpmem (line, length, "a\0b", 3);
}

static void
test_limit (void)
{
  for (gsize piece = 1; piece < 12; piece++)
    {
      static const char bytes[] = "12345\n123456789\nok\n";
      g_autoptr (InterpLineSplitter) splitter = interp_line_splitter_new (5);
      g_autofree char *first = NULL;
      g_autofree char *second = NULL;
      g_autofree char *third = NULL;

      for (gsize at = 0; at < sizeof bytes - 1; at += piece)
        {
          interp_line_splitter_push (splitter, bytes + at, MIN (piece, sizeof bytes - 1 - at));
          if (at + piece <= 6)
            g_assert_false (interp_line_splitter_overflowed (splitter));
        }
      g_assert_true (interp_line_splitter_overflowed (splitter));
      first = interp_line_splitter_next (splitter, NULL);
      second = interp_line_splitter_next (splitter, NULL);
      third = interp_line_splitter_next (splitter, NULL);
      g_assert_cmpstr (first, ==, "12345");
      g_assert_cmpstr (second, ==, "12345");
      g_assert_cmpstr (third, ==, "ok");
    }
}

static void
test_many (void)
{
  /* A million lines without one being fetched, and a long line in small pieces: linear, or this runs into the limit. */
  g_autoptr (InterpLineSplitter) splitter = interp_line_splitter_new (INTERP_SPLITTER_MAX);
  guint count = 0;
  char *line;

  for (int i = 0; i < 1000000; i++)
    interp_line_splitter_push (splitter, i % 2 ? "x\r" : "y\n", 2);
  for (int i = 0; i < 4000000; i++)
    interp_line_splitter_push (splitter, "zz", 2);
  while ((line = interp_line_splitter_finish (splitter, NULL)) != NULL)
    {
      count++;
      g_free (line);
    }
  g_assert_cmpuint (count, ==, 1000001);
}

static char *
parse_events (const char *bytes, gsize length, gsize first, gsize piece)
{
  g_autoptr (InterpSseParser) parser = interp_sse_parser_new ();
  GString *result = g_string_new (NULL);

  for (gsize at = 0, size = first;; at += size, size = piece)
    {
      InterpSseEvent *event;

      size = MIN (size, length - at);
      interp_sse_parser_push (parser, bytes + at, size);
      while ((event = interp_sse_parser_next (parser, at + size == length)) != NULL)
        {
          g_string_append_printf (result, "%s=%s|", event->event != NULL ? event->event : "", event->data);
          g_assert_true (g_utf8_validate (event->data, -1, NULL));
          interp_sse_event_free (event);
        }
      if (at + size == length)
        return g_string_free (result, FALSE);
    }
}

static void
assert_events (const char *bytes, gsize length, const char *expected)
{
  for (gsize first = 0; first <= length; first++)
    for (gsize piece = 1; piece <= 3; piece++)
      {
        g_autofree char *events = parse_events (bytes, length, first, piece);

        g_assert_cmpstr (events, ==, expected);
      }
}

static void
test_events (void)
{
  static const struct
  {
    const char *bytes, *expected;
  } cases[] = {
    { "data: a\n\ndata: b\n\n", "=a|=b|" },
    { "data: a\r\n\r\ndata: b\r\n\r\n", "=a|=b|" },
    { "data: a\r\rdata: b\r\r", "=a|=b|" },
    { "\xef\xbb\xbf"
      "data: a\n\n",
      "=a|" },
    { "data:a\n\n", "=a|" },
    { "data:  a \n\n", "= a |" },
    { "event: delta\ndata: {\"x\":1}\n\n", "delta={\"x\":1}|" },
    { "data: a\nevent: late\n\ndata: b\n\n", "late=a|=b|" },
    { "event: ping\n\ndata: b\n\n", "=b|" },
    { ": comment\n\n:\n\ndata: a\n: inner\ndata: b\n\n", "=a\nb|" },
    { "data: a\ndata\ndata: b\n\n", "=a\n\nb|" },
    { "data:\n\ndata: \n\ndata\n\n", "" },
    { "id: 1\nretry: 5\nunknown: x\nnocolon\ndata: a\n\n", "=a|" },
    { "data: a: b: c\n\n", "=a: b: c|" },
    { "data: [DONE]", "=[DONE]|" },
    { "data: a\n\nevent: x\ndata: b", "=a|x=b|" },
    { "data: caf\xc3\xa9 \xf0\x9f\x98\x80\n\n", "=café 😀|" },
    { "data: \xff\xc3\n\n", "=\xef\xbf\xbd\xef\xbf\xbd|" },
    { "Data: a\n\n data: b\n\n", "" },
    { "", "" },
    { "\n\n\n", "" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    assert_events (cases[i].bytes, strlen (cases[i].bytes), cases[i].expected);
  assert_events ("data: a\0b\n\n", 11,
                 "=a\xef\xbf\xbd"
                 "b|");
}

static void
test_event_limit (void)
{
  g_autoptr (InterpSseParser) parser = interp_sse_parser_new ();
  g_autofree char *line = g_strnfill (1024 * 1024, 'x');
  g_autoptr (InterpSseEvent) event = NULL;

  memcpy (line, "data: ", 6);
  line[1024 * 1024 - 1] = '\n';
  for (int i = 0; i < 20; i++)
    {
      interp_sse_parser_push (parser, line, 1024 * 1024);
      g_assert_null (interp_sse_parser_next (parser, FALSE));
    }
  for (int i = 0; i < 100; i++)
    interp_sse_parser_push (parser, "data\n", 5);
  interp_sse_parser_push (parser, "\n", 1);
  event = interp_sse_parser_next (parser, FALSE);
  g_assert_nonnull (event);
  g_assert_cmpuint (strlen (event->data), ==, INTERP_SPLITTER_MAX);
  g_assert_true (interp_sse_parser_overflowed (parser));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/splitter/lines", test_lines);
  g_test_add_func ("/base/splitter/lone-cr-is-at-once", test_lone_cr_is_at_once);
  g_test_add_func ("/base/splitter/nul", test_nul);
  g_test_add_func ("/base/splitter/limit", test_limit);
  g_test_add_func ("/base/splitter/many", test_many);
  g_test_add_func ("/base/splitter/events", test_events);
  g_test_add_func ("/base/splitter/event-limit", test_event_limit);
  return g_test_run ();
}
