/* interp-exchange.c: one answer over HTTP
 *
 * Sends the request, reads the answer through the codec, and does what must be done when it does not go well: wait and
 * try again, send it differently once, or say what happened. Nothing is repeated once the user has seen a part of the
 * answer.
 *
 * Time: a model on this computer may take as long as it likes to load and to read the prompt, as long as its server
 * lives. Comments and pings do not count as signs of an answer.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm/interp-address.h"
#include "llm/interp-answer-filter.h"
#include "llm/interp-exchange.h"
#include "llm/interp-http.h"
#include "llm/interp-provider-private.h"
#include "llm/interp-stream-private.h"

#include "base/interp-clock.h"
#include "base/interp-fiber.h"
#include "base/interp-json.h"

#include <glib/gi18n.h>

/* All in milliseconds. */
#define FIRST_LIMIT (10 * 60 * 1000)      /* remote: until the first event */
#define IDLE_LIMIT (3 * 60 * 1000)        /* remote: between events */
#define LOCAL_IDLE_LIMIT (10 * 60 * 1000) /* this computer: between events */
#define ENDING_LIMIT 2000                 /* after the last piece: for usage and the end mark */
#define PATIENCE 1500                     /* before the user is told what is being waited for */
#define CHECK_EVERY 3000                  /* asking a local server how far it is */
#define CHECK_LIMIT 2000
#define LOADING_STEP 1000
#define BACKOFF 500
#define BACKOFF_MAX 8000
#define WAIT_MAX (10 * 60 * 1000) /* longest wait that a server may ask for */

#define MAX_RETRIES 2
#define MAX_ERROR_BODY (64 * 1024)

static guint tick_msec = 1000;

void
interp_exchange_set_tick (guint msec)
{
  tick_msec = msec;
}

typedef struct
{
  InterpStreamCore *core;
  InterpProvider *provider;
  InterpModel *model;
  InterpRequest *request;
  const InterpCodec *codec;
  gboolean local;

  InterpAnswerFilter *filter; /* of this attempt */
  GCancellable *cancellable;  /* of this attempt */
  gboolean any_output;        /* the user has seen something */
  char *told;                 /* last PROGRESS text */

  DexFuture *check; /* question to a local server under way */
  gint64 next_check;
  guint n_unanswered;
} Exchange;

typedef enum
{
  OUTCOME_DONE,
  OUTCOME_CLOSED,
  OUTCOME_REFUSED, /* refusal */
  OUTCOME_BROKEN,  /* refusal; the answer is not whole */
  OUTCOME_LOST,    /* error of the connection */
  OUTCOME_FAILED,  /* error to be given as it is */
} Outcome;

typedef struct
{
  Outcome outcome;
  InterpRefusal *refusal;
  GError *error;
  char *url;
} Result;

