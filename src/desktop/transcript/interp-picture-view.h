/* interp-picture-view.h: a chart or picture in the transcript
 *
 * Fits the width, opens large on click, can be saved and copied.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <adwaita.h>

#include "kernel/interp-display.h"

G_BEGIN_DECLS

#define INTERP_TYPE_PICTURE_VIEW (interp_picture_view_get_type ())
G_DECLARE_FINAL_TYPE (InterpPictureView, interp_picture_view, INTERP, PICTURE_VIEW, AdwBin)

GtkWidget *interp_picture_view_new_for_display (InterpDisplay *display);
/* @description: alternative text, nullable. */
GtkWidget *interp_picture_view_new_for_path (const char *path, const char *description);

G_END_DECLS
