/* interp-sandbox.h: what code in safe mode can reach
 *
 * A description (folders, network, what is masked) and the bubblewrap command that makes it true. The code sees the
 * system's programs, read-only; its folders; an empty home, /tmp and /run of its own. It has its own processes, and no
 * network unless given. Sockets of the session (buses, displays, agents, containers) are not there to be found, and
 * nothing of ours is. Nothing here falls back to something weaker: what cannot be made is an error.
 *
 * bwrap(1); a read-only bind does not keep anybody from connecting to a socket, so what may hold sockets is left out.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <libdex.h>

#include "launch/interp-launch.h"

G_BEGIN_DECLS

#define INTERP_SANDBOX_ERROR (interp_sandbox_error_quark ())
typedef enum
{
  INTERP_SANDBOX_ERROR_FOLDER,  /* this folder is never given; the message says why */
  INTERP_SANDBOX_ERROR_MISSING, /* bubblewrap is not installed; the message says what to install */
  INTERP_SANDBOX_ERROR_BLOCKED, /* the system does not let it; the message says what does, and how to change it */
} InterpSandboxError;
GQuark interp_sandbox_error_quark (void);

typedef enum
{
  INTERP_ACCESS_NONE,
  INTERP_ACCESS_READ,
  INTERP_ACCESS_WRITE,
} InterpAccess;

#define INTERP_TYPE_SANDBOX (interp_sandbox_get_type ())
G_DECLARE_FINAL_TYPE (InterpSandbox, interp_sandbox, INTERP, SANDBOX, GObject)

/* With no folders and no network. */
InterpSandbox *interp_sandbox_new (void);

/* The same paths inside; a folder inside another one's has its own access. Symbolic links are followed now. The home
 * folder, those that hold it or our own data, and the system's are refused. A writable folder's git hooks and
 * configuration, which would be run outside, stay read-only. */
gboolean interp_sandbox_add_folder (InterpSandbox *self, const char *path, InterpAccess access, GError **error);
/* Writable inside, but what is written goes to @upper; @work: an empty folder on the same file system as @upper. Both
 * lie outside @path. (Overlayfs, Documentation/filesystems/overlayfs.rst.) */
gboolean interp_sandbox_add_overlay (InterpSandbox *self, const char *path, const char *upper, const char *work,
                                     GError **error);
/* A file or folder that the program itself needs, read-only. */
void interp_sandbox_add_readable (InterpSandbox *self, const char *path);
/* Inside a folder that is given, but not there or empty. */
void interp_sandbox_hide (InterpSandbox *self, const char *path);
/* All of it or none. */
void interp_sandbox_set_network (InterpSandbox *self, gboolean network);
gboolean interp_sandbox_get_network (InterpSandbox *self);

/* What code inside may do with @path, as it stands now: a file of the folders or of the system. */
InterpAccess interp_sandbox_get_access (InterpSandbox *self, const char *path);

/* The command that runs @argv inside, in @folder (nullable). Fails when bubblewrap is missing, or when the network
 * cannot be given without the sockets that come with it. @spool (nullable): a folder of ours that is shared. */
GStrv interp_sandbox_dup_command (InterpSandbox *self, const char *const *argv, const char *folder, const char *spool,
                                  GError **error);
/* @env without what leads out (addresses of buses, displays, agents) and what looks like a secret. */
GStrv interp_sandbox_clean_environment (const char *const *env);

/* Bytes of memory that this computer has. */
guint64 interp_sandbox_get_memory (void);

/* InterpLaunchLayer; @user_data is the sandbox. */
gboolean interp_sandbox_layer (InterpLaunch *launch, const char *const *argv, const char *const *env,
                               const char *folder, gpointer user_data, GError **error);

/* Runs "true" in exactly this sandbox. Resolves to TRUE, or rejects with INTERP_SANDBOX_ERROR. */
DexFuture *interp_sandbox_probe (InterpSandbox *self);

G_END_DECLS
