/* interp-cell-view.c: one cell in the terminal: its code, what it prints, what became of it
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "interp-cell-view.h"

#include <glib-unix.h>
#include <glib/gi18n.h>
#include <string.h>
#include <unistd.h>

#include "base/interp-paths.h"
#include "base/interp-text.h"
#include "interp-code-printer.h"
#include "interp-prompt.h"
#include "interp-safe-lines.h"
#include "interp-status-row.h"

/* What a kernel printed before its cell's turn on the screen. */
#define HELD_MAX (1024 * 1024)

/* ---- a kernel's terminal ---- */

struct _InterpKernelTap
{
  InterpTty *tty;
  InterpKernel *kernel;
  InterpPtyView *view;
  InterpStatusRow *row; /* while a cell of it is shown running */
  GByteArray *held;
};

/* Kernel → its tap. There is one session a process. */
static GHashTable *taps;

static void
feed (const char *bytes, gsize length, gboolean replay, gpointer data)
{
  InterpKernelTap *self = data;

  /* What is old has been seen, or belongs to another time. */
  if (!replay)
    {
      if (self->row != NULL)
        interp_status_row_feed (self->row, bytes, length);
      else if (interp_kernel_get_run (self->kernel) != NULL)
        {
          if (self->held->len + length <= HELD_MAX)
            g_byte_array_append (self->held, (const guint8 *) bytes, length);
        }
      else
        {
          interp_prompt_hide ();
          interp_tty_write (self->tty, bytes, length);
          interp_prompt_show ();
        }
    }
  if (self->view != NULL)
    interp_pty_view_acknowledge (self->view);
}

InterpKernelTap *
interp_kernel_tap_new (InterpTty *tty, InterpKernel *kernel)
{
  InterpKernelTap *self = g_new0 (InterpKernelTap, 1);

  self->tty = tty;
  self->kernel = g_object_ref (kernel);
  self->held = g_byte_array_new ();
  self->view = interp_pty_attach (interp_kernel_get_pty (kernel), feed, self);
  interp_pty_view_acknowledge (self->view);
  if (taps == NULL)
    taps = g_hash_table_new (NULL, NULL);
  g_hash_table_insert (taps, kernel, self);
  return self;
}

void
interp_kernel_tap_free (InterpKernelTap *self)
{
  if (self == NULL)
    return;
  g_hash_table_remove (taps, self->kernel);
  interp_pty_view_detach (self->view);
  g_byte_array_unref (self->held);
  g_object_unref (self->kernel);
  g_free (self);
}

static void
show_run (InterpKernelTap *self, InterpStatusRow *row)
{
  int columns, rows;

  self->row = row;
  if (row == NULL)
    return;
  interp_status_row_get_size (row, &columns, &rows);
  interp_pty_view_claim (self->view, columns, rows);
  if (self->held->len > 0)
    interp_status_row_feed (row, (const char *) self->held->data, self->held->len);
  g_byte_array_set_size (self->held, 0);
}

/* ---- a cell ---- */

struct _InterpCellView
{
  InterpTty *tty;
  InterpSession *session;
  InterpCell *cell;
  guint number;
  gboolean mark_line;

  gboolean begun;
  InterpCodePrinter *printer;
  InterpKernelTap *tap; /* while it runs */
  InterpStatusRow *row;
  guint input_source;
};

InterpCellView *
interp_cell_view_new (InterpTty *tty, InterpSession *session, InterpCell *cell, guint number, gboolean mark_line)
{
  InterpCellView *self = g_new0 (InterpCellView, 1);

  self->tty = tty;
  self->session = session;
  self->cell = g_object_ref (cell);
  self->number = number;
  self->mark_line = mark_line;
  return self;
}

static void
end_run (InterpCellView *self)
{
  g_clear_handle_id (&self->input_source, g_source_remove);
  if (self->tap != NULL)
    show_run (self->tap, NULL);
  self->tap = NULL;
  g_clear_pointer (&self->row, interp_status_row_free);
  interp_tty_set_mode (self->tty, INTERP_TTY_QUIET);
}

void
interp_cell_view_free (InterpCellView *self)
{
  if (self == NULL)
    return;
  if (self->row != NULL)
    end_run (self);
  g_clear_pointer (&self->printer, interp_code_printer_free);
  g_object_unref (self->cell);
  g_free (self);
}

static const char *
spec_id (InterpKernelSpec *spec)
{
  return spec != NULL ? interp_kernel_spec_get_id (spec) : NULL;
}

void
interp_cell_view_print_code (InterpTty *tty, InterpKernelSpec *spec, const char *code)
{
  g_autoptr (InterpCodePrinter) printer = interp_code_printer_new (spec_id (spec), interp_tty_is_styled (tty));
  g_autofree char *text = interp_code_printer_update (printer, code, TRUE);

  interp_tty_start_line (tty);
  interp_tty_write (tty, text, -1);
}

