/* interp-engine.c: what front ends hold
 *
 * The list of chats shows what the store has; of chats that are open here it follows the session. Sessions belong to
 * who opened them, and to themselves while something of theirs runs.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <glib/gi18n.h>

#include "base/interp-fiber.h"
#include "base/interp-paths.h"
#include "session/interp-engine.h"
#include "session/interp-session-list.h"
#include "session/interp-session-private.h"

#define SEARCH_LIMIT 200
#define MAX_RECENT_MODELS 12

struct _InterpEngine
{
  GObject parent_instance;

  InterpOptions *options;
  InterpSettings *settings;
  InterpModels *models;
  InterpStore *store;
  char *notice;

  GListStore *chats;
  InterpSessionList *sessions;
  GHashTable *opening; /* chat → DexFuture of its session */
  gboolean reloading;
  gboolean reload_again;
};

enum
{
  NOTICE,
  N_SIGNALS,
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (InterpEngine, interp_engine, G_TYPE_OBJECT)

static void
interp_engine_finalize (GObject *object)
{
  InterpEngine *self = INTERP_ENGINE (object);

  g_clear_pointer (&self->options, interp_options_free);
  g_clear_object (&self->settings);
  g_clear_object (&self->models);
  g_clear_object (&self->store);
  g_free (self->notice);
  g_clear_object (&self->chats);
  g_clear_object (&self->sessions);
  g_clear_pointer (&self->opening, g_hash_table_unref);

  G_OBJECT_CLASS (interp_engine_parent_class)->finalize (object);
}

static void
interp_engine_class_init (InterpEngineClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = interp_engine_finalize;

  signals[NOTICE] = g_signal_new ("notice", INTERP_TYPE_ENGINE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                                  G_TYPE_STRING);
}

static void
interp_engine_init (InterpEngine *self)
{
  self->chats = g_list_store_new (INTERP_TYPE_CHAT);
  self->sessions = interp_session_list_new ();
  self->opening = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, dex_unref);
}

InterpEngine *
interp_engine_new (const InterpOptions *options)
{
  InterpEngine *self = g_object_new (INTERP_TYPE_ENGINE, NULL);

  self->options = interp_options_copy (options);
  self->settings = interp_settings_new ();
  self->models = interp_models_new ();
  interp_models_set_offline (self->models, self->options->offline
                                               || interp_settings_get_boolean (self->settings, "local-models-only"));

  return self;
}

InterpModels *
interp_engine_get_models (InterpEngine *self)
{
  g_return_val_if_fail (INTERP_IS_ENGINE (self), NULL);

  return self->models;
}

InterpSettings *
interp_engine_get_settings (InterpEngine *self)
{
  g_return_val_if_fail (INTERP_IS_ENGINE (self), NULL);

  return self->settings;
}

const char *
interp_engine_get_notice (InterpEngine *self)
{
  g_return_val_if_fail (INTERP_IS_ENGINE (self), NULL);

  return self->notice;
}

gboolean
interp_engine_is_read_only (InterpEngine *self)
{
  g_return_val_if_fail (INTERP_IS_ENGINE (self), FALSE);

  return self->store != NULL && interp_store_is_read_only (self->store);
}

GListModel *
interp_engine_get_chats (InterpEngine *self)
{
  g_return_val_if_fail (INTERP_IS_ENGINE (self), NULL);

  return G_LIST_MODEL (self->chats);
}

GListModel *
interp_engine_get_sessions (InterpEngine *self)
{
  g_return_val_if_fail (INTERP_IS_ENGINE (self), NULL);

  return G_LIST_MODEL (self->sessions);
}

/* ---- the list of chats ---- */

static InterpChat *
find_chat (InterpEngine *self, gint64 id, guint *position)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->chats));

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (InterpChat) chat = g_list_model_get_item (G_LIST_MODEL (self->chats), i);

      if (interp_chat_get_id (chat) == id)
        {
          if (position != NULL)
            *position = i;
          return chat;
        }
    }

  return NULL;
}

static InterpSession *
find_session (InterpEngine *self, gint64 id)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->sessions));

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (InterpSession) session = g_list_model_get_item (G_LIST_MODEL (self->sessions), i);

      if (interp_session_get_id (session) == id)
        return session;
    }

  return NULL;
}

