/* bench-store.c: many conversations, and a search over them
 *
 *   bench-store fill FOLDER CHATS MESSAGES            conversations of that many messages
 *   bench-store search FOLDER N WORDS…                the time of each of N searches, "search" in ms, and "hits"
 *
 * Texts are the same each time: words of a made-up language, as frequent as words are, with Markdown, code and output
 * among them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "bench-util.h"
#include "store/interp-store.h"

#define N_WORDS 20000
#define BATCH 2000 /* rows asked for before they are waited for */

static GRand *chance;
static GPtrArray *words;

static void
make_words (void)
{
  static const char *const syllables[] = { "ba", "con", "da", "fer", "gi", "hu",  "in", "jo", "ka", "len", "mi", "nor",
                                           "o",  "pa",  "qu", "re",  "sa", "ter", "un", "va", "we", "xi",  "yo", "zu" };

  chance = g_rand_new_with_seed (1);
  words = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < N_WORDS; i++)
    {
      GString *word = g_string_new (NULL);

      for (guint j = 0, n = g_rand_int_range (chance, 1, 5); j < n; j++)
        g_string_append (word, syllables[g_rand_int_range (chance, 0, G_N_ELEMENTS (syllables))]);
      g_ptr_array_add (words, g_string_free_and_steal (word));
    }
}

/* The n-th word comes about 1/n as often as the first. */
static const char *
next_word (void)
{
  return g_ptr_array_index (words, (guint) pow (N_WORDS, g_rand_double (chance)) % N_WORDS);
}

static void
append_words (GString *text, guint n)
{
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? " " : "", next_word ());
}

static char *
make_prompt (void)
{
  GString *text = g_string_new (NULL);

  append_words (text, 20);
  g_string_append_c (text, '?');
  return g_string_free_and_steal (text);
}

static char *
make_answer (void)
{
  GString *text = g_string_new ("## ");

  append_words (text, 3);
  g_string_append (text, "\n\n");
  append_words (text, 30);
  g_string_append (text, " **");
  append_words (text, 2);
  g_string_append (text, "** `");
  append_words (text, 1);
  g_string_append (text, "`.\n");
  for (guint i = 0; i < 3; i++)
    {
      g_string_append (text, "\n- ");
      append_words (text, 8);
    }
  g_string_append (text, "\n\n| name | value |\n|---|---|\n");
  for (guint i = 0; i < 3; i++)
    g_string_append_printf (text, "| %s | %d |\n", next_word (), g_rand_int_range (chance, 0, 1000));
  g_string_append (text, "\n```python\nfor name in range (3):\n    print (name)\n```\n");
  return g_string_free_and_steal (text);
}

static InterpItemRow *
make_row (gint64 chat, gint64 parent, guint number)
{
  InterpItemRow *row = interp_item_row_new ();

  row->chat = chat;
  row->parent = parent;
  row->state = g_strdup ("complete");
  row->data = g_strdup ("{}");
  switch (number % 4)
    {
    case 0:
      row->kind = g_strdup ("user");
      row->text = make_prompt ();
      break;
    case 2:
      row->kind = g_strdup ("cell");
      row->text = g_strdup_printf ("import math\nvalues = [math.sqrt (i) for i in range (%u)]\n"
                                   "print (\"%s\", len (values))\nsum (values)\n",
                                   number, next_word ());
      g_free (row->state);
      row->state = g_strdup ("done");
      g_free (row->data);
      row->data = g_strdup_printf ("{\"language\": \"python\", \"approved_by\": \"user\", \"folder\": \"/tmp\", "
                                   "\"output\": \"%s %u\\n%d\\n\", \"n_lines\": 2}",
                                   next_word (), number, g_rand_int_range (chance, 0, 1000));
      break;
    default:
      row->kind = g_strdup ("assistant");
      row->text = make_answer ();
      break;
    }
  return row;
}

/* A chat's messages in few transactions: nobody else writes, so the ids that follow the first one's are known. */
static void
add_messages (InterpStore *store, gint64 chat, guint n_messages)
{
  g_autoptr (InterpItemRow) first_row = make_row (chat, 0, 0);
  gint64 first = bench_await_int64 (interp_store_add_item (store, first_row, TRUE));

  for (guint begin = 1; begin < n_messages; begin += BATCH)
    {
      guint n = MIN (BATCH, n_messages - begin);
      g_autofree DexFuture **futures = g_new0 (DexFuture *, n);

      for (guint i = 0; i < n; i++)
        {
          g_autoptr (InterpItemRow) row = make_row (chat, first + begin + i - 1, begin + i);

          futures[i] = interp_store_add_item (store, row, TRUE);
        }
      for (guint i = 0; i < n; i++)
        if (bench_await_int64 (futures[i]) != first + begin + i)
          g_error ("Message %u got another id", begin + i);
    }
}

static void
fill (const char *folder, guint n_chats, guint n_messages)
{
  g_autoptr (InterpStore) store = bench_await_object (interp_store_open (folder));

  for (guint i = 0; i < n_chats; i++)
    {
      g_autoptr (InterpChatRow) row = interp_chat_row_new ();
      gint64 chat;

      row->title = g_strdup_printf ("%u", i + 1);
      row->folder = g_strdup ("/tmp");
      row->mode = g_strdup ("ask");
      row->data = g_strdup ("{}");
      chat = bench_await_int64 (interp_store_add_chat (store, row));
      add_messages (store, chat, n_messages);
      bench_print ("chat", chat);
    }
  bench_await (interp_store_close (store));
}

static void
search (const char *folder, guint n, char **queries)
{
  g_autoptr (InterpStore) store = bench_await_object (interp_store_open (folder));

  for (char **query = queries; *query != NULL; query++)
    for (guint i = 0; i < n; i++)
      {
        gint64 begin = g_get_monotonic_time ();
        g_autoptr (GPtrArray) hits = bench_await_boxed (interp_store_search (store, *query, 200));

        bench_print ("search", (g_get_monotonic_time () - begin) / 1000.0);
        bench_print ("hits", hits->len);
      }
  bench_await (interp_store_close (store));
}

int
main (int argc, char **argv)
{
  dex_init ();
  make_words ();
  if (argc == 5 && g_str_equal (argv[1], "fill"))
    fill (argv[2], atoi (argv[3]), atoi (argv[4]));
  else if (argc >= 5 && g_str_equal (argv[1], "search"))
    search (argv[2], atoi (argv[3]), argv + 4);
  else
    return EXIT_FAILURE;
  g_ptr_array_unref (words);
  g_rand_free (chance);
  return EXIT_SUCCESS;
}
