/* interp-local-advice.h: which local model to get, and how
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  char *model;       /* to be got, NULL where there is nothing to get it yet */
  char *command;     /* to copy into a terminal */
  char *explanation; /* what it does, with its download size */
} InterpLocalAdvice;

/* @has_ollama: a server answers already and only lacks a model. One that fits this machine's memory. */
InterpLocalAdvice *interp_local_advice_new (gboolean has_ollama);
void interp_local_advice_free (InterpLocalAdvice *self);

G_END_DECLS
