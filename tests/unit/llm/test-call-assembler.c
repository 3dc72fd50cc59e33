/* test-call-assembler.c: tool calls in all the pieces that servers make of them
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "llm/interp-call-assembler.h"

#include "base/interp-json.h"
#include "llm-events.h"

/* @deltas: a JSON array of what stands in delta.tool_calls, one after the other. */
static void
check_finish (const char *deltas, gboolean cut, const char *expected)
{
  g_autoptr (InterpRequest) request = events_request (FALSE);
  g_autoptr (InterpOffer) offer = interp_offer_new (request);
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) list = interp_json_parse (deltas, -1, INTERP_JSON_PARSE_NONE, &error);
  g_autofree char *log = NULL;

  g_assert_no_error (error);

  /* Given out after every piece, or only at the end: the same. */
  for (guint flush = 0; flush < 2; flush++)
    {
      Events *events = events_new ();
      g_autoptr (InterpCallAssembler) assembler = interp_call_assembler_new (offer, events_take, events);

      for (guint i = 0; i < interp_json_get_length (list, NULL); i++)
        {
          g_autofree char *path = g_strdup_printf ("%u", i);
          JsonNode *piece = interp_json_get (list, path);

          interp_call_assembler_push (assembler, interp_json_get_int (piece, "index", -1),
                                      interp_json_get_string (piece, "id"),
                                      interp_json_get_string (piece, "function.name"),
                                      interp_json_get (piece, "function.arguments"));
          if (flush)
            interp_call_assembler_flush (assembler);
        }

      interp_call_assembler_finish (assembler, cut);
      g_assert_cmpuint (g_hash_table_size (events->open), ==, 0);
      g_free (log);
      log = events_free (events);
      g_assert_cmpstr (log, ==, expected);
    }
}

static void
check (const char *deltas, const char *expected)
{
  check_finish (deltas, FALSE, expected);
}

#define A1 "\\\"language\\\":\\\"python\\\",\\\"code\\\":\\\"a\\\"}"
#define ARGS_A "\"{" A1 "\""
#define ARGS_B "\"{\\\"language\\\":\\\"shell\\\",\\\"code\\\":\\\"b\\\"}\""

static void
test_standard (void)
{
  check ("[{\"index\":0,\"id\":\"x\",\"type\":\"function\",\"function\":{\"name\":\"run_code\",\"arguments\":\"\"}},"
         "{\"index\":0,\"function\":{\"arguments\":\"{\"}},{\"index\":0,\"function\":{\"arguments\":\"" A1 "\"}}]",
         "⟨python|a⟩");
}

static void
test_whole (void)
{
  check ("[{\"index\":0,\"id\":\"x\",\"function\":{\"name\":\"run_code\",\"arguments\":" ARGS_A "}},"
         "{\"index\":1,\"id\":\"y\",\"function\":{\"name\":\"run_code\",\"arguments\":" ARGS_B "}}]",
         "⟨python|a⟩⟨shell|b⟩");
}

static void
test_no_index (void)
{
  /* With ids, without ids, and in pieces. */
  check ("[{\"id\":\"x\",\"function\":{\"name\":\"run_code\",\"arguments\":" ARGS_A "}},"
         "{\"id\":\"y\",\"function\":{\"name\":\"run_code\",\"arguments\":" ARGS_B "}}]",
         "⟨python|a⟩⟨shell|b⟩");
  check ("[{\"function\":{\"name\":\"run_code\",\"arguments\":" ARGS_A "}},"
         "{\"function\":{\"name\":\"run_code\",\"arguments\":" ARGS_B "}}]",
         "⟨python|a⟩⟨shell|b⟩");
  check ("[{\"id\":\"x\",\"function\":{\"name\":\"run_code\",\"arguments\":\"{\"}},{\"function\":{\"arguments\":\"" A1
         "\"}}]",
         "⟨python|a⟩");
  check ("[{\"id\":\"x\",\"function\":{\"name\":\"look_up\"}},{\"id\":\"y\",\"function\":{\"name\":\"run_code\","
         "\"arguments\":" ARGS_A "}}]",
         "⟨look_up ⟩⟨python|a⟩");
  /* Interleaved, told apart by their ids. */
  check ("[{\"id\":\"x\",\"function\":{\"name\":\"run_code\",\"arguments\":\"{\"}},"
         "{\"id\":\"y\",\"function\":{\"name\":\"run_code\",\"arguments\":" ARGS_B "}},"
         "{\"id\":\"x\",\"function\":{\"arguments\":\"" A1 "\"}}]",
         "⟨python|a⟩⟨shell|b⟩");
}

/* llm-apis.md §15.14 */
static void
test_same_index (void)
{
  check ("[{\"index\":0,\"id\":\"x\",\"function\":{\"name\":\"run_code\",\"arguments\":" ARGS_A "}},"
         "{\"index\":0,\"id\":\"y\",\"function\":{\"name\":\"run_code\",\"arguments\":" ARGS_B "}}]",
         "⟨python|a⟩⟨shell|b⟩");
}

