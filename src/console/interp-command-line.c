/* interp-command-line.c
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <errno.h>
#include <math.h>

#include <glib/gi18n.h>

#include "base/interp-json.h"
#include "interp-command-line.h"

G_DEFINE_QUARK (interp - command - line - error - quark, interp_command_line_error)

typedef enum
{
  KIND_FLAG,
  KIND_SUPPORT, /* --NAME or --no-NAME: an InterpSupport */
  KIND_STRING,
  KIND_FOLDERS, /* a list: given once for each */
  KIND_INTEGER,
  KIND_NUMBER,
  KIND_IGNORED, /* a switch that once meant something */
} Kind;

typedef struct
{
  const char *name; /* with "-" */
  const char *short_name;
  Kind kind;
  gsize offset;
  gboolean in_options; /* the field is InterpOptions', not ours */
  gboolean to_window;  /* the window understands it */
  const char *value;   /* how its value is named in the help */
  const char *help;
} Option;

#define OPTION(field) G_STRUCT_OFFSET (InterpOptions, field), TRUE
#define OWN(field) G_STRUCT_OFFSET (InterpCommandLine, field), FALSE

/* clang-format off */
static const Option table[] = {
  { "model", "m", KIND_STRING, OPTION (model), TRUE, N_("NAME"), N_("Model to use: provider/name, such as ollama/qwen3") },
  { "api-base", "ab", KIND_STRING, OPTION (api_base), TRUE, N_("ADDRESS"), N_("Address of a server that speaks OpenAI’s Chat Completions") },
  { "api-key", "ak", KIND_STRING, OPTION (api_key), TRUE, N_("KEY"), N_("Key for it; other users of this machine can see it, a variable is safer") },
  { "temperature", "t", KIND_NUMBER, OPTION (temperature), TRUE, N_("NUMBER"), N_("How much chance is in the answers, from 0") },
  { "context-window", "cw", KIND_INTEGER, OPTION (context_window), TRUE, N_("TOKENS"), N_("How long a conversation the model is given") },
  { "max-tokens", "x", KIND_INTEGER, OPTION (max_tokens), TRUE, N_("TOKENS"), N_("Longest answer") },
  { "max-output", "xo", KIND_INTEGER, OPTION (max_output), TRUE, N_("BYTES"), N_("How much of a run’s output the model is given") },
  { "llm-supports-functions", "lsf", KIND_SUPPORT, OPTION (supports_functions), TRUE, NULL, N_("The model can call tools; --no-llm-supports-functions: it cannot") },
  { "llm-supports-vision", "lsv", KIND_SUPPORT, OPTION (supports_vision), TRUE, NULL, N_("The model can see pictures; --no-llm-supports-vision: it cannot") },
  { "auto-run", "y", KIND_FLAG, OPTION (auto_run), TRUE, NULL, N_("Run code without asking, but for what is dangerous") },
  { "safe-mode", "safe", KIND_FLAG, OPTION (safe_mode), TRUE, NULL, N_("Run code in a sandbox; with --auto_run, unasked there") },
  { "add-dir", "", KIND_FOLDERS, OPTION (add_folders), TRUE, N_("FOLDER"), N_("In safe mode, a further folder for code; may be given again") },
  { "custom-instructions", "ci", KIND_STRING, OPTION (custom_instructions), TRUE, N_("TEXT"), N_("Added to what the model is told") },
  { "system-message", "sm", KIND_STRING, OPTION (system_message), TRUE, N_("TEXT"), N_("Told to the model instead of Interpreter’s own text") },
  { "loop", "", KIND_FLAG, OPTION (loop), TRUE, NULL, N_("Go on until the model says that it is done, at most 25 rounds") },
  { "offline", "o", KIND_FLAG, OPTION (offline), TRUE, NULL, N_("Use models on this computer only") },
  { "task", "", KIND_STRING, OWN (task), FALSE, N_("TEXT"), N_("Do this, print the answer and end") },
  { "json", "", KIND_FLAG, OWN (json), FALSE, NULL, N_("With --task: print one event a line, as JSON") },
  { "terminal", "", KIND_FLAG, OWN (terminal), FALSE, NULL, N_("Chat in this terminal, not in a window") },
  { "plain", "pl", KIND_FLAG, OWN (plain), FALSE, NULL, N_("No colours and no Markdown in the terminal") },
  { "stdin", "s", KIND_FLAG, OWN (from_stdin), FALSE, NULL, N_("Read the first message from standard input; implies --plain") },
  { "multi-line", "ml", KIND_FLAG, OWN (multi_line), FALSE, NULL, N_("Let \"\"\" begin and end a message of several lines (always on)") },
  { "no-highlight-active-line", "nhl", KIND_FLAG, OWN (no_highlight_active_line), FALSE, NULL, N_("Do not mark the running line") },
  { "conversations", "", KIND_FLAG, OWN (conversations), FALSE, NULL, N_("Choose a kept conversation to go on with") },
  { "list-models", "", KIND_FLAG, OWN (list_models), FALSE, NULL, N_("List the models that can be reached") },
  { "profile", "p", KIND_STRING, OWN (profile), FALSE, N_("FILE"), N_("Read options from a file: JSON, or lines of “name: value”") },
  { "verbose", "v", KIND_FLAG, OWN (verbose), FALSE, NULL, N_("Show the model’s thinking in full") },
  { "version", "", KIND_FLAG, OWN (version), FALSE, NULL, N_("Print the version") },
  { "help", "h", KIND_FLAG, OWN (help), FALSE, NULL, N_("Print this") },
  { "disable-telemetry", "dt", KIND_IGNORED, 0, FALSE, FALSE, NULL, N_("Accepted and needless: there is no telemetry") },
  { "contribute-conversation", "", KIND_IGNORED, 0, FALSE, FALSE, NULL, N_("Accepted and without effect: nothing is contributed") },
};
/* clang-format on */

