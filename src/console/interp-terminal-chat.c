/* interp-terminal-chat.c: the conversation in a terminal
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "interp-terminal-chat.h"

#include <glib-unix.h>
#include <glib/gi18n.h>
#include <signal.h>
#include <string.h>

#include "base/interp-fiber.h"
#include "base/interp-paths.h"
#include "interp-cell-view.h"
#include "interp-console-model.h"
#include "interp-magic.h"
#include "interp-prompt.h"
#include "interp-question.h"
#include "interp-safe-lines.h"
#include "interp-transcript-printer.h"

#define FENCE "\"\"\""
#define PROMPT "> "
#define PROMPT_MORE "… "
#define PROMPT_STYLE "1;36"

typedef struct
{
  InterpEngine *engine;
  const InterpCommandLine *command_line;
  InterpTty *tty;
  InterpSession *session;
  InterpTranscriptPrinter *printer;
  InterpMagicContext magic;
  GPtrArray *taps;
  GMainLoop *loop;
  int status;
  gboolean ready;    /* the first prompt may come */
  gboolean asking;   /* the prompt or a question is on the screen */
  gboolean expected; /* something was asked for that has not begun yet */
  gboolean leaving;
} Chat;

static void update (gpointer data);

static void
chat_clear (gpointer data)
{
  Chat *self = data;

  g_clear_object (&self->session);
  g_object_unref (self->engine);
  interp_tty_unref (self->tty);
  g_main_loop_unref (self->loop);
  g_free (self->magic.loaded);
}

/* Flows may end after the chat has. */
static void
chat_unref (gpointer data)
{
  g_rc_box_release_full (data, chat_clear);
}

static void
leave (Chat *self, int status)
{
  self->leaving = TRUE;
  self->status = status;
  interp_prompt_cancel ();
  g_main_loop_quit (self->loop);
}

static gboolean
is_busy (Chat *self)
{
  return self->expected || interp_session_get_state (self->session) != INTERP_SESSION_IDLE;
}

/* ---- the prompt ---- */

/* Reads on until the closing """; what comes after it on its line belongs to the message. NULL: taken
 * back. */
static char *
read_lines (const char *first)
{
  g_autoptr (GString) text = g_string_new (first + strlen (FENCE));

  while (strstr (text->str, FENCE) == NULL)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *line = dex_await_string (interp_prompt_ask (PROMPT_MORE, PROMPT_STYLE, FALSE), &error);

      if (line == NULL)
        return NULL;
      if (text->len > 0)
        g_string_append_c (text, '\n');
      g_string_append (text, line);
    }
  {
    char *end = strstr (text->str, FENCE);

    g_string_erase (text, end - text->str, strlen (FENCE));
  }
  return g_string_free_and_steal (g_steal_pointer (&text));
}

static void
send (Chat *self, const char *text)
{
  g_autofree char *whole = self->magic.loaded != NULL ? g_strconcat (self->magic.loaded, text, NULL) : g_strdup (text);

  self->expected = TRUE;
  interp_safe_lines_print_named (self->tty, self->session, whole);
  interp_session_send (self->session, whole, NULL);
  if (interp_session_is_read_only (self->session))
    {
      self->expected = FALSE;
      interp_tty_print_styled (self->tty, "31",
                               _ ("Not sent: this conversation can only be read here. Another process works with it, "
                                  "or its folder is read-only.\n"));
      return;
    }
  g_clear_pointer (&self->magic.loaded, g_free);
}

static void
run_magic (Chat *self, const char *line)
{
  gboolean was_running = interp_session_has_running (self->session);

  interp_magic_run (&self->magic, line);
  interp_transcript_printer_set_verbose (self->printer, self->magic.verbose);
  if (!was_running && interp_session_has_running (self->session))
    self->expected = interp_session_get_state (self->session) == INTERP_SESSION_IDLE;
}

static DexFuture *
prompt_flow (gpointer data)
{
  Chat *self = data;
  g_autoptr (GError) error = NULL;
  g_autofree char *line = dex_await_string (interp_prompt_ask (PROMPT, PROMPT_STYLE, TRUE), &error);
  g_autofree char *text = NULL;

  interp_tty_set_mode (self->tty, INTERP_TTY_QUIET);
  if (error == NULL && line == NULL)
    leave (self, 0);
  else if (error == NULL)
    {
      g_strstrip (line);
      text = g_str_has_prefix (line, FENCE) ? read_lines (line) : g_strdup (line);
      interp_tty_set_mode (self->tty, INTERP_TTY_QUIET);
      if (text != NULL && *g_strstrip (text) == '%')
        run_magic (self, text);
      else if (text != NULL && *text != '\0')
        send (self, text);
    }
  self->asking = FALSE;
  if (self->leaving)
    return dex_future_new_true ();
  update (self);
  return dex_future_new_true ();
}

