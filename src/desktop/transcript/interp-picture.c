/* interp-picture.c: pictures of runs and answers, decoded off the main thread within limits
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "transcript/interp-picture.h"

#include <errno.h>
#include <fcntl.h>
#include <gdk-pixbuf/gdk-pixbuf.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/interp-fiber.h"

/* A picture file of a few kilobytes may ask for gigabytes when unpacked. */
#define MAX_FILE (64 * 1024 * 1024)
#define MAX_PIXELS (48.0 * 1000 * 1000)
/* Larger ones are scaled down for showing; saving keeps the original. */
#define MAX_SIDE 4096
#define CHUNK (16 * 1024)
#define VECTOR_SCALE 2

G_DEFINE_QUARK (interp - picture - error - quark, interp_picture_error)

struct _InterpPicture
{
  GObject parent_instance;

  GdkTexture *texture;
  double scale;
};

static void
interp_picture_snapshot (GdkPaintable *paintable, GdkSnapshot *snapshot, double width, double height)
{
  InterpPicture *self = INTERP_PICTURE (paintable);

  gtk_snapshot_append_scaled_texture (GTK_SNAPSHOT (snapshot), self->texture, GSK_SCALING_FILTER_TRILINEAR,
                                      &GRAPHENE_RECT_INIT (0, 0, (float) width, (float) height));
}

static GdkPaintableFlags
interp_picture_get_flags (GdkPaintable *paintable)
{
  return GDK_PAINTABLE_STATIC_CONTENTS | GDK_PAINTABLE_STATIC_SIZE;
}

static int
interp_picture_get_intrinsic_width (GdkPaintable *paintable)
{
  InterpPicture *self = INTERP_PICTURE (paintable);

  return MAX (1, (int) (gdk_texture_get_width (self->texture) / self->scale + 0.5));
}

static int
interp_picture_get_intrinsic_height (GdkPaintable *paintable)
{
  InterpPicture *self = INTERP_PICTURE (paintable);

  return MAX (1, (int) (gdk_texture_get_height (self->texture) / self->scale + 0.5));
}

static double
interp_picture_get_intrinsic_aspect_ratio (GdkPaintable *paintable)
{
  InterpPicture *self = INTERP_PICTURE (paintable);

  return (double) gdk_texture_get_width (self->texture) / gdk_texture_get_height (self->texture);
}

static void
interp_picture_paintable_init (GdkPaintableInterface *iface)
{
  iface->snapshot = interp_picture_snapshot;
  iface->get_flags = interp_picture_get_flags;
  iface->get_intrinsic_width = interp_picture_get_intrinsic_width;
  iface->get_intrinsic_height = interp_picture_get_intrinsic_height;
  iface->get_intrinsic_aspect_ratio = interp_picture_get_intrinsic_aspect_ratio;
}

G_DEFINE_FINAL_TYPE_WITH_CODE (InterpPicture, interp_picture, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (GDK_TYPE_PAINTABLE, interp_picture_paintable_init))

GdkTexture *
interp_picture_get_texture (InterpPicture *self)
{
  g_return_val_if_fail (INTERP_IS_PICTURE (self), NULL);

  return self->texture;
}

static void
interp_picture_finalize (GObject *object)
{
  g_clear_object (&INTERP_PICTURE (object)->texture);
  G_OBJECT_CLASS (interp_picture_parent_class)->finalize (object);
}

static void
interp_picture_class_init (InterpPictureClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = interp_picture_finalize;
}

static void
interp_picture_init (InterpPicture *self)
{
  self->scale = 1;
}

/* ---- decoding, on a worker ---- */

typedef struct
{
  GBytes *bytes;
  char *path;
  double scale;
} Load;

typedef struct
{
  GdkPixbufLoader *loader;
  int width;
  int height;
  gboolean vector;
  gboolean refused;
} Decode;

static void
load_free (gpointer data)
{
  Load *load = data;

  g_clear_pointer (&load->bytes, g_bytes_unref);
  g_free (load->path);
  g_free (load);
}

static void
on_size_prepared (GdkPixbufLoader *loader, int width, int height, gpointer user_data)
{
  Decode *decode = user_data;
  GdkPixbufFormat *format = gdk_pixbuf_loader_get_format (loader);
  double factor = 1;

  decode->width = width;
  decode->height = height;
  decode->vector = format && gdk_pixbuf_format_is_scalable (format);
  if (decode->vector)
    {
      factor = VECTOR_SCALE;
      if (width > 0 && height > 0)
        factor = MIN (factor, (double) MAX_SIDE / MAX (width, height));
      gdk_pixbuf_loader_set_size (loader, MAX (1, (int) (width * factor)), MAX (1, (int) (height * factor)));
    }
  else if (width < 1 || height < 1 || (double) width * height > MAX_PIXELS)
    {
      /* The loaders give up at this size before they allocate. */
      decode->refused = TRUE;
      gdk_pixbuf_loader_set_size (loader, 0, 0);
    }
}

