/* interp-session-export.c: a chat as a document
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "base/interp-fiber.h"
#include "session/interp-export.h"
#include "session/interp-session-private.h"

typedef char *(*Exporter) (const char *title, GPtrArray *items);

typedef struct
{
  InterpSession *session;
  Exporter exporter;
  char *title;
  GPtrArray *rows;
} Export;

static void
export_free (gpointer data)
{
  Export *export = data;

  g_clear_object (&export->session);
  g_free (export->title);
  g_clear_pointer (&export->rows, g_ptr_array_unref);
  g_free (export);
}

static Export *
export_new (Exporter exporter, const char *title)
{
  Export *export = g_new0 (Export, 1);

  export->exporter = exporter;
  export->title = g_strdup (title);

  return export;
}

static DexFuture *
write_document (gpointer data)
{
  Export *export = data;
  g_autoptr (GPtrArray) items = interp_session_items_from_rows (export->rows);

  return dex_future_new_take_string (export->exporter (export->title, items));
}

/* What could not be kept is there all the same. */
static GPtrArray *
rows_of_branch (InterpSession *self)
{
  GPtrArray *rows = g_ptr_array_new_with_free_func ((GDestroyNotify) interp_item_row_free);

  for (guint i = 0; i < self->branch->len; i++)
    g_ptr_array_add (rows, interp_item_to_row (g_ptr_array_index (self->branch, i), self->row->id));

  return rows;
}

static DexFuture *
export_fiber (gpointer data)
{
  Export *request = data;
  InterpSession *self = request->session;
  Export *work = export_new (request->exporter, request->title);
  g_autoptr (GError) error = NULL;

  if (self->row->id != 0 && self->row->head != 0)
    work->rows = dex_await_boxed (interp_store_load_branch (self->store, self->row->id, self->row->head, 0), &error);
  else
    work->rows = rows_of_branch (self);
  if (work->rows == NULL)
    {
      export_free (work);
      return dex_future_new_for_error (g_steal_pointer (&error));
    }

  return interp_worker_run ("Exporting a chat", write_document, work, export_free);
}

static DexFuture *
export_as (InterpSession *self, Exporter exporter)
{
  Export *request = export_new (exporter, interp_session_get_title (self));

  request->session = g_object_ref (self);
  /* Read on this thread first: the worker only looks them up. */
  interp_kernel_specs_get ();

  return interp_fiber_spawn (export_fiber, request, export_free);
}

DexFuture *
interp_session_export_markdown (InterpSession *self)
{
  g_return_val_if_fail (INTERP_IS_SESSION (self), NULL);

  return export_as (self, interp_export_markdown);
}

DexFuture *
interp_session_export_notebook (InterpSession *self)
{
  g_return_val_if_fail (INTERP_IS_SESSION (self), NULL);

  return export_as (self, interp_export_notebook);
}
