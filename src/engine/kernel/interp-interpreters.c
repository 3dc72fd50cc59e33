/* interp-interpreters.c: finds interpreters, and says how to install what one lacks
 *
 * Nothing found is run to learn more about it: a folder's ".venv" may be anybody's.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <glib/gi18n.h>

#include "base/interp-environment.h"
#include "base/interp-fiber.h"
#include "base/interp-paths.h"
#include "kernel/interp-interpreter-private.h"
#include "kernel/interp-kernel-spec-private.h"

/* How many entries of one folder of environments are looked at. */
#define MAX_ENVIRONMENTS 100

typedef struct
{
  InterpKernelSpec *spec;
  const char *folder;
  const char *home;
  GListStore *found;
  GHashTable *seen; /* of resolved paths */
} Finder;

static gboolean
is_python (InterpKernelSpec *spec)
{
  return g_str_equal (interp_kernel_spec_get_id (spec), "python");
}

char *
interp_interpreter_get_own_path (void)
{
  return g_build_filename (interp_paths_data (), "python", "bin", "python", NULL);
}

/* "3.13.5" out of a virtual environment's description (PEP 405), or out of the program's name. */
static char *
get_python_version (const char *path)
{
  g_autofree char *bin = g_path_get_dirname (path);
  g_autofree char *root = g_path_get_dirname (bin);
  g_autofree char *description = g_build_filename (root, "pyvenv.cfg", NULL);
  g_autofree char *text = NULL;
  g_autoptr (GRegex) regex = NULL;
  g_autoptr (GMatchInfo) match = NULL;
  char *real;

  if (g_file_get_contents (description, &text, NULL, NULL))
    {
      regex = g_regex_new ("^version(?:_info)?\\s*=\\s*(\\d+\\.\\d+(?:\\.\\d+)?)", G_REGEX_MULTILINE | G_REGEX_RAW,
                           G_REGEX_MATCH_DEFAULT, NULL);
      if (regex && g_regex_match (regex, text, G_REGEX_MATCH_DEFAULT, &match))
        return g_match_info_fetch (match, 1);
    }
  real = realpath (path, NULL);
  if (real)
    {
      g_autofree char *name = g_path_get_basename (real);

      free (real);
      if (g_str_has_prefix (name, "python") && g_ascii_isdigit (name[6]) && strchr (name, '.'))
        return g_strdup (name + 6);
    }
  return NULL;
}

static void
add (Finder *finder, const char *path, const char *what)
{
  g_autoptr (InterpInterpreter) interpreter = NULL;
  g_autofree char *version = NULL, *title = NULL;

  if (access (path, X_OK) < 0 || !g_file_test (path, G_FILE_TEST_IS_REGULAR)
      || !g_hash_table_add (finder->seen, g_strdup (path)))
    return;
  version = is_python (finder->spec) ? get_python_version (path) : NULL;
  if (version)
    /* Translators: the name of an environment; a language; its version */
    title = g_strdup_printf (_ ("%s (%s %s)"), what, interp_kernel_spec_get_title (finder->spec), version);
  else
    title = g_strdup (what);
  interpreter = interp_interpreter_new (path, title, FALSE);
  g_list_store_append (finder->found, interpreter);
}

/* PARENT/NAME/bin/PROGRAM for each NAME. */
static void
add_each (Finder *finder, const char *parent, const char *program, const char *kind)
{
  g_autoptr (GDir) folder = g_dir_open (parent, 0, NULL);
  const char *name;

  for (guint n = 0; folder && n < MAX_ENVIRONMENTS && (name = g_dir_read_name (folder)); n++)
    {
      g_autofree char *path = g_build_filename (parent, name, "bin", program, NULL);
      g_autofree char *what = g_strdup_printf ("%s %s", kind, name);

      add (finder, path, what);
    }
}

