/* interp-address.h: addresses of servers as people type them
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* The base URL meant by @typed: scheme added (http for this computer, bare names and numbers, else https), no trailing
 * slash, no query, without a known endpoint at its end ("…/v1/chat/completions" → "…/v1"). Addresses with a user name
 * or password, or of another scheme, are errors whose message is a sentence. */
char *interp_address_normalize (const char *typed, GError **error);

/* The base URL of an OpenAI-compatible server: the same, with "/v1" where @typed gives no path. */
char *interp_address_normalize_compatible (const char *typed, GError **error);

/* The other reading of a compatible base URL: with "/v1" at its end where it lacks it, without where it has it. */
char *interp_address_toggle_v1 (const char *base_url);

/* Does @url name this computer? */
gboolean interp_address_is_loopback (const char *url);

/* @base_url's scheme, host and port with @path. */
char *interp_address_at_host (const char *base_url, const char *path);

G_END_DECLS
