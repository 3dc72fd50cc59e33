/* test-text-calls.c: printed calls, whole and streaming
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm/interp-answer-filter.h"

#include "llm-events.h"
#include "llm-split.h"

typedef struct
{
  gboolean text_mode;
  gboolean think_open;
  InterpFinish finish;
  gboolean broken;
} Mode;

static char *
parse (const char *const *pieces, const gsize *lengths, guint n, gpointer data)
{
  const Mode *mode = data;
  g_autoptr (InterpRequest) request = events_request (mode->text_mode);
  Events *events = events_new ();
  g_autoptr (InterpAnswerFilter) filter = interp_answer_filter_new (request, mode->think_open, events_take, events);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *piece = g_strndup (pieces[i], lengths[i]);

      interp_answer_filter_push (filter, interp_event_new_text (INTERP_EVENT_TEXT, piece));
    }

  if (mode->broken)
    {
      interp_answer_filter_flush (filter);
    }
  else
    {
      InterpEvent *event = interp_event_new (INTERP_EVENT_FINISH);

      event->finish = mode->finish;
      interp_answer_filter_push (filter, event);
    }

  return events_free (events);
}

static void
check (const char *text, const char *expected)
{
  Mode mode = { .finish = INTERP_FINISH_END };

  check_text_splits (text, expected, parse, &mode);
}

static void
check_text_mode (const char *text, const char *expected)
{
  Mode mode = { .text_mode = TRUE, .finish = INTERP_FINISH_END };

  check_text_splits (text, expected, parse, &mode);
}

#define CODE "{\"language\": \"python\", \"code\": \"print(1)\"}"
#define CALL "⟨python|print(1)|recovered⟩"

static void
test_json (void)
{
  check ("{\"name\": \"run_code\", \"arguments\": " CODE "}", CALL "#calls");
  check (" \n{\"name\": \"run_code\", \"parameters\": " CODE "}\n", CALL "#calls");
  check ("{\"function\": \"run_code\", \"arguments\": " CODE "}", CALL "#calls");
  check ("{\"type\": \"function\", \"function\": {\"name\": \"run_code\", \"arguments\": " CODE "}}", CALL "#calls");
  check ("{\"name\": \"functions.run_code\", \"arguments\": " CODE "}", CALL "#calls");
  check ("{\"name\": \"execute\", \"arguments\": " CODE "}", CALL "#calls");
  check ("{\"name\": \"python\", \"arguments\": {\"code\": \"print(1)\"}}", CALL "#calls");
  check (CODE, CALL "#calls");
  check ("[{\"name\": \"run_code\", \"arguments\": " CODE "}]", CALL "#calls");
  check ("{\"tool_calls\": [{\"name\": \"run_code\", \"arguments\": " CODE "}]}", CALL "#calls");
  check ("{\"name\": \"run_code\", \"arguments\": \"{\\\"language\\\": \\\"python\\\", \\\"code\\\": "
         "\\\"print(1)\\\"}\"}",
         CALL "#calls");
  check ("{\"name\": \"look_up\", \"arguments\": {\"a\": 1}}", "⟨look_up {\"a\":1}|recovered⟩#calls");
  /* Lenient: only here. */
  check ("{'name': 'run_code', 'arguments': {'language': 'python', 'code': 'print(1)',}}", CALL "#calls");
  check ("{\"name\": \"run_code\", \"arguments\": {\"language\": \"python\", \"code\": \"a\nb\"}}",
         "⟨python|a\nb|recovered⟩#calls");
  check ("{\"name\": \"run_code\", \"arguments\": " CODE, CALL "#calls");
}

