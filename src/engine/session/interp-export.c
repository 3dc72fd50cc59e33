/* interp-export.c: a conversation as a document
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <glib/gi18n.h>

#include "base/interp-json.h"
#include "llm/interp-provider.h"
#include "session/interp-cell-private.h"
#include "session/interp-export.h"
#include "session/interp-result.h"

/* Largest picture that is put into a notebook, in bytes. */
#define PICTURE_MAX (16 * 1024 * 1024)

/* ---- Markdown ---- */

static void
append_block (GString *text, const char *block)
{
  g_autofree char *trimmed = g_strchomp (g_strdup (block));

  if (*trimmed != '\0')
    g_string_append_printf (text, "%s%s\n", text->len > 0 ? "\n" : "", trimmed);
}

static void
append_heading (GString *text, const char *heading)
{
  g_autofree char *line = g_strdup_printf ("## %s", heading);

  append_block (text, line);
}

static void
append_fence (GString *text, const char *language, const char *code)
{
  g_autofree char *block = interp_result_fence (language, code);

  append_block (text, block);
}

static void
append_displays (GString *text, InterpCell *cell)
{
  GListModel *displays = interp_cell_get_displays (cell);
  guint n = g_list_model_get_n_items (displays);

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (InterpDisplay) display = g_list_model_get_item (displays, i);
      const char *path = interp_display_get_source (display) != NULL ? interp_display_get_source (display)
                                                                     : interp_display_get_path (display);

      if (g_str_has_prefix (interp_display_get_mime (display), "image/") && path != NULL)
        {
          g_autofree char *escaped = g_uri_escape_string (path, G_URI_RESERVED_CHARS_ALLOWED_IN_PATH, TRUE);
          g_autofree char *line = g_strdup_printf ("![%s](%s)", _ ("Chart"), escaped);

          append_block (text, line);
        }
      else if (interp_display_get_text (display) != NULL)
        append_fence (text, NULL, interp_display_get_text (display));
    }
}

static void
append_cell (GString *text, InterpCell *cell)
{
  g_autofree char *output = interp_cell_dup_output (cell, NULL);

  append_fence (text, interp_cell_get_language_name (cell), interp_cell_get_code (cell));
  if (interp_cell_get_note (cell) != NULL)
    append_block (text, interp_cell_get_note (cell));
  if (interp_cell_get_cell_state (cell) == INTERP_CELL_REFUSED)
    append_block (text, interp_cell_get_refusal (cell) != NULL ? interp_cell_get_refusal (cell) : _ ("Refused"));
  if (*output != '\0')
    append_fence (text, NULL, output);
  append_displays (text, cell);
}

char *
interp_export_markdown (const char *title, GPtrArray *items)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gboolean answering = FALSE;

  g_string_append_printf (text, "# %s\n", title);
  for (guint i = 0; i < items->len; i++)
    {
      InterpItem *item = g_ptr_array_index (items, i);
      InterpItemKind kind = interp_item_get_kind (item);
      gboolean by_user
          = kind == INTERP_ITEM_USER || (kind == INTERP_ITEM_CELL && interp_cell_is_by_user (INTERP_CELL (item)));

      if (kind == INTERP_ITEM_REASONING)
        continue;
      if (by_user)
        append_heading (text, _ ("You"));
      else if (!answering && kind != INTERP_ITEM_NOTICE && kind != INTERP_ITEM_ERROR)
        append_heading (text, interp_item_get_model (item) != NULL
                                  ? interp_model_name_get_title (interp_item_get_model (item))
                                  : _ ("Model"));
      answering = !by_user && (answering || (kind != INTERP_ITEM_NOTICE && kind != INTERP_ITEM_ERROR));

      if (kind == INTERP_ITEM_CELL)
        append_cell (text, INTERP_CELL (item));
      else if (kind == INTERP_ITEM_NOTICE || kind == INTERP_ITEM_ERROR)
        {
          g_autofree char *quoted = g_strdup_printf ("> %s", interp_item_get_text (item));

          append_block (text, quoted);
        }
      else
        append_block (text, interp_item_get_text (item));
    }

  return g_string_free_and_steal (g_steal_pointer (&text));
}

