/* interp-cell.c: a block of code, its question and its outcome
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "base/interp-text.h"
#include "session/interp-cell-outcome.h"
#include "session/interp-cell-private.h"
#include "session/interp-item-private.h"

struct _InterpCell
{
  InterpItem parent_instance;

  InterpCellState cell_state;
  InterpKernelSpec *spec;
  char *language;
  char *original_code;
  char *folder;
  char *note;
  char *refusal;
  char *approved_by;
  gboolean by_user;
  gboolean cut;
  gboolean background;
  InterpRunPlace place;
  InterpCall *call;

  InterpCellFlow flow;
  InterpJudgement *judgement;
  char *preceding_text;
  char *previous_attempt;

  InterpRun *run;
  guint output_version;
  InterpCellOutcome *outcome;
  GListStore *displays;
  char *kernel_life;
  gint64 ended;

  char *result;
  gboolean result_is_error;
  char *late_result;
};

enum
{
  PROP_0,
  PROP_CELL_STATE,
  PROP_CODE,
  PROP_LINE,
  PROP_PROGRESS,
  PROP_WAITING,
  PROP_OUTPUT_VERSION,
  PROP_LANGUAGE,
  N_PROPS,
};

enum
{
  DISPLAY,
  N_SIGNALS,
};

static GParamSpec *properties[N_PROPS];
static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (InterpCell, interp_cell, INTERP_TYPE_ITEM)

G_DEFINE_ENUM_TYPE (InterpCellState, interp_cell_state, G_DEFINE_ENUM_VALUE (INTERP_CELL_WRITING, "writing"),
                    G_DEFINE_ENUM_VALUE (INTERP_CELL_WAITING, "waiting"),
                    G_DEFINE_ENUM_VALUE (INTERP_CELL_STARTING, "starting"),
                    G_DEFINE_ENUM_VALUE (INTERP_CELL_RUNNING, "running"),
                    G_DEFINE_ENUM_VALUE (INTERP_CELL_DONE, "done"), G_DEFINE_ENUM_VALUE (INTERP_CELL_FAILED, "failed"),
                    G_DEFINE_ENUM_VALUE (INTERP_CELL_REFUSED, "refused"),
                    G_DEFINE_ENUM_VALUE (INTERP_CELL_INTERRUPTED, "interrupted"),
                    G_DEFINE_ENUM_VALUE (INTERP_CELL_LOST, "lost"),
                    G_DEFINE_ENUM_VALUE (INTERP_CELL_NOT_RUN, "not-run"))

static const char *const state_names[] = {
  "writing", "waiting", "starting", "running", "done", "failed", "refused", "interrupted", "lost", "not-run",
};

const char *
interp_cell_state_to_string (InterpCellState state)
{
  g_return_val_if_fail ((guint) state < G_N_ELEMENTS (state_names), "not-run");

  return state_names[state];
}

static InterpCellState
state_from_string (const char *text)
{
  for (guint i = 0; i < G_N_ELEMENTS (state_names); i++)
    if (g_strcmp0 (text, state_names[i]) == 0)
      return i;

  return INTERP_CELL_NOT_RUN;
}

/* ---- object ---- */

static void
interp_cell_dispose (GObject *object)
{
  InterpCell *self = INTERP_CELL (object);

  if (self->run != NULL)
    g_signal_handlers_disconnect_by_data (self->run, self);
  g_clear_object (&self->run);
  dex_clear (&self->flow.answered);
  dex_clear (&self->flow.cancel);
  dex_clear (&self->flow.left);
  g_clear_object (&self->judgement);
  g_clear_object (&self->spec);

  G_OBJECT_CLASS (interp_cell_parent_class)->dispose (object);
}

static void
interp_cell_finalize (GObject *object)
{
  InterpCell *self = INTERP_CELL (object);

  g_free (self->language);
  g_free (self->original_code);
  g_free (self->folder);
  g_free (self->note);
  g_free (self->refusal);
  g_free (self->approved_by);
  g_clear_pointer (&self->call, interp_call_unref);
  g_free (self->preceding_text);
  g_free (self->previous_attempt);
  interp_cell_outcome_free (self->outcome);
  g_clear_object (&self->displays);
  g_free (self->kernel_life);
  g_free (self->result);
  g_free (self->late_result);

  G_OBJECT_CLASS (interp_cell_parent_class)->finalize (object);
}