static void
test_marks (void)
{
  check ("<tool_call>\n{\"name\": \"run_code\", \"arguments\": " CODE "}\n</tool_call>", CALL "#calls");
  check ("I look.\n<tool_call>\n{\"name\": \"run_code\", \"arguments\": " CODE "}\n</tool_call>\n",
         "I look.\n" CALL "\n#calls");
  check ("<|im_start|>assistant\n<tool_call>{\"name\": \"run_code\", \"arguments\": " CODE "}</tool_call><|im_end|>",
         CALL "#calls");
  check ("I look. <tool_call>{\"name\": \"run_code\", \"arguments\": " CODE "}</tool_call>", "I look. " CALL "#calls");
  check ("<tools>{\"name\": \"run_code\", \"arguments\": " CODE "}</tools>", CALL "#calls");
  check ("<tool_call>\n<function=run_code>\n<parameter=language>\npython\n</parameter>\n<parameter=code>\nprint(1)\n"
         "</parameter>\n</function>\n</tool_call>",
         CALL "#calls");
  check ("<function=run_code><parameter=language>python</parameter><parameter=code>print(1)</parameter></function>",
         CALL "#calls");
  check ("<function=run_code>" CODE "</function>", CALL "#calls");
  check ("[TOOL_REQUEST]{\"name\": \"run_code\", \"arguments\": " CODE "}[END_TOOL_REQUEST]", CALL "#calls");
  check ("[TOOL_CALLS][{\"name\": \"run_code\", \"arguments\": " CODE "}]", CALL "#calls");
  check ("[TOOL_CALLS]run_code[ARGS]" CODE, CALL "#calls");
  check ("<|python_tag|>{\"name\": \"run_code\", \"parameters\": " CODE "}<|eom_id|>", CALL "#calls");
  check ("<|python_tag|>print(1)", CALL "#calls");
  check ("<execute_ipython>\nprint(1)\n</execute_ipython>", CALL "#calls");
  check ("<execute_bash>\nls\n</execute_bash>", "⟨shell|ls|recovered⟩#calls");
  check ("<function_calls>\n<invoke name=\"run_code\">\n<parameter name=\"language\">python</parameter>\n"
         "<parameter name=\"code\">print(1)</parameter>\n</invoke>\n</function_calls>",
         CALL "#calls");
  check ("<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"run_code\">\n<｜DSML｜parameter name=\"language\" "
         "string=\"true\">python</｜DSML｜parameter>\n<｜DSML｜parameter name=\"code\" string=\"true\">print(1)"
         "</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>",
         CALL "#calls");
  check ("<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>run_code\n```json\n" CODE
         "\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
         CALL "#calls");
  check ("<|channel|>commentary to=functions.run_code <|constrain|>json<|message|>" CODE "<|call|>", CALL "#calls");
}

static void
test_blocks (void)
{
  check ("```json\n{\"name\": \"run_code\", \"arguments\": " CODE "}\n```", CALL "#calls");
  check ("```\n{\"name\": \"run_code\", \"arguments\": " CODE "}\n```\n", CALL "#calls");
  check ("```tool_code\nrun_code(language=\"python\", code=\"print(1)\")\n```", CALL "#calls");
  check ("```tool_code\nrun_code(language='python', code='''a\nb\\n''')\n```", "⟨python|a\nb\n|recovered⟩#calls");
  check_text_mode ("```json\n{\"name\": \"run_code\", \"arguments\": " CODE "}\n```", CALL "#calls");
}

static void
test_invocations (void)
{
  check ("functions.run_code(" CODE ")", CALL "#calls");
  check ("functions.execute(" CODE ")", CALL "#calls");
  check ("run_code" CODE, CALL "#calls");
  check ("execute" CODE "executeexecute", CALL "#calls");
  check ("run_code(\"python\", \"print(1)\")", CALL "#calls");
}

static void
test_several (void)
{
  check ("<tool_call>{\"name\": \"run_code\", \"arguments\": " CODE "}</tool_call>\n<tool_call>{\"name\": \"look_up\", "
         "\"arguments\": {}}</tool_call>",
         CALL "⟨look_up {}|recovered⟩#calls");
  check ("{\"name\": \"run_code\", \"arguments\": " CODE "}\n{\"name\": \"look_up\", \"arguments\": {}}",
         CALL "⟨look_up {}|recovered⟩#calls");
}

