/* fuzz.c: what the fuzz targets share
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "fuzz.h"

#include <string.h>

#define MAX_PIECE 24

static guint32
hash_bytes (const char *bytes, gsize length)
{
  guint32 hash = 2166136261u; /* FNV-1a */

  for (gsize i = 0; i < length; i++)
    hash = (hash ^ (guchar) bytes[i]) * 16777619u;

  return hash;
}

/* The end of a character of @text behind which at least @wanted bytes lie, or one byte of binary data. */
static gsize
step_length (const char *at, gsize left, gsize wanted, gboolean is_text)
{
  gsize step = MIN (wanted, left);

  while (is_text && step < left && ((guchar) at[step] & 0xc0) == 0x80)
    step++;

  return step;
}

static void
cut_input (const char *bytes, gsize length, FuzzCut cut, gboolean is_text, FuzzPieceFunc func, gpointer data)
{
  guint32 state = hash_bytes (bytes, length);

  for (gsize at = 0; at < length;)
    {
      g_autofree char *piece = NULL;
      gsize wanted = length;
      gsize step;

      if (cut == FUZZ_CUT_EVERYWHERE)
        wanted = 1;
      else if (cut == FUZZ_CUT_SOMEWHERE)
        {
          state = state * 1664525u + 1013904223u;
          wanted = 1 + (state >> 16) % MAX_PIECE;
        }

      /* A copy of its own, so that reading beyond it is seen. */
      step = step_length (bytes + at, length - at, wanted, is_text);
      piece = g_malloc (step + 1);
      memcpy (piece, bytes + at, step);
      piece[step] = '\0';
      func (piece, step, data);
      at += step;
    }
}

void
fuzz_cut_bytes (const char *bytes, gsize length, FuzzCut cut, FuzzPieceFunc func, gpointer data)
{
  cut_input (bytes, length, cut, FALSE, func, data);
}

void
fuzz_cut_text (const char *text, FuzzCut cut, FuzzPieceFunc func, gpointer data)
{
  cut_input (text, strlen (text), cut, TRUE, func, data);
}

void
fuzz_check_cuts (const char *bytes, gsize length, FuzzParseFunc func, gpointer data)
{
  g_autofree char *whole = func (bytes, length, FUZZ_CUT_NOT, data);

  fuzz_check_text (whole);
  for (FuzzCut cut = FUZZ_CUT_EVERYWHERE; cut < FUZZ_N_CUTS; cut++)
    {
      g_autofree char *pieces = func (bytes, length, cut, data);

      if (!g_str_equal (whole, pieces))
        g_error ("whole:\n%s\n%s:\n%s", whole, cut == FUZZ_CUT_EVERYWHERE ? "byte by byte" : "in pieces", pieces);
    }
}

void
fuzz_check_text (const char *text)
{
  if (!g_utf8_validate (text, -1, NULL))
    {
      g_autofree char *escaped = g_strescape (text, NULL);

      g_error ("not UTF-8: %s", escaped);
    }
}
