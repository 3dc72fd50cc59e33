/* interp-table-view.c: a table that code gave, sortable, to be copied as CSV
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "transcript/interp-table-view.h"

#include <glib/gi18n.h>

#include "base/interp-fiber.h"
#include "transcript/interp-save.h"
#include "transcript/interp-table.h"

struct _InterpTableView
{
  AdwBin parent_instance;

  GtkStack *stack;
  GtkLabel *failure;
  GtkColumnView *view;
  GtkLabel *count_label;

  InterpDisplay *display;
  InterpTable *table;
  GtkSortListModel *sorted;
};

G_DEFINE_FINAL_TYPE (InterpTableView, interp_table_view, ADW_TYPE_BIN)

typedef struct
{
  InterpTable *table; /* borrowed: outlives the column */
  guint column;
} Column;

static void
on_setup (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer user_data)
{
  Column *column = user_data;
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), interp_table_is_numeric (column->table, column->column) ? 1 : 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 40);
  gtk_label_set_single_line_mode (GTK_LABEL (label), TRUE);
  if (interp_table_is_numeric (column->table, column->column))
    gtk_widget_add_css_class (label, "numeric");
  gtk_list_item_set_child (item, label);
}

static void
on_bind (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer user_data)
{
  Column *column = user_data;
  GtkWidget *label = gtk_list_item_get_child (item);
  const char *text = interp_table_row_get_text (gtk_list_item_get_item (item), column->column);

  gtk_label_set_label (GTK_LABEL (label), text ? text : "–");
  if (text)
    gtk_widget_remove_css_class (label, "dimmed");
  else
    gtk_widget_add_css_class (label, "dimmed");
  gtk_widget_set_tooltip_text (label, text && g_utf8_strlen (text, -1) > 40 ? text : NULL);
}

static int
compare_rows (gconstpointer a, gconstpointer b, gpointer user_data)
{
  Column *column = user_data;

  return interp_table_compare (column->table, (gpointer) a, (gpointer) b, column->column);
}

static Column *
column_new (InterpTable *table, guint index)
{
  Column *column = g_new0 (Column, 1);

  column->table = table;
  column->column = index;
  return column;
}

static void
free_column (gpointer data, GClosure *closure)
{
  g_free (data);
}

static void
add_column (InterpTableView *self, guint index)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  g_autoptr (GtkColumnViewColumn) column = NULL;
  g_autoptr (GtkSorter) sorter = NULL;

  g_signal_connect_data (factory, "setup", G_CALLBACK (on_setup), column_new (self->table, index), free_column, 0);
  g_signal_connect_data (factory, "bind", G_CALLBACK (on_bind), column_new (self->table, index), free_column, 0);
  column = gtk_column_view_column_new (interp_table_get_title (self->table, index), factory);
  sorter = GTK_SORTER (gtk_custom_sorter_new (compare_rows, column_new (self->table, index), g_free));
  gtk_column_view_column_set_sorter (column, sorter);
  gtk_column_view_column_set_resizable (column, TRUE);
  gtk_column_view_append_column (self->view, column);
}

static void
show_table (InterpTableView *self)
{
  guint n = interp_table_get_n_columns (self->table);
  guint shown = g_list_model_get_n_items (interp_table_get_rows (self->table));
  guint64 total = interp_table_get_total_rows (self->table);
  g_autoptr (GtkNoSelection) selection = NULL;
  g_autofree char *rows
      = g_strdup_printf (ngettext ("%'llu row", "%'llu rows", (gulong) total), (unsigned long long) total);
  g_autofree char *count = NULL;

  for (guint i = 0; i < n; i++)
    add_column (self, i);
  self->sorted = gtk_sort_list_model_new (g_object_ref (interp_table_get_rows (self->table)),
                                          g_object_ref (gtk_column_view_get_sorter (self->view)));
  selection = gtk_no_selection_new (g_object_ref (G_LIST_MODEL (self->sorted)));
  gtk_column_view_set_model (self->view, GTK_SELECTION_MODEL (selection));

  if (shown < total)
    /* Translators: "12000 rows, the first 1000 shown" */
    count = g_strdup_printf (ngettext ("%s, the first %u shown", "%s, the first %u shown", shown), rows, shown);
  else
    /* Translators: "12 rows, 3 columns" */
    count = g_strdup_printf (ngettext ("%s, %u column", "%s, %u columns", n), rows, n);
  gtk_label_set_label (self->count_label, count);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->view), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Table"),
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, count, -1);
  gtk_stack_set_visible_child_name (self->stack, "table");
}