static GBytes *
read_file (const char *path, GError **error)
{
  g_autofd int fd = g_open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
  g_autoptr (GByteArray) array = NULL;
  struct stat info;

  if (fd < 0 || fstat (fd, &info) < 0)
    {
      int saved = errno;

      g_set_error (error, G_IO_ERROR, g_io_error_from_errno (saved), "%s", g_strerror (saved));
      return NULL;
    }
  if (!S_ISREG (info.st_mode) || info.st_size > MAX_FILE)
    {
      g_set_error_literal (error, INTERP_PICTURE_ERROR, INTERP_PICTURE_ERROR_TOO_LARGE,
                           _ ("The file is too large to show."));
      return NULL;
    }
  array = g_byte_array_sized_new ((guint) info.st_size);
  while (array->len < MAX_FILE)
    {
      guint8 buffer[CHUNK];
      gssize n = read (fd, buffer, sizeof buffer);

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        break;
      g_byte_array_append (array, buffer, (guint) n);
    }
  return g_byte_array_free_to_bytes (g_steal_pointer (&array));
}

static GdkTexture *
texture_from_pixbuf (GdkPixbuf *pixbuf)
{
  g_autoptr (GBytes) bytes = gdk_pixbuf_read_pixel_bytes (pixbuf);
  gboolean alpha = gdk_pixbuf_get_has_alpha (pixbuf);

  return gdk_memory_texture_new (gdk_pixbuf_get_width (pixbuf), gdk_pixbuf_get_height (pixbuf),
                                 alpha ? GDK_MEMORY_R8G8B8A8 : GDK_MEMORY_R8G8B8, bytes,
                                 (gsize) gdk_pixbuf_get_rowstride (pixbuf));
}

static GdkPixbuf *
decode_bytes (GBytes *bytes, Decode *decode, GError **error)
{
  gsize length;
  const guint8 *data = g_bytes_get_data (bytes, &length);
  gboolean written = TRUE;
  GdkPixbuf *pixbuf;

  decode->loader = gdk_pixbuf_loader_new ();
  g_signal_connect (decode->loader, "size-prepared", G_CALLBACK (on_size_prepared), decode);
  for (gsize at = 0; written && !decode->refused && at < length; at += CHUNK)
    written = gdk_pixbuf_loader_write (decode->loader, data + at, MIN (CHUNK, length - at), error);
  /* Small files are only looked at when the loader is closed. */
  if (!gdk_pixbuf_loader_close (decode->loader, written && !decode->refused ? error : NULL))
    written = FALSE;
  if (decode->refused)
    {
      g_clear_error (error);
      g_set_error (error, INTERP_PICTURE_ERROR, INTERP_PICTURE_ERROR_TOO_LARGE,
                   /* Translators: width and height in pixels */
                   _ ("The picture is too large to show (%d × %d)."), decode->width, decode->height);
      return NULL;
    }
  if (!written)
    return NULL;
  pixbuf = gdk_pixbuf_loader_get_pixbuf (decode->loader);
  if (!pixbuf)
    {
      g_set_error_literal (error, INTERP_PICTURE_ERROR, INTERP_PICTURE_ERROR_FORMAT, _ ("This is not a picture."));
      return NULL;
    }
  return gdk_pixbuf_apply_embedded_orientation (pixbuf);
}

static DexFuture *
load_worker (gpointer data)
{
  Load *load = data;
  g_autoptr (GBytes) bytes = load->bytes ? g_bytes_ref (load->bytes) : NULL;
  g_autoptr (GdkPixbuf) pixbuf = NULL;
  g_autoptr (InterpPicture) picture = NULL;
  g_autoptr (GError) error = NULL;
  Decode decode = { 0 };
  double shrink;

  if (!bytes)
    bytes = read_file (load->path, &error);
  if (bytes)
    pixbuf = decode_bytes (bytes, &decode, &error);
  g_clear_object (&decode.loader);
  if (!pixbuf)
    return dex_future_new_for_error (g_steal_pointer (&error));

  picture = g_object_new (INTERP_TYPE_PICTURE, NULL);
  picture->scale = decode.vector && decode.width > 0 ? (double) gdk_pixbuf_get_width (pixbuf) / decode.width
                   : load->scale > 0                 ? load->scale
                                                     : 1;
  shrink = (double) MAX_SIDE / MAX (gdk_pixbuf_get_width (pixbuf), gdk_pixbuf_get_height (pixbuf));
  if (shrink < 1)
    {
      GdkPixbuf *smaller
          = gdk_pixbuf_scale_simple (pixbuf, MAX (1, (int) (gdk_pixbuf_get_width (pixbuf) * shrink)),
                                     MAX (1, (int) (gdk_pixbuf_get_height (pixbuf) * shrink)), GDK_INTERP_BILINEAR);

      if (smaller)
        {
          g_object_unref (pixbuf);
          pixbuf = smaller;
          picture->scale = MAX (picture->scale * shrink, 0.01);
        }
    }
  picture->texture = texture_from_pixbuf (pixbuf);
  return dex_future_new_take_object (g_steal_pointer (&picture));
}

DexFuture *
interp_picture_load (GBytes *bytes, const char *path, double scale)
{
  Load *load;

  g_return_val_if_fail (bytes != NULL || path != NULL, NULL);

  load = g_new0 (Load, 1);
  load->bytes = bytes ? g_bytes_ref (bytes) : NULL;
  load->path = g_strdup (path);
  load->scale = scale;
  return interp_worker_run ("decode picture", load_worker, load, load_free);
}
