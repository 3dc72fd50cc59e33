/* interp-output-view.c: text output as the terminal left it, with its colours
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "transcript/interp-output-view.h"

#include <glib/gi18n.h>
#include <string.h>

#include "base/interp-terminal-text.h"
#include "transcript/interp-code-view.h"

/* Of more lines than FOLDED_MAX the first and the last half are shown. */
#define FOLDED_MAX 20
/* A line longer than this would be laid out for seconds. */
#define LINE_MAX_BYTES 8192
/* Unfolded output longer than this scrolls in a place of its own. */
#define TALL_LINES 400
#define TALL_HEIGHT 480

struct _InterpOutputView
{
  AdwBin parent_instance;

  GtkScrolledWindow *head_scroller;
  GtkTextView *head;
  GtkTextView *tail;
  GtkWidget *tail_scroller;
  GtkButton *unfold_button;
  GtkWidget *dropped_label;

  char *text;
  GArray *spans;
  guint64 n_dropped;
  gboolean unfolded;
  gboolean partial;
  char *head_text; /* what the head view shows */
};

G_DEFINE_FINAL_TYPE (InterpOutputView, interp_output_view, ADW_TYPE_BIN)

/* ---- colours ---- */

static const char *const light_palette[16] = {
  "#241f31", "#c01c28", "#26a269", "#9c6a00", "#1a5fb4", "#813d9c", "#0b7a8a", "#5e5c64",
  "#77767b", "#e01b24", "#2a8f4f", "#b5830a", "#1c71d8", "#9141ac", "#1c8a97", "#3d3846",
};
static const char *const dark_palette[16] = {
  "#9a9996", "#f66151", "#57e389", "#f8e45c", "#78aeed", "#dc8add", "#7ae0e8", "#deddda",
  "#c0bfbc", "#ff7b72", "#8ff0a4", "#f9f06b", "#99c1f1", "#e0a8f0", "#93ddc2", "#ffffff",
};

static gboolean
get_color (int color, gboolean dark, GdkRGBA *rgba)
{
  rgba->alpha = 1;
  if (color < 0)
    return FALSE;
  if (color & 0x1000000)
    {
      rgba->red = (float) ((color >> 16) & 0xff) / 255.0f;
      rgba->green = (float) ((color >> 8) & 0xff) / 255.0f;
      rgba->blue = (float) (color & 0xff) / 255.0f;
    }
  else if (color < 16)
    return gdk_rgba_parse (rgba, (dark ? dark_palette : light_palette)[color]);
  else if (color < 232)
    {
      static const float steps[6] = { 0, 95 / 255.0f, 135 / 255.0f, 175 / 255.0f, 215 / 255.0f, 1 };
      int index = color - 16;

      rgba->red = steps[index / 36];
      rgba->green = steps[index / 6 % 6];
      rgba->blue = steps[index % 6];
    }
  else if (color < 256)
    rgba->red = rgba->green = rgba->blue = (float) (8 + 10 * (color - 232)) / 255.0f;
  else
    return FALSE;
  return TRUE;
}

static GtkTextTag *
get_tag (GtkTextBuffer *buffer, const InterpTextSpan *span)
{
  g_autofree char *name
      = g_strdup_printf ("%x %x %x", (guint) span->flags, (guint) span->foreground, (guint) span->background);
  GtkTextTag *tag = gtk_text_tag_table_lookup (gtk_text_buffer_get_tag_table (buffer), name);
  gboolean dark = adw_style_manager_get_dark (adw_style_manager_get_default ());
  int foreground = span->foreground;
  int background = span->background;
  GdkRGBA rgba;

  if (tag)
    return tag;
  tag = gtk_text_buffer_create_tag (buffer, name, NULL);
  if (span->flags & INTERP_TEXT_STYLE_REVERSE)
    {
      foreground = span->background < 0 ? (dark ? 0x1000000 : 0x1ffffff) : span->background;
      background = span->foreground < 0 ? (dark ? 0x1ffffff : 0x1000000) : span->foreground;
    }
  if (get_color (foreground, dark, &rgba))
    {
      if (span->flags & INTERP_TEXT_STYLE_DIM)
        rgba.alpha = 0.6f;
      g_object_set (tag, "foreground-rgba", &rgba, NULL);
    }
  else if (span->flags & INTERP_TEXT_STYLE_DIM)
    {
      rgba = dark ? (GdkRGBA) { 1, 1, 1, 0.6f } : (GdkRGBA) { 0, 0, 0, 0.6f };
      g_object_set (tag, "foreground-rgba", &rgba, NULL);
    }
  if (get_color (background, dark, &rgba))
    g_object_set (tag, "background-rgba", &rgba, NULL);
  if (span->flags & INTERP_TEXT_STYLE_BOLD)
    g_object_set (tag, "weight", PANGO_WEIGHT_BOLD, NULL);
  if (span->flags & INTERP_TEXT_STYLE_ITALIC)
    g_object_set (tag, "style", PANGO_STYLE_ITALIC, NULL);
  if (span->flags & INTERP_TEXT_STYLE_UNDERLINE)
    g_object_set (tag, "underline", PANGO_UNDERLINE_SINGLE, NULL);
  if (span->flags & INTERP_TEXT_STYLE_STRIKE)
    g_object_set (tag, "strikethrough", TRUE, NULL);
  return tag;
}