static void
result_clear (Result *result)
{
  g_clear_pointer (&result->refusal, interp_refusal_free);
  g_clear_error (&result->error);
  g_clear_pointer (&result->url, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Result, result_clear)

static void
exchange_free (gpointer data)
{
  Exchange *self = data;

  g_clear_pointer (&self->filter, interp_answer_filter_free);
  g_clear_pointer (&self->core, interp_stream_core_unref);
  g_clear_object (&self->cancellable);
  g_clear_object (&self->model);
  g_clear_object (&self->provider);
  g_clear_pointer (&self->request, interp_request_unref);
  dex_clear (&self->check);
  g_free (self->told);
  g_free (self);
}

static gint64
now_msec (void)
{
  return interp_clock_monotonic () / 1000;
}

/* ---- events ---- */

/* From the filter to the reader. */
static void
on_event (InterpEvent *event, gpointer data)
{
  Exchange *self = data;

  switch (event->kind)
    {
    case INTERP_EVENT_TEXT:
    case INTERP_EVENT_REASONING:
    case INTERP_EVENT_CALL_BEGIN:
    case INTERP_EVENT_CALL_PROGRESS:
    case INTERP_EVENT_CALL_END:
      self->any_output = TRUE;
      break;

    case INTERP_EVENT_FINISH:
      if (interp_answer_filter_lacks_opener (self->filter))
        interp_model_add_quirks (self->model, INTERP_QUIRK_THINK_OPEN);
      break;

    case INTERP_EVENT_OPAQUE:
    case INTERP_EVENT_USAGE:
    case INTERP_EVENT_PROGRESS:
    case INTERP_EVENT_WARNING:
    case INTERP_EVENT_RETHINK:
    default:
      break;
    }

  interp_stream_core_push (self->core, event);
}

/* From the codec to the filter. */
static void
on_decoded (InterpEvent *event, gpointer data)
{
  Exchange *self = data;

  interp_answer_filter_push (self->filter, event);
}

static void
tell (Exchange *self, const char *text, gint64 retry_in)
{
  InterpEvent *event;

  /* A countdown is told each time, a state once. */
  if (retry_in == 0 && g_strcmp0 (self->told, text) == 0)
    return;

  g_set_str (&self->told, text);
  event = interp_event_new_text (INTERP_EVENT_PROGRESS, text);
  event->retry_in = retry_in;
  interp_stream_core_push (self->core, event);
}

/* ---- waiting ---- */

typedef enum
{
  WAIT_READY,
  WAIT_CLOSED,
  WAIT_TICK,
} Wait;

static Wait
wait_for (Exchange *self, DexFuture *future, gint64 msec)
{
  dex_await (dex_future_first (dex_ref (future), interp_stream_core_dup_closed (self->core),
                               interp_timeout (CLAMP (msec, 0, tick_msec)), NULL),
             NULL);

  if (interp_stream_core_is_closed (self->core))
    {
      g_cancellable_cancel (self->cancellable);
      return WAIT_CLOSED;
    }

  return dex_future_is_pending (future) ? WAIT_TICK : WAIT_READY;
}

/* FALSE when the reader closed meanwhile. */
static gboolean
pause_with_countdown (Exchange *self, gint64 msec, const char *text)
{
  gint64 until = now_msec () + msec;

  for (;;)
    {
      gint64 left = until - now_msec ();

      if (left <= 0)
        return TRUE;

      tell (self, text, left);
      dex_await (dex_future_first (interp_stream_core_dup_closed (self->core),
                                   interp_timeout (CLAMP (left, 1, tick_msec)), NULL),
                 NULL);

      if (interp_stream_core_is_closed (self->core))
        return FALSE;
    }
}

/* What a local server does while no answer comes: asked from time to time, without waiting. */
static gboolean
look_at_local_server (Exchange *self)
{
  const char *health = interp_profile_get_health (interp_provider_get_profile (self->provider));
  g_autoptr (InterpCodecContext) context = NULL;
  InterpHttpRequest *request = NULL;

  if (self->check != NULL && !dex_future_is_pending (self->check))
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (InterpHttpReply) reply = dex_await_boxed (g_steal_pointer (&self->check), &error);

      if (reply == NULL)
        {
          /* Too busy to answer is not dead. */
          self->n_unanswered = interp_http_error_is_refused (error) ? self->n_unanswered + 1 : 0;
          if (self->n_unanswered >= 2)
            return FALSE;
        }
      else
        {
          gboolean loading = reply->status == 503;

          self->n_unanswered = 0;

          if (self->codec->parse_loaded != NULL && reply->status == 200)
            {
              gsize length;
              const char *body = g_bytes_get_data (reply->body, &length);
              g_autoptr (JsonNode) node
                  = length > 0 ? interp_json_parse (body, length, INTERP_JSON_PARSE_NONE, NULL) : NULL;

              loading = node != NULL && !self->codec->parse_loaded (node, self->request->model);
            }

          if (reply->status == 200 || reply->status == 503)
            tell (self, loading ? _ ("Loading the model") : _ ("Reading the prompt"), 0);
        }
    }

  if (self->check != NULL || now_msec () < self->next_check)
    return TRUE;

  self->next_check = now_msec () + CHECK_EVERY;
  context = interp_provider_make_context (self->provider, self->model);

  if (self->codec->build_loaded != NULL)
    request = self->codec->build_loaded (context);
  else if (health != NULL)
    request = interp_http_request_new ("GET", interp_address_at_host (context->base_url, health), NULL);

  if (request != NULL)
    self->check = interp_http_fetch (request, CHECK_LIMIT, MAX_ERROR_BODY, NULL);

  return TRUE;
}

/* ---- one attempt ---- */

typedef struct
{
  const InterpCodec *codec;
  InterpCodecContext *context;
  InterpRequest *request;
} Build;

