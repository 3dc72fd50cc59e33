/* interp-console-model.c: the model a conversation in the terminal begins with
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "interp-console-model.h"

InterpModel *
interp_console_choose_model (InterpEngine *engine, InterpSession *session, const InterpOptions *options, GError **error)
{
  InterpModel *own = interp_session_get_model (session);

  if (options->model != NULL || options->api_base != NULL)
    return dex_await_object (interp_models_resolve (interp_engine_get_models (engine), options->model,
                                                    options->api_base, options->api_key),
                             error);
  if (own != NULL)
    return g_object_ref (own);
  /* That none answers is no failure of ours: who asks says it better. */
  return dex_await_object (interp_engine_choose_model (engine), NULL);
}
