/* interp-options.c: options of one run
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <math.h>

#include "session/interp-options.h"

InterpOptions *
interp_options_new (void)
{
  InterpOptions *self = g_new0 (InterpOptions, 1);

  self->temperature = NAN;

  return self;
}

InterpOptions *
interp_options_copy (const InterpOptions *self)
{
  InterpOptions *copy;

  if (self == NULL)
    return interp_options_new ();
  copy = g_memdup2 (self, sizeof *self);
  copy->data_folder = g_strdup (self->data_folder);
  copy->folder = g_strdup (self->folder);
  copy->model = g_strdup (self->model);
  copy->api_base = g_strdup (self->api_base);
  copy->api_key = g_strdup (self->api_key);
  copy->system_message = g_strdup (self->system_message);
  copy->custom_instructions = g_strdup (self->custom_instructions);
  copy->add_folders = g_strdupv (self->add_folders);

  return copy;
}

void
interp_options_free (InterpOptions *self)
{
  if (self == NULL)
    return;
  g_free (self->data_folder);
  g_free (self->folder);
  g_free (self->model);
  g_free (self->api_base);
  g_free (self->api_key);
  g_free (self->system_message);
  g_free (self->custom_instructions);
  g_strfreev (self->add_folders);
  g_free (self);
}
