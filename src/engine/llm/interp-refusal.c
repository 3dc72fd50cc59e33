/* interp-refusal.c: how a server says no
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm/interp-refusal.h"

#include "base/interp-clock.h"
#include "base/interp-json.h"
#include "base/interp-text.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#define MAX_MESSAGE 600
#define MAX_FOREIGN 200

InterpRefusal *
interp_refusal_new (guint status, const char *message)
{
  InterpRefusal *self = g_new0 (InterpRefusal, 1);

  self->status = status;
  self->message = g_strdup (message != NULL ? message : "");
  self->retry_after = -1;
  self->should_retry = -1;

  return self;
}

void
interp_refusal_free (InterpRefusal *self)
{
  g_free (self->message);
  g_free (self->type);
  g_free (self->code);
  g_free (self->param);
  g_free (self->failed_generation);
  g_free (self);
}

/* What a server says is shown: one line, no controls, not endless. */
static char *
clean (const char *text, gsize limit)
{
  g_autofree char *valid = interp_text_make_valid (text, -1);
  g_autofree char *visible = NULL;
  g_autoptr (GString) line = g_string_new (NULL);
  gboolean space = FALSE;

  visible = interp_text_make_visible (valid);
  for (const char *p = visible; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);

      if (g_unichar_isspace (c))
        {
          space = line->len > 0;
          continue;
        }

      if (line->len > limit)
        {
          g_string_append (line, "…");
          break;
        }

      if (space)
        g_string_append_c (line, ' ');
      space = FALSE;
      g_string_append_unichar (line, c);
    }

  return g_string_free_and_steal (g_steal_pointer (&line));
}

/* A code may be a string, a number or null. */
static char *
scalar_to_string (JsonNode *node)
{
  if (node == NULL || !JSON_NODE_HOLDS_VALUE (node))
    return NULL;

  if (json_node_get_value_type (node) == G_TYPE_STRING)
    return g_strdup (json_node_get_string (node));

  if (json_node_get_value_type (node) == G_TYPE_INT64)
    return g_strdup_printf ("%" G_GINT64_FORMAT, json_node_get_int (node));

  return NULL;
}

static guint
status_of_type (const char *type)
{
  static const struct
  {
    const char *type;
    guint status;
  } types[] = {
    { "overloaded_error", 529 },
    { "rate_limit", 429 },
    { "rate_limit_error", 429 },
    { "rate_limit_exceeded", 429 },
    { "RESOURCE_EXHAUSTED", 429 },
    { "UNAVAILABLE", 503 },
    { "unavailable_error", 503 },
    { "server_error", 500 },
    { "api_error", 500 },
    { "internal_error", 500 },
    { "timeout_error", 504 },
    { "authentication_error", 401 },
    { "permission_error", 403 },
    { "billing_error", 402 },
    { "not_found_error", 404 },
    { "invalid_request_error", 400 },
    { "exceed_context_size_error", 400 },
    { "insufficient_quota", 429 },
    { "tool_use_failed", 400 },
  };

  for (gsize i = 0; type != NULL && i < G_N_ELEMENTS (types); i++)
    if (g_str_equal (type, types[i].type))
      return types[i].status;

  return 0;
}

/* "34.4s" in google.rpc.RetryInfo; a quota that names a day is not worth waiting for. */
static void
read_details (InterpRefusal *self, JsonNode *error)
{
  guint n = interp_json_get_length (error, "details");

  for (guint i = 0; i < n && i < 64; i++)
    {
      g_autofree char *delay_path = g_strdup_printf ("details.%u.retryDelay", i);
      g_autofree char *quotas_path = g_strdup_printf ("details.%u.violations", i);
      guint n_quotas = interp_json_get_length (error, quotas_path);
      const char *delay = interp_json_get_string (error, delay_path);

      if (delay != NULL)
        {
          double seconds = g_ascii_strtod (delay, NULL);

          if (seconds >= 0 && seconds < 1e6)
            self->retry_after = (gint64) ceil (seconds * 1000);
        }

      for (guint k = 0; k < n_quotas && k < 64; k++)
        {
          g_autofree char *quota_path = g_strdup_printf ("%s.%u.quotaId", quotas_path, k);
          const char *quota = interp_json_get_string (error, quota_path);

          if (quota != NULL && strstr (quota, "PerDay") != NULL)
            self->should_retry = 0;
        }
    }
}

