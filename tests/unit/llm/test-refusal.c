/* test-refusal.c: refusals in all their shapes, and whether to try again
 *
 * In the table ' stands for ".
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm/interp-refusal.h"

#include "base/interp-clock.h"

#include <string.h>

/* 2026-01-01 12:00:00 UTC */
#define NOW G_GINT64_CONSTANT (1767268800000)

typedef struct
{
  guint status;
  const char *headers; /* "name: value\n…", nullable */
  const char *body;
  guint expected_status;
  const char *message;
  InterpLlmError error;
  gboolean is_passing;
  gint64 retry_after;
} Case;

static const Case cases[] = {
  /* what it says */
  { 400, NULL, "{'error':{'message':'No','type':'invalid_request_error','param':'x','code':null}}", 400, "No",
    INTERP_LLM_ERROR_REQUEST, FALSE, -1 },
  { 400, NULL, "{'error':'No'}", 400, "No", INTERP_LLM_ERROR_REQUEST, FALSE, -1 },
  { 400, NULL, "{'object':'error','message':'No','type':'BadRequestError','code':400}", 400, "No",
    INTERP_LLM_ERROR_REQUEST, FALSE, -1 },
  { 400, NULL, "{'message':'No','detail':'More'}", 400, "No", INTERP_LLM_ERROR_REQUEST, FALSE, -1 },
  { 422, NULL, "{'detail':'No'}", 422, "No", INTERP_LLM_ERROR_REQUEST, FALSE, -1 },
  { 422, NULL, "{'detail':[{'loc':['body'],'msg':'No','type':'missing'}]}", 422, "No", INTERP_LLM_ERROR_REQUEST, FALSE,
    -1 },
  { 400, NULL, "[{'error':{'code':400,'message':'No','status':'INVALID_ARGUMENT'}}]", 400, "No",
    INTERP_LLM_ERROR_REQUEST, FALSE, -1 },
  { 400, NULL, "{\n  'error': {\n    'message': 'One\\nline'\n  }\n}\n", 400, "One line", INTERP_LLM_ERROR_REQUEST,
    FALSE, -1 },
  { 502, NULL, "<html><head><title>Bad gateway</title></head></html>", 502, "Bad gateway", INTERP_LLM_ERROR_BUSY, TRUE,
    -1 },
  { 401, NULL, "{'type':'error','error':{'type':'authentication_error','message':'No key'}}", 401, "No key",
    INTERP_LLM_ERROR_KEY, FALSE, -1 },
  /* The status of the answer rules. */
  { 503, NULL, "{'error':{'message':'Behind it','code':400}}", 503, "Behind it", INTERP_LLM_ERROR_BUSY, TRUE, -1 },

  /* when to try again */
  { 429, NULL, "{'error':'Slow'}", 429, "Slow", INTERP_LLM_ERROR_BUSY, TRUE, -1 },
  { 429, "Retry-After: 3\n", "{'error':'Slow'}", 429, "Slow", INTERP_LLM_ERROR_BUSY, TRUE, 3000 },
  { 429, "Retry-After: 1.57\n", "{'error':'Slow'}", 429, "Slow", INTERP_LLM_ERROR_BUSY, TRUE, 1570 },
  { 429, "Retry-After: Thu, 01 Jan 2026 12:00:07 GMT\n", "{'error':'Slow'}", 429, "Slow", INTERP_LLM_ERROR_BUSY, TRUE,
    7000 },
  { 429, "Retry-After: Thu, 01 Jan 2026 11:00:00 GMT\n", "{'error':'Slow'}", 429, "Slow", INTERP_LLM_ERROR_BUSY, TRUE,
    0 },
  { 429, "Retry-After: soon\n", "{'error':'Slow'}", 429, "Slow", INTERP_LLM_ERROR_BUSY, TRUE, -1 },
  { 429, "Retry-After: -5\n", "{'error':'Slow'}", 429, "Slow", INTERP_LLM_ERROR_BUSY, TRUE, -1 },
  { 429, "Retry-After-Ms: 250\nRetry-After: 3\n", "{'error':'Slow'}", 429, "Slow", INTERP_LLM_ERROR_BUSY, TRUE, 250 },
  { 429, NULL,
    "{'error':{'code':429,'message':'Slow','status':'RESOURCE_EXHAUSTED','details':[{'@type':"
    "'type.googleapis.com/google.rpc.RetryInfo','retryDelay':'34.4s'}]}}",
    429, "Slow", INTERP_LLM_ERROR_BUSY, TRUE, 34400 },
  { 429, NULL,
    "{'error':{'code':429,'message':'Enough','status':'RESOURCE_EXHAUSTED','details':[{'violations':[{'quotaId':"
    "'GenerateRequestsPerDayPerProjectPerModel'}]},{'retryDelay':'3s'}]}}",
    429, "Enough", INTERP_LLM_ERROR_QUOTA, FALSE, 3000 },
  { 429, NULL, "{'error':{'message':'No money','type':'insufficient_quota','code':'insufficient_quota'}}", 429,
    "No money", INTERP_LLM_ERROR_QUOTA, FALSE, -1 },
  { 402, NULL, "{'error':{'message':'No money'}}", 402, "No money", INTERP_LLM_ERROR_QUOTA, FALSE, -1 },
  { 529, NULL, "{'type':'error','error':{'type':'overloaded_error','message':'Overloaded'}}", 529, "Overloaded",
    INTERP_LLM_ERROR_BUSY, TRUE, -1 },
  { 408, NULL, "{'error':'Late'}", 408, "Late", INTERP_LLM_ERROR_BUSY, TRUE, -1 },
  { 500, "X-Should-Retry: false\n", "{'error':'Broken'}", 500, "Broken", INTERP_LLM_ERROR_REQUEST, FALSE, -1 },
};

static void
test_cases (void)
{
  interp_clock_set_fake (NOW);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const Case *it = &cases[i];
      g_autoptr (SoupMessageHeaders) headers = soup_message_headers_new (SOUP_MESSAGE_HEADERS_RESPONSE);
      g_auto (GStrv) lines = g_strsplit (it->headers != NULL ? it->headers : "", "\n", -1);
      g_autofree char *body = g_strdelimit (g_strdup (it->body), "'", '"');
      g_autoptr (InterpRefusal) refusal = NULL;

      for (char **line = lines; *line != NULL; line++)
        {
          g_auto (GStrv) parts = g_strsplit (*line, ": ", 2);

          if (g_strv_length (parts) == 2)
            soup_message_headers_append (headers, parts[0], parts[1]);
        }

      g_test_message ("%u %s", it->status, body);
      refusal = interp_refusal_from_response (it->status, "Reason", headers, body, strlen (body));
      g_assert_cmpuint (refusal->status, ==, it->expected_status);
      g_assert_cmpstr (refusal->message, ==, it->message);
      g_assert_cmpint (interp_refusal_classify (refusal), ==, it->error);
      g_assert_cmpint (interp_refusal_is_passing (refusal), ==, it->is_passing);
      g_assert_cmpint (refusal->retry_after, ==, it->retry_after);
    }
  interp_clock_set_real ();
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/llm/refusal/cases", test_cases);

  return g_test_run ();
}
