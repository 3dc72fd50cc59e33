/* interp-descendants.h: the processes below one, as /proc tells
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <libdex.h>

G_BEGIN_DECLS

typedef struct
{
  int pid;
  int parent;
  int group;
  char state;      /* 'R', 'S', 'T', 'Z' … */
  guint64 started; /* clock ticks since the computer started */
} InterpDescendant;

/* @root and all below it: GArray of InterpDescendant. May take some milliseconds: for workers. */
GArray *interp_descendants_list (int root);

/* Now, as InterpDescendant.started counts. */
guint64 interp_descendants_now (void);

/* Signals all below @root, but not itself, that began at @since or later and before @until (G_MAXUINT64: no end), on a
 * worker. Resolves to how many there were (int). */
DexFuture *interp_descendants_signal (int root, guint64 since, guint64 until, int signal_number);

G_END_DECLS
