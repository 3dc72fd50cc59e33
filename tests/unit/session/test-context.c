/* test-context.c: what a model is given of a conversation
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "session/interp-cell-private.h"
#include "session/interp-context.h"
#include "session/interp-item-private.h"

#include <string.h>

/* What a picture is counted as. */
#define PICTURE_TOKENS 1000

static GPtrArray *
items_new (void)
{
  return g_ptr_array_new_with_free_func (g_object_unref);
}

static InterpItem *
add_user (GPtrArray *items, const char *text)
{
  InterpItem *item = interp_item_new (INTERP_ITEM_USER, text);

  interp_item_set_state (item, INTERP_ITEM_COMPLETE);
  interp_item_set_place (item, items->len + 1, items->len);
  interp_item_set_created (item, 1000 + items->len);
  g_ptr_array_add (items, item);

  return item;
}

static InterpItem *
add_said (GPtrArray *items, gint64 answer, InterpItemKind kind, const char *text)
{
  InterpItem *item = interp_item_new (kind, text);

  interp_item_set_state (item, INTERP_ITEM_COMPLETE);
  interp_item_set_place (item, items->len + 1, items->len);
  interp_item_set_answer (item, answer);
  interp_item_set_model (item, "x/m");
  g_ptr_array_add (items, item);

  return item;
}

static InterpCell *
add_cell (GPtrArray *items, gint64 answer, const char *id, const char *code, const char *result)
{
  InterpCell *cell = interp_cell_new ("python", code, FALSE);
  g_autoptr (InterpCall) call = interp_call_new (INTERP_CALL_TOOL, id, "run_code", NULL);

  interp_cell_set_call (cell, call);
  interp_cell_set_cell_state (cell, INTERP_CELL_DONE);
  if (result != NULL)
    interp_cell_set_result (cell, result, FALSE);
  interp_item_set_place (INTERP_ITEM (cell), items->len + 1, items->len);
  interp_item_set_answer (INTERP_ITEM (cell), answer);
  g_ptr_array_add (items, cell);

  return cell;
}

static void
add_picture (InterpItem *item)
{
  g_autoptr (GPtrArray) pictures = NULL;
  GPtrArray *old = interp_item_get_pictures (item);
  g_autoptr (InterpMessage) holder = interp_message_new (INTERP_ROLE_USER, NULL);
  g_autoptr (GBytes) bytes = g_bytes_new_static ("PNG", 3);

  for (guint i = 0; old != NULL && i < old->len; i++)
    {
      InterpPicture *picture = g_ptr_array_index (old, i);

      interp_message_add_picture (holder, picture->mime, picture->bytes);
    }
  interp_message_add_picture (holder, "image/png", bytes);
  pictures = g_ptr_array_ref (holder->pictures);
  interp_item_set_pictures (item, pictures);
}

static InterpContext *
build (GPtrArray *items, gint64 budget, gboolean text_mode)
{
  InterpContextInput input = {
    .text_mode = text_mode,
    .model = "x/m",
    .system = "You run code.",
    .budget = budget,
    .token_scale = 1,
  };

  return interp_context_build (items, &input);
}

/* "user text|assistant text [id id]|tool id text", as sent. */
static char *
describe (InterpContext *context)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < context->messages->len; i++)
    {
      static const char *roles[] = { "user", "assistant", "tool" };
      InterpMessage *message = g_ptr_array_index (context->messages, i);

      g_string_append_printf (text, "%s%s", i > 0 ? "|" : "", roles[message->role]);
      if (message->call_id != NULL)
        g_string_append_printf (text, " %s", message->call_id);
      if (message->text != NULL)
        g_string_append_printf (text, " %s", message->text);
      for (guint k = 0; message->calls != NULL && k < message->calls->len; k++)
        g_string_append_printf (text, " [%s]", ((InterpCall *) g_ptr_array_index (message->calls, k))->id);
      for (guint k = 0; message->pictures != NULL && k < message->pictures->len; k++)
        g_string_append (text, " (picture)");
    }

  return g_string_free_and_steal (g_steal_pointer (&text));
}

static void
check (GPtrArray *items, gint64 budget, gboolean text_mode, const char *expected)
{
  g_autoptr (InterpContext) context = build (items, budget, text_mode);
  g_autofree char *described = describe (context);

  g_assert_cmpstr (described, ==, expected);
}

/* What holds of every context: it begins with the user, calls have their results right behind them in order, nothing is
 * there twice, and it is within the budget unless a single exchange is not. */
