/* interp-history.c: a conversation made fit to be sent
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm/interp-history.h"

#include "base/interp-json.h"
#include "llm/interp-run-code.h"

#include <string.h>

#define NO_OUTPUT "(no output)"

JsonNode *
interp_history_get_arguments (InterpCall *call)
{
  g_autoptr (JsonNode) node = NULL;

  g_return_val_if_fail (call != NULL, NULL);

  /* What ran is said the way it was offered, however the model had written it. */
  if (g_strcmp0 (call->name, INTERP_RUN_CODE) == 0 && call->code != NULL)
    return interp_json_object ("language", INTERP_JSON_STRING (call->language), "code", INTERP_JSON_STRING (call->code),
                               NULL);

  if (call->arguments != NULL && *call->arguments != '\0')
    node = interp_json_parse (call->arguments, -1, INTERP_JSON_PARSE_NONE, NULL);

  /* Servers refuse a history with arguments that do not parse; the result says what was wrong with them. */
  if (node == NULL || !interp_json_is_object (node))
    return interp_json_object (NULL, NULL);

  return g_steal_pointer (&node);
}

static gboolean
is_blank (const char *text)
{
  while (text != NULL && *text != '\0')
    if (!g_ascii_isspace (*text++))
      return FALSE;

  return TRUE;
}

static void
copy_pictures (InterpMessage *from, InterpMessage *to)
{
  for (guint i = 0; from->pictures != NULL && i < from->pictures->len; i++)
    {
      InterpPicture *picture = g_ptr_array_index (from->pictures, i);

      interp_message_add_picture (to, picture->mime, picture->bytes);
    }
}

/* ---- with tools ---- */

static void
add_result (GPtrArray *out, InterpCall *call, InterpMessage *result)
{
  InterpMessage *message;

  if (result == NULL)
    {
      message = interp_message_new (INTERP_ROLE_TOOL, "There is no result: this was interrupted before it ended.");
      message->is_error = TRUE;
    }
  else if (is_blank (result->text))
    {
      message = interp_message_new (INTERP_ROLE_TOOL, NO_OUTPUT);
      message->is_error = result->is_error;
      copy_pictures (result, message);
    }
  else
    {
      message = interp_message_new (INTERP_ROLE_TOOL, result->text);
      message->is_error = result->is_error;
      copy_pictures (result, message);
    }

  message->call_id = g_strdup (call->id);
  message->call_name = g_strdup (call->name);
  g_ptr_array_add (out, message);
}

static void
prepare_with_tools (InterpRequest *request, GPtrArray *out)
{
  for (guint i = 0; i < request->messages->len; i++)
    {
      InterpMessage *message = g_ptr_array_index (request->messages, i);
      guint end;

      if (message->role == INTERP_ROLE_TOOL)
        {
          /* Its call was left out with the older messages: what it says may still matter. */
          g_autofree char *text = g_strdup_printf ("Output of an earlier call:\n%s",
                                                   is_blank (message->text) ? NO_OUTPUT : message->text);
          InterpMessage *user = interp_message_new (INTERP_ROLE_USER, text);

          copy_pictures (message, user);
          g_ptr_array_add (out, user);
          continue;
        }

      if (message->role == INTERP_ROLE_ASSISTANT && is_blank (message->text)
          && (message->calls == NULL || message->calls->len == 0))
        continue;

      if (message->role == INTERP_ROLE_USER && is_blank (message->text)
          && (message->pictures == NULL || message->pictures->len == 0))
        continue;

      g_ptr_array_add (out, interp_message_ref (message));

      if (message->role != INTERP_ROLE_ASSISTANT || message->calls == NULL || message->calls->len == 0)
        continue;

      for (end = i + 1; end < request->messages->len; end++)
        if (((InterpMessage *) g_ptr_array_index (request->messages, end))->role != INTERP_ROLE_TOOL)
          break;

      for (guint k = 0; k < message->calls->len; k++)
        {
          InterpCall *call = g_ptr_array_index (message->calls, k);
          InterpMessage *result = NULL;

          for (guint r = i + 1; r < end && result == NULL; r++)
            {
              InterpMessage *candidate = g_ptr_array_index (request->messages, r);

              if (g_strcmp0 (candidate->call_id, call->id) == 0)
                result = candidate;
            }

          add_result (out, call, result);
        }

      i = end - 1;
    }
}

/* ---- without ---- */

/* A fence longer than any run of backticks in the code. */
static void
append_fence (GString *text, InterpCall *call)
{
  const char *code = call->code != NULL ? call->code : call->arguments != NULL ? call->arguments : "";
  guint longest = 2;
  guint run = 0;

  for (const char *p = code; *p != '\0'; p++)
    {
      run = *p == '`' ? run + 1 : 0;
      longest = MAX (longest, run);
    }

  if (text->len > 0)
    g_string_append (text, g_str_has_suffix (text->str, "\n") ? "\n" : "\n\n");

  for (guint i = 0; i <= longest; i++)
    g_string_append_c (text, '`');
  g_string_append_printf (text, "%s\n%s", call->language != NULL ? call->language : "", code);
  if (!g_str_has_suffix (code, "\n"))
    g_string_append_c (text, '\n');
  for (guint i = 0; i <= longest; i++)
    g_string_append_c (text, '`');
}

static void
add_or_join (GPtrArray *out, InterpRole role, const char *text, InterpMessage *pictures)
{
  InterpMessage *last = out->len > 0 ? g_ptr_array_index (out, out->len - 1) : NULL;

  /* Many chat templates insist that user and assistant alternate. All in @out is ours to change. */
  if (last != NULL && last->role == role)
    {
      char *joined = last->text != NULL ? g_strconcat (last->text, "\n\n", text, NULL) : g_strdup (text);

      g_free (last->text);
      last->text = joined;
    }
  else
    {
      last = interp_message_new (role, text);
      g_ptr_array_add (out, last);
    }

  if (pictures != NULL)
    copy_pictures (pictures, last);
}

static void
prepare_without_tools (InterpRequest *request, GPtrArray *out)
{
  for (guint i = 0; i < request->messages->len; i++)
    {
      InterpMessage *message = g_ptr_array_index (request->messages, i);
      g_autoptr (GString) text = g_string_new (message->text);

      switch (message->role)
        {
        case INTERP_ROLE_USER:
          if (!is_blank (text->str) || (message->pictures != NULL && message->pictures->len > 0))
            add_or_join (out, INTERP_ROLE_USER, text->str, message);
          break;

        case INTERP_ROLE_ASSISTANT:
          for (guint k = 0; message->calls != NULL && k < message->calls->len; k++)
            append_fence (text, g_ptr_array_index (message->calls, k));

          if (!is_blank (text->str))
            add_or_join (out, INTERP_ROLE_ASSISTANT, text->str, NULL);
          break;

        case INTERP_ROLE_TOOL:
        default:
          g_string_printf (text, "[%s]\n%s", message->is_error ? "The code failed. Its output" : "Output of the code",
                           is_blank (message->text) ? NO_OUTPUT : message->text);
          add_or_join (out, INTERP_ROLE_USER, text->str, message);
          break;
        }
    }
}

GPtrArray *
interp_history_prepare (InterpRequest *request)
{
  GPtrArray *out = g_ptr_array_new_with_free_func ((GDestroyNotify) interp_message_unref);

  if (request->text_mode || request->tools->len == 0)
    prepare_without_tools (request, out);
  else
    prepare_with_tools (request, out);

  return out;
}
