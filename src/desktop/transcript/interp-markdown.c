/* interp-markdown.c: Markdown that is still arriving, as blocks
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "transcript/interp-markdown.h"

#include <md4c.h>
#include <string.h>

/* Containers nested deeper than this are flattened: a wall of ">" must not become a tower of widgets. */
#define MAX_DEPTH 16

gboolean
interp_markdown_is_safe_address (const char *address)
{
  g_autofree char *scheme = address ? g_uri_parse_scheme (address) : NULL;

  return scheme
         && (g_ascii_strcasecmp (scheme, "http") == 0 || g_ascii_strcasecmp (scheme, "https") == 0
             || g_ascii_strcasecmp (scheme, "mailto") == 0);
}

/* ---- blocks ---- */

G_DEFINE_BOXED_TYPE (InterpBlock, interp_block, interp_block_ref, interp_block_unref)

static void
inline_free (gpointer data)
{
  InterpInline *self = data;

  g_free (self->text);
  g_free (self->target);
  g_free (self);
}

static InterpBlock *
block_new (InterpBlockKind kind)
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
    { INTERP_INLINE_LINK, "a" },   { INTERP_INLINE_IMAGE, "img" }, { INTERP_INLINE_STRONG, "b" },
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

/* ---- md4c's callbacks to blocks ---- */

typedef struct
{
  GPtrArray *blocks;    /* finished top-level blocks */
  GPtrArray *stack;     /* open blocks, borrowed but for the first */
  guint flattened;      /* containers entered beyond MAX_DEPTH */
  InterpInlineFlags flags;
  guint depth[6];       /* how often each flag is open */
  GPtrArray *targets;   /* of open links and images, innermost last */
  gboolean implicit;    /* the open paragraph was made for the text of a tight item */
} Parser;

static InterpBlock *
parser_top (Parser *self)
{
  return self->stack->len > 0 ? g_ptr_array_index (self->stack, self->stack->len - 1) : NULL;
}

static InterpBlock *
parser_push (Parser *self, InterpBlockKind kind)
{
  InterpBlock *parent = parser_top (self);
  InterpBlock *block = block_new (kind);

  if (!parent)
    g_ptr_array_add (self->blocks, block);
  else
    {
      if (!parent->children)
        parent->children = g_ptr_array_new_with_free_func ((GDestroyNotify) interp_block_unref);
      g_ptr_array_add (parent->children, block);
    }
  g_ptr_array_add (self->stack, block);
  return block;
}

static void
parser_pop (Parser *self)
{
  if (self->stack->len > 0)
    g_ptr_array_set_size (self->stack, self->stack->len - 1);
}

static void
parser_close_implicit (Parser *self)
{
  if (!self->implicit)
    return;
  self->implicit = FALSE;
  parser_pop (self);
}

