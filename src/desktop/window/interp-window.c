/* interp-window.c: the window: chats, one of them in view, its terminals
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "window/interp-window.h"

#include <glib/gi18n.h>

#include "base/interp-fiber.h"
#include "models/interp-greeting.h"
#include "window/interp-shortcuts.h"
#include "window/interp-window-private.h"

/* The dialog comes first; where it does not, the banner says that a question waits. */
#define QUESTION_BANNER_DELAY 1500
/* Longer than the split view's animation. */
#define COLLAPSE_TIME 400
#define TERMINALS_HEIGHT 260
#define TERMINALS_MIN_HEIGHT 120

enum
{
  PROP_0,
  PROP_ENGINE,
  PROP_SESSION,
  PROP_NARROW,
  N_PROPS,
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (InterpWindow, interp_window, ADW_TYPE_APPLICATION_WINDOW)

InterpEngine *
interp_window_get_engine (InterpWindow *self)
{
  g_return_val_if_fail (INTERP_IS_WINDOW (self), NULL);

  return self->engine;
}

InterpSession *
interp_window_get_session (InterpWindow *self)
{
  g_return_val_if_fail (INTERP_IS_WINDOW (self), NULL);

  return self->session;
}

void
interp_window_toast (InterpWindow *self, const char *text)
{
  AdwToast *toast;

  g_return_if_fail (INTERP_IS_WINDOW (self));

  toast = adw_toast_new (text);
  adw_toast_set_use_markup (toast, FALSE);
  adw_toast_overlay_add_toast (self->toasts, toast);
}

void
interp_window_show_notice (InterpWindow *self, const char *sentence)
{
  g_return_if_fail (INTERP_IS_WINDOW (self));

  adw_banner_set_title (self->notice_banner, sentence ? sentence : "");
  adw_banner_set_revealed (self->notice_banner, sentence && *sentence);
}

/* ---- pages: greeting, empty chat, transcript ---- */

static void
on_model_chosen (InterpWindow *self, InterpModel *model)
{
  if (!self->session)
    return;
  interp_session_set_model (self->session, model);
  interp_engine_remember_model (self->engine, model);
  gtk_widget_grab_focus (GTK_WIDGET (self->composer));
}

static void
update_page (InterpWindow *self)
{
  gboolean empty = !self->items || g_list_model_get_n_items (self->items) == 0;
  gboolean model = self->session && interp_session_get_model (self->session);

  if (!self->session)
    gtk_stack_set_visible_child_name (self->pages, "blank");
  else if (!empty)
    gtk_stack_set_visible_child_name (self->pages, "transcript");
  else if (model)
    gtk_stack_set_visible_child_name (self->pages, "empty");
  else if (!self->model_looked_for)
    gtk_stack_set_visible_child_name (self->pages, "blank");
  else
    {
      if (!adw_bin_get_child (self->greeting_bin))
        {
          GtkWidget *greeting = interp_greeting_new (self->engine);

          g_signal_connect_object (greeting, "model-chosen", G_CALLBACK (on_model_chosen), self, G_CONNECT_SWAPPED);
          adw_bin_set_child (self->greeting_bin, greeting);
        }
      gtk_stack_set_visible_child_name (self->pages, "greeting");
    }
}

typedef struct
{
  InterpWindow *self;
  InterpSession *session;
} ChooseModel;

static void
choose_model_free (gpointer data)
{
  ChooseModel *choose = data;

  g_object_unref (choose->self);
  g_object_unref (choose->session);
  g_free (choose);
}

static DexFuture *
choose_model_fiber (gpointer data)
{
  ChooseModel *choose = data;
  InterpWindow *self = choose->self;
  g_autoptr (InterpModel) model = dex_await_object (interp_engine_choose_model (self->engine), NULL);

  if (model && !interp_session_get_model (choose->session) && !interp_session_would_leave (choose->session, model))
    interp_session_set_model (choose->session, model);
  self->model_looked_for = TRUE;
  if (self->pages)
    update_page (self);
  return dex_future_new_true ();
}

static void
choose_model (InterpWindow *self, InterpSession *session)
{
  ChooseModel *choose = g_new0 (ChooseModel, 1);

  choose->self = g_object_ref (self);
  choose->session = g_object_ref (session);
  interp_fiber_run ("choose model", choose_model_fiber, choose, choose_model_free);
}

/* ---- terminals ---- */

static void
layout_terminals (InterpWindow *self)
{
  gboolean shown = gtk_toggle_button_get_active (self->terminals_button);
  int height = gtk_widget_get_height (GTK_WIDGET (self->paned));
  int wanted = interp_settings_get_int (self->settings, "terminals-position");

  gtk_widget_set_visible (GTK_WIDGET (self->terminals_bin), shown);
  gtk_widget_set_visible (self->chat_box, !shown || !self->narrow);
  if (!shown || self->narrow || height <= 0)
    return;
  if (wanted <= 0)
    wanted = TERMINALS_HEIGHT;
  wanted = CLAMP (wanted, TERMINALS_MIN_HEIGHT, MAX (TERMINALS_MIN_HEIGHT, height - 200));
  self->placing = TRUE;
  gtk_paned_set_position (self->paned, height - wanted);
  self->placing = FALSE;
}

void
interp_window_set_terminals_shown (InterpWindow *self, gboolean shown)
{
  g_return_if_fail (INTERP_IS_WINDOW (self));

  gtk_toggle_button_set_active (self->terminals_button, shown);
}

static void
on_terminals_toggled (InterpWindow *self)
{
  gboolean shown = gtk_toggle_button_get_active (self->terminals_button);

  interp_settings_set_boolean (self->settings, "terminals-visible", shown);
  layout_terminals (self);
  if (!shown)
    gtk_widget_grab_focus (GTK_WIDGET (self->composer));
}

static void
on_paned_moved (InterpWindow *self)
{
  int height = gtk_widget_get_height (GTK_WIDGET (self->paned));

  if (self->placing || self->narrow || height <= 0 || !gtk_widget_get_visible (GTK_WIDGET (self->terminals_bin)))
    return;
  interp_settings_set_int (self->settings, "terminals-position", height - gtk_paned_get_position (self->paned));
}

/* When the sidebar collapses by itself, the split view moves the focus on, more than once while it animates:
 * what one was writing goes on afterwards. */
static gboolean
restore_focus (gpointer user_data)
{
  InterpWindow *self = user_data;

  self->focus_source = 0;
  if (self->focus_before && gtk_widget_get_mapped (self->focus_before))
    gtk_widget_grab_focus (self->focus_before);
  g_clear_weak_pointer (&self->focus_before);
  return G_SOURCE_REMOVE;
}

static void
on_collapsed (InterpWindow *self)
{
  if (self->focus_source == 0)
    self->focus_source = g_timeout_add (COLLAPSE_TIME, restore_focus, self);
}

/* The last widget with focus while the layout was at rest. */
static void
on_focus_widget (InterpWindow *self)
{
  GtkWidget *focus = gtk_root_get_focus (GTK_ROOT (self));

  if (self->focus_source == 0 && focus && gtk_widget_is_ancestor (focus, GTK_WIDGET (self->paned)))
    g_set_weak_pointer (&self->focus_before, focus);
}

static void
on_map (InterpWindow *self)
{
  layout_terminals (self);
}

/* ---- the session in view ---- */

static gboolean
show_question_banner (gpointer user_data)
{
  InterpWindow *self = user_data;
  InterpCell *cell = self->session ? interp_session_get_question (self->session) : NULL;

  self->question_source = 0;
  if (cell && !adw_application_window_get_visible_dialog (ADW_APPLICATION_WINDOW (self))
      && !interp_approval_controller_is_in_chat (self->approval))
    {
      /* Translators: %s is a language, "Python" */
      g_autofree char *title = g_strdup_printf (_ ("%s code waits for your answer."), interp_cell_get_language (cell));

      adw_banner_set_title (self->question_banner, title);
      adw_banner_set_revealed (self->question_banner, TRUE);
    }
  return G_SOURCE_REMOVE;
}

static void
update_question (InterpWindow *self)
{
  InterpCell *cell = self->session ? interp_session_get_question (self->session) : NULL;

  g_clear_handle_id (&self->question_source, g_source_remove);
  if (!cell || adw_application_window_get_visible_dialog (ADW_APPLICATION_WINDOW (self)))
    adw_banner_set_revealed (self->question_banner, FALSE);
  else
    self->question_source = g_timeout_add (QUESTION_BANNER_DELAY, show_question_banner, self);
}

static void
update_session (InterpWindow *self)
{
  guint n_running = 0;
  const char *title;
  g_autofree char *window_title = NULL;

  if (self->session)
    g_object_get (self->session, "n-running", &n_running, NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->running_label), n_running > 0 && !self->narrow);
  if (n_running > 0)
    {
      g_autofree char *count = g_strdup_printf ("%u", n_running);
      g_autofree char *words
          = g_strdup_printf (ngettext ("%u cell is running", "%u cells are running", n_running), n_running);

      gtk_label_set_label (self->running_label, count);
      gtk_accessible_update_property (GTK_ACCESSIBLE (self->terminals_button), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                      words, -1);
    }
  else
    gtk_accessible_reset_property (GTK_ACCESSIBLE (self->terminals_button), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION);

