/* wire.c: what models say, in the wire formats of their servers
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "wire.h"

#include "base/interp-json.h"

#include <string.h>

/* ---- what is common ---- */

InterpTestReply *
wire_begin (const Wire *wire, InterpTestServer *server)
{
  InterpTestReply *reply = interp_test_server_reply (server, wire->path);

  interp_test_reply_head (reply, 200, wire->content_type, NULL);

  return reply;
}

void
wire_text (const Wire *wire, InterpTestReply *reply, const char *text)
{
  wire->text (reply, text);
}

void
wire_reasoning (const Wire *wire, InterpTestReply *reply, const char *text)
{
  wire->reasoning (reply, text);
}

void
wire_call (const Wire *wire, InterpTestReply *reply, guint index, const char *id, const char *language,
           const char *code)
{
  wire->call (reply, index, id, language, code, FALSE);
}

void
wire_cut_call (const Wire *wire, InterpTestReply *reply, const char *language, const char *code)
{
  wire->call (reply, 0, "call_cut", language, code, TRUE);
}

void
wire_end (const Wire *wire, InterpTestReply *reply, const char *reason)
{
  wire->end (reply, reason);
}

void
wire_error (const Wire *wire, InterpTestReply *reply, const char *type, const char *message)
{
  wire->error (reply, type, message);
}

static JsonNode *
make_arguments (const char *language, const char *code)
{
  return interp_json_object ("language", INTERP_JSON_STRING (language), "code", INTERP_JSON_STRING (code), NULL);
}

/* @node is taken. @rest: of it that is not sent, together with the end of the message. */
static void
send_node (InterpTestReply *reply, const char *before, JsonNode *node, gsize rest, const char *after)
{
  g_autofree char *text = interp_json_to_string (node);

  json_node_unref (node);
  text[strlen (text) - rest] = '\0';
  interp_test_reply_printf (reply, "%s%s%s", before, text, rest > 0 ? "" : after);
}

/* The arguments in three pieces. */
static void
send_pieces (InterpTestReply *reply, guint index, const char *language, const char *code, gboolean cut,
             void (*send) (InterpTestReply *reply, guint index, const char *piece))
{
  g_autoptr (JsonNode) node = make_arguments (language, code);
  g_autofree char *arguments = interp_json_to_string (node);
  const char *from = arguments;
  gsize length;

  if (cut)
    arguments[strlen (arguments) - 2] = '\0';

  length = strlen (arguments);
  for (guint i = 1; i <= 3; i++)
    {
      const char *to = arguments + length * i / 3;
      g_autofree char *piece = NULL;

      /* JSON holds whole characters. */
      while (*to != '\0' && ((guchar) *to & 0xc0) == 0x80)
        to++;
      piece = g_strndup (from, to - from);
      send (reply, index, piece);
      from = to;
    }
}

/* ---- Chat Completions ---- */

static void
chat_send (InterpTestReply *reply, JsonNode *delta)
{
  JsonNode *choice = interp_json_object ("index", INTERP_JSON_INT (0), "delta", INTERP_JSON_NODE (delta), NULL);

  send_node (reply, "data: ",
             interp_json_object ("object", INTERP_JSON_STRING ("chat.completion.chunk"), "choices",
                                 INTERP_JSON_NODE (interp_json_array (INTERP_JSON_NODE (choice), INTERP_JSON_END)),
                                 NULL),
             0, "\n\n");
}

static void
chat_text (InterpTestReply *reply, const char *text)
{
  chat_send (reply, interp_json_object ("content", INTERP_JSON_STRING (text), NULL));
}

static void
chat_reasoning (InterpTestReply *reply, const char *text)
{
  chat_send (reply, interp_json_object ("reasoning_content", INTERP_JSON_STRING (text), NULL));
}

static JsonNode *
make_calls (guint index, const char *id, JsonNode *function)
{
  JsonNode *call = interp_json_object ("index", INTERP_JSON_INT (index), "id", INTERP_JSON_STRING (id), "type",
                                       INTERP_JSON_STRING (id != NULL ? "function" : NULL), "function",
                                       INTERP_JSON_NODE (function), NULL);

  return interp_json_object ("tool_calls",
                             INTERP_JSON_NODE (interp_json_array (INTERP_JSON_NODE (call), INTERP_JSON_END)), NULL);
}

static void
chat_piece (InterpTestReply *reply, guint index, const char *piece)
{
  chat_send (reply, make_calls (index, NULL, interp_json_object ("arguments", INTERP_JSON_STRING (piece), NULL)));
}

/* The first delta has the name. */
static void
chat_call (InterpTestReply *reply, guint index, const char *id, const char *language, const char *code, gboolean cut)
{
  chat_send (reply, make_calls (index, id,
                                interp_json_object ("name", INTERP_JSON_STRING ("run_code"), "arguments",
                                                    INTERP_JSON_STRING (""), NULL)));
  send_pieces (reply, index, language, code, cut, chat_piece);
}

