/* kernel-fixture.h: real kernels for tests
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "kernel/interp-kernel.h"

G_BEGIN_DECLS

typedef struct
{
  char *folder;  /* the working folder */
  char *log_dir; /* empty at first */
  InterpKernel *kernel;
} KernelFixture;

/* A private home, and libdex; before anything else. */
void kernel_test_init (int *argc, char ***argv);

/* Skips the test and returns FALSE when @language's interpreter is not installed. */
gboolean kernel_fixture_set_up (KernelFixture *self, const char *language);
void kernel_fixture_tear_down (KernelFixture *self);

/* Runs the main loop until @future (taken) is done. Fails the test after a minute. */
gboolean kernel_test_await (DexFuture *future, GError **error);
int kernel_test_await_int (DexFuture *future);
gpointer kernel_test_await_object (DexFuture *future, GError **error);
/* What stands in a hanging test's last words, beside the kernel's state. Transfer full. */
void kernel_test_set_describer (char *(*describer) (void) );
/* Runs the main loop until @condition holds. */
typedef gboolean (*KernelTestCondition) (gpointer user_data);
void kernel_test_until (KernelTestCondition condition, gpointer user_data);

/* Begins; runs to the end; and what it printed. */
InterpRun *kernel_fixture_begin (KernelFixture *self, const char *code);
InterpRun *kernel_fixture_run (KernelFixture *self, const char *code);
char *kernel_test_text (InterpRun *run);
/* Runs @code and compares the status and, when @text is not NULL, the text. */
void kernel_fixture_check (KernelFixture *self, const char *code, InterpRunStatus status, const char *text);

/* Waits until the text of @run contains @text. */
void kernel_test_await_text (InterpRun *run, const char *text);
/* A folder and what is in it. */
void kernel_test_remove_all (const char *path);
/* As if typed. */
void kernel_fixture_type (KernelFixture *self, const char *text);
/* How many processes have @name as an argument. */
guint kernel_test_count_processes (const char *name);
/* A name for kernel_test_count_processes () that nothing else has. */
char *kernel_test_make_name (void);

G_END_DECLS
