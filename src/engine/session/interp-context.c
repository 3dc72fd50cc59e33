/* interp-context.c: which part of a conversation a model is given, and in what form
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "base/interp-json.h"
#include "base/interp-text.h"
#include "session/interp-cell-private.h"
#include "session/interp-context.h"
#include "session/interp-item-private.h"
#include "session/interp-result.h"

/* Tokens that a message, a call and a picture cost beside their text. */
#define MESSAGE_TOKENS 8
#define CALL_TOKENS 12
#define PICTURE_TOKENS 1000

/* Results are not cut below this many bytes to make the last exchange fit. */
#define MIN_RESULT 600

/* What is kept or left out as one: a user's message, or an answer with the results of its calls. */
typedef struct
{
  GPtrArray *messages;
  gint64 tokens;
  gboolean is_user;
  gboolean begins_turn;
} Unit;

static void
unit_free (Unit *unit)
{
  g_ptr_array_unref (unit->messages);
  g_free (unit);
}

void
interp_context_free (InterpContext *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->messages);
  g_free (self);
}

gint64
interp_context_estimate (const char *text)
{
  return text != NULL ? (gint64) (strlen (text) + 3) / 4 : 0;
}

static gint64
message_tokens (InterpMessage *message)
{
  gint64 tokens
      = MESSAGE_TOKENS + interp_context_estimate (message->text) + interp_context_estimate (message->reasoning);

  for (guint i = 0; message->calls != NULL && i < message->calls->len; i++)
    {
      InterpCall *call = g_ptr_array_index (message->calls, i);

      tokens += CALL_TOKENS + interp_context_estimate (call->arguments);
    }
  if (message->pictures != NULL)
    tokens += message->pictures->len * PICTURE_TOKENS;
  if (message->opaque != NULL)
    tokens += g_bytes_get_size (message->opaque) / 4;

  return tokens;
}

static void
unit_count (Unit *unit)
{
  unit->tokens = 0;
  for (guint i = 0; i < unit->messages->len; i++)
    unit->tokens += message_tokens (g_ptr_array_index (unit->messages, i));
}

static Unit *
unit_new (gboolean is_user)
{
  Unit *unit = g_new0 (Unit, 1);

  unit->messages = g_ptr_array_new_with_free_func ((GDestroyNotify) interp_message_unref);
  unit->is_user = is_user;

  return unit;
}

static void
append_paragraph (GString *text, const char *paragraph)
{
  if (paragraph == NULL || *paragraph == '\0')
    return;
  if (text->len > 0)
    g_string_append (text, "\n\n");
  g_string_append (text, paragraph);
}

/* ---- the user's side ---- */

/* What happened beside the conversation since the user last wrote. */
typedef struct
{
  GString *notes;
  GPtrArray *background; /* InterpCell whose end has not been told yet */
} Aside;

static void
note_user_cell (Aside *aside, InterpCell *cell)
{
  g_autofree char *block = NULL;
  g_autofree char *note = NULL;
  InterpKernelSpec *spec = interp_cell_get_spec (cell);

  if (interp_item_get_state (INTERP_ITEM (cell)) == INTERP_ITEM_OPEN && interp_cell_get_result (cell) == NULL)
    return;
  block = interp_result_fence (spec != NULL ? interp_kernel_spec_get_id (spec) : NULL, interp_cell_get_code (cell));
  note = g_strdup_printf ("[The user ran this in the %s kernel:\n%s\n%s]", interp_cell_get_language (cell), block,
                          interp_cell_get_result (cell) != NULL ? interp_cell_get_result (cell) : "It did not run.");
  append_paragraph (aside->notes, note);
}

static void
note_background_ends (Aside *aside, gint64 until)
{
  for (guint i = 0; i < aside->background->len;)
    {
      InterpCell *cell = g_ptr_array_index (aside->background, i);

      if (interp_cell_get_late_result (cell) != NULL && interp_cell_get_ended (cell) <= until)
        {
          g_autofree char *note = g_strdup_printf ("[The %s code that went on in the background has ended.\n%s]",
                                                   interp_cell_get_language (cell), interp_cell_get_late_result (cell));

          append_paragraph (aside->notes, note);
          g_ptr_array_remove_index (aside->background, i);
        }
      else
        i++;
    }
}

