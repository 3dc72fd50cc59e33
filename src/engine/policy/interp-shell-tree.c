/* interp-shell-tree.c
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <string.h>

#include <gio/gio.h>
#include <glib/gi18n.h>

#include "base/interp-fiber.h"
#include "base/interp-json.h"
#include "base/interp-text.h"
#include "policy/interp-shell-tree.h"

#define MAX_OUTPUT (8 * 1024 * 1024)
#define MAX_SECONDS 5
#define MAX_SNIPPET 60

struct _InterpShellTree
{
  GObject parent_instance;

  char *script;
  gsize length;
  guint8 *covered; /* a byte for each of the script's: is it part of a word or redirection that was read? */
  GPtrArray *commands;
  char *problem;
};

G_DEFINE_FINAL_TYPE (InterpShellTree, interp_shell_tree, G_TYPE_OBJECT)

InterpShellWord *
interp_shell_word_new (const char *text, gssize glob)
{
  InterpShellWord *self = g_new0 (InterpShellWord, 1);

  g_return_val_if_fail (text != NULL, self);

  self->text = g_strdup (text);
  self->glob = glob;
  return self;
}

void
interp_shell_word_free (InterpShellWord *self)
{
  g_free (self->text);
  g_free (self);
}

static void
word_free (gpointer data)
{
  interp_shell_word_free (data);
}

static InterpSimpleCommand *
command_new (void)
{
  InterpSimpleCommand *self = g_new0 (InterpSimpleCommand, 1);

  self->words = g_ptr_array_new_with_free_func (word_free);
  self->reads = g_ptr_array_new_with_free_func (word_free);
  return self;
}

static void
command_free (gpointer data)
{
  InterpSimpleCommand *self = data;

  g_free (self->text);
  g_ptr_array_unref (self->words);
  g_ptr_array_unref (self->reads);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpSimpleCommand, command_free)

/* ---- the tree ---- */

/* Where @node stands in the script. */
static gboolean
get_span (InterpShellTree *self, JsonNode *node, gsize *from, gsize *to)
{
  gint64 start = interp_json_get_int (node, "Pos.Offset", -1);
  gint64 end = interp_json_get_int (node, "End.Offset", -1);

  if (start < 0 || end < start || (gsize) end > self->length)
    return FALSE;
  *from = start;
  *to = end;
  return TRUE;
}

static char *
slice (InterpShellTree *self, JsonNode *node)
{
  gsize from, to;

  return get_span (self, node, &from, &to) ? g_strndup (self->script + from, to - from) : g_strdup ("");
}

/* The parser's reading and the script's own bytes must agree: parsers have read on where the shell does not, as after a
 * backslash at the end of a comment. */
static gboolean
stands_at (InterpShellTree *self, gsize from, gsize to, const char *text)
{
  return strlen (text) == to - from && memcmp (self->script + from, text, to - from) == 0;
}

static gboolean
refuse (InterpShellTree *self, JsonNode *node)
{
  g_autofree char *text = slice (self, node);
  g_autofree char *shown = NULL;
  g_autofree char *visible = NULL;

  text[strcspn (text, "\n")] = '\0';
  shown = g_utf8_substring (text, 0, MIN (g_utf8_strlen (text, -1), MAX_SNIPPET));
  visible = interp_text_make_visible (shown);

  if (self->problem == NULL)
    self->problem = *visible != '\0' ? g_strdup_printf (_ ("This is more than plain commands and words: %s"), visible)
                                     : g_strdup (_ ("It is more than plain commands and words."));
  return FALSE;
}

/* A member that is not known may change what the node means. */
static gboolean
has_only (JsonNode *node, const char *const *known)
{
  g_auto (GStrv) members = interp_json_get_members (node, NULL);

  for (guint i = 0; members != NULL && members[i] != NULL; i++)
    if (!g_strv_contains (known, members[i]))
      return FALSE;
  return interp_json_is_object (node);
}

typedef struct
{
  GString *text;
  gssize glob;
} Word;

/* Text outside quotes. */
static gboolean
read_literal (Word *word, const char *value)
{
  /* A dollar that expands nothing stands alone. */
  if (g_str_equal (value, "$"))
    {
      g_string_append_c (word->text, '$');
      return TRUE;
    }
  for (const char *p = value; *p != '\0'; p++)
    {
      switch (*p)
        {
        case '\\':
          if (p[1] == '\0' || p[1] == '\n')
            return FALSE;
          p++;
          break;
        case '*':
        case '?':
        case '[':
          if (word->glob < 0)
            word->glob = word->text->len;
          break;
        case '~':
          /* Only the home folder: another user's, and the folder before (~-), may be anything. */
          if (word->text->len == 0 && p[1] != '\0' && p[1] != '/')
            return FALSE;
          break;
        case '$':
        case '`':
        case '{':
        case '}':
        case '"':
        case '\'':
        case '\n':
          return FALSE;
        default:
          break;
        }
      g_string_append_c (word->text, *p);
    }
  return TRUE;
}

