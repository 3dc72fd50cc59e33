/* interp-terminal-screen.c: the last lines of a terminal, still open to change
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "base/interp-terminal-screen.h"

#include <string.h>

/* Rows kept open: more than any terminal is high, since the cursor can be moved up as far as that. */
#define MAX_ROWS 1024
/* A longer line is broken: a text view would choke on it. */
#define MAX_COLUMNS 32768
/* How far a sequence moves the cursor to the right, or repeats: a few bytes must not become pages of blanks. */
#define MAX_JUMP 320
/* Rows wider than any screen are not shifted: each sequence would move all of their cells. */
#define MAX_SHIFT 1024

#define WIDE_TAIL 0xff

/* One column. The right half of a wide character has length WIDE_TAIL. */
typedef struct
{
  InterpTerminalStyle style;
  guint8 length;
  char text[15]; /* a character with its combining marks, as far as they fit */
} Cell;

/* From @start to the next run's. */
typedef struct
{
  int start;
  InterpTerminalStyle style;
} Run;

/* Either ASCII, a byte a column, in runs of one style, which most output is; or cells. */
typedef struct
{
  GString *plain;
  GArray *runs; /* Run, no two neighbours in one style; before the first is the default style. Nullable */
  GArray *cells;
  gboolean has_cells;
  gboolean edited; /* written over: blanks at its end are what erasing left */
} Row;

struct _InterpTerminalScreen
{
  GPtrArray *rows; /* Row */
  Row *spare;
  int n_screen_rows;
  int row; /* the cursor: an index into rows, which may be behind the last */
  int column;
  InterpTerminalStyle style;
  int region_top; /* of the screen */
  int region_bottom;
  int saved_row; /* of the screen */
  int saved_column;
  InterpTerminalStyle saved_style;
  gunichar last; /* for repeating */
};

static const InterpTerminalStyle plain_style;

static gboolean
same_style (const InterpTerminalStyle *a, const InterpTerminalStyle *b)
{
  return a->flags == b->flags && a->foreground == b->foreground && a->background == b->background;
}

InterpTerminalLines *
interp_terminal_lines_new (void)
{
  InterpTerminalLines *self = g_new0 (InterpTerminalLines, 1);

  self->text = g_string_new (NULL);
  self->starts = g_array_new (FALSE, FALSE, sizeof (gsize));
  self->spans = g_array_new (FALSE, FALSE, sizeof (InterpTextSpan));
  return self;
}

void
interp_terminal_lines_free (InterpTerminalLines *self)
{
  if (self == NULL)
    return;
  g_string_free (self->text, TRUE);
  g_array_unref (self->starts);
  g_array_unref (self->spans);
  g_free (self);
}

void
interp_terminal_lines_clear (InterpTerminalLines *self)
{
  g_string_truncate (self->text, 0);
  g_array_set_size (self->starts, 0);
  g_array_set_size (self->spans, 0);
}

void
interp_terminal_lines_append_to (InterpTerminalLines *self, guint first, GString *text, GArray *spans)
{
  gsize start;
  gsize base = text->len;

  if (first >= self->starts->len)
    return;
  start = g_array_index (self->starts, gsize, first);
  g_string_append_len (text, self->text->str + start, self->text->len - start);

  for (guint i = 0; spans != NULL && i < self->spans->len; i++)
    {
      InterpTextSpan span = g_array_index (self->spans, InterpTextSpan, i);

      if (span.start < start)
        continue;
      span.start = span.start - start + base;
      span.end = span.end - start + base;
      g_array_append_val (spans, span);
    }
}

static guint
row_n_runs (const Row *row)
{
  return row->runs != NULL ? row->runs->len : 0;
}

static Row *
row_new (InterpTerminalScreen *self)
{
  Row *row = g_steal_pointer (&self->spare);

  if (row == NULL)
    {
      row = g_new0 (Row, 1);
      row->plain = g_string_new (NULL);
    }
  return row;
}

static void
row_clear (Row *row)
{
  g_string_truncate (row->plain, 0);
  if (row->runs != NULL)
    g_array_set_size (row->runs, 0);
  if (row->cells != NULL)
    g_array_set_size (row->cells, 0);
  row->has_cells = FALSE;
  row->edited = FALSE;
}

