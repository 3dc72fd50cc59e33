/* interp-shell-tree.h: a shell script as its simple commands, or not at all
 *
 * The tree is that of "shfmt --to-json". Plain commands with literal words, joined by newlines, ";", "&&", "||" and
 * "|", are understood; redirections only when they write nothing. Whatever else stands in the script — an expansion, an
 * assignment, a function, a node of an unknown type — makes the whole script one that is not understood.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <libdex.h>

G_BEGIN_DECLS

/* Longer ones are not understood. */
#define INTERP_SHELL_TREE_MAX_SCRIPT (16 * 1024)

typedef struct
{
  char *text;  /* quotes and backslashes taken off */
  gssize glob; /* the first byte of @text that the shell takes as a file name pattern, -1 when there is none */
} InterpShellWord;

InterpShellWord *interp_shell_word_new (const char *text, gssize glob);
void interp_shell_word_free (InterpShellWord *self);

typedef struct
{
  char *text;       /* as it stands in the script */
  GPtrArray *words; /* InterpShellWord: the program first; at least one */
  GPtrArray *reads; /* InterpShellWord: files behind "<" */
} InterpSimpleCommand;

#define INTERP_TYPE_SHELL_TREE (interp_shell_tree_get_type ())
G_DECLARE_FINAL_TYPE (InterpShellTree, interp_shell_tree, INTERP, SHELL_TREE, GObject)

/* Resolves to an InterpShellTree and never rejects. @length in bytes; the script need not be valid text. Runs shfmt,
 * and ends it when it takes longer than a few seconds or says more than a few megabytes. For the main thread. */
DexFuture *interp_shell_tree_parse (const char *script, gsize length);

/* InterpSimpleCommand, in their order; those before the problem when there is one. */
GPtrArray *interp_shell_tree_get_commands (InterpShellTree *self);
/* Why the script is not understood: a translated sentence. NULL when it is, all of it. */
const char *interp_shell_tree_get_problem (InterpShellTree *self);

G_END_DECLS