/* ---- notebook ---- */

/* Cells and outputs hold text as a list of lines with their ends. */
static JsonNode *
lines_to_json (const char *text)
{
  JsonNode *lines = interp_json_array (INTERP_JSON_END);

  while (*text != '\0')
    {
      const char *newline = strchr (text, '\n');
      gsize length = newline != NULL ? (gsize) (newline + 1 - text) : strlen (text);
      g_autofree char *line = g_strndup (text, length);

      interp_json_append (lines, json_node_init_string (json_node_alloc (), line));
      text += length;
    }

  return lines;
}

static JsonNode *
make_cell (const char *type, guint n, const char *source)
{
  g_autofree char *id = g_strdup_printf ("cell-%u", n);

  return interp_json_object ("cell_type", INTERP_JSON_STRING (type), "id", INTERP_JSON_STRING (id), "metadata",
                             INTERP_JSON_NODE (interp_json_object (NULL, NULL)), "source",
                             INTERP_JSON_NODE (lines_to_json (source)), NULL);
}

static JsonNode *
display_to_json (InterpDisplay *display)
{
  const char *mime = interp_display_get_mime (display);
  JsonNode *data = interp_json_object (NULL, NULL);
  g_autoptr (GBytes) bytes = NULL;
  const char *start;
  gsize length = 0;

  if (interp_display_get_bytes (display) != NULL)
    bytes = g_bytes_ref (interp_display_get_bytes (display));
  else if (interp_display_get_path (display) != NULL)
    {
      char *contents;

      if (g_file_get_contents (interp_display_get_path (display), &contents, &length, NULL))
        bytes = g_bytes_new_take (contents, length);
    }
  start = bytes != NULL ? g_bytes_get_data (bytes, &length) : NULL;
  if (start != NULL && length > 0 && length <= PICTURE_MAX)
    {
      if (g_str_has_prefix (mime, "text/") || g_str_equal (mime, "image/svg+xml"))
        {
          g_autofree char *text = g_utf8_make_valid (start, length);

          interp_json_set (data, mime, lines_to_json (text));
        }
      else if (g_str_has_prefix (mime, "image/"))
        {
          g_autofree char *encoded = g_base64_encode ((const guchar *) start, length);

          interp_json_set (data, mime, json_node_init_string (json_node_alloc (), encoded));
        }
    }
  interp_json_set (data, "text/plain",
                   lines_to_json (interp_display_get_text (display) != NULL ? interp_display_get_text (display)
                                                                            : mime));

  return interp_json_object ("output_type", INTERP_JSON_STRING ("display_data"), "data", INTERP_JSON_NODE (data),
                             "metadata", INTERP_JSON_NODE (interp_json_object (NULL, NULL)), NULL);
}

static JsonNode *
outputs_to_json (InterpCell *cell)
{
  JsonNode *outputs = interp_json_array (INTERP_JSON_END);
  GListModel *displays = interp_cell_get_displays (cell);
  guint n = g_list_model_get_n_items (displays);
  g_autofree char *output = interp_cell_dup_output (cell, NULL);
  const char *name = interp_cell_get_error_name (cell);
  const char *message = interp_cell_get_error_message (cell);
  const char *traceback = interp_cell_get_traceback (cell);

  if (*output != '\0')
    interp_json_append (outputs, interp_json_object ("output_type", INTERP_JSON_STRING ("stream"), "name",
                                                     INTERP_JSON_STRING ("stdout"), "text",
                                                     INTERP_JSON_NODE (lines_to_json (output)), NULL));
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (InterpDisplay) display = g_list_model_get_item (displays, i);

      interp_json_append (outputs, display_to_json (display));
    }
  if (name != NULL || message != NULL)
    interp_json_append (outputs,
                        interp_json_object ("output_type", INTERP_JSON_STRING ("error"), "ename",
                                            INTERP_JSON_STRING (name != NULL ? name : ""), "evalue",
                                            INTERP_JSON_STRING (message != NULL ? message : ""), "traceback",
                                            INTERP_JSON_NODE (lines_to_json (traceback != NULL ? traceback : "")),
                                            NULL));

  return outputs;
}

