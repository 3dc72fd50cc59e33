/* interp-code-view.h: code, highlighted, with nothing in it that cannot be seen
 *
 * A GtkSourceView that follows light and dark. Invisible characters (controls, bidirectional overrides,
 * zero-width) stand as visible pills ("⟨U+202E⟩") in the buffer; interp_code_view_dup_code () gives the exact
 * text back. Read-only unless made editable with gtk_text_view_set_editable (). Put it into a
 * GtkScrolledWindow where it may be larger than its place.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <gtksourceview/gtksource.h>

G_BEGIN_DECLS

typedef enum
{
  INTERP_CODE_MARK_NONE,
  INTERP_CODE_MARK_RUNNING,
  INTERP_CODE_MARK_ERROR,
} InterpCodeMark;

#define INTERP_TYPE_CODE_VIEW (interp_code_view_get_type ())
G_DECLARE_FINAL_TYPE (InterpCodeView, interp_code_view, INTERP, CODE_VIEW, GtkSourceView)

GtkWidget *interp_code_view_new (void);

/* Shows @code. Text that only grew is appended, which keeps highlighting and selection. */
void interp_code_view_set_code (InterpCodeView *self, const char *code);
/* The exact text, pills turned back into what they stand for. */
char *interp_code_view_dup_code (InterpCodeView *self);

/* @language: a GtkSourceView language id, a kernel's id or alias, or what a model wrote after a fence ("py",
 * "c++"); nullable, unknown ones are shown plain. */
void interp_code_view_set_language (InterpCodeView *self, const char *language);
void interp_code_view_set_line_numbers (InterpCodeView *self, gboolean line_numbers);
void interp_code_view_set_wrap (InterpCodeView *self, gboolean wrap);
/* One marked line, from 1; 0 for none. */
void interp_code_view_set_marked_line (InterpCodeView *self, int line, InterpCodeMark mark);
/* As tall as its text, or @height with a scrollbar of its own; 0: as tall as its text. */
void interp_code_view_set_scroller_height (GtkScrolledWindow *scroller, int height);
/* The code holds characters that cannot be seen. */
gboolean interp_code_view_has_invisible (InterpCodeView *self);

G_END_DECLS
