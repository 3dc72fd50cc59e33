/* interp-run-code.c: from a tool call's name and arguments to language and code
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm/interp-run-code.h"

#include "base/interp-json.h"

#include <glib/gi18n.h>
#include <string.h>

struct _InterpOffer
{
  gatomicrefcount ref_count;
  GHashTable *tools;
  GHashTable *languages; /* lower case → as offered */
};

/* Names under which models call a code tool that was offered as run_code. */
static const char *other_names[] = { "execute", "execute_code", "run", "code_interpreter", "exec_code", "runcode" };

/* Called by these names though the offer says only "python": whether one can run is the session's to say. */
static const char *known_languages[] = {
  "python", "python3", "py", "ipython", "bash", "sh", "shell", "zsh", "javascript", "js", "node", "r",
};

/* The first to offer a name keeps it. */
static void
add_language (InterpOffer *self, const char *name)
{
  g_autofree char *lower = g_ascii_strdown (name, -1);

  if (!g_hash_table_contains (self->languages, lower))
    g_hash_table_insert (self->languages, g_steal_pointer (&lower), g_strdup (name));
}

InterpOffer *
interp_offer_new (InterpRequest *request)
{
  InterpOffer *self = g_new0 (InterpOffer, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->tools = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->languages = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);

  for (guint i = 0; i < request->tools->len; i++)
    {
      InterpTool *tool = g_ptr_array_index (request->tools, i);
      JsonNode *names = NULL;

      g_hash_table_add (self->tools, g_strdup (tool->name));

      if (g_str_equal (tool->name, INTERP_RUN_CODE) && tool->schema != NULL)
        names = interp_json_get (tool->schema, "properties.language.enum");

      for (guint k = 0; names != NULL && k < interp_json_get_length (names, NULL); k++)
        {
          g_autofree char *path = g_strdup_printf ("%u", k);
          const char *name = interp_json_get_string (names, path);

          if (name != NULL)
            add_language (self, name);
        }
    }

  for (guint i = 0; i < request->languages->len; i++)
    {
      const char *name = g_ptr_array_index (request->languages, i);

      add_language (self, name);
    }

  /* In text mode the tool is not offered by name, yet models that know it by habit mean it. */
  if (request->text_mode)
    g_hash_table_add (self->tools, g_strdup (INTERP_RUN_CODE));

  return self;
}

