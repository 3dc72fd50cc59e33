/* interp-kernel-instance.c: one start of a kernel
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "kernel/interp-kernel-instance.h"

#include <fcntl.h>
#include <unistd.h>

#include <glib-unix.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>

#include "base/interp-fiber.h"
#include "base/interp-paths.h"
#include "kernel/interp-kernel-files.h"
#include "kernel/interp-kernel-spec-private.h"
#include "kernel/interp-pty-private.h"
#include "launch/interp-scope.h"

/* The channels' numbers in the interpreter. */
#define REQUESTS_FD 3
#define EVENTS_FD 4

/* Harnesses keep this one, so that all that the code starts carries it. */
#define TAG_VARIABLE "INTERPRETER_KERNEL"

/* Enough for any honest use; a program that forks without end does not take the machine along. */
#define MAX_TASKS 16384

struct _InterpKernelInstance
{
  GObject parent_instance;

  InterpKernelSpec *spec;
  char *interpreter;
  char *folder;
  GStrv env;
  InterpLaunch *launch;
  InterpPty *pty;
  InterpKernelEventFunc event;
  gpointer user_data;

  guint64 memory_max;

  char *token;
  char *tag; /* the value of TAG_VARIABLE */
  char *spool;
  InterpProcess *process;
  InterpKernelChannel *channel;
  gboolean closed;
};

G_DEFINE_FINAL_TYPE (InterpKernelInstance, interp_kernel_instance, G_TYPE_OBJECT)

static void
interp_kernel_instance_finalize (GObject *object)
{
  InterpKernelInstance *self = INTERP_KERNEL_INSTANCE (object);

  g_clear_pointer (&self->channel, interp_kernel_channel_free);
  g_clear_object (&self->process);
  if (self->spool)
    interp_kernel_files_remove_spool (self->spool);
  g_clear_object (&self->spec);
  g_clear_object (&self->launch);
  g_clear_object (&self->pty);
  g_free (self->interpreter);
  g_free (self->folder);
  g_strfreev (self->env);
  g_free (self->token);
  g_free (self->tag);
  g_free (self->spool);
  G_OBJECT_CLASS (interp_kernel_instance_parent_class)->finalize (object);
}

static void
interp_kernel_instance_class_init (InterpKernelInstanceClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = interp_kernel_instance_finalize;
}

static void
interp_kernel_instance_init (InterpKernelInstance *self)
{
}

InterpKernelInstance *
interp_kernel_instance_new (InterpKernelSpec *spec, const char *interpreter, const char *folder, const char *const *env,
                            InterpLaunch *launch, InterpPty *pty, InterpKernelEventFunc event, gpointer user_data)
{
  InterpKernelInstance *self = g_object_new (INTERP_TYPE_KERNEL_INSTANCE, NULL);

  self->spec = g_object_ref (spec);
  self->interpreter = g_strdup (interpreter);
  self->folder = g_strdup (folder);
  self->env = g_strdupv ((GStrv) env);
  self->launch = g_object_ref (launch);
  self->pty = g_object_ref (pty);
  self->event = event;
  self->user_data = user_data;
  return self;
}

void
interp_kernel_instance_set_memory_max (InterpKernelInstance *self, guint64 bytes)
{
  g_return_if_fail (INTERP_IS_KERNEL_INSTANCE (self));

  self->memory_max = bytes;
}

void
interp_kernel_instance_disconnect (InterpKernelInstance *self)
{
  g_return_if_fail (INTERP_IS_KERNEL_INSTANCE (self));

  self->event = NULL;
}

static void
event_cb (JsonNode *event, gpointer user_data)
{
  g_autoptr (InterpKernelInstance) self = g_object_ref (user_data);

  if (self->event)
    self->event (event, self->user_data);
}

/* 16 hex digits that nobody can guess. */
static char *
make_token (void)
{
  g_autofree char *uuid = g_uuid_string_random ();
  GString *token = g_string_new (NULL);

  for (const char *c = uuid; *c && token->len < 16; c++)
    if (g_ascii_isxdigit (*c))
      g_string_append_c (token, *c);
  return g_string_free_and_steal (token);
}