static int
on_enter_block (MD_BLOCKTYPE type, void *detail, void *user_data)
{
  Parser *self = user_data;
  InterpBlock *block;

  parser_close_implicit (self);

  switch (type)
    {
    case MD_BLOCK_QUOTE:
    case MD_BLOCK_UL:
    case MD_BLOCK_OL:
    case MD_BLOCK_LI:
      if (self->flattened > 0 || (self->stack->len >= MAX_DEPTH && type != MD_BLOCK_LI))
        {
          self->flattened++;
          return 0;
        }
      if (type == MD_BLOCK_QUOTE)
        parser_push (self, INTERP_BLOCK_QUOTE);
      else if (type == MD_BLOCK_LI)
        {
          const MD_BLOCK_LI_DETAIL *item = detail;

          block = parser_push (self, INTERP_BLOCK_ITEM);
          if (item->is_task)
            block->task = item->task_mark == ' ' ? INTERP_TASK_OPEN : INTERP_TASK_DONE;
        }
      else
        {
          block = parser_push (self, INTERP_BLOCK_LIST);
          if (type == MD_BLOCK_OL)
            {
              block->ordered = TRUE;
              block->start = ((MD_BLOCK_OL_DETAIL *) detail)->start;
            }
        }
      break;

    case MD_BLOCK_H:
      parser_push (self, INTERP_BLOCK_HEADING)->level = ((MD_BLOCK_H_DETAIL *) detail)->level;
      break;

    case MD_BLOCK_P:
      parser_push (self, INTERP_BLOCK_PARAGRAPH);
      break;

    case MD_BLOCK_HR:
      parser_push (self, INTERP_BLOCK_RULE);
      break;

    case MD_BLOCK_CODE:
      {
        const MD_BLOCK_CODE_DETAIL *code = detail;

        block = parser_push (self, INTERP_BLOCK_CODE);
        block->text = g_string_new (NULL);
        if (code->lang.size > 0)
          block->language = g_strndup (code->lang.text, code->lang.size);
      }
      break;

    case MD_BLOCK_TABLE:
      parser_push (self, INTERP_BLOCK_TABLE);
      break;

    case MD_BLOCK_TR:
      parser_push (self, INTERP_BLOCK_ROW);
      break;

    case MD_BLOCK_TH:
    case MD_BLOCK_TD:
      block = parser_push (self, INTERP_BLOCK_TABLE_CELL);
      block->inlines = g_ptr_array_new_with_free_func (inline_free);
      switch (((MD_BLOCK_TD_DETAIL *) detail)->align)
        {
        case MD_ALIGN_CENTER:
          block->align = INTERP_ALIGN_CENTER;
          break;
        case MD_ALIGN_RIGHT:
          block->align = INTERP_ALIGN_END;
          break;
        case MD_ALIGN_DEFAULT:
        case MD_ALIGN_LEFT:
        default:
          block->align = INTERP_ALIGN_START;
          break;
        }
      break;

    case MD_BLOCK_DOC:
    case MD_BLOCK_THEAD:
    case MD_BLOCK_TBODY:
    case MD_BLOCK_HTML:
    default:
      break;
    }
  return 0;
}

static int
on_leave_block (MD_BLOCKTYPE type, void *detail, void *user_data)
{
  Parser *self = user_data;

  parser_close_implicit (self);

  switch (type)
    {
    case MD_BLOCK_QUOTE:
    case MD_BLOCK_UL:
    case MD_BLOCK_OL:
    case MD_BLOCK_LI:
      if (self->flattened > 0)
        self->flattened--;
      else
        parser_pop (self);
      break;

    case MD_BLOCK_DOC:
    case MD_BLOCK_THEAD:
    case MD_BLOCK_TBODY:
    case MD_BLOCK_HTML:
      break;

    case MD_BLOCK_HR:
    case MD_BLOCK_H:
    case MD_BLOCK_CODE:
    case MD_BLOCK_P:
    case MD_BLOCK_TABLE:
    case MD_BLOCK_TR:
    case MD_BLOCK_TH:
    case MD_BLOCK_TD:
    default:
      parser_pop (self);
      break;
    }
  return 0;
}

