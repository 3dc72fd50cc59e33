/* interp-session-list.c: the sessions alive, without keeping them so
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "session/interp-session-list.h"
#include "session/interp-session.h"

struct _InterpSessionList
{
  GObject parent_instance;

  GPtrArray *sessions; /* weak */
};

static void list_model_init (GListModelInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (InterpSessionList, interp_session_list, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_init))

static GType
get_item_type (GListModel *model)
{
  return INTERP_TYPE_SESSION;
}

static guint
get_n_items (GListModel *model)
{
  return INTERP_SESSION_LIST (model)->sessions->len;
}

static gpointer
get_item (GListModel *model, guint position)
{
  InterpSessionList *self = INTERP_SESSION_LIST (model);

  return position < self->sessions->len ? g_object_ref (g_ptr_array_index (self->sessions, position)) : NULL;
}

static void
list_model_init (GListModelInterface *iface)
{
  iface->get_item_type = get_item_type;
  iface->get_n_items = get_n_items;
  iface->get_item = get_item;
}

static void
on_session_gone (gpointer data, GObject *session)
{
  InterpSessionList *self = data;
  guint position;

  if (!g_ptr_array_find (self->sessions, session, &position))
    return;
  g_ptr_array_remove_index (self->sessions, position);
  g_list_model_items_changed (G_LIST_MODEL (self), position, 1, 0);
}

static void
interp_session_list_finalize (GObject *object)
{
  InterpSessionList *self = INTERP_SESSION_LIST (object);

  for (guint i = 0; i < self->sessions->len; i++)
    g_object_weak_unref (g_ptr_array_index (self->sessions, i), on_session_gone, self);
  g_ptr_array_unref (self->sessions);

  G_OBJECT_CLASS (interp_session_list_parent_class)->finalize (object);
}

static void
interp_session_list_class_init (InterpSessionListClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = interp_session_list_finalize;
}

static void
interp_session_list_init (InterpSessionList *self)
{
  self->sessions = g_ptr_array_new ();
}

InterpSessionList *
interp_session_list_new (void)
{
  return g_object_new (INTERP_TYPE_SESSION_LIST, NULL);
}

void
interp_session_list_add (InterpSessionList *self, GObject *session)
{
  g_return_if_fail (INTERP_IS_SESSION_LIST (self));
  g_return_if_fail (INTERP_IS_SESSION (session));

  g_object_weak_ref (session, on_session_gone, self);
  g_ptr_array_add (self->sessions, session);
  g_list_model_items_changed (G_LIST_MODEL (self), self->sessions->len - 1, 0, 1);
}
