/* interp-window-actions.c: what the window can be told to do
 *
 * These are actions of the widget class: unlike "app." and "win." groups they are not exported on the bus,
 * where every process of the user could activate them.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <glib/gi18n.h>

#include "approval/interp-safe-change.h"
#include "base/interp-fiber.h"
#include "base/interp-paths.h"
#include "base/interp-text.h"
#include "models/interp-local-models.h"
#include "preferences/interp-preferences.h"
#include "transcript/interp-save.h"
#include "window/interp-model-dialog.h"
#include "window/interp-rerun-dialog.h"
#include "window/interp-shortcuts.h"
#include "window/interp-text-dialog.h"
#include "window/interp-window-private.h"

#define ZOOM_STEP 0.1
#define ZOOM_MIN 0.5
#define ZOOM_MAX 3.0

/* So many approvals show that asking is a burden; and how long the offer stands. */
#define OFFER_AFTER 3
#define OFFER_SECONDS 20

/* ---- chats ---- */

static void
new_chat (GtkWidget *widget, const char *action, GVariant *parameter)
{
  InterpWindow *self = INTERP_WINDOW (widget);

  /* An empty chat is as good as a new one. */
  if (self->session && g_list_model_get_n_items (self->items) == 0 && interp_session_get_id (self->session) == 0)
    gtk_widget_grab_focus (GTK_WIDGET (self->composer));
  else
    interp_window_new_chat (self, NULL);
}

static void
search_all (GtkWidget *widget, const char *action, GVariant *parameter)
{
  InterpWindow *self = INTERP_WINDOW (widget);

  adw_overlay_split_view_set_show_sidebar (self->split_view, TRUE);
  interp_sidebar_search (self->sidebar);
}

static void
find (GtkWidget *widget, const char *action, GVariant *parameter)
{
  interp_transcript_find (INTERP_WINDOW (widget)->transcript);
}

static void
rename_chat (GtkWidget *widget, const char *action, GVariant *parameter)
{
  interp_chat_title_edit (INTERP_WINDOW (widget)->title);
}

static void
stop (GtkWidget *widget, const char *action, GVariant *parameter)
{
  InterpWindow *self = INTERP_WINDOW (widget);

  if (self->session)
    interp_session_stop (self->session);
}

static void
cell (GtkWidget *widget, const char *action, GVariant *parameter)
{
  interp_transcript_move_to_cell (INTERP_WINDOW (widget)->transcript, g_str_equal (action, "chat.next-cell") ? 1 : -1);
}

static void
choose_model (GtkWidget *widget, const char *action, GVariant *parameter)
{
  interp_composer_popup_model (INTERP_WINDOW (widget)->composer);
}

static void
enter_key (GtkWidget *widget, const char *action, GVariant *parameter)
{
  InterpWindow *self = INTERP_WINDOW (widget);
  InterpModel *model = self->session != NULL ? interp_session_get_model (self->session) : NULL;
  AdwDialog *preferences = interp_preferences_new (self->engine);

  if (model != NULL)
    interp_preferences_show_provider (INTERP_PREFERENCES (preferences), interp_model_get_provider (model));
  adw_dialog_present (preferences, widget);
}

static void
manage_models (GtkWidget *widget, const char *action, GVariant *parameter)
{
  adw_dialog_present (interp_local_models_new (INTERP_WINDOW (widget)->engine), widget);
}

static void
another_model (GtkWidget *widget, const char *action, GVariant *parameter)
{
  InterpWindow *self = INTERP_WINDOW (widget);
  guint n = self->items ? g_list_model_get_n_items (self->items) : 0;

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (InterpItem) item = g_list_model_get_item (self->items, i);

      if (interp_item_get_id (item) == g_variant_get_int64 (parameter))
        {
          adw_dialog_present (interp_model_dialog_new (self->engine, self->session, item), widget);
          return;
        }
    }
}

/* ---- the working folder ---- */

static void
remember_folder (InterpWindow *self, const char *folder)
{
  g_auto (GStrv) present = interp_settings_get_strv (self->settings, "recent-folders");
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) folders = NULL;

  g_strv_builder_add (builder, folder);
  for (guint i = 0, n = 1; present && present[i] && n < 8; i++)
    if (!g_str_equal (present[i], folder))
      {
        g_strv_builder_add (builder, present[i]);
        n++;
      }
  folders = g_strv_builder_end (builder);
  interp_settings_set_strv (self->settings, "recent-folders", (const char *const *) folders);
  interp_settings_set_string (self->settings, "last-folder", folder);
}