static void
add_pictures (InterpMessage *message, InterpItem *item, const InterpContextInput *input)
{
  GPtrArray *pictures = input->blind ? NULL : interp_item_get_pictures (item);

  for (guint i = 0; pictures != NULL && i < pictures->len; i++)
    {
      InterpPicture *picture = g_ptr_array_index (pictures, i);

      interp_message_add_picture (message, picture->mime, picture->bytes);
    }
}

static Unit *
unit_for_user (InterpItem *item, const InterpContextInput *input, Aside *aside)
{
  Unit *unit = unit_new (TRUE);
  g_autoptr (GString) text = g_string_new (NULL);
  const char *const *attachments = interp_item_get_attachments (item);
  InterpMessage *message;

  note_background_ends (aside, interp_item_get_created (item));
  append_paragraph (text, aside->notes->str);
  g_string_truncate (aside->notes, 0);
  append_paragraph (text, interp_item_get_text (item));
  for (gsize i = 0; attachments != NULL && attachments[i] != NULL; i++)
    {
      g_autofree char *note = g_strdup_printf ("[Attached file: %s]", attachments[i]);

      append_paragraph (text, note);
    }

  message = interp_message_new (INTERP_ROLE_USER, text->str);
  add_pictures (message, item, input);
  g_ptr_array_add (unit->messages, message);
  unit->begins_turn = !interp_item_is_mid_turn (item);
  unit_count (unit);

  return unit;
}

static Unit *
unit_for_nudge (const char *nudge)
{
  Unit *unit = unit_new (TRUE);

  g_ptr_array_add (unit->messages, interp_message_new (INTERP_ROLE_USER, nudge));
  unit_count (unit);

  return unit;
}

/* ---- the model's side ---- */

static char *
call_arguments (InterpCell *cell)
{
  InterpCall *call = interp_cell_get_call (cell);
  const char *original = interp_cell_get_original_code (cell);
  g_autoptr (JsonNode) arguments = NULL;

  if (call != NULL && call->origin == INTERP_CALL_TOOL && !interp_cell_is_cut (cell) && call->arguments != NULL)
    return g_strdup (call->arguments);

  arguments = interp_json_object ("language", INTERP_JSON_STRING (interp_cell_get_language_name (cell)), "code",
                                  INTERP_JSON_STRING (original != NULL ? original : interp_cell_get_code (cell)), NULL);

  return interp_json_to_string (arguments);
}

static InterpCall *
call_for_cell (InterpCell *cell)
{
  InterpCall *own = interp_cell_get_call (cell);
  g_autofree char *arguments = call_arguments (cell);
  g_autofree char *made_up = g_strdup_printf ("call_%" G_GINT64_FORMAT, interp_item_get_id (INTERP_ITEM (cell)));
  InterpCall *call;

  call = interp_call_new (own != NULL ? own->origin : INTERP_CALL_TOOL, own != NULL ? own->id : made_up,
                          own != NULL ? own->name : "run_code", arguments);
  call->language = g_strdup (interp_cell_get_language_name (cell));
  call->code = g_strdup (interp_cell_get_original_code (cell) != NULL ? interp_cell_get_original_code (cell)
                                                                      : interp_cell_get_code (cell));

  return call;
}

static const char *
result_of (InterpCell *cell)
{
  const char *result = interp_cell_get_result (cell);

  return result != NULL && *result != '\0' ? result : "Nothing is known about what became of this.";
}

static void
add_calls_and_results (Unit *unit, InterpMessage *assistant, GPtrArray *cells, const InterpContextInput *input)
{
  for (guint i = 0; i < cells->len; i++)
    {
      InterpCell *cell = g_ptr_array_index (cells, i);
      g_autoptr (InterpCall) call = call_for_cell (cell);
      InterpMessage *result = interp_message_new (INTERP_ROLE_TOOL, result_of (cell));

      interp_message_add_call (assistant, call);
      result->call_id = g_strdup (call->id);
      result->call_name = g_strdup (call->name);
      result->is_error = interp_cell_result_is_error (cell);
      add_pictures (result, INTERP_ITEM (cell), input);
      g_ptr_array_add (unit->messages, result);
    }
}

