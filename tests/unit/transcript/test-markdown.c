/* test-markdown.c
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <string.h>

#include "transcript/interp-markdown.h"

static char *
describe_blocks (GPtrArray *blocks)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < blocks->len; i++)
    {
      g_autofree char *text = interp_block_describe (g_ptr_array_index (blocks, i));

      g_string_append_printf (out, "%s%s", i > 0 ? " " : "", text);
    }
  return g_string_free (out, FALSE);
}

static char *
describe_source (const char *source)
{
  g_autoptr (GPtrArray) blocks = interp_markdown_parse (source, -1);

  return describe_blocks (blocks);
}

typedef struct
{
  const char *name;
  const char *source;
  const char *expected;
} Case;

static const Case cases[] = {
  /* What regex renderers made of prose about code. */
  { "underscore", "See report_2024.csv now", "(p \"See report_2024.csv now\")" },
  { "underscore-code", "`report_2024.csv`", "(p (code \"report_2024.csv\"))" },
  { "product", "2 * 3 * 4", "(p \"2 * 3 * 4\")" },
  { "index", "arr[i](x)", "(p \"arr[i](x)\")" },
  { "index-code", "`arr[i](x)`", "(p (code \"arr[i](x)\"))" },
  { "power", "x^(n+1)", "(p \"x^(n+1)\")" },
  { "pointers", "`int **p, *q`", "(p (code \"int **p, *q\"))" },
  { "glob", "`*.c` and **/*.h", "(p (code \"*.c\") \" and **/*.h\")" },

  { "emphasis", "*a* **b** ***c*** ~~d~~", "(p (em \"a\") \" \" (b \"b\") \" \" (b (em \"c\")) \" \" (s \"d\"))" },
  { "heading", "# One\n\nTwo\n---\n\n###### Six", "(h1 \"One\") (h2 \"Two\") (h6 \"Six\")" },
  { "breaks", "soft\nline  \nhard", "(p \"soft line\\nhard\")" },
  { "link", "[a *b*](https://x.org/?a=1&amp;b=2)",
    "(p (a <https://x.org/?a=1&b=2> \"a \") (a (em <https://x.org/?a=1&b=2> \"b\")))" },
  { "bare-link", "see https://x.org/a_b_c.", "(p \"see \" (a <https://x.org/a_b_c> \"https://x.org/a_b_c\") \".\")" },
  { "mail", "<mailto:a@b.org>", "(p (a <mailto:a@b.org> \"mailto:a@b.org\"))" },
  { "script-link", "[run](javascript:alert(1))", "(p \"[run](javascript:alert(1))\")" },
  { "file-link", "[f](file:///etc/passwd)", "(p \"[f](file:///etc/passwd)\")" },
  { "picture", "![a chart](out/chart.png)", "(p (img <out/chart.png> \"a chart\"))" },
  { "picture-bare", "- ![](x.png)", "(ul (li (p (img <x.png> \"\"))))" },
  { "html", "a <b>bold</b> <script>x</script>", "(p \"a <b>bold</b> <script>x</script>\")" },
  { "entities", "&lt;p&gt; &amp; &copy; &#x41; &unknown; &#0;",
    "(p \"<p> & \\302\\251 A &unknown; \\357\\277\\275\")" },
  { "rule", "a\n\n---\n\nb", "(p \"a\") (hr) (p \"b\")" },
  { "quote", "> a\n> b\n>\n> c", "(quote (p \"a b\") (p \"c\"))" },

  { "list", "- a\n- b\n  - c\n    1. d\n- e",
    "(ul (li (p \"a\")) (li (p \"b\") (ul (li (p \"c\") (ol (li (p \"d\")))))) (li (p \"e\")))" },
  { "ordered", "3. c\n4. d", "(ol 3 (li (p \"c\")) (li (p \"d\")))" },
  { "loose", "1. a\n\n2. b\n\n   more\n\n3. c", "(ol (li (p \"a\")) (li (p \"b\") (p \"more\")) (li (p \"c\")))" },
  { "ordered-nested", "1. a\n   1. b\n   2. c\n      - d\n2. e\n   1. f",
    "(ol (li (p \"a\") (ol (li (p \"b\")) (li (p \"c\") (ul (li (p \"d\")))))) (li (p \"e\") (ol (li (p \"f\")))))" },
  { "tasks", "- [x] a\n- [ ] b\n- c", "(ul (li [x] (p \"a\")) (li [ ] (p \"b\")) (li (p \"c\")))" },
  { "list-code", "- a\n\n  ```sh\n  ls\n\n  pwd\n  ```\n- b",
    "(ul (li (p \"a\") (pre sh \"ls\\n\\npwd\\n\")) (li (p \"b\")))" },

  { "fence", "a\n```python\nx = 1\n\ny = 2\n```\nb", "(p \"a\") (pre python \"x = 1\\n\\ny = 2\\n\") (p \"b\")" },
  { "fence-long", "````md\n```\nx\n```\n````", "(pre md \"```\\nx\\n```\\n\")" },
  { "fence-tilde", "~~~\n`` ``\n~~~", "(pre \"`` ``\\n\")" },
  { "fence-inline", "Use ```ls``` to list", "(p \"Use \" (code \"ls\") \" to list\")" },
  { "fence-info", "```c++ title=\"x\"\nint a;\n```", "(pre c++ \"int a;\\n\")" },
  { "fence-adjacent", "# T\n```\na\n```\n```\nb\n```\n# U\nv",
    "(h1 \"T\") (pre \"a\\n\") (pre \"b\\n\") (h1 \"U\") (p \"v\")" },

  { "table", "| a | b |\n|---|--:|\n| 1 | `x|y` |\n| **2** | |",
    "(table (tr (td \"a\") (td end \"b\")) (tr (td \"1\") (td end (code \"x|y\"))) (tr (td (b \"2\")) (td "
    "end)))" },
  { "table-after", "a | b\n:-:|---\n1 | 2\n\nafter",
    "(table (tr (td center \"a\") (td \"b\")) (tr (td center \"1\") (td \"2\"))) (p \"after\")" },

  { "reference", "See [it][r].\n\nMore.\n\n[r]: https://x.org",
    "(p \"See \" (a <https://x.org> \"it\") \".\") (p \"More.\")" },
  { "footnote", "Said[^1] so.\n\n[^1]: By whom.", "(p \"Said[^1] so.\") (p \"[^1]: By whom.\")" },
  { "unicode", "Größe **日本語** 👩‍👩‍👧",
    "(p \"Gr\\303\\266\\303\\237e \" (b \"\\346\\227\\245\\346\\234\\254\\350\\252\\236\") \" "
    "\\360\\237\\221\\251\\342\\200\\215\\360\\237\\221\\251\\342\\200\\215\\360\\237\\221\\247\")" },
  { "crlf", "a\r\n\r\n```\r\nx\r\n```\r\n", "(p \"a\") (pre \"x\\n\")" },
  { "empty", "", "" },
};