#define TAKES_VALUE(kind) \
  ((kind) == KIND_STRING || (kind) == KIND_FOLDERS || (kind) == KIND_INTEGER || (kind) == KIND_NUMBER)

static const Option *
find_option (const char *name, gboolean is_short)
{
  g_autofree char *wanted = g_strdelimit (g_strdup (name), "_", '-');

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    if (g_str_equal (wanted, is_short ? table[i].short_name : table[i].name) && *wanted != '\0')
      return &table[i];
  return NULL;
}

/* The opposite of an option that has one: "no-NAME". */
static const Option *
find_opposite (const char *name)
{
  const Option *option
      = g_str_has_prefix (name, "no-") || g_str_has_prefix (name, "no_") ? find_option (name + 3, FALSE) : NULL;

  return option != NULL && option->kind == KIND_SUPPORT ? option : NULL;
}

/* Letters that differ: insertions, deletions and exchanges. */
static guint
distance (const char *a, const char *b)
{
  gsize length_a = strlen (a), length_b = strlen (b);
  g_autofree guint *row = g_new (guint, length_b + 1);

  for (gsize j = 0; j <= length_b; j++)
    row[j] = j;
  for (gsize i = 1; i <= length_a; i++)
    {
      guint diagonal = row[0];

      row[0] = i;
      for (gsize j = 1; j <= length_b; j++)
        {
          guint above = row[j];
          row[j] = MIN (MIN (row[j] + 1, row[j - 1] + 1), diagonal + (a[i - 1] != b[j - 1]));
          diagonal = above;
        }
    }
  return row[length_b];
}

static const char *
find_similar (const char *name)
{
  g_autofree char *wanted = g_strdelimit (g_strdup (name), "_", '-');
  const char *best = NULL;
  guint best_distance = 3;

  if (strlen (wanted) > 64)
    return NULL;
  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      guint d = distance (wanted, table[i].name);

      if (d < best_distance)
        {
          best = table[i].name;
          best_distance = d;
        }
    }
  return best;
}