/* ---- text ---- */

/* Appends @begin..@end, one line or a piece of one style of it. */
static void
append_run (GtkTextBuffer *buffer, const char *begin, const char *end, const InterpTextSpan *span)
{
  GtkTextIter iter;

  if (begin >= end)
    return;
  gtk_text_buffer_get_end_iter (buffer, &iter);
  if (span)
    gtk_text_buffer_insert_with_tags (buffer, &iter, begin, (int) (end - begin), get_tag (buffer, span), NULL);
  else
    gtk_text_buffer_insert (buffer, &iter, begin, (int) (end - begin));
}

static void
append_range (InterpOutputView *self, GtkTextBuffer *buffer, gsize from, gsize to)
{
  guint next = 0;

  while (next < (self->spans ? self->spans->len : 0) && g_array_index (self->spans, InterpTextSpan, next).end <= from)
    next++;
  while (from < to)
    {
      const InterpTextSpan *span
          = self->spans && next < self->spans->len ? &g_array_index (self->spans, InterpTextSpan, next) : NULL;
      gsize stop = to;

      if (span && span->start > from)
        {
          stop = MIN (to, span->start);
          span = NULL;
        }
      else if (span)
        {
          stop = MIN (to, span->end);
          next++;
        }
      append_run (buffer, self->text + from, self->text + stop, span);
      from = stop;
    }
}

static void
fill (InterpOutputView *self, GtkTextView *view, gsize from, gsize to)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (view);

  gtk_text_buffer_set_text (buffer, "", 0);
  if (to > from && self->text[to - 1] == '\n')
    to--;
  while (from < to)
    {
      const char *newline = memchr (self->text + from, '\n', to - from);
      gsize stop = newline ? (gsize) (newline - self->text) : to;
      gsize shown = stop;

      if (stop - from > LINE_MAX_BYTES)
        {
          shown = from + LINE_MAX_BYTES;
          while (shown > from && ((guchar) self->text[shown] & 0xc0) == 0x80)
            shown--;
        }
      append_range (self, buffer, from, shown);
      if (shown < stop)
        append_run (buffer, "…", "…" + strlen ("…"), NULL);
      if (newline)
        append_run (buffer, "\n", "\n" + 1, NULL);
      from = newline ? stop + 1 : to;
    }
}

static gsize
skip_lines (const char *text, gsize from, gsize length, guint n)
{
  while (n-- > 0 && from < length)
    {
      const char *newline = memchr (text + from, '\n', length - from);

      from = newline ? (gsize) (newline - text) + 1 : length;
    }
  return from;
}

static gsize
skip_lines_back (const char *text, gsize length, guint n)
{
  gsize at = length > 0 && text[length - 1] == '\n' ? length - 1 : length;

  while (n-- > 0 && at > 0)
    {
      const char *newline = memrchr (text, '\n', at);

      at = newline ? (gsize) (newline - text) : 0;
      if (n == 0 && newline)
        at++;
    }
  return at;
}

static guint64
count_lines (const char *text, gsize length)
{
  guint64 n = 0;

  for (const char *p = text; (p = memchr (p, '\n', (gsize) (text + length - p))); p++)
    n++;
  return n + (length > 0 && text[length - 1] != '\n' ? 1 : 0);
}

