/* interp-launch.h: a command on its way to becoming a process
 *
 * A stack of layers, as in Builder's run context. Arguments, environment and folder are set on the innermost layer;
 * each layer, when the command is resolved, rewrites the command inside it into one for the layer around it: a sandbox
 * puts its own program and options before it, ssh quotes it into one word. What remains at the bottom runs on this
 * computer.
 *
 *   launch = interp_launch_new ();
 *   interp_launch_push (launch, sandbox_layer, sandbox, g_object_unref);
 *   interp_launch_append (launch, "/usr/bin/python3");
 *   process = interp_process_spawn (launch, &error);
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define INTERP_TYPE_LAUNCH (interp_launch_get_type ())
G_DECLARE_FINAL_TYPE (InterpLaunch, interp_launch, INTERP, LAUNCH, GObject)

/* Writes the command @argv, which wants to run in @folder (nullable: wherever) with exactly the environment @env
 * (nullable: that of the outer layer), onto @launch, whose innermost layer now is the one around it. Descriptors keep
 * their numbers through all layers. */
typedef gboolean (*InterpLaunchLayer) (InterpLaunch *launch, const char *const *argv, const char *const *env,
                                       const char *folder, gpointer user_data, GError **error);

InterpLaunch *interp_launch_new (void);

/* What is set from now on is inside @layer. @user_data is freed with @destroy. */
void interp_launch_push (InterpLaunch *self, InterpLaunchLayer layer, gpointer user_data, GDestroyNotify destroy);

void interp_launch_append (InterpLaunch *self, const char *argument);
void interp_launch_append_all (InterpLaunch *self, const char *const *arguments);
/* The whole environment; NULL is that of the outer layer, and of this process outermost. */
void interp_launch_set_environment (InterpLaunch *self, const char *const *env);
void interp_launch_set_variable (InterpLaunch *self, const char *name, const char *value);
void interp_launch_set_folder (InterpLaunch *self, const char *folder);

/* Hands @fd (taken) to the process as number @target. All others are closed there. */
void interp_launch_take_fd (InterpLaunch *self, int fd, int target);

/* Undoes all layers, innermost first, until one command for this computer is left. */
gboolean interp_launch_resolve (InterpLaunch *self, GError **error);

/* Of the innermost layer. Owned by @self, until it is changed. */
const char *const *interp_launch_get_argv (InterpLaunch *self);
const char *const *interp_launch_get_environment (InterpLaunch *self); /* nullable */
const char *interp_launch_get_folder (InterpLaunch *self);             /* nullable */

/* For who spawns it: how many descriptors there are; the nth and its number in the process. */
guint interp_launch_get_n_fds (InterpLaunch *self);
int interp_launch_get_fd (InterpLaunch *self, guint n, int *target);
/* They are the process's now: our ends are closed. */
void interp_launch_close_fds (InterpLaunch *self);

G_END_DECLS