InterpRefusal *
interp_refusal_from_node (JsonNode *node, gboolean must_be_error)
{
  InterpRefusal *self;
  JsonNode *error;
  const char *message = NULL;
  const char *outer_type;
  gint64 number;

  /* Gemini's compatibility layer wraps the object in an array. */
  if (interp_json_is_array (node))
    node = interp_json_get (node, "0");

  if (!interp_json_is_object (node))
    return NULL;

  error = interp_json_get (node, "error");
  if (error != NULL && JSON_NODE_HOLDS_NULL (error))
    error = NULL;

  if (error != NULL && interp_json_is_object (error))
    {
      message = interp_json_get_first_string (error, "message", "error", "detail", "type", NULL);
      if (message == NULL)
        message = interp_json_get_string (error, "code");
    }
  else if (error != NULL && JSON_NODE_HOLDS_VALUE (error) && json_node_get_value_type (error) == G_TYPE_STRING)
    {
      message = json_node_get_string (error);
      error = node;
    }
  else if (error != NULL)
    {
      /* "error": true, with the words elsewhere. */
      if (JSON_NODE_HOLDS_VALUE (error) && json_node_get_value_type (error) == G_TYPE_BOOLEAN
          && !json_node_get_boolean (error) && !must_be_error)
        return NULL;
      error = node;
      message = interp_json_get_first_string (node, "message", "detail", NULL);
    }
  else
    {
      g_auto (GStrv) members = NULL;
      const char *object = interp_json_get_string (node, "object");
      const char *type = interp_json_get_string (node, "type");

      error = node;

      if (g_strcmp0 (object, "error") == 0 || g_strcmp0 (type, "error") == 0 || must_be_error)
        message = interp_json_get_first_string (node, "message", "detail", "detail.0.msg", "title", NULL);

      /* Ollama 0.11: {"error parsing tool call": "…"} */
      if (message == NULL && interp_json_get (node, "choices") == NULL && interp_json_get (node, "message") == NULL)
        {
          members = interp_json_get_members (node, NULL);
          for (gsize i = 0; members != NULL && members[i] != NULL; i++)
            if (g_str_has_prefix (members[i], "error"))
              {
                g_autofree char *text = NULL;
                JsonNode *value = json_object_get_member (json_node_get_object (node), members[i]);
                g_autofree char *words = scalar_to_string (value);
                g_autofree char *cleaned = NULL;

                text = g_strdup_printf ("%s: %s", members[i], words != NULL ? words : "");
                cleaned = clean (text, MAX_MESSAGE);
                return interp_refusal_new (0, cleaned);
              }
        }

      if (message == NULL && !must_be_error && g_strcmp0 (object, "error") != 0 && g_strcmp0 (type, "error") != 0)
        return NULL;
    }

  self = interp_refusal_new (0, NULL);
  g_free (self->message);
  self->message = clean (message != NULL ? message : "", MAX_MESSAGE);

  outer_type = interp_json_get_first_string (error, "type", "status", NULL);
  self->type = g_strdup (outer_type);
  self->code = scalar_to_string (interp_json_get (error, "code"));
  self->param = g_strdup (interp_json_get_string (error, "param"));
  self->failed_generation = g_strdup (interp_json_get_string (error, "failed_generation"));
  self->n_prompt = interp_json_get_int (error, "n_prompt_tokens", 0);
  self->n_context = interp_json_get_int (error, "n_ctx", 0);

  number = interp_json_get_int (error, "status_code", 0);
  if (number < 400 || number > 599)
    number = interp_json_get_int (error, "code", 0);
  /* Some write it as a string. */
  if ((number < 400 || number > 599) && self->code != NULL)
    number = g_ascii_strtoll (self->code, NULL, 10);
  if (number >= 400 && number <= 599)
    self->status = number;
  else
    self->status = status_of_type (self->code);
  if (self->status == 0)
    self->status = status_of_type (self->type);

  if (self->failed_generation == NULL)
    self->failed_generation = g_strdup (interp_json_get_string (error, "metadata.failed_generation"));

  /* OpenRouter keeps the upstream's own words aside. */
  {
    const char *upstream = interp_json_get_string (error, "metadata.raw");

    if (upstream != NULL && *upstream != '\0')
      {
        g_autofree char *text = g_strdup_printf ("%s (%s)", self->message, upstream);

        g_free (self->message);
        self->message = clean (text, MAX_MESSAGE);
      }
  }

  read_details (self, error);

  return self;
}

