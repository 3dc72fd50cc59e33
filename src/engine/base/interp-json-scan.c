/* interp-json-scan.c: reads the tokens of JSON text
 *
 * The grammar is RFC 8259's. What the lenient flag adds is what models are seen to print.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "base/interp-json-scan.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/interp-text.h"

#define REPLACEMENT 0xfffd

static gboolean
is_lenient (InterpJsonScan *self)
{
  return (self->flags & INTERP_JSON_PARSE_LENIENT) != 0;
}

void
interp_json_scan_space (InterpJsonScan *self)
{
  while (self->at < self->end && (*self->at == ' ' || *self->at == '\n' || *self->at == '\t' || *self->at == '\r'))
    self->at++;
}

static void
add_character (GString *value, gunichar c)
{
  if (value != NULL)
    g_string_append_unichar (value, c);
}

static InterpJsonScanStatus
add_nul (InterpJsonScan *self, GString *value)
{
  if (self->flags & INTERP_JSON_PARSE_REFUSE_NUL)
    return INTERP_JSON_SCAN_NUL;
  add_character (value, REPLACEMENT);
  return INTERP_JSON_SCAN_OK;
}

/* Four hexadecimal digits, or -1 (invalid), or -2 (the text ends before it is decided). */
static int
read_hex (const char *at, const char *end)
{
  int code = 0;

  for (int i = 0; i < 4; i++)
    {
      if (at + i == end)
        return -2;
      if (!g_ascii_isxdigit (at[i]))
        return -1;
      code = code << 4 | g_ascii_xdigit_value (at[i]);
    }
  return code;
}

/* With @self behind "\u". */
static InterpJsonScanStatus
scan_unicode_escape (InterpJsonScan *self, GString *value)
{
  int code = read_hex (self->at, self->end);

  if (code < 0)
    return code == -2 ? INTERP_JSON_SCAN_INCOMPLETE : INTERP_JSON_SCAN_INVALID;

  if (code >= 0xd800 && code <= 0xdbff)
    {
      const char *next = self->at + 4;
      int low = -1;

      /* Whether a high surrogate is alone shows only in what follows it. */
      if (next == self->end || (*next == '\\' && next + 1 == self->end))
        return INTERP_JSON_SCAN_INCOMPLETE;
      if (next[0] == '\\' && next[1] == 'u')
        low = read_hex (next + 2, self->end);
      if (low == -2)
        return INTERP_JSON_SCAN_INCOMPLETE;
      if (low >= 0xdc00 && low <= 0xdfff)
        {
          self->at = next + 6;
          add_character (value, 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00));
          return INTERP_JSON_SCAN_OK;
        }
      code = REPLACEMENT;
    }
  else if (code >= 0xdc00 && code <= 0xdfff)
    code = REPLACEMENT;

  self->at += 4;
  if (code == 0)
    return add_nul (self, value);
  add_character (value, code);
  return INTERP_JSON_SCAN_OK;
}

/* With @self at a backslash. On INCOMPLETE nothing was taken. */
static InterpJsonScanStatus
scan_escape (InterpJsonScan *self, GString *value)
{
  static const char names[] = "\"\\/bfnrt";
  static const char values[] = "\"\\/\b\f\n\r\t";
  const char *start = self->at;
  const char *name;
  char c;

  if (++self->at == self->end)
    {
      self->at = start;
      return INTERP_JSON_SCAN_INCOMPLETE;
    }

  c = *self->at++;
  if (c == 'u')
    {
      InterpJsonScanStatus status = scan_unicode_escape (self, value);

      if (status == INTERP_JSON_SCAN_INVALID && is_lenient (self))
        {
          /* A path or a pattern whose backslashes the model forgot to double. */
          add_character (value, '\\');
          self->at = start + 1;
          return INTERP_JSON_SCAN_OK;
        }
      if (status != INTERP_JSON_SCAN_OK)
        self->at = start;
      return status;
    }

  name = c != '\0' ? strchr (names, c) : NULL;
  if (name != NULL)
    add_character (value, values[name - names]);
  else if (!is_lenient (self))
    return INTERP_JSON_SCAN_INVALID;
  else if (c == '\'')
    add_character (value, '\'');
  else
    {
      add_character (value, '\\');
      self->at = start + 1;
    }
  return INTERP_JSON_SCAN_OK;
}

