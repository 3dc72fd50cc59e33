/* interp-approval-panel.c
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <glib/gi18n.h>

#include "approval/interp-approval-panel.h"
#include "approval/interp-seen-tracker.h"
#include "base/interp-fiber.h"
#include "base/interp-paths.h"
#include "base/interp-text.h"
#include "transcript/interp-code-view.h"
#include "transcript/interp-diff-view.h"

/* A click or key meant for what stood here before must not run code. */
#define GUARD_MSEC 500
/* While the user edits, the diff follows after this pause. */
#define DIFF_DELAY_MSEC 300

struct _InterpApprovalPanel
{
  AdwBreakpointBin parent_instance;

  GtkWidget *said_box;
  GtkLabel *said;
  GtkLabel *where;
  GtkLabel *why;
  GtkBox *facts;
  GtkLabel *summary;
  AdwViewStack *stack;
  InterpCodeView *code;
  InterpSeenTracker *seen;
  InterpDiffView *diffs;
  GtkRevealer *refusal_revealer;
  GtkEditable *refusal;
  GtkButton *run_button;
  GtkButton *edit_button;

  InterpSession *session;
  InterpCell *cell;
  gint64 shown_at; /* monotonic µs, 0: not on screen */
  guint diff_timeout;
  guint diff_serial;
  gboolean answered;
};

G_DEFINE_FINAL_TYPE (InterpApprovalPanel, interp_approval_panel, ADW_TYPE_BREAKPOINT_BIN)

enum
{
  ANSWERED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

static gboolean
is_guarded (InterpApprovalPanel *self)
{
  return self->shown_at == 0 || g_get_monotonic_time () - self->shown_at < GUARD_MSEC * G_TIME_SPAN_MILLISECOND;
}

static void
update_run_button (InterpApprovalPanel *self)
{
  gboolean seen = interp_seen_tracker_get_seen (self->seen);

  gtk_button_set_label (self->run_button, seen ? _ ("Run") : _ ("Show Rest"));
}

/* ---- diffs ---- */

typedef struct
{
  InterpApprovalPanel *panel;
  char *code;
  guint serial;
} DiffRequest;

static void
diff_request_free (DiffRequest *request)
{
  g_clear_object (&request->panel);
  g_free (request->code);
  g_free (request);
}

static DexFuture *
load_diffs (gpointer user_data)
{
  DiffRequest *request = user_data;
  InterpApprovalPanel *self = request->panel;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) diffs = dex_await_boxed (interp_cell_load_diffs (self->cell, request->code), &error);

  if (diffs == NULL)
    return dex_future_new_for_error (g_steal_pointer (&error));
  /* A later edit has asked again. */
  if (self->diffs != NULL && request->serial == self->diff_serial)
    interp_diff_view_set_diffs (self->diffs, diffs);
  return dex_future_new_true ();
}

static void
request_diffs (InterpApprovalPanel *self)
{
  DiffRequest *request = g_new0 (DiffRequest, 1);

  request->panel = g_object_ref (self);
  request->code = interp_code_view_dup_code (self->code);
  request->serial = ++self->diff_serial;
  interp_fiber_run ("compare code", load_diffs, request, (GDestroyNotify) diff_request_free);
}

static gboolean
on_diff_timeout (gpointer user_data)
{
  InterpApprovalPanel *self = user_data;

  self->diff_timeout = 0;
  request_diffs (self);
  return G_SOURCE_REMOVE;
}

static void
on_code_changed (InterpApprovalPanel *self)
{
  g_assert (INTERP_IS_APPROVAL_PANEL (self));

  if (!gtk_text_view_get_editable (GTK_TEXT_VIEW (self->code)))
    return;
  g_clear_handle_id (&self->diff_timeout, g_source_remove);
  self->diff_timeout = g_timeout_add (DIFF_DELAY_MSEC, on_diff_timeout, self);
}

/* ---- what is asked ---- */

static void
add_fact (InterpApprovalPanel *self, const InterpFact *fact)
{
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *icon = gtk_image_new_from_icon_name (fact->icon_name);
  GtkWidget *label = gtk_label_new (fact->text);

  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_box_append (GTK_BOX (row), icon);
  gtk_box_append (GTK_BOX (row), label);
  gtk_box_append (self->facts, row);
}

