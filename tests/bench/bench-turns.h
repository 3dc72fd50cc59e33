/* bench-turns.h: how long the main loop is away from its events
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* From now on every turn of the main loop is measured: from the end of one wait for events to the begin of the next.
 * Before the first call of bench_turns_begin () nothing is kept. */
void bench_turns_install (void);
void bench_turns_begin (void);
/* Prints, in ms, "turn" for each turn since then that took over a tenth, and "work", the same in time of the processor
 * that the main thread had: without what others took. */
void bench_turns_end (void);

/* Runs the main loop until hardly anything is left to be done in it. */
void bench_settle (void);

/* The time of the processor that all threads have used, in ms. */
double bench_processor_time (void);
/* The most memory that was in use, in MB. */
double bench_peak_memory (void);

G_END_DECLS
