/* interp-terminal-page.c
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <glib/gi18n.h>

#include "terminal/interp-terminal-page.h"
#include "terminal/interp-terminal-view.h"

/* Entries kept for Up and Down. */
#define HISTORY_MAX 200

struct _InterpTerminalPage
{
  AdwBin parent_instance;

  AdwBanner *banner;
  GtkSearchBar *search_bar;
  GtkSearchEntry *search_entry;
  GtkScrolledWindow *scroller;
  GtkEventControllerFocus *terminal_focus;
  GtkTextView *entry;
  GtkLabel *placeholder;

  InterpTerminalView *view;
  InterpSession *session;
  InterpKernel *kernel;

  GPtrArray *history; /* char* */
  guint history_position;
};

G_DEFINE_FINAL_TYPE (InterpTerminalPage, interp_terminal_page, ADW_TYPE_BIN)

static char *
dup_entry_text (InterpTerminalPage *self)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (self->entry);
  GtkTextIter start, end;

  gtk_text_buffer_get_bounds (buffer, &start, &end);
  return gtk_text_buffer_get_text (buffer, &start, &end, TRUE);
}

static gboolean
kernel_is_busy (InterpTerminalPage *self)
{
  InterpKernelState state = interp_kernel_get_state (self->kernel);

  return state == INTERP_KERNEL_BUSY || state == INTERP_KERNEL_INTERRUPTING;
}

static void
update_actions (InterpTerminalPage *self)
{
  g_autofree char *text = dup_entry_text (self);
  gboolean has_text;

  gtk_widget_set_visible (GTK_WIDGET (self->placeholder), *text == '\0');
  has_text = *g_strstrip (text) != '\0';
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "page.run",
                                 has_text && !kernel_is_busy (self) && !interp_session_is_read_only (self->session));
}

static void
update_banner_button (InterpTerminalPage *self)
{
  gboolean is_there = gtk_event_controller_focus_contains_focus (self->terminal_focus);

  adw_banner_set_button_label (self->banner, is_there ? NULL : _ ("Go to _Terminal"));
}

static void
update_state (InterpTerminalPage *self)
{
  const char *title = interp_kernel_spec_get_title (interp_kernel_get_spec (self->kernel));
  g_autofree char *message = NULL;

  interp_terminal_view_set_live (self->view, kernel_is_busy (self));

  switch (interp_kernel_get_waiting (self->kernel))
    {
    case INTERP_WAITING_INPUT:
      /* Translators: %s is a language, "Python" */
      message = g_strdup_printf (_ ("%s waits for your input."), title);
      break;
    case INTERP_WAITING_PASSWORD:
      message = g_strdup (_ ("A password is asked for. What you type is not recorded."));
      break;
    case INTERP_WAITING_FULL_SCREEN:
      message = g_strdup (_ ("A full-screen program is running."));
      break;
    case INTERP_WAITING_NO:
    default:
      break;
    }

  if (message != NULL)
    {
      adw_banner_set_title (self->banner, message);
      if (!adw_banner_get_revealed (self->banner))
        gtk_accessible_announce (GTK_ACCESSIBLE (self), message, GTK_ACCESSIBLE_ANNOUNCEMENT_PRIORITY_HIGH);
    }
  adw_banner_set_revealed (self->banner, message != NULL);
  update_actions (self);
}

static void
on_banner_clicked (InterpTerminalPage *self)
{
  g_assert (INTERP_IS_TERMINAL_PAGE (self));

  gtk_widget_grab_focus (GTK_WIDGET (self->view));
}

static void
on_typed_while_idle (InterpTerminalPage *self, const char *text)
{
  g_assert (INTERP_IS_TERMINAL_PAGE (self));

  gtk_widget_grab_focus (GTK_WIDGET (self->entry));
  gtk_text_buffer_insert_at_cursor (gtk_text_view_get_buffer (self->entry), text, -1);
}

static void
on_search_changed (InterpTerminalPage *self)
{
  g_assert (INTERP_IS_TERMINAL_PAGE (self));

  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->search_entry));
  gboolean found = interp_terminal_view_search (self->view, text, TRUE);

  if (found)
    gtk_widget_remove_css_class (GTK_WIDGET (self->search_entry), "error");
  else
    gtk_widget_add_css_class (GTK_WIDGET (self->search_entry), "error");
}

static void
on_search_stopped (InterpTerminalPage *self)
{
  g_assert (INTERP_IS_TERMINAL_PAGE (self));

  gtk_search_bar_set_search_mode (self->search_bar, FALSE);
  interp_terminal_view_search (self->view, NULL, TRUE);
  gtk_widget_grab_focus (GTK_WIDGET (self->view));
}

