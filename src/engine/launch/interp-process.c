/* interp-process.c: a supervised process and all that it starts
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "launch/interp-process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <glib-unix.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>

#include "base/interp-fiber.h"
#include "base/interp-paths.h"
#include "launch/interp-tagged.h"

/* How long the supervisor may take to end everything before it is given up: it needs 2.4 s at most. */
#define CLOSE_MSEC 6000

/* The numbers of the lifeline and the status pipe in the supervisor; lower ones are the program's. */
#define CONTROL_FD 5
#define STATUS_FD 6

struct _InterpProcess
{
  GObject parent_instance;

  GPid supervisor;
  GPid pid;
  int lifeline;
  int status;
  GSource *status_source;
  GString *line;
  char *tag;

  DexPromise *started;
  DexPromise *ended;
  DexPromise *closed;
  int signal_number;
  guint left;
  guint give_up;
  InterpProcess *self_while_closing;
  gboolean has_ended;
  gboolean clean;
};

G_DEFINE_FINAL_TYPE (InterpProcess, interp_process, G_TYPE_OBJECT)
G_DEFINE_QUARK (interp - process - error - quark, interp_process_error)

static gboolean
is_pending (DexPromise *promise)
{
  return dex_future_is_pending (DEX_FUTURE (promise));
}

static void
interp_process_end (InterpProcess *self, int status)
{
  self->pid = 0;
  if (self->has_ended)
    return;
  self->has_ended = TRUE;
  if (is_pending (self->started))
    dex_promise_reject (self->started, g_error_new (INTERP_PROCESS_ERROR, INTERP_PROCESS_ERROR_SUPERVISOR,
                                                    _ ("It was ended before it ran")));
  dex_promise_resolve_int (self->ended, status);
}

static void
interp_process_fail (InterpProcess *self, const char *step, int number)
{
  InterpProcessError code = INTERP_PROCESS_ERROR_SUPERVISOR;

  if (g_str_equal (step, "folder"))
    code = INTERP_PROCESS_ERROR_FOLDER;
  else if (g_str_equal (step, "program"))
    code = INTERP_PROCESS_ERROR_PROGRAM;
  if (is_pending (self->started))
    dex_promise_reject (self->started, g_error_new_literal (INTERP_PROCESS_ERROR, (int) code, g_strerror (number)));
  interp_process_end (self, 127);
}

static void
interp_process_parse_status (InterpProcess *self, const char *line)
{
  char word[16] = "", step[16] = "";
  int number = 0, n_fields;

  n_fields = sscanf (line, "%15s %15s", word, step);
  if (n_fields == 2)
    number = (int) g_ascii_strtoll (step, NULL, 10);
  if (g_str_equal (word, "started") && number > 0)
    {
      self->pid = number;
      if (is_pending (self->started))
        dex_promise_resolve_int (self->started, number);
    }
  else if (g_str_equal (word, "failed") && sscanf (line, "%*s %*s %d", &number) == 1)
    interp_process_fail (self, step, number);
  else if (g_str_equal (word, "exited"))
    interp_process_end (self, number & 0xff);
  else if (g_str_equal (word, "killed"))
    {
      self->signal_number = number & 0x7f;
      interp_process_end (self, 128 + self->signal_number);
    }
  else if (g_str_equal (word, "left"))
    self->left = (guint) MAX (number, 1);
  else if (g_str_equal (word, "clean"))
    self->clean = TRUE;
}

/* FALSE at the end of the stream. */
static gboolean
interp_process_read_status (InterpProcess *self)
{
  for (;;)
    {
      char bytes[256];
      ssize_t got = read (self->status, bytes, sizeof bytes);

      if (got < 0 && errno == EINTR)
        continue;
      if (got < 0)
        return errno == EAGAIN;
      if (got == 0)
        return FALSE;
      for (ssize_t i = 0; i < got; i++)
        if (bytes[i] == '\n')
          {
            interp_process_parse_status (self, self->line->str);
            g_string_truncate (self->line, 0);
          }
        else if (self->line->len < 128)
          g_string_append_c (self->line, bytes[i]);
    }
}

