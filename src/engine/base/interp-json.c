/* interp-json.c: the one entrance to JSON: parsing
 *
 * json-glib's own parser ends strings at a NUL, fails on lone surrogates, wraps large numbers and recurses on the stack
 * of whoever calls it; so text from the world is parsed here, into json-glib's nodes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "base/interp-json-scan.h"

#include <glib/gi18n.h>
#include <string.h>

#include "base/interp-text.h"

G_DEFINE_QUARK (interp - json - error - quark, interp_json_error)

typedef struct
{
  JsonNode *node; /* unowned: the parent holds it */
  char *member;   /* the name read for the next value */
} Level;

typedef struct
{
  InterpJsonScan scan;
  const char *text;
  JsonNode *root;
  Level levels[INTERP_JSON_MAX_DEPTH];
  int depth;
} Parser;

static gboolean
is_valid_utf8 (const char *text, gsize length)
{
  const char *end = text + length;

  /* g_utf8_validate () stops at a NUL, which is not this function's concern. */
  while (!g_utf8_validate (text, end - text, &text))
    {
      if (*text != '\0')
        return FALSE;
      text++;
    }
  return TRUE;
}

static gboolean
fail (Parser *self, InterpJsonScanStatus status, GError **error)
{
  gsize offset = self->scan.at - self->text;

  switch (status)
    {
    case INTERP_JSON_SCAN_DEEP:
      g_set_error (error, INTERP_JSON_ERROR, INTERP_JSON_ERROR_DEPTH,
                   _ ("The JSON text is nested deeper than %d levels."), INTERP_JSON_MAX_DEPTH);
      break;
    case INTERP_JSON_SCAN_NUL:
      g_set_error (error, INTERP_JSON_ERROR, INTERP_JSON_ERROR_NUL,
                   _ ("The JSON text holds a NUL character at byte %zu."), offset);
      break;
    case INTERP_JSON_SCAN_INCOMPLETE:
      g_set_error_literal (error, INTERP_JSON_ERROR, INTERP_JSON_ERROR_SYNTAX, _ ("The JSON text is incomplete."));
      break;
    case INTERP_JSON_SCAN_INVALID:
    case INTERP_JSON_SCAN_OK:
    default:
      g_set_error (error, INTERP_JSON_ERROR, INTERP_JSON_ERROR_SYNTAX, _ ("The JSON text is not valid at byte %zu."),
                   offset);
    }
  return FALSE;
}

static gboolean
is_quote (Parser *self, char c)
{
  return c == '"' || (c == '\'' && (self->scan.flags & INTERP_JSON_PARSE_LENIENT));
}

static void
add_value (Parser *self, JsonNode *node)
{
  Level *level;

  if (self->depth == 0)
    {
      self->root = node;
      return;
    }
  level = &self->levels[self->depth - 1];
  if (JSON_NODE_HOLDS_OBJECT (level->node))
    {
      json_object_set_member (json_node_get_object (level->node), level->member, node);
      g_clear_pointer (&level->member, g_free);
    }
  else
    json_array_add_element (json_node_get_array (level->node), node);
}

static InterpJsonScanStatus
open_container (Parser *self, JsonNodeType type)
{
  JsonNode *node;

  if (self->depth == INTERP_JSON_MAX_DEPTH)
    return INTERP_JSON_SCAN_DEEP;

  node = json_node_new (type);
  if (type == JSON_NODE_OBJECT)
    json_node_take_object (node, json_object_new ());
  else
    json_node_take_array (node, json_array_new ());
  add_value (self, node);
  self->levels[self->depth++] = (Level) { node, NULL };
  self->scan.at++;
  return INTERP_JSON_SCAN_OK;
}

static InterpJsonScanStatus
parse_value (Parser *self)
{
  InterpJsonScanStatus status;
  JsonNode *node = NULL;
  char c = *self->scan.at;

  if (c == '{')
    return open_container (self, JSON_NODE_OBJECT);
  if (c == '[')
    return open_container (self, JSON_NODE_ARRAY);

  if (is_quote (self, c))
    {
      g_autoptr (GString) value = g_string_new (NULL);

      status = interp_json_scan_string (&self->scan, value);
      if (status == INTERP_JSON_SCAN_OK)
        node = json_node_init_string (json_node_alloc (), value->str);
    }
  else
    status = interp_json_scan_scalar (&self->scan, &node);

  if (status == INTERP_JSON_SCAN_OK)
    add_value (self, node);
  return status;
}