static void
add_python_environments (Finder *finder)
{
  static const char *const near[] = { ".venv", "venv", "env" };
  static const struct
  {
    const char *folder;
    const char *program;
    const char *kind;
  } places[] = {
    { "miniconda3/envs", "python", "conda" },      { "anaconda3/envs", "python", "conda" },
    { "miniforge3/envs", "python", "conda" },      { "mambaforge/envs", "python", "conda" },
    { "micromamba/envs", "python", "conda" },      { ".conda/envs", "python", "conda" },
    { ".local/share/uv/python", "python3", "uv" }, { ".pyenv/versions", "python", "pyenv" },
    { ".virtualenvs", "python", "virtualenv" },
  };
  static const char *const bases[] = { "miniconda3", "anaconda3", "miniforge3", "mambaforge" };

  for (guint i = 0; finder->folder && i < G_N_ELEMENTS (near); i++)
    {
      g_autofree char *path = g_build_filename (finder->folder, near[i], "bin", "python", NULL);

      add (finder, path, near[i]);
    }
  for (guint i = 0; i < G_N_ELEMENTS (bases); i++)
    {
      g_autofree char *path = g_build_filename (finder->home, bases[i], "bin", "python", NULL);

      add (finder, path, bases[i]);
    }
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      g_autofree char *parent = g_build_filename (finder->home, places[i].folder, NULL);

      add_each (finder, parent, places[i].program, places[i].kind);
    }
}

static void
add_from_path (Finder *finder, const char *const *env)
{
  const char *const *programs = interp_kernel_spec_get_interpreters (finder->spec);
  const char *path = g_environ_getenv ((GStrv) env, "PATH");
  g_auto (GStrv) folders = g_strsplit (path ? path : "", ":", 200);
  g_autoptr (GHashTable) real_seen = g_hash_table_new_full (g_str_hash, g_str_equal, free, NULL);

  for (guint i = 0; folders[i]; i++)
    for (guint j = 0; programs[j]; j++)
      {
        g_autofree char *program = NULL, *shown = NULL, *what = NULL;
        char *real;

        if (!g_path_is_absolute (folders[i]) || g_path_is_absolute (programs[j]))
          continue;
        program = g_build_filename (folders[i], programs[j], NULL);
        if (access (program, X_OK) < 0 || !(real = realpath (program, NULL)))
          continue;
        /* /bin and /usr/bin are often one, and python is often python3. */
        if (!g_hash_table_add (real_seen, real))
          continue;
        shown = interp_paths_display (program);
        what = g_str_has_prefix (program, "/usr/bin/") || g_str_has_prefix (program, "/bin/")
                   ? g_strdup (_ ("System"))
                   : g_steal_pointer (&shown);
        add (finder, program, what);
      }
}

GListModel *
interp_interpreters_find (InterpKernelSpec *spec, const char *folder, const char *home, const char *const *env)
{
  Finder finder = { .spec = spec, .folder = folder, .home = home };
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autofree char *own = NULL;

  finder.found = g_list_store_new (INTERP_TYPE_INTERPRETER);
  finder.seen = seen;
  if (is_python (spec))
    add_python_environments (&finder);
  add_from_path (&finder, env);
  if (is_python (spec))
    {
      g_autoptr (InterpInterpreter) interpreter = NULL;

      own = interp_interpreter_get_own_path ();
      interpreter = interp_interpreter_new (own, _ ("Interpreter’s Own"), TRUE);
      g_list_store_append (finder.found, interpreter);
    }
  return G_LIST_MODEL (finder.found);
}

typedef struct
{
  InterpKernelSpec *spec; /* immutable */
  char *folder;
  GStrv env;
} Find;

static void
find_free (gpointer data)
{
  Find *find = data;

  g_object_unref (find->spec);
  g_free (find->folder);
  g_strfreev (find->env);
  g_free (find);
}

static DexFuture *
find_worker (gpointer data)
{
  const Find *find = data;

  return dex_future_new_take_object (
      interp_interpreters_find (find->spec, find->folder, g_get_home_dir (), (const char *const *) find->env));
}

DexFuture *
interp_kernel_find_interpreters (InterpKernelSpec *spec, const char *folder)
{
  Find *find;

  g_return_val_if_fail (INTERP_IS_KERNEL_SPEC (spec), NULL);

  find = g_new0 (Find, 1);
  find->spec = g_object_ref (spec);
  find->folder = g_strdup (folder);
  find->env = interp_environment_get ();
  return interp_worker_run ("find-interpreters", find_worker, find, find_free);
}

/* ---- installing ---- */

