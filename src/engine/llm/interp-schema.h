/* interp-schema.h: JSON schemas for servers that know a part of them
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* @schema with what its "$ref" members point to ("#/$defs/name", "#/definitions/name", any place inside it) in their
 * place; other members beside a "$ref" win. What points outside, at nothing or too deep into itself becomes an object
 * of any kind. The result is bounded whatever @schema is. Transfer full. */
JsonNode *interp_schema_inline (JsonNode *schema);

G_END_DECLS
