/* interp-provider-private.h: what the rooms of llm share about providers and models
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "llm/interp-codec.h"
#include "llm/interp-provider.h"

G_BEGIN_DECLS

/* ---- provider ---- */

/* Signal "models-changed" (no arguments): the list of models is another. */
InterpProvider *interp_provider_new (InterpProfile *profile);
/* Lets go of its models, which hold it. */
void interp_provider_release (InterpProvider *self);
InterpProfile *interp_provider_get_profile (InterpProvider *self);
const InterpCodec *interp_provider_get_codec (InterpProvider *self); /* NULL for the tour */
void interp_provider_set_base_url (InterpProvider *self, const char *base_url);
/* The user's address for it, NULL: the profile's again. */
void interp_provider_set_own_address (InterpProvider *self, const char *base_url);
gboolean interp_provider_has_own_address (InterpProvider *self);
/* There is no address to ask at before the user or a variable gives one. */
gboolean interp_provider_lacks_address (InterpProvider *self);
const char *interp_provider_get_key (InterpProvider *self);
/* @variable is one of the profile's key variables. */
void interp_provider_set_key_from_variable (InterpProvider *self, const char *key, const char *variable);
void interp_provider_set_offline (InterpProvider *self, gboolean offline);

/* NULL, or why it may not be asked now: INTERP_LLM_ERROR_OFFLINE, _KEY. */
GError *interp_provider_check (InterpProvider *self);
InterpCodecContext *interp_provider_make_context (InterpProvider *self, InterpModel *model /* nullable */);

/* There is nothing at the address, which was typed with or without /v1 and may be meant the other way. TRUE: it is the
 * other one now, try that. FALSE: it is as it was typed, or known to be right. */
gboolean interp_provider_try_other_base (InterpProvider *self);
/* It is the right one. */
void interp_provider_confirm_base (InterpProvider *self);

/* Models as last listed; the object stays the same. */
GListModel *interp_provider_get_models (InterpProvider *self);
gboolean interp_provider_is_listed (InterpProvider *self);
/* It no longer answers. */
void interp_provider_forget_list (InterpProvider *self);
/* Like interp_provider_list_models () with a time limit of its own. */
DexFuture *interp_provider_list_models_within (InterpProvider *self, guint msec);
/* Like interp_provider_list_models (), with @key (nullable) in place of the provider's own, which stays what it is.
 * Also asks what the profile names for checking keys. Rejects with G_IO_ERROR_CANCELLED when @cancellable was
 * cancelled. */
DexFuture *interp_provider_list_models_with_key (InterpProvider *self, const char *key, GCancellable *cancellable);

/* Takes @key (nullable) out of what a server said: servers tell which key they refuse, and that is shown and kept. */
void interp_provider_redact (GError *error, const char *key);
/* "Ollama does not answer at http://…": the sentence for a failed connection. */
GError *interp_provider_describe_failure (InterpProvider *self, const GError *error);

/* ---- model ---- */

InterpModel *interp_model_new (InterpProvider *provider, const char *wire_name);
void interp_model_apply (InterpModel *self, InterpModelFacts *facts);
/* What was learnt by being refused, in this run or an earlier one. */
InterpQuirks interp_model_get_quirks (InterpModel *self);
void interp_model_add_quirks (InterpModel *self, InterpQuirks quirks);
gboolean interp_model_is_inspected (InterpModel *self);
void interp_model_set_inspected (InterpModel *self);
gboolean interp_model_is_for_chat (InterpModel *self);

/* ---- flows ---- */

/* interp-exchange.c: one answer over HTTP. */
InterpStream *interp_exchange_start (InterpProvider *provider, InterpModel *model, InterpRequest *request);
/* interp-tour.c: the answers of data/tour/tour.json. */
InterpStream *interp_tour_start (InterpRequest *request);

G_END_DECLS
