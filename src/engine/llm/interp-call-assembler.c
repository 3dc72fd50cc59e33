/* interp-call-assembler.c: tool calls from their pieces
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm/interp-call-assembler.h"

#include "base/interp-json.h"

#include <glib/gi18n.h>
#include <string.h>

#define MAX_CALLS 64

/* Long arguments are not read anew for every letter that comes: they must have grown by this part. */
#define PROGRESS_PART 128

typedef struct
{
  guint number; /* place in the answer, and index of its events */
  gint64 index; /* as the server counts, −1 */
  char *id;
  GString *name;
  GString *arguments;
  gboolean begun;
  gsize progress_length; /* of the arguments when they were last given out */
  gboolean overflowed;
} Slot;

struct _InterpCallAssembler
{
  InterpOffer *offer;
  InterpEventSink sink;
  gpointer sink_data;
  GPtrArray *slots;
  guint next_number;
  gboolean any_pending; /* pushed since the last flush */
};

static void
slot_free (gpointer data)
{
  Slot *slot = data;

  g_free (slot->id);
  g_string_free (slot->name, TRUE);
  g_string_free (slot->arguments, TRUE);
  g_free (slot);
}

InterpCallAssembler *
interp_call_assembler_new (InterpOffer *offer, InterpEventSink sink, gpointer sink_data)
{
  InterpCallAssembler *self;

  g_return_val_if_fail (offer != NULL, NULL);
  g_return_val_if_fail (sink != NULL, NULL);

  self = g_new0 (InterpCallAssembler, 1);
  self->offer = interp_offer_ref (offer);
  self->sink = sink;
  self->sink_data = sink_data;
  self->slots = g_ptr_array_new_with_free_func (slot_free);

  return self;
}

void
interp_call_assembler_free (InterpCallAssembler *self)
{
  interp_offer_unref (self->offer);
  g_ptr_array_unref (self->slots);
  g_free (self);
}

static gboolean
is_whole_object (const char *text)
{
  g_autoptr (JsonNode) node = NULL;

  while (g_ascii_isspace (*text))
    text++;

  if (*text != '{')
    return FALSE;

  node = interp_json_parse (text, -1, INTERP_JSON_PARSE_NONE, NULL);

  return node != NULL && interp_json_is_object (node);
}

static Slot *
add_slot (InterpCallAssembler *self, gint64 index, const char *id)
{
  Slot *slot;

  if (self->slots->len >= MAX_CALLS)
    return NULL;

  slot = g_new0 (Slot, 1);
  slot->number = self->next_number++;
  slot->index = index;
  slot->id = g_strdup (id);
  slot->name = g_string_new (NULL);
  slot->arguments = g_string_new (NULL);
  g_ptr_array_add (self->slots, slot);

  return slot;
}

static Slot *
find_by_id (InterpCallAssembler *self, const char *id)
{
  for (guint i = self->slots->len; id != NULL && i > 0; i--)
    {
      Slot *slot = g_ptr_array_index (self->slots, i - 1);

      if (g_strcmp0 (slot->id, id) == 0)
        return slot;
    }

  return NULL;
}

static Slot *
find_by_index (InterpCallAssembler *self, gint64 index)
{
  /* The newest: an index may be used again for another call. */
  for (guint i = self->slots->len; i > 0; i--)
    {
      Slot *slot = g_ptr_array_index (self->slots, i - 1);

      if (slot->index == index)
        return slot;
    }

  return NULL;
}

static Slot *
find_slot (InterpCallAssembler *self, gint64 index, const char *id, const char *name)
{
  Slot *slot;

  if (index >= 0)
    {
      slot = find_by_index (self, index);

      if (slot == NULL)
        return add_slot (self, index, id);

      if (id == NULL || slot->id == NULL || g_str_equal (slot->id, id))
        return slot;

      /* Another id under the same index is another call, unless it has no name and the open one is unfinished: then the
       * server makes up an id for every piece. */
      if (name == NULL && !is_whole_object (slot->arguments->str))
        return slot;

      return add_slot (self, index, id);
    }

  if (id != NULL)
    {
      slot = find_by_id (self, id);
      if (slot != NULL)
        return slot;
    }

  if (self->slots->len == 0)
    return add_slot (self, -1, id);

  slot = g_ptr_array_index (self->slots, self->slots->len - 1);

  if (id != NULL && slot->id != NULL && (name != NULL || is_whole_object (slot->arguments->str)))
    return add_slot (self, -1, id);

  if (name != NULL && slot->name->len > 0)
    {
      if (is_whole_object (slot->arguments->str))
        return add_slot (self, -1, id);

      /* A call without arguments, and then one of another name. */
      if (slot->arguments->len == 0 && interp_offer_accepts (self->offer, slot->name->str)
          && interp_offer_accepts (self->offer, name) && !g_str_equal (slot->name->str, name))
        return add_slot (self, -1, id);
    }

  return slot;
}