  title = self->session ? interp_session_get_title (self->session) : NULL;
  /* Translators: the window's title: "Plot sales by month – Interpreter" */
  window_title = title && *title ? g_strdup_printf (_ ("%s – Interpreter"), title) : g_strdup (_ ("Interpreter"));
  gtk_window_set_title (GTK_WINDOW (self), window_title);
  adw_banner_set_title (self->read_only_banner,
                        interp_engine_is_read_only (self->engine)
                            ? interp_engine_get_notice (self->engine)
                            : _ ("Another process works with this chat. Here it can only be read."));
  adw_banner_set_revealed (self->read_only_banner, self->session && interp_session_is_read_only (self->session));
  interp_sidebar_set_selected (self->sidebar, self->session ? interp_session_get_id (self->session) : 0);
  interp_window_update_actions (self);
}

/* Charts are drawn for the background that they will stand on. */
static void
on_kernel_added (InterpWindow *self, InterpKernel *kernel)
{
  interp_kernel_set_dark (kernel, adw_style_manager_get_dark (adw_style_manager_get_default ()));
}

static void
update_dark (InterpWindow *self)
{
  GListModel *kernels = self->session ? interp_session_get_kernels (self->session) : NULL;
  guint n = kernels ? g_list_model_get_n_items (kernels) : 0;

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (InterpKernel) kernel = g_list_model_get_item (kernels, i);

      on_kernel_added (self, kernel);
    }
}

