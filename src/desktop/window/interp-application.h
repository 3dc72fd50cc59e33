/* interp-application.h: the one running instance
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define INTERP_TYPE_APPLICATION (interp_application_get_type ())
G_DECLARE_FINAL_TYPE (InterpApplication, interp_application, INTERP, APPLICATION, AdwApplication)

InterpApplication *interp_application_new (void);

G_END_DECLS