static gboolean
status_cb (int fd, GIOCondition condition, gpointer user_data)
{
  g_autoptr (InterpProcess) self = g_object_ref (user_data);

  if (interp_process_read_status (self))
    return G_SOURCE_CONTINUE;
  g_clear_pointer (&self->status_source, g_source_unref);
  return G_SOURCE_REMOVE;
}

static void
interp_process_resolve_closed (InterpProcess *self)
{
  g_clear_handle_id (&self->give_up, g_source_remove);
  if (!is_pending (self->closed))
    return;
  if (self->left > 0)
    dex_promise_reject (self->closed,
                        g_error_new (INTERP_PROCESS_ERROR, INTERP_PROCESS_ERROR_LEFT,
                                     g_dngettext (GETTEXT_PACKAGE, "%u process of another user could not be ended",
                                                  "%u processes of another user could not be ended", self->left),
                                     self->left));
  else
    dex_promise_resolve_boolean (self->closed, TRUE);
  /* The caller holds another reference. */
  g_clear_object (&self->self_while_closing);
}

static DexFuture *
sweep_done (DexFuture *future, gpointer user_data)
{
  InterpProcess *self = user_data;

  interp_process_resolve_closed (self);
  return NULL;
}

static void
supervisor_ended_cb (GPid pid, int how, gpointer user_data)
{
  g_autoptr (InterpProcess) self = g_weak_ref_get (user_data);

  g_spawn_close_pid (pid);
  if (!self)
    return;
  self->supervisor = 0;
  if (self->status_source)
    {
      interp_process_read_status (self);
      g_source_destroy (self->status_source);
      g_clear_pointer (&self->status_source, g_source_unref);
    }
  g_clear_fd (&self->lifeline, NULL);
  if (!self->has_ended)
    self->signal_number = SIGKILL; /* The interpreter dies with its supervisor. */
  interp_process_end (self, 128 + SIGKILL);
  if (self->clean || self->left > 0 || !self->tag)
    {
      interp_process_resolve_closed (self);
      return;
    }
  /* The code ended our supervisor: what it had adopted is without a parent, but still carries the tag. */
  g_debug ("A supervisor was ended from outside");
  dex_future_disown (
      dex_future_finally (interp_tagged_kill (self->tag), sweep_done, g_object_ref (self), g_object_unref));
}

static void
weak_ref_free (gpointer data)
{
  g_weak_ref_clear (data);
  g_free (data);
}

static void
interp_process_finalize (GObject *object)
{
  InterpProcess *self = INTERP_PROCESS (object);

  g_clear_handle_id (&self->give_up, g_source_remove);
  if (self->status_source)
    g_source_destroy (self->status_source);
  g_clear_pointer (&self->status_source, g_source_unref);
  g_clear_fd (&self->lifeline, NULL);
  g_clear_fd (&self->status, NULL);
  g_string_free (self->line, TRUE);
  g_free (self->tag);
  dex_clear (&self->started);
  dex_clear (&self->ended);
  dex_clear (&self->closed);
  G_OBJECT_CLASS (interp_process_parent_class)->finalize (object);
}

static void
interp_process_class_init (InterpProcessClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = interp_process_finalize;
}

static void
interp_process_init (InterpProcess *self)
{
  self->lifeline = self->status = -1;
  self->line = g_string_new (NULL);
  self->started = dex_promise_new ();
  self->ended = dex_promise_new ();
  self->closed = dex_promise_new ();
}

static gboolean
make_pipe (int fds[2], GError **error)
{
  if (g_unix_open_pipe (fds, O_CLOEXEC, error))
    return TRUE;
  fds[0] = fds[1] = -1;
  return FALSE;
}

/* Copies of the descriptors 0 to 2 of @launch, -1 where there is none. GLib closes the numbers that they have here in
 * the supervisor too, once all are in their places there: it must not be a number that one of them got there. */
