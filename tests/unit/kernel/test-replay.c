/* test-replay.c: the last bytes of a terminal, against a plain model
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "kernel/interp-replay.h"

#include <string.h>

static void
check (InterpReplay *replay, GString *all, gsize max_bytes)
{
  g_autoptr (GBytes) kept = interp_replay_get (replay);
  gsize start = 0;

  if (all->len > max_bytes)
    {
      const char *line;

      start = all->len - max_bytes;
      line = memchr (all->str + start, '\n', all->len - start);
      if (line)
        start = (gsize) (line + 1 - all->str);
    }
  g_assert_cmpmem (g_bytes_get_data (kept, NULL), g_bytes_get_size (kept), all->str + start, all->len - start);
}

static void
test_ring (gconstpointer data)
{
  gsize max_bytes = GPOINTER_TO_SIZE (data);
  g_autoptr (InterpReplay) replay = interp_replay_new (max_bytes);
  g_autoptr (GString) all = g_string_new (NULL);
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);

  check (replay, all, max_bytes);
  while (all->len < 10 * max_bytes)
    {
      g_autoptr (GString) piece = g_string_new (NULL);
      int length = g_rand_int_range (rand, 0, (int) max_bytes / (g_rand_int_range (rand, 0, 20) ? 9 : 1) + 3);

      for (int i = 0; i < length; i++)
        g_string_append_c (piece, g_rand_int_range (rand, 0, 30) ? 'a' + i % 26 : '\n');
      interp_replay_push (replay, piece->str, piece->len);
      g_string_append_len (all, piece->str, (gssize) piece->len);
      check (replay, all, max_bytes);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/kernel/replay/small", GSIZE_TO_POINTER (64), test_ring);
  g_test_add_data_func ("/kernel/replay/odd", GSIZE_TO_POINTER (5000), test_ring);
  g_test_add_data_func ("/kernel/replay/grows", GSIZE_TO_POINTER (20000), test_ring);
  return g_test_run ();
}
