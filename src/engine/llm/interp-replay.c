/* interp-replay.c: an assistant's turn the way its provider wants it back
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm/interp-replay.h"

#include "base/interp-json.h"

static void
step_free (gpointer data)
{
  InterpReplayStep *step = data;

  g_clear_pointer (&step->entry, json_node_unref);
  g_free (step->text);
  g_clear_pointer (&step->call, interp_call_unref);
  g_free (step);
}

static void
add_step (GPtrArray *plan, JsonNode *entry, const char *text, InterpCall *call)
{
  InterpReplayStep *step = g_new0 (InterpReplayStep, 1);

  step->entry = entry != NULL ? json_node_copy (entry) : NULL;
  step->text = g_strdup (text);
  step->call = call != NULL ? interp_call_ref (call) : NULL;
  g_ptr_array_add (plan, step);
}

JsonNode *
interp_replay_parse (InterpCodecContext *context, InterpMessage *message)
{
  gsize size;
  const char *data;

  if (message->opaque == NULL || g_strcmp0 (message->opaque_provider, context->opaque_tag) != 0)
    return NULL;

  data = g_bytes_get_data (message->opaque, &size);

  return interp_json_parse (data, size, INTERP_JSON_PARSE_NONE, NULL);
}

static JsonNode *
nth_entry (JsonNode *entries, guint n)
{
  g_autofree char *path = g_strdup_printf ("%u", n);

  return interp_json_get (entries, path);
}

static InterpCall *
find_call (InterpMessage *message, const char *id)
{
  for (guint i = 0; message->calls != NULL && i < message->calls->len; i++)
    {
      InterpCall *call = g_ptr_array_index (message->calls, i);

      if (g_str_equal (call->id, id))
        return call;
    }

  return NULL;
}

static void
append_letters (GString *letters, const char *text)
{
  for (const char *p = text; p != NULL && *p != '\0'; p++)
    if (!g_ascii_isspace (*p))
      g_string_append_c (letters, *p);
}

/* The same text, but for blanks between its pieces, and the same calls. */
static gboolean
is_recorded (InterpMessage *message, JsonNode *entries)
{
  g_autoptr (GString) recorded = g_string_new (NULL);
  g_autoptr (GString) said = g_string_new (NULL);
  guint n = interp_json_get_length (entries, NULL);
  guint n_calls = 0;

  for (guint i = 0; i < n; i++)
    {
      JsonNode *entry = nth_entry (entries, i);
      const char *id = interp_json_get_string (entry, "call");

      append_letters (recorded, interp_json_get_string (entry, "text"));
      if (id != NULL)
        {
          n_calls++;
          if (find_call (message, id) == NULL)
            return FALSE;
        }
    }

  append_letters (said, message->text);

  return n_calls == (message->calls != NULL ? message->calls->len : 0) && g_string_equal (recorded, said);
}

GPtrArray *
interp_replay_plan (InterpCodecContext *context, InterpMessage *message, gboolean *exact)
{
  GPtrArray *plan = g_ptr_array_new_with_free_func (step_free);
  g_autoptr (JsonNode) opaque = interp_replay_parse (context, message);
  JsonNode *entries = interp_json_get (opaque, "entries");
  guint n = interp_json_get_length (entries, NULL);
  gboolean recorded = n > 0 && is_recorded (message, entries);

  if (exact != NULL)
    *exact = recorded;

  for (guint i = 0; i < n; i++)
    {
      JsonNode *entry = nth_entry (entries, i);
      const char *text = interp_json_get_string (entry, "text");
      const char *id = interp_json_get_string (entry, "call");

      if (text == NULL && id == NULL)
        add_step (plan, entry, NULL, NULL);
      else if (recorded && id != NULL)
        add_step (plan, entry, NULL, find_call (message, id));
      else if (recorded)
        add_step (plan, entry, text, NULL);
    }

  if (recorded)
    return plan;

  if (message->text != NULL && *message->text != '\0')
    add_step (plan, NULL, message->text, NULL);

  for (guint k = 0; message->calls != NULL && k < message->calls->len; k++)
    {
      InterpCall *call = g_ptr_array_index (message->calls, k);
      JsonNode *found = NULL;

      for (guint i = 0; i < n && found == NULL; i++)
        if (g_strcmp0 (interp_json_get_string (nth_entry (entries, i), "call"), call->id) == 0)
          found = nth_entry (entries, i);

      add_step (plan, found, NULL, call);
    }

  return plan;
}

JsonNode *
interp_replay_record (JsonNode *entries)
{
  guint n = interp_json_get_length (entries, NULL);
  gboolean own = FALSE;

  for (guint i = 0; i < n && !own; i++)
    {
      JsonNode *entry = nth_entry (entries, i);
      g_auto (GStrv) members = interp_json_get_members (entry, NULL);

      own = interp_json_get (entry, "own") != NULL || g_strv_length (members) > 1;
    }

  if (!own)
    {
      g_clear_pointer (&entries, json_node_unref);
      return NULL;
    }

  return interp_json_object ("entries", INTERP_JSON_NODE (entries), NULL);
}
