/* interp-markdown-view.c: an answer as widgets, one a block
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "transcript/interp-markdown-view.h"

#include <glib/gi18n.h>

#include "transcript/interp-code-block.h"
#include "transcript/interp-markdown.h"
#include "transcript/interp-picture-view.h"
#include "transcript/interp-prose.h"

/* Larger tables are cut: each cell is a label. */
#define MAX_TABLE_CELLS 3000
#define TABLE_CELL_CHARS 48

struct _InterpMarkdownView
{
  AdwBin parent_instance;

  GtkWidget *box;
  InterpMarkdown *markdown;
  char *folder;
  guint n_shown_settled; /* widgets of settled blocks: equal for good */
};

G_DEFINE_FINAL_TYPE (InterpMarkdownView, interp_markdown_view, ADW_TYPE_BIN)

static void sync_blocks (InterpMarkdownView *self, GtkWidget *box, GPtrArray *blocks, guint from);
static GtkWidget *make_widget (InterpMarkdownView *self, InterpBlock *block);

/* ---- the block that a widget shows ---- */

static GQuark
block_quark (void)
{
  return g_quark_from_static_string ("interp-block");
}

static InterpBlock *
get_block (GtkWidget *widget)
{
  return g_object_get_qdata (G_OBJECT (widget), block_quark ());
}

static void
set_block (GtkWidget *widget, InterpBlock *block)
{
  g_object_set_qdata_full (G_OBJECT (widget), block_quark (), interp_block_ref (block),
                           (GDestroyNotify) interp_block_unref);
}

/* ---- prose ---- */

static char *
local_picture_path (InterpMarkdownView *self, const char *target)
{
  g_autofree char *scheme = NULL;

  if (!target || !*target)
    return NULL;
  scheme = g_uri_parse_scheme (target);
  if (scheme)
    return g_str_equal (scheme, "file") ? g_filename_from_uri (target, NULL, NULL) : NULL;
  if (g_path_is_absolute (target))
    return g_strdup (target);
  return self->folder ? g_build_filename (self->folder, target, NULL) : NULL;
}

static gboolean
has_pictures (const InterpBlock *block)
{
  for (guint i = 0; block->inlines && i < block->inlines->len; i++)
    if (((InterpInline *) g_ptr_array_index (block->inlines, i))->flags & INTERP_INLINE_IMAGE)
      return TRUE;
  return FALSE;
}

static gboolean
has_words (const InterpBlock *block)
{
  for (guint i = 0; block->inlines && i < block->inlines->len; i++)
    {
      const InterpInline *run = g_ptr_array_index (block->inlines, i);

      if (!(run->flags & INTERP_INLINE_IMAGE) && *run->text)
        return TRUE;
    }
  return FALSE;
}

static GtkWidget *
make_paragraph_with_pictures (InterpMarkdownView *self, InterpBlock *block)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);

  if (has_words (block))
    {
      GtkWidget *label = interp_prose_label_new (GTK_ACCESSIBLE_ROLE_PARAGRAPH);

      interp_prose_label_set_inlines (GTK_LABEL (label), block->inlines);
      gtk_box_append (GTK_BOX (box), label);
    }
  for (guint i = 0; i < block->inlines->len; i++)
    {
      const InterpInline *run = g_ptr_array_index (block->inlines, i);
      g_autofree char *path = NULL;

      if (!(run->flags & INTERP_INLINE_IMAGE))
        continue;
      path = local_picture_path (self, run->target);
      if (path && g_file_test (path, G_FILE_TEST_IS_REGULAR))
        gtk_box_append (GTK_BOX (box), interp_picture_view_new_for_path (path, run->text));
      else
        {
          /* Pictures from the network are not fetched: that would tell their server who reads. */
          g_autofree char *words = g_strdup_printf (_ ("Picture: %s"), *run->text ? run->text : run->target);
          GtkWidget *label = interp_prose_label_new (GTK_ACCESSIBLE_ROLE_LABEL);

          interp_prose_label_set_text (GTK_LABEL (label), words);
          gtk_widget_set_tooltip_text (label, run->target);
          gtk_widget_add_css_class (label, "dimmed");
          gtk_box_append (GTK_BOX (box), label);
        }
    }
  return box;
}

static GtkWidget *
make_prose (InterpMarkdownView *self, InterpBlock *block)
{
  static const char *const classes[] = { "title-2", "title-3", "title-4", "heading", "heading", "heading" };
  GtkWidget *label;

  if (has_pictures (block))
    return make_paragraph_with_pictures (self, block);

  if (block->kind == INTERP_BLOCK_HEADING)
    {
      label = interp_prose_label_new (GTK_ACCESSIBLE_ROLE_HEADING);
      gtk_accessible_update_property (GTK_ACCESSIBLE (label), GTK_ACCESSIBLE_PROPERTY_LEVEL, (int) block->level, -1);
      gtk_widget_add_css_class (label, classes[CLAMP (block->level, 1, 6) - 1]);
    }
  else
    label = interp_prose_label_new (GTK_ACCESSIBLE_ROLE_PARAGRAPH);
  interp_prose_label_set_inlines (GTK_LABEL (label), block->inlines);
  return label;
}

