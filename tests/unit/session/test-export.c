/* test-export.c: a conversation as a document
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "base/interp-json.h"
#include "session/interp-cell-private.h"
#include "session/interp-export.h"
#include "session/interp-item-private.h"

#include <string.h>

#define PICTURE "\x89PNG\r\n\x1a\n\x00\xff picture"

static void
add_item (GPtrArray *items, InterpItemKind kind, const char *text)
{
  InterpItem *item = interp_item_new (kind, text);

  if (kind == INTERP_ITEM_ASSISTANT)
    interp_item_set_model (item, "x/m");
  g_ptr_array_add (items, item);
}

static InterpCell *
add_cell (GPtrArray *items, const char *language, const char *code, const char *output)
{
  InterpCell *cell = interp_cell_new (language, code, FALSE);

  interp_cell_set_cell_state (cell, INTERP_CELL_DONE);
  if (output != NULL)
    {
      interp_cell_set_kernel_life (cell, "a/1");
      interp_cell_set_output (cell, output, 1, 0);
    }
  g_ptr_array_add (items, cell);

  return cell;
}

static void
add_display (InterpCell *cell, const char *mime, const char *bytes, gsize length, const char *text)
{
  g_autoptr (GBytes) held = g_bytes_new (bytes, length);
  g_autoptr (InterpDisplay) display = interp_display_new (mime, held, NULL);

  interp_display_set_text (display, text);
  interp_cell_add_display (cell, display);
}

static GPtrArray *
make_items (void)
{
  GPtrArray *items = g_ptr_array_new_with_free_func (g_object_unref);
  InterpCell *cell;

  add_item (items, INTERP_ITEM_USER, "Draw \"it\"\nin blue");
  add_item (items, INTERP_ITEM_REASONING, "Secret thoughts");
  add_item (items, INTERP_ITEM_ASSISTANT, "Look:\n\n- one\n- two");
  cell = add_cell (items, "python", "print('```')\ndraw()", "```\nsecond line\n");
  add_display (cell, "image/png", PICTURE, sizeof PICTURE - 1, "A chart");
  add_display (cell, "text/html", "<b>bold</b>", 11, NULL);
  add_cell (items, "shell", "echo ä", "ä\n");
  cell = add_cell (items, "shell", "rm -r x", NULL);
  interp_cell_set_cell_state (cell, INTERP_CELL_REFUSED);
  interp_cell_set_refusal (cell, "Rather not");
  add_item (items, INTERP_ITEM_ERROR, "The connection was lost.");
  add_item (items, INTERP_ITEM_ASSISTANT, "Done 🦊");

  return items;
}

static guint
count (const char *text, const char *part)
{
  guint n = 0;

  for (const char *p = strstr (text, part); p != NULL; p = strstr (p + strlen (part), part))
    n++;

  return n;
}

static void
test_markdown (void)
{
  g_autoptr (GPtrArray) items = make_items ();
  g_autofree char *text = interp_export_markdown ("A title", items);

  g_assert_true (
      g_str_has_prefix (text, "# A title\n\n## You\n\nDraw \"it\"\nin blue\n\n## m\n\nLook:\n\n- one\n- two\n"));
  /* The fence is longer than what it holds. */
  g_assert_nonnull (strstr (text, "\n````python\nprint('```')\ndraw()\n````\n"));
  g_assert_nonnull (strstr (text, "\n````\n```\nsecond line\n````\n"));
  g_assert_nonnull (strstr (text, "\n```shell\necho ä\n```\n\n```\nä\n```\n"));
  g_assert_nonnull (strstr (text, "Rather not"));
  g_assert_nonnull (strstr (text, "> The connection was lost.\n"));
  g_assert_true (g_str_has_suffix (text, "Done 🦊\n"));
  g_assert_null (strstr (text, "Secret thoughts"));
  g_assert_cmpuint (count (text, "## m"), ==, 1);
}

static void
check_lines (JsonNode *lines)
{
  guint n = interp_json_get_length (lines, NULL);

  g_assert_true (interp_json_is_array (lines));
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *path = g_strdup_printf ("%u", i);
      const char *line = interp_json_get_string (lines, path);

      g_assert_nonnull (line);
      /* Each with its end, but for the last. */
      g_assert_cmpuint (count (line, "\n"), <=, 1);
      if (i + 1 < n)
        g_assert_true (g_str_has_suffix (line, "\n"));
    }
}

static void
check_output (JsonNode *output)
{
  const char *type = interp_json_get_string (output, "output_type");

  if (g_strcmp0 (type, "stream") == 0)
    {
      g_assert_cmpstr (interp_json_get_string (output, "name"), ==, "stdout");
      check_lines (interp_json_get (output, "text"));
    }
  else if (g_strcmp0 (type, "display_data") == 0)
    {
      g_assert_true (interp_json_is_object (interp_json_get (output, "data")));
      g_assert_true (interp_json_is_object (interp_json_get (output, "metadata")));
    }
  else
    {
      g_assert_cmpstr (type, ==, "error");
      g_assert_nonnull (interp_json_get_string (output, "ename"));
      g_assert_nonnull (interp_json_get_string (output, "evalue"));
      check_lines (interp_json_get (output, "traceback"));
    }
}

