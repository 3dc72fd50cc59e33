/* interp-sandbox.c: what code in safe mode can reach
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "launch/interp-sandbox.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <glib/gi18n.h>

#include "base/interp-paths.h"
#include "launch/interp-sandbox-private.h"

/* More than any honest program starts at once; counted inside the sandbox alone. */
#define MAX_TASKS "4096"

/* LANDLOCK_CREATE_RULESET_VERSION of linux/landlock.h, and the version that can scope abstract sockets (Linux 6.12). */
#define LANDLOCK_ASK_VERSION 1u
#define LANDLOCK_VERSION_SCOPES 6

typedef enum
{
  MOUNT_PRIVATE, /* empty and its own */
  MOUNT_READ,
  MOUNT_WRITE,
  MOUNT_OVERLAY,
} MountKind;

typedef struct
{
  MountKind kind;
  char *path; /* the same inside */
  char *upper;
  char *work;
} Mount;

typedef struct
{
  char *path;
  char *target;
} Link;

struct _InterpSandbox
{
  GObject parent_instance;

  GPtrArray *mounts; /* Mount, as they were added */
  GPtrArray *links;  /* Link */
  GPtrArray *hidden; /* char *: real paths */
  char *home;        /* real */
  gboolean network;
};

G_DEFINE_QUARK (interp - sandbox - error, interp_sandbox_error)
G_DEFINE_FINAL_TYPE (InterpSandbox, interp_sandbox, G_TYPE_OBJECT)

/* What is shown of the system, read-only, where it is there. All else (homes, /mnt, /run, /srv, most of /var) is not:
 * so nothing new in it is ever shown by oversight. */
static const char *const system_folders[]
    = { "/bin", "/etc", "/gnu", "/lib", "/lib32", "/lib64", "/libx32", "/nix", "/opt", "/sbin", "/sys", "/usr" };
static const char *const system_parts[] = {
  "/run/current-system", "/run/opengl-driver",    "/run/opengl-driver-32", "/var/cache/fontconfig",
  "/var/cache/man",      "/var/lib/alternatives", "/var/lib/dpkg",         "/var/lib/flatpak",
  "/var/lib/pacman",     "/var/lib/rpm",          "/var/lib/texmf",
};

/* In the home folder: kept from code even where a folder around them is given. */
static const char *const secrets[] = {
  ".ssh",
  ".gnupg",
  ".aws",
  ".azure",
  ".kube",
  ".docker",
  ".netrc",
  ".pgpass",
  ".my.cnf",
  ".npmrc",
  ".pypirc",
  ".pki",
  ".git-credentials",
  ".password-store",
  ".mozilla",
  ".thunderbird",
  ".cargo/credentials",
  ".cargo/credentials.toml",
  ".config/gcloud",
  ".config/gh",
  ".config/rclone",
  ".config/google-chrome",
  ".config/chromium",
  ".config/git/credentials",
  ".local/share/keyrings",
  ".local/share/kwalletd",
};

static void
mount_free (gpointer data)
{
  Mount *mount = data;

  g_free (mount->path);
  g_free (mount->upper);
  g_free (mount->work);
  g_free (mount);
}

static void
link_free (gpointer data)
{
  Link *link = data;

  g_free (link->path);
  g_free (link->target);
  g_free (link);
}

static char *
dup_real (const char *path)
{
  char *real = realpath (path, NULL);
  char *copy = g_strdup (real);

  free (real);
  return copy;
}

/* @path is @folder, or inside it. */
static gboolean
is_within (const char *path, const char *folder)
{
  gsize length = strlen (folder);

  if (g_str_equal (folder, "/"))
    return *path == '/';
  return strncmp (path, folder, length) == 0 && (path[length] == '\0' || path[length] == '/');
}

static void
add_mount (InterpSandbox *self, MountKind kind, const char *path, const char *upper, const char *work)
{
  Mount *mount = g_new0 (Mount, 1);

  mount->kind = kind;
  mount->path = g_strdup (path);
  mount->upper = g_strdup (upper);
  mount->work = g_strdup (work);
  g_ptr_array_add (self->mounts, mount);
}

/* @path may lead to @real by symbolic links: then it does so inside too. Those at the top, as /home on some systems,
 * are there already. */