/* retry-after-ms, then retry-after as seconds or an HTTP date. */
static gint64
read_retry_after (SoupMessageHeaders *headers)
{
  const char *value = soup_message_headers_get_one (headers, "retry-after-ms");
  char *end = NULL;
  double number;

  if (value != NULL)
    {
      number = g_ascii_strtod (value, &end);
      if (end != value && number >= 0 && number < 1e10)
        return (gint64) ceil (number);
    }

  value = soup_message_headers_get_one (headers, "retry-after");
  if (value == NULL)
    return -1;

  number = g_ascii_strtod (value, &end);
  if (end != value && *end == '\0')
    return number >= 0 && number < 1e7 ? (gint64) ceil (number * 1000) : -1;

  {
    g_autoptr (GDateTime) date = soup_date_time_new_from_http_string (value);

    if (date == NULL)
      return -1;

    return MAX (0, g_date_time_to_unix (date) * 1000 - interp_clock_now ());
  }
}

static char *
describe_foreign_body (const char *body, gsize length)
{
  g_autofree char *valid = interp_text_make_valid (body, MIN (length, 4096));
  g_autoptr (GString) text = g_string_new (NULL);
  gboolean in_tag = FALSE;

  /* Pages of proxies: what stands between the tags is what they say. */
  for (const char *p = valid; *p != '\0'; p++)
    {
      if (*p == '<' && (g_ascii_isalpha (p[1]) || p[1] == '/' || p[1] == '!'))
        in_tag = TRUE;
      if (!in_tag)
        g_string_append_c (text, *p);
      else if (*p == '>')
        {
          in_tag = FALSE;
          g_string_append_c (text, ' ');
        }
    }

  return clean (text->str, MAX_FOREIGN);
}

InterpRefusal *
interp_refusal_from_response (guint status, const char *reason, SoupMessageHeaders *headers, const char *body,
                              gsize length)
{
  g_autoptr (JsonNode) node = NULL;
  InterpRefusal *self = NULL;

  if (length > 0)
    node = interp_json_parse (body, length, INTERP_JSON_PARSE_NONE, NULL);

  if (node != NULL)
    self = interp_refusal_from_node (node, TRUE);

  if (self == NULL)
    {
      g_autofree char *text = length > 0 ? describe_foreign_body (body, length) : NULL;

      self = interp_refusal_new (status, text != NULL && *text != '\0' ? text : reason);
    }

  /* The status line rules; some errors inside name another server's status. */
  if (status >= 300)
    self->status = status;

  if (headers != NULL)
    {
      const char *should = soup_message_headers_get_one (headers, "x-should-retry");
      gint64 after = read_retry_after (headers);

      if (after >= 0)
        self->retry_after = after;
      if (g_strcmp0 (should, "true") == 0)
        self->should_retry = 1;
      else if (g_strcmp0 (should, "false") == 0)
        self->should_retry = 0;
    }

  return self;
}

/* ---- what it means ---- */

static gboolean
says (InterpRefusal *self, ...)
{
  g_autofree char *message = g_utf8_strdown (self->message, -1);
  gboolean found = FALSE;
  const char *words;
  va_list args;

  va_start (args, self);
  while (!found && (words = va_arg (args, const char *)) != NULL)
    found = strstr (message, words) != NULL;
  va_end (args);

  return found;
}

