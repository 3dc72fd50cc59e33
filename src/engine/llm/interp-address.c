/* interp-address.c: addresses of servers as people type them
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm/interp-address.h"

#include <glib/gi18n.h>
#include <string.h>

static const char *endpoints[] = { "/chat/completions", "/completions", "/responses", "/models", "/messages" };

static gboolean
host_is_loopback (const char *host)
{
  g_autoptr (GInetAddress) address = NULL;

  if (host == NULL)
    return FALSE;

  if (g_ascii_strcasecmp (host, "localhost") == 0)
    return TRUE;

  {
    gsize length = strlen (host);
    gsize tail = strlen (".localhost");

    if (length > tail && g_ascii_strcasecmp (host + length - tail, ".localhost") == 0)
      return TRUE;
  }

  address = g_inet_address_new_from_string (host);

  return address != NULL && g_inet_address_get_is_loopback (address);
}

/* Names that are not on the Internet are reached without TLS: this computer, numbers, names without a dot. */
static gboolean
looks_private (const char *rest)
{
  g_autofree char *host = NULL;
  gsize length;

  if (*rest == '[')
    return TRUE;

  length = strcspn (rest, ":/");
  host = g_strndup (rest, length);

  return host_is_loopback (host) || g_hostname_is_ip_address (host) || strchr (host, '.') == NULL
         || g_str_has_suffix (host, ".local") || g_str_has_suffix (host, ".lan");
}

char *
interp_address_normalize (const char *typed, GError **error)
{
  g_autofree char *text = NULL;
  g_autofree char *path = NULL;
  g_autofree char *full = NULL;
  g_autoptr (GUri) uri = NULL;
  const char *scheme;
  const char *host;
  int port;
  gsize length;

  g_return_val_if_fail (typed != NULL, NULL);

  text = g_strstrip (g_strdup (typed));

  if (strstr (text, "://") == NULL)
    full = g_strconcat (looks_private (text) ? "http://" : "https://", text, NULL);
  else
    full = g_strdup (text);

  if (*text != '\0')
    uri = g_uri_parse (full, G_URI_FLAGS_HAS_PASSWORD | G_URI_FLAGS_SCHEME_NORMALIZE | G_URI_FLAGS_ENCODED, NULL);

  if (uri == NULL || (host = g_uri_get_host (uri)) == NULL || *host == '\0' || strpbrk (host, " %<>\"") != NULL)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, _ ("“%s” is not an address."), text);
      return NULL;
    }

  scheme = g_uri_get_scheme (uri);
  if (!g_str_equal (scheme, "http") && !g_str_equal (scheme, "https"))
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
                   _ ("“%s” cannot be used: only addresses that begin with http:// or https:// can."), text);
      return NULL;
    }

  if (g_uri_get_user (uri) != NULL || g_uri_get_password (uri) != NULL)
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
                           _ ("An address must not contain a user name or password. Give the key separately."));
      return NULL;
    }

  /* 0.0.0.0 is where a server listens; it is reached at this computer's own address. */
  if (g_str_equal (host, "0.0.0.0"))
    host = "127.0.0.1";
  else if (g_str_equal (host, "::"))
    host = "::1";

  port = g_uri_get_port (uri);
  if ((port == 80 && g_str_equal (scheme, "http")) || (port == 443 && g_str_equal (scheme, "https")))
    port = -1;

  path = g_strdup (g_uri_get_path (uri));
  length = strlen (path);
  while (length > 0 && path[length - 1] == '/')
    path[--length] = '\0';

  for (gsize i = 0; i < G_N_ELEMENTS (endpoints); i++)
    {
      if (g_str_has_suffix (path, endpoints[i]))
        {
          path[length - strlen (endpoints[i])] = '\0';
          break;
        }
    }

  return g_uri_join (G_URI_FLAGS_ENCODED, scheme, NULL, host, port, path, NULL, NULL);
}

char *
interp_address_normalize_compatible (const char *typed, GError **error)
{
  g_autofree char *base = interp_address_normalize (typed, error);
  g_autoptr (GUri) uri = NULL;

  if (base == NULL)
    return NULL;

  uri = g_uri_parse (base, G_URI_FLAGS_ENCODED, NULL);
  if (uri != NULL && *g_uri_get_path (uri) == '\0')
    return g_strconcat (base, "/v1", NULL);

  return g_steal_pointer (&base);
}

char *
interp_address_toggle_v1 (const char *base_url)
{
  g_return_val_if_fail (base_url != NULL, NULL);

  if (g_str_has_suffix (base_url, "/v1"))
    return g_strndup (base_url, strlen (base_url) - strlen ("/v1"));

  return g_strconcat (base_url, "/v1", NULL);
}

gboolean
interp_address_is_loopback (const char *url)
{
  g_autoptr (GUri) uri = NULL;

  g_return_val_if_fail (url != NULL, FALSE);

  uri = g_uri_parse (url, G_URI_FLAGS_ENCODED, NULL);

  return uri != NULL && host_is_loopback (g_uri_get_host (uri));
}

char *
interp_address_at_host (const char *base_url, const char *path)
{
  g_autoptr (GUri) uri = NULL;

  g_return_val_if_fail (base_url != NULL, NULL);
  g_return_val_if_fail (path != NULL, NULL);

  uri = g_uri_parse (base_url, G_URI_FLAGS_ENCODED, NULL);
  g_return_val_if_fail (uri != NULL, NULL);

  return g_uri_join (G_URI_FLAGS_ENCODED, g_uri_get_scheme (uri), NULL, g_uri_get_host (uri), g_uri_get_port (uri),
                     path, NULL, NULL);
}