static void
add_link (InterpSandbox *self, const char *path, const char *real)
{
  g_autofree char *clean = g_canonicalize_filename (path, NULL);
  const char *rest = strchr (clean + 1, '/');
  g_autofree char *top = rest ? g_strndup (clean, (gsize) (rest - clean)) : g_strdup (clean);
  g_autofree char *real_top = dup_real (top);
  g_autofree char *from = g_strconcat (real_top ? real_top : top, rest, NULL);
  Link *link;

  if (g_str_equal (from, real))
    return;
  link = g_new0 (Link, 1);
  link->path = g_steal_pointer (&from);
  link->target = g_strdup (real);
  g_ptr_array_add (self->links, link);
}

static const Mount *
find_mount (InterpSandbox *self, const char *real)
{
  const Mount *found = NULL;

  for (guint i = 0; i < self->mounts->len; i++)
    {
      const Mount *mount = g_ptr_array_index (self->mounts, i);

      if (is_within (real, mount->path) && (!found || strlen (mount->path) >= strlen (found->path)))
        found = mount;
    }

  return found;
}

static gboolean
is_shown (InterpSandbox *self, const char *real)
{
  const Mount *mount = find_mount (self, real);

  return mount && mount->kind != MOUNT_PRIVATE;
}

static void
interp_sandbox_finalize (GObject *object)
{
  InterpSandbox *self = INTERP_SANDBOX (object);

  g_ptr_array_unref (self->mounts);
  g_ptr_array_unref (self->links);
  g_ptr_array_unref (self->hidden);
  g_free (self->home);
  G_OBJECT_CLASS (interp_sandbox_parent_class)->finalize (object);
}

static void
interp_sandbox_class_init (InterpSandboxClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = interp_sandbox_finalize;
}

static void
interp_sandbox_init (InterpSandbox *self)
{
  static const char *const private_folders[] = { "/tmp", "/var/tmp", "/run" };
  g_autofree char *runtime = g_strdup_printf ("/run/user/%u", (guint) getuid ());
  const char *home = g_get_home_dir ();

  self->mounts = g_ptr_array_new_with_free_func (mount_free);
  self->links = g_ptr_array_new_with_free_func (link_free);
  self->hidden = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < G_N_ELEMENTS (system_folders); i++)
    {
      g_autofree char *target = g_file_read_link (system_folders[i], NULL);

      if (target)
        {
          Link *link = g_new0 (Link, 1);

          link->path = g_strdup (system_folders[i]);
          link->target = g_steal_pointer (&target);
          g_ptr_array_add (self->links, link);
        }
      else if (g_file_test (system_folders[i], G_FILE_TEST_IS_DIR))
        add_mount (self, MOUNT_READ, system_folders[i], NULL, NULL);
    }
  for (guint i = 0; i < G_N_ELEMENTS (private_folders); i++)
    add_mount (self, MOUNT_PRIVATE, private_folders[i], NULL, NULL);
  add_mount (self, MOUNT_PRIVATE, runtime, NULL, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (system_parts); i++)
    interp_sandbox_add_readable (self, system_parts[i]);

  self->home = dup_real (home);
  if (!self->home)
    self->home = g_canonicalize_filename (home, NULL);
  if (!g_str_equal (self->home, "/"))
    {
      add_mount (self, MOUNT_PRIVATE, self->home, NULL, NULL);
      add_link (self, home, self->home);
    }
  for (guint i = 0; i < G_N_ELEMENTS (secrets); i++)
    {
      g_autofree char *path = g_build_filename (self->home, secrets[i], NULL);

      interp_sandbox_hide (self, path);
    }
}

InterpSandbox *
interp_sandbox_new (void)
{
  return g_object_new (INTERP_TYPE_SANDBOX, NULL);
}

/* ---- folders ---- */

/* The parts of /run/user/N and /run/media that are files of the user: what Files mounts. */
static gboolean
is_mounted_by_files (const char *real)
{
  g_autofree char *gvfs = g_strdup_printf ("/run/user/%u/gvfs/", (guint) getuid ());

  return g_str_has_prefix (real, gvfs) || g_str_has_prefix (real, "/run/media/");
}

static gboolean
is_system (const char *real)
{
  static const char *const whole[] = { "/boot", "/dev", "/proc", "/run" };
  static const char *const itself[]
      = { "/", "/home", "/media", "/mnt", "/srv", "/tmp", "/var", "/var/lib", "/var/tmp" };

  for (guint i = 0; i < G_N_ELEMENTS (whole); i++)
    if (is_within (real, whole[i]))
      return !is_mounted_by_files (real);
  for (guint i = 0; i < G_N_ELEMENTS (itself); i++)
    if (g_str_equal (real, itself[i]))
      return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (system_folders); i++)
    {
      g_autofree char *folder = dup_real (system_folders[i]);

      if (folder && is_within (real, folder))
        return TRUE;
    }
  return FALSE;
}

