/* interp-text-calls.c: tool calls that a model printed as text
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm/interp-text-calls.h"

#include "base/interp-json.h"

#include <string.h>

#define MAX_CALLS 32

/* Marks that begin a call anywhere at a line's start or behind text, and what ends it. */
static const struct
{
  const char *open;
  const char *close; /* NULL: the end of the message */
} marks[] = {
  { "<tool_call>", "</tool_call>" },
  { "<|tool_call|>", "<|/tool_call|>" },
  { "<|tool_call>", "<tool_call|>" },
  { "<tools>", "</tools>" },
  { "<function=", "</function>" },
  { "<function_calls>", "</function_calls>" },
  { "<execute_ipython>", "</execute_ipython>" },
  { "<execute_bash>", "</execute_bash>" },
  { "[TOOL_REQUEST]", "[END_TOOL_REQUEST]" },
  { "[TOOL_CALLS]", NULL },
  { "<|python_tag|>", NULL },
  { "<｜DSML｜function_calls>", "</｜DSML｜function_calls>" },
  { "<｜DSML｜tool_calls>", "</｜DSML｜tool_calls>" },
  { "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>" },
  { "<|channel|>commentary to=", NULL },
};

/* First members of objects that can be calls. */
static const char *call_members[] = { "name",     "arguments", "parameters", "function",  "type",       "id",
                                      "language", "code",      "tool",       "tool_name", "tool_calls", "action" };

/* ---- small readers ---- */

static const char *
skip_space (const char *p)
{
  while (g_ascii_isspace (*p))
    p++;

  return p;
}

static gsize
read_name (const char *p)
{
  gsize length = 0;

  while (g_ascii_isalnum (p[length]) || p[length] == '_' || p[length] == '.' || p[length] == '-')
    length++;

  return length;
}

/* The end of the JSON value that begins at @p: brackets only, quotes heeded; NULL when it is open. */
static const char *
json_end (const char *p)
{
  guint depth = 0;
  char quote = 0;

  for (; *p != '\0'; p++)
    {
      if (quote != 0)
        {
          if (*p == '\\' && p[1] != '\0')
            p++;
          else if (*p == quote)
            quote = 0;
        }
      else if (*p == '"')
        quote = *p;
      else if (*p == '{' || *p == '[')
        depth++;
      else if ((*p == '}' || *p == ']') && depth > 0 && --depth == 0)
        return p + 1;
    }

  return NULL;
}

/* ---- objects ---- */

static gboolean
add_call (GPtrArray *calls, InterpOffer *offer, const char *name, const char *arguments)
{
  g_autoptr (InterpCall) call = NULL;

  if (name == NULL || calls->len >= MAX_CALLS || !interp_offer_accepts (offer, name))
    return FALSE;

  call = interp_call_new (INTERP_CALL_RECOVERED, NULL, name, arguments);
  interp_run_code_interpret (call, offer);
  g_ptr_array_add (calls, g_steal_pointer (&call));

  return TRUE;
}