static void
apply_folder (InterpWindow *self, InterpSession *session, const char *folder)
{
  g_autoptr (GError) error = NULL;

  if (interp_session_set_folder (session, folder, &error))
    remember_folder (self, folder);
  else
    interp_window_toast (self, error->message);
}

static void
on_folder_response (AdwAlertDialog *dialog, const char *response, InterpWindow *self)
{
  if (g_str_equal (response, "change"))
    apply_folder (self, g_object_get_data (G_OBJECT (dialog), "interp-session"),
                  g_object_get_data (G_OBJECT (dialog), "interp-folder"));
}

/* Kernels begin anew in the new folder: what they hold would be gone without a word. */
static void
set_folder (InterpWindow *self, const char *folder)
{
  g_autofree char *shown = interp_paths_display (folder);
  g_autofree char *title = NULL;
  AdwAlertDialog *dialog;

  if (!self->session || g_strcmp0 (folder, interp_session_get_folder (self->session)) == 0)
    return;
  if (!interp_session_has_kernels (self->session))
    {
      apply_folder (self, self->session, folder);
      return;
    }
  title = g_strdup_printf (_ ("Work in %s?"), shown);
  dialog = ADW_ALERT_DIALOG (
      adw_alert_dialog_new (title, _ ("The kernels of this chat start anew there: their variables are lost, "
                                      "and what runs is stopped.")));
  adw_alert_dialog_add_responses (dialog, "cancel", _ ("_Cancel"), "change", _ ("Change _Folder"), NULL);
  adw_alert_dialog_set_default_response (dialog, "cancel");
  adw_alert_dialog_set_close_response (dialog, "cancel");
  adw_alert_dialog_set_response_appearance (dialog, "change", ADW_RESPONSE_DESTRUCTIVE);
  g_object_set_data_full (G_OBJECT (dialog), "interp-session", g_object_ref (self->session), g_object_unref);
  g_object_set_data_full (G_OBJECT (dialog), "interp-folder", g_strdup (folder), g_free);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_folder_response), self, 0);
  adw_dialog_present (ADW_DIALOG (dialog), GTK_WIDGET (self));
}

static void
give_folder (InterpSession *session, const char *folder)
{
  interp_session_add_folder (session, folder, NULL);
}

static void
on_folder_taken (AdwToast *toast, InterpWindow *self)
{
  InterpSession *session = g_object_get_data (G_OBJECT (toast), "interp-session");

  interp_safe_change_make (GTK_WIDGET (self), session, give_folder,
                           g_object_get_data (G_OBJECT (toast), "interp-folder"));
}

void
interp_window_offer_folder (InterpWindow *self, const char *folder)
{
  g_autofree char *shown = interp_paths_display (folder);
  g_autofree char *visible = interp_text_make_visible (shown);
  /* Translators: %s is a folder */
  g_autofree char *title = g_strdup_printf (_ ("The sandbox does not have %s."), visible);
  AdwToast *toast = adw_toast_new (title);

  adw_toast_set_use_markup (toast, FALSE);
  adw_toast_set_button_label (toast, _ ("Allow This Folder"));
  adw_toast_set_timeout (toast, OFFER_SECONDS);
  g_object_set_data_full (G_OBJECT (toast), "interp-session", g_object_ref (self->session), g_object_unref);
  g_object_set_data_full (G_OBJECT (toast), "interp-folder", g_strdup (folder), g_free);
  g_signal_connect_object (toast, "button-clicked", G_CALLBACK (on_folder_taken), self, 0);
  adw_toast_overlay_add_toast (self->toasts, toast);
}

static void
on_offer_taken (AdwToast *toast, InterpWindow *self)
{
  if (self->session)
    interp_mode_button_choose (self->mode_button, INTERP_MODE_SANDBOX);
}

