/* test-diff.c: differences, and what a block says that it writes
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "changes/interp-diff.h"
#include "changes/interp-literal-writes.h"

static char *
to_text (InterpDiff *diff)
{
  GString *text = g_string_new (NULL);
  GPtrArray *lines = interp_diff_get_lines (diff);

  for (guint i = 0; i < lines->len; i++)
    {
      InterpDiffLine *line = g_ptr_array_index (lines, i);
      static const char signs[] = " +-@!";

      g_string_append_printf (text, "%c%s\n", signs[line->kind], line->kind == INTERP_DIFF_HUNK ? "" : line->text);
    }
  return g_string_free_and_steal (text);
}

static void
test_texts (void)
{
  g_autoptr (InterpDiff) added = interp_diff_new ("New", NULL, "a\nb\n");
  g_autoptr (InterpDiff) changed = interp_diff_new ("Changed", "a\nb\nc\n", "a\nB\nc\n");
  g_autoptr (InterpDiff) same = interp_diff_new ("Same", "a\n", "a\n");
  g_autofree char *added_text = to_text (added);
  g_autofree char *changed_text = to_text (changed);
  g_autofree char *same_text = to_text (same);
  g_autofree char *huge = g_strnfill (2 * 1024 * 1024, 'x');
  g_autoptr (InterpDiff) large = interp_diff_new ("Large", "", huge);
  g_autofree char *large_text = to_text (large);

  g_assert_cmpstr (added_text, ==, "+a\n+b\n");
  g_assert_cmpuint (interp_diff_get_n_added (added), ==, 2);
  g_assert_cmpstr (changed_text, ==, "@\n a\n-b\n+B\n c\n");
  g_assert_cmpuint (interp_diff_get_n_removed (changed), ==, 1);
  g_assert_true (g_str_has_prefix (same_text, "!"));
  g_assert_true (g_str_has_prefix (large_text, "!"));
}

static const struct
{
  const char *language;
  const char *code;
  const char *path; /* NULL: nothing is claimed */
  const char *content;
  gboolean append;
} cases[] = {
  { "shell", "cat <<'EOF' > f.txt\none $x\ntwo\nEOF\n", "f.txt", "one $x\ntwo\n", FALSE },
  { "shell", "cat > f.txt <<EOF\nplain\nEOF", "f.txt", "plain\n", FALSE },
  { "shell", "cat >> 'a b' <<EOF\nplain\nEOF", "a b", "plain\n", TRUE },
  { "shell", "cat <<-EOF > f\n\tindented\n\tEOF\n", "f", "indented\n", FALSE },
  { "shell", "tee -a f <<'E'\nx\nE\n", "f", "x\n", TRUE },
  { "shell", "cat > f <<EOF\n$HOME\nEOF", NULL, NULL, FALSE },
  { "shell", "cat > f <<EOF\nnever closed", NULL, NULL, FALSE },
  { "shell", "cat > $F <<'EOF'\nx\nEOF", NULL, NULL, FALSE },
  { "shell", "echo hello 'big world' > out", "out", "hello big world\n", FALSE },
  { "shell", "echo -n x >> out", "out", "x", TRUE },
  { "shell", "printf 'a\\nb\\n' > out", "out", "a\nb\n", FALSE },
  { "shell", "printf '%s\\n' word > out", "out", "word\n", FALSE },
  { "shell", "echo $x > out", NULL, NULL, FALSE },
  { "shell", "echo a; ls > out", NULL, NULL, FALSE },
  { "shell", "echo a 2> out", NULL, NULL, FALSE },
  { "shell", "ls > out", NULL, NULL, FALSE },
  { "shell", "echo x > /dev/null", NULL, NULL, FALSE },
  { "shell", "echo 'a > b'", NULL, NULL, FALSE },
  { "python", "open('f.txt', 'w').write('new\\nline')", "f.txt", "new\nline", FALSE },
  { "python", "with open(\"f\", mode=\"a\", encoding='utf-8') as f:\n    f.write(\"\"\"x\ny\"\"\")", "f", "x\ny",
    TRUE },
  { "python", "Path('f').write_text('t')", "f", "t", FALSE },
  { "python", "from pathlib import Path\nPath(\"a/b.md\").write_text(\"# T\\n\")\n", "a/b.md", "# T\n", FALSE },
  { "python", "open('f', 'w').write(text)", NULL, NULL, FALSE },
  { "python", "open(f'{x}', 'w').write('a')", NULL, NULL, FALSE },
  { "python", "open('f').read()", NULL, NULL, FALSE },
  { "python", "open('f', 'wb').write(b'x')", NULL, NULL, FALSE },
  { "javascript", "fs.writeFileSync('f.js', `let a = 1;\n`)", "f.js", "let a = 1;\n", FALSE },
  { "javascript", "fs.writeFileSync('f.js', `${a}`)", NULL, NULL, FALSE },
  { "r", "writeLines(\"hello\", \"f.txt\")", "f.txt", "hello\n", FALSE },
  { "r", "cat('x\\n', file = 'f')", "f", "x\n", FALSE },
};

