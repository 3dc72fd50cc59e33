/* interp-command-options.c: the window's command line
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "window/interp-command-options.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

static const GOptionEntry entries[] = {
  { "model", 'm', 0, G_OPTION_ARG_STRING, NULL, N_ ("Model to use: provider/name"), N_ ("NAME") },
  { "api-base", 0, 0, G_OPTION_ARG_STRING, NULL, N_ ("Address of an OpenAI-compatible server"), N_ ("ADDRESS") },
  { "api-key", 0, 0, G_OPTION_ARG_STRING, NULL, N_ ("Key for it"), N_ ("KEY") },
  { "temperature", 't', 0, G_OPTION_ARG_DOUBLE, NULL, N_ ("How much chance is in the answers"), N_ ("NUMBER") },
  { "context-window", 0, 0, G_OPTION_ARG_INT64, NULL, N_ ("How long a conversation the model is given"),
    N_ ("TOKENS") },
  { "max-tokens", 'x', 0, G_OPTION_ARG_INT64, NULL, N_ ("Longest answer"), N_ ("TOKENS") },
  { "max-output", 0, 0, G_OPTION_ARG_INT64, NULL, N_ ("How much of a run’s output the model is given"), N_ ("BYTES") },
  { "llm-supports-functions", 0, 0, G_OPTION_ARG_NONE, NULL, N_ ("The model can call tools"), NULL },
  { "no-llm-supports-functions", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE, NULL, NULL, NULL },
  { "llm-supports-vision", 0, 0, G_OPTION_ARG_NONE, NULL, N_ ("The model can see pictures"), NULL },
  { "no-llm-supports-vision", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE, NULL, NULL, NULL },
  { "auto-run", 'y', 0, G_OPTION_ARG_NONE, NULL, N_ ("Run code without asking, but for what is dangerous"), NULL },
  { "safe-mode", 0, 0, G_OPTION_ARG_NONE, NULL, N_ ("Run code in a sandbox; with --auto_run, unasked there"), NULL },
  { "add-dir", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, NULL,
    N_ ("In safe mode, a further folder for code; may be given again"), N_ ("FOLDER") },
  { "custom-instructions", 0, 0, G_OPTION_ARG_STRING, NULL, N_ ("Added to what the model is told"), N_ ("TEXT") },
  { "system-message", 0, 0, G_OPTION_ARG_STRING, NULL, N_ ("Told to the model instead of Interpreter’s own text"),
    N_ ("TEXT") },
  { "loop", 0, 0, G_OPTION_ARG_NONE, NULL, N_ ("Go on until the model says that it is done"), NULL },
  { "offline", 'o', 0, G_OPTION_ARG_NONE, NULL, N_ ("Use models on this computer only"), NULL },
  { "folder", 0, 0, G_OPTION_ARG_FILENAME, NULL, N_ ("Working folder of the new chat"), N_ ("FOLDER") },
  { NULL },
};

void
interp_command_options_normalise (int argc, char **argv)
{
  for (int i = 1; i < argc; i++)
    {
      if (g_str_equal (argv[i], "--"))
        return;
      if (g_str_has_prefix (argv[i], "--"))
        for (char *p = argv[i] + 2; *p && *p != '='; p++)
          if (*p == '_')
            *p = '-';
    }
}

void
interp_command_options_add (GApplication *application)
{
  g_application_add_main_option_entries (application, entries);
}

static char *
lookup_string (GVariantDict *dict, const char *name)
{
  char *value = NULL;

  g_variant_dict_lookup (dict, name, "s", &value);
  return value;
}

static gboolean
lookup_count (GVariantDict *dict, const char *name, gint64 *value, GError **error)
{
  if (!g_variant_dict_lookup (dict, name, "x", value) || *value > 0)
    return TRUE;
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, _ ("--%s takes a whole number from 1."), name);
  return FALSE;
}

/* --NAME or --no-NAME. */
static InterpSupport
lookup_support (GVariantDict *dict, const char *name)
{
  g_autofree char *opposite = g_strconcat ("no-", name, NULL);

  if (g_variant_dict_contains (dict, name))
    return INTERP_SUPPORT_YES;
  return g_variant_dict_contains (dict, opposite) ? INTERP_SUPPORT_NO : INTERP_SUPPORT_UNKNOWN;
}