static void
set_question (InterpApprovalPanel *self)
{
  InterpJudgement *judgement = interp_cell_get_judgement (self->cell);
  InterpKernelSpec *spec = interp_cell_get_spec (self->cell);
  const char *said = interp_cell_get_preceding_text (self->cell);
  const char *folder = interp_cell_get_folder (self->cell);
  g_autofree char *shown_folder = interp_paths_display (folder ? folder : "");
  g_autofree char *where = NULL;
  GPtrArray *facts = judgement ? interp_judgement_get_facts (judgement) : NULL;

  gtk_widget_set_visible (self->said_box, said != NULL && *said != '\0');
  if (said != NULL)
    {
      g_autofree char *visible = interp_text_make_visible (said);
      /* Translators: %s is a sentence that the model wrote */
      g_autofree char *text = g_strdup_printf (_ ("The model says: “%s”"), visible);
      gtk_label_set_label (self->said, text);
    }

  if (interp_session_is_safe (self->session) && interp_cell_get_place (self->cell) != INTERP_RUN_PLACE_OUTSIDE)
    /* Translators: where code runs: language, folder */
    where
        = g_strdup_printf (_ ("%s kernel · %s · in the sandbox"), interp_cell_get_language (self->cell), shown_folder);
  else
    /* Translators: where code runs: language, folder */
    where = g_strdup_printf (_ ("%s kernel · %s · this computer"), interp_cell_get_language (self->cell), shown_folder);
  gtk_label_set_label (self->where, where);

  gtk_label_set_label (self->why, judgement ? interp_judgement_get_reason (judgement) : "");
  gtk_widget_set_visible (GTK_WIDGET (self->why), judgement != NULL && interp_judgement_get_reason (judgement) != NULL);
  if (judgement != NULL && interp_judgement_is_dangerous (judgement))
    gtk_widget_add_css_class (GTK_WIDGET (self->why), "error");

  for (guint i = 0; facts != NULL && i < facts->len; i++)
    add_fact (self, g_ptr_array_index (facts, i));

  /* Where there is little height, one line says it. */
  {
    g_autoptr (GString) summary = g_string_new (NULL);

    for (guint i = 0; facts != NULL && i < facts->len; i++)
      {
        const InterpFact *fact = g_ptr_array_index (facts, i);
        g_string_append_printf (summary, "%s%s", i > 0 ? " · " : "", fact->text);
      }
    if (summary->len == 0)
      g_string_append (summary, where);
    gtk_label_set_label (self->summary, summary->str);
    gtk_widget_set_tooltip_text (GTK_WIDGET (self->summary), summary->str);
  }

  interp_code_view_set_language (self->code, spec ? interp_kernel_spec_get_highlight (spec) : NULL);
  interp_code_view_set_code (self->code, interp_cell_get_code (self->cell));
  request_diffs (self);
}

/* ---- answers ---- */

static void
check_answered (InterpApprovalPanel *self)
{
  if (self->answered || interp_cell_get_cell_state (self->cell) == INTERP_CELL_WAITING)
    return;
  self->answered = TRUE;
  g_signal_emit (self, signals[ANSWERED], 0);
}

static void
run_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  InterpApprovalPanel *self = INTERP_APPROVAL_PANEL (widget);
  g_autofree char *shown = NULL;

  if (is_guarded (self) || self->answered)
    return;
  if (!interp_seen_tracker_get_seen (self->seen))
    {
      adw_view_stack_set_visible_child_name (self->stack, "code");
      interp_seen_tracker_show_rest (self->seen);
      return;
    }
  shown = interp_code_view_dup_code (self->code);
  interp_session_approve (self->session, self->cell, shown);
  check_answered (self);
}

static void
refuse (InterpApprovalPanel *self, gboolean stop)
{
  g_autofree char *reason = g_strstrip (g_strdup (gtk_editable_get_text (self->refusal)));

  interp_session_refuse (self->session, self->cell, *reason != '\0' ? reason : NULL, stop);
  check_answered (self);
}

static void
refuse_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  InterpApprovalPanel *self = INTERP_APPROVAL_PANEL (widget);

  if (is_guarded (self) || self->answered)
    return;
  if (!gtk_revealer_get_reveal_child (self->refusal_revealer))
    {
      gtk_revealer_set_reveal_child (self->refusal_revealer, TRUE);
      gtk_widget_grab_focus (GTK_WIDGET (self->refusal));
      return;
    }
  refuse (self, FALSE);
}

static void
refuse_and_stop_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  InterpApprovalPanel *self = INTERP_APPROVAL_PANEL (widget);

  if (!is_guarded (self) && !self->answered)
    refuse (self, TRUE);
}

static void
on_refusal_activated (InterpApprovalPanel *self)
{
  g_assert (INTERP_IS_APPROVAL_PANEL (self));

  if (!is_guarded (self) && !self->answered)
    refuse (self, FALSE);
}

static void
edit_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  InterpApprovalPanel *self = INTERP_APPROVAL_PANEL (widget);

  if (is_guarded (self) || self->answered)
    return;
  adw_view_stack_set_visible_child_name (self->stack, "code");
  gtk_text_view_set_editable (GTK_TEXT_VIEW (self->code), TRUE);
  gtk_widget_grab_focus (GTK_WIDGET (self->code));
  gtk_widget_action_set_enabled (widget, "approval.edit", FALSE);
}

void
interp_approval_panel_focus_code (InterpApprovalPanel *self)
{
  g_return_if_fail (INTERP_IS_APPROVAL_PANEL (self));

  gtk_widget_grab_focus (GTK_WIDGET (self->code));
}

static void
interp_approval_panel_map (GtkWidget *widget)
{
  InterpApprovalPanel *self = INTERP_APPROVAL_PANEL (widget);

  GTK_WIDGET_CLASS (interp_approval_panel_parent_class)->map (widget);
  self->shown_at = g_get_monotonic_time ();
}

