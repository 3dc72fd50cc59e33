/* interp-store.c: conversations as rows
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "store/interp-store.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/interp-clock.h"
#include "base/interp-fiber.h"
#include "store/interp-store-blobs.h"
#include "store/interp-store-changes.h"
#include "store/interp-store-file.h"
#include "store/interp-store-queries.h"
#include "store/interp-store-thread.h"

#define TIDY_AFTER_SEC 30
#define KEEP_DELETED_MSEC (30 * 24 * 60 * 60 * G_GINT64_CONSTANT (1000))
#define MAX_PURGED 1000

struct _InterpStore
{
  GObject parent_instance;

  char *folder;
  char *notice;
  int refusal; /* InterpStoreError of changes, −1 when they are possible */
  int lock;
  InterpStoreThread *writer;
  InterpStoreThread *reader;
  InterpStoreChanges *changes; /* the writer's thread's */
  GWeakRef *link;              /* atomic box: from the writer's thread to us */
  GHashTable *chat_locks;      /* chat (gint64) → descriptor */
  DexPromise *closing;
  guint tidy_source;
};

enum
{
  SIGNAL_CHANGED,
  N_SIGNALS
};
static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (InterpStore, interp_store, G_TYPE_OBJECT)

/* ---- what other processes changed ---- */

typedef struct
{
  GWeakRef *link;
  GArray *chats;
} Changed;

static void
link_free (gpointer link)
{
  g_weak_ref_clear (link);
}

static void
changed_free (gpointer data)
{
  Changed *changed = data;

  g_atomic_rc_box_release_full (changed->link, link_free);
  g_array_unref (changed->chats);
  g_free (changed);
}

static gboolean
emit_changed (gpointer data)
{
  Changed *changed = data;
  g_autoptr (InterpStore) self = g_weak_ref_get (changed->link);

  for (guint i = 0; self != NULL && self->closing == NULL && i < changed->chats->len; i++)
    g_signal_emit (self, signals[SIGNAL_CHANGED], 0, g_array_index (changed->chats, gint64, i));
  return G_SOURCE_REMOVE;
}

/* On the writer's thread. */
static void
on_changes (GArray *chats, gpointer data)
{
  Changed *changed = g_new0 (Changed, 1);

  changed->link = g_atomic_rc_box_acquire (data);
  changed->chats = g_array_ref (chats);
  g_idle_add_full (G_PRIORITY_DEFAULT, emit_changed, changed, changed_free);
}

static gboolean
on_commit (InterpDatabase *database, gpointer data, GError **error)
{
  return interp_store_changes_commit (data, database, error);
}

static void
on_poll (InterpDatabase *database, gpointer data)
{
  interp_store_changes_poll (data, database);
}

/* ---- closing ---- */

/* What outlives the store until its threads have ended. */
typedef struct
{
  InterpStoreThread *writer;
  InterpStoreChanges *changes;
  GWeakRef *link;
  GHashTable *chat_locks;
  int lock;
  DexPromise *promise; /* nullable */
} Ending;

static void
close_lock (gpointer fd)
{
  close (GPOINTER_TO_INT (fd));
}

static gboolean
resolve_closing (gpointer data)
{
  dex_promise_resolve_boolean (data, TRUE);
  return G_SOURCE_REMOVE;
}

static void
on_writer_ended (gpointer data)
{
  Ending *ending = data;

  interp_store_changes_free (ending->changes);
  g_atomic_rc_box_release_full (ending->link, link_free);
  g_hash_table_unref (ending->chat_locks);
  if (ending->lock >= 0)
    close (ending->lock);
  if (ending->promise != NULL)
    g_idle_add_full (G_PRIORITY_DEFAULT, resolve_closing, ending->promise, dex_unref);
  g_free (ending);
}

/* The writer goes last: the last connection folds the log into the database. */
static void
on_reader_ended (gpointer data)
{
  Ending *ending = data;

  interp_store_thread_stop (ending->writer, on_writer_ended, ending);
}