/* ---- lists ---- */

static guint
marker_width (const InterpBlock *list)
{
  guint last = list->start + (list->children ? list->children->len : 1);
  guint digits = 1;

  for (; last >= 10; last /= 10)
    digits++;
  return digits + 1;
}

static GtkWidget *
make_item (InterpMarkdownView *self, const InterpBlock *list, guint index, InterpBlock *item)
{
  GtkWidget *row = g_object_new (GTK_TYPE_BOX, "accessible-role", GTK_ACCESSIBLE_ROLE_LIST_ITEM, "spacing", 6, NULL);
  GtkWidget *content = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  GtkWidget *marker;

  if (item->task != INTERP_TASK_NONE)
    {
      gboolean done = item->task == INTERP_TASK_DONE;

      marker = gtk_image_new_from_icon_name (done ? "checkbox-checked-symbolic" : "checkbox-symbolic");
      gtk_accessible_update_property (GTK_ACCESSIBLE (marker), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                      done ? _ ("Done") : _ ("Not done"), -1);
    }
  else if (list->ordered)
    {
      g_autofree char *number = g_strdup_printf ("%u.", list->start + index);

      marker = gtk_label_new (number);
      gtk_label_set_width_chars (GTK_LABEL (marker), (int) marker_width (list));
      gtk_label_set_xalign (GTK_LABEL (marker), 1);
      gtk_widget_add_css_class (marker, "numeric");
    }
  else
    {
      marker = gtk_label_new ("•");
      gtk_label_set_width_chars (GTK_LABEL (marker), 2);
      gtk_label_set_xalign (GTK_LABEL (marker), 1);
    }
  gtk_widget_set_valign (marker, GTK_ALIGN_START);
  gtk_widget_add_css_class (marker, "list-marker");
  gtk_widget_set_hexpand (content, TRUE);
  gtk_box_append (GTK_BOX (row), marker);
  gtk_box_append (GTK_BOX (row), content);
  if (item->children)
    sync_blocks (self, content, item->children, 0);
  return row;
}

static void
sync_list (InterpMarkdownView *self, GtkWidget *box, InterpBlock *list)
{
  GtkWidget *row = gtk_widget_get_first_child (box);

  for (guint i = 0; list->children && i < list->children->len; i++)
    {
      InterpBlock *item = g_ptr_array_index (list->children, i);
      GtkWidget *next = row ? gtk_widget_get_next_sibling (row) : NULL;
      InterpBlock *shown = row ? get_block (row) : NULL;

      if (!shown || shown->task != item->task)
        {
          GtkWidget *made = make_item (self, list, i, item);

          set_block (made, item);
          gtk_box_insert_child_after (GTK_BOX (box), made,
                                      row ? gtk_widget_get_prev_sibling (row) : gtk_widget_get_last_child (box));
          if (row)
            gtk_box_remove (GTK_BOX (box), row);
        }
      else if (!interp_block_equal (shown, item))
        {
          if (item->children)
            sync_blocks (self, gtk_widget_get_last_child (row), item->children, 0);
          set_block (row, item);
        }
      row = next;
    }
  while (row)
    {
      GtkWidget *next = gtk_widget_get_next_sibling (row);

      gtk_box_remove (GTK_BOX (box), row);
      row = next;
    }
}

/* ---- tables ---- */

static GtkWidget *
make_table_cell (const InterpBlock *cell, gboolean header)
{
  GtkWidget *label = interp_prose_label_new (header ? GTK_ACCESSIBLE_ROLE_COLUMN_HEADER : GTK_ACCESSIBLE_ROLE_CELL);
  float x = cell->align == INTERP_ALIGN_END ? 1.0f : cell->align == INTERP_ALIGN_CENTER ? 0.5f : 0.0f;

  interp_prose_label_set_inlines (GTK_LABEL (label), cell->inlines);
  gtk_label_set_xalign (GTK_LABEL (label), x);
  /* Short cells keep one line; long ones wrap at a fixed width, which a scrolling table needs to know its
   * height. */
  if (g_utf8_strlen (gtk_label_get_text (GTK_LABEL (label)), -1) > TABLE_CELL_CHARS)
    {
      gtk_label_set_width_chars (GTK_LABEL (label), TABLE_CELL_CHARS);
      gtk_label_set_max_width_chars (GTK_LABEL (label), TABLE_CELL_CHARS);
    }
  else
    gtk_label_set_wrap (GTK_LABEL (label), FALSE);
  gtk_widget_set_valign (label, GTK_ALIGN_START);
  gtk_widget_add_css_class (label, "table-cell");
  if (header)
    gtk_widget_add_css_class (label, "heading");
  if (cell->align == INTERP_ALIGN_END)
    gtk_widget_add_css_class (label, "numeric");
  return label;
}

