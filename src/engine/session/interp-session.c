/* interp-session.c: one conversation: the object, its properties and its list of items
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <glib/gi18n.h>

#include "base/interp-clock.h"
#include "base/interp-fiber.h"
#include "base/interp-json.h"
#include "base/interp-paths.h"
#include "base/interp-text.h"
#include "session/interp-session-private.h"

enum
{
  PROP_0,
  PROP_ID,
  PROP_TITLE,
  PROP_STATE,
  PROP_STATUS,
  PROP_MODE,
  PROP_N_APPROVED,
  PROP_SAFE,
  PROP_SAFE_PROBLEM,
  PROP_NETWORK,
  PROP_FOLDERS,
  PROP_FOLDER,
  PROP_MODEL,
  PROP_QUESTION,
  PROP_READ_ONLY,
  PROP_N_RUNNING,
  PROP_DRAFT,
  PROP_PINNED,
  PROP_UPDATED,
  PROP_HAS_EARLIER,
  N_PROPS,
};

enum
{
  FINISHED,
  KERNEL_ADDED,
  FOLDER_NAMED,
  N_SIGNALS,
};

static GParamSpec *properties[N_PROPS];
static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (InterpSession, interp_session, G_TYPE_OBJECT)

G_DEFINE_ENUM_TYPE (InterpSessionState, interp_session_state, G_DEFINE_ENUM_VALUE (INTERP_SESSION_IDLE, "idle"),
                    G_DEFINE_ENUM_VALUE (INTERP_SESSION_ASKING, "asking"),
                    G_DEFINE_ENUM_VALUE (INTERP_SESSION_ANSWERING, "answering"),
                    G_DEFINE_ENUM_VALUE (INTERP_SESSION_WAITING, "waiting"),
                    G_DEFINE_ENUM_VALUE (INTERP_SESSION_RUNNING, "running"))

static void
interp_session_dispose (GObject *object)
{
  InterpSession *self = INTERP_SESSION (object);

  g_clear_handle_id (&self->status_source, g_source_remove);
  g_clear_handle_id (&self->lock_source, g_source_remove);
  if (self->store != NULL)
    {
      g_clear_signal_handler (&self->changed_handler, self->store);
      if (self->locked)
        {
          interp_session_forget_if_empty (self);
          interp_store_unlock_chat (self->store, self->row->id);
          self->locked = FALSE;
        }
    }
  if (self->slots != NULL)
    interp_session_close_kernels (self);

  G_OBJECT_CLASS (interp_session_parent_class)->dispose (object);
}

static void
interp_session_finalize (GObject *object)
{
  InterpSession *self = INTERP_SESSION (object);

  g_clear_object (&self->store);
  g_clear_object (&self->models);
  g_clear_object (&self->settings);
  g_clear_pointer (&self->options, interp_options_free);
  g_clear_pointer (&self->row, interp_chat_row_free);
  g_clear_pointer (&self->data, json_node_unref);
  g_clear_pointer (&self->adding, interp_gate_unref);
  g_clear_pointer (&self->branch, g_ptr_array_unref);
  g_clear_object (&self->items);
  dex_clear (&self->stop);
  dex_clear (&self->turn_end);
  g_free (self->status);
  g_free (self->waiting_for);
  g_clear_pointer (&self->questions, g_ptr_array_unref);
  g_clear_object (&self->model);
  g_free (self->num_ctx_model);
  g_free (self->warned_model);
  g_free (self->safe_problem);
  g_clear_object (&self->kernels);
  g_clear_pointer (&self->slots, g_ptr_array_unref);
  g_clear_pointer (&self->runs, g_ptr_array_unref);

  G_OBJECT_CLASS (interp_session_parent_class)->finalize (object);
}

static void
interp_session_get_property (GObject *object, guint prop_id, GValue *value, GParamSpec *pspec)
{
  InterpSession *self = INTERP_SESSION (object);

  switch (prop_id)
    {
    case PROP_ID:
      g_value_set_int64 (value, interp_session_get_id (self));
      break;
    case PROP_TITLE:
      g_value_set_string (value, interp_session_get_title (self));
      break;
    case PROP_STATE:
      g_value_set_enum (value, interp_session_get_state (self));
      break;
    case PROP_STATUS:
      g_value_set_string (value, interp_session_get_status (self));
      break;
    case PROP_MODE:
      g_value_set_enum (value, interp_session_get_mode (self));
      break;
    case PROP_N_APPROVED:
      g_value_set_uint (value, self->n_approved);
      break;
    case PROP_SAFE:
      g_value_set_boolean (value, interp_session_is_safe (self));
      break;
    case PROP_SAFE_PROBLEM:
      g_value_set_string (value, self->safe_problem);
      break;
    case PROP_NETWORK:
      g_value_set_boolean (value, interp_session_has_network (self));
      break;
    case PROP_FOLDERS:
      g_value_take_boxed (value, interp_session_dup_folders (self));
      break;
    case PROP_FOLDER:
      g_value_set_string (value, interp_session_get_folder (self));
      break;
    case PROP_MODEL:
      g_value_set_object (value, interp_session_get_model (self));
      break;
    case PROP_QUESTION:
      g_value_set_object (value, interp_session_get_question (self));
      break;
    case PROP_READ_ONLY:
      g_value_set_boolean (value, interp_session_is_read_only (self));
      break;
    case PROP_N_RUNNING:
      g_value_set_uint (value, self->runs->len);
      break;
    case PROP_DRAFT:
      g_value_set_string (value, interp_session_get_draft (self));
      break;
    case PROP_PINNED:
      g_value_set_boolean (value, self->row->pinned);
      break;
    case PROP_UPDATED:
      g_value_set_int64 (value, self->row->updated);
      break;
    case PROP_HAS_EARLIER:
      g_value_set_boolean (value, interp_session_has_earlier (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
interp_session_class_init (InterpSessionClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;

  object_class->dispose = interp_session_dispose;
  object_class->finalize = interp_session_finalize;
  object_class->get_property = interp_session_get_property;

  properties[PROP_ID] = g_param_spec_int64 ("id", NULL, NULL, 0, G_MAXINT64, 0, flags);
  properties[PROP_TITLE] = g_param_spec_string ("title", NULL, NULL, "", flags);
  properties[PROP_STATE]
      = g_param_spec_enum ("state", NULL, NULL, INTERP_TYPE_SESSION_STATE, INTERP_SESSION_IDLE, flags);
  properties[PROP_STATUS] = g_param_spec_string ("status", NULL, NULL, NULL, flags);
  properties[PROP_MODE] = g_param_spec_enum ("mode", NULL, NULL, INTERP_TYPE_MODE, INTERP_MODE_ASK, flags);
  properties[PROP_N_APPROVED] = g_param_spec_uint ("n-approved", NULL, NULL, 0, G_MAXUINT, 0, flags);
  properties[PROP_SAFE] = g_param_spec_boolean ("safe", NULL, NULL, FALSE, flags);
  properties[PROP_SAFE_PROBLEM] = g_param_spec_string ("safe-problem", NULL, NULL, NULL, flags);
  properties[PROP_NETWORK] = g_param_spec_boolean ("network", NULL, NULL, FALSE, flags);
  properties[PROP_FOLDERS] = g_param_spec_boxed ("folders", NULL, NULL, G_TYPE_STRV, flags);
  properties[PROP_FOLDER] = g_param_spec_string ("folder", NULL, NULL, "", flags);
  properties[PROP_MODEL] = g_param_spec_object ("model", NULL, NULL, INTERP_TYPE_MODEL, flags);
  properties[PROP_QUESTION] = g_param_spec_object ("question", NULL, NULL, INTERP_TYPE_CELL, flags);
  properties[PROP_READ_ONLY] = g_param_spec_boolean ("read-only", NULL, NULL, FALSE, flags);
  properties[PROP_N_RUNNING] = g_param_spec_uint ("n-running", NULL, NULL, 0, G_MAXUINT, 0, flags);
  properties[PROP_DRAFT] = g_param_spec_string ("draft", NULL, NULL, "", flags);
  properties[PROP_PINNED] = g_param_spec_boolean ("pinned", NULL, NULL, FALSE, flags);
  properties[PROP_UPDATED] = g_param_spec_int64 ("updated", NULL, NULL, 0, G_MAXINT64, 0, flags);
  properties[PROP_HAS_EARLIER] = g_param_spec_boolean ("has-earlier", NULL, NULL, FALSE, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  signals[FINISHED] = g_signal_new ("finished", INTERP_TYPE_SESSION, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                    G_TYPE_NONE, 1, G_TYPE_BOOLEAN);
  signals[FOLDER_NAMED] = g_signal_new ("folder-named", INTERP_TYPE_SESSION, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                        G_TYPE_NONE, 1, G_TYPE_STRING);
  signals[KERNEL_ADDED] = g_signal_new ("kernel-added", INTERP_TYPE_SESSION, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                        G_TYPE_NONE, 1, INTERP_TYPE_KERNEL);
}

static void
interp_session_init (InterpSession *self)
{
  self->adding = interp_gate_new ();
  self->branch = g_ptr_array_new_with_free_func (g_object_unref);
  self->items = g_list_store_new (INTERP_TYPE_ITEM);
  self->questions = g_ptr_array_new_with_free_func (g_object_unref);
  self->kernels = g_list_store_new (INTERP_TYPE_KERNEL);
  self->runs = g_ptr_array_new_with_free_func (g_object_unref);
  self->token_scale = 1;
}

/* The folder of a chat that was given none: the last one, or one of ours among the documents. */
static char *
choose_folder (InterpSession *self)
{
  g_autofree char *last = NULL;
  g_autofree char *own = NULL;
  const char *documents;

  if (self->options->folder != NULL)
    return g_canonicalize_filename (self->options->folder, NULL);
  last = interp_settings_get_string (self->settings, "last-folder");
  if (last != NULL && *last != '\0' && g_file_test (last, G_FILE_TEST_IS_DIR))
    return g_steal_pointer (&last);

  documents = g_get_user_special_dir (G_USER_DIRECTORY_DOCUMENTS);
  own = documents != NULL && g_strcmp0 (documents, g_get_home_dir ()) != 0
            ? g_build_filename (documents, "Interpreter", NULL)
            : g_build_filename (g_get_home_dir (), "Documents", "Interpreter", NULL);
  if (g_mkdir_with_parents (own, 0755) == 0)
    return g_steal_pointer (&own);

  return g_strdup (g_get_home_dir ());
}

