/* interp-diff-view.c: differences, line by line
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "transcript/interp-diff-view.h"

#include <glib/gi18n.h>

#include "base/interp-text.h"

struct _InterpDiffView
{
  AdwBin parent_instance;

  GtkWidget *box;
  GPtrArray *diffs;
  gboolean wrap;
};

G_DEFINE_FINAL_TYPE (InterpDiffView, interp_diff_view, ADW_TYPE_BIN)

typedef struct
{
  GtkTextTag *added;
  GtkTextTag *removed;
  GtkTextTag *divider;
  GtkTextTag *number;
} Tags;

static void
add_tags (GtkTextBuffer *buffer, Tags *tags)
{
  gboolean dark = adw_style_manager_get_dark (adw_style_manager_get_default ());
  GdkRGBA added = dark ? (GdkRGBA) { 0.15f, 0.64f, 0.41f, 0.30f } : (GdkRGBA) { 0.20f, 0.82f, 0.48f, 0.22f };
  GdkRGBA removed = dark ? (GdkRGBA) { 0.75f, 0.11f, 0.16f, 0.34f } : (GdkRGBA) { 0.88f, 0.11f, 0.14f, 0.15f };
  GdkRGBA dim = dark ? (GdkRGBA) { 1, 1, 1, 0.55f } : (GdkRGBA) { 0, 0, 0, 0.55f };

  tags->added = gtk_text_buffer_create_tag (buffer, NULL, "paragraph-background-rgba", &added, NULL);
  tags->removed = gtk_text_buffer_create_tag (buffer, NULL, "paragraph-background-rgba", &removed, NULL);
  tags->divider = gtk_text_buffer_create_tag (buffer, NULL, "foreground-rgba", &dim, "style", PANGO_STYLE_ITALIC, NULL);
  tags->number = gtk_text_buffer_create_tag (buffer, NULL, "foreground-rgba", &dim, NULL);
}

static guint
count_digits (GPtrArray *lines)
{
  int most = 1;
  guint digits = 1;

  for (guint i = 0; i < lines->len; i++)
    {
      const InterpDiffLine *line = g_ptr_array_index (lines, i);

      most = MAX (most, MAX (line->old_line, line->new_line));
    }
  for (; most >= 10; most /= 10)
    digits++;
  return digits;
}

static void
add_line (GtkTextBuffer *buffer, const Tags *tags, const InterpDiffLine *line, guint digits, gboolean last)
{
  g_autofree char *text = interp_text_make_visible (line->text ? line->text : "");
  g_autofree char *number = NULL;
  GtkTextTag *tag = NULL;
  const char *sign = "  ";
  GtkTextIter iter;

  switch (line->kind)
    {
    case INTERP_DIFF_ADDED:
      tag = tags->added;
      sign = "+ ";
      break;
    case INTERP_DIFF_REMOVED:
      tag = tags->removed;
      sign = "− ";
      break;
    case INTERP_DIFF_HUNK:
    case INTERP_DIFF_NOTICE:
      tag = tags->divider;
      sign = "";
      break;
    case INTERP_DIFF_CONTEXT:
    default:
      break;
    }

  gtk_text_buffer_get_end_iter (buffer, &iter);
  if (line->kind != INTERP_DIFF_HUNK && line->kind != INTERP_DIFF_NOTICE)
    {
      int shown = line->kind == INTERP_DIFF_REMOVED ? line->old_line : line->new_line;

      number = shown > 0 ? g_strdup_printf ("%*d ", (int) digits, shown) : g_strnfill (digits + 1, ' ');
      if (tag)
        gtk_text_buffer_insert_with_tags (buffer, &iter, number, -1, tags->number, tag, NULL);
      else
        gtk_text_buffer_insert_with_tags (buffer, &iter, number, -1, tags->number, NULL);
    }
  if (tag)
    {
      gtk_text_buffer_insert_with_tags (buffer, &iter, sign, -1, tag, NULL);
      gtk_text_buffer_insert_with_tags (buffer, &iter, text, -1, tag, NULL);
      if (!last)
        gtk_text_buffer_insert_with_tags (buffer, &iter, "\n", -1, tag, NULL);
    }
  else
    {
      gtk_text_buffer_insert (buffer, &iter, sign, -1);
      gtk_text_buffer_insert (buffer, &iter, text, -1);
      if (!last)
        gtk_text_buffer_insert (buffer, &iter, "\n", -1);
    }
}

static GtkWidget *
make_heading (InterpDiff *diff)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *title = gtk_label_new (interp_diff_get_title (diff));
  guint added = interp_diff_get_n_added (diff);
  guint removed = interp_diff_get_n_removed (diff);

  gtk_label_set_xalign (GTK_LABEL (title), 0);
  gtk_label_set_wrap (GTK_LABEL (title), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (title), PANGO_WRAP_WORD_CHAR);
  gtk_widget_set_hexpand (title, TRUE);
  gtk_widget_add_css_class (title, "heading");
  gtk_box_append (GTK_BOX (box), title);
  if (added > 0 || removed > 0)
    {
      g_autofree char *short_text = g_strdup_printf ("+%u −%u", added, removed);
      g_autofree char *added_text = g_strdup_printf (ngettext ("%u line added", "%u lines added", added), added);
      g_autofree char *removed_text
          = g_strdup_printf (ngettext ("%u line removed", "%u lines removed", removed), removed);
      /* Translators: "3 lines added, 1 line removed" */
      g_autofree char *words = g_strdup_printf (_ ("%s, %s"), added_text, removed_text);
      GtkWidget *count = gtk_label_new (short_text);

      gtk_widget_add_css_class (count, "numeric");
      gtk_widget_add_css_class (count, "dimmed");
      gtk_widget_set_tooltip_text (count, words);
      gtk_accessible_update_property (GTK_ACCESSIBLE (count), GTK_ACCESSIBLE_PROPERTY_LABEL, words, -1);
      gtk_box_append (GTK_BOX (box), count);
    }
  gtk_widget_add_css_class (box, "diff-heading");
  return box;
}

