/* fuzz-driver.c: runs a fuzz target as a test
 *
 * First on what lies in corpus/NAME, then on changed copies of it: the same in every run. The input that ends the
 * program is written into the folder of the tests' artefacts; given as an argument it is run again.
 *
 *   FUZZ_RUNS=1000000 FUZZ_SEED=2 tests/fuzz/fuzz-chat      more of it, others of it
 *   tests/fuzz/fuzz-chat FILE…                              these alone
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "config.h"

#include "fuzz.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* Answers are short; what is longer only takes time. */
#define MAX_SIZE 4096

#define DEFAULT_RUNS 1500

extern void __sanitizer_set_death_callback (void (*callback) (void)) __attribute__ ((weak));

static GPtrArray *corpus; /* GByteArray */
static char *fault_path;
static const guint8 *current;
static gsize current_size;

/* ---- the input that ends the program ---- */

/* Nothing here but what a signal handler may do. */
static void
keep_current (void)
{
  int fd;

  if (current == NULL)
    return;

  fd = open (fault_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd >= 0 && write (fd, current, current_size) == (gssize) current_size)
    {
      static const char said[] = "# the input is kept as ";

      (void) !write (STDERR_FILENO, said, sizeof said - 1);
      (void) !write (STDERR_FILENO, fault_path, strlen (fault_path));
      (void) !write (STDERR_FILENO, "\n", 1);
    }
  if (fd >= 0)
    close (fd);
}

static void
on_signal (int number)
{
  keep_current ();
  raise (number); /* SA_RESETHAND */
}

static void
watch_signals (void)
{
  struct sigaction action = { .sa_handler = on_signal, .sa_flags = (int) SA_RESETHAND | SA_NODEFER };

  sigaction (SIGABRT, &action, NULL);
  sigaction (SIGTRAP, &action, NULL); /* g_error () */
  if (__sanitizer_set_death_callback != NULL)
    {
      __sanitizer_set_death_callback (keep_current);
      return;
    }
  sigaction (SIGSEGV, &action, NULL);
  sigaction (SIGBUS, &action, NULL);
  sigaction (SIGFPE, &action, NULL);
}

static void
run_input (const guint8 *data, gsize size)
{
  /* Reading beyond its end is seen only where its memory ends as well. */
  g_autofree guint8 *copy = g_malloc (MAX (size, 1));

  if (size > 0)
    memcpy (copy, data, size);
  current = copy;
  current_size = size;
  LLVMFuzzerTestOneInput (copy, size);
  current = NULL;
}

/* ---- changed inputs ---- */

static const GByteArray *
pick_input (GRand *random)
{
  return g_ptr_array_index (corpus, g_rand_int_range (random, 0, corpus->len));
}

static gsize
pick_place (GRand *random, gsize size)
{
  return g_rand_int_range (random, 0, size + 1);
}

static void
insert_bytes (GByteArray *input, gsize at, const guint8 *bytes, gsize length)
{
  g_autofree guint8 *copy = g_memdup2 (bytes, length); /* may be its own */
  gsize behind = input->len - at;

  g_byte_array_set_size (input, input->len + length);
  memmove (input->data + at + length, input->data + at, behind);
  if (length > 0)
    memcpy (input->data + at, copy, length);
}

/* A piece of up to @longest bytes. */
static void
pick_range (GRand *random, gsize size, gsize longest, gsize *at, gsize *length)
{
  *at = pick_place (random, size);
  *length = pick_place (random, longest); /* MIN () would draw twice. */
  *length = MIN (*length, size - *at);
}

