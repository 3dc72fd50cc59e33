/* main.c: the command "interpreter"
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <libdex.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/interp-environment.h"
#include "base/interp-paths.h"
#include "base/interp-text.h"
#include "interp-command-line.h"
#include "interp-list.h"
#include "interp-policy-check.h"
#include "interp-task.h"
#include "interp-terminal-chat.h"

/* A prompt longer than this is a file given by mistake. */
#define INPUT_MAX (4 * 1024 * 1024)

/* First words that are commands of their own, in versions that have them. */
static const char *const subcommands[] = { "mcp", "acp", NULL };

static void complain (const char *format, ...) G_GNUC_PRINTF (1, 2);

static void
complain (const char *format, ...)
{
  g_autofree char *text = NULL;
  g_autofree char *visible = NULL;
  va_list values;

  va_start (values, format);
  text = g_strdup_vprintf (format, values);
  va_end (values);
  visible = interp_text_make_visible (text);
  fprintf (stderr, "interpreter: %s\n", visible);
}

static gboolean
has_display (void)
{
  const char *wayland = g_getenv ("WAYLAND_DISPLAY");
  const char *x11 = g_getenv ("DISPLAY");

  return (wayland != NULL && *wayland != '\0') || (x11 != NULL && *x11 != '\0');
}

/* ---- what is piped in ---- */

static gboolean
input_is_piped (void)
{
  struct stat status;

  return fstat (STDIN_FILENO, &status) == 0
         && (S_ISFIFO (status.st_mode) || S_ISREG (status.st_mode) || S_ISSOCK (status.st_mode));
}

static char *
read_input (GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  char piece[65536];
  gssize n;

  while ((n = read (STDIN_FILENO, piece, sizeof piece)) != 0)
    {
      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0 || text->len + n > INPUT_MAX)
        {
          g_set_error_literal (error, G_FILE_ERROR, G_FILE_ERROR_FAILED,
                               n < 0 ? g_strerror (errno) : _ ("It is longer than 4 MB."));
          return NULL;
        }
      g_string_append_len (text, piece, n);
    }
  return interp_text_make_valid (text->str, text->len);
}

/* What is to be done: --task or the words, and what is piped in after them. FALSE: an error was said. */
static gboolean
find_prompt (const InterpCommandLine *command_line, char **prompt)
{
  const char *said = command_line->task != NULL ? command_line->task : command_line->words;
  g_autofree char *input = NULL;
  g_autoptr (GError) error = NULL;

  /* A task is whole: what stands on its standard input may be another program's. */
  if (command_line->from_stdin || (command_line->task == NULL && !isatty (STDIN_FILENO) && input_is_piped ()))
    {
      input = read_input (&error);
      if (input == NULL)
        {
          complain (_ ("Standard input cannot be read: %s"), error->message);
          return FALSE;
        }
      g_strchomp (input);
    }
  if (said != NULL && input != NULL && *input != '\0')
    *prompt = g_strconcat (said, "\n\n", input, NULL);
  else if (said != NULL)
    *prompt = g_strdup (said);
  else if (input != NULL && *input != '\0')
    *prompt = g_steal_pointer (&input);
  return TRUE;
}

/* ---- where it goes on ---- */

/* Returns only when there is no window. */
static void
become_window (const InterpCommandLine *command_line)
{
  g_autofree char *program = interp_paths_find_program ("interpreter-window");
  g_autoptr (GPtrArray) arguments = g_ptr_array_new ();

  if (program == NULL)
    return;
  g_ptr_array_add (arguments, program);
  for (guint i = 0; i < command_line->normalised->len; i++)
    g_ptr_array_add (arguments, g_ptr_array_index (command_line->normalised, i));
  g_ptr_array_add (arguments, NULL);
  execv (program, (char **) arguments->pdata);
}

static gboolean
wait_for (DexFuture *future, GError **error)
{
  g_autoptr (DexFuture) owned = future;

  while (dex_future_is_pending (owned))
    g_main_context_iteration (NULL, TRUE);
  return dex_future_get_value (owned, error) != NULL;
}

