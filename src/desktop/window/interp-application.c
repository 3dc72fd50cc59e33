/* interp-application.c: the one running instance
 *
 * Its actions ("app.") are exported on the bus: nothing here approves code, changes a mode or a rule.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "window/interp-application.h"

#include <glib/gi18n.h>
#include <math.h>

#include "base/interp-fiber.h"
#include "preferences/interp-preferences.h"
#include "session/interp-engine.h"
#include "window/interp-command-options.h"
#include "window/interp-notifier.h"
#include "window/interp-window.h"

struct _InterpApplication
{
  AdwApplication parent_instance;

  InterpEngine *engine;
  InterpNotifier *notifier;
  gboolean started;
  GQueue waiting; /* InterpOptions or NULL: chats asked for before the engine had started */
  gboolean leaving;
};

G_DEFINE_FINAL_TYPE (InterpApplication, interp_application, ADW_TYPE_APPLICATION)

static InterpWindow *
get_window (InterpApplication *self)
{
  for (GList *l = gtk_application_get_windows (GTK_APPLICATION (self)); l; l = l->next)
    if (INTERP_IS_WINDOW (l->data))
      return l->data;
  return NULL;
}

static InterpWindow *
ensure_window (InterpApplication *self)
{
  InterpWindow *window = get_window (self);

  if (!window)
    window = interp_window_new (ADW_APPLICATION (self), self->engine);
  return window;
}

/* ---- starting ---- */

static void
free_options (gpointer options)
{
  if (options)
    interp_options_free (options);
}

static void
show_chat (InterpApplication *self, const InterpOptions *options)
{
  InterpWindow *window = ensure_window (self);

  interp_window_new_chat (window, options);
}

static DexFuture *
start_fiber (gpointer data)
{
  InterpApplication *self = data;
  g_autoptr (GError) error = NULL;
  const char *notice;

  if (!dex_await (interp_engine_start (self->engine), &error))
    {
      InterpWindow *window = get_window (self);

      if (window)
        interp_window_show_notice (window, error->message);
      g_warning ("%s", error->message);
      return dex_future_new_true ();
    }
  self->started = TRUE;
  self->notifier = interp_notifier_new (G_APPLICATION (self), self->engine);
  notice = interp_engine_get_notice (self->engine);
  while (!g_queue_is_empty (&self->waiting))
    {
      InterpOptions *options = g_queue_pop_head (&self->waiting);

      show_chat (self, options);
      free_options (options);
    }
  /* Why nothing can be kept is said by each chat, for as long as it is so. */
  if (notice && !interp_engine_is_read_only (self->engine) && get_window (self))
    interp_window_show_notice (get_window (self), notice);
  return dex_future_new_true ();
}

/* @options taken, nullable. */
static void
open_new_chat (InterpApplication *self, InterpOptions *options)
{
  InterpWindow *window = ensure_window (self);

  gtk_window_present (GTK_WINDOW (window));
  if (self->started)
    {
      show_chat (self, options);
      free_options (options);
    }
  else
    g_queue_push_tail (&self->waiting, options);
}

static void
interp_application_activate (GApplication *application)
{
  InterpApplication *self = INTERP_APPLICATION (application);
  InterpWindow *window = get_window (self);

  if (window)
    gtk_window_present (GTK_WINDOW (window));
  else
    open_new_chat (self, NULL);
}

static int
interp_application_command_line (GApplication *application, GApplicationCommandLine *command_line)
{
  InterpApplication *self = INTERP_APPLICATION (application);
  g_autoptr (GError) error = NULL;
  g_autoptr (InterpOptions) options
      = interp_command_options_read (command_line, interp_engine_get_models (self->engine), &error);

  if (!options)
    {
      g_application_command_line_printerr (command_line, "%s\n", error->message);
      return 2;
    }
  open_new_chat (self, g_steal_pointer (&options));
  return 0;
}

static void
interp_application_startup (GApplication *application)
{
  InterpApplication *self = INTERP_APPLICATION (application);

  G_APPLICATION_CLASS (interp_application_parent_class)->startup (application);

  gtk_window_set_default_icon_name (APPLICATION_ID);
  self->engine = interp_engine_new (NULL);
  interp_fiber_run ("start the engine", start_fiber, g_object_ref (self), g_object_unref);
}

/* ---- leaving ---- */

static DexFuture *
leave_fiber (gpointer data)
{
  InterpApplication *self = data;

  dex_await (interp_engine_stop (self->engine), NULL);
  g_application_release (G_APPLICATION (self));
  g_application_quit (G_APPLICATION (self));
  return dex_future_new_true ();
}

/* Kernels end before the process does. */
static void
leave (InterpApplication *self)
{
  if (self->leaving)
    return;
  self->leaving = TRUE;
  g_application_hold (G_APPLICATION (self));
  interp_fiber_run ("stop the engine", leave_fiber, g_object_ref (self), g_object_unref);
}

static void
interp_application_window_removed (GtkApplication *application, GtkWindow *window)
{
  InterpApplication *self = INTERP_APPLICATION (application);

  if (INTERP_IS_WINDOW (window) && self->engine)
    leave (self);
  GTK_APPLICATION_CLASS (interp_application_parent_class)->window_removed (application, window);
}