static gboolean
is_called (InterpRefusal *self, ...)
{
  gboolean found = FALSE;
  const char *word;
  va_list args;

  va_start (args, self);
  while (!found && (word = va_arg (args, const char *)) != NULL)
    found = g_strcmp0 (self->type, word) == 0 || g_strcmp0 (self->code, word) == 0;
  va_end (args);

  return found;
}

gboolean
interp_refusal_is_loading (InterpRefusal *self)
{
  return self->status == 503 && says (self, "loading model", "model is loading", "currently loading", NULL);
}

static gboolean
is_quota (InterpRefusal *self)
{
  return self->status == 402
         || is_called (self, "insufficient_quota", "billing_error", "billing_not_active", "billing_hard_limit_reached",
                       "enforced_spend_limit_reached", "insufficient_credits", "1113", NULL)
         || (self->status == 429 && self->should_retry == 0)
         /* That of a minute, when it is said how long to wait. */
         || (self->status == 429 && self->retry_after < 0 && says (self, "exceeded your current quota", NULL))
         || (self->status == 429
             && says (self, "insufficient balance", "credit balance", "spend limit", "out of credits", NULL));
}

gboolean
interp_refusal_is_passing (InterpRefusal *self)
{
  if (is_quota (self))
    return FALSE;

  if (self->should_retry >= 0)
    return self->should_retry;

  /* llama-server reports what the request got wrong as 500. */
  if (self->status >= 500
      && says (self, "is not supported", "failed to parse", "does not support", "context size", "not found",
               "no user query", "tools param requires", NULL))
    return FALSE;

  return self->status == 408 || self->status == 409 || self->status == 425 || self->status == 429
         || (self->status >= 500 && self->status != 501 && self->status != 505);
}

InterpLlmError
interp_refusal_classify (InterpRefusal *self)
{
  if (is_called (self, "exceed_context_size_error", "context_length_exceeded", "model_context_window_exceeded",
                 "context_window_exceeded", NULL)
      || (self->status != 429
          && says (self, "context size has been exceeded", "maximum context length", "context length exceeded",
                   "exceeds the available context", "exceed context", "context window", "prompt is too long",
                   "too many tokens", "input is too long", "exceeds the maximum number of tokens",
                   "no user query found", "token limit", "longer than the model's context", NULL))
      || self->status == 413)
    return INTERP_LLM_ERROR_CONTEXT;

  if (is_quota (self))
    return INTERP_LLM_ERROR_QUOTA;

  if (self->status == 401 || self->status == 403 || self->status == 407
      || is_called (self, "invalid_api_key", "authentication_error", "permission_error", "UNAUTHENTICATED",
                    "PERMISSION_DENIED", NULL)
      || (self->status == 400
          && says (self, "api key not valid", "invalid api key", "incorrect api key", "api key expired", NULL)))
    return INTERP_LLM_ERROR_KEY;

  if (self->status < 429 && self->status != 404
      && says (self, "does not support tools", "does not support tool", "tool calling is not supported",
               "tool use is not supported", "tools are not supported", "no endpoints found that support tool use",
               "does not support function", "function calling is not supported", "function calling is not enabled",
               "\"auto\" tool choice requires", "tool choice requires", "tools param requires",
               "does not support parameters: ['tools'", "`tools` is not supported", NULL))
    return INTERP_LLM_ERROR_NO_TOOLS;

  if (self->status == 404 && says (self, "support tool use", "support tools", NULL))
    return INTERP_LLM_ERROR_NO_TOOLS;

  if ((self->status >= 500
       && says (self, "tools param requires", "does not support tools", "tool calling is not supported", NULL)))
    return INTERP_LLM_ERROR_NO_TOOLS;

  if (is_called (self, "model_not_found", "unknown_model", "model_not_exist", NULL)
      || ((self->status == 404 || self->status == 400) && says (self, "model", NULL)
          && says (self, "not found", "does not exist", "not exist", "no such model", "not a valid model",
                   "unknown model", "is not available", "invalid model", "try pulling it", NULL)))
    return INTERP_LLM_ERROR_NO_MODEL;

  if (self->status == 429 || self->status == 408 || self->status == 503 || self->status == 529 || self->status == 504)
    return INTERP_LLM_ERROR_BUSY;

  if (self->status >= 500 && interp_refusal_is_passing (self))
    return INTERP_LLM_ERROR_BUSY;

  if (self->status == 0)
    return INTERP_LLM_ERROR_INCOMPLETE;

  return INTERP_LLM_ERROR_REQUEST;
}