static void
test_sparse_index (void)
{
  check ("[{\"index\":1,\"id\":\"x\",\"function\":{\"name\":\"run_code\",\"arguments\":" ARGS_A "}},"
         "{\"index\":7,\"id\":\"y\",\"function\":{\"name\":\"run_code\",\"arguments\":" ARGS_B "}}]",
         "⟨python|a⟩⟨shell|b⟩");
}

/* §15.16 and shape 5 */
static void
test_ids (void)
{
  check ("[{\"index\":0,\"id\":\"x\",\"type\":\"function\",\"function\":{\"name\":\"run_code\",\"arguments\":\"{\"}},"
         "{\"index\":0,\"id\":\"\",\"type\":\"function\",\"function\":{\"name\":\"\",\"arguments\":\"" A1 "\"}}]",
         "⟨python|a⟩");
  check ("[{\"index\":0,\"id\":\"x\",\"function\":{\"name\":\"run_code\",\"arguments\":\"{\"}},"
         "{\"index\":0,\"id\":\"x\",\"function\":{\"arguments\":\"" A1 "\"}}]",
         "⟨python|a⟩");
  check ("[{\"index\":0,\"function\":{\"name\":\"run_code\",\"arguments\":\"{\"}},"
         "{\"index\":0,\"function\":{\"arguments\":\"" A1 "\"}}]",
         "⟨python|a⟩");
  /* Another id in every piece. */
  check ("[{\"index\":0,\"id\":\"x\",\"function\":{\"name\":\"run_code\",\"arguments\":\"{\"}},"
         "{\"index\":0,\"id\":\"y\",\"function\":{\"arguments\":\"" A1 "\"}}]",
         "⟨python|a⟩");
}

static void
test_names (void)
{
  check ("[{\"index\":0,\"id\":\"x\",\"function\":{\"name\":\"run_code\",\"arguments\":\"{\"}},"
         "{\"index\":0,\"function\":{\"name\":\"run_code\",\"arguments\":\"" A1 "\"}}]",
         "⟨python|a⟩");
  check ("[{\"index\":0,\"id\":\"x\",\"function\":{\"name\":\"run_\"}},{\"index\":0,\"function\":{\"name\":\"code\"}},"
         "{\"index\":0,\"function\":{\"arguments\":" ARGS_A "}}]",
         "⟨python|a⟩");
  check ("[{\"index\":0,\"id\":\"x\",\"function\":{\"name\":\"functions.run_code\",\"arguments\":" ARGS_A "}}]",
         "⟨python|a⟩");
}

static void
test_arguments_first (void)
{
  check ("[{\"index\":0,\"function\":{\"arguments\":\"{\"}},{\"index\":0,\"function\":{\"arguments\":\"" A1 "\"}},"
         "{\"index\":0,\"id\":\"x\",\"function\":{\"name\":\"run_code\"}}]",
         "⟨python|a⟩");
}

/* §15.17 */
static void
test_argument_kinds (void)
{
  check ("[{\"index\":0,\"id\":\"x\",\"function\":{\"name\":\"run_code\",\"arguments\":{\"language\":\"python\","
         "\"code\":"
         "\"a\"}}}]",
         "⟨python|a⟩");
  check ("[{\"index\":0,\"id\":\"x\",\"function\":{\"name\":\"look_up\",\"arguments\":\"\"}}]", "⟨look_up ⟩");
  check ("[{\"index\":0,\"id\":\"x\",\"function\":{\"name\":\"look_up\",\"arguments\":null}}]", "⟨look_up ⟩");
  check ("[{\"index\":0,\"id\":\"x\",\"function\":{\"name\":\"look_up\"}}]", "⟨look_up ⟩");
  check ("[{\"index\":0,\"id\":\"x\",\"function\":{\"name\":\"run_code\",\"arguments\":"
         "\"\\\"{\\\\\\\"language\\\\\\\":\\\\\\\"python\\\\\\\",\\\\\\\"code\\\\\\\":\\\\\\\"a\\\\\\\"}\\\"\"}}]",
         "⟨python|a⟩");
}

static void
test_joined (void)
{
  check ("[{\"index\":0,\"id\":\"x\",\"function\":{\"name\":\"run_code\",\"arguments\":" ARGS_A "}},"
         "{\"index\":0,\"function\":{\"arguments\":" ARGS_B "}}]",
         "⟨python|a⟩⟨shell|b⟩");
}

static void
test_sent_twice (void)
{
  check ("[{\"index\":0,\"id\":\"x\",\"function\":{\"name\":\"run_code\",\"arguments\":\"{\"}},"
         "{\"index\":0,\"function\":{\"arguments\":\"" A1 "\"}},{\"index\":0,\"function\":{\"arguments\":" ARGS_A "}}]",
         "⟨python|a⟩");
  check ("[{\"index\":0,\"id\":\"x\",\"function\":{\"name\":\"run_code\",\"arguments\":" ARGS_A "}},"
         "{\"index\":0,\"function\":{\"arguments\":\"{\"}},{\"index\":0,\"function\":{\"arguments\":\"" A1 "\"}}]",
         "⟨python|a⟩");
}

