/* interp-marker-filter.h: takes a kernel's own marks out of its terminal's bytes
 *
 * Where a cell's output begins and ends a harness writes
 *
 *   ESC ] 7770 ; TOKEN ; start|end ; ID BEL
 *
 * with the token of this start of the kernel, so that what the code prints is not taken for a mark by chance. A mark
 * may be cut at any byte. See data/kernels/PROTOCOL.md.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  INTERP_MARK_START,
  INTERP_MARK_END,
} InterpMark;

typedef void (*InterpMarkerBytesFunc) (const char *bytes, gsize length, gpointer user_data);
typedef void (*InterpMarkerMarkFunc) (InterpMark mark, guint64 id, gpointer user_data);

typedef struct _InterpMarkerFilter InterpMarkerFilter;

/* Both functions are called from push () and flush (), in the order of the stream. */
InterpMarkerFilter *interp_marker_filter_new (InterpMarkerBytesFunc bytes, InterpMarkerMarkFunc mark,
                                              gpointer user_data);
void interp_marker_filter_free (InterpMarkerFilter *self);
/* Flushes, then looks for marks with @token (nullable: for none). */
void interp_marker_filter_set_token (InterpMarkerFilter *self, const char *token);
void interp_marker_filter_push (InterpMarkerFilter *self, const char *bytes, gsize length);
/* The stream ends or rests: what looked like the beginning of a mark was none. */
void interp_marker_filter_flush (InterpMarkerFilter *self);
/* Whether bytes are held back. */
gboolean interp_marker_filter_is_holding (InterpMarkerFilter *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpMarkerFilter, interp_marker_filter_free)

G_END_DECLS
