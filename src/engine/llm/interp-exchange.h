/* interp-exchange.h: for tests of the flow of one answer
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* How often, in milliseconds of real time, the flow looks at the clock (interp-clock.h) and at what it waits for. */
void interp_exchange_set_tick (guint msec);

G_END_DECLS
