/* interp-terminal-view.c
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#define PCRE2_CODE_UNIT_WIDTH 0
#include <pcre2.h>

#include "terminal/interp-terminal-view.h"

#define SCROLLBACK_LINES 10000
#define MIN_SCALE 0.5
#define MAX_SCALE 4.0
/* An escape-only replay changes nothing that VTE would tell of. */
#define REPLAY_TIMEOUT_MSEC 250

static const char URL_PATTERN[] = "\\bhttps?://[-A-Za-z0-9+&@#/%?=~_|!:,.;()]*[-A-Za-z0-9+&@#/%=~_|]";

struct _InterpTerminalView
{
  VteTerminal parent_instance;

  InterpPty *pty;
  InterpPtyView *attached;
  InterpSettings *settings;

  /* Live bytes that came while history was still being parsed: VTE answers queries when it parses, and old ones must
   * not be answered. */
  GByteArray *held;
  GString *typed; /* meanwhile */
  guint replay_timeout;
  gboolean replaying;
  gboolean live;

  long columns;
  long rows;
};

G_DEFINE_FINAL_TYPE (InterpTerminalView, interp_terminal_view, VTE_TYPE_TERMINAL)

enum
{
  TYPED_WHILE_IDLE,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

/* GNOME's palette; each face is readable on its own background. */
static const char *const palette_colors[16] = {
  "#241f31", "#c01c28", "#2ec27e", "#b58900", "#1e78e4", "#9841bb", "#0ab9dc", "#c0bfbc",
  "#5e5c64", "#ed333b", "#57e389", "#c88800", "#51a1ff", "#c061cb", "#4fd2fd", "#f6f5f4",
};
static const char *const palette_colors_light[16] = {
  "#171421", "#a51d2d", "#1b7f4d", "#8a5a00", "#1a5fb4", "#813d9c", "#0b6e83", "#5e5c64",
  "#3d3846", "#c01c28", "#26744c", "#865e00", "#1c71d8", "#813d9c", "#0b6e83", "#77767b",
};

static void
update_colors (InterpTerminalView *self)
{
  AdwStyleManager *manager = adw_style_manager_get_default ();
  gboolean dark = adw_style_manager_get_dark (manager);
  gboolean high_contrast = adw_style_manager_get_high_contrast (manager);
  const char *const *names = dark ? palette_colors : palette_colors_light;
  GdkRGBA foreground, background, palette[16];

  gdk_rgba_parse (&foreground,
                  dark ? (high_contrast ? "#ffffff" : "#f6f5f4") : (high_contrast ? "#000000" : "#241f31"));
  gdk_rgba_parse (&background, dark ? (high_contrast ? "#000000" : "#1d1d20") : "#ffffff");
  for (guint i = 0; i < G_N_ELEMENTS (palette); i++)
    gdk_rgba_parse (&palette[i], names[i]);
  vte_terminal_set_colors (VTE_TERMINAL (self), &foreground, &background, palette, G_N_ELEMENTS (palette));
}

static void
update_font (InterpTerminalView *self)
{
  AdwStyleManager *manager = adw_style_manager_get_default ();
  const char *name = adw_style_manager_get_monospace_font_name (manager);
  g_autoptr (PangoFontDescription) font = pango_font_description_from_string (name ? name : "Monospace 11");

  vte_terminal_set_font (VTE_TERMINAL (self), font);
}

static void
set_scale (InterpTerminalView *self, double scale)
{
  scale = CLAMP (scale, MIN_SCALE, MAX_SCALE);
  vte_terminal_set_font_scale (VTE_TERMINAL (self), scale);
  if (self->settings != NULL)
    interp_settings_set_double (self->settings, "terminal-scale", scale);
}

static void
on_settings_changed (InterpTerminalView *self)
{
  g_assert (INTERP_IS_TERMINAL_VIEW (self));

  double scale = interp_settings_get_double (self->settings, "terminal-scale");
  if (scale != vte_terminal_get_font_scale (VTE_TERMINAL (self)))
    vte_terminal_set_font_scale (VTE_TERMINAL (self), CLAMP (scale, MIN_SCALE, MAX_SCALE));
}

static void
update_input (InterpTerminalView *self)
{
  vte_terminal_set_input_enabled (VTE_TERMINAL (self), self->live && !self->replaying);
}

static void
end_replay (InterpTerminalView *self)
{
  if (!self->replaying)
    return;
  g_clear_handle_id (&self->replay_timeout, g_source_remove);
  self->replaying = FALSE;
  update_input (self);
  if (self->typed->len > 0 && self->attached != NULL)
    interp_pty_write (self->pty, self->typed->str, self->typed->len);
  g_string_truncate (self->typed, 0);
  if (self->held->len > 0)
    {
      vte_terminal_feed (VTE_TERMINAL (self), (const char *) self->held->data, self->held->len);
      g_byte_array_set_size (self->held, 0);
    }
}

static gboolean
on_replay_timeout (gpointer user_data)
{
  InterpTerminalView *self = user_data;

  self->replay_timeout = 0;
  end_replay (self);
  return G_SOURCE_REMOVE;
}

static void
on_feed (const char *bytes, gsize length, gboolean replay, gpointer user_data)
{
  InterpTerminalView *self = user_data;

  if (replay)
    {
      self->replaying = TRUE;
      update_input (self);
      vte_terminal_feed (VTE_TERMINAL (self), bytes, length);
      if (self->replay_timeout == 0)
        self->replay_timeout = g_timeout_add (REPLAY_TIMEOUT_MSEC, on_replay_timeout, self);
    }
  else if (self->replaying)
    g_byte_array_append (self->held, (const guint8 *) bytes, length);
  else
    vte_terminal_feed (VTE_TERMINAL (self), bytes, length);
}

static void
on_contents_changed (InterpTerminalView *self)
{
  g_assert (INTERP_IS_TERMINAL_VIEW (self));

  end_replay (self);
  if (self->attached != NULL)
    interp_pty_view_acknowledge (self->attached);
}

static void
on_commit (InterpTerminalView *self, const char *text, guint size)
{
  g_assert (INTERP_IS_TERMINAL_VIEW (self));

  if (!self->replaying && self->attached != NULL)
    interp_pty_write (self->pty, text, size);
}

void
interp_terminal_view_claim (InterpTerminalView *self)
{
  g_return_if_fail (INTERP_IS_TERMINAL_VIEW (self));

  self->columns = vte_terminal_get_column_count (VTE_TERMINAL (self));
  self->rows = vte_terminal_get_row_count (VTE_TERMINAL (self));
  if (self->attached != NULL && gtk_widget_get_mapped (GTK_WIDGET (self)))
    interp_pty_view_claim (self->attached, self->columns, self->rows);
}

static void
interp_terminal_view_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  InterpTerminalView *self = INTERP_TERMINAL_VIEW (widget);

