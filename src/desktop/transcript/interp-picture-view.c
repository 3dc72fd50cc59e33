/* interp-picture-view.c: a chart or picture in the transcript
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "transcript/interp-picture-view.h"

#include <glib/gi18n.h>

#include "base/interp-fiber.h"
#include "transcript/interp-picture.h"
#include "transcript/interp-save.h"

struct _InterpPictureView
{
  AdwBin parent_instance;

  GtkStack *stack;
  GtkButton *button;
  GtkPicture *picture;
  GtkLabel *failure;
  GtkWidget *source_label;

  GBytes *bytes;
  char *path;
  char *source;
  char *mime;
  char *description;
  double scale;
  InterpPicture *content;
};

G_DEFINE_FINAL_TYPE (InterpPictureView, interp_picture_view, ADW_TYPE_BIN)

static DexFuture *
load_fiber (gpointer data)
{
  InterpPictureView *self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (InterpPicture) content = NULL;

  content = dex_await_object (interp_picture_load (self->bytes, self->path, self->scale), &error);
  if (!self->stack)
    return dex_future_new_true ();
  if (!content)
    {
      g_autofree char *text = g_strdup_printf (_ ("The picture cannot be shown: %s"), error->message);

      gtk_label_set_label (self->failure, text);
      gtk_stack_set_visible_child_name (self->stack, "failure");
      return dex_future_new_true ();
    }
  g_set_object (&self->content, content);
  gtk_picture_set_paintable (self->picture, GDK_PAINTABLE (content));
  gtk_stack_set_visible_child_name (self->stack, "picture");
  return dex_future_new_true ();
}

static void
start (InterpPictureView *self)
{
  const char *words = self->description && *self->description ? self->description : _ ("Chart");

  gtk_picture_set_alternative_text (self->picture, words);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->picture), GTK_ACCESSIBLE_PROPERTY_LABEL, words, -1);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->button), GTK_ACCESSIBLE_PROPERTY_LABEL, words, -1);
  if (self->source)
    {
      g_autofree char *name = g_path_get_basename (self->source);

      gtk_label_set_label (GTK_LABEL (self->source_label), name);
      gtk_widget_set_tooltip_text (self->source_label, self->source);
    }
  if (!self->bytes && !self->path)
    return;
  interp_fiber_run ("show picture", load_fiber, g_object_ref (self), g_object_unref);
}

/* ---- actions ---- */

static void
enlarge (GtkWidget *widget, const char *action, GVariant *parameter)
{
  InterpPictureView *self = INTERP_PICTURE_VIEW (widget);
  AdwDialog *dialog;
  GtkWidget *view, *picture, *header;

  if (!self->content)
    return;
  dialog = adw_dialog_new ();
  header = adw_header_bar_new ();
  view = adw_toolbar_view_new ();
  picture = gtk_picture_new_for_paintable (GDK_PAINTABLE (self->content));
  gtk_picture_set_content_fit (GTK_PICTURE (picture), GTK_CONTENT_FIT_CONTAIN);
  gtk_picture_set_alternative_text (GTK_PICTURE (picture), gtk_picture_get_alternative_text (self->picture));
  gtk_widget_set_vexpand (picture, TRUE);
  adw_toolbar_view_add_top_bar (ADW_TOOLBAR_VIEW (view), header);
  adw_toolbar_view_set_content (ADW_TOOLBAR_VIEW (view), picture);
  adw_dialog_set_child (dialog, view);
  adw_dialog_set_title (dialog, self->source ? gtk_label_get_label (GTK_LABEL (self->source_label)) : _ ("Chart"));
  adw_dialog_set_content_width (dialog, 1000);
  adw_dialog_set_content_height (dialog, 760);
  adw_dialog_present (dialog, widget);
}

static void
copy (GtkWidget *widget, const char *action, GVariant *parameter)
{
  InterpPictureView *self = INTERP_PICTURE_VIEW (widget);

  if (!self->content)
    return;
  gdk_clipboard_set_texture (gtk_widget_get_clipboard (widget), interp_picture_get_texture (self->content));
  gtk_accessible_announce (GTK_ACCESSIBLE (self), _ ("Copied"), GTK_ACCESSIBLE_ANNOUNCEMENT_PRIORITY_LOW);
}

