/* test-slash-commands.c
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "composer/interp-slash-commands.h"

static void
test_parse (void)
{
  static const struct
  {
    const char *text;
    int command; /* −1: none */
    const char *argument;
  } cases[] = {
    { "/help", INTERP_SLASH_HELP, NULL },
    { "/markdown notes.md", INTERP_SLASH_MARKDOWN, "notes.md" },
    { "/markdown   a b.md  ", INTERP_SLASH_MARKDOWN, "a b.md" },
    { "/auto_run false", INTERP_SLASH_AUTO_RUN, "false" },
    { "/undo\n", INTERP_SLASH_UNDO, NULL },
    { "/hel", -1, NULL },
    { "/helpme", -1, NULL },
    { "/home/me/file.csv has what?", -1, NULL },
    { "help", -1, NULL },
    { "/", -1, NULL },
    { "", -1, NULL },
    { " /help", -1, NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *argument = NULL;
      const InterpSlashCommand *command = interp_slash_commands_parse (cases[i].text, &argument);

      g_test_message ("%s", cases[i].text);
      g_assert_cmpint (command ? (int) command->command : -1, ==, cases[i].command);
      g_assert_cmpstr (argument, ==, cases[i].argument);
    }
}

static void
test_table (void)
{
  guint n;
  const InterpSlashCommand *commands = interp_slash_commands_get (&n);

  g_assert_cmpuint (n, ==, 11);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *text = g_strconcat ("/", commands[i].name, NULL);
      g_autofree char *argument = NULL;

      g_assert_true (interp_slash_commands_parse (text, &argument) == &commands[i]);
      g_assert_nonnull (commands[i].description);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/composer/slash-commands/parse", test_parse);
  g_test_add_func ("/composer/slash-commands/table", test_table);
  return g_test_run ();
}
