/* fuzz.h: what the fuzz targets share
 *
 * A target is one source file with LLVMFuzzerTestOneInput (): it aborts when a promise of the parser is broken. It is
 * driven by libFuzzer (-Dfuzzing=true), or by fuzz-driver.c as a test.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <glib.h>
#include <stdint.h>

G_BEGIN_DECLS

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* How an input is cut into pieces. */
typedef enum
{
  FUZZ_CUT_NOT,
  FUZZ_CUT_EVERYWHERE,
  FUZZ_CUT_SOMEWHERE, /* the same places for the same input */
  FUZZ_N_CUTS,
} FuzzCut;

/* @piece is NUL-terminated too. */
typedef void (*FuzzPieceFunc) (const char *piece, gsize length, gpointer data);

void fuzz_cut_bytes (const char *bytes, gsize length, FuzzCut cut, FuzzPieceFunc func, gpointer data);
/* Between characters only; @text is valid UTF-8. */
void fuzz_cut_text (const char *text, FuzzCut cut, FuzzPieceFunc func, gpointer data);

/* What came of an input cut in the way of @cut, as text to compare; transfer full. */
typedef char *(*FuzzParseFunc) (const char *bytes, gsize length, FuzzCut cut, gpointer data);

/* Aborts unless the same comes of it however it is cut. */
void fuzz_check_cuts (const char *bytes, gsize length, FuzzParseFunc func, gpointer data);

/* Aborts unless @text is valid UTF-8. */
void fuzz_check_text (const char *text);

G_END_DECLS
