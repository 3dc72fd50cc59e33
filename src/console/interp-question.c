/* interp-question.c: may this run?, asked in the terminal
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "interp-question.h"

#include <glib/gi18n.h>
#include <string.h>

#include "base/interp-fiber.h"
#include "base/interp-paths.h"
#include "interp-cell-view.h"
#include "interp-editor.h"
#include "interp-prompt.h"

/* A long diff is there to be noticed; the code itself stands above in full. */
#define DIFF_LINES_MAX 60

typedef struct
{
  InterpTty *tty;
  InterpSession *session;
  InterpCell *cell;
  char *code; /* as it stands on the screen */
} Question;

static gboolean editing;

static void
question_free (gpointer data)
{
  Question *self = data;

  interp_tty_unref (self->tty);
  g_object_unref (self->session);
  g_object_unref (self->cell);
  g_free (self->code);
  g_free (self);
}

gboolean
interp_question_is_editing (void)
{
  return editing;
}

static gboolean
is_waiting (Question *self)
{
  return interp_cell_get_cell_state (self->cell) == INTERP_CELL_WAITING;
}

/* ---- what there is to know ---- */

/* Only the block itself as added lines: it stands above. */
static gboolean
says_nothing (InterpDiff *diff)
{
  GPtrArray *lines = interp_diff_get_lines (diff);

  for (guint i = 0; i < lines->len; i++)
    {
      InterpDiffLine *line = g_ptr_array_index (lines, i);

      if (line->kind != INTERP_DIFF_ADDED && line->kind != INTERP_DIFF_HUNK)
        return FALSE;
    }
  return TRUE;
}

static void
print_diff (Question *self, InterpDiff *diff)
{
  static const struct
  {
    const char *mark;
    const char *style;
  } looks[] = {
    [INTERP_DIFF_CONTEXT] = { "  ", "2" }, [INTERP_DIFF_ADDED] = { "+ ", "32" }, [INTERP_DIFF_REMOVED] = { "- ", "31" },
    [INTERP_DIFF_HUNK] = { "", "36" },     [INTERP_DIFF_NOTICE] = { "", "33" },
  };
  GPtrArray *lines = interp_diff_get_lines (diff);
  g_autofree char *title = g_strconcat (interp_diff_get_title (diff), ":\n", NULL);

  interp_tty_print_styled (self->tty, "1", title);
  for (guint i = 0; i < lines->len && i < DIFF_LINES_MAX; i++)
    {
      InterpDiffLine *line = g_ptr_array_index (lines, i);
      g_autofree char *text = g_strconcat ("  ", looks[line->kind].mark, line->text, "\n", NULL);

      interp_tty_print_styled (self->tty, looks[line->kind].style, text);
    }
  if (lines->len > DIFF_LINES_MAX)
    {
      guint n = lines->len - DIFF_LINES_MAX;
      g_autofree char *text = g_strdup_printf (ngettext ("  … %u more line\n", "  … %u more lines\n", n), n);

      interp_tty_print_styled (self->tty, "2", text);
    }
}

static void
print_diffs (Question *self)
{
  g_autoptr (GPtrArray) diffs = dex_await_boxed (interp_cell_load_diffs (self->cell, self->code), NULL);

  for (guint i = 0; diffs != NULL && i < diffs->len; i++)
    {
      InterpDiff *diff = g_ptr_array_index (diffs, i);

      /* Files that are made anew are news; the block itself is not. */
      if (diffs->len == 1 && says_nothing (diff) && interp_cell_get_previous_attempt (self->cell) == NULL)
        continue;
      print_diff (self, diff);
    }
}

static void
print_facts (Question *self)
{
  InterpJudgement *judgement = interp_cell_get_judgement (self->cell);
  GPtrArray *facts = judgement != NULL ? interp_judgement_get_facts (judgement) : NULL;
  const char *reason = judgement != NULL ? interp_judgement_get_reason (judgement) : NULL;
  const char *style = judgement != NULL && interp_judgement_is_dangerous (judgement) ? "1;31" : "33";

  for (guint i = 0; facts != NULL && i < facts->len; i++)
    {
      InterpFact *fact = g_ptr_array_index (facts, i);
      g_autofree char *line = g_strconcat ("• ", fact->text, "\n", NULL);

      interp_tty_print_styled (self->tty, style, line);
    }
  if (reason != NULL && *reason != '\0')
    {
      g_autofree char *line = g_strconcat (reason, "\n", NULL);

      interp_tty_print_styled (self->tty, style, line);
    }
  if (interp_cell_get_folder (self->cell) != NULL)
    {
      g_autofree char *folder = interp_paths_display (interp_cell_get_folder (self->cell));
      g_autofree char *line = g_strdup_printf (_ ("In %s, on this computer\n"), folder);

      interp_tty_print_styled (self->tty, "2", line);
    }
}

