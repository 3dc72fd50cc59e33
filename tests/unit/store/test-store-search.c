/* test-store-search.c: full text
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <string.h>

#include "store-test-util.h"
#include "store/interp-store-queries.h"

static guint
count (TestStore *fixture, const char *words)
{
  g_autoptr (GPtrArray) hits = test_array (interp_store_search (fixture->store, words, 50));

  return hits->len;
}

static char *
first_excerpt (TestStore *fixture, const char *words)
{
  g_autoptr (GPtrArray) hits = test_array (interp_store_search (fixture->store, words, 50));

  return hits->len > 0 ? g_strdup (((InterpSearchHit *) g_ptr_array_index (hits, 0))->excerpt) : g_strdup ("(nothing)");
}

static void
test_words (TestStore *fixture, gconstpointer data)
{
  gint64 chat = test_add_chat (fixture->store, "Sales by month");
  gint64 item
      = test_add_item (fixture->store, chat, 0, "Please load the file sales.csv\nand plot\tthe months, naïvely.");
  g_autoptr (GPtrArray) hits = NULL;
  InterpSearchHit *hit;

  hits = test_array (interp_store_search (fixture->store, "sales", 50));
  g_assert_cmpuint (hits->len, ==, 2);
  hit = g_ptr_array_index (hits, 0);
  g_assert_cmpint (hit->item, ==, 0);
  g_assert_cmpint (hit->chat, ==, chat);
  g_assert_cmpstr (hit->excerpt, ==, "\x02Sales\x03 by month");
  hit = g_ptr_array_index (hits, 1);
  g_assert_cmpint (hit->item, ==, item);
  g_assert_cmpstr (hit->title, ==, "Sales by month");
  g_assert_cmpstr (hit->excerpt, ==, "Please load the file \x02sales\x03.csv and plot the months, naïvely.");

  g_assert_cmpuint (count (fixture, "LOAD plot"), ==, 1);
  g_assert_cmpuint (count (fixture, "plot lo"), ==, 1);
  g_assert_cmpuint (count (fixture, "lo plot"), ==, 0); /* only the last is a prefix */
  g_assert_cmpuint (count (fixture, "naiv"), ==, 1);
  g_assert_cmpuint (count (fixture, "sales.csv"), ==, 1);
  g_assert_cmpuint (count (fixture, "nothing"), ==, 0);
  g_assert_cmpuint (count (fixture, ""), ==, 0);
  g_assert_cmpuint (count (fixture, " \t\n "), ==, 0);
}

static void
test_hostile_words (TestStore *fixture, gconstpointer data)
{
  static const char *const words[] = {
    "\"*( NEAR OR",
    "NEAR(a b)",
    "AND",
    "OR NOT",
    "a AND",
    "\"",
    "\"\"",
    "\"\"\"",
    "*",
    "^a",
    "a:b",
    "title:x",
    "text_search",
    "-a",
    "+a",
    "(",
    ")",
    "()",
    "{a}: b",
    "'; DROP TABLE item;--",
    "a\\\"b",
    "\xff\xfe",
    "\xf0\x9f\x92\xa9",
    "a - b",
    "%",
    "_",
    "?1",
    "\x01\x02\x03",
    "\" OR \"a",
    "a* b*",
    "· ·",
    "\xe2\x80\x8b",
  };
  gint64 chat = test_add_chat (fixture->store, "NEAR and far");

  test_add_item (fixture->store, chat, 0, "a near b \"quoted\" 'x' (c) AND d* OR e");
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    count (fixture, words[i]);
  g_assert_cmpuint (count (fixture, "NEAR"), ==, 2);
  g_assert_cmpuint (count (fixture, "\"quoted\""), ==, 1);
  g_assert_cmpuint (count (fixture, "a ( near"), ==, 1);
  g_assert_cmpuint (count (fixture, "d OR e"), ==, 1);
  g_assert_cmpuint (count (fixture, "b OR nothing"), ==, 0);
  {
    g_autofree char *long_words = g_strnfill (100000, 'x');
    g_autoptr (GString) many = g_string_new (NULL);

    for (int i = 0; i < 10000; i++)
      g_string_append (many, "a ");
    count (fixture, long_words);
    g_assert_cmpuint (count (fixture, many->str), ==, 1);
  }
}

