/* interp-window-private.h: shared by the window's files
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "approval/interp-approval-controller.h"
#include "composer/interp-composer.h"
#include "composer/interp-slash-commands.h"
#include "terminal/interp-terminal-pane.h"
#include "transcript/interp-transcript.h"
#include "window/interp-chat-title.h"
#include "window/interp-empty-chat.h"
#include "window/interp-mode-button.h"
#include "window/interp-safe-button.h"
#include "window/interp-sidebar.h"
#include "window/interp-window.h"

G_BEGIN_DECLS

struct _InterpWindow
{
  AdwApplicationWindow parent_instance;

  AdwOverlaySplitView *split_view;
  InterpSidebar *sidebar;
  AdwHeaderBar *header;
  InterpChatTitle *title;
  InterpModeButton *mode_button;
  InterpSafeButton *safe_button;
  GtkToggleButton *terminals_button;
  GtkLabel *running_label;
  GtkMenuButton *menu_button;
  AdwBanner *notice_banner;
  AdwBanner *question_banner;
  AdwBanner *read_only_banner;
  AdwToastOverlay *toasts;
  GtkPaned *paned;
  GtkWidget *chat_box;
  GtkStack *pages;
  AdwBin *greeting_bin;
  InterpEmptyChat *empty_chat;
  InterpTranscript *transcript;
  InterpComposer *composer;
  AdwBin *terminals_bin;
  GtkWidget *terminals;

  InterpEngine *engine;
  InterpSettings *settings;
  InterpSession *session;
  GListModel *items; /* the session's */
  InterpApprovalController *approval;

  gboolean narrow; /* terminals are a page of their own */
  gboolean model_looked_for;
  gboolean placing; /* the paned position is being set by us */
  gboolean closing;
  guint question_source;
  guint focus_source;
  GtkWidget *focus_before; /* weak */
  guint open_serial;
};

void interp_window_install_actions (GtkWidgetClass *widget_class);
/* After the third approval in a chat: need all of it be asked? */
void interp_window_offer_sandbox (InterpWindow *self);
/* The user's message names a folder that the sandbox lacks: one click gives it. */
void interp_window_offer_folder (InterpWindow *self, const char *folder);
/* Enables what can be done now. */
void interp_window_update_actions (InterpWindow *self);
void interp_window_on_command (InterpWindow *self, int command, const char *argument);
void interp_window_set_terminals_shown (InterpWindow *self, gboolean shown);
void interp_window_apply_text_scale (InterpWindow *self);
/* Asks what is to become of running code; TRUE when the window may close now. */
gboolean interp_window_may_close (InterpWindow *self);

G_END_DECLS
