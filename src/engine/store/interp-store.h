/* interp-store.h: conversations as rows
 *
 * One SQLite database (WAL), one writer thread a process. Rows only: what an item means is session's
 * business. Every change resolves after its transaction is committed. Streamed text goes to a delta table and
 * folds into its item when it ends; reading a row gives item text plus its deltas.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <libdex.h>

G_BEGIN_DECLS

#define INTERP_STORE_ERROR (interp_store_error_quark ())
typedef enum
{
  INTERP_STORE_ERROR_DAMAGED,
  INTERP_STORE_ERROR_NEWER, /* written by a newer version: opened read-only */
  INTERP_STORE_ERROR_FULL,  /* disk full */
  INTERP_STORE_ERROR_READ_ONLY,
  INTERP_STORE_ERROR_NOT_FOUND, /* no such chat or item */
  INTERP_STORE_ERROR_BUSY,      /* another process holds it too long, or an older version runs */
  INTERP_STORE_ERROR_FAILED,
} InterpStoreError;
GQuark interp_store_error_quark (void);

/* ---- rows ---- */

#define INTERP_TYPE_CHAT_ROW (interp_chat_row_get_type ())
typedef struct
{
  gint64 id;
  char *title;  /* may be empty */
  char *folder; /* working folder */
  char *model;  /* "provider/name" */
  char *mode;   /* "ask", "auto", "look" */
  char *draft;  /* unsent text */
  char *data;   /* JSON object with the rest */
  gint64 created;
  gint64 updated; /* UTC ms */
  gboolean pinned;
  gint64 deleted; /* UTC ms, 0 when not */
  gint64 head;    /* id of the last item of the shown branch, 0 none */
} InterpChatRow;
GType interp_chat_row_get_type (void);
InterpChatRow *interp_chat_row_new (void);
InterpChatRow *interp_chat_row_copy (const InterpChatRow *self);
void interp_chat_row_free (InterpChatRow *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpChatRow, interp_chat_row_free)

#define INTERP_TYPE_ITEM_ROW (interp_item_row_get_type ())
typedef struct
{
  gint64 id; /* 0: not inserted yet */
  gint64 chat;
  gint64 parent; /* item before it on its branch, 0 for the first */
  char *kind;
  char *state;
  char *text;
  char *data; /* JSON object with the rest */
  gint64 created;
} InterpItemRow;
GType interp_item_row_get_type (void);
InterpItemRow *interp_item_row_new (void);
InterpItemRow *interp_item_row_copy (const InterpItemRow *self);
void interp_item_row_free (InterpItemRow *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpItemRow, interp_item_row_free)

typedef struct
{
  gint64 chat;
  gint64 item; /* 0: the title matched */
  char *title;
  char *excerpt; /* plain text around the match; the match between \x02 and \x03 */
  gint64 updated;
} InterpSearchHit;
void interp_search_hit_free (InterpSearchHit *self);

/* ---- store ---- */

#define INTERP_TYPE_STORE (interp_store_get_type ())
G_DECLARE_FINAL_TYPE (InterpStore, interp_store, INTERP, STORE, GObject)

/* Signal "changed" (gint64 chat, 0 for the list): another process committed something; seen within half a
 * second. One emission a chat, and one with 0 when what the list shows (title, order, deletion, …) moved. */

/* Opens (makes, migrates) the database in @folder. Resolves to an InterpStore. A damaged database is set
 * aside as "conversations.damaged-DATE.db" (with its WAL), never deleted; what can still be read goes into a
 * fresh one, and interp_store_get_notice () says so. A database of a newer version, or in a folder that
 * cannot be written, is opened read-only: changes then reject with INTERP_STORE_ERROR_NEWER or _READ_ONLY. */
DexFuture *interp_store_open (const char *folder);
const char *interp_store_get_notice (InterpStore *self); /* a sentence for the user, nullable */
gboolean interp_store_is_read_only (InterpStore *self);
const char *interp_store_get_folder (InterpStore *self);
DexFuture *interp_store_close (InterpStore *self); /* waits for what is queued */

