/* interp-policy-check.c
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <glib/gi18n.h>

#include "base/interp-json.h"
#include "base/interp-paths.h"
#include "base/interp-text.h"
#include "interp-policy-check.h"
#include "interp-task.h"
#include "policy/interp-script-verdict.h"

/* A longer script is a file given by mistake. */
#define INPUT_MAX (4 * 1024 * 1024)

typedef struct
{
  const char *language;
  const char *rules;  /* nullable */
  const char *script; /* nullable: it is read */
  gboolean json;
  gboolean help;
} Request;

static const struct
{
  const char *name;
  const char *value;
  const char *help;
} options[] = {
  { "--json", NULL, N_ ("Print the verdict as a JSON object") },
  { "--language", N_ ("LANGUAGE"), N_ ("What the script is written in; without this, shell") },
  { "--rules", N_ ("FILE"), N_ ("Judge by the rules of this file alone, not by your own") },
  { "--help", NULL, N_ ("Print this") },
};

static int
complain (const char *format, const char *detail)
{
  g_autofree char *text = g_strdup_printf (format, detail);
  g_autofree char *visible = interp_text_make_visible (text);

  fprintf (stderr, "interpreter: %s\n", visible);
  return INTERP_EXIT_USAGE;
}

static void
print_help (void)
{
  fputs (_ ("Usage: interpreter policy check [options] [SCRIPT]\n\n"
            "Says whether a script may run unasked, and why. Nothing is run. Without SCRIPT it is read from standard\n"
            "input.\n\nOptions:\n"),
         stdout);
  for (guint i = 0; i < G_N_ELEMENTS (options); i++)
    {
      g_autofree char *left = g_strdup_printf ("  %s%s%s", options[i].name, options[i].value != NULL ? " " : "",
                                               options[i].value != NULL ? _ (options[i].value) : "");

      printf ("%s%*s%s\n", left, (int) MAX (1, 24 - g_utf8_strlen (left, -1)), "", _ (options[i].help));
    }
}

/* TRUE: @value is that of the option @name, in the same word or the next. */
static gboolean
takes (const char *const *arguments, guint *i, const char *name, const char **value)
{
  gsize length = strlen (name);

  if (!g_str_has_prefix (arguments[*i], name))
    return FALSE;
  if (arguments[*i][length] == '=')
    *value = arguments[*i] + length + 1;
  else if (arguments[*i][length] == '\0')
    *value = arguments[*i + 1] != NULL ? arguments[++*i] : NULL;
  else
    return FALSE;
  return TRUE;
}

/* INTERP_EXIT_DONE, or the status to end with: an error was said. */
static int
parse (const char *const *arguments, Request *request)
{
  gboolean ended = FALSE;

  if (g_strcmp0 (arguments[0], "--help") == 0 || g_strcmp0 (arguments[0], "-h") == 0)
    {
      request->help = TRUE;
      return INTERP_EXIT_DONE;
    }
  if (g_strcmp0 (arguments[0], "check") != 0)
    return arguments[0] == NULL
               ? complain ("%s", _ ("After “policy” a command is missing: check."))
               : complain (_ ("There is no command “policy %s”. Is “policy check” meant?"), arguments[0]);
  for (guint i = 1; arguments[i] != NULL; i++)
    {
      const char *argument = arguments[i];
      const char *value = argument;

      if (ended || argument[0] != '-' || argument[1] == '\0')
        {
          if (request->script != NULL)
            return complain ("%s", _ ("The script is one argument: put it in quotation marks."));
          request->script = argument;
        }
      else if (g_str_equal (argument, "--"))
        ended = TRUE;
      else if (g_str_equal (argument, "--json"))
        request->json = TRUE;
      else if (g_str_equal (argument, "--help") || g_str_equal (argument, "-h"))
        request->help = TRUE;
      else if (takes (arguments, &i, "--language", &value))
        request->language = value;
      else if (takes (arguments, &i, "--rules", &value))
        request->rules = value;
      else
        return complain (_ ("There is no option %s. “interpreter policy --help” lists them."), argument);
      if (value == NULL || (value != argument && *value == '\0'))
        return complain (_ ("%s needs a value after it."), argument);
    }
  return INTERP_EXIT_DONE;
}