static void
build_free (gpointer data)
{
  Build *build = data;

  interp_codec_context_unref (build->context);
  interp_request_unref (build->request);
  g_free (build);
}

static DexFuture *
build_worker (gpointer data)
{
  Build *build = data;

  return dex_future_new_for_pointer (build->codec->build (build->context, build->request));
}

static void
fail (Result *result, Outcome outcome, GError *error)
{
  result->outcome = outcome;
  result->error = error;
}

static GError *
silence_error (Exchange *self, gint64 limit)
{
  return g_error_new (INTERP_LLM_ERROR, INTERP_LLM_ERROR_INCOMPLETE,
                      self->any_output ? _ ("The answer stopped in the middle: nothing came from %s for %d minutes.")
                                       : _ ("There is no answer: nothing came from %s for %d minutes."),
                      interp_provider_get_title (self->provider), (int) (limit / 60000));
}

/* The time of the next thing that must happen, and what to do once it has come. */
typedef struct
{
  gint64 started;
  gint64 last_payload;
  gint64 ending_since; /* 0: not yet */
  gboolean any_payload;
} Timers;

/* FALSE: waiting has ended, @result says how. */
static gboolean
check_timers (Exchange *self, Timers *timers, Result *result)
{
  gint64 now = now_msec ();
  gint64 limit;

  if (!timers->any_payload)
    {
      if (self->local)
        {
          if (now - timers->started >= PATIENCE && !look_at_local_server (self))
            {
              g_autoptr (GError) refused
                  = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_CONNECTION_REFUSED, "Connection refused");

              fail (result, OUTCOME_FAILED, interp_provider_describe_failure (self->provider, refused));
              return FALSE;
            }
          return TRUE;
        }

      if (now - timers->started >= PATIENCE)
        {
          g_autofree char *text = g_strdup_printf (_ ("Waiting for %s"), interp_provider_get_title (self->provider));

          tell (self, text, 0);
        }

      if (now - timers->started < FIRST_LIMIT)
        return TRUE;

      fail (result, OUTCOME_FAILED, silence_error (self, FIRST_LIMIT));
      return FALSE;
    }

  limit = self->local ? LOCAL_IDLE_LIMIT : IDLE_LIMIT;
  if (now - timers->last_payload < limit)
    return TRUE;

  fail (result, OUTCOME_FAILED, silence_error (self, limit));
  return FALSE;
}

/* An error's body: as much of it as comes in a few seconds. */
static void
read_refusal (Exchange *self, SoupMessage *message, GInputStream *stream, Result *result)
{
  g_autoptr (GByteArray) body = g_byte_array_new ();
  gint64 deadline = now_msec () + 5000;

  while (body->len < MAX_ERROR_BODY)
    {
      g_autoptr (DexFuture) read = interp_http_read (stream, self->cancellable);
      g_autoptr (GBytes) bytes = NULL;
      Wait wait;
      gsize length;
      const guchar *data;

      while ((wait = wait_for (self, read, deadline - now_msec ())) == WAIT_TICK && now_msec () < deadline)
        ;

      if (wait == WAIT_CLOSED)
        {
          result->outcome = OUTCOME_CLOSED;
          return;
        }

      if (wait == WAIT_TICK)
        {
          g_cancellable_cancel (self->cancellable);
          break;
        }

      bytes = dex_await_boxed (dex_ref (read), NULL);
      if (bytes == NULL || (data = g_bytes_get_data (bytes, &length)) == NULL || length == 0)
        break;

      g_byte_array_append (body, data, MIN (length, MAX_ERROR_BODY - body->len));
    }

  result->outcome = OUTCOME_REFUSED;
  result->refusal
      = interp_refusal_from_response (soup_message_get_status (message), soup_message_get_reason_phrase (message),
                                      soup_message_get_response_headers (message), (const char *) body->data,
                                      body->len);
}

