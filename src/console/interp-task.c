/* interp-task.c: one prompt, answered without a conversation
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "interp-task.h"

#include <glib-unix.h>
#include <glib/gi18n.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/interp-fiber.h"
#include "base/interp-text.h"
#include "interp-cell-view.h"
#include "interp-console-model.h"
#include "interp-event-printer.h"
#include "interp-prompt.h"
#include "interp-question.h"
#include "interp-safe-lines.h"
#include "interp-transcript-printer.h"
#include "session/interp-result.h"

typedef struct
{
  InterpEngine *engine;
  const InterpCommandLine *command_line;
  char *prompt;
  InterpTty *tty; /* standard error */
  InterpSession *session;
  InterpTranscriptPrinter *printer; /* progress */
  InterpEventPrinter *events;       /* --json */
  GPtrArray *taps;
  GMainLoop *loop;
  int status;
  gboolean asking;
  int signal_number; /* we were told to stop by */
  gboolean over;
} Task;

static void
task_clear (gpointer data)
{
  Task *self = data;

  g_clear_object (&self->session);
  g_object_unref (self->engine);
  interp_tty_unref (self->tty);
  g_main_loop_unref (self->loop);
  g_free (self->prompt);
}

/* Flows may end after the task has. */
static void
task_unref (gpointer data)
{
  g_rc_box_release_full (data, task_clear);
}

static void
say (Task *self, const char *style, const char *sentence)
{
  g_autofree char *line = g_strconcat (sentence, "\n", NULL);

  interp_tty_set_passing (self->tty, NULL);
  interp_tty_start_line (self->tty);
  interp_tty_print_styled (self->tty, style, line);
}

/* What the model said after the last code. */
static char *
dup_answer (Task *self)
{
  GListModel *items = interp_session_get_items (self->session);
  g_autoptr (GString) answer = g_string_new (NULL);

  for (guint i = 0; i < g_list_model_get_n_items (items); i++)
    {
      g_autoptr (InterpItem) item = g_list_model_get_item (items, i);
      InterpItemKind kind = interp_item_get_kind (item);
      g_autofree char *said = NULL;

      if (kind == INTERP_ITEM_CELL && interp_cell_is_only_shown (INTERP_CELL (item)))
        said = interp_result_fence (NULL, interp_cell_get_code (INTERP_CELL (item)));
      else if (kind == INTERP_ITEM_ASSISTANT)
        said = g_strdup (interp_item_get_text (item));
      else if (kind == INTERP_ITEM_CELL || kind == INTERP_ITEM_USER)
        g_string_truncate (answer, 0);
      if (said == NULL)
        continue;
      if (answer->len > 0)
        g_string_append (answer, g_str_has_suffix (answer->str, "\n") ? "\n" : "\n\n");
      g_string_append (answer, said);
    }
  return g_string_free_and_steal (g_steal_pointer (&answer));
}

static gboolean
was_refused (Task *self)
{
  GListModel *items = interp_session_get_items (self->session);

  for (guint i = 0; i < g_list_model_get_n_items (items); i++)
    {
      g_autoptr (InterpItem) item = g_list_model_get_item (items, i);

      if (INTERP_IS_CELL (item) && interp_cell_get_cell_state (INTERP_CELL (item)) == INTERP_CELL_REFUSED)
        return TRUE;
    }
  return FALSE;
}

static void
end (Task *self, int status)
{
  if (self->over)
    return;
  self->over = TRUE;
  self->status = status;
  g_main_loop_quit (self->loop);
}

static void
end_turn (Task *self, gboolean failed)
{
  g_autofree char *answer = dup_answer (self);
  int status = failed ? INTERP_EXIT_FAILED : INTERP_EXIT_DONE;

  if (was_refused (self))
    status = INTERP_EXIT_REFUSED;
  if (self->signal_number != 0)
    status = 128 + self->signal_number;
  interp_tty_set_passing (self->tty, NULL);
  if (self->events != NULL)
    interp_event_printer_end (self->events, status, answer);
  else if (*answer != '\0' && !failed)
    {
      g_autofree char *visible = interp_text_make_visible (answer);

      /* On a terminal it is made harmless; a file or a program gets it as it is. */
      interp_tty_start_line (self->tty);
      fputs (isatty (STDOUT_FILENO) ? visible : answer, stdout);
      if (!g_str_has_suffix (answer, "\n"))
        fputc ('\n', stdout);
      fflush (stdout);
    }
  end (self, status);
}

