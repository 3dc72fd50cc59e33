/* interp-message.c: what is said to a model and what it says
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm/interp-message.h"

#include <math.h>

G_DEFINE_BOXED_TYPE (InterpCall, interp_call, interp_call_ref, interp_call_unref)
G_DEFINE_BOXED_TYPE (InterpMessage, interp_message, interp_message_ref, interp_message_unref)
G_DEFINE_BOXED_TYPE (InterpRequest, interp_request, interp_request_ref, interp_request_unref)
G_DEFINE_BOXED_TYPE (InterpEvent, interp_event, interp_event_ref, interp_event_unref)

G_DEFINE_QUARK (interp - llm - error - quark, interp_llm_error)

/* ---- calls ---- */

InterpCall *
interp_call_new (InterpCallOrigin origin, const char *id, const char *name, const char *arguments)
{
  InterpCall *self = g_new0 (InterpCall, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->origin = origin;
  self->id = id != NULL && *id != '\0' ? g_strdup (id) : interp_call_make_id ();
  self->name = g_strdup (name);
  self->arguments = g_strdup (arguments);

  return self;
}

char *
interp_call_make_id (void)
{
  g_autofree char *uuid = g_uuid_string_random ();
  g_autoptr (GString) id = g_string_new ("call_");

  for (const char *p = uuid; *p != '\0'; p++)
    if (*p != '-')
      g_string_append_c (id, *p);

  return g_string_free_and_steal (g_steal_pointer (&id));
}

InterpCall *
interp_call_ref (InterpCall *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
interp_call_unref (InterpCall *self)
{
  g_return_if_fail (self != NULL);

  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_free (self->id);
  g_free (self->name);
  g_free (self->arguments);
  g_free (self->language);
  g_free (self->code);
  g_free (self->fault);
  g_free (self);
}

/* ---- messages ---- */

static void
picture_free (gpointer data)
{
  InterpPicture *picture = data;

  g_free (picture->mime);
  g_bytes_unref (picture->bytes);
  g_free (picture);
}

InterpMessage *
interp_message_new (InterpRole role, const char *text)
{
  InterpMessage *self = g_new0 (InterpMessage, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->role = role;
  self->text = g_strdup (text);

  return self;
}

InterpMessage *
interp_message_ref (InterpMessage *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
interp_message_unref (InterpMessage *self)
{
  g_return_if_fail (self != NULL);

  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_free (self->text);
  g_free (self->reasoning);
  g_clear_pointer (&self->calls, g_ptr_array_unref);
  g_free (self->call_id);
  g_free (self->call_name);
  g_clear_pointer (&self->pictures, g_ptr_array_unref);
  g_free (self->opaque_provider);
  g_clear_pointer (&self->opaque, g_bytes_unref);
  g_free (self);
}

void
interp_message_add_call (InterpMessage *self, InterpCall *call)
{
  g_return_if_fail (self != NULL);
  g_return_if_fail (call != NULL);

  if (self->calls == NULL)
    self->calls = g_ptr_array_new_with_free_func ((GDestroyNotify) interp_call_unref);

  g_ptr_array_add (self->calls, interp_call_ref (call));
}

void
interp_message_add_picture (InterpMessage *self, const char *mime, GBytes *bytes)
{
  InterpPicture *picture;

  g_return_if_fail (self != NULL);
  g_return_if_fail (mime != NULL);
  g_return_if_fail (bytes != NULL);

  if (self->pictures == NULL)
    self->pictures = g_ptr_array_new_with_free_func (picture_free);

  picture = g_new0 (InterpPicture, 1);
  picture->mime = g_strdup (mime);
  picture->bytes = g_bytes_ref (bytes);
  g_ptr_array_add (self->pictures, picture);
}

/* ---- tools ---- */

InterpTool *
interp_tool_new (const char *name, const char *description, JsonNode *schema)
{
  InterpTool *self;

  g_return_val_if_fail (name != NULL, NULL);

  self = g_new0 (InterpTool, 1);
  self->name = g_strdup (name);
  self->description = g_strdup (description);
  self->schema = schema;

  return self;
}

void
interp_tool_free (InterpTool *self)
{
  g_free (self->name);
  g_free (self->description);
  g_clear_pointer (&self->schema, json_node_unref);
  g_free (self);
}

/* ---- requests ---- */

InterpRequest *
interp_request_new (const char *model)
{
  InterpRequest *self = g_new0 (InterpRequest, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->model = g_strdup (model);
  self->messages = g_ptr_array_new_with_free_func ((GDestroyNotify) interp_message_unref);
  self->tools = g_ptr_array_new_with_free_func ((GDestroyNotify) interp_tool_free);
  self->languages = g_ptr_array_new_with_free_func (g_free);
  self->temperature = NAN;

  return self;
}

InterpRequest *
interp_request_ref (InterpRequest *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
interp_request_unref (InterpRequest *self)
{
  g_return_if_fail (self != NULL);

  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_free (self->model);
  g_free (self->system);
  g_ptr_array_unref (self->messages);
  g_ptr_array_unref (self->tools);
  g_ptr_array_unref (self->languages);
  g_free (self);
}

/* ---- events ---- */

InterpEvent *
interp_event_new (InterpEventKind kind)
{
  InterpEvent *self = g_new0 (InterpEvent, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->kind = kind;
  self->usage = (InterpUsage) { -1, -1, -1, -1 };
  self->fraction = -1;

  return self;
}

InterpEvent *
interp_event_new_text (InterpEventKind kind, const char *text)
{
  InterpEvent *self = interp_event_new (kind);

  self->text = g_strdup (text);

  return self;
}

InterpEvent *
interp_event_ref (InterpEvent *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
interp_event_unref (InterpEvent *self)
{
  g_return_if_fail (self != NULL);

  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_free (self->text);
  g_clear_pointer (&self->call, interp_call_unref);
  g_clear_pointer (&self->opaque, g_bytes_unref);
  g_free (self);
}
