/* interp-approval-bar.c
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "approval/interp-approval-bar.h"
#include "approval/interp-approval-panel.h"

GtkWidget *
interp_approval_bar_new (InterpSession *session, InterpCell *cell)
{
  InterpApprovalPanel *panel = interp_approval_panel_new (session, cell);

  /* In the transcript it is as high as its code, up to where that scrolls inside. */
  gtk_widget_set_vexpand (GTK_WIDGET (panel), FALSE);
  return GTK_WIDGET (panel);
}