static void
insert_chat (InterpEngine *self, InterpChat *chat)
{
  g_list_store_insert_sorted (self->chats, chat, interp_chat_compare, NULL);
}

/* Moves @chat only when its place is another. */
static void
place_chat (InterpEngine *self, InterpChat *chat)
{
  g_autoptr (InterpChat) hold = g_object_ref (chat);
  g_autoptr (InterpChat) before = NULL;
  g_autoptr (InterpChat) after = NULL;
  guint position;

  if (find_chat (self, interp_chat_get_id (chat), &position) == NULL)
    return;
  before = position > 0 ? g_list_model_get_item (G_LIST_MODEL (self->chats), position - 1) : NULL;
  after = g_list_model_get_item (G_LIST_MODEL (self->chats), position + 1);
  if ((before == NULL || interp_chat_compare (before, chat, NULL) < 0)
      && (after == NULL || interp_chat_compare (chat, after, NULL) < 0))
    return;
  g_list_store_remove (self->chats, position);
  insert_chat (self, chat);
}

static void
update_chat_from_row (InterpEngine *self, InterpChat *chat, const InterpChatRow *row)
{
  interp_chat_set_title (chat, row->title);
  interp_chat_set_updated (chat, row->updated);
  interp_chat_set_pinned (chat, row->pinned);
  interp_chat_set_folder (chat, row->folder);
}

/* What an entry says of a chat that is open here. */
static void
on_session_changed (InterpEngine *self, GParamSpec *pspec, InterpSession *session)
{
  gint64 id = interp_session_get_id (session);
  InterpChat *chat = id != 0 ? find_chat (self, id, NULL) : NULL;
  g_autoptr (InterpChat) fresh = NULL;
  const InterpChatRow *row = session->row;

  if (id == 0 || row->deleted != 0)
    return;
  if (chat == NULL)
    {
      fresh = interp_chat_new (id);
      update_chat_from_row (self, fresh, row);
      insert_chat (self, fresh);
      chat = fresh;
    }
  update_chat_from_row (self, chat, row);
  interp_chat_set_state (chat, interp_session_get_question (session) != NULL ? "waiting"
                               : interp_session_has_running (session)        ? "running"
                                                                             : "");
  place_chat (self, chat);
}

typedef struct
{
  InterpEngine *engine; /* weak */
  gint64 id;
} Gone;

/* A session that nobody holds any more says nothing of its chat. */
static void
on_session_gone (gpointer data, GObject *session)
{
  Gone *gone = data;

  if (gone->engine != NULL)
    {
      InterpChat *chat = find_chat (gone->engine, gone->id, NULL);

      if (chat != NULL)
        interp_chat_set_state (chat, "");
      g_object_remove_weak_pointer (G_OBJECT (gone->engine), (gpointer *) &gone->engine);
    }
  g_free (gone);
}

static void
on_session_id (InterpSession *session, GParamSpec *pspec, Gone *gone)
{
  gone->id = interp_session_get_id (session);
}

static void
add_session (InterpEngine *self, InterpSession *session)
{
  static const char *const watched[] = {
    "notify::id",     "notify::title", "notify::updated",  "notify::pinned",
    "notify::folder", "notify::state", "notify::question",
  };
  Gone *gone = g_new0 (Gone, 1);

  g_set_weak_pointer (&gone->engine, self);
  gone->id = interp_session_get_id (session);
  g_object_weak_ref (G_OBJECT (session), on_session_gone, gone);
  g_signal_connect (session, "notify::id", G_CALLBACK (on_session_id), gone);
  for (guint i = 0; i < G_N_ELEMENTS (watched); i++)
    g_signal_connect_object (session, watched[i], G_CALLBACK (on_session_changed), self, G_CONNECT_SWAPPED);
  interp_session_list_add (self->sessions, G_OBJECT (session));
}

