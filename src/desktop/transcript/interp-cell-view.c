/* interp-cell-view.c: a run as a card: code, state, what it gave
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "transcript/interp-cell-view.h"

#include <glib/gi18n.h>
#include <string.h>

#include "approval/interp-approval-bar.h"
#include "approval/interp-blocked-row.h"
#include "approval/interp-install-dialog.h"
#include "base/interp-text.h"
#include "transcript/interp-cell-words.h"
#include "transcript/interp-code-view.h"
#include "transcript/interp-display-view.h"
#include "transcript/interp-output-view.h"
#include "transcript/interp-save.h"

/* Code of a cell that has been decided is folded to so many lines. */
#define CODE_LINES 12
/* Unfolded code or output longer than this scrolls in a place of its own. */
#define TALL_LINES 400
#define TALL_HEIGHT 480
/* Output larger than this is shown ten times a second, not with each frame. */
#define HEAVY_OUTPUT (64 * 1024)
#define HEAVY_INTERVAL (100 * 1000)

struct _InterpCellView
{
  InterpItemView parent_instance;

  GtkWidget *card;
  GtkToggleButton *premature;
  GtkImage *language_icon;
  GtkLabel *language_label;
  GtkStack *state_stack;
  GtkImage *state_icon;
  GtkLabel *state_label;
  GtkWidget *interrupt_button;
  GtkWidget *terminal_button;
  GtkProgressBar *progress;
  GtkWidget *body;
  GtkWidget *code_section;
  InterpCodeView *code;
  GtkButton *show_all_button;
  GtkWidget *edit_bar;
  GtkWidget *approval;
  GtkWidget *note_row;
  GtkLabel *note_label;
  GtkMenuButton *run_as_button;
  GtkWidget *waiting_row;
  GtkLabel *waiting_label;
  GtkWidget *result;
  InterpOutputView *output;
  GtkWidget *displays;
  GtkWidget *error_row;
  GtkLabel *error_label;
  GtkExpander *traceback;
  GtkLabel *traceback_label;
  InterpBlockedRow *blocked_row;
  GtkWidget *module_row;
  GtkButton *module_button;
  GtkWidget *log_row;

  char *name; /* accessible */
  gboolean all_code;
  gboolean editing;
  guint timer;
  guint output_version; /* shown */
  gboolean output_cut;  /* shown without the traceback */
  guint pending_output; /* source of a postponed update */
  gint64 output_shown_at;
  gsize output_size;
};

G_DEFINE_FINAL_TYPE (InterpCellView, interp_cell_view, INTERP_TYPE_ITEM_VIEW)

static InterpCell *
get_cell (InterpCellView *self)
{
  return INTERP_CELL (interp_item_view_get_item (INTERP_ITEM_VIEW (self)));
}

static InterpSession *
get_session (InterpCellView *self)
{
  return interp_item_view_get_session (INTERP_ITEM_VIEW (self));
}

static gboolean
is_active (InterpCellState state)
{
  return state == INTERP_CELL_STARTING || state == INTERP_CELL_RUNNING;
}

/* ---- header ---- */

static gboolean
on_second (gpointer user_data)
{
  InterpCellView *self = user_data;
  g_autofree char *state = interp_cell_words_state (get_cell (self));

  gtk_label_set_label (self->state_label, state);
  return G_SOURCE_CONTINUE;
}

