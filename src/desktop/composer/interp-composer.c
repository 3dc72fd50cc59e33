/* interp-composer.c: where the user writes
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "composer/interp-composer.h"

#include <glib/gi18n.h>
#include <gtksourceview/gtksource.h>
#include <math.h>
#include <string.h>
#ifdef HAVE_LIBSPELLING
#include <libspelling.h>
#endif

#include "base/interp-paths.h"
#include "composer/interp-queue-view.h"
#include "composer/interp-slash-commands.h"
#include "composer/interp-slash-popover.h"
#include "models/interp-model-button.h"

#define MAX_LINES 8
/* Computing how full the context is costs a walk over the chat. */
#define METER_DELAY 400

struct _InterpComposer
{
  AdwBin parent_instance;

  InterpQueueView *queue;
  GtkWidget *frame;
  AdwWrapBox *attachments;
  GtkScrolledWindow *scroller;
  GtkTextView *text;
  GtkWidget *placeholder;
  AdwBin *model_bin;
  GtkLabel *meter;
  GtkWidget *stop_button;
  GtkWidget *stop_label;
  GtkWidget *send_button;
  InterpSlashPopover *popover;
  GtkWidget *model_button;

  InterpEngine *engine;
  InterpSession *session;
  gboolean loading; /* the text is being put there by us */
  guint meter_source;
};

enum
{
  COMMAND,
  N_SIGNALS,
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (InterpComposer, interp_composer, ADW_TYPE_BIN)

static GtkTextBuffer *
get_buffer (InterpComposer *self)
{
  return gtk_text_view_get_buffer (self->text);
}

static char *
dup_text (InterpComposer *self)
{
  GtkTextIter begin, end;

  gtk_text_buffer_get_bounds (get_buffer (self), &begin, &end);
  return gtk_text_buffer_get_text (get_buffer (self), &begin, &end, FALSE);
}

static void
load_text (InterpComposer *self, const char *text)
{
  GtkTextBuffer *buffer = get_buffer (self);

  self->loading = TRUE;
  gtk_text_buffer_begin_irreversible_action (buffer);
  gtk_text_buffer_set_text (buffer, text ? text : "", -1);
  gtk_text_buffer_end_irreversible_action (buffer);
  self->loading = FALSE;
}

/* ---- how full the model's memory is ---- */

static gboolean
update_meter (gpointer user_data)
{
  InterpComposer *self = user_data;
  InterpModel *model = self->session ? interp_session_get_model (self->session) : NULL;
  gint64 window = model ? interp_session_get_window (self->session) : 0;
  gint64 tokens = 0;

  self->meter_source = 0;
  if (model)
    g_free (interp_session_describe_request (self->session, &tokens));
  gtk_widget_set_visible (GTK_WIDGET (self->meter), model && window > 0 && tokens > 0);
  if (model && window > 0 && tokens > 0)
    {
      int percent = (int) CLAMP (ceil (100.0 * (double) tokens / (double) window), 1, 100);
      /* Translators: how much of the model's context is used, "12 %" */
      g_autofree char *label = g_strdup_printf (_ ("%d %%"), percent);
      g_autofree char *tooltip
          = g_strdup_printf (_ ("About %'lld of the %'lld tokens that the model can take in at once"),
                             (long long) tokens, (long long) window);

      gtk_label_set_label (self->meter, label);
      gtk_widget_set_tooltip_text (GTK_WIDGET (self->meter), tooltip);
      gtk_accessible_update_property (GTK_ACCESSIBLE (self->meter), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, tooltip, -1);
      if (percent >= 80)
        gtk_widget_add_css_class (GTK_WIDGET (self->meter), "warning");
      else
        gtk_widget_remove_css_class (GTK_WIDGET (self->meter), "warning");
    }
  return G_SOURCE_REMOVE;
}

static void
queue_meter (InterpComposer *self)
{
  if (self->meter_source == 0)
    self->meter_source = g_timeout_add (METER_DELAY, update_meter, self);
}

/* ---- attachments: kept with the chat until sent ---- */

static GStrv
get_attachments (InterpComposer *self)
{
  return self->session ? g_object_get_data (G_OBJECT (self->session), "interp-attachments") : NULL;
}

static void show_attachments (InterpComposer *self);

static void
set_attachments (InterpComposer *self, GStrv paths)
{
  if (self->session)
    g_object_set_data_full (G_OBJECT (self->session), "interp-attachments", paths, (GDestroyNotify) g_strfreev);
  else
    g_strfreev (paths);
  show_attachments (self);
}

static void
on_detach (InterpComposer *self, GtkButton *button)
{
  const char *path = g_object_get_data (G_OBJECT (button), "interp-path");
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  GStrv paths = get_attachments (self);

  for (guint i = 0; paths && paths[i]; i++)
    if (!g_str_equal (paths[i], path))
      g_strv_builder_add (builder, paths[i]);
  set_attachments (self, g_strv_builder_end (builder));
}

static void
show_attachments (InterpComposer *self)
{
  GStrv paths = get_attachments (self);
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->attachments))))
    adw_wrap_box_remove (self->attachments, child);
  for (guint i = 0; paths && paths[i]; i++)
    {
      g_autofree char *name = g_path_get_basename (paths[i]);
      g_autofree char *remove = g_strdup_printf (_ ("Remove %s"), name);
      GtkWidget *chip = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
      GtkWidget *label = gtk_label_new (name);
      GtkWidget *button = gtk_button_new_from_icon_name ("window-close-symbolic");

      gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
      gtk_label_set_max_width_chars (GTK_LABEL (label), 24);
      gtk_widget_set_tooltip_text (label, paths[i]);
      gtk_widget_set_tooltip_text (button, remove);
      gtk_widget_add_css_class (button, "flat");
      gtk_widget_add_css_class (button, "circular");
      gtk_widget_add_css_class (button, "small-button");
      gtk_widget_add_css_class (chip, "chip");
      g_object_set_data_full (G_OBJECT (button), "interp-path", g_strdup (paths[i]), g_free);
      g_signal_connect_object (button, "clicked", G_CALLBACK (on_detach), self, G_CONNECT_SWAPPED);
      gtk_box_append (GTK_BOX (chip), label);
      gtk_box_append (GTK_BOX (chip), button);
      adw_wrap_box_append (self->attachments, chip);
    }
  gtk_widget_set_visible (GTK_WIDGET (self->attachments), paths && paths[0]);
}