static void
sync_table (GtkWidget *scroller, InterpBlock *table, InterpBlock *shown)
{
  GtkWidget *viewport = gtk_scrolled_window_get_child (GTK_SCROLLED_WINDOW (scroller));
  GtkGrid *grid = GTK_GRID (GTK_IS_VIEWPORT (viewport) ? gtk_viewport_get_child (GTK_VIEWPORT (viewport)) : viewport);
  guint n_rows = table->children ? table->children->len : 0;
  guint n_shown = shown && shown->children ? shown->children->len : 0;
  guint n_cells = 0;

  for (guint i = n_shown; i > n_rows; i--)
    gtk_grid_remove_row (grid, (int) i - 1);
  for (guint i = 0; i < n_rows && n_cells < MAX_TABLE_CELLS; i++)
    {
      InterpBlock *row = g_ptr_array_index (table->children, i);
      InterpBlock *old = i < n_shown ? g_ptr_array_index (shown->children, i) : NULL;

      n_cells += row->children ? row->children->len : 0;
      if (old && interp_block_equal (row, old))
        continue;
      if (old)
        {
          gtk_grid_remove_row (grid, (int) i);
          gtk_grid_insert_row (grid, (int) i);
        }
      for (guint j = 0; row->children && j < row->children->len; j++)
        gtk_grid_attach (grid, make_table_cell (g_ptr_array_index (row->children, j), i == 0), (int) j, (int) i, 1, 1);
    }
}

static GtkWidget *
make_table (InterpBlock *table)
{
  GtkWidget *scroller = gtk_scrolled_window_new ();
  GtkWidget *grid = g_object_new (GTK_TYPE_GRID, "accessible-role", GTK_ACCESSIBLE_ROLE_TABLE, NULL);

  gtk_widget_set_halign (grid, GTK_ALIGN_START);
  gtk_widget_add_css_class (grid, "prose-table");
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_AUTOMATIC, GTK_POLICY_NEVER);
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (scroller), TRUE);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), grid);
  sync_table (scroller, table, NULL);
  return scroller;
}

/* ---- blocks ---- */

static GtkWidget *
make_widget (InterpMarkdownView *self, InterpBlock *block)
{
  GtkWidget *widget;

  switch (block->kind)
    {
    case INTERP_BLOCK_CODE:
      widget = interp_code_block_new ();
      interp_code_block_set_code (INTERP_CODE_BLOCK (widget), block->language, block->text->str);
      break;

    case INTERP_BLOCK_QUOTE:
      widget = g_object_new (GTK_TYPE_BOX, "accessible-role", GTK_ACCESSIBLE_ROLE_BLOCK_QUOTE, "orientation",
                             GTK_ORIENTATION_VERTICAL, "spacing", 6, NULL);
      gtk_widget_add_css_class (widget, "quote");
      if (block->children)
        sync_blocks (self, widget, block->children, 0);
      break;

    case INTERP_BLOCK_LIST:
      widget = g_object_new (GTK_TYPE_BOX, "accessible-role", GTK_ACCESSIBLE_ROLE_LIST, "orientation",
                             GTK_ORIENTATION_VERTICAL, "spacing", 4, NULL);
      sync_list (self, widget, block);
      break;

    case INTERP_BLOCK_TABLE:
      widget = make_table (block);
      break;

    case INTERP_BLOCK_RULE:
      widget = gtk_separator_new (GTK_ORIENTATION_HORIZONTAL);
      gtk_widget_set_margin_top (widget, 6);
      gtk_widget_set_margin_bottom (widget, 6);
      break;

    case INTERP_BLOCK_PARAGRAPH:
    case INTERP_BLOCK_HEADING:
    case INTERP_BLOCK_ITEM:
    case INTERP_BLOCK_ROW:
    case INTERP_BLOCK_TABLE_CELL:
    default:
      widget = make_prose (self, block);
      break;
    }
  set_block (widget, block);
  return widget;
}

