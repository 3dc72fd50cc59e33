/* interp-session-safe.c: safe mode: what the chat's code can reach, and what it asked for in vain
 *
 * A chat in safe mode starts no kernel but in the sandbox that is described here. What makes it another sandbox ends
 * the kernels: their processes keep what they were started with.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <glib/gi18n.h>

#include "base/interp-fiber.h"
#include "base/interp-json.h"
#include "session/interp-blocked.h"
#include "session/interp-session-private.h"

/* Folders of one chat. */
#define MAX_FOLDERS 32

gboolean
interp_session_is_safe (InterpSession *self)
{
  g_return_val_if_fail (INTERP_IS_SESSION (self), FALSE);

  return interp_session_get_flag (self, "safe") != 0;
}

gboolean
interp_session_has_network (InterpSession *self)
{
  g_return_val_if_fail (INTERP_IS_SESSION (self), FALSE);

  return interp_session_get_flag (self, "network") != 0;
}

const char *
interp_session_get_safe_problem (InterpSession *self)
{
  g_return_val_if_fail (INTERP_IS_SESSION (self), NULL);

  return self->safe_problem;
}

static void
set_problem (InterpSession *self, const char *sentence)
{
  if (g_set_str (&self->safe_problem, sentence))
    interp_session_notify (self, "safe-problem");
}

GStrv
interp_session_dup_folders (InterpSession *self)
{
  g_autoptr (GStrvBuilder) folders = g_strv_builder_new ();
  JsonNode *array;
  guint n;

  g_return_val_if_fail (INTERP_IS_SESSION (self), NULL);

  array = interp_json_get (self->data, "folders");
  n = interp_json_is_array (array) ? MIN (json_array_get_length (json_node_get_array (array)), MAX_FOLDERS) : 0;
  for (guint i = 0; i < n; i++)
    {
      JsonNode *entry = json_array_get_element (json_node_get_array (array), i);
      const char *path = JSON_NODE_HOLDS_VALUE (entry) ? json_node_get_string (entry) : NULL;

      if (path != NULL && g_path_is_absolute (path))
        g_strv_builder_add (folders, path);
    }
  return g_strv_builder_end (folders);
}

/* With all of the chat's folders; those that are not there now are left out, but for the one it works in. */
InterpSandbox *
interp_session_make_sandbox (InterpSession *self, gboolean network, GError **error)
{
  g_autoptr (InterpSandbox) sandbox = interp_sandbox_new ();
  g_auto (GStrv) folders = interp_session_dup_folders (self);

  if (!interp_sandbox_add_folder (sandbox, self->row->folder, INTERP_ACCESS_WRITE, error))
    return NULL;
  for (guint i = 0; folders[i] != NULL; i++)
    {
      g_autoptr (GError) problem = NULL;

      if (!interp_sandbox_add_folder (sandbox, folders[i], INTERP_ACCESS_WRITE, &problem))
        g_info ("Left out of the sandbox: %s", problem->message);
    }
  interp_sandbox_set_network (sandbox, network || interp_session_has_network (self));
  return g_steal_pointer (&sandbox);
}

/* In a fiber. */
gboolean
interp_session_check_sandbox (InterpSession *self, gboolean network, GError **error)
{
  g_autoptr (InterpSandbox) sandbox = NULL;
  g_autoptr (GError) problem = NULL;
  guint version = self->safe_version;

  if (self->safe_checked && !network)
    return TRUE;
  sandbox = interp_session_make_sandbox (self, network, &problem);
  if (sandbox != NULL)
    interp_await (interp_sandbox_probe (sandbox), &problem);
  if (version == self->safe_version && !network)
    {
      self->safe_checked = problem == NULL;
      set_problem (self, problem != NULL ? problem->message : NULL);
    }
  if (problem == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&problem));
  return FALSE;
}

static DexFuture *
check_fiber (gpointer data)
{
  InterpSession *self = data;
  g_autoptr (GError) error = NULL;

  if (interp_session_is_safe (self) && !interp_session_check_sandbox (self, FALSE, &error))
    return dex_future_new_for_error (g_steal_pointer (&error));
  return dex_future_new_true ();
}