static void
change_input (GByteArray *input, GRand *random)
{
  /* What the formats are made of. */
  static const char *tokens[] = {
    "\n",
    "\r",
    "\r\n",
    "\n\n",
    "\"",
    "\\",
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "null",
    "data: ",
    "data:",
    "event: ",
    "```",
    "~~~~",
    "```py\n",
    "<think>",
    "</think>",
    "\\ud83e",
    "\\u0000",
    "\x1b[",
    "\x1b]0;x",
    "\xff",
    "\xf0\x9f\xa6\x8a",
    "\xc3",
    "9999999",
    "-1",
    "1e999",
    "</tool_call>",
    "<tool_call>",
    "[DONE]",
    "\xef\xbb\xbf",
    "\b",
  };
  const GByteArray *other;
  const char *token;
  gsize at;
  gsize length;

  switch (g_rand_int_range (random, 0, 8))
    {
    case 0: /* one bit */
      if (input->len > 0)
        input->data[g_rand_int_range (random, 0, input->len)] ^= 1u << g_rand_int_range (random, 0, 8);
      break;

    case 1: /* one byte */
      if (input->len > 0)
        input->data[g_rand_int_range (random, 0, input->len)] = g_rand_int_range (random, 0, 256);
      break;

    case 2: /* a piece less */
      pick_range (random, input->len, 64, &at, &length);
      if (length > 0)
        g_byte_array_remove_range (input, at, length);
      break;

    case 3: /* a piece twice */
      pick_range (random, input->len, 128, &at, &length);
      insert_bytes (input, pick_place (random, input->len), input->data + at, length);
      break;

    case 4: /* cut off */
      g_byte_array_set_size (input, pick_place (random, input->len));
      break;

    case 5: /* a piece of another */
      other = pick_input (random);
      pick_range (random, other->len, 256, &at, &length);
      insert_bytes (input, pick_place (random, input->len), other->data + at, length);
      break;

    case 6: /* goes on as another */
      other = pick_input (random);
      at = pick_place (random, other->len);
      g_byte_array_set_size (input, pick_place (random, input->len));
      g_byte_array_append (input, other->data + at, other->len - at);
      break;

    default:
      token = tokens[g_rand_int_range (random, 0, G_N_ELEMENTS (tokens))];
      insert_bytes (input, pick_place (random, input->len), (const guint8 *) token, strlen (token));
      break;
    }

  if (input->len > MAX_SIZE)
    g_byte_array_set_size (input, MAX_SIZE);
}

/* ---- the tests ---- */

static guint64
read_number (const char *variable, guint64 fallback)
{
  const char *text = g_getenv (variable);

  return text != NULL ? g_ascii_strtoull (text, NULL, 10) : fallback;
}

static GByteArray *
load_input (const char *path)
{
  g_autoptr (GError) error = NULL;
  char *text;
  gsize length;

  g_file_get_contents (path, &text, &length, &error);
  g_assert_no_error (error);

  return g_byte_array_new_take ((guint8 *) text, length);
}

static void
load_corpus (void)
{
  g_autofree char *folder = g_test_build_filename (G_TEST_DIST, "fuzz", "corpus", FUZZ_NAME, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  g_autoptr (GDir) dir = g_dir_open (folder, 0, &error);
  const char *name;

  g_assert_no_error (error);
  while ((name = g_dir_read_name (dir)) != NULL)
    g_ptr_array_add (names, g_build_filename (folder, name, NULL));
  g_assert_cmpuint (names->len, >, 0);

  /* In an order of their own, for changes to be the same everywhere. */
  g_ptr_array_sort_values (names, (GCompareFunc) strcmp);
  for (guint i = 0; i < names->len; i++)
    g_ptr_array_add (corpus, load_input (g_ptr_array_index (names, i)));
}

static void
test_corpus (void)
{
  for (guint i = 0; i < corpus->len; i++)
    {
      const GByteArray *input = g_ptr_array_index (corpus, i);

      run_input (input->data, input->len);
    }
}

static void
test_changed (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (read_number ("FUZZ_SEED", 1));
  guint64 n_runs = read_number ("FUZZ_RUNS", DEFAULT_RUNS);

  for (guint64 run = 0; run < n_runs; run++)
    {
      g_autoptr (GByteArray) input = g_byte_array_new ();
      const GByteArray *origin = pick_input (random);
      int n_changes = g_rand_int_range (random, 1, 6);

      g_byte_array_append (input, origin->data, origin->len);
      for (int i = 0; i < n_changes; i++)
        change_input (input, random);
      run_input (input->data, input->len);
    }
}

int
main (int argc, char **argv)
{
  const char *artefacts = g_getenv ("INTERP_TEST_ARTEFACTS");

  g_test_init (&argc, &argv, NULL);
  fault_path = g_build_filename (artefacts != NULL ? artefacts : ".", "fault-" FUZZ_NAME, NULL);
  watch_signals ();

  if (argc > 1)
    {
      for (int i = 1; i < argc; i++)
        {
          g_autoptr (GByteArray) input = load_input (argv[i]);

          run_input (input->data, input->len);
        }
      return 0;
    }

  corpus = g_ptr_array_new_with_free_func ((GDestroyNotify) g_byte_array_unref);
  load_corpus ();
  g_test_add_func ("/fuzz/" FUZZ_NAME "/corpus", test_corpus);
  g_test_add_func ("/fuzz/" FUZZ_NAME "/changed", test_changed);

  return g_test_run ();
}