static void
interp_cell_get_property (GObject *object, guint prop_id, GValue *value, GParamSpec *pspec)
{
  InterpCell *self = INTERP_CELL (object);

  switch (prop_id)
    {
    case PROP_CELL_STATE:
      g_value_set_enum (value, self->cell_state);
      break;
    case PROP_CODE:
      g_value_set_string (value, interp_cell_get_code (self));
      break;
    case PROP_LINE:
      g_value_set_int (value, interp_cell_get_line (self));
      break;
    case PROP_PROGRESS:
      g_value_set_double (value, interp_cell_get_progress (self));
      break;
    case PROP_WAITING:
      g_value_set_enum (value, interp_cell_get_waiting (self));
      break;
    case PROP_OUTPUT_VERSION:
      g_value_set_uint (value, self->output_version);
      break;
    case PROP_LANGUAGE:
      g_value_set_string (value, interp_cell_get_language (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
interp_cell_class_init (InterpCellClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;

  object_class->dispose = interp_cell_dispose;
  object_class->finalize = interp_cell_finalize;
  object_class->get_property = interp_cell_get_property;

  properties[PROP_CELL_STATE]
      = g_param_spec_enum ("cell-state", NULL, NULL, INTERP_TYPE_CELL_STATE, INTERP_CELL_WRITING, flags);
  properties[PROP_CODE] = g_param_spec_string ("code", NULL, NULL, "", flags);
  properties[PROP_LINE] = g_param_spec_int ("line", NULL, NULL, 0, G_MAXINT, 0, flags);
  properties[PROP_PROGRESS] = g_param_spec_double ("progress", NULL, NULL, -1, 1, -1, flags);
  properties[PROP_WAITING] = g_param_spec_enum ("waiting", NULL, NULL, INTERP_TYPE_WAITING, INTERP_WAITING_NO, flags);
  properties[PROP_OUTPUT_VERSION] = g_param_spec_uint ("output-version", NULL, NULL, 0, G_MAXUINT, 0, flags);
  properties[PROP_LANGUAGE] = g_param_spec_string ("language", NULL, NULL, "", flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  signals[DISPLAY] = g_signal_new ("display", INTERP_TYPE_CELL, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                                   INTERP_TYPE_DISPLAY);
}

static void
interp_cell_init (InterpCell *self)
{
  self->displays = g_list_store_new (INTERP_TYPE_DISPLAY);
  self->outcome = interp_cell_outcome_new ();
}

InterpCell *
interp_cell_new (const char *language, const char *code, gboolean by_user)
{
  InterpCell *self = INTERP_CELL (interp_item_new (INTERP_ITEM_CELL, code));

  interp_cell_set_language (self, language);
  self->by_user = by_user;

  return self;
}

/* ---- rows ---- */

static JsonNode *
string_node (const char *text)
{
  return json_node_init_string (json_node_alloc (), text);
}

static void
set_string (JsonNode *data, const char *member, const char *text)
{
  if (text != NULL)
    interp_json_set (data, member, string_node (text));
}

static void
set_flag (JsonNode *data, const char *member, gboolean value)
{
  if (value)
    interp_json_set (data, member, json_node_init_boolean (json_node_alloc (), TRUE));
}

void
interp_cell_save (InterpCell *self, JsonNode *data)
{
  g_return_if_fail (INTERP_IS_CELL (self));

  set_string (data, "language", self->language);
  set_string (data, "original_code", self->original_code);
  set_string (data, "folder", self->folder);
  set_string (data, "note", self->note);
  set_string (data, "refusal", self->refusal);
  set_string (data, "approved_by", self->approved_by);
  set_string (data, "kernel", self->kernel_life);
  set_string (data, "result", self->result);
  set_string (data, "late_result", self->late_result);
  if (self->place != INTERP_RUN_PLACE_USUAL)
    interp_json_set (data, "place", json_node_init_int (json_node_alloc (), self->place));
  set_flag (data, "by_user", self->by_user);
  set_flag (data, "cut", self->cut);
  set_flag (data, "background", self->background);
  set_flag (data, "result_is_error", self->result_is_error);
  if (self->ended != 0)
    interp_json_set (data, "ended", json_node_init_int (json_node_alloc (), self->ended));

  if (self->call != NULL)
    {
      JsonNode *call = interp_json_object ("id", INTERP_JSON_STRING (self->call->id), "name",
                                           INTERP_JSON_STRING (self->call->name), "arguments",
                                           INTERP_JSON_STRING (self->call->arguments), "fault",
                                           INTERP_JSON_STRING (self->call->fault), "origin",
                                           INTERP_JSON_INT (self->call->origin), NULL);

      interp_json_set (data, "call", call);
    }

  interp_cell_outcome_save (self->outcome, data);
  interp_json_set (data, "displays", interp_displays_to_json (G_LIST_MODEL (self->displays)));
}

static InterpCall *
call_from_json (JsonNode *node)
{
  InterpCall *call;
  gint64 origin = interp_json_get_int (node, "origin", INTERP_CALL_TOOL);
  const char *name = interp_json_get_string (node, "name");

  if (origin < INTERP_CALL_TOOL || origin > INTERP_CALL_RECOVERED)
    origin = INTERP_CALL_TOOL;
  call = interp_call_new (origin, interp_json_get_string (node, "id"), name != NULL ? name : "run_code",
                          interp_json_get_string (node, "arguments"));
  call->fault = g_strdup (interp_json_get_string (node, "fault"));

  return call;
}

void
interp_cell_load (InterpCell *self, const char *state, JsonNode *data)
{
  JsonNode *call;

  g_return_if_fail (INTERP_IS_CELL (self));

  interp_cell_set_language (self, interp_json_get_string (data, "language"));
  g_set_str (&self->original_code, interp_json_get_string (data, "original_code"));
  g_set_str (&self->folder, interp_json_get_string (data, "folder"));
  g_set_str (&self->note, interp_json_get_string (data, "note"));
  g_set_str (&self->refusal, interp_json_get_string (data, "refusal"));
  g_set_str (&self->approved_by, interp_json_get_string (data, "approved_by"));
  g_set_str (&self->kernel_life, interp_json_get_string (data, "kernel"));
  g_set_str (&self->result, interp_json_get_string (data, "result"));
  g_set_str (&self->late_result, interp_json_get_string (data, "late_result"));
  self->place = CLAMP (interp_json_get_int (data, "place", 0), INTERP_RUN_PLACE_USUAL, INTERP_RUN_PLACE_OUTSIDE);
  self->by_user = interp_json_get_bool (data, "by_user", FALSE);
  self->cut = interp_json_get_bool (data, "cut", FALSE);
  self->background = interp_json_get_bool (data, "background", FALSE);
  self->result_is_error = interp_json_get_bool (data, "result_is_error", FALSE);
  self->ended = interp_json_get_int (data, "ended", 0);

  call = interp_json_get (data, "call");
  if (interp_json_is_object (call))
    {
      g_clear_pointer (&self->call, interp_call_unref);
      self->call = call_from_json (call);
    }

  interp_cell_outcome_load (self->outcome, data);
  interp_displays_from_json (self->displays, interp_json_get (data, "displays"));
  interp_cell_output_changed (self);
  interp_cell_set_cell_state (self, state_from_string (state));
}

/* ---- what it is ---- */

/* How the entry as a whole stands, for those who only look at items. */
static InterpItemState
item_state_for (InterpCellState state)
{
  switch (state)
    {
    case INTERP_CELL_WRITING:
    case INTERP_CELL_WAITING:
    case INTERP_CELL_STARTING:
    case INTERP_CELL_RUNNING:
      return INTERP_ITEM_OPEN;
    case INTERP_CELL_INTERRUPTED:
    case INTERP_CELL_LOST:
      return INTERP_ITEM_INTERRUPTED;
    case INTERP_CELL_DONE:
    case INTERP_CELL_FAILED:
    case INTERP_CELL_REFUSED:
    case INTERP_CELL_NOT_RUN:
      return INTERP_ITEM_COMPLETE;
    default:
      g_assert_not_reached ();
    }
}

InterpCellState
interp_cell_get_cell_state (InterpCell *self)
{
  g_return_val_if_fail (INTERP_IS_CELL (self), INTERP_CELL_NOT_RUN);

  return self->cell_state;
}

void
interp_cell_set_cell_state (InterpCell *self, InterpCellState state)
{
  g_return_if_fail (INTERP_IS_CELL (self));

  if (self->cell_state != state)
    {
      self->cell_state = state;
      g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CELL_STATE]);
    }
  /* Who was told may have answered at once: it may be another state by now. */
  interp_item_set_state (INTERP_ITEM (self), item_state_for (self->cell_state));
}

InterpKernelSpec *
interp_cell_get_spec (InterpCell *self)
{
  g_return_val_if_fail (INTERP_IS_CELL (self), NULL);

  return self->spec;
}

const char *
interp_cell_get_language (InterpCell *self)
{
  g_return_val_if_fail (INTERP_IS_CELL (self), "");

  if (self->spec != NULL)
    return interp_kernel_spec_get_title (self->spec);

  return self->language != NULL ? self->language : "";
}

const char *
interp_cell_get_language_name (InterpCell *self)
{
  g_return_val_if_fail (INTERP_IS_CELL (self), "");

  if (self->spec != NULL)
    return interp_kernel_spec_get_id (self->spec);

  return self->language != NULL ? self->language : "";
}

void
interp_cell_set_language (InterpCell *self, const char *language)
{
  InterpKernelSpec *spec;

  g_return_if_fail (INTERP_IS_CELL (self));

  if (!g_set_str (&self->language, language))
    return;
  spec = language != NULL && *language != '\0' ? interp_kernel_specs_lookup (language) : NULL;
  g_set_object (&self->spec, spec);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_LANGUAGE]);
}

const char *
interp_cell_get_code (InterpCell *self)
{
  g_return_val_if_fail (INTERP_IS_CELL (self), "");

  return interp_item_get_text (INTERP_ITEM (self));
}

const char *
interp_cell_get_original_code (InterpCell *self)
{
  g_return_val_if_fail (INTERP_IS_CELL (self), NULL);

  return self->original_code;
}

void
interp_cell_edit_code (InterpCell *self, const char *code)
{
  g_return_if_fail (INTERP_IS_CELL (self));

  if (g_str_equal (code, interp_cell_get_code (self)))
    return;
  if (self->original_code == NULL)
    self->original_code = g_strdup (interp_cell_get_code (self));
  interp_item_set_text (INTERP_ITEM (self), code);
}

const char *
interp_cell_get_folder (InterpCell *self)
{
  g_return_val_if_fail (INTERP_IS_CELL (self), NULL);

  return self->folder;
}

void
interp_cell_set_folder (InterpCell *self, const char *folder)
{
  g_return_if_fail (INTERP_IS_CELL (self));

  g_set_str (&self->folder, folder);
}

gboolean
interp_cell_is_by_user (InterpCell *self)
{
  g_return_val_if_fail (INTERP_IS_CELL (self), FALSE);

  return self->by_user;
}

gboolean
interp_cell_is_runnable (InterpCell *self)
{
  g_return_val_if_fail (INTERP_IS_CELL (self), FALSE);

  if (self->spec == NULL || self->cut || *interp_cell_get_code (self) == '\0')
    return FALSE;

  return interp_item_get_state (INTERP_ITEM (self)) != INTERP_ITEM_OPEN || self->cell_state == INTERP_CELL_WAITING;
}

gboolean
interp_cell_is_only_shown (InterpCell *self)
{
  g_return_val_if_fail (INTERP_IS_CELL (self), FALSE);

  return self->call != NULL && self->call->origin == INTERP_CALL_FENCE && *interp_cell_get_language_name (self) == '\0';
}

gboolean
interp_cell_is_cut (InterpCell *self)
{
  g_return_val_if_fail (INTERP_IS_CELL (self), FALSE);

  return self->cut;
}

void
interp_cell_set_cut (InterpCell *self, gboolean cut)
{
  g_return_if_fail (INTERP_IS_CELL (self));

  self->cut = cut;
}

const char *
interp_cell_get_note (InterpCell *self)
{
  g_return_val_if_fail (INTERP_IS_CELL (self), NULL);

  return self->note;
}

void
interp_cell_set_note (InterpCell *self, const char *note)
{
  g_return_if_fail (INTERP_IS_CELL (self));

  g_set_str (&self->note, note);
}

const char *
interp_cell_get_refusal (InterpCell *self)
{
  g_return_val_if_fail (INTERP_IS_CELL (self), NULL);

  return self->refusal;
}

void
interp_cell_set_refusal (InterpCell *self, const char *refusal)
{
  g_return_if_fail (INTERP_IS_CELL (self));

  g_set_str (&self->refusal, refusal);
}

const char *
interp_cell_get_approved_by (InterpCell *self)
{
  g_return_val_if_fail (INTERP_IS_CELL (self), NULL);

  return self->approved_by;
}

void
interp_cell_set_approved_by (InterpCell *self, const char *approved_by)
{
  g_return_if_fail (INTERP_IS_CELL (self));

  g_set_str (&self->approved_by, approved_by);
}

InterpCall *
interp_cell_get_call (InterpCell *self)
{
  g_return_val_if_fail (INTERP_IS_CELL (self), NULL);

  return self->call;
}

void
interp_cell_set_call (InterpCell *self, InterpCall *call)
{
  g_return_if_fail (INTERP_IS_CELL (self));
  g_return_if_fail (call != NULL);

  interp_call_ref (call);
  g_clear_pointer (&self->call, interp_call_unref);
  self->call = call;
}

InterpCellFlow *
interp_cell_get_flow (InterpCell *self)
{
  g_return_val_if_fail (INTERP_IS_CELL (self), NULL);

  return &self->flow;
}

/* ---- its question ---- */

InterpJudgement *
interp_cell_get_judgement (InterpCell *self)
{
  g_return_val_if_fail (INTERP_IS_CELL (self), NULL);

  return self->cell_state == INTERP_CELL_WAITING ? self->judgement : NULL;
}

void
interp_cell_set_judgement (InterpCell *self, InterpJudgement *judgement)
{
  g_return_if_fail (INTERP_IS_CELL (self));

  g_set_object (&self->judgement, judgement);
}

void
interp_cell_set_question (InterpCell *self, const char *preceding_text, const char *previous_attempt)
{
  g_return_if_fail (INTERP_IS_CELL (self));

  g_set_str (&self->preceding_text, preceding_text);
  g_set_str (&self->previous_attempt, previous_attempt);
}

const char *
interp_cell_get_preceding_text (InterpCell *self)
{
  g_return_val_if_fail (INTERP_IS_CELL (self), NULL);

  return self->preceding_text;
}

const char *
interp_cell_get_previous_attempt (InterpCell *self)
{
  g_return_val_if_fail (INTERP_IS_CELL (self), NULL);

  return self->previous_attempt;
}

DexFuture *
interp_cell_load_diffs (InterpCell *self, const char *code)
{
  const char *shown;
  const char *edited_from;

  g_return_val_if_fail (INTERP_IS_CELL (self), NULL);
  g_return_val_if_fail (code != NULL, NULL);

  shown = self->original_code != NULL ? self->original_code : interp_cell_get_code (self);
  edited_from = g_str_equal (code, shown) ? NULL : shown;

  return interp_diff_for_block (self->spec != NULL ? interp_kernel_spec_get_id (self->spec) : self->language, code,
                                self->folder, edited_from, self->previous_attempt);
}

/* ---- what the model is told ---- */

const char *
interp_cell_get_result (InterpCell *self)
{
  g_return_val_if_fail (INTERP_IS_CELL (self), NULL);

  return self->result;
}

gboolean
interp_cell_result_is_error (InterpCell *self)
{
  g_return_val_if_fail (INTERP_IS_CELL (self), FALSE);

  return self->result_is_error;
}

void
interp_cell_set_result (InterpCell *self, const char *result, gboolean is_error)
{
  g_return_if_fail (INTERP_IS_CELL (self));

  g_set_str (&self->result, result);
  self->result_is_error = is_error;
}

const char *
interp_cell_get_late_result (InterpCell *self)
{
  g_return_val_if_fail (INTERP_IS_CELL (self), NULL);

  return self->late_result;
}

void
interp_cell_set_late_result (InterpCell *self, const char *result)
{
  g_return_if_fail (INTERP_IS_CELL (self));

  g_set_str (&self->late_result, result);
}

gint64
interp_cell_get_ended (InterpCell *self)
{
  g_return_val_if_fail (INTERP_IS_CELL (self), 0);

  return self->ended;
}

void
interp_cell_set_ended (InterpCell *self, gint64 ended)
{
  g_return_if_fail (INTERP_IS_CELL (self));

  self->ended = ended;
}

gboolean
interp_cell_is_background (InterpCell *self)
{
  g_return_val_if_fail (INTERP_IS_CELL (self), FALSE);

  return self->background;
}

void
interp_cell_set_background (InterpCell *self, gboolean background)
{
  g_return_if_fail (INTERP_IS_CELL (self));

  self->background = background;
}

const char *
interp_cell_get_kernel_life (InterpCell *self)
{
  g_return_val_if_fail (INTERP_IS_CELL (self), "");

  return self->kernel_life != NULL ? self->kernel_life : "";
}

void
interp_cell_set_kernel_life (InterpCell *self, const char *life)
{
  g_return_if_fail (INTERP_IS_CELL (self));

  g_set_str (&self->kernel_life, life);
}

/* ---- its run ---- */

static void
forward_line (InterpCell *self)
{
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_LINE]);
}

