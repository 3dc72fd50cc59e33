/* interp-code-block.c: a fenced block of an answer: language, Copy, code
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "transcript/interp-code-block.h"

#include <glib/gi18n.h>
#include <string.h>

#include "kernel/interp-kernel-spec.h"
#include "transcript/interp-code-view.h"

struct _InterpCodeBlock
{
  AdwBin parent_instance;

  GtkLabel *language_label;
  InterpCodeView *view;
  char *language;
};

G_DEFINE_FINAL_TYPE (InterpCodeBlock, interp_code_block, ADW_TYPE_BIN)

void
interp_code_block_set_code (InterpCodeBlock *self, const char *language, const char *code)
{
  g_return_if_fail (INTERP_IS_CODE_BLOCK (self));

  if (g_set_str (&self->language, language))
    {
      InterpKernelSpec *spec = language ? interp_kernel_specs_lookup (language) : NULL;
      const char *title = spec ? interp_kernel_spec_get_title (spec) : language ? language : _("Text");

      gtk_label_set_label (self->language_label, title);
      gtk_accessible_update_property (GTK_ACCESSIBLE (self->view), GTK_ACCESSIBLE_PROPERTY_LABEL, title, -1);
      interp_code_view_set_language (self->view, language);
    }
  /* The last line's end is no line of its own. */
  if (g_str_has_suffix (code, "\n"))
    {
      g_autofree char *shown = g_strndup (code, strlen (code) - 1);

      interp_code_view_set_code (self->view, shown);
    }
  else
    interp_code_view_set_code (self->view, code);
}

static void
copy_code (GtkWidget *widget, const char *action, GVariant *parameter)
{
  InterpCodeBlock *self = INTERP_CODE_BLOCK (widget);
  g_autofree char *code = interp_code_view_dup_code (self->view);

  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), code);
  gtk_accessible_announce (GTK_ACCESSIBLE (self), _("Copied"), GTK_ACCESSIBLE_ANNOUNCEMENT_PRIORITY_LOW);
}

GtkWidget *
interp_code_block_new (void)
{
  return g_object_new (INTERP_TYPE_CODE_BLOCK, NULL);
}

static void
interp_code_block_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), INTERP_TYPE_CODE_BLOCK);
  G_OBJECT_CLASS (interp_code_block_parent_class)->dispose (object);
}

static void
interp_code_block_finalize (GObject *object)
{
  g_free (INTERP_CODE_BLOCK (object)->language);
  G_OBJECT_CLASS (interp_code_block_parent_class)->finalize (object);
}

static void
interp_code_block_class_init (InterpCodeBlockClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = interp_code_block_dispose;
  object_class->finalize = interp_code_block_finalize;

  g_type_ensure (INTERP_TYPE_CODE_VIEW);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/interpreter_app/Interpreter/ui/interp-code-block.ui");
  gtk_widget_class_bind_template_child (widget_class, InterpCodeBlock, language_label);
  gtk_widget_class_bind_template_child (widget_class, InterpCodeBlock, view);
  gtk_widget_class_install_action (widget_class, "code-block.copy", NULL, copy_code);
}

static void
interp_code_block_init (InterpCodeBlock *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