/* The entities that models write; others stay as they are written. */
static char *
decode_entity (const char *text, gsize length)
{
  static const struct
  {
    const char *name;
    const char *value;
  } entities[] = {
    { "&amp;", "&" },      { "&lt;", "<" },       { "&gt;", ">" },       { "&quot;", "\"" },    { "&apos;", "'" },
    { "&nbsp;", "\u00a0" }, { "&copy;", "©" },     { "&reg;", "®" },      { "&trade;", "™" },    { "&mdash;", "—" },
    { "&ndash;", "–" },    { "&hellip;", "…" },   { "&bull;", "•" },     { "&middot;", "·" },   { "&deg;", "°" },
    { "&plusmn;", "±" },   { "&times;", "×" },    { "&divide;", "÷" },   { "&minus;", "−" },    { "&ne;", "≠" },
    { "&le;", "≤" },       { "&ge;", "≥" },       { "&asymp;", "≈" },    { "&infin;", "∞" },    { "&larr;", "←" },
    { "&rarr;", "→" },     { "&uarr;", "↑" },     { "&darr;", "↓" },     { "&harr;", "↔" },     { "&euro;", "€" },
    { "&pound;", "£" },    { "&sect;", "§" },     { "&para;", "¶" },     { "&laquo;", "«" },    { "&raquo;", "»" },
    { "&lsquo;", "‘" },    { "&rsquo;", "’" },    { "&ldquo;", "“" },    { "&rdquo;", "”" },    { "&micro;", "µ" },
    { "&alpha;", "α" },    { "&beta;", "β" },     { "&pi;", "π" },       { "&sum;", "∑" },      { "&radic;", "√" },
  };
  char encoded[8] = { 0 };

  for (gsize i = 0; i < G_N_ELEMENTS (entities); i++)
    if (strlen (entities[i].name) == length && memcmp (entities[i].name, text, length) == 0)
      return g_strdup (entities[i].value);

  if (length > 3 && text[1] == '#')
    {
      gboolean hexadecimal = text[2] == 'x' || text[2] == 'X';
      guint64 value = g_ascii_strtoull (text + (hexadecimal ? 3 : 2), NULL, hexadecimal ? 16 : 10);

      if (value == 0 || value > 0x10ffff || !g_unichar_validate ((gunichar) value))
        return g_strdup ("\ufffd");
      g_unichar_to_utf8 ((gunichar) value, encoded);
      return g_strdup (encoded);
    }
  return g_strndup (text, length);
}

static void
parser_add_text (Parser *self, const char *text, gsize length)
{
  InterpBlock *block = parser_top (self);
  const char *target = self->targets->len > 0 ? g_ptr_array_index (self->targets, self->targets->len - 1) : NULL;
  InterpInline *last;

  if (!block || block->kind == INTERP_BLOCK_ITEM || block->kind == INTERP_BLOCK_QUOTE || block->kind == INTERP_BLOCK_LIST)
    {
      /* The text of a tight item comes without a paragraph. */
      block = parser_push (self, INTERP_BLOCK_PARAGRAPH);
      self->implicit = TRUE;
    }
  if (block->kind == INTERP_BLOCK_CODE)
    {
      g_string_append_len (block->text, text, length);
      return;
    }
  if (!block->inlines)
    block->inlines = g_ptr_array_new_with_free_func (inline_free);

  last = block->inlines->len > 0 ? g_ptr_array_index (block->inlines, block->inlines->len - 1) : NULL;
  if (last && last->flags == self->flags && g_strcmp0 (last->target, target) == 0)
    {
      g_autofree char *head = last->text;

      last->text = g_strdup_printf ("%s%.*s", head, (int) length, text);
    }
  else
    {
      InterpInline *run = g_new0 (InterpInline, 1);

      run->flags = self->flags;
      run->text = g_strndup (text, length);
      run->target = g_strdup (target);
      g_ptr_array_add (block->inlines, run);
    }
}

static int
span_index (MD_SPANTYPE type)
{
  switch (type)
    {
    case MD_SPAN_EM:
      return 0;
    case MD_SPAN_STRONG:
      return 1;
    case MD_SPAN_CODE:
      return 2;
    case MD_SPAN_DEL:
      return 3;
    case MD_SPAN_A:
      return 4;
    case MD_SPAN_IMG:
      return 5;
    case MD_SPAN_LATEXMATH:
    case MD_SPAN_LATEXMATH_DISPLAY:
    case MD_SPAN_WIKILINK:
    case MD_SPAN_U:
    default:
      return -1;
    }
}