static void
on_folder (InterpWindow *self)
{
  interp_empty_chat_set_folder (self->empty_chat, self->session ? interp_session_get_folder (self->session) : NULL);
}

void
interp_window_set_session (InterpWindow *self, InterpSession *session)
{
  g_return_if_fail (INTERP_IS_WINDOW (self));
  g_return_if_fail (session == NULL || INTERP_IS_SESSION (session));

  if (self->session == session)
    return;
  if (self->session)
    {
      g_signal_handlers_disconnect_by_data (self->session, self);
      g_signal_handlers_disconnect_by_data (self->items, self);
    }
  g_clear_object (&self->items);
  g_set_object (&self->session, session);
  if (session)
    {
      self->items = g_object_ref (interp_session_get_items (session));
      g_signal_connect_object (self->items, "items-changed", G_CALLBACK (update_page), self, G_CONNECT_SWAPPED);
      g_signal_connect_object (session, "notify::model", G_CALLBACK (update_page), self, G_CONNECT_SWAPPED);
      g_signal_connect_object (session, "kernel-added", G_CALLBACK (on_kernel_added), self, G_CONNECT_SWAPPED);
      g_signal_connect_object (session, "folder-named", G_CALLBACK (interp_window_offer_folder), self,
                               G_CONNECT_SWAPPED);
      g_signal_connect_object (session, "notify::n-approved", G_CALLBACK (interp_window_offer_sandbox), self,
                               G_CONNECT_SWAPPED);
      g_signal_connect_object (session, "notify::folder", G_CALLBACK (on_folder), self, G_CONNECT_SWAPPED);
      g_signal_connect_object (session, "notify::question", G_CALLBACK (update_question), self, G_CONNECT_SWAPPED);
      g_signal_connect_object (session, "notify::n-running", G_CALLBACK (update_session), self, G_CONNECT_SWAPPED);
      g_signal_connect_object (session, "notify::title", G_CALLBACK (update_session), self, G_CONNECT_SWAPPED);
      g_signal_connect_object (session, "notify::id", G_CALLBACK (update_session), self, G_CONNECT_SWAPPED);
      g_signal_connect_object (session, "notify::read-only", G_CALLBACK (update_session), self, G_CONNECT_SWAPPED);
      g_signal_connect_object (session, "notify::state", G_CALLBACK (interp_window_update_actions), self,
                               G_CONNECT_SWAPPED);
    }
  interp_transcript_set_session (self->transcript, session);
  interp_composer_set_session (self->composer, session);
  interp_chat_title_set_session (self->title, session);
  interp_mode_button_set_session (self->mode_button, session);
  interp_safe_button_set_session (self->safe_button, session);
  g_object_set (self->terminals, "session", session, NULL);
  g_object_set (self->approval, "session", session, NULL);
  on_folder (self);
  update_dark (self);
  update_page (self);
  update_session (self);
  update_question (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SESSION]);
}

