/* test-json.c: the one entrance to JSON
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/interp-fiber.h"
#include "base/interp-json.h"

#define DOCUMENT                                                                                          \
  "{\"a\":[1,-2.5e3,true,false,null,\"x\\\"\\u00e9\\ud83d\\ude00\\n\"],\"b\":{\"c\":{},\"d\":[]},\"\":0," \
  "\"long\":9223372036854775807}"

static void
assert_parses (const char *text, InterpJsonParseFlags flags, const char *expected)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) node = interp_json_parse (text, -1, flags, &error);
  g_autofree char *written = NULL;

  g_assert_no_error (error);
  g_assert_nonnull (node);
  written = interp_json_to_string (node);
  g_assert_cmpstr (written, ==, expected);
}

static void
assert_refuses (const char *text, gssize length, InterpJsonParseFlags flags, InterpJsonError code)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) node = interp_json_parse (text, length, flags, &error);

  if (node != NULL)
    g_error ("accepted: %s", text);
  g_assert_error (error, INTERP_JSON_ERROR, (int) code);
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
}

static void
test_parse (void)
{
  assert_parses (DOCUMENT, INTERP_JSON_PARSE_NONE,
                 "{\"a\":[1,-2500.0,true,false,null,\"x\\\"é😀\\n\"],\"b\":{\"c\":{},\"d\":[]},\"\":0,"
                 "\"long\":9223372036854775807}");
  assert_parses (" \r\n\t12 ", INTERP_JSON_PARSE_NONE, "12");
  assert_parses ("\"\"", INTERP_JSON_PARSE_NONE, "\"\"");
  assert_parses ("\xef\xbb\xbf{}", INTERP_JSON_PARSE_NONE, "{}");
  assert_parses ("{\"a\":1,\"a\":2}", INTERP_JSON_PARSE_NONE, "{\"a\":2}");
  assert_parses ("\"\\/\\b\\f\\r\\t\"", INTERP_JSON_PARSE_NONE, "\"/\\b\\f\\r\\t\"");
}

static void
test_refuse (void)
{
  static const char *const bad[] = {
    "",         " ",          "{",          "[",
    "[1",       "[1,",        "[1,]",       "{\"a\"}",
    "{\"a\":}", "{\"a\":1,}", "{a:1}",      "'a'",
    "[1 2]",    "1 2",        "{} x",       "01",
    "1.",       ".5",         "+1",         "-",
    "1e",       "1e+",        "tru",        "nul",
    "True",     "NaN",        "Infinity",   "-Infinity",
    "\"a",      "\"\\x\"",    "\"\\u12\"",  "\"\\u12g4\"",
    "\"a\nb\"", "[}",         "{]",         "]",
    "}",        ",",          ":",          "{\"a\":1 \"b\":2}",
    "{,}",      "[,]",        "[1,,2]",     "{\"a\":1,,\"b\":2}",
    "// x\n1",  "/* x */ 1",  "var a = 1;", "0x10",
    "1_000",    "\"\t\"",
  };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    assert_refuses (bad[i], -1, INTERP_JSON_PARSE_NONE, INTERP_JSON_ERROR_SYNTAX);
}

static void
test_cut (void)
{
  /* Every beginning of a document is refused, and with any of its bytes changed nothing worse happens. */
  gsize length = strlen (DOCUMENT);

  for (gsize cut = 0; cut < length; cut++)
    assert_refuses (DOCUMENT, cut, INTERP_JSON_PARSE_NONE, INTERP_JSON_ERROR_SYNTAX);

  for (gsize at = 0; at < length; at++)
    for (int byte = 0; byte < 256; byte++)
      for (int flags = 0; flags < 4; flags++)
        {
          g_autofree char *copy = g_strdup (DOCUMENT);
          g_autoptr (JsonNode) node = NULL;

          copy[at] = byte;
          node = interp_json_parse (copy, length, flags, NULL);
          if (node != NULL)
            {
              g_autofree char *written = interp_json_to_string (node);

              g_assert_true (g_utf8_validate (written, -1, NULL));
            }
        }
}

