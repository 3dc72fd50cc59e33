/* interp-transcript-printer.h: a conversation printed as it grows, item after item
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "interp-tty.h"
#include "session/interp-session.h"

G_BEGIN_DECLS

typedef struct _InterpTranscriptPrinter InterpTranscriptPrinter;

/* @changed is called after something was printed or an item's state moved. */
InterpTranscriptPrinter *interp_transcript_printer_new (InterpTty *tty, InterpSession *session, gboolean mark_line,
                                                        void (*changed) (gpointer data), gpointer data);
void interp_transcript_printer_free (InterpTranscriptPrinter *self);
/* Prints what is new. */
void interp_transcript_printer_update (InterpTranscriptPrinter *self);
/* The cell whose code stands on the screen and that waits for an answer, or NULL. Borrowed. */
InterpCell *interp_transcript_printer_get_waiting (InterpTranscriptPrinter *self);
/* Everything that there is has been printed. */
gboolean interp_transcript_printer_is_done (InterpTranscriptPrinter *self);
/* Users' messages are printed too: of a conversation from another time. */
void interp_transcript_printer_set_show_user (InterpTranscriptPrinter *self, gboolean show_user);
/* Thinking is printed in full, not only how long it took. */
void interp_transcript_printer_set_verbose (InterpTranscriptPrinter *self, gboolean verbose);
/* What the model says last is the answer, which somebody else prints: text is printed only once something
 * follows it. */
void interp_transcript_printer_set_hold_answer (InterpTranscriptPrinter *self, gboolean hold_answer);
void interp_transcript_printer_resize (InterpTranscriptPrinter *self);

G_END_DECLS