static void
print_heading (InterpCellView *self)
{
  const char *language = interp_cell_get_language (self->cell);

  interp_tty_set_passing (self->tty, NULL);
  interp_tty_start_line (self->tty);
  interp_tty_write (self->tty, "\n", 1);
  interp_tty_print_styled (self->tty, "1;34", language != NULL && *language != '\0' ? language : _ ("Code"));
  interp_tty_write (self->tty, "\n", 1);
}

/* The code as far as it is written. */
static void
print_code (InterpCellView *self, gboolean whole)
{
  const char *code = interp_cell_get_code (self->cell);
  g_autofree char *text = NULL;

  if (code == NULL)
    return;
  if (self->printer != NULL && interp_code_printer_is_outdated (self->printer, code))
    {
      g_clear_pointer (&self->printer, interp_code_printer_free);
      interp_tty_print_styled (self->tty, "2", _ ("Changed:\n"));
    }
  if (self->printer == NULL)
    self->printer
        = interp_code_printer_new (spec_id (interp_cell_get_spec (self->cell)), interp_tty_is_styled (self->tty));
  text = interp_code_printer_update (self->printer, code, whole);
  interp_tty_write (self->tty, text, -1);
}

/* ---- running ---- */

static gboolean
on_typed (int fd, GIOCondition condition, gpointer data)
{
  InterpCellView *self = data;
  char bytes[4096];
  gssize n = read (fd, bytes, sizeof bytes);

  if (n <= 0)
    {
      self->input_source = 0;
      return G_SOURCE_REMOVE;
    }
  interp_pty_write (interp_kernel_get_pty (self->tap->kernel), bytes, n);
  return G_SOURCE_CONTINUE;
}

static void
begin_run (InterpCellView *self)
{
  const char *language = spec_id (interp_cell_get_spec (self->cell));
  InterpKernel *kernel = language != NULL ? interp_session_get_kernel (self->session, language) : NULL;

  self->row = interp_status_row_new (self->tty, self->mark_line);
  self->tap = kernel != NULL && taps != NULL ? g_hash_table_lookup (taps, kernel) : NULL;
  if (self->tap == NULL)
    return;
  show_run (self->tap, self->row);
  interp_tty_set_mode (self->tty, INTERP_TTY_FORWARD);
  self->input_source = g_unix_fd_add (STDIN_FILENO, G_IO_IN | G_IO_HUP | G_IO_ERR, on_typed, self);
}

static char *
dup_code_line (const char *code, int line)
{
  const char *start = code;

  for (int i = 1; i < line && start != NULL; i++)
    {
      start = strchr (start, '\n');
      start = start != NULL ? start + 1 : NULL;
    }
  return start != NULL ? g_strndup (start, strcspn (start, "\n")) : NULL;
}

static void
show_status (InterpCellView *self)
{
  int line = interp_cell_get_line (self->cell);
  g_autofree char *code = line > 0 ? dup_code_line (interp_cell_get_code (self->cell), line) : NULL;
  g_autofree char *text = NULL;

  switch (interp_cell_get_waiting (self->cell))
    {
    case INTERP_WAITING_INPUT:
      text = g_strdup_printf (_ ("%s waits for your input"), interp_cell_get_language (self->cell));
      break;
    case INTERP_WAITING_PASSWORD:
      text = g_strdup (_ ("A password is asked for; what you type is not recorded"));
      break;
    case INTERP_WAITING_NO:
    case INTERP_WAITING_FULL_SCREEN:
    default:
      if (code != NULL)
        text = g_strdup_printf (_ ("▶ line %d: %s"), line, g_strstrip (code));
      else
        text = g_strdup_printf (_ ("▶ %s runs; Ctrl+C stops it"), interp_cell_get_language (self->cell));
      break;
    }
  interp_status_row_set_text (self->row, text);
}

/* ---- what became of it ---- */

static void
print_displays (InterpCellView *self)
{
  GListModel *displays = interp_cell_get_displays (self->cell);
  guint n = displays != NULL ? g_list_model_get_n_items (displays) : 0;

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (InterpDisplay) display = g_list_model_get_item (displays, i);
      const char *text = interp_display_get_text (display);
      const char *path = interp_display_get_source (display);
      g_autofree char *shown = NULL;
      g_autofree char *line = NULL;

      if (path == NULL)
        path = interp_display_get_path (display);
      if (text != NULL && *text != '\0')
        {
          interp_tty_print_styled (self->tty, "0", text);
          interp_tty_start_line (self->tty);
        }
      if (path == NULL || g_str_has_prefix (interp_display_get_mime (display), "text/"))
        continue;
      shown = interp_paths_display (path);
      if (g_str_has_prefix (interp_display_get_mime (display), "image/"))
        line = g_strdup_printf (_ ("Picture: %s\n"), shown);
      else if (text == NULL || *text == '\0')
        line = g_strdup_printf (_ ("Result: %s\n"), shown);
      if (line != NULL)
        interp_tty_print_styled (self->tty, "36", line);
    }
}