static DexFuture *
load_fiber (gpointer data)
{
  InterpTableView *self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (InterpTable) table = NULL;

  table = dex_await_object (interp_table_load (interp_display_get_bytes (self->display),
                                               interp_display_get_path (self->display)),
                            &error);
  if (!self->stack)
    return dex_future_new_true ();
  if (table)
    {
      g_set_object (&self->table, table);
      show_table (self);
    }
  else
    {
      g_autofree char *text = g_strdup_printf (_ ("The table cannot be shown: %s"), error->message);

      gtk_label_set_label (self->failure, text);
      gtk_stack_set_visible_child_name (self->stack, "failure");
    }
  return dex_future_new_true ();
}

static char *
dup_csv (InterpTableView *self)
{
  return self->table ? interp_table_to_csv (self->table, G_LIST_MODEL (self->sorted)) : NULL;
}

static void
copy_csv (GtkWidget *widget, const char *action, GVariant *parameter)
{
  g_autofree char *csv = dup_csv (INTERP_TABLE_VIEW (widget));

  if (!csv)
    return;
  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), csv);
  gtk_accessible_announce (GTK_ACCESSIBLE (widget), _ ("Copied"), GTK_ACCESSIBLE_ANNOUNCEMENT_PRIORITY_LOW);
}

static void
save_csv (GtkWidget *widget, const char *action, GVariant *parameter)
{
  char *csv = dup_csv (INTERP_TABLE_VIEW (widget));
  g_autoptr (GBytes) bytes = NULL;

  if (!csv)
    return;
  bytes = g_bytes_new_take (csv, strlen (csv));
  interp_save_as (widget, _ ("Save Table"), "table.csv", bytes, NULL);
}

GtkWidget *
interp_table_view_new (InterpDisplay *display)
{
  InterpTableView *self;

  g_return_val_if_fail (INTERP_IS_DISPLAY (display), NULL);

  self = g_object_new (INTERP_TYPE_TABLE_VIEW, NULL);
  self->display = g_object_ref (display);
  if (interp_display_get_bytes (display) || interp_display_get_path (display))
    interp_fiber_run ("show table", load_fiber, g_object_ref (self), g_object_unref);
  return GTK_WIDGET (self);
}

static void
interp_table_view_dispose (GObject *object)
{
  InterpTableView *self = INTERP_TABLE_VIEW (object);

  if (self->view)
    gtk_column_view_set_model (self->view, NULL);
  /* The template's disposal would unparent it behind the bin's back. */
  adw_bin_set_child (ADW_BIN (object), NULL);
  gtk_widget_dispose_template (GTK_WIDGET (object), INTERP_TYPE_TABLE_VIEW);
  G_OBJECT_CLASS (interp_table_view_parent_class)->dispose (object);
}

static void
interp_table_view_finalize (GObject *object)
{
  InterpTableView *self = INTERP_TABLE_VIEW (object);

  g_clear_object (&self->display);
  g_clear_object (&self->sorted);
  g_clear_object (&self->table);
  G_OBJECT_CLASS (interp_table_view_parent_class)->finalize (object);
}

static void
interp_table_view_class_init (InterpTableViewClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = interp_table_view_dispose;
  object_class->finalize = interp_table_view_finalize;

  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/interpreter_app/Interpreter/ui/"
                                                             "interp-table-view.ui");
  gtk_widget_class_bind_template_child (widget_class, InterpTableView, stack);
  gtk_widget_class_bind_template_child (widget_class, InterpTableView, failure);
  gtk_widget_class_bind_template_child (widget_class, InterpTableView, view);
  gtk_widget_class_bind_template_child (widget_class, InterpTableView, count_label);
  gtk_widget_class_install_action (widget_class, "table.copy", NULL, copy_csv);
  gtk_widget_class_install_action (widget_class, "table.save", NULL, save_csv);
}

static void
interp_table_view_init (InterpTableView *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
