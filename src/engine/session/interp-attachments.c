/* interp-attachments.c: files that the user gives along with a message
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <gio/gio.h>

#include "base/interp-fiber.h"
#include "llm/interp-message.h"
#include "session/interp-attachments.h"

/* What all providers take, by the first bytes of the file. */
static const struct
{
  const char *mime;
  const char *magic;
  gsize length;
} pictures[] = {
  { "image/png", "\x89PNG\r\n\x1a\n", 8 },
  { "image/jpeg", "\xff\xd8\xff", 3 },
  { "image/gif", "GIF8", 4 },
  { "image/webp", "RIFF", 4 },
};

static void
picture_free (gpointer data)
{
  InterpPicture *picture = data;

  g_free (picture->mime);
  g_bytes_unref (picture->bytes);
  g_free (picture);
}

static InterpPicture *
load_picture (const char *path)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GFileInfo) info = NULL;
  g_autoptr (GBytes) bytes = NULL;
  const char *start;
  gsize length;

  info = g_file_query_info (file, G_FILE_ATTRIBUTE_STANDARD_SIZE "," G_FILE_ATTRIBUTE_STANDARD_TYPE,
                            G_FILE_QUERY_INFO_NONE, NULL, NULL);
  if (info == NULL || g_file_info_get_file_type (info) != G_FILE_TYPE_REGULAR
      || g_file_info_get_size (info) > INTERP_ATTACHMENTS_PICTURE_MAX)
    return NULL;
  bytes = g_file_load_bytes (file, NULL, NULL, NULL);
  if (bytes == NULL)
    return NULL;

  start = g_bytes_get_data (bytes, &length);
  for (gsize i = 0; i < G_N_ELEMENTS (pictures); i++)
    if (length > pictures[i].length && memcmp (start, pictures[i].magic, pictures[i].length) == 0)
      {
        InterpPicture *picture = g_new0 (InterpPicture, 1);

        picture->mime = g_strdup (pictures[i].mime);
        picture->bytes = g_steal_pointer (&bytes);

        return picture;
      }

  return NULL;
}

static DexFuture *
load_pictures (gpointer data)
{
  char **paths = data;
  GPtrArray *loaded = g_ptr_array_new_with_free_func (picture_free);

  for (gsize i = 0; paths[i] != NULL; i++)
    {
      InterpPicture *picture = load_picture (paths[i]);

      if (picture != NULL)
        g_ptr_array_add (loaded, picture);
    }

  return dex_future_new_take_boxed (G_TYPE_PTR_ARRAY, loaded);
}

DexFuture *
interp_attachments_load_pictures (const char *const *paths)
{
  g_return_val_if_fail (paths != NULL, NULL);

  return interp_worker_run ("Reading pictures", load_pictures, g_strdupv ((char **) paths),
                            (GDestroyNotify) g_strfreev);
}