static char *
attribute_text (const MD_ATTRIBUTE *attribute)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; attribute->text && attribute->substr_offsets[i] < attribute->size; i++)
    {
      const char *piece = attribute->text + attribute->substr_offsets[i];
      gsize length = attribute->substr_offsets[i + 1] - attribute->substr_offsets[i];

      if (attribute->substr_types[i] == MD_TEXT_ENTITY)
        {
          g_autofree char *decoded = decode_entity (piece, length);

          g_string_append (out, decoded);
        }
      else
        g_string_append_len (out, piece, length);
    }
  return g_string_free (out, FALSE);
}

static int
on_enter_span (MD_SPANTYPE type, void *detail, void *user_data)
{
  Parser *self = user_data;
  int index = span_index (type);

  if (index < 0)
    return 0;
  if (type == MD_SPAN_A)
    {
      g_autofree char *target = attribute_text (&((MD_SPAN_A_DETAIL *) detail)->href);

      /* Code such as "arr[i](x)" must not lose its brackets. */
      if (!interp_markdown_is_safe_address (target))
        {
          parser_add_text (self, "[", 1);
          return 0;
        }
      g_ptr_array_add (self->targets, g_steal_pointer (&target));
    }
  else if (type == MD_SPAN_IMG)
    g_ptr_array_add (self->targets, attribute_text (&((MD_SPAN_IMG_DETAIL *) detail)->src));
  self->depth[index]++;
  self->flags |= 1u << index;
  return 0;
}

static int
on_leave_span (MD_SPANTYPE type, void *detail, void *user_data)
{
  Parser *self = user_data;
  int index = span_index (type);

  if (type == MD_SPAN_A)
    {
      g_autofree char *target = attribute_text (&((MD_SPAN_A_DETAIL *) detail)->href);

      if (!interp_markdown_is_safe_address (target))
        {
          g_autofree char *rest = g_strdup_printf ("](%s)", target);

          parser_add_text (self, rest, strlen (rest));
          return 0;
        }
    }
  if (index < 0 || self->depth[index] == 0)
    return 0;
  /* An image without alternative text would leave no run at all. */
  if (type == MD_SPAN_IMG)
    parser_add_text (self, "", 0);
  if (--self->depth[index] == 0)
    self->flags &= ~(1u << index);
  if ((type == MD_SPAN_A || type == MD_SPAN_IMG) && self->targets->len > 0)
    g_ptr_array_set_size (self->targets, self->targets->len - 1);
  return 0;
}

static int
on_text (MD_TEXTTYPE type, const MD_CHAR *text, MD_SIZE size, void *user_data)
{
  Parser *self = user_data;

  switch (type)
    {
    case MD_TEXT_NULLCHAR:
      parser_add_text (self, "\ufffd", strlen ("\ufffd"));
      break;
    case MD_TEXT_BR:
      parser_add_text (self, "\n", 1);
      break;
    case MD_TEXT_SOFTBR:
      parser_add_text (self, " ", 1);
      break;
    case MD_TEXT_ENTITY:
      {
        g_autofree char *decoded = decode_entity (text, size);

        parser_add_text (self, decoded, strlen (decoded));
      }
      break;
    case MD_TEXT_NORMAL:
    case MD_TEXT_CODE:
    case MD_TEXT_HTML:
    case MD_TEXT_LATEXMATH:
    default:
      parser_add_text (self, text, size);
      break;
    }
  return 0;
}