static int
run_engine (const InterpCommandLine *command_line, const char *prompt, gboolean headless)
{
  g_autoptr (InterpEngine) engine = NULL;
  g_autoptr (GError) error = NULL;
  int status;

  /* In a shell one works where one is. That may be gone, which is no reason to work at the root. */
  if (command_line->options->folder == NULL)
    {
      g_autofree char *here = getcwd (NULL, 0);

      if (here == NULL && !command_line->conversations)
        {
          complain (_ ("The folder that this was started in is no longer there: %s"), g_strerror (errno));
          return INTERP_EXIT_FAILED;
        }
      command_line->options->folder = g_get_current_dir ();
    }
  engine = interp_engine_new (command_line->options);

  if (!wait_for (interp_engine_start (engine), &error))
    {
      complain ("%s", error->message);
      return INTERP_EXIT_FAILED;
    }
  if (command_line->conversations)
    status = interp_list_conversations (engine, command_line);
  else if (headless)
    status = interp_task_run (engine, command_line, prompt);
  else
    status = interp_terminal_chat_run (engine, command_line, NULL);
  if (!wait_for (interp_engine_stop (engine), &error))
    complain ("%s", error->message);
  return status;
}

static int
list_models (const InterpCommandLine *command_line)
{
  g_autoptr (InterpModels) models = interp_models_new ();

  interp_models_set_offline (models, command_line->options->offline);
  return interp_list_models (models, command_line->options);
}

static int
run (const InterpCommandLine *command_line)
{
  g_autofree char *prompt = NULL;
  gboolean terminal = isatty (STDIN_FILENO) && isatty (STDOUT_FILENO);
  gboolean headless;

  dex_init ();
  interp_environment_use_own ();
  if (command_line->list_models)
    return list_models (command_line);
  if (command_line->conversations)
    return run_engine (command_line, NULL, FALSE);
  if (!find_prompt (command_line, &prompt))
    return INTERP_EXIT_FAILED;

  headless
      = command_line->task != NULL || command_line->json || command_line->from_stdin || (prompt != NULL && !terminal);
  if (headless && prompt == NULL)
    {
      complain ("%s", _ ("There is nothing to do: standard input is empty."));
      return INTERP_EXIT_USAGE;
    }
  if (!headless && prompt == NULL && !command_line->terminal && has_display ())
    {
      become_window (command_line);
      complain ("%s", _ ("The window cannot be started; the chat is here."));
    }
  if (!headless && !terminal)
    {
      complain ("%s", _ ("There is no terminal to chat in. Say what to do: interpreter --task \"…\""));
      return INTERP_EXIT_USAGE;
    }
  return run_engine (command_line, prompt, headless);
}

int
main (int argc, char **argv)
{
  g_autoptr (InterpCommandLine) command_line = NULL;
  g_autoptr (GError) error = NULL;

  setlocale (LC_ALL, "");
  bindtextdomain (GETTEXT_PACKAGE, LOCALEDIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);

  if (argc > 1 && g_str_equal (argv[1], "policy"))
    return interp_policy_check_run ((const char *const *) argv + 2);
  if (argc > 1 && g_strv_contains (subcommands, argv[1]))
    {
      complain (_ ("The command “%s” is not available in this version."), argv[1]);
      return INTERP_EXIT_USAGE;
    }
  command_line = interp_command_line_parse ((const char *const *) argv + (argc > 0), &error);
  if (command_line == NULL)
    {
      complain ("%s", error->message);
      return INTERP_EXIT_USAGE;
    }
  if (command_line->help)
    {
      g_autofree char *help = interp_command_line_help ();

      fputs (help, stdout);
      return INTERP_EXIT_DONE;
    }
  if (command_line->version)
    {
      puts ("Interpreter " PACKAGE_VERSION);
      return INTERP_EXIT_DONE;
    }
  return run (command_line);
}
