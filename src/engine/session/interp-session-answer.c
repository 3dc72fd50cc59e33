/* interp-session-answer.c: one answer of the model
 *
 * Events become items as they come: text, thinking, cells. With tools, what is called is asked about when the answer is
 * whole. In text mode the first block asks at once; what comes after it was written before the result and stays out of
 * what the model is given.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <glib/gi18n.h>

#include "base/interp-clock.h"
#include "base/interp-environment.h"
#include "base/interp-fiber.h"
#include "base/interp-json.h"
#include "base/interp-text.h"
#include "llm/interp-address.h"
#include "session/interp-attachments.h"
#include "session/interp-session-private.h"
#include "session/interp-system-text.h"

/* Tokens set aside for the answer where nothing says how long it may be, and for the description of the tool. */
#define ANSWER_TOKENS 4096
#define TOOL_TOKENS 250

/* Ollama reserves memory for the whole window: enough for work, not more than the model's. */
#define OLLAMA_WINDOW 16384

/* Most charts in a request. */
#define MAX_CHARTS 8

/* How often a conversation that the server finds too long is tried with half of it left out. */
#define MAX_CUTS 3

typedef struct
{
  InterpSession *session; /* borrowed */
  gint64 number;
  char *model;
  char *nudge;
  gboolean text_mode;
  InterpItem *open; /* text or thinking that grows */
  gint64 open_since;
  GString *blank;       /* white space before the first word */
  GPtrArray *items;     /* all of it */
  GPtrArray *cells;     /* InterpCell, in order */
  GHashTable *by_index; /* index → InterpCell, borrowed */
  InterpCell *asked;    /* text mode: the block that asks; borrowed */
  GString *text;
  char *opaque_provider;
  GBytes *opaque;
  gboolean has_usage;
  InterpUsage usage;
  gboolean finished;
  InterpFinish finish;
} Answer;

static void
answer_free (Answer *self)
{
  g_free (self->model);
  g_free (self->nudge);
  g_clear_object (&self->open);
  g_string_free (self->blank, TRUE);
  g_ptr_array_unref (self->items);
  g_ptr_array_unref (self->cells);
  g_hash_table_unref (self->by_index);
  g_string_free (self->text, TRUE);
  g_free (self->opaque_provider);
  g_clear_pointer (&self->opaque, g_bytes_unref);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Answer, answer_free)

static Answer *
answer_new (InterpSession *session, InterpModel *model, gboolean text_mode, const char *nudge)
{
  Answer *self = g_new0 (Answer, 1);

  self->session = session;
  self->number = session->answer + 1;
  self->model = interp_model_dup_name (model);
  self->nudge = g_strdup (nudge);
  self->text_mode = text_mode;
  self->blank = g_string_new (NULL);
  self->items = g_ptr_array_new_with_free_func (g_object_unref);
  self->cells = g_ptr_array_new_with_free_func (g_object_unref);
  self->by_index = g_hash_table_new (NULL, NULL);
  self->text = g_string_new (NULL);

  return self;
}

/* ---- status ---- */

static void
update_status (InterpSession *self)
{
  gint64 seconds = (interp_clock_monotonic () - self->asked_at) / G_USEC_PER_SEC;
  g_autofree char *waiting = NULL;
  g_autofree char *status = NULL;

  if (self->waiting_for != NULL)
    waiting = g_strdup (self->waiting_for);
  else if (seconds >= 2 && self->model != NULL)
    waiting = g_strdup_printf (_ ("Waiting for %s"), interp_model_get_title (self->model));
  if (waiting != NULL && seconds >= 2 && !self->counting_down)
    /* Translators: what is being waited for, and for how long: "Loading the model, 0:12" */
    status = g_strdup_printf (_ ("%s, %d:%02d"), waiting, (int) (seconds / 60), (int) (seconds % 60));
  interp_session_set_status (self, status != NULL ? status : waiting);
}

static gboolean
on_status_second (gpointer data)
{
  update_status (data);

  return G_SOURCE_CONTINUE;
}

static void
begin_status (InterpSession *self)
{
  self->asked_at = interp_clock_monotonic ();
  self->counting_down = FALSE;
  g_clear_pointer (&self->waiting_for, g_free);
  g_clear_handle_id (&self->status_source, g_source_remove);
  self->status_source = g_timeout_add_seconds (1, on_status_second, self);
  self->turn_state = INTERP_SESSION_ASKING;
  interp_session_update_state (self);
}

static void
end_status (InterpSession *self)
{
  g_clear_handle_id (&self->status_source, g_source_remove);
  g_clear_pointer (&self->waiting_for, g_free);
  interp_session_set_status (self, NULL);
}

static void
begin_answering (InterpSession *self)
{
  if (self->turn_state != INTERP_SESSION_ASKING)
    return;
  end_status (self);
  self->turn_state = INTERP_SESSION_ANSWERING;
  interp_session_update_state (self);
}