static void
update_header (InterpCellView *self, InterpCell *cell, InterpCellState state)
{
  InterpKernelSpec *spec = interp_cell_get_spec (cell);
  g_autofree char *words = interp_cell_words_state (cell);
  const char *icon = interp_cell_words_icon (state);
  g_autofree char *name = NULL;

  gtk_image_set_from_icon_name (self->language_icon, spec && interp_kernel_spec_get_icon_name (spec)
                                                         ? interp_kernel_spec_get_icon_name (spec)
                                                         : "interpreter-code-symbolic");
  gtk_label_set_label (self->language_label, interp_cell_get_language (cell));
  gtk_label_set_label (self->state_label, words);
  gtk_stack_set_visible_child_name (self->state_stack, icon ? "icon" : "spinner");
  if (icon)
    gtk_image_set_from_icon_name (self->state_icon, icon);
  gtk_widget_set_css_classes (GTK_WIDGET (self->card),
                              (const char *[]) { "card", "cell", interp_cell_words_style (state), NULL });

  gtk_widget_set_visible (self->interrupt_button, is_active (state));
  gtk_widget_set_visible (self->terminal_button, spec != NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->progress),
                          state == INTERP_CELL_RUNNING && interp_cell_get_progress (cell) >= 0);
  gtk_progress_bar_set_fraction (self->progress, CLAMP (interp_cell_get_progress (cell), 0, 1));

  /* Translators: accessible name of a cell, "Python, done in 0.4 s" */
  name = g_strdup_printf (_ ("%s, %s"), interp_cell_get_language (cell),
                          state == INTERP_CELL_RUNNING ? _ ("running") : words);
  /* Told only when it changes: not with each line of output. */
  if (g_set_str (&self->name, name))
    gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);

  if (state == INTERP_CELL_RUNNING && self->timer == 0)
    self->timer = g_timeout_add_seconds (1, on_second, self);
  else if (state != INTERP_CELL_RUNNING)
    g_clear_handle_id (&self->timer, g_source_remove);

  gtk_widget_action_set_enabled (GTK_WIDGET (self), "cell.run-again", interp_cell_is_runnable (cell));
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "cell.edit", interp_cell_is_runnable (cell));
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "cell.background", state == INTERP_CELL_RUNNING);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "cell.open-log", interp_cell_get_log_path (cell) != NULL);
}

/* ---- code ---- */

static guint
count_lines (const char *text)
{
  guint n = 1;

  for (const char *p = text; (p = strchr (p, '\n')); p++)
    if (p[1])
      n++;
  return n;
}

static char *
first_lines (const char *text, guint n)
{
  const char *p = text;

  while (n-- > 0)
    {
      const char *newline = strchr (p, '\n');

      if (!newline)
        return g_strdup (text);
      p = newline + 1;
    }
  return g_strndup (text, (gsize) (p - text) - 1);
}

static void
update_code (InterpCellView *self, InterpCell *cell, InterpCellState state)
{
  g_autofree char *code = g_strdup (interp_cell_get_code (cell) ? interp_cell_get_code (cell) : "");
  InterpKernelSpec *spec = interp_cell_get_spec (cell);
  guint n;

  if (self->editing)
    return;
  /* The last line's end is no line of its own. */
  if (g_str_has_suffix (code, "\n"))
    code[strlen (code) - 1] = '\0';
  n = count_lines (code);
  /* A mark that is folded away says nothing. */
  if (state == INTERP_CELL_FAILED && interp_cell_get_error_line (cell) > CODE_LINES)
    self->all_code = TRUE;
  interp_code_view_set_language (self->code,
                                 spec ? interp_kernel_spec_get_highlight (spec) : interp_cell_get_language (cell));
  interp_code_view_set_line_numbers (self->code, n > 1);

  /* What waits for an answer is shown whole: it is what would run. */
  if (n > CODE_LINES && !self->all_code && state != INTERP_CELL_WAITING
      && (state != INTERP_CELL_WRITING || n > TALL_LINES))
    {
      g_autofree char *shown = first_lines (code, CODE_LINES);
      /* Translators: %u is a number of lines of code */
      g_autofree char *label = g_strdup_printf (ngettext ("Show All (%u Line)", "Show All (%u Lines)", n), n);

      interp_code_view_set_code (self->code, shown);
      gtk_button_set_label (self->show_all_button, label);
      gtk_widget_set_visible (GTK_WIDGET (self->show_all_button), TRUE);
    }
  else
    {
      interp_code_view_set_code (self->code, code);
      gtk_widget_set_visible (GTK_WIDGET (self->show_all_button), FALSE);
    }
  interp_code_view_set_scroller_height (GTK_SCROLLED_WINDOW (self->code_section),
                                        n > TALL_LINES && self->all_code ? TALL_HEIGHT : 0);

  if (state == INTERP_CELL_RUNNING)
    interp_code_view_set_marked_line (self->code, interp_cell_get_line (cell), INTERP_CODE_MARK_RUNNING);
  else if (state == INTERP_CELL_FAILED)
    interp_code_view_set_marked_line (self->code, interp_cell_get_error_line (cell), INTERP_CODE_MARK_ERROR);
  else
    interp_code_view_set_marked_line (self->code, 0, INTERP_CODE_MARK_NONE);
}