static void
show (InterpOutputView *self)
{
  gsize length = self->text ? strlen (self->text) : 0;
  guint64 n = count_lines (self->text ? self->text : "", length);
  gboolean fold = !self->unfolded && n > FOLDED_MAX;
  gsize head_end = fold ? skip_lines (self->text, 0, length, FOLDED_MAX / 2) : length;
  gsize tail_start = fold ? skip_lines_back (self->text, length, FOLDED_MAX / 2) : length;

  self->partial = fold || self->n_dropped > 0;
  /* The head of growing output stays as it is: it need not be laid out again with each frame. */
  if (!self->head_text || strlen (self->head_text) != head_end
      || memcmp (self->head_text, self->text ? self->text : "", head_end) != 0)
    {
      g_free (self->head_text);
      self->head_text = g_strndup (self->text ? self->text : "", head_end);
      fill (self, self->head, 0, head_end);
    }
  interp_code_view_set_scroller_height (self->head_scroller, !fold && n > TALL_LINES ? TALL_HEIGHT : 0);
  gtk_widget_set_visible (self->tail_scroller, fold);
  gtk_widget_set_visible (GTK_WIDGET (self->unfold_button), fold);
  gtk_widget_set_visible (self->dropped_label, !fold && self->n_dropped > 0);
  if (fold)
    {
      guint64 hidden = n - FOLDED_MAX + self->n_dropped;
      g_autofree char *label = g_strdup_printf (ngettext ("%'llu more line", "%'llu more lines", (gulong) hidden),
                                                (unsigned long long) hidden);

      gtk_button_set_label (self->unfold_button, label);
      fill (self, self->tail, tail_start, length);
    }
  else if (self->n_dropped > 0)
    {
      g_autofree char *label = g_strdup_printf (ngettext ("%'llu line from the middle is only in the full log.",
                                                          "%'llu lines from the middle are only in the full log.",
                                                          (gulong) self->n_dropped),
                                                (unsigned long long) self->n_dropped);

      gtk_label_set_label (GTK_LABEL (self->dropped_label), label);
    }
}

void
interp_output_view_set_output (InterpOutputView *self, const char *text, GArray *spans, guint64 n_dropped)
{
  g_return_if_fail (INTERP_IS_OUTPUT_VIEW (self));

  g_set_str (&self->text, text ? text : "");
  g_clear_pointer (&self->spans, g_array_unref);
  self->spans = spans ? g_array_ref (spans) : NULL;
  self->n_dropped = n_dropped;
  show (self);
}

gboolean
interp_output_view_is_partial (InterpOutputView *self)
{
  g_return_val_if_fail (INTERP_IS_OUTPUT_VIEW (self), FALSE);

  return self->partial;
}

static void
unfold (GtkWidget *widget, const char *action, GVariant *parameter)
{
  InterpOutputView *self = INTERP_OUTPUT_VIEW (widget);

  self->unfolded = TRUE;
  show (self);
  gtk_widget_grab_focus (GTK_WIDGET (self->head));
}

static void
on_dark_changed (InterpOutputView *self)
{
  GtkTextView *views[] = { self->head, self->tail };

  /* Tags carry the palette's colours. */
  for (guint i = 0; i < G_N_ELEMENTS (views); i++)
    {
      g_autoptr (GtkTextBuffer) buffer = gtk_text_buffer_new (NULL);

      gtk_text_view_set_buffer (views[i], buffer);
    }
  g_clear_pointer (&self->head_text, g_free);
  show (self);
}

GtkWidget *
interp_output_view_new (void)
{
  return g_object_new (INTERP_TYPE_OUTPUT_VIEW, NULL);
}

static void
interp_output_view_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), INTERP_TYPE_OUTPUT_VIEW);
  G_OBJECT_CLASS (interp_output_view_parent_class)->dispose (object);
}

static void
interp_output_view_finalize (GObject *object)
{
  InterpOutputView *self = INTERP_OUTPUT_VIEW (object);

  g_free (self->text);
  g_free (self->head_text);
  g_clear_pointer (&self->spans, g_array_unref);
  G_OBJECT_CLASS (interp_output_view_parent_class)->finalize (object);
}

static void
interp_output_view_class_init (InterpOutputViewClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = interp_output_view_dispose;
  object_class->finalize = interp_output_view_finalize;

  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/interpreter_app/Interpreter/ui/"
                                                             "interp-output-view.ui");
  gtk_widget_class_bind_template_child (widget_class, InterpOutputView, head_scroller);
  gtk_widget_class_bind_template_child (widget_class, InterpOutputView, head);
  gtk_widget_class_bind_template_child (widget_class, InterpOutputView, tail);
  gtk_widget_class_bind_template_child (widget_class, InterpOutputView, tail_scroller);
  gtk_widget_class_bind_template_child (widget_class, InterpOutputView, unfold_button);
  gtk_widget_class_bind_template_child (widget_class, InterpOutputView, dropped_label);
  gtk_widget_class_install_action (widget_class, "output.unfold", NULL, unfold);
}

static void
interp_output_view_init (InterpOutputView *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_widget_set_direction (GTK_WIDGET (self->head), GTK_TEXT_DIR_LTR);
  gtk_widget_set_direction (GTK_WIDGET (self->tail), GTK_TEXT_DIR_LTR);
  g_signal_connect_object (adw_style_manager_get_default (), "notify::dark", G_CALLBACK (on_dark_changed), self,
                           G_CONNECT_SWAPPED);
}
