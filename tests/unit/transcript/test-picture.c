/* test-picture.c
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <gdk-pixbuf/gdk-pixbuf.h>
#include <string.h>

#include "base/interp-fiber.h"
#include "transcript/interp-picture.h"

typedef struct
{
  GBytes *bytes;
  const char *path;
  double scale;
  InterpPicture *picture;
  GError *error;
} Load;

static DexFuture *
load_fiber (gpointer data)
{
  Load *self = data;

  self->picture = dex_await_object (interp_picture_load (self->bytes, self->path, self->scale), &self->error);
  return dex_future_new_true ();
}

static InterpPicture *
load (GBytes *bytes, const char *path, double scale, GError **error)
{
  Load self = { .bytes = bytes, .path = path, .scale = scale };
  g_autoptr (DexFuture) future = interp_fiber_spawn (load_fiber, &self, NULL);

  while (dex_future_is_pending (future))
    g_main_context_iteration (NULL, TRUE);
  if (self.error)
    g_propagate_error (error, self.error);
  return self.picture;
}

static GBytes *
make_png (int width, int height)
{
  g_autoptr (GdkPixbuf) pixbuf = gdk_pixbuf_new (GDK_COLORSPACE_RGB, TRUE, 8, width, height);
  char *buffer = NULL;
  gsize size = 0;

  gdk_pixbuf_fill (pixbuf, 0x3584e4ff);
  g_assert_true (gdk_pixbuf_save_to_buffer (pixbuf, &buffer, &size, "png", NULL, NULL));
  return g_bytes_new_take (buffer, size);
}

static void
test_scale (void)
{
  g_autoptr (GBytes) bytes = make_png (200, 100);
  g_autoptr (InterpPicture) picture = load (bytes, NULL, 2, NULL);

  /* A chart drawn at twice the density takes half as many points. */
  g_assert_cmpint (gdk_texture_get_width (interp_picture_get_texture (picture)), ==, 200);
  g_assert_cmpint (gdk_paintable_get_intrinsic_width (GDK_PAINTABLE (picture)), ==, 100);
  g_assert_cmpint (gdk_paintable_get_intrinsic_height (GDK_PAINTABLE (picture)), ==, 50);
}

static void
test_large_is_shrunk (void)
{
  g_autoptr (GBytes) bytes = make_png (6000, 30);
  g_autoptr (InterpPicture) picture = load (bytes, NULL, 1, NULL);

  g_assert_cmpint (gdk_texture_get_width (interp_picture_get_texture (picture)), ==, 4096);
  g_assert_cmpint (gdk_paintable_get_intrinsic_width (GDK_PAINTABLE (picture)), ==, 6000);
}

/* A few bytes that ask for gigabytes when unpacked. */
static void
test_bomb (void)
{
  static const guint8 head[] = {
    0x89, 'P',  'N',  'G',  '\r', '\n', 0x1a, '\n', 0,    0,   0,   13,   'I',  'H', 'D',
    'R',  0,    0,    0xea, 0x60, 0,    0,    0xea, 0x60, 8,   6,   0,    0,    0,   0x80,
    0xd2, 0x75, 0x42, 0,    0,    0,    16,   'I',  'D',  'A', 'T', 0x78, 0x9c, /* 60000 × 60000 */
  };
  g_autoptr (GBytes) bytes = g_bytes_new_static (head, sizeof head);
  g_autoptr (GError) error = NULL;

  g_assert_null (load (bytes, NULL, 1, &error));
  g_assert_error (error, INTERP_PICTURE_ERROR, INTERP_PICTURE_ERROR_TOO_LARGE);
}

static void
test_vector (void)
{
  static const char svg[] = "<svg xmlns='http://www.w3.org/2000/svg' width='120' height='60'>"
                            "<rect width='120' height='60' fill='red'/></svg>";
  g_autoptr (GBytes) bytes = g_bytes_new_static (svg, sizeof svg - 1);
  g_autoptr (GError) error = NULL;
  g_autoptr (InterpPicture) picture = load (bytes, NULL, 1, &error);

  if (!picture)
    {
      g_test_skip ("no loader for SVG");
      return;
    }
  g_assert_cmpint (gdk_texture_get_width (interp_picture_get_texture (picture)), ==, 240);
  g_assert_cmpint (gdk_paintable_get_intrinsic_width (GDK_PAINTABLE (picture)), ==, 120);
}

static void
test_nonsense (void)
{
  g_autoptr (GBytes) text = g_bytes_new_static ("not a picture", 13);
  g_autoptr (GBytes) nothing = g_bytes_new_static ("", 0);
  g_autoptr (GBytes) whole = make_png (20, 20);
  g_autoptr (GError) error = NULL;

  g_assert_null (load (text, NULL, 1, &error));
  g_clear_error (&error);
  g_assert_null (load (nothing, NULL, 1, &error));
  g_clear_error (&error);
  g_assert_null (load (NULL, "/nonexistent/picture.png", 1, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND);
  g_clear_error (&error);
  /* Not a regular file: it is not waited for. */
  g_assert_null (load (NULL, "/dev/zero", 1, &error));
  g_clear_error (&error);

  for (gsize cut = 0; cut < g_bytes_get_size (whole); cut++)
    {
      g_autoptr (GBytes) part = g_bytes_new_from_bytes (whole, 0, cut);
      g_autoptr (GError) problem = NULL;
      g_autoptr (InterpPicture) picture = load (part, NULL, 1, &problem);

      g_assert_true ((picture != NULL) != (problem != NULL));
    }
}

int
main (int argc, char **argv)
{
  dex_init ();
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/transcript/picture/scale", test_scale);
  g_test_add_func ("/transcript/picture/large-is-shrunk", test_large_is_shrunk);
  g_test_add_func ("/transcript/picture/bomb", test_bomb);
  g_test_add_func ("/transcript/picture/vector", test_vector);
  g_test_add_func ("/transcript/picture/nonsense", test_nonsense);
  return g_test_run ();
}