static void
test_no_calls (void)
{
  check ("{\"a\": 1}", "{\"a\": 1}#end");
  check ("{\"name\": \"Anna\", \"age\": 3}", "{\"name\": \"Anna\", \"age\": 3}#end");
  check ("{\"name\": \"unknown\", \"arguments\": {}}", "{\"name\": \"unknown\", \"arguments\": {}}#end");
  check ("Here: {\"name\": \"run_code\", \"arguments\": " CODE "}",
         "Here: {\"name\": \"run_code\", \"arguments\": " CODE "}#end");
  check ("{\"name\": \"run_code\", \"arguments\": " CODE "} is how it is called.",
         "{\"name\": \"run_code\", \"arguments\": " CODE "} is how it is called.#end");
  check ("Write `<tool_call>` then.", "Write `<tool_call>` then.#end");
  check ("```xml\n<tool_call>{}</tool_call>\n```\n", "```xml\n<tool_call>{}</tool_call>\n```\n#end");
  check ("<tool_call>what?</tool_call>", "<tool_call>what?</tool_call>#end");
  check ("[a](b) and [T", "[a](b) and [T#end");
  check ("run_code (the tool) runs", "run_code (the tool) runs#end");
  check ("```python\nprint(1)\n```", "```python\nprint(1)\n```#end");
  check ("a < b", "a < b#end");
  check ("", "#end");
}

static void
test_broken (void)
{
  Mode broken = { .broken = TRUE };
  Mode cut = { .finish = INTERP_FINISH_LENGTH };
  Mode text_broken = { .text_mode = TRUE, .broken = TRUE };
  Mode text_cut = { .text_mode = TRUE, .finish = INTERP_FINISH_LENGTH };

  check_text_splits ("<tool_call>{\"name\": \"run_code\"", "<tool_call>{\"name\": \"run_code\"", parse, &broken);
  check_text_splits ("{\"name\": \"run_code\", \"arguments\": " CODE "}",
                     "{\"name\": \"run_code\", \"arguments\": " CODE "}#length", parse, &cut);
  check_text_splits ("```python\nprint(1", "⟨python|print(1|fault⟩", parse, &text_broken);
  check_text_splits ("```python\nprint(1", "⟨python|print(1|fault⟩#length", parse, &text_cut);
}

static void
test_thinking (void)
{
  Mode cut = { .finish = INTERP_FINISH_LENGTH };

  check ("<think>so</think>{\"name\": \"run_code\", \"arguments\": " CODE "}", "«so»" CALL "#calls");
  check_text_mode ("<think>```python\nno\n```</think>\n```python\nyes\n```", "«```python\nno\n```»⟨python|yes⟩#calls");
  check ("<think>so", "«so»#end");
  check_text_splits ("<think>so", "«so»#length", parse, &cut);
  check_text_mode ("```python\nno\n```\n</think>\n```sh\nyes\n```", "⟨python|no⟩#rethink⟨sh|yes⟩#calls");
}

static void
test_text_mode (void)
{
  check_text_mode ("Look:\n```python\nx\n```\nimagined\n```\n4\n```\n", "Look:\n⟨python|x⟩imagined\n⟨?|4⟩#calls");
  check_text_mode ("```\nls\n```", "⟨?|ls⟩#end");
  check_text_mode ("no code", "no code#end");
  check_text_mode ("```sh\nls\n```<|im_end|>", "⟨sh|ls⟩#calls");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/llm/text-calls/json", test_json);
  g_test_add_func ("/llm/text-calls/marks", test_marks);
  g_test_add_func ("/llm/text-calls/blocks", test_blocks);
  g_test_add_func ("/llm/text-calls/invocations", test_invocations);
  g_test_add_func ("/llm/text-calls/several", test_several);
  g_test_add_func ("/llm/text-calls/no-calls", test_no_calls);
  g_test_add_func ("/llm/text-calls/broken", test_broken);
  g_test_add_func ("/llm/text-calls/thinking", test_thinking);
  g_test_add_func ("/llm/text-calls/text-mode", test_text_mode);

  return g_test_run ();
}
