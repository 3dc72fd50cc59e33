/* interp-pull-row.c: one model that is being got: in all and by layer
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "models/interp-pull-row.h"

#include <glib/gi18n.h>
#include <string.h>

#include "base/interp-text.h"

/* Digits by which a layer is told from others, as Ollama's own program shows them. */
#define DIGEST_SHOWN 12

struct _InterpPullRow
{
  AdwPreferencesRow parent_instance;

  GtkLabel *name;
  GtkLabel *status;
  GtkProgressBar *progress;
  GtkExpander *expander;
  GtkBox *layers;
  GtkWidget *again;
  GtkButton *cancel;

  InterpModels *models;
  InterpOllamaPull *pull;
  GPtrArray *bars; /* GtkProgressBar a layer, borrowed */
};

G_DEFINE_FINAL_TYPE (InterpPullRow, interp_pull_row, ADW_TYPE_PREFERENCES_ROW)

static double
get_fraction (guint64 completed, guint64 total)
{
  return total > 0 ? (double) completed / (double) total : 0;
}

/* "1.2 GB of 5 GB" */
static char *
describe_amount (guint64 completed, guint64 total)
{
  g_autofree char *have = interp_text_format_size (completed);
  g_autofree char *want = interp_text_format_size (total);

  /* Translators: sizes, "1.2 GB of 5 GB" */
  return g_strdup_printf (_ ("%s of %s"), have, want);
}

