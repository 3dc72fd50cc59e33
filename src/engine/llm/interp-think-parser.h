/* interp-think-parser.h: thinking written between tags
 *
 * Some servers leave a model's thinking in the text: <think>…</think>, [THINK]…[/THINK], channels of gpt-oss and Gemma.
 * Tags count at the beginning of an answer only, and only the first pair; elsewhere they are text. Templates that write
 * the opening tag themselves leave a closing one alone: it turns all text before it into thinking.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  INTERP_THINK_TEXT,
  INTERP_THINK_REASONING,
  INTERP_THINK_RETHINK, /* @text is NULL: all TEXT given out so far was thinking */
} InterpThinkKind;

typedef void (*InterpThinkSink) (InterpThinkKind kind, const char *text, gpointer data);

typedef struct _InterpThinkParser InterpThinkParser;

/* @open: the answer begins inside a block. */
InterpThinkParser *interp_think_parser_new (gboolean open, InterpThinkSink sink, gpointer sink_data);
void interp_think_parser_free (InterpThinkParser *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpThinkParser, interp_think_parser_free)

/* Cut anywhere. */
void interp_think_parser_push (InterpThinkParser *self, const char *text);

/* @whole: the answer came to its own end, so that thinking that was only assumed must have been the answer. */
void interp_think_parser_finish (InterpThinkParser *self, gboolean whole);

gboolean interp_think_parser_lacks_opener (InterpThinkParser *self);

G_END_DECLS