/* Who may do what: what was asked for with this start holds for a kept chat too where it is stricter. */
static void
apply_options (InterpSession *self)
{
  gboolean is_new = self->row->id == 0;
  gboolean safe = self->options->safe_mode || interp_session_is_safe (self)
                  || (is_new && interp_settings_get_boolean (self->settings, "safe-mode"));

  interp_json_set (self->data, "safe", json_node_init_int (json_node_alloc (), safe));
  if (is_new && self->options->auto_run)
    self->mode = INTERP_MODE_AUTO;
  /* The one is never without safe mode, the other never in it. */
  if (safe && self->mode == INTERP_MODE_AUTO)
    self->mode = INTERP_MODE_SANDBOX;
  else if (!safe && self->mode == INTERP_MODE_SANDBOX)
    self->mode = INTERP_MODE_ASK;
  g_set_str (&self->row->mode, interp_mode_to_string (self->mode));
  for (guint i = 0; self->options->add_folders != NULL && self->options->add_folders[i] != NULL; i++)
    {
      g_autoptr (GError) error = NULL;

      if (!interp_session_add_folder (self, self->options->add_folders[i], &error))
        g_warning ("%s", error->message);
    }
}

InterpSession *
interp_session_new (InterpStore *store, InterpModels *models, InterpSettings *settings, const InterpOptions *options,
                    InterpChatRow *row)
{
  InterpSession *self = g_object_new (INTERP_TYPE_SESSION, NULL);

  self->store = g_object_ref (store);
  self->models = g_object_ref (models);
  self->settings = g_object_ref (settings);
  self->options = interp_options_copy (options);

  if (row == NULL)
    {
      row = interp_chat_row_new ();
      row->created = row->updated = interp_clock_now ();
      self->row = row;
      row->folder = choose_folder (self);
      /* No earlier process left anything in it; what is open in it later is alive. */
      self->repaired = TRUE;
    }
  else
    {
      self->row = row;
      if (row->folder == NULL || *row->folder == '\0')
        {
          g_free (row->folder);
          row->folder = choose_folder (self);
        }
      if (row->mode == NULL || !interp_mode_from_string (row->mode, &self->mode))
        self->mode = INTERP_MODE_ASK;
    }
  self->data = interp_json_parse (row->data != NULL && *row->data != '\0' ? row->data : "{}", -1,
                                  INTERP_JSON_PARSE_NONE, NULL);
  if (!interp_json_is_object (self->data))
    {
      g_clear_pointer (&self->data, json_node_unref);
      self->data = interp_json_object (NULL, NULL);
    }
  apply_options (self);
  interp_session_sandbox_changed (self);
  self->num_ctx = MAX (interp_json_get_int (self->data, "num_ctx", 0), 0);
  self->num_ctx_model = g_strdup (interp_json_get_string (self->data, "num_ctx_model"));
  self->read_only = interp_store_is_read_only (store);

  return self;
}

