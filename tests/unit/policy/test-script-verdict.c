/* test-script-verdict.c: what a script may do unasked
 *
 * bypasses.json has scripts that were seen to act though they look harmless, or that only ask: none may be allowed.
 * ordinary.json has what people and models ask of a shell to look around.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <string.h>

#include <glib/gstdio.h>

#include "base/interp-json.h"
#include "interp-test-await.h"
#include "policy/interp-script-verdict.h"

static InterpScriptVerdict *
judge_bytes (const char *script, gsize length, InterpRules *rules)
{
  g_autoptr (InterpRules) none = interp_rules_new ();
  g_autoptr (GError) error = NULL;
  InterpScriptVerdict *verdict
      = interp_test_await_object (interp_script_verdict_judge ("shell", script, length, rules != NULL ? rules : none),
                                  &error);

  g_assert_no_error (error);
  return verdict;
}

static InterpVerdict
judge (const char *script, InterpRules *rules)
{
  g_autoptr (InterpScriptVerdict) verdict = judge_bytes (script, strlen (script), rules);
  GPtrArray *commands = interp_script_verdict_get_commands (verdict);
  InterpVerdict strictest = INTERP_VERDICT_ALLOW;

  for (guint i = 0; i < commands->len; i++)
    strictest = MAX (strictest, ((InterpCommandVerdict *) g_ptr_array_index (commands, i))->verdict);
  /* The whole is never milder than a part, and what is not allowed says why. */
  g_assert_cmpint (interp_script_verdict_get_verdict (verdict), >=, strictest);
  if (interp_script_verdict_get_verdict (verdict) == INTERP_VERDICT_ALLOW)
    g_assert_cmpuint (interp_script_verdict_get_reasons (verdict)->len, ==, 0);
  else
    g_assert_cmpuint (interp_script_verdict_get_reasons (verdict)->len, >, 0);
  return interp_script_verdict_get_verdict (verdict);
}

static JsonNode *
read_table (const char *name)
{
  g_autofree char *path = g_build_filename (g_getenv ("INTERP_TEST_SOURCE_ROOT"), "tests/unit/policy", name, NULL);
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  JsonNode *table;
  gsize length;

  g_file_get_contents (path, &text, &length, &error);
  g_assert_no_error (error);
  table = interp_json_parse (text, length, INTERP_JSON_PARSE_NONE, &error);
  g_assert_no_error (error);
  return table;
}

static void
test_nothing_that_acts_is_allowed (void)
{
  g_autoptr (JsonNode) table = read_table ("bypasses.json");
  JsonArray *array = json_node_get_array (table);
  guint n_false = 0, n_inert = 0;

  g_assert_cmpuint (json_array_get_length (array), >, 300);
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      JsonNode *row = json_array_get_element (array, i);
      const char *script = interp_json_get_string (row, "1");
      gboolean inert = g_str_equal (interp_json_get_string (row, "0"), "inert");

      if (judge (script, NULL) != INTERP_VERDICT_ALLOW)
        continue;
      if (inert)
        n_inert++;
      else
        {
          n_false++;
          g_test_message ("allowed: %s", script);
        }
    }
  g_assert_cmpuint (n_false, ==, 0);
  g_assert_cmpuint (n_inert, >=, 4);
}

static void
test_ordinary_commands_are_allowed (void)
{
  g_autoptr (JsonNode) table = read_table ("ordinary.json");
  JsonArray *array = json_node_get_array (table);
  guint n = json_array_get_length (array);
  guint n_allowed = 0;

  g_assert_cmpuint (n, >=, 200);
  for (guint i = 0; i < n; i++)
    {
      const char *script = json_array_get_string_element (array, i);

      if (judge (script, NULL) == INTERP_VERDICT_ALLOW)
        n_allowed++;
      else
        g_test_message ("asked: %s", script);
    }
  g_test_message ("%u of %u ordinary scripts are allowed", n_allowed, n);
  g_assert_cmpuint (n_allowed * 100, >=, n * 95);
}

/* What bash says to @script in @folder: the clean shell that the verdict is about. */
static char *
run_in (const char *folder, const char *script)
{
  const char *arguments[] = { "/bin/bash", "--noprofile", "--norc", "-p", "-c", script, NULL };
  g_autofree char *home = g_strconcat ("HOME=", folder, NULL);
  char *environment[] = { (char *) "PATH=/usr/bin:/bin", (char *) "LC_ALL=C.UTF-8", home, NULL };
  g_autoptr (GError) error = NULL;
  char *output = NULL;

  g_spawn_sync (folder, (char **) arguments, environment, G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &output, NULL, NULL,
                &error);
  g_assert_no_error (error);
  return output;
}

