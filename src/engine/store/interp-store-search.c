/* interp-store-search.c: full text
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "store/interp-store-queries.h"

#define MAX_WORDS 32
#define MAX_LENGTH 1024
#define MAX_HITS_A_CHAT 3
/* Rows looked at for one search: a letter alone may match everything. */
#define MAX_ROWS 20000

/* Whether the tokenizer finds anything in it: an empty phrase would match nothing. */
static gboolean
has_token (const char *word)
{
  for (const char *p = word; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);

      if (g_unichar_isalnum (c) || g_unichar_type (c) == G_UNICODE_PRIVATE_USE)
        return TRUE;
    }
  return FALSE;
}

/* Each word becomes a phrase in quotes, in which only the quote itself means something; the last matches as a
 * prefix. */
char *
interp_store_search_expression (const char *words)
{
  g_autofree char *valid = g_utf8_make_valid (words, strnlen (words, MAX_LENGTH));
  g_autoptr (GString) expression = g_string_new (NULL);
  char *p = valid;
  guint n = 0;

  while (*p != '\0' && n < MAX_WORDS)
    {
      g_autofree char *word = NULL;
      char *start;

      while (*p != '\0' && g_unichar_isspace (g_utf8_get_char (p)))
        p = g_utf8_next_char (p);
      start = p;
      while (*p != '\0' && !g_unichar_isspace (g_utf8_get_char (p)))
        p = g_utf8_next_char (p);
      word = g_strndup (start, p - start);
      if (!has_token (word))
        continue;
      g_string_append (expression, n++ > 0 ? " AND \"" : "\"");
      for (const char *q = word; *q != '\0'; q++)
        {
          if (*q == '"')
            g_string_append_c (expression, '"');
          g_string_append_c (expression, *q);
        }
      g_string_append_c (expression, '"');
    }
  if (n == 0)
    return NULL;
  g_string_append (expression, " *");
  return g_string_free_and_steal (g_steal_pointer (&expression));
}

/* One line: white space becomes single spaces. */
static char *
flatten (char *text /* taken */)
{
  g_autofree char *owned = text;
  GString *flat = g_string_new (NULL);

  for (const char *p = owned; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);

      if (!g_unichar_isspace (c))
        g_string_append_unichar (flat, c);
      else if (flat->len > 0 && flat->str[flat->len - 1] != ' ')
        g_string_append_c (flat, ' ');
    }
  return g_string_free_and_steal (flat);
}

static gboolean
search_titles (InterpDatabase *database, const char *expression, guint limit, GPtrArray *hits, GError **error)
{
  g_autoptr (GError) local_error = NULL;
  sqlite3_stmt *statement
      = interp_database_query (database, error,
                               "SELECT chat.id, chat.title, snippet (title_search, 0, char (2), char (3), '…', 24), "
                               "chat.updated"
                               "  FROM title_search JOIN chat ON chat.id = title_search.rowid"
                               "  WHERE title_search MATCH ?1 AND chat.deleted = 0 ORDER BY chat.updated DESC LIMIT ?2",
                               "si", expression, (gint64) limit);

  if (statement == NULL)
    return FALSE;
  while (interp_database_step (database, statement, &local_error))
    {
      InterpSearchHit *hit = g_new0 (InterpSearchHit, 1);

      hit->chat = sqlite3_column_int64 (statement, 0);
      hit->title = interp_database_dup_text (statement, 1);
      hit->excerpt = flatten (interp_database_dup_text (statement, 2));
      hit->updated = sqlite3_column_int64 (statement, 3);
      g_ptr_array_add (hits, hit);
    }
  if (local_error == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&local_error));
  return FALSE;
}

/* Excerpts cost more than the match: they are made only for the hits that are given. The + makes SQLite
 * filter what the one search finds instead of searching once for each. */