/* A member's name and its colon. */
static InterpJsonScanStatus
parse_member (Parser *self)
{
  g_autoptr (GString) name = g_string_new (NULL);
  InterpJsonScanStatus status;

  if (!is_quote (self, *self->scan.at))
    return INTERP_JSON_SCAN_INVALID;
  status = interp_json_scan_string (&self->scan, name);
  if (status != INTERP_JSON_SCAN_OK)
    return status;

  interp_json_scan_space (&self->scan);
  if (self->scan.at == self->scan.end)
    return INTERP_JSON_SCAN_INCOMPLETE;
  if (*self->scan.at != ':')
    return INTERP_JSON_SCAN_INVALID;
  self->scan.at++;
  interp_json_scan_space (&self->scan);
  if (self->scan.at == self->scan.end)
    return INTERP_JSON_SCAN_INCOMPLETE;

  self->levels[self->depth - 1].member = g_strdup (name->str);
  return INTERP_JSON_SCAN_OK;
}

/* One step within a container: its end, or the next value with the comma before it. */
static InterpJsonScanStatus
parse_step (Parser *self)
{
  InterpJsonScan *scan = &self->scan;
  Level *level = &self->levels[self->depth - 1];
  gboolean object = JSON_NODE_HOLDS_OBJECT (level->node);
  gboolean first = object ? json_object_get_size (json_node_get_object (level->node)) == 0
                          : json_array_get_length (json_node_get_array (level->node)) == 0;
  gboolean lenient = (scan->flags & INTERP_JSON_PARSE_LENIENT) != 0;
  char closing = object ? '}' : ']';
  gboolean after_comma = FALSE;

  if (!first && *scan->at == ',')
    {
      scan->at++;
      interp_json_scan_space (scan);
      if (scan->at == scan->end)
        return INTERP_JSON_SCAN_INCOMPLETE;
      after_comma = TRUE;
    }

  if (*scan->at == closing && (!after_comma || lenient))
    {
      scan->at++;
      self->depth--;
      return INTERP_JSON_SCAN_OK;
    }
  if (!first && !after_comma)
    return INTERP_JSON_SCAN_INVALID;

  if (object)
    {
      InterpJsonScanStatus status = parse_member (self);

      if (status != INTERP_JSON_SCAN_OK)
        return status;
    }
  return parse_value (self);
}

static InterpJsonScanStatus
parse_text (Parser *self)
{
  InterpJsonScanStatus status;

  interp_json_scan_space (&self->scan);
  if (self->scan.at == self->scan.end)
    return INTERP_JSON_SCAN_INCOMPLETE;

  status = parse_value (self);
  while (status == INTERP_JSON_SCAN_OK)
    {
      interp_json_scan_space (&self->scan);
      if (self->depth == 0)
        return self->scan.at == self->scan.end ? INTERP_JSON_SCAN_OK : INTERP_JSON_SCAN_INVALID;
      if (self->scan.at == self->scan.end)
        return self->scan.flags & INTERP_JSON_PARSE_LENIENT ? INTERP_JSON_SCAN_OK : INTERP_JSON_SCAN_INCOMPLETE;
      status = parse_step (self);
    }
  return status;
}

JsonNode *
interp_json_parse (const char *text, gssize length, InterpJsonParseFlags flags, GError **error)
{
  g_autofree Parser *self = NULL;
  InterpJsonScanStatus status;

  g_return_val_if_fail (text != NULL || length == 0, NULL);

  if (text == NULL)
    text = "";
  if (length < 0)
    length = strlen (text);
  if (length >= 3 && memcmp (text, "\xef\xbb\xbf", 3) == 0)
    {
      text += 3;
      length -= 3;
    }
  if (!is_valid_utf8 (text, length))
    {
      g_set_error_literal (error, INTERP_JSON_ERROR, INTERP_JSON_ERROR_SYNTAX, _ ("The JSON text is not valid UTF-8."));
      return NULL;
    }

  self = g_new0 (Parser, 1);
  self->text = text;
  self->scan = (InterpJsonScan) { text, text + length, flags };

  status = parse_text (self);
  if (status == INTERP_JSON_SCAN_OK)
    return self->root;

  fail (self, status, error);
  for (int i = 0; i < self->depth; i++)
    g_free (self->levels[i].member);
  g_clear_pointer (&self->root, json_node_unref);
  return NULL;
}

