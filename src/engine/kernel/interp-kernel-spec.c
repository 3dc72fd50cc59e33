/* interp-kernel-spec.c: a language, described by data
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "kernel/interp-kernel-spec-private.h"

#include <string.h>
#include <unistd.h>

#include <glib/gi18n.h>

#include "base/interp-environment.h"
#include "base/interp-paths.h"

#define KERNEL_GROUP "Kernel"
#define INSTALL_GROUP "Install"
#define MODULES_GROUP "Modules"

/* How much of a run's text is searched for a missing module, from its end: bytes. */
#define MAX_SEARCH (64 * 1024)

struct _InterpKernelSpec
{
  GObject parent_instance;

  char *id;
  char *title;
  char *icon_name;
  char *highlight;
  char *extension;
  GStrv aliases;
  GStrv interpreters;
  GStrv arguments;
  GStrv environment;
  char *folder;
  char *harness;
  InterpKernelRequests requests;
  InterpKernelInterrupt interrupt;

  GHashTable *packages; /* package manager → packages */
  GRegex *module_pattern;
  char *module_command;
  GHashTable *module_packages; /* module → package */
};

G_DEFINE_FINAL_TYPE (InterpKernelSpec, interp_kernel_spec, G_TYPE_OBJECT)

static void
interp_kernel_spec_finalize (GObject *object)
{
  InterpKernelSpec *self = INTERP_KERNEL_SPEC (object);

  g_free (self->id);
  g_free (self->title);
  g_free (self->icon_name);
  g_free (self->highlight);
  g_free (self->extension);
  g_strfreev (self->aliases);
  g_strfreev (self->interpreters);
  g_strfreev (self->arguments);
  g_strfreev (self->environment);
  g_free (self->folder);
  g_free (self->harness);
  g_clear_pointer (&self->packages, g_hash_table_unref);
  g_clear_pointer (&self->module_pattern, g_regex_unref);
  g_free (self->module_command);
  g_clear_pointer (&self->module_packages, g_hash_table_unref);
  G_OBJECT_CLASS (interp_kernel_spec_parent_class)->finalize (object);
}

static void
interp_kernel_spec_class_init (InterpKernelSpecClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = interp_kernel_spec_finalize;
}

static void
interp_kernel_spec_init (InterpKernelSpec *self)
{
  self->packages = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->module_packages = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
}

/* ---- loading ---- */

static GStrv
get_list (GKeyFile *file, const char *group, const char *key)
{
  GStrv list = g_key_file_get_string_list (file, group, key, NULL, NULL);

  return list ? list : g_new0 (char *, 1);
}

static char *
get_required (GKeyFile *file, const char *key, GError **error)
{
  g_autofree char *value = g_key_file_get_string (file, KERNEL_GROUP, key, error);

  if (value && !*value)
    {
      g_set_error (error, G_KEY_FILE_ERROR, G_KEY_FILE_ERROR_INVALID_VALUE, "%s is empty", key);
      return NULL;
    }
  return g_steal_pointer (&value);
}

static void
interp_kernel_spec_load_modules (InterpKernelSpec *self, GKeyFile *file)
{
  g_auto (GStrv) packages = get_list (file, MODULES_GROUP, "Packages");
  g_autofree char *pattern = g_key_file_get_string (file, MODULES_GROUP, "Pattern", NULL);
  g_autoptr (GError) error = NULL;

  self->module_command = g_key_file_get_string (file, MODULES_GROUP, "Command", NULL);
  if (pattern)
    self->module_pattern = g_regex_new (pattern, G_REGEX_OPTIMIZE, G_REGEX_MATCH_DEFAULT, &error);
  if (error)
    g_warning ("%s.kernel: %s", self->id, error->message);
  for (guint i = 0; packages[i]; i++)
    {
      g_auto (GStrv) pair = g_strsplit (packages[i], "=", 2);

      if (g_strv_length (pair) == 2)
        g_hash_table_replace (self->module_packages, g_steal_pointer (&pair[0]), g_steal_pointer (&pair[1]));
    }
}

