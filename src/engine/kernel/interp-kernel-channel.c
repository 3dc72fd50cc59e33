/* interp-kernel-channel.c: requests to a harness and its events
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "kernel/interp-kernel-channel.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <glib-unix.h>
#include <glib/gstdio.h>

#include "base/interp-json.h"
#include "base/interp-splitter.h"
#include "base/interp-text.h"
#include "base/interp-write-queue.h"

#define READ_SIZE (64 * 1024)

/* What one turn of the main loop may handle, microseconds. */
#define TURN_USEC 4000

struct _InterpKernelChannel
{
  int requests;
  int events;
  InterpKernelRequests form;
  InterpKernelEventFunc event;
  gpointer user_data;

  InterpWriteQueue *queue;
  GSource *read_source;
  InterpLineSplitter *lines;
  gboolean ended;
  gboolean freed;
  guint busy; /* in a callback */
};

static void
destroy_source (GSource **source)
{
  if (*source)
    g_source_destroy (*source);
  g_clear_pointer (source, g_source_unref);
}

static void
interp_kernel_channel_release (InterpKernelChannel *self)
{
  if (!self->freed || self->busy > 0)
    return;
  g_clear_fd (&self->requests, NULL);
  g_clear_fd (&self->events, NULL);
  interp_write_queue_free (self->queue);
  interp_line_splitter_free (self->lines);
  g_free (self);
}

void
interp_kernel_channel_free (InterpKernelChannel *self)
{
  if (!self)
    return;
  self->freed = TRUE;
  destroy_source (&self->read_source);
  interp_write_queue_clear (self->queue);
  interp_kernel_channel_release (self);
}

/* ---- events ---- */

static void
interp_kernel_channel_handle (InterpKernelChannel *self, const char *line, gsize length)
{
  g_autofree char *valid = NULL;
  g_autoptr (JsonNode) event = NULL;

  if (length == 0 || memchr (line, '\0', length))
    return;
  /* A folder's name may be any bytes. */
  if (!g_utf8_validate (line, (gssize) length, NULL))
    line = valid = interp_text_make_valid (line, (gssize) length);
  event = interp_json_parse (line, valid ? -1 : (gssize) length, INTERP_JSON_PARSE_NONE, NULL);
  if (event && interp_json_is_object (event))
    self->event (event, self->user_data);
}

/* Handles whole lines for as long as one turn may last. FALSE when there are more. */
static gboolean
interp_kernel_channel_handle_lines (InterpKernelChannel *self, gboolean all)
{
  gint64 start = g_get_monotonic_time ();

  while (!self->freed && (all || g_get_monotonic_time () - start < TURN_USEC))
    {
      gsize length;
      g_autofree char *line = interp_line_splitter_next (self->lines, &length);

      if (!line)
        return TRUE;
      interp_kernel_channel_handle (self, line, length);
    }
  return self->freed;
}

static void
interp_kernel_channel_end (InterpKernelChannel *self)
{
  if (self->ended || self->freed)
    return;
  self->ended = TRUE;
  destroy_source (&self->read_source);
  self->event (NULL, self->user_data);
}

/* FALSE when nothing can be read now. */
static gboolean
interp_kernel_channel_read (InterpKernelChannel *self, gboolean *at_end)
{
  char bytes[READ_SIZE];
  ssize_t got;

  do
    got = read (self->events, bytes, sizeof bytes);
  while (got < 0 && errno == EINTR);
  *at_end = got == 0 || (got < 0 && errno != EAGAIN);
  if (got <= 0)
    return FALSE;
  interp_line_splitter_push (self->lines, bytes, (gsize) got);
  return TRUE;
}

static gboolean
read_cb (int fd, GIOCondition condition, gpointer user_data)
{
  InterpKernelChannel *self = user_data;
  gboolean all_handled, at_end = FALSE;

  self->busy++;
  /* Nothing new is read while there are lines, so that a flood fills the pipe and not our memory. */
  all_handled = interp_kernel_channel_handle_lines (self, FALSE);
  if (all_handled && !self->freed)
    {
      interp_kernel_channel_read (self, &at_end);
      all_handled = interp_kernel_channel_handle_lines (self, at_end);
      if (at_end)
        interp_kernel_channel_end (self);
    }
  /* Lines that wait for the next turn must not wait for the next bytes: these may have been the last. */
  if (self->read_source)
    g_source_set_ready_time (self->read_source, all_handled ? -1 : 0);
  self->busy--;
  interp_kernel_channel_release (self);
  return G_SOURCE_CONTINUE;
}

void
interp_kernel_channel_drain (InterpKernelChannel *self)
{
  gboolean at_end = FALSE;
  gsize rounds = 0;

  g_return_if_fail (self != NULL);

  self->busy++;
  /* A pipe holds 64 KB; a child that goes on writing is not waited for. */
  do
    interp_kernel_channel_handle_lines (self, TRUE);
  while (!self->ended && !self->freed && rounds++ < 64 && interp_kernel_channel_read (self, &at_end));
  self->busy--;
  interp_kernel_channel_release (self);
}

