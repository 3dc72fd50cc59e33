/* test-interpreters.c: which interpreters are offered, and how a module is installed
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "kernel/interp-interpreter-private.h"

#include <string.h>

static char *home;

static char *
put (const char *name, const char *contents, int mode)
{
  char *path = g_build_filename (home, name, NULL);
  g_autofree char *parent = g_path_get_dirname (path);

  g_mkdir_with_parents (parent, 0755);
  g_assert_true (g_file_set_contents_full (path, contents, -1, G_FILE_SET_CONTENTS_NONE, mode, NULL));
  return path;
}

static const char *
get_title (GListModel *list, const char *path, gboolean *is_own)
{
  for (guint i = 0; i < g_list_model_get_n_items (list); i++)
    {
      g_autoptr (InterpInterpreter) interpreter = g_list_model_get_item (list, i);

      if (g_str_equal (interp_interpreter_get_path (interpreter), path))
        {
          if (is_own)
            *is_own = interp_interpreter_is_own (interpreter);
          return interp_interpreter_get_title (interpreter);
        }
    }
  return NULL;
}

static void
test_find (void)
{
  InterpKernelSpec *spec = interp_kernel_specs_lookup ("python");
  /* Nothing of it may be run: the mark would appear. */
  g_autofree char *mark = g_build_filename (home, "was-run", NULL);
  g_autofree char *script = g_strdup_printf ("#!/bin/sh\ntouch '%s'\n", mark);
  g_autofree char *venv = put ("project/.venv/bin/python", script, 0755);
  g_autofree char *description = put ("project/.venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.12.4\n", 0644);
  g_autofree char *conda = put ("miniforge3/envs/geo/bin/python", script, 0755);
  g_autofree char *not_executable = put ("project/venv/bin/python", script, 0644);
  g_autofree char *on_path = put ("tools/python3", script, 0755);
  g_autofree char *folder = g_build_filename (home, "project", NULL);
  g_autofree char *path = g_strdup_printf ("PATH=%s/tools:relative:%s/tools", home, home);
  const char *env[] = { path, NULL };
  g_autoptr (GListModel) list = interp_interpreters_find (spec, folder, home, env);
  g_autofree char *own = interp_interpreter_get_own_path ();
  gboolean is_own = FALSE;

  g_assert_cmpstr (get_title (list, venv, &is_own), ==, ".venv (Python 3.12.4)");
  g_assert_false (is_own);
  g_assert_cmpstr (get_title (list, conda, NULL), ==, "conda geo");
  g_assert_nonnull (get_title (list, on_path, NULL));
  g_assert_null (get_title (list, not_executable, NULL));
  g_assert_nonnull (get_title (list, own, &is_own));
  g_assert_true (is_own);
  g_assert_cmpuint (g_list_model_get_n_items (list), ==, 4);
  g_assert_false (g_file_test (mark, G_FILE_TEST_EXISTS));
}

static void
test_install (void)
{
  InterpKernelSpec *python = interp_kernel_specs_lookup ("python");
  g_autofree char *venv = g_build_filename (home, "project/.venv/bin/python", NULL);
  g_autofree char *uv = put ("fast/.venv/bin/python", "", 0755);
  g_autofree char *uv_description = put ("fast/.venv/pyvenv.cfg", "uv = 0.5.1\nversion_info = 3.13.1\n", 0644);
  g_autofree char *own = interp_interpreter_get_own_path ();
  g_autofree char *in_venv = interp_kernel_install_command (python, venv, "sklearn");
  g_autofree char *in_uv = interp_kernel_install_command (python, uv, "pandas");
  g_autofree char *in_system = interp_kernel_install_command (python, "/usr/bin/python3", "pandas");
  g_autofree char *expected_venv = g_strdup_printf ("'%s' -m pip install 'scikit-learn'", venv);
  g_autofree char *expected_uv = g_strdup_printf ("uv pip install --python '%s' 'pandas'", uv);
  g_autofree char *target = interp_kernel_install_target (python, "/usr/bin/python3");
  g_autofree char *kept = interp_kernel_install_target (python, venv);
  g_autofree char *make = interp_kernel_install_command (python, own, NULL);
  g_autofree char *script = interp_kernel_install_command (interp_kernel_specs_lookup ("js"), "/usr/bin/node", "d3");

  g_assert_cmpstr (in_venv, ==, expected_venv);
  g_assert_cmpstr (in_uv, ==, expected_uv);
  /* A distribution's Python is left alone. */
  g_assert_nonnull (strstr (in_system, "'/usr/bin/python3' -m venv --system-site-packages"));
  g_assert_nonnull (strstr (in_system, own));
  g_assert_nonnull (strstr (in_system, "-m pip install 'pandas'"));
  g_assert_cmpstr (target, ==, own);
  g_assert_cmpstr (kept, ==, venv);
  g_assert_nonnull (strstr (make, "-m venv"));
  g_assert_null (strstr (make, "pip"));
  g_assert_cmpstr (script, ==, "npm install 'd3'");
  g_assert_null (interp_kernel_install_command (python, venv, "x; rm -rf ~"));
  g_assert_null (interp_kernel_install_command (python, venv, "--index-url=x"));
}

int
main (int argc, char **argv)
{
  g_autofree char *command = NULL;
  int result;

  home = g_dir_make_tmp ("interpreters-XXXXXX", NULL);
  command = g_strdup_printf ("rm -rf '%s'", home);
  g_setenv ("HOME", home, TRUE);
  g_setenv ("XDG_DATA_HOME", home, TRUE);
  g_test_init (&argc, &argv, NULL);
  dex_init ();
  g_test_add_func ("/kernel/interpreters/find", test_find);
  g_test_add_func ("/kernel/interpreters/install", test_install);
  result = g_test_run ();
  g_spawn_command_line_sync (command, NULL, NULL, NULL, NULL);
  g_free (home);
  return result;
}