static void
add_name (InterpCallAssembler *self, Slot *slot, const char *name)
{
  if (slot->name->len == 0)
    {
      g_string_assign (slot->name, name);
      return;
    }

  /* Repeated with every piece. */
  if (g_str_equal (slot->name->str, name) || g_str_has_suffix (slot->name->str, name))
    return;

  /* Cut in two: only while no argument has come, and not behind a name that is whole already. */
  if (slot->arguments->len == 0)
    {
      g_autofree char *joined = g_strconcat (slot->name->str, name, NULL);

      if (interp_offer_has_tool (self->offer, joined) || !interp_offer_has_tool (self->offer, slot->name->str))
        g_string_append (slot->name, name);
    }
}

static void
add_arguments (Slot *slot, JsonNode *node)
{
  g_autofree char *own = NULL;
  const char *text;
  gsize length;

  if (node == NULL || JSON_NODE_HOLDS_NULL (node))
    return;

  if (JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_STRING)
    text = json_node_get_string (node);
  else
    text = own = interp_json_to_string (node);

  length = strlen (text);
  if (length == 0)
    return;

  /* All of it once more after the pieces. */
  if (length == slot->arguments->len && memcmp (text, slot->arguments->str, length) == 0 && is_whole_object (text))
    return;

  if (slot->arguments->len + length > INTERP_RUN_CODE_MAX)
    {
      slot->overflowed = TRUE;
      return;
    }

  g_string_append_len (slot->arguments, text, length);
}

static InterpCall *
slot_to_call (InterpCallAssembler *self, Slot *slot, const char *arguments, gboolean whole)
{
  g_autofree char *name
      = whole ? g_strdup (slot->name->str) : interp_run_code_normalize_name (self->offer, slot->name->str);

  if (slot->id == NULL)
    slot->id = interp_call_make_id ();

  return interp_call_new (INTERP_CALL_TOOL, slot->id, name, arguments);
}

static void
begin_slot (InterpCallAssembler *self, Slot *slot)
{
  InterpEvent *event;

  if (slot->begun)
    return;

  event = interp_event_new (INTERP_EVENT_CALL_BEGIN);
  event->index = slot->number;
  event->call = slot_to_call (self, slot, "", FALSE);
  slot->begun = TRUE;
  self->sink (event, self->sink_data);
}

int
interp_call_assembler_push (InterpCallAssembler *self, gint64 index, const char *id, const char *name,
                            JsonNode *arguments)
{
  Slot *slot;

  g_return_val_if_fail (self != NULL, -1);

  if (id != NULL && *id == '\0')
    id = NULL;
  if (name != NULL && *name == '\0')
    name = NULL;

  slot = find_slot (self, index, id, name);
  if (slot == NULL)
    return -1;

  self->any_pending = TRUE;
  if (slot->id == NULL && id != NULL)
    slot->id = g_strdup (id);
  if (name != NULL)
    add_name (self, slot, name);
  add_arguments (slot, arguments);

  return slot->number;
}

void
interp_call_assembler_flush (InterpCallAssembler *self)
{
  g_return_if_fail (self != NULL);

  for (guint i = 0; self->any_pending && i < self->slots->len; i++)
    {
      Slot *slot = g_ptr_array_index (self->slots, i);
      InterpEvent *event;

      /* Calls begin in their order: those behind one that cannot begin yet wait for it. The name may still grow until
       * the first argument. */
      if (slot->name->len == 0
          || (!slot->begun && slot->arguments->len == 0 && !interp_offer_accepts (self->offer, slot->name->str)))
        break;

      begin_slot (self, slot);

      if (slot->arguments->len <= slot->progress_length
          || slot->arguments->len - slot->progress_length <= slot->arguments->len / PROGRESS_PART)
        continue;

      slot->progress_length = slot->arguments->len;
      event = interp_event_new (INTERP_EVENT_CALL_PROGRESS);
      event->index = slot->number;
      event->call = slot_to_call (self, slot, slot->arguments->str, FALSE);
      interp_run_code_peek (self->offer, slot->name->str, slot->arguments->str, &event->call->language,
                            &event->call->code);
      self->sink (event, self->sink_data);
    }
  self->any_pending = FALSE;
}

guint
interp_call_assembler_get_n_calls (InterpCallAssembler *self)
{
  return self->slots->len;
}

const char *
interp_call_assembler_get_id (InterpCallAssembler *self, guint number)
{
  g_return_val_if_fail (number < self->slots->len, NULL);

  return ((Slot *) g_ptr_array_index (self->slots, number))->id;
}