static gboolean
holds_ours (const char *real)
{
  const char *const ours[]
      = { interp_paths_data (), interp_paths_config (), interp_paths_cache (), interp_paths_runtime () };

  for (guint i = 0; i < G_N_ELEMENTS (ours); i++)
    {
      g_autofree char *folder = dup_real (ours[i]);

      if (folder && (is_within (folder, real) || is_within (real, folder)))
        return TRUE;
    }
  return FALSE;
}

static char *
check_folder (InterpSandbox *self, const char *path, GError **error)
{
  g_autofree char *real = dup_real (path);
  g_autofree char *shown = interp_paths_display (path);

  if (!real || !g_file_test (real, G_FILE_TEST_IS_DIR))
    g_set_error (error, INTERP_SANDBOX_ERROR, INTERP_SANDBOX_ERROR_FOLDER, _ ("%s is not a folder."), shown);
  else if (is_within (self->home, real))
    g_set_error (error, INTERP_SANDBOX_ERROR, INTERP_SANDBOX_ERROR_FOLDER,
                 /* Translators: a folder */
                 _ ("%s holds your home folder, which safe mode keeps from code. Choose a folder inside it."), shown);
  else if (holds_ours (real))
    g_set_error (error, INTERP_SANDBOX_ERROR, INTERP_SANDBOX_ERROR_FOLDER,
                 /* Translators: a folder */
                 _ ("%s holds Interpreter’s own data, which safe mode keeps from code. Choose another folder."), shown);
  else if (is_system (real))
    g_set_error (error, INTERP_SANDBOX_ERROR, INTERP_SANDBOX_ERROR_FOLDER,
                 /* Translators: a folder */
                 _ ("%s belongs to the system, which safe mode keeps from code. Choose another folder."), shown);
  else
    return g_steal_pointer (&real);
  return NULL;
}

gboolean
interp_sandbox_add_folder (InterpSandbox *self, const char *path, InterpAccess access, GError **error)
{
  g_autofree char *real = NULL;

  g_return_val_if_fail (INTERP_IS_SANDBOX (self), FALSE);
  g_return_val_if_fail (path != NULL, FALSE);

  real = check_folder (self, path, error);
  if (!real)
    return FALSE;
  if (access != INTERP_ACCESS_NONE)
    {
      g_autofree char *repository
          = access == INTERP_ACCESS_WRITE ? interp_sandbox_find_repository_of_worktree (real) : NULL;

      add_mount (self, access == INTERP_ACCESS_WRITE ? MOUNT_WRITE : MOUNT_READ, real, NULL, NULL);
      add_link (self, path, real);
      /* Without it git could not work there. */
      if (repository && !is_shown (self, repository) && !holds_ours (repository) && !is_system (repository))
        add_mount (self, MOUNT_WRITE, repository, NULL, NULL);
    }
  return TRUE;
}

gboolean
interp_sandbox_add_overlay (InterpSandbox *self, const char *path, const char *upper, const char *work, GError **error)
{
  g_autofree char *real = NULL;

  g_return_val_if_fail (INTERP_IS_SANDBOX (self), FALSE);
  g_return_val_if_fail (path != NULL && upper != NULL && work != NULL, FALSE);

  real = check_folder (self, path, error);
  if (!real)
    return FALSE;
  add_mount (self, MOUNT_OVERLAY, real, upper, work);
  add_link (self, path, real);
  return TRUE;
}

void
interp_sandbox_add_readable (InterpSandbox *self, const char *path)
{
  g_autofree char *real = NULL;

  g_return_if_fail (INTERP_IS_SANDBOX (self));
  g_return_if_fail (path != NULL);

  real = dup_real (path);
  if (!real || is_shown (self, real))
    return;
  add_mount (self, MOUNT_READ, real, NULL, NULL);
  add_link (self, path, real);
}

void
interp_sandbox_hide (InterpSandbox *self, const char *path)
{
  char *real;

  g_return_if_fail (INTERP_IS_SANDBOX (self));
  g_return_if_fail (path != NULL);

  real = dup_real (path);
  if (real)
    g_ptr_array_add (self->hidden, real);
}

void
interp_sandbox_set_network (InterpSandbox *self, gboolean network)
{
  g_return_if_fail (INTERP_IS_SANDBOX (self));

  self->network = network;
}

