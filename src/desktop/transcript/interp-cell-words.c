/* interp-cell-words.c: a cell's state in words, icons and styles
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "transcript/interp-cell-words.h"

#include <glib/gi18n.h>

#include "base/interp-text.h"

char *
interp_cell_words_state (InterpCell *cell)
{
  g_autofree char *duration = NULL;
  int exit_code;

  g_return_val_if_fail (INTERP_IS_CELL (cell), NULL);

  duration = interp_text_format_duration (interp_item_get_duration (INTERP_ITEM (cell)));
  exit_code = interp_cell_get_exit_code (cell);
  switch (interp_cell_get_cell_state (cell))
    {
    case INTERP_CELL_WRITING:
      return g_strdup (_ ("Being written"));
    case INTERP_CELL_WAITING:
      return g_strdup (_ ("Waits for you"));
    case INTERP_CELL_STARTING:
      return g_strdup (_ ("Starting"));
    case INTERP_CELL_RUNNING:
      return g_strdup_printf (_ ("Running, %s"), duration);
    case INTERP_CELL_DONE:
      return g_strdup_printf (_ ("Done in %s"), duration);
    case INTERP_CELL_FAILED:
      if (exit_code > 0 && !interp_cell_get_error_name (cell))
        return g_strdup_printf (_ ("Failed with status %d after %s"), exit_code, duration);
      return g_strdup_printf (_ ("Failed after %s"), duration);
    case INTERP_CELL_REFUSED:
      return g_strdup (_ ("Refused"));
    case INTERP_CELL_INTERRUPTED:
      return g_strdup_printf (_ ("Interrupted after %s"), duration);
    case INTERP_CELL_LOST:
      return g_strdup (_ ("Lost"));
    case INTERP_CELL_NOT_RUN:
    default:
      return g_strdup (_ ("Not run"));
    }
}

const char *
interp_cell_words_icon (InterpCellState state)
{
  switch (state)
    {
    case INTERP_CELL_WRITING:
    case INTERP_CELL_STARTING:
    case INTERP_CELL_RUNNING:
      return NULL;
    case INTERP_CELL_WAITING:
      return "interpreter-ask-symbolic";
    case INTERP_CELL_DONE:
      return "object-select-symbolic";
    case INTERP_CELL_FAILED:
      return "dialog-error-symbolic";
    case INTERP_CELL_REFUSED:
      return "action-unavailable-symbolic";
    case INTERP_CELL_INTERRUPTED:
      return "media-playback-stop-symbolic";
    case INTERP_CELL_LOST:
      return "dialog-warning-symbolic";
    case INTERP_CELL_NOT_RUN:
    default:
      return "media-playback-pause-symbolic";
    }
}

const char *
interp_cell_words_style (InterpCellState state)
{
  switch (state)
    {
    case INTERP_CELL_WAITING:
      return "waiting";
    case INTERP_CELL_FAILED:
    case INTERP_CELL_LOST:
      return "failed";
    case INTERP_CELL_WRITING:
    case INTERP_CELL_STARTING:
    case INTERP_CELL_RUNNING:
      return "running";
    case INTERP_CELL_DONE:
    case INTERP_CELL_REFUSED:
    case INTERP_CELL_INTERRUPTED:
    case INTERP_CELL_NOT_RUN:
    default:
      return "settled";
    }
}

char *
interp_cell_words_waiting (InterpCell *cell)
{
  g_return_val_if_fail (INTERP_IS_CELL (cell), NULL);

  switch (interp_cell_get_waiting (cell))
    {
    case INTERP_WAITING_INPUT:
      /* Translators: %s is a language, "Python" */
      return g_strdup_printf (_ ("%s waits for your input."), interp_cell_get_language (cell));
    case INTERP_WAITING_PASSWORD:
      return g_strdup (_ ("A password is asked for. What you type is not recorded."));
    case INTERP_WAITING_FULL_SCREEN:
      return g_strdup (_ ("A full-screen program is running."));
    case INTERP_WAITING_NO:
    default:
      return NULL;
    }
}