static gboolean
interp_kernel_spec_load (InterpKernelSpec *self, GKeyFile *file, GError **error)
{
  g_autofree char *harness = NULL, *requests = NULL, *interrupt = NULL;
  g_auto (GStrv) managers = NULL;

  if (!(self->id = get_required (file, "Id", error)) || !(harness = get_required (file, "Harness", error)))
    return FALSE;
  if (strchr (harness, '/') || strchr (self->id, '/'))
    {
      g_set_error (error, G_KEY_FILE_ERROR, G_KEY_FILE_ERROR_INVALID_VALUE, "Not a plain name");
      return FALSE;
    }
  self->harness = g_build_filename (self->folder, harness, NULL);
  self->interpreters = get_list (file, KERNEL_GROUP, "Interpreters");
  if (!self->interpreters[0])
    {
      g_set_error (error, G_KEY_FILE_ERROR, G_KEY_FILE_ERROR_INVALID_VALUE, "Interpreters is empty");
      return FALSE;
    }
  self->title = g_key_file_get_locale_string (file, KERNEL_GROUP, "Title", NULL, NULL);
  if (!self->title)
    self->title = g_strdup (self->id);
  self->icon_name = g_key_file_get_string (file, KERNEL_GROUP, "Icon", NULL);
  if (!self->icon_name)
    self->icon_name = g_strdup ("utilities-terminal-symbolic");
  self->highlight = g_key_file_get_string (file, KERNEL_GROUP, "Highlight", NULL);
  self->extension = g_key_file_get_string (file, KERNEL_GROUP, "Extension", NULL);
  if (!self->extension)
    self->extension = g_strdup (".txt");
  self->aliases = get_list (file, KERNEL_GROUP, "Aliases");
  self->arguments = get_list (file, KERNEL_GROUP, "Arguments");
  self->environment = get_list (file, KERNEL_GROUP, "Environment");
  requests = g_key_file_get_string (file, KERNEL_GROUP, "Requests", NULL);
  self->requests = g_strcmp0 (requests, "tab") == 0 ? INTERP_KERNEL_REQUESTS_TAB : INTERP_KERNEL_REQUESTS_JSON;
  interrupt = g_key_file_get_string (file, KERNEL_GROUP, "Interrupt", NULL);
  if (g_strcmp0 (interrupt, "message") == 0)
    self->interrupt = INTERP_KERNEL_INTERRUPT_MESSAGE;
  else if (g_strcmp0 (interrupt, "both") == 0)
    self->interrupt = INTERP_KERNEL_INTERRUPT_SIGNAL | INTERP_KERNEL_INTERRUPT_MESSAGE;
  else
    self->interrupt = INTERP_KERNEL_INTERRUPT_SIGNAL;

  managers = g_key_file_get_keys (file, INSTALL_GROUP, NULL, NULL);
  for (guint i = 0; managers && managers[i]; i++)
    g_hash_table_replace (self->packages, g_strdup (managers[i]),
                          g_key_file_get_string (file, INSTALL_GROUP, managers[i], NULL));
  interp_kernel_spec_load_modules (self, file);
  return TRUE;
}

InterpKernelSpec *
interp_kernel_spec_new_from_file (const char *path, GError **error)
{
  g_autoptr (InterpKernelSpec) self = NULL;
  g_autoptr (GKeyFile) file = g_key_file_new ();

  g_return_val_if_fail (path != NULL, NULL);

  if (!g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, error))
    return NULL;
  self = g_object_new (INTERP_TYPE_KERNEL_SPEC, NULL);
  self->folder = g_path_get_dirname (path);
  if (!interp_kernel_spec_load (self, file, error))
    return NULL;
  return g_steal_pointer (&self);
}

/* ---- facts ---- */

const char *
interp_kernel_spec_get_id (InterpKernelSpec *self)
{
  g_return_val_if_fail (INTERP_IS_KERNEL_SPEC (self), NULL);

  return self->id;
}

const char *
interp_kernel_spec_get_title (InterpKernelSpec *self)
{
  g_return_val_if_fail (INTERP_IS_KERNEL_SPEC (self), NULL);

  return self->title;
}

const char *
interp_kernel_spec_get_icon_name (InterpKernelSpec *self)
{
  g_return_val_if_fail (INTERP_IS_KERNEL_SPEC (self), NULL);

  return self->icon_name;
}

const char *
interp_kernel_spec_get_highlight (InterpKernelSpec *self)
{
  g_return_val_if_fail (INTERP_IS_KERNEL_SPEC (self), NULL);

  return self->highlight;
}

const char *
interp_kernel_spec_get_extension (InterpKernelSpec *self)
{
  g_return_val_if_fail (INTERP_IS_KERNEL_SPEC (self), NULL);

  return self->extension;
}

