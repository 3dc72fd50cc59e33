/* interp-display-view.h: one rich result of a run
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <adwaita.h>

#include "kernel/interp-display.h"

G_BEGIN_DECLS

/* The widget for @display's kind: chart, table, page to open, or its text. NULL: nothing to show. */
GtkWidget *interp_display_view_new (InterpDisplay *display);

G_END_DECLS
