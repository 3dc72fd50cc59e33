/* interp-shortcuts.c: every key of the program, in one table
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "window/interp-shortcuts.h"

#include <glib/gi18n.h>

typedef struct
{
  const char *group; /* NULL: not listed */
  const char *title;
  const char *keys;   /* accelerators separated by blanks; the first is listed */
  const char *action; /* NULL: the widget concerned does it itself, listed only */
  const char *target; /* of the action, GVariant text; nullable */
  InterpPlace places;
} Shortcut;

#define WINDOW INTERP_PLACE_WINDOW
#define ANYWHERE INTERP_PLACE_ANYWHERE

/* clang-format off */
static const Shortcut shortcuts[] = {
  { N_("Chats"), N_("New chat"), "<Control>n", "chat.new", NULL, WINDOW },
  { N_("Chats"), N_("Search all chats"), "<Control><Shift>f", "chat.search-all", NULL, WINDOW },
  { N_("Chats"), N_("Find in chat"), "<Control>f", "chat.find", NULL, WINDOW },
  { N_("Chats"), N_("Rename chat"), "F2", "chat.rename", NULL, WINDOW },

  { N_("Conversation"), N_("Write a message"), "<Control>l", "view.composer", NULL, WINDOW },
  { N_("Conversation"), N_("Send the message"), "Return", NULL, NULL, 0 },
  { N_("Conversation"), N_("Break the line"), "<Shift>Return", NULL, NULL, 0 },
  { N_("Conversation"), N_("Recall the last message"), "Up", NULL, NULL, 0 },
  { N_("Conversation"), N_("Choose a model"), "<Control>m", "chat.choose-model", NULL, WINDOW },
  { N_("Conversation"), N_("Choose the working folder"), "<Control>o", "chat.choose-folder", NULL, WINDOW },
  { N_("Conversation"), N_("Stop the code, then the answer"), "Escape", "chat.stop", NULL,
    INTERP_PLACE_TRANSCRIPT | INTERP_PLACE_COMPOSER },

  { N_("Code"), N_("Run the code asked about"), "<Control>Return", NULL, NULL, 0 },
  { N_("Code"), N_("Refuse the code asked about"), "<Alt>r", NULL, NULL, 0 },
  { N_("Code"), N_("Previous cell"), "<Control>Up", "chat.previous-cell", NULL, WINDOW },
  { N_("Code"), N_("Next cell"), "<Control>Down", "chat.next-cell", NULL, WINDOW },

  { N_("Terminals"), N_("Show or hide terminals"), "<Control>grave", "view.terminals", NULL, ANYWHERE },
  { N_("Terminals"), N_("Go to a terminal"), "<Alt>1", "view.terminal", "0", ANYWHERE },
  { NULL, NULL, "<Alt>2", "view.terminal", "1", ANYWHERE },
  { NULL, NULL, "<Alt>3", "view.terminal", "2", ANYWHERE },
  { NULL, NULL, "<Alt>4", "view.terminal", "3", ANYWHERE },
  { NULL, NULL, "<Alt>5", "view.terminal", "4", ANYWHERE },
  { NULL, NULL, "<Alt>6", "view.terminal", "5", ANYWHERE },
  { NULL, NULL, "<Alt>7", "view.terminal", "6", ANYWHERE },
  { NULL, NULL, "<Alt>8", "view.terminal", "7", ANYWHERE },
  { NULL, NULL, "<Alt>9", "view.terminal", "8", ANYWHERE },
  { N_("Terminals"), N_("Copy"), "<Control><Shift>c", NULL, NULL, 0 },
  { N_("Terminals"), N_("Paste"), "<Control><Shift>v", NULL, NULL, 0 },
  { N_("Terminals"), N_("Find in terminal"), "<Control><Shift>f", NULL, NULL, 0 },

  { N_("Window"), N_("Next area"), "F6", "view.next-area", NULL, ANYWHERE },
  { N_("Window"), N_("Previous area"), "<Shift>F6", "view.previous-area", NULL, ANYWHERE },
  { N_("Window"), N_("Show or hide the sidebar"), "F9", "view.sidebar", NULL, ANYWHERE },
  { N_("Window"), N_("Larger text"), "<Control>plus <Control>equal <Control>KP_Add", "view.zoom-in", NULL, WINDOW },
  { N_("Window"), N_("Smaller text"), "<Control>minus <Control>KP_Subtract", "view.zoom-out", NULL, WINDOW },
  { N_("Window"), N_("Normal text size"), "<Control>0 <Control>KP_0", "view.zoom-reset", NULL, WINDOW },
  { N_("Window"), N_("Main menu"), "F10", NULL, NULL, 0 },
  { N_("Window"), N_("Preferences"), "<Control>comma", "app.preferences", NULL, WINDOW },
  { N_("Window"), N_("Keyboard shortcuts"), "<Control>question <Control>slash", "view.shortcuts", NULL, WINDOW },
  { N_("Window"), N_("Help"), "F1", "app.help", NULL, WINDOW },
  { N_("Window"), N_("Close window"), "<Control>w", "window.close", NULL, WINDOW },
  { N_("Window"), N_("Quit"), "<Control>q", "app.quit", NULL, WINDOW },
};
/* clang-format on */

