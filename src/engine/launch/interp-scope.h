/* interp-scope.h: a systemd scope around a process
 *
 * For limits and for a name in the system monitor, never for clean-up. Where there is no systemd user manager nothing
 * is done, quickly.
 *
 * org.freedesktop.systemd1(5), "StartTransientUnit ()"; systemd.resource-control(5).
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <libdex.h>

G_BEGIN_DECLS

typedef struct
{
  guint64 memory_max; /* bytes; 0 no limit */
  guint64 tasks_max;  /* processes and threads; 0 no limit */
} InterpScopeLimits;

/* Moves @pid into a new scope "app-interpreter-NAME-PID.scope". Resolves to TRUE when it is there, to FALSE when there
 * is no systemd to ask or it did not answer within half a second; never rejects. @limits (nullable). */
DexFuture *interp_scope_start (GPid pid, const char *name, const char *description, const InterpScopeLimits *limits);

/* For tests: asks on @connection (nullable: the session bus again), and anew. */
void interp_scope_set_connection (GDBusConnection *connection);

G_END_DECLS
