/* interp-display.c: one rich result: a chart, a table, a file
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "kernel/interp-display.h"

#include <sys/stat.h>

#include <glib/gi18n.h>
#include <glib/gstdio.h>

#include "base/interp-fiber.h"

struct _InterpDisplay
{
  GObject parent_instance;

  char *mime;
  char *path;
  GBytes *bytes;
  char *source;
  char *text;
  char *display_id;
  double scale;
};

G_DEFINE_FINAL_TYPE (InterpDisplay, interp_display, G_TYPE_OBJECT)

static void
interp_display_finalize (GObject *object)
{
  InterpDisplay *self = INTERP_DISPLAY (object);

  g_free (self->mime);
  g_free (self->path);
  g_clear_pointer (&self->bytes, g_bytes_unref);
  g_free (self->source);
  g_free (self->text);
  g_free (self->display_id);
  G_OBJECT_CLASS (interp_display_parent_class)->finalize (object);
}

static void
interp_display_class_init (InterpDisplayClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = interp_display_finalize;
}

static void
interp_display_init (InterpDisplay *self)
{
  self->scale = 1;
}

InterpDisplay *
interp_display_new (const char *mime, GBytes *bytes, const char *path)
{
  InterpDisplay *self;

  g_return_val_if_fail (mime != NULL, NULL);
  g_return_val_if_fail (bytes != NULL || path != NULL, NULL);

  self = g_object_new (INTERP_TYPE_DISPLAY, NULL);
  self->mime = g_strdup (mime);
  self->bytes = bytes ? g_bytes_ref (bytes) : NULL;
  self->path = g_strdup (path);
  return self;
}

const char *
interp_display_get_mime (InterpDisplay *self)
{
  g_return_val_if_fail (INTERP_IS_DISPLAY (self), NULL);

  return self->mime;
}

const char *
interp_display_get_path (InterpDisplay *self)
{
  g_return_val_if_fail (INTERP_IS_DISPLAY (self), NULL);

  return self->path;
}

GBytes *
interp_display_get_bytes (InterpDisplay *self)
{
  g_return_val_if_fail (INTERP_IS_DISPLAY (self), NULL);

  return self->bytes;
}

static DexFuture *
load_worker (gpointer data)
{
  const char *path = data;
  g_autoptr (GError) error = NULL;
  GStatBuf status;
  char *contents;
  gsize length;

  if (g_stat (path, &status) == 0 && (!S_ISREG (status.st_mode) || status.st_size > INTERP_DISPLAY_MAX))
    return dex_future_new_reject (G_IO_ERROR, G_IO_ERROR_NO_SPACE, _ ("The result is too large to be shown"));
  if (!g_file_get_contents (path, &contents, &length, &error))
    return dex_future_new_for_error (g_steal_pointer (&error));
  return dex_future_new_take_boxed (G_TYPE_BYTES, g_bytes_new_take (contents, length));
}

DexFuture *
interp_display_load (InterpDisplay *self)
{
  g_return_val_if_fail (INTERP_IS_DISPLAY (self), NULL);

  if (self->bytes)
    return dex_future_new_take_boxed (G_TYPE_BYTES, g_bytes_ref (self->bytes));
  return interp_worker_run ("load-display", load_worker, g_strdup (self->path), g_free);
}

const char *
interp_display_get_source (InterpDisplay *self)
{
  g_return_val_if_fail (INTERP_IS_DISPLAY (self), NULL);

  return self->source;
}

void
interp_display_set_source (InterpDisplay *self, const char *path)
{
  g_return_if_fail (INTERP_IS_DISPLAY (self));

  g_set_str (&self->source, path);
}

double
interp_display_get_scale (InterpDisplay *self)
{
  g_return_val_if_fail (INTERP_IS_DISPLAY (self), 1);

  return self->scale;
}

void
interp_display_set_scale (InterpDisplay *self, double scale)
{
  g_return_if_fail (INTERP_IS_DISPLAY (self));

  self->scale = scale >= 0.1 && scale <= 10 ? scale : 1;
}

const char *
interp_display_get_text (InterpDisplay *self)
{
  g_return_val_if_fail (INTERP_IS_DISPLAY (self), NULL);

  return self->text;
}

void
interp_display_set_text (InterpDisplay *self, const char *text)
{
  g_return_if_fail (INTERP_IS_DISPLAY (self));

  g_set_str (&self->text, text);
}

const char *
interp_display_get_display_id (InterpDisplay *self)
{
  g_return_val_if_fail (INTERP_IS_DISPLAY (self), NULL);

  return self->display_id;
}

void
interp_display_set_display_id (InterpDisplay *self, const char *id)
{
  g_return_if_fail (INTERP_IS_DISPLAY (self));

  g_set_str (&self->display_id, id);
}