/* Text in double quotes. */
static gboolean
read_quoted_literal (Word *word, const char *value)
{
  if (g_str_equal (value, "$"))
    {
      g_string_append_c (word->text, '$');
      return TRUE;
    }
  for (const char *p = value; *p != '\0'; p++)
    {
      if (*p == '$' || *p == '`')
        return FALSE;
      if (*p == '\\')
        {
          if (p[1] == '\0' || p[1] == '\n')
            return FALSE;
          if (strchr ("$`\"\\", p[1]) != NULL)
            p++;
        }
      g_string_append_c (word->text, *p);
    }
  return TRUE;
}

static gboolean
is_type (JsonNode *node, const char *type)
{
  return g_strcmp0 (interp_json_get_string (node, "Type"), type) == 0;
}

/* A lone dollar must not stand before what it could expand. */
static gboolean
dollar_is_plain (JsonNode *next)
{
  const char *value = next != NULL && is_type (next, "Lit") ? interp_json_get_string (next, "Value") : NULL;

  return next == NULL || (value != NULL && *value != '\0' && strchr (" \t\n|)/.,:;%", *value) != NULL);
}

static JsonNode *
get_element (JsonNode *node, const char *member, guint index)
{
  JsonNode *array = interp_json_get (node, member);

  if (!interp_json_is_array (array) || index >= json_array_get_length (json_node_get_array (array)))
    return NULL;
  return json_array_get_element (json_node_get_array (array), index);
}

static gboolean read_parts (InterpShellTree *self, Word *word, JsonNode *node, gboolean quoted, gsize from, gsize to);

/* One part of a word, which stands from @from to @to. */
static gboolean
read_part (InterpShellTree *self, Word *word, JsonNode *part, JsonNode *next, gboolean quoted, gsize from, gsize to)
{
  static const char *const literal[] = { "Type", "Pos", "End", "ValuePos", "ValueEnd", "Value", NULL };
  static const char *const single[] = { "Type", "Pos", "End", "Left", "Right", "Value", NULL };
  static const char *const doubled[] = { "Type", "Pos", "End", "Left", "Right", "Parts", NULL };
  const char *value = interp_json_get_string (part, "Value");

  if (is_type (part, "Lit") && has_only (part, literal) && value != NULL)
    {
      if (!stands_at (self, from, to, value) || (g_str_equal (value, "$") && !dollar_is_plain (next)))
        return FALSE;
      return quoted ? read_quoted_literal (word, value) : read_literal (word, value);
    }
  if (quoted || to - from < 2)
    return FALSE;
  if (is_type (part, "SglQuoted") && has_only (part, single))
    {
      g_autofree char *written = g_strdup_printf ("'%s'", value != NULL ? value : "");

      g_string_append (word->text, value != NULL ? value : "");
      return stands_at (self, from, to, written);
    }
  if (is_type (part, "DblQuoted") && has_only (part, doubled))
    return self->script[from] == '"' && self->script[to - 1] == '"'
           && read_parts (self, word, part, TRUE, from + 1, to - 1);
  return FALSE;
}

/* The parts, which must fill the script from @from to @to. */
static gboolean
read_parts (InterpShellTree *self, Word *word, JsonNode *node, gboolean quoted, gsize from, gsize to)
{
  guint n = interp_json_get_length (node, "Parts");

  for (guint i = 0; i < n; i++)
    {
      JsonNode *part = get_element (node, "Parts", i);
      gsize start, end;

      if (!get_span (self, part, &start, &end) || start != from || end > to
          || !read_part (self, word, part, get_element (node, "Parts", i + 1), quoted, start, end))
        return FALSE;
      from = end;
    }
  return from == to;
}

/* NULL: it is more than literal. */
static InterpShellWord *
read_word (InterpShellTree *self, JsonNode *node)
{
  static const char *const known[] = { "Type", "Pos", "End", "Parts", NULL };
  g_autoptr (GString) text = g_string_new (NULL);
  Word word = { text, -1 };
  gsize from, to;

  if (!has_only (node, known) || !get_span (self, node, &from, &to) || from == to
      || !read_parts (self, &word, node, FALSE, from, to))
    return NULL;
  memset (self->covered + from, 1, to - from);
  /* The command "[" begins no pattern. */
  if (word.glob == 0 && g_str_equal (text->str, "["))
    word.glob = -1;
  return interp_shell_word_new (text->str, word.glob);
}