/* ---- approval ---- */

/* Says what the code can reach. A folder that the user's own words name is given. FALSE: nothing can run. */
static gboolean
prepare_safe_mode (Task *self, InterpSession *session)
{
  g_autoptr (GPtrArray) named = NULL;
  g_autoptr (GError) error = NULL;

  if (!interp_session_is_safe (session))
    return TRUE;
  named = interp_session_find_named_folders (session, self->prompt);
  for (guint i = 0; i < named->len; i++)
    if (!interp_session_add_folder (session, g_ptr_array_index (named, i), &error))
      {
        say (self, "31", error->message);
        g_clear_error (&error);
      }
  if (!dex_await (interp_session_check_safe (session), &error))
    {
      say (self, "31", error->message);
      return FALSE;
    }
  interp_tty_start_line (self->tty);
  interp_safe_lines_print (self->tty, session);
  return TRUE;
}

static DexFuture *
question_flow (gpointer data)
{
  Task *self = data;
  InterpCell *cell = interp_transcript_printer_get_waiting (self->printer);

  if (cell != NULL)
    {
      g_autoptr (InterpCell) asked = g_object_ref (cell);

      dex_await (interp_question_ask (self->tty, self->session, asked), NULL);
    }
  self->asking = FALSE;
  if (!self->over)
    interp_transcript_printer_update (self->printer);
  return dex_future_new_true ();
}

static void
refuse (Task *self, InterpCell *cell)
{
  InterpJudgement *judgement = interp_cell_get_judgement (cell);

  if (judgement != NULL && interp_judgement_is_dangerous (judgement) && self->command_line->options->auto_run)
    {
      g_autofree char *sentence = g_strdup_printf (_ ("Not run, for nobody is here to approve it: %s"),
                                                   interp_judgement_get_reason (judgement));

      say (self, "31", sentence);
    }
  else
    say (self, "31",
         _ ("Not run, for nobody is here to approve code. Run it in a terminal to be asked, or with "
            "--auto_run to approve all of it."));
  interp_session_refuse (self->session, cell, "Nobody is there to approve code.", TRUE);
}

/* Called when something was printed. */
static void
update (gpointer data)
{
  Task *self = data;
  InterpCell *cell;

  if (self->over || self->printer == NULL || self->asking)
    return;
  cell = interp_transcript_printer_get_waiting (self->printer);
  if (cell == NULL)
    interp_tty_set_passing (self->tty, interp_session_get_status (self->session));
  else if (!interp_tty_is_interactive (self->tty) || self->events != NULL)
    refuse (self, cell);
  else
    {
      self->asking = TRUE;
      interp_fiber_run ("ask", question_flow, g_rc_box_acquire (self), task_unref);
    }
}

/* ---- what the session does ---- */

static void
on_finished (InterpSession *session, gboolean failed, Task *self)
{
  interp_transcript_printer_update (self->printer);
  end_turn (self, failed);
}

static void
on_status_changed (Task *self)
{
  update (self);
}

/* Nobody is there to type: code that reads gets the end of its input, as from /dev/null. */
static void
on_kernel_waiting (InterpKernel *kernel)
{
  InterpWaiting waiting = interp_kernel_get_waiting (kernel);

  if (waiting == INTERP_WAITING_INPUT || waiting == INTERP_WAITING_PASSWORD)
    interp_pty_write (interp_kernel_get_pty (kernel), "\x04", 1);
}

static void
on_kernel_added (InterpSession *session, InterpKernel *kernel, Task *self)
{
  if (!interp_tty_is_interactive (self->tty))
    g_signal_connect (kernel, "notify::waiting", G_CALLBACK (on_kernel_waiting), NULL);
  else
    g_ptr_array_add (self->taps, interp_kernel_tap_new (self->tty, kernel));
}

static void
stop (Task *self, int signal_number)
{
  gboolean again = self->signal_number != 0;

  self->signal_number = signal_number;
  if (interp_prompt_is_asking ())
    interp_prompt_cancel ();
  if (self->session == NULL || again)
    end (self, 128 + signal_number);
  else
    interp_session_stop (self->session);
}

static gboolean
on_interrupt (gpointer data)
{
  if (!interp_question_is_editing ())
    stop (data, SIGINT);
  return G_SOURCE_CONTINUE;
}

