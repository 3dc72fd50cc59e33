/* test-rules.c: files of rules: read, matched, written
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <string.h>

#include <glib/gstdio.h>

#include "policy/interp-rules.h"

#define HEAD "[rules]\nVersion=1\n"

typedef struct
{
  char *folder;
  char *path;
} Fixture;

static void
set_up (Fixture *self, gconstpointer data)
{
  self->folder = g_dir_make_tmp ("interpreter-rules-XXXXXX", NULL);
  self->path = g_build_filename (self->folder, "own.rules", NULL);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  g_unlink (self->path);
  g_assert_cmpint (g_rmdir (self->folder), ==, 0);
  g_free (self->path);
  g_free (self->folder);
}

static InterpRules *
read_text (Fixture *self, const char *text, GError **error)
{
  g_autoptr (InterpRules) rules = interp_rules_new ();

  g_assert_true (g_file_set_contents (self->path, text, -1, NULL));
  if (!interp_rules_add_file (rules, self->path, error))
    g_assert_nonnull (interp_rules_get_problem (rules));
  else
    g_assert_null (interp_rules_get_problem (rules));
  return g_steal_pointer (&rules);
}

static const char *
match (InterpRules *rules, const char *language, const char *command)
{
  g_auto (GStrv) words = g_strsplit (command, " ", -1);
  const InterpRule *rule = interp_rules_match_command (rules, language, (const char *const *) words);

  return rule != NULL ? rule->id : NULL;
}

static void
test_the_strictest_wins (Fixture *self, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InterpRules) rules = read_text (self,
                                             HEAD "[deny]\nVerdict=deny\nCommand=git;push;--force\n"
                                                  "[allow]\nVerdict=allow\nLanguages=shell\nCommand=git\n"
                                                  "[ask]\nVerdict=ask\nCommand=git;push\n",
                                             &error);

  g_assert_no_error (error);
  g_assert_cmpstr (match (rules, "shell", "git status"), ==, "allow");
  g_assert_cmpstr (match (rules, "shell", "git"), ==, "allow");
  g_assert_cmpstr (match (rules, "shell", "git push"), ==, "ask");
  g_assert_cmpstr (match (rules, "shell", "git push --force origin"), ==, "deny");
  g_assert_cmpstr (match (rules, "shell", "gitk"), ==, NULL);
  g_assert_cmpstr (match (rules, "powershell", "git status"), ==, NULL);
  g_assert_cmpstr (match (rules, "powershell", "git push"), ==, "ask");
}

static void
test_tools_and_languages (Fixture *self, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InterpRules) rules = read_text (self,
                                             HEAD "[all]\nVerdict=allow\nTool=files/\nMatches=files/read\n"
                                                  "[one]\nVerdict=deny\nTool=files/delete\nMatchesNot=files/deleted\n"
                                                  "[py]\nVerdict=ask\nLanguages=python;r\n",
                                             &error);

  g_assert_no_error (error);
  g_assert_cmpstr (interp_rules_match_tool (rules, "files", "read")->id, ==, "all");
  g_assert_cmpstr (interp_rules_match_tool (rules, "files", "delete")->id, ==, "one");
  g_assert_cmpstr (interp_rules_match_tool (rules, "files", "delete-all")->id, ==, "all");
  g_assert_null (interp_rules_match_tool (rules, "file", "s/read"));
  g_assert_null (interp_rules_match_tool (rules, "other", "read"));
  g_assert_cmpstr (interp_rules_match_language (rules, "r")->id, ==, "py");
  g_assert_null (interp_rules_match_language (rules, "shell"));
  g_assert_null (match (rules, "python", "files/read"));
}

static void
test_examples_are_tried (Fixture *self, gconstpointer data)
{
  static const struct
  {
    const char *examples;
    gboolean fine;
  } cases[] = {
    { "Matches=git status;git status -s;sudo git status", TRUE },
    { "MatchesNot=git push;echo git status", TRUE },
    { "Matches=git push", FALSE },
    { "MatchesNot=git status -s", FALSE },
    { "Matches=git status;ls", FALSE },
    { "MatchesNot=ls && git status", FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text
          = g_strconcat (HEAD "[status]\nVerdict=deny\nCommand=git;status\n", cases[i].examples, "\n", NULL);
      g_autoptr (GError) error = NULL;
      g_autoptr (InterpRules) rules = read_text (self, text, &error);

      if (cases[i].fine)
        g_assert_no_error (error);
      else
        g_assert_error (error, INTERP_RULES_ERROR, INTERP_RULES_ERROR_EXAMPLE);
      /* All of a file or nothing. */
      g_assert_cmpint (match (rules, "shell", "git status") != NULL, ==, cases[i].fine);
    }
}

