/* interp-install-dialog.c
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <glib/gi18n.h>

#include "approval/interp-install-dialog.h"

static char *
dup_command (InterpSession *session, InterpCell *cell)
{
  InterpKernelSpec *spec = interp_cell_get_spec (cell);
  const char *module = interp_cell_get_missing_module (cell);
  InterpKernel *kernel = spec && module ? interp_session_get_kernel (session, interp_kernel_spec_get_id (spec)) : NULL;

  if (kernel == NULL || interp_kernel_get_interpreter (kernel) == NULL)
    return NULL;
  return interp_kernel_install_command (spec, interp_kernel_get_interpreter (kernel), module);
}

gboolean
interp_install_dialog_is_possible (InterpSession *session, InterpCell *cell)
{
  g_return_val_if_fail (INTERP_IS_SESSION (session), FALSE);
  g_return_val_if_fail (INTERP_IS_CELL (cell), FALSE);

  g_autofree char *command = dup_command (session, cell);

  return command != NULL;
}

static void
on_response (AdwAlertDialog *dialog, const char *response, gpointer user_data)
{
  if (g_str_equal (response, "install"))
    interp_session_run_code (user_data, "shell", g_object_get_data (G_OBJECT (dialog), "command"));
}

void
interp_install_dialog_present (GtkWidget *parent, InterpSession *session, InterpCell *cell)
{
  g_return_if_fail (GTK_IS_WIDGET (parent));

  g_autofree char *command = dup_command (session, cell);
  AdwDialog *dialog;

  if (command == NULL)
    return;

  dialog = adw_alert_dialog_new (NULL, NULL);
  /* Translators: %s is a package, "pandas" */
  adw_alert_dialog_format_heading (ADW_ALERT_DIALOG (dialog), _ ("Install %s?"), interp_cell_get_missing_module (cell));
  /* Translators: %s is a shell command */
  adw_alert_dialog_format_body (ADW_ALERT_DIALOG (dialog), _ ("This command runs in the Shell kernel:\n\n%s"), command);
  adw_alert_dialog_set_prefer_wide_layout (ADW_ALERT_DIALOG (dialog), TRUE);
  adw_alert_dialog_add_responses (ADW_ALERT_DIALOG (dialog), "cancel", _ ("_Cancel"), "install", _ ("_Install"), NULL);
  adw_alert_dialog_set_close_response (ADW_ALERT_DIALOG (dialog), "cancel");
  g_object_set_data_full (G_OBJECT (dialog), "command", g_steal_pointer (&command), g_free);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_response), session, G_CONNECT_DEFAULT);
  adw_dialog_present (dialog, parent);
}
