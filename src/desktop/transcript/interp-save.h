/* interp-save.h: "Save As" for what the transcript shows
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* Asks for a place and writes @bytes there, or copies the file @path when NULL. Failures are shown over
 * @widget. */
void interp_save_as (GtkWidget *widget, const char *title, const char *name, GBytes *bytes, const char *path);

G_END_DECLS
