/* interp-terminal-pane.c
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <glib/gi18n.h>

#include "base/interp-fiber.h"
#include "terminal/interp-terminal-page.h"
#include "terminal/interp-terminal-pane.h"

struct _InterpTerminalPane
{
  AdwBin parent_instance;

  GtkStack *stack;
  AdwTabView *tab_view;
  GtkMenuButton *menu_button;

  InterpSession *session;
  GListModel *kernels; /* the session's, observed */
  InterpSettings *settings;
  GMenu *menu;
  GMenu *interpreters; /* the section of the selected kernel */
  GMenu *languages;
};

G_DEFINE_FINAL_TYPE (InterpTerminalPane, interp_terminal_pane, ADW_TYPE_BIN)

enum
{
  PROP_0,
  PROP_SESSION,
  PROP_MENU,
  PROP_LANGUAGES,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

static InterpTerminalPage *
get_selected (InterpTerminalPane *self)
{
  AdwTabPage *page = adw_tab_view_get_selected_page (self->tab_view);

  return page != NULL ? INTERP_TERMINAL_PAGE (adw_tab_page_get_child (page)) : NULL;
}

static AdwTabPage *
find_page (InterpTerminalPane *self, InterpKernel *kernel)
{
  for (int i = 0; i < adw_tab_view_get_n_pages (self->tab_view); i++)
    {
      AdwTabPage *page = adw_tab_view_get_nth_page (self->tab_view, i);

      if (interp_terminal_page_get_kernel (INTERP_TERMINAL_PAGE (adw_tab_page_get_child (page))) == kernel)
        return page;
    }
  return NULL;
}

static void
update_actions (InterpTerminalPane *self)
{
  InterpTerminalPage *page = get_selected (self);
  InterpKernelState state = page ? interp_kernel_get_state (interp_terminal_page_get_kernel (page)) : INTERP_KERNEL_OFF;
  gboolean writable = self->session != NULL && !interp_session_is_read_only (self->session);

  gtk_widget_action_set_enabled (GTK_WIDGET (self), "terminals.interrupt",
                                 state == INTERP_KERNEL_BUSY || state == INTERP_KERNEL_INTERRUPTING);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "terminals.restart", page != NULL && writable);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "terminals.close",
                                 page != NULL && writable && state != INTERP_KERNEL_OFF);
}

static void
on_kernel_state (InterpKernel *kernel, GParamSpec *pspec, InterpTerminalPane *self)
{
  AdwTabPage *page = find_page (self, kernel);
  g_autoptr (GIcon) dot = NULL;

  if (page != NULL)
    {
      InterpKernelState state = interp_kernel_get_state (kernel);
      gboolean busy = state == INTERP_KERNEL_BUSY || state == INTERP_KERNEL_INTERRUPTING;

      if (busy)
        dot = g_themed_icon_new ("media-record-symbolic");
      adw_tab_page_set_loading (page, state == INTERP_KERNEL_STARTING);
      adw_tab_page_set_indicator_icon (page, dot);
      adw_tab_page_set_indicator_tooltip (page, busy ? _ ("Running") : "");
      adw_tab_page_set_needs_attention (page, interp_kernel_get_waiting (kernel) != INTERP_WAITING_NO
                                                  && !adw_tab_page_get_selected (page));
    }
  update_actions (self);
}

/* What begins to run comes into view, unless the user works in another terminal. */
static void
on_kernel_run (InterpKernel *kernel, GParamSpec *pspec, InterpTerminalPane *self)
{
  if (interp_kernel_get_run (kernel) != NULL && gtk_widget_get_focus_child (GTK_WIDGET (self)) == NULL)
    interp_terminal_pane_show_kernel (self, kernel);
}

static void
add_kernel (InterpTerminalPane *self, InterpKernel *kernel)
{
  InterpKernelSpec *spec = interp_kernel_get_spec (kernel);
  InterpTerminalPage *child = interp_terminal_page_new (self->session, kernel, self->settings);
  AdwTabPage *page = adw_tab_view_append (self->tab_view, GTK_WIDGET (child));
  g_autoptr (GIcon) icon = g_themed_icon_new (interp_kernel_spec_get_icon_name (spec));

  adw_tab_page_set_title (page, interp_kernel_spec_get_title (spec));
  adw_tab_page_set_icon (page, icon);
  g_signal_connect_object (kernel, "notify::run", G_CALLBACK (on_kernel_run), self, G_CONNECT_DEFAULT);
  g_signal_connect_object (kernel, "notify::state", G_CALLBACK (on_kernel_state), self, G_CONNECT_DEFAULT);
  g_signal_connect_object (kernel, "notify::waiting", G_CALLBACK (on_kernel_state), self, G_CONNECT_DEFAULT);
  on_kernel_state (kernel, NULL, self);
}