static gboolean
copy_standard (InterpLaunch *launch, int standard[3], GError **error)
{
  for (guint i = 0; i < interp_launch_get_n_fds (launch); i++)
    {
      int target;
      int fd = interp_launch_get_fd (launch, i, &target);

      if (target > 2)
        continue;
      standard[target] = fcntl (fd, F_DUPFD_CLOEXEC, STATUS_FD + 1);
      if (standard[target] < 0)
        {
          g_set_error_literal (error, INTERP_PROCESS_ERROR, INTERP_PROCESS_ERROR_SUPERVISOR, g_strerror (errno));
          return FALSE;
        }
    }

  return TRUE;
}

static gboolean
interp_process_start_supervisor (InterpProcess *self, InterpLaunch *launch, GError **error)
{
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  g_autoptr (GArray) sources = g_array_new (FALSE, FALSE, sizeof (int));
  g_autoptr (GArray) targets = g_array_new (FALSE, FALSE, sizeof (int));
  g_autofree char *program = interp_paths_find_program ("interpreter-launch");
  const char *const *command = interp_launch_get_argv (launch);
  g_autofd int control = -1, status = -1;
  int standard[3] = { -1, -1, -1 };
  gboolean spawned;
  int control_target = CONTROL_FD, status_target = STATUS_FD;
  int pipes[2];

  if (!program)
    {
      g_set_error (error, INTERP_PROCESS_ERROR, INTERP_PROCESS_ERROR_SUPERVISOR,
                   _ ("A part of Interpreter is not installed: %s"), "interpreter-launch");
      return FALSE;
    }
  if (!make_pipe (pipes, error))
    return FALSE;
  control = pipes[0];
  self->lifeline = pipes[1];
  if (!make_pipe (pipes, error))
    return FALSE;
  self->status = pipes[0];
  status = pipes[1];
  if (!g_unix_set_fd_nonblocking (self->status, TRUE, error)
      || !g_unix_set_fd_nonblocking (self->lifeline, TRUE, error))
    return FALSE;

  for (guint i = 0; i < interp_launch_get_n_fds (launch); i++)
    {
      int target;
      int fd = interp_launch_get_fd (launch, i, &target);

      if (target > 2 && target < CONTROL_FD)
        {
          g_array_append_val (sources, fd);
          g_array_append_val (targets, target);
        }
    }
  g_array_append_val (sources, control);
  g_array_append_val (targets, control_target);
  g_array_append_val (sources, status);
  g_array_append_val (targets, status_target);

  g_ptr_array_add (argv, program);
  g_ptr_array_add (argv, (char *) "--supervise");
  g_ptr_array_add (argv, (char *) G_STRINGIFY (CONTROL_FD));
  g_ptr_array_add (argv, (char *) G_STRINGIFY (STATUS_FD));
  g_ptr_array_add (argv, (char *) "--limit");
  g_ptr_array_add (argv, (char *) "core=0");
  if (interp_launch_get_folder (launch))
    {
      g_ptr_array_add (argv, (char *) "--folder");
      g_ptr_array_add (argv, (char *) interp_launch_get_folder (launch));
    }
  g_ptr_array_add (argv, (char *) "--");
  for (guint i = 0; command[i]; i++)
    g_ptr_array_add (argv, (char *) command[i]);
  g_ptr_array_add (argv, NULL);

  /* No child setup, no folder and no closing of descriptors (the supervisor does both): then GLib uses posix_spawn (),
   * and nothing of ours runs between fork and exec. */
  spawned = copy_standard (launch, standard, error)
            && g_spawn_async_with_pipes_and_fds (NULL, (const char *const *) argv->pdata,
                                                 interp_launch_get_environment (launch),
                                                 G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_LEAVE_DESCRIPTORS_OPEN, NULL, NULL,
                                                 standard[0], standard[1], standard[2],
                                                 (const int *) (gpointer) sources->data,
                                                 (const int *) (gpointer) targets->data, sources->len,
                                                 &self->supervisor, NULL, NULL, NULL, error);
  for (int i = 0; i < 3; i++)
    g_clear_fd (&standard[i], NULL);

  return spawned;
}

