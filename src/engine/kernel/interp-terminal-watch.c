/* interp-terminal-watch.c: what running code waits for
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "kernel/interp-terminal-watch.h"

#include "kernel/interp-input-probe.h"
#include "kernel/interp-pty-private.h"

#define LOOK_MSEC 100

/* Who has written nothing for so long may be waiting, microseconds. */
#define QUIET_USEC (300 * 1000)

struct _InterpTerminalWatch
{
  GObject parent_instance;

  InterpPty *pty;
  int pid;
  InterpTerminalWatchFunc changed;
  gpointer user_data;

  guint timer;
  InterpWaiting waiting;
  gint64 last_output; /* g_get_monotonic_time () */
  gboolean asked;
  gboolean asked_password;
  gboolean probing;
  gboolean blocked; /* what the last probe found */
};

G_DEFINE_FINAL_TYPE (InterpTerminalWatch, interp_terminal_watch, G_TYPE_OBJECT)

static InterpWaiting
interp_terminal_watch_judge (InterpTerminalWatch *self)
{
  struct termios modes;
  gboolean known = interp_pty_get_modes (self->pty, &modes);

  /* Echo off with line editing on is a password; without line editing a program draws by itself. */
  if (known && !(modes.c_lflag & ECHO) && (modes.c_lflag & ICANON))
    return INTERP_WAITING_PASSWORD;
  if (interp_pty_is_full_screen (self->pty))
    return INTERP_WAITING_FULL_SCREEN;
  /* A password that is asked for is waited for once the echo is off: what is typed before is shown, and dropped. */
  return (self->asked && !self->asked_password) || self->blocked ? INTERP_WAITING_INPUT : INTERP_WAITING_NO;
}

static void
interp_terminal_watch_update (InterpTerminalWatch *self)
{
  InterpWaiting waiting;

  if (!self->changed)
    return;
  waiting = interp_terminal_watch_judge (self);
  if (waiting == self->waiting)
    return;
  self->waiting = waiting;
  self->changed (waiting, self->user_data);
}

static DexFuture *
probed_cb (DexFuture *future, gpointer user_data)
{
  InterpTerminalWatch *self = user_data;
  const GValue *value = dex_future_get_value (future, NULL);

  self->probing = FALSE;
  self->blocked = value && g_value_get_boolean (value) && g_get_monotonic_time () - self->last_output >= QUIET_USEC;
  interp_terminal_watch_update (self);
  return NULL;
}

static void
interp_terminal_watch_probe (InterpTerminalWatch *self)
{
  struct termios modes;
  int foreground = interp_pty_get_foreground (self->pty);
  gboolean single_keys;

  if (self->probing || foreground == 0)
    return;
  single_keys = interp_pty_get_modes (self->pty, &modes) && !(modes.c_lflag & ICANON);
  self->probing = TRUE;
  dex_future_disown (dex_future_finally (interp_input_probe (self->pid, foreground, single_keys), probed_cb,
                                         g_object_ref (self), g_object_unref));
}

static gboolean
look_cb (gpointer user_data)
{
  g_autoptr (InterpTerminalWatch) self = g_object_ref (user_data);

  interp_terminal_watch_update (self);
  if (self->changed && (!self->asked || self->asked_password)
      && g_get_monotonic_time () - self->last_output >= QUIET_USEC)
    interp_terminal_watch_probe (self);
  return G_SOURCE_CONTINUE;
}

static void
interp_terminal_watch_finalize (GObject *object)
{
  InterpTerminalWatch *self = INTERP_TERMINAL_WATCH (object);

  g_clear_handle_id (&self->timer, g_source_remove);
  g_clear_object (&self->pty);
  G_OBJECT_CLASS (interp_terminal_watch_parent_class)->finalize (object);
}

static void
interp_terminal_watch_class_init (InterpTerminalWatchClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = interp_terminal_watch_finalize;
}

static void
interp_terminal_watch_init (InterpTerminalWatch *self)
{
  self->last_output = g_get_monotonic_time ();
}

InterpTerminalWatch *
interp_terminal_watch_new (InterpPty *pty, int pid, InterpTerminalWatchFunc changed, gpointer user_data)
{
  InterpTerminalWatch *self;

  g_return_val_if_fail (INTERP_IS_PTY (pty), NULL);
  g_return_val_if_fail (changed != NULL, NULL);

  self = g_object_new (INTERP_TYPE_TERMINAL_WATCH, NULL);
  self->pty = g_object_ref (pty);
  self->pid = pid;
  self->changed = changed;
  self->user_data = user_data;
  self->timer = g_timeout_add (LOOK_MSEC, look_cb, self);
  return self;
}

void
interp_terminal_watch_stop (InterpTerminalWatch *self)
{
  g_return_if_fail (INTERP_IS_TERMINAL_WATCH (self));

  g_clear_handle_id (&self->timer, g_source_remove);
  self->changed = NULL;
}

void
interp_terminal_watch_note_output (InterpTerminalWatch *self)
{
  g_return_if_fail (INTERP_IS_TERMINAL_WATCH (self));

  self->last_output = g_get_monotonic_time ();
  self->blocked = FALSE;
  interp_terminal_watch_update (self);
}

void
interp_terminal_watch_set_asked (InterpTerminalWatch *self, gboolean asked, gboolean password)
{
  g_return_if_fail (INTERP_IS_TERMINAL_WATCH (self));

  self->asked = asked;
  self->asked_password = asked && password;
  interp_terminal_watch_update (self);
}