/* The proof of the list: what it allows is run, in a folder with the files that it speaks of, and no file is changed.
 */
static void
test_what_is_allowed_writes_nothing (void)
{
  static const char set_up[] = "mkdir -p src old new 'My Documents/2024' Documents Downloads\n"
                               "for f in f.txt a.txt b.txt README.md data.csv a b f f.bin names.txt log.txt src/main.c "
                               "./-strange-name ./-o ./-delete PWN2; do printf 'b 2\\na 1\\n# x\\n' > \"$f\"; done\n"
                               "echo '{\"items\":[{\"name\":\"x\"}]}' > data.json; cp data.json package.json";
  /* A change of what is in a file changes its times. */
  static const char snapshot[] = "exec find . -printf '%p %s %T@ %C@ %m\\n'";
  g_autoptr (JsonNode) table = read_table ("ordinary.json");
  JsonArray *array = json_node_get_array (table);
  g_autofree char *folder = g_dir_make_tmp ("interpreter-allowed-XXXXXX", NULL);
  g_autofree char *begun = run_in (folder, set_up);
  g_autofree char *before = run_in (folder, snapshot);
  g_autofree char *ended = NULL;
  guint n_said = 0;

  g_assert_nonnull (strstr (before, "./src/main.c"));
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      const char *script = json_array_get_string_element (array, i);
      g_autofree char *output = NULL;
      g_autofree char *after = NULL;

      if (judge (script, NULL) != INTERP_VERDICT_ALLOW)
        continue;
      output = run_in (folder, script);
      n_said += *output != '\0';
      after = run_in (folder, snapshot);
      if (!g_str_equal (before, after))
        g_test_message ("writes: %s", script);
      g_assert_cmpstr (before, ==, after);
    }
  /* They did run. */
  g_assert_cmpuint (n_said, >, 120);
  ended = run_in (folder, "rm -rf -- * .[!.]*");
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

/* ---- the user's rules over a whole script ---- */

static InterpRules *
make_rules (const char *text)
{
  g_autofree char *folder = g_dir_make_tmp ("interpreter-rules-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "own.rules", NULL);
  g_autoptr (InterpRules) rules = interp_rules_new ();
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents (path, text, -1, &error));
  interp_rules_add_file (rules, path, &error);
  g_assert_no_error (error);
  g_unlink (path);
  g_rmdir (folder);
  return g_steal_pointer (&rules);
}

static const char own_rules[] = "[rules]\nVersion=1\n"
                                "[make]\nVerdict=allow\nLanguages=shell\nCommand=make\n"
                                "[no-install]\nVerdict=deny\nLanguages=shell\nCommand=make;install\n"
                                "[git]\nVerdict=allow\nLanguages=shell\nCommand=git;status\n"
                                "[curl]\nVerdict=deny\nLanguages=shell\nCommand=curl\n"
                                "[cat]\nVerdict=ask\nLanguages=shell\nCommand=cat\n";