static GStrv
interp_kernel_instance_build_environment (InterpKernelInstance *self)
{
  static const struct
  {
    const char *name;
    const char *value; /* NULL: removed */
  } variables[] = {
    { "TERM", "xterm-256color" },
    { "COLORTERM", "truecolor" },
    { "VTE_VERSION", NULL },
    { "COLUMNS", NULL },
    { "LINES", NULL },
    { "OLDPWD", NULL },
    { "INTERP_DATADIR", NULL },
    /* Code that a model wrote would wait in a pager for ever. */
    { "PAGER", "cat" },
    { "GIT_PAGER", "cat" },
    { "MANPAGER", "cat" },
    { "SYSTEMD_PAGER", "cat" },
    { "AWS_PAGER", "" },
    { "INTERP_KERNEL_REQUESTS", G_STRINGIFY (REQUESTS_FD) },
    { "INTERP_KERNEL_EVENTS", G_STRINGIFY (EVENTS_FD) },
  };
  GStrv env = g_strdupv (self->env);

  for (guint i = 0; i < G_N_ELEMENTS (variables); i++)
    if (variables[i].value)
      env = g_environ_setenv (env, variables[i].name, variables[i].value, TRUE);
    else
      env = g_environ_unsetenv (env, variables[i].name);
  env = g_environ_setenv (env, "PWD", self->folder, TRUE);
  env = g_environ_setenv (env, TAG_VARIABLE, self->tag, TRUE);
  env = g_environ_setenv (env, "INTERP_KERNEL_TOKEN", self->token, TRUE);
  env = g_environ_setenv (env, "INTERP_KERNEL_SPOOL", self->spool, TRUE);
  return interp_kernel_spec_add_environment (self->spec, env);
}

/* The terminal thrice and one end of each channel go along; ours are in the channel object. */
static gboolean
interp_kernel_instance_connect (InterpKernelInstance *self, GError **error)
{
  g_autofd int request_read = -1, request_write = -1, event_read = -1, event_write = -1;
  int fds[2];
  int slave;

  slave = interp_pty_open (self->pty, self->token, error);
  if (slave < 0)
    return FALSE;
  interp_launch_take_fd (self->launch, slave, 0);
  for (int target = 1; target <= 2; target++)
    {
      int copy = fcntl (slave, F_DUPFD_CLOEXEC, 3);

      if (copy >= 0)
        interp_launch_take_fd (self->launch, copy, target);
    }
  if (!g_unix_open_pipe (fds, O_CLOEXEC, error))
    return FALSE;
  request_read = fds[0];
  request_write = fds[1];
  if (!g_unix_open_pipe (fds, O_CLOEXEC, error))
    return FALSE;
  event_read = fds[0];
  event_write = fds[1];
  interp_launch_take_fd (self->launch, g_steal_fd (&request_read), REQUESTS_FD);
  interp_launch_take_fd (self->launch, g_steal_fd (&event_write), EVENTS_FD);
  self->channel = interp_kernel_channel_new (g_steal_fd (&request_write), g_steal_fd (&event_read),
                                             interp_kernel_spec_get_requests (self->spec), event_cb, self);
  return TRUE;
}

static gboolean
interp_kernel_instance_spawn (InterpKernelInstance *self, GError **error)
{
  g_auto (GStrv) arguments = interp_kernel_spec_dup_arguments (self->spec);
  g_auto (GStrv) env = NULL;
  g_autofree char *tag = NULL;

  self->token = make_token ();
  self->tag = make_token ();
  self->spool = interp_kernel_files_make_spool (error);
  if (!self->spool || !interp_kernel_instance_connect (self, error))
    return FALSE;
  env = interp_kernel_instance_build_environment (self);
  interp_launch_append (self->launch, self->interpreter);
  interp_launch_append_all (self->launch, (const char *const *) arguments);
  interp_launch_set_environment (self->launch, (const char *const *) env);
  interp_launch_set_folder (self->launch, self->folder);
  tag = g_strconcat (TAG_VARIABLE "=", self->tag, NULL);
  self->process = interp_process_spawn (self->launch, tag, error);
  return self->process != NULL;
}