static gboolean
refuses (InterpRefusal *self, const char *param)
{
  g_autofree char *quoted = NULL;

  if (g_strcmp0 (self->param, param) == 0)
    return TRUE;

  /* "max_tokens" must not be found in "max_tokens_to_sample" or "max_completion_tokens". */
  for (const char *p = strstr (self->message, param); p != NULL; p = strstr (p + 1, param))
    {
      char before = p > self->message ? p[-1] : ' ';
      char after = p[strlen (param)];

      if (!g_ascii_isalnum (before) && before != '_' && !g_ascii_isalnum (after) && after != '_')
        return TRUE;
    }

  return FALSE;
}

InterpQuirks
interp_refusal_suggest (InterpRefusal *self, InterpQuirks quirks)
{
  if (self->status != 400 && self->status != 422 && self->status != 404 && self->status != 500)
    return 0;

  switch (interp_refusal_classify (self))
    {
    case INTERP_LLM_ERROR_CONTEXT:
    case INTERP_LLM_ERROR_KEY:
    case INTERP_LLM_ERROR_NO_MODEL:
    case INTERP_LLM_ERROR_QUOTA:
      return 0;

    case INTERP_LLM_ERROR_UNREACHABLE:
    case INTERP_LLM_ERROR_BUSY:
    case INTERP_LLM_ERROR_NO_TOOLS:
    case INTERP_LLM_ERROR_REQUEST:
    case INTERP_LLM_ERROR_INCOMPLETE:
    case INTERP_LLM_ERROR_PROTOCOL:
    case INTERP_LLM_ERROR_OFFLINE:
    default:
      break;
    }

  if (!(quirks & INTERP_QUIRK_EFFORT_NONE) && refuses (self, "reasoning_effort"))
    return INTERP_QUIRK_EFFORT_NONE;

  if (refuses (self, "max_tokens") && !(quirks & (INTERP_QUIRK_COMPLETION_TOKENS | INTERP_QUIRK_NO_MAX_TOKENS)))
    return INTERP_QUIRK_COMPLETION_TOKENS;

  if (refuses (self, "max_completion_tokens") && (quirks & INTERP_QUIRK_COMPLETION_TOKENS)
      && !(quirks & INTERP_QUIRK_NO_MAX_TOKENS))
    return INTERP_QUIRK_NO_MAX_TOKENS;

  if ((refuses (self, "max_output_tokens") || refuses (self, "maxOutputTokens"))
      && !(quirks & INTERP_QUIRK_NO_MAX_TOKENS))
    return INTERP_QUIRK_NO_MAX_TOKENS;

  if (refuses (self, "temperature") && !(quirks & INTERP_QUIRK_NO_TEMPERATURE))
    return INTERP_QUIRK_NO_TEMPERATURE;

  if ((quirks & INTERP_QUIRK_THINKS) && !(quirks & INTERP_QUIRK_NO_THINKING) && says (self, "thinking", NULL))
    return INTERP_QUIRK_NO_THINKING;

  if ((quirks & INTERP_QUIRK_THINKS) && !(quirks & INTERP_QUIRK_NO_SUMMARY)
      && (refuses (self, "reasoning.summary") || says (self, "reasoning summar", NULL)))
    return INTERP_QUIRK_NO_SUMMARY;

  if ((quirks & INTERP_QUIRK_THINKS) && !(quirks & INTERP_QUIRK_NO_THINKING)
      && (refuses (self, "include") || says (self, "encrypted content", "encrypted_content", NULL)))
    return INTERP_QUIRK_NO_THINKING;

  if (refuses (self, "stream_options") && !(quirks & INTERP_QUIRK_NO_STREAM_OPTIONS))
    return INTERP_QUIRK_NO_STREAM_OPTIONS;

  if (!(quirks & INTERP_QUIRK_EMPTY_CONTENT) && refuses (self, "content") && says (self, "null", "none", NULL))
    return INTERP_QUIRK_EMPTY_CONTENT;

  if (!(quirks & INTERP_QUIRK_BRIDGE_USER) && says (self, "unexpected role 'user' after role 'tool'", NULL))
    return INTERP_QUIRK_BRIDGE_USER;

  if (!(quirks & INTERP_QUIRK_SHORT_CALL_IDS) && says (self, "tool call id", NULL) && says (self, "length of 9", NULL))
    return INTERP_QUIRK_SHORT_CALL_IDS;

  if (!(quirks & INTERP_QUIRK_ECHO_REASONING) && refuses (self, "reasoning_content"))
    return INTERP_QUIRK_ECHO_REASONING;

  return 0;
}