/* The codec's verdict on what came. TRUE: go on reading. */
static gboolean
heed (Timers *timers, InterpDecodeResult verdict, InterpRefusal **refusal, Result *result)
{
  switch (verdict)
    {
    case INTERP_DECODE_DONE:
      result->outcome = OUTCOME_DONE;
      return FALSE;

    case INTERP_DECODE_REFUSED:
      result->outcome = OUTCOME_REFUSED;
      result->refusal = g_steal_pointer (refusal);
      return FALSE;

    case INTERP_DECODE_BROKEN:
      result->outcome = OUTCOME_BROKEN;
      result->refusal = g_steal_pointer (refusal);
      return FALSE;

    case INTERP_DECODE_ENDING:
      if (timers->ending_since == 0)
        timers->ending_since = now_msec ();
      return TRUE;

    case INTERP_DECODE_MORE:
    default:
      return TRUE;
    }
}

static void
read_answer (Exchange *self, InterpCodecContext *context, SoupMessage *message, GInputStream *stream, Timers *timers,
             Result *result)
{
  const char *type = soup_message_headers_get_content_type (soup_message_get_response_headers (message), NULL);
  gpointer decoder = self->codec->decoder_new (context, self->request, type, on_decoded, self);
  g_autoptr (InterpRefusal) refusal = NULL;
  gboolean reading = TRUE;

  while (reading)
    {
      g_autoptr (DexFuture) read = interp_http_read (stream, self->cancellable);
      g_autoptr (GBytes) bytes = NULL;
      g_autoptr (GError) error = NULL;
      Wait wait;
      gsize length = 0;
      const char *data = NULL;
      guint n_payloads = 0;

      for (;;)
        {
          gint64 limit = tick_msec;

          if (timers->ending_since != 0)
            limit = timers->ending_since + ENDING_LIMIT - now_msec ();

          wait = wait_for (self, read, limit);
          if (wait != WAIT_TICK)
            break;

          /* All has come but usage or the end mark, and some servers never close. */
          if (timers->ending_since != 0 && now_msec () - timers->ending_since >= ENDING_LIMIT)
            break;

          if (timers->ending_since == 0 && !check_timers (self, timers, result))
            break;
        }

      if (wait == WAIT_CLOSED)
        {
          result->outcome = OUTCOME_CLOSED;
          break;
        }

      if (wait == WAIT_TICK)
        {
          g_cancellable_cancel (self->cancellable);
          if (timers->ending_since != 0)
            heed (timers, self->codec->decode_end (decoder, &refusal), &refusal, result);
          break;
        }

      bytes = dex_await_boxed (dex_ref (read), &error);
      if (bytes != NULL)
        data = g_bytes_get_data (bytes, &length);

      if (length == 0)
        {
          InterpDecodeResult verdict = self->codec->decode_end (decoder, &refusal);

          /* A connection that breaks behind the last piece does no harm. */
          if (error != NULL && verdict != INTERP_DECODE_DONE)
            fail (result, OUTCOME_LOST, g_steal_pointer (&error));
          else
            heed (timers, verdict, &refusal, result);
          break;
        }

      reading = heed (timers, self->codec->decode (decoder, data, length, &n_payloads, &refusal), &refusal, result);

      if (n_payloads > 0)
        {
          timers->any_payload = TRUE;
          timers->last_payload = now_msec ();
        }

      /* Comments for ever behind a finished answer. */
      if (reading && timers->ending_since != 0 && now_msec () - timers->ending_since >= ENDING_LIMIT)
        {
          heed (timers, self->codec->decode_end (decoder, &refusal), &refusal, result);
          reading = FALSE;
        }

      /* A reader slower than the server holds the server up, not our memory. */
      if (reading)
        dex_await (interp_stream_core_wait_room (self->core), NULL);

      if (reading && !timers->any_payload && !check_timers (self, timers, result))
        reading = FALSE;
      else if (reading && n_payloads == 0 && timers->ending_since == 0 && !check_timers (self, timers, result))
        reading = FALSE;
    }

  self->codec->decoder_free (decoder);
}