static void
disconnect_kernel (InterpTerminalPane *self, InterpKernel *kernel)
{
  g_signal_handlers_disconnect_by_func (kernel, on_kernel_run, self);
  g_signal_handlers_disconnect_by_func (kernel, on_kernel_state, self);
}

static void
update_stack (InterpTerminalPane *self)
{
  gboolean empty = adw_tab_view_get_n_pages (self->tab_view) == 0;

  gtk_stack_set_visible_child_name (self->stack, empty ? "empty" : "tabs");
}

static void
on_kernels_changed (InterpTerminalPane *self)
{
  g_assert (INTERP_IS_TERMINAL_PANE (self));

  guint n = g_list_model_get_n_items (self->kernels);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (InterpKernel) kernel = g_list_model_get_item (self->kernels, i);

      if (find_page (self, kernel) == NULL)
        add_kernel (self, kernel);
    }
  for (int i = adw_tab_view_get_n_pages (self->tab_view) - 1; i >= 0; i--)
    {
      AdwTabPage *page = adw_tab_view_get_nth_page (self->tab_view, i);
      InterpKernel *kernel = interp_terminal_page_get_kernel (INTERP_TERMINAL_PAGE (adw_tab_page_get_child (page)));
      gboolean found = FALSE;

      for (guint j = 0; j < n && !found; j++)
        {
          g_autoptr (InterpKernel) other = g_list_model_get_item (self->kernels, j);
          found = other == kernel;
        }
      if (!found)
        {
          disconnect_kernel (self, kernel);
          adw_tab_view_close_page (self->tab_view, page);
        }
    }
  update_stack (self);
}

static void
close_all_pages (InterpTerminalPane *self)
{
  for (int i = adw_tab_view_get_n_pages (self->tab_view) - 1; i >= 0; i--)
    {
      AdwTabPage *page = adw_tab_view_get_nth_page (self->tab_view, i);
      InterpKernel *kernel = interp_terminal_page_get_kernel (INTERP_TERMINAL_PAGE (adw_tab_page_get_child (page)));

      disconnect_kernel (self, kernel);
      adw_tab_view_close_page (self->tab_view, page);
    }
}

static void
set_session (InterpTerminalPane *self, InterpSession *session)
{
  if (self->session == session)
    return;

  if (self->kernels != NULL)
    g_signal_handlers_disconnect_by_func (self->kernels, on_kernels_changed, self);
  g_clear_object (&self->kernels);
  close_all_pages (self);
  g_set_object (&self->session, session);
  if (session != NULL)
    {
      self->kernels = g_object_ref (interp_session_get_kernels (session));
      g_signal_connect_object (self->kernels, "items-changed", G_CALLBACK (on_kernels_changed), self,
                               G_CONNECT_SWAPPED);
      on_kernels_changed (self);
    }
  update_stack (self);
  update_actions (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SESSION]);
}

static gboolean
on_close_page (InterpTerminalPane *self, AdwTabPage *page)
{
  g_assert (INTERP_IS_TERMINAL_PANE (self));

  InterpKernel *kernel = interp_terminal_page_get_kernel (INTERP_TERMINAL_PAGE (adw_tab_page_get_child (page)));
  gboolean gone = TRUE;
  guint n = self->kernels ? g_list_model_get_n_items (self->kernels) : 0;

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (InterpKernel) other = g_list_model_get_item (self->kernels, i);
      if (other == kernel)
        gone = FALSE;
    }

  /* A tab lives as long as its kernel belongs to the chat: the close button ends the kernel and keeps what it said. */
  if (gone)
    adw_tab_view_close_page_finish (self->tab_view, page, TRUE);
  else
    {
      adw_tab_view_close_page_finish (self->tab_view, page, FALSE);
      gtk_widget_activate_action (GTK_WIDGET (self), "terminals.close", NULL);
    }
  return GDK_EVENT_STOP;
}

/* ---- the interpreter's choice ---- */

typedef struct
{
  InterpTerminalPane *pane;
  InterpKernel *kernel;
} Listing;

static void
listing_free (Listing *listing)
{
  g_clear_object (&listing->pane);
  g_clear_object (&listing->kernel);
  g_free (listing);
}

