/* test-fiber.c: fibers, workers, timeouts
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <gio/gio.h>

#include "base/interp-clock.h"
#include "base/interp-fiber.h"

static void
wait_for (DexFuture *future)
{
  while (dex_future_is_pending (future))
    g_main_context_iteration (NULL, TRUE);
}

static void
mark (gpointer data)
{
  g_atomic_int_inc ((int *) data);
}

static DexFuture *
square (gpointer data)
{
  int *n = data;

  return dex_future_new_for_int (*n * *n);
}

static DexFuture *
fail (gpointer data)
{
  return dex_future_new_reject (G_IO_ERROR, G_IO_ERROR_FAILED, "no %s", "luck");
}

static DexFuture *
nothing (gpointer data)
{
  return NULL;
}

static DexFuture *
worker_fiber (gpointer data)
{
  g_autoptr (GError) error = NULL;
  int n = 12;

  g_assert_cmpint (dex_await_int (interp_worker_run ("square", square, &n, NULL), &error), ==, 144);
  g_assert_no_error (error);

  g_assert_false (interp_await (interp_worker_run ("fail", fail, NULL, NULL), &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_FAILED);
  g_clear_error (&error);

  g_assert_false (interp_await (interp_worker_run ("nothing", nothing, NULL, NULL), &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_FAILED);

  return dex_future_new_for_boolean (TRUE);
}

static void
test_worker (void)
{
  g_autoptr (DexFuture) future = interp_fiber_spawn (worker_fiber, NULL, NULL);

  wait_for (future);
  g_assert_true (dex_future_is_resolved (future));
}

static DexFuture *
read_counter (gpointer data)
{
  return dex_future_new_for_int (g_atomic_int_get ((int *) data));
}

static void
test_worker_frees (void)
{
  int freed = 0;
  g_autoptr (DexFuture) future = interp_worker_run ("free", read_counter, &freed, mark);

  wait_for (future);
  g_assert_cmpint (g_value_get_int (dex_future_get_value (future, NULL)), ==, 0);
  g_assert_cmpint (g_atomic_int_get (&freed), ==, 1);
}

static void
test_worker_discarded (void)
{
  int freed = 0;

  dex_unref (interp_worker_run ("free", read_counter, &freed, mark));
  while (g_atomic_int_get (&freed) == 0)
    g_thread_yield ();
}

static DexFuture *
many_fiber (gpointer data)
{
  static int numbers[200];
  g_autoptr (GPtrArray) futures = g_ptr_array_new_with_free_func (dex_unref);

  for (int i = 0; i < 200; i++)
    {
      numbers[i] = i;
      g_ptr_array_add (futures, interp_worker_run ("square", square, &numbers[i], NULL));
    }
  for (int i = 0; i < 200; i++)
    g_assert_cmpint (dex_await_int (dex_ref (g_ptr_array_index (futures, i)), NULL), ==, i * i);
  return dex_future_new_for_boolean (TRUE);
}

static void
test_worker_many (void)
{
  g_autoptr (DexFuture) future = interp_fiber_spawn (many_fiber, NULL, NULL);

  wait_for (future);
  g_assert_true (dex_future_is_resolved (future));
}

static DexFuture *
timeout_fiber (gpointer data)
{
  g_autoptr (GError) error = NULL;
  DexPromise *promise = dex_promise_new ();

  g_assert_true (interp_await (interp_timeout (1), &error));
  g_assert_no_error (error);

  /* The race that a stop wins: the timeout is discarded, which must raise nothing. */
  dex_promise_resolve_boolean (promise, TRUE);
  g_assert_true (interp_await (dex_future_first (DEX_FUTURE (promise), interp_timeout (60 * 60 * 1000), NULL), &error));

  /* And the other way round. */
  g_assert_true (interp_await (dex_future_first (DEX_FUTURE (dex_promise_new ()), interp_timeout (1), NULL), &error));
  g_assert_no_error (error);
  return dex_future_new_for_boolean (TRUE);
}

static void
test_timeout (void)
{
  g_autoptr (DexFuture) future = interp_fiber_spawn (timeout_fiber, NULL, NULL);

  wait_for (future);
  g_assert_true (dex_future_is_resolved (future));

  dex_unref (interp_timeout (60 * 60 * 1000));
  dex_unref (interp_timeout (1));
  dex_unref (interp_timeout (0));
  wait_for (interp_timeout (20));
}

static void
test_run (void)
{
  int freed = 0;

  g_test_expect_message (NULL, G_LOG_LEVEL_WARNING, "*reading the mail: no luck*");
  interp_fiber_run ("reading the mail", fail, &freed, mark);
  while (freed == 0)
    g_main_context_iteration (NULL, TRUE);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_test_assert_expected_messages ();
}

static void
test_clock (void)
{
  gint64 before = g_get_real_time () / 1000;

  g_assert_cmpint (interp_clock_now (), >=, before);
  interp_clock_set_fake (1000);
  g_assert_cmpint (interp_clock_now (), ==, 1000);
  interp_clock_advance (250);
  g_assert_cmpint (interp_clock_now (), ==, 1250);
  g_assert_cmpint (interp_clock_monotonic (), ==, 1250000);
  interp_clock_set_real ();
  g_assert_cmpint (interp_clock_now (), >=, before);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  dex_init ();
  g_test_add_func ("/base/fiber/worker", test_worker);
  g_test_add_func ("/base/fiber/worker-frees", test_worker_frees);
  g_test_add_func ("/base/fiber/worker-discarded", test_worker_discarded);
  g_test_add_func ("/base/fiber/worker-many", test_worker_many);
  g_test_add_func ("/base/fiber/timeout", test_timeout);
  g_test_add_func ("/base/fiber/run", test_run);
  g_test_add_func ("/base/clock", test_clock);
  return g_test_run ();
}