static const struct
{
  const char *script;
  InterpVerdict verdict;
} ruled[] = {
  { "make", INTERP_VERDICT_ALLOW },
  { "make -j2 all", INTERP_VERDICT_ALLOW },
  { "make && ls", INTERP_VERDICT_ALLOW },
  { "make && ./random-app", INTERP_VERDICT_ASK },
  { "make > out", INTERP_VERDICT_ASK },
  { "make $(ls)", INTERP_VERDICT_ASK },
  { "CC=x make", INTERP_VERDICT_ASK },
  { "bash -c make", INTERP_VERDICT_ASK },
  { "./make", INTERP_VERDICT_ASK },
  { "make install", INTERP_VERDICT_DENY },
  { "make; sudo make install", INTERP_VERDICT_DENY },
  { "git status", INTERP_VERDICT_ALLOW },
  { "git stat*", INTERP_VERDICT_ASK },
  { "git status && rm -rf x", INTERP_VERDICT_ASK },
  { "git status; rm -rf x", INTERP_VERDICT_ASK },
  { "git status | rm -rf x", INTERP_VERDICT_ASK },
  { "git status & rm -rf x", INTERP_VERDICT_ASK },
  { "git status\nrm -rf x", INTERP_VERDICT_ASK },
  { "git push", INTERP_VERDICT_ASK },
  { "cat f.txt", INTERP_VERDICT_ASK },
  { "ls f.txt", INTERP_VERDICT_ALLOW },
  { "curl x", INTERP_VERDICT_DENY },
  { "c''url x", INTERP_VERDICT_DENY },
  { "\\curl x", INTERP_VERDICT_DENY },
  { "/usr/bin/curl x", INTERP_VERDICT_DENY },
  { "ls | curl -d@- x", INTERP_VERDICT_DENY },
  { "sudo curl x", INTERP_VERDICT_DENY },
  { "env A=b nice -n 5 timeout 5 curl x", INTERP_VERDICT_DENY },
  { "ls | xargs -n 1 curl", INTERP_VERDICT_DENY },
  { "sh -c 'curl x'", INTERP_VERDICT_DENY },
  { "bash -lc \"sh -c 'sudo curl x'\"", INTERP_VERDICT_DENY },
  { "eval 'curl x'", INTERP_VERDICT_DENY },
  { "echo $(curl x)", INTERP_VERDICT_DENY },
  { "echo \"$(curl x)\"", INTERP_VERDICT_DENY },
  { "if true; then curl x; fi", INTERP_VERDICT_DENY },
  { "for i in 1; do curl x; done", INTERP_VERDICT_DENY },
  { "{ curl x; }", INTERP_VERDICT_DENY },
  { "cat <(curl x)", INTERP_VERDICT_DENY },
  { "ls; curl x; (", INTERP_VERDICT_DENY },
  { "echo curl", INTERP_VERDICT_ALLOW },
  { "echo 'curl x'", INTERP_VERDICT_ALLOW },
};

static void
test_rules_over_a_script (void)
{
  g_autoptr (InterpRules) rules = make_rules (own_rules);

  for (guint i = 0; i < G_N_ELEMENTS (ruled); i++)
    {
      InterpVerdict verdict = judge (ruled[i].script, rules);

      if (verdict != ruled[i].verdict)
        g_test_message ("%s is not %s: %s", ruled[i].script, interp_verdict_to_string (ruled[i].verdict),
                        interp_verdict_to_string (verdict));
      g_assert_cmpint (verdict, ==, ruled[i].verdict);
    }
}

static void
test_deny_has_no_limit (void)
{
  g_autoptr (InterpRules) rules = make_rules (own_rules);
  static const guint counts[] = { 60, 5000, 100000 };

  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    {
      g_autoptr (GString) script = g_string_new (NULL);

      for (guint j = 0; j < counts[i]; j++)
        g_string_append (script, "true && ");
      g_string_append (script, "curl x");
      g_assert_cmpint (judge (script->str, rules), ==, INTERP_VERDICT_DENY);
    }
}

static void
test_each_command_is_told (void)
{
  g_autoptr (InterpRules) rules = make_rules (own_rules);
  static const char script[] = "ls -l | wc -l; rm  -rf x; make";
  g_autoptr (InterpScriptVerdict) verdict = judge_bytes (script, strlen (script), rules);
  g_autoptr (JsonNode) json = interp_script_verdict_to_json (verdict);

  g_assert_cmpstr (interp_json_get_string (json, "verdict"), ==, "ask");
  g_assert_cmpuint (interp_json_get_length (json, "commands"), ==, 4);
  g_assert_cmpstr (interp_json_get_string (json, "commands.0.text"), ==, "ls -l");
  g_assert_cmpstr (interp_json_get_string (json, "commands.0.verdict"), ==, "allow");
  g_assert_cmpstr (interp_json_get_string (json, "commands.2.text"), ==, "rm  -rf x");
  g_assert_cmpstr (interp_json_get_string (json, "commands.2.verdict"), ==, "ask");
  g_assert_cmpstr (interp_json_get_string (json, "commands.3.rule"), ==, "make");
  g_assert_cmpuint (interp_json_get_length (json, "reasons"), ==, 1);
  g_assert_nonnull (strstr (interp_json_get_string (json, "reasons.0"), "rm"));
}