  GTK_WIDGET_CLASS (interp_terminal_view_parent_class)->size_allocate (widget, width, height, baseline);

  /* Catches resizing and zooming alike: without a PTY of its own VTE tells of neither. */
  if (vte_terminal_get_column_count (VTE_TERMINAL (self)) != self->columns
      || vte_terminal_get_row_count (VTE_TERMINAL (self)) != self->rows)
    interp_terminal_view_claim (self);
}

static void
interp_terminal_view_map (GtkWidget *widget)
{
  InterpTerminalView *self = INTERP_TERMINAL_VIEW (widget);

  GTK_WIDGET_CLASS (interp_terminal_view_parent_class)->map (widget);
  if (self->attached != NULL)
    interp_pty_view_set_hidden (self->attached, FALSE);
  interp_terminal_view_claim (self);
}

static void
interp_terminal_view_unmap (GtkWidget *widget)
{
  InterpTerminalView *self = INTERP_TERMINAL_VIEW (widget);

  if (self->attached != NULL)
    interp_pty_view_set_hidden (self->attached, TRUE);
  GTK_WIDGET_CLASS (interp_terminal_view_parent_class)->unmap (widget);
}

static gboolean
on_key_pressed (InterpTerminalView *self, guint keyval, guint keycode, GdkModifierType state)
{
  g_assert (INTERP_IS_TERMINAL_VIEW (self));

  if ((self->live && !self->replaying) || (state & (GDK_CONTROL_MASK | GDK_ALT_MASK | GDK_SUPER_MASK)) != 0)
    return GDK_EVENT_PROPAGATE;

  gunichar character = gdk_keyval_to_unicode (keyval);
  if (self->live && (keyval == GDK_KEY_Return || keyval == GDK_KEY_KP_Enter))
    character = '\r';
  else if (character == 0 || !g_unichar_isprint (character))
    return GDK_EVENT_PROPAGATE;

  if (self->live)
    {
      g_string_append_unichar (self->typed, character);
      return GDK_EVENT_STOP;
    }

  char text[8] = { 0 };
  g_unichar_to_utf8 (character, text);
  g_signal_emit (self, signals[TYPED_WHILE_IDLE], 0, text);
  return GDK_EVENT_STOP;
}

