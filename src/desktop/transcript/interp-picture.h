/* interp-picture.h: pictures of runs and answers, decoded off the main thread within limits
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <gtk/gtk.h>
#include <libdex.h>

G_BEGIN_DECLS

#define INTERP_PICTURE_ERROR (interp_picture_error_quark ())
typedef enum
{
  INTERP_PICTURE_ERROR_TOO_LARGE,
  INTERP_PICTURE_ERROR_FORMAT,
} InterpPictureError;
GQuark interp_picture_error_quark (void);

/* A GdkPaintable whose size is that of the texture divided by its pixels per point: sharp on HiDPI. */
#define INTERP_TYPE_PICTURE (interp_picture_get_type ())
G_DECLARE_FINAL_TYPE (InterpPicture, interp_picture, INTERP, PICTURE, GObject)

GdkTexture *interp_picture_get_texture (InterpPicture *self);

/* Decodes @bytes, or the file @path when NULL, on a worker. @scale: pixels per point, 0 or 1 when unknown;
 * vector pictures are drawn at twice their size. Resolves to an InterpPicture. */
DexFuture *interp_picture_load (GBytes *bytes, const char *path, double scale);

G_END_DECLS