gboolean
interp_sandbox_get_network (InterpSandbox *self)
{
  g_return_val_if_fail (INTERP_IS_SANDBOX (self), FALSE);

  return self->network;
}

/* Hidden, unless it or something in it was given by name. */
static gboolean
is_hidden (InterpSandbox *self, const char *hidden)
{
  const Mount *mount = find_mount (self, hidden);

  return mount && mount->kind != MOUNT_PRIVATE && !g_str_equal (mount->path, hidden);
}

InterpAccess
interp_sandbox_get_access (InterpSandbox *self, const char *path)
{
  g_autofree char *real = NULL;
  g_autofree char *existing = NULL;
  const Mount *mount;

  g_return_val_if_fail (INTERP_IS_SANDBOX (self), INTERP_ACCESS_NONE);
  g_return_val_if_fail (path != NULL, INTERP_ACCESS_NONE);

  /* What is not there yet is judged by the folder that it would be in. */
  existing = g_canonicalize_filename (path, NULL);
  while (!(real = dup_real (existing)) && !g_str_equal (existing, "/"))
    {
      char *parent = g_path_get_dirname (existing);

      g_free (existing);
      existing = parent;
    }
  mount = real ? find_mount (self, real) : NULL;
  if (!mount || mount->kind == MOUNT_PRIVATE)
    return INTERP_ACCESS_NONE;
  for (guint i = 0; i < self->hidden->len; i++)
    {
      const char *hidden = g_ptr_array_index (self->hidden, i);

      if (is_within (real, hidden) && is_hidden (self, hidden))
        return INTERP_ACCESS_NONE;
    }
  return mount->kind == MOUNT_READ ? INTERP_ACCESS_READ : INTERP_ACCESS_WRITE;
}

/* ---- the program that is to run ---- */

/* Whether it may be shown whole for the sake of a program in it. */
static gboolean
is_prefix_harmless (InterpSandbox *self, const char *prefix)
{
  const char *const ours[] = { interp_paths_data (), interp_paths_config (), interp_paths_cache () };

  if (is_within (self->home, prefix) || is_system (prefix))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (ours); i++)
    {
      g_autofree char *folder = dup_real (ours[i]);

      if (folder && is_within (folder, prefix))
        return FALSE;
    }
  return TRUE;
}

/* PREFIX/bin/NAME comes with its PREFIX: its modules lie there. */
static void
add_with_prefix (InterpSandbox *self, const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *name = g_path_get_basename (folder);
  g_autofree char *parent = g_path_get_dirname (folder);
  g_autofree char *real = NULL;
  const char *prefix
      = g_str_equal (name, "bin") || g_str_equal (name, "sbin") || g_str_equal (name, "shims") ? parent : folder;

  real = dup_real (prefix);
  interp_sandbox_add_readable (self, real && is_prefix_harmless (self, real) ? prefix : path);
}

/* An interpreter may be a link to another that lies elsewhere, as in a venv. */
static void
add_program (InterpSandbox *self, const char *program)
{
  g_autofree char *path = g_strdup (program);
  g_autofree char *real = dup_real (program);

  if (!real || !g_path_is_absolute (program))
    return;
  for (guint i = 0; i < 16; i++)
    {
      g_autofree char *target = g_file_read_link (path, NULL);
      g_autofree char *folder = g_path_get_dirname (path);

      add_with_prefix (self, path);
      if (!target)
        break;
      g_free (path);
      path = g_canonicalize_filename (target, folder);
    }
  add_with_prefix (self, real);
}

/* One of our own: not judged. We write the code that is to run into its "cells": were that replaced by a link, we would
 * write elsewhere. */
static void
add_shared (InterpSandbox *self, const char *path)
{
  g_autofree char *real = dup_real (path);
  g_autofree char *cells = real ? g_build_filename (real, "cells", NULL) : NULL;

  if (!real)
    return;
  add_mount (self, MOUNT_WRITE, real, NULL, NULL);
  add_link (self, path, real);
  if (g_file_test (cells, G_FILE_TEST_IS_DIR))
    add_mount (self, MOUNT_READ, cells, NULL, NULL);
}

/* ---- the command ---- */

static void
add (GStrvBuilder *argv, const char *first, ...)
{
  va_list words;

  va_start (words, first);
  for (const char *word = first; word; word = va_arg (words, const char *))
    g_strv_builder_add (argv, word);
  va_end (words);
}