static gboolean
load_excerpts (InterpDatabase *database, const char *expression, GPtrArray *hits, guint from, GError **error)
{
  g_autoptr (GString) items = g_string_new ("[");
  g_autoptr (GError) local_error = NULL;
  sqlite3_stmt *statement;
  guint i = from;

  for (guint j = from; j < hits->len; j++)
    g_string_append_printf (items, "%s%" G_GINT64_FORMAT, j > from ? "," : "",
                            ((InterpSearchHit *) g_ptr_array_index (hits, j))->item);
  g_string_append_c (items, ']');
  statement = interp_database_query (database, error,
                                     "SELECT rowid, snippet (text_search, 0, char (2), char (3), '…', 24) FROM "
                                     "text_search"
                                     "  WHERE text_search MATCH ?1 AND +rowid IN (SELECT value FROM json_each (?2))"
                                     "  ORDER BY rowid DESC LIMIT ?3",
                                     "ssi", expression, items->str, (gint64) (hits->len - from));
  if (statement == NULL)
    return FALSE;
  while (interp_database_step (database, statement, &local_error))
    {
      gint64 item = sqlite3_column_int64 (statement, 0);

      while (i < hits->len && ((InterpSearchHit *) g_ptr_array_index (hits, i))->item > item)
        i++;
      if (i < hits->len && ((InterpSearchHit *) g_ptr_array_index (hits, i))->item == item)
        {
          InterpSearchHit *hit = g_ptr_array_index (hits, i);

          g_free (hit->excerpt);
          hit->excerpt = flatten (interp_database_dup_text (statement, 1));
        }
    }
  if (local_error == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&local_error));
  return FALSE;
}

static gboolean
search_items (InterpDatabase *database, const char *expression, guint limit, GPtrArray *hits, GError **error)
{
  g_autoptr (GHashTable) counts = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  g_autoptr (GError) local_error = NULL;
  guint from = hits->len;
  sqlite3_stmt *statement
      = interp_database_query (database, error,
                               "SELECT item.id, chat.id, chat.title, chat.updated FROM text_search"
                               "  CROSS JOIN item ON item.id = text_search.rowid CROSS JOIN chat ON chat.id = item.chat"
                               "  WHERE text_search MATCH ?1 AND chat.deleted = 0 ORDER BY text_search.rowid DESC "
                               "LIMIT ?2",
                               "si", expression, (gint64) MAX_ROWS);

  if (statement == NULL)
    return FALSE;
  while (hits->len < limit && interp_database_step (database, statement, &local_error))
    {
      gint64 chat = sqlite3_column_int64 (statement, 1);
      guint count = GPOINTER_TO_UINT (g_hash_table_lookup (counts, &chat));
      InterpSearchHit *hit;

      if (count >= MAX_HITS_A_CHAT)
        continue;
      g_hash_table_insert (counts, g_memdup2 (&chat, sizeof chat), GUINT_TO_POINTER (count + 1));
      hit = g_new0 (InterpSearchHit, 1);
      hit->item = sqlite3_column_int64 (statement, 0);
      hit->chat = chat;
      hit->title = interp_database_dup_text (statement, 2);
      hit->updated = sqlite3_column_int64 (statement, 3);
      hit->excerpt = g_strdup ("");
      g_ptr_array_add (hits, hit);
    }
  interp_database_reset (statement);
  if (local_error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&local_error));
      return FALSE;
    }
  return hits->len == from || load_excerpts (database, expression, hits, from, error);
}

gboolean
interp_store_query_search (InterpDatabase *database, gpointer data, GValue *result, GError **error)
{
  InterpStoreRequest *request = data;
  g_autoptr (GPtrArray) hits = g_ptr_array_new_with_free_func ((GDestroyNotify) interp_search_hit_free);
  g_autofree char *expression = interp_store_search_expression (request->text);

  if (expression != NULL
      && (!search_titles (database, expression, request->limit, hits, error)
          || !search_items (database, expression, request->limit, hits, error)))
    return FALSE;
  g_value_init (result, G_TYPE_PTR_ARRAY);
  g_value_take_boxed (result, g_steal_pointer (&hits));
  return TRUE;
}
