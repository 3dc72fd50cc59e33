/* interp-models.h: every provider we know and which of them answer
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "llm/interp-ollama.h"
#include "llm/interp-provider.h"

G_BEGIN_DECLS

#define INTERP_TYPE_MODELS (interp_models_get_type ())
G_DECLARE_FINAL_TYPE (InterpModels, interp_models, INTERP, MODELS, GObject)

/* What the greeting shows: one entry a provider that can be used now. */
#define INTERP_TYPE_FINDING (interp_finding_get_type ())
G_DECLARE_FINAL_TYPE (InterpFinding, interp_finding, INTERP, FINDING, GObject)

InterpProvider *interp_finding_get_provider (InterpFinding *self);
gboolean interp_finding_answers (InterpFinding *self); /* its server answered, or it has a key */
guint interp_finding_get_n_models (InterpFinding *self);
GListModel *interp_finding_get_models (InterpFinding *self); /* InterpModel; may be empty */
const char *interp_finding_get_error (InterpFinding *self);  /* a sentence, nullable */

/* Reads the profiles; touches no network. */
InterpModels *interp_models_new (void);

/* "Local Models Only": afterwards anything but loopback is refused with INTERP_LLM_ERROR_OFFLINE. */
void interp_models_set_offline (InterpModels *self, gboolean offline);
gboolean interp_models_get_offline (InterpModels *self);

/* Looks for local servers, keys in the (login shell's) environment and in the keyring, all at once, each with its own
 * short time limit. Resolves to TRUE when all have answered or given up; findings appear as they come. */
DexFuture *interp_models_discover (InterpModels *self);
GListModel *interp_models_get_findings (InterpModels *self); /* InterpFinding, best first */

/* "provider/name", a bare name (looked up among what answers; the best match), or "tour".
 * @api_base (nullable) makes it an OpenAI-compatible server at that address (with or without /v1); @api_key nullable.
 * Resolves to an InterpModel, or rejects with a sentence that says what is missing and what to do. */
DexFuture *interp_models_resolve (InterpModels *self, const char *name, const char *api_base, const char *api_key);

/* An OpenAI-compatible server by address, for this run only. Rejects bad addresses. */
InterpProvider *interp_models_add_address (InterpModels *self, const char *address, const char *api_key,
                                           GError **error);
InterpProvider *interp_models_get_provider (InterpModels *self, const char *id);
GListModel *interp_models_get_providers (InterpModels *self); /* all profiles */

/* An OpenAI-compatible server as typed; one that is new is not known yet. NULL with a sentence. Transfer full. */
InterpProvider *interp_models_prepare_address (InterpModels *self, const char *address, GError **error);
/* Asks @provider for its models with a typed key, and keeps the key unless that was refused or nobody answered: in the
 * keyring, or for this run where that cannot be. A new address is known and remembered from then on. With @key NULL or
 * empty it is asked with the key it has. Resolves to a sentence (string) that says what came of it; rejects with one
 * when nothing was kept, or with G_IO_ERROR_CANCELLED. What was in use before stays in use until then. */
DexFuture *interp_models_enter_key (InterpModels *self, InterpProvider *provider, const char *key,
                                    GCancellable *cancellable);
/* Takes the key out of the keyring and out of use; one from the environment comes back into use. Resolves to TRUE;
 * rejects when the keyring still has it. */
DexFuture *interp_models_remove_key (InterpModels *self, InterpProvider *provider);
/* Another address for a provider that has one of its own, remembered; NULL or empty: its own again. Resolves to TRUE;
 * rejects, and nothing is changed, when @address is none or cannot be saved. */
DexFuture *interp_models_set_address (InterpModels *self, InterpProvider *provider, const char *address);
/* Forgets an address that was added: it is in no list any more, nor is its key kept. Chats that use it go on until they
 * are closed. Resolves to TRUE; rejects, and nothing is changed, when it cannot be removed. */
DexFuture *interp_models_forget_address (InterpModels *self, InterpProvider *provider);
/* Why the keyring could not be used when it was last needed: a sentence, NULL when it could. */
const char *interp_models_get_keyring_fault (InterpModels *self);

/* ---- models that a server keeps (Ollama) ---- */

/* The first that answers and keeps its own models, NULL when none does. */
InterpProvider *interp_models_get_keeper (InterpModels *self);
/* Gets a model by name as it was typed; the one under way, when there is one of that name. Afterwards the model is in
 * the lists. Transfer full; NULL with a sentence when it is no name. */
InterpOllamaPull *interp_models_pull (InterpModels *self, InterpProvider *keeper, const char *typed, GError **error);
/* InterpOllamaPull: those under way, and those that failed until they are forgotten. */
GListModel *interp_models_get_pulls (InterpModels *self);
/* Cancels it where it is under way. */
void interp_models_forget_pull (InterpModels *self, InterpOllamaPull *pull);
/* From the server's disk and from the lists. Resolves to TRUE, or rejects with a sentence. */
DexFuture *interp_models_delete (InterpModels *self, InterpModel *model);

G_END_DECLS
