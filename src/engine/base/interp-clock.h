/* interp-clock.h: the one clock
 *
 * Wall times are UTC milliseconds since 1970, durations come from the monotonic clock. Tests replace it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* UTC, milliseconds since 1970. */
gint64 interp_clock_now (void);

/* Monotonic, microseconds from an arbitrary start. */
gint64 interp_clock_monotonic (void);

/* For tests: both clocks answer from @now_ms and advance only by interp_clock_advance (). */
void interp_clock_set_fake (gint64 now_ms);
void interp_clock_advance (gint64 msec);
void interp_clock_set_real (void);

G_END_DECLS
