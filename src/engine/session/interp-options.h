/* interp-options.h: options of one run
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "llm/interp-provider.h"

G_BEGIN_DECLS

/* Options of one run, from the command line; all nullable / zero when not given. Freed with the struct. */
typedef struct
{
  char *data_folder; /* tests; NULL: interp_paths_data () */
  char *folder;
  char *model;
  char *api_base;
  char *api_key;
  char *system_message;      /* replaces ours */
  char *custom_instructions; /* added to ours */
  double temperature;        /* NAN: not set */
  gint64 context_window;
  gint64 max_tokens;
  gint64 max_output;                /* bytes of a run's output given to the model; 0: default 16000 */
  InterpSupport supports_functions; /* what the model can do, whatever is known of it */
  InterpSupport supports_vision;
  gboolean auto_run;
  gboolean safe_mode; /* kernels in a sandbox */
  GStrv add_folders;  /* besides the working folder */
  gboolean offline;
  gboolean loop;    /* go on until the model says it is done */
  guint loop_limit; /* at most so many rounds; 0: default 25 */
} InterpOptions;
InterpOptions *interp_options_new (void);
InterpOptions *interp_options_copy (const InterpOptions *self);
void interp_options_free (InterpOptions *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpOptions, interp_options_free)

G_END_DECLS