void
interp_window_offer_sandbox (InterpWindow *self)
{
  guint n_approved = 0;
  AdwToast *toast;

  g_object_get (self->session, "n-approved", &n_approved, NULL);
  if (n_approved != OFFER_AFTER || interp_session_get_mode (self->session) != INTERP_MODE_ASK)
    return;
  toast = adw_toast_new (_ ("Code can run unasked where it reaches only this folder"));
  adw_toast_set_button_label (toast, _ ("Auto in Sandbox"));
  adw_toast_set_timeout (toast, OFFER_SECONDS);
  g_signal_connect_object (toast, "button-clicked", G_CALLBACK (on_offer_taken), self, 0);
  adw_toast_overlay_add_toast (self->toasts, toast);
}

static void
set_folder_action (GtkWidget *widget, const char *action, GVariant *parameter)
{
  set_folder (INTERP_WINDOW (widget), g_variant_get_string (parameter, NULL));
}

static void
on_folder_chosen (GObject *dialog, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (InterpWindow) self = user_data;
  g_autoptr (GFile) folder = gtk_file_dialog_select_folder_finish (GTK_FILE_DIALOG (dialog), result, NULL);
  g_autofree char *path = folder ? g_file_get_path (folder) : NULL;

  if (path)
    set_folder (self, path);
}

static void
choose_folder (GtkWidget *widget, const char *action, GVariant *parameter)
{
  InterpWindow *self = INTERP_WINDOW (widget);
  g_autoptr (GtkFileDialog) dialog = gtk_file_dialog_new ();

  gtk_file_dialog_set_title (dialog, _ ("Choose Working Folder"));
  if (self->session && interp_session_get_folder (self->session))
    {
      g_autoptr (GFile) present = g_file_new_for_path (interp_session_get_folder (self->session));

      gtk_file_dialog_set_initial_folder (dialog, present);
    }
  gtk_file_dialog_select_folder (dialog, GTK_WINDOW (self), NULL, on_folder_chosen, g_object_ref (self));
}

static void
open_folder (GtkWidget *widget, const char *action, GVariant *parameter)
{
  InterpWindow *self = INTERP_WINDOW (widget);

  if (self->session && interp_session_get_folder (self->session))
    {
      g_autoptr (GFile) folder = g_file_new_for_path (interp_session_get_folder (self->session));
      g_autoptr (GtkFileLauncher) launcher = gtk_file_launcher_new (folder);

      gtk_file_launcher_launch (launcher, GTK_WINDOW (self), NULL, NULL, NULL);
    }
}

/* ---- out ---- */

static void
save_text (InterpWindow *self, char *text, const char *title, const char *extension, const char *argument)
{
  const char *chat = interp_session_get_title (self->session);
  g_autofree char *safe = g_strdelimit (g_strdup (chat && *chat ? chat : _ ("Chat")), "/\n", '-');
  g_autofree char *name = g_strconcat (safe, extension, NULL);
  g_autoptr (GBytes) bytes = g_bytes_new_take (text, strlen (text));

  if (argument)
    {
      g_autofree char *path = g_path_is_absolute (argument)
                                  ? g_strdup (argument)
                                  : g_build_filename (interp_session_get_folder (self->session), argument, NULL);
      g_autoptr (GError) error = NULL;

      if (interp_paths_write_atomically (path, g_bytes_get_data (bytes, NULL), (gssize) g_bytes_get_size (bytes),
                                         &error))
        {
          g_autofree char *shown = interp_paths_display (path);
          g_autofree char *saved = g_strdup_printf (_ ("Saved as %s"), shown);

          interp_window_toast (self, saved);
        }
      else
        interp_window_toast (self, error->message);
      return;
    }
  interp_save_as (GTK_WIDGET (self), title, name, bytes, NULL);
}

typedef struct
{
  InterpWindow *window;
  DexFuture *document;
  const char *title; /* of the dialog; NULL: to the clipboard */
  const char *extension;
  char *argument; /* where to, nullable */
} Export;

static void
export_free (gpointer data)
{
  Export *export = data;

  g_object_unref (export->window);
  dex_clear (&export->document);
  g_free (export->argument);
  g_free (export);
}

