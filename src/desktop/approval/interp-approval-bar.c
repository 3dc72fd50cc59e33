/* interp-approval-bar.c
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "approval/interp-approval-bar.h"
#include "approval/interp-approval-panel.h"

/* In the transcript the panel has a height of its own: the code scrolls inside. */
#define HEIGHT 320

GtkWidget *
interp_approval_bar_new (InterpSession *session, InterpCell *cell)
{
  InterpApprovalPanel *panel = interp_approval_panel_new (session, cell);

  gtk_widget_set_size_request (GTK_WIDGET (panel), -1, HEIGHT);
  return GTK_WIDGET (panel);
}