static GtkWidget *
make_lines (InterpDiffView *self, InterpDiff *diff)
{
  GtkWidget *view = gtk_text_view_new ();
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (view));
  GPtrArray *lines = interp_diff_get_lines (diff);
  guint digits = count_digits (lines);
  GtkTextIter begin;
  Tags tags;

  add_tags (buffer, &tags);
  for (guint i = 0; i < lines->len; i++)
    add_line (buffer, &tags, g_ptr_array_index (lines, i), digits, i + 1 == lines->len);
  gtk_text_buffer_get_start_iter (buffer, &begin);
  gtk_text_buffer_place_cursor (buffer, &begin);

  gtk_text_view_set_editable (GTK_TEXT_VIEW (view), FALSE);
  gtk_text_view_set_cursor_visible (GTK_TEXT_VIEW (view), FALSE);
  gtk_text_view_set_accepts_tab (GTK_TEXT_VIEW (view), FALSE);
  gtk_text_view_set_monospace (GTK_TEXT_VIEW (view), TRUE);
  gtk_text_view_set_left_margin (GTK_TEXT_VIEW (view), 12);
  gtk_text_view_set_right_margin (GTK_TEXT_VIEW (view), 12);
  gtk_text_view_set_top_margin (GTK_TEXT_VIEW (view), 6);
  gtk_text_view_set_bottom_margin (GTK_TEXT_VIEW (view), 6);
  gtk_text_view_set_wrap_mode (GTK_TEXT_VIEW (view), self->wrap ? GTK_WRAP_WORD_CHAR : GTK_WRAP_NONE);
  gtk_widget_set_direction (view, GTK_TEXT_DIR_LTR);
  gtk_widget_add_css_class (view, "diff");
  gtk_accessible_update_property (GTK_ACCESSIBLE (view), GTK_ACCESSIBLE_PROPERTY_LABEL, interp_diff_get_title (diff),
                                  -1);
  return view;
}

static void
rebuild (InterpDiffView *self)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (self->box)))
    gtk_box_remove (GTK_BOX (self->box), child);
  for (guint i = 0; self->diffs && i < self->diffs->len; i++)
    {
      InterpDiff *diff = g_ptr_array_index (self->diffs, i);

      gtk_box_append (GTK_BOX (self->box), make_heading (diff));
      gtk_box_append (GTK_BOX (self->box), make_lines (self, diff));
    }
}

void
interp_diff_view_set_diffs (InterpDiffView *self, GPtrArray *diffs)
{
  g_return_if_fail (INTERP_IS_DIFF_VIEW (self));

  if (self->diffs == diffs)
    return;
  g_clear_pointer (&self->diffs, g_ptr_array_unref);
  self->diffs = diffs ? g_ptr_array_ref (diffs) : NULL;
  rebuild (self);
}

void
interp_diff_view_set_wrap (InterpDiffView *self, gboolean wrap)
{
  g_return_if_fail (INTERP_IS_DIFF_VIEW (self));

  if (self->wrap == wrap)
    return;
  self->wrap = wrap;
  rebuild (self);
}

GtkWidget *
interp_diff_view_new (void)
{
  return g_object_new (INTERP_TYPE_DIFF_VIEW, NULL);
}

static void
interp_diff_view_dispose (GObject *object)
{
  InterpDiffView *self = INTERP_DIFF_VIEW (object);

  g_clear_pointer (&self->diffs, g_ptr_array_unref);
  G_OBJECT_CLASS (interp_diff_view_parent_class)->dispose (object);
}

static void
interp_diff_view_class_init (InterpDiffViewClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = interp_diff_view_dispose;
}

static void
interp_diff_view_init (InterpDiffView *self)
{
  self->wrap = TRUE;
  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  adw_bin_set_child (ADW_BIN (self), self->box);
  g_signal_connect_object (adw_style_manager_get_default (), "notify::dark", G_CALLBACK (rebuild), self,
                           G_CONNECT_SWAPPED);
}