InterpOffer *
interp_offer_ref (InterpOffer *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
interp_offer_unref (InterpOffer *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_hash_table_unref (self->tools);
  g_hash_table_unref (self->languages);
  g_free (self);
}

gboolean
interp_offer_has_tool (InterpOffer *self, const char *name)
{
  return name != NULL && g_hash_table_contains (self->tools, name);
}

const char *
interp_offer_find_language (InterpOffer *self, const char *word)
{
  g_autofree char *lower = NULL;
  const char *found;
  gsize length;

  if (word == NULL || *word == '\0')
    return NULL;

  lower = g_ascii_strdown (word, -1);
  found = g_hash_table_lookup (self->languages, lower);
  if (found != NULL)
    return found;

  /* python3.12 → python3 → python */
  for (length = strlen (lower); length > 1 && (g_ascii_isdigit (lower[length - 1]) || lower[length - 1] == '.');)
    {
      lower[--length] = '\0';
      found = g_hash_table_lookup (self->languages, lower);
      if (found != NULL)
        return found;
    }

  return NULL;
}

static const char *const prefixes[] = { "functions.", "functions:", "tools.", "default_api.", "default_api:" };

static const char *
strip_prefix (const char *name)
{
  for (gsize i = 0; name != NULL && i < G_N_ELEMENTS (prefixes); i++)
    if (g_str_has_prefix (name, prefixes[i]))
      return name + strlen (prefixes[i]);

  return name;
}

static gboolean
is_language_name (InterpOffer *offer, const char *name)
{
  if (name == NULL)
    return FALSE;

  if (interp_offer_find_language (offer, name) != NULL)
    return TRUE;

  for (gsize i = 0; i < G_N_ELEMENTS (known_languages); i++)
    if (g_ascii_strcasecmp (name, known_languages[i]) == 0)
      return TRUE;

  return FALSE;
}

static gboolean
is_run_code_name (const char *name)
{
  if (name == NULL)
    return FALSE;

  if (g_str_equal (name, INTERP_RUN_CODE))
    return TRUE;

  for (gsize i = 0; i < G_N_ELEMENTS (other_names); i++)
    if (g_str_equal (name, other_names[i]))
      return TRUE;

  return FALSE;
}

gboolean
interp_offer_accepts (InterpOffer *self, const char *name)
{
  name = strip_prefix (name);

  return interp_offer_has_tool (self, name)
         || (interp_offer_has_tool (self, INTERP_RUN_CODE)
             && (is_run_code_name (name) || is_language_name (self, name)));
}

/* Is @beginning where one of @names may begin, or the other way round? */
static gboolean
begins_any (const char *beginning, const char *const *names, gsize n_names)
{
  gsize length = strlen (beginning);

  for (gsize i = 0; i < n_names; i++)
    if (g_ascii_strncasecmp (names[i], beginning, length) == 0)
      return TRUE;

  return FALSE;
}

static gboolean
begins_key (const char *beginning, GHashTable *names)
{
  g_autofree const char **keys = NULL;
  guint n_keys;

  keys = (const char **) g_hash_table_get_keys_as_array (names, &n_keys);

  return begins_any (beginning, keys, n_keys);
}

gboolean
interp_offer_may_accept (InterpOffer *self, const char *beginning)
{
  const char *rest = strip_prefix (beginning);

  if (interp_offer_accepts (self, beginning) || begins_any (beginning, prefixes, G_N_ELEMENTS (prefixes)))
    return TRUE;

  return begins_key (rest, self->tools) || begins_key (rest, self->languages)
         || begins_any (rest, known_languages, G_N_ELEMENTS (known_languages))
         || begins_any (rest, other_names, G_N_ELEMENTS (other_names));
}

char *
interp_run_code_normalize_name (InterpOffer *offer, const char *name)
{
  name = strip_prefix (name);

  if (name != NULL && !interp_offer_has_tool (offer, name)
      && (is_run_code_name (name) || is_language_name (offer, name)))
    name = INTERP_RUN_CODE;

  return g_strdup (name);
}

/* ---- whole calls ---- */

static void
set_fault (InterpCall *call, const char *fault)
{
  if (call->fault == NULL)
    call->fault = g_strdup (fault);
}

/* Lines given as an array are one text. */
static char *
read_code (JsonNode *object)
{
  JsonNode *node = interp_json_get (object, "code");
  g_autoptr (GString) lines = NULL;

  if (node == NULL)
    return NULL;

  if (!interp_json_is_array (node))
    return g_strdup (interp_json_get_string (node, NULL));

  lines = g_string_new (NULL);
  for (guint i = 0; i < interp_json_get_length (node, NULL); i++)
    {
      g_autofree char *path = g_strdup_printf ("%u", i);
      const char *line = interp_json_get_string (node, path);

      if (line == NULL)
        return NULL;

      g_string_append (lines, line);
      if (!g_str_has_suffix (line, "\n"))
        g_string_append_c (lines, '\n');
    }

  return g_string_free_and_steal (g_steal_pointer (&lines));
}

/* "code" that is once more {"language": …, "code": …}. */
static void
unwrap_code (InterpCall *call)
{
  g_autoptr (JsonNode) inner = NULL;
  g_autofree char *stripped = NULL;
  g_autofree char *code = NULL;
  const char *language;
  gsize length;

  if (call->code == NULL)
    return;

  stripped = g_strstrip (g_strdup (call->code));
  length = strlen (stripped);
  if (length < 2 || stripped[0] != '{' || stripped[length - 1] != '}' || strstr (stripped, "\"code\"") == NULL)
    return;

  inner = interp_json_parse (stripped, length, INTERP_JSON_PARSE_REFUSE_NUL, NULL);
  if (inner == NULL || !interp_json_is_object (inner))
    return;

  code = read_code (inner);
  language = interp_json_get_string (inner, "language");
  if (code == NULL || language == NULL || json_object_get_size (json_node_get_object (inner)) > 2)
    return;

  g_free (call->code);
  call->code = g_steal_pointer (&code);
  g_free (call->language);
  call->language = g_strdup (language);
}

static JsonNode *
parse_arguments (const char *arguments, GError **error)
{
  g_autoptr (JsonNode) node = NULL;
  const char *p = arguments != NULL ? arguments : "";

  while (g_ascii_isspace (*p))
    p++;

  if (*p == '\0')
    return interp_json_object (NULL, NULL);

  node = interp_json_parse (p, -1, INTERP_JSON_PARSE_REFUSE_NUL, error);
  if (node == NULL)
    return NULL;

  if (JSON_NODE_HOLDS_NULL (node))
    return interp_json_object (NULL, NULL);

  /* Encoded twice. */
  if (JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_STRING)
    {
      JsonNode *inner = interp_json_parse (json_node_get_string (node), -1, INTERP_JSON_PARSE_REFUSE_NUL, NULL);

      if (inner != NULL && interp_json_is_object (inner))
        return inner;

      g_clear_pointer (&inner, json_node_unref);
    }

  return g_steal_pointer (&node);
}

static void
interpret_language_call (InterpCall *call, const char *language)
{
  g_autoptr (JsonNode) node = parse_arguments (call->arguments, NULL);

  call->language = g_strdup (language);

  if (node == NULL)
    {
      const char *p = call->arguments;

      while (g_ascii_isspace (*p))
        p++;

      /* Half a JSON object is a call cut off, not code. */
      if (*p == '{' && strstr (p, "\"code\"") != NULL)
        set_fault (call, _ ("The arguments of the call are not valid JSON."));
      else
        call->code = g_strdup (call->arguments);
    }
  else if (interp_json_is_object (node))
    {
      const char *other = interp_json_get_string (node, "language");
      const char *code;

      call->code = read_code (node);
      if (call->code == NULL && (code = interp_json_get_string (node, "input")) != NULL)
        call->code = g_strdup (code);
      if (call->code == NULL && (code = interp_json_get_string (node, "command")) != NULL)
        call->code = g_strdup (code);

      if (other != NULL)
        {
          g_free (call->language);
          call->language = g_strdup (other);
        }
    }
  else if (JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_STRING)
    {
      call->code = g_strdup (json_node_get_string (node));
    }
  else
    {
      /* A number or a list is an expression. */
      call->code = g_strdup (call->arguments);
    }

  if (call->code == NULL)
    set_fault (call, _ ("The call holds no code."));
}

static void
interpret_run_code (InterpCall *call)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) node = parse_arguments (call->arguments, &error);

  if (node == NULL)
    {
      if (g_error_matches (error, INTERP_JSON_ERROR, INTERP_JSON_ERROR_NUL))
        set_fault (call, _ ("The code contains a NUL character."));
      else
        set_fault (call, _ ("The arguments of the call are not valid JSON."));
      return;
    }

  if (!interp_json_is_object (node))
    {
      set_fault (call, _ ("The arguments of the call are not a JSON object."));
      return;
    }

  call->language = g_strdup (interp_json_get_string (node, "language"));
  call->code = read_code (node);

  if (call->code == NULL)
    set_fault (call, _ ("The call holds no code."));
}