void
interp_session_notify (InterpSession *self, const char *property)
{
  g_object_notify (G_OBJECT (self), property);
}

void
interp_session_emit_finished (InterpSession *self, gboolean failed)
{
  g_signal_emit (self, signals[FINISHED], 0, failed);
}

void
interp_session_emit_kernel_added (InterpSession *self, InterpKernel *kernel)
{
  g_signal_emit (self, signals[KERNEL_ADDED], 0, kernel);
}

/* ---- the list ---- */

void
interp_session_show_item (InterpSession *self, InterpItem *item)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->items));

  g_ptr_array_add (self->branch, g_object_ref (item));
  if (interp_item_get_answer (item) > self->answer)
    self->answer = interp_item_get_answer (item);
  g_list_store_insert (self->items, n - self->n_queued, item);
}

void
interp_session_prepend_items (InterpSession *self, GPtrArray *items, gboolean show)
{
  gboolean had_earlier = interp_session_has_earlier (self);

  for (guint i = items->len; i > 0; i--)
    {
      InterpItem *item = g_ptr_array_index (items, i - 1);

      g_ptr_array_insert (self->branch, 0, g_object_ref (item));
      if (interp_item_get_answer (item) > self->answer)
        self->answer = interp_item_get_answer (item);
    }
  if (show)
    g_list_store_splice (self->items, 0, 0, items->pdata, items->len);
  else
    self->n_unshown += items->len;
  if (had_earlier != interp_session_has_earlier (self))
    interp_session_notify (self, "has-earlier");
}

