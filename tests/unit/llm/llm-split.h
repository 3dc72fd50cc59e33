/* llm-split.h: one text, cut everywhere
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <glib.h>
#include <string.h>

/* Feeds all of @pieces, each its own push, and gives back what came of it as text to compare. */
typedef char *(*SplitFunc) (const char *const *pieces, const gsize *lengths, guint n, gpointer data);

/* The result of the whole text must be @expected, and so must that of the text fed byte by byte, in two pieces cut at
 * every byte, and in pieces of random length. */
static inline void
check_splits (const char *text, gssize length, const char *expected, SplitFunc func, gpointer data)
{
  gsize size = length < 0 ? strlen (text) : (gsize) length;
  g_autofree const char **pieces = g_new0 (const char *, size + 2);
  g_autofree gsize *lengths = g_new0 (gsize, size + 2);
  g_autofree char *whole = NULL;
  g_autofree char *bytewise = NULL;

  pieces[0] = text;
  lengths[0] = size;
  whole = func (pieces, lengths, 1, data);
  g_assert_cmpstr (whole, ==, expected);

  for (gsize i = 0; i < size; i++)
    {
      pieces[i] = text + i;
      lengths[i] = 1;
    }
  bytewise = func (pieces, lengths, size, data);
  g_assert_cmpstr (bytewise, ==, expected);

  for (gsize cut = 1; cut < size; cut++)
    {
      g_autofree char *result = NULL;

      pieces[0] = text;
      lengths[0] = cut;
      pieces[1] = text + cut;
      lengths[1] = size - cut;
      result = func (pieces, lengths, 2, data);
      g_assert_cmpstr (result, ==, expected);
    }

  for (guint round = 0; round < 20; round++)
    {
      g_autofree char *result = NULL;
      gsize at = 0;
      guint n = 0;

      while (at < size)
        {
          gsize step = g_test_rand_int_range (1, 9);

          /* MIN () would draw twice. */
          step = MIN (step, size - at);
          pieces[n] = text + at;
          lengths[n++] = step;
          at += step;
        }
      result = func (pieces, lengths, n, data);
      g_assert_cmpstr (result, ==, expected);
    }
}

/* For parsers that take text: the same, cut between characters only. */
static inline void
check_text_splits (const char *text, const char *expected, SplitFunc func, gpointer data)
{
  gsize size = strlen (text);
  g_autofree const char **pieces = g_new0 (const char *, size + 2);
  g_autofree gsize *lengths = g_new0 (gsize, size + 2);
  g_autofree char *whole = NULL;
  g_autofree char *charwise = NULL;
  guint n = 0;

  pieces[0] = text;
  lengths[0] = size;
  whole = func (pieces, lengths, 1, data);
  g_assert_cmpstr (whole, ==, expected);

  for (const char *p = text; *p != '\0'; p = g_utf8_next_char (p))
    {
      pieces[n] = p;
      lengths[n++] = g_utf8_next_char (p) - p;
    }
  charwise = func (pieces, lengths, n, data);
  g_assert_cmpstr (charwise, ==, expected);

  for (const char *cut = text; *cut != '\0'; cut = g_utf8_next_char (cut))
    {
      g_autofree char *result = NULL;

      if (cut == text)
        continue;

      pieces[0] = text;
      lengths[0] = cut - text;
      pieces[1] = cut;
      lengths[1] = size - lengths[0];
      result = func (pieces, lengths, 2, data);
      g_assert_cmpstr (result, ==, expected);
    }
}
