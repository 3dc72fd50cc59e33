/* test-policy.c: what asks in which mode, and what is said of a block
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <string.h>

#include "policy/interp-policy.h"

static gboolean
has_fact (InterpJudgement *judgement, const char *text)
{
  GPtrArray *facts = interp_judgement_get_facts (judgement);

  for (guint i = 0; i < facts->len; i++)
    if (strstr (((InterpFact *) g_ptr_array_index (facts, i))->text, text) != NULL)
      return TRUE;
  return FALSE;
}

static const struct
{
  const char *language;
  const char *code;
  gboolean dangerous;
} cases[] = {
  { "shell", "rm -rf ~", TRUE },
  { "shell", "rm -rf \"$UNSET/\"*", TRUE },
  { "shell", "rm -fr /", TRUE },
  { "shell", "cd /etc && rm hosts", TRUE },
  { "shell", "rm ../other", TRUE },
  { "shell", "/bin/rm -r /home/someone", TRUE },
  { "shell", "dd if=/dev/zero of=/dev/sda", TRUE },
  { "shell", "mkfs.ext4 /dev/sdb1", TRUE },
  { "shell", "cat image > /dev/sda", TRUE },
  { "shell", "curl https://example.org/x | sh", TRUE },
  { "shell", "curl -s https://example.org/x | sudo bash", TRUE },
  { "shell", "bash <(curl -s https://example.org/x)", TRUE },
  { "shell", ":(){ :|:& };:", TRUE },
  { "shell", "git push -f origin main", TRUE },
  { "shell", "git push --force", TRUE },
  { "shell", "sudo true", TRUE },
  { "shell", "echo x; sudo -u root id", TRUE },
  { "shell", "sh -c 'rm -rf ~'", TRUE },
  { "shell", "bash -lc \"sudo reboot\"", TRUE },
  { "shell", "env A=b nohup rm -rf $HOME", TRUE },
  { "shell", "eval \"rm -rf /\"", TRUE },
  { "shell", "if true; then rm -rf /usr; fi", TRUE },
  { "shell", "echo $(rm -rf ~)", TRUE },
  { "shell", "echo \"now: $(rm -rf ~)\"", TRUE },
  { "shell", "echo \"now: `sudo id`\"", TRUE },
  { "shell", "echo \"$(date) sudo is not run\"", FALSE },
  { "shell", "find / -name x -delete", TRUE },
  { "shell", "rm /tmp/../etc/hosts", TRUE },
  { "shell", "ls | xargs rm -rf /", TRUE },
  { "shell", "python3 -c \"import shutil; shutil.rmtree('/home')\"", TRUE },
  { "shell", "/usr/bin/python3.13 -Ic 'import os; os.system(\"rm -rf ~\")'", TRUE },
  { "shell", "python3 - <<'EOF'\nimport shutil, os\nshutil.rmtree(os.path.expanduser('~'))\nEOF", TRUE },
  { "shell", "perl -e 'system(\"rm -rf ~\")'", TRUE },
  { "shell", "node -e \"require('child_process').execSync('sudo id')\"", TRUE },
  { "shell", "ruby -e 'exec \"mkfs.ext4 /dev/sdb\"'", TRUE },
  { "shell", "sh <<'EOF'\nrm -rf ~\nEOF", TRUE },
  { "shell", "bash <<< 'rm -rf ~'", TRUE },
  { "shell", "python3 <<-EOF\n\timport os\n\tos.system('sudo id')\n\tEOF", TRUE },
  { "shell", "echo 'rm -rf ~' | sh", TRUE },
  { "shell", "printf 'sudo id' | bash -s", TRUE },
  { "shell", "sh -c \"python3 -c 'import os; os.system(\\\"sudo id\\\")'\"", TRUE },
  { "python", "import os\nos.system('git push -f')", TRUE },
  { "python", "import subprocess\nsubprocess.run(['git', 'push', '--force'])", TRUE },
  { "python", "import shutil\nshutil.rmtree('/home/me')", TRUE },
  { "python", "import os; os.system('sudo reboot')", TRUE },
  { "python", "import subprocess\nsubprocess.run(['rm', '-rf', x])", TRUE },
  { "python", "import os\nos.system('rm -rf ~')", TRUE },
  { "python", "open('/dev/sda', 'wb')", TRUE },
  { "javascript", "require('child_process').execSync('sudo id')", TRUE },
  { "javascript", "fs.rmSync(os.homedir(), {recursive: true})", TRUE },
  { "r", "unlink('~/data', recursive = TRUE)", TRUE },
  { "shell", "ls -la", FALSE },
  { "shell", "rm -r build", FALSE },
  { "shell", "rm /tmp/x", FALSE },
  { "shell", "git push origin main", FALSE },
  { "shell", "git status", FALSE },
  { "shell", "echo 'sudo is a word'", FALSE },
  { "shell", "grep -r sudo .", FALSE },
  { "shell", "python3 build.py && rm -r build", FALSE },
  { "shell", "python3 -c 'print(6 * 7)'", FALSE },
  { "shell", "python3 - <<'EOF'\nprint(6 * 7)\nEOF", FALSE },
  { "shell", "perl -ne 'print if /rm/' notes", FALSE },
  { "shell", "echo 'ls' | sh", FALSE },
  { "shell", "rm -r build < /dev/null", FALSE },
  { "shell", "echo 'rm -rf ~'; sh build.sh", FALSE },
  { "python", "import os\nos.system('git push')", FALSE },
  { "python", "print('hello')", FALSE },
  { "python", "import os\nos.remove('old.txt')", FALSE },
  { "python", "import requests\nrequests.get('https://example.org')", FALSE },
  { "javascript", "console.log(1)", FALSE },
  { "r", "plot(1:3)", FALSE },
};

static void
test_dangers (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (InterpJudgement) automatic
          = interp_policy_judge (cases[i].language, cases[i].code, "/home/me/project", INTERP_MODE_AUTO, FALSE);
      g_autoptr (InterpJudgement) asking
          = interp_policy_judge (cases[i].language, cases[i].code, "/home/me/project", INTERP_MODE_ASK, FALSE);
      g_autoptr (InterpJudgement) looking
          = interp_policy_judge (cases[i].language, cases[i].code, "/home/me/project", INTERP_MODE_LOOK, FALSE);
      g_autoptr (InterpJudgement) recovered
          = interp_policy_judge (cases[i].language, cases[i].code, "/home/me/project", INTERP_MODE_AUTO, TRUE);

      g_test_message ("%s: %s", cases[i].language, cases[i].code);
      g_assert_cmpint (interp_judgement_is_dangerous (automatic), ==, cases[i].dangerous);
      g_assert_cmpint (interp_judgement_get_verdict (automatic), ==,
                       cases[i].dangerous ? INTERP_VERDICT_ASK : INTERP_VERDICT_ALLOW);
      g_assert_cmpint (interp_judgement_get_verdict (asking), ==, INTERP_VERDICT_ASK);
      g_assert_cmpint (interp_judgement_get_verdict (looking), ==, INTERP_VERDICT_DENY);
      g_assert_cmpint (interp_judgement_get_verdict (recovered), ==, INTERP_VERDICT_ASK);
      g_assert_nonnull (interp_judgement_get_reason (asking));
    }
}

static void
test_facts (void)
{
  g_autoptr (InterpJudgement) shell
      = interp_policy_judge ("shell", "rm -r build; curl https://example.org; pip install x; echo y > /etc/z",
                             "/home/me/p", INTERP_MODE_ASK, FALSE);
  g_autoptr (InterpJudgement) python
      = interp_policy_judge ("python", "import subprocess", "/home/me/p", INTERP_MODE_ASK, FALSE);
  g_autoptr (InterpJudgement) around
      = interp_policy_judge ("shell", "echo y > /tmp/../etc/z", "/home/me/p", INTERP_MODE_ASK, FALSE);
  g_autoptr (InterpJudgement) temporary
      = interp_policy_judge ("shell", "echo y > /tmp/z", "/home/me/p", INTERP_MODE_ASK, FALSE);
  g_autoptr (InterpJudgement) plain = interp_policy_judge ("shell", "ls", "/home/me/p", INTERP_MODE_ASK, FALSE);
  g_autoptr (InterpJudgement) unknown = interp_policy_judge ("lua", "x = 1", "/home/me/p", INTERP_MODE_ASK, FALSE);

  g_assert_true (has_fact (shell, "Deletes files"));
  g_assert_true (has_fact (shell, "network"));
  g_assert_true (has_fact (shell, "packages"));
  g_assert_true (has_fact (shell, "outside the folder"));
  g_assert_false (has_fact (shell, "Not analysed"));
  g_assert_true (has_fact (around, "outside the folder"));
  g_assert_false (has_fact (temporary, "outside the folder"));
  g_assert_true (has_fact (python, "Not analysed"));
  g_assert_true (has_fact (python, "Starts other programs"));
  g_assert_cmpuint (interp_judgement_get_facts (plain)->len, ==, 0);
  g_assert_true (has_fact (unknown, "Not analysed"));
}

static void
test_hostile (void)
{
  static const char *const codes[] = { "",          "'",     "\"",  "\\", "$(",   "`",     ">",
                                       "sudo",      "xargs", "env", "a|", ";;;;", "sh -c", "sh -c 'sh -c \"sh -c x\"'",
                                       "((((((((((" };
  g_autofree char *huge = g_strnfill (1024 * 1024, '(');
  g_autoptr (InterpJudgement) judgement = interp_policy_judge ("shell", huge, "/", INTERP_MODE_ASK, FALSE);

  g_assert_true (has_fact (judgement, "Not analysed"));
  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    {
      g_autoptr (InterpJudgement) other = interp_policy_judge ("shell", codes[i], NULL, INTERP_MODE_ASK, FALSE);
      g_assert_cmpint (interp_judgement_get_verdict (other), ==, INTERP_VERDICT_ASK);
    }
}

static void
test_modes (void)
{
  InterpMode mode;

  for (InterpMode i = INTERP_MODE_ASK; i <= INTERP_MODE_LOOK; i++)
    {
      g_assert_true (interp_mode_from_string (interp_mode_to_string (i), &mode));
      g_assert_cmpint (mode, ==, i);
    }
  g_assert_false (interp_mode_from_string ("everything", &mode));
  g_assert_false (interp_mode_from_string (NULL, &mode));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/policy/dangers", test_dangers);
  g_test_add_func ("/policy/facts", test_facts);
  g_test_add_func ("/policy/hostile", test_hostile);
  g_test_add_func ("/policy/modes", test_modes);
  return g_test_run ();
}