static gboolean
add_object (GPtrArray *calls, InterpOffer *offer, JsonNode *node, guint depth)
{
  static const char *argument_members[] = { "arguments", "parameters", "args", "input", "tool_input" };
  JsonNode *list;
  JsonNode *inner;
  JsonNode *arguments = NULL;
  const char *name;
  g_autofree char *text = NULL;

  if (depth > 4)
    return FALSE;

  if (interp_json_is_array (node))
    {
      guint n = interp_json_get_length (node, NULL);

      for (guint i = 0; i < n; i++)
        {
          g_autofree char *path = g_strdup_printf ("%u", i);

          if (!add_object (calls, offer, interp_json_get (node, path), depth + 1))
            return FALSE;
        }

      return n > 0;
    }

  if (!interp_json_is_object (node))
    return FALSE;

  list = interp_json_get (node, "tool_calls");
  if (list != NULL && interp_json_is_array (list))
    return add_object (calls, offer, list, depth + 1);

  inner = interp_json_get (node, "function");
  if (inner != NULL && interp_json_is_object (inner))
    return add_object (calls, offer, inner, depth + 1);

  name = interp_json_get_first_string (node, "name", "function", "tool", "tool_name", "action", NULL);

  /* Bare {"language", "code"}. */
  if (name == NULL)
    {
      if (interp_json_get_string (node, "language") == NULL || interp_json_get_string (node, "code") == NULL
          || json_object_get_size (json_node_get_object (node)) != 2)
        return FALSE;

      text = interp_json_to_string (node);
      return add_call (calls, offer, INTERP_RUN_CODE, text);
    }

  for (gsize i = 0; i < G_N_ELEMENTS (argument_members) && arguments == NULL; i++)
    arguments = interp_json_get (node, argument_members[i]);

  /* {"name": "run_code", "language": …, "code": …} */
  if (arguments == NULL && interp_json_get_string (node, "code") != NULL)
    arguments = node;

  if (arguments == NULL)
    text = g_strdup ("{}");
  else if (JSON_NODE_HOLDS_VALUE (arguments) && json_node_get_value_type (arguments) == G_TYPE_STRING)
    text = g_strdup (json_node_get_string (arguments));
  else
    text = interp_json_to_string (arguments);

  return add_call (calls, offer, name, text);
}

/* One or more objects, with nothing but space, commas and semicolons between. */
static gboolean
add_json (GPtrArray *calls, InterpOffer *offer, const char *text)
{
  const char *p = skip_space (text);
  gboolean any = FALSE;

  while (*p != '\0')
    {
      const char *end = json_end (p);
      g_autoptr (JsonNode) node = NULL;

      if (*p != '{' && *p != '[')
        return FALSE;

      if (end != NULL)
        node = interp_json_parse (p, end - p, INTERP_JSON_PARSE_LENIENT, NULL);

      /* Quotes of another kind, or brackets missing at the end: the rest is one object. */
      if (node == NULL)
        {
          node = interp_json_parse (p, -1, INTERP_JSON_PARSE_LENIENT, NULL);
          end = p + strlen (p);
        }

      if (node == NULL || !add_object (calls, offer, node, 0))
        return FALSE;

      any = TRUE;
      p = skip_space (end);
      while (*p == ';' || *p == ',')
        p = skip_space (p + 1);
    }

  return any;
}

/* ---- <function=name><parameter=key>value</parameter></function> ---- */

/* A value between tags: one line break at each end belongs to the tags. */
static char *
trim_value (const char *start, const char *end)
{
  if (start < end && *start == '\r')
    start++;
  if (start < end && *start == '\n')
    start++;
  if (start < end && end[-1] == '\n')
    end--;
  if (start < end && end[-1] == '\r')
    end--;

  return g_strndup (start, end - start);
}

static gboolean
add_parameters (GPtrArray *calls, InterpOffer *offer, const char *name, const char *body, gsize length)
{
  g_autofree char *text = g_strndup (body, length);
  g_autoptr (JsonNode) object = interp_json_object (NULL, NULL);
  g_autofree char *arguments = NULL;
  const char *p = skip_space (text);

  /* Llama: <function=name>{…}</function> */
  if (*p == '{')
    {
      g_autoptr (JsonNode) node = interp_json_parse (p, -1, INTERP_JSON_PARSE_LENIENT, NULL);

      if (node == NULL || !interp_json_is_object (node))
        return FALSE;

      arguments = interp_json_to_string (node);
      return add_call (calls, offer, name, arguments);
    }

  while (*p != '\0')
    {
      g_autofree char *key = NULL;
      g_autofree char *value = NULL;
      const char *key_end;
      const char *value_end;

      if (g_str_has_prefix (p, "<parameter="))
        {
          p += strlen ("<parameter=");
          key_end = strchr (p, '>');
          if (key_end == NULL)
            return FALSE;
          key = g_strstrip (g_strndup (p, key_end - p));
        }
      else if (g_str_has_prefix (p, "<parameter name=\""))
        {
          const char *quote;

          p += strlen ("<parameter name=\"");
          quote = strchr (p, '"');
          key_end = quote != NULL ? strchr (quote, '>') : NULL;
          if (key_end == NULL)
            return FALSE;
          key = g_strndup (p, quote - p);
        }
      else
        {
          return FALSE;
        }

      p = key_end + 1;
      value_end = strstr (p, "</parameter>");
      /* The last one may be left open. */
      value = trim_value (p, value_end != NULL ? value_end : p + strlen (p));
      interp_json_set (object, key, json_node_init_string (json_node_alloc (), value));
      p = value_end != NULL ? skip_space (value_end + strlen ("</parameter>")) : p + strlen (p);
    }

  arguments = interp_json_to_string (object);

  return add_call (calls, offer, name, arguments);
}

