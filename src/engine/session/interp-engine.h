/* interp-engine.h: what front ends hold
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "base/interp-settings.h"
#include "llm/interp-models.h"
#include "session/interp-session.h"

G_BEGIN_DECLS

/* Options of one run, from the command line; all nullable / zero when not given. Freed with the struct. */
typedef struct
{
  char *data_folder; /* tests; NULL: interp_paths_data () */
  char *folder;
  char *model;
  char *api_base;
  char *api_key;
  char *system_message;      /* replaces ours */
  char *custom_instructions; /* added to ours */
  double temperature;        /* NAN: not set */
  gint64 context_window;
  gint64 max_tokens;
  gint64 max_output; /* bytes of a run's output given to the model; 0: default 16000 */
  gboolean auto_run;
  gboolean offline;
  gboolean loop;      /* go on until the model says it is done */
  guint loop_limit;   /* at most so many rounds; 0: default 25 */
} InterpOptions;
InterpOptions *interp_options_new (void);
InterpOptions *interp_options_copy (const InterpOptions *self);
void interp_options_free (InterpOptions *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpOptions, interp_options_free)

#define INTERP_TYPE_CHAT (interp_chat_get_type ())
G_DECLARE_FINAL_TYPE (InterpChat, interp_chat, INTERP, CHAT, GObject) /* an entry of the sidebar */

/* Properties (notify): id, title, updated, pinned, state ("", "running", "waiting"), folder. */
gint64 interp_chat_get_id (InterpChat *self);
const char *interp_chat_get_title (InterpChat *self); /* never empty: "New Chat" */
gint64 interp_chat_get_updated (InterpChat *self);
gboolean interp_chat_get_pinned (InterpChat *self);
const char *interp_chat_get_state (InterpChat *self);

#define INTERP_TYPE_ENGINE (interp_engine_get_type ())
G_DECLARE_FINAL_TYPE (InterpEngine, interp_engine, INTERP, ENGINE, GObject)

/* Signal "notice" (const char *): a sentence to show (database set aside, …). */
InterpEngine *interp_engine_new (const InterpOptions *options);
/* Opens the store and lists the chats; resolves to TRUE, or rejects with a sentence. No network, no child process. */
DexFuture *interp_engine_start (InterpEngine *self);
/* Stops everything, ends all kernels, closes the store. Resolves to TRUE when no process is left. */
DexFuture *interp_engine_stop (InterpEngine *self);

InterpModels *interp_engine_get_models (InterpEngine *self);
InterpSettings *interp_engine_get_settings (InterpEngine *self);
const char *interp_engine_get_notice (InterpEngine *self);
GListModel *interp_engine_get_chats (InterpEngine *self); /* InterpChat: pinned first, newest first */

/* A new, empty chat; nothing is written before its first draft or message. @options (nullable) apply to it alone. Transfer full. */
InterpSession *interp_engine_new_session (InterpEngine *self, const InterpOptions *options);
/* Resolves to the InterpSession of chat @id (the same object each time while somebody holds it). */
DexFuture *interp_engine_open_session (InterpEngine *self, gint64 id);
GListModel *interp_engine_get_sessions (InterpEngine *self); /* those alive: held, or with something running */
void interp_engine_rename_chat (InterpEngine *self, gint64 id, const char *title);
void interp_engine_set_pinned (InterpEngine *self, gint64 id, gboolean pinned);
/* Marks deleted; undo brings it back. */
void interp_engine_delete_chat (InterpEngine *self, gint64 id);
void interp_engine_undelete_chat (InterpEngine *self, gint64 id);
/* Resolves to boxed GPtrArray of InterpSearchHit (store/interp-store.h). */
DexFuture *interp_engine_search (InterpEngine *self, const char *words);
/* The model to begin with: the last one used that answers; resolves to an InterpModel or NULL. */
DexFuture *interp_engine_choose_model (InterpEngine *self);
void interp_engine_remember_model (InterpEngine *self, InterpModel *model);
gboolean interp_engine_has_running (InterpEngine *self);

G_END_DECLS