void
interp_composer_attach (InterpComposer *self, const char *const *paths)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  GStrv present;

  g_return_if_fail (INTERP_IS_COMPOSER (self));

  present = get_attachments (self);
  if (present)
    g_strv_builder_addv (builder, (const char **) present);
  for (guint i = 0; paths && paths[i]; i++)
    if (!present || !g_strv_contains ((const char *const *) present, paths[i]))
      g_strv_builder_add (builder, paths[i]);
  set_attachments (self, g_strv_builder_end (builder));
  gtk_widget_grab_focus (GTK_WIDGET (self->text));
}

static void
attach_files (InterpComposer *self, GSList *files)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) paths = NULL;

  for (GSList *l = files; l; l = l->next)
    {
      char *path = g_file_get_path (l->data);

      if (path)
        g_strv_builder_take (builder, path);
    }
  paths = g_strv_builder_end (builder);
  interp_composer_attach (self, (const char *const *) paths);
}

static void
on_files_chosen (GObject *dialog, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (InterpComposer) self = user_data;
  g_autoptr (GListModel) files = gtk_file_dialog_open_multiple_finish (GTK_FILE_DIALOG (dialog), result, NULL);
  GSList *list = NULL;

  if (!files)
    return;
  for (guint i = g_list_model_get_n_items (files); i-- > 0;)
    list = g_slist_prepend (list, g_list_model_get_item (files, i));
  attach_files (self, list);
  g_slist_free_full (list, g_object_unref);
}

static void
attach (GtkWidget *widget, const char *action, GVariant *parameter)
{
  InterpComposer *self = INTERP_COMPOSER (widget);
  g_autoptr (GtkFileDialog) dialog = gtk_file_dialog_new ();
  GtkRoot *root = gtk_widget_get_root (widget);

  gtk_file_dialog_set_title (dialog, _ ("Attach Files"));
  if (self->session && interp_session_get_folder (self->session))
    {
      g_autoptr (GFile) folder = g_file_new_for_path (interp_session_get_folder (self->session));

      gtk_file_dialog_set_initial_folder (dialog, folder);
    }
  gtk_file_dialog_open_multiple (dialog, GTK_IS_WINDOW (root) ? GTK_WINDOW (root) : NULL, NULL, on_files_chosen,
                                 g_object_ref (self));
}

