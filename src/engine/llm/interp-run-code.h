/* interp-run-code.h: from a tool call's name and arguments to language and code
 *
 * The one tool for code is run_code {language, code}. Models call it in more ways than offered; what they mean is read
 * here: run_code, functions.run_code, execute     {"language": "python", "code": "…"} python, functions.bash, …
 * {"code": "…"}, a JSON string, or the bare code any of these                              "code" being once more
 * {"language", "code"} as JSON text Arguments that do not parse are never guessed at: the call gets a fault.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "llm/interp-message.h"

G_BEGIN_DECLS

#define INTERP_RUN_CODE "run_code"

/* Longest arguments accepted, in bytes. */
#define INTERP_RUN_CODE_MAX (4 * 1024 * 1024)

/* What a request offers: the names of its tools and the languages it can run. */
typedef struct _InterpOffer InterpOffer;

InterpOffer *interp_offer_new (InterpRequest *request);
InterpOffer *interp_offer_ref (InterpOffer *self);
void interp_offer_unref (InterpOffer *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpOffer, interp_offer_unref)

gboolean interp_offer_has_tool (InterpOffer *self, const char *name);
/* The language that @word (any case, any length) names among those offered, or NULL. Owned by @self. */
const char *interp_offer_find_language (InterpOffer *self, const char *word);
/* A name that can be called: a tool, run_code under one of its names, or a language. */
gboolean interp_offer_accepts (InterpOffer *self, const char *name);
/* May a name that it accepts begin like this? */
gboolean interp_offer_may_accept (InterpOffer *self, const char *beginning);

/* The tool that @name means: "run_code" for code under any name, else @name without a prefix. */
char *interp_run_code_normalize_name (InterpOffer *offer, const char *name);

/* Fills @call's name, language, code and fault from its name and arguments. */
void interp_run_code_interpret (InterpCall *call, InterpOffer *offer);

/* Language and code as far as they have arrived; each may stay NULL. */
void interp_run_code_peek (InterpOffer *offer, const char *name, const char *partial_arguments, char **language,
                           char **code);

G_END_DECLS