void
interp_session_truncate (InterpSession *self, guint n_kept)
{
  guint n_shown;

  g_return_if_fail (n_kept <= self->branch->len);

  if (n_kept < self->branch->len)
    g_ptr_array_remove_range (self->branch, n_kept, self->branch->len - n_kept);
  self->n_unshown = MIN (self->n_unshown, n_kept);
  n_shown = g_list_model_get_n_items (G_LIST_MODEL (self->items)) - self->n_queued;
  g_list_store_splice (self->items, n_kept - self->n_unshown, n_shown - (n_kept - self->n_unshown), NULL, 0);
}

gboolean
interp_session_find (InterpSession *self, InterpItem *item, guint *position)
{
  return g_ptr_array_find (self->branch, item, position);
}

InterpItem *
interp_session_peek_last (InterpSession *self)
{
  return self->branch->len > 0 ? g_ptr_array_index (self->branch, self->branch->len - 1) : NULL;
}

GListModel *
interp_session_get_items (InterpSession *self)
{
  g_return_val_if_fail (INTERP_IS_SESSION (self), NULL);

  return G_LIST_MODEL (self->items);
}

gboolean
interp_session_has_earlier (InterpSession *self)
{
  g_return_val_if_fail (INTERP_IS_SESSION (self), FALSE);

  if (self->n_unshown > 0)
    return TRUE;

  return self->branch->len > 0 && interp_item_get_parent (g_ptr_array_index (self->branch, 0)) != 0;
}

