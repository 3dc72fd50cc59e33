/* interp-result.c: what the model is told about a cell
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "base/interp-json.h"
#include "base/interp-text.h"
#include "session/interp-cell-private.h"
#include "session/interp-result.h"

#define MAX_TRACEBACK 4000
#define MAX_DISPLAY_TEXT 4000
#define MAX_DISPLAYS 20

char *
interp_result_fence (const char *language, const char *code)
{
  g_autofree char *fence = NULL;
  gsize longest = 2;
  gsize run = 0;

  g_return_val_if_fail (code != NULL, NULL);

  for (const char *p = code; *p != '\0'; p++)
    {
      run = *p == '`' ? run + 1 : 0;
      longest = MAX (longest, run);
    }
  fence = g_strnfill (longest + 1, '`');

  return g_strdup_printf ("%s%s\n%s%s%s", fence, language != NULL ? language : "", code,
                          g_str_has_suffix (code, "\n") || *code == '\0' ? "" : "\n", fence);
}

static void
append_paragraph (GString *text, const char *paragraph)
{
  if (paragraph == NULL || *paragraph == '\0')
    return;
  if (text->len > 0)
    g_string_append (text, text->str[text->len - 1] == '\n' ? "\n" : "\n\n");
  g_string_append (text, paragraph);
}

static void append_paragraph_printf (GString *text, const char *format, ...) G_GNUC_PRINTF (2, 3);

static void
append_paragraph_printf (GString *text, const char *format, ...)
{
  g_autofree char *paragraph = NULL;
  va_list args;

  va_start (args, format);
  paragraph = g_strdup_vprintf (format, args);
  va_end (args);
  append_paragraph (text, paragraph);
}

/* The last line of a traceback names the error: when it stands in the output, the harness has printed all of it
 * there. */
static gboolean
output_has_traceback (const char *output, const char *traceback)
{
  g_autofree char *trimmed = g_strstrip (g_strdup (traceback));
  const char *last = strrchr (trimmed, '\n');

  last = last != NULL ? last + 1 : trimmed;

  return *last != '\0' && strstr (output, last) != NULL;
}

static void
append_output (GString *text, InterpCell *cell, gsize max_output)
{
  g_autofree char *output = interp_cell_dup_output (cell, NULL);
  g_autofree char *shortened = interp_text_shorten (output, max_output);
  g_autofree char *trimmed = g_strchomp (g_strdup (shortened));

  if (*trimmed == '\0')
    {
      append_paragraph (text, "(no output)");
      return;
    }

  append_paragraph_printf (text, "Output:\n%s", trimmed);
  if (interp_cell_get_n_dropped (cell) > 0 || strlen (output) > max_output)
    {
      append_paragraph_printf (text, "(%" G_GUINT64_FORMAT " lines were printed; not all are shown here.",
                               interp_cell_get_n_lines (cell));
      if (interp_cell_get_log_path (cell) != NULL)
        g_string_append_printf (text, " Everything, with terminal codes, is in the file %s",
                                interp_cell_get_log_path (cell));
      g_string_append (text, ")");
    }
}

static void
append_error (GString *text, InterpCell *cell)
{
  const char *name = interp_cell_get_error_name (cell);
  const char *message = interp_cell_get_error_message (cell);
  const char *traceback = interp_cell_get_traceback (cell);
  g_autofree char *output = interp_cell_dup_output (cell, NULL);
  int line = interp_cell_get_error_line (cell);

  if (name != NULL || message != NULL)
    {
      append_paragraph_printf (text, "Error: %s%s%s", name != NULL ? name : "",
                               name != NULL && message != NULL ? ": " : "", message != NULL ? message : "");
      if (line > 0)
        g_string_append_printf (text, " (line %d of the code)", line);
    }
  if (traceback != NULL && *traceback != '\0' && !output_has_traceback (output, traceback))
    {
      g_autofree char *shortened = interp_text_shorten (traceback, MAX_TRACEBACK);

      append_paragraph (text, shortened);
    }
}