static gboolean usage_error (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

static gboolean
usage_error (GError **error, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_autofree char *message = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error_literal (error, INTERP_COMMAND_LINE_ERROR, INTERP_COMMAND_LINE_ERROR_USAGE, message);
  return FALSE;
}

/* @value: of a flag nothing, of one that is turned off "no-". */
static gboolean
set_value (InterpCommandLine *self, const Option *option, const char *value, GError **error)
{
  gpointer field = G_STRUCT_MEMBER_P (option->in_options ? (gpointer) self->options : (gpointer) self, option->offset);
  g_autofree char *whole = NULL;

  switch (option->kind)
    {
    case KIND_FLAG:
      *(gboolean *) field = TRUE;
      break;
    case KIND_SUPPORT:
      *(InterpSupport *) field = *value != '\0' ? INTERP_SUPPORT_NO : INTERP_SUPPORT_YES;
      break;
    case KIND_STRING:
      if (!g_utf8_validate (value, -1, NULL))
        return usage_error (error, _ ("The value of --%s is not valid text."), option->name);
      g_set_str ((char **) field, value);
      break;
    case KIND_FOLDERS:
      {
        GStrv *folders = field;
        guint n = *folders != NULL ? g_strv_length (*folders) : 0;

        if (!g_utf8_validate (value, -1, NULL) || *value == '\0')
          return usage_error (error, _ ("The value of --%s is not valid text."), option->name);
        whole = g_canonicalize_filename (value, NULL);
        *folders = g_renew (char *, *folders, n + 2);
        (*folders)[n] = g_strdup (whole);
        (*folders)[n + 1] = NULL;
        value = whole;
        break;
      }
    case KIND_INTEGER:
      {
        gint64 number;

        if (!g_ascii_string_to_signed (value, 10, 1, G_MAXINT32, &number, NULL))
          return usage_error (error, _ ("--%s takes a whole number from 1, not “%s”."), option->name, value);
        *(gint64 *) field = number;
        break;
      }
    case KIND_NUMBER:
      {
        char *end = NULL;
        double number = g_ascii_strtod (value, &end);

        if (end == value || *end != '\0' || !isfinite (number) || number < 0 || number > 10)
          return usage_error (error, _ ("--%s takes a number from 0 to 10, not “%s”."), option->name, value);
        *(double *) field = number;
        break;
      }
    case KIND_IGNORED:
    default:
      break;
    }

  if (option->to_window)
    g_ptr_array_add (self->normalised, TAKES_VALUE (option->kind) ? g_strdup_printf ("--%s=%s", option->name, value)
                                                                  : g_strdup_printf ("--%s%s", value, option->name));
  return TRUE;
}

/* ---- profiles ---- */

static gboolean
set_from_profile (InterpCommandLine *self, const char *name, const char *value, GError **error)
{
  /* Open Interpreter groups the model's settings: "llm.model". */
  const char *base = g_str_has_prefix (name, "llm.") ? name + 4 : name;
  g_autofree char *long_name = base != name ? g_strconcat ("llm-", base, NULL) : NULL;
  const Option *option = find_option (base, FALSE);

  if (option == NULL && long_name != NULL)
    option = find_option (long_name, FALSE);
  /* Settings of other programs may stand beside ours; "version" there is the profile's own. */
  if (option == NULL || option->kind == KIND_IGNORED || g_str_equal (option->name, "profile")
      || g_str_equal (option->name, "version") || g_str_equal (option->name, "help"))
    return TRUE;
  if (!TAKES_VALUE (option->kind))
    {
      if (g_ascii_strcasecmp (value, "true") == 0 || g_ascii_strcasecmp (value, "yes") == 0)
        return set_value (self, option, "", error);
      if (g_ascii_strcasecmp (value, "false") == 0 || g_ascii_strcasecmp (value, "no") == 0)
        return option->kind != KIND_SUPPORT || set_value (self, option, "no-", error);
      return usage_error (error, _ ("In the profile, %s is true or false, not “%s”."), name, value);
    }
  return set_value (self, option, value, error);
}

static gboolean
read_json_object (InterpCommandLine *self, JsonNode *node, const char *prefix, GError **error)
{
  g_auto (GStrv) members = interp_json_get_members (node, NULL);

  for (guint i = 0; members != NULL && members[i] != NULL; i++)
    {
      JsonNode *value = json_object_get_member (json_node_get_object (node), members[i]);
      g_autofree char *text = NULL;

      if (JSON_NODE_HOLDS_OBJECT (value) && *prefix == '\0')
        {
          g_autofree char *inner = g_strconcat (members[i], ".", NULL);

          if (!read_json_object (self, value, inner, error))
            return FALSE;
          continue;
        }
      if (!JSON_NODE_HOLDS_VALUE (value))
        continue;
      text = json_node_get_value_type (value) == G_TYPE_STRING ? json_node_dup_string (value)
                                                               : interp_json_to_string (value);
      g_autofree char *name = g_strconcat (prefix, members[i], NULL);
      if (!set_from_profile (self, name, text, error))
        return FALSE;
    }
  return TRUE;
}

/* "name: value" lines, "name:" opening an indented group, # comments: what Open Interpreter's profiles use of
 * YAML. */
static gboolean
read_lines (InterpCommandLine *self, const char *text, GError **error)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_autofree char *group = g_strdup ("");

  for (guint i = 0; lines[i] != NULL; i++)
    {
      gboolean indented = lines[i][0] == ' ' || lines[i][0] == '\t';
      char *line = g_strstrip (lines[i]);
      char *colon = strchr (line, ':');
      g_autofree char *name = NULL;
      char *value;
      gsize length;

      if (*line == '\0' || *line == '#' || g_str_equal (line, "---"))
        continue;
      if (colon == NULL)
        return usage_error (error, _ ("Line %u of the profile is not “name: value”."), i + 1);
      *colon = '\0';
      value = g_strstrip (colon + 1);
      length = strlen (value);
      if (length >= 2 && (*value == '"' || *value == '\'') && value[length - 1] == *value)
        {
          value[length - 1] = '\0';
          value++;
        }
      else
        {
          char *comment = strstr (value, " #");

          if (comment != NULL)
            {
              *comment = '\0';
              value = g_strstrip (value);
            }
        }
      if (!indented)
        g_set_str (&group, "");
      if (*value == '\0')
        {
          g_free (group);
          group = g_strconcat (g_strstrip (line), ".", NULL);
          continue;
        }
      name = g_strconcat (indented ? group : "", g_strstrip (line), NULL);
      if (!set_from_profile (self, name, value, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
read_profile (InterpCommandLine *self, const char *path, GError **error)
{
  g_autofree char *text = NULL;
  g_autoptr (GError) local_error = NULL;
  gsize length = 0;

  if (!g_file_get_contents (path, &text, &length, &local_error))
    return usage_error (error, _ ("The profile could not be read: %s"), local_error->message);
  if (length > 1024 * 1024 || !g_utf8_validate (text, length, NULL))
    return usage_error (error, _ ("The profile “%s” is not a text of options."), path);
  if (*g_strchug (text) == '{')
    {
      g_autoptr (JsonNode) node = interp_json_parse (text, -1, INTERP_JSON_PARSE_REFUSE_NUL, &local_error);

      if (node == NULL)
        return usage_error (error, _ ("The profile could not be read: %s"), local_error->message);
      return read_json_object (self, node, "", error);
    }
  return read_lines (self, text, error);
}

/* ---- the line ---- */

static gboolean
is_number (const char *text)
{
  char *end = NULL;

  g_ascii_strtod (text, &end);
  return end != text && *end == '\0';
}

static gboolean
parse_arguments (InterpCommandLine *self, const char *const *arguments, GError **error)
{
  g_autoptr (GPtrArray) words = g_ptr_array_new ();
  guint i = 0;

  for (; arguments[i] != NULL; i++)
    {
      const char *argument = arguments[i];
      gboolean is_long = g_str_has_prefix (argument, "--");
      const char *name = argument + (is_long ? 2 : 1);
      g_autofree char *cut = NULL;
      const char *value = NULL;
      const Option *option, *opposite;

      if (g_str_equal (argument, "--"))
        {
          i++;
          break;
        }
      if (argument[0] != '-' || argument[1] == '\0')
        break; /* the first word begins the prompt */

      if (strchr (name, '=') != NULL)
        {
          value = strchr (name, '=') + 1;
          name = cut = g_strndup (name, strchr (name, '=') - name);
        }
      option = find_option (name, !is_long);
      opposite = option == NULL && is_long ? find_opposite (name) : NULL;
      if (opposite != NULL)
        option = opposite;
      if (option == NULL)
        {
          const char *similar = find_similar (name);

          if (similar != NULL)
            return usage_error (error, _ ("There is no option %s. Is --%s meant?"), argument, similar);
          return usage_error (error, _ ("There is no option %s. “interpreter --help” lists them."), argument);
        }

      if (!TAKES_VALUE (option->kind))
        {
          if (value != NULL)
            return usage_error (error, _ ("--%s takes no value."), option->name);
          value = opposite != NULL ? "no-" : "";
        }
      else if (value == NULL)
        {
          value = arguments[i + 1];
          if (value == NULL || (value[0] == '-' && value[1] != '\0' && !is_number (value)))
            return usage_error (error, _ ("--%s needs a value after it: %s."), option->name, _ (option->value));
          i++;
        }
      if (!set_value (self, option, value, error))
        return FALSE;
    }

  for (; arguments[i] != NULL; i++)
    {
      if (!g_utf8_validate (arguments[i], -1, NULL))
        return usage_error (error, "%s", _ ("The message is not valid text."));
      g_ptr_array_add (words, (gpointer) arguments[i]);
    }
  if (words->len > 0)
    {
      g_ptr_array_add (words, NULL);
      self->words = g_strjoinv (" ", (char **) words->pdata);
    }
  return TRUE;
}

static InterpCommandLine *
command_line_new (void)
{
  InterpCommandLine *self = g_new0 (InterpCommandLine, 1);

  self->options = interp_options_new ();
  self->normalised = g_ptr_array_new_with_free_func (g_free);
  return self;
}

InterpCommandLine *
interp_command_line_parse (const char *const *arguments, GError **error)
{
  g_autoptr (InterpCommandLine) self = command_line_new ();

  g_return_val_if_fail (arguments != NULL, NULL);

  if (!parse_arguments (self, arguments, error))
    return NULL;

  if (self->profile != NULL)
    {
      /* The profile first, then the line again: what the line says wins. */
      g_autofree char *path = g_strdup (self->profile);

      g_clear_pointer (&self, interp_command_line_free);
      self = command_line_new ();
      if (!read_profile (self, path, error) || !parse_arguments (self, arguments, error))
        return NULL;
    }

  if (self->from_stdin)
    self->plain = TRUE;
  if (self->task != NULL && self->words != NULL)
    {
      usage_error (error, _ ("The task is given twice: by --task and as “%s”. Put it in quotation marks."),
                   self->words);
      return NULL;
    }
  return g_steal_pointer (&self);
}

void
interp_command_line_free (InterpCommandLine *self)
{
  g_clear_pointer (&self->options, interp_options_free);
  g_clear_pointer (&self->normalised, g_ptr_array_unref);
  g_free (self->task);
  g_free (self->words);
  g_free (self->profile);
  g_free (self);
}

char *
interp_command_line_help (void)
{
  GString *text = g_string_new (NULL);

  g_string_append (text, _ ("Usage: interpreter [options] [what to do]\n\n"
                            "Lets a language model run code on this computer, with your approval. With a "
                            "display and\n"
                            "without words a window opens; else the chat is here.\n\nOptions:\n"));
  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      const Option *option = &table[i];
      g_autofree char *left = g_strdup_printf ("  --%s%s%s%s%s", option->name, option->value ? " " : "",
                                               option->value ? _ (option->value) : "",
                                               *option->short_name != '\0' ? ", -" : "", option->short_name);

      if (option->kind == KIND_IGNORED)
        continue;
      if (g_utf8_strlen (left, -1) > 34)
        g_string_append_printf (text, "%s\n%-36s%s\n", left, "", _ (option->help));
      else
        g_string_append_printf (text, "%s%*s%s\n", left, (int) (36 - g_utf8_strlen (left, -1)), "", _ (option->help));
    }
  g_string_append (text, _ ("\nCommands:\n"));
  g_string_append_printf (text, "  policy check [%s]%*s%s\n", _ ("SCRIPT"),
                          (int) MAX (1, 19 - g_utf8_strlen (_ ("SCRIPT"), -1)), "",
                          _ ("Say whether a script may run unasked, and why"));
  g_string_append (text, _ ("\nExit status: 0 done, 1 failed, 2 wrong usage, 3 refused or nobody to approve, "
                            "130 interrupted.\n"));
  return g_string_free_and_steal (text);
}
