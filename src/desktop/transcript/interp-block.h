/* interp-block.h: a piece of a Markdown text: paragraph, list, table, code…
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

/* For parsers. */
InterpBlock *interp_block_new (InterpBlockKind kind);
InterpBlock *interp_block_add_child (InterpBlock *self, InterpBlockKind kind); /* borrowed */
/* Joins the run before when both have the same style. */
void interp_block_add_text (InterpBlock *self, InterpInlineFlags flags, const char *target, const char *text,
                            gsize length);

G_END_DECLS