static void
merge_chats (InterpEngine *self, GPtrArray *rows)
{
  g_autoptr (GHashTable) known = g_hash_table_new (g_int64_hash, g_int64_equal);

  for (guint i = 0; i < rows->len; i++)
    g_hash_table_add (known, &((InterpChatRow *) g_ptr_array_index (rows, i))->id);
  for (guint i = g_list_model_get_n_items (G_LIST_MODEL (self->chats)); i > 0; i--)
    {
      g_autoptr (InterpChat) chat = g_list_model_get_item (G_LIST_MODEL (self->chats), i - 1);
      gint64 id = interp_chat_get_id (chat);

      if (!g_hash_table_contains (known, &id))
        g_list_store_remove (self->chats, i - 1);
    }

  for (guint i = 0; i < rows->len; i++)
    {
      const InterpChatRow *row = g_ptr_array_index (rows, i);
      InterpChat *chat = find_chat (self, row->id, NULL);
      g_autoptr (InterpChat) fresh = NULL;

      if (chat != NULL)
        {
          update_chat_from_row (self, chat, row);
          place_chat (self, chat);
          continue;
        }
      fresh = interp_chat_new (row->id);
      update_chat_from_row (self, fresh, row);
      insert_chat (self, fresh);
    }
}

/* At the start: all at once. */
static void
fill_chats (InterpEngine *self, GPtrArray *rows)
{
  g_autoptr (GPtrArray) chats = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < rows->len; i++)
    {
      const InterpChatRow *row = g_ptr_array_index (rows, i);
      InterpChat *chat = interp_chat_new (row->id);

      update_chat_from_row (self, chat, row);
      g_ptr_array_add (chats, chat);
    }
  g_list_store_splice (self->chats, 0, 0, chats->pdata, chats->len);
}

static DexFuture *
reload_fiber (gpointer data)
{
  InterpEngine *self = data;

  while (self->reload_again)
    {
      g_autoptr (GPtrArray) rows = NULL;

      self->reload_again = FALSE;
      rows = dex_await_boxed (interp_store_list_chats (self->store), NULL);
      if (rows != NULL)
        merge_chats (self, rows);
    }
  self->reloading = FALSE;

  return dex_future_new_true ();
}

static void
reload (InterpEngine *self)
{
  self->reload_again = TRUE;
  if (self->reloading)
    return;
  self->reloading = TRUE;
  interp_fiber_run ("Listing chats", reload_fiber, g_object_ref (self), g_object_unref);
}

static void
on_store_changed (InterpEngine *self, gint64 chat)
{
  if (chat == 0)
    reload (self);
}

/* ---- start and stop ---- */

static DexFuture *
start_fiber (gpointer data)
{
  InterpEngine *self = data;
  const char *folder = self->options->data_folder != NULL ? self->options->data_folder : interp_paths_data ();
  g_autoptr (GPtrArray) rows = NULL;
  g_autoptr (GError) error = NULL;

  if (self->store != NULL)
    return dex_future_new_true ();
  self->store = dex_await_object (interp_store_open (folder), &error);
  if (self->store == NULL)
    return dex_future_new_for_error (g_steal_pointer (&error));
  self->notice = g_strdup (interp_store_get_notice (self->store));
  g_signal_connect_object (self->store, "changed", G_CALLBACK (on_store_changed), self, G_CONNECT_SWAPPED);
  rows = dex_await_boxed (interp_store_list_chats (self->store), &error);
  if (rows == NULL)
    return dex_future_new_for_error (g_steal_pointer (&error));
  fill_chats (self, rows);
  if (self->notice != NULL)
    g_signal_emit (self, signals[NOTICE], 0, self->notice);

  return dex_future_new_true ();
}

DexFuture *
interp_engine_start (InterpEngine *self)
{
  g_return_val_if_fail (INTERP_IS_ENGINE (self), NULL);

  return interp_fiber_spawn (start_fiber, g_object_ref (self), g_object_unref);
}

static DexFuture *
stop_fiber (gpointer data)
{
  InterpEngine *self = data;
  g_autoptr (GPtrArray) sessions = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GPtrArray) ending = g_ptr_array_new_with_free_func (dex_unref);
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->sessions));

  for (guint i = 0; i < n; i++)
    g_ptr_array_add (sessions, g_list_model_get_item (G_LIST_MODEL (self->sessions), i));
  for (guint i = 0; i < sessions->len; i++)
    g_ptr_array_add (ending, interp_session_shut_down (g_ptr_array_index (sessions, i)));
  for (guint i = 0; i < ending->len; i++)
    dex_await (dex_ref (g_ptr_array_index (ending, i)), NULL);
  if (self->store != NULL)
    dex_await (interp_store_close (self->store), NULL);

  return dex_future_new_true ();
}

DexFuture *
interp_engine_stop (InterpEngine *self)
{
  g_return_val_if_fail (INTERP_IS_ENGINE (self), NULL);

  return interp_fiber_spawn (stop_fiber, g_object_ref (self), g_object_unref);
}

