/* interp-cell-outcome.c: what a run left, as it is kept
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "base/interp-text.h"
#include "session/interp-cell-outcome.h"
#include "session/interp-cell-private.h"

/* More styled runs than this are kept without their style. */
#define MAX_SPANS 2000
/* Longest traceback and message kept, in bytes. */
#define MAX_TRACEBACK (32 * 1024)
#define MAX_MESSAGE (8 * 1024)

InterpCellOutcome *
interp_cell_outcome_new (void)
{
  return g_new0 (InterpCellOutcome, 1);
}

void
interp_cell_outcome_free (InterpCellOutcome *self)
{
  if (self == NULL)
    return;
  g_free (self->output);
  g_clear_pointer (&self->spans, g_array_unref);
  g_free (self->error_name);
  g_free (self->error_message);
  g_free (self->traceback);
  g_free (self->log_path);
  g_free (self->missing_module);
  interp_blocked_clear (&self->blocked);
  g_free (self);
}

static gboolean
is_character_start (const char *text, gsize length, gsize offset)
{
  return offset == length || (offset < length && (text[offset] & 0xC0) != 0x80);
}

/* Spans that lie whole within the first @length bytes of @text, in order; the rest of the world may be wrong about
 * them. */
static GArray *
keep_valid_spans (GArray *spans, const char *text, gsize length)
{
  GArray *kept = g_array_new (FALSE, FALSE, sizeof (InterpTextSpan));
  gsize before = 0;

  for (guint i = 0; i < spans->len && kept->len < MAX_SPANS; i++)
    {
      InterpTextSpan span = g_array_index (spans, InterpTextSpan, i);

      if (span.start < before || span.end <= span.start || span.end > length)
        continue;
      if (!is_character_start (text, length, span.start) || !is_character_start (text, length, span.end))
        continue;
      g_array_append_val (kept, span);
      before = span.end;
    }

  return kept;
}

void
interp_cell_outcome_set_output (InterpCellOutcome *self, const char *text, GArray *spans, guint64 n_lines,
                                guint64 n_dropped)
{
  g_autoptr (GArray) all_spans = spans;
  g_autofree char *kept = NULL;
  gsize length = strlen (text);
  gsize common;

  kept = length > INTERP_CELL_OUTPUT_MAX ? interp_text_shorten (text, INTERP_CELL_OUTPUT_MAX) : g_strdup (text);

  /* The head is untouched by the cut: its colours still hold. */
  for (common = 0; kept[common] != '\0' && kept[common] == text[common]; common++)
    ;
  g_clear_pointer (&self->spans, g_array_unref);
  if (all_spans != NULL)
    {
      while (common > 0 && !is_character_start (text, length, common))
        common--;
      self->spans = keep_valid_spans (all_spans, text, common);
    }
  g_set_str (&self->output, kept);
  self->n_lines = n_lines;
  self->n_dropped = n_dropped;
}

static char *
bounded (const char *text, gsize max_bytes)
{
  g_autofree char *valid = NULL;

  if (text == NULL)
    return NULL;
  valid = interp_text_make_valid (text, -1);

  return strlen (valid) > max_bytes ? interp_text_shorten (valid, max_bytes) : g_steal_pointer (&valid);
}

void
interp_cell_outcome_take_run (InterpCellOutcome *self, InterpRun *run)
{
  InterpTerminalText *text = interp_run_get_text (run);
  GArray *spans = NULL;
  g_autofree char *output = interp_terminal_text_to_string (text, &spans);

  interp_cell_outcome_set_output (self, output, spans, interp_terminal_text_get_n_lines (text),
                                  interp_terminal_text_get_n_dropped (text));
  self->exit_code = interp_run_get_exit_code (run);
  g_free (self->error_name);
  self->error_name = bounded (interp_run_get_error_name (run), 200);
  g_free (self->error_message);
  self->error_message = bounded (interp_run_get_error_message (run), MAX_MESSAGE);
  g_free (self->traceback);
  self->traceback = bounded (interp_run_get_traceback (run), MAX_TRACEBACK);
  self->error_line = interp_run_get_error_line (run);
  if (interp_run_get_log_path (run) != NULL)
    g_set_str (&self->log_path, interp_run_get_log_path (run));
  g_free (self->missing_module);
  self->missing_module = interp_run_dup_missing_module (run);
}