static DexFuture *
export_fiber (gpointer data)
{
  Export *export = data;
  InterpWindow *self = export->window;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = dex_await_string (g_steal_pointer (&export->document), &error);

  if (!text)
    interp_window_toast (self, error->message);
  else if (!export->title)
    {
      gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), text);
      interp_window_toast (self, _ ("Chat copied"));
    }
  else if (self->session)
    save_text (self, g_steal_pointer (&text), export->title, export->extension, export->argument);
  return dex_future_new_true ();
}

/* @document is taken. */
static void
export_chat (InterpWindow *self, DexFuture *document, const char *title, const char *extension, const char *argument)
{
  Export *export = g_new0 (Export, 1);

  export->window = g_object_ref (self);
  export->document = document;
  export->title = title;
  export->extension = extension;
  export->argument = g_strdup (argument);
  interp_fiber_run ("Exporting a chat", export_fiber, export, export_free);
}

static void
export_markdown (GtkWidget *widget, const char *action, GVariant *parameter)
{
  InterpWindow *self = INTERP_WINDOW (widget);

  if (self->session)
    export_chat (self, interp_session_export_markdown (self->session), _ ("Save Chat"), ".md", NULL);
}

static void
export_notebook (GtkWidget *widget, const char *action, GVariant *parameter)
{
  InterpWindow *self = INTERP_WINDOW (widget);

  if (self->session)
    export_chat (self, interp_session_export_notebook (self->session), _ ("Save Notebook"), ".ipynb", NULL);
}

static void
copy_chat (GtkWidget *widget, const char *action, GVariant *parameter)
{
  InterpWindow *self = INTERP_WINDOW (widget);

  if (self->session)
    export_chat (self, interp_session_export_markdown (self->session), NULL, NULL, NULL);
}

static void
show_request (GtkWidget *widget, const char *action, GVariant *parameter)
{
  InterpWindow *self = INTERP_WINDOW (widget);
  g_autofree char *text = NULL;
  gint64 tokens = 0;

  if (!self->session)
    return;
  text = interp_session_describe_request (self->session, &tokens);
  adw_dialog_present (interp_text_dialog_new (_ ("What the Model Sees"), text, "json"), widget);
}

static void
rerun_cells (GtkWidget *widget, const char *action, GVariant *parameter)
{
  InterpWindow *self = INTERP_WINDOW (widget);

  if (self->session)
    adw_dialog_present (interp_rerun_dialog_new (self->session), widget);
}

/* ---- views ---- */

static void
show_terminal (GtkWidget *widget, const char *action, GVariant *parameter)
{
  InterpWindow *self = INTERP_WINDOW (widget);
  InterpKernel *kernel;

  if (!self->session)
    return;
  kernel = interp_session_get_kernel (self->session, g_variant_get_string (parameter, NULL));
  interp_window_set_terminals_shown (self, TRUE);
  if (kernel)
    interp_terminal_pane_show_kernel (INTERP_TERMINAL_PANE (self->terminals), kernel);
  interp_terminal_pane_grab_focus (INTERP_TERMINAL_PANE (self->terminals));
}

static void
terminal_number (GtkWidget *widget, const char *action, GVariant *parameter)
{
  InterpWindow *self = INTERP_WINDOW (widget);

  interp_window_set_terminals_shown (self, TRUE);
  if (interp_terminal_pane_show_number (INTERP_TERMINAL_PANE (self->terminals),
                                        (guint) g_variant_get_int32 (parameter)))
    interp_terminal_pane_grab_focus (INTERP_TERMINAL_PANE (self->terminals));
}

static void
toggle_terminals (GtkWidget *widget, const char *action, GVariant *parameter)
{
  InterpWindow *self = INTERP_WINDOW (widget);
  gboolean shown = !gtk_toggle_button_get_active (self->terminals_button);

  interp_window_set_terminals_shown (self, shown);
  if (shown)
    interp_terminal_pane_grab_focus (INTERP_TERMINAL_PANE (self->terminals));
}

static void
toggle_sidebar (GtkWidget *widget, const char *action, GVariant *parameter)
{
  InterpWindow *self = INTERP_WINDOW (widget);

  adw_overlay_split_view_set_show_sidebar (self->split_view,
                                           !adw_overlay_split_view_get_show_sidebar (self->split_view));
}