static DexFuture *
list_interpreters (gpointer user_data)
{
  Listing *listing = user_data;
  InterpTerminalPane *self = listing->pane;
  g_autoptr (GError) error = NULL;
  g_autoptr (GListModel) found
      = dex_await_object (interp_kernel_find_interpreters (interp_kernel_get_spec (listing->kernel),
                                                           interp_kernel_get_folder (listing->kernel)),
                          &error);
  InterpTerminalPage *page = self->tab_view != NULL ? get_selected (self) : NULL;

  if (found == NULL)
    return dex_future_new_for_error (g_steal_pointer (&error));
  if (page == NULL || interp_terminal_page_get_kernel (page) != listing->kernel)
    return dex_future_new_true ();

  g_menu_remove_all (self->interpreters);
  for (guint i = 0; i < g_list_model_get_n_items (found); i++)
    {
      g_autoptr (InterpInterpreter) interpreter = g_list_model_get_item (found, i);
      g_autoptr (GMenuItem) item = g_menu_item_new (interp_interpreter_get_title (interpreter), NULL);

      g_menu_item_set_action_and_target (item, "terminals.interpreter", "(sb)",
                                         interp_interpreter_get_path (interpreter),
                                         interp_interpreter_is_own (interpreter));
      g_menu_append_item (self->interpreters, item);
    }
  return dex_future_new_true ();
}

static void
on_menu_active (InterpTerminalPane *self)
{
  g_assert (INTERP_IS_TERMINAL_PANE (self));

  InterpTerminalPage *page = get_selected (self);
  if (page == NULL || !gtk_menu_button_get_active (self->menu_button))
    return;

  Listing *listing = g_new0 (Listing, 1);
  listing->pane = g_object_ref (self);
  listing->kernel = g_object_ref (interp_terminal_page_get_kernel (page));
  interp_fiber_run ("list interpreters", list_interpreters, listing, (GDestroyNotify) listing_free);
}

typedef struct
{
  InterpTerminalPane *pane;
  InterpKernel *kernel;
  char *path;
  gboolean own;
} Choice;

static void
choice_free (Choice *choice)
{
  g_clear_object (&choice->pane);
  g_clear_object (&choice->kernel);
  g_free (choice->path);
  g_free (choice);
}

static void
use_interpreter (Choice *choice)
{
  if (choice->own && !g_file_test (choice->path, G_FILE_TEST_EXISTS) && choice->pane->session != NULL)
    {
      g_autofree char *command
          = interp_kernel_install_command (interp_kernel_get_spec (choice->kernel), choice->path, NULL);

      if (command != NULL)
        interp_session_run_code (choice->pane->session, "shell", command);
    }
  interp_kernel_set_interpreter (choice->kernel, choice->path);
}

static void
on_interpreter_response (AdwAlertDialog *dialog, const char *response, Choice *choice)
{
  if (g_str_equal (response, "change"))
    use_interpreter (choice);
}

static void
interpreter_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  InterpTerminalPane *self = INTERP_TERMINAL_PANE (widget);
  InterpTerminalPage *page = get_selected (self);
  Choice *choice;
  AdwDialog *dialog;
  gboolean create;

  if (page == NULL)
    return;
  choice = g_new0 (Choice, 1);
  choice->pane = g_object_ref (self);
  choice->kernel = g_object_ref (interp_terminal_page_get_kernel (page));
  g_variant_get (parameter, "(sb)", &choice->path, &choice->own);

  create = choice->own && !g_file_test (choice->path, G_FILE_TEST_EXISTS);
  if (!create && interp_kernel_get_state (choice->kernel) == INTERP_KERNEL_OFF)
    {
      use_interpreter (choice);
      choice_free (choice);
      return;
    }

  dialog = adw_alert_dialog_new (_ ("Change the Interpreter?"), NULL);
  if (create)
    {
      g_autofree char *command
          = interp_kernel_install_command (interp_kernel_get_spec (choice->kernel), choice->path, NULL);
      /* Translators: %s is a shell command */
      adw_alert_dialog_format_body (ADW_ALERT_DIALOG (dialog),
                                    _ ("An environment of Interpreter’s own will be made with this "
                                       "command:\n\n%s\n\nThe "
                                       "kernel restarts; its variables will be gone."),
                                    command ? command : "");
    }
  else
    adw_alert_dialog_set_body (ADW_ALERT_DIALOG (dialog), _ ("The kernel restarts; its variables will be gone."));
  adw_alert_dialog_add_responses (ADW_ALERT_DIALOG (dialog), "cancel", _ ("_Cancel"), "change", _ ("C_hange"), NULL);
  adw_alert_dialog_set_close_response (ADW_ALERT_DIALOG (dialog), "cancel");
  g_signal_connect_data (dialog, "response", G_CALLBACK (on_interpreter_response), choice,
                         (GClosureNotify) (void (*) (void)) choice_free, G_CONNECT_DEFAULT);
  adw_dialog_present (dialog, widget);
}

