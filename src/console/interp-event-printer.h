/* interp-event-printer.h: what happens in a conversation, one JSON object a line
 *
 * Each line has "event": start, text, reasoning, code, result, notice, error, end. The man page lists their
 * members.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "session/interp-session.h"

G_BEGIN_DECLS

typedef struct _InterpEventPrinter InterpEventPrinter;

/* Writes to standard output. */
InterpEventPrinter *interp_event_printer_new (InterpSession *session);
void interp_event_printer_free (InterpEventPrinter *self);
/* The last line. @answer nullable. */
void interp_event_printer_end (InterpEventPrinter *self, int status, const char *answer);

G_END_DECLS