static void
chat_end (InterpTestReply *reply, const char *reason)
{
  interp_test_reply_printf (reply,
                            "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"%s\"}]}\n\n"
                            "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":11,\"completion_tokens\":7}}\n\n"
                            "data: [DONE]\n\n",
                            reason);
}

static void
chat_error (InterpTestReply *reply, const char *type, const char *message)
{
  interp_test_reply_printf (reply, "data: {\"error\":{\"message\":\"%s\",\"type\":\"%s\"}}\n\n", message, type);
}

const Wire wire_chat = { .name = "chat",
                         .provider = "llamacpp",
                         .base = "/v1",
                         .path = "/v1/chat/completions",
                         .content_type = "text/event-stream",
                         .key_header = "authorization",
                         .key_prefix = "Bearer ",
                         .text = chat_text,
                         .reasoning = chat_reasoning,
                         .call = chat_call,
                         .end = chat_end,
                         .error = chat_error };

/* ---- Ollama ---- */

static void
ollama_send (InterpTestReply *reply, JsonNode *message, gsize rest)
{
  send_node (reply, "",
             interp_json_object ("model", INTERP_JSON_STRING ("m"), "done", INTERP_JSON_BOOL (FALSE), "message",
                                 INTERP_JSON_NODE (message), NULL),
             rest, "\n");
}

static void
ollama_text (InterpTestReply *reply, const char *text)
{
  ollama_send (reply, interp_json_object ("content", INTERP_JSON_STRING (text), NULL), 0);
}

static void
ollama_reasoning (InterpTestReply *reply, const char *text)
{
  ollama_send (reply,
               interp_json_object ("content", INTERP_JSON_STRING (""), "thinking", INTERP_JSON_STRING (text), NULL), 0);
}

static void
ollama_call (InterpTestReply *reply, guint index, const char *id, const char *language, const char *code, gboolean cut)
{
  ollama_send (reply,
               make_calls (index, id,
                           interp_json_object ("name", INTERP_JSON_STRING ("run_code"), "arguments",
                                               INTERP_JSON_NODE (make_arguments (language, code)), NULL)),
               cut ? strlen ("\"}}}]}}") : 0);
}

static void
ollama_end (InterpTestReply *reply, const char *reason)
{
  interp_test_reply_printf (reply,
                            "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":true,"
                            "\"done_reason\":\"%s\",\"prompt_eval_count\":11,\"eval_count\":7}\n",
                            g_str_equal (reason, "length") ? "length" : "stop");
}

static void
ollama_error (InterpTestReply *reply, const char *type, const char *message)
{
  interp_test_reply_printf (reply, "{\"error\":{\"message\":\"%s\",\"type\":\"%s\"}}\n", message, type);
}

const Wire wire_ollama = { .name = "ollama",
                           .provider = "ollama",
                           .base = "",
                           .path = "/api/chat",
                           .content_type = "application/x-ndjson",
                           .key_header = "authorization",
                           .key_prefix = "Bearer ",
                           .whole_calls = TRUE,
                           .text = ollama_text,
                           .reasoning = ollama_reasoning,
                           .call = ollama_call,
                           .end = ollama_end,
                           .error = ollama_error };

/* ---- Messages ---- */

/* Thinking is block 0, text is 1, calls come behind. */
#define BLOCK_OF_CALL(index) ((index) + 2)

static void
messages_send (InterpTestReply *reply, const char *event, JsonNode *node)
{
  g_autofree char *before = g_strdup_printf ("event: %s\ndata: ", event);

  interp_json_set (node, "type", json_node_init_string (json_node_alloc (), event));
  send_node (reply, before, node, 0, "\n\n");
}

static void
messages_begin_block (InterpTestReply *reply, guint index, JsonNode *block)
{
  messages_send (reply, "content_block_start",
                 interp_json_object ("index", INTERP_JSON_INT (index), "content_block", INTERP_JSON_NODE (block),
                                     NULL));
}

static void
messages_delta (InterpTestReply *reply, guint index, const char *type, const char *member, const char *text)
{
  JsonNode *delta = interp_json_object ("type", INTERP_JSON_STRING (type), member, INTERP_JSON_STRING (text), NULL);

  messages_send (reply, "content_block_delta",
                 interp_json_object ("index", INTERP_JSON_INT (index), "delta", INTERP_JSON_NODE (delta), NULL));
}

static void
messages_end_block (InterpTestReply *reply, guint index)
{
  messages_send (reply, "content_block_stop", interp_json_object ("index", INTERP_JSON_INT (index), NULL));
}