static void
forward_progress (InterpCell *self)
{
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PROGRESS]);
}

static void
forward_waiting (InterpCell *self)
{
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_WAITING]);
}

void
interp_cell_begin_run (InterpCell *self, InterpRun *run)
{
  g_return_if_fail (INTERP_IS_CELL (self));
  g_return_if_fail (INTERP_IS_RUN (run));
  g_return_if_fail (self->run == NULL);

  self->run = g_object_ref (run);
  g_signal_connect_object (run, "notify::line", G_CALLBACK (forward_line), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (run, "notify::progress", G_CALLBACK (forward_progress), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (run, "notify::waiting", G_CALLBACK (forward_waiting), self, G_CONNECT_SWAPPED);
  forward_line (self);
  forward_waiting (self);
}

void
interp_cell_finish_run (InterpCell *self)
{
  g_autoptr (InterpRun) run = NULL;

  g_return_if_fail (INTERP_IS_CELL (self));

  run = g_steal_pointer (&self->run);
  if (run == NULL)
    return;
  g_signal_handlers_disconnect_by_data (run, self);
  interp_cell_outcome_take_run (self->outcome, run);
  interp_item_set_duration (INTERP_ITEM (self), MAX (interp_run_get_duration (run), 0));
  forward_line (self);
  forward_progress (self);
  forward_waiting (self);
  interp_cell_output_changed (self);
}

InterpRun *
interp_cell_get_run (InterpCell *self)
{
  g_return_val_if_fail (INTERP_IS_CELL (self), NULL);

  return self->run;
}

void
interp_cell_add_display (InterpCell *self, InterpDisplay *display)
{
  const char *id;
  guint n;

  g_return_if_fail (INTERP_IS_CELL (self));

  id = interp_display_get_display_id (display);
  n = g_list_model_get_n_items (G_LIST_MODEL (self->displays));
  for (guint i = 0; id != NULL && i < n; i++)
    {
      g_autoptr (InterpDisplay) other = g_list_model_get_item (G_LIST_MODEL (self->displays), i);

      if (g_strcmp0 (interp_display_get_display_id (other), id) == 0)
        {
          g_list_store_splice (self->displays, i, 1, (gpointer *) &display, 1);
          g_signal_emit (self, signals[DISPLAY], 0, display);
          return;
        }
    }

  g_list_store_append (self->displays, display);
  g_signal_emit (self, signals[DISPLAY], 0, display);
}

void
interp_cell_output_changed (InterpCell *self)
{
  g_return_if_fail (INTERP_IS_CELL (self));

  self->output_version++;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_OUTPUT_VERSION]);
}

