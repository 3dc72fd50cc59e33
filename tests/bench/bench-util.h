/* bench-util.h: what the programs of the benchmarks share
 *
 * They print "KEY VALUE" a line; what cannot be done ends them with a sentence.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <libdex.h>

G_BEGIN_DECLS

/* Runs the main loop until @future (taken) has resolved; ends the program when it rejects. */
void bench_await (DexFuture *future);
gint64 bench_await_int64 (DexFuture *future);
gpointer bench_await_object (DexFuture *future); /* transfer full */
gpointer bench_await_boxed (DexFuture *future);  /* transfer full */

/* Runs the main loop until @condition holds. */
typedef gboolean (*BenchCondition) (gpointer user_data);
void bench_until (BenchCondition condition, gpointer user_data);

void bench_print (const char *key, double value);

G_END_DECLS