static GPtrArray *
parse (const char *text, gssize length, gboolean line_breaks)
{
  MD_PARSER callbacks = {
    .flags = (line_breaks ? MD_FLAG_HARD_SOFT_BREAKS : 0) | MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_TASKLISTS
             | MD_FLAG_PERMISSIVEURLAUTOLINKS | MD_FLAG_NOHTML,
    .enter_block = on_enter_block,
    .leave_block = on_leave_block,
    .enter_span = on_enter_span,
    .leave_span = on_leave_span,
    .text = on_text,
  };
  Parser parser = { 0 };

  if (length < 0)
    length = strlen (text);
  parser.blocks = g_ptr_array_new_with_free_func ((GDestroyNotify) interp_block_unref);
  parser.stack = g_ptr_array_new ();
  parser.targets = g_ptr_array_new_with_free_func (g_free);
  if (length > 0 && md_parse (text, (MD_SIZE) length, &callbacks, &parser) != 0)
    {
      /* Only memory can fail md4c; the text is shown as it is. */
      g_ptr_array_set_size (parser.blocks, 0);
      g_ptr_array_set_size (parser.stack, 0);
      parser.implicit = FALSE;
      parser_push (&parser, INTERP_BLOCK_PARAGRAPH);
      parser_add_text (&parser, text, length);
    }
  g_ptr_array_unref (parser.stack);
  g_ptr_array_unref (parser.targets);
  return parser.blocks;
}

GPtrArray *
interp_markdown_parse (const char *text, gssize length)
{
  g_return_val_if_fail (text != NULL, NULL);

  return parse (text, length, FALSE);
}

/* ---- splitting ---- */

typedef struct
{
  gsize boundary;      /* everything before is settled */
  gboolean in_fence;   /* at the end of the text */
  gboolean references; /* a link definition was seen: earlier blocks may use it */
  gboolean in_table;   /* the last, unfinished line belongs to a table */
  gsize last_line;
} Split;

static gsize
fence_run (const char *line, gsize length, char mark)
{
  gsize n = 0;

  while (n < length && line[n] == mark)
    n++;
  return n;
}

static gboolean
is_list_marker (const char *line, gsize length)
{
  gsize digits = 0;

  if (length == 0)
    return FALSE;
  if (strchr ("-+*", line[0]) && line[0] != '\0')
    return length == 1 || line[1] == ' ' || line[1] == '\t';
  while (digits < length && digits < 9 && g_ascii_isdigit (line[digits]))
    digits++;
  return digits > 0 && (digits == length || line[digits] == '.' || line[digits] == ')');
}

static gboolean
is_heading (const char *line, gsize length)
{
  gsize n = fence_run (line, length, '#');

  return n >= 1 && n <= 6 && (n == length || line[n] == ' ' || line[n] == '\t');
}

/* Finds the last place in @text where everything before is settled, whatever follows: after a blank line outside of fences and
 * lists, around a heading, before and after a fence. Where it is not sure it does not split, which is always right. */