/* ---- links ---- */

static void
open_link (InterpTerminalView *self, const char *uri)
{
  g_autoptr (GtkUriLauncher) launcher = gtk_uri_launcher_new (uri);

  gtk_uri_launcher_launch (launcher, GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (self))), NULL, NULL, NULL);
}

static void
on_link_response (AdwAlertDialog *dialog, const char *response, gpointer user_data)
{
  if (g_str_equal (response, "open"))
    open_link (user_data, g_object_get_data (G_OBJECT (dialog), "uri"));
}

/* A link's text comes from the code and may lie about where it leads: show where. */
static void
confirm_link (InterpTerminalView *self, const char *uri)
{
  AdwDialog *dialog = adw_alert_dialog_new (_ ("Open This Link?"), NULL);

  adw_alert_dialog_set_body (ADW_ALERT_DIALOG (dialog), uri);
  adw_alert_dialog_add_responses (ADW_ALERT_DIALOG (dialog), "cancel", _ ("_Cancel"), "open", _ ("_Open"), NULL);
  adw_alert_dialog_set_close_response (ADW_ALERT_DIALOG (dialog), "cancel");
  g_object_set_data_full (G_OBJECT (dialog), "uri", g_strdup (uri), g_free);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_link_response), self, G_CONNECT_DEFAULT);
  adw_dialog_present (dialog, GTK_WIDGET (self));
}

static gboolean
may_open (const char *uri)
{
  g_autofree char *scheme = g_uri_parse_scheme (uri);

  return scheme != NULL
         && (g_ascii_strcasecmp (scheme, "http") == 0 || g_ascii_strcasecmp (scheme, "https") == 0
             || g_ascii_strcasecmp (scheme, "mailto") == 0);
}

static void
on_click (InterpTerminalView *self, int n_press, double x, double y, GtkGestureClick *gesture)
{
  g_assert (INTERP_IS_TERMINAL_VIEW (self));

  GdkModifierType state = gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (gesture));
  if ((state & GDK_CONTROL_MASK) == 0)
    return;

  g_autofree char *hyperlink = vte_terminal_check_hyperlink_at (VTE_TERMINAL (self), x, y);
  if (hyperlink != NULL)
    {
      if (may_open (hyperlink))
        {
          gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
          confirm_link (self, hyperlink);
        }
      return;
    }

  int tag;
  g_autofree char *match = vte_terminal_check_match_at (VTE_TERMINAL (self), x, y, &tag);
  if (match != NULL && may_open (match))
    {
      gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
      open_link (self, match);
    }
}

/* ---- search ---- */

gboolean
interp_terminal_view_search (InterpTerminalView *self, const char *text, gboolean backwards)
{
  g_return_val_if_fail (INTERP_IS_TERMINAL_VIEW (self), FALSE);

  if (text == NULL || *text == '\0')
    {
      vte_terminal_search_set_regex (VTE_TERMINAL (self), NULL, 0);
      vte_terminal_unselect_all (VTE_TERMINAL (self));
      return TRUE;
    }

  g_autofree char *pattern = g_regex_escape_string (text, -1);
  g_autoptr (VteRegex) regex
      = vte_regex_new_for_search (pattern, -1, PCRE2_UTF | PCRE2_NO_UTF_CHECK | PCRE2_MULTILINE | PCRE2_CASELESS, NULL);
  if (regex == NULL)
    return FALSE;
  vte_terminal_search_set_regex (VTE_TERMINAL (self), regex, 0);
  vte_terminal_search_set_wrap_around (VTE_TERMINAL (self), TRUE);
  return backwards ? vte_terminal_search_find_previous (VTE_TERMINAL (self))
                   : vte_terminal_search_find_next (VTE_TERMINAL (self));
}

/* ---- saving ---- */

static void
on_saved (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (InterpTerminalView) self = user_data;
  g_autoptr (GError) error = NULL;

  if (!g_file_replace_contents_finish (G_FILE (source), result, NULL, &error)
      && gtk_widget_get_root (GTK_WIDGET (self)) != NULL)
    {
      AdwDialog *dialog = adw_alert_dialog_new (_ ("The Log Could Not Be Saved"), error->message);

      adw_alert_dialog_add_response (ADW_ALERT_DIALOG (dialog), "close", _ ("_Close"));
      adw_dialog_present (dialog, GTK_WIDGET (self));
    }
}