static void
focus_composer (GtkWidget *widget, const char *action, GVariant *parameter)
{
  InterpWindow *self = INTERP_WINDOW (widget);

  if (self->narrow)
    interp_window_set_terminals_shown (self, FALSE);
  gtk_widget_grab_focus (GTK_WIDGET (self->composer));
}

static void
move_area (GtkWidget *widget, const char *action, GVariant *parameter)
{
  InterpWindow *self = INTERP_WINDOW (widget);
  GtkWidget *page = gtk_stack_get_visible_child (self->pages);
  GtkWidget *areas[] = { GTK_WIDGET (self->sidebar), page, GTK_WIDGET (self->composer), self->terminals };
  GtkWidget *focus = gtk_root_get_focus (GTK_ROOT (self));
  int step = g_str_equal (action, "view.next-area") ? 1 : -1;
  int n = G_N_ELEMENTS (areas);
  int at = step > 0 ? -1 : 0;

  if (adw_application_window_get_visible_dialog (ADW_APPLICATION_WINDOW (self)))
    return;

  for (int i = 0; i < n; i++)
    if (focus && (focus == areas[i] || gtk_widget_is_ancestor (focus, areas[i])))
      at = i;
  for (int i = 1; i <= n; i++)
    {
      GtkWidget *area = areas[((at + i * step) % n + n) % n];

      if (!gtk_widget_get_mapped (area)
          || (area == GTK_WIDGET (self->sidebar) && !adw_overlay_split_view_get_show_sidebar (self->split_view)))
        continue;
      if (area == self->terminals)
        {
          interp_terminal_pane_grab_focus (INTERP_TERMINAL_PANE (self->terminals));
          return;
        }
      if (gtk_widget_grab_focus (area) || gtk_widget_child_focus (area, GTK_DIR_TAB_FORWARD))
        return;
    }
}

static void
zoom (GtkWidget *widget, const char *action, GVariant *parameter)
{
  InterpWindow *self = INTERP_WINDOW (widget);
  double scale = interp_settings_get_double (self->settings, "text-scale");

  if (g_str_equal (action, "view.zoom-in"))
    scale += ZOOM_STEP;
  else if (g_str_equal (action, "view.zoom-out"))
    scale -= ZOOM_STEP;
  else
    scale = 1;
  interp_settings_set_double (self->settings, "text-scale", CLAMP (scale, ZOOM_MIN, ZOOM_MAX));
  interp_window_apply_text_scale (self);
}

static void
show_shortcuts (GtkWidget *widget, const char *action, GVariant *parameter)
{
  adw_dialog_present (interp_shortcuts_dialog_new (), widget);
}

/* ---- commands typed after "/" ---- */

static char *
describe_commands (void)
{
  GString *out = g_string_new (NULL);
  const InterpSlashCommand *commands;
  guint n;

  commands = interp_slash_commands_get (&n);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (out, "/%s%s%s\n    %s\n", commands[i].name, commands[i].arguments ? " " : "",
                            commands[i].arguments ? commands[i].arguments : "", _ (commands[i].description));
  return g_string_free (out, FALSE);
}

static char *
describe_session (InterpWindow *self)
{
  InterpModel *model = interp_session_get_model (self->session);
  g_autofree char *name = model ? interp_model_dup_name (model) : NULL;
  g_autofree char *place = model ? interp_provider_describe_place (interp_model_get_provider (model)) : NULL;
  g_autofree char *system = g_get_os_info (G_OS_INFO_KEY_PRETTY_NAME);
  GString *out = g_string_new (NULL);

  g_string_append_printf (out, "Interpreter %s\n", PACKAGE_VERSION);
  g_string_append_printf (out, "%s\n", system ? system : "Linux");
  g_string_append_printf (out, "GTK %u.%u.%u, libadwaita %u.%u.%u\n", gtk_get_major_version (),
                          gtk_get_minor_version (), gtk_get_micro_version (), adw_get_major_version (),
                          adw_get_minor_version (), adw_get_micro_version ());
  g_string_append_printf (out, _ ("Model: %s (%s)\n"), name ? name : _ ("none"), place ? place : "–");
  g_string_append_printf (out, _ ("Folder: %s\n"), interp_session_get_folder (self->session));
  g_string_append_printf (out, _ ("Mode: %s\n"), interp_mode_to_string (interp_session_get_mode (self->session)));
  return g_string_free (out, FALSE);
}

