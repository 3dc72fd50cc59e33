/* interp-empty-chat.c: what stands where nothing has been said yet
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "window/interp-empty-chat.h"

#include <glib/gi18n.h>

#include "base/interp-fiber.h"

/* Looking for something to suggest ends here, however large the folder. */
#define MAX_ENTRIES 500

struct _InterpEmptyChat
{
  AdwBin parent_instance;

  GtkFlowBox *suggestions;
  char *folder;
  guint serial;
};

enum
{
  SUGGESTED,
  N_SIGNALS,
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (InterpEmptyChat, interp_empty_chat, ADW_TYPE_BIN)

typedef struct
{
  InterpEmptyChat *self;
  char *folder;
  guint serial;
} Look;

static void
look_free (gpointer data)
{
  Look *look = data;

  g_object_unref (look->self);
  g_free (look->folder);
  g_free (look);
}

/* On a worker: a table, a database or a project in @folder, then what every machine has. */
static DexFuture *
look_worker (gpointer data)
{
  const char *folder = data;
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  const char *downloads = g_get_user_special_dir (G_USER_DIRECTORY_DOWNLOAD);
  g_autoptr (GDir) dir = folder && *folder ? g_dir_open (folder, 0, NULL) : NULL;
  g_autofree char *table = NULL;
  g_autofree char *database = NULL;
  gboolean project = FALSE;
  GStrv texts;
  const char *name;

  for (guint i = 0; dir && i < MAX_ENTRIES && (name = g_dir_read_name (dir)); i++)
    {
      if (!g_utf8_validate (name, -1, NULL))
        continue;
      if (!table && (g_str_has_suffix (name, ".csv") || g_str_has_suffix (name, ".xlsx")))
        table = g_strdup (name);
      else if (!database
               && (g_str_has_suffix (name, ".db") || g_str_has_suffix (name, ".sqlite")
                   || g_str_has_suffix (name, ".sqlite3")))
        database = g_strdup (name);
      else if (g_str_equal (name, ".git"))
        project = TRUE;
    }

  if (table)
    g_strv_builder_take (builder, g_strdup_printf (_ ("Show me what is in %s and chart it"), table));
  if (database)
    g_strv_builder_take (builder, g_strdup_printf (_ ("What tables are in %s? Chart the most telling one"), database));
  if (project)
    g_strv_builder_add (builder, _ ("Explain how this project is built and run its tests"));
  if (downloads && g_file_test (downloads, G_FILE_TEST_IS_DIR))
    g_strv_builder_add (builder, _ ("Sort my Downloads folder by month"));
  g_strv_builder_add (builder, _ ("What fills my disk? Show it as a chart"));
  g_strv_builder_add (builder, _ ("Which programs use the most memory right now?"));
  g_strv_builder_add (builder, _ ("Find the largest pictures in my home folder"));
  g_strv_builder_add (builder, _ ("Draw the next twelve months’ full moons as a calendar"));
  texts = g_strv_builder_end (builder);
  return dex_future_new_take_boxed (G_TYPE_STRV, texts);
}

static void
on_clicked (InterpEmptyChat *self, GtkButton *button)
{
  g_signal_emit (self, signals[SUGGESTED], 0, g_object_get_data (G_OBJECT (button), "interp-text"));
}

static DexFuture *
look_fiber (gpointer data)
{
  Look *look = data;
  InterpEmptyChat *self = look->self;
  g_auto (GStrv) texts = NULL;

  texts = dex_await_boxed (interp_worker_run ("find suggestions", look_worker,
                                              g_strdup (look->folder ? look->folder : ""), g_free),
                           NULL);
  if (look->serial != self->serial || !self->suggestions)
    return dex_future_new_true ();
  gtk_flow_box_remove_all (self->suggestions);
  for (guint i = 0; texts && texts[i] && i < 4; i++)
    {
      GtkWidget *button = gtk_button_new ();
      GtkWidget *label = gtk_label_new (texts[i]);
      GtkWidget *child = gtk_flow_box_child_new ();

      gtk_label_set_wrap (GTK_LABEL (label), TRUE);
      gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
      gtk_label_set_xalign (GTK_LABEL (label), 0);
      gtk_label_set_max_width_chars (GTK_LABEL (label), 28);
      gtk_button_set_child (GTK_BUTTON (button), label);
      gtk_widget_add_css_class (button, "suggestion");
      g_object_set_data_full (G_OBJECT (button), "interp-text", g_strdup (texts[i]), g_free);
      g_signal_connect_object (button, "clicked", G_CALLBACK (on_clicked), self, G_CONNECT_SWAPPED);
      gtk_flow_box_child_set_child (GTK_FLOW_BOX_CHILD (child), button);
      gtk_widget_set_focusable (child, FALSE);
      gtk_flow_box_append (self->suggestions, child);
    }
  return dex_future_new_true ();
}

void
interp_empty_chat_set_folder (InterpEmptyChat *self, const char *folder)
{
  Look *look;

  g_return_if_fail (INTERP_IS_EMPTY_CHAT (self));

  if (!g_set_str (&self->folder, folder) && self->serial > 0)
    return;
  self->serial++;
  look = g_new0 (Look, 1);
  look->self = g_object_ref (self);
  look->folder = g_strdup (folder);
  look->serial = self->serial;
  interp_fiber_run ("find suggestions", look_fiber, look, look_free);
}

static void
interp_empty_chat_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), INTERP_TYPE_EMPTY_CHAT);
  G_OBJECT_CLASS (interp_empty_chat_parent_class)->dispose (object);
}

static void
interp_empty_chat_finalize (GObject *object)
{
  g_free (INTERP_EMPTY_CHAT (object)->folder);
  G_OBJECT_CLASS (interp_empty_chat_parent_class)->finalize (object);
}

static void
interp_empty_chat_class_init (InterpEmptyChatClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = interp_empty_chat_dispose;
  object_class->finalize = interp_empty_chat_finalize;
  signals[SUGGESTED] = g_signal_new ("suggested", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                     G_TYPE_NONE, 1, G_TYPE_STRING);
  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/interpreter_app/Interpreter/ui/"
                                                             "interp-empty-chat.ui");
  gtk_widget_class_bind_template_child (widget_class, InterpEmptyChat, suggestions);
}

static void
interp_empty_chat_init (InterpEmptyChat *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