/* Of a run that was not watched: output is no terminal, or it was in another process or time. */
static void
print_output (InterpCellView *self)
{
  g_autofree char *output = interp_cell_dup_output (self->cell, NULL);

  if (output == NULL || *output == '\0')
    return;
  interp_tty_print_styled (self->tty, "0", output);
  interp_tty_start_line (self->tty);
}

static char *
describe_end (InterpCellView *self, const char **style)
{
  const char *name = interp_cell_get_error_name (self->cell);
  const char *message = interp_cell_get_error_message (self->cell);
  const char *note = interp_cell_get_note (self->cell);
  g_autofree char *time = interp_text_format_duration (interp_item_get_duration (INTERP_ITEM (self->cell)));

  *style = "31";
  switch (interp_cell_get_cell_state (self->cell))
    {
    case INTERP_CELL_DONE:
      *style = "2";
      return g_strdup_printf (_ ("done in %s"), time);
    case INTERP_CELL_FAILED:
      if (interp_cell_get_error_line (self->cell) > 0 && name != NULL)
        return g_strdup_printf (_ ("failed in line %d: %s: %s"), interp_cell_get_error_line (self->cell), name,
                                message != NULL ? message : "");
      if (name != NULL)
        return g_strdup_printf (_ ("failed: %s: %s"), name, message != NULL ? message : "");
      if (note != NULL)
        return g_strdup_printf (_ ("failed: %s"), note);
      return g_strdup_printf (_ ("failed with exit status %d"), interp_cell_get_exit_code (self->cell));
    case INTERP_CELL_REFUSED:
      *style = "33";
      return g_strdup (interp_cell_get_approved_by (self->cell) == NULL && note != NULL ? note : _ ("refused"));
    case INTERP_CELL_INTERRUPTED:
      *style = "33";
      return g_strdup (_ ("interrupted"));
    case INTERP_CELL_LOST:
      return g_strdup_printf (_ ("lost: %s"), note != NULL ? note : _ ("the kernel ended"));
    case INTERP_CELL_NOT_RUN:
      *style = "33";
      if (interp_cell_is_runnable (self->cell))
        return g_strdup_printf (_ ("not run%s%s (%%run %u runs it)"), note != NULL ? ": " : "",
                                note != NULL ? note : "", self->number);
      if (interp_cell_is_only_shown (self->cell))
        return g_strdup_printf (_ ("not run: %s (%%run %u and a language runs it)"), note != NULL ? note : "",
                                self->number);
      return g_strdup_printf (_ ("not run%s%s"), note != NULL ? ": " : "", note != NULL ? note : "");
    case INTERP_CELL_WRITING:
    case INTERP_CELL_WAITING:
    case INTERP_CELL_STARTING:
    case INTERP_CELL_RUNNING:
    default:
      g_assert_not_reached ();
    }
}

static void
print_end (InterpCellView *self, gboolean watched)
{
  const char *style = NULL;
  g_autofree char *end = describe_end (self, &style);
  g_autofree char *line = g_strconcat (end, "\n", NULL);
  g_autofree char *blocked = interp_safe_lines_describe_blocked (self->cell);

  interp_tty_start_line (self->tty);
  if (!watched)
    print_output (self);
  print_displays (self);
  interp_tty_print_styled (self->tty, style, line);
  if (blocked != NULL)
    interp_tty_print_styled (self->tty, "33", blocked);
}

gboolean
interp_cell_view_update (InterpCellView *self)
{
  InterpCellState state = interp_cell_get_cell_state (self->cell);
  gboolean watched = self->tap != NULL;

  if (!self->begun)
    {
      /* Its language comes a little later. */
      if (state == INTERP_CELL_WRITING && *interp_cell_get_language (self->cell) == '\0')
        return FALSE;
      print_heading (self);
      self->begun = TRUE;
    }
  if (self->row == NULL)
    print_code (self, state != INTERP_CELL_WRITING);

  switch (state)
    {
    case INTERP_CELL_WRITING:
    case INTERP_CELL_WAITING:
      return FALSE;
    case INTERP_CELL_STARTING:
    case INTERP_CELL_RUNNING:
      if (self->row == NULL)
        begin_run (self);
      if (state == INTERP_CELL_RUNNING)
        show_status (self);
      return FALSE;
    case INTERP_CELL_DONE:
    case INTERP_CELL_FAILED:
    case INTERP_CELL_REFUSED:
    case INTERP_CELL_INTERRUPTED:
    case INTERP_CELL_LOST:
    case INTERP_CELL_NOT_RUN:
    default:
      if (self->row != NULL)
        end_run (self);
      print_end (self, watched);
      return TRUE;
    }
}

gboolean
interp_cell_view_is_waiting (InterpCellView *self)
{
  return self->begun && interp_cell_get_cell_state (self->cell) == INTERP_CELL_WAITING;
}

void
interp_cell_view_resize (InterpCellView *self)
{
  if (self->row == NULL)
    return;
  interp_status_row_resize (self->row);
  if (self->tap != NULL)
    show_run (self->tap, self->row);
}