static guint
check_form (InterpContext *context)
{
  GPtrArray *messages = context->messages;
  guint n_pictures = 0;

  g_assert_cmpuint (messages->len, >, 0);
  g_assert_cmpint (((InterpMessage *) g_ptr_array_index (messages, 0))->role, ==, INTERP_ROLE_USER);
  for (guint i = 0; i < messages->len; i++)
    {
      InterpMessage *message = g_ptr_array_index (messages, i);
      guint n_calls = message->calls != NULL ? message->calls->len : 0;

      g_assert_cmpint (message->role, !=, INTERP_ROLE_TOOL);
      n_pictures += message->pictures != NULL ? message->pictures->len : 0;
      for (guint k = 0; k < n_calls; k++)
        {
          InterpMessage *result;

          g_assert_cmpuint (i + 1 + k, <, messages->len);
          result = g_ptr_array_index (messages, i + 1 + k);
          g_assert_cmpint (result->role, ==, INTERP_ROLE_TOOL);
          g_assert_cmpstr (result->call_id, ==, ((InterpCall *) g_ptr_array_index (message->calls, k))->id);
          g_assert_cmpstr (result->text, !=, "");
        }
      i += n_calls;
    }

  return n_pictures;
}

static void
test_whole (void)
{
  g_autoptr (GPtrArray) items = items_new ();

  add_user (items, "One");
  add_said (items, 1, INTERP_ITEM_REASONING, "Hmm");
  add_said (items, 1, INTERP_ITEM_ASSISTANT, "Look:");
  add_cell (items, 1, "a", "1", "first");
  add_cell (items, 1, "b", "2", "second");
  add_said (items, 0, INTERP_ITEM_NOTICE, "A notice");
  add_said (items, 2, INTERP_ITEM_ASSISTANT, "Done");
  add_said (items, 0, INTERP_ITEM_ERROR, "An error");
  add_user (items, "Two");
  check (items, 8000, FALSE, "user One|assistant Look: [a] [b]|tool a first|tool b second|assistant Done|user Two");
}

static void
test_text_mode (void)
{
  g_autoptr (GPtrArray) items = items_new ();

  add_user (items, "One");
  add_said (items, 1, INTERP_ITEM_ASSISTANT, "Look:\n\n");
  add_cell (items, 1, "a", "print('```')", "first");
  interp_item_set_premature (add_said (items, 1, INTERP_ITEM_ASSISTANT, "It printed 17."), TRUE);
  add_said (items, 2, INTERP_ITEM_ASSISTANT, "Done");
  check (items, 8000, TRUE,
         "user One|assistant Look:\n\n````python\nprint('```')\n````|user ⟦result of your Python block⟧\nfirst\n⟦end "
         "of "
         "result⟧|assistant Done");
}

/* Each call has one, whatever became of it. */
static void
test_no_result (void)
{
  g_autoptr (GPtrArray) items = items_new ();
  g_autoptr (InterpContext) context = NULL;

  add_user (items, "One");
  add_cell (items, 1, "a", "1", NULL);
  context = build (items, 8000, FALSE);
  check_form (context);
  g_assert_cmpuint (context->messages->len, ==, 3);
}

static void
test_thinking_alone (void)
{
  g_autoptr (GPtrArray) items = items_new ();

  add_user (items, "One");
  add_said (items, 1, INTERP_ITEM_REASONING, "Hmm");
  add_user (items, "Two");
  /* No empty message, no two of one side in a row. */
  check (items, 8000, FALSE, "user One\n\nTwo");
}

static void
test_interrupted (void)
{
  g_autoptr (GPtrArray) items = items_new ();

  add_user (items, "One");
  interp_item_set_state (add_said (items, 1, INTERP_ITEM_ASSISTANT, "So far"), INTERP_ITEM_INTERRUPTED);
  add_user (items, "Two");
  check (items, 8000, FALSE,
         "user One|assistant So far|user [The user stopped your last answer before its end.]\n\nTwo");
}

static void
test_nudge (void)
{
  g_autoptr (GPtrArray) items = items_new ();
  g_autoptr (InterpContext) nudged = NULL;
  g_autoptr (InterpContext) not_nudged = NULL;
  g_autofree char *described = NULL;
  InterpContextInput input = { .nudge = "Go on.", .budget = 8000, .token_scale = 1 };

  add_user (items, "One");
  not_nudged = interp_context_build (items, &input);
  g_assert_false (not_nudged->nudged);
  add_said (items, 1, INTERP_ITEM_ASSISTANT, "Half");
  nudged = interp_context_build (items, &input);
  g_assert_true (nudged->nudged);
  described = describe (nudged);
  g_assert_cmpstr (described, ==, "user One|assistant Half|user Go on.");
}