/* ---- actions on the kernel in view ---- */

static void
interrupt_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  InterpTerminalPage *page = get_selected (INTERP_TERMINAL_PANE (widget));

  if (page != NULL)
    dex_future_disown (interp_kernel_interrupt (interp_terminal_page_get_kernel (page)));
}

static void
on_end_response (AdwAlertDialog *dialog, const char *response, gpointer user_data)
{
  InterpKernel *kernel = user_data;

  if (g_str_equal (response, "restart"))
    dex_future_disown (interp_kernel_restart (kernel));
  else if (g_str_equal (response, "close"))
    dex_future_disown (interp_kernel_close (kernel));
}

static void
ask_to_end (InterpTerminalPane *self, InterpKernel *kernel, gboolean restart)
{
  InterpKernelState state = interp_kernel_get_state (kernel);
  const char *response = restart ? "restart" : "close";
  AdwDialog *dialog;

  /* Nothing runs and nothing is remembered: nothing to ask. */
  if (state == INTERP_KERNEL_OFF || state == INTERP_KERNEL_LOST)
    {
      if (restart)
        dex_future_disown (interp_kernel_restart (kernel));
      return;
    }

  dialog = adw_alert_dialog_new (restart ? _ ("Restart the Kernel?") : _ ("Close the Kernel?"), NULL);
  adw_alert_dialog_set_body (ADW_ALERT_DIALOG (dialog),
                             state == INTERP_KERNEL_BUSY || state == INTERP_KERNEL_INTERRUPTING
                                 ? _ ("Running code will be stopped. Its variables and what it started will be gone; "
                                      "files stay.")
                                 : _ ("Its variables and what it started will be gone; files stay."));
  adw_alert_dialog_add_responses (ADW_ALERT_DIALOG (dialog), "cancel", _ ("_Cancel"), response,
                                  restart ? _ ("_Restart") : _ ("C_lose"), NULL);
  adw_alert_dialog_set_response_appearance (ADW_ALERT_DIALOG (dialog), response, ADW_RESPONSE_DESTRUCTIVE);
  adw_alert_dialog_set_close_response (ADW_ALERT_DIALOG (dialog), "cancel");
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_end_response), kernel, G_CONNECT_DEFAULT);
  adw_dialog_present (dialog, GTK_WIDGET (self));
}

static void
end_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  InterpTerminalPane *self = INTERP_TERMINAL_PANE (widget);
  InterpTerminalPage *page = get_selected (self);

  if (page != NULL)
    ask_to_end (self, interp_terminal_page_get_kernel (page), g_str_equal (name, "terminals.restart"));
}

static void
find_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  InterpTerminalPage *page = get_selected (INTERP_TERMINAL_PANE (widget));

  if (page != NULL)
    interp_terminal_page_begin_search (page);
}

static void
view_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  InterpTerminalPage *page = get_selected (INTERP_TERMINAL_PANE (widget));

  if (page != NULL)
    interp_terminal_page_activate (page, name);
}

static void
on_log_saved (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (InterpTerminalPane) self = user_data;
  g_autoptr (GFile) file = gtk_file_dialog_save_finish (GTK_FILE_DIALOG (source), result, NULL);
  InterpTerminalPage *page = self->tab_view != NULL ? get_selected (self) : NULL;

  if (file != NULL && page != NULL)
    interp_terminal_page_save (page, file);
}

static void
save_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  InterpTerminalPane *self = INTERP_TERMINAL_PANE (widget);
  InterpTerminalPage *page = get_selected (self);
  g_autoptr (GtkFileDialog) dialog = NULL;
  g_autofree char *file_name = NULL;

  if (page == NULL)
    return;
  dialog = gtk_file_dialog_new ();
  file_name
      = g_strdup_printf ("%s.txt",
                         interp_kernel_spec_get_id (interp_kernel_get_spec (interp_terminal_page_get_kernel (page))));
  gtk_file_dialog_set_title (dialog, _ ("Save Log"));
  gtk_file_dialog_set_initial_name (dialog, file_name);
  gtk_file_dialog_save (dialog, GTK_WINDOW (gtk_widget_get_root (widget)), NULL, on_log_saved, g_object_ref (self));
}