static void
test_case (gconstpointer data)
{
  const Case *c = data;
  g_autofree char *whole = describe_source (c->source);

  g_assert_cmpstr (whole, ==, c->expected);
}

static gboolean
is_boundary (const char *text, gsize at)
{
  return ((guchar) text[at] & 0xc0) != 0x80;
}

/* Given in two pieces, cut anywhere, or one character at a time, the blocks are those of the whole. */
static void
test_split (gconstpointer data)
{
  const Case *c = data;
  gsize length = strlen (c->source);
  g_autoptr (InterpMarkdown) slow = interp_markdown_new ();

  for (gsize cut = 0; cut <= length; cut++)
    {
      g_autoptr (InterpMarkdown) markdown = interp_markdown_new ();
      g_autofree char *head = g_strndup (c->source, cut);
      g_autofree char *described = NULL;
      guint n_settled;

      if (!is_boundary (c->source, cut))
        continue;
      interp_markdown_update (markdown, head, FALSE);
      n_settled = interp_markdown_get_n_settled (markdown);
      g_assert_cmpuint (n_settled, <=, interp_markdown_get_blocks (markdown)->len);
      interp_markdown_update (markdown, c->source, TRUE);
      described = describe_blocks (interp_markdown_get_blocks (markdown));
      g_assert_cmpstr (described, ==, c->expected);

      interp_markdown_update (slow, head, FALSE);
    }
  {
    g_autofree char *described = NULL;

    interp_markdown_update (slow, c->source, TRUE);
    described = describe_blocks (interp_markdown_get_blocks (slow));
    g_assert_cmpstr (described, ==, c->expected);
  }
}

static char *
make_long_source (void)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    if (!g_str_equal (cases[i].name, "crlf"))
      g_string_append_printf (out, "%s\n\nText %u between.\n\n", cases[i].source, i);
  return g_string_free (out, FALSE);
}