static void
show_progress (InterpSession *self, InterpEvent *event)
{
  g_autofree char *text = NULL;

  self->counting_down = event->retry_in > 0;
  if (event->retry_in > 0)
    {
      g_autofree char *wait = interp_text_format_duration (event->retry_in);

      /* Translators: a sentence ("OpenAI is busy."), and how long is waited: "5 s" */
      text = g_strdup_printf (_ ("%s Trying again in %s"), event->text != NULL ? event->text : "", wait);
    }
  else if (event->fraction >= 0)
    text = g_strdup_printf ("%s, %d %%", event->text != NULL ? event->text : "", (int) (event->fraction * 100));
  else
    text = g_strdup (event->text);
  g_free (self->waiting_for);
  self->waiting_for = g_steal_pointer (&text);
  update_status (self);
}

/* ---- the request ---- */

/* Ollama, at whatever address, takes the window that requests tell it. */
static gboolean
is_told_window (InterpProvider *provider)
{
  return g_str_has_prefix (interp_provider_get_id (provider), "ollama");
}

static gint64
choose_window (InterpSession *self, InterpModel *model)
{
  InterpProvider *provider = interp_model_get_provider (model);
  gint64 window = interp_model_get_context_window (model);
  g_autofree char *name = NULL;

  if (self->options->context_window > 0)
    return self->options->context_window;
  if (is_told_window (provider))
    {
      /* Another window reloads the model: one for the whole conversation. */
      name = interp_model_dup_name (model);
      if (self->num_ctx <= 0 || g_strcmp0 (self->num_ctx_model, name) != 0)
        {
          self->num_ctx = window > 0 ? MIN (window, OLLAMA_WINDOW) : INTERP_CONTEXT_LOCAL_DEFAULT;
          g_set_str (&self->num_ctx_model, name);
          interp_json_set (self->data, "num_ctx_model", json_node_init_string (json_node_alloc (), name));
          interp_session_set_flag (self, "num_ctx", self->num_ctx);
        }
      return self->num_ctx;
    }
  if (window > 0)
    return window;

  return interp_provider_is_local (provider) ? INTERP_CONTEXT_LOCAL_DEFAULT : INTERP_CONTEXT_REMOTE_DEFAULT;
}

gint64
interp_session_get_window (InterpSession *self)
{
  gboolean known;

  g_return_val_if_fail (INTERP_IS_SESSION (self), 0);

  if (self->model == NULL)
    return 0;
  known = self->options->context_window > 0 || interp_model_get_context_window (self->model) > 0
          || is_told_window (interp_model_get_provider (self->model));

  return known ? choose_window (self, self->model) : 0;
}

gint64
interp_session_get_budget (InterpSession *self, InterpModel *model)
{
  gint64 window = choose_window (self, model);
  gint64 answer = self->options->max_tokens > 0 ? self->options->max_tokens : MIN (window / 4, ANSWER_TOKENS);

  return MAX (window - MIN (answer, window / 2) - TOOL_TOKENS, window / 4);
}

static void
add_languages (InterpRequest *request)
{
  GListModel *specs = interp_kernel_specs_get ();
  guint n = g_list_model_get_n_items (specs);

  if (request->languages == NULL)
    request->languages = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (InterpKernelSpec) spec = g_list_model_get_item (specs, i);
      const char *const *aliases = interp_kernel_spec_get_aliases (spec);

      g_ptr_array_add (request->languages, g_strdup (interp_kernel_spec_get_id (spec)));
      for (gsize j = 0; aliases != NULL && aliases[j] != NULL; j++)
        g_ptr_array_add (request->languages, g_strdup (aliases[j]));
    }
}

static char *
make_system_text (InterpSession *self, gboolean text_mode)
{
  g_auto (GStrv) env = interp_environment_get ();
  g_autofree char *own = interp_settings_get_string (self->settings, "custom-instructions");
  const char *given = self->options->custom_instructions;
  g_autofree char *instructions = NULL;
  g_autofree char *sandbox = interp_session_describe_sandbox (self);
  InterpSystemTextInput input = {
    .text_mode = text_mode,
    .loop = self->options->loop,
    .mode = self->mode,
    .folder = self->row->folder,
    .sandbox = sandbox,
    .env = (const char *const *) env,
    .system_message = self->options->system_message,
  };

  if (own != NULL && *own != '\0' && given != NULL && *given != '\0')
    instructions = g_strdup_printf ("%s\n\n%s", own, given);
  else
    instructions = g_strdup (given != NULL && *given != '\0' ? given : own);
  input.custom_instructions = instructions;

  return interp_system_text_build (&input);
}

/* What the user says of the model goes before what is known of it. */
static InterpSupport
prefer (InterpSupport told, InterpSupport known)
{
  return told != INTERP_SUPPORT_UNKNOWN ? told : known;
}

static gboolean
can_see (InterpSession *self, InterpModel *model)
{
  return prefer (self->options->supports_vision, interp_model_get_vision (model)) == INTERP_SUPPORT_YES;
}

/* Does @model lack tools? */
static gboolean
needs_text_mode (InterpSession *self, InterpModel *model)
{
  return prefer (self->options->supports_functions, interp_model_get_tools (model)) == INTERP_SUPPORT_NO;
}