static void
row_free (gpointer data)
{
  Row *row = data;

  g_string_free (row->plain, TRUE);
  g_clear_pointer (&row->runs, g_array_unref);
  g_clear_pointer (&row->cells, g_array_unref);
  g_free (row);
}

/* Keeps one row with its memory for the next. */
static void
row_recycle (InterpTerminalScreen *self, Row *row)
{
  if (self->spare != NULL || row->plain->allocated_len > 4096 || row->cells != NULL)
    row_free (row);
  else
    {
      row_clear (row);
      self->spare = row;
    }
}

static int
row_length (Row *row)
{
  return row->has_cells ? row->cells->len : row->plain->len;
}

static Cell *
row_cell (Row *row, int column)
{
  return &g_array_index (row->cells, Cell, column);
}

/* The style of the last column that is ASCII, or the default. */
static const InterpTerminalStyle *
row_last_style (const Row *row)
{
  guint n = row_n_runs (row);

  return n > 0 ? &g_array_index (row->runs, Run, n - 1).style : &plain_style;
}

/* What is appended from now on is in @style. */
static void
row_begin_run (Row *row, const InterpTerminalStyle *style)
{
  Run run = { row->plain->len, *style };

  if (same_style (row_last_style (row), style))
    return;
  if (row->runs == NULL)
    row->runs = g_array_new (FALSE, FALSE, sizeof (Run));
  g_array_append_val (row->runs, run);
}

static void
row_make_cells (Row *row)
{
  InterpTerminalStyle style = plain_style;
  guint next = 0;

  if (row->has_cells)
    return;
  if (row->cells == NULL)
    row->cells = g_array_new (FALSE, TRUE, sizeof (Cell));
  g_array_set_size (row->cells, row->plain->len);
  for (gsize i = 0; i < row->plain->len; i++)
    {
      if (next < row_n_runs (row) && g_array_index (row->runs, Run, next).start == (int) i)
        style = g_array_index (row->runs, Run, next++).style;
      *row_cell (row, i) = (Cell) { style, 1, { row->plain->str[i] } };
    }
  g_string_truncate (row->plain, 0);
  if (row->runs != NULL)
    g_array_set_size (row->runs, 0);
  row->has_cells = TRUE;
}

static void
cell_blank (Cell *cell)
{
  *cell = (Cell) { plain_style, 1, { ' ' } };
}

/* Blanks up to @column, which the cursor has been moved to. */
static void
row_pad (Row *row, int column)
{
  int length = row_length (row);

  if (length >= column)
    return;
  if (!row->has_cells)
    {
      row_begin_run (row, &plain_style);
      for (; length < column; length++)
        g_string_append_c (row->plain, ' ');
      return;
    }
  g_array_set_size (row->cells, column);
  for (; length < column; length++)
    cell_blank (row_cell (row, length));
}

static void
row_truncate (Row *row, int column)
{
  if (column >= row_length (row))
    return;
  row->edited = TRUE;
  if (!row->has_cells)
    {
      guint n = row_n_runs (row);

      while (n > 0 && g_array_index (row->runs, Run, n - 1).start >= column)
        n--;
      if (row->runs != NULL)
        g_array_set_size (row->runs, n);
      g_string_truncate (row->plain, column);
      return;
    }
  /* Half of a wide character cannot stay. */
  if (row_cell (row, column)->length == WIDE_TAIL)
    cell_blank (row_cell (row, column - 1));
  g_array_set_size (row->cells, column);
}

/* Before the cells from @start to @end are replaced: what they cut wide characters to becomes blank. */
static void
row_split_wide (Row *row, int start, int end)
{
  int length = row->cells->len;

  if (start > 0 && start < length && row_cell (row, start)->length == WIDE_TAIL)
    cell_blank (row_cell (row, start - 1));
  if (end < length && row_cell (row, end)->length == WIDE_TAIL)
    cell_blank (row_cell (row, end));
}

static void
row_blank (Row *row, int start, int end)
{
  end = MIN (end, row_length (row));
  if (start >= end)
    return;
  row->edited = TRUE;
  if (row_n_runs (row) > 0)
    row_make_cells (row);
  if (!row->has_cells)
    {
      memset (row->plain->str + start, ' ', end - start);
      return;
    }
  row_split_wide (row, start, end);
  for (int i = start; i < end; i++)
    cell_blank (row_cell (row, i));
}