static gboolean
on_drop (InterpComposer *self, const GValue *value, double x, double y, GtkDropTarget *target)
{
  if (!G_VALUE_HOLDS (value, GDK_TYPE_FILE_LIST))
    return FALSE;
  attach_files (self, g_value_get_boxed (value));
  return TRUE;
}

static void
on_files_pasted (GObject *clipboard, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (InterpComposer) self = user_data;
  const GValue *value = gdk_clipboard_read_value_finish (GDK_CLIPBOARD (clipboard), result, NULL);

  if (value && G_VALUE_HOLDS (value, GDK_TYPE_FILE_LIST))
    attach_files (self, g_value_get_boxed (value));
}

static void
on_texture_pasted (GObject *clipboard, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (InterpComposer) self = user_data;
  g_autoptr (GdkTexture) texture = gdk_clipboard_read_texture_finish (GDK_CLIPBOARD (clipboard), result, NULL);
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *name = g_date_time_format (now, "pasted-%Y%m%d-%H%M%S.png");
  g_autofree char *path = g_build_filename (interp_paths_cache (), name, NULL);

  if (texture && gdk_texture_save_to_png (texture, path))
    interp_composer_attach (self, (const char *const[]) { path, NULL });
}

/* Files and pictures become attachments; everything else is text. */
static void
on_paste (InterpComposer *self)
{
  GdkClipboard *clipboard = gtk_widget_get_clipboard (GTK_WIDGET (self->text));
  GdkContentFormats *formats = gdk_clipboard_get_formats (clipboard);

  if (gdk_content_formats_contain_gtype (formats, GDK_TYPE_FILE_LIST))
    gdk_clipboard_read_value_async (clipboard, GDK_TYPE_FILE_LIST, G_PRIORITY_DEFAULT, NULL, on_files_pasted,
                                    g_object_ref (self));
  else if (gdk_content_formats_contain_gtype (formats, GDK_TYPE_TEXTURE)
           && !gdk_content_formats_contain_gtype (formats, G_TYPE_STRING))
    gdk_clipboard_read_texture_async (clipboard, NULL, on_texture_pasted, g_object_ref (self));
  else
    return;
  g_signal_stop_emission_by_name (self->text, "paste-clipboard");
}

/* ---- sending ---- */

static void
update_actions (InterpComposer *self)
{
  g_autofree char *text = g_strstrip (dup_text (self));
  GStrv attachments = get_attachments (self);
  gboolean writable = self->session && !interp_session_is_read_only (self->session);
  InterpSessionState state = self->session ? interp_session_get_state (self->session) : INTERP_SESSION_IDLE;

  gtk_widget_action_set_enabled (GTK_WIDGET (self), "composer.send",
                                 writable && (*text || (attachments && attachments[0])));
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "composer.attach", writable);
  gtk_text_view_set_editable (self->text, writable || !self->session);
  gtk_widget_set_visible (self->stop_button, state != INTERP_SESSION_IDLE);
  gtk_widget_set_tooltip_text (self->send_button,
                               state == INTERP_SESSION_IDLE ? _ ("Send") : _ ("Send After the Current Step"));
}

static void
on_state (InterpComposer *self)
{
  update_actions (self);
  if (self->session && interp_session_get_state (self->session) == INTERP_SESSION_IDLE)
    queue_meter (self);
}

static void
on_changed (InterpComposer *self)
{
  g_autofree char *text = dup_text (self);

  gtk_widget_set_visible (self->placeholder, *text == '\0');
  update_actions (self);
  if (self->loading)
    {
      interp_slash_popover_update (self->popover, "");
      return;
    }
  interp_slash_popover_update (self->popover, text);
  if (self->session)
    interp_session_set_draft (self->session, text);
}