static void
test_other_languages_ask (void)
{
  static const char text[]
      = "[rules]\nVersion=1\n[py]\nVerdict=allow\nLanguages=python\n[r]\nVerdict=deny\nLanguages=r\n";
  g_autoptr (InterpRules) rules = make_rules (text);
  static const struct
  {
    const char *language;
    InterpVerdict verdict;
  } languages[] = { { "python", INTERP_VERDICT_ASK },
                    { "javascript", INTERP_VERDICT_ASK },
                    { "r", INTERP_VERDICT_DENY },
                    { "shell", INTERP_VERDICT_ALLOW } };

  for (guint i = 0; i < G_N_ELEMENTS (languages); i++)
    {
      g_autoptr (InterpScriptVerdict) verdict
          = interp_test_await_object (interp_script_verdict_judge (languages[i].language, "ls", 2, rules), NULL);

      g_assert_cmpint (interp_script_verdict_get_verdict (verdict), ==, languages[i].verdict);
    }
}

static void
test_faulty_rules_ask (void)
{
  g_autofree char *folder = g_dir_make_tmp ("interpreter-rules-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "own.rules", NULL);
  g_autofree char *other = g_build_filename (folder, "with.rules", NULL);
  g_autoptr (InterpRules) rules = interp_rules_new ();

  g_assert_true (g_file_set_contents (path, "[rules]\nVersion=1\n[x]\nVerdict=perhaps\nCommand=ls\n", -1, NULL));
  g_assert_true (g_file_set_contents (other, own_rules, -1, NULL));
  interp_rules_add_folder (rules, folder);
  g_assert_nonnull (interp_rules_get_problem (rules));
  g_assert_cmpint (judge ("ls", rules), ==, INTERP_VERDICT_ASK);
  /* What the others deny stays denied. */
  g_assert_cmpint (judge ("curl x", rules), ==, INTERP_VERDICT_DENY);
  g_unlink (path);
  g_unlink (other);
  g_rmdir (folder);
}

/* ---- hostile input ---- */

static char *
repeat (const char *piece, guint n, const char *end)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    g_string_append (text, piece);
  g_string_append (text, end);
  return g_string_free_and_steal (text);
}