/* From a menu a program starts in the home folder, which nobody chose. */
static char *
get_folder (GApplicationCommandLine *command_line, GVariantDict *dict)
{
  const char *cwd = g_application_command_line_get_cwd (command_line);
  g_autofree char *given = NULL;

  if (g_variant_dict_lookup (dict, "folder", "^ay", &given))
    {
      g_autoptr (GFile) file = g_application_command_line_create_file_for_arg (command_line, given);

      return g_file_get_path (file);
    }
  if (!cwd || g_str_equal (cwd, "/") || g_str_equal (cwd, g_get_home_dir ()))
    return NULL;
  return g_strdup (cwd);
}

static GStrv
get_folders (GApplicationCommandLine *command_line, GVariantDict *dict)
{
  g_autoptr (GStrvBuilder) folders = g_strv_builder_new ();
  g_auto (GStrv) given = NULL;

  g_variant_dict_lookup (dict, "add-dir", "^aay", &given);
  for (guint i = 0; given && given[i]; i++)
    {
      g_autoptr (GFile) file = g_application_command_line_create_file_for_arg (command_line, given[i]);
      const char *path = g_file_peek_path (file);

      if (path)
        g_strv_builder_add (folders, path);
    }
  return g_strv_builder_end (folders);
}

/* A key that only the calling shell's environment holds is this chat's alone. */
static char *
get_key_of_caller (GApplicationCommandLine *command_line, InterpModels *models, const char *model)
{
  const char *slash = model ? strchr (model, '/') : NULL;
  g_autofree char *id = slash ? g_strndup (model, (gsize) (slash - model)) : NULL;
  InterpProvider *provider = id ? interp_models_get_provider (models, id) : NULL;
  const char *variable = provider ? interp_provider_get_key_variable (provider) : NULL;
  const char *key = variable ? g_application_command_line_getenv (command_line, variable) : NULL;

  return key && *key && g_strcmp0 (key, g_getenv (variable)) != 0 ? g_strdup (key) : NULL;
}

InterpOptions *
interp_command_options_read (GApplicationCommandLine *command_line, InterpModels *models, GError **error)
{
  GVariantDict *dict;
  g_autoptr (InterpOptions) options = NULL;

  g_return_val_if_fail (G_IS_APPLICATION_COMMAND_LINE (command_line), NULL);
  g_return_val_if_fail (INTERP_IS_MODELS (models), NULL);

  dict = g_application_command_line_get_options_dict (command_line);
  options = interp_options_new ();
  options->model = lookup_string (dict, "model");
  options->api_base = lookup_string (dict, "api-base");
  options->api_key = lookup_string (dict, "api-key");
  options->custom_instructions = lookup_string (dict, "custom-instructions");
  options->system_message = lookup_string (dict, "system-message");
  options->folder = get_folder (command_line, dict);
  options->supports_functions = lookup_support (dict, "llm-supports-functions");
  options->supports_vision = lookup_support (dict, "llm-supports-vision");
  options->auto_run = g_variant_dict_contains (dict, "auto-run");
  options->safe_mode = g_variant_dict_contains (dict, "safe-mode");
  options->add_folders = get_folders (command_line, dict);
  options->loop = g_variant_dict_contains (dict, "loop");
  options->offline = g_variant_dict_contains (dict, "offline");
  g_variant_dict_lookup (dict, "temperature", "d", &options->temperature);
  if (!lookup_count (dict, "context-window", &options->context_window, error)
      || !lookup_count (dict, "max-tokens", &options->max_tokens, error)
      || !lookup_count (dict, "max-output", &options->max_output, error))
    return NULL;
  if (!isnan (options->temperature) && !(options->temperature >= 0 && options->temperature <= 10))
    {
      g_set_error_literal (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                           _ ("--temperature takes a number from 0 to 10."));
      return NULL;
    }
  if (!options->api_key)
    options->api_key = get_key_of_caller (command_line, models, options->model);
  return g_steal_pointer (&options);
}