/* ---- properties ---- */

gint64
interp_session_get_id (InterpSession *self)
{
  g_return_val_if_fail (INTERP_IS_SESSION (self), 0);

  return self->row->id;
}

gboolean
interp_session_is_turn (InterpSession *self)
{
  return self->turn;
}

void
interp_session_update_state (InterpSession *self)
{
  InterpSessionState state = interp_session_get_state (self);

  if (state == self->shown_state)
    return;
  self->shown_state = state;
  interp_session_notify (self, "state");
}

InterpSessionState
interp_session_get_state (InterpSession *self)
{
  g_return_val_if_fail (INTERP_IS_SESSION (self), INTERP_SESSION_IDLE);

  /* Text mode asks while the answer goes on. */
  if (self->questions->len > 0)
    return INTERP_SESSION_WAITING;
  if (self->turn)
    return self->turn_state;

  return self->runs->len > 0 || self->n_own_runs > 0 ? INTERP_SESSION_RUNNING : INTERP_SESSION_IDLE;
}

const char *
interp_session_get_status (InterpSession *self)
{
  g_return_val_if_fail (INTERP_IS_SESSION (self), NULL);

  return self->status;
}

void
interp_session_set_status (InterpSession *self, const char *status)
{
  if (g_set_str (&self->status, status))
    interp_session_notify (self, "status");
}

const char *
interp_session_get_title (InterpSession *self)
{
  g_return_val_if_fail (INTERP_IS_SESSION (self), "");

  return self->row->title != NULL && *self->row->title != '\0' ? self->row->title : _ ("New Chat");
}

void
interp_session_set_title (InterpSession *self, const char *title)
{
  g_autofree char *summary = NULL;

  g_return_if_fail (INTERP_IS_SESSION (self));

  summary = interp_text_summary (title != NULL ? title : "", 200);
  if (!g_set_str (&self->row->title, summary))
    return;
  interp_session_notify (self, "title");
  interp_session_save_chat (self);
}

gboolean
interp_session_is_read_only (InterpSession *self)
{
  g_return_val_if_fail (INTERP_IS_SESSION (self), TRUE);

  return self->read_only;
}

InterpMode
interp_session_get_mode (InterpSession *self)
{
  g_return_val_if_fail (INTERP_IS_SESSION (self), INTERP_MODE_ASK);

  return self->mode;
}

void
interp_session_set_mode (InterpSession *self, InterpMode mode)
{
  g_return_if_fail (INTERP_IS_SESSION (self));

  if (mode == INTERP_MODE_AUTO && interp_session_is_safe (self))
    mode = INTERP_MODE_SANDBOX;
  if (self->mode == mode)
    return;
  self->mode = mode;
  g_set_str (&self->row->mode, interp_mode_to_string (mode));
  interp_session_notify (self, "mode");
  interp_session_save_chat (self);
  if (mode == INTERP_MODE_LOOK)
    interp_session_withdraw_questions (self);
  if (mode == INTERP_MODE_SANDBOX)
    interp_session_set_safe (self, TRUE);
}

const char *
interp_session_get_folder (InterpSession *self)
{
  g_return_val_if_fail (INTERP_IS_SESSION (self), NULL);

  return self->row->folder;
}

