/* bench-turns.c: how long the main loop is away from its events
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "bench-turns.h"

#include <sys/resource.h>
#include <time.h>

#include "bench-util.h"

#define SETTLE_MSEC 500
#define SETTLE_PART 0.05 /* of the time: a blinking cursor is no work */
#define SHORT 0.1        /* ms */

typedef struct
{
  double turn;
  double work;
} Turn;

static GArray *turns; /* NULL: not kept */
static double turn_begin, work_begin;
static double worked;

static double
clock_msec (clockid_t id)
{
  struct timespec now;

  clock_gettime (id, &now);
  return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

double
bench_processor_time (void)
{
  return clock_msec (CLOCK_PROCESS_CPUTIME_ID);
}

double
bench_peak_memory (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024.0;
}

static int
measured_poll (GPollFD *fds, guint n, int timeout)
{
  double now = clock_msec (CLOCK_MONOTONIC);
  double work = clock_msec (CLOCK_THREAD_CPUTIME_ID);
  Turn turn = { now - turn_begin, work - work_begin };
  int result;

  worked += turn.work;
  if (turns != NULL && turn.turn > SHORT)
    g_array_append_val (turns, turn);
  result = g_poll (fds, n, timeout);
  turn_begin = clock_msec (CLOCK_MONOTONIC);
  work_begin = clock_msec (CLOCK_THREAD_CPUTIME_ID);
  return result;
}

void
bench_turns_install (void)
{
  turn_begin = clock_msec (CLOCK_MONOTONIC);
  work_begin = clock_msec (CLOCK_THREAD_CPUTIME_ID);
  g_main_context_set_poll_func (NULL, measured_poll);
}

void
bench_turns_begin (void)
{
  turns = g_array_new (FALSE, FALSE, sizeof (Turn));
}

void
bench_turns_end (void)
{
  for (guint i = 0; i < turns->len; i++)
    {
      bench_print ("turn", g_array_index (turns, Turn, i).turn);
      bench_print ("work", g_array_index (turns, Turn, i).work);
    }
  g_clear_pointer (&turns, g_array_unref);
}

typedef struct
{
  double worked;
  gboolean settled;
} Settle;

static gboolean
look (gpointer user_data)
{
  Settle *settle = user_data;

  settle->settled = worked - settle->worked < SETTLE_MSEC * SETTLE_PART;
  settle->worked = worked;
  return G_SOURCE_CONTINUE;
}

static gboolean
is_settled (gpointer user_data)
{
  return ((Settle *) user_data)->settled;
}

void
bench_settle (void)
{
  Settle settle = { worked, FALSE };
  guint source = g_timeout_add (SETTLE_MSEC, look, &settle);

  bench_until (is_settled, &settle);
  g_source_remove (source);
}
