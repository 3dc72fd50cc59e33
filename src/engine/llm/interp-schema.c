/* interp-schema.c: JSON schemas for servers that know a part of them
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm/interp-schema.h"

#include "base/interp-json.h"

/* References inside what a reference points to. */
#define MAX_NESTED 4
/* Values in the result. */
#define MAX_VALUES 20000

typedef struct
{
  JsonNode *root;
  guint n_values;
  guint n_nested;
} Inliner;

static JsonNode *inline_node (Inliner *self, JsonNode *node);

/* A JSON pointer in a fragment, RFC 6901; nullable. */
static JsonNode *
find (JsonNode *root, const char *reference)
{
  g_auto (GStrv) steps = NULL;
  JsonNode *node = root;

  if (!g_str_has_prefix (reference, "#/"))
    return NULL;

  steps = g_strsplit (reference + 2, "/", -1);
  for (gsize i = 0; steps[i] != NULL && node != NULL; i++)
    {
      g_autoptr (GString) step = g_string_new (steps[i]);

      g_string_replace (step, "~1", "/", 0);
      g_string_replace (step, "~0", "~", 0);
      node = interp_json_is_object (node) ? json_object_get_member (json_node_get_object (node), step->str) : NULL;
    }

  return node;
}

static JsonNode *
inline_object (Inliner *self, JsonNode *node)
{
  const char *reference = interp_json_get_string (node, "$ref");
  JsonNode *target = reference != NULL ? find (self->root, reference) : NULL;
  g_autoptr (JsonNode) result = NULL;
  g_auto (GStrv) members = interp_json_get_members (node, NULL);

  if (target != NULL && interp_json_is_object (target) && self->n_nested < MAX_NESTED)
    {
      self->n_nested++;
      result = inline_node (self, target);
      self->n_nested--;
    }
  else if (reference != NULL)
    result = interp_json_object ("type", INTERP_JSON_STRING ("object"), NULL);
  else
    result = interp_json_object (NULL, NULL);

  for (gsize i = 0; members[i] != NULL; i++)
    {
      JsonNode *value = json_object_get_member (json_node_get_object (node), members[i]);

      if (reference != NULL && g_str_equal (members[i], "$ref"))
        continue;
      /* Used where something points at it. */
      if (node == self->root && (g_str_equal (members[i], "$defs") || g_str_equal (members[i], "definitions")))
        continue;
      interp_json_set (result, members[i], inline_node (self, value));
    }

  return g_steal_pointer (&result);
}

static JsonNode *
inline_node (Inliner *self, JsonNode *node)
{
  if (++self->n_values > MAX_VALUES)
    return interp_json_object ("type", INTERP_JSON_STRING ("object"), NULL);

  if (interp_json_is_object (node))
    return inline_object (self, node);

  if (interp_json_is_array (node))
    {
      g_autoptr (JsonNode) result = interp_json_array (INTERP_JSON_END);

      for (guint i = 0; i < json_array_get_length (json_node_get_array (node)); i++)
        interp_json_append (result, inline_node (self, json_array_get_element (json_node_get_array (node), i)));

      return g_steal_pointer (&result);
    }

  return json_node_copy (node);
}

JsonNode *
interp_schema_inline (JsonNode *schema)
{
  Inliner self = { .root = schema };

  g_return_val_if_fail (schema != NULL, NULL);

  return inline_node (&self, schema);
}