static const char *
get_extension (InterpPictureView *self)
{
  if (g_strcmp0 (self->mime, "image/svg+xml") == 0)
    return ".svg";
  if (g_strcmp0 (self->mime, "image/jpeg") == 0)
    return ".jpg";
  if (g_strcmp0 (self->mime, "image/gif") == 0)
    return ".gif";
  if (g_strcmp0 (self->mime, "image/webp") == 0)
    return ".webp";
  return ".png";
}

static void
save (GtkWidget *widget, const char *action, GVariant *parameter)
{
  InterpPictureView *self = INTERP_PICTURE_VIEW (widget);
  g_autofree char *name
      = self->source ? g_path_get_basename (self->source) : g_strconcat (_ ("Chart"), get_extension (self), NULL);

  interp_save_as (widget, _ ("Save Picture"), name, self->bytes, self->path);
}

/* ---- life ---- */

GtkWidget *
interp_picture_view_new_for_display (InterpDisplay *display)
{
  InterpPictureView *self;
  GBytes *bytes;

  g_return_val_if_fail (INTERP_IS_DISPLAY (display), NULL);

  self = g_object_new (INTERP_TYPE_PICTURE_VIEW, NULL);
  bytes = interp_display_get_bytes (display);
  self->bytes = bytes ? g_bytes_ref (bytes) : NULL;
  self->path = g_strdup (interp_display_get_path (display));
  self->source = g_strdup (interp_display_get_source (display));
  self->mime = g_strdup (interp_display_get_mime (display));
  self->description = g_strdup (interp_display_get_text (display));
  self->scale = interp_display_get_scale (display);
  start (self);
  return GTK_WIDGET (self);
}

GtkWidget *
interp_picture_view_new_for_path (const char *path, const char *description)
{
  InterpPictureView *self;

  g_return_val_if_fail (path != NULL, NULL);

  self = g_object_new (INTERP_TYPE_PICTURE_VIEW, NULL);
  self->path = g_strdup (path);
  self->source = g_strdup (path);
  self->description = g_strdup (description);
  self->scale = 1;
  start (self);
  return GTK_WIDGET (self);
}

static void
interp_picture_view_dispose (GObject *object)
{
  /* The template's disposal would unparent it behind the bin's back. */
  adw_bin_set_child (ADW_BIN (object), NULL);
  gtk_widget_dispose_template (GTK_WIDGET (object), INTERP_TYPE_PICTURE_VIEW);
  G_OBJECT_CLASS (interp_picture_view_parent_class)->dispose (object);
}

static void
interp_picture_view_finalize (GObject *object)
{
  InterpPictureView *self = INTERP_PICTURE_VIEW (object);

  g_clear_pointer (&self->bytes, g_bytes_unref);
  g_clear_object (&self->content);
  g_free (self->path);
  g_free (self->source);
  g_free (self->mime);
  g_free (self->description);
  G_OBJECT_CLASS (interp_picture_view_parent_class)->finalize (object);
}

static void
interp_picture_view_class_init (InterpPictureViewClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = interp_picture_view_dispose;
  object_class->finalize = interp_picture_view_finalize;

  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/interpreter_app/Interpreter/ui/"
                                                             "interp-picture-view.ui");
  gtk_widget_class_bind_template_child (widget_class, InterpPictureView, stack);
  gtk_widget_class_bind_template_child (widget_class, InterpPictureView, button);
  gtk_widget_class_bind_template_child (widget_class, InterpPictureView, picture);
  gtk_widget_class_bind_template_child (widget_class, InterpPictureView, failure);
  gtk_widget_class_bind_template_child (widget_class, InterpPictureView, source_label);
  gtk_widget_class_install_action (widget_class, "picture.enlarge", NULL, enlarge);
  gtk_widget_class_install_action (widget_class, "picture.copy", NULL, copy);
  gtk_widget_class_install_action (widget_class, "picture.save", NULL, save);
}

static void
interp_picture_view_init (InterpPictureView *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
