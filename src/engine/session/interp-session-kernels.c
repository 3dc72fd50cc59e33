/* interp-session-kernels.c: kernels and runs
 *
 * A run is a fiber from approval to kept result. Runs of one language queue here, not in the kernel: one that is
 * stopped while it waits never gets there. Displays are kept as blobs, in their order, before they are shown.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <glib/gi18n.h>

#include "base/interp-clock.h"
#include "base/interp-environment.h"
#include "base/interp-fiber.h"
#include "session/interp-result.h"
#include "session/interp-session-private.h"
#include "session/interp-system-text.h"

struct _InterpKernelSlot
{
  InterpKernel *kernel;
  InterpGate *gate;
  char *name; /* of all its lives */
  InterpRunPlace place;
  InterpSandbox *sandbox; /* nullable: it is in none */
  gboolean has_log_folder;
};

static void
slot_free (gpointer data)
{
  InterpKernelSlot *slot = data;

  g_object_unref (slot->kernel);
  interp_gate_unref (slot->gate);
  g_clear_object (&slot->sandbox);
  g_free (slot->name);
  g_free (slot);
}

/* ---- kernels ---- */

static char *
get_life (InterpKernelSlot *slot)
{
  return g_strdup_printf ("%s/%u", slot->name, interp_kernel_get_generation (slot->kernel));
}

static gboolean
is_alive (InterpKernel *kernel)
{
  InterpKernelState state = interp_kernel_get_state (kernel);

  return state != INTERP_KERNEL_OFF && state != INTERP_KERNEL_LOST;
}

gboolean
interp_session_has_kernels (InterpSession *self)
{
  g_return_val_if_fail (INTERP_IS_SESSION (self), FALSE);

  for (guint i = 0; self->slots != NULL && i < self->slots->len; i++)
    if (is_alive (((InterpKernelSlot *) g_ptr_array_index (self->slots, i))->kernel))
      return TRUE;
  return FALSE;
}

/* The variables in a kernel outlive the window's interest in the chat. */
static void
update_hold (InterpSession *self)
{
  gboolean hold = self->runs->len > 0 || interp_session_has_kernels (self);

  if (hold == self->held)
    return;
  self->held = hold;
  if (hold)
    g_object_ref (self);
  else
    g_object_unref (self);
}

static void
on_kernel_state (InterpSession *self)
{
  g_object_ref (self);
  update_hold (self);
  g_object_unref (self);
}

typedef struct
{
  InterpSession *session;
  char *text;
  InterpOffers offers;
} Notice;

static void
notice_free (gpointer data)
{
  Notice *notice = data;

  g_object_unref (notice->session);
  g_free (notice->text);
  g_free (notice);
}

static DexFuture *
add_notice_fiber (gpointer data)
{
  Notice *notice = data;

  interp_session_add_notice (notice->session, INTERP_ITEM_NOTICE, notice->text, notice->offers, 0);

  return dex_future_new_true ();
}

static void
on_kernel_lost (InterpSession *self, const char *sentence)
{
  g_autoptr (GPtrArray) lost = interp_session_get_lost_cells (self);
  Notice *notice = g_new0 (Notice, 1);

  notice->session = g_object_ref (self);
  notice->text = g_strdup (sentence);
  notice->offers = lost->len > 0 ? INTERP_OFFER_RERUN_CELLS : INTERP_OFFER_NONE;
  interp_fiber_run ("Telling of a lost kernel", add_notice_fiber, notice, notice_free);
}

static InterpKernelSlot *
find_slot (InterpSession *self, InterpKernelSpec *spec, InterpRunPlace place)
{
  for (guint i = 0; self->slots != NULL && i < self->slots->len; i++)
    {
      InterpKernelSlot *slot = g_ptr_array_index (self->slots, i);

      if (interp_kernel_get_spec (slot->kernel) == spec && slot->place == place)
        return slot;
    }

  return NULL;
}

