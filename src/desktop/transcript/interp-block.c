/* interp-block.c: a piece of a Markdown text: paragraph, list, table, code…
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "transcript/interp-block.h"

#include <string.h>

G_DEFINE_BOXED_TYPE (InterpBlock, interp_block, interp_block_ref, interp_block_unref)

static void
inline_free (gpointer data)
{
  InterpInline *self = data;

  g_free (self->text);
  g_free (self->target);
  g_free (self);
}

InterpBlock *
interp_block_new (InterpBlockKind kind)
{
  InterpBlock *self = g_new0 (InterpBlock, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->kind = kind;
  return self;
}

InterpBlock *
interp_block_ref (InterpBlock *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
interp_block_unref (InterpBlock *self)
{
  g_return_if_fail (self != NULL);

  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  g_clear_pointer (&self->children, g_ptr_array_unref);
  g_clear_pointer (&self->inlines, g_ptr_array_unref);
  if (self->text)
    g_string_free (self->text, TRUE);
  g_free (self->language);
  g_free (self);
}

static gboolean
inlines_equal (const GPtrArray *a, const GPtrArray *b)
{
  guint n_a = a ? a->len : 0;
  guint n_b = b ? b->len : 0;

  if (n_a != n_b)
    return FALSE;
  for (guint i = 0; i < n_a; i++)
    {
      const InterpInline *x = g_ptr_array_index (a, i);
      const InterpInline *y = g_ptr_array_index (b, i);

      if (x->flags != y->flags || !g_str_equal (x->text, y->text) || g_strcmp0 (x->target, y->target) != 0)
        return FALSE;
    }
  return TRUE;
}

gboolean
interp_block_equal (const InterpBlock *a, const InterpBlock *b)
{
  guint n_a, n_b;

  g_return_val_if_fail (a != NULL && b != NULL, FALSE);

  if (a == b)
    return TRUE;
  if (a->kind != b->kind || a->level != b->level || a->start != b->start || a->ordered != b->ordered
      || a->open != b->open || a->task != b->task || a->align != b->align || g_strcmp0 (a->language, b->language) != 0)
    return FALSE;
  if ((a->text != NULL) != (b->text != NULL) || (a->text && !g_string_equal (a->text, b->text)))
    return FALSE;
  if (!inlines_equal (a->inlines, b->inlines))
    return FALSE;

  n_a = a->children ? a->children->len : 0;
  n_b = b->children ? b->children->len : 0;
  if (n_a != n_b)
    return FALSE;
  for (guint i = 0; i < n_a; i++)
    if (!interp_block_equal (g_ptr_array_index (a->children, i), g_ptr_array_index (b->children, i)))
      return FALSE;
  return TRUE;
}

static void
append_plain_text (const InterpBlock *self, GString *out)
{
  if (self->text)
    g_string_append_len (out, self->text->str, self->text->len);
  for (guint i = 0; self->inlines && i < self->inlines->len; i++)
    g_string_append (out, ((InterpInline *) g_ptr_array_index (self->inlines, i))->text);
  if (self->inlines)
    g_string_append_c (out, self->kind == INTERP_BLOCK_TABLE_CELL ? '\t' : '\n');
  for (guint i = 0; self->children && i < self->children->len; i++)
    append_plain_text (g_ptr_array_index (self->children, i), out);
  if (self->kind == INTERP_BLOCK_ROW)
    g_string_append_c (out, '\n');
}

char *
interp_block_to_plain_text (const InterpBlock *self)
{
  GString *out = g_string_new (NULL);

  g_return_val_if_fail (self != NULL, g_string_free (out, FALSE));

  append_plain_text (self, out);
  return g_string_free (out, FALSE);
}

static void
describe_inline (const InterpInline *run, GString *out)
{
  static const struct
  {
    InterpInlineFlags flag;
    const char *name;
  } names[] = {
    { INTERP_INLINE_LINK, "a" },      { INTERP_INLINE_IMAGE, "img" }, { INTERP_INLINE_STRONG, "b" },
    { INTERP_INLINE_EMPHASIS, "em" }, { INTERP_INLINE_STRIKE, "s" },  { INTERP_INLINE_CODE, "code" },
  };
  g_autofree char *escaped = g_strescape (run->text, NULL);
  guint depth = 0;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (run->flags & names[i].flag)
      {
        g_string_append_printf (out, "(%s ", names[i].name);
        depth++;
      }
  if (run->target)
    g_string_append_printf (out, "<%s> ", run->target);
  g_string_append_printf (out, "\"%s\"", escaped);
  while (depth-- > 0)
    g_string_append_c (out, ')');
}

static void
describe (const InterpBlock *self, GString *out)
{
  static const char *const names[] = { "p", "h", "pre", "quote", "ul", "li", "table", "tr", "td", "hr" };

  g_string_append_printf (out, "(%s", self->kind == INTERP_BLOCK_LIST && self->ordered ? "ol" : names[self->kind]);
  if (self->level > 0)
    g_string_append_printf (out, "%u", self->level);
  if (self->ordered && self->start != 1)
    g_string_append_printf (out, " %u", self->start);
  if (self->language)
    g_string_append_printf (out, " %s", self->language);
  if (self->open)
    g_string_append (out, " open");
  if (self->task != INTERP_TASK_NONE)
    g_string_append (out, self->task == INTERP_TASK_DONE ? " [x]" : " [ ]");
  if (self->align != INTERP_ALIGN_START)
    g_string_append (out, self->align == INTERP_ALIGN_END ? " end" : " center");
  if (self->text)
    {
      g_autofree char *escaped = g_strescape (self->text->str, NULL);

      g_string_append_printf (out, " \"%s\"", escaped);
    }
  for (guint i = 0; self->inlines && i < self->inlines->len; i++)
    {
      g_string_append_c (out, ' ');
      describe_inline (g_ptr_array_index (self->inlines, i), out);
    }
  for (guint i = 0; self->children && i < self->children->len; i++)
    {
      g_string_append_c (out, ' ');
      describe (g_ptr_array_index (self->children, i), out);
    }
  g_string_append_c (out, ')');
}

char *
interp_block_describe (const InterpBlock *self)
{
  GString *out = g_string_new (NULL);

  g_return_val_if_fail (self != NULL, g_string_free (out, FALSE));

  describe (self, out);
  return g_string_free (out, FALSE);
}

InterpBlock *
interp_block_add_child (InterpBlock *self, InterpBlockKind kind)
{
  InterpBlock *child;

  g_return_val_if_fail (self != NULL, NULL);

  child = interp_block_new (kind);
  if (!self->children)
    self->children = g_ptr_array_new_with_free_func ((GDestroyNotify) interp_block_unref);
  g_ptr_array_add (self->children, child);
  return child;
}

void
interp_block_add_text (InterpBlock *self, InterpInlineFlags flags, const char *target, const char *text, gsize length)
{
  InterpInline *last;

  g_return_if_fail (self != NULL);

  if (!self->inlines)
    self->inlines = g_ptr_array_new_with_free_func (inline_free);
  last = self->inlines->len > 0 ? g_ptr_array_index (self->inlines, self->inlines->len - 1) : NULL;
  if (last && last->flags == flags && g_strcmp0 (last->target, target) == 0)
    {
      g_autofree char *before = last->text;

      last->text = g_strdup_printf ("%s%.*s", before, (int) length, text);
    }
  else if (length > 0 || (flags & INTERP_INLINE_IMAGE))
    {
      InterpInline *run = g_new0 (InterpInline, 1);

      run->flags = flags;
      run->text = g_strndup (text, length);
      run->target = g_strdup (target);
      g_ptr_array_add (self->inlines, run);
    }
}