/* The words around a result are ours alone: the model is never shown how to write them. */
static char *
wrap_result (InterpCell *cell)
{
  return g_strdup_printf ("⟦result of your %s block⟧\n%s\n⟦end of result⟧", interp_cell_get_language (cell),
                          result_of (cell));
}

static void
add_fences_and_results (Unit *unit, InterpMessage *assistant, GPtrArray *cells, const InterpContextInput *input)
{
  g_autoptr (GString) said = g_string_new (assistant->text);
  g_autoptr (GString) results = g_string_new (NULL);

  for (guint i = 0; i < cells->len; i++)
    {
      InterpCell *cell = g_ptr_array_index (cells, i);
      const char *original = interp_cell_get_original_code (cell);
      g_autofree char *fence = interp_result_fence (interp_cell_get_language_name (cell),
                                                    original != NULL ? original : interp_cell_get_code (cell));
      g_autofree char *result = wrap_result (cell);

      /* The model's own blank lines before it. */
      while (said->len > 0 && said->str[said->len - 1] == '\n')
        g_string_truncate (said, said->len - 1);
      append_paragraph (said, fence);
      append_paragraph (results, result);
    }
  g_set_str (&assistant->text, said->str);
  if (results->len > 0)
    {
      InterpMessage *message = interp_message_new (INTERP_ROLE_USER, results->str);

      for (guint i = 0; i < cells->len; i++)
        add_pictures (message, g_ptr_array_index (cells, i), input);
      g_ptr_array_add (unit->messages, message);
    }
}

/* One answer: the items from @start on that share its number. Sets @end to the first that does not belong to it. */
static Unit *
unit_for_answer (GPtrArray *items, guint start, const InterpContextInput *input, Aside *aside, guint *end)
{
  InterpItem *first = g_ptr_array_index (items, start);
  gint64 answer = interp_item_get_answer (first);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GString) reasoning = g_string_new (NULL);
  g_autoptr (GPtrArray) cells = g_ptr_array_new ();
  const char *model = NULL;
  const char *opaque_provider = NULL;
  GBytes *opaque = NULL;
  gboolean interrupted = FALSE;
  InterpMessage *message;
  Unit *unit;
  guint i;

  for (i = start; i < items->len; i++)
    {
      InterpItem *item = g_ptr_array_index (items, i);
      InterpItemKind kind = interp_item_get_kind (item);

      if (kind == INTERP_ITEM_USER)
        break;
      if (kind == INTERP_ITEM_NOTICE || kind == INTERP_ITEM_ERROR)
        continue;
      if (kind == INTERP_ITEM_CELL && interp_cell_is_by_user (INTERP_CELL (item)))
        {
          note_user_cell (aside, INTERP_CELL (item));
          continue;
        }
      if (interp_item_get_answer (item) != answer)
        break;

      if (model == NULL)
        model = interp_item_get_model (item);
      /* One item of an answer keeps it for all of them. */
      if (opaque == NULL)
        opaque = interp_item_get_opaque (item, &opaque_provider);
      if (interp_item_is_premature (item))
        continue;
      if (kind == INTERP_ITEM_REASONING)
        append_paragraph (reasoning, interp_item_get_text (item));
      else if (kind == INTERP_ITEM_ASSISTANT)
        {
          append_paragraph (text, interp_item_get_text (item));
          interrupted = interrupted || interp_item_get_state (item) == INTERP_ITEM_INTERRUPTED;
        }
      else if (kind == INTERP_ITEM_CELL && interp_cell_is_only_shown (INTERP_CELL (item)))
        {
          g_autofree char *block = interp_result_fence (NULL, interp_cell_get_code (INTERP_CELL (item)));

          append_paragraph (text, block);
        }
      else if (kind == INTERP_ITEM_CELL)
        {
          g_ptr_array_add (cells, item);
          if (interp_cell_is_background (INTERP_CELL (item)))
            g_ptr_array_add (aside->background, item);
        }
    }
  *end = i;

  if (interrupted)
    append_paragraph (aside->notes, "[The user stopped your last answer before its end.]");
  /* Thinking alone is not an answer; servers refuse empty messages. */
  if (text->len == 0 && cells->len == 0)
    return NULL;

  unit = unit_new (FALSE);
  message = interp_message_new (INTERP_ROLE_ASSISTANT, text->len > 0 ? text->str : NULL);
  g_ptr_array_add (unit->messages, message);
  if (reasoning->len > 0 && cells->len > 0 && g_strcmp0 (model, input->model) == 0)
    message->reasoning = g_strdup (reasoning->str);
  if (opaque != NULL)
    {
      message->opaque = g_bytes_ref (opaque);
      message->opaque_provider = g_strdup (opaque_provider);
    }
  if (input->text_mode)
    add_fences_and_results (unit, message, cells, input);
  else
    add_calls_and_results (unit, message, cells, input);
  unit_count (unit);

  return unit;
}