InterpRequest *
interp_session_make_request (InterpSession *self, InterpModel *model, const char *nudge, gint64 budget,
                             InterpContext **context_out)
{
  gboolean text_mode = needs_text_mode (self, model);
  g_autofree char *name = interp_model_dup_name (model);
  g_autofree char *system = make_system_text (self, text_mode);
  g_autoptr (InterpContext) context = NULL;
  InterpRequest *request = interp_request_new (interp_model_get_wire_name (model));
  InterpContextInput input = {
    .blind = !can_see (self, model),
    .text_mode = text_mode,
    .model = name,
    .system = system,
    .nudge = nudge,
    .budget = budget,
    .token_scale = self->token_scale,
  };

  context = interp_context_build (self->branch, &input);
  request->system = g_steal_pointer (&system);
  for (guint i = 0; i < context->messages->len; i++)
    g_ptr_array_add (request->messages, interp_message_ref (g_ptr_array_index (context->messages, i)));
  if (text_mode)
    {
      /* When nothing can run, blocks are just text. */
      request->text_mode = self->mode != INTERP_MODE_LOOK;
      add_languages (request);
    }
  else
    g_ptr_array_add (request->tools, interp_system_text_make_tool ());
  request->temperature = self->options->temperature;
  request->max_tokens = self->options->max_tokens;
  request->context_window = choose_window (self, model);
  *context_out = g_steal_pointer (&context);

  return request;
}

/* Where the pictures are that belong to @item: attached by the user, or made by the code. */
static char **
dup_picture_paths (InterpItem *item)
{
  g_autoptr (GStrvBuilder) paths = g_strv_builder_new ();
  const char *const *attachments = interp_item_get_attachments (item);
  GListModel *displays;

  if (attachments != NULL)
    g_strv_builder_addv (paths, (const char **) attachments);
  if (interp_item_get_kind (item) != INTERP_ITEM_CELL || interp_cell_get_result (INTERP_CELL (item)) == NULL
      || interp_cell_is_by_user (INTERP_CELL (item)))
    return g_strv_builder_end (paths);

  displays = interp_cell_get_displays (INTERP_CELL (item));
  for (guint i = 0; i < MIN (g_list_model_get_n_items (displays), MAX_CHARTS); i++)
    {
      g_autoptr (InterpDisplay) display = g_list_model_get_item (displays, i);

      if (g_str_has_prefix (interp_display_get_mime (display), "image/") && interp_display_get_path (display) != NULL)
        g_strv_builder_add (paths, interp_display_get_path (display));
    }

  return g_strv_builder_end (paths);
}

/* Of charts the newest: each is as much to read as pages of text, and what is said of the others remains. */
static void
load_pictures (InterpSession *self, InterpModel *model)
{
  guint n_charts = 0;

  if (!can_see (self, model))
    return;
  for (guint i = self->branch->len; i > 0; i--)
    {
      g_autoptr (InterpItem) item = g_object_ref (g_ptr_array_index (self->branch, i - 1));
      g_auto (GStrv) paths = dup_picture_paths (item);
      g_autoptr (GPtrArray) pictures = NULL;

      if (paths[0] == NULL)
        continue;
      if (interp_item_get_kind (item) == INTERP_ITEM_CELL && (n_charts += g_strv_length (paths)) > MAX_CHARTS)
        {
          interp_item_set_pictures (item, NULL);
          continue;
        }
      if (interp_item_get_pictures (item) != NULL)
        continue;
      pictures = dex_await_boxed (interp_attachments_load_pictures ((const char *const *) paths), NULL);
      if (pictures != NULL)
        interp_item_set_pictures (item, pictures);
      if (i > self->branch->len)
        break;
    }
}

/* ---- items of an answer ---- */

static void
add_item (Answer *self, InterpItem *item)
{
  interp_item_set_answer (item, self->number);
  interp_item_set_model (item, self->model);
  if (self->items->len == 0)
    interp_item_set_nudge (item, self->nudge);
  if (self->asked != NULL)
    interp_item_set_premature (item, TRUE);
  g_ptr_array_add (self->items, g_object_ref (item));
  interp_session_add_item (self->session, item);
}

static void
close_open (Answer *self, InterpItemState state)
{
  g_autoptr (InterpItem) item = g_steal_pointer (&self->open);

  if (item == NULL)
    return;
  if (interp_item_get_kind (item) == INTERP_ITEM_REASONING)
    interp_item_set_duration (item, MAX ((interp_clock_monotonic () - self->open_since) / 1000, 1));
  interp_session_finish_item (self->session, item, state);
}

static gboolean
is_blank (const char *text)
{
  for (const char *p = text; *p != '\0'; p++)
    if (!g_ascii_isspace (*p))
      return FALSE;

  return TRUE;
}

