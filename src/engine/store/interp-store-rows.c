/* interp-store-rows.c: rows as boxed values
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "store/interp-store.h"

G_DEFINE_QUARK (interp - store - error, interp_store_error)
G_DEFINE_BOXED_TYPE (InterpChatRow, interp_chat_row, interp_chat_row_copy, interp_chat_row_free)
G_DEFINE_BOXED_TYPE (InterpItemRow, interp_item_row, interp_item_row_copy, interp_item_row_free)

InterpChatRow *
interp_chat_row_new (void)
{
  return g_new0 (InterpChatRow, 1);
}

InterpChatRow *
interp_chat_row_copy (const InterpChatRow *self)
{
  InterpChatRow *copy = g_memdup2 (self, sizeof *self);

  copy->title = g_strdup (self->title);
  copy->folder = g_strdup (self->folder);
  copy->model = g_strdup (self->model);
  copy->mode = g_strdup (self->mode);
  copy->draft = g_strdup (self->draft);
  copy->data = g_strdup (self->data);
  return copy;
}

void
interp_chat_row_free (InterpChatRow *self)
{
  if (self == NULL)
    return;
  g_free (self->title);
  g_free (self->folder);
  g_free (self->model);
  g_free (self->mode);
  g_free (self->draft);
  g_free (self->data);
  g_free (self);
}

InterpItemRow *
interp_item_row_new (void)
{
  return g_new0 (InterpItemRow, 1);
}

InterpItemRow *
interp_item_row_copy (const InterpItemRow *self)
{
  InterpItemRow *copy = g_memdup2 (self, sizeof *self);

  copy->kind = g_strdup (self->kind);
  copy->state = g_strdup (self->state);
  copy->text = g_strdup (self->text);
  copy->data = g_strdup (self->data);
  return copy;
}

void
interp_item_row_free (InterpItemRow *self)
{
  if (self == NULL)
    return;
  g_free (self->kind);
  g_free (self->state);
  g_free (self->text);
  g_free (self->data);
  g_free (self);
}

void
interp_search_hit_free (InterpSearchHit *self)
{
  if (self == NULL)
    return;
  g_free (self->title);
  g_free (self->excerpt);
  g_free (self);
}