static void
stop_threads (InterpStore *self)
{
  Ending *ending;

  g_clear_handle_id (&self->tidy_source, g_source_remove);
  if (self->writer == NULL)
    return;
  ending = g_new0 (Ending, 1);
  ending->writer = g_steal_pointer (&self->writer);
  ending->changes = g_steal_pointer (&self->changes);
  ending->link = g_atomic_rc_box_acquire (self->link);
  ending->chat_locks = g_hash_table_ref (self->chat_locks);
  ending->lock = self->lock;
  ending->promise = self->closing != NULL ? dex_ref (self->closing) : NULL;
  self->lock = -1;
  interp_store_thread_stop (g_steal_pointer (&self->reader), on_reader_ended, ending);
}

DexFuture *
interp_store_close (InterpStore *self)
{
  g_return_val_if_fail (INTERP_IS_STORE (self), NULL);

  if (self->closing == NULL)
    {
      self->closing = dex_promise_new ();
      stop_threads (self);
    }
  return dex_ref (DEX_FUTURE (self->closing));
}

/* ---- asking the threads ---- */

static DexFuture *
ask (InterpStore *self, gboolean change, InterpStoreJobFlags flags, InterpStoreJobFunc func,
     const InterpStoreRequest *values)
{
  g_autoptr (InterpStoreRequest) request = g_memdup2 (values, sizeof *values);

  if (self->closing != NULL)
    return dex_future_new_reject (INTERP_STORE_ERROR, INTERP_STORE_ERROR_FAILED, "%s",
                                  _ ("The conversations are closed."));
  if (change && self->refusal == INTERP_STORE_ERROR_NEWER)
    return dex_future_new_reject (INTERP_STORE_ERROR, INTERP_STORE_ERROR_NEWER, "%s",
                                  _ ("Nothing is saved: the conversations were written by a newer version of "
                                     "Interpreter."));
  if (change && self->refusal >= 0)
    return dex_future_new_reject (INTERP_STORE_ERROR, self->refusal, "%s",
                                  _ ("Nothing is saved: the folder is read-only."));

  return interp_store_thread_push (change ? self->writer : self->reader, flags, func, g_steal_pointer (&request),
                                   (GDestroyNotify) interp_store_request_free);
}

static DexFuture *
ask_change (InterpStore *self, InterpStoreJobFunc func, const InterpStoreRequest *values)
{
  return ask (self, TRUE, INTERP_STORE_JOB_NONE, func, values);
}

static DexFuture *
ask_read (InterpStore *self, InterpStoreJobFunc func, const InterpStoreRequest *values)
{
  return ask (self, FALSE, INTERP_STORE_JOB_NONE, func, values);
}

/* Rows hold only valid UTF-8 without NUL, whatever a caller was given. */
static char *
dup_valid (const char *text)
{
  return text != NULL ? g_utf8_make_valid (text, -1) : g_strdup ("");
}

static InterpChatRow *
dup_chat (const InterpChatRow *row)
{
  InterpChatRow *copy = interp_chat_row_copy (row);

  g_set_str (&copy->title, NULL);
  g_set_str (&copy->draft, NULL);
  copy->title = dup_valid (row->title);
  copy->draft = dup_valid (row->draft);
  if (copy->created == 0)
    copy->created = interp_clock_now ();
  if (copy->updated == 0)
    copy->updated = copy->created;
  return copy;
}

static InterpItemRow *
dup_item (const InterpItemRow *row)
{
  InterpItemRow *copy = interp_item_row_copy (row);

  g_set_str (&copy->text, NULL);
  copy->text = dup_valid (row->text);
  if (copy->created == 0)
    copy->created = interp_clock_now ();
  return copy;
}

/* ---- chats ---- */

DexFuture *
interp_store_add_chat (InterpStore *self, const InterpChatRow *row)
{
  g_return_val_if_fail (INTERP_IS_STORE (self), NULL);
  g_return_val_if_fail (row != NULL, NULL);

  return ask_change (self, interp_store_query_add_chat, &(InterpStoreRequest) { .chat_row = dup_chat (row) });
}

DexFuture *
interp_store_update_chat (InterpStore *self, const InterpChatRow *row)
{
  g_return_val_if_fail (INTERP_IS_STORE (self), NULL);
  g_return_val_if_fail (row != NULL, NULL);

  return ask_change (self, interp_store_query_update_chat, &(InterpStoreRequest) { .chat_row = dup_chat (row) });
}