static void
on_text (Answer *self, InterpItemKind kind, const char *text)
{
  if (text == NULL || *text == '\0')
    return;
  if (self->open != NULL && interp_item_get_kind (self->open) != kind)
    close_open (self, INTERP_ITEM_COMPLETE);
  if (self->open == NULL)
    {
      /* Servers like to send line ends around calls and thinking: they are no answer. */
      if (is_blank (text))
        {
          g_string_append (self->blank, text);
          return;
        }
      self->open = interp_item_new (kind, NULL);
      self->open_since = interp_clock_monotonic ();
      interp_item_set_state (self->open, INTERP_ITEM_OPEN);
      add_item (self, self->open);
      /* Leading blank lines go; the indent of the first line stays. */
      if (strrchr (self->blank->str, '\n') != NULL)
        g_string_erase (self->blank, 0, strrchr (self->blank->str, '\n') + 1 - self->blank->str);
      if (self->blank->len > 0)
        interp_session_append_text (self->session, self->open, self->blank->str);
      g_string_truncate (self->blank, 0);
      while (*text == '\n' || *text == '\r')
        text++;
    }
  interp_session_append_text (self->session, self->open, text);
  if (kind == INTERP_ITEM_ASSISTANT)
    g_string_append (self->text, text);
}

static InterpCell *
get_cell (Answer *self, InterpEvent *event)
{
  InterpCell *cell = g_hash_table_lookup (self->by_index, GUINT_TO_POINTER (event->index));
  g_autoptr (InterpCell) fresh = NULL;

  if (cell != NULL)
    return cell;

  close_open (self, INTERP_ITEM_COMPLETE);
  g_string_truncate (self->blank, 0);
  fresh = interp_cell_new (event->call != NULL ? event->call->language : NULL, NULL, FALSE);
  interp_cell_set_cell_state (fresh, INTERP_CELL_WRITING);
  interp_cell_set_folder (fresh, interp_session_get_folder (self->session));
  if (event->call != NULL)
    interp_cell_set_call (fresh, event->call);
  g_ptr_array_add (self->cells, g_object_ref (fresh));
  g_hash_table_insert (self->by_index, GUINT_TO_POINTER (event->index), fresh);
  add_item (self, INTERP_ITEM (fresh));

  return fresh;
}

static void
on_call_progress (Answer *self, InterpCell *cell, InterpCall *call)
{
  const char *before = interp_item_get_full_text (INTERP_ITEM (cell));

  if (call == NULL)
    return;
  if (call->language != NULL)
    interp_cell_set_language (cell, call->language);
  if (call->code == NULL || g_str_equal (call->code, before))
    return;
  if (g_str_has_prefix (call->code, before))
    {
      g_autofree char *growth = g_strdup (call->code + strlen (before));

      interp_session_append_text (self->session, INTERP_ITEM (cell), growth);
    }
  else
    {
      interp_item_set_text (INTERP_ITEM (cell), call->code);
      interp_session_save_item_later (self->session, INTERP_ITEM (cell));
    }
}

static void
on_call_end (Answer *self, InterpCell *cell, InterpCall *call)
{
  g_autoptr (GPtrArray) only = NULL;

  if (call == NULL)
    return;
  on_call_progress (self, cell, call);
  interp_cell_set_call (cell, call);
  if (call->code == NULL || call->fault != NULL)
    interp_cell_set_cut (cell, TRUE);
  interp_session_finish_item (self->session, INTERP_ITEM (cell), INTERP_ITEM_OPEN);

  /* No model is asked again for what it only showed. */
  if (interp_cell_is_only_shown (cell))
    {
      interp_session_end_cell (self->session, cell, INTERP_CELL_NOT_RUN, _ ("The model gave no language."), NULL);
      g_ptr_array_remove (self->cells, cell);
      return;
    }
  if (!self->text_mode || self->asked != NULL || interp_item_is_premature (INTERP_ITEM (cell)) || call->fault != NULL)
    return;
  self->asked = cell;
  only = g_ptr_array_new ();
  g_ptr_array_add (only, cell);
  interp_session_prepare_cells (self->session, only);
}

/* What was taken for the answer was thinking; its blocks are void. */
static void
on_rethink (Answer *self)
{
  close_open (self, INTERP_ITEM_COMPLETE);
  if (self->asked != NULL)
    {
      g_autoptr (InterpCell) asked = g_object_ref (self->asked);

      self->asked = NULL;
      interp_session_end_cell (self->session, asked, INTERP_CELL_NOT_RUN, _ ("The model wrote this while thinking."),
                               NULL);
    }
  for (guint i = 0; i < self->items->len; i++)
    {
      InterpItem *item = g_ptr_array_index (self->items, i);

      if (INTERP_IS_CELL (item))
        {
          interp_item_set_premature (item, TRUE);
          interp_cell_set_note (INTERP_CELL (item), _ ("The model wrote this while thinking."));
          if (interp_item_get_state (item) == INTERP_ITEM_OPEN)
            interp_cell_set_cell_state (INTERP_CELL (item), INTERP_CELL_NOT_RUN);
        }
      else
        {
          interp_item_set_kind (item, INTERP_ITEM_REASONING);
          interp_item_set_premature (item, FALSE);
        }
      interp_session_save_item (self->session, item);
    }
  g_ptr_array_set_size (self->cells, 0);
  g_hash_table_remove_all (self->by_index);
  g_string_truncate (self->text, 0);
}

