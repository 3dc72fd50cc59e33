/* interp-markdown.c: Markdown that is still arriving, as blocks
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "transcript/interp-markdown.h"

#include <string.h>

#include "transcript/interp-markdown-parser.h"
#include "transcript/interp-markdown-split.h"

gboolean
interp_markdown_is_safe_address (const char *address)
{
  g_autofree char *scheme = address ? g_uri_parse_scheme (address) : NULL;

  return scheme
         && (g_ascii_strcasecmp (scheme, "http") == 0 || g_ascii_strcasecmp (scheme, "https") == 0
             || g_ascii_strcasecmp (scheme, "mailto") == 0);
}

GPtrArray *
interp_markdown_parse (const char *text, gssize length)
{
  g_return_val_if_fail (text != NULL, NULL);

  return interp_markdown_parser_run (text, length, FALSE);
}

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

/* Emphasis, code and links that are still open at the end are shown as if closed, so that marks do not
 * flicker by. */
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
          gsize run = interp_markdown_count_marks (tail + i, length - i, '`');

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
  InterpMarkdownSplit split;

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
  split = interp_markdown_split (tail, tail_length);
  self->references |= split.references;

  if (complete && self->references)
    {
      /* A definition may serve any block before it: only the whole text gives the right links. */
      g_autoptr (GPtrArray) all = interp_markdown_parser_run (self->source->str, self->source->len, self->line_breaks);

      g_ptr_array_set_size (self->blocks, 0);
      take_blocks (self, all);
      self->n_settled = self->blocks->len;
      self->settled = self->source->len;
      return;
    }

  if (split.boundary > 0)
    {
      g_autoptr (GPtrArray) settled = interp_markdown_parser_run (tail, split.boundary, self->line_breaks);

      take_blocks (self, settled);
      self->settled += split.boundary;
      self->n_settled = self->blocks->len;
      tail += split.boundary;
      tail_length -= split.boundary;
    }

  if (complete || split.in_fence)
    open = interp_markdown_parser_run (tail, tail_length, self->line_breaks);
  else
    {
      g_autofree char *closed = NULL;

      /* A row of a table is shown when it is whole, or the columns would jitter with each word. */
      if (split.in_table && split.last_line >= split.boundary)
        tail_length = split.last_line - split.boundary;
      closed = close_open_marks (tail, tail_length);
      open = interp_markdown_parser_run (closed, -1, self->line_breaks);
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
