/* fuzz-answer.c: an answer's events, checked and brought to one form
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "fuzz-answer.h"

#include "base/interp-json.h"
#include "fuzz.h"

#include <string.h>

struct _FuzzAnswer
{
  GString *reasoning;
  GString *text; /* and calls, at their places */
  GString *rest;
  GHashTable *open; /* index → id */
  guint n_finished;
  gsize size;
};

FuzzAnswer *
fuzz_answer_new (void)
{
  FuzzAnswer *self = g_new0 (FuzzAnswer, 1);

  self->reasoning = g_string_new (NULL);
  self->text = g_string_new (NULL);
  self->rest = g_string_new (NULL);
  self->open = g_hash_table_new_full (NULL, NULL, NULL, g_free);

  return self;
}

guint
fuzz_answer_get_n_finished (FuzzAnswer *self)
{
  return self->n_finished;
}

guint
fuzz_answer_get_n_open (FuzzAnswer *self)
{
  return g_hash_table_size (self->open);
}

gsize
fuzz_answer_get_size (FuzzAnswer *self)
{
  return self->size;
}

/* Ids that were made up are others each time. */
static void
append_without_ids (GString *log, const char *text)
{
  for (const char *p = text; *p != '\0'; p++)
    {
      gsize digits = g_str_has_prefix (p, "call_") ? strspn (p + 5, "0123456789abcdef") : 0;

      g_string_append_c (log, *p);
      if (digits == 32)
        p += 5 + digits - 1;
    }
}

static void
check_nullable (const char *text)
{
  if (text != NULL)
    fuzz_check_text (text);
}

static void
check_call (InterpCall *call)
{
  g_assert_nonnull (call);
  g_assert_nonnull (call->id);
  g_assert_cmpstr (call->id, !=, "");
  fuzz_check_text (call->id);
  check_nullable (call->name);
  check_nullable (call->arguments);
  check_nullable (call->language);
  check_nullable (call->code);
  check_nullable (call->fault);
}

static void
take_call (FuzzAnswer *self, InterpEvent *event)
{
  InterpCall *call = event->call;
  gpointer index = GUINT_TO_POINTER (event->index);

  check_call (call);
  if (event->kind == INTERP_EVENT_CALL_BEGIN)
    {
      g_assert_false (g_hash_table_contains (self->open, index));
      g_hash_table_insert (self->open, index, g_strdup (call->id));
      return;
    }

  g_assert_cmpstr (g_hash_table_lookup (self->open, index), ==, call->id);
  if (event->kind == INTERP_EVENT_CALL_PROGRESS)
    return;

  g_hash_table_remove (self->open, index);
  g_assert_nonnull (call->name);
  /* What may run has code, and arguments that were whole. */
  if (g_str_equal (call->name, "run_code") && call->fault == NULL)
    g_assert_nonnull (call->code);
  if (call->code != NULL)
    self->size += strlen (call->code);
  g_string_append_printf (self->text, "⟨%d %u %s|%s|%s|%s⟩", call->origin, event->index, call->name,
                          call->language != NULL ? call->language : "?", call->code != NULL ? call->code : "?",
                          call->fault != NULL ? call->fault : "");
}

void
fuzz_answer_take (InterpEvent *event, gpointer answer)
{
  FuzzAnswer *self = answer;

  g_assert_cmpuint (self->n_finished, ==, 0);
  check_nullable (event->text);

  switch (event->kind)
    {
    case INTERP_EVENT_TEXT:
    case INTERP_EVENT_REASONING:
      g_assert_nonnull (event->text);
      g_assert_cmpstr (event->text, !=, "");
      g_string_append (event->kind == INTERP_EVENT_TEXT ? self->text : self->reasoning, event->text);
      self->size += strlen (event->text);
      break;

    case INTERP_EVENT_RETHINK:
      g_string_append_printf (self->reasoning, "%s⟪rethought⟫", self->text->str);
      g_string_truncate (self->text, 0);
      break;

    case INTERP_EVENT_CALL_BEGIN:
    case INTERP_EVENT_CALL_PROGRESS:
    case INTERP_EVENT_CALL_END:
      take_call (self, event);
      break;

    case INTERP_EVENT_OPAQUE:
      {
        gsize length;
        const char *bytes = g_bytes_get_data (event->opaque, &length);
        g_autofree char *opaque = g_strndup (bytes, length);
        g_autoptr (GError) error = NULL;
        g_autoptr (JsonNode) node = interp_json_parse (opaque, length, INTERP_JSON_PARSE_NONE, &error);

        g_assert_no_error (error);
        g_assert_nonnull (node);
        g_string_append (self->rest, "\nopaque ");
        append_without_ids (self->rest, opaque);
        break;
      }

    case INTERP_EVENT_USAGE:
      g_string_append_printf (self->rest, "\nusage %" G_GINT64_FORMAT "/%" G_GINT64_FORMAT, event->usage.input_tokens,
                              event->usage.output_tokens);
      break;

    case INTERP_EVENT_WARNING:
      g_string_append_printf (self->rest, "\nwarning %s", event->text);
      break;

    case INTERP_EVENT_FINISH:
      g_assert_cmpuint (g_hash_table_size (self->open), ==, 0);
      g_string_append_printf (self->rest, "\nfinish %d", event->finish);
      self->n_finished++;
      break;

    case INTERP_EVENT_PROGRESS:
    default:
      break;
    }

  interp_event_unref (event);
}

char *
fuzz_answer_free (FuzzAnswer *self)
{
  char *log = g_strconcat (self->reasoning->str, "\n----\n", self->text->str, "\n----", self->rest->str, NULL);

  g_string_free (self->reasoning, TRUE);
  g_string_free (self->text, TRUE);
  g_string_free (self->rest, TRUE);
  g_hash_table_unref (self->open);
  g_free (self);

  return log;
}

InterpRequest *
fuzz_answer_make_request (gboolean text_mode)
{
  static const char *languages[] = { "python", "py", "shell", "bash", "sh", "javascript", "js", "r" };
  InterpRequest *request = interp_request_new ("m");

  request->text_mode = text_mode;
  for (gsize i = 0; i < G_N_ELEMENTS (languages); i++)
    g_ptr_array_add (request->languages, g_strdup (languages[i]));
  if (!text_mode)
    {
      g_ptr_array_add (request->tools, interp_tool_new ("run_code", "Runs code.", NULL));
      g_ptr_array_add (request->tools, interp_tool_new ("look_up", "Looks up.", NULL));
    }

  return request;
}
