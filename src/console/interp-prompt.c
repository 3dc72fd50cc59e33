/* interp-prompt.c: a line typed by the user, with editing and history, beside the main loop
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "interp-prompt.h"

#include <gio/gio.h>
#include <glib-unix.h>
#include <stdio.h>
#include <stdlib.h>
#include <readline/history.h>
#include <readline/readline.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/interp-text.h"

#define HISTORY_MAX 1000

static struct
{
  InterpTty *tty;
  char *history_path;
  DexPromise *promise; /* while a question stands */
  gboolean remember;
  gboolean hidden;
  guint source;
} prompt;

static DexPromise *
stop_asking (void)
{
  g_clear_handle_id (&prompt.source, g_source_remove);
  rl_callback_handler_remove ();
  return g_steal_pointer (&prompt.promise);
}

static void
remember_line (const char *text)
{
  HIST_ENTRY *last = history_length > 0 ? history_get (history_base + history_length - 1) : NULL;

  if (*text == '\0' || (last != NULL && g_strcmp0 (last->line, text) == 0))
    return;
  add_history (text);
}

/* readline calls this when a line is whole, which is ours then. */
static void
on_line (char *line)
{
  g_autofree char *text = line != NULL ? interp_text_make_valid (line, -1) : NULL;
  g_autoptr (DexPromise) promise = stop_asking ();

  free (line);
  if (text == NULL)
    interp_tty_write (prompt.tty, "\n", 1);
  else if (prompt.remember)
    remember_line (text);
  dex_promise_resolve_string (promise, g_steal_pointer (&text));
}

static gboolean
on_input (int fd, GIOCondition condition, gpointer data)
{
  rl_callback_read_char ();
  return G_SOURCE_CONTINUE;
}

/* Tab is no completion here: it is what was typed or pasted. */
static int
insert_tab (int count, int key)
{
  return rl_insert_text ("\t");
}

void
interp_prompt_begin (InterpTty *tty, const char *history_path)
{
  prompt.tty = tty;
  rl_readline_name = "Interpreter";
  rl_catch_signals = 0;
  rl_catch_sigwinch = 0;
  rl_instream = stdin;
  rl_outstream = interp_tty_get_output (tty);
  rl_initialize ();
  rl_variable_bind ("enable-bracketed-paste", "on");
  rl_variable_bind ("bell-style", "none");
  rl_bind_key ('\t', insert_tab);
  using_history ();
  stifle_history (HISTORY_MAX);
  /* Times stand between the entries, so that an entry can have several lines. */
  history_comment_char = '#';
  history_write_timestamps = 1;
  history_multiline_entries = 1;
  if (history_path != NULL)
    {
      prompt.history_path = g_strdup (history_path);
      read_history (history_path);
    }
}

void
interp_prompt_end (void)
{
  if (prompt.promise != NULL)
    interp_prompt_cancel ();
  if (prompt.history_path != NULL)
    {
      mode_t mask = umask (077);

      write_history (prompt.history_path);
      umask (mask);
    }
  g_clear_pointer (&prompt.history_path, g_free);
  clear_history ();
  prompt.tty = NULL;
}

DexFuture *
interp_prompt_ask (const char *text, const char *style, gboolean remember)
{
  g_autofree char *shown = NULL;

  g_return_val_if_fail (prompt.promise == NULL, NULL);

  if (prompt.tty == NULL)
    return dex_future_new_reject (G_IO_ERROR, G_IO_ERROR_CANCELLED, "cancelled");

  /* readline must know which bytes take no room. */
  if (interp_tty_is_styled (prompt.tty))
    shown = g_strdup_printf ("\001\033[%sm\002%s\001\033[0m\002", style, text);
  else
    shown = g_strdup (text);
  interp_tty_set_passing (prompt.tty, NULL);
  interp_tty_start_line (prompt.tty);
  interp_tty_set_mode (prompt.tty, INTERP_TTY_NORMAL);
  prompt.promise = dex_promise_new ();
  prompt.remember = remember;
  prompt.hidden = FALSE;
  rl_callback_handler_install (shown, on_line);
  prompt.source = g_unix_fd_add (STDIN_FILENO, G_IO_IN | G_IO_HUP | G_IO_ERR, on_input, NULL);
  return dex_ref (DEX_FUTURE (prompt.promise));
}

gboolean
interp_prompt_is_asking (void)
{
  return prompt.promise != NULL;
}

gboolean
interp_prompt_is_empty (void)
{
  return rl_end == 0;
}

void
interp_prompt_cancel (void)
{
  g_autoptr (DexPromise) promise = NULL;

  if (prompt.promise == NULL)
    return;
  rl_free_line_state ();
  rl_callback_sigcleanup ();
  rl_replace_line ("", 0);
  promise = stop_asking ();
  interp_tty_write (prompt.tty, "\n", 1);
  dex_promise_reject (promise, g_error_new_literal (G_IO_ERROR, G_IO_ERROR_CANCELLED, "cancelled"));
}

void
interp_prompt_resize (void)
{
  if (prompt.promise != NULL)
    rl_resize_terminal ();
}

void
interp_prompt_hide (void)
{
  if (prompt.promise == NULL || prompt.hidden)
    return;
  prompt.hidden = TRUE;
  rl_clear_visible_line ();
}

void
interp_prompt_show (void)
{
  if (prompt.promise == NULL || !prompt.hidden)
    return;
  prompt.hidden = FALSE;
  interp_tty_start_line (prompt.tty);
  rl_on_new_line ();
  rl_redisplay ();
}