void
interp_window_new_chat (InterpWindow *self, const InterpOptions *options)
{
  g_autoptr (InterpSession) session = NULL;
  gboolean given = options && (options->model || options->api_base);
  InterpModel *present;

  g_return_if_fail (INTERP_IS_WINDOW (self));

  present = self->session ? interp_session_get_model (self->session) : NULL;

  self->open_serial++;
  session = interp_engine_new_session (self->engine, options);
  /* One goes on with the model that one works with. */
  if (present && !given)
    interp_session_set_model (session, present);
  interp_window_set_session (self, session);
  if (!interp_session_get_model (session) && !given)
    choose_model (self, session);
  else
    self->model_looked_for = TRUE;
  update_page (self);
  if (adw_overlay_split_view_get_collapsed (self->split_view))
    adw_overlay_split_view_set_show_sidebar (self->split_view, FALSE);
  gtk_widget_grab_focus (GTK_WIDGET (self->composer));
}

typedef struct
{
  InterpWindow *self;
  gint64 id;
  gint64 item;
  guint serial;
} Open;

static void
open_free (gpointer data)
{
  Open *open = data;

  g_object_unref (open->self);
  g_free (open);
}

static DexFuture *
open_fiber (gpointer data)
{
  Open *open = data;
  InterpWindow *self = open->self;
  g_autoptr (GError) error = NULL;
  g_autoptr (InterpSession) session = dex_await_object (interp_engine_open_session (self->engine, open->id), &error);

  /* Another chat was chosen meanwhile, or the window was closed. */
  if (open->serial != self->open_serial || !self->pages)
    return dex_future_new_true ();
  if (!session)
    {
      interp_window_toast (self, error->message);
      update_session (self);
      return dex_future_new_true ();
    }
  interp_window_set_session (self, session);
  self->model_looked_for = TRUE;
  update_page (self);
  if (!interp_session_get_model (session))
    choose_model (self, session);
  if (open->item != 0)
    interp_transcript_show_item (self->transcript, open->item);
  else
    gtk_widget_grab_focus (GTK_WIDGET (self->composer));
  return dex_future_new_true ();
}

void
interp_window_open_chat (InterpWindow *self, gint64 id, gint64 item)
{
  Open *open;

  g_return_if_fail (INTERP_IS_WINDOW (self));

  if (adw_overlay_split_view_get_collapsed (self->split_view))
    adw_overlay_split_view_set_show_sidebar (self->split_view, FALSE);
  open = g_new0 (Open, 1);
  open->self = g_object_ref (self);
  open->id = id;
  open->item = item;
  open->serial = ++self->open_serial;
  interp_fiber_run ("open chat", open_fiber, open, open_free);
}

void
interp_window_show_question (InterpWindow *self)
{
  g_return_if_fail (INTERP_IS_WINDOW (self));

  adw_banner_set_revealed (self->question_banner, FALSE);
  interp_approval_controller_open (self->approval);
}

/* ---- signals of the parts ---- */

