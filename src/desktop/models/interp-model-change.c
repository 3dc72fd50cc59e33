/* interp-model-change.c: another model for a chat
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "models/interp-model-change.h"

#include <glib/gi18n.h>

typedef struct
{
  InterpEngine *engine;
  InterpSession *session;
  InterpModel *model;
  InterpItem *again;
} Change;

static void
change_free (gpointer data, GClosure *closure)
{
  Change *change = data;

  g_object_unref (change->engine);
  g_object_unref (change->session);
  g_object_unref (change->model);
  g_clear_object (&change->again);
  g_free (change);
}

static void
apply (InterpEngine *engine, InterpSession *session, InterpModel *model, InterpItem *again)
{
  if (again != NULL)
    interp_session_try_again (session, again, model);
  else
    {
      interp_session_set_model (session, model);
      interp_engine_remember_model (engine, model);
    }
}

static void
on_response (AdwAlertDialog *dialog, const char *response, Change *change)
{
  if (g_str_equal (response, "send"))
    apply (change->engine, change->session, change->model, change->again);
}

void
interp_model_change (GtkWidget *parent, InterpEngine *engine, InterpSession *session, InterpModel *model,
                     InterpItem *again)
{
  AdwDialog *dialog;
  Change *change;

  g_return_if_fail (GTK_IS_WIDGET (parent));
  g_return_if_fail (INTERP_IS_ENGINE (engine));
  g_return_if_fail (INTERP_IS_SESSION (session));
  g_return_if_fail (INTERP_IS_MODEL (model));
  g_return_if_fail (again == NULL || INTERP_IS_ITEM (again));

  if (!interp_session_would_leave (session, model))
    {
      apply (engine, session, model, again);
      return;
    }

  g_autofree char *place = interp_provider_describe_place (interp_model_get_provider (model));

  dialog = adw_alert_dialog_new (_ ("Send This Chat to Another Computer?"), NULL);
  /* Translators: the first is a model, the second the host that it is reached at */
  adw_alert_dialog_format_body (ADW_ALERT_DIALOG (dialog),
                                _ ("This chat has stayed on this computer so far. “%s” gets all of it, with what the "
                                   "code printed, at %s."),
                                interp_model_get_title (model), place);
  adw_alert_dialog_add_responses (ADW_ALERT_DIALOG (dialog), "cancel", _ ("_Cancel"), "send", _ ("_Send There"), NULL);
  adw_alert_dialog_set_default_response (ADW_ALERT_DIALOG (dialog), "cancel");
  adw_alert_dialog_set_close_response (ADW_ALERT_DIALOG (dialog), "cancel");

  change = g_new0 (Change, 1);
  change->engine = g_object_ref (engine);
  change->session = g_object_ref (session);
  change->model = g_object_ref (model);
  g_set_object (&change->again, again);
  g_signal_connect_data (dialog, "response", G_CALLBACK (on_response), change, change_free, G_CONNECT_DEFAULT);
  adw_dialog_present (dialog, parent);
}
