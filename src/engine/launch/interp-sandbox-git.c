/* interp-sandbox-git.c: repositories in the folders of a sandbox
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "launch/interp-sandbox-private.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Such files hold one path. */
#define MAX_LINE 4096

static gboolean
is_folder (const char *path)
{
  struct stat status;

  return lstat (path, &status) == 0 && S_ISDIR (status.st_mode);
}

gboolean
interp_sandbox_is_repository (const char *git)
{
  g_autofree char *objects = NULL;
  g_autofree char *refs = NULL;

  g_return_val_if_fail (git != NULL, FALSE);

  objects = g_build_filename (git, "objects", NULL);
  refs = g_build_filename (git, "refs", NULL);
  return is_folder (git) && is_folder (objects) && is_folder (refs);
}

/* The path in the file @name of @folder, behind @prefix; made whole and real. */
static char *
read_path (const char *folder, const char *name, const char *prefix)
{
  g_autofree char *file = g_build_filename (folder, name, NULL);
  g_autofree char *text = NULL;
  g_autofree char *whole = NULL;
  struct stat status;
  char *real;
  char *copy;

  if (lstat (file, &status) < 0 || !S_ISREG (status.st_mode) || status.st_size > MAX_LINE
      || !g_file_get_contents (file, &text, NULL, NULL) || !g_str_has_prefix (text, prefix))
    return NULL;
  whole = g_canonicalize_filename (g_strchomp (text + strlen (prefix)), folder);
  real = realpath (whole, NULL);
  copy = g_strdup (real);
  free (real);
  return copy;
}

char *
interp_sandbox_find_repository_of_worktree (const char *folder)
{
  g_autofree char *own = NULL;  /* REPOSITORY/worktrees/NAME */
  g_autofree char *back = NULL; /* where it says that its worktree is */
  g_autofree char *link = NULL;
  g_autofree char *repository = NULL;
  g_autofree char *around = NULL;

  g_return_val_if_fail (folder != NULL, NULL);

  own = read_path (folder, ".git", "gitdir: ");
  back = own ? read_path (own, "gitdir", "") : NULL;
  repository = own ? read_path (own, "commondir", "") : NULL;
  link = g_build_filename (folder, ".git", NULL);
  /* Code may have written the file here; in the repository it cannot have. */
  if (!back || !repository || !g_str_equal (back, link) || !interp_sandbox_is_repository (repository))
    return NULL;
  around = g_strconcat (repository, "/worktrees/", NULL);
  return g_str_has_prefix (own, around) ? g_steal_pointer (&repository) : NULL;
}
