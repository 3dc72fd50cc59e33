/* interp-safe-change.c: changes that end a chat's kernels, after asking
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <glib/gi18n.h>

#include "approval/interp-safe-change.h"

typedef struct
{
  InterpSession *session;
  InterpSafeChange change;
  char *argument;
} Change;

static void
change_free (gpointer data, GClosure *closure)
{
  Change *change = data;

  g_object_unref (change->session);
  g_free (change->argument);
  g_free (change);
}

static void
on_response (AdwAlertDialog *dialog, const char *response, gpointer user_data)
{
  const Change *change = user_data;

  if (g_str_equal (response, "change"))
    change->change (change->session, change->argument);
}

void
interp_safe_change_make (GtkWidget *parent, InterpSession *session, InterpSafeChange make, const char *argument)
{
  AdwDialog *dialog;
  Change *change;

  g_return_if_fail (GTK_IS_WIDGET (parent));
  g_return_if_fail (INTERP_IS_SESSION (session));

  if (!interp_session_has_kernels (session))
    {
      make (session, argument);
      return;
    }
  dialog = adw_alert_dialog_new (_ ("Start the Kernels Anew?"),
                                 _ ("The kernels of this chat start anew with that: their variables are lost, and what "
                                    "runs is stopped."));
  adw_alert_dialog_add_responses (ADW_ALERT_DIALOG (dialog), "cancel", _ ("_Cancel"), "change", _ ("_Start Anew"),
                                  NULL);
  adw_alert_dialog_set_default_response (ADW_ALERT_DIALOG (dialog), "cancel");
  adw_alert_dialog_set_close_response (ADW_ALERT_DIALOG (dialog), "cancel");
  adw_alert_dialog_set_response_appearance (ADW_ALERT_DIALOG (dialog), "change", ADW_RESPONSE_DESTRUCTIVE);
  change = g_new0 (Change, 1);
  change->session = g_object_ref (session);
  change->change = make;
  change->argument = g_strdup (argument);
  g_signal_connect_data (dialog, "response", G_CALLBACK (on_response), change, change_free, 0);
  adw_dialog_present (dialog, parent);
}