static gboolean
is_blank_cell (const Cell *cell)
{
  return cell->length == 1 && cell->text[0] == ' ' && same_style (&cell->style, &plain_style);
}

/* How many columns are text. */
static int
row_trimmed_length (Row *row)
{
  int length = row_length (row);

  if (row->edited && row->has_cells)
    while (length > 0 && is_blank_cell (row_cell (row, length - 1)))
      length--;
  else if (row->edited && same_style (row_last_style (row), &plain_style))
    {
      guint n = row_n_runs (row);
      int start = n > 0 ? g_array_index (row->runs, Run, n - 1).start : 0;

      while (length > start && row->plain->str[length - 1] == ' ')
        length--;
    }
  return length;
}

static void
row_append_span (const InterpTerminalStyle *style, gsize start, gsize end, GArray *spans)
{
  InterpTextSpan span = { start, end, style->flags, style->foreground - 1, style->background - 1 };

  g_array_append_val (spans, span);
}

static void
row_append_to (Row *row, GString *text, GArray *spans)
{
  int length = row_trimmed_length (row);
  InterpTerminalStyle style = plain_style;
  gsize start = text->len;

  if (!row->has_cells)
    {
      guint n = spans != NULL ? row_n_runs (row) : 0;

      g_string_append_len (text, row->plain->str, length);
      for (guint i = 0; i < n; i++)
        {
          const Run *run = &g_array_index (row->runs, Run, i);
          int end = i + 1 < n ? g_array_index (row->runs, Run, i + 1).start : length;

          if (!same_style (&run->style, &plain_style))
            row_append_span (&run->style, start + run->start, start + end, spans);
        }
      return;
    }

  for (int i = 0; i <= length; i++)
    {
      const Cell *cell = i < length ? row_cell (row, i) : NULL;

      if (cell != NULL && cell->length == WIDE_TAIL)
        continue;
      if (cell == NULL || !same_style (&cell->style, &style))
        {
          if (spans != NULL && !same_style (&style, &plain_style) && text->len > start)
            row_append_span (&style, start, text->len, spans);
          start = text->len;
          style = cell != NULL ? cell->style : plain_style;
        }
      if (cell != NULL)
        g_string_append_len (text, cell->text, cell->length);
    }
}

InterpTerminalScreen *
interp_terminal_screen_new (void)
{
  InterpTerminalScreen *self = g_new0 (InterpTerminalScreen, 1);

  self->rows = g_ptr_array_new_with_free_func (row_free);
  interp_terminal_screen_set_rows (self, 30);
  return self;
}

void
interp_terminal_screen_free (InterpTerminalScreen *self)
{
  g_ptr_array_unref (self->rows);
  g_clear_pointer (&self->spare, row_free);
  g_free (self);
}

void
interp_terminal_screen_set_rows (InterpTerminalScreen *self, guint rows)
{
  self->n_screen_rows = CLAMP (rows, 1, MAX_ROWS / 2);
  self->region_top = 0;
  self->region_bottom = self->n_screen_rows - 1;
}

/* The index of the screen's first row. */
static int
screen_top (InterpTerminalScreen *self)
{
  int last = MAX ((int) self->rows->len, self->row + 1);

  return MAX (0, last - self->n_screen_rows);
}

/* The cursor's row, made when it is behind the last. */
static Row *
cursor_row (InterpTerminalScreen *self)
{
  while ((int) self->rows->len <= self->row)
    g_ptr_array_add (self->rows, row_new (self));
  return g_ptr_array_index (self->rows, self->row);
}

/* The cursor's row if it is there. */
static Row *
existing_row (InterpTerminalScreen *self)
{
  return self->row < (int) self->rows->len ? g_ptr_array_index (self->rows, self->row) : NULL;
}

