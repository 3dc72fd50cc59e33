/* interp-prose.h: a paragraph's runs as a label
 *
 * Text of a model is escaped, never parsed as markup. Links open only http, https and mailto addresses; the
 * address stands in the tooltip.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <gtk/gtk.h>

#include "transcript/interp-markdown.h"

G_BEGIN_DECLS

/* Pango markup of @inlines (InterpInline; nullable), pictures left out. */
char *interp_prose_to_markup (GPtrArray *inlines);
gboolean interp_prose_has_links (GPtrArray *inlines);

/* A wrapping, selectable label that opens links. @role: GTK_ACCESSIBLE_ROLE_LABEL, HEADING… */
GtkWidget *interp_prose_label_new (GtkAccessibleRole role);
void interp_prose_label_set_inlines (GtkLabel *label, GPtrArray *inlines);
/* Controls of the program: plain text, no markup. */
void interp_prose_label_set_text (GtkLabel *label, const char *text);

G_END_DECLS