/* The oldest go first, whole exchanges at a time, and what is left begins with the user. */
static void
test_oldest_go (void)
{
  g_autoptr (GPtrArray) items = items_new ();
  g_autofree char *filler = g_strnfill (400, 'x');

  for (guint i = 0; i < 20; i++)
    {
      g_autofree char *prompt = g_strdup_printf ("Prompt %u %s", i, filler);
      g_autofree char *id = g_strdup_printf ("call %u", i);

      add_user (items, prompt);
      add_said (items, 2 * i + 1, INTERP_ITEM_ASSISTANT, filler);
      add_cell (items, 2 * i + 1, id, "1", filler);
      add_said (items, 2 * i + 2, INTERP_ITEM_ASSISTANT, "Done");
    }
  add_user (items, "The last");

  for (gint64 budget = 50; budget < 12000; budget += 97)
    {
      g_autoptr (InterpContext) context = build (items, budget, FALSE);
      InterpMessage *first = g_ptr_array_index (context->messages, 0);
      InterpMessage *last = g_ptr_array_index (context->messages, context->messages->len - 1);

      check_form (context);
      g_assert_cmpint (context->tokens, <=, budget);
      g_assert_true (g_str_has_prefix (first->text, "Prompt") || g_str_equal (first->text, "The last"));
      g_assert_cmpstr (last->text, ==, "The last");
      g_assert_false (context->shortened);
      /* One exchange is four messages in three units. */
      g_assert_cmpuint ((context->messages->len - 1) / 4 * 3 + context->n_left_out + 1, ==, 61);
    }
}

/* The prompt of this turn stays, however long the turn has become. */
static void
test_long_turn (void)
{
  g_autoptr (GPtrArray) items = items_new ();
  g_autofree char *filler = g_strnfill (2000, 'x');
  g_autoptr (InterpContext) context = NULL;
  InterpMessage *first;

  add_user (items, "An older prompt");
  add_said (items, 1, INTERP_ITEM_ASSISTANT, "An older answer");
  add_user (items, "The prompt");
  for (guint i = 0; i < 40; i++)
    {
      g_autofree char *id = g_strdup_printf ("call %u", i);

      add_cell (items, 2 + i, id, "1", filler);
    }
  context = build (items, 4000, FALSE);
  check_form (context);
  g_assert_cmpint (context->tokens, <=, 4000);
  first = g_ptr_array_index (context->messages, 0);
  g_assert_cmpstr (first->text, ==, "The prompt");
  /* As much of its newest part as fits. */
  g_assert_cmpuint (context->messages->len, ==, 1 + 2 * 7);
  g_assert_cmpuint (context->n_left_out, >, 0);
}

/* A single result that is too long is cut, not left out. */
static void
test_long_result (void)
{
  g_autoptr (GPtrArray) items = items_new ();
  g_autoptr (GString) output = g_string_new (NULL);
  g_autoptr (InterpContext) context = NULL;
  InterpMessage *result;

  for (guint i = 0; i < 20000; i++)
    g_string_append_printf (output, "line %u\n", i);
  add_user (items, "One");
  add_cell (items, 1, "a", "1", output->str);
  context = build (items, 2000, FALSE);
  check_form (context);
  g_assert_true (context->shortened);
  g_assert_cmpint (context->tokens, <=, 2000);
  result = g_ptr_array_index (context->messages, 2);
  g_assert_true (g_str_has_prefix (result->text, "line 0\n"));
  g_assert_nonnull (strstr (result->text, "line 19999"));
}

