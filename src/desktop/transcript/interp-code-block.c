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

/* Longer code is folded: laying out and drawing a text view costs by its length, even out of sight. */
#define FOLDED_LINES 120
/* Unfolded code longer than this scrolls in a place of its own. */
#define TALL_LINES 400
#define TALL_HEIGHT 480

struct _InterpCodeBlock
{
  AdwBin parent_instance;

  GtkLabel *language_label;
  GtkScrolledWindow *scroller;
  InterpCodeView *view;
  GtkButton *show_all_button;

  char *language;
  GString *code; /* all of it */
  gboolean unfolded;
};

G_DEFINE_FINAL_TYPE (InterpCodeBlock, interp_code_block, ADW_TYPE_BIN)

static void
show_code (InterpCodeBlock *self)
{
  const char *end = self->code->str;
  guint n = self->code->len > 0 ? 1 : 0;
  gsize folded = self->code->len;

  for (; (end = memchr (end, '\n', (gsize) (self->code->str + self->code->len - end))); end++)
    {
      if (n == FOLDED_LINES)
        folded = (gsize) (end - self->code->str);
      n++;
    }
  if (n > FOLDED_LINES && !self->unfolded)
    {
      g_autofree char *shown = g_strndup (self->code->str, folded);
      /* Translators: %u is a number of lines of code */
      g_autofree char *label = g_strdup_printf (ngettext ("Show All (%u Line)", "Show All (%u Lines)", n), n);

      interp_code_view_set_code (self->view, shown);
      gtk_button_set_label (self->show_all_button, label);
    }
  else
    interp_code_view_set_code (self->view, self->code->str);
  gtk_widget_set_visible (GTK_WIDGET (self->show_all_button), n > FOLDED_LINES && !self->unfolded);
  interp_code_view_set_scroller_height (self->scroller, n > TALL_LINES && self->unfolded ? TALL_HEIGHT : 0);
}

void
interp_code_block_set_code (InterpCodeBlock *self, const char *language, const char *code)
{
  g_return_if_fail (INTERP_IS_CODE_BLOCK (self));

  if (g_set_str (&self->language, language))
    {
      InterpKernelSpec *spec = language ? interp_kernel_specs_lookup (language) : NULL;
      const char *title = spec ? interp_kernel_spec_get_title (spec) : language ? language : _ ("Text");

      gtk_label_set_label (self->language_label, title);
      gtk_accessible_update_property (GTK_ACCESSIBLE (self->view), GTK_ACCESSIBLE_PROPERTY_LABEL, title, -1);
      interp_code_view_set_language (self->view, language);
    }
  if (!code)
    code = "";
  g_string_assign (self->code, code);
  /* The last line's end is no line of its own. */
  if (self->code->len > 0 && self->code->str[self->code->len - 1] == '\n')
    g_string_truncate (self->code, self->code->len - 1);
  show_code (self);
}

static void
copy_code (GtkWidget *widget, const char *action, GVariant *parameter)
{
  InterpCodeBlock *self = INTERP_CODE_BLOCK (widget);

  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), self->code->str);
  gtk_accessible_announce (GTK_ACCESSIBLE (self), _ ("Copied"), GTK_ACCESSIBLE_ANNOUNCEMENT_PRIORITY_LOW);
}

static void
show_all (GtkWidget *widget, const char *action, GVariant *parameter)
{
  InterpCodeBlock *self = INTERP_CODE_BLOCK (widget);

  self->unfolded = TRUE;
  show_code (self);
  gtk_widget_grab_focus (GTK_WIDGET (self->view));
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
  InterpCodeBlock *self = INTERP_CODE_BLOCK (object);

  g_free (self->language);
  g_string_free (self->code, TRUE);
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
  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/interpreter_app/Interpreter/ui/"
                                                             "interp-code-block.ui");
  gtk_widget_class_bind_template_child (widget_class, InterpCodeBlock, language_label);
  gtk_widget_class_bind_template_child (widget_class, InterpCodeBlock, scroller);
  gtk_widget_class_bind_template_child (widget_class, InterpCodeBlock, view);
  gtk_widget_class_bind_template_child (widget_class, InterpCodeBlock, show_all_button);
  gtk_widget_class_install_action (widget_class, "code-block.copy", NULL, copy_code);
  gtk_widget_class_install_action (widget_class, "code-block.show-all", NULL, show_all);
}

static void
interp_code_block_init (InterpCodeBlock *self)
{
  self->code = g_string_new (NULL);
  gtk_widget_init_template (GTK_WIDGET (self));
}