static void
find_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  InterpTerminalPage *self = INTERP_TERMINAL_PAGE (widget);

  interp_terminal_view_search (self->view, gtk_editable_get_text (GTK_EDITABLE (self->search_entry)),
                               g_str_equal (name, "page.find-previous"));
}

static void
run_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  InterpTerminalPage *self = INTERP_TERMINAL_PAGE (widget);
  g_autofree char *code = dup_entry_text (self);
  g_autofree char *stripped = g_strstrip (g_strdup (code));

  if (*stripped == '\0' || kernel_is_busy (self))
    return;

  if (self->history->len >= HISTORY_MAX)
    g_ptr_array_remove_index (self->history, 0);
  g_ptr_array_add (self->history, g_strdup (code));
  self->history_position = self->history->len;

  gtk_text_buffer_set_text (gtk_text_view_get_buffer (self->entry), "", 0);
  interp_session_run_code (self->session, interp_kernel_spec_get_id (interp_kernel_get_spec (self->kernel)), code);
  gtk_widget_grab_focus (GTK_WIDGET (self->view));
}

static gboolean
recall (InterpTerminalPage *self, int step)
{
  int position = (int) self->history_position + step;

  if (position < 0 || position > (int) self->history->len)
    return FALSE;
  self->history_position = position;
  gtk_text_buffer_set_text (gtk_text_view_get_buffer (self->entry),
                            position < (int) self->history->len ? g_ptr_array_index (self->history, position) : "", -1);
  return TRUE;
}

static gboolean
on_entry_key_pressed (InterpTerminalPage *self, guint keyval, guint keycode, GdkModifierType state,
                      GtkEventController *controller)
{
  g_assert (INTERP_IS_TERMINAL_PAGE (self));

  GtkTextBuffer *buffer = gtk_text_view_get_buffer (self->entry);
  GtkTextIter cursor;

  /* An input method that is composing takes Enter and the arrows first. */
  if (gtk_text_view_im_context_filter_keypress (self->entry, gtk_event_controller_get_current_event (controller)))
    return GDK_EVENT_STOP;

  gtk_text_buffer_get_iter_at_mark (buffer, &cursor, gtk_text_buffer_get_insert (buffer));
  switch (keyval)
    {
    case GDK_KEY_Return:
    case GDK_KEY_KP_Enter:
      if ((state & GDK_SHIFT_MASK) != 0)
        return GDK_EVENT_PROPAGATE;
      gtk_widget_activate_action (GTK_WIDGET (self), "page.run", NULL);
      return GDK_EVENT_STOP;
    case GDK_KEY_Up:
      return gtk_text_iter_get_line (&cursor) == 0 && recall (self, -1);
    case GDK_KEY_Down:
      return gtk_text_iter_get_line (&cursor) == gtk_text_buffer_get_line_count (buffer) - 1 && recall (self, 1);
    default:
      return GDK_EVENT_PROPAGATE;
    }
}

InterpKernel *
interp_terminal_page_get_kernel (InterpTerminalPage *self)
{
  g_return_val_if_fail (INTERP_IS_TERMINAL_PAGE (self), NULL);

  return self->kernel;
}

void
interp_terminal_page_focus (InterpTerminalPage *self)
{
  g_return_if_fail (INTERP_IS_TERMINAL_PAGE (self));

  gtk_widget_grab_focus (kernel_is_busy (self) ? GTK_WIDGET (self->view) : GTK_WIDGET (self->entry));
}

void
interp_terminal_page_begin_search (InterpTerminalPage *self)
{
  g_return_if_fail (INTERP_IS_TERMINAL_PAGE (self));

  gtk_search_bar_set_search_mode (self->search_bar, TRUE);
  gtk_widget_grab_focus (GTK_WIDGET (self->search_entry));
}

void
interp_terminal_page_activate (InterpTerminalPage *self, const char *action)
{
  g_return_if_fail (INTERP_IS_TERMINAL_PAGE (self));

  const char *verb = strchr (action, '.');
  g_autofree char *name = g_strconcat ("terminal", verb ? verb : "", NULL);

  gtk_widget_activate_action (GTK_WIDGET (self->view), name, NULL);
}

void
interp_terminal_page_save (InterpTerminalPage *self, GFile *file)
{
  g_return_if_fail (INTERP_IS_TERMINAL_PAGE (self));

  interp_terminal_view_save (self->view, file);
}

void
interp_terminal_page_shown (InterpTerminalPage *self)
{
  g_return_if_fail (INTERP_IS_TERMINAL_PAGE (self));

  interp_terminal_view_claim (self->view);
}

