/* test-llm-switch.c: a chat begun in one wire format goes on in another, and back
 *
 * Every pair of formats: text, thinking, two calls at once, their results and pictures. What is sent is read as the
 * format's server reads it: each call has exactly one result, where that server looks for it.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "base/interp-json.h"
#include "llm-fixture.h"

#include <string.h>

#define PICTURE "PNG"
#define PICTURE_TEXT "UE5H" /* in Base64 */
#define THOUGHT "Hmm, secret"

static const Wire *wires[] = { &wire_chat, &wire_responses, &wire_messages, &wire_gemini, &wire_ollama };

typedef struct
{
  const Wire *from;
  const Wire *to;
} Pair;

/* ---- servers' eyes ---- */

/* What stands at "LIST.N.MEMBER". */
static const char *
string_at (JsonNode *node, const char *list, guint n, const char *member)
{
  g_autofree char *path = g_strdup_printf ("%s.%u.%s", list, n, member);

  return interp_json_get_string (node, path);
}

static JsonNode *
node_at (JsonNode *node, const char *list, guint n, const char *member)
{
  g_autofree char *path = g_strdup_printf ("%s.%u%s%s", list, n, *member != '\0' ? "." : "", member);

  return interp_json_get (node, path);
}

/* Calls that wait for their result: the names or ids, in order. */
static void
answer_call (GPtrArray *waiting, const char *id)
{
  guint i;

  g_assert_nonnull (id);
  g_assert_true (g_ptr_array_find_with_equal_func (waiting, id, g_str_equal, &i));
  g_ptr_array_remove_index (waiting, i);
}

static void
wait_for_result (GPtrArray *waiting, const char *id)
{
  g_assert_nonnull (id);
  g_assert_cmpstr (id, !=, "");
  g_assert_false (g_ptr_array_find_with_equal_func (waiting, id, g_str_equal, NULL));
  g_ptr_array_add (waiting, g_strdup (id));
}

static void
check_arguments (const char *text)
{
  g_autoptr (JsonNode) arguments = interp_json_parse (text, -1, INTERP_JSON_PARSE_NONE, NULL);

  g_assert_true (interp_json_is_object (arguments));
}

/* Chat Completions and Ollama: results are messages of their own right behind their calls. */
static guint
read_messages_with_tool_role (JsonNode *sent, GPtrArray *waiting, gboolean text_arguments)
{
  guint n_calls = 0;

  for (guint i = 0; i < interp_json_get_length (sent, "messages"); i++)
    {
      const char *role = string_at (sent, "messages", i, "role");
      JsonNode *calls = node_at (sent, "messages", i, "tool_calls");

      if (g_str_equal (role, "tool"))
        answer_call (waiting, string_at (sent, "messages", i, "tool_call_id"));
      else
        g_assert_cmpuint (waiting->len, ==, 0);

      for (guint k = 0; calls != NULL && k < interp_json_get_length (calls, ""); k++)
        {
          JsonNode *call = json_array_get_element (json_node_get_array (calls), k);

          wait_for_result (waiting, interp_json_get_string (call, "id"));
          if (text_arguments)
            check_arguments (interp_json_get_string (call, "function.arguments"));
          else
            g_assert_true (interp_json_is_object (interp_json_get (call, "function.arguments")));
          n_calls++;
        }
    }

  return n_calls;
}

static guint
read_chat (JsonNode *sent, GPtrArray *waiting)
{
  return read_messages_with_tool_role (sent, waiting, TRUE);
}

static guint
read_ollama (JsonNode *sent, GPtrArray *waiting)
{
  return read_messages_with_tool_role (sent, waiting, FALSE);
}

static guint
read_responses (JsonNode *sent, GPtrArray *waiting)
{
  guint n_calls = 0;

  for (guint i = 0; i < interp_json_get_length (sent, "input"); i++)
    {
      const char *type = string_at (sent, "input", i, "type");

      if (g_strcmp0 (type, "function_call") == 0)
        {
          wait_for_result (waiting, string_at (sent, "input", i, "call_id"));
          check_arguments (string_at (sent, "input", i, "arguments"));
          n_calls++;
        }
      else if (g_strcmp0 (type, "function_call_output") == 0)
        answer_call (waiting, string_at (sent, "input", i, "call_id"));
      else if (g_strcmp0 (type, "reasoning") != 0)
        g_assert_cmpuint (waiting->len, ==, 0);
    }

  return n_calls;
}