static void
test_unspaced (TestStore *fixture, gconstpointer data)
{
  static const struct
  {
    const char *words;
    guint n;
    const char *excerpt;
  } cases[] = {
    { "日本語", 1, "次の\x02日本語\x03のファイルを読む abc漢字def" },
    { "本語", 1, "次の日\x02本語\x03のファイルを読む abc漢字def" },
    { "語本", 0, "(nothing)" },
    { "ファイル 読", 1, "次の日本語の\x02ファイル\x03を\x02読\x03む abc漢字def" },
    { "漢字", 1, NULL },
    { "字def", 1, NULL },
    { "売上", 1, "請画出\x02売上\x03" },
    { "데이터", 1, "이 \x02데이터\x03를 정렬" },
    { "이터", 1, "이 데\x02이터\x03를 정렬" },
  };
  gint64 chat = test_add_chat (fixture->store, "");

  test_add_item (fixture->store, chat, 0, "次の日本語のファイルを読む abc漢字def");
  test_add_item (fixture->store, chat, 0, "請画出売上");
  test_add_item (fixture->store, test_add_chat (fixture->store, ""), 0, "이 데이터를 정렬");
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *excerpt = first_excerpt (fixture, cases[i].words);

      g_assert_cmpuint (count (fixture, cases[i].words), ==, cases[i].n);
      if (cases[i].excerpt != NULL)
        g_assert_cmpstr (excerpt, ==, cases[i].excerpt);
    }
}

/* The index follows titles and texts as they change and go. */
static void
test_changes (TestStore *fixture, gconstpointer data)
{
  gint64 chat = test_add_chat (fixture->store, "first title");
  gint64 id = test_add_item (fixture->store, chat, 0, "");
  InterpItemRow item = { .id = id, .state = (char *) "complete", .text = (char *) "alpha beta" };
  InterpChatRow row = { .id = chat, .title = (char *) "second title" };

  test_true (interp_store_append (fixture->store, id, "alpha"));
  g_assert_cmpuint (count (fixture, "alpha"), ==, 0); /* while it streams */
  test_true (interp_store_update_item (fixture->store, &item));
  g_assert_cmpuint (count (fixture, "alpha"), ==, 1);
  test_true (interp_store_update_item (fixture->store, &item));
  item.text = (char *) "beta gamma";
  test_true (interp_store_update_item (fixture->store, &item));
  g_assert_cmpuint (count (fixture, "alpha"), ==, 0);
  g_assert_cmpuint (count (fixture, "gamma"), ==, 1);
  item.text = (char *) "";
  test_true (interp_store_update_item (fixture->store, &item));
  g_assert_cmpuint (count (fixture, "gamma"), ==, 0);
  item.text = (char *) "delta";
  test_true (interp_store_update_item (fixture->store, &item));

  g_assert_cmpuint (count (fixture, "first"), ==, 1);
  test_true (interp_store_update_chat (fixture->store, &row));
  g_assert_cmpuint (count (fixture, "first"), ==, 0);
  g_assert_cmpuint (count (fixture, "second"), ==, 1);

  test_true (interp_store_set_deleted (fixture->store, chat, TRUE));
  g_assert_cmpuint (count (fixture, "delta"), ==, 0);
  g_assert_cmpuint (count (fixture, "second"), ==, 0);
  test_true (interp_store_set_deleted (fixture->store, chat, FALSE));
  g_assert_cmpuint (count (fixture, "delta"), ==, 1);
}

static void
test_limits (TestStore *fixture, gconstpointer data)
{
  g_autoptr (GPtrArray) hits = NULL;

  for (int i = 0; i < 20; i++)
    {
      gint64 chat = test_add_chat (fixture->store, "");

      for (int j = 0; j < 5; j++)
        test_add_item (fixture->store, chat, 0, "needle in the hay");
    }
  hits = test_array (interp_store_search (fixture->store, "needle", 30));
  g_assert_cmpuint (hits->len, ==, 30);
  for (guint i = 0; i < hits->len; i++)
    {
      InterpSearchHit *hit = g_ptr_array_index (hits, i);

      /* newest first, three of a chat */
      g_assert_cmpint (hit->chat, ==, 20 - i / 3);
      g_assert_cmpint (hit->item, ==, hit->chat * 5 - i % 3);
    }
  g_assert_cmpuint (count (fixture, "needle"), ==, 50);
}

static void
test_expression (void)
{
  g_autofree char *a = interp_store_search_expression ("say \"hi\" OR*");
  g_autofree char *b = interp_store_search_expression ("  ");

  g_assert_cmpstr (a, ==, "\"say\" AND \"\"\"hi\"\"\" AND \"OR*\" *");
  g_assert_null (b);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  dex_init ();
#define ADD(name, func) \
  g_test_add ("/store-search/" name, TestStore, NULL, test_store_set_up, func, test_store_tear_down)
  ADD ("words", test_words);
  ADD ("hostile-words", test_hostile_words);
  ADD ("unspaced", test_unspaced);
  ADD ("changes", test_changes);
  ADD ("limits", test_limits);
  g_test_add_func ("/store-search/expression", test_expression);
  return g_test_run ();
}