gboolean
interp_engine_has_running (InterpEngine *self)
{
  guint n;

  g_return_val_if_fail (INTERP_IS_ENGINE (self), FALSE);

  n = g_list_model_get_n_items (G_LIST_MODEL (self->sessions));
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (InterpSession) session = g_list_model_get_item (G_LIST_MODEL (self->sessions), i);

      if (interp_session_has_running (session))
        return TRUE;
    }

  return FALSE;
}

/* ---- sessions ---- */

InterpSession *
interp_engine_new_session (InterpEngine *self, const InterpOptions *options)
{
  InterpSession *session;

  g_return_val_if_fail (INTERP_IS_ENGINE (self), NULL);
  g_return_val_if_fail (self->store != NULL, NULL);

  session
      = interp_session_new (self->store, self->models, self->settings, options != NULL ? options : self->options, NULL);
  add_session (self, session);
  interp_session_look_for_model (session);

  return session;
}

typedef struct
{
  InterpEngine *engine;
  gint64 id;
  char *title;
} Request;

static void
request_free (gpointer data)
{
  Request *request = data;

  g_object_unref (request->engine);
  g_free (request->title);
  g_free (request);
}

static Request *
request_new (InterpEngine *self, gint64 id)
{
  Request *request = g_new0 (Request, 1);

  request->engine = g_object_ref (self);
  request->id = id;

  return request;
}

static DexFuture *
open_fiber (gpointer data)
{
  Request *request = data;
  InterpEngine *self = request->engine;
  g_autoptr (InterpChatRow) row = NULL;
  g_autoptr (InterpSession) session = NULL;
  g_autoptr (GError) error = NULL;

  row = dex_await_boxed (interp_store_get_chat (self->store, request->id), &error);
  if (row != NULL && row->deleted != 0)
    g_set_error_literal (&error, INTERP_STORE_ERROR, INTERP_STORE_ERROR_NOT_FOUND, _ ("This chat was deleted."));
  if (error == NULL)
    {
      session = interp_session_new (self->store, self->models, self->settings, self->options, g_steal_pointer (&row));
      if (interp_session_open (session, &error))
        add_session (self, session);
    }
  g_hash_table_remove (self->opening, &request->id);
  if (error != NULL)
    return dex_future_new_for_error (g_steal_pointer (&error));

  return dex_future_new_take_object (g_steal_pointer (&session));
}

DexFuture *
interp_engine_open_session (InterpEngine *self, gint64 id)
{
  InterpSession *alive;
  DexFuture *opening;

  g_return_val_if_fail (INTERP_IS_ENGINE (self), NULL);
  g_return_val_if_fail (self->store != NULL, NULL);
  g_return_val_if_fail (id != 0, NULL);

  alive = find_session (self, id);
  if (alive != NULL)
    return dex_future_new_take_object (g_object_ref (alive));
  opening = g_hash_table_lookup (self->opening, &id);
  if (opening == NULL)
    {
      opening = interp_fiber_spawn (open_fiber, request_new (self, id), request_free);
      g_hash_table_insert (self->opening, g_memdup2 (&id, sizeof id), opening);
    }

  return dex_ref (opening);
}

/* ---- changes of a chat ---- */

static void
change (InterpEngine *self, DexFuture *future)
{
  dex_future_disown (future);
}

void
interp_engine_rename_chat (InterpEngine *self, gint64 id, const char *title)
{
  InterpSession *session;
  InterpChat *chat;

  g_return_if_fail (INTERP_IS_ENGINE (self));
  g_return_if_fail (title != NULL);

  session = find_session (self, id);
  if (session != NULL)
    interp_session_set_title (session, title);
  chat = find_chat (self, id, NULL);
  if (chat != NULL)
    interp_chat_set_title (chat, title);
  change (self, interp_store_set_title (self->store, id, title));
}

void
interp_engine_set_pinned (InterpEngine *self, gint64 id, gboolean pinned)
{
  InterpSession *session;
  InterpChat *chat;

  g_return_if_fail (INTERP_IS_ENGINE (self));

  session = find_session (self, id);
  if (session != NULL)
    interp_session_set_pinned (session, pinned);
  chat = find_chat (self, id, NULL);
  if (chat != NULL)
    {
      interp_chat_set_pinned (chat, pinned);
      place_chat (self, chat);
    }
  change (self, interp_store_set_pinned (self->store, id, pinned));
}

