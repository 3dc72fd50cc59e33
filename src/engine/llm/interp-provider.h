/* interp-provider.h: one place that answers prompts, and its models
 *
 * A provider is a profile (data/providers/NAME.provider: codec, base URL, key name, quirks) with this user's address
 * and key. Adding a provider is adding a profile; adding a wire format is adding a codec file.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <libdex.h>

#include "llm/interp-message.h"

G_BEGIN_DECLS

typedef enum
{
  INTERP_SUPPORT_UNKNOWN,
  INTERP_SUPPORT_NO,
  INTERP_SUPPORT_YES,
} InterpSupport;

#define INTERP_TYPE_PROVIDER (interp_provider_get_type ())
G_DECLARE_FINAL_TYPE (InterpProvider, interp_provider, INTERP, PROVIDER, GObject)

#define INTERP_TYPE_MODEL (interp_model_get_type ())
G_DECLARE_FINAL_TYPE (InterpModel, interp_model, INTERP, MODEL, GObject)

#define INTERP_TYPE_STREAM (interp_stream_get_type ())
G_DECLARE_FINAL_TYPE (InterpStream, interp_stream, INTERP, STREAM, GObject)

/* ---- provider ---- */

typedef enum
{
  INTERP_KEY_NONE,        /* none needed or none known */
  INTERP_KEY_ENVIRONMENT, /* from a variable; never stored */
  INTERP_KEY_KEYRING,
  INTERP_KEY_SESSION, /* typed, kept for this run only */
} InterpKeySource;

const char *interp_provider_get_id (InterpProvider *self);    /* "ollama", "openai", … */
const char *interp_provider_get_title (InterpProvider *self); /* "Ollama" */
const char *interp_provider_get_base_url (InterpProvider *self);
/* Is it nothing but an address that was typed? */
gboolean interp_provider_is_address (InterpProvider *self);
/* Does its address name this computer (loopback)? The tour is local too. */
gboolean interp_provider_is_local (InterpProvider *self);
/* "On this computer", or the host that prompts are sent to; that the tour is a script. */
char *interp_provider_describe_place (InterpProvider *self);
gboolean interp_provider_needs_key (InterpProvider *self);
InterpKeySource interp_provider_get_key_source (InterpProvider *self);
/* The variable that the key came from, else the first that it is looked for in: "OPENAI_API_KEY", nullable. */
const char *interp_provider_get_key_variable (InterpProvider *self);
void interp_provider_set_key (InterpProvider *self, const char *key, InterpKeySource source);

/* Resolves to a GListModel of InterpModel (fresh from the server). */
DexFuture *interp_provider_list_models (InterpProvider *self);

/* A model by wire name, known or not (one object a name). Transfer full. */
InterpModel *interp_provider_get_model (InterpProvider *self, const char *wire_name);

/* Asks what can be known about @model (context window, tools); resolves to TRUE. Cheap when already known. */
DexFuture *interp_provider_inspect (InterpProvider *self, InterpModel *model);

/* Sends @request. Retries before the first output by itself, adapts once to a refused parameter and remembers. */
InterpStream *interp_provider_stream (InterpProvider *self, InterpRequest *request);

/* ---- model ---- */

InterpProvider *interp_model_get_provider (InterpModel *self);
const char *interp_model_get_wire_name (InterpModel *self);

/* By which interp_models_resolve () finds it again: "ollama/gemma-4-27b", at an address of one's own
 * "http://localhost:8080/v1#gemma", and where something else than Chat Completions is spoken "ollama+http://…#…". */
char *interp_model_dup_name (InterpModel *self);

/* The address in such a name, NULL where it has none. */
char *interp_model_name_dup_address (const char *name);

/* The part of such a name that is shown to people. */
const char *interp_model_name_get_title (const char *name);

const char *interp_model_get_title (InterpModel *self);     /* short, for buttons */
gint64 interp_model_get_context_window (InterpModel *self); /* tokens, 0 unknown */
void interp_model_set_context_window (InterpModel *self, gint64 tokens);
guint64 interp_model_get_size (InterpModel *self); /* bytes on disk, 0 unknown */
InterpSupport interp_model_get_tools (InterpModel *self);
void interp_model_set_tools (InterpModel *self, InterpSupport tools);
InterpSupport interp_model_get_vision (InterpModel *self);
InterpSupport interp_model_get_thinking (InterpModel *self); /* does it reason before it answers */

/* ---- stream ---- */

/* Resolves to the next InterpEvent (INTERP_TYPE_EVENT), to NULL after the FINISH event, or rejects with an
 * INTERP_LLM_ERROR (whose message is a sentence for the user that names the provider and what it said).
 * One caller at a time. */
DexFuture *interp_stream_next (InterpStream *self);

/* Ends the stream now: the connection is closed, next () rejects with G_IO_ERROR_CANCELLED. Safe at any time. */
void interp_stream_close (InterpStream *self);

G_END_DECLS