const char *const *
interp_kernel_spec_get_aliases (InterpKernelSpec *self)
{
  g_return_val_if_fail (INTERP_IS_KERNEL_SPEC (self), NULL);

  return (const char *const *) self->aliases;
}

const char *
interp_kernel_spec_get_harness_folder (InterpKernelSpec *self)
{
  g_return_val_if_fail (INTERP_IS_KERNEL_SPEC (self), NULL);

  return self->folder;
}

const char *const *
interp_kernel_spec_get_interpreters (InterpKernelSpec *self)
{
  g_return_val_if_fail (INTERP_IS_KERNEL_SPEC (self), NULL);

  return (const char *const *) self->interpreters;
}

InterpKernelRequests
interp_kernel_spec_get_requests (InterpKernelSpec *self)
{
  g_return_val_if_fail (INTERP_IS_KERNEL_SPEC (self), INTERP_KERNEL_REQUESTS_JSON);

  return self->requests;
}

InterpKernelInterrupt
interp_kernel_spec_get_interrupt (InterpKernelSpec *self)
{
  g_return_val_if_fail (INTERP_IS_KERNEL_SPEC (self), INTERP_KERNEL_INTERRUPT_SIGNAL);

  return self->interrupt;
}

static char *
replace_all (const char *text, const char *what, const char *with)
{
  g_autoptr (GString) result = g_string_new (text);

  g_string_replace (result, what, with, 0);
  return g_string_free_and_steal (g_steal_pointer (&result));
}

static char *
interp_kernel_spec_fill_in (InterpKernelSpec *self, const char *template)
{
  g_autofree char *with_harness = replace_all (template, "%{harness}", self->harness);

  return replace_all (with_harness, "%{folder}", self->folder);
}

GStrv
interp_kernel_spec_dup_arguments (InterpKernelSpec *self)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  g_return_val_if_fail (INTERP_IS_KERNEL_SPEC (self), NULL);

  for (guint i = 0; self->arguments[i]; i++)
    g_strv_builder_take (builder, interp_kernel_spec_fill_in (self, self->arguments[i]));
  return g_strv_builder_end (builder);
}

GStrv
interp_kernel_spec_add_environment (InterpKernelSpec *self, GStrv env)
{
  g_return_val_if_fail (INTERP_IS_KERNEL_SPEC (self), env);

  for (guint i = 0; self->environment[i]; i++)
    {
      g_auto (GStrv) pair = g_strsplit (self->environment[i], "=", 2);
      g_autofree char *value = NULL;

      if (g_strv_length (pair) != 2 || !*pair[0])
        continue;
      value = interp_kernel_spec_fill_in (self, pair[1]);
      env = g_environ_setenv (env, pair[0], value, TRUE);
    }
  return env;
}

char *
interp_kernel_spec_find_interpreter (InterpKernelSpec *self, const char *const *env)
{
  g_return_val_if_fail (INTERP_IS_KERNEL_SPEC (self), NULL);

  for (guint i = 0; self->interpreters[i]; i++)
    {
      const char *program = self->interpreters[i];
      char *path;

      if (g_path_is_absolute (program))
        path = access (program, X_OK) == 0 ? g_strdup (program) : NULL;
      else
        path = interp_environment_find_program (env, program);
      if (path)
        return path;
    }
  return NULL;
}

char *
interp_kernel_spec_get_install_hint (InterpKernelSpec *self)
{
  static const struct
  {
    const char *manager;
    const char *program;
    const char *format;
  } managers[] = {
    { "apt", "/usr/bin/apt", "sudo apt install %s" },
    { "dnf", "/usr/bin/dnf", "sudo dnf install %s" },
    { "pacman", "/usr/bin/pacman", "sudo pacman -S %s" },
  };
  const char *packages;

  g_return_val_if_fail (INTERP_IS_KERNEL_SPEC (self), NULL);

  for (guint i = 0; i < G_N_ELEMENTS (managers); i++)
    {
      packages = g_hash_table_lookup (self->packages, managers[i].manager);
      if (packages && access (managers[i].program, X_OK) == 0)
        return g_strdup_printf (managers[i].format, packages);
    }
  return g_strdup (self->interpreters[0]);
}

/* ---- missing modules ---- */

gboolean
interp_kernel_spec_is_module (const char *module)
{
  g_return_val_if_fail (module != NULL, FALSE);

  if (!g_ascii_isalnum (*module) && *module != '@')
    return FALSE;
  for (const char *c = module; *c; c++)
    if (!g_ascii_isalnum (*c) && !strchr ("@._/-", *c))
      return FALSE;
  return strlen (module) <= 200;
}