void
interp_cell_set_output (InterpCell *self, const char *text, guint64 n_lines, guint64 n_dropped)
{
  g_return_if_fail (INTERP_IS_CELL (self));

  interp_cell_outcome_set_output (self->outcome, text, NULL, n_lines, n_dropped);
  interp_cell_output_changed (self);
}

void
interp_cell_set_log_path (InterpCell *self, const char *path)
{
  g_return_if_fail (INTERP_IS_CELL (self));

  g_set_str (&self->outcome->log_path, path);
}

/* ---- its outcome ---- */

char *
interp_cell_dup_output (InterpCell *self, GArray **spans)
{
  g_return_val_if_fail (INTERP_IS_CELL (self), NULL);

  if (self->run != NULL)
    return interp_terminal_text_to_string (interp_run_get_text (self->run), spans);
  if (spans != NULL)
    *spans = interp_cell_outcome_copy_spans (self->outcome);

  return g_strdup (self->outcome->output != NULL ? self->outcome->output : "");
}

guint64
interp_cell_get_n_lines (InterpCell *self)
{
  g_return_val_if_fail (INTERP_IS_CELL (self), 0);

  return self->run != NULL ? interp_terminal_text_get_n_lines (interp_run_get_text (self->run))
                           : self->outcome->n_lines;
}

