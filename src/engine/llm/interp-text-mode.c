/* interp-text-mode.c: what a model without tool calling is told
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm/interp-text-mode.h"

char *
interp_text_mode_instructions (GPtrArray *languages)
{
  g_autoptr (GString) names = g_string_new (NULL);

  g_return_val_if_fail (languages != NULL, NULL);

  for (guint i = 0; i < languages->len; i++)
    g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", (const char *) g_ptr_array_index (languages, i));

  return g_strdup_printf ("To run code on the user's computer, write one fenced block with the language behind the "
                          "opening fence, for example:\n"
                          "\n"
                          "```python\n"
                          "print(1 + 1)\n"
                          "```\n"
                          "\n"
                          "Languages that can run: %s. Variables, imports and the current folder are kept between "
                          "blocks of one language.\n"
                          "Write exactly one such block, then stop: end your answer right after its closing fence. The "
                          "user is asked, the code runs, and "
                          "its real output comes to you in the next message. Never write output yourself and never "
                          "guess it. If the code holds a line "
                          "of three backticks, open and close the block with four.\n"
                          "Use a fenced block only for code that is to be run now. Show other text in fences named "
                          "text. When the task is done, answer "
                          "in plain words without a block.",
                          names->str);
}
