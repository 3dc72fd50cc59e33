/* test-kernel-channel.c: requests written and events read, in any pieces
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "kernel/interp-kernel-channel.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <glib-unix.h>

#include "base/interp-json.h"

typedef struct
{
  InterpKernelChannel *channel;
  int requests; /* the harness's ends */
  int events;
  GString *seen; /* event types, joined */
  gboolean ended;
  gboolean free_in_callback;
  gulong handling; /* how long each event takes, microseconds */
} Fixture;

static void
event_cb (JsonNode *event, gpointer user_data)
{
  Fixture *fixture = user_data;

  if (!event)
    {
      fixture->ended = TRUE;
      return;
    }
  g_string_append_printf (fixture->seen, "%s ", interp_json_get_string (event, "t"));
  g_usleep (fixture->handling);
  if (fixture->free_in_callback)
    g_clear_pointer (&fixture->channel, interp_kernel_channel_free);
}

static void
set_up (Fixture *fixture, InterpKernelRequests form)
{
  int requests[2], events[2];

  memset (fixture, 0, sizeof *fixture);
  g_assert_true (g_unix_open_pipe (requests, O_CLOEXEC, NULL));
  g_assert_true (g_unix_open_pipe (events, O_CLOEXEC, NULL));
  fixture->requests = requests[0];
  fixture->events = events[1];
  fixture->seen = g_string_new (NULL);
  fixture->channel = interp_kernel_channel_new (requests[1], events[0], form, event_cb, fixture);
}

static void
tear_down (Fixture *fixture)
{
  g_clear_pointer (&fixture->channel, interp_kernel_channel_free);
  close (fixture->requests);
  if (fixture->events >= 0)
    close (fixture->events);
  g_string_free (fixture->seen, TRUE);
}

static void
say (Fixture *fixture, const char *bytes, gsize length)
{
  g_assert_cmpint (write (fixture->events, bytes, length), ==, (gssize) length);
}

static char *
read_request (Fixture *fixture)
{
  g_autoptr (GString) line = g_string_new (NULL);
  char byte;

  for (;;)
    {
      g_assert_cmpint (read (fixture->requests, &byte, 1), ==, 1);
      if (byte == '\n')
        return g_string_free_and_steal (g_steal_pointer (&line));
      g_string_append_c (line, byte);
    }
}

static void
test_events (void)
{
  static const char text[]
      = "{\"t\":\"ready\"}\nnonsense\n[]\n\n{\"t\":\"a\"}\r\n{\"t\":\"b\",\"cwd\":\"/\xff\"}\n{\"t\":\"c\"}\n";
  Fixture fixture;

  for (gsize piece = 1; piece < sizeof text; piece += 5)
    {
      set_up (&fixture, INTERP_KERNEL_REQUESTS_JSON);
      for (gsize at = 0; at < strlen (text); at += piece)
        {
          say (&fixture, text + at, MIN (piece, strlen (text) - at));
          while (g_main_context_iteration (NULL, FALSE))
            ;
        }
      while (!strstr (fixture.seen->str, "c "))
        g_main_context_iteration (NULL, TRUE);
      g_assert_cmpstr (fixture.seen->str, ==, "ready a b c ");
      g_assert_false (fixture.ended);
      close (fixture.events);
      fixture.events = -1;
      while (!fixture.ended)
        g_main_context_iteration (NULL, TRUE);
      tear_down (&fixture);
    }
}

static void
test_end_in_line (void)
{
  Fixture fixture;

  set_up (&fixture, INTERP_KERNEL_REQUESTS_JSON);
  say (&fixture, "{\"t\":\"a\"}\n{\"t\":", 15);
  close (fixture.events);
  fixture.events = -1;
  while (!fixture.ended)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpstr (fixture.seen->str, ==, "a ");
  tear_down (&fixture);
}

static void
test_freed_in_callback (void)
{
  Fixture fixture;

  set_up (&fixture, INTERP_KERNEL_REQUESTS_JSON);
  fixture.free_in_callback = TRUE;
  say (&fixture, "{\"t\":\"a\"}\n{\"t\":\"b\"}\n", 20);
  while (fixture.channel)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpstr (fixture.seen->str, ==, "a ");
  tear_down (&fixture);
}