/* Anthropic: who speaks takes turns; results come first in the turn behind their calls. */
static guint
read_messages (JsonNode *sent, GPtrArray *waiting)
{
  const char *last = "assistant";
  guint n_calls = 0;

  for (guint i = 0; i < interp_json_get_length (sent, "messages"); i++)
    {
      const char *role = string_at (sent, "messages", i, "role");
      JsonNode *content = node_at (sent, "messages", i, "content");
      gboolean others = FALSE;

      g_assert_cmpstr (role, !=, last);
      last = role;
      for (guint k = 0; interp_json_is_array (content) && k < interp_json_get_length (content, ""); k++)
        {
          JsonNode *block = json_array_get_element (json_node_get_array (content), k);
          const char *type = interp_json_get_string (block, "type");

          if (g_str_equal (type, "tool_result"))
            {
              g_assert_false (others);
              answer_call (waiting, interp_json_get_string (block, "tool_use_id"));
              continue;
            }

          others = TRUE;
          if (g_str_equal (type, "tool_use"))
            {
              wait_for_result (waiting, interp_json_get_string (block, "id"));
              g_assert_true (interp_json_is_object (interp_json_get (block, "input")));
              n_calls++;
            }
          else if (g_str_equal (type, "text"))
            g_assert_cmpstr (interp_json_get_string (block, "text"), !=, "");
          else if (g_str_equal (type, "thinking"))
            g_assert_nonnull (interp_json_get_string (block, "signature"));
        }
      if (g_str_equal (role, "user"))
        g_assert_cmpuint (waiting->len, ==, 0);
    }

  return n_calls;
}

/* Gemini: as many results as calls, in the turn behind them, in their order. */
static guint
read_gemini (JsonNode *sent, GPtrArray *waiting)
{
  const char *last = "model";
  guint n_calls = 0;

  for (guint i = 0; i < interp_json_get_length (sent, "contents"); i++)
    {
      const char *role = string_at (sent, "contents", i, "role");
      JsonNode *parts = node_at (sent, "contents", i, "parts");

      g_assert_cmpstr (role, !=, last);
      last = role;
      g_assert_cmpuint (interp_json_get_length (parts, ""), >, 0);
      for (guint k = 0; k < interp_json_get_length (parts, ""); k++)
        {
          JsonNode *part = json_array_get_element (json_node_get_array (parts), k);

          if (interp_json_get (part, "functionCall") != NULL)
            {
              g_assert_cmpstr (role, ==, "model");
              g_ptr_array_add (waiting, g_strdup (interp_json_get_string (part, "functionCall.name")));
              g_assert_true (interp_json_is_object (interp_json_get (part, "functionCall.args")));
              n_calls++;
            }
          if (interp_json_get (part, "functionResponse") != NULL)
            {
              g_assert_cmpuint (waiting->len, >, 0);
              g_assert_cmpstr (g_ptr_array_index (waiting, 0), ==,
                               interp_json_get_string (part, "functionResponse.name"));
              g_assert_true (interp_json_is_object (interp_json_get (part, "functionResponse.response")));
              g_ptr_array_remove_index (waiting, 0);
            }
        }
      if (g_str_equal (role, "user"))
        g_assert_cmpuint (waiting->len, ==, 0);
    }

  return n_calls;
}

static const struct
{
  const Wire *wire;
  guint (*read) (JsonNode *sent, GPtrArray *waiting);
} readers[] = {
  { &wire_chat, read_chat },     { &wire_responses, read_responses }, { &wire_messages, read_messages },
  { &wire_gemini, read_gemini }, { &wire_ollama, read_ollama },
};

static void
check_sent (const Wire *wire, JsonNode *sent, guint n_calls)
{
  for (gsize i = 0; i < G_N_ELEMENTS (readers); i++)
    {
      g_autoptr (GPtrArray) waiting = NULL;

      if (readers[i].wire != wire)
        continue;

      waiting = g_ptr_array_new_with_free_func (g_free);
      g_assert_cmpuint (readers[i].read (sent, waiting), ==, n_calls);
      g_assert_cmpuint (waiting->len, ==, 0);
      return;
    }
  g_assert_not_reached ();
}

static guint
count (const char *text, const char *part)
{
  guint n = 0;

  for (const char *at = strstr (text, part); at != NULL; at = strstr (at + 1, part))
    n++;

  return n;
}

/* ---- the chat ---- */

