/* wire.c: what models say, in the wire formats of their servers
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "wire.h"

#include "base/interp-json.h"

const Wire wire_chat = { "llamacpp", "/v1", "/v1/chat/completions", "text/event-stream" };
const Wire wire_ollama = { "ollama", "", "/api/chat", "application/x-ndjson" };

InterpTestReply *
wire_begin (const Wire *wire, InterpTestServer *server)
{
  InterpTestReply *reply = interp_test_server_reply (server, wire->path);

  interp_test_reply_head (reply, 200, wire->content_type, NULL);

  return reply;
}

/* @message: delta or message, taken. @rest: of it that is not sent, at the end of the line. */
static void
send_message (const Wire *wire, InterpTestReply *reply, JsonNode *message, gsize rest)
{
  g_autoptr (JsonNode) node = NULL;
  g_autofree char *text = NULL;

  if (wire == &wire_chat)
    node = interp_json_object ("object", INTERP_JSON_STRING ("chat.completion.chunk"), "choices",
                               INTERP_JSON_NODE (
                                   interp_json_array (INTERP_JSON_NODE (
                                                          interp_json_object ("index", INTERP_JSON_INT (0), "delta",
                                                                              INTERP_JSON_NODE (message), NULL)),
                                                      INTERP_JSON_END)),
                               NULL);
  else
    node = interp_json_object ("model", INTERP_JSON_STRING ("m"), "done", INTERP_JSON_BOOL (FALSE), "message",
                               INTERP_JSON_NODE (message), NULL);
  text = interp_json_to_string (node);
  if (rest > 0)
    {
      text[strlen (text) - rest] = '\0';
      interp_test_reply_send (reply, text, -1);
    }
  else
    interp_test_reply_printf (reply, wire == &wire_chat ? "data: %s\n\n" : "%s\n", text);
}

void
wire_text (const Wire *wire, InterpTestReply *reply, const char *text)
{
  send_message (wire, reply, interp_json_object ("content", INTERP_JSON_STRING (text), NULL), 0);
}

void
wire_reasoning (const Wire *wire, InterpTestReply *reply, const char *text)
{
  send_message (wire, reply,
                wire == &wire_chat ? interp_json_object ("reasoning_content", INTERP_JSON_STRING (text), NULL)
                                   : interp_json_object ("content", INTERP_JSON_STRING (""), "thinking",
                                                         INTERP_JSON_STRING (text), NULL),
                0);
}

static JsonNode *
make_calls (guint index, const char *id, JsonNode *function)
{
  return interp_json_object ("tool_calls",
                             INTERP_JSON_NODE (
                                 interp_json_array (INTERP_JSON_NODE (
                                                        interp_json_object ("index", INTERP_JSON_INT (index), "id",
                                                                            INTERP_JSON_STRING (id), "type",
                                                                            INTERP_JSON_STRING (id != NULL ? "function"
                                                                                                           : NULL),
                                                                            "function", INTERP_JSON_NODE (function),
                                                                            NULL)),
                                                    INTERP_JSON_END)),
                             NULL);
}

static JsonNode *
make_arguments (const char *language, const char *code)
{
  return interp_json_object ("language", INTERP_JSON_STRING (language), "code", INTERP_JSON_STRING (code), NULL);
}

/* The first delta has the name, the next ones a third of the arguments each. */
static void
send_pieces (InterpTestReply *reply, guint index, const char *id, const char *arguments)
{
  gsize length = strlen (arguments);
  const char *from = arguments;

  send_message (&wire_chat, reply,
                make_calls (index, id,
                            interp_json_object ("name", INTERP_JSON_STRING ("run_code"), "arguments",
                                                INTERP_JSON_STRING (""), NULL)),
                0);
  for (guint i = 1; i <= 3; i++)
    {
      const char *to = arguments + length * i / 3;
      g_autofree char *piece = NULL;

      /* JSON holds whole characters. */
      while (*to != '\0' && ((guchar) *to & 0xc0) == 0x80)
        to++;
      piece = g_strndup (from, to - from);
      send_message (&wire_chat, reply,
                    make_calls (index, NULL, interp_json_object ("arguments", INTERP_JSON_STRING (piece), NULL)), 0);
      from = to;
    }
}