static char *
add_magic (InterpCell *cell)
{
  static const struct
  {
    const char *language;
    const char *magic;
  } magics[] = { { "shell", "%%bash" }, { "javascript", "%%javascript" }, { "r", "%%R" } };
  const char *language = interp_cell_get_language_name (cell);

  for (guint i = 0; i < G_N_ELEMENTS (magics); i++)
    if (g_str_equal (language, magics[i].language))
      return g_strdup_printf ("%s\n%s", magics[i].magic, interp_cell_get_code (cell));

  return g_strdup (interp_cell_get_code (cell));
}

static JsonNode *
cell_to_json (InterpCell *cell, guint n, gint64 *count)
{
  g_autofree char *source = add_magic (cell);
  JsonNode *node;

  if (*interp_cell_get_kernel_life (cell) == '\0')
    {
      /* It never ran: shown, as in the chat. */
      g_autofree char *block = interp_result_fence (interp_cell_get_language_name (cell), interp_cell_get_code (cell));

      return make_cell ("markdown", n, block);
    }
  node = make_cell ("code", n, source);
  interp_json_set (node, "execution_count", json_node_init_int (json_node_alloc (), ++*count));
  interp_json_set (node, "outputs", outputs_to_json (cell));

  return node;
}

char *
interp_export_notebook (const char *title, GPtrArray *items)
{
  JsonNode *cells = interp_json_array (INTERP_JSON_END);
  g_autoptr (JsonNode) notebook = NULL;
  g_autofree char *heading = g_strdup_printf ("# %s", title);
  guint n = 0;
  gint64 count = 0;

  interp_json_append (cells, make_cell ("markdown", n++, heading));
  for (guint i = 0; i < items->len; i++)
    {
      InterpItem *item = g_ptr_array_index (items, i);
      InterpItemKind kind = interp_item_get_kind (item);

      if (kind == INTERP_ITEM_CELL)
        interp_json_append (cells, cell_to_json (INTERP_CELL (item), n++, &count));
      else if (kind == INTERP_ITEM_USER)
        {
          g_autofree char *said = g_strdup_printf ("**%s:** %s", _ ("You"), interp_item_get_text (item));

          interp_json_append (cells, make_cell ("markdown", n++, said));
        }
      else if (kind == INTERP_ITEM_ASSISTANT && *interp_item_get_text (item) != '\0')
        interp_json_append (cells, make_cell ("markdown", n++, interp_item_get_text (item)));
    }
  notebook
      = interp_json_object ("cells", INTERP_JSON_NODE (cells), "metadata",
                            INTERP_JSON_NODE (
                                interp_json_object ("kernelspec",
                                                    INTERP_JSON_NODE (
                                                        interp_json_object ("display_name",
                                                                            INTERP_JSON_STRING ("Python 3"), "language",
                                                                            INTERP_JSON_STRING ("python"), "name",
                                                                            INTERP_JSON_STRING ("python3"), NULL)),
                                                    "language_info",
                                                    INTERP_JSON_NODE (interp_json_object ("name",
                                                                                          INTERP_JSON_STRING ("python"),
                                                                                          NULL)),
                                                    NULL)),
                            "nbformat", INTERP_JSON_INT (4), "nbformat_minor", INTERP_JSON_INT (5), NULL);

  return interp_json_to_string (notebook);
}
