/* interp-clock.c: the one clock
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "base/interp-clock.h"

/* Microseconds of both clocks while a test has replaced them; 0 while they are real. */
static gint64 fake_usec;
static gboolean is_fake;

gint64
interp_clock_now (void)
{
  return (is_fake ? fake_usec : g_get_real_time ()) / 1000;
}

gint64
interp_clock_monotonic (void)
{
  return is_fake ? fake_usec : g_get_monotonic_time ();
}

void
interp_clock_set_fake (gint64 now_ms)
{
  is_fake = TRUE;
  fake_usec = now_ms * 1000;
}

void
interp_clock_advance (gint64 msec)
{
  g_return_if_fail (is_fake);
  g_return_if_fail (msec >= 0);

  fake_usec += msec * 1000;
}

void
interp_clock_set_real (void)
{
  is_fake = FALSE;
}
