/* interp-window.h: the window: chats, one of them in view, its terminals
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <adwaita.h>

#include "session/interp-engine.h"

G_BEGIN_DECLS

#define INTERP_TYPE_WINDOW (interp_window_get_type ())
G_DECLARE_FINAL_TYPE (InterpWindow, interp_window, INTERP, WINDOW, AdwApplicationWindow)

/* Property "session" (InterpSession, nullable until the engine has started). */
InterpWindow *interp_window_new (AdwApplication *application, InterpEngine *engine);
InterpEngine *interp_window_get_engine (InterpWindow *self);
InterpSession *interp_window_get_session (InterpWindow *self);
void interp_window_set_session (InterpWindow *self, InterpSession *session);

/* @options (nullable) apply to the new chat alone. */
void interp_window_new_chat (InterpWindow *self, const InterpOptions *options);
/* @item: to be shown, or 0. */
void interp_window_open_chat (InterpWindow *self, gint64 id, gint64 item);
/* Opens the question of the chat in view, also when its dialog was closed before. */
void interp_window_show_question (InterpWindow *self);
/* A sentence at the top, until the user has seen it. */
void interp_window_show_notice (InterpWindow *self, const char *sentence);
void interp_window_toast (InterpWindow *self, const char *text);

G_END_DECLS
