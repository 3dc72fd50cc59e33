/* test-kernel-spec.c: languages described by files
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "kernel/interp-kernel-spec-private.h"

#include <glib/gstdio.h>

static InterpKernelSpec *
load (const char *text, GError **error)
{
  g_autofree char *folder = g_dir_make_tmp ("spec-test-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "x.kernel", NULL);
  InterpKernelSpec *spec;

  g_file_set_contents (path, text, -1, NULL);
  spec = interp_kernel_spec_new_from_file (path, error);
  g_unlink (path);
  g_rmdir (folder);
  return spec;
}

#define DESCRIPTION                                                                                        \
  "[Kernel]\nId=lua\nTitle=Lua\nExtension=.lua\nAliases=lua5;Luajit\nInterpreters=there-is-no-lua;sh\n"    \
  "Harness=harness.lua\nArguments=-x;%{harness};a b\nEnvironment=LUA_INIT=@%{folder}/init;EMPTY=;BAD\n"    \
  "Requests=tab\nInterrupt=both\n[Install]\napt=lua5.4\n[Modules]\nPattern=module '([a-z.]+)' not found\n" \
  "Command=luarocks --lua %{interpreter} install %{module}\nPackages=socket=luasocket\n"

static void
test_description (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InterpKernelSpec) spec = load (DESCRIPTION, &error);
  g_auto (GStrv) arguments = NULL;
  g_auto (GStrv) env = NULL;
  g_autofree char *interpreter = NULL, *harness = NULL, *command = NULL, *module = NULL, *init = NULL;
  const char *path[] = { "PATH=/usr/bin:/bin", NULL };

  g_assert_no_error (error);
  g_assert_cmpstr (interp_kernel_spec_get_id (spec), ==, "lua");
  g_assert_cmpstr (interp_kernel_spec_get_title (spec), ==, "Lua");
  g_assert_cmpstr (interp_kernel_spec_get_extension (spec), ==, ".lua");
  g_assert_cmpint (interp_kernel_spec_get_requests (spec), ==, INTERP_KERNEL_REQUESTS_TAB);
  g_assert_cmpint (interp_kernel_spec_get_interrupt (spec), ==,
                   INTERP_KERNEL_INTERRUPT_SIGNAL | INTERP_KERNEL_INTERRUPT_MESSAGE);

  arguments = interp_kernel_spec_dup_arguments (spec);
  harness = g_build_filename (interp_kernel_spec_get_harness_folder (spec), "harness.lua", NULL);
  g_assert_cmpuint (g_strv_length (arguments), ==, 3);
  g_assert_cmpstr (arguments[1], ==, harness);
  g_assert_cmpstr (arguments[2], ==, "a b");
  env = interp_kernel_spec_add_environment (spec, g_strdupv ((GStrv) path));
  init = g_strdup_printf ("@%s/init", interp_kernel_spec_get_harness_folder (spec));
  g_assert_cmpstr (g_environ_getenv (env, "LUA_INIT"), ==, init);
  g_assert_cmpstr (g_environ_getenv (env, "EMPTY"), ==, "");
  g_assert_cmpstr (g_environ_getenv (env, "PATH"), ==, "/usr/bin:/bin");

  interpreter = interp_kernel_spec_find_interpreter (spec, path);
  g_assert_true (g_path_is_absolute (interpreter));
  g_assert_true (g_str_has_suffix (interpreter, "/sh"));

  module = interp_kernel_spec_match_missing_module (spec, "lua: module 'socket' not found:\n\tno field");
  g_assert_cmpstr (module, ==, "socket");
  g_assert_cmpstr (interp_kernel_spec_get_package (spec, module), ==, "luasocket");
  g_assert_cmpstr (interp_kernel_spec_get_package (spec, "json"), ==, "json");
  command = interp_kernel_spec_format_install_command (spec, "/opt/it's lua", "luasocket");
  g_assert_cmpstr (command, ==, "luarocks --lua '/opt/it'\\''s lua' install 'luasocket'");
}

static void
test_missing_keys (void)
{
  static const char *const bad[] = {
    "",
    "not a key file",
    "[Kernel]\nTitle=X\n",
    "[Kernel]\nId=x\nHarness=h\n",
    "[Kernel]\nId=x\nInterpreters=x\n",
    "[Kernel]\nId=\nHarness=h\nInterpreters=x\n",
    "[Kernel]\nId=x\nHarness=../h\nInterpreters=x\n",
    "[Kernel]\nId=x/y\nHarness=h\nInterpreters=x\n",
  };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (load (bad[i], &error));
      g_assert_nonnull (error);
    }
}

static void
test_module_names (void)
{
  g_assert_true (interp_kernel_spec_is_module ("pandas"));
  g_assert_true (interp_kernel_spec_is_module ("@scope/name-1.0"));
  g_assert_false (interp_kernel_spec_is_module (""));
  g_assert_false (interp_kernel_spec_is_module ("-r"));
  g_assert_false (interp_kernel_spec_is_module ("a b"));
  g_assert_false (interp_kernel_spec_is_module ("a;rm"));
  g_assert_false (interp_kernel_spec_is_module ("$(x)"));
  g_assert_false (interp_kernel_spec_is_module ("é"));
}

/* The shipped ones: each is found by every name it gives itself, and its harness is there. */
static void
test_shipped (void)
{
  GListModel *specs = interp_kernel_specs_get ();
  static const char *const expected[] = { "python", "shell", "javascript", "r" };

  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    g_assert_nonnull (interp_kernel_specs_lookup (expected[i]));
  g_assert_null (interp_kernel_specs_lookup ("klingon"));
  g_assert_cmpstr (interp_kernel_spec_get_id (interp_kernel_specs_lookup ("BASH")), ==, "shell");
  for (guint i = 0; i < g_list_model_get_n_items (specs); i++)
    {
      g_autoptr (InterpKernelSpec) spec = g_list_model_get_item (specs, i);
      const char *const *aliases = interp_kernel_spec_get_aliases (spec);
      g_autofree char *hint = interp_kernel_spec_get_install_hint (spec);

      g_assert_true (interp_kernel_specs_lookup (interp_kernel_spec_get_id (spec)) == spec);
      g_assert_nonnull (hint);
      for (guint j = 0; aliases[j]; j++)
        if (interp_kernel_specs_lookup (aliases[j]) != spec)
          g_error ("%s is not found as %s", interp_kernel_spec_get_id (spec), aliases[j]);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernel/spec/description", test_description);
  g_test_add_func ("/kernel/spec/missing-keys", test_missing_keys);
  g_test_add_func ("/kernel/spec/module-names", test_module_names);
  g_test_add_func ("/kernel/spec/shipped", test_shipped);
  return g_test_run ();
}
