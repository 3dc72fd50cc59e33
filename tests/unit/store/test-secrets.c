/* test-secrets.c: keys, with a service, without one, and with one that hangs
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>

#include "store/interp-secrets.h"

static DexFuture *
wait_for (DexFuture *future)
{
  while (dex_future_is_pending (future))
    g_main_context_iteration (NULL, TRUE);
  return future;
}

/* libsecret's own file backend: no service is needed. In a process of its own, since the backend is chosen
 * once. */
static void
test_kept (void)
{
  if (g_test_subprocess ())
    {
      g_autofree char *folder = g_dir_make_tmp ("interpreter-secrets-XXXXXX", NULL);
      g_autofree char *path = g_build_filename (folder, "keyring", NULL);
      g_autoptr (GError) error = NULL;
      const GValue *value;

      g_setenv ("SECRET_BACKEND", "file", TRUE);
      g_setenv ("SECRET_FILE_TEST_PATH", path, TRUE);
      g_setenv ("SECRET_FILE_TEST_PASSWORD", "test", TRUE);
      {
        g_autoptr (DexFuture) none = wait_for (interp_secrets_lookup ("openai", FALSE));

        value = dex_future_get_value (none, &error);
        g_assert_no_error (error);
        g_assert_null (g_value_get_string (value));
      }
      {
        g_autoptr (DexFuture) stored = wait_for (interp_secrets_store ("openai", "Key of OpenAI", "sk-test-1"));

        g_assert_nonnull (dex_future_get_value (stored, &error));
        g_assert_no_error (error);
      }
      {
        g_autoptr (DexFuture) found = wait_for (interp_secrets_lookup ("openai", FALSE));
        g_autoptr (DexFuture) other = wait_for (interp_secrets_lookup ("anthropic", FALSE));

        g_assert_cmpstr (g_value_get_string (dex_future_get_value (found, NULL)), ==, "sk-test-1");
        g_assert_null (g_value_get_string (dex_future_get_value (other, NULL)));
      }
      {
        g_autoptr (DexFuture) cleared = wait_for (interp_secrets_clear ("openai"));
        g_autoptr (DexFuture) none = NULL;

        g_assert_nonnull (dex_future_get_value (cleared, NULL));
        none = wait_for (interp_secrets_lookup ("openai", FALSE));
        g_assert_null (g_value_get_string (dex_future_get_value (none, NULL)));
      }
      g_unlink (path);
      g_rmdir (folder);
      return;
    }
  g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
  g_test_trap_assert_passed ();
}

static void
assert_rejects (DexFuture *future, int code)
{
  g_autoptr (DexFuture) owned = wait_for (future);
  g_autoptr (GError) error = NULL;

  g_assert_null (dex_future_get_value (owned, &error));
  g_assert_nonnull (error);
  if (code >= 0)
    g_assert_error (error, G_IO_ERROR, code);
}

/* Libsecret keeps its connection, so it cannot be waited for; and who started this process waits for all that has its
 * standard error. */
static void
end_bus (GTestDBus *bus)
{
  g_autoptr (GDBusConnection) connection = g_bus_get_sync (G_BUS_TYPE_SESSION, NULL, NULL);

  g_dbus_connection_set_exit_on_close (connection, FALSE);
  g_test_dbus_stop (bus);
}

static void
test_no_service (void)
{
  if (g_test_subprocess ())
    {
      GTestDBus *bus = g_test_dbus_new (G_TEST_DBUS_NONE);

      g_test_dbus_up (bus);
      assert_rejects (interp_secrets_lookup ("openai", FALSE), -1);
      assert_rejects (interp_secrets_store ("openai", "Key of OpenAI", "sk-test-1"), -1);
      assert_rejects (interp_secrets_clear ("openai"), -1);
      end_bus (bus);
      return;
    }
  g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
  g_test_trap_assert_passed ();
}

/* A service that owns the name and answers nothing: the main loop turns meanwhile, and the limit holds. */
static void
on_call (GDBusConnection *connection, const char *sender, const char *path, const char *interface, const char *method,
         GVariant *parameters, GDBusMethodInvocation *invocation, gpointer data)
{
  g_ptr_array_add (data, invocation);
}

static gboolean
on_turn (gpointer data)
{
  (*(guint *) data)++;
  return G_SOURCE_CONTINUE;
}

static void
test_hanging_service (void)
{
  if (g_test_subprocess ())
    {
      static const char xml[]
          = "<node><interface name='org.freedesktop.Secret.Service'>"
            "<method name='OpenSession'><arg type='s' direction='in'/><arg type='v' direction='in'/>"
            "<arg type='v' direction='out'/><arg type='o' direction='out'/></method>"
            "<method name='SearchItems'><arg type='a{ss}' direction='in'/><arg type='ao' direction='out'/>"
            "<arg type='ao' direction='out'/></method></interface></node>";
      static const GDBusInterfaceVTable table = { on_call, NULL, NULL, { NULL } };
      GTestDBus *bus = g_test_dbus_new (G_TEST_DBUS_NONE);
      g_autoptr (GPtrArray) calls = g_ptr_array_new ();
      g_autoptr (GDBusNodeInfo) node = g_dbus_node_info_new_for_xml (xml, NULL);
      g_autoptr (GDBusConnection) connection = NULL;
      g_autoptr (GVariant) reply = NULL;
      g_autoptr (GError) error = NULL;
      guint turns = 0;
      guint source;

      g_test_dbus_up (bus);
      connection = g_dbus_connection_new_for_address_sync (g_test_dbus_get_bus_address (bus),
                                                           G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT
                                                               | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
                                                           NULL, NULL, &error);
      g_assert_no_error (error);
      g_dbus_connection_register_object (connection, "/org/freedesktop/secrets", node->interfaces[0], &table, calls,
                                         NULL, &error);
      g_assert_no_error (error);
      reply = g_dbus_connection_call_sync (connection, "org.freedesktop.DBus", "/org/freedesktop/DBus",
                                           "org.freedesktop.DBus", "RequestName",
                                           g_variant_new ("(su)", "org.freedesktop.secrets", 0), NULL,
                                           G_DBUS_CALL_FLAGS_NONE, -1, NULL, &error);
      g_assert_no_error (error);

      source = g_timeout_add (10, on_turn, &turns);
      assert_rejects (interp_secrets_lookup ("openai", FALSE), G_IO_ERROR_TIMED_OUT);
      g_assert_cmpuint (calls->len, >, 0);
      g_assert_cmpuint (turns, >, 10);
      assert_rejects (interp_secrets_store ("openai", "Key of OpenAI", "sk-test-1"), G_IO_ERROR_TIMED_OUT);
      g_source_remove (source);
      end_bus (bus);
      return;
    }
  g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
  g_test_trap_assert_passed ();
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  dex_init ();
  g_test_add_func ("/secrets/kept", test_kept);
  g_test_add_func ("/secrets/no-service", test_no_service);
  g_test_add_func ("/secrets/hanging-service", test_hanging_service);
  return g_test_run ();
}
