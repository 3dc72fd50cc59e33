/* interp-model-row.c: one model to choose: what it can do, where it is, and its star
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "models/interp-model-row.h"

#include <glib/gi18n.h>

#define FAVOURITES "favourite-models"
/* A list in the settings is for people; more would be a fault. */
#define MAX_FAVOURITES 100

struct _InterpModelRow
{
  AdwActionRow parent_instance;

  InterpModel *model;
  InterpSettings *settings;
  GtkWidget *star;
};

G_DEFINE_FINAL_TYPE (InterpModelRow, interp_model_row, ADW_TYPE_ACTION_ROW)

/* "32k tokens": windows are named in units of 1024 or of 1000, whichever they are. */
static char *
describe_window (gint64 tokens)
{
  if (tokens >= 1024 && tokens % 1024 == 0)
    /* Translators: how long a conversation the model can follow, in thousands of tokens */
    return g_strdup_printf (_ ("%'lldk tokens"), (long long) (tokens / 1024));
  if (tokens >= 1000)
    return g_strdup_printf (_ ("%'lldk tokens"), (long long) ((tokens + 500) / 1000));
  return g_strdup_printf (ngettext ("%'lld token", "%'lld tokens", (gulong) tokens), (long long) tokens);
}

static void
add_capability (InterpModelRow *self, GString *words, InterpSupport support, const char *icon, const char *word)
{
  GtkWidget *image;

  if (support != INTERP_SUPPORT_YES)
    return;

  image = gtk_image_new_from_icon_name (icon);
  gtk_widget_set_tooltip_text (image, word);
  gtk_widget_add_css_class (image, "dimmed");
  gtk_accessible_update_property (GTK_ACCESSIBLE (image), GTK_ACCESSIBLE_PROPERTY_LABEL, word, -1);
  adw_action_row_add_suffix (ADW_ACTION_ROW (self), image);
  if (words->len > 0)
    g_string_append (words, ", ");
  g_string_append (words, word);
}

static gboolean
is_favourite (InterpModelRow *self)
{
  g_auto (GStrv) names = interp_settings_get_strv (self->settings, FAVOURITES);
  g_autofree char *name = interp_model_dup_name (self->model);

  return names != NULL && g_strv_contains ((const char *const *) names, name);
}

static void
on_star_toggled (InterpModelRow *self)
{
  gboolean wanted = gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (self->star));
  g_auto (GStrv) names = interp_settings_get_strv (self->settings, FAVOURITES);
  g_autofree char *name = interp_model_dup_name (self->model);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) changed = NULL;

  if (wanted)
    g_strv_builder_add (builder, name);
  for (guint i = 0; names != NULL && names[i] != NULL && i < MAX_FAVOURITES; i++)
    if (!g_str_equal (names[i], name))
      g_strv_builder_add (builder, names[i]);
  changed = g_strv_builder_end (builder);
  interp_settings_set_strv (self->settings, FAVOURITES, (const char *const *) changed);
  gtk_button_set_icon_name (GTK_BUTTON (self->star), wanted ? "starred-symbolic" : "non-starred-symbolic");
}

static void
add_star (InterpModelRow *self)
{
  gboolean favourite = is_favourite (self);
  /* Translators: %s is a model; a toggle button */
  g_autofree char *label = g_strdup_printf (_ ("%s is a favourite"), interp_model_get_title (self->model));

  self->star = gtk_toggle_button_new ();
  gtk_button_set_icon_name (GTK_BUTTON (self->star), favourite ? "starred-symbolic" : "non-starred-symbolic");
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->star), favourite);
  gtk_widget_set_tooltip_text (self->star, _ ("Favourite"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->star), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  gtk_widget_set_valign (self->star, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (self->star, "flat");
  gtk_widget_add_css_class (self->star, "star");
  g_signal_connect_object (self->star, "toggled", G_CALLBACK (on_star_toggled), self, G_CONNECT_SWAPPED);
  adw_action_row_add_suffix (ADW_ACTION_ROW (self), self->star);
}

static void
fill (InterpModelRow *self, gboolean chosen)
{
  InterpProvider *provider = interp_model_get_provider (self->model);
  gint64 window = interp_model_get_context_window (self->model);
  g_autoptr (GString) subtitle = g_string_new (interp_provider_get_title (provider));
  g_autoptr (GString) words = g_string_new (NULL);

  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (self), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self), interp_model_get_title (self->model));
  if (!interp_provider_is_local (provider))
    {
      g_autofree char *place = interp_provider_describe_place (provider);

      if (!g_str_equal (place, subtitle->str))
        g_string_append_printf (subtitle, " · %s", place);
    }
  if (window > 0)
    {
      g_autofree char *text = describe_window (window);

      g_string_append_printf (subtitle, " · %s", text);
    }
  adw_action_row_set_subtitle (ADW_ACTION_ROW (self), subtitle->str);
  adw_action_row_set_title_lines (ADW_ACTION_ROW (self), 2);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (self), TRUE);

  add_capability (self, words, chosen ? INTERP_SUPPORT_YES : INTERP_SUPPORT_NO, "object-select-symbolic",
                  _ ("Answers now"));
  add_capability (self, words, interp_model_get_tools (self->model), "applications-engineering-symbolic",
                  _ ("Calls tools"));
  add_capability (self, words, interp_model_get_vision (self->model), "image-x-generic-symbolic", _ ("Sees pictures"));
  add_capability (self, words, interp_model_get_thinking (self->model), "interpreter-thinking-symbolic",
                  _ ("Thinks before it answers"));
  if (words->len > 0)
    {
      g_autofree char *description = g_strdup_printf ("%s, %s", subtitle->str, words->str);

      gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, description, -1);
    }
  add_star (self);
}

static void
interp_model_row_finalize (GObject *object)
{
  InterpModelRow *self = INTERP_MODEL_ROW (object);

  g_clear_object (&self->model);
  g_clear_object (&self->settings);

  G_OBJECT_CLASS (interp_model_row_parent_class)->finalize (object);
}

static void
interp_model_row_class_init (InterpModelRowClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = interp_model_row_finalize;
}

static void
interp_model_row_init (InterpModelRow *self)
{
}

GtkWidget *
interp_model_row_new (InterpModel *model, InterpSettings *settings, gboolean chosen)
{
  InterpModelRow *self = g_object_new (INTERP_TYPE_MODEL_ROW, NULL);

  self->model = g_object_ref (model);
  self->settings = g_object_ref (settings);
  fill (self, chosen);
  return GTK_WIDGET (self);
}

InterpModel *
interp_model_row_get_model (InterpModelRow *self)
{
  g_return_val_if_fail (INTERP_IS_MODEL_ROW (self), NULL);

  return self->model;
}
