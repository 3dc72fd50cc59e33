/* interp-code-block.h: a fenced block of an answer: language, Copy, code
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define INTERP_TYPE_CODE_BLOCK (interp_code_block_get_type ())
G_DECLARE_FINAL_TYPE (InterpCodeBlock, interp_code_block, INTERP, CODE_BLOCK, AdwBin)

GtkWidget *interp_code_block_new (void);
void interp_code_block_set_code (InterpCodeBlock *self, const char *language, const char *code);

G_END_DECLS