static void
send (GtkWidget *widget, const char *action, GVariant *parameter)
{
  InterpComposer *self = INTERP_COMPOSER (widget);
  g_autofree char *text = g_strstrip (dup_text (self));
  g_autofree char *argument = NULL;
  const InterpSlashCommand *command;
  GStrv attachments = get_attachments (self);

  if (!self->session)
    return;
  command = interp_slash_commands_parse (text, &argument);
  if (command)
    {
      load_text (self, "");
      interp_session_set_draft (self->session, "");
      g_signal_emit (self, signals[COMMAND], 0, (int) command->command, argument);
      return;
    }
  if (!*text && !(attachments && attachments[0]))
    return;
  load_text (self, "");
  interp_session_set_draft (self->session, "");
  interp_session_send (self->session, text, (const char *const *) attachments);
  set_attachments (self, NULL);
}

static void
stop (GtkWidget *widget, const char *action, GVariant *parameter)
{
  InterpComposer *self = INTERP_COMPOSER (widget);

  if (self->session)
    interp_session_stop (self->session);
}

static void
on_command_chosen (InterpComposer *self, const char *name)
{
  g_autofree char *text = g_strdup_printf ("/%s ", name);

  interp_composer_set_text (self, text);
}

/* ---- keys ---- */

static gboolean
recall (InterpComposer *self)
{
  GListModel *items;

  if (!self->session || gtk_text_buffer_get_char_count (get_buffer (self)) > 0)
    return FALSE;
  items = interp_session_get_items (self->session);
  for (guint i = g_list_model_get_n_items (items); i-- > 0;)
    {
      g_autoptr (InterpItem) item = g_list_model_get_item (items, i);

      if (interp_item_get_kind (item) == INTERP_ITEM_USER && interp_item_get_text (item))
        {
          interp_composer_set_text (self, interp_item_get_text (item));
          return TRUE;
        }
    }
  return FALSE;
}

static gboolean
on_key (InterpComposer *self, guint keyval, guint code, GdkModifierType state, GtkEventController *controller)
{
  GdkModifierType modifiers = state & gtk_accelerator_get_default_mod_mask ();
  const char *selected = interp_slash_popover_get_selected (self->popover);
  gboolean enter = keyval == GDK_KEY_Return || keyval == GDK_KEY_KP_Enter || keyval == GDK_KEY_ISO_Enter;
  gboolean up = keyval == GDK_KEY_Up || keyval == GDK_KEY_KP_Up;
  gboolean down = keyval == GDK_KEY_Down || keyval == GDK_KEY_KP_Down;
  gboolean tab = keyval == GDK_KEY_Tab;

  if (!enter && !up && !down && !tab && keyval != GDK_KEY_Escape)
    return GDK_EVENT_PROPAGATE;
  /* An input method comes first: Enter may only choose a candidate. */
  if (gtk_text_view_im_context_filter_keypress (self->text, gtk_event_controller_get_current_event (controller)))
    return GDK_EVENT_STOP;

  if (selected && modifiers == 0)
    {
      if (up || down)
        {
          interp_slash_popover_move (self->popover, up ? -1 : 1);
          return GDK_EVENT_STOP;
        }
      if (keyval == GDK_KEY_Escape)
        {
          gtk_popover_popdown (GTK_POPOVER (self->popover));
          return GDK_EVENT_STOP;
        }
      if (enter || tab)
        {
          g_autofree char *text = dup_text (self);

          /* A whole name is sent as it stands. */
          if (tab || !g_str_equal (text + 1, selected))
            {
              on_command_chosen (self, selected);
              return GDK_EVENT_STOP;
            }
        }
    }
  if (enter && modifiers == 0)
    {
      gtk_widget_activate_action (GTK_WIDGET (self), "composer.send", NULL);
      return GDK_EVENT_STOP;
    }
  if (up && modifiers == 0 && recall (self))
    return GDK_EVENT_STOP;
  /* The text view would move by paragraphs. */
  if ((up || down) && modifiers == GDK_CONTROL_MASK)
    return gtk_widget_activate_action (GTK_WIDGET (self), up ? "chat.previous-cell" : "chat.next-cell", NULL);
  return GDK_EVENT_PROPAGATE;
}

/* ---- public ---- */

