/* interp-code-view.c: code, highlighted, with nothing in it that cannot be seen
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "transcript/interp-code-view.h"

#include <adwaita.h>
#include <string.h>

#include "base/interp-text.h"
#include "kernel/interp-kernel-spec.h"

/* Longer code is shown without colours: the engine's cost grows with the text. */
#define HIGHLIGHT_MAX (256 * 1024)

struct _InterpCodeView
{
  GtkSourceView parent_instance;

  GString *code; /* what set_code () gave, while nobody edited it; NULL once edited */
  GtkTextTag *pill;
  GtkTextTag *running;
  GtkTextTag *error;
  gboolean converting;
  int marked_line;
  InterpCodeMark mark;
};

G_DEFINE_FINAL_TYPE (InterpCodeView, interp_code_view, GTK_SOURCE_TYPE_VIEW)

static void
apply_style (InterpCodeView *self)
{
  GtkSourceBuffer *buffer = GTK_SOURCE_BUFFER (gtk_text_view_get_buffer (GTK_TEXT_VIEW (self)));
  AdwStyleManager *manager = adw_style_manager_get_default ();
  gboolean dark = adw_style_manager_get_dark (manager);
  GtkSourceStyleSchemeManager *schemes = gtk_source_style_scheme_manager_get_default ();
  GdkRGBA running = dark ? (GdkRGBA) { 0.20f, 0.40f, 0.70f, 0.45f } : (GdkRGBA) { 0.21f, 0.52f, 0.89f, 0.18f };
  GdkRGBA error = dark ? (GdkRGBA) { 0.75f, 0.20f, 0.20f, 0.45f } : (GdkRGBA) { 0.88f, 0.11f, 0.14f, 0.16f };
  GdkRGBA pill = dark ? (GdkRGBA) { 0.80f, 0.55f, 0.10f, 0.55f } : (GdkRGBA) { 0.96f, 0.76f, 0.07f, 0.60f };

  gtk_source_buffer_set_style_scheme (buffer, gtk_source_style_scheme_manager_get_scheme (schemes, dark ? "Adwaita-dark"
                                                                                                        : "Adwaita"));
  g_object_set (self->running, "paragraph-background-rgba", &running, NULL);
  g_object_set (self->error, "paragraph-background-rgba", &error, NULL);
  g_object_set (self->pill, "background-rgba", &pill, NULL);
}

/* ---- invisible characters ---- */

static gboolean
is_invisible (gunichar previous, gunichar c, gunichar next)
{
  char text[24] = { 0 };
  int length = 0;

  if (c == '\n' || c == '\t' || (c >= 0x20 && c < 0x7f))
    return FALSE;
  /* A carriage return and the separators would break the line as \n does. */
  if (c == '\r' || c == 0x2028 || c == 0x2029)
    return TRUE;
  /* Joiners and variation selectors are part of an emoji or a word where their neighbours take them. */
  if (c == 0x200c || c == 0x200d || c == 0xfe0e || c == 0xfe0f)
    {
      if (previous)
        length += g_unichar_to_utf8 (previous, text + length);
      length += g_unichar_to_utf8 (c, text + length);
      if (next)
        g_unichar_to_utf8 (next, text + length);
    }
  else
    g_unichar_to_utf8 (c, text);
  return interp_text_has_invisible (text);
}

static const char *
next_invisible (const char *text, const char *end)
{
  gunichar previous = 0;

  while (text < end)
    {
      const char *next = g_utf8_next_char (text);
      gunichar c = g_utf8_get_char (text);

      if (is_invisible (previous, c, next < end ? g_utf8_get_char (next) : 0))
        return text;
      previous = c;
      text = next;
    }
  return NULL;
}

static void
insert_code (InterpCodeView *self, GtkTextIter *iter, const char *text, gsize length)
{
  GtkTextBuffer *buffer = gtk_text_iter_get_buffer (iter);
  const char *end = text + length;

  self->converting = TRUE;
  while (text < end)
    {
      const char *stop = next_invisible (text, end);
      g_autofree char *name = NULL;

      if (!stop)
        {
          gtk_text_buffer_insert (buffer, iter, text, end - text);
          break;
        }
      if (stop > text)
        gtk_text_buffer_insert (buffer, iter, text, stop - text);
      name = g_strdup_printf ("⟨U+%04X⟩", g_utf8_get_char (stop));
      gtk_text_buffer_insert_with_tags (buffer, iter, name, -1, self->pill, NULL);
      text = g_utf8_next_char (stop);
    }
  self->converting = FALSE;
}

static void
on_insert_text (InterpCodeView *self, GtkTextIter *iter, const char *text, int length, GtkTextBuffer *buffer)
{
  gsize n = length < 0 ? strlen (text) : (gsize) length;

  if (self->converting)
    return;
  if (next_invisible (text, text + n))
    {
      g_signal_stop_emission_by_name (buffer, "insert-text");
      insert_code (self, iter, text, n);
    }
}