/* ---- all of it ---- */

static GPtrArray *
make_units (GPtrArray *items, const InterpContextInput *input)
{
  GPtrArray *units = g_ptr_array_new_with_free_func ((GDestroyNotify) unit_free);
  g_autoptr (GString) notes = g_string_new (NULL);
  g_autoptr (GPtrArray) background = g_ptr_array_new ();
  Aside aside = { notes, background };

  for (guint i = 0; i < items->len;)
    {
      InterpItem *item = g_ptr_array_index (items, i);
      Unit *unit;

      switch (interp_item_get_kind (item))
        {
        case INTERP_ITEM_USER:
          if (interp_item_get_state (item) != INTERP_ITEM_QUEUED)
            g_ptr_array_add (units, unit_for_user (item, input, &aside));
          i++;
          break;

        case INTERP_ITEM_CELL:
          if (interp_cell_is_by_user (INTERP_CELL (item)))
            {
              note_user_cell (&aside, INTERP_CELL (item));
              i++;
              break;
            }
          G_GNUC_FALLTHROUGH;
        case INTERP_ITEM_ASSISTANT:
        case INTERP_ITEM_REASONING:
          if (interp_item_get_nudge (item) != NULL)
            g_ptr_array_add (units, unit_for_nudge (interp_item_get_nudge (item)));
          unit = unit_for_answer (items, i, input, &aside, &i);
          if (unit != NULL)
            g_ptr_array_add (units, unit);
          break;

        case INTERP_ITEM_NOTICE:
        case INTERP_ITEM_ERROR:
        default:
          i++;
          break;
        }
    }

  return units;
}

static gint64
scaled (gint64 tokens, const InterpContextInput *input)
{
  return input->token_scale > 1 ? (gint64) (tokens * input->token_scale) : tokens;
}

/* Makes the results of @unit shorter until it takes at most @tokens. */
static gboolean
shorten_results (Unit *unit, gint64 tokens, const InterpContextInput *input)
{
  gsize limit = 0;
  gboolean any = FALSE;

  for (guint i = 1; i < unit->messages->len; i++)
    {
      InterpMessage *message = g_ptr_array_index (unit->messages, i);

      limit = MAX (limit, message->text != NULL ? strlen (message->text) : 0);
    }
  while (scaled (unit->tokens, input) > tokens && limit > MIN_RESULT)
    {
      limit = MAX (limit / 2, MIN_RESULT);
      for (guint i = 1; i < unit->messages->len; i++)
        {
          InterpMessage *message = g_ptr_array_index (unit->messages, i);

          if (message->text != NULL && strlen (message->text) > limit)
            {
              g_autofree char *shortened = interp_text_shorten (message->text, limit);

              g_set_str (&message->text, shortened);
              any = TRUE;
            }
        }
      unit_count (unit);
    }

  return any;
}

static void
append_messages (GPtrArray *messages, Unit *unit)
{
  for (guint i = 0; i < unit->messages->len; i++)
    {
      InterpMessage *message = g_ptr_array_index (unit->messages, i);
      InterpMessage *last = messages->len > 0 ? g_ptr_array_index (messages, messages->len - 1) : NULL;

      /* Many templates fail on two messages of one role in a row. */
      if (last != NULL && message->role == INTERP_ROLE_USER && last->role == INTERP_ROLE_USER)
        {
          g_autoptr (GString) text = g_string_new (last->text);
          InterpMessage *merged;

          append_paragraph (text, message->text);
          merged = interp_message_new (INTERP_ROLE_USER, text->str);
          for (guint j = 0; last->pictures != NULL && j < last->pictures->len; j++)
            {
              InterpPicture *picture = g_ptr_array_index (last->pictures, j);

              interp_message_add_picture (merged, picture->mime, picture->bytes);
            }
          for (guint j = 0; message->pictures != NULL && j < message->pictures->len; j++)
            {
              InterpPicture *picture = g_ptr_array_index (message->pictures, j);

              interp_message_add_picture (merged, picture->mime, picture->bytes);
            }
          g_ptr_array_remove_index (messages, messages->len - 1);
          g_ptr_array_add (messages, merged);
        }
      else
        g_ptr_array_add (messages, interp_message_ref (message));
    }
}

