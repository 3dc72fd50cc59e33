/* interp-column.h: the scrolling column of a transcript
 *
 * A GtkScrollable that lays its children out one under the other, at most @max-width wide. It keeps what is
 * being read in place: whatever grows, shrinks, comes or goes elsewhere, the piece of text at the top of the
 * view stays where it is. Following the bottom is a mode that only the user's scrolling (or
 * interp_column_follow ()) changes, never a height.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define INTERP_TYPE_COLUMN (interp_column_get_type ())
G_DECLARE_FINAL_TYPE (InterpColumn, interp_column, INTERP, COLUMN, GtkWidget)

/* Property "following" (notifies). Signal "near-top": the view came within a page of the first child. */
GtkWidget *interp_column_new (void);
void interp_column_set_max_width (InterpColumn *self, int max_width);

/* @before NULL: at the end. */
void interp_column_insert (InterpColumn *self, GtkWidget *child, GtkWidget *before);
/* The height that the child will take. */
int interp_column_measure_child (InterpColumn *self, GtkWidget *child);
void interp_column_remove (InterpColumn *self, GtkWidget *child);
void interp_column_clear (InterpColumn *self);

gboolean interp_column_is_following (InterpColumn *self);
void interp_column_follow (InterpColumn *self, gboolean follow);
/* Follows until @child (nullable) has reached the top of the view, then stays. */
void interp_column_set_stop (InterpColumn *self, GtkWidget *child);
/* Scrolls as little as needed to show @widget, a descendant. */
void interp_column_reveal (InterpColumn *self, GtkWidget *widget);
/* The child that has or had the focus: Tab comes back to it, arrow keys start there; nullable. */
GtkWidget *interp_column_get_current (InterpColumn *self);
void interp_column_set_current (InterpColumn *self, GtkWidget *child);

G_END_DECLS
