/* interp-diff.c
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <string.h>

#include <git2.h>
#include <glib/gi18n.h>

#include "base/interp-fiber.h"
#include "base/interp-paths.h"
#include "base/interp-text.h"
#include "changes/interp-diff.h"
#include "changes/interp-literal-writes.h"

#define MAX_TEXT (1024 * 1024)
/* A diff of more lines helps nobody, and a view must lay them out. */
#define MAX_LINES 5000

struct _InterpDiff
{
  GObject parent_instance;

  char *title;
  GPtrArray *lines;
  guint n_added;
  guint n_removed;
};

G_DEFINE_FINAL_TYPE (InterpDiff, interp_diff, G_TYPE_OBJECT)

const char *
interp_diff_get_title (InterpDiff *self)
{
  g_return_val_if_fail (INTERP_IS_DIFF (self), NULL);

  return self->title;
}

GPtrArray *
interp_diff_get_lines (InterpDiff *self)
{
  g_return_val_if_fail (INTERP_IS_DIFF (self), NULL);

  return self->lines;
}

guint
interp_diff_get_n_added (InterpDiff *self)
{
  g_return_val_if_fail (INTERP_IS_DIFF (self), 0);

  return self->n_added;
}

guint
interp_diff_get_n_removed (InterpDiff *self)
{
  g_return_val_if_fail (INTERP_IS_DIFF (self), 0);

  return self->n_removed;
}

static void
line_free (gpointer data)
{
  InterpDiffLine *line = data;

  g_free (line->text);
  g_free (line);
}

static void
add_line (InterpDiff *self, InterpDiffKind kind, int old_line, int new_line, const char *text, gssize length)
{
  InterpDiffLine *line = g_new0 (InterpDiffLine, 1);

  line->kind = kind;
  line->old_line = old_line;
  line->new_line = new_line;
  line->text = interp_text_make_valid (text, length);
  g_ptr_array_add (self->lines, line);
}

static void
add_notice (InterpDiff *self, const char *text)
{
  add_line (self, INTERP_DIFF_NOTICE, 0, 0, text, -1);
}

static gboolean
is_full (InterpDiff *self)
{
  return self->lines->len >= MAX_LINES;
}

static int
on_hunk (const git_diff_delta *delta, const git_diff_hunk *hunk, void *payload)
{
  InterpDiff *self = payload;
  gsize length = hunk->header_len;

  while (length > 0 && (hunk->header[length - 1] == '\n' || hunk->header[length - 1] == '\r'))
    length--;
  if (!is_full (self))
    add_line (self, INTERP_DIFF_HUNK, hunk->old_start, hunk->new_start, hunk->header, length);
  return 0;
}

static int
on_line (const git_diff_delta *delta, const git_diff_hunk *hunk, const git_diff_line *line, void *payload)
{
  InterpDiff *self = payload;
  gsize length = line->content_len;
  InterpDiffKind kind;

  switch (line->origin)
    {
    case GIT_DIFF_LINE_ADDITION:
      kind = INTERP_DIFF_ADDED;
      self->n_added++;
      break;
    case GIT_DIFF_LINE_DELETION:
      kind = INTERP_DIFF_REMOVED;
      self->n_removed++;
      break;
    case GIT_DIFF_LINE_CONTEXT:
      kind = INTERP_DIFF_CONTEXT;
      break;
    default:
      return 0; /* "no newline at end of file" */
    }
  if (is_full (self))
    return 0;
  if (length > 0 && line->content[length - 1] == '\n')
    length--;
  add_line (self, kind, MAX (line->old_lineno, 0), MAX (line->new_lineno, 0), line->content, length);
  return 0;
}

static void
add_whole (InterpDiff *self, const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  guint n = g_strv_length (lines);

  if (n > 0 && *lines[n - 1] == '\0')
    n--;
  for (guint i = 0; i < n && !is_full (self); i++)
    add_line (self, INTERP_DIFF_ADDED, 0, i + 1, lines[i], -1);
  self->n_added = n;
}

/* Once: a last shutdown after each comparison would tear all of it down and set it up again. */
static void
init_libgit2 (void)
{
  static gsize once = 0;

  if (g_once_init_enter (&once))
    {
      git_libgit2_init ();
      g_once_init_leave (&once, 1);
    }
}

