/* interp-magic.c: the commands that begin with %
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "interp-magic.h"

#include <gio/gio.h>
#include <glib/gi18n.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/interp-clock.h"
#include "base/interp-paths.h"
#include "base/interp-text.h"
#include "interp-safe-lines.h"

#define DEFAULT_MESSAGES "messages.json"
#define DEFAULT_MARKDOWN "conversation.md"
#define PREVIEW_CHARS 30

typedef struct
{
  const char *name;
  const char *argument;
  const char *help;
  void (*run) (InterpMagicContext *context, const char *argument);
} Magic;

static void say (InterpMagicContext *context, const char *format, ...) G_GNUC_PRINTF (2, 3);

static void
say (InterpMagicContext *context, const char *format, ...)
{
  g_autofree char *text = NULL;
  g_autofree char *line = NULL;
  va_list values;

  va_start (values, format);
  text = g_strdup_vprintf (format, values);
  va_end (values);
  line = g_strconcat (text, "\n", NULL);
  interp_tty_print_styled (context->tty, "0", line);
}

static void
complain (InterpMagicContext *context, const char *sentence)
{
  g_autofree char *line = g_strconcat (sentence, "\n", NULL);

  interp_tty_print_styled (context->tty, "31", line);
}

/* "", "true", "false": on without a word. FALSE when it is another. */
static gboolean
read_switch (InterpMagicContext *context, const char *argument, gboolean *on)
{
  *on = *argument == '\0' || g_ascii_strcasecmp (argument, "true") == 0 || g_ascii_strcasecmp (argument, "on") == 0;
  if (*on || g_ascii_strcasecmp (argument, "false") == 0 || g_ascii_strcasecmp (argument, "off") == 0)
    return TRUE;
  complain (context, _ ("It takes true or false."));
  return FALSE;
}

/* ---- the conversation ---- */

static void
run_shell (InterpMagicContext *context, const char *argument)
{
  if (*argument == '\0')
    complain (context, _ ("%% takes a shell command after it."));
  else
    interp_session_run_code (context->session, "shell", argument);
}

static void
set_verbose (InterpMagicContext *context, const char *argument)
{
  if (!read_switch (context, argument, &context->verbose))
    return;
  say (context, "%s", context->verbose ? _ ("Thinking is shown in full.") : _ ("Thinking is not shown."));
}

static void
set_auto_run (InterpMagicContext *context, const char *argument)
{
  gboolean on;

  if (!read_switch (context, argument, &on))
    return;
  interp_session_set_mode (context->session, on ? INTERP_MODE_AUTO : INTERP_MODE_ASK);
  say (context, "%s",
       on && interp_session_is_safe (context->session)
           ? _ ("Code runs without asking from now on, in the sandbox. %auto_run false ends it.")
       : on ? _ ("Code runs without asking from now on, with all that you may do yourself. Deleting outside "
                 "the folder and "
                 "administrator rights still ask. %auto_run false ends it.")
            : _ ("Every block asks before it runs."));
}

static void
set_safe_mode (InterpMagicContext *context, const char *argument)
{
  gboolean on;

  if (!read_switch (context, argument, &on))
    return;
  interp_session_set_safe (context->session, on);
  if (on)
    interp_safe_lines_print (context->tty, context->session);
  else
    say (context, "%s", _ ("Safe mode is off: approved code can do whatever you can do."));
}

static InterpCell *
find_last_blocked (InterpSession *session)
{
  GListModel *items = interp_session_get_items (session);

  for (guint i = g_list_model_get_n_items (items); i > 0; i--)
    {
      g_autoptr (InterpItem) item = g_list_model_get_item (items, i - 1);

      if (INTERP_IS_CELL (item) && interp_cell_is_network_blocked (INTERP_CELL (item)))
        return INTERP_CELL (g_steal_pointer (&item));
    }
  return NULL;
}

static void
set_network (InterpMagicContext *context, const char *argument)
{
  g_autoptr (InterpCell) cell = NULL;
  gboolean on;

  if (argument != NULL && g_str_equal (argument, "once"))
    {
      cell = find_last_blocked (context->session);
      if (cell != NULL)
        interp_session_run_in_place (context->session, cell, INTERP_RUN_PLACE_NETWORK);
      else
        say (context, "%s", _ ("No code was kept from the network."));
      return;
    }
  if (!read_switch (context, argument, &on))
    return;
  interp_session_set_network (context->session, on);
  if (interp_session_is_safe (context->session))
    interp_safe_lines_print (context->tty, context->session);
}