GArray *
interp_cell_outcome_copy_spans (InterpCellOutcome *self)
{
  if (self->spans != NULL)
    return g_array_copy (self->spans);

  return g_array_new (FALSE, FALSE, sizeof (InterpTextSpan));
}

/* ---- JSON ---- */

static JsonNode *
spans_to_json (GArray *spans)
{
  JsonNode *array = interp_json_array (INTERP_JSON_END);

  for (guint i = 0; i < spans->len; i++)
    {
      InterpTextSpan *span = &g_array_index (spans, InterpTextSpan, i);

      interp_json_append (array, interp_json_array (INTERP_JSON_INT (span->start), INTERP_JSON_INT (span->end),
                                                    INTERP_JSON_INT (span->flags), INTERP_JSON_INT (span->foreground),
                                                    INTERP_JSON_INT (span->background), INTERP_JSON_END));
    }

  return array;
}

static GArray *
spans_from_json (JsonNode *node, const char *text)
{
  g_autoptr (GArray) spans = g_array_new (FALSE, FALSE, sizeof (InterpTextSpan));
  JsonArray *array = json_node_get_array (node);
  guint n = MIN (json_array_get_length (array), MAX_SPANS);

  for (guint i = 0; i < n; i++)
    {
      JsonNode *entry = json_array_get_element (array, i);
      gint64 start = interp_json_get_int (entry, "0", -1);
      gint64 end = interp_json_get_int (entry, "1", -1);
      InterpTextSpan span = { 0 };

      if (start < 0 || end < 0)
        continue;
      span.start = start;
      span.end = end;
      span.flags = interp_json_get_int (entry, "2", 0);
      span.foreground = interp_json_get_int (entry, "3", -1);
      span.background = interp_json_get_int (entry, "4", -1);
      g_array_append_val (spans, span);
    }

  return keep_valid_spans (spans, text, strlen (text));
}

static void
set_string (JsonNode *data, const char *member, const char *text)
{
  if (text != NULL)
    interp_json_set (data, member, json_node_init_string (json_node_alloc (), text));
}

static void
set_int (JsonNode *data, const char *member, gint64 value)
{
  if (value != 0)
    interp_json_set (data, member, json_node_init_int (json_node_alloc (), value));
}

void
interp_cell_outcome_save (InterpCellOutcome *self, JsonNode *data)
{
  set_string (data, "output", self->output);
  if (self->spans != NULL && self->spans->len > 0)
    interp_json_set (data, "spans", spans_to_json (self->spans));
  set_int (data, "n_lines", self->n_lines);
  set_int (data, "n_dropped", self->n_dropped);
  set_int (data, "exit_code", self->exit_code);
  set_string (data, "error_name", self->error_name);
  set_string (data, "error_message", self->error_message);
  set_string (data, "traceback", self->traceback);
  set_int (data, "error_line", self->error_line);
  set_string (data, "log", self->log_path);
  set_string (data, "missing_module", self->missing_module);
  set_int (data, "network_blocked", self->blocked.network);
  set_string (data, "blocked_folder", self->blocked.folder);
}

