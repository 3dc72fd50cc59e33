/* interp-sandbox-environment.c: the variables of code in safe mode, and the user's name for git
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "launch/interp-sandbox-private.h"

#include <string.h>
#include <unistd.h>

#include <git2.h>

#include "base/interp-paths.h"

/* Addresses of what is not there inside, and programs outside that would be asked. */
static const char *const ways_out[] = {
  "AT_SPI_BUS_ADDRESS",
  "BROWSER",
  "CONTAINER_HOST",
  "DBUS_SESSION_BUS_ADDRESS",
  "DBUS_SYSTEM_BUS_ADDRESS",
  "DISPLAY",
  "DOCKER_CONFIG",
  "DOCKER_HOST",
  "GIT_ASKPASS",
  "GNOME_KEYRING_CONTROL",
  "GPG_AGENT_INFO",
  "INVOCATION_ID",
  "JOURNAL_STREAM",
  "KRB5CCNAME",
  "NOTIFY_SOCKET",
  "PIPEWIRE_REMOTE",
  "PULSE_SERVER",
  "SESSION_MANAGER",
  "SSH_AGENT_PID",
  "SSH_ASKPASS",
  "SSH_AUTH_SOCK",
  "STY",
  "SUDO_ASKPASS",
  "TMUX",
  "WAYLAND_DISPLAY",
  "WAYLAND_SOCKET",
  "XAUTHORITY",
};

/* Parts of names: AWS_SECRET_ACCESS_KEY, GITHUB_PAT, PGPASSWORD. */
static const char *const secret_words[]
    = { "APIKEY", "AUTH",     "COOKIE", "CREDENTIAL", "CREDENTIALS", "KEY",     "KEYS",    "PASS",  "PASSPHRASE",
        "PASSWD", "PASSWORD", "PAT",    "PWD",        "SECRET",      "SECRETS", "SESSION", "TOKEN", "TOKENS" };
static const char *const secret_endings[] = { "APIKEY", "PASSWORD", "PASSWD", "SECRET", "TOKEN" };

static gboolean
has_secret_name (const char *name)
{
  g_autofree char *upper = g_ascii_strup (name, -1);
  g_auto (GStrv) words = g_strsplit (upper, "_", -1);

  for (guint i = 0; words[i]; i++)
    for (guint j = 0; j < G_N_ELEMENTS (secret_words); j++)
      if (g_str_equal (words[i], secret_words[j]))
        return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (secret_endings); i++)
    if (g_str_has_suffix (upper, secret_endings[i]))
      return TRUE;
  return FALSE;
}

/* scheme://user:password@host, as in proxies and addresses of databases. */
static gboolean
holds_password (const char *value)
{
  const char *scheme = strstr (value, "://");
  gsize length = scheme ? strcspn (scheme + 3, "/?# ") : 0;
  const char *at = scheme ? memchr (scheme + 3, '@', length) : NULL;

  return at && memchr (scheme + 3, ':', (gsize) (at - (scheme + 3)));
}

static gboolean
is_kept (const char *name, const char *value)
{
  /* Those by which the harness finds us; and the folder, which has a secret's name. */
  static const char *const needed[] = { "INTERP_KERNEL_TOKEN", "INTERPRETER_KERNEL", "PWD" };

  for (guint i = 0; i < G_N_ELEMENTS (needed); i++)
    if (g_str_equal (name, needed[i]))
      return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (ways_out); i++)
    if (g_str_equal (name, ways_out[i]))
      return FALSE;
  return !has_secret_name (name) && !holds_password (value);
}

GStrv
interp_sandbox_clean_environment (const char *const *env)
{
  g_autofree char *runtime = g_strdup_printf ("/run/user/%u", (guint) getuid ());
  GStrv cleaned = g_new0 (char *, 1);

  g_return_val_if_fail (env != NULL, cleaned);

  for (guint i = 0; env[i]; i++)
    {
      const char *equals = strchr (env[i], '=');
      g_autofree char *name = equals ? g_strndup (env[i], (gsize) (equals - env[i])) : NULL;

      if (name && *name && is_kept (name, equals + 1))
        cleaned = g_environ_setenv (cleaned, name, equals + 1, TRUE);
    }
  cleaned = g_environ_setenv (cleaned, "TMPDIR", "/tmp", TRUE);
  cleaned = g_environ_setenv (cleaned, "XDG_RUNTIME_DIR", runtime, TRUE);
  return cleaned;
}

/* The user's, then the system's, as git itself reads them. */
static char *
read_identity (void)
{
  static const char *const names[] = { "name", "email" };
  g_autoptr (GString) text = g_string_new (NULL);
  git_config *config = NULL;

  git_libgit2_init ();
  if (git_config_open_default (&config) == 0)
    for (guint i = 0; i < G_N_ELEMENTS (names); i++)
      {
        g_autofree char *key = g_strconcat ("user.", names[i], NULL);
        git_buf value = { 0 };

        if (git_config_get_string_buf (&value, config, key) == 0)
          {
            /* Nobody is called what would need quoting. */
            if (!strpbrk (value.ptr, "\"\\\n"))
              g_string_append_printf (text, "%s\t%s = \"%s\"\n", text->len == 0 ? "[user]\n" : "", names[i], value.ptr);
            git_buf_dispose (&value);
          }
      }
  git_config_free (config);
  git_libgit2_shutdown ();
  return text->len > 0 ? g_string_free_and_steal (g_steal_pointer (&text)) : NULL;
}

char *
interp_sandbox_find_identity (void)
{
  g_autofree char *text = read_identity ();
  g_autofree char *path = g_build_filename (interp_paths_runtime (), "git-identity", NULL);
  g_autoptr (GError) error = NULL;

  if (!text)
    return NULL;
  if (!interp_paths_write_atomically (path, text, -1, &error))
    {
      g_info ("Git will not know the user in safe mode: %s", error->message);
      return NULL;
    }
  return g_steal_pointer (&path);
}