static void
update_approval (InterpCellView *self, InterpCell *cell, InterpCellState state)
{
  gboolean wanted = state == INTERP_CELL_WAITING;

  if (wanted && !gtk_widget_get_first_child (self->approval))
    gtk_box_append (GTK_BOX (self->approval), interp_approval_bar_new (get_session (self), cell));
  else if (!wanted && gtk_widget_get_first_child (self->approval))
    gtk_box_remove (GTK_BOX (self->approval), gtk_widget_get_first_child (self->approval));
  gtk_widget_set_visible (self->approval, wanted);
  gtk_widget_set_visible (self->code_section, !wanted);
}

/* ---- result ---- */

static gboolean
on_postponed_output (gpointer user_data)
{
  InterpCellView *self = user_data;

  self->pending_output = 0;
  interp_item_view_queue_update (INTERP_ITEM_VIEW (self));
  return G_SOURCE_REMOVE;
}

/* The traceback is shown by itself, folded: the output that ends with it is shown without it. */
static void
cut_traceback (char *text, const char *traceback)
{
  g_autofree char *plain = g_strchomp (interp_terminal_text_reduce (traceback, strlen (traceback)));
  gsize n = strlen (plain);
  gsize length = strlen (text);

  while (length > 0 && g_ascii_isspace (text[length - 1]))
    length--;
  if (n > 0 && length >= n && memcmp (text + length - n, plain, n) == 0
      && (length == n || text[length - n - 1] == '\n'))
    text[length - n] = '\0';
}

static void
update_output (InterpCellView *self, InterpCell *cell, InterpCellState state)
{
  const char *traceback = state == INTERP_CELL_FAILED ? interp_cell_get_traceback (cell) : NULL;
  gint64 now = g_get_monotonic_time ();
  g_autoptr (GArray) spans = NULL;
  g_autofree char *text = NULL;
  guint version = 0;

  g_object_get (cell, "output-version", &version, NULL);
  if (version == self->output_version && self->output_shown_at != 0 && (traceback != NULL) == self->output_cut)
    return;
  if (state == INTERP_CELL_RUNNING && self->output_size > HEAVY_OUTPUT && now - self->output_shown_at < HEAVY_INTERVAL)
    {
      if (self->pending_output == 0)
        self->pending_output = g_timeout_add (HEAVY_INTERVAL / 1000, on_postponed_output, self);
      return;
    }
  self->output_version = version;
  self->output_shown_at = now;
  self->output_cut = traceback != NULL;
  text = interp_cell_dup_output (cell, &spans);
  if (text && traceback)
    cut_traceback (text, traceback);
  self->output_size = text ? strlen (text) : 0;
  gtk_widget_set_visible (GTK_WIDGET (self->output), self->output_size > 0);
  interp_output_view_set_output (self->output, text, spans, interp_cell_get_n_dropped (cell));
}

static void
on_displays_changed (InterpCellView *self, guint position, guint removed, guint added, GListModel *model)
{
  GtkWidget *child = gtk_widget_get_first_child (self->displays);
  GtkWidget *previous;

  for (guint i = 0; i < position && child; i++)
    child = gtk_widget_get_next_sibling (child);
  previous = child ? gtk_widget_get_prev_sibling (child) : gtk_widget_get_last_child (self->displays);
  for (guint i = 0; i < removed && child; i++)
    {
      GtkWidget *next = gtk_widget_get_next_sibling (child);

      gtk_box_remove (GTK_BOX (self->displays), child);
      child = next;
    }
  for (guint i = 0; i < added; i++)
    {
      g_autoptr (InterpDisplay) display = g_list_model_get_item (model, position + i);
      GtkWidget *view = interp_display_view_new (display);

      if (!view)
        {
          /* Keeps positions equal to the model's. */
          view = adw_bin_new ();
          gtk_widget_set_visible (view, FALSE);
        }
      gtk_box_insert_child_after (GTK_BOX (self->displays), view, previous);
      previous = view;
    }
  interp_item_view_queue_update (INTERP_ITEM_VIEW (self));
}