DexFuture *
interp_session_check_safe (InterpSession *self)
{
  g_return_val_if_fail (INTERP_IS_SESSION (self), NULL);

  return interp_fiber_spawn (check_fiber, g_object_ref (self), g_object_unref);
}

/* It is another sandbox from now on, or none. */
void
interp_session_sandbox_changed (InterpSession *self)
{
  self->safe_version++;
  self->safe_checked = FALSE;
  set_problem (self, NULL);
  if (interp_session_is_safe (self))
    dex_future_disown (interp_session_check_safe (self));
}

void
interp_session_adopt_sandbox (InterpSession *self)
{
  static const char *const properties[] = { "safe", "network", "folders" };

  if (self->mode == INTERP_MODE_SANDBOX && !interp_session_is_safe (self))
    {
      self->mode = INTERP_MODE_ASK;
      interp_session_notify (self, "mode");
    }
  interp_session_sandbox_changed (self);
  for (guint i = 0; i < G_N_ELEMENTS (properties); i++)
    interp_session_notify (self, properties[i]);
}

void
interp_session_set_safe (InterpSession *self, gboolean safe)
{
  g_return_if_fail (INTERP_IS_SESSION (self));

  safe = !!safe;
  if (interp_session_is_safe (self) == safe)
    return;
  interp_session_close_kernels (self);
  interp_session_set_flag (self, "safe", safe);
  /* What ran unasked inside must not do so outside. */
  if (!safe && self->mode == INTERP_MODE_SANDBOX)
    interp_session_set_mode (self, INTERP_MODE_ASK);
  else if (safe && self->mode == INTERP_MODE_AUTO)
    interp_session_set_mode (self, INTERP_MODE_SANDBOX);
  interp_session_sandbox_changed (self);
  interp_session_notify (self, "safe");
}

void
interp_session_set_network (InterpSession *self, gboolean network)
{
  g_return_if_fail (INTERP_IS_SESSION (self));

  network = !!network;
  if (interp_session_has_network (self) == network)
    return;
  interp_session_set_flag (self, "network", network);
  if (interp_session_is_safe (self))
    interp_session_close_kernels (self);
  interp_session_sandbox_changed (self);
  interp_session_notify (self, "network");
}

static void
keep_folders (InterpSession *self, GPtrArray *paths)
{
  JsonNode *array = interp_json_array (INTERP_JSON_END);

  for (guint i = 0; i < paths->len; i++)
    interp_json_append (array, json_node_init_string (json_node_alloc (), g_ptr_array_index (paths, i)));
  interp_json_set (self->data, "folders", array);
  interp_session_save_chat (self);
  if (interp_session_is_safe (self))
    interp_session_close_kernels (self);
  interp_session_sandbox_changed (self);
  interp_session_notify (self, "folders");
}

gboolean
interp_session_can_add_folder (InterpSession *self, const char *folder, GError **error)
{
  g_autoptr (InterpSandbox) sandbox = interp_sandbox_new ();
  g_auto (GStrv) folders = NULL;

  g_return_val_if_fail (INTERP_IS_SESSION (self), FALSE);
  g_return_val_if_fail (folder != NULL, FALSE);

  if (!interp_sandbox_add_folder (sandbox, folder, INTERP_ACCESS_NONE, error))
    return FALSE;
  folders = interp_session_dup_folders (self);
  if (g_strv_length (folders) < MAX_FOLDERS && g_utf8_validate (folder, -1, NULL))
    return TRUE;
  g_set_error_literal (error, INTERP_SANDBOX_ERROR, INTERP_SANDBOX_ERROR_FOLDER,
                       _ ("This folder cannot be added to the chat."));
  return FALSE;
}

