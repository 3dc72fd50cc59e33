/* interp-output-view.h: text output as the terminal left it, with its colours
 *
 * Long output is folded to its first and last lines, with the exact count of those between.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define INTERP_TYPE_OUTPUT_VIEW (interp_output_view_get_type ())
G_DECLARE_FINAL_TYPE (InterpOutputView, interp_output_view, INTERP, OUTPUT_VIEW, AdwBin)

GtkWidget *interp_output_view_new (void);
/* @text: lines ended by \n; @spans: GArray of InterpTextSpan, nullable. @n_dropped: lines that @text lacks in
 * its middle. */
void interp_output_view_set_output (InterpOutputView *self, const char *text, GArray *spans, guint64 n_dropped);
/* Lines are folded away, or were dropped. */
gboolean interp_output_view_is_partial (InterpOutputView *self);

G_END_DECLS