char *
interp_kernel_spec_match_missing_module (InterpKernelSpec *self, const char *text)
{
  g_autoptr (GMatchInfo) match = NULL;
  g_autofree char *module = NULL, *tail = NULL;
  gsize length;

  g_return_val_if_fail (INTERP_IS_KERNEL_SPEC (self), NULL);

  if (!text || !self->module_pattern)
    return NULL;
  length = strlen (text);
  if (length > MAX_SEARCH)
    text = tail = g_utf8_make_valid (text + length - MAX_SEARCH, MAX_SEARCH);
  if (!g_regex_match (self->module_pattern, text, G_REGEX_MATCH_DEFAULT, &match))
    return NULL;
  module = g_match_info_fetch (match, 1);
  return module && interp_kernel_spec_is_module (module) ? g_steal_pointer (&module) : NULL;
}

const char *
interp_kernel_spec_get_package (InterpKernelSpec *self, const char *module)
{
  const char *package;

  g_return_val_if_fail (INTERP_IS_KERNEL_SPEC (self), NULL);

  package = g_hash_table_lookup (self->module_packages, module);
  return package ? package : module;
}

char *
interp_kernel_spec_format_install_command (InterpKernelSpec *self, const char *interpreter, const char *package)
{
  g_autofree char *quoted_interpreter = NULL, *quoted_package = NULL, *with_interpreter = NULL;

  g_return_val_if_fail (INTERP_IS_KERNEL_SPEC (self), NULL);
  g_return_val_if_fail (interpreter != NULL && package != NULL, NULL);

  if (!self->module_command)
    return NULL;
  quoted_interpreter = g_shell_quote (interpreter);
  quoted_package = g_shell_quote (package);
  with_interpreter = replace_all (self->module_command, "%{interpreter}", quoted_interpreter);
  return replace_all (with_interpreter, "%{module}", quoted_package);
}

/* ---- all of them ---- */

static int
compare_ids (gconstpointer a, gconstpointer b, gpointer user_data)
{
  return strcmp (((const InterpKernelSpec *) a)->id, ((const InterpKernelSpec *) b)->id);
}

static void
add_folder (GListStore *specs, const char *path)
{
  g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
  const char *name;

  while (folder && (name = g_dir_read_name (folder)))
    {
      g_autofree char *base = g_strconcat (name, ".kernel", NULL);
      g_autofree char *file = g_build_filename (path, name, base, NULL);
      g_autoptr (InterpKernelSpec) spec = NULL;
      g_autoptr (GError) error = NULL;
      gboolean known = FALSE;

      if (!g_file_test (file, G_FILE_TEST_IS_REGULAR))
        continue;
      spec = interp_kernel_spec_new_from_file (file, &error);
      if (!spec)
        {
          g_warning ("%s: %s", file, error->message);
          continue;
        }
      for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (specs)); i++)
        {
          g_autoptr (InterpKernelSpec) other = g_list_model_get_item (G_LIST_MODEL (specs), i);

          known |= g_str_equal (other->id, spec->id);
        }
      if (!known)
        g_list_store_insert_sorted (specs, spec, compare_ids, NULL);
    }
}

GListModel *
interp_kernel_specs_get (void)
{
  static GListStore *specs;

  if (!specs)
    {
      g_autofree char *shipped = interp_paths_find_data ("kernels");
      g_autofree char *own = g_build_filename (interp_paths_data (), "kernels", NULL);

      specs = g_list_store_new (INTERP_TYPE_KERNEL_SPEC);
      if (shipped)
        add_folder (specs, shipped);
      add_folder (specs, own);
    }
  return G_LIST_MODEL (specs);
}

InterpKernelSpec *
interp_kernel_specs_lookup (const char *language)
{
  GListModel *specs = interp_kernel_specs_get ();

  g_return_val_if_fail (language != NULL, NULL);

  for (guint pass = 0; pass < 2; pass++)
    for (guint i = 0; i < g_list_model_get_n_items (specs); i++)
      {
        g_autoptr (InterpKernelSpec) spec = g_list_model_get_item (specs, i);

        if (pass == 0 && g_ascii_strcasecmp (spec->id, language) == 0)
          return spec;
        for (guint j = 0; pass == 1 && spec->aliases[j]; j++)
          if (g_ascii_strcasecmp (spec->aliases[j], language) == 0)
            return spec;
      }
  return NULL;
}