guint
interp_terminal_screen_take_finished (InterpTerminalScreen *self, InterpTerminalLines *lines)
{
  guint n;

  if (self->rows->len <= MAX_ROWS)
    return 0;
  /* Half at once: moving the pointers up then costs nothing a line. */
  n = MIN ((int) (self->rows->len - MAX_ROWS / 2), screen_top (self));
  n = MIN ((int) n, self->row);
  for (guint i = 0; i < n; i++)
    {
      gsize start = lines->text->len;

      g_array_append_val (lines->starts, start);
      row_append_to (g_ptr_array_index (self->rows, i), lines->text, lines->spans);
      g_string_append_c (lines->text, '\n');
    }
  if (n > 0)
    g_ptr_array_remove_range (self->rows, 0, n);
  self->row -= n;
  return n;
}

InterpTerminalStyle *
interp_terminal_screen_style (InterpTerminalScreen *self)
{
  return &self->style;
}

/* ---- writing ---- */

static void
put_cell (InterpTerminalScreen *self, const Cell *cell, int width)
{
  Row *row = cursor_row (self);

  if (self->column + width > MAX_COLUMNS)
    {
      interp_terminal_screen_newline (self);
      self->column = 0;
      row = cursor_row (self);
    }
  row_make_cells (row);
  row_pad (row, self->column);
  if (self->column < (int) row->cells->len)
    {
      row->edited = TRUE;
      row_split_wide (row, self->column, self->column + width);
    }
  if ((int) row->cells->len < self->column + width)
    g_array_set_size (row->cells, self->column + width);
  *row_cell (row, self->column) = *cell;
  if (width == 2)
    *row_cell (row, self->column + 1) = (Cell) { cell->style, WIDE_TAIL, { 0 } };
  self->column += width;
}

static void
put_ascii_cells (Row *row, int column, const InterpTerminalStyle *style, const char *bytes, gsize length)
{
  int end = column + (int) length;

  row_make_cells (row);
  row_pad (row, column);
  if (column < (int) row->cells->len)
    {
      row->edited = TRUE;
      row_split_wide (row, column, end);
    }
  if ((int) row->cells->len < end)
    g_array_set_size (row->cells, end);
  for (gsize i = 0; i < length; i++)
    *row_cell (row, column + i) = (Cell) { *style, 1, { bytes[i] } };
}

void
interp_terminal_screen_put_ascii (InterpTerminalScreen *self, const char *bytes, gsize length)
{
  while (length > 0)
    {
      Row *row = cursor_row (self);
      gsize room = MAX_COLUMNS - MIN (self->column, MAX_COLUMNS);
      gsize piece = MIN (length, room);

      if (piece == 0)
        {
          interp_terminal_screen_newline (self);
          self->column = 0;
          continue;
        }
      if (!row->has_cells && self->column >= (int) row->plain->len)
        {
          row_pad (row, self->column);
          row_begin_run (row, &self->style);
          g_string_append_len (row->plain, bytes, piece);
        }
      else if (!row->has_cells && row_n_runs (row) == 0 && same_style (&self->style, &plain_style))
        {
          gsize over = MIN (piece, row->plain->len - self->column);

          row->edited = TRUE;
          memcpy (row->plain->str + self->column, bytes, over);
          g_string_append_len (row->plain, bytes + over, piece - over);
        }
      else
        put_ascii_cells (row, self->column, &self->style, bytes, piece);
      self->column += piece;
      self->last = bytes[piece - 1];
      bytes += piece;
      length -= piece;
    }
}

void
interp_terminal_screen_put (InterpTerminalScreen *self, gunichar c)
{
  Cell cell = { self->style, 0, { 0 } };

  if (g_unichar_iszerowidth (c))
    {
      Row *row = existing_row (self);
      int column = self->column - 1;
      char text[6];
      int length = g_unichar_to_utf8 (c, text);
      Cell *before;

      if (row == NULL || column < 0 || column >= row_length (row))
        return;
      row_make_cells (row);
      before = row_cell (row, column);
      if (before->length == WIDE_TAIL && column > 0)
        before = row_cell (row, column - 1);
      if (before->length != WIDE_TAIL && before->length + length <= (int) sizeof (before->text))
        {
          memcpy (before->text + before->length, text, length);
          before->length += length;
        }
      return;
    }

  cell.length = g_unichar_to_utf8 (c, cell.text);
  put_cell (self, &cell, g_unichar_iswide (c) ? 2 : 1);
  self->last = c;
}

