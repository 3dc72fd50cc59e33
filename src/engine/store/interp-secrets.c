/* interp-secrets.c: API keys in the Secret Service
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "store/interp-secrets.h"

#include <glib/gi18n.h>
#include <libsecret/secret.h>

#include "base/interp-fiber.h"

/* A service that is there answers at once; a person who is asked for a password does not. */
#define QUIET_LIMIT_MSEC 2000
#define PROMPT_LIMIT_MSEC 120000

static const SecretSchema *
get_schema (void)
{
  static const SecretSchema schema = {
    APPLICATION_ID ".Key",
    SECRET_SCHEMA_NONE,
    { { "account", SECRET_SCHEMA_ATTRIBUTE_STRING }, { NULL, 0 } },
  };

  return &schema;
}

typedef struct
{
  char *account;
  char *label;
  char *secret;
  gboolean allow_prompt;
} Request;

static void
request_free (gpointer data)
{
  Request *request = data;

  g_free (request->account);
  g_free (request->label);
  if (request->secret != NULL)
    secret_password_free (request->secret);
  g_free (request);
}

static Request *
request_new (const char *account)
{
  Request *request = g_new0 (Request, 1);

  request->account = g_strdup (account);
  return request;
}

/* ---- libsecret's callbacks as futures ---- */

static void
on_found (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (DexPromise) promise = data;
  g_autoptr (GError) error = NULL;
  g_autolist (SecretRetrievable) list = secret_password_search_finish (result, &error);

  if (error != NULL)
    {
      dex_promise_reject (promise, g_steal_pointer (&error));
      return;
    }
  for (GList *link = list; link != NULL; link = link->next)
    if (!SECRET_IS_ITEM (link->data) || !secret_item_get_locked (link->data))
      {
        dex_promise_resolve_object (promise, g_object_ref (link->data));
        return;
      }
  if (list != NULL)
    dex_promise_reject (promise,
                        g_error_new_literal (G_IO_ERROR, G_IO_ERROR_PERMISSION_DENIED, _ ("The keyring is locked.")));
  else
    dex_promise_resolve_object (promise, NULL);
}

static DexFuture *
search (const char *account, SecretSearchFlags flags, GCancellable *cancellable)
{
  DexPromise *promise = dex_promise_new ();

  secret_password_search (get_schema (), SECRET_SEARCH_LOAD_SECRETS | flags, cancellable, on_found, dex_ref (promise),
                          "account", account, NULL);
  return DEX_FUTURE (promise);
}

static void
on_retrieved (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (DexPromise) promise = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (SecretValue) value
      = secret_retrievable_retrieve_secret_finish (SECRET_RETRIEVABLE (source), result, &error);
  const char *text = value != NULL ? secret_value_get_text (value) : NULL;

  if (error != NULL)
    dex_promise_reject (promise, g_steal_pointer (&error));
  else
    dex_promise_resolve_string (promise, g_strdup (text));
}

static DexFuture *
retrieve (SecretRetrievable *item, GCancellable *cancellable)
{
  DexPromise *promise = dex_promise_new ();

  secret_retrievable_retrieve_secret (item, cancellable, on_retrieved, dex_ref (promise));
  return DEX_FUTURE (promise);
}

static void
on_stored (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (DexPromise) promise = data;
  g_autoptr (GError) error = NULL;

  if (secret_password_store_finish (result, &error))
    dex_promise_resolve_boolean (promise, TRUE);
  else
    dex_promise_reject (promise, g_steal_pointer (&error));
}

static DexFuture *
store (Request *request, GCancellable *cancellable)
{
  DexPromise *promise = dex_promise_new ();

  secret_password_store (get_schema (), SECRET_COLLECTION_DEFAULT, request->label, request->secret, cancellable,
                         on_stored, dex_ref (promise), "account", request->account, NULL);
  return DEX_FUTURE (promise);
}

static void
on_cleared (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (DexPromise) promise = data;
  g_autoptr (GError) error = NULL;

  secret_password_clear_finish (result, &error);
  if (error == NULL)
    dex_promise_resolve_boolean (promise, TRUE);
  else
    dex_promise_reject (promise, g_steal_pointer (&error));
}