static void
say_tokens (InterpWindow *self)
{
  gint64 window = interp_session_get_window (self->session);
  gint64 tokens = 0;
  g_autofree char *text = NULL;

  g_free (interp_session_describe_request (self->session, &tokens));
  if (window > 0)
    text = g_strdup_printf (_ ("The next request has about %'lld of at most %'lld tokens."), (long long) tokens,
                            (long long) window);
  else
    text = g_strdup_printf (_ ("The next request has about %'lld tokens."), (long long) tokens);
  interp_window_toast (self, text);
}

static void
on_reset_response (AdwAlertDialog *dialog, const char *response, InterpWindow *self)
{
  if (g_str_equal (response, "reset"))
    interp_session_reset (g_object_get_data (G_OBJECT (dialog), "interp-session"));
}

static void
ask_reset (InterpWindow *self)
{
  AdwAlertDialog *dialog = ADW_ALERT_DIALOG (
      adw_alert_dialog_new (_ ("Begin Anew?"), _ ("All kernels of this chat end and their variables are "
                                                  "lost. What was said stays as another version.")));

  adw_alert_dialog_add_responses (dialog, "cancel", _ ("_Cancel"), "reset", _ ("_Begin Anew"), NULL);
  adw_alert_dialog_set_default_response (dialog, "cancel");
  adw_alert_dialog_set_close_response (dialog, "cancel");
  adw_alert_dialog_set_response_appearance (dialog, "reset", ADW_RESPONSE_DESTRUCTIVE);
  g_object_set_data_full (G_OBJECT (dialog), "interp-session", g_object_ref (self->session), g_object_unref);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_reset_response), self, 0);
  adw_dialog_present (ADW_DIALOG (dialog), GTK_WIDGET (self));
}

/* The file goes to the model with the next message, where the user sees and can remove it. */
static void
load_messages (InterpWindow *self, const char *argument)
{
  g_autofree char *path = NULL;

  if (!argument)
    {
      gtk_widget_activate_action (GTK_WIDGET (self->composer), "composer.attach", NULL);
      return;
    }
  path = g_path_is_absolute (argument) ? g_strdup (argument)
                                       : g_build_filename (interp_session_get_folder (self->session), argument, NULL);
  if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
    interp_composer_attach (self->composer, (const char *const[]) { path, NULL });
  else
    {
      g_autofree char *shown = interp_paths_display (path);
      g_autofree char *text = g_strdup_printf (_ ("There is no file %s"), shown);

      interp_window_toast (self, text);
    }
}

void
interp_window_on_command (InterpWindow *self, int command, const char *argument)
{
  g_autofree char *text = NULL;

  g_return_if_fail (INTERP_IS_WINDOW (self));

  if (!self->session)
    return;
  switch ((InterpSlash) command)
    {
    case INTERP_SLASH_HELP:
      text = describe_commands ();
      adw_dialog_present (interp_text_dialog_new (_ ("Commands"), text, NULL), GTK_WIDGET (self));
      break;
    case INTERP_SLASH_RESET:
      ask_reset (self);
      break;
    case INTERP_SLASH_UNDO:
      interp_session_undo (self->session);
      break;
    case INTERP_SLASH_TOKENS:
      say_tokens (self);
      break;
    case INTERP_SLASH_INFO:
      text = describe_session (self);
      adw_dialog_present (interp_text_dialog_new (_ ("About This Chat"), text, NULL), GTK_WIDGET (self));
      break;
    case INTERP_SLASH_MARKDOWN:
      export_chat (self, interp_session_export_markdown (self->session), _ ("Save Chat"), ".md", argument);
      break;
    case INTERP_SLASH_JUPYTER:
      export_chat (self, interp_session_export_notebook (self->session), _ ("Save Notebook"), ".ipynb", argument);
      break;
    case INTERP_SLASH_LOAD_MESSAGE:
      load_messages (self, argument);
      break;
    case INTERP_SLASH_AUTO_RUN:
      interp_mode_button_choose (self->mode_button, argument && g_ascii_strcasecmp (argument, "false") == 0
                                                        ? INTERP_MODE_ASK
                                                        : INTERP_MODE_AUTO);
      break;
    case INTERP_SLASH_VERBOSE:
      show_request (GTK_WIDGET (self), NULL, NULL);
      break;
    default:
      break;
    }
}