/* Redirections that write nothing: to /dev/null, one of the two outputs to the other, from a file. What kind it is is
 * read from the script, not from the number in the tree, which is another in other versions. */
static gboolean
read_redirection (InterpShellTree *self, InterpSimpleCommand *command, JsonNode *node)
{
  static const char *const known[] = { "Pos", "End", "OpPos", "Op", "N", "Word", NULL };
  static const struct
  {
    const char *operator;
    enum
    {
      DISCARDS,
      JOINS,
      READS,
    } kind;
  } kinds[] = { { "&>>", DISCARDS }, { "&>", DISCARDS }, { ">>", DISCARDS },
                { ">&", JOINS },     { ">", DISCARDS },  { "<", READS } };
  gint64 offset = interp_json_get_int (node, "OpPos.Offset", -1);
  gsize from, to;
  const char *number = interp_json_get_string (node, "N.Value");
  InterpShellWord *target;
  g_autofree char *operator= NULL;
  gsize length;

  if (!has_only (node, known) || !get_span (self, node, &from, &to) || offset < (gint64) from || offset >= (gint64) to
      || memchr (self->script + from, '\n', to - from) != NULL)
    return FALSE;
  memset (self->covered + from, 1, to - from);
  if (interp_json_get (node, "N") != NULL && g_strcmp0 (number, "1") != 0 && g_strcmp0 (number, "2") != 0)
    return FALSE;
  length = strspn (self->script + offset, "<>&|");
  operator= g_strndup (self->script + offset, length);
  target = read_word (self, interp_json_get (node, "Word"));
  if (target == NULL || target->glob >= 0)
    {
      g_clear_pointer (&target, interp_shell_word_free);
      return FALSE;
    }
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      gboolean fine = FALSE;

      if (!g_str_equal (operator, kinds[i].operator))
        continue;
      if (kinds[i].kind == READS && number == NULL && *target->text != '\0')
        {
          g_ptr_array_add (command->reads, target);
          return TRUE;
        }
      if (kinds[i].kind == DISCARDS)
        fine = g_str_equal (target->text, "/dev/null");
      else if (kinds[i].kind == JOINS)
        fine = g_str_equal (target->text, "1") || g_str_equal (target->text, "2");
      interp_shell_word_free (target);
      return fine;
    }
  interp_shell_word_free (target);
  return FALSE;
}

/* The command's text, from its first word to its last. NULL: there is more between them than blanks and continued
 * lines. */
static char *
get_command_text (InterpShellTree *self, JsonNode *statement)
{
  gsize from, to;

  if (!get_span (self, statement, &from, &to))
    return NULL;
  /* Before them may stand "!", after them ";". */
  while (from < to && !self->covered[from])
    from++;
  while (to > from && !self->covered[to - 1])
    to--;
  for (gsize i = from; i < to; i++)
    {
      char byte = self->script[i];

      if (self->covered[i] || byte == ' ' || byte == '\t')
        continue;
      if (byte != '\\' || self->script[i + 1] != '\n')
        return NULL;
      i++;
    }
  return g_strndup (self->script + from, to - from);
}

/* Nothing but blanks, comments and what joins commands is left of the script. */
static gboolean
all_is_read (InterpShellTree *self)
{
  for (gsize i = 0; i < self->length; i++)
    {
      char byte = self->script[i];

      if (self->covered[i] || strchr (" \t\n;&|!", byte) != NULL)
        continue;
      if (byte == '\\' && self->script[i + 1] == '\n')
        {
          i++;
          continue;
        }
      if (byte != '#')
        return FALSE;
      for (; i < self->length && self->script[i] != '\n'; i++)
        if (self->covered[i])
          return FALSE;
    }
  return TRUE;
}

static gboolean read_statement (InterpShellTree *self, JsonNode *node);

static gboolean
read_call (InterpShellTree *self, JsonNode *statement, JsonNode *call)
{
  static const char *const known[] = { "Type", "Pos", "End", "Args", NULL };
  g_autoptr (InterpSimpleCommand) command = command_new ();
  guint n = interp_json_get_length (call, "Args");

  if (!has_only (call, known) || n == 0)
    return refuse (self, call);
  for (guint i = 0; i < n; i++)
    {
      InterpShellWord *word = read_word (self, get_element (call, "Args", i));

      if (word == NULL)
        return refuse (self, get_element (call, "Args", i));
      g_ptr_array_add (command->words, word);
    }
  n = interp_json_get_length (statement, "Redirs");
  for (guint i = 0; i < n; i++)
    if (!read_redirection (self, command, get_element (statement, "Redirs", i)))
      return refuse (self, get_element (statement, "Redirs", i));
  command->text = get_command_text (self, statement);
  if (command->text == NULL)
    return refuse (self, statement);
  g_ptr_array_add (self->commands, g_steal_pointer (&command));
  return TRUE;
}

