/* kernel-fixture.c: real kernels for tests
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "kernel-fixture.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

/* A guard against hanging, not a measure. */
#define GUARD_SECONDS 60

static char *home;
static KernelFixture *current; /* tells what hangs */
static char *(*describer) (void);

void
kernel_test_remove_all (const char *path)
{
  g_autoptr (GDir) folder = NULL;
  const char *name;

  if (!g_file_test (path, G_FILE_TEST_IS_SYMLINK))
    folder = g_dir_open (path, 0, NULL);
  while (folder && (name = g_dir_read_name (folder)))
    {
      g_autofree char *child = g_build_filename (path, name, NULL);

      kernel_test_remove_all (child);
    }
  g_remove (path);
}

static void
remove_home (void)
{
  kernel_test_remove_all (home);
  g_free (home);
}

/* One for all tests of the program: our paths are looked up once. */
void
kernel_test_init (int *argc, char ***argv)
{
  static const char *const variables[]
      = { "HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR" };

  home = g_dir_make_tmp ("kernel-home-XXXXXX", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (variables); i++)
    g_setenv (variables[i], home, TRUE);
  g_unsetenv ("DBUS_SESSION_BUS_ADDRESS");
  atexit (remove_home);
  g_test_init (argc, argv, NULL);
  dex_init ();
}

static void
lost_cb (InterpKernel *kernel, const char *sentence, gpointer user_data)
{
  g_test_message ("%s", sentence);
}

gboolean
kernel_fixture_set_up (KernelFixture *self, const char *language)
{
  InterpKernelSpec *spec = interp_kernel_specs_lookup (language);
  g_auto (GStrv) env = g_get_environ ();
  g_autofree char *interpreter = NULL;
  g_autofree char *folder = NULL;

  memset (self, 0, sizeof *self);
  if (!spec)
    g_error ("No kernel is described as %s", language);
  interpreter = interp_kernel_spec_find_interpreter (spec, (const char *const *) env);
  if (!interpreter)
    {
      g_test_skip_printf ("%s is not installed", language);
      return FALSE;
    }
  folder = g_dir_make_tmp ("kernel-test-XXXXXX", NULL);
  self->folder = g_canonicalize_filename (folder, NULL);
  self->log_dir = g_dir_make_tmp ("kernel-log-XXXXXX", NULL);
  self->kernel = interp_kernel_new (spec, self->folder, NULL, self->log_dir);
  current = self;
  g_signal_connect (self->kernel, "lost", G_CALLBACK (lost_cb), NULL);
  return TRUE;
}

void
kernel_fixture_tear_down (KernelFixture *self)
{
  g_autoptr (GError) error = NULL;

  if (!self->kernel)
    return;
  kernel_test_await (interp_kernel_close (self->kernel), &error);
  g_assert_no_error (error);
  g_assert_cmpint (interp_kernel_get_state (self->kernel), ==, INTERP_KERNEL_OFF);
  current = NULL;
  g_assert_finalize_object (g_steal_pointer (&self->kernel));
  kernel_test_remove_all (self->folder);
  kernel_test_remove_all (self->log_dir);
  g_clear_pointer (&self->folder, g_free);
  g_clear_pointer (&self->log_dir, g_free);
}

static gboolean
guard_cb (gpointer user_data)
{
  InterpKernel *kernel = current ? current->kernel : NULL;
  InterpRun *run = kernel ? interp_kernel_get_run (kernel) : NULL;
  g_autofree char *text = run ? kernel_test_text (run) : NULL;
  g_autofree char *more = describer ? describer () : NULL;

  if (more)
    g_error ("Nothing happened for %d seconds:\n%s", GUARD_SECONDS, more);
  g_error ("Nothing happened for %d seconds: the kernel's state is %d, its code's %d, printed was \"%s\"",
           GUARD_SECONDS, kernel ? (int) interp_kernel_get_state (kernel) : -1,
           run ? (int) interp_run_get_status (run) : -1, text ? text : "");
  return G_SOURCE_REMOVE;
}

static gboolean
tick_cb (gpointer user_data)
{
  return G_SOURCE_CONTINUE;
}

void
kernel_test_set_describer (char *(*func) (void) )
{
  describer = func;
}