static void
on_open_chat (InterpWindow *self, gint64 id, gint64 item)
{
  if (self->session && interp_session_get_id (self->session) == id)
    {
      if (item != 0)
        interp_transcript_show_item (self->transcript, item);
      return;
    }
  interp_window_open_chat (self, id, item);
}

static void
on_undelete (AdwToast *toast, gpointer user_data)
{
  InterpWindow *self = user_data;
  gint64 *id = g_object_get_data (G_OBJECT (toast), "interp-chat");

  interp_engine_undelete_chat (self->engine, *id);
}

static void
on_deleted (InterpWindow *self, gint64 id)
{
  AdwToast *toast = adw_toast_new (_ ("Chat deleted"));

  if (self->session && interp_session_get_id (self->session) == id)
    interp_window_new_chat (self, NULL);
  interp_engine_delete_chat (self->engine, id);
  adw_toast_set_button_label (toast, _ ("_Undo"));
  adw_toast_set_priority (toast, ADW_TOAST_PRIORITY_HIGH);
  g_object_set_data_full (G_OBJECT (toast), "interp-chat", g_memdup2 (&id, sizeof id), g_free);
  g_signal_connect_object (toast, "button-clicked", G_CALLBACK (on_undelete), self, 0);
  adw_toast_overlay_add_toast (self->toasts, toast);
}

static void
on_suggested (InterpWindow *self, const char *text)
{
  interp_composer_set_text (self->composer, text);
}

static void
on_show_cell (InterpWindow *self, InterpCell *cell)
{
  interp_transcript_reveal_item (self->transcript, interp_item_get_id (INTERP_ITEM (cell)));
}

static void
on_notice_clicked (InterpWindow *self)
{
  adw_banner_set_revealed (self->notice_banner, FALSE);
}

static void
on_question_clicked (InterpWindow *self)
{
  interp_window_show_question (self);
}

static void
on_engine_notice (InterpWindow *self, const char *sentence)
{
  /* Why nothing can be kept is said by each chat, for as long as it is so. */
  if (!interp_engine_is_read_only (self->engine))
    interp_window_show_notice (self, sentence);
}

/* ---- text size ---- */

void
interp_window_apply_text_scale (InterpWindow *self)
{
  static GtkCssProvider *provider;
  double scale = CLAMP (interp_settings_get_double (self->settings, "text-scale"), 0.5, 3);
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  g_autofree char *css = NULL;

  if (!provider)
    {
      provider = gtk_css_provider_new ();
      gtk_style_context_add_provider_for_display (gdk_display_get_default (), GTK_STYLE_PROVIDER (provider),
                                                  GTK_STYLE_PROVIDER_PRIORITY_APPLICATION + 1);
    }
  g_ascii_formatd (number, sizeof number, "%.0f", scale * 100);
  css = g_strdup_printf (".transcript, .composer textview { font-size: %s%%; }", number);
  gtk_css_provider_load_from_string (provider, css);
}

/* ---- life ---- */

static gboolean
interp_window_close_request (GtkWindow *window)
{
  InterpWindow *self = INTERP_WINDOW (window);
  int width, height;

  gtk_window_get_default_size (window, &width, &height);
  interp_settings_set_boolean (self->settings, "window-maximized", gtk_window_is_maximized (window));
  if (!gtk_window_is_maximized (window))
    {
      interp_settings_set_int (self->settings, "window-width", width);
      interp_settings_set_int (self->settings, "window-height", height);
    }
  interp_settings_set_boolean (self->settings, "sidebar-visible",
                               adw_overlay_split_view_get_collapsed (self->split_view)
                                   || adw_overlay_split_view_get_show_sidebar (self->split_view));
  if (!interp_window_may_close (self))
    return GDK_EVENT_STOP;
  return GTK_WINDOW_CLASS (interp_window_parent_class)->close_request (window);
}

InterpWindow *
interp_window_new (AdwApplication *application, InterpEngine *engine)
{
  g_return_val_if_fail (ADW_IS_APPLICATION (application), NULL);
  g_return_val_if_fail (INTERP_IS_ENGINE (engine), NULL);

  return g_object_new (INTERP_TYPE_WINDOW, "application", application, "engine", engine, NULL);
}

