/* test-session-safe.c: safe mode: what runs where, what it is kept from, and what ends it
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "launch/interp-sandbox.h"
#include "interp-test-await.h"
#include "session-fixture.h"

static gboolean
can_sandbox (void)
{
  g_autoptr (InterpSandbox) sandbox = interp_sandbox_new ();
  g_autoptr (GError) error = NULL;

  if (interp_test_await (interp_sandbox_probe (sandbox), NULL, &error))
    return TRUE;
  g_test_skip (error->message);
  return FALSE;
}

/* A folder in the home folder that the chat does not have, with a file in it. */
static char *
make_other (void)
{
  char *folder = g_build_filename (g_get_home_dir (), "other-folder", NULL);
  g_autofree char *file = g_build_filename (folder, "found", NULL);

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (file, "x", -1, NULL));
  return folder;
}

static InterpCell *
run (SessionFixture *self, guint n, const char *code)
{
  interp_session_run_code (self->session, "shell", code);
  return session_fixture_await_cell (self, n, INTERP_CELL_DONE);
}

static void
check_output (InterpCell *cell, const char *part)
{
  g_autofree char *output = interp_cell_dup_output (cell, NULL);

  session_test_assert_contains (output, part);
}

static void
test_modes (SessionFixture *self, gconstpointer data)
{
  InterpSession *session = self->session;

  g_assert_false (interp_session_is_safe (session));
  interp_session_set_mode (session, INTERP_MODE_SANDBOX);
  g_assert_true (interp_session_is_safe (session));
  /* What ran unasked inside does not do so outside. */
  interp_session_set_safe (session, FALSE);
  g_assert_cmpint (interp_session_get_mode (session), ==, INTERP_MODE_ASK);
  interp_session_set_mode (session, INTERP_MODE_AUTO);
  interp_session_set_safe (session, TRUE);
  g_assert_cmpint (interp_session_get_mode (session), ==, INTERP_MODE_SANDBOX);
  interp_session_set_mode (session, INTERP_MODE_AUTO);
  g_assert_cmpint (interp_session_get_mode (session), ==, INTERP_MODE_SANDBOX);
  interp_session_set_mode (session, INTERP_MODE_LOOK);
  interp_session_set_safe (session, FALSE);
  g_assert_cmpint (interp_session_get_mode (session), ==, INTERP_MODE_LOOK);
}

static void
test_kept (SessionFixture *self, gconstpointer data)
{
  g_autofree char *other = make_other ();
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) folders = NULL;

  if (!can_sandbox ())
    return;
  interp_session_set_mode (self->session, INTERP_MODE_SANDBOX);
  interp_session_set_network (self->session, TRUE);
  g_assert_true (interp_session_add_folder (self->session, other, &error));
  g_assert_no_error (error);
  g_assert_false (interp_session_add_folder (self->session, g_get_home_dir (), &error));
  g_assert_error (error, INTERP_SANDBOX_ERROR, INTERP_SANDBOX_ERROR_FOLDER);
  check_output (run (self, 0, "ls ~/other-folder"), "found");

  session_fixture_restart (self);
  g_assert_true (interp_session_is_safe (self->session));
  g_assert_true (interp_session_has_network (self->session));
  g_assert_cmpint (interp_session_get_mode (self->session), ==, INTERP_MODE_SANDBOX);
  folders = interp_session_dup_folders (self->session);
  g_assert_cmpuint (g_strv_length (folders), ==, 1);
  g_assert_cmpstr (folders[0], ==, other);
  interp_session_remove_folder (self->session, other);
  check_output (run (self, 1, "test -e ~/other-folder || echo taken"), "taken");
}

/* A chat that was kept outside safe mode, opened with it asked for. */
static void
test_asked_for_at_the_start (SessionFixture *self, gconstpointer data)
{
  run (self, 0, "true");
  interp_session_set_mode (self->session, INTERP_MODE_AUTO);
  self->options->safe_mode = TRUE;
  session_fixture_restart (self);
  g_assert_true (interp_session_is_safe (self->session));
  g_assert_cmpint (interp_session_get_mode (self->session), ==, INTERP_MODE_SANDBOX);
}