/* The scan at the value that @path names; with a name given twice the last counts, as in the parsed tree. */
static gboolean
find_value (InterpJsonScan *scan, const char *path)
{
  while (path != NULL && *path != '\0')
    {
      gsize length = strcspn (path, ".");
      g_autofree char *wanted = g_strndup (path, length);
      g_autoptr (GString) name = g_string_new (NULL);
      const char *found = NULL;
      gboolean object;
      guint64 index = 0;

      interp_json_scan_space (scan);
      if (scan->at == scan->end || (*scan->at != '{' && *scan->at != '['))
        return FALSE;
      object = *scan->at++ == '{';

      for (;; index++)
        {
          interp_json_scan_space (scan);
          if (scan->at == scan->end || *scan->at == '}' || *scan->at == ']')
            break;
          if (*scan->at == ',')
            {
              scan->at++;
              interp_json_scan_space (scan);
            }
          if (object)
            {
              g_string_truncate (name, 0);
              if (scan->at == scan->end || *scan->at != '"'
                  || interp_json_scan_string (scan, name) != INTERP_JSON_SCAN_OK)
                break;
              interp_json_scan_space (scan);
              if (scan->at == scan->end || *scan->at++ != ':')
                break;
            }
          else
            g_string_printf (name, "%" G_GUINT64_FORMAT, index);
          interp_json_scan_space (scan);
          if (g_str_equal (name->str, wanted))
            found = scan->at;
          if (interp_json_scan_skip (scan) != INTERP_JSON_SCAN_OK)
            break;
        }

      if (found == NULL)
        return FALSE;
      scan->at = found;
      path += length;
      if (*path == '.')
        path++;
    }
  interp_json_scan_space (scan);
  return scan->at < scan->end;
}

char *
interp_json_raw (const char *text, gssize length, const char *path)
{
  InterpJsonScan scan = { 0 };
  const char *start;

  g_return_val_if_fail (text != NULL || length == 0, NULL);

  if (text == NULL)
    return NULL;
  scan.at = text;
  scan.end = text + (length < 0 ? (gsize) strlen (text) : (gsize) length);

  if (!find_value (&scan, path))
    return NULL;
  start = scan.at;
  if (interp_json_scan_skip (&scan) != INTERP_JSON_SCAN_OK)
    return NULL;
  return g_strndup (start, scan.at - start);
}

char *
interp_json_partial_string (const char *partial, const char *member, gboolean *complete)
{
  InterpJsonScan scan = { 0 };
  g_autoptr (GString) name = g_string_new (NULL);

  g_return_val_if_fail (member != NULL, NULL);

  if (complete != NULL)
    *complete = FALSE;
  if (partial == NULL)
    return NULL;
  /* Models break lines within strings; the whole arguments will be read leniently too. */
  scan = (InterpJsonScan) { partial, partial + strlen (partial), INTERP_JSON_PARSE_LENIENT };

  interp_json_scan_space (&scan);
  if (scan.at == scan.end || *scan.at++ != '{')
    return NULL;

  for (;;)
    {
      gboolean wanted;

      interp_json_scan_space (&scan);
      if (scan.at < scan.end && *scan.at == ',')
        {
          scan.at++;
          interp_json_scan_space (&scan);
        }
      g_string_truncate (name, 0);
      if (scan.at == scan.end || *scan.at != '"' || interp_json_scan_string (&scan, name) != INTERP_JSON_SCAN_OK)
        return NULL;
      wanted = g_str_equal (name->str, member);
      interp_json_scan_space (&scan);
      if (scan.at == scan.end || *scan.at++ != ':')
        return NULL;
      interp_json_scan_space (&scan);
      if (scan.at == scan.end)
        return NULL;

      if (wanted && *scan.at == '"')
        {
          g_autoptr (GString) value = g_string_new (NULL);
          InterpJsonScanStatus status = interp_json_scan_string (&scan, value);

          if (complete != NULL)
            *complete = status == INTERP_JSON_SCAN_OK;
          return interp_text_make_valid (value->str, value->len);
        }
      if (interp_json_scan_skip (&scan) != INTERP_JSON_SCAN_OK)
        return NULL;
    }
}