static gboolean
add_functions (GPtrArray *calls, InterpOffer *offer, const char *text)
{
  const char *p = skip_space (text);

  while (*p != '\0')
    {
      g_autofree char *name = NULL;
      const char *end;
      const char *body_end;
      const char *closer;

      if (g_str_has_prefix (p, "<function="))
        {
          p += strlen ("<function=");
          closer = "</function>";
          end = strchr (p, '>');
          if (end == NULL)
            return FALSE;
          name = g_strndup (p, end - p);
        }
      else if (g_str_has_prefix (p, "<invoke name=\""))
        {
          const char *quote;

          p += strlen ("<invoke name=\"");
          closer = "</invoke>";
          quote = strchr (p, '"');
          end = quote != NULL ? strchr (quote, '>') : NULL;
          if (end == NULL)
            return FALSE;
          name = g_strndup (p, quote - p);
        }
      else
        {
          return FALSE;
        }

      g_strstrip (name);
      body_end = strstr (end, closer);
      if (!add_parameters (calls, offer, name, end + 1,
                           body_end != NULL ? (gsize) (body_end - end - 1) : strlen (end + 1)))
        return FALSE;

      p = body_end != NULL ? skip_space (body_end + strlen (closer)) : "";
    }

  return calls->len > 0;
}

/* ---- name(…), name{…} ---- */

/* A Python or JSON string at @p; *end behind it. */
static char *
read_string (const char *p, const char **end)
{
  g_autoptr (GString) value = g_string_new (NULL);
  gboolean raw = FALSE;
  gboolean triple;
  char quote;

  if ((*p == 'r' || *p == 'f') && (p[1] == '"' || p[1] == '\''))
    raw = *p++ == 'r';

  quote = *p;
  if (quote != '"' && quote != '\'')
    return NULL;

  triple = p[1] == quote && p[2] == quote;
  p += triple ? 3 : 1;

  for (; *p != '\0'; p++)
    {
      if (*p == '\\' && !raw && p[1] != '\0')
        {
          p++;
          switch (*p)
            {
            case 'n':
              g_string_append_c (value, '\n');
              break;
            case 't':
              g_string_append_c (value, '\t');
              break;
            case 'r':
              g_string_append_c (value, '\r');
              break;
            case '\n':
              break;
            case '\\':
            case '\'':
            case '"':
              g_string_append_c (value, *p);
              break;
            default:
              g_string_append_c (value, '\\');
              g_string_append_c (value, *p);
              break;
            }
        }
      else if (triple ? (p[0] == quote && p[1] == quote && p[2] == quote) : *p == quote)
        {
          *end = p + (triple ? 3 : 1);
          return g_string_free_and_steal (g_steal_pointer (&value));
        }
      else
        {
          g_string_append_c (value, *p);
        }
    }

  return NULL;
}

