/* interp-text-calls.h: tool calls that a model printed as text
 *
 * Models trained on other formats, and servers that do not know a model's format, leave calls in the text. They are
 * taken for calls only when their form is one of the known ones and the name is one that was offered; they always ask.
 *
 * Forms: JSON objects and lists of them {"name", "arguments" | "parameters"}, {"function": …}, {"tool_calls": …},
 * {"language", "code"}; <tool_call>, <tools>, <function=…><parameter=…>, <invoke name=…> (Anthropic, DSML), DeepSeek's
 * <｜tool▁calls▁begin｜>, [TOOL_REQUEST], [TOOL_CALLS] (Mistral), <|python_tag|>, channels of gpt-oss,
 * <execute_ipython>,
 * ```json and ```tool_code blocks, name(…) and name{…}.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "llm/interp-run-code.h"

G_BEGIN_DECLS

/* The calls in @text, which must be nothing but calls (and their marks): GPtrArray of InterpCall of origin RECOVERED,
 * or NULL. */
GPtrArray *interp_text_calls_parse (const char *text, InterpOffer *offer);

typedef enum
{
  INTERP_TEXT_CALL_NO,    /* text like any other */
  INTERP_TEXT_CALL_MAYBE, /* more must come before it can be told */
  INTERP_TEXT_CALL_YES,   /* looks like a call: hold on to it until its end */
} InterpTextCallVerdict;

/* Is @text, from a place where a call may begin, the beginning of one? @whole_message: nothing but space came before.
 * With YES, *closer is the mark that ends it (static), or NULL when only the end of the message does. */
InterpTextCallVerdict interp_text_calls_look (const char *text, gboolean whole_message, InterpOffer *offer,
                                              const char **closer);

G_END_DECLS