gboolean
interp_session_set_folder (InterpSession *self, const char *folder, GError **error)
{
  g_autofree char *path = NULL;
  g_autofree char *shown = NULL;
  g_autoptr (GDir) dir = NULL;
  g_autoptr (GError) local_error = NULL;

  g_return_val_if_fail (INTERP_IS_SESSION (self), FALSE);
  g_return_val_if_fail (folder != NULL, FALSE);

  path = g_canonicalize_filename (folder, NULL);
  shown = interp_paths_display (path);
  if (!g_utf8_validate (path, -1, NULL))
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_FILENAME,
                   _ ("A folder whose name is not valid UTF-8 cannot be used."));
      return FALSE;
    }
  dir = g_dir_open (path, 0, &local_error);
  if (dir == NULL)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, _ ("The folder %s cannot be read: %s"), shown,
                   g_strerror (g_file_test (path, G_FILE_TEST_EXISTS) ? EACCES : ENOENT));
      return FALSE;
    }
  if (g_set_str (&self->row->folder, path))
    {
      interp_session_close_kernels (self);
      interp_session_sandbox_changed (self);
      interp_session_notify (self, "folder");
      interp_session_save_chat (self);
    }
  interp_settings_set_string (self->settings, "last-folder", path);

  return TRUE;
}

void
interp_session_set_pinned (InterpSession *self, gboolean pinned)
{
  if (self->row->pinned == !!pinned)
    return;
  self->row->pinned = !!pinned;
  interp_session_notify (self, "pinned");
}

InterpModel *
interp_session_get_model (InterpSession *self)
{
  g_return_val_if_fail (INTERP_IS_SESSION (self), NULL);

  return self->model;
}

gboolean
interp_session_would_leave (InterpSession *self, InterpModel *model)
{
  g_return_val_if_fail (INTERP_IS_SESSION (self), TRUE);
  g_return_val_if_fail (INTERP_IS_MODEL (model), TRUE);

  return self->branch->len > 0 && !interp_provider_is_local (interp_model_get_provider (model))
         && interp_session_get_flag (self, "left") == 0;
}

void
interp_session_note_leaving (InterpSession *self, InterpModel *model)
{
  if (interp_session_would_leave (self, model))
    interp_session_set_flag (self, "left", 1);
}

void
interp_session_set_model (InterpSession *self, InterpModel *model)
{
  g_return_if_fail (INTERP_IS_SESSION (self));
  g_return_if_fail (model == NULL || INTERP_IS_MODEL (model));

  g_autofree char *name = model != NULL ? interp_model_dup_name (model) : NULL;
  gboolean named = g_set_str (&self->row->model, name);
  gboolean changed = g_set_object (&self->model, model);

  self->model_chosen = TRUE;
  if (model != NULL)
    interp_session_note_leaving (self, model);
  if (!named && !changed)
    return;
  self->token_scale = 1;
  interp_session_notify (self, "model");
  interp_session_save_chat (self);
}

const char *
interp_session_get_draft (InterpSession *self)
{
  g_return_val_if_fail (INTERP_IS_SESSION (self), "");

  return self->row->draft != NULL ? self->row->draft : "";
}

/* A new chat that has nothing in it is not kept: forget it when nobody holds it any more. */
void
interp_session_forget_if_empty (InterpSession *self)
{
  if (self->row->id == 0 || self->read_only || self->branch->len > 0 || self->row->head != 0)
    return;
  if ((self->row->draft != NULL && *self->row->draft != '\0') || (self->row->title != NULL && *self->row->title != '\0')
      || self->n_queued > 0)
    return;
  dex_future_disown (interp_store_set_deleted (self->store, self->row->id, TRUE));
}

/* ---- the queue ---- */

static InterpItem *
peek_queued (InterpSession *self, InterpItem *item, guint *position)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->items));

  if (g_list_store_find (self->items, item, position) && *position >= n - self->n_queued)
    return item;

  return NULL;
}

