/* interp-diff.h: text differences, and the literal writes of a block
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <libdex.h>

G_BEGIN_DECLS

typedef enum
{
  INTERP_DIFF_CONTEXT,
  INTERP_DIFF_ADDED,
  INTERP_DIFF_REMOVED,
  INTERP_DIFF_HUNK,   /* "@@ … @@": shown as a divider */
  INTERP_DIFF_NOTICE, /* a sentence ("The file is too large to compare.") */
} InterpDiffKind;

typedef struct
{
  InterpDiffKind kind;
  int old_line; /* 1-based, 0 none */
  int new_line;
  char *text; /* without line end */
} InterpDiffLine;

#define INTERP_TYPE_DIFF (interp_diff_get_type ())
G_DECLARE_FINAL_TYPE (InterpDiff, interp_diff, INTERP, DIFF, GObject)

/* What it compares, for the heading: "Changes since the previous attempt", "sales.py, read from the code". */
const char *interp_diff_get_title (InterpDiff *self);
GPtrArray *interp_diff_get_lines (InterpDiff *self); /* InterpDiffLine */
guint interp_diff_get_n_added (InterpDiff *self);
guint interp_diff_get_n_removed (InterpDiff *self);

/* libgit2's xdiff; both texts capped at 1 MB. @old NULL: all lines added. Pure; may be called on a worker. */
InterpDiff *interp_diff_new (const char *title, const char *old_text, const char *new_text);
/* A diff that only says a sentence. */
InterpDiff *interp_diff_new_notice (const char *title, const char *notice);

/* The diffs to show for a block, most telling first; never empty. On a worker; resolves to boxed GPtrArray of
 * InterpDiff.
 * @edited_from: the model's text when the user changed it, @previous: the previous attempt at the same thing; nullable.
 * Literal writes (here-documents, plain redirects, sed -i is named only, open(…, "w").write("…"), Path.write_text,
 * fs.writeFileSync, writeLines/cat file=) are compared with the file on disk (read only, at most 1 MB, in or out of
 * @folder). */
DexFuture *interp_diff_for_block (const char *language, const char *code, const char *folder, const char *edited_from,
                                  const char *previous);

G_END_DECLS