gboolean
interp_session_add_folder (InterpSession *self, const char *folder, GError **error)
{
  g_autoptr (GPtrArray) paths = g_ptr_array_new ();
  g_auto (GStrv) folders = NULL;
  g_autofree char *path = NULL;

  g_return_val_if_fail (INTERP_IS_SESSION (self), FALSE);
  g_return_val_if_fail (folder != NULL, FALSE);

  path = g_canonicalize_filename (folder, NULL);
  folders = interp_session_dup_folders (self);
  if (g_strv_contains ((const char *const *) folders, path))
    return TRUE;
  if (!interp_session_can_add_folder (self, path, error))
    return FALSE;
  if (g_str_equal (path, self->row->folder))
    return TRUE;
  for (guint i = 0; folders[i] != NULL; i++)
    g_ptr_array_add (paths, folders[i]);
  g_ptr_array_add (paths, path);
  keep_folders (self, paths);
  return TRUE;
}

void
interp_session_remove_folder (InterpSession *self, const char *folder)
{
  g_autoptr (GPtrArray) paths = g_ptr_array_new ();
  g_auto (GStrv) folders = NULL;

  g_return_if_fail (INTERP_IS_SESSION (self));
  g_return_if_fail (folder != NULL);

  folders = interp_session_dup_folders (self);
  for (guint i = 0; folders[i] != NULL; i++)
    if (!g_str_equal (folders[i], folder))
      g_ptr_array_add (paths, folders[i]);
  if (paths->len < g_strv_length (folders))
    keep_folders (self, paths);
}

GPtrArray *
interp_session_find_named_folders (InterpSession *self, const char *text)
{
  g_autoptr (InterpSandbox) sandbox = NULL;

  g_return_val_if_fail (INTERP_IS_SESSION (self), NULL);
  g_return_val_if_fail (text != NULL, NULL);

  sandbox = interp_session_is_safe (self) ? interp_session_make_sandbox (self, FALSE, NULL) : NULL;
  return sandbox != NULL ? interp_blocked_find_folders (sandbox, text) : g_ptr_array_new_with_free_func (g_free);
}

/* What the model is told of it; NULL outside safe mode. */
char *
interp_session_describe_sandbox (InterpSession *self)
{
  g_autoptr (GString) text = NULL;
  g_auto (GStrv) folders = NULL;

  if (!interp_session_is_safe (self))
    return NULL;
  folders = interp_session_dup_folders (self);
  text = g_string_new ("Code runs in a sandbox. Of the user's files it sees only the working folder");
  for (guint i = 0; folders[i] != NULL; i++)
    g_string_append_printf (text, ", %s", folders[i]);
  g_string_append (text, "; the home folder and /tmp look empty and what is written there is lost. ");
  g_string_append (text, interp_session_has_network (self) ? "It has the network. " : "It has no network. ");
  g_string_append (text, "When something is kept from it, do not work around that: say what is needed, the user can "
                         "allow it.");
  return g_string_free_and_steal (g_steal_pointer (&text));
}

/* ---- kernels ---- */

/* What cannot be made starts nothing at all. */
static gboolean
refusing_layer (InterpLaunch *launch, const char *const *argv, const char *const *env, const char *folder,
                gpointer user_data, GError **error)
{
  g_propagate_error (error, g_error_copy (user_data));
  return FALSE;
}

InterpSandbox *
interp_session_confine (InterpSession *self, InterpKernel *kernel, InterpRunPlace place)
{
  g_autoptr (InterpSandbox) sandbox = NULL;
  GError *error = NULL;

  if (place == INTERP_RUN_PLACE_OUTSIDE || !interp_session_is_safe (self))
    return NULL;
  sandbox = interp_session_make_sandbox (self, place == INTERP_RUN_PLACE_NETWORK, &error);
  if (sandbox == NULL)
    {
      interp_kernel_add_layer (kernel, refusing_layer, error, (GDestroyNotify) g_error_free);
      return NULL;
    }
  interp_kernel_add_layer (kernel, interp_sandbox_layer, g_object_ref (sandbox), g_object_unref);
  interp_kernel_set_memory_max (kernel, interp_sandbox_get_memory () / 4 * 3);
  return g_steal_pointer (&sandbox);
}