static void
test_literal_writes (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GPtrArray) writes = interp_literal_writes_find (cases[i].language, cases[i].code);

      g_test_message ("%s: %s", cases[i].language, cases[i].code);
      if (cases[i].path == NULL)
        {
          g_assert_cmpuint (writes->len, ==, 0);
          continue;
        }
      g_assert_cmpuint (writes->len, ==, 1);
      InterpLiteralWrite *write = g_ptr_array_index (writes, 0);
      g_assert_cmpstr (write->path, ==, cases[i].path);
      g_assert_cmpstr (write->content, ==, cases[i].content);
      g_assert_cmpint (write->append, ==, cases[i].append);
    }
}

/* Code cut anywhere, as a model may leave it, is read without harm. */
static void
test_cut_code (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (gsize length = 0; length < strlen (cases[i].code); length++)
      {
        g_autofree char *code = g_strndup (cases[i].code, length);
        g_autoptr (GPtrArray) writes = interp_literal_writes_find (cases[i].language, code);
        g_assert_nonnull (writes);
      }
}

static void
test_files (void)
{
  g_autofree char *folder = g_dir_make_tmp ("interpreter-diff-XXXXXX", NULL);
  g_autofree char *fifo = g_build_filename (folder, "fifo", NULL);
  g_autofree char *binary = g_build_filename (folder, "binary", NULL);
  g_autofree char *loop = g_build_filename (folder, "loop", NULL);
  g_autofree char *text_path = g_build_filename (folder, "text", NULL);
  g_autofree char *missing = g_build_filename (folder, "missing", NULL);
  const char *fault = NULL;
  char *text = NULL;

  g_assert_cmpint (mkfifo (fifo, 0600), ==, 0);
  g_assert_cmpint (symlink (loop, loop), ==, 0);
  g_assert_true (g_file_set_contents (binary, "\0\1\2", 3, NULL));
  g_assert_true (g_file_set_contents (text_path, "hello", 5, NULL));

  g_assert_false (interp_literal_writes_read_file (fifo, 100, &text, &fault));
  g_assert_nonnull (fault);
  g_assert_false (interp_literal_writes_read_file (folder, 100, &text, &fault));
  g_assert_false (interp_literal_writes_read_file (loop, 100, &text, &fault));
  g_assert_false (interp_literal_writes_read_file (binary, 100, &text, &fault));
  g_assert_false (interp_literal_writes_read_file (text_path, 3, &text, &fault));
  g_assert_true (interp_literal_writes_read_file (missing, 100, &text, &fault));
  g_assert_null (text);
  g_assert_true (interp_literal_writes_read_file (text_path, 100, &text, &fault));
  g_assert_cmpstr (text, ==, "hello");
  g_free (text);

  g_unlink (fifo);
  g_unlink (loop);
  g_unlink (binary);
  g_unlink (text_path);
  g_rmdir (folder);
}

static DexFuture *
block_fiber (gpointer user_data)
{
  GMainLoop *loop = user_data;
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("interpreter-diff-XXXXXX", NULL);
  g_autofree char *file = g_build_filename (folder, "notes.txt", NULL);
  g_autoptr (GPtrArray) plain = NULL;
  g_autoptr (GPtrArray) all = NULL;

  g_assert_true (g_file_set_contents (file, "old\n", -1, NULL));
  plain = dex_await_boxed (interp_diff_for_block ("python", "x = 1", folder, NULL, NULL), &error);
  g_assert_no_error (error);
  g_assert_cmpuint (plain->len, ==, 1);
  g_assert_cmpuint (interp_diff_get_n_added (g_ptr_array_index (plain, 0)), ==, 1);

  all = dex_await_boxed (interp_diff_for_block ("python", "open('notes.txt', 'w').write('new\\n')", folder, "model's",
                                                "attempt before"),
                         &error);
  g_assert_no_error (error);
  g_assert_cmpuint (all->len, ==, 3);
  g_assert_nonnull (strstr (interp_diff_get_title (g_ptr_array_index (all, 1)), "previous attempt"));
  g_assert_nonnull (strstr (interp_diff_get_title (g_ptr_array_index (all, 2)), "notes.txt"));
  g_autofree char *text = to_text (g_ptr_array_index (all, 2));
  g_assert_cmpstr (text, ==, "@\n-old\n+new\n");

  g_unlink (file);
  g_rmdir (folder);
  g_main_loop_quit (loop);
  return dex_future_new_true ();
}

static void
test_block (void)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  g_autoptr (DexFuture) future = dex_scheduler_spawn (NULL, 1024 * 1024, block_fiber, loop, NULL);

  g_main_loop_run (loop);
}

int
main (int argc, char **argv)
{
  dex_init ();
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/diff/texts", test_texts);
  g_test_add_func ("/diff/literal-writes", test_literal_writes);
  g_test_add_func ("/diff/cut-code", test_cut_code);
  g_test_add_func ("/diff/files", test_files);
  g_test_add_func ("/diff/block", test_block);
  return g_test_run ();
}
