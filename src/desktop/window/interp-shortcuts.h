/* interp-shortcuts.h: every key of the program, in one table
 *
 * Keys are bubble-phase shortcuts on the widgets that they concern, so that a focused terminal or text gets
 * its own keys first; they are not application accelerators. The few exceptions are marked in the table.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

typedef enum
{
  INTERP_PLACE_WINDOW = 1 << 0, /* anywhere in the window */
  INTERP_PLACE_TRANSCRIPT = 1 << 1,
  INTERP_PLACE_COMPOSER = 1 << 2,
  INTERP_PLACE_ANYWHERE = 1 << 3, /* the same, before whatever has the focus: also in a terminal */
} InterpPlace;

/* Adds the shortcuts of @place to @widget. Those of ANYWHERE are taken in the capture phase. */
void interp_shortcuts_install (GtkWidget *widget, InterpPlace place);
/* "Keyboard Shortcuts", made from the same table. */
AdwDialog *interp_shortcuts_dialog_new (void);

G_END_DECLS
