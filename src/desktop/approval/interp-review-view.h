/* interp-review-view.h: code to be approved: literal, wrapped, and knowing what of it was on screen
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <gtksourceview/gtksource.h>

G_BEGIN_DECLS

#define INTERP_TYPE_REVIEW_VIEW (interp_review_view_get_type ())
G_DECLARE_FINAL_TYPE (InterpReviewView, interp_review_view, INTERP, REVIEW_VIEW, GtkSourceView)

/* Property "seen" (boolean): every part of the text has been on screen. */
GtkWidget *interp_review_view_new (void);

/* @highlight: GtkSourceView language id, nullable. Starts unseen. Characters that cannot be seen are shown as ⟨U+XXXX⟩. */
void interp_review_view_set_code (InterpReviewView *self, const char *code, const char *highlight);

/* The exact text that approving this runs: the code as set, or what stands in the editor once it is edited. */
char *interp_review_view_dup_code (InterpReviewView *self);

void interp_review_view_begin_edit (InterpReviewView *self);
gboolean interp_review_view_is_editing (InterpReviewView *self);

gboolean interp_review_view_get_seen (InterpReviewView *self);
/* Scrolls so that the first part not yet seen comes to the top. */
void interp_review_view_show_rest (InterpReviewView *self);

G_END_DECLS
