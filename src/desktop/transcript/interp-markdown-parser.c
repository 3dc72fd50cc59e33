/* interp-markdown-parser.c: md4c's callbacks to blocks
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "transcript/interp-markdown-parser.h"

#include <md4c.h>
#include <string.h>

#include "transcript/interp-markdown.h"

/* Containers nested deeper than this are flattened: a wall of ">" must not become a tower of widgets. */
#define MAX_DEPTH 16

typedef struct
{
  GPtrArray *blocks; /* finished top-level blocks */
  GPtrArray *stack;  /* open blocks, borrowed but for the first */
  guint flattened;   /* containers entered beyond MAX_DEPTH */
  InterpInlineFlags flags;
  guint depth[6];     /* how often each flag is open */
  GPtrArray *targets; /* of open links and images, innermost last */
  gboolean implicit;  /* the open paragraph was made for the text of a tight item */
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
  InterpBlock *block = parent ? interp_block_add_child (parent, kind) : interp_block_new (kind);

  if (!parent)
    g_ptr_array_add (self->blocks, block);
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
    { "&amp;", "&" },       { "&lt;", "<" },     { "&gt;", ">" },     { "&quot;", "\"" },  { "&apos;", "'" },
    { "&nbsp;", "\u00a0" }, { "&copy;", "©" },   { "&reg;", "®" },    { "&trade;", "™" },  { "&mdash;", "—" },
    { "&ndash;", "–" },     { "&hellip;", "…" }, { "&bull;", "•" },   { "&middot;", "·" }, { "&deg;", "°" },
    { "&plusmn;", "±" },    { "&times;", "×" },  { "&divide;", "÷" }, { "&minus;", "−" },  { "&ne;", "≠" },
    { "&le;", "≤" },        { "&ge;", "≥" },     { "&asymp;", "≈" },  { "&infin;", "∞" },  { "&larr;", "←" },
    { "&rarr;", "→" },      { "&uarr;", "↑" },   { "&darr;", "↓" },   { "&harr;", "↔" },   { "&euro;", "€" },
    { "&pound;", "£" },     { "&sect;", "§" },   { "&para;", "¶" },   { "&laquo;", "«" },  { "&raquo;", "»" },
    { "&lsquo;", "‘" },     { "&rsquo;", "’" },  { "&ldquo;", "“" },  { "&rdquo;", "”" },  { "&micro;", "µ" },
    { "&alpha;", "α" },     { "&beta;", "β" },   { "&pi;", "π" },     { "&sum;", "∑" },    { "&radic;", "√" },
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

  if (!block || block->kind == INTERP_BLOCK_ITEM || block->kind == INTERP_BLOCK_QUOTE
      || block->kind == INTERP_BLOCK_LIST)
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
  interp_block_add_text (block, self->flags, target, text, length);
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

GPtrArray *
interp_markdown_parser_run (const char *text, gssize length, gboolean line_breaks)
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

  g_return_val_if_fail (text != NULL, NULL);

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
