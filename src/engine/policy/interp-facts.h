/* interp-facts.h: what can be said of a block of code from its text
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  INTERP_FACT_ADMINISTRATOR,
  INTERP_FACT_DEVICE,
  INTERP_FACT_DELETES_OUTSIDE,
  INTERP_FACT_DELETES,
  INTERP_FACT_REMOTE_CODE,
  INTERP_FACT_BOMB,
  INTERP_FACT_FORCE_PUSH,
  INTERP_FACT_OUTSIDE,
  INTERP_FACT_PACKAGES,
  INTERP_FACT_NETWORK,
  INTERP_FACT_PROGRAMS,
  INTERP_N_FACTS,
} InterpFactId;

/* A bit per InterpFactId. *@analysed: the language has rules of its own. Text over 256 KB is not analysed. */
guint interp_facts_find (const char *language, const char *code, const char *folder, gboolean *analysed);

/* Those that ask in every mode. */
gboolean interp_facts_are_dangerous (guint facts);
const char *interp_fact_get_icon_name (InterpFactId fact);
const char *interp_fact_get_text (InterpFactId fact); /* translated */

G_END_DECLS