static void
test_surrogates (void)
{
  assert_parses ("\"\\ud800\"", INTERP_JSON_PARSE_NONE, "\"\xef\xbf\xbd\"");
  assert_parses ("\"\\udc00x\"", INTERP_JSON_PARSE_NONE, "\"\xef\xbf\xbdx\"");
  assert_parses ("\"\\ud800\\ud83d\\ude00\"", INTERP_JSON_PARSE_NONE, "\"\xef\xbf\xbd😀\"");
  assert_parses ("\"\\ud800\\n\"", INTERP_JSON_PARSE_NONE, "\"\xef\xbf\xbd\\n\"");
  assert_parses ("\"\\ude00\\ud83d\"", INTERP_JSON_PARSE_NONE, "\"\xef\xbf\xbd\xef\xbf\xbd\"");
  assert_parses ("{\"\\ud800\":1}", INTERP_JSON_PARSE_NONE, "{\"\xef\xbf\xbd\":1}");
}

static void
test_nul (void)
{
  static const char literal[] = "\"a\0b\"";

  assert_parses ("\"a\\u0000b\"", INTERP_JSON_PARSE_NONE,
                 "\"a\xef\xbf\xbd"
                 "b\"");
  assert_refuses ("\"a\\u0000b\"", -1, INTERP_JSON_PARSE_REFUSE_NUL, INTERP_JSON_ERROR_NUL);
  assert_refuses ("{\"a\\u0000b\":1}", -1, INTERP_JSON_PARSE_REFUSE_NUL, INTERP_JSON_ERROR_NUL);
  assert_refuses (literal, sizeof literal - 1, INTERP_JSON_PARSE_REFUSE_NUL, INTERP_JSON_ERROR_NUL);
  {
    g_autoptr (JsonNode) node = interp_json_parse (literal, sizeof literal - 1, INTERP_JSON_PARSE_NONE, NULL);

    g_assert_cmpstr (interp_json_get_string (node, ""), ==,
                     "a\xef\xbf\xbd"
                     "b");
  }
  assert_refuses ("1\0", 2, INTERP_JSON_PARSE_NONE, INTERP_JSON_ERROR_SYNTAX);
}

static void
test_utf8 (void)
{
  assert_refuses ("\"\xff\"", -1, INTERP_JSON_PARSE_NONE, INTERP_JSON_ERROR_SYNTAX);
  assert_refuses ("\"\xc3\"", -1, INTERP_JSON_PARSE_NONE, INTERP_JSON_ERROR_SYNTAX);
  assert_refuses ("\"\xed\xa0\x80\"", -1, INTERP_JSON_PARSE_NONE, INTERP_JSON_ERROR_SYNTAX);
  assert_refuses ("\"\xc0\x80\"", -1, INTERP_JSON_PARSE_NONE, INTERP_JSON_ERROR_SYNTAX);
  assert_refuses ("\"\0\xff\"", 4, INTERP_JSON_PARSE_NONE, INTERP_JSON_ERROR_SYNTAX);
}

static void
test_numbers (void)
{
  g_autoptr (JsonNode) node = interp_json_parse ("[9223372036854775807,-9223372036854775808,9223372036854775808,1e999,"
                                                 "-1e999,1.0,1e3,0.5,\"7\",true,-0]",
                                                 -1, INTERP_JSON_PARSE_NONE, NULL);
  g_autofree char *written = NULL;

  g_assert_cmpint (interp_json_get_int (node, "0", 0), ==, G_MAXINT64);
  g_assert_cmpint (interp_json_get_int (node, "1", 0), ==, G_MININT64);
  g_assert_cmpint (interp_json_get_int (node, "2", 7), ==, 7);
  g_assert_cmpfloat (interp_json_get_double (node, "2", 0), ==, 9223372036854775808.0);
  g_assert_cmpfloat (interp_json_get_double (node, "3", 0), ==, DBL_MAX);
  g_assert_cmpfloat (interp_json_get_double (node, "4", 0), ==, -DBL_MAX);
  g_assert_cmpint (interp_json_get_int (node, "5", 0), ==, 1);
  g_assert_cmpint (interp_json_get_int (node, "6", 0), ==, 1000);
  g_assert_cmpint (interp_json_get_int (node, "7", -1), ==, -1);
  g_assert_cmpint (interp_json_get_int (node, "8", -1), ==, -1);
  g_assert_cmpint (interp_json_get_int (node, "9", -1), ==, -1);
  g_assert_cmpfloat (interp_json_get_double (node, "0", 0), ==, (double) G_MAXINT64);
  written = interp_json_to_string (node);
  {
    g_autoptr (JsonNode) again = interp_json_parse (written, -1, INTERP_JSON_PARSE_NONE, NULL);

    g_assert_nonnull (again);
    g_assert_cmpfloat (interp_json_get_double (again, "3", 0), ==, DBL_MAX);
  }
}