void
interp_composer_set_narrow (InterpComposer *self, gboolean narrow)
{
  g_return_if_fail (INTERP_IS_COMPOSER (self));

  gtk_widget_set_visible (self->stop_label, !narrow);
}

void
interp_composer_set_text (InterpComposer *self, const char *text)
{
  GtkTextBuffer *buffer;
  GtkTextIter begin, end;

  g_return_if_fail (INTERP_IS_COMPOSER (self));

  buffer = get_buffer (self);
  gtk_text_buffer_begin_user_action (buffer);
  gtk_text_buffer_get_bounds (buffer, &begin, &end);
  gtk_text_buffer_delete (buffer, &begin, &end);
  gtk_text_buffer_insert (buffer, &begin, text ? text : "", -1);
  gtk_text_buffer_end_user_action (buffer);
  gtk_text_buffer_get_end_iter (buffer, &end);
  gtk_text_buffer_place_cursor (buffer, &end);
  gtk_widget_grab_focus (GTK_WIDGET (self->text));
}

void
interp_composer_popup_model (InterpComposer *self)
{
  g_return_if_fail (INTERP_IS_COMPOSER (self));

  interp_model_button_popup (INTERP_MODEL_BUTTON (self->model_button));
}

void
interp_composer_set_engine (InterpComposer *self, InterpEngine *engine)
{
  g_return_if_fail (INTERP_IS_COMPOSER (self));

  g_set_object (&self->engine, engine);
  g_object_set (self->model_button, "engine", engine, NULL);
}

void
interp_composer_set_session (InterpComposer *self, InterpSession *session)
{
  g_autofree char *typed = NULL;

  g_return_if_fail (INTERP_IS_COMPOSER (self));
  g_return_if_fail (session == NULL || INTERP_IS_SESSION (session));

  if (self->session == session)
    return;
  if (self->session)
    g_signal_handlers_disconnect_by_data (self->session, self);
  else
    typed = dup_text (self);
  g_set_object (&self->session, session);
  g_object_set (self->model_button, "session", session, NULL);
  interp_queue_view_set_session (self->queue, session);
  /* What was typed while the program started is for the chat that it started with. */
  if (session && typed && *typed && !*interp_session_get_draft (session) && !interp_session_is_read_only (session))
    interp_session_set_draft (session, typed);
  load_text (self, session ? interp_session_get_draft (session) : "");
  show_attachments (self);
  if (session)
    {
      g_signal_connect_object (session, "notify::state", G_CALLBACK (on_state), self, G_CONNECT_SWAPPED);
      g_signal_connect_object (session, "notify::read-only", G_CALLBACK (update_actions), self, G_CONNECT_SWAPPED);
      g_signal_connect_object (session, "notify::model", G_CALLBACK (queue_meter), self, G_CONNECT_SWAPPED);
    }
  update_actions (self);
  queue_meter (self);
}

/* ---- life ---- */

static gboolean
interp_composer_grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (GTK_WIDGET (INTERP_COMPOSER (widget)->text));
}

/* Eight lines of the font as it is now. */
static void
update_height (InterpComposer *self)
{
  PangoContext *context = gtk_widget_get_pango_context (GTK_WIDGET (self->text));
  PangoFontMetrics *metrics = pango_context_get_metrics (context, NULL, NULL);
  int line = PANGO_PIXELS_CEIL (pango_font_metrics_get_height (metrics));

  gtk_scrolled_window_set_max_content_height (self->scroller, MAX_LINES * line
                                                                  + gtk_text_view_get_top_margin (self->text)
                                                                  + gtk_text_view_get_bottom_margin (self->text));
  pango_font_metrics_unref (metrics);
}

static void
interp_composer_css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS (interp_composer_parent_class)->css_changed (widget, change);
  if (INTERP_COMPOSER (widget)->scroller)
    update_height (INTERP_COMPOSER (widget));
}

GtkWidget *
interp_composer_new (void)
{
  return g_object_new (INTERP_TYPE_COMPOSER, NULL);
}

