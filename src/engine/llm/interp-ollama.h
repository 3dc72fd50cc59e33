/* interp-ollama.h: the models that an Ollama server keeps: getting, deleting, what is in memory
 *
 * Source: Ollama's API documentation ("Pull a Model", "Delete a Model", "List Running Models").
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "llm/interp-provider.h"

G_BEGIN_DECLS

/* Does this provider speak Ollama's own API, and so keeps models that can be managed? */
gboolean interp_ollama_is_spoken_by (InterpProvider *provider);

/* The name in what was typed or pasted ("qwen3:8b", "ollama pull qwen3:8b", "ollama/qwen3:8b"), or NULL with a sentence
 * that says what is wrong. */
char *interp_ollama_parse_name (const char *typed, GError **error);

/* ---- getting ---- */

typedef enum
{
  INTERP_PULL_RUNNING,
  INTERP_PULL_DONE,
  INTERP_PULL_FAILED,
  INTERP_PULL_CANCELLED,
} InterpPullState;

/* Signal "changed" (no arguments): anything below is another. */
#define INTERP_TYPE_OLLAMA_PULL (interp_ollama_pull_get_type ())
G_DECLARE_FINAL_TYPE (InterpOllamaPull, interp_ollama_pull, INTERP, OLLAMA_PULL, GObject)

/* Begins at once and goes on when nobody looks. @name: as interp_ollama_parse_name () gives it. */
InterpOllamaPull *interp_ollama_pull_new (InterpProvider *provider, const char *name);
InterpProvider *interp_ollama_pull_get_provider (InterpOllamaPull *self);
const char *interp_ollama_pull_get_name (InterpOllamaPull *self);
InterpPullState interp_ollama_pull_get_state (InterpOllamaPull *self);
/* What is being done now, for people. */
const char *interp_ollama_pull_get_status (InterpOllamaPull *self);
/* The sentence after a failure, otherwise NULL. */
const char *interp_ollama_pull_get_error (InterpOllamaPull *self);
/* A model comes in layers, several at a time; bytes. @completed never exceeds @total, sums stop at G_MAXUINT64. */
guint interp_ollama_pull_get_n_layers (InterpOllamaPull *self);
void interp_ollama_pull_get_layer (InterpOllamaPull *self, guint i, const char **digest, guint64 *completed,
                                   guint64 *total);
void interp_ollama_pull_get_sum (InterpOllamaPull *self, guint64 *completed, guint64 *total);
/* Resolves to TRUE once the model is there; rejects with the sentence, or G_IO_ERROR_CANCELLED. */
DexFuture *interp_ollama_pull_await (InterpOllamaPull *self);
/* Closes the connection: the server stops, and keeps what has come for the next time. */
void interp_ollama_pull_cancel (InterpOllamaPull *self);

/* ---- deleting ---- */

/* Resolves to TRUE, or rejects with a sentence. */
DexFuture *interp_ollama_delete (InterpProvider *provider, const char *name);

/* ---- in memory ---- */

typedef struct
{
  char *name;            /* as the list of models has it */
  guint64 memory;        /* bytes, in all */
  guint64 video_memory;  /* of these, on the graphics card */
  gint64 context_window; /* tokens it was given, 0 unknown */
} InterpOllamaLoaded;

/* Resolves to a GPtrArray (boxed) of InterpOllamaLoaded. */
DexFuture *interp_ollama_list_loaded (InterpProvider *provider);

G_END_DECLS