guint64
interp_cell_get_n_dropped (InterpCell *self)
{
  g_return_val_if_fail (INTERP_IS_CELL (self), 0);

  return self->run != NULL ? interp_terminal_text_get_n_dropped (interp_run_get_text (self->run))
                           : self->outcome->n_dropped;
}

GListModel *
interp_cell_get_displays (InterpCell *self)
{
  g_return_val_if_fail (INTERP_IS_CELL (self), NULL);

  return G_LIST_MODEL (self->displays);
}

int
interp_cell_get_line (InterpCell *self)
{
  g_return_val_if_fail (INTERP_IS_CELL (self), 0);

  return self->run != NULL ? interp_run_get_line (self->run) : 0;
}

InterpWaiting
interp_cell_get_waiting (InterpCell *self)
{
  InterpWaiting waiting = INTERP_WAITING_NO;

  g_return_val_if_fail (INTERP_IS_CELL (self), INTERP_WAITING_NO);

  if (self->run != NULL)
    g_object_get (self->run, "waiting", &waiting, NULL);

  return waiting;
}

double
interp_cell_get_progress (InterpCell *self)
{
  double progress = -1;

  g_return_val_if_fail (INTERP_IS_CELL (self), -1);

  if (self->run != NULL)
    g_object_get (self->run, "progress", &progress, NULL);

  return progress;
}

