/* session-host.c: a program with a conversation, to be killed by a test
 *
 * session-host DATA-FOLDER FOLDER API-BASE MODEL MODE PROMPT: sends PROMPT in a new chat and goes on until its standard
 * input ends. Prints what a user would see, as it is shown, each piece a line of JSON: {"chat": ID}, {"text": …} of the
 * model's words,
 * {"code": …}, {"output": …} of cells (all of it so far), {"state": …} of the newest cell.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <glib-unix.h>

#include "base/interp-fiber.h"
#include "base/interp-json.h"
#include "session/interp-engine.h"

static InterpSession *session;

static void
say (const char *what, const char *text)
{
  g_autoptr (JsonNode) node = interp_json_object (what, INTERP_JSON_STRING (text), NULL);
  g_autofree char *line = interp_json_to_string (node);

  puts (line);
  fflush (stdout);
}

static void
on_appended (InterpItem *item, const char *text)
{
  say (INTERP_IS_CELL (item) ? "code" : "text", interp_item_get_text (item));
}

static void
on_output (InterpCell *cell)
{
  g_autofree char *output = interp_cell_dup_output (cell, NULL);

  say ("output", output);
}

static void
on_state (InterpCell *cell)
{
  g_autoptr (GEnumClass) klass = g_type_class_ref (INTERP_TYPE_CELL_STATE);

  say ("state", g_enum_get_value (klass, interp_cell_get_cell_state (cell))->value_nick);
}

static void
on_items (GListModel *items, guint position, guint n_removed, guint n_added)
{
  for (guint i = position; i < position + n_added; i++)
    {
      g_autoptr (InterpItem) item = g_list_model_get_item (items, i);

      if (interp_item_get_kind (item) == INTERP_ITEM_USER)
        continue;
      g_signal_connect (item, "appended", G_CALLBACK (on_appended), NULL);
      if (!INTERP_IS_CELL (item))
        continue;
      g_signal_connect (item, "notify::output-version", G_CALLBACK (on_output), NULL);
      g_signal_connect (item, "notify::cell-state", G_CALLBACK (on_state), NULL);
    }
}

static void
on_id (void)
{
  g_autofree char *id = g_strdup_printf ("%" G_GINT64_FORMAT, interp_session_get_id (session));

  say ("chat", id);
}

static gboolean
on_input (int fd, GIOCondition condition, gpointer data)
{
  exit (EXIT_FAILURE);
}

static DexFuture *
main_fiber (gpointer data)
{
  char **argv = data;
  g_autoptr (InterpOptions) options = interp_options_new ();
  g_autoptr (GError) error = NULL;
  InterpEngine *engine;

  options->data_folder = g_strdup (argv[1]);
  options->folder = g_strdup (argv[2]);
  options->api_base = g_strdup (argv[3]);
  options->model = g_strdup (argv[4]);
  options->auto_run = g_str_equal (argv[5], "auto");
  engine = interp_engine_new (options);
  if (!dex_await (interp_engine_start (engine), &error))
    g_error ("%s", error->message);
  session = interp_engine_new_session (engine, NULL);
  g_signal_connect (session, "notify::id", G_CALLBACK (on_id), NULL);
  g_signal_connect (interp_session_get_items (session), "items-changed", G_CALLBACK (on_items), NULL);
  interp_session_send (session, argv[6], NULL);

  return dex_future_new_true ();
}

int
main (int argc, char **argv)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);

  if (argc != 7)
    return EXIT_FAILURE;
  dex_init ();
  g_unix_fd_add (STDIN_FILENO, G_IO_IN | G_IO_HUP | G_IO_ERR, on_input, NULL);
  interp_fiber_run ("main", main_fiber, argv, NULL);
  g_main_loop_run (loop);

  return EXIT_SUCCESS;
}
