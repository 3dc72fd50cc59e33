/* fuzz-json.c: JSON text
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "base/interp-json.h"
#include "fuzz.h"

#include <string.h>

static JsonNode *
parse (const char *text, gssize length, InterpJsonParseFlags flags)
{
  g_autoptr (GError) error = NULL;
  JsonNode *node = interp_json_parse (text, length, flags, &error);

  g_assert_true ((node == NULL) == (error != NULL));
  if (error != NULL)
    fuzz_check_text (error->message);

  return node;
}

/* Written and read again it is the same. */
static char *
check_round_trip (JsonNode *node)
{
  g_autofree char *text = interp_json_to_string (node);
  g_autoptr (JsonNode) again = parse (text, -1, INTERP_JSON_PARSE_NONE);
  g_autofree char *text_again = NULL;

  fuzz_check_text (text);
  g_assert_nonnull (again);
  text_again = interp_json_to_string (again);
  g_assert_cmpstr (text, ==, text_again);

  return g_steal_pointer (&text);
}

/* The bytes of a member stand for its value. */
static void
check_members (JsonNode *node, const char *bytes, gsize length)
{
  g_auto (GStrv) members = interp_json_get_members (node, NULL);

  for (char **member = members; *member != NULL; member++)
    {
      g_autofree char *raw = NULL;
      g_autofree char *text = NULL;
      g_autofree char *raw_text = NULL;
      g_autoptr (JsonNode) value = NULL;

      /* A path has no way to name them. */
      if (**member == '\0' || strchr (*member, '.') != NULL)
        continue;

      raw = interp_json_raw (bytes, length, *member);
      g_assert_nonnull (raw);
      value = parse (raw, -1, INTERP_JSON_PARSE_NONE);
      g_assert_nonnull (value);
      text = interp_json_to_string (interp_json_get (node, *member));
      raw_text = interp_json_to_string (value);
      g_assert_cmpstr (raw_text, ==, text);
    }
}

/* What is shown of a string that still comes only grows. The string as it was in the end. */
static char *
check_growth (const char *text, gsize length)
{
  g_autofree char *before = g_strdup ("");

  for (gsize end = 1; end <= length; end++)
    {
      g_autofree char *beginning = g_strndup (text, end);
      g_autofree char *now = interp_json_partial_string (beginning, "code", NULL);

      if (now == NULL)
        continue;

      fuzz_check_text (now);
      g_assert_true (g_str_has_prefix (now, before));
      g_free (before);
      before = g_steal_pointer (&now);
    }

  return g_steal_pointer (&before);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  const char *bytes = (const char *) data;
  g_autoptr (JsonNode) node = parse (bytes, size, INTERP_JSON_PARSE_NONE);
  g_autoptr (JsonNode) strict = parse (bytes, size, INTERP_JSON_PARSE_REFUSE_NUL);
  g_autoptr (JsonNode) lenient = parse (bytes, size, INTERP_JSON_PARSE_LENIENT);
  g_autofree char *grown = check_growth (bytes, strnlen (bytes, size));
  g_autofree char *text = NULL;
  g_autofree char *lenient_text = NULL;
  const char *code;

  if (lenient != NULL)
    lenient_text = check_round_trip (lenient);
  if (node == NULL)
    {
      g_assert_null (strict);
      return 0;
    }

  text = check_round_trip (node);
  /* Whoever accepts more reads the same. */
  g_assert_cmpstr (lenient_text, ==, text);
  /* Bytes are given back as a C string. */
  if (memchr (bytes, '\0', size) == NULL)
    check_members (node, bytes, size);

  /* Up to the string. A member that stood there twice stands once in @text. */
  code = interp_json_get_string (node, "code");
  if (code != NULL)
    {
      g_autofree char *whole = check_growth (text, strlen (text));

      g_assert_cmpstr (whole, ==, code);
    }

  return 0;
}