static void
interp_window_constructed (GObject *object)
{
  InterpWindow *self = INTERP_WINDOW (object);

  G_OBJECT_CLASS (interp_window_parent_class)->constructed (object);

  self->settings = g_object_ref (interp_engine_get_settings (self->engine));
  gtk_window_set_default_size (GTK_WINDOW (self), MAX (interp_settings_get_int (self->settings, "window-width"), 360),
                               MAX (interp_settings_get_int (self->settings, "window-height"), 294));
  if (interp_settings_get_boolean (self->settings, "window-maximized"))
    gtk_window_maximize (GTK_WINDOW (self));
  adw_overlay_split_view_set_show_sidebar (self->split_view,
                                           interp_settings_get_boolean (self->settings, "sidebar-visible"));
  gtk_toggle_button_set_active (self->terminals_button,
                                interp_settings_get_boolean (self->settings, "terminals-visible"));
  layout_terminals (self);

  interp_sidebar_set_engine (self->sidebar, self->engine);
  interp_composer_set_engine (self->composer, self->engine);
  interp_transcript_set_settings (self->transcript, self->settings);
  interp_chat_title_set_settings (self->title, self->settings);
  self->approval = interp_approval_controller_new (GTK_WIDGET (self));
  g_signal_connect_object (self->approval, "show-cell", G_CALLBACK (on_show_cell), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->engine, "notice", G_CALLBACK (on_engine_notice), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->settings, "changed::text-scale", G_CALLBACK (interp_window_apply_text_scale), self,
                           G_CONNECT_SWAPPED);
  interp_window_apply_text_scale (self);
  update_session (self);
}