static char *
nested (guint depth, char open, char close)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < depth; i++)
    {
      g_string_append_c (text, open);
      if (open == '{' && i + 1 < depth)
        g_string_append (text, "\"a\":");
    }
  for (guint i = 0; i < depth && close != '\0'; i++)
    g_string_append_c (text, close);
  return g_string_free (text, FALSE);
}

static DexFuture *
nested_fiber (gpointer data)
{
  static const struct
  {
    char open, close;
  } kinds[] = { { '[', ']' }, { '{', '}' } };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *deepest = nested (INTERP_JSON_MAX_DEPTH, kinds[i].open, kinds[i].close);
      g_autofree char *deeper = nested (INTERP_JSON_MAX_DEPTH + 1, kinds[i].open, kinds[i].close);
      g_autofree char *abyss = nested (1000000, kinds[i].open, '\0');

      assert_parses (deepest, INTERP_JSON_PARSE_NONE, deepest);
      assert_refuses (deeper, -1, INTERP_JSON_PARSE_NONE, INTERP_JSON_ERROR_DEPTH);
      assert_refuses (abyss, -1, INTERP_JSON_PARSE_LENIENT, INTERP_JSON_ERROR_DEPTH);
      g_assert_null (interp_json_raw (abyss, -1, "a"));
      g_assert_null (interp_json_partial_string (abyss, "b", NULL));
    }
  return dex_future_new_for_boolean (TRUE);
}

static void
test_depth (void)
{
  /* On a fiber, whose stack is smaller than a thread's. */
  g_autoptr (DexFuture) future = interp_fiber_spawn (nested_fiber, NULL, NULL);

  while (dex_future_is_pending (future))
    g_main_context_iteration (NULL, TRUE);
  g_assert_true (dex_future_is_resolved (future));
}

static void
test_lenient (void)
{
  assert_parses ("{'a': 'it\\'s', \"b\": [1, 2,],}", INTERP_JSON_PARSE_LENIENT, "{\"a\":\"it's\",\"b\":[1,2]}");
  assert_parses ("{\"code\": \"a\nb\tc\"}", INTERP_JSON_PARSE_LENIENT, "{\"code\":\"a\\nb\\tc\"}");
  assert_parses ("{\"a\": {\"b\": [1, 2", INTERP_JSON_PARSE_LENIENT, "{\"a\":{\"b\":[1,2]}}");
  assert_parses ("{\"a\": True, \"b\": None}", INTERP_JSON_PARSE_LENIENT, "{\"a\":true,\"b\":null}");
  assert_parses ("\"\\d+ \\users\"", INTERP_JSON_PARSE_LENIENT, "\"\\\\d+ \\\\users\"");
  /* What was cut within a value is never completed: half of a command must not look whole. */
  assert_refuses ("{\"a\": \"rm -rf /tmp", -1, INTERP_JSON_PARSE_LENIENT, INTERP_JSON_ERROR_SYNTAX);
  assert_refuses ("{\"a\":", -1, INTERP_JSON_PARSE_LENIENT, INTERP_JSON_ERROR_SYNTAX);
  assert_refuses ("{\"a\": tru", -1, INTERP_JSON_PARSE_LENIENT, INTERP_JSON_ERROR_SYNTAX);
  assert_refuses ("{\"a\": 1,", -1, INTERP_JSON_PARSE_LENIENT, INTERP_JSON_ERROR_SYNTAX);
  assert_refuses ("{} {}", -1, INTERP_JSON_PARSE_LENIENT, INTERP_JSON_ERROR_SYNTAX);
}

