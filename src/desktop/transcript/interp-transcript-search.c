/* interp-transcript-search.c: find in chat
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "transcript/interp-transcript-search.h"

#include <glib/gi18n.h>

#include "session/interp-item.h"

struct _InterpTranscriptSearch
{
  AdwBin parent_instance;

  GtkSearchBar *bar;
  GtkSearchEntry *entry;
  GtkLabel *count_label;

  GListModel *items;
  GArray *hits; /* gint64: ids of items that hold the words */
  guint at;     /* the hit shown, from 0 */
};

enum
{
  FOUND,
  N_SIGNALS,
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (InterpTranscriptSearch, interp_transcript_search, ADW_TYPE_BIN)

static gboolean
holds (const char *text, const char *folded_words)
{
  g_autofree char *folded = NULL;

  if (!text)
    return FALSE;
  folded = g_utf8_casefold (text, -1);
  return strstr (folded, folded_words) != NULL;
}

static gboolean
item_holds (InterpItem *item, const char *folded_words)
{
  if (holds (interp_item_get_text (item), folded_words))
    return TRUE;
  if (INTERP_IS_CELL (item))
    {
      g_autofree char *output = NULL;

      if (holds (interp_cell_get_code (INTERP_CELL (item)), folded_words))
        return TRUE;
      output = interp_cell_dup_output (INTERP_CELL (item), NULL);
      return holds (output, folded_words);
    }
  return FALSE;
}

static void
update_count (InterpTranscriptSearch *self)
{
  g_autofree char *text = NULL;

  if (*gtk_editable_get_text (GTK_EDITABLE (self->entry)) == '\0')
    text = g_strdup ("");
  else if (self->hits->len == 0)
    text = g_strdup (_ ("Nothing found"));
  else
    /* Translators: which match is shown, "2 of 7" */
    text = g_strdup_printf (_ ("%u of %u"), self->at + 1, self->hits->len);
  gtk_label_set_label (self->count_label, text);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "search.next", self->hits->len > 0);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "search.previous", self->hits->len > 0);
}

static void
go (InterpTranscriptSearch *self)
{
  update_count (self);
  if (self->hits->len > 0)
    g_signal_emit (self, signals[FOUND], 0, g_array_index (self->hits, gint64, self->at));
}

static void
collect (InterpTranscriptSearch *self)
{
  g_autofree char *words = g_utf8_casefold (gtk_editable_get_text (GTK_EDITABLE (self->entry)), -1);
  guint n = self->items && *words ? g_list_model_get_n_items (self->items) : 0;

  g_array_set_size (self->hits, 0);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (InterpItem) item = g_list_model_get_item (self->items, i);
      gint64 id = interp_item_get_id (item);

      if (item_holds (item, words))
        g_array_append_val (self->hits, id);
    }
}

static void
on_search_changed (InterpTranscriptSearch *self)
{
  collect (self);
  /* The newest first: that is where one is. */
  self->at = self->hits->len > 0 ? self->hits->len - 1 : 0;
  go (self);
}

static void
move (InterpTranscriptSearch *self, int step)
{
  if (self->hits->len == 0)
    return;
  self->at = (guint) ((int) (self->at + self->hits->len) + step) % self->hits->len;
  go (self);
}

static void
next (GtkWidget *widget, const char *action, GVariant *parameter)
{
  move (INTERP_TRANSCRIPT_SEARCH (widget), 1);
}

static void
previous (GtkWidget *widget, const char *action, GVariant *parameter)
{
  move (INTERP_TRANSCRIPT_SEARCH (widget), -1);
}

static void
on_previous (InterpTranscriptSearch *self)
{
  move (self, -1);
}

static void
on_next (InterpTranscriptSearch *self)
{
  move (self, 1);
}

void
interp_transcript_search_set_items (InterpTranscriptSearch *self, GListModel *items)
{
  g_return_if_fail (INTERP_IS_TRANSCRIPT_SEARCH (self));

  g_set_object (&self->items, items);
  gtk_search_bar_set_search_mode (self->bar, FALSE);
  g_array_set_size (self->hits, 0);
}

void
interp_transcript_search_invalidate (InterpTranscriptSearch *self)
{
  g_return_if_fail (INTERP_IS_TRANSCRIPT_SEARCH (self));

  if (!gtk_search_bar_get_search_mode (self->bar))
    return;
  collect (self);
  self->at = self->hits->len > 0 ? MIN (self->at, self->hits->len - 1) : 0;
  update_count (self);
}

void
interp_transcript_search_open (InterpTranscriptSearch *self)
{
  g_return_if_fail (INTERP_IS_TRANSCRIPT_SEARCH (self));

  gtk_search_bar_set_search_mode (self->bar, TRUE);
  gtk_widget_grab_focus (GTK_WIDGET (self->entry));
}

static void
interp_transcript_search_dispose (GObject *object)
{
  /* The template's disposal would unparent it behind the bin's back. */
  adw_bin_set_child (ADW_BIN (object), NULL);
  gtk_widget_dispose_template (GTK_WIDGET (object), INTERP_TYPE_TRANSCRIPT_SEARCH);
  g_clear_object (&INTERP_TRANSCRIPT_SEARCH (object)->items);
  G_OBJECT_CLASS (interp_transcript_search_parent_class)->dispose (object);
}

static void
interp_transcript_search_finalize (GObject *object)
{
  g_array_unref (INTERP_TRANSCRIPT_SEARCH (object)->hits);
  G_OBJECT_CLASS (interp_transcript_search_parent_class)->finalize (object);
}

static void
interp_transcript_search_class_init (InterpTranscriptSearchClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = interp_transcript_search_dispose;
  object_class->finalize = interp_transcript_search_finalize;

  signals[FOUND] = g_signal_new ("found", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                 G_TYPE_NONE, 1, G_TYPE_INT64);

  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/interpreter_app/Interpreter/ui/"
                                                             "interp-transcript-search.ui");
  gtk_widget_class_bind_template_child (widget_class, InterpTranscriptSearch, bar);
  gtk_widget_class_bind_template_child (widget_class, InterpTranscriptSearch, entry);
  gtk_widget_class_bind_template_child (widget_class, InterpTranscriptSearch, count_label);
  gtk_widget_class_bind_template_callback (widget_class, on_search_changed);
  gtk_widget_class_bind_template_callback (widget_class, on_previous);
  gtk_widget_class_bind_template_callback (widget_class, on_next);
  gtk_widget_class_install_action (widget_class, "search.next", NULL, next);
  gtk_widget_class_install_action (widget_class, "search.previous", NULL, previous);
}

static void
interp_transcript_search_init (InterpTranscriptSearch *self)
{
  self->hits = g_array_new (FALSE, FALSE, sizeof (gint64));
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_search_bar_connect_entry (self->bar, GTK_EDITABLE (self->entry));
}
