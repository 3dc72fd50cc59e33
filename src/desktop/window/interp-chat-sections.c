/* interp-chat-sections.c: the list of chats, grouped by when they were last used
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "window/interp-chat-sections.h"

#include <glib/gi18n.h>
#include <gtk/gtk.h>

#include "base/interp-clock.h"

struct _InterpChatSections
{
  GObject parent_instance;

  GListModel *chats;
};

typedef enum
{
  SECTION_PINNED,
  SECTION_TODAY,
  SECTION_YESTERDAY,
  SECTION_WEEK,
  SECTION_MONTH,
  SECTION_EARLIER,
} Section;

static Section
get_section (InterpChat *chat)
{
  g_autoptr (GDateTime) now = g_date_time_new_from_unix_local (interp_clock_now () / 1000);
  g_autoptr (GDateTime) then = g_date_time_new_from_unix_local (interp_chat_get_updated (chat) / 1000);
  GDate today, day;
  int days;

  if (interp_chat_get_pinned (chat))
    return SECTION_PINNED;
  if (!now || !then)
    return SECTION_EARLIER;
  g_date_clear (&today, 1);
  g_date_clear (&day, 1);
  g_date_set_dmy (&today, (GDateDay) g_date_time_get_day_of_month (now), (GDateMonth) g_date_time_get_month (now),
                  (GDateYear) g_date_time_get_year (now));
  g_date_set_dmy (&day, (GDateDay) g_date_time_get_day_of_month (then), (GDateMonth) g_date_time_get_month (then),
                  (GDateYear) g_date_time_get_year (then));
  days = g_date_days_between (&day, &today);
  return days <= 0    ? SECTION_TODAY
         : days == 1  ? SECTION_YESTERDAY
         : days <= 7  ? SECTION_WEEK
         : days <= 31 ? SECTION_MONTH
                      : SECTION_EARLIER;
}

const char *
interp_chat_sections_get_title (InterpChat *chat)
{
  g_return_val_if_fail (INTERP_IS_CHAT (chat), NULL);

  switch (get_section (chat))
    {
    case SECTION_PINNED:
      return _ ("Pinned");
    case SECTION_TODAY:
      return _ ("Today");
    case SECTION_YESTERDAY:
      return _ ("Yesterday");
    case SECTION_WEEK:
      return _ ("Last Week");
    case SECTION_MONTH:
      return _ ("Last Month");
    case SECTION_EARLIER:
    default:
      return _ ("Earlier");
    }
}

static GType
sections_get_item_type (GListModel *model)
{
  return INTERP_TYPE_CHAT;
}

static guint
sections_get_n_items (GListModel *model)
{
  return g_list_model_get_n_items (INTERP_CHAT_SECTIONS (model)->chats);
}

static gpointer
sections_get_item (GListModel *model, guint position)
{
  return g_list_model_get_item (INTERP_CHAT_SECTIONS (model)->chats, position);
}

static void
sections_list_init (GListModelInterface *iface)
{
  iface->get_item_type = sections_get_item_type;
  iface->get_n_items = sections_get_n_items;
  iface->get_item = sections_get_item;
}

static Section
section_at (InterpChatSections *self, guint position)
{
  g_autoptr (InterpChat) chat = g_list_model_get_item (self->chats, position);

  return get_section (chat);
}

static void
sections_get_section (GtkSectionModel *model, guint position, guint *out_start, guint *out_end)
{
  InterpChatSections *self = INTERP_CHAT_SECTIONS (model);
  guint n = g_list_model_get_n_items (self->chats);
  Section section;
  guint low, high;

  if (position >= n)
    {
      *out_start = n;
      *out_end = G_MAXUINT;
      return;
    }
  /* The list is ordered, so are the sections: their borders are found by halving. */
  section = section_at (self, position);
  for (low = 0, high = position; low < high;)
    {
      guint middle = low + (high - low) / 2;

      if (section_at (self, middle) < section)
        low = middle + 1;
      else
        high = middle;
    }
  *out_start = low;
  for (low = position + 1, high = n; low < high;)
    {
      guint middle = low + (high - low) / 2;

      if (section_at (self, middle) > section)
        high = middle;
      else
        low = middle + 1;
    }
  *out_end = low;
}

static void
sections_section_init (GtkSectionModelInterface *iface)
{
  iface->get_section = sections_get_section;
}

G_DEFINE_FINAL_TYPE_WITH_CODE (InterpChatSections, interp_chat_sections, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, sections_list_init)
                                   G_IMPLEMENT_INTERFACE (GTK_TYPE_SECTION_MODEL, sections_section_init))

static void
on_items_changed (InterpChatSections *self, guint position, guint removed, guint added)
{
  g_list_model_items_changed (G_LIST_MODEL (self), position, removed, added);
}

void
interp_chat_sections_refresh (InterpChatSections *self)
{
  guint n;

  g_return_if_fail (INTERP_IS_CHAT_SECTIONS (self));

  n = g_list_model_get_n_items (self->chats);
  if (n > 0)
    gtk_section_model_sections_changed (GTK_SECTION_MODEL (self), 0, n);
}

InterpChatSections *
interp_chat_sections_new (GListModel *chats)
{
  InterpChatSections *self;

  g_return_val_if_fail (G_IS_LIST_MODEL (chats), NULL);

  self = g_object_new (INTERP_TYPE_CHAT_SECTIONS, NULL);
  self->chats = g_object_ref (chats);
  g_signal_connect_object (chats, "items-changed", G_CALLBACK (on_items_changed), self, G_CONNECT_SWAPPED);
  return self;
}

static void
interp_chat_sections_dispose (GObject *object)
{
  g_clear_object (&INTERP_CHAT_SECTIONS (object)->chats);
  G_OBJECT_CLASS (interp_chat_sections_parent_class)->dispose (object);
}

static void
interp_chat_sections_class_init (InterpChatSectionsClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = interp_chat_sections_dispose;
}

static void
interp_chat_sections_init (InterpChatSections *self)
{
}