static void
interp_composer_dispose (GObject *object)
{
  InterpComposer *self = INTERP_COMPOSER (object);

  g_clear_handle_id (&self->meter_source, g_source_remove);
  if (self->popover)
    {
      gtk_widget_unparent (GTK_WIDGET (self->popover));
      self->popover = NULL;
    }
  gtk_widget_dispose_template (GTK_WIDGET (object), INTERP_TYPE_COMPOSER);
  g_clear_object (&self->session);
  g_clear_object (&self->engine);
  G_OBJECT_CLASS (interp_composer_parent_class)->dispose (object);
}

static void
interp_composer_class_init (InterpComposerClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = interp_composer_dispose;
  widget_class->grab_focus = interp_composer_grab_focus;
  widget_class->css_changed = interp_composer_css_changed;

  signals[COMMAND] = g_signal_new ("command", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                   G_TYPE_NONE, 2, G_TYPE_INT, G_TYPE_STRING);

  g_type_ensure (INTERP_TYPE_QUEUE_VIEW);
  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/interpreter_app/Interpreter/ui/"
                                                             "interp-composer.ui");
  gtk_widget_class_bind_template_child (widget_class, InterpComposer, queue);
  gtk_widget_class_bind_template_child (widget_class, InterpComposer, frame);
  gtk_widget_class_bind_template_child (widget_class, InterpComposer, attachments);
  gtk_widget_class_bind_template_child (widget_class, InterpComposer, scroller);
  gtk_widget_class_bind_template_child (widget_class, InterpComposer, text);
  gtk_widget_class_bind_template_child (widget_class, InterpComposer, placeholder);
  gtk_widget_class_bind_template_child (widget_class, InterpComposer, model_bin);
  gtk_widget_class_bind_template_child (widget_class, InterpComposer, meter);
  gtk_widget_class_bind_template_child (widget_class, InterpComposer, stop_button);
  gtk_widget_class_bind_template_child (widget_class, InterpComposer, stop_label);
  gtk_widget_class_bind_template_child (widget_class, InterpComposer, send_button);
  gtk_widget_class_bind_template_callback (widget_class, on_key);
  gtk_widget_class_bind_template_callback (widget_class, on_paste);
  gtk_widget_class_install_action (widget_class, "composer.send", NULL, send);
  gtk_widget_class_install_action (widget_class, "composer.stop", NULL, stop);
  gtk_widget_class_install_action (widget_class, "composer.attach", NULL, attach);
}

static void
interp_composer_init (InterpComposer *self)
{
  g_autoptr (GtkSourceBuffer) buffer = gtk_source_buffer_new (NULL);
  GtkDropTarget *drop = gtk_drop_target_new (GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);

  gtk_widget_init_template (GTK_WIDGET (self));

  gtk_source_buffer_set_highlight_matching_brackets (buffer, FALSE);
  gtk_source_buffer_set_highlight_syntax (buffer, FALSE);
  gtk_source_buffer_set_implicit_trailing_newline (buffer, FALSE);
  gtk_source_buffer_set_style_scheme (buffer, NULL);
  gtk_text_view_set_buffer (self->text, GTK_TEXT_BUFFER (buffer));
  g_signal_connect_object (buffer, "changed", G_CALLBACK (on_changed), self, G_CONNECT_SWAPPED);
#ifdef HAVE_LIBSPELLING
  {
    g_autoptr (SpellingTextBufferAdapter) adapter
        = spelling_text_buffer_adapter_new (buffer, spelling_checker_get_default ());

    gtk_text_view_set_extra_menu (self->text, spelling_text_buffer_adapter_get_menu_model (adapter));
    gtk_widget_insert_action_group (GTK_WIDGET (self->text), "spelling", G_ACTION_GROUP (adapter));
    spelling_text_buffer_adapter_set_enabled (adapter, TRUE);
  }
#endif

  self->model_button = interp_model_button_new ();
  adw_bin_set_child (self->model_bin, self->model_button);

  self->popover = INTERP_SLASH_POPOVER (interp_slash_popover_new ());
  gtk_widget_set_parent (GTK_WIDGET (self->popover), self->frame);
  g_signal_connect_object (self->popover, "chosen", G_CALLBACK (on_command_chosen), self, G_CONNECT_SWAPPED);

  g_signal_connect_object (drop, "drop", G_CALLBACK (on_drop), self, G_CONNECT_SWAPPED);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drop));
  update_actions (self);
  update_height (self);
}
