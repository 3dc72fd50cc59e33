/* interp-sandbox-private.h: what the sandbox's parts share
 *
 * interp-sandbox.c             what is in it, and the command
 * interp-sandbox-environment.c its variables and the user's name for git
 * interp-sandbox-git.c         repositories in its folders
 * interp-sandbox-probe.c       whether it can be made here
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "launch/interp-sandbox.h"

G_BEGIN_DECLS

/* Bubblewrap's path; the system's own first: profiles that let it work are bound to that path. */
char *interp_sandbox_find_program (GError **error);

/* A git configuration with the user's name and address and nothing else of theirs; NULL where they have none. */
char *interp_sandbox_find_identity (void);

/* @git: a ".git" folder, or a bare repository; links are none. */
gboolean interp_sandbox_is_repository (const char *git);

/* The repository that @folder is a linked worktree of (gitrepository-layout(5)), a real path; NULL when it is none, or
 * only says so: the repository has to know of it too. */
char *interp_sandbox_find_repository_of_worktree (const char *folder);

G_END_DECLS