/* Changes @widget, which shows an older state of @block, in place. FALSE when a new widget is needed. */
static gboolean
update_widget (InterpMarkdownView *self, GtkWidget *widget, InterpBlock *block)
{
  InterpBlock *shown = get_block (widget);

  if (!shown || shown->kind != block->kind)
    return FALSE;
  if (interp_block_equal (shown, block))
    return TRUE;

  switch (block->kind)
    {
    case INTERP_BLOCK_PARAGRAPH:
    case INTERP_BLOCK_HEADING:
      if (!GTK_IS_LABEL (widget) || has_pictures (block) || shown->level != block->level)
        return FALSE;
      interp_prose_label_set_inlines (GTK_LABEL (widget), block->inlines);
      break;

    case INTERP_BLOCK_CODE:
      interp_code_block_set_code (INTERP_CODE_BLOCK (widget), block->language, block->text->str);
      break;

    case INTERP_BLOCK_QUOTE:
      if (block->children)
        sync_blocks (self, widget, block->children, 0);
      break;

    case INTERP_BLOCK_LIST:
      if (shown->ordered != block->ordered || shown->start != block->start
          || (block->ordered && marker_width (shown) != marker_width (block)))
        return FALSE;
      sync_list (self, widget, block);
      break;

    case INTERP_BLOCK_TABLE:
      sync_table (widget, block, shown);
      break;

    case INTERP_BLOCK_RULE:
      break;

    case INTERP_BLOCK_ITEM:
    case INTERP_BLOCK_ROW:
    case INTERP_BLOCK_TABLE_CELL:
    default:
      return FALSE;
    }
  set_block (widget, block);
  return TRUE;
}

/* Makes the children of @box show @blocks; those before @from are known to do so. */
static void
sync_blocks (InterpMarkdownView *self, GtkWidget *box, GPtrArray *blocks, guint from)
{
  GtkWidget *child = gtk_widget_get_first_child (box);

  for (guint i = 0; i < from && child; i++)
    child = gtk_widget_get_next_sibling (child);

  for (guint i = from; i < blocks->len; i++)
    {
      InterpBlock *block = g_ptr_array_index (blocks, i);
      GtkWidget *next = child ? gtk_widget_get_next_sibling (child) : NULL;

      if (!child)
        gtk_box_append (GTK_BOX (box), make_widget (self, block));
      else if (!update_widget (self, child, block))
        {
          gtk_box_insert_child_after (GTK_BOX (box), make_widget (self, block), child);
          gtk_box_remove (GTK_BOX (box), child);
        }
      child = next;
    }
  while (child)
    {
      GtkWidget *next = gtk_widget_get_next_sibling (child);

      gtk_box_remove (GTK_BOX (box), child);
      child = next;
    }
}

void
interp_markdown_view_set_text (InterpMarkdownView *self, const char *text, gboolean complete)
{
  guint n_settled;

  g_return_if_fail (INTERP_IS_MARKDOWN_VIEW (self));

  interp_markdown_update (self->markdown, text ? text : "", complete);
  n_settled = interp_markdown_get_n_settled (self->markdown);
  /* Fewer, or all at once: the source was replaced. */
  if (n_settled < self->n_shown_settled || complete)
    self->n_shown_settled = 0;
  sync_blocks (self, self->box, interp_markdown_get_blocks (self->markdown), self->n_shown_settled);
  self->n_shown_settled = n_settled;
}

void
interp_markdown_view_set_folder (InterpMarkdownView *self, const char *folder)
{
  g_return_if_fail (INTERP_IS_MARKDOWN_VIEW (self));

  g_set_str (&self->folder, folder);
}

void
interp_markdown_view_set_line_breaks (InterpMarkdownView *self, gboolean line_breaks)
{
  g_return_if_fail (INTERP_IS_MARKDOWN_VIEW (self));

  interp_markdown_set_line_breaks (self->markdown, line_breaks);
}

char *
interp_markdown_view_dup_plain_text (InterpMarkdownView *self)
{
  GPtrArray *blocks;
  GString *out = g_string_new (NULL);

  g_return_val_if_fail (INTERP_IS_MARKDOWN_VIEW (self), g_string_free (out, FALSE));

  blocks = interp_markdown_get_blocks (self->markdown);
  for (guint i = 0; i < blocks->len; i++)
    {
      g_autofree char *text = interp_block_to_plain_text (g_ptr_array_index (blocks, i));

      g_string_append (out, text);
    }
  return g_string_free (out, FALSE);
}

GtkWidget *
interp_markdown_view_new (void)
{
  return g_object_new (INTERP_TYPE_MARKDOWN_VIEW, NULL);
}

static void
interp_markdown_view_finalize (GObject *object)
{
  InterpMarkdownView *self = INTERP_MARKDOWN_VIEW (object);

  interp_markdown_free (self->markdown);
  g_free (self->folder);
  G_OBJECT_CLASS (interp_markdown_view_parent_class)->finalize (object);
}

static void
interp_markdown_view_class_init (InterpMarkdownViewClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = interp_markdown_view_finalize;
}

static void
interp_markdown_view_init (InterpMarkdownView *self)
{
  self->markdown = interp_markdown_new ();
  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 9);
  adw_bin_set_child (ADW_BIN (self), self->box);
}
