/* interp-display-view.c: one rich result of a run
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "transcript/interp-display-view.h"

#include <glib/gi18n.h>
#include <string.h>

#include "base/interp-paths.h"
#include "transcript/interp-output-view.h"
#include "transcript/interp-picture-view.h"
#include "transcript/interp-table-view.h"

#define MAX_TEXT (256 * 1024)

static void
on_launched (GObject *launcher, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GtkWidget) button = user_data;
  g_autoptr (GError) error = NULL;

  if (!gtk_file_launcher_launch_finish (GTK_FILE_LAUNCHER (launcher), result, &error)
      && !g_error_matches (error, GTK_DIALOG_ERROR, GTK_DIALOG_ERROR_DISMISSED))
    {
      AdwDialog *alert = adw_alert_dialog_new (_ ("The Page Could Not Be Opened"), error->message);

      adw_alert_dialog_add_response (ADW_ALERT_DIALOG (alert), "close", _ ("_Close"));
      adw_dialog_present (alert, button);
    }
}

/* Browsers go by the name's ending, which a stored blob may lack. */
static char *
page_path (InterpDisplay *display)
{
  const char *path = interp_display_get_path (display);
  GBytes *bytes = interp_display_get_bytes (display);
  g_autofree char *contents = NULL;
  g_autofree char *name = NULL;
  g_autofree char *sum = NULL;
  g_autofree char *target = NULL;
  gsize length = 0;

  if (path && (g_str_has_suffix (path, ".html") || g_str_has_suffix (path, ".htm")))
    return g_strdup (path);
  if (bytes)
    contents = g_memdup2 (g_bytes_get_data (bytes, &length), g_bytes_get_size (bytes));
  else if (!path || !g_file_get_contents (path, &contents, &length, NULL))
    return NULL;
  sum = g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guchar *) contents, length);
  name = g_strconcat (sum, ".html", NULL);
  target = g_build_filename (interp_paths_cache (), name, NULL);
  return interp_paths_write_atomically (target, contents, (gssize) length, NULL) ? g_steal_pointer (&target) : NULL;
}

static void
on_open_page (GtkButton *button, InterpDisplay *display)
{
  g_autofree char *path = page_path (display);
  g_autoptr (GFile) file = NULL;
  g_autoptr (GtkFileLauncher) launcher = NULL;
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (button));

  if (!path)
    return;
  file = g_file_new_for_path (path);
  launcher = gtk_file_launcher_new (file);
  gtk_file_launcher_launch (launcher, GTK_IS_WINDOW (root) ? GTK_WINDOW (root) : NULL, NULL, on_launched,
                            g_object_ref (button));
}

static GtkWidget *
make_page (InterpDisplay *display)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *label = gtk_label_new (_ ("A web page"));
  GtkWidget *button = gtk_button_new_with_label (_ ("Open in Browser"));

  gtk_widget_add_css_class (box, "cell-row");
  gtk_widget_set_hexpand (label, TRUE);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_box_append (GTK_BOX (box), gtk_image_new_from_icon_name ("text-x-generic-symbolic"));
  gtk_box_append (GTK_BOX (box), label);
  gtk_box_append (GTK_BOX (box), button);
  g_signal_connect_object (button, "clicked", G_CALLBACK (on_open_page), display, 0);
  g_object_set_data_full (G_OBJECT (button), "interp-display", g_object_ref (display), g_object_unref);
  return box;
}

static GtkWidget *
make_text (InterpDisplay *display)
{
  const char *words = interp_display_get_text (display);
  GBytes *bytes = interp_display_get_bytes (display);
  g_autofree char *text = NULL;
  GtkWidget *view;

  if (words)
    text = g_utf8_make_valid (words, (gssize) MIN (strlen (words), MAX_TEXT));
  else if (bytes && g_str_has_prefix (interp_display_get_mime (display), "text/"))
    text = g_utf8_make_valid (g_bytes_get_data (bytes, NULL), (gssize) MIN (g_bytes_get_size (bytes), MAX_TEXT));
  if (!text)
    return NULL;
  view = interp_output_view_new ();
  interp_output_view_set_output (INTERP_OUTPUT_VIEW (view), text, NULL, 0);
  return view;
}

GtkWidget *
interp_display_view_new (InterpDisplay *display)
{
  const char *mime;

  g_return_val_if_fail (INTERP_IS_DISPLAY (display), NULL);

  mime = interp_display_get_mime (display);
  if (!mime)
    return NULL;
  if (g_str_has_prefix (mime, "image/"))
    return interp_picture_view_new_for_display (display);
  if (g_str_equal (mime, INTERP_DISPLAY_TABLE))
    return interp_table_view_new (display);
  if (g_str_equal (mime, "text/html"))
    return make_page (display);
  return make_text (display);
}