static Split
find_split (const char *text, gsize length)
{
  Split split = { 0 };
  gboolean in_list = FALSE;
  gboolean after_blank = FALSE;
  gboolean nested_fence = FALSE;
  char fence_mark = 0;
  gsize fence_length = 0;
  gsize begin = 0;

  while (begin < length)
    {
      const char *end = memchr (text + begin, '\n', length - begin);
      gboolean whole = end != NULL;
      gsize stop = end ? (gsize) (end - text) : length;
      gsize next = end ? stop + 1 : length;
      gsize indent = 0;
      gsize first = begin;
      const char *line;
      gsize n;

      while (first < stop && (text[first] == ' ' || text[first] == '\t'))
        {
          indent += text[first] == '\t' ? 4 : 1;
          first++;
        }
      if (stop > first && text[stop - 1] == '\r')
        stop--;
      line = text + first;
      n = stop - first;
      split.last_line = begin;
      split.in_table = FALSE;

      if (fence_mark)
        {
          gsize run = fence_run (line, n, fence_mark);
          gboolean closes = run >= fence_length && (nested_fence || indent <= 3);

          for (gsize i = run; closes && i < n; i++)
            closes = line[i] == ' ' || line[i] == '\t';
          /* An unfinished line of marks may still go on as text. */
          if (closes && whole)
            {
              fence_mark = 0;
              if (!nested_fence)
                {
                  split.boundary = next;
                  in_list = FALSE;
                }
            }
          begin = next;
          after_blank = FALSE;
          continue;
        }

      if (n == 0)
        {
          if (whole)
            after_blank = TRUE;
          begin = next;
          continue;
        }

      /* A list goes on after a blank line with a marker or an indented line. */
      if (after_blank && indent == 0 && !(in_list && is_list_marker (line, n)))
        {
          split.boundary = begin;
          in_list = FALSE;
        }
      after_blank = FALSE;

      if (indent == 0 && whole && is_heading (line, n))
        {
          split.boundary = next;
          in_list = FALSE;
        }
      else if (line[0] == '`' || line[0] == '~')
        {
          gsize run = fence_run (line, n, line[0]);

          if (run >= 3 && (line[0] == '~' || !memchr (line + run, '`', n - run)) && (in_list || indent <= 3))
            {
              /* Unfinished, "```ls" may still become inline code. */
              if (whole)
                {
                  nested_fence = in_list && indent > 0;
                  if (indent == 0)
                    {
                      split.boundary = begin;
                      in_list = FALSE;
                    }
                }
              else
                nested_fence = TRUE;
              fence_mark = line[0];
              fence_length = run;
            }
        }
      else if (is_list_marker (line, n))
        {
          gsize content = first + 1;

          in_list = TRUE;
          while (content < stop && (g_ascii_isdigit (text[content]) || strchr (".) \t-*+", text[content])))
            content++;
          if (stop - content >= 3 && (text[content] == '`' || text[content] == '~'))
            {
              gsize run = fence_run (text + content, stop - content, text[content]);

              if (run >= 3 && !memchr (text + content + run, '`', stop - content - run))
                {
                  nested_fence = TRUE;
                  fence_mark = text[content];
                  fence_length = run;
                }
            }
        }
      else if (line[0] == '[' && indent <= 3)
        {
          const char *close = memchr (line, ']', n);

          if (close && close + 1 < line + n && close[1] == ':')
            split.references = TRUE;
        }
      if (!whole && line[0] == '|')
        split.in_table = TRUE;
      begin = next;
    }

  split.in_fence = fence_mark != 0;
  return split;
}

/* ---- the growing document ---- */

struct _InterpMarkdown
{
  GString *source;
  GPtrArray *blocks;
  guint n_settled;
  gsize settled; /* bytes of source that they cover */
  gboolean references;
  gboolean line_breaks;
};

InterpMarkdown *
interp_markdown_new (void)
{
  InterpMarkdown *self = g_new0 (InterpMarkdown, 1);

  self->source = g_string_new (NULL);
  self->blocks = g_ptr_array_new_with_free_func ((GDestroyNotify) interp_block_unref);
  return self;
}

void
interp_markdown_free (InterpMarkdown *self)
{
  g_return_if_fail (self != NULL);

  g_string_free (self->source, TRUE);
  g_ptr_array_unref (self->blocks);
  g_free (self);
}

void
interp_markdown_set_line_breaks (InterpMarkdown *self, gboolean line_breaks)
{
  g_return_if_fail (self != NULL);

  self->line_breaks = line_breaks;
}

static void
mark_open_fence (GPtrArray *blocks)
{
  InterpBlock *block = NULL;

  while (blocks && blocks->len > 0)
    {
      block = g_ptr_array_index (blocks, blocks->len - 1);
      blocks = block->children;
    }
  if (block && block->kind == INTERP_BLOCK_CODE)
    block->open = TRUE;
}

static void
take_blocks (InterpMarkdown *self, GPtrArray *blocks)
{
  for (guint i = 0; i < blocks->len; i++)
    g_ptr_array_add (self->blocks, interp_block_ref (g_ptr_array_index (blocks, i)));
}