/* The length of the first JSON object in @text, 0 when it is not whole. */
static gsize
first_object_length (const char *text)
{
  const char *p = text;
  gboolean in_string = FALSE;
  guint depth = 0;

  while (g_ascii_isspace (*p))
    p++;

  if (*p != '{')
    return 0;

  for (; *p != '\0'; p++)
    {
      if (in_string)
        {
          if (*p == '\\' && p[1] != '\0')
            p++;
          else if (*p == '"')
            in_string = FALSE;
        }
      else if (*p == '"')
        in_string = TRUE;
      else if (*p == '{' || *p == '[')
        depth++;
      else if ((*p == '}' || *p == ']') && --depth == 0)
        return p + 1 - text;
    }

  return 0;
}

/* Several objects one behind the other in one call are several calls; the same one twice is one. */
static void
split_arguments (InterpCallAssembler *self)
{
  for (guint i = 0; i < self->slots->len; i++)
    {
      Slot *slot = g_ptr_array_index (self->slots, i);
      gsize length = first_object_length (slot->arguments->str);
      const char *rest = slot->arguments->str + length;
      Slot *other;
      gsize rest_length;

      if (length == 0)
        continue;

      while (g_ascii_isspace (*rest))
        rest++;

      rest_length = first_object_length (rest);
      if (*rest != '{' || rest_length == 0)
        continue;

      if (rest_length == strlen (rest) && rest_length == length && memcmp (rest, slot->arguments->str, length) == 0)
        {
          g_string_truncate (slot->arguments, length);
          continue;
        }

      other = add_slot (self, -1, NULL);
      if (other == NULL)
        continue;

      g_string_assign (other->name, slot->name->str);
      g_string_assign (other->arguments, rest);
      g_string_truncate (slot->arguments, length);
    }
}

/* {"tool_uses": [{"recipient_name": "functions.x", "parameters": {…}}]} under the name "parallel". */
static void
expand_parallel (InterpCallAssembler *self)
{
  guint n = self->slots->len;

  for (guint i = 0; i < n; i++)
    {
      Slot *slot = g_ptr_array_index (self->slots, i);
      g_autoptr (JsonNode) node = NULL;
      gboolean is_used = FALSE;
      guint n_uses;

      if ((!g_str_equal (slot->name->str, "parallel") && !g_str_equal (slot->name->str, "multi_tool_use.parallel"))
          || interp_offer_has_tool (self->offer, slot->name->str))
        continue;

      node = interp_json_parse (slot->arguments->str, -1, INTERP_JSON_PARSE_NONE, NULL);
      n_uses = interp_json_get_length (node, "tool_uses");

      for (guint k = 0; k < n_uses; k++)
        {
          g_autofree char *name_path = g_strdup_printf ("tool_uses.%u.recipient_name", k);
          g_autofree char *parameters_path = g_strdup_printf ("tool_uses.%u.parameters", k);
          const char *name = interp_json_get_string (node, name_path);
          JsonNode *parameters = interp_json_get (node, parameters_path);
          Slot *target;

          if (name == NULL || *name == '\0')
            continue;

          target = is_used ? add_slot (self, -1, NULL) : slot;
          if (target == NULL)
            break;

          is_used = TRUE;
          g_string_assign (target->name, name);
          g_string_truncate (target->arguments, 0);
          add_arguments (target, parameters);
        }
    }
}

guint
interp_call_assembler_finish (InterpCallAssembler *self, gboolean cut)
{
  guint n_given = 0;

  g_return_val_if_fail (self != NULL, 0);

  expand_parallel (self);
  split_arguments (self);

  for (guint i = 0; i < self->slots->len; i++)
    {
      Slot *slot = g_ptr_array_index (self->slots, i);
      InterpEvent *event;

      /* Neither name nor arguments: an empty delta, not a call. */
      if (slot->name->len == 0 && slot->arguments->len == 0 && !slot->begun)
        continue;

      begin_slot (self, slot);

      event = interp_event_new (INTERP_EVENT_CALL_END);
      event->index = slot->number;
      event->call = slot_to_call (self, slot, slot->arguments->str, TRUE);
      if (slot->overflowed)
        event->call->fault = g_strdup (_ ("The arguments of the call are too long."));

      /* Calls before the last were whole when the next began. */
      if (cut && (i + 1 == self->slots->len || !is_whole_object (slot->arguments->str)))
        event->call->fault = g_strdup (_ ("The call was cut off: the answer reached its length limit."));

      interp_run_code_interpret (event->call, self->offer);
      self->sink (event, self->sink_data);
      n_given++;
    }

  return n_given;
}
