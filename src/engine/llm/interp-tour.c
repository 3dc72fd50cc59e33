/* interp-tour.c: the scripted model that needs no model
 *
 * Its answers are data (data/tour/tour.json): {"title", "suggested_prompt", "turns": [{"text", "calls": [{"language",
 * "code"}]}]}. Which turn comes next is told by the conversation itself, so that a kept tour goes on where it stopped.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm/interp-provider-private.h"
#include "llm/interp-stream-private.h"

#include "base/interp-fiber.h"
#include "base/interp-json.h"
#include "base/interp-paths.h"
#include "llm/interp-run-code.h"

#include <glib/gi18n.h>
#include <string.h>

#define PIECE_MSEC 6
#define PIECE_BYTES 12
#define MAX_FILE (1024 * 1024)

typedef struct
{
  InterpStreamCore *core;
  InterpRequest *request;
} Tour;

static void
tour_free (gpointer data)
{
  Tour *self = data;

  interp_stream_core_unref (self->core);
  interp_request_unref (self->request);
  g_free (self);
}

static DexFuture *
read_worker (gpointer data)
{
  g_autofree char *path = interp_paths_find_data ("tour/tour.json");
  g_autofree char *text = NULL;
  g_autoptr (JsonNode) node = NULL;
  g_autoptr (GError) error = NULL;
  gsize length;

  if (path == NULL)
    return dex_future_new_reject (INTERP_LLM_ERROR, INTERP_LLM_ERROR_NO_MODEL,
                                  _ ("The Tour is not installed. Installing Interpreter again brings it back."));

  if (!g_file_get_contents (path, &text, &length, &error)
      || (length <= MAX_FILE && !(node = interp_json_parse (text, length, INTERP_JSON_PARSE_REFUSE_NUL, &error))))
    return dex_future_new_reject (INTERP_LLM_ERROR, INTERP_LLM_ERROR_PROTOCOL, _ ("The Tour cannot be read: %s"),
                                  error->message);

  if (interp_json_get_length (node, "turns") == 0)
    return dex_future_new_reject (INTERP_LLM_ERROR, INTERP_LLM_ERROR_PROTOCOL,
                                  _ ("The Tour cannot be read: it has no turns."));

  return dex_future_new_take_boxed (JSON_TYPE_NODE, g_steal_pointer (&node));
}

/* The end of the piece that begins at @text: a few words. */
static const char *
piece_end (const char *text)
{
  const char *p = text;

  while (*p != '\0' && p - text < PIECE_BYTES)
    p = g_utf8_next_char (p);
  while (*p != '\0' && *p != ' ' && *p != '\n' && p - text < 3 * PIECE_BYTES)
    p = g_utf8_next_char (p);

  return p;
}

/* FALSE when the reader closed. */
static gboolean
breathe (Tour *self)
{
  dex_await (dex_future_first (interp_stream_core_dup_closed (self->core), interp_timeout (PIECE_MSEC), NULL), NULL);

  return !interp_stream_core_is_closed (self->core);
}

static gboolean
say (Tour *self, const char *text)
{
  while (text != NULL && *text != '\0')
    {
      const char *end = piece_end (text);
      g_autofree char *piece = g_strndup (text, end - text);

      interp_stream_core_push (self->core, interp_event_new_text (INTERP_EVENT_TEXT, piece));
      if (!breathe (self))
        return FALSE;
      text = end;
    }

  return TRUE;
}

static InterpCall *
make_call (const char *id, const char *language, const char *code, gsize length)
{
  InterpCall *call = interp_call_new (INTERP_CALL_TOOL, id, INTERP_RUN_CODE, NULL);

  call->language = g_strdup (language);
  call->code = g_strndup (code, length);

  return call;
}

static gboolean
call_for (Tour *self, guint index, JsonNode *node)
{
  const char *language = interp_json_get_string (node, "language");
  const char *code = interp_json_get_string (node, "code");
  g_autofree char *id = interp_call_make_id ();
  g_autoptr (JsonNode) arguments = NULL;
  InterpEvent *event;
  const char *end;

  if (language == NULL || code == NULL)
    return TRUE;

  event = interp_event_new (INTERP_EVENT_CALL_BEGIN);
  event->index = index;
  event->call = make_call (id, language, "", 0);
  interp_stream_core_push (self->core, event);

  for (end = code; *end != '\0';)
    {
      const char *line = strchr (end, '\n');

      end = line != NULL ? line + 1 : end + strlen (end);
      event = interp_event_new (INTERP_EVENT_CALL_PROGRESS);
      event->index = index;
      event->call = make_call (id, language, code, end - code);
      interp_stream_core_push (self->core, event);
      if (!breathe (self))
        return FALSE;
    }

  event = interp_event_new (INTERP_EVENT_CALL_END);
  event->index = index;
  event->call = make_call (id, language, code, strlen (code));
  arguments = interp_json_object ("language", INTERP_JSON_STRING (language), "code", INTERP_JSON_STRING (code), NULL);
  event->call->arguments = interp_json_to_string (arguments);
  interp_stream_core_push (self->core, event);

  return TRUE;
}

static DexFuture *
tour_fiber (gpointer data)
{
  Tour *self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) tour = NULL;
  InterpEvent *event;
  guint n_done = 0;
  guint n_calls = 0;

  tour = dex_await_boxed (interp_worker_run ("read the tour", read_worker, NULL, NULL), &error);
  if (tour == NULL)
    {
      interp_stream_core_fail (self->core, g_steal_pointer (&error));
      return dex_future_new_true ();
    }

  for (guint i = 0; i < self->request->messages->len; i++)
    {
      InterpMessage *message = g_ptr_array_index (self->request->messages, i);

      if (message->role == INTERP_ROLE_ASSISTANT)
        n_done++;
    }

  if (n_done < interp_json_get_length (tour, "turns"))
    {
      g_autofree char *path = g_strdup_printf ("turns.%u", n_done);
      JsonNode *turn = interp_json_get (tour, path);

      if (!say (self, interp_json_get_string (turn, "text")))
        return dex_future_new_true ();

      for (guint i = 0; i < interp_json_get_length (turn, "calls"); i++)
        {
          g_autofree char *call_path = g_strdup_printf ("calls.%u", i);

          if (!call_for (self, i, interp_json_get (turn, call_path)))
            return dex_future_new_true ();
          n_calls++;
        }
    }
  else if (!say (self, _ ("The Tour is over, and I am only a script. Choose a model below to go on.")))
    {
      return dex_future_new_true ();
    }

  event = interp_event_new (INTERP_EVENT_FINISH);
  event->finish = n_calls > 0 ? INTERP_FINISH_CALLS : INTERP_FINISH_END;
  interp_stream_core_push (self->core, event);
  interp_stream_core_end (self->core);

  return dex_future_new_true ();
}

InterpStream *
interp_tour_start (InterpRequest *request)
{
  Tour *self = g_new0 (Tour, 1);
  InterpStream *stream = interp_stream_new (&self->core);

  self->request = interp_request_ref (request);
  interp_fiber_run ("tour", tour_fiber, self, tour_free);

  return stream;
}