void
interp_terminal_screen_repeat (InterpTerminalScreen *self, guint count)
{
  gunichar last = self->last;

  for (guint i = 0; last != 0 && i < MIN (count, MAX_JUMP); i++)
    interp_terminal_screen_put (self, last);
}

/* Moves the rows of the region up by one: what leaves the top of a whole screen stays above it. */
static void
scroll_region_up (InterpTerminalScreen *self, int top, int bottom)
{
  int first = screen_top (self) + top;
  int last = screen_top (self) + bottom;

  cursor_row (self);
  if (first >= (int) self->rows->len)
    return;
  row_recycle (self, g_ptr_array_steal_index (self->rows, first));
  if (last <= (int) self->rows->len)
    g_ptr_array_insert (self->rows, last, row_new (self));
}

void
interp_terminal_screen_newline (InterpTerminalScreen *self)
{
  int top = screen_top (self);

  cursor_row (self);
  if ((self->region_top > 0 || self->region_bottom < self->n_screen_rows - 1) && self->row == top + self->region_bottom)
    {
      scroll_region_up (self, self->region_top, self->region_bottom);
      return;
    }
  self->row++;
}

void
interp_terminal_screen_reverse_index (InterpTerminalScreen *self)
{
  int top = screen_top (self);

  if (self->row > top + self->region_top)
    self->row--;
  else
    interp_terminal_screen_insert_lines (self, 1);
}

void
interp_terminal_screen_tab (InterpTerminalScreen *self, int count)
{
  for (int i = 0; i < MIN (ABS (count), MAX_JUMP / 8); i++)
    self->column = count > 0 ? (self->column / 8 + 1) * 8 : MAX (0, (self->column - 1) / 8 * 8);
  self->column = MIN (self->column, MAX_COLUMNS);
  if (count > 0)
    row_pad (cursor_row (self), self->column);
}

/* ---- the cursor ---- */

void
interp_terminal_screen_move (InterpTerminalScreen *self, int rows, int columns)
{
  int top = screen_top (self);

  rows = CLAMP (rows, -MAX_ROWS, MAX_ROWS);
  columns = CLAMP (columns, -MAX_COLUMNS, MAX_JUMP);
  self->row = CLAMP (self->row + rows, top, top + self->n_screen_rows - 1);
  self->column = CLAMP (self->column + columns, 0, MAX_COLUMNS - 1);
}

void
interp_terminal_screen_move_to_column (InterpTerminalScreen *self, int column)
{
  self->column = CLAMP (column, 0, MAX (MAX_JUMP, self->column));
}

void
interp_terminal_screen_move_to_row (InterpTerminalScreen *self, int row)
{
  self->row = screen_top (self) + CLAMP (row, 0, self->n_screen_rows - 1);
}

void
interp_terminal_screen_save (InterpTerminalScreen *self)
{
  self->saved_row = self->row - screen_top (self);
  self->saved_column = self->column;
  self->saved_style = self->style;
}

void
interp_terminal_screen_restore (InterpTerminalScreen *self)
{
  interp_terminal_screen_move_to_row (self, self->saved_row);
  self->column = self->saved_column;
  self->style = self->saved_style;
}

void
interp_terminal_screen_set_region (InterpTerminalScreen *self, int top, int bottom)
{
  if (top < 0 || bottom >= self->n_screen_rows || bottom <= top)
    {
      top = 0;
      bottom = self->n_screen_rows - 1;
    }
  self->region_top = top;
  self->region_bottom = bottom;
  interp_terminal_screen_move_to_row (self, 0);
  self->column = 0;
}

/* ---- erasing and shifting ---- */

void
interp_terminal_screen_erase_line (InterpTerminalScreen *self, int what)
{
  Row *row = existing_row (self);

  if (row == NULL)
    return;
  if (what == 0)
    row_truncate (row, self->column);
  else if (what == 1)
    row_blank (row, 0, self->column + 1);
  else
    row_truncate (row, 0);
}