static void
update_error (InterpCellView *self, InterpCell *cell, InterpCellState state)
{
  const char *name = interp_cell_get_error_name (cell);
  const char *message = interp_cell_get_error_message (cell);
  const char *traceback = interp_cell_get_traceback (cell);
  const char *module = interp_cell_get_missing_module (cell);
  gboolean shown = state == INTERP_CELL_FAILED && (name || message);

  gtk_widget_set_visible (self->error_row, shown);
  if (shown)
    {
      g_autofree char *text
          = name && message && *message ? g_strdup_printf ("%s: %s", name, message) : g_strdup (name ? name : message);
      g_autofree char *visible = interp_text_make_visible (text);

      gtk_label_set_label (self->error_label, visible);
    }
  gtk_widget_set_visible (GTK_WIDGET (self->traceback), shown && traceback && *traceback);
  if (shown && traceback)
    {
      g_autofree char *plain = interp_terminal_text_reduce (traceback, (gsize) strlen (traceback));

      gtk_label_set_label (self->traceback_label, plain);
    }
  interp_blocked_row_update (self->blocked_row, get_session (self), cell);
  gtk_widget_set_visible (self->module_row, state == INTERP_CELL_FAILED && module
                                                && interp_install_dialog_is_possible (get_session (self), cell));
  if (module)
    {
      /* Translators: %s is the name of a program library */
      g_autofree char *label = g_strdup_printf (_ ("Install %s…"), module);

      gtk_button_set_label (self->module_button, label);
    }
}

/* The user says in what language the code is. */
static GMenuModel *
make_languages (void)
{
  GListModel *specs = interp_kernel_specs_get ();
  GMenu *menu = g_menu_new ();

  for (guint i = 0; i < g_list_model_get_n_items (specs); i++)
    {
      g_autoptr (InterpKernelSpec) spec = g_list_model_get_item (specs, i);
      g_autofree char *action = g_strdup_printf ("cell.run-as::%s", interp_kernel_spec_get_id (spec));

      g_menu_append (menu, interp_kernel_spec_get_title (spec), action);
    }
  return G_MENU_MODEL (menu);
}

static void
update_note (InterpCellView *self, InterpCell *cell, InterpCellState state)
{
  const char *note = interp_cell_get_note (cell);
  const char *refusal = interp_cell_get_refusal (cell);
  g_autofree char *text = NULL;

  if (state == INTERP_CELL_REFUSED && refusal && *refusal)
    text = g_strdup_printf (_ ("You said: %s"), refusal);
  else if (note && *note)
    text = g_strdup (note);
  else if (interp_cell_get_place (cell) == INTERP_RUN_PLACE_OUTSIDE)
    text = g_strdup (_ ("Outside the sandbox, in a kernel of its own."));
  else if (interp_cell_get_place (cell) == INTERP_RUN_PLACE_NETWORK)
    text = g_strdup (_ ("With the network, in a sandbox and a kernel of its own."));
  else if (interp_cell_is_by_user (cell))
    text = g_strdup (_ ("Your own code, from the terminal."));
  else if (interp_cell_get_original_code (cell))
    text = g_strdup (_ ("You changed the model’s code before it ran."));
  if (interp_cell_is_only_shown (cell) && !gtk_menu_button_get_menu_model (self->run_as_button))
    {
      g_autoptr (GMenuModel) languages = make_languages ();

      gtk_menu_button_set_menu_model (self->run_as_button, languages);
    }
  gtk_widget_set_visible (GTK_WIDGET (self->run_as_button), interp_cell_is_only_shown (cell));
  gtk_widget_set_visible (self->note_row, text != NULL);
  gtk_label_set_label (self->note_label, text ? text : "");
}

static void
interp_cell_view_update (InterpItemView *view)
{
  InterpCellView *self = INTERP_CELL_VIEW (view);
  InterpCell *cell = get_cell (self);
  InterpCellState state = interp_cell_get_cell_state (cell);
  g_autofree char *waiting = state == INTERP_CELL_RUNNING ? interp_cell_words_waiting (cell) : NULL;
  gboolean premature = interp_item_is_premature (INTERP_ITEM (cell));

  update_header (self, cell, state);
  update_code (self, cell, state);
  update_approval (self, cell, state);
  update_note (self, cell, state);
  update_output (self, cell, state);
  update_error (self, cell, state);
  gtk_widget_set_visible (self->waiting_row, waiting != NULL);
  gtk_label_set_label (self->waiting_label, waiting ? waiting : "");
  gtk_widget_set_visible (self->log_row, interp_output_view_is_partial (self->output));
  gtk_widget_set_visible (self->result, self->output_size > 0 || gtk_widget_get_first_child (self->displays)
                                            || gtk_widget_get_visible (self->error_row));
  gtk_widget_set_visible (GTK_WIDGET (self->premature), premature);
  gtk_widget_set_visible (self->card, !premature || gtk_toggle_button_get_active (self->premature));
}

