/* interp-rerun-dialog.h: run earlier cells again, after reading them
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <adwaita.h>

#include "session/interp-session.h"

G_BEGIN_DECLS

/* One list of the cells that ran in kernels now gone; those left checked run in order. */
AdwDialog *interp_rerun_dialog_new (InterpSession *session);

G_END_DECLS