static int
compare_mounts (gconstpointer a, gconstpointer b)
{
  const Mount *first = *(const Mount *const *) a;
  const Mount *second = *(const Mount *const *) b;

  return strcmp (first->path, second->path);
}

/* What git runs by itself, outside too, the next time the user calls it there. */
static void
protect_repository (GStrvBuilder *argv, const char *git)
{
  g_autofree char *config = g_build_filename (git, "config", NULL);
  g_autofree char *hooks = g_build_filename (git, "hooks", NULL);
  struct stat status;

  if (!interp_sandbox_is_repository (git))
    return;
  /* What is mounted cannot be moved away to make room for another. */
  add (argv, "--bind", git, git, NULL);
  if (lstat (config, &status) == 0 && S_ISREG (status.st_mode))
    add (argv, "--ro-bind", config, config, NULL);
  if (lstat (hooks, &status) == 0 && S_ISDIR (status.st_mode))
    add (argv, "--ro-bind", hooks, hooks, NULL);
  else if (errno == ENOENT)
    add (argv, "--tmpfs", hooks, "--remount-ro", hooks, NULL);
}

static void
protect_repositories (GStrvBuilder *argv, const char *folder)
{
  g_autofree char *git = g_build_filename (folder, ".git", NULL);

  protect_repository (argv, git);
  protect_repository (argv, folder);
}

static void
add_mounts (InterpSandbox *self, GStrvBuilder *argv)
{
  g_autoptr (GPtrArray) sorted = g_ptr_array_copy (self->mounts, NULL, NULL);
  g_autofree char *size = g_strdup_printf ("%" G_GUINT64_FORMAT, interp_sandbox_get_memory () / 4);

  g_ptr_array_set_free_func (sorted, NULL);
  /* What is around comes first. */
  g_ptr_array_sort (sorted, compare_mounts);
  for (guint i = 0; i < sorted->len; i++)
    {
      const Mount *mount = g_ptr_array_index (sorted, i);

      switch (mount->kind)
        {
        case MOUNT_PRIVATE:
          add (argv, "--perms", "0700", "--size", size, "--tmpfs", mount->path, NULL);
          break;
        case MOUNT_READ:
          add (argv, "--ro-bind", mount->path, mount->path, NULL);
          break;
        case MOUNT_WRITE:
          add (argv, "--bind", mount->path, mount->path, NULL);
          protect_repositories (argv, mount->path);
          break;
        case MOUNT_OVERLAY:
        default:
          add (argv, "--overlay-src", mount->path, "--overlay", mount->upper, mount->work, mount->path, NULL);
          break;
        }
    }
  for (guint i = 0; i < self->links->len; i++)
    {
      const Link *link = g_ptr_array_index (self->links, i);
      g_autofree char *parent = g_path_get_dirname (link->path);
      const Mount *around = find_mount (self, parent);

      /* In a folder that is shown the link itself is. */
      if (!around || around->kind == MOUNT_PRIVATE)
        add (argv, "--symlink", link->target, link->path, NULL);
    }
  for (guint i = 0; i < self->hidden->len; i++)
    {
      const char *hidden = g_ptr_array_index (self->hidden, i);

      if (!is_hidden (self, hidden))
        continue;
      if (g_file_test (hidden, G_FILE_TEST_IS_DIR))
        add (argv, "--tmpfs", hidden, "--remount-ro", hidden, NULL);
      else
        add (argv, "--ro-bind", "/dev/null", hidden, NULL);
    }
}

/* Graphics processors compute too. */
static void
add_devices (GStrvBuilder *argv)
{
  static const char *const devices[] = { "/dev/dri", "/dev/kfd", "/dev/accel", "/dev/dxg" };
  g_autoptr (GDir) folder = g_dir_open ("/dev", 0, NULL);
  const char *name;

  add (argv, "--dev", "/dev", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (devices); i++)
    if (g_file_test (devices[i], G_FILE_TEST_EXISTS))
      add (argv, "--dev-bind", devices[i], devices[i], NULL);
  while (folder && (name = g_dir_read_name (folder)))
    if (g_str_has_prefix (name, "nvidia"))
      {
        g_autofree char *path = g_build_filename ("/dev", name, NULL);

        add (argv, "--dev-bind", path, path, NULL);
      }
}

/* Names are looked up as outside. The file is often a link into /run. */
static void
add_network (GStrvBuilder *argv)
{
  g_autofree char *real = dup_real ("/etc/resolv.conf");

  if (real && is_within (real, "/run"))
    add (argv, "--ro-bind", real, real, NULL);
}