/* What a server does with a conversation it does again with the next: said once a chat, and once more after another
 * model was chosen. */
static void
show_warning (Answer *self, const char *text)
{
  if (text == NULL || g_strcmp0 (self->session->warned_model, self->model) == 0)
    return;
  g_set_str (&self->session->warned_model, self->model);
  interp_session_add_notice (self->session, INTERP_ITEM_NOTICE, text, INTERP_OFFER_NONE, 0);
}

static void
on_event (Answer *self, InterpEvent *event)
{
  switch (event->kind)
    {
    case INTERP_EVENT_TEXT:
      begin_answering (self->session);
      on_text (self, INTERP_ITEM_ASSISTANT, event->text);
      break;
    case INTERP_EVENT_REASONING:
      begin_answering (self->session);
      on_text (self, INTERP_ITEM_REASONING, event->text);
      break;
    case INTERP_EVENT_CALL_BEGIN:
      begin_answering (self->session);
      get_cell (self, event);
      break;
    case INTERP_EVENT_CALL_PROGRESS:
      on_call_progress (self, get_cell (self, event), event->call);
      break;
    case INTERP_EVENT_CALL_END:
      begin_answering (self->session);
      on_call_end (self, get_cell (self, event), event->call);
      break;
    case INTERP_EVENT_OPAQUE:
      if (event->opaque != NULL)
        {
          g_set_str (&self->opaque_provider, event->text);
          g_clear_pointer (&self->opaque, g_bytes_unref);
          self->opaque = g_bytes_ref (event->opaque);
        }
      break;
    case INTERP_EVENT_USAGE:
      self->has_usage = TRUE;
      self->usage = event->usage;
      break;
    case INTERP_EVENT_PROGRESS:
      show_progress (self->session, event);
      break;
    case INTERP_EVENT_WARNING:
      show_warning (self, event->text);
      break;
    case INTERP_EVENT_FINISH:
      self->finished = TRUE;
      self->finish = event->finish;
      break;
    case INTERP_EVENT_RETHINK:
      on_rethink (self);
      break;
    default:
      break;
    }
}

/* ---- reading it ---- */

typedef enum
{
  READ_FINISHED,
  READ_ANSWERED, /* text mode: the user has decided; the rest is not wanted */
  READ_STOPPED,
  READ_FAILED,
} ReadEnd;

static ReadEnd
read_stream (Answer *self, InterpStream *stream, GError **error)
{
  InterpSession *session = self->session;
  g_autoptr (DexFuture) next = NULL;

  while (!self->finished)
    {
      g_autoptr (InterpEvent) event = NULL;
      DexFuture *answered = NULL;

      if (interp_session_is_stopped (session))
        return READ_STOPPED;
      if (self->asked != NULL)
        {
          answered = interp_session_get_answered (session, self->asked);
          if (answered == NULL || !dex_future_is_pending (answered))
            return READ_ANSWERED;
        }
      if (next == NULL)
        next = interp_stream_next (stream);
      interp_wait_any (next, DEX_FUTURE (session->stop), answered);
      if (dex_future_is_pending (next))
        continue;
      event = dex_await_boxed (g_steal_pointer (&next), error);
      if (event == NULL)
        {
          /* The stream ends after its last event only. */
          if (error != NULL && *error == NULL)
            g_set_error (error, INTERP_LLM_ERROR, INTERP_LLM_ERROR_INCOMPLETE, _ ("The answer ended without its end."));
          return READ_FAILED;
        }
      on_event (self, event);
    }

  return READ_FINISHED;
}

/* ---- its end ---- */

/* Cells that were not asked about get their result: each call has one. */
static void
close_cells (Answer *self, ReadEnd end)
{
  for (guint i = 0; i < self->cells->len; i++)
    {
      InterpCell *cell = g_ptr_array_index (self->cells, i);
      gboolean whole = !interp_cell_is_cut (cell) && interp_cell_get_call (cell) != NULL
                       && interp_cell_get_call (cell)->code != NULL;

      if (interp_cell_get_cell_state (cell) != INTERP_CELL_WRITING)
        continue;
      if (interp_item_is_premature (INTERP_ITEM (cell)))
        {
          if (!whole)
            interp_cell_set_cut (cell, TRUE);
          interp_session_end_cell (self->session, cell, INTERP_CELL_NOT_RUN, _ ("Written before the result."), NULL);
        }
      else if (end == READ_STOPPED)
        {
          if (!whole)
            interp_cell_set_cut (cell, TRUE);
          interp_session_end_cell (self->session, cell, INTERP_CELL_INTERRUPTED, _ ("Stopped before it ran."),
                                   "The user stopped the answer. This was never run.");
        }
      else if (end == READ_FAILED)
        {
          interp_cell_set_cut (cell, TRUE);
          interp_session_end_cell (self->session, cell, INTERP_CELL_NOT_RUN,
                                   _ ("The answer broke off here: this may not be all of the code."),
                                   "The connection broke off while this was being sent. It was never run.");
        }
    }
}