/* Whether @path belongs to an environment of its own, into which pip may install. */
static gboolean
is_in_environment (const char *path)
{
  g_autofree char *bin = g_path_get_dirname (path);
  g_autofree char *root = g_path_get_dirname (bin);
  g_autofree char *venv = g_build_filename (root, "pyvenv.cfg", NULL);
  g_autofree char *conda = g_build_filename (root, "conda-meta", NULL);

  return g_file_test (venv, G_FILE_TEST_EXISTS) || g_file_test (conda, G_FILE_TEST_IS_DIR);
}

/* uv makes environments without pip. */
static gboolean
is_without_pip (const char *path)
{
  g_autofree char *bin = g_path_get_dirname (path);
  g_autofree char *root = g_path_get_dirname (bin);
  g_autofree char *description = g_build_filename (root, "pyvenv.cfg", NULL);
  g_autofree char *pip = g_build_filename (bin, "pip", NULL);
  g_autofree char *text = NULL;

  return !g_file_test (pip, G_FILE_TEST_EXISTS) && g_file_get_contents (description, &text, NULL, NULL)
         && (g_str_has_prefix (text, "uv =") || strstr (text, "\nuv ="));
}

/* A distribution's own Python refuses pip (PEP 668), and is not ours to change: packages go into an environment of
 * ours, which sees the distribution's too. */
static gboolean
needs_own (InterpKernelSpec *spec, const char *interpreter)
{
  g_autofree char *own = NULL;

  if (!is_python (spec))
    return FALSE;
  own = interp_interpreter_get_own_path ();
  return !interpreter || g_str_equal (interpreter, own) || !is_in_environment (interpreter);
}

/* NULL when it is there. */
static char *
make_own_command (InterpKernelSpec *spec, const char *base)
{
  g_autofree char *own = interp_interpreter_get_own_path ();
  g_autofree char *bin = g_path_get_dirname (own);
  g_autofree char *root = g_path_get_dirname (bin);
  g_autofree char *quoted_root = g_shell_quote (root);
  g_autofree char *quoted_base = NULL, *found = NULL;

  if (g_file_test (own, G_FILE_TEST_EXISTS))
    return NULL;
  if (!base || g_str_equal (base, own))
    {
      g_auto (GStrv) env = interp_environment_get ();

      base = found = interp_kernel_spec_find_interpreter (spec, (const char *const *) env);
    }
  quoted_base = g_shell_quote (base ? base : "python3");
  return g_strdup_printf ("%s -m venv --system-site-packages %s", quoted_base, quoted_root);
}

char *
interp_kernel_install_target (InterpKernelSpec *spec, const char *interpreter)
{
  g_return_val_if_fail (INTERP_IS_KERNEL_SPEC (spec), NULL);

  return needs_own (spec, interpreter) ? interp_interpreter_get_own_path () : g_strdup (interpreter);
}

static char *
format_install (InterpKernelSpec *spec, const char *target, const char *package)
{
  g_autofree char *quoted_target = NULL, *quoted_package = NULL;

  if (!is_python (spec) || !is_without_pip (target))
    return interp_kernel_spec_format_install_command (spec, target, package);
  quoted_target = g_shell_quote (target);
  quoted_package = g_shell_quote (package);
  return g_strdup_printf ("uv pip install --python %s %s", quoted_target, quoted_package);
}

char *
interp_kernel_install_command (InterpKernelSpec *spec, const char *interpreter, const char *module)
{
  g_autofree char *target = NULL, *make = NULL, *install = NULL;

  g_return_val_if_fail (INTERP_IS_KERNEL_SPEC (spec), NULL);

  if (module && !interp_kernel_spec_is_module (module))
    return NULL;
  target = interp_kernel_install_target (spec, interpreter);
  if (!target && !is_python (spec))
    {
      g_auto (GStrv) env = interp_environment_get ();

      target = interp_kernel_spec_find_interpreter (spec, (const char *const *) env);
    }
  if (needs_own (spec, interpreter))
    make = make_own_command (spec, interpreter);
  if (!module)
    return g_steal_pointer (&make);
  if (target)
    install = format_install (spec, target, interp_kernel_spec_get_package (spec, module));
  if (make && install)
    return g_strdup_printf ("%s && %s", make, install);
  return g_steal_pointer (&install);
}
