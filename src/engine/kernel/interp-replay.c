/* interp-replay.c: the last megabyte of a terminal
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "kernel/interp-replay.h"

#include <string.h>

/* A ring that grows until it has its full size. */
struct _InterpReplay
{
  char *bytes;
  gsize capacity;
  gsize max_bytes;
  gsize start;
  gsize length;
  gboolean dropped;
};

InterpReplay *
interp_replay_new (gsize max_bytes)
{
  InterpReplay *self;

  g_return_val_if_fail (max_bytes > 0, NULL);

  self = g_new0 (InterpReplay, 1);
  self->max_bytes = max_bytes;
  return self;
}

void
interp_replay_free (InterpReplay *self)
{
  if (!self)
    return;
  g_free (self->bytes);
  g_free (self);
}

static void
interp_replay_copy_out (InterpReplay *self, char *to)
{
  gsize first = MIN (self->length, self->capacity - self->start);

  if (self->length == 0)
    return;
  memcpy (to, self->bytes + self->start, first);
  memcpy (to + first, self->bytes, self->length - first);
}

static void
interp_replay_grow (InterpReplay *self, gsize wanted)
{
  gsize capacity = MAX (self->capacity, 4096);
  char *larger;

  while (capacity < wanted)
    capacity *= 2;
  capacity = MIN (capacity, self->max_bytes);
  if (capacity <= self->capacity)
    return;
  larger = g_malloc (capacity);
  interp_replay_copy_out (self, larger);
  g_free (self->bytes);
  self->bytes = larger;
  self->capacity = capacity;
  self->start = 0;
}

void
interp_replay_push (InterpReplay *self, const char *bytes, gsize length)
{
  gsize end, first;

  g_return_if_fail (self != NULL);

  if (length == 0)
    return;
  if (self->length + length > self->capacity)
    interp_replay_grow (self, self->length + length);
  if (length > self->capacity)
    {
      bytes += length - self->capacity;
      length = self->capacity;
      self->dropped = TRUE;
    }
  if (self->length + length > self->capacity)
    {
      gsize drop = self->length + length - self->capacity;

      self->start = (self->start + drop) % self->capacity;
      self->length -= drop;
      self->dropped = TRUE;
    }
  end = (self->start + self->length) % self->capacity;
  first = MIN (length, self->capacity - end);
  memcpy (self->bytes + end, bytes, first);
  memcpy (self->bytes, bytes + first, length - first);
  self->length += length;
}

GBytes *
interp_replay_get (InterpReplay *self)
{
  g_autofree char *bytes = NULL;
  const char *line;
  gsize skip = 0;

  g_return_val_if_fail (self != NULL, NULL);

  bytes = g_malloc (MAX (self->length, 1));
  interp_replay_copy_out (self, bytes);
  if (self->dropped && (line = memchr (bytes, '\n', self->length)))
    skip = (gsize) (line + 1 - bytes);
  return g_bytes_new (bytes + skip, self->length - skip);
}
