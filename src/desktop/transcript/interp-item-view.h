/* interp-item-view.h: one item of the transcript
 *
 * The base of all: what the item notifies is shown once a frame, however often it changes. The view itself
 * takes the focus; the arrow keys move between views, and with Right and Left through the controls inside
 * one.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <adwaita.h>

#include "session/interp-session.h"

G_BEGIN_DECLS

#define INTERP_TYPE_ITEM_VIEW (interp_item_view_get_type ())
G_DECLARE_DERIVABLE_TYPE (InterpItemView, interp_item_view, INTERP, ITEM_VIEW, AdwBin)

struct _InterpItemViewClass
{
  AdwBinClass parent_class;

  /* Shows the item as it is now; called once after construction and then at most once a frame. */
  void (*update) (InterpItemView *self);
};

/* The view for @item's kind. */
GtkWidget *interp_item_view_new (InterpSession *session, InterpItem *item);

InterpItem *interp_item_view_get_item (InterpItemView *self);
InterpSession *interp_item_view_get_session (InterpItemView *self);
void interp_item_view_queue_update (InterpItemView *self);
/* Moves the focus to the next (@step 1) or previous (−1) control inside; FALSE at the end. */
gboolean interp_item_view_move_inside (InterpItemView *self, int step);
/* The menu of branches ("2 of 3") where there are several; hidden otherwise. */
void interp_item_view_update_branches (InterpItemView *self, GtkWidget *box);

G_END_DECLS