static DexFuture *
question_flow (gpointer data)
{
  Chat *self = data;
  InterpCell *cell = interp_transcript_printer_get_waiting (self->printer);

  if (cell != NULL)
    dex_await (interp_question_ask (self->tty, self->session, cell), NULL);
  self->asking = FALSE;
  update (self);
  return dex_future_new_true ();
}

/* ---- what the session does ---- */

/* Decides what stands at the bottom: a question, the prompt, or what is being waited for. */
static void
update (gpointer data)
{
  Chat *self = data;
  const char *status;

  if (self->leaving || self->asking || !self->ready)
    return;
  if (interp_session_get_state (self->session) != INTERP_SESSION_IDLE)
    self->expected = FALSE;

  if (interp_transcript_printer_get_waiting (self->printer) != NULL)
    {
      self->asking = TRUE;
      interp_fiber_run ("ask", question_flow, g_rc_box_acquire (self), chat_unref);
    }
  else if (!is_busy (self) && interp_transcript_printer_is_done (self->printer))
    {
      self->asking = TRUE;
      interp_tty_set_passing (self->tty, NULL);
      interp_tty_start_line (self->tty);
      interp_tty_reset (self->tty);
      interp_tty_write (self->tty, "\n", 1);
      interp_fiber_run ("prompt", prompt_flow, g_rc_box_acquire (self), chat_unref);
    }
  else
    {
      status = interp_session_get_status (self->session);
      interp_tty_set_passing (self->tty, status);
    }
}

static void
on_state_changed (Chat *self)
{
  if (self->ready)
    interp_transcript_printer_update (self->printer);
}

static void
on_status_changed (Chat *self)
{
  if (!self->asking && !self->leaving)
    interp_tty_set_passing (self->tty, interp_session_get_status (self->session));
}

static void
on_finished (InterpSession *session, gboolean failed, Chat *self)
{
  self->expected = FALSE;
  interp_transcript_printer_update (self->printer);
}

/* A cell that waited was answered elsewhere: the question goes. */
static void
on_question_changed (Chat *self)
{
  if (self->asking && interp_prompt_is_asking () && interp_transcript_printer_get_waiting (self->printer) == NULL
      && interp_session_get_state (self->session) != INTERP_SESSION_IDLE)
    interp_prompt_cancel ();
}

static void
on_kernel_added (InterpSession *session, InterpKernel *kernel, Chat *self)
{
  if (interp_tty_is_interactive (self->tty))
    g_ptr_array_add (self->taps, interp_kernel_tap_new (self->tty, kernel));
}

/* ---- signals ---- */

/* Ctrl+C: first the code, then the answer, then the line, then the program. */
static gboolean
on_interrupt (gpointer data)
{
  Chat *self = data;

  if (interp_question_is_editing ())
    return G_SOURCE_CONTINUE;
  if (!self->ready)
    leave (self, 130);
  else if (self->asking && interp_prompt_is_asking ())
    {
      gboolean at_prompt = interp_transcript_printer_get_waiting (self->printer) == NULL;

      if (at_prompt && interp_prompt_is_empty ())
        leave (self, 0);
      else
        interp_prompt_cancel ();
    }
  else
    interp_session_stop (self->session);
  return G_SOURCE_CONTINUE;
}

static gboolean
on_terminate (gpointer data)
{
  leave (data, 128 + SIGTERM);
  return G_SOURCE_CONTINUE;
}

static gboolean
on_hang_up (gpointer data)
{
  leave (data, 128 + SIGHUP);
  return G_SOURCE_CONTINUE;
}

static gboolean
on_resize (gpointer data)
{
  Chat *self = data;

  interp_prompt_resize ();
  if (self->printer != NULL)
    interp_transcript_printer_resize (self->printer);
  return G_SOURCE_CONTINUE;
}

/* ---- the beginning ---- */

static void
greet (Chat *self)
{
  InterpModel *model = interp_session_get_model (self->session);
  g_autofree char *name = model != NULL ? interp_model_dup_name (model) : NULL;
  g_autofree char *place = model != NULL ? interp_provider_describe_place (interp_model_get_provider (model)) : NULL;
  g_autofree char *folder = interp_paths_display (
      interp_session_get_folder (self->session) != NULL ? interp_session_get_folder (self->session) : ".");
  g_autofree char *first = NULL;

  if (interp_engine_get_notice (self->engine) != NULL)
    {
      g_autofree char *notice = g_strconcat (interp_engine_get_notice (self->engine), "\n", NULL);

      interp_tty_print_styled (self->tty, "33", notice);
    }
  if (model != NULL)
    first = g_strdup_printf ("Interpreter · %s (%s) · %s\n", name, place, folder);
  else
    first = g_strdup_printf ("Interpreter · %s\n", folder);
  interp_tty_print_styled (self->tty, "1", first);
  if (model == NULL)
    interp_tty_print_styled (self->tty, "33",
                             _ ("No model was found. “interpreter --list-models” shows what there is, "
                                "“--model NAME” or “--api_base "
                                "ADDRESS” chooses one, and “--model tour” shows what this is without a "
                                "model.\n"));
  if (interp_session_get_mode (self->session) == INTERP_MODE_AUTO)
    interp_tty_print_styled (self->tty, "33", _ ("Code runs without asking, with all that you may do yourself.\n"));
  if (interp_session_is_safe (self->session))
    interp_safe_lines_print (self->tty, self->session);
  interp_tty_print_styled (self->tty, "2", _ ("Ctrl+C stops code and answers, Ctrl+D leaves, %help lists commands.\n"));
}

