/* interp-policy.c
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <glib/gi18n.h>

#include "policy/interp-facts.h"
#include "policy/interp-policy.h"

struct _InterpJudgement
{
  GObject parent_instance;

  InterpVerdict verdict;
  char *reason;
  GPtrArray *facts;
  gboolean dangerous;
};

G_DEFINE_FINAL_TYPE (InterpJudgement, interp_judgement, G_TYPE_OBJECT)

G_DEFINE_ENUM_TYPE (InterpMode, interp_mode, G_DEFINE_ENUM_VALUE (INTERP_MODE_ASK, "ask"),
                    G_DEFINE_ENUM_VALUE (INTERP_MODE_SANDBOX, "sandbox"),
                    G_DEFINE_ENUM_VALUE (INTERP_MODE_AUTO, "auto"), G_DEFINE_ENUM_VALUE (INTERP_MODE_LOOK, "look"))

const char *
interp_mode_to_string (InterpMode mode)
{
  switch (mode)
    {
    case INTERP_MODE_SANDBOX:
      return "sandbox";
    case INTERP_MODE_AUTO:
      return "auto";
    case INTERP_MODE_LOOK:
      return "look";
    case INTERP_MODE_ASK:
    default:
      return "ask";
    }
}

gboolean
interp_mode_from_string (const char *text, InterpMode *mode)
{
  g_return_val_if_fail (mode != NULL, FALSE);

  for (InterpMode i = INTERP_MODE_ASK; i <= INTERP_MODE_LOOK; i++)
    if (g_strcmp0 (text, interp_mode_to_string (i)) == 0)
      {
        *mode = i;
        return TRUE;
      }
  return FALSE;
}

InterpVerdict
interp_judgement_get_verdict (InterpJudgement *self)
{
  g_return_val_if_fail (INTERP_IS_JUDGEMENT (self), INTERP_VERDICT_DENY);

  return self->verdict;
}

const char *
interp_judgement_get_reason (InterpJudgement *self)
{
  g_return_val_if_fail (INTERP_IS_JUDGEMENT (self), NULL);

  return self->reason;
}

GPtrArray *
interp_judgement_get_facts (InterpJudgement *self)
{
  g_return_val_if_fail (INTERP_IS_JUDGEMENT (self), NULL);

  return self->facts;
}

gboolean
interp_judgement_is_dangerous (InterpJudgement *self)
{
  g_return_val_if_fail (INTERP_IS_JUDGEMENT (self), TRUE);

  return self->dangerous;
}

static void
fact_free (gpointer data)
{
  InterpFact *fact = data;

  g_free (fact->text);
  g_free (fact);
}

static void
add_fact (InterpJudgement *self, const char *icon_name, const char *text)
{
  InterpFact *fact = g_new0 (InterpFact, 1);

  fact->icon_name = icon_name;
  fact->text = g_strdup (text);
  g_ptr_array_add (self->facts, fact);
}

InterpJudgement *
interp_policy_judge (const char *language, const char *code, const char *folder, InterpMode mode, gboolean recovered)
{
  InterpJudgement *self = g_object_new (INTERP_TYPE_JUDGEMENT, NULL);
  gboolean analysed = FALSE;
  guint found;

  g_return_val_if_fail (language != NULL && code != NULL, self);

  found = interp_facts_find (language, code, folder, &analysed);
  self->dangerous = interp_facts_are_dangerous (found);

  for (guint i = 0; i < INTERP_N_FACTS; i++)
    if ((found & (1u << i)) != 0)
      add_fact (self, interp_fact_get_icon_name (i), interp_fact_get_text (i));
  /* Only a shell script is read command by command; elsewhere the words found are hints. */
  if (!analysed || !g_str_equal (language, "shell"))
    {
      InterpFact *fact = g_new0 (InterpFact, 1);

      fact->icon_name = "dialog-warning-symbolic";
      fact->text = g_strdup (_ ("Not analysed: this code can do whatever you can do."));
      g_ptr_array_insert (self->facts, 0, fact);
    }

  switch (mode)
    {
    case INTERP_MODE_LOOK:
      self->verdict = INTERP_VERDICT_DENY;
      self->reason = g_strdup (_ ("The mode is Look: nothing runs."));
      break;
    case INTERP_MODE_SANDBOX:
    case INTERP_MODE_AUTO:
      if (recovered)
        {
          self->verdict = INTERP_VERDICT_ASK;
          self->reason = g_strdup (_ ("Asked because the model wrote this call as text; it may not be meant to run."));
        }
      else if (self->dangerous)
        {
          self->verdict = INTERP_VERDICT_ASK;
          self->reason = g_strdup (_ ("Asked in every mode because of what it may do."));
        }
      else
        self->verdict = INTERP_VERDICT_ALLOW;
      break;
    case INTERP_MODE_ASK:
    default:
      self->verdict = INTERP_VERDICT_ASK;
      self->reason
          = g_strdup (self->dangerous ? _ ("Asked because of what it may do.") : _ ("Asked because the mode is Ask."));
      break;
    }
  return self;
}

InterpJudgement *
interp_policy_judge_leaving (const char *language, const char *code, const char *folder)
{
  InterpJudgement *self = interp_policy_judge (language, code, folder, INTERP_MODE_ASK, FALSE);

  g_set_str (&self->reason, _ ("Asked because it runs outside the sandbox, with all that you may do yourself."));
  return self;
}

static void
interp_judgement_finalize (GObject *object)
{
  InterpJudgement *self = INTERP_JUDGEMENT (object);

  g_free (self->reason);
  g_ptr_array_unref (self->facts);

  G_OBJECT_CLASS (interp_judgement_parent_class)->finalize (object);
}

static void
interp_judgement_class_init (InterpJudgementClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = interp_judgement_finalize;
}

static void
interp_judgement_init (InterpJudgement *self)
{
  self->verdict = INTERP_VERDICT_ASK;
  self->facts = g_ptr_array_new_with_free_func (fact_free);
}