/* ---- closing ---- */

static void
on_close_response (AdwAlertDialog *dialog, const char *response, InterpWindow *self)
{
  if (g_str_equal (response, "keep"))
    /* The application stays until the last run has ended. */
    gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
  else if (g_str_equal (response, "stop"))
    {
      /* The application ends the kernels before it ends itself. */
      self->closing = TRUE;
      gtk_window_destroy (GTK_WINDOW (self));
    }
}

gboolean
interp_window_may_close (InterpWindow *self)
{
  AdwAlertDialog *dialog;

  g_return_val_if_fail (INTERP_IS_WINDOW (self), TRUE);

  if (self->closing || !interp_engine_has_running (self->engine))
    return TRUE;
  dialog = ADW_ALERT_DIALOG (
      adw_alert_dialog_new (_ ("Code Is Running"), _ ("It can go on without the window; you are told when it "
                                                      "has finished. Stopping ends it and all that "
                                                      "it started.")));
  adw_alert_dialog_add_responses (dialog, "cancel", _ ("_Cancel"), "stop", _ ("_Stop and Close"), "keep",
                                  _ ("_Keep Running"), NULL);
  adw_alert_dialog_set_response_appearance (dialog, "stop", ADW_RESPONSE_DESTRUCTIVE);
  adw_alert_dialog_set_response_appearance (dialog, "keep", ADW_RESPONSE_SUGGESTED);
  adw_alert_dialog_set_default_response (dialog, "cancel");
  adw_alert_dialog_set_close_response (dialog, "cancel");
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_close_response), self, 0);
  adw_dialog_present (ADW_DIALOG (dialog), GTK_WIDGET (self));
  return FALSE;
}

/* ---- table ---- */

void
interp_window_update_actions (InterpWindow *self)
{
  gboolean session = self->session != NULL;
  gboolean busy = session && interp_session_get_state (self->session) != INTERP_SESSION_IDLE;
  gboolean writable = session && !interp_session_is_read_only (self->session);

  gtk_widget_action_set_enabled (GTK_WIDGET (self), "chat.stop", busy);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "chat.choose-folder", writable);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "chat.set-folder", writable);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "chat.rename", writable);
}

void
interp_window_install_actions (GtkWidgetClass *widget_class)
{
  static const struct
  {
    const char *name;
    const char *parameter;
    GtkWidgetActionActivateFunc activate;
  } actions[] = {
    { "chat.new", NULL, new_chat },
    { "chat.search-all", NULL, search_all },
    { "chat.find", NULL, find },
    { "chat.rename", NULL, rename_chat },
    { "chat.stop", NULL, stop },
    { "chat.previous-cell", NULL, cell },
    { "chat.next-cell", NULL, cell },
    { "chat.choose-model", NULL, choose_model },
    { "chat.manage-models", NULL, manage_models },
    { "chat.another-model", "x", another_model },
    { "chat.enter-key", NULL, enter_key },
    { "chat.choose-folder", NULL, choose_folder },
    { "chat.set-folder", "s", set_folder_action },
    { "chat.open-folder", NULL, open_folder },
    { "chat.export-markdown", NULL, export_markdown },
    { "chat.export-notebook", NULL, export_notebook },
    { "chat.copy", NULL, copy_chat },
    { "chat.show-request", NULL, show_request },
    { "chat.rerun-cells", NULL, rerun_cells },
    { "chat.show-terminal", "s", show_terminal },
    { "view.terminal", "i", terminal_number },
    { "view.terminals", NULL, toggle_terminals },
    { "view.sidebar", NULL, toggle_sidebar },
    { "view.composer", NULL, focus_composer },
    { "view.next-area", NULL, move_area },
    { "view.previous-area", NULL, move_area },
    { "view.zoom-in", NULL, zoom },
    { "view.zoom-out", NULL, zoom },
    { "view.zoom-reset", NULL, zoom },
    { "view.shortcuts", NULL, show_shortcuts },
  };

  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    gtk_widget_class_install_action (widget_class, actions[i].name, actions[i].parameter, actions[i].activate);
}