/* ---- actions ---- */

static void
show_all (GtkWidget *widget, const char *action, GVariant *parameter)
{
  InterpCellView *self = INTERP_CELL_VIEW (widget);

  self->all_code = TRUE;
  update_code (self, get_cell (self), interp_cell_get_cell_state (get_cell (self)));
  gtk_widget_grab_focus (GTK_WIDGET (self->code));
}

static void
copy_code (GtkWidget *widget, const char *action, GVariant *parameter)
{
  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget),
                          interp_cell_get_code (get_cell (INTERP_CELL_VIEW (widget))));
  gtk_accessible_announce (GTK_ACCESSIBLE (widget), _ ("Copied"), GTK_ACCESSIBLE_ANNOUNCEMENT_PRIORITY_LOW);
}

static void
show_in_terminal (GtkWidget *widget, const char *action, GVariant *parameter)
{
  InterpKernelSpec *spec = interp_cell_get_spec (get_cell (INTERP_CELL_VIEW (widget)));

  if (spec)
    gtk_widget_activate_action (widget, "chat.show-terminal", "s", interp_kernel_spec_get_id (spec));
}

static void
interrupt (GtkWidget *widget, const char *action, GVariant *parameter)
{
  InterpCellView *self = INTERP_CELL_VIEW (widget);

  interp_session_interrupt (get_session (self), get_cell (self));
}

static void
run_again (GtkWidget *widget, const char *action, GVariant *parameter)
{
  InterpCellView *self = INTERP_CELL_VIEW (widget);

  interp_session_run_again (get_session (self), get_cell (self), interp_cell_get_code (get_cell (self)));
}

static void
run_as (GtkWidget *widget, const char *action, GVariant *parameter)
{
  InterpCellView *self = INTERP_CELL_VIEW (widget);

  interp_session_run_code (get_session (self), g_variant_get_string (parameter, NULL),
                           interp_cell_get_code (get_cell (self)));
}

static void
set_editing (InterpCellView *self, gboolean editing)
{
  self->editing = editing;
  gtk_text_view_set_editable (GTK_TEXT_VIEW (self->code), editing);
  gtk_text_view_set_cursor_visible (GTK_TEXT_VIEW (self->code), editing);
  gtk_widget_set_visible (self->edit_bar, editing);
  if (!editing)
    update_code (self, get_cell (self), interp_cell_get_cell_state (get_cell (self)));
}

static void
begin_edit (GtkWidget *widget, const char *action, GVariant *parameter)
{
  InterpCellView *self = INTERP_CELL_VIEW (widget);

  self->all_code = TRUE;
  update_code (self, get_cell (self), interp_cell_get_cell_state (get_cell (self)));
  set_editing (self, TRUE);
  gtk_widget_grab_focus (GTK_WIDGET (self->code));
}

static void
cancel_edit (GtkWidget *widget, const char *action, GVariant *parameter)
{
  set_editing (INTERP_CELL_VIEW (widget), FALSE);
  gtk_widget_grab_focus (widget);
}

static void
run_edited (GtkWidget *widget, const char *action, GVariant *parameter)
{
  InterpCellView *self = INTERP_CELL_VIEW (widget);
  g_autofree char *code = interp_code_view_dup_code (self->code);

  set_editing (self, FALSE);
  gtk_widget_grab_focus (widget);
  interp_session_run_again (get_session (self), get_cell (self), code);
}

static void
continue_in_background (GtkWidget *widget, const char *action, GVariant *parameter)
{
  InterpCellView *self = INTERP_CELL_VIEW (widget);

  interp_session_continue_in_background (get_session (self), get_cell (self));
}

static void
save_code (GtkWidget *widget, const char *action, GVariant *parameter)
{
  InterpCell *cell = get_cell (INTERP_CELL_VIEW (widget));
  InterpKernelSpec *spec = interp_cell_get_spec (cell);
  const char *code = interp_cell_get_code (cell);
  g_autofree char *name = g_strconcat (_ ("code"), spec ? interp_kernel_spec_get_extension (spec) : ".txt", NULL);
  g_autoptr (GBytes) bytes = g_bytes_new (code, strlen (code));

  interp_save_as (widget, _ ("Save Code"), name, bytes, NULL);
}