static gboolean
read_statement (InterpShellTree *self, JsonNode *node)
{
  static const char *const known[]
      = { "Pos", "End", "Position", "Semicolon", "Comments", "Cmd", "Negated", "Redirs", NULL };
  static const char *const binary[] = { "Type", "Pos", "End", "OpPos", "Op", "X", "Y", NULL };
  JsonNode *cmd = interp_json_get (node, "Cmd");

  if (!has_only (node, known))
    return refuse (self, node);
  if (is_type (cmd, "CallExpr"))
    return read_call (self, node, cmd);
  /* However the two are joined, both are judged. */
  if (is_type (cmd, "BinaryCmd") && has_only (cmd, binary) && interp_json_get_length (node, "Redirs") == 0)
    return read_statement (self, interp_json_get (cmd, "X")) && read_statement (self, interp_json_get (cmd, "Y"));
  return refuse (self, cmd != NULL ? cmd : node);
}

static void
read_file (InterpShellTree *self, const char *json, gsize length)
{
  static const char *const known[] = { "Type", "Name", "Pos", "End", "Stmts", "Last", NULL };
  g_autoptr (JsonNode) file = interp_json_parse (json, length, INTERP_JSON_PARSE_REFUSE_NUL, NULL);

  if (file == NULL)
    self->problem = g_strdup (_ ("It is too deep to be analysed."));
  else if (!is_type (file, "File") || !has_only (file, known))
    refuse (self, file);
  else
    {
      guint n = interp_json_get_length (file, "Stmts");

      for (guint i = 0; i < n; i++)
        if (!read_statement (self, get_element (file, "Stmts", i)))
          return;
      if (!all_is_read (self))
        refuse (self, file);
      else if (self->commands->len == 0)
        self->problem = g_strdup (_ ("There is no command in it."));
    }
}

/* ---- the parser's process ---- */

/* What is not plainly visible may be read in one way by the parser and in another by the shell. */
static char *
check_text (const char *script, gsize length)
{
  if (length > INTERP_SHELL_TREE_MAX_SCRIPT)
    return g_strdup (_ ("It is too long to be analysed."));
  if (memchr (script, '\0', length) != NULL || !g_utf8_validate (script, length, NULL))
    return g_strdup (_ ("It is not valid text."));
  if (interp_text_has_invisible (script))
    return g_strdup (_ ("It has characters that cannot be seen."));
  for (const char *p = script; *p != '\0'; p = g_utf8_next_char (p))
    if ((guchar) *p >= 0x80 && !g_unichar_isgraph (g_utf8_get_char (p)))
      return g_strdup (_ ("It has characters that cannot be seen."));
  return NULL;
}

static gboolean
end_process (gpointer data)
{
  g_subprocess_force_exit (data);
  return G_SOURCE_REMOVE;
}

/* All that @process says; NULL when it fails or is too much. */
static GByteArray *
talk (GSubprocess *process, const char *script, gsize length)
{
  g_autoptr (GByteArray) said = g_byte_array_new ();
  g_autoptr (GBytes) input = g_bytes_new (script, length);
  GInputStream *output = g_subprocess_get_stdout_pipe (process);

  while (g_bytes_get_size (input) > 0)
    {
      g_autoptr (GError) error = NULL;
      gssize written = dex_await_int64 (dex_output_stream_write_bytes (g_subprocess_get_stdin_pipe (process), input,
                                                                       G_PRIORITY_DEFAULT),
                                        &error);
      g_autoptr (GBytes) rest = NULL;

      if (error != NULL || written <= 0)
        return NULL;
      rest = g_bytes_new_from_bytes (input, written, g_bytes_get_size (input) - written);
      g_bytes_unref (input);
      input = g_steal_pointer (&rest);
    }
  if (!dex_await (dex_output_stream_close (g_subprocess_get_stdin_pipe (process), G_PRIORITY_DEFAULT), NULL))
    return NULL;

  while (TRUE)
    {
      g_autoptr (GBytes) piece
          = dex_await_boxed (dex_input_stream_read_bytes (output, 65536, G_PRIORITY_DEFAULT), NULL);

      if (piece == NULL || said->len + g_bytes_get_size (piece) > MAX_OUTPUT)
        return NULL;
      if (g_bytes_get_size (piece) == 0)
        return g_steal_pointer (&said);
      g_byte_array_append (said, g_bytes_get_data (piece, NULL), g_bytes_get_size (piece));
    }
}

