/* interp-marker-filter.c: takes a kernel's own marks out of its terminal's bytes
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "kernel/interp-marker-filter.h"

#include <string.h>

/* An id of more digits is none. */
#define MAX_DIGITS 18

struct _InterpMarkerFilter
{
  InterpMarkerBytesFunc bytes;
  InterpMarkerMarkFunc mark;
  gpointer user_data;
  char *prefix; /* up to and including the ; after the token; NULL without a token */
  gsize prefix_length;
  GString *held;
};

typedef enum
{
  MATCH_NO,
  MATCH_SO_FAR,
  MATCH_WHOLE,
} Match;

InterpMarkerFilter *
interp_marker_filter_new (InterpMarkerBytesFunc bytes, InterpMarkerMarkFunc mark, gpointer user_data)
{
  InterpMarkerFilter *self;

  g_return_val_if_fail (bytes != NULL && mark != NULL, NULL);

  self = g_new0 (InterpMarkerFilter, 1);
  self->bytes = bytes;
  self->mark = mark;
  self->user_data = user_data;
  self->held = g_string_new (NULL);
  return self;
}

void
interp_marker_filter_free (InterpMarkerFilter *self)
{
  if (!self)
    return;
  g_string_free (self->held, TRUE);
  g_free (self->prefix);
  g_free (self);
}

void
interp_marker_filter_set_token (InterpMarkerFilter *self, const char *token)
{
  g_return_if_fail (self != NULL);

  interp_marker_filter_flush (self);
  g_free (self->prefix);
  self->prefix = token ? g_strdup_printf ("\033]7770;%s;", token) : NULL;
  self->prefix_length = self->prefix ? strlen (self->prefix) : 0;
}

/* How far the bytes held are a mark. */
static Match
interp_marker_filter_match (InterpMarkerFilter *self, InterpMark *mark, guint64 *id)
{
  static const struct
  {
    const char *word;
    InterpMark mark;
  } words[] = { { "start;", INTERP_MARK_START }, { "end;", INTERP_MARK_END } };
  const char *rest;
  gsize length = self->held->len;

  if (memcmp (self->held->str, self->prefix, MIN (length, self->prefix_length)) != 0)
    return MATCH_NO;
  if (length <= self->prefix_length)
    return MATCH_SO_FAR;
  rest = self->held->str + self->prefix_length;
  length -= self->prefix_length;
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    {
      gsize word_length = strlen (words[i].word), n_digits = 0;

      if (memcmp (rest, words[i].word, MIN (length, word_length)) != 0)
        continue;
      if (length <= word_length)
        return MATCH_SO_FAR;
      rest += word_length;
      length -= word_length;
      while (n_digits < length && g_ascii_isdigit (rest[n_digits]))
        n_digits++;
      if (n_digits > MAX_DIGITS)
        return MATCH_NO;
      if (n_digits == length)
        return MATCH_SO_FAR;
      if (n_digits == 0 || rest[n_digits] != '\a')
        return MATCH_NO;
      *mark = words[i].mark;
      *id = g_ascii_strtoull (rest, NULL, 10);
      return MATCH_WHOLE;
    }
  return MATCH_NO;
}

void
interp_marker_filter_flush (InterpMarkerFilter *self)
{
  g_autoptr (GString) held = NULL;

  g_return_if_fail (self != NULL);

  if (self->held->len == 0)
    return;
  held = g_steal_pointer (&self->held);
  self->held = g_string_new (NULL);
  self->bytes (held->str, held->len, self->user_data);
}

/* Where a mark may begin in @bytes, else @end. Coloured text has an escape every few words: those that are seen to be
 * none must not cut it into pieces, each of which would be written, shown and looked at by itself. */
static const char *
interp_marker_filter_find (InterpMarkerFilter *self, const char *bytes, const char *end)
{
  if (!self->prefix)
    return end;
  while (bytes < end && (bytes = memchr (bytes, '\033', (gsize) (end - bytes))) != NULL)
    {
      if (memcmp (bytes, self->prefix, MIN ((gsize) (end - bytes), self->prefix_length)) == 0)
        return bytes;
      bytes++;
    }
  return end;
}

void
interp_marker_filter_push (InterpMarkerFilter *self, const char *bytes, gsize length)
{
  const char *end = bytes + length;

  g_return_if_fail (self != NULL);

  while (bytes < end)
    {
      InterpMark mark;
      guint64 id;

      if (self->held->len == 0)
        {
          const char *stop = interp_marker_filter_find (self, bytes, end);

          if (stop > bytes)
            self->bytes (bytes, (gsize) (stop - bytes), self->user_data);
          bytes = stop;
          if (bytes == end)
            return;
        }
      else if (*bytes == '\033')
        {
          /* A mark has one escape, at its beginning. */
          interp_marker_filter_flush (self);
          continue;
        }
      g_string_append_c (self->held, *bytes++);
      switch (interp_marker_filter_match (self, &mark, &id))
        {
        case MATCH_WHOLE:
          g_string_truncate (self->held, 0);
          self->mark (mark, id, self->user_data);
          break;
        case MATCH_NO:
          interp_marker_filter_flush (self);
          break;
        case MATCH_SO_FAR:
          break;
        }
    }
}

gboolean
interp_marker_filter_is_holding (InterpMarkerFilter *self)
{
  g_return_val_if_fail (self != NULL, FALSE);

  return self->held->len > 0;
}
