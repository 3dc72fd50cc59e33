/* interp-event-printer.c: what happens in a conversation, one JSON object a line
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "interp-event-printer.h"

#include <stdio.h>
#include <string.h>

#include "base/interp-json.h"

typedef struct
{
  InterpItem *item;
  gsize n_printed; /* bytes of its text */
  gboolean code_printed;
  gboolean ended;
} Entry;

struct _InterpEventPrinter
{
  InterpSession *session;
  GListModel *items;
  GHashTable *entries; /* InterpItem → Entry */
};

static void
print_event (JsonNode *event /* taken */)
{
  g_autoptr (JsonNode) owned = event;
  g_autofree char *line = interp_json_to_string (owned);

  puts (line);
  fflush (stdout);
}

static void
print_text (Entry *entry, const char *name)
{
  const char *text = interp_item_get_text (entry->item);
  gsize length = text != NULL ? strlen (text) : 0;

  if (length <= entry->n_printed)
    return;
  print_event (interp_json_object ("event", INTERP_JSON_STRING (name), "item",
                                   INTERP_JSON_INT (interp_item_get_id (entry->item)), "text",
                                   INTERP_JSON_STRING (text + entry->n_printed), NULL));
  entry->n_printed = length;
}

static JsonNode *
describe_displays (InterpCell *cell)
{
  JsonNode *array = interp_json_array (INTERP_JSON_END);
  GListModel *displays = interp_cell_get_displays (cell);

  for (guint i = 0; displays != NULL && i < g_list_model_get_n_items (displays); i++)
    {
      g_autoptr (InterpDisplay) display = g_list_model_get_item (displays, i);

      interp_json_append (array,
                          interp_json_object ("mime", INTERP_JSON_STRING (interp_display_get_mime (display)), "path",
                                              INTERP_JSON_STRING (interp_display_get_path (display)), "source",
                                              INTERP_JSON_STRING (interp_display_get_source (display)), "text",
                                              INTERP_JSON_STRING (interp_display_get_text (display)), NULL));
    }
  return array;
}

static const char *
name_state (InterpCellState state)
{
  g_autoptr (GEnumClass) states = g_type_class_ref (INTERP_TYPE_CELL_STATE);
  GEnumValue *value = g_enum_get_value (states, state);

  return value != NULL ? value->value_nick : NULL;
}

static gboolean
is_over (InterpCellState state)
{
  return state != INTERP_CELL_WRITING && state != INTERP_CELL_WAITING && state != INTERP_CELL_STARTING
         && state != INTERP_CELL_RUNNING;
}

static void
print_cell (Entry *entry)
{
  InterpCell *cell = INTERP_CELL (entry->item);
  InterpCellState state = interp_cell_get_cell_state (cell);
  InterpKernelSpec *spec = interp_cell_get_spec (cell);
  gint64 id = interp_item_get_id (entry->item);

  if (!entry->code_printed && state != INTERP_CELL_WRITING)
    {
      print_event (interp_json_object ("event", INTERP_JSON_STRING ("code"), "item", INTERP_JSON_INT (id), "language",
                                       INTERP_JSON_STRING (spec != NULL ? interp_kernel_spec_get_id (spec)
                                                                        : interp_cell_get_language (cell)),
                                       "code", INTERP_JSON_STRING (interp_cell_get_code (cell)), "folder",
                                       INTERP_JSON_STRING (interp_cell_get_folder (cell)), NULL));
      entry->code_printed = TRUE;
    }
  if (!entry->ended && is_over (state))
    {
      g_autofree char *output = interp_cell_dup_output (cell, NULL);

      print_event (interp_json_object ("event", INTERP_JSON_STRING ("result"), "item", INTERP_JSON_INT (id), "state",
                                       INTERP_JSON_STRING (name_state (state)), "approved_by",
                                       INTERP_JSON_STRING (interp_cell_get_approved_by (cell)), "output",
                                       INTERP_JSON_STRING (output), "lines_left_out",
                                       INTERP_JSON_INT (interp_cell_get_n_dropped (cell)), "exit_code",
                                       INTERP_JSON_INT (interp_cell_get_exit_code (cell)), "error",
                                       INTERP_JSON_STRING (interp_cell_get_error_name (cell)), "message",
                                       INTERP_JSON_STRING (interp_cell_get_error_message (cell)), "note",
                                       INTERP_JSON_STRING (interp_cell_get_note (cell)), "log",
                                       INTERP_JSON_STRING (interp_cell_get_log_path (cell)), "network_blocked",
                                       INTERP_JSON_BOOL (interp_cell_is_network_blocked (cell)), "blocked_folder",
                                       INTERP_JSON_STRING (interp_cell_get_blocked_folder (cell)), "duration_ms",
                                       INTERP_JSON_INT (interp_item_get_duration (entry->item)), "displays",
                                       INTERP_JSON_NODE (describe_displays (cell)), NULL));
      entry->ended = TRUE;
    }
}

