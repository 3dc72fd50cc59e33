/* interp-notifier.c: tells what happened while nobody looked
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "window/interp-notifier.h"

#include <glib/gi18n.h>

#include "window/interp-window.h"

struct _InterpNotifier
{
  GObject parent_instance;

  GApplication *application; /* owns us */
  InterpEngine *engine;
  GListModel *sessions;
};

G_DEFINE_FINAL_TYPE (InterpNotifier, interp_notifier, G_TYPE_OBJECT)

static gboolean
is_in_view (InterpNotifier *self, InterpSession *session)
{
  GtkWindow *window = gtk_application_get_active_window (GTK_APPLICATION (self->application));

  return INTERP_IS_WINDOW (window) && gtk_window_is_active (window) && gtk_widget_get_visible (GTK_WIDGET (window))
         && interp_window_get_session (INTERP_WINDOW (window)) == session;
}

static char *
notification_id (InterpSession *session, const char *kind)
{
  return g_strdup_printf ("%s-%" G_GINT64_FORMAT, kind, interp_session_get_id (session));
}

static void
notify_user (InterpNotifier *self, InterpSession *session, const char *kind, const char *title, const char *action,
             GNotificationPriority priority)
{
  g_autoptr (GNotification) notification = g_notification_new (title);
  g_autofree char *id = notification_id (session, kind);

  g_notification_set_body (notification, interp_session_get_title (session));
  g_notification_set_priority (notification, priority);
  g_notification_set_default_action_and_target (notification, action, "x", interp_session_get_id (session));
  g_application_send_notification (self->application, id, notification);
}

static void
withdraw (InterpNotifier *self, InterpSession *session, const char *kind)
{
  g_autofree char *id = notification_id (session, kind);

  g_application_withdraw_notification (self->application, id);
}

static void
on_question (InterpNotifier *self, GParamSpec *pspec, InterpSession *session)
{
  InterpCell *cell = interp_session_get_question (session);

  if (!cell)
    withdraw (self, session, "question");
  else if (!is_in_view (self, session))
    {
      /* Translators: %s is a language, "Python" */
      g_autofree char *title = g_strdup_printf (_ ("Interpreter asks: run %s code?"), interp_cell_get_language (cell));

      notify_user (self, session, "question", title, "app.show-question", G_NOTIFICATION_PRIORITY_HIGH);
    }
}

static void
on_finished (InterpNotifier *self, gboolean failed, InterpSession *session)
{
  GtkWindow *window = gtk_application_get_active_window (GTK_APPLICATION (self->application));

  if (!is_in_view (self, session))
    notify_user (self, session, "finished", failed ? _ ("A chat has stopped with an error") : _ ("A chat has finished"),
                 "app.open-chat", G_NOTIFICATION_PRIORITY_NORMAL);
  /* Closed with "Keep Running": nothing is left to wait for. */
  if (window && !gtk_widget_get_visible (GTK_WIDGET (window)) && !interp_engine_has_running (self->engine))
    gtk_window_destroy (window);
}

static void
on_waiting (InterpNotifier *self, GParamSpec *pspec, InterpKernel *kernel)
{
  InterpSession *session = g_object_get_data (G_OBJECT (kernel), "interp-notifier-session");
  InterpWaiting waiting = interp_kernel_get_waiting (kernel);

  if (!session)
    return;
  if (waiting != INTERP_WAITING_INPUT && waiting != INTERP_WAITING_PASSWORD)
    withdraw (self, session, "input");
  else if (!is_in_view (self, session))
    {
      g_autofree char *title = waiting == INTERP_WAITING_PASSWORD
                                   ? g_strdup (_ ("A password is asked for"))
                                   : g_strdup_printf (_ ("%s waits for your input"),
                                                      interp_kernel_spec_get_title (interp_kernel_get_spec (kernel)));

      notify_user (self, session, "input", title, "app.open-chat", G_NOTIFICATION_PRIORITY_HIGH);
    }
}

static void
watch_kernel (InterpNotifier *self, InterpKernel *kernel, InterpSession *session)
{
  /* The session owns its kernels: the pointer holds as long as the signal can come. */
  g_object_set_data (G_OBJECT (kernel), "interp-notifier-session", session);
  g_signal_handlers_disconnect_by_func (kernel, on_waiting, self);
  g_signal_connect_object (kernel, "notify::waiting", G_CALLBACK (on_waiting), self, G_CONNECT_SWAPPED);
}

static void
on_kernel_added (InterpNotifier *self, InterpKernel *kernel, InterpSession *session)
{
  watch_kernel (self, kernel, session);
}

static void
on_sessions_changed (InterpNotifier *self, guint position, guint removed, guint added, GListModel *sessions)
{
  for (guint i = position; i < position + added; i++)
    {
      g_autoptr (InterpSession) session = g_list_model_get_item (sessions, i);
      GListModel *kernels = interp_session_get_kernels (session);
      guint n_kernels = g_list_model_get_n_items (kernels);

      /* The list may have been formed anew with the same ones. */
      g_signal_handlers_disconnect_by_data (session, self);
      g_signal_connect_object (session, "notify::question", G_CALLBACK (on_question), self, G_CONNECT_SWAPPED);
      g_signal_connect_object (session, "finished", G_CALLBACK (on_finished), self, G_CONNECT_SWAPPED);
      g_signal_connect_object (session, "kernel-added", G_CALLBACK (on_kernel_added), self, G_CONNECT_SWAPPED);
      for (guint j = 0; j < n_kernels; j++)
        {
          g_autoptr (InterpKernel) kernel = g_list_model_get_item (kernels, j);

          watch_kernel (self, kernel, session);
        }
    }
}

InterpNotifier *
interp_notifier_new (GApplication *application, InterpEngine *engine)
{
  InterpNotifier *self;

  g_return_val_if_fail (G_IS_APPLICATION (application), NULL);
  g_return_val_if_fail (INTERP_IS_ENGINE (engine), NULL);

  self = g_object_new (INTERP_TYPE_NOTIFIER, NULL);
  self->application = application;
  self->engine = g_object_ref (engine);
  self->sessions = g_object_ref (interp_engine_get_sessions (engine));
  g_signal_connect_object (self->sessions, "items-changed", G_CALLBACK (on_sessions_changed), self, G_CONNECT_SWAPPED);
  on_sessions_changed (self, 0, 0, g_list_model_get_n_items (self->sessions), self->sessions);
  return self;
}

static void
interp_notifier_finalize (GObject *object)
{
  InterpNotifier *self = INTERP_NOTIFIER (object);

  g_clear_object (&self->engine);
  g_clear_object (&self->sessions);
  G_OBJECT_CLASS (interp_notifier_parent_class)->finalize (object);
}

static void
interp_notifier_class_init (InterpNotifierClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = interp_notifier_finalize;
}

static void
interp_notifier_init (InterpNotifier *self)
{
}
