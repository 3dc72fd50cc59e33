/* interp-transcript.h: what was said and done in a chat
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <adwaita.h>

#include "base/interp-settings.h"
#include "session/interp-session.h"

G_BEGIN_DECLS

#define INTERP_TYPE_TRANSCRIPT (interp_transcript_get_type ())
G_DECLARE_FINAL_TYPE (InterpTranscript, interp_transcript, INTERP, TRANSCRIPT, AdwBin)

/* Property "session" (InterpSession, nullable). */
GtkWidget *interp_transcript_new (void);
void interp_transcript_set_settings (InterpTranscript *self, InterpSettings *settings);
void interp_transcript_set_session (InterpTranscript *self, InterpSession *session);

/* Shows item @id, loading earlier ones when needed, and puts the focus on it. */
void interp_transcript_show_item (InterpTranscript *self, gint64 id);
/* Scrolls to it where it has a widget, without the focus. */
void interp_transcript_reveal_item (InterpTranscript *self, gint64 id);
/* Moves the focus to the next (@step 1) or previous (−1) cell; FALSE when there is none. */
gboolean interp_transcript_move_to_cell (InterpTranscript *self, int step);
void interp_transcript_jump_to_latest (InterpTranscript *self);
/* Opens "find in chat". */
void interp_transcript_find (InterpTranscript *self);

G_END_DECLS
