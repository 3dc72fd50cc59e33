/* interp-diff-view.h: differences, line by line
 *
 * Signs, line numbers and words tell added from removed, colours only help. Put it into a GtkScrolledWindow.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <adwaita.h>

#include "changes/interp-diff.h"

G_BEGIN_DECLS

#define INTERP_TYPE_DIFF_VIEW (interp_diff_view_get_type ())
G_DECLARE_FINAL_TYPE (InterpDiffView, interp_diff_view, INTERP, DIFF_VIEW, AdwBin)

GtkWidget *interp_diff_view_new (void);
/* @diffs: InterpDiff, kept; nullable. Each gets a heading with its title and counts. */
void interp_diff_view_set_diffs (InterpDiffView *self, GPtrArray *diffs);
void interp_diff_view_set_wrap (InterpDiffView *self, gboolean wrap);

G_END_DECLS