static void
keep_extras (Answer *self)
{
  InterpItem *first;

  if (self->items->len == 0 || (self->opaque == NULL && !self->has_usage))
    return;
  first = g_ptr_array_index (self->items, 0);
  if (self->opaque != NULL)
    interp_item_set_opaque (first, self->opaque_provider, self->opaque);
  if (self->has_usage)
    interp_item_set_usage (first, &self->usage);
  interp_session_save_item (self->session, first);
}

static void
calibrate (InterpSession *self, Answer *answer, gint64 estimate)
{
  double ratio;

  if (!answer->has_usage || answer->usage.input_tokens <= 0 || estimate < 1000)
    return;
  ratio = (double) (answer->usage.input_tokens - TOOL_TOKENS) / (double) estimate;
  self->token_scale = CLAMP (ratio, 1.0, 4.0);
}

static InterpOffers
offers_for (const GError *error, gboolean partial)
{
  if (error->domain != INTERP_LLM_ERROR)
    return INTERP_OFFER_TRY_AGAIN | INTERP_OFFER_CHOOSE_MODEL;
  switch ((InterpLlmError) error->code)
    {
    case INTERP_LLM_ERROR_KEY:
      return INTERP_OFFER_ENTER_KEY | INTERP_OFFER_TRY_AGAIN | INTERP_OFFER_CHOOSE_MODEL;
    case INTERP_LLM_ERROR_INCOMPLETE:
      return (partial ? INTERP_OFFER_CONTINUE : 0) | INTERP_OFFER_TRY_AGAIN;
    case INTERP_LLM_ERROR_NO_MODEL:
    case INTERP_LLM_ERROR_OFFLINE:
      return INTERP_OFFER_CHOOSE_MODEL;
    case INTERP_LLM_ERROR_UNREACHABLE:
    case INTERP_LLM_ERROR_QUOTA:
    case INTERP_LLM_ERROR_BUSY:
    case INTERP_LLM_ERROR_CONTEXT:
    case INTERP_LLM_ERROR_NO_TOOLS:
    case INTERP_LLM_ERROR_REQUEST:
    case INTERP_LLM_ERROR_PROTOCOL:
    default:
      return (partial ? INTERP_OFFER_CONTINUE : 0) | INTERP_OFFER_TRY_AGAIN | INTERP_OFFER_CHOOSE_MODEL;
    }
}

static InterpStep
say_failure (Answer *self, const GError *error)
{
  gboolean partial = self->items->len > 0;
  g_autofree char *text = NULL;

  text = partial ? g_strdup_printf (_ ("%s What had arrived is kept."), error->message) : g_strdup (error->message);
  interp_session_add_notice (self->session, INTERP_ITEM_ERROR, text, offers_for (error, partial), self->number);

  return INTERP_STEP_FAILED;
}

/* Blocks that are only shown are said, too. */
static gboolean
has_text (Answer *self)
{
  for (guint i = 0; i < self->items->len; i++)
    {
      InterpItem *item = g_ptr_array_index (self->items, i);

      if (interp_item_get_kind (item) == INTERP_ITEM_ASSISTANT)
        return TRUE;
      if (INTERP_IS_CELL (item) && interp_cell_is_only_shown (INTERP_CELL (item)) && !interp_item_is_premature (item))
        return TRUE;
    }

  return FALSE;
}

/* An answer without calls has ended: is there anything to say about how? */
static InterpStep
conclude (Answer *self)
{
  InterpSession *session = self->session;

  switch (self->finish)
    {
    case INTERP_FINISH_LENGTH:
      if (has_text (self))
        interp_session_add_notice (session, INTERP_ITEM_NOTICE,
                                   _ ("The answer reached the length limit and is not complete."),
                                   INTERP_OFFER_CONTINUE, self->number);
      else
        interp_session_add_notice (session, INTERP_ITEM_NOTICE,
                                   _ ("The model used up the length limit with thinking; there is no answer."),
                                   INTERP_OFFER_TRY_AGAIN | INTERP_OFFER_CHOOSE_MODEL, self->number);
      return INTERP_STEP_FAILED;

    case INTERP_FINISH_REFUSED:
      interp_session_add_notice (session, INTERP_ITEM_NOTICE, _ ("The model's provider declined to answer this."),
                                 INTERP_OFFER_TRY_AGAIN | INTERP_OFFER_CHOOSE_MODEL, self->number);
      return INTERP_STEP_FAILED;

    case INTERP_FINISH_PAUSED:
      return self->items->len > 0 ? INTERP_STEP_AGAIN : INTERP_STEP_DONE;

    case INTERP_FINISH_END:
    case INTERP_FINISH_CALLS:
    case INTERP_FINISH_STOP_SEQUENCE:
    default:
      if (has_text (self))
        return INTERP_STEP_DONE;
      interp_session_add_notice (session, INTERP_ITEM_NOTICE,
                                 self->items->len > 0 ? _ ("The model thought, but gave no answer.")
                                                      : _ ("The model gave an empty answer."),
                                 INTERP_OFFER_TRY_AGAIN | INTERP_OFFER_CHOOSE_MODEL, self->number);
      return INTERP_STEP_FAILED;
    }
}