static void
give_log_folder (InterpSession *self, InterpKernelSlot *slot)
{
  g_autofree char *folder = NULL;

  if (slot->has_log_folder || self->row->id == 0)
    return;
  folder = interp_store_get_log_folder (self->store, self->row->id);
  if (folder == NULL)
    return;
  interp_kernel_set_log_folder (slot->kernel, folder);
  slot->has_log_folder = TRUE;
}

static InterpKernelSlot *
ensure_slot (InterpSession *self, InterpKernelSpec *spec, InterpRunPlace place)
{
  InterpKernelSlot *slot = find_slot (self, spec, place);

  if (slot == NULL)
    {
      slot = g_new0 (InterpKernelSlot, 1);
      slot->kernel = interp_kernel_new (spec, self->row->folder, NULL, NULL);
      slot->gate = interp_gate_new ();
      slot->name = g_uuid_string_random ();
      slot->place = place;
      slot->sandbox = interp_session_confine (self, slot->kernel, place);
      if (self->slots == NULL)
        self->slots = g_ptr_array_new_with_free_func (slot_free);
      g_ptr_array_add (self->slots, slot);
      g_signal_connect_object (slot->kernel, "notify::state", G_CALLBACK (on_kernel_state), self, G_CONNECT_SWAPPED);
      g_signal_connect_object (slot->kernel, "lost", G_CALLBACK (on_kernel_lost), self, G_CONNECT_SWAPPED);
      give_log_folder (self, slot);
      g_list_store_append (self->kernels, slot->kernel);
      interp_session_emit_kernel_added (self, slot->kernel);
    }
  give_log_folder (self, slot);

  return slot;
}

InterpKernel *
interp_session_get_kernel (InterpSession *self, const char *language)
{
  InterpKernelSpec *spec;
  InterpKernelSlot *slot;

  g_return_val_if_fail (INTERP_IS_SESSION (self), NULL);
  g_return_val_if_fail (language != NULL, NULL);

  spec = interp_kernel_specs_lookup (language);
  if (spec == NULL)
    return NULL;
  slot = self->read_only ? find_slot (self, spec, INTERP_RUN_PLACE_USUAL)
                         : ensure_slot (self, spec, INTERP_RUN_PLACE_USUAL);

  return slot != NULL ? slot->kernel : NULL;
}

gboolean
interp_session_has_interpreter (InterpSession *self, InterpKernelSpec *spec)
{
  InterpKernelSlot *slot = find_slot (self, spec, INTERP_RUN_PLACE_USUAL);
  g_auto (GStrv) env = NULL;
  g_autofree char *path = NULL;

  /* One that the user chose, or that runs already. */
  if (slot != NULL && interp_kernel_get_interpreter (slot->kernel) != NULL)
    return TRUE;
  env = interp_environment_get ();
  path = interp_kernel_spec_find_interpreter (spec, (const char *const *) env);

  return path != NULL;
}

void
interp_session_close_kernels (InterpSession *self)
{
  dex_future_disown (interp_session_close_all (self));
}

static DexFuture *
close_slots_fiber (gpointer data)
{
  GPtrArray *slots = data;
  g_autoptr (GPtrArray) closing = g_ptr_array_new_with_free_func (dex_unref);

  for (guint i = 0; i < slots->len; i++)
    g_ptr_array_add (closing, interp_kernel_close (((InterpKernelSlot *) g_ptr_array_index (slots, i))->kernel));
  for (guint i = 0; i < closing->len; i++)
    dex_await (dex_ref (g_ptr_array_index (closing, i)), NULL);

  return dex_future_new_true ();
}

DexFuture *
interp_session_close_all (InterpSession *self)
{
  g_autoptr (GPtrArray) slots = g_steal_pointer (&self->slots);

  if (slots == NULL)
    return dex_future_new_true ();
  for (guint i = 0; i < slots->len; i++)
    g_signal_handlers_disconnect_by_data (((InterpKernelSlot *) g_ptr_array_index (slots, i))->kernel, self);
  /* None when the session itself is going. */
  if (self->kernels != NULL)
    g_list_store_remove_all (self->kernels);
  update_hold (self);

  return interp_fiber_spawn (close_slots_fiber, g_steal_pointer (&slots), (GDestroyNotify) g_ptr_array_unref);
}