static void
print_entry (Entry *entry)
{
  switch (interp_item_get_kind (entry->item))
    {
    case INTERP_ITEM_ASSISTANT:
      print_text (entry, "text");
      break;
    case INTERP_ITEM_REASONING:
      print_text (entry, "reasoning");
      break;
    case INTERP_ITEM_CELL:
      print_cell (entry);
      break;
    case INTERP_ITEM_NOTICE:
      print_text (entry, "notice");
      break;
    case INTERP_ITEM_ERROR:
      print_text (entry, "error");
      break;
    case INTERP_ITEM_USER:
    default:
      break;
    }
}

static void
on_item_changed (InterpItem *item, GParamSpec *property, InterpEventPrinter *self)
{
  print_entry (g_hash_table_lookup (self->entries, item));
}

static void
on_item_appended (InterpItem *item, const char *text, InterpEventPrinter *self)
{
  print_entry (g_hash_table_lookup (self->entries, item));
}

static void
add_item (InterpEventPrinter *self, InterpItem *item)
{
  Entry *entry;

  if (g_hash_table_contains (self->entries, item))
    return;
  entry = g_new0 (Entry, 1);
  entry->item = g_object_ref (item);
  g_hash_table_insert (self->entries, item, entry);
  g_signal_connect (item, "notify", G_CALLBACK (on_item_changed), self);
  g_signal_connect (item, "appended", G_CALLBACK (on_item_appended), self);
  print_entry (entry);
}

static void
on_items_changed (GListModel *items, guint position, guint removed, guint added, InterpEventPrinter *self)
{
  for (guint i = position; i < position + added; i++)
    {
      g_autoptr (InterpItem) item = g_list_model_get_item (items, i);

      add_item (self, item);
    }
}

static void
free_entry (gpointer data)
{
  Entry *entry = data;

  g_object_unref (entry->item);
  g_free (entry);
}

InterpEventPrinter *
interp_event_printer_new (InterpSession *session)
{
  InterpEventPrinter *self = g_new0 (InterpEventPrinter, 1);
  InterpModel *model = interp_session_get_model (session);
  g_autofree char *name = model != NULL ? interp_model_dup_name (model) : NULL;

  self->session = g_object_ref (session);
  self->items = g_object_ref (interp_session_get_items (session));
  self->entries = g_hash_table_new_full (NULL, NULL, NULL, free_entry);
  print_event (interp_json_object ("event", INTERP_JSON_STRING ("start"), "version",
                                   INTERP_JSON_STRING (PACKAGE_VERSION), "model", INTERP_JSON_STRING (name), "folder",
                                   INTERP_JSON_STRING (interp_session_get_folder (session)), NULL));
  g_signal_connect (self->items, "items-changed", G_CALLBACK (on_items_changed), self);
  on_items_changed (self->items, 0, 0, g_list_model_get_n_items (self->items), self);
  return self;
}

void
interp_event_printer_free (InterpEventPrinter *self)
{
  GHashTableIter iter;
  gpointer item;

  if (self == NULL)
    return;
  g_hash_table_iter_init (&iter, self->entries);
  while (g_hash_table_iter_next (&iter, &item, NULL))
    g_signal_handlers_disconnect_by_data (item, self);
  g_signal_handlers_disconnect_by_data (self->items, self);
  g_hash_table_unref (self->entries);
  g_object_unref (self->items);
  g_object_unref (self->session);
  g_free (self);
}

void
interp_event_printer_end (InterpEventPrinter *self, int status, const char *answer)
{
  print_event (interp_json_object ("event", INTERP_JSON_STRING ("end"), "status", INTERP_JSON_INT (status), "answer",
                                   INTERP_JSON_STRING (answer), "conversation",
                                   INTERP_JSON_INT (interp_session_get_id (self->session)), NULL));
}