/* A read sees all changes asked for before it. Rejects with INTERP_STORE_ERROR. */

/* chats */
DexFuture *interp_store_add_chat (InterpStore *self, const InterpChatRow *row); /* resolves to its id (int64) */
DexFuture *interp_store_update_chat (InterpStore *self,
                                     const InterpChatRow *row); /* all columns but created; "updated" as given */
DexFuture *interp_store_list_chats (InterpStore *self);         /* resolves to boxed GPtrArray of InterpChatRow,
                                                                 * pinned first, newest first; not the deleted */
DexFuture *interp_store_get_chat (InterpStore *self,
                                  gint64 chat); /* boxed InterpChatRow, deleted ones too; or NOT_FOUND */
DexFuture *interp_store_set_deleted (InterpStore *self, gint64 chat,
                                     gboolean deleted); /* a mark; removed for good after 30 days */
/* One column each: safe beside the process that runs the chat. */
DexFuture *interp_store_set_draft (InterpStore *self, gint64 chat, const char *draft);
DexFuture *interp_store_set_title (InterpStore *self, gint64 chat, const char *title);
DexFuture *interp_store_set_pinned (InterpStore *self, gint64 chat, gboolean pinned);

/* items */
DexFuture *interp_store_add_item (InterpStore *self, const InterpItemRow *row,
                                  gboolean make_head); /* resolves to its id */
DexFuture *interp_store_update_item (InterpStore *self,
                                     const InterpItemRow *row); /* text, state, data; drops its deltas */
DexFuture *interp_store_append (InterpStore *self, gint64 item, const char *text); /* one delta; several queued ones
                                                                                    * share a transaction */
DexFuture *interp_store_set_head (InterpStore *self, gint64 chat, gint64 item);
/* The newest @limit items (0: all) of the branch that ends at @head (0: the chat's head), oldest first. For
 * what is before them, ask again with the parent of the first. Resolves to boxed GPtrArray of InterpItemRow.
 */
DexFuture *interp_store_load_branch (InterpStore *self, gint64 chat, gint64 head, guint limit);
/* The items with this parent (the branches at one place), oldest first. GPtrArray of InterpItemRow. */
DexFuture *interp_store_load_children (InterpStore *self, gint64 chat, gint64 parent);
/* The newest leaf under @item (itself when nothing follows it). Resolves to int64. */
DexFuture *interp_store_find_leaf (InterpStore *self, gint64 item);

/* Full text. Resolves to boxed GPtrArray of InterpSearchHit: titles first, then items, newest first, at most
 * three of a chat. Never a syntax error: @words are plain words that must all occur, the last as a prefix.
 * Text without spaces between words (Chinese, Japanese, Korean) is found at any character. */
DexFuture *interp_store_search (InterpStore *self, const char *words, guint limit);

/* Removes for good what was deleted 30 days ago, unreferenced blobs and too many logs. Runs by itself half a
 * minute after opening. Resolves to TRUE. */
DexFuture *interp_store_tidy (InterpStore *self);

/* Lock of a chat: only its holder runs it. TRUE at once, or FALSE when another process has it. */
gboolean interp_store_lock_chat (InterpStore *self, gint64 chat);
void interp_store_unlock_chat (InterpStore *self, gint64 chat);

/* Blobs: content-addressed files, written before their row; at most 256 MB each. A blob whose path stands in
 * no row's data is removed at a later start, a day after it was put. @extension: "png", nullable. */
DexFuture *interp_store_put_blob (InterpStore *self, GBytes *bytes,
                                  const char *extension); /* resolves to its path (string) */
DexFuture *interp_store_put_file (InterpStore *self, const char *path, const char *extension); /* copies; same result */
/* A fresh folder for the logs of one run of @chat, made at once; removed with the chat. NULL where it cannot
 * be made. Transfer full. */
char *interp_store_get_log_folder (InterpStore *self, gint64 chat);

G_END_DECLS
