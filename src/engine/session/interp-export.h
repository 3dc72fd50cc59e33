/* interp-export.h: a conversation as a document
 *
 * Pure: items in, text out; pictures are read from their files. To be called on a worker, with items of its own.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "session/interp-item.h"

G_BEGIN_DECLS

/* @items: InterpItem, oldest first. Both are transfer full. */
char *interp_export_markdown (const char *title, GPtrArray *items);
/* nbformat 4.5; code of other languages than Python becomes a cell magic: https://nbformat.readthedocs.io/en/latest/ */
char *interp_export_notebook (const char *title, GPtrArray *items);

G_END_DECLS
