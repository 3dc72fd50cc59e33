/* interp-paths.c: where our files live
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "base/interp-paths.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define FOLDER "interpreter"

/* Makes a folder that only the user can enter. That it cannot be made is told by whatever then uses it. */
static char *
make_private (char *path)
{
  if (g_mkdir_with_parents (path, 0700) != 0)
    g_info ("Cannot make the folder %s: %s", path, g_strerror (errno));
  return path;
}

const char *
interp_paths_data (void)
{
  static char *path;

  if (g_once_init_enter_pointer (&path))
    g_once_init_leave_pointer (&path, make_private (g_build_filename (g_get_user_data_dir (), FOLDER, NULL)));
  return path;
}

const char *
interp_paths_config (void)
{
  static char *path;

  if (g_once_init_enter_pointer (&path))
    g_once_init_leave_pointer (&path, make_private (g_build_filename (g_get_user_config_dir (), FOLDER, NULL)));
  return path;
}

const char *
interp_paths_cache (void)
{
  static char *path;

  if (g_once_init_enter_pointer (&path))
    g_once_init_leave_pointer (&path, make_private (g_build_filename (g_get_user_cache_dir (), FOLDER, NULL)));
  return path;
}

const char *
interp_paths_runtime (void)
{
  static char *path;

  if (g_once_init_enter_pointer (&path))
    {
      const char *base = g_getenv ("XDG_RUNTIME_DIR");
      char *found;

      /* The variable may be inherited from a session that is over, or from another user by su. */
      if (base != NULL && g_path_is_absolute (base) && access (base, W_OK | X_OK) == 0)
        found = g_build_filename (base, FOLDER, NULL);
      else
        found = g_build_filename (interp_paths_cache (), "runtime", NULL);
      g_once_init_leave_pointer (&path, make_private (found));
    }
  return path;
}

gboolean
interp_paths_from_build (void)
{
  static gsize answer; /* 0 unknown, 1 no, 2 yes */

  if (g_once_init_enter (&answer))
    {
      g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
      gboolean built = program != NULL && g_str_has_prefix (program, BUILDDIR G_DIR_SEPARATOR_S);

      g_once_init_leave (&answer, built ? 2 : 1);
    }
  return answer == 2;
}

/* Names come from code and from description files: they stay within their folder. */
static gboolean
is_inside (const char *name)
{
  g_auto (GStrv) parts = g_strsplit (name, "/", -1);

  if (*name == '\0' || g_path_is_absolute (name))
    return FALSE;
  return !g_strv_contains ((const char *const *) parts, "..");
}

static char *
find_in (const char *folder, const char *name, GFileTest test)
{
  g_autofree char *path = NULL;

  if (folder == NULL || *folder == '\0')
    return NULL;
  path = g_build_filename (folder, name, NULL);
  return g_file_test (path, test) ? g_steal_pointer (&path) : NULL;
}

char *
interp_paths_find_data (const char *name)
{
  char *path;

  g_return_val_if_fail (name != NULL, NULL);

  if (!is_inside (name))
    return NULL;
  path = find_in (g_getenv ("INTERP_DATADIR"), name, G_FILE_TEST_EXISTS);
  if (path == NULL && interp_paths_from_build ())
    path = find_in (SOURCEDIR "/data", name, G_FILE_TEST_EXISTS);
  if (path == NULL)
    path = find_in (PKGDATADIR, name, G_FILE_TEST_EXISTS);
  return path;
}

char *
interp_paths_find_program (const char *name)
{
  static const char *const built[] = { BUILDDIR "/src/launcher", BUILDDIR "/src/desktop", BUILDDIR "/src/console" };
  char *path = NULL;

  g_return_val_if_fail (name != NULL, NULL);

  if (!is_inside (name))
    return NULL;
  for (guint i = 0; path == NULL && interp_paths_from_build () && i < G_N_ELEMENTS (built); i++)
    path = find_in (built[i], name, G_FILE_TEST_IS_EXECUTABLE);
  if (path == NULL)
    path = find_in (LIBEXECDIR, name, G_FILE_TEST_IS_EXECUTABLE);
  if (path == NULL)
    path = find_in (BINDIR, name, G_FILE_TEST_IS_EXECUTABLE);
  return path;
}

char *
interp_paths_display (const char *path)
{
  const char *home = g_get_home_dir ();
  gsize length;

  g_return_val_if_fail (path != NULL, NULL);

  length = strlen (home);
  while (length > 0 && home[length - 1] == '/')
    length--;
  if (length > 0 && strncmp (path, home, length) == 0 && (path[length] == '\0' || path[length] == '/'))
    return g_strconcat ("~", path + length, NULL);
  return g_strdup (path);
}

gboolean
interp_paths_write_atomically (const char *path, const char *bytes, gssize length, GError **error)
{
  g_autofree char *folder = NULL;

  g_return_val_if_fail (path != NULL, FALSE);
  g_return_val_if_fail (bytes != NULL || length == 0, FALSE);

  folder = g_path_get_dirname (path);
  if (g_mkdir_with_parents (folder, 0700) != 0)
    {
      int code = errno;

      g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (code), "%s: %s", folder, g_strerror (code));
      return FALSE;
    }
  return g_file_set_contents_full (path, bytes != NULL ? bytes : "", length, G_FILE_SET_CONTENTS_CONSISTENT, 0600,
                                   error);
}
