/* interp-json.h: the one entrance to JSON
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

#define INTERP_JSON_ERROR (interp_json_error_quark ())

typedef enum
{
  INTERP_JSON_ERROR_SYNTAX,
  INTERP_JSON_ERROR_DEPTH,
  INTERP_JSON_ERROR_NUL,
  INTERP_JSON_ERROR_TYPE,
} InterpJsonError;

typedef enum
{
  INTERP_JSON_PARSE_NONE = 0,
  /* An escaped or literal NUL is an error (for code); otherwise it becomes U+FFFD. */
  INTERP_JSON_PARSE_REFUSE_NUL = 1 << 0,
  /* Accept raw newlines in strings, trailing commas, single quotes and missing final
   * brackets: only for calls that a model printed as text. */
  INTERP_JSON_PARSE_LENIENT = 1 << 1,
} InterpJsonParseFlags;

/* Deepest nesting accepted from the world. */
#define INTERP_JSON_MAX_DEPTH 128

GQuark interp_json_error_quark (void);

/* Parses one JSON value. Nesting over INTERP_JSON_MAX_DEPTH, invalid UTF-8 and trailing text are errors;
 * lone surrogates become U+FFFD. @length is in bytes, -1 for NUL-terminated. */
JsonNode *interp_json_parse (const char *text, gssize length, InterpJsonParseFlags flags, GError **error);

/* Compact JSON text of @node. */
char *interp_json_to_string (JsonNode *node);

/* Building. Values are tagged by the macros below:
 *
 *   interp_json_object ("model", INTERP_JSON_STRING (name),
 *                       "stream", INTERP_JSON_BOOL (TRUE),
 *                       "messages", INTERP_JSON_NODE (messages),
 *                       NULL);
 *   interp_json_array (INTERP_JSON_STRING ("a"), INTERP_JSON_END);
 *
 * A NULL string or node leaves its member (or element) out. NODE takes ownership. */
typedef enum
{
  INTERP_JSON_TAG_END = 0,
  INTERP_JSON_TAG_STRING = 1,
  INTERP_JSON_TAG_INT = 2,
  INTERP_JSON_TAG_DOUBLE = 3,
  INTERP_JSON_TAG_BOOL = 4,
  INTERP_JSON_TAG_NODE = 5,
  INTERP_JSON_TAG_NULL = 6,
} InterpJsonTag;

#define INTERP_JSON_STRING(s) INTERP_JSON_TAG_STRING, (const char *) (s)
#define INTERP_JSON_INT(i) INTERP_JSON_TAG_INT, (gint64) (i)
#define INTERP_JSON_DOUBLE(d) INTERP_JSON_TAG_DOUBLE, (double) (d)
#define INTERP_JSON_BOOL(b) INTERP_JSON_TAG_BOOL, (int) !!(b)
#define INTERP_JSON_NODE(n) INTERP_JSON_TAG_NODE, (JsonNode *) (n)
#define INTERP_JSON_NULL INTERP_JSON_TAG_NULL
#define INTERP_JSON_END INTERP_JSON_TAG_END

JsonNode *interp_json_object (const char *first_member, ...) G_GNUC_NULL_TERMINATED;
JsonNode *interp_json_array (int first_tag, ...);

/* Adds to an existing object or array; @value is taken. */
void interp_json_set (JsonNode *object, const char *member, JsonNode *value);
void interp_json_append (JsonNode *array, JsonNode *value);

/* Reading never fails: a missing member, a wrong type or an index out of range gives the fallback.
 * @path is members and indices joined by dots, "choices.0.delta.content"; NULL or "" is @node itself.
 * Strings and nodes returned are owned by @node. */
JsonNode *interp_json_get (JsonNode *node, const char *path);
const char *interp_json_get_string (JsonNode *node, const char *path);
/* The first of several paths at which a string stands; the paths end with NULL. */
const char *interp_json_get_first_string (JsonNode *node, ...) G_GNUC_NULL_TERMINATED;
gint64 interp_json_get_int (JsonNode *node, const char *path, gint64 fallback);
double interp_json_get_double (JsonNode *node, const char *path, double fallback);
gboolean interp_json_get_bool (JsonNode *node, const char *path, gboolean fallback);
guint interp_json_get_length (JsonNode *node, const char *path);
gboolean interp_json_is_object (JsonNode *node);
gboolean interp_json_is_array (JsonNode *node);
/* The member names of the object at @path in their order, empty when there is no object. Transfer full. */
GStrv interp_json_get_members (JsonNode *node, const char *path);

/* The exact bytes of the value at @path in @text, or NULL: for provider-opaque values, which must go back
 * unchanged. */
char *interp_json_raw (const char *text, gssize length, const char *path);

/* The value of string member @member as far as it has arrived in @partial, the beginning of a JSON object
 * (the arguments of a tool call still streaming). NULL when the member has not begun.
 * @complete (nullable) tells whether the closing quote has arrived. */
char *interp_json_partial_string (const char *partial, const char *member, gboolean *complete);

G_END_DECLS