static void
test_changes_end_kernels (SessionFixture *self, gconstpointer data)
{
  g_autofree char *other = make_other ();

  if (!can_sandbox ())
    return;
  check_output (run (self, 0, "x=kept; ls -d ~/other-folder"), "other-folder");
  g_assert_true (interp_session_has_kernels (self->session));
  interp_session_set_safe (self->session, TRUE);
  g_assert_false (interp_session_has_kernels (self->session));
  check_output (run (self, 1, "echo \"<$x>\"; ls -d ~/other-folder 2> /dev/null || echo hidden"), "<>\nhidden");
  interp_session_set_network (self->session, TRUE);
  g_assert_false (interp_session_has_kernels (self->session));
  run (self, 2, "true");
  g_assert_true (interp_session_add_folder (self->session, other, NULL));
  g_assert_false (interp_session_has_kernels (self->session));
}

static void
test_outside_is_asked (SessionFixture *self, gconstpointer data)
{
  g_autofree char *other = make_other ();
  InterpCell *blocked;
  InterpCell *question;

  if (!can_sandbox ())
    return;
  interp_session_set_mode (self->session, INTERP_MODE_SANDBOX);
  blocked = run (self, 0, "ls ~/other-folder; true");
  g_assert_cmpstr (interp_cell_get_blocked_folder (blocked), ==, other);
  g_assert_false (interp_cell_is_network_blocked (blocked));

  interp_session_run_in_place (self->session, blocked, INTERP_RUN_PLACE_OUTSIDE);
  question = session_fixture_await_question (self);
  g_assert_true (question == session_fixture_get_cell (self, 1));
  session_test_assert_contains (interp_judgement_get_reason (interp_cell_get_judgement (question)), "outside");
  g_assert_true (interp_session_refuse (self->session, question, NULL, FALSE));
  session_fixture_await_cell (self, 1, INTERP_CELL_REFUSED);
  g_assert_null (interp_session_get_question (self->session));

  interp_session_run_in_place (self->session, blocked, INTERP_RUN_PLACE_OUTSIDE);
  question = session_fixture_await_question (self);
  g_assert_true (interp_session_approve (self->session, question, interp_cell_get_code (question)));
  check_output (session_fixture_await_cell (self, 2, INTERP_CELL_DONE), "found");
  g_assert_cmpint (interp_cell_get_place (session_fixture_get_cell (self, 2)), ==, INTERP_RUN_PLACE_OUTSIDE);
  /* The next is inside again. */
  check_output (run (self, 3, "test -e ~/other-folder || echo inside"), "inside");
}

static void
test_nothing_runs_without_it (SessionFixture *self, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  InterpCell *cell;

  g_assert_true (interp_session_set_folder (self->session, g_get_home_dir (), &error));
  g_assert_no_error (error);
  interp_session_set_safe (self->session, TRUE);
  interp_session_run_code (self->session, "shell", "touch made-by-nobody");
  cell = session_fixture_await_cell (self, 0, INTERP_CELL_NOT_RUN);
  session_test_assert_contains (interp_cell_get_note (cell), "home folder");
  session_fixture_await_text (self, INTERP_ITEM_ERROR, 0, "home folder");
  g_assert_cmpstr (interp_session_get_safe_problem (self->session), ==, interp_cell_get_note (cell));
  /* Not by the terminal's way either. */
  g_assert_false (
      interp_test_await (interp_kernel_start (interp_session_get_kernel (self->session, "shell")), NULL, &error));
  session_test_assert_contains (error->message, "home folder");
}

static void
test_named_folders (SessionFixture *self, gconstpointer data)
{
  g_autofree char *other = make_other ();
  g_autofree char *text
      = g_strdup_printf ("Sort ~/other-folder, “%s/found” and /usr/share, not ~/nowhere or ~/.", other);
  g_autoptr (GPtrArray) outside = interp_session_find_named_folders (self->session, text);
  g_autoptr (GPtrArray) named = NULL;

  g_assert_cmpuint (outside->len, ==, 0);
  interp_session_set_safe (self->session, TRUE);
  named = interp_session_find_named_folders (self->session, text);
  g_assert_cmpuint (named->len, ==, 1);
  g_assert_cmpstr (g_ptr_array_index (named, 0), ==, other);
}

int
main (int argc, char **argv)
{
  session_test_init (&argc, &argv);
  session_test_add ("/session/safe/modes", NULL, test_modes);
  session_test_add ("/session/safe/kept", NULL, test_kept);
  session_test_add ("/session/safe/asked-for-at-the-start", NULL, test_asked_for_at_the_start);
  session_test_add ("/session/safe/changes-end-kernels", NULL, test_changes_end_kernels);
  session_test_add ("/session/safe/outside-is-asked", NULL, test_outside_is_asked);
  session_test_add ("/session/safe/nothing-runs-without-it", NULL, test_nothing_runs_without_it);
  session_test_add ("/session/safe/named-folders", NULL, test_named_folders);
  return g_test_run ();
}