/* ---- requests ---- */

static void
interp_kernel_channel_queue (InterpKernelChannel *self, const char *text, gsize length)
{
  g_autofree char *line = NULL;

  /* A harness that reads nothing is not given ever more. */
  if (interp_write_queue_get_length (self->queue) > 8 * INTERP_KERNEL_LINE_MAX)
    return;
  line = g_strconcat (text, "\n", NULL);
  interp_write_queue_push (self->queue, self->requests, line, length + 1);
}

static void
interp_kernel_channel_queue_json (InterpKernelChannel *self, JsonNode *request)
{
  g_autoptr (JsonNode) owned = request;
  g_autofree char *text = interp_json_to_string (owned);

  interp_kernel_channel_queue (self, text, strlen (text));
}

static void G_GNUC_PRINTF (2, 3) interp_kernel_channel_queue_tab (InterpKernelChannel *self, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  interp_kernel_channel_queue (self, text, strlen (text));
}

void
interp_kernel_channel_execute (InterpKernelChannel *self, guint64 id, const char *path, const char *code)
{
  g_autoptr (JsonNode) request = NULL;
  g_autofree char *text = NULL;

  g_return_if_fail (self != NULL);
  g_return_if_fail (path != NULL && code != NULL);

  if (self->form == INTERP_KERNEL_REQUESTS_TAB)
    {
      interp_kernel_channel_queue_tab (self, "execute\t%" G_GUINT64_FORMAT "\t%s", id, path);
      return;
    }
  request = interp_json_object ("t", INTERP_JSON_STRING ("execute"), "id", INTERP_JSON_INT (id), "path",
                                INTERP_JSON_STRING (path), "code",
                                INTERP_JSON_STRING (strlen (code) < INTERP_KERNEL_LINE_MAX ? code : NULL), NULL);
  text = interp_json_to_string (request);
  if (strlen (text) >= INTERP_KERNEL_LINE_MAX)
    {
      /* Escaped it is too long. */
      g_clear_pointer (&request, json_node_unref);
      g_clear_pointer (&text, g_free);
      request = interp_json_object ("t", INTERP_JSON_STRING ("execute"), "id", INTERP_JSON_INT (id), "path",
                                    INTERP_JSON_STRING (path), NULL);
      text = interp_json_to_string (request);
    }
  interp_kernel_channel_queue (self, text, strlen (text));
}

void
interp_kernel_channel_send (InterpKernelChannel *self, const char *request, guint64 id)
{
  g_return_if_fail (self != NULL);
  g_return_if_fail (request != NULL);

  if (self->form == INTERP_KERNEL_REQUESTS_TAB)
    interp_kernel_channel_queue_tab (self, "%s\t%" G_GUINT64_FORMAT "\t", request, id);
  else
    interp_kernel_channel_queue_json (self, interp_json_object ("t", INTERP_JSON_STRING (request), "id",
                                                                INTERP_JSON_INT (id), NULL));
}

void
interp_kernel_channel_configure (InterpKernelChannel *self, int columns, gboolean dark, gboolean inline_data)
{
  g_return_if_fail (self != NULL);

  if (self->form == INTERP_KERNEL_REQUESTS_TAB)
    interp_kernel_channel_queue_tab (self, "config\t0\tcolumns=%d dark=%d inline=%d", columns, !!dark, !!inline_data);
  else
    interp_kernel_channel_queue_json (self,
                                      interp_json_object ("t", INTERP_JSON_STRING ("config"), "columns",
                                                          INTERP_JSON_INT (columns), "dark", INTERP_JSON_BOOL (dark),
                                                          "inline", INTERP_JSON_BOOL (inline_data), NULL));
}

InterpKernelChannel *
interp_kernel_channel_new (int requests, int events, InterpKernelRequests form, InterpKernelEventFunc event,
                           gpointer user_data)
{
  InterpKernelChannel *self;

  g_return_val_if_fail (event != NULL, NULL);

  self = g_new0 (InterpKernelChannel, 1);
  self->requests = requests;
  self->events = events;
  self->form = form;
  self->event = event;
  self->user_data = user_data;
  self->queue = interp_write_queue_new ("[interpreter] requests");
  self->lines = interp_line_splitter_new (INTERP_KERNEL_LINE_MAX);
  g_unix_set_fd_nonblocking (requests, TRUE, NULL);
  g_unix_set_fd_nonblocking (events, TRUE, NULL);
  self->read_source = g_unix_fd_source_new (events, G_IO_IN | G_IO_HUP | G_IO_ERR);
  g_source_set_priority (self->read_source, G_PRIORITY_DEFAULT_IDLE);
  g_source_set_static_name (self->read_source, "[interpreter] events");
  g_source_set_callback (self->read_source, G_SOURCE_FUNC (read_cb), self, NULL);
  g_source_attach (self->read_source, NULL);
  return self;
}