static DexFuture *
clear (const char *account, GCancellable *cancellable)
{
  DexPromise *promise = dex_promise_new ();

  secret_password_clear (get_schema (), cancellable, on_cleared, dex_ref (promise), "account", account, NULL);
  return DEX_FUTURE (promise);
}

/* Waits for @future (taken) at most @msec. What it resolved to can then be awaited; NULL with @error. */
static DexFuture *
settle (DexFuture *future, GCancellable *cancellable, guint msec, GError **error)
{
  g_autoptr (DexFuture) owned = future;

  if (!interp_await (dex_future_first (dex_ref (owned), interp_timeout (msec), NULL), error))
    return NULL;
  if (dex_future_is_pending (owned))
    {
      g_cancellable_cancel (cancellable);
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT, _ ("The keyring does not answer."));
      return NULL;
    }
  return g_steal_pointer (&owned);
}

/* ---- flows ---- */

static SecretRetrievable *
find (const char *account, gboolean allow_prompt, GError **error)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  DexFuture *found = settle (search (account, allow_prompt ? SECRET_SEARCH_UNLOCK : SECRET_SEARCH_NONE, cancellable),
                             cancellable, allow_prompt ? PROMPT_LIMIT_MSEC : QUIET_LIMIT_MSEC, error);

  return found != NULL ? dex_await_object (found, error) : NULL;
}

static DexFuture *
lookup_flow (gpointer data)
{
  Request *request = data;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (SecretRetrievable) item = find (request->account, request->allow_prompt, &error);
  DexFuture *retrieved = NULL;

  if (error == NULL && item == NULL)
    return dex_future_new_take_string (NULL);
  if (item != NULL)
    retrieved = settle (retrieve (item, cancellable), cancellable, QUIET_LIMIT_MSEC, &error);
  return retrieved != NULL ? retrieved : dex_future_new_for_error (g_steal_pointer (&error));
}

static DexFuture *
store_flow (gpointer data)
{
  Request *request = data;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (SecretRetrievable) old = NULL;
  DexFuture *stored = NULL;

  /* Is anybody there? Only then is it worth waiting for a password to be typed. */
  old = find (request->account, FALSE, &error);
  if (error == NULL || g_error_matches (error, G_IO_ERROR, G_IO_ERROR_PERMISSION_DENIED))
    {
      g_clear_error (&error);
      stored = settle (store (request, cancellable), cancellable, PROMPT_LIMIT_MSEC, &error);
    }
  return stored != NULL ? stored : dex_future_new_for_error (g_steal_pointer (&error));
}

static DexFuture *
clear_flow (gpointer data)
{
  Request *request = data;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  DexFuture *cleared = settle (clear (request->account, cancellable), cancellable, QUIET_LIMIT_MSEC, &error);

  return cleared != NULL ? cleared : dex_future_new_for_error (g_steal_pointer (&error));
}

DexFuture *
interp_secrets_lookup (const char *account, gboolean allow_prompt)
{
  Request *request;

  g_return_val_if_fail (account != NULL, NULL);

  request = request_new (account);
  request->allow_prompt = allow_prompt;
  return interp_fiber_spawn (lookup_flow, request, request_free);
}

DexFuture *
interp_secrets_store (const char *account, const char *label, const char *secret)
{
  Request *request;

  g_return_val_if_fail (account != NULL, NULL);
  g_return_val_if_fail (label != NULL, NULL);
  g_return_val_if_fail (secret != NULL, NULL);

  request = request_new (account);
  request->label = g_strdup (label);
  request->secret = g_strdup (secret);
  return interp_fiber_spawn (store_flow, request, request_free);
}

DexFuture *
interp_secrets_clear (const char *account)
{
  g_return_val_if_fail (account != NULL, NULL);

  return interp_fiber_spawn (clear_flow, request_new (account), request_free);
}

const char *
interp_secrets_describe_failure (const GError *error)
{
  g_return_val_if_fail (error != NULL, NULL);

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT))
    return _ ("The keyring does not answer.");
  /* Who is asked for its password may also say no. */
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_PERMISSION_DENIED)
      || g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)
      || g_error_matches (error, SECRET_ERROR, SECRET_ERROR_IS_LOCKED))
    return _ ("The keyring is locked.");
  return _ ("There is no keyring.");
}