static void
interp_application_shutdown (GApplication *application)
{
  InterpApplication *self = INTERP_APPLICATION (application);

  g_clear_object (&self->notifier);
  G_APPLICATION_CLASS (interp_application_parent_class)->shutdown (application);
}

/* ---- actions ---- */

static void
quit (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  InterpWindow *window = get_window (user_data);

  if (window)
    gtk_window_close (GTK_WINDOW (window));
  else
    leave (user_data);
}

static void
show_preferences (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  InterpApplication *self = user_data;
  InterpWindow *window = ensure_window (self);

  gtk_window_present (GTK_WINDOW (window));
  adw_dialog_present (interp_preferences_new (self->engine), GTK_WIDGET (window));
}

static char *
debug_info (void)
{
  g_autofree char *system = g_get_os_info (G_OS_INFO_KEY_PRETTY_NAME);

  return g_strdup_printf ("Interpreter %s\n%s\nGTK %u.%u.%u, libadwaita %u.%u.%u, GLib %u.%u.%u\n", PACKAGE_VERSION,
                          system ? system : "Linux", gtk_get_major_version (), gtk_get_minor_version (),
                          gtk_get_micro_version (), adw_get_major_version (), adw_get_minor_version (),
                          adw_get_micro_version (), glib_major_version, glib_minor_version, glib_micro_version);
}

static void
show_about (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  InterpWindow *window = ensure_window (user_data);
  AdwAboutDialog *dialog = ADW_ABOUT_DIALOG (adw_about_dialog_new ());
  g_autofree char *info = debug_info ();

  adw_about_dialog_set_application_name (dialog, _ ("Interpreter"));
  adw_about_dialog_set_application_icon (dialog, APPLICATION_ID);
  adw_about_dialog_set_version (dialog, PACKAGE_VERSION);
  adw_about_dialog_set_developer_name (dialog, _ ("The Interpreter developers"));
  adw_about_dialog_set_license_type (dialog, GTK_LICENSE_GPL_3_0);
  adw_about_dialog_set_comments (dialog, _ ("A language model writes code; you see every line before it runs."));
  adw_about_dialog_set_debug_info (dialog, info);
  adw_about_dialog_set_debug_info_filename (dialog, "interpreter-debug.txt");
  gtk_window_present (GTK_WINDOW (window));
  adw_dialog_present (ADW_DIALOG (dialog), GTK_WIDGET (window));
}

static void
show_help (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  InterpWindow *window = ensure_window (user_data);

  gtk_window_present (GTK_WINDOW (window));
  gtk_widget_activate_action (GTK_WIDGET (window), "view.shortcuts", NULL);
}

static void
open_chat (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  InterpApplication *self = user_data;
  InterpWindow *window = ensure_window (self);

  gtk_window_present (GTK_WINDOW (window));
  if (self->started)
    interp_window_open_chat (window, g_variant_get_int64 (parameter), 0);
}

/* From a notification: shows the question, and only the user's own press there answers it. */
static void
show_question (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  InterpApplication *self = user_data;
  InterpWindow *window = ensure_window (self);
  gint64 id = g_variant_get_int64 (parameter);
  InterpSession *session = interp_window_get_session (window);

  gtk_window_present (GTK_WINDOW (window));
  if (session && interp_session_get_id (session) == id)
    interp_window_show_question (window);
  else if (self->started)
    interp_window_open_chat (window, id, 0);
}

static void
new_chat (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  open_new_chat (user_data, NULL);
}

static const GActionEntry actions[] = {
  { .name = "quit", .activate = quit },
  { .name = "preferences", .activate = show_preferences },
  { .name = "about", .activate = show_about },
  { .name = "help", .activate = show_help },
  { .name = "new-chat", .activate = new_chat },
  { .name = "open-chat", .activate = open_chat, .parameter_type = "x" },
  { .name = "show-question", .activate = show_question, .parameter_type = "x" },
};

/* ---- life ---- */

InterpApplication *
interp_application_new (void)
{
  return g_object_new (INTERP_TYPE_APPLICATION, "application-id", APPLICATION_ID, "flags",
                       G_APPLICATION_HANDLES_COMMAND_LINE | G_APPLICATION_SEND_ENVIRONMENT, "resource-base-path",
                       "/io/github/interpreter_app/Interpreter", NULL);
}

static void
interp_application_finalize (GObject *object)
{
  InterpApplication *self = INTERP_APPLICATION (object);

  g_queue_clear_full (&self->waiting, free_options);
  g_clear_object (&self->engine);
  G_OBJECT_CLASS (interp_application_parent_class)->finalize (object);
}

static void
interp_application_class_init (InterpApplicationClass *klass)
{
  GApplicationClass *application_class = G_APPLICATION_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = interp_application_finalize;
  application_class->activate = interp_application_activate;
  application_class->command_line = interp_application_command_line;
  application_class->startup = interp_application_startup;
  application_class->shutdown = interp_application_shutdown;
  GTK_APPLICATION_CLASS (klass)->window_removed = interp_application_window_removed;
}

static void
interp_application_init (InterpApplication *self)
{
  g_queue_init (&self->waiting);
  interp_command_options_add (G_APPLICATION (self));
  g_action_map_add_action_entries (G_ACTION_MAP (self), actions, G_N_ELEMENTS (actions), self);
}
