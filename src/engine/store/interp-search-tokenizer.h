/* interp-search-tokenizer.h: how text is cut into words for search
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <glib.h>
#include <sqlite3.h>

G_BEGIN_DECLS

/* Registers the FTS5 tokenizer "interp": words as unicode61 cuts them (case and accents folded), but each
 * Chinese, Japanese or Korean character is a word of its own, since nothing separates words there. A query's
 * run of them is matched as a phrase. */
gboolean interp_search_tokenizer_register (sqlite3 *handle);

G_END_DECLS