void
interp_engine_delete_chat (InterpEngine *self, gint64 id)
{
  InterpSession *session;
  guint position;

  g_return_if_fail (INTERP_IS_ENGINE (self));

  session = find_session (self, id);
  if (session != NULL)
    {
      session->row->deleted = 1;
      dex_future_disown (interp_session_end_work (session));
    }
  if (find_chat (self, id, &position) != NULL)
    g_list_store_remove (self->chats, position);
  change (self, interp_store_set_deleted (self->store, id, TRUE));
}

static DexFuture *
undelete_fiber (gpointer data)
{
  Request *request = data;
  g_autoptr (GError) error = NULL;

  if (!dex_await (interp_store_set_deleted (request->engine->store, request->id, FALSE), &error))
    return dex_future_new_for_error (g_steal_pointer (&error));
  reload (request->engine);

  return dex_future_new_true ();
}

void
interp_engine_undelete_chat (InterpEngine *self, gint64 id)
{
  InterpSession *session;

  g_return_if_fail (INTERP_IS_ENGINE (self));

  session = find_session (self, id);
  if (session != NULL)
    session->row->deleted = 0;
  interp_fiber_run ("Bringing a chat back", undelete_fiber, request_new (self, id), request_free);
}

DexFuture *
interp_engine_search (InterpEngine *self, const char *words)
{
  g_return_val_if_fail (INTERP_IS_ENGINE (self), NULL);
  g_return_val_if_fail (words != NULL, NULL);

  return interp_store_search (self->store, words, SEARCH_LIMIT);
}

/* ---- the model to begin with ---- */

/* @name is "provider/name" of a provider that answers. */
static gboolean
answers (InterpEngine *self, InterpModel *model)
{
  GListModel *findings = interp_models_get_findings (self->models);
  guint n = g_list_model_get_n_items (findings);

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (InterpFinding) finding = g_list_model_get_item (findings, i);

      if (interp_finding_get_provider (finding) == interp_model_get_provider (model))
        return interp_finding_answers (finding);
    }

  /* An address of the user's own is not looked for. */
  return TRUE;
}

static DexFuture *
choose_model_fiber (gpointer data)
{
  InterpEngine *self = data;
  g_autofree char *last = interp_settings_get_string (self->settings, "last-model");
  g_autoptr (InterpModel) model = NULL;

  if (self->options->model != NULL || self->options->api_base != NULL)
    return interp_models_resolve (self->models, self->options->model, self->options->api_base, self->options->api_key);

  if (last != NULL && *last != '\0')
    {
      if (!g_str_equal (last, "tour"))
        dex_await (interp_models_discover (self->models), NULL);
      model = dex_await_object (interp_models_resolve (self->models, last, NULL, NULL), NULL);
    }
  if (model != NULL && !answers (self, model))
    g_clear_object (&model);

  if (model == NULL)
    return dex_future_new_reject (INTERP_LLM_ERROR, INTERP_LLM_ERROR_NO_MODEL, _ ("No model is chosen."));

  return dex_future_new_take_object (g_steal_pointer (&model));
}

DexFuture *
interp_engine_choose_model (InterpEngine *self)
{
  g_return_val_if_fail (INTERP_IS_ENGINE (self), NULL);

  return interp_fiber_spawn (choose_model_fiber, g_object_ref (self), g_object_unref);
}

void
interp_engine_remember_model (InterpEngine *self, InterpModel *model)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) recent = NULL;
  g_auto (GStrv) names = NULL;
  g_autofree char *name = NULL;

  g_return_if_fail (INTERP_IS_ENGINE (self));
  g_return_if_fail (INTERP_IS_MODEL (model));

  name = interp_model_dup_name (model);
  interp_settings_set_string (self->settings, "last-model", name);

  recent = interp_settings_get_strv (self->settings, "recent-models");
  g_strv_builder_add (builder, name);
  for (guint i = 0, n = 1; recent != NULL && recent[i] != NULL && n < MAX_RECENT_MODELS; i++)
    if (!g_str_equal (recent[i], name))
      {
        g_strv_builder_add (builder, recent[i]);
        n++;
      }
  names = g_strv_builder_end (builder);
  interp_settings_set_strv (self->settings, "recent-models", (const char *const *) names);
}
