/* test-context-pictures.c: a long conversation with pictures in a small window
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <string.h>

#include "session/interp-context.h"
#include "session/interp-item-private.h"

#define WINDOW 8192

static const char words[]
    = "some words of those that people say to each other when they have the time, and that nobody "
      "would miss much were they left out, but which take up their place all the same.";

static InterpItem *
make_message (guint number, gboolean with_picture)
{
  g_autofree char *text = g_strdup_printf ("message %u: %s", number, words);
  InterpItem *item = interp_item_new (INTERP_ITEM_USER, text);

  interp_item_set_state (item, INTERP_ITEM_COMPLETE);
  if (with_picture)
    {
      g_autoptr (InterpMessage) message = interp_message_new (INTERP_ROLE_USER, NULL);
      g_autoptr (GBytes) bytes = g_bytes_new_static ("a picture", 9);

      interp_message_add_picture (message, "image/png", bytes);
      interp_item_set_pictures (item, message->pictures);
    }
  return item;
}

static InterpItem *
make_answer (guint number)
{
  g_autofree char *text = g_strdup_printf ("answer %u: %s", number, words);
  InterpItem *item = interp_item_new (INTERP_ITEM_ASSISTANT, text);

  interp_item_set_state (item, INTERP_ITEM_COMPLETE);
  interp_item_set_answer (item, number + 1);
  return item;
}

/* C5: whatever pictures stand in two hundred turns, what is given fits the window, ends with the newest message and
 * says how much was left out. */
static void
test_many (void)
{
  static const guint places[][5] = {
    { 0, 1, 2, 3, 4 },
    { 10, 60, 110, 160, 199 },
    { 195, 196, 197, 198, 199 },
  };

  static const guint n_expected[] = { 0, 2, 5 };

  for (guint round = 0; round < G_N_ELEMENTS (places); round++)
    {
      g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (g_object_unref);
      g_autoptr (InterpContext) context = NULL;
      InterpContextInput input = { .system = "What is said before.", .budget = WINDOW, .token_scale = 1 };
      InterpMessage *last;
      guint n_pictures = 0;

      for (guint i = 0; i < 200; i++)
        {
          gboolean with_picture = FALSE;

          for (guint j = 0; j < G_N_ELEMENTS (places[round]); j++)
            with_picture = with_picture || places[round][j] == i;
          g_ptr_array_add (items, make_message (i, with_picture));
          if (i < 199)
            g_ptr_array_add (items, make_answer (i));
        }
      context = interp_context_build (items, &input);

      g_assert_cmpint (context->tokens, <=, WINDOW);
      g_assert_cmpint (context->tokens, >, WINDOW / 2);
      g_assert_cmpuint (context->n_left_out, >, 0);
      for (guint i = 0; i < context->messages->len; i++)
        {
          InterpMessage *message = g_ptr_array_index (context->messages, i);

          n_pictures += message->pictures != NULL ? message->pictures->len : 0;
        }
      g_assert_cmpuint (n_pictures, ==, n_expected[round]);
      last = g_ptr_array_index (context->messages, context->messages->len - 1);
      g_assert_nonnull (strstr (last->text, "message 199:"));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/session/context/pictures", test_many);

  return g_test_run ();
}