static GByteArray *
run_parser (InterpShellTree *self)
{
  g_autofree char *program = g_find_program_in_path ("shfmt");
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (GByteArray) said = NULL;
  guint timeout;
  gboolean finished;

  if (program == NULL)
    {
      self->problem = g_strdup (_ ("The program shfmt is missing, so shell scripts are not analysed."));
      return NULL;
    }
  process = g_subprocess_new (G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE
                                  | G_SUBPROCESS_FLAGS_STDERR_SILENCE,
                              NULL, program, "-ln", "bash", "--to-json", NULL);
  if (process == NULL)
    {
      self->problem = g_strdup (_ ("It could not be analysed."));
      return NULL;
    }
  timeout = g_timeout_add_seconds_full (G_PRIORITY_DEFAULT, MAX_SECONDS, end_process, g_object_ref (process),
                                        g_object_unref);
  said = talk (process, self->script, self->length);
  if (said == NULL)
    g_subprocess_force_exit (process);
  finished = dex_await (dex_subprocess_wait_check (process), NULL);
  if (g_main_context_find_source_by_id (NULL, timeout) != NULL)
    g_source_remove (timeout);
  if (said == NULL)
    self->problem = g_strdup (_ ("It could not be analysed."));
  else if (!finished)
    self->problem = g_strdup (_ ("It is not a valid shell script."));
  return self->problem == NULL ? g_steal_pointer (&said) : NULL;
}

typedef struct
{
  InterpShellTree *tree;
  GByteArray *json;
} Reading;

static void
reading_free (gpointer data)
{
  Reading *self = data;

  g_clear_object (&self->tree);
  g_clear_pointer (&self->json, g_byte_array_unref);
  g_free (self);
}

static DexFuture *
read_on_worker (gpointer data)
{
  Reading *self = data;

  read_file (self->tree, (const char *) self->json->data, self->json->len);
  return dex_future_new_true ();
}

static DexFuture *
parse_fiber (gpointer data)
{
  InterpShellTree *self = data;
  g_autoptr (GByteArray) json = run_parser (self);

  if (json != NULL)
    {
      Reading *reading = g_new0 (Reading, 1);

      reading->tree = g_object_ref (self);
      reading->json = g_steal_pointer (&json);
      if (!dex_await (interp_worker_run ("shell-tree", read_on_worker, reading, reading_free), NULL))
        g_set_str (&self->problem, _ ("It could not be analysed."));
    }
  return dex_future_new_for_object (self);
}

DexFuture *
interp_shell_tree_parse (const char *script, gsize length)
{
  InterpShellTree *self = g_object_new (INTERP_TYPE_SHELL_TREE, NULL);

  g_return_val_if_fail (script != NULL, dex_future_new_take_object (self));

  self->length = MIN (length, INTERP_SHELL_TREE_MAX_SCRIPT + 1);
  /* A NUL within is kept, to be found. */
  self->script = g_malloc0 (self->length + 1);
  memcpy (self->script, script, self->length);
  self->covered = g_malloc0 (self->length + 1);
  self->problem = check_text (self->script, self->length);
  if (self->problem != NULL)
    return dex_future_new_take_object (self);
  return interp_fiber_spawn (parse_fiber, self, g_object_unref);
}

GPtrArray *
interp_shell_tree_get_commands (InterpShellTree *self)
{
  g_return_val_if_fail (INTERP_IS_SHELL_TREE (self), NULL);

  return self->commands;
}

const char *
interp_shell_tree_get_problem (InterpShellTree *self)
{
  g_return_val_if_fail (INTERP_IS_SHELL_TREE (self), NULL);

  return self->problem;
}

static void
interp_shell_tree_finalize (GObject *object)
{
  InterpShellTree *self = INTERP_SHELL_TREE (object);

  g_free (self->script);
  g_free (self->covered);
  g_ptr_array_unref (self->commands);
  g_free (self->problem);

  G_OBJECT_CLASS (interp_shell_tree_parent_class)->finalize (object);
}

static void
interp_shell_tree_class_init (InterpShellTreeClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = interp_shell_tree_finalize;
}

static void
interp_shell_tree_init (InterpShellTree *self)
{
  self->commands = g_ptr_array_new_with_free_func (command_free);
}