static gboolean
add_invocation (GPtrArray *calls, InterpOffer *offer, const char *text)
{
  static const char *positions[] = { "language", "code" };
  const char *p = skip_space (text);
  g_autofree char *name = g_strndup (p, read_name (p));
  g_autoptr (JsonNode) object = NULL;
  g_autofree char *arguments = NULL;
  guint n = 0;

  p += strlen (name);
  if (*name == '\0' || !interp_offer_accepts (offer, name))
    return FALSE;

  p = skip_space (p);

  /* name{…} and name({…}) */
  if (*p == '{' || (*p == '(' && *skip_space (p + 1) == '{'))
    {
      const char *start = *p == '{' ? p : skip_space (p + 1);
      const char *end = json_end (start);
      g_autoptr (JsonNode) node = NULL;

      if (end != NULL)
        {
          const char *rest = skip_space (end);

          /* Words behind it make it prose; a doubled name is a known slip. */
          if (*rest == ')')
            rest = skip_space (rest + 1);
          while (*name != '\0' && g_str_has_prefix (rest, name))
            rest = skip_space (rest + strlen (name));
          if (*rest != '\0')
            return FALSE;
        }

      node = interp_json_parse (start, end != NULL ? end - start : -1, INTERP_JSON_PARSE_LENIENT, NULL);
      if (node == NULL || !interp_json_is_object (node))
        return FALSE;

      arguments = interp_json_to_string (node);
      return add_call (calls, offer, name, arguments);
    }

  if (*p != '(')
    return FALSE;

  object = interp_json_object (NULL, NULL);
  p = skip_space (p + 1);

  while (*p != ')')
    {
      g_autofree char *key = NULL;
      g_autofree char *value = NULL;
      gsize length = read_name (p);
      const char *after = skip_space (p + length);

      if (length > 0 && *after == '=' && after[1] != '=')
        {
          key = g_strndup (p, length);
          p = skip_space (after + 1);
        }
      else if (n < G_N_ELEMENTS (positions))
        {
          key = g_strdup (positions[n]);
        }
      else
        {
          return FALSE;
        }

      value = read_string (p, &p);
      if (value == NULL)
        return FALSE;

      interp_json_set (object, key, json_node_init_string (json_node_alloc (), value));
      n++;
      p = skip_space (p);
      if (*p == ',')
        p = skip_space (p + 1);
      else if (*p != ')')
        return FALSE;
    }

  if (*skip_space (p + 1) != '\0' || n == 0)
    return FALSE;

  arguments = interp_json_to_string (object);

  return add_call (calls, offer, name, arguments);
}

/* ---- marks ---- */

static char *
replace_all (const char *text, const char *from, const char *to)
{
  g_autoptr (GString) string = g_string_new (text);

  g_string_replace (string, from, to, 0);

  return g_string_free_and_steal (g_steal_pointer (&string));
}

static gboolean
add_code (GPtrArray *calls, InterpOffer *offer, const char *language, const char *start, const char *end)
{
  g_autofree char *code = trim_value (start, end);
  g_autoptr (JsonNode) object
      = interp_json_object ("language", INTERP_JSON_STRING (language), "code", INTERP_JSON_STRING (code), NULL);
  g_autofree char *arguments = interp_json_to_string (object);

  return add_call (calls, offer, INTERP_RUN_CODE, arguments);
}

/* Mistral: [TOOL_CALLS][{…}], or [TOOL_CALLS]name[ARGS]{…}, again and again. */
static gboolean
add_mistral (GPtrArray *calls, InterpOffer *offer, const char *text)
{
  const char *p = skip_space (text + strlen ("[TOOL_CALLS]"));

  if (*p == '[' || *p == '{')
    return add_json (calls, offer, p);

  for (;;)
    {
      const char *args = strstr (p, "[ARGS]");
      const char *end;
      g_autofree char *name = NULL;
      g_autofree char *arguments = NULL;

      if (args == NULL)
        return FALSE;

      name = g_strstrip (g_strndup (p, args - p));
      {
        char *mark = strstr (name, "[CALL_ID]");

        if (mark != NULL)
          *mark = '\0';
      }

      args = skip_space (args + strlen ("[ARGS]"));
      end = json_end (args);
      if (end == NULL)
        return FALSE;

      arguments = g_strndup (args, end - args);
      if (!add_call (calls, offer, name, arguments))
        return FALSE;

      p = skip_space (end);
      if (*p == '\0')
        return TRUE;
      if (!g_str_has_prefix (p, "[TOOL_CALLS]"))
        return FALSE;
      p += strlen ("[TOOL_CALLS]");
    }
}

