/* interp-json-tree.c: the one entrance to JSON: building and reading
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "base/interp-json.h"

#include <math.h>
#include <string.h>

#include "base/interp-text.h"

char *
interp_json_to_string (JsonNode *node)
{
  g_return_val_if_fail (node != NULL, NULL);

  return json_to_string (node, FALSE);
}

static JsonNode *
string_node (const char *text)
{
  g_autofree char *valid = NULL;

  if (g_utf8_validate (text, -1, NULL))
    return json_node_init_string (json_node_alloc (), text);
  valid = interp_text_make_valid (text, -1);
  return json_node_init_string (json_node_alloc (), valid);
}

/* The value that follows @tag; FALSE when it is to be left out. */
static gboolean
collect (int tag, va_list *arguments, JsonNode **value)
{
  const char *text;
  double number;

  *value = NULL;
  switch (tag)
    {
    case INTERP_JSON_TAG_STRING:
      text = va_arg (*arguments, const char *);
      if (text != NULL)
        *value = string_node (text);
      break;
    case INTERP_JSON_TAG_INT:
      *value = json_node_init_int (json_node_alloc (), va_arg (*arguments, gint64));
      break;
    case INTERP_JSON_TAG_DOUBLE:
      number = va_arg (*arguments, double);
      *value = isfinite (number) ? json_node_init_double (json_node_alloc (), number) : json_node_new (JSON_NODE_NULL);
      break;
    case INTERP_JSON_TAG_BOOL:
      *value = json_node_init_boolean (json_node_alloc (), va_arg (*arguments, int));
      break;
    case INTERP_JSON_TAG_NODE:
      *value = va_arg (*arguments, JsonNode *);
      break;
    case INTERP_JSON_TAG_NULL:
      *value = json_node_new (JSON_NODE_NULL);
      break;
    default:
      /* The list can no longer be read: a mistake of the caller. */
      g_error ("interp_json: unknown tag %d", tag);
    }
  return *value != NULL;
}

JsonNode *
interp_json_object (const char *first_member, ...)
{
  JsonNode *node = json_node_new (JSON_NODE_OBJECT);
  JsonObject *object = json_object_new ();
  va_list arguments;

  json_node_take_object (node, object);
  va_start (arguments, first_member);
  for (const char *member = first_member; member != NULL; member = va_arg (arguments, const char *))
    {
      int tag = va_arg (arguments, int);
      JsonNode *value;

      if (collect (tag, &arguments, &value))
        json_object_set_member (object, member, value);
    }
  va_end (arguments);
  return node;
}

JsonNode *
interp_json_array (int first_tag, ...)
{
  JsonNode *node = json_node_new (JSON_NODE_ARRAY);
  JsonArray *array = json_array_new ();
  va_list arguments;

  json_node_take_array (node, array);
  va_start (arguments, first_tag);
  for (int tag = first_tag; tag != INTERP_JSON_TAG_END; tag = va_arg (arguments, int))
    {
      JsonNode *value;

      if (collect (tag, &arguments, &value))
        json_array_add_element (array, value);
    }
  va_end (arguments);
  return node;
}

void
interp_json_set (JsonNode *object, const char *member, JsonNode *value)
{
  g_return_if_fail (interp_json_is_object (object));
  g_return_if_fail (member != NULL);
  g_return_if_fail (value != NULL);

  json_object_set_member (json_node_get_object (object), member, value);
}

void
interp_json_append (JsonNode *array, JsonNode *value)
{
  g_return_if_fail (interp_json_is_array (array));
  g_return_if_fail (value != NULL);

  json_array_add_element (json_node_get_array (array), value);
}

/* The element of @array that the digits at @text name. */
static JsonNode *
get_element (JsonArray *array, const char *text, gsize length)
{
  guint64 index = 0;

  if (length == 0 || length > 9)
    return NULL;
  for (gsize i = 0; i < length; i++)
    {
      if (!g_ascii_isdigit (text[i]))
        return NULL;
      index = index * 10 + (text[i] - '0');
    }
  return index < json_array_get_length (array) ? json_array_get_element (array, index) : NULL;
}

