/* interp-write-queue.c
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <errno.h>
#include <unistd.h>

#include <glib-unix.h>

#include "base/interp-write-queue.h"

/* A large paste must not hold up a turn of the main loop. */
#define PIECE (64 * 1024)

struct _InterpWriteQueue
{
  const char *name;
  GByteArray *bytes;
  GSource *source; /* waits for room */
};

InterpWriteQueue *
interp_write_queue_new (const char *name)
{
  InterpWriteQueue *self = g_new0 (InterpWriteQueue, 1);

  self->name = name;
  self->bytes = g_byte_array_new ();
  return self;
}

void
interp_write_queue_clear (InterpWriteQueue *self)
{
  g_return_if_fail (self != NULL);

  g_byte_array_set_size (self->bytes, 0);
  if (self->source != NULL)
    g_source_destroy (self->source);
  g_clear_pointer (&self->source, g_source_unref);
}

void
interp_write_queue_free (InterpWriteQueue *self)
{
  if (self == NULL)
    return;
  interp_write_queue_clear (self);
  g_byte_array_unref (self->bytes);
  g_free (self);
}

gsize
interp_write_queue_get_length (InterpWriteQueue *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->bytes->len;
}

/* TRUE when nothing is left to write. */
static gboolean
write_bytes (InterpWriteQueue *self, int fd)
{
  while (self->bytes->len > 0)
    {
      ssize_t written = write (fd, self->bytes->data, MIN (self->bytes->len, PIECE));

      if (written < 0 && errno == EINTR)
        continue;
      if (written < 0 && errno == EAGAIN)
        return FALSE;
      if (written <= 0)
        {
          g_byte_array_set_size (self->bytes, 0);
          break;
        }
      g_byte_array_remove_range (self->bytes, 0, (guint) written);
    }
  return TRUE;
}

static gboolean
on_room (int fd, GIOCondition condition, gpointer user_data)
{
  InterpWriteQueue *self = user_data;

  if (!write_bytes (self, fd))
    return G_SOURCE_CONTINUE;
  g_clear_pointer (&self->source, g_source_unref);
  return G_SOURCE_REMOVE;
}

void
interp_write_queue_push (InterpWriteQueue *self, int fd, const char *bytes, gsize length)
{
  g_return_if_fail (self != NULL);
  g_return_if_fail (bytes != NULL || length == 0);

  g_byte_array_append (self->bytes, (const guint8 *) bytes, (guint) length);
  if (self->source != NULL || write_bytes (self, fd))
    return;
  self->source = g_unix_fd_source_new (fd, G_IO_OUT | G_IO_ERR);
  g_source_set_static_name (self->source, self->name);
  g_source_set_callback (self->source, G_SOURCE_FUNC (on_room), self, NULL);
  g_source_attach (self->source, NULL);
}