/* DeepSeek: …<｜tool▁call▁begin｜>function<｜tool▁sep｜>name\n```json\n{…}\n```<｜tool▁call▁end｜>… */
static gboolean
add_deepseek (GPtrArray *calls, InterpOffer *offer, const char *text)
{
  const char *p = text;

  while ((p = strstr (p, "<｜tool▁call▁begin｜>")) != NULL)
    {
      const char *separator;
      const char *brace;
      const char *end;
      g_autofree char *name = NULL;
      g_autofree char *arguments = NULL;

      p += strlen ("<｜tool▁call▁begin｜>");
      separator = strstr (p, "<｜tool▁sep｜>");
      if (separator == NULL)
        return FALSE;

      /* "function" stands before the separator in older versions, the name in newer ones. */
      name = g_strstrip (g_strndup (p, separator - p));
      separator += strlen ("<｜tool▁sep｜>");
      if (g_str_equal (name, "function"))
        {
          g_free (name);
          name = g_strndup (separator, read_name (separator));
        }

      brace = strchr (separator, '{');
      end = brace != NULL ? json_end (brace) : NULL;
      if (end == NULL)
        return FALSE;

      arguments = g_strndup (brace, end - brace);
      if (!add_call (calls, offer, name, arguments))
        return FALSE;
      p = end;
    }

  return calls->len > 0;
}

/* gpt-oss: <|channel|>commentary to=functions.name <|constrain|>json<|message|>{…}<|call|> */
static gboolean
add_harmony (GPtrArray *calls, InterpOffer *offer, const char *text)
{
  const char *to = strstr (text, "to=");
  const char *message = strstr (text, "<|message|>");
  const char *end;
  g_autofree char *name = NULL;
  g_autofree char *arguments = NULL;

  if (to == NULL || message == NULL || to > message)
    return FALSE;

  to += strlen ("to=");
  name = g_strndup (to, read_name (to));
  message += strlen ("<|message|>");
  end = strstr (message, "<|call|>");
  arguments = end != NULL ? g_strndup (message, end - message) : g_strdup (message);

  return add_call (calls, offer, name, arguments);
}

static gboolean
add_python_tag (GPtrArray *calls, InterpOffer *offer, const char *text)
{
  g_autofree char *body = g_strdup (text + strlen ("<|python_tag|>"));
  char *end = strstr (body, "<|eom_id|>");

  if (end != NULL)
    *end = '\0';

  g_strstrip (body);
  if (*body == '{' || *body == '[')
    return add_json (calls, offer, body);

  return *body != '\0' && add_code (calls, offer, "python", body, body + strlen (body));
}

static const char *
block_language (const char *text, const char **body, const char **end)
{
  static const char *languages[] = { "json", "tool_code", "tool_call", "tool", "" };
  const char *line = strchr (text, '\n');
  const char *close;

  if (!g_str_has_prefix (text, "```") || line == NULL)
    return NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (languages); i++)
    {
      g_autofree char *info = g_strstrip (g_strndup (text + 3, line - text - 3));

      if (!g_str_equal (info, languages[i]))
        continue;

      close = g_strrstr (line, "\n```");
      if (close != NULL && *skip_space (close + 4) != '\0')
        return NULL;

      *body = line + 1;
      *end = close != NULL ? close : text + strlen (text);

      return languages[i];
    }

  return NULL;
}