static void
messages_text (InterpTestReply *reply, const char *text)
{
  messages_begin_block (reply, 1,
                        interp_json_object ("type", INTERP_JSON_STRING ("text"), "text", INTERP_JSON_STRING (""),
                                            NULL));
  messages_delta (reply, 1, "text_delta", "text", text);
  messages_end_block (reply, 1);
}

static void
messages_reasoning (InterpTestReply *reply, const char *text)
{
  messages_begin_block (reply, 0,
                        interp_json_object ("type", INTERP_JSON_STRING ("thinking"), "thinking",
                                            INTERP_JSON_STRING (""), NULL));
  messages_delta (reply, 0, "thinking_delta", "thinking", text);
  messages_delta (reply, 0, "signature_delta", "signature", "sig+/=");
  messages_end_block (reply, 0);
}

static void
messages_piece (InterpTestReply *reply, guint index, const char *piece)
{
  messages_delta (reply, BLOCK_OF_CALL (index), "input_json_delta", "partial_json", piece);
}

static void
messages_call (InterpTestReply *reply, guint index, const char *id, const char *language, const char *code,
               gboolean cut)
{
  messages_begin_block (reply, BLOCK_OF_CALL (index),
                        interp_json_object ("type", INTERP_JSON_STRING ("tool_use"), "id", INTERP_JSON_STRING (id),
                                            "name", INTERP_JSON_STRING ("run_code"), "input",
                                            INTERP_JSON_NODE (interp_json_object (NULL, NULL)), NULL));
  send_pieces (reply, index, language, code, cut, messages_piece);
  if (!cut)
    messages_end_block (reply, BLOCK_OF_CALL (index));
}

static void
messages_end (InterpTestReply *reply, const char *reason)
{
  const char *own = g_str_equal (reason, "length")       ? "max_tokens"
                    : g_str_equal (reason, "tool_calls") ? "tool_use"
                                                         : "end_turn";

  interp_test_reply_printf (reply,
                            "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"%s\","
                            "\"stop_sequence\":null},\"usage\":{\"input_tokens\":4,\"cache_read_input_tokens\":5,"
                            "\"cache_creation_input_tokens\":2,\"output_tokens\":7}}\n\n"
                            "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
                            own);
}

static void
messages_error (InterpTestReply *reply, const char *type, const char *message)
{
  interp_test_reply_printf (reply,
                            "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"%s\",\"message\":\"%s\"}}"
                            "\n\n",
                            type, message);
}

const Wire wire_messages = { .name = "messages",
                             .provider = "anthropic",
                             .base = "/v1",
                             .path = "/v1/messages",
                             .content_type = "text/event-stream",
                             .key_header = "x-api-key",
                             .key_prefix = "",
                             .text = messages_text,
                             .reasoning = messages_reasoning,
                             .call = messages_call,
                             .end = messages_end,
                             .error = messages_error };

/* ---- Responses ---- */

/* Thinking is item 0, text is 1, calls come behind. */
#define ITEM_OF_CALL(index) ((index) + 2)

static void
responses_send (InterpTestReply *reply, const char *event, guint index, const char *member, JsonNode *value)
{
  g_autofree char *before = g_strdup_printf ("event: %s\ndata: ", event);

  send_node (reply, before,
             interp_json_object ("type", INTERP_JSON_STRING (event), "output_index", INTERP_JSON_INT (index), member,
                                 INTERP_JSON_NODE (value), NULL),
             0, "\n\n");
}

static void
responses_delta (InterpTestReply *reply, const char *event, guint index, const char *text)
{
  responses_send (reply, event, index, "delta", json_node_init_string (json_node_alloc (), text));
}

static void
responses_text (InterpTestReply *reply, const char *text)
{
  responses_delta (reply, "response.output_text.delta", 1, text);
}

static void
responses_reasoning (InterpTestReply *reply, const char *text)
{
  responses_delta (reply, "response.reasoning_summary_text.delta", 0, text);
}

static void
responses_piece (InterpTestReply *reply, guint index, const char *piece)
{
  responses_delta (reply, "response.function_call_arguments.delta", ITEM_OF_CALL (index), piece);
}

static JsonNode *
responses_item (const char *id, const char *arguments)
{
  return interp_json_object ("type", INTERP_JSON_STRING ("function_call"), "id", INTERP_JSON_STRING ("fc_1"), "call_id",
                             INTERP_JSON_STRING (id), "name", INTERP_JSON_STRING ("run_code"), "arguments",
                             INTERP_JSON_STRING (arguments), NULL);
}