GError *
interp_refusal_to_error (InterpRefusal *self, const char *title, const char *place, const char *model)
{
  InterpLlmError code = interp_refusal_classify (self);
  g_autofree char *words = NULL;
  g_autofree char *text = NULL;

  if (*self->message != '\0')
    words = g_strdup_printf (_ ("It said: %s"), self->message);
  else if (self->status != 0)
    words = g_strdup_printf (_ ("It gave status %u."), self->status);
  else
    words = g_strdup (_ ("It gave no reason."));

  switch (code)
    {
    case INTERP_LLM_ERROR_KEY:
      text = g_strdup_printf (_ ("%s does not accept the key. %s"), title, words);
      break;

    case INTERP_LLM_ERROR_NO_MODEL:
      text = g_strdup_printf (_ ("%s has no model “%s”. %s"), title, model, words);
      break;

    case INTERP_LLM_ERROR_QUOTA:
      text = g_strdup_printf (_ ("The account at %s has reached its limit. %s"), title, words);
      break;

    case INTERP_LLM_ERROR_BUSY:
      text = g_strdup_printf (_ ("%s is busy or has trouble. Try again later. %s"), title, words);
      break;

    case INTERP_LLM_ERROR_CONTEXT:
      if (self->n_prompt > 0 && self->n_context > 0)
        text = g_strdup_printf (_ ("The conversation is too long for this model: it has %lld tokens, %s takes %lld."),
                                (long long) self->n_prompt, title, (long long) self->n_context);
      else
        text = g_strdup_printf (_ ("The conversation is too long for this model. %s answered: %s"), title,
                                self->message);
      break;

    case INTERP_LLM_ERROR_NO_TOOLS:
      text = g_strdup_printf (_ ("The model “%s” has no tool calling at %s."), model, title);
      break;

    case INTERP_LLM_ERROR_INCOMPLETE:
      text = g_strdup_printf (_ ("%s reported an error instead of an answer. %s"), title, words);
      break;

    case INTERP_LLM_ERROR_REQUEST:
      if (self->status >= 300 && self->status < 400)
        text
            = g_strdup_printf (_ ("%s at %s sends requests elsewhere, which is not followed. %s"), title, place, words);
      else if (self->status == 404)
        text = g_strdup_printf (_ ("There is nothing at %s. %s"), place, words);
      else
        text = g_strdup_printf (_ ("%s refused the request. %s"), title, words);
      break;

    case INTERP_LLM_ERROR_UNREACHABLE:
    case INTERP_LLM_ERROR_PROTOCOL:
    case INTERP_LLM_ERROR_OFFLINE:
    default:
      text = g_strdup_printf (_ ("%s could not answer. %s"), title, words);
      break;
    }

  return g_error_new_literal (INTERP_LLM_ERROR, code, text);
}
