/* test-run-code.c: what calls mean
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm/interp-run-code.h"

#include "llm-events.h"

static void
check (const char *name, const char *arguments, const char *expected)
{
  g_autoptr (InterpRequest) request = events_request (FALSE);
  g_autoptr (InterpOffer) offer = interp_offer_new (request);
  g_autoptr (InterpCall) call = interp_call_new (INTERP_CALL_TOOL, NULL, name, arguments);
  g_autofree char *seen = NULL;

  interp_run_code_interpret (call, offer);
  seen = g_strdup_printf ("%s|%s|%s%s", call->name, call->language != NULL ? call->language : "?",
                          call->code != NULL ? call->code : "?", call->fault != NULL ? "|fault" : "");
  g_assert_cmpstr (seen, ==, expected);
}

static void
test_names (void)
{
  check ("run_code", "{\"language\":\"python\",\"code\":\"x\"}", "run_code|python|x");
  check ("functions.run_code", "{\"language\":\"python\",\"code\":\"x\"}", "run_code|python|x");
  check ("execute", "{\"language\":\"r\",\"code\":\"x\"}", "run_code|r|x");
  check ("python", "{\"code\":\"x\"}", "run_code|python|x");
  check ("functions.bash", "{\"code\":\"ls\"}", "run_code|bash|ls");
  check ("look_up", "{}", "look_up|?|?");
  check ("look_up", "nonsense", "look_up|?|?|fault");
  check ("", "{}", "|?|?|fault");
}

static void
test_bare_code (void)
{
  check ("python", "print(1)", "run_code|python|print(1)");
  check ("python", "\"print(1)\"", "run_code|python|print(1)");
  check ("python", "1 + 1", "run_code|python|1 + 1");
  check ("python", "[1, 2]", "run_code|python|[1, 2]");
  check ("python", "{\"code\":\"pri", "run_code|python|?|fault");
  check ("run_code", "print(1)", "run_code|?|?|fault");
}

static void
test_wrapped (void)
{
  check ("run_code",
         "{\"language\":\"python\",\"code\":\"{\\\"language\\\": \\\"shell\\\", \\\"code\\\": \\\"ls\\\"}\"}",
         "run_code|shell|ls");
  /* Code that is a JSON object of its own is code. */
  check ("run_code", "{\"language\":\"javascript\",\"code\":\"{\\\"code\\\": 1}\"}",
         "run_code|javascript|{\"code\": 1}");
}

static void
test_code_kinds (void)
{
  check ("run_code", "{\"language\":\"python\",\"code\":[\"a\",\"b\\n\"]}", "run_code|python|a\nb\n");
  check ("run_code", "{\"language\":\"python\",\"code\":7}", "run_code|python|?|fault");
  check ("run_code", "{\"language\":\"python\"}", "run_code|python|?|fault");
  check ("run_code", "{\"code\":\"x\"}", "run_code|?|x|fault");
  check ("run_code", "{\"language\":\"python\",\"code\":\"\"}", "run_code|python|");
  check ("run_code", "{\"language\":\"python\",\"code\":\"a\\u0000\"}", "run_code|?|?|fault");
}

static void
test_peek (void)
{
  static const struct
  {
    const char *name;
    const char *arguments;
    const char *expected;
  } cases[] = {
    { "run_code", "", "?|?" },
    { "run_code", "{\"langu", "?|?" },
    { "run_code", "{\"language\":\"pyt", "?|?" },
    { "run_code", "{\"language\":\"python\"", "python|?" },
    { "run_code", "{\"language\":\"python\",\"code\":\"a\\nb", "python|a\nb" },
    { "run_code", "{\"code\":\"a\",\"language\":\"r\"}", "r|a" },
    { "python", "{\"code\":\"a", "python|a" },
    { "python", "a = 1", "python|a = 1" },
    { "look_up", "{\"code\":\"a", "?|?" },
  };
  g_autoptr (InterpRequest) request = events_request (FALSE);
  g_autoptr (InterpOffer) offer = interp_offer_new (request);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *language = NULL;
      g_autofree char *code = NULL;
      g_autofree char *seen = NULL;

      interp_run_code_peek (offer, cases[i].name, cases[i].arguments, &language, &code);
      seen = g_strdup_printf ("%s|%s", language != NULL ? language : "?", code != NULL ? code : "?");
      g_assert_cmpstr (seen, ==, cases[i].expected);
    }
}

static void
test_languages (void)
{
  g_autoptr (InterpRequest) request = events_request (TRUE);
  g_autoptr (InterpOffer) offer = interp_offer_new (request);

  g_assert_cmpstr (interp_offer_find_language (offer, "Python"), ==, "python");
  g_assert_cmpstr (interp_offer_find_language (offer, "python3.12"), ==, "python3");
  g_assert_cmpstr (interp_offer_find_language (offer, "R"), ==, "r");
  g_assert_null (interp_offer_find_language (offer, "cobol"));
  g_assert_null (interp_offer_find_language (offer, ""));
  g_assert_null (interp_offer_find_language (offer, "3"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/llm/run-code/names", test_names);
  g_test_add_func ("/llm/run-code/bare-code", test_bare_code);
  g_test_add_func ("/llm/run-code/wrapped", test_wrapped);
  g_test_add_func ("/llm/run-code/code-kinds", test_code_kinds);
  g_test_add_func ("/llm/run-code/peek", test_peek);
  g_test_add_func ("/llm/run-code/languages", test_languages);

  return g_test_run ();
}
