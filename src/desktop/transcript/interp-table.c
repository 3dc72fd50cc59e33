/* interp-table.c: a table that code gave, as rows of text
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "transcript/interp-table.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "base/interp-fiber.h"
#include "base/interp-json.h"
#include "base/interp-text.h"

#define MAX_FILE (32 * 1024 * 1024)
#define MAX_ROWS 1000
#define MAX_COLUMNS 100
#define MAX_CELL_CHARS 1000

struct _InterpTableRow
{
  GObject parent_instance;

  guint n;
  char **cells; /* n, with NULL for missing values */
};

G_DEFINE_FINAL_TYPE (InterpTableRow, interp_table_row, G_TYPE_OBJECT)

const char *
interp_table_row_get_text (InterpTableRow *self, guint column)
{
  g_return_val_if_fail (INTERP_IS_TABLE_ROW (self), NULL);

  return column < self->n ? self->cells[column] : "";
}

static void
interp_table_row_finalize (GObject *object)
{
  InterpTableRow *self = INTERP_TABLE_ROW (object);

  for (guint i = 0; i < self->n; i++)
    g_free (self->cells[i]);
  g_free (self->cells);
  G_OBJECT_CLASS (interp_table_row_parent_class)->finalize (object);
}

static void
interp_table_row_class_init (InterpTableRowClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = interp_table_row_finalize;
}

static void
interp_table_row_init (InterpTableRow *self)
{
}

struct _InterpTable
{
  GObject parent_instance;

  GPtrArray *titles;
  gboolean numeric[MAX_COLUMNS];
  GListStore *rows;
  guint64 total;
};

G_DEFINE_FINAL_TYPE (InterpTable, interp_table, G_TYPE_OBJECT)

static void
interp_table_finalize (GObject *object)
{
  InterpTable *self = INTERP_TABLE (object);

  g_ptr_array_unref (self->titles);
  g_object_unref (self->rows);
  G_OBJECT_CLASS (interp_table_parent_class)->finalize (object);
}

static void
interp_table_class_init (InterpTableClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = interp_table_finalize;
}

static void
interp_table_init (InterpTable *self)
{
  self->titles = g_ptr_array_new_with_free_func (g_free);
  self->rows = g_list_store_new (INTERP_TYPE_TABLE_ROW);
}

guint
interp_table_get_n_columns (InterpTable *self)
{
  g_return_val_if_fail (INTERP_IS_TABLE (self), 0);

  return self->titles->len;
}

const char *
interp_table_get_title (InterpTable *self, guint column)
{
  g_return_val_if_fail (INTERP_IS_TABLE (self), NULL);
  g_return_val_if_fail (column < self->titles->len, NULL);

  return g_ptr_array_index (self->titles, column);
}

gboolean
interp_table_is_numeric (InterpTable *self, guint column)
{
  g_return_val_if_fail (INTERP_IS_TABLE (self), FALSE);
  g_return_val_if_fail (column < MAX_COLUMNS, FALSE);

  return self->numeric[column];
}

GListModel *
interp_table_get_rows (InterpTable *self)
{
  g_return_val_if_fail (INTERP_IS_TABLE (self), NULL);

  return G_LIST_MODEL (self->rows);
}

guint64
interp_table_get_total_rows (InterpTable *self)
{
  g_return_val_if_fail (INTERP_IS_TABLE (self), 0);

  return self->total;
}

int
interp_table_compare (InterpTable *self, InterpTableRow *a, InterpTableRow *b, guint column)
{
  const char *x, *y;

  g_return_val_if_fail (INTERP_IS_TABLE (self), 0);
  g_return_val_if_fail (column < MAX_COLUMNS, 0);

  x = interp_table_row_get_text (a, column);
  y = interp_table_row_get_text (b, column);
  if (!x || !y)
    return (x == NULL) - (y == NULL);
  if (self->numeric[column])
    {
      double m = g_ascii_strtod (x, NULL);
      double n = g_ascii_strtod (y, NULL);

      if (isnan (m) || isnan (n))
        return isnan (m) - isnan (n);
      return (m > n) - (m < n);
    }
  return g_utf8_collate (x, y);
}

static void
append_csv_field (GString *out, const char *text)
{
  if (!text)
    return;
  if (!strpbrk (text, ",\"\r\n"))
    {
      g_string_append (out, text);
      return;
    }
  g_string_append_c (out, '"');
  for (const char *p = text; *p; p++)
    {
      if (*p == '"')
        g_string_append_c (out, '"');
      g_string_append_c (out, *p);
    }
  g_string_append_c (out, '"');
}

char *
interp_table_to_csv (InterpTable *self, GListModel *rows)
{
  GString *out = g_string_new (NULL);
  guint n;

  g_return_val_if_fail (INTERP_IS_TABLE (self), g_string_free (out, FALSE));

  for (guint i = 0; i < self->titles->len; i++)
    {
      if (i > 0)
        g_string_append_c (out, ',');
      append_csv_field (out, g_ptr_array_index (self->titles, i));
    }
  g_string_append (out, "\r\n");
  n = g_list_model_get_n_items (rows);
  for (guint r = 0; r < n; r++)
    {
      g_autoptr (InterpTableRow) row = g_list_model_get_item (rows, r);

      for (guint i = 0; i < self->titles->len; i++)
        {
          if (i > 0)
            g_string_append_c (out, ',');
          append_csv_field (out, interp_table_row_get_text (row, i));
        }
      g_string_append (out, "\r\n");
    }
  return g_string_free (out, FALSE);
}

