/* interp-search-result.c: a place in a chat that holds the words searched for
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "window/interp-search-result.h"

#include <glib/gi18n.h>

struct _InterpSearchResult
{
  GObject parent_instance;

  gint64 chat;
  gint64 item;
  char *title;
  char *excerpt; /* markup */
};

G_DEFINE_FINAL_TYPE (InterpSearchResult, interp_search_result, G_TYPE_OBJECT)

/* The match stands between \x02 and \x03. */
static char *
excerpt_to_markup (const char *excerpt)
{
  g_autofree char *escaped = g_markup_escape_text (excerpt ? excerpt : "", -1);
  GString *out = g_string_new (NULL);
  gboolean open = FALSE;

  /* The escaper writes them as character references. */
  for (const char *p = escaped; *p;)
    {
      if (g_str_has_prefix (p, "&#x2;"))
        {
          g_string_append (out, open ? "" : "<b>");
          open = TRUE;
          p += strlen ("&#x2;");
        }
      else if (g_str_has_prefix (p, "&#x3;"))
        {
          g_string_append (out, open ? "</b>" : "");
          open = FALSE;
          p += strlen ("&#x3;");
        }
      else
        g_string_append_c (out, *p == '\n' ? (p++, ' ') : *p++);
    }
  if (open)
    g_string_append (out, "</b>");
  return g_string_free (out, FALSE);
}

InterpSearchResult *
interp_search_result_new (const InterpSearchHit *hit)
{
  InterpSearchResult *self;

  g_return_val_if_fail (hit != NULL, NULL);

  self = g_object_new (INTERP_TYPE_SEARCH_RESULT, NULL);
  self->chat = hit->chat;
  self->item = hit->item;
  self->title = g_strdup (hit->title && *hit->title ? hit->title : _ ("New Chat"));
  self->excerpt = excerpt_to_markup (hit->excerpt);
  return self;
}

gint64
interp_search_result_get_chat (InterpSearchResult *self)
{
  g_return_val_if_fail (INTERP_IS_SEARCH_RESULT (self), 0);

  return self->chat;
}

gint64
interp_search_result_get_item (InterpSearchResult *self)
{
  g_return_val_if_fail (INTERP_IS_SEARCH_RESULT (self), 0);

  return self->item;
}

const char *
interp_search_result_get_title (InterpSearchResult *self)
{
  g_return_val_if_fail (INTERP_IS_SEARCH_RESULT (self), NULL);

  return self->title;
}

GtkWidget *
interp_search_result_make_row (void)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  GtkWidget *title = gtk_label_new (NULL);
  GtkWidget *excerpt = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (title), 0);
  gtk_label_set_ellipsize (GTK_LABEL (title), PANGO_ELLIPSIZE_END);
  gtk_label_set_xalign (GTK_LABEL (excerpt), 0);
  gtk_label_set_wrap (GTK_LABEL (excerpt), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (excerpt), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_lines (GTK_LABEL (excerpt), 2);
  gtk_label_set_ellipsize (GTK_LABEL (excerpt), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (excerpt, "caption");
  gtk_widget_add_css_class (excerpt, "dimmed");
  gtk_widget_set_margin_top (box, 6);
  gtk_widget_set_margin_bottom (box, 6);
  gtk_box_append (GTK_BOX (box), title);
  gtk_box_append (GTK_BOX (box), excerpt);
  return box;
}

void
interp_search_result_bind_row (InterpSearchResult *self, GtkWidget *row)
{
  GtkWidget *title = gtk_widget_get_first_child (row);
  GtkWidget *excerpt = gtk_widget_get_next_sibling (title);

  g_return_if_fail (INTERP_IS_SEARCH_RESULT (self));

  gtk_label_set_label (GTK_LABEL (title), self->title);
  gtk_label_set_markup (GTK_LABEL (excerpt), self->excerpt);
  gtk_widget_set_visible (excerpt, self->item != 0 && *self->excerpt);
}

static void
interp_search_result_finalize (GObject *object)
{
  InterpSearchResult *self = INTERP_SEARCH_RESULT (object);

  g_free (self->title);
  g_free (self->excerpt);
  G_OBJECT_CLASS (interp_search_result_parent_class)->finalize (object);
}

static void
interp_search_result_class_init (InterpSearchResultClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = interp_search_result_finalize;
}

static void
interp_search_result_init (InterpSearchResult *self)
{
}
