/* interp-json-scan.h: reads the tokens of JSON text; used by interp-json.c alone
 *
 * Nothing here recurses: fibers have small stacks.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "base/interp-json.h"

G_BEGIN_DECLS

typedef enum
{
  INTERP_JSON_SCAN_OK,
  INTERP_JSON_SCAN_INCOMPLETE, /* the text ended inside the token */
  INTERP_JSON_SCAN_INVALID,
  INTERP_JSON_SCAN_NUL, /* a NUL where INTERP_JSON_PARSE_REFUSE_NUL is set */
  INTERP_JSON_SCAN_DEEP,
} InterpJsonScanStatus;

typedef struct
{
  const char *at;
  const char *end;
  InterpJsonParseFlags flags;
} InterpJsonScan;

void interp_json_scan_space (InterpJsonScan *self);

/* With @self at the opening quote: the string's value is added to @value (nullable) and @self moves behind it. When the
 * text ends within, @value holds what is certain: no half escape, surrogate pair or UTF-8 character. */
InterpJsonScanStatus interp_json_scan_string (InterpJsonScan *self, GString *value);

/* With @self at a number, true, false or null. */
InterpJsonScanStatus interp_json_scan_scalar (InterpJsonScan *self, JsonNode **value);

/* Moves behind one whole value of any kind. */
InterpJsonScanStatus interp_json_scan_skip (InterpJsonScan *self);

G_END_DECLS