/* The answer as it is kept, at the end of both conversations. */
static void
keep (LlmFixture *from, LlmFixture *to, LlmAnswer *answer)
{
  InterpMessage *message = interp_message_new (INTERP_ROLE_ASSISTANT, answer->text->len > 0 ? answer->text->str : NULL);

  g_assert_no_error (answer->error);
  message->reasoning = answer->reasoning->len > 0 ? g_strdup (answer->reasoning->str) : NULL;
  if (answer->opaque != NULL)
    {
      message->opaque_provider = g_strdup (answer->opaque_tag);
      message->opaque = g_bytes_new (answer->opaque, strlen (answer->opaque));
    }
  for (guint i = 0; i < answer->calls->len; i++)
    interp_message_add_call (message, g_ptr_array_index (answer->calls, i));
  g_ptr_array_add (from->request->messages, interp_message_ref (message));
  g_ptr_array_add (to->request->messages, message);

  for (guint i = 0; i < answer->calls->len; i++)
    {
      InterpCall *call = g_ptr_array_index (answer->calls, i);
      g_autoptr (GBytes) bytes = g_bytes_new_static (PICTURE, strlen (PICTURE));
      InterpMessage *result = llm_fixture_add_result (from, call->id, "It ran.");

      if (i == 0)
        interp_message_add_picture (result, "image/png", bytes);
      g_ptr_array_add (to->request->messages, interp_message_ref (result));
    }
}

static void
add_question (LlmFixture *from, LlmFixture *to, const char *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (PICTURE, strlen (PICTURE));
  InterpMessage *message = llm_fixture_add_message (from, INTERP_ROLE_USER, text);

  interp_message_add_picture (message, "image/png", bytes);
  g_ptr_array_add (to->request->messages, interp_message_ref (message));
}

static void
test_switch (gconstpointer data)
{
  const Pair *pair = data;
  LlmFixture from = { 0 };
  LlmFixture to = { 0 };
  InterpTestReply *reply;
  g_autoptr (LlmAnswer) first = NULL;
  g_autoptr (LlmAnswer) second = NULL;
  g_autoptr (JsonNode) there = NULL;
  g_autoptr (JsonNode) back = NULL;
  g_autofree char *text = NULL;

  llm_fixture_set_up (&from, pair->from, NULL);
  llm_fixture_set_up (&to, pair->to, NULL);

  /* Begun here… */
  reply = wire_begin (pair->from, from.server);
  wire_reasoning (pair->from, reply, THOUGHT);
  wire_text (pair->from, reply, "First two things.");
  wire_call (pair->from, reply, 0, "call_1", "python", "print('ä🦊')");
  wire_call (pair->from, reply, 1, "call_2", "shell", "ls");
  wire_end (pair->from, reply, "tool_calls");
  first = llm_test_ask (from.provider, from.request);
  g_assert_cmpuint (first->calls->len, ==, 2);
  keep (&from, &to, first);
  add_question (&from, &to, "Look at this, too");

  /* … it goes on there… */
  wire_do (pair->to, to.server, "call_3", "python", "3");
  second = llm_test_ask (to.provider, to.request);
  g_assert_cmpuint (second->calls->len, ==, 1);
  there = llm_test_sent (to.server, pair->to->path, 0);
  check_sent (pair->to, there, 2);
  text = interp_json_to_string (there);
  g_assert_cmpuint (count (text, PICTURE_TEXT), ==, 2);
  g_assert_cmpuint (count (text, "First two things."), ==, 1);
  /* What was thought elsewhere is nobody else's. */
  if (pair->from != pair->to)
    g_assert_cmpuint (count (text, THOUGHT), ==, 0);
  keep (&to, &from, second);

  /* … and comes back. */
  back = llm_fixture_ask (&from);
  check_sent (pair->from, back, 3);

  llm_fixture_tear_down (&from, NULL);
  llm_fixture_tear_down (&to, NULL);
}

int
main (int argc, char **argv)
{
  static Pair pairs[G_N_ELEMENTS (wires) * G_N_ELEMENTS (wires)];

  llm_test_init (&argc, &argv);

  for (gsize i = 0; i < G_N_ELEMENTS (pairs); i++)
    {
      g_autofree char *path = NULL;

      pairs[i] = (Pair) { wires[i / G_N_ELEMENTS (wires)], wires[i % G_N_ELEMENTS (wires)] };
      path = g_strdup_printf ("/llm/switch/%s/%s", pairs[i].from->name, pairs[i].to->name);
      g_test_add_data_func (path, &pairs[i], test_switch);
    }

  return g_test_run ();
}