static void
on_changed (InterpCodeView *self)
{
  if (!self->converting && self->code)
    {
      g_string_free (self->code, TRUE);
      self->code = NULL;
    }
}

static void
append_range (InterpCodeView *self, const GtkTextIter *begin, const GtkTextIter *end, gboolean pills, GString *out)
{
  g_autofree char *text = gtk_text_iter_get_text (begin, end);

  if (!pills)
    {
      g_string_append (out, text);
      return;
    }
  for (const char *p = strstr (text, "⟨U+"); p; p = strstr (p, "⟨U+"))
    {
      p += strlen ("⟨U+");
      g_string_append_unichar (out, (gunichar) g_ascii_strtoull (p, NULL, 16));
    }
}

char *
interp_code_view_dup_code (InterpCodeView *self)
{
  GtkTextBuffer *buffer;
  GtkTextIter iter, next;
  GString *out;

  g_return_val_if_fail (INTERP_IS_CODE_VIEW (self), NULL);

  if (self->code)
    return g_strndup (self->code->str, self->code->len);

  buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (self));
  out = g_string_new (NULL);
  gtk_text_buffer_get_start_iter (buffer, &iter);
  while (!gtk_text_iter_is_end (&iter))
    {
      gboolean pills = gtk_text_iter_has_tag (&iter, self->pill);

      next = iter;
      if (!gtk_text_iter_forward_to_tag_toggle (&next, self->pill))
        gtk_text_buffer_get_end_iter (buffer, &next);
      append_range (self, &iter, &next, pills, out);
      iter = next;
    }
  return g_string_free (out, FALSE);
}

gboolean
interp_code_view_has_invisible (InterpCodeView *self)
{
  GtkTextIter iter;

  g_return_val_if_fail (INTERP_IS_CODE_VIEW (self), FALSE);

  gtk_text_buffer_get_start_iter (gtk_text_view_get_buffer (GTK_TEXT_VIEW (self)), &iter);
  return gtk_text_iter_has_tag (&iter, self->pill) || gtk_text_iter_forward_to_tag_toggle (&iter, self->pill);
}

/* ---- text ---- */

static void
apply_mark (InterpCodeView *self)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (self));
  GtkTextIter begin, end;

  gtk_text_buffer_get_bounds (buffer, &begin, &end);
  gtk_text_buffer_remove_tag (buffer, self->running, &begin, &end);
  gtk_text_buffer_remove_tag (buffer, self->error, &begin, &end);
  if (self->marked_line < 1 || self->mark == INTERP_CODE_MARK_NONE
      || self->marked_line > gtk_text_buffer_get_line_count (buffer))
    return;
  gtk_text_buffer_get_iter_at_line (buffer, &begin, self->marked_line - 1);
  end = begin;
  gtk_text_iter_forward_line (&end);
  gtk_text_buffer_apply_tag (buffer, self->mark == INTERP_CODE_MARK_ERROR ? self->error : self->running, &begin, &end);
}

void
interp_code_view_set_code (InterpCodeView *self, const char *code)
{
  GtkTextBuffer *buffer;
  GtkTextIter begin, end;
  gsize length;

  g_return_if_fail (INTERP_IS_CODE_VIEW (self));

  if (!code)
    code = "";
  length = strlen (code);
  if (self->code && self->code->len == length && memcmp (self->code->str, code, length) == 0)
    return;

  buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (self));
  gtk_source_buffer_set_highlight_syntax (GTK_SOURCE_BUFFER (buffer), length <= HIGHLIGHT_MAX);
  if (self->code && self->code->len > 0 && self->code->len < length
      && memcmp (self->code->str, code, self->code->len) == 0)
    {
      gtk_text_buffer_get_end_iter (buffer, &end);
      insert_code (self, &end, code + self->code->len, length - self->code->len);
      g_string_append (self->code, code + self->code->len);
    }
  else
    {
      gtk_text_buffer_begin_irreversible_action (buffer);
      self->converting = TRUE;
      gtk_text_buffer_get_bounds (buffer, &begin, &end);
      gtk_text_buffer_delete (buffer, &begin, &end);
      insert_code (self, &begin, code, length);
      self->converting = FALSE;
      gtk_text_buffer_end_irreversible_action (buffer);
      gtk_text_buffer_get_start_iter (buffer, &begin);
      gtk_text_buffer_place_cursor (buffer, &begin);
      if (self->code)
        g_string_assign (self->code, code);
      else
        self->code = g_string_new (code);
    }
  apply_mark (self);
}