static void
add_layer (InterpPullRow *self, const char *digest)
{
  GtkWidget *bar = gtk_progress_bar_new ();
  const char *colon = strchr (digest, ':');
  g_autofree char *shown = g_strndup (colon != NULL ? colon + 1 : digest, DIGEST_SHOWN);
  /* Translators: a model comes in layers; %s are the first digits of its name */
  g_autofree char *label = g_strdup_printf (_ ("Layer %s"), shown);

  gtk_progress_bar_set_show_text (GTK_PROGRESS_BAR (bar), TRUE);
  gtk_progress_bar_set_ellipsize (GTK_PROGRESS_BAR (bar), PANGO_ELLIPSIZE_END);
  gtk_accessible_update_property (GTK_ACCESSIBLE (bar), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  gtk_widget_add_css_class (bar, "layer");
  gtk_box_append (self->layers, bar);
  g_ptr_array_add (self->bars, bar);
}

static void
update_layers (InterpPullRow *self)
{
  guint n = interp_ollama_pull_get_n_layers (self->pull);

  for (guint i = 0; i < n; i++)
    {
      const char *digest, *colon;
      guint64 completed, total;
      g_autofree char *amount = NULL;
      g_autofree char *text = NULL;

      interp_ollama_pull_get_layer (self->pull, i, &digest, &completed, &total);
      if (i >= self->bars->len)
        add_layer (self, digest);
      amount = describe_amount (completed, total);
      colon = strchr (digest, ':');
      text = g_strdup_printf ("%.*s · %s", DIGEST_SHOWN, colon != NULL ? colon + 1 : digest, amount);
      gtk_progress_bar_set_text (g_ptr_array_index (self->bars, i), text);
      gtk_progress_bar_set_fraction (g_ptr_array_index (self->bars, i), get_fraction (completed, total));
    }
  gtk_widget_set_visible (GTK_WIDGET (self->expander), n > 0);
}

static void
update (InterpPullRow *self)
{
  InterpPullState state = interp_ollama_pull_get_state (self->pull);
  gboolean failed = state == INTERP_PULL_FAILED;
  g_autofree char *amount = NULL;
  g_autofree char *text = NULL;
  guint64 completed, total;

  interp_ollama_pull_get_sum (self->pull, &completed, &total);
  if (failed)
    text = g_strdup (interp_ollama_pull_get_error (self->pull));
  else if (total > 0)
    {
      amount = describe_amount (completed, total);
      text = g_strdup_printf ("%s · %s", interp_ollama_pull_get_status (self->pull), amount);
    }
  else
    text = g_strdup (interp_ollama_pull_get_status (self->pull));

  gtk_label_set_label (self->status, text);
  if (failed)
    gtk_widget_add_css_class (GTK_WIDGET (self->status), "error");
  gtk_progress_bar_set_fraction (self->progress, get_fraction (completed, total));
  gtk_widget_set_visible (GTK_WIDGET (self->progress), !failed);
  gtk_widget_set_visible (self->again, failed);
  gtk_button_set_label (self->cancel, failed ? _ ("Dismiss") : _ ("Cancel"));
  update_layers (self);

  if (failed)
    gtk_accessible_announce (GTK_ACCESSIBLE (self), text, GTK_ACCESSIBLE_ANNOUNCEMENT_PRIORITY_MEDIUM);
  else if (state == INTERP_PULL_DONE)
    {
      g_autofree char *done = g_strdup_printf (_ ("%s can be used now."), interp_ollama_pull_get_name (self->pull));

      gtk_accessible_announce (GTK_ACCESSIBLE (self), done, GTK_ACCESSIBLE_ANNOUNCEMENT_PRIORITY_MEDIUM);
    }
}

static void
on_cancel (InterpPullRow *self)
{
  interp_models_forget_pull (self->models, self->pull);
}

static void
on_again (InterpPullRow *self)
{
  g_autoptr (InterpModels) models = g_object_ref (self->models);
  g_autofree char *name = g_strdup (interp_ollama_pull_get_name (self->pull));
  g_autoptr (InterpOllamaPull) pull
      = interp_models_pull (models, interp_ollama_pull_get_provider (self->pull), name, NULL);
}

static void
interp_pull_row_dispose (GObject *object)
{
  InterpPullRow *self = INTERP_PULL_ROW (object);

  g_clear_object (&self->pull);
  g_clear_object (&self->models);

  G_OBJECT_CLASS (interp_pull_row_parent_class)->dispose (object);
}

static void
interp_pull_row_finalize (GObject *object)
{
  g_ptr_array_unref (INTERP_PULL_ROW (object)->bars);

  G_OBJECT_CLASS (interp_pull_row_parent_class)->finalize (object);
}

static void
interp_pull_row_class_init (InterpPullRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = interp_pull_row_dispose;
  G_OBJECT_CLASS (klass)->finalize = interp_pull_row_finalize;

  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/interpreter_app/Interpreter/ui/interp-pull-row.ui");
  gtk_widget_class_bind_template_child (widget_class, InterpPullRow, name);
  gtk_widget_class_bind_template_child (widget_class, InterpPullRow, status);
  gtk_widget_class_bind_template_child (widget_class, InterpPullRow, progress);
  gtk_widget_class_bind_template_child (widget_class, InterpPullRow, expander);
  gtk_widget_class_bind_template_child (widget_class, InterpPullRow, layers);
  gtk_widget_class_bind_template_child (widget_class, InterpPullRow, again);
  gtk_widget_class_bind_template_child (widget_class, InterpPullRow, cancel);
}

static void
interp_pull_row_init (InterpPullRow *self)
{
  self->bars = g_ptr_array_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  g_signal_connect_object (self->cancel, "clicked", G_CALLBACK (on_cancel), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->again, "clicked", G_CALLBACK (on_again), self, G_CONNECT_SWAPPED);
}

GtkWidget *
interp_pull_row_new (InterpModels *models, InterpOllamaPull *pull)
{
  InterpPullRow *self = g_object_new (INTERP_TYPE_PULL_ROW, NULL);

  self->models = g_object_ref (models);
  self->pull = g_object_ref (pull);
  gtk_label_set_label (self->name, interp_ollama_pull_get_name (pull));
  g_signal_connect_object (pull, "changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  update (self);
  return GTK_WIDGET (self);
}
