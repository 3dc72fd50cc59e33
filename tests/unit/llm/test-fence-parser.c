/* test-fence-parser.c
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm/interp-fence-parser.h"

#include "llm-events.h"
#include "llm-split.h"

static char *
parse (const char *const *pieces, const gsize *lengths, guint n, gpointer data)
{
  const char *fault = data;
  g_autoptr (InterpRequest) request = events_request (TRUE);
  g_autoptr (InterpOffer) offer = interp_offer_new (request);
  Events *events = events_new ();
  g_autoptr (InterpFenceParser) parser = interp_fence_parser_new (offer, events_take, events);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *piece = g_strndup (pieces[i], lengths[i]);

      interp_fence_parser_push (parser, piece);
    }
  interp_fence_parser_finish (parser, fault);
  g_assert_cmpuint (g_hash_table_size (events->open), ==, 0);

  return events_free (events);
}

static void
check (const char *text, const char *expected)
{
  check_text_splits (text, expected, parse, NULL);
}

static void
test_blocks (void)
{
  check ("Look:\n```python\nprint(1)\n```\nDone.", "Look:\n⟨python|print(1)⟩Done.");
  check ("```python\nprint(1)\n```", "⟨python|print(1)⟩");
  check ("~~~sh\nls\n~~~\n", "⟨sh|ls⟩");
  check ("``` python \nx\n```  \ny", "⟨python|x⟩y");
  check ("```Python\nx\n```\n", "⟨python|x⟩");
  check ("```python3.12\nx\n```\n", "⟨python3|x⟩");
  check ("```{.python .numberLines}\nx\n```\n", "⟨python|x⟩");
  check ("```python:main.py\nx\n```\n", "⟨python|x⟩");
  check ("```python title=\"a\"\nx\n```\n", "⟨python|x⟩");
  check ("```language-js\nx\n```\n", "⟨js|x⟩");
  check ("```zsh\nx\n```\n", "⟨shell|x⟩");
  check ("```r\nprint(\"hello world\")\n```\n", "⟨r|print(\"hello world\")⟩");
  check ("```python\n```\n", "⟨python|⟩");
  check ("```python\n\nx\n\n```\n", "⟨python|\nx\n⟩");
  check ("```python\r\nx\r\n```\r\ny", "⟨python|x⟩y");
  check ("```python\nprint('日本語 é')\n```\n", "⟨python|print('日本語 é')⟩");
}

/* open-interpreter.md B1: the code is exact, the language's name in it too. */
static void
test_exact (void)
{
  check ("```python\nimport subprocess\nsubprocess.run(['python', '-c', 'python'])\n```\n",
         "⟨python|import subprocess\nsubprocess.run(['python', '-c', 'python'])⟩");
  check ("```sh\necho \\\n  sh\n```\n", "⟨sh|echo \\\n  sh⟩");
}

static void
test_two_blocks (void)
{
  check ("```python\na\n```\nthen\n```sh\nb\n```\nend\n", "⟨python|a⟩then\n⟨sh|b⟩end\n");
}

static void
test_inline (void)
{
  check ("Use ```ls``` to list", "Use ```ls``` to list");
  check ("```ls``` lists\nmore", "```ls``` lists\nmore");
  check ("a ` b `` c ``` d\n", "a ` b `` c ``` d\n");
  check ("``", "``");
  check ("```", "```");
  check ("``\n", "``\n");
}

static void
test_inner_fences (void)
{
  check ("````python\nx = '''\n```\n'''\n````\n", "⟨python|x = '''\n```\n'''⟩");
  check ("```python\nopen('R.md','w').write(\"\"\"\n# T\n```sh\nls\n```\n\"\"\")\nprint(1)\n```\nok",
         "⟨python|open('R.md','w').write(\"\"\"\n# T\n```sh\nls\n```\n\"\"\")\nprint(1)⟩ok");
  check ("```bash\ncat <<'EOF' > a.md\n```\ntext\n```\nEOF\n```\n", "⟨bash|cat <<'EOF' > a.md\n```\ntext\n```\nEOF⟩");
  check ("~~~js\nconst a = `\n~~~\n`\n~~~\n", "⟨js|const a = `\n~~~\n`⟩");
  check ("```python\nx\n~~~\n```\n", "⟨python|x\n~~~⟩");
  /* A quote that is never closed is not a string: the first fence ends the block, the rest is text. */
  check ("```bash\necho don't\n```\nand then\n", "⟨bash|echo don't⟩and then\n");
  check ("```bash\necho don't\n```\nso\n```python\nx\n```\n", "⟨bash|echo don't⟩so\n⟨python|x⟩");
}