/* What is settled never changes again, and all of it together is the whole. */
static void
test_settled_stays (void)
{
  g_autofree char *source = make_long_source ();
  g_autofree char *whole = describe_source (source);
  g_autofree char *described = NULL;
  g_autoptr (InterpMarkdown) markdown = interp_markdown_new ();
  g_autoptr (GPtrArray) settled = g_ptr_array_new_with_free_func ((GDestroyNotify) interp_block_unref);
  gsize length = strlen (source);

  for (gsize cut = 0; cut < length; cut++)
    {
      g_autofree char *head = g_strndup (source, cut);
      GPtrArray *blocks;

      if (!is_boundary (source, cut))
        continue;
      interp_markdown_update (markdown, head, FALSE);
      blocks = interp_markdown_get_blocks (markdown);
      g_assert_cmpuint (interp_markdown_get_n_settled (markdown), >=, settled->len);
      for (guint i = 0; i < settled->len; i++)
        g_assert_true (g_ptr_array_index (settled, i) == g_ptr_array_index (blocks, i));
      for (guint i = settled->len; i < interp_markdown_get_n_settled (markdown); i++)
        g_ptr_array_add (settled, interp_block_ref (g_ptr_array_index (blocks, i)));
    }
  /* All but the tail has been settled on the way. */
  g_assert_cmpuint (settled->len, >, G_N_ELEMENTS (cases));
  interp_markdown_update (markdown, source, TRUE);
  described = describe_blocks (interp_markdown_get_blocks (markdown));
  g_assert_cmpstr (described, ==, whole);
}

static void
test_open_fence (void)
{
  g_autoptr (InterpMarkdown) markdown = interp_markdown_new ();
  InterpBlock *block;
  g_autofree char *open = NULL;

  interp_markdown_update (markdown, "Run:\n```python\nx = 1\n\n# no heading\n- no list\n", FALSE);
  g_assert_cmpuint (interp_markdown_get_n_settled (markdown), ==, 1);
  g_assert_cmpuint (interp_markdown_get_blocks (markdown)->len, ==, 2);
  block = g_ptr_array_index (interp_markdown_get_blocks (markdown), 1);
  open = interp_block_describe (block);
  g_assert_cmpstr (open, ==, "(pre python open \"x = 1\\n\\n# no heading\\n- no list\\n\")");

  interp_markdown_update (markdown, "Run:\n```python\nx = 1\n\n# no heading\n- no list\n```\n", FALSE);
  g_assert_cmpuint (interp_markdown_get_n_settled (markdown), ==, 2);
  block = g_ptr_array_index (interp_markdown_get_blocks (markdown), 1);
  g_assert_false (block->open);
}

static void
assert_shown (const char *source, const char *expected)
{
  g_autoptr (InterpMarkdown) markdown = interp_markdown_new ();
  g_autofree char *described = NULL;

  interp_markdown_update (markdown, source, FALSE);
  described = describe_blocks (interp_markdown_get_blocks (markdown));
  g_assert_cmpstr (described, ==, expected);
}

/* Marks still open at the end are shown as if closed. */
static void
test_open_marks (void)
{
  assert_shown ("a **bo", "(p \"a \" (b \"bo\"))");
  assert_shown ("a **bold** b", "(p \"a \" (b \"bold\") \" b\")");
  assert_shown ("a `co", "(p \"a \" (code \"co\"))");
  assert_shown ("a `code` b", "(p \"a \" (code \"code\") \" b\")");
  assert_shown ("`a ** b", "(p (code \"a ** b\"))");
  assert_shown ("2 ** 3", "(p \"2 ** 3\")");
  /* A row that is not whole yet does not make the columns jitter. */
  assert_shown ("| a | b |\n|---|---|\n| 1 | 2 |\n| 3",
                "(table (tr (td \"a\") (td \"b\")) (tr (td \"1\") (td \"2\")))");
}

