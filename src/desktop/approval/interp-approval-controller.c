/* interp-approval-controller.c
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "approval/interp-approval-controller.h"
#include "approval/interp-approval-dialog.h"
#include "base/interp-settings.h"

/* Nobody in mid-word gets a dialog under the fingers. */
#define TYPING_MSEC 1000

struct _InterpApprovalController
{
  GObject parent_instance;

  GtkWidget *window; /* weak */
  InterpSession *session;
  InterpSettings *settings;
  InterpApprovalDialog *dialog; /* weak; open now */
  InterpCell *dismissed;        /* closed without an answer */
  GtkEventController *keys;     /* weak */
  gint64 last_key;              /* monotonic µs */
  guint timeout;
};

G_DEFINE_FINAL_TYPE (InterpApprovalController, interp_approval_controller, G_TYPE_OBJECT)

enum
{
  PROP_0,
  PROP_SESSION,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

enum
{
  SHOW_CELL,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

/* Remembered with the session: each chat may differ. */
static GQuark
in_chat_quark (void)
{
  return g_quark_from_static_string ("interp-approval-in-chat");
}

gboolean
interp_approval_controller_is_in_chat (InterpApprovalController *self)
{
  g_return_val_if_fail (INTERP_IS_APPROVAL_CONTROLLER (self), FALSE);

  gpointer value = self->session ? g_object_get_qdata (G_OBJECT (self->session), in_chat_quark ()) : NULL;

  if (value != NULL)
    return GPOINTER_TO_INT (value) == 1;
  return interp_settings_get_boolean (self->settings, "approval-in-chat");
}

static void update (InterpApprovalController *self);

static void
on_show_in_chat (InterpApprovalController *self, InterpApprovalDialog *dialog)
{
  g_assert (INTERP_IS_APPROVAL_CONTROLLER (self));

  if (self->session != NULL)
    g_object_set_qdata (G_OBJECT (self->session), in_chat_quark (), GINT_TO_POINTER (1));
  interp_settings_set_boolean (self->settings, "approval-in-chat", TRUE);
  g_signal_emit (self, signals[SHOW_CELL], 0, interp_approval_dialog_get_cell (dialog));
}

static void
on_dialog_closed (InterpApprovalController *self, InterpApprovalDialog *dialog)
{
  g_assert (INTERP_IS_APPROVAL_CONTROLLER (self));

  InterpCell *cell = interp_approval_dialog_get_cell (dialog);

  if (interp_cell_get_cell_state (cell) == INTERP_CELL_WAITING)
    g_set_object (&self->dismissed, cell);
  if (self->dialog == dialog)
    g_clear_weak_pointer (&self->dialog);
  update (self);
}

static void
open_dialog (InterpApprovalController *self, InterpCell *cell)
{
  AdwDialog *dialog = interp_approval_dialog_new (self->session, cell);

  g_set_weak_pointer (&self->dialog, INTERP_APPROVAL_DIALOG (dialog));
  g_signal_connect_object (dialog, "closed", G_CALLBACK (on_dialog_closed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (dialog, "show-in-chat", G_CALLBACK (on_show_in_chat), self, G_CONNECT_SWAPPED);
  adw_dialog_present (dialog, self->window);
}

static gboolean
on_timeout (gpointer user_data)
{
  InterpApprovalController *self = user_data;

  self->timeout = 0;
  update (self);
  return G_SOURCE_REMOVE;
}

static void
update (InterpApprovalController *self)
{
  InterpCell *question = self->session ? interp_session_get_question (self->session) : NULL;
  gint64 quiet;

  g_clear_handle_id (&self->timeout, g_source_remove);
  if (question == NULL || self->window == NULL || self->dialog != NULL)
    return;
  if (question == self->dismissed)
    return;
  if (interp_approval_controller_is_in_chat (self))
    {
      g_signal_emit (self, signals[SHOW_CELL], 0, question);
      return;
    }
  /* Another dialog is open: it has the user's attention; when it closes, this one is next. */
  if (ADW_IS_APPLICATION_WINDOW (self->window)
      && adw_application_window_get_visible_dialog (ADW_APPLICATION_WINDOW (self->window)) != NULL)
    return;

  quiet = (g_get_monotonic_time () - self->last_key) / 1000;
  if (self->last_key != 0 && quiet < TYPING_MSEC)
    {
      self->timeout = g_timeout_add (TYPING_MSEC - quiet + 1, on_timeout, self);
      return;
    }
  open_dialog (self, question);
}

static gboolean
on_key_pressed (InterpApprovalController *self)
{
  self->last_key = g_get_monotonic_time ();
  return GDK_EVENT_PROPAGATE;
}

void
interp_approval_controller_open (InterpApprovalController *self)
{
  g_return_if_fail (INTERP_IS_APPROVAL_CONTROLLER (self));

  InterpCell *question = self->session ? interp_session_get_question (self->session) : NULL;

  g_clear_object (&self->dismissed);
  if (question != NULL && self->dialog == NULL && self->window != NULL)
    open_dialog (self, question);
}

static void
set_session (InterpApprovalController *self, InterpSession *session)
{
  if (self->session == session)
    return;
  if (self->session != NULL)
    g_signal_handlers_disconnect_by_func (self->session, update, self);
  /* The dialog belongs to the chat that was in view. */
  if (self->dialog != NULL)
    adw_dialog_force_close (ADW_DIALOG (self->dialog));
  g_clear_object (&self->dismissed);
  g_set_object (&self->session, session);
  if (session != NULL)
    g_signal_connect_object (session, "notify::question", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  update (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SESSION]);
}

static void
interp_approval_controller_get_property (GObject *object, guint prop_id, GValue *value, GParamSpec *pspec)
{
  InterpApprovalController *self = INTERP_APPROVAL_CONTROLLER (object);

  switch (prop_id)
    {
    case PROP_SESSION:
      g_value_set_object (value, self->session);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
interp_approval_controller_set_property (GObject *object, guint prop_id, const GValue *value, GParamSpec *pspec)
{
  InterpApprovalController *self = INTERP_APPROVAL_CONTROLLER (object);

  switch (prop_id)
    {
    case PROP_SESSION:
      set_session (self, g_value_get_object (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
interp_approval_controller_dispose (GObject *object)
{
  InterpApprovalController *self = INTERP_APPROVAL_CONTROLLER (object);

  g_clear_handle_id (&self->timeout, g_source_remove);
  if (self->window != NULL && self->keys != NULL)
    gtk_widget_remove_controller (self->window, self->keys);
  g_clear_weak_pointer (&self->keys);
  g_clear_weak_pointer (&self->dialog);
  g_clear_weak_pointer (&self->window);
  g_clear_object (&self->dismissed);
  g_clear_object (&self->session);
  g_clear_object (&self->settings);

  G_OBJECT_CLASS (interp_approval_controller_parent_class)->dispose (object);
}

static void
interp_approval_controller_class_init (InterpApprovalControllerClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->get_property = interp_approval_controller_get_property;
  object_class->set_property = interp_approval_controller_set_property;
  object_class->dispose = interp_approval_controller_dispose;

  properties[PROP_SESSION] = g_param_spec_object ("session", NULL, NULL, INTERP_TYPE_SESSION,
                                                  G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  signals[SHOW_CELL] = g_signal_new ("show-cell", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                     G_TYPE_NONE, 1, INTERP_TYPE_CELL);
}

static void
interp_approval_controller_init (InterpApprovalController *self)
{
  self->settings = interp_settings_new ();
}

InterpApprovalController *
interp_approval_controller_new (GtkWidget *window)
{
  InterpApprovalController *self = g_object_new (INTERP_TYPE_APPROVAL_CONTROLLER, NULL);
  GtkEventController *keys = gtk_event_controller_key_new ();

  g_set_weak_pointer (&self->window, window);
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect_object (keys, "key-pressed", G_CALLBACK (on_key_pressed), self, G_CONNECT_SWAPPED);
  g_set_weak_pointer (&self->keys, keys);
  gtk_widget_add_controller (window, keys);
  if (ADW_IS_APPLICATION_WINDOW (window))
    g_signal_connect_object (window, "notify::visible-dialog", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  return self;
}