static void
begin_search_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  interp_terminal_page_begin_search (INTERP_TERMINAL_PAGE (widget));
}

static void
interp_terminal_page_dispose (GObject *object)
{
  InterpTerminalPage *self = INTERP_TERMINAL_PAGE (object);

  gtk_widget_dispose_template (GTK_WIDGET (self), INTERP_TYPE_TERMINAL_PAGE);
  g_clear_object (&self->kernel);
  g_clear_object (&self->session);

  G_OBJECT_CLASS (interp_terminal_page_parent_class)->dispose (object);
}

static void
interp_terminal_page_finalize (GObject *object)
{
  InterpTerminalPage *self = INTERP_TERMINAL_PAGE (object);

  g_clear_pointer (&self->history, g_ptr_array_unref);

  G_OBJECT_CLASS (interp_terminal_page_parent_class)->finalize (object);
}

static void
interp_terminal_page_class_init (InterpTerminalPageClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = interp_terminal_page_dispose;
  object_class->finalize = interp_terminal_page_finalize;

  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/interpreter_app/Interpreter/ui/interp-terminal-page.ui");
  gtk_widget_class_bind_template_child (widget_class, InterpTerminalPage, banner);
  gtk_widget_class_bind_template_child (widget_class, InterpTerminalPage, search_bar);
  gtk_widget_class_bind_template_child (widget_class, InterpTerminalPage, search_entry);
  gtk_widget_class_bind_template_child (widget_class, InterpTerminalPage, scroller);
  gtk_widget_class_bind_template_child (widget_class, InterpTerminalPage, terminal_focus);
  gtk_widget_class_bind_template_child (widget_class, InterpTerminalPage, entry);
  gtk_widget_class_bind_template_child (widget_class, InterpTerminalPage, placeholder);

  gtk_widget_class_install_action (widget_class, "page.run", NULL, run_action);
  gtk_widget_class_install_action (widget_class, "page.find", NULL, begin_search_action);
  gtk_widget_class_install_action (widget_class, "page.find-previous", NULL, find_action);
  gtk_widget_class_install_action (widget_class, "page.find-next", NULL, find_action);
}

static void
interp_terminal_page_init (InterpTerminalPage *self)
{
  self->history = g_ptr_array_new_with_free_func (g_free);
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_search_bar_connect_entry (self->search_bar, GTK_EDITABLE (self->search_entry));

  g_signal_connect_object (self->banner, "button-clicked", G_CALLBACK (on_banner_clicked), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->terminal_focus, "notify::contains-focus", G_CALLBACK (update_banner_button), self,
                           G_CONNECT_SWAPPED);
  update_banner_button (self);
  g_signal_connect_object (self->search_entry, "search-changed", G_CALLBACK (on_search_changed), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->search_entry, "stop-search", G_CALLBACK (on_search_stopped), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (gtk_text_view_get_buffer (self->entry), "changed", G_CALLBACK (update_actions), self,
                           G_CONNECT_SWAPPED);

  GtkEventController *keys = gtk_event_controller_key_new ();
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect_object (keys, "key-pressed", G_CALLBACK (on_entry_key_pressed), self, G_CONNECT_SWAPPED);
  gtk_widget_add_controller (GTK_WIDGET (self->entry), keys);
}

InterpTerminalPage *
interp_terminal_page_new (InterpSession *session, InterpKernel *kernel, InterpSettings *settings)
{
  InterpTerminalPage *self = g_object_new (INTERP_TYPE_TERMINAL_PAGE, NULL);
  const char *title = interp_kernel_spec_get_title (interp_kernel_get_spec (kernel));
  /* Translators: %s is a language, "Python" */
  g_autofree char *placeholder = g_strdup_printf (_ ("Run %s code of your own"), title);

  gtk_label_set_label (self->placeholder, placeholder);
  self->session = g_object_ref (session);
  self->kernel = g_object_ref (kernel);
  self->view = interp_terminal_view_new (interp_kernel_get_pty (kernel), settings);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->view), GTK_ACCESSIBLE_PROPERTY_LABEL, title, -1);
  gtk_scrolled_window_set_child (self->scroller, GTK_WIDGET (self->view));

  g_signal_connect_object (self->view, "typed-while-idle", G_CALLBACK (on_typed_while_idle), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (kernel, "notify::state", G_CALLBACK (update_state), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (kernel, "notify::waiting", G_CALLBACK (update_state), self, G_CONNECT_SWAPPED);
  update_state (self);
  return self;
}