static void
open_log (GtkWidget *widget, const char *action, GVariant *parameter)
{
  const char *path = interp_cell_get_log_path (get_cell (INTERP_CELL_VIEW (widget)));
  GtkRoot *root = gtk_widget_get_root (widget);
  g_autoptr (GFile) file = NULL;
  g_autoptr (GtkFileLauncher) launcher = NULL;

  if (!path)
    return;
  file = g_file_new_for_path (path);
  launcher = gtk_file_launcher_new (file);
  gtk_file_launcher_launch (launcher, GTK_IS_WINDOW (root) ? GTK_WINDOW (root) : NULL, NULL, NULL, NULL);
}

static void
install_module (GtkWidget *widget, const char *action, GVariant *parameter)
{
  InterpCellView *self = INTERP_CELL_VIEW (widget);

  interp_install_dialog_present (widget, get_session (self), get_cell (self));
}

/* The panel's own keys, for when the cell itself has the focus. */
static gboolean
forward_to_approval (GtkWidget *widget, GVariant *arguments, gpointer action)
{
  GtkWidget *panel = gtk_widget_get_first_child (INTERP_CELL_VIEW (widget)->approval);

  return panel && gtk_widget_activate_action (panel, action, NULL);
}

/* ---- life ---- */

static void
interp_cell_view_constructed (GObject *object)
{
  InterpCellView *self = INTERP_CELL_VIEW (object);
  InterpCell *cell;
  GListModel *displays;

  G_OBJECT_CLASS (interp_cell_view_parent_class)->constructed (object);
  cell = get_cell (self);
  displays = interp_cell_get_displays (cell);
  g_signal_connect_object (displays, "items-changed", G_CALLBACK (on_displays_changed), self, G_CONNECT_SWAPPED);
  on_displays_changed (self, 0, 0, g_list_model_get_n_items (displays), displays);
}

static void
interp_cell_view_dispose (GObject *object)
{
  InterpCellView *self = INTERP_CELL_VIEW (object);

  g_clear_handle_id (&self->timer, g_source_remove);
  g_clear_handle_id (&self->pending_output, g_source_remove);
  gtk_widget_dispose_template (GTK_WIDGET (object), INTERP_TYPE_CELL_VIEW);
  G_OBJECT_CLASS (interp_cell_view_parent_class)->dispose (object);
}

static void
interp_cell_view_finalize (GObject *object)
{
  g_free (INTERP_CELL_VIEW (object)->name);
  G_OBJECT_CLASS (interp_cell_view_parent_class)->finalize (object);
}