void
interp_shortcuts_install (GtkWidget *widget, InterpPlace place)
{
  GtkEventController *controller;

  g_return_if_fail (GTK_IS_WIDGET (widget));

  controller = gtk_shortcut_controller_new ();
  gtk_event_controller_set_propagation_phase (controller,
                                              place == INTERP_PLACE_ANYWHERE ? GTK_PHASE_CAPTURE : GTK_PHASE_BUBBLE);
  for (guint i = 0; i < G_N_ELEMENTS (shortcuts); i++)
    {
      const Shortcut *entry = &shortcuts[i];
      g_auto (GStrv) keys = NULL;

      if (!entry->action || !(entry->places & place))
        continue;
      keys = g_strsplit (entry->keys, " ", -1);
      for (guint j = 0; keys[j]; j++)
        {
          GtkShortcut *shortcut
              = gtk_shortcut_new (gtk_shortcut_trigger_parse_string (keys[j]), gtk_named_action_new (entry->action));

          if (entry->target)
            gtk_shortcut_set_arguments (shortcut,
                                        g_variant_new_int32 ((gint32) g_ascii_strtoll (entry->target, NULL, 10)));
          gtk_shortcut_controller_add_shortcut (GTK_SHORTCUT_CONTROLLER (controller), shortcut);
        }
    }
  gtk_widget_add_controller (widget, controller);
}

/* ---- the dialog ---- */

static char *
key_label (const char *accelerator)
{
  guint key;
  GdkModifierType modifiers;

  if (!gtk_accelerator_parse (accelerator, &key, &modifiers))
    return g_strdup (accelerator);
  return gtk_accelerator_get_label (key, modifiers);
}

AdwDialog *
interp_shortcuts_dialog_new (void)
{
  AdwDialog *dialog = adw_dialog_new ();
  GtkWidget *view = adw_toolbar_view_new ();
  GtkWidget *page = adw_preferences_page_new ();
  AdwPreferencesGroup *group = NULL;
  const char *group_name = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (shortcuts); i++)
    {
      const Shortcut *entry = &shortcuts[i];
      g_auto (GStrv) keys = NULL;
      g_autofree char *label = NULL;
      GtkWidget *row, *key;

      if (!entry->group)
        continue;
      if (g_strcmp0 (entry->group, group_name) != 0)
        {
          group_name = entry->group;
          group = ADW_PREFERENCES_GROUP (adw_preferences_group_new ());
          adw_preferences_group_set_title (group, _ (group_name));
          adw_preferences_page_add (ADW_PREFERENCES_PAGE (page), group);
        }
      keys = g_strsplit (entry->keys, " ", 2);
      label = key_label (keys[0]);
      if (g_strcmp0 (entry->target, "0") == 0)
        {
          g_autofree char *last = key_label ("<Alt>9");
          /* Translators: a range of keys, "Alt+1 to Alt+9" */
          char *range = g_strdup_printf (_ ("%s to %s"), label, last);

          g_free (label);
          label = range;
        }
      row = adw_action_row_new ();
      key = gtk_label_new (label);
      gtk_widget_add_css_class (key, "keycap");
      gtk_widget_set_valign (key, GTK_ALIGN_CENTER);
      adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), _ (entry->title));
      adw_action_row_add_suffix (ADW_ACTION_ROW (row), key);
      adw_preferences_group_add (group, row);
    }

  adw_toolbar_view_add_top_bar (ADW_TOOLBAR_VIEW (view), adw_header_bar_new ());
  adw_toolbar_view_set_content (ADW_TOOLBAR_VIEW (view), page);
  adw_dialog_set_title (dialog, _ ("Keyboard Shortcuts"));
  adw_dialog_set_child (dialog, view);
  adw_dialog_set_content_width (dialog, 560);
  adw_dialog_set_content_height (dialog, 640);
  return dialog;
}