static void
add_dir (InterpMagicContext *context, const char *argument)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = NULL;

  if (argument == NULL || *argument == '\0')
    {
      interp_safe_lines_print (context->tty, context->session);
      return;
    }
  path = g_str_has_prefix (argument, "~/") ? g_build_filename (g_get_home_dir (), argument + 2, NULL)
                                           : g_canonicalize_filename (argument, NULL);
  if (!interp_session_add_folder (context->session, path, &error))
    say (context, "%s", error->message);
  else if (interp_session_is_safe (context->session))
    interp_safe_lines_print (context->tty, context->session);
}

static void
reset (InterpMagicContext *context, const char *argument)
{
  interp_session_reset (context->session);
  g_clear_pointer (&context->loaded, g_free);
  say (context, "%s", _ ("Variables are gone and the conversation is empty."));
}

static void
undo (InterpMagicContext *context, const char *argument)
{
  GListModel *items = interp_session_get_items (context->session);
  guint n = g_list_model_get_n_items (items);
  guint from = n;

  for (guint i = n; i > 0 && from == n; i--)
    {
      g_autoptr (InterpItem) item = g_list_model_get_item (items, i - 1);

      if (interp_item_get_kind (item) == INTERP_ITEM_USER)
        from = i - 1;
    }
  if (from == n)
    {
      say (context, "%s", _ ("There is nothing to take back."));
      return;
    }
  for (guint i = from; i < n; i++)
    {
      g_autoptr (InterpItem) item = g_list_model_get_item (items, i);
      const char *text
          = INTERP_IS_CELL (item) ? interp_cell_get_code (INTERP_CELL (item)) : interp_item_get_text (item);
      g_autofree char *preview = interp_text_summary (text != NULL ? text : "", PREVIEW_CHARS);

      say (context, _ ("Taken back: %s"), preview);
    }
  interp_session_undo (context->session);
}

static void
run_cell (InterpMagicContext *context, const char *argument)
{
  GListModel *items = interp_session_get_items (context->session);
  g_autoptr (InterpCell) wanted = NULL;
  g_auto (GStrv) words = g_strsplit_set (argument, " ", 2);
  const char *language = words[0] != NULL && words[1] != NULL ? g_strstrip (words[1]) : NULL;
  guint64 number = 0;
  guint n_cells = 0;

  if (words[0] != NULL && !g_ascii_string_to_unsigned (words[0], 10, 1, G_MAXUINT, &number, NULL))
    {
      complain (context, _ ("%run takes the number of a block."));
      return;
    }
  for (guint i = 0; i < g_list_model_get_n_items (items); i++)
    {
      g_autoptr (InterpItem) item = g_list_model_get_item (items, i);

      if (!INTERP_IS_CELL (item))
        continue;
      n_cells++;
      /* Without a number: the last that can run. */
      if (number == 0 ? interp_cell_is_runnable (INTERP_CELL (item)) : n_cells == number)
        g_set_object (&wanted, INTERP_CELL (item));
    }
  if (wanted == NULL)
    complain (context, _ ("There is no such block."));
  else if (interp_cell_is_only_shown (wanted) && language != NULL && interp_kernel_specs_lookup (language) != NULL)
    interp_session_run_code (context->session, language, interp_cell_get_code (wanted));
  else if (interp_cell_is_only_shown (wanted))
    complain (context, _ ("This block names no language: %run takes its number and the language."));
  else if (!interp_cell_is_runnable (wanted))
    complain (context, _ ("This block cannot run."));
  else
    interp_session_run_again (context->session, wanted, interp_cell_get_code (wanted));
}

/* ---- files ---- */

static char *
expand_path (const char *argument, const char *otherwise, const char *suffix)
{
  g_autofree char *path = NULL;

  if (*argument == '\0')
    argument = otherwise;
  if (g_str_has_prefix (argument, "~/"))
    path = g_build_filename (g_get_home_dir (), argument + 2, NULL);
  else
    path = g_strdup (argument);
  return g_str_has_suffix (path, suffix) ? g_steal_pointer (&path) : g_strconcat (path, suffix, NULL);
}

