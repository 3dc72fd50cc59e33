/* test-scope.c: asking a systemd that is there, silent, or absent
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "launch/interp-scope.h"

#include <unistd.h>

static const char interface_xml[]
    = "<node><interface name='org.freedesktop.systemd1.Manager'><method name='StartTransientUnit'>"
      "<arg type='s' direction='in'/><arg type='s' direction='in'/><arg type='a(sv)' direction='in'/>"
      "<arg type='a(sa(sv))' direction='in'/><arg type='o' direction='out'/></method></interface></node>";

typedef enum
{
  ANSWER,
  REFUSE,
  SILENCE,
} Behaviour;

typedef struct
{
  GTestDBus *bus;
  GDBusConnection *server;
  GDBusConnection *client;
  Behaviour behaviour;
  guint n_calls;
  char *unit;
  guint32 pid;
  guint64 tasks_max;
} Fixture;

static void
call_cb (GDBusConnection *connection, const char *sender, const char *path, const char *interface, const char *method,
         GVariant *parameters, GDBusMethodInvocation *invocation, gpointer user_data)
{
  Fixture *fixture = user_data;
  g_autoptr (GVariant) properties = g_variant_get_child_value (parameters, 2);
  GVariantIter iter;
  const char *name;
  GVariant *value;

  fixture->n_calls++;
  g_variant_get_child (parameters, 0, "s", &fixture->unit);
  g_variant_iter_init (&iter, properties);
  while (g_variant_iter_loop (&iter, "(&sv)", &name, &value))
    if (g_str_equal (name, "PIDs"))
      g_variant_get_child (value, 0, "u", &fixture->pid);
    else if (g_str_equal (name, "TasksMax"))
      fixture->tasks_max = g_variant_get_uint64 (value);
  if (fixture->behaviour == ANSWER)
    g_dbus_method_invocation_return_value (invocation, g_variant_new ("(o)", "/org/freedesktop/systemd1/job/1"));
  else if (fixture->behaviour == REFUSE)
    g_dbus_method_invocation_return_dbus_error (invocation, "org.freedesktop.systemd1.UnitExists", "It exists");
  else
    g_object_unref (invocation);
}

static gboolean
await (DexFuture *future)
{
  g_autoptr (DexFuture) owned = future;
  const GValue *value;

  while (dex_future_is_pending (owned))
    g_main_context_iteration (NULL, TRUE);
  value = dex_future_get_value (owned, NULL);
  g_assert_nonnull (value);
  return g_value_get_boolean (value);
}

static GDBusConnection *
connect_to (GTestDBus *bus)
{
  g_autoptr (GError) error = NULL;
  GDBusConnection *connection
      = g_dbus_connection_new_for_address_sync (g_test_dbus_get_bus_address (bus),
                                                G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT
                                                    | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
                                                NULL, NULL, &error);

  g_assert_no_error (error);
  return connection;
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  static const GDBusInterfaceVTable vtable = { .method_call = call_cb };
  g_autoptr (GDBusNodeInfo) info = g_dbus_node_info_new_for_xml (interface_xml, NULL);
  g_autoptr (GVariant) reply = NULL;

  fixture->bus = g_test_dbus_new (G_TEST_DBUS_NONE);
  g_test_dbus_up (fixture->bus);
  fixture->server = connect_to (fixture->bus);
  fixture->client = connect_to (fixture->bus);
  g_dbus_connection_register_object (fixture->server, "/org/freedesktop/systemd1", info->interfaces[0], &vtable,
                                     fixture, NULL, NULL);
  interp_scope_set_connection (fixture->client);
  if (data)
    return;
  reply = g_dbus_connection_call_sync (fixture->server, "org.freedesktop.DBus", "/org/freedesktop/DBus",
                                       "org.freedesktop.DBus", "RequestName",
                                       g_variant_new ("(su)", "org.freedesktop.systemd1", 0), NULL,
                                       G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL);
  g_assert_nonnull (reply);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  interp_scope_set_connection (NULL);
  g_dbus_connection_close_sync (fixture->server, NULL, NULL);
  g_dbus_connection_close_sync (fixture->client, NULL, NULL);
  g_clear_object (&fixture->server);
  g_clear_object (&fixture->client);
  g_test_dbus_down (fixture->bus);
  g_clear_object (&fixture->bus);
  g_free (fixture->unit);
}

static void
test_present (Fixture *fixture, gconstpointer data)
{
  InterpScopeLimits limits = { .tasks_max = 99 };
  g_autofree char *expected = g_strdup_printf ("app-interpreter-python-%d.scope", (int) getpid ());

  g_assert_true (await (interp_scope_start (getpid (), "python", "Python", &limits)));
  g_assert_cmpstr (fixture->unit, ==, expected);
  g_assert_cmpuint (fixture->pid, ==, (guint) getpid ());
  g_assert_cmpuint (fixture->tasks_max, ==, 99);
}

static void
test_refusing (Fixture *fixture, gconstpointer data)
{
  fixture->behaviour = REFUSE;
  g_assert_false (await (interp_scope_start (getpid (), "python", "Python", NULL)));
}

/* It does not answer: waited for once only. */
static void
test_silent (Fixture *fixture, gconstpointer data)
{
  fixture->behaviour = SILENCE;
  g_assert_false (await (interp_scope_start (getpid (), "python", "Python", NULL)));
  g_assert_cmpuint (fixture->n_calls, ==, 1);
  g_assert_false (await (interp_scope_start (getpid (), "python", "Python", NULL)));
  g_assert_cmpuint (fixture->n_calls, ==, 1);
}

static void
test_absent (Fixture *fixture, gconstpointer data)
{
  g_assert_false (await (interp_scope_start (getpid (), "python", "Python", NULL)));
  g_assert_cmpuint (fixture->n_calls, ==, 0);
}

/* No bus at all: nothing is started to have one. */
static void
test_no_bus (void)
{
  g_unsetenv ("DBUS_SESSION_BUS_ADDRESS");
  g_setenv ("XDG_RUNTIME_DIR", "/nonexistent", TRUE);
  interp_scope_set_connection (NULL);
  g_assert_false (await (interp_scope_start (getpid (), "python", "Python", NULL)));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  dex_init ();
  g_test_add ("/launch/scope/present", Fixture, NULL, set_up, test_present, tear_down);
  g_test_add ("/launch/scope/refusing", Fixture, NULL, set_up, test_refusing, tear_down);
  g_test_add ("/launch/scope/silent", Fixture, NULL, set_up, test_silent, tear_down);
  g_test_add ("/launch/scope/absent", Fixture, "absent", set_up, test_absent, tear_down);
  g_test_add_func ("/launch/scope/no-bus", test_no_bus);
  return g_test_run ();
}
