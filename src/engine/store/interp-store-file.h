/* interp-store-file.h: the database's file: lock, opening, damage
 *
 * Whoever has the database open holds conversations.lock shared; making, migrating and setting aside need it
 * exclusive.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "store/interp-database.h"

G_BEGIN_DECLS

typedef struct
{
  InterpDatabase *database;
  InterpDatabase *reader;
  int lock;     /* descriptor, −1 in a folder that cannot be written */
  int refusal;  /* InterpStoreError of changes, −1 when they are possible */
  char *notice; /* a sentence, nullable */
} InterpStoreFile;

/* Blocks (a second process: briefly, while the first makes or migrates). For a worker. @now: UTC ms, names
 * what is set aside. */
InterpStoreFile *interp_store_file_open (const char *folder, gint64 now, GError **error);
void interp_store_file_free (InterpStoreFile *self);

/* The next start checks the whole file. */
void interp_store_mark_damaged (InterpDatabase *database);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpStoreFile, interp_store_file_free)

G_END_DECLS