GPtrArray *
interp_text_calls_parse (const char *text, InterpOffer *offer)
{
  g_autoptr (GPtrArray) calls = g_ptr_array_new_with_free_func ((GDestroyNotify) interp_call_unref);
  g_autofree char *stripped = NULL;
  const char *body;
  const char *end;
  gboolean good = FALSE;

  g_return_val_if_fail (text != NULL, NULL);
  g_return_val_if_fail (offer != NULL, NULL);

  stripped = g_strstrip (g_strdup (text));

  if (g_str_has_prefix (stripped, "<｜DSML｜") || g_str_has_prefix (stripped, "<function_calls>"))
    {
      g_autofree char *plain = replace_all (stripped, "｜DSML｜", "");
      const char *first = strstr (plain, "<invoke");
      char *last = first != NULL ? g_strrstr (plain, "</invoke>") : NULL;

      if (last != NULL)
        last[strlen ("</invoke>")] = '\0';
      good = first != NULL && add_functions (calls, offer, first);
    }
  else if (g_str_has_prefix (stripped, "<｜tool▁calls▁begin｜>"))
    {
      good = add_deepseek (calls, offer, stripped);
    }
  else if (g_str_has_prefix (stripped, "<|channel|>commentary to="))
    {
      good = add_harmony (calls, offer, stripped);
    }
  else if (g_str_has_prefix (stripped, "[TOOL_CALLS]"))
    {
      good = add_mistral (calls, offer, stripped);
    }
  else if (g_str_has_prefix (stripped, "<|python_tag|>"))
    {
      good = add_python_tag (calls, offer, stripped);
    }
  else if (g_str_has_prefix (stripped, "<execute_ipython>") || g_str_has_prefix (stripped, "<execute_bash>"))
    {
      gboolean python = g_str_has_prefix (stripped, "<execute_ipython>");
      const char *start = strchr (stripped, '>') + 1;
      const char *close = g_strrstr (start, python ? "</execute_ipython>" : "</execute_bash>");
      const char *shell = interp_offer_find_language (offer, "shell") != NULL ? "shell" : "bash";

      good = add_code (calls, offer, python ? "python" : shell, start, close != NULL ? close : start + strlen (start));
    }
  else if (g_str_has_prefix (stripped, "<function="))
    {
      good = add_functions (calls, offer, stripped);
    }
  else if (block_language (stripped, &body, &end) != NULL)
    {
      g_autofree char *inner = g_strstrip (g_strndup (body, end - body));

      good = *inner == '{' || *inner == '[' ? add_json (calls, offer, inner) : add_invocation (calls, offer, inner);
    }
  else if (*stripped == '{' || *stripped == '[')
    {
      gboolean tagged = g_str_has_prefix (stripped, "[TOOL_REQUEST]");

      if (tagged)
        {
          g_autofree char *inner = g_strdup (stripped + strlen ("[TOOL_REQUEST]"));
          char *close = strstr (inner, "[END_TOOL_REQUEST]");

          if (close != NULL)
            *close = '\0';
          good = add_json (calls, offer, inner);
        }
      else
        {
          good = add_json (calls, offer, stripped);
        }
    }
  else if (*stripped == '<')
    {
      for (gsize i = 0; i < G_N_ELEMENTS (marks) && !good; i++)
        {
          g_autofree char *inner = NULL;
          char *close;

          if (!g_str_has_prefix (stripped, marks[i].open) || marks[i].close == NULL)
            continue;

          inner = g_strdup (stripped + strlen (marks[i].open));
          close = g_strrstr (inner, marks[i].close);
          if (close != NULL)
            *close = '\0';
          g_strstrip (inner);

          if (g_str_has_prefix (inner, "<function=") || g_str_has_prefix (inner, "<invoke"))
            good = add_functions (calls, offer, inner);
          else if (*inner == '{' || *inner == '[')
            good = add_json (calls, offer, inner);
          else
            good = add_invocation (calls, offer, inner);
        }
    }
  else
    {
      good = add_invocation (calls, offer, stripped);
    }

  return good && calls->len > 0 ? g_steal_pointer (&calls) : NULL;
}

