/* interp-seen-tracker.h: has all of a text view's text been on screen?
 *
 * Counts whole rows, from the start without a gap. Text that changes has to be seen again from the change on.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define INTERP_TYPE_SEEN_TRACKER (interp_seen_tracker_get_type ())
G_DECLARE_FINAL_TYPE (InterpSeenTracker, interp_seen_tracker, INTERP, SEEN_TRACKER, GObject)

/* Property "seen" (boolean). @view must stand in a GtkScrolledWindow and outlive the tracker's use. */
InterpSeenTracker *interp_seen_tracker_new (GtkTextView *view);
gboolean interp_seen_tracker_get_seen (InterpSeenTracker *self);
/* Scrolls so that the first row not yet seen comes to the top. */
void interp_seen_tracker_show_rest (InterpSeenTracker *self);

G_END_DECLS