/* Each row of a table appears at once and stays as it is: columns change their width at most once a row. */
static void
test_table_grows_by_rows (void)
{
  g_autoptr (GString) source = g_string_new ("| n | name | a | b | c | total |\n|--:|---|---|:-:|---|--:|\n");
  g_autoptr (InterpMarkdown) markdown = interp_markdown_new ();
  g_autofree char *before = NULL;
  guint n_rows = 1;
  guint n_changes = 0;

  for (; n_rows <= 10; n_rows++)
    g_string_append_printf (source, "| %u | **name** `%u` | x_%u | \\| | [l](https://x.org) | %u |\n", n_rows,
                            1u << n_rows, n_rows, n_rows * n_rows * n_rows);
  g_string_append (source, "\nAfter.");
  for (gsize cut = strlen ("| n | name | a | b | c | total |\n|--:|---|---|:-:|---|--:|\n"); cut <= source->len; cut++)
    {
      g_autofree char *head = g_strndup (source->str, cut);
      g_autofree char *table = NULL;
      InterpBlock *block;

      interp_markdown_update (markdown, head, cut == source->len);
      block = g_ptr_array_index (interp_markdown_get_blocks (markdown), 0);
      table = interp_block_describe (block);
      g_assert_true (g_str_has_prefix (table, "(table "));
      if (before != NULL && !g_str_equal (table, before))
        n_changes++;
      g_set_str (&before, table);
    }
  g_assert_cmpuint (n_changes, ==, n_rows - 1);
}

static void
test_replaced_source (void)
{
  g_autoptr (InterpMarkdown) markdown = interp_markdown_new ();
  g_autofree char *described = NULL;

  interp_markdown_update (markdown, "one\n\ntwo\n\nthree", FALSE);
  g_assert_cmpuint (interp_markdown_get_n_settled (markdown), ==, 2);
  interp_markdown_update (markdown, "other\n\ntext", TRUE);
  described = describe_blocks (interp_markdown_get_blocks (markdown));
  g_assert_cmpstr (described, ==, "(p \"other\") (p \"text\")");
}

static void
test_line_breaks (void)
{
  g_autoptr (InterpMarkdown) markdown = interp_markdown_new ();
  g_autofree char *described = NULL;

  interp_markdown_set_line_breaks (markdown, TRUE);
  interp_markdown_update (markdown, "first\nsecond", TRUE);
  described = describe_blocks (interp_markdown_get_blocks (markdown));
  g_assert_cmpstr (described, ==, "(p \"first\\nsecond\")");
}

static guint
depth_of (const InterpBlock *block)
{
  guint deepest = 0;

  for (guint i = 0; block->children && i < block->children->len; i++)
    deepest = MAX (deepest, depth_of (g_ptr_array_index (block->children, i)));
  return deepest + 1;
}

/* Input made to hurt: deep nesting stays shallow, long unclosed runs stay quick. */
static void
test_hostile (void)
{
  g_autofree char *quotes = g_strnfill (5000, '>');
  g_autofree char *deep = g_strconcat (quotes, " x", NULL);
  g_autofree char *stars = g_strnfill (20000, '*');
  g_autofree char *brackets = g_strnfill (20000, '[');
  g_autoptr (GPtrArray) nested = interp_markdown_parse (deep, -1);
  g_autoptr (GPtrArray) starred = interp_markdown_parse (stars, -1);
  g_autoptr (GPtrArray) bracketed = interp_markdown_parse (brackets, -1);

  g_assert_cmpuint (nested->len, ==, 1);
  g_assert_cmpuint (depth_of (g_ptr_array_index (nested, 0)), <, 32);
  g_assert_cmpuint (starred->len, ==, 1);
  g_assert_cmpuint (bracketed->len, ==, 1);
}

static void
test_plain_text (void)
{
  g_autoptr (GPtrArray) blocks = interp_markdown_parse ("# A *b*\n", -1);
  g_autofree char *text = interp_block_to_plain_text (g_ptr_array_index (blocks, 0));

  g_assert_cmpstr (text, ==, "A b\n");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *whole = g_strdup_printf ("/transcript/markdown/whole/%s", cases[i].name);
      g_autofree char *split = g_strdup_printf ("/transcript/markdown/split/%s", cases[i].name);

      g_test_add_data_func (whole, &cases[i], test_case);
      g_test_add_data_func (split, &cases[i], test_split);
    }
  g_test_add_func ("/transcript/markdown/settled-stays", test_settled_stays);
  g_test_add_func ("/transcript/markdown/open-fence", test_open_fence);
  g_test_add_func ("/transcript/markdown/open-marks", test_open_marks);
  g_test_add_func ("/transcript/markdown/table-grows-by-rows", test_table_grows_by_rows);
  g_test_add_func ("/transcript/markdown/replaced-source", test_replaced_source);
  g_test_add_func ("/transcript/markdown/line-breaks", test_line_breaks);
  g_test_add_func ("/transcript/markdown/hostile", test_hostile);
  g_test_add_func ("/transcript/markdown/plain-text", test_plain_text);
  return g_test_run ();
}