/* Puts a message at @place of the queue; a turn that is not there yet begins with it. */
static void
queue_message (InterpSession *self, guint place, const char *text, const char *const *attachments)
{
  g_autoptr (InterpItem) item = NULL;
  guint queue = g_list_model_get_n_items (G_LIST_MODEL (self->items)) - self->n_queued;

  /* Until it is a row it is a queued message: shown as one only while something else goes on. */
  item = interp_item_new (INTERP_ITEM_USER, text);
  interp_item_set_attachments (item, attachments);
  interp_item_set_state (item, INTERP_ITEM_QUEUED);
  self->n_queued++;
  g_list_store_insert (self->items, queue + place, item);

  if (self->turn || self->rearranging)
    interp_session_save_chat (self);
  else
    interp_session_start_turn (self);
}

void
interp_session_send (InterpSession *self, const char *text, const char *const *attachments)
{
  g_autoptr (GPtrArray) named = NULL;

  g_return_if_fail (INTERP_IS_SESSION (self));
  g_return_if_fail (text != NULL);

  if (self->read_only && !interp_session_take_lock (self))
    return;
  queue_message (self, self->n_queued, text, attachments);
  named = interp_session_find_named_folders (self, text);
  for (guint i = 0; i < named->len; i++)
    g_signal_emit (self, signals[FOLDER_NAMED], 0, g_ptr_array_index (named, i));
}

void
interp_session_send_first (InterpSession *self, const char *text, const char *const *attachments)
{
  queue_message (self, 0, text, attachments);
}

void
interp_session_edit_queued (InterpSession *self, InterpItem *item, const char *text)
{
  guint position;

  g_return_if_fail (INTERP_IS_SESSION (self));
  g_return_if_fail (text != NULL);

  if (peek_queued (self, item, &position) == NULL)
    return;
  interp_item_set_text (item, text);
  interp_session_save_chat (self);
}

void
interp_session_remove_queued (InterpSession *self, InterpItem *item)
{
  guint position;

  g_return_if_fail (INTERP_IS_SESSION (self));

  if (peek_queued (self, item, &position) == NULL)
    return;
  self->n_queued--;
  g_list_store_remove (self->items, position);
  interp_session_save_chat (self);
}

/* ---- stop ---- */

gboolean
interp_session_is_stopped (InterpSession *self)
{
  return self->stop == NULL || !dex_future_is_pending (DEX_FUTURE (self->stop));
}

void
interp_session_stop (InterpSession *self)
{
  g_return_if_fail (INTERP_IS_SESSION (self));

  if (self->turn)
    {
      if (self->stop != NULL)
        interp_promise_settle (self->stop);
      return;
    }
  for (guint i = 0; i < self->runs->len; i++)
    interp_session_interrupt (self, g_ptr_array_index (self->runs, i));
}

static DexFuture *
end_work_fiber (gpointer data)
{
  InterpSession *self = data;

  interp_session_await_idle (self);
  dex_await (interp_session_close_all (self), NULL);

  return dex_future_new_true ();
}

DexFuture *
interp_session_end_work (InterpSession *self)
{
  return interp_fiber_spawn (end_work_fiber, g_object_ref (self), g_object_unref);
}

DexFuture *
interp_session_shut_down (InterpSession *self)
{
  self->closing = TRUE;

  return interp_session_end_work (self);
}

GListModel *
interp_session_get_kernels (InterpSession *self)
{
  g_return_val_if_fail (INTERP_IS_SESSION (self), NULL);

  return G_LIST_MODEL (self->kernels);
}

gboolean
interp_session_has_running (InterpSession *self)
{
  g_return_val_if_fail (INTERP_IS_SESSION (self), FALSE);

  return self->turn || self->runs->len > 0 || self->n_own_runs > 0;
}

InterpCell *
interp_session_get_question (InterpSession *self)
{
  g_return_val_if_fail (INTERP_IS_SESSION (self), NULL);

  return self->questions->len > 0 ? g_ptr_array_index (self->questions, 0) : NULL;
}