/* Two hundred turns with five pictures on a window of 8 000. */
static void
test_long_chat_with_pictures (void)
{
  static const guint with_picture[] = { 3, 50, 120, 195, 198 };
  g_autoptr (GPtrArray) items = items_new ();
  g_autofree char *filler = g_strnfill (300, 'x');
  g_autoptr (InterpContext) context = NULL;
  g_autoptr (InterpContext) without = NULL;
  guint n_pictures;
  gint64 with_tokens;

  for (guint i = 0; i < 200; i++)
    {
      g_autofree char *prompt = g_strdup_printf ("Prompt %u", i);
      g_autofree char *id = g_strdup_printf ("call %u", i);
      InterpItem *user = add_user (items, prompt);

      for (guint k = 0; k < G_N_ELEMENTS (with_picture); k++)
        if (with_picture[k] == i)
          add_picture (user);
      add_said (items, 2 * i + 1, INTERP_ITEM_ASSISTANT, filler);
      add_cell (items, 2 * i + 1, id, "print(1)", filler);
      add_said (items, 2 * i + 2, INTERP_ITEM_ASSISTANT, "Done");
    }
  add_user (items, "The last");

  context = build (items, 8000, FALSE);
  n_pictures = check_form (context);
  /* Those of the newest turns, each counted. */
  g_assert_cmpuint (n_pictures, ==, 2);
  g_assert_cmpint (context->tokens, <=, 8000);
  g_assert_cmpint (context->tokens, >, 8000 - 400);
  with_tokens = context->tokens;
  g_assert_cmpint (with_tokens, >=, n_pictures * PICTURE_TOKENS);

  for (guint i = 0; i < items->len; i++)
    if (interp_item_get_kind (g_ptr_array_index (items, i)) == INTERP_ITEM_USER)
      interp_item_set_pictures (g_ptr_array_index (items, i), NULL);
  without = build (items, 8000, FALSE);
  g_assert_cmpuint (check_form (without), ==, 0);
  /* Where they were there is room for more. */
  g_assert_cmpuint (without->messages->len, >, context->messages->len);

  /* All windows, down to one that holds nothing but the prompt. */
  for (gint64 budget = 10; budget < 9000; budget += 211)
    {
      g_autoptr (InterpContext) any = build (items, budget, FALSE);
      g_autoptr (InterpContext) fenced = build (items, budget, TRUE);

      check_form (any);
      check_form (fenced);
      g_assert_cmpint (any->tokens, <=, MAX (budget, 20));
      g_assert_cmpint (fenced->tokens, <=, MAX (budget, 20));
    }
}

/* The server counts more than we do: what it said is heeded. */
static void
test_scale (void)
{
  g_autoptr (GPtrArray) items = items_new ();
  g_autofree char *filler = g_strnfill (400, 'x');
  g_autoptr (InterpContext) plain = NULL;
  g_autoptr (InterpContext) scaled = NULL;
  InterpContextInput input = { .budget = 3000, .token_scale = 2 };

  for (guint i = 0; i < 40; i++)
    {
      add_user (items, filler);
      add_said (items, i + 1, INTERP_ITEM_ASSISTANT, filler);
    }
  plain = build (items, 3000, FALSE);
  scaled = interp_context_build (items, &input);
  check_form (scaled);
  g_assert_cmpint (scaled->tokens, <=, 3000);
  g_assert_cmpuint (scaled->messages->len, <, plain->messages->len * 6 / 10);
  g_assert_cmpuint (scaled->messages->len, >, plain->messages->len * 4 / 10);
}

/* Thinking goes back to the model whose it is, with the calls that came of it. */
static void
test_reasoning (void)
{
  g_autoptr (GPtrArray) items = items_new ();
  InterpContextInput input = { .model = "x/m", .budget = 8000, .token_scale = 1 };
  g_autoptr (InterpContext) own = NULL;
  g_autoptr (InterpContext) other = NULL;

  add_user (items, "One");
  add_said (items, 1, INTERP_ITEM_REASONING, "Hmm");
  add_cell (items, 1, "a", "1", "first");
  own = interp_context_build (items, &input);
  g_assert_cmpstr (((InterpMessage *) g_ptr_array_index (own->messages, 1))->reasoning, ==, "Hmm");
  input.model = "x/another";
  other = interp_context_build (items, &input);
  g_assert_null (((InterpMessage *) g_ptr_array_index (other->messages, 1))->reasoning);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/session/context/whole", test_whole);
  g_test_add_func ("/session/context/text-mode", test_text_mode);
  g_test_add_func ("/session/context/no-result", test_no_result);
  g_test_add_func ("/session/context/thinking-alone", test_thinking_alone);
  g_test_add_func ("/session/context/interrupted", test_interrupted);
  g_test_add_func ("/session/context/nudge", test_nudge);
  g_test_add_func ("/session/context/oldest-go", test_oldest_go);
  g_test_add_func ("/session/context/long-turn", test_long_turn);
  g_test_add_func ("/session/context/long-result", test_long_result);
  g_test_add_func ("/session/context/long-chat-with-pictures", test_long_chat_with_pictures);
  g_test_add_func ("/session/context/scale", test_scale);
  g_test_add_func ("/session/context/reasoning", test_reasoning);

  return g_test_run ();
}