void
interp_cell_outcome_load (InterpCellOutcome *self, JsonNode *data)
{
  JsonNode *spans = interp_json_get (data, "spans");

  g_set_str (&self->output, interp_json_get_string (data, "output"));
  g_clear_pointer (&self->spans, g_array_unref);
  if (self->output != NULL && interp_json_is_array (spans))
    self->spans = spans_from_json (spans, self->output);
  self->n_lines = MAX (interp_json_get_int (data, "n_lines", 0), 0);
  self->n_dropped = MAX (interp_json_get_int (data, "n_dropped", 0), 0);
  self->exit_code = interp_json_get_int (data, "exit_code", 0);
  g_set_str (&self->error_name, interp_json_get_string (data, "error_name"));
  g_set_str (&self->error_message, interp_json_get_string (data, "error_message"));
  g_set_str (&self->traceback, interp_json_get_string (data, "traceback"));
  self->error_line = interp_json_get_int (data, "error_line", 0);
  g_set_str (&self->log_path, interp_json_get_string (data, "log"));
  g_set_str (&self->missing_module, interp_json_get_string (data, "missing_module"));
  self->blocked.network = interp_json_get_int (data, "network_blocked", 0) != 0;
  g_set_str (&self->blocked.folder, interp_json_get_string (data, "blocked_folder"));
}

JsonNode *
interp_displays_to_json (GListModel *displays)
{
  JsonNode *array = interp_json_array (INTERP_JSON_END);
  guint n = g_list_model_get_n_items (displays);

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (InterpDisplay) display = g_list_model_get_item (displays, i);
      JsonNode *entry = interp_json_object ("mime", INTERP_JSON_STRING (interp_display_get_mime (display)), "path",
                                            INTERP_JSON_STRING (interp_display_get_path (display)), "source",
                                            INTERP_JSON_STRING (interp_display_get_source (display)), "text",
                                            INTERP_JSON_STRING (interp_display_get_text (display)), "id",
                                            INTERP_JSON_STRING (interp_display_get_display_id (display)), "scale",
                                            INTERP_JSON_DOUBLE (interp_display_get_scale (display)), NULL);

      /* What could not be put aside as a file goes along when it is small. */
      if (interp_display_get_path (display) == NULL && interp_display_get_bytes (display) != NULL)
        {
          gsize length;
          const guchar *bytes = g_bytes_get_data (interp_display_get_bytes (display), &length);

          if (length <= INTERP_CELL_OUTPUT_MAX)
            {
              g_autofree char *encoded = g_base64_encode (bytes, length);

              set_string (entry, "bytes", encoded);
            }
        }
      interp_json_append (array, entry);
    }

  return array;
}

static InterpDisplay *
display_from_json (JsonNode *entry)
{
  const char *mime = interp_json_get_string (entry, "mime");
  const char *path = interp_json_get_string (entry, "path");
  const char *encoded = interp_json_get_string (entry, "bytes");
  g_autoptr (GBytes) bytes = NULL;
  InterpDisplay *display;

  if (mime == NULL || (path == NULL && encoded == NULL))
    return NULL;
  if (encoded != NULL)
    {
      gsize length;
      guchar *decoded = g_base64_decode (encoded, &length);

      bytes = g_bytes_new_take (decoded, length);
    }
  display = interp_display_new (mime, bytes, path);
  interp_display_set_source (display, interp_json_get_string (entry, "source"));
  interp_display_set_text (display, interp_json_get_string (entry, "text"));
  interp_display_set_display_id (display, interp_json_get_string (entry, "id"));
  interp_display_set_scale (display, CLAMP (interp_json_get_double (entry, "scale", 1), 0.1, 16));

  return display;
}

void
interp_displays_from_json (GListStore *displays, JsonNode *array)
{
  g_autoptr (GPtrArray) loaded = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (JsonNode) present = interp_displays_to_json (G_LIST_MODEL (displays));
  guint n = interp_json_get_length (array, NULL);

  if (interp_json_is_array (array) && json_node_equal (present, array))
    return;
  for (guint i = 0; i < n; i++)
    {
      InterpDisplay *display = display_from_json (json_array_get_element (json_node_get_array (array), i));

      if (display != NULL)
        g_ptr_array_add (loaded, display);
    }
  g_list_store_splice (displays, 0, g_list_model_get_n_items (G_LIST_MODEL (displays)), loaded->pdata, loaded->len);
}