void
interp_terminal_view_save (InterpTerminalView *self, GFile *file)
{
  g_return_if_fail (INTERP_IS_TERMINAL_VIEW (self));

  g_autoptr (GOutputStream) memory = g_memory_output_stream_new_resizable ();
  if (!vte_terminal_write_contents_sync (VTE_TERMINAL (self), memory, VTE_WRITE_DEFAULT, NULL, NULL)
      || !g_output_stream_close (memory, NULL, NULL))
    return;

  g_autoptr (GBytes) bytes = g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (memory));
  g_file_replace_contents_bytes_async (file, bytes, NULL, FALSE, G_FILE_CREATE_PRIVATE, NULL, on_saved,
                                       g_object_ref (self));
}

/* ---- actions ---- */

static void
copy_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  vte_terminal_copy_clipboard_format (VTE_TERMINAL (widget), VTE_FORMAT_TEXT);
}

static void
paste_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  vte_terminal_paste_clipboard (VTE_TERMINAL (widget));
}

static void
select_all_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  vte_terminal_select_all (VTE_TERMINAL (widget));
}

static void
clear_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  vte_terminal_reset (VTE_TERMINAL (widget), TRUE, TRUE);
}

static void
zoom_in_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  set_scale (INTERP_TERMINAL_VIEW (widget), vte_terminal_get_font_scale (VTE_TERMINAL (widget)) * 1.1);
}

static void
zoom_out_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  set_scale (INTERP_TERMINAL_VIEW (widget), vte_terminal_get_font_scale (VTE_TERMINAL (widget)) / 1.1);
}

static void
zoom_normal_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  set_scale (INTERP_TERMINAL_VIEW (widget), 1.0);
}

static void
interp_terminal_view_dispose (GObject *object)
{
  InterpTerminalView *self = INTERP_TERMINAL_VIEW (object);

  g_clear_handle_id (&self->replay_timeout, g_source_remove);
  g_clear_pointer (&self->attached, interp_pty_view_detach);
  g_clear_object (&self->pty);
  g_clear_object (&self->settings);

  G_OBJECT_CLASS (interp_terminal_view_parent_class)->dispose (object);
}

static void
interp_terminal_view_finalize (GObject *object)
{
  InterpTerminalView *self = INTERP_TERMINAL_VIEW (object);

  g_clear_pointer (&self->held, g_byte_array_unref);
  g_string_free (self->typed, TRUE);

  G_OBJECT_CLASS (interp_terminal_view_parent_class)->finalize (object);
}

static void
interp_terminal_view_class_init (InterpTerminalViewClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = interp_terminal_view_dispose;
  object_class->finalize = interp_terminal_view_finalize;
  widget_class->size_allocate = interp_terminal_view_size_allocate;
  widget_class->map = interp_terminal_view_map;
  widget_class->unmap = interp_terminal_view_unmap;

  signals[TYPED_WHILE_IDLE] = g_signal_new ("typed-while-idle", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                            NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);

  gtk_widget_class_install_action (widget_class, "terminal.copy", NULL, copy_action);
  gtk_widget_class_install_action (widget_class, "terminal.paste", NULL, paste_action);
  gtk_widget_class_install_action (widget_class, "terminal.select-all", NULL, select_all_action);
  gtk_widget_class_install_action (widget_class, "terminal.clear", NULL, clear_action);
  gtk_widget_class_install_action (widget_class, "terminal.zoom-in", NULL, zoom_in_action);
  gtk_widget_class_install_action (widget_class, "terminal.zoom-out", NULL, zoom_out_action);
  gtk_widget_class_install_action (widget_class, "terminal.zoom-normal", NULL, zoom_normal_action);
}

static void
add_shortcuts (InterpTerminalView *self)
{
  static const struct
  {
    const char *trigger;
    const char *action;
  } shortcuts[] = {
    { "<Control><Shift>c", "terminal.copy" },
    { "<Control><Shift>v", "terminal.paste" },
    { "<Control><Shift>a", "terminal.select-all" },
    { "<Control>plus|<Control>equal|<Control>KP_Add", "terminal.zoom-in" },
    { "<Control>minus|<Control>KP_Subtract", "terminal.zoom-out" },
    { "<Control>0|<Control>KP_0", "terminal.zoom-normal" },
  };
  GtkEventController *controller = gtk_shortcut_controller_new ();

  /* VTE sends every key it sees to the program; these are ours first. */
  gtk_event_controller_set_propagation_phase (controller, GTK_PHASE_CAPTURE);
  for (guint i = 0; i < G_N_ELEMENTS (shortcuts); i++)
    gtk_shortcut_controller_add_shortcut (GTK_SHORTCUT_CONTROLLER (controller),
                                          gtk_shortcut_new (gtk_shortcut_trigger_parse_string (shortcuts[i].trigger),
                                                            gtk_named_action_new (shortcuts[i].action)));
  gtk_widget_add_controller (GTK_WIDGET (self), controller);
}

