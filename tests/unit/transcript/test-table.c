/* test-table.c
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <string.h>

#include "base/interp-fiber.h"
#include "transcript/interp-table.h"

typedef struct
{
  GBytes *bytes;
  InterpTable *table;
  GError *error;
} Load;

static DexFuture *
load_fiber (gpointer data)
{
  Load *self = data;

  self->table = dex_await_object (interp_table_load (self->bytes, NULL), &self->error);
  return dex_future_new_true ();
}

static InterpTable *
load (const char *json, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (json, strlen (json));
  Load self = { .bytes = bytes };
  g_autoptr (DexFuture) future = interp_fiber_spawn (load_fiber, &self, NULL);

  while (dex_future_is_pending (future))
    g_main_context_iteration (NULL, TRUE);
  if (self.error)
    g_propagate_error (error, self.error);
  return self.table;
}

static const char *
cell (InterpTable *table, guint row, guint column)
{
  g_autoptr (InterpTableRow) item = g_list_model_get_item (interp_table_get_rows (table), row);

  return interp_table_row_get_text (item, column);
}

static void
test_values (void)
{
  g_autoptr (InterpTable) table = load ("{\"columns\":[\"name\",\"n\",\"x\",\"ok\"],"
                                        "\"types\":[\"object\",\"int64\",\"float64\",\"bool\"],"
                                        "\"rows\":[[\"a\",1,0.5,true],[null,-20,1e100,false],[\"b\\n\\u001b[1m\",3]],"
                                        "\"total_rows\":12000}",
                                        NULL);

  g_assert_cmpuint (interp_table_get_n_columns (table), ==, 4);
  g_assert_cmpstr (interp_table_get_title (table, 1), ==, "n");
  g_assert_false (interp_table_is_numeric (table, 0));
  g_assert_true (interp_table_is_numeric (table, 1));
  g_assert_true (interp_table_is_numeric (table, 2));
  g_assert_cmpuint (g_list_model_get_n_items (interp_table_get_rows (table)), ==, 3);
  g_assert_cmpuint (interp_table_get_total_rows (table), ==, 12000);
  g_assert_cmpstr (cell (table, 0, 0), ==, "a");
  g_assert_cmpstr (cell (table, 0, 2), ==, "0.5");
  g_assert_cmpstr (cell (table, 0, 3), ==, "True");
  g_assert_null (cell (table, 1, 0));
  g_assert_cmpstr (cell (table, 1, 2), ==, "1e+100");
  /* Controls are made visible, missing cells are empty. */
  g_assert_null (strchr (cell (table, 2, 0), '\033'));
  g_assert_cmpstr (cell (table, 2, 3), ==, "");
}

static void
test_order (void)
{
  g_autoptr (InterpTable) table = load ("{\"columns\":[\"n\",\"s\"],\"types\":[\"int64\",\"object\"],"
                                        "\"rows\":[[10,\"b\"],[9,\"a\"],[null,null]],\"total_rows\":3}",
                                        NULL);
  GListModel *rows = interp_table_get_rows (table);
  g_autoptr (InterpTableRow) ten = g_list_model_get_item (rows, 0);
  g_autoptr (InterpTableRow) nine = g_list_model_get_item (rows, 1);
  g_autoptr (InterpTableRow) missing = g_list_model_get_item (rows, 2);

  /* By value, not "10" before "9"; missing values last. */
  g_assert_cmpint (interp_table_compare (table, ten, nine, 0), >, 0);
  g_assert_cmpint (interp_table_compare (table, nine, ten, 0), <, 0);
  g_assert_cmpint (interp_table_compare (table, ten, nine, 1), >, 0);
  g_assert_cmpint (interp_table_compare (table, missing, ten, 0), >, 0);
  g_assert_cmpint (interp_table_compare (table, ten, missing, 1), <, 0);
  g_assert_cmpint (interp_table_compare (table, missing, missing, 0), ==, 0);
}

static void
test_csv (void)
{
  g_autoptr (InterpTable) table = load ("{\"columns\":[\"a,b\",\"c\"],\"rows\":[[\"say "
                                        "\\\"hi\\\"\",1],[null,\"x;y\"]],\"total_rows\":2}",
                                        NULL);
  g_autofree char *csv = interp_table_to_csv (table, interp_table_get_rows (table));

  g_assert_cmpstr (csv, ==, "\"a,b\",c\r\n\"say \"\"hi\"\"\",1\r\n,x;y\r\n");
}

static void
test_bounds (void)
{
  GString *json = g_string_new ("{\"columns\":[");
  g_autofree char *text = NULL;
  g_autoptr (InterpTable) table = NULL;

  for (guint i = 0; i < 300; i++)
    g_string_append_printf (json, "%s\"c%u\"", i > 0 ? "," : "", i);
  g_string_append (json, "],\"rows\":[");
  for (guint i = 0; i < 3000; i++)
    g_string_append_printf (json, "%s[%u]", i > 0 ? "," : "", i);
  g_string_append (json, "],\"total_rows\":3}");
  text = g_string_free (json, FALSE);
  table = load (text, NULL);

  g_assert_cmpuint (interp_table_get_n_columns (table), ==, 100);
  g_assert_cmpuint (g_list_model_get_n_items (interp_table_get_rows (table)), ==, 1000);
  /* Fewer in total than there are cannot be. */
  g_assert_cmpuint (interp_table_get_total_rows (table), >=, 1000);
}

static void
test_nonsense (void)
{
  static const char *const texts[] = {
    "", "[", "[]", "{}", "{\"columns\":3,\"rows\":\"x\"}", "{\"columns\":[{}],\"rows\":[1,[{\"a\":[]}],null]}",
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (InterpTable) table = load (texts[i], &error);

      /* A table or a sentence, never a crash. */
      g_assert_true ((table != NULL) != (error != NULL));
    }
}

int
main (int argc, char **argv)
{
  dex_init ();
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/transcript/table/values", test_values);
  g_test_add_func ("/transcript/table/order", test_order);
  g_test_add_func ("/transcript/table/csv", test_csv);
  g_test_add_func ("/transcript/table/bounds", test_bounds);
  g_test_add_func ("/transcript/table/nonsense", test_nonsense);
  return g_test_run ();
}
