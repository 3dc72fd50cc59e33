/* interp-search-tokenizer.c: how text is cut into words for search
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "store/interp-search-tokenizer.h"

#include <string.h>

typedef int (*TokenFunc) (void *context, int flags, const char *token, int length, int start, int end);

typedef struct
{
  fts5_tokenizer inner_class;
  Fts5Tokenizer *inner;
} Tokenizer;

typedef struct
{
  TokenFunc func;
  void *context;
  const char *text;
} Emitter;

static gboolean
stands_alone (gunichar c)
{
  switch (g_unichar_get_script (c))
    {
    case G_UNICODE_SCRIPT_HAN:
    case G_UNICODE_SCRIPT_HIRAGANA:
    case G_UNICODE_SCRIPT_KATAKANA:
    case G_UNICODE_SCRIPT_HANGUL:
    case G_UNICODE_SCRIPT_BOPOMOFO:
      return TRUE;
    default:
      return FALSE;
    }
}

/* Folding may change a word's length in bytes, so positions in the text are known only for words that it left
 * as they were; of others every part is given the whole word's place, which only makes a highlight longer. */
static int
emit (void *data, int flags, const char *token, int length, int start, int end)
{
  Emitter *emitter = data;
  gboolean same = length == end - start && memcmp (token, emitter->text + start, length) == 0;
  const char *stop = token + length;
  const char *p = token;

  while (p < stop)
    {
      const char *from = p;
      gunichar c = g_utf8_get_char_validated (p, stop - p);
      int code;

      if ((gint) c < 0)
        p = stop;
      else if (stands_alone (c))
        p = g_utf8_next_char (p);
      else
        while (p < stop && (gint) (c = g_utf8_get_char_validated (p, stop - p)) >= 0 && !stands_alone (c))
          p = g_utf8_next_char (p);
      if (p == from)
        p = stop;
      code = emitter->func (emitter->context, flags, from, p - from, same ? start + (from - token) : start,
                            same ? start + (p - token) : end);
      if (code != SQLITE_OK)
        return code;
    }
  return SQLITE_OK;
}

static int
tokenizer_create (void *context, const char **arguments, int n_arguments, Fts5Tokenizer **out)
{
  static const char *inner_arguments[] = { "remove_diacritics", "2" };
  fts5_api *api = context;
  Tokenizer *self = g_new0 (Tokenizer, 1);
  void *inner_context = NULL;
  int code = api->xFindTokenizer (api, "unicode61", &inner_context, &self->inner_class);

  if (code == SQLITE_OK)
    code = self->inner_class.xCreate (inner_context, inner_arguments, G_N_ELEMENTS (inner_arguments), &self->inner);
  if (code == SQLITE_OK)
    *out = (Fts5Tokenizer *) self;
  else
    g_free (self);
  return code;
}

static void
tokenizer_delete (Fts5Tokenizer *tokenizer)
{
  Tokenizer *self = (Tokenizer *) tokenizer;

  self->inner_class.xDelete (self->inner);
  g_free (self);
}

static int
tokenizer_tokenize (Fts5Tokenizer *tokenizer, void *context, int flags, const char *text, int length, TokenFunc func)
{
  Tokenizer *self = (Tokenizer *) tokenizer;
  Emitter emitter = { func, context, text };

  return self->inner_class.xTokenize (self->inner, &emitter, flags, text, length, emit);
}

gboolean
interp_search_tokenizer_register (sqlite3 *handle)
{
  fts5_tokenizer tokenizer = { tokenizer_create, tokenizer_delete, tokenizer_tokenize };
  sqlite3_stmt *statement = NULL;
  fts5_api *api = NULL;

  if (sqlite3_prepare_v2 (handle, "SELECT fts5(?1)", -1, &statement, NULL) == SQLITE_OK)
    {
      sqlite3_bind_pointer (statement, 1, &api, "fts5_api_ptr", NULL);
      sqlite3_step (statement);
    }
  sqlite3_finalize (statement);
  return api != NULL && api->xCreateTokenizer (api, "interp", api, &tokenizer, NULL) == SQLITE_OK;
}