InterpDiff *
interp_diff_new (const char *title, const char *old_text, const char *new_text)
{
  InterpDiff *self = g_object_new (INTERP_TYPE_DIFF, NULL);
  git_diff_options options = GIT_DIFF_OPTIONS_INIT;

  g_return_val_if_fail (new_text != NULL, self);

  self->title = g_strdup (title);
  if (strlen (new_text) > MAX_TEXT || (old_text != NULL && strlen (old_text) > MAX_TEXT))
    {
      add_notice (self, _ ("The text is too large to compare."));
      return self;
    }

  if (old_text == NULL)
    add_whole (self, new_text);
  else
    {
      options.flags = GIT_DIFF_FORCE_TEXT;
      options.context_lines = 3;
      init_libgit2 ();
      git_diff_buffers (old_text, strlen (old_text), NULL, new_text, strlen (new_text), NULL, &options, NULL, NULL,
                        on_hunk, on_line, self);
      if (self->lines->len == 0)
        add_notice (self, _ ("No difference."));
    }
  if (is_full (self))
    {
      /* Translators: how many lines a comparison shows */
      g_autofree char *text = g_strdup_printf (_ ("Only the first %d lines are shown."), MAX_LINES);
      add_notice (self, text);
    }
  return self;
}

InterpDiff *
interp_diff_new_notice (const char *title, const char *notice)
{
  InterpDiff *self = g_object_new (INTERP_TYPE_DIFF, NULL);

  g_return_val_if_fail (notice != NULL, self);

  self->title = g_strdup (title);
  add_notice (self, notice);
  return self;
}

/* ---- a block ---- */

typedef struct
{
  char *language;
  char *code;
  char *folder;
  char *edited_from;
  char *previous;
} Block;

static void
block_free (Block *block)
{
  g_free (block->language);
  g_free (block->code);
  g_free (block->folder);
  g_free (block->edited_from);
  g_free (block->previous);
  g_free (block);
}

static InterpDiff *
compare_with_file (const InterpLiteralWrite *write, const char *folder)
{
  g_autofree char *path = g_canonicalize_filename (write->path, folder);
  g_autofree char *name = interp_paths_display (path);
  /* Translators: a comparison's heading; %s is a file */
  g_autofree char *title = g_strdup_printf (_ ("%s, read from the code"),
                                            folder != NULL && g_str_has_prefix (path, folder) ? write->path : name);
  g_autofree char *on_disk = NULL;
  g_autofree char *after = NULL;
  const char *fault = NULL;

  if (!interp_literal_writes_read_file (path, MAX_TEXT, &on_disk, &fault))
    return interp_diff_new_notice (title, fault);
  if (write->append)
    after = g_strconcat (on_disk != NULL ? on_disk : "", write->content, NULL);
  if (on_disk == NULL)
    return interp_diff_new (title, NULL, write->content);
  return interp_diff_new (title, on_disk, after != NULL ? after : write->content);
}

static DexFuture *
compare_block (gpointer user_data)
{
  Block *block = user_data;
  GPtrArray *diffs = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GPtrArray) writes = interp_literal_writes_find (block->language, block->code);

  if (block->edited_from != NULL && !g_str_equal (block->edited_from, block->code))
    g_ptr_array_add (diffs, interp_diff_new (_ ("Your changes"), block->edited_from, block->code));
  if (block->previous != NULL)
    g_ptr_array_add (diffs, interp_diff_new (_ ("Changes since the previous attempt"), block->previous, block->code));
  for (guint i = 0; i < writes->len; i++)
    g_ptr_array_add (diffs, compare_with_file (g_ptr_array_index (writes, i), block->folder));
  if (diffs->len == 0)
    g_ptr_array_add (diffs, interp_diff_new (_ ("New code"), NULL, block->code));
  return dex_future_new_take_boxed (G_TYPE_PTR_ARRAY, diffs);
}

DexFuture *
interp_diff_for_block (const char *language, const char *code, const char *folder, const char *edited_from,
                       const char *previous)
{
  Block *block = g_new0 (Block, 1);

  g_return_val_if_fail (language != NULL && code != NULL, NULL);

  block->language = g_strdup (language);
  block->code = g_strdup (code);
  block->folder = g_strdup (folder);
  block->edited_from = g_strdup (edited_from);
  block->previous = g_strdup (previous);
  return interp_worker_run ("compare", compare_block, block, (GDestroyNotify) block_free);
}

static void
interp_diff_finalize (GObject *object)
{
  InterpDiff *self = INTERP_DIFF (object);

  g_free (self->title);
  g_ptr_array_unref (self->lines);

  G_OBJECT_CLASS (interp_diff_parent_class)->finalize (object);
}

static void
interp_diff_class_init (InterpDiffClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = interp_diff_finalize;
}

static void
interp_diff_init (InterpDiff *self)
{
  self->lines = g_ptr_array_new_with_free_func (line_free);
}