/* ---- while it arrives ---- */

static InterpTextCallVerdict
look_at_object (const char *text)
{
  const char *p = skip_space (text);

  while (*p == '[' || *p == '{')
    {
      gboolean object = *p == '{';

      p = skip_space (p + 1);
      if (object)
        break;
    }

  if (*p == '\0')
    return INTERP_TEXT_CALL_MAYBE;

  if (*p != '"' && *p != '\'')
    return INTERP_TEXT_CALL_NO;

  {
    char quote = *p++;
    const char *end = strchr (p, quote);
    gsize length = end != NULL ? (gsize) (end - p) : strlen (p);

    for (gsize i = 0; i < G_N_ELEMENTS (call_members); i++)
      {
        if (end != NULL ? strlen (call_members[i]) == length && strncmp (call_members[i], p, length) == 0
                        : strncmp (call_members[i], p, length) == 0)
          return end != NULL ? INTERP_TEXT_CALL_YES : INTERP_TEXT_CALL_MAYBE;
      }
  }

  return INTERP_TEXT_CALL_NO;
}

static gboolean
is_prefix_of (const char *text, const char *word)
{
  gsize length = strlen (text);

  return length < strlen (word) && strncmp (text, word, length) == 0;
}

static InterpTextCallVerdict
look_at_block (const char *text, InterpOffer *offer)
{
  static const char *openers[] = { "```json\n", "```tool_code\n", "```tool_call\n", "```tool\n", "```\n" };

  for (gsize i = 0; i < G_N_ELEMENTS (openers); i++)
    {
      const char *body;

      if (is_prefix_of (text, openers[i]))
        return INTERP_TEXT_CALL_MAYBE;

      if (!g_str_has_prefix (text, openers[i]))
        continue;

      if (strstr (openers[i], "tool") != NULL)
        return INTERP_TEXT_CALL_YES;

      body = skip_space (text + strlen (openers[i]));
      if (*body == '\0')
        return INTERP_TEXT_CALL_MAYBE;

      return *body == '{' || *body == '[' ? look_at_object (body) : INTERP_TEXT_CALL_NO;
    }

  return INTERP_TEXT_CALL_NO;
}

InterpTextCallVerdict
interp_text_calls_look (const char *text, gboolean whole_message, InterpOffer *offer, const char **closer)
{
  InterpTextCallVerdict verdict = INTERP_TEXT_CALL_NO;
  gsize length;

  g_return_val_if_fail (text != NULL, INTERP_TEXT_CALL_NO);
  g_return_val_if_fail (closer != NULL, INTERP_TEXT_CALL_NO);

  *closer = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (marks); i++)
    {
      if (g_str_has_prefix (text, marks[i].open))
        {
          *closer = marks[i].close;
          return INTERP_TEXT_CALL_YES;
        }

      if (is_prefix_of (text, marks[i].open))
        verdict = INTERP_TEXT_CALL_MAYBE;
    }

  if (!whole_message || verdict == INTERP_TEXT_CALL_MAYBE)
    return verdict;

  if (*text == '{' || *text == '[')
    return look_at_object (text);

  if (*text == '`')
    return look_at_block (text, offer);

  /* functions.run_code(…), run_code{…} */
  length = read_name (text);
  if (length == 0 || length > 64)
    return INTERP_TEXT_CALL_NO;

  if (text[length] == '\0')
    return interp_offer_may_accept (offer, text) ? INTERP_TEXT_CALL_MAYBE : INTERP_TEXT_CALL_NO;

  if (text[length] == '(' || text[length] == '{')
    {
      g_autofree char *name = g_strndup (text, length);

      if (interp_offer_accepts (offer, name))
        return INTERP_TEXT_CALL_YES;
    }

  return INTERP_TEXT_CALL_NO;
}
