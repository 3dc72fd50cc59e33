/* interp-text-dialog.h: a dialog with a text to read and copy
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* @language: for highlighting, nullable. */
AdwDialog *interp_text_dialog_new (const char *title, const char *text, const char *language);

G_END_DECLS
