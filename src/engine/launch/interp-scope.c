/* interp-scope.c: a systemd scope around a process
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "launch/interp-scope.h"

#include "base/interp-fiber.h"

#define SYSTEMD_NAME "org.freedesktop.systemd1"
#define SYSTEMD_PATH "/org/freedesktop/systemd1"
#define SYSTEMD_MANAGER "org.freedesktop.systemd1.Manager"

/* The whole of it, milliseconds: the kernel's start waits for this. */
#define ANSWER_MSEC 500

typedef struct
{
  GPid pid;
  char *unit;
  char *description;
  InterpScopeLimits limits;
} Request;

static GDBusConnection *test_connection;
/* Nobody answered once: not asked again, for that would delay every start. */
static gboolean absent;

static void
request_free (Request *request)
{
  g_free (request->unit);
  g_free (request->description);
  g_free (request);
}

/* GLib would start a bus where there is none. */
static gboolean
has_session_bus (void)
{
  g_autofree char *socket = NULL;
  const char *address = g_getenv ("DBUS_SESSION_BUS_ADDRESS");

  if (address && *address)
    return TRUE;
  socket = g_build_filename (g_get_user_runtime_dir (), "bus", NULL);
  return g_file_test (socket, G_FILE_TEST_EXISTS);
}

static GVariant *
request_to_variant (const Request *request)
{
  GVariantBuilder properties;
  guint32 pids[1] = { (guint32) request->pid };

  g_variant_builder_init (&properties, G_VARIANT_TYPE ("a(sv)"));
  g_variant_builder_add (&properties, "(sv)", "Description", g_variant_new_string (request->description));
  g_variant_builder_add (&properties, "(sv)", "PIDs",
                         g_variant_new_fixed_array (G_VARIANT_TYPE_UINT32, pids, 1, sizeof pids[0]));
  g_variant_builder_add (&properties, "(sv)", "Slice", g_variant_new_string ("app.slice"));
  g_variant_builder_add (&properties, "(sv)", "CollectMode", g_variant_new_string ("inactive-or-failed"));
  /* One process too large for the memory must not take the kernel and its variables with it. */
  g_variant_builder_add (&properties, "(sv)", "OOMPolicy", g_variant_new_string ("continue"));
  if (request->limits.memory_max > 0)
    g_variant_builder_add (&properties, "(sv)", "MemoryMax", g_variant_new_uint64 (request->limits.memory_max));
  if (request->limits.tasks_max > 0)
    g_variant_builder_add (&properties, "(sv)", "TasksMax", g_variant_new_uint64 (request->limits.tasks_max));
  return g_variant_new ("(ssa(sv)a(sa(sv)))", request->unit, "fail", &properties, NULL);
}

static DexFuture *
scope_fiber (gpointer data)
{
  const Request *request = data;
  g_autoptr (GDBusConnection) connection = NULL;
  g_autoptr (GVariant) owned = NULL, reply = NULL;
  g_autoptr (GError) error = NULL;
  gboolean has_owner = FALSE;

  if (test_connection)
    connection = g_object_ref (test_connection);
  else
    connection = dex_await_object (dex_bus_get (G_BUS_TYPE_SESSION), &error);
  if (!connection)
    {
      absent = TRUE;
      return dex_future_new_false ();
    }
  /* Asked for by its owner, so that the bus does not try to start it. */
  owned = dex_await_variant (dex_dbus_connection_call (connection, "org.freedesktop.DBus", "/org/freedesktop/DBus",
                                                       "org.freedesktop.DBus", "NameHasOwner",
                                                       g_variant_new ("(s)", SYSTEMD_NAME), G_VARIANT_TYPE ("(b)"),
                                                       G_DBUS_CALL_FLAGS_NONE, ANSWER_MSEC),
                             &error);
  if (owned)
    g_variant_get (owned, "(b)", &has_owner);
  if (!has_owner)
    {
      absent = TRUE;
      return dex_future_new_false ();
    }
  reply = dex_await_variant (dex_dbus_connection_call (connection, SYSTEMD_NAME, SYSTEMD_PATH, SYSTEMD_MANAGER,
                                                       "StartTransientUnit", request_to_variant (request),
                                                       G_VARIANT_TYPE ("(o)"), G_DBUS_CALL_FLAGS_NO_AUTO_START,
                                                       ANSWER_MSEC),
                             &error);
  if (!reply)
    g_debug ("No scope for %s: %s", request->unit, error->message);
  return dex_future_new_for_boolean (reply != NULL);
}

static DexFuture *
late_cb (DexFuture *future, gpointer user_data)
{
  return dex_future_new_false ();
}

static DexFuture *
too_late_cb (DexFuture *future, gpointer user_data)
{
  absent = TRUE;
  return dex_future_new_false ();
}

DexFuture *
interp_scope_start (GPid pid, const char *name, const char *description, const InterpScopeLimits *limits)
{
  Request *request;
  DexFuture *asked;

  g_return_val_if_fail (pid > 0, NULL);
  g_return_val_if_fail (name != NULL && description != NULL, NULL);

  if (absent || (!test_connection && !has_session_bus ()))
    return dex_future_new_false ();
  request = g_new0 (Request, 1);
  request->pid = pid;
  request->unit = g_strdup_printf ("app-interpreter-%s-%d.scope", name, (int) pid);
  request->description = g_strdup (description);
  if (limits)
    request->limits = *limits;
  asked = interp_fiber_spawn (scope_fiber, request, (GDestroyNotify) request_free);
  /* The fiber ends by itself: all its calls have a limit. */
  dex_future_disown (dex_ref (asked));
  return dex_future_catch (dex_future_first (asked,
                                             dex_future_then (interp_timeout (ANSWER_MSEC), too_late_cb, NULL, NULL),
                                             NULL),
                           late_cb, NULL, NULL);
}

void
interp_scope_set_connection (GDBusConnection *connection)
{
  g_set_object (&test_connection, connection);
  absent = FALSE;
}
