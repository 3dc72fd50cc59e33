/* interp-replay.h: the last megabyte of a terminal
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define INTERP_REPLAY_MAX (1024 * 1024)

typedef struct _InterpReplay InterpReplay;

InterpReplay *interp_replay_new (gsize max_bytes);
void interp_replay_free (InterpReplay *self);
void interp_replay_push (InterpReplay *self, const char *bytes, gsize length);
/* What is kept, from the beginning of a line when older bytes were dropped. */
GBytes *interp_replay_get (InterpReplay *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpReplay, interp_replay_free)

G_END_DECLS