static void
add_context_menu (InterpTerminalView *self)
{
  g_autoptr (GMenu) menu = g_menu_new ();
  g_autoptr (GMenu) view = g_menu_new ();

  g_menu_append (menu, _ ("_Copy"), "terminal.copy");
  g_menu_append (menu, _ ("_Paste"), "terminal.paste");
  g_menu_append (menu, _ ("Select _All"), "terminal.select-all");
  g_menu_append (view, _ ("C_lear"), "terminal.clear");
  g_menu_append (view, _ ("Zoom _In"), "terminal.zoom-in");
  g_menu_append (view, _ ("Zoom _Out"), "terminal.zoom-out");
  g_menu_append_section (menu, NULL, G_MENU_MODEL (view));
  vte_terminal_set_context_menu_model (VTE_TERMINAL (self), G_MENU_MODEL (menu));
}

static void
interp_terminal_view_init (InterpTerminalView *self)
{
  VteTerminal *terminal = VTE_TERMINAL (self);
  AdwStyleManager *manager = adw_style_manager_get_default ();

  self->held = g_byte_array_new ();
  self->typed = g_string_new (NULL);

  vte_terminal_set_scrollback_lines (terminal, SCROLLBACK_LINES);
  vte_terminal_set_allow_hyperlink (terminal, TRUE);
  vte_terminal_set_bold_is_bright (terminal, FALSE);
  vte_terminal_set_mouse_autohide (terminal, TRUE);
  vte_terminal_set_scroll_unit_is_pixels (terminal, TRUE);
  vte_terminal_set_enable_fallback_scrolling (terminal, FALSE);
  vte_terminal_set_enable_a11y (terminal, TRUE);
  vte_terminal_set_input_enabled (terminal, FALSE);

  g_autoptr (VteRegex) regex
      = vte_regex_new_for_match (URL_PATTERN, -1, PCRE2_UTF | PCRE2_NO_UTF_CHECK | PCRE2_MULTILINE, NULL);
  if (regex != NULL)
    vte_terminal_match_set_cursor_name (terminal, vte_terminal_match_add_regex (terminal, regex, 0), "pointer");

  /* VTE looks for handlers before it emits: its class's functions are never called. */
  g_signal_connect (self, "commit", G_CALLBACK (on_commit), NULL);
  g_signal_connect (self, "contents-changed", G_CALLBACK (on_contents_changed), NULL);
  g_signal_connect_object (manager, "notify::dark", G_CALLBACK (update_colors), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (manager, "notify::high-contrast", G_CALLBACK (update_colors), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (manager, "notify::monospace-font-name", G_CALLBACK (update_font), self, G_CONNECT_SWAPPED);
  update_colors (self);
  update_font (self);

  GtkEventController *keys = gtk_event_controller_key_new ();
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect_object (keys, "key-pressed", G_CALLBACK (on_key_pressed), self, G_CONNECT_SWAPPED);
  gtk_widget_add_controller (GTK_WIDGET (self), keys);

  GtkGesture *click = gtk_gesture_click_new ();
  gtk_event_controller_set_propagation_phase (GTK_EVENT_CONTROLLER (click), GTK_PHASE_CAPTURE);
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (click), GDK_BUTTON_PRIMARY);
  g_signal_connect_object (click, "pressed", G_CALLBACK (on_click), self, G_CONNECT_SWAPPED);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (click));

  add_shortcuts (self);
  add_context_menu (self);
}

void
interp_terminal_view_set_live (InterpTerminalView *self, gboolean live)
{
  g_return_if_fail (INTERP_IS_TERMINAL_VIEW (self));

  self->live = live;
  update_input (self);
}

InterpTerminalView *
interp_terminal_view_new (InterpPty *pty, InterpSettings *settings)
{
  InterpTerminalView *self = g_object_new (INTERP_TYPE_TERMINAL_VIEW, NULL);

  g_return_val_if_fail (INTERP_IS_PTY (pty), NULL);

  self->pty = g_object_ref (pty);
  if (settings != NULL)
    {
      self->settings = g_object_ref (settings);
      g_signal_connect_object (settings, "changed::terminal-scale", G_CALLBACK (on_settings_changed), self,
                               G_CONNECT_SWAPPED);
      on_settings_changed (self);
    }
  self->attached = interp_pty_attach (pty, on_feed, self);
  return self;
}