static void
interp_cell_view_class_init (InterpCellViewClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->constructed = interp_cell_view_constructed;
  object_class->dispose = interp_cell_view_dispose;
  object_class->finalize = interp_cell_view_finalize;
  INTERP_ITEM_VIEW_CLASS (klass)->update = interp_cell_view_update;

  g_type_ensure (INTERP_TYPE_CODE_VIEW);
  g_type_ensure (INTERP_TYPE_OUTPUT_VIEW);
  g_type_ensure (INTERP_TYPE_BLOCKED_ROW);
  gtk_widget_class_set_template_from_resource (widget_class, "/io/github/interpreter_app/Interpreter/ui/"
                                                             "interp-cell-view.ui");
  gtk_widget_class_bind_template_child (widget_class, InterpCellView, card);
  gtk_widget_class_bind_template_child (widget_class, InterpCellView, premature);
  gtk_widget_class_bind_template_child (widget_class, InterpCellView, language_icon);
  gtk_widget_class_bind_template_child (widget_class, InterpCellView, language_label);
  gtk_widget_class_bind_template_child (widget_class, InterpCellView, state_stack);
  gtk_widget_class_bind_template_child (widget_class, InterpCellView, state_icon);
  gtk_widget_class_bind_template_child (widget_class, InterpCellView, state_label);
  gtk_widget_class_bind_template_child (widget_class, InterpCellView, interrupt_button);
  gtk_widget_class_bind_template_child (widget_class, InterpCellView, terminal_button);
  gtk_widget_class_bind_template_child (widget_class, InterpCellView, progress);
  gtk_widget_class_bind_template_child (widget_class, InterpCellView, body);
  gtk_widget_class_bind_template_child (widget_class, InterpCellView, code_section);
  gtk_widget_class_bind_template_child (widget_class, InterpCellView, code);
  gtk_widget_class_bind_template_child (widget_class, InterpCellView, show_all_button);
  gtk_widget_class_bind_template_child (widget_class, InterpCellView, edit_bar);
  gtk_widget_class_bind_template_child (widget_class, InterpCellView, approval);
  gtk_widget_class_bind_template_child (widget_class, InterpCellView, note_row);
  gtk_widget_class_bind_template_child (widget_class, InterpCellView, note_label);
  gtk_widget_class_bind_template_child (widget_class, InterpCellView, run_as_button);
  gtk_widget_class_bind_template_child (widget_class, InterpCellView, waiting_row);
  gtk_widget_class_bind_template_child (widget_class, InterpCellView, waiting_label);
  gtk_widget_class_bind_template_child (widget_class, InterpCellView, result);
  gtk_widget_class_bind_template_child (widget_class, InterpCellView, output);
  gtk_widget_class_bind_template_child (widget_class, InterpCellView, displays);
  gtk_widget_class_bind_template_child (widget_class, InterpCellView, error_row);
  gtk_widget_class_bind_template_child (widget_class, InterpCellView, error_label);
  gtk_widget_class_bind_template_child (widget_class, InterpCellView, traceback);
  gtk_widget_class_bind_template_child (widget_class, InterpCellView, traceback_label);
  gtk_widget_class_bind_template_child (widget_class, InterpCellView, blocked_row);
  gtk_widget_class_bind_template_child (widget_class, InterpCellView, module_row);
  gtk_widget_class_bind_template_child (widget_class, InterpCellView, module_button);
  gtk_widget_class_bind_template_child (widget_class, InterpCellView, log_row);
  gtk_widget_class_bind_template_callback (widget_class, interp_item_view_queue_update);
  gtk_widget_class_install_action (widget_class, "cell.show-all", NULL, show_all);
  gtk_widget_class_install_action (widget_class, "cell.copy", NULL, copy_code);
  gtk_widget_class_install_action (widget_class, "cell.show-terminal", NULL, show_in_terminal);
  gtk_widget_class_install_action (widget_class, "cell.interrupt", NULL, interrupt);
  gtk_widget_class_install_action (widget_class, "cell.run-again", NULL, run_again);
  gtk_widget_class_install_action (widget_class, "cell.run-as", "s", run_as);
  gtk_widget_class_install_action (widget_class, "cell.edit", NULL, begin_edit);
  gtk_widget_class_install_action (widget_class, "cell.cancel-edit", NULL, cancel_edit);
  gtk_widget_class_install_action (widget_class, "cell.run-edited", NULL, run_edited);
  gtk_widget_class_install_action (widget_class, "cell.background", NULL, continue_in_background);
  gtk_widget_class_install_action (widget_class, "cell.save", NULL, save_code);
  gtk_widget_class_install_action (widget_class, "cell.open-log", NULL, open_log);
  gtk_widget_class_install_action (widget_class, "cell.install-module", NULL, install_module);
}

static void
interp_cell_view_init (InterpCellView *self)
{
  static const struct
  {
    guint key;
    GdkModifierType modifiers;
    const char *action;
  } keys[] = {
    { GDK_KEY_Return, GDK_CONTROL_MASK, "approval.run" },
    { GDK_KEY_KP_Enter, GDK_CONTROL_MASK, "approval.run" },
    { GDK_KEY_r, GDK_ALT_MASK, "approval.refuse" },
  };
  GtkEventController *controller;

  gtk_widget_init_template (GTK_WIDGET (self));

  controller = gtk_shortcut_controller_new ();
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    gtk_shortcut_controller_add_shortcut (GTK_SHORTCUT_CONTROLLER (controller),
                                          gtk_shortcut_new (gtk_keyval_trigger_new (keys[i].key, keys[i].modifiers),
                                                            gtk_callback_action_new (forward_to_approval,
                                                                                     (gpointer) keys[i].action, NULL)));
  gtk_widget_add_controller (GTK_WIDGET (self), controller);
}