static void
interp_approval_panel_unmap (GtkWidget *widget)
{
  INTERP_APPROVAL_PANEL (widget)->shown_at = 0;
  GTK_WIDGET_CLASS (interp_approval_panel_parent_class)->unmap (widget);
}

static void
interp_approval_panel_dispose (GObject *object)
{
  InterpApprovalPanel *self = INTERP_APPROVAL_PANEL (object);

  g_clear_handle_id (&self->diff_timeout, g_source_remove);
  g_clear_object (&self->seen);
  gtk_widget_dispose_template (GTK_WIDGET (self), INTERP_TYPE_APPROVAL_PANEL);
  g_clear_object (&self->cell);
  g_clear_object (&self->session);

  G_OBJECT_CLASS (interp_approval_panel_parent_class)->dispose (object);
}

static void
interp_approval_panel_class_init (InterpApprovalPanelClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = interp_approval_panel_dispose;
  widget_class->map = interp_approval_panel_map;
  widget_class->unmap = interp_approval_panel_unmap;

  signals[ANSWERED]
      = g_signal_new ("answered", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);

  g_type_ensure (INTERP_TYPE_CODE_VIEW);
  g_type_ensure (INTERP_TYPE_DIFF_VIEW);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/interpreter_app/Interpreter/ui/interp-approval-panel.ui");
  gtk_widget_class_bind_template_child (widget_class, InterpApprovalPanel, said_box);
  gtk_widget_class_bind_template_child (widget_class, InterpApprovalPanel, said);
  gtk_widget_class_bind_template_child (widget_class, InterpApprovalPanel, where);
  gtk_widget_class_bind_template_child (widget_class, InterpApprovalPanel, why);
  gtk_widget_class_bind_template_child (widget_class, InterpApprovalPanel, facts);
  gtk_widget_class_bind_template_child (widget_class, InterpApprovalPanel, summary);
  gtk_widget_class_bind_template_child (widget_class, InterpApprovalPanel, stack);
  gtk_widget_class_bind_template_child (widget_class, InterpApprovalPanel, code);
  gtk_widget_class_bind_template_child (widget_class, InterpApprovalPanel, diffs);
  gtk_widget_class_bind_template_child (widget_class, InterpApprovalPanel, refusal_revealer);
  gtk_widget_class_bind_template_child (widget_class, InterpApprovalPanel, refusal);
  gtk_widget_class_bind_template_child (widget_class, InterpApprovalPanel, run_button);
  gtk_widget_class_bind_template_child (widget_class, InterpApprovalPanel, edit_button);

  /* Widget actions: nothing that approves is in a group that GTK exports on the bus. */
  gtk_widget_class_install_action (widget_class, "approval.run", NULL, run_action);
  gtk_widget_class_install_action (widget_class, "approval.refuse", NULL, refuse_action);
  gtk_widget_class_install_action (widget_class, "approval.refuse-and-stop", NULL, refuse_and_stop_action);
  gtk_widget_class_install_action (widget_class, "approval.edit", NULL, edit_action);
}

/* Before the text view takes it for a line break. */
static void
add_run_key (InterpApprovalPanel *self)
{
  GtkEventController *controller = gtk_shortcut_controller_new ();
  GtkShortcutTrigger *keys = gtk_shortcut_trigger_parse_string ("<Control>Return|<Control>KP_Enter");

  gtk_event_controller_set_propagation_phase (controller, GTK_PHASE_CAPTURE);
  gtk_shortcut_controller_add_shortcut (GTK_SHORTCUT_CONTROLLER (controller),
                                        gtk_shortcut_new (keys, gtk_named_action_new ("approval.run")));
  gtk_widget_add_controller (GTK_WIDGET (self->code), controller);
}

static void
interp_approval_panel_init (InterpApprovalPanel *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  add_run_key (self);
  interp_code_view_set_wrap (self->code, TRUE);
  interp_code_view_set_line_numbers (self->code, TRUE);
  interp_diff_view_set_wrap (self->diffs, TRUE);
  self->seen = interp_seen_tracker_new (GTK_TEXT_VIEW (self->code));
  g_signal_connect_object (self->seen, "notify::seen", G_CALLBACK (update_run_button), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (gtk_text_view_get_buffer (GTK_TEXT_VIEW (self->code)), "changed",
                           G_CALLBACK (on_code_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->refusal, "activate", G_CALLBACK (on_refusal_activated), self, G_CONNECT_SWAPPED);
  update_run_button (self);
}

InterpApprovalPanel *
interp_approval_panel_new (InterpSession *session, InterpCell *cell)
{
  InterpApprovalPanel *self = g_object_new (INTERP_TYPE_APPROVAL_PANEL, NULL);

  self->session = g_object_ref (session);
  self->cell = g_object_ref (cell);
  set_question (self);
  g_signal_connect_object (cell, "notify::cell-state", G_CALLBACK (check_answered), self, G_CONNECT_SWAPPED);
  return self;
}