void
interp_run_code_interpret (InterpCall *call, InterpOffer *offer)
{
  const char *name;

  g_return_if_fail (call != NULL);
  g_return_if_fail (offer != NULL);

  if (call->arguments == NULL)
    call->arguments = g_strdup ("");

  if (strlen (call->arguments) > INTERP_RUN_CODE_MAX)
    {
      set_fault (call, _ ("The arguments of the call are too long."));
      return;
    }

  /* functions.run_code */
  name = strip_prefix (call->name);
  if (name != call->name)
    {
      char *bare = g_strdup (name);

      g_free (call->name);
      call->name = bare;
    }

  if (call->name == NULL || *call->name == '\0')
    {
      g_free (call->name);
      call->name = g_strdup ("");
      set_fault (call, _ ("The call names no tool."));
      return;
    }

  if (g_str_equal (call->name, INTERP_RUN_CODE)
      || (!interp_offer_has_tool (offer, call->name) && is_run_code_name (call->name)))
    {
      g_free (call->name);
      call->name = g_strdup (INTERP_RUN_CODE);
      interpret_run_code (call);
      unwrap_code (call);
    }
  else if (!interp_offer_has_tool (offer, call->name) && is_language_name (offer, call->name))
    {
      g_autofree char *language = g_steal_pointer (&call->name);

      call->name = g_strdup (INTERP_RUN_CODE);
      interpret_language_call (call, language);
      unwrap_code (call);
    }
  else
    {
      g_autoptr (JsonNode) node = parse_arguments (call->arguments, NULL);

      if (node == NULL || !interp_json_is_object (node))
        set_fault (call, _ ("The arguments of the call are not valid JSON."));
    }

  if (g_strcmp0 (call->name, INTERP_RUN_CODE) == 0 && call->fault == NULL)
    {
      if (call->language == NULL || *call->language == '\0')
        set_fault (call, _ ("The call names no language."));
      else if (!g_utf8_validate (call->code, -1, NULL))
        set_fault (call, _ ("The code is not valid UTF-8."));
    }
}

/* ---- while it arrives ---- */

void
interp_run_code_peek (InterpOffer *offer, const char *name, const char *partial_arguments, char **language, char **code)
{
  const char *p = partial_arguments;

  *language = NULL;
  *code = NULL;

  name = strip_prefix (name);
  if (name == NULL)
    return;

  while (g_ascii_isspace (*p))
    p++;

  if (is_run_code_name (name) && (g_str_equal (name, INTERP_RUN_CODE) || !interp_offer_has_tool (offer, name)))
    {
      gboolean complete = FALSE;

      *language = interp_json_partial_string (p, "language", &complete);
      if (!complete)
        g_clear_pointer (language, g_free);
      *code = interp_json_partial_string (p, "code", NULL);
    }
  else if (!interp_offer_has_tool (offer, name) && is_language_name (offer, name))
    {
      *language = g_strdup (name);

      if (*p == '{' || *p == '\0')
        *code = interp_json_partial_string (p, "code", NULL);
      else if (*p != '"')
        *code = g_strdup (partial_arguments);
    }
}