InterpProcess *
interp_process_spawn (InterpLaunch *launch, const char *tag, GError **error)
{
  g_autoptr (InterpProcess) self = NULL;
  GWeakRef *weak;
  gboolean spawned;

  g_return_val_if_fail (INTERP_IS_LAUNCH (launch), NULL);

  self = g_object_new (INTERP_TYPE_PROCESS, NULL);
  self->tag = g_strdup (tag);
  spawned = interp_launch_resolve (launch, error) && interp_process_start_supervisor (self, launch, error);
  interp_launch_close_fds (launch);
  if (!spawned)
    return NULL;
  self->status_source = g_unix_fd_source_new (self->status, G_IO_IN | G_IO_HUP | G_IO_ERR);
  g_source_set_callback (self->status_source, G_SOURCE_FUNC (status_cb), self, NULL);
  g_source_attach (self->status_source, NULL);
  /* The watch reaps the supervisor even after we are gone, so it must not keep us. */
  weak = g_new0 (GWeakRef, 1);
  g_weak_ref_init (weak, self);
  g_child_watch_add_full (G_PRIORITY_DEFAULT, self->supervisor, supervisor_ended_cb, weak, weak_ref_free);
  return g_steal_pointer (&self);
}

GPid
interp_process_get_supervisor (InterpProcess *self)
{
  g_return_val_if_fail (INTERP_IS_PROCESS (self), 0);

  return self->supervisor;
}

GPid
interp_process_get_pid (InterpProcess *self)
{
  g_return_val_if_fail (INTERP_IS_PROCESS (self), 0);

  return self->pid;
}

static void
interp_process_command (InterpProcess *self, char command)
{
  ssize_t written;

  if (self->lifeline < 0)
    return;
  do
    written = write (self->lifeline, &command, 1);
  while (written < 0 && errno == EINTR);
}

DexFuture *
interp_process_go (InterpProcess *self)
{
  g_return_val_if_fail (INTERP_IS_PROCESS (self), NULL);

  interp_process_command (self, 'g');
  return dex_ref (DEX_FUTURE (self->started));
}

void
interp_process_take_foreground (InterpProcess *self)
{
  g_return_if_fail (INTERP_IS_PROCESS (self));

  interp_process_command (self, 'f');
}

DexFuture *
interp_process_wait (InterpProcess *self)
{
  g_return_val_if_fail (INTERP_IS_PROCESS (self), NULL);

  return dex_ref (DEX_FUTURE (self->ended));
}

gboolean
interp_process_has_ended (InterpProcess *self)
{
  g_return_val_if_fail (INTERP_IS_PROCESS (self), TRUE);

  return self->has_ended;
}

int
interp_process_get_signal (InterpProcess *self)
{
  g_return_val_if_fail (INTERP_IS_PROCESS (self), 0);

  return self->signal_number;
}

static gboolean
give_up_cb (gpointer user_data)
{
  InterpProcess *self = user_data;

  self->give_up = 0;
  if (self->supervisor > 0)
    kill (self->supervisor, SIGKILL);
  return G_SOURCE_REMOVE;
}

DexFuture *
interp_process_close (InterpProcess *self)
{
  g_return_val_if_fail (INTERP_IS_PROCESS (self), NULL);

  if (self->lifeline >= 0)
    {
      g_clear_fd (&self->lifeline, NULL);
      /* The code may have stopped its supervisor. */
      if (self->supervisor > 0)
        kill (self->supervisor, SIGCONT);
      self->give_up = g_timeout_add (CLOSE_MSEC, give_up_cb, self);
      /* Until it is closed: somebody may wait for that who holds nothing else of it. */
      if (is_pending (self->closed))
        self->self_while_closing = g_object_ref (self);
    }
  return dex_ref (DEX_FUTURE (self->closed));
}
