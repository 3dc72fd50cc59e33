/* interp-display.h: one rich result: a chart, a table, a file
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <libdex.h>

G_BEGIN_DECLS

#define INTERP_TYPE_DISPLAY (interp_display_get_type ())
G_DECLARE_FINAL_TYPE (InterpDisplay, interp_display, INTERP, DISPLAY, GObject)

/* Table: mime of a table as JSON: {"columns":["a"],"types":["int64"],"rows":[[…]],"total_rows":N} (≤ 1000 rows). */
#define INTERP_DISPLAY_TABLE "application/vnd.interpreter.table+json"

/* The largest result that is shown, bytes. */
#define INTERP_DISPLAY_MAX (64 * 1024 * 1024)

/* @bytes or @path (kept by reference: a blob that is not removed while shown). */
InterpDisplay *interp_display_new (const char *mime, GBytes *bytes, const char *path);
const char *interp_display_get_mime (InterpDisplay *self);
const char *interp_display_get_path (InterpDisplay *self); /* nullable: the file holding it */
GBytes *interp_display_get_bytes (InterpDisplay *self);    /* nullable */
/* Resolves to its bytes (boxed GBytes), read on a worker where it is a file. */
DexFuture *interp_display_load (InterpDisplay *self);
const char *interp_display_get_source (InterpDisplay *self); /* nullable: the file that the code itself wrote */
void interp_display_set_source (InterpDisplay *self, const char *path);
double interp_display_get_scale (InterpDisplay *self); /* pixels per point: 2 for a 144 dpi chart at 72; 1 unknown */
void interp_display_set_scale (InterpDisplay *self, double scale);
const char *interp_display_get_text (InterpDisplay *self); /* nullable: plain-text alternative */
void interp_display_set_text (InterpDisplay *self, const char *text);
/* displays with the same id replace each other; nullable */
const char *interp_display_get_display_id (InterpDisplay *self);
void interp_display_set_display_id (InterpDisplay *self, const char *id);

G_END_DECLS
