/* interp-code-printer.h: code with line numbers and simple colours, for a terminal
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _InterpCodePrinter InterpCodePrinter;

/* @language: kernel spec id; unknown ones have numbers only. @styled FALSE: no colours. */
InterpCodePrinter *interp_code_printer_new (const char *language, gboolean styled);
void interp_code_printer_free (InterpCodePrinter *self);
/* The lines of @code, the whole as it stands now, that are complete and were not printed yet; the last one
 * too with @at_end. Everything is made visible. Transfer full. */
char *interp_code_printer_update (InterpCodePrinter *self, const char *code, gboolean at_end);
/* What was printed is not how @code begins: it must be printed anew with a fresh printer. */
gboolean interp_code_printer_is_outdated (InterpCodePrinter *self, const char *code);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpCodePrinter, interp_code_printer_free)

G_END_DECLS