/* The network comes with sockets that have no file, the display's among them: only the kernel can keep those away. */
static gboolean
can_have_network (void)
{
#ifdef SYS_landlock_create_ruleset
  return syscall (SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_ASK_VERSION) >= LANDLOCK_VERSION_SCOPES;
#else
  return FALSE;
#endif
}

guint64
interp_sandbox_get_memory (void)
{
  long pages = sysconf (_SC_PHYS_PAGES);
  long size = sysconf (_SC_PAGESIZE);

  return pages > 0 && size > 0 ? (guint64) pages * (guint64) size : G_GUINT64_CONSTANT (1) << 32;
}

GStrv
interp_sandbox_dup_command (InterpSandbox *self, const char *const *argv, const char *folder, const char *spool,
                            GError **error)
{
  g_autoptr (GStrvBuilder) command = g_strv_builder_new ();
  guint n_mounts, n_links;
  g_autofree char *bwrap = NULL;
  g_autofree char *launcher = NULL;
  g_autofree char *kernels = NULL;
  g_autofree char *identity = NULL;
  g_autofree char *memory = NULL;

  g_return_val_if_fail (INTERP_IS_SANDBOX (self), NULL);
  g_return_val_if_fail (argv != NULL && argv[0] != NULL, NULL);

  bwrap = interp_sandbox_find_program (error);
  if (!bwrap)
    return NULL;
  if (self->network && !can_have_network ())
    {
      g_set_error_literal (error, INTERP_SANDBOX_ERROR, INTERP_SANDBOX_ERROR_BLOCKED,
                           _ ("Safe mode cannot give code the network here: with it would come the sockets of your "
                              "session. It needs Linux 6.12 or newer with Landlock."));
      return NULL;
    }
  launcher = interp_paths_find_program ("interpreter-launch");
  if (!launcher)
    {
      g_set_error (error, INTERP_SANDBOX_ERROR, INTERP_SANDBOX_ERROR_MISSING,
                   _ ("A part of Interpreter is not installed: %s"), "interpreter-launch");
      return NULL;
    }

  n_mounts = self->mounts->len;
  n_links = self->links->len;
  /* What this one program needs is shown to it alone. */
  kernels = interp_paths_find_data ("kernels");
  if (kernels)
    interp_sandbox_add_readable (self, kernels);
  interp_sandbox_add_readable (self, launcher);
  add_program (self, argv[0]);
  if (spool)
    add_shared (self, spool);
  memory = g_strdup_printf ("data=%" G_GUINT64_FORMAT, interp_sandbox_get_memory () / 4 * 3);

  add (command, bwrap, "--die-with-parent", "--unshare-all", "--cap-drop", "ALL", NULL);
  if (self->network)
    add (command, "--share-net", NULL);
  add_mounts (self, command);
  if (self->network)
    add_network (command);
  identity = interp_sandbox_find_identity ();
  if (identity)
    {
      g_autofree char *config = g_build_filename (self->home, ".gitconfig", NULL);

      if (!is_shown (self, config))
        add (command, "--ro-bind", identity, config, NULL);
    }
  add (command, "--proc", "/proc", NULL);
  add_devices (command);
  add (command, "--remount-ro", "/", NULL);
  if (folder)
    add (command, "--chdir", folder, NULL);
  add (command, "--", launcher, "--foreground", "--isolate", "--limit", "core=0", "--limit", "nproc=" MAX_TASKS,
       "--limit", memory, "--", NULL);
  for (guint i = 0; argv[i]; i++)
    g_strv_builder_add (command, argv[i]);
  g_ptr_array_set_size (self->mounts, (int) n_mounts);
  g_ptr_array_set_size (self->links, (int) n_links);
  return g_strv_builder_end (command);
}

gboolean
interp_sandbox_layer (InterpLaunch *launch, const char *const *argv, const char *const *env, const char *folder,
                      gpointer user_data, GError **error)
{
  InterpSandbox *self = user_data;
  g_auto (GStrv) own = env ? g_strdupv ((GStrv) env) : g_get_environ ();
  g_auto (GStrv) cleaned = interp_sandbox_clean_environment ((const char *const *) own);
  g_auto (GStrv) command
      = interp_sandbox_dup_command (self, argv, folder, g_environ_getenv (cleaned, "INTERP_KERNEL_SPOOL"), error);

  if (!command)
    return FALSE;
  interp_launch_append_all (launch, (const char *const *) command);
  interp_launch_set_environment (launch, (const char *const *) cleaned);
  return TRUE;
}
