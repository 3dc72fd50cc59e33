/* interp-template-marks.h: what a chat template puts around an answer
 *
 * A server that does not know a model's marks for the beginning and the end of a message leaves them in the text. They
 * are no part of what is said where they stand at its very beginning or end; between other words they are text.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _InterpTemplateMarks InterpTemplateMarks;

typedef void (*InterpTemplateMarksSink) (const char *text, gpointer data);

InterpTemplateMarks *interp_template_marks_new (InterpTemplateMarksSink sink, gpointer sink_data);
void interp_template_marks_free (InterpTemplateMarks *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InterpTemplateMarks, interp_template_marks_free)

/* Cut anywhere. */
void interp_template_marks_push (InterpTemplateMarks *self, const char *text);

/* The text ends here; what comes after it, if anything, is another. */
void interp_template_marks_finish (InterpTemplateMarks *self);

G_END_DECLS