DexFuture *
interp_store_list_chats (InterpStore *self)
{
  g_return_val_if_fail (INTERP_IS_STORE (self), NULL);

  return ask_read (self, interp_store_query_list_chats, &(InterpStoreRequest) { 0 });
}

DexFuture *
interp_store_get_chat (InterpStore *self, gint64 chat)
{
  g_return_val_if_fail (INTERP_IS_STORE (self), NULL);

  return ask_read (self, interp_store_query_get_chat, &(InterpStoreRequest) { .chat = chat });
}

DexFuture *
interp_store_set_deleted (InterpStore *self, gint64 chat, gboolean deleted)
{
  g_return_val_if_fail (INTERP_IS_STORE (self), NULL);

  return ask_change (self, interp_store_query_set_deleted,
                     &(InterpStoreRequest) { .chat = chat, .number = deleted ? MAX (interp_clock_now (), 1) : 0 });
}

DexFuture *
interp_store_set_draft (InterpStore *self, gint64 chat, const char *draft)
{
  g_return_val_if_fail (INTERP_IS_STORE (self), NULL);

  return ask_change (self, interp_store_query_set_draft,
                     &(InterpStoreRequest) { .chat = chat, .text = dup_valid (draft) });
}

DexFuture *
interp_store_set_title (InterpStore *self, gint64 chat, const char *title)
{
  g_return_val_if_fail (INTERP_IS_STORE (self), NULL);

  return ask_change (self, interp_store_query_set_title,
                     &(InterpStoreRequest) { .chat = chat, .text = dup_valid (title) });
}

DexFuture *
interp_store_set_pinned (InterpStore *self, gint64 chat, gboolean pinned)
{
  g_return_val_if_fail (INTERP_IS_STORE (self), NULL);

  return ask_change (self, interp_store_query_set_pinned, &(InterpStoreRequest) { .chat = chat, .flag = !!pinned });
}

/* ---- items ---- */

DexFuture *
interp_store_add_item (InterpStore *self, const InterpItemRow *row, gboolean make_head)
{
  g_return_val_if_fail (INTERP_IS_STORE (self), NULL);
  g_return_val_if_fail (row != NULL, NULL);

  return ask_change (self, interp_store_query_add_item,
                     &(InterpStoreRequest) { .item_row = dup_item (row), .flag = make_head });
}

DexFuture *
interp_store_update_item (InterpStore *self, const InterpItemRow *row)
{
  g_return_val_if_fail (INTERP_IS_STORE (self), NULL);
  g_return_val_if_fail (row != NULL, NULL);

  return ask_change (self, interp_store_query_update_item, &(InterpStoreRequest) { .item_row = dup_item (row) });
}

DexFuture *
interp_store_append (InterpStore *self, gint64 item, const char *text)
{
  g_return_val_if_fail (INTERP_IS_STORE (self), NULL);

  return ask (self, TRUE, INTERP_STORE_JOB_MAY_WAIT, interp_store_query_append,
              &(InterpStoreRequest) { .item = item, .text = dup_valid (text) });
}

DexFuture *
interp_store_set_head (InterpStore *self, gint64 chat, gint64 item)
{
  g_return_val_if_fail (INTERP_IS_STORE (self), NULL);

  return ask_change (self, interp_store_query_set_head, &(InterpStoreRequest) { .chat = chat, .item = item });
}

DexFuture *
interp_store_load_branch (InterpStore *self, gint64 chat, gint64 head, guint limit)
{
  g_return_val_if_fail (INTERP_IS_STORE (self), NULL);

  return ask_read (self, interp_store_query_load_branch,
                   &(InterpStoreRequest) { .chat = chat, .item = head, .limit = limit });
}

DexFuture *
interp_store_load_children (InterpStore *self, gint64 chat, gint64 parent)
{
  g_return_val_if_fail (INTERP_IS_STORE (self), NULL);

  return ask_read (self, interp_store_query_load_children, &(InterpStoreRequest) { .chat = chat, .item = parent });
}