static void
responses_call (InterpTestReply *reply, guint index, const char *id, const char *language, const char *code,
                gboolean cut)
{
  g_autoptr (JsonNode) arguments = make_arguments (language, code);
  g_autofree char *text = interp_json_to_string (arguments);

  responses_send (reply, "response.output_item.added", ITEM_OF_CALL (index), "item", responses_item (id, ""));
  send_pieces (reply, index, language, code, cut, responses_piece);
  if (cut)
    return;

  responses_send (reply, "response.function_call_arguments.done", ITEM_OF_CALL (index), "arguments",
                  json_node_init_string (json_node_alloc (), text));
  responses_send (reply, "response.output_item.done", ITEM_OF_CALL (index), "item", responses_item (id, text));
}

static void
responses_end (InterpTestReply *reply, const char *reason)
{
  const char *status = g_str_equal (reason, "length") ? "incomplete" : "completed";

  interp_test_reply_printf (reply,
                            "event: response.%s\ndata: {\"type\":\"response.%s\",\"response\":{\"status\":\"%s\","
                            "\"error\":null,\"incomplete_details\":%s,\"output\":[],\"usage\":{\"input_tokens\":11,"
                            "\"output_tokens\":7}}}\n\n",
                            status, status, status,
                            g_str_equal (reason, "length") ? "{\"reason\":\"max_output_tokens\"}" : "null");
}

static void
responses_error (InterpTestReply *reply, const char *type, const char *message)
{
  interp_test_reply_printf (reply,
                            "event: error\ndata: {\"type\":\"error\",\"sequence_number\":9,\"error\":{\"type\":\"%s\","
                            "\"code\":null,\"message\":\"%s\",\"param\":null}}\n\n",
                            type, message);
}

const Wire wire_responses = { .name = "responses",
                              .provider = "openai",
                              .base = "/v1",
                              .path = "/v1/responses",
                              .content_type = "text/event-stream",
                              .key_header = "authorization",
                              .key_prefix = "Bearer ",
                              .text = responses_text,
                              .reasoning = responses_reasoning,
                              .call = responses_call,
                              .end = responses_end,
                              .error = responses_error };

/* ---- Gemini ---- */

static void
gemini_send (InterpTestReply *reply, JsonNode *part, gsize rest)
{
  JsonNode *parts = interp_json_array (INTERP_JSON_NODE (part), INTERP_JSON_END);
  JsonNode *content
      = interp_json_object ("role", INTERP_JSON_STRING ("model"), "parts", INTERP_JSON_NODE (parts), NULL);
  JsonNode *candidate = interp_json_object ("content", INTERP_JSON_NODE (content), NULL);

  send_node (reply, "data: ",
             interp_json_object ("candidates",
                                 INTERP_JSON_NODE (interp_json_array (INTERP_JSON_NODE (candidate), INTERP_JSON_END)),
                                 NULL),
             rest, "\n\n");
}

static void
gemini_text (InterpTestReply *reply, const char *text)
{
  gemini_send (reply, interp_json_object ("text", INTERP_JSON_STRING (text), NULL), 0);
}

static void
gemini_reasoning (InterpTestReply *reply, const char *text)
{
  gemini_send (reply, interp_json_object ("text", INTERP_JSON_STRING (text), "thought", INTERP_JSON_BOOL (TRUE), NULL),
               0);
}

static void
gemini_call (InterpTestReply *reply, guint index, const char *id, const char *language, const char *code, gboolean cut)
{
  JsonNode *call = interp_json_object ("id", INTERP_JSON_STRING (id), "name", INTERP_JSON_STRING ("run_code"), "args",
                                       INTERP_JSON_NODE (make_arguments (language, code)), NULL);

  gemini_send (reply, interp_json_object ("functionCall", INTERP_JSON_NODE (call), NULL),
               cut ? strlen ("\"}}}]}}]}") : 0);
}

static void
gemini_end (InterpTestReply *reply, const char *reason)
{
  interp_test_reply_printf (reply,
                            "data: {\"candidates\":[{\"content\":{\"role\":\"model\"},\"finishReason\":\"%s\"}],"
                            "\"usageMetadata\":{\"promptTokenCount\":11,\"candidatesTokenCount\":4,"
                            "\"thoughtsTokenCount\":3,\"totalTokenCount\":18}}\n\n",
                            g_str_equal (reason, "length") ? "MAX_TOKENS" : "STOP");
}

static void
gemini_error (InterpTestReply *reply, const char *type, const char *message)
{
  interp_test_reply_printf (reply, "data: {\"error\":{\"message\":\"%s\",\"status\":\"%s\"}}\n\n", message, type);
}

const Wire wire_gemini = { .name = "gemini",
                           .provider = "gemini",
                           .base = "",
                           .path = "/v1beta/models/m:streamGenerateContent",
                           .content_type = "text/event-stream",
                           .key_header = "x-goog-api-key",
                           .key_prefix = "",
                           .whole_calls = TRUE,
                           .text = gemini_text,
                           .reasoning = gemini_reasoning,
                           .call = gemini_call,
                           .end = gemini_end,
                           .error = gemini_error };

/* ---- whole answers ---- */

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