static void
test_faulty_files (Fixture *self, gconstpointer data)
{
  static const char *const texts[] = {
    "",
    "not a key file",
    "[rules]\n",
    "[rules]\nVersion=2\n",
    "[x]\nVerdict=deny\nCommand=ls\n",
    HEAD "[x]\nCommand=ls\n",
    HEAD "[x]\nVerdict=Deny\nCommand=ls\n",
    HEAD "[x]\nVerdict=allow\n",
    HEAD "[x]\nVerdict=allow\nCommand=\n",
    HEAD "[x]\nVerdict=allow\nCommand=git;;status\n",
    HEAD "[x]\nVerdict=allow\nCommand=ls\nTool=a/b\n",
    HEAD "[x]\nVerdict=allow\nTool=a\n",
    HEAD "[x]\nVerdict=allow\nLanguages=\n",
    HEAD "[x]\nVerdict=allow\nComand=git\nLanguages=shell\n",
    HEAD "[x]\nVerdict=allow\nCommand=git\\q\n",
    HEAD "[x]\nVerdict=allow\nLanguages=shell\nCommand=git\\q\n",
    HEAD "[x]\nVerdict=allow\nCommand=\xff\n",
    HEAD "[x]\nVerdict=allow\nLanguages=python\nMatches=print\n",
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (InterpRules) rules = read_text (self, texts[i], &error);

      if (error == NULL)
        g_test_message ("understood: %s", texts[i]);
      g_assert_nonnull (error);
      g_assert_true (error->domain == INTERP_RULES_ERROR);
      g_assert_null (match (rules, "shell", "ls"));
    }
}

static void
test_folders (Fixture *self, gconstpointer data)
{
  g_autoptr (InterpRules) rules = interp_rules_new ();
  g_autoptr (InterpRules) faulty = interp_rules_new ();
  g_autofree char *other = g_build_filename (self->folder, "notes.txt", NULL);
  g_autofree char *nowhere = g_build_filename (self->folder, "nowhere", NULL);

  g_assert_true (g_file_set_contents (self->path, HEAD "[x]\nVerdict=allow\nCommand=ls\n", -1, NULL));
  g_assert_true (g_file_set_contents (other, "no rules", -1, NULL));
  interp_rules_add_folder (rules, nowhere);
  g_assert_null (interp_rules_get_problem (rules));
  interp_rules_add_folder (rules, self->folder);
  g_assert_null (interp_rules_get_problem (rules));
  g_assert_cmpstr (match (rules, "shell", "ls -l"), ==, "x");
  g_unlink (other);

  interp_rules_add_folder (faulty, self->path);
  g_assert_nonnull (interp_rules_get_problem (faulty));
}

static void
test_written_rules_are_read (Fixture *self, gconstpointer data)
{
  char *command[] = { (char *) "make", (char *) "a;b", (char *) "c\\d e", NULL };
  char *languages[] = { (char *) "shell", NULL };
  InterpRule rule = { (char *) "own", INTERP_VERDICT_ALLOW, languages, command, NULL };
  InterpRule replaced = { (char *) "own", INTERP_VERDICT_DENY, languages, command, NULL };
  InterpRule empty = { (char *) "empty", INTERP_VERDICT_ALLOW, NULL, NULL, NULL };
  InterpRule head = { (char *) "rules", INTERP_VERDICT_ALLOW, languages, command, NULL };
  InterpRule bracket = { (char *) "a]b", INTERP_VERDICT_ALLOW, languages, command, NULL };
  g_autoptr (GError) error = NULL;
  const char *const words[] = { "make", "a;b", "c\\d e", "more", NULL };
  g_autoptr (InterpRules) rules = interp_rules_new ();
  g_autoptr (InterpRules) after = interp_rules_new ();
  g_autofree char *before = NULL;
  g_autofree char *text = NULL;

  g_assert_true (interp_rules_save (self->path, &rule, &error));
  g_assert_true (interp_rules_add_file (rules, self->path, &error));
  g_assert_cmpint (interp_rules_match_command (rules, "shell", words)->verdict, ==, INTERP_VERDICT_ALLOW);
  g_assert_true (interp_rules_save (self->path, &replaced, &error));
  g_assert_true (interp_rules_add_file (after, self->path, &error));
  g_assert_cmpint (interp_rules_match_command (after, "shell", words)->verdict, ==, INTERP_VERDICT_DENY);

  /* What is not understood is neither written nor written over. */
  g_assert_true (g_file_get_contents (self->path, &before, NULL, NULL));
  g_assert_false (interp_rules_save (self->path, &empty, NULL));
  g_assert_false (interp_rules_save (self->path, &head, NULL));
  g_assert_false (interp_rules_save (self->path, &bracket, NULL));
  g_assert_true (g_file_get_contents (self->path, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, before);
  g_assert_true (interp_rules_remove (self->path, "own", &error));
  g_assert_false (interp_rules_remove (self->path, "own", NULL));
  g_assert_true (g_file_set_contents (self->path, "of another kind", -1, NULL));
  g_assert_false (interp_rules_save (self->path, &rule, &error));
  g_assert_error (error, INTERP_RULES_ERROR, INTERP_RULES_ERROR_FILE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

#define ADD(path, func) g_test_add ("/policy/rules/" path, Fixture, NULL, set_up, func, tear_down)
  ADD ("strictest", test_the_strictest_wins);
  ADD ("tools-and-languages", test_tools_and_languages);
  ADD ("examples", test_examples_are_tried);
  ADD ("faulty", test_faulty_files);
  ADD ("folders", test_folders);
  ADD ("written", test_written_rules_are_read);
#undef ADD

  return g_test_run ();
}