static void
test_build (void)
{
  g_autoptr (JsonNode) node
      = interp_json_object ("s", INTERP_JSON_STRING ("a\"\n\xff"), "left-out", INTERP_JSON_STRING (NULL), "i",
                            INTERP_JSON_INT (-5), "d", INTERP_JSON_DOUBLE (0.5), "n", INTERP_JSON_DOUBLE (NAN), "b",
                            INTERP_JSON_BOOL (4), "no", INTERP_JSON_NODE (NULL), "z", INTERP_JSON_NULL, "l",
                            INTERP_JSON_NODE (
                                interp_json_array (INTERP_JSON_STRING ("x"), INTERP_JSON_INT (1), INTERP_JSON_END)),
                            NULL);
  g_autofree char *text = NULL;

  interp_json_append (interp_json_get (node, "l"), interp_json_object (NULL, NULL));
  interp_json_set (node, "last", interp_json_array (INTERP_JSON_END));
  text = interp_json_to_string (node);
  g_assert_cmpstr (text, ==,
                   "{\"s\":\"a\\\"\\n\xef\xbf\xbd\",\"i\":-5,\"d\":0.5,\"n\":null,\"b\":true,\"z\":null,\"l\":[\"x\",1,"
                   "{}],"
                   "\"last\":[]}");
}

static void
test_read (void)
{
  g_autoptr (JsonNode) node
      = interp_json_parse ("{\"choices\":[{\"delta\":{\"content\":\"hi\",\"n\":null}}],\"ok\":true,\"7\":1}", -1, 0,
                           NULL);
  g_auto (GStrv) members = interp_json_get_members (node, NULL);
  g_auto (GStrv) none = interp_json_get_members (node, "choices");

  g_assert_cmpstr (interp_json_get_string (node, "choices.0.delta.content"), ==, "hi");
  g_assert_null (interp_json_get_string (node, "choices.1.delta.content"));
  g_assert_null (interp_json_get_string (node, "choices.-1.delta"));
  g_assert_null (interp_json_get_string (node, "choices.99999999999999999999"));
  g_assert_null (interp_json_get_string (node, "choices.0x0"));
  g_assert_null (interp_json_get_string (node, "choices.0.delta.n"));
  g_assert_null (interp_json_get_string (node, "choices.0.delta.content.deeper"));
  g_assert_null (interp_json_get_string (node, "ok"));
  g_assert_true (interp_json_get_bool (node, "ok", FALSE));
  g_assert_true (interp_json_get_bool (node, "no", TRUE));
  g_assert_cmpint (interp_json_get_int (node, "7", 0), ==, 1);
  g_assert_cmpuint (interp_json_get_length (node, "choices"), ==, 1);
  g_assert_cmpuint (interp_json_get_length (node, ""), ==, 3);
  g_assert_cmpuint (interp_json_get_length (node, "ok"), ==, 0);
  g_assert_true (interp_json_is_array (interp_json_get (node, "choices")));
  g_assert_true (interp_json_is_object (interp_json_get (node, "choices.0")));
  g_assert_false (interp_json_is_object (NULL));
  g_assert_cmpuint (g_strv_length (members), ==, 3);
  g_assert_cmpstr (members[0], ==, "choices");
  g_assert_cmpstr (members[2], ==, "7");
  g_assert_cmpuint (g_strv_length (none), ==, 0);
  g_assert_null (interp_json_get_string (NULL, "a.b"));
}

static void
assert_raw (const char *text, const char *path, const char *expected)
{
  g_autofree char *raw = interp_json_raw (text, -1, path);

  g_assert_cmpstr (raw, ==, expected);
}