static void
test_json_requests (void)
{
  Fixture fixture;
  g_autofree char *line = NULL, *interrupt = NULL, *config = NULL;
  g_autoptr (JsonNode) request = NULL;
  g_autoptr (JsonNode) configured = NULL;
  static const char code[] = "print(\"é\\n\")\n\t# 'end'\x01";

  set_up (&fixture, INTERP_KERNEL_REQUESTS_JSON);
  interp_kernel_channel_execute (fixture.channel, 3, "/spool/3.py", code);
  interp_kernel_channel_send (fixture.channel, "interrupt", 3);
  interp_kernel_channel_configure (fixture.channel, 80, TRUE, FALSE);
  line = read_request (&fixture);
  request = interp_json_parse (line, -1, INTERP_JSON_PARSE_NONE, NULL);
  g_assert_cmpstr (interp_json_get_string (request, "t"), ==, "execute");
  g_assert_cmpint (interp_json_get_int (request, "id", 0), ==, 3);
  g_assert_cmpstr (interp_json_get_string (request, "path"), ==, "/spool/3.py");
  g_assert_cmpstr (interp_json_get_string (request, "code"), ==, code);
  interrupt = read_request (&fixture);
  g_assert_cmpstr (interrupt, ==, "{\"t\":\"interrupt\",\"id\":3}");
  config = read_request (&fixture);
  configured = interp_json_parse (config, -1, INTERP_JSON_PARSE_NONE, NULL);
  g_assert_cmpint (interp_json_get_int (configured, "columns", 0), ==, 80);
  g_assert_true (interp_json_get_bool (configured, "dark", FALSE));
  tear_down (&fixture);
}

static void
test_tab_requests (void)
{
  Fixture fixture;
  g_autofree char *execute = NULL, *nop = NULL, *config = NULL;

  set_up (&fixture, INTERP_KERNEL_REQUESTS_TAB);
  interp_kernel_channel_execute (fixture.channel, 3, "/spool/3.sh", "echo");
  interp_kernel_channel_send (fixture.channel, "nop", 0);
  interp_kernel_channel_configure (fixture.channel, 80, FALSE, FALSE);
  execute = read_request (&fixture);
  nop = read_request (&fixture);
  config = read_request (&fixture);
  g_assert_cmpstr (execute, ==, "execute\t3\t/spool/3.sh");
  g_assert_cmpstr (nop, ==, "nop\t0\t");
  g_assert_cmpstr (config, ==, "config\t0\tcolumns=80 dark=0 inline=0");
  tear_down (&fixture);
}

/* More than the pipe takes at once. */
static void
test_long_request (void)
{
  Fixture fixture;
  g_autofree char *code = g_strnfill (900000, 'x');
  g_autofree char *longer = g_strnfill (2000000, 'x');
  g_autofree char *quoted = g_strnfill (800000, '"');
  g_autoptr (GString) got = g_string_new (NULL);
  g_auto (GStrv) lines = NULL;
  g_autoptr (JsonNode) first = NULL;

  set_up (&fixture, INTERP_KERNEL_REQUESTS_JSON);
  interp_kernel_channel_execute (fixture.channel, 1, "/1.py", code);
  interp_kernel_channel_execute (fixture.channel, 2, "/2.py", longer);
  interp_kernel_channel_execute (fixture.channel, 3, "/3.py", quoted);
  g_unix_set_fd_nonblocking (fixture.requests, TRUE, NULL);
  while (!strstr (got->str, "/3.py"))
    {
      char bytes[65536];
      gssize length = read (fixture.requests, bytes, sizeof bytes);

      if (length > 0)
        g_string_append_len (got, bytes, length);
      g_main_context_iteration (NULL, FALSE);
    }
  lines = g_strsplit (got->str, "\n", -1);
  first = interp_json_parse (lines[0], -1, INTERP_JSON_PARSE_NONE, NULL);
  g_assert_cmpstr (interp_json_get_string (first, "code"), ==, code);
  /* Too long for a line, as they are or escaped: the file has them. */
  g_assert_cmpstr (lines[1], ==, "{\"t\":\"execute\",\"id\":2,\"path\":\"/2.py\"}");
  g_assert_true (g_str_has_prefix (lines[2], "{\"t\":\"execute\",\"id\":3,\"path\":\"/3.py\"}"));
  tear_down (&fixture);
}

/* Events that came together are all told, though each takes a turn of its own and nothing comes after them. */
static void
test_slow_handler (void)
{
  static const char text[] = "{\"t\":\"a\"}\n{\"t\":\"b\"}\n{\"t\":\"c\"}\n";
  Fixture fixture;

  set_up (&fixture, INTERP_KERNEL_REQUESTS_JSON);
  fixture.handling = 10 * 1000;
  say (&fixture, text, strlen (text));
  while (!strstr (fixture.seen->str, "c "))
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpstr (fixture.seen->str, ==, "a b c ");
  tear_down (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernel/channel/events", test_events);
  g_test_add_func ("/kernel/channel/end-in-line", test_end_in_line);
  g_test_add_func ("/kernel/channel/slow-handler", test_slow_handler);
  g_test_add_func ("/kernel/channel/freed-in-callback", test_freed_in_callback);
  g_test_add_func ("/kernel/channel/json", test_json_requests);
  g_test_add_func ("/kernel/channel/tab", test_tab_requests);
  g_test_add_func ("/kernel/channel/long", test_long_request);
  return g_test_run ();
}
