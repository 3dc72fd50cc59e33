/* interp-write-queue.h: bytes on their way into a descriptor that may be full
 *
 * What cannot be written at once is kept and written as soon as there is room; nothing here blocks. How much may wait
 * is the caller's business.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _InterpWriteQueue InterpWriteQueue;

/* @name: of the source, for debugging; static. */
InterpWriteQueue *interp_write_queue_new (const char *name);
void interp_write_queue_free (InterpWriteQueue *self);

/* @fd is non-blocking and stays open until the queue is cleared. When nobody can read any more, all that waits is
 * dropped. */
void interp_write_queue_push (InterpWriteQueue *self, int fd, const char *bytes, gsize length);
gsize interp_write_queue_get_length (InterpWriteQueue *self); /* bytes that wait */
void interp_write_queue_clear (InterpWriteQueue *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpWriteQueue, interp_write_queue_free)

G_END_DECLS
