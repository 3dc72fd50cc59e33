/* main.c: the window program
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <glib/gi18n.h>
#include <gtksourceview/gtksource.h>
#include <libdex.h>
#include <locale.h>
#ifdef HAVE_LIBSPELLING
#include <libspelling.h>
#endif

#include "window/interp-application.h"
#include "window/interp-command-options.h"

int
main (int argc, char **argv)
{
  g_autoptr (InterpApplication) application = NULL;

  setlocale (LC_ALL, "");
  bindtextdomain (GETTEXT_PACKAGE, LOCALEDIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);

  dex_init ();
  gtk_source_init ();
#ifdef HAVE_LIBSPELLING
  spelling_init ();
#endif
  g_set_application_name (_ ("Interpreter"));

  interp_command_options_normalise (argc, argv);
  application = interp_application_new ();
  return g_application_run (G_APPLICATION (application), argc, argv);
}
