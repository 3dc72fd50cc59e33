/* test-session-export.c: a real conversation as a document
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "base/interp-json.h"
#include "session-fixture.h"

#include <string.h>

#define PNG "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M/wHwAEBgIAJPq5iQAAAABJRU5ErkJggg=="

static char *
export_as (SessionFixture *self, DexFuture *(*exporter) (InterpSession *session))
{
  g_autoptr (DexFuture) future = exporter (self->session);
  g_autoptr (GError) error = NULL;
  const GValue *value;

  kernel_test_await (dex_ref (future), &error);
  g_assert_no_error (error);
  value = dex_future_get_value (future, &error);

  return g_value_dup_string (value);
}

static void
talk (SessionFixture *self)
{
  InterpTestReply *reply = wire_begin (self->wire, self->server);

  interp_session_set_mode (self->session, INTERP_MODE_AUTO);
  wire_reasoning (self->wire, reply, "Secret thoughts");
  wire_text (self->wire, reply, "I draw it:");
  wire_call (self->wire, reply, 0, "call_1", "python",
             "class Chart:\n"
             "    def _repr_png_(self):\n"
             "        import base64\n"
             "        return base64.b64decode('" PNG "')\n"
             "print('drawing ä')\n"
             "Chart()\n");
  wire_call (self->wire, reply, 1, "call_2", "python", "1 / 0");
  wire_call (self->wire, reply, 2, "call_3", "shell", "echo from the shell");
  wire_end (self->wire, reply, "tool_calls");
  wire_say (self->wire, self->server, "There it is.");
  session_fixture_send (self, "Draw a chart");
  session_fixture_await_end (self);
}

static void
test_markdown (SessionFixture *self, gconstpointer data)
{
  g_autofree char *text = NULL;
  g_autofree char *again = NULL;

  talk (self);
  text = export_as (self, interp_session_export_markdown);
  g_assert_true (g_str_has_prefix (text, "# Draw a chart\n\n## You\n\nDraw a chart\n\n## "));
  session_test_assert_contains (text, "I draw it:\n\n```python\nclass Chart:");
  session_test_assert_contains (text, "\n```\ndrawing ä\n```\n");
  session_test_assert_contains (text, "\n![Chart](");
  session_test_assert_contains (text, "ZeroDivisionError: division by zero");
  session_test_assert_contains (text, "\n```shell\necho from the shell\n```\n\n```\nfrom the shell\n```\n");
  g_assert_true (g_str_has_suffix (text, "\n\nThere it is.\n"));
  session_test_assert_lacks (text, "Secret thoughts");

  session_fixture_restart (self);
  again = export_as (self, interp_session_export_markdown);
  g_assert_cmpstr (again, ==, text);
}

static void
test_notebook (SessionFixture *self, gconstpointer data)
{
  g_autofree char *text = NULL;
  g_autofree char *again = NULL;
  g_autoptr (JsonNode) notebook = NULL;
  g_autoptr (GError) error = NULL;
  JsonNode *picture;
  guint n;

  talk (self);
  text = export_as (self, interp_session_export_notebook);
  notebook = interp_json_parse (text, -1, INTERP_JSON_PARSE_NONE, &error);
  g_assert_no_error (error);
  g_assert_cmpint (interp_json_get_int (notebook, "nbformat", 0), ==, 4);
  g_assert_cmpint (interp_json_get_int (notebook, "nbformat_minor", 0), ==, 5);
  n = interp_json_get_length (notebook, "cells");
  g_assert_cmpuint (n, ==, 7);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *path = g_strdup_printf ("cells.%u.cell_type", i);

      g_assert_cmpstr (interp_json_get_string (notebook, path), ==, i >= 3 && i <= 5 ? "code" : "markdown");
    }
  g_assert_cmpstr (interp_json_get_string (notebook, "cells.3.outputs.0.text.0"), ==, "drawing ä\n");
  g_assert_cmpstr (interp_json_get_string (notebook, "cells.3.outputs.1.output_type"), ==, "display_data");
  /* The very picture. */
  picture = interp_json_get (notebook, "cells.3.outputs.1.data.image/png");
  g_assert_cmpstr (interp_json_get_string (picture, NULL), ==, PNG);
  g_assert_cmpstr (interp_json_get_string (notebook, "cells.4.outputs.1.ename"), ==, "ZeroDivisionError");
  g_assert_cmpstr (interp_json_get_string (notebook, "cells.5.source.0"), ==, "%%bash\n");
  g_assert_cmpint (interp_json_get_int (notebook, "cells.5.execution_count", 0), ==, 3);

  session_fixture_restart (self);
  again = export_as (self, interp_session_export_notebook);
  g_assert_cmpstr (again, ==, text);
}

/* A chat in which nothing was said yet. */
static void
test_empty (SessionFixture *self, gconstpointer data)
{
  g_autofree char *markdown = export_as (self, interp_session_export_markdown);
  g_autofree char *notebook = export_as (self, interp_session_export_notebook);
  g_autoptr (JsonNode) node = interp_json_parse (notebook, -1, INTERP_JSON_PARSE_NONE, NULL);

  g_assert_true (g_str_has_prefix (markdown, "# "));
  g_assert_cmpuint (interp_json_get_length (node, "cells"), ==, 1);
}

/* Everything, not only what is loaded; the shown branch, not the others. */
static void
test_branch (SessionFixture *self, gconstpointer data)
{
  g_autofree char *text = NULL;

  for (guint i = 0; i < 110; i++)
    {
      g_autofree char *prompt = g_strdup_printf ("Prompt %u.", i);

      wire_say (self->wire, self->server, "Yes");
      session_fixture_send (self, prompt);
      session_fixture_await_end (self);
    }
  wire_say (self->wire, self->server, "No");
  interp_session_edit_and_resend (self->session, session_fixture_get_item (self, INTERP_ITEM_USER, 109), "Other");
  session_fixture_await_end (self);
  session_fixture_restart (self);
  text = export_as (self, interp_session_export_markdown);
  session_test_assert_contains (text, "Prompt 0.");
  session_test_assert_contains (text, "Prompt 108.");
  session_test_assert_lacks (text, "Prompt 109.");
  session_test_assert_contains (text, "Other");
}

int
main (int argc, char **argv)
{
  session_test_init (&argc, &argv);

  session_test_add ("/session/export/markdown", NULL, test_markdown);
  session_test_add ("/session/export/notebook", NULL, test_notebook);
  session_test_add ("/session/export/empty", NULL, test_empty);
  session_test_add ("/session/export/branch", NULL, test_branch);

  return g_test_run ();
}