/* What version 4.5 of the format requires of every notebook. Transfer full. */
static JsonNode *
check_notebook (const char *text)
{
  g_autoptr (GError) error = NULL;
  JsonNode *notebook = interp_json_parse (text, -1, INTERP_JSON_PARSE_NONE, &error);
  g_autoptr (GHashTable) ids = g_hash_table_new (g_str_hash, g_str_equal);

  g_assert_no_error (error);
  g_assert_cmpint (interp_json_get_int (notebook, "nbformat", 0), ==, 4);
  g_assert_cmpint (interp_json_get_int (notebook, "nbformat_minor", 0), ==, 5);
  g_assert_cmpstr (interp_json_get_string (notebook, "metadata.kernelspec.name"), ==, "python3");
  g_assert_nonnull (interp_json_get_string (notebook, "metadata.kernelspec.display_name"));
  g_assert_cmpstr (interp_json_get_string (notebook, "metadata.language_info.name"), ==, "python");
  for (guint i = 0; i < interp_json_get_length (notebook, "cells"); i++)
    {
      g_autofree char *path = g_strdup_printf ("cells.%u", i);
      JsonNode *cell = interp_json_get (notebook, path);
      const char *type = interp_json_get_string (cell, "cell_type");
      const char *id = interp_json_get_string (cell, "id");

      g_assert_true (g_regex_match_simple ("^[a-zA-Z0-9-_]{1,64}$", id, 0, 0));
      g_assert_true (g_hash_table_add (ids, (gpointer) id));
      g_assert_true (interp_json_is_object (interp_json_get (cell, "metadata")));
      check_lines (interp_json_get (cell, "source"));
      if (g_str_equal (type, "code"))
        {
          g_assert_cmpint (interp_json_get_int (cell, "execution_count", 0), >, 0);
          g_assert_true (interp_json_is_array (interp_json_get (cell, "outputs")));
          for (guint k = 0; k < interp_json_get_length (cell, "outputs"); k++)
            {
              g_autofree char *output = g_strdup_printf ("outputs.%u", k);

              check_output (interp_json_get (cell, output));
            }
        }
      else
        {
          g_assert_cmpstr (type, ==, "markdown");
          g_assert_null (interp_json_get (cell, "outputs"));
          g_assert_null (interp_json_get (cell, "execution_count"));
        }
    }

  return notebook;
}

static void
test_notebook (void)
{
  g_autoptr (GPtrArray) items = make_items ();
  g_autofree char *text = interp_export_notebook ("A title", items);
  g_autoptr (JsonNode) notebook = check_notebook (text);
  g_autofree guchar *picture = NULL;
  gsize length;

  /* title, prompt, words, two that ran, one refused, words */
  g_assert_cmpuint (interp_json_get_length (notebook, "cells"), ==, 7);
  g_assert_cmpstr (interp_json_get_string (notebook, "cells.0.source.0"), ==, "# A title");
  g_assert_cmpstr (interp_json_get_string (notebook, "cells.1.source.0"), ==, "**You:** Draw \"it\"\n");
  g_assert_cmpstr (interp_json_get_string (notebook, "cells.2.source.3"), ==, "- two");
  g_assert_cmpstr (interp_json_get_string (notebook, "cells.3.cell_type"), ==, "code");
  g_assert_cmpint (interp_json_get_int (notebook, "cells.3.execution_count", 0), ==, 1);
  g_assert_cmpstr (interp_json_get_string (notebook, "cells.3.source.0"), ==, "print('```')\n");
  g_assert_cmpstr (interp_json_get_string (notebook, "cells.3.outputs.0.text.1"), ==, "second line\n");
  picture = g_base64_decode (json_node_get_string (
                                 json_object_get_member (json_node_get_object (
                                                             interp_json_get (notebook, "cells.3.outputs.1.data")),
                                                         "image/png")),
                             &length);
  g_assert_cmpmem (picture, length, PICTURE, sizeof PICTURE - 1);
  g_assert_cmpstr (interp_json_get_string (notebook, "cells.3.outputs.1.data.text/plain.0"), ==, "A chart");
  g_assert_cmpstr (interp_json_get_string (notebook, "cells.3.outputs.2.data.text/html.0"), ==, "<b>bold</b>");
  g_assert_cmpstr (interp_json_get_string (notebook, "cells.4.source.0"), ==, "%%bash\n");
  g_assert_cmpint (interp_json_get_int (notebook, "cells.4.execution_count", 0), ==, 2);
  /* What never ran is shown, not offered to be run. */
  g_assert_cmpstr (interp_json_get_string (notebook, "cells.5.cell_type"), ==, "markdown");
  g_assert_cmpstr (interp_json_get_string (notebook, "cells.5.source.1"), ==, "rm -r x\n");
  g_assert_cmpstr (interp_json_get_string (notebook, "cells.6.source.0"), ==, "Done 🦊");
}

static void
test_empty (void)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  g_autofree char *markdown = interp_export_markdown ("New Chat", items);
  g_autofree char *text = interp_export_notebook ("New Chat", items);
  g_autoptr (JsonNode) notebook = check_notebook (text);

  g_assert_cmpstr (markdown, ==, "# New Chat\n");
  g_assert_cmpuint (interp_json_get_length (notebook, "cells"), ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/session/export/markdown", test_markdown);
  g_test_add_func ("/session/export/notebook", test_notebook);
  g_test_add_func ("/session/export/empty", test_empty);

  return g_test_run ();
}