void
wire_call (const Wire *wire, InterpTestReply *reply, guint index, const char *id, const char *language,
           const char *code)
{
  JsonNode *arguments = make_arguments (language, code);

  if (wire == &wire_chat)
    {
      g_autofree char *text = interp_json_to_string (arguments);

      send_pieces (reply, index, id, text);
      json_node_unref (arguments);
    }
  else
    send_message (wire, reply,
                  make_calls (index, id,
                              interp_json_object ("name", INTERP_JSON_STRING ("run_code"), "arguments",
                                                  INTERP_JSON_NODE (arguments), NULL)),
                  0);
}

void
wire_cut_call (const Wire *wire, InterpTestReply *reply, const char *language, const char *code)
{
  JsonNode *arguments = make_arguments (language, code);

  if (wire == &wire_chat)
    {
      g_autofree char *text = interp_json_to_string (arguments);

      /* Without the last quote and bracket. */
      text[strlen (text) - 2] = '\0';
      send_pieces (reply, 0, "call_cut", text);
      json_node_unref (arguments);
    }
  else
    send_message (wire, reply,
                  make_calls (0, "call_cut",
                              interp_json_object ("name", INTERP_JSON_STRING ("run_code"), "arguments",
                                                  INTERP_JSON_NODE (arguments), NULL)),
                  strlen ("\"}}}]}}"));
}

void
wire_end (const Wire *wire, InterpTestReply *reply, const char *reason)
{
  if (wire == &wire_chat)
    interp_test_reply_printf (reply,
                              "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"%s\"}]}\n\n"
                              "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":11,\"completion_tokens\":7}}\n\n"
                              "data: [DONE]\n\n",
                              reason);
  else
    interp_test_reply_printf (reply,
                              "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":true,"
                              "\"done_reason\":\"%s\",\"prompt_eval_count\":11,\"eval_count\":7}\n",
                              g_str_equal (reason, "length") ? "length" : "stop");
}

void
wire_say (const Wire *wire, InterpTestServer *server, const char *text)
{
  InterpTestReply *reply = wire_begin (wire, server);

  wire_text (wire, reply, text);
  wire_end (wire, reply, "stop");
}

void
wire_do (const Wire *wire, InterpTestServer *server, const char *id, const char *language, const char *code)
{
  InterpTestReply *reply = wire_begin (wire, server);

  wire_call (wire, reply, 0, id, language, code);
  wire_end (wire, reply, "tool_calls");
}

void
wire_serve_model (InterpTestServer *server, const char *model, guint window, gboolean tools)
{
  g_autofree char *list
      = g_strdup_printf ("{\"object\":\"list\",\"data\":[{\"id\":\"%s\",\"object\":\"model\",\"max_model_len\":%u%s}]}",
                         model, window, tools ? "" : ",\"supported_parameters\":[\"temperature\"]");
  g_autofree char *tags = g_strdup_printf ("{\"models\":[{\"name\":\"%s\",\"model\":\"%s\"}]}", model, model);
  g_autofree char *show
      = g_strdup_printf ("{\"capabilities\":[\"completion\"%s],\"model_info\":{\"general.architecture\":\"a\","
                         "\"a.context_length\":%u}}",
                         tools ? ",\"tools\"" : "", window);

  interp_test_reply_json (interp_test_server_reply_always (server, "/v1/models"), 200, list);
  interp_test_reply_json (interp_test_server_reply_always (server, "/api/tags"), 200, tags);
  interp_test_reply_json (interp_test_server_reply_always (server, "/api/show"), 200, show);
  interp_test_reply_json (interp_test_server_reply_always (server, "/api/ps"), 200, tags);
}