static void
test_raw (void)
{
  static const char text[] = "{ \"a\" : [ 1.50, { \"sig\" : \"x\\u00e9\\/\" , \"n\":1e2 } ],\"b\":  {}, \"a2\":\"}\" }";

  assert_raw (text, "a.0", "1.50");
  assert_raw (text, "a.1", "{ \"sig\" : \"x\\u00e9\\/\" , \"n\":1e2 }");
  assert_raw (text, "a.1.sig", "\"x\\u00e9\\/\"");
  assert_raw (text, "b", "{}");
  assert_raw (text, "a2", "\"}\"");
  assert_raw (text, "", text);
  assert_raw (text, "a.2", NULL);
  assert_raw (text, "c", NULL);
  assert_raw (text, "a.1.sig.x", NULL);
  assert_raw ("{\"a\":1,\"a\":2}", "a", "2");
  assert_raw ("{\"a\":1", "a", "1");
  assert_raw ("{\"a\":[1", "a", NULL);
  assert_raw ("", "a", NULL);
  for (gsize cut = 0; cut < strlen (text); cut++)
    {
      g_autofree char *raw = interp_json_raw (text, cut, "a.1.sig");

      g_assert_true (raw == NULL || g_str_equal (raw, "\"x\\u00e9\\/\""));
    }
}

static void
test_partial (void)
{
  static const char text[] = "{\"language\": \"python\", \"n\": [1, {\"code\": \"no\"}], \"code\": "
                             "\"pr\\\"int\\n\\u00e9\\ud83d\\ude00é\\ud800z\"}";
  static const char value[] = "pr\"int\né😀é\xef\xbf\xbdz";
  g_autofree char *before = g_strdup ("");
  gboolean complete = FALSE;

  for (gsize cut = 0; cut <= strlen (text); cut++)
    {
      g_autofree char *partial = g_strndup (text, cut);
      g_autofree char *code = interp_json_partial_string (partial, "code", &complete);
      gboolean closed = cut >= strlen (text) - 1;

      g_assert_cmpint (complete, ==, closed);
      if (code == NULL)
        {
          g_assert_cmpstr (before, ==, "");
          continue;
        }
      g_assert_true (g_utf8_validate (code, -1, NULL));
      /* What was shown once stays: the value only grows. */
      g_assert_true (g_str_has_prefix (code, before));
      g_assert_true (g_str_has_prefix (value, code));
      if (closed)
        g_assert_cmpstr (code, ==, value);
      g_free (before);
      before = g_steal_pointer (&code);
    }
  g_assert_cmpstr (before, ==, value);

  g_assert_null (interp_json_partial_string ("{\"code\": 5}", "code", &complete));
  g_assert_null (interp_json_partial_string ("[\"code\", \"x\"", "code", NULL));
  g_assert_null (interp_json_partial_string ("{\"other\": \"code", "code", NULL));
}

static void
test_large (void)
{
  /* 200 000 members and a string of 8 MB: the time stays linear, or this test runs into its limit. */
  g_autoptr (GString) text = g_string_new ("{");
  g_autoptr (JsonNode) node = NULL;

  for (int i = 0; i < 200000; i++)
    g_string_append_printf (text, "\"k%d\":%d,", i, i);
  g_string_append (text, "\"s\":\"");
  for (int i = 0; i < 1000000; i++)
    g_string_append (text, "\\u00e9\\n");
  g_string_append (text, "\"}");
  node = interp_json_parse (text->str, text->len, INTERP_JSON_PARSE_NONE, NULL);
  g_assert_cmpuint (interp_json_get_length (node, NULL), ==, 200001);
  g_assert_cmpint (interp_json_get_int (node, "k199999", 0), ==, 199999);
  g_assert_cmpuint (strlen (interp_json_get_string (node, "s")), ==, 3000000);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  dex_init ();
  g_test_add_func ("/base/json/parse", test_parse);
  g_test_add_func ("/base/json/refuse", test_refuse);
  g_test_add_func ("/base/json/cut", test_cut);
  g_test_add_func ("/base/json/surrogates", test_surrogates);
  g_test_add_func ("/base/json/nul", test_nul);
  g_test_add_func ("/base/json/utf8", test_utf8);
  g_test_add_func ("/base/json/numbers", test_numbers);
  g_test_add_func ("/base/json/depth", test_depth);
  g_test_add_func ("/base/json/lenient", test_lenient);
  g_test_add_func ("/base/json/build", test_build);
  g_test_add_func ("/base/json/read", test_read);
  g_test_add_func ("/base/json/raw", test_raw);
  g_test_add_func ("/base/json/partial", test_partial);
  g_test_add_func ("/base/json/large", test_large);
  return g_test_run ();
}