/* ---- reading, on a worker ---- */

typedef struct
{
  GBytes *bytes;
  char *path;
} Load;

static void
load_free (gpointer data)
{
  Load *load = data;

  g_clear_pointer (&load->bytes, g_bytes_unref);
  g_free (load->path);
  g_free (load);
}

static char *
cell_text (JsonNode *node)
{
  g_autofree char *text = NULL;

  if (!node || JSON_NODE_HOLDS_NULL (node))
    return NULL;
  if (JSON_NODE_HOLDS_VALUE (node))
    {
      GType type = json_node_get_value_type (node);

      if (type == G_TYPE_STRING)
        text = g_utf8_substring (json_node_get_string (node), 0,
                                 MIN (g_utf8_strlen (json_node_get_string (node), -1), MAX_CELL_CHARS));
      else if (type == G_TYPE_BOOLEAN)
        return g_strdup (json_node_get_boolean (node) ? "True" : "False");
      else if (type == G_TYPE_INT64)
        return g_strdup_printf ("%" G_GINT64_FORMAT, json_node_get_int (node));
      else
        {
          char buffer[G_ASCII_DTOSTR_BUF_SIZE];

          return g_strdup (g_ascii_formatd (buffer, sizeof buffer, "%.12g", json_node_get_double (node)));
        }
    }
  else
    text = interp_json_to_string (node);
  return interp_text_make_visible (text ? text : "");
}

static gboolean
is_numeric_type (const char *type)
{
  return type
         && (g_str_has_prefix (type, "int") || g_str_has_prefix (type, "uint") || g_str_has_prefix (type, "float")
             || g_ascii_strcasecmp (type, "integer") == 0 || g_ascii_strcasecmp (type, "double") == 0
             || g_ascii_strcasecmp (type, "numeric") == 0 || g_ascii_strcasecmp (type, "number") == 0);
}

static DexFuture *
load_worker (gpointer data)
{
  Load *load = data;
  g_autoptr (InterpTable) table = g_object_new (INTERP_TYPE_TABLE, NULL);
  g_autoptr (JsonNode) root = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *contents = NULL;
  const char *text;
  gsize length;
  guint n_columns, n_rows;

  if (load->bytes)
    text = g_bytes_get_data (load->bytes, &length);
  else if (g_file_get_contents (load->path, &contents, &length, &error))
    text = contents;
  else
    return dex_future_new_for_error (g_steal_pointer (&error));
  if (length > MAX_FILE)
    return dex_future_new_reject (G_IO_ERROR, G_IO_ERROR_NO_SPACE, "%s", _ ("The table is too large to show."));
  root = interp_json_parse (text, (gssize) length, INTERP_JSON_PARSE_NONE, &error);
  if (!root)
    return dex_future_new_for_error (g_steal_pointer (&error));

  n_columns = MIN (interp_json_get_length (root, "columns"), MAX_COLUMNS);
  for (guint i = 0; i < n_columns; i++)
    {
      g_autofree char *path = g_strdup_printf ("columns.%u", i);
      g_autofree char *type_path = g_strdup_printf ("types.%u", i);
      char *title = cell_text (interp_json_get (root, path));

      g_ptr_array_add (table->titles, title ? title : g_strdup (""));
      table->numeric[i] = is_numeric_type (interp_json_get_string (root, type_path));
    }

  n_rows = MIN (interp_json_get_length (root, "rows"), MAX_ROWS);
  if (n_rows > 0)
    {
      JsonArray *rows = json_node_get_array (interp_json_get (root, "rows"));

      for (guint r = 0; r < n_rows; r++)
        {
          g_autoptr (InterpTableRow) row = g_object_new (INTERP_TYPE_TABLE_ROW, NULL);
          JsonNode *node = json_array_get_element (rows, r);
          JsonArray *cells = JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;

          row->n = cells ? MIN (json_array_get_length (cells), n_columns) : 0;
          row->cells = g_new0 (char *, row->n + 1);
          for (guint i = 0; i < row->n; i++)
            row->cells[i] = cell_text (json_array_get_element (cells, i));
          g_list_store_append (table->rows, row);
        }
    }
  table->total = (guint64) MAX (interp_json_get_int (root, "total_rows", n_rows), (gint64) n_rows);
  return dex_future_new_take_object (g_steal_pointer (&table));
}

DexFuture *
interp_table_load (GBytes *bytes, const char *path)
{
  Load *load;

  g_return_val_if_fail (bytes != NULL || path != NULL, NULL);

  load = g_new0 (Load, 1);
  load->bytes = bytes ? g_bytes_ref (bytes) : NULL;
  load->path = g_strdup (path);
  return interp_worker_run ("read table", load_worker, load, load_free);
}