InterpJsonScanStatus
interp_json_scan_string (InterpJsonScan *self, GString *value)
{
  char quote = *self->at++;

  while (self->at < self->end)
    {
      InterpJsonScanStatus status = INTERP_JSON_SCAN_OK;
      const char *start = self->at;

      while (self->at < self->end && (guchar) *self->at >= 0x20 && *self->at != quote && *self->at != '\\')
        self->at++;
      if (value != NULL)
        {
          gsize length = self->at - start;

          if (self->at == self->end)
            length = interp_text_complete_prefix (start, length);
          g_string_append_len (value, start, length);
        }
      if (self->at == self->end)
        break;

      if (*self->at == quote)
        {
          self->at++;
          return INTERP_JSON_SCAN_OK;
        }
      if (*self->at == '\\')
        status = scan_escape (self, value);
      else if (*self->at == '\0')
        {
          status = add_nul (self, value);
          self->at++;
        }
      else if (is_lenient (self))
        add_character (value, *self->at++);
      else
        status = INTERP_JSON_SCAN_INVALID;

      if (status != INTERP_JSON_SCAN_OK)
        return status;
    }
  return INTERP_JSON_SCAN_INCOMPLETE;
}

/* Whether @start to @end is a number as the grammar has it; *@integer: without fraction and exponent. */
static gboolean
check_number (const char *start, const char *end, gboolean *integer)
{
  const char *at = start;

  if (at < end && *at == '-')
    at++;
  if (at == end || !g_ascii_isdigit (*at))
    return FALSE;
  if (*at == '0')
    at++;
  else
    while (at < end && g_ascii_isdigit (*at))
      at++;

  *integer = at == end;
  if (at < end && *at == '.')
    {
      if (++at == end || !g_ascii_isdigit (*at))
        return FALSE;
      while (at < end && g_ascii_isdigit (*at))
        at++;
    }
  if (at < end && (*at == 'e' || *at == 'E'))
    {
      at++;
      if (at < end && (*at == '+' || *at == '-'))
        at++;
      if (at == end || !g_ascii_isdigit (*at))
        return FALSE;
      while (at < end && g_ascii_isdigit (*at))
        at++;
    }
  return at == end;
}

static JsonNode *
number_node (const char *text, gboolean integer)
{
  double number;

  if (integer)
    {
      gint64 whole;

      errno = 0;
      whole = g_ascii_strtoll (text, NULL, 10);
      if (errno == 0)
        return json_node_init_int (json_node_alloc (), whole);
    }
  /* What a double cannot hold becomes the greatest there is: an infinity could not be written again. */
  number = g_ascii_strtod (text, NULL);
  return json_node_init_double (json_node_alloc (), CLAMP (number, -DBL_MAX, DBL_MAX));
}

InterpJsonScanStatus
interp_json_scan_scalar (InterpJsonScan *self, JsonNode **value)
{
  const char *start = self->at;
  gboolean integer = FALSE;
  g_autofree char *word = NULL;
  JsonNode *node = NULL;

  while (self->at < self->end && (g_ascii_isalnum (*self->at) || strchr ("+-._", *self->at) != NULL)
         && *self->at != '\0')
    self->at++;
  word = g_strndup (start, self->at - start);

  if (g_str_equal (word, "true") || (is_lenient (self) && g_str_equal (word, "True")))
    node = json_node_init_boolean (json_node_alloc (), TRUE);
  else if (g_str_equal (word, "false") || (is_lenient (self) && g_str_equal (word, "False")))
    node = json_node_init_boolean (json_node_alloc (), FALSE);
  else if (g_str_equal (word, "null") || (is_lenient (self) && g_str_equal (word, "None")))
    node = json_node_init_null (json_node_alloc ());
  else if (check_number (start, self->at, &integer))
    node = number_node (word, integer);
  else
    {
      gboolean cut = self->at == self->end;

      self->at = start;
      return cut ? INTERP_JSON_SCAN_INCOMPLETE : INTERP_JSON_SCAN_INVALID;
    }

  if (value != NULL)
    *value = node;
  else
    json_node_unref (node);
  return INTERP_JSON_SCAN_OK;
}

InterpJsonScanStatus
interp_json_scan_skip (InterpJsonScan *self)
{
  int depth = 0;

  /* Brackets are only counted: who needs the text to be well-formed has parsed it. */
  do
    {
      InterpJsonScanStatus status = INTERP_JSON_SCAN_OK;

      interp_json_scan_space (self);
      if (self->at == self->end)
        return INTERP_JSON_SCAN_INCOMPLETE;

      switch (*self->at)
        {
        case '{':
        case '[':
          if (++depth > INTERP_JSON_MAX_DEPTH)
            return INTERP_JSON_SCAN_DEEP;
          self->at++;
          break;

        case '}':
        case ']':
          if (depth-- == 0)
            return INTERP_JSON_SCAN_INVALID;
          self->at++;
          break;

        case ',':
        case ':':
          if (depth == 0)
            return INTERP_JSON_SCAN_INVALID;
          self->at++;
          break;

        case '"':
          status = interp_json_scan_string (self, NULL);
          break;

        default:
          status = interp_json_scan_scalar (self, NULL);
        }
      if (status != INTERP_JSON_SCAN_OK)
        return status;
    }
  while (depth > 0);

  return INTERP_JSON_SCAN_OK;
}