static void
test_shown (void)
{
  check ("```json\n{\"a\": 1}\n```\nx", "```json\n{\"a\": 1}\n```\nx");
  check ("```output\n4\n```\n", "```output\n4\n```\n");
  check ("```cobol\nx\n```\n```sh\ny\n```\n", "```cobol\nx\n```\n⟨sh|y⟩");
  check ("```c++\nint a;\n```\n", "```c++\nint a;\n```\n");
  check ("```markdown\n# A\n```python\nx\n```\nb\n```\n", "```markdown\n# A\n```python\nx\n```\nb\n```\n");
  check ("```text\nopen", "```text\nopen");
}

static void
test_untagged (void)
{
  check ("```\nls\n```\n", "⟨?|ls⟩");
  check ("```\npython\nx = 1\n```\n", "⟨python|x = 1⟩");
  check ("```\npython x.py\n```\n", "⟨?|python x.py⟩");
}

static void
test_lists (void)
{
  check ("1. Do:\n   ```sh\n   ls\n     -l\n   ```\n2. x", "1. Do:\n⟨sh|ls\n  -l⟩2. x");
}

static void
test_prompts (void)
{
  check ("```console\n$ ls\na b\n$ pwd\n/home\n```\n", "⟨shell|ls\npwd⟩");
  check ("```console\nls\n```\n", "⟨shell|ls⟩");
  check ("```bash\n$ for i in 1; do\n> echo\n> done\n```\n", "⟨bash|for i in 1; do\necho\ndone⟩");
  check ("```pycon\n>>> def f():\n...   return 1\n...\n>>> f()\n1\n```\n", "⟨python|def f():\n  return 1\n\nf()⟩");
  check ("```python\n>>> 1\n1\n```\n", "⟨python|1⟩");
}

static void
test_unclosed (void)
{
  check ("```python\nprint(1)", "⟨python|print(1)⟩");
  check_text_splits ("```python\nprint(1)", "⟨python|print(1)|fault⟩", parse, (gpointer) "cut");
  check_text_splits ("```python\nprint(1)\n```\nmore", "⟨python|print(1)⟩more", parse, (gpointer) "cut");
}

/* Fences by chance, cut by chance: nothing is lost, nothing breaks. */
static void
test_noise (void)
{
  static const char *bits[]
      = { "```", "~~~", "`", "python", "\n", "\n", " ", "x", "'", "\"\"\"", "<<EOF", "EOF", "$ ", "é" };

  for (guint round = 0; round < 2000; round++)
    {
      g_autoptr (GString) text = g_string_new (NULL);
      g_autofree char *expected = NULL;
      const char *one;
      gsize size;

      for (guint i = 0; i < 30; i++)
        g_string_append (text, bits[g_test_rand_int_range (0, G_N_ELEMENTS (bits))]);

      one = text->str;
      size = text->len;
      expected = parse (&one, &size, 1, NULL);
      if (round % 20 == 0)
        check_text_splits (text->str, expected, parse, NULL);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/llm/fence/blocks", test_blocks);
  g_test_add_func ("/llm/fence/exact", test_exact);
  g_test_add_func ("/llm/fence/two-blocks", test_two_blocks);
  g_test_add_func ("/llm/fence/inline", test_inline);
  g_test_add_func ("/llm/fence/inner-fences", test_inner_fences);
  g_test_add_func ("/llm/fence/shown", test_shown);
  g_test_add_func ("/llm/fence/untagged", test_untagged);
  g_test_add_func ("/llm/fence/lists", test_lists);
  g_test_add_func ("/llm/fence/prompts", test_prompts);
  g_test_add_func ("/llm/fence/unclosed", test_unclosed);
  g_test_add_func ("/llm/fence/noise", test_noise);

  return g_test_run ();
}
