/* interp-policy.h: may this run, and what is known about it
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

typedef enum
{
  INTERP_MODE_ASK,
  INTERP_MODE_SANDBOX, /* unasked, in safe mode only */
  INTERP_MODE_AUTO,
  INTERP_MODE_LOOK, /* nothing runs */
} InterpMode;
#define INTERP_TYPE_MODE (interp_mode_get_type ())
GType interp_mode_get_type (void);
const char *interp_mode_to_string (InterpMode mode); /* "ask", "sandbox", "auto", "look" */
gboolean interp_mode_from_string (const char *text, InterpMode *mode);

typedef enum
{
  INTERP_VERDICT_ALLOW,
  INTERP_VERDICT_ASK,
  INTERP_VERDICT_DENY,
} InterpVerdict;

/* One fact about a block, from the code, never from the model's words. */
typedef struct
{
  const char *icon_name; /* static */
  char *text;            /* "Deletes files": translated */
} InterpFact;

#define INTERP_TYPE_JUDGEMENT (interp_judgement_get_type ())
G_DECLARE_FINAL_TYPE (InterpJudgement, interp_judgement, INTERP, JUDGEMENT, GObject)

InterpVerdict interp_judgement_get_verdict (InterpJudgement *self);
const char *interp_judgement_get_reason (InterpJudgement *self); /* why it asks or is denied: a sentence */
GPtrArray *interp_judgement_get_facts (InterpJudgement *self);   /* InterpFact */
/* Deletes outside the folder, disk devices, administrator rights: asks in every mode. */
gboolean interp_judgement_is_dangerous (InterpJudgement *self);

/* Judges @code. @language: kernel spec id. @recovered: the call was recovered from text (always asks). Pure. */
InterpJudgement *interp_policy_judge (const char *language, const char *code, const char *folder, InterpMode mode,
                                      gboolean recovered);
/* The same for code that is to run outside a sandbox where it ran inside: always asks. */
InterpJudgement *interp_policy_judge_leaving (const char *language, const char *code, const char *folder);

G_END_DECLS
