/* bench-window.c: the window on kept chats
 *
 *   bench-window open FOLDER CHAT…          opens the chats one after the other: "open" in ms each, from the asking to
 *                                           the first frame that shows it
 *   bench-window stream FOLDER CHAT URL     opens the chat, sends a prompt to the scripted model at URL and shows the
 *                                           answer as it comes: the turns of the main loop, "processor" in ms,
 *                                           and "memory", the most that was in use, in MB
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <gtksourceview/gtksource.h>
#include <stdlib.h>

#include "bench-turns.h"
#include "bench-util.h"
#include "window/interp-window.h"

typedef struct
{
  InterpEngine *engine;
  InterpWindow *window;
  gint64 chat;
  guint painted; /* frames since the chat is shown */
  gboolean finished;
} Bench;

static void
on_after_paint (Bench *self)
{
  InterpSession *session = interp_window_get_session (self->window);

  if (session != NULL && interp_session_get_id (session) == self->chat)
    self->painted++;
}

static gboolean
is_painted (gpointer user_data)
{
  return ((Bench *) user_data)->painted > 0;
}

/* The time that it took. */
static double
open_chat (Bench *self, gint64 chat)
{
  gint64 begin = g_get_monotonic_time ();

  self->chat = chat;
  self->painted = 0;
  interp_window_open_chat (self->window, chat, 0);
  bench_until (is_painted, self);
  return (g_get_monotonic_time () - begin) / 1000.0;
}

static void
on_finished (Bench *self, gboolean failed)
{
  if (failed)
    g_error ("The answer failed");
  self->finished = TRUE;
}

static gboolean
is_finished (gpointer user_data)
{
  return ((Bench *) user_data)->finished;
}

static void
stream (Bench *self, gint64 chat)
{
  g_autoptr (InterpModel) model = bench_await_object (interp_engine_choose_model (self->engine));
  InterpSession *session;
  double processor;

  open_chat (self, chat);
  bench_settle ();
  session = interp_window_get_session (self->window);
  interp_session_set_model (session, model);
  g_signal_connect_swapped (session, "finished", G_CALLBACK (on_finished), self);
  bench_turns_begin ();
  processor = bench_processor_time ();
  interp_session_send (session, "Begin.", NULL);
  bench_until (is_finished, self);
  bench_print ("processor", bench_processor_time () - processor);
  bench_turns_end ();
  bench_print ("memory", bench_peak_memory ());
}

static gboolean
has_clock (gpointer user_data)
{
  return gtk_widget_get_frame_clock (user_data) != NULL && gtk_widget_get_mapped (user_data);
}

int
main (int argc, char **argv)
{
  g_autoptr (AdwApplication) application = NULL;
  g_autoptr (InterpOptions) options = interp_options_new ();
  g_autoptr (GError) error = NULL;
  Bench bench = { 0 };
  gboolean streams = argc == 5 && g_str_equal (argv[1], "stream");

  if (!streams && !(argc >= 4 && g_str_equal (argv[1], "open")))
    return EXIT_FAILURE;
  dex_init ();
  gtk_source_init ();
  bench_turns_install ();
  options->data_folder = g_strdup (argv[2]);
  options->folder = g_strdup (argv[2]);
  options->model = g_strdup ("openai/scripted");
  options->api_base = g_strdup (streams ? argv[4] : "http://127.0.0.1:9/v1");
  options->api_key = g_strdup ("bench");

  application
      = g_object_new (ADW_TYPE_APPLICATION, "application-id", "io.github.interpreter_app.Bench", "flags",
                      G_APPLICATION_NON_UNIQUE, "resource-base-path", "/io/github/interpreter_app/Interpreter", NULL);
  if (!g_application_register (G_APPLICATION (application), NULL, &error))
    g_error ("%s", error->message);
  bench.engine = interp_engine_new (options);
  bench_await (interp_engine_start (bench.engine));
  bench.window = interp_window_new (application, bench.engine);
  gtk_window_present (GTK_WINDOW (bench.window));
  bench_until (has_clock, bench.window);
  g_signal_connect_swapped (gtk_widget_get_frame_clock (GTK_WIDGET (bench.window)), "after-paint",
                            G_CALLBACK (on_after_paint), &bench);
  bench_settle ();

  if (streams)
    stream (&bench, g_ascii_strtoll (argv[3], NULL, 10));
  else
    for (int i = 3; i < argc; i++)
      {
        bench_print ("open", open_chat (&bench, g_ascii_strtoll (argv[i], NULL, 10)));
        bench_settle ();
      }

  gtk_window_destroy (GTK_WINDOW (bench.window));
  bench_await (interp_engine_stop (bench.engine));
  g_object_unref (bench.engine);
  return EXIT_SUCCESS;
}