int
interp_cell_get_exit_code (InterpCell *self)
{
  g_return_val_if_fail (INTERP_IS_CELL (self), 0);

  return self->outcome->exit_code;
}

const char *
interp_cell_get_error_name (InterpCell *self)
{
  g_return_val_if_fail (INTERP_IS_CELL (self), NULL);

  return self->outcome->error_name;
}

const char *
interp_cell_get_error_message (InterpCell *self)
{
  g_return_val_if_fail (INTERP_IS_CELL (self), NULL);

  return self->outcome->error_message;
}

const char *
interp_cell_get_traceback (InterpCell *self)
{
  g_return_val_if_fail (INTERP_IS_CELL (self), NULL);

  return self->outcome->traceback;
}

int
interp_cell_get_error_line (InterpCell *self)
{
  g_return_val_if_fail (INTERP_IS_CELL (self), 0);

  return self->outcome->error_line;
}

const char *
interp_cell_get_log_path (InterpCell *self)
{
  g_return_val_if_fail (INTERP_IS_CELL (self), NULL);

  return self->outcome->log_path;
}

const char *
interp_cell_get_missing_module (InterpCell *self)
{
  g_return_val_if_fail (INTERP_IS_CELL (self), NULL);

  return self->outcome->missing_module;
}

InterpRunPlace
interp_cell_get_place (InterpCell *self)
{
  g_return_val_if_fail (INTERP_IS_CELL (self), INTERP_RUN_PLACE_USUAL);

  return self->place;
}

void
interp_cell_set_place (InterpCell *self, InterpRunPlace place)
{
  g_return_if_fail (INTERP_IS_CELL (self));

  self->place = place;
}

void
interp_cell_find_blocked (InterpCell *self, InterpSandbox *sandbox)
{
  g_autofree char *said = NULL;

  g_return_if_fail (INTERP_IS_CELL (self));
  g_return_if_fail (INTERP_IS_SANDBOX (sandbox));

  said = g_strjoin ("\n", self->outcome->error_message != NULL ? self->outcome->error_message : "",
                    self->outcome->output != NULL ? self->outcome->output : "", self->outcome->traceback, NULL);
  interp_blocked_find (&self->outcome->blocked, sandbox, interp_cell_get_code (self), said);
}

gboolean
interp_cell_is_network_blocked (InterpCell *self)
{
  g_return_val_if_fail (INTERP_IS_CELL (self), FALSE);

  return self->outcome->blocked.network;
}

const char *
interp_cell_get_blocked_folder (InterpCell *self)
{
  g_return_val_if_fail (INTERP_IS_CELL (self), NULL);

  return self->outcome->blocked.folder;
}