gsize
interp_session_get_max_output (InterpSession *self)
{
  return self->options->max_output > 0 ? (gsize) self->options->max_output : INTERP_RESULT_DEFAULT_MAX;
}

char *
interp_session_list_languages (InterpSession *self)
{
  g_auto (GStrv) env = interp_environment_get ();

  return interp_system_text_list_languages ((const char *const *) env);
}

/* ---- a run ---- */

typedef struct
{
  InterpSession *session;
  InterpCell *cell;
  InterpGate *keeping; /* displays, one after the other */
} Running;

static Running *
running_ref (Running *running)
{
  return g_rc_box_acquire (running);
}

static void
running_clear (gpointer data)
{
  Running *running = data;

  g_object_unref (running->session);
  g_object_unref (running->cell);
  interp_gate_unref (running->keeping);
}

static void
running_unref (gpointer data)
{
  g_rc_box_release_full (data, running_clear);
}

static void
running_unref_closure (gpointer data, GClosure *closure)
{
  running_unref (data);
}

typedef struct
{
  Running *running;
  InterpDisplay *display;
} Keeping;

static void
keeping_free (gpointer data)
{
  Keeping *keeping = data;

  running_unref (keeping->running);
  g_object_unref (keeping->display);
  g_free (keeping);
}

static const char *
extension_for (const char *mime)
{
  static const struct
  {
    const char *mime;
    const char *extension;
  } known[] = {
    { "image/png", "png" },           { "image/jpeg", "jpg" },        { "image/gif", "gif" },
    { "image/webp", "webp" },         { "image/svg+xml", "svg" },     { "text/html", "html" },
    { INTERP_DISPLAY_TABLE, "json" }, { "application/json", "json" }, { "application/pdf", "pdf" },
    { "text/plain", "txt" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (g_str_equal (mime, known[i].mime))
      return known[i].extension;

  return NULL;
}

/* The same result, held by a file of ours. What cannot be kept is shown as it is. */
static InterpDisplay *
keep_display (InterpSession *self, InterpDisplay *display)
{
  const char *path = interp_display_get_path (display);
  const char *extension = extension_for (interp_display_get_mime (display));
  g_autoptr (GError) error = NULL;
  g_autofree char *blob = NULL;
  InterpDisplay *kept;

  blob = dex_await_string (path != NULL
                               ? interp_store_put_file (self->store, path, extension)
                               : interp_store_put_blob (self->store, interp_display_get_bytes (display), extension),
                           &error);
  if (blob == NULL)
    {
      g_warning ("A result cannot be kept: %s", error->message);
      return g_object_ref (display);
    }
  kept = interp_display_new (interp_display_get_mime (display), NULL, blob);
  interp_display_set_source (kept, interp_display_get_source (display));
  interp_display_set_text (kept, interp_display_get_text (display));
  interp_display_set_display_id (kept, interp_display_get_display_id (display));
  interp_display_set_scale (kept, interp_display_get_scale (display));

  return kept;
}

static DexFuture *
keep_display_fiber (gpointer data)
{
  Keeping *keeping = data;
  Running *running = keeping->running;
  g_autoptr (InterpDisplay) kept = NULL;

  interp_gate_enter (running->keeping, NULL);
  kept = keep_display (running->session, keeping->display);
  interp_cell_add_display (running->cell, kept);
  interp_session_save_item (running->session, INTERP_ITEM (running->cell));
  interp_gate_leave (running->keeping);

  return dex_future_new_true ();
}

static void
on_display (InterpRun *run, InterpDisplay *display, gpointer data)
{
  Keeping *keeping = g_new0 (Keeping, 1);

  keeping->running = running_ref (data);
  keeping->display = g_object_ref (display);
  interp_fiber_run ("Keeping a result", keep_display_fiber, keeping, keeping_free);
}

static void
on_output (InterpRun *run, gpointer data)
{
  Running *running = data;

  /* What an ended Interpreter leaves is read from there. */
  if (interp_cell_get_log_path (running->cell) == NULL && interp_run_get_log_path (run) != NULL)
    {
      interp_cell_set_log_path (running->cell, interp_run_get_log_path (run));
      interp_session_save_item_later (running->session, INTERP_ITEM (running->cell));
    }
  interp_cell_output_changed (running->cell);
}

static InterpCellState
state_for (InterpRunStatus status)
{
  switch (status)
    {
    case INTERP_RUN_DONE:
      return INTERP_CELL_DONE;
    case INTERP_RUN_FAILED:
      return INTERP_CELL_FAILED;
    case INTERP_RUN_INTERRUPTED:
      return INTERP_CELL_INTERRUPTED;
    case INTERP_RUN_RUNNING:
    case INTERP_RUN_LOST:
    default:
      return INTERP_CELL_LOST;
    }
}

/* The newest of our cells that ran in this kernel before. */
static const char *
find_last_life (InterpSession *self, InterpCell *cell)
{
  for (guint i = self->branch->len; i > 0; i--)
    {
      InterpItem *item = g_ptr_array_index (self->branch, i - 1);

      if (INTERP_IS_CELL (item) && item != INTERP_ITEM (cell)
          && interp_cell_get_spec (INTERP_CELL (item)) == interp_cell_get_spec (cell)
          && interp_cell_get_place (INTERP_CELL (item)) == INTERP_RUN_PLACE_USUAL
          && *interp_cell_get_kernel_life (INTERP_CELL (item)) != '\0')
        return interp_cell_get_kernel_life (INTERP_CELL (item));
    }

  return NULL;
}

/* What the model has to know beside the run's own outcome. */
static char *
make_notes (InterpSession *self, InterpCell *cell, const char *last_life, const char *background)
{
  g_autoptr (GString) notes = g_string_new (NULL);

  if (interp_cell_get_place (cell) == INTERP_RUN_PLACE_NETWORK)
    g_string_append (notes,
                     "This ran in a sandbox of its own with the network: variables of other blocks were not there.");
  else if (interp_cell_get_place (cell) == INTERP_RUN_PLACE_OUTSIDE)
    g_string_append (notes, "The user ran this outside the sandbox, in a kernel of its own: variables of other blocks "
                            "were not there.");
  else if (last_life != NULL && g_strcmp0 (last_life, interp_cell_get_kernel_life (cell)) != 0)
    g_string_append_printf (notes,
                            "The %s kernel had been started afresh before this ran: variables, imports and open files "
                            "of earlier "
                            "blocks were gone.",
                            interp_cell_get_language (cell));
  if (background != NULL && *background != '\0')
    g_string_append_printf (notes, "%sBefore this ran, code that went on in the background had printed:\n%s",
                            notes->len > 0 ? "\n\n" : "", background);

  return g_string_free_and_steal (g_steal_pointer (&notes));
}

static void
end_unrun (Running *running, InterpCellState state, const char *note, const char *result)
{
  interp_session_end_cell (running->session, running->cell, state, note, result);
}

/* The code is in the kernel: until it ends. */
static void
follow_run (Running *running, InterpKernelSlot *slot, InterpKernel *kernel, InterpRun *run, const char *background)
{
  InterpSession *self = running->session;
  InterpCell *cell = running->cell;
  InterpCellFlow *flow = interp_cell_get_flow (cell);
  const char *last_life = find_last_life (self, cell);
  g_autofree char *life = get_life (slot);
  g_autoptr (InterpSandbox) sandbox = slot->sandbox != NULL ? g_object_ref (slot->sandbox) : NULL;
  g_autofree char *notes = NULL;
  g_autofree char *result = NULL;
  g_autoptr (DexFuture) ended = NULL;
  g_autoptr (DexFuture) interrupting = NULL;
  GListModel *early = interp_run_get_displays (run);
  gulong display_handler;
  gulong output_handler;

  g_object_ref (run);
  interp_cell_set_kernel_life (cell, life);
  notes = make_notes (self, cell, last_life, background);
  interp_cell_begin_run (cell, run);
  display_handler = g_signal_connect_data (run, "display", G_CALLBACK (on_display), running_ref (running),
                                           running_unref_closure, 0);
  output_handler
      = g_signal_connect_data (run, "output", G_CALLBACK (on_output), running_ref (running), running_unref_closure, 0);
  interp_cell_set_cell_state (cell, INTERP_CELL_RUNNING);
  /* It began before we came to listen. */
  for (guint i = 0; i < g_list_model_get_n_items (early); i++)
    {
      g_autoptr (InterpDisplay) display = g_list_model_get_item (early, i);

      on_display (run, display, running);
    }
  on_output (run, running);
  interp_session_save_item (self, INTERP_ITEM (cell));

  ended = interp_run_wait (run);
  while (dex_future_is_pending (ended))
    {
      interp_wait_any (ended, interrupting == NULL ? DEX_FUTURE (flow->cancel) : NULL, NULL);
      if (dex_future_is_pending (ended) && interrupting == NULL)
        interrupting = interp_shield (interp_kernel_interrupt (kernel));
    }
  g_signal_handler_disconnect (run, display_handler);
  g_signal_handler_disconnect (run, output_handler);

  interp_gate_enter (running->keeping, NULL);
  if (interp_run_get_log_path (run) != NULL)
    interp_cell_set_log_path (cell, interp_run_get_log_path (run));
  interp_cell_finish_run (cell);
  if (sandbox != NULL)
    interp_cell_find_blocked (cell, sandbox);
  interp_cell_set_ended (cell, interp_clock_now ());
  interp_cell_set_cell_state (cell, state_for (interp_run_get_status (run)));
  result = interp_result_for_run (cell, notes, interp_session_get_max_output (self));
  if (interp_cell_is_background (cell))
    interp_cell_set_late_result (cell, result);
  else
    interp_cell_set_result (cell, result, interp_cell_get_cell_state (cell) != INTERP_CELL_DONE);
  interp_session_save_item (self, INTERP_ITEM (cell));
  interp_gate_leave (running->keeping);
  g_object_unref (run);
}

/* The kernel that @cell shall run in, once it is its turn there; NULL when it was stopped before. */
static InterpKernelSlot *
enter_kernel (Running *running)
{
  InterpSession *self = running->session;
  InterpCellFlow *flow = interp_cell_get_flow (running->cell);
  InterpKernelSpec *spec = interp_cell_get_spec (running->cell);
  g_autoptr (DexFuture) environment = interp_shield (interp_environment_load ());

  interp_wait_any (environment, DEX_FUTURE (flow->cancel), NULL);
  for (;;)
    {
      InterpKernelSlot *slot = ensure_slot (self, spec, interp_cell_get_place (running->cell));
      g_autoptr (InterpGate) gate = interp_gate_ref (slot->gate);
      InterpKernelSlot *now;

      if (!interp_gate_enter (gate, DEX_FUTURE (flow->cancel)))
        return NULL;
      if (!dex_future_is_pending (DEX_FUTURE (flow->cancel)))
        {
          interp_gate_leave (gate);
          return NULL;
        }
      /* Closed while we waited: there is another by now. */
      now = find_slot (self, spec, interp_cell_get_place (running->cell));
      if (now != NULL && now->gate == gate)
        return now;
      interp_gate_leave (gate);
    }
}

/* Nothing runs where the sandbox cannot be made. */
static gboolean
check_sandbox (Running *running)
{
  InterpSession *self = running->session;
  InterpRunPlace place = interp_cell_get_place (running->cell);
  g_autoptr (GError) error = NULL;
  g_autofree char *result = NULL;

  if (place == INTERP_RUN_PLACE_OUTSIDE || !interp_session_is_safe (self)
      || interp_session_check_sandbox (self, place == INTERP_RUN_PLACE_NETWORK, &error))
    return TRUE;
  result
      = g_strdup_printf ("Nothing was run: the chat is in safe mode, and its sandbox cannot be made: %s Only the user "
                         "can change that.",
                         error->message);
  end_unrun (running, INTERP_CELL_NOT_RUN, error->message, result);
  interp_session_add_notice (self, INTERP_ITEM_ERROR, error->message,
                             g_error_matches (error, INTERP_SANDBOX_ERROR, INTERP_SANDBOX_ERROR_FOLDER)
                                 ? INTERP_OFFER_CHOOSE_FOLDER
                                 : INTERP_OFFER_NONE,
                             0);
  return FALSE;
}

/* A kernel that was made for one run ends with it. */
static void
release_slot (InterpSession *self, InterpKernelSlot *slot, InterpKernel *kernel)
{
  guint position;

  /* Closed with the others, it is gone from here already. */
  if (self->slots == NULL || !g_ptr_array_find (self->slots, slot, NULL) || slot->kernel != kernel
      || slot->place == INTERP_RUN_PLACE_USUAL)
    return;
  g_signal_handlers_disconnect_by_data (kernel, self);
  g_ptr_array_remove (self->slots, slot);
  dex_await (interp_kernel_close (kernel), NULL);
  if (self->kernels != NULL && g_list_store_find (self->kernels, kernel, &position))
    g_list_store_remove (self->kernels, position);
  update_hold (self);
}

static void
execute (Running *running)
{
  InterpSession *self = running->session;
  InterpCell *cell = running->cell;
  InterpCellFlow *flow = interp_cell_get_flow (cell);
  InterpKernelSlot *slot;
  g_autoptr (InterpGate) gate = NULL;
  g_autoptr (InterpKernel) kernel = NULL;
  g_autoptr (InterpRun) run = NULL;
  g_autoptr (DexFuture) executing = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *background = NULL;

  if (!check_sandbox (running))
    return;
  slot = enter_kernel (running);
  if (slot == NULL)
    {
      end_unrun (running, INTERP_CELL_INTERRUPTED, _ ("Stopped before it ran."),
                 "The user stopped this before it ran.");
      return;
    }
  gate = interp_gate_ref (slot->gate);
  kernel = g_object_ref (slot->kernel);
  background = interp_kernel_take_background_output (kernel);
  /* Exactly what was approved. */
  executing = interp_kernel_execute (kernel, interp_cell_get_code (cell));
  interp_wait_any (executing, DEX_FUTURE (flow->cancel), NULL);
  if (dex_future_is_pending (executing))
    {
      /* It is still starting: there is no code to interrupt, so it goes. */
      dex_await (interp_kernel_close (kernel), NULL);
    }
  run = dex_await_object (g_steal_pointer (&executing), &error);
  if (run != NULL)
    follow_run (running, slot, kernel, run, background);
  else if (!dex_future_is_pending (DEX_FUTURE (flow->cancel)))
    end_unrun (running, INTERP_CELL_INTERRUPTED, _ ("Stopped before it ran."), "The user stopped this before it ran.");
  else
    {
      g_autofree char *available = interp_session_list_languages (self);
      g_autofree char *result = interp_result_for_unknown (error->message, available);

      end_unrun (running, INTERP_CELL_NOT_RUN, error->message, result);
      if (g_error_matches (error, INTERP_KERNEL_ERROR, INTERP_KERNEL_ERROR_FOLDER))
        interp_session_add_notice (self, INTERP_ITEM_ERROR, error->message, INTERP_OFFER_CHOOSE_FOLDER, 0);
    }
  interp_gate_leave (gate);
  if (!interp_gate_is_taken (gate))
    release_slot (self, slot, kernel);
}

static void
runs_changed (InterpSession *self)
{
  interp_session_notify (self, "n-running");
  interp_session_update_state (self);
  update_hold (self);
}

static DexFuture *
run_fiber (gpointer data)
{
  Running *running = data;
  InterpSession *self = running->session;
  InterpCell *cell = running->cell;

  interp_session_save_item (self, INTERP_ITEM (cell));
  execute (running);
  g_ptr_array_remove (self->runs, cell);
  runs_changed (self);

  return dex_future_new_true ();
}

DexFuture *
interp_session_start_run (InterpSession *self, InterpCell *cell)
{
  InterpCellFlow *flow = interp_cell_get_flow (cell);
  Running *running = g_rc_box_new0 (Running);

  running->session = g_object_ref (self);
  running->cell = g_object_ref (cell);
  running->keeping = interp_gate_new ();
  dex_clear (&flow->cancel);
  dex_clear (&flow->left);
  flow->cancel = dex_promise_new ();
  flow->left = dex_promise_new ();
  interp_cell_set_folder (cell, interp_session_get_folder (self));
  interp_cell_set_cell_state (cell, INTERP_CELL_STARTING);
  g_ptr_array_add (self->runs, g_object_ref (cell));
  runs_changed (self);

  return interp_shield (interp_fiber_spawn (run_fiber, running, running_unref));
}

gboolean
interp_session_run_cell (InterpSession *self, InterpCell *cell)
{
  InterpCellFlow *flow = interp_cell_get_flow (cell);
  g_autoptr (DexFuture) ran = interp_session_start_run (self, cell);

  interp_wait_any (ran, DEX_FUTURE (self->stop), DEX_FUTURE (flow->left));
  if (!dex_future_is_pending (ran))
    return !interp_session_is_stopped (self);

  if (interp_session_is_stopped (self))
    {
      interp_promise_settle (flow->cancel);
      interp_wait_any (ran, NULL, NULL);
      return FALSE;
    }
  interp_cell_set_background (cell, TRUE);
  interp_cell_set_result (cell,
                          "This code is still running: the user chose not to wait for it. You will be told how it "
                          "ends. The kernel is "
                          "busy until then.",
                          FALSE);
  interp_session_save_item (self, INTERP_ITEM (cell));

  return TRUE;
}

void
interp_session_interrupt (InterpSession *self, InterpCell *cell)
{
  InterpCellFlow *flow;

  g_return_if_fail (INTERP_IS_SESSION (self));
  g_return_if_fail (INTERP_IS_CELL (cell));

  flow = interp_cell_get_flow (cell);
  if (flow->cancel != NULL && g_ptr_array_find (self->runs, cell, NULL))
    interp_promise_settle (flow->cancel);
}

void
interp_session_continue_in_background (InterpSession *self, InterpCell *cell)
{
  InterpCellFlow *flow;

  g_return_if_fail (INTERP_IS_SESSION (self));
  g_return_if_fail (INTERP_IS_CELL (cell));

  flow = interp_cell_get_flow (cell);
  if (flow->left != NULL && interp_cell_get_cell_state (cell) == INTERP_CELL_RUNNING)
    interp_promise_settle (flow->left);
}

/* ---- the user's own runs ---- */

typedef struct
{
  InterpSession *session;
  GPtrArray *cells; /* InterpCell, to be added and run in this order */
} OwnRuns;

static void
own_runs_free (gpointer data)
{
  OwnRuns *own = data;

  g_object_unref (own->session);
  g_ptr_array_unref (own->cells);
  g_free (own);
}

static DexFuture *
own_runs_fiber (gpointer data)
{
  OwnRuns *own = data;
  InterpSession *self = own->session;

  interp_session_repair (self);
  for (guint i = 0; i < own->cells->len; i++)
    {
      InterpCell *cell = g_ptr_array_index (own->cells, i);

      interp_session_add_item (self, INTERP_ITEM (cell));
      interp_session_touch (self);
      if (interp_cell_get_place (cell) == INTERP_RUN_PLACE_OUTSIDE && !interp_session_ask_to_leave (self, cell))
        break;
      dex_await (interp_session_start_run (self, cell), NULL);
      if (interp_cell_get_cell_state (cell) != INTERP_CELL_DONE)
        break;
    }
  self->n_own_runs--;
  interp_session_update_state (self);

  return dex_future_new_true ();
}

static InterpCell *
make_own_cell (InterpSession *self, const char *language, const char *code)
{
  InterpCell *cell = interp_cell_new (language, code, TRUE);

  interp_cell_set_folder (cell, interp_session_get_folder (self));
  interp_cell_set_approved_by (cell, "user");
  interp_cell_set_cell_state (cell, INTERP_CELL_STARTING);

  return cell;
}

/* @cells: taken. */
static void
run_own (InterpSession *self, GPtrArray *cells)
{
  OwnRuns *own;

  if (cells->len == 0 || (self->read_only && !interp_session_take_lock (self)))
    {
      g_ptr_array_unref (cells);
      return;
    }
  own = g_new0 (OwnRuns, 1);
  own->session = g_object_ref (self);
  own->cells = cells;
  self->n_own_runs++;
  interp_session_update_state (self);
  interp_fiber_run ("Running code", own_runs_fiber, own, own_runs_free);
}

void
interp_session_run_code (InterpSession *self, const char *language, const char *code)
{
  GPtrArray *cells;

  g_return_if_fail (INTERP_IS_SESSION (self));
  g_return_if_fail (language != NULL && code != NULL);

  cells = g_ptr_array_new_with_free_func (g_object_unref);
  if (interp_kernel_specs_lookup (language) != NULL)
    g_ptr_array_add (cells, make_own_cell (self, language, code));
  run_own (self, cells);
}

void
interp_session_run_again (InterpSession *self, InterpCell *cell, const char *code)
{
  g_return_if_fail (INTERP_IS_SESSION (self));
  g_return_if_fail (INTERP_IS_CELL (cell));
  g_return_if_fail (code != NULL);

  if (interp_cell_is_runnable (cell) && interp_cell_get_cell_state (cell) != INTERP_CELL_WAITING)
    interp_session_run_code (self, interp_cell_get_language_name (cell), code);
}

void
interp_session_run_in_place (InterpSession *self, InterpCell *cell, InterpRunPlace place)
{
  GPtrArray *cells;
  InterpCell *again;

  g_return_if_fail (INTERP_IS_SESSION (self));
  g_return_if_fail (INTERP_IS_CELL (cell));

  if (!interp_cell_is_runnable (cell) || interp_cell_get_cell_state (cell) == INTERP_CELL_WAITING)
    return;
  cells = g_ptr_array_new_with_free_func (g_object_unref);
  again = make_own_cell (self, interp_cell_get_language_name (cell), interp_cell_get_code (cell));
  interp_cell_set_place (again, place);
  g_ptr_array_add (cells, again);
  run_own (self, cells);
}

void
interp_session_rerun_cells (InterpSession *self, GPtrArray *cells)
{
  GPtrArray *again;

  g_return_if_fail (INTERP_IS_SESSION (self));
  g_return_if_fail (cells != NULL);

  again = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < cells->len; i++)
    {
      InterpCell *cell = g_ptr_array_index (cells, i);

      if (interp_cell_is_runnable (cell))
        g_ptr_array_add (again,
                         make_own_cell (self, interp_cell_get_language_name (cell), interp_cell_get_code (cell)));
    }
  run_own (self, again);
}

GPtrArray *
interp_session_get_lost_cells (InterpSession *self)
{
  GPtrArray *lost;

  g_return_val_if_fail (INTERP_IS_SESSION (self), NULL);

  lost = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < self->branch->len; i++)
    {
      InterpCell *cell = g_ptr_array_index (self->branch, i);
      InterpKernelSlot *slot;
      g_autofree char *life = NULL;

      if (!INTERP_IS_CELL (cell) || interp_cell_get_cell_state (cell) != INTERP_CELL_DONE
          || interp_cell_get_spec (cell) == NULL)
        continue;
      if (interp_cell_get_place (cell) != INTERP_RUN_PLACE_USUAL)
        continue;
      slot = find_slot (self, interp_cell_get_spec (cell), INTERP_RUN_PLACE_USUAL);
      life = slot != NULL && is_alive (slot->kernel) ? get_life (slot) : NULL;
      if (g_strcmp0 (life, interp_cell_get_kernel_life (cell)) != 0)
        g_ptr_array_add (lost, g_object_ref (cell));
    }

  return lost;
}