void
interp_terminal_screen_erase_display (InterpTerminalScreen *self, int what)
{
  int top = screen_top (self);

  if (what == 0 || what == 2)
    {
      int first = what == 0 ? self->row + 1 : top;

      if (what == 0)
        interp_terminal_screen_erase_line (self, 0);
      for (int i = first; i < (int) self->rows->len; i++)
        row_truncate (g_ptr_array_index (self->rows, i), 0);
      /* Rows behind the cursor that hold nothing any more were never text. */
      if ((int) self->rows->len > MAX (first, self->row + 1))
        g_ptr_array_set_size (self->rows, MAX (first, self->row + 1));
    }
  else if (what == 1)
    {
      for (int i = top; i < MIN (self->row, (int) self->rows->len); i++)
        row_truncate (g_ptr_array_index (self->rows, i), 0);
      interp_terminal_screen_erase_line (self, 1);
    }
}

void
interp_terminal_screen_erase_characters (InterpTerminalScreen *self, guint count)
{
  Row *row = existing_row (self);

  if (row != NULL)
    row_blank (row, self->column, self->column + MIN (count, MAX_COLUMNS));
}

void
interp_terminal_screen_forget_above (InterpTerminalScreen *self)
{
  int top = screen_top (self);

  if (top > 0)
    g_ptr_array_remove_range (self->rows, 0, MIN (top, (int) self->rows->len));
  self->row -= top;
}

void
interp_terminal_screen_insert_characters (InterpTerminalScreen *self, guint count)
{
  Row *row = existing_row (self);
  Cell blank;

  if (row == NULL || self->column >= row_length (row) || row_length (row) > MAX_SHIFT)
    return;
  row_make_cells (row);
  row_split_wide (row, self->column, self->column);
  cell_blank (&blank);
  for (guint i = 0; i < MIN (count, MAX_JUMP); i++)
    g_array_insert_val (row->cells, self->column, blank);
  row->edited = TRUE;
}

void
interp_terminal_screen_delete_characters (InterpTerminalScreen *self, guint count)
{
  Row *row = existing_row (self);
  int length = row != NULL ? row_length (row) : 0;

  if (row == NULL || self->column >= length || length > MAX_SHIFT)
    return;
  count = MIN ((int) count, length - self->column);
  row->edited = TRUE;
  if (row_n_runs (row) > 0)
    row_make_cells (row);
  if (!row->has_cells)
    {
      g_string_erase (row->plain, self->column, count);
      return;
    }
  row_split_wide (row, self->column, self->column + count);
  g_array_remove_range (row->cells, self->column, count);
}

void
interp_terminal_screen_insert_lines (InterpTerminalScreen *self, guint count)
{
  int bottom = screen_top (self) + self->region_bottom;

  cursor_row (self);
  for (guint i = 0; i < MIN (count, (guint) self->n_screen_rows); i++)
    {
      if (bottom < (int) self->rows->len)
        row_recycle (self, g_ptr_array_steal_index (self->rows, bottom));
      g_ptr_array_insert (self->rows, self->row, row_new (self));
    }
}

void
interp_terminal_screen_delete_lines (InterpTerminalScreen *self, guint count)
{
  int bottom = screen_top (self) + self->region_bottom;

  for (guint i = 0; i < MIN (count, (guint) self->n_screen_rows) && self->row < (int) self->rows->len; i++)
    {
      row_recycle (self, g_ptr_array_steal_index (self->rows, self->row));
      if (bottom <= (int) self->rows->len && bottom > self->row)
        g_ptr_array_insert (self->rows, bottom, row_new (self));
    }
}

/* ---- reading ---- */

guint
interp_terminal_screen_get_n_lines (InterpTerminalScreen *self)
{
  guint n = self->rows->len;

  /* Rows at the end that nothing stands on are where the cursor went, not lines. */
  while (n > 0 && row_trimmed_length (g_ptr_array_index (self->rows, n - 1)) == 0 && (int) n > self->row)
    n--;
  return n;
}

void
interp_terminal_screen_append_to (InterpTerminalScreen *self, GString *text, GArray *spans)
{
  guint n = interp_terminal_screen_get_n_lines (self);

  for (guint i = 0; i < n; i++)
    {
      row_append_to (g_ptr_array_index (self->rows, i), text, spans);
      if (i + 1 < n || (int) n <= self->row)
        g_string_append_c (text, '\n');
    }
}
