/* interp-slash-popover.h: the list that "/" opens over the composer
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define INTERP_TYPE_SLASH_POPOVER (interp_slash_popover_get_type ())
G_DECLARE_FINAL_TYPE (InterpSlashPopover, interp_slash_popover, INTERP, SLASH_POPOVER, GtkPopover)

/* Never takes the focus. Signal "chosen" (const char *name). */
GtkWidget *interp_slash_popover_new (void);
/* Shows what may follow @text, or closes when nothing may. */
void interp_slash_popover_update (InterpSlashPopover *self, const char *text);
void interp_slash_popover_move (InterpSlashPopover *self, int step);
/* The selected command's name, when open; nullable. */
const char *interp_slash_popover_get_selected (InterpSlashPopover *self);

G_END_DECLS
