/* fuzz-terminal-text.c: what a program writes to its terminal
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "base/interp-terminal-text.h"
#include "fuzz.h"

#include <string.h>

static void
feed_piece (const char *piece, gsize length, gpointer terminal)
{
  interp_terminal_text_feed (terminal, piece, length);
}

static char *
parse (const char *bytes, gsize length, FuzzCut cut, gpointer data)
{
  const guint *kept = data;
  g_autoptr (InterpTerminalText) terminal = interp_terminal_text_new (*kept, *kept);
  g_autoptr (GArray) spans = NULL;
  g_autofree char *text = NULL;
  g_autoptr (GString) log = NULL;
  gsize behind = 0;

  fuzz_cut_bytes (bytes, length, cut, feed_piece, terminal);
  text = interp_terminal_text_to_string (terminal, &spans);
  fuzz_check_text (text);
  g_assert_null (strchr (text, '\x1b'));
  g_assert_cmpuint (interp_terminal_text_get_n_bytes (terminal), ==, length);
  g_assert_cmpuint (interp_terminal_text_get_n_dropped (terminal), <=, interp_terminal_text_get_n_lines (terminal));
  if (*kept == 0)
    g_assert_cmpuint (interp_terminal_text_get_n_dropped (terminal), ==, 0);

  log = g_string_new (text);
  for (guint i = 0; i < spans->len; i++)
    {
      const InterpTextSpan *span = &g_array_index (spans, InterpTextSpan, i);

      g_assert_cmpuint (span->start, >=, behind);
      g_assert_cmpuint (span->start, <, span->end);
      g_assert_cmpuint (span->end, <=, strlen (text));
      behind = span->end;
      g_string_append_printf (log, "\n%" G_GSIZE_FORMAT "-%" G_GSIZE_FORMAT " %u %d %d", span->start, span->end,
                              span->flags, span->foreground, span->background);
    }
  g_string_append_printf (log, "\n%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT,
                          interp_terminal_text_get_n_lines (terminal), interp_terminal_text_get_n_dropped (terminal));

  return g_string_free_and_steal (g_steal_pointer (&log));
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  guint kept[] = { 0, 3 };

  for (gsize i = 0; i < G_N_ELEMENTS (kept); i++)
    fuzz_check_cuts ((const char *) data, size, parse, &kept[i]);

  return 0;
}