static DexFuture *
reject_start (InterpKernelInstance *self, const GError *error)
{
  g_autofree char *folder = NULL;

  if (g_error_matches (error, INTERP_PROCESS_ERROR, INTERP_PROCESS_ERROR_FOLDER))
    {
      folder = interp_paths_display (self->folder);
      return dex_future_new_reject (INTERP_KERNEL_ERROR, INTERP_KERNEL_ERROR_FOLDER,
                                    /* Translators: a folder and the reason */
                                    _ ("The folder %s cannot be entered: %s"), folder, error->message);
    }
  /* Translators: a language or program, and the reason */
  return dex_future_new_reject (INTERP_KERNEL_ERROR, INTERP_KERNEL_ERROR_START, _ ("%s could not be started: %s"),
                                g_error_matches (error, INTERP_PROCESS_ERROR, INTERP_PROCESS_ERROR_PROGRAM)
                                    ? self->interpreter
                                    : interp_kernel_spec_get_title (self->spec),
                                error->message);
}

static DexFuture *
start_fiber (gpointer data)
{
  InterpKernelInstance *self = data;
  InterpScopeLimits limits = { .memory_max = self->memory_max, .tasks_max = MAX_TASKS };
  g_autoptr (InterpProcess) process = NULL;
  g_autoptr (GError) error = NULL;

  if (self->closed)
    return dex_future_new_reject (INTERP_KERNEL_ERROR, INTERP_KERNEL_ERROR_START, _ ("%s was closed while it started."),
                                  interp_kernel_spec_get_title (self->spec));
  if (!interp_kernel_instance_spawn (self, &error))
    return reject_start (self, error);
  process = g_object_ref (self->process);
  interp_await (interp_scope_start (interp_process_get_supervisor (process), interp_kernel_spec_get_id (self->spec),
                                    interp_kernel_spec_get_title (self->spec), &limits),
                NULL);
  if (!interp_await (interp_process_go (process), &error))
    return reject_start (self, error);
  return dex_future_new_true ();
}

DexFuture *
interp_kernel_instance_start (InterpKernelInstance *self)
{
  g_return_val_if_fail (INTERP_IS_KERNEL_INSTANCE (self), NULL);

  return interp_fiber_spawn (start_fiber, g_object_ref (self), g_object_unref);
}

DexFuture *
interp_kernel_instance_wait (InterpKernelInstance *self)
{
  g_return_val_if_fail (INTERP_IS_KERNEL_INSTANCE (self), NULL);
  g_return_val_if_fail (self->process != NULL, NULL);

  return interp_process_wait (self->process);
}

DexFuture *
interp_kernel_instance_close (InterpKernelInstance *self)
{
  g_return_val_if_fail (INTERP_IS_KERNEL_INSTANCE (self), NULL);

  self->closed = TRUE;
  return self->process ? interp_process_close (self->process) : dex_future_new_true ();
}

InterpProcess *
interp_kernel_instance_get_process (InterpKernelInstance *self)
{
  g_return_val_if_fail (INTERP_IS_KERNEL_INSTANCE (self), NULL);

  return self->process;
}

const char *
interp_kernel_instance_get_spool (InterpKernelInstance *self)
{
  g_return_val_if_fail (INTERP_IS_KERNEL_INSTANCE (self), NULL);

  return self->spool;
}

gboolean
interp_kernel_instance_execute (InterpKernelInstance *self, guint64 id, const char *code, GError **error)
{
  g_autofree char *path = NULL;

  g_return_val_if_fail (INTERP_IS_KERNEL_INSTANCE (self), FALSE);
  g_return_val_if_fail (self->channel != NULL, FALSE);

  path = interp_kernel_files_write_cell (self->spool, id, interp_kernel_spec_get_extension (self->spec), code, error);
  if (!path)
    return FALSE;
  interp_kernel_channel_execute (self->channel, id, path, code);
  return TRUE;
}

void
interp_kernel_instance_send (InterpKernelInstance *self, const char *request, guint64 id)
{
  g_return_if_fail (INTERP_IS_KERNEL_INSTANCE (self));

  if (self->channel)
    interp_kernel_channel_send (self->channel, request, id);
}

void
interp_kernel_instance_configure (InterpKernelInstance *self, int columns, gboolean dark)
{
  g_return_if_fail (INTERP_IS_KERNEL_INSTANCE (self));

  if (self->channel)
    interp_kernel_channel_configure (self->channel, columns, dark, FALSE);
}

void
interp_kernel_instance_drain (InterpKernelInstance *self)
{
  g_return_if_fail (INTERP_IS_KERNEL_INSTANCE (self));

  if (self->channel)
    interp_kernel_channel_drain (self->channel);
}
