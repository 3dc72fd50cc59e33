/* interp-artifacts.c: pictures that code writes into its folder
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "kernel/interp-artifacts.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/interp-fiber.h"

#define MAX_ENTRIES 2000
#define CLOCK_SLACK_USEC (2 * G_USEC_PER_SEC)

typedef struct
{
  gint64 modified; /* ns */
  gint64 changed;  /* ns: when the entry itself was last changed */
  gint64 size;
  guint64 inode;
} Entry;

struct _InterpArtifacts
{
  gatomicrefcount refs;
  char *folder;
  GHashTable *entries; /* path → Entry */
};

static const struct
{
  const char *extension;
  const char *mime;
} pictures[] = {
  { ".png", "image/png" },     { ".jpg", "image/jpeg" },  { ".jpeg", "image/jpeg" },
  { ".svg", "image/svg+xml" }, { ".webp", "image/webp" }, { ".gif", "image/gif" },
};

G_DEFINE_BOXED_TYPE (InterpArtifacts, interp_artifacts, interp_artifacts_ref, interp_artifacts_unref)

InterpArtifacts *
interp_artifacts_ref (InterpArtifacts *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
interp_artifacts_unref (InterpArtifacts *self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  g_free (self->folder);
  g_hash_table_unref (self->entries);
  g_free (self);
}

const char *
interp_artifacts_get_mime (const char *path)
{
  const char *dot;

  g_return_val_if_fail (path != NULL, NULL);

  dot = strrchr (path, '.');
  for (guint i = 0; dot && i < G_N_ELEMENTS (pictures); i++)
    if (g_ascii_strcasecmp (dot, pictures[i].extension) == 0)
      return pictures[i].mime;
  return NULL;
}

static void
scan_folder (InterpArtifacts *self, const char *path)
{
  DIR *folder = opendir (path);
  struct dirent *entry;

  if (!folder)
    return;
  for (guint n = 0; n < MAX_ENTRIES && (entry = readdir (folder)); n++)
    {
      struct stat status;
      Entry *found;

      if (!interp_artifacts_get_mime (entry->d_name) || *entry->d_name == '.'
          || fstatat (dirfd (folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG (status.st_mode)
          || status.st_size == 0)
        continue;
      found = g_new0 (Entry, 1);
      found->modified = status.st_mtim.tv_sec * G_GINT64_CONSTANT (1000000000) + status.st_mtim.tv_nsec;
      found->changed = status.st_ctim.tv_sec * G_GINT64_CONSTANT (1000000000) + status.st_ctim.tv_nsec;
      found->size = status.st_size;
      found->inode = status.st_ino;
      g_hash_table_replace (self->entries, g_build_filename (path, entry->d_name, NULL), found);
    }
  closedir (folder);
}

static DexFuture *
scan_worker (gpointer data)
{
  static const char *const below[] = { "out", "plots", "figures" };
  const char *folder = data;
  InterpArtifacts *self = g_new0 (InterpArtifacts, 1);

  g_atomic_ref_count_init (&self->refs);
  self->folder = g_strdup (folder);
  self->entries = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  scan_folder (self, folder);
  for (guint i = 0; i < G_N_ELEMENTS (below); i++)
    {
      g_autofree char *path = g_build_filename (folder, below[i], NULL);

      scan_folder (self, path);
    }
  return dex_future_new_take_boxed (INTERP_TYPE_ARTIFACTS, self);
}

DexFuture *
interp_artifacts_scan (const char *folder)
{
  g_return_val_if_fail (folder != NULL, NULL);

  return interp_worker_run ("scan-artifacts", scan_worker, g_strdup (folder), g_free);
}

typedef struct
{
  const char *path;
  gint64 modified;
} Found;

static int
compare_found (gconstpointer a, gconstpointer b)
{
  const Found *one = a, *other = b;

  if (one->modified != other->modified)
    return one->modified < other->modified ? -1 : 1;
  return strcmp (one->path, other->path);
}

GStrv
interp_artifacts_compare (const InterpArtifacts *before, const InterpArtifacts *after, gint64 since, guint max_paths)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (Found));
  GHashTableIter iter;
  gpointer path, value;

  g_return_val_if_fail (after != NULL, NULL);

  if (!before || !g_str_equal (before->folder, after->folder))
    return g_strv_builder_end (builder);
  g_hash_table_iter_init (&iter, after->entries);
  while (g_hash_table_iter_next (&iter, &path, &value))
    {
      const Entry *now = value, *then = g_hash_table_lookup (before->entries, path);
      Found one = { path, now->modified };

      if (then && then->modified == now->modified && then->size == now->size && then->inode == now->inode)
        continue;
      if (now->changed / 1000 < since - CLOCK_SLACK_USEC)
        continue;
      g_array_append_val (found, one);
    }
  g_array_sort (found, compare_found);
  for (guint i = 0; i < found->len && i < max_paths; i++)
    g_strv_builder_add (builder, g_array_index (found, Found, i).path);
  return g_strv_builder_end (builder);
}
