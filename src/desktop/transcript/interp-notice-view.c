/* interp-notice-view.c: a sentence from us, or an error, with what can be done
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "transcript/interp-notice-view.h"

#include <glib/gi18n.h>

struct _InterpNoticeView
{
  InterpItemView parent_instance;

  GtkImage *icon;
  GtkLabel *text;
  GtkWidget *offers;
  InterpOffers shown;
};

G_DEFINE_FINAL_TYPE (InterpNoticeView, interp_notice_view, INTERP_TYPE_ITEM_VIEW)

static const struct
{
  InterpOffers offer;
  const char *label;
  const char *action;
} offers[] = {
  { INTERP_OFFER_CONTINUE, N_ ("Continue"), "notice.continue" },
  { INTERP_OFFER_TRY_AGAIN, N_ ("Try Again"), "notice.try-again" },
  { INTERP_OFFER_CHOOSE_MODEL, N_ ("Choose Model…"), "chat.choose-model" },
  { INTERP_OFFER_ENTER_KEY, N_ ("Enter Key…"), "chat.enter-key" },
  { INTERP_OFFER_RERUN_CELLS, N_ ("Run Earlier Cells Again…"), "chat.rerun-cells" },
  { INTERP_OFFER_CHOOSE_FOLDER, N_ ("Choose Folder…"), "chat.choose-folder" },
};

static void
show_offers (InterpNoticeView *self, InterpOffers wanted)
{
  GtkWidget *child;

  if (wanted == self->shown)
    return;
  self->shown = wanted;
  while ((child = gtk_widget_get_first_child (self->offers)))
    adw_wrap_box_remove (ADW_WRAP_BOX (self->offers), child);
  for (guint i = 0; i < G_N_ELEMENTS (offers); i++)
    if (wanted & offers[i].offer)
      {
        GtkWidget *button = gtk_button_new_with_label (_ (offers[i].label));

        gtk_actionable_set_action_name (GTK_ACTIONABLE (button), offers[i].action);
        adw_wrap_box_append (ADW_WRAP_BOX (self->offers), button);
      }
  gtk_widget_set_visible (self->offers, wanted != INTERP_OFFER_NONE);
}

static void
interp_notice_view_update (InterpItemView *view)
{
  InterpNoticeView *self = INTERP_NOTICE_VIEW (view);
  InterpItem *item = interp_item_view_get_item (view);
  gboolean error = interp_item_get_kind (item) == INTERP_ITEM_ERROR;

  gtk_image_set_from_icon_name (self->icon, error ? "dialog-error-symbolic" : "dialog-information-symbolic");
  gtk_label_set_label (self->text, interp_item_get_text (item));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  error ? _ ("Error") : _ ("Notice"), -1);
  if (error)
    gtk_widget_add_css_class (GTK_WIDGET (self), "error-notice");
  show_offers (self, interp_item_get_offers (item));
}

static void
go_on (GtkWidget *widget, const char *action, GVariant *parameter)
{
  interp_session_continue (interp_item_view_get_session (INTERP_ITEM_VIEW (widget)));
}

static void
try_again (GtkWidget *widget, const char *action, GVariant *parameter)
{
  InterpItemView *self = INTERP_ITEM_VIEW (widget);

  interp_session_try_again (interp_item_view_get_session (self), interp_item_view_get_item (self), NULL);
}

static void
interp_notice_view_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), INTERP_TYPE_NOTICE_VIEW);
  G_OBJECT_CLASS (interp_notice_view_parent_class)->dispose (object);
}

static void
interp_notice_view_class_init (InterpNoticeViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = interp_notice_view_dispose;
  INTERP_ITEM_VIEW_CLASS (klass)->update = interp_notice_view_update;

  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/interpreter_app/Interpreter/ui/"
                                                             "interp-notice-view.ui");
  gtk_widget_class_bind_template_child (widget_class, InterpNoticeView, icon);
  gtk_widget_class_bind_template_child (widget_class, InterpNoticeView, text);
  gtk_widget_class_bind_template_child (widget_class, InterpNoticeView, offers);
  gtk_widget_class_install_action (widget_class, "notice.continue", NULL, go_on);
  gtk_widget_class_install_action (widget_class, "notice.try-again", NULL, try_again);
}

static void
interp_notice_view_init (InterpNoticeView *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
