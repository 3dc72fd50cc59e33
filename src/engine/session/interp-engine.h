/* interp-engine.h: what front ends hold
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "base/interp-settings.h"
#include "llm/interp-models.h"
#include "session/interp-chat.h"
#include "session/interp-options.h"
#include "session/interp-session.h"

G_BEGIN_DECLS

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
gboolean interp_engine_is_read_only (InterpEngine *self); /* nothing can be kept: the notice says why */
GListModel *interp_engine_get_chats (InterpEngine *self); /* InterpChat: pinned first, newest first */

/* A new, empty chat; nothing is written before its first draft or message. @options (nullable) apply to it alone.
 * Transfer full. */
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
/* The model to begin with: the last one used that answers; resolves to an InterpModel, or rejects. */
DexFuture *interp_engine_choose_model (InterpEngine *self);
void interp_engine_remember_model (InterpEngine *self, InterpModel *model);
gboolean interp_engine_has_running (InterpEngine *self);

G_END_DECLS