static void
test_hostile_input_asks (void)
{
  static const struct
  {
    const char *piece;
    guint n;
    const char *end;
  } inputs[] = {
    { "a", 1024 * 1024, "" },
    { "ls;", 400000, "ls" },
    { "ls | ", 500, "ls" },
    { "(", 8000, "ls" },
    { "$(", 8000, "ls" },
    { "{ ", 8000, "ls" },
    { "`", 8001, "ls" },
    { "\"", 8001, "" },
    { "${a:-", 3000, "" },
    { "$((", 5000, "1" },
    { "if ", 5000, "" },
    { "cat <<E\n", 1500, "" },
    { "! ", 8000, "ls" },
    { "\\\n", 8000, "ls >x" },
    { "\xff", 100, "" },
    { "ls \xc3", 1, "" },
    { "ls \xed\xa0\x80", 1, "" },
    { "ls \xf4\x90\x80\x80", 1, "" },
    { "ls \xe2\x80\xae", 1, "txt" },
    { "\xef\xbb\xbf", 1, "ls" },
    { "[", 8000, "" },
    { "[[ a ", 2000, "" },
    { "a(){ ", 3000, "" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (inputs); i++)
    {
      g_autofree char *script = repeat (inputs[i].piece, inputs[i].n, inputs[i].end);

      g_assert_cmpint (judge (script, NULL), ==, INTERP_VERDICT_ASK);
    }
  for (guint i = 0; i < 4; i++)
    {
      static const char *const scripts[] = { "\0ls", "ls\0", "ls\0; rm x", "l\0s" };
      static const gsize lengths[] = { 3, 3, 9, 3 };
      g_autoptr (InterpScriptVerdict) verdict = judge_bytes (scripts[i], lengths[i], NULL);

      g_assert_cmpint (interp_script_verdict_get_verdict (verdict), ==, INTERP_VERDICT_ASK);
    }
}

/* Without the parser nothing is understood. One that fails, says nonsense or says too much is none. */
static void
test_without_a_parser_it_asks (void)
{
  static const char *const parsers[] = {
    NULL,
    "#!/bin/sh\nexit 1\n",
    "#!/bin/sh\nexit 0\n",
    "#!/bin/sh\necho '{}'\n",
    "#!/bin/sh\necho '{\"Type\":\"File\"}'\n",
    "#!/bin/sh\necho '{\"Type\":\"File\",\"Stmts\":[{\"Cmd\":{\"Type\":\"NewCmd\"}}]}'\n",
    "#!/bin/sh\necho "
    "'{\"Type\":\"File\",\"Stmts\":[{\"New\":1,\"Cmd\":{\"Type\":\"CallExpr\",\"Args\":[{\"Parts\":[{\"Type\":"
    "\"Lit\",\"Value\":\"ls\"}]}]}}]}'\n",
    "#!/bin/sh\nexec head -c 20000000 /dev/zero\n",
    "#!/bin/sh\nkill -9 $$\n",
  };
  g_autofree char *path = g_strdup (g_getenv ("PATH"));
  g_autofree char *folder = g_dir_make_tmp ("interpreter-path-XXXXXX", NULL);
  g_autofree char *program = g_build_filename (folder, "shfmt", NULL);
  g_autofree char *own_path = g_strconcat (folder, ":", path, NULL);

  g_assert_cmpint (judge ("ls", NULL), ==, INTERP_VERDICT_ALLOW);
  for (guint i = 0; i < G_N_ELEMENTS (parsers); i++)
    {
      if (parsers[i] != NULL)
        {
          g_assert_true (g_file_set_contents (program, parsers[i], -1, NULL));
          g_assert_cmpint (g_chmod (program, 0700), ==, 0);
        }
      g_setenv ("PATH", parsers[i] == NULL ? folder : own_path, TRUE);
      g_assert_cmpint (judge ("ls", NULL), ==, INTERP_VERDICT_ASK);
    }
  g_setenv ("PATH", path, TRUE);
  g_unlink (program);
  g_rmdir (folder);
}

/* Harmless scripts with something put in at random: what may write never becomes allowed with it, nothing crashes, and
 * the answer is the same each time. */
static void
test_random_scripts (void)
{
  static const char *const pieces[]
      = { "ls", "cat f.txt", " ",     ";", "\n", "|",    "&&",  "'",  "\"",       "\\",    "$", "(",
          ")",  "{",         "}",     "`", "<",  ">",    "#",   "-l", "--",       "*",     "[", "]",
          "?",  "~",         "!",     "&", "=",  "\t",   "a=b", "$(", "<<E",      "\nE\n", "é", "\xff",
          "f",  "echo x",    "head ", "/", "\r", "\x01", "1",   "2",  "/dev/null" };
  static const char *const acts[] = { "touch PWN", "rm -r f", "./run", "sort -o PWN f.txt" };

  for (guint i = 0; i < 400; i++)
    {
      g_autoptr (GString) script = g_string_new (NULL);
      guint n = g_test_rand_int_range (1, 14);
      InterpVerdict verdict;

      for (guint j = 0; j < n; j++)
        g_string_append (script, pieces[g_test_rand_int_range (0, G_N_ELEMENTS (pieces))]);
      verdict = judge (script->str, NULL);
      if (verdict != INTERP_VERDICT_ALLOW || i % 4 != 0)
        continue;
      g_assert_cmpint (judge (script->str, NULL), ==, verdict);
      for (guint j = 0; j < G_N_ELEMENTS (acts); j++)
        {
          g_autofree char *before = g_strconcat (acts[j], "\n", script->str, NULL);

          g_assert_cmpint (judge (before, NULL), ==, INTERP_VERDICT_ASK);
        }
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  dex_init ();

  g_test_add_func ("/policy/script/nothing-that-acts", test_nothing_that_acts_is_allowed);
  g_test_add_func ("/policy/script/ordinary", test_ordinary_commands_are_allowed);
  g_test_add_func ("/policy/script/allowed-writes-nothing", test_what_is_allowed_writes_nothing);
  g_test_add_func ("/policy/script/rules", test_rules_over_a_script);
  g_test_add_func ("/policy/script/deny-has-no-limit", test_deny_has_no_limit);
  g_test_add_func ("/policy/script/each-command", test_each_command_is_told);
  g_test_add_func ("/policy/script/other-languages", test_other_languages_ask);
  g_test_add_func ("/policy/script/faulty-rules", test_faulty_rules_ask);
  g_test_add_func ("/policy/script/hostile", test_hostile_input_asks);
  g_test_add_func ("/policy/script/no-parser", test_without_a_parser_it_asks);
  g_test_add_func ("/policy/script/random", test_random_scripts);

  return g_test_run ();
}
