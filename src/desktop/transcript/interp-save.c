/* interp-save.c: "Save As" for what the transcript shows
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "transcript/interp-save.h"

#include <glib/gi18n.h>

#include "base/interp-fiber.h"

typedef struct
{
  GtkWidget *widget;
  GBytes *bytes;
  char *path;
  GFile *target;
} Save;

static void
save_free (gpointer data)
{
  Save *save = data;

  g_clear_object (&save->widget);
  g_clear_pointer (&save->bytes, g_bytes_unref);
  g_clear_object (&save->target);
  g_free (save->path);
  g_free (save);
}

static DexFuture *
save_fiber (gpointer data)
{
  Save *save = data;
  g_autoptr (GError) error = NULL;
  gboolean saved;

  if (save->bytes)
    saved = dex_await (dex_file_replace_contents_bytes (save->target, save->bytes, NULL, FALSE, G_FILE_CREATE_NONE),
                       &error);
  else
    {
      g_autoptr (GFile) source = g_file_new_for_path (save->path);

      saved = dex_await (dex_file_copy (source, save->target, G_FILE_COPY_OVERWRITE, G_PRIORITY_DEFAULT), &error);
    }
  if (!saved)
    {
      AdwDialog *alert = adw_alert_dialog_new (_ ("The File Was Not Saved"), error->message);

      adw_alert_dialog_add_response (ADW_ALERT_DIALOG (alert), "close", _ ("_Close"));
      adw_dialog_present (alert, save->widget);
    }
  return dex_future_new_true ();
}

static void
on_chosen (GObject *dialog, GAsyncResult *result, gpointer user_data)
{
  Save *save = user_data;

  save->target = gtk_file_dialog_save_finish (GTK_FILE_DIALOG (dialog), result, NULL);
  if (save->target)
    interp_fiber_run ("save", save_fiber, save, save_free);
  else
    save_free (save);
}

void
interp_save_as (GtkWidget *widget, const char *title, const char *name, GBytes *bytes, const char *path)
{
  g_autoptr (GtkFileDialog) dialog = NULL;
  GtkRoot *root;
  Save *save;

  g_return_if_fail (GTK_IS_WIDGET (widget));
  g_return_if_fail (bytes != NULL || path != NULL);

  save = g_new0 (Save, 1);
  save->widget = g_object_ref (widget);
  save->bytes = bytes ? g_bytes_ref (bytes) : NULL;
  save->path = g_strdup (path);

  dialog = gtk_file_dialog_new ();
  root = gtk_widget_get_root (widget);
  gtk_file_dialog_set_title (dialog, title);
  gtk_file_dialog_set_initial_name (dialog, name);
  gtk_file_dialog_save (dialog, GTK_IS_WINDOW (root) ? GTK_WINDOW (root) : NULL, NULL, on_chosen, save);
}
