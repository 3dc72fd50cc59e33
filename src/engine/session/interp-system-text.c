/* interp-system-text.c: what a model is told before the conversation
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <sys/utsname.h>

#include "base/interp-clock.h"
#include "base/interp-json.h"
#include "kernel/interp-kernel-spec.h"
#include "session/interp-system-text.h"

static const char role_text[] = "You are Interpreter. You help the user of this computer by answering and by running "
                                "code on it. The user sees every "
                                "block of code and decides whether it runs.";

static const char rules_text[] = "Variables, imports and the working folder are kept between blocks of the same "
                                 "language. Work in small steps: run one "
                                 "block, read its result, then go on. Never invent a result. The user may edit a "
                                 "block; its result then says what ran. When "
                                 "the user refuses a block, do not try the same by another way. Charts and tables that "
                                 "code shows in the usual ways (such as "
                                 "matplotlib's show or a data frame as last value) appear in the chat. Code may ask "
                                 "the user for input in its terminal. When "
                                 "all is done, say in a few plain words what came of it.";

static const char tool_text[] = "To run code, call the tool run_code.";

static const char text_mode_text[]
    = "To run code, write one fenced Markdown block with the language after the fence, for "
      "example:\n```python\nprint(1 + 1)\n```\n"
      "and stop there. The block is run and its result is given to you as the next message. Do not write what you "
      "expect the "
      "result to be. Use no such block for code that is not to be run; call it text instead.";

static const char look_text[]
    = "Nothing can be run now: the user has chosen to look only. Explain and show code as text.";

static const char loop_text[]
    = "Go on by yourself until the whole work is done; do not stop to ask whether to go on. When it is done, end with "
      "a line that "
      "says only " INTERP_LOOP_DONE ". When it cannot be done, say why and end with the line " INTERP_LOOP_IMPOSSIBLE
      ". When you cannot go on without an answer from the user, ask and end with the line " INTERP_LOOP_QUESTION ".";

static void
append_paragraph (GString *text, const char *paragraph)
{
  if (paragraph == NULL || *paragraph == '\0')
    return;
  if (text->len > 0)
    g_string_append (text, "\n\n");
  g_string_append (text, paragraph);
}

static char *
describe_computer (const InterpSystemTextInput *input)
{
  g_autofree char *os = g_get_os_info (G_OS_INFO_KEY_PRETTY_NAME);
  g_autofree char *languages = interp_system_text_list_languages (input->env);
  g_autoptr (GDateTime) now = g_date_time_new_from_unix_local (interp_clock_now () / 1000);
  struct utsname machine = { 0 };

  uname (&machine);

  return g_strdup_printf ("Computer: %s, %s. Date: %04d-%02d-%02d. Working folder: %s. Languages: %s.",
                          os != NULL ? os : machine.sysname, machine.machine, g_date_time_get_year (now),
                          g_date_time_get_month (now), g_date_time_get_day_of_month (now),
                          input->folder != NULL ? input->folder : "/", languages);
}

char *
interp_system_text_build (const InterpSystemTextInput *input)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *computer = NULL;

  g_return_val_if_fail (input != NULL, NULL);

  if (input->system_message != NULL)
    append_paragraph (text, input->system_message);
  else
    {
      append_paragraph (text, role_text);
      if (input->mode == INTERP_MODE_LOOK)
        append_paragraph (text, look_text);
      else
        {
          append_paragraph (text, input->text_mode ? text_mode_text : tool_text);
          append_paragraph (text, rules_text);
        }
    }
  computer = describe_computer (input);
  append_paragraph (text, computer);
  append_paragraph (text, input->sandbox);
  if (input->loop)
    append_paragraph (text, loop_text);
  append_paragraph (text, input->custom_instructions);

  return g_string_free_and_steal (g_steal_pointer (&text));
}

InterpTool *
interp_system_text_make_tool (void)
{
  GListModel *specs = interp_kernel_specs_get ();
  guint n = g_list_model_get_n_items (specs);
  JsonNode *names = interp_json_array (INTERP_JSON_END);
  JsonNode *language;
  JsonNode *code;
  JsonNode *schema;

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (InterpKernelSpec) spec = g_list_model_get_item (specs, i);

      interp_json_append (names, json_node_init_string (json_node_alloc (), interp_kernel_spec_get_id (spec)));
    }
  language = interp_json_object ("type", INTERP_JSON_STRING ("string"), "enum", INTERP_JSON_NODE (names), NULL);
  code = interp_json_object ("type", INTERP_JSON_STRING ("string"), "description",
                             INTERP_JSON_STRING ("The whole block, exactly as it is to run."), NULL);
  schema = interp_json_object ("type", INTERP_JSON_STRING ("object"), "properties",
                               INTERP_JSON_NODE (interp_json_object ("language", INTERP_JSON_NODE (language), "code",
                                                                     INTERP_JSON_NODE (code), NULL)),
                               "required",
                               INTERP_JSON_NODE (interp_json_array (INTERP_JSON_STRING ("language"),
                                                                    INTERP_JSON_STRING ("code"), INTERP_JSON_END)),
                               NULL);

  return interp_tool_new ("run_code",
                          "Runs code on the user's computer, once the user has allowed it, and gives back what it "
                          "printed.",
                          schema);
}

char *
interp_system_text_list_languages (const char *const *env)
{
  GListModel *specs = interp_kernel_specs_get ();
  guint n = g_list_model_get_n_items (specs);
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (InterpKernelSpec) spec = g_list_model_get_item (specs, i);
      g_autofree char *interpreter = interp_kernel_spec_find_interpreter (spec, env);

      if (interpreter == NULL)
        continue;
      if (text->len > 0)
        g_string_append (text, ", ");
      g_string_append (text, interp_kernel_spec_get_id (spec));
    }

  return text->len > 0 ? g_string_free_and_steal (g_steal_pointer (&text)) : g_strdup ("none");
}

gboolean
interp_system_text_ends_loop (const char *answer)
{
  g_auto (GStrv) lines = g_strsplit (answer != NULL ? answer : "", "\n", -1);

  for (gsize i = 0; lines[i] != NULL; i++)
    {
      char *start = g_strstrip (lines[i]);

      /* Models like to dress such lines up. */
      while (*start == '*' || *start == '_' || *start == '`' || *start == '#' || *start == ' ')
        start++;
      if (g_str_has_prefix (start, INTERP_LOOP_DONE) || g_str_has_prefix (start, INTERP_LOOP_IMPOSSIBLE)
          || g_str_has_prefix (start, INTERP_LOOP_QUESTION))
        return TRUE;
    }

  return FALSE;
}