static void
save (InterpMagicContext *context, const char *path, const char *contents)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *shown = interp_paths_display (path);

  if (interp_paths_write_atomically (path, contents, -1, &error))
    say (context, _ ("Saved as %s"), shown);
  else
    complain (context, error->message);
}

/* In the chat's fiber. @document is taken. */
static void
save_export (InterpMagicContext *context, const char *path, DexFuture *document)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *contents = dex_await_string (document, &error);

  if (contents != NULL)
    save (context, path, contents);
  else
    complain (context, error->message);
}

static void
save_messages (InterpMagicContext *context, const char *argument)
{
  g_autofree char *path = expand_path (argument, DEFAULT_MESSAGES, ".json");
  g_autofree char *json = interp_magic_export_messages (context->session);

  save (context, path, json);
}

static void
load_messages (InterpMagicContext *context, const char *argument)
{
  g_autofree char *path = expand_path (argument, DEFAULT_MESSAGES, ".json");
  g_autofree char *shown = interp_paths_display (path);
  g_autofree char *json = NULL;
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  gsize length;
  guint n_messages = 0;

  if (g_file_get_contents (path, &json, &length, &error) && strlen (json) == length)
    text = interp_magic_import_messages (json, &n_messages, &error);
  if (text == NULL)
    {
      g_autofree char *sentence = g_strdup_printf (_ ("%s cannot be loaded: %s"), shown,
                                                   error != NULL ? error->message : _ ("It is not valid text."));

      complain (context, sentence);
      return;
    }
  g_free (context->loaded);
  context->loaded = g_strdup_printf ("This is an earlier conversation, loaded from a file. Go on from it.\n\n%s", text);
  say (context,
       ngettext ("%u message goes to the model with what you write next.",
                 "%u messages go to the model with what you write next.", n_messages),
       n_messages);
}

static void
save_markdown (InterpMagicContext *context, const char *argument)
{
  g_autofree char *path = expand_path (argument, DEFAULT_MARKDOWN, ".md");

  save_export (context, path, interp_session_export_markdown (context->session));
}

static void
save_notebook (InterpMagicContext *context, const char *argument)
{
  const char *downloads = g_get_user_special_dir (G_USER_DIRECTORY_DOWNLOAD);
  g_autoptr (GDateTime) utc = g_date_time_new_from_unix_utc (interp_clock_now () / 1000);
  g_autoptr (GDateTime) now = g_date_time_to_local (utc);
  g_autofree char *name = g_date_time_format (now, "interpreter-%Y-%m-%d-%H%M%S.ipynb");
  g_autofree char *otherwise = NULL;
  g_autofree char *path = NULL;

  if (downloads == NULL || !g_file_test (downloads, G_FILE_TEST_IS_DIR))
    downloads = interp_session_get_folder (context->session);
  otherwise = g_build_filename (downloads != NULL ? downloads : ".", name, NULL);
  path = expand_path (argument, otherwise, ".ipynb");
  save_export (context, path, interp_session_export_notebook (context->session));
}

/* ---- facts ---- */

static void
show_tokens (InterpMagicContext *context, const char *argument)
{
  gint64 window = interp_session_get_window (context->session);
  gint64 tokens = 0;
  g_autofree char *request = interp_session_describe_request (context->session, &tokens);

  /* Four bytes a token, as the request itself is estimated. */
  tokens += strlen (argument) / 4;
  if (window > 0)
    say (context, _ ("The next request has about %ld tokens, of %ld that the model can take."), (long) tokens,
         (long) window);
  else
    say (context, _ ("The next request has about %ld tokens."), (long) tokens);
}