static gboolean
on_terminate (gpointer data)
{
  stop (data, SIGTERM);
  return G_SOURCE_CONTINUE;
}

static gboolean
on_resize (gpointer data)
{
  Task *self = data;

  interp_prompt_resize ();
  if (self->printer != NULL)
    interp_transcript_printer_resize (self->printer);
  return G_SOURCE_CONTINUE;
}

static DexFuture *
start_flow (gpointer data)
{
  Task *self = data;
  const InterpCommandLine *command_line = self->command_line;
  g_autoptr (InterpSession) session = interp_engine_new_session (self->engine, command_line->options);
  g_autoptr (GError) error = NULL;
  g_autoptr (InterpModel) model = NULL;

  if (interp_engine_get_notice (self->engine) != NULL)
    say (self, "33", interp_engine_get_notice (self->engine));
  interp_tty_set_passing (self->tty, _ ("Looking for models"));
  model = interp_console_choose_model (self->engine, session, command_line->options, &error);
  interp_tty_set_passing (self->tty, NULL);
  if (self->over)
    return dex_future_new_true ();
  if (model == NULL)
    {
      say (self, "31",
           error != NULL ? error->message
                         : _ ("No model was found. “interpreter --list-models” shows what there is; --model "
                              "or --api_base chooses one."));
      end (self, INTERP_EXIT_FAILED);
      return dex_future_new_true ();
    }

  if (interp_session_is_read_only (session))
    {
      say (self, "31", _ ("Nothing was done, for nothing of it could be kept."));
      end (self, INTERP_EXIT_FAILED);
      return dex_future_new_true ();
    }

  self->session = g_object_ref (session);
  interp_session_set_model (session, model);
  if (command_line->options->safe_mode)
    interp_session_set_safe (session, TRUE);
  if (command_line->options->auto_run)
    interp_session_set_mode (session, INTERP_MODE_AUTO);
  if (!prepare_safe_mode (self, session))
    {
      end (self, INTERP_EXIT_FAILED);
      return dex_future_new_true ();
    }
  if (command_line->json)
    self->events = interp_event_printer_new (session);
  self->printer
      = interp_transcript_printer_new (self->tty, session,
                                       !command_line->no_highlight_active_line && !command_line->plain, update, self);
  interp_transcript_printer_set_hold_answer (self->printer, TRUE);
  interp_transcript_printer_set_verbose (self->printer, command_line->verbose);
  g_signal_connect (session, "finished", G_CALLBACK (on_finished), self);
  g_signal_connect (session, "kernel-added", G_CALLBACK (on_kernel_added), self);
  g_signal_connect_swapped (session, "notify::status", G_CALLBACK (on_status_changed), self);
  interp_session_send (session, self->prompt, NULL);
  return dex_future_new_true ();
}

int
interp_task_run (InterpEngine *engine, const InterpCommandLine *command_line, const char *prompt)
{
  g_autoptr (GPtrArray) taps = g_ptr_array_new_with_free_func ((GDestroyNotify) interp_kernel_tap_free);
  Task *self = g_rc_box_new0 (Task);
  guint sources[3];
  int status;

  self->engine = g_object_ref (engine);
  self->command_line = command_line;
  self->prompt = g_strdup (prompt);
  self->tty = interp_tty_new (stderr, command_line->plain);
  self->taps = taps;
  self->loop = g_main_loop_new (NULL, FALSE);
  sources[0] = g_unix_signal_add (SIGINT, on_interrupt, self);
  sources[1] = g_unix_signal_add (SIGTERM, on_terminate, self);
  sources[2] = g_unix_signal_add (SIGWINCH, on_resize, self);
  if (interp_tty_is_interactive (self->tty))
    interp_prompt_begin (self->tty, NULL);

  interp_fiber_run ("task", start_flow, g_rc_box_acquire (self), task_unref);
  g_main_loop_run (self->loop);

  interp_prompt_end ();
  for (guint i = 0; i < G_N_ELEMENTS (sources); i++)
    g_source_remove (sources[i]);
  if (self->session != NULL)
    g_signal_handlers_disconnect_by_data (self->session, self);
  g_clear_pointer (&self->printer, interp_transcript_printer_free);
  g_clear_pointer (&self->events, interp_event_printer_free);
  g_ptr_array_set_size (taps, 0);
  interp_tty_set_mode (self->tty, INTERP_TTY_NORMAL);
  status = self->status;
  task_unref (self);
  return status;
}
