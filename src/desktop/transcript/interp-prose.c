/* interp-prose.c: a paragraph's runs as a label
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "transcript/interp-prose.h"

#include <string.h>

gboolean
interp_prose_has_links (GPtrArray *inlines)
{
  for (guint i = 0; inlines && i < inlines->len; i++)
    {
      const InterpInline *run = g_ptr_array_index (inlines, i);

      if (run->flags & INTERP_INLINE_LINK)
        return TRUE;
    }
  return FALSE;
}

/* Controls would make Pango refuse the whole text. */
static void
append_escaped (GString *out, const char *text)
{
  for (const char *p = text; *p; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);

      switch (c)
        {
        case '&':
          g_string_append (out, "&amp;");
          break;
        case '<':
          g_string_append (out, "&lt;");
          break;
        case '>':
          g_string_append (out, "&gt;");
          break;
        case '"':
          g_string_append (out, "&quot;");
          break;
        default:
          if (c < 0x20 && c != '\n' && c != '\t')
            g_string_append_unichar (out, 0x2400 + c);
          else if (c >= 0x7f && c < 0xa0)
            g_string_append_unichar (out, 0xfffd);
          else
            g_string_append_unichar (out, c);
          break;
        }
    }
}

char *
interp_prose_to_markup (GPtrArray *inlines)
{
  static const struct
  {
    InterpInlineFlags flag;
    const char *open;
    const char *close;
  } tags[] = {
    { INTERP_INLINE_STRONG, "<b>", "</b>" },
    { INTERP_INLINE_EMPHASIS, "<i>", "</i>" },
    { INTERP_INLINE_STRIKE, "<s>", "</s>" },
    { INTERP_INLINE_CODE, "<span font_family=\"monospace\" background=\"#808080\" background_alpha=\"18%\">",
      "</span>" },
  };
  GString *out = g_string_new (NULL);
  gboolean in_link = FALSE;

  for (guint i = 0; inlines && i < inlines->len; i++)
    {
      const InterpInline *run = g_ptr_array_index (inlines, i);
      const InterpInline *next = i + 1 < inlines->len ? g_ptr_array_index (inlines, i + 1) : NULL;
      gboolean link = (run->flags & INTERP_INLINE_LINK) != 0;

      if (run->flags & INTERP_INLINE_IMAGE)
        continue;
      if (link && !in_link)
        {
          g_string_append (out, "<a href=\"");
          append_escaped (out, run->target);
          g_string_append (out, "\" title=\"");
          append_escaped (out, run->target);
          g_string_append (out, "\">");
          in_link = TRUE;
        }
      for (guint j = 0; j < G_N_ELEMENTS (tags); j++)
        if (run->flags & tags[j].flag)
          g_string_append (out, tags[j].open);
      append_escaped (out, run->text);
      for (guint j = G_N_ELEMENTS (tags); j-- > 0;)
        if (run->flags & tags[j].flag)
          g_string_append (out, tags[j].close);
      if (in_link && (!next || !(next->flags & INTERP_INLINE_LINK) || g_strcmp0 (next->target, run->target) != 0))
        {
          g_string_append (out, "</a>");
          in_link = FALSE;
        }
    }
  if (in_link)
    g_string_append (out, "</a>");
  return g_string_free (out, FALSE);
}

static gboolean
on_activate_link (GtkLabel *label, const char *address)
{
  if (interp_markdown_is_safe_address (address))
    {
      g_autoptr (GtkUriLauncher) launcher = gtk_uri_launcher_new (address);
      GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (label));

      gtk_uri_launcher_launch (launcher, GTK_IS_WINDOW (root) ? GTK_WINDOW (root) : NULL, NULL, NULL, NULL);
    }
  return TRUE;
}

GtkWidget *
interp_prose_label_new (GtkAccessibleRole role)
{
  GtkWidget *label
      = g_object_new (GTK_TYPE_LABEL, "accessible-role", role, "wrap", TRUE, "wrap-mode", PANGO_WRAP_WORD_CHAR,
                      "natural-wrap-mode", GTK_NATURAL_WRAP_WORD, "xalign", 0.0, "selectable", TRUE, NULL);

  g_signal_connect (label, "activate-link", G_CALLBACK (on_activate_link), NULL);
  return label;
}

void
interp_prose_label_set_inlines (GtkLabel *label, GPtrArray *inlines)
{
  g_autofree char *markup = NULL;

  g_return_if_fail (GTK_IS_LABEL (label));

  markup = interp_prose_to_markup (inlines);
  gtk_label_set_markup (label, markup);
  if (interp_prose_has_links (inlines))
    gtk_widget_add_css_class (GTK_WIDGET (label), "with-links");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (label), "with-links");
}

void
interp_prose_label_set_text (GtkLabel *label, const char *text)
{
  g_return_if_fail (GTK_IS_LABEL (label));

  gtk_label_set_text (label, text ? text : "");
}
