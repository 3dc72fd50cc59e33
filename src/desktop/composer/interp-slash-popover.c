/* interp-slash-popover.c: the list that "/" opens over the composer
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "composer/interp-slash-popover.h"

#include <glib/gi18n.h>
#include <string.h>

#include "composer/interp-slash-commands.h"

struct _InterpSlashPopover
{
  GtkPopover parent_instance;

  GtkListBox *list;
};

enum
{
  CHOSEN,
  N_SIGNALS,
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (InterpSlashPopover, interp_slash_popover, GTK_TYPE_POPOVER)

static const char *
row_name (GtkListBoxRow *row)
{
  return row ? g_object_get_data (G_OBJECT (row), "interp-command") : NULL;
}

static void
on_row_activated (InterpSlashPopover *self, GtkListBoxRow *row)
{
  g_signal_emit (self, signals[CHOSEN], 0, row_name (row));
}

static GtkWidget *
make_row (const InterpSlashCommand *command)
{
  GtkWidget *row = gtk_list_box_row_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  g_autofree char *usage = g_strdup_printf ("/%s%s%s", command->name, command->arguments ? " " : "",
                                            command->arguments ? command->arguments : "");
  GtkWidget *name = gtk_label_new (usage);
  GtkWidget *description = gtk_label_new (_ (command->description));

  gtk_widget_add_css_class (name, "monospace");
  gtk_label_set_xalign (GTK_LABEL (name), 0);
  gtk_widget_add_css_class (description, "dimmed");
  gtk_label_set_xalign (GTK_LABEL (description), 1);
  gtk_label_set_ellipsize (GTK_LABEL (description), PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (description, TRUE);
  gtk_box_append (GTK_BOX (box), name);
  gtk_box_append (GTK_BOX (box), description);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  gtk_widget_set_focusable (row, FALSE);
  g_object_set_data (G_OBJECT (row), "interp-command", (gpointer) command->name);
  return row;
}

void
interp_slash_popover_update (InterpSlashPopover *self, const char *text)
{
  const InterpSlashCommand *commands;
  guint n;
  guint shown = 0;

  g_return_if_fail (INTERP_IS_SLASH_POPOVER (self));
  g_return_if_fail (text != NULL);

  if (text[0] != '/' || strpbrk (text, " \t\n"))
    {
      gtk_popover_popdown (GTK_POPOVER (self));
      return;
    }
  gtk_list_box_remove_all (self->list);
  commands = interp_slash_commands_get (&n);
  for (guint i = 0; i < n; i++)
    if (g_str_has_prefix (commands[i].name, text + 1))
      {
        gtk_list_box_append (self->list, make_row (&commands[i]));
        shown++;
      }
  if (shown == 0)
    {
      gtk_popover_popdown (GTK_POPOVER (self));
      return;
    }
  gtk_list_box_select_row (self->list, gtk_list_box_get_row_at_index (self->list, 0));
  gtk_popover_popup (GTK_POPOVER (self));
}

void
interp_slash_popover_move (InterpSlashPopover *self, int step)
{
  GtkListBoxRow *row;

  g_return_if_fail (INTERP_IS_SLASH_POPOVER (self));

  row = gtk_list_box_get_selected_row (self->list);
  row = gtk_list_box_get_row_at_index (self->list, MAX (0, (row ? gtk_list_box_row_get_index (row) : 0) + step));
  if (row)
    {
      gtk_list_box_select_row (self->list, row);
      gtk_accessible_announce (GTK_ACCESSIBLE (self), row_name (row), GTK_ACCESSIBLE_ANNOUNCEMENT_PRIORITY_MEDIUM);
    }
}

const char *
interp_slash_popover_get_selected (InterpSlashPopover *self)
{
  g_return_val_if_fail (INTERP_IS_SLASH_POPOVER (self), NULL);

  if (!gtk_widget_get_visible (GTK_WIDGET (self)))
    return NULL;
  return row_name (gtk_list_box_get_selected_row (self->list));
}

GtkWidget *
interp_slash_popover_new (void)
{
  return g_object_new (INTERP_TYPE_SLASH_POPOVER, NULL);
}

static void
interp_slash_popover_class_init (InterpSlashPopoverClass *klass)
{
  signals[CHOSEN] = g_signal_new ("chosen", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
interp_slash_popover_init (InterpSlashPopover *self)
{
  self->list = GTK_LIST_BOX (gtk_list_box_new ());
  gtk_list_box_set_selection_mode (self->list, GTK_SELECTION_SINGLE);
  gtk_widget_set_can_focus (GTK_WIDGET (self->list), FALSE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->list), GTK_ACCESSIBLE_PROPERTY_LABEL, _ ("Commands"), -1);
  g_signal_connect_swapped (self->list, "row-activated", G_CALLBACK (on_row_activated), self);

  gtk_popover_set_child (GTK_POPOVER (self), GTK_WIDGET (self->list));
  gtk_popover_set_autohide (GTK_POPOVER (self), FALSE);
  gtk_popover_set_has_arrow (GTK_POPOVER (self), FALSE);
  gtk_popover_set_position (GTK_POPOVER (self), GTK_POS_TOP);
  gtk_widget_set_halign (GTK_WIDGET (self), GTK_ALIGN_START);
}