static void
attempt (Exchange *self, Result *result)
{
  g_autoptr (InterpCodecContext) context = interp_provider_make_context (self->provider, self->model);
  g_autoptr (InterpHttpRequest) request = NULL;
  g_autoptr (SoupMessage) message = NULL;
  g_autoptr (DexFuture) send = NULL;
  g_autoptr (GInputStream) stream = NULL;
  g_autoptr (GError) error = NULL;
  Build *build = g_new0 (Build, 1);
  Timers timers = { .started = now_msec () };
  Wait wait;
  guint status;

  g_clear_object (&self->cancellable);
  self->cancellable = g_cancellable_new ();

  g_clear_pointer (&self->filter, interp_answer_filter_free);
  self->filter
      = interp_answer_filter_new (self->request, (context->quirks & INTERP_QUIRK_THINK_OPEN) != 0, on_event, self);

  build->codec = self->codec;
  build->context = interp_codec_context_ref (context);
  build->request = interp_request_ref (self->request);
  request = dex_await_pointer (interp_worker_run ("build a request", build_worker, build, build_free), &error);
  if (request == NULL)
    {
      fail (result, OUTCOME_FAILED, g_steal_pointer (&error));
      return;
    }

  if (interp_stream_core_is_closed (self->core))
    {
      result->outcome = OUTCOME_CLOSED;
      return;
    }

  result->url = g_strdup (request->url);
  message = interp_http_make_message (request, &error);
  if (message == NULL)
    {
      fail (result, OUTCOME_FAILED, g_steal_pointer (&error));
      return;
    }

  send = interp_http_send (INTERP_HTTP_STREAM, message, self->cancellable);
  while ((wait = wait_for (self, send, tick_msec)) == WAIT_TICK)
    {
      if (!check_timers (self, &timers, result))
        {
          g_cancellable_cancel (self->cancellable);
          return;
        }
    }

  if (wait == WAIT_CLOSED)
    {
      result->outcome = OUTCOME_CLOSED;
      return;
    }

  stream = dex_await_object (dex_ref (send), &error);
  if (stream == NULL)
    {
      fail (result, OUTCOME_LOST, g_steal_pointer (&error));
      return;
    }

  status = soup_message_get_status (message);
  if (status < 200 || status > 299)
    read_refusal (self, message, stream, result);
  else
    read_answer (self, context, message, stream, &timers, result);

  g_cancellable_cancel (self->cancellable);
  if (!g_input_stream_has_pending (stream))
    interp_http_close (stream);
}

/* ---- what to do about it ---- */

static gint64
backoff (guint n)
{
  gint64 msec = MIN ((gint64) BACKOFF << MIN (n, 8), BACKOFF_MAX);

  /* Programs that were refused together do not come back together. */
  return msec - g_random_int_range (0, msec / 4);
}

static GError *
lost_error (Exchange *self, const GError *error)
{
  if (self->any_output)
    return g_error_new (INTERP_LLM_ERROR, INTERP_LLM_ERROR_INCOMPLETE,
                        _ ("The answer stopped in the middle: the connection to %s was lost."),
                        interp_provider_get_title (self->provider));

  return interp_provider_describe_failure (self->provider, error);
}

static GError *
broken_error (Exchange *self, InterpRefusal *refusal)
{
  const char *title = interp_provider_get_title (self->provider);

  if (self->any_output)
    return g_error_new (INTERP_LLM_ERROR, INTERP_LLM_ERROR_INCOMPLETE, _ ("The answer of %s stopped in the middle. %s"),
                        title, refusal->message);

  return g_error_new (INTERP_LLM_ERROR, INTERP_LLM_ERROR_PROTOCOL, _ ("%s could not answer. %s"), title,
                      refusal->message);
}

/* What a server could not read as a call may well be one. */
static gboolean
salvage (Exchange *self, InterpRefusal *refusal)
{
  if (refusal->failed_generation == NULL || self->any_output)
    return FALSE;

  return interp_answer_filter_salvage (self->filter, refusal->failed_generation);
}

