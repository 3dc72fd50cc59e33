/* interp-chat.c: an entry of the list of chats
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <glib/gi18n.h>

#include "session/interp-chat.h"

struct _InterpChat
{
  GObject parent_instance;

  gint64 id;
  char *title;
  gint64 updated;
  gboolean pinned;
  const char *state; /* interned */
  char *folder;
};

enum
{
  PROP_0,
  PROP_ID,
  PROP_TITLE,
  PROP_UPDATED,
  PROP_PINNED,
  PROP_STATE,
  PROP_FOLDER,
  N_PROPS,
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (InterpChat, interp_chat, G_TYPE_OBJECT)

static void
interp_chat_finalize (GObject *object)
{
  InterpChat *self = INTERP_CHAT (object);

  g_free (self->title);
  g_free (self->folder);

  G_OBJECT_CLASS (interp_chat_parent_class)->finalize (object);
}

static void
interp_chat_get_property (GObject *object, guint prop_id, GValue *value, GParamSpec *pspec)
{
  InterpChat *self = INTERP_CHAT (object);

  switch (prop_id)
    {
    case PROP_ID:
      g_value_set_int64 (value, self->id);
      break;
    case PROP_TITLE:
      g_value_set_string (value, interp_chat_get_title (self));
      break;
    case PROP_UPDATED:
      g_value_set_int64 (value, self->updated);
      break;
    case PROP_PINNED:
      g_value_set_boolean (value, self->pinned);
      break;
    case PROP_STATE:
      g_value_set_static_string (value, self->state);
      break;
    case PROP_FOLDER:
      g_value_set_string (value, self->folder);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
interp_chat_class_init (InterpChatClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;

  object_class->finalize = interp_chat_finalize;
  object_class->get_property = interp_chat_get_property;

  properties[PROP_ID] = g_param_spec_int64 ("id", NULL, NULL, 0, G_MAXINT64, 0, flags);
  properties[PROP_TITLE] = g_param_spec_string ("title", NULL, NULL, "", flags);
  properties[PROP_UPDATED] = g_param_spec_int64 ("updated", NULL, NULL, 0, G_MAXINT64, 0, flags);
  properties[PROP_PINNED] = g_param_spec_boolean ("pinned", NULL, NULL, FALSE, flags);
  properties[PROP_STATE] = g_param_spec_string ("state", NULL, NULL, "", flags);
  properties[PROP_FOLDER] = g_param_spec_string ("folder", NULL, NULL, NULL, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
interp_chat_init (InterpChat *self)
{
  self->state = g_intern_static_string ("");
}

InterpChat *
interp_chat_new (gint64 id)
{
  InterpChat *self = g_object_new (INTERP_TYPE_CHAT, NULL);

  self->id = id;

  return self;
}

static void
notify (InterpChat *self, guint property)
{
  g_object_notify_by_pspec (G_OBJECT (self), properties[property]);
}

gint64
interp_chat_get_id (InterpChat *self)
{
  g_return_val_if_fail (INTERP_IS_CHAT (self), 0);

  return self->id;
}

const char *
interp_chat_get_title (InterpChat *self)
{
  g_return_val_if_fail (INTERP_IS_CHAT (self), "");

  return self->title != NULL && *self->title != '\0' ? self->title : _ ("New Chat");
}

void
interp_chat_set_title (InterpChat *self, const char *title)
{
  g_return_if_fail (INTERP_IS_CHAT (self));

  if (g_set_str (&self->title, title))
    notify (self, PROP_TITLE);
}

gint64
interp_chat_get_updated (InterpChat *self)
{
  g_return_val_if_fail (INTERP_IS_CHAT (self), 0);

  return self->updated;
}

void
interp_chat_set_updated (InterpChat *self, gint64 updated)
{
  g_return_if_fail (INTERP_IS_CHAT (self));

  if (self->updated == updated)
    return;
  self->updated = updated;
  notify (self, PROP_UPDATED);
}

gboolean
interp_chat_get_pinned (InterpChat *self)
{
  g_return_val_if_fail (INTERP_IS_CHAT (self), FALSE);

  return self->pinned;
}

void
interp_chat_set_pinned (InterpChat *self, gboolean pinned)
{
  g_return_if_fail (INTERP_IS_CHAT (self));

  if (self->pinned == !!pinned)
    return;
  self->pinned = !!pinned;
  notify (self, PROP_PINNED);
}

const char *
interp_chat_get_state (InterpChat *self)
{
  g_return_val_if_fail (INTERP_IS_CHAT (self), "");

  return self->state;
}

void
interp_chat_set_state (InterpChat *self, const char *state)
{
  const char *interned = g_intern_string (state);

  g_return_if_fail (INTERP_IS_CHAT (self));

  if (self->state == interned)
    return;
  self->state = interned;
  notify (self, PROP_STATE);
}

const char *
interp_chat_get_folder (InterpChat *self)
{
  g_return_val_if_fail (INTERP_IS_CHAT (self), NULL);

  return self->folder;
}

void
interp_chat_set_folder (InterpChat *self, const char *folder)
{
  g_return_if_fail (INTERP_IS_CHAT (self));

  if (g_set_str (&self->folder, folder))
    notify (self, PROP_FOLDER);
}

int
interp_chat_compare (gconstpointer a, gconstpointer b, gpointer unused)
{
  const InterpChat *first = a;
  const InterpChat *second = b;

  if (first->pinned != second->pinned)
    return first->pinned ? -1 : 1;
  if (first->updated != second->updated)
    return first->updated > second->updated ? -1 : 1;

  return first->id > second->id ? -1 : first->id < second->id;
}