static GByteArray *
read_script (GError **error)
{
  g_autoptr (GByteArray) script = g_byte_array_new ();
  guint8 piece[65536];
  gssize n;

  while ((n = read (STDIN_FILENO, piece, sizeof piece)) != 0)
    {
      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0 || script->len + n > INPUT_MAX)
        {
          g_set_error_literal (error, G_FILE_ERROR, G_FILE_ERROR_FAILED,
                               n < 0 ? g_strerror (errno) : _ ("It is longer than 4 MB."));
          return NULL;
        }
      g_byte_array_append (script, piece, n);
    }
  return g_steal_pointer (&script);
}

static void
print_line (const char *indent, const char *mark, const char *text)
{
  g_autofree char *visible = interp_text_make_visible (text);

  g_strdelimit (visible, "\n\t", ' ');
  printf ("%s%s%s\n", indent, mark, visible);
}

static void
print_verdict (InterpScriptVerdict *verdict)
{
  GPtrArray *commands = interp_script_verdict_get_commands (verdict);
  GPtrArray *reasons = interp_script_verdict_get_reasons (verdict);

  puts (interp_verdict_to_string (interp_script_verdict_get_verdict (verdict)));
  for (guint i = 0; i < commands->len; i++)
    {
      InterpCommandVerdict *command = g_ptr_array_index (commands, i);
      g_autofree char *mark = g_strdup_printf ("%-6s", interp_verdict_to_string (command->verdict));

      print_line ("  ", mark, command->text);
    }
  for (guint i = 0; i < reasons->len; i++)
    print_line ("", "", g_ptr_array_index (reasons, i));
}

static int
judge (const Request *request, const char *script, gsize length, InterpRules *rules)
{
  g_autoptr (DexFuture) future = interp_script_verdict_judge (request->language, script, length, rules);
  const GValue *value;

  while (dex_future_is_pending (future))
    g_main_context_iteration (NULL, TRUE);
  value = dex_future_get_value (future, NULL);
  if (value == NULL)
    return INTERP_EXIT_FAILED;
  if (request->json)
    {
      g_autoptr (JsonNode) json = interp_script_verdict_to_json (g_value_get_object (value));
      g_autofree char *text = interp_json_to_string (json);

      puts (text);
    }
  else
    print_verdict (g_value_get_object (value));
  return fflush (stdout) == 0 ? INTERP_EXIT_DONE : INTERP_EXIT_FAILED;
}

int
interp_policy_check_run (const char *const *arguments)
{
  Request request = { .language = "shell" };
  g_autoptr (InterpRules) rules = NULL;
  g_autoptr (GByteArray) input = NULL;
  g_autoptr (GError) error = NULL;
  int status;

  g_return_val_if_fail (arguments != NULL, INTERP_EXIT_USAGE);

  status = parse (arguments, &request);
  if (status != INTERP_EXIT_DONE)
    return status;
  if (request.help)
    {
      print_help ();
      return INTERP_EXIT_DONE;
    }

  dex_init ();
  rules = interp_rules_new ();
  if (request.rules != NULL)
    {
      if (!interp_rules_add_file (rules, request.rules, &error))
        return complain (_ ("The file of rules cannot be used: %s"), error->message);
    }
  else
    {
      g_autofree char *folder = g_build_filename (g_get_user_config_dir (), "interpreter", "rules", NULL);

      interp_rules_add_folder (rules, folder);
    }
  if (request.script != NULL)
    return judge (&request, request.script, strlen (request.script), rules);
  input = read_script (&error);
  if (input == NULL)
    {
      complain (_ ("Standard input cannot be read: %s"), error->message);
      return INTERP_EXIT_FAILED;
    }
  return judge (&request, input->data != NULL ? (const char *) input->data : "", input->len, rules);
}