static void
append_displays (GString *text, InterpCell *cell)
{
  GListModel *displays = interp_cell_get_displays (cell);
  guint n = g_list_model_get_n_items (displays);

  for (guint i = 0; i < MIN (n, MAX_DISPLAYS); i++)
    {
      g_autoptr (InterpDisplay) display = g_list_model_get_item (displays, i);
      const char *mime = interp_display_get_mime (display);
      const char *source = interp_display_get_source (display);
      const char *alternative = interp_display_get_text (display);

      if (g_str_has_prefix (mime, "image/"))
        append_paragraph (text, "[Chart shown to the user");
      else if (g_str_equal (mime, INTERP_DISPLAY_TABLE))
        append_paragraph (text, "[Table shown to the user");
      else
        append_paragraph_printf (text, "[%s shown to the user", mime);
      if (source != NULL)
        g_string_append_printf (text, ", from the file %s", source);
      g_string_append_c (text, ']');

      if (alternative != NULL && !g_str_has_prefix (mime, "image/"))
        {
          g_autofree char *shortened = interp_text_shorten (alternative, MAX_DISPLAY_TEXT);

          g_string_append_printf (text, "\n%s", shortened);
        }
    }
  if (n > MAX_DISPLAYS)
    append_paragraph_printf (text, "[%u more shown to the user]", n - MAX_DISPLAYS);
}

static void
append_status (GString *text, InterpCell *cell)
{
  const char *title = interp_cell_get_language (cell);
  g_autofree char *duration = interp_text_format_duration (interp_item_get_duration (INTERP_ITEM (cell)));

  switch (interp_cell_get_cell_state (cell))
    {
    case INTERP_CELL_DONE:
      if (interp_cell_get_exit_code (cell) != 0)
        append_paragraph_printf (text, "Exit status %d.", interp_cell_get_exit_code (cell));
      break;
    case INTERP_CELL_FAILED:
      if (interp_cell_get_exit_code (cell) != 0)
        append_paragraph_printf (text, "Failed with exit status %d.", interp_cell_get_exit_code (cell));
      else
        append_paragraph (text, "Failed.");
      break;
    case INTERP_CELL_INTERRUPTED:
      append_paragraph_printf (text,
                               "The user interrupted this code while it ran, after %s. It may have done a part of its "
                               "work.",
                               duration);
      break;
    case INTERP_CELL_LOST:
      append_paragraph_printf (text,
                               "The %s kernel ended while this code ran. It may have done a part of its work. Its "
                               "variables "
                               "are gone; the next block starts a fresh kernel.",
                               title);
      break;
    case INTERP_CELL_WRITING:
    case INTERP_CELL_WAITING:
    case INTERP_CELL_STARTING:
    case INTERP_CELL_RUNNING:
    case INTERP_CELL_REFUSED:
    case INTERP_CELL_NOT_RUN:
    default:
      break;
    }
}

char *
interp_result_for_run (InterpCell *cell, const char *notes, gsize max_output)
{
  g_autoptr (GString) text = g_string_new (NULL);

  g_return_val_if_fail (INTERP_IS_CELL (cell), NULL);

  append_paragraph (text, notes);
  if (interp_cell_get_original_code (cell) != NULL)
    {
      g_autofree char *block = interp_result_fence (NULL, interp_cell_get_code (cell));

      append_paragraph_printf (text, "The user edited the code before running it. This is what ran:\n%s", block);
    }
  append_output (text, cell, max_output);
  append_error (text, cell);
  append_displays (text, cell);
  append_status (text, cell);

  return g_string_free_and_steal (g_steal_pointer (&text));
}

char *
interp_result_for_refusal (InterpCell *cell)
{
  const char *reason;

  g_return_val_if_fail (INTERP_IS_CELL (cell), NULL);

  reason = interp_cell_get_refusal (cell);
  if (reason != NULL && *reason != '\0')
    return g_strdup_printf ("The user refused to run this code; nothing was run. Their reason: %s", reason);

  return g_strdup (
      "The user refused to run this code; nothing was run. They gave no reason. Do not send the same code again; ask "
      "what they would like instead.");
}

char *
interp_result_for_unknown (const char *what, const char *available)
{
  return g_strdup_printf ("Nothing was run: %s Available: %s.", what, available);
}