JsonNode *
interp_json_get (JsonNode *node, const char *path)
{
  while (node != NULL && path != NULL && *path != '\0')
    {
      gsize length = strcspn (path, ".");

      if (JSON_NODE_HOLDS_OBJECT (node))
        {
          g_autofree char *member = g_strndup (path, length);

          node = json_object_get_member (json_node_get_object (node), member);
        }
      else if (JSON_NODE_HOLDS_ARRAY (node))
        node = get_element (json_node_get_array (node), path, length);
      else
        node = NULL;

      path += length;
      if (*path == '.')
        path++;
    }
  return node;
}

/* The value at @path when it is no container and no null. */
static JsonNode *
get_scalar (JsonNode *node, const char *path)
{
  node = interp_json_get (node, path);
  return node != NULL && JSON_NODE_HOLDS_VALUE (node) ? node : NULL;
}

const char *
interp_json_get_string (JsonNode *node, const char *path)
{
  node = get_scalar (node, path);
  return node != NULL && json_node_get_value_type (node) == G_TYPE_STRING ? json_node_get_string (node) : NULL;
}

const char *
interp_json_get_first_string (JsonNode *node, ...)
{
  const char *found = NULL;
  const char *path;
  va_list paths;

  va_start (paths, node);
  while (found == NULL && (path = va_arg (paths, const char *)) != NULL)
    found = interp_json_get_string (node, path);
  va_end (paths);

  return found;
}

gint64
interp_json_get_int (JsonNode *node, const char *path, gint64 fallback)
{
  node = get_scalar (node, path);
  if (node == NULL)
    return fallback;
  if (json_node_get_value_type (node) == G_TYPE_INT64)
    return json_node_get_int (node);
  /* "1.0" and "1e3" are whole numbers too. */
  if (json_node_get_value_type (node) == G_TYPE_DOUBLE)
    {
      double number = json_node_get_double (node);

      if (number == floor (number) && fabs (number) <= 9007199254740992.0)
        return (gint64) number;
    }
  return fallback;
}

double
interp_json_get_double (JsonNode *node, const char *path, double fallback)
{
  node = get_scalar (node, path);
  if (node == NULL)
    return fallback;
  if (json_node_get_value_type (node) == G_TYPE_DOUBLE)
    return json_node_get_double (node);
  if (json_node_get_value_type (node) == G_TYPE_INT64)
    return (double) json_node_get_int (node);
  return fallback;
}

gboolean
interp_json_get_bool (JsonNode *node, const char *path, gboolean fallback)
{
  node = get_scalar (node, path);
  return node != NULL && json_node_get_value_type (node) == G_TYPE_BOOLEAN ? json_node_get_boolean (node) : fallback;
}

guint
interp_json_get_length (JsonNode *node, const char *path)
{
  node = interp_json_get (node, path);
  if (interp_json_is_array (node))
    return json_array_get_length (json_node_get_array (node));
  if (interp_json_is_object (node))
    return json_object_get_size (json_node_get_object (node));
  return 0;
}

gboolean
interp_json_is_object (JsonNode *node)
{
  return node != NULL && JSON_NODE_HOLDS_OBJECT (node);
}

gboolean
interp_json_is_array (JsonNode *node)
{
  return node != NULL && JSON_NODE_HOLDS_ARRAY (node);
}

GStrv
interp_json_get_members (JsonNode *node, const char *path)
{
  GPtrArray *names = g_ptr_array_new ();

  node = interp_json_get (node, path);
  if (interp_json_is_object (node))
    {
      g_autoptr (GList) members = json_object_get_members (json_node_get_object (node));

      for (GList *l = members; l != NULL; l = l->next)
        g_ptr_array_add (names, g_strdup (l->data));
    }
  g_ptr_array_add (names, NULL);
  return (GStrv) g_ptr_array_free (names, FALSE);
}