/* Emphasis, code and links that are still open at the end are shown as if closed, so that marks do not flicker by. */
static char *
close_open_marks (const char *tail, gsize length)
{
  GString *out = g_string_new_len (tail, length);
  gsize paragraph = 0;
  gsize code_run = 0;
  gboolean strong = FALSE;
  gsize strong_at = 0;
  gsize code_at = 0;

  for (gsize i = 0; i + 1 < length; i++)
    if (tail[i] == '\n' && tail[i + 1] == '\n')
      paragraph = i + 2;
  for (gsize i = paragraph; i < length;)
    {
      if (tail[i] == '\\' && code_run == 0)
        {
          i += 2;
          continue;
        }
      if (tail[i] == '`')
        {
          gsize run = fence_run (tail + i, length - i, '`');

          if (code_run == 0)
            {
              code_run = run;
              code_at = i + run;
            }
          else if (code_run == run)
            code_run = 0;
          i += run;
          continue;
        }
      if (code_run == 0 && i + 1 < length && tail[i] == '*' && tail[i + 1] == '*')
        {
          strong = !strong;
          strong_at = i + 2;
          i += 2;
          continue;
        }
      i++;
    }
  if (code_run == 1 && code_at < length && !g_ascii_isspace (tail[length - 1]))
    g_string_append_c (out, '`');
  if (strong && code_run <= 1 && strong_at < length && !g_ascii_isspace (tail[strong_at]))
    {
      while (out->len > strong_at && (g_ascii_isspace (out->str[out->len - 1]) || out->str[out->len - 1] == '*'))
        g_string_truncate (out, out->len - 1);
      g_string_append (out, "**");
    }
  return g_string_free (out, FALSE);
}

void
interp_markdown_update (InterpMarkdown *self, const char *text, gboolean complete)
{
  g_autoptr (GPtrArray) open = NULL;
  const char *tail;
  gsize length, tail_length;
  Split split;

  g_return_if_fail (self != NULL);
  g_return_if_fail (text != NULL);

  length = strlen (text);
  if (length < self->settled || memcmp (self->source->str, text, self->settled) != 0)
    {
      g_ptr_array_set_size (self->blocks, 0);
      self->n_settled = 0;
      self->settled = 0;
      self->references = FALSE;
      g_string_truncate (self->source, 0);
    }
  g_string_truncate (self->source, MIN (self->source->len, self->settled));
  g_string_append_len (self->source, text + self->source->len, length - self->source->len);
  g_ptr_array_set_size (self->blocks, self->n_settled);

  tail = self->source->str + self->settled;
  tail_length = self->source->len - self->settled;
  split = find_split (tail, tail_length);
  self->references |= split.references;

  if (complete && self->references)
    {
      /* A definition may serve any block before it: only the whole text gives the right links. */
      g_autoptr (GPtrArray) all = parse (self->source->str, self->source->len, self->line_breaks);

      g_ptr_array_set_size (self->blocks, 0);
      take_blocks (self, all);
      self->n_settled = self->blocks->len;
      self->settled = self->source->len;
      return;
    }

  if (split.boundary > 0)
    {
      g_autoptr (GPtrArray) settled = parse (tail, split.boundary, self->line_breaks);

      take_blocks (self, settled);
      self->settled += split.boundary;
      self->n_settled = self->blocks->len;
      tail += split.boundary;
      tail_length -= split.boundary;
    }

  if (complete || split.in_fence)
    open = parse (tail, tail_length, self->line_breaks);
  else
    {
      g_autofree char *closed = NULL;

      /* A row of a table is shown when it is whole, or the columns would jitter with each word. */
      if (split.in_table && split.last_line >= split.boundary)
        tail_length = split.last_line - split.boundary;
      closed = close_open_marks (tail, tail_length);
      open = parse (closed, -1, self->line_breaks);
    }
  if (split.in_fence && !complete)
    mark_open_fence (open);
  take_blocks (self, open);
  if (complete)
    {
      self->n_settled = self->blocks->len;
      self->settled = self->source->len;
    }
}

GPtrArray *
interp_markdown_get_blocks (InterpMarkdown *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->blocks;
}

guint
interp_markdown_get_n_settled (InterpMarkdown *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->n_settled;
}