static void
say_left_out (InterpSession *self, InterpContext *context)
{
  if (context->n_left_out > 0 && interp_session_get_flag (self, "left_out_said") == 0)
    {
      interp_session_set_flag (self, "left_out_said", 1);
      interp_session_add_notice (self, INTERP_ITEM_NOTICE,
                                 _ ("This chat has become longer than the model can read. From here on its oldest "
                                    "messages are left "
                                    "out of what the model is given; they stay in the chat."),
                                 INTERP_OFFER_NONE, 0);
    }
}

/* ---- a model to ask ---- */

/* Did the options of this run give the key for the server that @name is at? No other one gets it. */
static gboolean
has_key_for (const InterpOptions *options, const char *name)
{
  g_autofree char *address = interp_model_name_dup_address (name);
  g_autofree char *kept = address != NULL ? interp_address_normalize (address, NULL) : NULL;
  g_autofree char *given = options->api_base != NULL ? interp_address_normalize (options->api_base, NULL) : NULL;
  g_autofree char *toggled = given != NULL ? interp_address_toggle_v1 (given) : NULL;

  return kept != NULL && (g_strcmp0 (kept, given) == 0 || g_strcmp0 (kept, toggled) == 0);
}

/* The model that the chat or its options name; NULL when they name none. */
static DexFuture *
resolve_model (InterpSession *self)
{
  const InterpOptions *options = self->options;
  const char *kept = self->row->model;

  /* The options are of the run in which the chat began. */
  if (kept != NULL && *kept != '\0')
    return interp_models_resolve (self->models, kept, NULL, has_key_for (options, kept) ? options->api_key : NULL);
  if (options->model != NULL || options->api_base != NULL)
    return interp_models_resolve (self->models, options->model, options->api_base, options->api_key);

  return NULL;
}

static DexFuture *
look_for_model_fiber (gpointer data)
{
  InterpSession *self = data;
  DexFuture *resolving = resolve_model (self);
  g_autoptr (InterpModel) model = resolving != NULL ? dex_await_object (resolving, NULL) : NULL;

  if (model != NULL && !self->model_chosen && g_set_object (&self->model, model))
    interp_session_notify (self, "model");

  return dex_future_new_true ();
}

void
interp_session_look_for_model (InterpSession *self)
{
  interp_fiber_run ("Looking for a model", look_for_model_fiber, g_object_ref (self), g_object_unref);
}

static InterpModel *
find_model (InterpSession *self, GError **error)
{
  g_autoptr (DexFuture) resolving = NULL;
  g_autoptr (InterpModel) model = NULL;

  if (self->model == NULL)
    resolving = resolve_model (self);
  if (resolving != NULL)
    {
      g_autoptr (DexFuture) settled = interp_shield (dex_ref (resolving));

      interp_wait_any (settled, DEX_FUTURE (self->stop), NULL);
      if (dex_future_is_pending (settled))
        {
          g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "Stopped");
          return NULL;
        }
      model = dex_await_object (g_steal_pointer (&resolving), error);
      if (model == NULL)
        return NULL;
      if (self->model == NULL)
        interp_session_set_model (self, model);
    }
  if (self->model == NULL)
    {
      g_set_error_literal (error, INTERP_LLM_ERROR, INTERP_LLM_ERROR_NO_MODEL,
                           _ ("No model is chosen. The message is kept; choose a model, then try again."));
      return NULL;
    }
  /* Asked for with --offline: in a window that is open already, that holds for this chat alone. */
  if (self->options->offline && !interp_provider_is_local (interp_model_get_provider (self->model)))
    {
      g_autofree char *place = interp_provider_describe_place (interp_model_get_provider (self->model));

      g_set_error (error, INTERP_LLM_ERROR, INTERP_LLM_ERROR_OFFLINE,
                   _ ("%s is at %s, and only models on this computer may be used."),
                   interp_provider_get_title (interp_model_get_provider (self->model)), place);
      return NULL;
    }
  /* One that was looked for is only shown until it is asked something. */
  if (self->row->model == NULL || *self->row->model == '\0')
    interp_session_set_model (self, self->model);

  return g_object_ref (self->model);
}

static void
inspect_model (InterpSession *self, InterpModel *model)
{
  g_autoptr (DexFuture) inspecting = interp_shield (interp_provider_inspect (interp_model_get_provider (model), model));

  /* What cannot be known is guessed; the request itself says what is wrong. */
  interp_wait_any (inspecting, DEX_FUTURE (self->stop), NULL);
}