static void
show_info (InterpMagicContext *context, const char *argument)
{
  InterpModel *model = interp_session_get_model (context->session);
  g_autofree char *name = model != NULL ? interp_model_dup_name (model) : g_strdup (_ ("none"));
  g_autofree char *place
      = model != NULL ? interp_provider_describe_place (interp_model_get_provider (model)) : g_strdup ("");
  g_autofree char *folder = interp_session_get_folder (context->session) != NULL
                                ? interp_paths_display (interp_session_get_folder (context->session))
                                : g_strdup ("");
  g_autofree char *system = g_get_os_info (G_OS_INFO_KEY_PRETTY_NAME);
  g_autofree char *memory = interp_text_format_size ((guint64) sysconf (_SC_PHYS_PAGES) * sysconf (_SC_PAGESIZE));
  GListModel *kernels = interp_session_get_kernels (context->session);
  struct utsname machine;

  uname (&machine);
  say (context, "Interpreter %s", PACKAGE_VERSION);
  say (context, _ ("System: %s, Linux %s, %s, %ld processors, %s of memory"), system != NULL ? system : "Linux",
       machine.release, machine.machine, sysconf (_SC_NPROCESSORS_ONLN), memory);
  say (context, _ ("Model: %s %s"), name, place);
  say (context, _ ("Folder: %s"), folder);
  say (context, _ ("Mode: %s"), interp_mode_to_string (interp_session_get_mode (context->session)));
  for (guint i = 0; i < g_list_model_get_n_items (kernels); i++)
    {
      g_autoptr (InterpKernel) kernel = g_list_model_get_item (kernels, i);
      const char *path = interp_kernel_get_interpreter (kernel);
      const char *version = interp_kernel_get_version (kernel);

      say (context, "%s: %s %s", interp_kernel_spec_get_title (interp_kernel_get_spec (kernel)),
           path != NULL ? path : "", version != NULL ? version : "");
    }
  say (context, _ ("Messages and blocks: %u"), g_list_model_get_n_items (interp_session_get_items (context->session)));
}

static void show_help (InterpMagicContext *context, const char *argument);

/* clang-format off */
static const Magic table[] = {
  { "%", N_("COMMAND"), N_("Run a shell command at once, in the chat’s own shell"), run_shell },
  { "auto_run", N_("[true|false]"), N_("Run code without asking, or ask again"), set_auto_run },
  { "safe_mode", N_("[true|false]"), N_("Run code in a sandbox, or outside again"), set_safe_mode },
  { "network", N_("true|false|once"), N_("In safe mode: the network for code; once: for the last code that wanted it"), set_network },
  { "add_dir", N_("FOLDER"), N_("In safe mode: a further folder for code"), add_dir },
  { "run", N_("[NUMBER [LANGUAGE]]"), N_("Run a block that was shown and not run, or run one again"), run_cell },
  { "undo", "", N_("Take the last message and all that came of it back"), undo },
  { "reset", "", N_("End all kernels and begin anew"), reset },
  { "save_message", N_("[FILE]"), N_("Save the conversation as JSON"), save_messages },
  { "load_message", N_("[FILE]"), N_("Load a saved conversation, for the model to go on from"), load_messages },
  { "markdown", N_("[FILE]"), N_("Save the conversation as Markdown"), save_markdown },
  { "jupyter", N_("[FILE]"), N_("Save the conversation as a notebook with its outputs"), save_notebook },
  { "tokens", N_("[TEXT]"), N_("How long the next request is"), show_tokens },
  { "info", "", N_("Versions, model, folder, kernels"), show_info },
  { "verbose", N_("[true|false]"), N_("Show thinking in full, or not"), set_verbose },
  { "help", "", N_("Show this"), show_help },
};
/* clang-format on */

static void
show_help (InterpMagicContext *context, const char *argument)
{
  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      const char *value = *table[i].argument != '\0' ? _ (table[i].argument) : "";
      g_autofree char *left = g_strdup_printf ("%%%s %s", table[i].name, value);

      say (context, "  %s%*s%s", left, (int) MAX (1, 28 - g_utf8_strlen (left, -1)), "", _ (table[i].help));
    }
  say (context, "  \"\"\"%*s%s", 25, "", _ ("Begin and end a message of several lines"));
}

void
interp_magic_run (InterpMagicContext *context, const char *line)
{
  g_autofree char *owned = g_strdup (line + 1);
  char *name = owned;
  char *argument;
  gboolean is_shell = *name == '%';

  /* "%%ls" needs no blank. */
  gsize length = is_shell ? 1 : strcspn (name, " \t\n");

  argument = g_strstrip (g_strdup (name + length));
  name[length] = '\0';
  if (g_str_equal (name, "debug"))
    name = (char *) "verbose"; /* Open Interpreter's older name */
  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    if (g_str_equal (table[i].name, name))
      {
        table[i].run (context, argument);
        g_free (argument);
        return;
      }
  {
    g_autofree char *sentence = g_strdup_printf (_ ("There is no command %%%s."), name);

    complain (context, sentence);
    show_help (context, "");
  }
  g_free (argument);
}