static void
interp_window_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  InterpWindow *self = INTERP_WINDOW (object);

  switch (id)
    {
    case PROP_ENGINE:
      g_value_set_object (value, self->engine);
      break;
    case PROP_SESSION:
      g_value_set_object (value, self->session);
      break;
    case PROP_NARROW:
      g_value_set_boolean (value, self->narrow);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
interp_window_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  InterpWindow *self = INTERP_WINDOW (object);

  switch (id)
    {
    case PROP_ENGINE:
      self->engine = g_value_dup_object (value);
      break;
    case PROP_SESSION:
      interp_window_set_session (self, g_value_get_object (value));
      break;
    case PROP_NARROW:
      if (self->narrow != g_value_get_boolean (value))
        {
          self->narrow = g_value_get_boolean (value);
          interp_mode_button_set_narrow (self->mode_button, self->narrow);
          interp_safe_button_set_narrow (self->safe_button, self->narrow);
          interp_composer_set_narrow (self->composer, self->narrow);
          if (self->settings)
            {
              layout_terminals (self);
              update_session (self);
            }
          g_object_notify_by_pspec (object, pspec);
        }
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
interp_window_dispose (GObject *object)
{
  InterpWindow *self = INTERP_WINDOW (object);

  g_clear_handle_id (&self->question_source, g_source_remove);
  g_clear_handle_id (&self->focus_source, g_source_remove);
  g_clear_weak_pointer (&self->focus_before);
  self->open_serial++;
  if (self->pages)
    interp_window_set_session (self, NULL);
  gtk_widget_dispose_template (GTK_WIDGET (object), INTERP_TYPE_WINDOW);
  g_clear_object (&self->approval);
  g_clear_object (&self->session);
  g_clear_object (&self->items);
  g_clear_object (&self->settings);
  g_clear_object (&self->engine);
  G_OBJECT_CLASS (interp_window_parent_class)->dispose (object);
}

static void
interp_window_class_init (InterpWindowClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->constructed = interp_window_constructed;
  object_class->get_property = interp_window_get_property;
  object_class->set_property = interp_window_set_property;
  object_class->dispose = interp_window_dispose;
  GTK_WINDOW_CLASS (klass)->close_request = interp_window_close_request;

  properties[PROP_ENGINE] = g_param_spec_object ("engine", NULL, NULL, INTERP_TYPE_ENGINE,
                                                 G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS);
  properties[PROP_SESSION] = g_param_spec_object ("session", NULL, NULL, INTERP_TYPE_SESSION,
                                                  G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  properties[PROP_NARROW] = g_param_spec_boolean ("narrow", NULL, NULL, FALSE,
                                                  G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  g_type_ensure (INTERP_TYPE_SIDEBAR);
  g_type_ensure (INTERP_TYPE_CHAT_TITLE);
  g_type_ensure (INTERP_TYPE_MODE_BUTTON);
  g_type_ensure (INTERP_TYPE_SAFE_BUTTON);
  g_type_ensure (INTERP_TYPE_EMPTY_CHAT);
  g_type_ensure (INTERP_TYPE_TRANSCRIPT);
  g_type_ensure (INTERP_TYPE_COMPOSER);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/interpreter_app/Interpreter/ui/interp-window.ui");
  gtk_widget_class_bind_template_child (widget_class, InterpWindow, split_view);
  gtk_widget_class_bind_template_child (widget_class, InterpWindow, sidebar);
  gtk_widget_class_bind_template_child (widget_class, InterpWindow, header);
  gtk_widget_class_bind_template_child (widget_class, InterpWindow, title);
  gtk_widget_class_bind_template_child (widget_class, InterpWindow, mode_button);
  gtk_widget_class_bind_template_child (widget_class, InterpWindow, safe_button);
  gtk_widget_class_bind_template_child (widget_class, InterpWindow, terminals_button);
  gtk_widget_class_bind_template_child (widget_class, InterpWindow, running_label);
  gtk_widget_class_bind_template_child (widget_class, InterpWindow, menu_button);
  gtk_widget_class_bind_template_child (widget_class, InterpWindow, notice_banner);
  gtk_widget_class_bind_template_child (widget_class, InterpWindow, question_banner);
  gtk_widget_class_bind_template_child (widget_class, InterpWindow, read_only_banner);
  gtk_widget_class_bind_template_child (widget_class, InterpWindow, toasts);
  gtk_widget_class_bind_template_child (widget_class, InterpWindow, paned);
  gtk_widget_class_bind_template_child (widget_class, InterpWindow, chat_box);
  gtk_widget_class_bind_template_child (widget_class, InterpWindow, pages);
  gtk_widget_class_bind_template_child (widget_class, InterpWindow, greeting_bin);
  gtk_widget_class_bind_template_child (widget_class, InterpWindow, empty_chat);
  gtk_widget_class_bind_template_child (widget_class, InterpWindow, transcript);
  gtk_widget_class_bind_template_child (widget_class, InterpWindow, composer);
  gtk_widget_class_bind_template_child (widget_class, InterpWindow, terminals_bin);
  gtk_widget_class_bind_template_callback (widget_class, on_open_chat);
  gtk_widget_class_bind_template_callback (widget_class, on_deleted);
  gtk_widget_class_bind_template_callback (widget_class, on_suggested);
  gtk_widget_class_bind_template_callback (widget_class, on_notice_clicked);
  gtk_widget_class_bind_template_callback (widget_class, on_question_clicked);
  gtk_widget_class_bind_template_callback (widget_class, on_terminals_toggled);
  gtk_widget_class_bind_template_callback (widget_class, on_paned_moved);
  gtk_widget_class_bind_template_callback (widget_class, on_collapsed);
  gtk_widget_class_bind_template_callback (widget_class, on_map);
  gtk_widget_class_bind_template_callback (widget_class, interp_window_on_command);
  interp_window_install_actions (widget_class);
}

static void
interp_window_init (InterpWindow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));

  self->terminals = interp_terminal_pane_new ();
  adw_bin_set_child (self->terminals_bin, self->terminals);
  g_signal_connect_object (adw_style_manager_get_default (), "notify::dark", G_CALLBACK (update_dark), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self, "notify::focus-widget", G_CALLBACK (on_focus_widget), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self, "notify::visible-dialog", G_CALLBACK (update_question), self, G_CONNECT_SWAPPED);

  interp_shortcuts_install (GTK_WIDGET (self), INTERP_PLACE_WINDOW);
  interp_shortcuts_install (GTK_WIDGET (self->transcript), INTERP_PLACE_TRANSCRIPT);
  interp_shortcuts_install (GTK_WIDGET (self->composer), INTERP_PLACE_COMPOSER);
  interp_shortcuts_install (GTK_WIDGET (self), INTERP_PLACE_ANYWHERE);
}