static void
open_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  InterpTerminalPane *self = INTERP_TERMINAL_PANE (widget);
  InterpKernel *kernel;

  if (self->session == NULL || interp_session_is_read_only (self->session))
    return;
  kernel = interp_session_get_kernel (self->session, g_variant_get_string (parameter, NULL));
  if (kernel != NULL)
    {
      dex_future_disown (interp_kernel_start (kernel));
      interp_terminal_pane_show_kernel (self, kernel);
      interp_terminal_pane_grab_focus (self);
    }
}

static void
on_selected_page (InterpTerminalPane *self)
{
  g_assert (INTERP_IS_TERMINAL_PANE (self));

  InterpTerminalPage *page = get_selected (self);
  if (page != NULL)
    {
      adw_tab_page_set_needs_attention (adw_tab_view_get_selected_page (self->tab_view), FALSE);
      interp_terminal_page_shown (page);
    }
  g_menu_remove_all (self->interpreters);
  update_actions (self);
}

void
interp_terminal_pane_show_kernel (InterpTerminalPane *self, InterpKernel *kernel)
{
  g_return_if_fail (INTERP_IS_TERMINAL_PANE (self));

  AdwTabPage *page = find_page (self, kernel);
  if (page != NULL)
    adw_tab_view_set_selected_page (self->tab_view, page);
}

gboolean
interp_terminal_pane_show_number (InterpTerminalPane *self, guint number)
{
  g_return_val_if_fail (INTERP_IS_TERMINAL_PANE (self), FALSE);

  if ((int) number >= adw_tab_view_get_n_pages (self->tab_view))
    return FALSE;
  adw_tab_view_set_selected_page (self->tab_view, adw_tab_view_get_nth_page (self->tab_view, number));
  return TRUE;
}

void
interp_terminal_pane_grab_focus (InterpTerminalPane *self)
{
  g_return_if_fail (INTERP_IS_TERMINAL_PANE (self));

  InterpTerminalPage *page = get_selected (self);
  if (page != NULL)
    interp_terminal_page_focus (page);
  else
    gtk_widget_child_focus (GTK_WIDGET (self->stack), GTK_DIR_TAB_FORWARD);
}

static void
build_menus (InterpTerminalPane *self)
{
  GListModel *specs = interp_kernel_specs_get ();
  g_autoptr (GMenu) view = g_menu_new ();
  g_autoptr (GMenu) zoom = g_menu_new ();
  g_autoptr (GMenu) kernel = g_menu_new ();

  self->menu = g_menu_new ();
  self->interpreters = g_menu_new ();
  self->languages = g_menu_new ();

  for (guint i = 0; i < g_list_model_get_n_items (specs); i++)
    {
      g_autoptr (InterpKernelSpec) spec = g_list_model_get_item (specs, i);
      g_autofree char *action = g_strdup_printf ("terminals.open::%s", interp_kernel_spec_get_id (spec));

      g_menu_append (self->languages, interp_kernel_spec_get_title (spec), action);
    }

  g_menu_append (view, _ ("_Find…"), "terminals.find");
  g_menu_append (view, _ ("C_lear"), "terminals.clear");
  g_menu_append (view, _ ("_Save Log…"), "terminals.save");
  g_menu_append (zoom, _ ("Zoom _In"), "terminals.zoom-in");
  g_menu_append (zoom, _ ("Zoom _Out"), "terminals.zoom-out");
  g_menu_append (zoom, _ ("_Normal Size"), "terminals.zoom-normal");
  g_menu_append (kernel, _ ("_Interrupt"), "terminals.interrupt");
  g_menu_append (kernel, _ ("_Restart"), "terminals.restart");
  g_menu_append (kernel, _ ("Clos_e"), "terminals.close");
  g_menu_append_section (self->menu, NULL, G_MENU_MODEL (view));
  g_menu_append_section (self->menu, NULL, G_MENU_MODEL (zoom));
  g_menu_append_section (self->menu, _ ("Interpreter"), G_MENU_MODEL (self->interpreters));
  g_menu_append_submenu (self->menu, _ ("_Open a Terminal"), G_MENU_MODEL (self->languages));
  g_menu_append_section (self->menu, NULL, G_MENU_MODEL (kernel));
}

