/* interp-kernel-channel.h: requests to a harness and its events
 *
 * data/kernels/PROTOCOL.md, sections 4 and 5. Both ends are pipes.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* Longest line either way, bytes. */
#define INTERP_KERNEL_LINE_MAX (1024 * 1024)

typedef enum
{
  INTERP_KERNEL_REQUESTS_JSON,
  INTERP_KERNEL_REQUESTS_TAB,
} InterpKernelRequests;

/* @event: one event, an object; NULL when the channel has ended. */
typedef void (*InterpKernelEventFunc) (JsonNode *event, gpointer user_data);

typedef struct _InterpKernelChannel InterpKernelChannel;

/* Takes our ends of both pipes. */
InterpKernelChannel *interp_kernel_channel_new (int requests, int events, InterpKernelRequests form,
                                                InterpKernelEventFunc event, gpointer user_data);
/* May be called from within @event. */
void interp_kernel_channel_free (InterpKernelChannel *self);

/* @code goes along where the form allows it and it is not too long; it is in the file at @path anyway.
 * Writes what the pipe takes at once and queues the rest. */
void interp_kernel_channel_execute (InterpKernelChannel *self, guint64 id, const char *path, const char *code);
/* "interrupt", "nop", "shutdown". */
void interp_kernel_channel_send (InterpKernelChannel *self, const char *request, guint64 id);
void interp_kernel_channel_configure (InterpKernelChannel *self, int columns, gboolean dark, gboolean inline_data);

/* Reads the events that have come; for the end of the process. */
void interp_kernel_channel_drain (InterpKernelChannel *self);

G_END_DECLS