void
kernel_test_until (KernelTestCondition condition, gpointer user_data)
{
  guint guard = g_timeout_add_seconds (GUARD_SECONDS, guard_cb, NULL);
  /* Conditions outside of the main loop are looked at now and then. */
  guint tick = g_timeout_add (10, tick_cb, NULL);

  while (!condition (user_data))
    g_main_context_iteration (NULL, TRUE);
  g_source_remove (guard);
  g_source_remove (tick);
}

static gboolean
is_done (gpointer user_data)
{
  return !dex_future_is_pending (user_data);
}

gboolean
kernel_test_await (DexFuture *future, GError **error)
{
  g_autoptr (DexFuture) owned = future;

  kernel_test_until (is_done, owned);
  return dex_future_get_value (owned, error) != NULL;
}

int
kernel_test_await_int (DexFuture *future)
{
  g_autoptr (DexFuture) owned = future;
  g_autoptr (GError) error = NULL;
  const GValue *value;

  kernel_test_until (is_done, owned);
  value = dex_future_get_value (owned, &error);
  g_assert_no_error (error);
  return g_value_get_int (value);
}

gpointer
kernel_test_await_object (DexFuture *future, GError **error)
{
  g_autoptr (DexFuture) owned = future;
  const GValue *value;

  kernel_test_until (is_done, owned);
  value = dex_future_get_value (owned, error);
  return value ? g_value_dup_object (value) : NULL;
}

InterpRun *
kernel_fixture_begin (KernelFixture *self, const char *code)
{
  g_autoptr (GError) error = NULL;
  InterpRun *run = kernel_test_await_object (interp_kernel_execute (self->kernel, code), &error);

  g_assert_no_error (error);
  g_assert_cmpstr (interp_run_get_code (run), ==, code);
  return run;
}

InterpRun *
kernel_fixture_run (KernelFixture *self, const char *code)
{
  InterpRun *run = kernel_fixture_begin (self, code);

  kernel_test_await_int (interp_run_wait (run));
  return run;
}

char *
kernel_test_text (InterpRun *run)
{
  return interp_terminal_text_to_string (interp_run_get_text (run), NULL);
}

void
kernel_fixture_check (KernelFixture *self, const char *code, InterpRunStatus status, const char *text)
{
  g_autoptr (InterpRun) run = kernel_fixture_run (self, code);
  g_autofree char *printed = kernel_test_text (run);

  if (text)
    g_assert_cmpstr (printed, ==, text);
  if (interp_run_get_status (run) != status)
    g_test_message ("%s\n%s", code, printed);
  g_assert_cmpint (interp_run_get_status (run), ==, status);
}

typedef struct
{
  InterpRun *run;
  const char *text;
} Expected;

static gboolean
has_text (gpointer user_data)
{
  const Expected *expected = user_data;
  g_autofree char *text = kernel_test_text (expected->run);

  if (strstr (text, expected->text))
    return TRUE;
  if (interp_run_get_status (expected->run) != INTERP_RUN_RUNNING)
    g_error ("The run ended without \"%s\":\n%s", expected->text, text);
  return FALSE;
}

void
kernel_test_await_text (InterpRun *run, const char *text)
{
  Expected expected = { run, text };

  kernel_test_until (has_text, &expected);
}

void
kernel_fixture_type (KernelFixture *self, const char *text)
{
  interp_pty_write (interp_kernel_get_pty (self->kernel), text, strlen (text));
}

guint
kernel_test_count_processes (const char *name)
{
  g_autoptr (GDir) proc = g_dir_open ("/proc", 0, NULL);
  const char *entry;
  guint n_found = 0;

  while (proc && (entry = g_dir_read_name (proc)))
    {
      g_autofree char *path = g_build_filename ("/proc", entry, "cmdline", NULL);
      g_autofree char *text = NULL;
      gsize length = 0;

      if (!g_ascii_isdigit (*entry) || !g_file_get_contents (path, &text, &length, NULL))
        continue;
      if (length > 0 && memmem (text, length, name, strlen (name)))
        n_found++;
    }
  return n_found;
}

char *
kernel_test_make_name (void)
{
  static guint n_names;

  return g_strdup_printf ("interp-test-%d-%u", (int) getpid (), n_names++);
}