InterpContext *
interp_context_build (GPtrArray *items, const InterpContextInput *input)
{
  InterpContext *self = g_new0 (InterpContext, 1);
  g_autoptr (GPtrArray) units = make_units (items, input);
  g_autofree gboolean *kept = NULL;
  gint64 left;
  int turn = -1;
  guint n_kept = 0;

  g_return_val_if_fail (input != NULL, NULL);

  self->messages = g_ptr_array_new_with_free_func ((GDestroyNotify) interp_message_unref);

  if (input->nudge != NULL && units->len > 0)
    {
      Unit *last = g_ptr_array_index (units, units->len - 1);
      InterpMessage *message = g_ptr_array_index (last->messages, last->messages->len - 1);

      if (message->role == INTERP_ROLE_ASSISTANT)
        {
          g_ptr_array_add (units, unit_for_nudge (input->nudge));
          self->nudged = TRUE;
        }
    }

  kept = g_new0 (gboolean, units->len + 1);
  left = input->budget - scaled (interp_context_estimate (input->system), input);

  /* The prompt of this turn first, whatever it costs; then from the newest back. */
  for (guint i = 0; i < units->len; i++)
    if (((Unit *) g_ptr_array_index (units, i))->begins_turn)
      turn = i;
  if (turn >= 0)
    {
      kept[turn] = TRUE;
      left -= scaled (((Unit *) g_ptr_array_index (units, turn))->tokens, input);
    }
  for (int i = (int) units->len - 1; i >= 0; i--)
    {
      Unit *unit = g_ptr_array_index (units, i);

      if (kept[i])
        continue;
      if (scaled (unit->tokens, input) > left)
        {
          if (i < (int) units->len - 1)
            break;
          self->shortened = shorten_results (unit, left, input);
        }
      kept[i] = TRUE;
      left -= scaled (unit->tokens, input);
    }

  /* What is left of an older turn begins with the user's words. */
  for (guint i = 0; (int) i < turn; i++)
    {
      Unit *unit = g_ptr_array_index (units, i);

      if (kept[i] && unit->is_user)
        break;
      kept[i] = FALSE;
    }

  self->tokens = interp_context_estimate (input->system);
  for (guint i = 0; i < units->len; i++)
    if (kept[i])
      {
        Unit *unit = g_ptr_array_index (units, i);

        append_messages (self->messages, unit);
        self->tokens += unit->tokens;
        n_kept++;
      }
  self->n_left_out = units->len - n_kept;
  self->tokens = scaled (self->tokens, input);

  return self;
}

char *
interp_context_describe (GPtrArray *messages, const char *system)
{
  static const char *const titles[] = { "User", "Assistant", "Result" };
  g_autoptr (GString) text = g_string_new (NULL);

  if (system != NULL)
    g_string_append_printf (text, "System:\n%s", system);
  for (guint i = 0; i < messages->len; i++)
    {
      InterpMessage *message = g_ptr_array_index (messages, i);
      g_autofree char *heading = g_strdup_printf ("%s:", titles[message->role]);

      append_paragraph (text, heading);
      if (message->text != NULL)
        g_string_append_printf (text, "\n%s", message->text);
      for (guint j = 0; message->pictures != NULL && j < message->pictures->len; j++)
        {
          InterpPicture *picture = g_ptr_array_index (message->pictures, j);

          g_string_append_printf (text, "\n[picture, %s, %zu bytes]", picture->mime, g_bytes_get_size (picture->bytes));
        }
      for (guint j = 0; message->calls != NULL && j < message->calls->len; j++)
        {
          InterpCall *call = g_ptr_array_index (message->calls, j);

          g_string_append_printf (text, "\n%s %s", call->name, call->arguments != NULL ? call->arguments : "{}");
        }
    }

  return g_string_free_and_steal (g_steal_pointer (&text));
}
