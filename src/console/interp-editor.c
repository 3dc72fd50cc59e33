/* interp-editor.c: a block changed in the user's own editor
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "interp-editor.h"

#include <errno.h>
#include <gio/gio.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <string.h>

#include "base/interp-fiber.h"
#include "base/interp-paths.h"

#define MAX_LENGTH (4 * 1024 * 1024)

typedef struct
{
  char *text;
  char *extension;
} Request;

static void
request_free (gpointer data)
{
  Request *request = data;

  g_free (request->text);
  g_free (request->extension);
  g_free (request);
}

/* A shell command: the variables may hold arguments. */
static char *
find_editor (void)
{
  static const char *const variables[] = { "VISUAL", "EDITOR" };
  static const char *const programs[] = { "sensible-editor", "editor", "nano", "vim", "vi" };

  for (guint i = 0; i < G_N_ELEMENTS (variables); i++)
    {
      const char *value = g_getenv (variables[i]);

      if (value != NULL && *value != '\0')
        return g_strdup (value);
    }
  for (guint i = 0; i < G_N_ELEMENTS (programs); i++)
    {
      g_autofree char *path = g_find_program_in_path (programs[i]);

      if (path != NULL)
        return g_steal_pointer (&path);
    }
  return NULL;
}

static void
on_waited (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (DexPromise) promise = data;
  g_autoptr (GError) error = NULL;

  if (g_subprocess_wait_check_finish (G_SUBPROCESS (source), result, &error))
    dex_promise_resolve_boolean (promise, TRUE);
  else
    dex_promise_reject (promise, g_steal_pointer (&error));
}

static gboolean
run_editor (const char *editor, const char *path, GError **error)
{
  g_autofree char *command = g_strconcat (editor, " \"$@\"", NULL);
  g_autoptr (GSubprocess) process
      = g_subprocess_new (G_SUBPROCESS_FLAGS_STDIN_INHERIT, error, "/bin/sh", "-c", command, editor, path, NULL);
  DexPromise *promise;

  if (process == NULL)
    return FALSE;
  promise = dex_promise_new ();
  g_subprocess_wait_check_async (process, NULL, on_waited, dex_ref (promise));
  return interp_await (DEX_FUTURE (promise), error);
}

/* Editors leave copies beside the file. */
static void
remove_folder (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_unlink (path);
    }
  g_rmdir (folder);
}

static char *
edit_in (const char *folder, Request *request, GError **error)
{
  g_autofree char *name = g_strconcat ("block", request->extension, NULL);
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *editor = find_editor ();
  g_autofree char *text = NULL;
  gsize length;

  if (editor == NULL)
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
                           _ ("There is no editor. Set the variable EDITOR to the one you want."));
      return NULL;
    }
  if (!interp_paths_write_atomically (path, request->text, -1, error) || !run_editor (editor, path, error)
      || !g_file_get_contents (path, &text, &length, error))
    return NULL;
  if (length > MAX_LENGTH || strlen (text) != length || !g_utf8_validate (text, length, NULL))
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, _ ("What was saved is not valid text."));
      return NULL;
    }
  /* Many editors end a file with a line end that was not there. */
  if (length > 0 && text[length - 1] == '\n' && !g_str_has_suffix (request->text, "\n"))
    text[length - 1] = '\0';
  return g_steal_pointer (&text);
}

static DexFuture *
edit_flow (gpointer data)
{
  Request *request = data;
  g_autofree char *folder = g_build_filename (interp_paths_runtime (), "edit-XXXXXX", NULL);
  g_autoptr (GError) error = NULL;
  char *text;

  if (g_mkdtemp_full (folder, 0700) == NULL)
    return dex_future_new_reject (G_IO_ERROR, G_IO_ERROR_FAILED, _ ("No file for the editor can be made: %s."),
                                  g_strerror (errno));
  text = edit_in (folder, request, &error);
  remove_folder (folder);
  return text != NULL ? dex_future_new_take_string (text) : dex_future_new_for_error (g_steal_pointer (&error));
}

DexFuture *
interp_editor_edit (const char *text, const char *extension)
{
  Request *request = g_new0 (Request, 1);

  request->text = g_strdup (text);
  request->extension = g_strdup (extension != NULL ? extension : "");
  return interp_fiber_spawn (edit_flow, request, request_free);
}