DexFuture *
interp_store_find_leaf (InterpStore *self, gint64 item)
{
  g_return_val_if_fail (INTERP_IS_STORE (self), NULL);

  return ask_read (self, interp_store_query_find_leaf, &(InterpStoreRequest) { .item = item });
}

DexFuture *
interp_store_search (InterpStore *self, const char *words, guint limit)
{
  g_return_val_if_fail (INTERP_IS_STORE (self), NULL);

  return ask_read (self, interp_store_query_search,
                   &(InterpStoreRequest) { .text = dup_valid (words), .limit = limit });
}

/* ---- locks ---- */

static char *
chat_lock_path (InterpStore *self, gint64 chat)
{
  g_autofree char *name = g_strdup_printf ("%" G_GINT64_FORMAT, chat);

  return g_build_filename (self->folder, "locks", name, NULL);
}

gboolean
interp_store_lock_chat (InterpStore *self, gint64 chat)
{
  g_autofree char *path = NULL;
  g_autofree char *folder = NULL;

  g_return_val_if_fail (INTERP_IS_STORE (self), FALSE);

  if (self->refusal >= 0 || self->closing != NULL)
    return FALSE;
  if (g_hash_table_contains (self->chat_locks, &chat))
    return TRUE;
  path = chat_lock_path (self, chat);
  folder = g_path_get_dirname (path);
  g_mkdir_with_parents (folder, 0700);
  for (;;)
    {
      int fd = open (path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
      struct stat ours, theirs;

      if (fd < 0)
        return FALSE;
      if (flock (fd, LOCK_EX | LOCK_NB) != 0)
        {
          close (fd);
          return FALSE;
        }
      /* The holder before us removes the file; what we have locked must be what others will open. */
      if (fstat (fd, &ours) == 0 && stat (path, &theirs) == 0 && ours.st_ino == theirs.st_ino
          && ours.st_dev == theirs.st_dev)
        {
          g_hash_table_insert (self->chat_locks, g_memdup2 (&chat, sizeof chat), GINT_TO_POINTER (fd));
          return TRUE;
        }
      close (fd);
    }
}

void
interp_store_unlock_chat (InterpStore *self, gint64 chat)
{
  g_autofree char *path = NULL;

  g_return_if_fail (INTERP_IS_STORE (self));

  if (!g_hash_table_contains (self->chat_locks, &chat))
    return;
  path = chat_lock_path (self, chat);
  g_unlink (path);
  g_hash_table_remove (self->chat_locks, &chat);
}

/* ---- files ---- */

typedef struct
{
  char *folder;
  char *path;
  char *extension;
  GBytes *bytes;
  gint64 now;
  gint64 chat;
} FileRequest;

static void
file_request_free (gpointer data)
{
  FileRequest *request = data;

  g_free (request->folder);
  g_free (request->path);
  g_free (request->extension);
  g_clear_pointer (&request->bytes, g_bytes_unref);
  g_free (request);
}

static FileRequest *
file_request_new (InterpStore *self)
{
  FileRequest *request = g_new0 (FileRequest, 1);

  request->folder = g_strdup (self->folder);
  return request;
}

static DexFuture *
put_blob (gpointer data)
{
  FileRequest *request = data;
  g_autoptr (GError) error = NULL;
  char *path = request->bytes != NULL
                   ? interp_store_blobs_put_bytes (request->folder, request->bytes, request->extension, &error)
                   : interp_store_blobs_put_file (request->folder, request->path, request->extension, &error);

  if (path == NULL)
    return dex_future_new_for_error (g_steal_pointer (&error));
  return dex_future_new_take_string (path);
}

static DexFuture *
pass_on (DexFuture *completed, gpointer data)
{
  return dex_ref (completed);
}

/* On a worker; resolves on the main thread, as all that we give. */
static DexFuture *
start_put (FileRequest *request)
{
  return dex_future_finally (interp_worker_run ("put-blob", put_blob, request, file_request_free), pass_on, NULL, NULL);
}

DexFuture *
interp_store_put_blob (InterpStore *self, GBytes *bytes, const char *extension)
{
  FileRequest *request;

  g_return_val_if_fail (INTERP_IS_STORE (self), NULL);
  g_return_val_if_fail (bytes != NULL, NULL);

  request = file_request_new (self);
  request->bytes = g_bytes_ref (bytes);
  request->extension = g_strdup (extension);
  return start_put (request);
}

DexFuture *
interp_store_put_file (InterpStore *self, const char *path, const char *extension)
{
  FileRequest *request;

  g_return_val_if_fail (INTERP_IS_STORE (self), NULL);
  g_return_val_if_fail (path != NULL, NULL);

  request = file_request_new (self);
  request->path = g_strdup (path);
  request->extension = g_strdup (extension);
  return start_put (request);
}

char *
interp_store_get_log_folder (InterpStore *self, gint64 chat)
{
  g_autofree char *name = NULL;
  g_autofree char *parent = NULL;
  g_autofree char *path = NULL;

  g_return_val_if_fail (INTERP_IS_STORE (self), NULL);

  name = g_strdup_printf ("%" G_GINT64_FORMAT, chat);
  parent = g_build_filename (self->folder, "logs", name, NULL);
  path = g_build_filename (parent, "run-XXXXXX", NULL);
  if (g_mkdir_with_parents (parent, 0700) != 0 || g_mkdtemp_full (path, 0700) == NULL)
    return NULL;
  return g_steal_pointer (&path);
}

/* ---- tidying ---- */

static DexFuture *
remove_logs (gpointer data)
{
  FileRequest *request = data;

  interp_store_logs_remove (request->folder, request->chat);
  return dex_future_new_true ();
}

static DexFuture *
collect (gpointer data)
{
  FileRequest *request = data;
  g_autofree char *path = g_build_filename (request->folder, "conversations.db", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (InterpDatabase) database = interp_database_open (path, INTERP_DATABASE_READ, &error);

  if (database == NULL)
    return dex_future_new_for_error (g_steal_pointer (&error));
  interp_store_blobs_collect (request->folder, database, request->now);
  interp_store_logs_collect (request->folder, database);
  return dex_future_new_true ();
}

/* A chat that another process has open is left for next time. */
static gboolean
purge (InterpStore *self, gint64 chat, gint64 before, GError **error)
{
  FileRequest *request;
  gint64 n_removed;

  if (g_hash_table_contains (self->chat_locks, &chat) || !interp_store_lock_chat (self, chat))
    return TRUE;
  n_removed = dex_await_int64 (ask_change (self, interp_store_query_purge_chat,
                                           &(InterpStoreRequest) { .chat = chat, .number = before }),
                               error);
  interp_store_unlock_chat (self, chat);
  if (n_removed <= 0)
    return *error == NULL;
  request = file_request_new (self);
  request->chat = chat;
  return interp_await (interp_worker_run ("remove-logs", remove_logs, request, file_request_free), error);
}

static DexFuture *
tidy (gpointer data)
{
  InterpStore *self = data;
  gint64 before = interp_clock_now () - KEEP_DELETED_MSEC;
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) chats = NULL;
  FileRequest *request;

  if (self->refusal >= 0)
    return dex_future_new_true ();
  chats = dex_await_boxed (ask_read (self, interp_store_query_list_expired,
                                     &(InterpStoreRequest) { .number = before, .limit = MAX_PURGED }),
                           &error);
  for (guint i = 0; chats != NULL && i < chats->len; i++)
    if (!purge (self, g_array_index (chats, gint64, i), before, &error))
      break;
  if (error != NULL)
    return dex_future_new_for_error (g_steal_pointer (&error));
  request = file_request_new (self);
  request->now = interp_clock_now ();
  if (!interp_await (interp_worker_run ("collect", collect, request, file_request_free), &error))
    return dex_future_new_for_error (g_steal_pointer (&error));
  return dex_future_new_true ();
}

DexFuture *
interp_store_tidy (InterpStore *self)
{
  g_return_val_if_fail (INTERP_IS_STORE (self), NULL);

  return interp_fiber_spawn (tidy, g_object_ref (self), g_object_unref);
}

static gboolean
on_tidy_time (gpointer data)
{
  InterpStore *self = data;

  self->tidy_source = 0;
  interp_fiber_run ("tidy the conversations", tidy, g_object_ref (self), g_object_unref);
  return G_SOURCE_REMOVE;
}

/* ---- opening ---- */

static DexFuture *
open_file (gpointer data)
{
  FileRequest *request = data;
  g_autoptr (GError) error = NULL;
  InterpStoreFile *file = interp_store_file_open (request->folder, request->now, &error);

  if (file == NULL)
    return dex_future_new_for_error (g_steal_pointer (&error));
  return dex_future_new_for_pointer (file);
}

static InterpStore *
store_new (const char *folder, InterpStoreFile *file)
{
  InterpStore *self = g_object_new (INTERP_TYPE_STORE, NULL);

  self->folder = g_strdup (folder);
  self->notice = g_steal_pointer (&file->notice);
  self->refusal = file->refusal;
  self->lock = file->lock;
  file->lock = -1;
  self->changes = interp_store_changes_new (file->database, on_changes, self->link);
  interp_database_set_user_data (file->database, self->changes);
  self->writer = interp_store_thread_new ("store-writer", g_steal_pointer (&file->database), NULL,
                                          &(InterpStoreWriterFuncs) { on_commit, on_poll, self->changes });
  self->reader = interp_store_thread_new ("store-reader", g_steal_pointer (&file->reader), self->writer, NULL);
  self->tidy_source = g_timeout_add_seconds (TIDY_AFTER_SEC, on_tidy_time, self);
  return self;
}

static DexFuture *
open_store (gpointer data)
{
  FileRequest *request = data;
  FileRequest *copy = g_new0 (FileRequest, 1);
  g_autoptr (GError) error = NULL;
  g_autoptr (InterpStoreFile) file = NULL;

  copy->folder = g_strdup (request->folder);
  copy->now = request->now;
  file = dex_await_pointer (interp_worker_run ("open-store", open_file, copy, file_request_free), &error);
  if (file == NULL)
    return dex_future_new_for_error (g_steal_pointer (&error));
  return dex_future_new_take_object (store_new (request->folder, file));
}

DexFuture *
interp_store_open (const char *folder)
{
  FileRequest *request;

  g_return_val_if_fail (folder != NULL, NULL);

  request = g_new0 (FileRequest, 1);
  request->folder = g_strdup (folder);
  request->now = interp_clock_now ();
  return interp_fiber_spawn (open_store, request, file_request_free);
}

const char *
interp_store_get_notice (InterpStore *self)
{
  g_return_val_if_fail (INTERP_IS_STORE (self), NULL);

  return self->notice;
}

gboolean
interp_store_is_read_only (InterpStore *self)
{
  g_return_val_if_fail (INTERP_IS_STORE (self), TRUE);

  return self->refusal >= 0;
}

const char *
interp_store_get_folder (InterpStore *self)
{
  g_return_val_if_fail (INTERP_IS_STORE (self), NULL);

  return self->folder;
}

static void
interp_store_dispose (GObject *object)
{
  InterpStore *self = INTERP_STORE (object);

  stop_threads (self);
  G_OBJECT_CLASS (interp_store_parent_class)->dispose (object);
}

static void
interp_store_finalize (GObject *object)
{
  InterpStore *self = INTERP_STORE (object);

  g_clear_pointer (&self->chat_locks, g_hash_table_unref);
  g_atomic_rc_box_release_full (self->link, link_free);
  dex_clear (&self->closing);
  g_free (self->folder);
  g_free (self->notice);
  G_OBJECT_CLASS (interp_store_parent_class)->finalize (object);
}

static void
interp_store_class_init (InterpStoreClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->dispose = interp_store_dispose;
  object_class->finalize = interp_store_finalize;

  signals[SIGNAL_CHANGED] = g_signal_new ("changed", INTERP_TYPE_STORE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                          G_TYPE_NONE, 1, G_TYPE_INT64);
}

static void
interp_store_init (InterpStore *self)
{
  self->lock = -1;
  self->refusal = -1;
  self->link = g_atomic_rc_box_new0 (GWeakRef);
  g_weak_ref_init (self->link, self);
  self->chat_locks = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, close_lock);
}