static void
print_preview (Question *self)
{
  interp_tty_reset (self->tty);
  interp_tty_start_line (self->tty);
  print_diffs (self);
  print_facts (self);
}

/* ---- answers ---- */

static char *
ask (Question *self, const char *prompt, GError **error)
{
  char *answer;

  /* What was typed before the question is no answer to it. */
  interp_tty_forget_input (self->tty);
  answer = dex_await_string (interp_prompt_ask (prompt, "1;33", FALSE), error);
  interp_tty_set_mode (self->tty, INTERP_TTY_QUIET);
  return answer;
}

static void
refuse (Question *self, const char *reason)
{
  /* Without a reason there is nothing for the model to go on with. */
  interp_session_refuse (self->session, self->cell, *reason != '\0' ? reason : NULL, *reason == '\0');
}

static void
ask_why (Question *self)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *reason = ask (self, _ ("Why not? (Enter: stop here) "), &error);

  if (error == NULL && reason != NULL)
    refuse (self, g_strstrip (reason));
  else
    refuse (self, "");
}

static void
edit (Question *self)
{
  InterpKernelSpec *spec = interp_cell_get_spec (self->cell);
  g_autoptr (GError) error = NULL;
  char *text;

  interp_tty_set_mode (self->tty, INTERP_TTY_NORMAL);
  editing = TRUE;
  text = dex_await_string (interp_editor_edit (self->code,
                                               spec != NULL ? interp_kernel_spec_get_extension (spec) : NULL),
                           &error);
  editing = FALSE;
  interp_tty_set_mode (self->tty, INTERP_TTY_QUIET);
  if (!is_waiting (self))
    {
      g_free (text);
      return;
    }
  if (text == NULL)
    {
      g_autofree char *line = g_strdup_printf (_ ("The code is as it was: %s\n"), error->message);

      interp_tty_print_styled (self->tty, "31", line);
      return;
    }
  g_free (self->code);
  self->code = text;
  interp_tty_reset (self->tty);
  interp_cell_view_print_code (self->tty, spec, self->code);
  print_preview (self);
}

static DexFuture *
question_flow (gpointer data)
{
  Question *self = data;

  print_preview (self);
  while (is_waiting (self))
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *answer = ask (self, _ ("Run? [y/n/e] "), &error);
      const char *word;

      if (!is_waiting (self))
        break;
      if (error != NULL)
        {
          interp_session_stop (self->session);
          break;
        }
      if (answer == NULL)
        {
          refuse (self, "");
          break;
        }
      word = g_strstrip (answer);
      if (g_ascii_strcasecmp (word, "y") == 0 || g_ascii_strcasecmp (word, "yes") == 0)
        interp_session_approve (self->session, self->cell, self->code);
      else if (g_ascii_strcasecmp (word, "n") == 0 || g_ascii_strcasecmp (word, "no") == 0)
        ask_why (self);
      else if (g_ascii_strncasecmp (word, "n ", 2) == 0)
        refuse (self, g_strchug ((char *) word + 2));
      else if (g_ascii_strcasecmp (word, "e") == 0 || g_ascii_strcasecmp (word, "edit") == 0)
        edit (self);
      else
        interp_tty_print_styled (self->tty, "2",
                                 _ ("y runs it, n refuses it (then a sentence for the model), e edits it "
                                    "first.\n"));
    }
  return dex_future_new_true ();
}

DexFuture *
interp_question_ask (InterpTty *tty, InterpSession *session, InterpCell *cell)
{
  Question *self = g_new0 (Question, 1);

  self->tty = interp_tty_ref (tty);
  self->session = g_object_ref (session);
  self->cell = g_object_ref (cell);
  self->code = g_strdup (interp_cell_get_code (cell));
  return interp_fiber_spawn (question_flow, self, question_free);
}