static void
interp_terminal_pane_get_property (GObject *object, guint prop_id, GValue *value, GParamSpec *pspec)
{
  InterpTerminalPane *self = INTERP_TERMINAL_PANE (object);

  switch (prop_id)
    {
    case PROP_SESSION:
      g_value_set_object (value, self->session);
      break;
    case PROP_MENU:
      g_value_set_object (value, self->menu);
      break;
    case PROP_LANGUAGES:
      g_value_set_object (value, self->languages);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
interp_terminal_pane_set_property (GObject *object, guint prop_id, const GValue *value, GParamSpec *pspec)
{
  InterpTerminalPane *self = INTERP_TERMINAL_PANE (object);

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
interp_terminal_pane_dispose (GObject *object)
{
  InterpTerminalPane *self = INTERP_TERMINAL_PANE (object);

  if (self->kernels != NULL)
    g_signal_handlers_disconnect_by_func (self->kernels, on_kernels_changed, self);
  g_clear_object (&self->kernels);
  if (self->tab_view != NULL)
    close_all_pages (self);
  /* The template's disposal would unparent it behind the bin's back. */
  adw_bin_set_child (ADW_BIN (object), NULL);
  gtk_widget_dispose_template (GTK_WIDGET (self), INTERP_TYPE_TERMINAL_PANE);
  g_clear_object (&self->session);
  g_clear_object (&self->settings);
  g_clear_object (&self->menu);
  g_clear_object (&self->interpreters);
  g_clear_object (&self->languages);

  G_OBJECT_CLASS (interp_terminal_pane_parent_class)->dispose (object);
}

static void
interp_terminal_pane_class_init (InterpTerminalPaneClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = interp_terminal_pane_dispose;
  object_class->get_property = interp_terminal_pane_get_property;
  object_class->set_property = interp_terminal_pane_set_property;

  properties[PROP_SESSION] = g_param_spec_object ("session", NULL, NULL, INTERP_TYPE_SESSION,
                                                  G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  properties[PROP_MENU]
      = g_param_spec_object ("menu", NULL, NULL, G_TYPE_MENU_MODEL, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  properties[PROP_LANGUAGES]
      = g_param_spec_object ("languages", NULL, NULL, G_TYPE_MENU_MODEL, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/interpreter_app/Interpreter/ui/interp-terminal-pane.ui");
  gtk_widget_class_bind_template_child (widget_class, InterpTerminalPane, stack);
  gtk_widget_class_bind_template_child (widget_class, InterpTerminalPane, tab_view);
  gtk_widget_class_bind_template_child (widget_class, InterpTerminalPane, menu_button);

  gtk_widget_class_install_action (widget_class, "terminals.interrupt", NULL, interrupt_action);
  gtk_widget_class_install_action (widget_class, "terminals.restart", NULL, end_action);
  gtk_widget_class_install_action (widget_class, "terminals.close", NULL, end_action);
  gtk_widget_class_install_action (widget_class, "terminals.find", NULL, find_action);
  gtk_widget_class_install_action (widget_class, "terminals.clear", NULL, view_action);
  gtk_widget_class_install_action (widget_class, "terminals.zoom-in", NULL, view_action);
  gtk_widget_class_install_action (widget_class, "terminals.zoom-out", NULL, view_action);
  gtk_widget_class_install_action (widget_class, "terminals.zoom-normal", NULL, view_action);
  gtk_widget_class_install_action (widget_class, "terminals.save", NULL, save_action);
  gtk_widget_class_install_action (widget_class, "terminals.interpreter", "(sb)", interpreter_action);
  gtk_widget_class_install_action (widget_class, "terminals.open", "s", open_action);
}

static void
interp_terminal_pane_init (InterpTerminalPane *self)
{
  self->settings = interp_settings_new ();
  build_menus (self);
  gtk_widget_init_template (GTK_WIDGET (self));
  g_signal_connect_object (self->tab_view, "close-page", G_CALLBACK (on_close_page), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->tab_view, "notify::selected-page", G_CALLBACK (on_selected_page), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->menu_button, "notify::active", G_CALLBACK (on_menu_active), self, G_CONNECT_SWAPPED);
  update_stack (self);
  update_actions (self);
}

GtkWidget *
interp_terminal_pane_new (void)
{
  return g_object_new (INTERP_TYPE_TERMINAL_PANE, NULL);
}