void
interp_code_view_set_language (InterpCodeView *self, const char *language)
{
  GtkSourceLanguageManager *manager;
  GtkSourceLanguage *found = NULL;

  g_return_if_fail (INTERP_IS_CODE_VIEW (self));

  manager = gtk_source_language_manager_get_default ();
  if (language && *language)
    {
      InterpKernelSpec *spec = interp_kernel_specs_lookup (language);
      g_autofree char *id = g_ascii_strdown (spec ? interp_kernel_spec_get_highlight (spec) : language, -1);

      found = gtk_source_language_manager_get_language (manager, id);
      if (!found && strlen (id) < 32 && !strchr (id, '/'))
        {
          /* Fences often hold a file's extension: "rs", "yml", "hpp". */
          g_autofree char *name = g_strconcat ("x.", id, NULL);

          found = gtk_source_language_manager_guess_language (manager, name, NULL);
        }
    }
  gtk_source_buffer_set_language (GTK_SOURCE_BUFFER (gtk_text_view_get_buffer (GTK_TEXT_VIEW (self))), found);
}

void
interp_code_view_set_line_numbers (InterpCodeView *self, gboolean line_numbers)
{
  g_return_if_fail (INTERP_IS_CODE_VIEW (self));

  gtk_source_view_set_show_line_numbers (GTK_SOURCE_VIEW (self), line_numbers);
}

void
interp_code_view_set_wrap (InterpCodeView *self, gboolean wrap)
{
  g_return_if_fail (INTERP_IS_CODE_VIEW (self));

  gtk_text_view_set_wrap_mode (GTK_TEXT_VIEW (self), wrap ? GTK_WRAP_WORD_CHAR : GTK_WRAP_NONE);
}

void
interp_code_view_set_marked_line (InterpCodeView *self, int line, InterpCodeMark mark)
{
  g_return_if_fail (INTERP_IS_CODE_VIEW (self));

  if (self->marked_line == line && self->mark == mark)
    return;
  self->marked_line = line;
  self->mark = mark;
  apply_mark (self);
}

void
interp_code_view_set_scroller_height (GtkScrolledWindow *scroller, int height)
{
  g_return_if_fail (GTK_IS_SCROLLED_WINDOW (scroller));

  gtk_scrolled_window_set_policy (scroller, GTK_POLICY_AUTOMATIC, height > 0 ? GTK_POLICY_AUTOMATIC : GTK_POLICY_NEVER);
  gtk_scrolled_window_set_max_content_height (scroller, height > 0 ? height : -1);
  gtk_scrolled_window_set_min_content_height (scroller, height > 0 ? height : -1);
}

GtkWidget *
interp_code_view_new (void)
{
  return g_object_new (INTERP_TYPE_CODE_VIEW, NULL);
}

static void
interp_code_view_finalize (GObject *object)
{
  InterpCodeView *self = INTERP_CODE_VIEW (object);

  if (self->code)
    g_string_free (self->code, TRUE);
  G_OBJECT_CLASS (interp_code_view_parent_class)->finalize (object);
}

static void
interp_code_view_class_init (InterpCodeViewClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = interp_code_view_finalize;
}

static void
interp_code_view_init (InterpCodeView *self)
{
  g_autoptr (GtkSourceBuffer) buffer = gtk_source_buffer_new (NULL);

  self->code = g_string_new (NULL);
  gtk_text_view_set_buffer (GTK_TEXT_VIEW (self), GTK_TEXT_BUFFER (buffer));
  gtk_source_buffer_set_highlight_matching_brackets (buffer, FALSE);
  gtk_source_buffer_set_implicit_trailing_newline (buffer, FALSE);
  self->pill = gtk_text_buffer_create_tag (GTK_TEXT_BUFFER (buffer), NULL, "weight", PANGO_WEIGHT_BOLD, "scale",
                                           PANGO_SCALE_SMALL, NULL);
  self->running = gtk_text_buffer_create_tag (GTK_TEXT_BUFFER (buffer), NULL, NULL);
  self->error = gtk_text_buffer_create_tag (GTK_TEXT_BUFFER (buffer), NULL, NULL);

  gtk_text_view_set_editable (GTK_TEXT_VIEW (self), FALSE);
  gtk_text_view_set_cursor_visible (GTK_TEXT_VIEW (self), FALSE);
  gtk_text_view_set_monospace (GTK_TEXT_VIEW (self), TRUE);
  gtk_text_view_set_accepts_tab (GTK_TEXT_VIEW (self), FALSE);
  gtk_text_view_set_left_margin (GTK_TEXT_VIEW (self), 12);
  gtk_text_view_set_right_margin (GTK_TEXT_VIEW (self), 12);
  gtk_text_view_set_top_margin (GTK_TEXT_VIEW (self), 6);
  gtk_text_view_set_bottom_margin (GTK_TEXT_VIEW (self), 6);
  /* Code is read from the left in every language. */
  gtk_widget_set_direction (GTK_WIDGET (self), GTK_TEXT_DIR_LTR);
  gtk_widget_add_css_class (GTK_WIDGET (self), "code");

  g_signal_connect_object (buffer, "insert-text", G_CALLBACK (on_insert_text), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (buffer, "changed", G_CALLBACK (on_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (adw_style_manager_get_default (), "notify::dark", G_CALLBACK (apply_style), self,
                           G_CONNECT_SWAPPED);
  apply_style (self);
}