/* TRUE: try again. FALSE: over, *error (NULL: the reader is gone). */
static gboolean
recover (Exchange *self, Result *result, guint *n_retries, GError **error)
{
  const char *title = interp_provider_get_title (self->provider);
  InterpRefusal *refusal = result->refusal;
  InterpQuirks quirks = interp_profile_get_quirks (interp_provider_get_profile (self->provider),
                                                   interp_model_get_wire_name (self->model))
                        | interp_model_get_quirks (self->model);
  InterpQuirks suggested;
  g_autofree char *text = NULL;
  gint64 wait;
  gboolean passing;

  switch (result->outcome)
    {
    case OUTCOME_FAILED:
      *error = g_steal_pointer (&result->error);
      return FALSE;

    case OUTCOME_LOST:
      /* A server on this computer that is not there will not be there in a second either. */
      passing = !self->any_output && !(self->local && interp_http_error_is_refused (result->error))
                && !g_error_matches (result->error, G_TLS_ERROR, G_TLS_ERROR_BAD_CERTIFICATE)
                && !g_error_matches (result->error, INTERP_LLM_ERROR, INTERP_LLM_ERROR_OFFLINE);
      if (passing && *n_retries < MAX_RETRIES)
        {
          text = g_strdup_printf (_ ("There is no connection to %s."), title);
          return pause_with_countdown (self, backoff ((*n_retries)++), text);
        }

      *error = lost_error (self, result->error);
      return FALSE;

    case OUTCOME_BROKEN:
      if (!self->any_output && *n_retries < MAX_RETRIES)
        {
          text = g_strdup_printf (_ ("%s sent no answer."), title);
          return pause_with_countdown (self, backoff ((*n_retries)++), text);
        }

      *error = broken_error (self, refusal);
      return FALSE;

    case OUTCOME_REFUSED:
      break;

    case OUTCOME_DONE:
    case OUTCOME_CLOSED:
    default:
      g_assert_not_reached ();
    }

  if (self->any_output)
    {
      *error = g_error_new (INTERP_LLM_ERROR, INTERP_LLM_ERROR_INCOMPLETE,
                            _ ("The answer stopped in the middle: %s reported an error: %s"), title, refusal->message);
      return FALSE;
    }

  if (interp_refusal_is_loading (refusal))
    {
      tell (self, _ ("Loading the model"), 0);
      dex_await (dex_future_first (interp_stream_core_dup_closed (self->core),
                                   interp_timeout (MIN (LOADING_STEP, tick_msec)), NULL),
                 NULL);
      return !interp_stream_core_is_closed (self->core);
    }

  if (refusal->status == 404 && interp_refusal_classify (refusal) == INTERP_LLM_ERROR_REQUEST
      && interp_provider_try_other_base (self->provider))
    return TRUE;

  suggested = interp_refusal_suggest (refusal, quirks);
  if (suggested != 0)
    {
      interp_model_add_quirks (self->model, suggested);
      return TRUE;
    }

  if (interp_refusal_is_passing (refusal) && *n_retries < MAX_RETRIES && refusal->retry_after <= WAIT_MAX)
    {
      wait = refusal->retry_after >= 0 ? refusal->retry_after : backoff (*n_retries);
      (*n_retries)++;
      text = g_strdup_printf (_ ("%s is busy."), title);
      return pause_with_countdown (self, wait, text);
    }

  if (interp_refusal_classify (refusal) == INTERP_LLM_ERROR_NO_TOOLS)
    interp_model_set_tools (self->model, INTERP_SUPPORT_NO);

  *error = interp_refusal_to_error (refusal, title, result->url, self->request->model);
  interp_provider_redact (*error, interp_provider_get_key (self->provider));
  return FALSE;
}

static DexFuture *
exchange_fiber (gpointer data)
{
  Exchange *self = data;
  guint n_retries = 0;

  for (;;)
    {
      g_auto (Result) result = { 0 };
      g_autoptr (GError) error = NULL;

      result.outcome = OUTCOME_CLOSED;
      attempt (self, &result);

      if (interp_stream_core_is_closed (self->core))
        break;

      if (result.outcome == OUTCOME_DONE || (result.outcome == OUTCOME_REFUSED && salvage (self, result.refusal)))
        {
          interp_provider_confirm_base (self->provider);
          interp_stream_core_end (self->core);
          break;
        }

      if (recover (self, &result, &n_retries, &error))
        continue;

      if (error != NULL)
        {
          /* Held back until the end of the line: it is part of what arrived. */
          interp_answer_filter_flush (self->filter);
          interp_stream_core_fail (self->core, g_steal_pointer (&error));
        }
      break;
    }

  return dex_future_new_true ();
}

InterpStream *
interp_exchange_start (InterpProvider *provider, InterpModel *model, InterpRequest *request)
{
  Exchange *self = g_new0 (Exchange, 1);
  InterpStream *stream = interp_stream_new (&self->core);

  self->provider = g_object_ref (provider);
  self->model = g_object_ref (model);
  self->request = interp_request_ref (request);
  self->codec = interp_provider_get_codec (provider);
  self->local = interp_provider_is_local (provider);

  interp_fiber_run ("answer", exchange_fiber, self, exchange_free);

  return stream;
}