static void
test_parallel (void)
{
  check ("[{\"index\":0,\"id\":\"x\",\"function\":{\"name\":\"parallel\",\"arguments\":{\"tool_uses\":["
         "{\"recipient_name\":\"functions.run_code\",\"parameters\":{\"language\":\"python\",\"code\":\"a\"}},"
         "{\"recipient_name\":\"functions.look_up\",\"parameters\":{\"q\":1}}]}}}]",
         "⟨python|a⟩⟨look_up {\"q\":1}⟩");
  /* One that names no tool is none. */
  check ("[{\"index\":0,\"id\":\"x\",\"function\":{\"name\":\"parallel\",\"arguments\":{\"tool_uses\":["
         "{\"parameters\":{\"q\":0}},{\"recipient_name\":\"functions.look_up\",\"parameters\":{\"q\":1}}]}}}]",
         "⟨look_up {\"q\":1}⟩");
}

static void
test_faults (void)
{
  check ("[{\"index\":0,\"id\":\"x\",\"function\":{\"name\":\"run_code\",\"arguments\":\"{\\\"language\\\":\\\"py\"}}]",
         "⟨?|?|fault⟩");
  check ("[{\"index\":0,\"id\":\"x\",\"function\":{\"name\":\"run_code\",\"arguments\":\"[1]\"}}]", "⟨?|?|fault⟩");
  check ("[{\"index\":0,\"id\":\"x\",\"function\":{\"name\":\"run_code\",\"arguments\":\"\"}}]", "⟨?|?|fault⟩");
  check ("[{\"index\":0,\"id\":\"x\",\"function\":{\"arguments\":" ARGS_A "}}]",
         "⟨ {\"language\":\"python\",\"code\":\"a\"}|fault⟩");
  check ("[{\"index\":0,\"id\":\"x\",\"function\":{\"name\":\"run_code\",\"arguments\":"
         "\"{\\\"language\\\":\\\"python\\\",\\\"code\\\":\\\"a\\\\u0000b\\\"}\"}}]",
         "⟨?|?|fault⟩");
  /* Nothing at all is no call. */
  check ("[{\"index\":0}]", "");
}

static void
test_cut (void)
{
  check_finish ("[{\"index\":0,\"id\":\"x\",\"function\":{\"name\":\"run_code\",\"arguments\":" ARGS_A "}},"
                "{\"index\":1,\"id\":\"y\",\"function\":{\"name\":\"run_code\",\"arguments\":" ARGS_B "}}]",
                TRUE, "⟨python|a⟩⟨shell|b|fault⟩");
}

static void
test_progress (void)
{
  g_autoptr (InterpRequest) request = events_request (FALSE);
  g_autoptr (InterpOffer) offer = interp_offer_new (request);
  Events *events = events_new ();
  g_autoptr (InterpCallAssembler) assembler = interp_call_assembler_new (offer, events_take, events);
  g_autoptr (JsonNode) piece = json_node_init_string (json_node_alloc (), "{\"language\":\"python\",\"code\":\"pri");

  interp_call_assembler_push (assembler, 0, "x", "run_code", piece);
  interp_call_assembler_flush (assembler);
  g_assert_cmpstr (g_hash_table_lookup (events->progress, GUINT_TO_POINTER (0)), ==, "pri");
  g_free (events_free (events));
}

/* What a hostile server may send: bounded, never fatal. */
static void
test_many (void)
{
  g_autoptr (InterpRequest) request = events_request (FALSE);
  g_autoptr (InterpOffer) offer = interp_offer_new (request);
  Events *events = events_new ();
  g_autoptr (InterpCallAssembler) assembler = interp_call_assembler_new (offer, events_take, events);

  for (guint i = 0; i < 5000; i++)
    {
      g_autofree char *id = g_strdup_printf ("%u", i);

      interp_call_assembler_push (assembler, i, id, "run_code", NULL);
      interp_call_assembler_flush (assembler);
    }

  g_assert_cmpuint (interp_call_assembler_finish (assembler, FALSE), <=, 64);
  g_free (events_free (events));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/llm/assembler/standard", test_standard);
  g_test_add_func ("/llm/assembler/whole", test_whole);
  g_test_add_func ("/llm/assembler/no-index", test_no_index);
  g_test_add_func ("/llm/assembler/same-index", test_same_index);
  g_test_add_func ("/llm/assembler/sparse-index", test_sparse_index);
  g_test_add_func ("/llm/assembler/ids", test_ids);
  g_test_add_func ("/llm/assembler/names", test_names);
  g_test_add_func ("/llm/assembler/arguments-first", test_arguments_first);
  g_test_add_func ("/llm/assembler/argument-kinds", test_argument_kinds);
  g_test_add_func ("/llm/assembler/joined", test_joined);
  g_test_add_func ("/llm/assembler/sent-twice", test_sent_twice);
  g_test_add_func ("/llm/assembler/parallel", test_parallel);
  g_test_add_func ("/llm/assembler/faults", test_faults);
  g_test_add_func ("/llm/assembler/cut", test_cut);
  g_test_add_func ("/llm/assembler/progress", test_progress);
  g_test_add_func ("/llm/assembler/many", test_many);

  return g_test_run ();
}