static void
watch_session (Chat *self)
{
  GListModel *kernels = interp_session_get_kernels (self->session);

  g_signal_connect_swapped (self->session, "notify::state", G_CALLBACK (on_state_changed), self);
  g_signal_connect_swapped (self->session, "notify::status", G_CALLBACK (on_status_changed), self);
  g_signal_connect_swapped (self->session, "notify::question", G_CALLBACK (on_question_changed), self);
  g_signal_connect (self->session, "finished", G_CALLBACK (on_finished), self);
  g_signal_connect (self->session, "kernel-added", G_CALLBACK (on_kernel_added), self);
  for (guint i = 0; i < g_list_model_get_n_items (kernels); i++)
    {
      g_autoptr (InterpKernel) kernel = g_list_model_get_item (kernels, i);

      on_kernel_added (self->session, kernel, self);
    }
}

static DexFuture *
start_flow (gpointer data)
{
  Chat *self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (InterpModel) model = NULL;
  gboolean kept = self->session != NULL;

  interp_tty_set_mode (self->tty, INTERP_TTY_QUIET);
  if (!kept)
    self->session = interp_engine_new_session (self->engine, self->command_line->options);
  self->magic.session = self->session;
  interp_tty_set_passing (self->tty, _ ("Looking for models"));
  model = interp_console_choose_model (self->engine, self->session, self->command_line->options, &error);
  interp_tty_set_passing (self->tty, NULL);
  if (self->leaving)
    return dex_future_new_true ();
  if (error != NULL)
    {
      g_autofree char *line = g_strconcat (error->message, "\n", NULL);

      interp_tty_print_styled (self->tty, "31", line);
      leave (self, 1);
      return dex_future_new_true ();
    }
  if (model != NULL)
    interp_session_set_model (self->session, model);
  greet (self);
  watch_session (self);
  self->printer
      = interp_transcript_printer_new (self->tty, self->session,
                                       !self->command_line->no_highlight_active_line && !self->command_line->plain,
                                       update, self);
  interp_transcript_printer_set_verbose (self->printer, self->magic.verbose);
  interp_transcript_printer_set_show_user (self->printer, TRUE);
  interp_transcript_printer_update (self->printer);
  interp_transcript_printer_set_show_user (self->printer, FALSE);

  self->ready = TRUE;
  if (self->command_line->words != NULL)
    send (self, self->command_line->words);
  update (self);
  return dex_future_new_true ();
}

/* Nothing calls us any more, whatever goes on in the engine. */
static void
stop_watching (Chat *self)
{
  if (self->session != NULL)
    g_signal_handlers_disconnect_by_data (self->session, self);
  g_clear_pointer (&self->printer, interp_transcript_printer_free);
  g_ptr_array_set_size (self->taps, 0);
}

int
interp_terminal_chat_run (InterpEngine *engine, const InterpCommandLine *command_line, InterpSession *session)
{
  g_autofree char *history = g_build_filename (interp_paths_data (), "terminal-history", NULL);
  g_autoptr (GPtrArray) taps = g_ptr_array_new_with_free_func ((GDestroyNotify) interp_kernel_tap_free);
  Chat *self = g_rc_box_new0 (Chat);
  guint sources[4];
  int status;

  self->engine = g_object_ref (engine);
  self->command_line = command_line;
  self->session = session != NULL ? g_object_ref (session) : NULL;
  self->tty = interp_tty_new (stdout, command_line->plain);
  self->taps = taps;
  self->loop = g_main_loop_new (NULL, FALSE);
  self->magic = (InterpMagicContext) { .engine = engine, .tty = self->tty, .verbose = command_line->verbose };
  sources[0] = g_unix_signal_add (SIGINT, on_interrupt, self);
  sources[1] = g_unix_signal_add (SIGTERM, on_terminate, self);
  sources[2] = g_unix_signal_add (SIGHUP, on_hang_up, self);
  sources[3] = g_unix_signal_add (SIGWINCH, on_resize, self);
  interp_prompt_begin (self->tty, history);

  interp_fiber_run ("start", start_flow, g_rc_box_acquire (self), chat_unref);
  g_main_loop_run (self->loop);

  interp_prompt_end ();
  for (guint i = 0; i < G_N_ELEMENTS (sources); i++)
    g_source_remove (sources[i]);
  stop_watching (self);
  interp_tty_reset (self->tty);
  interp_tty_set_mode (self->tty, INTERP_TTY_NORMAL);
  status = self->status;
  chat_unref (self);
  return status;
}
