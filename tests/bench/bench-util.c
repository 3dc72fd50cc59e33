/* bench-util.c: what the programs of the benchmarks share
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "bench-util.h"

#include <stdio.h>
#include <stdlib.h>

static const GValue *
await (DexFuture *future)
{
  g_autoptr (GError) error = NULL;
  const GValue *value;

  while (dex_future_is_pending (future))
    g_main_context_iteration (NULL, TRUE);
  value = dex_future_get_value (future, &error);
  if (value == NULL)
    {
      g_printerr ("%s: %s\n", g_get_prgname (), error->message);
      exit (EXIT_FAILURE);
    }
  return value;
}

void
bench_await (DexFuture *future)
{
  g_autoptr (DexFuture) owned = future;

  await (owned);
}

gint64
bench_await_int64 (DexFuture *future)
{
  g_autoptr (DexFuture) owned = future;

  return g_value_get_int64 (await (owned));
}

gpointer
bench_await_object (DexFuture *future)
{
  g_autoptr (DexFuture) owned = future;

  return g_value_dup_object (await (owned));
}

gpointer
bench_await_boxed (DexFuture *future)
{
  g_autoptr (DexFuture) owned = future;

  return g_value_dup_boxed (await (owned));
}

void
bench_until (BenchCondition condition, gpointer user_data)
{
  while (!condition (user_data))
    g_main_context_iteration (NULL, TRUE);
}

void
bench_print (const char *key, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  printf ("%s %s\n", key, g_ascii_dtostr (text, sizeof text, value));
}
