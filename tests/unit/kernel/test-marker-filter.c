/* test-marker-filter.c: marks are found wherever the stream is cut
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "kernel/interp-marker-filter.h"

#include <string.h>

#define TOKEN "0123456789abcdef"
#define START(id) "\033]7770;" TOKEN ";start;" #id "\a"
#define END(id) "\033]7770;" TOKEN ";end;" #id "\a"

typedef struct
{
  const char *stream;
  const char *seen; /* marks as <1 and 1> */
} Case;

static const Case cases[] = {
  { "", "" },
  { "plain", "plain" },
  { "a" START (1) "b" END (1) "c", "a<1b1>c" },
  { START (1) END (1) START (2) END (2), "<11><22>" },
  { START (9007199254740991), "<9007199254740991" },
  /* Not ours: passed on. */
  { "\033[31mred\033[0m", "\033[31mred\033[0m" },
  { "\033]7770;0000000000000000;start;1\a", "\033]7770;0000000000000000;start;1\a" },
  { "\033]7770;" TOKEN ";begin;1\a", "\033]7770;" TOKEN ";begin;1\a" },
  { "\033]7770;" TOKEN ";start;\a", "\033]7770;" TOKEN ";start;\a" },
  { "\033]7770;" TOKEN ";start;1x\a", "\033]7770;" TOKEN ";start;1x\a" },
  { "\033]7770;" TOKEN ";start;1234567890123456789\a", "\033]7770;" TOKEN ";start;1234567890123456789\a" },
  /* Broken off by another: that one counts. */
  { "\033]7770;" TOKEN ";sta" START (4), "\033]7770;" TOKEN ";sta<4" },
  { "\033\033\033]" START (5), "\033\033\033]<5" },
  /* The stream ends inside one. */
  { "x\033", "x\033" },
  { "x\033]7770;" TOKEN ";end;12", "x\033]7770;" TOKEN ";end;12" },
};

static void
bytes_cb (const char *bytes, gsize length, gpointer user_data)
{
  g_assert_cmpuint (length, >, 0);
  g_string_append_len (user_data, bytes, (gssize) length);
}

static void
mark_cb (InterpMark mark, guint64 id, gpointer user_data)
{
  g_string_append_printf (user_data, mark == INTERP_MARK_START ? "<%" G_GUINT64_FORMAT : "%" G_GUINT64_FORMAT ">", id);
}

static void
check (const Case *test, gsize piece, gsize first)
{
  g_autoptr (GString) seen = g_string_new (NULL);
  g_autoptr (InterpMarkerFilter) filter = interp_marker_filter_new (bytes_cb, mark_cb, seen);
  gsize length = strlen (test->stream);

  interp_marker_filter_set_token (filter, TOKEN);
  interp_marker_filter_push (filter, test->stream, MIN (first, length));
  for (gsize at = MIN (first, length); at < length; at += piece)
    interp_marker_filter_push (filter, test->stream + at, MIN (piece, length - at));
  interp_marker_filter_flush (filter);
  g_assert_false (interp_marker_filter_is_holding (filter));
  g_assert_cmpstr (seen->str, ==, test->seen);
}

static void
test_pieces (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (gsize first = 0; first <= strlen (cases[i].stream); first++)
      {
        check (&cases[i], 1, first);
        check (&cases[i], 7, first);
        check (&cases[i], 1000, first);
      }
}

/* What cannot be a mark is not held back: it may be a question that waits for its answer. */
static void
test_holds_little (void)
{
  g_autoptr (GString) seen = g_string_new (NULL);
  g_autoptr (InterpMarkerFilter) filter = interp_marker_filter_new (bytes_cb, mark_cb, seen);

  interp_marker_filter_set_token (filter, TOKEN);
  interp_marker_filter_push (filter, "\033[6n", 4);
  g_assert_cmpstr (seen->str, ==, "\033[6n");
  interp_marker_filter_push (filter, "\033]0;", 4);
  g_assert_cmpstr (seen->str, ==, "\033[6n\033]0;");
}

static void
count_cb (const char *bytes, gsize length, gpointer user_data)
{
  ++*(guint *) user_data;
}

static void
no_mark_cb (InterpMark mark, guint64 id, gpointer user_data)
{
  g_assert_not_reached ();
}

/* Other escapes do not cut what came in one piece: each piece is written and shown by itself. */
static void
test_one_piece (void)
{
  static const char coloured[] = "\033[32mdone\033[0m \033]0;title\a\033]7771;x\a \033\033[1mbold\033[0m\n";
  guint n_pieces = 0;
  g_autoptr (InterpMarkerFilter) filter = interp_marker_filter_new (count_cb, no_mark_cb, &n_pieces);

  interp_marker_filter_set_token (filter, TOKEN);
  interp_marker_filter_push (filter, coloured, strlen (coloured));
  g_assert_cmpuint (n_pieces, ==, 1);
}

static void
test_token_changes (void)
{
  g_autoptr (GString) seen = g_string_new (NULL);
  g_autoptr (InterpMarkerFilter) filter = interp_marker_filter_new (bytes_cb, mark_cb, seen);

  interp_marker_filter_push (filter, START (1), strlen (START (1)));
  g_assert_cmpstr (seen->str, ==, START (1));
  interp_marker_filter_set_token (filter, TOKEN);
  interp_marker_filter_push (filter, "\033]77", 4);
  interp_marker_filter_set_token (filter, "ffffffffffffffff");
  interp_marker_filter_push (filter, "70;", 3);
  g_assert_cmpstr (seen->str, ==, START (1) "\033]7770;");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernel/marker-filter/pieces", test_pieces);
  g_test_add_func ("/kernel/marker-filter/holds-little", test_holds_little);
  g_test_add_func ("/kernel/marker-filter/one-piece", test_one_piece);
  g_test_add_func ("/kernel/marker-filter/token", test_token_changes);
  return g_test_run ();
}
