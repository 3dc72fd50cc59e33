/* interp-markdown.h: Markdown that is still arriving, as blocks
 *
 * CommonMark with tables, task lists, strikethrough and bare links (md4c); raw HTML is text. No GTK here. The source is split
 * where no later text can change what stands before: blocks up to there are settled and never parsed again, so that the cost of
 * a chunk does not grow with the answer.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

typedef enum
{
  INTERP_INLINE_EMPHASIS = 1 << 0,
  INTERP_INLINE_STRONG = 1 << 1,
  INTERP_INLINE_CODE = 1 << 2,
  INTERP_INLINE_STRIKE = 1 << 3,
  INTERP_INLINE_LINK = 1 << 4,
  INTERP_INLINE_IMAGE = 1 << 5, /* text: the alternative text */
} InterpInlineFlags;

/* http, https and mailto: nothing else becomes a link, "[i](x)" stays as it is written. */
gboolean interp_markdown_is_safe_address (const char *address);

/* A run of equal style. Hard breaks are \n in @text, soft ones a space. */
typedef struct
{
  InterpInlineFlags flags;
  char *text;
  char *target; /* link: a safe address; image: as written; nullable */
} InterpInline;

typedef enum
{
  INTERP_BLOCK_PARAGRAPH,
  INTERP_BLOCK_HEADING,
  INTERP_BLOCK_CODE,
  INTERP_BLOCK_QUOTE,
  INTERP_BLOCK_LIST, /* children: items */
  INTERP_BLOCK_ITEM,
  INTERP_BLOCK_TABLE, /* children: rows, the first is the header */
  INTERP_BLOCK_ROW,   /* children: table cells */
  INTERP_BLOCK_TABLE_CELL,
  INTERP_BLOCK_RULE,
} InterpBlockKind;

typedef enum
{
  INTERP_TASK_NONE,
  INTERP_TASK_OPEN,
  INTERP_TASK_DONE,
} InterpTask;

typedef enum
{
  INTERP_ALIGN_START,
  INTERP_ALIGN_CENTER,
  INTERP_ALIGN_END,
} InterpAlign;

/* Immutable once handed out. */
#define INTERP_TYPE_BLOCK (interp_block_get_type ())
typedef struct
{
  gatomicrefcount ref_count;
  InterpBlockKind kind;
  GPtrArray *children; /* InterpBlock; nullable */
  GPtrArray *inlines;  /* InterpInline: paragraph, heading, table cell; nullable */
  GString *text;       /* code, with its last line end; nullable */
  char *language;      /* code: first word of the info string, nullable */
  guint level;         /* heading: 1–6 */
  guint start;         /* ordered list: first number */
  gboolean ordered;
  gboolean open; /* code: its fence has not been closed yet */
  InterpTask task;
  InterpAlign align;
} InterpBlock;

GType interp_block_get_type (void);
InterpBlock *interp_block_ref (InterpBlock *self);
void interp_block_unref (InterpBlock *self);
gboolean interp_block_equal (const InterpBlock *a, const InterpBlock *b);
/* The words of @self without marks, for searching, reading aloud and tests. */
char *interp_block_to_plain_text (const InterpBlock *self);
/* The tree on one line, "(p a (em b))": for tests. */
char *interp_block_describe (const InterpBlock *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpBlock, interp_block_unref)

typedef struct _InterpMarkdown InterpMarkdown;

InterpMarkdown *interp_markdown_new (void);
void interp_markdown_free (InterpMarkdown *self);
/* Soft line breaks count as hard ones; before the first text. */
void interp_markdown_set_line_breaks (InterpMarkdown *self, gboolean line_breaks);
/* @text: all of the source so far, valid UTF-8. @complete: no more will come. */
void interp_markdown_update (InterpMarkdown *self, const char *text, gboolean complete);
/* InterpBlock, in order. */
GPtrArray *interp_markdown_get_blocks (InterpMarkdown *self);
/* So many of them from the first are settled; falls only when the source was replaced. */
guint interp_markdown_get_n_settled (InterpMarkdown *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpMarkdown, interp_markdown_free)

/* Parses all of @text at once: GPtrArray of InterpBlock. */
GPtrArray *interp_markdown_parse (const char *text, gssize length);

G_END_DECLS