/* One request. Sets @cut when the server finds the conversation too long and nothing has come yet. */
static InterpStep
ask_once (InterpSession *self, InterpModel *model, const char *nudge, gint64 budget, GPtrArray *cells, char **text,
          gboolean *cut)
{
  g_autoptr (InterpContext) context = NULL;
  g_autoptr (InterpRequest) request = interp_session_make_request (self, model, nudge, budget, &context);
  g_autoptr (InterpStream) stream = NULL;
  g_autoptr (Answer) answer = NULL;
  g_autoptr (GError) error = NULL;
  /* Not tried, or what its user knows better. */
  gboolean tools_stay = needs_text_mode (self, model) || self->options->supports_functions == INTERP_SUPPORT_YES;
  InterpItemState state;
  ReadEnd end;

  self->last_tokens = context->tokens;
  say_left_out (self, context);
  answer = answer_new (self, model, request->text_mode, context->nudged ? nudge : NULL);
  stream = interp_provider_stream (interp_model_get_provider (model), request);
  end = read_stream (answer, stream, &error);
  interp_stream_close (stream);

  state = end == READ_STOPPED ? INTERP_ITEM_INTERRUPTED : INTERP_ITEM_COMPLETE;
  if ((end == READ_FAILED && answer->asked == NULL) || (end == READ_FINISHED && answer->finish == INTERP_FINISH_LENGTH))
    state = INTERP_ITEM_INCOMPLETE;
  close_open (answer, state);
  close_cells (answer, end);
  keep_extras (answer);
  calibrate (self, answer, (gint64) (context->tokens / self->token_scale));
  *text = g_strdup (answer->text->str);

  /* In text mode a whole block goes on whatever became of the words after it. */
  if (answer->asked != NULL && end != READ_STOPPED)
    {
      g_ptr_array_add (cells, g_object_ref (answer->asked));
      return INTERP_STEP_CALLS;
    }
  if (end == READ_STOPPED)
    {
      if (answer->asked != NULL)
        interp_session_end_cell (self, answer->asked, INTERP_CELL_INTERRUPTED, _ ("Stopped before it ran."),
                                 "The user stopped before answering. This was never run.");
      return INTERP_STEP_STOPPED;
    }
  if (end == READ_FAILED)
    {
      if (answer->items->len == 0 && !tools_stay
          && g_error_matches (error, INTERP_LLM_ERROR, INTERP_LLM_ERROR_NO_TOOLS))
        {
          interp_model_set_tools (model, INTERP_SUPPORT_NO);
          return INTERP_STEP_AGAIN;
        }
      if (answer->items->len == 0 && g_error_matches (error, INTERP_LLM_ERROR, INTERP_LLM_ERROR_CONTEXT))
        *cut = TRUE;
      if (*cut && context->messages->len > 1)
        return INTERP_STEP_AGAIN;
      *cut = FALSE;
      return say_failure (answer, error);
    }

  for (guint i = 0; i < answer->cells->len; i++)
    {
      InterpCell *cell = g_ptr_array_index (answer->cells, i);

      if (!interp_item_is_premature (INTERP_ITEM (cell)))
        g_ptr_array_add (cells, g_object_ref (cell));
    }
  if (cells->len > 0)
    return INTERP_STEP_CALLS;

  return conclude (answer);
}

InterpStep
interp_session_answer (InterpSession *self, const char *nudge, GPtrArray *cells, char **text)
{
  g_autoptr (InterpModel) model = NULL;
  g_autoptr (GError) error = NULL;
  InterpStep step = INTERP_STEP_AGAIN;
  gint64 budget;
  gboolean cut = FALSE;

  begin_status (self);
  model = find_model (self, &error);
  if (model == NULL)
    {
      end_status (self);
      if (interp_session_is_stopped (self))
        return INTERP_STEP_STOPPED;
      interp_session_add_notice (self, INTERP_ITEM_ERROR, error->message, offers_for (error, FALSE), 0);
      return INTERP_STEP_FAILED;
    }
  interp_session_note_leaving (self, model);
  inspect_model (self, model);
  budget = interp_session_get_budget (self, model);
  interp_session_load_for_context (self, budget);
  load_pictures (self, model);

  for (guint i = 0; i <= MAX_CUTS && !interp_session_is_stopped (self); i++)
    {
      g_clear_pointer (text, g_free);
      cut = i < MAX_CUTS ? FALSE : cut;
      step = ask_once (self, model, nudge, budget, cells, text, &cut);
      if (step != INTERP_STEP_AGAIN || !cut)
        break;
      /* Less than what was sent last, whatever the budget was. */
      budget = MIN (budget, self->last_tokens) / 2;
    }
  end_status (self);

  return interp_session_is_stopped (self) && step == INTERP_STEP_AGAIN ? INTERP_STEP_STOPPED : step;
}

char *
interp_session_describe_request (InterpSession *self, gint64 *tokens)
{
  g_autoptr (InterpContext) context = NULL;
  g_autoptr (InterpRequest) request = NULL;

  g_return_val_if_fail (INTERP_IS_SESSION (self), NULL);

  if (self->model == NULL)
    {
      if (tokens != NULL)
        *tokens = 0;
      return g_strdup ("");
    }
  request
      = interp_session_make_request (self, self->model, NULL, interp_session_get_budget (self, self->model), &context);
  if (tokens != NULL)
    *tokens = context->tokens;

  return interp_context_describe (request->messages, request->system);
}
